/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * space: parameters, their values, the conditions that choices meet. Choices are made when they are
 * first asked for: all of them, as the index of a value for each parameter.
 */
#ifndef TSR_TUNE_SPACE_H
#define TSR_TUNE_SPACE_H

#include <tessera/tune.h>

#include "base/base.h"
#include "tune/expr.h"

enum { SPACE_MAX_COMBINATIONS = 1 << 20, SPACE_MAX_PARAMETERS = 64 };

typedef struct space_parameter {
  const char *name;
  const int64_t *numbers;   /* or */
  const char *const *words; /* terminated */
  uint32_t count;
} space_parameter;

typedef struct space_size {
  const char *name;
  int64_t value;
} space_size;

typedef struct space_condition {
  const char *expression; /* or */
  tsr_tune_keep keep;
  void *user;
} space_condition;

struct tsr_tune_choice {
  tsr_tune_space *space;
  uint32_t *values; /* an index for each parameter */
};

struct tsr_tune_space {
  tsr_context *ctx;
  arena arena;   /* of parameters, sizes, conditions */
  arena choices; /* of what is made from them */
  VEC(space_parameter) parameters;
  VEC(space_size) sizes;
  VEC(space_condition) conditions;
  VEC(tsr_tune_choice) made;
  bool is_made;
};

/* The names that expressions about a choice know. */
expr_names choice_names(const tsr_tune_choice *c);
/* A choice without parameters, for expressions of sizes alone. Lives in `a`. */
const tsr_tune_choice *space_sizes_only(tsr_tune_space *s, arena *a);
/* The sizes as the key of records, in `a`: "m=4096 n=4096", sorted by name; unless `exact`, each
 * rounded up to two significant bits, so that similar problems share a record. */
str space_key(const tsr_tune_space *s, arena *a, bool exact);
/* Rounds up to a number with two significant bits: 1, 2, 3, 4, 6, 8, 12, 16, ... */
int64_t space_round(int64_t n);
/* Its text, in `a`. */
str choice_str(const tsr_tune_choice *c, arena *a);
/* A grid of one to three expressions. Reports. */
bool choice_grid(const tsr_tune_choice *c, const char *text, tsr_grid *out);

#endif
