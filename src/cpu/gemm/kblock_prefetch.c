/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the micro-kernel fetches while it multiplies a chunk (kblock.h, prefetch_regions.c): what
 * the next chunk will read, or, during the last one, what the next tile block will begin with; and
 * where the result will go. All of it is guessed from where the slices before came from, and a
 * wrong guess costs a little time.
 */
#include "cpu/gemm/kblock_prefetch.h"

#include "cpu/core/function.h"
#include "cpu/plan/access.h"
#include "cpu/plan/affine.h"
#include "cpu/plan/grid.h"
#include "cpu/plan/map.h"
#include "cpu/plan/plan.h"
#include "cpu/plan/scratch.h"
#include "cpu/gemm/ukernel/ukernel.h"
#include "cpu/gemm/kblock_chunk.h"
#include "cpu/gemm/prefetch_regions.h"

/* ---- matrices in memory --------------------------------------------------------------------- */

/* Are elements along n bits of the index the same distance apart? Those of views are. */
static bool is_stride(const access *a, unsigned first, unsigned n) {
  const coef *c = &a->exact[first];
  for (unsigned j = 1; j < n; j++)
    if (c[j].s != c->s || c[j].m != (int64_t)((uint64_t)c->m << j)) return false;
  return true;
}

bool kblock_rows_of(lower *l, const access *a, const ir_type *t, unsigned *along, llv *row) {
  if (!a->linear || a->index || access_elem_bits(a) < 8 || t->rank < 2) return false;
  int64_t unit = access_elem_bits(a) / 8, c;
  for (unsigned i = 0; i < 2; i++) {
    unsigned d = t->rank - 1u - i, other = t->rank - 2u + i, first, n;
    dim_bits(t, d, &first, &n);
    if (n == 0 || !coef_const(a->exact[first], &c) || c != unit || !is_stride(a, first, n))
      continue;
    *along = d;
    dim_bits(t, other, &first, &n);
    if (!is_stride(a, first, n)) return false;
    *row = n ? coef_value(l, a->exact[first], 64) : k64(l, 0);
    return true;
  }
  return false;
}

/* The load that an operand is, but for the order of its elements, and which bits of the operand's
 * index that has; NULL: it is none. */
static const access *load_behind(lower *l, ir_value **v, index_map *m) {
  *m = map_identity(tile_bits((*v)->type));
  while (value_of(l, *v)->kind == VALUE_LAZY && !value_of(l, *v)->load) {
    const ir_op *op = ir_defining_op(*v);
    if (!op || (op->opcode != OP_reshape && op->opcode != OP_permute)) return NULL;
    *m = map_through(op, m);
    *v = ir_operand(op, 0);
  }
  return value_of(l, *v)->load;
}

/* ---- the result ----------------------------------------------------------------------------- */

void kblock_begin_prefetch(lower *l, kblock *k, const ir_op *store, const access *a) {
  k->regions = regions_new(l);
  unsigned along;
  llv row;
  if (!store) return;
  const ir_type *t = stored_value(store)->type;
  if (!kblock_rows_of(l, a, t, &along, &row)) return;
  int64_t bytes = t->shape[along] * access_elem_bits(a) / 8;
  llv rows = k64(l, t->count / t->shape[along]);
  if (k->non_temporal) rows = LLVMBuildSelect(l->e.b, k->non_temporal, k64(l, 0), rows, "");
  region_set(l, k->regions, MMA_LAST_REGION, a->base, row, rows, bytes);
}

/* ---- where tile blocks begin ---------------------------------------------------------------- */

/* Is this the last tile block of those along x, which one thread executes one after the other? */
static llv is_last_along_x(lower *l) {
  llv next = LLVMBuildAdd(l->e.b, grid_place(l, 0), k64(l, 1), "");
  return LLVMBuildICmp(l->e.b, LLVMIntEQ, next, grid_extent(l, 0), "");
}

static llv start_at(lower *l, const kblock *k, block_start which) {
  return emit_offsetk(&l->e, k->starts->ptr, 8 * (int64_t)which);
}

/* Keeps a value for the tile blocks to come if the condition holds. */
static void set_start(lower *l, const kblock *k, block_start which, llv condition, llv v) {
  llv at = start_at(l, k, which);
  LLVMBuildStore(l->e.b, LLVMBuildSelect(l->e.b, condition, v, load64(l, at), ""), at);
}

