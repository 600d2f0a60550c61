/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What computes values from values.
 */
#include <stdio.h>

#include "ir/version.h"
#include "num/num.h"

#include "random_make.h"

static const char *const predicates[] = {"equal",        "not_equal",
                                         "less_than",    "less_than_or_equal",
                                         "greater_than", "greater_than_or_equal"};

static const char *sign(maker *g) {
  return chance(g, 2) ? "signed" : "unsigned";
}

static const char *rounding(maker *g) {
  static const char *const modes[] = {"",
                                      "",
                                      "",
                                      " rounding<nearest_even>",
                                      " rounding<zero>",
                                      " rounding<negative_inf>",
                                      " rounding<positive_inf>"};
  return PICK(modes);
}

static const char *flush(maker *g, tsr_elem elem) {
  return elem == TSR_F32 && chance(g, 4) ? " flush_to_zero" : "";
}

/* The second operand: anything, a constant, the first again. */
static made second(maker *g, made a) {
  switch (draw(g, 5)) {
  case 0: return constant(g, a.elem, &a.shape);
  case 1: return a;
  default: return partner(g, a.elem, &a.shape);
  }
}

/* ---- integers ------------------------------------------------------------------------------- */

/* A divisor for which the quotient is defined: odd, from 1 to 7 (of i1 unsigned only). */
static made divisor(maker *g, made a) {
  if (g->limits.wild) return second(g, a);
  made small = small_ints(g, a.elem, &a.shape, 7);
  return int_op(g, "ori", small, whole_constant(g, a.elem, &a.shape, 1));
}

static made shift_amount(maker *g, made a) {
  if (g->limits.wild) return second(g, a);
  if (chance(g, 2))
    return whole_constant(g, a.elem, &a.shape, (int64_t)draw(g, tsr_elem_bits(a.elem)));
  return small_ints(g, a.elem, &a.shape, (int64_t)tsr_elem_bits(a.elem) - 1);
}

static void make_division(maker *g, made a) {
  static const char *const modes[] = {"", "", " rounding<zero>", " rounding<negative_inf>",
                                      " rounding<positive_inf>"};
  made b = divisor(g, a), m = result(g, a.elem, &a.shape);
  bool natural = a.elem == TSR_I1 && !g->limits.wild;
  if (natural && chance(g, 2))
    SAY("%%v%d = remi %%v%d, %%v%d unsigned : %s\n", m.id, a.id, b.id, TYPE(a));
  else if (natural || chance(g, 3))
    SAY("%%v%d = divi %%v%d, %%v%d unsigned%s : %s\n", m.id, a.id, b.id,
        chance(g, 2) ? "" : " rounding<positive_inf>", TYPE(a));
  else if (chance(g, 2))
    SAY("%%v%d = divi %%v%d, %%v%d signed%s : %s\n", m.id, a.id, b.id, PICK(modes), TYPE(a));
  else
    SAY("%%v%d = remi %%v%d, %%v%d %s : %s\n", m.id, a.id, b.id, sign(g), TYPE(a));
}

static void make_shift(maker *g, made a) {
  made b = shift_amount(g, a), m = result(g, a.elem, &a.shape);
  if (chance(g, 2))
    SAY("%%v%d = shli %%v%d, %%v%d : %s\n", m.id, a.id, b.id, TYPE(a));
  else
    SAY("%%v%d = shri %%v%d, %%v%d %s : %s\n", m.id, a.id, b.id, sign(g), TYPE(a));
}

/* A promise that holds: numbers from 0 to 7, and none negative comes out. */
static void make_promise(maker *g, made a) {
  static const char *const promises[] = {"no_signed_wrap", "no_unsigned_wrap", "no_wrap"};
  static const char *const ops[] = {"addi", "muli", "shli"};
  made x = small_ints(g, a.elem, &a.shape, 7), y = small_ints(g, a.elem, &a.shape, 3),
       m = result(g, a.elem, &a.shape);
  if (chance(g, 4)) {
    made seven = whole_constant(g, a.elem, &a.shape, 7);
    SAY("%%v%d = subi %%v%d, %%v%d overflow<%s> : %s\n", m.id, seven.id, x.id, PICK(promises),
        TYPE(a));
  } else {
    const char *first = PICK(ops);
    const char *then = PICK(promises);
    SAY("%%v%d = %s %%v%d, %%v%d overflow<%s> : %s\n", m.id, first, x.id, y.id, then, TYPE(a));
  }
}

