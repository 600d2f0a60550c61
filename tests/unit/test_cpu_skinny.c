/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Products of few rows (cpu/gemm/skinny/skinny.c) and functions of four bits (cpu/nest/lookup.c)
 * against the interpreter, bit for bit: what is multiplied are small numbers, so every order of
 * adding gives the same sums.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <tessera/tessera.h>

#include "cpu_engine.h"

enum { BYTES = 1 << 16, MARGIN = 64 };

static run_log report;

/* Three arrays: the first two of bytes that a seed gives, the third of what is already there. */
static void make_arrays(unsigned char *at[3], uint32_t seed, const uint16_t *small) {
  for (int i = 0; i < 3; i++) at[i] = calloc(1, BYTES + MARGIN);
  for (int i = 0; i < BYTES / 2; i++) {
    uint16_t x = small[(seed = seed * 1664525u + 1013904223u) >> 29];
    memcpy(at[0] + 2 * (size_t)i, &x, 2);
  }
  for (int i = 0; i < BYTES; i++) at[1][i] = (unsigned char)((seed = seed * 22695477u + 1) >> 24);
}

/* Runs the program by both engines: %A and %B are read, %C is written. */
static void check(const char *name, const char *text, run_grid grid, int rows, int cols, int depth,
                  const uint16_t *small) {
  unsigned char *want[3], *got[3];
  make_arrays(want, 5, small);
  make_arrays(got, 5, small);
  uint64_t sizes[] = {(uint64_t)rows, (uint64_t)cols, (uint64_t)depth};
  uint64_t args[6] = {ARG_ADDRESS(want[0]), ARG_ADDRESS(want[1]), ARG_ADDRESS(want[2])};
  memcpy(args + 3, sizes, sizeof sizes);
  if (!run_program_on(run_interp, text, "k", grid, args, &report))
    fail_msg("%s: %s\n%s", name, report.diagnostics, text);
  for (int i = 0; i < 3; i++) args[i] = ARG_ADDRESS(got[i]);
  if (!run_compiled(text, "k", grid, args, &report)) fail_msg("%s: %s", name, report.diagnostics);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < BYTES + MARGIN; j++)
      if (want[i][j] != got[i][j]) fail_msg("%s: byte %d of array %d differs", name, j, i);
    free(want[i]);
    free(got[i]);
  }
}

static const uint16_t small_bf16[8] = {0x3f80, 0x4000, 0xbf80, 0, 0x4040, 0xc000, 0x3f00, 0xbf00};

/* ---- products ------------------------------------------------------------------------------- */

typedef struct scene {
  const char *weight;    /* element type in memory */
  const char *decode;    /* from %w to the tiles that are multiplied: %b, or %b and %c */
  const char *narrow;    /* the element type of these; the left operand is bf16, too, or i8 */
  int products;          /* 1 or 2 */
  int m, n, k;           /* the tile */
  int rows, cols, depth; /* the problem */
} scene;

