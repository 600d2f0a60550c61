/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What memory there is, and to which a pointer belongs.
 *
 * That an address lies in some buffer does not make the access right: past the end of one buffer
 * lies, perhaps, the next. So each pointer is traced back to where it came from, through offsets,
 * reshapes, views, loops and branches: a parameter, a global or an alloca. What it accesses must
 * lie there. A pointer without such a root (made from an integer, loaded from memory, one of two)
 * may point into any memory that is known.
 */
#include <stdio.h>

#include "interp/sanitize/internal.h"

/* ---- what there is -------------------------------------------------------------------------- */

typedef struct memory_count {
  uint32_t globals, allocas;
} memory_count;

static bool count_alloca(void *user, ir_op *op) {
  memory_count *n = user;
  n->allocas += op->opcode == OP_alloca;
  return true;
}

static void add_param(sanitizer *s, const ir_value *v, uint32_t index,
                      const sanitizer_memory *given) {
  san_memory *m = &s->memory[index];
  m->name = v->name ? arena_printf(s->arena, "%%%s", v->name)
                    : arena_printf(s->arena, "argument %u", index + 1);
  m->bounded = true;
  if (v->type->elem != TSR_PTR) return; /* no memory: nothing lies in [0, 0) */
  m->elem = (tsr_elem)v->type->pointee;
  m->bounded = given->bounded;
  m->start = unit_of(given->address, 0);
  m->end = m->start + 2 * given->bytes;
}

static void add_global(sanitizer *s, const ir_op *op, san_memory *m, const void *address) {
  const ir_type *t = ir_get_attr(op, ATTR_value)->dense->type;
  str name = ir_symbol_name(op);
  m->name = arena_printf(s->arena, "global @" STR_FMT, STR_ARG(name));
  m->elem = (tsr_elem)t->elem;
  m->bounded = true;
  m->constant = ir_int_attr(op, ATTR_constant);
  m->start = unit_of((uintptr_t)address, 0);
  m->end = m->start + 2 * tsr_elem_storage(m->elem, (size_t)t->count);
}

/* All allocas get a place now, and memory when they are executed. */
typedef struct alloca_walk {
  sanitizer *s;
  uint32_t next;
} alloca_walk;

static bool add_alloca(void *user, ir_op *op) {
  alloca_walk *w = user;
  if (op->opcode != OP_alloca) return true;
  const ir_value *v = ir_result(op, 0);
  san_memory *m = &w->s->memory[w->next++];
  m->name = v->name ? arena_printf(w->s->arena, "alloca %%%s", v->name) : "the memory of an alloca";
  m->elem = (tsr_elem)v->type->pointee;
  m->bounded = true;
  return true;
}

void san_find_memory(sanitizer *s, const sanitizer_memory *params, void *const *globals) {
  interp_program *p = s->program;
  const ir_block *body = ir_region(p->entry, 0);
  memory_count n = {0};
  for (ir_op *op = ir_region(p->module->op, 0)->first; op; op = op->next)
    n.globals += op->opcode == OP_global;
  ir_walk(p->entry, count_alloca, &n);
  s->n_params = body->n_args;
  s->n_globals = n.globals;
  s->n_memory = s->n_params + n.globals + n.allocas;
  size_t size = s->n_memory * sizeof *s->memory;
  s->memory = memset(arena_array(s->arena, san_memory, s->n_memory), 0, size);
  for (uint32_t k = 0; k < body->n_args; k++) add_param(s, &body->args[k], k, &params[k]);
  uint32_t k = 0;
  for (ir_op *op = ir_region(p->module->op, 0)->first; op; op = op->next) {
    if (op->opcode != OP_global) continue;
    add_global(s, op, &s->memory[s->n_params + k], globals[k]);
    k++;
  }
  ir_walk(p->entry, add_alloca, &(alloca_walk){s, s->n_params + s->n_globals});
}

/* ---- roots ---------------------------------------------------------------------------------- */

typedef struct root_walk {
  sanitizer *s;
  uint32_t allocas; /* that were met */
  bool changed;
} root_walk;

static san_root root_of(const root_walk *w, const ir_value *v) {
  return w->s->roots[v->number];
}

static void flow(root_walk *w, const ir_value *to, san_root from) {
  san_root *old = &w->s->roots[to->number];
  san_root new = *old == ROOT_NONE ? from : from == ROOT_NONE || from == *old ? *old : ROOT_UNKNOWN;
  w->changed |= new != *old;
  *old = new;
}

static void flow_all(root_walk *w, const ir_value *to, const ir_use *from, uint32_t n) {
  for (uint32_t k = 0; k < n; k++) flow(w, &to[k], root_of(w, from[k].value));
}

static const ir_op *loop_around(const ir_op *op, bool for_too) {
  do op = op->block->parent;
  while (op->opcode != OP_loop && !(for_too && op->opcode == OP_for));
  return op;
}

/* What a region's end hands over. */
static void flow_terminator(root_walk *w, const ir_op *op) {
  const ir_op *to = op->block->parent;
  if (op->opcode == OP_break) {
    to = loop_around(op, false);
    flow_all(w, to->results, op->operands, to->n_results);
  } else if (op->opcode == OP_continue) {
    to = loop_around(op, true);
    const ir_block *body = ir_region(to, 0);
    uint32_t first = to->opcode == OP_for; /* behind the induction variable */
    flow_all(w, body->args + first, op->operands, body->n_args - first);
    if (to->opcode == OP_for) flow_all(w, to->results, op->operands, to->n_results);
  } else if (op->opcode == OP_yield && to->opcode == OP_if) {
    flow_all(w, to->results, op->operands, to->n_results);
  }
}

