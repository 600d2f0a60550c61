/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * For tests of a backend: random views, and tiles of pointers computed alike, of any strides: rows
 * that overlap, several dimensions whose stride is 1, strides and extents that the kernel is told,
 * with or without something assumed of them, memory that begins anywhere. What is loaded through
 * them goes to memory of its own; where no two elements of a tile lie in one place it is also
 * stored through them and loaded again. Others are operands of matrix products in a loop, of small
 * numbers, so that sums are exact.
 *
 *   view_program p;
 *   view_make(&p, seed);
 *   … run p.text's entry k twice on fresh memory: view_begin(&p, args), then compare p.memory …
 */
#ifndef TSR_TESTS_RANDOM_VIEWS_H
#define TSR_TESTS_RANDOM_VIEWS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "num/num.h"
#include "run_program.h"

enum {
  VIEW_RANK = 4,
  VIEW_ROOM = 1 << 14,                      /* elements that a view reaches */
  VIEW_TILE_BITS = 10,                      /* log2 of a tile's elements, at most */
  VIEW_SHIFT = 16,                          /* elements in front of the view, at most */
  VIEW_NUMBERS = 24,                        /* that a kernel is told */
  VIEW_BLOCKS = 2,                          /* tile blocks of loads; what is stored to has one */
  VIEW_AREA = (VIEW_ROOM + VIEW_SHIFT) * 8, /* bytes */
};

typedef enum view_kind { VIEW_PARTITION, VIEW_STRIDED, VIEW_GATHER, VIEW_POINTERS } view_kind;

typedef struct view_plan {
  view_kind kind;
  tsr_elem elem;
  unsigned rank, sparse, dim[VIEW_RANK]; /* of the tensor, for each of the tile's dimensions */
  int64_t tile[VIEW_RANK], step[VIEW_RANK], index[VIEW_RANK]; /* of the tile's dimensions */
  int64_t extent[VIEW_RANK], stride[VIEW_RANK];               /* of the tensor's */
  int64_t at[1 << VIEW_TILE_BITS];                            /* along the sparse dimension */
  unsigned shift;
} view_plan;

/* Memory: what views are on, what is loaded goes to, and what is stored comes from. */
typedef enum view_area { VIEW_X, VIEW_Y, VIEW_LEFT, VIEW_AREAS } view_area;

typedef struct view_program {
  char text[1 << 14];
  size_t length;
  uint64_t state;
  tsr_elem elem;     /* of what views are on */
  bool products;     /* small numbers only */
  unsigned shift[2]; /* elements in front of X and Y */
  int64_t numbers[VIEW_NUMBERS];
  unsigned n_numbers, next;
  int32_t blocks;
} view_program;

static _Alignas(256) uint8_t view_memory[VIEW_AREAS][VIEW_AREA];

static uint32_t view_draw(view_program *p, uint32_t below) {
  p->state = p->state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(p->state >> 33) % below;
}
static bool view_chance(view_program *p, uint32_t one_in) {
  return view_draw(p, one_in) == 0;
}

__attribute__((format(printf, 2, 3))) static void view_say(view_program *p, const char *f, ...) {
  va_list list;
  va_start(list, f);
  size_t room = sizeof p->text - p->length;
  p->length += (size_t)vsnprintf(p->text + p->length, room, f, list);
  va_end(list);
  assert_true(p->length < sizeof p->text);
}

/* "tile<4x8xf32>", for a few calls. */
static const char *view_tile(const view_plan *v, const char *elem) {
  static char text[8][96];
  static int at;
  char *t = text[at++ & 7];
  int n = snprintf(t, 96, "tile<");
  for (unsigned d = 0; d < v->rank; d++)
    n += snprintf(t + n, 96 - (size_t)n, "%dx", (int)v->tile[d]);
  snprintf(t + n, 96 - (size_t)n, "%s>", elem);
  return t;
}

static int64_t view_count(const view_plan *v) {
  int64_t n = 1;
  for (unsigned d = 0; d < v->rank; d++) n *= v->tile[d];
  return n;
}

/* ---- plans ---------------------------------------------------------------------------------- */

static bool view_is_nibbles(const view_plan *v) {
  return tsr_elem_bits(v->elem) == 4;
}

