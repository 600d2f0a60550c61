/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tune/space.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

tsr_tune_space *tsr_tune_space_create(tsr_context *ctx) {
  if (!ctx) return NULL;
  TSR_GUARD(ctx, return NULL);
  tsr_tune_space *s = ctx_alloc(ctx, sizeof *s);
  *s = (tsr_tune_space){.ctx = ctx};
  arena_init(&s->arena, ctx);
  arena_init(&s->choices, ctx);
  TSR_UNGUARD(ctx);
  return s;
}

void tsr_tune_space_destroy(tsr_tune_space *s) {
  if (!s) return;
  arena_free(&s->choices);
  arena_free(&s->arena);
  ctx_free(s->ctx, s, sizeof *s);
}

/* ---- what a space has ----------------------------------------------------------------------- */

static const space_parameter *find_parameter(const tsr_tune_space *s, str name) {
  for (uint32_t i = 0; i < s->parameters.len; i++)
    if (str_is(name, s->parameters.data[i].name)) return &s->parameters.data[i];
  return NULL;
}

static space_size *find_size(const tsr_tune_space *s, str name) {
  for (uint32_t i = 0; i < s->sizes.len; i++)
    if (str_is(name, s->sizes.data[i].name)) return &s->sizes.data[i];
  return NULL;
}

static void forget_choices(tsr_tune_space *s) {
  arena_free(&s->choices);
  memset(&s->made, 0, sizeof s->made);
  s->is_made = false;
}

static bool check_new(tsr_tune_space *s, const char *name, const void *values, size_t count) {
  str n = str_of(name);
  if (!expr_is_name(n))
    diag_error(s->ctx, NOWHERE, "'%s' is no name of a parameter: letters, digits and _ make one",
               name ? name : "");
  else if (find_parameter(s, n) || find_size(s, n))
    diag_error(s->ctx, NOWHERE, "the space has a parameter or size '%s' already", name);
  else if (!values || !count || count > SPACE_MAX_COMBINATIONS)
    diag_error(s->ctx, NOWHERE, "the parameter '%s' needs from 1 to %d values, not %zu", name,
               SPACE_MAX_COMBINATIONS, values ? count : 0);
  else if (s->parameters.len == SPACE_MAX_PARAMETERS)
    diag_error(s->ctx, NOWHERE, "a space has at most %d parameters", SPACE_MAX_PARAMETERS);
  else
    return true;
  return false;
}

static void add_parameter(tsr_tune_space *s, const char *name, const int64_t *numbers,
                          const char *const *words, size_t count) {
  forget_choices(s);
  vec_push(&s->arena, s->parameters,
           (space_parameter){.name = arena_strndup(&s->arena, name, strlen(name)),
                             .numbers = numbers,
                             .words = words,
                             .count = (uint32_t)count});
}

tsr_status tsr_tune_space_add_ints(tsr_tune_space *s, const char *name, const int64_t *values,
                                   size_t count) {
  if (!s || !check_new(s, name, values, count)) return TSR_ERROR_USAGE;
  TSR_GUARD(s->ctx, return TSR_ERROR_MEMORY);
  int64_t *copy = arena_array(&s->arena, int64_t, count);
  memcpy(copy, values, count * sizeof *copy);
  add_parameter(s, name, copy, NULL, count);
  TSR_UNGUARD(s->ctx);
  return TSR_OK;
}

/* Words stand in texts of records, between spaces. */
static bool is_word(const char *word) {
  if (!word || !*word) return false;
  for (const char *p = word; *p; p++)
    if ((unsigned char)*p <= ' ' || *p == '=' || *p == '\'' || *p == '"') return false;
  return true;
}

tsr_status tsr_tune_space_add_words(tsr_tune_space *s, const char *name, const char *const *values,
                                    size_t count) {
  if (!s || !check_new(s, name, values, count)) return TSR_ERROR_USAGE;
  for (size_t i = 0; i < count; i++) {
    if (is_word(values[i])) continue;
    diag_error(s->ctx, NOWHERE,
               "'%s' cannot be a value of '%s': a word has no spaces, quotes and equals signs",
               values[i] ? values[i] : "", name);
    return TSR_ERROR_USAGE;
  }
  TSR_GUARD(s->ctx, return TSR_ERROR_MEMORY);
  const char **copy = arena_array(&s->arena, const char *, count);
  for (size_t i = 0; i < count; i++)
    copy[i] = arena_strndup(&s->arena, values[i], strlen(values[i]));
  add_parameter(s, name, NULL, copy, count);
  TSR_UNGUARD(s->ctx);
  return TSR_OK;
}

