/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Scalar instructions and those that steer a wave: the functions that rows name.
 */
#ifndef TSR_EMU_AMDGCN_SCALAR_H
#define TSR_EMU_AMDGCN_SCALAR_H

#include "emu/amdgcn/insn.h"

emu_step gcn_run_scalar(emu_warp *w, const gcn_insn *i); /* by gcn_row.scalar */

/* When a branch is taken (gcn_row.kind). */
typedef enum gcn_condition {
  GCN_ALWAYS,
  GCN_SCC0,
  GCN_SCC1,
  GCN_VCC_ZERO,
  GCN_VCC_ANY,
  GCN_EXEC_ZERO,
  GCN_EXEC_ANY
} gcn_condition;
emu_step gcn_run_branch(emu_warp *w, const gcn_insn *i);

/* s_setreg and s_getreg of the mode register. */
emu_step gcn_run_set_mode(emu_warp *w, const gcn_insn *i);
emu_step gcn_run_get_mode(emu_warp *w, const gcn_insn *i);

emu_step gcn_run_nothing(emu_warp *w, const gcn_insn *i); /* hints, and what only takes time */
emu_step gcn_run_message(emu_warp *w,
                         const gcn_insn *i); /* registers are given back before the end */
emu_step gcn_run_wait(emu_warp *w, const gcn_insn *i);
emu_step gcn_run_invalidate(emu_warp *w, const gcn_insn *i); /* of caches */
emu_step gcn_run_barrier(emu_warp *w, const gcn_insn *i);
emu_step gcn_run_signal(emu_warp *w, const gcn_insn *i); /* arrives there */
emu_step gcn_run_barrier_wait(emu_warp *w, const gcn_insn *i);
emu_step gcn_run_end(emu_warp *w, const gcn_insn *i);
emu_step gcn_run_trap(emu_warp *w, const gcn_insn *i);
emu_step gcn_run_unknown(emu_warp *w, const gcn_insn *i);

#endif
