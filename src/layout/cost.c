/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Costs of moving a tile between registers and memory, by looking at the addresses of a warp.
 *
 * When distribution and memory are linear maps, the addresses of two requests differ by an XOR with
 * a constant, which neither merges nor parts sectors and only renames banks: one request stands for
 * all. Else every request is looked at.
 */
#include <stdio.h>

#include "layout/draw.h"
#include "layout/linear.h"
#include "target/banks.h"

enum { SECTOR_BYTES = 32, BANK_BYTES = 4, MAX_LANES = 64, MAX_WORDS = MAX_LANES * 4 };

/* Addresses of a tile's elements: a linear map, or a table-free function of (worker, slot). */
typedef struct addresses {
  const tsr_layout *layout;
  const tsr_memory_layout *memory; /* or */
  tsr_offset_fn offset;
  const void *user;
  bool linear;
  tsr_linear map; /* (slot, worker) -> offset, when linear */
  uint32_t slot_bits;
  uint64_t vector_slots[8]; /* the slot that moves to offset 1 << i within a vector */
  int64_t workers, slots;
  bool banks_only; /* leave sectors uncounted */
  int32_t vector;  /* elements */
} addresses;

static int64_t offset_at(const addresses *a, int64_t worker, int64_t slot) {
  if (a->linear)
    return (int64_t)tsr_linear_apply(&a->map, (uint64_t)worker << a->slot_bits | (uint64_t)slot);
  int32_t index[MAX_RANK];
  tsr_layout_get_global(a->layout, (int32_t)worker, (int32_t)slot, index);
  return a->memory ? tsr_memory_offset(a->memory, index) : a->offset(a->user, index);
}

/* ---- vectors -------------------------------------------------------------------------------- */

/* The largest v so that some slots are the low v offset bits and nothing else moves them. */
static void linear_vector(addresses *a, int32_t max_elements) {
  uint32_t v = 0;
  while ((2LL << v) <= max_elements) {
    bool found = false;
    for (uint32_t i = 0; i < a->map.in; i++) {
      uint64_t c = a->map.column[i];
      if (!(c >> v & 1)) continue;
      bool usable = i < a->slot_bits && c == 1ull << v && !found;
      found = usable;
      if (usable) a->vector_slots[v] = 1ull << i;
      if (!usable) break;
    }
    if (!found) break;
    v++;
  }
  a->vector = 1 << v;
}

/* Whether every run of v slots is v neighbours at a multiple of v. */
static bool vectors_of(const addresses *a, int64_t v) {
  if (a->slots % v) return false;
  for (int64_t w = 0; w < a->workers; w++)
    for (int64_t s = 0; s < a->slots; s += v) {
      int64_t first = offset_at(a, w, s);
      if (first % v) return false;
      for (int64_t i = 1; i < v; i++)
        if (offset_at(a, w, s + i) != first + i) return false;
    }
  return true;
}

static void find_vector(addresses *a, int32_t max_elements) {
  if (a->linear) {
    linear_vector(a, max_elements);
    return;
  }
  a->vector = 1;
  while (a->vector * 2 <= max_elements && vectors_of(a, a->vector * 2)) {
    a->vector_slots[layout_log2(a->vector)] = (uint64_t)a->vector;
    a->vector *= 2;
  }
}

/* The slot an access starts at: the access's number spread over the slot bits no vector uses. */
static int64_t first_slot(const addresses *a, int64_t access) {
  if (!a->linear) return access * a->vector;
  uint64_t used = 0, slot = 0;
  for (int i = 0; i < layout_log2(a->vector); i++) used |= a->vector_slots[i];
  for (uint32_t b = 0; b < a->slot_bits; b++) {
    if (used >> b & 1) continue;
    slot |= ((uint64_t)access & 1) << b;
    access >>= 1;
  }
  return (int64_t)slot;
}

/* ---- one request ---------------------------------------------------------------------------- */

/* Distinct numbers, in the order they came. */
typedef struct number_set {
  int64_t value[MAX_WORDS];
  uint32_t n;
} number_set;

static bool add(number_set *s, int64_t value) {
  for (uint32_t i = 0; i < s->n; i++)
    if (s->value[i] == value) return false;
  if (s->n < MAX_WORDS) s->value[s->n++] = value;
  return true;
}

