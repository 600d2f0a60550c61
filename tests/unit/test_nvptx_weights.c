/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Products whose B is computed, element by element, from what memory holds: weights of few bits,
 * widened and scaled. Beside the interpreter, on the emulated sm_80 and sm_90a with all checks on;
 * and what they ask of shared memory.
 *
 *   test_nvptx_weights SEED COUNT   random products
 *
 * Elements are small, so that sums are exact in any order.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gpu_engine.h"
#include "num/num.h"
#include "simt/dist.h"

enum { ROOM = 256 * 1024 };

/* m x k times k x n, `tiles` times along k; `columns` and `rows` are those of the weights in
 * memory, which need not be whole tiles. */
typedef struct product {
  tsr_elem weight, elem;
  unsigned m, n, k, tiles;
  unsigned columns;
  bool turned; /* weights lie along k */
  bool scaled; /* by a number for each column */
  bool halves; /* of i8: two products, of the low and the high nibbles */
  bool padded; /* weights that don't exist are not zero */
} product;

static _Alignas(128) uint8_t a[ROOM], w[ROOM], scale[ROOM];
static float want[ROOM], got[ROOM];
static uint32_t state;

static uint32_t next_random(void) {
  return state = state * 1664525 + 1013904223;
}

/* ---- the program ---------------------------------------------------------------------------- */

static void view(sbuf *t, const char *name, const char *elem, unsigned rows, unsigned columns,
                 unsigned tile_rows, unsigned tile_columns, const char *padding) {
  char type[128];
  snprintf(type, sizeof type, "tensor_view<%ux%ux%s, strides=[%u,1]>", rows, columns, elem,
           columns);
  sbuf_printf(t,
              "%%%s_v = make_tensor_view %%%s, shape = [%u, %u], strides = [%u, 1] : %s\n"
              "%%%s_p = make_partition_view %%%s_v : partition_view<tile=(%ux%u), "
              "padding_value = %s, %s>\n",
              name, name, rows, columns, columns, type, name, name, tile_rows, tile_columns,
              padding, type);
}

static void load(sbuf *t, const char *name, const char *index, const char *elem, unsigned rows,
                 unsigned columns, unsigned tile_rows, unsigned tile_columns, const char *padding) {
  sbuf_printf(t,
              "%%%s_t, %%%s_token = load_view_tko weak %%%s_p[%s] : partition_view<tile=(%ux%u), "
              "padding_value = %s, tensor_view<%ux%ux%s, strides=[%u,1]>>, tile<i32> -> "
              "tile<%ux%ux%s>, token\n",
              name, name, name, index, tile_rows, tile_columns, padding, rows, columns, elem,
              columns, tile_rows, tile_columns, elem);
}

/* %b from %w_t: the weights as numbers of the product's type; `high`: of the high nibbles. */
static void widen(sbuf *t, const product *p, const char *b, bool high) {
  const char *from = tsr_elem_name(p->weight), *to = tsr_elem_name(p->elem);
  unsigned rows = p->turned ? p->n : p->k, columns = p->turned ? p->k : p->n;
  char shape[32];
  snprintf(shape, sizeof shape, "%ux%ux", rows, columns);
  const char *weights = "w_t";
  if (p->halves) {
    if (!high) sbuf_printf(t, "%%up = shli %%w_t, %%four : tile<%si8>\n", shape);
    sbuf_printf(t, "%%%s_n = shri %%%s, %%four signed : tile<%si8>\n", b, high ? "w_t" : "up",
                shape);
  }
  char name[16];
  snprintf(name, sizeof name, "%s_n", b);
  if (p->halves) weights = name;
  sbuf_printf(t, "%%%s_e = %s %%%s %s: tile<%s%s> -> tile<%s%s>\n", b,
              p->weight == TSR_I8 ? "itof" : "ftof", weights, p->weight == TSR_I8 ? "signed " : "",
              shape, from, shape, to);
  if (p->turned)
    sbuf_printf(t, "%%%s_x = permute %%%s_e [1, 0] : tile<%s%s> -> tile<%ux%ux%s>\n", b, b, shape,
                to, p->k, p->n, to);
  else
    sbuf_printf(t, "%%%s_x = reshape %%%s_e : tile<%s%s> -> tile<%s%s>\n", b, b, shape, to, shape,
                to);
  if (!p->scaled) return;
  sbuf_printf(t, "%%%s_y = mulf %%%s_x, %%scales : tile<%ux%ux%s>\n", b, b, p->k, p->n, to);
}

