/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The family contraction against its reference.
 */
#include "ops_run.h"

static const char *const examples[] = {
    "contraction:shape=5x7x9",
    "contraction:dims=gmk*gkn->gmn,shape=3x20x33x17,type=bf16",
    "contraction:dims=abcd*cdef->abef,shape=3x5x4x6x2x7",
    "contraction:dims=abcd*cdef->abef,shape=3x5x4x6x2x7,strides=a:200x7x1x31,type=f64",
    "contraction:dims=abc*dcb->ad,shape=3x5x4x6,type=i8",
    "contraction:dims=abc*bcd->dab,shape=13x5x4x36,type=f16,epilogue=residual+gelu,alpha=0.5",
    "contraction:dims=m*n->mn,shape=13x50,type=tf32",
    "contraction:dims=k*k->,shape=130,type=f8E4M3FN",
    "contraction:dims=k*k->,shape=0",
    "contraction:dims=mk*kn->mn,shape=0x5x7",
    "contraction:dims=amkb*bgkn->gnma,shape=3x8x17x2x3x33,type=i8,type_c=i8",
    "contraction:dims=mk*kn->mn,shape=20x30x40,strides=a:0x1+c:1x20,epilogue=scale+cast:bf16",
};

static void examples_are_right(void **state) {
  (void)state;
  ops_run_examples("interp", examples, ARRAY_LEN(examples));
  ops_run_examples("cpu", examples, ARRAY_LEN(examples));
  ops_run_examples("emu:sm_80", examples, ARRAY_LEN(examples));
}

/* ---- random problems ------------------------------------------------------------------------- */

static const char *const dims[] = {
    "mk*kn->mn",      "km*kn->mn",       "mk*nk->nm",       "gmk*gnk->gmn", "abcd*bdef->acef",
    "abk*kcd->cadb",  "gabk*kgc->cgab",  "akblc*lkd->abcd", "ab*ab->",      "a*b->ba",
    "hgmk*khn->mhgn", "abck*klm->labcm", "gmk*gkn->gmn",
};
static const char *const types[] = {"f32", "f16", "bf16", "f64", "f8E4M3FN", "i8", "tf32"};
static const int sizes[] = {1, 1, 2, 3, 4, 5, 7, 8, 13};

static unsigned count_letters(const char *text) {
  unsigned n = 0, seen = 0;
  for (; *text; text++) {
    if (*text < 'a' || *text > 'z' || (seen >> (*text - 'a') & 1)) continue;
    seen |= 1u << (*text - 'a');
    n++;
  }
  return n;
}

static void random_problem(problem_text *g) {
  const char *d = OPS_PICK(g, dims);
  ops_put(g, "contraction:dims=%s,type=%s,shape=", d, OPS_PICK(g, types));
  for (unsigned i = 0, n = count_letters(d); i < n; i++)
    ops_put(g, "%s%d", i ? "x" : "", ops_pick(g, 40) ? OPS_PICK(g, sizes) : 0);
  if (ops_pick(g, 3) == 0) ops_put(g, ",alpha=0.25");
  if (ops_pick(g, 3) == 0) ops_put(g, ",epilogue=residual+relu");
  if (ops_pick(g, 2))
    ops_put(g, ",tile_m=%u,tile_n=%u,tile_k=%u", 1u << ops_pick(g, 5), 1u << ops_pick(g, 5),
            4u << ops_pick(g, 3));
}

static void random_problems_are_right(void **state) {
  (void)state;
  static const problem_maker make[] = {random_problem};
  ops_run_random("interp", 8, 300, make, 1);
  ops_run_random("cpu", 8, 80, make, 1);
  ops_run_random("emu:sm_80", 8, 20, make, 1);
  ops_run_random("emu:sm_90a", 8, 20, make, 1);
}

static void wrong_problems_are_refused(void **state) {
  (void)state;
  static const char *const wrong[][2] = {
      {"contraction:dims=mk", "dims=mk: expected up to 8 different letters, then *"},
      {"contraction:dims=mk*kn", "dims=mk*kn: expected letters, then ->"},
      {"contraction:dims=mk*kn->m2", "dims=mk*kn->m2: expected the letters of c at the end"},
      {"contraction:dims=mk*kn->n", "every letter belongs to two tensors or all"},
      {"contraction:shape=4x5", "shape=4x5: give 3 sizes from 0 to 2^40 with x between, of mkn"},
      {"contraction:strides=d:1", "strides=d:1: name a tensor of a, b and c"},
      {"contraction:strides=a:1", "strides=a:1: a has 2 dimensions; give as many strides"},
      {"contraction:type=i32", "type=i32: contractions take f64 f32 tf32 f16 bf16"},
      {"contraction:type_c=i4", "type_c=i4: results have elements of 8 bits and more"},
      {"contraction:type_c=f16,epilogue=cast:bf16", "but epilogue=cast:bf16 makes c bf16"},
      {"contraction:epilogue=bias:n", "bias has one number (tensor) or all elements (mn) here"},
      {"contraction:epilogue=gelu,type=f64", "gelu is computed to 3e-7, not in f64"},
      {"contraction:epilogue=quantise:row:i8", "quantise:row goes with matrices"},
      {"contraction:tile_m=1024,tile_n=1024", "tiles of 1024 x 1024 x 4 are too large"},
      {"contraction:dims=abcdefgh*->abcdefgh,shape=2x2x2x2x2x2x2x2,strides=c:1x2x4x8x16x32x64x128",
       "has too many dimensions that cannot be merged; at most 8"},
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
  const struct CMUnitTest tests[] = {cmocka_unit_test(examples_are_right),
                                     cmocka_unit_test(random_problems_are_right),
                                     cmocka_unit_test(wrong_problems_are_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
