/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Printing arrays as NumPy does with its default options: at most 1000 elements, else three at
 * each end of a dimension; at most 8 digits after the point, no more than tell the number from
 * its neighbours; lines of 75 characters.
 */
#include <math.h>
#include <stdlib.h>

#include "cli/array.h"
#include "num/num.h"

enum { THRESHOLD = 1000, EDGE = 3, LINE_WIDTH = 75, PRECISION = 8, MAX_VISIBLE = 100000 };

/* The digits of a finite number other than zero, as few as tell it apart: 0.d1 d2 ... * 10^exponent
 * is |value|. */
typedef struct digits {
  char text[20];
  int count, exponent;
} digits;

typedef struct shower {
  const array *a;
  FILE *out;
  uint32_t rank;
  const int64_t *shape;
  bool summary; /* leave out the middle */
  bool is_float, is_unsigned, scientific;
  int left, right; /* width before and after the point; integers: left alone */
  int exponent;    /* digits of it */
  uint64_t strides[NPY_MAX_RANK];
  int column;  /* of the line under way, `pending` included */
  int pending; /* spaces that are written only when something follows on the line */
} shower;

/* ---- one number ----------------------------------------------------------------------------- */

static digits shortest(tsr_elem elem, double value) {
  const num_format *f = num_format_of(elem);
  uint64_t pattern = num_encode(f, value, NUM_NEAREST_EVEN);
  char text[40];
  digits d = {0};
  for (int n = 1; n <= 17; n++) {
    snprintf(text, sizeof text, "%.*e", n - 1, fabs(value));
    double back = copysign(strtod(text, NULL), value);
    if (n == 17 || num_encode(f, back, NUM_NEAREST_EVEN) == pattern) break;
  }
  char *e = strchr(text, 'e');
  d.exponent = atoi(e + 1) + 1;
  for (char *p = text; p < e; p++)
    if (*p != '.') d.text[d.count++] = *p;
  while (d.count > 1 && d.text[d.count - 1] == '0') d.count--;
  return d;
}

/* "-12.25", "3.", "0.001". */
static void positional(char *out, size_t size, tsr_elem elem, double value) {
  digits d = {.count = 0, .exponent = 1};
  if (value != 0) d = shortest(elem, value);
  if (d.count - d.exponent > PRECISION) {
    size_t n = (size_t)snprintf(out, size, "%.*f", PRECISION, value);
    while (n > 0 && out[n - 1] == '0') out[--n] = 0;
    return;
  }
  size_t n = 0;
  if (signbit(value)) out[n++] = '-';
  if (d.exponent <= 0) out[n++] = '0';
  for (int i = 0; i < d.exponent && n + 2 < size; i++) out[n++] = i < d.count ? d.text[i] : '0';
  out[n++] = '.';
  for (int i = d.exponent; i < 0 && n + 2 < size; i++) out[n++] = '0';
  for (int i = MAX(d.exponent, 0); i < d.count && n + 2 < size; i++) out[n++] = d.text[i];
  out[n] = 0;
}

/* "-1.25e-05" with `places` digits after the point and at least `exponent` digits of exponent.
 * Digits that no element needs are the value's own, not zeros. */
static void scientific(char *out, size_t size, double value, int places, int exponent) {
  char text[64];
  snprintf(text, sizeof text, "%#.*e", places, value);
  char *e = strchr(text, 'e');
  int given = (int)strlen(e) - 2;
  snprintf(out, size, "%.*s%.2s%s%s", (int)(e - text), text, e, given < exponent ? "0" : "", e + 2);
}

/* How many digits after the point tell the number from its neighbours, up to PRECISION. */
static int scientific_places(tsr_elem elem, double value) {
  if (value == 0) return 0;
  return MIN(shortest(elem, value).count - 1, (int)PRECISION);
}

static double float_at(const shower *s, uint64_t index) {
  double value;
  num_decode_array(&value, s->a->data, s->a->elem, index, 1);
  return value;
}

