/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * opt: the optimiser. Passes rewrite a verified module into one that means the same: whatever the
 * interpreter computes before, it computes after, bit for bit (docs/passes.md names the one pass
 * that does not keep that). The backends lower a copy of the module that the passes of its level
 * have been over (prepare.h); the interpreter executes the module as it is.
 *
 *   manager.c       the table of passes, pipelines, dumps, times, checks between passes
 *   canonicalize.c  one walk that applies folds until nothing changes
 *     fold_constant.c    operations on constants, by exec_scalar
 *     fold_integer.c     identities of integers, masks, select, pointers
 *     fold_float.c       what IEEE 754 lets one replace without changing a bit
 *     fold_shape.c       moving elements, views, tokens
 *     fold_reduce.c      reduce and scan that have one step, or the same again and again
 *     fold_tokens.c      what joined tokens say
 *     fold_control.c     if, for, loop
 *     fold_branches.c    an if and the ifs around it
 *   cse.c dce.c licm.c memory.c fuse_fma.c join_steps.c loop_split.c loop_unroll.c mask_split.c
 *   narrow.c propagate.c debug_scopes.c  a pass each; loop_cut.h    what some of them share
 *   facts.h         what is known about values: ranges, divisibility
 *   alias.h order.h which accesses can meet, and what tokens say of their order
 *   rewrite.h       cloning, splicing, replacing
 *   prepare.h       the copy that a backend lowers
 *   one_device.h    operations on the memory of several devices, for one
 *   switches.h      passes, and patterns of the CPU backend, that are left out
 *
 * A pass costs time linear in the module's size. Names and locations survive: an operation that
 * takes another's place takes its location and the names of its results.
 */
#ifndef TSR_OPT_OPT_H
#define TSR_OPT_OPT_H

#include <tessera/opt.h>

#include "ir/ir.h"

/* One pass at work. */
typedef struct opt_run {
  ir_module *m;
  arena *temp;      /* lives as long as the pass runs */
  int64_t argument; /* the pass's, as given or by default */
  uint64_t changes; /* counted by the pass: 0 means that the module is as it was */
} opt_run;

typedef struct opt_pass {
  const char *name;
  unsigned number; /* never given to another pass */
  const char *summary;
  const char *argument_meaning; /* NULL: it takes none */
  int64_t argument;             /* the default */
  void (*run)(opt_run *r);
} opt_pass;

extern const opt_pass opt_passes[];
extern const unsigned opt_pass_count;

/* By name or number; NULL when there is none. */
const opt_pass *opt_find_pass(str name);

/* Runs passes over a verified module whose regions nest at most 256 deep. `passes` and `options`
 * are as for tsr_module_optimize. Reports and returns TSR_ERROR_USAGE for a list that makes no
 * sense. Jumps to the guard when memory runs out. */
tsr_status opt_run_list(ir_module *m, str passes, const tsr_optimize_options *options);

/* The pipeline of level 0 to 3, without the passes that the module is compiled without. */
tsr_status opt_run_level(ir_module *m, unsigned level);

/* split-masks, and what cleans up after it: for GPUs, from level 2 on. */
tsr_status opt_run_masks(ir_module *m);
/* join-steps, loop-unroll and narrow, and what cleans up after them: for CPUs, from level 2 on. */
tsr_status opt_run_cpu(ir_module *m);

/* The passes. */
void opt_canonicalize(opt_run *r);
void opt_cse(opt_run *r);
void opt_dce(opt_run *r);
void opt_licm(opt_run *r);
void opt_fuse_fma(opt_run *r);
void opt_join_steps(opt_run *r);
void opt_loop_split(opt_run *r);
void opt_memory(opt_run *r);
void opt_narrow(opt_run *r);
void opt_propagate(opt_run *r);
void opt_split_masks(opt_run *r);
void opt_loop_unroll(opt_run *r);
void opt_synthesize_debug_info_scopes(opt_run *r);

#endif
