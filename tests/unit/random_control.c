/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Branches and loops. Each carries a few values and the token of WORK, so that accesses inside are
 * ordered after those before, and those after after them.
 */
#include "random_make.h"

enum { CARRIED = 3 };

/* What a region hides when it ends. */
typedef struct scope {
  made values[MAX_VALUES];
  unsigned n;
} scope;

static void enter(maker *g, scope *s) {
  memcpy(s->values, g->values, sizeof s->values);
  s->n = g->n;
  g->depth++;
}

static void leave(maker *g, const scope *s) {
  memcpy(g->values, s->values, sizeof s->values);
  g->n = s->n;
  g->depth--;
}

/* A jump with values of the types of `like`, and the token. */
static void jump(maker *g, const char *name, const made *like, unsigned n, const made *first) {
  made use[CARRIED + 1];
  unsigned count = 0;
  if (first) use[count++] = *first;
  for (unsigned i = 0; i < n; i++) use[count++] = partner(g, like[i].elem, &like[i].shape);
  int token = join_all(g);
  SAY("%s ", name);
  for (unsigned i = 0; i < count; i++) SAY("%%v%d, ", use[i].id);
  SAY("%%t%d : ", token);
  for (unsigned i = 0; i < count; i++) SAY("%s, ", TYPE(use[i]));
  SAY("token\n");
}

static unsigned choose_carried(maker *g, made *out) {
  unsigned n = (unsigned)draw(g, CARRIED + 1);
  for (unsigned i = 0; i < n; i++) out[i] = pick(g);
  return n;
}

static void say_types(maker *g, const made *v, unsigned n) {
  for (unsigned i = 0; i < n; i++) SAY("%s, ", TYPE(v[i]));
  SAY("token");
}

/* "%v1, %v2, %t3 = " for results of these types; returned in `out`. */
static int say_results(maker *g, const made *like, unsigned n, made *out) {
  for (unsigned i = 0; i < n; i++) {
    out[i] = fresh(g, like[i].elem, &like[i].shape);
    SAY("%%v%d, ", out[i].id);
  }
  int token = g->next++;
  SAY("%%t%d = ", token);
  return token;
}

/* A condition that is known, or not, or known inside a loop only. */
static made condition(maker *g) {
  shape scalar = {0};
  if (chance(g, 5)) return constant(g, TSR_I1, &scalar);
  if (chance(g, 2)) return partner(g, TSR_I1, &scalar);
  static const char *const predicates[] = {"less_than",    "less_than_or_equal",
                                           "greater_than", "greater_than_or_equal",
                                           "equal",        "not_equal"};
  tsr_elem elem = chance(g, 2) ? TSR_I32 : TSR_I64;
  made a = partner(g, elem, &scalar), b = partner(g, elem, &scalar), m = fresh(g, TSR_I1, &scalar);
  const char *first = PICK(predicates);
  const char *then = chance(g, 3) ? "unsigned" : "signed";
  SAY("%%v%d = cmpi %s %%v%d, %%v%d, %s : %s -> tile<i1>\n", m.id, first, a.id, b.id, then,
      TYPE(a));
  return m;
}

void make_if(maker *g) {
  if (g->depth == MAX_DEPTH) return;
  made carried[CARRIED], results[CARRIED], c = condition(g);
  unsigned n = choose_carried(g, carried);
  int before = join_all(g), token = say_results(g, carried, n, results);
  SAY("if %%v%d -> (", c.id);
  say_types(g, carried, n);
  SAY(") {\n");
  for (int side = 0; side < 2; side++) {
    scope s;
    enter(g, &s);
    g->token = before;
    make_ops(g, (unsigned)draw(g, 4));
    jump(g, "yield", carried, n, NULL);
    leave(g, &s);
    SAY(side ? "}\n" : "} else {\n");
  }
  g->token = token;
  for (unsigned i = 0; i < n; i++) add_value(g, results[i]);
}

