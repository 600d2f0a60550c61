/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Values of parameters and their text.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "ops/ops.h"

bool ops_refuse(ops_why *why, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  vsnprintf(why->text, sizeof why->text, fmt, args);
  va_end(args);
  return false;
}

unsigned ops_param_find(const ops_family *f, str name) {
  unsigned i = 0;
  while (i < f->n_params && !str_is(name, f->params[i].name)) i++;
  return i;
}

/* ---- words ---------------------------------------------------------------------------------- */

/* Word `index` of a list with blanks between; empty past the last. */
static str word_at(const char *words, unsigned index) {
  str w = {words, 0};
  for (;; index--) {
    w.len = strcspn(w.data, " ");
    if (!index || !w.data[w.len]) return index ? (str){0} : w;
    w.data += w.len + 1;
  }
}

static bool find_word(const char *words, str word, int64_t *out) {
  for (unsigned i = 0; words; i++) {
    str w = word_at(words, i);
    if (!w.len) break;
    if (str_eq(w, word)) return *out = i, true;
  }
  return false;
}

/* "row, column" */
static void list_words(const char *words, char *out, size_t size) {
  size_t n = 0;
  for (; *words && n + 3 < size; words++) {
    if (*words == ' ') out[n++] = ',';
    out[n++] = *words;
  }
  out[n] = 0;
}

/* ---- from text ------------------------------------------------------------------------------- */

enum { NUMBER_TEXT = 64 };

static bool copy_number(str text, char out[NUMBER_TEXT]) {
  if (!text.len || text.len >= NUMBER_TEXT) return false;
  memcpy(out, text.data, text.len);
  out[text.len] = 0;
  return true;
}

static bool read_integer(str text, int64_t *out) {
  char copy[NUMBER_TEXT], *end;
  if (!copy_number(text, copy) || isspace((unsigned char)*copy)) return false;
  errno = 0;
  long long v = strtoll(copy, &end, 10);
  *out = v;
  return !*end && !errno;
}

static bool read_real(str text, double *out) {
  char copy[NUMBER_TEXT], *end;
  if (!copy_number(text, copy) || isspace((unsigned char)*copy)) return false;
  *out = strtod(copy, &end);
  return !*end;
}

static bool set_integer(ops_value *v, const ops_param *param, str text, ops_why *why) {
  const char *word = param->words ? param->words : "";
  if (*word && str_is(text, word)) return v->i = OPS_WORD, true;
  if (read_integer(text, &v->i) && v->i >= param->least && v->i <= param->most) return true;
  return ops_refuse(why, "%s takes an integer from %lld to %lld%s%s, not '" STR_FMT "'",
                    param->name, (long long)param->least, (long long)param->most,
                    *word ? " or " : "", word, (int)MIN(text.len, (size_t)64), text.data);
}

static bool set_real(ops_value *v, const ops_param *param, str text, ops_why *why) {
  if (read_real(text, &v->r)) return true;
  return ops_refuse(why, "%s takes a number, not '" STR_FMT "'", param->name,
                    (int)MIN(text.len, (size_t)64), text.data);
}

static bool set_type(ops_value *v, const ops_param *param, str text, ops_why *why) {
  if (param->words && str_is(text, param->words)) return v->i = OPS_WORD, true;
  v->i = ops_type_parse(text);
  if (v->i >= 0) return true;
  return ops_refuse(why,
                    "%s takes an element type (f64 f32 tf32 f16 bf16 f8E4M3FN f8E5M2 f6E2M3FN "
                    "f4E2M1FN i8 u8 i4 and others: tessera explain --elements), not '" STR_FMT "'",
                    param->name, (int)MIN(text.len, (size_t)64), text.data);
}

static bool set_chosen(ops_value *v, const ops_param *param, str text, ops_why *why) {
  char words[160];
  if (find_word(param->words, text, &v->i)) return true;
  list_words(param->words, words, sizeof words);
  return ops_refuse(why, "%s is one of %s, not '" STR_FMT "'", param->name, words,
                    (int)MIN(text.len, (size_t)64), text.data);
}

