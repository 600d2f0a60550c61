/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Names of values. A name is interned once for the whole text; defining it makes it active until
 * its region ends. Bodies of isolated operations see nothing from outside.
 */
#include "text/internal.h"

static uint32_t find_slot(const parser *p, str name, uint32_t hash) {
  uint32_t mask = p->cap_symbols - 1, i = hash & mask;
  while (p->symbols[i] && !(p->symbols[i]->hash == hash && str_eq(p->symbols[i]->name, name)))
    i = (i + 1) & mask;
  return i;
}

static void grow(parser *p) {
  uint32_t old_cap = p->cap_symbols;
  symbol **old = p->symbols;
  p->cap_symbols = old_cap ? 2 * old_cap : 256;
  p->symbols = arena_array(&p->temp, symbol *, p->cap_symbols);
  for (uint32_t i = 0; i < old_cap; i++)
    if (old[i]) p->symbols[find_slot(p, old[i]->name, old[i]->hash)] = old[i];
}

symbol *find_symbol(parser *p, str name) {
  if (2 * (p->n_symbols + 1) > p->cap_symbols) grow(p);
  uint32_t hash = (uint32_t)hash_key(p->ctx->secret, 0, name.data, name.len),
           i = find_slot(p, name, hash);
  if (p->symbols[i]) return p->symbols[i];
  symbol *s = arena_new(&p->temp, symbol);
  s->name = name;
  s->hash = hash;
  p->n_symbols++;
  return p->symbols[i] = s;
}

bool is_visible(const parser *p, const symbol *s) {
  return s->state != SYM_NONE && s->isolation == p->isolation;
}

void open_scope(parser *p, name_scope *s) {
  *s = (name_scope){.outer = p->scope, .outer_isolation = p->isolation};
  p->scope = s;
}

void close_scope(parser *p, name_scope *s) {
  for (symbol *d = s->defined, *following; d; d = following) {
    following = d->next_in_scope;
    index_end(p, d->number);
    if (d->shadowed) {
      const char *text = d->text;
      *d = *d->shadowed;
      d->text = text;
    } else {
      d->state = SYM_NONE;
    }
  }
  p->scope = s->outer;
  p->isolation = s->outer_isolation;
}

static void activate(parser *p, symbol *s, symbol_state state, uint32_t offset, ir_value *first,
                     uint32_t count) {
  if (!(is_visible(p, s) && s->state == SYM_POISON)) {
    symbol *shadowed = NULL;
    if (s->state != SYM_NONE) {
      shadowed = arena_new(&p->temp, symbol);
      *shadowed = *s;
    }
    s->shadowed = shadowed;
    s->next_in_scope = p->scope->defined;
    p->scope->defined = s;
  }
  s->state = (uint8_t)state;
  s->isolation = p->isolation;
  s->number = 0;
  s->offset = offset;
  s->first = first;
  s->count = count;
}

bool define_value(parser *p, str name, uint32_t offset, ir_value *first, uint32_t count) {
  symbol *s = find_symbol(p, name);
  if (is_visible(p, s) && s->state == SYM_VALUE) {
    fail_at(p, offset, (uint32_t)name.len + 1, "'%%" STR_FMT "' is defined twice", STR_ARG(name));
    note_at(p, s->offset, (uint32_t)name.len + 1, "the first definition is here");
    return false;
  }
  activate(p, s, SYM_VALUE, offset, first, count);
  s->number = index_definition(p, offset, (uint32_t)name.len + 1, first, count);
  if (!s->text) s->text = arena_strndup(&p->m->arena, name.data, name.len);
  if (count) first->name = s->text;
  return true;
}

void poison(parser *p, str name, uint32_t offset) {
  symbol *s = find_symbol(p, name);
  if (!is_visible(p, s)) activate(p, s, SYM_POISON, offset, NULL, 0);
}

/* ---- messages about unknown names ------------------------------------------------------------ */

enum { MOST_DEFINED = 64 };

/* Reads "%a, %b:2 =" from the current token; whether it is that. The tokens of the names go to
 * `names`, unless that is NULL. Moves the cursor. */
static bool scan_definition(parser *p, token names[MOST_DEFINED], unsigned *count) {
  for (unsigned n = 0; n < MOST_DEFINED; n++) {
    if (TOK(p) != TOK_VALUE) return false;
    if (names) {
      names[n] = p->lx.tok;
      *count = n + 1;
    }
    next(p);
    if (take_punct(p, ':')) {
      if (TOK(p) != TOK_INT) return false;
      next(p);
    }
    if (at_punct(p, '=')) return true;
    if (!take_punct(p, ',')) return false;
  }
  return false;
}

