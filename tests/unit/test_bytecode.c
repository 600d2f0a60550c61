/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Writing and reading bytecode: files byte by byte; every operation, type, attribute, constant,
 * global and location there and back; what older versions refuse; the public functions.
 */
#include "bytecode_test.h"
#include "examples.h"

/* ---- files byte by byte ---------------------------------------------------------------------- */

typedef struct golden {
  const char *text;
  unsigned minor;
  const uint8_t *data;
  size_t len;
} golden;

static void check_golden(const golden *g) {
  tsr_context *ctx = make_context(0);
  ir_module *m = read_text(ctx, g->text, 0);
  assert_non_null(m);
  bytes b = write_unverified(ctx, m, g->minor);
  assert_non_null(b.data);
  for (size_t i = 0; i < b.len && i < g->len; i++)
    if (b.data[i] != g->data[i])
      fail_msg("byte %zu is 0x%02x, not 0x%02x:\n%s", i, b.data[i], g->data[i], g->text);
  assert_int_equal(b.len, g->len);
  ir_module *back = read_bytes(ctx, b.data, b.len, 0);
  assert_non_null(back);
  forget_names(m);
  char *before = print_module(ctx, m), *after = print_module(ctx, back);
  assert_string_equal(before, after);
  free(before);
  free(after);
  free(b.data);
  tsr_module_destroy(m);
  tsr_module_destroy(back);
  tsr_context_destroy(ctx);
}

#define MAGIC 0x7f, 'T', 'i', 'l', 'e', 'I', 'R', 0
#define CB    0xcb /* padding */

/* A line for each part of a file. */
/* clang-format off */

static void test_smallest_file(void **state) {
  (void)state;
  static const uint8_t data[] = {
      MAGIC, 13, 3, 0, 0,
      /* functions: 16 bytes aligned to 8, at 16 */
      0x82, 16, 8, CB,
      1,          /* one function: */
      0, 0, 2, 0, /* name 0, type 0, a kernel without hints, no locations */
      3,          /* bytes of its body */
      0x5c, 0, 0, /* return: no results, no operands */
      CB, CB, CB, CB, CB, CB, CB,
      /* types: 11 bytes aligned to 4, at 36 */
      0x85, 11, 4, CB,
      1, CB, CB, CB, 0, 0, 0, 0, /* one, at 0 */
      16, 0, 0,                  /* a function of nothing to nothing */
      /* strings: 9 bytes aligned to 4, at 52 */
      0x81, 9, 4, CB, CB,
      1, CB, CB, CB, 0, 0, 0, 0, 'k',
      0, /* the end */
  };
  check_golden(&(golden){"cuda_tile.module @m { entry @k() { } }", 3, data, sizeof data});
}

/* A global, a constant that shares its bytes but not its type, arithmetic with an attribute. */
static const char counter[] = "cuda_tile.module @m {\n"
                              "  global private @g alignment = 16 <i32: 7> : tile<1xi32>\n"
                              "  entry @k(%p: tile<ptr<i32>>) {\n"
                              "    %c = constant <i32: 7> : tile<i32>\n"
                              "    %n = addi %c, %c overflow<no_wrap> : tile<i32>\n"
                              "    return\n"
                              "  }\n"
                              "}\n";

static void test_small_file(void **state) {
  (void)state;
  static const uint8_t data[] = {
      MAGIC, 13, 3, 0, 0,
      /* globals: 7 bytes, not aligned */
      0x06, 7,
      1,                 /* one: */
      1, 4, 0, 16, 1, 0, /* name 1, type 4, constant 0, alignment 16, private, not constant */
      /* functions: 24 bytes aligned to 8, at 24 */
      0x82, 24, 8,
      1,                /* one: */
      0, 3, 2, 0,       /* name 0, type 3, a kernel, no locations */
      11,               /* bytes of its body; value 0 is its argument */
      0x10, 5, 1,       /* constant: of type 5, constant 1; value 1 */
      0x03, 5, 3, 1, 1, /* addi: of type 5, no_wrap, values 1 and 1 */
      0x5c, 0, 0,       /* return */
      CB, CB, CB, CB, CB, CB, CB,
      /* constants: 34 bytes aligned to 8, at 56 */
      0x84, 34, 8, CB, CB, CB, CB, CB,
      2, CB, CB, CB, CB, CB, CB, CB, /* two, at 0 and 5 */
      0, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0,
      4, 7, 0, 0, 0, /* four bytes */
      4, 7, 0, 0, 0, /* the same, of another type */
      /* types: 52 bytes aligned to 4, at 96 */
      0x85, 52, 4, CB, CB, CB,
      6, CB, CB, CB, /* six, at 0, 1, 3, 6, 10, 21 */
      0, 0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0, 6, 0, 0, 0, 10, 0, 0, 0, 21, 0, 0, 0,
      3,                                  /* 0: i32 */
      12, 0,                              /* 1: ptr<i32> */
      13, 1, 0,                           /* 2: tile<ptr<i32>> */
      16, 1, 2, 0,                        /* 3: (tile<ptr<i32>>) -> () */
      13, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0,   /* 4: tile<1xi32> */
      13, 0, 0,                           /* 5: tile<i32> */
      /* strings: 14 bytes aligned to 4, at 152 */
      0x81, 14, 4, CB,
      2, CB, CB, CB, 0, 0, 0, 0, 1, 0, 0, 0, 'k', 'g',
      0, /* the end */
  };
  check_golden(&(golden){counter, 3, data, sizeof data});
}

