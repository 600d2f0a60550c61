/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reading and printing Tile IR text: the example of every operation, types, constants, attributes,
 * old spellings, names, comments, locations, the generic form, the public functions.
 */
#include "examples.h"
#include "ir/ir.h"
#include "text_test.h"

/* ---- the example of every operation --------------------------------------------------------- */

typedef struct search {
  op_code code;
  unsigned found;
} search;

static bool count_op(void *user, ir_op *op) {
  search *s = user;
  s->found += op->opcode == s->code;
  return true;
}

static void test_examples(void **state) {
  (void)state;
  tsr_context *ctx = make_context(0);
  for (unsigned code = 1; code < OP_COUNT; code++) {
    char *text = embed_example((op_code)code);
    tsr_module *m = read_text(ctx, text, 0);
    if (!m) {
      show_messages(text);
      fail_msg("the example of '%s' cannot be read", op_table[code].name);
    }
    search s = {(op_code)code, 0};
    ir_walk(m->op, count_op, &s);
    assert_true(s.found > 0);
    tsr_module_destroy(m);
    char *printed = reprint(ctx, text, 0);
    assert_non_null(printed);
    free(printed);
    free(text);
  }
  tsr_context_destroy(ctx);
}

/* Examples are written as the printer writes them, apart from blanks and numbers. */
static void test_examples_are_canonical(void **state) {
  (void)state;
  static const op_code codes[] = {OP_cat,
                                  OP_extract,
                                  OP_addf,
                                  OP_divi,
                                  OP_load_view_tko,
                                  OP_store_view_tko,
                                  OP_get_tensor_shape,
                                  OP_atomic_red_view_tko,
                                  OP_multimem_load_reduce_view_tko,
                                  OP_multimem_reduce_view_tko,
                                  OP_multimem_store_view_tko,
                                  OP_alloca,
                                  OP_make_tensor_view,
                                  OP_cmpi,
                                  OP_join_tokens};
  tsr_context *ctx = make_context(0);
  for (unsigned i = 0; i < ARRAY_LEN(codes); i++) {
    char *text = embed_example(codes[i]), *printed = reprint(ctx, text, 0);
    assert_non_null(printed);
    if (!strstr(printed, op_table[codes[i]].example)) fail_msg("%s", printed);
    free(printed);
    free(text);
  }
  tsr_context_destroy(ctx);
}

static void test_table(void **state) {
  (void)state;
  char out[256];
  const char *problem = op_table_check(out, sizeof out);
  if (problem) fail_msg("%s", problem);
}

/* ---- one line, read and printed ------------------------------------------------------------- */

/* Prints `line` (inside a kernel with `arguments`) and expects `expected` among the output. */
static void check_line(tsr_context *ctx, const char *arguments, const char *line,
                       const char *expected) {
  char *text = in_kernel(arguments, line), *printed = reprint(ctx, text, 0);
  if (!printed) {
    show_messages(text);
    fail_msg("this was not accepted");
  }
  if (!strstr(printed, expected)) fail_msg("expected\n  %s\nin\n%s", expected, printed);
  free(printed);
  free(text);
}

static void test_types(void **state) {
  (void)state;
  static const char *const types[][2] = {
      {"tile<f32>", NULL},
      {"tile<4x8xf32>", NULL},
      {"tile < 4x8xbf16 >", "tile<4x8xbf16>"},
      {"tile<4 x 8 x f16>", "tile<4x8xf16>"},
      {"!cuda_tile.tile<2x!cuda_tile.ptr<i32>>", "tile<2xptr<i32>>"},
      {"! cuda_tile.tile < !cuda_tile.ptr < f32 >>", "tile<ptr<f32>>"},
      {"cuda_tile.tile<i1>", "tile<i1>"},
      {"tile<2xf4E2M1FN>", NULL},
      {"tile<f8E4M3FN>", NULL},
      {"tile<f8E5M2>", NULL},
      {"tile<f8E8M0FNU>", NULL},
      {"tile<tf32>", NULL},
      {"tile<i4>", NULL},
      {"token", NULL},
      {"!cuda_tile.token", "token"},
      {"tensor_view<f32>", NULL},
      {"tensor_view<? x ? xf32, strides = [ ? , 1 ]>", "tensor_view<?x?xf32, strides=[?,1]>"},
      {"tensor_view<4x?xi64, strides=[5,?]>", NULL},
      {"partition_view<tile=(2), tensor_view<16xf32, strides=[1]>>", NULL},
      {"partition_view < tile = ( 128x64 ), tensor_view < ? x ? xf16 , strides = [ ? , 1 ]> , "
       "dim_map = [ 1 , 0 ]>",
       "partition_view<tile=(128x64), tensor_view<?x?xf16, strides=[?,1]>, dim_map=[1, 0]>"},
      {"partition_view<tile=(2x2), tensor_view<16x16xf32, strides=[16,1]>, dim_map=[0, 1]>",
       "partition_view<tile=(2x2), tensor_view<16x16xf32, strides=[16,1]>>"},
      {"partition_view<tile=(2), padding_value = neg_inf, tensor_view<16xf32, strides=[1]>>", NULL},
      {"partition_view<tile=(2), view=tensor_view<16xf32, strides=[1]>>",
       "partition_view<tile=(2), tensor_view<16xf32, strides=[1]>>"},
      {"strided_view<tile=(8x2), traversal_strides=[4,1], padding_value = nan, "
       "tensor_view<64x64xf32, strides=[64,1]>, dim_map=[1, 0]>",
       NULL},
      {"gather_scatter_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>, sparse_dim=1>",
       NULL},
      {"gather_scatter_view<tile=(4x8), padding_value = zero, "
       "tensor_view<64x64xf32, strides=[64,1]>, sparse_dim=0>",
       NULL},
  };
  tsr_context *ctx = make_context(0);
  for (unsigned i = 0; i < ARRAY_LEN(types); i++) {
    char arguments[512], expected[512];
    snprintf(arguments, sizeof arguments, "%%x: %s", types[i][0]);
    snprintf(expected, sizeof expected, "%%x: %s)", types[i][1] ? types[i][1] : types[i][0]);
    check_line(ctx, arguments, "return", expected);
  }
  tsr_context_destroy(ctx);
}

