/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ops/host.h"

#include "num/num.h"

/* ---- numbers --------------------------------------------------------------------------------- */

/* Decoding takes integers for signed ones. */
static double as_unsigned(ops_type type, double x) {
  return ops_type_is_unsigned(type) && x < 0 ? x + ldexp(1, (int)ops_type_bits(type)) : x;
}

double ops_round_to(ops_type type, double x) {
  const num_format *f = num_format_of(ops_type_elem(type));
  if (f) return num_decode(f, num_encode(f, x, NUM_NEAREST_EVEN));
  return fmin(fmax(nearbyint(x), ops_type_lowest(type)), ops_type_highest(type));
}

static void write_number(const ops_operand *o, void *data, int64_t at, double x) {
  const num_format *f = num_format_of(ops_type_elem(o->type));
  uint64_t bits;
  if (f)
    bits = num_encode(f, x, NUM_NEAREST_EVEN);
  else if (x >= 9223372036854775808.0)
    bits = (uint64_t)fmin(x, 18446744073709549568.0);
  else
    bits = (uint64_t)(int64_t)x;
  bits &= num_mask(ops_type_bits(o->type));
  num_store_array(data, &bits, ops_type_elem(o->type), (size_t)at, 1);
}

static double *read_numbers(const ops_operand *o, const void *data, arena *a) {
  size_t span = (size_t)ops_operand_span(o);
  double *out = arena_array(a, double, span + 1);
  if (!span) return out;
  num_decode_array(out, data, ops_type_elem(o->type), 0, span);
  for (size_t i = 0; i < span; i++) out[i] = as_unsigned(o->type, out[i]);
  return out;
}

/* ---- tensors --------------------------------------------------------------------------------- */

void ops_host_init(ops_host *h, const ops_problem *p, arena *a, const ops_operands *operands,
                   void *const *data) {
  *h = (ops_host){.p = p, .arena = a, .count = operands->count};
  for (unsigned i = 0; i < h->count; i++) {
    const ops_operand *o = &operands->data[i];
    h->tensors[i] = (ops_tensor){.operand = o, .data = data[i]};
    h->tensors[i].numbers = o->use == TSR_OP_WRITTEN
                                ? arena_array(a, double, (size_t)ops_operand_span(o) + 1)
                                : read_numbers(o, data[i], a);
  }
}

ops_tensor *ops_host_tensor(const ops_host *h, const char *name) {
  for (unsigned i = 0; i < h->count; i++)
    if (strcmp(h->tensors[i].operand->name, name) == 0) return (ops_tensor *)&h->tensors[i];
  return NULL;
}

void ops_host_replace(ops_host *h, const char *name, const ops_operand *o, void *data) {
  *ops_host_tensor(h, name) =
      (ops_tensor){.operand = o, .data = data, .numbers = read_numbers(o, data, h->arena)};
}

int64_t ops_at(const ops_tensor *t, int64_t i, int64_t j, int64_t k) {
  const ops_operand *o = t->operand;
  int64_t index[3] = {i, j, k}, at = 0;
  for (unsigned d = 0; d < 3 && d < o->rank; d++) at += index[d] * o->strides[d];
  return at;
}

/* Goes to the next index in row-major order; false after the last. */
static bool next_index(const ops_operand *o, int64_t index[TSR_OP_MAX_RANK], int64_t *at) {
  for (unsigned d = o->rank; d-- > 0;) {
    *at += o->strides[d];
    if (++index[d] < o->shape[d]) return true;
    *at -= index[d] * o->strides[d];
    index[d] = 0;
  }
  return false;
}

static void write_tensor(const ops_tensor *t) {
  int64_t index[TSR_OP_MAX_RANK] = {0}, at = 0;
  const ops_operand *o = t->operand;
  if (!ops_operand_span(o)) return;
  do write_number(o, t->data, at, ops_round_to(o->type, t->numbers[at]));
  while (next_index(o, index, &at));
}

void ops_host_finish(ops_host *h) {
  for (unsigned i = 0; i < h->count; i++)
    if (h->tensors[i].operand->use != TSR_OP_READ) write_tensor(&h->tensors[i]);
}

/* ---- random tensors ---------------------------------------------------------------------------
 */

