/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The table of what src/gpu calls.
 */
#include "gpu/nvptx/vendor.h"

#include "gpu/nvptx/access.h"
#include "gpu/nvptx/bulk_store.h"
#include "gpu/nvptx/copy.h"
#include "gpu/nvptx/effects.h"
#include "gpu/nvptx/engine.h"
#include "gpu/nvptx/entry.h"
#include "gpu/nvptx/loop.h"
#include "gpu/nvptx/mma.h"
#include "gpu/nvptx/overlap.h"
#include "gpu/nvptx/tensor.h"
#include "gpu/nvptx/threads.h"
#include "gpu/nvptx/unit.h"
#include "gpu/nvptx/wgmma.h"
#include "gpu/vendor.h"

static bool product(gen *g, ir_op *op) {
  return nvptx_group_product(g, op) || nvptx_tensor_product(g, op);
}

static void multiply(gen *g, const ir_op *op, const matrix_instruction *x, const llv *a,
                     const llv *b, llv *sum) {
  mma m = nvptx_mma_of(g, op, x);
  nvptx_mma(g, &m, a, b, sum);
}

const gpu_hooks nvptx_vendor = {.text_space = SPACE_GENERIC,
                                .declare = nvptx_declare,
                                .body = nvptx_body,
                                .end = nvptx_end,
                                .leave = nvptx_leave,
                                .before_op = nvptx_before_op,
                                .block_position = nvptx_block_position,
                                .grid_dependency = nvptx_grid_dependency,
                                .thread = nvptx_thread,
                                .uniform = nvptx_uniform,
                                .barrier = nvptx_barrier,
                                .warp_barrier = nvptx_warp_barrier,
                                .named_barrier = nvptx_named_barrier,
                                .set_registers = nvptx_set_registers,
                                .shuffle_xor = nvptx_shuffle_xor,
                                .shuffle_from = nvptx_shuffle_from,
                                .select_bytes = nvptx_select_bytes,
                                .round_halves = nvptx_round_halves,
                                .fma_halves = nvptx_fma_halves,
                                .masked_load = nvptx_masked_load,
                                .masked_store = nvptx_masked_store,
                                .replace_bits = nvptx_replace_bits,
                                .ordered_load = nvptx_ordered_load,
                                .ordered_store = nvptx_ordered_store,
                                .compare_and_swap = nvptx_compare_and_swap,
                                .update = nvptx_update,
                                .store = nvptx_bulk_store,
                                .wait_stores = nvptx_bulk_wait,
                                .shared_taken = nvptx_shared_taken,
                                .copy_async = nvptx_copy_async,
                                .copy_commit = nvptx_copy_commit,
                                .copy_wait = nvptx_copy_wait,
                                .load_matrices = nvptx_load_matrices,
                                .store_matrices = nvptx_store_matrices,
                                .engine = nvptx_engine,
                                .next_iteration = nvptx_settle_registers,
                                .multiply = multiply,
                                .product = product,
                                .print_arguments = NVPTX_PRINT_ARGUMENTS,
                                .print_line = nvptx_print_line,
                                .check = nvptx_assert,
                                .loop_test = nvptx_loop_test,
                                .loop_begin = nvptx_loop_begin,
                                .loop_late = nvptx_late_value,
                                .loop_head = nvptx_loop_head,
                                .loop_body = nvptx_loop_body,
                                .loop_body_end = nvptx_loop_body_end,
                                .loop_next = nvptx_loop_next,
                                .loop_continue = nvptx_loop_continue,
                                .loop_close = nvptx_loop_close,
                                .loop_end = nvptx_loop_end};
