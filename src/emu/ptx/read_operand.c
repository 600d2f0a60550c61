/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Operands, held against the form's signature (the syntax of those is said in ptx_forms.def).
 */
#include <stdio.h>
#include <stdlib.h>

#include "emu/ptx/handler_ids.h"
#include "emu/ptx/read.h"

/* ---- rows ----------------------------------------------------------------------------------- */

uint8_t register_bytes_of(ptx_type type) {
  unsigned bits = ptx_types[type].bits;
  if (type == PTX_PRED) return 0;
  return bits <= 32 ? 4 : bits <= 64 ? 8 : 16;
}

ptx_row allocate_register(reader *r, ptx_type type, const token *at) {
  body *b = r->body;
  unsigned bytes = register_bytes_of(type);
  if (++b->n_registers > PTX_MAX_REGISTERS)
    reader_error(r, at, "a function has at most %d registers", PTX_MAX_REGISTERS);
  if (bytes == 0) { /* predicates are words of bits, kept together */
    if (b->predicate_next == b->predicate_end) {
      b->predicate_next = b->register_bytes;
      b->predicate_end = b->register_bytes += 64;
    }
    b->predicate_next += 4;
    return PTX_ROW(PTX_BANK_FRAME, b->predicate_next - 4);
  }
  b->register_bytes += bytes * PTX_LANES;
  return PTX_ROW(PTX_BANK_FRAME, b->register_bytes - bytes * PTX_LANES);
}

ptx_row constant_row(reader *r, ptx_constant c) {
  const uint64_t parts[] = {c.value, c.high, c.index,
                            (uint64_t)c.kind << 16 | (uint64_t)c.generic << 8 | c.bytes};
  uint64_t key = hash_key(r->ctx->secret, 0, parts, sizeof parts);
  uintptr_t *known = map_put(&r->scratch, &r->constant_map, key);
  if (*known) {
    const ptx_constant *k = &r->constants.data[*known - 1];
    if (k->value == c.value && k->high == c.high && k->index == c.index && k->kind == c.kind &&
        k->bytes == c.bytes && k->generic == c.generic)
      return PTX_ROW(PTX_BANK_CONSTANT, k->offset);
  }
  c.offset = r->m->constant_bytes;
  r->m->constant_bytes += c.bytes * (uint32_t)PTX_LANES;
  vec_push(&r->m->arena, r->constants, c);
  *known = r->constants.len;
  return PTX_ROW(PTX_BANK_CONSTANT, c.offset);
}

static ptx_operand immediate(reader *r, uint64_t bits, ptx_type type) {
  uint8_t bytes = register_bytes_of(type);
  ptx_constant c = {.bytes = bytes, .value = bits};
  if (bytes == 16) c.high = (uint64_t)((int64_t)bits >> 63);
  return (ptx_operand){.kind = PTX_OPERAND_ROW,
                       .type = (uint8_t)type,
                       .bytes = bytes,
                       .immediate = true,
                       .row = constant_row(r, c)};
}

/* The address of a variable or function as a row of elements of `bytes`. */
static ptx_operand address_of(reader *r, const symbol *s, int64_t addend, uint8_t bytes) {
  ptx_constant c = {.bytes = bytes, .value = (uint64_t)addend};
  switch (s->kind) {
  case SYMBOL_VARIABLE:
    c.kind = 1;
    c.index = s->index;
    if (r->variables.data[s->index].space == PTX_SHARED)
      vec_push(&r->scratch, r->body->shared, s->index);
    break;
  case SYMBOL_FUNCTION:
    c.kind = 2;
    c.index = s->index;
    vec_push(&r->scratch, r->body->calls, s->index);
    break;
  case SYMBOL_ENTRY_PARAM: c.value += ptx_param_base(r->m->sm) + s->offset; break;
  case SYMBOL_FRAME_PARAM: c.value += PTX_FRAME_PARAMS + s->offset; break;
  default: break;
  }
  return (ptx_operand){.kind = PTX_OPERAND_ROW,
                       .type = bytes == 8 ? PTX_B64 : PTX_B32,
                       .bytes = bytes,
                       .row = constant_row(r, c)};
}

/* ---- names ---------------------------------------------------------------------------------- */

static NORETURN void unknown_name(reader *r, const token *t) {
  const char *best = closest_name(r, t->text);
  if (best)
    reader_error(r, t, "'" STR_FMT "' is not declared; did you mean '%s'?", STR_ARG(t->text), best);
  reader_error(r, t, "'" STR_FMT "' is not declared", STR_ARG(t->text));
}

