/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Operations are moved into the bodies of ifs, one for each state. What ends a state stays as a
 * jump until all operations have their places; then values that are used where they are not defined
 * get places in memory, and jumps become stores.
 */
#include "block/turns.h"

#include "base/invariant.h"
#include "block/cells.h"
#include "block/memory.h"
#include "block/teams.h"
#include "ir/block/clusters.h"
#include "ir/block/groups.h"
#include "opt/rewrite.h"

enum { IDLE, FIRST /* state of a process */ };

typedef struct process {
  const ir_op *op; /* the group; the entry */
  const char *who; /* it is, for messages */
  uint32_t number;
  int64_t states; /* so far */
} process;

/* A state's code: `test`, and behind it, if it has come to an end of waiting, `body`. */
typedef struct state {
  process *of;
  int64_t number;
  ir_block *test, *body;
  const char *what; /* it waits for; NULL: it waits for no barrier */
  ir_loc loc;       /* of that wait */
} state;

/* What ends a state: `values` go to `to`, and the process to another state (NULL: it ends). */
typedef struct jump {
  ir_op *op; /* whose operands the values are */
  ir_value *to;
  process *of;
  state *next;
} jump;

/* Where the ends of a region lead. */
typedef struct scope {
  const struct scope *outer;
  ir_op *op;            /* a loop, a branch, a group or the entry */
  state *next, *behind; /* NULL: the process ends */
} scope;

typedef struct turns {
  const block_lowering *x;
  const barriers *barriers;
  ir_value *cells; /* whether anybody went on; then the state of each process */
  ir_op *loop;
  map marked; /* operations with waits in them */
  map placed; /* blocks of states -> values that are loaded there */
  map slots;  /* values -> their memory */
  VEC(process *) processes;
  VEC(state *) states;
  VEC(jump) jumps;
  op_list old; /* loops, branches and groups whose operations have gone */
} turns;

/* ---- what waits ----------------------------------------------------------------------------- */

static bool is_marked(const turns *t, const ir_op *op) {
  return map_get(&t->marked, (uintptr_t)op) != NULL;
}

static void mark(turns *t, const ir_op *op, const ir_op *end) {
  for (; op != end && !is_marked(t, op); op = op->block->parent)
    *map_put(t->x->arena, &t->marked, (uintptr_t)op) = 1;
}

static bool mark_wait(void *user, ir_op *op) {
  turns *t = user;
  bool spins = op->opcode == OP_loop && ir_communicates(op);
  if (team_is_wait(op) || spins || ir_is_group(op)) mark(t, op, t->x->entry);
  return true;
}

/* Branches that leave what is cut are cut, too. */
static bool mark_jump(void *user, ir_op *op) {
  turns *t = user;
  if (!ir_is_terminator(op) || op->opcode == OP_yield) return true;
  const ir_op *target = op->opcode == OP_return ? t->x->entry : jump_target(op);
  if (target == t->x->entry || is_marked(t, target)) mark(t, op->block->parent, target);
  return true;
}

/* ---- states --------------------------------------------------------------------------------- */

static void *no_loads(turns *t) {
  value_map *none = arena_new(t->x->arena, value_map);
  none->arena = t->x->arena;
  return none;
}

static void note_placed(turns *t, const ir_block *b) {
  *map_put(t->x->arena, &t->placed, (uintptr_t)b) = (uintptr_t)no_loads(t);
}

static ir_block *branch(turns *t, ir_op *at, ir_value *condition) {
  ir_block *b = cell_branch(&(cell_maker){t->x->m, at}, condition);
  note_placed(t, b);
  return b;
}

static ir_value *place_of(turns *t, ir_op *at, const process *p) {
  return cell_pointer(&(cell_maker){t->x->m, at}, t->cells, 1 + (int64_t)p->number, NULL);
}

static void go_to(turns *t, ir_op *at, const process *p, int64_t number) {
  cell_maker k = {t->x->m, at};
  cell_store(&k, place_of(t, at, p), cell_number(&k, number));
}

static ir_value *is_at(turns *t, ir_op *at, const process *p, int64_t number) {
  cell_maker k = {t->x->m, at};
  return cell_compare(&k, CMP_EQUAL, cell_load(&k, place_of(t, at, p)), cell_number(&k, number));
}

