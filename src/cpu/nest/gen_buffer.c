/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Loads and stores of buffers inside a nest.
 */
#include "llvm/conv.h"
#include "llvm/nans.h"

#include "cpu/nest/gen_buffer.h"

#include "cpu/core/fold.h"
#include "cpu/plan/affine.h"
#include "cpu/plan/scratch.h"
#include "cpu/nest/linear.h"
#include "cpu/nest/location.h"
#include "cpu/nest/nest.h"
#include "cpu/nest/nibbles.h"
#include "cpu/nest/vectors.h"

static location locate_in_buffer(nest *n, buffer *b, const index_map *m) {
  coef c[MAP_BITS];
  int64_t unit =
      b->format == FORMAT_STORAGE && tsr_elem_bits(b->elem) == 4 ? 1 : buffer_elem_bytes(b);
  for (unsigned k = 0; k < b->n; k++) c[k] = (coef){.m = b->stride[k] * unit};
  lane_value s = linear_scalar(n, b, k64(n->l, 0), c, 64, m);
  location w = {.scalar = s.v, .level = s.level};
  w.differs = lane_coefs(n, c, m, w.lane);
  location_find_run(n, &w, unit);
  return w;
}

/* Offsets to addresses: through GEPs, so that they fold into the instructions. */
static llv buffer_ptr(lower *l, buffer *b, llv offset) {
  return emit_offset(&l->e, b->ptr, offset);
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
  return emit_offset(&l->e, b->instead, offset);
}

static llv buffer_load_lanes(nest *n, buffer *b, location *w, LLVMTypeRef elem) {
  lower *l = n->l;
  unsigned lanes = nest_lane_count(n), length = 1u << w->run;
  if (!w->differs) return lanes_load(l, elem, buffer_source(l, b, w, w->scalar), NULL);
  if (location_every_other(n, w, buffer_elem_bytes(b)))
    return location_load_apart(n, elem, buffer_source(l, b, w, w->scalar), 2, buffer_elem_bytes(b));
  if (location_in_pieces(n, w, NULL)) {
    llv pieces[MAX_PIECES];
    for (unsigned i = 0; i < lanes / length; i++)
      pieces[i] = lanes_load_vector(
          l, elem, length, buffer_source(l, b, w, location_piece(l, w, n->lane_n, i * length)),
          NULL);
    return lanes_join(l, pieces, lanes / length);
  }
  llv r = LLVMGetPoison(LLVMVectorType(elem, lanes));
  for (unsigned i = 0; i < lanes; i++) {
    llv v = lanes_load(l, elem, buffer_source(l, b, w, location_piece(l, w, n->lane_n, i)), NULL);
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
    llv bytes = lanes_load(l, type, buffer_ptr(l, b, at), NULL);
    return emit_unpack4(&l->e, bytes);
  }
  llv base = LLVMBuildPtrToInt(l->e.b, b->ptr, l->e.i64, "");
  w->scalar = LLVMBuildAdd(l->e.b, LLVMBuildShl(l->e.b, base, k64(l, 1), ""), w->scalar, "");
  return nibbles_load(n, w, NULL);
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
    nibbles_store(n, &w, s, NULL);
    return;
  }
  if (nibbles) {
    llv byte = LLVMBuildLShr(l->e.b, at, k64(l, 1), "");
    lanes_store(l, emit_pack4(&l->e, s), buffer_ptr(l, b, byte), NULL);
    return;
  }
  unsigned length = 1u << w.run;
  for (unsigned i = 0; i < 1u << lanes_n; i += length)
    lanes_store(l, lanes_slice(l, s, i, length),
                buffer_ptr(l, b, location_piece(l, &w, lanes_n, i)), NULL);
}
