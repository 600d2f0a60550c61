/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A store shares a nest with the loads of its value. A load must see memory as it was before the
 * store. That is so when the two do not overlap, or when every element is loaded from where it is
 * stored to; which of these holds is known at run time. When neither does, the load's tile is
 * copied to scratch memory first, and the nest reads the copy: only the load's address and strides
 * are chosen at run time, so there is one nest for both cases.
 */
#include "cpu/lower.h"

typedef struct found_load {
  ir_value *v;
  bool identity; /* seen with the iteration's own index only */
} found_load;

typedef struct finder {
  lower *l;
  VEC(found_load) loads;
} finder;

static bool find_load(void *user, ir_value *v, const index_map *m) {
  finder *f = user;
  value *x = value_of(f->l, v);
  if (!x->load || !(x->kind == VALUE_LAZY || (x->pending && x->lazy))) return true;
  for (uint32_t i = 0; i < f->loads.len; i++) {
    if (f->loads.data[i].v != v) continue;
    f->loads.data[i].identity &= map_is_identity(m);
    return true;
  }
  vec_push(f->l->arena, f->loads, (found_load){.v = v, .identity = map_is_identity(m)});
  return true;
}

static llv i1_or(lower *l, llv a, llv b) {
  int64_t k;
  if (is_const(a, &k)) return k ? a : b;
  if (is_const(b, &k)) return k ? b : a;
  return LLVMBuildOr(l->e.b, a, b, "");
}

static llv compare(lower *l, LLVMIntPredicate p, llv a, llv b) {
  return LLVMBuildICmp(l->e.b, p, a, b, "");
}

/* Do the two give every element the same address? */
static llv same_place(lower *l, const access *a, const access *b) {
  llv no = LLVMConstNull(l->e.i1);
  if (a->n != b->n || access_elem_bits(a) != access_elem_bits(b)) return no;
  llv same = a->base == b->base ? NULL : compare(l, LLVMIntEQ, a->base, b->base);
  llv last_a = NULL, last_b = NULL;
  for (unsigned k = 0; k < a->n; k++) {
    coef x = a->stride[k], y = b->stride[k];
    if (x.m == y.m && (x.s == y.s || x.m == 0)) continue;
    if (x.m == y.m && x.s && y.s) {
      if (x.s == last_a && y.s == last_b) continue;
      same = fold_and(l, same, compare(l, LLVMIntEQ, last_a = x.s, last_b = y.s));
      continue;
    }
    same = fold_and(l, same, compare(l, LLVMIntEQ, coef_value(l, x, 64), coef_value(l, y, 64)));
  }
  return same ? same : LLVMConstAllOnes(l->e.i1);
}

/* The order of bits in which addresses grow: those that are next to each other first. */
static unsigned growth_order(const access *a, uint8_t *order) {
  int64_t unit = access_elem_bits(a) == 4 ? 1 : access_elem_bits(a) / 8, c;
  bool taken[MAP_BITS] = {0};
  unsigned n = 0;
  for (unsigned k = 0; k < a->n; k++)
    if (coef_const(a->stride[k], &c) && c == unit << n) {
      order[n++] = (uint8_t)k;
      taken[k] = true;
    }
  unsigned packed = n;
  for (unsigned k = 0; k < a->n; k++)
    if (!taken[k]) order[n++] = (uint8_t)k;
  return packed;
}

/* Does every element have an address of its own? (Sufficient, not necessary.) */
static llv all_apart(lower *l, const access *a) {
  uint8_t order[MAP_BITS];
  int64_t unit = access_elem_bits(a) == 4 ? 1 : access_elem_bits(a) / 8;
  unsigned packed = growth_order(a, order);
  llv apart = NULL, covered = k64(l, unit << packed);
  for (unsigned i = packed; i < a->n;) {
    /* A run of doubling strides is apart when its first stride is. */
    coef c = a->stride[order[i]];
    unsigned length = 1;
    while (i + length < a->n && a->stride[order[i + length]].s == c.s &&
           a->stride[order[i + length]].m == (int64_t)((uint64_t)c.m << length))
      length++;
    llv step = coef_value(l, c, 64);
    apart = fold_and(l, apart, compare(l, LLVMIntSGE, step, covered));
    covered = fold_add(l, covered, fold_mul(l, step, k64(l, (INT64_C(1) << length) - 1)));
    i += length;
  }
  return apart ? apart : LLVMConstAllOnes(l->e.i1);
}

