/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * sanitize: a watcher that finds what the language leaves undefined, while a launch is executed.
 *
 *   bounds   memory that belongs to no buffer, indices outside of their range
 *   assume   statements that do not hold
 *   init     memory that is read before anything has written it
 *   race     accesses to the same memory that nothing puts in an order
 *   arith    integer results that the language does not define
 *
 * One sanitizer sees one launch, tile block after tile block; what it remembers of the memory
 * (shadow.h) and of the order of accesses (events.h) goes from one to the next. An access that is
 * out of bounds is reported and left out: it reads zero and writes nothing.
 */
#ifndef TSR_INTERP_SANITIZE_SANITIZE_H
#define TSR_INTERP_SANITIZE_SANITIZE_H

#include <tessera/runtime.h>

#include "interp/watch.h"

typedef struct sanitizer sanitizer;

/* What a parameter that is a pointer points to. */
typedef struct sanitizer_memory {
  uint64_t address, bytes;
  bool
      bounded; /* `bytes` is known: memory given by its address alone is taken to be large enough */
} sanitizer_memory;

/* `params` has an element for each parameter (those of scalars are not looked at), `globals` the
 * addresses as in rt_block. */
typedef struct sanitizer_rank {
  const sanitizer_memory *params;
  void *const *globals;
} sanitizer_rank;

typedef struct sanitizer_options {
  unsigned checks;                                            /* of tsr_sanitize */
  bool stop;                                                  /* at the first finding */
  void (*on_finding)(void *user, const tsr_finding *finding); /* NULL: diagnostics */
  void *user;
} sanitizer_options;

/* For one launch of a program made by interp_prepare_watched, of one rank or several, by
 * rt_block.rank. All memory comes from the arena, whose guard is jumped to when there is none left.
 */
sanitizer *sanitizer_create(arena *a, interp_program *p, const sanitizer_options *options,
                            const sanitizer_rank *ranks, uint32_t n_ranks);

interp_watcher *sanitizer_watcher(sanitizer *s);
bool sanitizer_stopped(const sanitizer *s);

/* For compiled code, which looks itself whether a check is needed at all (rt_hooks.check): bounds
 * and assume only. Says whether something is wrong with an operation that is to be executed in
 * `block`, and reports it. One thread at a time. */
bool sanitizer_check(sanitizer *s, rt_block *block, const ir_op *op, const void *const *operands);
/* As rt_block.bounds says. Lives as long as the sanitizer. */
const uint64_t *sanitizer_bounds(sanitizer *s);
/* That many tile blocks have begun, of which it has seen nothing. */
void sanitizer_count_blocks(sanitizer *s, uint64_t blocks);

/* The launch ended before all of its tile blocks had. */
void sanitizer_break_off(sanitizer *s);

/* Reports what was found more than once, and the sums. Returns how much was found altogether. */
uint64_t sanitizer_finish(sanitizer *s);

#endif
