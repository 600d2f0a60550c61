/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Changing a tile from one distribution to another: how far elements travel, and the shuffles that
 * move them within warps.
 *
 * With F and T the two maps from (slot, worker) to the index, element T(s, w) has to come from some
 * (s', w') with F(s', w') = T(s, w). A worker can serve itself when T(s, w) - F(0, w) lies in what
 * its slots span; a warp when it lies in what slots and lanes span. Both are linear conditions, so
 * one test per bit decides for all elements, also when elements have several copies.
 */
#include "layout/linear.h"

const char *tsr_conversion_name(tsr_conversion kind) {
  static const char *const names[] = {"none", "register permutation", "shuffle", "shared memory"};
  return (unsigned)kind < ARRAY_LEN(names) ? names[kind] : "unknown";
}

/* Two maps with the same workers, and what the first one's slots and lanes reach. */
typedef struct pair {
  tsr_linear from, to;
  uint32_t from_slots, to_slots, workers, lanes; /* bits; lanes are the lowest worker bits */
  span slots, warp;                              /* of `from`: its slots; its slots, then lanes */
} pair;

static tsr_status check_pair(const tsr_layout *from, const tsr_layout *to, int32_t warp_size,
                             tsr_layout_error *e) {
  if (from->rank != to->rank || memcmp(from->shape, to->shape, from->rank * sizeof(int32_t)) != 0)
    return layout_fail(e, TSR_ERROR_USAGE, -1, -1,
                       "shape %s cannot be converted to shape %s: the shapes must be the same",
                       SHAPE_TEXT(from), SHAPE_TEXT(to));
  if (tsr_layout_spatial_size(from) != tsr_layout_spatial_size(to))
    return layout_fail(
        e, TSR_ERROR_USAGE, -1, -1,
        "a conversion keeps the number of workers; shape %s has %lld before and %lld "
        "after",
        SHAPE_TEXT(from), (long long)tsr_layout_spatial_size(from),
        (long long)tsr_layout_spatial_size(to));
  if (warp_size < 1)
    return layout_fail(e, TSR_ERROR_USAGE, -1, -1, "a warp of %d workers", warp_size);
  return TSR_OK;
}

static tsr_status make_pair(pair *p, const tsr_layout *from, const tsr_layout *to,
                            int32_t warp_size, tsr_layout_error *e) {
  tsr_status s = tsr_linear_from_layout(&p->from, &p->from_slots, from, e);
  if (s == TSR_OK) s = tsr_linear_from_layout(&p->to, &p->to_slots, to, e);
  if (s != TSR_OK) return s;
  int lanes = layout_log2(warp_size);
  if (lanes < 0)
    return layout_fail(e, TSR_ERROR_UNSUPPORTED, -1, -1, "a warp of %d is no power of two",
                       warp_size);
  p->workers = p->from.in - p->from_slots;
  p->lanes = MIN((uint32_t)lanes, p->workers);
  memset(&p->slots, 0, sizeof p->slots);
  for (uint32_t i = 0; i < p->from_slots; i++) span_add(&p->slots, p->from.column[i]);
  p->warp = p->slots;
  for (uint32_t i = 0; i < p->lanes; i++) span_add(&p->warp, p->from.column[p->from_slots + i]);
  return TSR_OK;
}

/* What must be fetched for input bit i of `to`: for a worker's bit, the difference to what the
 * worker holds itself. */
static uint64_t need(const pair *p, uint32_t i) {
  uint64_t v = p->to.column[i];
  return i < p->to_slots ? v : v ^ p->from.column[p->from_slots + i - p->to_slots];
}

static tsr_conversion linear_class(const pair *p) {
  bool registers = true;
  for (uint32_t i = 0; i < p->to.in; i++) {
    if (!span_has(&p->warp, need(p, i))) return TSR_CONVERSION_SHARED;
    registers &= span_has(&p->slots, need(p, i));
  }
  return registers ? TSR_CONVERSION_REGISTERS : TSR_CONVERSION_SHUFFLE;
}

/* Some worker of w's warp that holds the element. The copies of an element may be many, so the
 * warp's workers are asked, not the copies listed. */
