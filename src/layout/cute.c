/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * CuTe's notation of memory layouts:
 *
 *   cute := tree ':' tree,   tree := number | '(' tree (',' tree)* ')'
 */
#include "layout/notation.h"

/* A tree of numbers: flattened, with its top-level branches' sizes and its shape as brackets. */
typedef struct tree {
  int64_t leaf[MAX_MODES];
  uint8_t leaves, top[MAX_RANK], tops;
  char brackets[4 * MAX_MODES];
  uint32_t marks;
} tree;

static bool mark(reader *r, tree *t, char c) {
  if (t->marks == sizeof t->brackets)
    return notation_fail(r, r->at, 1, "a layout has at most %d modes", MAX_MODES);
  t->brackets[t->marks++] = c;
  return true;
}

static bool take_leaf(reader *r, tree *t) {
  int64_t n;
  notation_skip(r);
  if (t->leaves == MAX_MODES)
    return notation_fail(r, r->at, 1, "a layout has at most %d modes", MAX_MODES);
  if (!notation_number(r, false, INT64_MAX / 16, &n)) return false;
  t->leaf[t->leaves++] = n;
  return mark(r, t, '.');
}

static bool take_tree(reader *r, tree *t, int level) {
  if (!notation_deeper(r)) return false;
  bool branch = notation_take(r, '(');
  if (branch && !mark(r, t, '(')) return false;
  if (!branch && !take_leaf(r, t)) return false;
  for (bool more = branch; more; more = notation_take(r, ',')) {
    uint8_t before = t->leaves;
    if (!take_tree(r, t, level + 1)) return false;
    if (level > 0) continue;
    if (t->tops == MAX_RANK) return notation_fail(r, r->at, 1, "more than %d dimensions", MAX_RANK);
    t->top[t->tops++] = (uint8_t)(t->leaves - before);
  }
  if (branch && (!notation_expect(r, ')', "after a mode") || !mark(r, t, ')'))) return false;
  if (!branch && level == 0) t->top[t->tops++] = 1;
  r->depth--;
  return true;
}

/* CuTe lists the fastest mode of a dimension first; here it is the last. */
bool notation_cute(reader *r, tsr_layout_value *v) {
  tree shape = {0}, stride = {0};
  notation_skip(r);
  const char *first = r->at;
  if (!take_tree(r, &shape, 0)) return false;
  if (!notation_expect(r, ':', "between the shape and the strides")) return false;
  notation_skip(r);
  const char *second = r->at;
  if (!take_tree(r, &stride, 0)) return false;
  if (shape.marks != stride.marks || memcmp(shape.brackets, stride.brackets, shape.marks) != 0)
    return notation_fail(r, second, (size_t)(r->at - second),
                         "the strides are not nested like the shape %.*s",
                         (int)MIN(second - first - 1, 60), first);
  notation_kind(v, TSR_LAYOUT_MEMORY);
  tsr_memory_layout *m = &v->memory;
  m->rank = shape.tops;
  m->modes = shape.leaves;
  for (uint32_t d = 0, k = 0; d < m->rank; k += m->dim_modes[d++]) {
    m->dim_modes[d] = shape.top[d];
    for (uint32_t i = 0; i < shape.top[d]; i++) {
      int64_t size = shape.leaf[k + shape.top[d] - 1 - i];
      m->size[k + i] = (int32_t)MIN(size, INT32_MAX);
      m->stride[k + i] = stride.leaf[k + shape.top[d] - 1 - i];
    }
  }
  tsr_layout_error e;
  return tsr_memory_validate(m, &e) == TSR_OK ||
         notation_fail(r, first, (size_t)(r->at - first), "%s", e.message);
}

bool notation_swizzled(reader *r, const char *at, tsr_layout_value *v) {
  int64_t n[3];
  for (int i = 0; i < 3; i++)
    if (!notation_expect(r, i ? ',' : '<', "in Sw<bits, base, shift>") ||
        !notation_number(r, false, 255, &n[i]))
      return false;
  if (!notation_expect(r, '>', "after the swizzle's shift")) return false;
  size_t length = (size_t)(r->at - at);
  str o = notation_word(r);
  if (!str_is(o, "o")) return notation_fail(r, o.data, MAX(o.len, 1u), "expected 'o' and a layout");
  if (!notation_cute(r, v)) return false;
  tsr_layout_error e;
  return tsr_memory_swizzled(&v->memory, &v->memory, (uint32_t)n[0], (uint32_t)n[1], (uint32_t)n[2],
                             &e) == TSR_OK ||
         notation_fail(r, at, length, "%s", e.message);
}

const char *notation_numbers_ahead(const reader *r) {
  int open = 0;
  for (const char *p = r->at; p < r->end; p++) {
    if (*p == '(') open++;
    if (*p == ')' && --open == 0) return p;
    if (!notation_digit(*p) && !strchr("() ,-", *p)) return NULL;
  }
  return NULL;
}

bool notation_cute_ahead(const reader *r) {
  const char *p = notation_numbers_ahead(r);
  if (!p) return false;
  for (p++; p < r->end && *p == ' '; p++) {
  }
  return p < r->end && *p == ':';
}
