/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The JSON writer: what strings become, and where commas go.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

#include "base/json.h"

typedef struct scene {
  tsr_context *ctx;
  arena arena;
  sbuf out;
} scene;

static int setup(void **state) {
  static scene s;
  s.ctx = tsr_context_create(NULL);
  arena_init(&s.arena, s.ctx);
  s.out = SBUF(&s.arena);
  *state = &s;
  return s.ctx ? 0 : -1;
}

static int teardown(void **state) {
  scene *s = *state;
  arena_free(&s->arena);
  tsr_context_destroy(s->ctx);
  return 0;
}

static void expect(scene *s, const char *text) {
  assert_int_equal(s->out.len, strlen(text));
  assert_memory_equal(s->out.data, text, s->out.len);
  s->out.len = 0;
}

static void strings_are_escaped(void **state) {
  scene *s = *state;
  static const char *const pairs[][2] = {
      {"", "\"\""},
      {"say \"a\\b\"", "\"say \\\"a\\\\b\\\"\""},
      {"a\nb\tc\r\x1b[1m\x7f", "\"a\\nb\\tc\\u000d\\u001b[1m\\u007f\""},
      {"\xc3\xa9 \xe2\x86\x92 \xf0\x9f\x98\x80", "\"\xc3\xa9 \xe2\x86\x92 \xf0\x9f\x98\x80\""},
      /* No UTF-8: a lone byte, a cut character, two bytes too long, a surrogate, beyond Unicode. */
      {"\x80", "\"\\ufffd\""},
      {"a\xe2\x86", "\"a\\ufffd\\ufffd\""},
      {"\xc0\xaf", "\"\\ufffd\\ufffd\""},
      {"\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\""},
      {"\xf4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\""},
      {"\xff", "\"\\ufffd\""},
  };
  for (size_t i = 0; i < ARRAY_LEN(pairs); i++) {
    json_quote(&s->out, str_of(pairs[i][0]));
    expect(s, pairs[i][1]);
  }
  json_quote(&s->out, (str){"a\0b", 3});
  expect(s, "\"a\\u0000b\"");
}

static void commas_stand_between(void **state) {
  scene *s = *state;
  json j = JSON(&s->out);
  json_open(&j, NULL, '{');
  json_open(&j, "empty", '[');
  json_close(&j, ']');
  json_open(&j, "list", '[');
  json_count(&j, NULL, UINT64_MAX);
  json_open(&j, NULL, '{');
  json_close(&j, '}');
  json_bool(&j, NULL, false);
  json_close(&j, ']');
  json_text(&j, "a\"b", NULL);
  json_str(&j, "text", STR("x"));
  json_raw(&j, "raw", STR("[1]"));
  json_close(&j, '}');
  expect(s, "{\"empty\": [], \"list\": [18446744073709551615, {}, false], \"a\\\"b\": null, "
            "\"text\": \"x\", \"raw\": [1]}");
}

static void numbers_are_finite(void **state) {
  scene *s = *state;
  json j = JSON(&s->out);
  json_open(&j, NULL, '[');
  json_real(&j, NULL, 0.25);
  json_real(&j, NULL, 1e300);
  json_real(&j, NULL, INFINITY);
  json_real(&j, NULL, (double)NAN);
  json_close(&j, ']');
  expect(s, "[0.25, 1e+300, null, null]");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(strings_are_escaped, setup, teardown),
      cmocka_unit_test_setup_teardown(commas_stand_between, setup, teardown),
      cmocka_unit_test_setup_teardown(numbers_are_finite, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
