/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The walk that gives every tile its home. It goes over the program a few times: what a loop
 * carries is known only when its body has been seen.
 */
#include "simt/plan.h"

#include "base/invariant.h"
#include "simt/plan_check.h"
#include "simt/runs.h"
#include "simt/vendor.h"

enum { WALKS = 3 };

/* The jumps that leave an if or loop say what its results and iteration values look like. */
typedef struct frame {
  ir_op *op;
  simt_value *next, *results; /* wanted by `continue`; by `yield` and `break` */
  struct frame *outer;
} frame;

typedef struct assign {
  simt_plan *plan;
  frame *frame;
  unsigned walk;
  bool private_;  /* inside a reduction's body: every thread works for itself */
  uint8_t *fused; /* by number of the value: see simt_value */
} assign;

static unsigned bits_of(const ir_value *v) {
  return simt_tile_bits(v->type);
}
static simt_value *home_of(assign *a, const ir_value *v) {
  return simt_value_of(a->plan, v);
}

/* ---- homes ---------------------------------------------------------------------------------- */

static unsigned log2_bytes(unsigned elem_bits) {
  return elem_bits >= 8 ? simt_log2(elem_bits / 8) : 0;
}

/* As many elements a thread as its widest access takes, if that leaves work for all. */
static unsigned vector_bits(const simt_plan *p, unsigned n, unsigned run, unsigned elem_bits) {
  unsigned most = simt_log2(SIMT_ACCESS_BYTES) + (elem_bits == 4) - log2_bytes(elem_bits);
  unsigned threads = p->lanes + p->warps;
  unsigned spare = n > threads ? n - threads : 0;
  if (elem_bits == 4 && spare == 0) spare = 1; /* two share a byte */
  return MIN(MIN(most, run), spare);
}

simt_dist simt_default_dist(const simt_plan *p, const ir_type *t) {
  unsigned n = simt_tile_bits(t), run = t->rank ? simt_log2(t->shape[t->rank - 1]) : 0;
  tsr_elem elem = (tsr_elem)(t->elem == TSR_PTR ? t->pointee : t->elem); /* that is accessed */
  return simt_dist_blocked(n, vector_bits(p, n, run, tsr_elem_bits(elem)), simt_plan_threads(p));
}

static simt_dist default_dist(assign *a, const ir_type *t) {
  if (a->private_) return simt_dist_private(simt_tile_bits(t), simt_plan_threads(a->plan));
  return simt_default_dist(a->plan, t);
}

static void hold(assign *a, ir_value *v, const simt_dist *d, unsigned rank) {
  simt_value *x = home_of(a, v);
  *x = (simt_value){.home = SIMT_HELD, .rank = (uint8_t)rank};
  if (bits_of(v) == 0)
    *x = (simt_value){.home = SIMT_HELD,
                      .rank = 2,
                      .free = true,
                      .dist = simt_dist_private(0, simt_plan_threads(a->plan))};
  else
    x->dist = d && rank ? *d : default_dist(a, v->type);
  x->fused = a->fused[v->number];
}

static void be_lazy(assign *a, ir_value *v, bool is_free, const simt_dist *d, unsigned rank) {
  if (a->private_ || bits_of(v) == 0) {
    hold(a, v, NULL, 0);
    return;
  }
  simt_value *x = home_of(a, v);
  *x = (simt_value){.home = SIMT_LAZY, .rank = (uint8_t)rank, .free = is_free};
  if (rank) x->dist = *d;
  x->fused = a->fused[v->number] && !is_free;
}

/* Takes over what `v` would like, when that is firmer than what there is. */
static void prefer(assign *a, const ir_value *v, simt_dist *d, unsigned *rank) {
  const simt_value *x = home_of(a, v);
  if (x->home == SIMT_NONE || x->rank <= *rank || x->dist.n == 0) return;
  *d = x->dist;
  *rank = x->rank;
}

/* ---- moving and computing elements ---------------------------------------------------------- */

