/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Attributes: in the spelling of the custom form, and as dictionaries of the generic form write
 * them (`#cuda_tile.rounding<zero>`, `array<i32: 1, 0>`, `5 : i64`).
 */
#include <stdio.h>

#include "ir/block/layouts.h"
#include "text/internal.h"

/* ---- simple values -------------------------------------------------------------------------- */

bool parse_int64(parser *p, int64_t *out, const char *what) {
  uint32_t offset = p->lx.tok.offset;
  bool negative = take_punct(p, '-');
  if (TOK(p) != TOK_INT) return fail_expected(p, "an integer (%s)", what);
  str s = p->lx.tok.name;
  bool hex = s.len > 2 && s.data[1] == 'x', overflow = false;
  uint64_t v = 0;
  for (size_t i = hex ? 2 : 0; i < s.len; i++) {
    char c = s.data[i];
    unsigned d = c <= '9' ? (unsigned)(c - '0') : (unsigned)((c | 0x20) - 'a' + 10);
    overflow |= __builtin_mul_overflow(v, hex ? 16 : 10, &v);
    overflow |= __builtin_add_overflow(v, d, &v);
  }
  overflow |= v > (uint64_t)INT64_MAX + negative;
  if (overflow)
    return fail_at(p, offset, p->lx.tok.offset + p->lx.tok.length - offset,
                   "this integer (%s) does not fit 64 bits", what);
  *out = negative ? (int64_t)(0 - v) : (int64_t)v;
  next(p);
  return true;
}

bool parse_string(parser *p, str *out, const char *what) {
  if (TOK(p) != TOK_STRING) return fail_expected(p, "a string (%s)", what);
  *out = unescape(p, &p->m->arena, p->lx.tok);
  next(p);
  return true;
}

static bool is_allowed(uint16_t allowed, unsigned value) {
  return !allowed || allowed >> value & 1;
}

/* "expected one of 'a', 'b'" and perhaps "did you mean". */
static bool fail_enum(parser *p, attr_kind kind, uint16_t allowed) {
  unsigned n, candidates = 0;
  const enum_row *rows = enum_rows(kind, &n);
  const char *names[16];
  char list[256], found[64];
  size_t len = 0;
  for (unsigned i = 0; i < n && len < sizeof list; i++) {
    if (!is_allowed(allowed, i)) continue;
    len += (size_t)snprintf(list + len, sizeof list - len, "%s'%s'", candidates ? ", " : "",
                            rows[i].spelling);
    names[candidates++] = rows[i].spelling;
  }
  const char *title = enum_title(kind);
  if (TOK(p) != TOK_BARE)
    return fail_expected(p, "%s %s (%s)", strchr("aeiou", title[0]) ? "an" : "a", title, list);
  const char *near = suggest(p->lx.tok.name, names, candidates);
  bool exists = enum_value(kind, p->lx.tok.name.data, (unsigned)p->lx.tok.name.len) >= 0;
  describe_token(p, found, sizeof found);
  if (exists)
    return fail_tok(p, "%s %s is not allowed here; expected one of %s", title, found, list);
  if (near)
    return fail_tok(p, "unknown %s %s; did you mean '%s'? expected one of %s", title, found, near,
                    list);
  return fail_tok(p, "unknown %s %s; expected one of %s", title, found, list);
}

bool parse_enum(parser *p, attr_kind kind, uint16_t allowed, int64_t *out) {
  int v = -1;
  if (TOK(p) == TOK_BARE) v = enum_value(kind, p->lx.tok.name.data, (unsigned)p->lx.tok.name.len);
  if (v < 0 || !is_allowed(allowed, (unsigned)v)) return fail_enum(p, kind, allowed);
  next(p);
  *out = v;
  return true;
}

static bool parse_bool(parser *p, int64_t *out) {
  if (!at_word(p, "true") && !at_word(p, "false")) return fail_expected(p, "'true' or 'false'");
  *out = at_word(p, "true");
  next(p);
  return true;
}

