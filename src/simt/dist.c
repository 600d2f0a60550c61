/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "simt/dist.h"

#include "base/invariant.h"

void simt_dim_bits(const ir_type *t, unsigned d, unsigned *first, unsigned *n) {
  *first = 0;
  for (unsigned i = d + 1; i < t->rank; i++) *first += simt_log2(t->shape[i]);
  *n = simt_log2(t->shape[d]);
}

/* ---- making --------------------------------------------------------------------------------- */

static simt_dist empty(unsigned n, simt_threads t) {
  simt_dist d = {.n = (uint8_t)n, .lanes = t.lanes, .warps = t.warps};
  memset(d.reg, SIMT_COPY, sizeof d.reg);
  memset(d.lane, SIMT_COPY, sizeof d.lane);
  memset(d.warp, SIMT_COPY, sizeof d.warp);
  return d;
}

static void add_reg(simt_dist *d, unsigned bit) {
  d->reg[d->regs++] = (int8_t)bit;
}

simt_dist simt_dist_ordered(unsigned n, const uint8_t *order, unsigned vector, simt_threads t) {
  simt_dist d = empty(n, t);
  unsigned next = 0;
  while (next < n && next < vector) add_reg(&d, order[next++]);
  for (unsigned j = 0; j < t.lanes && next < n; j++) d.lane[j] = (int8_t)order[next++];
  for (unsigned j = 0; j < t.warps && next < n; j++) d.warp[j] = (int8_t)order[next++];
  while (next < n) add_reg(&d, order[next++]);
  INVARIANT(simt_dist_valid(&d));
  return d;
}

simt_dist simt_dist_blocked(unsigned n, unsigned vector, simt_threads t) {
  uint8_t order[SIMT_BITS];
  for (unsigned k = 0; k < n; k++) order[k] = (uint8_t)k;
  return simt_dist_ordered(n, order, vector, t);
}

simt_dist simt_dist_private(unsigned n, simt_threads t) {
  simt_dist d = empty(n, t);
  for (unsigned k = 0; k < n; k++) add_reg(&d, k);
  return d;
}

simt_dist simt_dist_scanned(const ir_type *t, unsigned dim, simt_threads threads) {
  unsigned n = simt_tile_bits(t), first, along, at = 0;
  simt_dim_bits(t, dim, &first, &along);
  unsigned run = along > threads.lanes ? MIN(along - threads.lanes, 2) : 0;
  unsigned lanes = MIN(along - run, threads.lanes);
  simt_dist d = empty(n, threads);
  for (unsigned k = 0; k < run; k++) add_reg(&d, first + at++);
  for (unsigned k = 0; k < lanes; k++) d.lane[k] = (int8_t)(first + at++);
  unsigned lane = lanes, warp = 0;
  for (unsigned k = 0; k < n; k++) {
    if (k >= first && k < first + along) continue;
    if (lane < d.lanes)
      d.lane[lane++] = (int8_t)k;
    else if (warp < d.warps)
      d.warp[warp++] = (int8_t)k;
    else
      add_reg(&d, k);
  }
  while (at < along) add_reg(&d, first + at++);
  return d;
}

simt_dist simt_dist_sorted(const simt_dist *d) {
  simt_dist r = *d;
  r.regs = 0;
  for (unsigned k = 0; k < d->n; k++)
    for (unsigned j = 0; j < d->regs; j++)
      if (d->reg[j] == (int8_t)k) add_reg(&r, k);
  return r;
}

bool simt_dist_equal(const simt_dist *a, const simt_dist *b) {
  return a->n == b->n && a->regs == b->regs && a->lanes == b->lanes && a->warps == b->warps &&
         memcmp(a->reg, b->reg, sizeof a->reg) == 0 &&
         memcmp(a->lane, b->lane, sizeof a->lane) == 0 &&
         memcmp(a->warp, b->warp, sizeof a->warp) == 0;
}

