/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tune/work.h"

#include "block/erase.h"
#include "exec/scalar.h"
#include "num/int.h"
#include "opt/prepare.h"

enum { MOST_STEPS = 1 << 21 /* operations of all tile blocks together */ };

/* How a value came about, as far as it matters for what a product of it costs. */
typedef enum origin {
  FROM_ANYWHERE, /* its elements may be padding, or be left out by the operations that use them */
  FROM_INSIDE,   /* loaded from inside of a view, as it lies there */
  FROM_THOSE     /* computed from such values */
} origin;

typedef struct known {
  bool is_number; /* a scalar with this pattern */
  uint8_t origin;
  uint64_t pattern;
} known;

/* How a block of operations ended. */
typedef enum ending { FELL_THROUGH, YIELDED, CONTINUED, BROKE, RETURNED } ending;

typedef struct walk {
  const work_options *options;
  known *values; /* by ir_value.number */
  uint64_t steps;
  uint64_t id[3];
  work_count found;    /* in the tile block at hand */
  bool stores_outside; /* of a view, or through pointers */
  const ir_op *jump;   /* the terminator that ended a block; NULL: unknown */
  known *moved;        /* room for as many values as there are */
} walk;

static known *known_of(const walk *w, const ir_value *v) {
  return &w->values[v->number];
}

static bool number_of(const walk *w, const ir_value *v, uint64_t *out) {
  const known *k = known_of(w, v);
  *out = k->pattern;
  return k->is_number;
}

static void set_number(const walk *w, const ir_value *v, uint64_t pattern) {
  if (v->type->kind != IR_TILE || v->type->count != 1) return;
  *known_of(w, v) = (known){
      .is_number = true,
      .origin = FROM_THOSE,
      .pattern = num_wrap(pattern, v->type->elem == TSR_PTR ? 64 : tsr_elem_bits(v->type->elem))};
}

static void forget_results(const walk *w, const ir_op *op) {
  for (uint32_t i = 0; i < op->n_results; i++) *known_of(w, ir_result(op, i)) = (known){0};
}

/* ---- views ---------------------------------------------------------------------------------- */

/* Operand `which` of the view's '?', counted through shape and strides; unknown when the view is
 * not made where it can be seen. */
static bool extent_of(const walk *w, const ir_value *view, unsigned dimension, uint64_t *out) {
  const ir_op *made = ir_defining_op(view);
  const ir_type *t = view->type;
  uint32_t operand = 1;
  if (t->shape[dimension] != IR_DYNAMIC) {
    *out = (uint64_t)t->shape[dimension];
    return true;
  }
  if (!made || made->opcode != OP_make_tensor_view) return false;
  for (unsigned d = 0; d < dimension; d++) operand += t->shape[d] == IR_DYNAMIC;
  return number_of(w, ir_operand(made, operand), out);
}

/* The view that tiles are cut from, and its extent along a dimension of the tile. */
static bool extent_below(const walk *w, const ir_value *subview, unsigned dimension,
                         uint64_t *out) {
  const ir_op *made = ir_defining_op(subview);
  const ir_type *t = subview->type;
  if (t->kind != IR_PARTITION_VIEW && t->kind != IR_STRIDED_VIEW) return false;
  if (!made || (made->opcode != OP_make_partition_view && made->opcode != OP_make_strided_view))
    return false;
  return extent_of(w, ir_operand(made, 0), (unsigned)t->dim_map[dimension], out);
}

static uint64_t distance_of(const ir_type *subview, unsigned dimension) {
  return (uint64_t)(subview->kind == IR_PARTITION_VIEW ? subview->shape[dimension]
                                                       : subview->strides[dimension]);
}

/* How many elements of the tile at these indices are inside of the view; false: unknown. */
static bool count_inside(const walk *w, const ir_value *subview, const ir_use *index,
                         uint64_t *out) {
  const ir_type *t = subview->type;
  *out = 1;
  for (unsigned d = 0; d < t->rank; d++) {
    uint64_t i, extent, start;
    if (!extent_below(w, subview, d, &extent) || !number_of(w, index[d].value, &i)) return false;
    if (__builtin_mul_overflow(i, distance_of(t, d), &start) || start >= extent) {
      *out = 0;
      return true;
    }
    *out *= MIN((uint64_t)t->shape[d], extent - start);
  }
  return true;
}

