/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A module: its directives, its functions, and what can only be settled when all is read (where
 * shared variables lie).
 */
#include <stdio.h>
#include <stdlib.h>

#include "emu/ptx/read.h"

/* ---- .version, .target, … ------------------------------------------------------------------- */

static void read_version(reader *r) {
  token t = r->t;
  unsigned major, minor;
  char text[16];
  int used = 0;
  snprintf(text, sizeof text, STR_FMT, STR_ARG(t.text));
  if (t.kind != TOKEN_FLOAT || sscanf(text, "%2u.%1u%n", &major, &minor, &used) != 2 || text[used])
    expected(r, "a version, as in .version 8.3");
  if (major < 6 || major > 9)
    reader_error(r, &t, "PTX %u.%u is not supported: expected 6.0 to 9.x", major, minor);
  next_token(r);
  r->m->version = (uint16_t)(major * 10 + minor);
  r->have_version = true;
}

static void read_target(reader *r) {
  do {
    token t = expect_name(r, "a target, as in sm_90");
    if (t.text.len < 4 || memcmp(t.text.data, "sm_", 3) != 0) continue; /* debug, texmode_… */
    if (t.text.len >= sizeof r->m->target) reader_error(r, &t, "unknown target");
    memcpy(r->m->target, t.text.data, t.text.len);
    r->m->target[t.text.len] = 0;
    char *end;
    unsigned long sm = strtoul(r->m->target + 3, &end, 10);
    bool specific = strcmp(end, "a") == 0;
    if (sm < 50 || sm > 130 || (*end && !specific && strcmp(end, "f") != 0))
      reader_error(r, &t, "unknown target '" STR_FMT "': expected sm_70 to sm_121, as in sm_90a",
                   STR_ARG(t.text));
    r->m->sm = (uint16_t)(sm * 10 + specific);
    r->m->arch_specific = specific;
    r->have_target = true;
  } while (accept(r, ","));
}

static void read_file(reader *r) {
  uint32_t n = (uint32_t)read_count(r, "the number of a file", 1 << 16);
  token t = r->t;
  if (t.kind != TOKEN_STRING) expected(r, "the name of a file in quotes");
  next_token(r);
  while (accept(r, ",")) read_count(r, "a time or size", UINT64_MAX);
  while (r->files.len <= n) vec_push(&r->m->arena, r->files, NULL);
  r->files.data[n] = arena_strndup(&r->m->arena, t.text.data, t.text.len);
}

/* .section .debug_info { … }: DWARF, which nothing here needs. */
static void skip_section(reader *r) {
  while (r->t.kind != TOKEN_END && !is_punct(r, "{")) next_token(r);
  expect(r, "{");
  for (unsigned depth = 1; depth; next_token(r)) {
    if (r->t.kind == TOKEN_END) expected(r, "'}'");
    if (is_punct(r, "{")) depth++;
    if (is_punct(r, "}")) depth--;
  }
}

/* ---- functions ------------------------------------------------------------------------------ */

static void read_three(reader *r, uint32_t out[3], const char *what) {
  out[0] = out[1] = out[2] = 1;
  for (int k = 0; k < 3; k++) {
    token at = r->t;
    out[k] = (uint32_t)read_count(r, what, 1 << 16);
    if (out[k] == 0) reader_error(r, &at, "%s is at least 1", what);
    if (!accept(r, ",")) return;
  }
}

static void read_function_directives(reader *r, ptx_function *f) {
  for (; r->t.kind == TOKEN_WORD;) {
    if (accept_word(r, "maxntid"))
      read_three(r, f->max_threads, "a number of threads");
    else if (accept_word(r, "reqntid"))
      read_three(r, f->required_threads, "a number of threads");
    else if (accept_word(r, "reqnctapercluster"))
      read_three(r, f->cluster, "a number of blocks");
    else if (accept_word(r, "minnctapersm"))
      f->min_blocks = (uint32_t)read_count(r, "a number of blocks", UINT32_MAX);
    else if (accept_word(r, "maxnctapersm"))
      read_count(r, "a number of blocks", UINT32_MAX);
    else if (accept_word(r, "maxnreg"))
      f->max_registers = (uint32_t)read_count(r, "a number of registers", 255);
    else if (accept_word(r, "maxclusterrank"))
      f->max_cluster = (uint32_t)read_count(r, "a number of blocks", UINT32_MAX);
    else if (accept_word(r, "explicitcluster"))
      f->explicit_cluster = true;
    else if (accept_word(r, "blocksareclusters"))
      f->explicit_cluster = true;
    else if (accept_word(r, "noreturn"))
      f->noreturn = true;
    else if (accept_word(r, "abi_preserve") || accept_word(r, "abi_preserve_control"))
      read_count(r, "a number of registers", UINT32_MAX);
    else if (accept_word(r, "pragma")) {
      do next_token(r);
      while (accept(r, ","));
      expect(r, ";");
    } else
      expected(r, "a directive of a function, '{' or ';'");
  }
}

