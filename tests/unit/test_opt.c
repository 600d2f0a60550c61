/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The optimiser's facts, its public functions, and what it does when something is wrong.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ir/verify.h"
#include "opt/facts.h"
#include "opt/opt.h"
#include "opt/rewrite.h"

typedef struct reports {
  char text[2048];
} reports;

static void on_diagnostic(void *user, const tsr_diagnostic *d) {
  reports *r = user;
  size_t used = strlen(r->text);
  snprintf(r->text + used, sizeof r->text - used, "%s\n", d->message);
}

static tsr_context *make_context(reports *r) {
  memset(r, 0, sizeof *r);
  return tsr_context_create(&(tsr_context_options){.struct_size = sizeof(tsr_context_options),
                                                   .on_diagnostic = on_diagnostic,
                                                   .diagnostic_user = r});
}

static ir_module *parse(tsr_context *ctx, const reports *r, const char *text) {
  ir_module *m = tsr_module_parse(ctx, text, strlen(text), "test.mlir", 0);
  if (!m) fail_msg("%s%s", r->text, text);
  return m;
}

/* ---- facts ---------------------------------------------------------------------------------- */

typedef struct search {
  const char *name;
  const ir_value *found;
} search;

static bool look(void *user, ir_op *op) {
  search *s = user;
  for (uint32_t i = 0; i < op->n_results; i++)
    if (op->results[i].name && !strcmp(op->results[i].name, s->name)) s->found = &op->results[i];
  for (unsigned r = 0; r < op->n_regions; r++)
    for (uint32_t i = 0; op->regions[r] && i < op->regions[r]->n_args; i++)
      if (!strcmp(op->regions[r]->args[i].name, s->name)) s->found = &op->regions[r]->args[i];
  return !s->found;
}

static const char facts_program[] =
    "cuda_tile.module @m { entry @k(%n: tile<i32>, %p: tile<ptr<f32>>, %b: tile<i8>) {\n"
    "%zero = constant <i32: 0> : tile<i32>\n"
    "%one = constant <i32: 1> : tile<i32>\n"
    "%c48 = constant <i32: 48> : tile<i32>\n"
    "%list = constant <i16: [4, -12, 8, 32]> : tile<4xi16>\n"
    "%x, %y, %z = get_tile_block_id : tile<i32>\n"
    "%gx, %gy, %gz = get_num_tile_blocks : tile<i32>\n"
    "%at = muli %x, %c48 : tile<i32>\n"
    "%at_nsw = muli %x, %c48 overflow<no_signed_wrap> : tile<i32>\n"
    "%iota = iota : tile<64xi32>\n"
    "%four = constant <i32: 4> : tile<64xi32>\n"
    "%scaled = muli %iota, %four : tile<64xi32>\n"
    "%aligned = assume div_by<16>, %p : tile<ptr<f32>>\n"
    "%next = offset %aligned, %c48 : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>\n"
    "%by_two = constant <i32: 2> : tile<i32>\n"
    "%near = offset %aligned, %by_two : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>\n"
    "%bounded = assume bounded<-3, 90>, %n : tile<i32>\n"
    "%abs = absi %bounded : tile<i32>\n"
    "%neg = negi %bounded : tile<i32>\n"
    "%rem = remi %abs, %c48 signed : tile<i32>\n"
    "%half = shri %abs, %one unsigned : tile<i32>\n"
    "%wide = exti %b unsigned : tile<i8> -> tile<i32>\n"
    "%sum = addi %wide, %rem : tile<i32>\n"
    "%wrapped = addi %n, %one : tile<i32>\n"
    "%less = cmpi less_than %rem, %c48, signed : tile<i32> -> tile<i1>\n"
    "%either = select %less, %one, %n : tile<i1>, tile<i32>\n"
    "%splat = reshape %c48 : tile<i32> -> tile<1xi32>\n"
    "%same = broadcast %splat : tile<1xi32> -> tile<8xi32>\n"
    "%low = andi %n, %c48 : tile<i32>\n"
    "%parts = divi %n, %c48 unsigned rounding<positive_inf> : tile<i32>\n"
    "%floor = divi %n, %c48 signed rounding<negative_inf> : tile<i32>\n"
    "%ceil = divi %n, %c48 signed rounding<positive_inf> : tile<i32>\n"
    "%odd = remi %n, %c48 signed : tile<i32>\n"
    "%rest = remi %n, %c48 unsigned : tile<i32>\n"
    "%below = divi %bounded, %c48 signed rounding<negative_inf> : tile<i32>\n"
    "%r, %q = for %i in (%zero to %c48, step %c48) : tile<i32> iter_values(%carried = %zero, %ptr "
    "= %aligned) -> (tile<i32>, tile<ptr<f32>>) {\n"
    "  %more = addi %carried, %c48 : tile<i32>\n"
    "  %moved = offset %ptr, %c48 : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>\n"
    "  continue %more, %moved : tile<i32>, tile<ptr<f32>>\n"
    "}\n"
    "for %j in (%one to %abs, step %by_two) : tile<i32> {\n"
    "}\n"
    "%l = loop iter_values(%v = %one) : tile<i32> -> tile<i32> {\n"
    "  %w = muli %v, %one : tile<i32>\n"
    "  %done = cmpi equal %w, %n, signed : tile<i32> -> tile<i1>\n"
    "  if %done { break %w : tile<i32> }\n"
    "  continue %w : tile<i32>\n"
    "}\n"
    "} }\n";

