/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Matrix products along a loop, for tests of cpu/gemm/kblock.h: scenes, which say how a program
 * differs from the plain one; their text, their arrays, and the comparison of compiled code with
 * the interpreter. Elements are small integers, so every order of adding gives the same bits.
 */
#ifndef TSR_TESTS_GEMM_SCENE_H
#define TSR_TESTS_GEMM_SCENE_H

#include <math.h>
#include <stdio.h>

#include "cpu_engine.h"

enum { ROOM = 1 << 18, MARGIN = 64 }; /* elements of each array, of 8 bytes at most */

/* One program: three arrays, tiles of m x n x k, and the text of what differs. */
typedef struct scene {
  const char *name;
  const char *elem, *sum; /* element types */
  int m, n, k;            /* the tile */
  int rows, cols, depth;  /* the problem */
  int infinite;           /* where B has an infinity, and 2 after it; 0: nowhere */
  int grid_x, grid_y;
  const char *views;                    /* defines %av, %bv, %cv from %A, %B, %C and %M, %N, %K */
  const char *a_view, *b_view, *c_view; /* their types, after "tensor_view<" */
  const char *dim_maps[2];              /* of the partitions of a and b; NULL: none */
  const char *block;                    /* defines %i, %j from %x, %y */
  const char *steps;                    /* "%first to %last, step %step"; NULL: all */
  const char *body;   /* the loop's, from %k, %i, %j and %acc to %next; NULL: the product */
  const char *behind; /* from %result on; NULL: stores it at %i, %j */
  const char *signs;  /* of integers; NULL: signed signed */
  int misalign;       /* bytes */
  bool only;          /* of these types: what is stored is an operand, too */
} scene;

static const char plain_views[] =
    "%av = make_tensor_view %A, shape = [%M, %K], strides = [%K, 1] : tile<i32> -> $AV\n"
    "%bv = make_tensor_view %B, shape = [%K, %N], strides = [%N, 1] : tile<i32> -> $BV\n"
    "%cv = make_tensor_view %C, shape = [%M, %N], strides = [%N, 1] : tile<i32> -> $CV\n";

/* $NAME in a text stands for something of the scene. */
static void put(sbuf *out, const scene *s, const char *text);

static void put_name(sbuf *out, const scene *s, const char *name, size_t length) {
  const char *row = "?x?x$E, strides=[?,1]>";
#define IS(x) (strlen(x) == length && memcmp(name, x, length) == 0)
  if (IS("E")) {
    sbuf_puts(out, s->elem);
  } else if (IS("S")) {
    sbuf_puts(out, s->sum);
  } else if (IS("AV") || IS("BV")) {
    const char *view = IS("AV") ? s->a_view : s->b_view;
    sbuf_puts(out, "tensor_view<");
    put(out, s, view ? view : row);
  } else if (IS("CV")) {
    sbuf_puts(out, "tensor_view<");
    put(out, s, s->c_view ? s->c_view : "?x?x$S, strides=[?,1]>");
  } else if (IS("AT")) {
    sbuf_printf(out, "tile<%dx%dx%s>", s->m, s->k, s->elem);
  } else if (IS("BT")) {
    sbuf_printf(out, "tile<%dx%dx%s>", s->k, s->n, s->elem);
  } else if (IS("CT")) {
    sbuf_printf(out, "tile<%dx%dx%s>", s->m, s->n, s->sum);
  } else if (IS("AP") || IS("BP")) {
    bool a = IS("AP");
    sbuf_printf(out, "partition_view<tile=(%dx%d), padding_value = zero, ", a ? s->m : s->k,
                a ? s->k : s->n);
    put(out, s, a ? "$AV" : "$BV");
    if (s->dim_maps[!a]) sbuf_printf(out, ", dim_map = %s", s->dim_maps[!a]);
    sbuf_puts(out, ">");
  } else if (IS("CP")) {
    sbuf_printf(out, "partition_view<tile=(%dx%d), ", s->m, s->n);
    put(out, s, "$CV>");
  } else if (IS("MMA")) {
    bool whole = s->sum[0] == 'i';
    sbuf_puts(out, whole ? "mmai %a, %b, %acc " : "mmaf %a, %b, %acc");
    if (whole) sbuf_puts(out, s->signs ? s->signs : "signed signed");
    put(out, s, " : $AT, $BT, $CT\n");
  } else {
    fail_msg("no such name: %.*s", (int)length, name);
  }
#undef IS
}