static void int_text(const shower *s, uint64_t index, char *out, size_t size) {
  uint64_t pattern;
  num_load_array(&pattern, s->a->data, s->a->elem, index, 1);
  unsigned width = tsr_elem_bits(s->a->elem);
  if (s->a->elem == TSR_I1)
    snprintf(out, size, "%s", pattern ? "True" : "False");
  else if (s->is_unsigned)
    snprintf(out, size, "%llu", (unsigned long long)pattern);
  else
    snprintf(out, size, "%lld", (long long)num_sext(pattern, width));
}

/* The text of an element, padded so that all line up. */
static void element_text(const shower *s, uint64_t index, char *out, size_t size) {
  char text[400];
  if (!s->is_float) {
    int_text(s, index, text, sizeof text);
    snprintf(out, size, "%*s", s->left, text);
    return;
  }
  double value = float_at(s, index);
  int width = s->left + 1 + s->right + (s->scientific ? 2 + s->exponent : 0);
  if (!isfinite(value)) {
    snprintf(out, size, "%*s", width, isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
    return;
  }
  if (s->scientific) {
    scientific(text, sizeof text, value, s->right, s->exponent);
    snprintf(out, size, "%*s", width, text);
    return;
  }
  positional(text, sizeof text, s->a->elem, value);
  int before = (int)(strchr(text, '.') - text), len = (int)strlen(text);
  snprintf(out, size, "%*s%s%*s", s->left - before, "", text, s->right - (len - before - 1), "");
}

/* ---- walking -------------------------------------------------------------------------------- */

typedef void (*visit_fn)(shower *s, uint64_t index, void *user);

static bool is_cut(const shower *s, int64_t size) {
  return s->summary && size > 2 * EDGE;
}

/* Every element that will be shown. */
static void visit(shower *s, uint32_t dim, uint64_t index, visit_fn fn, void *user) {
  if (dim == s->rank) {
    fn(s, index, user);
    return;
  }
  int64_t size = s->shape[dim];
  for (int64_t i = 0; i < size; i++) {
    if (is_cut(s, size) && i == EDGE) i = size - EDGE;
    visit(s, dim + 1, index + (uint64_t)i * s->strides[dim], fn, user);
  }
}

/* What decides between 12.5 and 1.25e+01. */
typedef struct extent {
  double largest, smallest; /* magnitudes of finite numbers other than zero */
  bool any, special, negative_infinity;
} extent;

static void measure_extent(shower *s, uint64_t index, void *user) {
  extent *e = user;
  double value = float_at(s, index), size = fabs(value);
  if (!isfinite(value)) {
    e->special = true;
    e->negative_infinity |= value < 0;
  } else if (value != 0) {
    e->largest = e->any ? fmax(e->largest, size) : size;
    e->smallest = e->any ? fmin(e->smallest, size) : size;
    e->any = true;
  }
}

static void measure_float(shower *s, uint64_t index, void *user) {
  (void)user;
  double value = float_at(s, index);
  if (!isfinite(value)) return;
  char text[400];
  if (s->scientific)
    scientific(text, sizeof text, value, scientific_places(s->a->elem, value), 2);
  else
    positional(text, sizeof text, s->a->elem, value);
  char *point = strchr(text, '.'), *e = strchr(text, 'e');
  int right = (int)((e ? e : text + strlen(text)) - point - 1);
  s->left = MAX(s->left, (int)(point - text));
  s->right = MAX(s->right, right);
  if (e) s->exponent = MAX(s->exponent, (int)strlen(e) - 2);
}

static void measure_int(shower *s, uint64_t index, void *user) {
  (void)user;
  char text[32];
  int_text(s, index, text, sizeof text);
  s->left = MAX(s->left, (int)strlen(text));
}

static void measure(shower *s) {
  if (!s->is_float) {
    if (s->a->elem == TSR_I1 && s->rank > 0) s->left = 5;
    visit(s, 0, 0, measure_int, NULL);
    return;
  }
  extent e = {0};
  visit(s, 0, 0, measure_extent, &e);
  s->scientific = e.any && (e.largest >= 1e8 || e.smallest < 1e-4 || e.largest / e.smallest > 1000);
  visit(s, 0, 0, measure_float, NULL);
  if (!e.special) return;
  int width = e.negative_infinity ? 4 : 3;
  s->left = MAX(s->left, width - s->right - 1 - (s->scientific ? 2 + s->exponent : 0));
}

/* ---- printing ------------------------------------------------------------------------------- */

static void put(shower *s, const char *text) {
  for (; *text; text++) {
    s->column++;
    if (*text == ' ') {
      s->pending++;
      continue;
    }
    fprintf(s->out, "%*s%c", s->pending, "", *text);
    s->pending = 0;
  }
}

static void new_line(shower *s, int lines, int indent) {
  while (lines-- > 0) fputc('\n', s->out);
  s->column = s->pending = indent;
}

static void put_word(shower *s, const char *word, bool first, int indent) {
  int limit = LINE_WIDTH - (int)s->rank;
  bool fits = s->column + 1 + (int)strlen(word) <= limit;
  if (!first && !fits && s->column > indent)
    new_line(s, 1, indent);
  else if (!first)
    put(s, " ");
  put(s, word);
}

static void show_row(shower *s, uint64_t index, int indent) {
  int64_t size = s->shape[s->rank - 1];
  for (int64_t i = 0; i < size; i++) {
    char text[512];
    if (is_cut(s, size) && i == EDGE) {
      put_word(s, "...", false, indent);
      i = size - EDGE;
    }
    element_text(s, index + (uint64_t)i, text, sizeof text);
    put_word(s, text, i == 0, indent);
  }
}

/* Nothing between rows, a blank line between matrices, two between stacks of them, and so on. */
static void next_part(shower *s, uint32_t dim) {
  new_line(s, (int)(s->rank - dim) - 1, (int)dim + 1);
}

static void show(shower *s, uint32_t dim, uint64_t index) {
  put(s, "[");
  if (dim + 1 == s->rank) {
    show_row(s, index, (int)s->rank);
  } else {
    int64_t size = s->shape[dim];
    for (int64_t i = 0; i < size; i++) {
      if (i > 0) next_part(s, dim);
      if (is_cut(s, size) && i == EDGE) {
        put(s, "...");
        next_part(s, dim);
        i = size - EDGE;
      }
      show(s, dim + 1, index + (uint64_t)i * s->strides[dim]);
    }
  }
  put(s, "]");
}

static bool too_many_visible(const shower *s) {
  uint64_t n = 1;
  for (uint32_t i = 0; i < s->rank && n <= MAX_VISIBLE; i++)
    n *= (uint64_t)(is_cut(s, s->shape[i]) ? 2 * EDGE : s->shape[i]);
  return n > MAX_VISIBLE;
}

static void show_array(const array *a, FILE *out, bool summary) {
  int64_t flat = (int64_t)a->count;
  shower s = {.a = a, .out = out, .rank = a->rank, .shape = a->shape};
  s.summary = summary;
  s.is_float = tsr_elem_is_float(a->elem);
  s.is_unsigned = !s.is_float && a->npy.kind == 'u' && tsr_elem_bits(a->elem) >= 8;
  if (a->count == 0) {
    fputs("[]\n", out);
    return;
  }
  if (too_many_visible(&s)) { /* very many small dimensions: only a flat list can be shortened */
    s.rank = 1;
    s.shape = &flat;
  }
  uint64_t stride = 1;
  for (uint32_t i = s.rank; i-- > 0; stride *= (uint64_t)s.shape[i]) s.strides[i] = stride;
  measure(&s);
  if (s.rank > 0) {
    show(&s, 0, 0);
  } else {
    char text[512];
    element_text(&s, 0, text, sizeof text);
    put(&s, text);
  }
  fputc('\n', out);
}

void array_show(const array *a, FILE *out) {
  show_array(a, out, a->count > THRESHOLD);
}

void array_show_all(const array *a, FILE *out) {
  show_array(a, out, false);
}