/* Version 13.1: no flags in front of a view's type, no token of print_tko, no overflow of negi. */
static void test_old_file(void **state) {
  (void)state;
  static const char text[] =
      "cuda_tile.module @m {\n"
      "  entry @k(%x: tile<i32>, %v: partition_view<tile=(4), padding_value = zero, "
      "tensor_view<8xi32, strides=[1]>>) {\n"
      "    %n = negi %x : tile<i32>\n"
      "    %t = print_tko \"%i\", %n : tile<i32> -> token\n"
      "    return\n"
      "  }\n"
      "}\n";
  static const uint8_t data[] = {
      MAGIC, 13, 1, 0, 0,
      /* functions: 24 bytes aligned to 8, at 16 */
      0x82, 24, 8, CB,
      1, 0, 4, 2, 0, 11,
      0x50, 1, 0,          /* negi: of type 1, value 0 */
      0x55, 0, 1, 1, 2,    /* print_tko: no results, string 1, one value: 2 */
      0x5c, 0, 0,          /* return */
      CB, CB, CB, CB, CB, CB, CB,
      /* types: 67 bytes aligned to 4, at 44 */
      0x85, 67, 4, CB,
      5, CB, CB, CB, 0, 0, 0, 0, 1, 0, 0, 0, 4, 0, 0, 0, 24, 0, 0, 0, 38, 0, 0, 0,
      3,        /* 0: i32 */
      13, 0, 0, /* 1: tile<i32> */
      14, 0, 1, 8, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0,
      15, 1, 4, 0, 0, 0, 2, 1, 0, 0, 0, 0, 1, 0, /* tile (4), type 2, dim_map [0], zero */
      16, 2, 1, 3, 0,                            /* 4: a function of types 1 and 3 */
      /* strings: 15 bytes aligned to 4, at 116 */
      0x81, 15, 4, CB, CB,
      2, CB, CB, CB, 0, 0, 0, 0, 1, 0, 0, 0, 'k', '%', 'i',
      0, /* the end */
  };
  tsr_context *ctx = make_context(0);
  ir_module *m = read_text(ctx, text, 0);
  assert_non_null(m);
  bytes b = write_unverified(ctx, m, 1);
  assert_non_null(b.data);
  assert_int_equal(b.len, sizeof data);
  assert_memory_equal(b.data, data, sizeof data);
  tsr_module_destroy(m);
  m = read_bytes(ctx, b.data, b.len, TSR_PARSE_DEFAULT);
  assert_non_null(m);
  char *printed = print_module(ctx, m);
  assert_non_null(strstr(printed, "%result_token = print_tko \"%i\", %0 : tile<i32> -> token\n"));
  assert_non_null(strstr(printed, "padding_value = zero"));
  free(printed);
  free(b.data);
  tsr_module_destroy(m);
  tsr_context_destroy(ctx);
}

/* clang-format on */

/* ---- there and back -------------------------------------------------------------------------- */

/* In every version that can hold it: written, read, it prints as before but for names, and is
 * written the same again. Returns in how many versions it could be written. */
static unsigned round_trip(const char *text) {
  unsigned held = 0;
  tsr_context *ctx = make_context(0);
  ir_module *m = read_text(ctx, text, 0);
  if (!m) {
    show_messages(text);
    fail_msg("this was not accepted");
  }
  forget_names(m);
  char *expected = print_module(ctx, m);
  for (unsigned minor = BYTECODE_OLDEST; minor <= BYTECODE_NEWEST; minor++) {
    bytes b = write_unverified(ctx, m, minor);
    if (!b.data) {
      if (minor == BYTECODE_NEWEST) show_messages(text);
      assert_int_not_equal(minor, BYTECODE_NEWEST);
      continue;
    }
    held++;
    ir_module *back = read_bytes(ctx, b.data, b.len, TSR_PARSE_NO_VERIFY);
    if (!back) {
      show_messages(text);
      fail_msg("version 13.%u cannot be read", minor);
    }
    char *printed = print_module(ctx, back);
    assert_string_equal(printed, expected);
    bytes again = write_unverified(ctx, back, minor);
    assert_int_equal(again.len, b.len);
    assert_memory_equal(again.data, b.data, b.len);
    free(printed);
    free(b.data);
    free(again.data);
    tsr_module_destroy(back);
  }
  free(expected);
  tsr_module_destroy(m);
  tsr_context_destroy(ctx);
  return held;
}

static void round_trip_in_kernel(const char *arguments, const char *body) {
  char *text = in_kernel(arguments, body);
  round_trip(text);
  free(text);
}

static void test_every_operation(void **state) {
  (void)state;
  for (unsigned code = 1; code < OP_COUNT; code++) {
    char *text = embed_example((op_code)code);
    unsigned held = round_trip(text);
    /* An example may use what came after its operation. */
    if (held > BYTECODE_NEWEST + 1u - op_table[code].since)
      fail_msg("'%s' was written in %u versions", op_table[code].name, held);
    free(text);
  }
}