static void make_integer(maker *g, made a) {
  static const char *const plain[] = {"addi", "addi", "subi", "muli", "mulhii",
                                      "andi", "ori",  "xori", "xori"};
  unsigned kind = (unsigned)draw(g, 16);
  bool truth = a.elem == TSR_I1;
  if (kind == 0) {
    make_division(g, a);
  } else if (kind == 1) {
    make_shift(g, a);
  } else if (kind == 2 && !truth) {
    make_promise(g, a);
  } else if (kind == 3) {
    made m = result(g, a.elem, &a.shape);
    SAY("%%v%d = %s %%v%d : %s\n", m.id, chance(g, 2) ? "negi" : "absi", a.id, TYPE(a));
  } else if (kind == 4) {
    made b = second(g, a), m = result(g, a.elem, &a.shape);
    const char *first = chance(g, 2) ? "maxi" : "mini";
    const char *then = sign(g);
    SAY("%%v%d = %s %%v%d, %%v%d %s : %s\n", m.id, first, a.id, b.id, then, TYPE(a));
  } else if (kind < 8) {
    made b = second(g, a), m = result(g, TSR_I1, &a.shape);
    const char *first = PICK(predicates);
    const char *then = sign(g);
    SAY("%%v%d = cmpi %s %%v%d, %%v%d, %s : %s -> %s\n", m.id, first, a.id, b.id, then, TYPE(a),
        TYPE(m));
  } else {
    made b = second(g, a);
    bool swap = chance(g, 3);
    made m = result(g, a.elem, &a.shape);
    SAY("%%v%d = %s %%v%d, %%v%d : %s\n", m.id, truth ? plain[5 + draw(g, 4)] : PICK(plain),
        swap ? b.id : a.id, swap ? a.id : b.id, TYPE(a));
  }
}

/* ---- floats --------------------------------------------------------------------------------- */

static void make_float(maker *g, made a) {
  static const char *const unary[] = {"negf", "absf", "floor", "ceil"};
  static const char *const binary[] = {"addf", "subf", "mulf", "divf"};
  unsigned kind = (unsigned)draw(g, 16);
  if (kind < 2) {
    made m = result(g, a.elem, &a.shape);
    SAY("%%v%d = %s %%v%d : %s\n", m.id, PICK(unary), a.id, TYPE(a));
  } else if (kind == 2) {
    made m = result(g, a.elem, &a.shape);
    const char *first = rounding(g);
    const char *then = flush(g, a.elem);
    SAY("%%v%d = sqrt %%v%d%s%s : %s\n", m.id, a.id, first, then, TYPE(a));
  } else if (kind == 3) {
    made b = second(g, a), m = result(g, a.elem, &a.shape);
    SAY("%%v%d = remf %%v%d, %%v%d : %s\n", m.id, a.id, b.id, TYPE(a));
  } else if (kind < 6) {
    made b = second(g, a), m = result(g, TSR_I1, &a.shape);
    const char *first = PICK(predicates);
    const char *then = chance(g, 2) ? "ordered" : "unordered";
    SAY("%%v%d = cmpf %s %s %%v%d, %%v%d : %s -> %s\n", m.id, first, then, a.id, b.id, TYPE(a),
        TYPE(m));
  } else if (kind < 8) {
    made b = second(g, a), m = result(g, a.elem, &a.shape);
    const char *first = chance(g, 2) ? "maxf" : "minf";
    const char *then = flush(g, a.elem);
    const char *last = chance(g, 2) ? " propagate_nan" : "";
    SAY("%%v%d = %s %%v%d, %%v%d%s%s : %s\n", m.id, first, a.id, b.id, then, last, TYPE(a));
  } else if (kind < 10) {
    made b = second(g, a), c = second(g, a), m = result(g, a.elem, &a.shape);
    const char *first = rounding(g);
    const char *then = flush(g, a.elem);
    SAY("%%v%d = fma %%v%d, %%v%d, %%v%d%s%s : %s\n", m.id, a.id, b.id, c.id, first, then, TYPE(a));
  } else {
    made b = second(g, a);
    bool swap = chance(g, 3);
    made m = result(g, a.elem, &a.shape);
    const char *first = PICK(binary);
    const char *then = rounding(g);
    const char *last = flush(g, a.elem);
    SAY("%%v%d = %s %%v%d, %%v%d%s%s : %s\n", m.id, first, swap ? b.id : a.id, swap ? a.id : b.id,
        then, last, TYPE(a));
  }
}

void make_elementwise(maker *g) {
  made a = pick(g);
  if (tsr_elem_is_int(a.elem))
    make_integer(g, a);
  else if (is_base_float(a.elem))
    make_float(g, a);
}

static void make_power(maker *g, made a, made m) {
  static const tsr_elem ints[] = {TSR_I1, TSR_I8, TSR_I16, TSR_I32};
  tsr_elem elem = PICK(ints);
  made n = elem == TSR_I1 ? partner(g, elem, &a.shape) : small_ints(g, elem, &a.shape, 40);
  SAY("%%v%d = fpowi %%v%d, %%v%d : %s, %s\n", m.id, a.id, n.id, TYPE(a), TYPE(n));
}

/* What no engine computes to the last bit goes to a place of its own. */
void make_function(maker *g) {
  static const char *const names[] = {"exp", "exp2", "log",  "log2", "sin",  "cos",
                                      "tan", "sinh", "cosh", "tanh", "rsqrt"};
  made a = pick_that(g, is_base_float);
  if (a.id < 0 || g->depth) return;
  made m;
  unsigned op = (unsigned)draw(g, ARRAY_LEN(names) + 3);
  if (op >= ARRAY_LEN(names)) {
    made b = second(g, a);
    m = fresh(g, a.elem, &a.shape);
    if (op == ARRAY_LEN(names) && a.elem == TSR_F32)
      SAY("%%v%d = divf %%v%d, %%v%d rounding<%s> : %s\n", m.id, a.id, b.id,
          chance(g, 2) ? "approx" : "full", TYPE(a));
    else if (chance(g, 3))
      make_power(g, a, m);
    else
      SAY("%%v%d = %s %%v%d, %%v%d : %s\n", m.id, chance(g, 2) ? "pow" : "atan2", a.id, b.id,
          TYPE(a));
  } else {
    bool can_flush = op == 1 || op == 10, has_modes = op == 0 || op == 9;
    m = fresh(g, a.elem, &a.shape);
    const char *first = has_modes && a.elem == TSR_F32 && chance(g, 3) ? " rounding<approx>" : "";
    const char *then = can_flush ? flush(g, a.elem) : "";
    SAY("%%v%d = %s %%v%d%s%s : %s\n", m.id, names[op], a.id, first, then, TYPE(a));
  }
  store_out(g, m, true);
}

