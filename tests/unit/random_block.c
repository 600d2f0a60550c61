/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "random_block_maker.h"

#include <stdio.h>

#include "num/num.h"

uint64_t draw_next(maker *g, uint64_t below) {
  g->state ^= g->state << 13;
  g->state ^= g->state >> 7;
  g->state ^= g->state << 17;
  return (g->state >> 11) % below;
}

bool take_chance(maker *g, unsigned one_in) {
  return draw_next(g, one_in) == 0;
}

unsigned log2_of(unsigned n) {
  return 31u - (unsigned)__builtin_clz(n);
}

static int odd_part(int n) {
  return n / (n & -n);
}

/* ---- layouts -------------------------------------------------------------------------------- */

/* A chain of factors of 2 in random order, whose workers are all threads, and among them what is
 * odd of the sizes, which each thread has as often. */
form random_form(maker *g, int rows, int columns) {
  unsigned left[2] = {log2_of((unsigned)(rows & -rows)), log2_of((unsigned)(columns & -columns))};
  unsigned threads = log2_of(g->threads);
  int odd[2] = {odd_part(rows), odd_part(columns)};
  form f = {.calls = 1};
  int n = 0;
  while (left[0] + left[1] + threads || odd[0] * odd[1] > 1) {
    if (odd[0] * odd[1] > 1 && (left[0] + left[1] + threads == 0 || take_chance(g, 4))) {
      n += snprintf(f.text + n, TEXT - (size_t)n, "%slocal(%d, %d)", n ? "." : "", odd[0], odd[1]);
      odd[0] = odd[1] = 1;
      continue;
    }
    unsigned tile_bits = left[0] + left[1], d = left[0] && (!left[1] || take_chance(g, 2)) ? 0 : 1;
    bool copy = threads && (!tile_bits || (threads > tile_bits && take_chance(g, 3)));
    bool spatial = !copy && threads && (take_chance(g, 2) || threads >= tile_bits);
    const char *dot = n ? "." : "";
    if (copy)
      n += snprintf(f.text + n, TEXT - (size_t)n, "%sreplicated(1, 1, num_workers=2)", dot);
    else
      n += snprintf(f.text + n, TEXT - (size_t)n, "%s%s(%d, %d)", dot,
                    spatial ? "spatial" : "local", d ? 1 : 2, d ? 2 : 1);
    if (copy || spatial) threads--;
    if (!copy) left[d]--;
  }
  if (!n) snprintf(f.text, TEXT, "local(1, 1)");
  return f;
}

/* NAME(layout, dims=[…]…) */
static form with_function(const form *of, const char *name, const char *dims) {
  form f = {.calls = of->calls + 1};
  int n = snprintf(f.text, TEXT, "%s(%s, dims=[%s])", name, of->text, dims);
  if (n >= TEXT) f.calls = 100; /* too long: not for use */
  return f;
}

/* ---- values --------------------------------------------------------------------------------- */

/* A tile of which the layout may be left out says it in some places. What is left out is drawn on
 * its own, so that the kernel is otherwise the same. */
static bool is_left_out(maker *g, const tile *t) {
  if (!g->limits.left_out || odd_part(t->rows) > 1 || odd_part(t->columns) > 1) return false;
  g->omitted = g->omitted * UINT64_C(6364136223846793005) + 1442695040888963407;
  return (g->omitted >> 33) % 100 < g->limits.left_out;
}

const char *full_type_of(maker *g, const tile *t) {
  return arena_printf(g->arena, "tile<%dx%dx%s, %s>", t->rows, t->columns, ELEM(t->elem),
                      t->form.text);
}

const char *type_of(maker *g, const tile *t) {
  if (!is_left_out(g, t)) return full_type_of(g, t);
  return arena_printf(g->arena, "tile<%dx%dx%s>", t->rows, t->columns, ELEM(t->elem));
}

tile add_tile(maker *g, tsr_elem elem, int rows, int columns, const form *f) {
  tile t = {.id = g->next++, .elem = elem, .rows = rows, .columns = columns, .form = *f};
  unsigned at = g->n < MOST_VALUES ? g->n++ : (unsigned)draw_next(g, MOST_VALUES);
  g->tiles[at] = t;
  return t;
}

int constant_i32(maker *g, int64_t v) {
  SAY("%%v%d = constant <i32: %lld> : tile<i32>\n", g->next, (long long)v);
  return g->next++;
}

static bool is_int(tsr_elem e) {
  return e == TSR_I8 || e == TSR_I16 || e == TSR_I32;
}

static tile pick(maker *g) {
  return g->tiles[g->n - 1 - draw_next(g, MIN(g->n, 1 + (unsigned)draw_next(g, g->n)))];
}

/* At most 2^most elements; one size of several is no power of two. */
void random_size_below(maker *g, unsigned most, int *rows, int *columns) {
  static const int odd[] = {3, 3, 5, 7};
  unsigned bits = 1 + (unsigned)draw_next(g, most), r = (unsigned)draw_next(g, bits + 1);
  *rows = 1 << r;
  *columns = 1 << (bits - r);
  if (bits + 3 <= most && take_chance(g, 3)) *(take_chance(g, 2) ? rows : columns) *= PICK(odd);
}

