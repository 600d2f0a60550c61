/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Non-temporal (streaming) stores. Before a processor writes to a line that is not in
 * its cache it reads it, and what a large result pushes out of the cache is something else that
 * could have stayed. Stores marked as non-temporal write whole lines to memory. That is worth it
 * when all tile blocks of the launch together write more than a cache holds; what they write is
 * then read from memory by its next user, which it would be anyway.
 *
 * Such stores come in any order, so there is a fence when a thread has done its part of the launch
 * (rt/device_cpu.c), and none are used in kernels whose tile blocks could wait for each other.
 */
#include "cpu/memory/streaming.h"

#include "cpu/core/fold.h"
#include "cpu/core/function.h"
#include "cpu/core/notes.h"
#include "cpu/plan/access.h"
#include "cpu/plan/affine.h"
#include "cpu/plan/grid.h"
#include "cpu/nest/scalar.h"
#include "cpu/nest/visit.h"
#include "cpu/memory/row_forward.h"

typedef struct stream_state {
  llv blocks; /* i64: see count_blocks; NULL: not counted yet */
  bool *read; /* by ir_root: memory that is loaded from; NULL: see is_read */
} stream_state;

static stream_state *state_of(lower *l) {
  if (!l->streaming) l->streaming = arena_new(l->arena, stream_state);
  return l->streaming;
}

/* Does the nest store whole vectors to neighbouring addresses? */
static bool stores_neighbours(const root *r, const nest_analysis *s) {
  if (r->kind != ROOT_STORE) return false;
  const access *a = r->access;
  int64_t unit = access_unit(a), c;
  if (!a->linear || a->index || (a->mask && !a->checked) || a->memory) return false;
  if (access_elem_bits(a) < 8 || s->lane_n == 0 || s->lane_bit + s->lane_n > a->n) return false;
  if (s->transpose_bit >= 0 && unit << (s->lane_n + s->squares) < CACHE_LINE)
    return false; /* the rest comes too late */
  for (unsigned j = 0; j < s->lane_n; j++)
    if (!coef_const(a->exact[s->lane_bit + j], &c) || c != unit << j) return false;
  return true;
}

/* Are vectors aligned, and does the tile begin with a line, as those beside it do? An i1. Where
 * only every other row begins with a line, non-temporal stores and others would alternate,
 * which is slower than either. Where vectors are put together to lines it is elements that must be
 * aligned. */
static llv is_aligned(lower *l, const root *r, const nest_analysis *s) {
  const access *a = r->access;
  int64_t vector = MIN(access_unit(a) << s->lane_n, CACHE_LINE), line = CACHE_LINE, c;
  if (s->combines) vector = line = access_unit(a);
  llv all = fold_or(l, a->across, a->base);
  for (unsigned k = 0; k < a->n; k++) {
    bool is_lane = k >= s->lane_bit && k < s->lane_bit + s->lane_n;
    if (!is_lane && !(coef_const(a->exact[k], &c) && c % vector == 0))
      all = LLVMBuildOr(l->e.b, all, coef_value(l, a->exact[k], 64), "");
  }
  llv rest = LLVMBuildAnd(l->e.b, all, k64(l, line - 1), "");
  return LLVMBuildICmp(l->e.b, LLVMIntEQ, rest, k64(l, 0), "aligned");
}

static bool note_reading(void *user, ir_op *op) {
  lower *l = user;
  if (ir_is_load(op)) state_of(l)->read[ir_root_of(&l->roots, ir_accessed(op))] = true;
  return true;
}

/* Does the kernel read, somewhere, what the store has written? */
static bool is_read(lower *l, const ir_op *store) {
  stream_state *s = state_of(l);
  if (!s->read) {
    lower_find_roots(l);
    const ir_roots *r = &l->roots;
    size_t n = IR_ROOT_FIRST + r->n_params + r->n_globals + r->n_allocas;
    s->read = arena_array(l->arena, bool, n);
    memset(s->read, 0, n * sizeof *s->read);
    ir_walk(l->entry, note_reading, l);
  }
  ir_root to = ir_root_of(&l->roots, ir_accessed(store));
  return to < IR_ROOT_FIRST || s->read[IR_ROOT_UNKNOWN] || s->read[to];
}

/* Does the store go somewhere else in each round of the loop? */
static bool moves_on(const ir_op *store, const ir_op *loop) {
  const ir_value *round = ir_counter(loop);
  for (uint32_t i = 0; i < store->n_operands; i++) {
    const ir_value *v = ir_operand(store, i);
    bool where = v == ir_accessed(store) || (v->type->kind == IR_TILE && v->type->count == 1);
    if (where && value_follows(v, round)) return true;
  }
  return false;
}