static void put(sbuf *out, const scene *s, const char *text) {
  while (*text) {
    size_t plain = strcspn(text, "$"), length = 0;
    sbuf_add(out, text, plain);
    text += plain;
    if (!*text) break;
    while (text[1 + length] >= 'A' && text[1 + length] <= 'Z') length++;
    put_name(out, s, text + 1, length);
    text += 1 + length;
  }
}

static const char loads[] =
    "%a, %ta = load_view_tko weak %at[%i, %k] : $AP, tile<i32> -> $AT, token\n"
    "%b, %tb = load_view_tko weak %bt[%k, %j] : $BP, tile<i32> -> $BT, token\n";

/* `start` is what the sums start from. */
static const char *text_of(arena *a, const scene *s, const char *start) {
  sbuf out = SBUF(a);
  put(&out, s,
      "cuda_tile.module @m { entry @k(%A: tile<ptr<$E>>, %B: tile<ptr<$E>>, %C: tile<ptr<$S>>, "
      "%M: tile<i32>, %N: tile<i32>, %K: tile<i32>) {\n"
      "%x, %y, %z = get_tile_block_id : tile<i32>\n"
      "%zero = constant <i32: 0> : tile<i32>\n"
      "%one = constant <i32: 1> : tile<i32>\n");
  put(&out, s, s->views ? s->views : plain_views);
  put(&out, s, "%at = make_partition_view %av : $AP\n%bt = make_partition_view %bv : $BP\n");
  put(&out, s, "%ct = make_partition_view %cv : $CP\n");
  put(&out, s, "%tiles:2 = get_index_space_shape %at : $AP -> tile<i32>\n");
  put(&out, s,
      s->block ? s->block
               : "%i = addi %x, %zero : tile<i32>\n"
                 "%j = addi %y, %zero : tile<i32>\n");
  const char *point = s->sum[0] == 'i' || strchr(start, '.') ? "" : ".0";
  sbuf_printf(&out, "%%start = constant <%s: %s%s> : ", s->sum, start, point);
  put(&out, s, "$CT\n%result = for %k in (");
  sbuf_puts(&out, s->steps ? s->steps : "%zero to %tiles#1, step %one");
  put(&out, s, ") : tile<i32> iter_values(%acc = %start) -> ($CT) {\n");
  put(&out, s, s->body ? s->body : loads);
  put(&out, s, "%next = $MMA continue %next : $CT\n}\n");
  put(&out, s,
      s->behind ? s->behind
                : "%t = store_view_tko weak %result, %ct[%i, %j] : $CT, $CP, tile<i32> "
                  "-> token\n");
  sbuf_puts(&out, "} }\n");
  sbuf_add(&out, "", 1);
  return out.data;
}

/* ---- arrays --------------------------------------------------------------------------------- */

static size_t size_of(const char *elem) {
  return strcmp(elem, "f64") == 0   ? 8
         : strcmp(elem, "i8") == 0  ? 1
         : strlen(elem) == 4        ? 2 /* bf16 */
         : strcmp(elem, "f16") == 0 ? 2
                                    : 4;
}

