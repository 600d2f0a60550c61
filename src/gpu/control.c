/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * if, for, loop and their jumps. A tile that control flow carries is a phi for each of its
 * registers, in the distribution that the plan gives it; every side converts what it hands over.
 */
#include "gpu/control.h"
#include "llvm/nans.h"

#include "gpu/code.h"
#include "gpu/elements.h"
#include "gpu/invariant.h"
#include "gpu/kernel.h"
#include "gpu/placement.h"
#include "gpu/shared.h"
#include "gpu/values.h"
#include "gpu/vendor.h"
#include "simt/vendor.h"

/* A value that is carried; phi NULL: a token, of which nothing remains. */
typedef struct carried {
  ir_value *v;
  simt_dist d;
  unsigned each; /* elements in a word, as they are in memory; 0: a register for each */
  uint32_t n;    /* of phi */
  llv *phi;
  unsigned wide; /* of a for: so many registers are a vector's elements; else 1 */
  llv *vector;   /* phis of these, in whose place `phi` are their elements */
  bool any_nan;  /* NaNs are carried as arithmetic left them; who looks makes them canonical */
} carried;

struct loop_frame {
  ir_op *op;
  uint32_t n_carried, n_results;
  carried *carried; /* iteration values */
  carried *results; /* of a loop or if; a for's are its iteration values */
  llblock header, exit;
  llv index, more, upper, step, forward; /* for */
  pipeline *pipeline;                    /* NULL: it copies nothing ahead */
  hazards at_exit;
  loop_frame *outer;
};

static void add_phis(gen *g, carried *c, uint32_t n, LLVMTypeRef type, llblock join) {
  c->n = n;
  c->phi = arena_array(g->arena, llv, n);
  for (uint32_t i = 0; i < n; i++) c->phi[i] = emit_phi(&g->e, join, type);
}

/* What is loaded and handed on as it is in memory stays so. */
static unsigned elements_in_word(gen *g, const ir_value *v, const ir_value *init) {
  unsigned bits = tsr_elem_bits((tsr_elem)v->type->elem);
  const value *x = init ? value_of(g, init) : NULL;
  bool is_loaded = x && x->kind == VALUE_TILE && !x->t.v && g->placement->is_fused(g, init);
  if (g->plan || !is_loaded || (bits != 8 && bits != 16)) return 0;
  simt_dist d = gpu_dist(g, v);
  return slots_of(&d) % (32 / bits) ? 0 : 32 / bits;
}

static bool is_handle(const ir_value *v) {
  return v->type->kind == IR_SHARED || v->type->kind == IR_MBARRIER;
}

/* `init`: what it is at first; NULL: it comes from several places. */
static carried carry(gen *g, ir_value *v, const ir_value *init, llblock join) {
  carried c = {.v = v, .wide = 1};
  if (is_handle(v)) add_phis(g, &c, 2, g->e.i32, join);
  if (v->type->kind == IR_ASYNC) {
    c.d = gpu_dist(g, v);
    add_phis(g, &c, gpu_words_under_way(g, v), gpu_type_under_way(g, v), join);
  }
  if (v->type->kind != IR_TILE) return c;
  c.d = gpu_dist(g, v);
  c.each = elements_in_word(g, v, init);
  if (c.each)
    add_phis(g, &c, slots_of(&c.d) / c.each, g->e.i32, join);
  else
    add_phis(g, &c, slots_of(&c.d), emit_elem_type(&g->e, (tsr_elem)v->type->elem), join);
  return c;
}

/* Registers that a matrix instruction has as one stay so from iteration to iteration. */
static void carry_vectors(gen *g, carried *c, llblock header) {
  if (!c->phi || c->each || c->v->type->kind != IR_TILE || !g->vendor->carried_together) return;
  unsigned wide = g->vendor->carried_together(g, c->v);
  if (wide < 2 || c->n % wide) return;
  LLVMTypeRef type = LLVMVectorType(LLVMTypeOf(c->phi[0]), wide);
  for (uint32_t i = 0; i < c->n; i++) LLVMInstructionEraseFromParent(c->phi[i]);
  c->wide = wide;
  c->vector = arena_array(g->arena, llv, c->n / wide);
  for (uint32_t i = 0; i < c->n / wide; i++) c->vector[i] = emit_phi(&g->e, header, type);
}

