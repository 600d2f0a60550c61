/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * if, for, loop and their jumps.
 *
 * A value that control flow carries is, by its kind: nothing (a token), a phi (a scalar), a phi of
 * what has been added so far (a tile of integers or pointers that only moves: VALUE_SHIFTED), or a
 * buffer that each side fills.
 */
#include "opt/nans.h"
#include "llvm/nans.h"
#include "llvm/split.h"

#include "cpu/lower/control.h"

#include "cpu/core/fold.h"
#include "cpu/core/function.h"
#include "cpu/core/notes.h"
#include "cpu/plan/affine.h"
#include "cpu/plan/plan.h"
#include "cpu/plan/scratch.h"
#include "cpu/nest/group.h"
#include "cpu/nest/scalar.h"
#include "cpu/memory/row_forward.h"
#include "cpu/gemm/kblock.h"
#include "cpu/gemm/operand_cache.h"
#include "cpu/lower/lower.h"

typedef enum carried_kind { CARRY_NOTHING, CARRY_SCALAR, CARRY_SHIFT, CARRY_BUFFER } carried_kind;

typedef struct carried {
  uint8_t kind;
  llv phi;
  ir_value *origin; /* SHIFT */
  buffer *buffer;
  bool any_nan;  /* SCALAR: its NaNs are what arithmetic gave, as in a buffer's any_nan */
  bool unfilled; /* BUFFER: nobody reads what is handed over next */
  llv same;      /* BUFFER of a `for`: the address of what all its elements are at first; NULL */
} carried;

typedef struct loop_frame {
  ir_op *op;
  uint32_t n_carried, n_results;
  carried *carried; /* iteration values */
  carried *results; /* of a loop or if; a for's are its iteration values */
  llblock header, exit;
  llv index, more, upper, step, forward; /* for */
  struct loop_frame *outer;
} loop_frame;

static carried_kind kind_of(const ir_type *t) {
  if (t->kind != IR_TILE) return CARRY_NOTHING;
  return t->count == 1 ? CARRY_SCALAR : CARRY_BUFFER;
}

static carried carry(lower *l, const ir_type *t, llblock join) {
  carried c = {.kind = (uint8_t)kind_of(t)};
  if (c.kind == CARRY_SCALAR) c.phi = emit_phi(&l->e, join, emit_elem_type(&l->e, t->elem));
  if (c.kind == CARRY_BUFFER) c.buffer = buffer_new(l, t->elem, FORMAT_LANES, tile_bits(t));
  return c;
}

/* What a value that is carried is from here on. */
static void bind(lower *l, ir_value *v, const carried *c) {
  value *x = value_of(l, v);
  switch (c->kind) {
  case CARRY_NOTHING: x->kind = VALUE_TOKEN; break;
  case CARRY_SCALAR:
    x->kind = VALUE_SCALAR;
    x->scalar = c->any_nan ? lanes_canonical(&l->e, c->phi) : c->phi;
    break;
  case CARRY_SHIFT: {
    affine *a = affine_of(l, c->origin);
    x->kind = VALUE_SHIFTED;
    x->origin = c->origin;
    x->scalar = c->phi;
    x->linear = a ? affine_shifted(l, a, c->phi) : NULL;
    break;
  }
  case CARRY_BUFFER:
    x->kind = VALUE_BUFFER;
    x->buffer = c->buffer;
    x->pending = false;
    break;
  }
}

/* Hands values over at a jump to `join`. Scalars first: they may be made by what is pending. */
static void pass(lower *l, uint32_t n, const carried *to, ir_use *from, llv *shifts, llblock join) {
  ir_value **tiles = arena_array(l->arena, ir_value *, MAX(n, 1));
  buffer **buffers = arena_array(l->arena, buffer *, MAX(n, 1));
  llv *scalars = arena_array(l->arena, llv, MAX(n, 1));
  unsigned count = 0;
  for (uint32_t i = 0; i < n; i++) {
    if (to[i].kind == CARRY_SCALAR) scalars[i] = scalar_of(l, from[i].value);
    if (to[i].any_nan) scalars[i] = lanes_any_nan(scalars[i]);
    if (to[i].kind == CARRY_SHIFT) scalars[i] = shifts[i];
    if (to[i].kind != CARRY_BUFFER || to[i].unfilled) continue;
    tiles[count] = from[i].value;
    buffers[count++] = to[i].buffer;
  }
  materialise_all(l, count, tiles, buffers);
  llblock here = LLVMGetInsertBlock(l->e.b);
  for (uint32_t i = 0; i < n; i++)
    if (to[i].kind == CARRY_SCALAR || to[i].kind == CARRY_SHIFT)
      LLVMAddIncoming(to[i].phi, &scalars[i], &here, 1);
  LLVMBuildBr(l->e.b, join);
}

