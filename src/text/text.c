/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A whole file: aliases and one module.
 */
#include <tessera/module.h>

#include "text/internal.h"
#include "text/load.h"

/* `module {`, the wrapper that MLIR's own tools print around the module. */
static bool parse_wrapper(parser *p, bool *wrapped) {
  if (!at_word(p, "module") && !at_word(p, "builtin.module")) return true;
  token t = p->lx.tok;
  next(p);
  op_state ignored = {.row = &op_table[OP_module]}; /* its attributes mean nothing here */
  ignored.extra_tail = &ignored.extra;
  if (at_word(p, "attributes") && !parse_attr_dict(p, &ignored)) return false;
  if (!take_punct(p, '{'))
    return fail_at(p, t.offset, t.length,
                   "expected 'cuda_tile.module'; the outermost module is "
                   "written with its prefix");
  *wrapped = true;
  return true;
}

bool parse_module_op(parser *p) {
  op_state s = {0};
  s.extra_tail = &s.extra;
  str comments = comments_before(p, true);
  if (!at_word(p, "cuda_tile.module")) {
    if (TOK(p) == TOK_STRING) return parse_generic_module(p, comments);
    return fail_expected(p, "'cuda_tile.module @name {'");
  }
  begin_op(p, &s, OP_module);
  s.op = p->m->op;
  bool ok = parse_format(p, &s) && parse_trailing_loc(p, &s.loc);
  finish_module_op(p, &s, comments);
  return ok;
}

void finish_module_op(parser *p, op_state *s, str comments) {
  for (unsigned i = 0; i < op_n_attrs(s->row); i++)
    if (s->present >> i & 1) s->op->attrs[i] = s->attrs[i];
  s->op->present |= s->present;
  s->op->extra = s->extra;
  s->op->loc = s->loc;
  comments_attach(p, s->op, comments);
}

/* Aliases, the module, aliases. Goes on after an alias that is wrong. */
static void parse_file(parser *p) {
  bool module = false, wrapped = false;
  while (TOK(p) != TOK_EOF && !p->stopped) {
    uint32_t line = p->lx.tok.line;
    bool ok = true;
    if (TOK(p) == TOK_HASH || TOK(p) == TOK_BANG)
      ok = parse_alias_definition(p);
    else if ((module || p->testing) && wrapped && take_punct(p, '}')) {
      wrapped = false;
      if (!parse_trailing_loc(p, &(ir_loc){0})) return;
    } else if (p->testing && (module || at_fragment(p))) {
      module = true;
      ok = parse_fragment(p);
    } else if (module) {
      bool second = TOK(p) == TOK_BARE && str_is(p->lx.tok.name, "cuda_tile.module");
      char found[64];
      if (second)
        fail_tok(p, "a second module; a file holds one");
      else
        fail_tok(p, "expected the end of the file behind the module, found %s",
                 describe_token(p, found, sizeof found));
      return;
    } else {
      if (!parse_wrapper(p, &wrapped)) return;
      if (p->testing && (wrapped && (at_fragment(p) || at_punct(p, '}')))) continue;
      module = true;
      if (!parse_module_op(p)) return;
    }
    if (ok) continue;
    p->nesting = 0;
    while (TOK(p) != TOK_EOF && p->lx.tok.line == line) next(p);
  }
  if (wrapped && module) fail_expected(p, "'}' to end the outer module");
  if (!module && p->testing)
    make_implicit(p);
  else if (!module && !p->ctx->errors)
    fail_expected(p, "'cuda_tile.module @name {'");
}

/* Room for the locations of all operations at once: most lines hold one. Growing step by step
 * would copy, and the module's memory never shrinks. Memory that is not touched costs nothing. */
static void reserve_locations(ir_module *m, str text, size_t first) {
  enum { MOST = 1 << 18 };
  size_t lines = 1, most = MIN((text.len - first) / 32 + 16, MOST);
  const char *q = text.data + first, *end = text.data + text.len;
  while (lines < most && (q = memchr(q, '\n', (size_t)(end - q)))) {
    q++;
    lines++;
  }
  vec_reserve(&m->arena, m->locs, (uint32_t)lines);
}

static bool parse_text(ir_module *m, str text, size_t first, const char *name, unsigned flags,
                       text_index *index) {
  source *src = arena_new(&m->arena, source);
  *src = (source){.name = name, .text = text, .lines = source_index(&m->arena, text)};
  m->source = src;
  m->ctx->errors = 0;
  if (text.len > MAX_SOURCE) {
    diag_error(m->ctx, (place){.file = name}, "this text has %zu bytes; at most 2^30 are accepted",
               text.len);
    return false;
  }
  /* In the module's memory, so that it is known when memory runs out. */
  parser *p = arena_new(&m->arena, parser);
  p->ctx = m->ctx;
  p->m = m;
  p->index = index;
  p->keep_comments = flags & TSR_PARSE_KEEP_COMMENTS;
  p->testing = flags & TSR_PARSE_TESTING_OPS;
  arena_init(&p->temp, m->ctx);
  TSR_GUARD(m->ctx, arena_free(&p->temp); ctx_unwind(m->ctx));
  p->formats = text_formats_of(m->ctx);
  p->type_cache = arena_array(&p->temp, type_cache_slot, TYPE_CACHE);
  reserve_locations(m, text, first);
  lexer_init(p, text, (uint32_t)first);
  name_scope top;
  open_scope(p, &top);
  next(p);
  parse_file(p);
  if (!m->ctx->errors && check_extensions(p)) finish_locations(p);
  comments_after_module(p);
  bool ok = m->ctx->errors == 0 && !p->stopped;
  index_tokens(p, text);
  TSR_UNGUARD(m->ctx);
  arena_free(&p->temp);
  return ok;
}

bool text_parse_into(ir_module *m, str text, size_t first, const char *name, unsigned flags) {
  return parse_text(m, text, first, name, flags, NULL);
}

bool text_parse_indexed(ir_module *m, str text, const char *name, unsigned flags,
                        text_index *index) {
  return parse_text(m, text, 0, name, flags, index);
}

ir_module *text_parse(tsr_context *ctx, str src, const char *name, bool keep_comments) {
  ir_module *m = ir_module_create(ctx, STR("kernels"));
  TSR_GUARD(ctx, ir_module_destroy(m); ctx_unwind(ctx));
  str text = arena_str(&m->arena, src), shown = str_of(name ? name : "<memory>");
  bool ok = text_parse_into(m, text, 0, arena_str(&m->arena, shown).data,
                            keep_comments ? TSR_PARSE_KEEP_COMMENTS : 0);
  TSR_UNGUARD(ctx);
  if (ok) return m;
  ir_module_destroy(m);
  return NULL;
}