/* Says that somebody goes on. */
static void begin_body(turns *t, state *s, ir_block *b) {
  cell_maker k = {t->x->m, b->last};
  cell_store(&k, t->cells, cell_number(&k, 1));
  s->body = b;
}

static state *add_state(turns *t, process *p) {
  state *s = arena_new(t->x->arena, state);
  ir_op *at = t->loop->regions[0]->last;
  *s = (state){.of = p, .number = FIRST + p->states++};
  s->test = branch(t, at, is_at(t, at, p, s->number));
  vec_push(t->x->arena, t->states, s);
  return s;
}

static state *free_state(turns *t, process *p) {
  state *s = add_state(t, p);
  begin_body(t, s, s->test);
  return s;
}

static void guard(turns *t, state *s, ir_value *condition) {
  begin_body(t, s, branch(t, s->test->last, condition));
}

/* A group that is a tile block of a cluster. */
static bool is_tile_block(const turns *t, const ir_op *op) {
  return op->opcode == OP_group && op->block->parent == t->x->entry && ir_has_cluster(t->x->entry);
}

static const char *name_in_block(turns *t, const ir_op *op) {
  const ir_op *role = op;
  while (role->opcode != OP_role && role->opcode != OP_entry) role = ir_group_around(role);
  if (role->opcode == OP_entry) return op == role ? "the tile block" : ir_row(op)->name;
  return arena_printf(t->x->arena, "%s%srole @" STR_FMT, op == role ? "" : ir_row(op)->name,
                      op == role ? "" : " in ", STR_ARG(ir_symbol_name(role)));
}

static const char *name_of(turns *t, const ir_op *op) {
  if (op == t->x->entry || !ir_has_cluster(t->x->entry)) return name_in_block(t, op);
  const ir_op *block = op;
  while (!is_tile_block(t, block)) block = ir_group_around(block);
  int64_t first = ir_int_attr(block, ATTR_first), end = ir_int_attr(block, ATTR_end);
  return arena_printf(t->x->arena, "%s%sthe tile block with rank %d",
                      op == block ? "" : name_in_block(t, op), op == block ? "" : " of ",
                      (int)(first / (end - first)));
}

static process *add_process(turns *t, const ir_op *op) {
  process *p = arena_new(t->x->arena, process);
  *p = (process){.op = op, .who = name_of(t, op), .number = t->processes.len};
  vec_push(t->x->arena, t->processes, p);
  return p;
}

/* ---- jumps ---------------------------------------------------------------------------------- */

/* At the end of a block, with so many values for `to`. */
static void add_jump(turns *t, process *p, ir_block *from, state *next, uint32_t n,
                     ir_value *const *values, ir_value *to) {
  ir_op *op = ir_op_create(t->x->m, &(ir_op_spec){.opcode = OP_continue,
                                                  .loc = from->last->loc,
                                                  .n_operands = n,
                                                  .operands = values});
  ir_op_insert_before(from->last, op);
  vec_push(t->x->arena, t->jumps, ((jump){op, to, p, next}));
}

static ir_value **operands_of(turns *t, const ir_op *op, uint32_t first, uint32_t n) {
  ir_value **list = arena_array(t->x->arena, ir_value *, n + 1);
  for (uint32_t i = 0; i < n; i++) list[i] = ir_operand(op, first + i);
  return list;
}

/* The counter of the next iteration: the bound where another step would be behind it, so that
 * nothing wraps around. */
static ir_value *count_on(turns *t, ir_op *at, const ir_op *loop) {
  cell_maker k = {t->x->m, at};
  ir_value *counter = ir_counter(loop), *bound = ir_operand(loop, 1), *step = ir_operand(loop, 2);
  ir_value *more = cell_compare(&k, CMP_LESS, step, cell_binary(&k, OP_subi, bound, counter));
  ir_set_int(more->owner.op, ATTR_signedness, SIGN_UNSIGNED);
  return cell_select(&k, more, cell_binary(&k, OP_addi, counter, step), bound);
}

