/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What only tests of the language write: operations of the reference suite's test dialect and of
 * unknown dialects, programs without a module around them; and what is done about wrong hints.
 */
#include <tessera/runtime.h>

#include "text_test.h"

static tsr_module *read_module(tsr_context *ctx, const char *text, unsigned flags) {
  said.n = 0;
  return tsr_module_parse(ctx, text, strlen(text), "case.mlir", flags);
}

/* The program is right, or its first error has these words at this line. */
typedef struct verdict {
  const char *text;
  unsigned line; /* 0: right */
  const char *words;
} verdict;

static void check_verdicts(const verdict *v, size_t n, unsigned flags) {
  tsr_context *ctx = make_context(20);
  for (size_t i = 0; i < n; i++) {
    tsr_module *m = read_module(ctx, v[i].text, flags);
    bool right = v[i].line ? !m && said.v[0].line == v[i].line && strstr(said.v[0].text, v[i].words)
                           : m && !said.n;
    if (!right) {
      show_messages(v[i].text);
      fail_msg("%s\nexpected line %u: %s", v[i].text, v[i].line,
               v[i].line ? v[i].words : "(right)");
    }
    tsr_module_destroy(m);
  }
  tsr_context_destroy(ctx);
}

#define CHECK(verdicts, flags) check_verdicts(verdicts, sizeof verdicts / sizeof verdicts[0], flags)

static void testing_ops_need_the_flag(void **state) {
  (void)state;
  static const verdict verdicts[] = {
      {"cuda_tile.module @m { testing$func @f() { } }", 1, "unknown operation 'testing$func'"},
      {"cuda_tile.module @m { entry @k() {\n \"a.b\"() : () -> () } }", 2,
       "unknown operation \"a.b\""},
      {"%c = cuda_tile.constant <i32: 1> : tile<i32>", 1, "expected 'cuda_tile.module @name {'"},
      {"cuda_tile.module @a { }\ncuda_tile.module @b { }", 2, "a second module"},
  };
  CHECK(verdicts, TSR_PARSE_DEFAULT);
}

static void functions(void **state) {
  (void)state;
  static const verdict verdicts[] = {
      {"cuda_tile.module @m { testing$func @f() { } }", 0, NULL},
      {"cuda_tile.module @m { cuda_tile.testing$func @f(%x: i32, %y: tile<4xf32>, %t: token) { } }",
       0, NULL},
      {"cuda_tile.module @m { testing$func @f(%x: tile<4xf32>) -> tile<4xf32> {\n"
       "return %x : tile<4xf32> } }",
       0, NULL},
      {"cuda_tile.module @m { testing$func @f() -> () { } testing$func @g() -> (tile<i32>, token) "
       "{\n"
       "%c = constant <i32: 1> : tile<i32>  %t = make_token : token\n"
       "return %c, %t : tile<i32>, token } }",
       0, NULL},
      {"cuda_tile.module @m { \"cuda_tile.testing$func\"() <{sym_name = \"f\", function_type = "
       "(tile<f32>) -> ()}> ({\n^bb0(%a: tile<f32>): \"cuda_tile.return\"() : () -> () }) : () -> "
       "() }",
       0, NULL},
      {"cuda_tile.module @m {\ntesting$func @f() -> tile<i32> { } }", 2,
       "return: the function's type is () -> !cuda_tile.tile<i32>, but the operands have types ()"},
      {"cuda_tile.module @m {\n\"cuda_tile.testing$func\"() ({ }) {function_type = () -> (), "
       "sym_name = \"f\"} : () -> () }",
       2, "testing$func: region 'body' is missing"},
      {"cuda_tile.module @m { \"cuda_tile.testing$func\"() <{sym_name = \"f\", function_type = "
       "() -> ()}> ({\n^bb0(%a: tile<f32>): \"cuda_tile.return\"() : () -> () }) : () -> () }",
       1, "testing$func: function_type is () -> (), which is not what the body takes"},
      {"cuda_tile.module @m { \"cuda_tile.testing$func\"() <{sym_name = \"f\"}> ({\n"
       "\"cuda_tile.return\"() : () -> () }) : () -> () }",
       1, "testing$func: attribute 'function_type' is missing"},
      {"cuda_tile.module @m { testing$func @f() { }\ntesting$func @f() { } }", 2,
       "@f is already defined in this module"},
      {"cuda_tile.module @m { testing$func @f(%x: i32) {\n%y = addi %x, %x : tile<i32> } }", 2,
       "'%x' has type 'i32', but 'addi' needs 'tile<i32>' here"},
      {"cuda_tile.module @m { testing$func @f(%i: tile<i32>) { for %j in (%i to %i, step %i) : "
       "tile<i32> {\nreturn } } }",
       2, "return: must be directly inside entry, if or loop, but is inside for"},
      {"cuda_tile.module @m { testing$func @pluto { } }", 1, "expected '('"},
  };
  CHECK(verdicts, TSR_PARSE_TESTING_OPS);
}