static void test_constants(void **state) {
  (void)state;
  static const char *const constants[][2] = {
      {"<i32: 5> : tile<i32>", NULL},
      {"<i32: [5, 5]> : tile<2xi32>", "<i32: 5> : tile<2xi32>"},
      {"<i32: [[1, 2], [3, 4]]> : tile<2x2xi32>", NULL},
      {"<i32: [[[1], [2]]]> : tile<1x2x1xi32>", NULL},
      {"<i8: 255> : tile<i8>", "<i8: -1>"},
      {"<i8: 0xFF> : tile<i8>", "<i8: -1>"},
      {"<i8: -128> : tile<i8>", NULL},
      {"<i64: -9223372036854775808> : tile<i64>", NULL},
      {"<i64: 0x7FFFFFFFFFFFFFFF> : tile<i64>", "<i64: 9223372036854775807>"},
      {"<i1: true> : tile<i1>", NULL},
      {"<i1: [true, false]> : tile<2xi1>", NULL},
      {"<i1: [0, -1, 1, 0]> : tile<4xi1>", "<i1: [false, true, true, false]>"},
      {"<f32: 1.0> : tile<f32>", "<f32: 1.000000e+00>"},
      {"<f32: 1.> : tile<f32>", "<f32: 1.000000e+00>"},
      {"<f32: -0.0> : tile<f32>", "<f32: -0.000000e+00>"},
      {"<f32: 0.1> : tile<f32>", "<f32: 1.000000e-01>"},
      {"<f32: 3.14159265> : tile<f32>", "<f32: 3.14159274>"},
      {"<f32: 1.0e-45> : tile<f32>", "<f32: 1.401300e-45>"},
      {"<f32: 1.17549435e-38> : tile<f32>", "<f32: 1.17549435E-38>"},
      {"<f32: 16777216.0> : tile<f32>", "<f32: 0x4B800000>"},
      {"<f32: 123456789.0> : tile<f32>", "<f32: 0x4CEB79A3>"},
      {"<f32: 1234567.5> : tile<f32>", "<f32: 1234567.5>"},
      {"<f32: 1.0e10> : tile<f32>", "<f32: 1.000000e+10>"},
      {"<f32: 1.2345679e-6> : tile<f32>", "<f32: 1.23456789E-6>"},
      {"<f32: 0.0012345679> : tile<f32>", "<f32: 0.00123456796>"},
      {"<f32: 0x7F800000> : tile<f32>", NULL},
      {"<f32: 0xFF800000> : tile<f32>", NULL},
      {"<f32: 0x7FC00000> : tile<f32>", NULL},
      {"<f32: 0x3F800000> : tile<f32>", "<f32: 1.000000e+00>"},
      {"<f32: [0.0, -0.0]> : tile<2xf32>", "<f32: [0.000000e+00, -0.000000e+00]>"},
      {"<f32: 1.0e60> : tile<f32>", "<f32: 0x7F800000>"},
      {"<f64: 2.718281828459045> : tile<f64>", "<f64: 2.7182818284590451>"},
      {"<f64: 0.1> : tile<f64>", "<f64: 1.000000e-01>"},
      {"<f64: 1.0e400> : tile<f64>", "<f64: 0x7FF0000000000000>"},
      {"<f64: 4.9406564584124654e-324> : tile<f64>", "<f64: 4.940660e-324>"},
      {"<f16: -3.14159> : tile<f16>", "<f16: -3.140630e+00>"},
      {"<f16: 70000.0> : tile<f16>", "<f16: 0x7C00>"},
      {"<f16: 65519.0> : tile<f16>", "<f16: 6.550400e+04>"},
      {"<f16: 65520.0> : tile<f16>", "<f16: 0x7C00>"},
      {"<f16: 0x3C00> : tile<f16>", "<f16: 1.000000e+00>"},
      {"<bf16: 5.5> : tile<bf16>", "<bf16: 5.500000e+00>"},
      {"<tf32: 1.5> : tile<tf32>", "<tf32: 1.500000e+00>"},
      {"<f8E4M3FN: 448.0> : tile<f8E4M3FN>", "<f8E4M3FN: 4.480000e+02>"},
      {"<f8E4M3FN: 0x7F> : tile<f8E4M3FN>", "<f8E4M3FN: 0x7F>"},
      {"<f8E5M2: 0.5> : tile<f8E5M2>", "<f8E5M2: 5.000000e-01>"},
      {"<f8E8M0FNU: 4.0> : tile<f8E8M0FNU>", "<f8E8M0FNU: 4.000000e+00>"},
      {"<f4E2M1FN: [1.0, 6.0]> : tile<2xf4E2M1FN>", "<f4E2M1FN: [1.000000e+00, 6.000000e+00]>"},
      {"<f4E2M1FN: [0x2, 0x4]> : tile<2xf4E2M1FN>", "<f4E2M1FN: [1.000000e+00, 2.000000e+00]>"},
      {"< i32 : 64 > : tile < 64x64xi32 >", "<i32: 64> : tile<64x64xi32>"},
      {"dense<0> : tile<i64>", "<i64: 0> : tile<i64>"},
      {"dense<[0.5, 1.0]> : tile<2xf16>", "<f16: [5.000000e-01, 1.000000e+00]> : tile<2xf16>"},
      {"dense<[[0, 1], [2, 3]]>\n      : tile<2x2xi8>", "<i8: [[0, 1], [2, 3]]> : tile<2x2xi8>"},
  };
  tsr_context *ctx = make_context(0);
  for (unsigned i = 0; i < ARRAY_LEN(constants); i++) {
    char line[256], expected[256];
    snprintf(line, sizeof line, "%%c = constant %s", constants[i][0]);
    snprintf(expected, sizeof expected, "%%c = constant %s",
             constants[i][1] ? constants[i][1] : constants[i][0]);
    check_line(ctx, "", line, expected);
  }
  tsr_context_destroy(ctx);
}

/* A literal is rounded once, not first to double. */
static void test_rounding_of_literals(void **state) {
  (void)state;
  static const struct {
    const char *literal;
    tsr_elem elem;
    uint64_t bits;
  } cases[] = {
      /* Half-way between 1 and the next f16, and a hair above and below it. */
      {"1.00048828125", TSR_F16, 0x3c00},
      {"1.0004882812500000000000000000001", TSR_F16, 0x3c01},
      {"1.0004882812499999999999999999999", TSR_F16, 0x3c00},
      {"1.00146484375", TSR_F16, 0x3c02},
      {"1.0014648437499999999999999999999", TSR_F16, 0x3c01},
      {"1.00000005960464477539062500000000000000000001", TSR_F32, 0x3f800001},
      {"1.000000059604644775390625", TSR_F32, 0x3f800000},
      {"100048828125.0000000000000000001e-11", TSR_F16, 0x3c01},
      {"0.000100048828125e4", TSR_F16, 0x3c00},
      {"65519.99999999999999999999", TSR_F16, 0x7bff},
      {"1.00390625", TSR_BF16, 0x3f80},
      {"1.003906250000000000000000000001", TSR_BF16, 0x3f81},
      {"2.5", TSR_F4E2M1FN, 0x4},
      {"2.50000000000000000000000001", TSR_F4E2M1FN, 0x5},
  };
  tsr_context *ctx = make_context(0);
  for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
    char line[256];
    const char *type = tsr_elem_name(cases[i].elem);
    snprintf(line, sizeof line, "%%c = constant <%s: [%s, %s]> : tile<2x%s>", type,
             cases[i].literal, cases[i].literal, type);
    char *text = in_kernel("", line);
    tsr_module *m = read_text(ctx, text, 0);
    if (!m) show_messages(text);
    assert_non_null(m);
    const ir_op *constant = ir_region(ir_region(m->op, 0)->first, 0)->first;
    const ir_dense *d = ir_get_attr(constant, ATTR_value)->dense;
    if (ir_dense_get(d, 0) != cases[i].bits)
      fail_msg("%s: 0x%llx", line, (unsigned long long)ir_dense_get(d, 0));
    tsr_module_destroy(m);
    free(text);
  }
  tsr_context_destroy(ctx);
}

