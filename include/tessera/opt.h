/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The optimiser: passes that rewrite a module into one that means the same.
 *
 *   tsr_module_optimize(module, "O2", NULL);
 *   tsr_module_optimize(module, "canonicalize,loop-split(4),canonicalize", &options);
 *
 * Nothing else runs passes: a module is launched or printed as it is.
 */
#ifndef TESSERA_OPT_H
#define TESSERA_OPT_H

#include <tessera/module.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What one pass did. Valid only during the callback. */
typedef struct tsr_pass_report {
  const char *name;
  unsigned number;
  double seconds;
  uint64_t changes;               /* 0: the module is as it was */
  uint64_t ops_before, ops_after; /* operations in the module */
} tsr_pass_report;

typedef struct tsr_optimize_options {
  size_t struct_size; /* sizeof(tsr_optimize_options) */
  /* Passes, by name or number, separated by commas, before or after which the module is given to
   * on_dump; "all" means every pass that runs. NULL: none. */
  const char *print_before, *print_after;
  bool verify_each; /* check the module after every pass; debug builds always do */
  /* `stage` is "before canonicalize", …; `text` is the module in the custom form, not terminated.
   * NULL: nobody looks at dumps. */
  void (*on_dump)(void *user, const char *stage, const char *text, size_t length);
  void (*on_pass)(void *user, const tsr_pass_report *report); /* NULL: nobody counts */
  void *user;
} tsr_optimize_options;

/* Runs passes over a module. `passes` is a list of names or numbers, separated by commas; one may
 * have an argument in parentheses; "O0" to "O3" stand for the pipeline of a level. NULL is "O2".
 * `options` may be NULL. The module is verified first if that has not been done. No program
 * (tsr_program) may have been made from the module: optimise before.
 *
 *   TSR_ERROR_INPUT    the module is not valid, or its regions nest deeper than 256;
 *   TSR_ERROR_USAGE    an unknown pass, a bad argument;
 *   TSR_ERROR_MEMORY   memory ran out. The module may then be half rewritten: destroy it;
 *   TSR_ERROR_UNSUPPORTED   a check after a pass failed: a mistake of ours. Likewise. */
TSR_API tsr_status tsr_module_optimize(tsr_module *module, const char *passes,
                                       const tsr_optimize_options *options);

typedef struct tsr_pass_info {
  const char *name;
  unsigned number;
  const char *summary;          /* a sentence */
  const char *argument_meaning; /* NULL: it takes no argument */
  int64_t argument;             /* the argument's default */
} tsr_pass_info;

/* All passes, in the order of their numbers. tsr_pass_describe returns false past the last. */
TSR_API size_t tsr_pass_count(void);
TSR_API bool tsr_pass_describe(size_t index, tsr_pass_info *out);

/* The passes of level 0 to 3, as a list that tsr_module_optimize takes; NULL for another level. */
TSR_API const char *tsr_optimize_level(unsigned level);

/* The level of the passes that compiling the module's kernels begins with, for a CPU or a GPU, 0 to
 * 3; 2 if this is never called. They go over a copy: the module stays as it is, and the interpreter
 * and checks (tsr_device_options.sanitize) always execute it as it is. For kernels that are not
 * compiled yet. TSR_ERROR_USAGE for another level, or no module. */
TSR_API tsr_status tsr_module_set_level(tsr_module *module, unsigned level);

/* A pattern that the CPU backend looks for in a kernel, and makes faster code of. */
typedef struct tsr_pattern_info {
  const char *name;
  const char *summary; /* a sentence */
  const char *when;    /* what must hold when the kernel runs, too; NULL: nothing */
} tsr_pattern_info;

/* All patterns. tsr_pattern_describe returns false past the last. */
TSR_API size_t tsr_pattern_count(void);
TSR_API bool tsr_pattern_describe(size_t index, tsr_pattern_info *out);

/* Leaves out passes and patterns when the module's kernels are compiled: `names` is a list of names
 * of either, separated by commas; NULL or an empty list leaves out none. Of two calls the later one
 * counts. For kernels that are not compiled yet. What a kernel computes does not depend on it, but
 * for the order in which the sums of matrix products are added up. TSR_ERROR_USAGE after a message
 * for a name that there isn't, and for no module. */
TSR_API tsr_status tsr_module_disable(tsr_module *module, const char *names);

#ifdef __cplusplus
}
#endif
#endif
