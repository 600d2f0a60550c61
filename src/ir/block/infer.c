/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * How layouts spread. Operations wait in two heaps to be looked at, the first one of the program
 * forward and the last one backward: a layout that is found lets the operations around it wait
 * again. A layout that was found stays, so that every operation is looked at as often as it has
 * operands and results at most.
 */
#include "ir/block/infer.h"

#include "ir/block/groups.h"
#include "ir/rules.h"

typedef enum direction { FORWARD, BACKWARD } direction;

/* ---- the table ------------------------------------------------------------------------------ */

infer_value *infer_row(infer *x, const ir_value *v) {
  return &x->values.data[x->values.data[v->number].same_as];
}

static uint32_t number_of(const infer *x, const ir_op *op) {
  const uintptr_t *n = map_get(&x->numbers, (uintptr_t)op);
  return n ? (uint32_t)*n : 0;
}

const infer_op *infer_op_row(infer *x, const ir_op *op) {
  return &x->ops.data[number_of(x, op) - 1];
}

static void add_value(infer *x, ir_value *v, int32_t threads) {
  const tsr_layout *l = infer_needs(v->type) ? v->type->layout : NULL;
  infer_value row = {.value = v,
                     .layout = l,
                     .same_as = x->values.len,
                     .threads = threads,
                     .rank = l ? INFER_STATED : INFER_NONE,
                     .stated = l};
  v->number = x->values.len;
  vec_push(&x->scratch, x->values, row);
}

void infer_add_value(infer *x, ir_value *v) {
  add_value(x, v, 0);
}

static bool add_op(infer *x, ir_op *op, ir_threads threads) {
  if (!infer_is_sound(op)) return false;
  infer_op row = {.op = op, .threads = threads.count};
  vec_push(&x->scratch, x->ops, row);
  *map_put(&x->scratch, &x->numbers, (uintptr_t)op) = x->ops.len;
  return true;
}

typedef struct walk_frame {
  ir_op *op, *next;
  unsigned region;
  ir_threads threads; /* of the body */
} walk_frame;

static void enter(infer *x, walk_frame *f) {
  ir_block *b = f->op->regions[f->region++];
  f->next = b ? b->first : NULL;
  for (uint32_t i = 0; b && i < b->n_args; i++) add_value(x, &b->args[i], f->threads.count);
}

static walk_frame frame_of(ir_op *op, ir_threads around) {
  return (walk_frame){.op = op, .threads = ir_threads_of(op, around)};
}

static bool collect(infer *x, ir_op *entry) {
  VEC(walk_frame) frames = {0};
  vec_push(&x->scratch, frames,
           ((walk_frame){.op = entry, .threads = {0, (int32_t)ir_int_attr(entry, ATTR_threads)}}));
  while (frames.len) {
    walk_frame *f = &vec_last(frames);
    ir_op *op = f->next;
    if (op) {
      f->next = op->next;
      if (!add_op(x, op, f->threads)) return false;
      int32_t of_group = ir_threads_of(op, f->threads).count;
      for (uint32_t i = 0; i < op->n_results; i++) add_value(x, &op->results[i], of_group);
      if (op->n_regions) vec_push(&x->scratch, frames, frame_of(op, f->threads));
    } else if (f->region < f->op->n_regions) {
      enter(x, f);
    } else {
      frames.len--;
    }
  }
  return true;
}

/* Values of other kernels, which the verifier reports. */
static bool knows_operands(const infer *x) {
  for (uint32_t i = 0; i < x->ops.len; i++)
    for (uint32_t k = 0; k < x->ops.data[i].op->n_operands; k++) {
      const ir_value *v = ir_operand(x->ops.data[i].op, k);
      if (v->number >= x->values.len || x->values.data[v->number].value != v) return false;
    }
  return true;
}

static bool any_missing(const infer *x) {
  for (uint32_t i = 0; i < x->values.len; i++)
    if (infer_needs(x->values.data[i].value->type) && !x->values.data[i].layout) return true;
  return false;
}

