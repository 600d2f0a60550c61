/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Loads and stores inside a nest. Lanes whose addresses follow each other are accessed as one
 * vector, or as several shorter ones; lanes of one address once; anything else lane by lane.
 */
#include "llvm/conv.h"
#include "llvm/elementwise.h"

#include "cpu/nest/gen_memory.h"

#include "cpu/core/fold.h"
#include "cpu/core/function.h"
#include "cpu/core/notes.h"
#include "cpu/plan/access.h"
#include "cpu/plan/map.h"
#include "cpu/plan/scratch.h"
#include "cpu/nest/bits.h"
#include "cpu/nest/family.h"
#include "cpu/nest/gather.h"
#include "cpu/nest/gen.h"
#include "cpu/nest/gen_prefetch.h"
#include "cpu/nest/linear.h"
#include "cpu/nest/location.h"
#include "cpu/nest/nest.h"
#include "cpu/nest/nibbles.h"
#include "cpu/nest/vectors.h"
#include "cpu/nest/write_combine.h"

enum { ZEROS = 64 }; /* bytes */

/* ---- addresses ------------------------------------------------------------------------------ */

/* ---- masks ---------------------------------------------------------------------------------- */

static lane_value both(nest *n, lane_value a, lane_value b) {
  lower *l = n->l;
  if (!a.v) return b;
  if (!b.v) return a;
  lane_value r = {.level = MAX(a.level, b.level)};
  unsigned lanes = MAX(emit_lanes(a.v), emit_lanes(b.v));
  nest_place_level(n, a.level);
  if (emit_lanes(a.v) < lanes) a.v = emit_splat(&l->e, a.v, lanes);
  nest_place_level(n, b.level);
  if (emit_lanes(b.v) < lanes) b.v = emit_splat(&l->e, b.v, lanes);
  nest_place_level(n, r.level);
  r.v = LLVMBuildAnd(l->e.b, a.v, b.v, "");
  return r;
}

/* The index that the bound is for. */
static lane_value bounded_index(nest *n, const access_bound *bound, const index_map *m) {
  coef c[MAP_BITS];
  for (unsigned j = 0; j < bound->n; j++) c[j] = (coef){.m = INT64_C(1) << j};
  index_map p = map_part(m, bound->first, bound->n);
  return gen_linear(n, bound, k_int(n->l, 32, 0), c, 32, &p);
}

/* Is it within the bound, and `where` holds (a scalar; NULL: that holds)? Where it doesn't the
 * bound is 0, so there is one comparison of lanes and nothing to combine it with. */
static lane_value bound_mask(nest *n, const access_bound *bound, lane_value i, lane_value where) {
  lower *l = n->l;
  nest_place_level(n, where.level);
  llv hi = LLVMBuildTrunc(l->e.b, bound->hi, l->e.i32, "");
  if (where.v) hi = LLVMBuildSelect(l->e.b, where.v, hi, k_int(l, 32, 0), "");
  hi = emit_splat(&l->e, hi, emit_lanes(i.v));
  lane_value r = {.level = MAX(i.level, where.level)};
  nest_place_level(n, r.level);
  r.v = LLVMBuildICmp(l->e.b, LLVMIntULT, i.v, hi, "");
  return r;
}

/* All bounds: those that are the same for all lanes first. */
static lane_value bounds_mask(nest *n, const access *a, const index_map *m, lane_value r) {
  for (unsigned i = 0; i < a->n_bounds; i++) {
    lane_value at = bounded_index(n, &a->bounds[i], m);
    if (emit_lanes(at.v) == 1) r = bound_mask(n, &a->bounds[i], at, r);
  }
  for (unsigned i = 0; i < a->n_bounds; i++) {
    lane_value at = bounded_index(n, &a->bounds[i], m);
    if (emit_lanes(at.v) == 1) continue;
    bool is_scalar = !r.v || emit_lanes(r.v) == 1;
    lane_value mask = bound_mask(n, &a->bounds[i], at, is_scalar ? r : (lane_value){0});
    r = is_scalar ? mask : both(n, r, mask);
  }
  return r;
}