/* %r12 of .reg %r<20>. */
static ptx_operand numbered_register(reader *r, const token *t, symbol *s, uint32_t number) {
  uintptr_t *row = map_put(&r->scratch, &s->rows, number);
  if (*row == 0) *row = (uintptr_t)allocate_register(r, s->type, t) + 1;
  return (ptx_operand){.kind = PTX_OPERAND_ROW,
                       .type = s->type,
                       .bytes = register_bytes_of(s->type),
                       .row = (ptx_row)(*row - 1)};
}

/* Of %envreg0 to %envreg31 only two say something, of %pm0 to %pm7 none: one stands for the rest.
 */
static void name_family(char *name) {
  static const struct {
    const char *begins;
    unsigned count, own; /* the first say something of their own */
  } families[] = {{"%envreg", 32, 3}, {"%pm", 8, 1}};
  for (unsigned k = 0; k < ARRAY_LEN(families); k++) {
    size_t at = strlen(families[k].begins);
    char *end;
    if (strncmp(name, families[k].begins, at) != 0) continue;
    unsigned long n = strtoul(name + at, &end, 10);
    bool ends = *end == 0 || strcmp(end, "_64") == 0;
    if (end == name + at || !ends || n < families[k].own || n >= families[k].count) continue;
    name[at] = '0';
    memmove(name + at + 1, end, strlen(end) + 1);
  }
}

static bool special_register(reader *r, const token *t, ptx_operand *out) {
  char name[40];
  if (t->text.data[0] != '%' || t->text.len >= sizeof name - 2) return false;
  size_t n = t->text.len;
  memcpy(name, t->text.data, n);
  bool axis = r->t.kind == TOKEN_WORD && r->t.glued && r->t.text.len == 1;
  name[n] = 0;
  for (int with_axis = axis; with_axis >= 0; with_axis--) {
    snprintf(name + n, sizeof name - n, "%s%c", with_axis ? "." : "",
             with_axis ? r->t.text.data[0] : 0);
    name_family(name);
    for (unsigned s = 0; s < PTX_SPECIAL_COUNT; s++) {
      if (strcmp(ptx_specials[s].name, name) != 0) continue;
      check_special(r, t, (ptx_special)s);
      if (s >= PTX_SR_RESERVED_SMEM_BEGIN && s <= PTX_SR_RESERVED_SMEM_1)
        r->m->uses_reserved_shared = true;
      if (with_axis) next_token(r);
      uint8_t bytes = ptx_specials[s].bytes;
      *out = (ptx_operand){.kind = PTX_OPERAND_ROW,
                           .type = bytes == 8 ? PTX_B64
                                   : bytes    ? PTX_B32
                                              : PTX_PRED,
                           .bytes = bytes,
                           .row = PTX_ROW(PTX_BANK_SPECIAL, s * PTX_SPECIAL_STRIDE)};
      return true;
    }
  }
  return false;
}

/* A register, by its name which was just read. False when the name is something else. */
static bool register_named(reader *r, const token *t, ptx_operand *out) {
  uint32_t number;
  symbol *s = reader_find_register(r, t->text, &number);
  if (s && s->kind == SYMBOL_REGISTERS) {
    *out = numbered_register(r, t, s, number);
    return true;
  }
  if (s && s->kind == SYMBOL_REGISTER) {
    *out = (ptx_operand){.kind = PTX_OPERAND_ROW,
                         .type = s->type,
                         .bytes = register_bytes_of(s->type),
                         .row = s->row};
    return true;
  }
  if (s) return false;
  if (special_register(r, t, out)) return true;
  const symbol *family = reader_find_family(r, t->text);
  if (family)
    reader_error(r, t, "'" STR_FMT "' is not declared: .reg has " STR_FMT "<%u>", STR_ARG(t->text),
                 STR_ARG(family->name), family->count);
  return false;
}

/* ---- types ---------------------------------------------------------------------------------- */

/* PTX ISA, "Operand Type Checking": bits agree with everything of their size, signed and unsigned
 * with each other; floats with floats, but bf16 and tf32 with bits alone. With `wider`, the
 * register may be larger, unless both are floats. */
static bool agrees(ptx_type want, ptx_type have, bool wider) {
  const ptx_type_info *w = &ptx_types[want], *h = &ptx_types[have];
  if ((want == PTX_PRED) != (have == PTX_PRED)) return false;
  unsigned bits = want == PTX_TF32 ? 32 : w->bits;
  bool bits_only = w->class == PTX_CLASS_B || h->class != PTX_CLASS_F;
  if (h->bits < bits || (h->bits > bits && !(wider && bits_only))) return false;
  if (want == PTX_BF16 && have == PTX_F16) return false;
  if (want == PTX_TF32) return have == PTX_B32;
  if (w->class == PTX_CLASS_B || h->class == PTX_CLASS_B) return true;
  return (w->class == PTX_CLASS_F) == (h->class == PTX_CLASS_F);
}

