/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "random_program.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "run_program.h"

enum { MAX_VALUES = 64 };

/* ---- making programs ------------------------------------------------------------------------ */

typedef struct shape {
  unsigned rank;
  int64_t size[3];
} shape;

typedef enum kind { I8, I16, I32, I64, F32, F64, F16, I1, KINDS } kind;

static const char *const kind_names[] = {"i8", "i16", "i32", "i64", "f32", "f64", "f16", "i1"};

typedef struct made {
  int id;
  kind kind;
  shape shape;
} made;

typedef struct maker {
  sbuf text;
  uint64_t state;
  int next;
  made values[MAX_VALUES];
  unsigned n;
  unsigned stores; /* slots written so far */
  kind stored[RANDOM_SLOTS];
  unsigned depth;
  bool rich;
} maker;

static uint64_t draw(maker *g, uint64_t below) {
  g->state ^= g->state << 13;
  g->state ^= g->state >> 7;
  g->state ^= g->state << 17;
  return (g->state >> 11) % below;
}

static int64_t count_of(const shape *s) {
  int64_t n = 1;
  for (unsigned d = 0; d < s->rank; d++) n *= s->size[d];
  return n;
}

static bool same_shape(const shape *a, const shape *b) {
  if (a->rank != b->rank) return false;
  for (unsigned d = 0; d < a->rank; d++)
    if (a->size[d] != b->size[d]) return false;
  return true;
}

static const char *type_of(const shape *s, const char *elem) {
  static char text[8][96];
  static int at;
  char *t = text[at++ & 7];
  int n = snprintf(t, 96, "tile<");
  for (unsigned d = 0; d < s->rank; d++)
    n += snprintf(t + n, 96 - (size_t)n, "%dx", (int)s->size[d]);
  snprintf(t + n, 96 - (size_t)n, "%s>", elem);
  return t;
}

static made *add(maker *g, kind k, const shape *s) {
  unsigned at = g->n < MAX_VALUES ? g->n++ : (unsigned)draw(g, MAX_VALUES);
  g->values[at] = (made){.id = g->next++, .kind = k, .shape = *s};
  return &g->values[at];
}

/* A rich program works on what it made last, so that operations meet and results are stored. */
static made pick(maker *g) {
  if (g->rich && g->n > 4 && draw(g, 3)) return g->values[g->n - 1 - draw(g, 4)];
  return g->values[draw(g, g->n)];
}

static shape random_shape(maker *g) {
  shape s = {.rank = 1 + (unsigned)draw(g, 3)};
  unsigned bits = (unsigned)draw(g, 11);
  for (unsigned d = 0; d < s.rank; d++) {
    unsigned b = d + 1 == s.rank ? bits : (unsigned)draw(g, bits + 1);
    s.size[d] = INT64_C(1) << b;
    bits -= b;
  }
  return s;
}

#define SAY(...) sbuf_printf(&g->text, __VA_ARGS__)

static bool is_int(kind k) {
  return k <= I64;
}

/* Splat constant. */
static made constant(maker *g, kind k, const shape *s) {
  int64_t v = (int64_t)draw(g, 21) - 10;
  made *m = add(g, k, s);
  if (g->rich && !is_int(k) && k != I1) {
    static const char *const special[] = {"0.0", "-0.0", "1.0", "-1.0", "2.0", "-0.25", "3.0"};
    SAY("%%v%d = constant <%s: %s> : %s\n", m->id, kind_names[k], special[draw(g, 7)],
        type_of(s, kind_names[k]));
    return *m;
  }
  if (g->rich && draw(g, 2)) v = (int64_t)draw(g, 4) - 1;
  if (k == I1)
    SAY("%%v%d = constant <i1: %d> : %s\n", m->id, (int)(v & 1), type_of(s, "i1"));
  else if (is_int(k))
    SAY("%%v%d = constant <%s: %d> : %s\n", m->id, kind_names[k], (int)v,
        type_of(s, kind_names[k]));
  else
    SAY("%%v%d = constant <%s: %d.5> : %s\n", m->id, kind_names[k], (int)v,
        type_of(s, kind_names[k]));
  return *m;
}

static made partner(maker *g, kind k, const shape *s) {
  for (unsigned tries = 0; tries < 12; tries++) {
    made m = pick(g);
    if (m.kind == k && same_shape(&m.shape, s)) return m;
  }
  return constant(g, k, s);
}

/* A tile of consecutive numbers of this shape, times and plus something. */
static void make_iota(maker *g) {
  shape s = random_shape(g), flat = {.rank = 1, .size = {count_of(&s)}};
  kind k = draw(g, 3) ? I32 : I64;
  int a = g->next++, b = g->next++, c = g->next++, d = g->next++;
  SAY("%%v%d = iota : %s\n", a, type_of(&flat, kind_names[k]));
  SAY("%%v%d = reshape %%v%d : %s -> %s\n", b, a, type_of(&flat, kind_names[k]),
      type_of(&s, kind_names[k]));
  SAY("%%v%d = constant <%s: %d> : %s\n", c, kind_names[k], (int)draw(g, 9) - 4,
      type_of(&s, kind_names[k]));
  SAY("%%v%d = muli %%v%d, %%v%d : %s\n", d, b, c, type_of(&s, kind_names[k]));
  if (draw(g, 4) == 0) { /* close to where it wraps around; known at run time only */
    shape one = s;
    for (unsigned n = 0; n < one.rank; n++) one.size[n] = 1;
    int e = g->next++, f = g->next++, h = g->next++, o = g->next++;
    SAY("%%v%d = constant <i32: %d> : tile<i32>\n", e, 0x7fffffff - (int)draw(g, 1000));
    SAY("%%v%d = muli %%v%d, %%one : tile<i32>\n", f, e);
    if (k == I64) {
      SAY("%%v%d = exti %%v%d signed : tile<i32> -> tile<i64>\n", o, f);
      f = o;
    }
    SAY("%%v%d = reshape %%v%d : tile<%s> -> %s\n", h, f, kind_names[k],
        type_of(&one, kind_names[k]));
    c = g->next++;
    SAY("%%v%d = broadcast %%v%d : %s -> %s\n", c, h, type_of(&one, kind_names[k]),
        type_of(&s, kind_names[k]));
  }
  made *m = add(g, k, &s);
  SAY("%%v%d = addi %%v%d, %%v%d : %s\n", m->id, d, c, type_of(&s, kind_names[k]));
}

