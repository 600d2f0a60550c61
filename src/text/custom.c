/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Operations whose form no format can say: module, entry, for, loop, make_tensor_view, group, role.
 */
#include "text/internal.h"
#include "text/print.h"

/* ---- parsing: entry, module ------------------------------------------------------------------ */

static bool set_attr(op_state *s, attr_id id, ir_attr value) {
  int slot = ir_attr_slot(s->code, id);
  s->attrs[slot] = value;
  s->present |= 1u << slot;
  return true;
}

static bool parse_slot(parser *p, op_state *s, attr_id id) {
  return parse_attr(p, s, (unsigned)ir_attr_slot(s->code, id));
}

/* cluster(2), cluster(2, 4, 1) */
static bool parse_cluster(parser *p, op_state *s) {
  enum { DIMENSIONS = 3 };
  int64_t sizes[DIMENSIONS] = {0};
  uint32_t n = 0;
  if (!expect_punct(p, '(', "'cluster'")) return false;
  do {
    if (n == DIMENSIONS) return fail_tok(p, "a cluster has at most %d dimensions", DIMENSIONS);
    if (!parse_int64(p, &sizes[n++], "of tile blocks")) return false;
  } while (take_punct(p, ','));
  ir_ints *ints = arena_alloc(&p->m->arena, sizeof *ints + n * sizeof *sizes, _Alignof(ir_ints));
  ints->len = n;
  memcpy(ints->data, sizes, n * sizeof *sizes);
  return set_attr(s, ATTR_cluster, (ir_attr){.ints = ints}) &&
         expect_punct(p, ')', "the cluster's size");
}

static bool parse_entry(parser *p, op_state *s) {
  argument_list args = {0};
  if (!parse_slot(p, s, ATTR_sym_name) || !parse_arguments(p, &args)) return false;
  if (TOK(p) == TOK_ARROW) {
    uint32_t offset = p->lx.tok.offset;
    next(p);
    if (!take_punct(p, '(') || !take_punct(p, ')'))
      return fail_at(p, offset, p->lx.prev_end - offset,
                     "an entry returns nothing; results are written through pointers");
  }
  if (take_word(p, "threads") &&
      (!expect_punct(p, '(', "'threads'") || !parse_slot(p, s, ATTR_threads) ||
       !expect_punct(p, ')', "the number of threads")))
    return false;
  if (take_word(p, "cluster") && !parse_cluster(p, s)) return false;
  p->m->block_level |= s->present >> ir_attr_slot(OP_entry, ATTR_threads) & 1;
  if (take_word(p, "optimization_hints") &&
      (!expect_punct(p, '=', "'optimization_hints'") || !parse_slot(p, s, ATTR_optimization_hints)))
    return false;
  uint32_t types = p->type_stack.len;
  for (uint32_t i = 0; i < args.v.len; i++) vec_push(&p->temp, p->type_stack, args.v.data[i].type);
  ir_attr type = {.type = ir_function(p->m, args.v.len, 0, p->type_stack.data + types)};
  p->type_stack.len = types;
  set_attr(s, ATTR_function_type, type);
  return parse_region(p, s, 0, args.v.data, args.v.len, true) && parse_attr_dict(p, s);
}

static bool parse_module(parser *p, op_state *s) {
  return parse_slot(p, s, ATTR_sym_name) && (!at_word(p, "attributes") || parse_attr_dict(p, s)) &&
         parse_region(p, s, 0, NULL, 0, true);
}

/* ---- parsing: loops -------------------------------------------------------------------------- */

/* (%x = %y, …): the names go to `args`, the values become operand group `g`. */
static bool parse_iter_values(parser *p, op_state *s, unsigned g, argument_list *args) {
  s->operand_base[g] = p->operands.len;
  if (!expect_punct(p, '(', "'iter_values'")) return false;
  while (!at_punct(p, ')')) {
    argument a = {.name = p->lx.tok.name, .offset = p->lx.tok.offset};
    if (TOK(p) != TOK_VALUE) return fail_expected(p, "an iteration value (%%name = %%initial)");
    next(p);
    if (!expect_punct(p, '=', "the name of an iteration value") || !parse_operand(p)) return false;
    vec_push(&p->temp, args->v, a);
    if (!take_punct(p, ',')) break;
  }
  s->operand_len[g] = p->operands.len - s->operand_base[g];
  return expect_punct(p, ')', "the iteration values");
}