static void check_type(reader *r, const token *at, const ptx_operand *o, ptx_type want,
                       bool wider) {
  if (agrees(want, (ptx_type)o->type, wider)) return;
  const ptx_type_info *w = &ptx_types[want];
  if (want == PTX_PRED)
    reader_error(r, at, "expected a predicate, found '" STR_FMT "', a .%s", STR_ARG(at->text),
                 ptx_types[o->type].name);
  reader_error(r, at, "expected a register of %u bits%s for .%s, found '" STR_FMT "', a .%s",
               w->bits, wider ? " or more" : "", w->name, STR_ARG(at->text),
               ptx_types[o->type].name);
}

/* ---- signatures ----------------------------------------------------------------------------- */

/* One operand of a signature. */
typedef struct expectation {
  char letters[8]; /* T, W, P, … or the name of a type */
  unsigned digit;  /* of T0 */
  unsigned count;  /* of T0*4; 0: none given; UINT_MAX: any */
  bool destination, optional, may_negate;
} expectation;

static bool next_expectation(const char **p, expectation *e) {
  *e = (expectation){0};
  while (**p == ' ') ++*p;
  if (**p == 0) return false;
  if (**p == '=') e->destination = true, ++*p;
  unsigned n = 0;
  while (**p && !strchr(" ?!*", **p)) {
    if (n < sizeof e->letters - 1) e->letters[n++] = **p;
    ++*p;
  }
  char last = n ? e->letters[n - 1] : 0;
  bool upper = e->letters[0] >= 'A' && e->letters[0] <= 'Z';
  if (upper && last >= '0' && last <= '9') {
    e->digit = (unsigned)(last - '0');
    e->letters[n - 1] = 0;
  }
  for (; **p && **p != ' '; ++*p) {
    if (**p == '!') e->may_negate = true;
    if (**p == '?') e->optional = true;
    if (**p == '*') {
      bool any = (*p)[1] == '?';
      e->count = any ? UINT32_MAX : (unsigned)strtoul(*p + 1, NULL, 10);
      while ((*p)[1] && (*p)[1] != ' ') ++*p;
    }
  }
  return true;
}

static bool sig_is(const expectation *e, const char *letters) {
  return strcmp(e->letters, letters) == 0;
}

static ptx_type expected_type(const expectation *e, const ptx_insn *i) {
  static const struct {
    uint8_t narrow, wide;
  } doubled[] = {{PTX_U16, PTX_U32}, {PTX_S16, PTX_S32}, {PTX_U32, PTX_U64}, {PTX_S32, PTX_S64}};
  char c = e->letters[0];
  if (c >= 'a' && c <= 'z') return type_named(str_of(e->letters));
  ptx_type t = (ptx_type)i->type[e->digit];
  if (c == 'D')
    for (size_t k = 0; k < ARRAY_LEN(doubled); k++)
      if (doubled[k].narrow == t) return (ptx_type)doubled[k].wide;
  return t;
}

/* ---- one operand ---------------------------------------------------------------------------- */

static bool is_sink(const reader *r) {
  return r->t.kind == TOKEN_NAME && str_is(r->t.text, "_");
}

/* _ : a register of its own, so that handlers need not ask. */
static ptx_operand read_sink(reader *r, ptx_type type) {
  next_token(r);
  return (ptx_operand){.kind = PTX_OPERAND_ROW,
                       .type = (uint8_t)type,
                       .bytes = register_bytes_of(type),
                       .row = allocate_register(r, type, &r->last)};
}

