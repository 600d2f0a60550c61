/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The notation, the printers, memory layouts and the named fragments.
 */
#include "test_layout.h"

static char last_error[4096];

static void on_diagnostic(void *user, const tsr_diagnostic *d) {
  (void)user;
  tsr_diagnostic_format(d, false, last_error, sizeof last_error);
}

static tsr_context *ctx;

static int setup(void **state) {
  (void)state;
  tsr_context_options options = {.struct_size = sizeof options, .on_diagnostic = on_diagnostic};
  ctx = tsr_context_create(&options);
  return ctx == NULL;
}

static int teardown(void **state) {
  (void)state;
  tsr_context_destroy(ctx);
  return 0;
}

static tsr_layout_value parse(const char *text) {
  tsr_layout_value v;
  last_error[0] = 0;
  if (tsr_layout_parse(ctx, NULL, text, strlen(text), &v) != TSR_OK) fail_msg("%s", last_error);
  return v;
}

static const char *print(const tsr_layout_value *v, tsr_layout_format format, int32_t warp) {
  static char text[1 << 16];
  tsr_layout_print_options options = {sizeof options, format, warp, false};
  size_t n = tsr_layout_print(v, &options, text, sizeof text);
  assert_true(n < sizeof text);
  assert_int_equal(strlen(text), n);
  return text;
}

static void expect(const char *text, tsr_layout_format format, int32_t warp, const char *want) {
  tsr_layout_value v = parse(text);
  assert_string_equal(print(&v, format, warp), want);
}

static void same(const char *a, const char *b) {
  tsr_layout_value x = parse(a), y = parse(b);
  if (!tsr_layout_equal(&x.layout, &y.layout)) {
    print_message("%s\n", print(&x, TSR_FORMAT_TILUS, 0));
    fail_msg("%s is not %s, but %s", a, b, print(&y, TSR_FORMAT_TILUS, 0));
  }
}

static void wrong(const char *text, const char *want) {
  tsr_layout_value v;
  last_error[0] = 0;
  assert_int_equal(tsr_layout_parse(ctx, NULL, text, strlen(text), &v), TSR_ERROR_INPUT);
  if (!strstr(last_error, want)) fail_msg("expected\n%s\nin\n%s", want, last_error);
}

/* ---- the Tilus guide's printed lines and tables --------------------------------------------- */

static void test_tilus_lines(void **state) {
  (void)state;
  expect("local(3,4).spatial(2,3)", TSR_FORMAT_TILUS, 0,
         "RegisterLayout(shape=[6, 12], mode_shape=[3, 2, 4, 3], spatial_modes=[1, 3], "
         "local_modes=[0, 2])");
  expect("spatial(2,3).local(3,4)", TSR_FORMAT_TILUS, 0,
         "RegisterLayout(shape=[6, 12], mode_shape=[2, 3, 3, 4], spatial_modes=[0, 2], "
         "local_modes=[1, 3])");
  expect("repeat(2, 1).spatial(8, 4).repeat(1, 2)", TSR_FORMAT_TILUS, 0,
         "RegisterLayout(shape=[16, 8], mode_shape=[2, 8, 4, 2], spatial_modes=[1, 2], "
         "local_modes=[0, 3])");
  expect("reduce(spatial(3,4), dims=[0])", TSR_FORMAT_TILUS, 0,
         "RegisterLayout(shape=[4], mode_shape=[4], spatial_modes=[-3, 0], local_modes=[])");
}

static void test_tilus_tables(void **state) {
  (void)state;
  /* As the guide prints local(3, 4). */
  expect("local(3, 4)", TSR_FORMAT_TABLE, 0,
         "RegisterLayout(shape=[3, 4], mode_shape=[3, 4], spatial_modes=[], local_modes=[0, 1])\n"
         "┌──────┬──────┬───────┬───────┐\n"
         "│ 0: 0 │ 0: 1 │ 0: 2  │ 0: 3  │\n"
         "├──────┼──────┼───────┼───────┤\n"
         "│ 0: 4 │ 0: 5 │ 0: 6  │ 0: 7  │\n"
         "├──────┼──────┼───────┼───────┤\n"
         "│ 0: 8 │ 0: 9 │ 0: 10 │ 0: 11 │\n"
         "└──────┴──────┴───────┴───────┘");
  /* T 7 writes its cells "[0,4,8]:0"; the tool prints lists with spaces, as here. */
  expect("reduce(spatial(3,4), dims=[0])", TSR_FORMAT_TABLE, 0,
         "RegisterLayout(shape=[4], mode_shape=[4], spatial_modes=[-3, 0], local_modes=[])\n"
         "┌──────────────┬──────────────┬───────────────┬───────────────┐\n"
         "│ [0, 4, 8]: 0 │ [1, 5, 9]: 0 │ [2, 6, 10]: 0 │ [3, 7, 11]: 0 │\n"
         "└──────────────┴──────────────┴───────────────┴───────────────┘");
  expect("column_spatial(2,3)", TSR_FORMAT_TABLE, 0,
         "RegisterLayout(shape=[2, 3], mode_shape=[2, 3], spatial_modes=[1, 0], local_modes=[])\n"
         "┌──────┬──────┬──────┐\n"
         "│ 0: 0 │ 2: 0 │ 4: 0 │\n"
         "├──────┼──────┼──────┤\n"
         "│ 1: 0 │ 3: 0 │ 5: 0 │\n"
         "└──────┴──────┴──────┘");
  /* Three dimensions are a table per plane. */
  expect(
      "spatial(2, 1, 2)", TSR_FORMAT_TABLE, 0,
      "RegisterLayout(shape=[2, 1, 2], mode_shape=[2, 2], spatial_modes=[0, 1], local_modes=[])\n"
      "┌──────┬──────┐\n│ 0: 0 │ 1: 0 │\n└──────┴──────┘\n"
      "┌──────┬──────┐\n│ 2: 0 │ 3: 0 │\n└──────┴──────┘");
  tsr_layout_value v = parse("local(2,3)");
  tsr_layout_print_options options = {sizeof options, TSR_FORMAT_TABLE, 0, true};
  char text[4096], small[40];
  size_t n = tsr_layout_print(&v, &options, text, sizeof text);
  assert_non_null(strstr(text, "\033[30;48;5;153m 0: 0 \033[0m"));
  assert_int_equal(tsr_layout_print(&v, &options, small, sizeof small), n);
  assert_memory_equal(small, text, sizeof small - 1);
  assert_int_equal(tsr_layout_print(&v, &options, NULL, 0), n);
  v = parse("local(1024, 1024)");
  assert_non_null(strstr(print(&v, TSR_FORMAT_TABLE, 0), "is not drawn"));
}

