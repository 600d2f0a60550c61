/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Accesses to memory. What is in IN is only read, so nothing orders it. Accesses to WORK are
 * ordered by tokens: a load after the last store, a store after all loads since then.
 */
#include <stdio.h>
#include <stdlib.h>

#include "random_make.h"

typedef enum space { IN, WORK } space;

/* ---- tokens --------------------------------------------------------------------------------- */

int join_all(maker *g) {
  if (g->n_loads == 0) return g->token;
  int t = g->next++;
  SAY("%%t%d = join_tokens %%t%d", t, g->token);
  for (unsigned i = 0; i < g->n_loads; i++) SAY(", %%t%d", g->loads[i]);
  SAY(" : token\n");
  g->token = t;
  g->n_loads = 0;
  return t;
}

static void after_load(maker *g, space where, int token) {
  if (where == IN) return;
  g->loads[g->n_loads++] = token;
  if (g->n_loads == MAX_LOADS) join_all(g);
}

/* ---- addresses ------------------------------------------------------------------------------ */

static const char *pointer_to(tsr_elem elem) {
  static char text[4][24];
  static int at;
  char *t = text[at++ & 3];
  snprintf(t, sizeof text[0], "ptr<%s>", tsr_elem_name(elem));
  return t;
}

static int64_t area_elements(const maker *g, tsr_elem elem) {
  int64_t bits = (int64_t)tsr_elem_bits(elem);
  return (INT64_C(64) << g->limits.bits) / (elem == TSR_I1 ? 8 : bits);
}

/* The address of an element type's area. */
static int area_of(maker *g, const char *base, int64_t number, tsr_elem elem) {
  shape scalar = {0};
  made at = whole_constant(g, chance(g, 2) ? TSR_I32 : TSR_I64, &scalar,
                           number * (8ll << g->limits.bits));
  int moved = g->next++, p = g->next++;
  SAY("%%v%d = offset %%%s, %%v%d : tile<ptr<i8>>, %s -> tile<ptr<i8>>\n", moved, base, at.id,
      TYPE(at));
  if (elem == TSR_I8) return moved;
  if (chance(g, 3)) {
    SAY("%%v%d = assume div_by<%d>, %%v%d : tile<ptr<i8>>\n", p, 1 << draw(g, 6), moved);
    moved = p;
    p = g->next++;
  }
  SAY("%%v%d = ptr_to_ptr %%v%d : tile<ptr<i8>> -> tile<%s>\n", p, moved, pointer_to(elem));
  return p;
}

static int area(maker *g, space where, tsr_elem elem) {
  return area_of(g, where == IN ? "p" : "work", elem, elem);
}

/* One address for each element: base + offset. */
static int pointers(maker *g, int base, tsr_elem elem, made offset) {
  char p[24], one_text[96], all_text[96];
  shape one = shape_ones(&offset.shape);
  snprintf(p, sizeof p, "%s", pointer_to(elem));
  snprintf(one_text, sizeof one_text, "%s", tile_text(&one, p));
  snprintf(all_text, sizeof all_text, "%s", tile_text(&offset.shape, p));
  int r = base;
  if (one.rank) {
    r = g->next++;
    SAY("%%v%d = reshape %%v%d : tile<%s> -> %s\n", r, base, p, one_text);
  }
  if (shape_count(&offset.shape) > 1) {
    int b = g->next++;
    SAY("%%v%d = broadcast %%v%d : %s -> %s\n", b, r, one_text, all_text);
    r = b;
  }
  int at = g->next++;
  SAY("%%v%d = offset %%v%d, %%v%d : %s, %s -> %s\n", at, r, offset.id, all_text, TYPE(offset),
      all_text);
  return at;
}

/* Different elements for all, if `apart`; inside of the area. */
static made offsets(maker *g, tsr_elem elem, const shape *s, bool apart) {
  int64_t count = shape_count(s);
  tsr_elem type = chance(g, 3) ? TSR_I64 : TSR_I32;
  made i = iota_of(g, type, s);
  switch (draw(g, apart ? 4 : 6)) {
  case 0: return i;
  case 1:
    return int_op(g, "xori", i, whole_constant(g, type, s, (int64_t)draw(g, (uint64_t)count)));
  case 2: return int_op(g, "subi", whole_constant(g, type, s, count - 1), i);
  case 3: {
    int64_t room = area_elements(g, elem) / count;
    int64_t step = 1 + (int64_t)draw(g, (uint64_t)MIN(room, INT64_C(4)));
    return int_op(g, "muli", i, whole_constant(g, type, s, step > room ? room : step));
  }
  case 4: return small_ints(g, type, s, area_elements(g, elem) - 1);
  default: return whole_constant(g, type, s, (int64_t)draw(g, (uint64_t)count));
  }
}

/* A mask of any origin. */
static made mask_for(maker *g, made offset) {
  if (chance(g, 2)) return partner(g, TSR_I1, &offset.shape);
  made limit = whole_constant(g, offset.elem, &offset.shape,
                              (int64_t)draw(g, (uint64_t)shape_count(&offset.shape) + 2)),
       m = fresh(g, TSR_I1, &offset.shape);
  SAY("%%v%d = cmpi %s %%v%d, %%v%d, signed : %s -> %s\n", m.id,
      chance(g, 3) ? "greater_than_or_equal" : "less_than", offset.id, limit.id, TYPE(offset),
      TYPE(m));
  return m;
}

static const char *load_order(maker *g) {
  static const char *const orders[] = {
      "weak", "weak", "weak", "relaxed tl_blk", "relaxed device", "acquire device", "acquire sys"};
  return g->weak ? "weak" : PICK(orders);
}

static const char *store_order(maker *g) {
  static const char *const orders[] = {
      "weak", "weak", "weak", "relaxed tl_blk", "relaxed device", "release device", "release sys"};
  return g->weak ? "weak" : PICK(orders);
}

/* ---- through pointers ----------------------------------------------------------------------- */

static bool has_pointers(tsr_elem e) {
  return tsr_elem_bits(e) != 4;
}

