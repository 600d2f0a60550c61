/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Building modules from C: what is built right runs, what is built wrong is reported where.
 */
#include <tessera/block.h>

#include "rt_support.h"

#include "ir/build/internal.h"

/* ---- the structs of tessera/ops.h are what the library reads -------------------------------- */

/* Built by functions of their own; here only so that the list below can be complete. */
struct tsr_module_args {
  TSR_ARGS_HEAD;
};
struct tsr_entry_args {
  TSR_ARGS_HEAD;
};
struct tsr_global_args {
  TSR_ARGS_HEAD;
};
struct tsr_constant_args {
  TSR_ARGS_HEAD;
};

static void structs_have_the_layout_that_is_read(void **state) {
  (void)state;
  static const size_t sizes[OP_BLOCK_END] = {
#define OP(name, ...) [OP_##name] = sizeof(struct tsr_##name##_args),
#include "ir/ops.def"
#undef OP
#define BLOCK_OP      OP
#define OP(name, ...) [OP_##name] = sizeof(struct tsr_##name##_args),
#include "ir/block/ops.def"
#undef OP
#undef BLOCK_OP
  };
  unsigned checked = 0;
  for (unsigned op = 1; op < OP_BLOCK_END; op++) {
    if (build_is_special((op_code)op)) continue;
    build_field fields[BUILD_MAX_FIELDS];
    unsigned n = build_fields((op_code)op, fields);
    size_t size = 16;
    for (unsigned i = 0; i < n; i++) {
      bool list = fields[i].kind == FIELD_VALUES || fields[i].kind == FIELD_INTS ||
                  fields[i].kind == FIELD_SCALARS || fields[i].kind == FIELD_TYPES;
      size += list ? 16 : 8;
    }
    assert_int_equal(size, sizes[op]);
    checked++;
  }
  assert_int_equal(checked, OP_BLOCK_END - 5);
}

/* ---- helpers -------------------------------------------------------------------------------- */

static tsr_builder *begin(world *w) {
  world_open(w);
  tsr_builder *b = tsr_builder_create(w->ctx, "test");
  assert_non_null(b);
  return b;
}

/* Ends what is to be wrong: finishing adds no message, but fails. */
static void end_wrong(world *w, tsr_builder *b) {
  world_forget(w);
  assert_true(tsr_builder_failed(b));
  assert_null(tsr_builder_finish(b));
  assert_int_equal(w->errors, 0);
  world_close(w);
}

/* Runs a module's only kernel on one tile block by the interpreter. */
static tsr_status run_once(world *w, tsr_module *m, const tsr_arg *args, size_t count) {
  tsr_device *dev = tsr_device_open(w->ctx, "interp", NULL);
  tsr_program *p = tsr_program_create(dev, m);
  tsr_kernel *k = tsr_kernel_get(p, NULL);
  assert_non_null(k);
  tsr_status status = tsr_launch(k, (tsr_grid){1, 1, 1}, args, count);
  tsr_program_destroy(p);
  tsr_device_close(dev);
  return status;
}

static tsr_value weak_load(tsr_builder *b, tsr_value p) {
  return tsr_build_load_ptr_tko(b, p, TSR_MEMORY_WEAK);
}

static void weak_store(tsr_builder *b, tsr_value p, tsr_value v) {
  tsr_build_store_ptr_tko(b, p, v, TSR_MEMORY_WEAK);
}

/* Pointers to elements 0 … n-1 after a scalar pointer. */
static tsr_value pointers(tsr_builder *b, tsr_value p, int64_t n) {
  tsr_value lanes = tsr_build_iota(b, tsr_type_tile(b, TSR_I32, TSR_INTS(n)));
  return tsr_build_offset(b, tsr_build_splat(b, p, TSR_INTS(n)), lanes);
}

/* ---- what runs ------------------------------------------------------------------------------ */

static void saxpy_runs(void **state) {
  (void)state;
  world w;
  world_open(&w);
  tsr_module *m = build_saxpy(w.ctx);
  assert_non_null(m);
  float x[8], y[8];
  for (int i = 0; i < 8; i++) x[i] = (float)i, y[i] = 1;
  tsr_arg args[] = {tsr_arg_address(x), tsr_arg_address(y), tsr_arg_f32(2), tsr_arg_i32(8)};
  assert_int_equal(run_once(&w, m, args, 4), TSR_OK);
  for (int i = 0; i < 8; i++) assert_true(y[i] == 2 * (float)i + 1);
  expect_quiet(&w);
  ir_module_destroy(m);
  world_close(&w);
}

