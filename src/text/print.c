/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The printer: modules in the custom form, led by the same formats as the parser.
 */
#include "text/print.h"

#include "ir/version.h"

/* ---- pieces --------------------------------------------------------------------------------- */

void print_newline(printer *q) {
  sbuf_putc(q->out, '\n');
  for (unsigned i = 0; i < q->indent; i++) sbuf_add(q->out, "  ", 2);
}

/* A number for a value outside of text_print: its position among the unnamed ones above it. */
static uint32_t count_unnamed(const ir_value *v) {
  const ir_op *root = v->is_arg ? v->owner.block->parent : v->owner.op;
  while (root->block && root->block->parent->block) root = root->block->parent;
  const ir_op *op = root;
  uint32_t n = 0;
  char text[128];
  while (op) {
    for (uint32_t i = 0; i < op->n_results; i++) {
      if (&op->results[i] == v) return n;
      n += !has_own_name(&op->results[i]) && !default_name(&op->results[i], text, sizeof text);
    }
    const ir_op *following = NULL;
    for (unsigned r = 0; r < op->n_regions && !following; r++)
      if (op->regions[r]) following = op->regions[r]->first;
    while (!following && op && op != root) {
      following = op->next;
      if (!following) op = op->block->parent;
    }
    op = following;
  }
  return n;
}

static void print_value_loose(printer *q, const ir_value *v) {
  char text[128];
  if (has_own_name(v))
    sbuf_puts(q->out, v->name);
  else if (default_name(v, text, sizeof text))
    sbuf_puts(q->out, text);
  else
    sbuf_printf(q->out, "%u", count_unnamed(v));
}

static void print_name(printer *q, const ir_value *v, uint32_t number) {
  number &= ~NAME_HEAD;
  if (number == 0)
    sbuf_puts(q->out, v->name);
  else
    sbuf_str(q->out, q->names.data[number - 1]);
}

void print_value(printer *q, const ir_value *v) {
  sbuf_putc(q->out, '%');
  if (!v) {
    sbuf_putc(q->out, '?'); /* only in modules that were never finished */
  } else if (!q->numbered) {
    print_value_loose(q, v);
  } else if (v->number & NAME_MEMBER) {
    uint32_t k = v->number & ~NAME_MEMBER;
    print_name(q, v - k, (v - k)->number);
    sbuf_printf(q->out, "#%u", k);
  } else {
    print_name(q, v, v->number);
    if (v->number & NAME_HEAD) sbuf_puts(q->out, "#0");
  }
}

void print_type(printer *q, const ir_type *t) {
  if (!t) {
    sbuf_putc(q->out, '?');
    return;
  }
  if (t->id >= q->n_types) {
    ir_type_print(q->out, t, false);
    return;
  }
  str *s = &q->types[t->id];
  if (!s->data) {
    sbuf b = SBUF(&q->temp);
    if (t->layout || t->memory || (t->kind == IR_ASYNC && t->view->layout))
      print_laid_out_type(q, &b, t);
    else
      ir_type_print(&b, t, false);
    *s = (str){b.data, b.len};
  }
  sbuf_str(q->out, *s);
}

void print_extra_list(printer *q, const ir_op *op, const char *separator) {
  for (const ir_extra *e = op->extra; e; e = e->next, separator = ", ") {
    sbuf_puts(q->out, separator);
    sbuf_str(q->out, e->name);
    if (str_is(e->text, "unit")) continue;
    sbuf_puts(q->out, " = ");
    sbuf_str(q->out, e->text);
  }
}

void print_extras(printer *q, const ir_op *op) {
  if (!op->extra) return;
  sbuf_puts(q->out, " {");
  print_extra_list(q, op, "");
  sbuf_putc(q->out, '}');
}

/* ---- the format ------------------------------------------------------------------------------ */

static void blank(printer *q) {
  if (!q->glue) sbuf_putc(q->out, ' ');
  q->glue = false;
}

/* Whether the text says what an attribute is: it was given, and is not what leaving it out means.
 */
static bool is_written(const ir_op *op, unsigned slot) {
  const op_attr *a = &ir_row(op)->attrs[slot];
  if (a->kind == AK_BOOLS) return ir_any_true(op->attrs[slot].ints);
  switch (a->optional) {
  case AO_DEFAULT:
  case AO_ELIDED: return op->attrs[slot].i != a->value;
  default: return op->present >> slot & 1 && (a->kind != AK_UNIT || op->attrs[slot].i);
  }
}