/* [1, 0] */
static bool parse_ints(parser *p, char close, const ir_ints **out) {
  VEC(int64_t) v = {0};
  while (!at_punct(p, close)) {
    int64_t x;
    if (!parse_int64(p, &x, "list element")) return false;
    vec_push(&p->temp, v, x);
    if (!take_punct(p, ',')) break;
  }
  if (!expect_punct(p, close, "the list")) return false;
  ir_ints *ints = arena_alloc(&p->m->arena, sizeof *ints + v.len * sizeof(int64_t), 8);
  ints->len = v.len;
  if (v.len) memcpy(ints->data, v.data, v.len * sizeof(int64_t));
  *out = ints;
  return true;
}

/* [1, 0] or array<i64: 1, 0> */
static bool parse_ints_attr(parser *p, const ir_ints **out) {
  if (take_punct(p, '[')) return parse_ints(p, ']', out);
  if (!take_word(p, "array")) return fail_expected(p, "a list of integers, as in '[1, 0]'");
  if (!expect_punct(p, '<', "'array'")) return false;
  tsr_elem pointee, e = parse_elem(p, &pointee);
  if (e == TSR_ELEM_COUNT) return false;
  if (!take_punct(p, ':'))
    return at_punct(p, '>') ? parse_ints(p, '>', out) : expect_punct(p, ':', "the element type");
  return parse_ints(p, '>', out);
}

/* [true, false] or array<i1: true, false> */
static bool parse_bools(parser *p, const ir_ints **out) {
  VEC(int64_t) v = {0};
  char close = ']';
  if (take_word(p, "array")) {
    close = '>';
    if (!expect_punct(p, '<', "'array'") || !expect_word(p, "i1", "'<'")) return false;
    if (!take_punct(p, ':') && !at_punct(p, '>')) return expect_punct(p, ':', "'i1'");
  } else if (!take_punct(p, '[')) {
    return fail_expected(p, "a list, as in '[true, false]'");
  }
  while (!at_punct(p, close)) {
    int64_t x;
    if (v.len == IR_MAX_RANK) return fail_tok(p, "at most %d entries are accepted", IR_MAX_RANK);
    if (!parse_bool(p, &x)) return false;
    vec_push(&p->temp, v, x);
    if (!take_punct(p, ',')) break;
  }
  if (!expect_punct(p, close, "the list")) return false;
  ir_ints *list = arena_alloc(&p->m->arena, sizeof *list + v.len * sizeof(int64_t), 8);
  list->len = v.len;
  if (v.len) memcpy(list->data, v.data, v.len * sizeof(int64_t));
  *out = list;
  return true;
}

static bool parse_symbol(parser *p, str *out) {
  if (TOK(p) != TOK_SYMBOL) return fail_expected(p, "a symbol (@name)");
  token t = p->lx.tok;
  bool quoted = p->lx.begin[t.offset + 1] == '"';
  *out = quoted ? unescape(p, &p->m->arena, t) : arena_str(&p->m->arena, t.name);
  next(p);
  return true;
}

/* ---- assume --------------------------------------------------------------------------------- */

/* <16> or <16, every 4 along 0> */
static bool parse_div_by(parser *p, ir_predicate *out) {
  uint32_t offset = p->lx.tok.offset;
  int64_t divisor;
  if (!parse_int64(p, &divisor, "divisor")) return false;
  if (divisor < 0) return fail_at(p, offset, p->lx.prev_end - offset, "a divisor is not negative");
  out->divisor = (uint64_t)divisor;
  if (!take_punct(p, ',')) return true;
  out->has_every = true;
  return expect_word(p, "every", "','") && parse_int64(p, &out->every, "every") &&
         expect_word(p, "along", "the group size") && parse_int64(p, &out->along, "dimension");
}

static bool parse_bound(parser *p, bool *given, int64_t *out) {
  *given = !take_punct(p, '?');
  return !*given || parse_int64(p, out, "bound");
}

