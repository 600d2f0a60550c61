/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Times for measuring, which changes of the system's date do not move.
 */
#ifndef TSR_BASE_CLOCK_H
#define TSR_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Nanoseconds since some moment. */
static inline uint64_t clock_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
}

#endif