/* A view of part of the memory, of which the tile may be partly outside. */
static void make_load_view(maker *g) {
  shape s = random_shape(g);
  kind k = (kind)draw(g, 7);
  const char *e = kind_names[k];
  int q = g->next++, v = g->next++, w = g->next++, z = g->next++;
  char dims[3][64] = {"", "", ""};
  bool turned = s.rank == 2 && draw(g, 3) == 0;
  int64_t stride = 1, total = count_of(&s);
  int64_t extent[3], strides[3];
  for (unsigned d = s.rank; d-- > 0;) {
    extent[d] = s.size[turned ? s.rank - 1 - d : d] + (int64_t)draw(g, 3) - 1;
    if (draw(g, 2)) extent[d] = s.size[turned ? s.rank - 1 - d : d];
    strides[d] = stride;
    stride *= extent[d] > 0 ? extent[d] : 1;
  }
  if (total * 8 > RANDOM_SLOT) return;
  for (unsigned d = 0; d < s.rank; d++) {
    if (extent[d] < 1) extent[d] = 1;
    size_t n = strlen(dims[0]);
    snprintf(dims[0] + n, 64 - n, "%s%d", d ? "x" : "", (int)extent[d]);
    n = strlen(dims[1]);
    snprintf(dims[1] + n, 64 - n, "%s%d", d ? "," : "", (int)strides[d]);
    n = strlen(dims[2]);
    snprintf(dims[2] + n, 64 - n, "%s%d", d ? "x" : "", (int)s.size[d]);
  }
  char shape_list[64], stride_list[64];
  int n = 0, o = 0;
  for (unsigned d = 0; d < s.rank; d++) {
    n += snprintf(shape_list + n, 64 - (size_t)n, "%s%d", d ? ", " : "", (int)extent[d]);
    o += snprintf(stride_list + o, 64 - (size_t)o, "%s%d", d ? ", " : "", (int)strides[d]);
  }
  char view[192], part[384];
  snprintf(view, sizeof view, "tensor_view<%sx%s, strides=[%s]>", dims[0], e, dims[1]);
  snprintf(part, sizeof part, "partition_view<tile=(%s), %s%s%s>", dims[2],
           is_int(k) || draw(g, 2) ? "padding_value = zero, " : "padding_value = neg_inf, ", view,
           turned ? ", dim_map = [1, 0]" : "");
  SAY("%%v%d = ptr_to_ptr %%p : tile<ptr<i8>> -> tile<ptr<%s>>\n", q, e);
  SAY("%%v%d = make_tensor_view %%v%d, shape = [%s], strides = [%s] : %s\n", v, q, shape_list,
      stride_list, view);
  SAY("%%v%d = make_partition_view %%v%d : %s\n", w, v, part);
  SAY("%%v%d = muli %%zero, %%%s : tile<i32>\n", z, draw(g, 2) ? "one" : "zero");
  made *m = add(g, k, &s);
  SAY("%%v%d, %%t%d = load_view_tko weak %%v%d[", m->id, m->id, w);
  for (unsigned d = 0; d < s.rank; d++) SAY("%s%%v%d", d ? ", " : "", z);
  SAY("] : %s, tile<i32> -> %s, token\n", part, type_of(&s, e));
}

/* Addresses base + index * step, all inside; sometimes masked. */
static void make_load_pointers(maker *g) {
  shape s = random_shape(g), flat = {.rank = 1, .size = {count_of(&s)}}, one = s;
  if (flat.size[0] > 512) return;
  for (unsigned d = 0; d < one.rank; d++) one.size[d] = 1;
  kind k = (kind)draw(g, 7);
  const char *e = kind_names[k];
  char ptr[16];
  snprintf(ptr, sizeof ptr, "ptr<%s>", e);
  int i = g->next++, j = g->next++, c = g->next++, x = g->next++, q = g->next++, r = g->next++,
      b = g->next++, o = g->next++;
  SAY("%%v%d = iota : %s\n", i, type_of(&flat, "i32"));
  SAY("%%v%d = reshape %%v%d : %s -> %s\n", j, i, type_of(&flat, "i32"), type_of(&s, "i32"));
  SAY("%%v%d = constant <i32: %d> : %s\n", c, (int)draw(g, 3), type_of(&s, "i32"));
  SAY("%%v%d = muli %%v%d, %%v%d : %s\n", x, j, c, type_of(&s, "i32"));
  if (draw(g, 4) == 0) { /* not linear */
    int y = g->next++;
    SAY("%%v%d = xori %%v%d, %%v%d : %s\n", y, x, c, type_of(&s, "i32"));
    x = y;
  }
  SAY("%%v%d = ptr_to_ptr %%p : tile<ptr<i8>> -> tile<%s>\n", q, ptr);
  SAY("%%v%d = reshape %%v%d : tile<%s> -> %s\n", r, q, ptr, type_of(&one, ptr));
  SAY("%%v%d = broadcast %%v%d : %s -> %s\n", b, r, type_of(&one, ptr), type_of(&s, ptr));
  SAY("%%v%d = offset %%v%d, %%v%d : %s, %s -> %s\n", o, b, x, type_of(&s, ptr), type_of(&s, "i32"),
      type_of(&s, ptr));
  if (draw(g, 2)) {
    int lim = g->next++, mask = g->next++;
    SAY("%%v%d = constant <i32: %d> : %s\n", lim, (int)draw(g, (uint64_t)flat.size[0] + 4),
        type_of(&s, "i32"));
    SAY("%%v%d = cmpi less_than %%v%d, %%v%d, signed : %s -> %s\n", mask, j, lim,
        type_of(&s, "i32"), type_of(&s, "i1"));
    made pad = partner(g, k, &s);
    made *m = add(g, k, &s);
    SAY("%%v%d, %%t%d = load_ptr_tko weak %%v%d, %%v%d, %%v%d : %s, %s, %s -> %s, token\n", m->id,
        m->id, o, mask, pad.id, type_of(&s, ptr), type_of(&s, "i1"), type_of(&s, e),
        type_of(&s, e));
    return;
  }
  made *m = add(g, k, &s);
  SAY("%%v%d, %%t%d = load_ptr_tko weak %%v%d : %s -> %s, token\n", m->id, m->id, o,
      type_of(&s, ptr), type_of(&s, e));
}

