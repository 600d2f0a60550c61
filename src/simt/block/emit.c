/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The walk over a kernel's operations, in program order, as a code generator takes it.
 */
#include "simt/block/emit.h"

#include "ir/block/layouts.h"
#include "simt/block/internal.h"
#include "simt/load_hoist.h"
#include "simt/vendor.h"

/* ---- making operations ---------------------------------------------------------------------- */

void emission_refuse(emission *x, const ir_op *op, const char *why) {
  if (x->failed) return;
  x->failed = op;
  ir_error(x->m, op,
           "'%s' has no form at the block level yet: %s; --emit layouts shows what is planned for "
           "the kernel, and --emit ptx compiles it",
           ir_row(op)->name, why);
}

ir_op *emission_put(emission *x, const ir_op_spec *spec) {
  ir_op *op = ir_op_create(x->m, spec);
  ir_op_append(x->at, op);
  return op;
}

ir_value *emission_make(emission *x, op_code opcode, const ir_type *t, uint32_t n,
                        ir_value *const *operands) {
  return ir_result(emission_put(x, &(ir_op_spec){.opcode = opcode,
                                                 .loc = x->loc,
                                                 .n_operands = n,
                                                 .operands = operands,
                                                 .n_results = 1,
                                                 .result_types = &t}),
                   0);
}

ir_value *emission_make_two(emission *x, op_code opcode, ir_value *a, ir_value *b) {
  return emission_make(x, opcode, a->type, 2, (ir_value *[]){a, b});
}

ir_value *emission_number(emission *x, const ir_type *t, int64_t n) {
  ir_value *v = emission_make(x, OP_constant, t, 0, NULL);
  ir_set_attr(v->owner.op, ATTR_value,
              (ir_attr){.dense = rewrite_splat_dense(x->m, t, (uint64_t)n)});
  return v;
}

ir_value *emission_compare(emission *x, ir_cmp_predicate how, ir_signedness sign, ir_value *a,
                           ir_value *b) {
  ir_value *v =
      emission_make(x, OP_cmpi, ir_tile_like(x->m, a->type, TSR_I1), 2, (ir_value *[]){a, b});
  ir_set_int(v->owner.op, ATTR_comparison_predicate, how);
  ir_set_int(v->owner.op, ATTR_signedness, sign);
  return v;
}

ir_block *emission_open(emission *x, ir_op *op, unsigned region, uint32_t n,
                        const ir_type *const *types) {
  ir_block *outer = x->at;
  x->at = ir_region_create(x->m, op, region, n, types);
  return outer;
}

void emission_end(emission *x, op_code terminator, ir_block *outer) {
  emission_put(x, &(ir_op_spec){.opcode = terminator, .loc = x->loc})->implicit = true;
  x->at = outer;
}

void emission_set(emission *x, const ir_value *v, ir_value *now) {
  if (!now->name) now->name = v->name;
  value_map_set(&x->home, v, now);
}

ir_value *emission_named(ir_value *v, const char *name) {
  v->name = name;
  return v;
}

/* ---- copies of operations ------------------------------------------------------------------- */

static ir_value *operand_of(emission *x, const ir_value *v, const simt_dist *d) {
  if (v->type->kind != IR_TILE) return emission_only(x, v);
  return d ? emission_get(x, v, d) : emission_home(x, v, NULL);
}

/* Operands without tokens: program order holds. Returns how many. */
static uint32_t operands_of(emission *x, const ir_op *op, const simt_dist *d, ir_value **out,
                            uint32_t *segments) {
  uint32_t n = 0;
  for (unsigned group = 0; group < op_n_operands(ir_row(op)); group++) {
    uint32_t count;
    const ir_use *u = ir_operand_group(op, group, &count);
    segments[group] = 0;
    for (uint32_t i = 0; i < count; i++) {
      if (u[i].value->type->kind == IR_TOKEN) continue;
      out[n++] = operand_of(x, u[i].value, d);
      segments[group]++;
    }
  }
  return n;
}