/* An `if` without results that may leave what is around it. */
static void maybe_jump(maker *g, const char *name, const made *carried, unsigned n,
                       const made *first) {
  made c = condition(g);
  int before = join_all(g);
  scope s;
  SAY("if %%v%d {\n", c.id);
  enter(g, &s);
  make_ops(g, (unsigned)draw(g, 2));
  jump(g, name, carried, n, first);
  leave(g, &s);
  SAY("}\n");
  g->token = before;
  g->n_loads = 0;
}

/* Bounds that are constants or not; 4 iterations at most. */
static made bound(maker *g, tsr_elem elem, int64_t v) {
  shape scalar = {0};
  made k = whole_constant(g, elem, &scalar, v);
  if (chance(g, 2)) return k;
  made some = partner(g, elem, &scalar), zero = whole_constant(g, elem, &scalar, 0);
  return int_op(g, "addi", int_op(g, "andi", some, zero), k);
}

void make_for(maker *g) {
  static const tsr_elem elems[] = {TSR_I32, TSR_I32, TSR_I64, TSR_I16, TSR_I8};
  if (g->depth == MAX_DEPTH) return;
  tsr_elem elem = PICK(elems);
  bool is_unsigned = chance(g, 4);
  int64_t step = 1 + (int64_t)draw(g, 3), low = (int64_t)draw(g, 9) - (is_unsigned ? 0 : 4);
  int64_t steps = (int64_t)draw(g, 4), less = (int64_t)draw(g, 2), high = low + step * steps - less;
  shape scalar = {0};
  made carried[CARRIED], results[CARRIED], inside[CARRIED];
  unsigned n = choose_carried(g, carried);
  made from = bound(g, elem, low), by = bound(g, elem, step),
       to = bound(g, elem, is_unsigned ? MAX(high, INT64_C(0)) : high);
  int before = join_all(g), token = say_results(g, carried, n, results);
  made i = fresh(g, elem, &scalar);
  SAY("for %s%%v%d in (%%v%d to %%v%d, step %%v%d) : %s iter_values(",
      is_unsigned ? "unsigned " : "", i.id, from.id, to.id, by.id, TYPE(i));
  for (unsigned k = 0; k < n; k++) {
    inside[k] = fresh(g, carried[k].elem, &carried[k].shape);
    SAY("%%v%d = %%v%d, ", inside[k].id, carried[k].id);
  }
  int inner = g->next++;
  SAY("%%t%d = %%t%d) -> (", inner, before);
  say_types(g, carried, n);
  SAY(") {\n");
  scope s;
  enter(g, &s);
  g->token = inner;
  for (unsigned k = 0; k < n; k++) add_value(g, inside[k]);
  add_value(g, i);
  make_ops(g, 1 + (unsigned)draw(g, 4));
  if (chance(g, 3)) {
    maybe_jump(g, "continue", carried, n, NULL);
    make_ops(g, 1);
  }
  jump(g, "continue", carried, n, NULL);
  leave(g, &s);
  SAY("}\n");
  g->token = token;
  for (unsigned k = 0; k < n; k++) add_value(g, results[k]);
}