/* ---- reading -------------------------------------------------------------------------------- */

static void test_expressions(void **state) {
  (void)state;
  same("spatial(2, 3) * local(3, 4)", "spatial(2, 3).local(3, 4)");
  same("local(3,4).spatial(2,3) / spatial(2,3)", "local(3, 4)");
  same("divide(local(3,4).spatial(2,3), spatial(2,3))", "local(3, 4)");
  same("left_divide(local(3,4).spatial(2,3), local(3, 4))", "spatial(2,3)");
  same("compose(local(2), (spatial(3)))", "local(2).spatial(3)");
  same("local(2).compose(spatial(3))", "local(2).spatial(3)");
  same("concat(local(2), spatial(3))", "local(2, 1).spatial(1, 3)");
  same("spatial([2, 3], ranks=[1, 0])", "column_spatial(2, 3)");
  same("local((2, 3))", "local(2, 3)");
  same("permute(local(2).spatial(3).unsqueeze(0), dims=[1, 0])", "local(2, 1).spatial(3, 1)");
  same("spatial(2, 6).reshape(2, 3, 2)", "spatial(2, 3, 2)");
  same("spatial(2, 6).flatten()", "spatial(12)");
  same("spatial(2, 6, 2).flatten(1)", "spatial(2, 12)");
  same("spatial(2, 1, 6).squeeze(1)", "spatial(2, 6)");
  same("reduce(spatial(3,4), dims=[0], keepdims=True)", "spatial(3,4).reduce_to([1, 4])");
  same("replicated(1, num_workers=3).spatial(4)", "reduce(spatial(3,4), dims=[0])");
  same("auto_local_spatial(128, shape=[64, 8])", "local(4, 1).spatial(16, 8)");
  same("auto_local_spatial(num_threads=128, shape=(64, 8))", "local(4, 1).spatial(16, 8)");
  same("RegisterLayout(shape=[4, 6], mode_shape=[2, 2, 3, 2], spatial_modes=[0, 2], "
       "local_modes=[3, 1])",
       "spatial(2, 3).column_local(2, 2)");
}

static void test_reading_encodings(void **state) {
  (void)state;
  const char *gemm = "encoding(Rs=[], Hs=[[4, 2, 8, 4], [4, 2, 8, 4]], Ps=[[(1, 1), (2, 1)], "
                     "[(1, 2), (2, 2)]], Ys=[(1, 0), (1, 3), (2, 0), (2, 3)])";
  expect(gemm, TSR_FORMAT_CK, 0, gemm);
  expect(gemm, TSR_FORMAT_TILUS, 0,
         "RegisterLayout(shape=[256, 256], mode_shape=[4, 2, 8, 4, 4, 2, 8, 4], "
         "spatial_modes=[1, 5, 2, 6], local_modes=[0, 3, 4, 7])");
  const char *copies = "encoding(Rs=[3], Hs=[[4]], Ps=[[(0, 0), (1, 0)]], Ys=[])";
  expect("reduce(spatial(3,4), dims=[0])", TSR_FORMAT_CK, 0, copies);
  same(copies, "reduce(spatial(3,4), dims=[0])");
  expect("local(3,4).spatial(2,3)", TSR_FORMAT_CK, 0,
         "encoding(Rs=[], Hs=[[3, 2], [4, 3]], Ps=[[(1, 1), (2, 1)]], Ys=[(1, 0), (2, 0)])");
  expect("spatial(16, 16)", TSR_FORMAT_CK, 64,
         "encoding(Rs=[], Hs=[[4, 4], [16]], Ps=[[(1, 0)], [(1, 1), (2, 0)]], Ys=[])");
  same("warp_raked(256, 64, [64, 64], 8)",
       "encoding(Rs=[1], Hs=[[4, 2, 8], [8, 8]], Ps=[[(1, 0)], [(1, 2), (2, 0)]], "
       "Ys=[(1, 1), (2, 1)])");
}