/* How lanes' accesses of so many bytes are served. */
static gpu_phases phases_of(const tsr_cost_options *o, int64_t bytes) {
  bool reads = o->groups == TSR_LANES_LDS_READ;
  if (o->target) return gpu_phases_of(gpu_find_target(o->target), (unsigned)bytes, !reads);
  if (reads && bytes == 16 && o->banks == 32)
    return gpu_phases_of(gpu_find_target("gfx942"), 16, false);
  return gpu_phases_in_order(64, (unsigned)o->banks, (unsigned)bytes);
}

static void count_sectors(const int64_t *base, int32_t lanes, int64_t bytes, tsr_layout_cost *c,
                          int64_t times) {
  number_set sectors = {.n = 0}, seen = {.n = 0};
  int64_t distinct = 0;
  for (int32_t l = 0; l < lanes; l++) {
    if (add(&seen, base[l])) distinct += bytes;
    for (int64_t b = base[l] / SECTOR_BYTES; b <= (base[l] + bytes - 1) / SECTOR_BYTES; b++)
      add(&sectors, b);
  }
  c->sectors += times * sectors.n;
  c->ideal_sectors += times * ((distinct + SECTOR_BYTES - 1) / SECTOR_BYTES);
}

/* Which lanes hit the busiest bank with words of their own. */
static void note_worst(const number_set *words, const uint8_t *lane_of, int32_t banks, int32_t bank,
                       tsr_layout_cost *c) {
  int32_t n = 0;
  for (uint32_t i = 0; i < words->n; i++)
    if (words->value[i] % banks == bank && n < MAX_LANES) c->worst_lanes[n++] = lane_of[i];
}

static void count_phase(const gpu_phases *p, const int64_t *base, int32_t lanes, int64_t bytes,
                        unsigned phase, int32_t warp, int32_t access, tsr_layout_cost *c,
                        int64_t times) {
  number_set words = {.n = 0};
  uint8_t lane_of[MAX_WORDS];
  int32_t per_bank[64] = {0}, worst = 0, banks = (int32_t)p->banks;
  for (int32_t l = 0; l < lanes; l++) {
    if (gpu_phase_of(p, (unsigned)l) != phase) continue;
    for (int64_t w = base[l] / BANK_BYTES; w <= (base[l] + bytes - 1) / BANK_BYTES; w++) {
      if (!add(&words, w)) continue;
      lane_of[words.n - 1] = (uint8_t)l;
      if (++per_bank[w % banks] > per_bank[worst]) worst = (int32_t)(w % banks);
    }
  }
  if (words.n == 0) return;
  c->wavefronts += times * per_bank[worst];
  c->ideal_wavefronts += times;
  if (per_bank[worst] <= c->ways) return;
  c->ways = per_bank[worst];
  c->worst_warp = warp;
  c->worst_access = access;
  c->worst_bank = worst;
  note_worst(&words, lane_of, banks, worst, c);
}

static void count_request(const addresses *a, const tsr_cost_options *o, int32_t warp,
                          int32_t access, int64_t times, tsr_layout_cost *c) {
  int64_t base[MAX_LANES], bytes = MAX((int64_t)a->vector * o->element_bits / 8, 1);
  for (int32_t l = 0; l < c->lanes; l++)
    base[l] =
        offset_at(a, (int64_t)warp * o->warp_size + l, first_slot(a, access)) * o->element_bits / 8;
  if (!a->banks_only) count_sectors(base, c->lanes, bytes, c, times);
  gpu_phases p = phases_of(o, bytes);
  for (unsigned phase = 0; phase < 1u << p.bits; phase++)
    count_phase(&p, base, c->lanes, bytes, phase, warp, access, c, times);
}

/* ---- the tile ------------------------------------------------------------------------------- */

/* A complete copy of the caller's options, which may be of another version, with sense. */
static tsr_status read_options(tsr_cost_options *o, const tsr_cost_options *given,
                               tsr_layout_error *e) {
  if (!struct_take(o, sizeof *o, given, offsetof(tsr_cost_options, max_vector_bits)))
    return layout_fail(e, TSR_ERROR_USAGE, -1, -1,
                       "tsr_cost_options.struct_size is %zu: set it to sizeof(tsr_cost_options)",
                       given->struct_size);
  const gpu_target *gpu = o->target ? gpu_find_target(o->target) : NULL;
  if (o->target && !gpu)
    return layout_fail(e, TSR_ERROR_USAGE, -1, -1, "'%s' is no GPU that code is made for",
                       o->target);
  if (gpu) o->warp_size = (int32_t)gpu_lanes(gpu), o->banks = (int32_t)gpu->banks;
  int bits = layout_log2(o->element_bits);
  if (bits < 3 || bits > 7 || (o->warp_size != 32 && o->warp_size != 64) ||
      (o->banks != 32 && o->banks != 64) || o->max_vector_bits < 0 || o->max_vector_bits > 128)
    return layout_fail(
        e, TSR_ERROR_USAGE, -1, -1,
        "elements of %d bits, warps of %d, %d banks, vectors of %d bits: expected 8 to "
        "128 bits, 32 or 64 lanes and banks, vectors up to 128",
        o->element_bits, o->warp_size, o->banks, o->max_vector_bits);
  return TSR_OK;
}