static bool parse_predicate(parser *p, const ir_predicate **out) {
  static const char *const names[] = {"div_by", "same_elements", "bounded"};
  ir_predicate *d = arena_new(&p->m->arena, ir_predicate);
  str name = p->lx.tok.name;
  if (TOK(p) != TOK_BARE && TOK(p) != TOK_HASH)
    return fail_expected(p, "a predicate: 'div_by', 'same_elements' or 'bounded'");
  if (name.len > 10 && memcmp(name.data, "cuda_tile.", 10) == 0)
    name = (str){name.data + 10, name.len - 10};
  if (str_is(name, "div_by"))
    d->kind = IR_DIV_BY;
  else if (str_is(name, "same_elements"))
    d->kind = IR_SAME_ELEMENTS;
  else if (str_is(name, "bounded"))
    d->kind = IR_BOUNDED;
  else {
    const char *near = suggest(name, names, ARRAY_LEN(names));
    return fail_tok(p,
                    "unknown predicate '" STR_FMT "'%s%s%s; expected 'div_by', 'same_elements' "
                    "or 'bounded'",
                    STR_ARG(name), near ? "; did you mean '" : "", near ? near : "",
                    near ? "'?" : "");
  }
  next(p);
  if (!expect_punct(p, '<', "the predicate's name")) return false;
  *out = d;
  switch ((ir_predicate_kind)d->kind) {
  case IR_DIV_BY:
    if (!parse_div_by(p, d)) return false;
    break;
  case IR_SAME_ELEMENTS:
    if (!expect_punct(p, '[', "'<'") || !parse_ints(p, ']', &d->values)) return false;
    break;
  case IR_BOUNDED:
    if (!parse_bound(p, &d->has_lower, &d->lower) || !expect_punct(p, ',', "the lower bound") ||
        !parse_bound(p, &d->has_upper, &d->upper))
      return false;
    break;
  }
  return expect_punct(p, '>', "the predicate");
}

/* ---- optimization hints ---------------------------------------------------------------------- */

static bool parse_key(parser *p, str *out, const char *what) {
  if (TOK(p) == TOK_STRING) return parse_string(p, out, what);
  if (TOK(p) != TOK_BARE) return fail_expected(p, "a name (%s)", what);
  *out = arena_str(&p->m->arena, p->lx.tok.name);
  next(p);
  return true;
}

/* A hint of a kind that none has is left out, with a warning: hints make no program wrong unless
 * that is asked for. */
static bool skip_hint(parser *p, const ir_hint *h) {
  str span;
  uint32_t offset = p->lx.tok.offset;
  if (!skip_attribute(p, &span)) return false;
  if (p->m->hints != IR_HINTS_IGNORE && !p->quiet && !p->stopped)
    diag(p->ctx, p->m->hints == IR_HINTS_ERROR ? TSR_ERROR : TSR_WARNING,
         place_at(p, offset, (uint32_t)span.len),
         "the hint '" STR_FMT "' %s; expected an integer, true or false", STR_ARG(h->key),
         p->m->hints == IR_HINTS_ERROR ? "makes no sense" : "is ignored");
  return true;
}

static bool parse_hint(parser *p, ir_hint *h, bool *given) {
  if (!parse_key(p, &h->key, "hint") || !expect_punct(p, '=', "the hint")) return false;
  *given = true;
  h->is_bool = at_word(p, "true") || at_word(p, "false");
  if (h->is_bool) return parse_bool(p, &h->value);
  if (TOK(p) != TOK_INT && !at_punct(p, '-')) {
    *given = false;
    return skip_hint(p, h);
  }
  if (!parse_int64(p, &h->value, "hint")) return false;
  if (!take_punct(p, ':')) return true; /* 2 : i64 */
  tsr_elem pointee;
  return parse_elem(p, &pointee) != TSR_ELEM_COUNT;
}