/* ---- conversions ---------------------------------------------------------------------------- */

static void make_int_width(maker *g, made a) {
  static const tsr_elem ints[] = {TSR_I1, TSR_I8, TSR_I16, TSR_I32, TSR_I64};
  tsr_elem to = PICK(ints);
  unsigned from_bits = tsr_elem_bits(a.elem), to_bits = tsr_elem_bits(to);
  if (from_bits == to_bits) return;
  made m = result(g, to, &a.shape);
  if (to_bits > from_bits)
    SAY("%%v%d = exti %%v%d %s : %s -> %s\n", m.id, a.id, sign(g), TYPE(a), TYPE(m));
  else
    SAY("%%v%d = trunci %%v%d : %s -> %s\n", m.id, a.id, TYPE(a), TYPE(m));
}

/* Into 4 bits and back, by itself or through bytes. */
static void make_nibbles(maker *g, made a) {
  if (a.elem == TSR_I1 || shape_count(&a.shape) < 2) return;
  made low = fresh(g, TSR_I4, &a.shape);
  SAY("%%v%d = trunci %%v%d : %s -> %s\n", low.id, a.id, TYPE(a), TYPE(low));
  if (a.shape.rank == 1 && chance(g, 2)) {
    shape half = shape_flat(a.shape.size[0] / 2);
    made bytes = result(g, TSR_I8, &half);
    SAY("%%v%d = pack %%v%d : %s -> %s\n", bytes.id, low.id, TYPE(low), TYPE(bytes));
    low = fresh(g, TSR_I4, &a.shape);
    SAY("%%v%d = unpack %%v%d : %s -> %s\n", low.id, bytes.id, TYPE(bytes), TYPE(low));
  }
  made m = result(g, chance(g, 2) ? TSR_I8 : TSR_I32, &a.shape);
  SAY("%%v%d = exti %%v%d %s : %s -> %s\n", m.id, low.id, sign(g), TYPE(low), TYPE(m));
}

static const tsr_elem floats[] = {TSR_F16,      TSR_BF16,     TSR_F32,    TSR_F64,
                                  TSR_TF32,     TSR_F8E4M3FN, TSR_F8E5M2, TSR_F8E8M0FNU,
                                  TSR_F4E2M1FN, TSR_F8E5M3FNU};

/* A mode that ftof may round in. */
static const char *ftof_mode(maker *g, tsr_elem from, tsr_elem to) {
  static const char *const modes[] = {" rounding<zero>", "", " rounding<positive_inf>",
                                      " rounding<negative_inf>", " rounding<nearest_away>"};
  if (to == TSR_F8E8M0FNU) return modes[2 * draw(g, 2)];
  if (tsr_elem_bits(to) <= 8 || chance(g, 2)) return "";
  return modes[ir_ftof_is_widening(from, to) ? draw(g, 5) : draw(g, 2)];
}

static bool odd_nibbles(tsr_elem elem, const shape *s) {
  return elem == TSR_F4E2M1FN && shape_count(s) < 2;
}

static void make_ftof(maker *g, made a) {
  tsr_elem to = PICK(floats);
  if (to == a.elem || odd_nibbles(to, &a.shape)) return;
  made m = result(g, to, &a.shape);
  const char *mode = ftof_mode(g, a.elem, to);
  SAY("%%v%d = ftof %%v%d%s : %s -> %s\n", m.id, a.id, mode, TYPE(a), TYPE(m));
}

static void make_itof(maker *g, made a) {
  tsr_elem to = PICK(floats);
  if (to == TSR_F8E8M0FNU || odd_nibbles(to, &a.shape)) return;
  made m = result(g, to, &a.shape);
  SAY("%%v%d = itof %%v%d %s : %s -> %s\n", m.id, a.id, sign(g), TYPE(a), TYPE(m));
}

/* Clamped to what the integer holds; NaN becomes the lower bound. */
static void make_ftoi(maker *g, made a) {
  static const tsr_elem ints[] = {TSR_I8, TSR_I16, TSR_I32, TSR_I64};
  bool is_signed = chance(g, 2), saturates = chance(g, 3);
  if (!g->limits.wild && !saturates) {
    made low = whole_constant(g, a.elem, &a.shape, is_signed ? -100 : 0),
         high = whole_constant(g, a.elem, &a.shape, 100), x = fresh(g, a.elem, &a.shape),
         y = fresh(g, a.elem, &a.shape);
    SAY("%%v%d = maxf %%v%d, %%v%d : %s\n%%v%d = minf %%v%d, %%v%d : %s\n", x.id, a.id, low.id,
        TYPE(a), y.id, x.id, high.id, TYPE(a));
    a = y;
  }
  made m = result(g, PICK(ints), &a.shape);
  SAY("%%v%d = ftoi %%v%d %s%s : %s -> %s\n", m.id, a.id, is_signed ? "signed" : "unsigned",
      saturates ? " saturating" : "", TYPE(a), TYPE(m));
}

