/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Loads and stores inside a nest. Lanes whose addresses follow each other are accessed as one
 * vector, or as several shorter ones; lanes of one address once; anything else lane by lane.
 */
#include "cpu/lower/lower.h"

enum { ZEROS = 64 };      /* bytes */
enum { MAX_PIECES = 32 }; /* shorter vectors that one access is made of: of two lanes, or more */
enum { MAX_MASKED = 4 };  /* the same of lanes that may not exist, before it is a gather */

/* Addresses of the lanes: scalar + lane[j] for each set bit j of the lane's number, or a vector. */
typedef struct location {
  llv scalar; /* i64; NULL when only `vector` is known */
  llv vector; /* <lanes x i64> */
  coef lane[LANE_BITS];
  bool differs; /* between lanes */
  unsigned run; /* log2 of how many lanes follow each other */
  bool counts;  /* scalar is the part of the offset that counts: see buffer.instead */
  unsigned level;
} location;

/* ---- addresses ------------------------------------------------------------------------------ */

static index_map part_of(const index_map *m, unsigned first, unsigned n) {
  index_map p = {.n = (uint8_t)n};
  memcpy(p.bit, m->bit + first, n);
  return p;
}

static void find_run(nest *n, location *w, int64_t unit) {
  int64_t v;
  while (w->run < n->lane_n && coef_const(w->lane[w->run], &v) && v == unit << w->run) w->run++;
}

static llv location_vector(nest *n, location *w) {
  if (w->vector) return w->vector;
  llv offsets = lane_offsets(n, w->lane, 64);
  nest_place_level(n, w->level);
  llv all = emit_splat(&n->l->e, w->scalar, nest_lane_count(n));
  return LLVMBuildAdd(n->l->e.b, all, offsets, "");
}

/* Adds i * step, of one lane or all. */
static void add_to_location(nest *n, location *w, lane_value i, bool is_signed, llv step) {
  lower *l = n->l;
  w->level = MAX(w->level, i.level);
  nest_place_level(n, w->level);
  unsigned lanes = emit_lanes(i.v);
  LLVMTypeRef type = lanes > 1 ? LLVMVectorType(l->e.i64, lanes) : l->e.i64;
  llv wide = i.v;
  if (LLVMTypeOf(wide) != type)
    wide =
        is_signed ? LLVMBuildSExt(l->e.b, wide, type, "") : LLVMBuildZExt(l->e.b, wide, type, "");
  llv term = LLVMBuildMul(l->e.b, wide, emit_splat(&l->e, step, lanes), "");
  if (lanes == 1 && !w->vector) {
    w->scalar = LLVMBuildAdd(l->e.b, w->scalar, term, "");
    return;
  }
  llv base = location_vector(n, w);
  nest_place_level(n, w->level);
  if (lanes == 1) term = emit_splat(&l->e, term, emit_lanes(base));
  w->vector = LLVMBuildAdd(l->e.b, base, term, "");
  w->differs = true;
  w->run = 0;
}

static void add_index(nest *n, const access *a, const index_map *m, location *w) {
  index_map p = part_of(m, a->index_first, a->index_n);
  add_to_location(n, w, gen(n, a->index, &p), false, a->index_stride);
}

static void add_terms(nest *n, const access *a, const index_map *m, location *w) {
  for (unsigned i = 0; i < a->terms.n; i++) {
    ir_value *v = a->terms.v[i];
    int64_t unit = v->type->elem == TSR_PTR ? 1 : access_elem_bits(a) / 8;
    add_to_location(n, w, gen(n, v, m), true, k64(n->l, unit));
  }
}

static bool unit_is_nibble(const access *a) {
  return access_elem_bits(a) == 4;
}

static location locate(nest *n, const access *a, const index_map *m) {
  location w = {0};
  int64_t unit = unit_is_nibble(a) ? 1 : access_elem_bits(a) / 8;
  if (!access_has_form(a) || (a->ok && !n->exact)) {
    lane_value p = gen(n, a->pointers, m);
    w.level = p.level;
    w.differs = emit_lanes(p.v) > 1;
    if (unit_is_nibble(a)) { /* a pointer names a byte; the element is its low half */
      nest_place_level(n, p.level);
      p.v = LLVMBuildShl(n->l->e.b, p.v, emit_const_int(&n->l->e, LLVMTypeOf(p.v), 1), "");
    }
    if (w.differs)
      w.vector = p.v;
    else
      w.scalar = p.v;
    return w;
  }
  const coef *stride = n->exact ? a->exact : a->stride;
  lane_value s = linear_scalar(n, a, a->base, stride, 64, m);
  w.scalar = s.v;
  w.level = s.level;
  w.differs = lane_coefs(n, stride, m, w.lane);
  find_run(n, &w, unit);
  if (a->index) add_index(n, a, m, &w);
  add_terms(n, a, m, &w);
  return w;
}

/* ---- masks ---------------------------------------------------------------------------------- */

static lane_value both(nest *n, lane_value a, lane_value b) {
  lower *l = n->l;
  if (!a.v) return b;
  if (!b.v) return a;
  lane_value r = {.level = MAX(a.level, b.level)};
  nest_place_level(n, r.level);
  unsigned lanes = MAX(emit_lanes(a.v), emit_lanes(b.v));
  if (emit_lanes(a.v) < lanes) a.v = emit_splat(&l->e, a.v, lanes);
  if (emit_lanes(b.v) < lanes) b.v = emit_splat(&l->e, b.v, lanes);
  r.v = LLVMBuildAnd(l->e.b, a.v, b.v, "");
  return r;
}

