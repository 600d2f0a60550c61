/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Loops that copy ahead. With N stages:
 *
 *   fill    for each of the first N-1 iterations, if there is one: its copies; a set of them
 *   loop    wait until all sets but N-2 are there; a barrier, behind which every thread's part is
 *           there, and nobody reads the stage of the iteration before
 *           the copies of iteration i + N-1 into that stage, if there is one; a set of them
 *           what is in stage i mod N is loaded where a product takes it
 *
 * The loop hands on which stage is read and which is written. Each load has shared memory of its
 * own for all stages, in the order of its view.
 */
#include "ir/block/layouts.h"
#include "simt/block/internal.h"

/* ---- what is copied ahead ------------------------------------------------------------------- */

/* cp_async copies from views, and knows no padding but zeros. */
static bool can_copy(emission *x, const simt_staged *s) {
  if (s->load->opcode != OP_load_view_tko) return false;
  const ir_type *tiles = ir_operand_in(s->load, 0)->type;
  bool copies = tiles->kind != IR_GATHER_SCATTER_VIEW && tiles->padding <= PADDING_ZERO;
  return copies && emission_reads_stage(x, s);
}

/* The distance from an iteration to the next, where that many of them ahead can be counted. */
static bool find_step(const emission *x, const ir_op *loop, int64_t *step) {
  enum { MOST = 1 << 20 };
  return fact_is_number(facts_of(x->p->facts, ir_operand(loop, 2)), step) && *step > 0 &&
         *step <= MOST && tsr_elem_bits((tsr_elem)ir_operand(loop, 2)->type->elem) >= 32;
}

block_pipeline *emission_pipeline(emission *x, ir_op *loop) {
  const simt_pipeline *plan = simt_pipeline_of(x->p, loop);
  int64_t step;
  bool any = false;
  if (!plan || !find_step(x, loop, &step)) return NULL;
  for (uint32_t i = 0; i < plan->n_loads; i++) any |= can_copy(x, &plan->loads[i]);
  if (!any) return NULL;
  block_pipeline *q = arena_new(x->arena, block_pipeline);
  *q = (block_pipeline){.plan = plan,
                        .storage = arena_array(x->arena, ir_value *, plan->n_loads),
                        .slot = arena_array(x->arena, ir_value *, plan->n_loads)};
  return q;
}

/* ---- shared memory -------------------------------------------------------------------------- */

/* A column of the layout without what its swizzle adds. */
static uint32_t plain_column(const simt_stage_layout *l, uint32_t column) {
  return column ^ (column >> 7 & ((1u << l->swizzle) - 1)) << 4;
}

/* A stage whose rows are turned (simt_stage_layout.spread): two bits of the row's number are added
 * to those of 32 and 64 bytes. */
static void set_spread(const simt_stage_layout *l, tsr_memory_layout *out) {
  for (unsigned k = 0; k < l->n; k++) {
    uint32_t column = l->column[k];
    if ((column & 96) != 32 || column < l->row_bytes || column == 32) continue;
    out->swizzle_bits = 2;
    out->swizzle_base = (uint8_t)(5 - l->elem_bytes);
    out->swizzle_shift = (uint8_t)(simt_log2(column & ~UINT32_C(127)) - 5);
  }
}

static void set_swizzle(const simt_stage_layout *l, tsr_memory_layout *out) {
  if (l->spread) {
    set_spread(l, out);
    return;
  }
  if (!l->swizzle) return;
  out->swizzle_bits = l->swizzle;
  out->swizzle_base = (uint8_t)(4 - l->elem_bytes);
  out->swizzle_shift = 3;
}

static void add_mode(tsr_memory_layout *l, int32_t size, int64_t stride) {
  l->size[l->modes] = size;
  l->stride[l->modes++] = stride;
  l->dim_modes[l->rank - 1]++;
}