static void take_elements(gen *g, carried *c) {
  for (uint32_t i = 0; i < c->n && c->vector; i++)
    c->phi[i] = LLVMBuildExtractElement(g->e.b, c->vector[i / c->wide], k32(g, i % c->wide), "");
}

static llv join_elements(gen *g, const llv *x, unsigned n) {
  llv all = LLVMGetPoison(LLVMVectorType(LLVMTypeOf(x[0]), n));
  for (unsigned i = 0; i < n; i++) all = LLVMBuildInsertElement(g->e.b, all, x[i], k32(g, i), "");
  return all;
}

static carried *carry_all(gen *g, ir_value *values, uint32_t n, const ir_use *init, llblock join) {
  carried *c = arena_array(g->arena, carried, MAX(n, 1));
  for (uint32_t i = 0; i < n; i++) c[i] = carry(g, &values[i], init ? init[i].value : NULL, join);
  return c;
}

/* What a value that was carried is from here on. */
static void bind(gen *g, ir_value *v, const carried *c) {
  if (is_handle(v))
    gpu_set_storage(g, v, c->phi[0], c->phi[1]);
  else if (v->type->kind == IR_ASYNC)
    gpu_set_under_way(g, v, &c->d, c->phi);
  else if (c->each)
    gpu_set_words(g, v, &c->d, c->phi, c->each);
  else if (c->phi)
    gpu_set(g, v, &c->d, c->phi);
  else
    value_of(g, v)->kind = VALUE_TOKEN;
}

static llv *storage_numbers(gen *g, const ir_value *v) {
  const storage_ref *s = value_of(g, v)->storage;
  llv *r = arena_array(g->arena, llv, 2);
  r[0] = s->base;
  r[1] = s->offset;
  return r;
}

static llv *words_of(gen *g, ir_value *v, const carried *to) {
  tile t = gpu_elements_at(g, v, &to->d);
  llv *r = arena_array(g->arena, llv, to->n);
  for (uint32_t i = 0; i < to->n; i++) {
    llv word = gpu_memory_run(g, (tsr_elem)v->type->elem, &t, i * to->each, to->each);
    r[i] = LLVMBuildBitCast(g->e.b, word, g->e.i32, "");
  }
  return r;
}

static llv *handed_over(gen *g, ir_value *v, const carried *to) {
  if (is_handle(v)) return storage_numbers(g, v);
  if (v->type->kind == IR_ASYNC) return value_of(g, v)->t.v;
  return to->each ? words_of(g, v, to) : gpu_get(g, v, &to->d);
}

/* Hands values over at a jump: first all of them are made, since that may take branches. */
static void pass(gen *g, uint32_t n, const carried *to, ir_use *from, llblock join) {
  llv **made = arena_array(g->arena, llv *, MAX(n, 1));
  for (uint32_t i = 0; i < n; i++) {
    made[i] = to[i].phi ? handed_over(g, from[i].value, &to[i]) : NULL;
    if (to[i].any_nan) made[i] = gpu_any_nan(g, &to[i].d, made[i]);
    if (!to[i].vector) continue;
    llv *vectors = arena_array(g->arena, llv, to[i].n / to[i].wide);
    for (uint32_t k = 0; k < to[i].n; k += to[i].wide)
      vectors[k / to[i].wide] = join_elements(g, made[i] + k, to[i].wide);
    made[i] = vectors;
  }
  llblock here = LLVMGetInsertBlock(g->e.b);
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t k = 0; k < to[i].n / to[i].wide; k++)
      LLVMAddIncoming(to[i].vector ? to[i].vector[k] : to[i].phi[k], &made[i][k], &here, 1);
  LLVMBuildBr(g->e.b, join);
}