static lane_value index_mask(nest *n, const access *a, const index_map *m) {
  lower *l = n->l;
  index_map p = map_part(m, a->index_first, a->index_n);
  lane_value i = gen(n, a->index, &p);
  nest_place_level(n, i.level);
  unsigned lanes = emit_lanes(i.v);
  LLVMTypeRef type = lanes > 1 ? LLVMVectorType(l->e.i64, lanes) : l->e.i64;
  if (tsr_elem_bits(a->index->type->elem) < 64) i.v = LLVMBuildZExt(l->e.b, i.v, type, "");
  llv extent = emit_splat(&l->e, a->index_extent, lanes);
  i.v = LLVMBuildICmp(l->e.b, LLVMIntULT, i.v, extent, "");
  return i;
}

lane_value gen_range_mask(nest *n, const access *a, const index_map *m) {
  lower *l = n->l;
  location w = location_of(n, a, m);
  nest_place_level(n, w.level);
  llv at = w.differs ? location_vector(n, &w) : w.scalar;
  nest_place_level(n, w.level);
  llv from = LLVMBuildSub(l->e.b, at, emit_splat(&l->e, a->low, emit_lanes(at)), "");
  llv room = emit_splat(&l->e, a->room, emit_lanes(at));
  return (lane_value){.v = LLVMBuildICmp(l->e.b, LLVMIntULT, from, room, ""), .level = w.level};
}

lane_value gen_mask(nest *n, const access *a, const index_map *m) {
  lane_value r = {0};
  if (n->exact && a->checked) return r;
  bool within = n->exact && a->index; /* in all dimensions but that of the indices */
  if (a->exists && !within) r = both(n, r, (lane_value){.v = a->exists});
  if (!within) r = bounds_mask(n, a, m, r);
  if (a->mask) r = both(n, r, gen(n, a->mask, m));
  if (a->index) r = both(n, r, index_mask(n, a, m));
  if (a->low) r = both(n, r, gen_range_mask(n, a, m));
  if (r.v && a->forced) {
    nest_place_level(n, r.level);
    r.v = LLVMBuildOr(n->l->e.b, r.v, emit_splat(&n->l->e, a->forced, emit_lanes(r.v)), "");
  }
  return r;
}

/* ---- vectors -------------------------------------------------------------------------------- */

/* A vector of neighbours in the guarded version's loop? There, most are whole. */
static bool is_mostly_whole(const nest *n, const location *w, llv mask) {
  return !n->exact && mask && emit_lanes(mask) > 1 && !LLVMIsConstant(mask) && !w->vector &&
         w->run == n->lane_n && w->level + 1 == n->n_levels && w->level > 0;
}

/* Processors fetch nothing ahead of loads of some lanes: what lies a few lines further along the
 * row is fetched, if it isn't in a cache already. */
static void fetch_along(nest *n, const access *a, const index_map *m, const location *w, llv mask) {
  enum { FETCH_BYTES = 2048 };
  emit *e = &n->l->e;
  if (!is_mostly_whole(n, w, mask) || a->next || access_elem_bits(a) < 8) return;
  if ((a->pointers && n->part.from) || family_asked(n, a, m, 1)) return;
  if (!lanes_have_masked_loads(e, emit_storage_type(e, a->elem))) return;
  emit_prefetch(e, emit_offsetk(e, as_ptr(n->l, w->scalar), FETCH_BYTES));
}

