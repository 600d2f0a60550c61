/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The face: recognising a text of Triton's, and reading one.
 */
#include "ttir/ttir.h"

#include "text/load.h"
#include "ttir/lower.h"

/* ---- recognising
 * ---------------------------------------------------------------------------------- */

/* Definitions of locations and comments may be many; the module's first word is behind them. */
static str skip_definitions(str text) {
  for (;;) {
    while (text.len && strchr(" \t\r\n", text.data[0]) && text.data[0]) {
      text.data++;
      text.len--;
    }
    if (!str_starts(text, "#") && !str_starts(text, "//")) return text;
    const char *end = memchr(text.data, '\n', text.len);
    size_t n = end ? (size_t)(end - text.data) : text.len;
    text.data += n;
    text.len -= n;
  }
}

/* Where a piece stands in a text; past the end: nowhere. */
static size_t find(str text, const char *piece) {
  size_t n = strlen(piece);
  for (const char *p = text.data, *end = text.data + text.len; p < end;) {
    p = memchr(p, piece[0], (size_t)(end - p));
    if (!p || (size_t)(end - p) < n) break;
    if (memcmp(p, piece, n) == 0) return (size_t)(p - text.data);
    p++;
  }
  return text.len + 1;
}

bool ttir_is(str text) {
  str rest = skip_definitions(text);
  if (!str_starts(rest, "module") && !str_starts(rest, "builtin.module") &&
      !str_starts(rest, "\"builtin.module\""))
    return false;
  size_t function = find(rest, "tt.func");
  return function < rest.len && function < find(rest, "cuda_tile.");
}

/* ---- reading
 * -------------------------------------------------------------------------------------- */

static bool is_kernel(const tt_function *f) {
  return f->is_public && f->body && f->body->first;
}

static bool lower_module(reader *r) {
  lowering *l = arena_new(r->temp, lowering);
  bool any = false;
  l->r = r;
  l->m = r->m;
  l->temp = r->temp;
  for (tt_function *f = r->tree->first; f; f = f->next) {
    if (!is_kernel(f)) continue;
    if (!tt_lower_kernel(l, f)) return false;
    any = true;
  }
  return any || tt_fail(r, 0, 1, "there is no public function, which a kernel is");
}

static bool read_module(reader *r, str text) {
  tt_lexer_init(r, text);
  return tt_parse_module(r) && lower_module(r);
}

bool ttir_read_into(ir_module *m, str text, const char *name) {
  source *src = arena_new(&m->arena, source);
  *src = (source){.name = name, .text = text, .lines = source_index(&m->arena, text)};
  m->source = src;
  m->ctx->errors = 0;
  if (text.len > TEXT_MAX_SIZE) {
    diag_error(m->ctx, (place){.file = name}, "this text has %zu bytes; at most 2^30 are accepted",
               text.len);
    return false;
  }
  arena *temp = arena_new(&m->arena, arena); /* in the module, known when memory runs out */
  arena_init(temp, m->ctx);
  TSR_GUARD(m->ctx, arena_free(temp); ctx_unwind(m->ctx));
  reader *r = arena_new(temp, reader);
  r->m = m;
  r->ctx = m->ctx;
  r->temp = temp;
  r->tree = arena_new(temp, tt_tree);
  bool ok = read_module(r, text);
  TSR_UNGUARD(m->ctx);
  arena_free(temp);
  return ok && m->ctx->errors == 0;
}
