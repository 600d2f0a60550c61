/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The reader's attributes. Where an operation fixes what an attribute is, only its value stands in
 * the file; in lists, in hints and for assume's predicate a tag stands before it.
 */
#include "bytecode/read.h"

static bool read_tag(reader *r, cursor *c, uint64_t *tag) {
  return read_varint(r, c, tag);
}

static bool fail_tag(reader *r, const cursor *start, uint64_t tag, const char *expected) {
  return read_fail(r, start, "attribute of kind %llu; expected %s", (unsigned long long)tag,
                   expected);
}

/* ---- numbers --------------------------------------------------------------------------------- */

static bool read_elem_type(reader *r, cursor *c, bool integer, tsr_elem *out) {
  cursor start = *c;
  const ir_type *t;
  if (!read_type(r, c, &t)) return false;
  *out = (tsr_elem)t->elem;
  if (t->kind == IR_NUMBER && tsr_elem_is_int(*out) == integer) return true;
  return read_fail(r, &start, "the type of this number is %s; expected %s type",
                   ir_type_text(&r->temp, t), integer ? "an integer" : "a floating-point");
}

static bool fail_wide(reader *r, const cursor *start, tsr_elem elem) {
  return read_fail(r, start, "this number does not fit the %u bits of %s", elem_codes[elem].bits,
                   tsr_elem_name(elem));
}

/* A type and a number of it. */
static bool read_integer(reader *r, cursor *c, tsr_elem *elem, uint64_t *bits) {
  if (!read_elem_type(r, c, true, elem)) return false;
  cursor start = *c;
  if (!read_varint(r, c, bits)) return false;
  unsigned width = elem_codes[*elem].bits;
  return width == 64 || !(*bits >> width) || fail_wide(r, &start, *elem);
}

/* The bits of a float are a signed number. For a negative f64, writers that compute with numbers of
 * any size don't fold its top bit to the bottom, but write one bit more than 64. */
static bool read_float_bits(reader *r, cursor *c, unsigned width, uint64_t *bits) {
  const uint8_t *last = c->p + 9;
  if (width == 64 && c->end - c->p >= 10 && (*last == 2 || *last == 3)) {
    uint64_t low = 0;
    unsigned n = 0;
    for (; n < 9 && c->p[n] & 0x80; n++) low |= (uint64_t)(c->p[n] & 0x7f) << (7 * n);
    if (n == 9) {
      c->p += 10;
      *bits = low >> 1 | (uint64_t)(*last) << 62;
      return true;
    }
  }
  int64_t v;
  if (!read_signed(r, c, &v)) return false;
  *bits = (uint64_t)v;
  return true;
}

static bool read_float(reader *r, cursor *c, tsr_elem *elem, uint64_t *bits) {
  if (!read_elem_type(r, c, false, elem)) return false;
  cursor start = *c;
  unsigned width = elem_codes[*elem].bits;
  if (width <= 8) {
    uint8_t byte;
    if (!read_byte(r, c, &byte)) return false;
    *bits = byte;
  } else if (!read_float_bits(r, c, width, bits)) {
    return false;
  }
  if (width < 64 && *bits >> width) return fail_wide(r, &start, *elem);
  *bits <<= elem_codes[*elem].shift;
  return true;
}

/* The identities of reduce and scan. */
static bool read_scalars(reader *r, cursor *c, const ir_scalars **out) {
  uint64_t n;
  VEC(struct ir_scalar_const) v = {0};
  if (!read_varint(r, c, &n)) return false;
  for (uint64_t i = 0; i < n; i++) {
    cursor start = *c;
    uint64_t tag, bits;
    tsr_elem elem = TSR_I1;
    if (!read_tag(r, c, &tag)) return false;
    if (tag == ATTRIBUTE_INTEGER) {
      if (!read_integer(r, c, &elem, &bits)) return false;
    } else if (tag == ATTRIBUTE_FLOAT) {
      if (!read_float(r, c, &elem, &bits)) return false;
    } else if (tag == ATTRIBUTE_BOOL) {
      uint8_t byte;
      if (!read_byte(r, c, &byte)) return false;
      bits = byte != 0;
    } else {
      return fail_tag(r, &start, tag, "a number");
    }
    vec_push(&r->temp, v, (struct ir_scalar_const){(uint8_t)elem, bits});
  }
  ir_scalars *s = arena_alloc(&r->m->arena, sizeof *s + v.len * sizeof *s->data, 8);
  s->len = v.len;
  if (v.len) memcpy(s->data, v.data, v.len * sizeof *s->data);
  *out = s;
  return true;
}

