/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Locations, debug scopes, and the aliases at the top level of a file:
 *
 *   #file = #cuda_tile.di_file<"a.py" in "/src">
 *   #loc1 = loc("a.py":3:4)
 *   #loc2 = #cuda_tile.di_loc<#loc1 in #func>
 *
 * A location alias may be used before it is defined: it gets its place in the module's table at
 * the first use, and its contents when the definition comes.
 */
#include "text/internal.h"

static bool parse_location(parser *p, ir_loc *out);

static alias_def *alias_named(parser *p, strmap *aliases, str name) {
  bool added;
  uintptr_t *slot = strmap_put(&p->temp, aliases, name, &added);
  if (added) {
    alias_def *a = arena_new(&p->temp, alias_def);
    a->name = name;
    *slot = (uintptr_t)a;
  }
  return (alias_def *)*slot;
}

/* A name after '#' that is no name of Tile IR's own. */
static bool at_alias(const parser *p) {
  str name = p->lx.tok.name;
  return TOK(p) == TOK_HASH && !memchr(name.data, '.', name.len);
}

static bool at_attr(const parser *p, const char *name) {
  return TOK(p) == TOK_HASH && str_is(p->lx.tok.name, name);
}

/* ---- debug scopes ---------------------------------------------------------------------------- */

static bool parse_scope(parser *p, uint32_t *out);

static bool parse_u32(parser *p, uint32_t *out, const char *what) {
  int64_t v;
  uint32_t offset = p->lx.tok.offset;
  if (!parse_int64(p, &v, what)) return false;
  if (v < 0 || v > UINT32_MAX)
    return fail_at(p, offset, p->lx.prev_end - offset, "this %s does not fit 32 bits", what);
  *out = (uint32_t)v;
  return true;
}

static bool parse_text(parser *p, const char **out, const char *what) {
  str s;
  if (!parse_string(p, &s, what)) return false;
  *out = s.data;
  return true;
}

/* One "key = value" of a scope. */
static bool parse_field(parser *p, ir_scope *s) {
  str key = p->lx.tok.name;
  if (TOK(p) != TOK_BARE) return fail_expected(p, "a field, as in 'line = 3'");
  token at = p->lx.tok;
  next(p);
  if (!expect_punct(p, '=', "the field")) return false;
  if (str_is(key, "file")) return parse_scope(p, &s->file);
  if (str_is(key, "scope")) return parse_scope(p, &s->parent);
  if (str_is(key, "compileUnit")) return parse_scope(p, &s->unit);
  if (str_is(key, "line")) return parse_u32(p, &s->line, "line");
  if (str_is(key, "column")) return parse_u32(p, &s->column, "column");
  if (str_is(key, "scopeLine")) return parse_u32(p, &s->scope_line, "line");
  if (str_is(key, "name")) return parse_text(p, &s->name, "name");
  if (str_is(key, "linkageName")) return parse_text(p, &s->linkage_name, "name");
  return fail_at(p, at.offset, at.length, "unknown field '" STR_FMT "' of debug information",
                 STR_ARG(key));
}

static uint32_t kind_bit(const parser *p, uint32_t scope) {
  return scope ? 1u << p->m->scopes.data[scope - 1].kind : 0;
}

/* What the fields refer to are scopes of the right kinds. */
static bool check_fields(parser *p, const ir_scope *s, uint32_t offset) {
  uint32_t length = p->lx.prev_end - offset;
  if (kind_bit(p, s->file) != 1u << IR_SCOPE_FILE)
    return fail_at(p, offset, length, "'file' must be a di_file");
  if (s->kind == IR_SCOPE_SUBPROGRAM) {
    if (kind_bit(p, s->unit) != 1u << IR_SCOPE_UNIT)
      return fail_at(p, offset, length, "'compileUnit' must be a di_compile_unit");
    if (!s->name || !s->linkage_name)
      return fail_at(p, offset, length, "a di_subprogram needs 'name' and 'linkageName'");
  }
  if (s->kind == IR_SCOPE_BLOCK &&
      !(kind_bit(p, s->parent) & (1u << IR_SCOPE_SUBPROGRAM | 1u << IR_SCOPE_BLOCK)))
    return fail_at(p, offset, length, "'scope' must be a di_subprogram or a di_lexical_block");
  return true;
}

