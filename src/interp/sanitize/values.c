/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Values that an operation must not get: what assume states is false, an integer result that the
 * language leaves undefined, the index of a slice that does not exist.
 */
#include <stdio.h>

#include "interp/sanitize/internal.h"

static uint64_t element_of(const frame *f, const inst *i, uint32_t operand, int64_t k) {
  return get_element(at(f, i->in[operand]), tsr_elem_bits((tsr_elem)in_type(i, operand)->elem), k);
}

/* ---- slices -------------------------------------------------------------------------------- */

bool san_check_slice(sanitizer *s, frame *f, const inst *i) {
  bool inserts = i->op->opcode == OP_insert;
  const ir_type *whole = in_type(i, inserts ? 1 : 0);
  const ir_type *slice = inserts ? in_type(i, 0) : out_type(i, 0);
  bool wrong = false;
  for (unsigned d = 0; d < whole->rank; d++) {
    uint64_t slices = (uint64_t)(whole->shape[d] / slice->shape[d]);
    uint64_t index = get_scalar(f, i, (inserts ? 2 : 1) + d);
    if (index < slices) continue;
    wrong = true;
    if (!san_count(s, i, TSR_SANITIZE_BOUNDS, 1)) continue;
    san_finding found = {.check = TSR_SANITIZE_BOUNDS, .i = i};
    snprintf(found.message, sizeof found.message,
             "%s: index %lld of dimension %u, but there are %llu slices", ir_row(i->op)->name,
             (long long)num_sext(index, 32), d, (unsigned long long)slices);
    san_report(s, &found);
  }
  return wrong;
}

/* ---- assume --------------------------------------------------------------------------------- */

/* The first element that contradicts, and how many do. */
typedef struct contradiction {
  int64_t first;
  uint64_t count;
  char why[160];
} contradiction;

static void contradict(contradiction *c, int64_t k, const char *fmt, ...) PRINTF_LIKE(3, 4);
static void contradict(contradiction *c, int64_t k, const char *fmt, ...) {
  if (c->count++) return;
  c->first = k;
  va_list args;
  va_start(args, fmt);
  vsnprintf(c->why, sizeof c->why, fmt, args);
  va_end(args);
}

/* Elements from one to the next along a dimension. */
static int64_t stride_of(const ir_type *t, unsigned dim) {
  int64_t stride = 1;
  for (unsigned d = dim + 1; d < t->rank; d++) stride *= t->shape[d];
  return stride;
}

/* Each first element of a group is divisible, the others follow it one by one (pointers: element by
 * element). */
static void check_div_by(const frame *f, const inst *i, const ir_predicate *p, contradiction *c) {
  const ir_type *t = in_type(i, 0);
  unsigned bits = tsr_elem_bits((tsr_elem)t->elem);
  bool is_pointer = t->elem == TSR_PTR;
  int64_t every = p->has_every ? MAX(p->every, (int64_t)1) : 1;
  int64_t stride = p->has_every ? stride_of(t, (unsigned)p->along) : 1;
  int64_t extent = p->has_every ? t->shape[p->along] : t->count;
  uint64_t step = is_pointer ? MAX(san_units((tsr_elem)t->pointee) / 2, 1u) : 1;
  for (int64_t k = 0; k < t->count; k++) {
    int64_t in_group = k / stride % extent % every;
    uint64_t value = element_of(f, i, 0, k);
    char text[40], before[40];
    san_value_text((tsr_elem)t->elem, value, text, sizeof text);
    if (in_group == 0) {
      if (value % p->divisor) contradict(c, k, "the value is %s", text);
      continue;
    }
    uint64_t last = element_of(f, i, 0, k - stride);
    num_i128 difference =
        num_int_value(value, bits, !is_pointer) - num_int_value(last, bits, !is_pointer);
    if (difference == (num_i128)step) continue;
    san_value_text((tsr_elem)t->elem, last, before, sizeof before);
    contradict(c, k, "the value is %s, behind %s", text, before);
  }
}

static void check_bounded(const frame *f, const inst *i, const ir_predicate *p, contradiction *c) {
  const ir_type *t = in_type(i, 0);
  unsigned bits = tsr_elem_bits((tsr_elem)t->elem);
  for (int64_t k = 0; k < t->count; k++) {
    int64_t value = num_sext(element_of(f, i, 0, k), bits);
    if ((p->has_lower && value < p->lower) || (p->has_upper && value > p->upper))
      contradict(c, k, "the value is %lld", (long long)value);
  }
}