static tsr_status cost_of(tsr_layout_cost *out, addresses *a, const tsr_cost_options *o) {
  tsr_layout_cost c = {.ways = 1, .worst_bank = -1};
  int32_t max_bits = o->max_vector_bits ? o->max_vector_bits : 128;
  find_vector(a, MAX(max_bits / o->element_bits, 1));
  c.vector_elements = a->vector;
  c.accesses = (int32_t)(a->slots / a->vector);
  c.registers = (int32_t)((a->slots * o->element_bits + 31) / 32);
  c.lanes = (int32_t)MIN(a->workers, o->warp_size);
  int64_t warps = (a->workers + o->warp_size - 1) / o->warp_size;
  c.requests = warps * c.accesses;
  if (a->linear) {
    count_request(a, o, 0, 0, c.requests, &c);
  } else {
    for (int32_t w = 0; w < warps; w++) {
      /* The last warp may have fewer lanes. */
      c.lanes = (int32_t)MIN(a->workers - (int64_t)w * o->warp_size, o->warp_size);
      for (int32_t k = 0; k < c.accesses; k++) count_request(a, o, w, k, 1, &c);
    }
    c.lanes = (int32_t)MIN(a->workers, o->warp_size);
  }
  *out = c;
  return TSR_OK;
}

static tsr_status make_addresses(addresses *a, const tsr_layout *layout,
                                 const tsr_memory_layout *memory, tsr_layout_error *e) {
  bool fits = layout->rank == memory->rank, same = fits;
  for (uint32_t d = 0; fits && d < layout->rank; d++) {
    fits = layout->shape[d] <= tsr_memory_dim(memory, d);
    same &= layout->shape[d] == tsr_memory_dim(memory, d);
  }
  if (!fits)
    return layout_fail(e, TSR_ERROR_USAGE, -1, -1,
                       "shape %s does not fit into the memory layout, which has %u dimensions and "
                       "%d as its last",
                       SHAPE_TEXT(layout), memory->rank,
                       memory->rank ? tsr_memory_dim(memory, memory->rank - 1u) : 1);
  *a = (addresses){.layout = layout, .memory = memory};
  tsr_linear tile, offsets;
  if (same && tsr_linear_from_layout(&tile, &a->slot_bits, layout, NULL) == TSR_OK &&
      tsr_linear_from_memory(&offsets, memory, NULL) == TSR_OK)
    a->linear = tsr_linear_product(&a->map, &offsets, &tile, NULL) == TSR_OK;
  a->workers = tsr_layout_spatial_size(layout);
  a->slots = tsr_layout_local_size(layout);
  return TSR_OK;
}

static tsr_status cost_over(tsr_layout_cost *out, const tsr_layout *layout,
                            const tsr_memory_layout *memory, const tsr_cost_options *o,
                            bool banks_only, tsr_layout_error *e) {
  addresses a;
  tsr_status s = make_addresses(&a, layout, memory, e);
  if (s != TSR_OK) return s;
  a.banks_only = banks_only;
  return cost_of(out, &a, o);
}

tsr_status tsr_layout_cost_of(tsr_layout_cost *out, const tsr_layout *layout,
                              const tsr_memory_layout *memory, const tsr_cost_options *options,
                              tsr_layout_error *e) {
  if (!out || !layout || !memory || !options) return layout_null(e);
  tsr_cost_options o;
  tsr_status s = read_options(&o, options, e);
  return s == TSR_OK ? cost_over(out, layout, memory, &o, false, e) : s;
}

tsr_status tsr_layout_cost_by_offset(tsr_layout_cost *out, const tsr_layout *layout,
                                     tsr_offset_fn offset, const void *user,
                                     const tsr_cost_options *options, tsr_layout_error *e) {
  if (!out || !layout || !offset || !options) return layout_null(e);
  tsr_cost_options o;
  tsr_status s = read_options(&o, options, e);
  if (s != TSR_OK) return s;
  addresses a = {.layout = layout,
                 .offset = offset,
                 .user = user,
                 .workers = tsr_layout_spatial_size(layout),
                 .slots = tsr_layout_local_size(layout)};
  return cost_of(out, &a, &o);
}