static void test_every_type(void **state) {
  (void)state;
#define TV  "tensor_view<?x64xf32, strides=[?,1]>"
#define TV1 "tensor_view<64xf16, strides=[1]>"
  static const char *const types[] = {
      "tile<i1>",
      "tile<i4>",
      "tile<i8>",
      "tile<i16>",
      "tile<i32>",
      "tile<i64>",
      "tile<f16>",
      "tile<bf16>",
      "tile<f32>",
      "tile<tf32>",
      "tile<f64>",
      "tile<f8E4M3FN>",
      "tile<f8E5M2>",
      "tile<f8E8M0FNU>",
      "tile<2xf4E2M1FN>",
      "tile<f8E5M3FNU>",
      "tile<ptr<f32, #cuda_tile.ptr_attr<none>>>",
      "tensor_view<8x?xf32, strides=[?,1], #cuda_tile.ptr_attr<none>>",
      "tensor_view<f32, #cuda_tile.ptr_attr<none>>",
      "partition_view<tile=(8), tensor_view<8xf32, strides=[1], #cuda_tile.ptr_attr<none>>>",
      "tile<4x8xf32>",
      "tile<1x1x1x1x1x2xi8>",
      "tile<ptr<f64>>",
      "tile<16xptr<i1>>",
      "token",
      "tensor_view<f32>",
      TV,
      "tensor_view<9223372036854775807xi64, strides=[?]>",
      "partition_view<tile=(4x8), " TV ">",
      "partition_view<tile=(4x8), padding_value = nan, " TV ", dim_map=[1, 0]>",
      "partition_view<tile=(4), padding_value = neg_zero, " TV1 ">",
      "partition_view<tile=(4), padding_value = pos_inf, " TV1 ">",
      "partition_view<tile=(4), padding_value = neg_inf, " TV1 ">",
      "strided_view<tile=(8x2), traversal_strides=[4,1000000], " TV ", dim_map=[1, 0]>",
      "strided_view<tile=(8), traversal_strides=[1], padding_value = zero, " TV1 ">",
      "gather_scatter_view<tile=(4x8), " TV ", sparse_dim=1>",
      "gather_scatter_view<tile=(4x8), padding_value = nan, " TV ", sparse_dim=0>",
  };
  for (unsigned i = 0; i < ARRAY_LEN(types); i++) {
    char arguments[256];
    snprintf(arguments, sizeof arguments, "%%x: %s, %%y: %s", types[i], types[i]);
    round_trip_in_kernel(arguments, "return");
  }
#undef TV
#undef TV1
}

static void test_constants(void **state) {
  (void)state;
  static const char *const values[] = {
      "<i1: true> : tile<i1>",
      "<i1: [true, false]> : tile<2xi1>",
      "<i1: true> : tile<16xi1>",
      "<i1: [true, false, false, true, true, true, false, false]> : tile<8xi1>",
      "<i8: [-128, 127]> : tile<2xi8>",
      "<i16: -1> : tile<4xi16>",
      "<i32: 0x7fffffff> : tile<i32>",
      "<i64: [-9223372036854775808, 9223372036854775807]> : tile<2xi64>",
      "<f16: [1.0, -2.5]> : tile<2xf16>",
      "<bf16: 3.0> : tile<bf16>",
      "<f32: 0x7fc00001> : tile<f32>",
      "<f32: [[0.0, -0.0], [1.0, 2.0]]> : tile<2x2xf32>",
      "<tf32: [1.0, -1.5]> : tile<2xtf32>",
      "<tf32: -1.5> : tile<4xtf32>",
      "<f64: [1.0e300, -1.0e-300]> : tile<2xf64>",
      "<f8E4M3FN: [448.0, -0.5]> : tile<2xf8E4M3FN>",
      "<f8E5M2: 0.25> : tile<f8E5M2>",
      "<f8E8M0FNU: [1.0, 2.0]> : tile<2xf8E8M0FNU>",
      "<f4E2M1FN: [0.5, -6.0]> : tile<2xf4E2M1FN>",
      "<f4E2M1FN: [1.0, 1.0]> : tile<2xf4E2M1FN>",
      "<f4E2M1FN: [0.5, 1.0, 0.5, 1.0]> : tile<4xf4E2M1FN>",
  };
  for (unsigned i = 0; i < ARRAY_LEN(values); i++) {
    char body[256], text[512];
    snprintf(body, sizeof body, "%%c = constant %s\n%%d = constant %s", values[i], values[i]);
    round_trip_in_kernel("", body);
    snprintf(text, sizeof text,
             "cuda_tile.module @m {\n  global private constant @g alignment = 64 %s\n"
             "  global @h %s\n}\n",
             values[i], values[i]);
    round_trip(text);
  }
}