/* An element type of the same width. */
static void make_bitcast(maker *g, made a) {
  static const tsr_elem all[] = {TSR_I8,   TSR_I16, TSR_I32, TSR_I64,      TSR_F16,
                                 TSR_BF16, TSR_F32, TSR_F64, TSR_F8E4M3FN, TSR_F8E5M2};
  tsr_elem to = PICK(all);
  if (to == a.elem || a.elem == TSR_TF32 || tsr_elem_bits(to) != tsr_elem_bits(a.elem)) return;
  if (tsr_elem_is_float(to) && tsr_elem_is_float(a.elem)) return;
  made m = result(g, to, &a.shape);
  SAY("%%v%d = bitcast %%v%d : %s -> %s\n", m.id, a.id, TYPE(a), TYPE(m));
}

/* Bytes of a tile, and back. More of them than tiles may have elements are used for nothing else.
 */
static void make_bytes(maker *g, made a) {
  unsigned bits = tsr_elem_bits(a.elem);
  int64_t total = shape_count(&a.shape) * bits / 8;
  if (a.shape.rank != 1 || total < 1 || bits == 1 || bits == 8) return;
  shape s = shape_flat(total);
  bool fits = total <= INT64_C(1) << g->limits.bits;
  made m = fits ? result(g, TSR_I8, &s) : fresh(g, TSR_I8, &s);
  SAY("%%v%d = pack %%v%d : %s -> %s\n", m.id, a.id, TYPE(a), TYPE(m));
  if (fits && chance(g, 2)) return;
  made b = result(g, a.elem, &a.shape);
  SAY("%%v%d = unpack %%v%d : %s -> %s\n", b.id, m.id, TYPE(m), TYPE(b));
}

void make_conversion(maker *g) {
  made a = pick(g);
  unsigned kind = (unsigned)draw(g, 8);
  if (kind == 0)
    make_bytes(g, a);
  else if (kind == 1)
    make_bitcast(g, a);
  else if (tsr_elem_is_int(a.elem) && kind == 2)
    make_nibbles(g, a);
  else if (tsr_elem_is_int(a.elem) && kind < 5)
    make_int_width(g, a);
  else if (tsr_elem_is_int(a.elem))
    make_itof(g, a);
  else if (is_base_float(a.elem) && kind < 4)
    make_ftoi(g, a);
  else
    make_ftof(g, a);
}

/* ---- moving elements ------------------------------------------------------------------------ */

static void make_reshape(maker *g, made a) {
  int64_t left = shape_count(&a.shape);
  shape t = {.rank = (unsigned)draw(g, MAX_RANK + 1)};
  if (t.rank == 0 && left > 1) t.rank = 1;
  for (unsigned d = 0; d < t.rank; d++) {
    int64_t part = INT64_C(1) << draw(g, 6);
    while (part > left) part /= 2;
    if (d + 1 == t.rank) part = left;
    t.size[d] = part;
    left /= part;
  }
  made m = result(g, a.elem, &t);
  SAY("%%v%d = reshape %%v%d : %s -> %s\n", m.id, a.id, TYPE(a), TYPE(m));
}

static void make_permute(maker *g, made a) {
  unsigned p[MAX_RANK] = {0, 1, 2}, rank = a.shape.rank;
  if (rank < 2) return;
  shape t = a.shape;
  for (unsigned i = 0; i < rank; i++) {
    unsigned j = (unsigned)draw(g, rank), x = p[i];
    p[i] = p[j];
    p[j] = x;
  }
  for (unsigned i = 0; i < rank; i++) t.size[i] = a.shape.size[p[i]];
  made m = result(g, a.elem, &t);
  SAY("%%v%d = permute %%v%d [", m.id, a.id);
  for (unsigned i = 0; i < rank; i++) SAY("%s%u", i ? ", " : "", p[i]);
  SAY("] : %s -> %s\n", TYPE(a), TYPE(m));
}

static void make_broadcast(maker *g, made a) {
  shape t = a.shape;
  for (unsigned d = 0; d < t.rank; d++) {
    if (t.size[d] != 1 || chance(g, 3)) continue;
    int64_t size = INT64_C(1) << draw(g, g->limits.bits + 1);
    while (shape_count(&t) * size > INT64_C(1) << g->limits.bits) size /= 2;
    t.size[d] = size;
  }
  made m = result(g, a.elem, &t);
  SAY("%%v%d = broadcast %%v%d : %s -> %s\n", m.id, a.id, TYPE(a), TYPE(m));
}

