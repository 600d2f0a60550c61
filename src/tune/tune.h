/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * tune: from a space and a problem to the fastest kernel (the contract is in tessera/tune.h).
 *
 *   space.c   parameters and choices       expr.c    expressions
 *   build.c   candidates by many threads   check.c   are their results right?
 *   work.c    what launches have to do     bound.c   how long does that take at the least?
 *   bench.c   measuring                    search.c  which is the fastest?
 *   store.c   the records' file            lookup.c  which record is it?
 *   tune.c    the steps in order
 */
#ifndef TSR_TUNE_TUNE_H
#define TSR_TUNE_TUNE_H

#include <tessera/tune.h>

#include "tune/bench.h"
#include "tune/bound.h"
#include "tune/build.h"
#include "tune/search.h"
#include "tune/space.h"
#include "tune/store.h"

typedef struct candidate {
  const tsr_tune_choice *choice;
  str parameters; /* its text */
  uint8_t fate;   /* tsr_tune_fate */
  size_t same_as;
  str text; /* of the module; a string of the context */
  const char *problem;
  tsr_module *module;
  tsr_program *program;
  bench_launch launch; /* kernel NULL: not ready */
  double bound_ms;     /* a launch cannot take less; 0: nothing is known */
  double first_ms;     /* of the launch that was checked */
  double median_ms, spread_ms;
  unsigned samples;
} candidate;

struct tsr_tuned {
  tsr_context *ctx;
  arena arena;
  const tsr_tune_problem *problem; /* while it is being tuned */
  const tsr_tune_options *options;
  candidate *candidates;
  size_t count;
  strmap by_parameters;
  size_t winner; /* count: none */
  tsr_tune_source source;
  double ms;
  size_t ties, repeats;
  double noise;
  const char *kernel_name; /* of records; NULL until it is known */
  size_t pruned;           /* candidates */
  double start_ms;
  bool stopped; /* the caller wants no more */
};

/* ---- records (lookup.c) ---------------------------------------------------------------------- */

/* What a tuning's records are found by; all in the tuning's arena. */
typedef struct lookup_key {
  const char *program, *space, *sizes, *device;
} lookup_key;

/* `program_text` is what candidates are made from. */
lookup_key lookup_key_of(tsr_tuned *t, str program_text);
/* The candidate of the best record of these sizes, of the same candidates or, with `any_space`, of
 * others too; `*ms` gets its time. `count` when there is none. */
size_t lookup_exact(tsr_tuned *t, const lookup_key *key, bool any_space, double *ms);
/* Likewise of the sizes nearest to these: by the product of the quotients. */
size_t lookup_nearest(tsr_tuned *t, const lookup_key *key, double *ms);
/* Keeps what was measured. */
void lookup_keep(tsr_tuned *t, const lookup_key *key);

/* The device's fingerprint: what times on it depend on. */
const char *lookup_device(const tsr_device *dev, arena *a);

/* ---- results (check.c) ----------------------------------------------------------------------- */

/* What buffers held before, and what they should hold after a launch. */
typedef struct check {
  const tsr_tune_problem *problem;
  double tolerance; /* as tsr_tune_options says */
  arena *arena;
  void **before, **expected, **found; /* for each argument; NULL: none */
  bool *changes;                      /* launches write to it */
  bool has_expected;
} check;

/* Reads the buffers. Reports. */
bool check_begin(check *c, const tsr_tune_problem *problem, double tolerance, arena *a);
/* Puts back what the buffers held. Reports. */
bool check_restore(check *c);
/* Notes which buffers a launch has written to, also one that did not come to its end. Reports. */
bool check_changes(check *c);
/* Compares what a launch of the kernel left; the first one's is what is expected, unless that is
 * given. NULL, or what is wrong, in the arena. False when buffers cannot be read, reported. */
bool check_results(check *c, const tsr_kernel *k, const char **wrong);

#endif