const ir_type *emission_stage_type(emission *x, const ir_type *tile, const simt_stage_layout *l,
                                   const simt_map *to_operand, unsigned stages) {
  tsr_memory_layout m = {.rank = 0};
  if (stages) {
    m.rank = 1;
    add_mode(&m, (int32_t)stages, l->bytes >> l->elem_bytes);
  }
  for (unsigned d = 0; d < tile->rank; d++) {
    unsigned first, n;
    simt_dim_bits(tile, d, &first, &n);
    m.rank++;
    for (unsigned k = n; k-- > 0;) {
      uint32_t column = l->column[to_operand->to[first + k]];
      if (l->spread && column >= l->row_bytes) column &= ~(uint32_t)96;
      add_mode(&m, 2, plain_column(l, column) >> l->elem_bytes);
    }
    if (n == 0) add_mode(&m, 1, 0);
  }
  set_swizzle(l, &m);
  return ir_shared(x->m, (tsr_elem)tile->elem, &m);
}

simt_map emission_operand_map(emission *x, const simt_staged *s, block_window *w) {
  const ir_type *t = ir_result(s->load, 0)->type;
  emission_order_window(x, ir_operand_in(s->load, 0)->type, w);
  simt_map m = emission_window_map(w, t);
  for (unsigned k = 0; k < m.from_n; k++) m.to[k] = s->to_operand.to[m.to[k]];
  return m;
}

const char *emission_stage_name(emission *x, const ir_op *load, const char *what) {
  const char *name = ir_result(load, 0)->name;
  return arena_printf(&x->m->arena, "%s_%s", name ? name : "loaded", what);
}

static void allocate(emission *x, block_pipeline *q) {
  for (uint32_t i = 0; i < q->plan->n_loads; i++) {
    const simt_staged *s = &q->plan->loads[i];
    block_window w;
    if (!can_copy(x, s)) continue;
    simt_map m = emission_operand_map(x, s, &w);
    const ir_type *t = emission_stage_type(x, w.tile, &s->layout, &m, q->plan->stages);
    q->storage[i] = emission_named(emission_make(x, OP_alloc_shared, t, 0, NULL),
                                   emission_stage_name(x, s->load, "stages"));
  }
}

ir_value *emission_stage(emission *x, ir_value *all, ir_value *number, const char *name) {
  tsr_memory_layout part;
  const ir_type *t = all->type;
  if (!ir_memory_part(t->memory, t->rank - 1u, t->shape + 1, &part)) return all;
  ir_value *operands[] = {all, number};
  const ir_type *one = ir_shared(x->m, (tsr_elem)t->elem, &part);
  return emission_named(emission_make(x, OP_subview, one, 2, operands), name);
}

static ir_value *stage_of(emission *x, const block_pipeline *q, uint32_t i, ir_value *number) {
  return emission_stage(x, q->storage[i], number,
                        emission_stage_name(x, q->plan->loads[i].load, "stage"));
}

/* ---- copies --------------------------------------------------------------------------------- */

static void copy_tile(emission *x, const block_pipeline *q, uint32_t i, ir_value *stage) {
  const simt_staged *s = &q->plan->loads[i];
  const ir_op *load = s->load;
  uint32_t n;
  block_window w;
  const ir_use *index = ir_operand_group(load, 1, &n);
  emission_open_window(x, ir_operand_in(load, 0), index, &w);
  simt_map m = emission_window_map(&w, ir_result(load, 0)->type);
  simt_dist d = w.turned ? simt_dist_back(&s->copy, &m) : s->copy;
  ir_value *operands[2 + IR_MAX_RANK] = {w.view};
  memcpy(operands + 1, w.offsets, w.rank * sizeof *operands);
  operands[1 + w.rank] = stage_of(x, q, i, stage);
  ir_op *op = emission_put(x, &(ir_op_spec){.opcode = OP_cp_async,
                                            .loc = load->loc,
                                            .n_operands = 2 + w.rank,
                                            .operands = operands,
                                            .segments = (uint32_t[]){1, w.rank, 1}});
  ir_set_attr(op, ATTR_layout, (ir_attr){.layout = emission_type(x, w.tile, &d)->layout});
}

