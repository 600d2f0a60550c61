/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The search for what a load reads goes backwards from the load, out of its block, and through
 * loops that write to the memory: back through their earlier iterations, and then through what
 * comes before them.
 */
#include "block/forward.h"

#include "block/iterations.h"
#include "block/parts.h"
#include "ir/roots.h"
#include "opt/rewrite.h"

enum {
  MAX_STEPS = 8192,  /* operations that are looked at for one load */
  MAX_DISTANCE = 64, /* iterations that a copy may be ahead, and those of a loop in front */
};

/* What left in memory what a load reads. */
typedef struct origin {
  ir_op *write; /* store_shared or cp_async */
  iteration at;
  bool stirred; /* global memory may have been written since */
} origin;

typedef VEC(ir_op *) accesses;

typedef struct forwarder {
  const block_lowering *x;
  map stirs;  /* operations that write global memory, or have such ones in them */
  map writes; /* the same for the allocation at hand */
  accesses stores, loads;
} forwarder;

typedef struct search {
  const forwarder *f;
  const ir_op *load;
  part read;
  iteration reader; /* when the load is executed */
  ir_op *through;   /* the loop whose iterations are gone back through; NULL */
  unsigned left;
  bool stirred;
} search;

typedef enum found { NOTHING, HIT, FAIL } found;

/* ---- what the kernel does ------------------------------------------------------------------- */

static bool is_copied_from(const ir_value *view) {
  for (const ir_use *u = view->uses; u; u = u->next)
    if (u->user->opcode == OP_cp_async) return true;
  return false;
}

/* Is nothing copied from what lies at a pointer, or at a place behind it? */
static bool is_not_copied(const ir_value *pointer) {
  for (const ir_use *u = pointer->uses; u; u = u->next) {
    const ir_op *user = u->user;
    if (user->opcode == OP_reshape) continue; /* what is loaded through pointers */
    bool is_view = user->opcode == OP_make_tensor_view,
         moves = user->opcode == OP_offset || user->opcode == OP_ptr_to_ptr;
    if (is_view ? is_copied_from(ir_result(user, 0)) : !moves || !is_not_copied(ir_result(user, 0)))
      return false;
  }
  return true;
}

/* Whether an operation stores to an alloca that nothing copies from, as the lowering makes them. */
static bool stores_to_scratch(const ir_op *op) {
  const ir_op *view = op->opcode == OP_store_global ? ir_defining_op(ir_accessed(op)) : NULL;
  const ir_op *memory =
      view && view->opcode == OP_make_tensor_view ? ir_defining_op(ir_operand(view, 0)) : NULL;
  return memory && memory->opcode == OP_alloca && is_not_copied(ir_result(memory, 0));
}

static bool stirs_global(const ir_op *op) {
  if (op->opcode >= OP_COUNT) return ir_row(op)->writes & MEMORY_GLOBAL && !stores_to_scratch(op);
  switch (ir_effect(op)) {
  case EFFECT_READS: return ir_int_attr(op, ATTR_memory_ordering_semantics) != ORDER_WEAK;
  case EFFECT_NONE:
  case EFFECT_ALLOCATES:
  case EFFECT_OBSERVED:
  case EFFECT_REGIONS: return false;
  default: return true;
  }
}

/* With all that the operation is in. */
static void mark(const forwarder *f, map *marks, ir_op *op) {
  for (; op != f->x->entry; op = op->block->parent) {
    uintptr_t *slot = map_put(f->x->arena, marks, (uintptr_t)op);
    if (*slot) return;
    *slot = 1;
  }
}

static bool mark_stirring(void *user, ir_op *op) {
  forwarder *f = user;
  if (stirs_global(op) && !ir_is_terminator(op) && op != f->x->entry) mark(f, &f->stirs, op);
  return true;
}

static bool is_marked(const map *marks, const ir_op *op) {
  return map_get(marks, (uintptr_t)op) != NULL;
}

/* ---- places --------------------------------------------------------------------------------- */

/* Where what is read lies in what was written. */
typedef enum relation { APART, WITHIN, UNKNOWN } relation;

typedef struct spot {
  bool whole; /* all of the dimension was written, so it is where the load's part begins */
  int64_t from;
} spot;

/* Values of the loop that is gone back through are others in an earlier iteration. */
static bool is_settled(const search *s, const sum *a) {
  return !a->failed && (!s->through || sum_is_outside(a, s->through, true));
}

