/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Operations in the custom form, blocks of them, and going on after an error.
 */
#include <stdio.h>

#include "text/internal.h"

/* ---- operands ------------------------------------------------------------------------------- */

bool parse_operand(parser *p) {
  if (TOK(p) != TOK_VALUE) return fail_expected(p, "an operand (%%name)");
  token t = p->lx.tok;
  next(p);
  operand_ref ref = {NULL, t.offset, t.length};
  uint32_t index = 0;
  bool indexed = TOK(p) == TOK_HASH && p->lx.tok.offset == t.offset + t.length &&
                 is_class(p->lx.tok.name.data[0], CH_DIGIT);
  if (indexed) {
    str digits = p->lx.tok.name;
    for (size_t i = 0; i < digits.len; i++)
      index = index > 1u << 24 ? index : 10 * index + (uint32_t)(digits.data[i] - '0');
    ref.length += p->lx.tok.length;
    next(p);
  }
  symbol *s = find_symbol(p, t.name);
  if (!is_visible(p, s)) {
    report_undefined(p, s, ref.offset, t.length);
  } else if (s->state == SYM_VALUE) {
    if (index >= s->count) {
      fail_at(p, ref.offset, ref.length, "'%%" STR_FMT "' has %u result%s; there is no #%u",
              STR_ARG(t.name), s->count, s->count == 1 ? "" : "s", index);
      note_at(p, s->offset, t.length, "it is defined here");
    } else {
      ref.value = s->first + index;
      index_use(p, s, &ref);
    }
  }
  vec_push(&p->temp, p->operands, ref);
  return true;
}

/* Operands may be left out: "%a = …" on the next line is another operation. */
static bool at_operands(parser *p) {
  return TOK(p) == TOK_VALUE && !(p->lx.tok.first && at_operation_start(p));
}

bool parse_operand_list(parser *p) {
  if (!at_operands(p)) return true;
  do {
    if (!parse_operand(p)) return false;
  } while (take_punct(p, ','));
  return true;
}

/* ---- making the operation -------------------------------------------------------------------- */

/* Tiles that differ in nothing but that one of them doesn't state its layout. What one use states
 * holds for the value. */
static bool takes_layout(parser *p, ir_value *v, const ir_type *expected) {
  const ir_type *has = v->type;
  if (!has || has->kind != IR_TILE || expected->kind != IR_TILE) return false;
  if (!has->layout == !expected->layout) return false;
  const ir_type *stated = has->layout ? has : expected, *other = has->layout ? expected : has;
  if (!ir_same_shape(has, expected) || ir_with_layout(p->m, other, stated->layout) != stated)
    return false;
  v->type = stated;
  return true;
}

bool check_operand(parser *p, const op_state *s, const operand_ref *ref, const ir_type *expected) {
  ir_value *v = ref->value;
  if (!v || !expected || v->type == expected || takes_layout(p, v, expected)) return true;
  fail_at(p, ref->offset, ref->length, "'%.*s' has type '%s', but '%s' needs '%s' here",
          (int)ref->length, p->lx.begin + ref->offset, ir_type_text(&p->temp, v->type),
          s->row->name, ir_type_text(&p->temp, expected));
  str name = v->name ? str_of(v->name) : (str){0};
  symbol *sym = name.len ? find_symbol(p, name) : NULL;
  if (sym && is_visible(p, sym) && sym->first == v)
    note_at(p, sym->offset, (uint32_t)name.len + 1, "'%%%s' is defined here", v->name);
  return false;
}

static const ir_type *type_by_rule(parser *p, const op_state *s, group_rule r) {
  switch ((type_rule)r.rule) {
  case RULE_SAME_IN: return s->in_len[r.arg] ? p->type_stack.data[s->in_base[r.arg]] : NULL;
  case RULE_SAME_OUT: return s->out_len[r.arg] ? p->type_stack.data[s->out_base[r.arg]] : NULL;
  case RULE_TOKEN: return ir_token(p->m);
  case RULE_SCALAR: return ir_scalar(p->m, (tsr_elem)r.arg);
  case RULE_VIEW: {
    const ir_type *t = s->out_len[0] ? p->type_stack.data[s->out_base[0]] : NULL;
    return t && ir_is_subview(t) ? t->view : NULL;
  }
  case RULE_VALUE: return s->present >> r.arg & 1 ? s->attrs[r.arg].dense->type : NULL;
  case RULE_NONE: break;
  }
  return NULL;
}