/* Such a vector, by a load of its own where all of it exists and the processor has no others. */
static llv load_mostly(nest *n, LLVMTypeRef elem, llv ptr, llv mask, llv other) {
  lower *l = n->l;
  emit *e = &l->e;
  if (lanes_have_masked_loads(e, elem)) return lanes_load_some(l, ptr, mask, other);
  llblock whole, some;
  nest_fork(n, lanes_all(l, mask), &whole, &some);
  LLVMPositionBuilderBefore(e->b, LLVMGetBasicBlockTerminator(whole));
  llv all = lanes_load(l, LLVMTypeOf(other), ptr, NULL);
  LLVMPositionBuilderBefore(e->b, LLVMGetBasicBlockTerminator(some));
  llv rest = lanes_load_some(l, ptr, mask, other);
  llblock end = LLVMGetInsertBlock(e->b);
  nest_place_level(n, n->n_levels - 1);
  llv phi = LLVMBuildPhi(e->b, LLVMTypeOf(other), "");
  LLVMAddIncoming(phi, (llv[]){all, rest}, (llblock[]){whole, end}, 2);
  return phi;
}

/* ---- accesses ------------------------------------------------------------------------------- */

/* The address of the last lane, which comes first in memory where lanes go backwards. */
static llv last_lane(nest *n, const location *w, int64_t unit) {
  return as_ptr(n->l,
                fold_add(n->l, w->scalar, k64(n->l, unit * (1 - (int64_t)nest_lane_count(n)))));
}

static llv load_backwards(nest *n, const location *w, LLVMTypeRef elem, llv mask, int64_t unit) {
  lower *l = n->l;
  if (mask) mask = lanes_reverse(l, mask);
  llv v = lanes_load_vector(l, elem, nest_lane_count(n), last_lane(n, w, unit), mask);
  return lanes_reverse(l, v);
}

/* Of lanes that are accessed by whole vectors though they lie backwards (-1) or a few apart; else
 * 0.
 */
static int64_t vector_step(nest *n, const access *a, const location *w, int64_t unit,
                           bool may_be_few) {
  int64_t step = is_on(n->l, PATTERN_CONSTANT_STRIDE) ? location_step(n, w, unit) : 0;
  bool few = may_be_few && step > 1 && step <= LONGEST_STEP;
  if (!few && step != -1) return 0;
  NOTE_MATCH(n->l, CONSTANT_STRIDE, .op = a->op);
  return step;
}

static llv load_storage(nest *n, const access *a, const index_map *m, location *w, LLVMTypeRef elem,
                        llv mask) {
  lower *l = n->l;
  unsigned lanes = nest_lane_count(n);
  if (!w->differs && (!mask || emit_lanes(mask) == 1))
    return lanes_load(l, elem, as_ptr(l, w->scalar), mask);
  mask = location_mask(n, mask);
  int64_t unit = lanes_elem_bytes(elem);
  if (is_mostly_whole(n, w, mask))
    return load_mostly(n, elem, as_ptr(l, w->scalar), mask,
                       LLVMConstNull(LLVMVectorType(elem, lanes)));
  llv shared = mask ? NULL : family_load(n, a, m, w, elem, location_step(n, w, unit));
  if (shared) return shared;
  int64_t step = vector_step(n, a, w, unit, !mask);
  if (step == -1) return load_backwards(n, w, elem, mask, unit);
  if (step > 0) return location_load_apart(n, elem, as_ptr(l, w->scalar), step, unit);
  if (!location_in_pieces(n, w, mask)) {
    llv at = location_vector(n, w);
    nest_place_level(n, w->level);
    return lanes_gather(l, elem, at, mask);
  }
  unsigned length = 1u << w->run, count = lanes / length;
  llv pieces[MAX_PIECES];
  for (unsigned i = 0; i < count; i++) {
    llv p = as_ptr(l, location_piece(l, w, n->lane_n, i * length));
    pieces[i] = lanes_load_vector(l, elem, length, p,
                                  mask ? lanes_slice(l, mask, i * length, length) : NULL);
  }
  return lanes_join(l, pieces, count);
}

/* Vectors of half a line become one each with that of the next copy. */
static void join_late_stores(nest *n, unsigned roots) {
  lower *l = n->l;
  late_store *x = n->late.data;
  uint32_t made = 0;
  unsigned lanes = emit_lanes(x->v);
  if (lanes * lanes_elem_bytes(LLVMGetElementType(LLVMTypeOf(x->v))) == CACHE_LINE) return;
  for (uint32_t i = 0; i < n->late.len; i += 2 * roots)
    for (unsigned k = i; k < i + roots; k++)
      x[made++] = (late_store){lanes_join(l, (llv[]){x[k].v, x[k + roots].v}, 2), x[k].ptr};
  n->late.len = made;
}