static relation relate_dim(const search *s, const part *written, iteration at, unsigned d,
                           spot *out) {
  const struct part_dim *w = &written->dim[d], *r = &s->read.dim[d];
  *out = (spot){.whole = w->size == w->whole};
  if (out->whole) return WITHIN;
  const block_lowering *x = s->f->x;
  uint64_t n = (uint64_t)w->whole, from;
  sum a = iteration_sum(x, part_start(x, &s->read, d, n), s->reader);
  sum b = iteration_sum(x, part_start(x, written, d, n), at);
  if (!is_settled(s, &a) || !is_settled(s, &b) || !sum_difference(&a, &b, &from)) return UNKNOWN;
  out->from = (int64_t)from;
  if (out->from + r->size <= w->size) return WITHIN;
  return out->from >= w->size && w->whole - out->from >= r->size ? APART : UNKNOWN;
}

/* Parts lie inside of their allocation, so that equal modulo its size is equal. */
static relation relate(const search *s, const ir_op *write, iteration at, spot *places) {
  part written;
  part_of(part_storage(write), &written);
  relation all = WITHIN;
  for (unsigned d = 0; d < written.rank; d++) {
    relation one = relate_dim(s, &written, at, d, &places[d]);
    if (one == APART) return APART;
    if (one == UNKNOWN) all = UNKNOWN;
  }
  return all;
}

/* ---- conditions ----------------------------------------------------------------------------- */

/* How far back from the counter of the load's iteration the loop has certainly been. */
static int64_t steps_back(const search *s, iteration at) {
  int64_t step = 1;
  ir_constant_int(ir_operand(s->through, 2), &step);
  if (s->reader.loop) return s->reader.steps * step;
  return at.loop == s->through && !at.from_start ? -at.steps * step : 0;
}

/* Of `bound - shift > low`: shift is the counter of an iteration that there was, so nothing wraps.
 */
static bool takes_counter(const search *s, const sum *shift, const sum *low, const sum *now,
                          iteration at) {
  uint64_t back, least;
  sum none = sum_number(low->modulus, 0);
  unsigned bits = tsr_elem_bits((tsr_elem)ir_counter(s->through)->type->elem);
  if (!sum_difference(now, shift, &back) || !sum_difference(low, &none, &least)) return false;
  int64_t by = num_sext(back, bits), number = num_sext(least, bits);
  return by >= 0 && by <= steps_back(s, at) && number >= 0 &&
         facts_of(s->f->x->known, ir_counter(s->through)).min >= 0;
}

/* Of an if around a copy: that it held in the iteration `at`, because the load is executed in a
 * later one. if (i + 3 < n), or if (n - i > 3), in iteration i - 3 of a loop up to n did. */
static bool held_compare(const search *s, const ir_op *cmp, iteration at) {
  int64_t p = ir_int_attr(cmp, ATTR_comparison_predicate);
  if (p < CMP_LESS) return false;
  bool turned = p == CMP_GREATER || p == CMP_GREATER_EQUAL;
  int64_t most = p == CMP_LESS_EQUAL || p == CMP_GREATER_EQUAL; /* beyond the counter */
  const block_lowering *x = s->f->x;
  ir_value *less = ir_operand(cmp, turned), *more = ir_operand(cmp, !turned);
  ir_value *counter = ir_counter(s->through);
  if (less->type != counter->type) return false;
  uint64_t modulus = sum_modulus_of(less->type), zero, beyond;
  sum bound = sum_of(x, ir_operand(s->through, 1), modulus);
  sum limit = iteration_sum(x, sum_of(x, more, modulus), at);
  sum low = iteration_sum(x, sum_of(x, less, modulus), at);
  sum now = iteration_sum(x, sum_value(modulus, counter), s->reader);
  if (!is_settled(s, &limit) || !is_settled(s, &low)) return false;
  sum shift = bound;
  sum_add(&shift, &limit, -1);
  bool is_bound = sum_difference(&limit, &bound, &zero) && !zero;
  if (!is_bound && !takes_counter(s, &shift, &low, &now, at)) return false;
  if (!is_bound) sum_add(&low, &shift, 1);
  if (!sum_difference(&low, &now, &beyond)) return false;
  int64_t by = num_sext(beyond, tsr_elem_bits((tsr_elem)less->type->elem));
  fact f = facts_of(x->known, counter);
  bool is_signed = ir_int_attr(cmp, ATTR_signedness) == SIGN_SIGNED;
  int64_t lowest = is_signed ? num_int_min(tsr_elem_bits((tsr_elem)less->type->elem)) : 0;
  if (by > most || by < -MAX_DISTANCE * (int64_t)INT32_MAX) return false;
  return !ir_int_attr(s->through, ATTR_unsignedCmp) &&
         (!is_bound || by > 0 || f.min >= lowest - by);
}

