/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Stores by bulk tensor copies (simt/nvidia/bulk_store.h). A tile goes to scratch memory, whole or,
 * where that is too small, some panels at a time; the first thread of the block starts the copies
 * of its panels and commits them as a group. That they have read their shared memory, or are
 * complete, is waited for where somebody wants to know: `hazards` tells. Only that thread has
 * groups, for the others waiting is nothing; so all of them do, and meet at a barrier after it.
 */
#include "gpu/nvptx/bulk_store.h"

#include "gpu/code.h"
#include "gpu/convert.h"
#include "gpu/memory.h"
#include "gpu/nvptx/boxes.h"
#include "gpu/nvptx/bulk.h"
#include "gpu/nvptx/panels.h"
#include "gpu/nvptx/state.h"
#include "gpu/shared.h"
#include "gpu/values.h"
#include "simt/nvidia/bulk_store.h"

/* ---- waiting -------------------------------------------------------------------------------- */

void nvptx_bulk_wait(gen *g, bool complete) {
  nvptx_box_wait(g, 0, !complete);
  g->now.async_reads = false;
  if (complete) g->now.async_stores = false;
}

/* Until all groups but the last `left` have read their panels. */
static void wait_for_place(gen *g, unsigned left) {
  nvptx_box_wait(g, left, true);
  gpu_barrier(g);
}

/* ---- pieces --------------------------------------------------------------------------------- */

/* Bits of the tile's index that choose the panels of a piece and are registers'; 0 bits: all of it
 * at once. */
typedef struct pieces {
  uint32_t mask;
  unsigned n;      /* log2 */
  uint32_t bytes;  /* of one */
  unsigned places; /* in shared memory: with two, one is read while the other is written */
} pieces;

static bool is_in_registers(const simt_dist *d, unsigned bit) {
  for (unsigned j = 0; j < d->regs; j++)
    if (d->reg[j] == (int8_t)bit) return true;
  return false;
}

/* The largest that fit; false when none do. */
static bool cut_to(const simt_box *box, const simt_dist *d, uint32_t limit, pieces *out) {
  *out = (pieces){.bytes = 1u << (d->n + box->elem_bytes), .places = 1};
  for (unsigned k = d->n; k-- > 0 && out->bytes > limit;) {
    /* Panels follow each other by the highest bits, so the last ones are left out first. */
    if (box->column[k] * 2 != out->bytes || box->column[k] < box->panel_bytes) continue;
    if (!is_in_registers(d, k)) return false;
    out->mask |= 1u << k;
    out->n++;
    out->bytes /= 2;
    k = d->n;
  }
  return out->bytes <= limit;
}

static bool cut(const simt_box *box, const simt_dist *d, uint32_t limit, pieces *out) {
  pieces halves;
  if (!cut_to(box, d, limit, out)) return false;
  if (out->n == 0 || !cut_to(box, d, limit / 2, &halves)) return true;
  *out = halves;
  out->places = 2;
  return true;
}

static uint32_t index_of_piece(const pieces *p, unsigned number) {
  uint32_t index = 0, bit = 0;
  for (unsigned k = 0; k < SIMT_BITS; k++)
    if (p->mask >> k & 1) index |= (number >> bit++ & 1) << k;
  return index;
}

static tile part_of(gen *g, const tile *all, const pieces *p, uint32_t index) {
  tile part = {.d = gpu_dist_without(&all->d, p->mask)};
  part.v = gpu_registers(g, &part.d);
  for (uint32_t i = 0; i < slots_of(&part.d); i++)
    part.v[i] = all->v[simt_slot_of_index(&all->d, simt_index_of_slot(&part.d, i) | index)];
  return part;
}

/* ---- copies --------------------------------------------------------------------------------- */

/* What came before reaches memory the ordinary way, and copies another: they must not meet. */
static void fence(gen *g) {
  gpu_asm(g, g->e.void_,
          simt_bulk_of(g->plan)->meets ? "fence.proxy.async;" : "fence.proxy.async.shared::cta;",
          "~{memory}", NULL, 0, true);
}

/* Begins the copies of a piece whose first panel has the fast coordinate at[0]. */
static void start_copies(gen *g, const simt_bulk_store *s, llv *at, llv base, uint32_t bytes) {
  const simt_tensor_map *m = &simt_bulk_of(g->plan)->maps[s->map];
  llv thread = LLVMBuildOr(g->e.b, LLVMBuildShl(g->e.b, g->warp, k32(g, 5), ""), g->lane, "");
  llv first = LLVMBuildICmp(g->e.b, LLVMIntEQ, thread, k32(g, 0), "");
  llblock done = gpu_begin_owner(g, first);
  if (g->now.async_stores) nvptx_bulk_wait(g, true); /* stores to one place keep their order */
  llv begin = at[0];
  for (uint32_t k = 0; k < bytes / s->box.panel_bytes; k++) {
    at[0] = add_const(g, begin, (int64_t)k * m->box[0]);
    nvptx_box c = {.rank = m->rank,
                   .place = add_const(g, base, (int64_t)k * s->box.panel_bytes),
                   .map = own_of(g)->map_address[s->map]};
    memcpy(c.at, at, m->rank * sizeof *at);
    nvptx_store_box(g, &c, NULL);
  }
  nvptx_box_commit(g);
  gpu_go(g, done);
  at[0] = begin;
}