/* for with an iteration value, if with results, cmpi, loop with break. */
static void control_flow_runs(void **state) {
  (void)state;
  world w;
  tsr_builder *b = begin(&w);
  tsr_type i32 = tsr_type_scalar(b, TSR_I32);
  tsr_build_entry(b, "k", TSR_TYPES(tsr_type_pointer(b, TSR_I32), i32));
  tsr_value out = tsr_build_arg(b, 0), n = tsr_build_arg(b, 1);
  tsr_value zero = tsr_build_int(b, i32, 0), one = tsr_build_int(b, i32, 1);

  /* The sum of the even numbers below n. */
  tsr_op *sum = tsr_build_for(b, zero, n, one, TSR_VALUES(zero));
  tsr_value i = tsr_build_arg(b, 0), so_far = tsr_build_arg(b, 1);
  tsr_value rest = tsr_build_remi(b, i, tsr_build_int(b, i32, 2), TSR_UNSIGNED);
  tsr_value even = tsr_build_cmpi(b, rest, zero, TSR_CMP_EQUAL, TSR_SIGNED);
  tsr_op *chosen = tsr_build_if(b, even, .types = TSR_TYPES(i32));
  tsr_build_yield(b, TSR_VALUES(tsr_build_addi(b, so_far, i)));
  tsr_build_else(b);
  tsr_build_yield(b, TSR_VALUES(so_far));
  tsr_build_end(b);
  tsr_build_continue(b, TSR_VALUES(tsr_op_result(chosen, 0)));
  tsr_build_end(b);

  /* Doubled until it is above 1000. */
  tsr_op *big = tsr_build_loop(b, TSR_VALUES(tsr_op_result(sum, 0)));
  tsr_value v = tsr_build_arg(b, 0);
  tsr_build_if(b,
               tsr_build_cmpi(b, v, tsr_build_int(b, i32, 1000), TSR_CMP_GREATER_THAN, TSR_SIGNED));
  tsr_build_break(b, TSR_VALUES(v));
  tsr_build_end(b);
  tsr_build_continue(b, TSR_VALUES(tsr_build_addi(b, v, v)));
  tsr_build_end(b);

  weak_store(b, out, tsr_op_result(big, 0));
  tsr_build_end(b);
  tsr_module *m = tsr_builder_finish(b);
  expect_quiet(&w);
  assert_non_null(m);
  int32_t result = 0;
  tsr_arg args[] = {tsr_arg_address(&result), tsr_arg_i32(10)};
  assert_int_equal(run_once(&w, m, args, 2), TSR_OK);
  assert_int_equal(result, 20 * 64);
  ir_module_destroy(m);
  world_close(&w);
}