/* Every pattern of the small formats survives printing and reading. */
static void test_all_small_patterns(void **state) {
  (void)state;
  static const tsr_elem elems[] = {TSR_F8E4M3FN, TSR_F8E5M2, TSR_F8E8M0FNU, TSR_F4E2M1FN,
                                   TSR_F16,      TSR_BF16,   TSR_TF32};
  tsr_context *ctx = make_context(0);
  for (unsigned k = 0; k < ARRAY_LEN(elems); k++) {
    tsr_elem e = elems[k];
    unsigned bits = tsr_elem_bits(e) == 32 ? 19 : tsr_elem_bits(e);
    unsigned shift = tsr_elem_bits(e) - bits, n = bits > 12 ? 4096 : 1u << bits;
    size_t size = 64 + n * 12, len;
    char *body = malloc(size);
    len = (size_t)snprintf(body, size, "%%c = constant <%s: [", tsr_elem_name(e));
    for (unsigned i = 0; i < n; i++)
      len += (size_t)snprintf(body + len, size - len, "%s0x%X", i ? ", " : "",
                              bits > 12 ? i * (1u << (bits - 12)) + i % 16 : i);
    snprintf(body + len, size - len, "]> : tile<%ux%s>", n, tsr_elem_name(e));
    char *text = in_kernel("", body), *printed = reprint(ctx, text, 0);
    assert_non_null(printed);
    tsr_module *m = read_text(ctx, printed, 0);
    const ir_op *constant = ir_region(ir_region(m->op, 0)->first, 0)->first;
    const ir_dense *d = ir_get_attr(constant, ATTR_value)->dense;
    for (unsigned i = 0; i < n; i++) {
      uint64_t want = (uint64_t)(bits > 12 ? i * (1u << (bits - 12)) + i % 16 : i) << shift;
      if (ir_dense_get(d, i) != want)
        fail_msg("%s: 0x%llx became 0x%llx", tsr_elem_name(e), (unsigned long long)want,
                 (unsigned long long)ir_dense_get(d, i));
    }
    tsr_module_destroy(m);
    free(printed);
    free(text);
    free(body);
  }
  tsr_context_destroy(ctx);
}

typedef struct line_case {
  const char *arguments, *line, *expected; /* NULL: as it is */
} line_case;