static void assign_index_map(assign *a, ir_op *op) {
  ir_value *from = ir_operand(op, 0), *to = ir_result(op, 0);
  if (to->type->kind != IR_TILE) return;
  const simt_value *x = home_of(a, from);
  if (bits_of(from) == 0) {
    be_lazy(a, to, true, NULL, 0);
    return;
  }
  simt_map m = simt_map_of(op);
  if (x->rank == 0) {
    be_lazy(a, to, x->free, NULL, 0);
    return;
  }
  simt_dist d = simt_dist_forward(&x->dist, &m);
  be_lazy(a, to, x->free, &d, simt_map_is_bijective(&m) ? x->rank : 1);
}

/* Worth computing again for every distribution that is asked for? What addresses and masks are made
 * of: integers and bits. */
static bool is_cheap(const ir_op *op) {
  const op_row *row = ir_row(op);
  switch (op->opcode) {
  case OP_ftof:
  case OP_ftoi:
  case OP_itof: return false; /* conversions are executed at a fraction of the rate */
  case OP_absi:
  case OP_mulhii: return false; /* no address has them, as a rule: they are data */
  default: return row->cost <= COST_CHEAP && row->group != GROUP_FLOAT;
  }
}

static void assign_elementwise(assign *a, ir_op *op) {
  bool is_free = is_cheap(op);
  simt_dist d;
  unsigned rank = 0;
  for (uint32_t i = 0; i < op->n_operands; i++) {
    is_free &= home_of(a, ir_operand(op, i))->free;
    prefer(a, ir_operand(op, i), &d, &rank);
  }
  ir_value *v = ir_result(op, 0);
  if (is_free || a->fused[v->number])
    be_lazy(a, v, is_free, is_free ? NULL : &d, is_free ? 0 : rank);
  else
    hold(a, v, &d, rank);
}

static void assign_cat(assign *a, ir_op *op) {
  simt_dist d;
  unsigned rank = 0, first, n;
  prefer(a, ir_operand(op, 0), &d, &rank);
  prefer(a, ir_operand(op, 1), &d, &rank);
  if (rank == 0) d = default_dist(a, ir_operand(op, 0)->type);
  simt_dim_bits(ir_result(op, 0)->type, (unsigned)ir_int_attr(op, ATTR_dim), &first, &n);
  d = simt_dist_insert(&d, first + n - 1, 1);
  hold(a, ir_result(op, 0), &d, MAX(rank, 1));
}

/* The bits of the slice's number drop out, from the highest dimension down. */
static void assign_extract(assign *a, ir_op *op) {
  const ir_type *from = ir_operand(op, 0)->type, *to = ir_result(op, 0)->type;
  simt_dist d;
  unsigned rank = 0;
  prefer(a, ir_operand(op, 0), &d, &rank);
  if (rank == 0) d = default_dist(a, from);
  for (unsigned i = 0; i < from->rank; i++) {
    unsigned first, n, kept = simt_log2(to->shape[i]);
    simt_dim_bits(from, i, &first, &n);
    d = simt_dist_drop(&d, first + kept, n - kept);
  }
  hold(a, ir_result(op, 0), &d, MAX(rank, 1));
}

static void assign_insert(assign *a, ir_op *op) {
  simt_dist d;
  unsigned rank = 0;
  prefer(a, ir_operand(op, 1), &d, &rank);
  hold(a, ir_result(op, 0), &d, rank);
}

static simt_op *op_info(assign *a, ir_op *op) {
  uintptr_t *slot = map_put(a->plan->arena, &a->plan->ops, (uintptr_t)op);
  if (!*slot) *slot = (uintptr_t)arena_new(a->plan->arena, simt_op);
  return (simt_op *)*slot;
}

/* One side has several elements in what is one element of the other: the bits between are the
 * lowest registers'. */