/* One test for all copies of the body. */
void gen_late_stores(nest *n) {
  lower *l = n->l;
  const late_store *x = n->late.data;
  llblock past, into;
  if (!n->late.len) return;
  unsigned roots = n->late.len >> n->unroll_n;
  if (n->combines) join_late_stores(n, roots);
  nest_fork(n, n->streams, &past, &into);
  LLVMPositionBuilderBefore(l->e.b, LLVMGetBasicBlockTerminator(past));
  for (uint32_t i = 0; i < n->late_fetches.len; i++) {
    emit_prefetch(&l->e, n->late_fetches.data[i].at);
    emit_prefetch_near(&l->e, n->late_fetches.data[i].near);
  }
  n->late_fetches.len = 0;
  for (unsigned i = 0; i < roots && n->combines; i++)
    store_combined(n, x + i, n->late.len / roots, roots);
  for (uint32_t i = 0; i < n->late.len && !n->combines; i++)
    lanes_store_nontemporal(l, x[i].v, x[i].ptr);
  LLVMPositionBuilderBefore(l->e.b, LLVMGetBasicBlockTerminator(into));
  for (uint32_t i = 0; i < n->late.len && !LLVMIsConstant(n->streams); i++)
    lanes_store(l, x[i].v, x[i].ptr, NULL);
  n->late.len = 0;
  nest_place_level(n, n->n_levels - 1);
}

/* A vector most of which are whole. Processors wait for the line of a store of some lanes. */
static void store_mostly(nest *n, llv v, llv ptr, llv mask) {
  lower *l = n->l;
  llblock whole, some;
  nest_fork(n, lanes_all(l, mask), &whole, &some);
  LLVMPositionBuilderBefore(l->e.b, LLVMGetBasicBlockTerminator(whole));
  lanes_store(l, v, ptr, NULL);
  LLVMPositionBuilderBefore(l->e.b, LLVMGetBasicBlockTerminator(some));
  lanes_store_vector(l, v, ptr, mask);
  nest_place_level(n, n->n_levels - 1);
}

/* Lanes that lie a few elements apart: whole vectors of which some lanes are stored. */
static void store_apart(nest *n, llv v, llv first, int64_t step, int64_t unit) {
  lower *l = n->l;
  unsigned lanes = nest_lane_count(n);
  llv pick[1 << LANE_BITS], is[1 << LANE_BITS];
  for (unsigned k = 0; k < step; k++) {
    for (unsigned i = 0; i < lanes; i++) {
      unsigned at = k * lanes + i;
      is[i] = LLVMConstInt(l->e.i1, at % step == 0, 0);
      pick[i] = LLVMConstInt(l->e.i32, at / step, 0);
    }
    llv spread = LLVMBuildShuffleVector(l->e.b, v, v, LLVMConstVector(pick, lanes), "");
    lanes_store_vector(l, spread, emit_offsetk(&l->e, first, (int64_t)(k * lanes) * unit),
                       LLVMConstVector(is, lanes));
  }
}

