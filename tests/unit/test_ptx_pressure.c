/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Registers that PTX has in use at once: through branches and loops, guards, vectors.
 */
#include "rt_support.h"

#include "emu/ptx/pressure.h"

/* Of a kernel with such a body and registers r, d, h, p. */
static unsigned pressure_of(const char *body) {
  world w;
  world_open(&w);
  char text[4096];
  snprintf(text, sizeof text,
           ".version 8.4\n.target sm_90a\n.address_size 64\n"
           ".visible .entry k(.param .u64 a) {\n.reg .b32 %%r<40>; .reg .b64 %%d<8>; "
           ".reg .b16 %%h<8>; .reg .pred %%p<4>;\n%s\nret;\n}\n",
           body);
  ptx_module *m = ptx_parse(w.ctx, "k.ptx", str_of(text));
  if (!m) fail_msg("%s", w.messages);
  unsigned n = ptx_pressure(ptx_find_entry(m, "k"), &m->arena);
  ptx_module_destroy(m);
  world_close(&w);
  return n;
}

static void test_straight(void **state) {
  (void)state;
  assert_int_equal(pressure_of(""), 0);
  assert_int_equal(pressure_of("mov.u32 %r1, 1; mov.u32 %r2, 2; add.u32 %r3, %r1, %r2;"
                               "st.global.u32 [%d1], %r3;"),
                   4); /* two numbers and an address of two */
  /* The sum may lie where a summand was; a number that nobody reads takes no place. */
  assert_int_equal(pressure_of("mov.u32 %r1, 1; add.u32 %r2, %r1, 1; add.u32 %r3, %r2, 1;"
                               "mov.u32 %r4, 7; st.shared.u32 [0], %r3;"),
                   1);
}

static void test_sizes(void **state) {
  (void)state;
  assert_int_equal(pressure_of("ld.param.u64 %d1, [a]; ld.global.v4.u32 {%r1, %r2, %r3, %r4}, "
                               "[%d1]; st.global.v4.u32 [%d1], {%r4, %r3, %r2, %r1};"),
                   6);
  assert_int_equal(pressure_of("mov.u16 %h1, 1; mov.u16 %h2, 2; mov.b32 %r1, {%h1, %h2};"
                               "st.shared.u32 [0], %r1;"),
                   2);
  assert_int_equal(pressure_of("setp.eq.u32 %p1, %r1, 0; @%p1 st.shared.u32 [0], %r1;"), 1);
}

/* What is read behind a loop, or in its next turn, is in use all through it. */
static void test_loops(void **state) {
  (void)state;
  static const char loop[] = "mov.u32 %r1, 0; mov.u32 %r2, 5; mov.u32 %r3, 6;\n"
                             "again: add.u32 %r4, %r1, 1; add.u32 %r5, %r4, %r4;\n"
                             "add.u32 %r1, %r5, 1; setp.lt.u32 %p1, %r1, 9; @%p1 bra again;\n";
  char text[1024];
  assert_int_equal(pressure_of(loop), 1);
  snprintf(text, sizeof text, "%sadd.u32 %%r6, %%r2, %%r3; st.shared.u32 [0], %%r6;", loop);
  assert_int_equal(pressure_of(text), 3);
}

/* A guarded write leaves what was there to the others; of two ways the longer one counts. */
static void test_branches(void **state) {
  (void)state;
  assert_int_equal(pressure_of("mov.u32 %r1, 1; mov.u32 %r2, 2; @%p1 add.u32 %r1, %r2, 3;"
                               "st.shared.u32 [0], %r1;"),
                   2);
  assert_int_equal(pressure_of("mov.u32 %r1, 1; @%p1 bra other; mov.u32 %r2, 2; mov.u32 %r3, 3;"
                               "add.u32 %r4, %r2, %r3; st.shared.u32 [0], %r4;\n"
                               "other: st.shared.u32 [4], %r1;"),
                   3);
  assert_int_equal(pressure_of("mov.u32 %r1, 1; @%p1 bra other; mov.u32 %r2, 2; mov.u32 %r3, 3;"
                               "add.u32 %r4, %r2, %r3; st.shared.u32 [0], %r4; ret;\n"
                               "other: st.shared.u32 [4], %r1;"),
                   2);
}

/* A product of a group of warps adds to its result. */
static void test_wgmma(void **state) {
  (void)state;
  assert_int_equal(
      pressure_of("mov.u32 %r1, 0; mov.u32 %r2, 0; mov.u32 %r3, 0; mov.u32 %r4, 0;\n"
                  "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%r1, %r2, %r3, %r4}, "
                  "%d1, %d2, 1, 1, 1, 0, 0; st.shared.u32 [0], %r1;"),
      8);
}

static void test_setmaxnreg(void **state) {
  (void)state;
  static const char text[] = ".version 8.4\n.target sm_90a\n.address_size 64\n"
                             ".visible .entry k() {\nsetmaxnreg.dec.sync.aligned.u32 24;\n"
                             "setmaxnreg.inc.sync.aligned.u32 232;\nret;\n}\n"
                             ".visible .entry l() {\nret;\n}\n";
  world w;
  world_open(&w);
  ptx_module *m = ptx_parse(w.ctx, "k.ptx", str_of(text));
  if (!m) fail_msg("%s", w.messages);
  assert_int_equal(ptx_most_asked(m, ptx_find_entry(m, "k")), 232);
  assert_int_equal(ptx_most_asked(m, ptx_find_entry(m, "l")), 0);
  ptx_module_destroy(m);
  world_close(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_straight), cmocka_unit_test(test_sizes),
      cmocka_unit_test(test_loops),    cmocka_unit_test(test_branches),
      cmocka_unit_test(test_wgmma),    cmocka_unit_test(test_setmaxnreg),
  };
  return cmocka_run_group_tests_name("ptx_pressure", tests, NULL, NULL);
}