static void print_operands(printer *q, const ir_op *op, unsigned group) {
  uint32_t n;
  const ir_use *u = ir_operand_group(op, group, &n);
  for (uint32_t i = 0; i < n; i++) {
    if (i) sbuf_putc(q->out, ',');
    blank(q);
    print_value(q, u[i].value);
  }
}

static void print_types_in(printer *q, const ir_op *op, unsigned group, bool splat) {
  uint32_t n;
  const ir_use *u = ir_operand_group(op, group, &n);
  if (splat) {
    bool same = true;
    for (uint32_t i = 1; i < n; i++)
      same &= u[i].value && u[0].value && u[i].value->type == u[0].value->type;
    if (same && n > 1) n = 1;
  }
  for (uint32_t i = 0; i < n; i++) {
    if (i) sbuf_putc(q->out, ',');
    blank(q);
    print_type(q, u[i].value ? u[i].value->type : NULL);
  }
}

/* Groups of one come first; the last may be open. */
static void print_types_out(printer *q, const ir_op *op, unsigned group, bool splat) {
  const op_row *row = ir_row(op);
  uint32_t first = group, n = row->results[group].arity == MANY ? op->n_results - group : 1;
  if (first >= op->n_results) return;
  if (splat) {
    bool same = true;
    for (uint32_t i = 1; i < n; i++) same &= op->results[first + i].type == op->results[first].type;
    if (same) n = 1;
  }
  for (uint32_t i = 0; i < n; i++) {
    if (i) sbuf_putc(q->out, ',');
    blank(q);
    print_type(q, op->results[first + i].type);
  }
}

static bool is_optional_written(const ir_op *op, const instr *i) {
  const instr *d = i + i->b;
  switch ((instr_kind)d->kind) {
  case F_OPERAND:
  case F_TYPE_IN: return op->segments[d->a] > 0;
  case F_ATTR: return is_written(op, d->a);
  case F_TYPE_OUT: return d->a < op->n_results;
  case F_REGION: return ir_region(op, d->a) != NULL;
  default: return true;
  }
}

static void print_punct(printer *q, char c) {
  switch (c) {
  case F_ARROW_CHAR: sbuf_puts(q->out, " ->"); break;
  case ':': sbuf_puts(q->out, " :"); break;
  case '(':
  case '<':
    blank(q);
    sbuf_putc(q->out, c);
    break;
  case '=': sbuf_puts(q->out, " ="); break;
  default: sbuf_putc(q->out, c); break;
  }
  q->glue = c == '[' || c == '(' || c == '<';
}

static void print_instr(printer *q, const ir_op *op, const instr **at) {
  const instr *i = *at;
  const op_row *row = ir_row(op);
  switch ((instr_kind)i->kind) {
  case F_OPERAND: print_operands(q, op, i->a); break;
  case F_ATTR:
    blank(q);
    print_attr(q, op, i->a);
    break;
  case F_TYPE_IN: print_types_in(q, op, i->a, false); break;
  case F_SPLAT_IN: print_types_in(q, op, i->a, true); break;
  case F_TYPE_OUT: print_types_out(q, op, i->a, false); break;
  case F_SPLAT_OUT: print_types_out(q, op, i->a, true); break;
  case F_ANGLED:
    if (!is_written(op, i->a)) break;
    blank(q);
    sbuf_add(q->out, i->text, i->len);
    sbuf_putc(q->out, '<');
    sbuf_puts(q->out, enum_spelling((attr_kind)row->attrs[i->a].kind, op->attrs[i->a].i));
    sbuf_putc(q->out, '>');
    break;
  case F_FLAG:
    if (!is_written(op, i->a)) break;
    blank(q);
    sbuf_add(q->out, i->text, i->len);
    break;
  case F_DICT: print_extras(q, op); break;
  case F_REGION:
    if (!q->regions || !ir_region(op, i->a)) break;
    blank(q);
    print_region(q, op, i->a, false);
    break;
  case F_ARGS_REGION:
    if (q->regions) print_args_region(q, op, i->a);
    break;
  case F_PUNCT:
    if (i->a == ',' && i[1].kind == F_SPLAT_IN && op->segments[i[1].a] == 0) break;
    print_punct(q, (char)i->a);
    break;
  case F_WORD:
  case F_WORD_EQ:
    blank(q);
    sbuf_add(q->out, i->text, i->len);
    if (i->kind == F_WORD_EQ) sbuf_putc(q->out, '=');
    q->glue = i->kind == F_WORD_EQ;
    break;
  case F_OPTIONAL:
    if (!is_optional_written(op, i)) *at = i + i->a;
    break;
  case F_CUSTOM: print_custom(q, op); break;
  case F_OPTIONAL_END:
  case F_END: break;
  }
}