bool simt_dist_valid(const simt_dist *d) {
  uint32_t seen = 0;
  if (d->n > SIMT_BITS || d->regs > d->n) return false;
  if (d->lanes > SIMT_MOST_LANE_BITS || d->warps > SIMT_MOST_WARP_BITS) return false;
  const struct {
    const int8_t *bits;
    unsigned n;
    bool copies;
  } lists[] = {{d->reg, d->regs, false}, {d->lane, d->lanes, true}, {d->warp, d->warps, true}};
  for (unsigned i = 0; i < ARRAY_LEN(lists); i++)
    for (unsigned j = 0; j < lists[i].n; j++) {
      int8_t bit = lists[i].bits[j];
      if (bit == SIMT_COPY && lists[i].copies) continue;
      if (bit < 0 || bit >= d->n || seen >> bit & 1) return false;
      seen |= 1u << bit;
    }
  return seen == (1u << d->n) - 1;
}

/* ---- indices -------------------------------------------------------------------------------- */

static uint32_t scatter(const int8_t *bits, unsigned n, uint32_t number) {
  uint32_t index = 0;
  for (unsigned j = 0; j < n; j++)
    if (bits[j] != SIMT_COPY) index |= (number >> j & 1) << bits[j];
  return index;
}

uint32_t simt_index_of_slot(const simt_dist *d, uint32_t slot) {
  return scatter(d->reg, d->regs, slot);
}

uint32_t simt_slot_of_index(const simt_dist *d, uint32_t index) {
  uint32_t slot = 0;
  for (unsigned j = 0; j < d->regs; j++) slot |= (index >> d->reg[j] & 1) << j;
  return slot;
}

uint32_t simt_index_at(const simt_dist *d, uint32_t slot, uint32_t lane, uint32_t warp) {
  return scatter(d->reg, d->regs, slot) | scatter(d->lane, d->lanes, lane) |
         scatter(d->warp, d->warps, warp);
}

/* ---- index operations ----------------------------------------------------------------------- */

static void map_dim(simt_map *m, const ir_type *from, unsigned d, const ir_type *to, unsigned e) {
  unsigned first, n, to_first, to_n;
  simt_dim_bits(from, d, &first, &n);
  simt_dim_bits(to, e, &to_first, &to_n);
  for (unsigned k = 0; k < n; k++) m->to[first + k] = (int8_t)(to_first + k);
}

simt_map simt_map_of(const ir_op *op) {
  const ir_type *from = ir_operand(op, 0)->type, *to = ir_result(op, 0)->type;
  simt_map m = {.from_n = (uint8_t)simt_tile_bits(from), .to_n = (uint8_t)simt_tile_bits(to)};
  memset(m.to, SIMT_COPY, sizeof m.to);
  if (op->opcode == OP_permute) {
    const ir_ints *p = ir_get_attr(op, ATTR_permutation)->ints;
    for (unsigned d = 0; d < to->rank; d++) map_dim(&m, from, (unsigned)p->data[d], to, d);
  } else if (op->opcode == OP_broadcast) {
    for (unsigned d = 0; d < to->rank; d++)
      if (from->shape[d] > 1) map_dim(&m, from, d, to, d);
  } else {
    for (unsigned k = 0; k < m.from_n; k++) m.to[k] = (int8_t)k;
  }
  return m;
}

bool simt_map_is_bijective(const simt_map *m) {
  return m->from_n == m->to_n;
}

uint32_t simt_map_index(const simt_map *m, uint32_t result_index) {
  uint32_t index = 0;
  for (unsigned k = 0; k < m->from_n; k++) index |= (result_index >> m->to[k] & 1) << k;
  return index;
}

simt_dist simt_dist_back(const simt_dist *result, const simt_map *m) {
  int8_t from[SIMT_BITS];
  memset(from, SIMT_COPY, sizeof from);
  for (unsigned k = 0; k < m->from_n; k++) from[m->to[k]] = (int8_t)k;
  simt_dist d = empty(m->from_n, simt_threads_of(result));
  for (unsigned j = 0; j < result->regs; j++)
    if (from[result->reg[j]] != SIMT_COPY) add_reg(&d, (unsigned)from[result->reg[j]]);
  for (unsigned j = 0; j < result->lanes; j++)
    if (result->lane[j] != SIMT_COPY) d.lane[j] = from[result->lane[j]];
  for (unsigned j = 0; j < result->warps; j++)
    if (result->warp[j] != SIMT_COPY) d.warp[j] = from[result->warp[j]];
  INVARIANT(simt_dist_valid(&d));
  return d;
}