static void store_storage(nest *n, const access *a, location *w, llv v, llv mask) {
  lower *l = n->l;
  unsigned lanes = nest_lane_count(n);
  if (lanes == 1) {
    lanes_store(l, v, as_ptr(l, w->scalar), mask);
    return;
  }
  mask = location_mask(n, mask);
  int64_t unit = lanes_elem_bytes(LLVMGetElementType(LLVMTypeOf(v)));
  int64_t step = vector_step(n, a, w, unit, !mask && l->e.isa.level >= CPU_AVX512);
  if (step > 0) {
    store_apart(n, v, as_ptr(l, w->scalar), step, unit);
    return;
  }
  if (step == -1) {
    lanes_store_vector(l, lanes_reverse(l, v), last_lane(n, w, unit),
                       mask ? lanes_reverse(l, mask) : NULL);
    return;
  }
  if (!location_in_pieces(n, w, mask)) {
    llv at = location_vector(n, w);
    nest_place_level(n, w->level);
    lanes_scatter(l, v, at, mask);
    return;
  }
  if (n->streams && !mask && w->run == n->lane_n) {
    if (LLVMIsConstant(n->streams) && !n->combines)
      lanes_store_nontemporal(l, v, as_ptr(l, w->scalar));
    else
      vec_push(l->arena, n->late, (late_store){v, as_ptr(l, w->scalar)});
    return;
  }
  gen_late_stores(n);
  if (is_mostly_whole(n, w, mask)) {
    store_mostly(n, v, as_ptr(l, w->scalar), mask);
    return;
  }
  unsigned length = 1u << w->run;
  for (unsigned at = 0; at < lanes; at += length)
    lanes_store_vector(l, lanes_slice(l, v, at, length),
                       as_ptr(l, location_piece(l, w, n->lane_n, at)),
                       mask ? lanes_slice(l, mask, at, length) : NULL);
}

lane_value gen_load_bytes(nest *n, const access *a, const index_map *m) {
  lower *l = n->l;
  if (a->memory) buffer_touch(l, a->memory);
  location w = location_of(n, a, m);
  nest_place_level(n, w.level);
  if (w.level + 1 == n->n_levels) gen_prefetch(n, a, m, &w);
  llv at = nibbles_byte(l, w.scalar);
  return (lane_value){.v = lanes_load_vector(l, l->e.i8, nest_lane_count(n), at, NULL),
                      .level = w.level};
}

/* Lanes that exist or not all together and are zero when they don't, as those of a gathered row: an
 * ordinary load, from zeros if they don't. False when that cannot be done. */
static bool load_together(nest *n, const access *a, location *w, lane_value mask, lane_value pad,
                          llv *out) {
  lower *l = n->l;
  unsigned bits = access_elem_bits(a), count = nest_lane_count(n);
  bool zero = pad.v && LLVMIsNull(pad.v) && a->elem != TSR_F8E8M0FNU;
  if (!mask.v || emit_lanes(mask.v) > 1 || count == 1 || w->vector || w->run < n->lane_n || !zero ||
      bits < 8 || count * bits > 8 * ZEROS)
    return false;
  if (!l->zeros) {
    static const char nothing[ZEROS];
    l->zeros = lower_global_bytes(l, nothing, sizeof nothing, ZEROS);
  }
  llv at = LLVMBuildSelect(l->e.b, mask.v, as_ptr(l, w->scalar), l->zeros, "");
  *out = lanes_load_vector(l, emit_storage_type(&l->e, a->elem), count, at, NULL);
  return true;
}

/* Lanes that follow each other, each of which exists or not, of a format that is loaded as it is: a
 * masked load that puts the padding where they don't. False when it isn't such a load. */
static bool load_padded(nest *n, const access *a, location *w, lane_value mask, lane_value pad,
                        llv *out) {
  lower *l = n->l;
  unsigned count = nest_lane_count(n);
  LLVMTypeRef elem = emit_storage_type(&l->e, a->elem);
  bool as_it_is =
      a->elem == TSR_F32 || a->elem == TSR_F64 || a->elem == TSR_I32 || a->elem == TSR_I64;
  if (!as_it_is || !mask.v || emit_lanes(mask.v) != count || count == 1) return false;
  if (w->vector || !w->differs || w->run < n->lane_n) return false;
  llv other = emit_lanes(pad.v) < count ? emit_splat(&l->e, pad.v, count) : pad.v;
  if (LLVMTypeOf(other) != LLVMVectorType(elem, count)) return false;
  llv at = as_ptr(l, w->scalar);
  *out = is_mostly_whole(n, w, mask.v) ? load_mostly(n, elem, at, mask.v, other)
                                       : lanes_load_some(l, at, mask.v, other);
  return true;
}

