/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "random_block_maker.h"

#include <stdio.h>

/* What a team of two groups hands on. */
typedef struct team {
  tsr_elem elem;
  int rows, columns, slots;
  int memory, result, full, empty; /* values */
  char slot_type[128], whole_type[128];
  bool copies;  /* the producer has cp_async */
  bool carried; /* loops hand on the slot and the parity, or they are computed */
  const char *each[2];
  int limit; /* iterations */
  int zero, one, count;
} team;

/* The slot and the parity of an iteration. */
static void slot_of(maker *g, const team *t, int step, int *slot, int *parity) {
  int round = binary(g, "divi", step, t->count);
  *slot = binary(g, "remi", step, t->count);
  *parity = binary(g, "andi", round, t->one);
}

/* The slot and the parity behind these. */
static void next_slot(maker *g, const team *t, int *slot, int *parity) {
  int more = binary(g, "addi", *slot, t->one), wraps = g->next++, next = g->next++;
  SAY("%%v%d = cmpi equal %%v%d, %%v%d, signed : tile<i32> -> tile<i1>\n", wraps, more, t->count);
  SAY("%%v%d = select %%v%d, %%v%d, %%v%d : tile<i1>, tile<i32>\n", next, wraps, t->zero, more);
  int turned = binary(g, "xori", *parity, t->one), other = g->next++;
  SAY("%%v%d = select %%v%d, %%v%d, %%v%d : tile<i1>, tile<i32>\n", other, wraps, turned, *parity);
  *slot = next;
  *parity = other;
}

static int part_of_team(maker *g, const team *t, int slot) {
  int p = g->next++;
  SAY("%%v%d = subview %%v%d[%%v%d] : %s -> %s\n", p, t->memory, slot, t->whole_type, t->slot_type);
  return p;
}

/* Begins a loop over all slices; returns its counter. `sum`: what it adds up, NULL: nothing. */
static int begin_slices(maker *g, const team *t, const tile *sum, int *acc, int *slot,
                        int *parity) {
  int i = g->next++, s = g->next++, p = g->next++;
  *acc = g->next++;
  int results = g->next++;
  if (sum || t->carried) SAY("%%v%d:%d = ", results, (sum ? 1 : 0) + (t->carried ? 2 : 0));
  SAY("for %%v%d in (%%v%d to %%v%d, step %%v%d) : tile<i32>", i, t->zero, t->limit, t->one);
  if (t->carried && sum)
    SAY(" iter_values(%%v%d = %%v%d, %%v%d = %%v%d, %%v%d = %%v%d) -> (%s, tile<i32>, tile<i32>)",
        *acc, sum->id, s, t->zero, p, t->zero, full_type_of(g, sum));
  else if (t->carried)
    SAY(" iter_values(%%v%d = %%v%d, %%v%d = %%v%d) -> (tile<i32>, tile<i32>)", s, t->zero, p,
        t->zero);
  else if (sum)
    SAY(" iter_values(%%v%d = %%v%d) -> (%s)", *acc, sum->id, full_type_of(g, sum));
  SAY(" {\n");
  if (!t->carried) slot_of(g, t, i, &s, &p);
  *slot = s;
  *parity = p;
  return sum ? results : i;
}

static void end_slices(maker *g, const team *t, const tile *sum, int acc, int slot, int parity) {
  if (t->carried) next_slot(g, t, &slot, &parity);
  SAY("continue");
  if (sum) SAY(" %%v%d", acc);
  if (t->carried) SAY("%s %%v%d, %%v%d", sum ? "," : "", slot, parity);
  if (sum) SAY(" : %s", full_type_of(g, sum));
  if (t->carried) SAY("%s tile<i32>, tile<i32>", sum ? "," : " :");
  SAY("\n}\n");
}