static const line_case lines[] = {
    /* defaults are left out, flags come in any order */
    {"%x: tile<f32>", "%r = addf %x, %x rounding<nearest_even> : tile<f32>",
     "%r = addf %x, %x : tile<f32>"},
    {"%x: tile<i32>", "%r = divi %x, %x signed rounding<zero> : tile<i32>",
     "%r = divi %x, %x signed : tile<i32>"},
    {"%x: tile<i32>", "%r = addi %x, %x overflow<none> : tile<i32>",
     "%r = addi %x, %x : tile<i32>"},
    {"%x: tile<i32>", "%r = addi %x, %x overflow<no_wrap> : tile<i32>", NULL},
    {"%x: tile<f32>", "%r = maxf %x, %x propagate_nan flush_to_zero : tile<f32>",
     "%r = maxf %x, %x flush_to_zero propagate_nan : tile<f32>"},
    {"%x: tile<f32>", "%r = fma %x, %x, %x rounding<zero> flush_to_zero : tile<f32>", NULL},
    {"%x: tile<f32>", "%r = exp %x rounding<full> : tile<f32>", "%r = exp %x : tile<f32>"},
    {"%x: tile<f32>", "%r = ftoi %x signed rounding<nearest_int_to_zero> : tile<f32> -> tile<i32>",
     "%r = ftoi %x signed : tile<f32> -> tile<i32>"},
    /* optional operands */
    {"%p: tile<8xptr<f32>>, %m: tile<8xi1>, %z: tile<8xf32>, %t: token",
     "%r, %s = load_ptr_tko acquire device %p, %m, %z token=%t optimization_hints = "
     "<sm_100 = {latency = 3}> : tile<8xptr<f32>>, tile<8xi1>, tile<8xf32> -> tile<8xf32>, token",
     NULL},
    {"%p: tile<8xptr<f32>>, %t: token",
     "%r, %s = load_ptr_tko weak %p token = %t : tile<8xptr<f32>> -> tile<8xf32>, token",
     "load_ptr_tko weak %p token=%t :"},
    {"%p: tile<8xptr<i32>>, %x: tile<8xi32>, %m: tile<8xi1>",
     "%r, %s = atomic_rmw_tko acq_rel sys %p, xchg, %x, %m : tile<8xptr<i32>>, tile<8xi32>, "
     "tile<8xi1> -> tile<8xi32>, token",
     NULL},
    {"%x: tile<f32>, %t: token", "%r = print_tko \"a %f\", %x token=%t : tile<f32> -> token", NULL},
    {"%t: token", "%r = print_tko \"a\" token=%t -> token", NULL},
    {"%v: gather_scatter_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>, sparse_dim=0>, "
     "%i: tile<4xi32>, %j: tile<i32>",
     "%r, %s = load_view_tko weak %v[%i, %j] : gather_scatter_view<tile=(4x8), "
     "tensor_view<64x64xf32, strides=[64,1]>, sparse_dim=0>, tile<4xi32>, tile<i32> -> "
     "tile<4x8xf32>, token",
     NULL},
    {"%t: tile<f32>", "%r = extract %t[] : tile<f32> -> tile<f32>", NULL},
    {"%p: tile<ptr<f32>>", "%v = make_tensor_view %p, shape = [], strides = [] : tensor_view<f32>",
     NULL},
    /* assume */
    {"%x: tile<4xi32>", "%r = assume div_by<8, every 2 along 0>, %x : tile<4xi32>", NULL},
    {"%x: tile<4xi32>", "%r = assume #cuda_tile.div_by < 16 > , %x : tile<4xi32>",
     "%r = assume div_by<16>, %x : tile<4xi32>"},
    {"%x: tile<4xi32>", "%r = assume same_elements<[4]>, %x : tile<4xi32>", NULL},
    {"%x: tile<i32>", "%r = assume same_elements<[]>, %x : tile<i32>", NULL},
    {"%x: tile<i32>", "%r = assume bounded<?, 4>, %x : tile<i32>", NULL},
    {"%x: tile<i32>", "%r = assume bounded<-4, ?>, %x : tile<i32>", NULL},
    {"%x: tile<i64>",
     "%r = assume bounded<-9223372036854775808, 9223372036854775807>, %x : tile<i64>", NULL},
    /* control flow */
    {"%c: tile<i1>", "if %c {\n      yield\n    }", "if %c {\n    }\n"},
    {"%c: tile<i1>", "if %c {} else {}", "if %c {\n    } else {\n    }\n"},
    {"%c: tile<i1>", "if %c { return } else { return }",
     "if %c {\n      return\n    } else {\n      return\n    }\n"},
    {"%n: tile<i32>", "for unsigned %i in (%n to %n, step %n) : tile<i32> { continue }",
     "for unsigned %i in (%n to %n, step %n) : tile<i32> {\n    }\n"},
    {"%n: tile<i32>", "loop { break }", "loop {\n      break\n    }"},
    {"%n: tile<i32>", "%r = loop : tile<i32> {}", "%r = loop : tile<i32> {\n    }"},
    {"%n: tile<i32>",
     "%r:2 = loop iter_values(%a = %n, %b = %n) : tile<i32>, tile<i32> -> tile<i32>, tile<f32> {}",
     "%r:2 = loop iter_values(%a = %n, %b = %n) : tile<i32>, tile<i32> -> tile<i32>, tile<f32> "
     "{\n    }"},
    {"%n: tile<i32>",
     "%r:2 = for %i in (%n to %n, step %n) : tile<i32> iter_values(%a = %n, %b = %n) -> "
     "(tile<i32>, tile<i32>) {\n      continue %r1, %b : tile<i32>, tile<i32>\n    }",
     NULL},
    /* results */
    {"", "%x, %y, %z = get_tile_block_id : tile<i32>", NULL},
    {"", "%g:3 = get_tile_block_id : tile<i32>\n    %r = addi %g#0, %g#2 : tile<i32>", NULL},
    {"", "get_tile_block_id : tile<i32>",
     "%blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>"},
    {"%v: tensor_view<?x8xf32, strides=[8,1]>",
     "get_tensor_shape %v : tensor_view<?x8xf32, strides=[8,1]> -> tile<i64>",
     "%0:2 = get_tensor_shape %v : tensor_view<?x8xf32, strides=[8,1]> -> tile<i64>"},
    /* reductions */
    {"%x: tile<8xf32>, %y: tile<8xi32>",
     "%r:2 = reduce %x, %y dim=0 identities=[0xFF800000 : f32, -1 : i32] : tile<8xf32>, "
     "tile<8xi32> -> tile<f32>, tile<i32>\n    (%a: tile<f32>, %b: tile<f32>, %c: tile<i32>, "
     "%d: tile<i32>) {\n      yield %a, %c : tile<f32>, tile<i32>\n    }",
     NULL},
    {"%x: tile<8xi1>",
     "%r = scan %x dim=0 reverse=true identities=[false] : tile<8xi1> -> tile<8xi1>\n    "
     "(%a: tile<i1>, %b: tile<i1>) {\n      yield %a : tile<i1>\n    }",
     NULL},
    /* strings */
    {"", "%t = print_tko \"tab\\t quote\\\" back\\\\ hex\\41\\0A\" -> token",
     "print_tko \"tab\\09 quote\\22 back\\\\ hexA\\0A\" -> token"},
    {"", "%t = print_tko \"\xc3\xa9 \xff\" -> token", "print_tko \"\\C3\\A9 \\FF\" -> token"},
    /* attributes that the operation does not have */
    {"%x: tile<f32>", "%r = addf %x, %x {a = 1 : i32, b, c = [1, {d = \"}\"}]} : tile<f32>", NULL},
    {"%x: tile<f32>", "%r = addf %x, %x {rounding_mode = #cuda_tile.rounding<zero>} : tile<f32>",
     "%r = addf %x, %x rounding<zero> : tile<f32>"},
    {"%c: tile<i1>", "if %c {\n    } {k = 1}", NULL},
    /* old spellings */
    {"", "print \"hello\"", "%result_token = print_tko \"hello\" -> token"},
    {"%x: tile<i32>", "cuda_tile.print \" %i \" , %x : tile < i32 >",
     "print_tko \" %i \", %x : tile<i32> -> token"},
    {"%p: tile<ptr<i32>>, %x: tile<i32>, %t1: token",
     "%r , %t2 = atomic_cas_tko relaxed device %p , %x , %x token =% t1 : tile <! cuda_tile.ptr < "
     "i32 >> , tile < i32 > -> tile < i32 > , !cuda_tile.token",
     "%r, %t2 = atomic_cas_tko relaxed device %p, %x, %x token=%t1 : tile<ptr<i32>>, tile<i32> -> "
     "tile<i32>, token"},
    /* several operations on a line */
    {"%x: tile<f32>", "%a = negf %x : tile<f32> %b = negf %a : tile<f32>",
     "%a = negf %x : tile<f32>\n    %b = negf %a : tile<f32>\n"},
    {"%x: tile<f32>", "%a = negf %x\n      : tile<\n  f32\n>", "%a = negf %x : tile<f32>"},
};

static void test_lines(void **state) {
  (void)state;
  tsr_context *ctx = make_context(0);
  for (unsigned i = 0; i < ARRAY_LEN(lines); i++) {
    char line[1024];
    snprintf(line, sizeof line, "%s", lines[i].line);
    /* One case uses a value of its own results' name in its body, which is not visible there. */
    char *r1 = strstr(line, "%r1");
    if (r1) memcpy(r1, "%i ", 3);
    check_line(ctx, lines[i].arguments, line, lines[i].expected ? lines[i].expected : "return");
    if (!lines[i].expected && !r1) check_line(ctx, lines[i].arguments, line, line);
  }
  tsr_context_destroy(ctx);
}