static void test_attributes(void **state) {
  (void)state;
  static const char *const lines[][2] = {
      {"%x: tile<f32>", "%r = addf %x, %x rounding<positive_inf> flush_to_zero : tile<f32>"},
      {"%x: tile<f32>", "%r = maxf %x, %x flush_to_zero propagate_nan : tile<f32>"},
      {"%x: tile<f32>", "%r = maxf %x, %x propagate_nan : tile<f32>"},
      {"%x: tile<f32>", "%r = maxf %x, %x flush_to_zero : tile<f32>"},
      {"%x: tile<f32>", "%r = divf %x, %x rounding<approx> : tile<f32>"},
      {"%x: tile<f32>", "%r = exp %x rounding<approx> : tile<f32>"},
      {"%x: tile<i32>", "%r = divi %x, %x unsigned rounding<negative_inf> : tile<i32>"},
      {"%x: tile<i32>", "%r = negi %x overflow<no_signed_wrap> : tile<i32>"},
      {"%x: tile<i32>", "%r = cmpi greater_than_or_equal %x, %x, signed : tile<i32> -> tile<i1>"},
      {"%x: tile<4x8x2xf32>", "%r = permute %x [2, 0, 1] : tile<4x8x2xf32> -> tile<2x4x8xf32>"},
      {"%p: tile<ptr<f32>>", "%q = assume div_by<4611686018427387904>, %p : tile<ptr<f32>>"},
      {"%p: tile<8xi32>", "%q = assume div_by<8, every 4 along 0>, %p : tile<8xi32>"},
      {"%p: tile<8xi32>", "%q = assume bounded<-5, 9223372036854775807>, %p : tile<8xi32>"},
      {"%p: tile<8xi32>", "%q = assume bounded<?, 7>, %p : tile<8xi32>"},
      {"%p: tile<8xi32>", "%q = assume bounded<0, ?>, %p : tile<8xi32>"},
      {"%p: tile<8xi32>", "%q = assume bounded<?, ?>, %p : tile<8xi32>"},
      {"%p: tile<8x2xi32>", "%q = assume same_elements<[4, 1]>, %p : tile<8x2xi32>"},
      {"%p: tile<ptr<f32>>, %t: token",
       "%x, %u = load_ptr_tko acquire sys %p token=%t optimization_hints = <default = {latency = "
       "-1}, sm_100 = {allow_tma = false, latency = 3}> : tile<ptr<f32>> -> tile<f32>, token"},
      {"%p: tile<4xptr<f32>>, %m: tile<4xi1>, %d: tile<4xf32>",
       "%x, %u = load_ptr_tko weak %p, %m, %d : tile<4xptr<f32>>, tile<4xi1>, tile<4xf32> -> "
       "tile<4xf32>, token"},
      {"%a: tile<16x8xf16>, %b: tile<8x32xf16>, %c: tile<16x32xf32>",
       "%d = mmaf %a, %b, %c fast_acc : tile<16x8xf16>, tile<8x32xf16>, tile<16x32xf32>"},
      {"", "%p = alloca num_elem = 64, alignment = 16 global : tile<ptr<f32>>"},
      {"%a: tile<i32>", "for unsigned %i in (%a to %a, step %a) : tile<i32> { }"},
      {"%c: tile<i1>", "if %c { } else { }\nif %c { }"},
      {"%x: tile<f32>, %t: token",
       "%u = print_tko \"\\00\\22 %f\", %x token=%t : tile<f32> -> token"},
      {"%x: tile<4xf32>, %y: tile<4xtf32>, %z: tile<4xf64>, %n: tile<4xi64>, %b: tile<4xi1>",
       "%r:5 = reduce %x, %y, %z, %n, %b dim=0 identities=[-0.0 : f32, 1.5 : tf32, -2.5 : f64, -1 "
       ": "
       "i64, true] : tile<4xf32>, tile<4xtf32>, tile<4xf64>, tile<4xi64>, tile<4xi1> -> tile<f32>, "
       "tile<tf32>, tile<f64>, tile<i64>, tile<i1>\n"
       "(%a: tile<f32>, %b1: tile<f32>) { yield %a : tile<f32> }"},
      {"%x: tile<4xf8E4M3FN>",
       "%r = scan %x dim=0 reverse=true identities=[0.5 : f8E4M3FN] : tile<4xf8E4M3FN> -> "
       "tile<4xf8E4M3FN>\n(%a: tile<f8E4M3FN>, %b: tile<f8E4M3FN>) { yield %a : tile<f8E4M3FN> }"},
      {"%x: tile<f32>", "%r = ftoi %x unsigned saturating : tile<f32> -> tile<i8>"},
      {"%x: tile<f32>", "%r = ftof %x rounding<nearest_away> : tile<f32> -> tile<tf32>"},
      {"%t: token", "%u = gdc_launch_dependents_tko token = %t -> token"},
      {"%t: token", "%u = gdc_wait_tko token = %t -> token"},
      {"%p: tile<ptr<f32, #cuda_tile.ptr_attr<none>>>, %m: tile<i32>",
       "%v = make_tensor_view %p, shape = [%m], strides = [1] : tile<ptr<f32, "
       "#cuda_tile.ptr_attr<none>>>, tile<i32> -> tensor_view<?xf32, strides=[1], "
       "#cuda_tile.ptr_attr<none>>"},
      {"%p: tile<ptr<f32, #cuda_tile.ptr_attr<none>>>",
       "%v = make_tensor_view %p, shape = [8], strides = [1] : tile<ptr<f32, "
       "#cuda_tile.ptr_attr<none>>> -> tensor_view<8xf32, strides=[1], "
       "#cuda_tile.ptr_attr<none>>"},
      {"%v: partition_view<tile=(8), tensor_view<64xf16, strides=[1]>>, %i: tile<i32>, %t: token",
       "%x, %u = load_view_tko weak %v[%i] token = %t optimization_hints = <default = {latency = "
       "3}> inbounds = [true] : partition_view<tile=(8), tensor_view<64xf16, strides=[1]>>, "
       "tile<i32> -> tile<8xf16>, token\n"
       "%w = store_view_tko weak %x, %v[%i] inbounds = [true] : tile<8xf16>, "
       "partition_view<tile=(8), tensor_view<64xf16, strides=[1]>>, tile<i32> -> token"},
      {"%x: tile<f8E5M3FNU>", "%c = constant <f8E5M3FNU: [1.5, 114688.0, 0xff, 0.0]> : "
                              "tile<4xf8E5M3FNU>"},
      {"%x: tile<i32>",
       "%r = loop iter_values(%y = %x) : tile<i32> -> tile<i32> { %c = cmpi equal %y, %x, signed : "
       "tile<i32> -> tile<i1> if %c { break %y : tile<i32> } else { %z = addi %y, %x : tile<i32> "
       "continue %z : tile<i32> } continue %y : tile<i32> }"},
  };
  for (unsigned i = 0; i < ARRAY_LEN(lines); i++) round_trip_in_kernel(lines[i][0], lines[i][1]);
}

static void test_modules(void **state) {
  (void)state;
  static const char *const texts[] = {
      "cuda_tile.module @m { }",
      "cuda_tile.module @m { entry @a() { } entry @b(%x: tile<f32>) { } entry @\"\\00c d\"() { } }",
      "cuda_tile.module @m { entry @a() optimization_hints=<sm_90 = {num_cta_in_cga = 4, occupancy "
      "= 1}, default = {occupancy = 2}> { } }",
      "cuda_tile.module @m { entry @a() optimization_hints=<> { } }",
      "cuda_tile.module @m { global @g <i32: [1, 2]> : tile<2xi32>\n"
      "entry @a() { %p = get_global @g : tile<ptr<i32>> } }",
  };
  for (unsigned i = 0; i < ARRAY_LEN(texts); i++) round_trip(texts[i]);
}

