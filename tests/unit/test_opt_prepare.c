/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What backends lower: a copy that passes have been over. The module that a caller gave stays as it
 * is to the last character of its text, wherever compiling ends.
 */
#include "rt_support.h"

#include "ir/ir.h"
#include "ir/verify.h"
#include "opt/prepare.h"

static const char twice[] =
    "cuda_tile.module @m {\n"
    "  global @table <i32: [1, 2, 3, 4]> : tile<4xi32>\n"
    "  entry @first(%p: tile<ptr<i32>>) {\n"
    "    %a = iota : tile<4xi32>\n"
    "    %b = iota : tile<4xi32>\n"
    "    %s = addi %a, %b : tile<4xi32>\n"
    "    %q = reshape %p : tile<ptr<i32>> -> tile<1xptr<i32>>\n"
    "    %r = broadcast %q : tile<1xptr<i32>> -> tile<4xptr<i32>>\n"
    "    %at = offset %r, %a : tile<4xptr<i32>>, tile<4xi32> -> tile<4xptr<i32>>\n"
    "    %t = store_ptr_tko weak %at, %s : tile<4xptr<i32>>, tile<4xi32> -> token\n"
    "  }\n"
    "  entry @second() {\n"
    "    print_tko \"two\\n\" -> token\n"
    "  }\n"
    "}\n";

static ir_op *entry_of(ir_module *m, const char *name) {
  ir_op *op = ir_find_symbol(m, str_of(name));
  assert_non_null(op);
  return op;
}

static bool count_op(void *user, ir_op *op) {
  *(unsigned *)user += op->opcode == OP_iota;
  return true;
}

static unsigned iotas(ir_op *entry) {
  unsigned n = 0;
  ir_walk(entry, count_op, &n);
  return n;
}

static void copies_what_is_asked(void **state) {
  (void)state;
  world w;
  world_open(&w);
  tsr_module *m = tsr_module_parse(w.ctx, twice, sizeof twice - 1, "twice", TSR_PARSE_DEFAULT);
  char *before = tsr_module_print(m, NULL);
  ir_op *entry = entry_of(m, "first"), *copy;
  for (unsigned level = 0; level < 3; level += 2) {
    assert_int_equal(tsr_module_set_level(m, level), TSR_OK);
    ir_module *made = opt_prepare(m, &entry, 1, NULL, &copy, NULL);
    assert_non_null(made);
    assert_ptr_not_equal(copy, entry);
    assert_ptr_equal(entry_of(made, "first"), copy);
    assert_non_null(ir_find_symbol(made, STR("table")));
    assert_null(ir_find_symbol(made, STR("second")));
    assert_int_equal(iotas(copy), level ? 1 : 2);
    assert_int_equal(iotas(entry), 2);
    assert_true(ir_verify(made)); /* debug builds do so after each pass */
    assert_ptr_equal(made->globals.data[0], ir_find_symbol(made, STR("table")));
    assert_ptr_equal(m->globals.data[0], ir_find_symbol(m, STR("table")));
    ir_module_destroy(made);
  }
  char *after = tsr_module_print(m, NULL);
  assert_string_equal(before, after);
  assert_int_equal(tsr_module_set_level(m, 4), TSR_ERROR_USAGE);
  assert_int_equal(tsr_module_set_level(NULL, 2), TSR_ERROR_USAGE);
  tsr_string_free(w.ctx, before);
  tsr_string_free(w.ctx, after);
  tsr_module_destroy(m);
  world_close(&w);
}