/* CuTe's accumulator of SM80_16x8x16: ((4,8),(2,2)):((32,1),(16,8)). */
static void test_cute(void **state) {
  (void)state;
  same("tv(((4,8),(2,2)):((32,1),(16,8)), shape=[16, 8])", "mma.m16n8k16.C");
  expect("mma.m16n8k16.C", TSR_FORMAT_CUTE, 0, "tv(((4,8),(2,2)):((32,1),(16,8)), shape=[16, 8])");
  /* SM80_16x8x16 A: ((4,8),(2,2,2)):((32,1),(16,8,128)); B: ((4,8),(2,2)):((16,1),(8,64)) on [n, k]
   */
  expect("mma.m16n8k16.A", TSR_FORMAT_CUTE, 0,
         "tv(((4,8),(2,2,2)):((32,1),(16,8,128)), shape=[16, 16])");
  expect("mma.m16n8k16.B.permute(1, 0)", TSR_FORMAT_CUTE, 0,
         "tv(((4,8),(2,2)):((16,1),(8,64)), shape=[8, 16])");
  expect("(4,(2,4)):(2,(1,8))", TSR_FORMAT_CUTE, 0, "(4,(2,4)):(2,(1,8))");
  expect("Sw<3,4,3> o (8,64):(64,1)", TSR_FORMAT_CUTE, 0, "Sw<3,4,3> o (8,64):(64,1)");
  expect("12:1", TSR_FORMAT_CUTE, 0, "(12):(1)");
  expect("column_major(8, 4).swizzle(1, 0, 3)", TSR_FORMAT_CUTE, 0, "Sw<1,0,3> o (8,4):(1,8)");
  /* (4,(2,4)):(2,(1,8)): row i at 2 i; columns in pairs, pairs 8 apart. */
  tsr_layout_value v = parse("(4,(2,4)):(2,(1,8))");
  for (int32_t i = 0; i < 4; i++)
    for (int32_t j = 0; j < 8; j++) {
      int32_t index[2] = {i, j};
      assert_int_equal(tsr_memory_offset(&v.memory, index), 2 * i + j % 2 + j / 2 * 8);
    }
  assert_int_equal(tsr_memory_extent(&v.memory), 32);
  assert_string_equal(
      print(&v, TSR_FORMAT_JSON, 0),
      "{\"shape\": [4, 8], \"modes\": [[{\"size\": 4, \"stride\": 2}], [{\"size\": 4, "
      "\"stride\": 8}, {\"size\": 2, \"stride\": 1}]], \"offset\": 0, \"swizzle\": [0, 0, 0], "
      "\"extent\": 32}");
  v = parse("row_major(2, 3)");
  assert_string_equal(print(&v, TSR_FORMAT_TABLE, 0),
                      "(2,3):(3,1)\n┌───┬───┬───┐\n│ 0 │ 1 │ 2 │\n"
                      "├───┼───┼───┤\n│ 3 │ 4 │ 5 │\n└───┴───┴───┘");
  rng r = {21};
  for (int round = 0; round < 300; round++) {
    v.kind = TSR_LAYOUT_DISTRIBUTION;
    v.layout = random_layout(&r, 1 + rng_below(&r, 3), 6, false, true);
    static const tsr_layout_format formats[] = {TSR_FORMAT_TILUS, TSR_FORMAT_CK, TSR_FORMAT_CUTE};
    for (int k = 0; k < 3; k++) {
      char text[4000];
      snprintf(text, sizeof text, "%s", print(&v, formats[k], 0));
      tsr_layout_value back = parse(text);
      if (!tsr_layout_same_map(&v.layout, &back.layout)) fail_msg("%s", text);
    }
  }
}

static void test_linear_lines(void **state) {
  (void)state;
  expect("local(2,1).spatial(2,4).local(1,2)", TSR_FORMAT_LINEAR, 0,
         "slot        1 -> [0, 1]\n"
         "slot        2 -> [2, 0]\n"
         "worker      1 -> [0, 2]\n"
         "worker      2 -> [0, 4]\n"
         "worker      4 -> [1, 0]");
  expect("row_major(8, 8).swizzle(1, 0, 3)", TSR_FORMAT_LINEAR, 0,
         "[0, 1] -> offset 1\n[0, 2] -> offset 2\n[0, 4] -> offset 4\n"
         "[1, 0] -> offset 9 = 1 ^ 8\n[2, 0] -> offset 16\n[4, 0] -> offset 32");
  tsr_layout_value v = parse("spatial(3)");
  assert_non_null(strstr(print(&v, TSR_FORMAT_LINEAR, 0), "powers of two: shape [3]"));
  expect("reduce(spatial(3,4), dims=[0])", TSR_FORMAT_JSON, 0,
         "{\"shape\": [4], \"mode_shape\": [4], \"spatial_modes\": [-3, 0], \"local_modes\": [], "
         "\"workers\": 12, \"slots\": 1, \"copies\": 3}");
}