void random_size(maker *g, int *rows, int *columns) {
  random_size_below(g, g->limits.bits, rows, columns);
}

/* ---- global memory -------------------------------------------------------------------------- */

static int64_t area(const maker *g) {
  return INT64_C(8) << g->limits.bits;
}

static int pointer_at(maker *g, const char *base, int64_t bytes, tsr_elem elem) {
  int by = constant_i32(g, bytes), at = g->next++, p = g->next++;
  SAY("%%v%d = offset %s, %%v%d : tile<ptr<i8>>, tile<i32> -> tile<ptr<i8>>\n", at, base, by);
  SAY("%%v%d = ptr_to_ptr %%v%d : tile<ptr<i8>> -> tile<ptr<%s>>\n", p, at, ELEM(elem));
  return p;
}

/* A view of rank 2 with so many rows and columns. */
static int view_at(maker *g, int pointer, tsr_elem elem, int rows, int columns, char *type,
                   size_t size) {
  int v = g->next++;
  if (take_chance(g, 2)) {
    int m = constant_i32(g, rows), n = constant_i32(g, columns);
    snprintf(type, size, "tensor_view<?x?x%s, strides=[?,1]>", ELEM(elem));
    SAY("%%v%d = make_tensor_view %%v%d, shape = [%%v%d, %%v%d], strides = [%%v%d, 1] : tile<i32> "
        "-> %s\n",
        v, pointer, m, n, n, type);
  } else {
    snprintf(type, size, "tensor_view<%dx%dx%s, strides=[%d,1]>", rows, columns, ELEM(elem),
             columns);
    SAY("%%v%d = make_tensor_view %%v%d, shape = [%d, %d], strides = [%d, 1] : %s\n", v, pointer,
        rows, columns, columns, type);
  }
  return v;
}

/* A view of the input, at most as large as a tile, and mostly as large. */
int input_view(maker *g, tsr_elem elem, int rows, int columns, char *type, size_t size) {
  int p = pointer_at(g, "%p", (int64_t)elem * area(g), elem);
  if (take_chance(g, 3)) rows = 1 + (int)draw_next(g, (uint64_t)rows);
  if (take_chance(g, 3)) columns = 1 + (int)draw_next(g, (uint64_t)columns);
  return view_at(g, p, elem, rows, columns, type, size);
}

static int random_offset(maker *g, int size) {
  if (g->step && take_chance(g, 3)) {
    int o = g->next++;
    SAY("%%v%d = addi %s, %%v%d : tile<i32>\n", o, g->step,
        constant_i32(g, (int)draw_next(g, 3) - 1));
    return o;
  }
  return constant_i32(
      g, take_chance(g, 2) ? 0 : (int64_t)draw_next(g, (uint64_t)size + 3) - size / 2 - 1);
}

static tile load(maker *g, tsr_elem elem, int rows, int columns, const form *f) {
  char type[128];
  int v = input_view(g, elem, rows, columns, type, sizeof type);
  int i = random_offset(g, rows), j = random_offset(g, columns);
  tile t = add_tile(g, elem, rows, columns, f);
  SAY("%%v%d = load_global %%v%d[%%v%d, %%v%d] : %s -> %s\n", t.id, v, i, j, type, type_of(g, &t));
  return t;
}

static tile partner(maker *g, const tile *like) {
  for (unsigned tries = 0; tries < 6; tries++) {
    tile t = pick(g);
    if (t.elem == like->elem && t.rows == like->rows && t.columns == like->columns &&
        strcmp(t.form.text, like->form.text) == 0)
      return t;
  }
  return load(g, like->elem, like->rows, like->columns, &like->form);
}

/* All of it, from (0, 0) or from an offset on; each place of the output is written once. */
static void store_out(maker *g, const tile *t) {
  char type[128];
  if (g->kernel->n_slots == RANDOM_SLOTS) return;
  unsigned slot = g->kernel->n_slots++;
  g->kernel->slots[slot] =
      (random_slot){.elem = t->elem, .count = (uint32_t)(t->rows * t->columns)};
  int p = pointer_at(g, "%out", slot * area(g), t->elem);
  int v = view_at(g, p, t->elem, t->rows, t->columns, type, sizeof type);
  int i = random_offset(g, t->rows), j = random_offset(g, t->columns);
  SAY("store_global %%v%d, %%v%d[%%v%d, %%v%d] : %s, %s\n", t->id, v, i, j, type_of(g, t), type);
}

/* ---- operations ----------------------------------------------------------------------------- */

static void make_load(maker *g) {
  static const tsr_elem elems[] = {TSR_I8, TSR_I16, TSR_I32, TSR_I32};
  int rows, columns;
  random_size(g, &rows, &columns);
  form f = random_form(g, rows, columns);
  load(g, PICK(elems), rows, columns, &f);
}

static void make_elementwise(maker *g) {
  static const char *const ints[] = {"addi", "subi", "muli", "xori", "andi", "ori"};
  tile a = pick(g);
  if (!is_int(a.elem)) return;
  tile b = partner(g, &a), r = add_tile(g, a.elem, a.rows, a.columns, &a.form);
  SAY("%%v%d = %s %%v%d, %%v%d : %s\n", r.id, PICK(ints), a.id, b.id, type_of(g, &a));
}