/* A block that nothing jumps to has phis without values, which LLVM does not like. */
static void drop_empty_phis(llblock block, carried *c, uint32_t n) {
  if (LLVMGetFirstUse(LLVMBasicBlockAsValue(block))) return;
  for (uint32_t i = 0; i < n; i++) {
    if (!c[i].phi) continue;
    llv poison = LLVMGetPoison(LLVMTypeOf(c[i].phi));
    LLVMReplaceAllUsesWith(c[i].phi, poison);
    LLVMInstructionEraseFromParent(c[i].phi);
    c[i].phi = poison;
  }
}

static void results_of(lower *l, ir_op *op, carried *c, llblock join) {
  drop_empty_phis(join, c, op->n_results);
  for (uint32_t i = 0; i < op->n_results; i++) bind(l, ir_result(op, i), &c[i]);
}

/* Tiles that the inside may read in any order must not depend on what has not been emitted. */
static void enter(lower *l, ir_op *op) {
  if (plan_writes(op)) settle_loads(l, plan_order_of(l, op));
  group_flush(l);
}

/* ---- if ------------------------------------------------------------------------------------- */

void lower_if(lower *l, ir_op *op) {
  llv condition = scalar_of(l, ir_operand(op, 0));
  enter(l, op);
  llblock join = lower_new_block(l, "join"), then = lower_new_block(l, "then");
  llblock otherwise = ir_region(op, 1) ? lower_new_block(l, "else") : join;
  loop_frame f = {.op = op, .n_results = op->n_results, .exit = join, .outer = l->frame};
  f.results = arena_array(l->arena, carried, MAX(op->n_results, 1));
  for (uint32_t i = 0; i < op->n_results; i++)
    f.results[i] = carry(l, ir_result(op, i)->type, join);
  split_mark_loop(&l->e, LLVMBuildCondBr(l->e.b, condition, then, otherwise));
  l->frame = &f;
  for (unsigned i = 0; i < 2; i++) {
    if (!ir_region(op, i)) continue;
    LLVMPositionBuilderAtEnd(l->e.b, i ? otherwise : then);
    lower_block(l, ir_region(op, i));
    if (l->failed) return;
  }
  l->frame = f.outer;
  LLVMPositionBuilderAtEnd(l->e.b, join);
  results_of(l, op, f.results, join);
}

/* ---- loops ---------------------------------------------------------------------------------- */

static llv initial_shift(lower *l, const ir_type *t) {
  return LLVMConstNull(emit_elem_type(&l->e, t->elem));
}

/* ---- tiles that start as one number ---------------------------------------------------------- */

/* Writing one number to all elements of a tile and loading it again, for the first round of a loop,
 * takes as long as half a round. So the loads of the first round go to a place that has nothing but
 * that number, whatever their offsets are; only if there is no round the tile is written. */

/* Is v needed for nothing but what the loop carries next, element by element? */
static bool is_carried_on(const ir_value *v, const ir_block *body, unsigned depth) {
  enum { DEPTH = 8 };
  for (const ir_use *u = v->uses; u; u = u->next) {
    const ir_op *op = u->user;
    if (op->block != body) return false;
    if (op->opcode == OP_continue && depth > 0) continue;
    if (depth == DEPTH || !(ir_row(op)->traits & TRAIT_ELEMENTWISE)) return false;
    if (!is_carried_on(ir_result(op, 0), body, depth + 1)) return false;
  }
  return true;
}

