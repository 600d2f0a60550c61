/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A store shares a nest with the loads of its value. A load must see memory as it was before the
 * store. That is so when the two do not overlap, or when every element is loaded from where it is
 * stored to; which of these holds is known at run time. When neither does, the load's tile is
 * copied to scratch memory first, and the nest reads the copy: only the load's address and strides
 * are chosen at run time, so there is one nest for both cases.
 *
 * Gathered elements are better read where they lie. Where it is known between which addresses, one
 * test says that none of them overlaps the store, and the group has a version for that.
 *
 * Where indices or pointers say where a store's rows go, a small nest in front finds the lowest and
 * the highest of them.
 */
#include "cpu/nest/alias.h"

#include "cpu/core/fold.h"
#include "cpu/core/function.h"
#include "cpu/core/notes.h"
#include "cpu/plan/access.h"
#include "cpu/plan/affine.h"
#include "cpu/plan/map.h"
#include "cpu/plan/mask.h"
#include "cpu/plan/scratch.h"
#include "cpu/nest/gen.h"
#include "cpu/nest/gen_buffer.h"
#include "cpu/nest/gen_memory.h"
#include "cpu/nest/group.h"
#include "cpu/nest/nest.h"
#include "cpu/nest/visit.h"

typedef struct finder {
  lower *l;
  alias_loads found;
} finder;

static bool find_load(void *user, ir_value *v, const index_map *m) {
  finder *f = user;
  value *x = value_of(f->l, v);
  if (!x->load || !(x->kind == VALUE_LAZY || (x->pending && x->lazy))) return true;
  for (uint32_t i = 0; i < f->found.all.len; i++) {
    if (f->found.all.data[i].v != v) continue;
    f->found.all.data[i].identity &= map_is_identity(m);
    return true;
  }
  vec_push(f->l->arena, f->found.all,
           (found_load){.v = v, .identity = map_is_identity(m), .was = x->load});
  return true;
}