static void make_arithmetic(maker *g) {
  static const char *const ints[] = {"addi", "subi", "muli", "andi", "ori", "xori"};
  static const char *const floats[] = {"addf", "subf", "mulf", "maxf", "minf", "divf"};
  made a = pick(g);
  if (a.kind == I1) {
    made b = partner(g, I1, &a.shape);
    made *m = add(g, I1, &a.shape);
    SAY("%%v%d = %s %%v%d, %%v%d : %s\n", m->id, ints[3 + draw(g, 3)], a.id, b.id,
        type_of(&a.shape, "i1"));
    return;
  }
  made b = partner(g, a.kind, &a.shape);
  const char *t = type_of(&a.shape, kind_names[a.kind]);
  made *m = add(g, a.kind, &a.shape);
  if (!is_int(a.kind)) {
    SAY("%%v%d = %s %%v%d, %%v%d : %s\n", m->id, floats[draw(g, 6)], a.id, b.id, t);
  } else if (draw(g, 4) == 0) {
    SAY("%%v%d = %s %%v%d, %%v%d %s : %s\n", m->id, draw(g, 2) ? "maxi" : "mini", a.id, b.id,
        draw(g, 2) ? "signed" : "unsigned", t);
  } else {
    SAY("%%v%d = %s %%v%d, %%v%d : %s\n", m->id, ints[draw(g, 6)], a.id, b.id, t);
  }
}

static void make_select(maker *g) {
  made a = pick(g), b = partner(g, a.kind, &a.shape);
  const char *t = type_of(&a.shape, kind_names[a.kind]), *c = type_of(&a.shape, "i1");
  if (a.kind == I1) return;
  made *m = add(g, I1, &a.shape);
  int mask = m->id;
  if (is_int(a.kind))
    SAY("%%v%d = cmpi less_than %%v%d, %%v%d, signed : %s -> %s\n", mask, a.id, b.id, t, c);
  else
    SAY("%%v%d = cmpf less_than ordered %%v%d, %%v%d : %s -> %s\n", mask, a.id, b.id, t, c);
  made d = partner(g, a.kind, &a.shape);
  m = add(g, a.kind, &a.shape);
  SAY("%%v%d = select %%v%d, %%v%d, %%v%d : %s, %s\n", m->id, mask, d.id, b.id, c, t);
}

static void make_conversion(maker *g) {
  made a = pick(g);
  const char *t = type_of(&a.shape, kind_names[a.kind]);
  kind to;
  if (is_int(a.kind) && draw(g, 2)) {
    to = (kind)draw(g, 4);
    if (to == a.kind) return;
    made *m = add(g, to, &a.shape);
    if (to > a.kind)
      SAY("%%v%d = exti %%v%d %s : %s -> %s\n", m->id, a.id, draw(g, 2) ? "signed" : "unsigned", t,
          type_of(&a.shape, kind_names[to]));
    else
      SAY("%%v%d = trunci %%v%d : %s -> %s\n", m->id, a.id, t, type_of(&a.shape, kind_names[to]));
  } else if (is_int(a.kind)) {
    made *m = add(g, F32, &a.shape);
    SAY("%%v%d = itof %%v%d signed : %s -> %s\n", m->id, a.id, t, type_of(&a.shape, "f32"));
  } else if (a.kind != I1) {
    to = (kind)(F32 + draw(g, 3));
    if (to == a.kind) return;
    made *m = add(g, to, &a.shape);
    SAY("%%v%d = ftof %%v%d : %s -> %s\n", m->id, a.id, t, type_of(&a.shape, kind_names[to]));
  }
}

/* Indices of a slice, each a constant or known at run time only. */
static void make_indices(maker *g, const shape *whole, const shape *slice, int *index) {
  for (unsigned i = 0; i < whole->rank; i++) {
    int64_t slices = whole->size[i] / slice->size[i], at = (int64_t)draw(g, (uint64_t)slices);
    index[i] = g->next++;
    if (draw(g, 2)) {
      SAY("%%v%d = constant <i32: %d> : tile<i32>\n", index[i], (int)at);
    } else {
      int c = g->next++;
      SAY("%%v%d = constant <i32: %d> : tile<i32>\n", c, (int)at);
      SAY("%%v%d = muli %%v%d, %%one : tile<i32>\n", index[i], c);
    }
  }
}

static void say_indices(maker *g, const int *index, unsigned n) {
  for (unsigned i = 0; i < n; i++) SAY("%s%%v%d", i ? ", " : "[", index[i]);
  SAY("] : ");
}

/* Takes a slice out, changes it, and puts it somewhere. */
static void make_insertion(maker *g, made a) {
  const char *e = kind_names[a.kind];
  shape s = a.shape, t = s;
  int index[3];
  for (unsigned i = 0; i < s.rank; i++)
    if (draw(g, 3) && t.size[i] > 1) t.size[i] /= 2;
  make_indices(g, &s, &t, index);
  made *part = add(g, a.kind, &t);
  int slice = part->id;
  SAY("%%v%d = extract %%v%d", slice, a.id);
  say_indices(g, index, s.rank);
  SAY("%s -> %s\n", type_of(&s, e), type_of(&t, e));
  make_indices(g, &s, &t, index);
  int whole = partner(g, a.kind, &s).id;
  made *m = add(g, a.kind, &s);
  SAY("%%v%d = insert %%v%d, %%v%d", m->id, slice, whole);
  say_indices(g, index, s.rank);
  SAY("%s, %s -> %s\n", type_of(&t, e), type_of(&s, e), type_of(&s, e));
}

