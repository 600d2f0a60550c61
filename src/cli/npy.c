/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The header is a Python literal; this reads the part of the language that NumPy writes.
 */
#include <ctype.h>
#include <stdio.h>

#include "cli/npy.h"

static const char magic[] = "\x93NUMPY";
enum { MAGIC = 6, PREFIX_1 = 10, PREFIX_2 = 12 };

/* Bytes before the header's text, and the text's length. */
static bool read_prefix(const unsigned char *p, size_t len, size_t *prefix, size_t *text) {
  if (len < PREFIX_1 || memcmp(p, magic, MAGIC) != 0) return false;
  *prefix = p[MAGIC] == 1 ? PREFIX_1 : PREFIX_2;
  if (len < *prefix) return false;
  *text = (size_t)p[8] | (size_t)p[9] << 8;
  if (p[MAGIC] != 1) *text |= (size_t)p[10] << 16 | (size_t)p[11] << 24;
  return true;
}

size_t npy_header_length(const void *first, size_t len) {
  if (len < PREFIX_2) return PREFIX_2;
  size_t prefix, text;
  if (!read_prefix(first, len, &prefix, &text)) return 0;
  return prefix + MIN(text, (size_t)NPY_MAX_HEADER);
}

/* ---- the dictionary ------------------------------------------------------------------------- */

typedef struct cursor {
  arena *arena;
  const char *p, *end;
  const char *problem; /* the first one */
} cursor;

static bool fail(cursor *c, const char *problem) {
  if (!c->problem) c->problem = problem;
  return false;
}

static void skip_space(cursor *c) {
  while (c->p < c->end && isspace((unsigned char)*c->p)) c->p++;
}

static bool take(cursor *c, char what) {
  skip_space(c);
  if (c->p == c->end || *c->p != what) return false;
  c->p++;
  return true;
}

static bool expect(cursor *c, char what) {
  return take(c, what) ||
         fail(c, arena_printf(c->arena, "has a damaged header: '%c' is missing", what));
}

static bool take_word(cursor *c, const char *word) {
  skip_space(c);
  size_t n = strlen(word);
  if ((size_t)(c->end - c->p) < n || memcmp(c->p, word, n) != 0) return false;
  c->p += n;
  return true;
}

static bool parse_string(cursor *c, str *out) {
  skip_space(c);
  char quote = c->p < c->end ? *c->p : 0;
  if (quote != '\'' && quote != '"') return fail(c, "has a damaged header: a string is missing");
  const char *start = ++c->p;
  const char *stop = memchr(start, quote, (size_t)(c->end - start));
  if (!stop) return fail(c, "has a damaged header: a string doesn't end");
  *out = (str){start, (size_t)(stop - start)};
  c->p = stop + 1;
  return true;
}

/* '<f4', '|u1', '=i8': byte order, kind, size. */
static bool parse_descr(cursor *c, npy_header *h) {
  skip_space(c);
  if (c->p < c->end && *c->p == '[')
    return fail(c, "has a structured element type; use a plain one");
  str text;
  if (!parse_string(c, &text)) return false;
  const char *p = text.data, *end = p + text.len;
  char order = '|';
  if (p < end && strchr("<>=|", *p)) order = *p++;
  char kind = p < end ? *p++ : 0;
  uint64_t size = 0;
  const char *digits = p;
  while (p < end && isdigit((unsigned char)*p) && size < 1000)
    size = 10 * size + (uint64_t)(*p++ - '0');
  if (kind == 'O') return fail(c, "holds Python objects, which kernels can't use");
  bool known = kind && strchr("fiubV", kind) && p == end && p > digits && size > 0 && size <= 16;
  if (!known)
    return fail(c,
                arena_printf(c->arena, "has elements of type '" STR_FMT "', which no kernel takes",
                             STR_ARG(text)));
  if (order == '>' && size > 1)
    return fail(c, arena_printf(c->arena,
                                "is big-endian ('" STR_FMT "'); convert it with "
                                "a.astype(a.dtype.newbyteorder('<'))",
                                STR_ARG(text)));
  h->kind = kind;
  h->item = (uint32_t)size;
  return true;
}

