/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A descriptor's index arithmetic as Tile IR: one operation on scalars per line. Constants are
 * folded and stated once, copies vanish, and divisions go as emit.h says.
 */
#include "layout/emit.h"

enum { MAX_CONSTANTS = 64 };

/* What a hidden dimension is: a number, a top index, or the result of an operation. */
typedef struct term {
  enum { NUMBER, INDEX, RESULT } kind;
  int64_t n;
} term;

typedef struct emitter {
  out_text out;
  const tsr_descriptor *d;
  const char *prefix;
  int64_t results;
  term value[TSR_DESCRIPTOR_MAX_HIDDEN];
  int64_t constant[MAX_CONSTANTS], constant_result[MAX_CONSTANTS];
  uint32_t constants;
} emitter;

static term number(int64_t n) {
  return (term){NUMBER, n};
}

static bool is(term t, int64_t n) {
  return t.kind == NUMBER && t.n == n;
}

static void put_name(out_text *o, const char *prefix, term t) {
  out_printf(o, t.kind == INDEX ? "%%%.32si%lld" : "%%%.32st%lld", prefix, (long long)t.n);
}

/* "%t3 = NAME " of a new result. */
static term begin(emitter *m, const char *op) {
  term t = {RESULT, m->results++};
  put_name(&m->out, m->prefix, t);
  out_printf(&m->out, " = %s ", op);
  return t;
}

/* A term that an operation can name: a number becomes a constant, said once. */
static term named(emitter *m, term t) {
  if (t.kind != NUMBER) return t;
  for (uint32_t i = 0; i < m->constants; i++)
    if (m->constant[i] == t.n) return (term){RESULT, m->constant_result[i]};
  term c = begin(m, "constant");
  out_printf(&m->out, "<i64: %lld> : tile<i64>\n", (long long)t.n);
  if (m->constants < MAX_CONSTANTS) {
    m->constant[m->constants] = t.n;
    m->constant_result[m->constants++] = c.n;
  }
  return c;
}

/* "%t3 = OP a, bTAIL". */
static term binary(emitter *m, const char *op, term a, term b, const char *tail) {
  a = named(m, a);
  b = named(m, b);
  term t = begin(m, op);
  put_name(&m->out, m->prefix, a);
  out_puts(&m->out, ", ");
  put_name(&m->out, m->prefix, b);
  out_printf(&m->out, "%s\n", tail);
  return t;
}

static term add(emitter *m, term a, term b) {
  if (is(a, 0)) return b;
  if (is(b, 0)) return a;
  if (a.kind == NUMBER && b.kind == NUMBER) return number(a.n + b.n);
  return binary(m, "addi", a, b, " : tile<i64>");
}

static term times(emitter *m, term a, int64_t n) {
  if (n == 0) return number(0);
  if (n == 1) return a;
  if (a.kind == NUMBER) return number(a.n * n);
  return binary(m, "muli", a, number(n), " : tile<i64>");
}

/* Below 0, where padding reaches, quotients do not matter. */
static term divided(emitter *m, term a, int64_t n) {
  if (n == 1) return a;
  if (a.kind == NUMBER && a.n >= 0) return number(a.n / n);
  return binary(m, "divi", a, number(n), " unsigned : tile<i64>");
}

static term remainder_of(emitter *m, term a, int64_t n) {
  if (n == 1) return number(0);
  if (a.kind == NUMBER && a.n >= 0) return number(a.n % n);
  if ((n & (n - 1)) == 0) return binary(m, "andi", a, number(n - 1), " : tile<i64>");
  return binary(m, "remi", a, number(n), " unsigned : tile<i64>");
}

static term upper(const emitter *m, const tsr_stage *s, uint32_t i) {
  return m->value[s->upper_ids[i]];
}

/* Upper index 0 mod n, where its length does not say that it is. */
static term upper_modulo(emitter *m, const tsr_stage *s, int64_t n) {
  term u = upper(m, s, 0);
  return emit_below(m->d, s->upper_ids[0], n) ? u : remainder_of(m, u, n);
}

static term weighted(emitter *m, const tsr_stage *s, const int64_t *weight) {
  term sum = number(0);
  for (uint32_t i = 0; i < s->transform.upper; i++)
    if (s->transform.length[i] > 1) sum = add(m, sum, times(m, upper(m, s, i), weight[i]));
  return sum;
}

static term unmerge(emitter *m, const tsr_stage *s) {
  int64_t weight[TSR_TRANSFORM_MAX_DIMS];
  emit_weights(&s->transform, weight);
  return weighted(m, s, weight);
}

static void merge(emitter *m, const tsr_stage *s) {
  const tsr_transform *t = &s->transform;
  int64_t divide = 1;
  for (uint32_t i = t->lower; i-- > 0;) {
    term digit = number(0);
    if (t->length[i] > 1) {
      digit = divided(m, upper(m, s, 0), divide);
      if (!emit_is_top_digit(m->d, s, i, divide)) digit = remainder_of(m, digit, t->length[i]);
    }
    m->value[s->lower_ids[i]] = digit;
    divide *= t->length[i];
  }
}