static void view_plan_strides(view_program *p, view_plan *v) {
  static const uint8_t some[] = {1, 1, 1, 1, 1, 2, 3, 4, 5, 7, 8, 16, 16, 24, 32, 48, 64};
  bool dense = view_chance(p, 4), wide = view_chance(p, 4);
  int64_t next = 1;
  for (unsigned d = v->rank; d-- > 0;) {
    v->stride[d] = dense ? next : some[view_draw(p, ARRAY_LEN(some))];
    if (wide && d + 1 < v->rank) v->stride[d] *= 16;
    next *= (v->extent[d] + 15) / 16 * 16;
  }
  if (view_is_nibbles(v)) v->stride[view_draw(p, v->rank)] = 1;
}

static int64_t view_reach(const view_plan *v) {
  int64_t last = 0;
  for (unsigned d = 0; d < v->rank; d++) last += (v->extent[d] - 1) * v->stride[d];
  return last;
}

/* What it is like along one dimension of the tile. */
static void view_plan_dim(view_program *p, view_plan *v, unsigned d, unsigned *bits) {
  unsigned b = view_draw(p, *bits + 1);
  if (d + 1 == v->rank && view_chance(p, 2)) b = *bits;
  *bits -= b;
  int64_t size = v->tile[d] = INT64_C(1) << b, tiles = 1 + view_draw(p, 3);
  v->step[d] = v->kind == VIEW_STRIDED ? 1 + view_draw(p, (uint32_t)size + 4) : size;
  if (v->kind == VIEW_STRIDED && view_chance(p, 2)) v->step[d] = MAX(size / 2, INT64_C(1));
  if (v->kind == VIEW_GATHER) v->step[d] = 1;
  int64_t extent = (tiles - 1) * v->step[d] + size;
  if (view_chance(p, 3)) extent = MAX(extent - (int64_t)view_draw(p, (uint32_t)size), INT64_C(1));
  if (view_chance(p, 6)) extent = 1;
  if (view_is_nibbles(v)) extent += extent & 1;
  v->extent[v->dim[d]] = extent;
  v->index[d] = view_draw(p, (uint32_t)MIN(tiles, (extent + v->step[d] - 1) / v->step[d]));
}

static void view_plan_all(view_program *p, view_plan *v) {
  do {
    unsigned bits = MIN(1 + view_draw(p, VIEW_TILE_BITS + 1), (unsigned)VIEW_TILE_BITS);
    v->rank = 1 + view_draw(p, VIEW_RANK);
    v->sparse = view_draw(p, v->rank);
    unsigned turn = v->kind == VIEW_GATHER || !view_chance(p, 3) ? 0 : view_draw(p, v->rank);
    for (unsigned d = 0; d < v->rank; d++) v->dim[d] = (d + turn) % v->rank;
    for (unsigned d = 0; d < v->rank; d++) view_plan_dim(p, v, d, &bits);
    view_plan_strides(p, v);
  } while (view_reach(v) >= VIEW_ROOM || (view_is_nibbles(v) && view_count(v) == 1));
  v->shift = view_is_nibbles(v) ? 0 : view_chance(p, 2) ? 0 : view_draw(p, VIEW_SHIFT);
  uint32_t extent = (uint32_t)v->extent[v->sparse];
  for (int64_t i = 0; i < v->tile[v->sparse]; i++) v->at[i] = view_draw(p, extent);
}

/* Where an element lies, from the view's first on; -1: outside. */
static int64_t view_place(const view_plan *v, int64_t element) {
  int64_t at = 0;
  for (unsigned d = v->rank; d-- > 0;) {
    int64_t c = element % v->tile[d];
    element /= v->tile[d];
    if (v->kind == VIEW_GATHER && d == v->sparse)
      c = v->at[c];
    else
      c += v->index[d] * v->step[d];
    if (c >= v->extent[v->dim[d]]) return -1;
    at += c * v->stride[v->dim[d]];
  }
  return at;
}

/* Two elements of the tile lie in one place. */
static bool view_collides(const view_plan *v) {
  static uint8_t used[VIEW_ROOM];
  memset(used, 0, sizeof used);
  for (int64_t i = 0; i < view_count(v); i++) {
    int64_t at = view_place(v, i);
    if (at >= 0 && used[at]++) return true;
  }
  return false;
}

/* ---- numbers and addresses ------------------------------------------------------------------ */