ir_op *emission_clone(emission *x, const ir_op *op, const simt_dist *d, const simt_dist *result) {
  uint32_t segments[OP_MAX_OPERANDS];
  ir_value **operands = arena_array(x->arena, ir_value *, op->n_operands + 1);
  const ir_type **types = arena_array(x->arena, const ir_type *, op->n_results + 1);
  uint32_t n = operands_of(x, op, d, operands, segments);
  for (uint32_t i = 0; i < op->n_results; i++) {
    const ir_value *v = &op->results[i];
    bool tile = v->type->kind == IR_TILE;
    simt_dist home = tile && !result ? emission_dist(x, v) : (simt_dist){0};
    types[i] = tile ? emission_type(x, v->type, result ? result : &home) : v->type;
  }
  ir_op *made = emission_put(x, &(ir_op_spec){.opcode = (op_code)op->opcode,
                                              .loc = op->loc,
                                              .n_operands = n,
                                              .operands = operands,
                                              .segments = segments,
                                              .n_results = op->n_results,
                                              .result_types = types,
                                              .n_regions = op->n_regions});
  rewrite_copy_attrs(made, op);
  made->extra = op->extra;
  for (uint32_t i = 0; i < op->n_results; i++) made->results[i].name = op->results[i].name;
  return made;
}

/* With all results as they come. */
static void copy_op(emission *x, const ir_op *op, const simt_dist *d) {
  ir_op *made = emission_clone(x, op, d, NULL);
  for (uint32_t i = 0; i < op->n_results; i++) emission_set(x, &op->results[i], &made->results[i]);
}

/* A reduction's body, of scalars alone. */
static void copy_body(emission *x, const ir_op *op, ir_op *to) {
  const ir_block *from = ir_region(op, 0);
  const ir_type **types = arena_array(x->arena, const ir_type *, from->n_args + 1);
  for (uint32_t i = 0; i < from->n_args; i++) types[i] = from->args[i].type;
  ir_block *body = ir_region_create(x->m, to, 0, from->n_args, types);
  for (uint32_t i = 0; i < from->n_args; i++) emission_set(x, &from->args[i], &body->args[i]);
  for (const ir_op *inner = from->first; inner; inner = inner->next)
    ir_op_append(body, rewrite_clone(x->m, inner, &x->home));
}

static void reduction(emission *x, ir_op *op) {
  const simt_dist *d = &simt_op_of(x->p, op)->operand;
  ir_op *made = emission_clone(x, op, d, NULL);
  copy_body(x, op, made);
  for (uint32_t i = 0; i < op->n_results; i++) emission_set(x, &op->results[i], &made->results[i]);
}

/* ---- parts of tiles ------------------------------------------------------------------------- */

/* The whole as a grid of slots of the part: along each dimension the bits above the part's are the
 * highest registers'. */
static simt_dist whole_of(const simt_dist *part, const ir_type *whole, const ir_type *t) {
  simt_dist d = *part;
  for (unsigned i = whole->rank; i-- > 0;) {
    unsigned first, n, kept = simt_log2(t->shape[i]);
    simt_dim_bits(whole, i, &first, &n);
    if (n > kept) d = simt_dist_insert(&d, first + kept, n - kept);
  }
  return d;
}

static void set_converted(emission *x, const ir_value *v, ir_value *now) {
  simt_dist home = emission_dist(x, v);
  emission_set(x, v, emission_convert(x, now, emission_type(x, v->type, &home)));
}

static ir_value *part_op(emission *x, const ir_op *op, const ir_type *t, uint32_t n_tiles,
                         ir_value **tiles) {
  ir_value **operands = arena_array(x->arena, ir_value *, op->n_operands + 1);
  for (uint32_t i = 0; i < op->n_operands; i++)
    operands[i] = i < n_tiles ? tiles[i] : emission_only(x, ir_operand(op, i));
  ir_op *made = emission_put(x, &(ir_op_spec){.opcode = (op_code)op->opcode,
                                              .loc = op->loc,
                                              .n_operands = op->n_operands,
                                              .operands = operands,
                                              .segments = op->segments,
                                              .n_results = 1,
                                              .result_types = &t});
  rewrite_copy_attrs(made, op);
  return ir_result(made, 0);
}

