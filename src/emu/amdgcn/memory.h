/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Loads, stores and atomics: the functions that rows name. gcn_row.bytes is what a lane accesses,
 * gcn_row.more a gcn_width.
 */
#ifndef TSR_EMU_AMDGCN_MEMORY_H
#define TSR_EMU_AMDGCN_MEMORY_H

#include "emu/amdgcn/insn.h"

/* How fewer than 4 bytes lie in a register. */
typedef enum gcn_width {
  GCN_AS_IS,
  GCN_SIGNED,
  GCN_LOW, /* the upper half of the register stays as it is */
  GCN_LOW_SIGNED,
  GCN_HIGH, /* the upper half; a store takes it from there, too */
  GCN_HIGH_SIGNED,
} gcn_width;

/* What an atomic leaves in memory, of what is there and of its operand (gcn_row.kind). */
typedef enum gcn_update {
  GCN_SWAP,
  GCN_COMPARE_SWAP,
  GCN_ADD,
  GCN_SUB,
  GCN_RSUB, /* what is there is taken off */
  GCN_SMIN,
  GCN_UMIN,
  GCN_SMAX,
  GCN_UMAX,
  GCN_AND,
  GCN_OR,
  GCN_XOR,
  GCN_INC,
  GCN_DEC,
  GCN_ADD_F32,
  GCN_ADD_F64,
  GCN_MIN_F64,
  GCN_MAX_F64,
  GCN_ADD_PK_F16,
  GCN_ADD_PK_BF16,
  GCN_MIN_F32,
  GCN_MAX_F32,
} gcn_update;
/* Does it to `bytes` (4 or 8) at `p`, in one step; what was there before. */
uint64_t gcn_update_memory(uint8_t *p, unsigned bytes, unsigned update, uint64_t operand,
                           uint64_t compared);

/* The address of a lane, by the kind of instruction: vaddr, saddr and offset; ... */
emu_step gcn_run_global_load(emu_warp *w, const gcn_insn *i);
emu_step gcn_run_global_store(emu_warp *w, const gcn_insn *i);
emu_step gcn_run_global_atomic(emu_warp *w, const gcn_insn *i);
emu_step gcn_run_flat_load(emu_warp *w, const gcn_insn *i);
emu_step gcn_run_flat_store(emu_warp *w, const gcn_insn *i);
emu_step gcn_run_flat_atomic(emu_warp *w, const gcn_insn *i);
emu_step gcn_run_scratch_load(emu_warp *w, const gcn_insn *i);
emu_step gcn_run_scratch_store(emu_warp *w, const gcn_insn *i);
/* Global memory to the LDS, past registers. */
emu_step gcn_run_load_to_lds(emu_warp *w, const gcn_insn *i);
/* ... of a buffer resource, where what lies outside reads as 0 and is not written. */
emu_step gcn_run_buffer_load(emu_warp *w, const gcn_insn *i);
emu_step gcn_run_buffer_store(emu_warp *w, const gcn_insn *i);
emu_step gcn_run_buffer_atomic(emu_warp *w, const gcn_insn *i);
/* Scalar: gcn_row.kind says whether the base is a buffer resource. */
emu_step gcn_run_scalar_load(emu_warp *w, const gcn_insn *i);

/* The LDS. gcn_row.kind of the pairs: how many elements apart the units of their offsets are. */
emu_step gcn_run_lds_load(emu_warp *w, const gcn_insn *i);
emu_step gcn_run_lds_store(emu_warp *w, const gcn_insn *i);
/* Sixteen lanes exchange what they load: each gets a column of what they have as rows
 * (gcn_row.kind: bits of an element). */
emu_step gcn_run_lds_load_transposed(emu_warp *w, const gcn_insn *i);
emu_step gcn_run_lds_load_pair(emu_warp *w, const gcn_insn *i);
emu_step gcn_run_lds_store_pair(emu_warp *w, const gcn_insn *i);
emu_step gcn_run_lds_atomic(emu_warp *w, const gcn_insn *i);        /* gives nothing */
emu_step gcn_run_lds_atomic_return(emu_warp *w, const gcn_insn *i); /* what was there */
/* Through the LDS's crossbar, of which no memory is used. */
emu_step gcn_run_permute(emu_warp *w, const gcn_insn *i);
emu_step gcn_run_permute_back(emu_warp *w, const gcn_insn *i);
emu_step gcn_run_swizzle(emu_warp *w, const gcn_insn *i);

/* Four registers that are the resource of a wave's scratch memory. */
void gcn_set_scratch(uint32_t words[4]);

/* The operand that a store takes its value from; -1: it is no store of one value. */
int gcn_stored_operand(const gcn_insn *i);
/* The bytes that it stores of a lane. */
void gcn_stored_bytes(const emu_warp *w, const gcn_insn *i, unsigned lane, uint8_t *out);
/* The space of its accesses, for messages. */
emu_space gcn_space_of(const gcn_insn *i);
/* What a lane accesses, before it is executed. */
bool gcn_is_memory(const gcn_insn *i);

#endif
