/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The table of what src/gpu calls.
 */
#include "gpu/amdgcn/vendor.h"

#include "gpu/amdgcn/access.h"
#include "gpu/amdgcn/effects.h"
#include "gpu/amdgcn/entry.h"
#include "gpu/amdgcn/pipeline.h"
#include "gpu/amdgcn/product.h"
#include "gpu/amdgcn/threads.h"
#include "gpu/code.h"
#include "gpu/vendor.h"

/* ---- what there is nothing to do for -------------------------------------------------------- */

static void no_end(gen *g) {
  (void)g;
}

static void no_dependency(gen *g, bool waits) {
  (void)g, (void)waits;
}

static bool no_store(gen *g, ir_op *op) {
  (void)g, (void)op;
  return false;
}

static void no_stores_to_wait_for(gen *g, bool complete) {
  (void)g, (void)complete;
}

/* Copies are complete where they begin (access.c). */
static void no_commit(gen *g) {
  (void)g;
}

static void no_wait(gen *g, unsigned pending) {
  (void)g, (void)pending;
}

static bool no_engine(gen *g, ir_op *op) {
  (void)g, (void)op;
  return false;
}

/* ---- what is refused before (effects.c) ----------------------------------------------------- */

static void no_named_barrier(gen *g, unsigned id, uint32_t threads, bool waits) {
  (void)g, (void)id, (void)threads, (void)waits;
}

static void no_registers(gen *g, unsigned from, unsigned to) {
  (void)g, (void)from, (void)to;
}

const gpu_hooks amdgcn_vendor = {.text_space = SPACE_GLOBAL,
                                 .declare = amdgcn_declare,
                                 .body = amdgcn_body,
                                 .end = no_end,
                                 .leave = no_end,
                                 .before_op = amdgcn_before_op,
                                 .block_position = amdgcn_block_position,
                                 .grid_dependency = no_dependency,
                                 .thread = amdgcn_thread,
                                 .uniform = amdgcn_uniform,
                                 .barrier = amdgcn_barrier,
                                 .warp_barrier = amdgcn_warp_barrier,
                                 .named_barrier = no_named_barrier,
                                 .set_registers = no_registers,
                                 .shuffle_xor = amdgcn_shuffle_xor,
                                 .shuffle_from = amdgcn_shuffle_from,
                                 .select_bytes = amdgcn_select_bytes,
                                 .round_halves = amdgcn_round_halves,
                                 .fma_halves = amdgcn_fma_halves,
                                 .masked_load = amdgcn_masked_load,
                                 .masked_store = amdgcn_masked_store,
                                 .replace_bits = amdgcn_replace_bits,
                                 .ordered_load = amdgcn_ordered_load,
                                 .ordered_store = amdgcn_ordered_store,
                                 .compare_and_swap = amdgcn_compare_and_swap,
                                 .update = amdgcn_update,
                                 .store = no_store,
                                 .wait_stores = no_stores_to_wait_for,
                                 .shared_taken = amdgcn_shared_taken,
                                 .copy_async = amdgcn_copy_async,
                                 .copy_commit = no_commit,
                                 .copy_wait = no_wait,
                                 .engine = no_engine,
                                 .multiply = amdgcn_multiply,
                                 .carried_together = amdgcn_carried_together,
                                 .product = amdgcn_product,
                                 .print_arguments = AMDGCN_PRINT_ARGUMENTS,
                                 .print_line = amdgcn_print_line,
                                 .check = amdgcn_check,
                                 .version_test = amdgcn_version_test,
                                 .loop_is_plain = amdgcn_loop_is_plain,
                                 .loop_test = amdgcn_loop_test,
                                 .loop_begin = amdgcn_loop_begin,
                                 .loop_late = amdgcn_loop_late,
                                 .loop_head = amdgcn_loop_head,
                                 .loop_body = amdgcn_loop_body,
                                 .loop_body_end = amdgcn_loop_body_end,
                                 .loop_next = amdgcn_loop_next,
                                 .loop_continue = amdgcn_loop_continue,
                                 .loop_close = amdgcn_loop_close,
                                 .loop_end = amdgcn_loop_end};
