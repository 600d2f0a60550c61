/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * mbarrier: the 64-bit barrier objects in shared memory, as values (PTX ISA, "mbarrier").
 *
 * All of an mbarrier's state lies in its 8 bytes, so a program that overwrites one breaks it here
 * as it would on a GPU. A mark in the top bit tells an initialised one from other memory (on a GPU
 * using what is none is undefined):
 *
 *   0-19 expected arrivals    20-39 pending arrivals    40-60 pending bytes, biased    61 phase
 *   62 zero                   63 mark
 *
 * Functions return NULL, or a sentence on what is wrong; then the object is unchanged.
 */
#ifndef TSR_EMU_PTX_MBARRIER_H
#define TSR_EMU_PTX_MBARRIER_H

#include "base/base.h"

enum { MBARRIER_MAX_COUNT = (1 << 20) - 1 };

typedef struct mbarrier {
  uint32_t expected, pending;
  int32_t bytes; /* of asynchronous copies that are still to come; negative when they came first */
  bool phase;
} mbarrier;

/* False when the bits are no initialised mbarrier. */
bool mbarrier_unpack(uint64_t bits, mbarrier *out);
uint64_t mbarrier_pack(const mbarrier *m);

const char *mbarrier_init_value(uint32_t count, uint64_t *bits);
/* The operations on an object. Those that may complete the phase say so in *completed. */
const char *mbarrier_expect(uint64_t *bits, uint32_t bytes);
const char *mbarrier_complete(uint64_t *bits, uint32_t bytes, bool *completed);
const char *mbarrier_arrive(uint64_t *bits, uint32_t count, bool drop, bool *completed);

/* Whether the phase that `state` (what arrive returned) belongs to has completed; of that parity.
 */
bool mbarrier_passed(uint64_t bits, uint64_t state);
bool mbarrier_passed_parity(uint64_t bits, bool parity);
/* Pending arrivals in a state. */
static inline uint32_t mbarrier_pending_of(uint64_t state) {
  return (uint32_t)(state >> 20) & MBARRIER_MAX_COUNT;
}

#endif