/* A block that nothing jumps to has phis without values, which LLVM does not like. */
static void drop_empty_phis(llblock block, carried *c, uint32_t n) {
  if (LLVMGetFirstUse(LLVMBasicBlockAsValue(block))) return;
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t k = 0; k < c[i].n; k++) {
      llv poison = LLVMGetPoison(LLVMTypeOf(c[i].phi[k]));
      LLVMReplaceAllUsesWith(c[i].phi[k], poison);
      LLVMInstructionEraseFromParent(c[i].phi[k]);
      c[i].phi[k] = poison;
    }
}

static void results_of(gen *g, ir_op *op, carried *c, llblock join) {
  drop_empty_phis(join, c, op->n_results);
  for (uint32_t i = 0; i < op->n_results; i++) bind(g, ir_result(op, i), &c[i]);
}

/* The same where NaNs are as arithmetic left them. */
static void bind_canonical(gen *g, ir_value *v, const carried *c) {
  llv *r = gpu_registers(g, &c->d);
  for (uint32_t k = 0; k < slots_of(&c->d); k++) r[k] = lanes_canonical(&g->e, c->phi[k]);
  gpu_set(g, v, &c->d, r);
}

/* What a `for` hands on at this position may be any NaN, until its end. */
static bool ends_canonical(ir_op *op, uint32_t i) {
  const ir_value *arg = &ir_region(op, 0)->args[1 + i];
  if (arg->type->kind != IR_TILE || arg->type->elem == TSR_I32) return false;
  return simt_carries_canonical(op, i);
}

static void for_results(gen *g, ir_op *op, carried *c, llblock join) {
  drop_empty_phis(join, c, op->n_results);
  for (uint32_t i = 0; i < op->n_results; i++) {
    ir_value *v = ir_result(op, i);
    if (c[i].phi && !c[i].each && ends_canonical(op, i))
      bind_canonical(g, v, &c[i]);
    else
      bind(g, v, &c[i]);
  }
}

/* ---- if ------------------------------------------------------------------------------------- */

void gpu_if(gen *g, ir_op *op) {
  llv condition = gpu_scalar(g, ir_operand(op, 0));
  llblock join = gpu_new_block(g, "join"), then = gpu_new_block(g, "then");
  llblock otherwise = ir_region(op, 1) ? gpu_new_block(g, "else") : join;
  loop_frame f = {.op = op, .n_results = op->n_results, .exit = join, .outer = g->frame};
  f.results = carry_all(g, op->results, op->n_results, NULL, join);
  hazards before = g->now;
  if (!ir_region(op, 1)) f.at_exit = before;
  LLVMBuildCondBr(g->e.b, condition, then, otherwise);
  g->frame = &f;
  for (unsigned i = 0; i < 2; i++) {
    if (!ir_region(op, i)) continue;
    LLVMPositionBuilderAtEnd(g->e.b, i ? otherwise : then);
    g->now = before;
    gpu_block(g, ir_region(op, i));
    if (g->failed) return;
  }
  g->frame = f.outer;
  g->now = f.at_exit;
  LLVMPositionBuilderAtEnd(g->e.b, join);
  results_of(g, op, f.results, join);
}

/* ---- groups of threads ---------------------------------------------------------------------- */

/* The others have nothing of what the body yields. */
static void skip_results(const loop_frame *f, llblock from) {
  for (uint32_t i = 0; i < f->n_results; i++)
    for (uint32_t k = 0; k < f->results[i].n; k++) {
      llv phi = f->results[i].phi[k], nothing = LLVMGetPoison(LLVMTypeOf(phi));
      LLVMAddIncoming(phi, &nothing, &from, 1);
    }
}

