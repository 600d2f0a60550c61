/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Rows that don't begin with a cache line, stored by non-temporal stores (streaming.c). These are
 * of whole lines only, so each line is put together from two vectors that are neighbours along the
 * row: the one before is carried from one iteration of the loop along the row to the next. What is
 * left where the loop's part of the row begins and ends, less than a line, is stored as usual.
 */
#include "cpu/nest/write_combine.h"

#include "cpu/core/fold.h"
#include "cpu/core/function.h"
#include "cpu/core/notes.h"
#include "cpu/plan/access.h"
#include "cpu/plan/affine.h"
#include "cpu/plan/map.h"
#include "cpu/nest/reduce_body.h"
#include "cpu/nest/vectors.h"

/* Do the store's elements follow each other along bits of the iteration from the lowest one up to
 * `to`? */
static bool in_a_row(const access *a, unsigned to) {
  int64_t c;
  for (unsigned j = 0; j < to; j++)
    if (!coef_const(a->exact[j], &c) || c != access_unit(a) << j) return false;
  return true;
}

/* `taken`: the bits of the iteration that are lanes and copies. */
bool stores_may_combine(lower *l, const group *g, const nest_analysis *s, uint32_t taken) {
  unsigned first = 0, end, reduced, count;
  int64_t vector = 0;
  if (!is_on(l, PATTERN_WRITE_COMBINE)) return false;
  if (l->e.isa.level < CPU_AVX512 || s->transpose_bit >= 0 || s->lane_bit != 0) return false;
  while (taken >> first & 1) first++;
  if (first >= tile_bits(g->shape) || taken >> first || map_is_boundary(g->shape, first))
    return false;
  for (end = first + 1; end < tile_bits(g->shape) && !map_is_boundary(g->shape, end);) end++;
  if (g->reduce) {
    reduce_bits(g->reduce, &reduced, &count);
    if (reduced != 0) return false; /* or the innermost loop goes along another dimension */
  }
  for (unsigned i = 0; i < g->n_roots; i++) {
    const root *r = &g->roots[i];
    if (r->kind == ROOT_REDUCE && !reduce_is_neutral(r->op)) return false; /* it begins later */
    if (r->kind != ROOT_STORE) continue;
    int64_t unit = access_unit(r->access), bytes = unit << s->lane_n;
    bool joins = bytes == CACHE_LINE / 2 && first > s->lane_n; /* with the next copy */
    if ((unit < 2 && !l->e.isa.vbmi) || (bytes != CACHE_LINE && !joins) ||
        (vector && bytes != vector))
      return false;
    if (!in_a_row(r->access, end)) return false;
    vector = bytes;
  }
  return true;
}

/* Goes on in two blocks that come together again: before the builder's block ends. */
static void split_here(lower *l, llv condition, llblock *yes, llblock *no) {
  llblock here = LLVMGetInsertBlock(l->e.b), on = lower_new_block(l, "on");
  llv jump = LLVMGetBasicBlockTerminator(here);
  llblock next = LLVMGetSuccessor(jump, 0);
  LLVMInstructionEraseFromParent(jump);
  *yes = lower_new_block(l, "part");
  *no = lower_new_block(l, "line");
  LLVMPositionBuilderAtEnd(l->e.b, here);
  LLVMBuildCondBr(l->e.b, condition, *yes, *no);
  llblock blocks[] = {*yes, *no, on};
  for (unsigned i = 0; i < ARRAY_LEN(blocks); i++) {
    LLVMPositionBuilderAtEnd(l->e.b, blocks[i]);
    LLVMBuildBr(l->e.b, blocks[i] == on ? next : on);
  }
  LLVMPositionBuilderBefore(l->e.b, LLVMGetBasicBlockTerminator(on));
}

static void go_to(lower *l, llblock block) {
  LLVMPositionBuilderBefore(l->e.b, LLVMGetBasicBlockTerminator(block));
}

/* What it was in the iteration before. */
static llv carry(nest *n, llv v) {
  lower *l = n->l;
  llv index = n->levels[n->n_levels - 1].index;
  llblock here = LLVMGetInsertBlock(l->e.b);
  llblock from[] = {LLVMGetIncomingBlock(index, 0), LLVMGetIncomingBlock(index, 1)};
  LLVMPositionBuilderBefore(l->e.b, index);
  llv phi = LLVMBuildPhi(l->e.b, LLVMTypeOf(v), "before");
  LLVMAddIncoming(phi, (llv[]){LLVMGetPoison(LLVMTypeOf(v)), v}, from, 2);
  go_to(l, here);
  return phi;
}

/* The lanes of `before` and v from `by` lanes before v on. */
static llv line_of(emit *e, llv before, llv v, llv places) {
  LLVMTypeRef elem = LLVMGetElementType(LLVMTypeOf(v));
  const char *name = elem == e->f32   ? "llvm.x86.avx512.vpermi2var.ps.512"
                     : elem == e->f64 ? "llvm.x86.avx512.vpermi2var.pd.512"
                     : elem == e->i32 ? "llvm.x86.avx512.vpermi2var.d.512"
                     : elem == e->i64 ? "llvm.x86.avx512.vpermi2var.q.512"
                     : elem == e->i16 ? "llvm.x86.avx512.vpermi2var.hi.512"
                                      : "llvm.x86.avx512.vpermi2var.qi.512";
  return emit_intrinsic(e, name, NULL, 0, (llv[]){before, places, v}, 3);
}