double tsr_gemm_loads_per_output(int64_t tile_m, int64_t tile_n, int64_t k) {
  return (double)k / (double)tile_m + (double)k / (double)tile_n;
}

/* ---- words ---------------------------------------------------------------------------------- */

static void explain_conflict(out_text *o, const tsr_layout_cost *c) {
  if (c->ways <= 1) {
    out_puts(o, "no bank conflicts");
    return;
  }
  out_printf(o, "%d-way conflict: lanes ", c->ways);
  for (int32_t i = 0; i < c->ways; i++) out_printf(o, i ? ", %u" : "%u", c->worst_lanes[i]);
  out_printf(o, " hit bank %d with different words (warp %d, access %d)", c->worst_bank,
             c->worst_warp, c->worst_access);
}

size_t tsr_layout_cost_explain(const tsr_layout_cost *c, const tsr_cost_options *given, char *out,
                               size_t size) {
  tsr_cost_options known;
  const tsr_cost_options *options = &known;
  if (!c || !given || (size && !out) || read_options(&known, given, NULL) != TSR_OK)
    return layout_no_text(out, size);
  out_text o = {out, size, 0};
  int32_t bits = c->vector_elements * options->element_bits;
  out_printf(&o, "registers: %d of 32 bits per worker\n", c->registers);
  out_printf(&o, "accesses:  %d per worker, each of %d element%s (%d bits)\n", c->accesses,
             c->vector_elements, c->vector_elements == 1 ? "" : "s", bits);
  if (bits < (options->max_vector_bits ? options->max_vector_bits : 128) && c->accesses > 1)
    out_printf(&o, "           (128 bits at most; only %d of a worker's slots lie side by side)\n",
               c->vector_elements);
  out_printf(&o,
             "global:    %.1f sectors of 32 bytes per request, %.1f would do: %.0f%% of what is "
             "moved is used\n",
             (double)c->sectors / (double)c->requests,
             (double)c->ideal_sectors / (double)c->requests,
             100.0 * (double)c->ideal_sectors / (double)c->sectors);
  out_printf(&o, !options->target                        ? "shared:    "
                 : options->groups == TSR_LANES_LDS_READ ? "loads:     "
                                                         : "stores:    ");
  explain_conflict(&o, c);
  out_printf(&o, "; %lld wavefront%s, %lld without conflicts", (long long)c->wavefronts,
             c->wavefronts == 1 ? "" : "s", (long long)c->ideal_wavefronts);
  return out_end(&o);
}

/* ---- swizzles ------------------------------------------------------------------------------- */

/* Wavefronts of a store and a load with a memory layout, and how few they could be. */
typedef struct both_sides {
  int64_t wavefronts, ideal;
  int32_t vector; /* the narrower one's */
} both_sides;

static tsr_status add_side(both_sides *b, const tsr_layout *layout, const tsr_memory_layout *m,
                           const tsr_cost_options *o, tsr_layout_error *e) {
  tsr_layout_cost c;
  if (!layout) return TSR_OK;
  tsr_status s = cost_over(&c, layout, m, o, true, e);
  if (s != TSR_OK) return s;
  b->wavefronts += c.wavefronts;
  b->ideal += c.ideal_wavefronts;
  b->vector = MIN(b->vector, c.vector_elements);
  return TSR_OK;
}

/* The options' lane groups are the load's. */
static tsr_status both(both_sides *b, const tsr_memory_layout *m, const tsr_layout *store,
                       const tsr_layout *load, const tsr_cost_options *o, tsr_layout_error *e) {
  tsr_cost_options as_store = *o;
  as_store.groups = TSR_LANES_CONSECUTIVE;
  *b = (both_sides){.vector = 128};
  tsr_status s = add_side(b, store, m, &as_store, e);
  return s == TSR_OK ? add_side(b, load, m, o, e) : s;
}

/* The dimension of the space that vectors span. */
static uint32_t rank_of(const uint64_t *vectors, uint32_t n, uint64_t mask) {
  uint64_t basis[16];
  uint32_t rank = 0;
  for (uint32_t i = 0; i < n; i++) {
    uint64_t v = vectors[i] & mask;
    for (uint32_t k = 0; k < rank; k++) v = MIN(v, v ^ basis[k]);
    if (v) basis[rank++] = v;
  }
  return rank;
}