static void produce(maker *g, const team *t, int view, const char *type) {
  form f = random_form(g, t->rows, t->columns);
  int unused, slot, parity, i = begin_slices(g, t, NULL, &unused, &slot, &parity);
  int other = binary(g, "xori", parity, t->one), part = part_of_team(g, t, slot);
  SAY("mbarrier_wait %%v%d[%%v%d], %%v%d : mbarrier<%d>\n", t->empty, slot, other, t->slots);
  if (t->copies) {
    SAY("cp_async %%v%d[%%v%d, %%v%d], %%v%d by layout<%s> : %s, %s\n", view, i, t->zero, part,
        f.text, type, t->slot_type);
    SAY("cp_async_arrive %%v%d[%%v%d] : mbarrier<%d>\n", t->full, slot, t->slots);
  } else {
    tile x = {.id = g->next++, .elem = t->elem, .rows = t->rows, .columns = t->columns, .form = f};
    SAY("%%v%d = load_global %%v%d[%%v%d, %%v%d] : %s -> %s\n", x.id, view, i, t->zero, type,
        full_type_of(g, &x));
    SAY("store_shared %%v%d, %%v%d : %s, %s\n", x.id, part, full_type_of(g, &x), t->slot_type);
    SAY("mbarrier_arrive %%v%d[%%v%d]%s : mbarrier<%d>\n", t->full, slot, t->each[0], t->slots);
  }
  end_slices(g, t, NULL, 0, slot, parity);
}

static void consume(maker *g, const team *t) {
  form f = random_form(g, t->rows, t->columns);
  tile sum = {.id = g->next++, .elem = t->elem, .rows = t->rows, .columns = t->columns, .form = f};
  SAY("%%v%d = constant <%s: 3> : %s\n", sum.id, ELEM(t->elem), full_type_of(g, &sum));
  int acc, slot, parity, results = begin_slices(g, t, &sum, &acc, &slot, &parity);
  SAY("mbarrier_wait %%v%d[%%v%d], %%v%d : mbarrier<%d>\n", t->full, slot, parity, t->slots);
  int part = part_of_team(g, t, slot), x = g->next++, y = g->next++;
  SAY("%%v%d = load_shared %%v%d : %s -> %s\n", x, part, t->slot_type, full_type_of(g, &sum));
  SAY("mbarrier_arrive %%v%d[%%v%d]%s : mbarrier<%d>\n", t->empty, slot, t->each[1], t->slots);
  SAY("%%v%d = addi %%v%d, %%v%d : %s\n", y, acc, x, full_type_of(g, &sum));
  end_slices(g, t, &sum, y, slot, parity);
  SAY("store_shared %%v%d#0, %%v%d : %s, %s\n", results, t->result, full_type_of(g, &sum),
      t->slot_type);
}

/* How many arrivals a phase has of a group of so many threads. */
static int arrivals_of(const char *each, unsigned threads) {
  if (strcmp(each, " each group") == 0) return 1;
  return strcmp(each, " each warp") == 0 ? (int)threads / 32 : (int)threads;
}

static team random_team(maker *g, unsigned threads) {
  static const char *const each[] = {"", " each warp", " each group"};
  static const tsr_elem elems[] = {TSR_I8, TSR_I16, TSR_I32, TSR_I32};
  team t = {.elem = PICK(elems),
            .slots = 1 + (int)draw_next(g, 3),
            .copies = take_chance(g, 2),
            .carried = take_chance(g, 2)};
  random_size(g, &t.rows, &t.columns);
  for (unsigned k = 0; k < 2; k++) t.each[k] = PICK(each);
  snprintf(t.slot_type, sizeof t.slot_type, "shared<%dx%dx%s>", t.rows, t.columns, ELEM(t.elem));
  snprintf(t.whole_type, sizeof t.whole_type, "shared<%dx%dx%dx%s>", t.slots, t.rows, t.columns,
           ELEM(t.elem));
  t.memory = g->next++, t.result = g->next++, t.full = g->next++, t.empty = g->next++;
  SAY("%%v%d = alloc_shared : %s\n%%v%d = alloc_shared : %s\n", t.memory, t.whole_type, t.result,
      t.slot_type);
  SAY("%%v%d = alloc_mbarrier : mbarrier<%d>\n%%v%d = alloc_mbarrier : mbarrier<%d>\n", t.full,
      t.slots, t.empty, t.slots);
  SAY("elect {\nmbarrier_init %%v%d, %d : mbarrier<%d>\nmbarrier_init %%v%d, %d : mbarrier<%d>\n}\n"
      "barrier\n",
      t.full, t.copies ? (int)threads : arrivals_of(t.each[0], threads), t.slots, t.empty,
      arrivals_of(t.each[1], threads), t.slots);
  t.zero = constant_i32(g, 0), t.one = constant_i32(g, 1), t.count = constant_i32(g, t.slots);
  t.limit = constant_i32(g, (int64_t)draw_next(g, 7));
  return t;
}

