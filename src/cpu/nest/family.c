/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Families of accesses. Their addresses are the same but for a number: (root + low) … (root +
 * high). Two accesses compute their roots by instructions of their own, which are alike.
 */
#include "llvm/conv.h"
#include "llvm/elementwise.h"

#include "cpu/nest/family.h"

#include "cpu/core/fold.h"
#include "cpu/core/notes.h"
#include "cpu/plan/affine.h"
#include "cpu/plan/map.h"
#include "cpu/nest/gen_memory.h"
#include "cpu/nest/linear.h"
#include "cpu/nest/memo.h"
#include "cpu/nest/vectors.h"
#include "cpu/nest/visit.h"

enum { MEMBERS = 8 };

/* A vector that has been loaded: from so many bytes behind the family's first element. */
typedef struct family_vector {
  int64_t from;
  llv v;
} family_vector;

typedef struct family {
  const access *like; /* the first that was found */
  llv root, base;     /* of the lowest; base is made where the nest begins */
  int64_t member[MEMBERS];
  unsigned n;
  bool stores;
  VEC(family_vector) vectors;
} family;

struct families {
  VEC(family *) all;
};

/* ---- which there are ------------------------------------------------------------------------ */

llv family_root(llv base, int64_t *offset) {
  int64_t c;
  *offset = 0;
  while (LLVMIsAInstruction(base) && LLVMGetInstructionOpcode(base) == LLVMAdd &&
         is_const(LLVMGetOperand(base, 1), &c)) {
    *offset = (int64_t)((uint64_t)*offset + (uint64_t)c);
    base = LLVMGetOperand(base, 0);
  }
  return base;
}

static bool is_member(const family *f, const access *a, llv from, bool stores) {
  if (f->stores != stores || f->like->elem != a->elem || f->like->n != a->n) return false;
  for (unsigned k = 0; k < a->n; k++)
    if (!coef_is_same(f->like->exact[k], a->exact[k]) ||
        !coef_is_same(f->like->stride[k], a->stride[k]))
      return false;
  return is_same_number(f->root, from);
}

static bool may_have_family(const access *a) {
  return a->pointers && a->linear && !a->index && a->terms.n == 0 && !a->memory &&
         access_elem_bits(a) >= 8;
}

static family *find(const struct families *x, const access *a, bool stores, int64_t *at) {
  if (!x || !may_have_family(a)) return NULL;
  llv from = family_root(a->base, at);
  for (uint32_t i = 0; i < x->all.len; i++)
    if (is_member(x->all.data[i], a, from, stores)) return x->all.data[i];
  return NULL;
}

static void add_member(family *f, int64_t at) {
  for (unsigned i = 0; i < f->n; i++)
    if (f->member[i] == at) return;
  if (f->n < MEMBERS) f->member[f->n++] = at;
}

static void add(nest *n, const access *a, bool stores) {
  int64_t at;
  lower *l = n->l;
  if (!may_have_family(a)) return;
  family *f = find(n->families, a, stores, &at);
  if (!f) {
    f = arena_new(l->arena, family);
    *f = (family){.like = a, .root = family_root(a->base, &at), .stores = stores};
    vec_push(l->arena, n->families->all, f);
  }
  add_member(f, at);
}

static bool add_load(void *user, ir_value *v, const index_map *m) {
  nest *n = user;
  const value *x = value_of(n->l, v);
  (void)m;
  if (value_is_load(x)) add(n, x->load, false);
  return true;
}

static int64_t lowest(const family *f) {
  int64_t low = f->member[0];
  for (unsigned i = 1; i < f->n; i++) low = MIN(low, f->member[i]);
  return low;
}

static int64_t highest(const family *f) {
  int64_t high = f->member[0];
  for (unsigned i = 1; i < f->n; i++) high = MAX(high, f->member[i]);
  return high;
}

void families_find(nest *n, group *g) {
  lower *l = n->l;
  if (!is_on(l, PATTERN_FAMILY)) return;
  n->families = arena_new(l->arena, struct families);
  *n->families = (struct families){0};
  visit_group(l, g, add_load, n);
  for (unsigned i = 0; i < g->n_roots; i++)
    if (g->roots[i].kind == ROOT_STORE) add(n, g->roots[i].access, true);
  nest_place_level(n, 0);
  for (uint32_t i = 0; i < n->families->all.len; i++) {
    family *f = n->families->all.data[i];
    if (f->n > 1) f->base = fold_add(l, f->root, k64(l, lowest(f)));
  }
}

