/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Matrix products by wgmma on the emulated sm_90a, with all checks on and asynchronous operations
 * that complete as late as they may, beside the interpreter; and which products the plan gives to
 * wgmma.
 *
 *   test_nvptx_wgmma counters     prints what kernels ask of an H200
 *   test_nvptx_wgmma SEED COUNT   random products
 *
 * Elements are quarters from -1 to 1, so that sums are exact in any order.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gpu_engine.h"
#include "ir/verify.h"
#include "num/num.h"
#include "simt/dist.h"

enum { ROOM = 256 * 256 };

/* A product of tiles m x k and k x n, `tiles` times along k. */
typedef struct product {
  tsr_elem elem, sum;
  unsigned m, n, k, tiles;
  bool a_columns, b_columns; /* in memory: a is [k, m], b is [n, k] */
  bool unsigned_lhs, unsigned_rhs;
  bool chained;       /* a is the result of a product itself, rounded: it is in registers */
  const char *expect; /* in the PTX; NULL: no wgmma */
  bool anything;      /* whatever instruction is chosen */
  unsigned warps;     /* by a hint; 0: as the compiler thinks best */
} product;

static _Alignas(128) uint8_t a[ROOM * 4], b[ROOM * 4];
static uint32_t want[ROOM], got[ROOM];
static uint32_t state;

static uint32_t next_random(void) {
  return state = state * 1664525 + 1013904223;
}

static void fill(uint8_t *at, tsr_elem elem, size_t n) {
  const num_format *f = num_format_of(elem);
  unsigned size = tsr_elem_bits(elem) / 8;
  for (size_t i = 0; i < n; i++) {
    double x = (double)((next_random() >> 20) % 9) / 4 - 1;
    uint64_t bits = f ? num_encode(f, x, NUM_NEAREST_EVEN) : next_random() >> 24;
    if (elem == TSR_TF32) bits |= next_random() >> 19; /* memory may have more than the format */
    memcpy(at + i * size, &bits, size);
  }
}

static void fill_sums(uint32_t *at, tsr_elem elem, size_t n) {
  for (size_t i = 0; i < n; i++) {
    float x = (float)((next_random() >> 20) % 9) / 4 - 1;
    memcpy(&at[i], &x, sizeof x);
    if (elem == TSR_I32) at[i] = next_random();
    if (elem == TSR_F16) at[i] = (uint32_t)num_encode(num_format_of(TSR_F16), x, NUM_NEAREST_EVEN);
  }
}

static void view(sbuf *t, const char *name, const char *elem, unsigned rows, unsigned columns,
                 unsigned tile_rows, unsigned tile_columns) {
  sbuf_printf(t,
              "%%%s_v = make_tensor_view %%%s, shape = [%u, %u], strides = [%u, 1] : "
              "tensor_view<%ux%ux%s, strides=[%u,1]>\n"
              "%%%s_p = make_partition_view %%%s_v : partition_view<tile=(%ux%u), "
              "tensor_view<%ux%ux%s, strides=[%u,1]>>\n",
              name, name, rows, columns, columns, rows, columns, elem, columns, name, name,
              tile_rows, tile_columns, rows, columns, elem, columns);
}

static void load(sbuf *t, const char *name, const char *index, const char *elem, unsigned rows,
                 unsigned columns, unsigned tile_rows, unsigned tile_columns) {
  sbuf_printf(t,
              "%%%s_t, %%%s_token = load_view_tko weak %%%s_p[%s] : partition_view<tile=(%ux%u), "
              "tensor_view<%ux%ux%s, strides=[%u,1]>>, tile<i32> -> tile<%ux%ux%s>, token\n",
              name, name, name, index, tile_rows, tile_columns, rows, columns, elem, columns,
              tile_rows, tile_columns, elem);
}