static void test_module_level(void **state) {
  (void)state;
  static const char *const texts[][2] = {
      {"global constant @g <f32 : [1.0, 2.0]> : tile<2xf32>",
       "global constant @g <f32: [1.000000e+00, 2.000000e+00]> : tile<2xf32>"},
      {"global public @g <i32: [42]> : tile<1xi32>", "global @g <i32: 42> : tile<1xi32>"},
      {"global private constant @g alignment = 128 <i32: 1> : tile<1xi32>", NULL},
      {"global @val dense<[0.5, 0.25]> : tile<2xf32>",
       "global @val <f32: [5.000000e-01, 2.500000e-01]> : tile<2xf32>"},
      {"global @\"a b\" <i32: 1> : tile<1xi32>", NULL},
      {"cuda_tile.entry @k(%a: tile<f32>) optimization_hints=<sm_100 = {num_cta_in_cga = 2, "
       "allow_tma = true}, default = {occupancy = 2}> {}",
       "entry @k(%a: tile<f32>) optimization_hints=<default = {occupancy = 2}, sm_100 = "
       "{allow_tma = true, num_cta_in_cga = 2}> {\n    return\n  }"},
      {"entry @k() optimization_hints=<> {}", "entry @k() {\n    return\n  }"},
  };
  tsr_context *ctx = make_context(0);
  for (unsigned i = 0; i < ARRAY_LEN(texts); i++) {
    char text[512];
    snprintf(text, sizeof text, "cuda_tile.module @m {\n  %s\n}\n", texts[i][0]);
    char *printed = reprint(ctx, text, 0);
    if (!printed) {
      show_messages(text);
      fail_msg("this was not accepted");
    }
    const char *expected = texts[i][1] ? texts[i][1] : texts[i][0];
    if (!strstr(printed, expected)) fail_msg("expected\n  %s\nin\n%s", expected, printed);
    free(printed);
  }
  char *printed =
      reprint(ctx, "module {\n cuda_tile.module @m attributes {producer = \"p\"} {}\n}", 0);
  assert_string_equal(printed, "cuda_tile.module @m attributes {producer = \"p\"} {\n}\n");
  free(printed);
  printed = reprint(ctx, "module attributes {gpu.x} { cuda_tile.module @m {} }", 0);
  assert_string_equal(printed, "cuda_tile.module @m {\n}\n");
  free(printed);
  tsr_context_destroy(ctx);
}

/* ---- names ---------------------------------------------------------------------------------- */

static void test_names(void **state) {
  (void)state;
  tsr_context *ctx = make_context(0);
  char *text =
      in_kernel("%0: tile<f32>, %n: tile<i32>", "%1 = constant <i32: 1> : tile<i32>\n"
                                                "%2 = constant <i32: 1> : tile<i32>\n"
                                                "%3 = constant <i1: true> : tile<i1>\n"
                                                "%4 = constant <f32: 2.0> : tile<4xf32>\n"
                                                "%5 = constant <f32: -2.0> : tile<f32>\n"
                                                "%6 = constant <i32: -7> : tile<i32>\n"
                                                "%7 = constant <i32: [1, 2]> : tile<2xi32>\n"
                                                "%8 = negf %0 : tile<f32>\n"
                                                "for %9 in (%1 to %2, step %n) : tile<i32> {\n"
                                                "  %10 = addi %9, %9 : tile<i32>\n"
                                                "}\n"
                                                "%11 = absf %8 : tile<f32>");
  char *printed = reprint(ctx, text, 0);
  static const char *const expected[] = {
      "entry @k(%arg0: tile<f32>, %n: tile<i32>)",
      "%cst_1_i32 = constant <i32: 1>",
      "%cst_1_i32_0 = constant <i32: 1>",
      "%true = constant <i1: true>",
      "%cst_2_f32 = constant",
      "%cst_f32 = constant",
      "%cst_-7_i32 = constant",
      "%cst_i32 = constant <i32: [1, 2]>",
      "%0 = negf %arg0",
      "for %loopIdx in (%cst_1_i32 to %cst_1_i32_0, step %n)",
      "%1 = addi %loopIdx, %loopIdx",
      "%2 = absf %0",
  };
  assert_non_null(printed);
  for (unsigned i = 0; i < ARRAY_LEN(expected); i++)
    if (!strstr(printed, expected[i])) fail_msg("expected %s in\n%s", expected[i], printed);
  free(printed);
  free(text);
  tsr_context_destroy(ctx);
}

/* Passes may leave several values with one name, or names that are no names. */
static void test_clashing_names(void **state) {
  (void)state;
  tsr_context *ctx = make_context(0);
  char *text = in_kernel("%x: tile<f32>", "%a = negf %x : tile<f32>\n%b = negf %a : tile<f32>\n"
                                          "%c = negf %b : tile<f32>\n%d = negf %c : tile<f32>");
  tsr_module *m = read_text(ctx, text, 0);
  ir_op *op = ir_region(ir_region(m->op, 0)->first, 0)->first;
  ir_set_name(m, &op->results[0], STR("x"));
  ir_set_name(m, &op->next->results[0], STR("x"));
  ir_set_name(m, &op->next->next->results[0], STR("no name!"));
  char *printed = tsr_module_print(m, NULL);
  assert_non_null(strstr(printed, "%x_0 = negf %x : tile<f32>\n    %x_1 = negf %x_0 : tile<f32>\n"
                                  "    %0 = negf %x_1 : tile<f32>\n    %d = negf %0"));
  tsr_module *again = read_text(ctx, printed, 0);
  assert_non_null(again);
  tsr_module_destroy(again);
  tsr_module_destroy(m);
  tsr_string_free(ctx, printed);
  free(text);
  tsr_context_destroy(ctx);
}

static void test_print_op(void **state) {
  (void)state;
  tsr_context *ctx = make_context(0);
  char *text = in_kernel("%x: tile<f32>", "%0 = negf %x : tile<f32>\n%1 = negf %0 : tile<f32>\n"
                                          "%c = constant <i1: true> : tile<i1>\n"
                                          "if %c {\n  %2 = addf %1, %x : tile<f32>\n}");
  tsr_module *m = read_text(ctx, text, 0);
  ir_op *op = ir_region(ir_region(m->op, 0)->first, 0)->first;
  sbuf b = SBUF(&m->arena);
  text_print_op(&b, m, op->next);
  assert_string_equal(b.data, "%1 = negf %0 : tile<f32>");
  b = SBUF(&m->arena);
  text_print_op(&b, m, op->next->next->next);
  assert_string_equal(b.data, "if %c");
  b = SBUF(&m->arena);
  text_print_op(&b, m, ir_region(op->next->next->next, 0)->first);
  assert_string_equal(b.data, "%2 = addf %1, %x : tile<f32>");
  b = SBUF(&m->arena);
  text_print_op(&b, m, ir_region(m->op, 0)->first);
  assert_string_equal(b.data, "entry @k(%x: tile<f32>)");
  tsr_module_destroy(m);
  free(text);
  tsr_context_destroy(ctx);
}

/* ---- comments ------------------------------------------------------------------------------- */

