/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Attributes, and the values of constants.
 */
#include "num/num.h"
#include "text/text.h"
#include "ttir/reader.h"

const tt_attr *tt_find_attr(const tt_attr *list, const char *name) {
  while (list && !str_is(list->name, name)) list = list->next;
  return list;
}

/* ---- lists of integers ---------------------------------------------------------------------- */

typedef VEC(int64_t) int_list;

static bool int_item(reader *r, int_list *list) {
  int64_t v = tt_at_word(r, "true");
  if (v || tt_at_word(r, "false"))
    tt_next(r);
  else if (!tt_parse_int(r, &v))
    return false;
  if (list->len == TT_MAX_LIST) return tt_expected(r, "at most %d numbers", TT_MAX_LIST);
  vec_push(r->temp, *list, v);
  return true;
}

/* 1, 0, 2 up to `close`. */
static bool int_items(reader *r, int close, int_list *list) {
  while (RTOK(r) != close)
    if (!int_item(r, list) || (RTOK(r) != close && !tt_expect(r, ',', "',' or the list's end")))
      return false;
  tt_next(r);
  return true;
}

static void set_ints(tt_attr *out, const int_list *list) {
  out->kind = TT_INTS;
  out->ints = list->data;
  out->n_ints = list->len;
}

/* array<i32: 1, 0>, array<i32> */
static bool int_array(reader *r, tt_attr *out) {
  int_list list = {0};
  tt_next(r);
  if (!tt_expect(r, '<', "'<' behind 'array'") || RTOK(r) != TT_BARE)
    return tt_expected(r, "an array of integers");
  tt_next(r);
  if (!tt_take(r, ':') && RTOK(r) != '>') return tt_expected(r, "':' or '>'");
  if (!int_items(r, '>', &list)) return false;
  set_ints(out, &list);
  return true;
}

/* dense<16> : tensor<1xi32>, dense<[16, 8]> : tensor<2xi32> */
static bool int_dense(reader *r, tt_attr *out) {
  int_list list = {0};
  tt_type ignored;
  tt_next(r);
  if (!tt_expect(r, '<', "'<' behind 'dense'")) return false;
  bool many = tt_take(r, '[');
  if (!(many ? int_items(r, ']', &list) : int_item(r, &list))) return false;
  set_ints(out, &list);
  return tt_expect(r, '>', "'>'") && tt_expect(r, ':', "':' and a type") &&
         tt_parse_type(r, &ignored);
}

/* ---- values --------------------------------------------------------------------------------- */

/* Anything else: kept as text, up to the comma or bracket that ends it. */
static bool other_value(reader *r, tt_attr *out) {
  uint32_t begin = r->tok.offset;
  out->kind = TT_OTHER;
  if (!tt_skip(r, ",}>)")) return false;
  out->text = (str){r->m->source->text.data + begin, r->tok.offset - begin};
  return true;
}

static bool skip_type_of_number(reader *r) {
  if (!tt_take(r, ':')) return true;
  if (tt_take_word(r, "index")) return true;
  tt_type ignored;
  return tt_parse_type(r, &ignored);
}

static bool number_value(reader *r, tt_attr *out) {
  bool integer = RTOK(r) == '-' || !memchr(r->tok.name.data, '.', r->tok.name.len);
  const char *p = r->pos;
  while (RTOK(r) == '-' && *p >= '0' && *p <= '9') p++;
  if (!integer || *p == '.') return other_value(r, out);
  out->kind = TT_INT;
  return tt_parse_int(r, &out->i) && skip_type_of_number(r);
}

bool tt_parse_attr_value(reader *r, tt_attr *out) {
  if (RTOK(r) == TT_NUMBER || RTOK(r) == '-') return number_value(r, out);
  if (tt_at_word(r, "array")) return int_array(r, out);
  if (tt_at_word(r, "dense")) return int_dense(r, out);
  bool truth = tt_at_word(r, "true");
  if (truth || tt_at_word(r, "false"))
    *out = (tt_attr){.name = out->name, .kind = TT_INT, .i = truth};
  else if (RTOK(r) == TT_TEXT)
    *out = (tt_attr){.name = out->name, .kind = TT_STRING, .text = tt_unescape(r, r->tok.name)};
  else if (RTOK(r) == TT_BARE || RTOK(r) == TT_SYMBOL)
    *out = (tt_attr){.name = out->name, .kind = TT_WORD, .text = r->tok.name};
  else
    return other_value(r, out);
  tt_next(r);
  return out->kind != TT_WORD || RTOK(r) != '<' || other_value(r, out);
}

static bool attr_item(reader *r, tt_attr **list) {
  tt_attr *a = arena_new(r->temp, tt_attr);
  if (RTOK(r) != TT_BARE && RTOK(r) != TT_TEXT) return tt_expected(r, "an attribute's name");
  a->name = r->tok.name;
  a->kind = TT_UNIT;
  tt_next(r);
  if (tt_take(r, '=') && !tt_parse_attr_value(r, a)) return false;
  a->next = *list;
  *list = a;
  return true;
}

