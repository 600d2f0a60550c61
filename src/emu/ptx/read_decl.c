/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Declarations: registers, variables with their initialisers, parameters of functions.
 */
#include "emu/ptx/read.h"

static unsigned align_up(unsigned v, unsigned align) {
  return (v + align - 1) & ~(align - 1);
}

/* ---- what stands before a name -------------------------------------------------------------- */

typedef struct declared_type {
  ptx_type type;
  unsigned vector, align; /* align 0: the type's own */
  bool is_pointer;
  uint8_t ptr_space;
} declared_type;

static unsigned read_align(reader *r) {
  token at = r->t;
  uint64_t align = read_count(r, "an alignment", 1 << 20);
  if (align == 0 || (align & (align - 1)))
    reader_error(r, &at, "an alignment is a power of two, found %llu", (unsigned long long)align);
  return (unsigned)align;
}

/* .attribute(.managed), .attribute(.unified(1, 2)): nothing that this machine distinguishes. */
static void skip_attribute(reader *r) {
  expect(r, "(");
  for (unsigned depth = 1; depth; next_token(r)) {
    if (r->t.kind == TOKEN_END) expected(r, "')'");
    if (is_punct(r, "(")) depth++;
    if (is_punct(r, ")")) depth--;
  }
}

static ptx_space pointer_space(reader *r) {
  static const struct {
    const char *name;
    ptx_space space;
  } known[] = {
      {"global", PTX_GLOBAL}, {"shared", PTX_SHARED}, {"local", PTX_LOCAL}, {"const", PTX_CONST}};
  for (size_t k = 0; k < ARRAY_LEN(known); k++)
    if (accept_word(r, known[k].name)) return known[k].space;
  return PTX_GENERIC;
}

/* .align 4 .v2 .f32 in any order; `pointers`: .ptr .global .align 16 may follow. */
static declared_type read_type(reader *r, bool pointers) {
  declared_type d = {.vector = 1};
  while (r->t.kind == TOKEN_WORD) {
    ptx_type t = type_named(r->t.text);
    if (accept_word(r, "align")) {
      d.align = read_align(r);
    } else if (accept_word(r, "v2")) {
      d.vector = 2;
    } else if (accept_word(r, "v4")) {
      d.vector = 4;
    } else if (accept_word(r, "v8")) {
      d.vector = 8;
    } else if (accept_word(r, "attribute")) {
      skip_attribute(r);
    } else if (pointers && d.type && accept_word(r, "ptr")) {
      d.is_pointer = true;
      d.ptr_space = (uint8_t)pointer_space(r);
      if (accept_word(r, "align")) read_align(r);
    } else if (t && ptx_types[t].bits >= 8) {
      if (d.type) expected(r, "a name");
      d.type = t;
      next_token(r);
    } else if (is_word(r, "texref") || is_word(r, "samplerref") || is_word(r, "surfref")) {
      reader_error(r, &r->t, "textures and surfaces are not supported");
    } else {
      expected(r, "a type, as in .b32");
    }
  }
  if (!d.type) expected(r, "a type, as in .b32");
  unsigned natural = ptx_types[d.type].bits / 8 * d.vector;
  if (!d.align) d.align = natural;
  return d;
}

/* [4][8] behind a name: the number of elements; *unsized for []. */
static uint64_t read_dimensions(reader *r, bool *unsized, uint64_t max) {
  uint64_t n = 1;
  *unsized = false;
  while (is_punct(r, "[")) {
    token at = r->t;
    next_token(r);
    if (accept(r, "]")) {
      *unsized = true;
      n = 0;
      continue;
    }
    uint64_t d = read_count(r, "a number of elements", max);
    expect(r, "]");
    if (__builtin_mul_overflow(n, d, &n) || n > max)
      reader_error(r, &at, "the array has more than %llu elements", (unsigned long long)max);
  }
  return n;
}

/* ---- registers ------------------------------------------------------------------------------ */