static void multiply(sbuf *t, const product *p, const char *b, const char *sum, const char *acc) {
  const char *elem = tsr_elem_name(p->elem);
  sbuf_printf(t,
              "%%%s = mmaf %%a_t, %%%s_%s, %%%s : tile<%ux%ux%s>, tile<%ux%ux%s>, "
              "tile<%ux%uxf32>\n",
              sum, b, p->scaled ? "y" : "x", acc, p->m, p->k, elem, p->k, p->n, elem, p->m, p->n);
}

static char *text_of(arena *memory, const product *p) {
  sbuf t = SBUF(memory);
  const char *elem = tsr_elem_name(p->elem), *weight = tsr_elem_name(p->weight);
  const char *padding = p->padded ? "neg_inf" : "zero";
  unsigned k = p->k * p->tiles;
  unsigned rows = p->turned ? p->columns : k, columns = p->turned ? k : p->columns;
  unsigned tile_rows = p->turned ? p->n : p->k, tile_columns = p->turned ? p->k : p->n;
  if (p->weight == TSR_I8 || p->weight == TSR_F4E2M1FN) padding = "zero";
  sbuf_printf(&t,
              "cuda_tile.module @m { entry @k(%%a: tile<ptr<%s>>, %%w: tile<ptr<%s>>, "
              "%%s: tile<ptr<%s>>, %%c: tile<ptr<f32>>) {\n",
              elem, weight, elem);
  view(&t, "a", elem, p->m, k, p->m, p->k, "zero");
  view(&t, "w", weight, rows, columns, tile_rows, tile_columns, padding);
  view(&t, "s", elem, 1, p->n, 1, p->n, "zero");
  view(&t, "c", "f32", p->m, p->n, p->m, p->n, "zero");
  sbuf_printf(&t,
              "%%zero = constant <i32: 0> : tile<i32>\n%%one = constant <i32: 1> : tile<i32>\n"
              "%%tiles = constant <i32: %u> : tile<i32>\n"
              "%%four = constant <i8: 4> : tile<%ux%uxi8>\n",
              p->tiles, tile_rows, tile_columns);
  load(&t, "c", "%zero, %zero", "f32", p->m, p->n, p->m, p->n, "zero");
  load(&t, "s", "%zero, %zero", elem, 1, p->n, 1, p->n, "zero");
  sbuf_printf(&t, "%%scales = broadcast %%s_t : tile<1x%ux%s> -> tile<%ux%ux%s>\n", p->n, elem,
              p->k, p->n, elem);
  char sum[32];
  snprintf(sum, sizeof sum, "tile<%ux%uxf32>", p->m, p->n);
  sbuf_printf(&t,
              "%%r, %%r2 = for %%i in (%%zero to %%tiles, step %%one) : tile<i32> "
              "iter_values(%%acc = %%c_t, %%acc2 = %%c_t) -> (%s, %s) {\n",
              sum, sum);
  load(&t, "a", "%zero, %i", elem, p->m, k, p->m, p->k, "zero");
  load(&t, "w", p->turned ? "%zero, %i" : "%i, %zero", weight, rows, columns, tile_rows,
       tile_columns, padding);
  widen(&t, p, "b", false);
  multiply(&t, p, "b", "sum", "acc");
  if (p->halves) {
    widen(&t, p, "h", true);
    multiply(&t, p, "h", "sum2", "acc2");
  }
  sbuf_printf(&t, "continue %%sum, %%%s : %s, %s\n}\n%%both = addf %%r, %%r2 : %s\n",
              p->halves ? "sum2" : "acc2", sum, sum, sum);
  sbuf_printf(&t,
              "%%t = store_view_tko weak %%both, %%c_p[%%zero, %%zero] : %s, "
              "partition_view<tile=(%ux%u), padding_value = zero, tensor_view<%ux%uxf32, "
              "strides=[%u,1]>>, tile<i32> -> token\n}\n}\n",
              sum, p->m, p->n, p->m, p->n, p->n);
  return t.data;
}

/* ---- data ----------------------------------------------------------------------------------- */

