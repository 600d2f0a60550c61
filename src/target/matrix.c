/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "target/matrix.h"

#include "base/base.h"

static const matrix_instruction rows[] = {
#define MATRIX(what, how, ...) {.needs = what, .kind = how, __VA_ARGS__},
#include "target/matrix.def"
#undef MATRIX
};

const matrix_instruction *matrix_row_at(size_t index) {
  return index < ARRAY_LEN(rows) ? &rows[index] : NULL;
}

const matrix_instruction *matrix_instruction_at(const gpu_target *gpu, matrix_kind kind,
                                                tsr_elem from, size_t index) {
  for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
    const matrix_instruction *x = &rows[i];
    bool fits = x->kind == kind && x->from == from && x->fragment && gpu_can(gpu, x->needs);
    if (fits && index-- == 0) return x;
  }
  return NULL;
}