/* Every thread has the slices that it may be asked for. */
static bool has_slices(const emission *x, const ir_op *op, const simt_dist *d) {
  simt_dist home = emission_dist(x, ir_operand(op, 0));
  int64_t number;
  bool known = true;
  for (uint32_t i = 1; i < op->n_operands; i++)
    known &= ir_constant_int(ir_operand(op, i), &number);
  return known && simt_is_near(&home, d);
}

/* A number of slices along a dimension in elements. */
static ir_value *slice_start(emission *x, const ir_op *op, unsigned d) {
  const ir_type *from = ir_operand(op, 0)->type, *to = ir_result(op, 0)->type;
  const ir_type *t = ir_scalar(x->m, TSR_I32);
  if (from->shape[d] == to->shape[d]) return emission_number(x, t, 0);
  ir_value *i = emission_only(x, ir_operand(op, 1 + d));
  /* Past the end is undefined, but must not leave the tile. */
  i = emission_make_two(x, OP_andi, i,
                        emission_number(x, i->type, from->shape[d] / to->shape[d] - 1));
  return emission_make_two(x, OP_muli, i, emission_number(x, i->type, to->shape[d]));
}

static void extract_from_memory(emission *x, const ir_op *op) {
  const ir_value *from = ir_operand(op, 0), *v = ir_result(op, 0);
  tsr_memory_layout l = {.rank = from->type->rank, .modes = from->type->rank}, part;
  simt_dist d = emission_dist(x, v);
  int64_t stride = 1;
  for (unsigned k = l.rank; k-- > 0; stride *= from->type->shape[k]) {
    l.dim_modes[k] = 1;
    l.size[k] = (int32_t)from->type->shape[k];
    l.stride[k] = stride;
  }
  const ir_type *whole = ir_shared(x->m, (tsr_elem)from->type->elem, &l);
  ir_value *operands[1 + IR_MAX_RANK];
  ir_value *now = emission_home(x, from, NULL);
  operands[0] = emission_make(x, OP_alloc_shared, whole, 0, NULL);
  emission_store_shared(x, now, operands[0]);
  emission_barrier(x);
  for (unsigned k = 0; k < l.rank; k++) operands[1 + k] = slice_start(x, op, k);
  if (!ir_memory_part(whole->memory, l.rank, v->type->shape, &part)) return;
  const ir_type *t = ir_shared(x->m, (tsr_elem)from->type->elem, &part);
  ir_value *slice = emission_make(x, OP_subview, t, 1 + l.rank, operands);
  emission_set(x, v, emission_make(x, OP_load_shared, emission_type(x, v->type, &d), 1, &slice));
  emission_barrier(x);
  emission_free_shared(x, operands[0]);
}

static void extract(emission *x, const ir_op *op) {
  const ir_value *from = ir_operand(op, 0), *v = ir_result(op, 0);
  simt_dist part = emission_dist(x, v), d = whole_of(&part, from->type, v->type);
  if (!has_slices(x, op, &d)) {
    extract_from_memory(x, op);
    return;
  }
  ir_value *tiles[] = {emission_get(x, from, &d)};
  emission_set(x, v, part_op(x, op, emission_type(x, v->type, &part), 1, tiles));
}

static void insert(emission *x, const ir_op *op) {
  const ir_value *part = ir_operand(op, 0), *v = ir_result(op, 0);
  simt_dist home = emission_dist(x, v), inner = home;
  for (unsigned i = v->type->rank; i-- > 0;) { /* from the highest bits down */
    unsigned d = v->type->rank - 1 - i, first, n, kept = simt_log2(part->type->shape[d]);
    simt_dim_bits(v->type, d, &first, &n);
    if (n > kept) inner = simt_dist_drop(&inner, first + kept, n - kept);
  }
  simt_dist whole = whole_of(&inner, v->type, part->type);
  ir_value *tiles[] = {emission_get(x, part, &inner), emission_get(x, ir_operand(op, 1), &whole)};
  set_converted(x, v, part_op(x, op, emission_type(x, v->type, &whole), 2, tiles));
}