static void test_errors(void **state) {
  (void)state;
  wrong("spatial(2, 3).local(3, 4).divide(spatial(4, 3))",
        "layout:1:27: error: divide: shape [6, 12] is no composition with [4, 3] as the inner "
        "layout: a mode has another size (mode_shape [2, 3, 3, 4], divisor's [4, 3])\n"
        "  spatial(2, 3).local(3, 4).divide(spatial(4, 3))\n"
        "                            ^~~~~~");
  wrong("spatial(2, 6).reshape(3, 3)", "reshape: shape [2, 6] cannot become [3, 3]");
  wrong("(spatial(2) / local(2))", "1:13: error: shape [2] is no composition with [2]");
  wrong("spatial(2,", "expected a layout");
  wrong("spatial(2", "1:10: error: expected ')' or ',' after an argument");
  wrong("spatial(0)", "sizes are 1 or more");
  wrong("spatial(2, rank=[0])", "1:12: error: spatial has no argument 'rank'");
  wrong("local(2).flatten(0, 0, 3)", "1:24: error: flatten has no argument here");
  wrong("spatial(99999999999)", "larger than 2147483647");
  wrong("foo(3)", "no layout operation 'foo'");
  wrong("spatial(2).foo(3)", "1:12: error: no layout operation 'foo'");
  wrong("mma.m16n8k17.C", "no fragment 'mma.m16n8k17.C'");
  wrong("mma.m16n8k16", "no fragment 'mma.m16n8k16'");
  wrong("spatial(2) spatial(3)", "1:12: error: expected the end");
  wrong("", "expected a layout");
  wrong("(4,(2,4)):(2,1,8)", "1:11: error: the strides are not nested like the shape (4,(2,4))");
  wrong("(4,4):(1,4).flatten()", "works on distributions, not on memory layouts");
  wrong("Sw<4,0,3> o 16:1", "expected bits <= shift");
  wrong("tv((4,2):(1,8), shape=[8])", "mode 2:8 leaves a gap");
  wrong("encoding(Hs=[[2]], Ps=[[(1,0)]], Ys=[(1,0)])", "(1, 0) is mapped to twice");
  wrong("encoding(Hs=[[2]], Ps=[[(1,0,3)]])", "is a list of pairs");
  wrong("reduce(spatial(3, 4), dims=[2])", "reduce: dims [2] for a layout of shape [3, 4]");
  wrong("compose(local(2), local(2), local(2))", "no function takes more than two layouts");
  char deep[600];
  memset(deep, '(', sizeof deep);
  deep[sizeof deep - 1] = 0;
  wrong(deep, "nested more than 40 deep");
  deep[0] = 0;
  for (int i = 0; i < 30; i++) strcat(deep, "flatten(");
  wrong(deep, "calls are nested more than 16 deep");
  strcpy(deep, "spatial(");
  for (int i = 0; i < 60; i++) strcat(deep, "[");
  wrong(deep, "nested more than 40 deep");
  static char many[3000];
  strcpy(many, "spatial([");
  for (int i = 0; i < 600; i++) strcat(many, "1,");
  wrong(many, "more than 512 numbers");
  static char long_text[5000];
  memset(long_text, ' ', sizeof long_text - 1);
  wrong(long_text, "at most 4000 bytes");
}

/* ---- slices --------------------------------------------------------------------------------- */

static void test_slice_lines(void **state) {
  (void)state;
  expect("(4,(2,4)):(2,(1,8))[1:3, :]", TSR_FORMAT_CUTE, 0, "2 o (2,(2,4)):(2,(1,8))");
  expect("(4,(2,4)):(2,(1,8)) [ 1 : 3 , ( : , : ) ]", TSR_FORMAT_CUTE, 0,
         "2 o (2,(2,4)):(2,(1,8))");
  expect("(4,(2,4)):(2,(1,8))[:, (1, 2)]", TSR_FORMAT_CUTE, 0, "17 o (4):(2)");
  expect("(4,(2,4)):(2,(1,8))[3, (:, 1:3)]", TSR_FORMAT_CUTE, 0, "14 o ((2,2)):((1,8))");
  expect("(4,(2,4)):(2,(1,8))[:, 2:]", TSR_FORMAT_CUTE, 0, "8 o (4,(2,3)):(2,(1,8))");
  expect("(4,(2,4)):(2,(1,8))[:2, 5]", TSR_FORMAT_CUTE, 0, "17 o (2):(2)");
  expect("row_major(4, 4)[1, 2]", TSR_FORMAT_CUTE, 0, "6 o ():()");
  expect("(2,(2,(2,2))):(8,(1,(2,4)))[:, (:, (1, 0:2))]", TSR_FORMAT_CUTE, 0,
         "2 o (2,(2,2)):(8,(1,4))");
  expect("row_major(8, 8)[2:6, :][1:3, 4]", TSR_FORMAT_CUTE, 0, "28 o (2):(8)");
  expect("row_major(8, 8)[2:3, :].squeeze(0)", TSR_FORMAT_CUTE, 0, "16 o (8):(1)");
  expect("(Sw<2,0,2> o (4,4):(4,1))[1:3, 2:4]", TSR_FORMAT_CUTE, 0, "Sw<2,0,2> o 6 o (2,2):(4,1)");
  expect("Sw<2,0,2> o 6 o (2,2):(4,1)", TSR_FORMAT_CUTE, 0, "Sw<2,0,2> o 6 o (2,2):(4,1)");
  expect("row_major(4, 4)[2:, :].swizzle(1, 0, 2)", TSR_FORMAT_CUTE, 0,
         "Sw<1,0,2> o 8 o (2,4):(4,1)");
  expect("(4,\n4)\t:\n(1,4)", TSR_FORMAT_CUTE, 0, "(4,4):(1,4)");
  tsr_layout_value v = parse("row_major(4, 4)[1:3, 2:4]");
  assert_string_equal(print(&v, TSR_FORMAT_TABLE, 0),
                      "6 o (2,2):(4,1)\n┌────┬────┐\n│ 6  │ 7  │\n├────┼────┤\n│ 10 │ 11 │\n"
                      "└────┴────┘");
  assert_string_equal(print(&v, TSR_FORMAT_LINEAR, 0),
                      "the layout begins at offset 6: a linear map sends 0 to 0");
  assert_non_null(strstr(print(&v, TSR_FORMAT_JSON, 0), "\"offset\": 6, "));
  assert_int_equal(tsr_memory_extent(&v.memory), 12);
}