/* A scalar that is a constant, or that the kernel is told; sometimes something true is assumed. */
static int view_number(view_program *p, int64_t x) {
  int id = (int)p->next++;
  if (p->n_numbers == VIEW_NUMBERS || view_chance(p, 4)) {
    view_say(p, "%%v%d = constant <i32: %d> : tile<i32>\n", id, (int)x);
    return id;
  }
  p->numbers[p->n_numbers] = x;
  int known = (int)p->n_numbers++;
  int64_t divisor = x ? x & -x : 16;
  for (unsigned less = view_draw(p, 3); less && divisor > 1; less--) divisor /= 2;
  switch (view_draw(p, 3)) {
  case 0:
    view_say(p, "%%v%d = assume div_by<%d>, %%n%d : tile<i32>\n", id, (int)divisor, known);
    break;
  case 1: view_say(p, "%%v%d = assume bounded<0, ?>, %%n%d : tile<i32>\n", id, known); break;
  default: view_say(p, "%%v%d = reshape %%n%d : tile<i32> -> tile<i32>\n", id, known); break;
  }
  return id;
}

/* The area after `shift` elements, some of which may be known to be; sometimes the address is
 * said to be as aligned as it is. */
static int view_base(view_program *p, view_area area, unsigned shift) {
  const char *elem = tsr_elem_name(p->elem);
  unsigned inner = shift && view_chance(p, 2) ? 1 + view_draw(p, shift) : 0;
  p->shift[area] = shift - inner;
  int id = (int)p->next++, bytes = MAX((int)tsr_elem_bits(p->elem) / 8, 1);
  char from[16];
  snprintf(from, sizeof from, "%%p%u", area);
  if (inner) {
    int n = (int)p->next++;
    view_say(p, "%%v%d = constant <i32: %u> : tile<i32>\n", n, inner);
    view_say(p, "%%v%d = offset %s, %%v%d : tile<ptr<%s>>, tile<i32> -> tile<ptr<%s>>\n", id, from,
             n, elem, elem);
    snprintf(from, sizeof from, "%%v%d", id);
    id = (int)p->next++;
  }
  int address = 256 + (int)shift * bytes, divisor = address & -address;
  if (view_chance(p, 3)) divisor = 1;
  view_say(p, "%%v%d = assume div_by<%d>, %s : tile<ptr<%s>>\n", id, divisor, from, elem);
  return id;
}

/* ---- views ---------------------------------------------------------------------------------- */

typedef struct view_name {
  int id, index[VIEW_RANK];
  char type[512], index_types[160];
} view_name;

#define VIEW_ADD(...) n += (size_t)snprintf(t + n, size - n, __VA_ARGS__)

/* A tensor view's line; its type goes to `t`. */
static int view_say_tensor(view_program *p, const view_plan *v, int base, char *t, size_t size) {
  const int64_t *const lists[] = {v->extent, v->stride};
  char names[2][160];
  bool told[2][VIEW_RANK], any = false;
  for (unsigned list = 0; list < 2; list++) {
    size_t length = 0;
    for (unsigned d = 0; d < v->rank; d++) {
      bool dynamic = !view_is_nibbles(v) && view_chance(p, list ? 3 : 2);
      any |= told[list][d] = dynamic;
      int64_t x = lists[list][d];
      length +=
          (size_t)snprintf(names[list] + length, sizeof names[0] - length, "%s%s%d", d ? ", " : "",
                           dynamic ? "%v" : "", dynamic ? view_number(p, x) : (int)x);
    }
  }
  size_t n = 0;
  VIEW_ADD("tensor_view<");
  for (unsigned list = 0; list < 2; list++) {
    for (unsigned d = 0; d < v->rank; d++) {
      const char *comma = list && d ? "," : "", *by = list ? "" : "x";
      if (told[list][d])
        VIEW_ADD("%s?%s", comma, by);
      else
        VIEW_ADD("%s%d%s", comma, (int)lists[list][d], by);
    }
    VIEW_ADD("%s%s", list ? "]>" : tsr_elem_name(v->elem), list ? "" : ", strides=[");
  }
  int id = (int)p->next++;
  view_say(p, "%%v%d = make_tensor_view %%v%d, shape = [%s], strides = [%s] : %s%s\n", id, base,
           names[0], names[1], any ? "tile<i32> -> " : "", t);
  return id;
}