static void make_cat(maker *g, made a) {
  if (a.shape.rank == 0 || shape_count(&a.shape) >= INT64_C(1) << g->limits.bits) return;
  made b = partner(g, a.elem, &a.shape);
  unsigned d = (unsigned)draw(g, a.shape.rank);
  shape t = a.shape;
  t.size[d] *= 2;
  made m = result(g, a.elem, &t);
  SAY("%%v%d = cat %%v%d, %%v%d dim = %u : %s, %s -> %s\n", m.id, a.id, b.id, d, TYPE(a), TYPE(b),
      TYPE(m));
}

/* Which of the equal slices that a tile divides into. */
static void make_indices(maker *g, const shape *whole, const shape *slice, int *index) {
  shape scalar = {0};
  for (unsigned d = 0; d < whole->rank; d++) {
    int64_t slices = whole->size[d] / slice->size[d];
    if (chance(g, 2))
      index[d] = whole_constant(g, TSR_I32, &scalar, (int64_t)draw(g, (uint64_t)slices)).id;
    else
      index[d] = small_ints(g, TSR_I32, &scalar, slices - 1).id;
  }
}

static void say_indices(maker *g, const int *index, unsigned n) {
  for (unsigned d = 0; d < n; d++) SAY("%s%%v%d", d ? ", " : "", index[d]);
}

static shape slice_of(maker *g, const shape *whole) {
  shape t = *whole;
  for (unsigned d = 0; d < t.rank; d++)
    while (t.size[d] > 1 && chance(g, 2)) t.size[d] /= 2;
  return t;
}

static void make_extract(maker *g, made a) {
  shape t = slice_of(g, &a.shape);
  int index[MAX_RANK];
  make_indices(g, &a.shape, &t, index);
  if (t.rank == 0 || odd_nibbles(a.elem, &t)) return;
  made m = result(g, a.elem, &t);
  SAY("%%v%d = extract %%v%d[", m.id, a.id);
  say_indices(g, index, t.rank);
  SAY("] : %s -> %s\n", TYPE(a), TYPE(m));
}

static void make_insert(maker *g, made a) {
  shape t = slice_of(g, &a.shape);
  int index[MAX_RANK];
  if (odd_nibbles(a.elem, &t)) return;
  made slice = partner(g, a.elem, &t);
  make_indices(g, &a.shape, &t, index);
  made m = result(g, a.elem, &a.shape);
  SAY("%%v%d = insert %%v%d, %%v%d[", m.id, slice.id, a.id);
  say_indices(g, index, t.rank);
  SAY("] : %s, %s -> %s\n", TYPE(slice), TYPE(a), TYPE(m));
}

void make_movement(maker *g) {
  made a = pick(g);
  switch (draw(g, 6)) {
  case 0: make_reshape(g, a); break;
  case 1: make_permute(g, a); break;
  case 2: make_broadcast(g, a); break;
  case 3: make_cat(g, a); break;
  case 4: make_insert(g, a); break;
  default: make_extract(g, a);
  }
}

static bool can_select(tsr_elem e) {
  return tsr_elem_bits(e) != 4;
}

void make_select(maker *g) {
  made a = pick_that(g, can_select);
  if (a.id < 0) return;
  made c = partner(g, TSR_I1, &a.shape), b = second(g, a);
  if (chance(g, 3)) c = int_op(g, "xori", c, whole_constant(g, TSR_I1, &c.shape, 1));
  bool swap = chance(g, 2);
  made m = result(g, a.elem, &a.shape);
  SAY("%%v%d = select %%v%d, %%v%d, %%v%d : %s, %s\n", m.id, c.id, swap ? b.id : a.id,
      swap ? a.id : b.id, TYPE(c), TYPE(a));
}

/* ---- reductions ----------------------------------------------------------------------------- */

/* Operations whose order does not matter, with their identity. `wide`: written for any width. */
typedef struct body {
  const char *text; /* %%a, %%b are combined to %%c; the type is TYPE */
  const char *identity;
} body;

static const body int_bodies[] = {
    {"%c = addi %a, %b : T\n", "0"},
    {"%c = muli %b, %a : T\n", "1"},
    {"%c = xori %a, %b : T\n", "0"},
    {"%c = andi %a, %b : T\n", "-1"},
    {"%c = ori %a, %b : T\n", "0"},
    {"%c = maxi %a, %b signed : T\n", "MIN"},
    {"%c = mini %a, %b signed : T\n", "MAX"},
    {"%c = maxi %a, %b unsigned : T\n", "0"},
    {"%c = mini %a, %b unsigned : T\n", "-1"},
    {"%d = addi %a, %b : T\n%e = muli %a, %b : T\n%c = addi %d, %e : T\n", "0"},
    {"%k = constant <E: 3> : T\n%d = addi %a, %k : T\n%c = addi %d, %b : T\n", "-3"},
    {"%k = constant <E: 5> : T\n%d = xori %b, %k : T\n%c = xori %a, %d : T\n", "5"},
    {"%d = cmpi less_than %a, %b, signed : T -> tile<i1>\n%c = select %d, %a, %b : tile<i1>, T\n",
     "MAX"},
};

static const body float_bodies[] = {
    {"%c = maxf %a, %b : T\n", "NAN"},
    {"%c = minf %b, %a : T\n", "NAN"},
    {"%c = maxf %a, %b propagate_nan : T\n", "-INF"},
    {"%c = minf %a, %b propagate_nan : T\n", "INF"},
};