/* Linear in all bits of the index? */
static bool is_plain(const access *a) {
  return a->linear && !a->index;
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
  llv base = a->home ? a->home : a->base; /* a forwarded row overlaps nothing */
  llv same = base == b->base ? NULL : compare(l, LLVMIntEQ, base, b->base);
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
  int64_t unit = access_unit(a), c;
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
  int64_t unit = access_unit(a);
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

/* Addresses from `lo` to below `hi`, between which all elements lie if `right` (NULL: they do). */
typedef struct span {
  llv lo, hi, right;
} span;

/* A range of one row becomes that of all rows that indices may choose. It would wrap for rows so
 * many and so far apart, or with a negative stride. */
static void widen_to_rows(lower *l, const access *a, span *s) {
  s->hi = fold_add(l, s->hi, fold_mul(l, a->index_extent, a->index_stride));
  llv few = compare(l, LLVMIntULT, a->index_extent, k64(l, INT64_C(1) << 32));
  llv near = compare(l, LLVMIntULT, a->index_stride, k64(l, INT64_C(1) << 30));
  s->right = fold_and(l, s->right, fold_and(l, few, near));
}

static span span_of_load(lower *l, const access *a) {
  span s = {.right = a->ok};
  access_range(l, a, &s.lo, &s.hi);
  if (a->index) widen_to_rows(l, a, &s);
  return s;
}

/* Elements that lie as far from each other in both may lie between each other, without ever sharing
 * a byte. An i1; NULL: they don't. */
static llv lie_between(lower *l, const access *a, const access *b) {
  int64_t unit = access_unit(a), step = 0, c;
  if (unit != access_unit(b)) return NULL;
  for (unsigned i = 0; i < 2; i++) {
    const access *x = i ? b : a;
    for (unsigned k = 0; k < x->n; k++) {
      if (!coef_const(x->stride[k], &c)) return NULL;
      for (int64_t rest = c < 0 ? -c : c; rest != 0;) {
        int64_t next = step % rest;
        step = rest;
        rest = next;
      }
    }
  }
  if (step < 2 * unit) return NULL;
  llv apart = LLVMBuildSub(l->e.b, a->base, b->base, "");
  llv behind = LLVMBuildSRem(l->e.b, apart, k64(l, step), "");
  llv forward = LLVMBuildAdd(l->e.b, behind, k64(l, step), "");
  behind = LLVMBuildSelect(l->e.b, compare(l, LLVMIntSLT, behind, k64(l, 0)), forward, behind, "");
  return fold_and(l, compare(l, LLVMIntUGE, behind, k64(l, unit)),
                  compare(l, LLVMIntULE, behind, k64(l, step - unit)));
}

/* Do both say by the same argument where they are? Others will hardly ever meet. */
static bool are_of_one_array(lower *l, const access *a, const access *b) {
  lower_find_roots(l);
  return ir_root_of(&l->roots, ir_accessed(a->op)) == ir_root_of(&l->roots, ir_accessed(b->op));
}

static llv distance(lower *l, const access *a, unsigned k) {
  llv c = coef_value(l, a->stride[k], 64);
  return fold_min_max(l, "llvm.smax", c, LLVMBuildNeg(l->e.b, c, ""));
}

/* The same where strides are known when it runs. The bits below bit p add `small` at most, all
 * others multiples of `step`, a power of two (0: there are none): elements are apart where what is
 * between the two is further from all multiples. */
static llv apart_by_bits(lower *l, const access *a, const access *b) {
  LLVMBuilderRef build = l->e.b;
  unsigned first = 0;
  int64_t c;
  if (a->n != b->n || access_unit(a) != access_unit(b)) return NULL;
  for (unsigned k = 0; k < a->n; k++)
    if (!coef_is_same(a->stride[k], b->stride[k])) return NULL;
  while (first < a->n && coef_const(a->stride[first], &c)) first++;
  if (first == a->n) return NULL;
  llv between = LLVMBuildSub(build, b->base, a->base, ""), small = k64(l, access_unit(a)),
      any = NULL;
  for (unsigned k = 0; k < first; k++) small = fold_add(l, small, distance(l, a, k));
  for (unsigned p = first; p <= a->n; p++) {
    llv all = k64(l, 0);
    for (unsigned k = p; k < a->n; k++)
      all = LLVMBuildOr(build, all, coef_value(l, a->stride[k], 64), "");
    llv step = LLVMBuildAnd(build, all, LLVMBuildNeg(build, all, ""), "");
    llv below = LLVMBuildAnd(build, between, LLVMBuildSub(build, step, k64(l, 1), ""), "");
    llv far = LLVMBuildAnd(build, compare(l, LLVMIntUGE, below, small),
                           compare(l, LLVMIntUGE, LLVMBuildSub(build, step, below, ""), small), "");
    any = any ? LLVMBuildOr(build, any, far, "") : far;
    if (p < a->n) small = fold_add(l, small, distance(l, a, p));
  }
  return any;
}

/* An address as a constant beyond another one, which is returned. */
static llv split_constant(llv address, int64_t *beyond) {
  int64_t c;
  *beyond = 0;
  while (LLVMGetValueKind(address) == LLVMInstructionValueKind &&
         LLVMGetInstructionOpcode(address) == LLVMAdd && is_const(LLVMGetOperand(address, 1), &c)) {
    *beyond = (int64_t)((uint64_t)*beyond + (uint64_t)c);
    address = LLVMGetOperand(address, 0);
  }
  return address;
}

/* Do spans begin at constant distances from one address, and is none of the other in either? */
static bool are_apart_by_constants(const span *a, const span *b) {
  int64_t a_lo, a_hi, b_lo, b_hi;
  llv base = split_constant(a->lo, &a_lo);
  if (split_constant(a->hi, &a_hi) != base || split_constant(b->lo, &b_lo) != base ||
      split_constant(b->hi, &b_hi) != base)
    return false;
  return a_hi <= b_lo || b_hi <= a_lo;
}

static llv overlap(lower *l, const access *load, const span *here, const access *store,
                   const span *there, bool identity) {
  bool apart = are_apart_by_constants(here, there);
  llv meet = apart ? LLVMConstNull(l->e.i1)
                   : fold_and(l, compare(l, LLVMIntULT, here->lo, there->hi),
                              compare(l, LLVMIntULT, there->lo, here->hi));
  if (!apart && identity && is_plain(load) && is_plain(store)) {
    llv harmless = fold_and(l, same_place(l, load, store), all_apart(l, store));
    int64_t k;
    if (is_const(harmless, &k) && k) return LLVMConstNull(l->e.i1);
    meet = fold_and(l, meet, LLVMBuildNot(l->e.b, harmless, ""));
  }
  if (here->right) meet = i1_or(l, meet, LLVMBuildNot(l->e.b, here->right, ""));
  if (there->right) meet = i1_or(l, meet, LLVMBuildNot(l->e.b, there->right, ""));
  return meet;
}

/* ---- stores of rows ------------------------------------------------------------------------- */

/* The bits of the index on which indices or pointers depend that say where rows are. */
static uint64_t row_bits(const access *a) {
  if (!a->index) return a->terms.bits;
  return ((UINT64_C(1) << a->index_n) - 1) << a->index_first;
}

/* The index of a row's first element, its bits being the iteration's; of a map of the access's
 * index to any other. False when that depends on more than the row. */
static bool map_of_row(const access *a, const index_map *m, index_map *out) {
  uint64_t rows = row_bits(a);
  out->n = m->n;
  for (unsigned k = 0; k < m->n; k++) {
    int bit = m->bit[k];
    if (bit >= 0 && !(rows >> bit & 1)) return false;
    uint64_t below = bit >= 0 ? rows & ((UINT64_C(1) << bit) - 1) : 0;
    out->bit[k] = (int8_t)(bit >= 0 ? __builtin_popcountll(below) : bit);
  }
  return true;
}

static lane_value both(nest *n, lane_value a, lane_value b) {
  if (!a.v || !b.v) return a.v ? a : b;
  lane_value r = {.level = MAX(a.level, b.level)};
  nest_place_level(n, r.level);
  unsigned lanes = MAX(emit_lanes(a.v), emit_lanes(b.v));
  if (emit_lanes(a.v) < lanes) a.v = emit_splat(&n->l->e, a.v, lanes);
  if (emit_lanes(b.v) < lanes) b.v = emit_splat(&n->l->e, b.v, lanes);
  r.v = LLVMBuildAnd(n->l->e.b, a.v, b.v, "");
  return r;
}

/* What a mask says of whole rows; v NULL: nothing. */
static lane_value mask_of_rows(nest *n, const access *a, ir_value *mask, const index_map *m,
                               unsigned depth) {
  enum { DEPTH = 8 };
  const value *x = value_of(n->l, mask);
  ir_op *op = x->kind == VALUE_LAZY && !x->load && depth < DEPTH ? ir_defining_op(mask) : NULL;
  index_map row;
  switch (op ? (int)op->opcode : -1) {
  case OP_andi:
    return both(n, mask_of_rows(n, a, ir_operand(op, 0), m, depth + 1),
                mask_of_rows(n, a, ir_operand(op, 1), m, depth + 1));
  case OP_broadcast:
  case OP_reshape:
  case OP_permute:
  case OP_assume: {
    index_map p = map_through(op, m);
    return mask_of_rows(n, a, ir_operand(op, 0), &p, depth + 1);
  }
  default: return map_of_row(a, m, &row) ? gen(n, mask, &row) : (lane_value){0};
  }
}

/* Does the row exist at all? Where bounds leave out its first element they leave out all. */
static lane_value row_exists(nest *n, const access *a, const index_map *row) {
  access b = *a;
  index_map all = map_identity(a->n);
  b.low = b.forced = NULL;
  b.mask = NULL;
  lane_value r = gen_mask(n, &b, row);
  return a->mask ? both(n, r, mask_of_rows(n, a, a->mask, &all, 0)) : r;
}

static llv in_all_lanes(nest *n, llv v) {
  unsigned lanes = nest_lane_count(n);
  return emit_lanes(v) < lanes ? emit_splat(&n->l->e, v, lanes) : v;
}

/* The lower or higher of what is in memory and v is there from now on. */
static void note_extreme(lower *l, const char *name, llv at, llv v) {
  LLVMTypeRef type = LLVMTypeOf(v);
  llv was = LLVMBuildLoad2(l->e.b, type, at, "");
  LLVMBuildStore(l->e.b, emit_intrinsic(&l->e, name, &type, 1, (llv[]){was, v}, 2), at);
}

static llv extreme_lane(lower *l, const char *name, LLVMTypeRef type, llv at) {
  llv v = LLVMBuildLoad2(l->e.b, type, at, "");
  return emit_lanes(v) == 1 ? v : emit_intrinsic(&l->e, name, &type, 1, &v, 1);
}

/* The lowest and the highest address of a first element of a row that exists; if none does, the
 * highest address that there is and the lowest. */
static void find_rows(lower *l, const access *a, llv *lowest, llv *highest) {
  unsigned bits = (unsigned)__builtin_popcountll(row_bits(a));
  unsigned lane_n = MIN(log2_of(l->e.vector_bits / 64), bits);
  LLVMTypeRef type = lane_n ? LLVMVectorType(l->e.i64, 1u << lane_n) : l->e.i64;
  llv low = lower_alloca(l, type, BUFFER_ALIGN), high = lower_alloca(l, type, BUFFER_ALIGN);
  LLVMBuildStore(l->e.b, LLVMConstAllOnes(type), low);
  LLVMBuildStore(l->e.b, LLVMConstNull(type), high);
  nest n;
  nest_begin(&n, l, bits, false);
  nest_lanes(&n, 0, lane_n);
  if (bits > lane_n) nest_open(&n, lane_n, bits - lane_n);
  index_map all = map_identity(a->n), row;
  for (unsigned k = 0; k < a->n; k++)
    if (!(row_bits(a) >> k & 1)) all.bit[k] = BIT_ZERO;
  map_of_row(a, &all, &row);
  lane_value exists = row_exists(&n, a, &row), at = gen_address(&n, a, &row);
  nest_place_level(&n, n.n_levels - 1);
  llv v = in_all_lanes(&n, at.v), none_low = v, none_high = v;
  if (exists.v) {
    llv some = in_all_lanes(&n, exists.v);
    none_low = LLVMBuildSelect(l->e.b, some, v, LLVMConstAllOnes(type), "");
    none_high = LLVMBuildSelect(l->e.b, some, v, LLVMConstNull(type), "");
  }
  note_extreme(l, "llvm.umin", low, none_low);
  note_extreme(l, "llvm.umax", high, none_high);
  nest_end(&n);
  *lowest = extreme_lane(l, "llvm.vector.reduce.umin", type, low);
  *highest = extreme_lane(l, "llvm.vector.reduce.umax", type, high);
}

/* Where a store goes. Of rows that indices or pointers choose that is looked at when it runs. */
static span span_of_store(lower *l, const access *a) {
  span s = {.right = a->ok};
  if (is_plain(a)) {
    access_range(l, a, &s.lo, &s.hi);
    return s;
  }
  llv lowest, highest, down, up;
  access in_row = {.op = a->op, .elem = a->elem, .n = a->n, .base = k64(l, 0)};
  for (unsigned k = 0; k < a->n; k++)
    if (!(row_bits(a) >> k & 1)) in_row.stride[k] = a->stride[k];
  find_rows(l, a, &lowest, &highest);
  access_range(l, &in_row, &down, &up);
  s.lo = fold_add(l, lowest, down);
  s.hi = fold_add(l, highest, up);
  /* Neither is past the end of all addresses. */
  s.right = fold_and(l, s.right, compare(l, LLVMIntULE, s.lo, lowest));
  s.right = fold_and(l, s.right, compare(l, LLVMIntUGE, s.hi, highest));
  return s;
}

/* ---- copies --------------------------------------------------------------------------------- */

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
  if (a->but_bounds) r->but_bounds = i1_or(l, a->but_bounds, condition);
  return r;
}