static void assign_reinterpret(assign *a, ir_op *op) {
  ir_value *from = ir_operand(op, 0), *to = ir_result(op, 0);
  simt_op *info = op_info(a, op);
  unsigned n = bits_of(from), result = bits_of(to);
  if (a->private_) {
    info->operand = simt_dist_private(n, simt_plan_threads(a->plan));
    hold(a, to, NULL, 0);
    return;
  }
  unsigned few = MIN(n, result), inner = MAX(n, result) - few;
  unsigned threads = a->plan->lanes + a->plan->warps;
  simt_dist coarse =
      simt_dist_blocked(few, few > threads ? MIN(few - threads, 2) : 0, simt_plan_threads(a->plan));
  simt_dist fine = coarse;
  fine.n = (uint8_t)(few + inner);
  for (unsigned j = 0; j < fine.regs; j++) fine.reg[j] = (int8_t)(fine.reg[j] + (int)inner);
  for (unsigned j = 0; j < fine.lanes; j++)
    if (fine.lane[j] != SIMT_COPY) fine.lane[j] = (int8_t)(fine.lane[j] + (int)inner);
  for (unsigned j = 0; j < fine.warps; j++)
    if (fine.warp[j] != SIMT_COPY) fine.warp[j] = (int8_t)(fine.warp[j] + (int)inner);
  memmove(fine.reg + inner, fine.reg, fine.regs);
  for (unsigned j = 0; j < inner; j++) fine.reg[j] = (int8_t)j;
  fine.regs = (uint8_t)(fine.regs + inner);
  info->operand = n > result ? fine : coarse;
  hold(a, to, n > result ? &coarse : &fine, 2);
}

/* ---- along a dimension ---------------------------------------------------------------------- */

static void assign_reduce(assign *a, ir_op *op) {
  simt_op *info = op_info(a, op);
  unsigned rank = 0, first, n;
  for (uint32_t i = 0; i < op->n_operands; i++) prefer(a, ir_operand(op, i), &info->operand, &rank);
  const ir_type *t = ir_operand(op, 0)->type;
  if (rank == 0) info->operand = default_dist(a, t);
  simt_dim_bits(t, (unsigned)ir_int_attr(op, ATTR_dim), &first, &n);
  simt_dist d = simt_dist_drop(&info->operand, first, n);
  for (uint32_t i = 0; i < op->n_results; i++) hold(a, ir_result(op, i), &d, 2);
}

static void assign_scan(assign *a, ir_op *op) {
  simt_dist d = simt_dist_scanned(ir_operand(op, 0)->type, (unsigned)ir_int_attr(op, ATTR_dim),
                                  simt_plan_threads(a->plan));
  op_info(a, op)->operand = d;
  for (uint32_t i = 0; i < op->n_results; i++) hold(a, ir_result(op, i), &d, 2);
}

static void assign_body(assign *a, ir_op *op);

/* ---- memory --------------------------------------------------------------------------------- */

unsigned simt_memory_order(const ir_type *view, uint8_t order[SIMT_BITS]) {
  const ir_type *t = view->tile;
  unsigned at = 0, run = 0;
  int packed = -1;
  for (unsigned d = 0; d < t->rank; d++) {
    unsigned in_view = view->dim_map ? (unsigned)view->dim_map[d] : d;
    bool gathered = view->kind == IR_GATHER_SCATTER_VIEW && d == view->sparse_dim;
    if (view->view->strides[in_view] == 1 && !gathered && t->shape[d] > 1) packed = (int)d;
  }
  if (packed >= 0) {
    unsigned first;
    simt_dim_bits(t, (unsigned)packed, &first, &run);
    for (unsigned k = 0; k < run; k++) order[at++] = (uint8_t)(first + k);
  }
  for (unsigned d = t->rank; d-- > 0;) {
    unsigned first, n;
    if ((int)d == packed) continue;
    simt_dim_bits(t, d, &first, &n);
    for (unsigned k = 0; k < n; k++) order[at++] = (uint8_t)(first + k);
  }
  return run;
}