/* Of a for: what the body gets is what it results in. */
static void unite(infer *x, const ir_op *loop) {
  for (uint32_t i = 0; i < loop->n_results; i++) {
    infer_value *arg = &x->values.data[ir_region(loop, 0)->args[i + 1].number],
                *result = &x->values.data[loop->results[i].number];
    if (!arg->layout) {
      arg->layout = result->layout;
      arg->rank = result->rank;
    }
    if (!result->layout || result->layout == arg->layout) result->same_as = arg->same_as;
  }
}

/* Where a jump goes to knows the jump. */
static void link_jump(infer *x, uint32_t i) {
  ir_op *op = x->ops.data[i].op;
  const ir_value *target = op->n_operands && ir_is_terminator(op) ? infer_target(op, 0) : NULL;
  if (!target) return;
  const ir_op *home = target->is_arg ? target->owner.block->parent : target->owner.op;
  infer_op *h = &x->ops.data[number_of(x, home) - 1];
  x->ops.data[i].others = h->jumps;
  h->jumps = i + 1;
}

static bool only_moves(const ir_op *op) {
  bool shape = op->opcode == OP_reshape || op->opcode == OP_permute;
  return op->n_results == 1 && !op->n_regions &&
         (shape || (ir_row(op)->traits & TRAIT_ELEMENTWISE && ir_only_computes(op)) ||
          op->opcode == OP_select);
}

/* Whether the value can be computed in any layout, and how many operations that takes. */
static void judge(infer *x, const ir_op *op) {
  enum { MOST = 16 };
  if (op->n_results != 1 || !infer_needs(result_type(op, 0))) return;
  infer_value *v = &x->values.data[op->results[0].number];
  unsigned cost = 1;
  bool free = op->opcode == OP_constant || op->opcode == OP_iota;
  bool any =
      op->opcode == OP_broadcast || op->opcode == OP_load_shared || op->opcode == OP_convert_layout;
  bool all = only_moves(op) && !(op->opcode == OP_reshape && !operand_type(op, 0)->rank);
  bool cheap = free || only_moves(op) || op->opcode == OP_broadcast;
  for (uint32_t i = 0; i < op->n_operands; i++) {
    if (!infer_needs(operand_type(op, i))) continue;
    const infer_value *from = &x->values.data[ir_operand(op, i)->number];
    all &= from->movable;
    cheap &= from->cost != 0;
    cost += from->cost;
  }
  v->movable = free || any || all;
  v->cost = cheap && cost <= MOST ? (uint8_t)cost : 0;
}

/* ---- heaps ---------------------------------------------------------------------------------- */

/* The smallest number first forward, the largest first backward. */
static bool is_before(direction d, uint32_t a, uint32_t b) {
  return d == FORWARD ? a < b : a > b;
}

static void let_wait(infer *x, direction d, const ir_op *op) {
  uint32_t n = number_of(x, op);
  if (!n || x->ops.data[n - 1].waits[d]) return;
  x->ops.data[n - 1].waits[d] = true;
  infer_heap *h = &x->heaps[d];
  vec_push(&x->scratch, *h, n - 1);
  for (uint32_t i = h->len - 1; i && is_before(d, h->data[i], h->data[(i - 1) / 2]);
       i = (i - 1) / 2) {
    uint32_t t = h->data[i];
    h->data[i] = h->data[(i - 1) / 2];
    h->data[(i - 1) / 2] = t;
  }
}

static ir_op *take(infer *x, direction d) {
  infer_heap *h = &x->heaps[d];
  uint32_t top = h->data[0], last = h->data[--h->len], i = 0;
  for (uint32_t k; (k = 2 * i + 1) < h->len; i = k) {
    if (k + 1 < h->len && is_before(d, h->data[k + 1], h->data[k])) k++;
    if (!is_before(d, h->data[k], last)) break;
    h->data[i] = h->data[k];
  }
  if (h->len) h->data[i] = last;
  x->ops.data[top].waits[d] = false;
  return x->ops.data[top].op;
}

/* ---- spreading ------------------------------------------------------------------------------ */

static bool has_shape(const tsr_layout *l, const ir_type *t) {
  bool same = l->rank == t->rank;
  for (unsigned d = 0; same && d < t->rank; d++) same = l->shape[d] == t->shape[d];
  return same;
}