bool family_asked(nest *n, const access *a, const index_map *m, unsigned kind) {
  int64_t at;
  const family *f = find(n->families, a, false, &at);
  if (!f || f->n < 2 || highest(f) - lowest(f) > CACHE_LINE) return false;
  const char *key = (const char *)f + kind;
  if (memo_find(n, key, m)) return true;
  memo_put(n, key, m, (lane_value){.v = f->root});
  return false;
}

/* ---- loads ---------------------------------------------------------------------------------- */

/* Where the family's first element of this copy is: the loops' part, and so many bytes. False: it
 * isn't known how many. */
static bool first_of_copy(nest *n, const family *f, const index_map *m, llv *from, int64_t *bytes) {
  index_map loops = *m;
  const coef *stride = n->exact ? f->like->exact : f->like->stride;
  int64_t c;
  *bytes = 0;
  for (unsigned k = 0; k < m->n; k++) {
    if (m->bit[k] != BIT_ONE) continue;
    if (!coef_const(stride[k], &c)) return false;
    *bytes += c;
    loops.bit[k] = BIT_ZERO;
  }
  *from = linear_scalar(n, f, f->base, stride, 64, &loops).v;
  return true;
}

/* So many bytes from `from`. */
static llv vector_at(nest *n, family *f, llv from, int64_t at, LLVMTypeRef elem, unsigned lanes) {
  lower *l = n->l;
  for (uint32_t i = 0; i < f->vectors.len; i++)
    if (f->vectors.data[i].from == at && emit_lanes(f->vectors.data[i].v) == lanes)
      return f->vectors.data[i].v;
  llv v = lanes_load_vector(l, elem, lanes, as_ptr(l, fold_add(l, from, k64(l, at))), NULL);
  vec_push(l->arena, f->vectors, (family_vector){at, v});
  return v;
}

/* Lanes that begin `by` elements behind those of the family's first member and follow each other.
 * The next copy begins with the vector behind; the last one loads what ends where the last member
 * does. */
static llv load_shifted(nest *n, family *f, llv from, int64_t at, int64_t by, LLVMTypeRef elem) {
  lower *l = n->l;
  unsigned lanes = nest_lane_count(n);
  int64_t unit = lanes_elem_bytes(elem), size = unit * lanes, all = size << n->unroll_n;
  int64_t reach = (highest(f) - lowest(f)) / unit;
  llv first = vector_at(n, f, from, at, elem, lanes), pick[1 << LANE_BITS];
  if (by == 0) return first;
  bool is_last = at % all + size == all;
  llv next = vector_at(n, f, from, is_last ? at + reach * unit : at + size, elem, lanes);
  for (int64_t i = 0; i < lanes; i++) {
    int64_t lane = by + i;
    if (lane >= lanes && is_last) lane += lanes - reach;
    pick[i] = LLVMConstInt(l->e.i32, (uint64_t)lane, 0);
  }
  return LLVMBuildShuffleVector(l->e.b, first, next, LLVMConstVector(pick, lanes), "");
}

/* Lanes `step` elements apart, of a piece of them: from `step` vectors as long, the last of which
 * ends where the last member does. */
static llv load_between(nest *n, family *f, llv from, int64_t at, int64_t by, int64_t step,
                        LLVMTypeRef elem, unsigned count) {
  lower *l = n->l;
  int64_t unit = lanes_elem_bytes(elem), reach = (highest(f) - lowest(f)) / unit;
  int64_t span = (count - 1) * step + 1 + reach, last = span - count;
  llv v = NULL, pick[1 << LANE_BITS];
  unsigned known = 0;
  for (int64_t k = 0; k < step && known < count; k++) {
    int64_t begin = MIN(k * count, last);
    unsigned here = known;
    while (here < count && here * step + by < begin + count) here++;
    if (here == known) continue;
    llv next = vector_at(n, f, from, at + begin * unit, elem, count);
    for (unsigned i = 0; i < count; i++) {
      bool is_new = i >= known && i < here;
      int64_t lane = is_new ? i * step + by - begin + (v ? count : 0) : i;
      pick[i] = i < here ? LLVMConstInt(l->e.i32, (uint64_t)lane, 0) : LLVMGetUndef(l->e.i32);
    }
    v = LLVMBuildShuffleVector(l->e.b, v ? v : next, v ? next : LLVMGetPoison(LLVMTypeOf(next)),
                               LLVMConstVector(pick, count), "");
    known = here;
  }
  return v;
}