static bool held_in_warp(const tsr_layout *l, const int32_t *index, int32_t w, int32_t warp_size) {
  int32_t first = w - w % warp_size;
  for (int32_t k = first; k < first + warp_size; k++)
    if (tsr_layout_locate_at(l, index, k)) return true;
  return false;
}

static tsr_conversion class_by_elements(const tsr_layout *from, const tsr_layout *to,
                                        int32_t warp_size) {
  tsr_conversion kind = TSR_CONVERSION_REGISTERS;
  int32_t workers = (int32_t)tsr_layout_spatial_size(to),
          slots = (int32_t)tsr_layout_local_size(to);
  for (int32_t w = 0; w < workers; w++)
    for (int32_t s = 0; s < slots; s++) {
      int32_t index[MAX_RANK];
      tsr_layout_get_global(to, w, s, index);
      if (tsr_layout_locate_at(from, index, w)) continue;
      if (!held_in_warp(from, index, w, warp_size)) return TSR_CONVERSION_SHARED;
      kind = TSR_CONVERSION_SHUFFLE;
    }
  return kind;
}

tsr_status tsr_layout_conversion(tsr_conversion *out, const tsr_layout *from, const tsr_layout *to,
                                 int32_t warp_size, tsr_layout_error *e) {
  if (!out || !from || !to) return layout_null(e);
  tsr_status s = check_pair(from, to, warp_size, e);
  if (s != TSR_OK) return s;
  pair p;
  if (tsr_layout_same_map(from, to))
    *out = TSR_CONVERSION_NONE;
  else if (make_pair(&p, from, to, warp_size, NULL) == TSR_OK)
    *out = linear_class(&p);
  else
    *out = class_by_elements(from, to, warp_size);
  return TSR_OK;
}

/* ---- shuffles ------------------------------------------------------------------------------- */

/* Where the elements of `to` are fetched: column i gives the slot and the worker of `from` for
 * input bit i of `to`, slots first, then workers. */
typedef struct fetch {
  uint64_t slot[64], worker[64];
} fetch;

static bool find_sources(const pair *p, fetch *f) {
  for (uint32_t i = 0; i < p->to.in; i++) {
    uint64_t own = 0, any = 0;
    f->slot[i] = 0;
    f->worker[i] = i < p->to_slots ? 0 : 1ull << (i - p->to_slots);
    if (span_reduce(&p->slots, need(p, i), &own) == 0) {
      f->slot[i] = own;
    } else if (span_reduce(&p->warp, need(p, i), &any) == 0) {
      f->slot[i] = any & ((1ull << p->from_slots) - 1);
      f->worker[i] ^= any >> p->from_slots;
    } else {
      return false;
    }
  }
  return true;
}

/* In a round, worker w receives its slot t + X w. X is chosen so that the worker asked, as a map M
 * of w, loses as little as possible: where M's column depends on others, a slot that lives in yet
 * another worker is taken. First the columns that stand by themselves, then those that do not. */
static void choose_slots(const pair *p, const fetch *f, uint64_t *x, uint64_t *m) {
  span image = {0};
  bool alone[64];
  for (uint32_t j = 0; j < p->workers; j++) {
    x[j] = 0;
    m[j] = f->worker[p->to_slots + j];
    alone[j] = span_has(&image, m[j]) ? false : span_add(&image, m[j]);
  }
  for (uint32_t j = 0; j < p->workers; j++)
    for (uint32_t i = 0; !alone[j] && i < p->to_slots; i++)
      if (!span_has(&image, m[j] ^ f->worker[i])) {
        m[j] ^= f->worker[i];
        x[j] |= 1ull << i;
        alone[j] = span_add(&image, m[j]);
      }
}

static uint64_t combine(const uint64_t *columns, uint64_t bits) {
  uint64_t v = 0;
  for (; bits; bits &= bits - 1) v ^= columns[__builtin_ctzll(bits)];
  return v;
}