/* Those who use the value, and those that give it. */
static void tell(infer *x, const ir_value *v) {
  for (const ir_use *u = v->uses; u; u = u->next) {
    let_wait(x, FORWARD, u->user);
    let_wait(x, BACKWARD, u->user); /* whose needs may follow from this operand */
  }
  const ir_op *home = v->is_arg ? v->owner.block->parent : v->owner.op;
  let_wait(x, BACKWARD, home);
  for (uint32_t n = number_of(x, home) ? infer_op_row(x, home)->jumps : 0; n;
       n = x->ops.data[n - 1].others)
    let_wait(x, BACKWARD, x->ops.data[n - 1].op);
}

/* The result of the for whose argument this is. */
static const ir_value *twin(infer *x, const ir_value *v) {
  const ir_op *loop = v->is_arg ? v->owner.block->parent : NULL;
  if (!loop || loop->opcode != OP_for || v->index == 0) return NULL;
  const ir_value *r = ir_result(loop, v->index - 1);
  return infer_row(x, r)->value == v ? r : NULL;
}

static void set(infer *x, const ir_value *of, const tsr_layout *l, infer_rank rank) {
  infer_value *v = infer_row(x, of);
  if (!l || v->layout || !infer_needs(of->type) || !has_shape(l, of->type)) return;
  v->layout = l;
  v->rank = (uint8_t)rank;
  tell(x, v->value);
  const ir_value *other = twin(x, v->value);
  if (other) tell(x, other);
}

static void look_forward(infer *x, ir_op *op) {
  for (uint32_t i = 0; i < op->n_operands; i++) {
    const ir_value *target = infer_target(op, i);
    const infer_value *from = infer_row(x, ir_operand(op, i));
    if (target && from->layout && (!from->movable || from->stated))
      set(x, target, from->layout, (infer_rank)from->rank);
  }
  for (uint32_t i = 0;
       i < op->n_results && (!op->n_regions || op->opcode == OP_reduce || op->opcode == OP_scan);
       i++) {
    infer_rank rank;
    const ir_value *v = ir_result(op, i);
    if (!infer_needs(v->type) || infer_layout(x, v)) continue;
    const tsr_layout *l = infer_forward(x, op, i, &rank);
    set(x, v, l, rank);
  }
}

static void look_backward(infer *x, ir_op *op) {
  infer_rank rank = INFER_STATED;
  for (uint32_t i = 0; i < op->n_results; i++)
    if (infer_layout(x, ir_result(op, i))) rank = (infer_rank)infer_row(x, ir_result(op, i))->rank;
  for (uint32_t i = 0; i < op->n_operands; i++) {
    const infer_value *v = infer_row(x, ir_operand(op, i));
    const ir_value *target = infer_target(op, i);
    if (target) rank = (infer_rank)infer_row(x, target)->rank;
    if (!v->layout && v->movable) set(x, v->value, infer_need(x, op, i, NULL), rank);
  }
}

static void spread(infer *x) {
  while (x->heaps[FORWARD].len || x->heaps[BACKWARD].len) {
    if (x->heaps[FORWARD].len)
      look_forward(x, take(x, FORWARD));
    else
      look_backward(x, take(x, BACKWARD));
  }
}

/* ---- the order of certainty ----------------------------------------------------------------- */

static void from_stated(infer *x) {
  for (uint32_t i = 0; i < x->ops.len; i++) {
    let_wait(x, FORWARD, x->ops.data[i].op);
    let_wait(x, BACKWARD, x->ops.data[i].op);
  }
  spread(x);
}

static bool is_load(const ir_op *op) {
  return op->opcode == OP_load_global || op->opcode == OP_load_ptr_tko || ir_is_atomic(op);
}

static void from_load(infer *x, const infer_op *row) {
  const ir_op *op = row->op;
  const ir_value *v = op->n_results ? ir_result(op, 0) : NULL;
  if (!v || !infer_needs(v->type) || infer_layout(x, v)) return;
  bool knows = op->opcode == OP_load_global || op->opcode == OP_load_shared;
  set(x, v,
      knows ? infer_of_memory(x, v->type, operand_type(op, 0), row->threads)
            : infer_default(x, v->type, row->threads),
      INFER_MEMORY);
}