/* One entry: C[z * M * N + …] = sum of A * decode(W), z the number of the product. */
static char *product_text(const scene *s) {
  static char text[8192];
  char a[32], w[32], b[32], c[32];
  bool whole = strcmp(s->narrow, "i8") == 0;
  const char *left = whole ? "i8" : "bf16", *sum = whole ? "i32" : "f32";
  snprintf(a, sizeof a, "tile<%dx%dx%s>", s->m, s->k, left);
  snprintf(w, sizeof w, "tile<%dx%dx%s>", s->k, s->n, s->weight);
  snprintf(b, sizeof b, "tile<%dx%dx%s>", s->k, s->n, s->narrow);
  snprintf(c, sizeof c, "tile<%dx%dx%s>", s->m, s->n, sum);
  char av[96], wv[96], cv[96], ap[192], wp[192], cp[192];
  snprintf(av, sizeof av, "tensor_view<?x?x%s, strides=[?,1]>", left);
  snprintf(wv, sizeof wv, "tensor_view<?x?x%s, strides=[?,1]>", s->weight);
  snprintf(cv, sizeof cv, "tensor_view<?x?x%s, strides=[?,1]>", sum);
  snprintf(ap, sizeof ap, "partition_view<tile=(%dx%d), padding_value = zero, %s>", s->m, s->k, av);
  snprintf(wp, sizeof wp, "partition_view<tile=(%dx%d), padding_value = zero, %s>", s->k, s->n, wv);
  snprintf(cp, sizeof cp, "partition_view<tile=(%dx%d), %s>", s->m, s->n, cv);
  const char *mma = whole ? "mmai" : "mmaf", *signs = whole ? " signed signed" : "";
  bool two = s->products == 2;
  int n = snprintf(
      text, sizeof text,
      "cuda_tile.module @m { entry @k(%%A: tile<ptr<%s>>, %%W: tile<ptr<%s>>, %%C: tile<ptr<%s>>, "
      "%%M: tile<i32>, %%N: tile<i32>, %%K: tile<i32>) {\n"
      "%%av = make_tensor_view %%A, shape = [%%M, %%K], strides = [%%K, 1] : tile<i32> -> %s\n"
      "%%wv = make_tensor_view %%W, shape = [%%K, %%N], strides = [%%N, 1] : tile<i32> -> %s\n"
      "%%cv = make_tensor_view %%C, shape = [%%M, %%N], strides = [%%N, 1] : tile<i32> -> %s\n"
      "%%size = muli %%M, %%N : tile<i32>\n"
      "%%D = offset %%C, %%size : tile<ptr<%s>>, tile<i32> -> tile<ptr<%s>>\n"
      "%%dv = make_tensor_view %%D, shape = [%%M, %%N], strides = [%%N, 1] : tile<i32> -> %s\n"
      "%%ap = make_partition_view %%av : %s\n%%wp = make_partition_view %%wv : %s\n"
      "%%cp = make_partition_view %%cv : %s\n%%dp = make_partition_view %%dv : %s\n"
      "%%i, %%j, %%z = get_tile_block_id : tile<i32>\n"
      "%%tiles:2 = get_index_space_shape %%ap : %s -> tile<i32>\n"
      "%%start = constant <%s: 3%s> : %s\n"
      "%%zero = constant <i32: 0> : tile<i32>\n%%one = constant <i32: 1> : tile<i32>\n"
      "%%r:2 = for %%k in (%%zero to %%tiles#1, step %%one) : tile<i32> "
      "iter_values(%%x = %%start, %%y = %%start) -> (%s, %s) {\n"
      "%%a, %%ta = load_view_tko weak %%ap[%%i, %%k] : %s, tile<i32> -> %s, token\n"
      "%%w, %%tw = load_view_tko weak %%wp[%%k, %%j] : %s, tile<i32> -> %s, token\n",
      left, s->weight, sum, av, wv, cv, sum, sum, cv, ap, wp, cp, cp, ap, sum, whole ? "" : ".0", c,
      c, c, ap, a, wp, w);
  for (const char *p = s->decode; *p; p++) { /* $W and $B are the types */
    if (*p != '$') {
      text[n++] = *p;
      continue;
    }
    n += snprintf(text + n, sizeof text - (size_t)n, "%s", *++p == 'W' ? w : b);
  }
  n += snprintf(text + n, sizeof text - (size_t)n, "%%p = %s %%a, %%b, %%x%s : %s, %s, %s\n", mma,
                signs, a, b, c);
  if (two)
    n += snprintf(text + n, sizeof text - (size_t)n, "%%q = %s %%a, %%c, %%y%s : %s, %s, %s\n", mma,
                  signs, a, b, c);
  snprintf(text + n, sizeof text - (size_t)n,
           "continue %%p, %s : %s, %s\n}\n"
           "%%t = store_view_tko weak %%r#0, %%cp[%%i, %%j] : %s, %s, tile<i32> -> token\n"
           "%%u = store_view_tko weak %%r#1, %%dp[%%i, %%j] : %s, %s, tile<i32> -> token\n} }\n",
           two ? "%q" : "%y", c, c, c, cp, c, cp);
  return text;
}