/* Moving elements: reshape, permute, broadcast, cat, extract, insert. */
static void make_movement(maker *g) {
  made a = pick(g);
  const char *e = kind_names[a.kind];
  shape s = a.shape;
  unsigned d = (unsigned)draw(g, s.rank);
  switch (draw(g, 6)) {
  case 0: {
    shape t = {.rank = 1 + (unsigned)draw(g, 3), .size = {1, 1, 1}};
    int64_t left = count_of(&s);
    for (unsigned i = 0; i + 1 < t.rank; i++) {
      int64_t part = INT64_C(1) << draw(g, 6);
      while (part > left) part /= 2;
      t.size[i] = part;
      left /= part;
    }
    t.size[t.rank - 1] = left;
    made *m = add(g, a.kind, &t);
    SAY("%%v%d = reshape %%v%d : %s -> %s\n", m->id, a.id, type_of(&s, e), type_of(&t, e));
    return;
  }
  case 1: {
    if (s.rank < 2) return;
    shape t = s;
    unsigned p[3] = {0, 1, 2};
    for (unsigned i = 0; i < s.rank; i++) {
      unsigned j = (unsigned)draw(g, s.rank), x = p[i];
      p[i] = p[j];
      p[j] = x;
    }
    for (unsigned i = 0; i < s.rank; i++) t.size[i] = s.size[p[i]];
    made *m = add(g, a.kind, &t);
    SAY("%%v%d = permute %%v%d [", m->id, a.id);
    for (unsigned i = 0; i < s.rank; i++) SAY("%s%u", i ? ", " : "", p[i]);
    SAY("] : %s -> %s\n", type_of(&s, e), type_of(&t, e));
    return;
  }
  case 2: {
    shape t = s;
    if (s.size[d] != 1 || count_of(&s) > 256) return;
    t.size[d] = 8;
    made *m = add(g, a.kind, &t);
    SAY("%%v%d = broadcast %%v%d : %s -> %s\n", m->id, a.id, type_of(&s, e), type_of(&t, e));
    return;
  }
  case 3: {
    if (count_of(&s) > 512) return;
    made b = partner(g, a.kind, &s);
    shape t = s;
    t.size[d] *= 2;
    made *m = add(g, a.kind, &t);
    SAY("%%v%d = cat %%v%d, %%v%d dim = %u : %s, %s -> %s\n", m->id, a.id, b.id, d, type_of(&s, e),
        type_of(&s, e), type_of(&t, e));
    return;
  }
  case 4: make_insertion(g, a); return;
  default: {
    shape t = s;
    int index[3];
    for (unsigned i = 0; i < s.rank; i++)
      if (draw(g, 2) && t.size[i] > 1) t.size[i] /= 2;
    make_indices(g, &s, &t, index);
    made *m = add(g, a.kind, &t);
    SAY("%%v%d = extract %%v%d", m->id, a.id);
    say_indices(g, index, s.rank);
    SAY("%s -> %s\n", type_of(&s, e), type_of(&t, e));
    return;
  }
  }
}

static void make_aggregate(maker *g) {
  static const struct {
    const char *op, *after, *identity;
  } bodies[] = {{"addi", "", "0"},
                {"xori", "", "0"},
                {"maxi", " signed", "-3"},
                {"andi", "", "-1"},
                {"addi", "", "5"}};
  made a = pick(g);
  if (a.kind != I32 && a.kind != I64 && a.kind != I16) return;
  const char *e = kind_names[a.kind];
  unsigned d = (unsigned)draw(g, a.shape.rank), b = (unsigned)draw(g, 5);
  bool scan = draw(g, 3) == 0;
  shape t = a.shape;
  if (!scan) {
    for (unsigned i = d; i + 1 < t.rank; i++) t.size[i] = t.size[i + 1];
    t.rank--;
  }
  int x = g->next++, y = g->next++, z = g->next++, r = g->next++;
  SAY("%%v%d = %s %%v%d dim=%u %sidentities=[%s : %s] : %s -> %s (%%a%d: tile<%s>, %%b%d: "
      "tile<%s>) {\n",
      r, scan ? "scan" : "reduce", a.id, d,
      scan ? (draw(g, 2) ? "reverse=true " : "reverse=false ") : "", bodies[b].identity, e,
      type_of(&a.shape, e), type_of(&t, e), x, e, y, e);
  SAY("  %%c%d = %s %%a%d, %%b%d%s : tile<%s>\n  yield %%c%d : tile<%s>\n}\n", z, bodies[b].op, x,
      y, bodies[b].after, e, z, e);
  if (t.rank) {
    made *m = add(g, a.kind, &t);
    m->id = r;
  } else {
    shape one = {.rank = 1, .size = {1}};
    made *m = add(g, a.kind, &one);
    SAY("%%v%d = reshape %%v%d : tile<%s> -> tile<1x%s>\n", m->id, r, e, e);
  }
}

static void make_mma(maker *g) {
  int64_t m = INT64_C(1) << draw(g, 5), n = INT64_C(1) << draw(g, 6), k = INT64_C(1) << draw(g, 5);
  shape a = {.rank = 2, .size = {m, k}}, b = {.rank = 2, .size = {k, n}},
        c = {.rank = 2, .size = {m, n}};
  made x = partner(g, I8, &a), y = partner(g, I8, &b), z = partner(g, I32, &c);
  made *r = add(g, I32, &c);
  SAY("%%v%d = mmai %%v%d, %%v%d, %%v%d %s %s : %s, %s, %s\n", r->id, x.id, y.id, z.id,
      draw(g, 2) ? "signed" : "unsigned", draw(g, 2) ? "signed" : "unsigned", type_of(&a, "i8"),
      type_of(&b, "i8"), type_of(&c, "i32"));
}

/* Stores to a slot of its own, or (`over`) over the beginning of what was loaded from. */
static void make_store(maker *g, made v, bool over) {
  if (v.kind == I1 || (!over && g->stores == RANDOM_SLOTS)) return;
  int64_t count = count_of(&v.shape);
  shape flat = {.rank = 1, .size = {count}};
  const char *e = kind_names[v.kind];
  if (count * 8 > RANDOM_SLOT) return;
  unsigned at = over ? (unsigned)draw(g, 3) * 8 : (2 + g->stores) * RANDOM_SLOT;
  if (!over) g->stored[g->stores++] = v.kind;
  int f = g->next++, o = g->next++, q = g->next++, r = g->next++, w = g->next++, x = g->next++,
      z = g->next++;
  char view[96];
  snprintf(view, sizeof view, "tensor_view<%dx%s, strides=[1]>", (int)count, e);
  SAY("%%v%d = reshape %%v%d : %s -> %s\n", f, v.id, type_of(&v.shape, e), type_of(&flat, e));
  SAY("%%v%d = constant <i32: %u> : tile<i32>\n", o, at);
  SAY("%%v%d = offset %%p, %%v%d : tile<ptr<i8>>, tile<i32> -> tile<ptr<i8>>\n", q, o);
  SAY("%%v%d = ptr_to_ptr %%v%d : tile<ptr<i8>> -> tile<ptr<%s>>\n", r, q, e);
  SAY("%%v%d = make_tensor_view %%v%d, shape = [%d], strides = [1] : %s\n", w, r, (int)count, view);
  SAY("%%v%d = make_partition_view %%v%d : partition_view<tile=(%d), %s>\n", x, w, (int)count,
      view);
  SAY("%%v%d = constant <i32: 0> : tile<i32>\n", z);
  SAY("%%t%d = store_view_tko weak %%v%d, %%v%d[%%v%d] : %s, partition_view<tile=(%d), %s>, "
      "tile<i32> -> token\n",
      f, f, x, z, type_of(&flat, e), (int)count, view);
}

