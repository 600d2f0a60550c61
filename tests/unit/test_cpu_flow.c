/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Dominators and loops of functions that are written as text. Blocks are numbered as they stand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include <llvm-c/IRReader.h>

#include "llvm/flow.h"

enum { NONE = -1, MOST = 16 };

typedef struct world {
  tsr_context *ctx;
  arena a;
  LLVMContextRef llvm;
  LLVMModuleRef module;
  flow f;
} world;

static bool look(world *w, const char *body) {
  char text[2000], *message = NULL;
  snprintf(text, sizeof text, "define void @f(i1 %%c) {\n%s}\n", body);
  LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(text, strlen(text), "f");
  w->ctx = tsr_context_create(NULL);
  arena_init(&w->a, w->ctx);
  w->llvm = LLVMContextCreate();
  if (LLVMParseIRInContext(w->llvm, buffer, &w->module, &message)) fail_msg("%s", message);
  return flow_of(&w->a, LLVMGetNamedFunction(w->module, "f"), &w->f);
}

static void leave(world *w) {
  LLVMDisposeModule(w->module);
  LLVMContextDispose(w->llvm);
  arena_free(&w->a);
  tsr_context_destroy(w->ctx);
}

static void expect(const uint32_t *is, uint32_t n, const int *expected) {
  for (uint32_t i = 0; i < n; i++) assert_int_equal((int32_t)is[i], expected[i]);
}

static void branches_meet_again(void **state) {
  (void)state;
  world w;
  assert_true(look(&w, "a: br i1 %c, label %b, label %d\n"
                       "b: br i1 %c, label %e, label %e\n"
                       "d: br label %e\n"
                       "e: br i1 %c, label %g, label %h\n"
                       "g: ret void\n"
                       "h: ret void\n"));
  assert_int_equal(w.f.n_blocks, 6);
  expect(w.f.dominator, 7, (int[]){NONE, 0, 0, 0, 3, 3, 3});
  expect(w.f.postdominator, 7, (int[]){3, 3, 3, 6, 6, 6, NONE});
  expect(w.f.loop, 7, (int[]){NONE, NONE, NONE, NONE, NONE, NONE, NONE});
  assert_int_equal(w.f.before.first[4] - w.f.before.first[3], 3); /* one edge twice */
  for (uint32_t i = 0; i < 7; i++) {
    assert_true(flow_dominates(&w.f, 0, i) && flow_dominates(&w.f, i, i));
    assert_true(flow_dominates(&w.f, 3, i) == (i >= 3));
    assert_true(flow_dominates(&w.f, 1, i) == (i == 1));
  }
  leave(&w);
}

/* One around two, of which the second has two ways back; blocks don't stand in order. */
static void loops_are_nested(void **state) {
  (void)state;
  world w;
  assert_true(look(&w, "a: br label %outer\n"
                       "last: br i1 %c, label %outer, label %end\n"
                       "outer: br label %one\n"
                       "one: br i1 %c, label %one, label %two\n"
                       "two: br i1 %c, label %three, label %last\n"
                       "three: br i1 %c, label %two, label %four\n"
                       "four: br label %two\n"
                       "end: ret void\n"));
  expect(w.f.loop, 8, (int[]){NONE, 2, 2, 3, 4, 4, 4, NONE});
  expect(w.f.outer, 8, (int[]){NONE, NONE, NONE, 2, 2, NONE, NONE, NONE});
  expect(w.f.dominator, 9, (int[]){NONE, 4, 0, 2, 3, 4, 5, 1, 7});
  expect(w.f.postdominator, 9, (int[]){2, 7, 3, 4, 1, 4, 4, 8, NONE});
  leave(&w);
}

static void ways_that_end_nowhere(void **state) {
  (void)state;
  world w;
  assert_true(look(&w, "a: br i1 %c, label %b, label %d\n"
                       "b: br label %b\n"
                       "d: ret void\n"));
  expect(w.f.postdominator, 4, (int[]){2, NONE, 3, NONE});
  expect(w.f.loop, 4, (int[]){NONE, 1, NONE, NONE});
  leave(&w);
}

static void the_rest_is_refused(void **state) {
  (void)state;
  static const char *const others[] = {
      /* two ways into a loop */
      "a: br i1 %c, label %b, label %d\n"
      "b: br i1 %c, label %d, label %e\n"
      "d: br label %b\n"
      "e: ret void\n",
      /* a block that nothing leads to */
      "a: ret void\n"
      "b: ret void\n",
      /* no return */
      "a: br label %b\n"
      "b: br label %b\n",
  };
  for (size_t i = 0; i < ARRAY_LEN(others); i++) {
    world w;
    assert_false(look(&w, others[i]));
    leave(&w);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(branches_meet_again),
      cmocka_unit_test(loops_are_nested),
      cmocka_unit_test(ways_that_end_nowhere),
      cmocka_unit_test(the_rest_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
