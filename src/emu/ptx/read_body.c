/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The body of a function: statements, labels, nested scopes.
 */
#include "emu/ptx/handler_ids.h"
#include "emu/ptx/read.h"

/* ---- labels --------------------------------------------------------------------------------- */

/* The labels used in a scope that ends: those declared in it get their targets, the others are
 * left to the scope outside. */
static void settle_labels(reader *r, scope *s, bool outermost) {
  body *b = r->body;
  uint32_t kept = s->first_fixup;
  for (uint32_t k = s->first_fixup; k < b->fixups.len; k++) {
    fixup f = b->fixups.data[k];
    uintptr_t *found = strmap_get(&s->symbols, f.at.text);
    symbol *label = found ? (symbol *)*found : NULL;
    if (label && label->kind == SYMBOL_LABEL) {
      f.operand->target = label->target;
      continue;
    }
    if (outermost || label) {
      reader_report(r, token_place(r, &f.at), "there is no label '" STR_FMT "' here",
                    STR_ARG(f.at.text));
      continue;
    }
    b->fixups.data[kept++] = f;
  }
  b->fixups.len = kept;
}

static void open_scope(reader *r) {
  if (++r->depth > PTX_MAX_DEPTH) reader_error(r, &r->t, "nested more than %d deep", PTX_MAX_DEPTH);
  scope *s = arena_new(&r->scratch, scope);
  s->outer = r->scope;
  s->first_fixup = r->body->fixups.len;
  r->scope = s;
}

static void close_scope(reader *r, bool outermost) {
  settle_labels(r, r->scope, outermost);
  r->scope = r->scope->outer;
  r->depth--;
}

/* label: .branchtargets A, B; */
static void read_branch_targets(reader *r, const token *name) {
  VEC(token) labels = {0};
  do {
    if (labels.len == UINT16_MAX) reader_error(r, &r->t, "too many targets");
    vec_push(&r->scratch, labels, expect_name(r, "a label"));
  } while (accept(r, ","));
  expect(r, ";");
  symbol *s = declare(r, name, SYMBOL_TARGETS);
  ptx_operand *list = arena_array(&r->m->arena, ptx_operand, labels.len);
  for (uint32_t k = 0; k < labels.len; k++) {
    list[k] = (ptx_operand){.kind = PTX_OPERAND_LABEL};
    vec_push(&r->scratch, r->body->fixups, (fixup){&list[k], labels.data[k]});
  }
  s->list = list;
  s->count = labels.len;
}

/* label: .calltargets f, g; */
static void read_call_targets(reader *r, const token *name) {
  do {
    token t = expect_name(r, "a function");
    symbol *f = reader_find(r, t.text);
    if (!f || f->kind != SYMBOL_FUNCTION)
      reader_error(r, &t, "'" STR_FMT "' is no function", STR_ARG(t.text));
    vec_push(&r->scratch, r->body->calls, f->index);
  } while (accept(r, ","));
  expect(r, ";");
  declare(r, name, SYMBOL_TARGETS);
}

/* label: .callprototype (results) _ (params) .noreturn; */
static void read_prototype(reader *r, const token *name) {
  ptx_prototype p = {0};
  if (is_punct(r, "(")) read_params(r, false, false, &p.results, &p.n_results, NULL);
  expect_name(r, "'_'");
  if (is_punct(r, "(")) read_params(r, false, false, &p.params, &p.n_params, NULL);
  while (accept_word(r, "noreturn") || accept_word(r, "abi_preserve") ||
         accept_word(r, "abi_preserve_control"))
    if (starts_value(r)) read_count(r, "a number of registers", UINT32_MAX);
  expect(r, ";");
  symbol *s = declare(r, name, SYMBOL_PROTOTYPE);
  s->index = r->prototypes.len;
  vec_push(&r->m->arena, r->prototypes, p);
}

static void read_label(reader *r, const token *name) {
  if (accept_word(r, "branchtargets")) return read_branch_targets(r, name);
  if (accept_word(r, "calltargets")) return read_call_targets(r, name);
  if (accept_word(r, "callprototype")) return read_prototype(r, name);
  symbol *s = declare(r, name, SYMBOL_LABEL);
  s->target = r->body->insns.len;
  r->body->leader = true;
}

/* ---- instructions --------------------------------------------------------------------------- */

static bool ends_block(uint16_t handler) {
  return handler == PTX_H_bra || handler == PTX_H_brx || handler == PTX_H_ret ||
         handler == PTX_H_exit || handler == PTX_H_call || handler == PTX_H_trap;
}

static void read_instruction(reader *r) {
  body *b = r->body;
  ptx_insn i = {.leader = b->leader, .loc = b->loc};
  read_guard(r, &i);
  if (r->t.kind != TOKEN_NAME) expected(r, "an instruction");
  if (b->insns.len >= PTX_MAX_INSNS)
    reader_error(r, &r->t, "a function has at most %d instructions", PTX_MAX_INSNS);
  read_opcode(r, &i);
  read_operands(r, &i);
  next_token(r); /* the semicolon, which read_operands has seen */
  vec_push(&r->m->arena, b->insns, i);
  b->leader = ends_block(i.handler);
}

/* ---- directives in a body ------------------------------------------------------------------- */

