/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Kernels with a producer (simt/nvidia/bulk.h) on the emulated sm_90a beside the interpreter, with
 * all checks on: that they are taken where they can be, and only there; that stages are used again
 * and again; that what lies outside of a tensor is zero. And the tensor maps that a launch makes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gpu_engine.h"
#include "ir/verify.h"

enum { M = 64, N = 32, MOST_K = 512, PAD = 8 };

static _Alignas(128) uint16_t a[M * MOST_K + PAD], b[MOST_K * N + PAD];
static float want[4 * M * N], got[4 * M * N];

/* ---- the kernel ----------------------------------------------------------------------------- */

/* C = A B for A [64, k] and B [k, 32] of f16, with pieces of the text to be replaced. */
typedef struct text {
  const char *before;  /* in front of the loop */
  const char *from;    /* the first tile along k */
  const char *padding; /* of A's tiles */
  const char *inside;  /* at the begin of the body, with %k */
  const char *b_view;  /* NULL: row-major */
  bool twice;          /* in a loop around, which adds up */
  bool in_if;
} text;

#define A_VIEW  "tensor_view<64x?xf16, strides=[?,1]>"
#define B_VIEW  "tensor_view<?x32xf16, strides=[?,1]>"
#define C_VIEW  "tensor_view<?xf32, strides=[1]>"
#define B_TILES "partition_view<tile=(32x32), padding_value = zero, " B_VIEW ">"

static char *kernel_of(arena *memory, const text *x) {
  sbuf t = SBUF(memory);
  char tiles[128];
  snprintf(tiles, sizeof tiles, "partition_view<tile=(64x32), %s" A_VIEW ">",
           x->padding ? x->padding : "padding_value = zero, ");
  sbuf_puts(&t, "cuda_tile.module @m { entry @k(%a: tile<ptr<f16>>, %b: tile<ptr<f16>>, "
                "%c: tile<ptr<f32>>, %size: tile<i32>, %row: tile<i32>, %n: tile<i32>) {\n");
  sbuf_puts(&t, "%a_v = make_tensor_view %a, shape = [64, %size], strides = [%row, 1] : tile<i32> "
                "-> " A_VIEW "\n"
                "%one = constant <i32: 1> : tile<i32>\n%zero = constant <i32: 0> : tile<i32>\n"
                "%width = constant <i32: 32> : tile<i32>\n"
                "%wide = muli %width, %one : tile<i32>\n"
                "%b_v = make_tensor_view %b, shape = [%size, 32], strides = [%wide, 1] : tile<i32> "
                "-> " B_VIEW "\n");
  sbuf_printf(&t, "%%a_p = make_partition_view %%a_v : %s\n", tiles);
  sbuf_puts(&t, "%b_p = make_partition_view %b_v : " B_TILES "\n"
                "%c_v = make_tensor_view %c, shape = [8192], strides = [1] : "
                "tensor_view<8192xf32, strides=[1]>\n"
                "%c_p = make_partition_view %c_v : partition_view<tile=(2048), "
                "tensor_view<8192xf32, strides=[1]>>\n"
                "%bx, %by, %bz = get_tile_block_id : tile<i32>\n"
                "%none = constant <f32: 0.0> : tile<64x32xf32>\n");
  sbuf_printf(&t, "%s", x->before ? x->before : "");
  sbuf_printf(&t, "%%from = constant <i32: %s> : tile<i32>\n", x->from ? x->from : "0");
  if (x->twice)
    sbuf_puts(&t, "%two = constant <i32: 2> : tile<i32>\n"
                  "%r = for %again in (%zero to %two, step %one) : tile<i32> "
                  "iter_values(%start = %none) -> (tile<64x32xf32>) {\n");
  if (x->in_if)
    sbuf_puts(&t, "%yes = cmpi greater_than %n, %zero, signed : tile<i32> -> tile<i1>\n"
                  "%r = if %yes -> (tile<64x32xf32>) {\n");
  bool nested = x->twice || x->in_if;
  sbuf_printf(&t,
              "%%%s = for %%k in (%%from to %%n, step %%one) : tile<i32> iter_values(%%acc = %s) "
              "-> (tile<64x32xf32>) {\n%s",
              nested ? "inner" : "r", x->twice ? "%start" : "%none", x->inside ? x->inside : "");
  sbuf_printf(&t,
              "%%x, %%t0 = load_view_tko weak %%a_p[%%zero, %%k] : %s, tile<i32> -> "
              "tile<64x32xf16>, token\n",
              tiles);
  sbuf_puts(&t, "%y, %t1 = load_view_tko weak %b_p[%k, %zero] : " B_TILES ", tile<i32> -> "
                "tile<32x32xf16>, token\n"
                "%s = mmaf %x, %y, %acc : tile<64x32xf16>, tile<32x32xf16>, tile<64x32xf32>\n"
                "continue %s : tile<64x32xf32>\n}\n");
  if (x->twice) sbuf_puts(&t, "continue %inner : tile<64x32xf32>\n}\n");
  if (x->in_if)
    sbuf_puts(&t, "yield %inner : tile<64x32xf32>\n} else {\nyield %none : tile<64x32xf32>\n}\n");
  sbuf_puts(&t, "%flat = reshape %r : tile<64x32xf32> -> tile<2048xf32>\n"
                "%t9 = store_view_tko weak %flat, %c_p[%bx] : tile<2048xf32>, "
                "partition_view<tile=(2048), tensor_view<8192xf32, strides=[1]>>, tile<i32> -> "
                "token\n}\n}\n");
  return t.data;
}

