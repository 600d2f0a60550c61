/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * sin, cos, tan and pow of doubles on the emulated GPU, beside MPFR: errors within the bounds of
 * docs/numerics.md, and special values as C has them. sin, cos and tan of floats, beside those of
 * doubles.
 *
 *   test_nvptx_math [first seed [how many]]     more random arguments; prints the largest errors
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <mpfr.h>

#include "gpu_engine.h"

enum { N = 1024, PRECISION = 200 };

typedef int (*reference)(mpfr_t r, const mpfr_t x, const mpfr_t y);

static int ref_sin(mpfr_t r, const mpfr_t x, const mpfr_t y) {
  (void)y;
  return mpfr_sin(r, x, MPFR_RNDN);
}
static int ref_cos(mpfr_t r, const mpfr_t x, const mpfr_t y) {
  (void)y;
  return mpfr_cos(r, x, MPFR_RNDN);
}
static int ref_tan(mpfr_t r, const mpfr_t x, const mpfr_t y) {
  (void)y;
  return mpfr_tan(r, x, MPFR_RNDN);
}
static int ref_pow(mpfr_t r, const mpfr_t x, const mpfr_t y) {
  return mpfr_pow(r, x, y, MPFR_RNDN);
}

static double c_sin(double x, double y) {
  (void)y;
  return sin(x);
}
static double c_cos(double x, double y) {
  (void)y;
  return cos(x);
}
static double c_tan(double x, double y) {
  (void)y;
  return tan(x);
}

static const struct function {
  const char *name;
  reference exact;
  double (*special)(double, double);
  bool two;
  double bound; /* ulp; as docs/numerics.md says */
} functions[] = {{"sin", ref_sin, c_sin, false, 0.8},
                 {"cos", ref_cos, c_cos, false, 0.8},
                 {"tan", ref_tan, c_tan, false, 1},
                 {"pow", ref_pow, pow, true, 0.8}};

static _Alignas(64) double x[N], y[N], got[N];
static uint64_t state_of_draw, first_seed = 1, seed_count = 2;

static uint64_t draw(void) {
  state_of_draw = state_of_draw * 6364136223846793005u + 1442695040888963407u;
  return state_of_draw ^ state_of_draw >> 29;
}

/* In [1, 2) times a power of two up to 2^`most` either way. */
static double any(int most) {
  double m = 1 + (double)(draw() >> 12) * 0x1p-52;
  int k = (int)(draw() % (2 * (uint64_t)most + 1)) - most;
  return ldexp(draw() & 1 ? m : -m, k);
}

/* r = f(a, b), arrays of N `elem`. */
static void compute_on(const struct function *f, const char *elem, const void *a, const void *b,
                       void *r) {
  char text[2048], tiles[128], views[1024] = "";
  run_log log;
  snprintf(tiles, sizeof tiles, "partition_view<tile=(1024), tensor_view<1024x%s, strides=[1]>>",
           elem);
  for (const char *name = "xyr"; *name; name++)
    snprintf(views + strlen(views), sizeof views - strlen(views),
             "%%%c_v = make_tensor_view %%%c, shape = [1024], strides = [1] : "
             "tensor_view<1024x%s, strides=[1]>\n%%%c_p = make_partition_view %%%c_v : %s\n",
             *name, *name, elem, *name, *name, tiles);
  snprintf(text, sizeof text,
           "cuda_tile.module @m { entry @k(%%x: tile<ptr<%s>>, %%y: tile<ptr<%s>>, %%r: "
           "tile<ptr<%s>>) {\n%s%%zero = constant <i32: 0> : tile<i32>\n"
           "%%a, %%t0 = load_view_tko weak %%x_p[%%zero] : %s, tile<i32> -> tile<1024x%s>, token\n"
           "%%b, %%t1 = load_view_tko weak %%y_p[%%zero] : %s, tile<i32> -> tile<1024x%s>, token\n"
           "%%c = %s %%a%s : tile<1024x%s>\n"
           "%%t2 = store_view_tko weak %%c, %%r_p[%%zero] : tile<1024x%s>, %s, tile<i32> -> "
           "token\n} }\n",
           elem, elem, elem, views, tiles, elem, tiles, elem, f->name, f->two ? ", %b" : "", elem,
           elem, tiles);
  uint64_t args[] = {ARG_ADDRESS(a), ARG_ADDRESS(b), ARG_ADDRESS(r)};
  if (!run_program_on(run_gpu, text, "k", (run_grid){1, 1, 1}, args, &log))
    fail_msg("%s: %s", f->name, log.diagnostics);
}

