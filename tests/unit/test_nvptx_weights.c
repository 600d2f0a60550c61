/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Products whose B is computed, element by element, from what memory holds: weights of few bits,
 * widened and scaled; and those that take them as they are, in any order of memory. Beside the
 * interpreter, on the emulated sm_80, sm_89 and sm_90a with all checks on; and what they ask of
 * shared memory.
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
  bool turned;       /* weights lie along k */
  bool scaled;       /* by a number for each column */
  bool halves;       /* of i8: two products, of the low and the high nibbles */
  bool padded;       /* weights that don't exist are not zero */
  unsigned up, down; /* with `halves`: by how much weights are shifted; 0: 4 */
  bool logical;      /* to the right, as unsigned numbers */
  bool natural;      /* what is converted is an unsigned number */
} product;           /* without conversion when both types are the same */

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

static bool is_plain(const product *p) {
  return p->weight == p->elem;
}
static const char *sum_name(const product *p) {
  return p->elem == TSR_I8 ? "i32" : "f32";
}

/* %b from %w_t: the weights as numbers of the product's type; `high`: of the high nibbles. */
static void widen(sbuf *t, const product *p, const char *b, bool high) {
  const char *from = tsr_elem_name(p->weight), *to = tsr_elem_name(p->elem);
  unsigned rows = p->turned ? p->n : p->k, columns = p->turned ? p->k : p->n;
  char shape[32];
  snprintf(shape, sizeof shape, "%ux%ux", rows, columns);
  const char *weights = "w_t";
  if (p->halves) {
    if (!high) sbuf_printf(t, "%%up = shli %%w_t, %%ups : tile<%si8>\n", shape);
    sbuf_printf(t, "%%%s_n = shri %%%s, %%downs %ssigned : tile<%si8>\n", b, high ? "w_t" : "up",
                p->logical ? "un" : "", shape);
  }
  char name[16];
  snprintf(name, sizeof name, "%s_n", b);
  if (p->halves) weights = name;
  const char *how = is_plain(p) ? "reshape" : p->weight == TSR_I8 ? "itof" : "ftof";
  sbuf_printf(t, "%%%s_e = %s %%%s %s: tile<%s%s> -> tile<%s%s>\n", b, how, weights,
              strcmp(how, "itof") ? ""
              : p->natural        ? "unsigned "
                                  : "signed ",
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
  bool integer = p->elem == TSR_I8;
  sbuf_printf(t,
              "%%%s = %s %%a_t, %%%s_%s, %%%s %s: tile<%ux%ux%s>, tile<%ux%ux%s>, "
              "tile<%ux%ux%s>\n",
              sum, integer ? "mmai" : "mmaf", b, p->scaled ? "y" : "x", acc,
              integer ? "signed signed " : "", p->m, p->k, elem, p->k, p->n, elem, p->m, p->n,
              sum_name(p));
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
              "%%s: tile<ptr<%s>>, %%c: tile<ptr<%s>>) {\n",
              elem, weight, elem, sum_name(p));
  view(&t, "a", elem, p->m, k, p->m, p->k, "zero");
  view(&t, "w", weight, rows, columns, tile_rows, tile_columns, padding);
  view(&t, "s", elem, 1, p->n, 1, p->n, "zero");
  view(&t, "c", sum_name(p), p->m, p->n, p->m, p->n, "zero");
  sbuf_printf(&t,
              "%%zero = constant <i32: 0> : tile<i32>\n%%one = constant <i32: 1> : tile<i32>\n"
              "%%tiles = constant <i32: %u> : tile<i32>\n"
              "%%ups = constant <i8: %u> : tile<%ux%uxi8>\n"
              "%%downs = constant <i8: %u> : tile<%ux%uxi8>\n",
              p->tiles, p->up ? p->up : 4, tile_rows, tile_columns, p->down ? p->down : 4,
              tile_rows, tile_columns);
  load(&t, "c", "%zero, %zero", sum_name(p), p->m, p->n, p->m, p->n, "zero");
  load(&t, "s", "%zero, %zero", elem, 1, p->n, 1, p->n, "zero");
  sbuf_printf(&t, "%%scales = broadcast %%s_t : tile<1x%ux%s> -> tile<%ux%ux%s>\n", p->n, elem,
              p->k, p->n, elem);
  char sum[32];
  snprintf(sum, sizeof sum, "tile<%ux%ux%s>", p->m, p->n, sum_name(p));
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
  sbuf_printf(&t, "continue %%sum, %%%s : %s, %s\n}\n%%both = %s %%r, %%r2 : %s\n",
              p->halves ? "sum2" : "acc2", sum, sum, p->elem == TSR_I8 ? "addi" : "addf", sum);
  sbuf_printf(&t,
              "%%t = store_view_tko weak %%both, %%c_p[%%zero, %%zero] : %s, "
              "partition_view<tile=(%ux%u), padding_value = zero, tensor_view<%ux%ux%s, "
              "strides=[%u,1]>>, tile<i32> -> token\n}\n}\n",
              sum, p->m, p->n, p->m, p->n, sum_name(p), p->n);
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
  for (size_t i = 0; i < (size_t)p->m * p->n; i++) {
    want[i] = (float)((next_random() >> 20) % 9) / 4 - 1;
    if (p->elem == TSR_I8) memset(&want[i], (int)i, 1); /* some integer */
  }
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

/* Elements that no instruction turns, where they lie across k: aligned in a pipeline, and not. */
static void test_across(void **unused) {
  (void)unused;
  static const tsr_elem elems[] = {TSR_I8, TSR_F8E4M3FN, TSR_TF32, TSR_F8E5M2};
  static const unsigned n[] = {256, 64, 32, 16};
  for (size_t i = 0; i < ARRAY_LEN(elems); i++)
    for (size_t j = 0; j < ARRAY_LEN(n); j++) {
      product p = {.weight = elems[i], .elem = elems[i], .m = 64, .k = 64, .tiles = 3};
      p.n = p.columns = n[j];
      check(&p, "sm_89");
      /* No bank is asked twice, but for sums on their way from and to memory, where a warp has as
       * many columns as are read at once. */
      uint64_t sums = 2 * sizeof(float) * p.m * p.n / 32;
      if (p.n >= 64) assert_in_range(counted.wavefronts, 1, counted.ideal_wavefronts + sums);
      p.columns--;
      check(&p, j % 2 ? "sm_80" : "sm_89");
      p.turned = true;
      check(&p, "sm_89");
    }
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
    assert_true(strstr(engine_ptx, "fma.rn.bf16x2") != NULL); /* two weights at once */
    assert_int_equal(counted.local, 0);
  }
}