/* reduce, scan, constants from data, permute, select, globals, ftof, mmaf. */
static void tiles_run(void **state) {
  (void)state;
  world w;
  tsr_builder *b = begin(&w);
  static const float four[4] = {1, 2, 3, 4};
  tsr_type f32 = tsr_type_scalar(b, TSR_F32), square = tsr_type_tile(b, TSR_F32, TSR_INTS(2, 2));
  tsr_type row = tsr_type_tile(b, TSR_F32, TSR_INTS(2));
  tsr_build_global(b, "table", tsr_type_tile(b, TSR_F32, TSR_INTS(4)), four, sizeof four, 128);
  tsr_build_entry(b, "k", TSR_TYPES(tsr_type_pointer(b, TSR_F32)));
  tsr_value out = tsr_build_arg(b, 0);
  tsr_value table = tsr_build_get_global(b, "table", tsr_type_pointer(b, TSR_F32));
  tsr_value a = tsr_build_reshape(b, weak_load(b, pointers(b, table, 4)), square);
  tsr_value transposed = tsr_build_permute(b, a, TSR_INTS(1, 0), square);
  tsr_value c = tsr_build_constant(b, square, four, sizeof four);
  tsr_value product = tsr_build_mmaf(b, a, transposed, c); /* [[5, 11], [11, 25]] + c */

  tsr_op *sums =
      tsr_build_reduce(b, TSR_VALUES(product), 1, TSR_SCALARS(tsr_scalar_real(TSR_F32, 0)));
  tsr_build_yield(b, TSR_VALUES(tsr_build_addf(b, tsr_build_arg(b, 0), tsr_build_arg(b, 1))));
  tsr_build_end(b);
  assert_ptr_equal(tsr_value_type(tsr_op_result(sums, 0)), row);

  tsr_op *prefix = tsr_build_scan(b, TSR_VALUES(tsr_op_result(sums, 0)), 0, false,
                                  TSR_SCALARS(tsr_scalar_real(TSR_F32, 0)));
  tsr_build_yield(b, TSR_VALUES(tsr_build_addf(b, tsr_build_arg(b, 0), tsr_build_arg(b, 1))));
  tsr_build_end(b);

  tsr_value half = tsr_build_splat(b, tsr_build_real(b, f32, 0.5), TSR_INTS(2));
  tsr_value scaled = tsr_build_mulf(b, tsr_op_result(prefix, 0), half);
  tsr_value narrow =
      tsr_build_ftof(b, scaled, tsr_type_with_elem(b, tsr_value_type(scaled), TSR_F16));
  tsr_value wide = tsr_build_ftof(b, narrow, row);
  weak_store(b, pointers(b, out, 2), wide);
  tsr_build_end(b);
  tsr_module *m = tsr_builder_finish(b);
  expect_quiet(&w);
  assert_non_null(m);
  float result[2];
  tsr_arg args[] = {tsr_arg_address(result)};
  assert_int_equal(run_once(&w, m, args, 1), TSR_OK);
  assert_true(result[0] == (5 + 1 + 11 + 2) / 2.0f);
  assert_true(result[1] == (19 + 11 + 3 + 25 + 4) / 2.0f);
  ir_module_destroy(m);
  world_close(&w);
}

/* The same operation by name, as a binding would ask for it. */
static void operations_by_name(void **state) {
  (void)state;
  world w;
  tsr_builder *b = begin(&w);
  tsr_build_entry(b, "k", TSR_TYPES(tsr_type_pointer(b, TSR_F32)));
  tsr_value p = tsr_build_arg(b, 0);
  tsr_op *load = tsr_build_op(
      b, &(tsr_op_spec){.name = "load_ptr_tko",
                        .operands = (tsr_values[]){TSR_VALUES(p)},
                        .operand_groups = 1,
                        .attrs = (tsr_attr[]){{"memory_ordering_semantics", .s = "weak"}},
                        .attr_count = 1});
  assert_int_equal(tsr_op_result_count(load), 2);
  tsr_value x = tsr_op_result(load, 0);
  assert_ptr_equal(tsr_value_type(x), tsr_type_scalar(b, TSR_F32));
  tsr_op *add =
      tsr_build_op(b, &(tsr_op_spec){.name = "addf",
                                     .operands = (tsr_values[]){TSR_VALUES(x), TSR_VALUES(x)},
                                     .operand_groups = 2,
                                     .attrs = (tsr_attr[]){{"flush_to_zero", .i = 1},
                                                           {"rounding_mode", .i = TSR_ROUND_ZERO}},
                                     .attr_count = 2});
  assert_int_equal(ir_int_attr(add, ATTR_rounding_mode), ROUND_ZERO);
  assert_int_equal(ir_int_attr(add, ATTR_flush_to_zero), 1);
  /* Operand groups that are left out in the middle. */
  tsr_op *store = tsr_build_op(
      b, &(tsr_op_spec){.name = "store_ptr_tko",
                        .operands = (tsr_values[]){TSR_VALUES(p),
                                                   TSR_VALUES(tsr_op_result(add, 0)),
                                                   {0},
                                                   TSR_VALUES(tsr_op_result(load, 1))},
                        .operand_groups = 4,
                        .attrs = (tsr_attr[]){{"memory_ordering_semantics", .i = TSR_MEMORY_WEAK}},
                        .attr_count = 1});
  assert_null(ir_operand_in(store, 2));
  assert_non_null(ir_operand_in(store, 3));
  tsr_build_end(b);
  tsr_module *m = tsr_builder_finish(b);
  expect_quiet(&w);
  assert_non_null(m);
  float x_value = 1.5f;
  tsr_arg args[] = {tsr_arg_address(&x_value)};
  assert_int_equal(run_once(&w, m, args, 1), TSR_OK);
  assert_true(x_value == 3.0f);
  ir_module_destroy(m);
  world_close(&w);
}