/* How many tiles a tile block stores there: NULL is 1. Not so many if it reads them again (when it
 * `may`), which is better done while they are in the cache. */
static llv tiles_of(lower *l, const ir_op *store, bool may) {
  llv tiles = NULL;
  for (const ir_op *up = store->block->parent; up->opcode != OP_entry; up = up->block->parent) {
    if (up->opcode != OP_for || !moves_on(store, up)) continue;
    if (!tiles && may && is_read(l, store)) return NULL;
    llv rounds = umin64(l, for_rounds(l, up), k64(l, STREAM_BYTES));
    tiles = tiles ? umin64(l, fold_mul(l, tiles, rounds), k64(l, STREAM_BYTES)) : rounds;
  }
  return tiles;
}

/* Tile blocks of the launch, of which there are at most 2^40, up to what is much in any case. Once,
 * where the kernel begins. */
static llv count_blocks(lower *l) {
  stream_state *s = state_of(l);
  if (s->blocks) return s->blocks;
  llblock here = LLVMGetInsertBlock(l->e.b);
  LLVMPositionBuilderBefore(l->e.b, LLVMGetBasicBlockTerminator(l->start));
  llv n = grid_extent(l, 0);
  for (unsigned d = 1; d < 3; d++) n = LLVMBuildMul(l->e.b, n, grid_extent(l, d), "");
  s->blocks = umin64(l, n, k64(l, STREAM_BYTES));
  LLVMPositionBuilderAtEnd(l->e.b, here);
  return s->blocks;
}

llv launch_takes(lower *l, const ir_op *op, int64_t tile_bytes, int64_t bytes, bool may_read) {
  llv tiles = count_blocks(l), of_each = tiles_of(l, op, may_read);
  if (of_each) tiles = LLVMBuildMul(l->e.b, tiles, of_each, may_read ? "stored" : "tiles");
  int64_t enough = (bytes + tile_bytes - 1) / tile_bytes;
  return LLVMBuildICmp(l->e.b, LLVMIntUGE, tiles, k64(l, enough), "much");
}

llv stream_is_large(lower *l, const ir_op *store, int64_t tile_bytes, bool may_read) {
  if (!is_on(l, PATTERN_NON_TEMPORAL) || l->e.arm || ir_communicates(l->entry)) return NULL;
  return launch_takes(l, store, tile_bytes, STREAM_BYTES, may_read);
}

llv stream_is_much(lower *l, const ir_op *store, int64_t tile_bytes) {
  llv row_forwards;
  return row_forward_streams(l, store, &row_forwards) ? row_forwards
                                                      : stream_is_large(l, store, tile_bytes, true);
}

typedef struct search {
  lower *l;
  const access *stored;
  llv apart;
} search;

/* A line that is loaded from is in the cache already. */
static bool keep_apart(void *user, ir_value *v, const index_map *m) {
  search *x = user;
  const value *y = value_of(x->l, v);
  (void)m;
  if (!value_is_load(y) || !y->load->linear) return true;
  llv differ = LLVMBuildICmp(x->l->e.b, LLVMIntNE, y->load->base, x->stored->base, "");
  x->apart = fold_and(x->l, x->apart, differ);
  return true;
}

llv stream_condition(lower *l, group *g, const nest_analysis *s) {
  const ir_op *store = NULL;
  int64_t bytes = 0;
  for (unsigned i = 0; i < g->n_roots; i++) {
    if (g->roots[i].kind == ROOT_REDUCE) continue;
    if (!stores_neighbours(&g->roots[i], s)) return NULL;
    bytes += g->shape->count * access_unit(g->roots[i].access);
    store = g->roots[i].op;
  }
  llv all = store ? stream_is_much(l, store, bytes) : NULL;
  if (!all) return NULL;
  for (unsigned i = 0; i < g->n_roots; i++) {
    if (g->roots[i].kind == ROOT_REDUCE) continue;
    search x = {.l = l, .stored = g->roots[i].access};
    visit_group(l, g, keep_apart, &x);
    all = fold_and(l, all, is_aligned(l, &g->roots[i], s));
    all = fold_and(l, all, x.apart);
    NOTE_MATCH(l, NON_TEMPORAL, .op = g->roots[i].op);
    if (s->combines) NOTE_MATCH(l, WRITE_COMBINE, .op = g->roots[i].op);
  }
  l->streams = true;
  /* Frozen it stays one number: of a conjunction code generation makes a branch for each part. */
  return LLVMIsConstant(all) ? all : LLVMBuildFreeze(l->e.b, all, "streams");
}