/* Shifting is one instruction where a register is as long as a cache line: there, every load that
 * isn't aligned takes two lines. */
static bool may_shift(const nest *n, int64_t unit, int64_t reach) {
  enum { FEW = 4 };
  const lower *l = n->l;
  return l->e.isa.level >= CPU_AVX512 && unit >= 4 && unit << n->lane_n == CACHE_LINE &&
         reach <= FEW;
}

/* Are copies neighbours of the lanes? */
static bool copies_follow(const nest *n, const family *f, int64_t size) {
  int64_t c;
  for (unsigned j = 0; j < n->unroll_n; j++) {
    bool follows = false;
    for (unsigned k = 0; k < f->like->n; k++)
      follows |= k == (unsigned)n->unroll[j] && coef_const(f->like->exact[k], &c) && c == size << j;
    if (!follows) return false;
  }
  return true;
}

llv family_load(nest *n, const access *a, const index_map *m, const location *w, LLVMTypeRef elem,
                int64_t step) {
  enum { SHORT = 16 };
  lower *l = n->l;
  int64_t at, first, unit = access_unit(a);
  family *f = n->exact ? find(n->families, a, false, &at) : NULL;
  if (!f || f->n < 2 || step < 1 || step > LONGEST_STEP || w->vector || n->lane_n == 0) return NULL;
  int64_t by = at - lowest(f), reach = highest(f) - lowest(f);
  if (by % unit || reach % unit) return NULL;
  unsigned lanes = nest_lane_count(n), size = lanes_elem_bytes(elem);
  bool shifts = step == 1 && may_shift(n, unit, reach / unit);
  if (step == 1 ? !shifts || !copies_follow(n, f, unit << n->lane_n) : reach / unit >= step)
    return NULL;
  llv from, pieces[1 << LANE_BITS];
  if (!first_of_copy(n, f, m, &from, &first)) return NULL;
  nest_place_level(n, w->level);
  NOTE_MATCH(l, FAMILY, .op = a->op);
  if (shifts) return load_shifted(n, f, from, first, by / unit, elem);
  unsigned length = size < 4 ? MIN(lanes, SHORT / size) : lanes;
  for (unsigned i = 0; i < lanes; i += length)
    pieces[i / length] =
        load_between(n, f, from, first + i * step * unit, by / unit, step, elem, length);
  return lanes_join(l, pieces, lanes / length);
}

/* ---- stores --------------------------------------------------------------------------------- */

/* One behind the other, the first lanes of all vectors, then the second ones: vector number k of as
 * many. */
static llv weave(lower *l, const llv *v, unsigned count, unsigned k) {
  unsigned lanes = emit_lanes(v[0]);
  llv out = NULL, pick[1 << LANE_BITS];
  for (unsigned from = 0; from + 1 < count; from++) {
    llv left = out ? out : v[0], right = v[from + 1];
    for (unsigned i = 0; i < lanes; i++) {
      unsigned of = (k * lanes + i) % count, lane = (k * lanes + i) / count;
      unsigned at = of == from + 1 ? lanes + lane : out ? i : lane;
      pick[i] = of <= from + 1 ? LLVMConstInt(l->e.i32, at, 0) : LLVMGetUndef(l->e.i32);
    }
    out = LLVMBuildShuffleVector(l->e.b, left, right, LLVMConstVector(pick, lanes), "");
  }
  return out;
}

/* The family's members in order, by their roots; false: there is a gap, or more than one store to
 * an element. */
static bool fills(const nest *n, const group *g, family *f, unsigned step, int64_t unit,
                  unsigned *roots) {
  unsigned found = 0;
  for (unsigned i = 0; i < g->n_roots; i++) {
    int64_t at;
    if (g->roots[i].kind != ROOT_STORE || find(n->families, g->roots[i].access, true, &at) != f)
      continue;
    int64_t behind = at - lowest(f);
    if (behind / unit >= step || behind % unit || found == step) return false;
    roots[behind / unit] = i;
    found++;
  }
  return found == step && f->n == step;
}