static void make_select(maker *g) {
  tile a = pick(g), b = partner(g, &a), c = a;
  if (!is_int(a.elem)) return;
  c.elem = TSR_I1;
  c.id = g->next++;
  SAY("%%v%d = cmpi less_than %%v%d, %%v%d, signed : %s -> %s\n", c.id, a.id, b.id, type_of(g, &a),
      type_of(g, &c));
  tile r = add_tile(g, a.elem, a.rows, a.columns, &a.form);
  SAY("%%v%d = select %%v%d, %%v%d, %%v%d : %s, %s\n", r.id, c.id, b.id, a.id, type_of(g, &c),
      type_of(g, &a));
}

/* A tile of the same sizes in another layout, which is to be made. */
static tile converted_type(maker *g, const tile *t) {
  form f = random_form(g, t->rows, t->columns);
  return add_tile(g, t->elem, t->rows, t->columns, &f);
}

static tile converted(maker *g, const tile *t) {
  tile r = converted_type(g, t);
  SAY("%%v%d = convert_layout %%v%d : %s -> %s\n", r.id, t->id, type_of(g, t), type_of(g, &r));
  return r;
}

static void make_conversion(maker *g) {
  tile t = pick(g);
  converted(g, &t);
}

static void make_permute(maker *g) {
  tile a = pick(g);
  form f = with_function(&a.form, "permute", "1, 0");
  if (f.calls > 4) return;
  tile r = add_tile(g, a.elem, a.columns, a.rows, &f);
  SAY("%%v%d = permute %%v%d [1, 0] : %s -> %s\n", r.id, a.id, type_of(g, &a), type_of(g, &r));
}

/* Reduces one dimension and spreads the result over it again. */
static void make_reduce(maker *g) {
  tile a = pick(g);
  unsigned dim = (unsigned)draw_next(g, 2);
  bool sum = take_chance(g, 2);
  if (a.elem != TSR_I32 || a.form.calls > 3) return;
  form row = with_function(&a.form, "reduce", dim ? "1" : "0");
  form kept = with_function(&a.form, "reduce", dim ? "1], keepdims=[1" : "0], keepdims=[1");
  kept.calls = a.form.calls + 1;
  snprintf(kept.text, TEXT, "reduce(%.*s, dims=[%u], keepdims=True)", TEXT - 64, a.form.text, dim);
  int size = dim ? a.rows : a.columns, red = g->next++, one = g->next++;
  const char *row_type = arena_printf(g->arena, "tile<%dxi32, %s>", size, row.text);
  const char *kept_type = arena_printf(g->arena, "tile<%dx%dxi32, %s>", dim ? a.rows : 1,
                                       dim ? 1 : a.columns, kept.text);
  SAY("%%v%d = reduce %%v%d dim=%u identities=[%s : i32] : %s -> %s\n", red, a.id, dim,
      sum ? "0" : "-2147483648", type_of(g, &a), row_type);
  int x = g->next++, y = g->next++, z = g->next++;
  SAY("(%%v%d: tile<i32>, %%v%d: tile<i32>) { %%v%d = %s %%v%d, %%v%d%s : tile<i32> yield %%v%d : "
      "tile<i32> }\n",
      x, y, z, sum ? "addi" : "maxi", x, y, sum ? "" : " signed", z);
  SAY("%%v%d = reshape %%v%d : %s -> %s\n", one, red, row_type, kept_type);
  tile r = add_tile(g, TSR_I32, a.rows, a.columns, &a.form);
  SAY("%%v%d = broadcast %%v%d : %s -> %s\n", r.id, one, kept_type, type_of(g, &r));
}

/* The bits of each thread, two elements to one of twice the width or the reverse. */
static void make_reinterpret(maker *g) {
  tile a = pick(g);
  bool wider = a.elem != TSR_I32 && take_chance(g, 2);
  if (!is_int(a.elem) || a.form.calls > 1 || (!wider && a.elem == TSR_I8)) return;
  if (wider && strncmp(a.form.text + strlen(a.form.text) - 11, "local(1, 2)", 11) != 0) return;
  tsr_elem elem = a.elem == TSR_I16 ? (wider ? TSR_I32 : TSR_I8) : TSR_I16;
  form f = {.calls = 1};
  if (wider)
    snprintf(f.text, TEXT, "%.*s", (int)MAX(0, (int)strlen(a.form.text) - 12), a.form.text);
  else
    snprintf(f.text, TEXT, "%.*s.local(1, 2)", TEXT - 16, a.form.text);
  if (!f.text[0] || strlen(f.text) > TEXT - 20) return;
  tile r = add_tile(g, elem, a.rows, wider ? a.columns / 2 : a.columns * 2, &f);
  SAY("%%v%d = reinterpret %%v%d : %s -> %s\n", r.id, a.id, full_type_of(g, &a),
      full_type_of(g, &r));
}

/* A tile of another element type in the same places. */
static tile with_elem(maker *g, const tile *t, tsr_elem elem) {
  tile r = *t;
  r.elem = elem;
  r.id = g->next++;
  return r;
}

static tile add_reinterpreted(maker *g, const tile *t, tsr_elem elem, int columns, const form *f) {
  tile r = add_tile(g, elem, t->rows, columns, f);
  SAY("%%v%d = reinterpret %%v%d : %s -> %s\n", r.id, t->id, full_type_of(g, t),
      full_type_of(g, &r));
  return r;
}

