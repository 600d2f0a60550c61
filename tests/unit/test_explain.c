/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The manual: every page is there, fits a terminal, and says what the table and the rules say.
 */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "ir/explain.h"

static int setup(void **state) {
  *state = tsr_context_create(NULL);
  return *state ? 0 : -1;
}

static int teardown(void **state) {
  tsr_context_destroy(*state);
  return 0;
}

static sbuf buffer(void **state) {
  return SBUF(&((tsr_context *)*state)->arena);
}

static void expect(const char *page, const char *text) {
  if (!page || !strstr(page, text)) fail_msg("expected '%s' in:\n%s", text, page ? page : "");
}

static unsigned columns(const char *line, size_t n) {
  unsigned count = 0;
  for (size_t i = 0; i < n; i++) count += ((unsigned char)line[i] & 0xc0) != 0x80;
  return count;
}

/* Only a word that is longer than a line may stick out. */
static void expect_narrow(const char *page) {
  for (const char *line = page; *line;) {
    size_t n = strcspn(line, "\n");
    if (columns(line, n) > 80) fail_msg("a line is wider than 80 columns: %.*s", (int)n, line);
    line += n + (line[n] == '\n');
  }
}

static void test_every_operation(void **state) {
  for (unsigned op = 1; op < OP_COUNT; op++) {
    const op_row *row = &op_table[op];
    sbuf b = buffer(state);
    ir_explain(&b, (op_code)op, false);
    expect(b.data, row->name);
    expect(b.data, "\nSyntax\n");
    expect(b.data, "\nExample\n");
    if (row->operands[0].name) expect(b.data, "\nOperands\n");
    if (row->attrs[0].id) expect(b.data, "\nAttributes\n");
    if (row->results[0].name) expect(b.data, "\nResults\n");
    expect_narrow(b.data);
    assert_null(strchr(b.data, '\033'));
    /* Every attribute's name stands in its table, whatever its form in the syntax. */
    for (unsigned i = 0; i < op_n_attrs(row); i++)
      expect(b.data, attr_name((attr_id)row->attrs[i].id));
  }
}

static void test_syntax(void **state) {
  static const struct {
    op_code op;
    const char *line;
  } cases[] = {
      {OP_addi, "\n  %result = addi %lhs, %rhs [overflow<overflow>] : type(result)\n"},
      {OP_extract, "\n  %result = extract %source[%indices, …] : type(source) -> type(result)\n"},
      {OP_cmpi, "%result = cmpi <comparison_predicate> %lhs, %rhs, (unsigned | signed)"},
      {OP_permute, "%result = permute %source [<int>, …] : type(source) -> type(result)\n"},
      {OP_get_global, "%result = get_global @name : type(result)\n"},
      {OP_cat, "%result = cat %lhs, %rhs dim = <dim> : type(lhs), type(rhs) -> type(result)\n"},
      {OP_assert, "\n  assert %condition, \"message\" : type(condition)\n"},
      {OP_return, "\n  return [%operands, … : type(operands)]\n"},
      {OP_module, "\n  cuda_tile.module @name [attributes {producer = \"text\"}] { items }\n"},
      {OP_atomic_red_view_tko, "atomic_red_view_tko relaxed [(tl_blk | device)] %view[%index,"},
  };
  for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
    sbuf b = buffer(state);
    ir_explain(&b, cases[i].op, false);
    expect(b.data, cases[i].line);
  }
}

static void test_contents(void **state) {
  sbuf b = buffer(state);
  ir_explain(&b, OP_divf, false);
  expect(b.data, "divf\n  Divides. (Floating point, since 13.1)\n");
  expect(b.data, "(a fast approximation), `full`");
  expect(b.data, "- `lhs`, `rhs` and `result` have the same type.\n");
  expect(b.data, "- `rounding<approx>` and `rounding<full>` work on f32 only.\n");
  expect(b.data, "- `flush_to_zero` works on f32 only.\n");
  b = buffer(state);
  ir_explain(&b, OP_break, false);
  expect(b.data, "- It stands directly inside `if` or `loop`.\n");
  b = buffer(state);
  ir_explain(&b, OP_loop, false);
  expect(b.data, "ends with `break`, `continue` or `return`; `continue` without operands");
}

static void test_topics(void **state) {
  const char *name;
  unsigned n = 0;
  for (; (name = ir_explain_name(n)); n++) {
    sbuf b = buffer(state);
    assert_true(ir_explain_topic(&b, name, false));
    assert_memory_equal(b.data, name, strlen(name));
    expect_narrow(b.data);
  }
  assert_true(n > OP_COUNT);
  assert_null(ir_explain_name(UINT_MAX));
  sbuf b = buffer(state);
  assert_false(ir_explain_topic(&b, "nonsense", false));
  assert_false(ir_explain_topic(&b, "", false));
  assert_null(b.data);
  assert_true(ir_explain_topic(&b, "print", false)); /* an alias */
  assert_true(ir_explain_topic(&b, "memory_scope", false));
  expect(b.data, "`load_ptr_tko`");
  expect(b.data, "tl_blk  the tile block\n");
}

static void test_index(void **state) {
  sbuf b = buffer(state);
  ir_explain_index(&b, false);
  for (unsigned i = 0; ir_explain_name(i); i++) expect(b.data, ir_explain_name(i));
  for (unsigned g = 0; g < GROUP_COUNT; g++) expect(b.data, op_group_name((op_group)g));
  expect_narrow(b.data);
}

/* Colours end where they begin, in every line. */
static void test_color(void **state) {
  sbuf b = buffer(state);
  ir_explain(&b, OP_load_view_tko, true);
  expect(b.data, "\033[1mload_view_tko\033[0m\n");
  assert_null(strchr(b.data, '`'));
  unsigned on = 0, off = 0;
  for (const char *p = b.data; (p = strchr(p, '\033')); p++) *(p[2] == '0' ? &off : &on) += 1;
  assert_true(on > 10);
  assert_true(off >= on);
}

static void test_markdown(void **state) {
  sbuf b = buffer(state);
  ir_explain_markdown(&b);
  assert_memory_equal(b.data, "# Operations of Tile IR\n", 24);
  for (unsigned op = 1; op < OP_COUNT; op++) {
    char heading[64], link[128];
    snprintf(heading, sizeof heading, "\n### %s\n", op_table[op].name);
    snprintf(link, sizeof link, "[%s](#%s)", op_table[op].name, op_table[op].name);
    expect(b.data, heading);
    expect(b.data, link);
  }
  expect(b.data, "\n## Element types\n");
  expect(b.data, "\n## Named values\n");
  /* Fences come in pairs, and a cell holds no bare bar. */
  unsigned fences = 0;
  for (const char *line = b.data; line; line = strchr(line, '\n'), line += line != NULL) {
    fences += strncmp(line, "```", 3) == 0;
    unsigned bars = 0;
    for (const char *p = line; *line == '|' && *p && *p != '\n'; p++)
      bars += *p == '|' && p[-1] != '\\';
    if (*line == '|') assert_int_equal(bars, 3);
  }
  assert_int_equal(fences % 2, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(every_operation), TEST(syntax), TEST(contents), TEST(topics),
      TEST(index),           TEST(color),  TEST(markdown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