static void jump_on(turns *t, process *p, ir_op *op, ir_block *into, const scope *sc) {
  while (sc->op->opcode != OP_loop && sc->op->opcode != OP_for) sc = sc->outer;
  uint32_t n = op->n_operands;
  ir_value *to = op->opcode == OP_break ? sc->op->results : sc->op->regions[0]->args;
  state *next = op->opcode == OP_break ? sc->behind : sc->next;
  ir_value **values = operands_of(t, op, 0, n);
  if (op->opcode == OP_continue && sc->op->opcode == OP_for) {
    memmove(values + 1, values, n * sizeof *values);
    values[0] = count_on(t, into->last, sc->op);
    n++;
  }
  add_jump(t, p, into, next, n, values, to);
}

static void place_jump(turns *t, process *p, ir_op *op, ir_block *into, const scope *sc) {
  if (op->opcode == OP_yield)
    add_jump(t, p, into, sc->behind, op->n_operands, operands_of(t, op, 0, op->n_operands),
             sc->op->results);
  else if (op->opcode == OP_return)
    add_jump(t, p, into, NULL, 0, NULL, NULL);
  else
    jump_on(t, p, op, into, sc);
  ir_op_erase(op);
}

/* ---- placing -------------------------------------------------------------------------------- */

static void place_block(turns *t, process *p, ir_block *from, ir_block *into, const scope *sc);

static void retire(turns *t, ir_op *op) {
  ir_op_unlink(op);
  vec_push(t->x->arena, t->old, op);
}

/* What a wait is for, in messages. */
static const char *what_of(const ir_op *wait) {
  return wait->opcode == OP_barrier_wait   ? "at a named barrier"
         : wait->opcode == OP_cluster_wait ? "at the barrier of the cluster"
                                           : "for a phase";
}

static ir_block *place_wait(turns *t, process *p, ir_op *op, ir_block *into) {
  bool named = op->opcode == OP_barrier_wait;
  ir_value *before = named ? barriers_arrive(t->barriers, into->last, op) : NULL;
  state *s = add_state(t, p);
  s->what = what_of(op);
  s->loc = op->loc;
  guard(t, s, barriers_passed(t->barriers, s->test->last, op, before));
  barriers_leave(t->barriers, s->body->last, op);
  add_jump(t, p, into, s, 0, NULL, NULL);
  ir_op_erase(op);
  return s->body;
}

/* Goes on when these processes have ended. */
static ir_block *await(turns *t, process *p, ir_block *into, process *const *others, uint32_t n) {
  if (!n) return into;
  state *s = add_state(t, p);
  ir_value *all = NULL;
  for (uint32_t i = 0; i < n; i++) {
    ir_value *idle = is_at(t, s->test->last, others[i], IDLE);
    cell_maker k = {t->x->m, s->test->last};
    all = all ? cell_binary(&k, OP_andi, all, idle) : idle;
  }
  guard(t, s, all);
  add_jump(t, p, into, s, 0, NULL, NULL);
  return s->body;
}

/* Groups that share threads come one after the other. */
static ir_block *place_team(turns *t, process *p, ir_op *first, ir_block *into) {
  VEC(process *) begun = {0};
  for (ir_op *op = first, *next; op; op = next) {
    next = team_next(op);
    VEC(process *) before = {0};
    for (uint32_t i = 0; i < begun.len; i++)
      if (team_share_threads(begun.data[i]->op, op)) vec_push(t->x->arena, before, begun.data[i]);
    into = await(t, p, into, before.data, before.len);
    process *q = add_process(t, op);
    vec_push(t->x->arena, begun, q);
    go_to(t, into->last, q, FIRST);
    scope sc = {.op = op};
    place_block(t, q, op->regions[0], free_state(t, q)->body, &sc);
  }
  return await(t, p, into, begun.data, begun.len);
}