/* Integers of a few bits, widened and narrowed again. */
static tile through_integers(maker *g, const tile *few) {
  tile wide = add_tile(g, TSR_I32, few->rows, few->columns, &few->form);
  SAY("%%v%d = exti %%v%d %s : %s -> %s\n", wide.id, few->id,
      take_chance(g, 2) ? "signed" : "unsigned", type_of(g, few), type_of(g, &wide));
  tile back = with_elem(g, few, few->elem);
  SAY("%%v%d = trunci %%v%d : %s -> %s\n", back.id, wide.id, type_of(g, &wide), type_of(g, &back));
  return back;
}

/* Floats of a few bits, widened, of which the bits are kept, and narrowed again. */
static tile through_floats(maker *g, const tile *few) {
  static const tsr_elem wider[] = {TSR_F16, TSR_BF16, TSR_F32};
  tsr_elem elem = PICK(wider);
  tile wide = with_elem(g, few, elem), back = with_elem(g, few, few->elem);
  SAY("%%v%d = ftof %%v%d : %s -> %s\n", wide.id, few->id, type_of(g, few), type_of(g, &wide));
  add_reinterpreted(g, &wide, elem == TSR_F32 ? TSR_I32 : TSR_I16, few->columns, &few->form);
  SAY("%%v%d = ftof %%v%d : %s -> %s\n", back.id, wide.id, type_of(g, &wide), type_of(g, &back));
  return back;
}

/* ---- shared memory -------------------------------------------------------------------------- */

typedef struct storage {
  char whole[256], part[256]; /* types */
  int slots;
} storage;

/* An arrangement of `slots` tiles: dense, padded, by columns, or swizzled. */
static storage random_storage(maker *g, tsr_elem elem, int rows, int columns) {
  storage s = {.slots = 1 + (int)draw_next(g, 3)};
  unsigned kind = (unsigned)draw_next(g, 4);
  int row = columns, column = 1, pad = kind == 1 ? 1 + (int)draw_next(g, 3) : 0;
  if (kind == 2) row = 1, column = rows;
  row += kind == 2 ? 0 : pad;
  int slot = kind == 2 ? rows * columns : rows * row;
  char swizzle[32] = "";
  unsigned bits = log2_of((unsigned)(rows * columns));
  if (kind == 3 && bits >= 3)
    snprintf(swizzle, sizeof swizzle, "Sw<1,%u,2> o ", (unsigned)draw_next(g, bits - 2));
  snprintf(s.part, sizeof s.part, "shared<%dx%dx%s, %s(%d,%d):(%d,%d)>", rows, columns, ELEM(elem),
           swizzle, rows, columns, row, column);
  snprintf(s.whole, sizeof s.whole, "shared<%dx%dx%dx%s, %s(%d,%d,%d):(%d,%d,%d)>", s.slots, rows,
           columns, ELEM(elem), swizzle, s.slots, rows, columns, slot, row, column);
  return s;
}

static int part_of(maker *g, const storage *s, int whole, int slot) {
  int p = g->next++;
  SAY("%%v%d = subview %%v%d[%%v%d] : %s -> %s\n", p, whole, slot, s->whole, s->part);
  return p;
}

/* `a` goes to shared memory and comes back as `r`, to other threads; `type` says how types are
 * written. */
static void exchange(maker *g, const tile *a, const tile *r,
                     const char *(*type)(maker *, const tile *)) {
  storage s = random_storage(g, a->elem, a->rows, a->columns);
  int whole = g->next++;
  SAY("%%v%d = alloc_shared : %s\n", whole, s.whole);
  int slot = constant_i32(g, (int64_t)draw_next(g, (uint64_t)s.slots)),
      p = part_of(g, &s, whole, slot);
  SAY("store_shared %%v%d, %%v%d : %s, %s\nbarrier\n", a->id, p, type(g, a), s.part);
  SAY("%%v%d = load_shared %%v%d : %s -> %s\n", r->id, p, s.part, type(g, r));
  bool freed = take_chance(g, 2);
  if (freed || g->depth) SAY("barrier\n"); /* before the next iteration stores there again */
  if (freed) SAY("free_shared %%v%d : %s\n", whole, s.whole);
}

static void make_exchange(maker *g) {
  tile a = pick(g);
  if (!is_int(a.elem)) return;
  form f = random_form(g, a.rows, a.columns);
  tile r = add_tile(g, a.elem, a.rows, a.columns, &f);
  exchange(g, &a, &r, type_of);
}

/* A tile of elements of any width, which other threads had in between. */
static tile elsewhere(maker *g, const tile *few) {
  tile there = *few, back = *few;
  there.form = random_form(g, few->rows, few->columns);
  there.id = g->next++;
  exchange(g, few, &there, full_type_of);
  back.id = g->next++;
  SAY("%%v%d = convert_layout %%v%d : %s -> %s\n", back.id, there.id, full_type_of(g, &there),
      full_type_of(g, &back));
  return back;
}

/* Bytes, of which a thread has as many in a row as an element has bits, as eight of these elements;
 * and such elements as bytes. */