/* An operand as [rows, columns], transposed when it lies the other way round. */
static void operand(sbuf *t, const char *name, const char *elem, unsigned rows, unsigned columns,
                    bool turned) {
  if (turned)
    sbuf_printf(t, "%%%s_x = permute %%%s_t [1, 0] : tile<%ux%ux%s> -> tile<%ux%ux%s>\n", name,
                name, columns, rows, elem, rows, columns, elem);
  else
    sbuf_printf(t, "%%%s_x = reshape %%%s_t : tile<%ux%ux%s> -> tile<%ux%ux%s>\n", name, name, rows,
                columns, elem, rows, columns, elem);
}

/* %a_y = %a_x times the unit matrix. */
static void chain(sbuf *t, const product *p, const char *elem) {
  sbuf_printf(t, "%%id_i = iota : tile<%ux%s>\n", p->k, "i32");
  sbuf_printf(t, "%%id_r1 = reshape %%id_i : tile<%uxi32> -> tile<%ux1xi32>\n", p->k, p->k);
  sbuf_printf(t, "%%id_c1 = reshape %%id_i : tile<%uxi32> -> tile<1x%uxi32>\n", p->k, p->k);
  sbuf_printf(t, "%%id_r = broadcast %%id_r1 : tile<%ux1xi32> -> tile<%ux%uxi32>\n", p->k, p->k,
              p->k);
  sbuf_printf(t, "%%id_c = broadcast %%id_c1 : tile<1x%uxi32> -> tile<%ux%uxi32>\n", p->k, p->k,
              p->k);
  sbuf_printf(t, "%%id_e = cmpi equal %%id_r, %%id_c, signed : tile<%ux%uxi32> -> tile<%ux%uxi1>\n",
              p->k, p->k, p->k, p->k);
  sbuf_printf(t, "%%id_1 = constant <%s: 1.0> : tile<%ux%ux%s>\n", elem, p->k, p->k, elem);
  sbuf_printf(t, "%%id_0 = constant <%s: 0.0> : tile<%ux%ux%s>\n", elem, p->k, p->k, elem);
  sbuf_printf(t, "%%id = select %%id_e, %%id_1, %%id_0 : tile<%ux%uxi1>, tile<%ux%ux%s>\n", p->k,
              p->k, p->k, p->k, elem);
  sbuf_printf(t, "%%no = constant <f32: 0.0> : tile<%ux%uxf32>\n", p->m, p->k);
  sbuf_printf(t,
              "%%a_s = mmaf %%a_x, %%id, %%no : tile<%ux%ux%s>, tile<%ux%ux%s>, tile<%ux%uxf32>\n",
              p->m, p->k, elem, p->k, p->k, elem, p->m, p->k);
  sbuf_printf(t, "%%a_y = ftof %%a_s : tile<%ux%uxf32> -> tile<%ux%ux%s>\n", p->m, p->k, p->m, p->k,
              elem);
}