/* After the attribute's name. */
static bool parse_scope_body(parser *p, ir_scope *s, uint32_t offset) {
  if (!expect_punct(p, '<', "the attribute's name")) return false;
  if (s->kind == IR_SCOPE_FILE)
    return parse_text(p, &s->name, "file name") && expect_word(p, "in", "the file's name") &&
           parse_text(p, &s->directory, "directory") && expect_punct(p, '>', "the directory");
  do {
    if (!parse_field(p, s)) return false;
  } while (take_punct(p, ','));
  return expect_punct(p, '>', "the fields") && check_fields(p, s, offset);
}

static int scope_kind(const parser *p) {
  if (at_attr(p, "cuda_tile.di_file")) return IR_SCOPE_FILE;
  if (at_attr(p, "cuda_tile.di_compile_unit")) return IR_SCOPE_UNIT;
  if (at_attr(p, "cuda_tile.di_subprogram")) return IR_SCOPE_SUBPROGRAM;
  if (at_attr(p, "cuda_tile.di_lexical_block")) return IR_SCOPE_BLOCK;
  return -1;
}

/* A scope or the alias of one; `*out` is 1 + its index. */
static bool parse_scope(parser *p, uint32_t *out) {
  uint32_t offset = p->lx.tok.offset;
  if (at_alias(p)) {
    uintptr_t *found = strmap_get(&p->attrs, p->lx.tok.name);
    alias_def *a = found ? (alias_def *)*found : NULL;
    if (!a || a->kind != ALIAS_SCOPE)
      return fail_tok(p, "'#" STR_FMT "' is not defined as a debug scope above",
                      STR_ARG(p->lx.tok.name));
    next(p);
    *out = a->u.scope;
    return true;
  }
  int kind = scope_kind(p);
  if (kind < 0)
    return fail_expected(p, "a debug scope (#cuda_tile.di_file<…>, di_compile_unit, "
                            "di_subprogram, di_lexical_block, or an alias of one)");
  ir_scope s = {.kind = (uint8_t)kind};
  if (!enter_nesting(p, offset)) return false;
  next(p);
  if (!parse_scope_body(p, &s, offset)) return false;
  leave_nesting(p);
  vec_push(&p->m->arena, p->m->scopes, s);
  *out = p->m->scopes.len;
  return true;
}

/* ---- locations ------------------------------------------------------------------------------- */

static const char *file_name(parser *p, token t) {
  str s = unescape(p, &p->m->arena, t);
  /* One copy of each name: the module's own is compared by address. */
  if (str_is(s, p->m->source->name)) return p->m->source->name;
  bool added;
  uintptr_t *slot = strmap_put(&p->temp, &p->files, s, &added);
  if (added) *slot = (uintptr_t)s.data;
  return (const char *)*slot;
}

/* "f":1:2, "f":1:2 to 3:4, "name", "name"(loc) */
static bool parse_string_location(parser *p, ir_loc *out) {
  token t = p->lx.tok;
  ir_loc_info info = {.kind = IR_LOC_FILE, .file = file_name(p, t)};
  next(p);
  if (take_punct(p, ':')) {
    if (!parse_u32(p, &info.line, "line") || !expect_punct(p, ':', "the line") ||
        !parse_u32(p, &info.column, "column"))
      return false;
    if (take_word(p, "to")) { /* the end of a range is not kept */
      uint32_t ignored;
      if (TOK(p) == TOK_INT && !parse_u32(p, &ignored, "line")) return false;
      if (!expect_punct(p, ':', "the line") || !parse_u32(p, &ignored, "column")) return false;
    }
  } else {
    info.kind = IR_LOC_NAMED;
    if (take_punct(p, '(') &&
        (!parse_location(p, &info.inner) || !expect_punct(p, ')', "the location")))
      return false;
  }
  *out = ir_loc_add(p->m, info);
  return true;
}