static void fill(void *at, const char *elem, size_t count, uint32_t seed) {
  for (size_t i = 0; i < count; i++) {
    seed = seed * 1664525u + 1013904223u;
    int v = (int)(seed >> 29) - 4;
    float f = (float)v;
    double d = v;
    uint32_t bits;
    memcpy(&bits, &f, 4);
    uint16_t half = (uint16_t)(bits >> 16);
    char *to = (char *)at + i * size_of(elem);
    if (strcmp(elem, "f64") == 0) memcpy(to, &d, 8);
    if (strcmp(elem, "f32") == 0) memcpy(to, &f, 4);
    if (strcmp(elem, "bf16") == 0) memcpy(to, &half, 2);
    if (strcmp(elem, "i8") == 0) *to = (char)v;
  }
}

typedef struct arrays {
  void *at[3];
  size_t bytes[3];
} arrays;

/* As one of B's numbers. */
static void put_infinity(arrays *x, const scene *s, int at) {
  float f = INFINITY;
  double d = INFINITY;
  uint16_t half = 0x7f80;
  char *to = (char *)x->at[1] + s->misalign + (size_t)at * size_of(s->elem);
  size_t size = size_of(s->elem);
  memcpy(to, size == 8 ? (void *)&d : size == 4 ? (void *)&f : (void *)&half, size);
}

static arrays make_arrays(const scene *s) {
  arrays x;
  for (int i = 0; i < 3; i++) {
    const char *elem = i == 2 ? s->sum : s->elem;
    x.bytes[i] = ROOM * size_of(elem) + MARGIN;
    x.at[i] = aligned_alloc(64, (x.bytes[i] + 63) / 64 * 64);
    memset(x.at[i], 0x5a, x.bytes[i]);
    if (i < 2) fill((char *)x.at[i] + s->misalign, elem, ROOM, 7u + (uint32_t)i);
  }
  for (int i = 0; i < 2 && s->infinite; i++) put_infinity(&x, s, s->infinite + i * 2);
  return x;
}

static void arguments(const scene *s, const arrays *x, uint64_t *args) {
  for (int i = 0; i < 3; i++) args[i] = ARG_ADDRESS((char *)x->at[i] + s->misalign);
  args[3] = (uint64_t)s->rows;
  args[4] = (uint64_t)s->cols;
  args[5] = (uint64_t)s->depth;
}

static void free_arrays(arrays *x) {
  for (int i = 0; i < 3; i++) free(x->at[i]);
}

static run_log report;

static void check_from(const scene *s, const char *start) {
  tsr_context *ctx = tsr_context_create(NULL);
  arena a;
  arena_init(&a, ctx);
  const char *text = text_of(&a, s, start);
  uint64_t args[6];
  run_grid grid = {s->grid_x, s->grid_y, 1};
  arrays want = make_arrays(s), got = make_arrays(s);
  arguments(s, &want, args);
  if (!run_program_on(run_interp, text, "k", grid, args, &report))
    fail_msg("%s: %s\n%s", s->name, report.diagnostics, text);
  arguments(s, &got, args);
  if (!run_compiled(text, "k", grid, args, &report))
    fail_msg("%s: %s", s->name, report.diagnostics);
  for (int i = 0; i < 3; i++)
    if (memcmp(want.at[i], got.at[i], want.bytes[i]) != 0)
      fail_msg("%s, from %s: results differ", s->name, start);
  free_arrays(&want);
  free_arrays(&got);
  arena_free(&a);
  tsr_context_destroy(ctx);
}

/* Sums that start at zero are not written before the first products, and the last ones go to where
 * the result is stored when nothing is in the way. */
__attribute__((unused)) static void check(const scene *s) {
  check_from(s, "3");
  check_from(s, "0");
  if (engine_level != CPU_AVX512 || strcmp(s->elem, "f32") != 0 || s->only) return;
  scene pairs = *s; /* in which AVX-512 multiplies bf16 */
  pairs.elem = "bf16";
  check_from(&pairs, "0");
}

/* ---- columns of scenes ---------------------------------------------------------------------- */

#define F32           .elem = "f32", .sum = "f32"
#define TILE(a, b, c) .m = a, .n = b, .k = c
#define SIZE(a, b, c) .rows = a, .cols = b, .depth = c
#define GRID(a, b)    .grid_x = a, .grid_y = b

#endif