/* The highest bit of the dimension chooses the operand, and is a register's in the plan. */
static void cat(emission *x, const ir_op *op) {
  const ir_value *v = ir_result(op, 0);
  unsigned first, n;
  simt_dim_bits(v->type, (unsigned)ir_int_attr(op, ATTR_dim), &first, &n);
  simt_dist d = emission_dist(x, v), half = simt_dist_drop(&d, first + n - 1, 1);
  simt_dist whole = simt_dist_insert(&half, first + n - 1, 1);
  ir_value *tiles[] = {emission_get(x, ir_operand(op, 0), &half),
                       emission_get(x, ir_operand(op, 1), &half)};
  set_converted(x, v, part_op(x, op, emission_type(x, v->type, &whole), 2, tiles));
}

/* pack and unpack: the plan has the bits of an element in one thread. */
static void reinterpreted(emission *x, const ir_op *op) {
  const ir_value *v = ir_result(op, 0);
  simt_dist d = emission_dist(x, v);
  ir_value *from = emission_get(x, ir_operand(op, 0), &simt_op_of(x->p, op)->operand);
  emission_set(x, v, emission_make(x, OP_reinterpret, emission_type(x, v->type, &d), 1, &from));
}

/* ---- control flow --------------------------------------------------------------------------- */

static bool is_token(const ir_value *v) {
  return v->type->kind == IR_TOKEN;
}

static const ir_type *home_type(emission *x, const ir_value *v) {
  simt_dist d = v->type->kind == IR_TILE ? emission_dist(x, v) : (simt_dist){0};
  return v->type->kind == IR_TILE ? emission_type(x, v->type, &d) : v->type;
}

/* The types of what is handed on, but for tokens. */
static uint32_t carried_types(emission *x, const ir_value *values, uint32_t n,
                              const ir_type **types) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < n; i++)
    if (!is_token(&values[i])) types[kept++] = home_type(x, &values[i]);
  return kept;
}

/* Values as `to` has them. */
static uint32_t handed_on(emission *x, const ir_use *from, const ir_value *to, uint32_t n,
                          ir_value **out) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < n; i++) {
    if (is_token(&to[i])) continue;
    simt_dist d = to[i].type->kind == IR_TILE ? emission_dist(x, &to[i]) : (simt_dist){0};
    out[kept++] = to[i].type->kind == IR_TILE ? emission_get(x, from[i].value, &d)
                                              : emission_only(x, from[i].value);
  }
  return kept;
}

static void bind(emission *x, const ir_value *old, uint32_t n, ir_value *now) {
  for (uint32_t i = 0; i < n; i++)
    if (!is_token(&old[i])) emission_set(x, &old[i], now++);
}

static void block(emission *x, ir_block *b) {
  for (ir_op *op = b->first; op && !x->failed; op = op->next) emission_op(x, op);
}

static block_hazards either(block_hazards a, block_hazards b) {
  return (block_hazards){.loaded = a.loaded | b.loaded, .stored = a.stored | b.stored};
}

/* A region with all that is in it. */
static void region(emission *x, block_frame *f, ir_block *from, ir_op *to, unsigned i, uint32_t n,
                   const ir_type *const *types) {
  uint32_t mark = x->made.len;
  ir_block *outer = emission_open(x, to, i, n, types);
  bind(x, from->args, from->n_args, x->at->args);
  if (f->pipeline) emission_turn(x, f->pipeline, x->at);
  if (f->carried) x->form->take(x, f->op, x->at->args + x->at->n_args - f->carried);
  if (x->form) x->form->enter(x, f->op);
  x->frame = f;
  if (!x->failed) block(x, from);
  x->frame = f->outer;
  emission_forget(x, mark);
  x->at = outer;
}