/* Eighths, whose products and sums f32 holds exactly. */
static void fill(uint16_t *x, size_t n) {
  static const uint16_t values[] = {0x3c00, 0xb800, 0x0000, 0x3400, 0xbc00, 0x3000, 0x3800, 0xb400};
  for (size_t i = 0; i < n; i++) x[i] = values[(i * 2654435761u >> 7) % ARRAY_LEN(values)];
}

typedef struct shape {
  int32_t size, row; /* of A: elements of k, from a row to the next */
  int32_t tiles;     /* that the loop goes to */
  unsigned a_shift;  /* elements */
} shape;

/* Runs it both ways; whether a producer took part. */
static bool runs(const text *x, shape s) {
  arena memory;
  run_log log;
  tsr_context *ctx = tsr_context_create(NULL);
  arena_init(&memory, ctx);
  char *kernel = kernel_of(&memory, x);
  run_grid grid = {3, 1, 1};
  fill(a, ARRAY_LEN(a));
  fill(b, ARRAY_LEN(b));
  memset(want, 0, sizeof want);
  memset(got, 0, sizeof got);
  uint64_t args[] = {ARG_ADDRESS(a + s.a_shift), ARG_ADDRESS(b),  ARG_ADDRESS(want),
                     (uint32_t)s.size,           (uint32_t)s.row, (uint32_t)s.tiles};
  engine_target = gpu_find_target("sm_90a");
  engine_schedule = EMU_ADVERSARIAL;
  if (!run_program_on(run_interp, kernel, "k", grid, args, &log))
    fail_msg("interp: %s\n%s", log.diagnostics, kernel);
  args[2] = ARG_ADDRESS(got);
  if (!run_program_on(run_gpu, kernel, "k", grid, args, &log))
    fail_msg("sm_90a: %s\n%s", log.diagnostics, kernel);
  for (size_t i = 0; i < ARRAY_LEN(want); i++)
    if (memcmp(&want[i], &got[i], sizeof *want))
      fail_msg("element %zu is %g, expected %g\n%s", i, (double)got[i], (double)want[i], kernel);
  arena_free(&memory);
  tsr_context_destroy(ctx);
  return engine_took_bulk;
}

static const shape usual = {.size = 320, .row = 320, .tiles = 10};

/* ---- tests ---------------------------------------------------------------------------------- */