/* A list of types for operand group `g`, one for each; arguments from `first` on get them too. */
static bool parse_iter_types(parser *p, op_state *s, unsigned g, argument_list *args,
                             uint32_t first) {
  s->in_base[g] = p->type_stack.len;
  s->in_offset[g] = p->lx.tok.offset;
  uint32_t offset = p->lx.tok.offset;
  if (!parse_type_list(p)) return false;
  s->in_len[g] = p->type_stack.len - s->in_base[g];
  if (s->in_len[g] != s->operand_len[g])
    return fail_at(p, offset, p->lx.prev_end - offset, "%u iteration value%s, but %u type%s",
                   s->operand_len[g], s->operand_len[g] == 1 ? " is given" : "s are given",
                   s->in_len[g], s->in_len[g] == 1 ? "" : "s");
  for (uint32_t i = 0; i < s->in_len[g]; i++)
    args->v.data[first + i].type = p->type_stack.data[s->in_base[g] + i];
  return true;
}

/* One operand as the whole group `g`. */
static bool parse_bound(parser *p, op_state *s, unsigned g) {
  s->operand_base[g] = p->operands.len;
  s->operand_len[g] = 1;
  return parse_operand(p);
}

static bool parse_for(parser *p, op_state *s) {
  argument_list args = {0};
  if (take_word(p, "unsigned")) set_attr(s, ATTR_unsignedCmp, (ir_attr){.i = 1});
  argument iv = {.name = p->lx.tok.name, .offset = p->lx.tok.offset};
  if (TOK(p) != TOK_VALUE) return fail_expected(p, "the induction variable (%%name) after 'for'");
  next(p);
  if (!expect_word(p, "in", "the induction variable") || !expect_punct(p, '(', "'in'") ||
      !parse_bound(p, s, 0) || !expect_word(p, "to", "the lower bound") || !parse_bound(p, s, 1) ||
      !expect_punct(p, ',', "the upper bound") || !expect_word(p, "step", "','") ||
      !parse_bound(p, s, 2) || !expect_punct(p, ')', "the step") ||
      !expect_punct(p, ':', "the bounds"))
    return false;
  if (!(iv.type = parse_type(p))) return false;
  for (unsigned g = 0; g < 3; g++) {
    s->in_base[g] = p->type_stack.len;
    s->in_len[g] = 1;
    vec_push(&p->temp, p->type_stack, iv.type);
  }
  vec_push(&p->temp, args.v, iv);
  if (take_word(p, "iter_values")) {
    if (!parse_iter_values(p, s, 3, &args) || !expect_arrow(p, "the iteration values") ||
        !expect_punct(p, '(', "'->'") || !parse_iter_types(p, s, 3, &args, 1) ||
        !expect_punct(p, ')', "the types"))
      return false;
    s->out_base[0] = s->in_base[3];
    s->out_len[0] = s->in_len[3];
  }
  s->out_given[0] = true;
  return parse_region(p, s, 0, args.v.data, args.v.len, false) && parse_attr_dict(p, s);
}

static bool parse_loop(parser *p, op_state *s) {
  argument_list args = {0};
  bool results = false;
  s->out_given[0] = true;
  if (take_word(p, "iter_values")) {
    if (!parse_iter_values(p, s, 0, &args) || !expect_punct(p, ':', "the iteration values") ||
        !parse_iter_types(p, s, 0, &args, 0))
      return false;
    if (TOK(p) == TOK_ARROW) {
      next(p);
      results = true;
    }
  } else {
    results = take_punct(p, ':');
  }
  if (results) {
    s->out_base[0] = p->type_stack.len;
    if (!parse_type_list(p)) return false;
    s->out_len[0] = p->type_stack.len - s->out_base[0];
  }
  return parse_region(p, s, 0, args.v.data, args.v.len, false) && parse_attr_dict(p, s);
}

/* ---- parsing: make_tensor_view --------------------------------------------------------------- */