/* <sm_100 = {num_cta_in_cga = 2}, default = {…}> */
bool parse_hints(parser *p, ir_attr *out) {
  VEC(ir_hint) v = {0};
  if (!expect_punct(p, '<', NULL)) return false;
  while (!at_punct(p, '>')) {
    ir_hint h = {0};
    uint32_t offset = p->lx.tok.offset;
    if (!parse_key(p, &h.target, "architecture") || !expect_punct(p, '=', "the architecture"))
      return false;
    for (uint32_t i = 0; i < v.len; i++)
      if (str_eq(v.data[i].target, h.target))
        return fail_at(p, offset, p->lx.prev_end - offset,
                       "hints for '" STR_FMT "' are given twice", STR_ARG(h.target));
    if (!expect_punct(p, '{', "'='")) return false;
    p->braces++;
    while (!at_punct(p, '}')) {
      bool given;
      token at = p->lx.tok;
      if (!parse_hint(p, &h, &given)) return false;
      if (v.len == MAX_HINTS) return fail_tok(p, "at most %d hints are accepted", MAX_HINTS);
      for (uint32_t i = v.len; given && i-- > 0 && str_eq(v.data[i].target, h.target);)
        if (str_eq(v.data[i].key, h.key))
          return fail_at(p, at.offset, at.length, "the hint '" STR_FMT "' is given twice",
                         STR_ARG(h.key));
      if (given) vec_push(&p->temp, v, h);
      if (!take_punct(p, ',')) break;
    }
    if (!expect_punct(p, '}', "the hints")) return false;
    p->braces--;
    if (!take_punct(p, ',')) break;
  }
  if (!expect_punct(p, '>', "the hints")) return false;
  ir_hints *hints = arena_alloc(&p->m->arena, sizeof *hints + v.len * sizeof(ir_hint), 8);
  hints->len = v.len;
  if (v.len) memcpy(hints->data, v.data, v.len * sizeof(ir_hint));
  ir_sort_hints(hints);
  out->hints = hints;
  return true;
}

/* ---- by slot -------------------------------------------------------------------------------- */

static bool is_enum(attr_kind kind) {
  return kind >= AK_ROUNDING && kind < AK_COUNT;
}

static bool check_int_width(parser *p, const op_attr *a, int64_t v, uint32_t offset) {
  if (a->bits != 32 || (v >= INT32_MIN && v <= INT32_MAX)) return true;
  return fail_at(p, offset, p->lx.prev_end - offset, "'%s' does not fit 32 bits",
                 attr_name((attr_id)a->id));
}

/* A distribution. */
static bool parse_layout_attr(parser *p, const tsr_layout **out) {
  uint32_t offset = p->lx.tok.offset;
  const tsr_layout_value *v = parse_layout(p, false);
  if (!v) return false;
  if (v->kind == TSR_LAYOUT_MEMORY)
    return fail_at(p, offset, p->lx.prev_end - offset,
                   "expected a distribution, which says what each thread holds, found a memory "
                   "layout");
  *out = ir_layout(p->m, &v->layout);
  return true;
}

static bool parse_value(parser *p, const op_attr *a, ir_attr *out) {
  uint32_t offset = p->lx.tok.offset;
  const char *name = attr_name((attr_id)a->id);
  switch ((attr_kind)a->kind) {
  case AK_INT: return parse_int64(p, &out->i, name) && check_int_width(p, a, out->i, offset);
  case AK_BOOL: return parse_bool(p, &out->i);
  case AK_UNIT: out->i = 1; return true;
  case AK_STRING: return parse_string(p, &out->s, name);
  case AK_SYMBOL: return parse_symbol(p, &out->s);
  case AK_INTS: return parse_ints_attr(p, &out->ints);
  case AK_BOOLS: return parse_bools(p, &out->ints);
  case AK_DENSE: return parse_dense(p, &out->dense);
  case AK_SCALARS: return parse_scalars(p, &out->scalars);
  case AK_PREDICATE: return parse_predicate(p, &out->predicate);
  case AK_HINTS: return parse_hints(p, out);
  case AK_TYPE: return (out->type = parse_type(p)) != NULL;
  case AK_LAYOUT: return parse_layout_attr(p, &out->layout);
  default: return parse_enum(p, (attr_kind)a->kind, a->allowed, &out->i);
  }
}

bool parse_attr(parser *p, op_state *s, unsigned slot) {
  if (!parse_value(p, &s->row->attrs[slot], &s->attrs[slot])) return false;
  s->present |= 1u << slot;
  return true;
}

/* Whether #name can hold an enum of this kind. */
static bool fits_enum(attr_kind kind, str name) {
  static const char *const names[AK_COUNT] = {
      [AK_ROUNDING] = "cuda_tile.rounding",
      [AK_OVERFLOW] = "cuda_tile.overflow",
      [AK_SIGNEDNESS] = "cuda_tile.signedness",
      [AK_PREDICATE_CMP] = "cuda_tile.comparison_predicate",
      [AK_ORDERING_CMP] = "cuda_tile.comparison_ordering",
      [AK_VISIBILITY] = "cuda_tile.symbol_visibility",
      [AK_PADDING] = "cuda_tile.padding_value",
      [AK_PTR_ATTR] = "cuda_tile.ptr_attr",
  };
  /* The others are written as numbers by MLIR and have no name of their own. */
  return !names[kind] || str_is(name, names[kind]);
}

