/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The JSON writer: what strings become, and where commas go. The reader: what is JSON and what is
 * not, and what it makes of it.
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

/* Writes what was read, so that a text and its reading can be compared. */
static void write_value(json *j, const char *key, const json_value *v) {
  switch ((json_kind)v->kind) {
  case JSON_NULL: json_text(j, key, NULL); return;
  case JSON_FALSE:
  case JSON_TRUE: json_bool(j, key, v->kind == JSON_TRUE); return;
  case JSON_NUMBER: json_real(j, key, v->number); return;
  case JSON_STRING: json_str(j, key, v->text); return;
  case JSON_ARRAY:
  case JSON_OBJECT: break;
  }
  bool object = v->kind == JSON_OBJECT;
  json_open(j, key, object ? '{' : '[');
  for (const json_value *e = v->first; e; e = e->next)
    write_value(j, object ? e->key.data : NULL, e);
  json_close(j, object ? '}' : ']');
}

static void right_texts_are_read(void **state) {
  scene *s = *state;
  static const char *const pairs[][2] = {
      {" null ", "null"},
      {"[true,false\t,\r\n null]", "[true, false, null]"},
      {"{}", "{}"},
      {"{\"a\":{\"a\":[[],{}]},\"\":\"\"}", "{\"a\": {\"a\": [[], {}]}, \"\": \"\"}"},
      {"[0,-0,10,-1.5,2E3,2e+3,25e-2,0.5]", "[0, -0, 10, -1.5, 2000, 2000, 0.25, 0.5]"},
      {"[1e999]", "[null]"}, /* an infinity, which the writer does not have */
      {"\"a\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"a\\\"\\\\/\\u0008\\u000c\\n\\u000d\\t\""},
      {"\"\\u00e9 \\u2192 \\uD83D\\ude00 \\u0041\"",
       "\"\xc3\xa9 \xe2\x86\x92 \xf0\x9f\x98\x80 A\""},
      /* Halves of pairs, in either order, and what is no UTF-8. */
      {"\"\\ud83d\"", "\"\xef\xbf\xbd\""},
      {"\"\\ude00\\ud83d!\"", "\"\xef\xbf\xbd\xef\xbf\xbd!\""},
      {"\"\\ud83d\\u0041\"", "\"\xef\xbf\xbd"
                             "A\""},
      {"\"\xff\"", "\"\xef\xbf\xbd\""},
  };
  for (size_t i = 0; i < ARRAY_LEN(pairs); i++) {
    size_t where;
    const json_value *v = json_read(&s->arena, str_of(pairs[i][0]), &where);
    assert_non_null(v);
    json j = JSON(&s->out);
    write_value(&j, NULL, v);
    expect(s, pairs[i][1]);
  }
}

static void wrong_texts_are_refused(void **state) {
  scene *s = *state;
  static const struct {
    const char *text;
    size_t where;
  } cases[] = {
      {"", 0},           {" ", 1},           {"nul", 3},   {"nulL", 3},       {"True", 0},
      {"[1 2]", 3},      {"[1,]", 3},        {"[,1]", 1},  {"[1", 2},         {"]", 0},
      {"{\"a\" 1}", 5},  {"{\"a\":}", 5},    {"{a:1}", 1}, {"{\"a\":1,}", 7}, {"{\"a\":1", 6},
      {"01", 1},         {"-", 1},           {"1.", 2},    {".5", 0},         {"+1", 0},
      {"1e", 2},         {"0x1", 1},         {"\"a", 2},   {"\"\\x\"", 2},    {"\"\\\"", 3},
      {"\"\n\"", 1},     {"\"\\u12g4\"", 5}, {"1 1", 2},   {"nullnull", 4},   {"'a'", 0},
      {"{\"a\":1}}", 7},
  };
  for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
    size_t where = 99;
    assert_null(json_read(&s->arena, str_of(cases[i].text), &where));
    assert_int_equal(where, cases[i].where);
  }
}

static void nesting_has_an_end(void **state) {
  scene *s = *state;
  char text[2 * JSON_MAX_DEPTH + 3];
  for (size_t depth = JSON_MAX_DEPTH; depth <= JSON_MAX_DEPTH + 1; depth++) {
    memset(text, '[', depth);
    memset(text + depth, ']', depth);
    size_t where;
    const json_value *v = json_read(&s->arena, (str){text, 2 * depth}, &where);
    assert_int_equal(v != NULL, depth == JSON_MAX_DEPTH);
  }
}

static void members_are_found(void **state) {
  scene *s = *state;
  size_t where;
  str text = STR("{\"a\": 1, \"b\": \"x\\u0000y\", \"a\": 2, \"c\": [{\"a\": 3}]}");
  const json_value *v = json_read(&s->arena, text, &where);
  assert_true(json_number_in(v, "a", 0) == 2); /* the last of a name counts */
  assert_true(json_number_in(v, "b", -1) == -1);
  assert_int_equal(json_string_in(v, "b").len, 3);
  assert_null(json_string_in(v, "a").data);
  assert_true(json_number_in(json_member(v, "c")->first, "a", 0) == 3);
  assert_null(json_member(json_member(v, "c"), "a")); /* of an array */
  assert_null(json_member(json_member(v, "none"), "a"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(strings_are_escaped, setup, teardown),
      cmocka_unit_test_setup_teardown(commas_stand_between, setup, teardown),
      cmocka_unit_test_setup_teardown(numbers_are_finite, setup, teardown),
      cmocka_unit_test_setup_teardown(right_texts_are_read, setup, teardown),
      cmocka_unit_test_setup_teardown(wrong_texts_are_refused, setup, teardown),
      cmocka_unit_test_setup_teardown(nesting_has_an_end, setup, teardown),
      cmocka_unit_test_setup_teardown(members_are_found, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