/* fused[a, b] or fused<metadata>[a, b]: a chain, each link with one location and the rest. */
static bool parse_fused(parser *p, ir_loc *out) {
  str metadata;
  VEC(ir_loc) locs = {0};
  if (take_punct(p, '<') &&
      (!skip_attribute(p, &metadata) || !expect_punct(p, '>', "the metadata")))
    return false;
  if (!expect_punct(p, '[', "'fused'")) return false;
  while (!at_punct(p, ']')) {
    ir_loc one;
    if (!parse_location(p, &one)) return false;
    vec_push(&p->temp, locs, one);
    if (!take_punct(p, ',')) break;
  }
  if (!expect_punct(p, ']', "the locations")) return false;
  ir_loc rest = 0;
  for (uint32_t i = locs.len; i-- > 0;)
    rest =
        ir_loc_add(p->m, (ir_loc_info){.kind = IR_LOC_FUSED, .inner = locs.data[i], .outer = rest});
  *out = rest;
  return true;
}

static bool parse_callsite(parser *p, ir_loc *out) {
  ir_loc_info info = {.kind = IR_LOC_CALLSITE};
  if (!expect_punct(p, '(', "'callsite'") || !parse_location(p, &info.inner) ||
      !expect_word(p, "at", "the called location") || !parse_location(p, &info.outer) ||
      !expect_punct(p, ')', "the calling location"))
    return false;
  *out = ir_loc_add(p->m, info);
  return true;
}

/* #cuda_tile.di_loc<loc in scope> */
static bool parse_di_loc(parser *p, ir_loc *out) {
  ir_loc_info info = {.kind = IR_LOC_DEBUG};
  next(p);
  if (!expect_punct(p, '<', "the attribute's name") || !parse_location(p, &info.inner) ||
      !expect_word(p, "in", "the location"))
    return false;
  uint32_t offset = p->lx.tok.offset;
  if (!parse_scope(p, &info.scope) || !expect_punct(p, '>', "the scope")) return false;
  if (!(kind_bit(p, info.scope) & (1u << IR_SCOPE_SUBPROGRAM | 1u << IR_SCOPE_BLOCK)))
    return fail_at(p, offset, p->lx.prev_end - offset,
                   "the scope of a location must be a di_subprogram or a di_lexical_block");
  *out = ir_loc_add(p->m, info);
  return true;
}

static void await_definition(parser *p, alias_def *a) {
  a->kind = ALIAS_LOC_PENDING;
  a->offset = p->lx.tok.offset;
  a->u.loc = ir_loc_add(p->m, (ir_loc_info){.kind = IR_LOC_UNKNOWN});
  p->n_pending_locs++;
  if (p->last_pending)
    p->last_pending->next = a;
  else
    p->first_pending = a;
  p->last_pending = a;
}

static bool parse_location_alias(parser *p, ir_loc *out) {
  alias_def *a = alias_named(p, &p->attrs, p->lx.tok.name);
  if (a->kind == ALIAS_NONE) {
    await_definition(p, a);
  } else if (a->kind != ALIAS_LOC && a->kind != ALIAS_LOC_PENDING) {
    return fail_tok(p, "'#" STR_FMT "' is not a location", STR_ARG(p->lx.tok.name));
  }
  *out = a->u.loc;
  next(p);
  return true;
}

static bool parse_location_here(parser *p, ir_loc *out) {
  if (at_alias(p)) return parse_location_alias(p, out);
  if (at_attr(p, "cuda_tile.di_loc")) return parse_di_loc(p, out);
  if (TOK(p) == TOK_STRING) return parse_string_location(p, out);
  if (take_word(p, "callsite")) return parse_callsite(p, out);
  if (take_word(p, "fused")) return parse_fused(p, out);
  if (take_word(p, "unknown")) {
    *out = 0;
    return true;
  }
  if (take_word(p, "loc"))
    return expect_punct(p, '(', "'loc'") && parse_location(p, out) &&
           expect_punct(p, ')', "the location");
  return fail_expected(p, "a location: \"file\":line:column, callsite(…), fused[…], unknown, or "
                          "an alias");
}

static bool parse_location(parser *p, ir_loc *out) {
  if (!enter_nesting(p, p->lx.tok.offset)) return false;
  bool ok = parse_location_here(p, out);
  leave_nesting(p);
  return ok;
}

bool parse_trailing_loc(parser *p, ir_loc *loc) {
  if (!at_word(p, "loc")) return true;
  return parse_location(p, loc);
}

/* ---- aliases --------------------------------------------------------------------------------- */