/* `mask` NULL: of all elements. */
static made load_where(maker *g, space where, tsr_elem elem, int at, const shape *s,
                       const made *mask) {
  char ptrs[96];
  snprintf(ptrs, sizeof ptrs, "%s", tile_text(s, pointer_to(elem)));
  const char *order = load_order(g);
  made m = fresh(g, elem, s);
  int token = g->next++;
  char behind[32] = "";
  if (where == WORK) snprintf(behind, sizeof behind, " token=%%t%d", g->token);
  if (!mask) {
    SAY("%%v%d, %%t%d = load_ptr_tko %s %%v%d%s : %s -> %s, token\n", m.id, token, order, at,
        behind, ptrs, TYPE(m));
    after_load(g, where, token);
    return m;
  }
  made pad = partner(g, elem, s);
  if (chance(g, 3)) { /* no padding: what is masked off has no value, so it is not used */
    SAY("%%v%d, %%t%d = load_ptr_tko %s %%v%d, %%v%d%s : %s, %s -> %s, token\n", m.id, token, order,
        at, mask->id, behind, ptrs, TYPE(*mask), TYPE(m));
    made chosen = fresh(g, elem, s);
    SAY("%%v%d = select %%v%d, %%v%d, %%v%d : %s, %s\n", chosen.id, mask->id, m.id, pad.id,
        TYPE(*mask), TYPE(m));
    m = chosen;
  } else {
    SAY("%%v%d, %%t%d = load_ptr_tko %s %%v%d, %%v%d, %%v%d%s : %s, %s, %s -> %s, token\n", m.id,
        token, order, at, mask->id, pad.id, behind, ptrs, TYPE(*mask), TYPE(pad), TYPE(m));
  }
  after_load(g, where, token);
  return m;
}

static made load_at(maker *g, space where, tsr_elem elem, int at, made offset, bool masked) {
  made mask = {0};
  if (masked) mask = mask_for(g, offset);
  return load_where(g, where, elem, at, &offset.shape, masked ? &mask : NULL);
}

static tsr_elem any_elem(maker *g) {
  static const tsr_elem common[] = {TSR_I8,  TSR_I16, TSR_I32, TSR_I32, TSR_I64,
                                    TSR_F16, TSR_F32, TSR_F32, TSR_F64, TSR_BF16};
  static const tsr_elem rare[] = {TSR_I1,        TSR_TF32,     TSR_F8E4M3FN, TSR_F8E5M2,
                                  TSR_F8E8M0FNU, TSR_F4E2M1FN, TSR_F8E5M3FNU};
  return chance(g, 5) ? PICK(rare) : PICK(common);
}

void make_load_pointers(maker *g) {
  tsr_elem elem = any_elem(g);
  if (!has_pointers(elem)) return;
  shape s = random_shape(g);
  space where = chance(g, 2) ? IN : WORK;
  made offset = offsets(g, elem, &s, false);
  int at = pointers(g, area(g, where, elem), elem, offset);
  add_value(g, load_at(g, where, elem, at, offset, chance(g, 2)));
}

static void store_at(maker *g, made v, int at, const made *mask) {
  char ptrs[96];
  snprintf(ptrs, sizeof ptrs, "%s", tile_text(&v.shape, pointer_to(v.elem)));
  int before = join_all(g), token = g->next++;
  SAY("%%t%d = store_ptr_tko %s %%v%d, %%v%d", token, store_order(g), at, v.id);
  if (mask) SAY(", %%v%d", mask->id);
  SAY(" token=%%t%d : %s, %s", before, ptrs, TYPE(v));
  if (mask) SAY(", %s", TYPE(*mask));
  SAY(" -> token\n");
  g->token = token;
}

void make_store_pointers(maker *g) {
  made v = pick_that(g, has_pointers);
  if (v.id < 0) return;
  made offset = offsets(g, v.elem, &v.shape, true);
  int at = pointers(g, area(g, WORK, v.elem), v.elem, offset);
  made mask = {0};
  bool masked = chance(g, 2);
  if (masked) mask = mask_for(g, offset);
  store_at(g, v, at, masked ? &mask : NULL);
  if (!chance(g, 2)) return; /* and look at it again, at once */
  add_value(g, load_at(g, WORK, v.elem, at, offset, chance(g, 3)));
}

/* `m`, which has 1 where dimensions are to grow, in all of `s`. */
static made spread(maker *g, made m, const shape *s) {
  if (shape_same(&m.shape, s)) return m;
  made all = fresh(g, m.elem, s);
  SAY("%%v%d = broadcast %%v%d : %s -> %s\n", all.id, m.id, TYPE(m), TYPE(all));
  return all;
}

static bool has_rows(tsr_elem e) {
  return has_pointers(e) && e != TSR_I1;
}

/* Rows of neighbours through pointers, in an order that is no linear one. Half of them are loaded
 * from where they may be stored, some rows further on. (Every part has a line of its own: in which
 * order a compiler evaluates a call's arguments is its own business, and a seed is one program.) */
void make_store_rows(maker *g) {
  made v = pick_that(g, has_rows);
  if (v.id < 0 || v.shape.rank < 2) return;
  shape rows = v.shape, row = shape_ones(&v.shape), whole = v.shape;
  int64_t length = whole.size[whole.rank - 1], count = shape_count(&whole) / length;
  int64_t room = area_elements(g, v.elem), most = room / count;
  if (most < length) return;
  rows.size[rows.rank - 1] = 1;
  row.size[row.rank - 1] = length;
  int64_t pitch = chance(g, 2) ? length : length + (int64_t)draw(g, (uint64_t)(most - length) + 1);
  int64_t left = room - pitch * count;
  tsr_elem type = chance(g, 3) ? TSR_I64 : TSR_I32;
  int base = area(g, WORK, v.elem);
  if (chance(g, 2)) {
    made here = iota_of(g, type, &whole);
    made on = whole_constant(g, type, &whole, (int64_t)draw(g, (uint64_t)left + 1));
    made from = int_op(g, "addi", here, on);
    v = load_at(g, WORK, v.elem, pointers(g, base, v.elem, from), from, chance(g, 4));
  }
  made in_order = iota_of(g, type, &rows);
  made turned = whole_constant(g, type, &rows, (int64_t)draw(g, (uint64_t)count));
  made number = int_op(g, "xori", in_order, turned);
  if (chance(g, 2)) {
    made any = partner(g, type, &rows);
    number = int_op(g, "addi", number, int_op(g, "andi", any, whole_constant(g, type, &rows, 0)));
  }
  made mask = {0}, first = int_op(g, "muli", number, whole_constant(g, type, &rows, pitch));
  made column = spread(g, iota_of(g, type, &row), &whole);
  unsigned masked = (unsigned)draw(g, 4); /* 0: no; 1: of rows, 2: of both, 3: of anything */
  if (masked == 3) mask = mask_for(g, column);
  if (masked == 1 || masked == 2) mask = spread(g, mask_for(g, number), &whole);
  if (masked == 2) mask = int_op(g, "andi", mask, mask_for(g, column));
  int at = pointers(g, base, v.elem, spread(g, first, &whole)), to = g->next++;
  char ptrs[96];
  snprintf(ptrs, sizeof ptrs, "%s", tile_text(&whole, pointer_to(v.elem)));
  SAY("%%v%d = offset %%v%d, %%v%d : %s, %s -> %s\n", to, at, column.id, ptrs, TYPE(column), ptrs);
  store_at(g, v, to, masked ? &mask : NULL);
}