static void test_facts(void **state) {
  static const struct {
    const char *name;
    int64_t min, max;
    uint64_t divisor;
    bool uniform;
  } expected[] = {
      {"zero", 0, 0, 0, true},
      {"c48", 48, 48, 16, true},
      {"list", -12, 32, 4, false},
      {"x", 0, INT32_MAX - 1, 1, true},
      {"gy", 1, INT32_MAX, 1, true},
      {"at", INT32_MIN, INT32_MAX, 16, true},
      {"at_nsw", 0, INT32_MAX, 16, true},
      {"iota", 0, 63, 1, false},
      {"scaled", 0, 252, 4, false},
      {"aligned", INT64_MIN, INT64_MAX, 16, true},
      {"next", INT64_MIN, INT64_MAX, 16, true},
      {"near", INT64_MIN, INT64_MAX, 8, true},
      {"bounded", -3, 90, 1, true},
      {"abs", 0, 90, 1, true},
      {"neg", -90, 3, 1, true},
      {"rem", 0, 47, 1, true},
      {"half", 0, 45, 1, true},
      {"wide", 0, 255, 1, true},
      {"sum", 0, 302, 1, true},
      {"wrapped", INT32_MIN, INT32_MAX, 1, true},
      {"less", -1, -1, 1, true},
      {"either", 1, 1, 1, true},
      {"same", 48, 48, 16, true},
      {"low", 0, 48, 16, true},
      {"parts", 0, 89478486, 1, true},
      {"floor", -44739243, 44739242, 1, true},
      {"ceil", -44739242, 44739243, 1, true},
      {"odd", -47, 47, 1, true},
      {"rest", 0, 47, 1, true},
      {"below", -1, 1, 1, true},
      {"i", 0, 47, 16, true},
      {"carried", INT32_MIN, INT32_MAX, 16, true},
      {"r", INT32_MIN, INT32_MAX, 16, true},
      {"q", INT64_MIN, INT64_MAX, 16, true},
      {"j", 1, 89, 1, true},
      {"v", 1, 1, 1, true},
      {"l", 1, 1, 1, true},
  };
  reports log;
  tsr_context *ctx = make_context(&log);
  ir_module *m = parse(ctx, &log, facts_program);
  arena a;
  (void)state;
  arena_init(&a, ctx);
  facts *known = facts_compute(m->op, &a);
  for (unsigned i = 0; i < ARRAY_LEN(expected); i++) {
    search s = {.name = expected[i].name};
    ir_walk(m->op, look, &s);
    if (!s.found) fail_msg("no value %%%s", s.name);
    fact f = facts_of(known, s.found);
    if (f.min != expected[i].min || f.max != expected[i].max || f.divisor != expected[i].divisor ||
        f.uniform != expected[i].uniform)
      fail_msg("%%%s: [%lld, %lld] divisor %llu uniform %d", s.name, (long long)f.min,
               (long long)f.max, (unsigned long long)f.divisor, f.uniform);
  }
  arena_free(&a);
  tsr_module_destroy(m);
  tsr_context_destroy(ctx);
}