static void see_load(walk *w, const ir_op *op) {
  uint32_t n;
  uint64_t inside;
  const ir_value *view = ir_operand_in(op, 0);
  const ir_use *index = ir_operand_group(op, 1, &n);
  if (count_inside(w, view, index, &inside) && inside == (uint64_t)view->type->count)
    known_of(w, ir_result(op, 0))->origin = FROM_INSIDE;
}

static void see_store(walk *w, const ir_op *op) {
  uint32_t n;
  uint64_t inside;
  const ir_value *view = ir_operand_in(op, 1);
  const ir_use *index = ir_operand_group(op, 2, &n);
  bool is_known = count_inside(w, view, index, &inside);
  if (!is_known || inside < (uint64_t)view->type->count) w->stores_outside = true;
  if (is_known) w->found.stored += (double)inside * tsr_elem_bits(view->type->elem) / 8;
}

static void see_shape(walk *w, const ir_op *op) {
  const ir_value *view = ir_operand(op, 0);
  uint64_t extent;
  for (unsigned d = 0; d < op->n_results; d++) {
    if (op->opcode == OP_get_tensor_shape) {
      if (extent_of(w, view, d, &extent)) set_number(w, ir_result(op, d), extent);
    } else if (extent_below(w, view, d, &extent)) {
      uint64_t step = distance_of(view->type, d);
      set_number(w, ir_result(op, d), extent / step + (extent % step != 0));
    }
  }
}

/* ---- arithmetic ----------------------------------------------------------------------------- */

/* Along the sum a tile has as many elements as the left one has in a row. */
static void see_product(walk *w, const ir_op *op) {
  const ir_value *a = ir_operand(op, 0), *b = ir_operand(op, 1);
  const ir_type *c = ir_result(op, 0)->type;
  bool inside = known_of(w, a)->origin && known_of(w, b)->origin;
  if (!inside && !w->options->whole_tiles) return;
  double bits = tsr_elem_bits(a->type->elem);
  double operations = 2.0 * (double)a->type->count * (double)c->shape[c->rank - 1];
  w->found.operations += operations;
  w->found.words += operations * MIN(bits / 32, 1);
  known_of(w, ir_result(op, 0))->origin = FROM_THOSE;
}

static void see_scalar(walk *w, const ir_op *op) {
  exec_elementwise what = exec_elementwise_of(op);
  uint64_t operands[3] = {0};
  for (unsigned i = 0; i < what.n_operands; i++)
    if (!number_of(w, ir_operand(op, i), &operands[i])) return;
  set_number(w, ir_result(op, 0), exec_scalar(&what, operands));
}

/* Whether it may multiply what was loaded as it lies in memory. */
static bool keeps_places(const ir_op *op) {
  return ir_row(op)->traits & TRAIT_ELEMENTWISE || op->opcode == OP_permute ||
         op->opcode == OP_assume;
}

/* What is computed from values that are inside is inside. */
static void see_tile(walk *w, const ir_op *op) {
  bool is_loaded = false;
  for (uint32_t i = 0; i < op->n_operands; i++) {
    origin from = (origin)known_of(w, ir_operand(op, i))->origin;
    if (from == FROM_ANYWHERE) return;
    is_loaded |= from == FROM_INSIDE;
  }
  if (is_loaded && !keeps_places(op)) return;
  for (uint32_t i = 0; i < op->n_results; i++)
    known_of(w, ir_result(op, i))->origin = is_loaded ? FROM_INSIDE : FROM_THOSE;
}

static void see_place(walk *w, const ir_op *op) {
  const tsr_grid *g = &w->options->grid;
  const uint64_t grid[3] = {g->x, g->y, g->z};
  for (uint32_t i = 0; i < MIN(op->n_results, 3u); i++)
    set_number(w, ir_result(op, i), op->opcode == OP_get_tile_block_id ? w->id[i] : grid[i]);
}

/* ---- control flow --------------------------------------------------------------------------- */

static ending walk_block(walk *w, const ir_block *b);

static void hand_over(walk *w, const ir_op *jump, const ir_value *to, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) w->moved[i] = *known_of(w, ir_operand(jump, i));
  for (uint32_t i = 0; i < n; i++) *known_of(w, &to[i]) = w->moved[i];
}

typedef struct exits {
  unsigned depth; /* loops between the operation and the one that is asked about */
  bool leaves_loop, returns;
} exits;