static void test_comments(void **state) {
  (void)state;
  static const char text[] = "// first\n"
                             "\n"
                             "// second\n"
                             "cuda_tile.module @m { // opens\n"
                             "  // the kernel\n"
                             "  entry @k(%x: tile<f32>) {\n"
                             "\n"
                             "    // a\n"
                             "    %a = negf %x : tile<f32> // behind a\n"
                             "\n"
                             "\n"
                             "    %b = negf %a // inside b\n"
                             "      : tile<f32>\n"
                             "    // b1\n"
                             "\n"
                             "    // b2\n"
                             "    %c = constant <i1: true> : tile<i1>\n"
                             "    if %c {\n"
                             "      // only this\n"
                             "    }\n"
                             "    return\n"
                             "    // before the end\n"
                             "  } // kernel's end\n"
                             "  // module's end\n"
                             "} // behind\n"
                             "// last\n";
  static const char expected[] = "// first\n"
                                 "\n"
                                 "// second\n"
                                 "cuda_tile.module @m {\n"
                                 "  // opens\n"
                                 "  // the kernel\n"
                                 "  entry @k(%x: tile<f32>) {\n"
                                 "    // a\n"
                                 "    %a = negf %x : tile<f32> // behind a\n"
                                 "\n"
                                 "    // inside b\n"
                                 "    %b = negf %a : tile<f32>\n"
                                 "    // b1\n"
                                 "\n"
                                 "    // b2\n"
                                 "    %c = constant <i1: true> : tile<i1>\n"
                                 "    if %c {\n"
                                 "      // only this\n"
                                 "    }\n"
                                 "    return\n"
                                 "    // before the end\n"
                                 "  } // kernel's end\n"
                                 "  // module's end\n"
                                 "} // behind\n"
                                 "// last\n";
  tsr_context *ctx = make_context(0);
  char *printed = reprint(ctx, text, TSR_PARSE_KEEP_COMMENTS);
  assert_non_null(printed);
  assert_string_equal(printed, expected);
  free(printed);
  printed = reprint(ctx, text, 0);
  assert_null(strstr(printed, "//"));
  free(printed);
  tsr_context_destroy(ctx);
}

/* A comment is any bytes up to the end of its line. */
static void test_comments_of_any_bytes(void **state) {
  (void)state;
  static const char text[] = "cuda_tile.module @m {\n"
                             "  entry @k(%x: tile<f32>) {\n"
                             "    // one\0more\n"
                             "    %a = negf %x // in\0side\n"
                             "      : tile<f32>\n"
                             "    return\n"
                             "  }\n"
                             "}\n";
  static const char expected[] = "    // one\0more\n"
                                 "    // in\0side\n"
                                 "    %a = negf";
  tsr_context *ctx = make_context(0);
  tsr_module *m = tsr_module_parse(ctx, text, sizeof text - 1, "t", TSR_PARSE_KEEP_COMMENTS);
  assert_non_null(m);
  size_t n;
  char *printed = tsr_module_print(m, &n);
  assert_non_null(memmem(printed, n, expected, sizeof expected - 1));
  tsr_string_free(ctx, printed);
  tsr_module_destroy(m);
  tsr_context_destroy(ctx);
}

/* ---- locations ------------------------------------------------------------------------------ */

static void test_locations(void **state) {
  (void)state;
  static const char text[] =
      "#file = #cuda_tile.di_file<\"foo.py\" in \"/tmp/\">\n"
      "#unit = #cuda_tile.di_compile_unit<file = #file>\n"
      "#func = #cuda_tile.di_subprogram<file = #file, line = 1, name = \"k\", linkageName = \"k\", "
      "compileUnit = #unit, scopeLine = 2>\n"
      "#block = #cuda_tile.di_lexical_block<scope = #func, file = #file, line = 3, column = 4>\n"
      "cuda_tile.module @m {\n"
      "  entry @k(%x: tile<f32> loc(\"arg\")) {\n"
      "    %a = negf %x : tile<f32> loc(#late)\n"
      "    %b = negf %a : tile<f32> loc(callsite(\"a.py\":1:2 at fused[#late, \"n\"(#file_loc)]))\n"
      "    %c = negf %b : tile<f32> loc(\"b.py\":3:4 to 5:6)\n"
      "    %d = negf %c : tile<f32>\n"
      "    return loc(unknown)\n"
      "  } loc(#late2)\n"
      "} loc(unknown)\n"
      "#file_loc = loc(\"/tmp/foo.py\":7:8)\n"
      "#late = #cuda_tile.di_loc<#file_loc in #block>\n"
      "#late2 = #cuda_tile.di_loc<loc(\"/tmp/foo.py\":1:1) in #func>\n";
  tsr_context *ctx = make_context(0);
  char *printed = reprint(ctx, text, 0);
  if (!printed) {
    show_messages(text);
    fail_msg("this was not accepted");
  }
  static const char *const expected[] = {
      "#scope1 = #cuda_tile.di_file<\"foo.py\" in \"/tmp/\">",
      ("#scope4 = #cuda_tile.di_lexical_block<scope = #scope3, file = #scope1, line = 3, "
       "column = 4>"),
      "%d = negf %c : tile<f32>\n",
      " = loc(\"b.py\":3:4)\n",
      " in #scope4>\n",
  };
  for (unsigned i = 0; i < ARRAY_LEN(expected); i++)
    if (!strstr(printed, expected[i])) fail_msg("expected %s in\n%s", expected[i], printed);
  tsr_module *m = read_text(ctx, text, 0);
  const ir_op *a = ir_region(ir_region(m->op, 0)->first, 0)->first;
  const ir_loc_info *l = &m->locs.data[a->loc];
  assert_int_equal(l->kind, IR_LOC_DEBUG);
  assert_int_equal(m->scopes.data[l->scope - 1].kind, IR_SCOPE_BLOCK);
  place at = ir_place(m, a->loc);
  assert_string_equal(at.file, "/tmp/foo.py");
  assert_int_equal(at.line, 7);
  at = ir_place(m, a->next->next->next->loc);
  assert_ptr_equal(at.src, m->source);
  assert_int_equal(at.line, 10);
  assert_int_equal(at.column, 10);
  tsr_module_destroy(m);
  free(printed);
  tsr_context_destroy(ctx);
}

/* Scopes in which nothing lies are not written; the others are numbered without gaps. */
static void test_unused_scopes(void **state) {
  (void)state;
  static const char text[] =
      "#f = #cuda_tile.di_file<\"f\" in \"\">\n"
      "#g = #cuda_tile.di_file<\"g\" in \"\">\n"
      "#u = #cuda_tile.di_compile_unit<file = #f>\n"
      "#v = #cuda_tile.di_compile_unit<file = #g>\n"
      "#a = #cuda_tile.di_subprogram<file = #f, line = 1, name = \"a\", linkageName = \"a\", "
      "compileUnit = #u>\n"
      "#b = #cuda_tile.di_subprogram<file = #g, line = 1, name = \"b\", linkageName = \"b\", "
      "compileUnit = #v>\n"
      "#at_a = #cuda_tile.di_loc<loc(\"f\":1:1) in #a>\n"
      "#at_b = #cuda_tile.di_loc<loc(\"g\":1:1) in #b>\n"
      "cuda_tile.module @m {\n  entry @b() {\n    return\n  }%s\n}\n";
  char program[2048];
  tsr_context *ctx = make_context(0);
  snprintf(program, sizeof program, text, "");
  char *printed = reprint(ctx, program, 0);
  assert_string_equal(printed, "cuda_tile.module @m {\n  entry @b() {\n    return\n  }\n}\n");
  free(printed);
  snprintf(program, sizeof program, text, " loc(#at_b)");
  printed = reprint(ctx, program, 0);
  assert_non_null(printed);
  assert_null(strstr(printed, "\"f\""));
  assert_non_null(strstr(printed, "#scope3 = #cuda_tile.di_subprogram<file = #scope1, line = 1, "
                                  "name = \"b\", linkageName = \"b\", compileUnit = #scope2>"));
  assert_null(strstr(printed, "#scope4"));
  free(printed);
  tsr_context_destroy(ctx);
}

