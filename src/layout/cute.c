/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * CuTe's notation of memory layouts, and slices of them:
 *
 *   cute  := (n 'o')? tree ':' tree,     tree := n | '(' tree (',' tree)* ')'
 *   slice := '[' range (',' range)* ']', range := n | n? ':' n? | '(' range (',' range)* ')'
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
  bool scalar = branch && level == 0 && notation_peek(r, ')');
  for (bool more = branch && !scalar; more; more = notation_take(r, ',')) {
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

/* "8 o" in front of a layout that begins at 8. */
static bool take_offset(reader *r, int64_t *offset) {
  *offset = 0;
  notation_skip(r);
  if (!notation_offset_ahead(r)) return true;
  if (!notation_number(r, false, INT64_MAX / 16, offset)) return false;
  notation_word(r);
  return true;
}

/* CuTe lists the fastest mode of a dimension first; here it is the last. */
bool notation_cute(reader *r, tsr_layout_value *v) {
  tree shape = {0}, stride = {0};
  int64_t offset;
  if (!take_offset(r, &offset)) return false;
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
  m->offset = offset;
  for (uint32_t d = 0, k = 0; d < m->rank; k += m->dim_modes[d++]) {
    m->dim_modes[d] = shape.top[d];
    for (uint32_t i = 0; i < shape.top[d]; i++) {
      int64_t size = shape.leaf[k + shape.top[d] - 1 - i];
      if (size > INT32_MAX)
        return notation_fail(r, first, (size_t)(r->at - first),
                             "size %lld: sizes are 1 or more and make fewer than 2^31 elements",
                             (long long)size);
      m->size[k + i] = (int32_t)size;
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
    if (!notation_digit(*p) && !strchr("() ,-\t\n\r", *p)) return NULL;
  }
  return NULL;
}

static char behind_space(const reader *r, const char *p) {
  while (p < r->end && strchr(" \t\n\r", *p)) p++;
  return p < r->end ? *p : 0;
}

bool notation_cute_ahead(const reader *r) {
  const char *p = notation_numbers_ahead(r);
  return p && behind_space(r, p + 1) == ':';
}

bool notation_offset_ahead(const reader *r) {
  const char *p = r->at;
  while (p < r->end && notation_digit(*p)) p++;
  return p > r->at && behind_space(r, p) == 'o';
}

/* ---- slices --------------------------------------------------------------------------------- */

/* What stands for one dimension: a range of it, or one of each of its modes. */
typedef struct subscript {
  const char *at;
  bool modes;                               /* in parentheses */
  bool indices;                             /* nothing but indices, without a ':' */
  uint32_t count;                           /* of ranges, in CuTe's order */
  int32_t begin[MAX_MODES], end[MAX_MODES]; /* -1: to the last */
} subscript;

static bool take_bound(reader *r, int32_t *out) {
  int64_t n;
  notation_skip(r);
  if (r->at < r->end && *r->at == '-')
    return notation_fail(r, r->at, 1,
                         "a range counts from 0, the first element; there are no "
                         "negative numbers");
  if (r->at == r->end || !notation_digit(*r->at)) return true;
  if (!notation_number(r, false, INT32_MAX - 1, &n)) return false;
  *out = (int32_t)n;
  return true;
}

/* 3, 1:3, 1:, :3 or : */
static bool take_range(reader *r, subscript *s) {
  int32_t begin = -1, end = -1;
  notation_skip(r);
  const char *at = r->at;
  if (s->count == MAX_MODES)
    return notation_fail(r, at, 1, "a layout has at most %d modes", MAX_MODES);
  if (!take_bound(r, &begin)) return false;
  bool range = notation_take(r, ':');
  if (range && !take_bound(r, &end)) return false;
  if (!range && begin < 0)
    return notation_fail(r, at, 1, "expected an index, or a range such as 1:3 or :");
  s->indices &= !range;
  s->begin[s->count] = MAX(begin, 0);
  s->end[s->count++] = range ? end : begin + 1;
  return true;
}

/* A range, or ranges in any number of parentheses. */
static bool take_subscript(reader *r, subscript *s) {
  if (!notation_take(r, '(')) return take_range(r, s);
  s->modes = true;
  if (!notation_deeper(r)) return false;
  for (bool more = true; more; more = notation_take(r, ','))
    if (!take_subscript(r, s)) return false;
  r->depth--;
  return notation_expect(r, ')', "or ',' after a range");
}

static tsr_status slice_dim(tsr_memory_layout *m, uint32_t dim, const subscript *s,
                            tsr_layout_error *e) {
  int32_t begin[MAX_RANK] = {0}, end[MAX_RANK];
  for (uint32_t d = 0; d < m->rank; d++) end[d] = tsr_memory_dim(m, d);
  begin[dim] = s->begin[0];
  if (s->end[0] >= 0) end[dim] = s->end[0];
  return tsr_memory_slice(m, m, begin, end, e);
}

static tsr_status slice_modes(tsr_memory_layout *m, uint32_t dim, const subscript *s,
                              tsr_layout_error *e) {
  int32_t begin[MAX_MODES] = {0}, end[MAX_MODES];
  uint32_t last = 0;
  for (uint32_t k = 0; k < m->modes; k++) end[k] = m->size[k];
  for (uint32_t d = 0; d <= dim; d++) last += m->dim_modes[d];
  for (uint32_t i = 0; i < s->count; i++) {
    begin[last - 1 - i] = s->begin[i];
    if (s->end[i] >= 0) end[last - 1 - i] = s->end[i];
  }
  return tsr_memory_slice_modes(m, m, begin, end, e);
}

/* One range of the slice, for dimension `dim`, which it narrows. */
static bool take_cut(reader *r, tsr_memory_layout *m, uint32_t dim, bool *goes) {
  subscript s = {.indices = true};
  tsr_layout_error e;
  notation_skip(r);
  const char *at = r->at;
  if (!take_subscript(r, &s)) return false;
  size_t length = (size_t)(r->at - at);
  if (dim == m->rank)
    return notation_fail(r, at, length, "the layout has no more than %u dimension%s", m->rank,
                         m->rank == 1 ? "" : "s");
  if (s.modes && s.count != m->dim_modes[dim])
    return notation_fail(r, at, length, "dimension %u has %u mode%s, but here are %u ranges", dim,
                         m->dim_modes[dim], m->dim_modes[dim] == 1 ? "" : "s", s.count);
  *goes = s.indices;
  return (s.modes ? slice_modes : slice_dim)(m, dim, &s, &e) == TSR_OK ||
         notation_fail(r, at, length, "%s", e.message);
}

bool notation_slice(reader *r, const char *at, tsr_layout_value *v) {
  tsr_memory_layout m = v->memory;
  int32_t gone[MAX_RANK];
  uint32_t dim = 0, n = 0;
  if (v->kind != TSR_LAYOUT_MEMORY)
    return notation_fail(r, at, 1, "a slice is a part of a memory layout, not of a distribution");
  for (bool more = true, goes = false; more; more = notation_take(r, ',')) {
    if (!take_cut(r, &m, dim, &goes)) return false;
    if (goes) gone[n++] = (int32_t)dim;
    dim++;
  }
  if (!notation_expect(r, ']', "or ',' after a range")) return false;
  if (dim != m.rank)
    return notation_fail(r, at, (size_t)(r->at - at),
                         "the layout has %u dimensions, but here %s; ':' takes all of one", m.rank,
                         dim == 1 ? "is 1 range" : "are fewer ranges");
  tsr_layout_error e;
  return tsr_memory_squeeze(&v->memory, &m, n, gone, &e) == TSR_OK ||
         notation_fail(r, at, 1, "%s", e.message);
}
