/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "simt/amd/stage.h"

#include "target/banks.h"

enum { CHUNK_BITS = 4, WORD = 4 };

/* ---- without a swizzle ---------------------------------------------------------------------- */

bool simt_amd_lay_out(const simt_op *info, simt_staged *x, bool fast_is_k, unsigned elem_bytes) {
  simt_product s = simt_product_of(x->product);
  unsigned wide = x->is_lhs ? s.m : s.n, k_first = x->is_lhs ? 0 : s.n;
  unsigned wide_first = x->is_lhs ? s.k : 0;
  (void)fast_is_k; /* of memory */
  if (info->mma != SIMT_MMA_WARP || info->column || info->direct) return false;
  if (x->is_lhs && info->repeat) return false; /* rows that are copies */
  simt_stage_layout l = {.n = (uint8_t)(s.batch + wide + s.k),
                         .elem_bytes = (uint8_t)elem_bytes,
                         .fast_is_k = true,
                         .fast = (uint8_t)s.k,
                         .slow = (uint8_t)wide,
                         .batch = (uint8_t)s.batch};
  l.row_bytes = UINT32_C(1) << (s.k + elem_bytes);
  l.bytes = l.panel_bytes = l.row_bytes << (wide + s.batch);
  for (unsigned j = 0; j < s.k; j++) l.column[k_first + j] = UINT32_C(1) << (j + elem_bytes);
  for (unsigned j = 0; j < wide; j++) l.column[wide_first + j] = l.row_bytes << j;
  for (unsigned j = 0; j < s.batch; j++) l.column[wide + s.k + j] = l.row_bytes << (wide + j);
  x->layout = l;
  return true;
}

/* ---- accesses ------------------------------------------------------------------------------- */

/* Registers whose bits follow each other from `first` on, from register `at` on. */
static unsigned run_of(const simt_dist *d, unsigned at, unsigned first, unsigned elem_bytes) {
  unsigned n = 0;
  while (at + n < d->regs && d->reg[at + n] == (int8_t)(first + n) &&
         (2u << (n + elem_bytes)) <= AMD_CHUNK)
    n++;
  return n;
}

unsigned simt_amd_read_run(const simt_dist *fragments, unsigned k, unsigned elem_bytes) {
  return run_of(fragments, 0, k, elem_bytes);
}

/* The copy with the bits of the operand's index. */
static simt_dist operand_dist(const simt_staged *x) {
  simt_dist d = x->copy;
  for (unsigned j = 0; j < d.regs; j++) d.reg[j] = x->to_operand.to[d.reg[j]];
  for (unsigned j = 0; j < d.lanes; j++)
    if (d.lane[j] != SIMT_COPY) d.lane[j] = x->to_operand.to[d.lane[j]];
  for (unsigned j = 0; j < d.warps; j++)
    if (d.warp[j] != SIMT_COPY) d.warp[j] = x->to_operand.to[d.warp[j]];
  return d;
}

static unsigned first_k(const simt_staged *x) {
  return x->is_lhs ? 0 : (unsigned)simt_product_of(x->product).n;
}

unsigned simt_amd_write_run(const simt_staged *x) {
  simt_dist d = operand_dist(x);
  bool along_k = d.reg[0] == (int8_t)first_k(x);
  return run_of(&d, along_k ? 0 : x->at_once, first_k(x), x->layout.elem_bytes);
}

/* Wavefronts of one access of 2^run elements. All phases take as many, since where elements lie is
 * linear and so is which lanes are served together. */
