/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Verifying modules that were built operation by operation: what no text can say, because a parser
 * would not let it through. Rules that text can break are in test_verify.c and
 * test_verify_memory.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ir/verify.h"

/* ---- a kernel to put things into ------------------------------------------------------------ */

typedef struct fixture {
  tsr_context *ctx;
  ir_module *m;
  ir_op *entry;
  ir_block *body;
  const ir_type *i32, *f32, *i1, *token; /* scalars */
  char log[4096];                        /* messages, a line each */
  size_t len, budget;                    /* budget: bytes the allocator still gives; 0: any */
} fixture;

static void on_diagnostic(void *user, const tsr_diagnostic *d) {
  fixture *f = user;
  static const char *const names[] = {"error", "warning", "note", "remark"};
  int n =
      snprintf(f->log + f->len, sizeof f->log - f->len, "%s: %s\n", names[d->severity], d->message);
  f->len = MIN(f->len + (size_t)n, sizeof f->log - 1);
}

static void *allocate(void *user, size_t size) {
  fixture *f = user;
  if (f->budget) {
    if (f->budget <= size) return NULL;
    f->budget -= size;
  }
  return malloc(size);
}

static void release(void *user, void *memory, size_t size) {
  (void)user;
  (void)size;
  free(memory);
}

static ir_op *add(fixture *f, ir_block *b, op_code opcode, uint32_t n, ir_value *const *operands,
                  uint32_t r, const ir_type *const *results) {
  ir_op *op = ir_op_create(f->m, &(ir_op_spec){.opcode = opcode,
                                               .n_operands = n,
                                               .operands = operands,
                                               .n_results = r,
                                               .result_types = results,
                                               .n_regions = op_n_regions(&op_table[opcode])});
  if (b) ir_op_append(b, op);
  return op;
}

static ir_op *add_return(fixture *f) {
  return add(f, f->body, OP_return, 0, NULL, 0, NULL);
}

static ir_value *constant(fixture *f, ir_block *b, const ir_type *t) {
  uint64_t zero = 0;
  ir_op *op = add(f, b, OP_constant, 0, NULL, 1, &t);
  uint32_t size = (uint32_t)tsr_elem_storage((tsr_elem)t->elem, 1);
  ir_set_attr(op, ATTR_value, (ir_attr){.dense = ir_dense_create(f->m, t, true, &zero, size)});
  return ir_result(op, 0);
}

static ir_value *addi(fixture *f, ir_block *b, ir_value *x, ir_value *y) {
  return ir_result(add(f, b, OP_addi, 2, (ir_value *[]){x, y}, 1, &x->type), 0);
}

static ir_op *add_entry(fixture *f, const char *name, uint32_t n, const ir_type *const *args) {
  ir_op *op = add(f, ir_region(f->m->op, 0), OP_entry, 0, NULL, 0, NULL);
  ir_set_attr(op, ATTR_sym_name, (ir_attr){.s = str_of(name)});
  ir_set_attr(op, ATTR_function_type, (ir_attr){.type = ir_function(f->m, n, 0, args)});
  ir_region_create(f->m, op, 0, n, args);
  return op;
}

static ir_op *add_reduce(fixture *f, const ir_type *tile) {
  ir_value *x = constant(f, f->body, tile);
  ir_op *op = add(f, f->body, OP_reduce, 1, &x, 1, &f->i32);
  ir_scalars *s = arena_alloc_zero(&f->m->arena, sizeof *s + sizeof s->data[0], 8);
  s->len = 1;
  s->data[0].elem = TSR_I32;
  ir_set_attr(op, ATTR_identities, (ir_attr){.scalars = s});
  ir_set_int(op, ATTR_dim, 0);
  const ir_type *args[] = {f->i32, f->i32};
  ir_block *b = ir_region_create(f->m, op, 0, 2, args);
  add(f, b, OP_yield, 1, (ir_value *[]){addi(f, b, &b->args[0], &b->args[1])}, 0, NULL);
  return op;
}

static int setup(void **state) {
  fixture *f = calloc(1, sizeof *f);
  tsr_allocator allocator = {allocate, release, f};
  f->ctx = tsr_context_create(&(tsr_context_options){.struct_size = sizeof(tsr_context_options),
                                                     .on_diagnostic = on_diagnostic,
                                                     .diagnostic_user = f,
                                                     .allocator = &allocator});
  f->m = ir_module_create(f->ctx, STR("m"));
  f->i32 = ir_scalar(f->m, TSR_I32);
  f->f32 = ir_scalar(f->m, TSR_F32);
  f->i1 = ir_scalar(f->m, TSR_I1);
  f->token = ir_token(f->m);
  f->entry = add_entry(f, "k", 0, NULL);
  f->body = ir_region(f->entry, 0);
  *state = f;
  return 0;
}

static int teardown(void **state) {
  fixture *f = *state;
  f->budget = 0;
  ir_module_destroy(f->m);
  tsr_context_destroy(f->ctx);
  free(f);
  return 0;
}

static void expect_ok(fixture *f) {
  bool ok = ir_verify(f->m);
  assert_string_equal(f->log, "");
  assert_true(ok);
  assert_true(f->m->verified);
}

/* The messages are exactly one error, which contains `text`, and notes. */
static void expect_error(fixture *f, const char *text) {
  bool ok = ir_verify(f->m);
  const char *first = strstr(f->log, "error:");
  if (!first || !strstr(f->log, text) || strstr(first + 1, "error:"))
    fail_msg("expected one error with:\n  %s\ngot:\n%s", text, f->log);
  assert_false(ok);
  assert_false(f->m->verified);
  f->len = 0;
  f->log[0] = 0;
}

/* ---- structure ------------------------------------------------------------------------------ */

