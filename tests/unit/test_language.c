/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Holding a program to an older version of the language (TSR_PARSE_LANGUAGE), and what became of
 * which operation when.
 */
#include <tessera/module.h>

#include "ir/version.h"
#include "text_test.h"

/* The least version that accepts the text; what the next older one says about it. */
typedef struct need {
  const char *arguments, *body;
  unsigned since;
  const char *message;
} need;

#define VIEW "partition_view<tile=(8), tensor_view<64xf16, strides=[1]>>"

static const need needs[] = {
    {"%x: tile<f32>", "%r = addf %x, %x : tile<f32>", 1, NULL},
    {"%x: tile<f32>", "%r = atan2 %x, %x : tile<f32>", 2, "atan2: it needs Tile IR 13.2; 13.1"},
    {"%x: tile<i32>", "%r = negi %x overflow<no_wrap> : tile<i32>", 2,
     "negi: this 'overflow' needs Tile IR 13.2; 13.1 was asked for"},
    {"%x: tile<f32>", "%r = ftof %x rounding<zero> : tile<f32> -> tile<f8E8M0FNU>", 2,
     "ftof: type tile<f8E8M0FNU> needs Tile IR 13.2"},
    {"", "%p = alloca num_elem = 4, alignment = 4 : tile<ptr<f32>>", 3,
     "alloca: it needs Tile IR 13.3; 13.2 was asked for"},
    {"%x: tile<f32>", "%r = exp %x rounding<approx> : tile<f32>", 3,
     "exp: this 'rounding_mode' needs Tile IR 13.3"},
    {"%x: tile<f32>", "%r = exp %x : tile<f32>", 1, NULL},
    {"%p: tile<ptr<f4E2M1FN>>", "return", 3, "entry: this 'function_type' needs Tile IR 13.3"},
    {"%x: tile<f32>, %n: tile<i8>", "%r = fpowi %x, %n : tile<f32>, tile<i8>", 4,
     "fpowi: it needs Tile IR 13.4; 13.3 was asked for"},
    {"%x: tile<f32>", "%r = ftoi %x signed saturating : tile<f32> -> tile<i8>", 4,
     "ftoi: this 'saturating' needs Tile IR 13.4"},
    {"%x: tile<f32>", "%r = ftoi %x signed : tile<f32> -> tile<i8>", 1, NULL},
    {"%x: tile<f32>", "%r = ftof %x rounding<zero> : tile<f32> -> tile<f16>", 4,
     "ftof: this 'rounding_mode' needs Tile IR 13.4"},
    {"%x: tile<f32>", "%r = ftof %x rounding<nearest_away> : tile<f32> -> tile<f64>", 4,
     "ftof: this 'rounding_mode' needs Tile IR 13.4"},
    {"%x: tile<f32>", "%r = ftof %x : tile<f32> -> tile<f8E5M3FNU>", 4,
     "ftof: type tile<f8E5M3FNU> needs Tile IR 13.4"},
    {"%p: tile<ptr<f32, #cuda_tile.ptr_attr<none>>>", "return", 4,
     "entry: this 'function_type' needs Tile IR 13.4"},
    {"", "loop { return }", 4, "return: it needs Tile IR 13.4"},
    {"", "loop { break }\nreturn", 1, NULL},
    {"%c: tile<i1>", "if %c { return }", 1, NULL},
    {"%p: tile<ptr<f16>>, %i: tile<i32>",
     "%t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf16, strides=[1]>\n"
     "%v = make_partition_view %t : " VIEW "\n"
     "%x, %u = load_view_tko weak %v[%i] inbounds = [true] : " VIEW
     ", tile<i32> -> tile<8xf16>, token",
     4, "load_view_tko: this 'inbounds' needs Tile IR 13.4"},
    {"%p: tile<ptr<f16>>, %i: tile<i32>",
     "%t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf16, strides=[1]>\n"
     "%v = make_partition_view %t : " VIEW "\n"
     "%x, %u = load_view_tko weak %v[%i] inbounds = [false] : " VIEW
     ", tile<i32> -> tile<8xf16>, token",
     1, NULL},
};