typedef struct mixed_list {
  int64_t v[IR_MAX_RANK]; /* IR_DYNAMIC: an operand */
  uint32_t offset[IR_MAX_RANK];
  uint32_t n, start, end;
} mixed_list;

/* [%m, 64]: operands become group `g`. */
static bool parse_mixed(parser *p, op_state *s, unsigned g, mixed_list *m) {
  s->operand_base[g] = p->operands.len;
  m->n = 0;
  m->start = p->lx.tok.offset;
  if (!expect_punct(p, '[', "'='")) return false;
  while (!at_punct(p, ']')) {
    if (m->n == IR_MAX_RANK) return fail_tok(p, "a view has at most %d dimensions", IR_MAX_RANK);
    m->offset[m->n] = p->lx.tok.offset;
    m->v[m->n] = IR_DYNAMIC;
    bool number = TOK(p) != TOK_VALUE;
    if (number ? !parse_int64(p, &m->v[m->n], "or a %name") : !parse_operand(p)) return false;
    /* The number that stands for '?' is none that can be written. */
    if (number && m->v[m->n] == IR_DYNAMIC)
      return fail_at(p, m->offset[m->n], p->lx.prev_end - m->offset[m->n],
                     "%lld is no size or stride; expected a positive number or a %%name",
                     (long long)IR_DYNAMIC);
    m->n++;
    if (!take_punct(p, ',')) break;
  }
  s->operand_len[g] = p->operands.len - s->operand_base[g];
  m->end = p->lx.tok.offset + 1;
  return expect_punct(p, ']', "the list");
}

/* The list and the type agree in every dimension. */
static bool check_mixed(parser *p, const mixed_list *m, const int64_t *type, unsigned rank,
                        const char *what) {
  if (m->n != rank)
    return fail_at(p, m->start, m->end - m->start,
                   "the type has %u dimensions, but %u %ss are given", rank, m->n, what);
  for (unsigned i = 0; i < rank; i++) {
    if (m->v[i] == type[i]) continue;
    if (m->v[i] == IR_DYNAMIC)
      return fail_at(p, m->offset[i], 1,
                     "%s %u is a value, but the type says %lld; write '?' there", what, i,
                     (long long)type[i]);
    if (type[i] == IR_DYNAMIC)
      return fail_at(p, m->offset[i], 1,
                     "%s %u is the number %lld, but the type says '?'; write the number there",
                     what, i, (long long)m->v[i]);
    return fail_at(p, m->offset[i], 1, "%s %u is %lld, but the type says %lld", what, i,
                   (long long)m->v[i], (long long)type[i]);
  }
  return true;
}

static void spell_group(parser *p, op_state *s, unsigned g, const ir_type *t) {
  if (!s->operand_len[g] || !t) return;
  s->in_base[g] = p->type_stack.len;
  s->in_len[g] = 1;
  vec_push(&p->temp, p->type_stack, t);
}

/* The types before the arrow: that of the base, where it has a ptr_attr, and of the sizes. */
static bool parse_tensor_view_types(parser *p, const op_state *s, const ir_type **base,
                                    const ir_type **index) {
  bool sized = s->operand_len[1] || s->operand_len[2];
  mark start = mark_here(p);
  const ir_type *t = parse_type(p);
  *base = *index = NULL;
  if (!t) return false;
  bool pointer = ir_is_tile(t) && t->elem == TSR_PTR;
  if (!sized && !pointer) { /* it is the result's */
    back_to(p, start);
    return true;
  }
  if (pointer) {
    *base = t;
    if (!sized) return expect_arrow(p, "the type of the base pointer");
    if (!expect_punct(p, ',', "the type of the base pointer") || !(t = parse_type(p))) return false;
  }
  *index = t;
  return expect_arrow(p, "the type of the dynamic sizes");
}

