/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Constants: <f32: [[1.0, 2.0], [3.0, 4.0]]> : tile<2x2xf32>, and the older
 * dense<[[1.0, 2.0], [3.0, 4.0]]> : tile<2x2xf32>, whose element type comes last.
 */
#include <stdlib.h>

#include "num/num.h"
#include "text/internal.h"

/* More than any tile may hold; what is read grows with the text, never with the type. */
enum { MAX_ELEMENTS = 1 << 28 };

typedef struct values {
  uint64_t *data; /* patterns */
  size_t len, cap;
  int64_t shape[IR_MAX_RANK];
  unsigned rank;
  bool known[IR_MAX_RANK]; /* the length at this level is known from its first list */
  int leaf;                /* depth at which the numbers are; -1: none seen yet */
} values;

static void push_value(parser *p, values *v, uint64_t pattern) {
  if (v->len == v->cap) {
    size_t cap = v->cap ? 2 * v->cap : 16;
    uint64_t *grown = arena_alloc(&p->temp, cap * sizeof *grown, 8);
    if (v->len) memcpy(grown, v->data, v->len * sizeof *grown);
    v->data = grown;
    v->cap = cap;
  }
  v->data[v->len++] = pattern;
}

static bool read_number(parser *p, tsr_elem elem, values *v, int depth) {
  uint32_t offset = p->lx.tok.offset;
  bool negative = take_punct(p, '-');
  uint64_t pattern;
  if (!literal_pattern(p, elem, negative, offset, &pattern)) return false;
  if (v->leaf >= 0 && v->leaf != depth)
    return fail_at(p, offset, p->lx.tok.length, "the lists are not nested equally deep everywhere");
  v->leaf = depth;
  next(p);
  if (v->len == MAX_ELEMENTS)
    return fail_at(p, offset, 1, "a constant has at most %d elements", MAX_ELEMENTS);
  push_value(p, v, pattern);
  return true;
}

/* Closes the list at `depth` with `n` elements. */
static bool close_list(parser *p, values *v, int depth, int64_t n, uint32_t offset) {
  if (v->known[depth] && v->shape[depth] != n)
    return fail_at(p, offset, p->lx.prev_end - offset,
                   "this list has %lld element%s, but the lists beside it have %lld", (long long)n,
                   n == 1 ? "" : "s", (long long)v->shape[depth]);
  v->known[depth] = true;
  v->shape[depth] = n;
  return true;
}

/* Not recursive: the depth is a matter of the text. */
static bool read_lists(parser *p, tsr_elem elem, values *v) {
  int64_t count[IR_MAX_RANK];
  uint32_t start[IR_MAX_RANK];
  int depth = 0;
  do {
    while (at_punct(p, '[')) {
      if (v->leaf >= 0 && depth >= v->leaf)
        return fail_tok(p, "the lists are not nested equally deep everywhere");
      if (depth == IR_MAX_RANK)
        return fail_tok(p, "a constant has at most %d dimensions", IR_MAX_RANK);
      count[depth] = 0;
      start[depth++] = p->lx.tok.offset;
      next(p);
    }
    if (at_punct(p, ']')) return fail_tok(p, "a list in a constant cannot be empty");
    if (!read_number(p, elem, v, depth)) return false;
    while (depth > 0) {
      count[depth - 1]++;
      if (!at_punct(p, ']')) break;
      next(p);
      depth--;
      if (!close_list(p, v, depth, count[depth], start[depth])) return false;
    }
    if (depth == 0) break;
  } while (take_punct(p, ',') || fail_expected(p, "',' or ']' in the list"));
  v->rank = v->leaf > 0 ? (unsigned)v->leaf : 0;
  return depth == 0;
}

static void print_shape(sbuf *b, const int64_t *shape, unsigned rank) {
  sbuf_putc(b, '[');
  for (unsigned i = 0; i < rank; i++) sbuf_printf(b, i ? ", %lld" : "%lld", (long long)shape[i]);
  sbuf_putc(b, ']');
}