static bool held(const search *s, const ir_value *condition, iteration at) {
  const ir_op *op = ir_defining_op(condition);
  if (!op || !s->through) return false;
  if (op->opcode == OP_andi)
    return held(s, ir_operand(op, 0), at) && held(s, ir_operand(op, 1), at);
  return op->opcode == OP_cmpi && held_compare(s, op, at);
}

/* ---- backwards ------------------------------------------------------------------------------ */

static found scan(search *s, ir_op *last, iteration at, origin *out);

/* The iterations of a loop in front, of which there is a known number, from the last one on. */
static found scan_loop(search *s, ir_op *loop, iteration at, origin *out) {
  int64_t low, high, step;
  ir_block *body = loop->regions[0];
  if (at.loop || loop->opcode != OP_for || has_early_exit(body)) return FAIL;
  if (!ir_constant_int(ir_operand(loop, 0), &low) || !ir_constant_int(ir_operand(loop, 1), &high) ||
      !ir_constant_int(ir_operand(loop, 2), &step) || step < 1 || low < 0)
    return FAIL;
  int64_t n = high <= low ? 0 : (high - low - 1) / step + 1;
  if (n > MAX_DISTANCE) return FAIL;
  found so_far = NOTHING;
  for (int64_t k = n; k-- > 0 && so_far == NOTHING;)
    so_far = scan(s, body->last, (iteration){loop, true, k}, out);
  return so_far;
}

static found scan_if(search *s, ir_op *branch, iteration at, origin *out) {
  if (can_leave(branch) || branch->n_regions == 0) return FAIL;
  found then = scan(s, branch->regions[0]->last, at, out);
  if (then == HIT && !held(s, ir_operand(branch, 0), at)) return FAIL;
  ir_block *other = ir_region(branch, 1);
  if (then == FAIL || !other) return then;
  origin unused;
  return scan(s, other->last, at, &unused) == NOTHING ? then : FAIL;
}

static found scan_op(search *s, ir_op *op, iteration at, origin *out) {
  if (op->opcode == OP_for) return scan_loop(s, op, at, out);
  if (op->opcode == OP_if) return scan_if(s, op, at, out);
  if (op->n_regions) return FAIL;
  spot places[TSR_LAYOUT_MAX_RANK];
  relation r = relate(s, op, at, places);
  if (r == APART) return NOTHING;
  *out = (origin){op, at, s->stirred};
  return r == WITHIN ? HIT : FAIL;
}

/* From an operation (NULL: there is none) back to the beginning of its block. */
static found scan(search *s, ir_op *last, iteration at, origin *out) {
  for (ir_op *op = last; op; op = op->prev) {
    if (s->left-- == 0) return FAIL;
    s->stirred |= is_marked(&s->f->stirs, op);
    if (!is_marked(&s->f->writes, op)) continue;
    found here = scan_op(s, op, at, out);
    if (here != NOTHING) return here;
  }
  return NOTHING;
}

/* Operations that precede `op`, outwards, up to a loop that writes. */
static found scan_outwards(search *s, ir_op *op, ir_op **loop, origin *out) {
  for (;;) {
    found here = scan(s, op->prev, (iteration){0}, out);
    op = op->block->parent;
    if (here != NOTHING || op == s->f->x->entry) return here == NOTHING ? FAIL : here;
    s->stirred |= is_marked(&s->f->stirs, op);
    if (op->opcode != OP_if && is_marked(&s->f->writes, op)) {
      *loop = op;
      return NOTHING;
    }
  }
}

/* ---- pipelines ------------------------------------------------------------------------------ */

/* After so many iterations places repeat, as they are sums modulo the allocation's sizes. */
static int64_t period_of(const search *s) {
  int64_t n = 1;
  for (uint32_t i = 0; i < s->f->stores.len; i++) {
    part w;
    part_of(part_storage(s->f->stores.data[i]), &w);
    for (unsigned d = 0; d < w.rank && n <= MAX_DISTANCE; d++)
      if (w.dim[d].size != w.dim[d].whole) n = sum_common_multiple(n, w.dim[d].whole);
  }
  return n;
}