static void test_valid(void **state) {
  fixture *f = *state;
  ir_value *x = constant(f, f->body, f->i32);
  addi(f, f->body, x, x);
  add_return(f);
  expect_ok(f);
  expect_ok(f); /* and again: nothing is left behind */
}

static void test_nameless_module(void **state) {
  fixture *f = *state;
  add_return(f);
  ir_set_attr(f->m->op, ATTR_sym_name, (ir_attr){.s = STR("")});
  expect_ok(f);
  ir_set_attr(f->entry, ATTR_sym_name, (ir_attr){.s = STR("")});
  expect_error(f, "entry: attribute 'sym_name' is an empty name");
}

static void test_no_operation(void **state) {
  fixture *f = *state;
  ir_op *op = add_return(f);
  ir_op *odd = add(f, NULL, OP_make_token, 0, NULL, 1, &f->token);
  odd->opcode = OP_BLOCK_END;
  ir_op_insert_before(op, odd);
  expect_error(f, "this is not an operation of Tile IR");
}

static void test_places(void **state) {
  fixture *f = *state;
  ir_op *ret = add_return(f);
  ir_op *inner = add(f, NULL, OP_module, 0, NULL, 0, NULL);
  ir_set_attr(inner, ATTR_sym_name, (ir_attr){.s = STR("n")});
  ir_region_create(f->m, inner, 0, 0, NULL);
  ir_op_insert_before(ret, inner);
  expect_error(f, "module: a module cannot be inside another operation");
  ir_op_erase(inner);
  add(f, ir_region(f->m->op, 0), OP_make_token, 0, NULL, 1, &f->token);
  expect_error(f, "make_token: must be inside an entry, not directly in the module");
}

static void test_root(void **state) {
  fixture *f = *state;
  add_return(f);
  ir_op *root = f->m->op;
  ir_op_unlink(f->entry);
  f->m->op = f->entry;
  expect_error(f, "entry: the outermost operation must be a module");
  f->m->op = root;
}

static void test_terminators(void **state) {
  fixture *f = *state;
  expect_error(f, "entry: region 'body' is empty; it must end with return");
  constant(f, f->body, f->i32);
  expect_error(f, "constant: region 'body' of entry ends with this operation; it must end with "
                  "return");
  add_return(f);
  expect_ok(f);
  add_return(f);
  expect_error(f, "return: must be the last operation of its region");
}

static void test_regions(void **state) {
  fixture *f = *state;
  ir_value *c = constant(f, f->body, f->i1);
  ir_op *op = add(f, f->body, OP_if, 1, &c, 0, NULL);
  add_return(f);
  expect_error(f, "if: region 'thenRegion' is missing");
  ir_block *then = ir_region_create(f->m, op, 0, 1, &f->i32);
  add(f, then, OP_yield, 0, NULL, 0, NULL);
  expect_error(f, "if: region 'thenRegion' takes no arguments, but has 1");
  then->n_args = 0;
  expect_ok(f); /* the else region may be missing */
  op->n_regions = 1;
  expect_error(f, "if: expected 2 regions, got 1");
  op->n_regions = 2;
  ir_region(f->m->op, 0)->n_args = 1;
  expect_error(f, "module: region 'body' takes no arguments, but has 1");
  ir_region(f->m->op, 0)->n_args = 0;
}

static void test_region_arguments(void **state) {
  fixture *f = *state;
  const ir_type *number = ir_number(f->m, TSR_I32);
  add_return(f);
  ir_set_attr(f->entry, ATTR_function_type, (ir_attr){.type = ir_function(f->m, 1, 0, &number)});
  f->body->args = (ir_value[]){{.type = number, .owner.block = f->body, .is_arg = true}};
  f->body->n_args = 1;
  expect_error(
      f,
      "entry: argument 0 of region 'body' has type i32, which no value has; a scalar is tile<i32>");
  f->body->args[0].type = NULL;
  expect_error(f, "entry: argument 0 of region 'body' has type nothing, which no value has");
  f->body->args[0].type = f->i32;
  expect_error(f, "entry: input 0 of function_type is i32, but argument 0 of the body has type "
                  "tile<i32>");
  ir_set_attr(f->entry, ATTR_function_type, (ir_attr){.type = ir_function(f->m, 0, 0, NULL)});
  expect_error(f, "entry: function_type has 0 inputs, but the body has 1 argument");
  ir_set_attr(f->entry, ATTR_function_type, (ir_attr){.type = f->i32});
  expect_error(f, "entry: function_type must be a function type, but is tile<i32>");
}

/* ---- operands ------------------------------------------------------------------------------- */

static void test_operand_counts(void **state) {
  fixture *f = *state;
  ir_value *x = constant(f, f->body, f->i32);
  ir_op *op = add(f, f->body, OP_addi, 2, (ir_value *[]){x, NULL}, 1, &f->i32);
  add_return(f);
  expect_error(f, "addi: operand 'rhs' is missing");
  ir_set_operand(op, 1, x);
  op->n_operands = 1;
  expect_error(f, "addi: expected 2 operands (lhs, rhs), got 1");
  op->n_operands = 2;
  op->segments[1] = 0;
  expect_error(f, "addi: operand 'rhs' stands for one value, but 0 values are given for it");
  op->segments[1] = 2;
  expect_error(f, "addi: expected 2 operands (lhs, rhs), got 2");
  op->segments[1] = UINT32_MAX;
  expect_error(f, "addi: expected 2 operands (lhs, rhs), got 2");
}