/* A name as a source: a register, or what has an address when `addresses`. */
static ptx_operand read_named(reader *r, ptx_type want, bool wider, bool destination,
                              bool addresses) {
  token t = r->t;
  ptx_operand o;
  next_token(r);
  if (register_named(r, &t, &o)) {
    if (destination && PTX_ROW_BANK(o.row) == PTX_BANK_SPECIAL)
      reader_error(r, &t, "'" STR_FMT "' can only be read", STR_ARG(t.text));
    if (o.row == PTX_ROW(PTX_BANK_SPECIAL, PTX_SR_GRIDID * PTX_SPECIAL_STRIDE) &&
        ptx_types[want].bits == 32) { /* before PTX 3.0 it had 32 bits */
      o.row = PTX_ROW(PTX_BANK_SPECIAL, PTX_SR_GRIDID_LO * PTX_SPECIAL_STRIDE);
      o.type = PTX_B32;
      o.bytes = 4;
    }
    check_type(r, &t, &o, want, wider);
    return o;
  }
  symbol *s = reader_find(r, t.text);
  if (!s) unknown_name(r, &t);
  bool has_address = s->kind == SYMBOL_VARIABLE || s->kind == SYMBOL_FUNCTION ||
                     s->kind == SYMBOL_ENTRY_PARAM || s->kind == SYMBOL_FRAME_PARAM ||
                     s->kind == SYMBOL_FRAME_VARIABLE;
  if (destination || !has_address || !addresses)
    reader_error(r, &t, "expected a register%s, found '" STR_FMT "'",
                 destination ? "" : " or a number", STR_ARG(t.text));
  unsigned bits = ptx_types[want].bits;
  if (bits < 32 || bits > 64 || ptx_types[want].class == PTX_CLASS_F)
    reader_error(r, &t, "an address needs a type of 32 or 64 bits, not .%s", ptx_types[want].name);
  int64_t addend = 0;
  if (is_punct(r, "+") || is_punct(r, "-")) {
    token at = r->t;
    value v = read_value(r);
    if (v.is_float) reader_error(r, &at, "expected an offset in bytes, an integer");
    addend = (int64_t)v.bits;
  }
  if (s->kind == SYMBOL_FRAME_VARIABLE)
    return (ptx_operand){
        .kind = PTX_OPERAND_ADDRESS,
        .type = bits == 64 ? PTX_B64 : PTX_B32,
        .bytes = (uint8_t)(bits / 8),
        .row = PTX_ROW(PTX_BANK_SPECIAL,
                       (bits == 64 ? PTX_SR_LOCAL_BASE : PTX_SR_LOCAL_BASE32) * PTX_SPECIAL_STRIDE),
        .offset = addend + s->offset};
  return address_of(r, s, addend, (uint8_t)(bits / 8));
}

static ptx_operand read_scalar(reader *r, const expectation *e, ptx_type want, bool wider,
                               bool addresses) {
  if (e->destination && is_sink(r)) return read_sink(r, want);
  if (r->t.kind == TOKEN_NAME && !str_is(r->t.text, "WARP_SZ"))
    return read_named(r, want, wider, e->destination, addresses);
  if (e->destination || !starts_value(r)) expected(r, e->destination ? "a register" : "an operand");
  token at = r->t;
  value v = read_value(r);
  return immediate(r, value_bits(r, &at, v, want), want);
}

static ptx_operand read_predicate(reader *r, const expectation *e) {
  if (e->destination && is_sink(r)) return read_sink(r, PTX_PRED);
  token at = r->t;
  bool negated = accept(r, "!");
  if (negated && !e->may_negate) reader_error(r, &at, "'!' may not stand here");
  if (!e->destination && starts_value(r)) { /* a constant: 0 is false, all else true */
    value v = read_value(r);
    ptx_constant c = {.bytes = 4, .value = (v.bits != 0) != negated ? PTX_ALL_LANES : 0};
    return (ptx_operand){.kind = PTX_OPERAND_ROW, .type = PTX_PRED, .row = constant_row(r, c)};
  }
  if (r->t.kind != TOKEN_NAME) expected(r, "a predicate");
  ptx_operand o = read_named(r, PTX_PRED, false, e->destination, false);
  o.negated = negated;
  return o;
}

static const ptx_operand *keep_list(reader *r, const ptx_operand *list, unsigned n) {
  ptx_operand *out = arena_array(&r->m->arena, ptx_operand, n + 1);
  if (n) memcpy(out, list, n * sizeof *out); /* nothing was ever listed: no list to copy */
  return out;
}

/* a|b, each in its own way; with `needs_second` both must be there. */
static ptx_operand read_pair(reader *r, const expectation *e, bool first_is_predicate,
                             ptx_type type, bool needs_second) {
  ptx_operand list[2];
  list[0] = first_is_predicate ? read_predicate(r, e) : read_scalar(r, e, type, false, false);
  if (!is_punct(r, "|")) {
    if (needs_second) expected(r, "'|' and a predicate");
    return list[0];
  }
  next_token(r);
  list[1] = read_predicate(r, e);
  return (ptx_operand){
      .kind = PTX_OPERAND_PAIR, .count = 2, .type = list[0].type, .list = keep_list(r, list, 2)};
}

/* { … }: `count` elements of a type, UINT_MAX for any number. */
static ptx_operand read_vector(reader *r, const expectation *e, ptx_type type, bool wider,
                               unsigned count) {
  ptx_operand list[PTX_MAX_VECTOR];
  unsigned n = 0;
  token at = r->t;
  expect(r, "{");
  do {
    if (n == PTX_MAX_VECTOR)
      reader_error(r, &r->t, "a vector has at most %d elements", PTX_MAX_VECTOR);
    list[n++] = read_scalar(r, e, type, wider, false);
  } while (accept(r, ","));
  expect(r, "}");
  if (count != UINT32_MAX && n != count)
    reader_error(r, &at, "expected a vector of %u elements, found %u", count, n);
  return (ptx_operand){.kind = PTX_OPERAND_VECTOR,
                       .type = (uint8_t)type,
                       .count = (uint16_t)n,
                       .list = keep_list(r, list, n)};
}