static bool same_offsets(const search *s, const origin *a, const origin *b) {
  uint32_t n, n_b;
  const block_lowering *x = s->f->x;
  const ir_use *p = ir_operand_group(a->write, 1, &n), *q = ir_operand_group(b->write, 1, &n_b);
  if (ir_operand(a->write, 0) != ir_operand(b->write, 0) || n != n_b) return false;
  for (uint32_t d = 0; d < n; d++)
    if (!iteration_same(x, p[d].value, a->at, q[d].value, b->at)) return false;
  return true;
}

/* Both copies must leave it in the same place of what they write. */
static bool same_places(const search *s, const origin *a, iteration reader_a, const origin *b,
                        iteration reader_b) {
  spot p[TSR_LAYOUT_MAX_RANK], q[TSR_LAYOUT_MAX_RANK];
  search of_a = *s, of_b = *s;
  of_a.reader = reader_a, of_b.reader = reader_b;
  if (relate(&of_a, a->write, a->at, p) != WITHIN || relate(&of_b, b->write, b->at, q) != WITHIN)
    return false;
  for (unsigned d = 0; d < s->read.rank; d++)
    if (p[d].whole != q[d].whole || p[d].from != q[d].from) return false;
  return true;
}

/* In the loop's iteration `t` the load is of what was copied in front of it, as the loop's own copy
 * would have been `distance` iterations earlier. */
static bool begins_alike(search *s, const origin *own, int64_t t, int64_t distance) {
  ir_op *loop = s->through, *outer;
  origin first, as_own = *own;
  s->reader = (iteration){loop, true, t};
  if (scan_outwards(s, loop, &outer, &first) != HIT || first.write->opcode != OP_cp_async)
    return false;
  as_own.at = (iteration){loop, true, t - distance};
  bool alike =
      same_offsets(s, &as_own, &first) && same_places(s, own, (iteration){0}, &first, s->reader);
  s->reader = (iteration){0};
  return alike;
}

/* Whether offsets of a copy in the loop can be computed for another iteration. */
static bool can_move(const search *s, const ir_op *copy) {
  uint32_t n;
  const ir_use *p = ir_operand_group(copy, 1, &n);
  const ir_value *view = ir_operand(copy, 0);
  const ir_block *body = s->through->regions[0];
  if (view->is_arg ? is_inside(view->owner.block->parent, body) || view->owner.block == body
                   : is_inside(view->owner.op, body))
    return false;
  for (uint32_t d = 0; d < n; d++)
    if (!iteration_has(s->f->x, p[d].value, (iteration){s->through, false, 0})) return false;
  return true;
}

/* NOTHING: no iteration writes where the load reads. */
static found scan_iterations(search *s, ir_op *loop, origin *out) {
  int64_t step, period = period_of(s);
  ir_block *body = loop->regions[0];
  if (loop->opcode != OP_for || has_early_exit(body) || body->last->opcode != OP_continue ||
      !ir_constant_int(ir_operand(loop, 2), &step) || step < 1 || period > MAX_DISTANCE)
    return FAIL;
  s->through = loop;
  int64_t d = 1;
  found here = NOTHING;
  for (; d <= period && here == NOTHING; d++)
    here = scan(s, body->last, (iteration){loop, false, -d}, out);
  if (here == NOTHING) s->through = NULL;
  if (here != HIT) return here;
  bool alike = out->write->opcode == OP_cp_async && !s->stirred && can_move(s, out->write);
  for (int64_t t = 0, distance = d - 1; alike && t < distance; t++)
    alike = begins_alike(s, out, t, distance);
  return alike && !s->stirred ? HIT : FAIL;
}

static bool find_origin(const forwarder *f, ir_op *load, origin *out) {
  search s = {.f = f, .load = load, .left = MAX_STEPS};
  if (!part_of(part_storage(load), &s.read)) return false;
  for (ir_op *op = load, *loop;; op = loop) {
    found here = scan_outwards(&s, op, &loop, out);
    if (here == NOTHING) here = scan_iterations(&s, loop, out);
    if (here != NOTHING) return here == HIT;
  }
}

/* ---- what loads become ---------------------------------------------------------------------- */

/* Where the load's part begins in what was written, along a dimension of the allocation. */
static sum start_within(const search *s, unsigned d, spot p) {
  uint64_t modulus = UINT64_C(1) << 32;
  return p.whole ? part_start(s->f->x, &s->read, d, modulus) : sum_number(modulus, p.from);
}

static bool is_copied_again(const origin *o) {
  return o->write->opcode == OP_cp_async && !o->stirred;
}