bool tt_parse_dict(reader *r, tt_attr **list) {
  bool angled = tt_take(r, '<');
  if (!tt_expect(r, '{', "'{' and attributes")) return false;
  while (!tt_take(r, '}'))
    if (!attr_item(r, list) || (RTOK(r) != '}' && !tt_expect(r, ',', "',' or '}'"))) return false;
  return !angled || tt_expect(r, '>', "'>' behind the properties");
}

/* ---- constants ------------------------------------------------------------------------------ */

typedef struct literal {
  str text;
  uint32_t offset;
  bool negative, is_word;
} literal;
typedef VEC(literal) literals;

static bool take_literal(reader *r, literals *list) {
  literal l = {.negative = tt_take(r, '-')};
  l.is_word = tt_at_word(r, "true") || tt_at_word(r, "false");
  l.text = r->tok.name;
  l.offset = r->tok.offset;
  if (!l.is_word && RTOK(r) != TT_NUMBER) return tt_expected(r, "a number");
  if (list->len >= IR_MAX_TILE) return tt_expected(r, "at most %d numbers", IR_MAX_TILE);
  vec_push(r->temp, *list, l);
  tt_next(r);
  return true;
}

static bool literal_list(reader *r, literals *list) {
  if (RTOK(r) != '[') return take_literal(r, list);
  if (!tt_enter(r)) return false;
  tt_next(r);
  while (!tt_take(r, ']'))
    if (!literal_list(r, list) || (RTOK(r) != ']' && !tt_expect(r, ',', "',' or ']'")))
      return false;
  tt_leave(r);
  return true;
}

static bool integer_of(reader *r, literal l, tsr_elem elem, uint64_t *out) {
  reader at = *r; /* reads the literal again, as a number of that type */
  at.tok = (tt_token){
      .kind = TT_NUMBER, .name = l.text, .offset = l.offset, .length = (uint32_t)l.text.len};
  int64_t v = str_is(l.text, "true");
  if (!l.is_word && !tt_parse_int(&at, &v)) return false;
  *out = (l.negative ? 0 - (uint64_t)v : (uint64_t)v) & num_mask(tsr_elem_bits(elem));
  return true;
}

static bool pattern_of(reader *r, literal l, tsr_elem elem, uint64_t *out) {
  const num_format *f = num_format_of(elem);
  bool bits = l.text.len > 2 && l.text.data[1] == 'x';
  if (!f || bits) return integer_of(r, l, elem, out);
  if (l.is_word) return tt_fail(r, l.offset, 1, "expected a number of '%s'", tsr_elem_name(elem));
  *out = text_decimal(f, l.negative, arena_str(r->temp, l.text));
  return true;
}

static bool make_dense(reader *r, const literals *list, const ir_type *t, uint32_t offset,
                       const ir_dense **out) {
  if (t->elem == TSR_PTR) return tt_fail(r, offset, 1, "a constant of pointers");
  if (list->len != 1 && list->len != t->count)
    return tt_fail(r, offset, 1, "%u numbers for a tile of %lld", list->len, (long long)t->count);
  uint64_t *patterns = arena_array(r->temp, uint64_t, list->len);
  for (uint32_t i = 0; i < list->len; i++)
    if (!pattern_of(r, list->data[i], (tsr_elem)t->elem, &patterns[i])) return false;
  size_t size = tsr_elem_storage((tsr_elem)t->elem, list->len);
  void *data = arena_alloc_zero(r->temp, size + 8, 8);
  num_store_array(data, patterns, (tsr_elem)t->elem, 0, list->len);
  *out = ir_dense_create(r->m, t, list->len == 1, data, (uint32_t)size);
  return true;
}

/* 5 : i32, true, dense<0.0> : tensor<64xf32> */
bool tt_parse_constant(reader *r, tt_op *op) {
  literals list = {0};
  uint32_t offset = r->tok.offset;
  tt_type type = {.tile = ir_scalar(r->m, TSR_I1)};
  if (tt_take_word(r, "dense")) {
    if (!tt_expect(r, '<', "'<' behind 'dense'")) return false;
    if (RTOK(r) == TT_TEXT) return tt_fail(r, offset, 1, "a constant as a string of bytes");
    if (!literal_list(r, &list) || !tt_expect(r, '>', "'>' behind the constant")) return false;
  } else if (!take_literal(r, &list)) {
    return false;
  }
  if (tt_take(r, ':') ? !tt_parse_type(r, &type) : !list.data[0].is_word)
    return tt_expected(r, "':' and the constant's type");
  if (type.is_descriptor) return tt_fail(r, offset, 1, "a constant of a descriptor");
  return make_dense(r, &list, type.tile, offset, &op->constant);
}