static void foreign_operations(void **state) {
  (void)state;
  static const verdict verdicts[] = {
      {"cuda_tile.module @m { entry @k() { %c = \"cond\"() : () -> tile<i1>\n"
       "if %c { \"use.it\"(%c) {a = 1} : (tile<i1>) -> () } } }",
       0, NULL},
      {"\"a.b\"() ({ ^bb0(%x: i32):\n\"c.d\"(%x) : (i32) -> () }, { }) : () -> ()", 0, NULL},
      {"cuda_tile.module @m { entry @k() {\n\"cuda_tile.nothing\"() : () -> () } }", 2,
       "unknown operation 'nothing'"},
      {"cuda_tile.module @m { entry @k(%x: tile<8xf32>) {\n%s = reduce %x dim=0 "
       "identities=[0.0 : f32] : tile<8xf32> -> tile<f32> (%a: tile<f32>, %b: tile<f32>) {\n"
       "\"a.b\"() : () -> () yield %a : tile<f32> } } }",
       1, "argument 0 has type tile<8xf32>"},
      {"cuda_tile.module @m { testing$func @k(%x: tile<8xf32>) {\n%s = reduce %x dim=0 "
       "identities=[0.0 : f32] : tile<8xf32> -> tile<f32> (%a: tile<f32>, %b: tile<f32>) {\n"
       "\"a.b\"() : () -> () yield %a : tile<f32> } } }",
       3, "only pure operations may be inside reduce"},
      {"%v = \"a.b\"() : () -> i32\n%w = \"cuda_tile.negi\"(%v) : (i32) -> i32", 2,
       "negi: operand 'source' must be a tile of integers, but has type i32"},
  };
  CHECK(verdicts, TSR_PARSE_TESTING_OPS);
}

static void programs_without_a_module(void **state) {
  (void)state;
  static const verdict verdicts[] = {
      {"", 0, NULL},
      {"// nothing\n", 0, NULL},
      {"%c = cuda_tile.constant <i32: 1> : !cuda_tile.tile<i32>\n%d = addi %c, %c : tile<i32>", 0,
       NULL},
      {"cuda_tile.module @a { global @g <i32: 1> : tile<1xi32> }\n"
       "cuda_tile.module @b { global @g <i32: 1> : tile<1xi32>\n"
       "entry @k() { %p = get_global @g : tile<ptr<i32>> } }",
       0, NULL},
      {"cuda_tile.module @a { global @g <i32: 1> : tile<1xi32> }\n"
       "cuda_tile.module @b { entry @k() {\n%p = get_global @g : tile<ptr<i32>> } }",
       3, "the module has no global @g"},
      {"module attributes {a.b} { cuda_tile.module @a { }\ncuda_tile.module @b { } }", 0, NULL},
      {"module {\n}", 0, NULL},
      {"cuda_tile.break", 1, "break: must be directly inside if or loop, but is inside nothing"},
      {"\nentry @k() { }", 2, "entry: must be directly inside module, but is inside nothing"},
      {"}\n}", 1, "expected 'cuda_tile.module @name {', found '}'"},
      {"%c = cuda_tile.constant <i32: 1> : tile<i32>\n}", 2, "expected an operation, found '}'"},
      {"module {\n%c = cuda_tile.constant <i32: 1> : tile<i32>", 2,
       "expected '}' to end the outer"},
      {"cuda_tile.module @a { cuda_tile.module @b { } }", 1,
       "a module cannot be inside another operation"},
  };
  CHECK(verdicts, TSR_PARSE_TESTING_OPS);
}