/* What stands alone in braces; the first of them was read. */
static ptx_operand read_alone(reader *r, const expectation *e, ptx_type type, bool wider) {
  if (is_sink(r)) expected(r, e->destination ? "a register" : "an operand");
  ptx_operand o = read_scalar(r, e, type, wider, false);
  expect(r, "}");
  o.count = 1;
  return o;
}

/* mov's { … }: elements of any size that together have the bits of the type. */
static ptx_operand read_pack(reader *r, const expectation *e, ptx_type type) {
  ptx_operand list[4];
  unsigned n = 0, bits = ptx_types[type].bits;
  token at = r->t;
  next_token(r);
  /* How many there are, which says how wide each is: counted ahead, and read again. */
  reader ahead = *r;
  unsigned count = 1;
  for (; r->t.kind != TOKEN_END && !is_punct(r, "}") && !is_punct(r, ";"); next_token(r))
    count += is_punct(r, ",");
  r->p = ahead.p, r->line = ahead.line, r->line_start = ahead.line_start, r->t = ahead.t;
  static const uint8_t element[] = {0, PTX_B8, PTX_B16, 0, PTX_B32, 0, 0, 0, PTX_B64};
  unsigned bytes = count ? bits / 8 / count : 0;
  if (count == 1 && ptx_types[type].class == PTX_CLASS_B) return read_alone(r, e, type, false);
  if ((count != 2 && count != 4) || bits % (8 * count) || bytes == 0 || bytes > 8)
    reader_error(r, &at, "a .%s has no parts of %u elements", ptx_types[type].name, count);
  do list[n++] = read_scalar(r, e, (ptx_type)element[bytes], false, false);
  while (accept(r, ",") && n < 4);
  expect(r, "}");
  return (ptx_operand){.kind = PTX_OPERAND_VECTOR,
                       .type = element[bytes],
                       .count = (uint16_t)n,
                       .list = keep_list(r, list, n)};
}

static int64_t read_offset(reader *r) {
  if (!is_punct(r, "+") && !is_punct(r, "-")) return 0;
  token at = r->t;
  value v = read_value(r);
  if (v.is_float) reader_error(r, &at, "expected an offset in bytes, an integer");
  return (int64_t)v.bits;
}

static ptx_operand read_address_base(reader *r) {
  token t = r->t;
  ptx_operand o;
  if (starts_value(r)) {
    value v = read_value(r);
    if (v.is_float) reader_error(r, &t, "an address is an integer");
    return immediate(r, v.bits, PTX_B64);
  }
  if (t.kind != TOKEN_NAME) expected(r, "a register, a variable or a number");
  next_token(r);
  if (register_named(r, &t, &o)) {
    unsigned bits = ptx_types[o.type].bits;
    if (o.bytes == 0 || bits < 32 || bits > 64 || ptx_types[o.type].class == PTX_CLASS_F)
      reader_error(r, &t, "an address is in a register of 32 or 64 bits, not in a .%s",
                   ptx_types[o.type].name);
    return o;
  }
  symbol *s = reader_find(r, t.text);
  if (!s) unknown_name(r, &t);
  if (s->kind == SYMBOL_FRAME_VARIABLE)
    return (ptx_operand){.bytes = 8,
                         .type = PTX_B64,
                         .row = PTX_ROW(PTX_BANK_SPECIAL, PTX_SR_LOCAL_BASE * PTX_SPECIAL_STRIDE),
                         .offset = s->offset};
  if (s->kind != SYMBOL_VARIABLE && s->kind != SYMBOL_ENTRY_PARAM && s->kind != SYMBOL_FRAME_PARAM)
    reader_error(r, &t, "'" STR_FMT "' has no address", STR_ARG(t.text));
  return address_of(r, s, 0, 8);
}

static ptx_operand read_address(reader *r, bool tensor) {
  expect(r, "[");
  ptx_operand o = read_address_base(r);
  int64_t base = PTX_ROW_BANK(o.row) == PTX_BANK_SPECIAL ? o.offset : 0;
  o.kind = PTX_OPERAND_ADDRESS;
  o.offset = base + read_offset(r);
  if (tensor) {
    if (o.offset) reader_error(r, &r->t, "a tensor map's address takes no offset");
    expectation e = {.letters = "s32"};
    expect(r, ",");
    ptx_operand v = read_vector(r, &e, PTX_S32, false, UINT32_MAX);
    o.kind = PTX_OPERAND_TENSOR;
    o.list = v.list;
    o.count = v.count;
  }
  expect(r, "]");
  return o;
}