static void assumptions_and_hints(void **state) {
  (void)state;
  world w;
  tsr_builder *b = begin(&w);
  tsr_op *entry = tsr_build_entry(b, "k", TSR_TYPES(tsr_type_pointer(b, TSR_F32)));
  tsr_build_hint_int(b, NULL, "sm_100", "occupancy", 1);
  tsr_build_hint_int(b, NULL, "sm_100", "occupancy", 2); /* instead */
  tsr_build_hint_int(b, entry, "default", "num_cta_in_cga", 2);
  tsr_value p = tsr_build_assume(b, tsr_build_arg(b, 0), TSR_DIV_BY(16));
  tsr_value x = weak_load(b, p);
  tsr_build_hint_int(b, tsr_value_type(x) ? x->owner.op : NULL, "sm_90", "latency", 3);
  tsr_value i = tsr_build_assume(b, tsr_build_get_tile_block_id(b), TSR_BOUNDED(0, 1023));
  (void)i;
  const ir_hints *hints = ir_get_attr(entry, ATTR_optimization_hints)->hints;
  assert_int_equal(hints->len, 2);
  assert_true(str_is(hints->data[0].target, "default")); /* they are kept in order */
  assert_true(str_is(hints->data[0].key, "num_cta_in_cga"));
  assert_true(str_is(hints->data[1].target, "sm_100"));
  assert_int_equal(hints->data[1].value, 2);
  tsr_build_end(b);
  tsr_module *m = tsr_builder_finish(b);
  expect_quiet(&w);
  assert_non_null(m);
  ir_module_destroy(m);
  world_close(&w);
}

/* ---- types ---------------------------------------------------------------------------------- */

static void types(void **state) {
  (void)state;
  world w;
  tsr_builder *b = begin(&w);
  tsr_type t = tsr_type_tile(b, TSR_F16, TSR_INTS(4, 8));
  assert_non_null(t);
  assert_ptr_equal(t, tsr_type_tile(b, TSR_F16, TSR_INTS(4, 8)));
  assert_int_equal(tsr_type_elem(t), TSR_F16);
  assert_int_equal(tsr_type_shape(t).len, 2);
  assert_int_equal(tsr_type_shape(t).data[1], 8);
  assert_int_equal(tsr_type_elem(tsr_type_token(b)), TSR_ELEM_COUNT);
  assert_ptr_equal(tsr_type_with_elem(b, t, TSR_F16), t);
  tsr_type view =
      tsr_type_tensor_view(b, TSR_F32, TSR_INTS(TSR_DYNAMIC, 64), TSR_INTS(TSR_DYNAMIC, 1));
  assert_non_null(
      tsr_type_partition_view(b, TSR_INTS(4, 4), view, TSR_INTS(1, 0), TSR_PADDING_NAN));
  assert_non_null(tsr_type_strided_view(b, TSR_INTS(4, 4), TSR_INTS(2, 2), view, (tsr_ints){0},
                                        TSR_PADDING_ZERO));
  assert_non_null(tsr_type_gather_scatter_view(b, TSR_INTS(4, 4), view, 1, TSR_PADDING_NONE));
  expect_quiet(&w);

  assert_null(tsr_type_tile(b, TSR_F16, TSR_INTS(4, 3)));
  expect_error(&w, "power of two");
  assert_null(tsr_type_scalar(b, (tsr_elem)77));
  expect_error(&w, "77 is no element type");
  int64_t many[65] = {0};
  assert_null(tsr_type_tile(b, TSR_F32, (tsr_ints){many, 65}));
  expect_error(&w, "rank 65");
  assert_null(tsr_type_scalar(b, TSR_PTR));
  expect_error(&w, "tsr_type_pointers says what they point to");
  assert_null(tsr_type_pointer(b, TSR_PTR));
  expect_error(&w, "cannot point to");
  assert_null(tsr_type_tensor_view(b, TSR_F32, TSR_INTS(1, 2), TSR_INTS(1)));
  expect_error(&w, "1 strides for 2 dimensions");
  assert_null(tsr_type_partition_view(b, TSR_INTS(4, 4), t, (tsr_ints){0}, TSR_PADDING_NONE));
  expect_error(&w, "expected a tensor_view type, found tile<4x8xf16>");
  assert_null(tsr_type_partition_view(b, TSR_INTS(4, 4), view, TSR_INTS(0), TSR_PADDING_NONE));
  expect_error(&w, "dim_map has 1 entries");
  assert_null(tsr_type_partition_view(b, TSR_INTS(4, 4), view, TSR_INTS(0, 7), TSR_PADDING_NONE));
  expect_error(&w, "dim_map");
  assert_null(tsr_type_partition_view(b, TSR_INTS(4, 4), view, TSR_INTS(0, -1), TSR_PADDING_NONE));
  expect_error(&w, "dim_map[1] is -1");
  assert_null(tsr_type_partition_view(b, TSR_INTS(4, 4), view, (tsr_ints){0}, (tsr_padding)9));
  expect_error(&w, "9 is no tsr_padding");
  assert_null(tsr_type_strided_view(b, TSR_INTS(4, 4), TSR_INTS(1), view, (tsr_ints){0}, 0));
  expect_error(&w, "1 traversal strides");
  assert_null(tsr_type_gather_scatter_view(b, TSR_INTS(4, 4), view, 200, TSR_PADDING_NONE));
  expect_error(&w, "sparse_dim 200");
  assert_null(tsr_type_with_elem(b, view, TSR_F32));
  expect_error(&w, "of a tile type is needed");
  end_wrong(&w, b);
}