void read_registers(reader *r) {
  declared_type d = {.vector = 1};
  if (is_word(r, "pred")) {
    next_token(r);
    d.type = PTX_PRED;
  } else {
    d = read_type(r, false);
  }
  if (d.vector != 1) reader_error(r, &r->t, "registers that are vectors are not supported");
  do {
    token name = expect_name(r, "the name of a register");
    if (accept(r, "<")) {
      token at = r->t;
      uint64_t n = at.value; /* no expression: '>' ends it */
      if (at.kind != TOKEN_INT) expected(r, "a number of registers");
      next_token(r);
      if (n > PTX_MAX_REGISTERS)
        reader_error(r, &at, "a function has at most %d registers", PTX_MAX_REGISTERS);
      expect(r, ">");
      symbol *s = declare_family(r, &name, (uint32_t)n);
      s->type = (uint8_t)d.type;
    } else {
      symbol *s = declare(r, &name, SYMBOL_REGISTER);
      s->type = (uint8_t)d.type;
      s->row = allocate_register(r, d.type, &name);
    }
  } while (accept(r, ","));
  expect(r, ";");
}

/* ---- initialisers --------------------------------------------------------------------------- */

typedef struct initialiser {
  ptx_type type;
  unsigned bytes;    /* of an element */
  uint64_t elements; /* that there is room for; UINT64_MAX: any */
  uint64_t n;        /* read */
  VEC(uint8_t) data;
  VEC(ptx_relocation) relocations;
} initialiser;

static void put_bytes(reader *r, initialiser *in, uint64_t bits) {
  for (unsigned k = 0; k < in->bytes; k++)
    vec_push(&r->m->arena, in->data, (uint8_t)(bits >> (8 * k)));
}

/* symbol, symbol + 8, generic(symbol) + 8; `mask` is that of 0xff00(symbol), 0 for none. */
static void read_address_element(reader *r, initialiser *in, uint64_t mask) {
  ptx_relocation rel = {.at = in->data.len, .bytes = (uint8_t)in->bytes};
  token t = expect_name(r, "a variable or a function");
  if (str_is(t.text, "generic") && accept(r, "(")) {
    rel.generic = true;
    t = expect_name(r, "a variable");
    if (is_punct(r, "+") || is_punct(r, "-")) rel.addend = (int64_t)read_value(r).bits;
    expect(r, ")");
  }
  if (mask) {
    rel.shift = (uint8_t)__builtin_ctzll(mask);
    if (mask >> rel.shift != 0xff || in->bytes != 1)
      reader_error(r, &t, "a mask takes one byte of an address: 0xff, 0xff00, …, in .b8 or .u8");
  } else if (in->bytes < 4 || in->bytes > 8) {
    reader_error(r, &t, "an address needs an element of 4 or 8 bytes, or masks: 0xff(" STR_FMT ")",
                 STR_ARG(t.text));
  }
  symbol *s = reader_find(r, t.text);
  if (!s || (s->kind != SYMBOL_VARIABLE && s->kind != SYMBOL_FUNCTION))
    reader_error(r, &t, "'" STR_FMT "' is no variable or function declared before",
                 STR_ARG(t.text));
  rel.is_function = s->kind == SYMBOL_FUNCTION;
  rel.index = s->index;
  if (is_punct(r, "+") || is_punct(r, "-")) rel.addend += (int64_t)read_value(r).bits;
  put_bytes(r, in, 0);
  vec_push(&r->m->arena, in->relocations, rel);
}

static void read_element(reader *r, initialiser *in) {
  if (in->n == in->elements)
    reader_error(r, &r->t, "more than the %llu elements that were declared",
                 (unsigned long long)in->elements);
  if (in->n * in->bytes > UINT32_MAX - 64) reader_error(r, &r->t, "the initialiser is too large");
  in->n++;
  if (r->t.kind == TOKEN_NAME && !str_is(r->t.text, "WARP_SZ"))
    return read_address_element(r, in, 0);
  token at = r->t;
  if (!starts_value(r)) expected(r, "a number, a variable or '{'");
  /* 0xff(symbol) looks like a number at first. */
  if (at.kind == TOKEN_INT) {
    const char *p = r->p;
    while (p < r->end && *p == ' ') p++;
    if (p < r->end && *p == '(') {
      next_token(r);
      next_token(r);
      read_address_element(r, in, at.value ? at.value : 1);
      expect(r, ")");
      return;
    }
  }
  value v = read_value(r);
  put_bytes(r, in, value_bits(r, &at, v, in->type));
}