/* Nibbles, and bits of integers that two shifts leave, become two 16-bit numbers by instructions
 * for both. */
static void test_pairs(void **unused) {
  (void)unused;
  static const tsr_elem elems[] = {TSR_BF16, TSR_F16};
  static const unsigned shifts[][2] = {{4, 4}, {1, 3}, {3, 1}, {1, 1}, {2, 7}};
  for (unsigned i = 0; i < 8 * ARRAY_LEN(shifts); i++) {
    product p = {.weight = TSR_I8, .elem = elems[i & 1], .m = 8, .n = 64, .k = 32, .tiles = 1};
    p.halves = true;
    p.columns = 64;
    p.turned = i % 3 == 0;
    p.logical = i & 2;
    p.natural = i & 4;
    p.up = shifts[i / 8][0];
    p.down = shifts[i / 8][1];
    check(&p, i % 5 ? "sm_80" : "sm_90a");
    const char *both = strstr(engine_ptx, p.elem == TSR_F16 ? "fma.rn.f16x2" : "fma.rn.bf16x2");
    if (!both != (p.natural && !p.logical)) fail_msg("%u: in another way than expected", i);
  }
  /* A thread has one nibble of a row, a byte, and more. */
  static const unsigned n[] = {8, 32, 64, 256};
  for (unsigned i = 0; i < 4 * ARRAY_LEN(n); i++) {
    product p = {.weight = TSR_F4E2M1FN, .elem = elems[i & 1], .m = 8, .n = n[i / 4], .k = 32};
    p.tiles = 2;
    p.columns = p.n;
    p.turned = i & 2;
    check(&p, "sm_80");
    const char *both = strstr(engine_ptx, i & 1 ? "fma.rn.f16x2" : "fma.rn.bf16x2");
    if (!both || strstr(engine_ptx, "mul.rn.f32")) fail_msg("%u: one by one", i);
  }
}

static product random_product(uint32_t seed) {
  static const tsr_elem weights[] = {TSR_I8, TSR_F4E2M1FN, TSR_F8E4M3FN, TSR_F8E5M2, TSR_BF16};
  static const tsr_elem elems[] = {TSR_BF16, TSR_F16,      TSR_TF32,  TSR_F32,
                                   TSR_I8,   TSR_F8E4M3FN, TSR_F8E5M2};
  state = seed * 2654435761u + 1;
  product p = {.weight = weights[next_random() / 65536 % ARRAY_LEN(weights)]};
  p.elem = elems[next_random() / 65536 % ARRAY_LEN(elems)];
  if (p.elem == TSR_I8 || tsr_elem_bits(p.elem) == 8) p.weight = p.elem;
  unsigned bits = next_random() / 65536;
  p.m = 1u << next_random() / 65536 % 8;
  p.n = 8u << next_random() / 65536 % (p.m > 16 ? 5 : 8);
  p.k = 8u << next_random() / 65536 % 4;
  p.tiles = 1 + bits % 4;
  p.turned = bits & 16;
  p.scaled = bits & 32 && p.elem != TSR_TF32 && tsr_elem_bits(p.elem) > 8;
  p.halves = bits & 64 && p.weight == TSR_I8 && !is_plain(&p);
  p.logical = bits & 256;
  p.natural = bits & 512;
  p.up = next_random() / 65536 % 8;
  p.down = next_random() / 65536 % 8;
  p.columns = bits & 128 ? p.n : 1 + next_random() / 65536 % p.n;
  if (tsr_elem_bits(p.weight) == 4) p.columns += p.columns % 2; /* the language wants whole bytes */
  return p;
}

static void check_random(uint32_t from, uint32_t count) {
  for (uint32_t seed = from; seed < from + count; seed++) {
    product p = random_product(seed);
    engine_schedule = seed % 4 ? EMU_ADVERSARIAL : EMU_RR;
    check(&p, seed % 3 == 0 ? "sm_80" : seed % 3 == 1 ? "sm_89" : "sm_90a");
  }
}

static void test_random(void **unused) {
  (void)unused;
  check_random(1, 40);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_types),  cmocka_unit_test(test_shapes),
                                     cmocka_unit_test(test_edges),  cmocka_unit_test(test_direct),
                                     cmocka_unit_test(test_across), cmocka_unit_test(test_pairs),
                                     cmocka_unit_test(test_random)};
  if (argc == 3) {
    uint32_t from = (uint32_t)strtoul(argv[1], NULL, 10);
    check_random(from, (uint32_t)strtoul(argv[2], NULL, 10));
    return 0;
  }
  return cmocka_run_group_tests(tests, NULL, NULL);
}