static void view_say_type(view_program *p, const view_plan *v, const char *tensor, char *t,
                          size_t size) {
  static const char *const kinds[] = {"partition_view", "strided_view", "gather_scatter_view"};
  size_t n = 0;
  VIEW_ADD("%s<tile=(", kinds[v->kind]);
  for (unsigned d = 0; d < v->rank; d++) VIEW_ADD("%s%d", d ? "x" : "", (int)v->tile[d]);
  VIEW_ADD("), ");
  for (unsigned d = 0; v->kind == VIEW_STRIDED && d < v->rank; d++)
    VIEW_ADD("%s%d%s", d ? "," : "traversal_strides=[", (int)v->step[d],
             d + 1 == v->rank ? "], " : "");
  bool can_nan = tsr_elem_is_float(v->elem) && v->elem != TSR_F4E2M1FN && !p->products;
  VIEW_ADD("padding_value = %s, %s", can_nan && view_chance(p, 3) ? "neg_zero" : "zero", tensor);
  bool turned = v->dim[0] != 0;
  for (unsigned d = 0; turned && d < v->rank; d++)
    VIEW_ADD("%s%u%s", d ? ", " : ", dim_map=[", v->dim[d], d + 1 == v->rank ? "]" : "");
  if (v->kind == VIEW_GATHER) VIEW_ADD(", sparse_dim=%u", v->sparse);
  VIEW_ADD(">");
}

static int view_say_places(view_program *p, const view_plan *v) {
  int id = (int)p->next++;
  view_say(p, "%%v%d = constant <i32: ", id);
  for (int64_t i = 0; i < v->tile[v->sparse]; i++)
    view_say(p, "%s%d", i ? ", " : "[", (int)v->at[i]);
  view_say(p, "]> : tile<%dxi32>\n", (int)v->tile[v->sparse]);
  return id;
}

/* Along the first dimension that is not sparse tile blocks follow each other. */
static void view_say_index(view_program *p, const view_plan *v, view_name *out) {
  char *t = out->index_types;
  size_t n = 0, size = sizeof out->index_types;
  bool moved = p->blocks == 1;
  for (unsigned d = 0; d < v->rank; d++) {
    bool sparse = v->kind == VIEW_GATHER && d == v->sparse;
    int id = sparse ? view_say_places(p, v) : view_number(p, v->index[d]);
    if (!sparse && !moved) {
      int sum = (int)p->next++;
      view_say(p, "%%v%d = addi %%v%d, %%bx : tile<i32>\n", sum, id);
      id = sum;
      moved = true;
    }
    out->index[d] = id;
    if (sparse)
      VIEW_ADD("%stile<%dxi32>", d ? ", " : "", (int)v->tile[d]);
    else if (v->kind == VIEW_GATHER || d == 0)
      VIEW_ADD("%stile<i32>", d ? ", " : "");
  }
}

static view_name view_say_view(view_program *p, const view_plan *v, view_area area) {
  static const char *const makers[] = {"make_partition_view", "make_strided_view",
                                       "make_gather_scatter_view"};
  view_name out = {0};
  char tensor[256];
  int base = view_base(p, area, v->shift);
  int on = view_say_tensor(p, v, base, tensor, sizeof tensor);
  view_say_type(p, v, tensor, out.type, sizeof out.type);
  out.id = (int)p->next++;
  view_say(p, "%%v%d = %s %%v%d : %s\n", out.id, makers[v->kind], on, out.type);
  view_say_index(p, v, &out);
  return out;
}

static void view_say_at(view_program *p, const view_plan *v, const view_name *x) {
  view_say(p, "%%v%d[", x->id);
  for (unsigned d = 0; d < v->rank; d++) view_say(p, "%s%%v%d", d ? ", " : "", x->index[d]);
  view_say(p, "]");
}

/* ---- tiles of pointers ---------------------------------------------------------------------- */

/* A scalar or a tile of one dimension, in all of the tile. */
static int view_say_spread(view_program *p, const view_plan *v, int id, const char *elem,
                           unsigned dim) {
  view_plan one = *v;
  for (unsigned d = 0; d < v->rank; d++) one.tile[d] = d == dim ? v->tile[d] : 1;
  char from[32], flat[96];
  if (dim < v->rank)
    snprintf(from, sizeof from, "tile<%dx%s>", (int)v->tile[dim], elem);
  else
    snprintf(from, sizeof from, "tile<%s>", elem);
  snprintf(flat, sizeof flat, "%s", view_tile(&one, elem));
  int r = (int)p->next++, b = (int)p->next++;
  view_say(p, "%%v%d = reshape %%v%d : %s -> %s\n", r, id, from, flat);
  view_say(p, "%%v%d = broadcast %%v%d : %s -> %s\n", b, r, flat, view_tile(v, elem));
  return b;
}