static uint32_t wavefronts(const gpu_target *t, const simt_stage_layout *l, const simt_dist *d,
                           unsigned run, bool writes, uint32_t *least) {
  enum { MOST_BANKS = 64, MOST_WORDS = 64 * AMD_CHUNK / WORD };
  unsigned bytes = 1u << (run + l->elem_bytes), basis[6], lanes = gpu_lanes(t);
  gpu_phases phases = gpu_phases_of(t, bytes, writes);
  unsigned n = gpu_phase_basis(&phases, lanes, basis);
  uint32_t words[MOST_WORDS], n_words = 0, ways = 1;
  uint8_t in_bank[MOST_BANKS] = {0};
  for (uint32_t i = 0; i < 1u << n; i++) {
    uint32_t lane = 0, at = 0;
    for (unsigned j = 0; j < n; j++)
      if (i >> j & 1) lane ^= basis[j];
    for (unsigned j = 0; j < d->lanes; j++)
      if (lane >> j & 1 && d->lane[j] != SIMT_COPY) at ^= l->column[d->lane[j]];
    for (uint32_t word = at / WORD; word < at / WORD + MAX(bytes / WORD, 1u); word++) {
      bool seen = false;
      for (uint32_t k = 0; k < n_words && !seen; k++) seen = words[k] == word;
      if (seen) continue;
      words[n_words++] = word;
      in_bank[word % phases.banks]++;
      ways = MAX(ways, (uint32_t)in_bank[word % phases.banks]);
    }
  }
  uint32_t times = (1u << phases.bits) << (d->regs - run);
  *least += times;
  return ways * times;
}

static simt_amd_cost cost_of(const simt_plan *p, const simt_staged *x, const simt_stage_layout *l) {
  const simt_op *info = simt_op_of(p, x->product);
  const simt_dist *fragments = x->is_lhs ? &info->a : &info->b;
  simt_dist copy = operand_dist(x);
  unsigned read = simt_amd_read_run(fragments, first_k(x), l->elem_bytes);
  simt_amd_cost c = {.reads = 0};
  c.reads = wavefronts(p->target.gpu, l, fragments, read, false, &c.least_reads);
  c.writes = wavefronts(p->target.gpu, l, &copy, simt_amd_write_run(x), true, &c.least_writes);
  return c;
}

simt_amd_cost simt_amd_stage_cost(const simt_plan *p, const simt_staged *x) {
  return cost_of(p, x, &x->layout);
}

/* ---- the swizzle ---------------------------------------------------------------------------- */

/* Turns the bits of addresses from a chunk's size up to a row of banks by bits of the row's number
 * from `from` on, upwards or downwards. Only bits that lie higher than what they turn do, so that
 * no two elements meet. */
static void turn(simt_stage_layout *l, unsigned top, unsigned wide_first, int from, bool down) {
  for (unsigned bit = CHUNK_BITS; bit < top; bit++) {
    int row = down ? from + (int)(top - 1 - bit) : from + (int)(bit - CHUNK_BITS);
    if (row < 0 || row >= (int)l->slow) continue;
    if ((l->row_bytes << row) >> (bit + 1)) l->column[wide_first + (unsigned)row] ^= 1u << bit;
  }
}

/* Registers whose bits are turned where threads' bits are have addresses of their own: how many of
 * these there are for accesses of 2^run elements. */
static uint32_t addresses_of(const simt_stage_layout *l, const simt_dist *d, unsigned run) {
  uint32_t thread = 0, basis[SIMT_BITS], n = 0;
  for (unsigned j = 0; j < d->lanes; j++)
    if (d->lane[j] != SIMT_COPY) thread |= l->column[d->lane[j]];
  for (unsigned j = 0; j < d->warps; j++)
    if (d->warp[j] != SIMT_COPY) thread |= l->column[d->warp[j]];
  for (unsigned j = run; j < d->regs; j++) {
    uint32_t x = l->column[d->reg[j]] & thread;
    for (uint32_t i = 0; i < n; i++) x = MIN(x, x ^ basis[i]);
    if (x) basis[n++] = x;
  }
  return 1u << n;
}

static uint32_t all_addresses(const simt_plan *p, const simt_staged *x,
                              const simt_stage_layout *l) {
  const simt_op *info = simt_op_of(p, x->product);
  const simt_dist *fragments = x->is_lhs ? &info->a : &info->b;
  simt_dist copy = operand_dist(x);
  unsigned read = simt_amd_read_run(fragments, first_k(x), l->elem_bytes);
  return addresses_of(l, fragments, read) + addresses_of(l, &copy, 0);
}

/* Two sets of bits at most, for which there are few candidates. Of those with the fewest wavefronts
 * one that takes few registers for addresses. */