static ptx_operand read_label(reader *r, ptx_operand *where) {
  token t = expect_name(r, "a label");
  vec_push(&r->scratch, r->body->fixups, (fixup){where, t});
  return (ptx_operand){.kind = PTX_OPERAND_LABEL};
}

/* ---- calls ---------------------------------------------------------------------------------- */

static ptx_operand read_argument(reader *r) {
  if (is_sink(r)) {
    next_token(r);
    return (ptx_operand){.kind = PTX_OPERAND_SINK};
  }
  if (starts_value(r)) {
    token at = r->t;
    value v = read_value(r);
    if (v.is_float && v.is_single) return immediate(r, value_bits(r, &at, v, PTX_B32), PTX_B32);
    return immediate(r, v.bits, PTX_B64);
  }
  token t = expect_name(r, "an argument");
  ptx_operand o;
  if (register_named(r, &t, &o)) return o;
  symbol *s = reader_find(r, t.text);
  if (!s) unknown_name(r, &t);
  if (s->kind != SYMBOL_FRAME_PARAM)
    reader_error(r, &t,
                 "expected a .param variable of this function or a register, found '" STR_FMT "'",
                 STR_ARG(t.text));
  return (ptx_operand){
      .kind = PTX_OPERAND_PARAM, .type = s->type, .offset = s->offset, .row = s->bytes};
}

static ptx_operand read_arguments(reader *r) {
  expect(r, "(");
  VEC(ptx_operand) list = {0};
  while (!is_punct(r, ")")) {
    if (list.len == PTX_MAX_PARAMS)
      reader_error(r, &r->t, "a call has at most %d arguments", PTX_MAX_PARAMS);
    if (list.len) expect(r, ",");
    vec_push(&r->scratch, list, read_argument(r));
  }
  expect(r, ")");
  return (ptx_operand){.kind = PTX_OPERAND_ARGUMENTS,
                       .count = (uint16_t)list.len,
                       .list = keep_list(r, list.data, list.len)};
}

static void check_call(reader *r, const token *at, const ptx_operand *o, const char *name,
                       const ptx_param *params, uint32_t n_params, uint32_t n_results) {
  unsigned given = o[2].kind == PTX_OPERAND_NONE ? 0 : o[2].count;
  unsigned results = o[0].kind == PTX_OPERAND_NONE ? 0 : o[0].count;
  if (given != n_params)
    reader_error(r, at, "%s takes %u arguments, found %u", name, n_params, given);
  if (results != n_results && results != 0)
    reader_error(r, at, "%s gives %u results, found %u", name, n_results, results);
  for (unsigned k = 0; k < given; k++) {
    const ptx_operand *a = &o[2].list[k];
    unsigned have = a->kind == PTX_OPERAND_PARAM ? a->row : MAX(a->bytes, 4u);
    if (a->kind == PTX_OPERAND_PARAM && have < params[k].bytes)
      reader_error(r, at, "argument %u of %s has %u bytes, found %u", k + 1, name, params[k].bytes,
                   have);
  }
}

/* [ (results) , ] function [ , (arguments) [ , targets or prototype ] ] */
static unsigned read_call(reader *r, ptx_operand *o) {
  memset(o, 0, 4 * sizeof *o);
  if (is_punct(r, "(")) {
    o[0] = read_arguments(r);
    expect(r, ",");
  }
  token t = expect_name(r, "a function");
  symbol *s = reader_find(r, t.text);
  if (s && s->kind == SYMBOL_FUNCTION) {
    o[1] = (ptx_operand){.kind = PTX_OPERAND_FUNCTION, .target = s->index};
    vec_push(&r->scratch, r->body->calls, s->index);
  } else if (!register_named(r, &t, &o[1])) {
    if (!s) unknown_name(r, &t);
    reader_error(r, &t, "'" STR_FMT "' is no function", STR_ARG(t.text));
  } else {
    r->body->calls_anything = true;
    if (o[1].bytes != 8) reader_error(r, &t, "the address of a function has 64 bits");
  }
  if (accept(r, ",")) {
    if (!is_punct(r, "(")) goto targets;
    o[2] = read_arguments(r);
    if (accept(r, ",")) {
    targets:;
      token p = expect_name(r, "a .callprototype or .calltargets");
      symbol *list = reader_find(r, p.text);
      if (!list || (list->kind != SYMBOL_PROTOTYPE && list->kind != SYMBOL_TARGETS))
        reader_error(r, &p, "'" STR_FMT "' is no label of a .callprototype or .calltargets",
                     STR_ARG(p.text));
      o[3] = (ptx_operand){.kind = list->kind == SYMBOL_PROTOTYPE ? PTX_OPERAND_PROTOTYPE
                                                                  : PTX_OPERAND_TARGETS,
                           .target = list->index};
    }
  }
  if (o[1].kind == PTX_OPERAND_FUNCTION) {
    const ptx_function *f = &r->functions.data[o[1].target];
    if (f->is_entry) reader_error(r, &t, "an .entry can't be called");
    check_call(r, &t, o, f->name, f->params, f->n_params, f->n_results);
  } else if (o[3].kind == PTX_OPERAND_PROTOTYPE) {
    const ptx_prototype *p = &r->prototypes.data[o[3].target];
    check_call(r, &t, o, "the prototype", p->params, p->n_params, p->n_results);
  } else if (o[3].kind == PTX_OPERAND_NONE) {
    reader_error(r, &t, "an indirect call needs a .callprototype or .calltargets at its end");
  }
  return 4;
}