/* ---- an index for each dimension, and a mask of bounds --------------------------------------- */

/* Nothing at compile time knows it; the same in all elements. */
static made unknown_number(maker *g, tsr_elem type, const shape *s, int64_t mask) {
  shape scalar = {0}, one = shape_ones(s);
  made n = reshaped(g, small_ints(g, type, &scalar, mask), &one);
  return spread(g, n, s);
}

/* Addresses must not overflow, not even those of elements that nobody accesses, nor lie below 0:
 * the greatest index, of which other dimensions may make a few thousand times as many elements. */
static int64_t greatest_index(const maker *g, tsr_elem type) {
  return type == TSR_I64 && g->limits.wild ? INT64_MAX : INT32_MAX;
}

/* About 0, or an end of the array or of the type, behind which sums go on at the other end. */
static int64_t first_index(maker *g, tsr_elem type, int64_t extent) {
  int64_t near = (int64_t)draw(g, 17) - 8;
  int64_t most = greatest_index(g, type);
  switch (draw(g, 8)) {
  case 0: return most - (near + 8);
  case 1: return -most + (near + 8);
  case 2:
  case 3: return extent + near;
  default: return near;
  }
}

static made signed_op(maker *g, const char *op, made a, made b) {
  made m = fresh(g, a.elem, &a.shape);
  SAY("%%v%d = %s %%v%d, %%v%d signed : %s\n", m.id, op, a.id, b.id, TYPE(a));
  return m;
}

/* `apart`: no index twice, unless none of them exists. */
static made index_tile(maker *g, tsr_elem type, const shape *s, int64_t extent, bool apart) {
  static const int64_t steps[] = {1, 1, 1, 1, -1, -1, 2, 3, 4, -2};
  made i = iota_of(g, type, s);
  int64_t step = PICK(steps);
  if (step != 1) i = int_op(g, "muli", i, whole_constant(g, type, s, step));
  int64_t first = first_index(g, type, extent);
  if (step < 0 && chance(g, 2)) first = extent - 1 - (int64_t)draw(g, 4);
  i = int_op(g, "addi", i, whole_constant(g, type, s, first));
  if (chance(g, 2)) i = int_op(g, "addi", i, unknown_number(g, type, s, 7));
  if (chance(g, 4)) i = int_op(g, "subi", i, unknown_number(g, type, s, 15));
  if (apart) return i;
  made last = whole_constant(g, type, s, extent - 1), n = whole_constant(g, type, s, extent);
  switch (draw(g, 8)) {
  case 0: return int_op(g, "andi", i, last);
  case 1: {
    made natural = signed_op(g, "maxi", i, whole_constant(g, type, s, 0));
    return signed_op(g, "mini", natural, last);
  }
  case 2: return signed_op(g, "remi", i, n);
  case 3: return int_op(g, "addi", i, small_ints(g, type, s, 15));
  case 4: {
    made any = partner(g, type, s);
    if (type == TSR_I32) return any;
    return int_op(g, "andi", any, whole_constant(g, type, s, greatest_index(g, type)));
  }
  default: return i;
  }
}

static made compared(maker *g, const char *how, const char *sign, made a, made b) {
  made m = fresh(g, TSR_I1, &a.shape);
  SAY("%%v%d = cmpi %s %%v%d, %%v%d, %s : %s -> %s\n", m.id, how, a.id, b.id, sign, TYPE(a),
      TYPE(m));
  return m;
}

/* Is it within [0, extent)? Sometimes of a smaller extent, or one that nobody knows. */
static made index_exists(maker *g, made i, int64_t extent) {
  made n = whole_constant(g, i.elem, &i.shape,
                          chance(g, 3) ? 1 + (int64_t)draw(g, (uint64_t)extent) : extent);
  int64_t mask = 1;
  while (2 * mask + 1 <= extent) mask = 2 * mask + 1;
  if (chance(g, 3)) n = unknown_number(g, i.elem, &i.shape, mask);
  if (chance(g, 4)) {
    made zero = whole_constant(g, i.elem, &i.shape, 0), low, high;
    low = chance(g, 2) ? compared(g, "greater_than_or_equal", "signed", i, zero)
                       : compared(g, "less_than_or_equal", "signed", zero, i);
    high = chance(g, 2) ? compared(g, "less_than", "signed", i, n)
                        : compared(g, "greater_than", "signed", n, i);
    return int_op(g, "andi", low, high);
  }
  if (chance(g, 4)) return compared(g, "greater_than", "unsigned", n, i);
  return compared(g, "less_than", "unsigned", i, n);
}

typedef struct places {
  int at; /* pointers */
  made mask;
  shape shape;
} places;

/* Elements of an array in an area of memory, of which only those exist that are inside of it. */
static places indexed(maker *g, space where, tsr_elem elem, const shape *s, bool apart) {
  int64_t left = area_elements(g, elem), pitch = 1;
  tsr_elem type = chance(g, 4) ? TSR_I64 : TSR_I32;
  places p = {.shape = *s};
  made offset = {.id = -1};
  for (unsigned d = s->rank; d-- > 0;) {
    shape along = shape_ones(s);
    along.size[d] = s->size[d];
    int64_t extent = 1 + (int64_t)draw(g, (uint64_t)MIN(left, 2 * s->size[d]));
    made i = index_tile(g, type, &along, extent, apart), wide = i, exists;
    if (type == TSR_I32) {
      wide = fresh(g, TSR_I64, &along);
      SAY("%%v%d = exti %%v%d signed : %s -> %s\n", wide.id, i.id, TYPE(i), TYPE(wide));
    }
    exists = spread(g, index_exists(g, chance(g, 4) ? i : wide, extent), s);
    made part = spread(g, int_op(g, "muli", wide, whole_constant(g, TSR_I64, &along, pitch)), s);
    p.mask = offset.id < 0 ? exists : int_op(g, "andi", exists, p.mask);
    offset = offset.id < 0 ? part : int_op(g, "addi", part, offset);
    pitch *= extent;
    left /= extent;
  }
  if (chance(g, 6)) p.mask = int_op(g, "andi", p.mask, partner(g, TSR_I1, s));
  p.at = pointers(g, area(g, where, elem), elem, offset);
  return p;
}