/* Does it consist of rows of neighbours that indices or pointers choose? */
static bool has_long_rows(const access *a) {
  enum { LONG_ROW = 64 /* bytes */ };
  uint8_t order[MAP_BITS];
  if (!access_has_form(a)) return false;
  unsigned packed = growth_order(a, order), n = 0;
  while (n < packed && !(row_bits(a) >> order[n] & 1)) n++;
  return access_elem_bits(a) / 8 << n >= LONG_ROW;
}

/* Can overlap() compare a load's addresses with others? Of gathered ones it can those that consist
 * of whole rows; single elements are gathered faster by a nest of their own. */
static bool load_is_known(const access *a) {
  return a->linear && access_elem_bits(a) >= 8 && (!a->index || has_long_rows(a));
}

/* The same for a store. Where rows go is looked at when it runs, which takes too long for single
 * elements. */
static bool store_is_known(const access *a) {
  return access_elem_bits(a) >= 8 && (is_plain(a) || has_long_rows(a));
}

/* In scratch memory for sure? */
static bool is_copy(const access *a) {
  return a->memory && !a->forced;
}

/* Are they in different memories, one of which is the kernel's own? */
static bool has_own_memory(lower *l, const access *load, const access *store) {
  if (!load->op || !store->op) return false;
  lower_find_roots(l);
  ir_root a = ir_root_of(&l->roots, ir_accessed(load->op));
  ir_root b = ir_root_of(&l->roots, ir_accessed(store->op));
  ir_root own = IR_ROOT_FIRST + l->roots.n_params + l->roots.n_globals;
  return a != b && MIN(a, b) >= IR_ROOT_FIRST && MAX(a, b) >= own;
}