/* ---- operations ------------------------------------------------------------------------------ */

static void print_results(printer *q, const ir_op *op) {
  if (!op->n_results) return;
  for (uint32_t i = 0; i < op->n_results;) {
    const ir_value *v = &op->results[i];
    uint32_t n = 1;
    if (i) sbuf_puts(q->out, ", ");
    sbuf_putc(q->out, '%');
    if (q->numbered) {
      print_name(q, v, v->number);
      while (i + n < op->n_results && op->results[i + n].number & NAME_MEMBER) n++;
    } else {
      print_value_loose(q, v);
    }
    if (n > 1) sbuf_printf(q->out, ":%u", n);
    i += n;
  }
  sbuf_puts(q->out, " = ");
}

static void print_op(printer *q, const ir_op *op) {
  print_results(q, op);
  if (needs_generic_form(op)) {
    print_generic(q, op);
    return;
  }
  if (op->opcode == OP_module) sbuf_puts(q->out, "cuda_tile.");
  if (!(ir_row(op)->traits & TRAIT_FOREIGN)) sbuf_puts(q->out, ir_row(op)->name);
  q->glue = false;
  for (const instr *i = format_of(q->m->ctx, (op_code)op->opcode)->code; i->kind != F_END; i++)
    print_instr(q, op, &i);
}

/* Lines, each on its own; an empty one stays empty. */
static void print_lines(printer *q, str lines, bool *first) {
  while (lines.data) {
    const char *stop = memchr(lines.data, '\n', lines.len);
    size_t n = stop ? (size_t)(stop - lines.data) : lines.len;
    if (n == 0)
      sbuf_putc(q->out, '\n');
    else {
      if (!*first) print_newline(q);
      sbuf_add(q->out, lines.data, n);
    }
    *first = false;
    lines = stop ? (str){stop + 1, lines.len - n - 1} : (str){0};
  }
}

static const ir_comments *comments_for(const printer *q, const ir_op *op) {
  return q->m->comments.len ? map_ptr(&q->m->comments, op) : NULL;
}

/* The first line goes after the operation; it is empty when all have lines of their own. */
static void print_trailing(printer *q, const ir_comments *c) {
  if (!c || !c->trailing.data) return;
  const char *stop = memchr(c->trailing.data, '\n', c->trailing.len);
  size_t n = stop ? (size_t)(stop - c->trailing.data) : c->trailing.len;
  bool first = false;
  if (n) sbuf_putc(q->out, ' ');
  sbuf_add(q->out, c->trailing.data, n);
  if (stop) print_lines(q, (str){stop + 1, c->trailing.len - n - 1}, &first);
}

static void print_op_line(printer *q, const ir_op *op) {
  const ir_comments *c = comments_for(q, op);
  bool first = false;
  if (c) print_lines(q, c->before, &first);
  print_newline(q);
  print_op(q, op);
  print_trailing_loc(q, op);
  print_trailing(q, c);
}

/* A terminator that reading the text brings back. */
static bool is_elided(const printer *q, const ir_op *parent, const ir_op *op) {
  return !op->next && op->opcode == ir_row(parent)->terminator && op->n_operands == 0 &&
         !op->extra && !comments_for(q, op);
}