simt_dist simt_memory_dist(const simt_plan *p, const ir_type *view) {
  uint8_t order[SIMT_BITS];
  unsigned run = simt_memory_order(view, order), n = simt_tile_bits(view->tile);
  unsigned vector = vector_bits(p, n, run, tsr_elem_bits((tsr_elem)view->elem));
  return simt_dist_ordered(n, order, vector, simt_plan_threads(p));
}

static void assign_load_view(assign *a, ir_op *op) {
  const simt_dist *wanted = map_ptr(&a->plan->wanted, op);
  simt_dist d = wanted ? *wanted : simt_memory_dist(a->plan, ir_operand_in(op, 0)->type);
  hold(a, ir_result(op, 0), &d, 2);
}

/* Pointers that are an expression have no place; theirs is then that of the memory. */
static bool find_pointers_dist(assign *a, const ir_value *pointers, simt_dist *d) {
  uint8_t order[SIMT_BITS];
  const ir_type *t = pointers->type;
  if (a->private_ || t->count == 1) return false;
  unsigned n = simt_tile_bits(t), run = simt_pointer_order(a->plan->facts, pointers, order);
  if (run == 0) return false;
  unsigned vector = vector_bits(a->plan, n, run, tsr_elem_bits((tsr_elem)t->pointee));
  *d = simt_dist_ordered(n, order, vector, simt_plan_threads(a->plan));
  return true;
}

/* Loads and atomics through pointers happen where the pointers are. */
static void assign_through_pointers(assign *a, ir_op *op) {
  simt_dist d;
  unsigned rank = 0;
  prefer(a, ir_operand_in(op, 0), &d, &rank);
  if (rank == 0 && find_pointers_dist(a, ir_operand_in(op, 0), &d)) rank = 2;
  hold(a, ir_result(op, 0), &d, rank);
  if (rank == 0) home_of(a, ir_result(op, 0))->rank = 2;
}

/* ---- matrix products ------------------------------------------------------------------------ */

static void want(assign *a, const ir_op *load, const simt_dist *d) {
  uintptr_t *slot = map_put(a->plan->arena, &a->plan->wanted, (uintptr_t)load);
  if (!*slot) *slot = (uintptr_t)arena_new(a->plan->arena, simt_dist);
  *(simt_dist *)*slot = *d;
}

/* The load that an operand is but for its index, which `m` maps to the operand's; NULL: there is
 * none. */
static const ir_op *load_behind(const ir_value *v, simt_map *m) {
  enum { DEPTH = 8 };
  const ir_op *op = ir_defining_op(v);
  *m = (simt_map){.from_n = (uint8_t)bits_of(v), .to_n = (uint8_t)bits_of(v)};
  for (unsigned k = 0; k < m->to_n; k++) m->to[k] = (int8_t)k;
  for (unsigned depth = 0; op && depth < DEPTH; depth++) {
    if (op->opcode == OP_load_view_tko) return op;
    if (op->opcode != OP_reshape && op->opcode != OP_permute) return NULL;
    simt_map inner = simt_map_of(op);
    for (unsigned k = 0; k < inner.from_n; k++) inner.to[k] = m->to[inner.to[k]];
    *m = inner;
    op = ir_defining_op(ir_operand(op, 0));
  }
  return NULL;
}

static bool find_loaded(const ir_op *op, bool is_a, simt_loaded *out) {
  *out = (simt_loaded){.s = simt_product_of(op)};
  out->load = load_behind(ir_operand_in(op, is_a ? 0 : 1), &out->m);
  if (!out->load) return false;
  const ir_type *view = ir_operand_in(out->load, 0)->type;
  out->run = simt_memory_order(view, out->memory);
  out->all = simt_tile_bits(view->tile);
  out->width = tsr_elem_bits((tsr_elem)view->elem);
  out->k = is_a ? 0 : out->s.n;
  out->across = is_a ? out->s.k : 0;
  for (unsigned j = 0; j < out->all; j++) out->memory[j] = (uint8_t)out->m.to[out->memory[j]];
  return true;
}

bool simt_lies_along(const simt_loaded *x, unsigned first, unsigned n) {
  for (unsigned j = 0; j < n; j++)
    if (x->memory[j] != first + j) return false;
  return x->run >= n;
}