static void test_optional_operands(void **state) {
  fixture *f = *state;
  const ir_type *p = ir_tile(f->m, TSR_PTR, TSR_F32, 0, NULL);
  const ir_type *results[] = {f->f32, f->token};
  ir_op *g = add(f, f->body, OP_int_to_ptr, 1,
                 (ir_value *[]){constant(f, f->body, ir_scalar(f->m, TSR_I64))}, 1, &p);
  ir_value *mask = constant(f, f->body, f->i1);
  ir_value *operands[] = {ir_result(g, 0), mask, mask};
  ir_op *op = ir_op_create(f->m, &(ir_op_spec){.opcode = OP_load_ptr_tko,
                                               .n_operands = 3,
                                               .operands = operands,
                                               .segments = (uint32_t[]){1, 2, 0, 0},
                                               .n_results = 2,
                                               .result_types = results});
  ir_set_int(op, ATTR_memory_ordering_semantics, ORDER_WEAK);
  ir_op_append(f->body, op);
  add_return(f);
  expect_error(f, "load_ptr_tko: operand 'mask' stands for at most one value, but 2 values are "
                  "given for it");
  op->segments[1] = 1;
  op->n_operands = 2;
  expect_ok(f);
  op->n_operands = 3;
  expect_error(f, "load_ptr_tko: expected at least 1 operand (source, mask?, paddingValue?, "
                  "token?), got 3");
}

static void test_order(void **state) {
  fixture *f = *state;
  ir_value *x = constant(f, f->body, f->i32);
  ir_value *late = constant(f, NULL, f->i32);
  ir_set_name(f->m, late, STR("late"));
  ir_op *use = ir_defining_op(addi(f, f->body, x, late));
  ir_op_append(f->body, ir_defining_op(late));
  add_return(f);
  expect_error(f, "addi: operand 'rhs' (%late) is used before it is defined");
  ir_set_operand(use, 1, ir_result(use, 0));
  expect_error(f, "addi: operand 'rhs' is used before it is defined");
  ir_set_operand(use, 1, x);
  expect_ok(f);
}

/* A value's number may hold anything before the verifier comes. */
static void test_stale_numbers(void **state) {
  fixture *f = *state;
  ir_value *x = constant(f, f->body, f->i32);
  ir_value *loose = constant(f, NULL, f->i32);
  loose->number = 0;
  ir_op *use = ir_defining_op(addi(f, f->body, x, loose));
  add_return(f);
  expect_error(f, "addi: operand 'rhs' comes from an operation that is in no block");
  loose->number = UINT32_MAX;
  expect_error(f, "addi: operand 'rhs' comes from an operation that is in no block");
  ir_set_operand(use, 1, x);
  expect_ok(f);
}

static void test_isolation(void **state) {
  fixture *f = *state;
  ir_value *x = constant(f, f->body, f->i32);
  add_return(f);
  ir_op *other = add_entry(f, "other", 0, NULL);
  ir_block *b = ir_region(other, 0);
  addi(f, b, x, x);
  add(f, b, OP_return, 0, NULL, 0, NULL);
  expect_error(f, "addi: operand 'lhs' is defined inside a region that ends before this use");
}

/* The results of a global operation would be seen by entries, had it any. */
static void test_isolation_from_module(void **state) {
  fixture *f = *state;
  ir_value *outside = constant(f, NULL, f->i32);
  ir_op_insert_before(f->entry, ir_defining_op(outside));
  addi(f, f->body, outside, outside);
  add_return(f);
  assert_false(ir_verify(f->m));
  assert_non_null(strstr(f->log, "addi: operand 'lhs' is defined outside the entry"));
  assert_non_null(strstr(f->log, "constant: must be inside an entry"));
}

static void test_region_scope(void **state) {
  fixture *f = *state;
  ir_value *c = constant(f, f->body, f->i1);
  ir_op *op = add(f, f->body, OP_if, 1, &c, 0, NULL);
  ir_block *then = ir_region_create(f->m, op, 0, 0, NULL);
  ir_value *inner = constant(f, then, f->i32);
  add(f, then, OP_yield, 0, NULL, 0, NULL);
  ir_block *otherwise = ir_region_create(f->m, op, 1, 0, NULL);
  ir_op *use = ir_defining_op(addi(f, otherwise, inner, inner));
  add(f, otherwise, OP_yield, 0, NULL, 0, NULL);
  add_return(f);
  expect_error(f, "addi: operand 'lhs' is defined inside a region that ends before this use");
  ir_op_unlink(use);
  ir_op_insert_before(f->body->last, use);
  expect_error(f, "addi: operand 'lhs' is defined inside a region that ends before this use");
}

/* Parts that must agree, and what an operand may be: a parser takes most types from elsewhere in
 * the line, so it reports these itself. */
static void test_agreement(void **state) {
  fixture *f = *state;
  const ir_type *v8 = ir_tile(f->m, TSR_I32, 0, 1, (int64_t[]){8});
  ir_value *x = constant(f, f->body, f->i32), *y = constant(f, f->body, v8);
  ir_op *op = add(f, f->body, OP_addi, 2, (ir_value *[]){x, y}, 1, &f->i32);
  add_return(f);
  expect_error(f, "addi: lhs, rhs and result must have the same type, but lhs is tile<i32> and rhs "
                  "is tile<8xi32>");
  ir_set_operand(op, 0, y);
  expect_error(f, "but lhs is tile<8xi32> and result is tile<i32>");
  op->results[0].type = v8;
  expect_ok(f);
  ir_value *z = constant(f, NULL, f->f32);
  ir_op_insert_before(op, ir_defining_op(z));
  ir_set_operand(op, 0, z);
  expect_error(f, "addi: operand 'lhs' must be a tile of integers, but has type tile<f32>; "
                  "expected elements of type i1, i8, i16, i32 or i64");
  ir_op *join = add(f, NULL, OP_join_tokens, 2, (ir_value *[]){x, x}, 1, &f->token);
  ir_op_insert_before(op, join);
  ir_op_erase(op);
  expect_error(f, "join_tokens: operand 'tokens[0]' must be a token, but has type tile<i32>");
}