/* Parts of values are slices at multiples of their size. */
static bool can_slice(const search *s, const part *w, const origin *o, const spot *places) {
  if (o->at.loop) return false;
  for (unsigned i = 0; i < w->own_rank; i++) {
    unsigned d = w->of[i];
    sum start = start_within(s, d, places[d]);
    if (s->read.dim[d].size != w->dim[d].size &&
        !sum_is_multiple(&start, (uint64_t)s->read.dim[d].size))
      return false;
  }
  return true;
}

/* Whether the copy's offsets are sums of values that the load may use. */
static bool can_copy_again(const search *s, const part *w, const origin *o, const spot *places) {
  uint32_t n;
  const ir_use *p = ir_operand_group(o->write, 1, &n);
  const block_lowering *x = s->f->x;
  for (uint32_t i = 0; i < n; i++) {
    unsigned d = w->of[i];
    bool moves = !places[d].whole ? places[d].from != 0 : s->read.dim[d].n != 0;
    if (moves && tsr_elem_bits((tsr_elem)p[i].value->type->elem) < 32) return false;
    if (!iteration_has(x, p[i].value, o->at)) return false;
  }
  return true;
}

/* One load and where it gets its value from. */
typedef struct plan {
  search s;
  origin o;
  part written;
  spot places[TSR_LAYOUT_MAX_RANK];
} plan;

static bool make_plan(const forwarder *f, ir_op *load, plan *out) {
  if (!find_origin(f, load, &out->o)) return false;
  out->s = (search){.f = f, .load = load, .left = MAX_STEPS};
  part_of(part_storage(load), &out->s.read);
  if (out->o.at.loop && !out->o.at.from_start) out->s.through = out->o.at.loop;
  if (relate(&out->s, out->o.write, out->o.at, out->places) != WITHIN) return false;
  part_of(part_storage(out->o.write), &out->written);
  return is_copied_again(&out->o) ? can_copy_again(&out->s, &out->written, &out->o, out->places)
                                  : can_slice(&out->s, &out->written, &out->o, out->places);
}

/* The load's part, with the dimensions of what was written. */
static const ir_type *part_type(const plan *p) {
  int64_t shape[TSR_LAYOUT_MAX_RANK];
  for (unsigned i = 0; i < p->written.own_rank; i++)
    shape[i] = p->s.read.dim[p->written.of[i]].size;
  return ir_tile(p->s.f->x->m, (tsr_elem)ir_result(p->s.load, 0)->type->elem, 0,
                 p->written.own_rank, shape);
}

static ir_value *load_global(ir_module *m, ir_op *at, ir_value *view, uint32_t n,
                             ir_value *const *offsets, const ir_type *type) {
  ir_value *operands[1 + TSR_LAYOUT_MAX_RANK] = {view};
  for (uint32_t d = 0; d < n; d++) operands[1 + d] = offsets[d];
  ir_op *op = ir_op_create(m, &(ir_op_spec){.opcode = OP_load_global,
                                            .loc = at->loc,
                                            .n_operands = 1 + n,
                                            .operands = operands,
                                            .segments = (uint32_t[]){1, n, 0},
                                            .n_results = 1,
                                            .result_types = &type});
  ir_op_insert_before(at, op);
  return ir_result(op, 0);
}

/* The offset of the copy in the iteration that the load needs, and further on what the load's part
 * begins behind it. */
static ir_value *offset_again(const plan *p, ir_op *at, ir_value *offset, unsigned d) {
  const block_lowering *x = p->s.f->x;
  sum start = start_within(&p->s, d, p->places[d]);
  const ir_type *t = offset->type, *i32 = ir_scalar(x->m, TSR_I32);
  bool moves = start.n || start.number;
  ir_value *v = iteration_value(x, at, offset, p->o.at);
  if (!moves) return v;
  ir_value *narrow = sum_make(x->m, at, &start, i32);
  if (t == i32)
    return ir_result(rewrite_make(x->m, at, OP_addi, t, 2, (ir_value *[]){v, narrow}), 0);
  ir_op *wide = rewrite_make(x->m, at, OP_exti, t, 1, &narrow);
  ir_set_int(wide, ATTR_signedness, SIGN_SIGNED);
  return ir_result(rewrite_make(x->m, at, OP_addi, t, 2, (ir_value *[]){v, ir_result(wide, 0)}), 0);
}