/* The index that the bound is for. */
static lane_value bounded_index(nest *n, const access_bound *bound, const index_map *m) {
  coef c[MAP_BITS];
  for (unsigned j = 0; j < bound->n; j++) c[j] = (coef){.m = INT64_C(1) << j};
  index_map p = part_of(m, bound->first, bound->n);
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
  index_map p = part_of(m, a->index_first, a->index_n);
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
  location w = locate(n, a, m);
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

/* Lanes first … first + count - 1 of a vector; a scalar when it is one. */
static llv slice(lower *l, llv v, unsigned first, unsigned count) {
  LLVMBuilderRef b = l->e.b;
  if (emit_lanes(v) == count) return v;
  if (count == 1) return LLVMBuildExtractElement(b, v, LLVMConstInt(l->e.i32, first, 0), "");
  llv pick[1 << LANE_BITS];
  for (unsigned i = 0; i < count; i++) pick[i] = LLVMConstInt(l->e.i32, first + i, 0);
  return LLVMBuildShuffleVector(b, v, LLVMGetPoison(LLVMTypeOf(v)), LLVMConstVector(pick, count),
                                "");
}

/* Pieces of equal length one behind the other; how many must be a power of two. */
static llv join(lower *l, llv *pieces, unsigned count) {
  for (; count > 1; count /= 2) {
    unsigned length = emit_lanes(pieces[0]);
    llv pick[2 << LANE_BITS];
    for (unsigned i = 0; i < 2 * length; i++) pick[i] = LLVMConstInt(l->e.i32, i, 0);
    for (unsigned i = 0; i < count / 2; i++)
      pieces[i] = LLVMBuildShuffleVector(l->e.b, pieces[2 * i], pieces[2 * i + 1],
                                         LLVMConstVector(pick, 2 * length), "");
  }
  return pieces[0];
}

static unsigned storage_bytes(LLVMTypeRef elem) {
  switch (LLVMGetTypeKind(elem)) {
  case LLVMDoubleTypeKind: return 8;
  case LLVMFloatTypeKind: return 4;
  default: return LLVMGetIntTypeWidth(elem) / 8;
  }
}

static llv pointers_of(lower *l, llv addresses) {
  LLVMTypeRef type = LLVMVectorType(l->e.ptr, emit_lanes(addresses));
  return LLVMBuildIntToPtr(l->e.b, addresses, type, "");
}

static llv load_one(lower *l, LLVMTypeRef type, llv ptr, llv mask) {
  if (mask) ptr = LLVMBuildSelect(l->e.b, mask, ptr, l->dummy, "");
  llv v = LLVMBuildLoad2(l->e.b, type, ptr, "");
  LLVMSetAlignment(v, 1);
  return v;
}

/* v with as many zeros behind it. */
static llv lengthen(lower *l, llv v) {
  return join(l, (llv[]){v, LLVMConstNull(LLVMTypeOf(v))}, 2);
}

/* Has the processor loads of some of these lanes? LLVM makes of others a branch for each lane. */
static bool has_masked_loads(const emit *e, LLVMTypeRef elem) {
  if (e->arm || e->isa.level == CPU_BASELINE) return false;
  return e->isa.level >= CPU_AVX512 || storage_bytes(elem) >= 4;
}

/* Lanes that aren't loaded are those of `other`. Where none is, there may be no memory at all: then
 * the instruction, which must not fault, takes hundreds of cycles.
 *
 * At AVX2, LLVM 22 would lengthen vectors of half a register itself, with undefined lanes, which it
 * may freeze later; then nothing selects the load any more. So we do it. */
static llv load_some(lower *l, llv ptr, llv mask, llv other) {
  unsigned count = emit_lanes(other);
  bool half = l->e.isa.level == CPU_AVX2 && !l->e.arm && count == 2 &&
              storage_bytes(LLVMGetElementType(LLVMTypeOf(other))) == 4;
  if (half) mask = lengthen(l, mask), other = lengthen(l, other);
  if (has_masked_loads(&l->e, LLVMGetElementType(LLVMTypeOf(other))))
    ptr = LLVMBuildSelect(l->e.b, emit_any_lane(&l->e, mask), ptr, l->dummy, "");
  LLVMTypeRef types[] = {LLVMTypeOf(other), l->e.ptr};
  llv v = emit_intrinsic(&l->e, "llvm.masked.load", types, 2, (llv[]){ptr, mask, other}, 3);
  return half ? slice(l, v, 0, count) : v;
}

static llv load_vector(lower *l, LLVMTypeRef elem, unsigned count, llv ptr, llv mask) {
  LLVMTypeRef type = LLVMVectorType(elem, count);
  return mask ? load_some(l, ptr, mask, LLVMConstNull(type)) : load_one(l, type, ptr, NULL);
}

static llv gather(lower *l, LLVMTypeRef elem, llv addresses, llv mask) {
  unsigned count = emit_lanes(addresses);
  LLVMTypeRef type = LLVMVectorType(elem, count);
  LLVMTypeRef types[] = {type, LLVMVectorType(l->e.ptr, count)};
  if (!mask) mask = LLVMConstAllOnes(LLVMVectorType(l->e.i1, count));
  llv args[] = {pointers_of(l, addresses), mask, LLVMConstNull(type)};
  return emit_intrinsic(&l->e, "llvm.masked.gather", types, 2, args, 3);
}

static void store_one(lower *l, llv v, llv ptr, llv mask) {
  if (mask) ptr = LLVMBuildSelect(l->e.b, mask, ptr, l->dummy, "");
  LLVMSetAlignment(LLVMBuildStore(l->e.b, v, ptr), 1);
}

/* Are all lanes set? */
static llv all_of(lower *l, llv mask) {
  LLVMTypeRef type = LLVMTypeOf(mask);
  return emit_intrinsic(&l->e, "llvm.vector.reduce.and", &type, 1, &mask, 1);
}

static void store_vector(lower *l, llv v, llv ptr, llv mask) {
  if (!mask) {
    store_one(l, v, ptr, NULL);
    return;
  }
  LLVMTypeRef types[] = {LLVMTypeOf(v), l->e.ptr};
  emit_intrinsic(&l->e, "llvm.masked.store", types, 2, (llv[]){v, ptr, mask}, 3);
}

static void scatter(lower *l, llv v, llv addresses, llv mask) {
  unsigned count = emit_lanes(v);
  LLVMTypeRef types[] = {LLVMTypeOf(v), LLVMVectorType(l->e.ptr, count)};
  if (!mask) mask = LLVMConstAllOnes(LLVMVectorType(l->e.i1, count));
  llv args[] = {v, pointers_of(l, addresses), mask};
  emit_intrinsic(&l->e, "llvm.masked.scatter", types, 2, args, 3);
}

/* Address of lane `at`, from the scalar part. */
static llv piece_address(lower *l, const location *w, unsigned lanes_n, unsigned at) {
  llv p = w->scalar;
  for (unsigned j = 0; j < lanes_n; j++)
    if (at >> j & 1) p = fold_add(l, p, coef_value(l, w->lane[j], 64));
  return p;
}

static bool in_pieces(const nest *n, const location *w, llv mask) {
  unsigned most = mask ? MAX_MASKED : MAX_PIECES;
  return !w->vector && w->run > 0 && 1u << (n->lane_n - w->run) <= most;
}

/* Do lanes take every other element? */
static bool every_other(const nest *n, const location *w, int64_t unit) {
  int64_t v;
  for (unsigned j = 0; j < n->lane_n; j++)
    if (!coef_const(w->lane[j], &v) || v != unit << (j + 1)) return false;
  return !w->vector && n->lane_n > 0;
}

/* These, from two vectors that reach no further than the first and the last of them. */
static llv load_every_other(nest *n, LLVMTypeRef elem, llv first, int64_t unit) {
  lower *l = n->l;
  unsigned lanes = nest_lane_count(n);
  llv back = emit_behindk(&l->e, first, (int64_t)(lanes - 1) * unit), pick[1 << LANE_BITS];
  llv a = load_vector(l, elem, lanes, first, NULL);
  llv b = load_vector(l, elem, lanes, back, NULL);
  for (unsigned i = 0; i < lanes; i++) {
    unsigned at = 2 * i < lanes ? 2 * i : lanes + (2 * i - (lanes - 1));
    pick[i] = LLVMConstInt(l->e.i32, at, 0);
  }
  return LLVMBuildShuffleVector(l->e.b, a, b, LLVMConstVector(pick, lanes), "");
}

/* A vector of neighbours in the guarded version's loop? There, most are whole. */
static bool is_mostly_whole(const nest *n, const location *w, llv mask) {
  return !n->exact && mask && emit_lanes(mask) > 1 && !LLVMIsConstant(mask) && !w->vector &&
         w->run == n->lane_n && w->level + 1 == n->n_levels && w->level > 0;
}

/* Processors fetch nothing ahead of loads of some lanes: what lies a few lines further along the
 * row is fetched, if it isn't in a cache already. */
static void fetch_along(nest *n, const access *a, const location *w, llv mask) {
  enum { FETCH_BYTES = 2048 };
  emit *e = &n->l->e;
  if (!is_mostly_whole(n, w, mask) || a->next || access_elem_bits(a) < 8) return;
  if (!has_masked_loads(e, emit_storage_type(e, a->elem))) return;
  emit_fetch(e, emit_behindk(e, as_ptr(n->l, w->scalar), FETCH_BYTES));
}

/* Such a vector, by a load of its own where all of it exists and the processor has no others. */
static llv load_mostly(nest *n, LLVMTypeRef elem, llv ptr, llv mask, llv other) {
  lower *l = n->l;
  emit *e = &l->e;
  if (has_masked_loads(e, elem)) return load_some(l, ptr, mask, other);
  llblock whole, some;
  nest_fork(n, all_of(l, mask), &whole, &some);
  LLVMPositionBuilderBefore(e->b, LLVMGetBasicBlockTerminator(whole));
  llv all = load_one(l, LLVMTypeOf(other), ptr, NULL);
  LLVMPositionBuilderBefore(e->b, LLVMGetBasicBlockTerminator(some));
  llv rest = load_some(l, ptr, mask, other);
  llblock end = LLVMGetInsertBlock(e->b);
  nest_place_level(n, n->n_levels - 1);
  llv phi = LLVMBuildPhi(e->b, LLVMTypeOf(other), "");
  LLVMAddIncoming(phi, (llv[]){all, rest}, (llblock[]){whole, end}, 2);
  return phi;
}

static llv lanes_mask(nest *n, llv mask) {
  return mask && emit_lanes(mask) == 1 ? emit_splat(&n->l->e, mask, nest_lane_count(n)) : mask;
}

/* ---- accesses ------------------------------------------------------------------------------- */

static llv load_storage(nest *n, location *w, LLVMTypeRef elem, llv mask) {
  lower *l = n->l;
  unsigned lanes = nest_lane_count(n);
  if (!w->differs && (!mask || emit_lanes(mask) == 1))
    return load_one(l, elem, as_ptr(l, w->scalar), mask);
  mask = lanes_mask(n, mask);
  int64_t unit = storage_bytes(elem);
  if (is_mostly_whole(n, w, mask))
    return load_mostly(n, elem, as_ptr(l, w->scalar), mask,
                       LLVMConstNull(LLVMVectorType(elem, lanes)));
  if (!mask && every_other(n, w, unit))
    return load_every_other(n, elem, as_ptr(l, w->scalar), unit);
  if (!in_pieces(n, w, mask)) {
    llv at = location_vector(n, w);
    nest_place_level(n, w->level);
    return gather(l, elem, at, mask);
  }
  unsigned length = 1u << w->run, count = lanes / length;
  llv pieces[MAX_PIECES];
  for (unsigned i = 0; i < count; i++) {
    llv p = as_ptr(l, piece_address(l, w, n->lane_n, i * length));
    pieces[i] = load_vector(l, elem, length, p, mask ? slice(l, mask, i * length, length) : NULL);
  }
  return join(l, pieces, count);
}

void gen_store_past_cache(lower *l, llv v, llv ptr) {
  emit *e = &l->e;
  LLVMTypeRef elem = LLVMGetElementType(LLVMTypeOf(v));
  /* Or LLVM takes the instruction that narrows integers and stores them, into the cache. */
  if ((elem == e->i8 || elem == e->i16) && emit_fills_register(e, v)) v = emit_opaque(e, v, false);
  llv store = LLVMBuildStore(e->b, v, ptr);
  unsigned bytes = emit_lanes(v) * storage_bytes(elem);
  LLVMSetAlignment(store, MIN(bytes, (unsigned)CACHE_LINE));
  emit_goes_past_cache(e, store);
}

/* Vectors of half a line become one each with that of the next copy. */
static void join_late_stores(nest *n, unsigned roots) {
  lower *l = n->l;
  late_store *x = n->late.data;
  uint32_t made = 0;
  unsigned lanes = emit_lanes(x->v);
  if (lanes * storage_bytes(LLVMGetElementType(LLVMTypeOf(x->v))) == CACHE_LINE) return;
  for (uint32_t i = 0; i < n->late.len; i += 2 * roots)
    for (unsigned k = i; k < i + roots; k++)
      x[made++] = (late_store){join(l, (llv[]){x[k].v, x[k + roots].v}, 2), x[k].ptr};
  n->late.len = made;
}

/* One test for all copies of the body. */
void gen_late_stores(nest *n) {
  lower *l = n->l;
  const late_store *x = n->late.data;
  llblock past, into;
  if (!n->late.len) return;
  unsigned roots = n->late.len >> n->unroll_n;
  if (n->shifts) join_late_stores(n, roots);
  nest_fork(n, n->streams, &past, &into);
  LLVMPositionBuilderBefore(l->e.b, LLVMGetBasicBlockTerminator(past));
  for (uint32_t i = 0; i < n->late_fetches.len; i++) {
    emit_fetch(&l->e, n->late_fetches.data[i].at);
    emit_fetch_near(&l->e, n->late_fetches.data[i].near);
  }
  n->late_fetches.len = 0;
  for (unsigned i = 0; i < roots && n->shifts; i++)
    lines_store(n, x + i, n->late.len / roots, roots);
  for (uint32_t i = 0; i < n->late.len && !n->shifts; i++)
    gen_store_past_cache(l, x[i].v, x[i].ptr);
  LLVMPositionBuilderBefore(l->e.b, LLVMGetBasicBlockTerminator(into));
  for (uint32_t i = 0; i < n->late.len && !LLVMIsConstant(n->streams); i++)
    store_one(l, x[i].v, x[i].ptr, NULL);
  n->late.len = 0;
  nest_place_level(n, n->n_levels - 1);
}

/* A vector most of which are whole. Processors wait for the line of a store of some lanes. */
static void store_mostly(nest *n, llv v, llv ptr, llv mask) {
  lower *l = n->l;
  llblock whole, some;
  nest_fork(n, all_of(l, mask), &whole, &some);
  LLVMPositionBuilderBefore(l->e.b, LLVMGetBasicBlockTerminator(whole));
  store_one(l, v, ptr, NULL);
  LLVMPositionBuilderBefore(l->e.b, LLVMGetBasicBlockTerminator(some));
  store_vector(l, v, ptr, mask);
  nest_place_level(n, n->n_levels - 1);
}

static void store_storage(nest *n, location *w, llv v, llv mask) {
  lower *l = n->l;
  unsigned lanes = nest_lane_count(n);
  if (lanes == 1) {
    store_one(l, v, as_ptr(l, w->scalar), mask);
    return;
  }
  mask = lanes_mask(n, mask);
  if (!in_pieces(n, w, mask)) {
    llv at = location_vector(n, w);
    nest_place_level(n, w->level);
    scatter(l, v, at, mask);
    return;
  }
  if (n->streams && !mask && w->run == n->lane_n) {
    if (LLVMIsConstant(n->streams) && !n->shifts)
      gen_store_past_cache(l, v, as_ptr(l, w->scalar));
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
    store_vector(l, slice(l, v, at, length), as_ptr(l, piece_address(l, w, n->lane_n, at)),
                 mask ? slice(l, mask, at, length) : NULL);
}

/* 4-bit elements: addresses count nibbles. One lane after the other. */
static llv lane_address(nest *n, location *w, unsigned at) {
  if (!w->vector) return piece_address(n->l, w, n->lane_n, at);
  return slice(n->l, w->vector, at, 1);
}

static llv nibble_shift(lower *l, llv address) {
  llv odd = LLVMBuildTrunc(l->e.b, address, l->e.i8, "");
  odd = LLVMBuildAnd(l->e.b, odd, LLVMConstInt(l->e.i8, 1, 0), "");
  return LLVMBuildShl(l->e.b, odd, LLVMConstInt(l->e.i8, 2, 0), "");
}

static llv load_nibbles(nest *n, location *w, llv mask) {
  lower *l = n->l;
  LLVMBuilderRef b = l->e.b;
  bool one = !w->differs && (!mask || emit_lanes(mask) == 1);
  unsigned lanes = one ? 1 : nest_lane_count(n);
  llv r = one ? NULL : LLVMGetPoison(LLVMVectorType(l->e.i8, lanes));
  if (!one) mask = lanes_mask(n, mask);
  for (unsigned i = 0; i < lanes; i++) {
    llv at = lane_address(n, w, i);
    llv p = as_ptr(l, LLVMBuildLShr(b, at, k64(l, 1), ""));
    llv byte = load_one(l, l->e.i8, p, mask ? slice(l, mask, i, 1) : NULL);
    byte = LLVMBuildLShr(b, byte, nibble_shift(l, at), "");
    byte = LLVMBuildAnd(b, byte, LLVMConstInt(l->e.i8, 15, 0), "");
    r = one ? byte : LLVMBuildInsertElement(b, r, byte, LLVMConstInt(l->e.i32, i, 0), "");
  }
  return r;
}

/* Neighbours, of which the first is in the low half of a byte. */
static llv load_nibble_pairs(nest *n, location *w) {
  lower *l = n->l;
  llv at = as_ptr(l, LLVMBuildLShr(l->e.b, w->scalar, k64(l, 1), ""));
  unsigned count = nest_lane_count(n) / 2;
  return emit_unpack4(&l->e, count > 1 ? load_vector(l, l->e.i8, count, at, NULL)
                                       : load_one(l, l->e.i8, at, NULL));
}

/* Lanes that take the low or the high halves of neighbouring bytes: which of them, or -1. Rows of
 * 4-bit elements begin with whole bytes in the exact version. */
static int half_of_bytes(const nest *n, const access *a, const index_map *m, const location *w) {
  int64_t c;
  if (!n->exact || !a->checked || !a->linear || a->index || !every_other(n, w, 1)) return -1;
  for (unsigned k = 0; k < a->n; k++)
    if (coef_const(a->exact[k], &c) && c == 1)
      return m->bit[k] == BIT_ZERO ? 0 : m->bit[k] == BIT_ONE ? 1 : -1;
  return -1;
}

/* The address of the byte, of an even number of nibbles: what is constant in it stays a constant
 * that fits into instructions. */
static llv byte_of(lower *l, llv nibbles) {
  int64_t c = 0;
  bool sum = LLVMIsABinaryOperator(nibbles) && LLVMGetInstructionOpcode(nibbles) == LLVMAdd &&
             is_const(LLVMGetOperand(nibbles, 1), &c) && c % 2 == 0;
  if (sum) nibbles = LLVMGetOperand(nibbles, 0);
  llv byte = as_ptr(l, LLVMBuildLShr(l->e.b, nibbles, k64(l, 1), ""));
  return sum ? emit_behindk(&l->e, byte, c / 2) : byte;
}

/* The elements in these halves, in registers. */
static llv load_halves(nest *n, const access *a, const location *w, int half) {
  emit *e = &n->l->e;
  llv at = byte_of(n->l, fold_add(n->l, w->scalar, k64(n->l, -half)));
  return emit_decode_half(e, a->elem, load_vector(n->l, e->i8, nest_lane_count(n), at, NULL), half);
}

/* Does another copy of the body load from the same cache line, if that begins where the tile's row
 * does? */
static bool in_line_of_another(const access *a, const index_map *m) {
  int64_t fixed = 0, c;
  for (unsigned k = 0; k < a->n; k++)
    if (m->bit[k] == BIT_ONE && coef_const(a->exact[k], &c)) fixed += c;
  return fixed % (access_elem_bits(a) == 4 ? 128 : 64) != 0; /* nibbles, bytes */
}

/* What is added to an address to get to the piece behind this one, where tiles are cut into
 * 2^`pieces` along their outermost dimension; NULL when there is none. */
static llv piece_behind(lower *l, const access *a, unsigned pieces) {
  int top = (int)a->n - 1;
  while (top >= 0 && coef_is_zero(a->exact[top])) top--;
  top -= (int)pieces;
  if (top < 0) return NULL;
  coef step = a->exact[top];
  if (access_elem_bits(a) != 4) step.m = (int64_t)((uint64_t)step.m << 1);
  return coef_value(l, step, 64);
}

/* The same to the tile behind this one. */
static llv tile_behind(lower *l, const access *a) {
  return piece_behind(l, a, 0);
}

enum { LINES_AHEAD = 224, LINES_FAR = 512, LINES_NEAR = 128 };

/* The same to what will be read `lines` lines later: a line of the same row in a panel further
 * on, or where the row ends in the tile behind or one behind that, which the same loop will read
 * when it comes again. So long memory takes to answer while a panel is decoded; the lines are
 * counted, because panels are as high as tiles are. */
static llv line_behind(nest *n, const access *a, int64_t lines) {
  lower *l = n->l;
  int64_t panel = INT64_C(1) << n->lane_n; /* bytes */
  int64_t panels = MAX(lines * CACHE_LINE / panel >> n->line_rows, 1);
  int64_t width = n->line_level ? INT64_C(1) << n->levels[n->line_level].n : 1;
  llv near = k64(l, MIN(panels, width) * panel);
  nest_place_level(n, n->line_level);
  llv tile = piece_behind(l, a, n->line_pieces);
  if (tile) {
    int64_t tiles = panels / width, on = panels % width;
    near = fold_add(l, fold_mul(l, tile, k64(l, tiles)), k64(l, on * panel));
    if (on) {
      llv far = fold_add(l, near, fold_add(l, tile, k64(l, -width * panel)));
      llv index = n->levels[n->line_level].index;
      llv ends = LLVMBuildICmp(l->e.b, LLVMIntSGE, index, k64(l, width - on), "");
      near = LLVMBuildSelect(l->e.b, ends, far, near, "");
    }
  }
  nest_place_level(n, n->n_levels - 1);
  return near;
}

/* The address of a line of the tile that is read LINES_FAR lines later or more, where rows have
 * four lines and more in a tile. These lines are asked for one behind the other as they lie in
 * memory, four with each step along k, though they are read down a panel. */
static llv line_along_rows(nest *n, const access *a, const index_map *m) {
  lower *l = n->l;
  LLVMBuilderRef b = l->e.b;
  enum { AT_ONCE = 2 }; /* log2 */
  unsigned row = n->line_row, width = n->line_level ? n->levels[n->line_level].n : 0;
  if (width < AT_ONCE || n->line_pieces || row + AT_ONCE > a->n) return NULL;
  llv tile = tile_behind(l, a);
  if (!tile) return NULL;
  int64_t lines = INT64_C(1) << (width + n->line_rows), tiles = (LINES_FAR + lines - 1) / lines;
  nest_place_level(n, n->n_levels - 1);
  llv panel = n->levels[n->line_level].index, step = n->levels[n->n_levels - 1].index;
  llv line = LLVMBuildAdd(b, LLVMBuildShl(b, panel, k64(l, n->line_rows), ""),
                          LLVMBuildShl(b, step, k64(l, AT_ONCE), ""), "");
  llv rows = LLVMBuildLShr(b, line, k64(l, width), "");
  llv by = fold_mul(l, rows, coef_value(l, a->exact[row], 64)), at = a->base;
  if (access_elem_bits(a) == 4) at = LLVMBuildLShr(b, at, k64(l, 1), "");
  if (access_elem_bits(a) == 4) by = LLVMBuildLShr(b, by, k64(l, 1), "");
  line = LLVMBuildAnd(b, line, k64(l, (1 << width) - 1), "");
  at = fold_add(l, fold_add(l, at, by), fold_mul(l, tile, k64(l, tiles)));
  llv from = lower_element(l, as_ptr(l, at), line, CACHE_LINE);
  int64_t copy = (m->bit[row] == BIT_ONE) + 2 * (m->bit[row + 1] == BIT_ONE);
  return emit_behindk(&l->e, from, copy * CACHE_LINE);
}

/* From where a load finds its elements to what it should fetch; NULL: nothing. */
static llv behind(nest *n, const access *a) {
  if (a->memory && !a->next && !a->step) return NULL;
  switch ((nest_prefetch)n->prefetch) {
  case PREFETCH_WARM:
  case PREFETCH_LAST: return a->next ? warm_distance(n, a, false) : NULL;
  case PREFETCH_STEP: return a->step;
  case PREFETCH_TILE:
    if (a->next) return warm_distance(n, a, false);
    return a->step ? a->step : tile_behind(n->l, a);
  case PREFETCH_LINE: return line_behind(n, a, LINES_AHEAD);
  default: return NULL;
  }
}

/* While a nest computes much per element, memory has nothing to do: it may bring what a next nest
 * will read. That is taken to be the tile behind this one, along its outermost dimension; or what
 * the next iteration of an outer loop will read, the line behind this one. What is in a cache
 * leaves memory idle as well: see prefetch.c. */
static void prefetch_behind(nest *n, const access *a, const index_map *m, const location *w) {
  lower *l = n->l;
  if (!a->linear || a->index || w->vector || in_line_of_another(a, m)) return;
  bool nibbles = access_elem_bits(a) == 4;
  if (n->lane_n == 0 || (w->run < n->lane_n && !(nibbles && every_other(n, w, 1)))) return;
  llv line =
      n->prefetch == PREFETCH_LINE && l->e.core.shallow_prefetch ? line_along_rows(n, a, m) : NULL;
  if (line) emit_fetch(&l->e, line);
  if (line && !n->line_again) return;
  /* What is asked for while too many lines are on their way is forgotten. When it is nearly needed
   * most lines are there, and the others find room. */
  llv by = line ? line_behind(n, a, LINES_NEAR) : behind(n, a);
  if (!by) return;
  llv from = nibbles ? byte_of(l, w->scalar) : as_ptr(l, w->scalar);
  llv at = emit_behind(&l->e, from, by);
  if (n->prefetch == PREFETCH_LAST) {
    llv near = emit_behind(&l->e, from, warm_distance(n, a, true));
    vec_push(l->arena, n->late_fetches, (late_fetch){at, near});
  } else {
    emit_fetch(&l->e, at);
  }
}

void gen_ahead(nest *n, const index_map *m) {
  lower *l = n->l;
  const upcoming *x = &n->ahead;
  if (!x->to || in_line_of_another(x->to, m)) return;
  location w = locate(n, x->to, m);
  if (w.vector || n->lane_n == 0 || w.run < n->lane_n) return;
  nest_place_level(n, n->n_levels - 1);
  llv at = as_ptr(l, w.scalar);
  if (x->past) at = LLVMBuildSelect(l->e.b, x->past, l->dummy, at, "");
  emit_fetch(&l->e, at);
}

lane_value gen_load_bytes(nest *n, const access *a, const index_map *m) {
  lower *l = n->l;
  if (a->memory) buffer_touch(l, a->memory);
  location w = locate(n, a, m);
  nest_place_level(n, w.level);
  if (w.level + 1 == n->n_levels) prefetch_behind(n, a, m, &w);
  llv at = byte_of(l, w.scalar);
  return (lane_value){.v = load_vector(l, l->e.i8, nest_lane_count(n), at, NULL), .level = w.level};
}

static void store_nibbles(nest *n, location *w, llv v, llv mask) {
  lower *l = n->l;
  LLVMBuilderRef b = l->e.b;
  mask = lanes_mask(n, mask);
  for (unsigned i = 0; i < emit_lanes(v); i++) {
    llv at = lane_address(n, w, i), shift = nibble_shift(l, at);
    llv p = as_ptr(l, LLVMBuildLShr(b, at, k64(l, 1), ""));
    llv hole = LLVMBuildNot(b, LLVMBuildShl(b, LLVMConstInt(l->e.i8, 15, 0), shift, ""), "");
    llv exists = mask ? slice(l, mask, i, 1) : NULL;
    llv old = LLVMBuildAnd(b, load_one(l, l->e.i8, p, exists), hole, "");
    llv new = LLVMBuildShl(b, slice(l, v, i, 1), shift, "");
    store_one(l, LLVMBuildOr(b, old, new, ""), p, exists);
  }
}

/* Lanes that exist or not all together and are zero when they don't, as those of a gathered row: an
 * ordinary load, from zeros if they don't. False when that cannot be done. */
static bool load_together(nest *n, const access *a, location *w, lane_value mask, lane_value pad,
                          llv *out) {
  lower *l = n->l;
  unsigned bits = access_elem_bits(a), count = nest_lane_count(n);
  bool zero = pad.v && LLVMIsNull(pad.v) && a->elem != TSR_F8E8M0FNU;
  if (!mask.v || emit_lanes(mask.v) > 1 || count == 1 || w->vector || w->run < n->lane_n || !zero ||
      bits == 4 || count * bits > 8 * ZEROS)
    return false;
  if (!l->zeros) {
    static const char nothing[ZEROS];
    l->zeros = lower_global_bytes(l, nothing, sizeof nothing, ZEROS);
  }
  llv at = LLVMBuildSelect(l->e.b, mask.v, as_ptr(l, w->scalar), l->zeros, "");
  *out = load_vector(l, emit_storage_type(&l->e, a->elem), count, at, NULL);
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
                                       : load_some(l, at, mask.v, other);
  return true;
}

lane_value gen_load(nest *n, const access *a, const index_map *m) {
  lower *l = n->l;
  emit *e = &l->e;
  if (a->memory) buffer_touch(l, a->memory);
  location w = locate(n, a, m);
  lane_value mask = gen_mask(n, a, m), pad = {0};
  if (mask.v && a->padding)
    pad = gen(n, a->padding, m);
  else if (mask.v)
    pad.v = a->pad;
  lane_value r = {.level = MAX(w.level, MAX(mask.level, pad.level))};
  w.level = r.level;
  nest_place_level(n, r.level);
  int half = access_elem_bits(a) == 4 && !mask.v ? half_of_bytes(n, a, m, &w) : -1;
  if ((n->exact || n->part.from) && w.level + 1 == n->n_levels && half != 1)
    prefetch_behind(n, a, m, &w);
  if (half >= 0) {
    r.v = load_halves(n, a, &w, half);
    return r;
  }
  fetch_along(n, a, &w, mask.v);
  llv v;
  if (load_together(n, a, &w, mask, pad, &v) || load_padded(n, a, &w, mask, pad, &v)) {
    r.v = emit_decode(e, a->elem, v);
    return r;
  }
  if (access_elem_bits(a) != 4)
    v = load_storage(n, &w, emit_storage_type(e, a->elem), mask.v);
  else if (n->exact && a->checked && w.differs && n->lane_n && w.run == n->lane_n && !mask.v)
    v = load_nibble_pairs(n, &w);
  else
    v = load_nibbles(n, &w, mask.v);
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
  location w = locate(n, a, m);
  lane_value mask = gen_mask(n, a, m);
  w.level = n->n_levels - 1;
  nest_place_level(n, w.level);
  llv s = emit_encode(&l->e, a->elem, v);
  if (access_elem_bits(a) == 4)
    store_nibbles(n, &w, s, mask.v);
  else
    store_storage(n, &w, s, mask.v);
}

llv gen_any_exists(nest *n, const access *a, const index_map *m) {
  lane_value mask = gen_mask(n, a, m);
  if (!mask.v) return NULL;
  nest_place_level(n, n->n_levels - 1);
  return emit_any_lane(&n->l->e, mask.v);
}

lane_value gen_address(nest *n, const access *a, const index_map *m) {
  location w = locate(n, a, m);
  return (lane_value){.v = w.differs ? location_vector(n, &w) : w.scalar, .level = w.level};
}

/* ---- buffers -------------------------------------------------------------------------------- */

static location locate_in_buffer(nest *n, buffer *b, const index_map *m) {
  coef c[MAP_BITS];
  int64_t unit =
      b->format == FORMAT_STORAGE && tsr_elem_bits(b->elem) == 4 ? 1 : buffer_elem_bytes(b);
  for (unsigned k = 0; k < b->n; k++) c[k] = (coef){.m = b->stride[k] * unit};
  lane_value s = linear_scalar(n, b, k64(n->l, 0), c, 64, m);
  location w = {.scalar = s.v, .level = s.level};
  w.differs = lane_coefs(n, c, m, w.lane);
  find_run(n, &w, unit);
  return w;
}

/* Offsets to addresses: through GEPs, so that they fold into the instructions. */
static llv buffer_ptr(lower *l, buffer *b, llv offset) {
  return emit_behind(&l->e, b->ptr, offset);
}

/* For loads from elsewhere, where it is known at once how much of an offset counts: of the loops'
 * part, which copies have in common, all or nothing, and of theirs all, if that isn't too far. */
static void locate_instead(nest *n, buffer *b, const index_map *m, location *w) {
  index_map loops = *m;
  int64_t fixed = 0;
  for (unsigned k = 0; k < m->n; k++) {
    if (m->bit[k] != BIT_ONE) continue;
    fixed += (int64_t)b->stride[k] * buffer_elem_bytes(b);
    loops.bit[k] = BIT_ZERO;
  }
  if ((w->differs && w->run < n->lane_n) || fixed < 0 || fixed > SAME_BYTES - CACHE_LINE) return;
  location all = locate_in_buffer(n, b, &loops);
  nest_place_level(n, all.level);
  llv counts = LLVMBuildAnd(n->l->e.b, all.scalar, b->offset_bits, "");
  w->scalar = fold_add(n->l, counts, k64(n->l, fixed));
  w->counts = true;
}

/* The same, for loads. */
static llv buffer_source(lower *l, buffer *b, const location *w, llv offset) {
  if (!b->instead) return buffer_ptr(l, b, offset);
  if (!w->counts) offset = LLVMBuildAnd(l->e.b, offset, b->offset_bits, "");
  return emit_behind(&l->e, b->instead, offset);
}

static llv buffer_load_lanes(nest *n, buffer *b, location *w, LLVMTypeRef elem) {
  lower *l = n->l;
  unsigned lanes = nest_lane_count(n), length = 1u << w->run;
  if (!w->differs) return load_one(l, elem, buffer_source(l, b, w, w->scalar), NULL);
  if (every_other(n, w, buffer_elem_bytes(b)))
    return load_every_other(n, elem, buffer_source(l, b, w, w->scalar), buffer_elem_bytes(b));
  if (in_pieces(n, w, NULL)) {
    llv pieces[MAX_PIECES];
    for (unsigned i = 0; i < lanes / length; i++)
      pieces[i] =
          load_vector(l, elem, length,
                      buffer_source(l, b, w, piece_address(l, w, n->lane_n, i * length)), NULL);
    return join(l, pieces, lanes / length);
  }
  llv r = LLVMGetPoison(LLVMVectorType(elem, lanes));
  for (unsigned i = 0; i < lanes; i++) {
    llv v = load_one(l, elem, buffer_source(l, b, w, piece_address(l, w, n->lane_n, i)), NULL);
    r = LLVMBuildInsertElement(l->e.b, r, v, LLVMConstInt(l->e.i32, i, 0), "");
  }
  return r;
}

static llv buffer_load_nibbles(nest *n, buffer *b, location *w) {
  lower *l = n->l;
  if (w->differs && w->run == n->lane_n) {
    llv at = LLVMBuildLShr(l->e.b, w->scalar, k64(l, 1), "");
    unsigned count = nest_lane_count(n) / 2;
    LLVMTypeRef type = count > 1 ? LLVMVectorType(l->e.i8, count) : l->e.i8;
    llv bytes = load_one(l, type, buffer_ptr(l, b, at), NULL);
    return emit_unpack4(&l->e, bytes);
  }
  llv base = LLVMBuildPtrToInt(l->e.b, b->ptr, l->e.i64, "");
  w->scalar = LLVMBuildAdd(l->e.b, LLVMBuildShl(l->e.b, base, k64(l, 1), ""), w->scalar, "");
  return load_nibbles(n, w, NULL);
}

static llv from_format(lower *l, const buffer *b, llv v) {
  emit *e = &l->e;
  unsigned lanes = emit_lanes(v);
  if (b->any_nan) return lanes_canonical(e, v);
  if (b->format == FORMAT_STORAGE) return emit_decode(e, b->elem, v);
  if (b->format != FORMAT_LANES)
    return LLVMBuildTrunc(e->b, v, emit_lane_type(e, b->elem, lanes), "");
  if (b->elem != TSR_I1) return v;
  return LLVMBuildICmp(e->b, LLVMIntNE, v, LLVMConstNull(LLVMTypeOf(v)), "");
}

static llv to_format(lower *l, const buffer *b, llv v) {
  emit *e = &l->e;
  unsigned lanes = emit_lanes(v);
  LLVMTypeRef wide = emit_lane_type(e, TSR_I32, lanes);
  if (b->any_nan) return lanes_any_nan(v);
  switch (b->format) {
  case FORMAT_STORAGE:
    v = emit_encode(e, b->elem, v);
    return b->flipped ? LLVMBuildXor(e->b, v, emit_const_int(e, LLVMTypeOf(v), 0x80), "") : v;
  case FORMAT_PAIRS: return v; /* words */
  case FORMAT_SIGNED: return LLVMBuildSExt(e->b, v, wide, "");
  case FORMAT_UNSIGNED: return LLVMBuildZExt(e->b, v, wide, "");
  default:
    return b->elem == TSR_I1 ? LLVMBuildZExt(e->b, v, emit_lane_type(e, TSR_I8, lanes), "") : v;
  }
}

lane_value gen_buffer_load(nest *n, buffer *b, const index_map *m) {
  lower *l = n->l;
  buffer_touch(l, b);
  location w = locate_in_buffer(n, b, m);
  if (b->instead) locate_instead(n, b, m, &w);
  nest_place_level(n, w.level);
  bool nibbles = b->format == FORMAT_STORAGE && tsr_elem_bits(b->elem) == 4;
  llv v =
      nibbles ? buffer_load_nibbles(n, b, &w) : buffer_load_lanes(n, b, &w, buffer_elem_type(l, b));
  return (lane_value){.v = from_format(l, b, v), .level = w.level};
}

void gen_buffer_store(nest *n, buffer *b, const index_map *m, llv v) {
  lower *l = n->l;
  buffer_touch(l, b);
  location w = locate_in_buffer(n, b, m);
  w.level = n->n_levels - 1;
  nest_place_level(n, w.level);
  gen_buffer_store_lanes(n, b, w.scalar, w.lane, n->lane_n, v);
}

void gen_buffer_store_pairs(nest *n, buffer *b, const index_map *m, llv first, llv second) {
  emit *e = &n->l->e;
  nest_place_level(n, n->n_levels - 1);
  LLVMTypeRef words = emit_lane_type(e, TSR_I32, emit_lanes(first));
  llv low = LLVMBuildZExt(e->b, emit_encode(e, b->elem, first), words, "");
  llv high = LLVMBuildZExt(e->b, emit_encode(e, b->elem, second), words, "");
  high = LLVMBuildShl(e->b, high, emit_const_int(e, words, 16), "");
  gen_buffer_store(n, b, m, LLVMBuildOr(e->b, low, high, ""));
}

/* Stores 2^lanes_n lanes at byte offset `at`; lane bit j adds lane[j]. */
void gen_buffer_store_lanes(nest *n, buffer *b, llv at, const coef *lane, unsigned lanes_n, llv v) {
  lower *l = n->l;
  buffer_touch(l, b);
  location w = {.scalar = at};
  memcpy(w.lane, lane, sizeof w.lane);
  llv s = to_format(l, b, v);
  bool nibbles = b->format == FORMAT_STORAGE && tsr_elem_bits(b->elem) == 4;
  int64_t unit = nibbles ? 1 : buffer_elem_bytes(b), c;
  if (b->format == FORMAT_PAIRS) unit *= 2;
  while (w.run < lanes_n && coef_const(w.lane[w.run], &c) && c == unit << w.run) w.run++;
  if (nibbles && (w.run < lanes_n || lanes_n == 0)) {
    llv base = LLVMBuildPtrToInt(l->e.b, b->ptr, l->e.i64, "");
    w.scalar = LLVMBuildAdd(l->e.b, LLVMBuildShl(l->e.b, base, k64(l, 1), ""), w.scalar, "");
    store_nibbles(n, &w, s, NULL);
    return;
  }
  if (nibbles) {
    llv byte = LLVMBuildLShr(l->e.b, at, k64(l, 1), "");
    store_one(l, emit_pack4(&l->e, s), buffer_ptr(l, b, byte), NULL);
    return;
  }
  unsigned length = 1u << w.run;
  for (unsigned i = 0; i < 1u << lanes_n; i += length)
    store_one(l, slice(l, s, i, length), buffer_ptr(l, b, piece_address(l, &w, lanes_n, i)), NULL);
}