/* The slots that workers asking the same worker want besides each other: a basis. */
static uint32_t slot_clashes(const pair *p, const uint64_t *m, const uint64_t *n, uint64_t *basis) {
  tsr_linear asks = {.in = (uint8_t)p->workers, .out = (uint8_t)p->workers};
  memcpy(asks.column, m, p->workers * sizeof *m);
  uint64_t kernel[64];
  uint32_t k = tsr_linear_kernel(&asks, kernel);
  span clash = {0};
  for (uint32_t i = 0; i < k; i++) span_add(&clash, combine(n, kernel[i]));
  uint32_t count = 0;
  for (int h = 0; h < 64; h++)
    if (clash.row[h]) basis[count++] = clash.row[h];
  return count;
}

tsr_status tsr_shuffle_factor(tsr_shuffle *out, const tsr_layout *from, const tsr_layout *to,
                              int32_t warp_size, tsr_layout_error *e) {
  if (!out || !from || !to) return layout_null(e);
  pair p;
  fetch f;
  tsr_status s = check_pair(from, to, warp_size, e);
  if (s == TSR_OK) s = make_pair(&p, from, to, warp_size, e);
  if (s != TSR_OK) return s;
  if (!find_sources(&p, &f))
    return layout_fail(e, TSR_ERROR_UNSUPPORTED, -1, -1,
                       "converting shape %s moves elements across warps of %d; that takes shared "
                       "memory",
                       SHAPE_TEXT(from), warp_size);
  uint64_t x[64], m[64], n[64], clash[64];
  choose_slots(&p, &f, x, m);
  for (uint32_t j = 0; j < p.workers; j++) n[j] = f.slot[p.to_slots + j] ^ combine(f.slot, x[j]);
  uint32_t extra = slot_clashes(&p, m, n, clash);
  uint32_t rounds = p.to_slots + extra;
  if (rounds + p.workers > 64)
    return layout_fail(e, TSR_ERROR_UNSUPPORTED, -1, -1, "%u rounds of shuffles", rounds);

  span image = {0}; /* of M, to turn it around */
  for (uint32_t j = 0; j < p.workers; j++) span_add(&image, m[j]);
  uint8_t in = (uint8_t)(rounds + p.workers);
  *out = (tsr_shuffle){.round_bits = (uint8_t)rounds,
                       .lane_bits = (uint8_t)p.workers,
                       .from_slot_bits = (uint8_t)p.from_slots,
                       .to_slot_bits = (uint8_t)p.to_slots,
                       .send = {.in = in, .out = (uint8_t)p.from_slots},
                       .from = {.in = in, .out = (uint8_t)p.workers},
                       .keep = {.in = in, .out = (uint8_t)p.to_slots},
                       .keep_if = {.in = in, .out = (uint8_t)p.from_slots}};
  /* The sender v finds a w that asks it in round t: M w = v - from(t, 0). */
  for (uint32_t j = 0; j < p.workers; j++) {
    uint64_t w = 0;
    span_reduce(&image, 1ull << j, &w);
    out->send.column[rounds + j] = combine(n, w);
    out->from.column[rounds + j] = m[j];
    out->keep.column[rounds + j] = x[j];
  }
  for (uint32_t i = 0; i < p.to_slots; i++) {
    out->from.column[i] = f.worker[i];
    out->keep.column[i] = 1ull << i;
    out->send.column[i] = f.slot[i] ^ combine(out->send.column + rounds, f.worker[i]);
  }
  for (uint32_t i = 0; i < extra; i++) out->send.column[p.to_slots + i] = clash[i];
  /* What w wants, less what is sent to it: wanted(t, w) = slot t + N w. */
  for (uint32_t i = 0; i < in; i++) {
    uint64_t want = i < p.to_slots ? f.slot[i] : i < rounds ? 0 : n[i - rounds];
    uint64_t sent = out->send.column[i] ^ combine(out->send.column + rounds, out->from.column[i]);
    /* For a worker's bit, send is asked about the sender alone. */
    if (i >= rounds) sent = combine(out->send.column + rounds, out->from.column[i]);
    out->keep_if.column[i] = want ^ sent;
  }
  return TSR_OK;
}