static void check_product(const scene *s) {
  char name[128];
  snprintf(name, sizeof name, "%s to %s, %d products, tile %dx%dx%d, %dx%dx%d", s->weight,
           s->narrow, s->products, s->m, s->n, s->k, s->rows, s->cols, s->depth);
  run_grid grid = {(s->rows + s->m - 1) / s->m, (s->cols + s->n - 1) / s->n, 1};
  check(name, product_text(s), grid, s->rows, s->cols, s->depth, small_bf16);
}

/* What programs do to packed integers: both halves of each byte. */
#define HALVES                                                                                     \
  "%four = constant <i8: 4> : $W\n"                                                                \
  "%up = shli %w, %four : $W\n%low = shri %up, %four signed : $W\n"                                \
  "%high = shri %w, %four signed : $W\n"                                                           \
  "%b = itof %low signed : $W -> $B\n%c = itof %high signed : $W -> $B\n"
#define ZERO_POINT                                                                                 \
  "%mask = constant <i8: 15> : $W\n%four = constant <i8: 4> : $W\n%zp = constant <i8: 8> : $W\n"   \
  "%low = andi %w, %mask : $W\n%high = shri %w, %four unsigned : $W\n"                             \
  "%l8 = subi %low, %zp : $W\n%h8 = subi %high, %zp : $W\n"                                        \
  "%b = itof %l8 signed : $W -> $B\n%c = itof %h8 signed : $W -> $B\n"
#define WIDEN "%b = ftof %w : $W -> $B\n"

static void test_products(void **state) {
  (void)state;
  static const int shapes[][6] = {
      {1, 256, 32, 1, 512, 64}, {1, 64, 32, 1, 128, 70}, {2, 128, 16, 2, 200, 48},
      {4, 64, 32, 3, 130, 40},  {8, 32, 8, 8, 70, 20},   {16, 64, 32, 16, 128, 64},
      {16, 32, 32, 9, 44, 33},  {1, 16, 2, 1, 40, 6},    {1, 1024, 2, 1, 1024, 4},
  };
  for (unsigned i = 0; i < ARRAY_LEN(shapes); i++) {
    const int *t = shapes[i];
#define SHAPE t[0], t[1], t[2], t[3], t[4], t[5]
    const scene scenes[] = {
        {"i8", HALVES, "bf16", 2, SHAPE},
        {"i8", ZERO_POINT, "bf16", 2, SHAPE},
        {"f4E2M1FN", WIDEN, "bf16", 1, SHAPE},
        {"i8", "%b = itof %w signed : $W -> $B\n", "bf16", 1, SHAPE},
        {"i8", "%one8 = constant <i8: 1> : $W\n%b = addi %w, %one8 : $W\n", "i8", 1, SHAPE},
    };
#undef SHAPE
    for (unsigned j = 0; j < ARRAY_LEN(scenes); j++) check_product(&scenes[j]);
  }
}

/* ---- functions of four bits ----------------------------------------------------------------- */

/* Every byte there is, through a chain. The elements are %x (i8); %y is stored. */
static void check_chain(const char *elem, const char *chain) {
  char text[2048];
  snprintf(text, sizeof text,
           "cuda_tile.module @m { entry @k(%%A: tile<ptr<i8>>, %%W: tile<ptr<i8>>, %%C: "
           "tile<ptr<%s>>, %%M: tile<i32>, %%N: tile<i32>, %%K: tile<i32>) {\n"
           "%%i = iota : tile<256xi32>\n%%x = trunci %%i : tile<256xi32> -> tile<256xi8>\n"
           "%%wr = reshape %%W : tile<ptr<i8>> -> tile<1xptr<i8>>\n"
           "%%wb = broadcast %%wr : tile<1xptr<i8>> -> tile<256xptr<i8>>\n"
           "%%wp = offset %%wb, %%i : tile<256xptr<i8>>, tile<256xi32> -> tile<256xptr<i8>>\n"
           "%%t = store_ptr_tko weak %%wp, %%x : tile<256xptr<i8>>, tile<256xi8> -> token\n"
           "%%w, %%u = load_ptr_tko weak %%wp token = %%t : tile<256xptr<i8>> -> tile<256xi8>, "
           "token\n%s"
           "%%cr = reshape %%C : tile<ptr<%s>> -> tile<1xptr<%s>>\n"
           "%%cb = broadcast %%cr : tile<1xptr<%s>> -> tile<256xptr<%s>>\n"
           "%%cp = offset %%cb, %%i : tile<256xptr<%s>>, tile<256xi32> -> tile<256xptr<%s>>\n"
           "%%v = store_ptr_tko weak %%cp, %%y : tile<256xptr<%s>>, tile<256x%s> -> token\n} }\n",
           elem, chain, elem, elem, elem, elem, elem, elem, elem, elem);
  check(chain, text, (run_grid){1, 1, 1}, 1, 1, 1, small_bf16);
}