void gpu_part(gen *g, ir_op *op, llv inside, void (*begin)(gen *g, const ir_op *op)) {
  llblock body = gpu_new_block(g, "group"), join = gpu_new_block(g, "group.end");
  loop_frame f = {.op = op, .n_results = op->n_results, .exit = join, .outer = g->frame};
  f.results = carry_all(g, op->results, op->n_results, NULL, join);
  if (inside) {
    skip_results(&f, LLVMGetInsertBlock(g->e.b));
    LLVMBuildCondBr(g->e.b, inside, body, join);
  } else {
    LLVMBuildBr(g->e.b, body);
  }
  LLVMPositionBuilderAtEnd(g->e.b, body);
  begin(g, op);
  g->frame = &f;
  gpu_block(g, ir_region(op, 0));
  g->frame = f.outer;
  if (g->failed) return;
  g->now = f.at_exit;
  LLVMPositionBuilderAtEnd(g->e.b, join);
  results_of(g, op, f.results, join);
}

/* ---- loops ---------------------------------------------------------------------------------- */

typedef struct events {
  const gen *g;
  hazards seen;
} events;

static bool what_happens(void *user, ir_op *op) {
  events *e = user;
  hazards *h = &e->seen;
  const simt_vendor *plans = e->g->plan ? e->g->plan->target.vendor : NULL;
  if (plans && plans->store_bytes && plans->store_bytes(e->g->plan, op))
    h->async_reads = h->async_stores = true;
  h->loaded |= effect_reads(ir_effect(op));
  h->stored |= effect_writes(ir_effect(op));
  return true;
}

/* At the head of a loop anything may have happened that an iteration does. */
static void enter(gen *g, ir_op *op) {
  events e = {.g = g, .seen = {.shared_read = true}};
  ir_walk(op, what_happens, &e);
  g->now = gpu_either(g->now, e.seen);
}

/* A `for` while it is made, part by part. */
typedef struct for_loop {
  ir_op *op;
  ir_block *body;
  ir_use *init;
  loop_frame f;
  loop_bounds bounds;
  pipeline *p; /* NULL: it copies nothing ahead */
  const ir_value *late;
} for_loop;

static void find_bounds(gen *g, for_loop *l) {
  LLVMBuilderRef b = g->e.b;
  loop_frame *f = &l->f;
  loop_bounds *at = &l->bounds;
  bool is_unsigned = ir_int_attr(l->op, ATTR_unsignedCmp);
  at->lower = gpu_scalar(g, ir_operand(l->op, 0));
  at->upper = f->upper = gpu_scalar(g, ir_operand(l->op, 1));
  at->step = f->step = gpu_scalar(g, ir_operand(l->op, 2));
  llv zero = LLVMConstNull(LLVMTypeOf(f->upper));
  f->forward = LLVMBuildICmp(b, is_unsigned ? LLVMIntUGT : LLVMIntSGT, f->step, zero, "");
  at->forward = f->forward;
  at->any = LLVMBuildICmp(b, is_unsigned ? LLVMIntULT : LLVMIntSLT, at->lower, f->upper, "");
}

/* The loop's head: what iterations hand on, and whether there is another. */
static void open_for(gen *g, for_loop *l) {
  LLVMBuilderRef b = g->e.b;
  loop_frame *f = &l->f;
  ir_value *values = l->body->args + 1;
  f->header = gpu_new_block(g, "for");
  f->exit = gpu_new_block(g, "for.end");
  llblock inside = gpu_new_block(g, "for.body");
  f->index = emit_phi(&g->e, f->header, LLVMTypeOf(f->upper));
  f->more = emit_phi(&g->e, f->header, g->e.i1);
  f->carried = carry_all(g, values, f->n_carried, l->init, f->header);
  for (uint32_t i = 0; i < f->n_carried; i++) carry_vectors(g, &f->carried[i], f->header);
  for (uint32_t i = 0; i < f->n_carried; i++) /* what only a product uses is its own affair */
    f->carried[i].any_nan =
        !f->carried[i].each && ends_canonical(l->op, i) && !simt_accumulates(&values[i]);
  pass(g, f->n_carried, f->carried, l->init, f->header);
  llblock before = LLVMGetInsertBlock(b);
  LLVMAddIncoming(f->index, &l->bounds.lower, &before, 1);
  LLVMAddIncoming(f->more, &l->bounds.any, &before, 1);
  LLVMPositionBuilderAtEnd(b, f->header);
  gpu_loop_open(g, before, f->header);
  if (l->p) g->vendor->loop_head(g, l->p, before);
  enter(g, l->op);
  f->at_exit = g->now;
  LLVMBuildCondBr(b, f->more, inside, f->exit);
  LLVMPositionBuilderAtEnd(b, inside);
  for (uint32_t i = 0; i < f->n_carried; i++) take_elements(g, &f->carried[i]);
  for (uint32_t i = 0; i < f->n_carried; i++) bind(g, &values[i], &f->carried[i]);
}

