/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What holds between the parts of Tessera: how a violation ends the process, and that broken links
 * of a module are seen.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/invariant.h"
#include "ir/links.h"
#include "ir/verify.h"
#include "text/text.h"

/* ---- the macros ----------------------------------------------------------------------------- */

static unsigned evaluated;

static bool evaluate(bool result) {
  evaluated++;
  return result;
}

static void test_holds(void **state) {
  (void)state;
  evaluated = 0;
  INVARIANT(evaluate(true));
  INVARIANT_SAYS(evaluate(true) ? NULL : "something");
  assert_int_equal(evaluated, CHECKS_INVARIANTS ? 2 : 0);
}

static void broken_condition(void) {
  INVARIANT(!evaluate(true));
}
static void broken_words(void) {
  INVARIANT_SAYS("the words");
}

/* What a process says that does this and nothing else; its exit status goes to *status. */
static void run_alone(void (*act)(void), char said[256], int *status) {
  int ends[2];
  fflush(NULL);
  assert_int_equal(pipe(ends), 0);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    act();
    _exit(0);
  }
  close(ends[1]);
  size_t n = 0;
  for (ssize_t got; n < 255 && (got = read(ends[0], said + n, 255 - n)) > 0;) n += (size_t)got;
  said[n] = 0;
  close(ends[0]);
  assert_int_equal(waitpid(child, status, 0), child);
}

static void check_broken(void (*act)(void), const char *words) {
  char said[256];
  int status;
  run_alone(act, said, &status);
  if (!CHECKS_INVARIANTS) {
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_string_equal(said, "");
    return;
  }
  assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
  assert_non_null(strstr(said, "test_invariants.c:"));
  assert_non_null(strstr(said, words));
}

static void test_broken(void **state) {
  (void)state;
  check_broken(broken_condition, "!evaluate(true)");
  check_broken(broken_words, "the words");
}

/* ---- links ---------------------------------------------------------------------------------- */

static const char text[] = "cuda_tile.module @m {\n"
                           "  entry @k(%p: tile<ptr<f32>>, %n: tile<i32>) {\n"
                           "    %zero = constant <i32: 0> : tile<i32>\n"
                           "    %one = constant <i32: 1> : tile<i32>\n"
                           "    %r = for %i in (%zero to %n, step %one) : tile<i32>\n"
                           "        iter_values(%s = %zero) -> (tile<i32>) {\n"
                           "      %t = addi %s, %i : tile<i32>\n"
                           "      continue %t : tile<i32>\n"
                           "    }\n"
                           "    print_tko \"%d\\n\", %r : tile<i32> -> token\n"
                           "    return\n"
                           "  }\n"
                           "}\n";

typedef struct test {
  tsr_context *ctx;
  ir_module *m;
  ir_block *body, *loop;
  ir_op *for_, *add;
} test;

static int open_test(void **state) {
  static test t;
  t.ctx = tsr_context_create(NULL);
  t.m = text_parse(t.ctx, STR(text), "test.mlir", false);
  if (!t.m || !ir_verify(t.m)) return -1;
  t.body = ir_region(ir_find_symbol(t.m, STR("k")), 0);
  for (t.for_ = t.body->first; t.for_->opcode != OP_for;) t.for_ = t.for_->next;
  t.loop = ir_region(t.for_, 0);
  t.add = t.loop->first;
  *state = &t;
  return 0;
}

static int close_test(void **state) {
  test *t = *state;
  ir_module_destroy(t->m);
  tsr_context_destroy(t->ctx);
  return 0;
}

/* With another pointer there, the module is broken, and these words are among what is said. */
static void check_link(const test *t, void *link, const void *wrong, const char *words) {
  void *right;
  memcpy(&right, link, sizeof right);
  memcpy(link, &wrong, sizeof wrong);
  const char *problem = ir_links_problem(t->m);
  memcpy(link, &right, sizeof right);
  assert_non_null(problem);
  assert_non_null(strstr(problem, words));
  assert_null(ir_links_problem(t->m));
}

static void test_links(void **state) {
  const test *t = *state;
  assert_null(ir_links_problem(t->m));
  check_link(t, &t->add->block, t->body, "know its block");
  check_link(t, &t->for_->prev, NULL, "the one in front of it");
  check_link(t, &t->loop->last, t->add, "its last operation");
  check_link(t, &t->loop->parent, t->add, "whose region it is");
  check_link(t, &t->add->results[0].owner, t->for_, "a result does not know");
  check_link(t, &t->loop->args[0].owner, t->body, "an argument does not know");
  check_link(t, &t->add->operands[0].user, t->for_, "another operation");
  check_link(t, &t->add->operands[0].value, NULL, "a use of another value");
  check_link(t, &t->add->operands[0].value, &t->loop->args[0], "a use of another value");
  check_link(t, &t->add->operands[0].prev, &t->body->args[0].uses, "what points at it");
}

/* A pass has taken an operation out, but not its uses. */
static void test_use_outside(void **state) {
  const test *t = *state;
  ir_value *left = ir_operand(t->add, 0);
  ir_replace_uses(ir_result(t->add, 0), left);
  ir_op_unlink(t->add);
  assert_non_null(strstr(ir_links_problem(t->m), "outside of the module"));
  ir_op_insert_before(t->loop->first, t->add);
  assert_null(ir_links_problem(t->m));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_holds),
      cmocka_unit_test(test_broken),
      cmocka_unit_test_setup_teardown(test_links, open_test, close_test),
      cmocka_unit_test_setup_teardown(test_use_outside, open_test, close_test),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
