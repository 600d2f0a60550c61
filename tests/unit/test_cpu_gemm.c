/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Matrix products along a loop (cpu/gemm/kblock.h) against the interpreter: slices that stay where
 * they lie, slices that are copied, chunks that end early, slices that neighbouring blocks share or
 * must not share. Elements are small integers, so every order of adding gives the same bits.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

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
static void check(const scene *s) {
  check_from(s, "3");
  check_from(s, "0");
  if (engine_level != CPU_AVX512 || strcmp(s->elem, "f32") != 0 || s->only) return;
  scene pairs = *s; /* in which AVX-512 multiplies bf16 */
  pairs.elem = "bf16";
  check_from(&pairs, "0");
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
      {.name = "a row", F32, TILE(1, 256, 32), SIZE(3, 600, 104), GRID(3, 3)},
      {.name = "a row, short of the tile", F32, TILE(1, 256, 32), SIZE(1, 300, 101), GRID(1, 2)},
      {.name = "two rows", F32, TILE(2, 128, 64), SIZE(5, 300, 192), GRID(3, 3)},
      {.name = "a row of f64",
       .elem = "f64",
       .sum = "f64",
       TILE(1, 256, 32),
       SIZE(2, 512, 96),
       GRID(2, 2)},
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

/* A lies K x M, and its partition's tiles are transposed. */
#define TRANSPOSED_A                                                                               \
  .views = "%av = make_tensor_view %A, shape = [%K, %M], strides = [%M, 1] : tile<i32> -> $AV\n"   \
           "%bv = make_tensor_view %B, shape = [%K, %N], strides = [%N, 1] : tile<i32> -> $BV\n"   \
           "%cv = make_tensor_view %C, shape = [%M, %N], strides = [%N, 1] : tile<i32> -> $CV\n",  \
  .dim_maps = {"[1, 0]", NULL}

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
      {.name = "a transposed by its partition",
       F32,
       TILE(64, 64, 32),
       SIZE(101, 90, 301),
       GRID(2, 2),
       TRANSPOSED_A},
      {.name = "a transposed, f64",
       .elem = "f64",
       .sum = "f64",
       TILE(32, 32, 64),
       SIZE(70, 64, 300),
       GRID(3, 2),
       TRANSPOSED_A},
      {.name = "a transposed, of bytes",
       .elem = "i8",
       .sum = "i32",
       TILE(64, 32, 32),
       SIZE(64, 64, 300),
       GRID(1, 2),
       TRANSPOSED_A},
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
               "%i1 = itof %i signed : tile<i32> -> tile<$E>\n"
               "%i2 = reshape %i1 : tile<$E> -> tile<1x1x$E>\n"
               "%i3 = broadcast %i2 : tile<1x1x$E> -> $BT\n"
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
               "%m = constant <$E: 0.5> : $AT\n"
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
       .only = true,
       TILE(32, 64, 32),
       SIZE(32, 64, 64),
       GRID(1, 1),
       .views =
           "%av = make_tensor_view %A, shape = [%M, %K], strides = [%K, 1] : tile<i32> -> $AV\n"
           "%bv = make_tensor_view %B, shape = [%K, %N], strides = [%N, 1] : tile<i32> -> $BV\n"
           "%cv = make_tensor_view %A, shape = [%M, %N], strides = [%N, 1] : tile<i32> -> $CV\n"},
      {.name = "over the right operand",
       F32,
       .only = true,
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
       .only = true,
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

/* What the micro-kernel copies of the right operand is what the tile block's own product needs; the
 * next block, which finds it there, may need more. */
static void test_copied(void **state) {
  (void)state;
  static const scene scenes[] = {
      {.name = "over the next columns of the right operand",
       F32,
       .only = true,
       TILE(32, 128, 32),
       SIZE(32, 128, 64),
       GRID(1, 1),
       .views =
           "%av = make_tensor_view %A, shape = [%M, %K], strides = [%K, 1] : tile<i32> -> $AV\n"
           "%bv = make_tensor_view %B, shape = [%K, %N], strides = [%N, 1] : tile<i32> -> $BV\n"
           "%half = constant <i32: 64> : tile<i32>\n"
           "%Bh = offset %B, %half : tile<ptr<$E>>, tile<i32> -> tile<ptr<$E>>\n"
           "%cv = make_tensor_view %Bh, shape = [%M, %half], strides = [%N, 1] : tile<i32> -> "
           "$CV\n"},
      {.name = "over the first columns of the right operand, all stored",
       F32,
       .only = true,
       TILE(32, 128, 32),
       SIZE(32, 128, 64),
       GRID(1, 1),
       .views =
           "%av = make_tensor_view %A, shape = [%M, %K], strides = [%K, 1] : tile<i32> -> $AV\n"
           "%bv = make_tensor_view %B, shape = [%K, %N], strides = [%N, 1] : tile<i32> -> $BV\n"
           "%half = constant <i32: 64> : tile<i32>\n"
           "%Bh = offset %B, %half : tile<ptr<$E>>, tile<i32> -> tile<ptr<$E>>\n"
           "%cv = make_tensor_view %Bh, shape = [%M, %N], strides = [%N, 1] : tile<i32> -> $CV\n"},
      {.name = "more columns in the next block",
       F32,
       TILE(32, 128, 32),
       SIZE(64, 128, 320),
       GRID(2, 1),
       .views =
           "%av = make_tensor_view %A, shape = [%M, %K], strides = [%K, 1] : tile<i32> -> $AV\n"
           "%bv = make_tensor_view %B, shape = [%K, %N], strides = [%N, 1] : tile<i32> -> $BV\n"
           "%half = constant <i32: 64> : tile<i32>\n"
           "%more = muli %x, %half : tile<i32>\n"
           "%cols = addi %half, %more : tile<i32>\n"
           "%cv = make_tensor_view %C, shape = [%M, %cols], strides = [%N, 1] : tile<i32> -> "
           "$CV\n"},
      {.name = "more elements in the next block",
       F32,
       TILE(32, 64, 32),
       SIZE(64, 128, 320),
       GRID(2, 2),
       .views =
           "%less = constant <i32: 20> : tile<i32>\n"
           "%lessb = muli %y, %less : tile<i32>\n"
           "%Kb = subi %K, %lessb : tile<i32>\n"
           "%morea = muli %x, %lessb : tile<i32>\n"
           "%Ka = addi %Kb, %morea : tile<i32>\n"
           "%av = make_tensor_view %A, shape = [%M, %Ka], strides = [%K, 1] : tile<i32> -> $AV\n"
           "%bv = make_tensor_view %B, shape = [%Kb, %N], strides = [%N, 1] : tile<i32> -> $BV\n"
           "%cv = make_tensor_view %C, shape = [%M, %N], strides = [%N, 1] : tile<i32> -> $CV\n"},
      {.name = "an odd end", F32, TILE(32, 64, 32), SIZE(96, 128, 301), GRID(3, 2)},
      {.name = "one slice and part of one", F32, TILE(32, 64, 64), SIZE(96, 128, 83), GRID(3, 2)},
      {.name = "part of one", F32, TILE(32, 64, 64), SIZE(96, 128, 37), GRID(3, 2)},
      {.name = "rows that are not",
       F32,
       TILE(32, 64, 32),
       SIZE(96, 128, 320),
       GRID(3, 2),
       .body = "%two = constant <i32: 2> : tile<i32>\n%kk = divi %k, %two signed : tile<i32>\n"
               "%a, %ta = load_view_tko weak %at[%i, %k] : $AP, tile<i32> -> $AT, token\n"
               "%b, %tb = load_view_tko weak %bt[%kk, %j] : $BP, tile<i32> -> $BT, token\n"},
      {.name = "f64", .elem = "f64", .sum = "f64", TILE(32, 32, 32), SIZE(70, 64, 301), GRID(3, 2)},
  };
  for (unsigned i = 0; i < ARRAY_LEN(scenes); i++) check(&scenes[i]);
}

/* ---- rows that lie anywhere ----------------------------------------------------------------- */

#define NUMBERS                                                                                    \
  "%two = constant <i32: 2> : tile<i32>\n"                                                         \
  "%five = constant <i32: 5> : tile<i32>\n"                                                        \
  "%seven = constant <i32: 7> : tile<i32>\n"                                                       \
  "%far = muli %K, %seven : tile<i32>\n"                                                           \
  "%i = addi %x, %zero : tile<i32>\n"                                                              \
  "%j = addi %y, %zero : tile<i32>\n"
static const char numbers[] = NUMBERS;

#define LOAD_B "%b, %tb = load_view_tko weak %bt[%k, %j] : $BP, tile<i32> -> $BT, token\n"
#define CUBE   "tile<4x8x32x$E>"
/* 4 x 8 rows of %A: the strides of these dimensions are %far and %K, or two others. */
#define LOAD_CUBE(sizes, strides, open)                                                            \
  "%v3 = make_tensor_view %A, shape = [" sizes "], strides = [" strides                            \
  "] : tile<i32> -> tensor_view<?x?x?x$E, strides=[?,?," open "]>\n"                               \
  "%p3 = make_partition_view %v3 : partition_view<tile=(4x8x32), padding_value = zero, "           \
  "tensor_view<?x?x?x$E, strides=[?,?," open "]>>\n"                                               \
  "%a3, %ta = load_view_tko weak %p3[%i, %zero, %k] : partition_view<tile=(4x8x32), "              \
  "padding_value = zero, tensor_view<?x?x?x$E, strides=[?,?," open "]>>, tile<i32> -> " CUBE       \
  ", token\n"                                                                                      \
  "%a = reshape %a3 : " CUBE " -> $AT\n" LOAD_B

/* Windows of an image: row number r is at (2 r mod 64) * K, and missing where that is too far. */
#define LOAD_WINDOW(pad)                                                                           \
  "%lane = iota : tile<8xi32>\n"                                                                   \
  "%two1 = reshape %two : tile<i32> -> tile<1xi32>\n"                                              \
  "%two8 = broadcast %two1 : tile<1xi32> -> tile<8xi32>\n"                                         \
  "%at8 = muli %lane, %two8 : tile<8xi32>\n"                                                       \
  "%k1 = reshape %k : tile<i32> -> tile<1xi32>\n"                                                  \
  "%k8 = broadcast %k1 : tile<1xi32> -> tile<8xi32>\n"                                             \
  "%row8 = addi %at8, %k8 : tile<8xi32>\n"                                                         \
  "%limit1 = reshape %seven : tile<i32> -> tile<1xi32>\n"                                          \
  "%limit8 = broadcast %limit1 : tile<1xi32> -> tile<8xi32>\n"                                     \
  "%in8 = cmpi less_than %row8, %limit8, signed : tile<8xi32> -> tile<8xi1>\n"                     \
  "%in1 = reshape %in8 : tile<8xi1> -> tile<1x8x1xi1>\n"                                           \
  "%in3 = broadcast %in1 : tile<1x8x1xi1> -> tile<4x8x32xi1>\n"                                    \
  "%K1 = reshape %K : tile<i32> -> tile<1xi32>\n"                                                  \
  "%K8 = broadcast %K1 : tile<1xi32> -> tile<8xi32>\n"                                             \
  "%o8 = muli %row8, %K8 : tile<8xi32>\n"                                                          \
  "%o1 = reshape %o8 : tile<8xi32> -> tile<1x8x1xi32>\n"                                           \
  "%o3 = broadcast %o1 : tile<1x8x1xi32> -> tile<4x8x32xi32>\n"                                    \
  "%c32 = iota : tile<32xi32>\n"                                                                   \
  "%K32 = broadcast %K1 : tile<1xi32> -> tile<32xi32>\n"                                           \
  "%cin = cmpi less_than %c32, %K32, signed : tile<32xi32> -> tile<32xi1>\n"                       \
  "%cin1 = reshape %cin : tile<32xi1> -> tile<1x1x32xi1>\n"                                        \
  "%cin3 = broadcast %cin1 : tile<1x1x32xi1> -> tile<4x8x32xi1>\n"                                 \
  "%all = andi %in3, %cin3 : tile<4x8x32xi1>\n"                                                    \
  "%c1 = reshape %c32 : tile<32xi32> -> tile<1x1x32xi32>\n"                                        \
  "%c3 = broadcast %c1 : tile<1x1x32xi32> -> tile<4x8x32xi32>\n"                                   \
  "%A1 = reshape %A : tile<ptr<$E>> -> tile<1x1x1xptr<$E>>\n"                                      \
  "%A3 = broadcast %A1 : tile<1x1x1xptr<$E>> -> tile<4x8x32xptr<$E>>\n"                            \
  "%q = offset %A3, %o3 : tile<4x8x32xptr<$E>>, tile<4x8x32xi32> -> tile<4x8x32xptr<$E>>\n"        \
  "%p = offset %q, %c3 : tile<4x8x32xptr<$E>>, tile<4x8x32xi32> -> tile<4x8x32xptr<$E>>\n"         \
  "%pad = constant <$E: " pad "> : " CUBE "\n"                                                     \
  "%a3, %ta = load_ptr_tko weak %p, %all, %pad : tile<4x8x32xptr<$E>>, tile<4x8x32xi1>, " CUBE     \
  " -> " CUBE ", token\n"                                                                          \
  "%a = reshape %a3 : " CUBE " -> $AT\n" LOAD_B

static const char load_gathered[] =
    "%gv = make_gather_scatter_view %av : gather_scatter_view<tile=(32x32), padding_value = zero, "
    "$AV, sparse_dim=0>\n"
    "%lane = iota : tile<32xi32>\n"
    "%five1 = reshape %five : tile<i32> -> tile<1xi32>\n"
    "%five32 = broadcast %five1 : tile<1xi32> -> tile<32xi32>\n"
    "%index = muli %lane, %five32 : tile<32xi32>\n"
    "%step = constant <i32: 32> : tile<i32>\n"
    "%from = muli %k, %step : tile<i32>\n"
    "%a, %ta = load_view_tko weak %gv[%index, %from] : gather_scatter_view<tile=(32x32), "
    "padding_value = zero, $AV, sparse_dim=0>, tile<32xi32>, tile<i32> -> $AT, token\n" LOAD_B;

static const char load_permuted[] =
    "%v3 = make_tensor_view %A, shape = [%five, %K, %seven], strides = [%far, %seven, 1] : "
    "tile<i32> -> tensor_view<?x?x?x$E, strides=[?,?,1]>\n"
    "%p3 = make_partition_view %v3 : partition_view<tile=(4x32x8), padding_value = zero, "
    "tensor_view<?x?x?x$E, strides=[?,?,1]>>\n"
    "%a3, %ta = load_view_tko weak %p3[%i, %k, %zero] : partition_view<tile=(4x32x8), "
    "padding_value = zero, tensor_view<?x?x?x$E, strides=[?,?,1]>>, tile<i32> -> "
    "tile<4x32x8x$E>, token\n"
    "%a2 = permute %a3 [0, 2, 1] : tile<4x32x8x$E> -> " CUBE "\n"
    "%a = reshape %a2 : " CUBE " -> $AT\n" LOAD_B;

#define COLUMNS "tensor_view<?x?x$E, strides=[?,1]>"
static const char load_transposed[] =
    "%vt = make_tensor_view %A, shape = [%K, %M], strides = [%M, 1] : tile<i32> -> " COLUMNS "\n"
    "%pt = make_partition_view %vt : partition_view<tile=(32x32), padding_value = zero, " COLUMNS
    ">\n"
    "%a1, %ta = load_view_tko weak %pt[%k, %i] : partition_view<tile=(32x32), padding_value = "
    "zero, " COLUMNS ">, tile<i32> -> tile<32x32x$E>, token\n"
    "%a = permute %a1 [1, 0] : tile<32x32x$E> -> $AT\n" LOAD_B;

static const char load_one_row[] =
    "%p1 = make_partition_view %av : partition_view<tile=(1x32), padding_value = zero, $AV>\n"
    "%a1, %ta = load_view_tko weak %p1[%i, %k] : partition_view<tile=(1x32), padding_value = zero, "
    "$AV>, tile<i32> -> tile<1x32x$E>, token\n"
    "%a = broadcast %a1 : tile<1x32x$E> -> $AT\n" LOAD_B;

static const char load_slice[] =
    "%p1 = make_partition_view %av : partition_view<tile=(64x32), padding_value = zero, $AV>\n"
    "%a1, %ta = load_view_tko weak %p1[%i, %k] : partition_view<tile=(64x32), padding_value = "
    "zero, $AV>, tile<i32> -> tile<64x32x$E>, token\n"
    "%a = extract %a1[%one, %zero] : tile<64x32x$E> -> $AT\n" LOAD_B;

#define CUBES "partition_view<tile=(4x8x32), tensor_view<?x?x?x$S, strides=[?,?,1]>>"
/* 4 x 8 rows of %C, of which 5 x 7 exist, and %kept to there. */
#define CUBE_OF_C                                                                                  \
  "%far_c = muli %N, %seven : tile<i32>\n"                                                         \
  "%cube_c = make_tensor_view %C, shape = [%five, %seven, %N], strides = [%far_c, %N, 1] : "       \
  "tile<i32> "                                                                                     \
  "-> tensor_view<?x?x?x$S, strides=[?,?,1]>\n"                                                    \
  "%ct3 = make_partition_view %cube_c : " CUBES "\n"
#define TO_CUBE(kept)                                                                              \
  "%r3 = reshape %kept : " kept " -> tile<4x8x32x$S>\n"                                            \
  "%t = store_view_tko weak %r3, %ct3[%i, %zero, %j] : tile<4x8x32x$S>, " CUBES                    \
  ", tile<i32> -> token\n"
#define STORE_CUBE(kept) CUBE_OF_C TO_CUBE(kept)

/* The product knows which rows count when the view stands in front of it. */
static const char numbers_and_cube[] = NUMBERS CUBE_OF_C;
static const char to_cube[] =
    "%kept = reshape %result : $CT -> tile<8x4x32x$S>\n" TO_CUBE("tile<8x4x32x$S>");
static const char store_cube[] =
    "%kept = reshape %result : $CT -> tile<8x4x32x$S>\n" STORE_CUBE("tile<8x4x32x$S>");
static const char store_twice[] = "%kept = addf %result, %result : $CT\n" STORE_CUBE("$CT");

static void test_rows(void **state) {
  (void)state;
#define ROWS(depth) F32, TILE(32, 32, 32), SIZE(64, 40, depth), GRID(2, 2), .block = numbers
#define COUNTED(depth)                                                                             \
  F32, TILE(32, 32, 32), SIZE(64, 40, depth), GRID(2, 2), .block = numbers_and_cube
  static const char cube[] = LOAD_CUBE("%five, %seven, %K", "%far, %K, 1", "1");
  static const scene scenes[] = {
      {.name = "three dimensions", ROWS(320), .body = cube},
      {.name = "three dimensions, rows that end early", ROWS(301), .body = cube},
      {.name = "rows of the result that don't count",
       ROWS(320),
       .body = cube,
       .behind = store_cube},
      {.name = "rows of a computed result that don't count",
       ROWS(320),
       .body = cube,
       .behind = store_twice},
      {.name = "rows over the left operand",
       .only = true,
       F32,
       TILE(32, 32, 32),
       SIZE(64, 40, 320),
       GRID(1, 1),
       .block = numbers,
       .views =
           "%av = make_tensor_view %A, shape = [%M, %K], strides = [%K, 1] : tile<i32> -> $AV\n"
           "%bv = make_tensor_view %B, shape = [%K, %N], strides = [%N, 1] : tile<i32> -> $BV\n"
           "%cv = make_tensor_view %A, shape = [%M, %N], strides = [%K, 1] : tile<i32> -> $CV\n",
       .body = cube},
      {.name = "open strides",
       ROWS(320),
       .body = LOAD_CUBE("%five, %seven, %K", "%far, %K, %one", "?")},
      {.name = "every other element",
       ROWS(320),
       .body = LOAD_CUBE("%five, %seven, %K", "%far, %K, %two", "?")},
      {.name = "windows", ROWS(160), .body = LOAD_WINDOW("0.0"), .behind = store_cube},
      {.name = "windows, rows that end early", ROWS(31), .body = LOAD_WINDOW("0.0")},
      {.name = "windows that leave the image", ROWS(384), .body = LOAD_WINDOW("0.0")},
      {.name = "windows, and an infinity behind them",
       ROWS(160),
       .infinite = 40 * 150,
       .body = LOAD_WINDOW("0.0"),
       .behind = store_cube},
      {.name = "rows that are known not to count", COUNTED(320), .body = cube, .behind = to_cube},
      {.name = "windows that leave the image, rows that don't count",
       COUNTED(384),
       .body = LOAD_WINDOW("0.0"),
       .behind = to_cube},
      {.name = "windows, and an infinity in later columns",
       ROWS(160),
       .infinite = 40 * 150 + 33,
       .body = LOAD_WINDOW("0.0")},
      {.name = "windows, and an infinity in the first slice",
       ROWS(384),
       .infinite = 40 * 20 + 13,
       .body = LOAD_WINDOW("0.0")},
      {.name = "windows, and an infinity in the last chunk",
       ROWS(384),
       .infinite = 40 * 380 + 5,
       .body = LOAD_WINDOW("0.0")},
      {.name = "windows of doubles",
       .elem = "f64",
       .sum = "f64",
       TILE(32, 32, 32),
       SIZE(64, 40, 160),
       GRID(2, 2),
       .block = numbers,
       .infinite = 40 * 70,
       .body = LOAD_WINDOW("0.0")},
      {.name = "windows in a frame", ROWS(160), .body = LOAD_WINDOW("2.0")},
      {.name = "gathered", ROWS(320), .body = load_gathered},
      {.name = "gathered, rows that end early", ROWS(330), .body = load_gathered},
      {.name = "permuted", ROWS(160), .body = load_permuted},
      {.name = "transposed", ROWS(301), .body = load_transposed},
      {.name = "one row for all", ROWS(330), .body = load_one_row},
      {.name = "a slice", ROWS(330), .body = load_slice},
  };
#undef ROWS
#undef COUNTED
  for (unsigned i = 0; i < ARRAY_LEN(scenes); i++) check(&scenes[i]);
}

/* The result of the first lies where the left operand of the second is still to be read. */
static void test_pairs(void **state) {
  (void)state;
  static const scene s = {
      .name = "two products in a loop",
      F32,
      .only = true,
      TILE(32, 32, 32),
      SIZE(64, 32, 96),
      GRID(1, 1),
      .behind = "%both:2 = for %k in (%zero to %tiles#1, step %one) : tile<i32> iter_values(%acc = "
                "%start, %acc2 = %result) -> ($CT, $CT) {\n"
                "%a, %ta = load_view_tko weak %at[%one, %k] : $AP, tile<i32> -> $AT, token\n"
                "%d, %td = load_view_tko weak %at[%zero, %k] : $AP, tile<i32> -> $AT, token\n"
                "%b, %tb = load_view_tko weak %bt[%k, %j] : $BP, tile<i32> -> $BT, token\n"
                "%sum = $MMA %sum2 = mmaf %d, %b, %acc2 : $AT, $BT, $CT\n"
                "continue %sum, %sum2 : $CT, $CT\n}\n"
                "%t = store_view_tko weak %both#0, %at[%i, %zero] : $CT, $AP, tile<i32> -> token\n"
                "%t2 = store_view_tko weak %both#1, %ct[%i, %j] : $CT, $CP, tile<i32> -> token\n"};
  check(&s);
}

/* The second product's left side is what the block stored after the first. */
static void test_stores_between(void **state) {
  (void)state;
  static const scene s = {
      .name = "two products",
      F32,
      .only = true,
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

/* ---- numbers of bf16 that are hardly there ----------------------------------------------------
 */

/* AVX-512 has an instruction for pairs of bf16 that takes subnormal numbers for zero. */
typedef enum low_kind {
  LOW_A, /* a has subnormal elements */
  LOW_B,
  LOW_PRODUCTS, /* all products are subnormal */
  LOW_SUMS,     /* normal products almost cancel out */
  LOW_ONE,      /* one element of a, with which products are subnormal */
  LOW_ONE_OF_B,
  NOT_LOW,      /* as low as is still enough */
  LOW_ZEROS,    /* most are zeros, of both signs */
  LOW_INFINITE, /* infinities times subnormal numbers; NaNs */
  LOW_KINDS
} low_kind;

static uint16_t bf16_of(bool negative, int exponent, unsigned mantissa) {
  return (uint16_t)(negative << 15 | (exponent + 127) << 7 | (mantissa & 127));
}

static uint16_t low_element(low_kind kind, int side, size_t i, uint32_t r) {
  bool negative = r >> 31, seldom = i % 61 == 7;
  unsigned mantissa = r >> 8;
  uint16_t usual = bf16_of(negative, (int)(r >> 16 & 7) - 4, mantissa);
  uint16_t subnormal = (uint16_t)(negative << 15 | (mantissa & 127));
  switch (kind) {
  case LOW_A: return side == 0 && seldom ? subnormal : usual;
  case LOW_B: return side == 1 && seldom ? subnormal : usual;
  case LOW_PRODUCTS: return bf16_of(negative, -67 + (int)(r >> 16 & 3), mantissa);
  case LOW_SUMS: return bf16_of(negative, side ? -60 : -66 + (int)(r >> 16 & 1), mantissa);
  case LOW_ONE: return side == 0 && i == 1234 ? bf16_of(false, -125, 1) : usual;
  case LOW_ONE_OF_B: return side == 1 && i == 1234 ? bf16_of(false, -125, 1) : usual;
  case NOT_LOW: return bf16_of(negative, -56 + (int)(r >> 16 & 3), mantissa);
  case LOW_ZEROS: return seldom ? subnormal : (uint16_t)(negative << 15);
  default:
    if (i % 997 == 3) return side ? subnormal : bf16_of(negative, 128, 0);
    return i % 1999 == 5 ? bf16_of(negative, 128, 3) : usual;
  }
}

static float f32_of(uint16_t bf16) {
  uint32_t bits = (uint32_t)bf16 << 16;
  float f;
  memcpy(&f, &bits, 4);
  return f;
}

/* What the result may differ by from the exact one (docs/numerics.md); of numbers that are
 * subnormal in f32, half of the smallest for each step. */
static void check_low_sum(const scene *s, low_kind kind, const arrays *x, int i, int j,
                          double start) {
  const uint16_t *a = x->at[0], *b = x->at[1];
  long double sum = start, all = fabs(start);
  for (int k = 0; k < s->depth; k++) {
    long double term = (long double)f32_of(a[i * s->depth + k]) * f32_of(b[k * s->cols + j]);
    sum += term;
    all += fabsl(term);
  }
  float got;
  uint32_t bits;
  memcpy(&got, (float *)x->at[2] + i * s->cols + j, 4);
  memcpy(&bits, &got, 4);
  if (sum != sum) {
    assert_int_equal(bits, 0x7fc00000);
  } else if (isinf(sum)) {
    assert_true(got == sum);
  } else if (!(fabsl(got - sum) <= (s->depth + 1) * (0x1p-24L * all + 0x1p-150L))) {
    fail_msg("%s, kind %d, %d, %d: %a instead of %a", s->name, kind, i, j, got, (double)sum);
  }
}

static void check_low(const scene *s, low_kind kind, const char *start) {
  tsr_context *ctx = tsr_context_create(NULL);
  arena memory;
  arena_init(&memory, ctx);
  arrays x = make_arrays(s);
  uint32_t r = 5;
  for (int side = 0; side < 2; side++)
    for (size_t i = 0; i < ROOM; i++) {
      r = r * 1664525u + 1013904223u;
      ((uint16_t *)x.at[side])[i] = low_element(kind, side, i, r);
    }
  uint64_t args[6];
  arguments(s, &x, args);
  run_grid grid = {s->grid_x, s->grid_y, 1};
  if (!run_compiled(text_of(&memory, s, start), "k", grid, args, &report))
    fail_msg("%s: %s", s->name, report.diagnostics);
  for (int i = 0; i < s->rows; i++)
    for (int j = 0; j < s->cols; j++) check_low_sum(s, kind, &x, i, j, (float)atof(start));
  free_arrays(&x);
  arena_free(&memory);
  tsr_context_destroy(ctx);
}

#define BF16 .elem = "bf16", .sum = "f32"
static void test_low(void **state) {
  (void)state;
  static const scene scenes[] = {
      {.name = "one block", BF16, TILE(32, 32, 32), SIZE(32, 32, 64), GRID(1, 1)},
      {.name = "edges", BF16, TILE(32, 32, 32), SIZE(70, 60, 303), GRID(3, 2)},
      {.name = "chunks", BF16, TILE(64, 128, 64), SIZE(64, 128, 1100), GRID(1, 1)},
      {.name = "short", BF16, TILE(32, 16, 2), SIZE(40, 20, 7), GRID(2, 2)},
      {.name = "rows",
       BF16,
       TILE(32, 32, 32),
       SIZE(32, 32, 320),
       GRID(1, 1),
       .body = "%a1, %ta = load_view_tko weak %at[%i, %k] : $AP, tile<i32> -> $AT, token\n"
               "%a2 = reshape %a1 : $AT -> tile<4x8x32x$E>\n"
               "%a = reshape %a2 : tile<4x8x32x$E> -> $AT\n"
               "%b, %tb = load_view_tko weak %bt[%k, %j] : $BP, tile<i32> -> $BT, token\n"},
  };
  static const char *const starts[] = {"0.0", "3.0", "1.0e-40"};
  unsigned count = cpu_has_bf16(engine_level) ? ARRAY_LEN(scenes) : 2;
  for (unsigned i = 0; i < count; i++)
    for (unsigned kind = 0; kind < LOW_KINDS; kind++)
      check_low(&scenes[i], kind, starts[(i + kind) % ARRAY_LEN(starts)]);
}

/* Which instruction it was can be told by the order in which it adds: 1, then 2^-25, which is lost,
 * and then -1; or -1 first. */
static void check_order(size_t at, uint16_t low, int row, bool in_pairs) {
  static const scene s = {.name = "order", BF16, TILE(64, 32, 32), SIZE(64, 32, 96), GRID(1, 1)};
  tsr_context *ctx = tsr_context_create(NULL);
  arena memory;
  arena_init(&memory, ctx);
  arrays x = make_arrays(&s);
  uint16_t *a = x.at[0], *b = x.at[1];
  memset(a, 0, x.bytes[0]);
  for (int i = 0; i < ROOM; i++) b[i] = bf16_of(false, 0, 0);
  for (int i = 0; i < s.rows; i++) {
    a[i * s.depth] = bf16_of(false, 0, 0);
    a[i * s.depth + 2] = bf16_of(true, 0, 0);
    a[i * s.depth + 3] = bf16_of(false, -25, 0);
  }
  if (at < ROOM) a[at] = low, a[at + 1] = low ^ 0x8000;
  if (at > ROOM) b[at - ROOM] = low;
  uint64_t args[6];
  arguments(&s, &x, args);
  assert_true(run_compiled(text_of(&memory, &s, "0.0"), "k", (run_grid){1, 1, 1}, args, &report));
  float sum;
  memcpy(&sum, (float *)x.at[2] + row * s.cols + 5, 4);
  if (sum != (in_pairs ? 0 : 0x1p-25f)) fail_msg("%d, %x in row %d: %a", (int)at, low, row, sum);
  free_arrays(&x);
  arena_free(&memory);
  tsr_context_destroy(ctx);
}

static void test_order(void **state) {
  (void)state;
  enum { DEPTH = 96, COLS = 32 };
  bool pairs = cpu_has_bf16(engine_level);
  uint16_t least = bf16_of(false, -112, 0), subnormal = 1;
  check_order(ROOM, 0, 7, pairs);
  check_order(20 * DEPTH + 50, least, 20, pairs);
  check_order(20 * DEPTH + 50, (uint16_t)(least - 1), 20, false);
  check_order(20 * DEPTH + 50, (uint16_t)(least - 1), 40, pairs); /* another block of rows */
  check_order(20 * DEPTH + 50, subnormal, 20, false);
  check_order(ROOM + 50 * COLS + 20, bf16_of(false, -112 + 25, 0), 20, pairs);
  check_order(ROOM + 50 * COLS + 20, bf16_of(false, -112 + 24, 127), 20, false);
  check_order(ROOM + 50 * COLS + 20, subnormal, 20, false);
}
#undef BF16

/* ---- launches ------------------------------------------------------------------------------- */

/* A scene's kernel on a device of its own. */
typedef struct session {
  tsr_context *ctx;
  arena a;
  tsr_module *module;
  tsr_device *device;
  tsr_program *program;
} session;

static tsr_kernel *begin_session(session *x, const scene *s, uint32_t threads) {
  x->ctx = tsr_context_create(NULL);
  arena_init(&x->a, x->ctx);
  const char *text = text_of(&x->a, s, "3");
  x->module = tsr_module_parse(x->ctx, text, strlen(text), "gemm", 0);
  x->device = tsr_device_open(
      x->ctx, "cpu",
      &(tsr_device_options){.struct_size = sizeof(tsr_device_options), .threads = threads});
  x->program = tsr_program_create(x->device, x->module);
  tsr_kernel *kernel = x->program ? tsr_kernel_get(x->program, "k") : NULL;
  assert_non_null(kernel);
  return kernel;
}

static void end_session(session *x) {
  tsr_program_destroy(x->program);
  tsr_device_close(x->device);
  tsr_module_destroy(x->module);
  arena_free(&x->a);
  tsr_context_destroy(x->ctx);
}

/* The same addresses with other contents in the next launch, on several threads. */
static void test_launches(void **state) {
  (void)state;
  static const scene s = {
      .name = "launches", F32, TILE(32, 32, 32), SIZE(256, 128, 256), GRID(8, 4)};
  session x;
  tsr_kernel *kernel = begin_session(&x, &s, 3);
  assert_in_range(tsr_kernel_scratch_bytes(kernel), 1, 2 << 20);
  arrays got = make_arrays(&s);
  for (uint32_t round = 0; round < 4; round++) {
    float *a = got.at[0], *b = got.at[1], *c = got.at[2];
    fill(a, "f32", ROOM, round * 2 + 1);
    fill(b, "f32", ROOM, round * 2 + 2);
    tsr_arg args[] = {tsr_arg_address(a),  tsr_arg_address(b),  tsr_arg_address(c),
                      tsr_arg_i32(s.rows), tsr_arg_i32(s.cols), tsr_arg_i32(s.depth)};
    assert_int_equal(tsr_launch(kernel, (tsr_grid){8, 4, 1}, args, 6), TSR_OK);
    for (int i = 0; i < s.rows; i++)
      for (int j = 0; j < s.cols; j++) {
        float sum = 3;
        for (int k = 0; k < s.depth; k++) sum += a[i * s.depth + k] * b[k * s.cols + j];
        assert_true(c[i * s.cols + j] == sum);
      }
  }
  free_arrays(&got);
  end_session(&x);
}

/* Floats with nothing after them that could be read. */
typedef struct fenced {
  void *pages;
  size_t size;
  void *at;
  bool narrow; /* of bf16 */
} fenced;

static fenced make_fenced(const char *elem, size_t count) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = count * size_of(elem);
  size_t room = (bytes + page - 1) / page * page;
  fenced f = {.size = room + page, .narrow = size_of(elem) == 2};
  f.pages = mmap(NULL, f.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert_true(f.pages != MAP_FAILED);
  assert_int_equal(mprotect((char *)f.pages + room, page, PROT_NONE), 0);
  f.at = (char *)f.pages + room - bytes;
  fill(f.at, elem, count, 5);
  return f;
}

static float fenced_float(const fenced *f, int i) {
  return f->narrow ? f32_of(((const uint16_t *)f->at)[i]) : ((const float *)f->at)[i];
}

static void check_edge(tsr_kernel *kernel, const char *elem, int rows, int depth) {
  enum { COLS = 64 };
  fenced x = make_fenced(elem, (size_t)(rows * depth));
  fenced y = make_fenced(elem, (size_t)(depth * COLS));
  fenced z = make_fenced("f32", (size_t)(rows * COLS));
  tsr_arg args[] = {tsr_arg_address(x.at), tsr_arg_address(y.at), tsr_arg_address(z.at),
                    tsr_arg_i32(rows),     tsr_arg_i32(COLS),     tsr_arg_i32(depth)};
  assert_int_equal(tsr_launch(kernel, (tsr_grid){3, 2, 1}, args, 6), TSR_OK);
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < COLS; j++) {
      float sum = 3;
      for (int k = 0; k < depth; k++)
        sum += fenced_float(&x, i * depth + k) * fenced_float(&y, k * COLS + j);
      assert_true(fenced_float(&z, i * COLS + j) == sum);
    }
  munmap(x.pages, x.size);
  munmap(y.pages, y.size);
  munmap(z.pages, z.size);
}

/* Tiles over the edge are read where they lie, as far as they exist: the last of the left side's
 * rows, with an even or an odd number of elements, ends where memory does. */
static void test_edge_of_memory(void **state) {
  (void)state;
  static const char *const elems[] = {"f32", "bf16"};
  for (unsigned i = 0; i < ARRAY_LEN(elems); i++) {
    scene s = {.name = "edge", F32, TILE(32, 32, 32), SIZE(74, 64, 102), GRID(3, 2)};
    s.elem = elems[i];
    session x;
    tsr_kernel *kernel = begin_session(&x, &s, 2);
    for (int depth = 95; depth <= 102; depth++)
      for (int rows = 65; rows <= 74; rows++) check_edge(kernel, elems[i], rows, depth);
    end_session(&x);
  }
}

/* Of few rows, whose right operand stays where it is. */
static const scene few_rows[] = {
    {.name = "one row", F32, TILE(1, 256, 32), SIZE(2, 600, 104), GRID(2, 3)},
    {.name = "two rows", F32, TILE(2, 128, 64), SIZE(5, 300, 192), GRID(3, 3)},
    {.name = "one block", F32, TILE(4, 64, 16), SIZE(4, 128, 64), GRID(1, 2)},
    {.name = "four of sixteen", F32, TILE(16, 64, 16), SIZE(4, 130, 70), GRID(1, 3)},
    {.name = "one of sixteen", F32, TILE(16, 128, 32), SIZE(1, 130, 70), GRID(1, 2)},
    {.name = "five of sixteen", F32, TILE(16, 64, 16), SIZE(5, 130, 70), GRID(1, 3)},
    {.name = "six, two of eight", F32, TILE(8, 64, 32), SIZE(10, 130, 70), GRID(2, 3)},
    {.name = "sixteen, and three", F32, TILE(16, 128, 32), SIZE(19, 256, 96), GRID(2, 2)},
};

static void test_few_rows(void **state) {
  (void)state;
  for (unsigned slow = 0; slow < 2; slow++) {
    engine_shallow_prefetch = slow;
    for (unsigned i = 0; i < ARRAY_LEN(few_rows); i++) check(&few_rows[i]);
  }
  engine_shallow_prefetch = false;
}

/* Where streams are slow the first block of rows asks for what comes next. */
__attribute__((unused)) static void test_fetches(void **state) {
  (void)state;
  tsr_context *ctx = tsr_context_create(NULL);
  arena a;
  arena_init(&a, ctx);
  for (unsigned i = 0; i < ARRAY_LEN(few_rows); i++) {
    const char *text = text_of(&a, &few_rows[i], "0");
    unsigned fetches[2];
    for (unsigned slow = 0; slow < 2; slow++) {
      engine_shallow_prefetch = slow;
      fetches[slow] = code_count("call void @llvm.prefetch", text);
    }
    engine_shallow_prefetch = false;
    assert_true(fetches[1] > (few_rows[i].m <= 4 ? fetches[0] : 0)); /* else the last block did */
    if (few_rows[i].m == 16) assert_true(fetches[1] >= fetches[0]);  /* so does that of four rows */
  }
  arena_free(&a);
  tsr_context_destroy(ctx);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    LEVELS(test_few_rows),
#if !defined(TSR_TEST_IMAGES) /* there is no code to look at */
    LEVELS(test_fetches),
#endif
    LEVELS(test_sizes),
    LEVELS(test_bytes),
    LEVELS(test_views),
    LEVELS(test_loops),
    LEVELS(test_overlaps),
    LEVELS(test_copied),
    LEVELS(test_rows),
    LEVELS(test_pairs),
    LEVELS(test_stores_between),
    LEVELS(test_low),
    LEVELS(test_order),
    cmocka_unit_test(test_launches),
    cmocka_unit_test(test_edge_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