/* What a group left in shared memory, for all threads. */
static void take_result(maker *g, const team *t) {
  form f = random_form(g, t->rows, t->columns);
  tile r = add_tile(g, t->elem, t->rows, t->columns, &f);
  SAY("barrier\n%%v%d = load_shared %%v%d : %s -> %s\n", r.id, t->result, t->slot_type,
      type_of(g, &r));
  if (g->depth) SAY("barrier\n"); /* before the next iteration stores there again */
}

static void open_member(maker *g, bool roles, unsigned number, unsigned threads) {
  if (roles)
    SAY("role @r%u threads(%u to %u) {\n", number, number * threads, (number + 1) * threads);
  else
    SAY("group threads(%u to %u) {\n", number * threads, (number + 1) * threads);
}

/* One half of the threads loads slices into slots in turn, which the other half adds up. */
void make_team(maker *g) {
  unsigned all = g->threads, half = all / 2;
  if (half < 32) return;
  team t = random_team(g, half);
  char type[128];
  int view = input_view(g, t.elem, t.rows, t.columns, type, sizeof type);
  bool roles = take_chance(g, 2), first = take_chance(g, 2);
  int limit = t.limit; /* for one of them the same number, computed in another way */
  if (take_chance(g, 2)) limit = binary(g, "subi", binary(g, "addi", limit, t.one), t.one);
  if (roles) SAY("roles {\n");
  g->threads = half;
  for (unsigned k = 0; k < 2; k++) {
    open_member(g, roles, k, half);
    if (k == 1) t.limit = limit;
    if ((k == 0) == first)
      produce(g, &t, view, type);
    else
      consume(g, &t);
    SAY("}\n");
  }
  g->threads = all;
  if (roles) SAY("}\n");
  take_result(g, &t);
}