static void test_producer(void **state) {
  (void)state;
  static const char text[] = "cuda_tile.module @m attributes {producer = \"a compiler\"} { }";
  tsr_context *ctx = make_context(0);
  for (unsigned minor = 2; minor <= 3; minor++) {
    ir_module *m = read_text(ctx, text, 0);
    assert_non_null(m);
    bytes b = write_unverified(ctx, m, minor);
    ir_module *back = read_bytes(ctx, b.data, b.len, 0);
    assert_non_null(back);
    const ir_attr *producer = ir_get_attr(back->op, ATTR_producer);
    if (minor < 3)
      assert_null(producer);
    else
      assert_true(producer && str_is(producer->s, "a compiler"));
    free(b.data);
    tsr_module_destroy(m);
    tsr_module_destroy(back);
  }
  tsr_context_destroy(ctx);
}

/* ---- debug information ----------------------------------------------------------------------- */

static const char debug_text[] =
    "#file = #cuda_tile.di_file<\"foo.py\" in \"/tmp/\">\n"
    "#unit = #cuda_tile.di_compile_unit<file = #file>\n"
    "#func = #cuda_tile.di_subprogram<file = #file, line = 1, name = \"k\", linkageName = \"kk\", "
    "compileUnit = #unit, scopeLine = 2>\n"
    "#block = #cuda_tile.di_lexical_block<scope = #func, file = #file, line = 3, column = 4>\n"
    "cuda_tile.module @kernels {\n"
    "  entry @kk(%x: tile<f32>) {\n"
    "    %a = negf %x : tile<f32> loc(#l1)\n"
    "    %b = negf %a : tile<f32> loc(callsite(#l1 at #l2))\n"
    "    %c = negf %b : tile<f32> loc(callsite(callsite(#l1 at #l2) at unknown))\n"
    "    %d = negf %c : tile<f32>\n"
    "    %t = constant <i1: true> : tile<i1>\n"
    "    if %t {\n"
    "    } loc(#l2)\n"
    "    return loc(#l1)\n"
    "  } loc(#l3)\n"
    "  entry @plain(%x: tile<f32>) {\n"
    "    %a = negf %x : tile<f32> loc(\"b.py\":1:2)\n"
    "  }\n"
    "}\n"
    "#l1 = #cuda_tile.di_loc<loc(\"foo.py\":7:8) in #block>\n"
    "#l2 = #cuda_tile.di_loc<loc(\"bar.py\":9:10) in #func>\n"
    "#l3 = #cuda_tile.di_loc<loc(\"foo.py\":1:1) in #func>\n";

static void test_debug_info(void **state) {
  (void)state;
  tsr_context *ctx = make_context(0);
  ir_module *m = read_text(ctx, debug_text, 0);
  if (!m) show_messages(debug_text);
  assert_non_null(m);
  bytes b = write_unverified(ctx, m, 3);
  assert_non_null(b.data);
  ir_module *back = read_bytes(ctx, b.data, b.len, TSR_PARSE_DEFAULT);
  if (!back) show_messages(debug_text);
  assert_non_null(back);

  const ir_op *entry = ir_region(back->op, 0)->first, *op = ir_region(entry, 0)->first;
  const ir_loc_info *l = &back->locs.data[entry->loc];
  assert_int_equal(l->kind, IR_LOC_DEBUG);
  const ir_scope *s = &back->scopes.data[l->scope - 1];
  assert_int_equal(s->kind, IR_SCOPE_SUBPROGRAM);
  assert_string_equal(s->name, "k");
  assert_string_equal(s->linkage_name, "kk");
  assert_int_equal(s->line, 1);
  assert_int_equal(s->scope_line, 2);
  assert_int_equal(back->scopes.data[s->unit - 1].kind, IR_SCOPE_UNIT);
  assert_string_equal(back->scopes.data[s->file - 1].directory, "/tmp/");
  l = &back->locs.data[op->loc];
  s = &back->scopes.data[l->scope - 1];
  assert_int_equal(s->kind, IR_SCOPE_BLOCK);
  assert_int_equal(s->line, 3);
  assert_int_equal(s->column, 4);
  place at = ir_place(back, op->loc);
  assert_string_equal(at.file, "foo.py");
  assert_int_equal(at.line, 7);
  assert_int_equal(at.column, 8);
  op = op->next; /* the call site */
  l = &back->locs.data[op->loc];
  assert_int_equal(l->kind, IR_LOC_CALLSITE);
  assert_int_equal(back->locs.data[l->inner].kind, IR_LOC_DEBUG);
  assert_int_equal(ir_place(back, l->outer).line, 9);
  op = op->next; /* the nested one, called from somewhere */
  l = &back->locs.data[op->loc];
  assert_int_equal(back->locs.data[l->inner].kind, IR_LOC_CALLSITE);
  assert_int_equal(l->outer, 0);
  assert_int_equal(op->next->loc, 0); /* only its place in the text was known */
  assert_int_equal(entry->next->loc, 0);
  assert_int_equal(ir_region(entry->next, 0)->first->loc, 0);

  /* What was printed with its locations is written the same. */
  char *printed = print_module(ctx, back);
  ir_module *again = read_text(ctx, printed, 0);
  assert_non_null(again);
  bytes b2 = write_unverified(ctx, again, 3);
  assert_int_equal(b2.len, b.len);
  assert_memory_equal(b2.data, b.data, b.len);
  free(printed);
  free(b.data);
  free(b2.data);
  tsr_module_destroy(m);
  tsr_module_destroy(back);
  tsr_module_destroy(again);
  tsr_context_destroy(ctx);
}

