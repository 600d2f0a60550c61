/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Functions of one element: activations and others, by name, as operations on tiles and as numbers.
 * Epilogues and expressions share them.
 */
#ifndef TSR_OPS_FUNCTION_H
#define TSR_OPS_FUNCTION_H

#include "ops/emit.h"

enum { OPS_FUNCTION_ARGS = 3 };

typedef struct ops_function {
  const char *name;
  uint8_t args;                      /* tiles of one shape and type, f32 or f64 */
  uint8_t optional;                  /* of these, the last ones that may be left out: numbers */
  double numbers[OPS_FUNCTION_ARGS]; /* what they are then */
  bool f32_only;                     /* an approximation that f64 would deserve better */
  tsr_value (*emit)(ops_build *b, const tsr_value *args);
  double (*value)(const double *args);
  const char *about; /* "max(x, 0)" */
} ops_function;

const ops_function *ops_function_at(size_t index); /* NULL past the last */
const ops_function *ops_function_find(str name);   /* NULL: none */

#endif