static ptx_operand read_targets(reader *r) {
  token t = expect_name(r, "the label of a .branchtargets");
  symbol *s = reader_find(r, t.text);
  if (!s || s->kind != SYMBOL_TARGETS)
    reader_error(r, &t, "'" STR_FMT "' is no label of a .branchtargets before it", STR_ARG(t.text));
  return (ptx_operand){.kind = PTX_OPERAND_TARGETS, .count = (uint16_t)s->count, .list = s->list};
}

/* With a hint for caches the last operand is a policy, also where the size is left out. */
static bool is_policy(reader *r, const ptx_insn *i, const ptx_operand *o) {
  return i->flags & PTX_FLAG_CACHE_HINT && o->bytes == 8 && is_punct(r, ";");
}

/* cp.async's fourth operand: bytes to read, or a predicate that says to read none. Or the number of
 * threads that bar.red may be given before its predicate. */
static ptx_operand read_size_or_predicate(reader *r, const ptx_insn *i) {
  expectation size = {.letters = "u32"}, predicate = {.letters = "P", .may_negate = true};
  if (is_punct(r, "!")) return read_predicate(r, &predicate);
  if (r->t.kind != TOKEN_NAME) return read_scalar(r, &size, PTX_U32, false, false);
  token t = r->t;
  ptx_operand o;
  next_token(r);
  if (!register_named(r, &t, &o)) unknown_name(r, &t);
  if (o.type != PTX_PRED && !is_policy(r, i, &o)) check_type(r, &t, &o, PTX_U32, false);
  return o;
}

/* ---- all operands --------------------------------------------------------------------------- */

static ptx_operand read_operand(reader *r, const expectation *e, const ptx_insn *i,
                                ptx_operand *where) {
  if (sig_is(e, "P")) return read_predicate(r, e);
  if (sig_is(e, "PP")) return read_pair(r, e, true, PTX_PRED, false);
  if (sig_is(e, "RP")) return read_pair(r, e, false, expected_type(e, i), false);
  if (sig_is(e, "RPB")) return read_pair(r, e, false, PTX_B32, false);
  if (sig_is(e, "PL")) return read_pair(r, e, false, expected_type(e, i), true);
  if (sig_is(e, "A") || sig_is(e, "AP")) return read_address(r, false);
  if (sig_is(e, "AT")) return read_address(r, true);
  if (sig_is(e, "L")) return read_label(r, where);
  if (sig_is(e, "X")) return read_targets(r);
  if (sig_is(e, "H")) {
    expectation b64 = {.letters = "b64"};
    return read_scalar(r, &b64, PTX_B64, false, false);
  }
  if (sig_is(e, "G")) { /* wgmma's A: a descriptor, or registers */
    expectation g = {.letters = "b64"};
    if (is_punct(r, "{")) return read_vector(r, &g, PTX_B32, false, UINT32_MAX);
    return read_scalar(r, &g, PTX_B64, false, false);
  }
  if (sig_is(e, "Z") || sig_is(e, "N")) return read_size_or_predicate(r, i);
  if (sig_is(e, "I")) {
    token at = r->t;
    if (!starts_value(r)) expected(r, "a constant");
    value v = read_value(r);
    if (v.is_float) reader_error(r, &at, "expected an integer");
    return immediate(r, v.bits, PTX_B64);
  }
  if (sig_is(e, "AR")) {
    if (r->t.kind != TOKEN_NAME) expected(r, "a register or variable");
    return read_named(r, PTX_B32, true, false, true);
  }
  ptx_type type = expected_type(e, i);
  if ((sig_is(e, "VM") || sig_is(e, "M")) && is_punct(r, "{")) return read_pack(r, e, type);
  if (e->count) return read_vector(r, e, type, false, e->count);
  if (sig_is(e, "V") && i->vec > 1) return read_vector(r, e, type, true, i->vec);
  if (sig_is(e, "V") && accept(r, "{")) return read_alone(r, e, type, true);
  bool wider = sig_is(e, "W") || sig_is(e, "V");
  return read_scalar(r, e, type, wider, sig_is(e, "M") || sig_is(e, "T"));
}