/* A loop that carries addresses, each iteration moving all of them by as much. */
static void make_pointer_loop(maker *g) {
  shape s = random_shape(g), flat = {.rank = 1, .size = {count_of(&s)}}, one = s;
  if (flat.size[0] > 256) return;
  for (unsigned d = 0; d < one.rank; d++) one.size[d] = 1;
  kind k = draw(g, 2) ? I32 : I16;
  const char *e = kind_names[k];
  char ptr[16], ptrs[96], tile[96];
  snprintf(ptr, sizeof ptr, "ptr<%s>", e);
  snprintf(ptrs, sizeof ptrs, "%s", type_of(&s, ptr));
  snprintf(tile, sizeof tile, "%s", type_of(&s, e));
  int i = g->next++, j = g->next++, q = g->next++, r = g->next++, b = g->next++, o = g->next++;
  SAY("%%v%d = iota : %s\n", i, type_of(&flat, "i32"));
  SAY("%%v%d = reshape %%v%d : %s -> %s\n", j, i, type_of(&flat, "i32"), type_of(&s, "i32"));
  if (draw(g, 3) == 0) {
    int y = g->next++;
    SAY("%%v%d = xori %%v%d, %%v%d : %s\n", y, j, j, type_of(&s, "i32"));
    j = y;
  }
  SAY("%%v%d = ptr_to_ptr %%p : tile<ptr<i8>> -> tile<%s>\n", q, ptr);
  SAY("%%v%d = reshape %%v%d : tile<%s> -> %s\n", r, q, ptr, type_of(&one, ptr));
  SAY("%%v%d = broadcast %%v%d : %s -> %s\n", b, r, type_of(&one, ptr), ptrs);
  SAY("%%v%d = offset %%v%d, %%v%d : %s, %s -> %s\n", o, b, j, ptrs, type_of(&s, "i32"), ptrs);
  int step = g->next++, sum = g->next++, last = g->next++, at = g->next++, acc = g->next++,
      x = g->next++, next = g->next++, more = g->next++;
  made zero = partner(g, k, &s);
  SAY("%%v%d = constant <i32: %d> : %s\n", step, (int)draw(g, 64), type_of(&s, "i32"));
  SAY("%%v%d, %%v%d = for %%v%d in (%%zero to %%three, step %%one) : tile<i32> iter_values(%%v%d = "
      "%%v%d, %%v%d = %%v%d) -> (%s, %s) {\n",
      last, sum, g->next++, at, o, acc, zero.id, ptrs, tile);
  SAY("%%v%d, %%t%d = load_ptr_tko weak %%v%d : %s -> %s, token\n", x, x, at, ptrs, tile);
  SAY("%%v%d = addi %%v%d, %%v%d : %s\n", more, acc, x, tile);
  if (draw(g, 2)) make_store(g, (made){more, k, s}, true);
  SAY("%%v%d = offset %%v%d, %%v%d : %s, %s -> %s\n", next, at, step, ptrs, type_of(&s, "i32"),
      ptrs);
  SAY("continue %%v%d, %%v%d : %s, %s\n}\n", next, more, ptrs, tile);
  made *m = add(g, k, &s);
  m->id = sum;
  m = add(g, k, &s);
  SAY("%%v%d, %%t%d = load_ptr_tko weak %%v%d : %s -> %s, token\n", m->id, m->id, last, ptrs, tile);
}

/* Through pointers, over memory that loads read too; the order of elements is turned around. */
static void make_store_pointers(maker *g) {
  made v = pick(g);
  shape flat = {.rank = 1, .size = {count_of(&v.shape)}}, one = v.shape;
  if (v.kind == I1 || flat.size[0] > 256) return;
  for (unsigned d = 0; d < one.rank; d++) one.size[d] = 1;
  const char *e = kind_names[v.kind];
  char ptr[16];
  snprintf(ptr, sizeof ptr, "ptr<%s>", e);
  int i = g->next++, j = g->next++, c = g->next++, x = g->next++, q = g->next++, r = g->next++,
      b = g->next++, o = g->next++, mask = g->next++;
  SAY("%%v%d = iota : %s\n", i, type_of(&flat, "i32"));
  SAY("%%v%d = reshape %%v%d : %s -> %s\n", j, i, type_of(&flat, "i32"), type_of(&v.shape, "i32"));
  SAY("%%v%d = constant <i32: %d> : %s\n", c, (int)flat.size[0] - 1, type_of(&v.shape, "i32"));
  SAY("%%v%d = %s %%v%d, %%v%d : %s\n", x, draw(g, 2) ? "subi" : "xori", c, j,
      type_of(&v.shape, "i32"));
  SAY("%%v%d = ptr_to_ptr %%p : tile<ptr<i8>> -> tile<%s>\n", q, ptr);
  SAY("%%v%d = reshape %%v%d : tile<%s> -> %s\n", r, q, ptr, type_of(&one, ptr));
  SAY("%%v%d = broadcast %%v%d : %s -> %s\n", b, r, type_of(&one, ptr), type_of(&v.shape, ptr));
  SAY("%%v%d = offset %%v%d, %%v%d : %s, %s -> %s\n", o, b, x, type_of(&v.shape, ptr),
      type_of(&v.shape, "i32"), type_of(&v.shape, ptr));
  SAY("%%v%d = cmpi %s %%v%d, %%v%d, signed : %s -> %s\n", mask,
      draw(g, 2) ? "less_than" : "greater_than_or_equal", x, j, type_of(&v.shape, "i32"),
      type_of(&v.shape, "i1"));
  SAY("%%t%d = store_ptr_tko weak %%v%d, %%v%d, %%v%d : %s, %s, %s -> token\n", o, o, v.id, mask,
      type_of(&v.shape, ptr), type_of(&v.shape, e), type_of(&v.shape, "i1"));
}