static void want_order(assign *a, const simt_loaded *x, const uint8_t *order, unsigned vector) {
  simt_dist d = simt_dist_ordered(x->all, order, vector, simt_plan_threads(a->plan));
  d = simt_dist_back(&d, &x->m);
  want(a, x->load, &d);
}

/* As the vendor's instructions of several warps want an operand to be loaded. */
static void want_for_group(assign *a, const ir_op *op, bool is_a) {
  simt_loaded x;
  simt_order order;
  if (find_loaded(op, is_a, &x) && a->plan->target.vendor->order_operand(a->plan, &x, &order))
    want_order(a, &x, order.bit, order.vector);
}

/* An operand whose rows along k lie in memory, and go to shared memory as columns
 * (gpu/product.c): of a row a warp takes a cache line, and of rows as many as it has threads for
 * and as there are.
 */
static void want_lines(assign *a, const ir_op *op, bool is_a) {
  simt_loaded x;
  uint8_t order[SIMT_BITS];
  if (!find_loaded(op, is_a, &x) || !simt_lies_along(&x, x.k, x.run)) return;
  unsigned vector = vector_bits(a->plan, x.all, x.run, x.width), n = 0;
  unsigned line = simt_log2(a->plan->target.gpu->line_bytes * 8 / x.width);
  unsigned warp = a->plan->lanes + vector;
  if (x.run <= line || warp <= line || x.all < warp) return;
  unsigned rows = MIN(warp - line, x.all - x.run);
  for (unsigned j = 0; j < line; j++) order[n++] = x.memory[j];
  for (unsigned j = 0; j < rows; j++) order[n++] = x.memory[x.run + j];
  for (unsigned j = line; j < x.run; j++) order[n++] = x.memory[j];
  for (unsigned j = x.run + rows; j < x.all; j++) order[n++] = x.memory[j];
  want_order(a, &x, order, vector);
}

static void assign_mma(assign *a, ir_op *op) {
  simt_op *info = op_info(a, op);
  if (a->private_) {
    info->mma = SIMT_MMA_FMA;
    hold(a, ir_result(op, 0), NULL, 0);
    return;
  }
  simt_dist d = simt_mma_choose(info, a->plan, op);
  hold(a, ir_result(op, 0), &d, 2);
  for (unsigned i = 0; info->mma == SIMT_MMA_GROUP && i < 2; i++) want_for_group(a, op, i == 0);
  for (unsigned i = 0; info->mma == SIMT_MMA_FMA && i < 2; i++) want_lines(a, op, i == 0);
  const ir_op *load = info->direct ? simt_mma_direct_load(a->plan, op) : NULL;
  if (!load) return;
  d = simt_dist_sorted(&info->b);
  want(a, load, &d);
}

/* ---- control flow --------------------------------------------------------------------------- */

static void note(assign *a, simt_value *wanted, const ir_op *jump) {
  for (uint32_t i = 0; i < jump->n_operands; i++) {
    const ir_value *v = ir_operand(jump, i);
    if (v->type->kind != IR_TILE) continue;
    unsigned rank = wanted[i].rank;
    prefer(a, v, &wanted[i].dist, &rank);
    wanted[i].rank = (uint8_t)rank;
  }
}

static frame *innermost_loop(assign *a) {
  frame *f = a->frame;
  while (f && f->op->opcode == OP_if) f = f->outer;
  return f;
}

static void assign_jump(assign *a, ir_op *op) {
  if (op->opcode == OP_yield && a->frame && !a->private_) note(a, a->frame->results, op);
  frame *loop = innermost_loop(a);
  if (op->opcode == OP_break && loop) note(a, loop->results, op);
  if (op->opcode == OP_continue && loop) note(a, loop->next, op);
}

static void settle(assign *a, ir_value *v, const simt_value *wanted) {
  if (v->type->kind == IR_TILE) hold(a, v, &wanted->dist, wanted->rank);
}

