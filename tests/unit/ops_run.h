/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Executes problems of operators and compares what they leave with the reference.
 */
#ifndef TSR_TESTS_OPS_RUN_H
#define TSR_TESTS_OPS_RUN_H

#include <tessera/op.h>

#include "ops/host.h"
#include "ops/library.h"
#include "rt_support.h"

/* A device with its operators, and counts of what was done there. */
typedef struct ops_scene {
  world *w;
  tsr_device *device;
  tsr_op_library *library;
  unsigned done, refused;
  char last[512]; /* message */
  /* Changes what a tensor holds before it is used; NULL: nothing. */
  void (*prepare)(const ops_operand *o, void *data);
} ops_scene;

void ops_open(ops_scene *s, world *w, const char *device);
void ops_close(ops_scene *s);
/* Gets the plan, launches it on random tensors with bytes around them that must stay, compares
 * with the reference; fails the test with the problem's text, also when it is refused. */
void ops_run(ops_scene *s, const char *problem);
/* A scene on a device for all of these problems. */
void ops_run_examples(const char *device, const char *const *problems, size_t n);
/* Expects that a problem is refused with a message that contains the text. */
void ops_refused(ops_scene *s, const char *problem, const char *text);

/* ---- random problems ------------------------------------------------------------------------- */

typedef struct problem_text {
  uint64_t state;
  char text[1024];
  size_t n;
} problem_text;

/* A number below `below`; the same sequence for the same state. */
unsigned ops_pick(problem_text *g, unsigned below);
void ops_put(problem_text *g, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Runs `count` problems on a device, which `make` (of `n` functions, each in turn) adds to a text.
 * The environment may ask for others, and for more of them, as `make random-ops` does:
 * TESSERA_RANDOM_FIRST=SEED, TESSERA_RANDOM_TIMES=FACTOR, TESSERA_RANDOM_DEVICES=cpu,emu:sm_80. */
typedef void (*problem_maker)(problem_text *g);
void ops_run_random(const char *device, uint64_t seed, unsigned count, const problem_maker *make,
                    unsigned n);
/* The same, where problems for which `may_be_refused` may be refused. */
typedef bool (*problem_test)(const char *problem);
void ops_try_random(const char *device, uint64_t seed, unsigned count, const problem_maker *make,
                    unsigned n, problem_test may_be_refused);
#define OPS_PICK(g, list) list[ops_pick(g, ARRAY_LEN(list))]

#endif