/* Of all loads for the iteration with this index, where there is one. */
static void copy_all(emission *x, const block_pipeline *q, ir_value *index, ir_value *more,
                     ir_value *stage) {
  const ir_value *counter = ir_counter(q->plan->loop);
  ir_value *before = emission_only(x, counter);
  uint32_t mark = x->made.len;
  ir_op *branch = emission_put(
      x, &(ir_op_spec){
             .opcode = OP_if, .loc = x->loc, .n_operands = 1, .operands = &more, .n_regions = 2});
  ir_block *outer = emission_open(x, branch, 0, 0, NULL);
  emission_set(x, counter, index);
  for (uint32_t i = 0; i < q->plan->n_slice; i++) emission_op(x, q->plan->slice[i]);
  for (uint32_t i = 0; i < q->plan->n_loads && !x->failed; i++)
    if (q->storage[i]) copy_tile(x, q, i, stage);
  emission_end(x, OP_yield, outer);
  emission_forget(x, mark);
  if (before) emission_set(x, counter, before);
  emission_put(x, &(ir_op_spec){.opcode = OP_cp_async_commit, .loc = x->loc});
}

/* How far ahead copies are, in steps of the loop. */
ir_value *emission_ahead(emission *x, const block_pipeline *q, const ir_type *t, int64_t step) {
  return emission_named(emission_number(x, t, (q->plan->stages - 1) * step), "ahead");
}

/* Whether so much can be added to an index below the upper bound. */
static ir_value *has_more(emission *x, ir_value *index, ir_value *upper, ir_value *by) {
  ir_value *left = emission_make_two(x, OP_subi, upper, index);
  return emission_compare(x, CMP_GREATER, SIGN_UNSIGNED, left, by);
}

/* The stage's number in the type of the loop's index, times the step. */
static ir_value *distance(emission *x, ir_value *stage, const ir_type *t, int64_t step) {
  if (t->elem == TSR_I64) {
    stage = emission_make(x, OP_exti, t, 1, &stage);
    ir_set_int(stage->owner.op, ATTR_signedness, SIGN_UNSIGNED);
  }
  return step == 1 ? stage : emission_make_two(x, OP_muli, stage, emission_number(x, t, step));
}

void emission_fill(emission *x, block_pipeline *q) {
  const ir_op *loop = q->plan->loop;
  const ir_type *number = ir_scalar(x->m, TSR_I32);
  ir_value *lower = emission_only(x, ir_operand(loop, 0)),
           *upper = emission_only(x, ir_operand(loop, 1));
  ir_signedness sign = ir_int_attr(loop, ATTR_unsignedCmp) ? SIGN_UNSIGNED : SIGN_SIGNED;
  int64_t step = 1;
  find_step(x, loop, &step);
  q->kept = emission_keep(x, loop);
  if (x->failed) return;
  emission_before_load(x);
  allocate(x, q);
  ir_value *any = emission_compare(x, CMP_LESS, sign, lower, upper);
  ir_value *bounds[] = {emission_number(x, number, 0), emission_ahead(x, q, number, 1),
                        emission_number(x, number, 1)};
  ir_op *fill = emission_put(x, &(ir_op_spec){.opcode = OP_for,
                                              .loc = x->loc,
                                              .n_operands = 3,
                                              .operands = bounds,
                                              .segments = (uint32_t[]){1, 1, 1, 0},
                                              .n_regions = 1});
  ir_block *outer = emission_open(x, fill, 0, 1, &number);
  ir_value *stage = emission_named(&x->at->args[0], "stage"),
           *by = distance(x, stage, lower->type, step);
  ir_value *more = has_more(x, lower, upper, by);
  more = emission_make_two(x, OP_andi, any, more);
  copy_all(x, q, emission_make_two(x, OP_addi, lower, by), more, stage);
  emission_end(x, OP_continue, outer);
}

