/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * For tests: runs a kernel, given as text, on memory of the test.
 *
 *   float x[4] = {1, 2, 3, 4};
 *   run_log log;
 *   assert_true(run_program("cuda_tile.module @m { entry @k(%p: tile<ptr<f32>>) { … } }", "k",
 *                           (run_grid){2, 1, 1}, (uint64_t[]){ARG_ADDRESS(x)}, &log));
 */
#ifndef TSR_TESTS_RUN_PROGRAM_H
#define TSR_TESTS_RUN_PROGRAM_H

#include "base/base.h"
#include "exec/block.h"
#include "ir/ir.h"

#define ARG_ADDRESS(p) ((uint64_t)(uintptr_t)(p))
#define ARG_F32(x)     ((uint64_t)run_f32_bits(x))

typedef struct run_grid {
  int32_t x, y, z;
} run_grid;

/* What a run said. Every text is terminated, and cut when it is too long. */
typedef struct run_log {
  char printed[4096];            /* by print_tko */
  char diagnostics[2048];        /* "3:5: the message\n" … */
  unsigned asserts;              /* that failed */
  char message[128], where[128]; /* of the last assert that failed */
  int64_t first_false;           /* the element of its condition; -1: a scalar */
} run_log;

/* Executes all blocks of a grid. `block` is complete but for id; `order` gives the ids. */
typedef bool (*run_engine)(ir_module *m, ir_op *entry, rt_block *block, run_grid grid);

/* Each block in turn, x fastest, by the interpreter; and the same from the last to the first. */
bool run_interp(ir_module *m, ir_op *entry, rt_block *block, run_grid grid);
bool run_interp_backwards(ir_module *m, ir_op *entry, rt_block *block, run_grid grid);

/* Parses and verifies the text and runs the kernel. `args` holds a word for each parameter: an
 * address or a pattern. Returns false when anything failed; log->diagnostics then says what. */
bool run_program(const char *text, const char *kernel, run_grid grid, const uint64_t *args,
                 run_log *log);
bool run_program_on(run_engine engine, const char *text, const char *kernel, run_grid grid,
                    const uint64_t *args, run_log *log);

/* The same with the module of the last call when the text is that of the last call, for engines
 * that leave modules as they are. run_is_kept says so of a module, until the function runs that is
 * given then (NULL: none): what an engine keeps beside the module goes there. */
bool run_program_kept(run_engine engine, const char *text, const char *kernel, run_grid grid,
                      const uint64_t *args, run_log *log);
bool run_is_kept(const ir_module *m, void (*on_end)(void));

/* For tests that call engines themselves: a block that is complete but for id and scratch, whose
 * globals are fresh. All of it lives in `a`; `args` and `log` must live as long. */
rt_block run_block(const ir_module *m, arena *a, run_grid grid, const uint64_t *args, run_log *log);
/* A context whose diagnostics go to a log. */
tsr_context *run_context(run_log *log);

/* For engines that format themselves: what a kernel printed; a fault of any kind, which counts as a
 * failed assert when its text is that of one. */
void run_printed(rt_block *block, const char *text, size_t length);
void run_fault(rt_block *block, const char *text);

uint32_t run_f32_bits(float x);

/* Writes a program: its text with, instead of $ and a blank's name, what the blank says, which may
 * have blanks of its own. The last one has no name. It must all fit. */
typedef struct run_blank {
  char name;
  const char *says;
} run_blank;
void run_fill(char *out, size_t size, const char *text, const run_blank *blanks);

#endif