static int view_say_op(view_program *p, const view_plan *v, const char *op, int a, int b) {
  int id = (int)p->next++;
  view_say(p, "%%v%d = %s %%v%d, %%v%d : %s\n", id, op, a, b, view_tile(v, "i32"));
  return id;
}

typedef struct view_pointers {
  int id, mask;
  char type[96];
} view_pointers;

/* The same places as those of a partition view, by arithmetic. */
static view_pointers view_say_pointers(view_program *p, const view_plan *v, view_area area) {
  char ptr[24];
  snprintf(ptr, sizeof ptr, "ptr<%s>", tsr_elem_name(v->elem));
  int sum = -1, mask = -1, base = view_base(p, area, v->shift);
  for (unsigned d = 0; d < v->rank; d++) {
    int iota = (int)p->next++, size = view_number(p, v->step[d]),
        first = view_number(p, v->index[d]);
    if (d == 0 && p->blocks > 1) {
      int moved = (int)p->next++;
      view_say(p, "%%v%d = addi %%v%d, %%bx : tile<i32>\n", moved, first);
      first = moved;
    }
    int start = (int)p->next++;
    view_say(p, "%%v%d = muli %%v%d, %%v%d : tile<i32>\n", start, first, size);
    view_say(p, "%%v%d = iota : tile<%dxi32>\n", iota, (int)v->tile[d]);
    int c = view_say_op(p, v, "addi", view_say_spread(p, v, start, "i32", VIEW_RANK),
                        view_say_spread(p, v, iota, "i32", d));
    int stride = view_number(p, v->stride[v->dim[d]]), limit = view_number(p, v->extent[v->dim[d]]);
    int part = view_say_op(p, v, "muli", c, view_say_spread(p, v, stride, "i32", VIEW_RANK));
    sum = d ? view_say_op(p, v, "addi", sum, part) : part;
    int inside = (int)p->next++, below = view_say_spread(p, v, limit, "i32", VIEW_RANK);
    view_say(p, "%%v%d = cmpi less_than %%v%d, %%v%d, signed : %s -> %s\n", inside, c, below,
             view_tile(v, "i32"), view_tile(v, "i1"));
    int all = (int)p->next++;
    if (d) view_say(p, "%%v%d = andi %%v%d, %%v%d : %s\n", all, mask, inside, view_tile(v, "i1"));
    mask = d ? all : inside;
  }
  view_pointers out = {.id = (int)p->next++, .mask = mask};
  snprintf(out.type, sizeof out.type, "%s", view_tile(v, ptr));
  base = view_say_spread(p, v, base, ptr, VIEW_RANK);
  view_say(p, "%%v%d = offset %%v%d, %%v%d : %s, %s -> %s\n", out.id, base, sum, out.type,
           view_tile(v, "i32"), out.type);
  return out;
}

static int view_load_pointers(view_program *p, const view_plan *v, const view_pointers *x,
                              int token) {
  int id = (int)p->next++, pad = (int)p->next++;
  bool real = tsr_elem_is_float(v->elem);
  const char *type = view_tile(v, tsr_elem_name(v->elem));
  view_say(p, "%%v%d = constant <%s: %s> : %s\n", pad, tsr_elem_name(v->elem), real ? "1.0" : "1",
           type);
  view_say(p, "%%v%d, %%t%d = load_ptr_tko weak %%v%d, %%v%d, %%v%d", id, id, x->id, x->mask, pad);
  if (token >= 0) view_say(p, " token=%%t%d", token);
  view_say(p, " : %s, %s, %s -> %s, token\n", x->type, view_tile(v, "i1"), type, type);
  return id;
}

/* ---- programs ------------------------------------------------------------------------------- */

static int view_load(view_program *p, const view_plan *v, const view_name *x, int token) {
  int id = (int)p->next++;
  view_say(p, "%%v%d, %%t%d = load_view_tko weak ", id, id);
  view_say_at(p, v, x);
  if (token >= 0) view_say(p, " token = %%t%d", token);
  view_say(p, " : %s, %s -> %s, token\n", x->type, x->index_types,
           view_tile(v, tsr_elem_name(v->elem)));
  return id;
}