tsr_status tsr_tune_space_set_size(tsr_tune_space *s, const char *name, int64_t value) {
  if (!s) return TSR_ERROR_USAGE;
  str n = str_of(name);
  space_size *old = find_size(s, n);
  if (!old && !check_new(s, name, &value, 1)) return TSR_ERROR_USAGE;
  forget_choices(s);
  if (old) {
    old->value = value;
    return TSR_OK;
  }
  TSR_GUARD(s->ctx, return TSR_ERROR_MEMORY);
  vec_push(&s->arena, s->sizes,
           (space_size){.name = arena_strndup(&s->arena, n.data, n.len), .value = value});
  TSR_UNGUARD(s->ctx);
  return TSR_OK;
}

static tsr_status add_condition(tsr_tune_space *s, space_condition condition) {
  TSR_GUARD(s->ctx, return TSR_ERROR_MEMORY);
  forget_choices(s);
  vec_push(&s->arena, s->conditions, condition);
  TSR_UNGUARD(s->ctx);
  return TSR_OK;
}

tsr_status tsr_tune_space_add_condition(tsr_tune_space *s, const char *expression) {
  if (!s) return TSR_ERROR_USAGE;
  if (!expression) {
    diag_error(s->ctx, NOWHERE, "tsr_tune_space_add_condition: no expression");
    return TSR_ERROR_USAGE;
  }
  TSR_GUARD(s->ctx, return TSR_ERROR_MEMORY);
  const char *copy = arena_strndup(&s->arena, expression, strlen(expression));
  TSR_UNGUARD(s->ctx);
  return add_condition(s, (space_condition){.expression = copy});
}

tsr_status tsr_tune_space_add_filter(tsr_tune_space *s, tsr_tune_keep keep, void *user) {
  if (!s) return TSR_ERROR_USAGE;
  if (keep) return add_condition(s, (space_condition){.keep = keep, .user = user});
  diag_error(s->ctx, NOWHERE, "tsr_tune_space_add_filter: no function");
  return TSR_ERROR_USAGE;
}

/* ---- making choices ------------------------------------------------------------------------- */

static bool combinations(tsr_tune_space *s, size_t *out) {
  *out = 1;
  for (uint32_t i = 0; i < s->parameters.len; i++) {
    *out *= s->parameters.data[i].count; /* both below 2^21 */
    if (*out <= SPACE_MAX_COMBINATIONS) continue;
    diag_error(s->ctx, NOWHERE, "the space has more than %d combinations of values",
               SPACE_MAX_COMBINATIONS);
    return false;
  }
  return true;
}

static bool condition_holds(const tsr_tune_choice *c, const space_condition *condition,
                            bool *holds) {
  expr_value v;
  expr_problem problem;
  if (condition->keep) {
    *holds = condition->keep(condition->user, c);
    return true;
  }
  expr_names names = choice_names(c);
  if (expr_evaluate(str_of(condition->expression), &names, &v, &problem)) {
    *holds = v.is_word || v.number != 0;
    return true;
  }
  diag_error(c->space->ctx, NOWHERE, "the condition '%s', at character %zu: %s",
             condition->expression, problem.at + 1, problem.message);
  return false;
}

static bool meets_all(const tsr_tune_choice *c, bool *holds) {
  *holds = true;
  for (uint32_t i = 0; i < c->space->conditions.len && *holds; i++)
    if (!condition_holds(c, &c->space->conditions.data[i], holds)) return false;
  return true;
}

static void set_values(const tsr_tune_space *s, size_t index, uint32_t *values) {
  for (uint32_t i = s->parameters.len; i-- > 0;) {
    values[i] = (uint32_t)(index % s->parameters.data[i].count);
    index /= s->parameters.data[i].count;
  }
}

static bool make_choices(tsr_tune_space *s) {
  size_t total;
  if (s->is_made) return true;
  forget_choices(s);
  if (!combinations(s, &total)) return false;
  uint32_t *values = arena_array(&s->choices, uint32_t, s->parameters.len + 1);
  for (size_t i = 0; i < total; i++) {
    tsr_tune_choice c = {s, values};
    bool holds;
    set_values(s, i, values);
    if (!meets_all(&c, &holds)) return false;
    if (!holds) continue;
    vec_push(&s->choices, s->made, c);
    values = arena_array(&s->choices, uint32_t, s->parameters.len + 1);
  }
  s->is_made = true;
  return true;
}