/* Checks the operands of a group and pushes their values. */
static void resolve_group(parser *p, const op_state *s, unsigned g) {
  uint32_t n = s->operand_len[g], types = s->in_len[g];
  const ir_type *same = types ? NULL : type_by_rule(p, s, s->fmt->in[g]);
  if (types && types != n && types != 1)
    fail_at(p, s->in_offset[g], 1, "'%s' has %u operands for '%s', but %u types are given",
            s->row->name, n, s->row->operands[g].name, types);
  for (uint32_t i = 0; i < n; i++) {
    operand_ref ref = p->operands.data[s->operand_base[g] + i];
    const ir_type *expected = same;
    if (types == n)
      expected = p->type_stack.data[s->in_base[g] + i];
    else if (types == 1)
      expected = p->type_stack.data[s->in_base[g]];
    check_operand(p, s, &ref, expected);
    vec_push(&p->temp, p->values, ref.value);
  }
}

/* Pushes the types of the results; those that the text leaves out follow from the rules. */
static void resolve_results(parser *p, const op_state *s) {
  for (unsigned g = 0; g < s->fmt->n_out; g++) {
    if (s->out_given[g]) {
      for (uint32_t i = 0; i < s->out_len[g]; i++) {
        const ir_type *t = p->type_stack.data[s->out_base[g] + i];
        vec_push(&p->temp, p->type_stack, t);
      }
    } else if (s->row->results[g].arity == ONE) {
      const ir_type *t = type_by_rule(p, s, s->fmt->out[g]);
      vec_push(&p->temp, p->type_stack, t ? t : ir_token(p->m));
    }
  }
}

void build_op(parser *p, op_state *s) {
  uint32_t values = p->values.len, types = p->type_stack.len;
  for (unsigned g = 0; g < s->fmt->n_in; g++) resolve_group(p, s, g);
  resolve_results(p, s);
  ir_op_spec spec = {
      .opcode = s->code,
      .loc = s->loc,
      .n_operands = p->values.len - values,
      .operands = p->values.data + values,
      .segments = s->operand_len,
      .n_results = p->type_stack.len - types,
      .result_types = p->type_stack.data + types,
      .n_regions = s->fmt->n_regions,
  };
  s->op = ir_op_create(p->m, &spec);
  p->values.len = values;
  p->type_stack.len = types;
}

/* What was read after the point where the operation was made. */
static void apply_attributes(op_state *s) {
  for (unsigned i = 0; i < s->fmt->n_attrs; i++)
    if (s->present >> i & 1) s->op->attrs[i] = s->attrs[i];
  s->op->present = s->present;
  s->op->extra = s->extra;
}

/* ---- regions -------------------------------------------------------------------------------- */

ir_loc loc_of(parser *p, uint32_t line, uint32_t column) {
  return ir_loc_file(p->m, p->m->source->name, line, column);
}

static void add_terminator(parser *p, ir_block *b, const op_row *parent) {
  if (parent->terminator == OP_NONE) return;
  if (b->last && ir_row(b->last)->traits & TRAIT_TERMINATOR) return;
  uint32_t segments[OP_MAX_OPERANDS] = {0};
  ir_op *op = ir_op_create(p->m, &(ir_op_spec){
                                     .opcode = (op_code)parent->terminator,
                                     .loc = loc_of(p, p->lx.tok.line, p->lx.tok.column),
                                     .segments = segments,
                                 });
  op->implicit = true;
  ir_op_append(b, op);
}

bool enter_region(parser *p) {
  if (p->depth >= MAX_REGION_DEPTH)
    return fail_tok(p, "regions are nested too deeply: at most %d levels are accepted",
                    MAX_REGION_DEPTH);
  if (!has_stack(p, p->lx.tok.offset)) return false;
  p->depth++;
  return true;
}

