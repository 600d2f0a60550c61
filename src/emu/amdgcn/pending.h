/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Pending registers: operations of memory that a wave has issued and not waited for yet, and the
 * registers that they will write.
 *
 * The emulator gives a load's result at once, so that a program that reads it too early would go
 * unnoticed. Here each operation is remembered until a wait makes sure of its end. Counters count
 * operations under way: that of vector memory, whose operations end in their order, and that of LDS
 * and scalar loads, where those of LDS end in their order, scalar loads in any. RDNA counts stores
 * apart, RDNA4 also scalar loads. A flat operation counts in those of vector memory and of the LDS,
 * and in any order. A wait that leaves N operations makes sure that of M in order the first M - N
 * have ended; of those in any order something is known only when N is 0.
 */
#ifndef TSR_EMU_AMDGCN_PENDING_H
#define TSR_EMU_AMDGCN_PENDING_H

#include "emu/amdgcn/insn.h"

enum { GCN_PENDING = 160 }; /* more than the counters can count */

typedef struct gcn_operation {
  const gcn_insn *insn;
  uint8_t counters;  /* a bit for each gcn_counter that still guards it */
  bool ordered, lds; /* lds: it accesses the LDS */
  uint32_t from, to; /* bytes of the LDS that a load from other memory writes; none: 0, 0 */
  emu_lanes lanes;
  gcn_operand result; /* registers that it will write; GCN_NO_OPERAND */
} gcn_operation;

typedef struct gcn_pending {
  gcn_operation list[GCN_PENDING]; /* in the order of issue */
  uint32_t n;
} gcn_pending;

/* Before an instruction is executed: tells the watcher of pending registers that it touches. */
void gcn_check_pending(emu_warp *w, const gcn_insn *i);
/* An operation was issued. */
void gcn_add_pending(emu_warp *w, const gcn_operation *o);
/* The bit of the counter that counts such operations of the processor. */
static inline uint8_t gcn_counted(const gcn_insn *i, gcn_counter what) {
  bool apart = what == GCN_COUNT_SCALAR ? i->generation >= GCN_RDNA4 : i->generation >= GCN_RDNA3;
  if (what == GCN_COUNT_STORE && !apart) what = GCN_COUNT_VECTOR;
  if (what == GCN_COUNT_SCALAR && !apart) what = GCN_COUNT_LDS;
  return (uint8_t)(1u << what);
}
/* Whether no operation of global memory is under way. */
bool gcn_none_pending(const emu_warp *w);
/* Before bytes of the LDS are accessed, which a load may not have written yet. */
void gcn_check_loaded(emu_warp *w, const gcn_insn *i, const emu_access *a);
/* s_waitcnt, and s_barrier, at which no operation on the LDS may be under way. */
void gcn_wait_pending(emu_warp *w, const gcn_insn *i);
void gcn_check_barrier(emu_warp *w, const gcn_insn *i);

#endif