/* Loads some, chooses among them, and stores to some. */
void make_gather(maker *g) {
  tsr_elem elem = any_elem(g);
  shape s = random_shape(g);
  if (!has_pointers(elem) || s.rank == 0) return;
  made v = partner(g, elem, &s);
  for (unsigned left = 1 + (unsigned)draw(g, 3); left > 0; left--) {
    space where = chance(g, 2) ? WORK : IN;
    places from = indexed(g, where, elem, &s, false);
    made one = load_where(g, where, elem, from.at, &s, &from.mask);
    made chosen = fresh(g, elem, &s);
    SAY("%%v%d = select %%v%d, %%v%d, %%v%d : %s, %s\n", chosen.id, from.mask.id, one.id, v.id,
        TYPE(from.mask), TYPE(one));
    v = chosen;
  }
  bool stored = !chance(g, 3);
  if (!stored || chance(g, 4)) add_value(g, v); /* what is needed later is not read where it lies */
  if (!stored) return;
  places to = indexed(g, WORK, elem, &s, true);
  store_at(g, v, to.at, &to.mask);
}

/* Moves elements of an area to other places of it, in tiles so large that an engine makes them
 * piece by piece: what a piece stores must not be what a later one loads. */
void make_move(maker *g) {
  tsr_elem elem = any_elem(g);
  if (tsr_elem_bits(elem) < 8) return;
  shape s = shape_flat(INT64_C(1) << g->limits.bits);
  g->weak = true;
  places from = indexed(g, WORK, elem, &s, false);
  made v = load_where(g, WORK, elem, from.at, &s, &from.mask);
  made kept = partner(g, elem, &s), chosen = fresh(g, elem, &s);
  SAY("%%v%d = select %%v%d, %%v%d, %%v%d : %s, %s\n", chosen.id, from.mask.id, v.id, kept.id,
      TYPE(from.mask), TYPE(v));
  places to = indexed(g, WORK, elem, &s, true);
  store_at(g, chosen, to.at, &to.mask);
  g->weak = false;
}

/* A loop that carries addresses, each iteration moving all of them by as much. */
void make_pointer_loop(maker *g) {
  static const tsr_elem elems[] = {TSR_I8, TSR_I16, TSR_I32};
  if (g->depth == MAX_DEPTH) return;
  tsr_elem elem = PICK(elems);
  shape s = random_shape(g), scalar = {0};
  int64_t room = area_elements(g, elem) - shape_count(&s);
  made offset = iota_of(g, TSR_I32, &s),
       step = whole_constant(g, TSR_I32, &s, (int64_t)draw(g, (uint64_t)room / 4 + 1));
  char ptrs[96], tile[96];
  snprintf(ptrs, sizeof ptrs, "%s", tile_text(&s, pointer_to(elem)));
  snprintf(tile, sizeof tile, "%s", tile_of(&s, elem));
  int start = pointers(g, area(g, IN, elem), elem, offset);
  made first = partner(g, elem, &s), low = whole_constant(g, TSR_I32, &scalar, 0),
       high = whole_constant(g, TSR_I32, &scalar, (int64_t)draw(g, 4)),
       by = whole_constant(g, TSR_I32, &scalar, 1), sum = fresh(g, elem, &s);
  int last = g->next++, at = g->next++, acc = g->next++, next = g->next++, i = g->next++;
  SAY("%%v%d, %%v%d = for %%v%d in (%%v%d to %%v%d, step %%v%d) : tile<i32> iter_values(%%v%d = "
      "%%v%d, %%v%d = %%v%d) -> (%s, %s) {\n",
      last, sum.id, i, low.id, high.id, by.id, at, start, acc, first.id, ptrs, tile);
  made x = fresh(g, elem, &s), more = fresh(g, elem, &s);
  SAY("%%v%d, %%t%d = load_ptr_tko weak %%v%d : %s -> %s, token\n", x.id, g->next++, at, ptrs,
      tile);
  SAY("%%v%d = addi %%v%d, %%v%d : %s\n", more.id, acc, x.id, tile);
  SAY("%%v%d = offset %%v%d, %%v%d : %s, %s -> %s\n", next, at, step.id, ptrs, TYPE(step), ptrs);
  SAY("continue %%v%d, %%v%d : %s, %s\n}\n", next, more.id, ptrs, tile);
  add_value(g, sum);
  made y = fresh(g, elem, &s);
  SAY("%%v%d, %%t%d = load_ptr_tko weak %%v%d : %s -> %s, token\n", y.id, g->next++, last, ptrs,
      tile);
  add_value(g, y);
}

/* Addresses as numbers: only their differences are the same everywhere. */
void make_address(maker *g) {
  shape s = random_shape(g), scalar = {0};
  tsr_elem elem = chance(g, 2) ? TSR_I16 : TSR_F32;
  int base = area(g, IN, elem);
  made offset = offsets(g, elem, &s, false), a = fresh(g, TSR_I64, &s),
       b = fresh(g, TSR_I64, &scalar), c = fresh(g, TSR_I64, &s);
  int at = pointers(g, base, elem, offset);
  char ptrs[96];
  snprintf(ptrs, sizeof ptrs, "%s", tile_text(&s, pointer_to(elem)));
  SAY("%%v%d = ptr_to_int %%v%d : %s -> %s\n", a.id, at, ptrs, TYPE(a));
  SAY("%%v%d = ptr_to_int %%v%d : tile<%s> -> tile<i64>\n", b.id, base, pointer_to(elem));
  shape one = shape_ones(&s);
  made wide = reshaped(g, b, &one);
  if (!shape_same(&one, &s)) {
    SAY("%%v%d = broadcast %%v%d : %s -> %s\n", c.id, wide.id, TYPE(wide), TYPE(c));
    wide = c;
  }
  add_value(g, int_op(g, "subi", a, wide));
  if (chance(g, 2)) return;
  int back = g->next++;
  SAY("%%v%d = int_to_ptr %%v%d : %s -> %s\n", back, a.id, TYPE(a), ptrs);
  add_value(g, load_at(g, IN, elem, back, offset, false));
}