/* Of whole numbers only. */
static const body sum_bodies[] = {{"%c = addf %a, %b : T\n", "0.0"},
                                  {"%c = addf %b, %a rounding<zero> : T\n", "0.0"}};

/* The text with names made unique by `tag` and T, E replaced. */
static void say_body(maker *g, const char *text, tsr_elem elem, int tag) {
  for (const char *c = text; *c; c++) {
    if (*c == '%')
      SAY("%%%c%d_", c[1], tag), c++;
    else if (*c == 'T')
      SAY("tile<%s>", tsr_elem_name(elem));
    else if (*c == 'E')
      SAY("%s", tsr_elem_name(elem));
    else
      SAY("%c", *c);
  }
}

static void say_identity(maker *g, const char *identity, tsr_elem elem) {
  const num_format *f = num_format_of(elem);
  unsigned bits = tsr_elem_bits(elem);
  if (elem == TSR_I1) /* its largest number is 0, its smallest -1 */
    SAY("%s", strcmp(identity, "0") == 0 || strcmp(identity, "MAX") == 0 ? "false" : "true");
  else if (strcmp(identity, "NAN") == 0)
    SAY("0x%0*llx", (int)bits / 4, (unsigned long long)num_nan(f));
  else if (strcmp(identity, "INF") == 0 || strcmp(identity, "-INF") == 0)
    SAY("0x%0*llx", (int)bits / 4, (unsigned long long)num_inf(f, identity[0] == '-'));
  else if (strcmp(identity, "MIN") == 0)
    SAY("%lld", (long long)(INT64_MIN >> (64 - bits)));
  else if (strcmp(identity, "MAX") == 0)
    SAY("%lld", (long long)(INT64_MAX >> (64 - bits)));
  else
    SAY("%s", identity);
  SAY(" : %s", tsr_elem_name(elem));
}

static bool can_reduce(tsr_elem e) {
  return tsr_elem_is_int(e) || is_base_float(e);
}

/* Small whole numbers whose sums along a dimension are exact in any order: of all elements, or of
 * so few that the mantissa holds what they come to. The others are zero. */
static made summands(maker *g, tsr_elem elem, const shape *s, unsigned dim) {
  made x = small_floats(g, elem, s);
  int64_t room = elem == TSR_BF16 ? 32 : elem == TSR_F16 ? 256 : INT64_MAX, stride = 1;
  if (s->size[dim] <= room) return x;
  for (unsigned d = dim + 1; d < s->rank; d++) stride *= s->size[d];
  int64_t mask = s->size[dim] / room - 1, which = (int64_t)draw(g, (uint64_t)mask + 1);
  made at = iota_of(g, TSR_I32, s),
       low = int_op(g, "andi", at, whole_constant(g, TSR_I32, s, mask * stride)),
       one = whole_constant(g, TSR_I32, s, which * stride), zero = whole_constant(g, elem, s, 0),
       keep = fresh(g, TSR_I1, s), m = fresh(g, elem, s);
  SAY("%%v%d = cmpi equal %%v%d, %%v%d, signed : %s -> %s\n", keep.id, low.id, one.id, TYPE(low),
      TYPE(keep));
  SAY("%%v%d = select %%v%d, %%v%d, %%v%d : %s, %s\n", m.id, keep.id, x.id, zero.id, TYPE(keep),
      TYPE(m));
  return m;
}

static body body_for(maker *g, made *a, unsigned dim) {
  if (tsr_elem_is_int(a->elem)) {
    body b = PICK(int_bodies);
    bool fits = a->elem != TSR_I1 || !strstr(b.text, "constant");
    return fits ? b : int_bodies[2];
  }
  if (chance(g, 2)) return PICK(float_bodies);
  *a = summands(g, a->elem, &a->shape, dim);
  return PICK(sum_bodies);
}

/* The larger number and where it stands: the body uses both. */
static const char pair_body[] = "%l = cmpi greater_than %a, %b, signed : T -> tile<i1>\n"
                                "%e = cmpi equal %a, %b, signed : T -> tile<i1>\n"
                                "%f = cmpi less_than %i, %j, signed : tile<i32> -> tile<i1>\n"
                                "%g = andi %e, %f : tile<i1>\n%h = ori %l, %g : tile<i1>\n"
                                "%c = select %h, %a, %b : tile<i1>, T\n"
                                "%d = select %h, %i, %j : tile<i1>, tile<i32>\n";

static void say_head(maker *g, const char *op, unsigned dim, const char *ids) {
  SAY("%s %s dim=%u ", op, ids, dim);
  if (strcmp(op, "scan") == 0) SAY("reverse=%s ", chance(g, 2) ? "true" : "false");
  SAY("identities=[");
}