static bool define_location(parser *p, alias_def *a) {
  ir_loc loc;
  if (!parse_location(p, &loc)) return false;
  if (a->kind == ALIAS_LOC_PENDING) {
    p->m->locs.data[a->u.loc] = p->m->locs.data[loc];
    p->n_pending_locs--;
    p->patched_locs = true;
  } else {
    a->u.loc = loc;
  }
  a->kind = ALIAS_LOC;
  return true;
}

static bool define_type_alias(parser *p) {
  token t = p->lx.tok;
  next(p);
  if (!expect_punct(p, '=', "the alias")) return false;
  const ir_type *type = parse_type(p);
  if (!type) return false;
  alias_def *a = alias_named(p, &p->types, t.name);
  if (a->kind != ALIAS_NONE)
    return fail_at(p, t.offset, t.length, "'!" STR_FMT "' is defined twice", STR_ARG(t.name));
  a->kind = ALIAS_TYPE;
  a->u.type = type;
  return true;
}

bool parse_alias_definition(parser *p) {
  if (TOK(p) == TOK_BANG) return define_type_alias(p);
  token t = p->lx.tok;
  if (!at_alias(p)) return fail_tok(p, "expected the name of an alias (without '.') before '='");
  next(p);
  if (!expect_punct(p, '=', "the alias")) return false;
  alias_def *a = alias_named(p, &p->attrs, t.name);
  if (a->kind != ALIAS_NONE && a->kind != ALIAS_LOC_PENDING)
    return fail_at(p, t.offset, t.length, "'#" STR_FMT "' is defined twice", STR_ARG(t.name));
  if (at_word(p, "loc") || at_attr(p, "cuda_tile.di_loc")) return define_location(p, a);
  if (a->kind == ALIAS_LOC_PENDING)
    return fail_at(p, t.offset, t.length,
                   "'#" STR_FMT "' is used as a location but defined as "
                   "something else",
                   STR_ARG(t.name));
  if (scope_kind(p) >= 0) {
    if (!parse_scope(p, &a->u.scope)) return false;
    a->kind = ALIAS_SCOPE;
    return true;
  }
  if (at_word(p, "layout")) {
    a->kind = ALIAS_LAYOUT;
    if (!(a->u.layout = parse_layout(p, false))) return false;
    name_layout(p, t.name, a->u.layout);
    return true;
  }
  str span;
  a->offset = p->lx.tok.offset;
  if (!skip_attribute_line(p, &span)) return false;
  a->kind = ALIAS_ATTR;
  return true;
}

/* ---- at the end ------------------------------------------------------------------------------ */

static bool report_pending(parser *p) {
  for (const alias_def *a = p->first_pending; a; a = a->next)
    if (a->kind == ALIAS_LOC_PENDING)
      fail_at(p, a->offset, (uint32_t)a->name.len + 1, "the location '#" STR_FMT "' is not defined",
              STR_ARG(a->name));
  return p->n_pending_locs == 0;
}

/* Definitions that came late may form a cycle; everything after us relies on there being none. */
static bool check_cycles(parser *p) {
  enum { NEW, OPEN, DONE };
  uint32_t n = p->m->locs.len, top = 0;
  uint8_t *state = arena_alloc_zero(&p->temp, n, 1);
  ir_loc *stack = arena_array(&p->temp, ir_loc, n);
  for (ir_loc root = 1; root < n; root++) {
    if (state[root] != NEW) continue;
    stack[top++] = root;
    while (top) {
      ir_loc at = stack[top - 1], kids[2];
      const ir_loc_info *l = &p->m->locs.data[at];
      kids[0] = l->inner;
      kids[1] = l->outer;
      state[at] = OPEN;
      ir_loc down = 0;
      for (int i = 0; i < 2 && !down; i++) {
        if (kids[i] && state[kids[i]] == OPEN)
          return fail_at(p, 0, 1, "the locations of this file refer to each other in a circle");
        if (kids[i] && state[kids[i]] == NEW) down = kids[i];
      }
      if (down) {
        stack[top++] = down;
      } else {
        state[at] = DONE;
        top--;
      }
    }
  }
  return true;
}

bool finish_locations(parser *p) {
  return report_pending(p) && (!p->patched_locs || check_cycles(p));
}