/* 0, 1, 2, … in lanes as wide as v's. */
static llv lane_numbers(emit *e, llv v) {
  llv numbers[CACHE_LINE];
  unsigned lanes = emit_lanes(v);
  LLVMTypeRef type = LLVMIntTypeInContext(e->llvm, 8 * CACHE_LINE / lanes);
  for (unsigned i = 0; i < lanes; i++) numbers[i] = LLVMConstInt(type, i, 0);
  return LLVMConstVector(numbers, lanes);
}

static void store_lanes(emit *e, llv v, llv to, llv mask) {
  LLVMTypeRef types[] = {LLVMTypeOf(v), e->ptr};
  emit_intrinsic(e, "llvm.masked.store", types, 2, (llv[]){v, to, mask}, 3);
}

/* A body's vectors, that don't begin with a line. */
typedef struct shifted {
  nest *n;
  const late_store *x;
  unsigned count, stride;
  llv numbers, back, by, places; /* how far behind a line's begin they lie: -bytes, lanes */
  llv begin, end;                /* of the loop along the row */
} shifted;

static const late_store *vector_of(const shifted *s, unsigned i) {
  return &s->x[i * s->stride];
}

/* The first of the lines; where the row begins what there is of it. */
static void store_first(const shifted *s, llv line) {
  lower *l = s->n->l;
  emit *e = &l->e;
  llv to = emit_offset(e, s->x->ptr, s->back), index = s->n->levels[s->n->n_levels - 1].index;
  llblock part, whole;
  split_here(l, LLVMBuildICmp(e->b, LLVMIntEQ, index, s->begin, ""), &part, &whole);
  llblock on = LLVMGetInsertBlock(e->b);
  go_to(l, part);
  llv from = emit_splat(e, s->by, emit_lanes(line));
  store_lanes(e, line, to, LLVMBuildICmp(e->b, LLVMIntUGE, s->numbers, from, ""));
  /* Stores wait for each other: the line that the loop ends in had better be there by then. */
  llv rounds = LLVMBuildSub(e->b, s->end, s->begin, "");
  llv row = LLVMBuildMul(e->b, rounds, k64(l, (int64_t)s->count * CACHE_LINE), "");
  emit_prefetch(e, emit_offset(e, to, row));
  go_to(l, whole);
  lanes_store_nontemporal(l, line, to);
  go_to(l, on);
}

/* What is left where the row ends. Aligned, or it would wait for the line in front of it, too. */
static void store_left(const shifted *s) {
  lower *l = s->n->l;
  emit *e = &l->e;
  const late_store *last = vector_of(s, s->count - 1);
  llv more = LLVMBuildAdd(e->b, s->n->levels[s->n->n_levels - 1].index, k64(l, 1), "");
  llblock part, none;
  split_here(l, LLVMBuildICmp(e->b, LLVMIntEQ, more, s->end, ""), &part, &none);
  llblock on = LLVMGetInsertBlock(e->b);
  go_to(l, part);
  llv left = line_of(e, last->v, last->v, s->places), to = emit_offset(e, last->ptr, s->back);
  llv until = emit_splat(e, s->by, emit_lanes(left));
  store_lanes(e, left, emit_offsetk(e, to, CACHE_LINE),
              LLVMBuildICmp(e->b, LLVMIntULT, s->numbers, until, ""));
  go_to(l, on);
}

static void store_shifted(shifted *s, llv before, llv bytes) {
  lower *l = s->n->l;
  emit *e = &l->e;
  unsigned lanes = emit_lanes(before);
  LLVMTypeRef lane = LLVMGetElementType(LLVMTypeOf(s->numbers));
  const level *inner = &s->n->levels[s->n->n_levels - 1];
  bool in_part = s->n->part.top == (unsigned)inner->first + inner->n;
  s->begin = in_part && s->n->part.from ? s->n->part.from : k64(l, 0);
  s->end = in_part && s->n->part.to ? s->n->part.to : k64(l, INT64_C(1) << inner->n);
  s->back = LLVMBuildSub(e->b, k64(l, 0), bytes, "");
  s->by = LLVMBuildUDiv(e->b, bytes, k64(l, CACHE_LINE / lanes), "");
  s->by = LLVMBuildTrunc(e->b, s->by, lane, "");
  llv rest = LLVMBuildSub(e->b, LLVMConstInt(lane, lanes, 0), s->by, "");
  s->places = LLVMBuildAdd(e->b, emit_splat(e, rest, lanes), s->numbers, "");
  for (unsigned i = 0; i < s->count; i++) {
    const late_store *y = vector_of(s, i);
    llv line = line_of(e, before, y->v, s->places);
    if (i == 0)
      store_first(s, line);
    else
      lanes_store_nontemporal(l, line, emit_offset(e, y->ptr, s->back));
    before = y->v;
  }
  store_left(s);
}

void store_combined(nest *n, const late_store *x, unsigned count, unsigned stride) {
  lower *l = n->l;
  LLVMBuilderRef b = l->e.b;
  shifted s = {.n = n, .x = x, .count = count, .stride = stride};
  s.numbers = lane_numbers(&l->e, x->v);
  llv before = carry(n, vector_of(&s, count - 1)->v);
  llv bytes =
      LLVMBuildAnd(b, LLVMBuildPtrToInt(b, x->ptr, l->e.i64, ""), k64(l, CACHE_LINE - 1), "");
  llblock shifts, whole;
  split_here(l, LLVMBuildICmp(b, LLVMIntNE, bytes, k64(l, 0), ""), &shifts, &whole);
  llblock on = LLVMGetInsertBlock(b);
  go_to(l, whole);
  for (unsigned i = 0; i < count; i++)
    lanes_store_nontemporal(l, vector_of(&s, i)->v, vector_of(&s, i)->ptr);
  go_to(l, shifts);
  store_shifted(&s, before, bytes);
  go_to(l, on);
}