static bool same_signature(const ptx_function *a, const ptx_function *b) {
  if (a->n_params != b->n_params || a->n_results != b->n_results || a->is_entry != b->is_entry)
    return false;
  for (uint32_t k = 0; k < a->n_params; k++)
    if (a->params[k].bytes != b->params[k].bytes) return false;
  return true;
}

/* The function of that name, declared before or now. Its body replaces what a declaration said. */
static uint32_t enter_function(reader *r, const token *name, const ptx_function *f,
                               bool body_here) {
  uintptr_t *v = strmap_get(&r->module_scope.symbols, name->text);
  symbol *s = v ? (symbol *)*v : NULL;
  if (s && s->kind == SYMBOL_FUNCTION) {
    ptx_function *old = &r->functions.data[s->index];
    if (old->defined && body_here)
      reader_error(r, name, "'" STR_FMT "' has a body already", STR_ARG(name->text));
    if (!same_signature(old, f))
      reader_error(r, name, "'" STR_FMT "' was declared with other parameters before",
                   STR_ARG(name->text));
    if (body_here) *old = *f;
    return s->index;
  }
  scope *inner = r->scope;
  r->scope = &r->module_scope;
  s = declare(r, name, SYMBOL_FUNCTION);
  r->scope = inner;
  s->index = r->functions.len;
  vec_push(&r->m->arena, r->functions, *f);
  vec_push(&r->scratch, r->uses, (function_uses){0});
  return s->index;
}

static void read_function(reader *r, bool entry, ptx_linkage linkage) {
  body b = {0};
  ptx_function f = {.is_entry = entry, .linkage = (uint8_t)linkage};
  scope *s = arena_new(&r->scratch, scope);
  s->outer = &r->module_scope;
  r->scope = s;
  r->body = &b;
  while (accept_word(r, "noreturn") || accept_word(r, "attribute")) f.noreturn = true;
  /* Whether names are to be declared is known at the end; a declaration's are harmless. */
  if (!entry && is_punct(r, "(")) read_params(r, false, true, &f.results, &f.n_results, NULL);
  token name = expect_name(r, "the name of a function");
  f.name = arena_strndup(&r->m->arena, name.text.data, name.text.len);
  f.line = name.line;
  f.column = name.column;
  if (is_punct(r, "(")) read_params(r, entry, true, &f.params, &f.n_params, &f.param_bytes);
  read_function_directives(r, &f);
  bool body_here = is_punct(r, "{");
  uint32_t index = enter_function(r, &name, &f, body_here);
  if (body_here) {
    read_function_body(r, &r->functions.data[index]);
    function_uses *u = &r->uses.data[index];
    *u = (function_uses){b.shared.data, b.calls.data, b.shared.len, b.calls.len, b.calls_anything};
  } else {
    expect(r, ";");
  }
  r->body = NULL;
  r->scope = &r->module_scope;
}

/* ---- the module ----------------------------------------------------------------------------- */

static void read_alias(reader *r) {
  token alias = expect_name(r, "a function"), of;
  expect(r, ",");
  of = expect_name(r, "a function");
  expect(r, ";");
  uintptr_t *a = strmap_get(&r->module_scope.symbols, alias.text);
  symbol *target = reader_find(r, of.text);
  if (!a || !target || target->kind != SYMBOL_FUNCTION)
    reader_error(r, a ? &of : &alias, "'" STR_FMT "' is no function declared before",
                 STR_ARG(a ? of.text : alias.text));
  symbol *s = (symbol *)*a;
  if (s->kind == SYMBOL_FUNCTION) { /* calls so far go to the declaration: it becomes the same */
    const char *name = r->functions.data[s->index].name;
    r->functions.data[s->index] = r->functions.data[target->index];
    r->functions.data[s->index].name = name;
    r->uses.data[s->index] = r->uses.data[target->index];
  }
}

static void need_header(reader *r) {
  if (r->have_version && r->have_target) return;
  if (!r->have_version) expected(r, ".version, which begins a PTX file");
  expected(r, ".target, which follows .version");
}