/* The address of what all elements are before the loop; NULL: the buffer must be filled. */
static llv find_same(lower *l, const loop_frame *f, const ir_value *arg, ir_value *init,
                     const buffer *b) {
  ir_value *one = f->op->opcode == OP_for ? plan_uniform(init) : NULL;
  const ir_op *op = one ? ir_defining_op(one) : NULL;
  unsigned bits = tsr_elem_bits((tsr_elem)init->type->elem), size = buffer_elem_bytes(b);
  if (!op || op->opcode != OP_constant || bits < 32 || bits != 8 * size ||
      !is_carried_on(arg, ir_region(f->op, 0), 0))
    return NULL;
  char bytes[SAME_BYTES];
  uint64_t pattern = ir_dense_get(ir_get_attr(op, ATTR_value)->dense, 0);
  for (unsigned i = 0; i < SAME_BYTES; i += size) memcpy(bytes + i, &pattern, size);
  return lower_global_bytes(l, bytes, sizeof bytes, BUFFER_ALIGN);
}

/* Fills these tiles if the loop has no round. */
static void fill_without_rounds(lower *l, const loop_frame *f, const ir_use *init, llv any) {
  ir_value **tiles = arena_array(l->arena, ir_value *, MAX(f->n_carried, 1));
  buffer **buffers = arena_array(l->arena, buffer *, MAX(f->n_carried, 1));
  unsigned count = 0;
  int64_t always;
  for (uint32_t i = 0; i < f->n_carried; i++) {
    if (!f->carried[i].same) continue;
    buffer_touch(l, f->carried[i].buffer);
    tiles[count] = init[i].value;
    buffers[count++] = f->carried[i].buffer;
  }
  if (count == 0 || (is_const(any, &always) && always)) return;
  llblock none = lower_new_block(l, "none"), ready = lower_new_block(l, "ready");
  group_flush(l);
  LLVMBuildCondBr(l->e.b, any, ready, none);
  LLVMPositionBuilderAtEnd(l->e.b, none);
  materialise_all(l, count, tiles, buffers);
  lower_go(l, ready);
}

/* In the loop's body. */
static void load_instead(lower *l, const loop_frame *f, llv is_first) {
  for (uint32_t i = 0; i < f->n_carried; i++) {
    buffer *b = f->carried[i].buffer;
    if (!f->carried[i].same) continue;
    b->instead = LLVMBuildSelect(l->e.b, is_first, f->carried[i].same, b->ptr, "");
    b->offset_bits = LLVMBuildSExt(l->e.b, LLVMBuildNot(l->e.b, is_first, ""), l->e.i64, "");
  }
}

static void load_as_ever(const loop_frame *f) {
  for (uint32_t i = 0; i < f->n_carried; i++)
    if (f->carried[i].same) f->carried[i].buffer->instead = NULL;
}

/* Iteration values: phis in the header, with what they are before the first iteration. any: of a
 * `for`, an i1, is there one? */
static void begin_carried(lower *l, loop_frame *f, ir_use *init, ir_value *args, llv any) {
  f->carried = arena_array(l->arena, carried, MAX(f->n_carried, 1));
  llv *shifts = arena_array(l->arena, llv, MAX(f->n_carried, 1));
  for (uint32_t i = 0; i < f->n_carried; i++) {
    const ir_type *t = args[i].type;
    carried *c = &f->carried[i];
    bool moves = is_on(l, PATTERN_SHIFTED_TILES) && kind_of(t) == CARRY_BUFFER;
    if (moves && loop_shifts(l, f->op, i)) {
      NOTE_MATCH(l, SHIFTED_TILES, .value = &args[i], .n = {i});
      value *x = value_of(l, init[i].value);
      if (x->pending) group_flush(l);
      if (!x->linear && x->kind != VALUE_SHIFTED) materialise(l, init[i].value, FORMAT_LANES);
      *c = (carried){.kind = CARRY_SHIFT, .origin = init[i].value};
      c->phi = emit_phi(&l->e, f->header, emit_elem_type(&l->e, t->elem));
      shifts[i] = initial_shift(l, t);
    } else {
      *c = carry(l, t, f->header);
      bool any_nan = opt_loop_nans_are_canonical(f->op, i, init[i].value, true);
      if (c->kind == CARRY_BUFFER)
        c->buffer->any_nan = any_nan;
      else
        c->any_nan = any_nan;
      c->unfilled = kblock_starts_empty(l, f->op, i);
      if (c->kind == CARRY_BUFFER && !c->unfilled) {
        c->same = find_same(l, f, &args[i], init[i].value, c->buffer);
        c->unfilled = c->same != NULL;
      }
    }
  }
  if (any) fill_without_rounds(l, f, init, any);
  pass(l, f->n_carried, f->carried, init, shifts, f->header);
  for (uint32_t i = 0; i < f->n_carried; i++) f->carried[i].unfilled = false;
}