static void make_ops(maker *g, unsigned count);

/* A loop that carries two tiles, or a branch that gives one. */
static void make_region(maker *g) {
  if (g->depth == 2) return;
  made a = pick(g), b = pick(g);
  const char *ta = type_of(&a.shape, kind_names[a.kind]),
             *tb = type_of(&b.shape, kind_names[b.kind]);
  char types_a[96], types_b[96];
  snprintf(types_a, 96, "%s", ta);
  snprintf(types_b, 96, "%s", tb);
  int i = g->next++, x = g->next++, y = g->next++, rx = g->next++, ry = g->next++;
  unsigned outside = g->n;
  made *saved = malloc(sizeof g->values);
  memcpy(saved, g->values, sizeof g->values);
  g->depth++;
  if (draw(g, 3)) {
    SAY("%%v%d, %%v%d = for %%v%d in (%%zero to %%three, step %%one) : tile<i32> iter_values(%%v%d "
        "= %%v%d, %%v%d = %%v%d) -> (%s, %s) {\n",
        rx, ry, i, x, a.id, y, b.id, types_a, types_b);
    made *m = add(g, a.kind, &a.shape);
    m->id = x;
    m = add(g, b.kind, &b.shape);
    m->id = y;
    make_ops(g, 2 + (unsigned)draw(g, 4));
    made na = partner(g, a.kind, &a.shape), nb = partner(g, b.kind, &b.shape);
    SAY("continue %%v%d, %%v%d : %s, %s\n}\n", na.id, nb.id, types_a, types_b);
  } else {
    SAY("%%v%d, %%v%d = if %%odd -> (%s, %s) {\n", rx, ry, types_a, types_b);
    for (int side = 0; side < 2; side++) {
      make_ops(g, 1 + (unsigned)draw(g, 3));
      made na = partner(g, a.kind, &a.shape), nb = partner(g, b.kind, &b.shape);
      SAY("yield %%v%d, %%v%d : %s, %s\n}%s", na.id, nb.id, types_a, types_b,
          side ? "\n" : " else {\n");
      memcpy(g->values, saved, sizeof g->values);
      g->n = outside;
    }
  }
  g->depth--;
  memcpy(g->values, saved, sizeof g->values);
  g->n = outside;
  free(saved);
  made *m = add(g, a.kind, &a.shape);
  m->id = rx;
  m = add(g, b.kind, &b.shape);
  m->id = ry;
}

/* ---- what optimisers look at ---------------------------------------------------------------- */

static void make_rich_integer(maker *g, made a) {
  static const char *const binary[] = {"shli", "shri", "divi", "remi", "mulhii", "maxi", "mini"};
  static const char *const predicates[] = {"equal",        "not_equal",
                                           "less_than",    "less_than_or_equal",
                                           "greater_than", "greater_than_or_equal"};
  const char *t = type_of(&a.shape, kind_names[a.kind]), *sign = draw(g, 2) ? "signed" : "unsigned";
  made b = draw(g, 3)   ? constant(g, a.kind, &a.shape)
           : draw(g, 2) ? a
                        : partner(g, a.kind, &a.shape);
  unsigned op = (unsigned)draw(g, 12);
  bool swap = draw(g, 4) == 0;
  int x = swap ? b.id : a.id, y = swap ? a.id : b.id;
  if (op == 10) {
    made *m = add(g, I1, &a.shape);
    SAY("%%v%d = cmpi %s %%v%d, %%v%d, %s : %s -> %s\n", m->id, predicates[draw(g, 6)], x, y, sign,
        t, type_of(&a.shape, "i1"));
    return;
  }
  made *m = add(g, a.kind, &a.shape);
  if (op == 0)
    SAY("%%v%d = shli %%v%d, %%v%d : %s\n", m->id, x, y, t);
  else if (op == 4)
    SAY("%%v%d = mulhii %%v%d, %%v%d : %s\n", m->id, x, y, t);
  else if (op < 7)
    SAY("%%v%d = %s %%v%d, %%v%d %s : %s\n", m->id, binary[op], x, y, sign, t);
  else if (op == 7)
    SAY("%%v%d = negi %%v%d : %s\n", m->id, x, t);
  else if (op == 8)
    SAY("%%v%d = absi %%v%d : %s\n", m->id, x, t);
  else if (op == 9)
    SAY("%%v%d = subi %%v%d, %%v%d : %s\n", m->id, x, y, t);
  else
    SAY("%%v%d = addi %%v%d, %%v%d : %s\n", m->id, x, y, t);
}

static void make_rich_float(maker *g, made a) {
  static const char *const unary[] = {"negf", "absf", "floor", "ceil", "sqrt"};
  static const char *const binary[] = {"addf", "subf", "mulf", "divf"};
  static const char *const modes[] = {"", " rounding<zero>", " rounding<negative_inf>",
                                      " rounding<positive_inf>"};
  static const char *const predicates[] = {"equal",        "not_equal",
                                           "less_than",    "less_than_or_equal",
                                           "greater_than", "greater_than_or_equal"};
  const char *t = type_of(&a.shape, kind_names[a.kind]);
  made b = draw(g, 3)   ? constant(g, a.kind, &a.shape)
           : draw(g, 2) ? a
                        : partner(g, a.kind, &a.shape);
  bool flush = a.kind == F32 && draw(g, 4) == 0, swap = draw(g, 4) == 0;
  int x = swap ? b.id : a.id, y = swap ? a.id : b.id;
  if (draw(g, 8) == 0) {
    made *m = add(g, I1, &a.shape);
    SAY("%%v%d = cmpf %s %s %%v%d, %%v%d : %s -> %s\n", m->id, predicates[draw(g, 6)],
        draw(g, 2) ? "ordered" : "unordered", x, y, t, type_of(&a.shape, "i1"));
    return;
  }
  unsigned op = (unsigned)draw(g, 12);
  made c = partner(g, a.kind, &a.shape);
  made *m = add(g, a.kind, &a.shape);
  if (op < 5)
    SAY("%%v%d = %s %%v%d : %s\n", m->id, unary[op], x, t);
  else if (op < 9)
    SAY("%%v%d = %s %%v%d, %%v%d%s%s : %s\n", m->id, binary[op - 5], x, y, modes[draw(g, 4)],
        flush ? " flush_to_zero" : "", t);
  else if (op == 9)
    SAY("%%v%d = fma %%v%d, %%v%d, %%v%d%s%s : %s\n", m->id, x, y, c.id, modes[draw(g, 4)],
        flush ? " flush_to_zero" : "", t);
  else
    SAY("%%v%d = %s %%v%d, %%v%d%s : %s\n", m->id, draw(g, 2) ? "maxf" : "minf", x, y,
        draw(g, 2) ? " propagate_nan" : "", t);
}