static char *text_of(arena *memory, const product *p) {
  sbuf t = SBUF(memory);
  const char *elem = tsr_elem_name(p->elem), *sum = tsr_elem_name(p->sum);
  unsigned k = p->k * p->tiles;
  sbuf_printf(&t,
              "cuda_tile.module @m { entry @k(%%a: tile<ptr<%s>>, %%b: tile<ptr<%s>>, "
              "%%c: tile<ptr<%s>>) ",
              elem, elem, sum);
  if (p->warps)
    sbuf_printf(&t, "optimization_hints=<default = {num_worker_warps_per_cta = %u}> ", p->warps);
  sbuf_puts(&t, "{\n");
  unsigned ar = p->a_columns ? k : p->m, ac = p->a_columns ? p->m : k;
  unsigned br = p->b_columns ? p->n : k, bc = p->b_columns ? k : p->n;
  unsigned tar = p->a_columns ? p->k : p->m, tac = p->a_columns ? p->m : p->k;
  unsigned tbr = p->b_columns ? p->n : p->k, tbc = p->b_columns ? p->k : p->n;
  view(&t, "a", elem, ar, ac, tar, tac);
  view(&t, "b", elem, br, bc, tbr, tbc);
  view(&t, "c", sum, p->m, p->n, p->m, p->n);
  sbuf_printf(&t,
              "%%zero = constant <i32: 0> : tile<i32>\n%%one = constant <i32: 1> : tile<i32>\n"
              "%%tiles = constant <i32: %u> : tile<i32>\n",
              p->tiles);
  load(&t, "c", "%zero, %zero", sum, p->m, p->n, p->m, p->n);
  sbuf_printf(&t,
              "%%r = for %%i in (%%zero to %%tiles, step %%one) : tile<i32> "
              "iter_values(%%acc = %%c_t) -> (tile<%ux%ux%s>) {\n",
              p->m, p->n, sum);
  load(&t, "a", p->a_columns ? "%i, %zero" : "%zero, %i", elem, ar, ac, tar, tac);
  load(&t, "b", p->b_columns ? "%zero, %i" : "%i, %zero", elem, br, bc, tbr, tbc);
  operand(&t, "a", elem, p->m, p->k, p->a_columns);
  operand(&t, "b", elem, p->k, p->n, p->b_columns);
  if (p->chained) chain(&t, p, elem);
  bool integer = p->sum == TSR_I32;
  sbuf_printf(&t,
              "%%s = %s %%a_%c, %%b_x, %%acc %s%s%s%s: tile<%ux%ux%s>, tile<%ux%ux%s>, "
              "tile<%ux%ux%s>\ncontinue %%s : tile<%ux%ux%s>\n}\n",
              integer ? "mmai" : "mmaf", p->chained ? 'y' : 'x',
              integer ? (p->unsigned_lhs ? "unsigned" : "signed") : "", integer ? " " : "",
              integer ? (p->unsigned_rhs ? "unsigned" : "signed") : "", integer ? " " : "", p->m,
              p->k, elem, p->k, p->n, elem, p->m, p->n, sum, p->m, p->n, sum);
  sbuf_printf(&t,
              "%%t = store_view_tko weak %%r, %%c_p[%%zero, %%zero] : tile<%ux%ux%s>, "
              "partition_view<tile=(%ux%u), tensor_view<%ux%ux%s, strides=[%u,1]>>, tile<i32> "
              "-> token\n}\n}\n",
              p->m, p->n, sum, p->m, p->n, p->m, p->n, sum, p->n);
  return t.data;
}

/* `bulk`: where there is a kernel with a producer, by that; else by the one without. */
static void check_form(const product *p, bool bulk) {
  arena memory;
  run_log log;
  tsr_context *ctx = tsr_context_create(NULL);
  arena_init(&memory, ctx);
  engine_bulk = bulk;
  char *text = text_of(&memory, p);
  size_t k = (size_t)p->k * p->tiles;
  state = 1;
  fill(a, p->elem, p->m * k);
  fill(b, p->elem, p->n * k);
  unsigned size = tsr_elem_bits(p->sum) / 8;
  fill_sums(want, p->sum, (size_t)p->m * p->n);
  if (p->sum == TSR_F32) want[5] = 0x7fc00123; /* NaNs come out as the language says */
  if (size == 2)
    for (size_t i = 0; i < (size_t)p->m * p->n; i++) ((uint16_t *)want)[i] = (uint16_t)want[i];
  memcpy(got, want, (size_t)p->m * p->n * size);
  run_grid one = {1, 1, 1};
  uint64_t args[] = {ARG_ADDRESS(a), ARG_ADDRESS(b), ARG_ADDRESS(want)};
  if (!run_program_on(run_interp, text, "k", one, args, &log))
    fail_msg("interp: %s\n%s", log.diagnostics, text);
  args[2] = ARG_ADDRESS(got);
  if (!run_program_on(run_gpu, text, "k", one, args, &log))
    fail_msg("%s: %s\n%s", engine_target->name, log.diagnostics, text);
  for (size_t i = 0; i < (size_t)p->m * p->n * size; i++)
    if (((uint8_t *)want)[i] != ((uint8_t *)got)[i])
      fail_msg("element %zu differs: %08x, expected %08x\n%s", i / size, got[i / 4], want[i / 4],
               text);
  if (p->expect && !strstr(engine_ptx, p->expect))
    fail_msg("there is no '%s' in the PTX of\n%s", p->expect, text);
  if (!p->expect && !p->anything && strstr(engine_ptx, "wgmma"))
    fail_msg("wgmma is used for\n%s", text);
  arena_free(&memory);
  tsr_context_destroy(ctx);
}