static void test_carried(void **state) {
  fixture *f = *state;
  ir_value *zero = constant(f, f->body, f->i32), *x = addi(f, f->body, zero, zero);
  ir_value *operands[] = {x, x, x, x, x};
  const ir_type *two[] = {f->i32, f->i32};
  ir_op *op = ir_op_create(f->m, &(ir_op_spec){.opcode = OP_for,
                                               .n_operands = 5,
                                               .operands = operands,
                                               .n_results = 2,
                                               .result_types = two,
                                               .n_regions = 1});
  ir_op_append(f->body, op);
  add_return(f);
  const ir_type *args[] = {f->i32, f->i32, f->i32};
  ir_block *b = ir_region_create(f->m, op, 0, 3, args);
  add(f, b, OP_continue, 2, operands, 0, NULL);
  expect_ok(f);
  op->n_results = 1;
  expect_error(f, "for: initValues and resultValues must be equally many, but there are 2 and 1");
  op->n_results = 2;
  op->results[1].type = f->f32;
  expect_error(f, "for: initValues and resultValues must have the same type, but initValues[1] is "
                  "tile<i32> and resultValues[1] is tile<f32>");
  op->results[1].type = f->i32;
  b->args[0].type = f->f32;
  expect_error(f, "for: the induction variable has type tile<f32>, but the bounds have type "
                  "tile<i32>");
  b->args[0].type = f->i32;
  b->args[2].type = f->f32;
  expect_error(f, "for: initial value 1 has type tile<i32>, but iteration value 1 has type "
                  "tile<f32>");
  b->args[2].type = f->i32;
  b->n_args = 2;
  expect_error(f, "for: 2 initial values, but 1 iteration value of the region are given");
  b->n_args = 0;
  expect_error(f, "for: the region needs an argument for the induction variable");
}

static void test_view_operands(void **state) {
  fixture *f = *state;
  const ir_type *p = ir_tile(f->m, TSR_PTR, TSR_F32, 0, NULL), *i64 = ir_scalar(f->m, TSR_I64);
  const ir_type *v =
      ir_tensor_view(f->m, TSR_F32, 1, (int64_t[]){IR_DYNAMIC}, (int64_t[]){IR_DYNAMIC});
  const ir_type *w = ir_tensor_view(f->m, TSR_F32, 1, (int64_t[]){8}, (int64_t[]){1});
  const ir_type *part = ir_partition_view(f->m, 1, (int64_t[]){4}, w, NULL, -1);
  ir_value *i = constant(f, f->body, f->i32), *l = constant(f, f->body, i64);
  ir_value *base = ir_result(add(f, f->body, OP_int_to_ptr, 1, &l, 1, &p), 0);
  ir_value *operands[] = {base, i, i};
  ir_op *op = ir_op_create(f->m, &(ir_op_spec){.opcode = OP_make_tensor_view,
                                               .n_operands = 3,
                                               .operands = operands,
                                               .segments = (uint32_t[]){1, 1, 1},
                                               .n_results = 1,
                                               .result_types = &v});
  ir_op_append(f->body, op);
  add_return(f);
  expect_ok(f);
  const ir_type *pi = ir_tile(f->m, TSR_PTR, TSR_I8, 0, NULL);
  ir_defining_op(base)->results[0].type = pi;
  expect_error(f, "make_tensor_view: base points to i8, but the view consists of f32");
  ir_defining_op(base)->results[0].type = p;
  ir_set_operand(op, 2, l);
  expect_error(f, "make_tensor_view: sizes and strides must all have the same type, but there are "
                  "tile<i32> and tile<i64>");
  op->segments[1] = 0;
  op->segments[2] = 2;
  expect_error(f, "make_tensor_view: the shape of tensor_view<?xf32, strides=[?]> has 1 '?', but 0 "
                  "values are given for them");
  op->segments[1] = 1;
  op->segments[2] = 0;
  op->n_operands = 2;
  expect_error(f, "make_tensor_view: the strides of tensor_view<?xf32, strides=[?]> have 1 '?', "
                  "but 0 values are given for them");
  op->segments[2] = 1;
  op->n_operands = 3;
  ir_set_operand(op, 2, i);
  ir_value *made = ir_result(op, 0);
  op = add(f, NULL, OP_make_partition_view, 1, &made, 1, &part);
  ir_op_insert_before(f->body->last, op);
  expect_error(f, "make_partition_view: the operand has type tensor_view<?xf32, strides=[?]>, but "
                  "the result is a view of tensor_view<8xf32, strides=[1]>; they must be equal");
  ir_op_erase(op);
  const ir_type *mixed[] = {f->i32, i64};
  op = add(f, NULL, OP_get_tensor_shape, 1, &made, 2, mixed);
  ir_op_insert_before(f->body->last, op);
  expect_error(f, "get_tensor_shape: 2 results are given, but tensor_view<?xf32, strides=[?]> has "
                  "rank 1; expected one for each dimension");
  op->n_results = 1;
  expect_ok(f);
  ir_op_erase(op);
  const ir_type *v2 = ir_tensor_view(f->m, TSR_F32, 2, (int64_t[]){8, 8}, (int64_t[]){8, 1});
  op = add(f, NULL, OP_make_tensor_view, 1, &base, 1, &v2);
  ir_op_insert_before(f->body->last, op);
  made = ir_result(op, 0);
  op = add(f, NULL, OP_get_tensor_shape, 1, &made, 2, mixed);
  ir_op_insert_before(f->body->last, op);
  expect_error(f, "get_tensor_shape: the results must all have the same type, but there are "
                  "tile<i32> and tile<i64>");
}

