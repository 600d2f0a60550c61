/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * When something that one tile block computed may serve the next one on its thread.
 *
 * What is kept has a key: all numbers that decide what is in it. This takes for granted that what
 * is read does not change during the launch: plain reads are unordered against what other blocks
 * do, so all that could change it are stores of the block itself that come before the loop or again
 * before it, and ordered operations anywhere in the kernel. With any of these nothing is reused.
 */
#include "cpu/gemm/reuse.h"

#include "cpu/core/fold.h"
#include "cpu/plan/map.h"
#include "cpu/plan/plan.h"
#include "cpu/nest/visit.h"

/* ---- what is read --------------------------------------------------------------------------- */

typedef struct stability {
  lower *l;
  ir_op *loop;
  bool stable;
} stability;

/* Is there a loop around both? */
static bool comes_again(const lower *l, const ir_op *op, const ir_op *loop) {
  for (const ir_op *up = op->block->parent; up && up != l->entry; up = up->block->parent)
    if ((up->opcode == OP_for || up->opcode == OP_loop) && ir_is_inside(loop, up)) return true;
  return false;
}

static bool check_stability(void *user, ir_op *op) {
  stability *s = user;
  switch (ir_effect(op)) {
  case EFFECT_READS:
    s->stable = ir_int_attr(op, ATTR_memory_ordering_semantics) == ORDER_WEAK;
    break;
  case EFFECT_WRITES:
    s->stable = ir_int_attr(op, ATTR_memory_ordering_semantics) == ORDER_WEAK &&
                plan_order_of(s->l, op) > plan_order_of(s->l, s->loop) &&
                !ir_is_inside(op, s->loop) && !comes_again(s->l, op, s->loop);
    break;
  case EFFECT_UPDATES: s->stable = false; break;
  default: break;
  }
  return s->stable;
}

/* Does the same address hold the same whenever a block of this launch enters the loop? */
bool reads_are_stable(lower *l, ir_op *loop) {
  stability s = {.l = l, .loop = loop, .stable = true};
  ir_walk(l->entry, check_stability, &s);
  return s.stable;
}

/* ---- keys ----------------------------------------------------------------------------------- */

/* One more number that decides what the slice holds. False when there are too many. */
static bool add_part(key *x, llv v) {
  if (!v || LLVMIsConstant(v)) return true;
  for (unsigned i = 0; i < x->n; i++)
    if (x->part[i] == v) return true;
  if (x->n == MAX_KEY) return false;
  x->part[x->n++] = v;
  return true;
}

static bool add_access(key *x, const access *a) {
  if (a->memory || !add_part(x, a->exists) || !add_part(x, a->forced)) return false;
  if (a->pointers) return true; /* their parts come by themselves */
  if (!add_part(x, a->base) || !add_part(x, a->index_stride) || !add_part(x, a->index_extent))
    return false;
  for (unsigned i = 0; i < a->n; i++)
    if (!add_part(x, a->stride[i].s)) return false;
  for (unsigned i = 0; i < a->n_bounds; i++)
    if (!add_part(x, a->bounds[i].hi)) return false;
  return true;
}

static bool add_value(void *user, ir_value *v, const index_map *m) {
  key *x = user;
  (void)m;
  value *y = value_of(x->l, v);
  switch (y->kind) {
  case VALUE_SCALAR:
  case VALUE_SHIFTED: return add_part(x, y->scalar);
  case VALUE_BUFFER: return !y->buffer->in_scratch && !y->buffer->memory; /* a constant */
  case VALUE_LAZY: return !y->load || add_access(x, y->load);
  default: return false;
  }
}

static llv as_bits(lower *l, llv v) {
  LLVMTypeRef type = LLVMTypeOf(v);
  if (type == l->e.f32) v = LLVMBuildBitCast(l->e.b, v, l->e.i32, "");
  if (type == l->e.f64) v = LLVMBuildBitCast(l->e.b, v, l->e.i64, "");
  return LLVMGetIntTypeWidth(LLVMTypeOf(v)) == 64 ? v : LLVMBuildZExt(l->e.b, v, l->e.i64, "");
}

bool key_find(lower *l, ir_value *v, key *x) {
  *x = (key){.l = l};
  index_map m = map_identity(tile_bits(v->type));
  if (!visit_expression(l, v, &m, add_value, x)) return false;
  for (unsigned i = 0; i < x->n; i++) x->part[i] = as_bits(l, x->part[i]);
  return true;
}

static llv key_part_address(lower *l, llv at, unsigned i) {
  return emit_offsetk(&l->e, at, 8 * (int64_t)i);
}

llv key_holds(lower *l, const key *x, llv at) {
  llv same =
      LLVMBuildICmp(l->e.b, LLVMIntEQ, LLVMBuildLoad2(l->e.b, l->e.i64, at, ""), k64(l, 1), "");
  for (unsigned i = 0; i < x->n; i++) {
    llv was = LLVMBuildLoad2(l->e.b, l->e.i64, key_part_address(l, at, 1 + i), "");
    same = LLVMBuildAnd(l->e.b, same, LLVMBuildICmp(l->e.b, LLVMIntEQ, was, x->part[i], ""), "");
  }
  return same;
}

void key_write(lower *l, const key *x, llv at) {
  LLVMBuildStore(l->e.b, k64(l, 1), at); /* zeroed keys hold for nothing */
  for (unsigned i = 0; i < x->n; i++)
    LLVMBuildStore(l->e.b, x->part[i], key_part_address(l, at, 1 + i));
}