#define DEBUG                                                                                      \
  "#file = #cuda_tile.di_file<\"foo.py\" in \"/tmp/\">\n"                                          \
  "#unit = #cuda_tile.di_compile_unit<file = #file>\n"                                             \
  "#sub = #cuda_tile.di_subprogram<file = #file, line = 1, name = \"k\", linkageName = \"k\", "    \
  "compileUnit = #unit, scopeLine = 2>\n"                                                          \
  "#at = #cuda_tile.di_loc<loc(\"case.mlir\":7:8) in #sub>\n"

static void debug_scopes(void **state) {
  (void)state;
  static const verdict verdicts[] = {
      {DEBUG "cuda_tile.module @m { \"a.b\"() : () -> () loc(#at) }", 7,
       "a global cannot have a debug scope"},
      {DEBUG "\"a.b\"() : () -> () loc(#at)", 0, NULL},
      {DEBUG "cuda_tile.module @m { testing$func @k() { } loc(#at) }", 0, NULL},
      {DEBUG "cuda_tile.module @m { testing$func @f() { } loc(#at) }", 7, "linkage name \"k\""},
  };
  CHECK(verdicts, TSR_PARSE_TESTING_OPS);
}

static void versioned_operations(void **state) {
  (void)state;
  static const verdict verdicts[] = {
      {"testing$bytecode_test_new_attribute", 0, NULL},
      {"testing$bytecode_test_new_attribute new_flag new_param = 7", 0, NULL},
      {"testing$bytecode_test_new_attribute new_param = 4294967296", 1, "does not fit 32 bits"},
      {"%c = constant <f32: 1.0> : tile<f32>  %t = make_token : token\n"
       "%r = testing$bytecode_test_evolution (%c, %c : tile<f32>, tile<f32>) new_attr = 3 "
       "token = %t : token priority = <high> test_attr = <5> -> token",
       0, NULL},
      {"%r = testing$bytecode_test_evolution ( : ) priority = <medium> -> token", 1, ""},
  };
  CHECK(verdicts, TSR_PARSE_TESTING_OPS);
}

/* Printed and read again, a program is the same. */
static void printing(void **state) {
  (void)state;
  static const char *const texts[] = {
      "cuda_tile.module @m {\n  testing$func @f(%x: i32, %y: tile<4xf32>) -> (tile<4xf32>, i32) {\n"
      "    %c, %d:2 = \"a.b\"(%x) {k = 1} : (i32) -> (tile<i1>, i32, i32)\n"
      "    testing$bytecode_test_new_attribute new_flag new_param = 7\n"
      "    return %y, %d#1 : tile<4xf32>, i32\n  } {note = \"x\"}\n}\n",
      "%c = constant <i32: 1> : tile<i32>\n"
      "%t = testing$bytecode_test_evolution (%c : tile<i32>) new_attr = 3 priority = <low> "
      "test_attr = <5> -> token\n"
      "\"a.b\"() ({^bb(%x: i32): \n  \"c.d\"(%x) : (i32) -> ()\n}, {\n  \"e\"() : () -> ()\n}) : "
      "() "
      "-> ()\n",
      "cuda_tile.module @a {\n}\ncuda_tile.module @b {\n}\n",
  };
  tsr_context *ctx = make_context(20);
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    tsr_module *m = read_module(ctx, texts[i], TSR_PARSE_TESTING_OPS | TSR_PARSE_NO_VERIFY);
    show_messages(texts[i]);
    assert_non_null(m);
    char *printed = tsr_module_print(m, NULL);
    assert_non_null(printed);
    assert_string_equal(printed, texts[i]);
    tsr_string_free(ctx, printed);
    tsr_module_destroy(m);
  }
  tsr_context_destroy(ctx);
}