static bool parse_tensor_view_op(parser *p, op_state *s) {
  mixed_list shape, strides;
  const ir_type *base, *index;
  if (!parse_bound(p, s, 0) || !expect_punct(p, ',', "the base pointer") ||
      !expect_word(p, "shape", "','") || !expect_punct(p, '=', "'shape'") ||
      !parse_mixed(p, s, 1, &shape) || !expect_punct(p, ',', "the shape") ||
      !expect_word(p, "strides", "','") || !expect_punct(p, '=', "'strides'") ||
      !parse_mixed(p, s, 2, &strides) || !parse_attr_dict(p, s) ||
      !expect_punct(p, ':', "the strides"))
    return false;
  if (!parse_tensor_view_types(p, s, &base, &index)) return false;
  uint32_t offset = p->lx.tok.offset;
  const ir_type *view = parse_type(p);
  if (!view) return false;
  if (view->kind != IR_TENSOR_VIEW)
    return fail_at(p, offset, p->lx.prev_end - offset, "expected a tensor_view, found '%s'",
                   ir_type_text(&p->temp, view));
  if (!base) base = ir_tile(p->m, TSR_PTR, (tsr_elem)view->elem, 0, NULL);
  spell_group(p, s, 0, base);
  spell_group(p, s, 1, index);
  spell_group(p, s, 2, index);
  s->out_base[0] = p->type_stack.len;
  s->out_len[0] = 1;
  s->out_given[0] = true;
  vec_push(&p->temp, p->type_stack, view);
  /* A wrong size does not hide the result from what follows. */
  if (check_mixed(p, &shape, view->shape, view->rank, "dimension"))
    check_mixed(p, &strides, view->strides, view->rank, "stride");
  return true;
}

/* ---- parsing: groups of threads -------------------------------------------------------------- */

/* threads(0 to 128) */
static bool parse_threads(parser *p, op_state *s) {
  return expect_word(p, "threads", s->row->name) && expect_punct(p, '(', "'threads'") &&
         parse_slot(p, s, ATTR_first) && expect_word(p, "to", "the first thread") &&
         parse_slot(p, s, ATTR_end) && expect_punct(p, ')', "the end of the threads");
}

static bool parse_group(parser *p, op_state *s) {
  s->out_given[0] = true;
  if (!parse_threads(p, s)) return false;
  if (TOK(p) == TOK_ARROW) {
    next(p);
    s->out_base[0] = p->type_stack.len;
    if (!expect_punct(p, '(', "'->'") || !parse_type_list(p) || !expect_punct(p, ')', "the types"))
      return false;
    s->out_len[0] = p->type_stack.len - s->out_base[0];
  }
  return parse_region(p, s, 0, NULL, 0, false) && parse_attr_dict(p, s);
}

static bool parse_role(parser *p, op_state *s) {
  if (!parse_slot(p, s, ATTR_sym_name) || !parse_threads(p, s)) return false;
  if (take_word(p, "registers") &&
      (!expect_punct(p, '(', "'registers'") || !parse_slot(p, s, ATTR_registers) ||
       !expect_punct(p, ')', "the number of registers")))
    return false;
  return parse_region(p, s, 0, NULL, 0, false) && parse_attr_dict(p, s);
}

bool parse_custom(parser *p, op_state *s) {
  switch (s->code) {
  case OP_group: return parse_group(p, s);
  case OP_role: return parse_role(p, s);
  case OP_module: return parse_module(p, s);
  case OP_entry: return parse_entry(p, s);
  case OP_for: return parse_for(p, s);
  case OP_loop: return parse_loop(p, s);
  case OP_make_tensor_view: return parse_tensor_view_op(p, s);
  case OP_testing_func: return parse_testing_func(p, s);
  default: return fail_tok(p, "'%s' has no custom form", s->row->name);
  }
}

/* ---- printing -------------------------------------------------------------------------------- */

void print_arguments(printer *q, const ir_block *b) {
  sbuf_putc(q->out, '(');
  for (uint32_t i = 0; i < b->n_args; i++) {
    if (i) sbuf_puts(q->out, ", ");
    print_value(q, &b->args[i]);
    sbuf_puts(q->out, ": ");
    print_type(q, b->args[i].type);
  }
  sbuf_putc(q->out, ')');
}

void print_args_region(printer *q, const ir_op *op, unsigned region) {
  const ir_block *b = ir_region(op, region);
  if (!b) return;
  print_newline(q);
  print_arguments(q, b);
  sbuf_putc(q->out, ' ');
  print_region(q, op, region, true);
}