static void test_slice_errors(void **state) {
  (void)state;
  wrong("spatial(4, 4)[1:2, :]",
        "1:14: error: a slice is a part of a memory layout, not of a distribution");
  wrong("row_major(4, 4)[1:5, :]", "1:17: error: the range 1:5 of dimension 0: expected a part of "
                                   "0:4 with at least one element");
  wrong("row_major(4, 4)[:, 2:2]", "1:20: error: the range 2:2 of dimension 1");
  wrong("row_major(4, 4)[:, 4]", "the range 4:5 of dimension 1");
  wrong("row_major(4, 4)[-1, :]", "1:17: error: a range counts from 0");
  wrong("row_major(4, 4)[, :]", "expected an index, or a range such as 1:3 or :");
  wrong("row_major(4, 4)[1:", "expected ']' or ',' after a range");
  wrong("row_major(4, 4)[1]", "the layout has 2 dimensions, but here is 1 range; ':' takes all");
  wrong("row_major(4, 4)[:, :, :]", "1:23: error: the layout has no more than 2 dimensions");
  wrong("(4,(2,4)):(2,(1,8))[:, (:, :, :)]",
        "1:24: error: dimension 1 has 2 modes, but here are 3 ranges");
  wrong("(4,(2,4)):(2,(1,8))[:, (:, 4)]", "the range 4:5 of dimension 1: expected a part of 0:4");
  wrong("(4,(2,4)):(2,(1,8))[:, 1:6]", "1:24: error: the range 1:6 of dimension 1 cuts its mode of "
                                       "size 2: it must consist of whole turns of that mode");
  wrong("row_major(4, 4).squeeze(0)", "squeeze: dimension 0 has size 4; squeeze removes sizes 1");
  wrong("row_major(4, 4).squeeze(2)", "squeeze: dimension 2 of a layout of 2 dimensions");
  wrong("row_major(4, 4).slice(1)", "tma_swizzle(bytes, element_bits), squeeze(dims) and slices");
  wrong("tv(((4,8),(2,2)):((32,1),(16,8))[1:2, :], shape=[16, 8])",
        "tv: a tile begins at 0, not at offset 32");
  wrong("999999999999999999999 o 4:1", "the number is larger than");
}

/* A layout of two dimensions in up to three modes each, with strides that may overlap. */
static tsr_memory_layout random_memory(rng *r) {
  tsr_memory_layout m = {.rank = 2};
  for (uint32_t d = 0; d < 2; d++)
    for (uint32_t n = 1 + rng_below(r, 3); m.dim_modes[d] < n; m.dim_modes[d]++) {
      m.size[m.modes] = 1 + (int32_t)rng_below(r, 4);
      m.stride[m.modes++] = rng_below(r, 20);
    }
  m.offset = rng_below(r, 3) * 5;
  if (rng_below(r, 2)) m.swizzle_bits = 2, m.swizzle_base = 1, m.swizzle_shift = 3;
  return m;
}

/* Whether a slice has the elements of the whole, printed and read, too. */
static void expect_part(const tsr_memory_layout *whole, const tsr_memory_layout *part,
                        const int32_t *begin, const int32_t *end) {
  tsr_layout_value v = {.kind = TSR_LAYOUT_MEMORY, .memory = *part};
  tsr_layout_value back = parse(print(&v, TSR_FORMAT_CUTE, 0));
  for (int32_t i = begin[0]; i < end[0]; i++)
    for (int32_t j = begin[1]; j < end[1]; j++) {
      int32_t here[2] = {i - begin[0], j - begin[1]};
      int64_t want = tsr_memory_offset(whole, (int32_t[]){i, j});
      assert_int_equal(tsr_memory_offset(part, here), want);
      assert_int_equal(tsr_memory_offset(&back.memory, here), want);
    }
}

/* Whether some choice of modes, strides and an offset could be this part of dimension d: it is a
 * rectangle of digits. */
static bool is_rectangle(const tsr_memory_layout *m, uint32_t d, int32_t begin, int32_t end) {
  int64_t digits = 1;
  uint32_t first = d ? m->dim_modes[0] : 0;
  int32_t divide = 1;
  for (uint32_t k = first + m->dim_modes[d]; k-- > first; divide *= m->size[k]) {
    uint32_t seen = 0;
    for (int32_t i = begin; i < end; i++) seen |= 1u << (i / divide % m->size[k]);
    digits *= __builtin_popcount(seen);
  }
  return digits == end - begin;
}

