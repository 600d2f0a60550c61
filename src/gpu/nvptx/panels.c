/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Tiles from registers to shared memory in the form that bulk copies and wgmma read: each bit of a
 * tile's index moves an element by its `column`, and these are combined by exclusive or
 * (simt/nvidia/box.h, simt_stage_layout).
 *
 * 16-bit elements in fragments go by stmatrix, four 8 x 8 blocks at a time, transposed where they
 * lie the other way round. Others go 4 to 16 bytes at a time. Where lanes that write together would
 * meet in a bank, half of them begin with another register: that moves them to other banks, and
 * costs a selection for each register.
 */
#include "gpu/nvptx/panels.h"

#include <stdio.h>

#include "gpu/code.h"
#include "gpu/elements.h"
#include "gpu/index.h"
#include "gpu/nvptx/pipeline.h"
#include "gpu/shared.h"

enum { WAVEFRONT = 7 /* log2, bytes that shared memory takes at once: all banks */ };

/* ---- registers next to each other ----------------------------------------------------------- */

/* log2 of the registers that lie next to each other in a unit of 16 bytes. */
static unsigned run_of(const simt_dist *d, const uint32_t *column, uint32_t bytes) {
  unsigned run = 0;
  while (run < d->regs && bytes << run < SIMT_CHUNK && column[d->reg[run]] == bytes << run) run++;
  return run;
}

/* Bit `from` of the register's number becomes bit `to` <= from. */
static void move_bit(simt_dist *d, unsigned from, unsigned to) {
  int8_t bit = d->reg[from];
  memmove(d->reg + to + 1, d->reg + to, from - to);
  d->reg[to] = bit;
}

/* The lowest registers become those that are neighbours in shared memory. */
static tile neighbours_first(gen *g, const tile *t, const uint32_t *column, uint32_t bytes) {
  simt_dist d = t->d;
  unsigned at = 0;
  for (; bytes < SIMT_CHUNK; bytes *= 2) {
    unsigned j = at;
    while (j < d.regs && column[d.reg[j]] != bytes) j++;
    if (j == d.regs) break;
    move_bit(&d, j, at++);
  }
  return simt_dist_equal(&d, &t->d) ? *t : gpu_reordered(g, t, &d);
}

/* ---- banks ---------------------------------------------------------------------------------- */

/* Sums by exclusive or: an element for each highest bit, or 0. */
typedef struct span {
  uint32_t basis[WAVEFRONT];
} span;

static uint32_t outside_of(const span *s, uint32_t x) {
  for (unsigned bit = WAVEFRONT; bit-- > 0;)
    if (x >> bit & 1) x ^= s->basis[bit];
  return x;
}

/* False: it is in there already. */
static bool extend(span *s, uint32_t x) {
  x = outside_of(s, x);
  if (x) s->basis[simt_log2(x)] = x;
  return x != 0;
}

/* An XOR swizzle of registers, by lane bit: the bit of the register's number that is inverted where
 * the lane bit is set; -1: none. */
typedef struct lane_swizzle {
  int8_t reg[SIMT_MOST_LANE_BITS];
} lane_swizzle;

/* Lanes that write `wide` bytes each meet in no bank when what their bits add to the address, as
 * far as it says which bank, is independent. A lane bit that is not gets a register's besides. */
static lane_swizzle find_swizzle(const simt_dist *d, const uint32_t *column, unsigned run,
                                 uint32_t wide) {
  lane_swizzle r = {{-1, -1, -1, -1, -1, -1}};
  uint32_t banks = (1u << WAVEFRONT) - MAX(wide, 4), used = 0;
  unsigned together = MIN(WAVEFRONT - simt_log2(MAX(wide, 4)), (unsigned)d->lanes);
  span all = {{0}}, own = {{0}};
  for (unsigned j = 0; j < together; j++)
    if (d->lane[j] != SIMT_COPY) extend(&all, column[d->lane[j]] & banks);
  for (unsigned j = 0; j < together; j++) {
    uint32_t at = d->lane[j] == SIMT_COPY ? 0 : column[d->lane[j]];
    if (at < 4 || extend(&own, at & banks)) continue; /* in one word, or in other banks */
    for (unsigned k = run; k < d->regs && r.reg[j] < 0; k++) {
      uint32_t more = column[d->reg[k]] & banks;
      if (used >> k & 1 || !extend(&all, more)) continue;
      extend(&own, (at & banks) ^ more);
      used |= 1u << k;
      r.reg[j] = (int8_t)k;
    }
  }
  return r;
}

/* Exchanges registers as the swizzle says; `column` becomes that of the lanes' new places. */
static void swizzle_registers(gen *g, tile *t, const lane_swizzle *by, uint32_t *column) {
  for (unsigned j = 0; j < t->d.lanes; j++) {
    if (by->reg[j] < 0) continue;
    gpu_make_elements(g, t); /* each is wanted twice */
    llv *x = gpu_registers(g, &t->d), set = gpu_lane_bit(g, j);
    for (uint32_t i = 0; i < slots_of(&t->d); i++)
      x[i] = LLVMBuildSelect(g->e.b, set, t->v[i ^ 1u << by->reg[j]], t->v[i], "");
    column[t->d.lane[j]] ^= column[t->d.reg[by->reg[j]]];
    t->v = x;
  }
}