/* A copy in front of the group's nest. What it was made of is not loaded by the group any more. */
static void copy_before(lower *l, ir_value *v) {
  value *x = value_of(l, v);
  const access *a = x->load;
  buffer *b = buffer_new(l, a->elem, FORMAT_STORAGE, a->n);
  NOTE(l, .kind = NOTE_COPY, .value = v);
  materialise_into(l, v, b);
  value_changes(l, v);
  x->load = access_of_buffer(l, a, b);
}

/* Copies the first load whose addresses say nothing at this place, or all where the store's don't;
 * false when there is none. */
static bool copy_unknown(lower *l, group *g, const access *store) {
  finder f = {.l = l};
  visit_group(l, g, find_load, &f);
  for (uint32_t i = 0; i < f.found.all.len; i++) {
    ir_value *v = f.found.all.data[i].v;
    value *x = value_of(l, v);
    access *a = x->load;
    if (is_copy(a) || a->apart || (load_is_known(a) && store_is_known(store)) ||
        has_own_memory(l, a, store))
      continue;
    copy_before(l, v);
    return true;
  }
  return false;
}

/* ---- loads that lie apart ------------------------------------------------------------------- */

/* Do its elements lie backwards, or a few apart, or as many as a number says that isn't known? */
static bool is_sparse(const access *a) {
  enum { FEW = 4 };
  int64_t unit = access_unit(a), c;
  bool unknown = false, few = false;
  for (unsigned k = 0; k < a->n; k++) {
    if (!coef_const(a->stride[k], &c))
      unknown = true;
    else if (c == unit)
      return false;
    else if (c >= -FEW * unit && c <= FEW * unit)
      few |= c != 0;
    else
      unknown = false;
  }
  return few || unknown;
}