static void test_random_slices(void **state) {
  (void)state;
  rng r = {77};
  int made = 0;
  for (int round = 0; round < 2000; round++) {
    tsr_memory_layout m = random_memory(&r), part;
    int32_t begin[2], end[2];
    bool possible = true;
    for (uint32_t d = 0; d < 2; d++) {
      int32_t size = tsr_memory_dim(&m, d);
      begin[d] = (int32_t)rng_below(&r, (uint32_t)size);
      end[d] = begin[d] + 1 + (int32_t)rng_below(&r, (uint32_t)(size - begin[d]));
      possible &= is_rectangle(&m, d, begin[d], end[d]);
    }
    bool ok = tsr_memory_slice(&part, &m, begin, end, NULL) == TSR_OK;
    assert_int_equal(ok, possible);
    if (ok) expect_part(&m, &part, begin, end);
    made += ok;
  }
  assert_in_range(made, 300, 1900);
}

/* "3,-2,0" to numbers; returns how many. */
static uint32_t numbers_of(const char *text, size_t length, int32_t *out) {
  uint32_t n = 0;
  for (const char *p = text, *end = text + length; p < end && n < 64; p++) {
    char *stop;
    out[n++] = (int32_t)strtol(p, &stop, 10);
    p = stop;
  }
  return n;
}

/* Whether the layout is the line "shape|mode_shape|spatial_modes|local_modes". */
static bool is_line(const tsr_layout *l, const char *line) {
  const uint8_t counts[4] = {l->rank, l->modes, l->spatial, l->local};
  const int32_t *lists[4] = {l->shape, l->mode_shape, l->spatial_modes, l->local_modes};
  for (int i = 0; i < 4; i++) {
    int32_t want[64];
    size_t length = strcspn(line, "|\n");
    uint32_t n = numbers_of(line, length, want);
    if (n != counts[i] || memcmp(want, lists[i], n * sizeof *want) != 0) return false;
    line += length + 1;
  }
  return true;
}

/* Random expressions with what Tilus' own operations make of them (scripts/make-layout-table).
 * Where Tilus refuses, there may still be a result: the file's head in dist_ops.c says which. */
static void test_tilus_table(void **state) {
  (void)state;
  const char *path = getenv("TSR_LAYOUT_TABLE");
  FILE *file = fopen(path ? path : "tests/data/tilus-layouts.txt", "r");
  assert_non_null(file);
  char line[2048];
  int same = 0, refused = 0, wider = 0;
  while (fgets(line, sizeof line, file)) {
    char *tab = strchr(line, '\t');
    assert_non_null(tab);
    tsr_layout_value v;
    tsr_status s = tsr_layout_parse(ctx, NULL, line, (size_t)(tab - line), &v);
    if (strcmp(tab + 1, "error\n") == 0) {
      refused++;
      wider += s == TSR_OK;
      continue;
    }
    if (s != TSR_OK || !is_line(&v.layout, tab + 1)) fail_msg("%s%s", line, last_error);
    same++;
  }
  fclose(file);
  assert_true(same > 1000);
  print_message("%d the same as Tilus; of %d that it refuses %d have a result\n", same, refused,
                wider);
}

/* No text may do harm: pieces of good ones, cut and joined at random. */
static void test_noise(void **state) {
  (void)state;
  static const char *const pieces[] = {"spatial(2,3)",
                                       ".local(",
                                       "3,4)",
                                       "(4,(2,4)):(2,(1,8))",
                                       "Sw<3,4,3> o ",
                                       "encoding(Rs=[],",
                                       "Hs=[[4,2]]",
                                       "Ps=[[(1,0)]]",
                                       "Ys=[(1,1)]",
                                       ")",
                                       "(",
                                       "[",
                                       "]",
                                       ",",
                                       "mma.m16n8k16.C",
                                       "tv(",
                                       "shape=[16,8]",
                                       "-1",
                                       "2147483647",
                                       " * ",
                                       " / ",
                                       "reduce(",
                                       "dims=[0]",
                                       ".",
                                       ":",
                                       "=",
                                       "True",
                                       "wgmma.m64n256k16.C",
                                       "flatten()",
                                       "unsqueeze(0)",
                                       "replicated(3, num_workers=2)",
                                       "\n"};
  rng r = {22};
  for (int round = 0; round < 50000; round++) {
    char text[512] = "";
    uint32_t n = 1 + rng_below(&r, 8);
    for (uint32_t i = 0; i < n; i++) strcat(text, pieces[rng_below(&r, 32)]);
    size_t len = strlen(text) - rng_below(&r, 3) % (strlen(text) + 1);
    tsr_layout_value v;
    last_error[0] = 0;
    tsr_status s = tsr_layout_parse(ctx, NULL, text, len, &v);
    assert_int_equal(s == TSR_OK, last_error[0] == 0);
    if (s == TSR_OK && v.kind != TSR_LAYOUT_MEMORY)
      OK(tsr_layout_validate(&v.layout, err));
    else if (s == TSR_OK)
      OK(tsr_memory_validate(&v.memory, err));
  }
}

