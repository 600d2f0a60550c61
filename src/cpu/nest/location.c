/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Where the lanes of an access are: addresses whose differences are known follow each other, or lie
 * in pieces that do.
 */
#include "cpu/nest/location.h"

#include "cpu/core/fold.h"
#include "cpu/plan/access.h"
#include "cpu/plan/affine.h"
#include "cpu/plan/map.h"
#include "cpu/nest/gen.h"
#include "cpu/nest/linear.h"
#include "cpu/nest/nest.h"
#include "cpu/nest/vectors.h"

enum { MAX_MASKED = 4 }; /* as MAX_PIECES, of lanes that may not exist, before it is a gather */

void location_find_run(nest *n, location *w, int64_t unit) {
  int64_t v;
  while (w->run < n->lane_n && coef_const(w->lane[w->run], &v) && v == unit << w->run) w->run++;
}

llv location_vector(nest *n, location *w) {
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
  index_map p = map_part(m, a->index_first, a->index_n);
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

location location_of(nest *n, const access *a, const index_map *m) {
  location w = {0};
  int64_t unit = access_unit(a);
  if (n->clamps && a->clamped) {
    lane_value s = linear_scalar(n, a->clamped, a->clamped->base, a->clamped->c, 64, m);
    w.scalar = s.v;
    w.level = s.level;
    w.differs = lane_coefs(n, a->clamped->c, m, w.lane);
    location_find_run(n, &w, unit);
    return w;
  }
  if (!access_has_form(a) || (a->ok && !n->linear)) {
    lane_value p = gen(n, a->pointers, m);
    w.level = p.level;
    w.differs = emit_lanes(p.v) > 1;
    if (access_shares_bytes(a)) {
      nest_place_level(n, p.level);
      p.v = bit_address(n->l, p.v);
    } else if (unit_is_nibble(a)) { /* a pointer names a byte; the element is its low half */
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
  location_find_run(n, &w, unit);
  if (a->index) add_index(n, a, m, &w);
  add_terms(n, a, m, &w);
  return w;
}

/* Address of lane `at`, from the scalar part. */
llv location_piece(lower *l, const location *w, unsigned lanes_n, unsigned at) {
  llv p = w->scalar;
  for (unsigned j = 0; j < lanes_n; j++)
    if (at >> j & 1) p = fold_add(l, p, coef_value(l, w->lane[j], 64));
  return p;
}

bool location_in_pieces(const nest *n, const location *w, llv mask) {
  unsigned most = mask ? MAX_MASKED : MAX_PIECES;
  return !w->vector && w->run > 0 && 1u << (n->lane_n - w->run) <= most;
}

int64_t location_step(const nest *n, const location *w, int64_t unit) {
  int64_t first, v;
  if (w->vector || n->lane_n == 0 || !coef_const(w->lane[0], &first) || first % unit) return 0;
  for (unsigned j = 0; j < n->lane_n; j++)
    if (!coef_const(w->lane[j], &v) || v != (int64_t)((uint64_t)first << j)) return 0;
  return first / unit;
}

bool location_every_other(const nest *n, const location *w, int64_t unit) {
  return location_step(n, w, unit) == 2;
}

/* 4-bit elements: addresses count nibbles. One lane after the other. */
llv location_lane(nest *n, location *w, unsigned at) {
  if (!w->vector) return location_piece(n->l, w, n->lane_n, at);
  return lanes_slice(n->l, w->vector, at, 1);
}

/* `count` lanes that lie `step` elements apart, in step vectors as long: one begins where the last
 * ends, but none reaches further than the last element. Each gives the lanes that it has first. */
static llv load_apart(lower *l, LLVMTypeRef elem, unsigned count, llv first, unsigned step,
                      int64_t unit) {
  unsigned last = (count - 1) * step - (count - 1); /* where the last vector begins */
  llv v = NULL, pick[1 << LANE_BITS];
  unsigned known = 0;
  for (unsigned k = 0; k < step; k++) {
    unsigned begin = MIN(k * count, last);
    llv next = lanes_load_vector(l, elem, count, emit_offsetk(&l->e, first, begin * unit), NULL);
    unsigned here = known;
    while (here < count && here * step < begin + count) here++;
    for (unsigned i = 0; i < count; i++) {
      bool is_new = i >= known && i < here;
      unsigned at = is_new ? i * step - begin + (v ? count : 0) : i;
      pick[i] = i < here ? LLVMConstInt(l->e.i32, at, 0) : LLVMGetUndef(l->e.i32);
    }
    v = LLVMBuildShuffleVector(l->e.b, v ? v : next, v ? next : LLVMGetPoison(LLVMTypeOf(next)),
                               LLVMConstVector(pick, count), "");
    known = here;
  }
  return v;
}

/* Bytes and words are put in place within 16 bytes at a time, which is one instruction. */
llv location_load_apart(nest *n, LLVMTypeRef elem, llv first, int64_t step, int64_t unit) {
  enum { SHORT = 16 };
  lower *l = n->l;
  unsigned lanes = nest_lane_count(n), size = lanes_elem_bytes(elem);
  unsigned length = size < 4 ? MIN(lanes, SHORT / size) : lanes;
  llv pieces[1 << LANE_BITS];
  for (unsigned i = 0; i < lanes; i += length)
    pieces[i / length] = load_apart(l, elem, length, emit_offsetk(&l->e, first, i * step * unit),
                                    (unsigned)step, unit);
  return lanes_join(l, pieces, lanes / length);
}

llv location_mask(nest *n, llv mask) {
  return mask && emit_lanes(mask) == 1 ? emit_splat(&n->l->e, mask, nest_lane_count(n)) : mask;
}