/* Between which addresses the elements lie that exist; false: nobody knows. */
static bool span_of_gather(lower *l, const access *a, span *s) {
  pointer_terms terms = {0};
  const affine *p = affine_split(l, a->pointers, &terms);
  if (!p) return false;
  affine_range(l, p, &s->lo, &s->hi);
  s->right = p->ok;
  for (unsigned i = 0; i < terms.n; i++) {
    llv min, max, ok, unit = k64(l, access_unit(a));
    if (terms.v[i]->type->elem == TSR_PTR ||
        !mask_range_of(l, terms.v[i], a->mask, &min, &max, &ok))
      return false;
    s->lo = fold_add(l, s->lo, fold_mul(l, min, unit));
    s->hi = fold_add(l, s->hi, fold_mul(l, max, unit));
    s->right = fold_and(l, s->right, ok);
  }
  s->hi = fold_add(l, s->hi, k64(l, access_unit(a)));
  return true;
}

/* An i1: it is apart from the store for sure. NULL: a copy does as well, or nobody knows. */
static llv is_apart(lower *l, const access *load, const span *there) {
  bool plain = is_plain(load);
  span here;
  if (!load->pointers || load->memory || access_elem_bits(load) < 8 || (plain && !is_sparse(load)))
    return NULL;
  if (!plain && load->terms.n && has_long_rows(load)) return NULL;
  if (plain)
    here = span_of_load(l, load);
  else if (!span_of_gather(l, load, &here))
    return NULL;
  llv before = compare(l, LLVMIntULE, here.hi, there->lo);
  llv behind = compare(l, LLVMIntUGE, here.lo, there->hi);
  llv in_order = compare(l, LLVMIntULE, here.lo, here.hi);
  llv apart = fold_and(l, LLVMBuildOr(l->e.b, before, behind, ""), in_order);
  return fold_and(l, apart, fold_and(l, here.right, there->right));
}