static void make_packed(maker *g) {
  static const tsr_elem elems[] = {
      TSR_I2,       TSR_I3,       TSR_I4,       TSR_I5,       TSR_I6,        TSR_I7,
      TSR_I3,       TSR_I6,       TSR_F6E2M3FN, TSR_F6E3M2FN, TSR_F7E5M1FN,  TSR_F7E4M2FN,
      TSR_F7E3M3FN, TSR_F7E2M4FN, TSR_F6E4M1FN, TSR_F5E3M1FN, TSR_F5E2M2FN,  TSR_F5E1M3FN,
      TSR_F4E1M2FN, TSR_F3E1M1FN, TSR_F8E4M3FN, TSR_F8E5M2,   TSR_F8E4M3FNUZ};
  int rows, columns;
  if (g->limits.bits < 5) return;
  random_size_below(g, g->limits.bits - 4, &rows, &columns);
  form f = random_form(g, rows, columns), bytes = f, small = f;
  tile few = {.id = g->next++, .elem = PICK(elems), .rows = rows, .columns = columns * 8};
  int bits = (int)tsr_elem_bits(few.elem);
  snprintf(bytes.text, TEXT, "%.*s.local(1, %d)", TEXT - 16, f.text, bits);
  snprintf(small.text, TEXT, "%.*s.local(1, 8)", TEXT - 16, f.text);
  few.form = small;
  tile x = load(g, TSR_I8, rows, columns * bits, &bytes);
  SAY("%%v%d = reinterpret %%v%d : %s -> %s\n", few.id, x.id, full_type_of(g, &x),
      full_type_of(g, &few));
  if (take_chance(g, 2)) few = elsewhere(g, &few);
  tile back = tsr_elem_is_float(few.elem) ? through_floats(g, &few) : through_integers(g, &few);
  add_reinterpreted(g, &back, TSR_I8, columns * bits, &bytes);
}

int binary(maker *g, const char *op, int a, int b) {
  int v = g->next++;
  SAY("%%v%d = %s %%v%d, %%v%d%s : tile<i32>\n", v, op, a, b,
      strcmp(op, "divi") == 0 || strcmp(op, "remi") == 0 ? " unsigned" : "");
  return v;
}

/* ---- the other tile block of the cluster ---------------------------------------------------- */

/* Between two meetings: a tile goes to the other one's memory, or is taken from there. */
static void begin_remote(maker *g, const tile *a, const storage *s, int here, int there) {
  static const char *const modes[] = {"add", "xor", "max"};
  if (take_chance(g, 2)) {
    SAY("store_shared %%v%d, %%v%d : %s, %s\ncluster_barrier\n", a->id, here, type_of(g, a),
        s->part);
    return;
  }
  tile zero = *a;
  zero.id = g->next++;
  SAY("%%v%d = constant <%s: 1> : %s\nstore_shared %%v%d, %%v%d : %s, %s\ncluster_barrier\n",
      zero.id, ELEM(a->elem), type_of(g, a), zero.id, here, type_of(g, a), s->part);
  if (a->elem == TSR_I32)
    SAY("%%v%d = atomic_shared %s %%v%d, %%v%d : %s, remote<%s> -> %s\n", g->next++, PICK(modes),
        a->id, there, type_of(g, a), s->part, type_of(g, a));
  else
    SAY("store_shared %%v%d, %%v%d : %s, remote<%s>\n", a->id, there, type_of(g, a), s->part);
  SAY("cluster_arrive\ncluster_wait\n");
}

/* The other one's memory, or its own by the same way. */
static void make_remote(maker *g) {
  tile a = pick(g);
  if (!is_int(a.elem)) return;
  storage s = random_storage(g, a.elem, a.rows, a.columns);
  int whole = g->next++, rank = g->next++, there = g->next++, part = g->next++,
      own = take_chance(g, 4);
  SAY("%%v%d = alloc_shared : %s\n%%v%d = get_cluster_rank : tile<i32>\n", whole, s.whole, rank);
  int other = own ? rank : binary(g, "xori", rank, constant_i32(g, 1));
  int slot = constant_i32(g, (int64_t)draw_next(g, (uint64_t)s.slots)),
      p = part_of(g, &s, whole, slot);
  SAY("%%v%d = map_remote %%v%d, %%v%d : %s -> remote<%s>\n", there, whole, other, s.whole,
      s.whole);
  SAY("%%v%d = subview %%v%d[%%v%d] : remote<%s> -> remote<%s>\ncluster_barrier\n", part, there,
      slot, s.whole, s.part);
  begin_remote(g, &a, &s, p, part);
  form f = random_form(g, a.rows, a.columns);
  tile r = add_tile(g, a.elem, a.rows, a.columns, &f);
  SAY("%%v%d = load_shared %%v%d : remote<%s> -> %s\ncluster_barrier\n", r.id, part, s.part,
      type_of(g, &r));
}

/* ---- loops ---------------------------------------------------------------------------------- */

static void make_ops(maker *g, unsigned count);

/* Begins a loop that carries `a`; returns the carried tile inside. */
static tile begin_loop(maker *g, const tile *a, int *result, char *step, size_t size) {
  int low = constant_i32(g, 0), high = constant_i32(g, 1 + (int64_t)draw_next(g, 4));
  int one = constant_i32(g, 1), i = g->next++;
  tile carried = *a;
  carried.id = g->next++;
  *result = g->next++;
  snprintf(step, size, "%%v%d", i);
  SAY("%%v%d = for %%v%d in (%%v%d to %%v%d, step %%v%d) : tile<i32> iter_values(%%v%d = %%v%d) -> "
      "(%s) {\n",
      *result, i, low, high, one, carried.id, a->id, type_of(g, a));
  return carried;
}