/* .loc file line column [, function_name label [+ n], inlined_at file line column] */
static void read_loc(reader *r) {
  ptx_loc loc = {0};
  loc.file = (uint32_t)read_count(r, "the number of a .file", UINT32_MAX);
  loc.line = (uint32_t)read_count(r, "a line", UINT32_MAX);
  loc.column = (uint32_t)read_count(r, "a column", UINT32_MAX);
  while (is_punct(r, ",")) {
    next_token(r);
    token t = expect_name(r, "function_name or inlined_at");
    if (str_is(t.text, "function_name")) {
      expect_name(r, "a label");
      if (accept(r, "+")) read_count(r, "an offset", UINT32_MAX);
    } else if (str_is(t.text, "inlined_at")) {
      ptx_loc at = {0};
      at.file = (uint32_t)read_count(r, "the number of a .file", UINT32_MAX);
      at.line = (uint32_t)read_count(r, "a line", UINT32_MAX);
      at.column = (uint32_t)read_count(r, "a column", UINT32_MAX);
      vec_push(&r->m->arena, r->locs, at);
      loc.inlined_at = r->locs.len;
    } else {
      reader_error(r, &t, "expected function_name or inlined_at, found '" STR_FMT "'",
                   STR_ARG(t.text));
    }
  }
  vec_push(&r->m->arena, r->locs, loc);
  r->body->loc = r->locs.len;
}

static void read_body_directive(reader *r) {
  if (accept_word(r, "reg")) return read_registers(r);
  if (accept_word(r, "local")) return read_variable(r, PTX_LOCAL, PTX_INTERNAL);
  if (accept_word(r, "param")) return read_variable(r, PTX_PARAM, PTX_INTERNAL);
  if (accept_word(r, "shared")) return read_variable(r, PTX_SHARED, PTX_INTERNAL);
  if (accept_word(r, "global")) return read_variable(r, PTX_GLOBAL, PTX_INTERNAL);
  if (accept_word(r, "loc")) return read_loc(r);
  if (accept_word(r, "pragma")) {
    do next_token(r);
    while (accept(r, ","));
    return expect(r, ";");
  }
  if (is_word(r, "const")) reader_error(r, &r->t, ".const variables stand outside of functions");
  expected(r, "a statement");
}

static void read_statement(reader *r) {
  if (is_punct(r, "{")) {
    next_token(r);
    open_scope(r);
    return;
  }
  if (accept(r, ";")) return;
  if (r->t.kind == TOKEN_WORD) return read_body_directive(r);
  if (is_punct(r, "@")) return read_instruction(r);
  if (r->t.kind != TOKEN_NAME) expected(r, "a statement");
  /* A label if a colon follows: looked up ahead without reading a token. */
  const char *p = r->p;
  while (p < r->end && (*p == ' ' || *p == '\t')) p++;
  if (p < r->end && *p == ':' && !(p + 1 < r->end && p[1] == ':')) {
    token name = r->t;
    next_token(r);
    next_token(r);
    return read_label(r, &name);
  }
  read_instruction(r);
}

/* Up to the brace that closes the body, which is not read; to the end of the file after an error.
 */
static void read_until_end(reader *r, const scope *outermost) {
  for (;;) {
    r->statement_depth = r->depth;
    if (r->t.kind == TOKEN_END) {
      reader_report(r, token_place(r, &r->t), "expected '}', found the end of the file");
      while (r->scope != outermost) close_scope(r, false);
      return;
    }
    if (!is_punct(r, "}")) {
      read_statement(r);
      continue;
    }
    if (r->scope == outermost) return;
    next_token(r);
    close_scope(r, false);
  }
}

/* Goes on behind errors, until the limit of messages. */
static void read_statements(reader *r, const scope *outermost) {
  jmp_buf outer;
  memcpy(&outer, &r->recover, sizeof outer);
  if (setjmp(r->recover)) {
    r->depth = r->statement_depth;
    skip_statement(r);
  }
  read_until_end(r, outermost);
  memcpy(&r->recover, &outer, sizeof outer);
}

static void append_ret(reader *r) {
  body *b = r->body;
  ptx_insn ret = {.handler = PTX_H_ret,
                  .leader = true,
                  .vec = 1,
                  .line = r->t.line,
                  .column = r->t.column,
                  .loc = b->loc};
  for (unsigned f = 0; f < ptx_form_count; f++)
    if (ptx_forms[f].handler == PTX_H_ret) ret.form = (uint16_t)f;
  vec_push(&r->m->arena, b->insns, ret);
}

/* Marks the instructions that a branch can lead to. */
static void mark_targets(reader *r) {
  body *b = r->body;
  for (uint32_t k = 0; k < b->insns.len; k++) {
    const ptx_insn *i = &b->insns.data[k];
    for (unsigned o = 0; o < i->n_ops; o++)
      if (i->op_list[o].kind == PTX_OPERAND_LABEL && i->op_list[o].target < b->insns.len)
        b->insns.data[i->op_list[o].target].leader = true;
  }
}

void read_function_body(reader *r, ptx_function *f) {
  expect(r, "{");
  scope *outermost = r->scope;
  read_statements(r, outermost);
  append_ret(r);
  if (is_punct(r, "}")) next_token(r);
  settle_labels(r, outermost, true);
  mark_targets(r);
  body *b = r->body;
  f->insns = b->insns.data;
  f->n_insns = b->insns.len;
  f->register_bytes = (b->register_bytes + 63) & ~63u;
  f->local_bytes = (b->local_bytes + 15) & ~15u;
  f->call_bytes = (b->call_bytes + 15) & ~15u;
  f->defined = true;
}
