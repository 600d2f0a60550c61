/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <math.h>

#include "num/num.h"
#include "tune/tune.h"

static tsr_buffer *buffer_of(const check *c, size_t i) {
  const tsr_arg *arg = &c->problem->args[i];
  return arg->kind == TSR_ARG_BUFFER ? arg->buffer : NULL;
}

static bool read_all(check *c, void **out) {
  for (size_t i = 0; i < c->problem->n_args; i++) {
    tsr_buffer *b = buffer_of(c, i);
    if (!b || !tsr_buffer_size(b)) continue;
    if (tsr_buffer_read(b, 0, out[i], tsr_buffer_size(b)) != TSR_OK) return false;
  }
  return true;
}

static void **memory_for_all(check *c) {
  size_t n = c->problem->n_args;
  void **out = arena_array(c->arena, void *, n + 1);
  for (size_t i = 0; i < n; i++) {
    tsr_buffer *b = buffer_of(c, i);
    out[i] = b ? arena_alloc(c->arena, tsr_buffer_size(b) + 1, 64) : NULL;
  }
  return out;
}

bool check_begin(check *c, const tsr_tune_problem *problem, double tolerance, arena *a) {
  *c = (check){.problem = problem, .tolerance = tolerance, .arena = a};
  c->before = memory_for_all(c);
  c->expected = memory_for_all(c);
  c->found = memory_for_all(c);
  c->changes = arena_alloc_zero(a, problem->n_args + 1, 1);
  return read_all(c, c->before);
}

bool check_restore(check *c) {
  for (size_t i = 0; i < c->problem->n_args; i++) {
    tsr_buffer *b = buffer_of(c, i);
    if (!b || !c->changes[i]) continue;
    if (tsr_buffer_write(b, 0, c->before[i], tsr_buffer_size(b)) != TSR_OK) return false;
  }
  return true;
}

/* ---- comparing ------------------------------------------------------------------------------ */

/* How far two orders of the same sum may differ, by the size of the elements. */
static double tolerance_of(tsr_elem elem) {
  switch (elem) {
  case TSR_F64: return 1e-10;
  case TSR_F32: return 1e-4;
  case TSR_TF32: return 2e-3;
  case TSR_F16: return 4e-3;
  case TSR_BF16: return 3e-2;
  default: return 0.1;
  }
}

enum { PIECE = 512 };

/* The root of the mean square of what is finite. */
static double size_of_elements(const void *memory, tsr_elem elem, size_t count) {
  double x[PIECE], sum = 0;
  size_t finite = 0;
  for (size_t at = 0; at < count; at += PIECE) {
    size_t n = MIN(count - at, (size_t)PIECE);
    num_decode_array(x, memory, elem, at, n);
    for (size_t i = 0; i < n; i++)
      if (isfinite(x[i])) sum += x[i] * x[i], finite++;
  }
  return finite ? sqrt(sum / (double)finite) : 0;
}

static bool are_close(double a, double b, double tolerance, double size) {
  if (isnan(a) || isnan(b)) return isnan(a) && isnan(b);
  if (isinf(a) || isinf(b)) return isinf(a) && isinf(b) && (a > 0) == (b > 0);
  return fabs(a - b) <= tolerance * (fabs(b) + size);
}

/* "element 7 of %C is 1.5 where 1.25 was expected" */
static const char *compare_floats(check *c, const char *name, tsr_elem elem, const void *found,
                                  const void *expected, size_t count) {
  double x[PIECE], y[PIECE], size = size_of_elements(expected, elem, count);
  double tolerance = c->tolerance > 0 ? c->tolerance : tolerance_of(elem);
  for (size_t at = 0; at < count; at += PIECE) {
    size_t n = MIN(count - at, (size_t)PIECE);
    num_decode_array(x, found, elem, at, n);
    num_decode_array(y, expected, elem, at, n);
    for (size_t i = 0; i < n; i++)
      if (!are_close(x[i], y[i], tolerance, size))
        return arena_printf(c->arena, "element %zu of %s is %.9g where %.9g was expected", at + i,
                            name, x[i], y[i]);
  }
  return NULL;
}

static const char *compare_bytes(check *c, const char *name, const unsigned char *found,
                                 const unsigned char *expected, size_t bytes) {
  if (memcmp(found, expected, bytes) == 0) return NULL;
  size_t at = 0;
  while (found[at] == expected[at]) at++;
  return arena_printf(c->arena, "byte %zu of %s is 0x%02x where 0x%02x was expected", at, name,
                      found[at], expected[at]);
}

/* What a kernel's argument points to. Pointers to bytes that the kernel only uses as pointers to
 * another type, always the same, point to that: void pointers of other languages are such. */
static tsr_elem elem_of(const tsr_kernel *k, size_t i) {
  tsr_elem elem = k->params[i].elem;
  if (!k->params[i].is_pointer || elem != TSR_I8) return elem;
  const ir_value *v = &ir_region(k->entry, 0)->args[i];
  for (const ir_use *u = v->uses; u; u = u->next) {
    if (u->user->opcode != OP_ptr_to_ptr) return TSR_I8;
    tsr_elem other = (tsr_elem)ir_result(u->user, 0)->type->pointee;
    if (elem != TSR_I8 && other != elem) return TSR_I8;
    elem = other;
  }
  return elem;
}

static const char *compare_one(check *c, const tsr_kernel *k, size_t i) {
  const rt_param *p = &k->params[i];
  const char *name = p->name ? arena_printf(c->arena, "%%%s", p->name)
                             : arena_printf(c->arena, "argument %zu", i + 1);
  size_t bytes = tsr_buffer_size(buffer_of(c, i));
  const void *expected = c->expected[i];
  if (memcmp(c->found[i], expected, bytes) == 0) return NULL;
  tsr_elem elem = elem_of(k, i);
  unsigned bits = tsr_elem_bits(elem);
  if (!tsr_elem_is_float(elem) || bits < 8)
    return compare_bytes(c, name, c->found[i], expected, bytes);
  return compare_floats(c, name, elem, c->found[i], expected, bytes / (bits / 8));
}

static void note_changes(check *c) {
  for (size_t i = 0; i < c->problem->n_args; i++) {
    tsr_buffer *b = buffer_of(c, i);
    if (b && memcmp(c->found[i], c->before[i], tsr_buffer_size(b)) != 0) c->changes[i] = true;
  }
}

/* The first candidate's results become what is expected, where nothing else is. */
static void note_expected(check *c) {
  const void *const *given = c->problem->expected;
  for (size_t i = 0; i < c->problem->n_args && !c->has_expected; i++) {
    tsr_buffer *b = buffer_of(c, i);
    if (!b) continue;
    const void *from = given && given[i] ? given[i] : c->found[i];
    memcpy(c->expected[i], from, tsr_buffer_size(b));
  }
  c->has_expected = true;
}

bool check_changes(check *c) {
  if (!read_all(c, c->found)) return false;
  note_changes(c);
  return true;
}

bool check_results(check *c, const tsr_kernel *k, const char **wrong) {
  *wrong = NULL;
  if (!check_changes(c)) return false;
  note_expected(c);
  for (size_t i = 0; i < c->problem->n_args && !*wrong && c->tolerance >= 0; i++)
    if (buffer_of(c, i)) *wrong = compare_one(c, k, i);
  return true;
}