static void from_store(infer *x, const infer_op *row) {
  const ir_op *op = row->op;
  bool stores = op->opcode == OP_store_global || op->opcode == OP_store_shared ||
                op->opcode == OP_store_async;
  if (!stores) return;
  const ir_value *v = ir_operand(op, 0);
  if (!infer_layout(x, v))
    set(x, v, infer_of_memory(x, v->type, operand_type(op, 1), row->threads), INFER_MEMORY);
}

/* Loads of global memory all at once, so that of two that meet the one with more bytes stays. What
 * shared memory holds is loaded as others ask for, if they do. */
static void from_memory(infer *x) {
  for (uint32_t i = 0; i < x->ops.len; i++)
    if (is_load(x->ops.data[i].op)) from_load(x, &x->ops.data[i]);
  spread(x);
  for (uint32_t i = 0; i < x->ops.len; i++) {
    if (x->ops.data[i].op->opcode == OP_load_shared) from_load(x, &x->ops.data[i]);
    spread(x);
  }
  for (uint32_t i = 0; i < x->ops.len; i++) {
    from_store(x, &x->ops.data[i]);
    spread(x);
  }
}

/* The last value first: those that it is computed from follow it. */
static void from_nothing(infer *x) {
  for (uint32_t i = x->values.len; i-- > 0;) {
    const infer_value *v = &x->values.data[i];
    if (v->same_as != i || v->layout || !infer_needs(v->value->type)) continue;
    set(x, v->value, infer_default(x, v->value->type, v->threads), INFER_DEFAULT);
    spread(x);
  }
}

/* ---- what is not found ---------------------------------------------------------------------- */

/* No layout goes through reinterpret: the bits of a thread could be cut in many ways. */
static bool check_reinterpret(infer *x, const ir_op *op) {
  const infer_value *from = &x->values.data[ir_operand(op, 0)->number],
                    *to = &x->values.data[ir_result(op, 0)->number];
  if (from->stated && to->stated) return true;
  const ir_value *v = from->stated ? to->value : from->value;
  const char *name = v->name        ? arena_printf(&x->scratch, "%%%s", v->name)
                     : from->stated ? "its result"
                                    : "its operand";
  return rule_fail(x->m, op,
                   "the layout of %s cannot be found, because none goes through reinterpret; state "
                   "it in the type where the value is defined, %s",
                   name, type_text(x->m, v->type));
}

static bool check(infer *x) {
  bool ok = true;
  for (uint32_t i = 0; i < x->ops.len; i++)
    if (x->ops.data[i].op->opcode == OP_reinterpret) ok &= check_reinterpret(x, x->ops.data[i].op);
  return ok;
}

static void prepare(infer *x) {
  for (uint32_t i = 0; i < x->ops.len; i++) {
    const ir_op *op = x->ops.data[i].op;
    if (op->opcode == OP_for) unite(x, op);
    link_jump(x, i);
    judge(x, op);
  }
}

/* ---- kernels -------------------------------------------------------------------------------- */

static bool infer_kernel(infer *x, ir_op *entry) {
  if (!infer_is_sound(entry) || !collect(x, entry) || !knows_operands(x)) return true;
  if (!any_missing(x)) { /* but types that uses state */
    infer_set_constants(x);
    return true;
  }
  if (!check(x)) return false;
  prepare(x);
  from_stated(x);
  from_memory(x);
  from_nothing(x);
  return infer_apply(x);
}

static bool in_scratch(ir_module *m, ir_op *entry) {
  infer *x = arena_new(&m->arena, infer);
  x->m = m;
  arena_init(&x->scratch, m->ctx);
  TSR_GUARD(m->ctx, {
    arena_free(&x->scratch);
    ctx_unwind(m->ctx);
  });
  bool ok = infer_kernel(x, entry);
  TSR_UNGUARD(m->ctx);
  arena_free(&x->scratch);
  return ok;
}

bool ir_infer_layouts(ir_module *m) {
  bool ok = true;
  const ir_block *body = m->block_level ? ir_region(m->op, 0) : NULL;
  for (ir_op *op = body ? body->first : NULL; op; op = op->next) {
    int64_t threads = op->opcode == OP_entry ? ir_int_attr(op, ATTR_threads) : 0;
    if (threads >= 1 && threads <= 1024) ok &= in_scratch(m, op);
  }
  return ok;
}