static void check(const product *p) {
  check_form(p, true);
  if (engine_took_bulk) check_form(p, false);
}

static void check_all(const product *p, size_t n) {
  engine_target = gpu_find_target("sm_90a");
  engine_schedule = EMU_ADVERSARIAL;
  for (size_t i = 0; i < n; i++) check(&p[i]);
}

/* Every type, as rows and columns lie best for it and otherwise. */
static void test_types(void **unused) {
  (void)unused;
  static const product products[] = {
      {.elem = TSR_F16, .m = 64, .n = 64, .k = 64, .expect = "m64n64k16.f32.f16.f16"},
      {.elem = TSR_BF16, .m = 64, .n = 64, .k = 64, .expect = "m64n64k16.f32.bf16.bf16"},
      {.elem = TSR_TF32, .m = 64, .n = 32, .k = 32, .expect = "m64n32k8.f32.tf32.tf32"},
      {.elem = TSR_TF32, .m = 64, .n = 32, .k = 32, .b_columns = true, .expect = "m64n32k8"},
      {.elem = TSR_F8E4M3FN, .m = 64, .n = 32, .k = 64, .expect = "m64n32k32.f32.e4m3.e4m3"},
      {.elem = TSR_F8E5M2, .m = 64, .n = 32, .k = 128, .b_columns = true, .expect = "e5m2.e5m2"},
      {.elem = TSR_I8, .sum = TSR_I32, .m = 64, .n = 32, .k = 64, .expect = "m64n32k32.s32.s8.s8"},
      {.elem = TSR_I8,
       .sum = TSR_I32,
       .m = 64,
       .n = 16,
       .k = 32,
       .unsigned_lhs = true,
       .b_columns = true,
       .expect = "m64n16k32.s32.u8.s8"},
      {.elem = TSR_I8,
       .sum = TSR_I32,
       .m = 64,
       .n = 16,
       .k = 32,
       .unsigned_lhs = true,
       .unsigned_rhs = true,
       .a_columns = true,
       .expect = "u8.u8"},
      {.elem = TSR_F16, .sum = TSR_F16, .m = 64, .n = 16, .k = 16, .expect = "m64n16k16.f32"},
  };
  product p[ARRAY_LEN(products)];
  memcpy(p, products, sizeof p);
  for (size_t i = 0; i < ARRAY_LEN(p); i++) {
    p[i].tiles = 2;
    if (products[i].sum == (tsr_elem)0) p[i].sum = TSR_F32;
  }
  check_all(p, ARRAY_LEN(p));
}

/* Operands in all orders of memory, widths of rows and numbers of instructions. */
static void test_shapes(void **unused) {
  (void)unused;
  static const uint16_t sizes[][3] = {{64, 8, 16},   {64, 16, 32},  {64, 256, 16},
                                      {128, 32, 64}, {256, 16, 32}, {128, 64, 128}};
  for (size_t i = 0; i < ARRAY_LEN(sizes); i++)
    for (unsigned turned = 0; turned < 4; turned++) {
      product p = {.elem = turned & 1 ? TSR_BF16 : TSR_F16,
                   .sum = TSR_F32,
                   .m = sizes[i][0],
                   .n = sizes[i][1],
                   .k = sizes[i][2],
                   .tiles = 2,
                   .a_columns = turned & 1,
                   .b_columns = turned & 2,
                   .expect = "wgmma.mma_async"};
      engine_target = gpu_find_target("sm_90a");
      check_form(&p, (i + turned) % 2);
    }
}

static counts counted;
static void keep_counts(const counters *c) {
  counted = c->total;
}

/* Bytes that lie across k in memory go to shared memory as words along k, and meet in no bank; sums
 * on their way from memory may, two in each. */