static void branch(emission *x, ir_op *op) {
  const ir_type **types = arena_array(x->arena, const ir_type *, op->n_results + 1);
  block_frame f = {.op = op, .outer = x->frame};
  block_hazards before = x->now;
  ir_value *condition = emission_only(x, ir_operand(op, 0));
  uint32_t n = carried_types(x, op->results, op->n_results, types);
  ir_op *made = emission_put(x, &(ir_op_spec){.opcode = OP_if,
                                              .loc = op->loc,
                                              .n_operands = 1,
                                              .operands = &condition,
                                              .n_results = n,
                                              .result_types = types,
                                              .n_regions = op->n_regions});
  if (!ir_region(op, 1)) f.at_exit = before;
  for (unsigned i = 0; i < op->n_regions && !x->failed; i++) {
    x->now = before;
    if (ir_region(op, i)) region(x, &f, ir_region(op, i), made, i, 0, NULL);
  }
  x->now = f.at_exit;
  bind(x, op->results, op->n_results, made->results);
}

/* Of a `for` that copies ahead also the stages to read and to write. */
static uint32_t add_stages(emission *x, const block_pipeline *q, ir_value **out, uint32_t n) {
  const ir_type *t = ir_scalar(x->m, TSR_I32);
  if (!q) return n;
  out[n++] = emission_number(x, t, 0);
  out[n++] = emission_ahead(x, q, t, 1);
  return n;
}

/* Of a loop whose copies another role begins: operands that it does not change. Returns what
 * emission_give_back needs. */
static uint32_t keep(emission *x, const ir_op *loop) {
  return x->form && simt_pipeline_of(x->p, loop) ? emission_keep(x, loop) : x->kept.len;
}

static void give_back(emission *x, uint32_t mark) {
  if (x->kept.len > mark) emission_barrier(x);
  emission_forget_kept(x, mark);
}

static void loop(emission *x, ir_op *op) {
  bool is_for = op->opcode == OP_for;
  ir_block *from = ir_region(op, 0);
  uint32_t n_init, skip = is_for, bounds = is_for ? 3 : 0, kept = keep(x, op);
  const ir_use *init = ir_operand_group(op, bounds, &n_init);
  block_frame f = {.op = op, .outer = x->frame};
  f.pipeline = is_for && !x->form ? emission_pipeline(x, op) : NULL;
  f.carried = x->form ? x->form->carried(x, op, NULL) : 0;
  if (f.pipeline) emission_fill(x, f.pipeline);
  if (x->form) x->form->before(x, op);
  if (x->failed) return;
  uint32_t more = MAX(f.carried, 2);
  ir_value **operands = arena_array(x->arena, ir_value *, op->n_operands + more);
  const ir_type **types = arena_array(x->arena, const ir_type *, from->n_args + more),
                **results = arena_array(x->arena, const ir_type *, op->n_results + more);
  for (uint32_t i = 0; i < bounds; i++) operands[i] = emission_only(x, ir_operand(op, i));
  uint32_t n = bounds + handed_on(x, init, from->args + skip, n_init, operands + bounds);
  uint32_t own = n;
  n = add_stages(x, f.pipeline, operands, n);
  if (f.carried) n += x->form->carried(x, op, operands + n);
  uint32_t n_args = carried_types(x, from->args, from->n_args, types);
  uint32_t n_results = carried_types(x, op->results, op->n_results, results);
  for (; own < n; own++) types[n_args++] = results[n_results++] = operands[own]->type;
  emission_enter(x, op);
  f.at_exit = is_for ? x->now : (block_hazards){0};
  ir_op *made = emission_put(
      x, &(ir_op_spec){.opcode = (op_code)op->opcode,
                       .loc = op->loc,
                       .n_operands = n,
                       .operands = operands,
                       .segments = is_for ? (uint32_t[]){1, 1, 1, n - 3} : (uint32_t[]){n},
                       .n_results = n_results,
                       .result_types = results,
                       .n_regions = 1});
  rewrite_copy_attrs(made, op);
  region(x, &f, from, made, 0, n_args, types);
  x->now = f.at_exit;
  bind(x, op->results, op->n_results, made->results);
  if (f.carried) x->form->take(x, op, made->results + n_results - f.carried);
  if (f.pipeline && !x->failed) emission_drain(x, f.pipeline);
  if (!f.pipeline) give_back(x, kept);
}