/* A tile as it is in memory of its own, behind that of other tile blocks. */
typedef struct view_flat {
  char type[96], all[160];
  int id;
} view_flat;

static view_flat view_say_flat(view_program *p, int64_t count, const char *area, const char *elem) {
  view_flat f = {.id = (int)p->next++};
  char tensor[96];
  snprintf(f.type, sizeof f.type, "tile<%dx%s>", (int)count, elem);
  snprintf(tensor, sizeof tensor, "tensor_view<%dx%s, strides=[1]>",
           (int)MAX(count * VIEW_BLOCKS, 2), elem);
  snprintf(f.all, sizeof f.all, "partition_view<tile=(%d), padding_value = zero, %s>", (int)count,
           tensor);
  view_say(p, "%%v%d_w = make_tensor_view %s, shape = [%d], strides = [1] : %s\n", f.id, area,
           (int)MAX(count * VIEW_BLOCKS, 2), tensor);
  view_say(p, "%%v%d = make_partition_view %%v%d_w : %s\n", f.id, f.id, f.all);
  return f;
}

static void view_leave(view_program *p, const view_plan *v, int id) {
  const char *elem = tsr_elem_name(v->elem);
  view_flat f = view_say_flat(p, view_count(v), "%left", elem);
  int flat = (int)p->next++;
  view_say(p, "%%v%d = reshape %%v%d : %s -> %s\n", flat, id, view_tile(v, elem), f.type);
  view_say(p, "%%t%d = store_view_tko weak %%v%d, %%v%d[%%bx] : %s, %s, tile<i32> -> token\n", flat,
           flat, f.id, f.type, f.all);
}

/* What is stored is what lies at the beginning of Y, in the order of the tile. */
static int view_take(view_program *p, const view_plan *v) {
  const char *elem = tsr_elem_name(v->elem);
  view_flat f = view_say_flat(p, view_count(v), "%p1", elem);
  int flat = (int)p->next++, id = (int)p->next++;
  view_say(p, "%%v%d, %%t%d = load_view_tko weak %%v%d[%%bx] : %s, tile<i32> -> %s, token\n", flat,
           flat, f.id, f.all, f.type);
  view_say(p, "%%v%d = reshape %%v%d : %s -> %s\n", id, flat, f.type, view_tile(v, elem));
  return id;
}

static void view_move_pointers(view_program *p, const view_plan *v, bool stores) {
  view_pointers x = view_say_pointers(p, v, VIEW_X);
  int token = -1;
  if (stores) {
    int from = view_take(p, v);
    token = (int)p->next++;
    view_say(p, "%%t%d = store_ptr_tko weak %%v%d, %%v%d, %%v%d : %s, %s, %s -> token\n", token,
             x.id, from, x.mask, x.type, view_tile(v, tsr_elem_name(v->elem)), view_tile(v, "i1"));
  }
  view_leave(p, v, view_load_pointers(p, v, &x, token));
}

static void view_move(view_program *p, const view_plan *v, bool stores) {
  if (v->kind == VIEW_POINTERS) {
    view_move_pointers(p, v, stores);
    return;
  }
  view_name x = view_say_view(p, v, VIEW_X);
  int token = -1;
  if (stores) {
    int from = view_take(p, v);
    token = (int)p->next++;
    view_say(p, "%%t%d = store_view_tko weak %%v%d, ", token, from);
    view_say_at(p, v, &x);
    view_say(p, " : %s, %s, %s -> token\n", view_tile(v, tsr_elem_name(v->elem)), x.type,
             x.index_types);
  }
  view_leave(p, v, view_load(p, v, &x, token));
}

/* ---- products ------------------------------------------------------------------------------- */

/* An operand, as many tiles of it as the loop has iterations, with the sum's dimension at `k`. */
static void view_plan_operand(view_program *p, view_plan *v, int64_t rows, int64_t columns,
                              unsigned k, int64_t tiles) {
  static const uint8_t some[] = {1, 1, 1, 2, 3, 8, 16, 32};
  *v = (view_plan){.kind = VIEW_PARTITION, .elem = p->elem, .rank = 2, .dim = {0, 1}};
  v->tile[0] = v->step[0] = rows;
  v->tile[1] = v->step[1] = columns;
  for (unsigned d = 0; d < 2; d++) {
    v->extent[d] = v->tile[d] * (d == k ? tiles : 1);
    v->stride[d] = some[view_draw(p, ARRAY_LEN(some))];
  }
  if (view_chance(p, 2)) v->stride[view_draw(p, 2)] = 1;
  v->shift = view_chance(p, 2) ? 0 : view_draw(p, VIEW_SHIFT);
}