static void test_turned(void **unused) {
  (void)unused;
  static const unsigned shapes[][3] = {{128, 128, 64}, {64, 64, 64}, {64, 256, 32}, {128, 64, 128}};
  static const tsr_elem elems[] = {TSR_I8, TSR_F8E4M3FN, TSR_F8E5M2};
  engine_count = keep_counts;
  for (unsigned i = 0; i < ARRAY_LEN(shapes); i++) {
    product p = {.elem = elems[i % ARRAY_LEN(elems)], .m = shapes[i][0], .n = shapes[i][1]};
    p.k = shapes[i][2];
    p.sum = p.elem == TSR_I8 ? TSR_I32 : TSR_F32;
    p.tiles = 2;
    p.expect = "wgmma";
    p.a_columns = i % 2;
    check(&p);
    uint64_t sums = sizeof(float) * p.m * p.n / 128;
    assert_in_range(counted.wavefronts, 1, counted.ideal_wavefronts + sums);
    assert_null(strstr(engine_ptx, "st.shared.b8"));
    assert_null(strstr(engine_ptx, "st.shared.b16"));
  }
  engine_count = NULL;
}

/* A comes out of another product: its registers are words of the next one's fragments. */
static void test_registers(void **unused) {
  (void)unused;
  static const product products[] = {
      {.elem = TSR_F16,
       .sum = TSR_F32,
       .m = 64,
       .n = 32,
       .k = 64,
       .tiles = 2,
       .chained = true,
       .expect = "}, {%r"},
      {.elem = TSR_BF16,
       .sum = TSR_F32,
       .m = 128,
       .n = 64,
       .k = 32,
       .tiles = 1,
       .chained = true,
       .b_columns = true,
       .expect = "}, {%r"},
      {.elem = TSR_BF16,
       .sum = TSR_F32,
       .m = 256,
       .n = 64,
       .k = 32,
       .tiles = 1,
       .chained = true,
       .expect = "}, {%r"},
  };
  check_all(products, ARRAY_LEN(products));
}

/* ---- random products ------------------------------------------------------------------------ */

static unsigned power(unsigned least, unsigned most) {
  return least << next_random() / 65536 % (simt_log2(most / least) + 1);
}

static product random_product(uint32_t seed) {
  static const tsr_elem elems[] = {TSR_F16, TSR_BF16, TSR_TF32, TSR_I8, TSR_F8E4M3FN, TSR_F8E5M2};
  state = seed * 2654435761u + 1;
  product p = {.elem = elems[next_random() / 65536 % ARRAY_LEN(elems)], .anything = true};
  p.sum = p.elem == TSR_I8 ? TSR_I32 : TSR_F32;
  unsigned bits = next_random() / 65536;
  p.a_columns = bits & 1;
  p.b_columns = bits & 2;
  p.unsigned_lhs = bits & 4;
  p.unsigned_rhs = bits & 8;
  p.chained = (bits & 48) == 0 && tsr_elem_bits(p.elem) == 16;
  p.m = power(32, 256);
  p.n = power(8, p.m == 256 ? 64 : 256);
  p.k = power(8, p.chained ? 64 : 128);
  p.tiles = 1 + bits / 64 % 7;
  if (bits / 512 % 4 == 0) p.warps = 4u << bits / 2048 % 3;
  while (p.m * p.k * p.tiles > ROOM || p.n * p.k * p.tiles > ROOM) p.tiles--;
  return p;
}

static void check_random(uint32_t from, uint32_t count) {
  engine_target = gpu_find_target("sm_90a");
  for (uint32_t seed = from; seed < from + count; seed++) {
    product p = random_product(seed);
    engine_schedule = seed % 3 ? EMU_ADVERSARIAL : EMU_RR;
    check(&p);
  }
}

static void test_random(void **unused) {
  (void)unused;
  check_random(1, 12);
}

/* ---- kernels -------------------------------------------------------------------------------- */

