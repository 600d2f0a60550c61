/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Random kernels under several engines: what the interpreter leaves of a kernel as it is written,
 * all others must leave too, in memory, in globals, in what is printed and which asserts fail.
 */
#ifndef TSR_TESTS_RANDOM_CHECK_H
#define TSR_TESTS_RANDOM_CHECK_H

#include "exec/block.h"
#include "interp/sanitize/sanitize.h"
#include "ir/ir.h"

#include "random_program.h"

typedef struct random_engine random_engine;
struct random_engine {
  const char *name;
  const char *passes; /* of the optimiser, before; NULL: none */
  bool bytecode;      /* the module is written and read first */
  bool exact;         /* to the last bit, functions too */
  bool stops;         /* at the first assert that fails: nothing else is compared then */
  size_t memory;      /* bytes that a kernel has; set by random_check */
  bool wild;          /* likewise: as random_limits */
  /* Executes RANDOM_BLOCKS tile blocks of each kernel; reports and returns false when it cannot.
   * The blocks are complete but for id and scratch. */
  bool (*run)(const random_engine *e, ir_module *m, ir_op *const *entries, rt_block *blocks,
              unsigned n);
  unsigned level, opt_level; /* the compiler's */
  const char *target;        /* a GPU's; it runs programs made with random_limits.card */
  bool unfair;               /* the emulator lets warps wait for each other as long as it can */
  bool plainer;              /* compiled without half of the patterns, others for each program */
  uint64_t without;          /* likewise: these; set by random_check */
  bool checks;               /* compiled with checks of bounds and assume, which find nothing */
};

/* What the sanitizer must know of a block's memory, for a kernel prepared to be watched; reports to
 * the context. All of it lives in `a`. */
sanitizer *random_sanitizer(arena *a, const random_engine *e, interp_program *p,
                            const rt_block *block, unsigned checks);

typedef struct random_outcome {
  bool agreed;
  unsigned kernel;             /* that differs first */
  const random_engine *engine; /* NULL: the program is not valid, or the interpreter failed */
  char what[768];
} random_outcome;

/* The interpreter; the interpreter under the sanitizer, which must find nothing. */
bool random_sanitize(const random_engine *e, ir_module *m, ir_op *const *entries, rt_block *blocks,
                     unsigned n);
bool random_interpret(const random_engine *e, ir_module *m, ir_op *const *entries, rt_block *blocks,
                      unsigned n);

/* Runs all kernels of a program; seed + k gives kernel k's memory and arguments. */
void random_check(const random_program *p, uint64_t seed, const random_engine *engines,
                  unsigned n_engines, random_outcome *out);

#endif