/* ---- what is reported ----------------------------------------------------------------------- */

static void wrong_operands(void **state) {
  (void)state;
  world w;
  tsr_builder *b = begin(&w);
  tsr_type f32 = tsr_type_scalar(b, TSR_F32);
  tsr_build_entry(b, "k", TSR_TYPES(f32, tsr_type_scalar(b, TSR_I32)));
  tsr_value x = tsr_build_arg(b, 0), i = tsr_build_arg(b, 1);
  char here[64];

  assert_null(tsr_build_addf(b, x, NULL));
  expect_error(&w, "addf: rhs is missing");

  tsr_value wrong = tsr_build_addf(b, x, i);
  snprintf(here, sizeof here, "test_build.c:%d: ", __LINE__ - 1);
  assert_null(wrong);
  assert_non_null(strstr(w.messages, here));
  expect_error(&w, "addf: 'rhs' is tile<i32>; expected a tile of f16, bf16, f32 or f64");

  /* What comes of it is silent. */
  tsr_value more = tsr_build_mulf(b, wrong, wrong);
  assert_null(more);
  assert_null(tsr_build_splat(b, more, TSR_INTS(4)));
  tsr_op *loop = tsr_build_for(b, wrong, wrong, wrong, TSR_VALUES(more));
  assert_null(loop);
  assert_null(tsr_build_arg(b, 1));
  tsr_build_continue(b, TSR_VALUES(tsr_build_arg(b, 1)));
  tsr_build_end(b);
  assert_null(tsr_op_result(loop, 0));
  expect_quiet(&w);

  /* And what has nothing to do with it is not. */
  assert_non_null(tsr_build_addf(b, x, x));
  assert_null(tsr_build_absi(b, x));
  expect_error(&w, "absi: 'source' is tile<f32>; expected a tile of integers");
  assert_null(tsr_build_arg(b, 2));
  expect_error(&w, "argument 2 of a region of 'entry', which has 2");
  end_wrong(&w, b);
}

