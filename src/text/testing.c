/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What only tests of the language write: functions instead of kernels, operations of dialects that
 * nobody knows, and programs without a module around them.
 */
#include "text/internal.h"
#include "text/print.h"

/* ---- testing$func ---------------------------------------------------------------------------- */

/* -> type, or -> (type, …): pushes them on the stack of types. */
static bool parse_func_results(parser *p) {
  if (TOK(p) != TOK_ARROW) return true;
  next(p);
  if (!take_punct(p, '(')) {
    const ir_type *t = parse_type(p);
    if (t) vec_push(&p->temp, p->type_stack, t);
    return t != NULL;
  }
  return take_punct(p, ')') ||
         (parse_type_list(p) && expect_punct(p, ')', "the types of the results"));
}

bool parse_testing_func(parser *p, op_state *s) {
  argument_list args = {0};
  if (!parse_attr(p, s, (unsigned)ir_attr_slot(s->code, ATTR_sym_name)) ||
      !parse_arguments(p, &args))
    return false;
  uint32_t types = p->type_stack.len;
  for (uint32_t i = 0; i < args.v.len; i++) vec_push(&p->temp, p->type_stack, args.v.data[i].type);
  if (!parse_func_results(p)) return false;
  uint32_t results = p->type_stack.len - types - args.v.len;
  int slot = ir_attr_slot(s->code, ATTR_function_type);
  s->attrs[slot].type = ir_function(p->m, args.v.len, results, p->type_stack.data + types);
  s->present |= 1u << slot;
  p->type_stack.len = types;
  return parse_region(p, s, 0, args.v.data, args.v.len, true) && parse_attr_dict(p, s);
}

void print_testing_func(printer *q, const ir_op *op) {
  const ir_block *body = ir_region(op, 0);
  const ir_attr *type = ir_get_attr(op, ATTR_function_type);
  print_symbol(q->out, ir_get_attr(op, ATTR_sym_name) ? ir_symbol_name(op) : (str){"", 0});
  if (body) print_arguments(q, body);
  uint32_t n = type ? type->type->n_results : 0;
  for (uint32_t i = 0; i < n; i++) {
    sbuf_puts(q->out, i ? ", " : " -> (");
    print_type(q, type->type->params[type->type->n_inputs + i]);
  }
  if (n) sbuf_putc(q->out, ')');
  if (q->regions && body) {
    sbuf_putc(q->out, ' ');
    print_region(q, op, 0, true);
  }
  print_extras(q, op);
}

/* ---- operations of other dialects ------------------------------------------------------------ */

bool begin_foreign_op(parser *p, op_state *s) {
  static const str own = {"cuda_tile.", 10};
  if (!p->testing || TOK(p) != TOK_STRING) return false;
  str name = p->lx.tok.name;
  if (!name.len || (name.len > own.len && memcmp(name.data, own.data, own.len) == 0)) return false;
  int slot = ir_attr_slot(OP_testing_foreign, ATTR_foreign_name);
  s->attrs[slot].s = arena_str(&p->m->arena, name);
  s->present |= 1u << slot;
  return begin_op(p, s, OP_testing_foreign);
}

static void print_foreign_region(printer *q, const ir_op *op, unsigned region) {
  const ir_block *b = ir_region(op, region);
  sbuf_puts(q->out, region ? ", " : " (");
  if (!b) {
    sbuf_puts(q->out, "{}");
  } else if (!b->n_args) {
    print_region(q, op, region, true);
  } else {
    /* The label of the block stands before its first operation. */
    sbuf_puts(q->out, "{^bb");
    print_arguments(q, b);
    sbuf_puts(q->out, ":");
    size_t brace = q->out->len;
    print_region(q, op, region, true);
    q->out->data[brace] = ' ';
  }
}

void print_foreign_op(printer *q, const ir_op *op) {
  sbuf *b = q->out;
  unsigned regions = 0;
  for (unsigned r = 0; r < op->n_regions; r++)
    if (op->regions[r]) regions = r + 1;
  sbuf_putc(b, '"');
  sbuf_str(b, ir_get_attr(op, ATTR_foreign_name)->s);
  sbuf_puts(b, "\"(");
  for (uint32_t i = 0; i < op->n_operands; i++) {
    if (i) sbuf_puts(b, ", ");
    print_value(q, ir_operand(op, i));
  }
  sbuf_putc(b, ')');
  if (q->regions) {
    for (unsigned r = 0; r < regions; r++) print_foreign_region(q, op, r);
    if (regions) sbuf_putc(b, ')');
  }
  print_extras(q, op);
  sbuf_puts(b, " : (");
  for (uint32_t i = 0; i < op->n_operands; i++) {
    if (i) sbuf_puts(b, ", ");
    print_type(q, ir_operand(op, i) ? ir_operand(op, i)->type : NULL);
  }
  sbuf_puts(b, ") -> (");
  for (uint32_t i = 0; i < op->n_results; i++) {
    if (i) sbuf_puts(b, ", ");
    print_type(q, op->results[i].type);
  }
  sbuf_putc(b, ')');
}

/* ---- programs without a module --------------------------------------------------------------- */

bool at_fragment(const parser *p) {
  if (TOK(p) == TOK_VALUE) return true;
  str name = p->lx.tok.name;
  if (TOK(p) == TOK_STRING)
    return !str_is(name, "cuda_tile.module") && !str_is(name, "builtin.module");
  return TOK(p) == TOK_BARE && !str_is(name, "cuda_tile.module") && !str_is(name, "module") &&
         !str_is(name, "builtin.module");
}

void make_implicit(parser *p) {
  ir_module *m = p->m;
  ir_op *first = m->op;
  bool read = first->loc || ir_region(first, 0)->first;
  m->testing = true;
  if (read) {
    m->op = ir_op_create(m, &(ir_op_spec){.opcode = OP_module, .n_regions = 1});
    ir_set_attr(m->op, ATTR_sym_name, (ir_attr){.s = ir_symbol_name(first)});
    ir_op_append(ir_region_create(m, m->op, 0, 0, NULL), first);
  }
  m->op->implicit = true;
}

bool parse_fragment(parser *p) {
  if (!p->m->op->implicit) make_implicit(p);
  uint32_t start = p->lx.tok.offset, braces = p->braces, nesting = p->nesting;
  if (parse_operation(p, ir_region(p->m->op, 0))) return true;
  p->nesting = nesting;
  recover(p, start, braces);
  if (at_punct(p, '}') || p->lx.tok.offset == start) next(p); /* there is no region to end */
  return true;
}