/* ---- atomics -------------------------------------------------------------------------------- */

static bool has_atomics(tsr_elem e) {
  return e == TSR_I32 || e == TSR_I64 || is_base_float(e);
}

static const char *rmw_mode(maker *g, tsr_elem elem, bool exchanges) {
  static const char *const modes[] = {"add", "and", "or", "xor", "max", "min", "umax", "umin"};
  bool can = exchanges && elem != TSR_F16 && elem != TSR_BF16;
  if (can && chance(g, 4)) return "xchg";
  return tsr_elem_is_int(elem) ? PICK(modes) : "addf";
}

static const char *rmw_order(maker *g) {
  static const char *const orders[] = {"relaxed device", "relaxed tl_blk", "acquire device",
                                       "release sys", "acq_rel device"};
  return PICK(orders);
}

/* What cards add to memory may be a NaN that is not canonical. -0 added changes nothing else. Draws
 * nothing, so the program is the same as for other engines but for these lines. */
static made canonical_of(maker *g, made v) {
  made zero = fresh(g, v.elem, &v.shape), m = fresh(g, v.elem, &v.shape);
  SAY("%%v%d = constant <%s: -0.0> : %s\n", zero.id, tsr_elem_name(v.elem), TYPE(v));
  SAY("%%v%d = addf %%v%d, %%v%d : %s\n", m.id, v.id, zero.id, TYPE(v));
  return m;
}

static void make_canonical(maker *g, tsr_elem elem, const shape *s, int at) {
  char ptrs[96];
  snprintf(ptrs, sizeof ptrs, "%s", tile_text(s, pointer_to(elem)));
  made was = fresh(g, elem, s);
  int seen = g->next++, token = g->next++;
  SAY("%%v%d, %%t%d = load_ptr_tko weak %%v%d token=%%t%d : %s -> %s, token\n", was.id, seen, at,
      g->token, ptrs, TYPE(was));
  made now = canonical_of(g, was);
  SAY("%%t%d = store_ptr_tko weak %%v%d, %%v%d token=%%t%d : %s, %s -> token\n", token, at, now.id,
      seen, ptrs, TYPE(now));
  g->token = token;
}

/* Each element on its own place, so that no order changes what comes out. */
void make_atomic(maker *g) {
  made v = pick_that(g, has_atomics);
  if (v.id < 0) return;
  made offset = offsets(g, v.elem, &v.shape, true);
  int at = pointers(g, area(g, WORK, v.elem), v.elem, offset);
  bool narrow = v.elem == TSR_F16 || v.elem == TSR_BF16;
  bool masked = chance(g, 2), cas = !narrow && chance(g, 3);
  made mask = {0}, expected = {0};
  if (masked) mask = mask_for(g, offset);
  if (cas) expected = partner(g, v.elem, &v.shape);
  char ptrs[96];
  snprintf(ptrs, sizeof ptrs, "%s", tile_text(&v.shape, pointer_to(v.elem)));
  int before = join_all(g), token = g->next++;
  made m = fresh(g, v.elem, &v.shape);
  SAY("%%v%d, %%t%d = atomic_%s_tko %s %%v%d, ", m.id, token, cas ? "cas" : "rmw", rmw_order(g),
      at);
  const char *mode = cas ? NULL : rmw_mode(g, v.elem, true);
  if (cas)
    SAY("%%v%d, ", expected.id);
  else
    SAY("%s, ", mode);
  SAY("%%v%d", v.id);
  if (masked) SAY(", %%v%d", mask.id);
  SAY(" token=%%t%d : %s, %s", before, ptrs, TYPE(v));
  if (masked) SAY(", %s", TYPE(mask));
  SAY(" -> %s, token\n", TYPE(m));
  g->token = token;
  if (g->limits.card && mode && strcmp(mode, "addf") == 0) make_canonical(g, v.elem, &v.shape, at);
  if (masked) { /* what was there has no value where nothing was done */
    made other = partner(g, v.elem, &v.shape), chosen = fresh(g, v.elem, &v.shape);
    SAY("%%v%d = select %%v%d, %%v%d, %%v%d : %s, %s\n", chosen.id, mask.id, m.id, other.id,
        TYPE(mask), TYPE(m));
    m = chosen;
  }
  add_value(g, m);
}

/* ---- views ---------------------------------------------------------------------------------- */

typedef struct view {
  int id;
  char type[400], tensor[256];
  int index[MAX_RANK];
  char index_types[128];
} view;

typedef struct plan {
  tsr_elem elem;
  shape tile;
  int64_t extent[MAX_RANK], stride[MAX_RANK]; /* of the tensor's dimensions */
  unsigned dim[MAX_RANK];                     /* of the tensor, for each of the tile's */
  bool inside;                                /* no tile reaches over the edge */
  bool overlaps;                              /* elements may lie in one place */
  enum { PARTITION, STRIDED, GATHER } kind;
  unsigned sparse;
  int64_t step[MAX_RANK];
} plan;

static int64_t room_of(const plan *p) {
  int64_t last = 0;
  for (unsigned d = 0; d < p->tile.rank; d++) last += (p->extent[d] - 1) * p->stride[d];
  return last + 1;
}

static void plan_strides(maker *g, plan *p) {
  bool turned = chance(g, 4), gaps = chance(g, 4);
  int64_t stride = 1;
  for (unsigned k = 0; k < p->tile.rank; k++) {
    unsigned d = turned ? k : p->tile.rank - 1 - k;
    p->stride[d] = stride;
    stride *= p->extent[d] + (gaps ? (int64_t)draw(g, 2) : 0);
  }
}

/* Windows that slide, rows that are all the same distance apart, and anything between. */
static void plan_overlaps(maker *g, plan *p) {
  static const uint8_t some[] = {1, 1, 1, 2, 3, 4, 8};
  for (unsigned d = 0; d < p->tile.rank; d++) p->stride[d] = PICK(some);
}