/* ---- stmatrix ------------------------------------------------------------------------------- */

/* Whether lanes and a register hold 8 x 8 blocks as the instruction wants them; then whose rows
 * lanes tell it: of a block (three bits), then the bits of four blocks. */
typedef struct blocks {
  bool transposed;
  simt_dist held; /* with the bit of a word's halves first */
  simt_dist rows;
} blocks;

static bool are_rows(const uint32_t *column, const int8_t *bits) {
  span banks = {{0}};
  for (unsigned j = 0; j < 3; j++)
    if (bits[j] == SIMT_COPY || column[bits[j]] % SIMT_CHUNK ||
        !extend(&banks, column[bits[j]] & (SIMT_PANEL - SIMT_CHUNK)))
      return false;
  return true;
}

static bool are_neighbours(const uint32_t *column, const int8_t *bits, unsigned n, uint32_t bytes) {
  for (unsigned j = 0; j < n; j++)
    if (bits[j] == SIMT_COPY || column[bits[j]] != bytes << j) return false;
  return true;
}

static bool find_blocks(const simt_dist *d, const uint32_t *column, blocks *out) {
  enum { BYTES = 2 };
  if (d->regs < 3) return false;
  out->held = *d;
  out->transposed = are_neighbours(column, d->lane + 2, 3, BYTES);
  for (unsigned j = 0; j < d->regs && !out->transposed; j++)
    if (column[d->reg[j]] == BYTES) move_bit(&out->held, j, 0);
  const int8_t *reg = out->held.reg;
  int8_t bits[] = {d->lane[2], d->lane[3], d->lane[4], reg[1], reg[2]};
  if (out->transposed)
    memcpy(bits, (int8_t[]){reg[0], d->lane[0], d->lane[1]}, 3);
  else if (column[reg[0]] != BYTES || !are_neighbours(column, d->lane, 2, 2 * BYTES))
    return false;
  for (unsigned j = 1; j < d->regs; j++)
    if (column[reg[j]] % SIMT_CHUNK) return false;
  out->rows = simt_dist_private(0, simt_threads_of(d));
  out->rows.n = d->n;
  memcpy(out->rows.lane, bits, sizeof bits);
  memcpy(out->rows.warp, d->warp, sizeof d->warp);
  return are_rows(column, bits);
}

static void store_blocks(gen *g, tsr_elem elem, const tile *from, llv base, const uint32_t *column,
                         const blocks *x) {
  enum { EACH = 8 /* registers of a lane in four blocks */ };
  tile t = gpu_reordered(g, from, &x->held);
  xor_place target = gpu_xor_place(g, base, &x->rows, column);
  for (uint32_t i = 0; i < slots_of(&x->held); i += EACH) {
    uint32_t offset;
    char text[96];
    llv args[5] = {gpu_xor_address(g, &target, simt_index_of_slot(&x->held, i), &offset)};
    for (unsigned k = 0; k < 4; k++) args[1 + k] = gpu_element_word(g, elem, &t, i + 2 * k);
    snprintf(text, sizeof text,
             "stmatrix.sync.aligned.m8n8.x4%s.shared.b16 [$0+%u], {$1, $2, $3, $4};",
             x->transposed ? ".trans" : "", offset);
    gpu_asm(g, g->e.void_, text, "r,r,r,r,r,~{memory}", args, 5, true);
  }
}

/* ---- both ----------------------------------------------------------------------------------- */

static void store_runs(gen *g, tsr_elem elem, const tile *from, llv base, const uint32_t *column) {
  emit *e = &g->e;
  uint32_t bytes = gpu_shared_bytes(elem), turned[SIMT_BITS];
  tile t = neighbours_first(g, from, column, bytes);
  if (bytes == 1 && run_of(&t.d, column, bytes) >= 2 && gpu_turn_bytes(g, &t)) {
    elem = TSR_I32;
    bytes = 4;
  }
  unsigned run = run_of(&t.d, column, bytes);
  lane_swizzle by = find_swizzle(&t.d, column, run, bytes << run);
  memcpy(turned, column, sizeof turned);
  swizzle_registers(g, &t, &by, turned);
  xor_place target = gpu_xor_place(g, base, &t.d, turned);
  for (uint32_t i = 0; i < slots_of(&t.d); i += 1u << run) {
    uint32_t offset;
    llv at = gpu_xor_address(g, &target, simt_index_of_slot(&t.d, i), &offset);
    llv x = gpu_memory_run(g, elem, &t, i, 1u << run);
    llv s = LLVMBuildStore(e->b, x, as_ptr(g, add_const(g, to_i64(g, at), offset), SPACE_SHARED));
    LLVMSetAlignment(s, bytes << run);
  }
}

void nvptx_store_panels(gen *g, tsr_elem elem, const tile *from, llv base, const uint32_t *column) {
  blocks x;
  llblock done = gpu_begin_owner(g, gpu_owner(g, &from->d));
  bool blocks_of_16 = tsr_elem_bits(elem) == 16 && gpu_can(g->target, GPU_STORE_MATRIX);
  if (blocks_of_16 && find_blocks(&from->d, column, &x))
    store_blocks(g, elem, from, base, column, &x);
  else
    store_runs(g, elem, from, base, column);
  if (done) gpu_go(g, done);
}