/* Passes and patterns by their names; a call replaces the one before, and a wrong one nothing. */
static void leaves_out_what_is_disabled(void **state) {
  (void)state;
  world w;
  world_open(&w);
  tsr_module *m = tsr_module_parse(w.ctx, twice, sizeof twice - 1, "twice", TSR_PARSE_DEFAULT);
  assert_non_null(m);
  ir_op *entry = ir_find_symbol(m, STR("first")), *copy;
  static const struct {
    const char *names;
    unsigned iotas;
  } cases[] = {{NULL, 1}, {"cse", 2}, {" peel , cse,,", 2}, {"peel", 1}, {"", 1}};
  for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
    assert_int_equal(tsr_module_disable(m, cases[i].names), TSR_OK);
    ir_module *made = opt_prepare(m, &entry, 1, NULL, &copy, NULL);
    assert_int_equal(iotas(copy), cases[i].iotas);
    assert_int_equal(made->without.patterns, m->without.patterns);
    ir_module_destroy(made);
  }
  assert_int_equal(tsr_module_disable(m, "cse"), TSR_OK);
  uint64_t before = m->without.passes;
  assert_int_equal(tsr_module_disable(m, "peel,nothing"), TSR_ERROR_USAGE);
  assert_true(m->without.passes == before && m->without.patterns == 0);
  assert_int_equal(tsr_module_disable(NULL, "cse"), TSR_ERROR_USAGE);
  tsr_pattern_info p;
  size_t n = 0;
  while (tsr_pattern_describe(n, &p)) {
    assert_int_equal(tsr_module_disable(m, p.name), TSR_OK);
    assert_true(m->without.patterns == UINT64_C(1) << n++);
    assert_true(strlen(p.name) <= 18 && strlen(p.summary) <= 58);
  }
  assert_int_equal(n, tsr_pattern_count());
  assert_false(tsr_pattern_describe(0, NULL));
  tsr_module_destroy(m);
  world_close(&w);
}

static const char threads[] =
    "!t = tile<16x16xf32, spatial(16, 2).local(1, 8)>\n!v = tensor_view<?x16xf32, strides=[16,1]>\n"
    "!s = shared<16x16xf32>\n"
    "cuda_tile.module @m {\n"
    "  entry @k(%p: tile<ptr<f32>>, %n: tile<i32>) threads(32) {\n"
    "    %c0 = constant <i32: 0> : tile<i32>\n"
    "    %c1 = constant <i32: 1> : tile<i32>\n"
    "    %v = make_tensor_view %p, shape = [%n, 16], strides = [16, 1] : tile<i32> -> !v\n"
    "    %s = alloc_shared : shared<2x16x16xf32>\n"
    "    %a = subview %s[%c0] : shared<2x16x16xf32> -> !s\n"
    "    %z = constant <f32: 0.0> : !t\n"
    "    store_shared %z, %a : !t, !s\n"
    "    for %i in (%c0 to %n, step %c1) : tile<i32> {\n"
    "      %j = andi %i, %c1 : tile<i32>\n"
    "      %b = subview %s[%j] : shared<2x16x16xf32> -> !s\n"
    "      %t = load_shared %b : !s -> !t\n"
    "      store_global %t, %v[%n, %c0] : !t, !v\n"
    "      %u = load_global %v[%i, %c0] : !v -> !t\n"
    "      store_shared %u, %a : !t, !s\n"
    "    }\n"
    "  }\n"
    "}\n";

static char *emit_tile(tsr_module *m) {
  return tsr_module_emit(m, TSR_EMIT_TILE, NULL, NULL);
}

static char *emit_cpu(tsr_module *m) {
  return tsr_module_emit(m, TSR_EMIT_ASM, "baseline", NULL);
}

static char *emit_gpu(tsr_module *m) {
  return tsr_module_emit_gpu(m, TSR_GPU_PTX, "sm_90a", NULL, NULL);
}

/* Every allocation fails once. */
static void run_out(const char *text, char *(*compile)(tsr_module *m), bool needs_llvm) {
  for (long fail = 1;; fail++) {
    world w;
    world_open(&w);
    tsr_module *m = tsr_module_parse(w.ctx, text, strlen(text), "text", TSR_PARSE_DEFAULT);
    char *before = tsr_module_print(m, NULL);
    w.fail_at = w.allocations + fail;
    char *code = compile(m);
    bool made = code != NULL;
    tsr_string_free(w.ctx, code);
    bool all = w.allocations < w.fail_at;
    w.fail_at = 0;
    char *after = tsr_module_print(m, NULL);
    assert_string_equal(before, after);
    tsr_string_free(w.ctx, before);
    tsr_string_free(w.ctx, after);
    tsr_module_destroy(m);
    world_close(&w);
    if (all) {
      const char *plugin = getenv("TESSERA_LLVM_PLUGIN"); /* without it: built without LLVM */
      assert_int_equal(made, !needs_llvm || (plugin && *plugin));
      return;
    }
    assert_true(fail < 10000);
  }
}

static void memory_runs_out(void **state) {
  (void)state;
  run_out(twice, emit_cpu, true);
  run_out(twice, emit_gpu, true);
  run_out(threads, emit_tile, false);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(copies_what_is_asked),
                                     cmocka_unit_test(leaves_out_what_is_disabled),
                                     cmocka_unit_test(memory_runs_out)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