static block_frame *innermost_loop(const emission *x) {
  block_frame *f = x->frame;
  while (f && f->op->opcode == OP_if) f = f->outer;
  return f;
}

static void jump(emission *x, ir_op *op) {
  block_frame *f = op->opcode == OP_yield ? x->frame : innermost_loop(x);
  uint32_t n = 0, carried = f ? f->carried : 0;
  ir_value **operands = arena_array(x->arena, ir_value *, op->n_operands + MAX(carried, 2));
  if (op->opcode == OP_return) {
    if (x->form) x->form->end(x);
    emission_put(x, &(ir_op_spec){.opcode = OP_return, .loc = op->loc})->implicit = op->implicit;
    return;
  }
  bool again = op->opcode == OP_continue, is_for = f->op->opcode == OP_for;
  const ir_value *to = again ? ir_region(f->op, 0)->args + is_for : f->op->results;
  n = handed_on(x, op->operands, to, op->n_operands, operands);
  if (again && f->pipeline) {
    operands[n++] = f->pipeline->next_read;
    operands[n++] = f->pipeline->read;
  }
  if (again && x->form) x->form->leave(x, f->op);
  if (again && carried) n += x->form->carried(x, f->op, operands + n);
  if (!again) f->at_exit = either(f->at_exit, x->now);
  ir_op *made = emission_put(
      x, &(ir_op_spec){
             .opcode = (op_code)op->opcode, .loc = op->loc, .n_operands = n, .operands = operands});
  made->implicit = op->implicit && n == 0;
}

/* ---- operations ----------------------------------------------------------------------------- */

static bool is_lazy(const emission *x, const ir_op *op) {
  const ir_value *v = ir_result(op, 0);
  return v->type->kind == IR_TILE && simt_value_of(x->p, v)->home == SIMT_LAZY;
}

/* What is held is computed where it stands. */
static void computed(emission *x, ir_op *op) {
  if (is_lazy(x, op)) return;
  if (ir_result(op, 0)->type->kind != IR_TILE) {
    copy_op(x, op, NULL);
    return;
  }
  simt_dist d = emission_dist(x, ir_result(op, 0));
  copy_op(x, op, &d);
}

/* reshape, broadcast, permute, assume. */
static void index_map(emission *x, ir_op *op) {
  if (is_token(ir_result(op, 0)) || is_lazy(x, op)) return;
  copy_op(x, op, NULL);
}

static void constant(emission *x, ir_op *op) {
  if (is_lazy(x, op)) return;
  simt_dist d = emission_dist(x, ir_result(op, 0));
  copy_op(x, op, &d);
  if (op->opcode == OP_iota) return;
  ir_value *now = emission_only(x, ir_result(op, 0));
  ir_dense *dense = arena_new(&x->m->arena, ir_dense);
  *dense = *ir_get_attr(op, ATTR_value)->dense;
  dense->type = now->type;
  ir_set_attr(now->owner.op, ATTR_value, (ir_attr){.dense = dense});
}

/* What is printed or asserted lies anywhere; scalars are everywhere. */
static void observed(emission *x, ir_op *op) {
  emission_clone(x, op, NULL, NULL);
}