static void fill(uint8_t *at, tsr_elem elem, size_t n, bool powers) {
  const num_format *f = num_format_of(elem);
  unsigned bits = tsr_elem_bits(elem);
  for (size_t i = 0; i < n; i++) {
    double x =
        powers ? 1 << (next_random() >> 20) % 3 : (double)((next_random() >> 20) % 9) / 4 - 1;
    uint64_t pattern = f ? num_encode(f, x, NUM_NEAREST_EVEN) : next_random() >> 24;
    if (bits == 4) /* all of them */
      at[i / 2] = (uint8_t)(next_random() >> 24);
    else
      memcpy(at + i * bits / 8, &pattern, bits / 8);
  }
}

static void fill_all(const product *p) {
  size_t k = (size_t)p->k * p->tiles;
  state = 1;
  fill(a, p->elem, p->m * k, false);
  fill(w, p->weight, p->columns * k, false);
  fill(scale, p->elem, p->n, true);
  for (size_t i = 0; i < (size_t)p->m * p->n; i++)
    want[i] = (float)((next_random() >> 20) % 9) / 4 - 1;
  memcpy(got, want, sizeof(float) * p->m * p->n);
}

/* ---- checks --------------------------------------------------------------------------------- */

static counts counted;
static void keep_counts(const counters *c) {
  counted = c->total;
}

static void check(const product *p, const char *target) {
  arena memory;
  run_log log;
  tsr_context *ctx = tsr_context_create(NULL);
  arena_init(&memory, ctx);
  engine_target = gpu_find_target(target);
  engine_count = keep_counts;
  char *text = text_of(&memory, p);
  fill_all(p);
  run_grid one = {1, 1, 1};
  uint64_t args[] = {ARG_ADDRESS(a), ARG_ADDRESS(w), ARG_ADDRESS(scale), ARG_ADDRESS(want)};
  if (!run_program_on(run_interp, text, "k", one, args, &log))
    fail_msg("interp: %s\n%s", log.diagnostics, text);
  args[3] = ARG_ADDRESS(got);
  if (!run_program_on(run_gpu, text, "k", one, args, &log))
    fail_msg("%s: %s\n%s", target, log.diagnostics, text);
  for (size_t i = 0; i < (size_t)p->m * p->n; i++)
    if (memcmp(&want[i], &got[i], sizeof(float)))
      fail_msg("%s: element %zu differs: %a, expected %a\n%s", target, i, (double)got[i],
               (double)want[i], text);
  arena_free(&memory);
  tsr_context_destroy(ctx);
}

static void check_both(const product *p) {
  check(p, "sm_80");
  check(p, "sm_90a");
}

/* Every pair of types, as memory lies best and otherwise. */
static void test_types(void **unused) {
  (void)unused;
  static const tsr_elem weights[] = {TSR_I8, TSR_F4E2M1FN, TSR_F8E4M3FN, TSR_F8E5M2, TSR_BF16};
  static const tsr_elem elems[] = {TSR_BF16, TSR_F16, TSR_F32};
  for (size_t i = 0; i < ARRAY_LEN(weights); i++)
    for (size_t j = 0; j < ARRAY_LEN(elems); j++) {
      product p = {.weight = weights[i], .elem = elems[j], .m = 16, .n = 256, .k = 32, .tiles = 2};
      p.columns = 256;
      p.turned = (i + j) % 2;
      p.scaled = (i + j) % 3 == 0;
      if (p.weight == p.elem) continue;
      check(&p, (i + j) % 2 ? "sm_80" : "sm_90a");
    }
}

/* Few rows and many, several warps along each dimension, one warp, products of which B is cut. */
static void test_shapes(void **unused) {
  (void)unused;
  static const unsigned shapes[][3] = {{1, 512, 32},  {2, 256, 16},   {4, 128, 64}, {8, 8, 16},
                                       {8, 1024, 16}, {16, 1024, 32}, {32, 64, 64}, {64, 128, 32},
                                       {128, 64, 64}, {1, 16, 256},   {64, 8, 16}};
  for (size_t i = 0; i < ARRAY_LEN(shapes); i++) {
    product p = {.weight = i % 2 ? TSR_F4E2M1FN : TSR_I8, .elem = TSR_BF16};
    p.m = shapes[i][0];
    p.columns = p.n = shapes[i][1];
    p.k = shapes[i][2];
    p.tiles = 2;
    p.halves = p.weight == TSR_I8;
    check_both(&p);
  }
}

