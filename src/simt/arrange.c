/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * One side's accesses fill rows of all banks: first what a thread accesses at once, then the lanes
 * that are served together. Lanes of the other side that lie in these rows have banks of their own
 * already; each that moves from row to row gets a weight that moves it along the banks too, to
 * where none of the others is. The result is judged by counting, for either side first and for
 * every width of an access.
 */
#include "simt/arrange.h"

#include "target/banks.h"

enum {
  MOST_BANKS = 64,
  MOST_LANES = 64,
  ANYWHERE = -1,
};

/* Bits without a weight come last. */
static bool is_lighter(const int32_t *weight, int8_t a, int8_t b) {
  return (uint32_t)weight[a] - 1 < (uint32_t)weight[b] - 1;
}

simt_dist simt_dist_by_weight(const simt_dist *d, const int32_t *weight) {
  simt_dist r = *d;
  for (unsigned j = 1; j < r.regs; j++)
    for (unsigned k = j; k && is_lighter(weight, r.reg[k], r.reg[k - 1]); k--) {
      int8_t bit = r.reg[k];
      r.reg[k] = r.reg[k - 1];
      r.reg[k - 1] = bit;
    }
  return r;
}

unsigned simt_access_run(const simt_dist *d, const int32_t *weight, unsigned bytes) {
  unsigned run = 0;
  while (run < d->regs && (bytes << run) < SIMT_ACCESS_BYTES &&
         weight[d->reg[run]] == (int32_t)(bytes << run))
    run++;
  for (; run; run--) {
    bool aligned = true;
    int32_t size = (int32_t)(bytes << run);
    for (unsigned k = 0; k < d->n; k++) {
      bool inside = false;
      for (unsigned j = 0; j < run; j++) inside |= d->reg[j] == (int8_t)k;
      aligned &= inside || weight[k] % size == 0;
    }
    if (aligned) return run;
  }
  return 0;
}

/* The lanes, log2, that are served together when each accesses 2^run elements. */
static unsigned phase_bits(const gpu_target *gpu, unsigned bytes, unsigned run, bool writes) {
  return (unsigned)gpu->lane_bits - gpu_phases_of(gpu, bytes << run, writes).bits;
}

static uint32_t offset_of(const simt_dist *d, const int32_t *weight, uint32_t lane) {
  uint32_t offset = 0;
  for (unsigned j = 0; j < d->lanes; j++)
    if (lane >> j & 1 && d->lane[j] != SIMT_COPY) offset += (uint32_t)weight[d->lane[j]];
  return offset;
}

/* The most words of one bank that the lanes of a phase want. */
static uint32_t conflict_ways(const gpu_phases *p, unsigned phase, uint32_t lanes,
                              const uint32_t *offset, uint32_t each, uint32_t bank_bytes) {
  uint32_t words[MOST_BANKS], n = 0, ways = 1;
  uint8_t in_bank[MOST_BANKS] = {0};
  for (uint32_t lane = 0; lane < lanes; lane++) {
    if (gpu_phase_of(p, lane) != phase) continue;
    for (uint32_t k = 0; k < each; k++) {
      uint32_t word = offset[lane] / bank_bytes + k;
      bool seen = false;
      for (uint32_t i = 0; i < n && !seen; i++) seen = words[i] == word;
      if (seen) continue;
      words[n++] = word;
      in_bank[word % p->banks]++;
      ways = MAX(ways, in_bank[word % p->banks]);
    }
  }
  return ways;
}

/* Of one access of a warp. What other registers and warps add to the offsets is the same for all
 * lanes, and changes nothing. */
static uint32_t wavefronts_of(const gpu_target *gpu, const simt_dist *d, const int32_t *weight,
                              unsigned bytes, bool writes) {
  gpu_phases p = gpu_phases_of(gpu, bytes, writes);
  uint32_t offset[MOST_LANES], lanes = 1u << d->lanes, sum = 0;
  for (uint32_t lane = 0; lane < lanes; lane++) offset[lane] = offset_of(d, weight, lane);
  uint32_t bank_bytes = gpu->bank_bytes, each = MAX(bytes, bank_bytes) / bank_bytes;
  for (unsigned phase = 0; phase < 1u << p.bits; phase++)
    sum += conflict_ways(&p, phase, lanes, offset, each, bank_bytes);
  return sum;
}