/* Selects with masks of every origin, and the mask's opposite. */
static void make_rich_select(maker *g, made a) {
  made mask = partner(g, I1, &a.shape),
       b = draw(g, 2) ? constant(g, a.kind, &a.shape) : partner(g, a.kind, &a.shape);
  const char *c = type_of(&a.shape, "i1");
  int condition = mask.id;
  if (draw(g, 2)) {
    int yes = g->next++;
    condition = g->next++;
    SAY("%%v%d = constant <i1: true> : %s\n%%v%d = xori %%v%d, %%v%d : %s\n", yes, c, condition,
        mask.id, yes, c);
  }
  made x = draw(g, 2) ? constant(g, a.kind, &a.shape) : a;
  made *m = add(g, a.kind, &a.shape);
  SAY("%%v%d = select %%v%d, %%v%d, %%v%d : %s, %s\n", m->id, condition, x.id, b.id, c,
      type_of(&a.shape, kind_names[a.kind]));
}

/* An assumption that holds. */
static void make_assume(maker *g) {
  shape flat = {.rank = 1, .size = {INT64_C(1) << draw(g, 7)}};
  int i = g->next++;
  const char *t = type_of(&flat, "i32");
  SAY("%%v%d = iota : %s\n", i, t);
  made *m = add(g, I32, &flat);
  if (draw(g, 2)) {
    SAY("%%v%d = assume bounded<0, %d>, %%v%d : %s\n", m->id, (int)flat.size[0] - 1, i, t);
    return;
  }
  int c = g->next++, x = g->next++;
  SAY("%%v%d = constant <i32: 16> : %s\n%%v%d = muli %%v%d, %%v%d : %s\n", c, t, x, i, c, t);
  SAY("%%v%d = assume div_by<16>, %%v%d : %s\n", m->id, x, t);
}

/* A loop until a break, or a for that branches on its induction variable. */
static void make_rich_loop(maker *g) {
  if (g->depth == 2) return;
  made a = pick(g);
  char type[96];
  snprintf(type, sizeof type, "%s", type_of(&a.shape, kind_names[a.kind]));
  int i = g->next++, x = g->next++, r = g->next++, c = g->next++, y = g->next++, bound = g->next++,
      by = g->next++;
  bool is_for = draw(g, 2), jumps = draw(g, 2);
  unsigned outside = g->n;
  made *saved = malloc(sizeof g->values);
  memcpy(saved, g->values, sizeof g->values);
  g->depth++;
  static const char *const predicates[] = {"less_than", "less_than_or_equal", "greater_than",
                                           "greater_than_or_equal"};
  SAY("%%v%d = constant <i32: %d> : tile<i32>\n%%v%d = constant <i32: %d> : tile<i32>\n", bound,
      (int)draw(g, 8) - 1, by, 1 + (int)draw(g, 3));
  if (is_for)
    SAY("%%v%d = for %%v%d in (%%zero to %%v%d, step %%v%d) : tile<i32> iter_values(%%v%d = %%v%d) "
        "-> (%s) {\n",
        r, i, bound, by, x, a.id, type);
  else
    SAY("%%v%d, %%u%d = loop iter_values(%%v%d = %%zero, %%v%d = %%v%d) : tile<i32>, %s -> "
        "tile<i32>, %s {\n",
        g->next, r, i, x, a.id, type, type);
  if (!is_for) g->next++;
  made *m = add(g, a.kind, &a.shape);
  m->id = x;
  make_ops(g, 1 + (unsigned)draw(g, 3));
  made n = partner(g, a.kind, &a.shape);
  int limit = g->next++;
  SAY("%%v%d = constant <i32: %d> : tile<i32>\n", limit, (int)draw(g, 5));
  if (is_for) {
    bool swap = draw(g, 2);
    SAY("%%v%d = cmpi %s %%v%d, %%v%d, signed : tile<i32> -> tile<i1>\n", c, predicates[draw(g, 4)],
        swap ? limit : i, swap ? i : limit);
    if (jumps) {
      SAY("if %%v%d {\n continue %%v%d : %s\n}\ncontinue %%v%d : %s\n}\n", c, n.id, type, x, type);
    } else {
      SAY("%%v%d = if %%v%d -> (%s) {\n yield %%v%d : %s\n} else {\n yield %%v%d : %s\n}\n", y, c,
          type, n.id, type, x, type);
      SAY("continue %%v%d : %s\n}\n", y, type);
    }
  } else {
    int next = g->next++;
    SAY("%%v%d = addi %%v%d, %%v%d : tile<i32>\n", next, i, by);
    SAY("%%v%d = cmpi greater_than_or_equal %%v%d, %%v%d, signed : tile<i32> -> tile<i1>\n", c,
        next, limit);
    SAY("if %%v%d {\n break %%v%d, %%v%d : tile<i32>, %s\n}\n", c, next, n.id, type);
    SAY("continue %%v%d, %%v%d : tile<i32>, %s\n}\n", next, jumps ? x : n.id, type);
  }
  g->depth--;
  memcpy(g->values, saved, sizeof g->values);
  g->n = outside;
  free(saved);
  m = add(g, a.kind, &a.shape);
  m->id = r;
  if (!is_for) { /* %u: a loop's second result; give it a number of its own */
    m->id = g->next++;
    SAY("%%v%d = reshape %%u%d : %s -> %s\n", m->id, r, type, type);
  }
}