static llv extend_term(lower *l, const shift_term *s, unsigned width, llv v) {
  if (s->op->opcode != OP_offset) return v;
  unsigned bits = tsr_elem_bits(ir_operand(s->op, 0)->type->pointee);
  unsigned from = LLVMGetIntTypeWidth(LLVMTypeOf(v));
  LLVMTypeRef type = LLVMIntTypeInContext(l->e.llvm, width);
  if (from < width) v = LLVMBuildSExt(l->e.b, v, type, "");
  return fold_mul(l, v, k_int(l, width, bits < 8 ? 1 : bits / 8));
}

/* What an iteration adds to the tile that only moves. */
static llv next_shift(lower *l, const carried *c, ir_value *arg, ir_value *next) {
  shift_terms terms = {0};
  plan_shift(l, arg, next, &terms);
  llv sum = c->phi;
  unsigned width = LLVMGetIntTypeWidth(LLVMTypeOf(sum));
  for (uint32_t i = 0; i < terms.len; i++) {
    const shift_term *s = &terms.data[i];
    llv v = extend_term(l, s, width, scalar_of(l, s->value));
    sum = s->negative ? LLVMBuildSub(l->e.b, sum, v, "") : fold_add(l, sum, v);
  }
  return sum;
}

static void pass_carried(lower *l, loop_frame *f, ir_op *jump, ir_value *args) {
  llv *shifts = arena_array(l->arena, llv, MAX(f->n_carried, 1));
  for (uint32_t i = 0; i < f->n_carried; i++)
    if (f->carried[i].kind == CARRY_SHIFT)
      shifts[i] = next_shift(l, &f->carried[i], &args[i], ir_operand(jump, i));
  pass(l, f->n_carried, f->carried, jump->operands, shifts, f->header);
  split_mark_loop(&l->e, LLVMGetBasicBlockTerminator(LLVMGetInsertBlock(l->e.b)));
}

static void touch_carried(lower *l, loop_frame *f) {
  for (uint32_t i = 0; i < f->n_carried; i++)
    if (f->carried[i].kind == CARRY_BUFFER) buffer_touch(l, f->carried[i].buffer);
}

static void lower_body(lower *l, loop_frame *f, uint32_t start) {
  l->frame = f;
  lower_block(l, ir_region(f->op, 0));
  l->frame = f->outer;
  if (l->failed) return;
  touch_carried(l, f);
  scratch_loop_end(l, start);
}

void lower_for(lower *l, ir_op *op) {
  LLVMBuilderRef b = l->e.b;
  ir_block *body = ir_region(op, 0);
  bool is_unsigned = ir_int_attr(op, ATTR_unsignedCmp);
  llv lower_bound = scalar_of(l, ir_operand(op, 0));
  loop_frame f = {.op = op, .outer = l->frame};
  f.upper = scalar_of(l, ir_operand(op, 1));
  f.step = scalar_of(l, ir_operand(op, 2));
  enter(l, op);
  ir_use *init = ir_operand_group(op, 3, &f.n_carried);
  LLVMTypeRef type = LLVMTypeOf(f.upper);
  llv zero = LLVMConstNull(type);
  f.forward = LLVMBuildICmp(b, is_unsigned ? LLVMIntUGT : LLVMIntSGT, f.step, zero, "");
  llv any = LLVMBuildICmp(b, is_unsigned ? LLVMIntULT : LLVMIntSLT, lower_bound, f.upper, "");
  f.header = lower_new_block(l, "for");
  f.exit = lower_new_block(l, "for.end");
  llblock inside = lower_new_block(l, "for.body");
  f.index = emit_phi(&l->e, f.header, type);
  f.more = emit_phi(&l->e, f.header, l->e.i1);
  kblock_begin(l, op, &(for_range){f.index, f.upper, f.step});
  operand_cache_begin(l, op);
  row_forward_begin(l, op);
  begin_carried(l, &f, init, body->args + 1, any);
  llblock before = LLVMGetInsertBlock(b);
  LLVMAddIncoming(f.index, &lower_bound, &before, 1);
  LLVMAddIncoming(f.more, &any, &before, 1);
  uint32_t start = scratch_now(l);
  LLVMPositionBuilderAtEnd(b, f.header);
  for (uint32_t i = 0; i < f.n_carried; i++) bind(l, &body->args[1 + i], &f.carried[i]);
  split_mark_loop(&l->e, LLVMBuildCondBr(b, f.more, inside, f.exit));
  LLVMPositionBuilderAtEnd(b, inside);
  bind(l, &body->args[0], &(carried){.kind = CARRY_SCALAR, .phi = f.index});
  load_instead(l, &f, LLVMBuildICmp(b, LLVMIntEQ, f.index, lower_bound, "is_first"));
  lower_body(l, &f, start);
  load_as_ever(&f);
  if (l->failed) return;
  LLVMPositionBuilderAtEnd(b, f.exit);
  kblock_end(l, op);
  results_of(l, op, f.carried, f.exit);
}

