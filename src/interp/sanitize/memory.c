/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What memory there is: what a pointer's root (ir/roots.h) stands for. A pointer without one may
 * point into any memory that is known.
 */
#include <stdio.h>

#include "interp/sanitize/internal.h"

/* ---- what there is -------------------------------------------------------------------------- */

/* Of several ranks: with the rank. */
static const char *name_of_rank(const sanitizer *s, const char *name, uint32_t rank) {
  return s->n_ranks > 1 ? arena_printf(s->arena, "%s of rank %u", name, rank) : name;
}

static void add_param(sanitizer *s, san_memory *m, const ir_value *v, uint32_t index, uint32_t rank,
                      const sanitizer_memory *given) {
  const char *name = v->name ? arena_printf(s->arena, "%%%s", v->name)
                             : arena_printf(s->arena, "argument %u", index + 1);
  m->name = name_of_rank(s, name, rank);
  m->bounded = true;
  if (v->type->elem != TSR_PTR) return; /* no memory: nothing lies in [0, 0) */
  m->elem = (tsr_elem)v->type->pointee;
  m->bounded = given->bounded;
  m->start = unit_of(given->address, 0);
  m->end = m->start + 2 * given->bytes;
}

static void add_global(sanitizer *s, san_memory *m, const ir_op *op, uint32_t rank,
                       const void *address) {
  const ir_type *t = ir_get_attr(op, ATTR_value)->dense->type;
  str name = ir_symbol_name(op);
  m->name = name_of_rank(s, arena_printf(s->arena, "global @" STR_FMT, STR_ARG(name)), rank);
  m->elem = (tsr_elem)t->elem;
  m->bounded = true;
  m->constant = ir_int_attr(op, ATTR_constant);
  m->start = unit_of((uintptr_t)address, 0);
  m->end = m->start + 2 * tsr_elem_storage(m->elem, (size_t)t->count);
}

/* All allocas get a place now, and memory when they are executed. */
typedef struct alloca_walk {
  sanitizer *s;
  san_memory *next;
} alloca_walk;

static bool add_alloca(void *user, ir_op *op) {
  alloca_walk *w = user;
  if (op->opcode != OP_alloca) return true;
  const ir_value *v = ir_result(op, 0);
  san_memory *m = w->next++;
  m->name = v->name ? arena_printf(w->s->arena, "alloca %%%s", v->name) : "the memory of an alloca";
  m->elem = (tsr_elem)v->type->pointee;
  m->elements = (size_t)ir_int_attr(op, ATTR_num_elem);
  m->bounded = true;
  return true;
}

static void add_rank(sanitizer *s, uint32_t rank, const sanitizer_rank *given) {
  interp_program *p = s->program;
  const ir_block *body = ir_region(p->entry, 0);
  san_memory *m = s->memory + rank * s->rank_memory;
  for (uint32_t k = 0; k < body->n_args; k++)
    add_param(s, &m[k], &body->args[k], k, rank, &given->params[k]);
  m += s->roots.n_params;
  for (uint32_t k = 0; k < s->roots.n_globals; k++)
    add_global(s, &m[k], p->module->globals.data[k], rank, given->globals[k]);
  ir_walk(p->entry, add_alloca, &(alloca_walk){s, m + s->roots.n_globals});
}

void san_find_memory(sanitizer *s, const sanitizer_rank *ranks, uint32_t n_ranks) {
  s->roots = ir_find_roots(s->program->module, s->program->entry, s->arena);
  s->n_ranks = n_ranks;
  s->rank_memory = s->roots.n_params + s->roots.n_globals + s->roots.n_allocas;
  s->n_memory = s->rank_memory * n_ranks;
  size_t size = s->n_memory * sizeof *s->memory;
  s->memory = memset(arena_array(s->arena, san_memory, s->n_memory), 0, size);
  for (uint32_t rank = 0; rank < n_ranks; rank++) add_rank(s, rank, &ranks[rank]);
}

/* ---- while it runs -------------------------------------------------------------------------- */

void san_note_alloca(sanitizer *s, frame *f, const inst *i) {
  san_memory *m = san_root_memory(s, ir_root_of(&s->roots, ir_result(i->op, 0)));
  m->start = unit_of(get_element(at(f, i->out[0]), 64, 0), 0);
  m->end = m->start + 2 * tsr_elem_storage(m->elem, m->elements);
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