bool end_region(parser *p, uint32_t brace, const char *what) {
  if (take_punct(p, '}')) return true;
  if (p->stopped || p->quiet) return false;
  fail_tok(p, "expected '}' to end the body of '%s', found the end of the file", what);
  note_at(p, brace, 1, "it begins here");
  p->quiet = true; /* the regions around it lack theirs too: one message is enough */
  return false;
}

bool parse_region(parser *p, op_state *s, unsigned index, const argument *args, uint32_t n,
                  bool isolated) {
  if (!at_punct(p, '{')) return fail_expected(p, "'{' to begin the body of '%s'", s->row->name);
  uint32_t brace = p->lx.tok.offset;
  if (!enter_region(p)) return false;
  if (!s->op) build_op(p, s);
  uint32_t types = p->type_stack.len;
  for (uint32_t i = 0; i < n; i++) vec_push(&p->temp, p->type_stack, args[i].type);
  ir_block *b = ir_region_create(p->m, s->op, index, n, p->type_stack.data + types);
  p->type_stack.len = types;
  name_scope sc;
  open_scope(p, &sc);
  if (isolated) p->isolation = ++p->isolations;
  for (uint32_t i = 0; i < n; i++)
    if (args[i].name.len) define_value(p, args[i].name, args[i].offset, &b->args[i], 1);
  next(p);
  parse_block(p, b);
  str comments = comments_before(p, false);
  add_terminator(p, b, s->row);
  p->depth--;
  close_scope(p, &sc);
  bool ok = end_region(p, brace, s->row->name);
  comments_at_end(p, s->op, b, !at_word(p, "else"), comments);
  return ok;
}

/* {} after an argument. A brace that ends its line is rather the body, after a missing ')'. */
static bool skip_empty_attributes(parser *p) {
  mark brace = mark_here(p);
  if (!take_punct(p, '{') || take_punct(p, '}')) return true;
  if (p->lx.tok.first) {
    back_to(p, brace);
    return fail_expected(p, "',' or ')' after an argument");
  }
  p->braces++;
  return fail_tok(p, "arguments have no attributes in Tile IR");
}

/* f32 where tile<f32> is meant. Tests have values of any type. */
static bool check_argument_type(parser *p, const ir_type *t, uint32_t offset) {
  if (p->testing || (t->kind != IR_NUMBER && t->kind != IR_POINTER)) return true;
  const char *text = ir_type_text(&p->temp, t);
  return fail_at(p, offset, p->lx.prev_end - offset,
                 "'%s' is the type of elements, which no value has; a scalar is 'tile<%s>'", text,
                 text);
}

bool parse_arguments(parser *p, argument_list *out) {
  if (!expect_punct(p, '(', NULL)) return false;
  if (take_punct(p, ')')) return true;
  do {
    argument a = {.offset = p->lx.tok.offset};
    if (TOK(p) != TOK_VALUE) return fail_expected(p, "an argument (%%name: type)");
    a.name = p->lx.tok.name;
    next(p);
    if (!expect_punct(p, ':', "the name of an argument")) return false;
    uint32_t offset = p->lx.tok.offset;
    if (!(a.type = parse_type(p)) || !check_argument_type(p, a.type, offset)) return false;
    if (!skip_empty_attributes(p)) return false;
    ir_loc ignored = 0;
    if (!parse_trailing_loc(p, &ignored)) return false;
    vec_push(&p->temp, out->v, a);
  } while (take_punct(p, ','));
  return expect_punct(p, ')', "the arguments");
}

/* ---- the format ----------------------------------------------------------------------------- */