/* What the tensor is like; its last resort is as large as the tile. */
static void plan_extents(maker *g, plan *p) {
  bool nibbles = tsr_elem_bits(p->elem) == 4;
  for (unsigned tries = 0;; tries++) {
    p->inside = true;
    for (unsigned d = 0; d < p->tile.rank; d++) {
      unsigned t = p->dim[d];
      int64_t size = p->tile.size[d];
      p->extent[t] = size;
      p->step[d] = size > 1 && chance(g, 2) ? size / 2 : size;
      if (tries > 3 || nibbles || chance(g, 2)) continue;
      int64_t extent = size + (int64_t)draw(g, (uint64_t)size + 3) - 1;
      p->extent[t] = MAX(extent, INT64_C(1));
      if (p->kind == GATHER && d == p->sparse) p->extent[t] = size << draw(g, 2);
      if (p->extent[t] % size) p->inside = false;
    }
    if (p->kind == STRIDED) p->inside = p->inside && tries > 3;
    plan_strides(g, p);
    if (p->overlaps && tries <= 3) plan_overlaps(g, p);
    if (nibbles) p->stride[0] = 1;
    if (room_of(p) <= area_elements(g, p->elem)) return;
    if (tries > 64) abort(); /* a tile that is larger than random_limits allows */
  }
}

static const char *padding(maker *g, const plan *p, bool can_pad) {
  static const char *const all[] = {"zero", "neg_zero", "nan", "pos_inf", "neg_inf"};
  if (!can_pad || (p->inside && chance(g, 2))) return NULL;
  return is_base_float(p->elem) ? PICK(all) : "zero";
}

/* A number that is known when the kernel is compiled, or not. */
static made number(maker *g, tsr_elem elem, int64_t v) {
  shape scalar = {0};
  made k = whole_constant(g, elem, &scalar, v);
  if (chance(g, 2)) return k;
  made some = partner(g, elem, &scalar);
  return int_op(g, "addi", int_op(g, "subi", some, some), k);
}

static void say_tensor(maker *g, const plan *p, int base, view *out) {
  char names[2][160] = {"", ""}, types[2][96] = {"", ""};
  const int64_t *const numbers[] = {p->extent, p->stride};
  tsr_elem index = chance(g, 3) ? TSR_I64 : TSR_I32;
  bool dynamic = tsr_elem_bits(p->elem) != 4 && chance(g, 2), any = false;
  for (unsigned list = 0; list < 2; list++)
    for (unsigned d = 0; d < p->tile.rank; d++) {
      size_t n = strlen(names[list]), t = strlen(types[list]);
      const char *comma = d ? ", " : "", *sign = list ? (d ? "," : "") : (d ? "x" : "");
      if (dynamic && chance(g, 2)) {
        any = true;
        snprintf(names[list] + n, sizeof names[0] - n, "%s%%v%d", comma,
                 number(g, index, numbers[list][d]).id);
        snprintf(types[list] + t, sizeof types[0] - t, "%s?", sign);
      } else {
        snprintf(names[list] + n, sizeof names[0] - n, "%s%d", comma, (int)numbers[list][d]);
        snprintf(types[list] + t, sizeof types[0] - t, "%s%d", sign, (int)numbers[list][d]);
      }
    }
  snprintf(out->tensor, sizeof out->tensor, "tensor_view<%sx%s, strides=[%s]>", types[0],
           tsr_elem_name(p->elem), types[1]);
  out->id = g->next++;
  SAY("%%v%d = make_tensor_view %%v%d, shape = [%s], strides = [%s] : ", out->id, base, names[0],
      names[1]);
  if (any) SAY("tile<%s> -> ", tsr_elem_name(index));
  SAY("%s\n", out->tensor);
}

static void say_indices(maker *g, const plan *p, view *out) {
  shape scalar = {0};
  size_t n = 0;
  for (unsigned d = 0; d < p->tile.rank; d++) {
    int64_t extent = p->extent[p->dim[d]], step = p->kind == STRIDED ? p->step[d] : p->tile.size[d],
            tiles = (extent + step - 1) / step;
    if (p->kind == STRIDED && p->inside) tiles = (extent - p->tile.size[d]) / step + 1;
    if (p->kind == GATHER && d == p->sparse) {
      shape line = shape_flat(p->tile.size[d]);
      made i = iota_of(g, TSR_I32, &line),
           m = int_op(g, "xori", i,
                      whole_constant(g, TSR_I32, &line, (int64_t)draw(g, (uint64_t)line.size[0])));
      out->index[d] = m.id;
      n += (size_t)snprintf(out->index_types + n, sizeof out->index_types - n, "%s%s",
                            d ? ", " : "", TYPE(m));
      continue;
    }
    made i = number(g, TSR_I32, (int64_t)draw(g, (uint64_t)tiles));
    out->index[d] = i.id;
    if (p->kind == GATHER || d == 0)
      n += (size_t)snprintf(out->index_types + n, sizeof out->index_types - n, "%s%s",
                            d ? ", " : "", tile_of(&scalar, TSR_I32));
  }
}

static void say_tile_view(maker *g, const plan *p, const char *pad, view *out) {
  static const char *const makers[] = {"make_partition_view", "make_strided_view",
                                       "make_gather_scatter_view"},
                           *const kinds[] = {"partition_view", "strided_view",
                                             "gather_scatter_view"};
  char *t = out->type;
  size_t size = sizeof out->type, n = 0;
#define ADD(...) n += (size_t)snprintf(t + n, size - n, __VA_ARGS__)
  ADD("%s<tile=(", kinds[p->kind]);
  for (unsigned d = 0; d < p->tile.rank; d++) ADD("%s%d", d ? "x" : "", (int)p->tile.size[d]);
  ADD("), ");
  if (p->kind == STRIDED) {
    ADD("traversal_strides=[");
    for (unsigned d = 0; d < p->tile.rank; d++) ADD("%s%d", d ? "," : "", (int)p->step[d]);
    ADD("], ");
  }
  if (pad) ADD("padding_value = %s, ", pad);
  ADD("%s", out->tensor);
  bool mapped = false;
  for (unsigned d = 0; d < p->tile.rank; d++) mapped |= p->dim[d] != d;
  if (mapped) {
    ADD(", dim_map=[");
    for (unsigned d = 0; d < p->tile.rank; d++) ADD("%s%u", d ? ", " : "", p->dim[d]);
    ADD("]");
  }
  if (p->kind == GATHER) ADD(", sparse_dim=%u", p->sparse);
  ADD(">");
#undef ADD
  int id = g->next++;
  SAY("%%v%d = %s %%v%d : %s\n", id, makers[p->kind], out->id, out->type);
  out->id = id;
}

