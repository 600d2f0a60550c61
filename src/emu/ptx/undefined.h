/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * undefined: values in registers that nobody defined: read from local memory that was not written,
 * or taken by a shuffle from a lane that does not take part.
 *
 * Compilers load ahead and select afterwards, so having such a value is no fault; using it is. Who
 * watches (emu_watcher.undefined) is told when an undefined value decides a branch or a predicate,
 * is an address, goes to memory other than local, or into an instruction that computes with other
 * lanes. What is computed of it in registers is undefined too, unless another operand decides the
 * result (selp, and, or); local memory that it is stored to counts as not written.
 *
 * Each value is told once. Nothing is kept before there is an undefined value, so that programs
 * without any pay for a test.
 */
#ifndef TSR_EMU_PTX_UNDEFINED_H
#define TSR_EMU_PTX_UNDEFINED_H

#include "emu/ptx/frame.h"
#include "emu/watch.h"

/* Before an instruction: `lanes` execute it. */
void undefined_step(emu_warp *w, const ptx_insn *i, uint32_t lanes);
/* emu_isa.track_local */
bool undefined_track_local(emu_warp *w, const emu_access *a, unsigned lane, uint8_t *written);
/* A shuffle has read lane from[l] for each of `lanes`; for those of `absent` a lane that doesn't
 * take part. */
void undefined_shuffled(emu_warp *w, const ptx_insn *i, uint32_t lanes, const uint8_t *from,
                        uint32_t absent);
/* The same behind a meeting (meet.c): the destinations of one party. */
void undefined_met(emu_warp *w, const emu_split *s, const ptx_insn *i, uint32_t lanes);

void undefined_free(ptx_frame *f);     /* what is kept of a frame */
void undefined_free_warp(emu_warp *w); /* ... of where values came from */

#endif