static void xor_with(emitter *m, const tsr_stage *s) {
  term by = upper_modulo(m, s, s->transform.length[1]), u = upper(m, s, 1);
  m->value[s->lower_ids[0]] = upper(m, s, 0);
  m->value[s->lower_ids[1]] = is(by, 0)  ? u
                              : is(u, 0) ? by
                                         : binary(m, "xori", u, by, " : tile<i64>");
}

/* Scalars know no tables: a select for every entry that differs from the first. */
static term table(emitter *m, const tsr_stage *s) {
  const tsr_transform *t = &s->transform;
  term u = upper(m, s, 0), v = number(t->table[0]);
  if (u.kind == NUMBER) return number(u.n >= 0 && u.n < t->length[0] ? t->table[u.n] : 0);
  for (int64_t k = 1; k < t->length[0]; k++) {
    if (t->table[k] == t->table[0]) continue;
    term entry = named(m, number(t->table[k])), other = named(m, v);
    term hit = binary(m, "cmpi equal", u, number(k), ", signed : tile<i64> -> tile<i1>");
    v = begin(m, "select");
    put_name(&m->out, m->prefix, hit);
    out_puts(&m->out, ", ");
    put_name(&m->out, m->prefix, entry);
    out_puts(&m->out, ", ");
    put_name(&m->out, m->prefix, other);
    out_puts(&m->out, " : tile<i1>, tile<i64>\n");
  }
  return v;
}

static term one_lower(emitter *m, const tsr_stage *s) {
  const tsr_transform *t = &s->transform;
  switch (t->kind) {
  case TSR_TRANSFORM_PAD: return add(m, upper(m, s, 0), number(-t->param[0]));
  case TSR_TRANSFORM_EMBED: return weighted(m, s, t->param);
  case TSR_TRANSFORM_UNMERGE: return unmerge(m, s);
  case TSR_TRANSFORM_FREEZE: return number(t->param[0]);
  case TSR_TRANSFORM_SLICE:
  case TSR_TRANSFORM_OFFSET: return add(m, upper(m, s, 0), number(t->param[0]));
  case TSR_TRANSFORM_MODULO: return upper_modulo(m, s, t->param[0]);
  case TSR_TRANSFORM_CYCLIC_SHIFT:
    if (t->param[0] == 0) return upper(m, s, 0);
    return remainder_of(m, add(m, upper(m, s, 0), number(t->param[0])), t->length[0]);
  case TSR_TRANSFORM_INDEXING: return table(m, s);
  default: return upper(m, s, 0);
  }
}

/* One unsigned comparison sees both ends of a padded dimension. */
static term validity(emitter *m) {
  term valid = number(1);
  for (uint32_t i = 0; i < m->d->stages; i++) {
    const tsr_stage *s = &m->d->stage[i];
    const tsr_transform *t = &s->transform;
    if (t->kind != TSR_TRANSFORM_PAD || (t->param[0] == 0 && t->param[1] == 0)) continue;
    term in = binary(m, "cmpi less_than", m->value[s->lower_ids[0]], number(t->param[2]),
                     ", unsigned : tile<i64> -> tile<i1>");
    valid = is(valid, 1) ? in : binary(m, "andi", valid, in, " : tile<i1>");
  }
  if (valid.kind != NUMBER) return valid;
  valid = begin(m, "constant");
  out_puts(&m->out, "<i1: true> : tile<i1>\n");
  return valid;
}

static void name_result(const emitter *m, term t, char *name) {
  out_text o = {name, TSR_EMITTED_NAME, 0};
  put_name(&o, m->prefix, t);
  out_end(&o);
}

size_t tsr_descriptor_emit_tile(const tsr_descriptor *d, const char *prefix,
                                tsr_emitted_names *names, char *out, size_t size) {
  if (!d || !names || (size && !out)) return layout_no_text(out, size);
  emitter m = {.out = {out, size, 0}, .d = d, .prefix = prefix ? prefix : ""};
  for (uint32_t i = 0; i < d->top; i++) m.value[d->top_ids[i]] = (term){INDEX, i};
  for (uint32_t i = d->stages; i-- > 0;) {
    const tsr_stage *s = &d->stage[i];
    if (s->transform.kind == TSR_TRANSFORM_MERGE)
      merge(&m, s);
    else if (s->transform.kind == TSR_TRANSFORM_XOR)
      xor_with(&m, s);
    else if (s->transform.lower == 1)
      m.value[s->lower_ids[0]] = one_lower(&m, s);
  }
  term offset = named(&m, d->bottom ? m.value[d->bottom_ids[0]] : number(0));
  term valid = validity(&m);
  name_result(&m, offset, names->offset);
  name_result(&m, valid, names->valid);
  return out_end(&m.out);
}