static void find_exits(const ir_op *op, exits *e) {
  bool is_loop = op->opcode == OP_for || op->opcode == OP_loop;
  e->returns |= op->opcode == OP_return;
  e->leaves_loop |= !e->depth && (op->opcode == OP_break || op->opcode == OP_continue);
  e->depth += is_loop;
  for (unsigned r = 0; r < op->n_regions; r++)
    for (const ir_op *x = op->regions[r] ? op->regions[r]->first : NULL; x; x = x->next)
      find_exits(x, e);
  e->depth -= is_loop;
}

/* An operation with regions of which it is not known whether they are executed. */
static ending pass_by(walk *w, const ir_op *op) {
  exits e = {0};
  find_exits(op, &e);
  forget_results(w, op);
  w->stores_outside = true;
  w->jump = NULL;
  return e.returns ? RETURNED : e.leaves_loop ? BROKE : FELL_THROUGH;
}

static ending walk_if(walk *w, const ir_op *op) {
  uint64_t condition;
  if (!number_of(w, ir_operand(op, 0), &condition)) return pass_by(w, op);
  const ir_block *taken = ir_region(op, condition ? 0 : 1);
  if (!taken) return FELL_THROUGH;
  ending e = walk_block(w, taken);
  if (e != YIELDED) return e;
  hand_over(w, w->jump, op->results, op->n_results);
  return FELL_THROUGH;
}

static bool is_over(const walk *w) {
  return w->steps >= MOST_STEPS;
}

/* A loop of which the rest is unknown may return from there. */
static ending leave_loop(walk *w, const ir_op *op, ending e) {
  ending rest = pass_by(w, op);
  return e == RETURNED ? e : rest;
}

static ending walk_loop(walk *w, const ir_op *op) {
  const ir_block *body = ir_region(op, 0);
  hand_over(w, op, body->args, body->n_args);
  for (;;) {
    ending e = walk_block(w, body);
    if ((e != BROKE && e != CONTINUED) || !w->jump) return leave_loop(w, op, e);
    bool ends = e == BROKE;
    hand_over(w, w->jump, ends ? op->results : body->args, op->n_results);
    if (ends) return FELL_THROUGH;
  }
}

/* The iterations have the numbers lower + n * step, which have no width. */
static ending walk_for(walk *w, const ir_op *op) {
  const ir_block *body = ir_region(op, 0);
  const unsigned bits = tsr_elem_bits(ir_operand(op, 0)->type->elem);
  const bool is_signed = !ir_int_attr(op, ATTR_unsignedCmp);
  uint64_t bounds[3];
  for (unsigned i = 0; i < 3; i++)
    if (!number_of(w, ir_operand(op, i), &bounds[i])) return pass_by(w, op);
  num_i128 at = num_int_value(bounds[0], bits, is_signed),
           end = num_int_value(bounds[1], bits, is_signed),
           step = num_int_value(bounds[2], bits, is_signed);
  const uint32_t n = op->n_results;
  for (uint32_t i = 0; i < n; i++)
    *known_of(w, &body->args[1 + i]) = *known_of(w, ir_operand(op, 3 + i));
  for (; at < end && step > 0; at += step) {
    set_number(w, &body->args[0], (uint64_t)at);
    ending e = walk_block(w, body);
    if (e != CONTINUED || !w->jump) return leave_loop(w, op, e);
    hand_over(w, w->jump, &body->args[1], n);
  }
  for (uint32_t i = 0; i < n; i++)
    *known_of(w, ir_result(op, i)) = *known_of(w, &body->args[1 + i]);
  return FELL_THROUGH;
}

/* ---- operations ----------------------------------------------------------------------------- */

static ending end_block(walk *w, const ir_op *op) {
  w->jump = op;
  switch (op->opcode) {
  case OP_yield: return YIELDED;
  case OP_continue: return CONTINUED;
  case OP_break: return BROKE;
  default: return RETURNED;
  }
}