static tsr_module *parse_as(tsr_context *ctx, const char *text, unsigned minor) {
  said.n = 0;
  return tsr_module_parse(ctx, text, strlen(text), "t.mlir", TSR_PARSE_LANGUAGE(minor));
}

static void test_needs(void **state) {
  (void)state;
  tsr_context *ctx = make_context(0);
  for (size_t i = 0; i < ARRAY_LEN(needs); i++) {
    char *text = in_kernel(needs[i].arguments, needs[i].body);
    for (unsigned minor = 0; minor <= V13_NEWEST; minor++) {
      tsr_module *m = parse_as(ctx, text, minor);
      bool right = minor == 0 || minor >= needs[i].since;
      if ((m != NULL) != right) {
        show_messages(text);
        fail_msg("version 13.%u: %s", minor, needs[i].body);
      }
      tsr_module_destroy(m);
      if (right || minor + 1 < needs[i].since) continue;
      if (said.n != 1 || !strstr(said.v[0].text, needs[i].message)) {
        show_messages(text);
        fail_msg("expected: %s", needs[i].message);
      }
    }
    free(text);
  }
  tsr_context_destroy(ctx);
}

static void test_versions_that_are_none(void **state) {
  (void)state;
  tsr_context *ctx = make_context(0);
  assert_null(parse_as(ctx, "cuda_tile.module @m { }", V13_NEWEST + 1));
  assert_non_null(strstr(said.v[0].text, "TSR_PARSE_LANGUAGE takes a version that there is"));
  tsr_context_destroy(ctx);
}

/* ftof: a widening conversion never rounds; held against every value of the narrow types. */
static void test_widening(void **state) {
  (void)state;
  for (unsigned from = 0; from < TSR_PTR; from++) {
    for (unsigned to = 0; to < TSR_PTR; to++) {
      const num_format *f = num_format_of((tsr_elem)from), *t = num_format_of((tsr_elem)to);
      if (!f || !t || f->bits > 16 || from == to) continue;
      bool exact = true;
      for (uint64_t x = 0; x < UINT64_C(1) << f->bits && exact; x++) {
        uint64_t y = num_convert(t, f, x, NUM_NEAREST_EVEN);
        if (num_is_nan(f, x))
          exact = num_is_nan(t, y);
        else
          exact = num_decode(t, y) == num_decode(f, x) &&
                  !num_is_negative(f, x) == !num_is_negative(t, y);
      }
      if (exact != ir_ftof_is_widening((tsr_elem)from, (tsr_elem)to))
        fail_msg("%s to %s is %sexact", tsr_elem_name((tsr_elem)from), tsr_elem_name((tsr_elem)to),
                 exact ? "" : "not ");
    }
  }
}

/* Calls that are wrong say what of them is. */
static void test_wrong_calls(void **state) {
  (void)state;
  static const size_t too_long = (size_t)1 << 31; /* nothing is read of it */
  tsr_context *ctx = make_context(0);
  said.n = 0;
  assert_null(tsr_module_load(ctx, NULL, 0));
  assert_non_null(strstr(said.v[0].text, "the path is NULL"));
  said.n = 0;
  assert_null(tsr_module_parse(ctx, NULL, 5, "a", 0));
  assert_non_null(strstr(said.v[0].text, "the text is NULL"));
  said.n = 0;
  assert_null(tsr_module_parse(ctx, "", too_long, "a", 0));
  assert_string_equal(said.v[0].text, "this text has 2147483648 bytes; at most 2^30 are accepted");
  said.n = 0;
  assert_null(tsr_module_read_bytecode(ctx, NULL, 5, "a", 0));
  assert_non_null(strstr(said.v[0].text, "the data is NULL"));
  said.n = 0;
  assert_null(tsr_module_read_bytecode(ctx, "", too_long, "a", 0));
  assert_string_equal(said.v[0].text, "this file has 2147483648 bytes; at most 2^30 are accepted");
  tsr_context_destroy(ctx);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_needs),
      cmocka_unit_test(test_versions_that_are_none),
      cmocka_unit_test(test_widening),
      cmocka_unit_test(test_wrong_calls),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