/* An enum in a dictionary: #cuda_tile.rounding<zero>, its value as an integer, or the bare word. */
static bool parse_enum_generic(parser *p, const op_attr *a, int64_t *out) {
  if (TOK(p) == TOK_INT) {
    unsigned n;
    uint32_t offset = p->lx.tok.offset;
    enum_rows((attr_kind)a->kind, &n);
    if (!parse_int64(p, out, enum_title((attr_kind)a->kind))) return false;
    if (*out < 0 || *out >= n)
      return fail_at(p, offset, p->lx.prev_end - offset, "there is no %s of value %lld",
                     enum_title((attr_kind)a->kind), (long long)*out);
    return true;
  }
  if (TOK(p) != TOK_HASH) return parse_enum(p, (attr_kind)a->kind, 0, out);
  if (!fits_enum((attr_kind)a->kind, p->lx.tok.name))
    return fail_tok(p, "'#" STR_FMT "' is no %s", STR_ARG(p->lx.tok.name),
                    enum_title((attr_kind)a->kind));
  next(p);
  return expect_punct(p, '<', "the attribute's name") &&
         parse_enum(p, (attr_kind)a->kind, 0, out) && expect_punct(p, '>', "the value");
}

static bool parse_value_generic(parser *p, const op_attr *a, ir_attr *out) {
  attr_kind kind = (attr_kind)a->kind;
  if (is_enum(kind)) return parse_enum_generic(p, a, &out->i);
  if (kind == AK_SYMBOL && TOK(p) == TOK_STRING) return parse_string(p, &out->s, "name");
  if (kind == AK_HINTS && TOK(p) == TOK_HASH) next(p);
  if (kind == AK_UNIT) {
    out->i = 1;
    take_word(p, "unit");
    return true;
  }
  if (kind == AK_DICTS) {
    str span;
    uint32_t offset = p->lx.tok.offset;
    if (!skip_attribute(p, &span)) return false;
    for (size_t i = 0; i < span.len; i++)
      if (!strchr("[]{}, \t\r\n", span.data[i]))
        return fail_at(p, offset, p->lx.prev_end - offset,
                       "arguments and results have no attributes in Tile IR");
    return true;
  }
  return parse_value(p, a, out);
}

/* Goes on reading at the definition of an attribute alias; `*back` is where to return to. */
static bool follow_alias(parser *p, mark *back, bool *followed) {
  *followed = false;
  if (TOK(p) != TOK_HASH) return true;
  uintptr_t *found = strmap_get(&p->attrs, p->lx.tok.name);
  const alias_def *a = found ? (const alias_def *)*found : NULL;
  if (!a || a->kind != ALIAS_ATTR) {
    if (memchr(p->lx.tok.name.data, '.', p->lx.tok.name.len)) return true;
    return fail_tok(p, "'#" STR_FMT "' is not defined, or no attribute that fits here",
                    STR_ARG(p->lx.tok.name));
  }
  *followed = true;
  next(p);
  *back = mark_here(p);
  p->lx.pos = p->lx.begin + a->offset; /* lines are counted again on the way back */
  source_position(p->m->source, a->offset, &p->lx.line, &p->lx.tok.column);
  p->lx.line_start = p->lx.pos - (p->lx.tok.column - 1);
  next(p);
  return true;
}

bool parse_attr_generic(parser *p, op_state *s, unsigned slot) {
  const op_attr *a = &s->row->attrs[slot];
  mark back = mark_here(p);
  bool followed;
  if (!follow_alias(p, &back, &followed)) return false;
  bool ok = parse_value_generic(p, a, &s->attrs[slot]);
  /* 5 : i64 */
  if (ok && (a->kind == AK_INT || is_enum((attr_kind)a->kind)) && take_punct(p, ':')) {
    tsr_elem pointee;
    ok = parse_elem(p, &pointee) != TSR_ELEM_COUNT;
  }
  if (followed && ok) back_to(p, back);
  if (ok) s->present |= 1u << slot;
  return ok;
}