size_t tsr_tune_space_count(tsr_tune_space *s) {
  if (!s) return 0;
  TSR_GUARD(s->ctx, {
    forget_choices(s);
    return 0;
  });
  bool made = make_choices(s);
  TSR_UNGUARD(s->ctx);
  return made ? s->made.len : 0;
}

const tsr_tune_choice *tsr_tune_space_choice(tsr_tune_space *s, size_t index) {
  return index < tsr_tune_space_count(s) ? &s->made.data[index] : NULL;
}

/* ---- asking choices ------------------------------------------------------------------------- */

static bool find_value(const void *user, str name, expr_value *out) {
  const tsr_tune_choice *c = user;
  const space_parameter *p = find_parameter(c->space, name);
  const space_size *size = find_size(c->space, name);
  if (size) *out = (expr_value){.number = size->value};
  if (!p || !c->values) return size != NULL;
  uint32_t at = c->values[p - c->space->parameters.data];
  if (p->words)
    *out = (expr_value){.is_word = true, .word = str_of(p->words[at])};
  else
    *out = (expr_value){.number = p->numbers[at]};
  return true;
}

expr_names choice_names(const tsr_tune_choice *c) {
  return (expr_names){find_value, c};
}

const tsr_tune_choice *space_sizes_only(tsr_tune_space *s, arena *a) {
  tsr_tune_choice *c = arena_new(a, tsr_tune_choice);
  c->space = s;
  return c;
}

bool tsr_tune_choice_int(const tsr_tune_choice *c, const char *name, int64_t *out) {
  expr_value v;
  if (!c || !name || !out || !find_value(c, str_of(name), &v) || v.is_word) return false;
  *out = v.number;
  return true;
}

const char *tsr_tune_choice_word(const tsr_tune_choice *c, const char *name) {
  expr_value v;
  if (!c || !name || !find_value(c, str_of(name), &v)) return NULL;
  return v.is_word ? v.word.data : NULL;
}

static size_t value_text(const space_parameter *p, uint32_t at, bool first, char *out,
                         size_t size) {
  const char *gap = first ? "" : " ";
  if (p->words) return (size_t)snprintf(out, size, "%s%s=%s", gap, p->name, p->words[at]);
  return (size_t)snprintf(out, size, "%s%s=%" PRId64, gap, p->name, p->numbers[at]);
}

size_t tsr_tune_choice_text(const tsr_tune_choice *c, char *out, size_t size) {
  size_t n = 0;
  if (!out) size = 0;
  if (size) *out = 0;
  if (!c || !c->values) return 0;
  const tsr_tune_space *s = c->space;
  for (uint32_t i = 0; i < s->parameters.len; i++) {
    size_t at = MIN(n, size);
    n += value_text(&s->parameters.data[i], c->values[i], i == 0, out ? out + at : NULL, size - at);
  }
  return n;
}

str choice_str(const tsr_tune_choice *c, arena *a) {
  size_t n = tsr_tune_choice_text(c, NULL, 0);
  char *out = arena_alloc(a, n + 1, 1);
  tsr_tune_choice_text(c, out, n + 1);
  return (str){out, n};
}

tsr_status tsr_tune_choice_evaluate(const tsr_tune_choice *c, const char *expression,
                                    int64_t *out) {
  if (!c) return TSR_ERROR_USAGE;
  tsr_context *ctx = c->space->ctx;
  if (!expression || !out) {
    diag_error(ctx, NOWHERE, "tsr_tune_choice_evaluate: no expression, or no place for its value");
    return TSR_ERROR_USAGE;
  }
  expr_problem problem;
  expr_names names = choice_names(c);
  if (expr_list(str_of(expression), &names, out, 1, &problem)) return TSR_OK;
  diag_error(ctx, NOWHERE, "the expression '%s', at character %zu: %s", expression, problem.at + 1,
             problem.message);
  return TSR_ERROR_INPUT;
}