/* In the first walk nobody knows what the loop will carry; then it is what an iteration hands on,
 * else what enters. */
static void enter_loop(assign *a, ir_value *args, ir_use *init, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    if (args[i].type->kind != IR_TILE) continue;
    if (a->walk == 0) {
      hold(a, &args[i], NULL, 0);
    } else if (home_of(a, &args[i])->rank == 0) {
      simt_dist d;
      unsigned rank = 0;
      prefer(a, init[i].value, &d, &rank);
      hold(a, &args[i], &d, rank);
      if (rank == 0 && a->walk + 1 == WALKS) home_of(a, &args[i])->rank = 1;
    }
  }
}

static void assign_block(assign *a, ir_block *b);

static void assign_control(assign *a, ir_op *op) {
  bool is_loop = op->opcode != OP_if;
  uint32_t n_init = 0, skip = op->opcode == OP_for;
  ir_use *init = NULL;
  if (is_loop) init = ir_operand_group(op, skip ? 3 : 0, &n_init);
  frame f = {.op = op, .outer = a->frame};
  f.next = arena_array(a->plan->arena, simt_value, MAX(n_init, 1));
  f.results = arena_array(a->plan->arena, simt_value, MAX(op->n_results, 1));
  memset(f.next, 0, n_init * sizeof *f.next);
  memset(f.results, 0, op->n_results * sizeof *f.results);
  ir_value *args = is_loop ? ir_region(op, 0)->args : NULL;
  if (skip) hold(a, args, NULL, 0);
  if (is_loop) enter_loop(a, args + skip, init, n_init);
  a->frame = &f;
  for (unsigned i = 0; i < op->n_regions; i++)
    if (ir_region(op, i)) assign_block(a, ir_region(op, i));
  a->frame = f.outer;
  for (uint32_t i = 0; i < n_init; i++)
    if (a->walk == 0 && f.next[i].rank) settle(a, &args[skip + i], &f.next[i]);
  for (uint32_t i = 0; i < op->n_results; i++) {
    ir_value *v = ir_result(op, i);
    if (v->type->kind != IR_TILE) continue;
    if (op->opcode == OP_for)
      *home_of(a, v) = *home_of(a, &args[skip + i]); /* a for gives what it carries */
    else
      settle(a, v, &f.results[i]);
  }
}

/* A reduction's body: all threads at once, each for elements of its own. */
static void assign_body(assign *a, ir_op *op) {
  bool outer = a->private_;
  a->private_ = true;
  ir_block *b = ir_region(op, 0);
  for (uint32_t i = 0; i < b->n_args; i++) hold(a, &b->args[i], NULL, 0);
  assign_block(a, b);
  a->private_ = outer;
}

/* ---- operations ----------------------------------------------------------------------------- */

static void hold_results(assign *a, ir_op *op) {
  for (uint32_t i = 0; i < op->n_results; i++)
    if (ir_result(op, i)->type->kind == IR_TILE) hold(a, ir_result(op, i), NULL, 0);
}

static void assign_op(assign *a, ir_op *op) {
  switch (op->opcode) {
  case OP_constant:
  case OP_iota: be_lazy(a, ir_result(op, 0), true, NULL, 0); return;
  case OP_broadcast:
  case OP_reshape:
  case OP_permute:
  case OP_assume: assign_index_map(a, op); return;
  case OP_extract: assign_extract(a, op); return;
  case OP_cat: assign_cat(a, op); return;
  case OP_insert: assign_insert(a, op); return;
  case OP_pack:
  case OP_unpack: assign_reinterpret(a, op); return;
  case OP_reduce:
    assign_reduce(a, op);
    assign_body(a, op);
    return;
  case OP_scan:
    assign_scan(a, op);
    assign_body(a, op);
    return;
  case OP_mmaf:
  case OP_mmai:
  case OP_mmaf_scaled: assign_mma(a, op); return;
  case OP_load_view_tko: assign_load_view(a, op); return;
  case OP_load_ptr_tko:
  case OP_atomic_cas_tko:
  case OP_atomic_rmw_tko: assign_through_pointers(a, op); return;
  case OP_if:
  case OP_for:
  case OP_loop: assign_control(a, op); return;
  case OP_break:
  case OP_continue:
  case OP_yield: assign_jump(a, op); return;
  default: break;
  }
  if (ir_row(op)->traits & TRAIT_ELEMENTWISE)
    assign_elementwise(a, op);
  else
    hold_results(a, op);
}