/* Each element is compared with the first of its group. */
static void check_same(const frame *f, const inst *i, const ir_predicate *p, contradiction *c) {
  const ir_type *t = in_type(i, 0);
  for (int64_t k = 0; k < t->count; k++) {
    int64_t first = k;
    for (unsigned d = 0; d < t->rank; d++) {
      int64_t size = MAX(p->values->data[d], (int64_t)1), stride = stride_of(t, d);
      first -= k / stride % t->shape[d] % size * stride;
    }
    uint64_t value = element_of(f, i, 0, k), expected = element_of(f, i, 0, first);
    if (value == expected) continue;
    char text[40], other[40];
    san_value_text((tsr_elem)t->elem, value, text, sizeof text);
    san_value_text((tsr_elem)t->elem, expected, other, sizeof other);
    contradict(c, k, "the value is %s, the first of its group is %s", text, other);
  }
}

static void check_view_base(const frame *f, const inst *i, const ir_predicate *p,
                            contradiction *c) {
  uint64_t base;
  memcpy(&base, at(f, i->in[0]), sizeof base);
  if (base % p->divisor) contradict(c, -1, "the base address is 0x%llx", (unsigned long long)base);
}

/* "bounded<0, ?>", "div_by<16, every 4 along 0>" */
static void predicate_text(const ir_predicate *p, char *out, size_t size) {
  char lower[24] = "?", upper[24] = "?";
  int n;
  switch ((ir_predicate_kind)p->kind) {
  case IR_BOUNDED:
    if (p->has_lower) snprintf(lower, sizeof lower, "%lld", (long long)p->lower);
    if (p->has_upper) snprintf(upper, sizeof upper, "%lld", (long long)p->upper);
    snprintf(out, size, "bounded<%s, %s>", lower, upper);
    break;
  case IR_DIV_BY:
    n = snprintf(out, size, "div_by<%llu", (unsigned long long)p->divisor);
    if (p->has_every)
      n += snprintf(out + n, size - (size_t)n, ", every %lld along %lld", (long long)p->every,
                    (long long)p->along);
    snprintf(out + n, size - (size_t)n, ">");
    break;
  case IR_SAME_ELEMENTS:
    n = snprintf(out, size, "same_elements<[");
    for (uint32_t d = 0; d < p->values->len && (size_t)n < size; d++)
      n += snprintf(out + n, size - (size_t)n, "%s%lld", d ? ", " : "",
                    (long long)p->values->data[d]);
    if ((size_t)n < size) snprintf(out + n, size - (size_t)n, "]>");
    break;
  }
}

bool san_check_assume(sanitizer *s, frame *f, const inst *i) {
  const ir_predicate *p = ir_get_attr(i->op, ATTR_predicate)->predicate;
  const ir_type *t = in_type(i, 0);
  contradiction c = {.first = -1};
  if (t->kind == IR_TENSOR_VIEW)
    check_view_base(f, i, p, &c);
  else if (p->kind == IR_DIV_BY)
    check_div_by(f, i, p, &c);
  else if (p->kind == IR_BOUNDED)
    check_bounded(f, i, p, &c);
  else
    check_same(f, i, p, &c);
  if (!c.count) return false;
  if (!san_count(s, i, TSR_SANITIZE_ASSUME, c.count)) return true;
  san_finding found = {.check = TSR_SANITIZE_ASSUME,
                       .i = i,
                       .tile = c.first >= 0 ? t : NULL,
                       .element = c.first,
                       .more = c.count - 1};
  char predicate[128];
  predicate_text(p, predicate, sizeof predicate);
  snprintf(found.message, sizeof found.message, "assume %s does not hold: %s", predicate, c.why);
  san_report(s, &found);
  return true;
}

/* ---- arith ---------------------------------------------------------------------------------- */

static const char *division_fault(const exec_elementwise *w, const uint64_t *x, unsigned bits) {
  if (x[1] == 0) return "division by zero";
  bool is_least = x[0] == (uint64_t)1 << (bits - 1) && x[1] == num_mask(bits);
  if (w->opcode == OP_divi && w->signedness == SIGN_SIGNED && bits > 1 && is_least)
    return "the smallest number divided by -1";
  return NULL;
}

/* Which overflow the operation rules out and has; `is_signed` asks for one of the two. */
static bool overflows(const exec_elementwise *w, const uint64_t *x, unsigned bits, bool is_signed) {
  switch (w->opcode) {
  case OP_addi: return num_addi_overflows(x[0], x[1], bits, is_signed);
  case OP_subi: return num_subi_overflows(x[0], x[1], bits, is_signed);
  case OP_muli: return num_muli_overflows(x[0], x[1], bits, is_signed);
  case OP_negi: return num_subi_overflows(0, x[0], bits, is_signed);
  case OP_shli: return num_shli_overflows(x[0], x[1], bits, is_signed);
  case OP_trunci: {
    unsigned to = tsr_elem_bits((tsr_elem)w->result);
    return !num_int_fits(num_int_value(x[0], bits, is_signed), to, is_signed);
  }
  default: return false;
  }
}

