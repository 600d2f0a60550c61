/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the files of the machine share and handlers don't need.
 */
#ifndef TSR_EMU_RUN_H
#define TSR_EMU_RUN_H

#include <stdio.h>

#include "emu/machine.h"

/* device.c: while a launch runs, memory that is freed stays. */
void emu_device_begin(emu_device *d);
void emu_device_end(emu_device *d);

/* warp.c */
typedef enum warp_state {
  WARP_ENDED,   /* no lanes are left */
  WARP_WAITS,   /* all its splits wait for others */
  WARP_RETRIED, /* some split tried in vain */
  WARP_READY,   /* its slice is over */
} warp_state;

/* Executes up to `slice` instructions. Adds the instructions done to *steps. */
warp_state warp_run(emu_warp *w, uint32_t slice);
/* A new split of these lanes of the split that executes, at `pc`; takes them from it. */
emu_split *warp_divide(emu_warp *w, uint32_t lanes, uint32_t pc);
/* Likewise of any split. */
emu_split *warp_divide_split(emu_warp *w, emu_split *from, uint32_t lanes, uint32_t pc);
/* meet.c: lanes `here` of the split that executes have arrived at an instruction with operand
 * `mask_operand` = mask. If all others of the mask wait at others like it, all execute theirs, and
 * `here` is returned: those lanes are in a split of their own, behind it. Else 0. */
uint32_t warp_meet(emu_warp *w, const ptx_insn *i, uint32_t here, unsigned mask_operand,
                   uint32_t mask);
/* Lanes of the split that executes end. */
void warp_end_lanes(emu_warp *w, uint32_t lanes, const ptx_insn *i);
/* A frame for a function; NULL after a fault. */
emu_frame *warp_push_frame(emu_warp *w, const ptx_function *f, emu_frame *parent);
void warp_free_frame(emu_warp *w, emu_frame *f);
void warp_free_frames(emu_warp *w); /* all, also those kept for later */
/* Makes `s` the split that executes. */
void warp_enter_split(emu_warp *w, emu_split *s);

/* barrier.c: threads have ended: barriers that waited for them may be complete. */
void barrier_check_ended(emu_block *b);
void cluster_check_ended(emu_cluster *c);

/* special.c: the special registers of a warp when its block begins; the clocks, any time. */
void specials_begin(emu_warp *w);
void specials_refresh(emu_warp *w, const ptx_operand *o);

/* fault.c */
bool emu_grid_fail(emu_grid *g, emu_warp *w, const emu_fault *f); /* as emu_fail; `w` may be NULL */
void emu_report_fault(const emu_image *image, const ptx_function *entry, const emu_fault *f);

/* cluster.c: a cluster's memory, all blocks and warps of it; NULL: no memory. */
emu_cluster *cluster_create(emu_grid *g);
void cluster_destroy(emu_cluster *c);
/* Makes it cluster number `linear` of the grid. False after a fault. */
bool cluster_begin(emu_cluster *c, uint64_t linear);
/* Executes about `slice` instructions; true when all its threads have ended. */
bool cluster_run(emu_cluster *c, uint64_t slice);
void cluster_end(emu_cluster *c);

/* A generator of good enough numbers; the state is any. */
static inline uint64_t next_random(uint64_t *state) {
  uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

#endif
