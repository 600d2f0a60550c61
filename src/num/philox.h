/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * philox: the counter-based random numbers Philox-4x32 (J. Salmon et al., Parallel Random Numbers:
 * As Easy as 1, 2, 3, 2011). A counter of four words and a key of two give four random words; each
 * round multiplies two words of the counter, and the key takes a step between rounds.
 */
#ifndef TSR_NUM_PHILOX_H
#define TSR_NUM_PHILOX_H

#include <stdint.h>

enum { PHILOX_ROUNDS = 10 }; /* of what is called Philox-4x32-10 */
#define PHILOX_MULTIPLIERS                                                                         \
  { 0xD2511F53, 0xCD9E8D57 }
#define PHILOX_STEPS                                                                               \
  { 0x9E3779B9, 0xBB67AE85 }

/* The counter becomes the words. */
static inline void num_philox(uint32_t counter[4], uint64_t key, unsigned rounds) {
  static const uint32_t by[2] = PHILOX_MULTIPLIERS, steps[2] = PHILOX_STEPS;
  uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);
  for (unsigned r = 0; r < rounds; r++, k0 += steps[0], k1 += steps[1]) {
    uint64_t a = (uint64_t)by[0] * counter[0], b = (uint64_t)by[1] * counter[2];
    counter[0] = (uint32_t)(b >> 32) ^ counter[1] ^ k0;
    counter[1] = (uint32_t)b;
    counter[2] = (uint32_t)(a >> 32) ^ counter[3] ^ k1;
    counter[3] = (uint32_t)a;
  }
}

#endif
