/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Locations that the text gave. Where an operation stands in the text itself is no news; anything
 * else is written as an alias, defined after the module, so that shared locations stay shared.
 */
#include "text/print.h"

typedef VEC(ir_loc) loc_stack;

/* The place in the module's own text, or nothing at all. */
static bool is_plain(const ir_module *m, ir_loc loc) {
  if (loc == 0 || loc >= m->locs.len) return true;
  const ir_loc_info *l = &m->locs.data[loc];
  return l->kind == IR_LOC_UNKNOWN ||
         (l->kind == IR_LOC_FILE && m->source && l->file == m->source->name);
}

static void need(printer *q, loc_stack *stack, ir_loc loc) {
  if (loc && loc < q->m->locs.len && !q->locs[loc]) vec_push(&q->temp, *stack, loc);
}

static void need_scope(printer *q, uint32_t scope) {
  if (scope && scope <= q->m->scopes.len) q->scopes[scope - 1] = 1;
}

/* Marks a scope and all that it refers to. */
static void collect_scope(printer *q, uint32_t scope) {
  while (scope && scope <= q->m->scopes.len && !q->scopes[scope - 1]) {
    const ir_scope *s = &q->m->scopes.data[scope - 1];
    need_scope(q, scope);
    need_scope(q, s->file);
    need_scope(q, s->unit);
    if (s->unit && s->unit <= q->m->scopes.len) need_scope(q, q->m->scopes.data[s->unit - 1].file);
    scope = s->parent;
  }
}

/* Numbers `loc` after everything that it refers to. Not recursive: chains may be long. */
static void collect(printer *q, ir_loc loc) {
  loc_stack stack = {0};
  vec_push(&q->temp, stack, loc);
  while (stack.len) {
    ir_loc at = vec_last(stack);
    uint32_t height = stack.len;
    const ir_loc_info *l = &q->m->locs.data[at];
    need(q, &stack, l->inner);
    if (l->kind != IR_LOC_FUSED) {
      need(q, &stack, l->outer);
    } else { /* its links are written as one list */
      for (ir_loc link = l->outer; link; link = q->m->locs.data[link].outer)
        need(q, &stack, q->m->locs.data[link].inner);
    }
    if (stack.len > height) continue;
    stack.len--;
    if (q->locs[at]) continue;
    if (l->kind == IR_LOC_DEBUG) collect_scope(q, l->scope);
    vec_push(&q->temp, q->loc_order, at);
    q->locs[at] = q->loc_order.len;
  }
}

static bool collect_op(void *user, ir_op *op) {
  printer *q = user;
  if (!is_plain(q->m, op->loc) && !q->locs[op->loc]) collect(q, op->loc);
  return true;
}

void collect_locations(printer *q) {
  const ir_module *m = q->m;
  bool any = false;
  for (uint32_t i = 1; i < m->locs.len && !any; i++) any = !is_plain(m, i);
  if (!any) return;
  q->locs = arena_array(&q->temp, uint32_t, m->locs.len);
  q->scopes = arena_alloc_zero(&q->temp, (m->scopes.len + 1) * sizeof(uint32_t), 4);
  ir_walk(m->op, collect_op, q);
  for (uint32_t i = 0, n = 0; i < m->scopes.len; i++)
    if (q->scopes[i]) q->scopes[i] = ++n;
}

static void print_loc_alias(printer *q, ir_loc loc) {
  if (loc && q->locs[loc])
    sbuf_printf(q->out, "#loc%u", q->locs[loc]);
  else
    sbuf_puts(q->out, "unknown");
}

void print_trailing_loc(printer *q, const ir_op *op) {
  if (!q->locs || is_plain(q->m, op->loc)) return;
  sbuf_puts(q->out, " loc(");
  print_loc_alias(q, op->loc);
  sbuf_putc(q->out, ')');
}

/* ---- scopes ---------------------------------------------------------------------------------- */

static void print_scope_alias(printer *q, const char *field, uint32_t scope) {
  sbuf_printf(q->out, "%s = #scope%u", field, scope ? q->scopes[scope - 1] : 0);
}