static void assign_block(assign *a, ir_block *b) {
  for (ir_op *op = b->first; op; op = op->next) assign_op(a, op);
}

/* ---- how many warps ------------------------------------------------------------------------- */

typedef struct sizes {
  int64_t largest;
  bool products; /* accumulators stay in registers beside what else there is */
  bool reductions;
  bool wide_sums;       /* a product's take two registers each */
  unsigned group_warps; /* log2 of the most warps that an instruction of several keeps busy, or 0 */
  const simt_target *target;
} sizes;

static bool measure(void *user, ir_op *op) {
  sizes *s = user;
  bool product = op->opcode == OP_mmaf || op->opcode == OP_mmai || op->opcode == OP_mmaf_scaled;
  s->products |= product;
  s->wide_sums |= product && ir_result(op, 0)->type->elem == TSR_F64;
  const simt_vendor *vendor = s->target->vendor;
  if (product && vendor) s->group_warps = MAX(s->group_warps, vendor->group_warps(s->target, op));
  s->reductions |= op->opcode == OP_reduce;
  bool spread = op->opcode != OP_constant && op->opcode != OP_iota && op->opcode != OP_broadcast;
  for (uint32_t i = 0; spread && i < op->n_results; i++) {
    const ir_type *t = ir_result(op, i)->type;
    if (t->kind == IR_TILE) s->largest = MAX(s->largest, t->count);
  }
  for (uint32_t i = 0; i < op->n_operands; i++) {
    const ir_type *t = ir_operand(op, i)->type;
    if (t->kind == IR_TILE && op->opcode != OP_broadcast && op->opcode != OP_reshape)
      s->largest = MAX(s->largest, t->count);
  }
  return true;
}

int64_t simt_hint_or(const ir_op *op, const gpu_target *gpu, const char *key, int64_t missing) {
  const ir_attr *attr = ir_get_attr(op, ATTR_optimization_hints);
  int64_t found = missing;
  for (uint32_t i = 0; attr && i < attr->hints->len; i++) {
    const ir_hint *h = &attr->hints->data[i];
    if (!str_is(h->key, key)) continue;
    if (str_is(h->target, gpu->hints)) return h->value;
    if (str_is(h->target, "default")) found = h->value;
  }
  return found;
}

/* From 8 elements of the largest tile for each thread (few: four warps hide latencies) to 64, or 32
 * beside an accumulator (many: registers end). Where instructions of several warps are used the
 * block has what they keep busy unless registers end. */
static unsigned choose_warps(ir_op *entry, const simt_target *target, const sizes *s) {
  int64_t hint = simt_hint(entry, target->gpu, "num_worker_warps_per_cta");
  if (target->warps) return simt_log2(target->warps);
  if (hint > 0 && hint <= 1 << (SIMT_THREAD_BITS - target->gpu->lane_bits) &&
      (hint & (hint - 1)) == 0)
    return simt_log2(hint);
  unsigned n = s->largest > 0 ? simt_log2(s->largest) : 0, warps = 0;
  unsigned lanes = target->gpu->lane_bits, most = SIMT_THREAD_BITS - lanes;
  if (s->group_warps) {
    warps = s->group_warps;
    while (warps < most && n > lanes + 7 + warps) warps++;
    return warps;
  }
  while (warps < 2 && n > lanes + 3 + warps) warps++;
  while (warps < 3 && n > lanes + (s->products ? 5 : 6) + warps) warps++;
  if (s->products && target->gpu->vendor == GPU_AMD) { /* fragments are large, registers few */
    bool few = !target->gpu->accumulators;
    unsigned each = few ? 4 : 5, wide = few && s->wide_sums;
    while (warps < 4 && n + wide > lanes + each + warps) warps++;
    while (few && warps < most && n > lanes + 5 + warps) warps++;
  }
  while (warps < most && n > lanes + 7 + warps) warps++;
  return warps;
}