static bool parse_order(cursor *c) {
  if (take_word(c, "False")) return true;
  if (take_word(c, "True"))
    return fail(c, "is in Fortran order; save numpy.ascontiguousarray(a) instead");
  return fail(c, "has a damaged header: 'fortran_order' is neither True nor False");
}

static bool parse_dimension(cursor *c, npy_header *h) {
  skip_space(c);
  if (c->p == c->end || !isdigit((unsigned char)*c->p))
    return fail(c, "has a damaged header: 'shape' isn't a tuple of whole numbers");
  int64_t n = 0;
  for (; c->p < c->end && isdigit((unsigned char)*c->p); c->p++)
    if (__builtin_mul_overflow(n, 10, &n) || __builtin_add_overflow(n, *c->p - '0', &n))
      return fail(c, "has a dimension that is too large");
  take(c, 'L'); /* Python 2 wrote it */
  if (h->rank == NPY_MAX_RANK) return fail(c, "has more than 64 dimensions");
  h->shape[h->rank++] = n;
  return true;
}

static bool parse_shape(cursor *c, npy_header *h) {
  h->rank = 0;
  if (!expect(c, '(')) return false;
  while (!take(c, ')')) {
    if (!parse_dimension(c, h)) return false;
    if (take(c, ',')) continue;
    if (!expect(c, ')')) return false;
    if (h->rank == 1) return fail(c, "has a damaged header: (n) is no tuple, (n,) is");
    return true;
  }
  return true;
}

static bool parse_dictionary(cursor *c, npy_header *h) {
  bool descr = false, order = false, shape = false;
  if (!expect(c, '{')) return false;
  while (!take(c, '}')) {
    str key;
    if (!parse_string(c, &key) || !expect(c, ':')) return false;
    bool *seen = str_is(key, "descr")           ? &descr
                 : str_is(key, "fortran_order") ? &order
                 : str_is(key, "shape")         ? &shape
                                                : NULL;
    if (!seen || *seen)
      return fail(c, arena_printf(c->arena, "has a damaged header: '" STR_FMT "' %s", STR_ARG(key),
                                  seen ? "stands twice" : "is no key of it"));
    *seen = true;
    bool ok = seen == &descr   ? parse_descr(c, h)
              : seen == &order ? parse_order(c)
                               : parse_shape(c, h);
    if (!ok) return false;
    if (!take(c, ',')) {
      if (!expect(c, '}')) return false;
      break;
    }
  }
  skip_space(c);
  if (c->p != c->end) return fail(c, "has a damaged header: there is something behind it");
  if (!descr || !order || !shape)
    return fail(c, arena_printf(c->arena, "has a damaged header: '%s' is missing",
                                !descr   ? "descr"
                                : !order ? "fortran_order"
                                         : "shape"));
  return true;
}

/* The number of elements and bytes, and whether the file holds just that many. */
static const char *check_size(arena *a, uint64_t file_size, npy_header *h) {
  h->count = 1;
  for (uint32_t i = 0; i < h->rank; i++)
    if (h->shape[i] == 0) h->count = 0; /* the other dimensions no longer matter */
  for (uint32_t i = 0; i < h->rank && h->count; i++)
    if (__builtin_mul_overflow(h->count, (uint64_t)h->shape[i], &h->count))
      return "has a shape that is too large";
  if (__builtin_mul_overflow(h->count, h->item, &h->bytes) || h->bytes > INT64_MAX)
    return "has a shape that is too large";
  uint64_t there = file_size - h->offset;
  if (there < h->bytes)
    return arena_printf(a, "is truncated: its shape needs %llu bytes of data, it has %llu",
                        (unsigned long long)h->bytes, (unsigned long long)there);
  if (there > h->bytes)
    return arena_printf(a, "has %llu bytes behind its data; it should end there",
                        (unsigned long long)(there - h->bytes));
  return NULL;
}