void emission_op(emission *x, ir_op *op) {
  x->loc = op->loc;
  if (map_ptr(&x->in_front, op)) return;
  switch (op->opcode) {
  case OP_constant:
  case OP_iota: constant(x, op); return;
  case OP_broadcast:
  case OP_reshape:
  case OP_permute:
  case OP_assume: index_map(x, op); return;
  case OP_extract: extract(x, op); return;
  case OP_insert: insert(x, op); return;
  case OP_cat: cat(x, op); return;
  case OP_pack:
  case OP_unpack: reinterpreted(x, op); return;
  case OP_reduce:
  case OP_scan: reduction(x, op); return;
  case OP_mmaf:
  case OP_mmai:
  case OP_mmaf_scaled: emission_product(x, op); return;
  case OP_load_view_tko:
  case OP_load_ptr_tko:
    if (!map_ptr(&x->staged, op) && !simt_may_defer(op)) emission_load(x, op);
    return;
  case OP_store_view_tko:
  case OP_store_ptr_tko: emission_store(x, op); return;
  case OP_atomic_rmw_tko:
  case OP_atomic_cas_tko:
  case OP_atomic_red_view_tko: emission_atomic(x, op); return;
  case OP_alloca: emission_alloca(x, op); return;
  case OP_make_token:
  case OP_join_tokens:
  case OP_memory_fence_alias_tko: return; /* program order holds */
  case OP_get_tile_block_id:
  case OP_get_num_tile_blocks:
  case OP_get_global:
  case OP_make_tensor_view:
  case OP_make_partition_view:
  case OP_make_strided_view:
  case OP_make_gather_scatter_view:
  case OP_get_tensor_shape:
  case OP_get_index_space_shape: copy_op(x, op, NULL); return;
  case OP_gdc_launch_dependents_tko:
  case OP_gdc_wait_tko:
  case OP_print_tko:
  case OP_assert: observed(x, op); return;
  case OP_if: branch(x, op); return;
  case OP_for:
  case OP_loop: loop(x, op); return;
  case OP_break:
  case OP_continue:
  case OP_yield:
  case OP_return: jump(x, op); return;
  default: break;
  }
  if (ir_row(op)->traits & TRAIT_ELEMENTWISE)
    computed(x, op);
  else
    emission_refuse(x, op, "nothing says yet who does what in it");
}

/* ---- unused operations ----------------------------------------------------------------------- */

static void sweep(ir_block *b) {
  for (ir_op *op = b->last, *prev; op; op = prev) {
    prev = op->prev;
    for (unsigned r = 0; r < op->n_regions; r++)
      if (op->regions[r]) sweep(op->regions[r]);
    if (ir_only_computes(op) && !has_uses(op)) ir_op_erase(op);
  }
}

/* ---- kernels -------------------------------------------------------------------------------- */

static ir_op *make_entry(emission *x, ir_op *entry) {
  const ir_block *from = ir_region(entry, 0);
  const ir_type **types = arena_array(x->arena, const ir_type *, from->n_args + 1);
  for (uint32_t i = 0; i < from->n_args; i++) types[i] = from->args[i].type;
  ir_op *made = ir_op_create(
      x->m, &(ir_op_spec){.opcode = OP_entry, .loc = entry->loc, .n_regions = entry->n_regions});
  rewrite_copy_attrs(made, entry);
  made->extra = entry->extra;
  ir_set_int(made, ATTR_threads,
             x->form ? x->form->threads(x)
                     : INT64_C(1) << simt_thread_bits(simt_plan_threads(x->p)));
  x->at = ir_region_create(x->m, made, 0, from->n_args, types);
  for (uint32_t i = 0; i < from->n_args; i++) emission_set(x, &from->args[i], &x->at->args[i]);
  return made;
}

bool simt_emit_block(ir_module *m, ir_op *entry, const simt_plan *plan, arena *memory) {
  emission x = {.m = m, .p = plan, .arena = memory, .home = {.arena = memory}};
  x.form = plan->own ? plan->target.vendor->roles : NULL;
  x.last = arena_array(memory, uint32_t, MAX(plan->n_values, 1));
  memset(x.last, 0, plan->n_values * sizeof *x.last);
  ir_op *made = make_entry(&x, entry);
  if (x.form) x.form->begin(&x, entry);
  block(&x, ir_region(entry, 0));
  ir_op_insert_before(entry, made);
  if (x.failed) return false;
  sweep(ir_region(made, 0));
  ir_op_erase(entry);
  m->block_level = true;
  return true;
}