/* "operand 'lhs'", what the parser has just read, for messages. */
static const char *before(const op_state *s, char *out, size_t size) {
  const op_row *row = s->row;
  const instr *i = s->last;
  if (!i) {
    snprintf(out, size, "'%s'", row->name);
    return out;
  }
  switch ((instr_kind)i->kind) {
  case F_OPERAND: snprintf(out, size, "operand '%s'", row->operands[i->a].name); break;
  case F_TYPE_IN:
  case F_SPLAT_IN: snprintf(out, size, "the type of '%s'", row->operands[i->a].name); break;
  case F_TYPE_OUT:
  case F_SPLAT_OUT: snprintf(out, size, "the type of '%s'", row->results[i->a].name); break;
  case F_ATTR:
  case F_ANGLED: snprintf(out, size, "the %s", attr_name((attr_id)row->attrs[i->a].id)); break;
  case F_PUNCT: snprintf(out, size, i->a == F_ARROW_CHAR ? "'->'" : "'%c'", i->a); break;
  default: snprintf(out, size, "'%.*s'", i->len, i->text); break;
  }
  return out;
}

/* A word where punctuation is due may be a misspelt keyword of this operation. */
static bool fail_punct(parser *p, const op_state *s, const instr *i) {
  char after[96], what[4] = {'\'', (char)i->a, '\'', 0};
  before(s, after, sizeof after);
  const char *wanted = i->a == F_ARROW_CHAR ? "'->'" : what;
  if (TOK(p) == TOK_BARE && p->lx.tok.line == p->lx.prev_line) {
    const char *words[16];
    unsigned n = 0;
    for (const instr *k = s->fmt->code; k->kind != F_END && n < 16; k++)
      if (k->kind == F_FLAG || k->kind == F_ANGLED || k->kind == F_WORD || k->kind == F_WORD_EQ)
        words[n++] = arena_strndup(&p->temp, k->text, k->len);
    const char *near = suggest(p->lx.tok.name, words, n);
    if (near)
      return fail_tok(p, "unknown keyword '" STR_FMT "' in '%s'; did you mean '%s'?",
                      STR_ARG(p->lx.tok.name), s->row->name, near);
  }
  const op_operand *missing =
      i->a == ',' && i[1].kind == F_TYPE_OUT ? &s->row->results[i[1].a] : NULL;
  if (missing && constraint_table[missing->constraint].shape == TCS_TOKEN)
    return fail_expected(p, "', token', the type of '%s', after %s", missing->name, after);
  return fail_expected(p, "%s after %s", wanted, after);
}

static bool at_instr(const parser *p, const op_state *s, const instr *i) {
  switch ((instr_kind)i->kind) {
  case F_PUNCT: return i->a == F_ARROW_CHAR ? TOK(p) == TOK_ARROW : at_punct(p, (char)i->a);
  case F_WORD:
  case F_WORD_EQ: return TOK(p) == TOK_BARE && str_eq(p->lx.tok.name, (str){i->text, i->len});
  case F_OPERAND: return TOK(p) == TOK_VALUE;
  case F_ATTR: {
    if (TOK(p) != TOK_BARE) return false;
    /* An unknown word is taken as a misspelt attribute when otherwise an operand is due. */
    str word = p->lx.tok.name;
    return enum_value(s->row->attrs[i->a].kind, word.data, (unsigned)word.len) >= 0 ||
           i[2].kind == F_OPERAND;
  }
  default: return false;
  }
}

static bool optional_is_there(parser *p, const op_state *s, const instr *i) {
  const instr *d = i + i->b;
  if (d->kind == F_TYPE_IN) return s->operand_len[d->a] > 0;
  return i[1].kind == F_OPERAND ? at_operands(p) : at_instr(p, s, i + 1);
}

static bool run_operand(parser *p, op_state *s, unsigned g) {
  s->operand_base[g] = p->operands.len;
  bool ok = s->row->operands[g].arity == MANY ? parse_operand_list(p) : parse_operand(p);
  s->operand_len[g] = p->operands.len - s->operand_base[g];
  return ok;
}

static bool run_type_in(parser *p, op_state *s, unsigned g, bool splat) {
  s->in_base[g] = p->type_stack.len;
  s->in_offset[g] = p->lx.tok.offset;
  bool ok = true;
  if (s->row->operands[g].arity == MANY) {
    ok = parse_type_list(p);
  } else {
    const ir_type *t = parse_type(p);
    if (t) vec_push(&p->temp, p->type_stack, t);
    ok = t != NULL;
  }
  s->in_len[g] = p->type_stack.len - s->in_base[g];
  if (ok && !splat && s->in_len[g] == 1 && s->operand_len[g] != 1)
    return fail_at(p, s->in_offset[g], p->lx.prev_end - s->in_offset[g],
                   "expected %u types, one for each of '%s', found 1", s->operand_len[g],
                   s->row->operands[g].name);
  return ok;
}