static void wrong_attributes(void **state) {
  (void)state;
  world w;
  tsr_builder *b = begin(&w);
  tsr_type i32 = tsr_type_scalar(b, TSR_I32);
  tsr_build_entry(b, "k", TSR_TYPES(i32, tsr_type_scalar(b, TSR_F32)));
  tsr_value i = tsr_build_arg(b, 0), x = tsr_build_arg(b, 1);
  assert_null(tsr_build_maxi(b, i, i));
  expect_error(&w, "maxi: the attribute 'signedness' is missing; one of: unsigned, signed");
  assert_null(tsr_build_maxi(b, i, i, 17));
  expect_error(&w, "the signedness of 'signedness' is wrong; one of: unsigned, signed");
  assert_null(tsr_build_addf(b, x, x, .rounding_mode = TSR_ROUND_APPROX));
  expect_error(&w, "one of: nearest_even, zero, negative_inf, positive_inf");
  assert_null(tsr_build_print_tko(b));
  expect_error(&w, "the attribute 'str' is missing");
  assert_null(tsr_build_assume(b, i));
  expect_error(&w, "the attribute 'predicate' is missing");
  assert_null(tsr_build_assume(b, i, &(tsr_predicate){.kind = 9}));
  expect_error(&w, "9 is no kind of predicate");

  tsr_values operands[] = {TSR_VALUES(x), TSR_VALUES(x), TSR_VALUES(x)};
  tsr_attr attrs[] = {{"rounding", .s = "zero"}};
  tsr_op_spec placed = {"addf", operands, 2, attrs, 1, .file = "x.py", .line = 3, .column = 7};
  assert_null(tsr_build_op(b, &placed));
  assert_non_null(strstr(w.messages, "x.py:3: "));
  assert_int_equal(w.column, 7);
  expect_error(&w, "addf has no attribute 'rounding'; it has: rounding_mode, flush_to_zero");
  attrs[0] = (tsr_attr){"rounding_mode", .s = "nearest"};
  assert_null(tsr_build_op(b, &(tsr_op_spec){"addf", operands, 2, attrs, 1}));
  expect_error(&w, "one of: nearest_even");
  assert_null(tsr_build_op(b, &(tsr_op_spec){"addf", operands, 3}));
  expect_error(&w, "3 operand groups are given, it has 2");
  operands[0] = (tsr_values){(tsr_value[]){x, x}, 2};
  assert_null(tsr_build_op(b, &(tsr_op_spec){"addf", operands, 2}));
  expect_error(&w, "'lhs' is one operand, not 2");
  operands[0] = TSR_VALUES(x);
  assert_null(tsr_build_op(b, &(tsr_op_spec){"addf", operands, 2, .types = TSR_TYPES(i32, i32)}));
  expect_error(&w, "2 result types are given, it has 1 result");
  assert_null(tsr_build_op(b, &(tsr_op_spec){"adf"}));
  expect_error(&w, "there is no operation 'adf'; did you mean 'addf'?");
  assert_null(tsr_build_op(b, &(tsr_op_spec){"entry"}));
  expect_error(&w, "'entry' is built by a function of its own");
  assert_null(tsr_build_op(b, &(tsr_op_spec){NULL}));
  expect_error(&w, "there is no operation ''");
  end_wrong(&w, b);
}

static void wrong_types_of_results(void **state) {
  (void)state;
  world w;
  tsr_builder *b = begin(&w);
  tsr_type f32 = tsr_type_scalar(b, TSR_F32), i32 = tsr_type_scalar(b, TSR_I32);
  tsr_build_entry(b, "k", TSR_TYPES(f32));
  tsr_value x = tsr_build_arg(b, 0);
  assert_null(tsr_build_ftoi(b, x, TSR_SIGNED));
  expect_error(&w, "ftoi: the type of the result is missing");
  end_wrong(&w, b);

  /* What only the verifier knows is reported with the line that built it. */
  b = begin(&w);
  tsr_build_entry(b, "k", TSR_TYPES(tsr_type_scalar(b, TSR_F32)));
  char here[64];
  tsr_type wide = tsr_type_tile(b, TSR_F32, TSR_INTS(4));
  tsr_value stretched = tsr_build_broadcast(b, tsr_build_arg(b, 0), wide);
  snprintf(here, sizeof here, "test_build.c:%d: ", __LINE__ - 1);
  assert_non_null(stretched);
  tsr_build_end(b);
  assert_false(tsr_builder_failed(b));
  assert_null(tsr_builder_finish(b));
  assert_non_null(strstr(w.messages, here));
  expect_error(&w, "broadcast");
  world_close(&w);
  (void)i32;
}