static unsigned best_run(const simt_dist *d, const int32_t *weight, unsigned bytes) {
  simt_dist sorted = simt_dist_by_weight(d, weight);
  return simt_access_run(&sorted, weight, bytes);
}

static unsigned run_of(const simt_dist *d, const int32_t *weight, unsigned bytes, int run) {
  return run == SIMT_ANY_RUN ? best_run(d, weight, bytes) : (unsigned)run;
}

uint32_t simt_wavefronts(const gpu_target *gpu, const simt_dist *d, const int32_t *weight,
                         unsigned bytes, int fixed, bool writes) {
  unsigned run = run_of(d, weight, bytes, fixed);
  return wavefronts_of(gpu, d, weight, bytes << run, writes) << (d->regs - run);
}

/* A multiprocessor issues an instruction of each of its schedulers while shared memory serves one
 * wavefront: in parts of a wavefront that long. */
static uint32_t cost_of(const gpu_target *gpu, const simt_dist *d, const int32_t *weight,
                        unsigned bytes, int run, bool writes) {
  uint32_t accesses = 1u << (d->regs - run_of(d, weight, bytes, run));
  return gpu->schedulers * simt_wavefronts(gpu, d, weight, bytes, run, writes) + accesses;
}

/* ---- one candidate -------------------------------------------------------------------------- */

typedef struct arranging {
  const gpu_target *gpu;
  int32_t weight[SIMT_BITS];
  uint32_t placed; /* bits of the index that have a weight */
  int32_t end;     /* of the elements that those reach */
  int32_t unit;    /* that weights are multiples of */
} arranging;

/* After all that is there, and at this offset in a row of banks. */
static void put_bit(arranging *a, int8_t bit, int32_t bank) {
  if (bit == SIMT_COPY || a->placed >> bit & 1) return;
  int32_t at = a->end;
  int32_t row = (int32_t)gpu_bank_row(a->gpu);
  if (bank != ANYWHERE) at += (bank - at % row + row) % row;
  a->weight[bit] = at;
  a->placed |= 1u << bit;
  a->end += at;
}

/* As long as they fit a row. */
static void fill_row(arranging *a, const simt_dist *d, unsigned lanes) {
  for (unsigned j = 0; j < lanes && a->end < (int32_t)gpu_bank_row(a->gpu); j++)
    put_bit(a, d->lane[j], ANYWHERE);
}

/* Lanes of `d` that move from row to row, each to banks that no other lane of a phase has. The run
 * is one of registers that have a place: those without, whose weight is 0, are none. */
static void move_along(arranging *a, const simt_dist *d, unsigned bytes, bool writes) {
  simt_dist there = *d;
  there.regs = 0;
  for (unsigned j = 0; j < d->regs; j++)
    if (a->placed >> d->reg[j] & 1) there.reg[there.regs++] = d->reg[j];
  unsigned run = best_run(&there, a->weight, bytes), lanes = phase_bits(a->gpu, bytes, run, writes);
  int32_t row = (int32_t)gpu_bank_row(a->gpu);
  /* Offsets in a row, as sums of powers of 2. */
  uint32_t used = MAX(bytes << run, a->gpu->bank_bytes) - 1;
  for (unsigned j = 0; j < lanes; j++)
    if (d->lane[j] != SIMT_COPY && a->placed >> d->lane[j] & 1)
      used |= (uint32_t)(a->weight[d->lane[j]] % row);
  for (unsigned j = 0; j < lanes; j++) {
    int32_t bank = a->unit;
    while (bank < row && used & (uint32_t)bank) bank *= 2;
    if (bank == row) return;
    if (d->lane[j] == SIMT_COPY || a->placed >> d->lane[j] & 1) continue;
    put_bit(a, d->lane[j], bank);
    used |= (uint32_t)bank;
  }
}