/* ---- stores --------------------------------------------------------------------------------- */

static void store_piece(gen *g, const simt_bulk_store *s, const tile *part, llv *at, llv base,
                        uint32_t bytes) {
  tsr_elem elem = (tsr_elem)ir_operand_in(s->op, 0)->type->elem;
  nvptx_store_panels(g, elem, part, base, s->box.column);
  fence(g);
  gpu_barrier(g);
  start_copies(g, s, at, base, bytes);
}

static void store_pieces(gen *g, const simt_bulk_store *s, const tile *all, const pieces *p) {
  const simt_tensor_map *m = &simt_bulk_of(g->plan)->maps[s->map];
  uint32_t n;
  llv at[SIMT_MAP_RANK];
  ir_use *index = ir_operand_group((ir_op *)(uintptr_t)s->op, 2, &n);
  nvptx_map_origin(g, m, ir_operand_in(s->op, 1)->type, index, at);
  llv begin = at[0], base = gpu_scratch_aligned(g, p->places * p->bytes, SIMT_STAGE_ALIGN);
  base = LLVMBuildTrunc(g->e.b, base, g->e.i32, "");
  for (unsigned k = 0; k < 1u << p->n; k++) {
    tile part = part_of(g, all, p, index_of_piece(p, k));
    at[0] = add_const(g, begin, (int64_t)k * (p->bytes / s->box.panel_bytes) * m->box[0]);
    if (k >= p->places) wait_for_place(g, p->places - 1);
    store_piece(g, s, &part, at, add_const(g, base, k % p->places * p->bytes), p->bytes);
  }
  g->now.async_reads = g->now.async_stores = true;
}

/* ---- whether there is a map ----------------------------------------------------------------- */

static llv is_below(gen *g, llv x, uint64_t limit) {
  return LLVMBuildICmp(g->e.b, LLVMIntULT, x, k64(g, (int64_t)limit), "");
}

/* An i1: the launcher could make the map, by what rt_tensor_of looks at. NULL: there is always one.
 */
static llv has_map(gen *g, const simt_bulk_store *s) {
  const simt_bulk *bulk = simt_bulk_of(g->plan);
  const simt_tensor_map *m = &bulk->maps[s->map];
  if (s->map >= 32 || !(bulk->optional >> s->map & 1)) return NULL;
  const view *v = value_of(g, ir_operand_in(s->op, 1))->view;
  LLVMBuilderRef b = g->e.b;
  unsigned bytes = gpu_shared_bytes((tsr_elem)m->elem);
  llv sum = v->base, good = NULL;
  for (unsigned i = 0; i < m->rank; i++) {
    llv size = v->shape[m->dim[i]], step = v->stride[m->dim[i]];
    good = fold_and(g, good, is_below(g, add_const(g, size, -1), SIMT_MAP_MOST_ELEMENTS));
    if (i == 0) sum = LLVMBuildOr(b, sum, fold_mul(g, size, k64(g, bytes)), "");
    if (i == 0) continue;
    good = fold_and(g, good, is_below(g, add_const(g, step, -1), SIMT_MAP_MOST_STRIDE / bytes - 1));
    sum = LLVMBuildOr(b, sum, fold_mul(g, step, k64(g, bytes)), "");
  }
  sum = LLVMBuildAnd(b, sum, k64(g, SIMT_MAP_ALIGN - 1), "");
  return fold_and(g, good, LLVMBuildICmp(b, LLVMIntEQ, sum, k64(g, 0), "has.map"));
}

bool nvptx_bulk_store(gen *g, ir_op *op) {
  const simt_bulk_store *s = simt_bulk_store_of(g->plan, op);
  pieces p;
  tile all;
  if (!s) return false;
  all.v = gpu_home(g, ir_operand_in(op, 0), &all.d);
  if (!cut(&s->box, &all.d, gpu_scratch_limit(g), &p)) return false;
  llv test = has_map(g, s);
  if (!test) {
    store_pieces(g, s, &all, &p);
    return true;
  }
  llblock bulk = gpu_new_block(g, "store.bulk"), direct = gpu_new_block(g, "store.direct");
  llblock done = gpu_new_block(g, "store.end");
  hazards before = g->now;
  uint32_t mark = g->cache.made.len;
  LLVMBuildCondBr(g->e.b, test, bulk, direct);
  LLVMPositionBuilderAtEnd(g->e.b, bulk);
  store_pieces(g, s, &all, &p);
  LLVMBuildBr(g->e.b, done);
  gpu_forget(g, mark);
  hazards after = g->now;
  g->now = before;
  LLVMPositionBuilderAtEnd(g->e.b, direct);
  gpu_store_directly(g, op);
  gpu_go(g, done);
  gpu_forget(g, mark);
  g->now = gpu_either(after, g->now);
  return true;
}