/* ---- memory layouts ------------------------------------------------------------------------- */

/* TMA's swizzle on byte addresses: sw(a) = a ^ (((a >> 7) & (2^B - 1)) << 4). */
static void test_tma_swizzle(void **state) {
  (void)state;
  for (int b = 1; b <= 3; b++)
    for (int32_t bits = 8; bits <= 64; bits *= 2) {
      int32_t bytes = bits / 8, row = 128 / bytes;
      tsr_memory_layout m;
      OK(tsr_memory_row_major(&m, 2, (int32_t[]){64, row}, err));
      OK(tsr_memory_tma_swizzled(&m, &m, 16 << b, bits, err));
      tsr_linear l;
      OK(tsr_linear_from_memory(&l, &m, err));
      for (int32_t i = 0; i < 64; i++)
        for (int32_t j = 0; j < row; j++) {
          int64_t a = (i * row + j) * bytes, want = a ^ (((a >> 7) & ((1 << b) - 1)) << 4);
          assert_int_equal(tsr_memory_offset(&m, (int32_t[]){i, j}) * bytes, want);
          assert_int_equal(tsr_linear_apply(&l, (uint64_t)(i * row + j)) * (uint64_t)bytes, want);
        }
    }
  tsr_memory_layout m;
  OK(tsr_memory_row_major(&m, 1, (int32_t[]){64}, err));
  FAILS("expected 32, 64 or 128 bytes", tsr_memory_tma_swizzled(&m, &m, 256, 16, err));
}

static void test_memory_linear(void **state) {
  (void)state;
  tsr_memory_layout m;
  tsr_linear l;
  OK(tsr_memory_strided(&m, 2, (int32_t[]){8, 16}, (int64_t[]){1, 8}, err));
  OK(tsr_linear_from_memory(&l, &m, err));
  for (int32_t i = 0; i < 8; i++)
    for (int32_t j = 0; j < 16; j++)
      assert_int_equal(tsr_linear_apply(&l, (uint64_t)(i * 16 + j)), i + 8 * j);
  OK(tsr_memory_strided(&m, 2, (int32_t[]){8, 16}, (int64_t[]){1, 4}, err));
  FAILS("adds with carries", tsr_linear_from_memory(&l, &m, err));
  FAILS("strides are 0 or more", tsr_memory_strided(&m, 1, (int32_t[]){2}, (int64_t[]){-1}, err));
  FAILS("fewer than 2^31", tsr_memory_row_major(&m, 2, (int32_t[]){65536, 65536}, err));
}

/* ---- fragments against the published formulas ----------------------------------------------- */

/* (row, column) of register i of a lane; g = lane / 4, t = lane % 4. PTX ISA, the tables "Matrix
 * Fragments for mma.m16n8kX" per type; `run` is how many neighbouring k one 32-bit register holds.
 */
static void mma_a(int run, int lane, int i, int *m, int *k) {
  int g = lane / 4, t = lane % 4;
  *m = g + 8 * (i / run % 2);
  *k = t * run + i % run + 4 * run * (i / (2 * run));
}
static void mma_b(int run, int lane, int i, int *k, int *n) {
  *k = lane % 4 * run + i % run + 4 * run * (i / run);
  *n = lane / 4;
}
static void mma_c(int run, int lane, int i, int *m, int *n) {
  (void)run;
  *m = lane / 4 + 8 * (i / 2);
  *n = lane % 4 * 2 + i % 2;
}
typedef void (*formula)(int run, int lane, int i, int *row, int *column);

static void check_fragment(const char *name, int rows, int columns, int lanes, int run, formula f) {
  tsr_layout l;
  if (!tsr_fragment(&l, name, strlen(name))) fail_msg("%s", name);
  assert_int_equal(l.shape[0], rows);
  assert_int_equal(l.shape[1], columns);
  assert_int_equal(tsr_layout_spatial_size(&l), lanes);
  assert_int_equal(tsr_layout_local_size(&l), rows * columns / lanes);
  for (int lane = 0; lane < lanes; lane++)
    for (int i = 0; i < rows * columns / lanes; i++) {
      int32_t x[2];
      int row, column;
      tsr_layout_get_global(&l, lane, i, x);
      f(run, lane, i, &row, &column);
      if (x[0] != row || x[1] != column)
        fail_msg("%s lane %d register %d: (%d, %d), expected (%d, %d)", name, lane, i, x[0], x[1],
                 row, column);
    }
}

static int checked;

static void check_mma(const char *kind, int k, int run) {
  char name[64];
  snprintf(name, sizeof name, "mma.m16n8k%d%s.A", k, kind);
  check_fragment(name, 16, k, 32, run, mma_a);
  snprintf(name, sizeof name, "mma.m16n8k%d%s.B", k, kind);
  check_fragment(name, k, 8, 32, run, mma_b);
  snprintf(name, sizeof name, "mma.m16n8k%d%s.C", k, kind);
  check_fragment(name, 16, 8, 32, run, mma_c);
  checked += 3;
}

/* Each lane has a run of its row of A, and of its column of B. */
static void small_a(int run, int lane, int i, int *m, int *k) {
  *m = lane / 4;
  *k = lane % 4 * run + i;
}
static void small_b(int run, int lane, int i, int *k, int *n) {
  small_a(run, lane, i, n, k);
}