static void make_loop(maker *g) {
  if (g->depth == 2) return;
  tile a = pick(g);
  int result;
  char step[16];
  const char *outer = g->step;
  tile carried = begin_loop(g, &a, &result, step, sizeof step);
  unsigned visible = g->n;
  tile *before = arena_array(g->arena, tile, MOST_VALUES);
  memcpy(before, g->tiles, sizeof g->tiles);
  if (g->n < MOST_VALUES) g->tiles[g->n++] = carried;
  g->step = step;
  g->depth++;
  make_ops(g, 1 + (unsigned)draw_next(g, 4));
  tile next = a;
  for (unsigned tries = 0; tries < 8; tries++) {
    tile t = pick(g);
    if (t.elem == a.elem && strcmp(full_type_of(g, &t), full_type_of(g, &a)) == 0) next = t;
  }
  if (next.id == a.id) next = carried;
  SAY("continue %%v%d : %s\n}\n", next.id, type_of(g, &a));
  g->depth--;
  g->step = outer;
  memcpy(g->tiles, before, sizeof g->tiles);
  g->n = visible;
  tile r = a;
  r.id = result;
  g->tiles[g->n < MOST_VALUES ? g->n++ : 0] = r;
}

/* Sums slices that arrive by asynchronous copies, each while the one before is added. */
static void make_pipeline(maker *g) {
  if (g->depth) return;
  int rows, columns;
  random_size(g, &rows, &columns);
  form by = random_form(g, rows, columns), f = random_form(g, rows, columns);
  storage s = random_storage(g, TSR_I32, rows, columns);
  s.slots = 2;
  snprintf(s.whole, sizeof s.whole, "shared<2x%dx%dxi32, (2,%d,%d):(%d,%d,1)>", rows, columns, rows,
           columns, rows * columns, columns);
  snprintf(s.part, sizeof s.part, "shared<%dx%dxi32>", rows, columns);
  char type[128], step[16];
  int v = input_view(g, TSR_I32, rows, columns, type, sizeof type);
  int whole = g->next++, zero = constant_i32(g, 0), one = constant_i32(g, 1);
  SAY("%%v%d = alloc_shared : %s\n", whole, s.whole);
  int first = part_of(g, &s, whole, zero);
  SAY("cp_async %%v%d[%%v%d, %%v%d], %%v%d by layout<%s> : %s, %s\ncp_async_commit\n", v, zero,
      zero, first, by.text, type, s.part);
  tile sum = {.elem = TSR_I32, .rows = rows, .columns = columns, .form = f, .id = g->next++};
  SAY("%%v%d = constant <i32: 0> : %s\n", sum.id, type_of(g, &sum));
  int result;
  tile carried = begin_loop(g, &sum, &result, step, sizeof step);
  int now = g->next++, other = g->next++, next = g->next++;
  SAY("cp_async_wait 0\nbarrier\n%%v%d = andi %s, %%v%d : tile<i32>\n%%v%d = xori %%v%d, %%v%d : "
      "tile<i32>\n%%v%d = addi %s, %%v%d : tile<i32>\n",
      now, step, one, other, now, one, next, step, one);
  int to = part_of(g, &s, whole, other);
  SAY("cp_async %%v%d[%%v%d, %%v%d], %%v%d by layout<%s> : %s, %s\ncp_async_commit\n", v, next,
      zero, to, by.text, type, s.part);
  int from = part_of(g, &s, whole, now), x = g->next++, y = g->next++;
  SAY("%%v%d = load_shared %%v%d : %s -> %s\n", x, from, s.part, type_of(g, &sum));
  SAY("%%v%d = addi %%v%d, %%v%d : %s\ncontinue %%v%d : %s\n}\ncp_async_wait 0\n", y, carried.id, x,
      type_of(g, &sum), y, type_of(g, &sum));
  sum.id = result;
  g->tiles[g->n < MOST_VALUES ? g->n++ : 0] = sum;
}

/* ---- matrix products ------------------------------------------------------------------------ */

/* Whole numbers from -4 to 3, so that all sums are exact. */
static tile small_halves(maker *g, int rows, int columns, const form *f) {
  tile x = load(g, TSR_I32, rows, columns, f), h = x;
  int seven = g->next++, low = g->next++, four = g->next++, centred = g->next++;
  SAY("%%v%d = constant <i32: 7> : %s\n%%v%d = andi %%v%d, %%v%d : %s\n", seven, type_of(g, &x),
      low, x.id, seven, type_of(g, &x));
  SAY("%%v%d = constant <i32: 4> : %s\n%%v%d = subi %%v%d, %%v%d : %s\n", four, type_of(g, &x),
      centred, low, four, type_of(g, &x));
  h.elem = TSR_F16;
  h.id = g->next++;
  SAY("%%v%d = itof %%v%d signed : %s -> %s\n", h.id, centred, type_of(g, &x), type_of(g, &h));
  return h;
}