static void test_locations_that_cannot_be_written(void **state) {
  (void)state;
  static const char *const cases[][2] = {
      {"loc(fused[\"a\":1:2, \"b\":3:4])", "is a fused location"},
      {"loc(\"name\"(\"a\":1:2))", "is a named location"},
      {"loc(callsite(\"a\":1:1 at fused[\"a\":1:2, \"b\":3:4]))", "is a fused location"},
  };
  tsr_context *ctx = make_context(0);
  /* In a kernel with debug information and, where it would not be written, in one without. */
  for (unsigned i = 0; i < 2 * ARRAY_LEN(cases); i++) {
    char text[512];
    snprintf(text, sizeof text,
             "#f = #cuda_tile.di_file<\"f\" in \"\">\n"
             "#u = #cuda_tile.di_compile_unit<file = #f>\n"
             "#s = #cuda_tile.di_subprogram<file = #f, line = 1, name = \"k\", linkageName = "
             "\"k\", compileUnit = #u>\n"
             "cuda_tile.module @m { entry @k() { return %s } loc(%s) }\n"
             "#l = #cuda_tile.di_loc<loc(\"f\":1:1) in #s>\n",
             cases[i / 2][0], i % 2 ? "#l" : "unknown");
    ir_module *m = read_text(ctx, text, 0);
    assert_non_null(m);
    assert_null(write_unverified(ctx, m, 3).data);
    assert_int_equal(count_errors(), 1);
    assert_non_null(strstr(said.v[0].text, cases[i / 2][1]));
    tsr_module_destroy(m);
  }
  tsr_context_destroy(ctx);
}

/* ---- versions -------------------------------------------------------------------------------- */

/* What a version refuses, and the first that takes it. */
typedef struct refusal {
  const char *arguments, *body;
  unsigned since;
  const char *message;
} refusal;

static void test_refusals(void **state) {
  (void)state;
  static const refusal cases[] = {
      {"%x: tile<f32>", "%r = atan2 %x, %x : tile<f32>", 2, "atan2 needs bytecode version 13.2; "},
      {"", "%p = alloca num_elem = 1, alignment = 4 : tile<ptr<f32>>", 3,
       "alloca needs bytecode version 13.3; "},
      {"%x: tile<64xi8>", "%r = unpack %x : tile<64xi8> -> tile<32xi16>", 3, "unpack needs "},
      {"%x: tile<f32>", "%r = exp %x rounding<approx> : tile<f32>", 3,
       "attribute 'rounding_mode' of exp needs bytecode version 13.3; "},
      {"%x: tile<f32>", "%r = tanh %x rounding<approx> : tile<f32>", 2,
       "attribute 'rounding_mode' of tanh needs bytecode version 13.2; "},
      {"%x: tile<i32>", "%r = negi %x overflow<no_wrap> : tile<i32>", 2,
       "attribute 'overflow' of negi needs bytecode version 13.2; "},
      {"%a: tile<i32>", "for unsigned %i in (%a to %a, step %a) : tile<i32> { }", 2,
       "attribute 'unsignedCmp' of for needs bytecode version 13.2; "},
      {"%a: tile<16x8xf16>, %b: tile<8x32xf16>, %c: tile<16x32xf32>",
       "%d = mmaf %a, %b, %c fast_acc : tile<16x8xf16>, tile<8x32xf16>, tile<16x32xf32>", 3,
       "attribute 'fast_acc' of mmaf needs bytecode version 13.3; "},
      {"%t: token", "%u = print_tko \"x\" token=%t -> token", 2,
       "operand 'token' of print_tko needs bytecode version 13.2; "},
      {"", "%u = print_tko \"x\" -> token\n%v = join_tokens %u, %u : token", 2,
       "using result 'result_token' of print_tko needs bytecode version 13.2; "},
      {"%x: tile<f8E8M0FNU>", "return", 2, "type f8E8M0FNU needs bytecode version 13.2; "},
      {"%x: tile<2xf4E2M1FN>", "return", 3, "type f4E2M1FN needs bytecode version 13.3; "},
      {"%x: tile<i4>", "return", 3, "type i4 needs bytecode version 13.3; "},
      {"%x: strided_view<tile=(8), traversal_strides=[1], tensor_view<64xf16, strides=[1]>>",
       "return", 3, "type strided_view<"},
      {"%x: gather_scatter_view<tile=(8), tensor_view<64xf16, strides=[1]>, sparse_dim=0>",
       "return", 3, "type gather_scatter_view<"},
      {"%s: tile<f32>, %x: tile<8xf32>, %i: tile<i32>",
       "%a = reshape %s : tile<f32> -> tile<1xf32>\n"
       "%r = insert %a, %x[%i] : tile<1xf32>, tile<8xf32> -> tile<8xf32>",
       4, "insert needs bytecode version 13.4; "},
      {"%x: tile<f32>, %n: tile<i8>", "%r = fpowi %x, %n : tile<f32>, tile<i8>", 4,
       "fpowi needs bytecode version 13.4; "},
      {"", "%t = gdc_wait_tko -> token", 4, "gdc_wait_tko needs bytecode version 13.4; "},
      {"", "%t = gdc_launch_dependents_tko -> token", 4,
       "gdc_launch_dependents_tko needs bytecode version 13.4; "},
      {"%t: token", "%u = memory_fence_alias_tko token = %t -> token", 4,
       "memory_fence_alias_tko needs bytecode version 13.4; "},
      {"", "loop { return }", 4, "return needs bytecode version 13.4; "},
      {"%x: tile<f32>", "%r = ftoi %x signed saturating : tile<f32> -> tile<i8>", 4,
       "attribute 'saturating' of ftoi needs bytecode version 13.4; "},
      {"%x: tile<f32>", "%r = ftof %x rounding<zero> : tile<f32> -> tile<f16>", 4,
       "attribute 'rounding_mode' of ftof needs bytecode version 13.4; "},
      {"%x: tile<f32>", "%r = ftof %x rounding<nearest_away> : tile<f32> -> tile<tf32>", 4,
       "attribute 'rounding_mode' of ftof needs bytecode version 13.4; "},
      {"%v: partition_view<tile=(8), tensor_view<64xf16, strides=[1]>>, %i: tile<i32>",
       "%x, %t = load_view_tko weak %v[%i] inbounds = [true] : partition_view<tile=(8), "
       "tensor_view<64xf16, strides=[1]>>, tile<i32> -> tile<8xf16>, token",
       4, "attribute 'inbounds' of load_view_tko needs bytecode version 13.4; "},
      {"%x: tile<8xf16>, %v: partition_view<tile=(8), tensor_view<64xf16, strides=[1]>>, "
       "%i: tile<i32>",
       "%t = store_view_tko weak %x, %v[%i] inbounds = [true] : tile<8xf16>, "
       "partition_view<tile=(8), tensor_view<64xf16, strides=[1]>>, tile<i32> -> token",
       4, "attribute 'inbounds' of store_view_tko needs bytecode version 13.4; "},
      {"%x: tile<f8E5M3FNU>", "return", 4, "type f8E5M3FNU needs bytecode version 13.4; "},
      {"%x: tile<ptr<f32, #cuda_tile.ptr_attr<none>>>", "return", 4,
       "type tile<ptr<f32, #cuda_tile.ptr_attr<none>>> needs bytecode version 13.4; "},
      {"%x: tensor_view<8xf32, strides=[1], #cuda_tile.ptr_attr<none>>", "return", 4,
       "type tensor_view<8xf32, strides=[1], #cuda_tile.ptr_attr<none>> needs bytecode version "
       "13.4; "},
  };
  tsr_context *ctx = make_context(0);
  for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
    char *text = in_kernel(cases[i].arguments, cases[i].body), expected[128];
    ir_module *m = read_text(ctx, text, 0);
    if (!m) show_messages(text);
    assert_non_null(m);
    for (unsigned minor = 1; minor <= BYTECODE_NEWEST; minor++) {
      bytes b = write_unverified(ctx, m, minor);
      if ((b.data != NULL) != (minor >= cases[i].since))
        fail_msg("version 13.%u of\n%s", minor, text);
      free(b.data);
      if (minor >= cases[i].since) continue;
      snprintf(expected, sizeof expected, "version 13.%u was asked for", minor);
      if (!strstr(said.v[0].text, cases[i].message) || !strstr(said.v[0].text, expected)) {
        show_messages(text);
        fail_msg("expected %s", cases[i].message);
      }
      assert_true(said.v[0].line >= 2 && said.v[0].line <= 4);
    }
    tsr_module_destroy(m);
    free(text);
  }
  tsr_context_destroy(ctx);
}

