/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * reduce and scan. Along the dimension, indices ascending (a reverse scan: descending):
 *
 *   previous = identities
 *   for each k:  previous = body(current = operands[.., k, ..], previous)
 *
 * for all the other indices alike. The body's arguments are (current, previous) for each operand;
 * what it yields is the next previous, so prepare.c makes its yield move there.
 *
 * A body of element-wise operations is executed for several independent reductions at once, its
 * scalars made tiles of `lanes` elements. That changes no result.
 */
#include "interp/internal.h"
#include "ir/reduction.h"

typedef struct reduction {
  int64_t n;       /* the dimension's extent */
  int64_t inner;   /* elements from one k to the next */
  int64_t outputs; /* independent reductions */
  int64_t lanes;
  uint32_t n_operands;
} reduction;

static reduction describe(const inst *i) {
  const ir_type *t = in_type(i, 0);
  int64_t dim = ir_int_attr(i->op, ATTR_dim);
  reduction r = {.n = t->shape[dim], .inner = 1, .lanes = i->body.lanes};
  for (unsigned d = (unsigned)dim + 1; d < t->rank; d++) r.inner *= t->shape[d];
  r.outputs = t->count / r.n;
  r.n_operands = i->op->n_operands;
  return r;
}

static unsigned bits_of(const inst *i, uint32_t operand) {
  return tsr_elem_bits((tsr_elem)in_type(i, operand)->elem);
}
static slot current(const inst *i, uint32_t operand) {
  return i->body.args[2 * operand];
}
static slot previous(const inst *i, uint32_t operand) {
  return i->body.args[2 * operand + 1];
}

/* Where step k of reduction `output` lies in an operand, or in the result of a scan. */
static int64_t position(const reduction *r, int64_t output, int64_t k) {
  return (output / r->inner * r->n + k) * r->inner + output % r->inner;
}

/* Copies step k of `lanes` reductions from `output` on: they are neighbours, or r->n apart when the
 * dimension is the last, or rows of neighbours, or a part of one; lanes and rows divide evenly
 * (prepare.c, lanes_at_once). */
static void copy_step(const reduction *r, unsigned bits, bool to_lanes, void *lanes, void *tile,
                      int64_t output, int64_t k) {
  int64_t run = r->inner == 1 ? r->lanes : MIN(r->inner, r->lanes);
  int64_t step = r->inner == 1 ? r->n : 1;
  for (int64_t l = 0; l < r->lanes; l += run) {
    int64_t first = position(r, output + l, k);
    if (to_lanes)
      copy_elements(bits, lanes, l, 1, tile, first, step, run);
    else
      copy_elements(bits, tile, first, step, lanes, l, 1, run);
  }
}

static void start(frame *f, const inst *i, const reduction *r) {
  for (uint32_t o = 0; o < r->n_operands; o++) {
    char one[8];
    set_element(one, bits_of(i, o), 0, ir_reduction_start(i->op, o));
    copy_elements(bits_of(i, o), at(f, previous(i, o)), 0, 1, one, 0, 0, r->lanes);
  }
}

static void combine(frame *f, const inst *i, const reduction *r, int64_t output, int64_t k) {
  for (uint32_t o = 0; o < r->n_operands; o++)
    copy_step(r, bits_of(i, o), true, at(f, current(i, o)), at(f, i->in[o]), output, k);
  interp_execute(f, f->pc);
}

void run_reduce(frame *f, const inst *i) {
  reduction r = describe(i);
  for (int64_t output = 0; output < r.outputs; output += r.lanes) {
    start(f, i, &r);
    for (int64_t k = 0; k < r.n; k++) combine(f, i, &r, output, k);
    for (uint32_t o = 0; o < r.n_operands; o++)
      copy_elements(bits_of(i, o), at(f, i->out[o]), output, 1, at(f, previous(i, o)), 0, 1,
                    r.lanes);
  }
  f->pc = i->target;
}

void run_scan(frame *f, const inst *i) {
  reduction r = describe(i);
  bool reverse = ir_int_attr(i->op, ATTR_reverse);
  for (int64_t output = 0; output < r.outputs; output += r.lanes) {
    start(f, i, &r);
    for (int64_t step = 0; step < r.n; step++) {
      int64_t k = reverse ? r.n - 1 - step : step;
      combine(f, i, &r, output, k);
      for (uint32_t o = 0; o < r.n_operands; o++)
        copy_step(&r, bits_of(i, o), false, at(f, previous(i, o)), at(f, i->out[o]), output, k);
    }
  }
  f->pc = i->target;
}
