/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * target/banks.h: how the shared memory of a GPU serves the lanes of a warp. One access of a warp
 * is served in phases; in each, a bank gives or takes one word of 4 bytes a clock, so that a phase
 * takes as many clocks as the most different words that its lanes want of one bank.
 */
#ifndef TSR_TARGET_BANKS_H
#define TSR_TARGET_BANKS_H

#include "target/gpu.h"

/* The phases of an access: lane l is served in the phase whose bit k is the parity of l's bits in
 * of[k]. All phases have the same number of lanes. */
typedef struct gpu_phases {
  unsigned banks; /* that serve it */
  unsigned bits;  /* log2 of the number of phases */
  uint8_t of[6];
} gpu_phases;

/* Lanes that follow each other, as many as all banks have bytes for. */
gpu_phases gpu_phases_in_order(unsigned lanes, unsigned banks, unsigned bytes);
/* What a GPU does with `bytes` bytes of each lane, read or written. */
gpu_phases gpu_phases_of(const gpu_target *t, unsigned bytes, bool writes);
unsigned gpu_phase_of(const gpu_phases *p, unsigned lane);
/* Lane numbers whose sums by XOR are the lanes of the first phase; those of the others differ from
 * them by a constant. Returns how many. */
unsigned gpu_phase_basis(const gpu_phases *p, unsigned lanes, unsigned basis[6]);

#endif