/* Warps share the rows, columns or both of a product of mma.m16n8k16. */
static void make_product(maker *g) {
  unsigned warps = g->threads / 32, down = take_chance(g, 2) ? warps : 1, across = warps / down;
  int m = 16 * (int)down * (1 + (int)draw_next(g, 3)),
      n = 8 * (int)across * (1 + (int)draw_next(g, 3));
  int k = 16 * (1 + (int)draw_next(g, 3)), most = 1 << g->limits.bits;
  if (m * n > most || m * k > most || k * n > most) return;
  form a = {.calls = 4}, b = {.calls = 4}, c = {.calls = 4};
  snprintf(a.text, TEXT,
           "spatial(%u, 1).replicated(1, 1, num_workers=%u).local(%d, %d) * "
           "mma.m16n8k16.A",
           down, across, m / 16 / (int)down, k / 16);
  snprintf(b.text, TEXT,
           "replicated(1, 1, num_workers=%u).spatial(1, %u).local(%d, %d) * "
           "mma.m16n8k16.B",
           down, across, k / 16, n / 8 / (int)across);
  snprintf(c.text, TEXT, "spatial(%u, %u).local(%d, %d) * mma.m16n8k16.C", down, across,
           m / 16 / (int)down, n / 8 / (int)across);
  tile x = small_halves(g, m, k, &a), y = small_halves(g, k, n, &b);
  tile acc = {.elem = TSR_F32, .rows = m, .columns = n, .form = c, .id = g->next++};
  SAY("%%v%d = constant <f32: 1.0> : %s\n", acc.id, type_of(g, &acc));
  tile r = acc;
  r.id = g->next++;
  SAY("%%v%d = mmaf %%v%d, %%v%d, %%v%d : %s, %s, %s\n", r.id, x.id, y.id, acc.id, type_of(g, &x),
      type_of(g, &y), type_of(g, &acc));
  tile i = add_tile(g, TSR_I32, m, n, &c);
  SAY("%%v%d = ftoi %%v%d signed : %s -> %s\n", i.id, r.id, type_of(g, &r), type_of(g, &i));
}

/* ---- atomic updates, random numbers --------------------------------------------------------- */

/* A tile of bits, so that some elements are left out. */
static tile some_of(maker *g, const tile *a) {
  tile limit = partner(g, a), mask = with_elem(g, a, TSR_I1);
  SAY("%%v%d = cmpi greater_than %%v%d, %%v%d, signed : %s -> %s\n", mask.id, a->id, limit.id,
      type_of(g, a), type_of(g, &mask));
  return mask;
}

/* " mask = %v : type", or nothing. */
static const char *mask_text(maker *g, const tile *a) {
  if (take_chance(g, 2)) return "";
  tile mask = some_of(g, a);
  return arena_printf(g->arena, " mask = %%v%d : %s", mask.id, full_type_of(g, &mask));
}

static const char *update_mode(maker *g) {
  static const char *const modes[] = {"and", "or",   "xor",  "add", "max",
                                      "min", "umax", "umin", "xchg"};
  return PICK(modes);
}

/* Two updates by different threads, which may meet, of what others stored. */
static void make_update(maker *g) {
  tile a = pick(g);
  if (a.elem != TSR_I32) return;
  storage s = random_storage(g, a.elem, a.rows, a.columns);
  int whole = g->next++;
  SAY("%%v%d = alloc_shared : %s\n", whole, s.whole);
  int slot = constant_i32(g, (int64_t)draw_next(g, (uint64_t)s.slots)),
      p = part_of(g, &s, whole, slot);
  SAY("store_shared %%v%d, %%v%d : %s, %s\nbarrier\n", a.id, p, type_of(g, &a), s.part);
  tile b = partner(g, &a), c = converted(g, &b);
  const char *mask = mask_text(g, &a);
  tile old = add_tile(g, a.elem, a.rows, a.columns, &a.form);
  SAY("%%v%d = atomic_shared %s %%v%d, %%v%d%s : %s, %s -> %s\n", old.id, update_mode(g), b.id, p,
      mask, full_type_of(g, &b), s.part, full_type_of(g, &old));
  if (take_chance(g, 2)) SAY("barrier\n");
  tile found =
      with_elem(g, &c, c.elem); /* depends on nothing where each element is touched twice */
  SAY("%%v%d = atomic_cas_shared %%v%d, %%v%d, %%v%d : %s, %s -> %s\nbarrier\n", found.id, c.id,
      c.id, p, full_type_of(g, &c), s.part, full_type_of(g, &found));
  tile r = converted_type(g, &a);
  SAY("%%v%d = load_shared %%v%d : %s -> %s\n", r.id, p, s.part, type_of(g, &r));
  if (g->depth) SAY("barrier\n");
}