static const char *overflow_fault(const exec_elementwise *w, const uint64_t *x, unsigned bits) {
  bool no_signed = w->overflow == OVERFLOW_NSW || w->overflow == OVERFLOW_NW;
  bool no_unsigned = w->overflow == OVERFLOW_NUW || w->overflow == OVERFLOW_NW;
  if (no_signed && overflows(w, x, bits, true)) return "signed overflow, which was ruled out";
  if (no_unsigned && overflows(w, x, bits, false)) return "unsigned overflow, which was ruled out";
  return NULL;
}

static const char *offset_fault(const exec_elementwise *w, const uint64_t *x) {
  num_i128 elements = num_sext(x[1], tsr_elem_bits((tsr_elem)w->operands[1]));
  unsigned bits = tsr_elem_bits((tsr_elem)w->pointee);
  num_i128 units = 2 * (num_i128)x[0] + elements * san_units((tsr_elem)w->pointee);
  if (num_shares_bytes(bits)) units = ((num_i128)exec_bit_address(x[0]) + elements * bits) / 4;
  return units >= 0 && units >> 65 == 0 ? NULL : "the address overflows";
}

static const char *fault(const exec_elementwise *w, const uint64_t *x) {
  unsigned bits = tsr_elem_bits((tsr_elem)w->operands[0]);
  bool in_range = true;
  switch (w->opcode) {
  case OP_divi:
  case OP_remi: return division_fault(w, x, bits);
  case OP_shli:
  case OP_shri:
    if (num_wrap(x[1], bits) >= bits) return "a shift by the width or more";
    return w->opcode == OP_shli ? overflow_fault(w, x, bits) : NULL;
  case OP_offset: return offset_fault(w, x);
  case OP_ftoi:
    if (w->saturating || exec_is_truth(w)) return NULL;
    num_to_int(num_format_of((tsr_elem)w->operands[0]), x[0], tsr_elem_bits((tsr_elem)w->result),
               w->signedness == SIGN_SIGNED, NUM_NEAREST_INT_TO_ZERO, &in_range);
    return in_range ? NULL : "a value that the integer type cannot hold";
  default: return overflow_fault(w, x, bits);
  }
}

/* What may not be speculated for all operands has some that it is undefined for. An address that
 * overflows and a promise of no overflow that is broken harm nobody before the result is used, but
 * are mistakes all the same. */
static bool can_fail(const exec_elementwise *w) {
  return op_table[w->opcode].speculation != SPECULATE_ALWAYS || w->opcode == OP_offset ||
         w->overflow != OVERFLOW_NONE;
}

static void arith_text(const exec_elementwise *w, const uint64_t *x, char *out, size_t size) {
  char text[2][40];
  for (unsigned o = 0; o < 2 && o < w->n_operands; o++)
    san_value_text((tsr_elem)w->operands[o], x[o], text[o], sizeof text[o]);
  if (w->n_operands > 1)
    snprintf(out, size, "the operands are %s and %s", text[0], text[1]);
  else
    snprintf(out, size, "the operand is %s", text[0]);
}

void san_check_arith(sanitizer *s, frame *f, const inst *i) {
  const exec_elementwise *w = &i->elementwise;
  if (!can_fail(w)) return;
  const char *first = NULL;
  uint64_t count = 0, wrong[3] = {0};
  int64_t element = 0;
  for (int64_t k = 0; k < i->count; k++) {
    uint64_t x[3] = {0};
    for (unsigned o = 0; o < w->n_operands; o++) x[o] = element_of(f, i, o, k);
    const char *why = fault(w, x);
    if (!why || count++) continue;
    first = why;
    element = k;
    memcpy(wrong, x, sizeof wrong);
  }
  if (!count || !san_count(s, i, TSR_SANITIZE_ARITH, count)) return;
  san_finding found = {.check = TSR_SANITIZE_ARITH,
                       .i = i,
                       .tile = out_type(i, 0),
                       .element = element,
                       .more = count - 1};
  snprintf(found.message, sizeof found.message, "%s: %s", san_op_name(i), first);
  arith_text(w, wrong, found.detail, sizeof found.detail);
  san_report(s, &found);
}

/* The step of a for is positive; the interpreter ends the loop when it is not. */
void san_check_step(sanitizer *s, frame *f, const inst *i) {
  bool is_unsigned = ir_int_attr(i->op, ATTR_unsignedCmp);
  unsigned bits = tsr_elem_bits((tsr_elem)ir_operand(i->op, 2)->type->elem);
  num_i128 step = num_int_value(get_element(at(f, i->in[1]), bits, 0), bits, !is_unsigned);
  if (step > 0 || !san_count(s, i, TSR_SANITIZE_ARITH, 1)) return;
  san_finding found = {.check = TSR_SANITIZE_ARITH, .i = i};
  snprintf(found.message, sizeof found.message, "for: the step is %lld; it must be positive",
           (long long)step);
  san_report(s, &found);
}