static char *read_kernels(arena *memory, const char *name) {
  char path[256];
  snprintf(path, sizeof path, "kernels/%s.mlir", name);
  FILE *f = fopen(path, "r");
  sbuf t = SBUF(memory);
  char line[4096];
  if (!f) fail_msg("cannot read %s", path);
  while (fgets(line, sizeof line, f)) sbuf_puts(&t, line);
  fclose(f);
  return t.data;
}

/* A kernel of kernels/ with the interpreter's result `size` bytes from `want` on. Integers and
 * quarters: exact; attention's probabilities are not, and its results may differ by `slack`. */
static void check_kernel(const char *file, const char *kernel, run_grid grid, uint64_t *args,
                         unsigned result, size_t size, float slack, bool bulk) {
  arena memory;
  run_log log;
  tsr_context *ctx = tsr_context_create(NULL);
  arena_init(&memory, ctx);
  char *text = read_kernels(&memory, file);
  memset(want, 0, size);
  memset(got, 0, size);
  engine_target = gpu_find_target("sm_90a");
  engine_schedule = EMU_ADVERSARIAL;
  engine_bulk = bulk;
  args[result] = ARG_ADDRESS(want);
  if (!run_program_on(run_interp, text, kernel, grid, args, &log)) fail_msg("%s", log.diagnostics);
  args[result] = ARG_ADDRESS(got);
  if (!run_program_on(run_gpu, text, kernel, grid, args, &log)) fail_msg("%s", log.diagnostics);
  for (size_t i = 0; i < size / 2; i++) {
    uint32_t x = (uint32_t)((uint16_t *)got)[i] << 16, y = (uint32_t)((uint16_t *)want)[i] << 16;
    float gave, wanted;
    memcpy(&gave, &x, sizeof gave);
    memcpy(&wanted, &y, sizeof wanted);
    if (x != y && !(slack > 0 && gave - wanted <= slack && wanted - gave <= slack))
      fail_msg("%s, half word %zu: %08x, expected %08x", kernel, i, x, y);
  }
  arena_free(&memory);
  tsr_context_destroy(ctx);
}

static void print_counters(const counters *c) {
  arena memory;
  tsr_context *ctx = tsr_context_create(NULL);
  arena_init(&memory, ctx);
  sbuf table = SBUF(&memory);
  counters_table(c, card_named("h200"), false, &table);
  const char *lines = memmem(table.data, table.len, "\n\n", 2); /* each, which is too much here */
  printf("%.*s\n", (int)(lines ? (size_t)(lines - table.data) : table.len), table.data);
  arena_free(&memory);
  tsr_context_destroy(ctx);
}

/* What kernels ask of an H200: bench/results/gpu-backend-notes.md has the figures. */
static void count_kernel(const char *file, const char *kernel, run_grid grid, uint64_t *args) {
  static const struct {
    const char *target, *form;
    bool bulk, clusters;
  } forms[] = {
      {"sm_80", "sm_80", false, false},
      {"sm_90a", "sm_90a without tensor maps", false, false},
      {"sm_90a", "sm_90a with tensor maps", true, false},
      {"sm_90a", "sm_90a with tensor maps, in clusters if it has such a form", true, true}};
  arena memory;
  run_log log;
  tsr_context *ctx = tsr_context_create(NULL);
  arena_init(&memory, ctx);
  for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
    engine_target = gpu_find_target(forms[i].target);
    engine_bulk = forms[i].bulk;
    engine_clusters = forms[i].clusters;
    puts(forms[i].form);
    run_program_on(run_gpu, read_kernels(&memory, file), kernel, grid, args, &log);
  }
  arena_free(&memory);
  tsr_context_destroy(ctx);
}