static const access *store_of(const group *g) {
  const access *store = NULL;
  for (unsigned i = 0; i < g->n_roots; i++)
    if (g->roots[i].kind == ROOT_STORE) store = g->roots[i].access;
  return store;
}

alias_loads alias_find(lower *l, group *g) {
  const access *store = store_of(g);
  uint32_t end = group_end(l, g);
  if (!store || !is_plain(store) || access_elem_bits(store) < 8 || l->seldom ||
      !is_on(l, PATTERN_APART_VERSION))
    return (alias_loads){0};
  finder f = {.l = l};
  visit_group(l, g, find_load, &f);
  span there = {0};
  for (uint32_t i = 0; i < f.found.all.len; i++) {
    found_load *x = &f.found.all.data[i];
    const value *y = value_of(l, x->v);
    if (y->kind == VALUE_LAZY && y->last > end) return (alias_loads){0};
    if (!there.lo) there = span_of_store(l, store);
    llv apart = is_apart(l, x->was, &there);
    x->apart = apart != NULL;
    f.found.if_apart = fold_and(l, f.found.if_apart, apart);
  }
  return f.found;
}

/* ---- several stores -------------------------------------------------------------------------- */

bool alias_is_known_store(const access *a) {
  return is_plain(a) && access_elem_bits(a) >= 8;
}

/* Where a load's elements lie that exist; false: nobody knows. */
static bool span_of_any(lower *l, const access *a, span *s) {
  if (!load_is_known(a))
    return a->pointers && !a->memory && access_elem_bits(a) >= 8 && span_of_gather(l, a, s);
  *s = span_of_load(l, a);
  return true;
}

/* Copies the first load of which nobody knows where it is; false: there is none. */
static bool copy_unspanned(lower *l, group *g) {
  finder f = {.l = l};
  visit_group(l, g, find_load, &f);
  for (uint32_t i = 0; i < f.found.all.len; i++) {
    ir_value *v = f.found.all.data[i].v;
    const access *a = f.found.all.data[i].was;
    span s = {0};
    if (is_copy(a) || span_of_any(l, a, &s)) continue;
    copy_before(l, v);
    return true;
  }
  return false;
}

/* Are elements of the one those of the other, and neither those of any other element? Or apart?
 * NULL: surely. */
