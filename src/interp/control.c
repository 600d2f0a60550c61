/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Control flow, after prepare.c turned it into jumps:
 *
 *   for                          loop                         if
 *         move inits to args           move inits to args           branch to else
 *   head: test, or to exit       head: body                         then; yield moves to results
 *         body                         continue: move to args             and jumps to end
 *         continue: move to args                 and jump to head   else: else; yield alike
 *   next: step                         break: move to results       end:
 *         jump to head                        and jump to exit
 *   exit: move args to results   exit:
 */
#include "interp/internal.h"

void run_parameters(frame *f, const inst *i) {
  const ir_block *body = ir_region(i->op, 0);
  for (uint32_t k = 0; k < body->n_args; k++) {
    unsigned bits = tsr_elem_bits((tsr_elem)body->args[k].type->elem);
    set_element(at(f, i->out[k]), bits, 0, num_wrap(f->block->args[k], bits));
  }
}

/* All values are read before any is written, as if they moved at once. */
void run_jump(frame *f, const inst *i) {
  char *staging = at(f, i->temp);
  for (uint32_t k = 0; k < i->jump.n_moves; k++) {
    const move *m = &i->jump.moves[k];
    if (i->jump.staged) {
      memcpy(staging, at(f, m->from), m->bytes);
      staging += m->bytes;
    } else if (m->from != m->to) {
      memcpy(at(f, m->to), at(f, m->from), m->bytes);
    }
  }
  staging = at(f, i->temp);
  for (uint32_t k = 0; i->jump.staged && k < i->jump.n_moves; k++) {
    const move *m = &i->jump.moves[k];
    memcpy(at(f, m->to), staging, m->bytes);
    staging += m->bytes;
  }
  f->pc = i->target;
}

void run_branch(frame *f, const inst *i) {
  if (!get_element(at(f, i->in[0]), 1, 0)) f->pc = i->target;
}

/* Bounds, step and iteration variable have one type; read as signed unless the loop says. */
static num_i128 loop_value(frame *f, const inst *i, uint32_t k, bool is_unsigned) {
  unsigned bits = tsr_elem_bits((tsr_elem)in_type(i, 0)->elem);
  return num_int_value(get_element(at(f, i->in[k]), bits, 0), bits, !is_unsigned);
}

void run_for_test(frame *f, const inst *i) {
  bool is_unsigned = ir_int_attr(i->op, ATTR_unsignedCmp);
  if (!(loop_value(f, i, 0, is_unsigned) < loop_value(f, i, 1, is_unsigned))) f->pc = i->target;
}

/* The loop runs over { lower + n * step }, numbers without a width: a variable that would leave its
 * type has passed the upper bound. A step that is not positive is undefined; here it ends the loop,
 * so that nothing hangs. */
void run_for_step(frame *f, const inst *i) {
  bool is_unsigned = ir_int_attr(i->op, ATTR_unsignedCmp);
  unsigned bits = tsr_elem_bits((tsr_elem)in_type(i, 0)->elem);
  num_i128 step = loop_value(f, i, 1, is_unsigned);
  num_i128 next = loop_value(f, i, 0, is_unsigned) + step;
  if (step <= 0 || !num_int_fits(next, bits, !is_unsigned))
    f->pc = i->target;
  else
    set_element(at(f, i->in[0]), bits, 0, num_wrap((uint64_t)next, bits));
}

void run_stop(frame *f, const inst *i) {
  (void)i;
  f->pc = PC_STOP;
}

void run_nothing(frame *f, const inst *i) {
  (void)f;
  (void)i;
}