/* ---- the public functions ------------------------------------------------------------------- */

static const char small_program[] =
    "cuda_tile.module @m { entry @k(%x: tile<i32>) {\n"
    "%z = constant <i32: 0> : tile<i32>\n%y = addi %x, %z : tile<i32>\n"
    "for %i in (%z to %x, step %y) : tile<i32> {\n"
    "  %c = cmpi less_than %i, %y, signed : tile<i32> -> tile<i1>\n"
    "  if %c { print_tko \"%i\", %y : tile<i32> -> token }\n"
    "}\n} }\n";

static void test_wrong_calls(void **state) {
  static const struct {
    const char *passes, *said;
  } wrong[] = {
      {"cs", "passes: there is no pass 'cs'; did you mean 'cse'?"},
      {"cse,,nothing_like_it", "passes: there is no pass 'nothing_like_it'; there are"},
      {"999", "passes: there is no pass '999'"},
      {"cse(1)", "passes: cse takes no argument"},
      {"loop-split()", "passes: loop-split takes a number from 0"},
      {"loop-split(99999999999999999999)", "passes: loop-split takes a number from 0"},
      {"O4", "passes: there is no pass 'O4'"},
      {"(", "passes: there is no pass '('"},
      {")", "passes: there is no pass ')'"},
  };
  reports log;
  tsr_context *ctx = make_context(&log);
  ir_module *m = parse(ctx, &log, small_program);
  (void)state;
  for (unsigned i = 0; i < ARRAY_LEN(wrong); i++) {
    log.text[0] = 0;
    assert_int_equal(tsr_module_optimize(m, wrong[i].passes, NULL), TSR_ERROR_USAGE);
    if (!strstr(log.text, wrong[i].said)) fail_msg("'%s': %s", wrong[i].passes, log.text);
  }
  tsr_optimize_options o = {.struct_size = 0};
  assert_int_equal(tsr_module_optimize(m, "cse", &o), TSR_ERROR_USAGE);
  o = (tsr_optimize_options){.struct_size = sizeof o, .print_after = "cse,dces"};
  assert_int_equal(tsr_module_optimize(m, "cse", &o), TSR_ERROR_USAGE);
  assert_int_equal(tsr_module_optimize(NULL, "cse", NULL), TSR_ERROR_USAGE);
  char long_list[3100] = "";
  for (int i = 0; i < 1001; i++) strcat(long_list, "2, ");
  assert_int_equal(tsr_module_optimize(m, long_list, NULL), TSR_ERROR_USAGE);
  assert_int_equal(tsr_module_optimize(m, "", NULL), TSR_OK);
  assert_int_equal(tsr_module_optimize(m, " 1 , loop-split ( 3 ) ,O3", NULL), TSR_OK);
  assert_int_equal(tsr_module_optimize(m, NULL, NULL), TSR_OK);
  tsr_module_destroy(m);
  tsr_context_destroy(ctx);
}

static void test_pass_table(void **state) {
  tsr_pass_info p, q;
  (void)state;
  assert_false(tsr_pass_describe(tsr_pass_count(), &p));
  for (size_t i = 0; tsr_pass_describe(i, &p); i++) {
    assert_non_null(strchr(p.summary, '.'));
    assert_ptr_equal(opt_find_pass(str_of(p.name)), &opt_passes[i]);
    for (size_t k = 0; k < i; k++) {
      tsr_pass_describe(k, &q);
      assert_true(q.number < p.number);
    }
  }
  assert_null(tsr_optimize_level(4));
  assert_string_equal(tsr_optimize_level(0), "");
  reports log;
  tsr_context *ctx = make_context(&log);
  ir_module *m = parse(ctx, &log, small_program);
  for (unsigned level = 0; level < 5; level++) assert_int_equal(opt_run_level(m, level), TSR_OK);
  tsr_module_destroy(m);
  tsr_context_destroy(ctx);
}