void gen_load_place(nest *n, const access *a, const index_map *m, location *w, lane_value *mask,
                    lane_value *pad) {
  *w = location_of(n, a, m);
  *mask = gen_mask(n, a, m);
  *pad = (lane_value){0};
  if (mask->v && a->padding)
    *pad = gen(n, a->padding, m);
  else if (mask->v)
    pad->v = a->pad;
  w->level = MAX(w->level, MAX(mask->level, pad->level));
}

lane_value gen_load(nest *n, const access *a, const index_map *m) {
  lower *l = n->l;
  emit *e = &l->e;
  location w;
  lane_value mask, pad;
  if (a->memory) buffer_touch(l, a->memory);
  gen_load_place(n, a, m, &w, &mask, &pad);
  lane_value r = {.level = w.level};
  nest_place_level(n, r.level);
  int half = access_elem_bits(a) == 4 && !mask.v ? nibbles_half(n, a, m, &w) : -1;
  if ((n->exact || (n->part.from && !a->pointers)) && w.level + 1 == n->n_levels && half != 1)
    gen_prefetch(n, a, m, &w);
  if (half >= 0) {
    r.v = nibbles_load_half(n, a, &w, half);
    return r;
  }
  if (access_shares_bytes(a) && bits_are_run(n, &w, mask.v)) {
    r.v = bits_load_run(n, a->elem, &w);
    return r;
  }
  fetch_along(n, a, m, &w, mask.v);
  llv v;
  if (load_together(n, a, &w, mask, pad, &v) || load_padded(n, a, &w, mask, pad, &v) ||
      gather_load(n, a, m, &w, mask, pad, &v)) {
    r.v = emit_decode(e, a->elem, v);
    return r;
  }
  if (access_shares_bytes(a))
    v = bits_load(n, access_elem_bits(a), &w, mask.v);
  else if (access_elem_bits(a) != 4)
    v = load_storage(n, a, m, &w, emit_storage_type(e, a->elem), mask.v);
  else if (n->exact && a->checked && w.differs && n->lane_n && w.run == n->lane_n && !mask.v)
    v = nibbles_load_pairs(n, &w);
  else
    v = nibbles_load(n, &w, mask.v);
  r.v = emit_decode(e, a->elem, v);
  if (!mask.v) return r;
  unsigned lanes = emit_lanes(r.v);
  if (emit_lanes(pad.v) > lanes) lanes = emit_lanes(pad.v);
  if (emit_lanes(r.v) < lanes) r.v = emit_splat(e, r.v, lanes);
  llv other = emit_lanes(pad.v) < lanes ? emit_splat(e, pad.v, lanes) : pad.v;
  llv choose = emit_lanes(mask.v) < lanes ? emit_splat(e, mask.v, lanes) : mask.v;
  r.v = emit_choose(e, a->elem, choose, r.v, other);
  return r;
}

void gen_store(nest *n, const access *a, const index_map *m, llv v) {
  lower *l = n->l;
  location w = location_of(n, a, m);
  lane_value mask = gen_mask(n, a, m);
  w.level = n->n_levels - 1;
  nest_place_level(n, w.level);
  llv s = emit_encode(&l->e, a->elem, v);
  if (access_shares_bytes(a))
    bits_store(n, access_elem_bits(a), &w, s, mask.v);
  else if (access_elem_bits(a) == 4)
    nibbles_store(n, &w, s, mask.v);
  else
    store_storage(n, a, &w, s, mask.v);
}

llv gen_any_exists(nest *n, const access *a, const index_map *m) {
  lane_value mask = gen_mask(n, a, m);
  if (!mask.v) return NULL;
  nest_place_level(n, n->n_levels - 1);
  return emit_any_lane(&n->l->e, mask.v);
}

lane_value gen_address(nest *n, const access *a, const index_map *m) {
  location w = location_of(n, a, m);
  return (lane_value){.v = w.differs ? location_vector(n, &w) : w.scalar, .level = w.level};
}