static ir_block *place_for(turns *t, process *p, ir_op *op, ir_block *into, const scope *outer) {
  ir_block *body = op->regions[0];
  state *head = free_state(t, p), *behind = free_state(t, p);
  ir_value **values = operands_of(t, op, 2, op->n_operands - 2);
  values[0] = ir_operand(op, 0);
  add_jump(t, p, into, head, op->n_operands - 2, values, body->args);
  cell_maker k = {t->x->m, head->body->last};
  ir_value *more = cell_compare(&k, CMP_LESS, ir_counter(op), ir_operand(op, 1));
  if (ir_int_attr(op, ATTR_unsignedCmp)) ir_set_int(more->owner.op, ATTR_signedness, SIGN_UNSIGNED);
  ir_block *again = branch(t, k.at, more);
  ir_block *done = ir_region_create(t->x->m, again->parent, 1, 0, NULL);
  ir_op_append(done, ir_op_create(t->x->m, &(ir_op_spec){.opcode = OP_yield, .loc = op->loc}));
  note_placed(t, done);
  for (uint32_t i = 1; i < body->n_args; i++) values[i - 1] = &body->args[i];
  add_jump(t, p, done, behind, op->n_results, values, op->results);
  place_block(t, p, body, again, &(scope){outer, op, head, behind});
  return behind->body;
}

static ir_block *place_loop(turns *t, process *p, ir_op *op, ir_block *into, const scope *outer) {
  ir_block *body = op->regions[0];
  state *head = free_state(t, p), *behind = free_state(t, p);
  add_jump(t, p, into, head, op->n_operands, operands_of(t, op, 0, op->n_operands), body->args);
  place_block(t, p, body, head->body, &(scope){outer, op, head, behind});
  return behind->body;
}

static ir_block *place_if(turns *t, process *p, ir_op *op, ir_block *into, const scope *outer) {
  state *behind = free_state(t, p);
  scope sc = {outer, op, NULL, behind};
  ir_block *then = branch(t, into->last, ir_operand(op, 0));
  ir_block *other = ir_region_create(t->x->m, then->parent, 1, 0, NULL);
  ir_op_append(other, ir_op_create(t->x->m, &(ir_op_spec){.opcode = OP_yield, .loc = op->loc}));
  note_placed(t, other);
  place_block(t, p, op->regions[0], then, &sc);
  if (op->regions[1])
    place_block(t, p, op->regions[1], other, &sc);
  else
    add_jump(t, p, other, behind, 0, NULL, NULL);
  return behind->body;
}

/* Returns where what follows goes. */
static ir_block *place_op(turns *t, process *p, ir_op *op, ir_block *into, const scope *sc) {
  if (!is_marked(t, op)) {
    rewrite_move_before(into->last, op);
    return into;
  }
  if (team_is_wait(op)) return place_wait(t, p, op, into);
  ir_op *first = team_first(op);
  if (team_begins(op))
    into = place_team(t, p, first, into);
  else if (op->opcode == OP_for)
    into = place_for(t, p, op, into, sc);
  else if (op->opcode == OP_loop)
    into = place_loop(t, p, op, into, sc);
  else
    into = place_if(t, p, op, into, sc);
  return into;
}

/* An operation and those behind it. */
static void place_from(turns *t, process *p, ir_op *first, ir_block *into, const scope *sc) {
  for (ir_op *op = first, *next; op; op = next) {
    next = op->next;
    if (ir_is_terminator(op)) {
      place_jump(t, p, op, into, sc);
      return;
    }
    ir_op *last = op;
    while (ir_is_group(op) && team_next(last)) last = team_next(last);
    next = last->next;
    bool cut = op->n_regions && is_marked(t, op);
    into = place_op(t, p, op, into, sc);
    for (ir_op *gone = op, *after; cut && gone != next; gone = after) {
      after = gone->next;
      retire(t, gone);
    }
  }
}

static void place_block(turns *t, process *p, ir_block *from, ir_block *into, const scope *sc) {
  place_from(t, p, from->first, into, sc);
}

/* ---- values --------------------------------------------------------------------------------- */

static bool is_kept(const ir_type *t) {
  return t->kind == IR_TILE;
}

/* How a tile lies in memory. */
static tsr_elem kept_as(const ir_type *t) {
  return t->elem == TSR_PTR ? TSR_I64 : (tsr_elem)t->elem;
}

static ir_value *slot_of(turns *t, ir_value *v) {
  uintptr_t *slot = map_put(t->x->arena, &t->slots, (uintptr_t)v);
  if (*slot) return (ir_value *)*slot;
  ir_loc loc = v->is_arg ? t->x->entry->loc : v->owner.op->loc;
  *slot = (uintptr_t)memory_alloca(t->x->m, t->x->entry, loc, kept_as(v->type),
                                   v->type->rank ? v->type->count : 1, 0);
  return (ir_value *)*slot;
}