/* Clocks are read when they are asked for: mov does that. */
static void settle_clock(reader *r, ptx_insn *i, const ptx_operand *o, unsigned n) {
  for (unsigned k = 0; k < n; k++) {
    if (o[k].kind != PTX_OPERAND_ROW || PTX_ROW_BANK(o[k].row) != PTX_BANK_SPECIAL ||
        PTX_ROW_OFFSET(o[k].row) < PTX_SR_CLOCK * PTX_SPECIAL_STRIDE)
      continue;
    if (i->handler != PTX_H_mov) reader_error(r, &r->last, "a clock can only be read by mov");
    i->handler = PTX_H_mov_clock;
    return;
  }
}

/* mov of the address of a .local variable: where the frame's begin, plus an offset. */
static void settle_local_address(reader *r, ptx_insn *i, ptx_operand *o, unsigned n) {
  for (unsigned k = 0; k < n; k++) {
    const char *p = ptx_forms[i->form].operands;
    if (o[k].kind != PTX_OPERAND_ADDRESS || PTX_ROW_BANK(o[k].row) != PTX_BANK_SPECIAL) continue;
    if (strchr(p, 'A')) continue;
    if (i->handler != PTX_H_mov || n != 2)
      reader_error(r, &r->last, "the address of a .local variable: take it with mov first");
    i->handler = PTX_H_int_add;
    i->type[0] = o[k].bytes == 8 ? PTX_U64 : PTX_U32;
    int64_t offset = o[k].offset;
    o[k].kind = PTX_OPERAND_ROW;
    o[k].list = NULL;
    o[2] = immediate(r, (uint64_t)offset, (ptx_type)o[k].type);
    i->n_ops = 3;
  }
}

void read_operands(reader *r, ptx_insn *i) {
  const char *p = ptx_forms[i->form].operands;
  ptx_operand *o = arena_array(&r->m->arena, ptx_operand, PTX_MAX_OPERANDS + 1);
  memset(o, 0, (PTX_MAX_OPERANDS + 1) * sizeof *o);
  unsigned n = 0;
  expectation e;
  bool first = true;
  while (next_expectation(&p, &e)) {
    if (sig_is(&e, "C")) {
      n = read_call(r, o);
      break;
    }
    if (sig_is(&e, "H") && !(i->flags & PTX_FLAG_CACHE_HINT)) break;
    if (e.optional && is_punct(r, ";")) break;
    if (!first) {
      if (!is_punct(r, ",")) {
        const char *name = ptx_forms[i->form].opcode;
        reader_error(r, &r->t, "expected ',' and another operand of '%s', found %s", name,
                     token_text(r, &r->t));
      }
      next_token(r);
    }
    first = false;
    o[n] = read_operand(r, &e, i, &o[n]);
    n++;
    bool left_out =
        sig_is(&e, "Z") ? is_policy(r, i, &o[n - 1]) : sig_is(&e, "N") && o[n - 1].type == PTX_PRED;
    if (left_out) {
      o[n] = o[n - 1];
      o[n++ - 1] = (ptx_operand){.kind = PTX_OPERAND_NONE};
      break;
    }
  }
  if (!is_punct(r, ";"))
    reader_error(r, &r->t, "expected ';' behind '%s' and its %u operands, found %s",
                 ptx_forms[i->form].opcode, n, token_text(r, &r->t));
  if (n == 4 && (i->handler == PTX_H_float_min || i->handler == PTX_H_float_max))
    check_target(r, &r->last, "a third operand", 88, 1000);
  if (i->handler == PTX_H_mov && o[0].count && o[1].count)
    reader_error(r, &r->last, "only one of mov's operands may be a vector");
  i->op_list = o;
  i->n_ops = (uint8_t)n;
  settle_local_address(r, i, o, n);
  settle_clock(r, i, o, n);
}

void read_guard(reader *r, ptx_insn *i) {
  if (!accept(r, "@")) return;
  i->guard_negated = accept(r, "!");
  expectation e = {.letters = "P"};
  ptx_operand o = read_predicate(r, &e);
  i->guarded = true;
  i->guard = o.row;
}