/* The next iteration, unless it is past the end: upper - index is exact as an unsigned number. */
static void continue_for(lower *l, loop_frame *f, ir_op *jump) {
  LLVMBuilderRef b = l->e.b;
  group_flush(l);
  llv rest = LLVMBuildSub(b, f->upper, f->index, "");
  llv more = LLVMBuildICmp(b, LLVMIntUGT, rest, f->step, "");
  more = LLVMBuildAnd(b, more, f->forward, "");
  llv next = LLVMBuildAdd(b, f->index, f->step, "");
  pass_carried(l, f, jump, ir_region(f->op, 0)->args + 1);
  llblock here = LLVMGetInsertBlock(b);
  LLVMAddIncoming(f->index, &next, &here, 1);
  LLVMAddIncoming(f->more, &more, &here, 1);
}

void lower_loop(lower *l, ir_op *op) {
  ir_block *body = ir_region(op, 0);
  loop_frame f = {.op = op, .n_results = op->n_results, .outer = l->frame};
  enter(l, op);
  ir_use *init = ir_operand_group(op, 0, &f.n_carried);
  f.header = lower_new_block(l, "loop.head");
  f.exit = lower_new_block(l, "loop.end");
  f.results = arena_array(l->arena, carried, MAX(op->n_results, 1));
  for (uint32_t i = 0; i < op->n_results; i++)
    f.results[i] = carry(l, ir_result(op, i)->type, f.exit);
  begin_carried(l, &f, init, body->args, NULL);
  uint32_t start = scratch_now(l);
  LLVMPositionBuilderAtEnd(l->e.b, f.header);
  for (uint32_t i = 0; i < f.n_carried; i++) bind(l, &body->args[i], &f.carried[i]);
  lower_body(l, &f, start);
  if (l->failed) return;
  LLVMPositionBuilderAtEnd(l->e.b, f.exit);
  results_of(l, op, f.results, f.exit);
}

/* ---- jumps ---------------------------------------------------------------------------------- */

static loop_frame *innermost_loop(lower *l) {
  loop_frame *f = l->frame;
  while (f && f->op->opcode == OP_if) f = f->outer;
  return f;
}

/* Another tile block, for which this one waits, may need the processor. */
static void let_others_run(lower *l) {
  LLVMTypeRef type = LLVMFunctionType(l->e.void_, &l->e.ptr, 1, 0);
  LLVMBuildCall2(l->e.b, type, lower_hook(l, 4), &l->block, 1, "");
}

static void continue_loop(lower *l, loop_frame *f, ir_op *jump) {
  if (ir_communicates(f->op)) {
    group_flush(l);
    let_others_run(l);
  }
  pass_carried(l, f, jump, ir_region(f->op, 0)->args);
}

void lower_jump(lower *l, ir_op *op) {
  if (op->opcode == OP_return) {
    group_flush(l);
    LLVMBuildBr(l->e.b, l->body_exit);
    return;
  }
  if (op->opcode == OP_yield) {
    pass(l, l->frame->n_results, l->frame->results, op->operands, NULL, l->frame->exit);
    return;
  }
  loop_frame *f = innermost_loop(l);
  if (op->opcode == OP_break)
    pass(l, f->n_results, f->results, op->operands, NULL, f->exit);
  else if (f->op->opcode == OP_for)
    continue_for(l, f, op);
  else
    continue_loop(l, f, op);
}
