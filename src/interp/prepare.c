/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Preparing a kernel: operations to instructions, regions to jumps, values to slots.
 *
 * Slots are reused. A value lives from the operation that makes it to the last operation of its own
 * block that uses it, itself or in its regions; then its slot is free for others. What a region's
 * end writes (results of if and loop, arguments of a loop's body) has its slot throughout.
 */
#include "interp/barriers.h"
#include "interp/crew.h"
#include "interp/late.h"
#include "ir/block/clusters.h"
#include "ir/block/groups.h"
#include "ir/block/layouts.h"

#include <setjmp.h>

enum {
  MAX_DEPTH = 256, /* of nested regions */
  GRANULE = 64,    /* sizes and offsets of slots */
};
#define MAX_FRAME ((size_t)MIN((uint64_t)4 << 30, SIZE_MAX / 4))
#define NO_LINK   UINT32_MAX

typedef struct span {
  size_t start, end;
} span;

/* A region being prepared, and where its terminators jump to. Targets that are not known yet are
 * chains: the target field of each jump leads to the jump before it, and then to NO_LINK. */
typedef struct scope {
  struct scope *outer;
  const ir_op *op;       /* for, loop, if, reduce, scan; NULL: the kernel */
  const slot *args;      /* continue writes them (for: after the iteration variable) */
  const slot *results;   /* yield and break write them */
  uint32_t head;         /* loop: continue goes there */
  uint32_t next, behind; /* chains: to the step of a for; to what follows the operation */
} scope;

typedef struct prep {
  interp_program *p;
  ir_module *m;
  arena *scratch;
  VEC(inst) code;
  slot *slots;         /* by the value's number */
  const ir_op **last;  /* by the value's number: its last use in its own block */
  VEC(span) free;      /* below `top`; sorted, not touching each other */
  VEC(span) allocas;   /* what alloca took in the blocks being prepared */
  size_t top, highest; /* slots end at `top` now, and never went beyond `highest` */
  int64_t lanes;       /* in the body of a reduction: copies of every scalar */
  unsigned depth;
  bool watched; /* interp/watch.h */
  bool crew;    /* its threads go separate ways: values keep their places */
  bool forked;  /* groups may be under way here */
  bool failed;
} prep;

/* ---- room in the frame ---------------------------------------------------------------------- */

static size_t round_up(size_t bytes) {
  return (bytes + GRANULE - 1) / GRANULE * GRANULE;
}

static void remove_span(prep *s, uint32_t k) {
  memmove(&s->free.data[k], &s->free.data[k + 1], (s->free.len - k - 1) * sizeof(span));
  s->free.len--;
}

/* Zero bytes need no room. Too much is reported at `op`, once. */
static slot take(prep *s, const ir_op *op, size_t bytes) {
  if (bytes == 0) return 0;
  if (bytes > MAX_FRAME) bytes = MAX_FRAME + 1;
  bytes = round_up(bytes);
  for (uint32_t k = 0; k < s->free.len; k++) {
    span *hole = &s->free.data[k];
    if (hole->end - hole->start < bytes) continue;
    slot found = hole->start;
    hole->start += bytes;
    if (hole->start == hole->end) remove_span(s, k);
    return found;
  }
  slot found = s->top;
  s->top = MIN(s->top + bytes, 2 * MAX_FRAME);
  s->highest = MAX(s->highest, s->top);
  if (s->highest > MAX_FRAME && !s->failed) {
    ir_error(s->m, op,
             "the tiles in use here take more than the %zu MiB that the interpreter gives a tile "
             "block%s; use smaller tiles",
             MAX_FRAME >> 20,
             s->watched ? " (where it is sanitized or debugged, none shares memory)" : "");
    s->failed = true;
  }
  return found;
}

static void give(prep *s, slot start, size_t bytes) {
  if (bytes == 0 || s->failed || s->watched || s->crew) return;
  span hole = {start, start + round_up(bytes)};
  uint32_t k = 0;
  while (k < s->free.len && s->free.data[k].start < hole.start) k++;
  if (k > 0 && s->free.data[k - 1].end == hole.start) {
    hole.start = s->free.data[--k].start;
    remove_span(s, k);
  }
  if (k < s->free.len && s->free.data[k].start == hole.end) {
    hole.end = s->free.data[k].end;
    remove_span(s, k);
  }
  if (hole.end == s->top) { /* it was the last */
    s->top = hole.start;
    return;
  }
  vec_push(s->scratch, s->free, hole);
  memmove(&s->free.data[k + 1], &s->free.data[k], (s->free.len - 1 - k) * sizeof(span));
  s->free.data[k] = hole;
}

/* ---- values --------------------------------------------------------------------------------- */

static size_t value_bytes(const prep *s, const ir_type *t) {
  if (ir_is_tile(t)) return tsr_elem_storage((tsr_elem)t->elem, (size_t)(t->count * s->lanes));
  if (t->kind == IR_TOKEN) return s->watched ? WATCH_TOKEN_BYTES : 0;
  return interp_value_bytes(t);
}

size_t interp_value_bytes(const ir_type *t) {
  if (ir_is_tile(t)) return tsr_elem_storage((tsr_elem)t->elem, (size_t)t->count);
  if (t->kind == IR_ASYNC) return async_set(t) + sizeof(uint64_t);
  if (t->kind == IR_SHARED) return sizeof(shared_part);
  if (t->kind == IR_MBARRIER) return sizeof(uint64_t);
  return 8 * (1 + 2 * (size_t)(t->view ? t->view : t)->rank);
}

static slot slot_of(const prep *s, const ir_value *v) {
  return s->slots[v->number];
}

static void take_values(prep *s, const ir_op *op, const ir_value *values, uint32_t n) {
  for (uint32_t k = 0; k < n; k++)
    s->slots[values[k].number] = take(s, op, value_bytes(s, values[k].type));
}

static void give_value(prep *s, const ir_value *v) {
  give(s, slot_of(s, v), value_bytes(s, v->type));
}

static const slot *slot_list(prep *s, const ir_value *values, uint32_t n) {
  slot *list = arena_array(&s->p->arena, slot, n);
  for (uint32_t k = 0; k < n; k++) list[k] = slot_of(s, &values[k]);
  return list;
}

/* Finds the last use of each value of a block. Uses in nested regions count as uses by the block's
 * own operation around them. */
typedef struct use_walk {
  prep *s;
  const ir_block *block;
  const ir_op *op; /* of the block */
} use_walk;

static bool note_uses(void *user, ir_op *op) {
  use_walk *w = user;
  for (uint32_t k = 0; k < op->n_operands; k++) {
    const ir_value *v = ir_operand(op, k);
    const ir_block *home = v->is_arg ? v->owner.block : v->owner.op->block;
    if (home == w->block) w->s->last[v->number] = w->op;
  }
  return true;
}

static bool give_last_used(void *user, ir_op *op) {
  use_walk *w = user;
  for (uint32_t k = 0; k < op->n_operands; k++) {
    const ir_value *v = ir_operand(op, k);
    /* Arguments stay to the end of their region: they may be written again. */
    if (v->is_arg || w->s->last[v->number] != w->op) continue;
    w->s->last[v->number] = NULL;
    give_value(w->s, v);
  }
  return true;
}

/* ---- instructions --------------------------------------------------------------------------- */

static inst *emit(prep *s, inst_fn run, const ir_op *op) {
  vec_push(s->scratch, s->code, (inst){.run = run, .op = op, .target = NO_LINK});
  return &vec_last(s->code);
}

static uint32_t here(const prep *s) {
  return s->code.len;
}

/* Makes the jumps of a chain lead here. */
static void land(prep *s, uint32_t chain) {
  while (chain != NO_LINK) {
    inst *i = &s->code.data[chain];
    chain = i->target;
    i->target = here(s);
  }
}

/* Adds the instruction emitted last to a chain. */
static void link_last(prep *s, uint32_t *chain) {
  vec_last(s->code).target = *chain;
  *chain = here(s) - 1;
}

/* A jump that hands over values; its target is still to be set. `written` is the block whose
 * arguments lie at `to`, NULL when they are results: only arguments may be read and written at
 * once, as in `continue %y, %x`. */
static void emit_jump(prep *s, const ir_op *op, const ir_use *from, const slot *to, uint32_t n,
                      const ir_block *written) {
  move *moves = arena_array(&s->p->arena, move, n);
  bool staged = false;
  size_t total = 0;
  for (uint32_t k = 0; k < n; k++) {
    const ir_value *v = from[k].value;
    moves[k] = (move){slot_of(s, v), to[k], value_bytes(s, v->type)};
    total += moves[k].bytes;
    staged |= v->is_arg && v->owner.block == written && moves[k].from != moves[k].to;
  }
  slot temp = 0;
  if (staged) {
    temp = take(s, op, total);
    give(s, temp, total); /* nothing else runs while values move */
  }
  inst *i = emit(s, run_jump, op);
  i->jump.moves = moves;
  i->jump.n_moves = n;
  i->jump.staged = staged;
  i->temp = temp;
}

static void jump_to(prep *s, uint32_t target) {
  vec_last(s->code).target = target;
}
static void jump_on(prep *s) {
  jump_to(s, here(s));
}

static void set_operands(prep *s, inst *i, const slot *in, uint32_t n) {
  slot *copy = arena_array(&s->p->arena, slot, n);
  memcpy(copy, in, n * sizeof *copy);
  i->in = copy;
}

/* ---- plain operations ----------------------------------------------------------------------- */

/* Room that an operation needs only while it runs. */
static size_t temp_bytes(const ir_op *op) {
  switch (op->opcode) {
  case OP_mmaf:
  case OP_wgmma:
  case OP_mmaf_scaled: return mma_temp_bytes(op);
  case OP_print_tko: return op->segments[0] * sizeof(rt_print_arg);
  default: return 0;
  }
}

/* The memory lasts as long as the block the operation is in: emit_block gives it back. */
static void prepare_alloca(prep *s, const ir_op *op, inst *i) {
  uint64_t n = (uint64_t)ir_int_attr(op, ATTR_num_elem);
  uint64_t align = MAX((uint64_t)ir_int_attr(op, ATTR_alignment), (uint64_t)1);
  size_t bytes = MAX_FRAME;
  if (n < MAX_FRAME && align < MAX_FRAME)
    bytes = tsr_elem_storage((tsr_elem)ir_result(op, 0)->type->pointee, n) + align;
  i->alloca.align = align;
  i->alloca.memory = take(s, op, bytes);
  vec_push(s->scratch, s->allocas, (span){i->alloca.memory, i->alloca.memory + bytes});
}

/* The same for shared memory, aligned to what its swizzle permutes. */
static void prepare_shared(prep *s, const ir_op *op, inst *i) {
  const ir_type *t = ir_result(op, 0)->type;
  int64_t period = ir_memory_period(t->memory);
  uint64_t align = MAX((uint64_t)ir_int_attr(op, ATTR_alignment), (uint64_t)16);
  size_t bytes = tsr_elem_storage((tsr_elem)t->elem, (size_t)ir_memory_extent(t->memory));
  align = MAX(align, (uint64_t)tsr_elem_storage((tsr_elem)t->elem, (size_t)period));
  if (align >= MAX_FRAME || bytes >= MAX_FRAME) bytes = align = MAX_FRAME;
  s->p->align = MAX(s->p->align, align);
  i->alloca.align = align;
  i->alloca.memory = take(s, op, bytes + align);
  vec_push(s->scratch, s->allocas, (span){i->alloca.memory, i->alloca.memory + bytes + align});
}

static void prepare_mbarriers(prep *s, const ir_op *op, inst *i) {
  i->alloca.memory = take(s, op, (size_t)ir_result(op, 0)->type->count * sizeof(interp_mbarrier));
}

static inst_fn function_of(const prep *s, op_code opcode) {
  inst_fn late = s->p->copies != INTERP_COPIES_EAGER ? late_function(opcode) : NULL;
  return late ? late : interp_function(opcode);
}

static void emit_plain(prep *s, const ir_op *op) {
  inst_fn run = function_of(s, (op_code)op->opcode);
  if (!run && !s->watched) return; /* make_token, join_tokens */
  if (!run) run = run_nothing;
  slot *in = arena_array(&s->p->arena, slot, op->n_operands);
  for (uint32_t k = 0; k < op->n_operands; k++) in[k] = slot_of(s, ir_operand(op, k));
  inst i = {.run = run,
            .starts = true,
            .op = op,
            .in = in,
            .out = slot_list(s, op->results, op->n_results)};
  if (op->n_results) i.count = ir_result(op, 0)->type->count * s->lanes;
  if (ir_row(op)->traits & TRAIT_ELEMENTWISE) i.elementwise = exec_elementwise_of(op);
  if (op->opcode == OP_get_global) i.global = ir_global_number(s->m, ir_get_attr(op, ATTR_name)->s);
  if (op->opcode == OP_assert) i.where = ir_where(&s->p->arena, s->m, op->loc);
  if (op->opcode == OP_alloca) prepare_alloca(s, op, &i);
  if (op->opcode == OP_alloc_shared) prepare_shared(s, op, &i);
  if (op->opcode == OP_alloc_mbarrier) prepare_mbarriers(s, op, &i);
  size_t temp = temp_bytes(op);
  i.temp = take(s, op, temp);
  give(s, i.temp, temp);
  vec_push(s->scratch, s->code, i);
}

/* ---- control flow --------------------------------------------------------------------------- */

static void emit_block(prep *s, const ir_block *b, scope *sc);

static void emit_for(prep *s, const ir_op *op, scope *outer) {
  const ir_block *body = ir_region(op, 0);
  uint32_t n = op->n_results;
  take_values(s, op, body->args, body->n_args);
  const slot *args = slot_list(s, body->args, body->n_args);
  scope sc = {outer, op, args + 1, NULL, 0, NO_LINK, NO_LINK};
  emit_jump(s, op, op->operands, args, 1, body); /* lowerBound */
  vec_last(s->code).starts = true;
  jump_on(s);
  emit_jump(s, op, op->operands + 3, args + 1, n, body);
  jump_on(s);
  uint32_t head = here(s);
  set_operands(s, emit(s, run_for_test, op), (slot[]){args[0], slot_of(s, ir_operand(op, 1))}, 2);
  link_last(s, &sc.behind);
  emit_block(s, body, &sc);
  land(s, sc.next);
  set_operands(s, emit(s, run_for_step, op), (slot[]){args[0], slot_of(s, ir_operand(op, 2))}, 2);
  link_last(s, &sc.behind);
  emit_jump(s, op, NULL, NULL, 0, NULL);
  jump_to(s, head);
  land(s, sc.behind);
  /* The iteration values as they are now are the results. */
  move *moves = arena_array(&s->p->arena, move, n);
  for (uint32_t k = 0; k < n; k++)
    moves[k] =
        (move){args[1 + k], slot_of(s, ir_result(op, k)), value_bytes(s, ir_result(op, k)->type)};
  inst *i = emit(s, run_jump, op);
  i->jump.moves = moves;
  i->jump.n_moves = n;
  jump_on(s);
  for (uint32_t k = 0; k < body->n_args; k++) give_value(s, &body->args[k]);
}

static void emit_loop(prep *s, const ir_op *op, scope *outer) {
  const ir_block *body = ir_region(op, 0);
  take_values(s, op, body->args, body->n_args);
  const slot *args = slot_list(s, body->args, body->n_args);
  emit_jump(s, op, op->operands, args, body->n_args, body);
  vec_last(s->code).starts = true;
  jump_on(s);
  scope sc = {outer, op, args, slot_list(s, op->results, op->n_results), here(s), NO_LINK, NO_LINK};
  emit_block(s, body, &sc);
  land(s, sc.behind);
  for (uint32_t k = 0; k < body->n_args; k++) give_value(s, &body->args[k]);
}

static void emit_if(prep *s, const ir_op *op, scope *outer) {
  scope sc = {outer, op, NULL, slot_list(s, op->results, op->n_results), 0, NO_LINK, NO_LINK};
  uint32_t other = NO_LINK;
  set_operands(s, emit(s, run_branch, op), (slot[]){slot_of(s, ir_operand(op, 0))}, 1);
  vec_last(s->code).starts = true;
  link_last(s, &other);
  emit_block(s, ir_region(op, 0), &sc);
  land(s, other);
  if (ir_region(op, 1)) emit_block(s, ir_region(op, 1), &sc);
  land(s, sc.behind);
}

static int64_t largest_divisor(int64_t n, int64_t most) {
  int64_t d = MIN(n, most);
  while (n % d) d--;
  return d;
}

/* How many reductions are executed at once, of all that an operation along `dim` makes: whole rows
 * of neighbours, or an even part of one (interp/reduce.c). */
static int64_t lanes_at_once(const ir_type *t, int64_t dim) {
  enum { MAX_LANES = 512 };
  int64_t inner = 1;
  for (unsigned d = (unsigned)dim + 1; d < t->rank; d++) inner *= t->shape[d];
  if (inner > MAX_LANES) return largest_divisor(inner, MAX_LANES);
  return inner * largest_divisor(t->count / t->shape[dim] / inner, MAX_LANES / inner);
}

/* How many reductions the body may be executed for at once: several when it has only element-wise
 * operations and constants, and uses nothing from around it. */
static int64_t body_lanes(const prep *s, const ir_op *op) {
  if (s->watched) return 1;
  const ir_block *body = ir_region(op, 0);
  for (const ir_op *o = body->first; o; o = o->next) {
    if (!(ir_row(o)->traits & TRAIT_ELEMENTWISE) && o->opcode != OP_constant &&
        o->opcode != OP_yield)
      return 1;
    for (uint32_t k = 0; k < o->n_operands; k++) {
      const ir_value *v = ir_operand(o, k);
      if ((v->is_arg ? v->owner.block : v->owner.op->block) != body) return 1;
    }
  }
  return lanes_at_once(ir_operand(op, 0)->type, ir_int_attr(op, ATTR_dim));
}

/* The body follows the instruction, which executes it; the body's yield writes "previous". */
static void emit_reduction(prep *s, const ir_op *op, scope *outer) {
  const ir_block *body = ir_region(op, 0);
  uint32_t at = here(s);
  emit_plain(s, op);
  int64_t lanes = s->lanes;
  s->lanes = body_lanes(s, op);
  take_values(s, op, body->args, body->n_args);
  slot *previous = arena_array(&s->p->arena, slot, op->n_operands);
  for (uint32_t k = 0; k < op->n_operands; k++) previous[k] = slot_of(s, &body->args[2 * k + 1]);
  scope sc = {outer, op, NULL, previous, 0, NO_LINK, NO_LINK};
  emit_block(s, body, &sc);
  land(s, sc.behind);
  emit(s, run_stop, op);
  for (uint32_t k = 0; k < body->n_args; k++) give_value(s, &body->args[k]);
  inst *i = &s->code.data[at];
  i->body.lanes = s->lanes;
  i->body.args = slot_list(s, body->args, body->n_args);
  i->target = here(s);
  s->lanes = lanes;
}

/* ---- groups of threads ---------------------------------------------------------------------- */

/* What all threads execute comes when the groups before it have ended. */
static void join_before(prep *s, const ir_op *op) {
  if (!s->forked || ir_is_group(op) || ir_is_scalar_work(op)) return;
  emit(s, run_join, op);
  s->forked = false;
}

/* fork, to behind; body; stop. */
static void emit_group(prep *s, const ir_op *op, scope *outer) {
  scope sc = {outer, op, NULL, slot_list(s, op->results, op->n_results), 0, NO_LINK, NO_LINK};
  uint32_t behind = NO_LINK;
  emit(s, run_fork, op)->starts = true;
  link_last(s, &behind);
  s->forked = false;
  emit_block(s, ir_region(op, 0), &sc);
  land(s, sc.behind);
  emit(s, run_stop, op);
  land(s, behind);
  s->forked = true;
}

static void emit_roles(prep *s, const ir_op *op, scope *outer) {
  scope sc = {outer, op, NULL, NULL, 0, NO_LINK, NO_LINK};
  emit_block(s, ir_region(op, 0), &sc);
  land(s, sc.behind);
}

static scope *innermost(scope *sc, bool for_too) {
  while (sc->op->opcode != OP_loop && !(for_too && sc->op->opcode == OP_for)) sc = sc->outer;
  return sc;
}

static void emit_terminator(prep *s, const ir_op *op, scope *sc) {
  if (op->opcode == OP_return) {
    emit(s, run_stop, op);
  } else if (op->opcode == OP_yield) {
    /* A reduction's results are arguments of its body. */
    bool reduces = sc->op->opcode == OP_reduce || sc->op->opcode == OP_scan;
    const ir_block *written = reduces ? ir_region(sc->op, 0) : NULL;
    emit_jump(s, op, op->operands, sc->results, op->n_operands, written);
    link_last(s, &sc->behind);
  } else if (op->opcode == OP_break) {
    sc = innermost(sc, false);
    emit_jump(s, op, op->operands, sc->results, op->n_operands, NULL);
    link_last(s, &sc->behind);
  } else { /* continue */
    sc = innermost(sc, true);
    emit_jump(s, op, op->operands, sc->args, op->n_operands, ir_region(sc->op, 0));
    if (sc->op->opcode == OP_for)
      link_last(s, &sc->next);
    else
      jump_to(s, sc->head);
  }
  vec_last(s->code).starts = true;
}

static void emit_op(prep *s, const ir_op *op, scope *sc) {
  take_values(s, op, op->results, op->n_results);
  join_before(s, op);
  switch (op->opcode) {
  case OP_group:
  case OP_role:
  case OP_elect: emit_group(s, op, sc); break;
  case OP_roles: emit_roles(s, op, sc); break;
  case OP_for: emit_for(s, op, sc); break;
  case OP_loop: emit_loop(s, op, sc); break;
  case OP_if: emit_if(s, op, sc); break;
  case OP_reduce:
  case OP_scan: emit_reduction(s, op, sc); break;
  default:
    if (ir_row(op)->traits & TRAIT_TERMINATOR)
      emit_terminator(s, op, sc);
    else
      emit_plain(s, op);
    break;
  }
}

static void emit_block(prep *s, const ir_block *b, scope *sc) {
  if (++s->depth > MAX_DEPTH && !s->failed) {
    ir_error(s->m, b->parent, "regions nest deeper than %d, the interpreter's limit", MAX_DEPTH);
    s->failed = true;
  }
  if (s->failed) return;
  uint32_t allocas = s->allocas.len;
  for (ir_op *op = b->first; op; op = op->next) ir_walk(op, note_uses, &(use_walk){s, b, op});
  for (ir_op *op = b->first; op && !s->failed; op = op->next) {
    emit_op(s, op, sc);
    ir_walk(op, give_last_used, &(use_walk){s, b, op});
    for (uint32_t k = 0; k < op->n_results; k++)
      if (!ir_result(op, k)->uses) give_value(s, ir_result(op, k));
  }
  while (s->allocas.len > allocas) {
    span memory = vec_pop(s->allocas);
    give(s, memory.start, memory.end - memory.start);
  }
  s->depth--;
}

/* ---- a kernel ------------------------------------------------------------------------------- */

/* Puts the watcher between the loop and what each instruction does. */
static void watch(prep *s) {
  for (uint32_t k = 0; k < s->code.len; k++) {
    s->code.data[k].plain = s->code.data[k].run;
    s->code.data[k].run = run_watched;
  }
}

static bool prepare(interp_program *p, ir_module *m, ir_op *entry, bool watched) {
  prep *s = &(prep){.p = p, .m = m, .scratch = &p->scratch, .lanes = 1, .watched = watched};
  s->crew = p->crew = p->copies != INTERP_COPIES_EAGER || crew_is_needed(entry);
  const ir_block *body = ir_region(entry, 0);
  uint32_t n = ir_number_values(entry);
  s->slots = arena_array(watched ? &p->arena : s->scratch, slot, n);
  s->last = arena_array(s->scratch, const ir_op *, n);
  take_values(s, entry, body->args, body->n_args);
  emit(s, run_parameters, entry)->out = slot_list(s, body->args, body->n_args);
  emit_block(s, body, NULL);
  if (watched) watch(s);
  inst *code = arena_array(&p->arena, inst, s->code.len);
  memcpy(code, s->code.data, s->code.len * sizeof *code);
  p->code = code;
  p->n_code = s->code.len;
  p->slots = watched ? s->slots : NULL;
  p->frame_size = s->highest;
  arena_free(s->scratch);
  return !s->failed;
}

interp_program *interp_prepare_with(ir_module *m, ir_op *entry, const interp_options *options) {
  tsr_context *ctx = m->ctx;
  interp_program *p = ctx_alloc(ctx, sizeof *p);
  *p = (interp_program){.ctx = ctx, .module = m, .entry = entry, .at = ir_place(m, entry->loc)};
  p->copies = ir_has_attr(entry, ATTR_threads) ? options->copies : INTERP_COPIES_EAGER;
  p->seed = options->seed;
  p->cluster = ir_cluster_of(entry, (uint32_t[3]){0});
  arena_init(&p->arena, ctx);
  arena_init(&p->scratch, ctx);
  TSR_GUARD(ctx, { /* give back what is half made, then on to the caller's guard */
                   interp_destroy(p);
                   longjmp(ctx->guard->env, 1);
  });
  bool done = prepare(p, m, entry, options->watched);
  TSR_UNGUARD(ctx);
  if (done) return p;
  interp_destroy(p);
  return NULL;
}

interp_program *interp_prepare(ir_module *m, ir_op *entry) {
  return interp_prepare_with(m, entry, &(interp_options){.watched = false});
}

interp_program *interp_prepare_watched(ir_module *m, ir_op *entry) {
  return interp_prepare_with(m, entry, &(interp_options){.watched = true});
}