static void print_cluster(printer *q, const ir_op *op) {
  const ir_attr *cluster = ir_get_attr(op, ATTR_cluster);
  for (uint32_t i = 0; cluster && i < cluster->ints->len; i++)
    sbuf_printf(q->out, i ? ", %lld" : " cluster(%lld", (long long)cluster->ints->data[i]);
  if (cluster) sbuf_putc(q->out, ')');
}

static void print_entry(printer *q, const ir_op *op) {
  const ir_block *body = ir_region(op, 0);
  print_symbol(q->out, ir_get_attr(op, ATTR_sym_name) ? ir_symbol_name(op) : (str){"", 0});
  if (body) print_arguments(q, body);
  if (ir_get_attr(op, ATTR_threads))
    sbuf_printf(q->out, " threads(%lld)", (long long)ir_int_attr(op, ATTR_threads));
  print_cluster(q, op);
  const ir_attr *hints = ir_get_attr(op, ATTR_optimization_hints);
  if (hints && hints->hints->len) {
    sbuf_puts(q->out, " optimization_hints=");
    print_hints(q->out, hints->hints);
  }
  if (q->regions && body) {
    sbuf_putc(q->out, ' ');
    print_region(q, op, 0, true);
  }
  print_extras(q, op);
}

static void print_module(printer *q, const ir_op *op) {
  print_symbol(q->out, ir_symbol_name(op));
  const ir_attr *producer = ir_get_attr(op, ATTR_producer);
  if (producer || op->extra) {
    const char *separator = "";
    sbuf_puts(q->out, " attributes {");
    if (producer) {
      sbuf_puts(q->out, "producer = ");
      print_string(q->out, producer->s);
      separator = ", ";
    }
    print_extra_list(q, op, separator);
    sbuf_putc(q->out, '}');
  }
  if (!q->regions) return;
  sbuf_putc(q->out, ' ');
  print_region(q, op, 0, true);
}

/* iter_values(%x = %y) */
static void print_iter_values(printer *q, const ir_op *op, unsigned group, uint32_t first_arg) {
  uint32_t n;
  const ir_use *u = ir_operand_group(op, group, &n);
  const ir_block *b = ir_region(op, 0);
  sbuf_puts(q->out, " iter_values(");
  for (uint32_t i = 0; i < n; i++) {
    if (i) sbuf_puts(q->out, ", ");
    if (b && first_arg + i < b->n_args) print_value(q, &b->args[first_arg + i]);
    sbuf_puts(q->out, " = ");
    print_value(q, u[i].value);
  }
  sbuf_putc(q->out, ')');
}

static void print_use_types(printer *q, const ir_op *op, unsigned group) {
  uint32_t n;
  const ir_use *u = ir_operand_group(op, group, &n);
  for (uint32_t i = 0; i < n; i++) {
    if (i) sbuf_puts(q->out, ", ");
    print_type(q, u[i].value ? u[i].value->type : NULL);
  }
}

static void print_for(printer *q, const ir_op *op) {
  const ir_block *b = ir_region(op, 0);
  if (ir_int_attr(op, ATTR_unsignedCmp)) sbuf_puts(q->out, " unsigned");
  sbuf_putc(q->out, ' ');
  if (b && b->n_args) print_value(q, &b->args[0]);
  sbuf_puts(q->out, " in (");
  print_value(q, ir_operand_in(op, 0));
  sbuf_puts(q->out, " to ");
  print_value(q, ir_operand_in(op, 1));
  sbuf_puts(q->out, ", step ");
  print_value(q, ir_operand_in(op, 2));
  sbuf_puts(q->out, ") : ");
  if (b && b->n_args) print_type(q, b->args[0].type);
  if (op->segments[3]) {
    print_iter_values(q, op, 3, 1);
    sbuf_puts(q->out, " -> (");
    print_use_types(q, op, 3);
    sbuf_putc(q->out, ')');
  }
  if (q->regions && b) {
    sbuf_putc(q->out, ' ');
    print_region(q, op, 0, false);
  }
  print_extras(q, op);
}