static int count_kernels(void) {
  enum { SIZE = 512, HEADS = 2, HEAD = 128 };
  static _Alignas(128) uint8_t x[SIZE * SIZE * 2], y[SIZE * SIZE * 2], z[SIZE * SIZE * 2];
  static _Alignas(128) float c[SIZE * SIZE];
  engine_count = print_counters;
  state = 3;
  fill(x, TSR_BF16, SIZE * SIZE);
  fill(y, TSR_BF16, SIZE * SIZE);
  fill(z, TSR_BF16, SIZE * SIZE);
  uint64_t gemm[] = {ARG_ADDRESS(x), ARG_ADDRESS(y), ARG_ADDRESS(c), SIZE, SIZE, SIZE};
  count_kernel("gemm", "gemm_bf16_128x128x64", (run_grid){SIZE / 128, SIZE / 128, 1}, gemm);
  count_kernel("gemm_tiles", "gemm_bf16_128x256x64", (run_grid){SIZE / 128, SIZE / 256, 1}, gemm);
  uint64_t attention[] = {ARG_ADDRESS(x),
                          ARG_ADDRESS(y),
                          ARG_ADDRESS(z),
                          ARG_ADDRESS(c),
                          SIZE,
                          SIZE,
                          HEADS,
                          1,
                          ARG_F32(0.125f),
                          0};
  count_kernel("attention", "attention_bf16_128", (run_grid){SIZE / 64, HEADS, 1}, attention);
  count_kernel("attention_wide", "attention_bf16_128_128x64", (run_grid){SIZE / 128, HEADS, 1},
               attention);
  return 0;
}

static void test_gemm_kernels(void **unused) {
  (void)unused;
  static const struct {
    const char *kernel;
    tsr_elem elem;
  } kernels[] = {{"gemm_bf16_128x128x64", TSR_BF16},
                 {"gemm_f8E4M3FN_128x128x64", TSR_F8E4M3FN},
                 {"gemm_u8s8_128x128x64", TSR_I8}};
  enum { M = 130, N = 136, K = 72 }; /* what sticks out of tiles is padding */
  for (size_t i = 0; i < ARRAY_LEN(kernels); i++) {
    state = 7;
    fill(a, kernels[i].elem, M * K);
    fill(b, kernels[i].elem, K * N);
    uint64_t args[] = {ARG_ADDRESS(a), ARG_ADDRESS(b), 0, M, N, K};
    check_kernel("gemm", kernels[i].kernel, (run_grid){2, 2, 1}, args, 2, M * N * 4, 0, i % 2 == 0);
    assert_null(strstr(engine_ptx, "st.shared.b8")); /* they go there as words along k */
  }
}

/* Whether threads of a kernel's form with tensor maps load from memory. */
static bool loads_in_form(const char *kernel) {
  char name[128];
  snprintf(name, sizeof name, ".entry %s$tma(", kernel);
  const char *begin = strstr(engine_ptx, name);
  assert_non_null(begin);
  const char *end = strstr(begin, "\n}\n");
  return memmem(begin, (size_t)(end - begin), "ld.global", 9) != NULL;
}

/* Elements of 8 and 32 bits across k, which no wgmma reads, are copied ahead as others are, and
 * turned where they lie: of B nothing is loaded by threads, with tensor maps and without. */
static void test_turned_in_place(void **unused) {
  (void)unused;
  static const struct {
    const char *kernel;
    tsr_elem elem;
  } kernels[] = {{"gemm_f8E4M3FN_128x128x64", TSR_F8E4M3FN}, {"gemm_tf32_128x128x64", TSR_TF32}};
  enum { M = 130, N = 144, K = 208 };
  for (size_t i = 0; i < ARRAY_LEN(kernels); i++) {
    state = 11;
    fill(a, kernels[i].elem, M * K);
    fill(b, kernels[i].elem, K * N);
    for (unsigned bulk = 0; bulk < 2; bulk++) {
      uint64_t args[] = {ARG_ADDRESS(a), ARG_ADDRESS(b), 0, M, N, K};
      check_kernel("gemm", kernels[i].kernel, (run_grid){2, 2, 1}, args, 2, M * N * 4, 0, bulk);
      assert_int_equal(engine_took_bulk, bulk);
      assert_non_null(strstr(engine_ptx, "wgmma"));
      if (bulk) assert_false(loads_in_form(kernels[i].kernel));
    }
  }
}