static ir_value *copied_again(const plan *p, ir_op *at) {
  uint32_t n;
  const ir_use *offsets = ir_operand_group(p->o.write, 1, &n);
  ir_value *moved[TSR_LAYOUT_MAX_RANK];
  for (uint32_t i = 0; i < n; i++)
    moved[i] = offset_again(p, at, offsets[i].value, p->written.of[i]);
  return load_global(p->s.f->x->m, at, ir_operand(p->o.write, 0), n, moved, part_type(p));
}

/* What a copy brings, where it was begun. */
static ir_value *copied_there(const plan *p) {
  uint32_t n;
  const ir_use *u = ir_operand_group(p->o.write, 1, &n);
  ir_value *offsets[TSR_LAYOUT_MAX_RANK];
  const ir_type *t = part_storage(p->o.write)->type;
  ir_module *m = p->s.f->x->m;
  for (uint32_t i = 0; i < n; i++) offsets[i] = u[i].value;
  return load_global(m, p->o.write, ir_operand(p->o.write, 0), n, offsets,
                     ir_tile(m, (tsr_elem)t->elem, 0, t->rank, t->shape));
}

static ir_value *slice(const plan *p, ir_op *at, ir_value *whole) {
  const ir_type *t = part_type(p);
  ir_module *m = p->s.f->x->m;
  ir_value *operands[1 + TSR_LAYOUT_MAX_RANK] = {whole};
  if (ir_same_shape(t, whole->type)) return whole;
  for (unsigned i = 0; i < t->rank; i++) {
    unsigned d = p->written.of[i];
    sum index = sum_number(UINT64_C(1) << 32, 0);
    if (t->shape[i] != whole->type->shape[i]) {
      sum start = start_within(&p->s, d, p->places[d]);
      index = sum_divided(&start, (uint64_t)t->shape[i]);
    }
    operands[1 + i] = sum_make(m, at, &index, ir_scalar(m, TSR_I32));
  }
  return ir_result(rewrite_make(m, at, OP_extract, t, 1 + t->rank, operands), 0);
}

static void carry_out(const plan *p) {
  ir_op *load = (ir_op *)(uintptr_t)p->s.load, *write = p->o.write;
  ir_value *v;
  if (is_copied_again(&p->o))
    v = copied_again(p, load);
  else
    v = slice(p, load, write->opcode == OP_cp_async ? copied_there(p) : ir_operand(write, 0));
  v = part_turn(p->s.f->x->m, load, v, &p->written, &p->s.read, ir_result(load, 0)->type);
  rewrite_replace_op(load, &v);
}

/* ---- allocations ---------------------------------------------------------------------------- */

/* False when something else is done with it. */
static bool collect(forwarder *f, const ir_value *storage) {
  for (const ir_use *u = storage->uses; u; u = u->next) {
    ir_op *op = u->user;
    part unused;
    switch (op->opcode) {
    case OP_subview:
    case OP_permute_view:
      if (!part_of(ir_result(op, 0), &unused) || !collect(f, ir_result(op, 0))) return false;
      break;
    case OP_load_shared: vec_push(f->x->arena, f->loads, op); break;
    case OP_store_shared:
    case OP_cp_async:
      vec_push(f->x->arena, f->stores, op);
      mark(f, &f->writes, op);
      break;
    case OP_free_shared: break;
    default: return false;
    }
  }
  return true;
}

static void forward_allocation(forwarder *f, ir_op *alloc) {
  f->writes = (map){0};
  f->loads = f->stores = (accesses){0};
  if (!collect(f, ir_result(alloc, 0))) return;
  plan *plans = arena_array(f->x->arena, plan, MAX(f->loads.len, 1u));
  for (uint32_t i = 0; i < f->loads.len; i++)
    if (!make_plan(f, f->loads.data[i], &plans[i])) return;
  for (uint32_t i = 0; i < f->loads.len; i++) carry_out(&plans[i]);
  for (uint32_t i = 0; i < f->stores.len; i++) ir_op_erase(f->stores.data[i]);
}

typedef struct gathered {
  arena *arena;
  accesses allocations;
} gathered;

static bool gather(void *user, ir_op *op) {
  gathered *g = user;
  if (op->opcode == OP_alloc_shared) vec_push(g->arena, g->allocations, op);
  return true;
}

void forward_shared(const block_lowering *x) {
  forwarder f = {.x = x};
  gathered g = {.arena = x->arena};
  ir_walk(x->entry, gather, &g);
  ir_walk(x->entry, mark_stirring, &f);
  for (uint32_t i = 0; i < g.allocations.len; i++) forward_allocation(&f, g.allocations.data[i]);
}
