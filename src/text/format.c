/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Turns the format strings of the operation table into instructions that the parser and the
 * printer both follow. Done once per operation and context, on first use.
 */
#include "text/internal.h"

#include "base/invariant.h"

typedef struct compiler {
  arena *a;
  const op_row *row;
  VEC(instr) code;
  uint32_t spelled_in, spelled_out; /* groups whose types the format spells out */
} compiler;

/* The word between two delimiters, as in "type(x)". */
static str inside(str word, char open) {
  const char *p = memchr(word.data, open, word.len);
  return (str){p + 1, (size_t)(word.data + word.len - p) - 2};
}

static void emit(compiler *c, instr_kind kind, int a, str text) {
  INVARIANT(a >= 0 && text.len < 256);
  instr i = {.kind = (uint8_t)kind, .a = (uint8_t)a, .len = (uint8_t)text.len, .text = text.data};
  vec_push(c->a, c->code, i);
}

static int operand_index(const compiler *c, str name) {
  return op_operand_index(c->row, name.data, (unsigned)name.len);
}

static void emit_types(compiler *c, str name, bool splat) {
  int in = operand_index(c, name);
  if (in >= 0) {
    emit(c, splat ? F_SPLAT_IN : F_TYPE_IN, in, (str){0});
    c->spelled_in |= 1u << in;
    return;
  }
  int out = op_result_index(c->row, name.data, (unsigned)name.len);
  emit(c, splat ? F_SPLAT_OUT : F_TYPE_OUT, out, (str){0});
  c->spelled_out |= 1u << out;
}

/* One word of the format; '[' and ']' are the caller's. */
static void emit_word(compiler *c, str word) {
  if (word.data[0] == '$') {
    str name = {word.data + 1, word.len - 1};
    int in = operand_index(c, name);
    if (in >= 0)
      emit(c, F_OPERAND, in, (str){0});
    else
      emit(c, F_ATTR, op_attr_index(c->row, name.data, (unsigned)name.len), (str){0});
  } else if (str_starts(word, "type(")) {
    emit_types(c, inside(word, '('), false);
  } else if (str_starts(word, "splat(")) {
    emit_types(c, inside(word, '('), true);
  } else if (str_starts(word, "angled(")) {
    str both = inside(word, '(');
    size_t n = (size_t)((const char *)memchr(both.data, ',', both.len) - both.data);
    int slot = op_attr_index(c->row, both.data + n + 1, (unsigned)(both.len - n - 1));
    emit(c, F_ANGLED, slot, (str){both.data, n});
  } else if (str_starts(word, "flag(")) {
    str name = inside(word, '(');
    emit(c, F_FLAG, op_attr_index(c->row, name.data, (unsigned)name.len), name);
  } else if (str_starts(word, "region(")) {
    emit(c, F_REGION, word.data[7] - '0', (str){0});
  } else if (str_starts(word, "args-region(")) {
    emit(c, F_ARGS_REGION, word.data[12] - '0', (str){0});
  } else if (str_starts(word, "custom(")) {
    emit(c, F_CUSTOM, 0, inside(word, '('));
  } else if (str_is(word, "attr-dict")) {
    emit(c, F_DICT, 0, (str){0});
  } else if (str_is(word, "->")) {
    emit(c, F_PUNCT, F_ARROW_CHAR, (str){0});
  } else if (word.data[0] == '\'') {
    emit(c, F_PUNCT, word.data[1], (str){0});
  } else if (word.len == 1 && !is_class(word.data[0], CH_ID)) {
    emit(c, F_PUNCT, word.data[0], (str){0});
  } else if (word.data[word.len - 1] == '=') {
    emit(c, F_WORD_EQ, 0, (str){word.data, word.len - 1});
  } else {
    emit(c, F_WORD, 0, word);
  }
}

/* Which instruction of an optional piece decides whether it is there. */
static unsigned deciding(const compiler *c, unsigned first) {
  unsigned found = first;
  for (unsigned i = first; i < c->code.len; i++) {
    instr_kind k = (instr_kind)c->code.data[i].kind;
    if (k == F_OPERAND || k == F_ATTR || k == F_TYPE_IN) return i;
    if (k == F_TYPE_OUT || k == F_REGION) found = i;
  }
  return found;
}