/* ---- any attribute --------------------------------------------------------------------------- */

static char closing(uint16_t kind) {
  return kind == '(' ? ')' : kind == '[' ? ']' : kind == '{' ? '}' : kind == '<' ? '>' : 0;
}

static bool skip_balanced(parser *p, bool line, str *span) {
  char open[MAX_NESTING];
  int depth = 0;
  uint32_t start = p->lx.tok.offset;
  for (;; next(p)) {
    uint16_t k = TOK(p);
    if (k == TOK_ERROR) return false;
    if (k == TOK_VALUE || k == TOK_CARET)
      return depth ? fail_expected(p, "'%c' in this attribute", open[depth - 1])
                   : fail_expected(p, "',' or '}' after an attribute");
    bool ends = k == ',' || k == '}' || k == ')' || k == ']' || k == '>' || k == TOK_EOF;
    if (depth == 0 && (ends || (line && p->lx.tok.first && p->lx.tok.offset != start))) break;
    if (k == TOK_EOF) return fail_expected(p, "'%c' in this attribute", open[depth - 1]);
    if (closing(k)) {
      if (depth == MAX_NESTING)
        return fail_tok(p, "nested too deeply: at most %d levels are accepted", MAX_NESTING);
      open[depth++] = closing(k);
      p->braces += k == '{';
    } else if (k == ')' || k == ']' || k == '}' || k == '>') {
      if (open[depth - 1] != (char)k) return fail_expected(p, "'%c'", open[depth - 1]);
      depth--;
      p->braces -= k == '}';
    }
  }
  if (p->lx.tok.offset == start) return fail_expected(p, "an attribute");
  *span = (str){p->lx.begin + start, p->lx.prev_end - start};
  return true;
}

bool skip_attribute(parser *p, str *span) {
  return skip_balanced(p, false, span);
}

bool skip_attribute_line(parser *p, str *span) {
  return skip_balanced(p, true, span);
}

static bool parse_entry(parser *p, op_state *s) {
  str key;
  uint32_t offset = p->lx.tok.offset;
  if (!parse_key(p, &key, "attribute")) return false;
  if (s->generic && s->row->traits & TRAIT_SEGMENTS &&
      (str_is(key, "operandSegmentSizes") || str_is(key, "operand_segment_sizes")))
    return expect_punct(p, '=', "operandSegmentSizes") && parse_ints_attr(p, &s->segments);
  int slot = op_attr_index(s->row, key.data, (unsigned)key.len);
  if (slot >= 0) {
    if (s->present >> slot & 1)
      return fail_at(p, offset, p->lx.prev_end - offset, "'" STR_FMT "' is given twice",
                     STR_ARG(key));
    if (take_punct(p, '=')) return parse_attr_generic(p, s, (unsigned)slot);
    if (s->row->attrs[slot].kind != AK_UNIT)
      return expect_punct(p, '=', "the name of an attribute");
    s->attrs[slot].i = 1;
    s->present |= 1u << slot;
    return true;
  }
  int n = 0;
  for (ir_extra *e = s->extra; e; e = e->next, n++)
    if (str_eq(e->name, key))
      return fail_at(p, offset, p->lx.prev_end - offset, "'" STR_FMT "' is given twice",
                     STR_ARG(key));
  if (n == MAX_EXTRAS)
    return fail_at(p, offset, 1, "at most %d further attributes are accepted", MAX_EXTRAS);
  str text = STR("unit");
  if (take_punct(p, '=') && !skip_attribute(p, &text)) return false;
  ir_extra *e = arena_new(&p->m->arena, ir_extra);
  *e = (ir_extra){key, arena_str(&p->m->arena, text), NULL};
  *s->extra_tail = e;
  s->extra_tail = &e->next;
  return true;
}

bool parse_attr_dict(parser *p, op_state *s) {
  take_word(p, "attributes");
  if (!take_punct(p, '{')) return true;
  p->braces++;
  while (!at_punct(p, '}')) {
    if (!parse_entry(p, s)) return false;
    if (!take_punct(p, ',')) break;
  }
  if (!expect_punct(p, '}', "the attributes")) return false;
  p->braces--;
  return true;
}