/* Ten iterations over four stages; a loop that continues in a later execution; none at all. */
static void test_stages(void **state) {
  (void)state;
  assert_true(runs(&(text){0}, usual));
  assert_non_null(strstr(engine_ptx, "cp.async.bulk.tensor.2d"));
  assert_non_null(strstr(engine_ptx, "setmaxnreg.dec.sync.aligned.u32 24"));
  assert_non_null(strstr(engine_ptx, "wgmma.mma_async"));
  assert_true(runs(&(text){.twice = true}, usual));
  assert_true(runs(&(text){0}, (shape){.size = 320, .row = 320, .tiles = 0}));
  assert_true(runs(&(text){.from = "3"}, usual));
}

/* Parts of tiles, whole tiles, and tiles at coordinates beyond 32 bits lie outside. */
static void test_outside(void **state) {
  (void)state;
  assert_true(runs(&(text){0}, (shape){.size = 300, .row = 320, .tiles = 10}));
  assert_true(runs(&(text){0}, (shape){.size = 64, .row = 64, .tiles = 6}));
  assert_true(runs(&(text){.from = "-3"}, (shape){.size = 64, .row = 64, .tiles = 2}));
}

/* What maps cannot describe is found at the launch. */
static void test_launches_without(void **state) {
  (void)state;
  assert_false(runs(&(text){0}, (shape){.size = 300, .row = 300, .tiles = 10}));
  assert_false(runs(&(text){0}, (shape){.size = 300, .row = 320, .tiles = 10, .a_shift = 3}));
  assert_false(runs(&(text){0}, (shape){.size = 0, .row = 320, .tiles = 1}));
}

/* What a producer must not, or cannot, do is found by the compiler. */
static void test_kernels_without(void **state) {
  (void)state;
  static const char store[] = "%one_f = constant <f32: 1.0> : tile<2048xf32>\n"
                              "%t8 = store_view_tko weak %one_f, %c_p[%bx] : tile<2048xf32>, "
                              "partition_view<tile=(2048), tensor_view<8192xf32, strides=[1]>>, "
                              "tile<i32> -> token\n";
  const text texts[] = {
      {.before = store},
      {.inside = store},
      {.in_if = true},
      {.padding = "padding_value = nan, "},
      {.padding = "padding_value = neg_zero, "},
  };
  for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
    assert_false(runs(&texts[i], usual));
    if (strstr(engine_ptx, "cp.async.bulk")) fail_msg("text %zu has a producer", i);
  }
}

/* ---- tensor maps ---------------------------------------------------------------------------- */

/* %k for sm_90a, as `options` has it. */
static ir_module *compile(tsr_context *ctx, nvptx_options options, nvptx_result *out) {
  char *kernel = kernel_of(out->text.arena, &(text){0});
  ir_module *m = tsr_module_parse(ctx, kernel, strlen(kernel), "test.mlir", TSR_PARSE_DEFAULT);
  assert_true(m && ir_verify(m));
  options.target = gpu_find_target("sm_90a");
  m->level = 0;
  assert_true(nvptx_llvm.emit(ctx, m, NVPTX_PTX, &options, out));
  return m;
}

/* The numbers that a launcher of %k gets; false when it launches the kernel without. */
static bool tensors_of(const uint64_t *words, rt_tensor *tensors) {
  arena memory;
  run_log log;
  tsr_context *ctx = run_context(&log);
  arena_init(&memory, ctx);
  nvptx_result code = {.text = SBUF(&memory)};
  ir_module *m = compile(ctx, (nvptx_options){0}, &code);
  const nvptx_entry *e = &code.entries[0];
  assert_non_null(e->bulk);
  assert_int_equal(e->n_maps, 0);
  assert_int_equal(e->bulk->n_maps, 2);
  assert_int_equal(e->bulk->threads, 256);
  bool bulk =
      rt_choose_entry(e, words, (uint32_t[]){1, 1, 1}, true, tensors, &(uint32_t){0}) == e->bulk;
  tsr_module_destroy(m);
  arena_free(&memory);
  tsr_context_destroy(ctx);
  return bulk;
}