static void compile_code(compiler *c) {
  int open = -1; /* the F_OPTIONAL under way */
  for (const char *p = c->row->format; *p;) {
    str word = {p, strcspn(p, " ")};
    p += word.len;
    p += strspn(p, " ");
    if (str_is(word, "[")) {
      open = (int)c->code.len;
      emit(c, F_OPTIONAL, 0, (str){0});
    } else if (str_is(word, "]")) {
      emit(c, F_OPTIONAL_END, 0, (str){0});
      instr *o = &c->code.data[open];
      o->a = (uint8_t)(c->code.len - (unsigned)open - 1);
      o->b = (uint8_t)(deciding(c, (unsigned)open + 1) - (unsigned)open);
      open = -1;
    } else {
      emit_word(c, word);
    }
  }
  emit(c, F_END, 0, (str){0});
}

/* The type that a constraint leaves no choice about. */
static group_rule rule_of_constraint(unsigned constraint) {
  const constraint_row *row = &constraint_table[constraint];
  if (row->shape == TCS_TOKEN) return (group_rule){RULE_TOKEN, 0};
  bool single = row->elems && !(row->elems & (row->elems - 1));
  if (row->shape == TCS_SCALAR && single && row->elems != BIT(PTR))
    return (group_rule){RULE_SCALAR, (uint8_t)__builtin_ctzll(row->elems)};
  return (group_rule){RULE_NONE, 0};
}

/* A group of one whose type is spelled out and that must have the same type as group `bit`. */
static group_rule rule_of_mask(const compiler *c, unsigned bit) {
  for (unsigned m = 0; m < 2; m++) {
    unsigned mask = c->row->same_type[m];
    if (!(mask & bit)) continue;
    for (unsigned i = 0; i < OP_MAX_OPERANDS; i++)
      if (mask & M_IN(i) && c->spelled_in >> i & 1 && c->row->operands[i].arity == ONE)
        return (group_rule){RULE_SAME_IN, (uint8_t)i};
    for (unsigned i = 0; i < OP_MAX_RESULTS; i++)
      if (mask & M_OUT(i) && c->spelled_out >> i & 1 && c->row->results[i].arity == ONE)
        return (group_rule){RULE_SAME_OUT, (uint8_t)i};
  }
  return (group_rule){RULE_NONE, 0};
}

static void find_rules(const compiler *c, format *f) {
  for (unsigned i = 0; i < f->n_in; i++) {
    group_rule r = rule_of_mask(c, M_IN(i));
    if (r.rule == RULE_NONE) r = rule_of_constraint(c->row->operands[i].constraint);
    bool subview = c->row->results[0].name &&
                   constraint_table[c->row->results[0].constraint].shape >= TCS_PARTITION &&
                   constraint_table[c->row->results[0].constraint].shape <= TCS_GATHER;
    if (r.rule == RULE_NONE && c->row->operands[i].constraint == TC_TENSOR_VIEW && subview)
      r = (group_rule){RULE_VIEW, 0};
    f->in[i] = r;
  }
  for (unsigned i = 0; i < f->n_out; i++) {
    group_rule r = rule_of_mask(c, M_OUT(i));
    if (r.rule == RULE_NONE) r = rule_of_constraint(c->row->results[i].constraint);
    for (unsigned k = 0; k < f->n_attrs && r.rule == RULE_NONE; k++)
      if (c->row->attrs[k].kind == AK_DENSE) r = (group_rule){RULE_VALUE, (uint8_t)k};
    f->out[i] = r;
  }
}

text_formats *text_formats_of(tsr_context *ctx) {
  if (ctx->text_formats) return ctx->text_formats;
  text_formats *t = arena_new(&ctx->arena, text_formats);
  for (unsigned i = 1; i < OP_BLOCK_END; i++)
    *strmap_put(&ctx->arena, &t->names, str_of(op_table[i].name), NULL) = i;
  *strmap_put(&ctx->arena, &t->names, STR("print"), NULL) = OP_print_tko;
  *strmap_put(&ctx->arena, &t->names, STR("fpowf"), NULL) = OP_pow; /* what 13.5 calls it */
  ctx->text_formats = t;
  return t;
}

const format *format_of(tsr_context *ctx, op_code code) {
  format *f = &text_formats_of(ctx)->formats[code];
  if (f->code) return f;
  compiler c = {.a = &ctx->arena, .row = &op_table[code]};
  compile_code(&c);
  f->n_in = (uint8_t)op_n_operands(c.row);
  f->n_out = (uint8_t)op_n_results(c.row);
  f->n_attrs = (uint8_t)op_n_attrs(c.row);
  f->n_regions = (uint8_t)op_n_regions(c.row);
  find_rules(&c, f);
  f->code = c.code.data; /* last: a failed allocation leaves the format unmade */
  return f;
}