static void make_pair_reduction(maker *g, made a, const char *op, unsigned dim, const shape *t) {
  made at = iota_of(g, TSR_I32, &a.shape), r = result(g, a.elem, t), s = result(g, TSR_I32, t);
  int tag = g->next++;
  char ids[64], e[16];
  snprintf(ids, sizeof ids, "%%v%d, %%v%d", a.id, at.id);
  snprintf(e, sizeof e, "%s", tsr_elem_name(a.elem));
  SAY("%%v%d, %%v%d = ", r.id, s.id);
  say_head(g, op, dim, ids);
  say_identity(g, "MIN", a.elem);
  SAY(", 2147483647 : i32] : %s, %s -> %s, %s (%%a%d_: tile<%s>, %%b%d_: tile<%s>, %%i%d_: "
      "tile<i32>, %%j%d_: tile<i32>) {\n",
      TYPE(a), TYPE(at), TYPE(r), TYPE(s), tag, e, tag, e, tag, tag);
  say_body(g, pair_body, a.elem, tag);
  SAY("yield %%c%d_, %%d%d_ : tile<%s>, tile<i32>\n}\n", tag, tag, e);
}

void make_aggregate(maker *g) {
  made a = pick_that(g, can_reduce);
  if (a.id < 0 || a.shape.rank == 0) return;
  unsigned dim = (unsigned)draw(g, a.shape.rank);
  bool scan = chance(g, 3);
  const char *op = scan ? "scan" : "reduce";
  shape t = a.shape;
  if (!scan) {
    for (unsigned i = dim; i + 1 < t.rank; i++) t.size[i] = t.size[i + 1];
    t.rank--;
  }
  if (tsr_elem_is_int(a.elem) && chance(g, 5)) {
    make_pair_reduction(g, a, op, dim, &t);
    return;
  }
  body b = body_for(g, &a, dim);
  made m = result(g, a.elem, &t);
  int tag = g->next++;
  char ids[32];
  snprintf(ids, sizeof ids, "%%v%d", a.id);
  SAY("%%v%d = ", m.id);
  say_head(g, op, dim, ids);
  say_identity(g, b.identity, a.elem);
  const char *e = tsr_elem_name(a.elem);
  SAY("] : %s -> %s (%%a%d_: tile<%s>, %%b%d_: tile<%s>) {\n", TYPE(a), TYPE(m), tag, e, tag, e);
  say_body(g, b.text, a.elem, tag);
  SAY("yield %%c%d_ : tile<%s>\n}\n", tag, e);
}

/* ---- numbers of elements --------------------------------------------------------------------- */

/* As many as the type can count. */
void make_numbers(maker *g) {
  static const tsr_elem ints[] = {TSR_I1, TSR_I1, TSR_I8, TSR_I16, TSR_I32, TSR_I64};
  tsr_elem elem = PICK(ints);
  shape s = random_shape(g);
  unsigned bits = tsr_elem_bits(elem);
  if (bits < 16 && shape_count(&s) > INT64_C(1) << bits) s = shape_flat(INT64_C(1) << draw(g, 2));
  add_value(g, iota_of(g, elem, &s));
}

/* ---- matrix products ------------------------------------------------------------------------ */

static shape matrix(unsigned rank, int64_t rows, int64_t columns, int64_t batch) {
  shape s = {.rank = rank, .size = {rows, columns}};
  if (rank == 3) s = (shape){.rank = 3, .size = {batch, rows, columns}};
  return s;
}

/* lhs, rhs and acc have few elements; what `bits` allows. */
static void product_shapes(maker *g, shape *a, shape *b, shape *c) {
  unsigned limit = MIN(g->limits.bits, 8u);
  int64_t m = INT64_C(1) << draw(g, limit / 2 + 1), n = INT64_C(1) << draw(g, limit / 2 + 1),
          k = INT64_C(1) << draw(g, limit / 2 + 1), batch = INT64_C(1) << draw(g, 2);
  unsigned rank = chance(g, 4) ? 3 : 2;
  *a = matrix(rank, m, k, batch);
  *b = matrix(rank, k, n, batch);
  *c = matrix(rank, m, n, batch);
}

static void make_int_product(maker *g) {
  shape a, b, c;
  product_shapes(g, &a, &b, &c);
  made x = partner(g, TSR_I8, &a), y = partner(g, TSR_I8, &b), z = partner(g, TSR_I32, &c),
       m = result(g, TSR_I32, &c);
  const char *first = sign(g);
  const char *then = sign(g);
  SAY("%%v%d = mmai %%v%d, %%v%d, %%v%d %s %s : %s, %s, %s\n", m.id, x.id, y.id, z.id, first, then,
      TYPE(x), TYPE(y), TYPE(z));
}

static void make_float_product(maker *g) {
  static const struct {
    tsr_elem in, acc;
  } pairs[] = {{TSR_F16, TSR_F16},      {TSR_F16, TSR_F32},      {TSR_BF16, TSR_F32},
               {TSR_F32, TSR_F32},      {TSR_TF32, TSR_F32},     {TSR_F64, TSR_F64},
               {TSR_F8E4M3FN, TSR_F32}, {TSR_F8E4M3FN, TSR_F16}, {TSR_F8E5M2, TSR_F32}};
  unsigned p = (unsigned)draw(g, ARRAY_LEN(pairs));
  shape a, b, c;
  product_shapes(g, &a, &b, &c);
  /* As many rows as a warpgroup's instruction has: with 1024 elements there is room for its k of 16
   * and of 32-bit elements. */
  bool fits = pairs[p].in == TSR_F16 || pairs[p].in == TSR_BF16 || pairs[p].in == TSR_TF32;
  if (g->limits.bits >= 10 && fits && chance(g, 2)) {
    int64_t n = INT64_C(8) << draw(g, 2), k = pairs[p].in == TSR_TF32 ? 8 : 16;
    a = matrix(2, 64, k, 1), b = matrix(2, k, n, 1), c = matrix(2, 64, n, 1);
  }
  made x = small_floats(g, pairs[p].in, &a), y = small_floats(g, pairs[p].in, &b),
       z = small_floats(g, pairs[p].acc, &c), m = result(g, pairs[p].acc, &c);
  SAY("%%v%d = mmaf %%v%d, %%v%d, %%v%d : %s, %s, %s\n", m.id, x.id, y.id, z.id, TYPE(x), TYPE(y),
      TYPE(z));
}