static ir_value *converted(turns *t, ir_op *at, op_code opcode, ir_value *v, const ir_type *to) {
  return ir_result(rewrite_make(t->x->m, at, opcode, to, 1, &v), 0);
}

/* Operands of an access to all of a slot, from `first` on. */
static void open_slot(turns *t, ir_op *at, ir_value *slot, const ir_type *type, ir_value **first) {
  cell_maker k = {t->x->m, at};
  *first = memory_view(t->x->m, at, at->loc, slot, type->rank, type->shape);
  for (unsigned d = 0; d < type->rank; d++) first[1 + d] = d ? first[1] : cell_number(&k, 0);
}

static void keep(turns *t, ir_op *at, ir_value *slot, ir_value *v) {
  ir_module *m = t->x->m;
  const ir_type *type = ir_with_layout(m, v->type, NULL);
  if (v->type->elem == TSR_PTR)
    v = converted(t, at, OP_ptr_to_int, v, ir_tile(m, TSR_I64, 0, type->rank, type->shape));
  if (!type->rank) {
    cell_store(&(cell_maker){m, at}, slot, v);
    return;
  }
  ir_value *operands[2 + IR_MAX_RANK] = {v};
  open_slot(t, at, slot, type, operands + 1);
  ir_op_insert_before(
      at, ir_op_create(m, &(ir_op_spec){.opcode = OP_store_global,
                                        .loc = at->loc,
                                        .n_operands = 2 + type->rank,
                                        .operands = operands,
                                        .segments = (uint32_t[]){1, 1, type->rank, 0}}));
}

static ir_value *load_kept(turns *t, ir_op *at, ir_value *slot, const ir_type *type) {
  ir_module *m = t->x->m;
  if (!type->rank) return cell_load(&(cell_maker){m, at}, slot);
  const ir_type *loaded = ir_tile(m, (tsr_elem)slot->type->pointee, 0, type->rank, type->shape);
  if (type->elem != TSR_PTR) loaded = type;
  ir_value *operands[1 + IR_MAX_RANK];
  open_slot(t, at, slot, type, operands);
  ir_op *op = ir_op_create(m, &(ir_op_spec){.opcode = OP_load_global,
                                            .loc = at->loc,
                                            .n_operands = 1 + type->rank,
                                            .operands = operands,
                                            .segments = (uint32_t[]){1, type->rank, 0},
                                            .n_results = 1,
                                            .result_types = &loaded});
  ir_op_insert_before(at, op);
  return ir_result(op, 0);
}

static ir_value *load_slot(turns *t, ir_op *at, ir_value *v) {
  ir_value *x = load_kept(t, at, slot_of(t, v), v->type);
  return v->type->elem == TSR_PTR ? converted(t, at, OP_int_to_ptr, x, v->type) : x;
}

static void settle_operands(turns *t, ir_op *op);

/* The value, made again before `at`. */
static ir_value *make_again(turns *t, ir_op *at, ir_value *v) {
  if (v->type->kind == IR_TOKEN) /* the order of the program becomes tokens later */
    return ir_result(rewrite_make(t->x->m, at, OP_make_token, v->type, 0, NULL), 0);
  const ir_op *made = ir_defining_op(v);
  INVARIANT(made && ir_only_computes(made)); /* views and handles are not handed on */
  value_map same = {.arena = t->x->arena};
  ir_op *copy = rewrite_clone_shell(t->x->m, made, &same);
  ir_op_insert_before(at, copy);
  settle_operands(t, copy);
  return ir_result(copy, v->index);
}

/* The operation around one, or itself, that is directly in a block of a state. */
static ir_op *in_state(const turns *t, ir_op *op) {
  while (!map_get(&t->placed, (uintptr_t)op->block)) op = op->block->parent;
  return op;
}

/* Whether a value is there where an operation of a state is. */
static bool is_there(const ir_op *op, const ir_value *v) {
  const ir_block *home = block_of(v);
  const ir_op *made = ir_defining_op(v);
  if (made && !made->block) return false; /* it was cut */
  return is_inside(op, home);
}

