/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The reader's constants. The section holds bytes; the type comes from whoever refers to them, and
 * many may. So what a constant's bytes become for one size of element is kept: a large constant
 * that is used a million times is there once.
 *
 * An element takes whole bytes: one for i1 and the 4-bit types, three for tf32. A single element
 * fills the tile. There are two ways in which writers spell i1:
 *
 *   a byte of 0 or 1 each                           what the reference writes today
 *   a bit each, lowest first; one byte FF: all true   what it wrote once, and what others still do
 *
 * The length tells them apart, but for one byte in a tile of 2, 4 or 8: there 0, 1 and FF mean the
 * whole tile, anything else is bits.
 */
#include "bytecode/read.h"

typedef enum form_kind { FORM_PLAIN, FORM_BOOL, FORM_BITS, FORM_NIBBLES, FORM_TF32 } form_kind;

typedef struct payload {
  const uint8_t *data;
  uint64_t size;
} payload;

/* ---- elements -------------------------------------------------------------------------------- */

static bool is_splat(const uint8_t *data, size_t size, unsigned width) {
  /* Equal to itself one element further on. */
  return size > width && memcmp(data, data + width, size - width) == 0;
}

static void keep(reader *r, constant_form *f, const void *data, size_t size, bool splat) {
  f->splat = splat;
  f->size = (uint32_t)size;
  f->data = memcpy(arena_alloc(&r->m->arena, size ? size : 1, 8), data, size);
}

/* Elements of `width` bytes: all of them, or the first when it fills the tile. */
static void keep_elements(reader *r, constant_form *f, const uint8_t *data, size_t size,
                          unsigned width) {
  bool splat = size == width || is_splat(data, size, width);
  keep(r, f, data, splat ? width : size, splat);
}

static void make_bools(reader *r, constant_form *f, payload p) {
  uint8_t *out = arena_alloc(&r->temp, p.size, 1);
  for (uint64_t i = 0; i < p.size; i++) out[i] = p.data[i] != 0;
  keep_elements(r, f, out, p.size, 1);
}

static void make_bits(reader *r, constant_form *f, payload p, uint64_t count) {
  uint8_t *out = arena_alloc(&r->temp, count, 1);
  for (uint64_t i = 0; i < count; i++) out[i] = p.data[i / 8] >> (i % 8) & 1;
  keep_elements(r, f, out, count, 1);
}

/* Two elements to a byte; a splat is one element in the low half. */
static bool make_nibbles(reader *r, const cursor *c, constant_form *f, payload p) {
  for (uint64_t i = 0; i < p.size; i++)
    if (p.data[i] > 15)
      return read_fail(r, c, "element %llu of this constant is 0x%x, which does not fit 4 bits",
                       (unsigned long long)i, p.data[i]);
  if (p.size == 1 || is_splat(p.data, p.size, 1)) {
    keep(r, f, p.data, 1, true);
    return true;
  }
  size_t size = (p.size + 1) / 2;
  uint8_t *out = arena_alloc_zero(&r->temp, size, 1);
  for (uint64_t i = 0; i < p.size; i++) out[i / 2] |= (uint8_t)(p.data[i] << (i % 2 ? 4 : 0));
  keep(r, f, out, size, false);
  return true;
}

static bool make_tf32(reader *r, const cursor *c, constant_form *f, payload p) {
  uint64_t n = p.size / 3;
  uint32_t *out = arena_array(&r->temp, uint32_t, n);
  for (uint64_t i = 0; i < n; i++) {
    uint32_t v = 0;
    memcpy(&v, p.data + 3 * i, 3);
    if (v >> 19)
      return read_fail(r, c, "element %llu of this constant does not fit the 19 bits of a tf32",
                       (unsigned long long)i);
    out[i] = v << 13;
  }
  keep_elements(r, f, (const uint8_t *)out, n * 4, 4);
  return true;
}

/* ---- forms ----------------------------------------------------------------------------------- */

static bool is_bits(const ir_type *t, payload p) {
  uint64_t n = (uint64_t)t->count;
  if (t->elem != TSR_I1 || p.size != (n + 7) / 8 || n == 1) return false;
  return p.size > 1 || !(p.data[0] == 0 || p.data[0] == 1 || p.data[0] == 0xff);
}

static form_kind kind_of(const ir_type *t, payload p) {
  switch (t->elem) {
  case TSR_I1: return is_bits(t, p) ? FORM_BITS : FORM_BOOL;
  case TSR_I4:
  case TSR_F4E2M1FN: return FORM_NIBBLES;
  case TSR_TF32: return FORM_TF32;
  default: return FORM_PLAIN;
  }
}

static bool make_form(reader *r, const cursor *c, constant_form *f, form_kind kind, unsigned width,
                      payload p, uint64_t count) {
  switch (kind) {
  case FORM_PLAIN: keep_elements(r, f, p.data, p.size, width); return true;
  case FORM_BOOL: make_bools(r, f, p); return true;
  case FORM_BITS: make_bits(r, f, p, count); return true;
  case FORM_NIBBLES: return make_nibbles(r, c, f, p);
  case FORM_TF32: return make_tf32(r, c, f, p);
  }
  return false;
}

/* The elements' bytes, after their length. */
static bool read_payload(reader *r, uint32_t index, payload *out) {
  cursor c;
  if (!offset_table_item(r, &r->constants, index, "constant", &c)) return false;
  cursor start = c;
  if (!read_varint(r, &c, &out->size)) return false;
  if (out->size > (uint64_t)(c.end - c.p))
    return read_fail(r, &start, "constant %u has %llu bytes, but %zu are there", index,
                     (unsigned long long)out->size, (size_t)(c.end - c.p));
  out->data = c.p;
  return true;
}

static bool check_size(reader *r, const cursor *c, uint32_t index, const ir_type *t, payload p) {
  uint64_t width = elem_codes[t->elem].bytes, count = (uint64_t)t->count;
  if (p.size == width || p.size == width * count || is_bits(t, p)) return true;
  return read_fail(r, c,
                   "constant %u has %llu bytes; a value of type %s has %llu, or %llu when all "
                   "its elements are equal",
                   index, (unsigned long long)p.size, ir_type_text(&r->temp, t),
                   (unsigned long long)(width * count), (unsigned long long)width);
}

bool constant_at(reader *r, const cursor *c, uint32_t index, const ir_type *t,
                 const ir_dense **out) {
  payload p;
  if (t->kind != IR_TILE || t->elem == TSR_PTR)
    return read_fail(r, c, "a constant is a tile of numbers, not %s", ir_type_text(&r->temp, t));
  if (!read_payload(r, index, &p) || !check_size(r, c, index, t, p)) return false;
  form_kind kind = kind_of(t, p);
  unsigned width = elem_codes[t->elem].bytes;
  /* Bits in a single byte mean something else in a tile of 2, of 4 and of 8. */
  uint32_t key = (uint32_t)kind << 16 | width << 8 |
                 (kind == FORM_BITS && p.size == 1 ? (uint32_t)t->count : 0);
  constant_form *f = r->forms[index];
  while (f && f->key != key) f = f->next;
  if (!f) {
    f = arena_new(&r->temp, constant_form);
    f->key = key;
    if (!make_form(r, c, f, kind, width, p, (uint64_t)t->count)) return false;
    f->next = r->forms[index];
    r->forms[index] = f;
  }
  ir_dense *d = arena_new(&r->m->arena, ir_dense);
  *d = (ir_dense){.type = t, .splat = f->splat, .size = f->size, .data = f->data};
  *out = d;
  return true;
}