const char *npy_parse(arena *a, const void *first, size_t len, uint64_t file_size,
                      npy_header *out) {
  const unsigned char *p = first;
  *out = (npy_header){0};
  if (len < MAGIC || memcmp(p, magic, MAGIC) != 0)
    return "is no NumPy file: it doesn't begin with \\x93NUMPY";
  size_t prefix, text;
  if (!read_prefix(p, len, &prefix, &text)) return "is truncated: it ends within the header";
  if (p[6] < 1 || p[6] > 3)
    return arena_printf(a, "has version %u.%u of the format; 1, 2 and 3 are known", p[6], p[7]);
  if (text > NPY_MAX_HEADER)
    return arena_printf(a, "has a header of %zu bytes; at most %d are accepted", text,
                        NPY_MAX_HEADER);
  if (len < prefix + text || file_size < prefix + text)
    return "is truncated: it ends within the header";
  out->offset = prefix + text;
  cursor c = {a, (const char *)p + prefix, (const char *)p + prefix + text, NULL};
  if (!parse_dictionary(&c, out)) return c.problem;
  return check_size(a, file_size, out);
}

/* ---- element types -------------------------------------------------------------------------- */

const char *npy_descr(arena *a, char kind, unsigned item) {
  return arena_printf(a, "'%c%c%u'", item > 1 ? '<' : '|', kind, item);
}

void npy_type_of(tsr_elem elem, char *kind, unsigned *item) {
  unsigned bits = tsr_elem_bits(elem);
  *item = bits < 8 ? 1 : bits / 8;
  switch (elem) {
  case TSR_I1: *kind = 'b'; return;
  case TSR_I8:
  case TSR_I16:
  case TSR_I32:
  case TSR_I64: *kind = 'i'; return;
  case TSR_F16:
  case TSR_F32:
  case TSR_F64: *kind = 'f'; return;
  default: *kind = 'u'; return;
  }
}

bool npy_fits(char kind, unsigned item, tsr_elem elem) {
  char native;
  unsigned size;
  npy_type_of(elem, &native, &size);
  if (item != size) return false;
  if (kind == native) return true;
  switch (elem) {
  case TSR_I8:
  case TSR_I16:
  case TSR_I32:
  case TSR_I64: return kind == 'u';
  case TSR_I2:
  case TSR_I3:
  case TSR_I4:
  case TSR_I5:
  case TSR_I6:
  case TSR_I7: return kind == 'i';
  case TSR_TF32:
    return kind == 'f'; /* f32's low bits are its padding */
  /* Packages that add these types to NumPy write them as raw bytes. */
  case TSR_BF16:
  case TSR_F8E4M3FN:
  case TSR_F8E5M2:
  case TSR_F8E8M0FNU:
  case TSR_F8E5M3FNU:
  case TSR_F8E4M3FNUZ:
  case TSR_F8E5M2FNUZ: return kind == 'V';
  default: return false;
  }
}

const char *npy_fitting(arena *a, tsr_elem elem) {
  char kind;
  unsigned item;
  npy_type_of(elem, &kind, &item);
  sbuf out = SBUF(a);
  sbuf_puts(&out, npy_descr(a, kind, item));
  for (const char *k = "uif"; *k; k++)
    if (*k != kind && npy_fits(*k, item, elem)) sbuf_printf(&out, " or %s", npy_descr(a, *k, item));
  return out.data;
}

/* ---- writing -------------------------------------------------------------------------------- */

size_t npy_put_header(char *data_start, const npy_header *h) {
  char text[NPY_ROOM];
  size_t size = sizeof text;
  size_t n = (size_t)snprintf(text, size, "{'descr': '%c%c%u', 'fortran_order': False, 'shape': (",
                              h->item > 1 && h->kind != 'V' ? '<' : '|', h->kind, h->item);
  for (uint32_t i = 0; i < h->rank; i++)
    n += (size_t)snprintf(text + n, size - n, "%s%lld", i ? ", " : "", (long long)h->shape[i]);
  n += (size_t)snprintf(text + n, size - n, "%s), }", h->rank == 1 ? "," : "");
  size_t total = (PREFIX_1 + n + 1 + 63) & ~(size_t)63;
  char *out = data_start - total;
  size_t padded = total - PREFIX_1;
  memset(out, ' ', total);
  memcpy(out, magic, MAGIC);
  out[6] = 1;
  out[7] = 0;
  out[8] = (char)(padded & 255);
  out[9] = (char)(padded >> 8);
  memcpy(out + PREFIX_1, text, n);
  out[total - 1] = '\n';
  return total;
}