/* A range of one row becomes that of all rows that indices may choose. Gives an i1 that says
 * whether it is right: it would wrap for rows so many and so far apart, or with a negative stride.
 */
static llv widen_to_rows(lower *l, const access *a, llv *hi) {
  *hi = fold_add(l, *hi, fold_mul(l, a->index_extent, a->index_stride));
  llv few = compare(l, LLVMIntULT, a->index_extent, k64(l, INT64_C(1) << 32));
  return fold_and(l, few, compare(l, LLVMIntULT, a->index_stride, k64(l, INT64_C(1) << 30)));
}

static llv overlap(lower *l, const access *load, const access *store, bool identity) {
  llv lo, hi, other_lo, other_hi, in_range = NULL;
  access_range(l, load, &lo, &hi);
  if (load->index) in_range = widen_to_rows(l, load, &hi);
  access_range(l, store, &other_lo, &other_hi);
  llv meet =
      fold_and(l, compare(l, LLVMIntULT, lo, other_hi), compare(l, LLVMIntULT, other_lo, hi));
  if (in_range) meet = i1_or(l, meet, LLVMBuildNot(l->e.b, in_range, ""));
  if (identity && !load->index) {
    llv harmless = fold_and(l, same_place(l, load, store), all_apart(l, store));
    int64_t k;
    if (is_const(harmless, &k) && k) return LLVMConstNull(l->e.i1);
    meet = fold_and(l, meet, LLVMBuildNot(l->e.b, harmless, ""));
  }
  if (load->ok) meet = i1_or(l, meet, LLVMBuildNot(l->e.b, load->ok, ""));
  if (store->ok) meet = i1_or(l, meet, LLVMBuildNot(l->e.b, store->ok, ""));
  return meet;
}

/* A buffer for the copy in which the elements that are neighbours in memory are so too. */
static buffer *copy_buffer(lower *l, const access *a) {
  uint8_t order[MAP_BITS];
  growth_order(a, order);
  buffer *b = buffer_new(l, a->elem, FORMAT_STORAGE, a->n);
  for (unsigned i = 0; i < a->n; i++) b->stride[order[i]] = 1 << i;
  return b;
}

void copy_load(lower *l, ir_value *v, buffer *b) {
  nest n;
  nest_begin(&n, l, b->n, false);
  unsigned lanes = log2_of(l->e.vector_bits / 32);
  nest_lanes(&n, 0, MIN(lanes, n.n));
  if (n.n > n.lane_n) nest_open(&n, n.lane_n, n.n - n.lane_n);
  index_map m = nest_map(&n, 0);
  access *a = value_of(l, v)->load;
  lane_value x = gen_load(&n, a, &m);
  nest_place_level(&n, n.n_levels - 1);
  if (emit_lanes(x.v) < nest_lane_count(&n)) x.v = emit_splat(&l->e, x.v, nest_lane_count(&n));
  gen_buffer_store(&n, b, &m, x.v);
  nest_end(&n);
}

llblock copy_when(lower *l, llv condition, ir_value *v, buffer *b) {
  llblock copy = lower_new_block(l, "copy"), done = lower_new_block(l, "copied");
  LLVMBuildCondBr(l->e.b, condition, copy, done);
  LLVMPositionBuilderAtEnd(l->e.b, copy);
  copy_load(l, v, b);
  llblock end = LLVMGetInsertBlock(l->e.b);
  lower_go(l, done);
  return end;
}