/* A branch whose condition is a constant or its opposite. */
static void make_known_branch(maker *g) {
  if (g->depth == 2) return;
  made a = pick(g);
  char type[96];
  snprintf(type, sizeof type, "%s", type_of(&a.shape, kind_names[a.kind]));
  int c = g->next++, r = g->next++;
  unsigned outside = g->n;
  made *saved = malloc(sizeof g->values);
  memcpy(saved, g->values, sizeof g->values);
  g->depth++;
  if (draw(g, 2))
    SAY("%%v%d = constant <i1: %d> : tile<i1>\n", c, (int)draw(g, 2));
  else
    SAY("%%v%d = xori %%odd, %%yes : tile<i1>\n", c);
  SAY("%%v%d = if %%v%d -> (%s) {\n", r, c, type);
  for (int side = 0; side < 2; side++) {
    make_ops(g, (unsigned)draw(g, 3));
    made n = partner(g, a.kind, &a.shape);
    SAY("yield %%v%d : %s\n}%s", n.id, type, side ? "\n" : " else {\n");
    memcpy(g->values, saved, sizeof g->values);
    g->n = outside;
  }
  g->depth--;
  free(saved);
  made *m = add(g, a.kind, &a.shape);
  m->id = r;
}

static void make_rich(maker *g) {
  made a = pick(g);
  switch (draw(g, 8)) {
  case 0: make_assume(g); break;
  case 1: make_rich_loop(g); break;
  case 2: make_known_branch(g); break;
  case 3: make_rich_select(g, a); break;
  default:
    if (is_int(a.kind))
      make_rich_integer(g, a);
    else if (a.kind != I1)
      make_rich_float(g, a);
  }
}

static void make_ops(maker *g, unsigned count) {
  for (unsigned k = 0; k < count; k++) {
    if (g->rich && draw(g, 2)) {
      make_rich(g);
      continue;
    }
    switch (draw(g, 18)) {
    case 0: make_iota(g); break;
    case 1: make_load_view(g); break;
    case 2: make_load_pointers(g); break;
    case 3:
    case 4:
    case 5:
    case 6: make_arithmetic(g); break;
    case 7: make_select(g); break;
    case 8: make_conversion(g); break;
    case 9:
    case 10:
    case 11: make_movement(g); break;
    case 12: make_aggregate(g); break;
    case 13: make_region(g); break;
    case 14: make_mma(g); break;
    case 15: make_pointer_loop(g); break;
    case 16: make_store_pointers(g); break;
    default: make_store(g, pick(g), draw(g, 2)); break;
    }
  }
}

static void make_head(maker *g) {
  if (!g->rich) {
    SAY("cuda_tile.module @m { entry @k(%%p: tile<ptr<i8>>, %%zero: tile<i32>, %%one: tile<i32>, "
        "%%three: tile<i32>, %%odd: tile<i1>) {\n");
    return;
  }
  SAY("cuda_tile.module @m { entry @k(%%p: tile<ptr<i8>>, %%zero_: tile<i32>, %%one_: tile<i32>, "
      "%%three_: tile<i32>, %%odd: tile<i1>) {\n");
  SAY("%%zero = constant <i32: 0> : tile<i32>\n%%one = constant <i32: 1> : tile<i32>\n");
  SAY("%%three = constant <i32: %d> : tile<i32>\n%%yes = constant <i1: true> : tile<i1>\n",
      (int)draw(g, 4));
}

static void make_program(maker *g) {
  for (int i = 0; i < 8; i++) draw(g, 2);
  make_head(g);
  make_iota(g);
  make_load_view(g);
  make_load_pointers(g);
  make_ops(g, 8 + (unsigned)draw(g, 24));
  while (g->stores < RANDOM_SLOTS && g->n) {
    made v = pick(g);
    unsigned before = g->stores;
    make_store(g, v, false);
    if (before == g->stores && draw(g, 8) == 0) break;
  }
  SAY("} }\n");
}

random_program random_make(arena *a, uint64_t seed, bool rich) {
  maker *g = malloc(sizeof *g);
  *g = (maker){.text = SBUF(a), .state = seed * 0x9e3779b97f4a7c15u + 1, .rich = rich};
  make_program(g);
  random_program p = {.text = g->text.data, .stores = g->stores};
  for (unsigned s = 0; s < g->stores; s++) p.stored[s] = (uint8_t)g->stored[s];
  free(g);
  return p;
}

void random_arguments(uint64_t *args, uint8_t *memory, uint64_t seed) {
  memcpy(args, (uint64_t[]){ARG_ADDRESS(memory), 0, 1, 3, seed & 1}, 5 * sizeof *args);
}

/* ---- running -------------------------------------------------------------------------------- */

void random_fill(uint8_t *memory, uint64_t seed) {
  uint64_t x = seed | 1;
  memset(memory, 0, RANDOM_MEMORY);
  for (size_t i = 0; i < 2 * RANDOM_SLOT; i++) {
    x ^= x << 13, x ^= x >> 7, x ^= x << 17;
    /* Small numbers in every type, no NaNs: exponent bits are never all ones. */
    memory[i] = (uint8_t)(x >> 20) & 0x37;
  }
}

static bool same_element(kind k, const uint8_t *a, const uint8_t *b) {
  if (k == F32) {
    float x, y;
    memcpy(&x, a, 4);
    memcpy(&y, b, 4);
    return memcmp(a, b, 4) == 0 || (x != x && y != y);
  }
  if (k == F64) {
    double x, y;
    memcpy(&x, a, 8);
    memcpy(&y, b, 8);
    return memcmp(a, b, 8) == 0 || (x != x && y != y);
  }
  uint16_t x, y;
  memcpy(&x, a, 2);
  memcpy(&y, b, 2);
  return x == y || ((x & 0x7fff) > 0x7c00 && (y & 0x7fff) > 0x7c00);
}

bool random_same(const random_program *g, const uint8_t *a, const uint8_t *b) {
  static const size_t bytes[] = {1, 2, 4, 8, 4, 8, 2};
  for (unsigned s = 0; s < g->stores; s++) {
    kind k = (kind)g->stored[s];
    const uint8_t *x = a + (2 + s) * RANDOM_SLOT, *y = b + (2 + s) * RANDOM_SLOT;
    if (is_int(k)) {
      if (memcmp(x, y, RANDOM_SLOT)) return false;
      continue;
    }
    for (size_t i = 0; i < RANDOM_SLOT; i += bytes[k])
      if (!same_element(k, x + i, y + i)) return false;
  }
  return true;
}
