/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Wait states: instructions whose results CDNA's processors don't guard by a counter nor by
 * stalling, so that a program has to put so many other instructions, or s_nop, between them and
 * those that use what they make. Each instruction is one wait state, "s_nop N" is N + 1.
 *
 * The emulator gives each result at once; here a wave's last instructions are remembered, and what
 * comes too early after one of them is told to the watcher.
 *
 * Sources: "AMD Instinct MI200", "MI300" and CDNA4 Instruction Set Architecture, "Manually Inserted
 * Wait States"; LLVM's hazard recognizer for what these leave open (SrcC of another register
 * range, f64 on gfx950), its scheduling model for passes.
 */
#ifndef TSR_EMU_AMDGCN_HAZARDS_H
#define TSR_EMU_AMDGCN_HAZARDS_H

#include "emu/amdgcn/insn.h"

/* What an instruction is, as rules name it (gcn_insn.hazards). */
typedef enum gcn_hazard {
  GCN_H_MATRIX = 1 << 0,
  GCN_H_VALU = 1 << 1,   /* vector arithmetic that is no matrix instruction */
  GCN_H_TRANS = 1 << 2,  /* ... and transcendental */
  GCN_H_MEMORY = 1 << 3, /* any access to memory by lanes */
  GCN_H_VMEM = 1 << 4,   /* ... that is none of the LDS */
  GCN_H_MOVES = 1 << 5,  /* DPP */
  GCN_H_LANE = 1 << 6,   /* v_readlane, v_writelane, v_readfirstlane */
  GCN_H_FMAS = 1 << 7,   /* v_div_fmas: reads VCC */
  GCN_H_STORE = 1 << 8,  /* of more than 8 bytes of a lane */
  GCN_H_PART = 1 << 9,   /* writes a part of a register */
  GCN_H_MODE = 1 << 10,  /* s_setreg, s_getreg */
  GCN_H_M0 = 1 << 11,    /* reads M0: a load into the LDS */
  GCN_H_SALU = 1 << 12,
  GCN_H_EXEC = 1 << 13, /* writes EXEC besides */
  GCN_H_DOT = 1 << 14,  /* sums of products of parts of registers */
} gcn_hazard;

/* Instructions that may still matter to a later one. */
enum { GCN_RECENT = 32 };
typedef struct gcn_recent {
  const gcn_insn *insn[GCN_RECENT]; /* a ring, the last at `n` - 1 */
  uint32_t end[GCN_RECENT];         /* the wait state in which each was over */
  uint32_t n, now;                  /* n: ever; now: wait states so far */
  uint32_t matrix;                  /* end of the last matrix instruction, + 1; 0: there was none */
} gcn_recent;

/* gcn_insn.hazards of an instruction that has been read. */
uint16_t gcn_hazards_of(const gcn_insn *i);
/* Before an instruction is executed: tells the watcher that it comes too early. */
void gcn_check_hazards(emu_warp *w, const gcn_insn *i);

#endif