static bool read_ints(reader *r, cursor *c, unsigned width, uint32_t max, const ir_ints **out) {
  int64_t *list;
  uint32_t n;
  if (!read_int_list(r, c, width, max, "this list", &list, &n)) return false;
  ir_ints *v = arena_alloc(&r->m->arena, sizeof *v + n * sizeof *v->data, 8);
  v->len = n;
  if (n) memcpy(v->data, list, n * sizeof *list);
  *out = v;
  return true;
}

/* ---- predicates ------------------------------------------------------------------------------ */

static bool read_div_by(reader *r, cursor *c, ir_predicate *p) {
  uint8_t flags;
  if (!read_varint(r, c, &p->divisor)) return false;
  cursor start = *c;
  if (!read_byte(r, c, &flags)) return false;
  if (flags != 0 && flags != 3)
    return read_fail(r, &start, "div_by has flags 0x%x; 'every' and 'along' must be used together",
                     flags);
  p->has_every = flags != 0;
  return !p->has_every || (read_signed(r, c, &p->every) && read_signed(r, c, &p->along));
}

static bool read_bounded(reader *r, cursor *c, ir_predicate *p) {
  uint8_t flags;
  cursor start = *c;
  if (!read_byte(r, c, &flags)) return false;
  if (flags > 3) return read_fail(r, &start, "the flags 0x%x of bounded are unknown", flags);
  p->has_lower = flags & 1;
  p->has_upper = flags >> 1 & 1;
  return (!p->has_lower || read_signed(r, c, &p->lower)) &&
         (!p->has_upper || read_signed(r, c, &p->upper));
}

static bool read_predicate(reader *r, cursor *c, const ir_predicate **out) {
  cursor start = *c;
  uint64_t tag;
  if (!read_tag(r, c, &tag)) return false;
  ir_predicate *p = arena_new(&r->m->arena, ir_predicate);
  *out = p;
  switch (tag) {
  case ATTRIBUTE_DIV_BY: p->kind = IR_DIV_BY; return read_div_by(r, c, p);
  case ATTRIBUTE_BOUNDED: p->kind = IR_BOUNDED; return read_bounded(r, c, p);
  case ATTRIBUTE_SAME_ELEMENTS:
    p->kind = IR_SAME_ELEMENTS;
    return read_ints(r, c, 8, IR_MAX_RANK, &p->values);
  default: return fail_tag(r, &start, tag, "a predicate (8 div_by, 9 same_elements, 12 bounded)");
  }
}

/* ---- hints ----------------------------------------------------------------------------------- */

typedef VEC(ir_hint) hint_list;

static bool read_hint_value(reader *r, cursor *c, ir_hint *h) {
  cursor start = *c;
  uint64_t tag, bits;
  tsr_elem elem;
  if (!read_tag(r, c, &tag)) return false;
  if (tag == ATTRIBUTE_BOOL) {
    uint8_t byte;
    h->is_bool = true;
    if (!read_byte(r, c, &byte)) return false;
    h->value = byte != 0;
    return true;
  }
  if (tag != ATTRIBUTE_INTEGER) return fail_tag(r, &start, tag, "an integer (1) or a bool (3)");
  if (!read_integer(r, c, &elem, &bits)) return false;
  unsigned unused = 64 - elem_codes[elem].bits;
  h->is_bool = elem == TSR_I1;
  h->value = h->is_bool ? (int64_t)bits : (int64_t)(bits << unused) >> unused;
  return true;
}

/* The hints for one target, given as a dictionary. */
static bool read_target(reader *r, cursor *c, str target, hint_list *v) {
  cursor start = *c;
  uint64_t tag, n;
  if (!read_tag(r, c, &tag)) return false;
  if (tag != ATTRIBUTE_DICTIONARY) return fail_tag(r, &start, tag, "a dictionary (10)");
  if (!read_varint(r, c, &n)) return false;
  for (uint64_t i = 0; i < n; i++) {
    ir_hint h = {.target = target};
    if (!read_name(r, c, &h.key) || !read_hint_value(r, c, &h)) return false;
    if (v->len == MAX_HINTS)
      return read_fail(r, c, "at most %d hints are accepted for one operation", MAX_HINTS);
    vec_push(&r->temp, *v, h);
  }
  return true;
}

static bool fail_twice(reader *r, const cursor *start, const ir_hint *h) {
  return read_fail(r, start, "the hint '" STR_FMT "' for '" STR_FMT "' is given twice",
                   STR_ARG(h->key), STR_ARG(h->target));
}