static void test_maps(void **state) {
  (void)state;
  rt_tensor t[RT_MOST_TENSORS];
  uint64_t words[] = {0x700000010, 0x700001000, 0, 300, 320, 10};
  assert_true(tensors_of(words, t));
  assert_true(t[0].address == 0x700000010 && t[1].address == 0x700001000);
  assert_true(t[0].rank == 2 && t[0].elem_bytes == 2 && t[0].swizzle == 64);
  assert_true(t[0].dims[0] == 300 && t[0].dims[1] == 64 && t[0].strides[0] == 640);
  assert_true(t[0].box[0] == 32 && t[0].box[1] == 64);
  assert_true(t[1].dims[0] == 32 && t[1].dims[1] == 300 && t[1].strides[0] == 64);
  assert_true(t[1].box[0] == 32 && t[1].box[1] == 32);
  static const struct {
    unsigned word;
    uint64_t value;
  } wrong[] = {{0, 0x700000008},                /* the address is no multiple of 16 */
               {0, 0},                          /* there is no memory */
               {3, 0},                          /* a side is empty */
               {3, SIMT_MAP_MOST_ELEMENTS + 1}, /* or too long */
               {4, 324},                        /* the stride is 648 bytes */
               {4, 0}};
  for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
    uint64_t changed[ARRAY_LEN(words)];
    memcpy(changed, words, sizeof changed);
    changed[wrong[i].word] = wrong[i].value;
    if (tensors_of(changed, t)) fail_msg("launch %zu has tensor maps", i);
  }
}

/* ---- launchers ------------------------------------------------------------------------------ */

/* Gives the text of both forms. */
static void forms_of(nvptx_options options, arena *memory, char **plain, char **bulk) {
  run_log log;
  tsr_context *ctx = run_context(&log);
  nvptx_result code = {.text = SBUF(memory)};
  ir_module *m = compile(ctx, options, &code);
  *plain = strstr(code.text.data, ".entry k(");
  *bulk = strstr(code.text.data, ".entry k$tma(");
  assert_true(*plain && *bulk && *plain < *bulk);
  (*bulk)[-1] = 0;
  tsr_module_destroy(m);
  tsr_context_destroy(ctx);
}

/* Whoever takes tensor maps where they can be made needs no pipeline where they cannot. */
static void test_prefers_bulk(void **state) {
  (void)state;
  arena memory;
  char *plain, *bulk, *unstaged, *same;
  tsr_context *ctx = tsr_context_create(NULL);
  arena_init(&memory, ctx);
  forms_of((nvptx_options){0}, &memory, &plain, &bulk);
  forms_of((nvptx_options){.prefers_bulk = true}, &memory, &unstaged, &same);
  assert_non_null(strstr(plain, "cp.async"));
  assert_null(strstr(unstaged, "cp.async"));
  assert_string_equal(bulk, same);
  arena_free(&memory);
  tsr_context_destroy(ctx);
}

/* Each form by a thread of its own, or one after the other. */
static void test_threads(void **state) {
  (void)state;
  arena memory;
  char *plain[2], *bulk[2];
  tsr_context *ctx = tsr_context_create(NULL);
  arena_init(&memory, ctx);
  for (unsigned i = 0; i < 2; i++)
    forms_of((nvptx_options){.threads = 1 + 3 * i}, &memory, &plain[i], &bulk[i]);
  assert_string_equal(plain[0], plain[1]);
  assert_string_equal(bulk[0], bulk[1]);
  arena_free(&memory);
  tsr_context_destroy(ctx);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_stages),
      cmocka_unit_test(test_outside),
      cmocka_unit_test(test_launches_without),
      cmocka_unit_test(test_kernels_without),
      cmocka_unit_test(test_maps),
      cmocka_unit_test(test_prefers_bulk),
      cmocka_unit_test(test_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