static void on_dump(void *user, const char *stage, const char *text, size_t length) {
  reports *r = user;
  snprintf(r->text + strlen(r->text), 64, "%s %d; ", stage, length > 20 && text[0] == 'c');
}

static void on_pass(void *user, const tsr_pass_report *r) {
  reports *log = user;
  snprintf(log->text + strlen(log->text), 64, "%u changed %d; ", r->number, r->changes != 0);
}

static void test_reports(void **state) {
  reports log, said = {{0}};
  tsr_context *ctx = make_context(&log);
  ir_module *m = parse(ctx, &log, small_program);
  tsr_optimize_options o = {.struct_size = sizeof o,
                            .print_before = "2",
                            .print_after = "all",
                            .on_dump = on_dump,
                            .on_pass = on_pass,
                            .user = &said};
  (void)state;
  assert_int_equal(tsr_module_optimize(m, "canonicalize,cse", &o), TSR_OK);
  assert_string_equal(said.text, "1 changed 1; after canonicalize 1; before cse 1; 2 changed 0; "
                                 "after cse 1; ");
  tsr_module_destroy(m);
  tsr_context_destroy(ctx);
}

/* A module with so many ifs in each other, which no text may have. */
static ir_module *nested(tsr_context *ctx, const reports *log, int depth) {
  ir_module *m = parse(ctx, log, small_program);
  ir_block *b = ir_find_symbol(m, STR("k"))->regions[0];
  ir_value *c = rewrite_splat(m, b->first, ir_scalar(m, TSR_I1), 1);
  for (int i = 0; i < depth; i++) {
    ir_op *op = ir_op_create(
        m, &(ir_op_spec){.opcode = OP_if, .n_operands = 1, .operands = &c, .n_regions = 2});
    ir_op_insert_before(b->last, op);
    b = ir_region_create(m, op, 0, 0, NULL);
    ir_op_append(b, ir_op_create(m, &(ir_op_spec){.opcode = OP_yield}));
  }
  return m;
}

static void test_depth(void **state) {
  reports log;
  tsr_context *ctx = make_context(&log);
  ir_module *m = nested(ctx, &log, 250);
  (void)state;
  assert_int_equal(tsr_module_optimize(m, "O3", NULL), TSR_OK);
  tsr_module_destroy(m);
  m = nested(ctx, &log, 300);
  log.text[0] = 0;
  assert_int_equal(tsr_module_optimize(m, "O3", NULL), TSR_ERROR_INPUT);
  assert_non_null(strstr(log.text, "nest deeper than 256"));
  tsr_module_destroy(m);
  tsr_context_destroy(ctx);
}

/* ---- memory --------------------------------------------------------------------------------- */

static int64_t allocations_left = INT64_MAX;

static void *allocate(void *user, size_t size) {
  (void)user;
  if (allocations_left-- <= 0) return NULL;
  return malloc(size);
}
static void release(void *user, void *p, size_t size) {
  (void)user;
  (void)size;
  free(p);
}

/* Every allocation fails once; nothing leaks, and what is left can be destroyed. */
static void test_out_of_memory(void **state) {
  reports log = {{0}};
  tsr_context_options o = {
      .struct_size = sizeof o, .on_diagnostic = on_diagnostic, .diagnostic_user = &log};
  o.allocator = &(tsr_allocator){.allocate = allocate, .release = release};
  (void)state;
  bool done = false;
  for (int64_t n = 0; !done; n++) {
    allocations_left = INT64_MAX;
    memset(&log, 0, sizeof log);
    tsr_context *ctx = tsr_context_create(&o);
    ir_module *m = parse(ctx, &log, facts_program);
    allocations_left = n;
    tsr_status status = tsr_module_optimize(m, "loop-split,O3", NULL);
    done = status == TSR_OK;
    if (!done) assert_int_equal(status, TSR_ERROR_MEMORY);
    allocations_left = INT64_MAX;
    tsr_module_destroy(m);
    tsr_context_destroy(ctx);
    assert_true(n < 10000);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_facts),      cmocka_unit_test(test_wrong_calls),
      cmocka_unit_test(test_pass_table), cmocka_unit_test(test_reports),
      cmocka_unit_test(test_depth),      cmocka_unit_test(test_out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