static void print_text(printer *q, const char *field, const char *s) {
  sbuf_printf(q->out, ", %s = ", field);
  print_string(q->out, str_of(s ? s : ""));
}

static void print_scope(printer *q, uint32_t index) {
  const ir_scope *s = &q->m->scopes.data[index];
  sbuf_printf(q->out, "#scope%u = #cuda_tile.", q->scopes[index]);
  switch ((ir_scope_kind)s->kind) {
  case IR_SCOPE_FILE:
    sbuf_puts(q->out, "di_file<");
    print_string(q->out, str_of(s->name ? s->name : ""));
    sbuf_puts(q->out, " in ");
    print_string(q->out, str_of(s->directory ? s->directory : ""));
    break;
  case IR_SCOPE_UNIT:
    sbuf_puts(q->out, "di_compile_unit<");
    print_scope_alias(q, "file", s->file);
    break;
  case IR_SCOPE_SUBPROGRAM:
    sbuf_puts(q->out, "di_subprogram<");
    print_scope_alias(q, "file", s->file);
    sbuf_printf(q->out, ", line = %u", s->line);
    print_text(q, "name", s->name);
    print_text(q, "linkageName", s->linkage_name);
    print_scope_alias(q, ", compileUnit", s->unit);
    if (s->scope_line) sbuf_printf(q->out, ", scopeLine = %u", s->scope_line);
    break;
  case IR_SCOPE_BLOCK:
    sbuf_puts(q->out, "di_lexical_block<");
    print_scope_alias(q, "scope", s->parent);
    print_scope_alias(q, ", file", s->file);
    sbuf_printf(q->out, ", line = %u", s->line);
    if (s->column) sbuf_printf(q->out, ", column = %u", s->column);
    break;
  }
  sbuf_puts(q->out, ">\n");
}

/* ---- locations ------------------------------------------------------------------------------- */

static void print_definition(printer *q, ir_loc loc) {
  const ir_loc_info *l = &q->m->locs.data[loc];
  sbuf *b = q->out;
  sbuf_printf(b, "#loc%u = ", q->locs[loc]);
  if (l->kind == IR_LOC_DEBUG) {
    sbuf_puts(b, "#cuda_tile.di_loc<");
    print_loc_alias(q, l->inner);
    sbuf_printf(b, " in #scope%u>\n", l->scope ? q->scopes[l->scope - 1] : 0);
    return;
  }
  sbuf_puts(b, "loc(");
  switch ((ir_loc_kind)l->kind) {
  case IR_LOC_FILE:
    print_string(b, str_of(l->file ? l->file : ""));
    sbuf_printf(b, ":%u:%u", l->line, l->column);
    break;
  case IR_LOC_NAMED:
    print_string(b, str_of(l->file ? l->file : ""));
    if (l->inner) {
      sbuf_putc(b, '(');
      print_loc_alias(q, l->inner);
      sbuf_putc(b, ')');
    }
    break;
  case IR_LOC_CALLSITE:
    sbuf_puts(b, "callsite(");
    print_loc_alias(q, l->inner);
    sbuf_puts(b, " at ");
    print_loc_alias(q, l->outer);
    sbuf_putc(b, ')');
    break;
  case IR_LOC_FUSED:
    sbuf_puts(b, "fused[");
    print_loc_alias(q, l->inner);
    for (ir_loc rest = l->outer; rest; rest = q->m->locs.data[rest].outer) {
      sbuf_puts(b, ", ");
      print_loc_alias(q, q->m->locs.data[rest].inner);
    }
    sbuf_putc(b, ']');
    break;
  case IR_LOC_UNKNOWN:
  case IR_LOC_DEBUG: sbuf_puts(b, "unknown"); break;
  }
  sbuf_puts(b, ")\n");
}

void print_location_aliases(printer *q) {
  if (!q->locs) return;
  for (uint32_t i = 0; i < q->m->scopes.len; i++)
    if (q->scopes[i]) print_scope(q, i);
  for (uint32_t i = 0; i < q->loc_order.len; i++) print_definition(q, q->loc_order.data[i]);
}
