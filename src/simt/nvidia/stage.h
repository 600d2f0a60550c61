/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * simt/nvidia/stage.h: how an operand lies in a stage of a pipeline: as TMA writes it, wgmma reads
 * it, and ldmatrix finds the eight rows of a block in different banks.
 *
 * Panels have rows of at most 128 bytes. Within one, byte address a is moved to
 * a ^ ((a >> 7 & (2^swizzle - 1)) << 4): 128, 64 and 32 bytes wide for swizzle 3, 2 and 1, as in
 * the PTX ISA, "Shared memory layout of cp.async.bulk.tensor".
 */
#ifndef TSR_SIMT_NVIDIA_STAGE_H
#define TSR_SIMT_NVIDIA_STAGE_H

#include "simt/pipeline.h"

enum {
  SIMT_CHUNK = 16,         /* bytes that are copied at once, and that a swizzle moves as one */
  SIMT_PANEL = 128,        /* bytes of a row of a panel: all banks once */
  SIMT_STAGE_ALIGN = 1024, /* of buffers and stages, bytes: eight rows of a panel */
};

/* Who moves a tile into its buffer: simt_staged.engine. Forms with a producer copy by TMA instead
 * (simt/nvidia/bulk.h). */
typedef enum simt_copy_engine {
  SIMT_COPY_PLAIN,    /* threads, by loads and stores through registers */
  SIMT_COPY_CP_ASYNC, /* threads, by cp.async of 16 bytes; in executions where addresses turn out
                         not to be aligned, as SIMT_COPY_PLAIN */
} simt_copy_engine;

/* For an operand of a product; `fast_is_k`: along which of its dimensions memory runs; elem_bytes:
 * log2. */
simt_stage_layout simt_stage_layout_of(const simt_product *sizes, bool is_lhs, bool fast_is_k,
                                       unsigned elem_bytes);

/* Turns an operand that lies along n and that threads read piece by piece, instead of its swizzle:
 * the rows that four lanes read at once, which differ in two bits of k from `first` on, lie 32
 * bytes apart. */
void simt_stage_spread(simt_stage_layout *l, unsigned first);

/* simt_vendor.lay_out and print_staged. */
bool simt_stage_lay_out(const simt_op *info, simt_staged *x, bool fast_is_k, unsigned elem_bytes);
void simt_stage_print(sbuf *out, const simt_staged *x);

#endif
