/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The family custom against its reference, and complex products against C's.
 */
#include <complex.h>

#include "ops_run.h"

static const char *const examples[] = {
    "custom:type=f16,m=5,n=7,k=9",
    "custom:m=17,n=70,k=33,a=column,b=column,c=column",
    "custom:type=bf16,m=5,n=7,k=9,lda=11,ldb=13,ldc=17,convert=a;-b",
    "custom:type=f64,m=3,n=4,k=5,multiply=a*c;b*d",
    "custom:m=0,n=4,k=5",
    "custom:type=f16,m=17,n=70,k=33,tile_m=16,tile_n=16,tile_k=16,a=column,lda=40",
    "custom:type=f8E5M2FNUZ,m=5,n=7,k=0,tile_m=4,tile_n=8,tile_k=8,zero=1;2",
    "custom:m=9,n=7,k=40,tile_m=4,tile_n=8,tile_k=16,multiply=(a-2*b)*(3*d+c);b*(d-c)-a*d,"
    "add=c+a;b+d,convert=b;-a",
    "custom:fields=4,multiply=a*e-b*f-c*g-d*h;a*f+b*e+c*h-d*g;a*g-b*h+c*e+d*f;a*h+b*g-c*f+d*e,"
    "m=5,n=6,k=37,tile_m=4,tile_n=8,tile_k=32",
    "custom:m=3,n=4,k=0,zero=1;2",
    /* The larger one of sums; dual numbers; quaternions. */
    "custom:fields=1,multiply=a+b,add=max(a,b),zero=-inf,m=9,n=33,k=20",
    "custom:fields=2,multiply=a*c;a*d+b*c,m=9,n=33,k=20,type=f8E5M2",
    "custom:fields=4,multiply=a*e-b*f-c*g-d*h;a*f+b*e+c*h-d*g;a*g-b*h+c*e+d*f;a*h+b*g-c*f+d*e,"
    "m=5,n=6,k=7",
    "custom:kind=reduce,type=f16,m=5,k=300",
    "custom:kind=reduce,fields=3,add=a+d;min(b,e);max(c,f),zero=0;inf;-inf,m=7,k=33,a=column",
    "custom:kind=reduce,fields=2,add=max(a,c);where(a<c,d,b),zero=-inf;0,m=5,k=70",
    "custom:kind=reduce,m=3,k=0",
    "custom:kind=map,multiply=a+c;b-d,convert=a;-b,type=bf16,m=5,n=70",
    "custom:kind=map,multiply=sqrt(a*a+b*b);0,m=5,n=70,c=column",
    "custom:kind=map,fields=3,multiply=b*f-c*e;c*d-a*f;a*e-b*d,m=1,n=1",
};

static void examples_are_right(void **state) {
  (void)state;
  static const char *const devices[] = {"interp", "cpu", "emu:sm_80", "emu:sm_90a"};
  for (size_t d = 0; d < ARRAY_LEN(devices); d++) {
    world w;
    ops_scene s;
    world_open(&w);
    ops_open(&s, &w, devices[d]);
    for (size_t i = 0; i < ARRAY_LEN(examples); i++) ops_run(&s, examples[i]);
    ops_close(&s);
    world_close(&w);
  }
}

static const char *const forms[] = {
    "fields=1,multiply=a*b",
    "fields=2",
    "fields=2,multiply=a*c;a*d+b*c,convert=b;a",
    "fields=3,multiply=a*d;b*e;max(c,f),add=a+d;b+e;max(c,f),zero=0;0;-inf",
};
static const char *const types[] = {"f32", "f16", "bf16", "f64", "f8E4M3FN"};

static void random_problem(problem_text *g) {
  static const char *const kinds[] = {"product", "reduce", "map"};
  static const char *const layouts[] = {"a=column", "b=column", "c=column", "a=row"};
  static const int sizes[] = {0, 1, 2, 5, 13, 16, 31, 64, 67};
  ops_put(g, "custom:kind=%s,type=%s,%s", OPS_PICK(g, kinds), OPS_PICK(g, types),
          OPS_PICK(g, forms));
  ops_put(g, ",m=%d,n=%d,k=%d", OPS_PICK(g, sizes), OPS_PICK(g, sizes), OPS_PICK(g, sizes));
  ops_put(g, ",%s", OPS_PICK(g, layouts));
  if (ops_pick(g, 2))
    ops_put(g, ",tile_m=%u,tile_n=%u", 1u << ops_pick(g, 5), 1u << ops_pick(g, 7));
  if (strstr(g->text, "product") && !strstr(g->text, "max") && ops_pick(g, 2))
    ops_put(g, ",tile_k=%u", 8u << ops_pick(g, 3));
}

static const problem_maker makers[] = {random_problem};

static void random_problems_are_right(void **state) {
  (void)state;
  ops_run_random("interp", 41, 100, makers, 1);
  ops_run_random("cpu", 42, 60, makers, 1);
  ops_run_random("emu:sm_80", 43, 15, makers, 1);
  ops_run_random("emu:sm_90a", 44, 15, makers, 1);
}