/* In the program's own part of the output. */
static void make_global_update(maker *g) {
  tile a = pick(g);
  char type[128];
  if (a.elem != TSR_I32 || g->depth || g->kernel->n_slots == RANDOM_SLOTS) return;
  unsigned slot = g->kernel->n_slots++;
  g->kernel->slots[slot] = (random_slot){.elem = a.elem, .count = (uint32_t)(a.rows * a.columns)};
  int p = pointer_at(g, "%out", slot * area(g), a.elem);
  const char *mask = mask_text(g, &a);
  int v = view_at(g, p, a.elem, a.rows, a.columns, type, sizeof type);
  int i = random_offset(g, a.rows), j = random_offset(g, a.columns);
  tile old = add_tile(g, a.elem, a.rows, a.columns, &a.form);
  SAY("%%v%d = atomic_global %s %%v%d, %%v%d[%%v%d, %%v%d]%s : %s, %s -> %s\n", old.id,
      update_mode(g), a.id, v, i, j, mask, full_type_of(g, &a), type, full_type_of(g, &old));
}

static void make_random_words(maker *g) {
  tile a = pick(g);
  if (a.elem != TSR_I32) return;
  tile at = with_elem(g, &a, TSR_I64), seed = {.id = g->next++};
  SAY("%%v%d = exti %%v%d signed : %s -> %s\n", at.id, a.id, type_of(g, &a), type_of(g, &at));
  SAY("%%v%d = constant <i64: %llu> : tile<i64>\n", seed.id,
      (unsigned long long)draw_next(g, 1 << 30));
  tile words[4];
  for (unsigned i = 0; i < 4; i++) words[i] = with_elem(g, &a, TSR_I32);
  SAY("%%v%d, %%v%d, %%v%d, %%v%d = philox %%v%d, %%v%d rounds = %u : %s -> %s\n", words[0].id,
      words[1].id, words[2].id, words[3].id, seed.id, at.id, 1 + (unsigned)draw_next(g, 10),
      full_type_of(g, &at), full_type_of(g, &words[0]));
  g->tiles[g->n < MOST_VALUES ? g->n++ : 0] = words[draw_next(g, 4)];
}

/* ---- kernels -------------------------------------------------------------------------------- */

static void make_op(maker *g) {
  static void (*const makers[])(maker *) = {
      make_load,    make_elementwise, make_elementwise, make_select,   make_conversion,
      make_permute, make_reduce,      make_exchange,    make_exchange, make_reinterpret,
      make_packed,  make_pipeline,    make_product,     make_loop};
  static void (*const teams[])(maker *) = {make_team, make_team, make_meeting, make_three};
  static void (*const others[])(maker *) = {make_update, make_global_update, make_random_words};
  if (g->limits.groups && take_chance(g, 4))
    PICK(teams)(g);
  else if (g->limits.clusters && take_chance(g, 4))
    make_remote(g);
  else if (take_chance(g, 6))
    PICK(others)(g);
  else
    PICK(makers)(g);
}

static void make_ops(maker *g, unsigned count) {
  for (unsigned i = 0; i < count; i++) make_op(g);
}

static void make_kernel(maker *g) {
  static const tsr_elem args[] = {TSR_I1,  TSR_I8,   TSR_I16, TSR_I32, TSR_I64,
                                  TSR_F16, TSR_BF16, TSR_F32, TSR_F64};
  static const unsigned threads[] = {32, 64, 128, 256};
  g->threads = PICK(threads);
  SAY("entry @k%u(%%p: tile<ptr<i8>>", g->number);
  for (unsigned i = 0; i < ARRAY_LEN(args); i++) SAY(", %%a%u: tile<%s>", i, ELEM(args[i]));
  SAY(") threads(%u)%s {\n%%x, %%y, %%z = get_tile_block_id : tile<i32>\n", g->threads,
      g->limits.clusters ? " cluster(2)" : "");
  int size = constant_i32(g, RANDOM_SLOTS * area(g)), by = g->next++, at = g->next++;
  int start = constant_i32(g, (1 + RANDOM_BLOCKS) * RANDOM_ELEMS * area(g));
  SAY("%%v%d = muli %%x, %%v%d : tile<i32>\n%%v%d = addi %%v%d, %%v%d : tile<i32>\n", by, size, at,
      by, start);
  SAY("%%out = offset %%p, %%v%d : tile<ptr<i8>>, tile<i32> -> tile<ptr<i8>>\n", at);
  make_load(g);
  make_load(g);
  make_ops(g, g->limits.ops / 2 + (unsigned)draw_next(g, g->limits.ops + 1));
  for (unsigned tries = 0; tries < 4; tries++) {
    tile t = pick(g);
    if (is_int(t.elem)) store_out(g, &t);
  }
  SAY("return\n}\n");
}

random_program random_block_make(arena *a, uint64_t seed, unsigned kernels,
                                 const random_limits *limits) {
  sbuf all = SBUF(a);
  random_kernel *made = arena_array(a, random_kernel, kernels);
  memset(made, 0, kernels * sizeof *made);
  sbuf_puts(&all, "cuda_tile.module @m {\n");
  for (unsigned k = 0; k < kernels; k++) {
    maker *g = arena_new(a, maker);
    *g = (maker){.text = SBUF(a),
                 .arena = a,
                 .limits = *limits,
                 .kernel = &made[k],
                 .number = k,
                 .state = (seed + k + 1) * UINT64_C(0x9e3779b97f4a7c15) | 1,
                 .omitted = seed + k};
    for (int i = 0; i < 8; i++) draw_next(g, 2);
    make_kernel(g);
    sbuf_add(&all, g->text.data, g->text.len);
  }
  sbuf_puts(&all, "}\n");
  return (random_program){all.data, made, kernels, *limits};
}