/* A view in which a tile of this type has a place, with the indices of one. */
static view any_view(maker *g, space where, tsr_elem elem, const shape *tile, bool store,
                     bool atomic) {
  plan p = {.elem = elem, .tile = *tile, .dim = {0, 1, 2}};
  p.kind = atomic ? (int)draw(g, 2) : chance(g, 2) ? PARTITION : (int)draw(g, 3);
  if (tsr_elem_bits(elem) == 4) p.kind = PARTITION;
  p.sparse = (unsigned)draw(g, tile->rank);
  p.overlaps = !store && !atomic && chance(g, 5);
  if (p.kind != GATHER && tile->rank > 1 && chance(g, 3))
    for (unsigned d = 0; d < tile->rank; d++) p.dim[d] = tile->rank - 1 - d;
  plan_extents(g, &p);
  view v = {0};
  bool can_pad = !atomic && elem != TSR_F8E8M0FNU;
  if (!can_pad && !p.inside && !store && !atomic) { /* whole tiles only */
    for (unsigned d = 0; d < tile->rank; d++) p.extent[p.dim[d]] = tile->size[d];
    plan_strides(g, &p);
    p.inside = true;
  }
  if (p.kind == STRIDED && !can_pad && !store && !atomic) p.kind = PARTITION;
  say_tensor(g, &p, area(g, where, elem), &v);
  const char *pad = padding(g, &p, can_pad);
  say_indices(g, &p, &v);
  say_tile_view(g, &p, pad, &v);
  return v;
}

static void say_index(maker *g, const view *v, unsigned rank) {
  SAY("[");
  for (unsigned d = 0; d < rank; d++) SAY("%s%%v%d", d ? ", " : "", v->index[d]);
  SAY("]");
}

static made load_view(maker *g, space where, tsr_elem elem, const shape *s) {
  view v = any_view(g, where, elem, s, false, false);
  made m = fresh(g, elem, s);
  int token = g->next++;
  const char *order = tsr_elem_bits(elem) == 4 ? "weak" : load_order(g);
  SAY("%%v%d, %%t%d = load_view_tko %s %%v%d", m.id, token, order, v.id);
  say_index(g, &v, s->rank);
  if (where == WORK) SAY(" token = %%t%d", g->token);
  SAY(" : %s, %s -> %s, token\n", v.type, v.index_types, TYPE(m));
  after_load(g, where, token);
  return m;
}

static shape view_shape(maker *g, tsr_elem elem) {
  shape s = random_shape(g);
  if (s.rank == 0) s = shape_flat(1);
  if (tsr_elem_bits(elem) == 4) s = shape_flat(MAX(shape_count(&s), INT64_C(2)));
  return s;
}

void make_load_view(maker *g) {
  tsr_elem elem = any_elem(g);
  shape s = view_shape(g, elem);
  add_value(g, load_view(g, chance(g, 2) ? IN : WORK, elem, &s));
}

/* Not when its elements were narrow ones, of which an area has more. */
static bool has_place(const maker *g, tsr_elem elem, const shape *s) {
  return shape_count(s) <= area_elements(g, elem);
}

made load_input(maker *g, tsr_elem elem, const shape *s) {
  if (tsr_elem_bits(elem) == 4 || s->rank == 0 || !has_place(g, elem, s) || chance(g, 2)) {
    if (tsr_elem_bits(elem) == 4) return constant(g, elem, s);
    made offset = offsets(g, elem, s, false);
    int at = pointers(g, area(g, IN, elem), elem, offset);
    made m = load_at(g, IN, elem, at, offset, false);
    add_value(g, m);
    return m;
  }
  made m = load_view(g, IN, elem, s);
  add_value(g, m);
  return m;
}

static bool has_rank(made v) {
  return v.shape.rank > 0 && (tsr_elem_bits(v.elem) != 4 || v.shape.rank == 1);
}

void make_store_view(maker *g) {
  made m = pick(g);
  if (!has_rank(m) || !has_place(g, m.elem, &m.shape)) return;
  view v = any_view(g, WORK, m.elem, &m.shape, true, false);
  const char *order = tsr_elem_bits(m.elem) == 4 ? "weak" : store_order(g);
  int before = join_all(g), token = g->next++;
  SAY("%%t%d = store_view_tko %s %%v%d, %%v%d", token, order, m.id, v.id);
  say_index(g, &v, m.shape.rank);
  SAY(" token = %%t%d : %s, %s, %s -> token\n", before, TYPE(m), v.type, v.index_types);
  g->token = token;
  if (!chance(g, 3)) return; /* and look at it again, through the same view */
  bool padded = strstr(v.type, "padding_value") != NULL;
  if (!padded) return;
  made again = fresh(g, m.elem, &m.shape);
  int seen = g->next++;
  SAY("%%v%d, %%t%d = load_view_tko weak %%v%d", again.id, seen, v.id);
  say_index(g, &v, m.shape.rank);
  SAY(" token = %%t%d : %s, %s -> %s, token\n", g->token, v.type, v.index_types, TYPE(again));
  after_load(g, WORK, seen);
  add_value(g, again);
}

/* What lies outside of the tensor is no value, but is not stored either. */
static void make_canonical_view(maker *g, tsr_elem elem, const shape *s, const view *v) {
  made was = fresh(g, elem, s);
  int seen = g->next++, token = g->next++;
  SAY("%%v%d, %%t%d = load_view_tko weak %%v%d", was.id, seen, v->id);
  say_index(g, v, s->rank);
  SAY(" token = %%t%d : %s, %s -> %s, token\n", g->token, v->type, v->index_types, TYPE(was));
  made now = canonical_of(g, was);
  SAY("%%t%d = store_view_tko weak %%v%d, %%v%d", token, now.id, v->id);
  say_index(g, v, s->rank);
  SAY(" token = %%t%d : %s, %s, %s -> token\n", seen, TYPE(now), v->type, v->index_types);
  g->token = token;
}

void make_atomic_view(maker *g) {
  made m = pick_that(g, has_atomics);
  if (m.id < 0 || !has_rank(m) || !has_place(g, m.elem, &m.shape)) return;
  view v = any_view(g, WORK, m.elem, &m.shape, true, true);
  int before = join_all(g), token = g->next++;
  SAY("%%t%d = atomic_red_view_tko relaxed %s %%v%d", token, chance(g, 2) ? "device" : "tl_blk",
      v.id);
  say_index(g, &v, m.shape.rank);
  const char *mode = rmw_mode(g, m.elem, false);
  SAY(", %s, %%v%d token = %%t%d : %s, %s, %s -> token\n", mode, m.id, before, TYPE(m), v.type,
      v.index_types);
  g->token = token;
  if (g->limits.card && strcmp(mode, "addf") == 0) make_canonical_view(g, m.elem, &m.shape, &v);
}

