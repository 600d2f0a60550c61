/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Matrix products along a loop (cpu/kblock.c) against the interpreter: slices that stay where they
 * lie, slices that are copied, chunks that end early, slices that neighbouring blocks share or must
 * not share. Elements are small integers, so every order of adding gives the same bits.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <tessera/tessera.h>

#include "cpu_engine.h"

enum { ROOM = 1 << 18, MARGIN = 64 }; /* elements of each array, of 8 bytes at most */

/* One program: three arrays, tiles of m x n x k, and the text of what differs. */
typedef struct scene {
  const char *name;
  const char *elem, *sum; /* element types */
  int m, n, k;            /* the tile */
  int rows, cols, depth;  /* the problem */
  int grid_x, grid_y;
  const char *views;                    /* defines %av, %bv, %cv from %A, %B, %C and %M, %N, %K */
  const char *a_view, *b_view, *c_view; /* their types, behind "tensor_view<" */
  const char *dim_maps[2];              /* of the partitions of a and b; NULL: none */
  const char *block;                    /* defines %i, %j from %x, %y */
  const char *steps;                    /* "%first to %last, step %step"; NULL: all */
  const char *body;   /* the loop's, from %k, %i, %j and %acc to %next; NULL: the product */
  const char *behind; /* from %result on; NULL: stores it at %i, %j */
  const char *signs;  /* of integers; NULL: signed signed */
  int misalign;       /* bytes */
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
  const char *point = s->sum[0] == 'i' ? "" : ".0";
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

static arrays make_arrays(const scene *s) {
  arrays x;
  for (int i = 0; i < 3; i++) {
    const char *elem = i == 2 ? s->sum : s->elem;
    x.bytes[i] = ROOM * size_of(elem) + MARGIN;
    x.at[i] = aligned_alloc(64, (x.bytes[i] + 63) / 64 * 64);
    memset(x.at[i], 0x5a, x.bytes[i]);
    if (i < 2) fill((char *)x.at[i] + s->misalign, elem, ROOM, 7u + (uint32_t)i);
  }
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
static void check(const scene *s) {
  check_from(s, "3");
  check_from(s, "0");
}

/* ---- scenes --------------------------------------------------------------------------------- */

#define F32           .elem = "f32", .sum = "f32"
#define TILE(a, b, c) .m = a, .n = b, .k = c
#define SIZE(a, b, c) .rows = a, .cols = b, .depth = c
#define GRID(a, b)    .grid_x = a, .grid_y = b

static void test_sizes(void **state) {
  (void)state;
  static const scene scenes[] = {
      {.name = "whole", F32, TILE(32, 32, 32), SIZE(96, 64, 320), GRID(3, 2)},
      {.name = "one slice", F32, TILE(32, 64, 32), SIZE(64, 64, 32), GRID(2, 1)},
      {.name = "odd", F32, TILE(32, 32, 16), SIZE(45, 71, 301), GRID(2, 3)},
      {.name = "thin", F32, TILE(64, 16, 64), SIZE(3, 5, 130), GRID(1, 1)},
      {.name = "nothing to add", F32, TILE(32, 32, 32), SIZE(40, 40, 0), GRID(2, 2)},
      {.name = "no rows", F32, TILE(32, 32, 32), SIZE(0, 40, 64), GRID(1, 2)},
      {.name = "beyond the edge", F32, TILE(32, 32, 32), SIZE(20, 40, 64), GRID(3, 3)},
      {.name = "long slices", F32, TILE(32, 32, 512), SIZE(64, 64, 1100), GRID(2, 2)},
      {.name = "misaligned", F32, TILE(32, 32, 32), SIZE(64, 33, 100), GRID(2, 2), .misalign = 3},
      {.name = "f64", .elem = "f64", .sum = "f64", TILE(32, 32, 32), SIZE(70, 64, 300), GRID(3, 2)},
      {.name = "bf16",
       .elem = "bf16",
       .sum = "f32",
       TILE(32, 32, 32),
       SIZE(70, 64, 300),
       GRID(3, 2)},
      {.name = "i8", .elem = "i8", .sum = "i32", TILE(32, 32, 32), SIZE(70, 64, 300), GRID(3, 2)},
      {.name = "columns first",
       F32,
       TILE(32, 32, 32),
       SIZE(64, 96, 320),
       GRID(3, 2),
       .block = "%i = addi %y, %zero : tile<i32>\n%j = addi %x, %zero : tile<i32>\n"},
      {.name = "shuffled blocks",
       F32,
       TILE(32, 32, 32),
       SIZE(96, 64, 320),
       GRID(6, 1),
       .block = "%three = constant <i32: 3> : tile<i32>\n"
                "%i = remi %x, %three signed : tile<i32>\n"
                "%j = divi %x, %three signed : tile<i32>\n"},
  };
  for (unsigned i = 0; i < ARRAY_LEN(scenes); i++) check(&scenes[i]);
}

/* Products of bytes: in groups of four where the processor has them. */
static void test_bytes(void **state) {
  (void)state;
#define I8 .elem = "i8", .sum = "i32"
  static const scene scenes[] = {
      {.name = "u8s8",
       I8,
       TILE(32, 32, 32),
       SIZE(70, 64, 300),
       GRID(3, 2),
       .signs = "unsigned signed"},
      {.name = "s8u8",
       I8,
       TILE(32, 64, 16),
       SIZE(64, 64, 320),
       GRID(2, 1),
       .signs = "signed unsigned"},
      {.name = "u8u8",
       I8,
       TILE(32, 16, 64),
       SIZE(40, 33, 90),
       GRID(2, 3),
       .signs = "unsigned unsigned"},
      {.name = "s8s8, short", I8, TILE(32, 8, 8), SIZE(40, 20, 37), GRID(2, 3)},
      {.name = "s8s8, shorter than a group", I8, TILE(32, 16, 4), SIZE(40, 20, 37), GRID(2, 2)},
      {.name = "s8s8, few columns", I8, TILE(32, 2, 16), SIZE(40, 5, 37), GRID(2, 3)},
      {.name = "s8s8, wide", I8, TILE(64, 128, 64), SIZE(64, 250, 600), GRID(1, 2)},
      {.name = "one step at a time", F32, TILE(32, 16, 1), SIZE(40, 20, 7), GRID(2, 2)},
  };
#undef I8
  for (unsigned i = 0; i < ARRAY_LEN(scenes); i++) check(&scenes[i]);
}

static void test_views(void **state) {
  (void)state;
  static const scene scenes[] = {
      {.name = "a transposed",
       F32,
       TILE(32, 32, 32),
       SIZE(70, 64, 300),
       GRID(3, 2),
       .views =
           "%av = make_tensor_view %A, shape = [%M, %K], strides = [1, %M] : tile<i32> -> $AV\n"
           "%bv = make_tensor_view %B, shape = [%K, %N], strides = [%N, 1] : tile<i32> -> $BV\n"
           "%cv = make_tensor_view %C, shape = [%M, %N], strides = [%N, 1] : tile<i32> -> "
           "$CV\n",
       .a_view = "?x?x$E, strides=[1,?]>"},
      {.name = "b transposed",
       F32,
       TILE(32, 32, 32),
       SIZE(70, 64, 300),
       GRID(3, 2),
       .views =
           "%av = make_tensor_view %A, shape = [%M, %K], strides = [%K, 1] : tile<i32> -> $AV\n"
           "%bv = make_tensor_view %B, shape = [%N, %K], strides = [%K, 1] : tile<i32> -> $BV\n"
           "%cv = make_tensor_view %C, shape = [%M, %N], strides = [%N, 1] : tile<i32> -> "
           "$CV\n",
       .dim_maps = {NULL, "[1, 0]"}},
      {.name = "open strides",
       F32,
       TILE(32, 32, 32),
       SIZE(64, 64, 320),
       GRID(2, 2),
       .views = "%av = make_tensor_view %A, shape = [%M, %K], strides = [%K, %one] : tile<i32> -> "
                "$AV\n"
                "%bv = make_tensor_view %B, shape = [%K, %N], strides = [%N, %one] : tile<i32> -> "
                "$BV\n"
                "%cv = make_tensor_view %C, shape = [%M, %N], strides = [%N, 1] : tile<i32> -> "
                "$CV\n",
       .a_view = "?x?x$E, strides=[?,?]>",
       .b_view = "?x?x$E, strides=[?,?]>"},
      {.name = "stride 0",
       F32,
       TILE(32, 32, 32),
       SIZE(64, 64, 320),
       GRID(2, 2),
       .views = "%av = make_tensor_view %A, shape = [%M, %K], strides = [%zero, 1] : tile<i32> -> "
                "$AV\n"
                "%bv = make_tensor_view %B, shape = [%K, %N], strides = [%zero, 1] : tile<i32> -> "
                "$BV\n"
                "%cv = make_tensor_view %C, shape = [%M, %N], strides = [%N, 1] : tile<i32> -> "
                "$CV\n"},
      {.name = "another row stride in each slice",
       F32,
       TILE(32, 32, 16),
       SIZE(32, 32, 160),
       GRID(1, 1),
       .body = "%stride = addi %K, %k : tile<i32>\n"
               "%lv = make_tensor_view %A, shape = [%M, %K], strides = [%stride, 1] : tile<i32> -> "
               "$AV\n"
               "%lt = make_partition_view %lv : $AP\n"
               "%a, %ta = load_view_tko weak %lt[%i, %k] : $AP, tile<i32> -> $AT, token\n"
               "%b, %tb = load_view_tko weak %bt[%k, %j] : $BP, tile<i32> -> $BT, token\n"},
  };
  for (unsigned i = 0; i < ARRAY_LEN(scenes); i++) check(&scenes[i]);
}

static void test_loops(void **state) {
  (void)state;
  static const scene scenes[] = {
      {.name = "every second slice",
       F32,
       TILE(32, 32, 16),
       SIZE(64, 64, 320),
       GRID(2, 2),
       .steps = "%one to %tiles#1, step %two",
       .block = "%two = constant <i32: 2> : tile<i32>\n%i = addi %x, %zero : tile<i32>\n"
                "%j = addi %y, %zero : tile<i32>\n"},
      {.name = "the same slice again and again",
       F32,
       TILE(32, 32, 16),
       SIZE(64, 64, 320),
       GRID(2, 2),
       .body = "%four = constant <i32: 4> : tile<i32>\n%kk = divi %k, %four signed : tile<i32>\n"
               "%a, %ta = load_view_tko weak %at[%i, %kk] : $AP, tile<i32> -> $AT, token\n"
               "%b, %tb = load_view_tko weak %bt[%k, %j] : $BP, tile<i32> -> $BT, token\n"},
      {.name = "an operand that is computed",
       F32,
       TILE(32, 32, 16),
       SIZE(64, 64, 320),
       GRID(2, 2),
       .body = "%a, %ta = load_view_tko weak %at[%i, %k] : $AP, tile<i32> -> $AT, token\n"
               "%l, %tb = load_view_tko weak %bt[%k, %j] : $BP, tile<i32> -> $BT, token\n"
               "%i1 = itof %i signed : tile<i32> -> tile<f32>\n"
               "%i2 = reshape %i1 : tile<f32> -> tile<1x1xf32>\n"
               "%i3 = broadcast %i2 : tile<1x1xf32> -> $BT\n"
               "%b = addf %l, %i3 : $BT\n"},
      {.name = "a store in the loop",
       F32,
       TILE(32, 32, 16),
       SIZE(64, 64, 320),
       GRID(1, 1),
       .body = "%a, %ta = load_view_tko weak %at[%i, %zero] : $AP, tile<i32> -> $AT, token\n"
               "%b, %tb = load_view_tko weak %bt[%k, %j] : $BP, tile<i32> -> $BT, token\n"
               "%d = addf %a, %a : $AT\n"
               "%tc = store_view_tko weak %d, %at[%i, %zero] : $AT, $AP, tile<i32> -> token\n"
               "%m = constant <f32: 0.5> : $AT\n"
               "%e, %te = load_view_tko weak %at[%i, %zero] : $AP, tile<i32> -> $AT, token\n"
               "%f = mulf %e, %m : $AT\n"
               "%g = addf %f, %m : $AT\n"
               "%tg = store_view_tko weak %g, %at[%i, %zero] : $AT, $AP, tile<i32> -> token\n"},
      {.name = "a way around the product",
       F32,
       TILE(32, 32, 16),
       SIZE(64, 64, 320),
       GRID(2, 2),
       .body = "%three = constant <i32: 3> : tile<i32>\n"
               "%third = cmpi equal %k, %three, signed : tile<i32> -> tile<i1>\n"
               "if %third {\ncontinue %start : $CT\n}\n"
               "%a, %ta = load_view_tko weak %at[%i, %k] : $AP, tile<i32> -> $AT, token\n"
               "%b, %tb = load_view_tko weak %bt[%k, %j] : $BP, tile<i32> -> $BT, token\n"},
      {.name = "an epilogue",
       F32,
       TILE(32, 32, 16),
       SIZE(50, 64, 320),
       GRID(2, 2),
       .behind = "%old, %to = load_view_tko weak %ct[%i, %j] : $CP, tile<i32> -> $CT, token\n"
                 "%zeros = constant <f32: 0.0> : $CT\n"
                 "%twice = addf %result, %result : $CT\n"
                 "%sum = maxf %twice, %zeros : $CT\n"
                 "%t = store_view_tko weak %sum, %ct[%i, %j] : $CT, $CP, tile<i32> -> token\n"},
  };
  for (unsigned i = 0; i < ARRAY_LEN(scenes); i++) check(&scenes[i]);
}

/* Results on top of what is still to be read, and results that are no longer where they were. */
static void test_overlaps(void **state) {
  (void)state;
  static const char scaled[] =
      "%two = constant <f32: 2.0> : $CT\n"
      "%twice = mulf %result, %two : $CT\n"
      "%t = store_view_tko weak %result, %ct[%i, %j] : $CT, $CP, tile<i32> -> token\n"
      "%t2 = store_view_tko weak %twice, %ct[%j, %i] : $CT, $CP, tile<i32> -> token\n";
  static const scene scenes[] = {
      {.name = "over the left operand",
       F32,
       TILE(32, 64, 32),
       SIZE(32, 64, 64),
       GRID(1, 1),
       .views =
           "%av = make_tensor_view %A, shape = [%M, %K], strides = [%K, 1] : tile<i32> -> $AV\n"
           "%bv = make_tensor_view %B, shape = [%K, %N], strides = [%N, 1] : tile<i32> -> $BV\n"
           "%cv = make_tensor_view %A, shape = [%M, %N], strides = [%N, 1] : tile<i32> -> $CV\n"},
      {.name = "over the right operand",
       F32,
       TILE(32, 64, 32),
       SIZE(32, 64, 64),
       GRID(1, 1),
       .views =
           "%av = make_tensor_view %A, shape = [%M, %K], strides = [%K, 1] : tile<i32> -> $AV\n"
           "%bv = make_tensor_view %B, shape = [%K, %N], strides = [%N, 1] : tile<i32> -> $BV\n"
           "%cv = make_tensor_view %B, shape = [%M, %N], strides = [%N, 1] : tile<i32> -> $CV\n"},
      {.name = "two stores", F32, TILE(32, 32, 32), SIZE(64, 64, 64), GRID(1, 1), .behind = scaled},
      {.name = "a load before the loop that is used behind it",
       F32,
       TILE(32, 32, 32),
       SIZE(32, 32, 64),
       GRID(1, 1),
       .block = "%i = addi %x, %zero : tile<i32>\n%j = addi %y, %zero : tile<i32>\n"
                "%early, %te = load_view_tko weak %ct[%zero, %zero] : $CP, tile<i32> -> $CT, "
                "token\n",
       .behind = "%t = store_view_tko weak %result, %ct[%i, %j] : $CT, $CP, tile<i32> -> token\n"
                 "%t2 = store_view_tko weak %early, %ct[%one, %j] : $CT, $CP, tile<i32> -> token\n"
                 "%at2 = make_partition_view %av : $AP\n"
                 "%sum = addf %early, %early : $CT\n"
                 "%t3 = store_view_tko weak %sum, %at2[%one, %zero] : $CT, $AP, tile<i32> -> "
                 "token\n"},
  };
  for (unsigned i = 0; i < ARRAY_LEN(scenes); i++) check(&scenes[i]);
}

/* The second product's left side is what the block stored behind the first. */
static void test_stores_between(void **state) {
  (void)state;
  static const scene s = {
      .name = "two products",
      F32,
      TILE(32, 32, 32),
      SIZE(32, 32, 96),
      GRID(1, 1),
      .behind = "%t = store_view_tko weak %result, %at[%i, %j] : $CT, $AP, tile<i32> -> token\n"
                "%again = for %k in (%zero to %tiles#1, step %one) : tile<i32> iter_values(%acc = "
                "%start) -> ($CT) {\n"
                "%a, %ta = load_view_tko weak %at[%i, %k] : $AP, tile<i32> -> $AT, token\n"
                "%b, %tb = load_view_tko weak %bt[%k, %j] : $BP, tile<i32> -> $BT, token\n"
                "%sum = $MMA continue %sum : $CT\n}\n"
                "%t2 = store_view_tko weak %again, %ct[%i, %j] : $CT, $CP, tile<i32> -> token\n"};
  check(&s);
}

/* ---- launches ------------------------------------------------------------------------------- */

/* The same addresses with other contents in the next launch, on several threads. */
static void test_launches(void **state) {
  (void)state;
  static const scene s = {
      .name = "launches", F32, TILE(32, 32, 32), SIZE(256, 128, 256), GRID(8, 4)};
  tsr_context *ctx = tsr_context_create(NULL);
  arena a;
  arena_init(&a, ctx);
  const char *text = text_of(&a, &s, "3");
  tsr_module *module = tsr_module_parse(ctx, text, strlen(text), "gemm", 0);
  tsr_device *device = tsr_device_open(
      ctx, "cpu", &(tsr_device_options){.struct_size = sizeof(tsr_device_options), .threads = 3});
  tsr_program *program = tsr_program_create(device, module);
  tsr_kernel *kernel = program ? tsr_kernel_get(program, "k") : NULL;
  assert_non_null(kernel);
  assert_in_range(tsr_kernel_scratch_bytes(kernel), 1, 2 << 20);
  arrays got = make_arrays(&s);
  for (uint32_t round = 0; round < 4; round++) {
    float *x = got.at[0], *y = got.at[1], *z = got.at[2];
    fill(x, "f32", ROOM, round * 2 + 1);
    fill(y, "f32", ROOM, round * 2 + 2);
    tsr_arg args[] = {tsr_arg_address(x),  tsr_arg_address(y),  tsr_arg_address(z),
                      tsr_arg_i32(s.rows), tsr_arg_i32(s.cols), tsr_arg_i32(s.depth)};
    assert_int_equal(tsr_launch(kernel, (tsr_grid){8, 4, 1}, args, 6), TSR_OK);
    for (int i = 0; i < s.rows; i++)
      for (int j = 0; j < s.cols; j++) {
        float sum = 3;
        for (int k = 0; k < s.depth; k++) sum += x[i * s.depth + k] * y[k * s.cols + j];
        assert_true(z[i * s.cols + j] == sum);
      }
  }
  free_arrays(&got);
  tsr_program_destroy(program);
  tsr_device_close(device);
  tsr_module_destroy(module);
  arena_free(&a);
  tsr_context_destroy(ctx);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      LEVELS(test_sizes),
      LEVELS(test_bytes),
      LEVELS(test_views),
      LEVELS(test_loops),
      LEVELS(test_overlaps),
      LEVELS(test_stores_between),
      cmocka_unit_test(test_launches),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