static void f64_a(int run, int lane, int i, int *m, int *k) {
  (void)run, (void)i;
  *m = lane / 4;
  *k = lane % 4;
}
static void f64_b(int run, int lane, int i, int *k, int *n) {
  f64_a(run, lane, i, n, k);
}
static void f64_c(int run, int lane, int i, int *m, int *n) {
  (void)run;
  *m = lane / 4;
  *n = lane % 4 * 2 + i;
}

/* PTX ISA, "Register Fragments for wgmma": the accumulator and A, 128 threads. */
static void wgmma_c(int run, int thread, int i, int *m, int *n) {
  (void)run;
  *m = thread / 32 * 16 + thread % 32 / 4 + 8 * (i / 2 % 2);
  *n = 8 * (i / 4) + thread % 4 * 2 + i % 2;
}
static void wgmma_a(int run, int thread, int i, int *m, int *k) {
  mma_a(run, thread % 32, i, m, k);
  *m += thread / 32 * 16;
}

static bool is_amd(const char *name) {
  static const char *const kinds[] = {"mfma.", "smfmac.", "wmma.", "swmmac."};
  for (size_t i = 0; i < (sizeof kinds / sizeof *kinds); i++)
    if (strncmp(name, kinds[i], strlen(kinds[i])) == 0) return true;
  return false;
}

static void test_fragments(void **state) {
  (void)state;
  checked = 0;
  check_mma("", 8, 2);
  check_mma("", 16, 2);
  check_mma(".tf32", 4, 1);
  check_mma(".tf32", 8, 1);
  check_mma(".i8", 16, 4);
  check_mma(".i8", 32, 4);
  check_mma(".f8", 16, 4);
  check_mma(".f8", 32, 4);
  check_mma(".i4", 32, 8);
  check_mma(".i4", 64, 8);
  check_fragment("mma.m8n8k4.f64.A", 8, 4, 32, 1, f64_a);
  check_fragment("mma.m8n8k4.f64.B", 4, 8, 32, 1, f64_b);
  check_fragment("mma.m8n8k4.f64.C", 8, 8, 32, 1, f64_c);
  check_fragment("mma.m8n8k16.i8.A", 8, 16, 32, 4, small_a);
  check_fragment("mma.m8n8k16.i8.B", 16, 8, 32, 4, small_b);
  check_fragment("mma.m8n8k16.i8.C", 8, 8, 32, 1, f64_c);
  checked += 6;
  static const char *const kinds[] = {"k16", "k8.tf32", "k32.i8", "k32.f8"};
  static const int runs[] = {2, 1, 4, 4};
  for (int n = 8; n <= 256; n += 8)
    for (int k = 0; k < 4; k++) {
      char name[64];
      snprintf(name, sizeof name, "wgmma.m64n%d%s.C", n, kinds[k]);
      check_fragment(name, 64, n, 128, 0, wgmma_c);
      snprintf(name, sizeof name, "wgmma.m64n%d%s.A", n, kinds[k]);
      check_fragment(name, 64, 8 * runs[k], 128, runs[k], wgmma_a);
    }
  checked += 8;
  tsr_layout l;
  assert_false(tsr_fragment(&l, "wgmma.m64n12k16.C", 17));
  assert_false(tsr_fragment(&l, "wgmma.m64n264k16.C", 18));
  /* ldmatrix: thread 4 r + c / 2 gets (r, c); transposed, (c, r). Every listed name was checked. */
  for (uint32_t i = 0; tsr_fragment_name(i); i++) {
    const char *name = tsr_fragment_name(i);
    if (!strstr(name, "matrix")) continue;
    bool trans = strstr(name, "trans") != NULL;
    assert_true(tsr_fragment(&l, name, strlen(name)));
    assert_int_equal(l.shape[0], name[10] - '0');
    for (int32_t w = 0; w < 32; w++)
      for (int32_t s = 0; s < 2 * l.shape[0]; s++) {
        int32_t x[3], row = w / 4, column = w % 4 * 2 + s % 2;
        tsr_layout_get_global(&l, w, s, x);
        assert_int_equal(x[0], s / 2);
        assert_int_equal(x[1], trans ? column : row);
        assert_int_equal(x[2], trans ? row : column);
      }
    checked++;
  }
  /* Those of AMD are test_layout_amd's. */
  int names = 0;
  for (uint32_t i = 0; tsr_fragment_name(i); i++) names += !is_amd(tsr_fragment_name(i));
  assert_int_equal(checked, names);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_tilus_lines),   cmocka_unit_test(test_tilus_tables),
      cmocka_unit_test(test_expressions),   cmocka_unit_test(test_reading_encodings),
      cmocka_unit_test(test_cute),          cmocka_unit_test(test_linear_lines),
      cmocka_unit_test(test_errors),        cmocka_unit_test(test_noise),
      cmocka_unit_test(test_tilus_table),   cmocka_unit_test(test_tma_swizzle),
      cmocka_unit_test(test_memory_linear), cmocka_unit_test(test_fragments),
      cmocka_unit_test(test_slice_lines),   cmocka_unit_test(test_slice_errors),
      cmocka_unit_test(test_random_slices),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