static void read_item(reader *r) {
  ptx_linkage linkage = PTX_INTERNAL;
  if (accept(r, ";")) return;
  if (accept_word(r, "version")) return read_version(r);
  if (!r->have_version) need_header(r);
  if (accept_word(r, "target")) return read_target(r);
  need_header(r);
  if (accept_word(r, "address_size")) {
    token at = r->t;
    if (read_count(r, "an address size", 64) != 64)
      reader_error(r, &at, "only .address_size 64 is supported");
    return;
  }
  if (accept_word(r, "file")) return read_file(r);
  if (accept_word(r, "section")) return skip_section(r);
  if (accept_word(r, "alias")) return read_alias(r);
  if (accept_word(r, "pragma")) {
    next_token(r);
    return expect(r, ";");
  }
  if (accept_word(r, "extern"))
    linkage = PTX_EXTERN;
  else if (accept_word(r, "visible"))
    linkage = PTX_VISIBLE;
  else if (accept_word(r, "weak"))
    linkage = PTX_WEAK_LINK;
  else if (accept_word(r, "common"))
    linkage = PTX_COMMON;
  if (accept_word(r, "entry")) return read_function(r, true, linkage);
  if (accept_word(r, "func")) return read_function(r, false, linkage);
  if (accept_word(r, "global")) return read_variable(r, PTX_GLOBAL, linkage);
  if (accept_word(r, "const")) return read_variable(r, PTX_CONST, linkage);
  if (accept_word(r, "shared")) return read_variable(r, PTX_SHARED, linkage);
  if (is_word(r, "tex")) reader_error(r, &r->t, "textures and surfaces are not supported");
  expected(r, "a directive of a module (.entry, .func, .global, …)");
}

/* To the next directive that can begin an item. */
static void skip_item(reader *r) {
  static const char *const starts[] = {"entry", "func",   "visible", "extern",
                                       "weak",  "global", "const"};
  unsigned braces = 0;
  r->scope = &r->module_scope;
  r->body = NULL;
  r->depth = 0;
  while (r->t.kind != TOKEN_END) {
    if (is_punct(r, "{")) braces++;
    if (is_punct(r, "}") && braces) braces--;
    for (size_t k = 0; k < ARRAY_LEN(starts) && !braces; k++)
      if (is_word(r, starts[k])) return;
    next_token(r);
  }
}

static void read_module(reader *r) {
  if (setjmp(r->recover)) {
    if (!r->have_version || !r->have_target) return;
    next_token(r);
    skip_item(r);
  }
  while (r->t.kind != TOKEN_END) read_item(r);
}

/* ---- shared memory -------------------------------------------------------------------------- */

enum { MAX_SHARED_VARIABLES = 4096 };

/* What an entry reaches. Stamps are the number of the entry, from 1 on, that reached a function or
 * a variable last, so that nothing is cleared between entries. */
typedef struct reach {
  uint32_t *function_stamp, *variable_stamp, stamp;
  VEC(uint32_t) functions, variables;
} reach;

static void reach_function(reader *r, reach *x, uint32_t f) {
  if (x->function_stamp[f] == x->stamp) return;
  x->function_stamp[f] = x->stamp;
  vec_push(&r->scratch, x->functions, f);
}

static void reach_variable(reader *r, reach *x, uint32_t v) {
  if (x->variable_stamp[v] == x->stamp) return;
  x->variable_stamp[v] = x->stamp;
  vec_push(&r->scratch, x->variables, v);
}