static void test_globals_in_old_versions(void **state) {
  (void)state;
  static const char *const cases[][2] = {
      {"private", "the visibility of global @g needs bytecode version 13.3"},
      {"constant", "the flag 'constant' of global @g needs bytecode version 13.3"},
  };
  tsr_context *ctx = make_context(0);
  for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
    char text[128];
    snprintf(text, sizeof text, "cuda_tile.module @m {\nglobal %s @g <i32: 1> : tile<1xi32>\n}",
             cases[i][0]);
    ir_module *m = read_text(ctx, text, 0);
    assert_non_null(m);
    assert_null(write_unverified(ctx, m, 2).data);
    assert_int_equal(said.n, 1);
    assert_non_null(strstr(said.v[0].text, cases[i][1]));
    assert_int_equal(said.v[0].line, 2);
    tsr_module_destroy(m);
  }
  tsr_context_destroy(ctx);
}

/* All of them, up to the limit. */
static void test_many_refusals(void **state) {
  (void)state;
  char body[2048] = "";
  for (unsigned i = 0; i < 30; i++) strcat(body, "%r = atan2 %x, %x : tile<f32>\n");
  char *text = in_kernel("%x: tile<f32>", body), *at = text;
  for (unsigned i = 0; (at = strstr(at, "%r")); i++, at++)
    at[1] = (char)('A' + i % 26 + 32 * (i / 26));
  tsr_context *ctx = make_context(5);
  ir_module *m = read_text(ctx, text, 0);
  if (!m) show_messages(text);
  assert_non_null(m);
  assert_null(write_unverified(ctx, m, 1).data);
  assert_int_equal(said.n, 5);
  tsr_module_destroy(m);
  tsr_context_destroy(ctx);
  free(text);
}

/* What only other tools understand is left out, not silently. */
static void test_unknown_attributes(void **state) {
  (void)state;
  char *text = in_kernel("%x: tile<f32>", "%y = negf %x {mine = 1 : i32, yours} : tile<f32>");
  tsr_context *ctx = make_context(0);
  ir_module *m = read_text(ctx, text, 0);
  assert_non_null(m);
  bytes b = write_unverified(ctx, m, 3);
  assert_non_null(b.data);
  assert_int_equal(said.n, 2);
  assert_int_equal(said.v[0].severity, TSR_WARNING);
  assert_int_equal(said.v[0].line, 3);
  assert_string_equal(said.v[0].text,
                      "attribute 'mine' of negf is not part of bytecode and is left out");
  free(b.data);
  free(text);
  tsr_module_destroy(m);
  tsr_context_destroy(ctx);
}

/* ---- the public functions -------------------------------------------------------------------- */

