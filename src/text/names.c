/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Names for printing. A value keeps the name it has when that is free; one without a name gets
 * what its operation suggests (%cst_1_i32, %loopIdx), else a number. Names end with their region.
 */
#include <stdio.h>

#include "num/num.h"
#include "text/print.h"

typedef struct used_name {
  bool active;
  struct used_name *next_in_scope;
} used_name;

typedef struct naming {
  printer *q;
  strmap used; /* name -> used_name* */
  used_name *scope;
  uint32_t next_number, next_conflict, depth;
} naming;

/* "0", "12": what the text gave to values without a name. */
static bool is_number(const char *s) {
  if (!*s) return false;
  for (; *s; s++)
    if (*s < '0' || *s > '9') return false;
  return true;
}

static bool is_valid(const char *s) {
  if (!is_class(*s, CH_SUFFIX) || is_class(*s, CH_DIGIT)) return false;
  for (; *s; s++)
    if (!is_class(*s, CH_SUFFIX)) return false;
  return true;
}

bool has_own_name(const ir_value *v) {
  return v->name && !is_number(v->name) && is_valid(v->name);
}

/* ---- suggestions ---------------------------------------------------------------------------- */

static void constant_name(const ir_dense *d, char *out, size_t size) {
  tsr_elem e = (tsr_elem)d->type->elem;
  const char *type = tsr_elem_name(e);
  bool one = d->splat || d->type->count == 1;
  uint64_t bits = one ? ir_dense_get(d, 0) : 0;
  if (e == TSR_I1) {
    snprintf(out, size, "%s", one ? (bits ? "true" : "false") : "cst_i1");
  } else if (one && tsr_elem_is_int(e)) {
    snprintf(out, size, "cst_%lld_%s", (long long)num_sext(bits, tsr_elem_bits(e)), type);
  } else if (one && tsr_elem_is_float(e)) {
    const num_format *f = num_format_of(e);
    double v = num_decode(f, bits);
    if (num_is_nan(f, bits))
      snprintf(out, size, "cst_NaN_%s", type);
    else if (v >= 0 && !num_is_negative(f, bits) && v < 0x1p63 && v == (double)(uint64_t)v)
      snprintf(out, size, "cst_%llu_%s", (unsigned long long)v, type);
    else
      snprintf(out, size, "cst_%s", type);
  } else {
    snprintf(out, size, "cst_%s", type);
  }
}

static bool argument_name(const ir_value *v, char *out, size_t size) {
  const ir_block *b = v->owner.block;
  switch ((op_code)b->parent->opcode) {
  case OP_for:
    if (v->index == 0)
      snprintf(out, size, "loopIdx");
    else
      snprintf(out, size, "iterArg%u", v->index - 1);
    return true;
  case OP_loop: snprintf(out, size, "iterArg%u", v->index); return true;
  case OP_reduce:
  case OP_scan: {
    const char *op = b->parent->opcode == OP_reduce ? "reduce" : "scan";
    const char *side = v->index % 2 ? "rhs" : "lhs";
    if (b->n_args > 2)
      snprintf(out, size, "%s_%s%u", op, side, v->index / 2);
    else
      snprintf(out, size, "%s_%s", op, side);
    return true;
  }
  default: snprintf(out, size, "arg%u", v->index); return true;
  }
}

bool default_name(const ir_value *v, char *out, size_t size) {
  if (v->is_arg) return argument_name(v, out, size);
  const ir_op *op = v->owner.op;
  if (op->opcode == OP_constant) {
    const ir_attr *a = ir_get_attr(op, ATTR_value);
    if (a && a->dense) {
      constant_name(a->dense, out, size);
      return true;
    }
  }
  const char *names = ir_row(op)->names;
  if (!names) return false;
  for (uint32_t i = 0; i < v->index && names; i++) {
    names = strchr(names, ' ');
    if (names) names++;
  }
  if (!names) return false;
  snprintf(out, size, "%.*s", (int)strcspn(names, " "), names);
  return true;
}

/* ---- assignment ------------------------------------------------------------------------------ */

/* Takes the name when it is free. */
static bool claim(naming *n, str name) {
  bool added;
  uintptr_t *slot = strmap_put(&n->q->temp, &n->used, name, &added);
  if (added) *slot = (uintptr_t)arena_new(&n->q->temp, used_name);
  used_name *u = (used_name *)*slot;
  if (u->active) return false;
  u->active = true;
  u->next_in_scope = n->scope;
  n->scope = u;
  return true;
}

static uint32_t add_name(naming *n, str name) {
  vec_push(&n->q->temp, n->q->names, name);
  return n->q->names.len;
}

/* A free name made from `base`. */
static uint32_t claim_variant(naming *n, const char *base) {
  for (;;) {
    str name = str_of(arena_printf(&n->q->temp, "%s_%u", base, n->next_conflict++));
    if (claim(n, name)) return add_name(n, name);
  }
}

static uint32_t name_of(naming *n, const ir_value *v) {
  char text[128];
  if (has_own_name(v)) return claim(n, str_of(v->name)) ? 0 : claim_variant(n, v->name);
  if (!default_name(v, text, sizeof text)) {
    str number = str_of(arena_printf(&n->q->temp, "%u", n->next_number++));
    return add_name(n, number);
  }
  str name = arena_str(&n->q->temp, str_of(text));
  return claim(n, name) ? add_name(n, name) : claim_variant(n, text);
}

/* Whether result `i` gets a name of its own, or goes with those before it. */
static bool starts_group(const ir_op *op, uint32_t i) {
  char text[128];
  if (i == 0 || has_own_name(&op->results[i])) return true;
  return !has_own_name(&op->results[0]) && default_name(&op->results[i], text, sizeof text);
}

static void name_results(naming *n, ir_op *op) {
  for (uint32_t i = 0, head = 0; i < op->n_results; i++) {
    if (starts_group(op, i)) {
      head = i;
      op->results[i].number = name_of(n, &op->results[i]);
    } else {
      op->results[head].number |= NAME_HEAD;
      op->results[i].number = NAME_MEMBER | (i - head);
    }
  }
}

static void name_region(naming *n, ir_block *b);

static void name_op(naming *n, ir_op *op) {
  name_results(n, op);
  for (unsigned r = 0; r < op->n_regions; r++)
    if (op->regions[r]) name_region(n, op->regions[r]);
}

static void name_region(naming *n, ir_block *b) {
  if (n->depth == MAX_PRINT_DEPTH) return;
  used_name *outer = n->scope;
  bool isolated = ir_row(b->parent)->traits & TRAIT_ISOLATED;
  if (isolated) n->next_number = n->next_conflict = 0;
  n->scope = NULL;
  n->depth++;
  for (uint32_t i = 0; i < b->n_args; i++) b->args[i].number = name_of(n, &b->args[i]);
  for (ir_op *op = b->first; op; op = op->next) name_op(n, op);
  for (used_name *u = n->scope; u; u = u->next_in_scope) u->active = false;
  n->scope = outer;
  n->depth--;
}

void assign_names(printer *q, ir_op *root) {
  naming n = {.q = q};
  name_op(&n, root);
  q->numbered = true;
}
