/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Programs as people write them, of tiles that have several rows, on matrices in memory, beside
 * memcpy of as many bytes: one thread. A tile's rows are short pieces of the matrix's, so what they
 * are worth depends on the order of tile blocks, on what is fetched ahead, and on where results go.
 */
#include "bench_kernel.h"

enum {
  SIDE = 17 * 256, /* whole tiles of up to 256 columns, and rows no power of two apart */
  ELEMENTS = SIDE * SIDE,
  MOST_BYTES = 6, /* of an element: half of X, Y and Z together are copied */
};

/* Z = f(X, Y). */
typedef struct tile_case {
  const char *title, *elem, *result, *tile;
  unsigned rows, columns; /* of the tile */
  unsigned inputs;        /* 1: X only */
  const char *body;
  bool loop; /* along columns; else they are the grid's y */
} tile_case;

#define UNARY(op)  "%z = " op " %x : %T\n"
#define BINARY(op) "%z = " op " %x, %y : %T\n"
#define CHAIN                                                                                      \
  "%a = mulf %x, %y : %T\n%b = addf %a, %x : %T\n%c = mulf %b, %y : %T\n%d = addf %c, %a : %T\n"   \
  "%e = mulf %d, %d : %T\n%f = addf %e, %x : %T\n%g = maxf %f, %y : %T\n%z = subf %g, %x : %T\n"

/* Each two neighbours of a row, swapped; and 8 x 8 of them, transposed within it. */
#define SWAP(elem)                                                                                 \
  "%r = reshape %x : %T -> tile<64x32x2x" elem ">\n"                                               \
  "%a = extract %r[%zero, %zero, %zero] : tile<64x32x2x" elem "> -> tile<64x32x1x" elem ">\n"      \
  "%b = extract %r[%zero, %zero, %one] : tile<64x32x2x" elem "> -> tile<64x32x1x" elem ">\n"       \
  "%s = cat %b, %a dim = 2 : tile<64x32x1x" elem ">, tile<64x32x1x" elem "> -> tile<64x32x2x" elem \
  ">\n%z = reshape %s : tile<64x32x2x" elem "> -> %R\n"
#define GROUPS(elem)                                                                               \
  "%r = reshape %x : %T -> tile<64x8x8x" elem ">\n"                                                \
  "%p = permute %r [0, 2, 1] : tile<64x8x8x" elem "> -> tile<64x8x8x" elem ">\n"                   \
  "%z = reshape %p : tile<64x8x8x" elem "> -> %R\n"

static const tile_case cases[] = {
    {"X + Y, f32", "f32", "f32", "64x64", 64, 64, 2, BINARY("addf"), false},
    {"X + Y, bf16", "bf16", "bf16", "64x64", 64, 64, 2, BINARY("addf"), false},
    {"X + Y, i8", "i8", "i8", "64x64", 64, 64, 2, BINARY("addi"), false},
    {"8 operations, f32", "f32", "f32", "64x64", 64, 64, 2, CHAIN, false},
    {"8 operations, f32", "f32", "f32", "16x256", 16, 256, 2, CHAIN, false},
    {"exp, f32", "f32", "f32", "64x64", 64, 64, 1, UNARY("exp"), false},
    {"sin, f32", "f32", "f32", "64x64", 64, 64, 1, UNARY("sin"), false},
    {"exp along rows, f32", "f32", "f32", "16x128", 16, 128, 1, UNARY("exp"), true},
    {"X + Y along rows, bf16", "bf16", "bf16", "64x64", 64, 64, 2, BINARY("addf"), true},
    {"f32 to bf16", "f32", "bf16", "64x64", 64, 64, 1, "%z = ftof %x : %T -> %R\n", false},
    {"bf16 to f32", "bf16", "f32", "64x64", 64, 64, 1, "%z = ftof %x : %T -> %R\n", false},
    {"f32 to i8", "f32", "i8", "64x64", 64, 64, 1, "%z = ftoi %x signed : %T -> %R\n", false},
    {"i8 to f32", "i8", "f32", "64x64", 64, 64, 1, "%z = itof %x signed : %T -> %R\n", false},
    {"X + Y, f32, half empty", "f32", "f32", "1x8192", 1, 8192, 2, BINARY("addf"), false},
    {"X + Y, bf16, half empty", "bf16", "bf16", "1x8192", 1, 8192, 2, BINARY("addf"), false},
    {"exp, f32, half empty", "f32", "f32", "1x8192", 1, 8192, 1, UNARY("exp"), false},
    {"pairs swapped, f32", "f32", "f32", "64x64", 64, 64, 1, SWAP("f32"), false},
    {"pairs swapped, bf16", "bf16", "bf16", "64x64", 64, 64, 1, SWAP("bf16"), false},
    {"8 x 8 transposed in rows, f32", "f32", "f32", "64x64", 64, 64, 1, GROUPS("f32"), false},
};

static unsigned bytes_of(const char *elem) {
  return elem[0] == 'i' ? 1 : strcmp(elem, "f32") == 0 ? 4 : 2;
}