/* A view of the wrong kind, said where it is written: what follows was meant for another form. */
static bool check_view_kind(parser *p, const op_state *s, unsigned g, uint32_t offset,
                            const ir_type *t) {
  static const uint8_t kinds[] = {[TCS_PARTITION] = IR_PARTITION_VIEW,
                                  [TCS_STRIDED] = IR_STRIDED_VIEW,
                                  [TCS_GATHER] = IR_GATHER_SCATTER_VIEW};
  const constraint_row *c = &constraint_table[s->row->results[g].constraint];
  if (c->shape < TCS_PARTITION || c->shape > TCS_GATHER || t->kind == kinds[c->shape]) return true;
  return fail_at(p, offset, p->lx.prev_end - offset, "expected the type of %s, found '%s'",
                 c->description, ir_type_text(&p->temp, t));
}

/* A shape query of something that has no shape to ask for: its number of results means nothing. */
static bool check_queried(parser *p, const op_state *s) {
  const ir_type *t = s->in_len[0] ? p->type_stack.data[s->in_base[0]] : NULL;
  bool views = constraint_table[s->row->operands[0].constraint].shape == TCS_SUBVIEW;
  if (!t || (views ? ir_is_subview(t) : t->kind == IR_TENSOR_VIEW)) return true;
  return fail_at(p, s->in_offset[0], 1, "expected the type of %s, found '%s'",
                 constraint_table[s->row->operands[0].constraint].description,
                 ir_type_text(&p->temp, t));
}

/* How many results a shape query has: one per dimension of the view. */
static uint32_t splat_count(const parser *p, const op_state *s) {
  return s->in_len[0] ? p->type_stack.data[s->in_base[0]]->rank : 1;
}

static bool run_type_out(parser *p, op_state *s, unsigned g, bool splat) {
  s->out_base[g] = p->type_stack.len;
  s->out_given[g] = true;
  bool ok = true;
  if (s->row->results[g].arity == MANY) {
    ok = parse_type_list(p);
  } else {
    uint32_t offset = p->lx.tok.offset;
    const ir_type *t = parse_type(p);
    ok = t && check_view_kind(p, s, g, offset, t);
    if (ok) vec_push(&p->temp, p->type_stack, t);
  }
  uint32_t n = p->type_stack.len - s->out_base[g];
  if (ok && splat && !check_queried(p, s)) return false;
  if (ok && splat && n == 1) {
    const ir_type *t = vec_last(p->type_stack);
    n = splat_count(p, s);
    if (n == 0) p->type_stack.len--;
    for (uint32_t i = 1; i < n; i++) vec_push(&p->temp, p->type_stack, t);
  }
  s->out_len[g] = p->type_stack.len - s->out_base[g];
  return ok;
}

static bool run_angled(parser *p, op_state *s, const instr *i) {
  if (!at_instr(p, s, &(instr){.kind = F_WORD, .len = i->len, .text = i->text})) return true;
  const op_attr *a = &s->row->attrs[i->a];
  next(p);
  int64_t v;
  if (!expect_punct(p, '<', "the keyword") || !parse_enum(p, a->kind, a->allowed, &v) ||
      !expect_punct(p, '>', "the value"))
    return false;
  s->last = i;
  s->attrs[i->a].i = v;
  s->present |= 1u << i->a;
  return true;
}

/* Neighbouring flags, in any order. Returns the last instruction of them, NULL after an error. */
static const instr *run_flags(parser *p, op_state *s, const instr *i) {
  const instr *end = i, *hit;
  while (end->kind == F_FLAG) end++;
  do {
    hit = NULL;
    for (const instr *f = i; f < end && !hit; f++)
      if (TOK(p) == TOK_BARE && str_eq(p->lx.tok.name, (str){f->text, f->len})) hit = f;
    if (!hit) break;
    if (s->present >> hit->a & 1) {
      fail_tok(p, "'" STR_FMT "' is given twice", STR_ARG(p->lx.tok.name));
      return NULL;
    }
    s->attrs[hit->a].i = 1;
    s->present |= 1u << hit->a;
    s->last = hit;
    next(p);
  } while (hit);
  return end - 1;
}