void print_region(printer *q, const ir_op *op, unsigned region, bool keep_terminator) {
  const ir_block *b = ir_region(op, region);
  const ir_comments *c = comments_for(q, op);
  if (q->indent == MAX_PRINT_DEPTH) {
    sbuf_puts(q->out, "{…}");
    return;
  }
  sbuf_putc(q->out, '{');
  q->indent++;
  for (const ir_op *o = b->first; o; o = o->next)
    if (keep_terminator || !is_elided(q, op, o)) print_op_line(q, o);
  bool first = false;
  bool last = region + 1 == op->n_regions || !op->regions[region + 1];
  if (c && c->at_end.data && last) print_lines(q, c->at_end, &first);
  q->indent--;
  print_newline(q);
  sbuf_putc(q->out, '}');
  q->glue = false;
}

/* ---- the interface --------------------------------------------------------------------------- */

static printer *create_printer(sbuf *out, ir_module *m) {
  printer *q = ctx_alloc(m->ctx, sizeof *q);
  *q = (printer){.out = out, .m = m};
  arena_init(&q->temp, m->ctx);
  return q;
}

static void destroy_printer(printer *q) {
  arena_free(&q->temp);
  ctx_free(q->m->ctx, q, sizeof *q);
}

/* A text without a module around its operations: each begins a line, the first the text. */
static void print_items(printer *q) {
  sbuf *out = q->out;
  size_t start = out->len;
  for (const ir_op *o = ir_region(q->m->op, 0)->first; o; o = o->next) print_op_line(q, o);
  if (out->len == start) return;
  memmove(out->data + start, out->data + start + 1, out->len - start); /* with the final zero */
  out->len--;
}

static void print_whole(printer *q) {
  ir_module *m = q->m;
  sbuf *out = q->out;
  q->regions = true;
  q->types = arena_array(&q->temp, str, m->n_types);
  q->n_types = m->n_types;
  if (m->source) sbuf_grow(out, m->source->text.len + m->source->text.len / 8);
  collect_locations(q);
  assign_names(q, m->op);
  const ir_comments *c = comments_for(q, m->op);
  bool first = true;
  if (c) print_lines(q, c->before, &first);
  if (!first) sbuf_putc(out, '\n');
  print_layout_aliases(q);
  if (m->op->implicit) {
    print_items(q);
  } else {
    print_op(q, m->op);
    print_trailing_loc(q, m->op);
    print_trailing(q, c);
  }
  sbuf_putc(out, '\n');
  print_location_aliases(q);
}

void text_print(sbuf *out, ir_module *m) {
  printer *q = create_printer(out, m);
  TSR_GUARD(m->ctx, destroy_printer(q); ctx_unwind(m->ctx));
  print_whole(q);
  TSR_UNGUARD(m->ctx);
  destroy_printer(q);
}

void text_print_kernel(sbuf *out, ir_module *m, ir_op *entry) {
  printer *q = create_printer(out, m);
  TSR_GUARD(m->ctx, destroy_printer(q); ctx_unwind(m->ctx));
  q->regions = true;
  assign_names(q, entry);
  print_op(q, entry);
  TSR_UNGUARD(m->ctx);
  destroy_printer(q);
}

typedef struct name_list {
  printer *q;
  arena *arena;
  map *names;
} name_list;

static void put_name(name_list *x, const ir_value *v) {
  sbuf text = SBUF(x->arena);
  x->q->out = &text;
  print_value(x->q, v);
  *map_put(x->arena, x->names, (uintptr_t)v) = (uintptr_t)text.data;
}

static bool put_names(void *user, ir_op *op) {
  for (uint32_t i = 0; i < op->n_results; i++) put_name(user, ir_result(op, i));
  for (unsigned r = 0; r < op->n_regions; r++)
    for (uint32_t i = 0; op->regions[r] && i < op->regions[r]->n_args; i++)
      put_name(user, &op->regions[r]->args[i]);
  return true;
}

void text_name_values(arena *a, ir_module *m, map *names) {
  printer *q = create_printer(NULL, m);
  TSR_GUARD(m->ctx, destroy_printer(q); ctx_unwind(m->ctx));
  assign_names(q, m->op);
  ir_walk(m->op, put_names, &(name_list){q, a, names});
  TSR_UNGUARD(m->ctx);
  destroy_printer(q);
}

void text_print_op(sbuf *out, ir_module *m, const ir_op *op) {
  printer *q = create_printer(out, m);
  TSR_GUARD(m->ctx, destroy_printer(q); ctx_unwind(m->ctx));
  print_op(q, op);
  TSR_UNGUARD(m->ctx);
  destroy_printer(q);
}
