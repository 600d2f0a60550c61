/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Strides that are arguments. Arrays come with a number for each dimension that says how far apart
 * its elements are. Of the innermost one it is nearly always 1, but programs for arrays of any kind
 * have it as an argument; of pixels (i, 0), (i, 1), (i, 2) along i it is 3. With a number that is
 * known the lanes are read by whole vectors. So there is a version for the likely one: as many as
 * there are loads, or else stores, of one array's neighbours with that stride. A single store says
 * nothing: where it alone has the stride, that is seldom 1.
 */
#include "cpu/lower/strides.h"

#include "cpu/core/fold.h"
#include "cpu/core/notes.h"
#include "cpu/plan/access.h"
#include "cpu/plan/affine.h"
#include "cpu/nest/family.h"
#include "cpu/nest/visit.h"

enum { MOST = 4 /* elements apart that whole vectors are read for */ };

/* The number of elements from one to the next, where that is a number at run time; else NULL. */
static llv run_time_stride(const access *a) {
  if (!a->pointers || !a->linear || a->index || a->memory || a->n == 0) return NULL;
  coef c = a->exact[0];
  return c.s && c.m == access_unit(a) && access_elem_bits(a) >= 8 ? c.s : NULL;
}

enum { FAMILIES = 8 };

/* Accesses that are a number of bytes apart, each of which is another number. */
typedef struct neighbours {
  llv root;
  VEC(int64_t) at;
} neighbours;

typedef struct stride_walk {
  lower *l;
  llv stride;
  neighbours of[FAMILIES];
  unsigned n;
} stride_walk;

static void note_begin(lower *l, neighbours *x, int64_t at) {
  for (uint32_t i = 0; i < x->at.len; i++)
    if (x->at.data[i] == at) return;
  vec_push(l->arena, x->at, at);
}

static void note_access(stride_walk *x, const access *a) {
  llv s = run_time_stride(a);
  int64_t at;
  if (!s) return;
  if (!x->stride) x->stride = s;
  if (!is_same_number(x->stride, s)) return;
  llv from = family_root(a->base, &at);
  unsigned i = 0;
  while (i < x->n && !is_same_number(x->of[i].root, from)) i++;
  if (i == FAMILIES) return;
  if (i == x->n) x->of[x->n++] = (neighbours){.root = from};
  note_begin(x->l, &x->of[i], at);
}

static unsigned most_neighbours(const stride_walk *x) {
  unsigned most = 0;
  for (unsigned i = 0; i < x->n; i++) most = MAX(most, x->of[i].at.len);
  return most;
}

static bool note_load(void *user, ir_value *v, const index_map *m) {
  stride_walk *x = user;
  const value *y = value_of(x->l, v);
  (void)m;
  if (value_is_load(y)) note_access(x, y->load);
  return true;
}

bool strides_find(lower *l, const group *g, stride_version *out) {
  stride_walk loads = {.l = l}, stores = {.l = l};
  if (l->options->checks || !is_on(l, PATTERN_LAUNCH_STRIDE)) return false;
  visit_group(l, g, note_load, &loads);
  for (unsigned i = 0; i < g->n_roots; i++)
    if (g->roots[i].kind == ROOT_STORE) note_access(&stores, g->roots[i].access);
  const stride_walk *x = loads.stride ? &loads : &stores;
  unsigned likely = most_neighbours(x);
  if (likely == 0 || likely > MOST || (x == &stores && likely == 1)) return false;
  *out = (stride_version){.stride = x->stride, .likely = likely};
  llv number = LLVMConstInt(LLVMTypeOf(x->stride), likely, 0);
  out->holds = LLVMBuildICmp(l->e.b, LLVMIntEQ, x->stride, number, "likely");
  return true;
}

static void replace(const stride_version *x, coef *c, unsigned n) {
  for (unsigned k = 0; k < n; k++)
    if (c[k].s && is_same_number(c[k].s, x->stride))
      c[k] = (coef){.m = (int64_t)((uint64_t)c[k].m * x->likely)};
}

static access *with_stride(lower *l, const stride_version *x, const access *a) {
  access *b = arena_new(l->arena, access);
  *b = *a;
  replace(x, b->stride, b->n);
  replace(x, b->exact, b->n);
  return b;
}

typedef struct take_walk {
  lower *l;
  stride_version *x;
} take_walk;

static bool take_load(void *user, ir_value *v, const index_map *m) {
  take_walk *w = user;
  const value *y = value_of(w->l, v);
  (void)m;
  if (value_is_load(y)) vec_push(w->l->arena, w->x->was, (saved_value){.v = v, .was = *y});
  return true;
}

void strides_take(lower *l, stride_version *x, group *g) {
  take_walk w = {.l = l, .x = x};
  visit_group(l, g, take_load, &w);
  for (uint32_t i = 0; i < x->was.len; i++) {
    value *y = value_of(l, x->was.data[i].v);
    if (y->load == x->was.data[i].was.load) y->load = with_stride(l, x, y->load);
  }
  for (unsigned i = 0; i < g->n_roots; i++)
    if (g->roots[i].kind == ROOT_STORE) g->roots[i].access = with_stride(l, x, g->roots[i].access);
}

void strides_give_back(lower *l, const stride_version *x) {
  for (uint32_t i = 0; i < x->was.len; i++)
    value_of(l, x->was.data[i].v)->load = x->was.data[i].was.load;
}