static void test_view_indices(void **state) {
  fixture *f = *state;
  const ir_type *p = ir_tile(f->m, TSR_PTR, TSR_F32, 0, NULL), *i64 = ir_scalar(f->m, TSR_I64);
  const ir_type *v = ir_tensor_view(f->m, TSR_F32, 2, (int64_t[]){8, 8}, (int64_t[]){8, 1});
  const ir_type *part = ir_partition_view(f->m, 2, (int64_t[]){4, 4}, v, NULL, -1);
  ir_value *i = constant(f, f->body, f->i32), *l = constant(f, f->body, i64);
  ir_value *base = ir_result(add(f, f->body, OP_int_to_ptr, 1, &l, 1, &p), 0);
  ir_value *view = ir_result(add(f, f->body, OP_make_tensor_view, 1, &base, 1, &v), 0);
  ir_value *pv = ir_result(add(f, f->body, OP_make_partition_view, 1, &view, 1, &part), 0);
  const ir_type *results[] = {part->tile, f->token};
  ir_op *op = ir_op_create(f->m, &(ir_op_spec){.opcode = OP_load_view_tko,
                                               .n_operands = 3,
                                               .operands = (ir_value *[]){pv, i, l},
                                               .segments = (uint32_t[]){1, 2, 0},
                                               .n_results = 2,
                                               .result_types = results});
  ir_set_int(op, ATTR_memory_ordering_semantics, ORDER_WEAK);
  ir_op_append(f->body, op);
  add_return(f);
  expect_error(f, "load_view_tko: indices must have the same type, but there are tile<i32> and "
                  "tile<i64>");
  ir_set_operand(op, 1, l);
  expect_ok(f);
}

static void test_predicates(void **state) {
  fixture *f = *state;
  ir_value *x = constant(f, f->body, f->i32);
  ir_op *op = add(f, f->body, OP_assume, 1, &x, 1, &f->i32);
  add_return(f);
  ir_predicate p = {.kind = IR_DIV_BY, .divisor = (uint64_t)1 << 63};
  ir_set_attr(op, ATTR_predicate, (ir_attr){.predicate = &p});
  expect_error(f, "assume: div_by<9223372036854775808>: the divisor must not be larger than 2^62");
  p = (ir_predicate){.kind = IR_SAME_ELEMENTS};
  expect_ok(f); /* no sizes for rank 0 */
  p.kind = 9;
  expect_error(f, "assume: unknown kind of predicate 9");
}

static void test_entry_results(void **state) {
  fixture *f = *state;
  add_return(f);
  ir_set_attr(f->entry, ATTR_function_type, (ir_attr){.type = ir_function(f->m, 0, 1, &f->i32)});
  expect_error(f, "entry: a kernel returns nothing, but function_type has 1 result");
}

/* Such a kernel is valid, but nobody can call it. */
static void test_parameters(void **state) {
  fixture *f = *state;
  add_return(f);
  const ir_type *args[] = {f->i32, f->token};
  ir_op *other = add_entry(f, "other", 2, args);
  add(f, ir_region(other, 0), OP_return, 0, NULL, 0, NULL);
  expect_ok(f);
  assert_true(ir_check_parameters(f->m, f->entry));
  assert_false(ir_check_parameters(f->m, other));
  assert_non_null(strstr(f->log, "entry: @other cannot be launched: argument 1 has type token"));
}

static void test_reduce_counts(void **state) {
  fixture *f = *state;
  ir_op *op = add_reduce(f, ir_tile(f->m, TSR_I32, 0, 1, (int64_t[]){8}));
  add_return(f);
  op->n_results = 0;
  expect_error(f, "reduce: 1 operand and 0 results are given; they must be equally many");
  op->n_operands = 0;
  op->segments[0] = 0;
  expect_error(f, "reduce: expected at least one operand");
}

/* ---- results, attributes, types ------------------------------------------------------------- */

static void test_results(void **state) {
  fixture *f = *state;
  const ir_type *two[] = {f->token, f->token};
  ir_op *op = add(f, f->body, OP_make_token, 0, NULL, 2, two);
  add_return(f);
  expect_error(f, "make_token: expected 1 result, got 2");
  op->n_results = 0;
  expect_error(f, "make_token: expected 1 result, got 0");
  op->n_results = 1;
  op->results[0].type = NULL;
  expect_error(f, "make_token: result 'result' has no type");
  op->results[0].type = f->i32;
  expect_error(f, "make_token: result 'result' must be a token, but has type tile<i32>");
  op->results[0].type = f->token;
  op = add(f, f->body, OP_get_tile_block_id, 0, NULL, 1, &f->i32);
  ir_op_unlink(op);
  ir_op_insert_before(f->body->last, op);
  expect_error(f, "get_tile_block_id: expected 3 results, got 1");
}

static void test_attributes(void **state) {
  fixture *f = *state;
  ir_value *x = constant(f, f->body, f->i32);
  ir_op *op = add(f, f->body, OP_divi, 2, (ir_value *[]){x, x}, 1, &f->i32);
  add_return(f);
  expect_error(f, "divi: attribute 'signedness' is missing; expected unsigned or signed");
  ir_set_int(op, ATTR_signedness, 2);
  expect_error(f, "divi: attribute 'signedness' has no value 2; expected unsigned or signed");
  ir_set_int(op, ATTR_signedness, -1);
  expect_error(f, "divi: attribute 'signedness' has no value -1; expected unsigned or signed");
  ir_set_int(op, ATTR_signedness, SIGN_SIGNED);
  expect_ok(f);
  ir_set_int(op, ATTR_rounding, ROUND_NEAREST_EVEN);
  expect_error(f, "divi: rounding mode 'nearest_even' is not allowed here; expected zero, "
                  "negative_inf or positive_inf");
  ir_set_int(op, ATTR_rounding, 99);
  expect_error(f, "divi: attribute 'rounding' has no value 99; expected zero, negative_inf or "
                  "positive_inf");
}