static void test_aliases(void **state) {
  (void)state;
  static const char text[] = "!scalar = !cuda_tile.tile<f32>\n"
                             "!elem = f16\n"
                             "#mode = #cuda_tile.rounding<zero>\n"
                             "#unused = dense<[1, 2]> : tensor<2xi32>\n"
                             "cuda_tile.module @m {\n"
                             "  entry @k(%x: !scalar, %y: tile<4x!elem>) {\n"
                             "    %a = addf %x, %x {rounding_mode = #mode} : !scalar\n"
                             "  }\n"
                             "}\n";
  tsr_context *ctx = make_context(0);
  char *printed = reprint(ctx, text, 0);
  if (!printed) {
    show_messages(text);
    fail_msg("this was not accepted");
  }
  assert_non_null(strstr(printed, "entry @k(%x: tile<f32>, %y: tile<4xf16>)"));
  assert_non_null(strstr(printed, "%a = addf %x, %x rounding<zero> : tile<f32>"));
  free(printed);
  tsr_context_destroy(ctx);
}

/* ---- the generic form ----------------------------------------------------------------------- */

static const char generic[] =
    "\"builtin.module\"() ({\n"
    "  \"cuda_tile.module\"() <{sym_name = \"m\"}> ({\n"
    "    \"cuda_tile.global\"() <{alignment = 16 : i64, sym_name = \"g\", symbol_visibility = "
    "#cuda_tile.symbol_visibility<private>, value = dense<[1, 2]> : !cuda_tile.tile<2xi32>}> : () "
    "-> ()\n"
    "    \"cuda_tile.entry\"() <{arg_attrs = [{}, {}], function_type = (!cuda_tile.tile<"
    "!cuda_tile.ptr<f32>>, !cuda_tile.tile<i32>) -> (), sym_name = \"k\"}> ({\n"
    "    ^bb0(%arg0: !cuda_tile.tile<!cuda_tile.ptr<f32>>, %arg1: !cuda_tile.tile<i32>):\n"
    "      %0 = \"cuda_tile.constant\"() <{value = dense<1.0> : !cuda_tile.tile<f32>}> : () -> "
    "!cuda_tile.tile<f32>\n"
    "      %1 = \"cuda_tile.constant\"() <{value = dense<true> : !cuda_tile.tile<i1>}> : () -> "
    "!cuda_tile.tile<i1>\n"
    "      %2:2 = \"cuda_tile.load_ptr_tko\"(%arg0) <{memory_ordering_semantics = 0 : i32, "
    "operandSegmentSizes = array<i32: 1, 0, 0, 0>}> : "
    "(!cuda_tile.tile<!cuda_tile.ptr<f32>>) -> (!cuda_tile.tile<f32>, !cuda_tile.token)\n"
    "      %3 = \"cuda_tile.addf\"(%0, %2#0) <{flush_to_zero, rounding_mode = "
    "#cuda_tile.rounding<zero>}> {extra = 1 : i32} : (!cuda_tile.tile<f32>, "
    "!cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>\n"
    "      %4 = \"cuda_tile.if\"(%1) ({\n"
    "        \"cuda_tile.yield\"(%3) : (!cuda_tile.tile<f32>) -> ()\n"
    "      }, {\n"
    "        \"cuda_tile.yield\"(%0) : (!cuda_tile.tile<f32>) -> ()\n"
    "      }) : (!cuda_tile.tile<i1>) -> !cuda_tile.tile<f32>\n"
    "      \"cuda_tile.if\"(%1) ({\n"
    "        \"cuda_tile.yield\"() : () -> ()\n"
    "      }, {\n"
    "      }) : (!cuda_tile.tile<i1>) -> ()\n"
    "      %5 = \"cuda_tile.for\"(%arg1, %arg1, %arg1, %4) ({\n"
    "      ^bb0(%arg2: !cuda_tile.tile<i32>, %arg3: !cuda_tile.tile<f32>):\n"
    "        \"cuda_tile.continue\"(%arg3) : (!cuda_tile.tile<f32>) -> ()\n"
    "      }) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>, "
    "!cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>\n"
    "      %6 = \"cuda_tile.assume\"(%arg1) <{predicate = #cuda_tile.div_by<8>}> : "
    "(!cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>\n"
    "      \"cuda_tile.return\"() : () -> ()\n"
    "    }) : () -> ()\n"
    "  }) : () -> ()\n"
    "}) : () -> ()\n";

static const char custom[] = "cuda_tile.module @m {\n"
                             "  global private @g alignment = 16 <i32: [1, 2]> : tile<2xi32>\n"
                             "  entry @k(%arg0: tile<ptr<f32>>, %arg1: tile<i32>) {\n"
                             "    %cst_1_f32 = constant <f32: 1.000000e+00> : tile<f32>\n"
                             "    %true = constant <i1: true> : tile<i1>\n"
                             "    %result, %result_token = load_ptr_tko weak %arg0 : "
                             "tile<ptr<f32>> -> tile<f32>, token\n"
                             "    %0 = addf %cst_1_f32, %result rounding<zero> flush_to_zero "
                             "{extra = 1 : i32} : tile<f32>\n"
                             "    %1 = if %true -> (tile<f32>) {\n"
                             "      yield %0 : tile<f32>\n"
                             "    } else {\n"
                             "      yield %cst_1_f32 : tile<f32>\n"
                             "    }\n"
                             "    if %true {\n"
                             "    }\n"
                             "    %for = for %arg2 in (%arg1 to %arg1, step %arg1) : tile<i32> "
                             "iter_values(%arg3 = %1) -> (tile<f32>) {\n"
                             "      continue %arg3 : tile<f32>\n"
                             "    }\n"
                             "    %assume = assume div_by<8>, %arg1 : tile<i32>\n"
                             "    return\n"
                             "  }\n"
                             "}\n";

static void test_generic(void **state) {
  (void)state;
  tsr_context *ctx = make_context(0);
  char *printed = reprint(ctx, generic, 0);
  if (!printed) {
    show_messages(generic);
    fail_msg("this was not accepted");
  }
  assert_string_equal(printed, custom);
  free(printed);
  said.n = 0;
  tsr_module *m = tsr_module_parse(ctx, generic, strlen(generic), NULL, 0);
  if (!m) show_messages(generic);
  assert_non_null(m);
  tsr_module_destroy(m);
  tsr_context_destroy(ctx);
}