static llv do_not_meet(lower *l, const access *a, const span *here, const access *b,
                       const span *there, bool identity) {
  llv meet = overlap(l, a, here, b, there, identity), between = NULL;
  int64_t always;
  if (is_const(meet, &always) && !always) return NULL;
  bool plain = is_plain(a) && is_plain(b) && !(a->memory || b->memory);
  if (plain) between = lie_between(l, a, b);
  if (!between && plain && are_of_one_array(l, a, b)) between = apart_by_bits(l, a, b);
  llv apart = LLVMBuildNot(l->e.b, meet, "");
  if (!between) return apart;
  between = fold_and(l, between, fold_and(l, here->right, there->right));
  return i1_or(l, apart, between);
}

alias_loads alias_find_all(lower *l, group *g) {
  finder f = {.l = l};
  visit_group(l, g, find_load, &f);
  return f.found;
}

alias_loads alias_find_together(lower *l, group *g) {
  while (copy_unspanned(l, g)) {
  }
  finder f = {.l = l};
  visit_group(l, g, find_load, &f);
  span to[MAX_ROOTS], from;
  for (unsigned i = 0; i < g->n_roots; i++) {
    const access *a = g->roots[i].access;
    if (g->roots[i].kind != ROOT_STORE) continue;
    to[i] = span_of_store(l, a);
    for (unsigned k = 0; k < i; k++)
      if (g->roots[k].kind == ROOT_STORE)
        f.found.if_apart = fold_and(l, f.found.if_apart,
                                    do_not_meet(l, g->roots[k].access, &to[k], a, &to[i], true));
  }
  for (uint32_t i = 0; i < f.found.all.len; i++) {
    found_load *x = &f.found.all.data[i];
    x->apart = true;
    if (is_copy(x->was) || !span_of_any(l, x->was, &from)) continue;
    for (unsigned k = 0; k < g->n_roots; k++)
      if (g->roots[k].kind == ROOT_STORE)
        f.found.if_apart =
            fold_and(l, f.found.if_apart,
                     do_not_meet(l, x->was, &from, g->roots[k].access, &to[k], x->identity));
  }
  if (!f.found.if_apart) f.found.if_apart = LLVMConstAllOnes(l->e.i1);
  return f.found;
}

void alias_copy_all(lower *l, const alias_loads *x) {
  for (uint32_t i = 0; i < x->all.len; i++) {
    ir_value *v = x->all.data[i].v;
    access *a = value_of(l, v)->load;
    if (is_copy(a)) continue;
    buffer *b = buffer_new(l, a->elem, FORMAT_STORAGE, a->n);
    NOTE(l, .kind = NOTE_COPY, .value = v, .n = {1});
    copy_load(l, v, b);
    value_of(l, v)->load = access_of_buffer(l, a, b);
  }
}

void alias_take(lower *l, const alias_loads *x) {
  for (uint32_t i = 0; i < x->all.len; i++) {
    const found_load *one = &x->all.data[i];
    if (!one->apart) continue;
    access *a = arena_new(l->arena, access);
    *a = *one->was;
    a->apart = true;
    value_of(l, one->v)->load = a;
  }
}

void alias_give_back(lower *l, const alias_loads *x) {
  for (uint32_t i = 0; i < x->all.len; i++)
    value_of(l, x->all.data[i].v)->load = x->all.data[i].was;
}

void alias_separate(lower *l, group *g) {
  const access *store = store_of(g);
  if (!store) return;
  while (copy_unknown(l, g, store)) {
  }
  finder f = {.l = l};
  visit_group(l, g, find_load, &f);
  span there = {0};
  for (uint32_t i = 0; i < f.found.all.len; i++) {
    ir_value *v = f.found.all.data[i].v;
    value *x = value_of(l, v);
    access *a = x->load;
    if (is_copy(a) || a->apart || has_own_memory(l, a, store)) continue;
    if (!there.lo) there = span_of_store(l, store);
    span here = span_of_load(l, a);
    llv condition = overlap(l, a, &here, store, &there, f.found.all.data[i].identity);
    int64_t always;
    if (is_const(condition, &always) && !always) continue;
    buffer *b = copy_buffer(l, a);
    NOTE(l, .kind = NOTE_COPY, .value = v, .n = {1});
    copy_when(l, condition, v, b);
    value_changes(l, v);
    x->load = redirect(l, condition, a, b);
  }
}