static void wrong_constants(void **state) {
  (void)state;
  world w;
  tsr_builder *b = begin(&w);
  tsr_type i8 = tsr_type_scalar(b, TSR_I8), f32s = tsr_type_tile(b, TSR_F32, TSR_INTS(4));
  float four[4] = {0};
  tsr_build_entry(b, "k", (tsr_types){0});
  assert_non_null(tsr_build_int(b, i8, 255));
  assert_non_null(tsr_build_int(b, i8, -128));
  assert_non_null(tsr_build_int(b, tsr_type_scalar(b, TSR_I64), INT64_MIN));
  assert_non_null(tsr_build_int(b, f32s, -3));
  assert_non_null(tsr_build_int(b, tsr_type_scalar(b, TSR_I1), 1));
  expect_quiet(&w);
  assert_null(tsr_build_int(b, i8, 256));
  expect_error(&w, "256 does not fit i8");
  assert_null(tsr_build_int(b, i8, -129));
  expect_error(&w, "-129 does not fit i8");
  assert_null(tsr_build_real(b, i8, 1));
  expect_error(&w, "holds integers");
  assert_null(tsr_build_constant(b, f32s, four, 12));
  expect_error(&w, "tile<4xf32> has 16 bytes, not 12");
  assert_null(tsr_build_constant(b, f32s, NULL, 16));
  expect_error(&w, "has 16 bytes, not 0");
  assert_null(tsr_build_int(b, tsr_type_token(b), 1));
  expect_error(&w, "expected a type of a tile of numbers, found token");
  assert_null(tsr_build_splat(b, tsr_build_int(b, f32s, 1), TSR_INTS(4)));
  expect_error(&w, "expected a scalar, found tile<4xf32>");
  tsr_value v = tsr_build_int(b, i8, 1);
  tsr_value_set_name(b, v, "a b");
  expect_error(&w, "'a b' cannot be the name");
  tsr_value_set_name(b, v, "4");
  expect_error(&w, "'4' cannot be the name");
  end_wrong(&w, b);
}

static void wrong_places(void **state) {
  (void)state;
  world w;
  tsr_builder *b = begin(&w);
  tsr_type i32 = tsr_type_scalar(b, TSR_I32);
  assert_null(tsr_build_get_tile_block_id(b));
  expect_error(&w, "no kernel is open: tsr_build_entry begins one");
  tsr_build_end(b);
  expect_error(&w, "tsr_build_end: no region is open");
  tsr_build_else(b);
  expect_error(&w, "tsr_build_else");
  assert_null(tsr_build_arg(b, 0));
  expect_error(&w, "argument 0 of a region of 'module'");
  assert_null(tsr_build_entry(b, "", TSR_TYPES(i32)));
  tsr_build_end(b);
  expect_error(&w, "entry: the name is missing");

  tsr_build_entry(b, "k", TSR_TYPES(i32));
  tsr_value n = tsr_build_arg(b, 0);
  assert_null(tsr_build_entry(b, "inner", (tsr_types){0}));
  tsr_build_end(b);
  expect_error(&w, "entry 'inner' inside a region");
  tsr_build_else(b);
  expect_error(&w, "tsr_build_else");

  tsr_build_for(b, n, n, n);
  tsr_value i = tsr_build_arg(b, 0);
  tsr_build_end(b); /* a continue of nothing may be left out */
  expect_quiet(&w);
  assert_null(tsr_build_addi(b, i, i));
  expect_error(&w, "addi: 'lhs' cannot be used here: it was made in a region that has ended");

  tsr_build_for(b, n, n, n, TSR_VALUES(n));
  tsr_build_end(b);
  expect_error(&w, "for: the region must end with 'continue' of 1 value before tsr_build_end");

  tsr_build_return(b);
  expect_quiet(&w);
  assert_null(tsr_build_get_tile_block_id(b));
  expect_error(&w, "the region has already ended with 'return'");
  tsr_build_end(b);
  end_wrong(&w, b);

  b = begin(&w);
  tsr_build_entry(b, "k", (tsr_types){0});
  assert_null(tsr_builder_finish(b));
  expect_error(&w, "the region of 'entry' is still open: tsr_build_end is missing");
  world_close(&w);
}

static void values_of_another_builder(void **state) {
  (void)state;
  world w;
  tsr_builder *a = begin(&w), *b = tsr_builder_create(w.ctx, "other");
  tsr_build_entry(a, "k", TSR_TYPES(tsr_type_scalar(a, TSR_F32)));
  tsr_build_entry(b, "k", TSR_TYPES(tsr_type_scalar(b, TSR_F32)));
  assert_null(tsr_build_negf(b, tsr_build_arg(a, 0)));
  expect_error(&w, "by another builder");
  tsr_builder_destroy(a);
  end_wrong(&w, b);
}