ir_value *emission_next_stage(emission *x, ir_value *stage, unsigned stages) {
  const ir_type *t = stage->type;
  ir_value *next = emission_make_two(x, OP_addi, stage, emission_number(x, t, 1));
  ir_value *by = emission_named(emission_number(x, t, stages), "stages");
  ir_value *r = emission_make_two(x, OP_remi, next, by);
  ir_set_int(r->owner.op, ATTR_signedness, SIGN_UNSIGNED);
  return r;
}

void emission_turn(emission *x, block_pipeline *q, ir_block *body) {
  const ir_op *loop = q->plan->loop;
  unsigned stages = q->plan->stages;
  int64_t step = 1;
  find_step(x, loop, &step);
  q->read = emission_named(&body->args[body->n_args - 2], "read");
  q->write = emission_named(&body->args[body->n_args - 1], "write");
  ir_op *wait = emission_put(x, &(ir_op_spec){.opcode = OP_cp_async_wait, .loc = x->loc});
  ir_set_int(wait, ATTR_pending, stages - 2);
  if (emission_feeds_group(x, q->plan))
    emission_put(x, &(ir_op_spec){.opcode = OP_fence_async, .loc = x->loc});
  emission_barrier(x);
  x->now.loaded = true;
  ir_value *index = &body->args[0], *upper = emission_only(x, ir_operand(loop, 1));
  ir_value *by = emission_ahead(x, q, index->type, step);
  ir_value *more = has_more(x, index, upper, by);
  copy_all(x, q, emission_make_two(x, OP_addi, index, by), more, q->write);
  q->next_read = emission_next_stage(x, q->read, stages);
  for (uint32_t i = 0; i < q->plan->n_loads; i++) {
    if (!q->storage[i]) continue;
    q->slot[i] = stage_of(x, q, i, q->read);
    *map_put(x->arena, &x->staged, (uintptr_t)q->plan->loads[i].load) = (uintptr_t)q->slot[i];
  }
}

/* What another loop, or this one in another iteration around it, may use is given back. */
void emission_drain(emission *x, block_pipeline *q) {
  emission_barrier(x);
  for (uint32_t i = 0; i < q->plan->n_loads; i++)
    if (q->storage[i]) emission_free_shared(x, q->storage[i]);
  emission_forget_kept(x, q->kept);
}

/* ---- what was copied ------------------------------------------------------------------------ */

/* Rows of 16 bytes along k are a fragment's, those across it are turned as they are loaded. */
static int64_t instruction_for(const emission *x, const simt_staged *s) {
  const simt_op *info = simt_op_of(x->p, s->product);
  unsigned bits = 8u << s->layout.elem_bytes;
  if (info->mma != SIMT_MMA_WARP || bits == 64) return INSTRUCTION_AUTO;
  if (s->layout.fast_is_k) return INSTRUCTION_LDMATRIX;
  return bits == 16 ? INSTRUCTION_LDMATRIX_TRANS : INSTRUCTION_AUTO;
}

ir_value *emission_from_stage(emission *x, const ir_value *v, const simt_dist *d) {
  const ir_op *load = ir_defining_op(v);
  ir_value *slot = map_ptr(&x->staged, load);
  const simt_staged *s = simt_staged_load(x->p, load);
  block_window w;
  emission_order_window(x, ir_operand_in(load, 0)->type, &w);
  simt_map m = emission_window_map(&w, v->type);
  simt_dist from = w.turned ? simt_dist_back(d, &m) : *d;
  ir_value *now = emission_make(x, OP_load_shared, emission_type(x, w.tile, &from), 1, &slot);
  ir_set_int(now->owner.op, ATTR_instruction, instruction_for(x, s));
  now->name = v->name;
  return emission_turned(x, now, emission_type(x, v->type, d), &w);
}