/* Which lanes exist of each; false: all of them. */
static bool masks_of(nest *n, const group *g, const unsigned *roots, unsigned count,
                     const index_map *m, llv *masks) {
  unsigned lanes = nest_lane_count(n);
  bool any = false;
  for (unsigned i = 0; i < count; i++) {
    masks[i] = gen_mask(n, g->roots[roots[i]].access, m).v;
    any |= masks[i] != NULL;
  }
  nest_place_level(n, n->n_levels - 1);
  for (unsigned i = 0; i < count; i++) {
    llv all = LLVMConstAllOnes(LLVMVectorType(n->l->e.i1, lanes));
    if (!masks[i]) masks[i] = all;
    if (emit_lanes(masks[i]) == 1) masks[i] = emit_splat(&n->l->e, masks[i], lanes);
  }
  return any;
}

/* Vectors of which all lanes exist, or those that the masks (NULL: all) of what was woven say. Most
 * of what the guarded version's loop stores is whole, and masks are woven in many instructions. */
static void store_woven(nest *n, const llv *v, const llv *to, const llv *masks, unsigned count) {
  lower *l = n->l;
  bool may_fork = masks && n->n_levels > 1 && !l->seldom;
  llblock all = NULL, some = NULL;
  if (may_fork) {
    llv both = masks[0];
    for (unsigned k = 1; k < count; k++) both = LLVMBuildAnd(l->e.b, both, masks[k], "");
    nest_fork(n, lanes_all(l, both), &all, &some);
    LLVMPositionBuilderBefore(l->e.b, LLVMGetBasicBlockTerminator(all));
  }
  for (unsigned k = 0; k < count && (may_fork || !masks); k++)
    lanes_store_vector(l, v[k], to[k], NULL);
  if (may_fork) LLVMPositionBuilderBefore(l->e.b, LLVMGetBasicBlockTerminator(some));
  for (unsigned k = 0; k < count && masks; k++)
    lanes_store_vector(l, v[k], to[k], weave(l, masks, count, k));
  if (may_fork) nest_place_level(n, n->n_levels - 1);
}

static bool store_one(nest *n, const group *g, const root *r, const index_map *m, const llv *v,
                      bool *done) {
  lower *l = n->l;
  const access *a = r->access;
  int64_t at, unit = access_unit(a), bytes;
  unsigned roots[LONGEST_STEP], lanes = nest_lane_count(n);
  family *f = find(n->families, a, true, &at);
  location w = location_of(n, a, m);
  int64_t step = location_step(n, &w, unit);
  if (!f || f->n < 2 || w.vector || step < 2 || step > LONGEST_STEP ||
      !fills(n, g, f, (unsigned)step, unit, roots))
    return false;
  llv from, parts[LONGEST_STEP], masks[LONGEST_STEP], whole[LONGEST_STEP], to[LONGEST_STEP];
  if (!first_of_copy(n, f, m, &from, &bytes)) return false;
  bool masked = masks_of(n, g, roots, (unsigned)step, m, masks);
  nest_place_level(n, n->n_levels - 1);
  for (unsigned i = 0; i < step; i++) {
    parts[i] = emit_encode(&l->e, a->elem, v[roots[i]]);
    done[roots[i]] = true;
  }
  for (unsigned k = 0; k < step; k++) {
    whole[k] = weave(l, parts, (unsigned)step, k);
    to[k] = as_ptr(l, fold_add(l, from, k64(l, bytes + (int64_t)(k * lanes) * unit)));
  }
  store_woven(n, whole, to, masked ? masks : NULL, (unsigned)step);
  NOTE_MATCH(l, FAMILY, .op = r->op);
  return true;
}

void family_store(nest *n, const group *g, const index_map *m, const llv *v, bool *done) {
  if (!n->families || n->lane_n == 0 || group_count_stores(g) < 2) return;
  for (unsigned i = 0; i < g->n_roots; i++)
    if (g->roots[i].kind == ROOT_STORE && !done[i]) store_one(n, g, &g->roots[i], m, v, done);
}