static void print_loop(printer *q, const ir_op *op) {
  bool iterates = op->segments[0] > 0;
  if (iterates) print_iter_values(q, op, 0, 0);
  if (iterates || op->n_results) sbuf_puts(q->out, " : ");
  if (iterates) print_use_types(q, op, 0);
  if (iterates && op->n_results) sbuf_puts(q->out, " -> ");
  for (uint32_t i = 0; i < op->n_results; i++) {
    if (i) sbuf_puts(q->out, ", ");
    print_type(q, op->results[i].type);
  }
  if (q->regions && ir_region(op, 0)) {
    sbuf_putc(q->out, ' ');
    print_region(q, op, 0, false);
  }
  print_extras(q, op);
}

static void print_mixed(printer *q, const ir_op *op, unsigned group, const int64_t *v,
                        unsigned rank) {
  uint32_t n, used = 0;
  const ir_use *u = ir_operand_group(op, group, &n);
  for (unsigned i = 0; i < rank; i++) {
    if (i) sbuf_puts(q->out, ", ");
    if (v[i] != IR_DYNAMIC)
      sbuf_i64(q->out, v[i]);
    else
      print_value(q, used < n ? u[used].value : NULL);
    used += v[i] == IR_DYNAMIC;
  }
}

static void print_tensor_view_op(printer *q, const ir_op *op) {
  const ir_type *t = op->n_results ? op->results[0].type : NULL;
  sbuf_putc(q->out, ' ');
  print_value(q, ir_operand_in(op, 0));
  if (!t || t->kind != IR_TENSOR_VIEW) return;
  sbuf_puts(q->out, ", shape = [");
  print_mixed(q, op, 1, t->shape, t->rank);
  sbuf_puts(q->out, "], strides = [");
  print_mixed(q, op, 2, t->strides, t->rank);
  sbuf_putc(q->out, ']');
  print_extras(q, op);
  sbuf_puts(q->out, " : ");
  uint32_t n;
  const ir_use *u = ir_operand_group(op, op->segments[1] ? 1 : 2, &n);
  const ir_value *base = ir_operand_in(op, 0);
  bool spelled = base && base->type->ptr_attr;
  if (spelled) print_type(q, base->type);
  if (spelled && n) sbuf_puts(q->out, ", ");
  if (n) print_type(q, u[0].value ? u[0].value->type : NULL);
  if (spelled || n) sbuf_puts(q->out, " -> ");
  print_type(q, t);
}

static void print_threads(printer *q, const ir_op *op) {
  sbuf_printf(q->out, " threads(%lld to %lld)", (long long)ir_int_attr(op, ATTR_first),
              (long long)ir_int_attr(op, ATTR_end));
}

static void print_body(printer *q, const ir_op *op) {
  if (q->regions && ir_region(op, 0)) {
    sbuf_putc(q->out, ' ');
    print_region(q, op, 0, false);
  }
  print_extras(q, op);
}

static void print_group(printer *q, const ir_op *op) {
  print_threads(q, op);
  for (uint32_t i = 0; i < op->n_results; i++) {
    sbuf_puts(q->out, i ? ", " : " -> (");
    print_type(q, op->results[i].type);
  }
  if (op->n_results) sbuf_putc(q->out, ')');
  print_body(q, op);
}

static void print_role(printer *q, const ir_op *op) {
  print_symbol(q->out, ir_symbol_name(op));
  print_threads(q, op);
  if (ir_has_attr(op, ATTR_registers))
    sbuf_printf(q->out, " registers(%lld)", (long long)ir_int_attr(op, ATTR_registers));
  print_body(q, op);
}

void print_custom(printer *q, const ir_op *op) {
  switch ((op_code)op->opcode) {
  case OP_group: print_group(q, op); break;
  case OP_role: print_role(q, op); break;
  case OP_module: print_module(q, op); break;
  case OP_entry: print_entry(q, op); break;
  case OP_for: print_for(q, op); break;
  case OP_loop: print_loop(q, op); break;
  case OP_make_tensor_view: print_tensor_view_op(q, op); break;
  case OP_testing_func: print_testing_func(q, op); break;
  case OP_testing_foreign: print_foreign_op(q, op); break;
  default: break;
  }
}