/* Rows of weights that begin at any byte or nibble, and end inside of a tile. */
static void test_edges(void **unused) {
  (void)unused;
  static const tsr_elem weights[] = {TSR_I8, TSR_F4E2M1FN, TSR_F8E5M2};
  static const unsigned columns[] = {256, 254, 248, 202, 131, 1};
  for (size_t i = 0; i < ARRAY_LEN(weights); i++)
    for (size_t j = 0; j < ARRAY_LEN(columns); j++) {
      product p = {.weight = weights[i], .elem = TSR_F16, .m = 1 << j, .n = 256, .k = 16};
      p.tiles = 3;
      p.columns = columns[j];
      if (p.weight == TSR_F4E2M1FN) p.columns += p.columns % 2;
      p.padded = weights[i] == TSR_F8E5M2 && j == 2;
      p.halves = weights[i] == TSR_I8;
      check(&p, (i + j) % 2 ? "sm_80" : "sm_90a");
    }
}

/* Weights go from memory to the registers that multiply them: all that shared memory sees is A, and
 * outside of the loop sums on their way from and to memory. */
static void test_direct(void **unused) {
  (void)unused;
  for (unsigned i = 0; i < 4; i++) {
    product p = {.weight = i & 1 ? TSR_F4E2M1FN : TSR_I8, .elem = TSR_BF16, .k = 32, .tiles = 2};
    p.m = i & 2 ? 16 : 1;
    p.columns = p.n = 1024;
    p.halves = !(i & 1);
    check_both(&p);
    uint64_t bytes = (uint64_t)p.m * p.k * 2 * p.tiles * (p.halves ? 2 : 1);
    assert_in_range(counted.shared_written, bytes, bytes + 2 * sizeof(float) * p.m * p.n);
    assert_true(strstr(engine_ptx, "mma.sync") != NULL);
    assert_int_equal(counted.local, 0);
  }
}

static product random_product(uint32_t seed) {
  static const tsr_elem weights[] = {TSR_I8, TSR_F4E2M1FN, TSR_F8E4M3FN, TSR_F8E5M2, TSR_BF16};
  static const tsr_elem elems[] = {TSR_BF16, TSR_F16, TSR_TF32, TSR_F32};
  state = seed * 2654435761u + 1;
  product p = {.weight = weights[next_random() / 65536 % ARRAY_LEN(weights)]};
  do p.elem = elems[next_random() / 65536 % ARRAY_LEN(elems)];
  while (p.elem == p.weight);
  unsigned bits = next_random() / 65536;
  p.m = 1u << next_random() / 65536 % 8;
  p.n = 8u << next_random() / 65536 % (p.m > 16 ? 5 : 8);
  p.k = 8u << next_random() / 65536 % 4;
  p.tiles = 1 + bits % 4;
  p.turned = bits & 16;
  p.scaled = bits & 32 && p.elem != TSR_TF32;
  p.halves = bits & 64 && p.weight == TSR_I8;
  p.columns = bits & 128 ? p.n : 1 + next_random() / 65536 % p.n;
  if (tsr_elem_bits(p.weight) == 4) p.columns += p.columns % 2; /* the language wants whole bytes */
  return p;
}

static void check_random(uint32_t from, uint32_t count) {
  for (uint32_t seed = from; seed < from + count; seed++) {
    product p = random_product(seed);
    engine_schedule = seed % 3 ? EMU_ADVERSARIAL : EMU_RR;
    check(&p, seed % 2 ? "sm_80" : "sm_90a");
  }
}

static void test_random(void **unused) {
  (void)unused;
  check_random(1, 40);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_types), cmocka_unit_test(test_shapes),
                                     cmocka_unit_test(test_edges), cmocka_unit_test(test_direct),
                                     cmocka_unit_test(test_random)};
  if (argc == 3) {
    uint32_t from = (uint32_t)strtoul(argv[1], NULL, 10);
    check_random(from, (uint32_t)strtoul(argv[2], NULL, 10));
    return 0;
  }
  return cmocka_run_group_tests(tests, NULL, NULL);
}