#define K8(name, number) "%" name " = constant <i8: " number "> : tile<256xi8>\n"
#define OP8(text)        text " : tile<256xi8>\n"

static void test_chains(void **state) {
  (void)state;
  check_chain(
      "f32",
      K8("k", "4") OP8("%a = shli %w, %k")
          OP8("%b = shri %a, %k signed") "%y = itof %b signed : tile<256xi8> -> tile<256xf32>\n");
  check_chain(
      "f32",
      K8("k", "4")
          OP8("%a = shri %w, %k signed") "%y = itof %a signed : tile<256xi8> -> tile<256xf32>\n");
  check_chain(
      "f32",
      K8("k", "4") OP8(
          "%a = shri %w, %k unsigned") "%y = itof %a unsigned : tile<256xi8> -> tile<256xf32>\n");
  check_chain("bf16",
              K8("k", "15") K8("z", "8") OP8("%a = andi %w, %k")
                  OP8("%b = subi %a, %z") "%c = itof %b signed : tile<256xi8> -> tile<256xbf16>\n"
                                          "%s = constant <bf16: 0.3> : tile<256xbf16>\n"
                                          "%y = mulf %c, %s : tile<256xbf16>\n");
  check_chain("f32", "%a = trunci %w : tile<256xi8> -> tile<256xi4>\n"
                     "%b = exti %a signed : tile<256xi4> -> tile<256xi8>\n"
                     "%y = itof %b signed : tile<256xi8> -> tile<256xf32>\n");
  /* Of the low three bits, of the two in the middle, of all, and of none. */
  check_chain("f32",
              K8("k", "7")
                  OP8("%a = andi %w, %k") "%y = itof %a signed : tile<256xi8> -> tile<256xf32>\n");
  check_chain("f32",
              K8("k", "24")
                  OP8("%a = andi %w, %k") "%y = itof %a signed : tile<256xi8> -> tile<256xf32>\n");
  check_chain("f32",
              K8("k", "1")
                  OP8("%a = addi %w, %k") "%y = itof %a signed : tile<256xi8> -> tile<256xf32>\n");
  check_chain("f32",
              K8("k", "0")
                  OP8("%a = andi %w, %k") "%y = itof %a signed : tile<256xi8> -> tile<256xf32>\n");
  /* A NaN for some of them; constants on the left; the element on both sides. */
  check_chain("f32",
              K8("k", "15")
                  OP8("%a = andi %w, %k") "%b = itof %a signed : tile<256xi8> -> tile<256xf32>\n"
                                          "%z = constant <f32: 0.0> : tile<256xf32>\n"
                                          "%y = divf %z, %b : tile<256xf32>\n");
  check_chain("f32",
              K8("k", "15") OP8("%a = andi %w, %k")
                  OP8("%b = subi %k, %a") "%y = itof %b signed : tile<256xi8> -> tile<256xf32>\n");
  check_chain("f32",
              K8("k", "15") OP8("%a = andi %w, %k")
                  OP8("%b = muli %a, %a") "%y = itof %b signed : tile<256xi8> -> tile<256xf32>\n");
}

int main(void) {
  const struct CMUnitTest tests[] = {LEVELS(test_products), LEVELS(test_chains)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