static void read_braces(reader *r, initialiser *in) {
  if (++r->depth > PTX_MAX_DEPTH) reader_error(r, &r->t, "nested more than %d deep", PTX_MAX_DEPTH);
  expect(r, "{");
  while (!is_punct(r, "}")) {
    if (is_punct(r, "{"))
      read_braces(r, in);
    else
      read_element(r, in);
    if (!accept(r, ",")) break;
  }
  expect(r, "}");
  r->depth--;
}

static void read_initialiser(reader *r, ptx_variable *v, unsigned vector) {
  initialiser in = {.type = (ptx_type)v->type, .bytes = ptx_types[v->type].bits / 8};
  in.elements = v->unsized ? UINT64_MAX : v->bytes / in.bytes;
  if (v->space != PTX_GLOBAL && v->space != PTX_CONST)
    reader_error(r, &r->t, "only .global and .const variables have initial values");
  if (is_punct(r, "{"))
    read_braces(r, &in);
  else
    read_element(r, &in);
  if (v->unsized) {
    v->bytes = (in.n + vector - 1) / vector * vector * in.bytes;
    v->unsized = false;
  }
  v->data = in.data.data;
  v->data_bytes = in.data.len;
  v->relocations = in.relocations.data;
  v->n_relocations = in.relocations.len;
}

/* ---- variables ------------------------------------------------------------------------------ */

/* .local and .param variables of a function's body. */
static void declare_in_frame(reader *r, const token *name, const ptx_variable *v) {
  body *b = r->body;
  bool local = v->space == PTX_LOCAL;
  uint32_t *next = local ? &b->local_bytes : &b->call_bytes;
  uint64_t end = (uint64_t)align_up(*next, v->align) + v->bytes;
  if (end > PTX_MAX_FRAME_BYTES)
    reader_error(r, name, "a function has at most %d bytes of %s memory a thread",
                 PTX_MAX_FRAME_BYTES, local ? ".local" : ".param");
  symbol *s = declare(r, name, local ? SYMBOL_FRAME_VARIABLE : SYMBOL_FRAME_PARAM);
  s->offset = align_up(*next, v->align);
  s->bytes = (uint32_t)v->bytes;
  s->type = v->type;
  *next = (uint32_t)end;
}

static bool same_variable(const ptx_variable *a, const ptx_variable *b) {
  return a->space == b->space && (a->linkage == PTX_EXTERN || b->linkage == PTX_EXTERN ||
                                  a->linkage == PTX_WEAK_LINK || a->linkage == PTX_COMMON);
}

static void declare_variable(reader *r, const token *name, const ptx_variable *v) {
  symbol *known = reader_find(r, name->text);
  if (known && known->kind == SYMBOL_VARIABLE && r->scope == &r->module_scope &&
      same_variable(v, &r->variables.data[known->index])) {
    ptx_variable *old = &r->variables.data[known->index];
    if (v->linkage != PTX_EXTERN) *old = *v; /* the definition of what was declared before */
    return;
  }
  if (v->space == PTX_GLOBAL || v->space == PTX_CONST) {
    r->global_bytes += v->bytes + 256;
    if (r->global_bytes > PTX_MAX_GLOBAL_BYTES)
      reader_error(r, name, "the variables of a module have at most %llu bytes",
                   (unsigned long long)PTX_MAX_GLOBAL_BYTES);
  }
  symbol *s = declare(r, name, SYMBOL_VARIABLE);
  s->index = r->variables.len;
  s->type = v->type;
  vec_push(&r->m->arena, r->variables, *v);
}