static void view_multiply(view_program *p) {
  static const struct {
    tsr_elem elem, sum;
  } types[] = {{TSR_F16, TSR_F32}, {TSR_BF16, TSR_F32}, {TSR_TF32, TSR_F32},
               {TSR_F64, TSR_F64}, {TSR_I8, TSR_I32},   {TSR_F8E4M3FN, TSR_F32}};
  unsigned which = view_draw(p, ARRAY_LEN(types));
  int64_t m = 16 << view_draw(p, 3), n = 16 << view_draw(p, 2), k = 16 << view_draw(p, 2);
  int64_t tiles = 1 + view_draw(p, 4);
  p->elem = types[which].elem;
  p->products = true;
  const char *elem = tsr_elem_name(p->elem), *sum = tsr_elem_name(types[which].sum);
  bool integer = types[which].sum == TSR_I32;
  view_plan a, b;
  view_plan_operand(p, &a, m, k, 1, tiles);
  view_plan_operand(p, &b, k, n, 0, tiles);
  view_name x = view_say_view(p, &a, VIEW_X), y = view_say_view(p, &b, VIEW_Y);
  char type[48];
  snprintf(type, sizeof type, "tile<%dx%dx%s>", (int)m, (int)n, sum);
  int count = view_number(p, tiles);
  view_say(p,
           "%%first = constant <%s: %s> : %s\n%%zero = constant <i32: 0> : tile<i32>\n%%one = "
           "constant <i32: 1> : tile<i32>\n%%r = for %%i in (%%zero to %%v%d, step %%one) : "
           "tile<i32> iter_values(%%acc = %%first) -> (%s) {\n",
           sum, integer ? "1" : "1.0", type, count, type);
  for (unsigned which_one = 0; which_one < 2; which_one++)
    view_say(p,
             "%%%s, %%%s_t = load_view_tko weak %%v%d[%s] : %s, tile<i32> -> tile<%dx%dx%s>, "
             "token\n",
             which_one ? "b" : "a", which_one ? "b" : "a", which_one ? y.id : x.id,
             which_one ? "%i, %zero" : "%zero, %i", which_one ? y.type : x.type,
             (int)(which_one ? k : m), (int)(which_one ? n : k), elem);
  view_say(p,
           "%%s = %s %%a, %%b, %%acc %s: tile<%dx%dx%s>, tile<%dx%dx%s>, %s\ncontinue %%s : %s\n"
           "}\n",
           integer ? "mmai" : "mmaf", integer ? "signed signed " : "", (int)m, (int)k, elem, (int)k,
           (int)n, elem, type, type);
  view_flat f = view_say_flat(p, m * n, "%sums", sum);
  view_say(p,
           "%%f = reshape %%r : %s -> %s\n%%t = store_view_tko weak %%f, %%v%d[%%bx] : %s, %s, "
           "tile<i32> -> token\n",
           type, f.type, f.id, f.type, f.all);
}

/* ---- all of it ------------------------------------------------------------------------------ */

static void view_make_body(view_program *p) {
  static const tsr_elem elems[] = {TSR_I8,  TSR_I16, TSR_I32,  TSR_I64,    TSR_F16,
                                   TSR_F32, TSR_F64, TSR_BF16, TSR_F8E5M2, TSR_F4E2M1FN};
  static view_plan v;
  p->blocks = 1;
  if (view_chance(p, 5)) {
    view_multiply(p);
    return;
  }
  memset(&v, 0, sizeof v);
  p->elem = v.elem = elems[view_draw(p, ARRAY_LEN(elems))];
  static const view_kind kinds[] = {VIEW_PARTITION, VIEW_PARTITION, VIEW_STRIDED, VIEW_GATHER,
                                    VIEW_POINTERS};
  v.kind = kinds[view_draw(p, ARRAY_LEN(kinds))];
  if (view_is_nibbles(&v)) v.kind = VIEW_PARTITION;
  view_plan_all(p, &v);
  bool stores = !view_collides(&v) && view_chance(p, 2);
  if (!stores) p->blocks = VIEW_BLOCKS;
  view_move(p, &v, stores);
}