bool choice_grid(const tsr_tune_choice *c, const char *text, tsr_grid *out) {
  tsr_context *ctx = c->space->ctx;
  int64_t axis[3] = {1, 1, 1};
  expr_problem problem;
  expr_names names = choice_names(c);
  if (!expr_list(str_of(text), &names, axis, 3, &problem)) {
    diag_error(ctx, NOWHERE, "the grid '%s', at character %zu: %s", text, problem.at + 1,
               problem.message);
    return false;
  }
  for (int i = 0; i < 3; i++) {
    if (axis[i] >= 1 && axis[i] <= INT32_MAX) continue;
    diag_error(ctx, NOWHERE, "the grid '%s' has %" PRId64 " tile blocks along %c", text, axis[i],
               "xyz"[i]);
    return false;
  }
  *out = (tsr_grid){(uint32_t)axis[0], (uint32_t)axis[1], (uint32_t)axis[2]};
  return true;
}

/* ---- the key of records --------------------------------------------------------------------- */

int64_t space_round(int64_t n) {
  if (n <= 2) return n;
  unsigned bits = 64 - (unsigned)__builtin_clzll((uint64_t)n);
  uint64_t step = (uint64_t)1 << (bits - 2);
  uint64_t up = ((uint64_t)n + step - 1) / step * step;
  return up > INT64_MAX ? INT64_MAX : (int64_t)up;
}

static int by_name(const void *a, const void *b) {
  return strcmp(((const space_size *)a)->name, ((const space_size *)b)->name);
}

str space_key(const tsr_tune_space *s, arena *a, bool exact) {
  sbuf out = SBUF(a);
  space_size *sorted = arena_array(a, space_size, s->sizes.len + 1);
  if (s->sizes.len) memcpy(sorted, s->sizes.data, s->sizes.len * sizeof *sorted);
  qsort(sorted, s->sizes.len, sizeof *sorted, by_name);
  sbuf_puts(&out, "");
  for (uint32_t i = 0; i < s->sizes.len; i++)
    sbuf_printf(&out, "%s%s=%" PRId64, i ? " " : "", sorted[i].name,
                exact ? sorted[i].value : space_round(sorted[i].value));
  return (str){out.data, out.len};
}

/* ---- texts with ${...} ---------------------------------------------------------------------- */

static bool put_value(const tsr_tune_choice *c, const source *src, size_t at, size_t end,
                      sbuf *out) {
  expr_value v;
  expr_problem problem;
  expr_names names = choice_names(c);
  if (expr_evaluate((str){src->text.data + at, end - at}, &names, &v, &problem)) {
    if (v.is_word)
      sbuf_str(out, v.word);
    else
      sbuf_i64(out, v.number);
    return true;
  }
  place where = {.src = src, .length = 1};
  source_position(src, at + problem.at, &where.line, &where.column);
  diag_error(c->space->ctx, where, "in ${...}: %s", problem.message);
  return false;
}

static bool substitute(const tsr_tune_choice *c, const source *src, sbuf *out) {
  str text = src->text;
  for (size_t at = 0; at < text.len;) {
    const char *dollar = memchr(text.data + at, '$', text.len - at);
    size_t start = dollar ? (size_t)(dollar - text.data) : text.len;
    sbuf_add(out, text.data + at, start - at);
    at = start;
    if (at + 1 >= text.len || text.data[at + 1] != '{') {
      if (at < text.len) sbuf_putc(out, text.data[at++]);
      continue;
    }
    const char *brace = memchr(text.data + at, '}', text.len - at);
    if (!brace) {
      place where = {.src = src, .length = 2};
      source_position(src, at, &where.line, &where.column);
      diag_error(c->space->ctx, where, "'${' without '}'");
      return false;
    }
    if (!put_value(c, src, at + 2, (size_t)(brace - text.data), out)) return false;
    at = (size_t)(brace - text.data) + 1;
  }
  return true;
}

char *tsr_tune_choice_substitute(const tsr_tune_choice *c, const char *text, size_t length,
                                 const char *name, size_t *out_length) {
  if (!c) return NULL;
  tsr_context *ctx = c->space->ctx;
  if (!text) {
    diag_error(ctx, NOWHERE, "tsr_tune_choice_substitute: no text");
    return NULL;
  }
  arena a;
  arena_init(&a, ctx);
  TSR_GUARD(ctx, {
    arena_free(&a);
    return NULL;
  });
  char *copy = arena_strndup(&a, text, length); /* terminated, as a source is */
  source src = {.name = name ? name : "<memory>", .text = {copy, length}};
  sbuf out = SBUF(&a);
  sbuf_puts(&out, "");
  char *result = NULL;
  if (substitute(c, &src, &out)) {
    if (out_length) *out_length = out.len;
    result = ctx_string(ctx, out.data, out.len);
  }
  TSR_UNGUARD(ctx);
  arena_free(&a);
  return result;
}