/* ---- complex numbers ------------------------------------------------------------------------- */

enum { SIZE = 24 };
typedef float _Complex matrix[SIZE][SIZE];

static float _Complex product_at(matrix a, matrix b, unsigned i, unsigned j) {
  float _Complex sum = 0;
  for (unsigned l = 0; l < SIZE; l++) sum += a[i][l] * b[l][j];
  return conjf(sum);
}

static void complex_products_are_those_of_c(void **state) {
  (void)state;
  static matrix a, b, c;
  world w;
  ops_scene s;
  tsr_op_problem p = {.struct_size = sizeof p, .text = "custom:m=24,n=24,k=24,convert=a;-b"};
  for (unsigned i = 0; i < SIZE; i++)
    for (unsigned j = 0; j < SIZE; j++) {
      a[i][j] = (float)i - 2 * (float)j + (float)(i % 5) * I;
      b[i][j] = (float)(j % 7) - (float)i * I;
    }
  world_open(&w);
  ops_open(&s, &w, "cpu");
  tsr_op_plan *plan = tsr_op_plan_get(s.library, &p);
  assert_non_null(plan);
  tsr_op_argument args[] = {
      {"a", tsr_arg_address(a)}, {"b", tsr_arg_address(b)}, {"c", tsr_arg_address(c)}};
  assert_int_equal(tsr_op_launch(plan, NULL, args, 3), TSR_OK);
  for (unsigned i = 0; i < SIZE; i++)
    for (unsigned j = 0; j < SIZE; j++) {
      float _Complex wanted = product_at(a, b, i, j);
      if (cabsf(c[i][j] - wanted) > 0.01f)
        fail_msg("c[%u, %u] is %g + %gi, not %g + %gi", i, j, crealf(c[i][j]), cimagf(c[i][j]),
                 crealf(wanted), cimagf(wanted));
    }
  ops_close(&s);
  world_close(&w);
}

/* ---- refusals -------------------------------------------------------------------------------- */

static void what_cannot_be_is_refused(void **state) {
  (void)state;
  static const char *const wrong[][2] = {
      {"custom:type=i8", "type=i8: fields are floats of 8 bits and more"},
      {"custom:multiply=a*b", "multiply=a*b: give an expression for each of fields=2, with ;"},
      {"custom:multiply=a;b;c", "multiply=a;b;c: give an expression for each of fields=2"},
      {"custom:multiply=a;e",
       "multiply=a;e: 2 structures of fields=2 have the letters from a to d"},
      {"custom:convert=a;c", "convert=a;c: 1 structures of fields=2 have the letters from a to b"},
      {"custom:add=a+;b", "expression=a+: expected a tensor, a number"},
      {"custom:zero=x", "zero=x: give numbers with ; between, as in 0;-inf"},
      {"custom:zero=0;1;2", "zero=0;1;2: give one number, or one for each of fields=2"},
      {"custom:fields=3,zero=0;1,multiply=a;b;c", "give one number, or one for each of fields=3"},
      {"custom:type=f64,multiply=erf(a);b", "type=f64: erf and gelu are computed to 3e-7"},
      {"custom:tile_m=1024,tile_n=4096", "tiles of 1024 x 4096 are too large: at most 16384"},
      {"custom:tile_m=12", "tile_m=12 is no power of two"},
      {"custom:tile_k=12", "tile_k=12 is no power of two"},
      {"custom:tile_k=16,kind=map", "tile_k=16, but kind=product, multiply and add do not say"},
      {"custom:tile_k=16,multiply=a*c;a*b", "tile_k=16, but kind=product, multiply and add do not"},
      {"custom:tile_k=16,multiply=a*c+1;b*d", "tile_k=16, but kind=product, multiply and add do"},
      {"custom:tile_k=16,multiply=a*c*d;b*d", "tile_k=16, but kind=product, multiply and add do"},
      {"custom:tile_k=16,multiply=a/c;b*d", "tile_k=16, but kind=product, multiply and add do"},
      {"custom:tile_k=16,multiply=a;b*d", "tile_k=16, but kind=product, multiply and add do"},
      {"custom:tile_k=16,add=a+d;b+c", "tile_k=16, but kind=product, multiply and add do not say"},
      {"custom:k=99999999999", "at most 2^31 - 1 tiles along m and n and as many steps along k"},
  };
  world w;
  ops_scene s;
  world_open(&w);
  ops_open(&s, &w, "interp");
  for (size_t i = 0; i < ARRAY_LEN(wrong); i++) ops_refused(&s, wrong[i][0], wrong[i][1]);
  ops_close(&s);
  world_close(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(examples_are_right),
      cmocka_unit_test(random_problems_are_right),
      cmocka_unit_test(complex_products_are_those_of_c),
      cmocka_unit_test(what_cannot_be_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