static bool read_hints(reader *r, cursor *c, ir_attr *out) {
  cursor start = *c;
  uint64_t n;
  hint_list v = {0};
  if (!read_varint(r, c, &n)) return false;
  for (uint64_t i = 0; i < n; i++) {
    str target;
    if (!read_name(r, c, &target) || !read_target(r, c, target, &v)) return false;
  }
  ir_hints *hints = arena_alloc(&r->m->arena, sizeof *hints + v.len * sizeof(ir_hint), 8);
  hints->len = v.len;
  if (v.len) memcpy(hints->data, v.data, v.len * sizeof(ir_hint));
  ir_sort_hints(hints);
  for (uint32_t i = 1; i < v.len; i++)
    if (str_eq(hints->data[i].target, hints->data[i - 1].target) &&
        str_eq(hints->data[i].key, hints->data[i - 1].key))
      return fail_twice(r, &start, &hints->data[i]);
  out->hints = hints;
  return true;
}

bool read_tagged_hints(reader *r, cursor *c, ir_attr *out) {
  cursor start = *c;
  uint64_t tag;
  if (!read_tag(r, c, &tag)) return false;
  if (tag != ATTRIBUTE_HINTS) return fail_tag(r, &start, tag, "optimization hints (11)");
  return read_hints(r, c, out);
}

/* ---- all kinds ------------------------------------------------------------------------------- */

static bool read_enum(reader *r, cursor *c, const op_attr *a, int64_t *out) {
  cursor start = *c;
  uint64_t v;
  unsigned count;
  enum_rows((attr_kind)a->kind, &count);
  if (!read_varint(r, c, &v)) return false;
  if (a->kind == AK_ROUNDING && r->version < V13_4) count = ROUND_NEAREST_AWAY;
  if (v >= count)
    return read_fail(r, &start, "attribute '%s' has no value %llu; the largest %s is %u",
                     attr_name((attr_id)a->id), (unsigned long long)v,
                     enum_title((attr_kind)a->kind), count - 1);
  *out = (int64_t)v;
  return true;
}

static bool read_bools(reader *r, cursor *c, const op_attr *a, const ir_ints **out) {
  cursor start = *c;
  if (!read_ints(r, c, 1, IR_MAX_RANK, out)) return false;
  for (uint32_t i = 0; i < (*out)->len; i++)
    if ((*out)->data[i] & ~1)
      return read_fail(r, &start, "entry %u of '%s' is %lld; expected 0 or 1", i,
                       attr_name((attr_id)a->id), (long long)(*out)->data[i]);
  return true;
}

static bool read_int(reader *r, cursor *c, const op_attr *a, int64_t *out) {
  cursor start = *c;
  uint64_t v;
  if (!read_varint(r, c, &v)) return false;
  if (a->bits == 32 && v > UINT32_MAX)
    return read_fail(r, &start, "attribute '%s' does not fit 32 bits", attr_name((attr_id)a->id));
  *out = a->bits == 32 ? (int32_t)(uint32_t)v : (int64_t)v;
  return true;
}

bool read_attribute(reader *r, cursor *c, const op_attr *a, const ir_type *result, ir_attr *out) {
  cursor start = *c;
  uint8_t byte;
  uint32_t index;
  switch ((attr_kind)a->kind) {
  case AK_INT: return read_int(r, c, a, &out->i);
  case AK_BOOL:
    if (!read_byte(r, c, &byte)) return false;
    out->i = byte != 0;
    return true;
  case AK_UNIT: out->i = 1; return true; /* its flag says it all */
  case AK_STRING: return read_string(r, c, &out->s);
  case AK_SYMBOL: return read_name(r, c, &out->s);
  case AK_INTS: return read_ints(r, c, 4, IR_MAX_RANK, &out->ints);
  case AK_BOOLS: return read_bools(r, c, a, &out->ints);
  case AK_DENSE:
    return read_index(r, c, r->constants.n, "constant", &index) &&
           constant_at(r, &start, index, result, &out->dense);
  case AK_SCALARS: return read_scalars(r, c, &out->scalars);
  case AK_PREDICATE: return read_predicate(r, c, &out->predicate);
  case AK_HINTS: return read_hints(r, c, out);
  case AK_TYPE: return read_type(r, c, &out->type);
  case AK_DICTS:
    return read_fail(r, c, "attribute '%s' is not read here", attr_name((attr_id)a->id));
  default: return read_enum(r, c, a, &out->i);
  }
}