static void for_body(gen *g, for_loop *l) {
  loop_frame *f = &l->f;
  for (uint32_t i = 0; i < f->n_carried; i++)
    if (f->carried[i].any_nan && f->carried[i].v != l->late)
      bind_canonical(g, &l->body->args[1 + i], &f->carried[i]);
  if (l->p) g->vendor->loop_body(g, l->p);
  gpu_set_scalar(g, &l->body->args[0], f->index);
  g->frame = f;
  gpu_block(g, l->body);
  if (l->p) g->vendor->loop_body_end(l->p);
  g->frame = f->outer;
}

static void close_for(gen *g, for_loop *l) {
  loop_frame *f = &l->f;
  gpu_loop_close(g);
  if (l->p) g->vendor->loop_close(g, l->p);
  if (g->failed) return;
  g->now = f->at_exit;
  LLVMPositionBuilderAtEnd(g->e.b, f->exit);
  llv *late = l->late ? f->carried[l->late->index - 1].phi : NULL;
  if (l->p) g->vendor->loop_end(g, l->p, late);
  for (uint32_t i = 0; i < f->n_carried; i++) take_elements(g, &f->carried[i]); /* here again */
  for_results(g, l->op, f->carried, f->exit);
}

/* `plan`: the loop copies ahead; NULL: it doesn't. */
static void make_for(gen *g, ir_op *op, const simt_pipeline *plan) {
  for_loop l = {.op = op, .body = ir_region(op, 0)};
  l.f = (loop_frame){.op = op, .outer = g->frame};
  l.init = ir_operand_group(op, 3, &l.f.n_carried);
  find_bounds(g, &l);
  if (plan) l.f.pipeline = l.p = g->vendor->loop_begin(g, plan, &l.bounds);
  if (l.p) l.late = g->vendor->loop_late(l.p);
  open_for(g, &l);
  for_body(g, &l);
  close_for(g, &l);
}

/* One of two ways to make a loop: its results are handed on to where both meet. */
static void make_way(gen *g, ir_op *op, const simt_pipeline *plan, llblock begin, loop_frame *both,
                     hazards before) {
  uint32_t mark = g->cache.made.len;
  if (g->failed) return;
  LLVMPositionBuilderAtEnd(g->e.b, begin);
  g->now = before;
  make_for(g, op, plan);
  if (g->failed) return;
  llblock here = LLVMGetInsertBlock(g->e.b);
  for (uint32_t i = 0; i < op->n_results; i++) {
    if (!both->results[i].phi) continue;
    tile t = value_of(g, ir_result(op, i))->t;
    if (ends_canonical(op, i)) t.v = gpu_any_nan(g, &t.d, t.v);
    for (uint32_t k = 0; k < slots_of(&t.d); k++)
      LLVMAddIncoming(both->results[i].phi[k], &t.v[k], &here, 1);
  }
  LLVMBuildBr(g->e.b, both->exit);
  both->at_exit = gpu_either(both->at_exit, g->now);
  gpu_forget(g, mark); /* what was made on this way is not there on the other */
}

/* A loop that copies ahead where chunks of memory turn out to be aligned, and one that doesn't for
 * where they are not. */