static void test_public_functions(void **state) {
  (void)state;
  tsr_context *ctx = make_context(0);
  said.n = 0;
  tsr_module *m = tsr_module_parse(ctx, counter, strlen(counter), "t.mlir", TSR_PARSE_NO_VERIFY);
  size_t len, len2;
  char *newest = tsr_module_write_bytecode(m, 0, &len);
  assert_non_null(newest);
  assert_true(tsr_is_bytecode(newest, len));
  assert_false(tsr_is_bytecode(newest, 7));
  assert_false(tsr_is_bytecode(NULL, 8));
  assert_false(tsr_is_bytecode(counter, strlen(counter)));
  char *same = tsr_module_write_bytecode(m, TSR_BYTECODE_NEWEST, &len2);
  assert_int_equal(len, len2);
  assert_memory_equal(newest, same, len);
  assert_null(tsr_module_write_bytecode(m, TSR_BYTECODE_VERSION(13, 2), &len2));
  assert_int_equal(len2, 0);
  assert_non_null(strstr(said.v[0].text, "13.3"));
  said.n = 0;
  assert_null(tsr_module_write_bytecode(m, TSR_BYTECODE_VERSION(13, 9), NULL));
  assert_non_null(strstr(said.v[0].text, "bytecode of version 13.9 cannot be written"));
  assert_null(tsr_module_write_bytecode(m, TSR_BYTECODE_VERSION(14, 1), NULL));
  assert_null(tsr_module_write_bytecode(NULL, 0, &len2));
  tsr_module_destroy(m);

  m = tsr_module_read_bytecode(ctx, newest, len, NULL, TSR_PARSE_KEEP_COMMENTS);
  assert_non_null(m);
  assert_int_equal(tsr_module_kernel_count(m), 1);
  tsr_parameter p;
  assert_int_equal(tsr_module_kernel_parameters(m, "k", &p, 1), 1);
  assert_null(p.name);
  assert_true(p.is_pointer);
  assert_int_equal(tsr_module_verify(m), TSR_OK);
  tsr_module_destroy(m);

  said.n = 0;
  assert_null(tsr_module_read_bytecode(ctx, counter, strlen(counter), NULL, 0));
  assert_non_null(strstr(said.v[0].text, "this is no Tile IR bytecode"));
  said.n = 0;
  assert_null(tsr_module_read_bytecode(ctx, NULL, 5, NULL, 0));
  assert_null(tsr_module_read_bytecode(ctx, newest, len, NULL, 64));
  assert_null(tsr_module_read_bytecode(ctx, newest, (size_t)2 << 30, NULL, 0));
  assert_int_equal(said.n, 3);
  assert_null(tsr_module_read_bytecode(NULL, newest, len, NULL, 0));
  tsr_string_free(ctx, newest);
  tsr_string_free(ctx, same);
  tsr_context_destroy(ctx);
}

/* A module that is wrong is not written, and one that is read is checked. */
static void test_verifier_is_asked(void **state) {
  (void)state;
  static const char text[] = "cuda_tile.module @m { entry @k(%x: tile<4xf32>) { } }";
  tsr_context *ctx = make_context(0);
  ir_module *m = read_text(ctx, text, 0);
  assert_non_null(m);
  assert_null(tsr_module_write_bytecode(m, 0, NULL));
  assert_int_equal(said.n, 1);
  bytes b = write_unverified(ctx, m, 3);
  assert_non_null(b.data);
  assert_null(read_bytes(ctx, b.data, b.len, TSR_PARSE_DEFAULT));
  assert_non_null(strstr(said.v[0].text, "must have rank 0"));
  ir_module *back = read_bytes(ctx, b.data, b.len, TSR_PARSE_NO_VERIFY);
  assert_non_null(back);
  free(b.data);
  tsr_module_destroy(back);
  tsr_module_destroy(m);
  tsr_context_destroy(ctx);
}

/* Behind a kernel's hints stands, since 13.5, a list of dictionaries. */
static void test_argument_attributes(void **state) {
  (void)state;
  static const struct {
    uint8_t behind[6];
    const char *message; /* NULL: right */
  } cases[] = {
      {{11, 0, 6, 0}, NULL},
      {{11, 0, 10, 0}, "the attributes of @k's arguments have tag 10; expected an array (6)"},
      {{11, 0, 6, 1, 10, 1}, "argument 0 of @k has attributes; none are known"},
      {{11, 0, 6, 1, 3, 1}, "argument 0 of @k has attributes; none are known"},
  };
  tsr_context *ctx = make_context(0);
  ir_module *k = read_text(ctx, "cuda_tile.module @m { entry @k() { } }", 0);
  assert_non_null(k);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    bytes b = write_unverified(ctx, k, V13_5);
    uint8_t *at = memmem(b.data, b.len, cases[0].behind, 4);
    assert_non_null(at);
    memcpy(at, cases[i].behind, cases[i].behind[4] ? 6 : 4);
    tsr_module *m = read_bytes(ctx, b.data, b.len, 0);
    assert_int_equal(m != NULL, cases[i].message == NULL);
    if (!m) assert_non_null(strstr(said.v[0].text, cases[i].message));
    tsr_module_destroy(m);
    free(b.data);
  }
  tsr_module_destroy(k);
  tsr_context_destroy(ctx);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_argument_attributes),
      cmocka_unit_test(test_smallest_file),
      cmocka_unit_test(test_small_file),
      cmocka_unit_test(test_old_file),
      cmocka_unit_test(test_every_operation),
      cmocka_unit_test(test_every_type),
      cmocka_unit_test(test_constants),
      cmocka_unit_test(test_attributes),
      cmocka_unit_test(test_modules),
      cmocka_unit_test(test_producer),
      cmocka_unit_test(test_debug_info),
      cmocka_unit_test(test_locations_that_cannot_be_written),
      cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_globals_in_old_versions),
      cmocka_unit_test(test_many_refusals),
      cmocka_unit_test(test_unknown_attributes),
      cmocka_unit_test(test_public_functions),
      cmocka_unit_test(test_verifier_is_asked),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