/* What cost_of counts, without looking at a lane: the words that a phase of a linear side touches
 * are a coset of a space, and as many of them lie in each bank as the space has dimensions more
 * than its image among the banks. */
static void add_linear_side(both_sides *b, addresses *a, const tsr_cost_options *o) {
  uint64_t words[16];
  unsigned lane_basis[6];
  uint32_t n = 0;
  linear_vector(a, MAX((o->max_vector_bits ? o->max_vector_bits : 128) / o->element_bits, 1));
  int64_t bytes = MAX((int64_t)a->vector * o->element_bits / 8, 1);
  int32_t lanes = (int32_t)MIN(a->workers, o->warp_size);
  gpu_phases p = phases_of(o, bytes);
  uint32_t lane_bits = gpu_phase_basis(&p, (unsigned)lanes, lane_basis);
  for (uint32_t i = 0; i < lane_bits; i++) {
    uint64_t offset = tsr_linear_apply(&a->map, (uint64_t)lane_basis[i] << a->slot_bits);
    words[n++] = offset * (uint64_t)o->element_bits / (8 * BANK_BYTES);
  }
  for (int64_t word = 1; word < bytes / BANK_BYTES; word *= 2) words[n++] = (uint64_t)word;
  int64_t warps = (a->workers + o->warp_size - 1) / o->warp_size;
  int64_t phases = warps * (a->slots / a->vector) * (lanes >> lane_bits);
  uint32_t in_one_bank = rank_of(words, n, ~0ull) - rank_of(words, n, (uint64_t)p.banks - 1);
  b->wavefronts += phases << in_one_bank;
  b->ideal += phases;
  b->vector = MIN(b->vector, a->vector);
}

/* The store and the load over the memory without a swizzle. When both are linear, a candidate takes
 * some hundred nanoseconds: its columns are theirs with the swizzle applied. */
typedef struct swizzle_search {
  const tsr_layout *layout[2]; /* store, load; NULL: none */
  tsr_cost_options options[2];
  addresses plain[2];
  bool linear;
} swizzle_search;

static void start_search(swizzle_search *s, const tsr_memory_layout *plain, const tsr_layout *store,
                         const tsr_layout *load, const tsr_cost_options *o) {
  *s = (swizzle_search){.layout = {store, load}, .options = {*o, *o}, .linear = true};
  s->options[0].groups = TSR_LANES_CONSECUTIVE;
  for (int i = 0; i < 2; i++) {
    if (!s->layout[i]) continue;
    s->linear &=
        make_addresses(&s->plain[i], s->layout[i], plain, NULL) == TSR_OK && s->plain[i].linear;
    /* Fewer lanes than the read groups are made for are not cosets of them. */
    s->linear &= o->groups != TSR_LANES_LDS_READ || s->plain[i].workers >= 32;
  }
}

/* Wavefronts with a candidate. */
static bool try_swizzle(const swizzle_search *s, const tsr_memory_layout *m, both_sides *b) {
  if (!s->linear) return both(b, m, s->layout[0], s->layout[1], &s->options[1], NULL) == TSR_OK;
  uint64_t mask = ((1ull << m->swizzle_bits) - 1) << m->swizzle_base;
  *b = (both_sides){.vector = 128};
  for (int i = 0; i < 2; i++) {
    if (!s->layout[i]) continue;
    addresses a = s->plain[i];
    for (uint32_t c = 0; c < a.map.in; c++)
      a.map.column[c] ^= a.map.column[c] >> m->swizzle_shift & mask;
    add_linear_side(b, &a, &s->options[i]);
  }
  return true;
}