/* ---- what is computed where products take it ------------------------------------------------ */

static bool is_product(const ir_op *op) {
  return op->opcode == OP_mmaf || op->opcode == OP_mmai;
}

/* At most one operand is a tile that has to be kept for it. */
static bool has_one_source(const ir_op *op) {
  unsigned n = 0;
  for (uint32_t i = 0; i < op->n_operands; i++) {
    const ir_value *v = ir_operand(op, i);
    const ir_op *made = ir_defining_op(v);
    bool small = made && (made->opcode == OP_constant || made->opcode == OP_iota ||
                          made->opcode == OP_broadcast);
    n += bits_of(v) > 0 && !small;
  }
  return n <= 1;
}

static bool takes_elements(const assign *a, const ir_op *user, const ir_value *v) {
  if (is_product(user)) return v == ir_operand(user, 0) || v == ir_operand(user, 1);
  bool moves = user->opcode == OP_reshape || user->opcode == OP_permute;
  if (!moves && !(ir_row(user)->traits & TRAIT_ELEMENTWISE)) return false;
  return a->fused[ir_result(user, 0)->number];
}

/* From a block's end to its begin, so that uses are known before what they use. */
static bool find_fused(void *user, ir_op *parent) {
  assign *a = user;
  for (unsigned r = 0; r < parent->n_regions && parent->opcode != OP_reduce; r++) {
    ir_block *b = ir_region(parent, r);
    for (ir_op *op = b ? b->last : NULL; op; op = op->prev) {
      ir_value *v = op->n_results ? ir_result(op, 0) : NULL;
      bool loads = ir_is_load(op);
      bool moves = op->opcode == OP_reshape || op->opcode == OP_permute;
      bool computes = ir_row(op)->traits & TRAIT_ELEMENTWISE && has_one_source(op);
      if ((!loads && !moves && !computes) || v->type->kind != IR_TILE || v->type->count == 1)
        continue;
      /* What is loaded may have several users, what is computed is computed once. */
      bool all = v->uses && (loads || ir_has_one_use(v));
      for (const ir_use *u = v->uses; all && u; u = u->next)
        all = u->user->block == b && takes_elements(a, u->user, v);
      a->fused[v->number] = all;
    }
  }
  return true;
}

simt_plan *simt_assign(ir_module *m, ir_op *entry, const simt_target *target, arena *memory) {
  simt_plan *p = arena_new(memory, simt_plan);
  p->target = *target;
  p->lanes = target->gpu->lane_bits;
  p->arena = memory;
  p->module = m;
  sizes s = {.target = target};
  ir_walk(entry, measure, &s);
  p->warps = choose_warps(entry, target, &s);
  p->rows = s.reductions;
  p->n_values = ir_number_values(entry);
  p->values = arena_array(memory, simt_value, MAX(p->n_values, 1));
  memset(p->values, 0, p->n_values * sizeof *p->values);
  p->facts = facts_compute(entry, memory);
  assign a = {.plan = p, .fused = arena_array(memory, uint8_t, MAX(p->n_values, 1))};
  memset(a.fused, 0, p->n_values);
  ir_walk(entry, find_fused, &a);
  ir_block *body = ir_region(entry, 0);
  for (uint32_t i = 0; i < body->n_args; i++) hold(&a, &body->args[i], NULL, 0);
  for (a.walk = 0; a.walk < WALKS; a.walk++) assign_block(&a, body);
  if (target->vendor && !target->unstaged) simt_plan_pipelines(p, entry);
  if (target->vendor) target->vendor->plan_form(p, entry);
  INVARIANT_SAYS(simt_plan_problem(p, entry));
  return p;
}