static void see(walk *w, const ir_op *op) {
  forget_results(w, op);
  switch (op->opcode) {
  case OP_get_tile_block_id:
  case OP_get_num_tile_blocks: see_place(w, op); return;
  case OP_get_tensor_shape:
  case OP_get_index_space_shape: see_shape(w, op); return;
  case OP_load_view_tko: see_load(w, op); return;
  case OP_store_view_tko: see_store(w, op); return;
  case OP_mmaf:
  case OP_mmai: see_product(w, op); return;
  case OP_constant:
    set_number(w, ir_result(op, 0), ir_dense_get(ir_get_attr(op, ATTR_value)->dense, 0));
    break;
  case OP_assume:
  case OP_reshape:
  case OP_broadcast: {
    uint64_t pattern;
    if (number_of(w, ir_operand(op, 0), &pattern)) set_number(w, ir_result(op, 0), pattern);
    break;
  }
  default:
    if (ir_row(op)->traits & TRAIT_ELEMENTWISE && ir_result(op, 0)->type->count == 1)
      see_scalar(w, op);
    if (ir_is_store(op) || ir_is_atomic(op)) w->stores_outside = true;
  }
  if (ir_only_computes(op)) see_tile(w, op);
}

static ending walk_op(walk *w, const ir_op *op) {
  if (ir_is_terminator(op)) return end_block(w, op);
  switch (op->opcode) {
  case OP_if: return walk_if(w, op);
  case OP_for: return walk_for(w, op);
  case OP_loop: return walk_loop(w, op);
  default: break;
  }
  if (op->n_regions && op->opcode != OP_reduce && op->opcode != OP_scan) return pass_by(w, op);
  see(w, op);
  return FELL_THROUGH;
}

static ending walk_block(walk *w, const ir_block *b) {
  for (const ir_op *op = b->first; op; op = op->next) {
    if (++w->steps >= MOST_STEPS) return RETURNED;
    ending e = walk_op(w, op);
    if (e != FELL_THROUGH) return e;
  }
  return RETURNED;
}

/* ---- a launch ------------------------------------------------------------------------------- */

static work_count least_of(work_count a, work_count b) {
  return (work_count){MIN(a.operations, b.operations), MIN(a.words, b.words),
                      MIN(a.stored, b.stored)};
}
static work_count largest_of(work_count a, work_count b) {
  return (work_count){MAX(a.operations, b.operations), MAX(a.words, b.words),
                      MAX(a.stored, b.stored)};
}

static void walk_tile_block(walk *w, const ir_op *entry) {
  const ir_block *body = ir_region(entry, 0);
  w->found = (work_count){0};
  w->stores_outside = false;
  for (uint32_t i = 0; i < body->n_args; i++) {
    const tsr_arg *arg = &w->options->args[i];
    *known_of(w, &body->args[i]) = (known){0};
    if (arg->kind == TSR_ARG_SCALAR) set_number(w, &body->args[i], arg->bits);
  }
  walk_block(w, body);
  /* What is left out, or not seen, may be stored outside. */
  if (!w->options->whole_tiles && (w->stores_outside || is_over(w)))
    w->found.operations = w->found.words = 0;
}

static void add(launch_work *sum, work_count block) {
  sum->total.operations += block.operations;
  sum->total.words += block.words;
  sum->total.stored += block.stored;
  sum->largest = largest_of(sum->largest, block);
  sum->least = sum->least.operations < 0 ? block : least_of(sum->least, block);
}

launch_work work_of(ir_module *m, ir_op *entry, const work_options *o, arena *a) {
  const tsr_grid *g = &o->grid;
  uint32_t n = ir_number_values(m->op);
  walk w = {.options = o,
            .values = arena_alloc_zero(a, (n + 1) * sizeof(known), 8),
            .moved = arena_array(a, known, n + 1)};
  launch_work sum = {.least = {.operations = -1}, .blocks = (uint64_t)g->x * g->y * g->z};
  for (uint64_t i = 0; i < sum.blocks; i++) {
    w.id[0] = i % g->x, w.id[1] = i / g->x % g->y, w.id[2] = i / g->x / g->y;
    walk_tile_block(&w, entry);
    add(&sum, w.found);
    if (!is_over(&w)) continue;
    sum.least = (work_count){0};
    break;
  }
  return sum;
}

launch_work work_prepared(const ir_module *m, ir_op *entry, bool on_cpu, const tsr_arg *args,
                          tsr_grid grid) {
  launch_work none = {0}, found = none;
  ir_op *copied = NULL;
  ir_module *copy = opt_prepare(m, &entry, 1, on_cpu ? block_erase_threads : NULL, &copied, NULL);
  TSR_GUARD(m->ctx, {
    ir_module_destroy(copy);
    return none;
  });
  work_options options = {.whole_tiles = !on_cpu, .args = args, .grid = grid};
  if (copy) found = work_of(copy, copied, &options, &copy->arena);
  TSR_UNGUARD(m->ctx);
  ir_module_destroy(copy);
  return found;
}
