/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Vector instructions: the functions that rows name.
 */
#ifndef TSR_EMU_AMDGCN_VECTOR_H
#define TSR_EMU_AMDGCN_VECTOR_H

#include "emu/amdgcn/insn.h"

/* Each lane by itself: gcn_row.lane makes the result. */
emu_step gcn_run_vector(emu_warp *w, const gcn_insn *i);
static inline bool gcn_is_mixed(const gcn_row *row) {
  return row->run == gcn_run_vector && row->kind >= GCN_MIXED;
}
/* Both halves of registers (gcn_row.more: 'h', 's', 'f'; kind: how many sources). */
emu_step gcn_run_packed(emu_warp *w, const gcn_insn *i);
emu_step gcn_run_packed_move(emu_warp *w, const gcn_insn *i);
/* Comparisons to a mask: gcn_row.kind is a gcn_comparison, more the type; bytes: 1 when exec is
 * written, too. */
emu_step gcn_run_compare(emu_warp *w, const gcn_insn *i);
/* Between lanes and scalar registers, between lanes. */
emu_step gcn_run_read_first(emu_warp *w, const gcn_insn *i);
emu_step gcn_run_read_lane(emu_warp *w, const gcn_insn *i);
emu_step gcn_run_write_lane(emu_warp *w, const gcn_insn *i);
emu_step gcn_run_permute_row(emu_warp *w, const gcn_insn *i);
emu_step gcn_run_permute_other_row(emu_warp *w, const gcn_insn *i);
/* gcn_insn.pair. */
emu_step gcn_run_dual(emu_warp *w, const gcn_insn *i);
emu_step gcn_run_swap(emu_warp *w, const gcn_insn *i);
/* Odd rows of the first register (of gcn_row.more lanes) for even ones of the second. */
emu_step gcn_run_swap_rows(emu_warp *w, const gcn_insn *i);

/* The number of an operand's lane or value as a comparison has them. */
typedef enum gcn_comparison {
  GCN_FALSE,
  GCN_LT,
  GCN_EQ,
  GCN_LE,
  GCN_GT,
  GCN_LG,
  GCN_GE,
  GCN_ORDERED,
  GCN_UNORDERED,
  GCN_NGE,
  GCN_NLG,
  GCN_NGT,
  GCN_NLE,
  GCN_NEQ,
  GCN_NLT,
  GCN_TRUE,
  GCN_CLASS,
} gcn_comparison;

#endif