static ir_value *value_at(turns *t, ir_op *op, ir_value *v) {
  ir_op *at = in_state(t, op);
  value_map *here = map_ptr(&t->placed, at->block);
  ir_value *known = value_map_get(here, v);
  if (known != v) return known;
  const ir_op *made = ir_defining_op(v);
  bool again = !is_kept(v->type) || (made && made->opcode == OP_constant);
  ir_value *x = again ? make_again(t, at, v) : load_slot(t, at, v);
  value_map_set(here, v, x);
  return x;
}

static void settle_operands(turns *t, ir_op *op) {
  for (uint32_t i = 0; i < op->n_operands; i++) {
    ir_value *v = ir_operand(op, i);
    if (!is_there(op, v)) ir_set_operand(op, i, value_at(t, op, v));
  }
}

static void settle_block(turns *t, ir_block *b) {
  for (ir_op *op = b->first; op; op = op->next) {
    settle_operands(t, op);
    for (unsigned r = 0; r < op->n_regions; r++)
      if (op->regions[r]) settle_block(t, op->regions[r]);
  }
}

/* Values that have a place in memory go there where they are computed. */
static void keep_results(turns *t, ir_block *b) {
  for (ir_op *op = b->first, *next; op; op = next) {
    next = op->next;
    for (unsigned r = 0; r < op->n_regions; r++)
      if (op->regions[r]) keep_results(t, op->regions[r]);
    for (uint32_t i = 0; i < op->n_results; i++) {
      ir_value *slot = map_ptr(&t->slots, &op->results[i]);
      if (slot) keep(t, next, slot, &op->results[i]);
    }
  }
}

/* ---- jumps become stores -------------------------------------------------------------------- */

enum { ENDED = -1 /* the entry */ };

static void lower_jump(turns *t, const jump *j) {
  for (uint32_t i = 0; i < j->op->n_operands; i++) {
    ir_value *slot = map_ptr(&t->slots, &j->to[i]);
    if (slot) keep(t, j->op, slot, ir_operand(j->op, i));
  }
  int64_t number = j->next ? j->next->number : j->of->op == t->x->entry ? ENDED : IDLE;
  go_to(t, j->op, j->of, number);
  ir_op_erase(j->op);
}

/* ---- who waits for ever --------------------------------------------------------------------- */

static str stuck_message(const turns *t, const char *who, const char *what) {
  return str_of(arena_printf(&t->x->m->arena,
                             "the %s does not go on: %s waits here %s, and nothing is left to "
                             "wake it",
                             ir_has_cluster(t->x->entry) ? "cluster" : "tile block", who, what));
}

/* At the end of the loop: nobody went on. */
static void report_stuck(turns *t, ir_op *at) {
  for (uint32_t i = 0; i < t->states.len; i++) {
    const state *s = t->states.data[i];
    if (!s->what) continue;
    cell_maker k = {t->x->m, at};
    ir_value *here = is_at(t, at, s->of, s->number);
    ir_set_int(here->owner.op, ATTR_comparison_predicate, CMP_NOT_EQUAL);
    cell_assert(&k, here, stuck_message(t, s->of->who, s->what));
    at->prev->loc = s->loc;
  }
}

static void leave(const cell_maker *k, ir_block *b) {
  ir_op_erase(b->last);
  ir_op_append(b, ir_op_create(k->m, &(ir_op_spec){.opcode = OP_break, .loc = k->at->loc}));
}

static void end_round(turns *t, const process *whole) {
  ir_op *at = t->loop->regions[0]->last;
  cell_maker k = {t->x->m, at};
  leave(&k, cell_branch(&k, is_at(t, at, whole, ENDED)));
  ir_value *still = cell_compare(&k, CMP_EQUAL, cell_load(&k, t->cells), cell_number(&k, 0));
  ir_block *stuck = cell_branch(&k, still);
  report_stuck(t, stuck->last);
  leave(&k, stuck);
}

/* ---- kernels -------------------------------------------------------------------------------- */