static void not_executed(void **state) {
  (void)state;
  tsr_context *ctx = make_context(20);
  tsr_device *dev = tsr_device_open(ctx, "interp", NULL);
  assert_non_null(dev);
  static const char *const texts[] = {
      "cuda_tile.module @m { entry @k() { } testing$func @f() { } }",
      "cuda_tile.module @m { entry @k() { \"a.b\"() : () -> () } }",
      "cuda_tile.module @a { entry @k() { } } cuda_tile.module @b { }",
  };
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    tsr_module *m = read_module(ctx, texts[i], TSR_PARSE_TESTING_OPS);
    assert_non_null(m);
    assert_null(tsr_program_create(dev, m));
    assert_true(said.n == 1 && strstr(said.v[0].text, "be checked and printed, but not"));
    said.n = 0;
    assert_null(tsr_module_emit(m, TSR_EMIT_LLVM, NULL, NULL));
    assert_true(said.n == 1 && strstr(said.v[0].text, "be checked and printed, but not"));
    said.n = 0;
    assert_null(tsr_module_write_bytecode(m, 0, NULL));
    assert_true(said.n == 1 && strstr(said.v[0].text, "be checked and printed, but not"));
    tsr_module_destroy(m);
  }
  /* The flag alone changes nothing. */
  tsr_module *m = read_module(ctx, "cuda_tile.module @m { entry @k() { } }", TSR_PARSE_TESTING_OPS);
  tsr_program *p = tsr_program_create(dev, m);
  assert_non_null(p);
  tsr_program_destroy(p);
  tsr_module_destroy(m);
  tsr_device_close(dev);
  tsr_context_destroy(ctx);
}

static const char *const hinted[] = {
    "cuda_tile.module @m { entry @k() optimization_hints = <sm_1 = {occupancy = 1}> { } }",
    "cuda_tile.module @m { entry @k() optimization_hints = <sm_90 = {occupancy = 99}> { } }",
    "cuda_tile.module @m { entry @k() optimization_hints = <sm_90 = {occupancy = true}> { } }",
    "cuda_tile.module @m { entry @k() optimization_hints = <sm_90 = {other = 1}> { } }",
    "cuda_tile.module @m { entry @k() optimization_hints = <sm_90 = {occupancy = \"a\"}> { } }",
};

static void hints(void **state) {
  (void)state;
  tsr_context *ctx = make_context(20);
  for (size_t i = 0; i < sizeof hinted / sizeof hinted[0]; i++) {
    tsr_module *m = read_module(ctx, hinted[i], TSR_PARSE_DEFAULT);
    assert_true(m && said.n == 1 && said.v[0].severity == TSR_WARNING);
    assert_non_null(strstr(said.v[0].text, "is ignored"));
    tsr_module_destroy(m);
    m = read_module(ctx, hinted[i], TSR_PARSE_HINTS_IGNORE);
    assert_true(m && said.n == 0);
    tsr_module_destroy(m);
    assert_null(read_module(ctx, hinted[i], TSR_PARSE_HINTS_ERROR));
    assert_true(said.n == 1 && said.v[0].severity == TSR_ERROR);
    assert_non_null(strstr(said.v[0].text, "makes no sense"));
  }
  assert_null(read_module(ctx, hinted[0], TSR_PARSE_HINTS_ERROR | TSR_PARSE_HINTS_IGNORE));
  assert_non_null(strstr(said.v[0].text, "exclude each other"));
  assert_null(read_module(ctx, hinted[0], 1u << 20));
  assert_non_null(strstr(said.v[0].text, "unknown flags"));
  tsr_context_destroy(ctx);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(testing_ops_need_the_flag),
      cmocka_unit_test(functions),
      cmocka_unit_test(foreign_operations),
      cmocka_unit_test(programs_without_a_module),
      cmocka_unit_test(debug_scopes),
      cmocka_unit_test(versioned_operations),
      cmocka_unit_test(printing),
      cmocka_unit_test(not_executed),
      cmocka_unit_test(hints),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
