/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gpu/aligned.h"

#include "num/num.h"
#include "gpu/code.h"
#include "gpu/memory.h"
#include "gpu/shared.h"
#include "gpu/values.h"
#include "gpu/vendor.h"
#include "opt/facts.h"

enum {
  MOST_ACCESSES = 32, /* more are not made twice */
  MOST_SUMS = 32 /* of a product, by thread: more leave no registers for what both forms share */
};

typedef struct aligned_search {
  gen *g;
  bool large; /* there is a product of many sums */
  unsigned n; /* accesses to views */
  llv sum;    /* what must be a multiple of an access' bytes, added up by or; NULL: nothing */
} aligned_search;

bool gpu_is_aligned(const gen *g, const ir_op *made) {
  for (uint32_t i = 0; made && i < g->aligned.len; i++)
    if (g->aligned.data[i] == made) return true;
  return false;
}

static bool divides(gen *g, const ir_value *v, uint64_t unit) {
  uint64_t d = facts_of(g->facts, v).divisor;
  return d == 0 || d >= SIMT_ACCESS_BYTES / unit;
}

/* The only dimension whose neighbours lie next to each other; the rank where there is none, or more
 * than one. */
static unsigned packed_of(const ir_type *t) {
  unsigned found = t->rank;
  for (unsigned d = 0; d < t->rank; d++) {
    if (t->strides[d] != 1) continue;
    if (found < t->rank) return t->rank;
    found = d;
  }
  return found;
}

/* What is to be tested of a view; false: it is not aligned for sure. */
static bool add_view(gen *g, const view *v, llv *sum) {
  LLVMBuilderRef b = g->e.b;
  const ir_type *t = v->type;
  uint64_t unit = gpu_shared_bytes((tsr_elem)t->elem);
  unsigned packed = packed_of(t);
  uint32_t n, next_shape = 0, next_stride = 0;
  ir_use *shapes = ir_operand_group(v->op, 1, &n), *strides = ir_operand_group(v->op, 2, &n);
  if (packed == t->rank || unit >= SIMT_ACCESS_BYTES) return false;
  if (!divides(g, ir_operand_in(v->op, 0), 1)) *sum = fold_or(g, *sum, v->base);
  for (unsigned d = 0; d < t->rank; d++) {
    bool varies = t->strides[d] == IR_DYNAMIC, grows = t->shape[d] == IR_DYNAMIC;
    const ir_value *stride = varies ? strides[next_stride++].value : NULL;
    const ir_value *extent = grows ? shapes[next_shape++].value : NULL;
    if (varies && !divides(g, stride, unit))
      *sum = fold_or(g, *sum, LLVMBuildMul(b, v->stride[d], k64(g, (int64_t)unit), ""));
    if (!varies && d != packed && t->strides[d] * (int64_t)unit % SIMT_ACCESS_BYTES) return false;
    if (d != packed) continue;
    if (extent && !divides(g, extent, unit))
      *sum = fold_or(g, *sum, LLVMBuildMul(b, v->shape[d], k64(g, (int64_t)unit), ""));
    if (!extent && t->shape[d] * (int64_t)unit % SIMT_ACCESS_BYTES) return false;
  }
  return true;
}

static bool find_view(void *user, ir_op *op) {
  aligned_search *s = user;
  if (op->opcode != OP_load_view_tko && op->opcode != OP_store_view_tko) return true;
  const ir_value *tiles = ir_operand_in(op, op->opcode == OP_load_view_tko ? 0 : 1);
  const view *v = value_of(s->g, tiles)->view;
  s->n++;
  if (!v || !v->op || gpu_is_aligned(s->g, v->op)) return true;
  if (num_shares_bytes(tsr_elem_bits((tsr_elem)v->type->elem))) return true;
  if (tsr_elem_bits((tsr_elem)v->type->elem) < 8) return true;
  llv sum = NULL;
  if (!add_view(s->g, v, &sum) || !sum) return true;
  s->sum = fold_or(s->g, s->sum, sum);
  vec_push(s->g->arena, s->g->aligned, v->op);
  return true;
}

static bool accesses_views(void *user, ir_op *op) {
  if (op->opcode == OP_load_view_tko || op->opcode == OP_store_view_tko) *(bool *)user = true;
  return true;
}

static bool find_large(void *user, ir_op *op) {
  aligned_search *s = user;
  if (op->opcode != OP_mmaf && op->opcode != OP_mmai) return true;
  unsigned threads = s->g->plan->lanes + s->g->plan->warps;
  s->large |= ir_result(op, 0)->type->count >> threads > MOST_SUMS;
  return true;
}

/* Tensor maps, and copies ahead of some vendors, have tests of their own. */
static bool may_have_versions(const gen *g) {
  if (!g->plan || g->plan->own || g->alloca_size || g->chosen) return false;
  return !g->plan->pipelines.len || g->vendor->version_test;
}

static llv test_of(gen *g, ir_op *op) {
  aligned_search s = {.g = g};
  bool copies = g->plan->pipelines.len > 0;
  for (ir_op *x = op; x && !copies; x = x->next) ir_walk(x, find_large, &s);
  for (ir_op *x = op; x && !s.large; x = x->next) ir_walk(x, find_view, &s);
  llv test = copies ? g->vendor->version_test(g, op) : NULL;
  if (s.n > MOST_ACCESSES || (copies && !test)) return NULL;
  if (!s.sum) return test;
  llv low = LLVMBuildAnd(g->e.b, s.sum, k64(g, SIMT_ACCESS_BYTES - 1), "");
  return fold_and(g, test, LLVMBuildICmp(g->e.b, LLVMIntEQ, low, k64(g, 0), "aligned"));
}

/* One of the two, from its block on. What the other made is not there. */
static void make_version(gen *g, llblock begin, hazards before, gpu_version version, ir_op *op,
                         void (*rest)(gen *g, ir_op *from)) {
  uint32_t mark = g->cache.made.len;
  g->version = version;
  LLVMPositionBuilderAtEnd(g->e.b, begin);
  g->now = before;
  rest(g, op);
  gpu_forget(g, mark);
}

bool gpu_aligned_versions(gen *g, ir_op *op, void (*rest)(gen *g, ir_op *from)) {
  bool accesses = false;
  if (!may_have_versions(g)) return false;
  ir_walk(op, accesses_views, &accesses);
  if (!accesses) return false;
  g->chosen = true;
  llv test = test_of(g, op);
  if (!test) {
    g->aligned.len = 0;
    return false;
  }
  llblock whole = gpu_new_block(g, "aligned"), others = gpu_new_block(g, "others");
  hazards before = g->now;
  LLVMBuildCondBr(g->e.b, test, whole, others);
  make_version(g, whole, before, VERSION_ALIGNED, op, rest);
  g->aligned.len = 0;
  if (!g->failed) make_version(g, others, before, VERSION_OTHERS, op, rest);
  return true;
}