/* Puts the tiles' types in where the body says %T and %R. */
static void add_body(char *text, size_t size, const tile_case *c) {
  size_t n = strlen(text);
  for (const char *p = c->body; *p; p++) {
    if (p[0] == '%' && (p[1] == 'T' || p[1] == 'R'))
      n += (size_t)snprintf(text + n, size - n, "tile<%sx%s>", c->tile,
                            *++p == 'T' ? c->elem : c->result);
    else
      text[n++] = *p;
    text[n] = 0;
  }
}

static const char *text_of(const tile_case *c) {
  static char text[8192];
  static const char names[] = "XYZ";
  const char *at = c->loop ? "k" : "j";
  char view[2][128];
  for (unsigned i = 0; i < 2; i++)
    snprintf(view[i], sizeof view[i],
             "partition_view<tile=(%s), tensor_view<?x?x%s, strides=[?,1]>>", c->tile,
             i ? c->result : c->elem);
  int n = snprintf(text, sizeof text,
                   "cuda_tile.module @m { entry @k(%%X: tile<ptr<%s>>, %%Y: tile<ptr<%s>>, "
                   "%%Z: tile<ptr<%s>>, %%n: tile<i32>) {\n"
                   "%%i, %%j, %%b3 = get_tile_block_id : tile<i32>\n"
                   "%%zero = constant <i32: 0> : tile<i32>\n"
                   "%%one = constant <i32: 1> : tile<i32>\n",
                   c->elem, c->elem, c->result);
  for (const char *m = names; *m; m++)
    n += snprintf(text + n, sizeof text - (size_t)n,
                  "%%m%c = make_tensor_view %%%c, shape = [%%n, %%n], strides = [%%n, 1] : "
                  "tile<i32> -> tensor_view<?x?x%s, strides=[?,1]>\n"
                  "%%v%c = make_partition_view %%m%c : %s\n",
                  *m, *m, *m == 'Z' ? c->result : c->elem, *m, *m, view[*m == 'Z']);
  if (c->loop)
    n += snprintf(text + n, sizeof text - (size_t)n,
                  "%%tiles = constant <i32: %u> : tile<i32>\n"
                  "for %%k in (%%zero to %%tiles, step %%one) : tile<i32> {\n",
                  SIDE / c->columns);
  for (unsigned i = 0; i < c->inputs; i++) {
    const char value = i ? 'y' : 'x';
    n += snprintf(text + n, sizeof text - (size_t)n,
                  "%%%c, %%t%u = load_view_tko weak %%v%c[%%i, %%%s] : %s, tile<i32> -> "
                  "tile<%sx%s>, token\n",
                  value, i, names[i], at, view[0], c->tile, c->elem);
  }
  add_body(text, sizeof text, c);
  n = (int)strlen(text);
  snprintf(text + n, sizeof text - (size_t)n,
           "%%t2 = store_view_tko weak %%z, %%vZ[%%i, %%%s] : tile<%sx%s>, %s, tile<i32> -> token\n"
           "%s} }\n",
           at, c->tile, c->result, view[1], c->loop ? "}\n" : "");
  return text;
}

typedef struct copying {
  const void *from;
  void *to;
  size_t bytes;
} copying;

static void system_copy(void *user) {
  copying *c = user;
  memcpy(c->to, c->from, c->bytes);
  bench_keep(c->to);
}

static void measure(kernel_env *env, const tile_case *c, char *const *memory) {
  char title[128];
  snprintf(title, sizeof title, "%s, tiles of %s", c->title, c->tile);
  if (!bench_wanted(title)) return;
  const char *text = text_of(c);
  tsr_module *m = tsr_module_parse(env->context, text, strlen(text), title, TSR_PARSE_DEFAULT);
  tsr_program *program = m ? tsr_program_create(env->device, m) : NULL;
  kernel_run k = {.kernel = program ? tsr_kernel_get(program, "k") : NULL};
  if (!k.kernel) exit(1);
  k.grid = (tsr_grid){SIDE / c->rows, c->loop ? 1 : (SIDE - 1) / c->columns + 1, 1};
  for (unsigned i = 0; i < 3; i++) kernel_give(&k, tsr_arg_address(memory[i]));
  kernel_give(&k, tsr_arg_i32(SIDE));
  size_t bytes = ELEMENTS * ((size_t)c->inputs * bytes_of(c->elem) + bytes_of(c->result));
  copying copy = {memory[0], memory[2], bytes / 2};
  bench_side sides[] = {BENCH_SIDE("Tessera", kernel_launch, &k),
                        BENCH_SIDE("memcpy", system_copy, &copy)};
  bench_measure(sides, 2, 1.0);
  bench_print(title, sides, 2, (double)bytes, "GB/s");
  tsr_program_destroy(program);
  tsr_module_destroy(m);
}

int main(int argc, char **argv) {
  bench_start(argc, argv, "Tiles of rows from memory, 1 thread");
  kernel_env env;
  kernel_env_open(&env, 1);
  char *memory[3];
  for (unsigned i = 0; i < 3; i++) memory[i] = bench_alloc((size_t)ELEMENTS * MOST_BYTES);
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) measure(&env, &cases[c], memory);
  for (unsigned i = 0; i < 3; i++) free(memory[i]);
  kernel_env_close(&env);
  return 0;
}