static void test_attribute_values(void **state) {
  fixture *f = *state;
  ir_value *x = constant(f, f->body, f->i32);
  ir_op *c = ir_defining_op(x);
  add_return(f);
  ir_dense *d = (ir_dense *)ir_get_attr(c, ATTR_value)->dense;
  d->size = 3;
  expect_error(f, "constant: the value of type tile<i32> takes 4 bytes, but has 3");
  d->size = 4;
  d->type = f->f32;
  expect_error(f, "constant: the value has type tile<f32>, but the result has type tile<i32>");
  d->type = f->token;
  expect_error(f, "constant: the value must be a tile of numbers, but has type token");
  d->type = ir_tile(f->m, TSR_PTR, TSR_F32, 0, NULL);
  expect_error(f, "constant: the value must be a tile of numbers, but has type tile<ptr<f32>>");
  ir_set_attr(c, ATTR_value, (ir_attr){.dense = NULL});
  expect_error(f, "constant: attribute 'value' is missing");
  c->present = 0;
  expect_error(f, "constant: attribute 'value' is missing");
}

static void test_units(void **state) {
  fixture *f = *state;
  ir_value *x = constant(f, f->body, f->f32);
  ir_op *op = add(f, f->body, OP_exp2, 1, &x, 1, &f->f32);
  add_return(f);
  ir_set_int(op, ATTR_flush_to_zero, 1);
  expect_ok(f);
  ir_set_int(op, ATTR_flush_to_zero, 7);
  expect_error(f, "exp2: attribute 'flush_to_zero' is 7; expected 0 or 1");
}

static void test_integers_and_scalars(void **state) {
  fixture *f = *state;
  const ir_type *tile = ir_tile(f->m, TSR_I32, 0, 1, (int64_t[]){8});
  ir_op *op = add_reduce(f, tile);
  add_return(f);
  expect_ok(f);
  ir_set_int(op, ATTR_dim, (int64_t)1 << 32);
  expect_error(f, "reduce: attribute 'dim' is 4294967296, which does not fit 32 bits");
  ir_set_int(op, ATTR_dim, 0);
  ((ir_scalars *)ir_get_attr(op, ATTR_identities)->scalars)->data[0].elem = TSR_PTR;
  expect_error(f, "reduce: attribute 'identities' must hold numbers, but entry 0 is none");
}

/* What a region yields may be missing when its operation is checked. */
static void test_missing_yield(void **state) {
  fixture *f = *state;
  ir_op *op = add_reduce(f, ir_tile(f->m, TSR_I32, 0, 1, (int64_t[]){8}));
  add_return(f);
  ir_set_operand(ir_region(op, 0)->last, 0, NULL);
  assert_false(ir_verify(f->m));
  assert_non_null(strstr(f->log, "reduce: value 0 that the body yields has type nothing"));
  assert_non_null(strstr(f->log, "yield: operand 'operands[0]' is missing"));
}

/* A type that may not exist is reported where it comes first, and its users are left alone. */
static void test_bad_type(void **state) {
  fixture *f = *state;
  const ir_type *bad = ir_tile(f->m, TSR_I32, 0, 2, (int64_t[]){4, 3});
  const ir_type *worse = ir_tile(f->m, TSR_I32, 0, 2, (int64_t[]){4, 0});
  ir_op *op = add(f, f->body, OP_iota, 0, NULL, 1, &bad);
  ir_value *x = ir_result(op, 0);
  addi(f, f->body, x, x);
  add(f, f->body, OP_broadcast, 1, &x, 1, &worse);
  add_return(f);
  assert_false(ir_verify(f->m));
  assert_string_equal(f->log, "error: iota: dimension 1 of tile<4x3xi32> is 3; every dimension of "
                              "a tile must be a power of two\n");
}

static void test_bad_constant_type(void **state) {
  fixture *f = *state;
  const ir_type *bad = ir_tile(f->m, TSR_I32, 0, 1, (int64_t[]){3});
  ir_op *op = ir_defining_op(constant(f, NULL, f->i32));
  add_return(f);
  ir_op_insert_before(f->body->last, op);
  ((ir_dense *)ir_get_attr(op, ATTR_value)->dense)->type = bad;
  expect_error(f, "constant: dimension 0 of tile<3xi32> is 3; every dimension of a tile must be a "
                  "power of two");
}

/* ---- limits --------------------------------------------------------------------------------- */

static void test_error_limit(void **state) {
  fixture *f = *state;
  for (int i = 0; i < 100; i++) add(f, f->body, OP_make_token, 0, NULL, 0, NULL);
  add_return(f);
  f->ctx->error_limit = 3;
  f->ctx->errors = 50; /* of something earlier */
  assert_false(ir_verify(f->m));
  unsigned lines = 0;
  for (const char *p = f->log; *p; p++) lines += *p == '\n';
  assert_int_equal(lines, 3);
}

/* Deep nesting takes memory, not stack; each value is visible in every loop below. */
static void test_depth(void **state) {
  fixture *f = *state;
  ir_value *x = constant(f, f->body, f->i32);
  ir_block *b = f->body;
  for (int i = 0; i < 20000; i++) {
    ir_op *op = add(f, b, OP_loop, 0, NULL, 0, NULL);
    if (b == f->body)
      add_return(f);
    else
      add(f, b, OP_continue, 0, NULL, 0, NULL);
    b = ir_region_create(f->m, op, 0, 0, NULL);
    addi(f, b, x, x);
  }
  add(f, b, OP_break, 0, NULL, 0, NULL);
  expect_ok(f);
}