static void test_attention_kernel(void **unused) {
  (void)unused;
  enum { TOKENS = 80, HEAD = 64 };
  static _Alignas(128) uint8_t v[ROOM];
  state = 9;
  fill(a, TSR_BF16, TOKENS * HEAD);
  fill(b, TSR_BF16, TOKENS * HEAD);
  fill(v, TSR_BF16, TOKENS * HEAD);
  uint64_t args[] = {
      ARG_ADDRESS(a), ARG_ADDRESS(b), ARG_ADDRESS(v), 0, TOKENS, TOKENS, 1, 1, ARG_F32(0.125f), 1};
  for (unsigned bulk = 0; bulk < 2; bulk++) {
    check_kernel("attention", "attention_bf16_64", (run_grid){2, 1, 1}, args, 3, TOKENS * HEAD * 2,
                 1.0f / 64, bulk);
    assert_int_equal(engine_took_bulk, bulk);
  }
  assert_non_null(strstr(engine_ptx, "wgmma"));
}

/* Two blocks of attention share a multiprocessor: its registers, and its 228 KiB of shared memory,
 * of which each block takes 1 KiB more than its own. */
static void test_two_blocks(void **unused) {
  (void)unused;
  arena memory;
  tsr_context *ctx = tsr_context_create(NULL);
  arena_init(&memory, ctx);
  char *text = read_kernels(&memory, "attention");
  ir_module *m = tsr_module_parse(ctx, text, strlen(text), "attention.mlir", TSR_PARSE_DEFAULT);
  assert_true(m && ir_verify(m));
  nvptx_result code = {.text = SBUF(&memory)};
  nvptx_options options = {.target = gpu_find_target("sm_90a")};
  m->level = 0;
  assert_true(nvptx_llvm.emit(ctx, m, NVPTX_PTX, &options, &code));
  unsigned found = 0;
  for (uint32_t i = 0; i < code.n_entries; i++) {
    const nvptx_entry *bulk = code.entries[i].bulk;
    if (!bulk) continue;
    assert_int_equal(bulk->threads, 256);
    assert_true(2 * (bulk->shared_bytes + bulk->static_bytes + 1024) <= options.target->shared_sm);
    found++;
  }
  assert_int_equal(found, 2);
  assert_non_null(strstr(code.text.data, ".maxnreg 128"));
  tsr_module_destroy(m);
  arena_free(&memory);
  tsr_context_destroy(ctx);
}

/* ---- otherwise ------------------------------------------------------------------------------ */

/* Too small, of a type without, in batches, or on another architecture. */
static void test_fallbacks(void **unused) {
  (void)unused;
  static const product products[] = {
      {.elem = TSR_F16, .sum = TSR_F32, .m = 32, .n = 64, .k = 32, .tiles = 1},
      {.elem = TSR_F16, .sum = TSR_F32, .m = 64, .n = 64, .k = 8, .tiles = 1},
      {.elem = TSR_F32, .sum = TSR_F32, .m = 64, .n = 16, .k = 16, .tiles = 1},
      {.elem = TSR_F64, .sum = TSR_F64, .m = 64, .n = 16, .k = 16, .tiles = 1},
  };
  check_all(products, 3);
  engine_target = gpu_find_target("sm_80");
  product p = {.elem = TSR_F16, .sum = TSR_F32, .m = 64, .n = 64, .k = 32, .tiles = 2};
  check(&p);
}

int main(int n, char **arguments) {
  if (n > 1 && strcmp(arguments[1], "counters") == 0) return count_kernels();
  if (n > 2) {
    check_random((uint32_t)atoi(arguments[1]), (uint32_t)atoi(arguments[2]));
    return 0;
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_types),
      cmocka_unit_test(test_shapes),
      cmocka_unit_test(test_turned),
      cmocka_unit_test(test_registers),
      cmocka_unit_test(test_fallbacks),
      cmocka_unit_test(test_random),
      cmocka_unit_test(test_gemm_kernels),
      cmocka_unit_test(test_turned_in_place),
      cmocka_unit_test(test_attention_kernel),
      cmocka_unit_test(test_two_blocks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