/* Counts up and ends after 4 iterations at most, in one of several ways. */
void make_loop(maker *g) {
  if (g->depth == MAX_DEPTH) return;
  shape scalar = {0};
  made carried[CARRIED], results[CARRIED], inside[CARRIED];
  unsigned n = choose_carried(g, carried);
  made zero = bound(g, TSR_I32, 0), limit = bound(g, TSR_I32, (int64_t)draw(g, 4));
  int before = join_all(g);
  made last = fresh(g, TSR_I32, &scalar), i = fresh(g, TSR_I32, &scalar);
  SAY("%%v%d, ", last.id);
  int token = say_results(g, carried, n, results), inner = g->next++;
  SAY("loop iter_values(%%v%d = %%v%d, ", i.id, zero.id);
  for (unsigned k = 0; k < n; k++) {
    inside[k] = fresh(g, carried[k].elem, &carried[k].shape);
    SAY("%%v%d = %%v%d, ", inside[k].id, carried[k].id);
  }
  SAY("%%t%d = %%t%d) : tile<i32>, ", inner, before);
  say_types(g, carried, n);
  SAY(" -> tile<i32>, ");
  say_types(g, carried, n);
  SAY(" {\n");
  scope s;
  enter(g, &s);
  g->token = inner;
  for (unsigned k = 0; k < n; k++) add_value(g, inside[k]);
  add_value(g, i);
  if (chance(g, 2)) make_ops(g, 1 + (unsigned)draw(g, 2));
  made next = int_op(g, "addi", i, whole_constant(g, TSR_I32, &scalar, 1)),
       c = fresh(g, TSR_I1, &scalar);
  SAY("%%v%d = cmpi greater_than %%v%d, %%v%d, signed : tile<i32> -> tile<i1>\n", c.id, next.id,
      limit.id);
  int now = join_all(g);
  scope t;
  SAY("if %%v%d {\n", c.id);
  enter(g, &t);
  make_ops(g, (unsigned)draw(g, 2));
  jump(g, "break", carried, n, &next);
  leave(g, &t);
  SAY("}\n");
  g->token = now;
  make_ops(g, (unsigned)draw(g, 3));
  if (chance(g, 4)) maybe_jump(g, "break", carried, n, &next);
  if (chance(g, 4)) maybe_jump(g, "continue", carried, n, &next);
  jump(g, "continue", carried, n, &next);
  leave(g, &s);
  SAY("}\n");
  g->token = token;
  add_value(g, last);
  for (unsigned k = 0; k < n; k++) add_value(g, results[k]);
}

/* Ends the tile block, sometimes. */
static void make_return(maker *g) {
  if (g->depth) return;
  made c = condition(g);
  int before = join_all(g);
  SAY("if %%v%d {\n", c.id);
  scope s;
  enter(g, &s);
  make_ops(g, 1);
  SAY("return\n}\n");
  leave(g, &s);
  g->token = before;
  g->n_loads = 0;
}

/* ---- effects -------------------------------------------------------------------------------- */

void make_print(maker *g) {
  made a = pick(g);
  if (is_low_float(a.elem) || shape_count(&a.shape) > 8) return;
  const char *format = tsr_elem_is_float(a.elem) ? (chance(g, 2) ? "%g" : "%.3e")
                       : a.elem == TSR_I64       ? "%lld"
                                                 : (chance(g, 2) ? "%d" : "%x");
  int token = g->next++;
  SAY("%%t%d = print_tko \"%s 100%%%%\\n\", %%v%d token=%%t%d : %s -> token\n", token, format, a.id,
      g->token, TYPE(a));
  g->token = token;
}

void make_assert(maker *g) {
  made a = partner(g, TSR_I1, &(shape){0});
  if (chance(g, 2)) { /* that holds */
    made yes = whole_constant(g, TSR_I1, &a.shape, 1);
    a = int_op(g, "ori", a, yes);
  }
  SAY("assert %%v%d, \"assertion %d\" : %s\n", a.id, g->next, TYPE(a));
}

/* ---- all operations ------------------------------------------------------------------------- */

void make_ops(maker *g, unsigned count) {
  static const struct {
    void (*make)(maker *g);
    unsigned weight;
  } kinds[] = {{make_elementwise, 24}, {make_conversion, 8},
               {make_function, 2},     {make_movement, 9},
               {make_select, 4},       {make_aggregate, 4},
               {make_product, 2},      {make_assume, 2},
               {make_load_view, 4},    {make_load_pointers, 4},
               {make_store_view, 3},   {make_store_pointers, 3},
               {make_atomic, 2},       {make_atomic_view, 1},
               {make_alloca, 1},       {make_global, 1},
               {make_pointer_loop, 1}, {make_address, 1},
               {make_shape_query, 1},  {make_print, 1},
               {make_assert, 1},       {make_if, 4},
               {make_for, 4},          {make_loop, 3},
               {make_return, 1},       {make_store_rows, 2},
               {make_numbers, 2},      {make_gather, 4},
               {make_move, 3}};
  unsigned total = 0;
  for (unsigned k = 0; k < ARRAY_LEN(kinds); k++) total += kinds[k].weight;
  for (unsigned i = 0; i < count; i++) {
    unsigned at = (unsigned)draw(g, total), k = 0;
    while (at >= kinds[k].weight) at -= kinds[k++].weight;
    kinds[k].make(g);
  }
}