/* The access as it is, or the copy. */
static access *redirect(lower *l, llv condition, const access *a, buffer *b) {
  access *r = arena_new(l->arena, access);
  *r = *a;
  LLVMBuilderRef build = l->e.b;
  int64_t unit = access_elem_bits(a) / 8;
  llv at = LLVMBuildPtrToInt(build, b->ptr, l->e.i64, "");
  r->base = LLVMBuildSelect(build, condition, at, a->base, "");
  if (a->index) r->index_stride = LLVMBuildSelect(build, condition, k64(l, 0), a->index_stride, "");
  for (unsigned k = 0; k < a->n;) {
    int64_t c, there = b->stride[k] * unit;
    if (coef_const(a->stride[k], &c) && c == there) {
      k++;
      continue;
    }
    unsigned length = 1;
    while (k + length < a->n && a->stride[k + length].s == a->stride[k].s &&
           a->stride[k + length].m == (int64_t)((uint64_t)a->stride[k].m << length) &&
           b->stride[k + length] == b->stride[k] << length)
      length++;
    llv step =
        LLVMBuildSelect(build, condition, k64(l, there), coef_value(l, a->stride[k], 64), "");
    for (unsigned j = 0; j < length; j++)
      r->stride[k + j] = (coef){.m = INT64_C(1) << j, .s = step};
    k += length;
  }
  for (unsigned k = 0; k < a->n; k++) { /* what is taken for granted holds for the copy as well */
    int64_t c;
    bool same = coef_const(a->exact[k], &c) && c == b->stride[k] * unit;
    r->exact[k] = same ? a->exact[k] : r->stride[k];
  }
  r->ok = NULL;
  r->pointers = NULL;
  r->forced = condition;
  r->memory = b;
  if (a->full) r->full = i1_or(l, a->full, condition);
  return r;
}

/* Are a load's addresses, and a store's, such that overlap() can compare them? Of gathered ones it
 * can those that consist of whole rows; single elements are gathered faster by a nest of their own,
 * and scattered ones could go anywhere. */
static bool is_known(const access *a) {
  enum { LONG_ROW = 64 /* bytes */ };
  uint8_t order[MAP_BITS];
  if (!a->linear || access_elem_bits(a) == 4) return false;
  return !a->index || access_elem_bits(a) / 8 << growth_order(a, order) >= LONG_ROW;
}

/* In scratch memory for sure? */
static bool is_copy(const access *a) {
  return a->memory && !a->forced;
}

/* Copies the first load whose addresses say nothing at this place, or all where the store's don't;
 * false when there is none. What the copy was made of is not loaded by the group any more. */
static bool copy_unknown(lower *l, group *g, const access *store) {
  finder f = {.l = l};
  visit_group(l, g, find_load, &f);
  for (uint32_t i = 0; i < f.loads.len; i++) {
    ir_value *v = f.loads.data[i].v;
    value *x = value_of(l, v);
    access *a = x->load;
    if (is_copy(a) || (is_known(a) && is_known(store) && !store->index)) continue;
    buffer *b = buffer_new(l, a->elem, FORMAT_STORAGE, a->n);
    keep_into(l, v, b);
    value_changes(l, v);
    x->load = access_of_buffer(l, a, b);
    return true;
  }
  return false;
}

void alias_separate(lower *l, group *g) {
  const access *store = NULL;
  for (unsigned i = 0; i < g->n_roots; i++)
    if (g->roots[i].kind == ROOT_STORE) store = g->roots[i].access;
  if (!store) return;
  while (copy_unknown(l, g, store)) {
  }
  finder f = {.l = l};
  visit_group(l, g, find_load, &f);
  for (uint32_t i = 0; i < f.loads.len; i++) {
    ir_value *v = f.loads.data[i].v;
    value *x = value_of(l, v);
    access *a = x->load;
    if (is_copy(a)) continue;
    llv condition = overlap(l, a, store, f.loads.data[i].identity);
    int64_t always;
    if (is_const(condition, &always) && !always) continue;
    buffer *b = copy_buffer(l, a);
    copy_when(l, condition, v, b);
    value_changes(l, v);
    x->load = redirect(l, condition, a, b);
  }
}