static int by_number(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

/* Collects the functions, and the shared variables that they mention in the order of the text. */
static void collect_reached(reader *r, reach *x, uint32_t entry) {
  x->stamp++;
  x->functions.len = x->variables.len = 0;
  reach_function(r, x, entry);
  for (uint32_t i = 0; i < x->functions.len; i++) {
    const function_uses *u = &r->uses.data[x->functions.data[i]];
    for (uint32_t k = 0; k < u->n_calls; k++) reach_function(r, x, u->calls[k]);
    for (uint32_t k = 0; u->calls_anything && k < r->functions.len; k++)
      if (!r->functions.data[k].is_entry) reach_function(r, x, k);
    for (uint32_t k = 0; k < u->n_shared; k++) reach_variable(r, x, u->shared[k]);
  }
  if (x->variables.len)
    qsort(x->variables.data, x->variables.len, sizeof *x->variables.data, by_number);
}

static void check_offset(reader *r, const ptx_variable *v, uint64_t end) {
  if (end <= PTX_MAX_SHARED_BYTES) return;
  place at = {.src = r->m->src, .line = v->line, .column = v->column, .length = 1};
  reader_report(r, at, "shared variables have at most %d bytes", PTX_MAX_SHARED_BYTES);
}

static void place_for_entry(reader *r, ptx_function *f, const reach *used, bool *placed,
                            uint32_t *dynamic_align) {
  uint64_t end = 0;
  for (uint32_t k = 0; k < used->variables.len; k++) {
    const ptx_variable *x = &r->variables.data[used->variables.data[k]];
    if (placed[used->variables.data[k]]) end = MAX(end, x->offset + x->bytes);
  }
  f->shared_align = 16;
  for (uint32_t k = 0; k < used->variables.len; k++) {
    uint32_t v = used->variables.data[k];
    ptx_variable *x = &r->variables.data[v];
    f->shared_align = MAX(f->shared_align, x->align);
    if (x->unsized) {
      f->uses_dynamic_shared = true;
      *dynamic_align = MAX(*dynamic_align, x->align);
    } else if (!placed[v]) {
      x->offset = (end + x->align - 1) & ~(uint64_t)(x->align - 1);
      end = x->offset + x->bytes;
      placed[v] = true;
      check_offset(r, x, end);
    }
  }
  f->shared_bytes = (uint32_t)MIN(end, (uint64_t)PTX_MAX_SHARED_BYTES);
}

/* Gives shared variables their offsets. Those that one entry reaches lie behind each other; those
 * of different entries may overlap. Dynamic ones begin where the last static one ends. */
static void place_shared(reader *r) {
  uint32_t nv = r->variables.len, nf = r->functions.len, n_shared = 0;
  for (uint32_t v = 0; v < nv; v++) n_shared += r->variables.data[v].space == PTX_SHARED;
  if (n_shared == 0) return;
  if (n_shared > MAX_SHARED_VARIABLES) {
    reader_report(r, (place){.src = r->m->src}, "a module has at most %d shared variables",
                  MAX_SHARED_VARIABLES);
    return;
  }
  reach x = {.function_stamp = arena_array(&r->scratch, uint32_t, nf),
             .variable_stamp = arena_array(&r->scratch, uint32_t, nv)};
  bool *placed = arena_array(&r->scratch, bool, nv);
  uint32_t dynamic = 0, dynamic_align = 16;
  for (uint32_t e = 0; e < nf; e++) {
    ptx_function *f = &r->functions.data[e];
    if (!f->is_entry || !f->defined) continue;
    collect_reached(r, &x, e);
    place_for_entry(r, f, &x, placed, &dynamic_align);
    if (f->uses_dynamic_shared) dynamic = MAX(dynamic, f->shared_bytes);
  }
  dynamic = (dynamic + dynamic_align - 1) & ~(dynamic_align - 1);
  for (uint32_t v = 0; v < nv; v++)
    if (r->variables.data[v].space == PTX_SHARED && r->variables.data[v].unsized)
      r->variables.data[v].offset = dynamic;
  for (uint32_t e = 0; e < nf; e++)
    if (r->functions.data[e].uses_dynamic_shared) r->functions.data[e].shared_bytes = dynamic;
}

/* ---- the door ------------------------------------------------------------------------------- */

static void finish(reader *r) {
  ptx_module *m = r->m;
  place_shared(r);
  m->variables = r->variables.data;
  m->n_variables = r->variables.len;
  m->functions = r->functions.data;
  m->n_functions = r->functions.len;
  m->prototypes = r->prototypes.data;
  m->n_prototypes = r->prototypes.len;
  m->constants = r->constants.data;
  m->n_constants = r->constants.len;
  m->files = r->files.data;
  m->n_files = r->files.len;
  m->locs = r->locs.data;
  m->n_locs = r->locs.len;
}

static ptx_module *module_create(tsr_context *ctx, const char *name, str text) {
  ptx_module *m = ctx_alloc(ctx, sizeof *m);
  *m = (ptx_module){.ctx = ctx};
  arena_init(&m->arena, ctx);
  source *src = NULL;
  TSR_GUARD(ctx, {
    ptx_module_destroy(m);
    ctx_unwind(ctx);
  });
  src = arena_new(&m->arena, source);
  src->text = arena_str(&m->arena, text);
  src->lines = source_index(&m->arena, src->text);
  src->name = arena_strndup(&m->arena, name, strlen(name));
  m->src = src;
  TSR_UNGUARD(ctx);
  return m;
}

static void read_text(reader *r) {
  if (setjmp(r->stop)) return; /* too many errors */
  words_prepare(r);
  lexer_start(r, r->m->src->text);
  next_token(r);
  read_module(r);
  if (!r->failed && (!r->have_version || !r->have_target))
    reader_report(r, token_place(r, &r->t),
                  "expected .version and .target, found the end of the file");
  if (!r->failed) finish(r);
}

ptx_module *ptx_parse(tsr_context *ctx, const char *name, str text) {
  ptx_module *volatile made = NULL;
  reader r = {.ctx = ctx, .errors_before = ctx->errors};
  arena_init(&r.scratch, ctx);
  TSR_GUARD(ctx, {
    arena_free(&r.scratch);
    ptx_module_destroy(made);
    return NULL;
  });
  made = module_create(ctx, name, text);
  r.m = made;
  r.scope = &r.module_scope;
  read_text(&r);
  TSR_UNGUARD(ctx);
  arena_free(&r.scratch);
  if (!r.failed) return made;
  ptx_module_destroy(made);
  return NULL;
}

void ptx_module_destroy(ptx_module *m) {
  if (!m) return;
  tsr_context *ctx = m->ctx;
  arena_free(&m->arena);
  ctx_free(ctx, m, sizeof *m);
}