static bool verify_guarded(fixture *f) {
  TSR_GUARD(f->ctx, return false);
  bool ok = ir_verify(f->m);
  TSR_UNGUARD(f->ctx);
  return ok;
}

/* Whenever memory runs out, the guard is reached and nothing is lost (the sanitizers watch). */
static void test_no_memory(void **state) {
  fixture *f = *state;
  ir_value *x = constant(f, f->body, f->i32);
  for (int i = 0; i < 10000; i++) x = addi(f, f->body, x, x);
  add_return(f);
  unsigned failures = 0;
  for (size_t budget = 1; budget < (size_t)1 << 24; budget *= 2) {
    f->budget = budget;
    bool ok = verify_guarded(f);
    failures += !ok;
    f->budget = 0;
    assert_null(f->ctx->guard);
    assert_string_equal(f->log, ok ? "" : "error: out of memory\n");
    f->len = 0;
    f->log[0] = 0;
  }
  assert_in_range(failures, 1, 23);
  expect_ok(f);
}

/* ---- types ---------------------------------------------------------------------------------- */

static void expect_type(fixture *f, const ir_type *t, const char *problem) {
  const char *got = ir_type_problem(&f->m->arena, t);
  if (!problem) {
    if (got) fail_msg("expected no problem, got: %s", got);
    return;
  }
  if (!got || !strstr(got, problem))
    fail_msg("expected:\n  %s\ngot:\n  %s", problem, got ? got : "no problem");
}

static const ir_type *tile(fixture *f, tsr_elem e, unsigned rank, int64_t a, int64_t b) {
  return ir_tile(f->m, e, TSR_F32, rank, (int64_t[]){a, b});
}

static void test_tile_types(void **state) {
  fixture *f = *state;
  expect_type(f, tile(f, TSR_F32, 0, 0, 0), NULL);
  expect_type(f, tile(f, TSR_F32, 2, 4096, 4096), NULL);
  expect_type(f, tile(f, TSR_PTR, 1, 8, 0), NULL);
  expect_type(f, tile(f, TSR_I4, 1, 1, 0), NULL);
  expect_type(f, tile(f, TSR_F4E2M1FN, 2, 1, 2), NULL);
  expect_type(
      f, tile(f, TSR_F32, 2, 4, 5),
      "dimension 1 of tile<4x5xf32> is 5; every dimension of a tile must be a power of two");
  expect_type(f, tile(f, TSR_F32, 1, 0, 0), "is 0; every dimension of a tile must be positive");
  expect_type(f, tile(f, TSR_F32, 1, -4, 0), "is -4; every dimension of a tile must be positive");
  expect_type(f, tile(f, TSR_F32, 1, IR_DYNAMIC, 0), "dimension 0 of tile<?xf32> is dynamic");
  expect_type(f, tile(f, TSR_F32, 2, 4096, 8192),
              "tile<4096x8192xf32> has too many elements; a tile may have at most 16777216");
  expect_type(f, tile(f, TSR_F32, 2, (int64_t)1 << 62, (int64_t)1 << 62), "too many elements");
  expect_type(f, tile(f, TSR_F4E2M1FN, 0, 0, 0), "tile<f4E2M1FN> has an odd number of elements");
  expect_type(f, tile(f, TSR_F4E2M1FN, 2, 1, 1), "has an odd number of elements");
  expect_type(f, ir_tile(f->m, TSR_PTR, TSR_PTR, 0, NULL), "a pointer cannot point to ptr");
  expect_type(f, ir_tile(f->m, TSR_PTR, TSR_I4, 0, NULL), "a pointer cannot point to i4");
  expect_type(f, ir_tile(f->m, TSR_ELEM_COUNT, 0, 0, NULL), "element type 36 does not exist");
  int64_t ones[IR_MAX_RANK + 1];
  for (int i = 0; i <= IR_MAX_RANK; i++) ones[i] = 1;
  expect_type(f, ir_tile(f->m, TSR_I8, 0, IR_MAX_RANK, ones), NULL);
  expect_type(f, ir_tile(f->m, TSR_I8, 0, IR_MAX_RANK + 1, ones), "a type of rank 65 is too large");
}

static void test_plain_types(void **state) {
  fixture *f = *state;
  expect_type(f, ir_number(f->m, TSR_I4), NULL);
  expect_type(f, ir_number(f->m, TSR_PTR), "element type 16 is not a number");
  expect_type(f, ir_pointer(f->m, TSR_F4E2M1FN), NULL);
  expect_type(f, ir_pointer(f->m, TSR_I4), "a pointer cannot point to i4");
  expect_type(f, ir_pointer(f->m, (tsr_elem)200), "a pointer cannot point to an unknown element");
  expect_type(f, f->token, NULL);
  expect_type(f, ir_function(f->m, 0, 0, NULL), NULL);
  expect_type(f, &(ir_type){.kind = 99}, "type kind 99 does not exist");
}

static const ir_type *view(fixture *f, tsr_elem e, unsigned rank, int64_t d0, int64_t d1,
                           int64_t s0, int64_t s1) {
  return ir_tensor_view(f->m, e, rank, (int64_t[]){d0, d1}, (int64_t[]){s0, s1});
}