static bool run_args_region(parser *p, op_state *s, unsigned region) {
  argument_list args = {0};
  return parse_arguments(p, &args) && parse_region(p, s, region, args.v.data, args.v.len, false);
}

/* A scope after 'weak' is wrong whatever follows. */
static bool check_scope(parser *p, const op_state *s, unsigned slot, uint32_t offset) {
  if (s->row->attrs[slot].id != ATTR_memory_scope) return true;
  int order = ir_attr_slot(s->code, ATTR_memory_ordering_semantics);
  if (order < 0 || !(s->present >> order & 1) || s->attrs[order].i != ORDER_WEAK) return true;
  return fail_at(p, offset, p->lx.prev_end - offset,
                 "a weak access has no memory scope, but '%s' is given; leave it out or use "
                 "another ordering",
                 enum_spelling(AK_SCOPE, s->attrs[slot].i));
}

/* A type for operands of which there are none. */
static bool fail_surplus_type(parser *p, const op_state *s, unsigned g) {
  const char *name = s->row->operands[g].name;
  return fail_tok(p, "a type is given for '%s', but '%s' has no operand for it", name,
                  s->row->name);
}

static bool run_instr(parser *p, op_state *s, const instr **at) {
  const instr *i = *at;
  char text[96];
  switch ((instr_kind)i->kind) {
  case F_OPERAND: return run_operand(p, s, i->a);
  case F_ATTR: {
    uint32_t offset = p->lx.tok.offset;
    return parse_attr(p, s, i->a) && check_scope(p, s, i->a, offset);
  }
  case F_TYPE_IN: return run_type_in(p, s, i->a, false);
  case F_TYPE_OUT: return run_type_out(p, s, i->a, false);
  case F_SPLAT_IN: return s->operand_len[i->a] == 0 || run_type_in(p, s, i->a, true);
  case F_SPLAT_OUT: return run_type_out(p, s, i->a, true);
  case F_ANGLED: return run_angled(p, s, i);
  case F_FLAG: return (*at = run_flags(p, s, i)) != NULL;
  case F_DICT: return parse_attr_dict(p, s);
  case F_REGION: return parse_region(p, s, i->a, NULL, 0, false);
  case F_ARGS_REGION: return run_args_region(p, s, i->a);
  case F_PUNCT:
    /* The comma before types that are left out is left out too. */
    if (i->a == ',' && i[1].kind == F_SPLAT_IN && s->operand_len[i[1].a] == 0)
      return !at_punct(p, ',') || fail_surplus_type(p, s, i[1].a);
    if (!at_instr(p, s, i)) return fail_punct(p, s, i);
    next(p);
    return true;
  case F_WORD:
  case F_WORD_EQ:
    if (!at_instr(p, s, i))
      return fail_expected(p, "'%.*s' after %s", i->len, i->text, before(s, text, sizeof text));
    next(p);
    return i->kind == F_WORD || expect_punct(p, '=', "the keyword");
  case F_OPTIONAL:
    if (!optional_is_there(p, s, i)) *at = i + i->a;
    return true;
  case F_CUSTOM: return parse_custom(p, s);
  case F_OPTIONAL_END:
  case F_END: break;
  }
  return true;
}

/* Whether an instruction that has run has read something that a message can name. */
static bool is_nameable(const op_state *s, const instr *i) {
  switch ((instr_kind)i->kind) {
  case F_OPERAND: return s->operand_len[i->a] > 0;
  case F_ATTR:
  case F_TYPE_IN:
  case F_TYPE_OUT:
  case F_SPLAT_IN:
  case F_SPLAT_OUT:
  case F_PUNCT:
  case F_WORD:
  case F_WORD_EQ: return true;
  default: return false;
  }
}

bool parse_format(parser *p, op_state *s) {
  for (const instr *i = s->fmt->code; i->kind != F_END; i++) {
    if (!run_instr(p, s, &i)) return false;
    if (is_nameable(s, i)) s->last = i;
  }
  return true;
}