/* The parameters are known when the body is. */
__attribute__((unused)) static void view_make(view_program *p, uint64_t seed) {
  static char body[sizeof p->text];
  memset(p, 0, sizeof *p);
  p->state = seed * 0x9e3779b97f4a7c15u + 1;
  for (unsigned i = 0; i < 4; i++) view_draw(p, 2);
  view_make_body(p);
  memcpy(body, p->text, p->length + 1);
  p->length = 0;
  const char *elem = tsr_elem_name(p->elem);
  view_say(p,
           "cuda_tile.module @m { entry @k(%%p0: tile<ptr<%s>>, %%p1: tile<ptr<%s>>, %%left: "
           "tile<ptr<%s>>, %%sums_32: tile<ptr<%s>>",
           elem, elem, elem, elem);
  for (unsigned i = 0; i < VIEW_NUMBERS; i++) view_say(p, ", %%n%u: tile<i32>", i);
  view_say(p, ") {\n%%bx, %%by, %%bz = get_tile_block_id : tile<i32>\n");
  const char *sum = p->elem == TSR_I8 ? "i32" : p->elem == TSR_F64 ? "f64" : "f32";
  view_say(p, "%%sums = ptr_to_ptr %%sums_32 : tile<ptr<%s>> -> tile<ptr<%s>>\n%s}\n}\n", elem, sum,
           body);
}

/* Fresh memory, and the arguments on it. */
__attribute__((unused)) static void view_begin(const view_program *p,
                                               uint64_t args[4 + VIEW_NUMBERS]) {
  unsigned bits = tsr_elem_bits(p->elem);
  const num_format *f = num_format_of(p->elem);
  memset(view_memory, 0, sizeof view_memory);
  for (uint32_t area = 0; area < 2; area++)
    for (uint32_t i = 0; i < VIEW_AREA; i++)
      view_memory[area][i] = (uint8_t)((i * 2654435761u >> 24) & (bits == 4 ? 0xff : 0x3b));
  for (uint32_t i = 0; p->products && i < VIEW_ROOM; i++) {
    uint64_t x = (uint64_t)(i * 40503u >> 8) % 5;
    if (f) x = num_encode(f, (double)x - 2, NUM_NEAREST_EVEN);
    for (uint32_t area = 0; area < 2; area++)
      memcpy(view_memory[area] + (size_t)i * bits / 8, &x, bits / 8);
  }
  for (uint32_t area = 0; area < 2; area++)
    args[area] = ARG_ADDRESS(view_memory[area] + (size_t)p->shift[area] * MAX(bits / 8, 1u));
  args[2] = args[3] = ARG_ADDRESS(view_memory[VIEW_LEFT]);
  for (unsigned i = 0; i < VIEW_NUMBERS; i++) args[4 + i] = (uint64_t)p->numbers[i];
}

__attribute__((format(printf, 4, 5))) static void
view_fail(const view_program *p, uint64_t seed, const char *engine, const char *f, ...) {
  char what[2200];
  va_list list;
  va_start(list, f);
  vsnprintf(what, sizeof what, f, list);
  va_end(list);
  puts(p->text);
  fail_msg("seed %llu, %s: %s", (unsigned long long)seed, engine, what);
}

/* Runs a program by the interpreter and by an engine, which must leave the same. */
__attribute__((unused)) static void view_check(run_engine engine, const char *name, uint64_t seed) {
  static view_program p;
  static uint8_t want[VIEW_AREAS][VIEW_AREA];
  uint64_t args[4 + VIEW_NUMBERS];
  run_log log;
  view_make(&p, seed);
  run_grid grid = {p.blocks, 1, 1};
  view_begin(&p, args);
  if (!run_program_on(run_interp, p.text, "k", grid, args, &log))
    view_fail(&p, seed, "interp", "%s", log.diagnostics);
  memcpy(want, view_memory, sizeof want);
  view_begin(&p, args);
  if (!run_program_on(engine, p.text, "k", grid, args, &log))
    view_fail(&p, seed, name, "%s", log.diagnostics);
  for (unsigned area = 0; area < VIEW_AREAS; area++)
    for (uint32_t i = 0; i < VIEW_AREA; i++)
      if (want[area][i] != view_memory[area][i])
        view_fail(&p, seed, name, "byte %u of area %u is %02x, expected %02x", i, area,
                  view_memory[area][i], want[area][i]);
}

#endif