static void compute(const struct function *f) {
  compute_on(f, "f64", x, y, got);
}

/* In units of the last place of the exact result; infinite when only one of both is. */
static double error_of(const struct function *f, double a, double b, double r) {
  mpfr_t ea, eb, exact;
  mpfr_inits2(PRECISION, ea, eb, exact, (mpfr_ptr)0);
  mpfr_set_d(ea, a, MPFR_RNDN);
  mpfr_set_d(eb, b, MPFR_RNDN);
  f->exact(exact, ea, eb);
  double wanted = mpfr_get_d(exact, MPFR_RNDN), error = INFINITY;
  if (isnan(wanted) || isnan(r) || isinf(wanted) || isinf(r)) {
    error = isnan(wanted) == isnan(r) && (isnan(r) || wanted == r) ? 0 : INFINITY;
  } else {
    int k = wanted == 0 ? -1022 : ilogb(wanted);
    mpfr_sub_d(exact, exact, r, MPFR_RNDN);
    mpfr_mul_2si(exact, exact, 52 - (k < -1022 ? -1022 : k), MPFR_RNDN);
    error = fabs(mpfr_get_d(exact, MPFR_RNDN));
  }
  mpfr_clears(ea, eb, exact, (mpfr_ptr)0);
  return error;
}

static double largest[ARRAY_LEN(functions)];

static void check_errors(size_t which) {
  const struct function *f = &functions[which];
  compute(f);
  for (unsigned i = 0; i < N; i++) {
    double error = error_of(f, x[i], y[i], got[i]);
    largest[which] = fmax(largest[which], error);
    if (!(error <= f->bound))
      fail_msg("%s(%a, %a) is %a: %g units of the last place from it", f->name, x[i], y[i], got[i],
               error);
  }
}

/* Arguments of every size, and those next to multiples of pi/2. */
static void fill_angles(void) {
  static const double hard[] = {0x1.6ac5b262ca1ffp+849,
                                0x1.921fb54442d18p+0,
                                0x1.921fb54442d18p+1,
                                0x1.1a62633145c07p-54,
                                0x1.fffffffffffffp+1023,
                                0x1p-1074,
                                0x1p-27,
                                0x1.921fb54442d18p-1,
                                0x1.921fb54442d19p-1,
                                0x1p-1022};
  for (unsigned i = 0; i < N; i++) {
    if (i < ARRAY_LEN(hard))
      x[i] = hard[i];
    else if (i % 4 == 0)
      x[i] = any(1022);
    else if (i % 4 == 1)
      x[i] = any(8);
    else
      x[i] = nextafter((double)(1 + draw() % (i % 4 == 2 ? 1000 : UINT64_C(1) << 50)) *
                           1.57079632679489661923,
                       draw() & 1 ? INFINITY : 0);
  }
}

/* Results of every size; bases next to 1; whole exponents. */
static void fill_powers(void) {
  for (unsigned i = 0; i < N; i++) {
    x[i] = any(i % 3 ? 1000 : 1);
    if (i % 5 == 0) x[i] = 1 + any(40) * 0x1p-41;
    double l = log2(fabs(x[i]));
    y[i] = (double)((int64_t)(draw() % 2300) - 1150) / (l == 0 ? 1 : l) * (1 + any(2) * 0x1p-8);
    if (!isfinite(y[i])) y[i] = 3;
    if (i % 2 || x[i] < 0) y[i] = rint(y[i]);
  }
}