/* At a block's first slice: the next block's will probably be as far away as the last block's, but
 * after the last block along x comes the first one. */
void kblock_note_start(lower *l, const kblock *k, llv is_first) {
  const access *a = value_of(l, k->a.v)->load;
  if (!a || !a->linear) return;
  LLVMBuilderRef b = l->e.b;
  llv zero = k64(l, 0), before = load64(l, start_at(l, k, START_A));
  llv at_zero = LLVMBuildICmp(b, LLVMIntEQ, grid_place(l, 0), zero, "");
  set_start(l, k, START_A_ROW, LLVMBuildAnd(b, is_first, at_zero, ""), a->base);
  llv unknown = LLVMBuildICmp(b, LLVMIntEQ, before, zero, "");
  llv next = LLVMBuildAdd(b, a->base, LLVMBuildSub(b, a->base, before, ""), "");
  next = LLVMBuildSelect(b, unknown, zero, next, "");
  llv returns = LLVMBuildAnd(b, is_last_along_x(l), LLVMBuildNot(b, at_zero, ""), "");
  next = LLVMBuildSelect(b, returns, load64(l, start_at(l, k, START_A_ROW)), next, "");
  next = LLVMBuildSelect(b, is_first, next, load64(l, k->next_start), "");
  LLVMBuildStore(b, next, k->next_start);
  set_start(l, k, START_A, is_first, a->base);
}

void kblock_note_b_start(lower *l, const kblock *k, llv is_first, llv base) {
  LLVMBuilderRef b = l->e.b;
  llv before = load64(l, start_at(l, k, START_B));
  llv known = LLVMBuildICmp(b, LLVMIntNE, before, k64(l, 0), "");
  llv other = LLVMBuildAnd(b, known, LLVMBuildICmp(b, LLVMIntNE, before, base, ""), "");
  set_start(l, k, START_B_STEP, LLVMBuildAnd(b, is_first, other, ""),
            LLVMBuildSub(b, base, before, ""));
  set_start(l, k, START_B, is_first, base);
}

/* ---- the next chunk, and the first of the next tile block ----------------------------------- */

/* A small tile's product asks for fewer lines than there are. The first region is asked for first:
 * that of the operand that will be copied, since loops wait for what they copy, while the processor
 * itself runs ahead in chunks that are kept. */
static unsigned region_of(const kblock *k, const side *s) {
  bool a_first = k->b.keys && !k->a.keys;
  return (s == &k->a) == a_first ? MMA_FIRST_REGION : MMA_SECOND_REGION;
}

/* When this slice is the chunk's last one, the next chunk is to be fetched: it will probably be as
 * far away as this slice is from the one before. */
void kblock_prefetch_next_chunk(lower *l, const kblock *k, const side *s) {
  bool is_a = s == &k->a;
  unsigned region = region_of(k, s);
  ir_value *v = s->v;
  index_map m;
  const access *a = load_behind(l, &v, &m);
  const ir_type *t = v->type;
  unsigned along, first, n, n_bits = log2_of(k->p.n);
  llv row;
  if (!a || (is_a && v != s->v) || !kblock_rows_of(l, a, t, &along, &row)) return;
  dim_bits(t, along, &first, &n);
  bool along_k = is_a ? along + 1 == t->rank : m.bit[first] >= (int)n_bits;
  int64_t length = t->shape[along] * (along_k ? k->slices : 1);
  llv rows = is_a && along_k ? k->m : k64(l, t->count * k->slices / length);
  llv last = load64(l, s->last), step = LLVMBuildSub(l->e.b, a->base, last, "");
  llv next = LLVMBuildAdd(l->e.b, a->base, step, "");
  llv none = LLVMBuildICmp(l->e.b, LLVMIntEQ, last, k64(l, 0), "");
  if (is_a) {
    llv start = load64(l, k->next_start), ends = is_last_iteration(l, k);
    next = LLVMBuildSelect(l->e.b, ends, start, next, "");
    llv unknown = LLVMBuildICmp(l->e.b, LLVMIntEQ, start, k64(l, 0), "");
    none = LLVMBuildSelect(l->e.b, ends, unknown, none, "");
  }
  int64_t bytes = length * access_elem_bits(a) / 8;
  rows = LLVMBuildSelect(l->e.b, none, k64(l, 0), rows, "");
  region_set(l, k->regions, region, next, row, rows, bytes);
  LLVMBuildStore(l->e.b, a->base, s->last);
}