void read_variable(reader *r, ptx_space space, ptx_linkage linkage) {
  declared_type d = read_type(r, false);
  if (r->body && (space == PTX_CONST))
    reader_error(r, &r->last, ".const variables stand outside of functions");
  do {
    token name = expect_name(r, "the name of a variable");
    ptx_variable v = {.space = (uint8_t)space,
                      .type = (uint8_t)d.type,
                      .linkage = (uint8_t)linkage,
                      .align = d.align,
                      .line = name.line,
                      .column = name.column};
    v.name = arena_strndup(&r->m->arena, name.text.data, name.text.len);
    unsigned element = ptx_types[d.type].bits / 8 * d.vector;
    uint64_t max = space == PTX_SHARED ? PTX_MAX_SHARED_BYTES : PTX_MAX_GLOBAL_BYTES;
    v.bytes = read_dimensions(r, &v.unsized, max / element) * element;
    if (accept(r, "=")) read_initialiser(r, &v, d.vector);
    if (v.unsized && linkage != PTX_EXTERN && space != PTX_SHARED)
      reader_error(r, &name, "'" STR_FMT "' needs a size, or .extern", STR_ARG(name.text));
    if (space == PTX_LOCAL || space == PTX_PARAM) {
      if (!r->body) reader_error(r, &name, ".local variables stand inside of functions");
      declare_in_frame(r, &name, &v);
    } else {
      declare_variable(r, &name, &v);
    }
  } while (accept(r, ","));
  expect(r, ";");
}

/* ---- parameters ----------------------------------------------------------------------------- */

static ptx_param read_param(reader *r, bool entry, bool declare_names, uint32_t *entry_bytes) {
  bool is_reg = is_word(r, "reg");
  if (!is_reg && !is_word(r, "param")) expected(r, entry ? ".param" : ".param or .reg");
  if (is_reg && entry) reader_error(r, &r->t, "an .entry takes .param, not .reg");
  next_token(r);
  ptx_param p = {.is_reg = is_reg};
  declared_type d = {.vector = 1};
  if (is_reg && accept_word(r, "pred"))
    d.type = PTX_PRED, d.align = 4;
  else
    d = read_type(r, true);
  token name = expect_name(r, "the name of a parameter");
  bool unsized;
  uint64_t elements = read_dimensions(r, &unsized, PTX_MAX_FRAME_BYTES);
  uint64_t bytes = MAX(ptx_types[d.type].bits / 8u, 1u) * d.vector * elements;
  if (bytes > PTX_MAX_FRAME_BYTES) reader_error(r, &name, "the parameter is too large");
  p.name = arena_strndup(&r->m->arena, name.text.data, name.text.len);
  p.type = (uint8_t)d.type;
  p.is_pointer = d.is_pointer;
  p.ptr_space = d.ptr_space;
  p.align = d.align;
  p.bytes = (uint32_t)bytes;
  if (entry) {
    uint32_t base = ptx_param_base(r->m->sm);
    p.offset = align_up(base + *entry_bytes, d.align) - base;
    *entry_bytes = p.offset + p.bytes;
    if (*entry_bytes > PTX_MAX_PARAM_BYTES)
      reader_error(r, &name, "an .entry has at most %d bytes of parameters", PTX_MAX_PARAM_BYTES);
  }
  if (!declare_names) return p;
  if (entry) {
    symbol *s = declare(r, &name, SYMBOL_ENTRY_PARAM);
    s->offset = p.offset;
    s->bytes = p.bytes;
  } else if (is_reg) {
    symbol *s = declare(r, &name, SYMBOL_REGISTER);
    s->type = (uint8_t)d.type;
    p.row = s->row = allocate_register(r, d.type, &name);
  } else {
    ptx_variable v = {.space = PTX_PARAM, .type = p.type, .align = p.align, .bytes = p.bytes};
    declare_in_frame(r, &name, &v);
    p.offset = reader_find(r, name.text)->offset;
  }
  return p;
}

void read_params(reader *r, bool entry, bool declare_names, const ptx_param **out, uint32_t *n,
                 uint32_t *entry_bytes) {
  VEC(ptx_param) list = {0};
  expect(r, "(");
  while (!is_punct(r, ")")) {
    if (list.len) expect(r, ",");
    if (list.len == PTX_MAX_PARAMS)
      reader_error(r, &r->t, "a function has at most %d parameters", PTX_MAX_PARAMS);
    vec_push(&r->m->arena, list, read_param(r, entry, declare_names, entry_bytes));
  }
  expect(r, ")");
  *out = list.data;
  *n = list.len;
}