/* ---- operations ----------------------------------------------------------------------------- */

/* Whether a token of this kind follows the word. */
static bool is_before(parser *p, unsigned kind) {
  mark m = mark_here(p);
  next(p);
  bool yes = TOK(p) == kind;
  back_to(p, m);
  return yes;
}

op_code find_operation(parser *p, str name) {
  static const str prefix = {"cuda_tile.", 10};
  str bare = name;
  if (name.len > prefix.len && memcmp(name.data, prefix.data, prefix.len) == 0)
    bare = (str){name.data + prefix.len, name.len - prefix.len};
  uintptr_t *code = strmap_get(&p->formats->names, bare);
  if (code) return (op_code)*code;
  if (p->testing) {
    op_code testing = op_testing_by_name(bare.data, (unsigned)bare.len);
    if (testing != OP_NONE) return testing;
  }
  const char *dot = bare.len ? memchr(bare.data, '.', bare.len) : NULL;
  const char *near[3];
  unsigned n = op_suggest(bare.data, (unsigned)bare.len, near, 3);
  if (!dot && is_before(p, '='))
    fail_tok(p, "names of values begin with '%%': '%%" STR_FMT " = …'", STR_ARG(bare));
  else if (n == 0 && is_before(p, TOK_SYMBOL))
    fail_tok(p, "unknown operation '" STR_FMT "'; a kernel is an 'entry @name(…) { … }'",
             STR_ARG(bare));
  else if (dot && bare.data == name.data)
    fail_tok(p,
             "unknown dialect '%.*s'; operations of Tile IR are written with the prefix "
             "'cuda_tile.' or none",
             (int)(dot - bare.data), bare.data);
  else if (n == 0)
    fail_tok(p, "unknown operation '" STR_FMT "'", STR_ARG(bare));
  else if (n == 1)
    fail_tok(p, "unknown operation '" STR_FMT "'; did you mean '%s'?", STR_ARG(bare), near[0]);
  else
    fail_tok(p, "unknown operation '" STR_FMT "'; did you mean '%s' or '%s'?", STR_ARG(bare),
             near[0], near[1]);
  return OP_NONE;
}

/* %a, %b:2 = */
static bool parse_result_names(parser *p) {
  do {
    result_name r = {.offset = p->lx.tok.offset, .count = 1};
    if (TOK(p) != TOK_VALUE) return fail_expected(p, "the name of a result (%%name)");
    r.name = p->lx.tok.name;
    next(p);
    if (take_punct(p, ':')) {
      int64_t n;
      uint32_t at = p->lx.tok.offset;
      if (!parse_int64(p, &n, "number of results")) return false;
      if (n < 1 || n > 1 << 20)
        return fail_at(p, at, p->lx.prev_end - at, "expected a number of results from 1 to 2^20");
      r.count = (uint32_t)n;
    }
    vec_push(&p->temp, p->results, r);
  } while (take_punct(p, ','));
  return expect_punct(p, '=', "the names of the results");
}

static void poison_results(parser *p, uint32_t base) {
  for (uint32_t i = base; i < p->results.len; i++)
    poison(p, p->results.data[i].name, p->results.data[i].offset);
}

/* "%v, %result_token = load_ptr_tko …": names for all results. */
static void note_missing_names(parser *p, const op_state *s, uint32_t base) {
  const result_name *r = &p->results.data[base];
  sbuf names = SBUF(&p->temp);
  uint32_t k = 0;
  for (uint32_t i = base; i < p->results.len; k += p->results.data[i++].count)
    sbuf_printf(&names, "%s%.*s", i > base ? ", " : "", (int)p->results.data[i].name.len + 1,
                p->results.data[i].name.data - 1);
  for (; k < s->op->n_results; k++) sbuf_printf(&names, ", %%%s", s->row->results[k].name);
  note_at(p, r->offset, (uint32_t)r->name.len + 1, "write '%s = %s …'", names.data, s->row->name);
}