void make_shape_query(maker *g) {
  static const char *const ops[] = {"get_tensor_shape", "get_index_space_shape"};
  tsr_elem elem = TSR_I16, to = chance(g, 3) ? TSR_I64 : TSR_I32;
  shape s = view_shape(g, elem), scalar = {0};
  plan p = {.elem = elem, .tile = s, .dim = {0, 1, 2}, .kind = (int)draw(g, 2)};
  plan_extents(g, &p);
  view v = {0};
  say_tensor(g, &p, area(g, IN, elem), &v);
  int tensor = v.id;
  say_tile_view(g, &p, NULL, &v);
  unsigned which = (unsigned)draw(g, 2);
  int ids[MAX_RANK];
  for (unsigned d = 0; d < s.rank; d++) {
    made m = result(g, to, &scalar);
    ids[d] = m.id;
  }
  for (unsigned d = 0; d < s.rank; d++) SAY("%s%%v%d", d ? ", " : "", ids[d]);
  SAY(" = %s %%v%d : %s -> tile<%s>\n", ops[which], which ? v.id : tensor,
      which ? v.type : v.tensor, tsr_elem_name(to));
}

/* ---- memory of the kernel's own ------------------------------------------------------------- */

void make_alloca(maker *g) {
  made v = pick_that(g, has_pointers);
  if (v.id < 0) return;
  int p = g->next++;
  uint64_t first = UINT64_C(8) << draw(g, 5);
  const char *then = chance(g, 4) ? " global" : "";
  SAY("%%v%d = alloca num_elem = %d, alignment = %d%s : tile<%s>\n", p, (int)shape_count(&v.shape),
      (int)first, then, pointer_to(v.elem));
  made offset = iota_of(g, TSR_I32, &v.shape);
  int at = pointers(g, p, v.elem, offset), token = g->next++, read = g->next++;
  char ptrs[96];
  snprintf(ptrs, sizeof ptrs, "%s", tile_text(&v.shape, pointer_to(v.elem)));
  SAY("%%t%d = store_ptr_tko weak %%v%d, %%v%d : %s, %s -> token\n", token, at, v.id, ptrs,
      TYPE(v));
  made turned = offsets(g, v.elem, &v.shape, true);
  if (turned.elem != offset.elem || chance(g, 2)) turned = offset;
  made back =
      int_op(g, "subi", whole_constant(g, TSR_I32, &v.shape, shape_count(&v.shape) - 1), offset);
  if (chance(g, 2)) at = pointers(g, p, v.elem, back);
  made m = result(g, v.elem, &v.shape);
  SAY("%%v%d, %%t%d = load_ptr_tko weak %%v%d token=%%t%d : %s -> %s, token\n", m.id, read, at,
      token, ptrs, TYPE(m));
}

/* Tile blocks share globals: they read them, or only add to them. */
void make_global(maker *g) {
  static const tsr_elem elems[] = {TSR_I8, TSR_I32, TSR_I64, TSR_F32, TSR_F16};
  bool adds = chance(g, 3);
  tsr_elem elem = adds ? TSR_I32 : PICK(elems);
  int64_t count = INT64_C(1) << draw(g, 4);
  shape s = shape_flat(count);
  unsigned number = g->globals_made++;
  const char *first = adds || chance(g, 2) ? "" : "constant ";
  const char *then = chance(g, 2) ? " alignment = 64" : "";
  sbuf_printf(&g->globals, "global %s@g%u_%u%s <%s: ", first, g->number, number, then,
              tsr_elem_name(elem));
  const char *point = tsr_elem_is_float(elem) ? ".5" : "";
  if (chance(g, 2)) {
    sbuf_printf(&g->globals, "%d%s", (int)draw(g, 100), point);
  } else {
    for (int64_t i = 0; i < count; i++)
      sbuf_printf(&g->globals, "%s%d%s", i ? ", " : "[", (int)draw(g, 100), point);
    sbuf_puts(&g->globals, "]");
  }
  sbuf_printf(&g->globals, "> : %s\n", tile_of(&s, elem));
  int p = g->next++;
  SAY("%%v%d = get_global @g%u_%u : tile<%s>\n", p, g->number, number, pointer_to(elem));
  made offset = iota_of(g, TSR_I32, &s);
  int at = pointers(g, p, elem, offset);
  if (!adds) {
    add_value(g, load_at(g, IN, elem, at, offset, chance(g, 3)));
    return;
  }
  made v = partner(g, elem, &s);
  int old = g->next++;
  SAY("%%v%d, %%t%d = atomic_rmw_tko relaxed device %%v%d, add, %%v%d : %s, %s -> %s, token\n", old,
      old, at, v.id, tile_text(&s, pointer_to(elem)), TYPE(v), TYPE(v));
}

/* ---- results -------------------------------------------------------------------------------- */

void store_out(maker *g, made v, bool rough) {
  random_kernel *k = g->kernel;
  if (k->n_slots == RANDOM_SLOTS || g->depth) return;
  unsigned slot = k->n_slots;
  int64_t count = shape_count(&v.shape);
  k->slots[k->n_slots++] = (random_slot){v.elem, rough, (uint32_t)count};
  shape flat = shape_flat(count), scalar = {0};
  made f = reshaped(g, v, &flat), zero = whole_constant(g, TSR_I32, &scalar, 0);
  int p = area_of(g, "out", slot, v.elem), w = g->next++, x = g->next++;
  char tensor[96], part[160];
  snprintf(tensor, sizeof tensor, "tensor_view<%dx%s, strides=[1]>", (int)count,
           tsr_elem_name(v.elem));
  snprintf(part, sizeof part, "partition_view<tile=(%d), %s>", (int)count, tensor);
  SAY("%%v%d = make_tensor_view %%v%d, shape = [%d], strides = [1] : %s\n", w, p, (int)count,
      tensor);
  SAY("%%v%d = make_partition_view %%v%d : %s\n", x, w, part);
  SAY("%%t%d = store_view_tko weak %%v%d, %%v%d[%%v%d] : %s, %s, tile<i32> -> token\n", g->next++,
      f.id, x, zero.id, TYPE(f), part);
}