static uint64_t next_random(uint64_t *state) {
  *state += UINT64_C(0x9e3779b97f4a7c15);
  return hash_mix(*state, *state >> 29);
}

/* From 0 up to 1. */
static double next_unit(uint64_t *state) {
  return ldexp((double)(next_random(state) >> 11), -53);
}

/* Integers are small, so that sums of many products stay exact. */
static double random_number(const ops_operand *o, uint64_t *state) {
  double low = o->low, high = o->high;
  bool is_int = ops_type_is_int(o->type);
  if (low == 0 && high == 0) {
    low = fmax(ops_type_lowest(o->type), is_int ? -8 : -1);
    high = fmin(ops_type_highest(o->type), is_int ? 7 : 1);
  }
  if (is_int) return low + floor(next_unit(state) * (high - low + 1));
  return ops_round_to(o->type, low + next_unit(state) * (high - low));
}

static int64_t common_divisor(int64_t x, int64_t y) {
  return y ? common_divisor(y, x % y) : x;
}

/* Numbers from 0 to `count` - 1: steps of a length that has no divisor with `count` meet each. */
static void fill_order(const ops_operand *o, void *data, int64_t count, uint64_t state) {
  int64_t step = count * 5 / 8 + 1, at = (int64_t)(next_unit(&state) * (double)count);
  while (common_divisor(step, count) > 1) step++;
  for (int64_t i = 0; i < count; i++, at = (at + step) % count)
    write_number(o, data, i, (double)at);
}

void ops_fill(const ops_operand *o, void *data, uint64_t seed) {
  int64_t span = ops_operand_span(o);
  uint64_t state = seed;
  if (o->is_order) {
    if (span) fill_order(o, data, span, seed);
    return;
  }
  double each = span > 1 ? floor(o->high / (double)(span - 1)) : 0, so_far = 0;
  for (int64_t i = 0; i < span; i++) {
    write_number(o, data, i, o->rises ? so_far : random_number(o, &state));
    if (o->rises) so_far += floor(next_unit(&state) * (each + 1));
  }
}

/* ---- comparison ------------------------------------------------------------------------------ */

static double largest_number(const double *x, int64_t count) {
  double largest = 0;
  for (int64_t i = 0; i < count; i++)
    if (isfinite(x[i])) largest = fmax(largest, fabs(x[i]));
  return largest;
}

static double spacing(ops_type type, double x) {
  const num_format *f = num_format_of(ops_type_elem(type));
  if (!f) return 1;
  double least = num_decode(f, num_min_positive(f));
  return fmax(least, fabs(x) * 2 * ops_type_roundoff(type));
}

/* An integer result that was rounded from a sum may fall on the other side of a half. */
static double allowed_error(ops_type type, double expected, double tolerance, double largest) {
  double sum = tolerance * largest;
  if (ops_type_is_int(type)) return sum > 0 ? fmax(1, ceil(sum)) : 0;
  return sum + spacing(type, expected) * 1.01;
}

static bool is_worse(const ops_difference *worst, const ops_difference *d) {
  if (d->wrong != worst->wrong) return d->wrong;
  return d->error > worst->error;
}

static ops_difference differ(ops_type type, double found, double expected, double tolerance,
                             double largest) {
  ops_difference d = {.found = found, .expected = expected};
  if (found == expected || (isnan(found) && isnan(expected))) return d;
  d.error = fabs(found - expected);
  d.allowed = allowed_error(type, expected, tolerance, largest);
  d.wrong = !(d.error <= d.allowed);
  return d;
}

ops_difference ops_compare(const ops_operand *o, const void *found, const void *expected,
                           double tolerance, arena *a) {
  ops_difference worst = {0};
  int64_t index[TSR_OP_MAX_RANK] = {0}, at = 0, span = ops_operand_span(o);
  if (!span) return worst;
  const double *f = read_numbers(o, found, a), *e = read_numbers(o, expected, a);
  double largest = largest_number(e, span);
  do {
    ops_difference d = differ(o->type, f[at], e[at], tolerance, largest);
    memcpy(d.at, index, sizeof index);
    if (is_worse(&worst, &d)) worst = d;
  } while (next_index(o, index, &at));
  return worst;
}