static void test_tensor_view_types(void **state) {
  fixture *f = *state;
  const int64_t any = IR_DYNAMIC;
  expect_type(f, view(f, TSR_F32, 0, 0, 0, 0, 0), NULL);
  expect_type(f, view(f, TSR_F32, 2, any, 3, any, 1), NULL);
  expect_type(f, view(f, TSR_I4, 1, 8, 0, 1, 0), "a tensor_view cannot consist of i4");
  expect_type(f, view(f, TSR_PTR, 1, 8, 0, 1, 0), "a tensor_view cannot consist of ptr");
  expect_type(f, view(f, TSR_F32, 2, 8, 0, 1, 1),
              "dimension 1 of tensor_view<8x0xf32, "
              "strides=[1,1]> is 0; expected a positive "
              "number or '?'");
  expect_type(f, view(f, TSR_F32, 1, -1, 0, 1, 0), "is -1; expected a positive number or '?'");
  expect_type(f, view(f, TSR_F32, 2, 8, 8, 0, 1), "stride 0 of");
  expect_type(f, view(f, TSR_F32, 2, 8, 8, 8, -1), "stride 1 of");
  int64_t ones[IR_MAX_RANK + 1];
  for (int i = 0; i <= IR_MAX_RANK; i++) ones[i] = 1;
  expect_type(f, ir_tensor_view(f->m, TSR_I8, IR_MAX_RANK + 1, ones, ones), "a type of rank 65");
  /* Packed elements. */
  expect_type(f, view(f, TSR_F4E2M1FN, 2, any, any, any, any), NULL);
  expect_type(f, view(f, TSR_F4E2M1FN, 2, 1, 32, 32, 1), NULL);
  expect_type(f, view(f, TSR_F4E2M1FN, 2, 32, 1, 1, 32), NULL);
  expect_type(f, view(f, TSR_F4E2M1FN, 1, 7, 0, 1, 0),
              "dimension 0 of tensor_view<7xf4E2M1FN, "
              "strides=[1]> has 7 elements");
  expect_type(f, view(f, TSR_F4E2M1FN, 2, 8, 8, 16, 2), "has no dimension of stride 1");
  expect_type(f, view(f, TSR_F4E2M1FN, 0, 0, 0, 0, 0), "has no dimension of stride 1");
}

static void test_subview_types(void **state) {
  fixture *f = *state;
  const ir_type *v = view(f, TSR_F32, 2, 64, 64, 64, 1), *vi = view(f, TSR_I8, 1, 64, 0, 1, 0);
  int64_t t[] = {4, 8}, odd[] = {4, 5}, s[] = {2, 3};
#define P(rank, tile, view, map, pad) ir_partition_view(f->m, rank, tile, view, map, pad)
  expect_type(f, P(2, t, v, NULL, -1), NULL);
  expect_type(f, P(2, t, v, ((int32_t[]){1, 0}), PADDING_NAN), NULL);
  expect_type(f, P(1, t, vi, NULL, PADDING_ZERO), NULL);
  expect_type(f, P(2, t, f->i32, NULL, -1),
              "expected a tensor_view inside the view type, got "
              "tile<i32>");
  expect_type(f, P(2, t, view(f, TSR_F32, 2, 0, 1, 1, 1), NULL, -1), "dimension 0 of tensor_view");
  expect_type(f, P(0, t, view(f, TSR_F32, 0, 0, 0, 0, 0), NULL, -1), "at least one dimension");
  expect_type(f, P(1, t, v, NULL, -1), "the tiles have rank 1, but the tensor_view has rank 2");
  expect_type(f, P(2, odd, v, NULL, -1), "is 5; every dimension of a tile must be a power of two");
  expect_type(f, P(2, t, v, ((int32_t[]){0, 2}), -1),
              "dim_map maps tile dimension 1 to dimension "
              "2, but the tensor_view has dimensions 0 to "
              "1");
  expect_type(f, P(2, t, v, ((int32_t[]){-1, 0}), -1),
              "dim_map maps tile dimension 0 to dimension "
              "-1");
  expect_type(f, P(2, t, v, ((int32_t[]){1, 1}), -1),
              "dim_map maps two tile dimensions to "
              "dimension 1");
  expect_type(f, P(1, t, vi, NULL, PADDING_NEG_ZERO),
              "padding value neg_zero needs floating-point "
              "elements, but the tensor_view consists of "
              "i8");
  expect_type(f, P(2, t, v, NULL, 5), "padding value 5 does not exist");
  expect_type(f, ir_strided_view(f->m, 2, t, s, v, NULL, -1), NULL);
  expect_type(f, ir_strided_view(f->m, 2, t, (int64_t[]){1, 0}, v, NULL, -1),
              "traversal stride 1 is 0");
  expect_type(f, ir_strided_view(f->m, 2, t, (int64_t[]){(int64_t)1 << 31, 1}, v, NULL, -1),
              "traversal stride 0 is 2147483648; expected a number from 1 to 2147483647");
  expect_type(f, ir_gather_scatter_view(f->m, 2, t, v, 1, -1), NULL);
  expect_type(f, ir_gather_scatter_view(f->m, 2, t, v, 2, -1),
              "sparse_dim is 2, but the "
              "tensor_view has dimensions 0 to 1");
  expect_type(f, ir_gather_scatter_view(f->m, 2, t, v, 256, -1), "sparse_dim is 255");
#undef P
}

#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(valid),
      TEST(nameless_module),
      TEST(no_operation),
      TEST(places),
      TEST(root),
      TEST(terminators),
      TEST(regions),
      TEST(region_arguments),
      TEST(operand_counts),
      TEST(optional_operands),
      TEST(order),
      TEST(stale_numbers),
      TEST(isolation),
      TEST(isolation_from_module),
      TEST(region_scope),
      TEST(results),
      TEST(attributes),
      TEST(attribute_values),
      TEST(units),
      TEST(integers_and_scalars),
      TEST(missing_yield),
      TEST(bad_type),
      TEST(bad_constant_type),
      TEST(error_limit),
      TEST(depth),
      TEST(no_memory),
      TEST(tile_types),
      TEST(plain_types),
      TEST(tensor_view_types),
      TEST(subview_types),
      TEST(agreement),
      TEST(carried),
      TEST(view_operands),
      TEST(view_indices),
      TEST(predicates),
      TEST(entry_results),
      TEST(reduce_counts),
      TEST(parameters),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