/* Powers of two close to 1. */
static made scale(maker *g, tsr_elem elem, const shape *s) {
  made i = small_ints(g, TSR_I8, s, 3), m = fresh(g, elem, s);
  if (elem == TSR_F8E8M0FNU) {
    i = int_op(g, "addi", i, whole_constant(g, TSR_I8, s, 125));
    SAY("%%v%d = bitcast %%v%d : %s -> %s\n", m.id, i.id, TYPE(i), TYPE(m));
    return m;
  }
  made one = whole_constant(g, TSR_I8, s, 1);
  i = int_op(g, "shli", one, i);
  SAY("%%v%d = itof %%v%d unsigned : %s -> %s\n", m.id, i.id, TYPE(i), TYPE(m));
  return m;
}

static void make_scaled_product(maker *g) {
  static const struct {
    tsr_elem in, scale;
    int block;
  } kinds[] = {{TSR_F8E4M3FN, TSR_F8E8M0FNU, 32},
               {TSR_F8E5M2, TSR_F8E8M0FNU, 32},
               {TSR_F4E2M1FN, TSR_F8E8M0FNU, 32},
               {TSR_F4E2M1FN, TSR_F8E8M0FNU, 16},
               {TSR_F4E2M1FN, TSR_F8E4M3FN, 16}};
  unsigned q = (unsigned)draw(g, ARRAY_LEN(kinds));
  int64_t block = kinds[q].block, m = INT64_C(1) << draw(g, 2), n = INT64_C(1) << draw(g, 2),
          k = block << draw(g, 2);
  if (MAX(m, n) * k > INT64_C(1) << g->limits.bits) m = n = 1;
  if (k > INT64_C(1) << g->limits.bits) return;
  shape a = matrix(2, m, k, 1), b = matrix(2, k, n, 1), c = matrix(2, m, n, 1),
        d = matrix(2, m, k / block, 1), e = matrix(2, k / block, n, 1);
  made x = small_floats(g, kinds[q].in, &a), y = small_floats(g, kinds[q].in, &b),
       z = small_floats(g, TSR_F32, &c), s = scale(g, kinds[q].scale, &d),
       t = scale(g, kinds[q].scale, &e), r = result(g, TSR_F32, &c);
  SAY("%%v%d = mmaf_scaled %%v%d, %%v%d, %%v%d, %%v%d, %%v%d : %s, %s, %s, %s, %s\n", r.id, x.id,
      y.id, z.id, s.id, t.id, TYPE(x), TYPE(y), TYPE(z), TYPE(s), TYPE(t));
}

void make_product(maker *g) {
  switch (draw(g, 4)) {
  case 0: make_int_product(g); break;
  case 1: make_scaled_product(g); break;
  default: make_float_product(g);
  }
}

/* ---- assumptions that hold ------------------------------------------------------------------ */

void make_assume(maker *g) {
  shape s = random_shape(g);
  tsr_elem elem = chance(g, 2) ? TSR_I32 : TSR_I64;
  made a = small_ints(g, elem, &s, 15), m = fresh(g, elem, &s);
  switch (draw(g, 4)) {
  case 0:
    SAY("%%v%d = assume bounded<0, %d>, %%v%d : %s\n", m.id, 15 + (int)draw(g, 3), a.id, TYPE(a));
    break;
  case 1:
    SAY("%%v%d = assume bounded<%s>, %%v%d : %s\n", m.id, chance(g, 2) ? "?, 15" : "-1, ?", a.id,
        TYPE(a));
    break;
  case 2: {
    int64_t by = INT64_C(1) << draw(g, 5);
    made x = int_op(g, "muli", a, whole_constant(g, elem, &s, by * (1 + (int64_t)draw(g, 3))));
    SAY("%%v%d = assume div_by<%d>, %%v%d : %s\n", m.id, (int)by, x.id, TYPE(a));
    break;
  }
  default: {
    shape one = shape_ones(&s), scalar = {0};
    made x = reshaped(g, small_ints(g, elem, &scalar, 15), &one), y = fresh(g, elem, &s);
    SAY("%%v%d = broadcast %%v%d : %s -> %s\n%%v%d = assume same_elements<[", y.id, x.id, TYPE(x),
        TYPE(y), m.id);
    for (unsigned d = 0; d < s.rank; d++) SAY("%s%d", d ? ", " : "", (int)s.size[d]);
    SAY("]>, %%v%d : %s\n", y.id, TYPE(y));
  }
  }
  add_value(g, m);
}
