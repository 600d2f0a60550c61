/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A descriptor's index arithmetic as C text. Lengths say how large each value can get, which makes
 * some divisions, remainders and tests needless.
 */
#include "layout/emit.h"

typedef struct emitter {
  out_text out;
  const tsr_descriptor *d;
  uint32_t tables;
} emitter;

/* A top dimension is called by its number, another hidden one by its own. */
static void name(emitter *m, uint32_t id) {
  for (uint32_t i = 0; i < m->d->top; i++)
    if (m->d->top_ids[i] == id) {
      out_printf(&m->out, "i%u", i);
      return;
    }
  out_printf(&m->out, "h%u", id);
}

static void begin(emitter *m, uint32_t id) {
  out_puts(&m->out, "int64_t ");
  name(m, id);
  out_puts(&m->out, " = ");
}

static void end(emitter *m) {
  out_puts(&m->out, ";\n");
}

static void plus(emitter *m, uint32_t id, int64_t by) {
  name(m, id);
  if (by) out_printf(&m->out, by > 0 ? " + %lld" : " - %lld", (long long)(by > 0 ? by : -by));
}

static void remainder_of(emitter *m, uint32_t id, int64_t n) {
  name(m, id);
  if (!emit_below(m->d, id, n)) out_printf(&m->out, " %% %lld", (long long)n);
}

/* Sum of upper[i] * weight[i]. */
static void weighted(emitter *m, const tsr_stage *s, const int64_t *weight) {
  bool first = true;
  for (uint32_t i = 0; i < s->transform.upper; i++) {
    if (weight[i] == 0 || s->transform.length[i] == 1) continue;
    if (!first) out_puts(&m->out, " + ");
    name(m, s->upper_ids[i]);
    if (weight[i] != 1) out_printf(&m->out, " * %lld", (long long)weight[i]);
    first = false;
  }
  if (first) out_puts(&m->out, "0");
}

void emit_weights(const tsr_transform *t, int64_t *weight) {
  int64_t w = 1;
  for (uint32_t i = t->upper; i-- > 0;) {
    weight[i] = w;
    w *= t->length[i];
  }
}

static void unmerge(emitter *m, const tsr_stage *s) {
  int64_t weight[TSR_TRANSFORM_MAX_DIMS];
  emit_weights(&s->transform, weight);
  weighted(m, s, weight);
}

static void merge(emitter *m, const tsr_stage *s) {
  const tsr_transform *t = &s->transform;
  int64_t divide = 1;
  for (uint32_t i = t->lower; i-- > 0;) {
    begin(m, s->lower_ids[i]);
    if (t->length[i] == 1) {
      out_puts(&m->out, "0");
    } else {
      name(m, s->upper_ids[0]);
      if (divide > 1) out_printf(&m->out, " / %lld", (long long)divide);
      if (!emit_is_top_digit(m->d, s, i, divide))
        out_printf(&m->out, " %% %lld", (long long)t->length[i]);
    }
    end(m);
    divide *= t->length[i];
  }
}

static void xor_with(emitter *m, const tsr_stage *s) {
  begin(m, s->lower_ids[0]);
  name(m, s->upper_ids[0]);
  end(m);
  begin(m, s->lower_ids[1]);
  name(m, s->upper_ids[1]);
  out_puts(&m->out, emit_below(m->d, s->upper_ids[0], s->transform.length[1]) ? " ^ " : " ^ (");
  remainder_of(m, s->upper_ids[0], s->transform.length[1]);
  if (!emit_below(m->d, s->upper_ids[0], s->transform.length[1])) out_puts(&m->out, ")");
  end(m);
}

static void cyclic(emitter *m, const tsr_stage *s) {
  const tsr_transform *t = &s->transform;
  if (t->param[0]) out_puts(&m->out, "(");
  plus(m, s->upper_ids[0], t->param[0]);
  if (t->param[0]) out_printf(&m->out, ") %% %lld", (long long)t->length[0]);
}

/* In padding the index may lie outside the table; what is read there does not matter. */
static void table(emitter *m, const tsr_stage *s) {
  bool padded = false;
  for (uint32_t i = 0; i < m->d->stages; i++)
    padded |= m->d->stage[i].transform.kind == TSR_TRANSFORM_PAD;
  out_printf(&m->out, "table%u[", m->tables++);
  if (padded) {
    name(m, s->upper_ids[0]);
    out_puts(&m->out, " >= 0 && ");
    name(m, s->upper_ids[0]);
    out_printf(&m->out, " < %lld ? ", (long long)s->transform.length[0]);
  }
  name(m, s->upper_ids[0]);
  out_puts(&m->out, padded ? " : 0]" : "]");
}

static void one_lower(emitter *m, const tsr_stage *s) {
  const tsr_transform *t = &s->transform;
  begin(m, s->lower_ids[0]);
  switch (t->kind) {
  case TSR_TRANSFORM_PAD: plus(m, s->upper_ids[0], -t->param[0]); break;
  case TSR_TRANSFORM_EMBED: weighted(m, s, t->param); break;
  case TSR_TRANSFORM_UNMERGE: unmerge(m, s); break;
  case TSR_TRANSFORM_FREEZE: out_printf(&m->out, "%lld", (long long)t->param[0]); break;
  case TSR_TRANSFORM_SLICE:
  case TSR_TRANSFORM_OFFSET: plus(m, s->upper_ids[0], t->param[0]); break;
  case TSR_TRANSFORM_MODULO: remainder_of(m, s->upper_ids[0], t->param[0]); break;
  case TSR_TRANSFORM_CYCLIC_SHIFT: cyclic(m, s); break;
  case TSR_TRANSFORM_INDEXING: table(m, s); break;
  default: name(m, s->upper_ids[0]); break;
  }
  end(m);
}

/* Top indices are taken to be within their lengths; what is left to test is padding. */
static void validity(emitter *m) {
  const char *join = "bool valid = ";
  for (uint32_t i = 0; i < m->d->stages; i++) {
    const tsr_stage *s = &m->d->stage[i];
    const tsr_transform *t = &s->transform;
    if (t->kind != TSR_TRANSFORM_PAD) continue;
    if (t->param[0] > 0) {
      out_puts(&m->out, join);
      name(m, s->lower_ids[0]);
      out_puts(&m->out, " >= 0");
      join = " && ";
    }
    if (t->param[1] > 0) {
      out_puts(&m->out, join);
      name(m, s->lower_ids[0]);
      out_printf(&m->out, " < %lld", (long long)t->param[2]);
      join = " && ";
    }
  }
  out_puts(&m->out, join[0] == 'b' ? "bool valid = true;" : ";");
}

size_t tsr_descriptor_emit_c(const tsr_descriptor *d, char *out, size_t size) {
  if (!d || (size && !out)) return layout_no_text(out, size);
  emitter m = {{out, size, 0}, d, 0};
  for (uint32_t i = d->stages; i-- > 0;) {
    const tsr_stage *s = &d->stage[i];
    if (s->transform.kind == TSR_TRANSFORM_MERGE)
      merge(&m, s);
    else if (s->transform.kind == TSR_TRANSFORM_XOR)
      xor_with(&m, s);
    else if (s->transform.lower == 1)
      one_lower(&m, s);
  }
  out_puts(&m.out, "int64_t offset = ");
  if (d->bottom)
    name(&m, d->bottom_ids[0]);
  else
    out_puts(&m.out, "0");
  end(&m);
  validity(&m);
  return out_end(&m.out);
}