static void deep_nesting(void **state) {
  (void)state;
  world w;
  tsr_builder *b = begin(&w);
  tsr_build_entry(b, "k", TSR_TYPES(tsr_type_scalar(b, TSR_I1)));
  tsr_value c = tsr_build_arg(b, 0);
  for (int i = 0; i < 1000; i++) tsr_build_if(b, c);
  for (int i = 0; i < 1000; i++) tsr_build_end(b);
  tsr_build_end(b);
  expect_error(&w, "regions nest deeper than 256");
  end_wrong(&w, b);
}

static void another_version_of_the_header(void **state) {
  (void)state;
  world w;
  tsr_builder *b = begin(&w);
  tsr_build_entry(b, "k", TSR_TYPES(tsr_type_scalar(b, TSR_F32)));
  struct tsr_addf_args args = {.size_ = sizeof args - 8, .b = b};
  assert_null(tsr_build_args_at(NULL, 0, "addf", &args));
  expect_error(&w, "compiled with tessera/ops.h of another version");
  assert_null(tsr_build_args_at(NULL, 0, "nonsense", &args));
  expect_error(&w, "there is no operation 'nonsense'");
  end_wrong(&w, b);
}

static void null_is_harmless(void **state) {
  (void)state;
  assert_null(tsr_builder_create(NULL, "x"));
  assert_null(tsr_builder_finish(NULL));
  tsr_builder_destroy(NULL);
  assert_true(tsr_builder_failed(NULL));
  assert_null(tsr_type_scalar(NULL, TSR_F32));
  assert_null(tsr_type_token(NULL));
  assert_null(tsr_type_partition_view(NULL, TSR_INTS(4), NULL, (tsr_ints){0}, 0));
  assert_null(tsr_build_entry(NULL, "k", (tsr_types){0}));
  tsr_build_end(NULL);
  tsr_build_else(NULL);
  assert_null(tsr_build_arg(NULL, 0));
  assert_null(tsr_build_global(NULL, "g", NULL, NULL, 0, 0));
  assert_null(tsr_build_int(NULL, NULL, 1));
  assert_null(tsr_build_real(NULL, NULL, 1));
  assert_null(tsr_build_constant(NULL, NULL, NULL, 0));
  assert_null(tsr_build_splat(NULL, NULL, (tsr_ints){0}));
  assert_null(tsr_build_addf(NULL, NULL, NULL));
  assert_null(tsr_build_reduce(NULL));
  assert_null(tsr_build_op(NULL, NULL));
  assert_null(tsr_build_args_at(NULL, 0, NULL, NULL));
  assert_null(tsr_op_result(NULL, 0));
  assert_null(tsr_result_of(NULL, 0));
  assert_int_equal(tsr_op_result_count(NULL), 0);
  assert_null(tsr_value_type(NULL));
  assert_int_equal(tsr_type_elem(NULL), TSR_ELEM_COUNT);
  assert_int_equal(tsr_type_shape(NULL).len, 0);
  tsr_value_set_name(NULL, NULL, NULL);
  tsr_build_hint_int(NULL, NULL, NULL, NULL, 0);
  tsr_build_hint_bool(NULL, NULL, NULL, NULL, false);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(structs_have_the_layout_that_is_read),
      cmocka_unit_test(saxpy_runs),
      cmocka_unit_test(control_flow_runs),
      cmocka_unit_test(tiles_run),
      cmocka_unit_test(operations_by_name),
      cmocka_unit_test(assumptions_and_hints),
      cmocka_unit_test(types),
      cmocka_unit_test(wrong_operands),
      cmocka_unit_test(wrong_attributes),
      cmocka_unit_test(wrong_types_of_results),
      cmocka_unit_test(wrong_constants),
      cmocka_unit_test(wrong_places),
      cmocka_unit_test(values_of_another_builder),
      cmocka_unit_test(deep_nesting),
      cmocka_unit_test(another_version_of_the_header),
      cmocka_unit_test(null_is_harmless),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
