/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * How a diagnostic becomes text.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/base.h"

static char text[8192];

static const char *format(const char *line, uint32_t column, uint32_t length) {
  tsr_diagnostic d = {.severity = TSR_ERROR,
                      .message = "what",
                      .file = "f",
                      .line = 3,
                      .column = column,
                      .source_line = line,
                      .length = length};
  size_t need = tsr_diagnostic_format(&d, false, text, sizeof text);
  assert_int_equal(need, strlen(text));
  /* Any smaller buffer gets the beginning of the same, terminated, and nothing after it. */
  for (size_t size = 0; size <= need; size++) {
    char *small = malloc(size + 1);
    memset(small, 'x', size + 1);
    assert_int_equal(tsr_diagnostic_format(&d, false, small, size), need);
    if (size) assert_int_equal(strlen(small), size - 1);
    if (size) assert_memory_equal(small, text, size - 1);
    assert_int_equal(small[size], 'x');
    free(small);
  }
  return text;
}

static void test_caret(void **state) {
  (void)state;
  assert_string_equal(format(NULL, 0, 1), "f:3: error: what");
  assert_string_equal(format("abc", 2, 1), "f:3:2: error: what\n  abc\n   ^");
  assert_string_equal(format("abc", 1, 2), "f:3:1: error: what\n  abc\n  ^~");
  assert_string_equal(format("abc", 2, 100), "f:3:2: error: what\n  abc\n   ^~");
  assert_string_equal(format("abc", 4, 1), "f:3:4: error: what\n  abc\n     ^");
  assert_string_equal(format("a\tbc", 3, 1), "f:3:3: error: what\n  a\tbc\n   \t^");
  assert_string_equal(format("", 1, 1), "f:3:1: error: what");
}

static void test_characters(void **state) {
  (void)state;
  /* Two bytes, one place. */
  assert_string_equal(format("\xc3\xa4"
                             "b",
                             3, 1),
                      "f:3:3: error: what\n  \xc3\xa4"
                      "b\n   ^");
  assert_string_equal(format("\xc3\xa4"
                             "b",
                             1, 3),
                      "f:3:1: error: what\n  \xc3\xa4"
                      "b\n  ^~");
  /* No escape sequence of a file reaches the terminal. */
  assert_string_equal(format("a\033[31mb", 1, 1), "f:3:1: error: what\n  a?[31mb\n  ^");
  assert_string_equal(format("a\rb\x7f", 1, 1), "f:3:1: error: what\n  a?b?\n  ^");
}

static void test_long_lines(void **state) {
  (void)state;
  char line[3001];
  for (int i = 0; i < 3000; i++) line[i] = (char)('0' + i % 10);
  line[3000] = 0;
  static const uint32_t columns[] = {1, 5, 140, 141, 142, 1000, 2990, 3000, 3001, 5000};
  for (size_t i = 0; i < ARRAY_LEN(columns); i++) {
    const char *shown = strchr(format(line, columns[i], 2), '\n') + 1;
    const char *caret = strchr(shown, '\n') + 1;
    assert_true(caret - shown < 200);
    /* The caret stands under the character that it means. */
    size_t at = strcspn(caret, "^");
    if (columns[i] <= 3000) assert_int_equal(shown[at], line[columns[i] - 1]);
  }
}

static void take_line(void *user, const tsr_diagnostic *d) {
  *(bool *)user = d->source_line != NULL;
}

static void test_far_columns(void **state) {
  (void)state;
  bool quoted = false;
  tsr_context_options options = {
      .struct_size = sizeof options, .on_diagnostic = take_line, .diagnostic_user = &quoted};
  tsr_context *ctx = tsr_context_create(&options);
  size_t n = 1000000;
  char *big = malloc(n + 1);
  memset(big, '(', n);
  big[n] = 0;
  source src = {"f", {big, n}};
  diag_error(ctx, ((place){.src = &src, .line = 1, .column = 4000}), "near");
  assert_true(quoted);
  diag_error(ctx, ((place){.src = &src, .line = 1, .column = 500000}), "far");
  assert_false(quoted);
  free(big);
  tsr_context_destroy(ctx);
}

/* Lines and columns are the same with an index and without one, for every byte of texts with short,
 * long and empty lines. */
static void test_line_index(void **state) {
  (void)state;
  tsr_context *ctx = tsr_context_create(NULL);
  for (size_t n = 0; n < 5000; n += 499) {
    char *line_text = arena_alloc_zero(&ctx->arena, n + 1, 1);
    for (size_t i = 0; i < n; i++)
      line_text[i] = i % 7 == 3 || (i > 1000 && i < 1100) || i % 1024 >= 1022 ? '\n' : 'x';
    if (n > 4000) memset(line_text + 1500, 'y', 2500);
    source plain = {.name = "f", .text = {line_text, n}}, indexed = plain;
    indexed.lines = source_index(&ctx->arena, indexed.text);
    uint32_t line = 1, column = 1;
    for (size_t i = 0; i < n; i++) {
      uint32_t l[2], c[2];
      source_position(&plain, i, &l[0], &c[0]);
      source_position(&indexed, i, &l[1], &c[1]);
      assert_true(l[0] == line && c[0] == column && l[1] == line && c[1] == column);
      if (column == 1) assert_ptr_equal(source_line(&indexed, line), line_text + i);
      column = line_text[i] == '\n' ? 1 : column + 1;
      line += line_text[i] == '\n';
    }
    assert_ptr_equal(source_line(&indexed, line), source_line(&plain, line));
    assert_null(source_line(&indexed, line + 1));
    assert_null(source_line(&plain, line + 1));
  }
  tsr_context_destroy(ctx);
}

/* A ready callback, for a file. */
static void printed(void **state) {
  (void)state;
  FILE *out = tmpfile();
  char line[64] = "";
  assert_non_null(out);
  setenv("TERM", "xterm", 1);
  tsr_context_options o = {
      .struct_size = sizeof o, .on_diagnostic = tsr_diagnostic_print, .diagnostic_user = out};
  tsr_context *ctx = tsr_context_create(&o);
  diag_error(ctx, NOWHERE, "no such %s", "thing");
  tsr_context_destroy(ctx);
  rewind(out);
  assert_non_null(fgets(line, sizeof line, out));
  assert_string_equal(line, "error: no such thing\n");
  fclose(out);
}

/* A structure of an older caller, of a newer one, of nobody. */
static void sizes_of_structures(void **state) {
  (void)state;
  typedef struct options {
    size_t struct_size;
    int first, second;
  } options;
  struct {
    options o;
    int more;
  } newer = {{sizeof newer, 1, 2}, 3};
  options out, given = {offsetof(options, second), 5, 6};
  assert_true(struct_take(&out, sizeof out, &given, offsetof(options, second)));
  assert_int_equal(out.struct_size, sizeof out);
  assert_int_equal(out.first, 5);
  assert_int_equal(out.second, 0);
  assert_true(struct_take(&out, sizeof out, &newer, offsetof(options, second)));
  assert_int_equal(out.struct_size, sizeof out);
  assert_int_equal(out.second, 2);
  given.struct_size = 0;
  assert_false(struct_take(&out, sizeof out, &given, offsetof(options, second)));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(printed),         cmocka_unit_test(sizes_of_structures),
      cmocka_unit_test(test_caret),      cmocka_unit_test(test_characters),
      cmocka_unit_test(test_long_lines), cmocka_unit_test(test_far_columns),
      cmocka_unit_test(test_line_index),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