bool ops_problem_set(ops_problem *p, unsigned param, str text, ops_why *why) {
  const ops_param *row = &p->family->params[param];
  ops_value *v = &p->values[param];
  switch (row->kind) {
  case TSR_OP_INTEGER: return set_integer(v, row, text, why);
  case TSR_OP_REAL: return set_real(v, row, text, why);
  case TSR_OP_TYPE: return set_type(v, row, text, why);
  case TSR_OP_CHOSEN: return set_chosen(v, row, text, why);
  default: v->text = arena_strndup(p->arena, text.data, text.len); return true;
  }
}

void ops_problem_init(ops_problem *p, const ops_family *f, arena *a) {
  ops_why why;
  *p = (ops_problem){.family = f, .arena = a};
  for (unsigned i = 0; i < f->n_params; i++) ops_problem_set(p, i, str_of(f->params[i].init), &why);
}

/* The parameter that a name means; the closest one is suggested for another. */
static bool find_param(const ops_problem *p, str name, unsigned *out, ops_why *why) {
  const ops_family *f = p->family;
  const char *close[1] = {NULL};
  *out = ops_param_find(f, name);
  if (*out < f->n_params) return true;
  near_names near = {.wanted = name, .out = close, .max = 1};
  for (unsigned i = 0; i < f->n_params; i++) near_offer(&near, f->params[i].name);
  return ops_refuse(
      why, "%s has no parameter '" STR_FMT "'%s%s%s; tessera op explain %s lists them", f->name,
      (int)MIN(name.len, (size_t)64), name.data, near.found ? ", did you mean '" : "",
      near.found ? close[0] : "", near.found ? "'?" : "", f->name);
}

/* How long the next `name=value` is: up to a comma outside of parentheses. */
static size_t item_length(str text) {
  unsigned depth = 0;
  size_t n = 0;
  for (; n < text.len && (depth || text.data[n] != ','); n++) {
    if (text.data[n] == '(') depth++;
    if (text.data[n] == ')' && depth) depth--;
  }
  return n;
}

static bool set_item(ops_problem *p, str item, ops_why *why) {
  const char *equals = memchr(item.data, '=', item.len);
  unsigned param;
  if (!equals)
    return ops_refuse(why, "'" STR_FMT "' is no parameter=value", (int)MIN(item.len, (size_t)64),
                      item.data);
  str name = {item.data, (size_t)(equals - item.data)};
  str value = {equals + 1, item.len - name.len - 1};
  return find_param(p, name, &param, why) && ops_problem_set(p, param, value, why);
}

static bool set_items(ops_problem *p, str text, ops_why *why) {
  while (text.len) {
    size_t n = item_length(text);
    if (!set_item(p, (str){text.data, n}, why)) return false;
    n += n < text.len;
    text = (str){text.data + n, text.len - n};
  }
  return true;
}

static bool apply_setting(ops_problem *p, const tsr_op_setting *s, ops_why *why) {
  unsigned param;
  char number[NUMBER_TEXT];
  if (!s->name) return ops_refuse(why, "a setting has no name");
  if (!find_param(p, str_of(s->name), &param, why)) return false;
  if (s->word) return ops_problem_set(p, param, str_of(s->word), why);
  if (p->family->params[param].kind == TSR_OP_REAL) return p->values[param].r = s->real, true;
  snprintf(number, sizeof number, "%lld", (long long)s->integer);
  return ops_problem_set(p, param, str_of(number), why);
}

static bool find_family(str name, const ops_family **out, ops_why *why) {
  *out = ops_family_find(name);
  if (*out) return true;
  return ops_refuse(why, "there is no family '" STR_FMT "'; tessera op list shows them",
                    (int)MIN(name.len, (size_t)64), name.data);
}

bool ops_problem_parse(ops_problem *p, arena *a, const tsr_op_problem *given, ops_why *why) {
  const ops_family *f;
  tsr_op_problem full;
  const size_t least = offsetof(tsr_op_problem, n_settings) + sizeof(size_t);
  if (!struct_take(&full, sizeof full, given, least) || !full.text)
    return ops_refuse(why, "a problem needs its struct_size and its text");
  str text = str_of(full.text), name = {text.data, strcspn(text.data, ":")};
  if (!find_family(name, &f, why)) return false;
  ops_problem_init(p, f, a);
  size_t skip = MIN(name.len + 1, text.len);
  if (!set_items(p, (str){text.data + skip, text.len - skip}, why)) return false;
  for (size_t i = 0; i < full.n_settings; i++)
    if (!apply_setting(p, &full.settings[i], why)) return false;
  return true;
}