/* ---- the public functions ------------------------------------------------------------------- */

/* Long constants are bytes in the generic form. */
static void test_dense_bytes(void **state) {
  (void)state;
  static const char *const constants[][2] = {
      {"\"0x0000803F00000040\"> : tile<2xf32>", "<f32: [1.000000e+00, 2.000000e+00]>"},
      {"\"0x0000803F\"> : tile<4xf32>", "<f32: 1.000000e+00> : tile<4xf32>"},
      {"\"0x003C\"> : tile<f16>", "<f16: 1.000000e+00> : tile<f16>"},
      {"\"0x01000001\"> : tile<4xi1>", "<i1: [true, false, false, true]>"},
      {"\"0x05\"> : tile<4xi1>", "<i1: [true, false, true, false]>"},
      {"\"0x0204\"> : tile<2xf4E2M1FN>", "<f4E2M1FN: [1.000000e+00, 2.000000e+00]>"},
      {"\"0x0000803F00\"> : tile<2xf32>", NULL},
      {"\"0x\"> : tile<2xf32>", NULL},
      {"\"zz\"> : tile<2xf32>", NULL},
  };
  tsr_context *ctx = make_context(0);
  for (unsigned i = 0; i < ARRAY_LEN(constants); i++) {
    char line[128];
    snprintf(line, sizeof line, "%%c = constant dense<%s", constants[i][0]);
    if (constants[i][1]) {
      check_line(ctx, "", line, constants[i][1]);
      continue;
    }
    char *text = in_kernel("", line);
    assert_null(read_text(ctx, text, 0));
    assert_int_equal(count_errors(), 1);
    free(text);
  }
  tsr_context_destroy(ctx);
}

static void test_kernels(void **state) {
  (void)state;
  static const char text[] =
      "cuda_tile.module @m {\n  global @g <i32: 1> : tile<1xi32>\n"
      "  entry @first(%x: tile<ptr<f16>>, %n: tile<i32>) {}\n  entry @second() {}\n}\n";
  tsr_context *ctx = make_context(0);
  tsr_module *m = tsr_module_parse(ctx, text, strlen(text), NULL, 0);
  assert_non_null(m);
  assert_int_equal(tsr_module_kernel_count(m), 2);
  assert_string_equal(tsr_module_kernel_name(m, 0), "first");
  assert_string_equal(tsr_module_kernel_name(m, 1), "second");
  assert_null(tsr_module_kernel_name(m, 2));
  tsr_parameter p[2];
  assert_int_equal(tsr_module_kernel_parameters(m, "first", p, 2), 2);
  assert_string_equal(p[0].name, "x");
  assert_true(p[0].is_pointer);
  assert_int_equal(p[0].elem, TSR_F16);
  assert_string_equal(p[1].name, "n");
  assert_false(p[1].is_pointer);
  assert_int_equal(p[1].elem, TSR_I32);
  assert_int_equal(tsr_module_kernel_parameters(m, "first", NULL, 0), 2);
  assert_int_equal(tsr_module_kernel_parameters(m, "second", p, 2), 0);
  assert_int_equal(tsr_module_kernel_parameters(m, "third", p, 2), -1);
  assert_int_equal(tsr_module_kernel_parameters(m, NULL, p, 2), -1);
  assert_int_equal(tsr_module_verify(m), TSR_OK);
  tsr_module_destroy(m);
  tsr_context_destroy(ctx);
}

static void test_wrong_calls(void **state) {
  (void)state;
  tsr_context *ctx = make_context(0);
  said.n = 0;
  assert_null(tsr_module_parse(NULL, "", 0, NULL, 0));
  assert_null(tsr_module_load(NULL, "x", 0));
  assert_int_equal(said.n, 0);
  assert_null(tsr_module_parse(ctx, NULL, 3, NULL, 0));
  assert_int_equal(said.n, 1);
  assert_null(tsr_module_load(ctx, NULL, 0));
  assert_int_equal(said.n, 2);
  assert_null(tsr_module_parse(ctx, "", 0, NULL, 64));
  assert_int_equal(said.n, 3);
  assert_null(tsr_module_parse(ctx, "x", ((size_t)1 << 30) + 1, NULL, 0));
  assert_non_null(strstr(said.v[3].text, "2^30"));
  assert_null(tsr_module_load(ctx, "/does/not/exist.mlir", 0));
  assert_int_equal(said.n, 5);
  assert_null(tsr_module_load(ctx, "/", 0));
  assert_int_equal(said.n, 6);
  size_t len = 1;
  assert_null(tsr_module_print(NULL, &len));
  assert_int_equal(len, 0);
  assert_int_equal(tsr_module_verify(NULL), TSR_ERROR_USAGE);
  assert_int_equal(tsr_module_kernel_count(NULL), 0);
  assert_null(tsr_module_kernel_name(NULL, 0));
  assert_int_equal(tsr_module_kernel_parameters(NULL, "k", NULL, 0), -1);
  tsr_module_destroy(NULL);
  tsr_string_free(ctx, NULL);
  tsr_context_destroy(ctx);
}

static void test_load(void **state) {
  (void)state;
  char path[] = "/tmp/tessera-text-XXXXXX";
  int fd = mkstemp(path);
  assert_true(fd >= 0);
  FILE *f = fdopen(fd, "w");
  fputs("cuda_tile.module @m {\n  entry @k() {\n    oops\n  }\n}\n", f);
  fclose(f);
  tsr_context *ctx = make_context(0);
  said.n = 0;
  assert_null(tsr_module_load(ctx, path, 0));
  assert_int_equal(said.n, 1);
  assert_int_equal(said.v[0].line, 3);
  f = fopen(path, "w");
  fputs(custom, f);
  fclose(f);
  tsr_module *m = tsr_module_load(ctx, path, 0);
  assert_non_null(m);
  tsr_module_destroy(m);
  remove(path);
  tsr_context_destroy(ctx);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_table),
      cmocka_unit_test(test_examples),
      cmocka_unit_test(test_examples_are_canonical),
      cmocka_unit_test(test_types),
      cmocka_unit_test(test_constants),
      cmocka_unit_test(test_rounding_of_literals),
      cmocka_unit_test(test_all_small_patterns),
      cmocka_unit_test(test_lines),
      cmocka_unit_test(test_module_level),
      cmocka_unit_test(test_names),
      cmocka_unit_test(test_clashing_names),
      cmocka_unit_test(test_print_op),
      cmocka_unit_test(test_comments),
      cmocka_unit_test(test_comments_of_any_bytes),
      cmocka_unit_test(test_locations),
      cmocka_unit_test(test_unused_scopes),
      cmocka_unit_test(test_aliases),
      cmocka_unit_test(test_generic),
      cmocka_unit_test(test_dense_bytes),
      cmocka_unit_test(test_kernels),
      cmocka_unit_test(test_wrong_calls),
      cmocka_unit_test(test_load),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
