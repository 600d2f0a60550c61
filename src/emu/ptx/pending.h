/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What PTX has of pending asynchronous operations (emu/async.h): those of cp.async, bulk copies and
 * wgmma by warp, mbarriers by block.
 */
#ifndef TSR_EMU_PTX_PENDING_H
#define TSR_EMU_PTX_PENDING_H

#include "emu/async.h"
#include "emu/ptx/rows.h"

typedef struct async_lane {
  async_groups copies, bulk;
  const ptx_insn *last_bulk; /* that a bulk group has */
} async_lane;
typedef struct async_mbarrier {
  uint64_t address;
  uint32_t phase; /* phases begun since the block began: never the same for two phases */
} async_mbarrier;
typedef struct async_warp {
  async_lane lane[PTX_LANES];
  async_groups products;
  async_op *copies, *bulk, *wgmma; /* pending, in the order they were issued */
  void *registers;                 /* exec_wgmma.c */
} async_warp;
typedef struct async_block {
  async_op *bulk; /* pending on mbarriers of this block */
  async_mbarrier *mbarriers;
  uint32_t n_mbarriers, cap_mbarriers;
  uint64_t *changed_maps; /* addresses of tensor maps that were changed without a fence since */
  uint32_t n_changed_maps, cap_changed_maps;
} async_block;

/* The state of a warp and a block; NULL after EMU_FAULT_MEMORY. */
async_warp *async_of_warp(emu_warp *w, const ptx_insn *i);
async_block *async_of_block(emu_block *b);

/* emu_isa.progress and end_cluster */
bool async_progress(emu_cluster *c);
void async_cluster_end(emu_cluster *c);

/* exec_wgmma.c: tells who watches when the instruction accesses registers that wgmma instructions
 * of the warp have under way. */
void async_check_registers(emu_warp *w, const ptx_insn *i);
/* The warp ends. */
void async_forget_registers(async_warp *a);

/* The mbarrier at an address that has a rank: its block, its 8 bytes, its phase's number. False
 * after a fault. */
typedef struct mbarrier_place {
  emu_block *block;
  uint64_t address;
  uint8_t *host;
  async_mbarrier *record;
} mbarrier_place;
bool mbarrier_at(emu_warp *w, const ptx_insn *i, unsigned lane, uint64_t address,
                 mbarrier_place *out);
/* Tells that the lane has issued an operation that will complete `bytes` there. */
void mbarrier_tell_issue(emu_warp *w, const ptx_insn *i, unsigned lane, const mbarrier_place *p,
                         uint32_t bytes);
/* complete_tx by an operation. */
void mbarrier_op_done(emu_warp *w, const ptx_insn *i, unsigned lane, uint64_t address,
                      uint32_t bytes);
/* Runs what is pending on this mbarrier; false when there was nothing. */
bool mbarrier_flush(emu_block *b, uint64_t address);

/* A copy reads the tensor map at this address: tells who watches when a fence is missing. */
void changed_map_used(emu_warp *w, const ptx_insn *i, unsigned lane, uint64_t address);

#endif