static void make_loop(turns *t, ir_op *at) {
  t->loop = ir_op_create(t->x->m, &(ir_op_spec){.opcode = OP_loop, .loc = at->loc, .n_regions = 1});
  ir_op_insert_before(at, t->loop);
  ir_block *body = ir_region_create(t->x->m, t->loop, 0, 0, NULL);
  ir_op_append(body, ir_op_create(t->x->m, &(ir_op_spec){.opcode = OP_continue, .loc = at->loc}));
  cell_maker k = {t->x->m, body->last};
  cell_store(&k, t->cells, cell_number(&k, 0));
}

/* Shared memory is there for all states. */
static void hoist_allocations(turns *t, ir_block *b) {
  ir_op *first = t->x->entry->regions[0]->first;
  for (ir_op *op = b->first, *next; op; op = next) {
    next = op->next;
    for (unsigned r = 0; r < op->n_regions; r++)
      if (op->regions[r]) hoist_allocations(t, op->regions[r]);
    if (op->opcode == OP_alloc_shared && op != first) rewrite_move_before(first, op);
  }
}

static bool is_no_team(void *user, ir_op *op) {
  (void)user;
  return !team_begins(op);
}

static bool count_group(void *user, ir_op *op) {
  *(int64_t *)user += ir_is_group(op);
  return true;
}

/* What follows the first wait goes to states. */
static void take_turns(turns *t, ir_op *first) {
  ir_op *entry = t->x->entry;
  int64_t groups = 0;
  ir_walk(entry, count_group, &groups);
  t->cells = cells_alloca(t->x->m, entry, entry->loc, 2 + groups);
  make_loop(t, first);
  process *whole = add_process(t, entry);
  scope sc = {.op = entry};
  place_from(t, whole, first, free_state(t, whole)->body, &sc);
  for (uint32_t i = 0; i < t->processes.len; i++)
    go_to(t, t->loop, t->processes.data[i], i ? IDLE : FIRST);
  ir_op_append(entry->regions[0],
               ir_op_create(t->x->m, &(ir_op_spec){.opcode = OP_return, .loc = entry->loc}));
  settle_block(t, t->loop->regions[0]);
  keep_results(t, t->loop->regions[0]);
  for (uint32_t i = 0; i < t->jumps.len; i++) lower_jump(t, &t->jumps.data[i]);
  while (t->old.len) ir_op_erase(t->old.data[--t->old.len]);
  end_round(t, whole);
}

/* A wait of the only program there is must be over when it begins. */
static void expect_passed(turns *t, ir_block *b) {
  for (ir_op *op = b->first, *next; op; op = next) {
    next = op->next;
    for (unsigned r = 0; r < op->n_regions; r++)
      if (op->regions[r]) expect_passed(t, op->regions[r]);
    bool named = op->opcode == OP_barrier_wait;
    if (!team_is_wait(op)) continue;
    ir_value *before = named ? barriers_arrive(t->barriers, op, op) : NULL;
    ir_value *passed = barriers_passed(t->barriers, op, op, before);
    cell_assert(&(cell_maker){t->x->m, op}, passed, stuck_message(t, "it", what_of(op)));
    barriers_leave(t->barriers, op, op);
    ir_op_erase(op);
  }
}

static void erase_mbarriers(ir_block *b) {
  for (ir_op *op = b->first, *next; op; op = next) {
    next = op->next;
    for (unsigned r = 0; r < op->n_regions; r++)
      if (op->regions[r]) erase_mbarriers(op->regions[r]);
    if (op->opcode == OP_alloc_mbarrier) ir_op_erase(op);
  }
}

void turns_lower(const block_lowering *x, const barriers *b) {
  turns *t = arena_new(x->arena, turns);
  *t = (turns){.x = x, .barriers = b};
  ir_block *all = x->entry->regions[0];
  bool teams = !ir_walk(x->entry, is_no_team, NULL);
  if (teams) {
    hoist_allocations(t, all);
    ir_walk(x->entry, mark_wait, t);
    ir_walk(x->entry, mark_jump, t);
    ir_op *first = all->first;
    while (!is_marked(t, first)) first = first->next;
    take_turns(t, first);
  } else {
    expect_passed(t, all);
  }
  erase_mbarriers(all);
}