/* One half of the threads hands a tile to the other, which hands it back changed. */
void make_meeting(maker *g) {
  unsigned all = g->threads, half = all / 2;
  if (half < 32) return;
  team t = {.elem = TSR_I32};
  random_size(g, &t.rows, &t.columns);
  snprintf(t.slot_type, sizeof t.slot_type, "shared<%dx%dxi32>", t.rows, t.columns);
  t.memory = g->next++, t.result = g->next++;
  SAY("%%v%d = alloc_shared : %s\n%%v%d = alloc_shared : %s\n", t.memory, t.slot_type, t.result,
      t.slot_type);
  char type[128];
  int view = input_view(g, TSR_I32, t.rows, t.columns, type, sizeof type),
      zero = constant_i32(g, 0);
  unsigned id = 1 + (unsigned)draw_next(g, 7), back = 8 + (unsigned)draw_next(g, 7);
  g->threads = half;
  form f = random_form(g, t.rows, t.columns), h = random_form(g, t.rows, t.columns);
  tile x = {.id = g->next++, .elem = TSR_I32, .rows = t.rows, .columns = t.columns, .form = f};
  tile y = {.id = g->next++, .elem = TSR_I32, .rows = t.rows, .columns = t.columns, .form = h};
  int z = g->next++, w = g->next++, v = g->next++;
  SAY("group threads(0 to %u) {\n", half);
  SAY("%%v%d = load_global %%v%d[%%v%d, %%v%d] : %s -> %s\n", x.id, view, zero, zero, type,
      full_type_of(g, &x));
  SAY("store_shared %%v%d, %%v%d : %s, %s\nbarrier_%s %u, %u\n", x.id, t.memory,
      full_type_of(g, &x), t.slot_type, take_chance(g, 2) ? "arrive" : "wait", id, all);
  SAY("barrier_wait %u, %u\n", back, all);
  SAY("%%v%d = load_shared %%v%d : %s -> %s\n", w, t.memory, t.slot_type, full_type_of(g, &x));
  SAY("%%v%d = muli %%v%d, %%v%d : %s\n", v, w, x.id, full_type_of(g, &x));
  SAY("store_shared %%v%d, %%v%d : %s, %s\n}\n", v, t.result, full_type_of(g, &x), t.slot_type);
  SAY("group threads(%u to %u) {\nbarrier_wait %u, %u\n", half, all, id, all);
  SAY("%%v%d = load_shared %%v%d : %s -> %s\n", y.id, t.memory, t.slot_type, full_type_of(g, &y));
  SAY("%%v%d = addi %%v%d, %%v%d : %s\nbarrier\n", z, y.id, y.id, full_type_of(g, &y));
  SAY("store_shared %%v%d, %%v%d : %s, %s\nbarrier_%s %u, %u\n}\n", z, t.memory,
      full_type_of(g, &y), t.slot_type, take_chance(g, 2) ? "arrive" : "wait", back, all);
  g->threads = all;
  take_result(g, &t);
}

/* A tile of three warps, a part of its rows to each. */
static tile add_triple(maker *g, const team *t) {
  unsigned all = g->threads;
  g->threads = 32;
  form inner = random_form(g, t->rows / 3, t->columns);
  g->threads = all;
  tile x = {.id = g->next++, .elem = TSR_I32, .rows = t->rows, .columns = t->columns};
  snprintf(x.form.text, TEXT, "spatial(3, 1).%.*s", TEXT - 32, inner.text);
  return x;
}

/* A group whose threads are no power of two. */
void make_three(maker *g) {
  if (g->threads < 128 || g->limits.bits < 5) return;
  team t = {.elem = TSR_I32};
  random_size_below(g, g->limits.bits - 3, &t.rows, &t.columns);
  t.rows = 3 * (t.rows & -t.rows);
  t.columns &= -t.columns;
  snprintf(t.slot_type, sizeof t.slot_type, "shared<%dx%dxi32>", t.rows, t.columns);
  t.memory = g->next++, t.result = g->next++;
  SAY("%%v%d = alloc_shared : %s\n%%v%d = alloc_shared : %s\n", t.memory, t.slot_type, t.result,
      t.slot_type);
  char type[128];
  int view = input_view(g, TSR_I32, t.rows, t.columns, type, sizeof type),
      zero = constant_i32(g, 0);
  SAY("group threads(0 to 96) {\n");
  tile x = add_triple(g, &t), y = add_triple(g, &t), z = y;
  SAY("%%v%d = load_global %%v%d[%%v%d, %%v%d] : %s -> %s\n", x.id, view, zero, zero, type,
      full_type_of(g, &x));
  SAY("store_shared %%v%d, %%v%d : %s, %s\nbarrier\n", x.id, t.memory, full_type_of(g, &x),
      t.slot_type);
  SAY("%%v%d = load_shared %%v%d : %s -> %s\n", y.id, t.memory, t.slot_type, full_type_of(g, &y));
  int moved = g->next++;
  z.id = g->next++;
  SAY("%%v%d = convert_layout %%v%d : %s -> %s\n", moved, x.id, full_type_of(g, &x),
      full_type_of(g, &y));
  SAY("%%v%d = muli %%v%d, %%v%d : %s\n", z.id, y.id, moved, full_type_of(g, &y));
  SAY("store_shared %%v%d, %%v%d : %s, %s\n}\n", z.id, t.result, full_type_of(g, &z), t.slot_type);
  take_result(g, &t);
}