static void test_errors(void **state) {
  (void)state;
  static const char *const cards[] = {"sm_80", "sm_90a"};
  for (uint64_t seed = first_seed; seed < first_seed + seed_count; seed++) {
    state_of_draw = seed * 1009;
    engine_target = gpu_find_target(cards[seed % 2]);
    for (size_t i = 0; i < ARRAY_LEN(functions); i++) {
      if (functions[i].two)
        fill_powers();
      else
        fill_angles();
      check_errors(i);
    }
  }
  for (size_t i = 0; seed_count > 2 && i < ARRAY_LEN(functions); i++)
    printf("%s: %.3f\n", functions[i].name, largest[i]);
}

/* Angles of floats are reduced in floats below 8192, in doubles up to 2^20, and from there on by a
 * table; lanes of a warp in any of these ways. */
static void test_floats(void **state) {
  (void)state;
  static _Alignas(64) float a[N], b[N], r[N];
  static const double bounds[] = {1.75, 1.75, 0.51};
  engine_target = gpu_find_target("sm_80");
  state_of_draw = 77;
  for (unsigned i = 0; i < N; i++) {
    int most = i < N / 4 ? 12 : i < N / 2 ? 19 : 120;
    a[i] = (float)any(most);
    if (i % 8 == 0) a[i] = (float)((double)(draw() % 20000) * 1.57079632679489661923);
  }
  const float edges[] = {0, -0.0f, 8191.9995f, 8192, -8192, 0x1p20f, INFINITY, -INFINITY, NAN};
  memcpy(a, edges, sizeof edges);
  for (size_t k = 0; k < ARRAY_LEN(bounds); k++) {
    compute_on(&functions[k], "f32", a, b, r);
    for (unsigned i = 0; i < N; i++) {
      double exact = functions[k].special((double)a[i], 0);
      bool fits = isnan(r[i]);
      if (!isnan(exact)) {
        double unit = ldexp(1, ilogb(exact == 0 ? 0x1p-126 : exact) - 23);
        fits = fabs((double)r[i] - exact) <= bounds[k] * unit;
      }
      if (!fits || (exact == 0 && !signbit(exact) != !signbit(r[i])))
        fail_msg("%s(%a) is %a, not %a", functions[k].name, (double)a[i], (double)r[i], exact);
    }
  }
}

static void test_special_values(void **state) {
  (void)state;
  static const double values[] = {0.0,
                                  -0.0,
                                  1,
                                  -1,
                                  0.5,
                                  -0.5,
                                  2,
                                  -2,
                                  3,
                                  -3,
                                  INFINITY,
                                  -INFINITY,
                                  NAN,
                                  0x1p53,
                                  -0x1p53,
                                  0x1p-1074,
                                  2.5,
                                  -2.5,
                                  0x1.fffffffffffffp1023,
                                  -0x1.fffffffffffffp1023,
                                  0x1.fffffffffffffp52,
                                  -0x1.fffffffffffffp52,
                                  0x1p1000,
                                  1e300};
  enum { V = ARRAY_LEN(values) };
  engine_target = gpu_find_target("sm_80");
  for (unsigned i = 0; i < N; i++) x[i] = values[i % V], y[i] = values[i / V % V];
  for (size_t k = 0; k < ARRAY_LEN(functions); k++) {
    compute(&functions[k]);
    for (unsigned i = 0; i < V * V; i++) {
      double wanted = functions[k].special(x[i], y[i]);
      bool same = isnan(wanted) ? isnan(got[i]) : signbit(wanted) == signbit(got[i]);
      bool special = isinf(wanted) || wanted == 0 || fabs(wanted) == 1;
      if (special) same &= wanted == got[i];
      if (!isnan(wanted) && !special) same &= fabs(wanted - got[i]) <= fabs(wanted) * 0x1p-50;
      if (!same)
        fail_msg("%s(%a, %a) is %a, expected %a", functions[k].name, x[i], y[i], got[i], wanted);
    }
  }
}

int main(int argc, char **argv) {
  if (argc > 1) first_seed = strtoull(argv[1], NULL, 0), seed_count = 1;
  if (argc > 2) seed_count = strtoull(argv[2], NULL, 0);
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_errors), cmocka_unit_test(test_floats),
                                     cmocka_unit_test(test_special_values)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