/* Gives places to the bits that have none. */
static void complete(simt_dist *d) {
  uint32_t seen = 0;
  for (unsigned j = 0; j < d->regs; j++) seen |= 1u << d->reg[j];
  for (unsigned j = 0; j < d->lanes; j++)
    if (d->lane[j] != SIMT_COPY) seen |= 1u << d->lane[j];
  for (unsigned j = 0; j < d->warps; j++)
    if (d->warp[j] != SIMT_COPY) seen |= 1u << d->warp[j];
  unsigned lane = 0, warp = 0;
  for (unsigned k = 0; k < d->n; k++) {
    if (seen >> k & 1) continue;
    while (lane < d->lanes && d->lane[lane] != SIMT_COPY) lane++;
    while (warp < d->warps && d->warp[warp] != SIMT_COPY) warp++;
    if (lane < d->lanes)
      d->lane[lane] = (int8_t)k;
    else if (warp < d->warps)
      d->warp[warp] = (int8_t)k;
    else
      add_reg(d, k);
  }
}

simt_dist simt_dist_forward(const simt_dist *from, const simt_map *m) {
  simt_dist d = empty(m->to_n, simt_threads_of(from));
  for (unsigned j = 0; j < from->regs; j++) add_reg(&d, (unsigned)m->to[from->reg[j]]);
  for (unsigned j = 0; j < from->lanes; j++)
    if (from->lane[j] != SIMT_COPY) d.lane[j] = m->to[from->lane[j]];
  for (unsigned j = 0; j < from->warps; j++)
    if (from->warp[j] != SIMT_COPY) d.warp[j] = m->to[from->warp[j]];
  complete(&d);
  INVARIANT(simt_dist_valid(&d));
  return d;
}

simt_dist simt_dist_drop(const simt_dist *d, unsigned first, unsigned count) {
  simt_map m = {.from_n = (uint8_t)(d->n - count), .to_n = d->n};
  for (unsigned k = 0; k < m.from_n; k++) m.to[k] = (int8_t)(k < first ? k : k + count);
  return simt_dist_back(d, &m);
}

simt_dist simt_dist_insert(const simt_dist *d, unsigned first, unsigned count) {
  simt_dist r = *d;
  r.n = (uint8_t)(d->n + count);
  int8_t *lists[] = {r.reg, r.lane, r.warp};
  const unsigned sizes[] = {r.regs, r.lanes, r.warps};
  for (unsigned i = 0; i < ARRAY_LEN(lists); i++)
    for (unsigned j = 0; j < sizes[i]; j++)
      if (lists[i][j] >= (int)first) lists[i][j] = (int8_t)(lists[i][j] + (int)count);
  for (unsigned k = 0; k < count; k++) add_reg(&r, first + k);
  INVARIANT(simt_dist_valid(&r));
  return r;
}

/* ---- conversions ---------------------------------------------------------------------------- */

/* Every bit that `from` has at a place of the list, `to` has there too. */
static bool stays(const int8_t *from, const int8_t *to, unsigned n) {
  for (unsigned j = 0; j < n; j++)
    if (from[j] != SIMT_COPY && from[j] != to[j]) return false;
  return true;
}

tsr_conversion simt_conversion(const simt_dist *from, const simt_dist *to) {
  if (simt_dist_equal(from, to)) return TSR_CONVERSION_NONE;
  if (!stays(from->warp, to->warp, from->warps)) return TSR_CONVERSION_SHARED;
  return stays(from->lane, to->lane, from->lanes) ? TSR_CONVERSION_REGISTERS
                                                  : TSR_CONVERSION_SHUFFLE;
}

unsigned simt_varying_bits(const simt_dist *from, const simt_dist *to) {
  unsigned varying = from->regs;
  for (unsigned j = 0; j < from->regs; j++)
    for (unsigned k = 0; k < to->regs; k++) varying -= from->reg[j] == to->reg[k];
  return varying;
}