void kblock_prefetch_nothing(lower *l, const kblock *k, const side *s) {
  region_clear(l, k->regions, region_of(k, s));
  LLVMBuildStore(l->e.b, k64(l, 0), s->last);
}

void kblock_prefetch_next_b(lower *l, const kblock *k) {
  LLVMBuilderRef b = l->e.b;
  llblock fetch = lower_new_block(l, "next.b"), done = lower_new_block(l, "next.b.done");
  llv step = load64(l, start_at(l, k, START_B_STEP));
  llv known = LLVMBuildICmp(b, LLVMIntNE, step, k64(l, 0), "");
  LLVMBuildCondBr(b, LLVMBuildAnd(b, known, is_last_along_x(l), ""), fetch, done);
  LLVMPositionBuilderAtEnd(b, fetch);
  llv next = LLVMBuildAdd(b, load64(l, start_at(l, k, START_B)), step, "");
  region_set(l, k->regions, region_of(k, &k->b), next, load64(l, k->b_place.row),
             k64(l, k->slices * k->p.k), k->p.n * buffer_elem_bytes(&k->b.layout));
  lower_go(l, done);
}

/* ---- kept chunks ---------------------------------------------------------------------------- */

/* How many slices' kept chunks are still near when they are needed again: more than three eighths
 * of the second-level cache have left it. */
static int64_t near_slices(lower *l, const kblock *k, const side *s) {
  int64_t bytes = cpu_l2_bytes(&l->e.core) / 8 * 3;
  return k->slices * MAX(bytes / s->chunk_bytes, 1);
}

static llv slices_so_far(lower *l, const kblock *k) {
  llv chunks = fold_mul(l, load64(l, k->chunk), k64(l, k->slices));
  return LLVMBuildAdd(l->e.b, chunks, load64(l, k->filled), "");
}

/* Will the loop have more slices than that? */
static llv goes_far(lower *l, const kblock *k, const side *s) {
  LLVMBuilderRef b = l->e.b;
  llv rest = LLVMBuildSub(b, k->range.upper, k->range.index, ""), step = k->range.step;
  if (LLVMTypeOf(rest) != l->e.i64) {
    rest = LLVMBuildZExt(b, rest, l->e.i64, "");
    step = LLVMBuildZExt(b, step, l->e.i64, "");
  }
  llv near = LLVMBuildSub(b, k64(l, near_slices(l, k, s)), slices_so_far(l, k), "");
  return LLVMBuildICmp(b, LLVMIntSGT, rest, LLVMBuildMul(b, near, step, ""), "");
}

/* The kept chunk of this number is to be fetched if the condition holds. */
static void fetch_kept_chunk(lower *l, const kblock *k, const side *s, llv number, llv condition) {
  LLVMBuilderRef b = l->e.b;
  unsigned region = region_of(k, s), line_bits = log2_of(s->chunk_bytes / MMA_LINE);
  llv exists = LLVMBuildICmp(b, LLVMIntULT, number, k64(l, s->chunks), "");
  llv at = LLVMBuildPtrToInt(b, s->store->ptr, l->e.i64, "");
  at = LLVMBuildAdd(b, at, fold_mul(l, number, k64(l, s->chunk_bytes)), "");
  llv rows = LLVMBuildZExt(b, LLVMBuildAnd(b, condition, exists, ""), l->e.i64, "");
  region_set(l, k->regions, region, at, k64(l, 0), rows, MMA_LINE << line_bits);
  LLVMBuildStore(b, k64(l, 0), s->last);
}

/* The chunk after this one, or the first for the next block. */
void kblock_prefetch_next_cached(lower *l, const kblock *k, const side *s) {
  LLVMBuilderRef b = l->e.b;
  llv next = LLVMBuildAdd(b, load64(l, k->chunk), k64(l, 1), "");
  next = LLVMBuildSelect(b, is_last_iteration(l, k), k64(l, 0), next, "");
  fetch_kept_chunk(l, k, s, next, goes_far(l, k, s));
}

/* After the loop. */
void kblock_prefetch_first_cached(lower *l, const kblock *k, const side *s) {
  llv far =
      LLVMBuildICmp(l->e.b, LLVMIntUGT, slices_so_far(l, k), k64(l, near_slices(l, k, s)), "");
  fetch_kept_chunk(l, k, s, k64(l, 0), far);
}
