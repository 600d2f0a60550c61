/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * As much of cmocka's interface as the tests here use, for where there is no cmocka for AArch64. A
 * failure ends the test, as there. Of tests at several levels (`name/baseline`, `name/avx2`, …) the
 * baseline runs. TESSERA_TEST_SKIP names tests, between commas, that need what isn't there; it is
 * said of each.
 */
#ifndef TSR_TESTS_CMOCKA_H
#define TSR_TESTS_CMOCKA_H

#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct CMUnitTest {
  const char *name;
  void (*test)(void **);
  int (*setup)(void **);
  int (*teardown)(void **);
  void *state;
} CMUnitTest;
#define cmocka_unit_test(f)                                                                        \
  { #f, f, NULL, NULL, NULL }

static jmp_buf cmocka_failed;
__attribute__((noreturn, unused)) static void cmocka_fail(const char *file, int line) {
  printf("\n%s:%d: failed\n", file, line);
  longjmp(cmocka_failed, 1);
}
#define fail_msg(...) (printf(__VA_ARGS__), cmocka_fail(__FILE__, __LINE__))
#define fail()        cmocka_fail(__FILE__, __LINE__)
#define test_calloc calloc
#define test_malloc malloc
#define test_free   free
#define assert_true(x)                                                                             \
  ((x) ? (void)0 : (printf("%s is not true", #x), cmocka_fail(__FILE__, __LINE__)))
#define assert_false(x)                   assert_true(!(x))
#define assert_non_null(x)                assert_true((x) != NULL)
#define assert_null(x)                    assert_true((x) == NULL)
#define assert_int_equal(x, y)            assert_true((uintmax_t)(x) == (uintmax_t)(y))
#define assert_in_range(x, low, high)     assert_true((x) >= (low) && (x) <= (high))
#define assert_string_equal(x, y)         assert_true(strcmp(x, y) == 0)
#define assert_memory_equal(x, y, size)   assert_true(memcmp(x, y, size) == 0)

__attribute__((unused)) static int cmocka_is_named(const char *list, const char *name) {
  size_t length = strlen(name);
  for (const char *p = list; p && (p = strstr(p, name)) != NULL; p += length)
    if ((p == list || p[-1] == ',') && (p[length] == ',' || !p[length])) return 1;
  return 0;
}

__attribute__((unused)) static int cmocka_run(const CMUnitTest *tests, size_t n) {
  volatile size_t failed = 0, passed = 0, skipped = 0;
  for (volatile size_t i = 0; i < n; i++) {
    const CMUnitTest *t = &tests[i];
    const char *level = strchr(t->name, '/');
    void *state = t->state;
    if (level && strcmp(level, "/baseline") != 0) continue;
    if (cmocka_is_named(getenv("TESSERA_TEST_SKIP"), t->name)) {
      printf("SKIPPED: %s\n", t->name);
      skipped++;
      continue;
    }
    if (t->setup) t->setup(&state);
    if (setjmp(cmocka_failed) == 0) {
      t->test(&state);
      passed++;
    } else {
      printf("FAILED: %s\n", t->name);
      failed++;
    }
    if (t->teardown) t->teardown(&state);
  }
  printf("%zu tests passed, %zu failed, %zu skipped\n", passed, failed, skipped);
  return (int)failed;
}
#define cmocka_run_group_tests(tests, setup, teardown)                                             \
  cmocka_run(tests, sizeof(tests) / sizeof *(tests))

#endif