static void put_rest(arranging *a, const simt_dist *d) {
  for (unsigned j = 0; j < d->lanes; j++) put_bit(a, d->lane[j], ANYWHERE);
  for (unsigned j = 0; j < d->regs; j++) put_bit(a, d->reg[j], ANYWHERE);
  for (unsigned j = 0; j < d->warps; j++) put_bit(a, d->warp[j], ANYWHERE);
}

/* `first`, which writes or reads, fills rows, and its threads access 2^run elements at once.
 * Without `moving`, all bits lie one after the other without gaps. */
static arranging arrange(const gpu_target *gpu, const simt_dist *first, const simt_dist *second,
                         unsigned bytes, unsigned run, bool moving, bool writes) {
  arranging a = {.gpu = gpu, .end = (int32_t)bytes, .unit = (int32_t)(bytes << run)};
  for (unsigned j = 0; j < run; j++) put_bit(&a, first->reg[j], ANYWHERE);
  fill_row(&a, first, phase_bits(gpu, bytes, run, writes));
  fill_row(&a, second, second->lanes);
  a.unit = MAX(a.unit, (int32_t)gpu->bank_bytes);
  if (moving) move_along(&a, second, bytes, !writes);
  put_rest(&a, second);
  put_rest(&a, first);
  return a;
}

/* ---- the best ------------------------------------------------------------------------------- */

/* With the registers that `other` has as registers too in front, so that both may access several of
 * them at once. */
static simt_dist common_first(const simt_dist *d, const simt_dist *other) {
  simt_dist r = *d;
  unsigned n = 0;
  for (unsigned common = 2; common-- > 0;)
    for (unsigned j = 0; j < d->regs; j++) {
      bool is_common = false;
      for (unsigned k = 0; k < other->regs; k++) is_common |= other->reg[k] == d->reg[j];
      if (is_common == common) r.reg[n++] = d->reg[j];
    }
  return r;
}

typedef struct search {
  const gpu_target *gpu;
  const simt_dist *from, *to;
  int run; /* of loads */
  unsigned bytes;
  uint64_t most; /* bytes */
  uint32_t cost;
  arranging best;
} search;

static void judge(search *s, const arranging *a) {
  if (s->run > 0 && simt_access_run(s->to, a->weight, s->bytes) < (unsigned)s->run) return;
  uint32_t cost = cost_of(s->gpu, s->from, a->weight, s->bytes, SIMT_ANY_RUN, true) +
                  cost_of(s->gpu, s->to, a->weight, s->bytes, s->run, false);
  if (cost > s->cost || (cost == s->cost && a->end >= s->best.end)) return;
  s->cost = cost;
  s->best = *a;
}

static void try_widths(search *s, const simt_dist *first, const simt_dist *second,
                       bool first_writes) {
  for (unsigned run = 0; run <= first->regs && (s->bytes << run) <= SIMT_ACCESS_BYTES; run++)
    for (unsigned moving = 0; moving < 2; moving++) {
      arranging a = arrange(s->gpu, first, second, s->bytes, run, moving, first_writes);
      if (!moving || (uint64_t)a.end <= s->most) judge(s, &a);
    }
}

uint32_t simt_arrange(const gpu_target *gpu, const simt_dist *from, const simt_dist *to, int run,
                      unsigned bytes, int32_t weight[SIMT_BITS]) {
  unsigned bits = from->regs;
  for (unsigned j = 0; j < from->lanes; j++) bits += from->lane[j] != SIMT_COPY;
  for (unsigned j = 0; j < from->warps; j++) bits += from->warp[j] != SIMT_COPY;
  search s = {.gpu = gpu,
              .from = from,
              .to = to,
              .run = run,
              .bytes = bytes,
              .most = ((uint64_t)bytes << bits) * 5 / 4,
              .cost = UINT32_MAX};
  simt_dist to_common = common_first(to, from), from_common = common_first(from, to);
  const simt_dist *sides[] = {to, from, &to_common, &from_common};
  for (unsigned i = 0; i < ARRAY_LEN(sides); i++) try_widths(&s, sides[i], sides[i ^ 1], i & 1);
  memcpy(weight, s.best.weight, sizeof s.best.weight);
  return (uint32_t)s.best.end;
}