static bool check_shape(parser *p, const values *v, const ir_type *t, uint32_t offset) {
  if (v->rank == 0 ||
      (v->rank == t->rank && memcmp(v->shape, t->shape, v->rank * sizeof *v->shape) == 0))
    return true;
  sbuf have = SBUF(&p->temp), want = SBUF(&p->temp);
  print_shape(&have, v->shape, v->rank);
  print_shape(&want, t->shape, t->rank);
  return fail_at(p, offset, p->lx.prev_end - offset,
                 "the literal has shape %s, which is not that of the type, %s", have.data,
                 want.data);
}

static const ir_dense *make_dense(parser *p, const ir_type *t, const values *v) {
  bool splat = true;
  for (size_t i = 1; i < v->len && splat; i++) splat = v->data[i] == v->data[0];
  size_t n = splat ? 1 : v->len, bytes = tsr_elem_storage((tsr_elem)t->elem, n);
  unsigned char *data = arena_alloc_zero(&p->temp, bytes, 8);
  num_store_array(data, v->data, (tsr_elem)t->elem, 0, n);
  return ir_dense_create(p->m, t, splat, data, (uint32_t)bytes);
}

static bool check_elem(parser *p, tsr_elem e, uint32_t offset) {
  if (e != TSR_PTR && e != TSR_I4) return true;
  return fail_at(p, offset, p->lx.prev_end - offset,
                 "there are no constants of '%s'; expected one of i1, i8, i16, i32, i64, f16, "
                 "bf16, f32, tf32, f64, f8E4M3FN, f8E5M2, f8E8M0FNU, f4E2M1FN, f8E5M3FNU",
                 tsr_elem_name(e));
}

/* "0x0000803F…", the bytes of the elements as MLIR writes long constants: each element in whole
 * bytes, i1 also eight to a byte. One element fills the tile. */
static bool read_hex(parser *p, const ir_type *t, values *v) {
  str s = p->lx.tok.name;
  bool ok = s.len > 2 && s.len % 2 == 0 && s.data[0] == '0' && s.data[1] == 'x';
  for (size_t i = 2; i < s.len && ok; i++) ok = is_class(s.data[i], CH_HEX);
  if (!ok) return fail_tok(p, "expected the bytes of the elements, as in \"0x0000803F\"");
  size_t n = s.len / 2 - 1, each = (tsr_elem_bits((tsr_elem)t->elem) + 7) / 8;
  uint64_t count = t->count < 0 ? 0 : (uint64_t)t->count;
  bool packed = t->elem == TSR_I1 && n == (count + 7) / 8 && n != count;
  if (!packed && n != each && !(n / each == count && n % each == 0))
    return fail_tok(p, "%zu bytes are not the elements of '%s'", n, ir_type_text(&p->temp, t));
  uint64_t elements = packed ? count : n / each;
  for (uint64_t i = 0; i < elements; i++) {
    uint64_t pattern = 0;
    for (size_t k = 0; k < (packed ? 1 : each); k++) {
      const char *h = s.data + 2 + 2 * (packed ? i / 8 : i * each + k);
      char digits[3] = {h[0], h[1], 0};
      pattern |= (uint64_t)strtoul(digits, NULL, 16) << 8 * k;
    }
    if (packed) pattern = pattern >> i % 8 & 1;
    push_value(p, v, pattern & num_mask(tsr_elem_bits((tsr_elem)t->elem)));
  }
  next(p);
  return true;
}

/* : tile<…> */
static const ir_type *parse_constant_type(parser *p, uint32_t *offset) {
  if (!expect_punct(p, ':', "the value")) return NULL;
  *offset = p->lx.tok.offset;
  const ir_type *t = parse_type(p);
  if (!t || ir_is_tile(t)) return t;
  fail_at(p, *offset, p->lx.prev_end - *offset, "a constant is a tile, not '%s'",
          ir_type_text(&p->temp, t));
  return NULL;
}