static void choose_swizzle(const simt_plan *p, simt_staged *x) {
  const gpu_target *t = p->target.gpu;
  const simt_stage_layout plain = x->layout;
  simt_product s = simt_product_of(x->product);
  unsigned top = simt_log2(gpu_bank_row(t)), wide_first = x->is_lhs ? s.k : 0;
  simt_amd_cost c = cost_of(p, x, &plain);
  uint32_t best = c.reads + c.writes, fewest = all_addresses(p, x, &plain);
  unsigned number = 0;
  int none = plain.slow; /* a set of bits that do not exist */
  for (int first = -3; first <= none; first++)
    for (int second = first; second <= none; second++)
      for (unsigned down = 0; down < 4; down++) {
        simt_stage_layout l = plain;
        turn(&l, top, wide_first, first, down & 1);
        if (second != first) turn(&l, top, wide_first, second, down >> 1);
        number++;
        c = cost_of(p, x, &l);
        uint32_t cost = c.reads + c.writes, addresses = all_addresses(p, x, &l);
        if (cost > best || (cost == best && addresses >= fewest)) continue;
        best = cost;
        fewest = addresses;
        l.swizzle = (uint8_t)MIN(number, 255u);
        x->layout = l;
      }
}

/* ---- who copies what ------------------------------------------------------------------------ */

/* What lies along k in memory is copied as it lies there. Of what lies across, a thread loads
 * several rows of k, so that it has neighbours along k to write at once: as many instructions in
 * all as there need to be. Lanes next to each other have the rest of a chunk along k, then follow
 * memory. */
bool simt_amd_share_out(const simt_plan *p, simt_staged *x, const uint8_t *order, unsigned chunk) {
  /* Its sizes are looked at in front of the loop. */
  if (x->view && !simt_is_outside(x->view, x->load->block)) return false;
  simt_product s = simt_product_of(x->product);
  unsigned n = x->to_operand.from_n, threads = p->lanes + p->warps, eb = x->layout.elem_bytes;
  unsigned k_first = x->is_lhs ? 0 : s.n, regs = n > threads ? n - threads : 0, at = 0;
  uint8_t k_bits[SIMT_BITS], sorted[SIMT_BITS];
  unsigned n_k = 0;
  uint32_t taken = 0;
  if (x->to_operand.to[order[0]] == (int)k_first) {
    x->at_once = (uint8_t)chunk;
    x->copy = simt_dist_ordered(n, order, chunk, simt_plan_threads(p));
    choose_swizzle(p, x);
    return true;
  }
  for (unsigned j = 0; j < s.k; j++)
    for (unsigned i = 0; i < n; i++)
      if (x->to_operand.to[i] == (int)(k_first + j)) k_bits[n_k++] = (uint8_t)i;
  unsigned least = eb < 2 ? 2 - eb : 0; /* so that what is written has whole words */
  unsigned rows = MIN(chunk, n_k), best_rows = 0, best = UINT32_MAX,
           most = MAX(regs, chunk + least);
  for (unsigned k = least; k <= rows && k <= most; k++) {
    unsigned wide = MIN(chunk, most - k), count = (1u << (most - wide)) + (1u << (most - k));
    if (count >= best || wide + eb < 2) continue;
    best = count;
    best_rows = k;
  }
  if (best == UINT32_MAX || n_k < least) return false;
  unsigned wide = MIN(chunk, most - best_rows);
  for (unsigned j = 0; j < wide; j++) sorted[at++] = order[j];
  for (unsigned j = 0; j < MIN(chunk, n_k); j++) sorted[at++] = k_bits[j];
  for (unsigned j = 0; j < at; j++) taken |= 1u << sorted[j];
  for (unsigned j = 0; j < n; j++)
    if (!(taken >> order[j] & 1)) sorted[at++] = order[j];
  x->at_once = (uint8_t)wide;
  x->copy = simt_dist_ordered(n, sorted, wide + best_rows, simt_plan_threads(p));
  choose_swizzle(p, x);
  return true;
}

/* ---- text ----------------------------------------------------------------------------------- */

void simt_amd_print_staged(sbuf *out, const simt_staged *x) {
  const simt_stage_layout *l = &x->layout;
  bool along_k = x->to_operand.to[x->copy.reg[0]] == (int)first_k(x);
  sbuf_printf(out, "registers at %u: rows of %u bytes along k, %s, %s; written %u bytes at once",
              x->offset, l->row_bytes, l->swizzle ? "swizzled" : "not swizzled",
              along_k ? "as they lie in memory" : "turned in registers",
              1u << (simt_amd_write_run(x) + l->elem_bytes));
}