/* A word that no operation has: it may be a misspelt one, or continue with the line above. */
static bool looks_like_operation(parser *p) {
  uint32_t line = p->lx.tok.line;
  next(p);
  if (TOK(p) == TOK_EOF || at_punct(p, '}')) return true;
  if (p->lx.tok.line > line) return !at_punct(p, ':') && !at_punct(p, ',');
  return TOK(p) == TOK_VALUE || TOK(p) == TOK_SYMBOL || TOK(p) == TOK_STRING || at_punct(p, '{');
}

bool at_operation_start(parser *p) {
  if (TOK(p) == TOK_BARE) {
    str name = p->lx.tok.name;
    if (name.len > 10 && memcmp(name.data, "cuda_tile.", 10) == 0) return true;
    if (strmap_get(&p->formats->names, name)) return true;
  }
  mark m = mark_here(p);
  bool was_quiet = p->quiet, yes = false;
  p->quiet = true;
  if (TOK(p) == TOK_BARE) {
    yes = looks_like_operation(p);
  } else if (TOK(p) == TOK_VALUE) {
    yes = scan_definition(p, NULL, NULL);
  } else if (TOK(p) == TOK_STRING) {
    next(p);
    yes = at_punct(p, '(');
  }
  p->quiet = was_quiet;
  back_to(p, m);
  return yes;
}

static void note_later(parser *p, const token *t) {
  later_definition *d = arena_new(&p->temp, later_definition);
  d->offset = t->offset;
  bool added;
  uintptr_t *last = strmap_put(&p->temp, &p->later.last, t->name, &added);
  if (added)
    *strmap_put(&p->temp, &p->later.names, t->name, NULL) = (uintptr_t)d;
  else
    ((later_definition *)*last)->next = d;
  *last = (uintptr_t)d;
}

/* The definitions from here to the end of the isolated region. */
static void look_ahead(parser *p) {
  mark m = mark_here(p);
  bool was_quiet = p->quiet;
  int64_t depth = p->depth;
  p->quiet = true;
  p->later = (later_definitions){.begin = p->lx.tok.offset};
  while (TOK(p) != TOK_EOF && depth > 1) {
    if (at_punct(p, '{')) depth++;
    if (at_punct(p, '}')) depth--;
    if (TOK(p) == TOK_VALUE && p->lx.tok.first) {
      mark here = mark_here(p);
      token names[MOST_DEFINED];
      unsigned n = 0;
      bool defines = scan_definition(p, names, &n);
      for (unsigned i = 0; defines && i < n; i++) note_later(p, &names[i]);
      back_to(p, here);
    }
    next(p);
  }
  p->later.end = TOK(p) == TOK_EOF ? UINT32_MAX : p->lx.tok.offset;
  p->quiet = was_quiet;
  back_to(p, m);
}

/* Where the name is defined further down in the same isolated region; UINT32_MAX: nowhere. The rest
 * of a region is looked through once, however many unknown names are in it. */
static uint32_t find_later(parser *p, str name) {
  uint32_t here = p->lx.tok.offset;
  if (here < p->later.begin || here >= p->later.end) look_ahead(p);
  uintptr_t *slot = strmap_get(&p->later.names, name);
  if (!slot) return UINT32_MAX;
  const later_definition *d = (const later_definition *)*slot;
  while (d && d->offset < here) d = d->next;
  *slot = (uintptr_t)d;
  return d ? d->offset : UINT32_MAX;
}

static const char *nearest_name(parser *p, str name) {
  enum { LOOKED_AT = 1024, MOST_COMPARED = 1 << 17 };
  const char *names[LOOKED_AT];
  unsigned n = 0;
  if (p->compared >= MOST_COMPARED) return NULL; /* names are suggested for the first errors */
  for (name_scope *sc = p->scope; sc && n < LOOKED_AT; sc = sc->outer)
    for (symbol *s = sc->defined; s && n < LOOKED_AT; s = s->next_in_scope)
      if (is_visible(p, s) && s->state == SYM_VALUE && s->text) names[n++] = s->text;
  p->compared += n;
  return name.len > 1 ? suggest(name, names, n) : NULL;
}

void report_undefined(parser *p, symbol *s, uint32_t offset, uint32_t length) {
  if (p->quiet || p->stopped) return;
  str name = s->name;
  uint32_t later = find_later(p, name);
  if (later != UINT32_MAX) {
    fail_at(p, offset, length, "'%%" STR_FMT "' is used before it is defined", STR_ARG(name));
    note_at(p, later, length, "it is defined here");
  } else if (s->offset && s->isolation == p->isolation && s->state == SYM_NONE) {
    fail_at(p, offset, length, "'%%" STR_FMT "' is not visible here", STR_ARG(name));
    note_at(p, s->offset, length, "it is defined here, in a region that has ended");
  } else {
    const char *near = nearest_name(p, name);
    if (near)
      fail_at(p, offset, length, "'%%" STR_FMT "' is not defined; did you mean '%%%s'?",
              STR_ARG(name), near);
    else
      fail_at(p, offset, length, "'%%" STR_FMT "' is not defined", STR_ARG(name));
  }
  poison(p, name, offset);
}