/* After "dense<": the values are read when the type after them is known. */
static bool parse_old_dense(parser *p, const ir_dense **out) {
  mark start = mark_here(p);
  uint32_t offset;
  bool was_quiet = p->quiet;
  p->quiet = true;
  while (TOK(p) != '>' && TOK(p) != TOK_EOF && TOK(p) != '<' && TOK(p) != '{') next(p);
  p->quiet = was_quiet;
  if (!take_punct(p, '>')) {
    back_to(p, start);
    return fail_tok(p, "'dense<' has no matching '>'");
  }
  const ir_type *t = parse_constant_type(p, &offset);
  if (!t || !check_elem(p, (tsr_elem)t->elem, offset)) return false;
  mark end = mark_here(p);
  values v = {.leaf = -1};
  back_to(p, start);
  bool hex = TOK(p) == TOK_STRING;
  if (!(hex ? read_hex(p, t, &v) : read_lists(p, (tsr_elem)t->elem, &v)) ||
      !expect_punct(p, '>', "the value"))
    return false;
  back_to(p, end);
  if (!check_shape(p, &v, t, offset)) return false;
  *out = make_dense(p, t, &v);
  return true;
}

bool parse_dense(parser *p, const ir_dense **out) {
  bool old = take_word(p, "dense");
  if (!expect_punct(p, '<', old ? "'dense'" : NULL)) return false;
  if (old) return parse_old_dense(p, out);
  tsr_elem pointee;
  uint32_t offset = p->lx.tok.offset;
  values v = {.leaf = -1};
  tsr_elem e = parse_elem(p, &pointee);
  if (e == TSR_ELEM_COUNT || !check_elem(p, e, offset)) return false;
  if (!expect_punct(p, ':', "the element type") || !read_lists(p, e, &v) ||
      !expect_punct(p, '>', "the value"))
    return false;
  const ir_type *t = parse_constant_type(p, &offset);
  if (!t) return false;
  if (t->elem != e)
    return fail_at(p, offset, p->lx.prev_end - offset,
                   "the values are of type '%s', but the tile's elements are '%s'",
                   tsr_elem_name(e), tsr_elem_name((tsr_elem)t->elem));
  if (!check_shape(p, &v, t, offset)) return false;
  *out = make_dense(p, t, &v);
  return true;
}

/* [0.0 : f32, 1 : i32, true]: the type stands after each number. */
bool parse_scalars(parser *p, const ir_scalars **out) {
  VEC(struct ir_scalar_const) v = {0};
  if (!expect_punct(p, '[', NULL)) return false;
  while (!at_punct(p, ']')) {
    mark start = mark_here(p);
    uint32_t offset = p->lx.tok.offset;
    bool negative = take_punct(p, '-');
    tsr_elem e = TSR_I64, pointee;
    if (at_word(p, "true") || at_word(p, "false"))
      e = TSR_I1;
    else if (TOK(p) != TOK_INT && TOK(p) != TOK_FLOAT)
      return fail_expected(p, "a number");
    next(p);
    if (take_punct(p, ':')) {
      uint32_t at = p->lx.tok.offset;
      if ((e = parse_elem(p, &pointee)) == TSR_ELEM_COUNT) return false;
      if (e == TSR_PTR) return fail_at(p, at, 3, "expected a type of numbers");
    } else if (e != TSR_I1) {
      return fail_expected(p, "':' and the type of the number, as in '0.0 : f32'");
    }
    mark end = mark_here(p);
    uint64_t bits;
    back_to(p, start);
    if (negative) next(p);
    if (!literal_pattern(p, e, negative, offset, &bits)) return false;
    back_to(p, end);
    vec_push(&p->temp, v, (struct ir_scalar_const){(uint8_t)e, bits});
    if (!take_punct(p, ',')) break;
  }
  if (!expect_punct(p, ']', "the list")) return false;
  ir_scalars *s = arena_alloc(&p->m->arena, sizeof *s + v.len * sizeof *s->data, 8);
  s->len = v.len;
  if (v.len) memcpy(s->data, v.data, v.len * sizeof *s->data);
  *out = s;
  return true;
}