static void define_results(parser *p, const op_state *s, uint32_t base) {
  uint64_t named = 0;
  if (p->results.len == base) return;
  for (uint32_t i = base; i < p->results.len; i++) named += p->results.data[i].count;
  if (named != s->op->n_results) {
    const result_name *r = &p->results.data[base];
    fail_at(p, r->offset, (uint32_t)r->name.len + 1, "'%s' has %u result%s, but %llu %s named",
            s->row->name, s->op->n_results, s->op->n_results == 1 ? "" : "s",
            (unsigned long long)named, named == 1 ? "is" : "are");
    if (named < s->op->n_results && s->row->results[0].arity == ONE) note_missing_names(p, s, base);
    poison_results(p, base);
    return;
  }
  uint32_t k = 0;
  for (uint32_t i = base; i < p->results.len; i++) {
    const result_name *r = &p->results.data[i];
    define_value(p, r->name, r->offset, s->op->results + k, r->count);
    k += r->count;
  }
}

bool begin_op(parser *p, op_state *s, op_code code) {
  if (code == OP_NONE) return false;
  const token *t = &p->lx.tok;
  s->code = code;
  p->m->testing |= code >= OP_BLOCK_END;
  p->m->block_level |= code >= OP_COUNT && code < OP_BLOCK_END;
  s->row = &op_table[code];
  s->fmt = format_of(p->ctx, code);
  s->name_offset = t->offset;
  s->name_length = t->length;
  s->loc = loc_of(p, t->line, t->column);
  next(p);
  return true;
}

/* The name and the rest of an operation; the names of its results have been read. */
static bool parse_named_op(parser *p, op_state *s) {
  if (TOK(p) == TOK_STRING) return parse_generic_op(p, s);
  char found[64];
  if (TOK(p) == TOK_CARET)
    return fail_tok(p, "unexpected label; regions of Tile IR have one block, and only the generic "
                       "form begins it with a label");
  if (TOK(p) != TOK_BARE)
    return fail_tok(p, "expected an operation, found %s", describe_token(p, found, sizeof found));
  return begin_op(p, s, find_operation(p, p->lx.tok.name)) && parse_format(p, s);
}

bool parse_operation(parser *p, ir_block *b) {
  op_state s = {.code = OP_NONE};
  s.extra_tail = &s.extra;
  str comments = comments_before(p, b->first == NULL);
  uint32_t operands = p->operands.len, types = p->type_stack.len, results = p->results.len;
  bool ok = (TOK(p) != TOK_VALUE || parse_result_names(p)) && parse_named_op(p, &s);
  if (ok) {
    if (!s.op) build_op(p, &s);
    apply_attributes(&s);
    ok = parse_trailing_loc(p, &s.loc);
    s.op->loc = s.loc;
    ir_op_append(b, s.op);
    comments_attach(p, s.op, comments);
    define_results(p, &s, results);
  } else {
    poison_results(p, results);
  }
  p->operands.len = operands;
  p->type_stack.len = types;
  p->results.len = results;
  return ok;
}

void recover(parser *p, uint32_t start, uint32_t braces) {
  bool was_quiet = p->quiet;
  uint32_t attributes = p->braces - braces, regions = 0;
  p->braces = braces;
  p->quiet = true;
  for (; TOK(p) != TOK_EOF; next(p)) {
    bool moved = p->lx.tok.offset != start;
    if (regions == 0 && moved && p->lx.tok.first && at_operation_start(p)) break;
    if (at_punct(p, '{')) regions++;
    if (!at_punct(p, '}')) continue;
    if (regions)
      regions--;
    else if (attributes)
      attributes--;
    else
      break;
  }
  p->quiet = was_quiet;
}

void parse_block(parser *p, ir_block *b) {
  uint32_t nesting = p->nesting, braces = p->braces;
  while (TOK(p) != TOK_EOF && !at_punct(p, '}') && !p->stopped) {
    uint32_t start = p->lx.tok.offset;
    if (parse_operation(p, b)) continue;
    p->nesting = nesting;
    recover(p, start, braces);
  }
  if (p->stopped) { /* nothing more will be read */
    p->lx.pos = p->lx.end;
    next(p);
  }
}