tsr_status tsr_memory_propose_swizzle(tsr_memory_layout *out, const tsr_memory_layout *memory,
                                      const tsr_layout *store, const tsr_layout *load,
                                      const tsr_cost_options *given, tsr_layout_error *e) {
  if (!out || !memory || !given) return layout_null(e);
  tsr_cost_options known;
  const tsr_cost_options *o = &known;
  tsr_memory_layout best = *memory, plain = *memory;
  both_sides least, now;
  swizzle_search search;
  plain.swizzle_bits = 0;
  if (!store && !load)
    return layout_fail(e, TSR_ERROR_USAGE, -1, -1, "a swizzle serves a store or a load");
  tsr_status s = read_options(&known, given, e);
  if (s == TSR_OK) s = both(&least, memory, store, load, o, e);
  if (s != TSR_OK) return s;
  now = least;
  if (s == TSR_OK && memory->swizzle_bits) s = both(&now, &plain, store, load, o, e);
  if (s != TSR_OK) return s;
  start_search(&search, &plain, store, load, o);
  /* Whole vectors move among the banks: the base keeps them together, and there are 5 bits of words
   * (6 with 64 banks) to move them by. */
  int64_t extent = tsr_memory_extent(&plain);
  int base = layout_log2(now.vector), word = layout_log2(o->element_bits) - 5;
  for (int bits = 1; bits + base + word <= layout_log2(o->banks); bits++)
    for (int shift = bits; shift < 16 && (1LL << (base + shift)) < extent; shift++) {
      tsr_memory_layout m;
      if (least.wavefronts == least.ideal) break;
      if (tsr_memory_swizzled(&m, &plain, (uint32_t)bits, (uint32_t)base, (uint32_t)shift, NULL) !=
          TSR_OK)
        continue;
      /* It must not take up more memory. */
      if (tsr_memory_extent(&m) > extent) continue;
      if (!try_swizzle(&search, &m, &now) || now.wavefronts >= least.wavefronts) continue;
      least = now;
      best = m;
    }
  *out = best;
  return TSR_OK;
}

/* ---- the conflict map ----------------------------------------------------------------------- */

/* Words per bank of the phase that a lane belongs to, and what its own elements see of it. */
static void map_request(const addresses *a, const tsr_cost_options *o, int32_t lanes, int64_t warp,
                        int64_t access, int32_t *ways) {
  int64_t base[MAX_LANES], bytes = MAX((int64_t)a->vector * o->element_bits / 8, 1);
  gpu_phases p = phases_of(o, bytes);
  for (int32_t l = 0; l < lanes; l++)
    base[l] = offset_at(a, warp * o->warp_size + l, first_slot(a, access)) * o->element_bits / 8;
  for (int32_t l = 0; l < lanes; l++) {
    number_set words = {.n = 0};
    int32_t per_bank[64] = {0};
    for (int32_t k = 0; k < lanes; k++) {
      if (gpu_phase_of(&p, (unsigned)k) != gpu_phase_of(&p, (unsigned)l)) continue;
      for (int64_t w = base[k] / BANK_BYTES; w <= (base[k] + bytes - 1) / BANK_BYTES; w++)
        if (add(&words, w)) per_bank[w % p.banks]++;
    }
    for (int64_t i = 0; i < a->vector; i++) {
      int64_t slot = first_slot(a, access), rest = i;
      for (int b = 0; rest; b++, rest >>= 1)
        if (rest & 1) slot |= (int64_t)a->vector_slots[b];
      if (!a->linear) slot = first_slot(a, access) + i;
      int32_t index[MAX_RANK];
      int64_t linear = 0, byte = base[l] + i * o->element_bits / 8;
      tsr_layout_get_global(a->layout, (int32_t)(warp * o->warp_size + l), (int32_t)slot, index);
      for (uint32_t d = 0; d < a->layout->rank; d++)
        linear = linear * a->layout->shape[d] + index[d];
      ways[linear] = MAX(ways[linear], per_bank[byte / BANK_BYTES % p.banks]);
    }
  }
}

tsr_status tsr_layout_conflict_map(int32_t *ways, size_t count, const tsr_layout *layout,
                                   const tsr_memory_layout *memory, const tsr_cost_options *given,
                                   tsr_layout_error *e) {
  if (!layout || !memory || !given || (count && !ways)) return layout_null(e);
  tsr_cost_options known;
  const tsr_cost_options *o = &known;
  addresses a;
  tsr_status s = read_options(&known, given, e);
  if (s == TSR_OK) s = make_addresses(&a, layout, memory, e);
  if (s != TSR_OK) return s;
  if (count != (size_t)tsr_layout_size(layout))
    return layout_fail(e, TSR_ERROR_USAGE, -1, -1, "room for %zu elements of shape %s", count,
                       SHAPE_TEXT(layout));
  memset(ways, 0, count * sizeof *ways);
  find_vector(&a, MAX((o->max_vector_bits ? o->max_vector_bits : 128) / o->element_bits, 1));
  for (int64_t w = 0; w * o->warp_size < a.workers; w++)
    for (int64_t k = 0; k < a.slots / a.vector; k++)
      map_request(&a, o, (int32_t)MIN(a.workers - w * o->warp_size, o->warp_size), w, k, ways);
  return TSR_OK;
}