bool simt_is_near(const simt_dist *from, const simt_dist *to) {
  return simt_conversion(from, to) <= TSR_CONVERSION_REGISTERS && simt_varying_bits(from, to) == 0;
}

/* ---- other forms ---------------------------------------------------------------------------- */

tsr_linear simt_dist_linear(const simt_dist *d) {
  tsr_linear m = {.in = (uint8_t)(d->regs + d->lanes + d->warps), .out = d->n};
  unsigned at = 0;
  for (unsigned j = 0; j < d->regs; j++) m.column[at++] = UINT64_C(1) << d->reg[j];
  for (unsigned j = 0; j < d->lanes; j++)
    m.column[at++] = d->lane[j] == SIMT_COPY ? 0 : UINT64_C(1) << d->lane[j];
  for (unsigned j = 0; j < d->warps; j++)
    m.column[at++] = d->warp[j] == SIMT_COPY ? 0 : UINT64_C(1) << d->warp[j];
  return m;
}

bool simt_dist_layout(tsr_layout *out, const simt_dist *d, const ir_type *t) {
  int32_t shape[TSR_LAYOUT_MAX_RANK];
  if (t->rank > TSR_LAYOUT_MAX_RANK) return false;
  for (unsigned i = 0; i < t->rank; i++) shape[i] = (int32_t)t->shape[i];
  tsr_linear m = simt_dist_linear(d);
  return tsr_linear_to_layout(out, &m, d->regs, t->rank, shape, NULL) == TSR_OK;
}

bool simt_dist_fragment(simt_dist *out, const char *name, unsigned n, const uint8_t *bits,
                        unsigned n_bits, const int8_t *warp, simt_threads t) {
  tsr_layout fragment;
  tsr_linear m;
  uint32_t slots, seen = 0;
  if (!tsr_fragment(&fragment, name, strlen(name))) return false;
  if (tsr_linear_from_layout(&m, &slots, &fragment, NULL) != TSR_OK) return false;
  if (m.out != n_bits || m.in != slots + t.lanes) return false;
  simt_dist d = empty(n, t);
  for (unsigned i = 0; i < m.in; i++) {
    int bit = m.column[i] ? bits[__builtin_ctzll(m.column[i])] : SIMT_COPY;
    if (bit != SIMT_COPY) seen |= 1u << bit;
    if (i < slots)
      add_reg(&d, (unsigned)bit);
    else
      d.lane[i - slots] = (int8_t)bit;
  }
  for (unsigned j = 0; j < t.warps; j++) {
    d.warp[j] = warp[j];
    if (warp[j] != SIMT_COPY) seen |= 1u << warp[j];
  }
  for (unsigned k = 0; k < n; k++)
    if (!(seen >> k & 1)) add_reg(&d, k);
  *out = d;
  return simt_dist_valid(out);
}

static void print_list(sbuf *out, const char *name, const int8_t *bits, unsigned n,
                       const ir_type *t) {
  sbuf_printf(out, "%s [", name);
  for (unsigned j = 0; j < n; j++) {
    if (j) sbuf_putc(out, ' ');
    if (bits[j] == SIMT_COPY || bits[j] >= (int)simt_tile_bits(t)) { /* there: a repeated row */
      sbuf_putc(out, '-');
      continue;
    }
    for (unsigned d = 0; d < t->rank; d++) {
      unsigned first, count;
      simt_dim_bits(t, d, &first, &count);
      if ((unsigned)bits[j] >= first && (unsigned)bits[j] < first + count)
        sbuf_printf(out, "%u.%llu", d, 1ull << ((unsigned)bits[j] - first));
    }
  }
  sbuf_putc(out, ']');
}

void simt_dist_print(sbuf *out, const simt_dist *d, const ir_type *t) {
  print_list(out, "reg", d->reg, d->regs, t);
  print_list(out, " lane", d->lane, d->lanes, t);
  print_list(out, " warp", d->warp, d->warps, t);
}