static uint32_t global_root(const sanitizer *s, const ir_op *op) {
  uint32_t k = ROOT_FIRST + s->n_params;
  const ir_op *g = ir_region(s->program->module->op, 0)->first;
  for (; g; g = g->next) {
    if (g->opcode != OP_global) continue;
    if (str_eq(ir_symbol_name(g), ir_get_attr(op, ATTR_name)->s)) return k;
    k++;
  }
  return ROOT_UNKNOWN;
}

/* From what an operation gets to what it gives. */
static bool flow_root(void *user, ir_op *op) {
  root_walk *w = user;
  switch (op->opcode) {
  case OP_alloca:
    flow(w, ir_result(op, 0), ROOT_FIRST + w->s->n_params + w->s->n_globals + w->allocas++);
    break;
  case OP_get_global: flow(w, ir_result(op, 0), global_root(w->s, op)); break;
  case OP_select:
    flow(w, ir_result(op, 0), root_of(w, ir_operand(op, 1)));
    flow(w, ir_result(op, 0), root_of(w, ir_operand(op, 2)));
    break;
  case OP_cat:
  case OP_insert:
    flow(w, ir_result(op, 0), root_of(w, ir_operand(op, 0)));
    flow(w, ir_result(op, 0), root_of(w, ir_operand(op, 1)));
    break;
  case OP_offset:
  case OP_reshape:
  case OP_broadcast:
  case OP_permute:
  case OP_extract:
  case OP_assume:
  case OP_ptr_to_ptr:
  case OP_make_tensor_view:
  case OP_make_partition_view:
  case OP_make_strided_view:
  case OP_make_gather_scatter_view: flow(w, ir_result(op, 0), root_of(w, ir_operand(op, 0))); break;
  case OP_for:
    flow_all(w, ir_region(op, 0)->args + 1, op->operands + 3, op->n_results);
    flow_all(w, op->results, op->operands + 3, op->n_results);
    break;
  case OP_loop: flow_all(w, ir_region(op, 0)->args, op->operands, op->n_operands); break;
  case OP_break:
  case OP_continue:
  case OP_yield: flow_terminator(w, op); break;
  case OP_if: break;
  default:
    for (uint32_t k = 0; k < op->n_results; k++) flow(w, ir_result(op, k), ROOT_UNKNOWN);
    break;
  }
  return true;
}

/* Until nothing changes: what a loop carries is known only after its body. */
void san_find_roots(sanitizer *s) {
  const ir_block *body = ir_region(s->program->entry, 0);
  uint32_t n = ir_number_values(s->program->entry);
  s->roots = arena_array(s->arena, san_root, n);
  memset(s->roots, 0, n * sizeof *s->roots); /* ROOT_NONE */
  for (uint32_t k = 0; k < body->n_args; k++) s->roots[body->args[k].number] = ROOT_FIRST + k;
  root_walk w = {.s = s, .changed = true};
  while (w.changed) {
    w.changed = false;
    w.allocas = 0;
    ir_walk(s->program->entry, flow_root, &w);
  }
}

/* ---- while it runs -------------------------------------------------------------------------- */

void san_note_alloca(sanitizer *s, frame *f, const inst *i) {
  san_memory *m = &s->memory[s->roots[ir_result(i->op, 0)->number] - ROOT_FIRST];
  m->start = unit_of(get_element(at(f, i->out[0]), 64, 0), 0);
  m->end = m->start + 2 * tsr_elem_storage(m->elem, (size_t)ir_int_attr(i->op, ATTR_num_elem));
  shadow_forget(&s->shadow, m->start, m->end - m->start);
  san_forget_releases(s, m->start, m->end - m->start);
}

san_memory *san_memory_at(sanitizer *s, uint64_t unit, unsigned units) {
  for (uint32_t k = 0; k < s->n_memory; k++) {
    san_memory *m = &s->memory[k];
    if (unit >= m->start && unit < m->end && units <= m->end - unit) return m;
  }
  return NULL;
}

void san_place_text(const san_memory *m, uint64_t unit, unsigned units, char *out, size_t size) {
  unsigned whole = san_units(m->elem);
  int64_t distance = (int64_t)(unit - m->start);
  uint64_t count = (m->end - m->start) / whole;
  const char *elem = tsr_elem_name(m->elem);
  bool by_element = units == whole && distance % whole == 0;
  int n;
  if (by_element)
    n = snprintf(out, size, "element %lld of %s", (long long)(distance / whole), m->name);
  else
    n = snprintf(out, size, "%u byte%s from byte %lld on of %s", (units + 1) / 2,
                 units > 2 ? "s" : "", (long long)(distance / 2), m->name);
  if (n < 0 || (size_t)n >= size || !m->bounded) return;
  if (by_element)
    snprintf(out + n, size - (size_t)n, ", which has %llu of %s", (unsigned long long)count, elem);
  else
    snprintf(out + n, size - (size_t)n, ", which has %llu bytes",
             (unsigned long long)(m->end - m->start) / 2);
}
