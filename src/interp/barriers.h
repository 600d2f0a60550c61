/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What threads of a tile block wait at.
 */
#ifndef TSR_INTERP_BARRIERS_H
#define TSR_INTERP_BARRIERS_H

#include "interp/internal.h"

/* A barrier in shared memory. */
typedef struct interp_mbarrier {
  uint32_t count;  /* arrivals of a phase; 0: it was not initialised */
  uint32_t phase;  /* under way */
  int64_t pending; /* arrivals that it still waits for … */
  int64_t bytes;   /* … and bytes */
} interp_mbarrier;

enum { NAMED_BARRIERS = 16 };
typedef struct named_barrier {
  int64_t arrived;  /* threads */
  uint32_t meeting; /* how often all have come */
} named_barrier;

/* What a value of barriers points to, and the one that an operation uses; its index in `index` is
 * -1 where it stands for all, and is taken modulo their number where it is outside. */
interp_mbarrier *mbarriers_of(frame *f, const inst *i, int64_t *index);
/* The operand that is a barrier, and its index; UINT32_MAX: there is none. */
uint32_t mbarrier_operand(const inst *i);
uint32_t mbarrier_index_operand(const inst *i);
void count_bytes(frame *f, const inst *i); /* of a copy that has come */
/* Arrivals, and bytes that have come (negative: that are announced). */
void mbarrier_count(interp_mbarrier *b, int64_t arrivals, int64_t bytes);
/* How often a group arrives. */
int64_t arrivals_of(const frame *f, const inst *i);

named_barrier *named_barrier_at(frame *f, int64_t id);
/* ", for phase 1 of %full[2]: …", what an instruction waits for. */
void tell_wait(const frame *f, const inst *i, char *out, size_t size);

#endif