void gpu_for(gen *g, ir_op *op) {
  const simt_pipeline *plan = g->private_ || !g->plan ? NULL : simt_pipeline_of(g->plan, op);
  if (plan && g->vendor->loop_is_plain && g->vendor->loop_is_plain(g, plan)) plan = NULL;
  llv test = plan ? g->vendor->loop_test(g, plan) : NULL;
  if (!test) {
    make_for(g, op, plan);
    return;
  }
  llblock ahead = gpu_new_block(g, "ahead"), plain = gpu_new_block(g, "plain");
  loop_frame both = {.n_results = op->n_results, .exit = gpu_new_block(g, "both")};
  both.results = carry_all(g, op->results, op->n_results, NULL, both.exit);
  hazards before = g->now;
  LLVMBuildCondBr(g->e.b, test, ahead, plain);
  make_way(g, op, plan, ahead, &both, before);
  make_way(g, op, NULL, plain, &both, before);
  if (g->failed) return;
  g->now = both.at_exit;
  LLVMPositionBuilderAtEnd(g->e.b, both.exit);
  for_results(g, op, both.results, both.exit);
}

/* upper - index is exact as an unsigned number. */
llv gpu_has_next(gen *g, llv index, llv upper, llv step, llv forward) {
  llv rest = LLVMBuildSub(g->e.b, upper, index, "");
  llv more = LLVMBuildICmp(g->e.b, LLVMIntUGT, rest, step, "");
  return LLVMBuildAnd(g->e.b, more, forward, "");
}

static void continue_for(gen *g, loop_frame *f, ir_op *jump) {
  LLVMBuilderRef b = g->e.b;
  llv more = gpu_has_next(g, f->index, f->upper, f->step, f->forward);
  llv next = add_of(g, f->index, f->step);
  if (f->pipeline) g->vendor->loop_next(g, f->pipeline);
  pass(g, f->n_carried, f->carried, jump->operands, f->header);
  llblock here = LLVMGetInsertBlock(b);
  LLVMAddIncoming(f->index, &next, &here, 1);
  LLVMAddIncoming(f->more, &more, &here, 1);
  if (f->pipeline) g->vendor->loop_continue(f->pipeline, here);
}

void gpu_loop(gen *g, ir_op *op) {
  ir_block *body = ir_region(op, 0);
  loop_frame f = {.op = op, .n_results = op->n_results, .outer = g->frame};
  ir_use *init = ir_operand_group(op, 0, &f.n_carried);
  f.header = gpu_new_block(g, "loop");
  f.exit = gpu_new_block(g, "loop.end");
  f.results = carry_all(g, op->results, op->n_results, NULL, f.exit);
  f.carried = carry_all(g, body->args, f.n_carried, init, f.header);
  pass(g, f.n_carried, f.carried, init, f.header);
  gpu_loop_open(g, LLVMGetInsertBlock(g->e.b), f.header);
  LLVMPositionBuilderAtEnd(g->e.b, f.header);
  enter(g, op);
  for (uint32_t i = 0; i < f.n_carried; i++) bind(g, &body->args[i], &f.carried[i]);
  g->frame = &f;
  gpu_block(g, body);
  g->frame = f.outer;
  gpu_loop_close(g);
  if (g->failed) return;
  g->now = f.at_exit;
  LLVMPositionBuilderAtEnd(g->e.b, f.exit);
  results_of(g, op, f.results, f.exit);
}

/* ---- jumps ---------------------------------------------------------------------------------- */

static loop_frame *innermost_loop(gen *g) {
  loop_frame *f = g->frame;
  while (f && f->op->opcode == OP_if) f = f->outer;
  return f;
}

void gpu_jump(gen *g, ir_op *op) {
  if (op->opcode == OP_return) {
    g->vendor->leave(g);
    LLVMBuildBr(g->e.b, g->exit);
    return;
  }
  loop_frame *f = op->opcode == OP_yield ? g->frame : innermost_loop(g);
  if (op->opcode == OP_continue && !g->plan && g->vendor->next_iteration)
    g->vendor->next_iteration(g, f->op, op);
  if (op->opcode == OP_continue && f->op->opcode == OP_for) {
    continue_for(g, f, op);
  } else if (op->opcode == OP_continue) {
    pass(g, f->n_carried, f->carried, op->operands, f->header);
  } else {
    pass(g, f->n_results, f->results, op->operands, f->exit);
    f->at_exit = gpu_either(f->at_exit, g->now);
  }
}