/* ---- to text --------------------------------------------------------------------------------- */

void ops_value_print(const ops_param *param, const ops_value *v, sbuf *out) {
  switch (param->kind) {
  case TSR_OP_INTEGER:
    if (v->i == OPS_WORD && param->words)
      sbuf_puts(out, param->words);
    else
      sbuf_i64(out, v->i);
    return;
  case TSR_OP_REAL: sbuf_printf(out, "%.17g", v->r); return;
  case TSR_OP_TYPE: sbuf_puts(out, ops_type_name(v->i)); return;
  case TSR_OP_CHOSEN: sbuf_str(out, word_at(param->words, (unsigned)v->i)); return;
  default: sbuf_puts(out, v->text); return;
  }
}

/* The pattern, by which a zero differs from a negative one and a NaN is itself. */
static uint64_t pattern(double r) {
  uint64_t bits;
  memcpy(&bits, &r, sizeof bits);
  return bits;
}

bool ops_value_same(const ops_param *param, const ops_value *a, const ops_value *b) {
  switch (param->kind) {
  case TSR_OP_REAL: return pattern(a->r) == pattern(b->r);
  case TSR_OP_TEXT: return strcmp(a->text, b->text) == 0;
  default: return a->i == b->i;
  }
}

void ops_problem_print(const ops_problem *p, bool sizes, sbuf *out) {
  ops_problem usual;
  const char *between = ":";
  ops_problem_init(&usual, p->family, out->arena);
  sbuf_puts(out, p->family->name);
  for (unsigned i = 0; i < p->family->n_params; i++) {
    const ops_param *param = &p->family->params[i];
    if (!sizes && param->role == TSR_OP_SIZE) continue;
    if (ops_value_same(param, &p->values[i], &usual.values[i])) continue;
    sbuf_printf(out, "%s%s=", between, param->name);
    ops_value_print(param, &p->values[i], out);
    between = ",";
  }
}

ops_problem ops_problem_instance(const ops_problem *p) {
  ops_problem usual, instance = *p;
  ops_problem_init(&usual, p->family, p->arena);
  for (unsigned i = 0; i < p->family->n_params; i++)
    if (p->family->params[i].role == TSR_OP_SIZE) instance.values[i] = usual.values[i];
  return instance;
}

/* ---- lists ---------------------------------------------------------------------------------- */

int ops_read_list(str text, char mark, int64_t *out, unsigned most) {
  unsigned n = 0;
  const char *p = text.data, *end = text.data + text.len;
  while (p < end || (n && p[-1] == mark)) {
    if (n == most || p == end || *p < '0' || *p > '9') return -1;
    int64_t v = 0;
    for (; p < end && *p >= '0' && *p <= '9'; p++) {
      v = v * 10 + (*p - '0');
      if (v > OPS_MAX_SIZE) return -1;
    }
    out[n++] = v;
    if (p < end && *p++ != mark) return -1;
  }
  return (int)n;
}

str ops_strides_begin(const char *text) {
  return strcmp(text, "packed") == 0 ? (str){0} : str_of(text);
}

bool ops_strides_next(str *rest, ops_strides *out) {
  if (!rest->len) return false;
  const char *plus = memchr(rest->data, '+', rest->len);
  size_t n = plus ? (size_t)(plus - rest->data) : rest->len;
  const char *colon = memchr(rest->data, ':', n);
  *out = (ops_strides){.text = {rest->data, n}, .count = -1};
  if (colon) {
    out->name = (str){rest->data, (size_t)(colon - rest->data)};
    str list = {colon + 1, n - out->name.len - 1};
    out->count = ops_read_list(list, 'x', out->values, TSR_OP_MAX_RANK);
  }
  n += plus != NULL;
  *rest = (str){rest->data + n, rest->len - n};
  return true;
}

bool ops_check_strides(const ops_strides *given, const char *name, unsigned rank, ops_why *why) {
  if (given->count == (int)rank) return true;
  return ops_refuse(why, "strides=" STR_FMT ": %s has %u dimensions; give as many strides",
                    (int)MIN(given->text.len, (size_t)64), given->text.data, name, rank);
}
