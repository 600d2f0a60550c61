/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Makes include/tessera/attributes.h, ops.h, block_ops.h and ops.hpp from the operation tables, and
 * as a test holds the files against them. `scripts/gen-builder` runs this with --write.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "ir/build/internal.h"

/* The headers, and the operations that each has. */
typedef struct made_header {
  const char *path, *guard, *table, *words, *says, *include;
  unsigned first, end;       /* operations */
  unsigned group, group_end; /* of them */
  unsigned enums, enums_end; /* of public_enums */
} made_header;

static const made_header headers[] = {
    {"include/tessera/attributes.h", "TESSERA_ATTRIBUTES_H", "src/ir/ops.def", NULL, NULL,
     "stdint.h", 0, 0, 0, 0, 0, 9},
    {"include/tessera/ops.h", "TESSERA_OPS_H", "src/ir/ops.def", "operation", "tessera/build.h",
     "tessera/attributes.h>\n#include <tessera/build.h", 1, OP_COUNT, 0, GROUP_TILE_END, 9, 9},
    {"include/tessera/block_ops.h", "TESSERA_BLOCK_OPS_H", "src/ir/block/ops.def",
     "operation of the block level", "tessera/block.h",
     "tessera/layout.h>\n#include <tessera/ops.h", OP_COUNT, OP_BLOCK_END, GROUP_TILE_END,
     GROUP_COUNT, 9, 11},
};

/* ---- enumerations ---------------------------------------------------------------------------- */

typedef struct public_enum {
  attr_kind kind;
  const char *type, *prefix;
} public_enum;

static const public_enum public_enums[] = {
    {AK_ROUNDING, "tsr_rounding", "TSR_ROUND_"},
    {AK_OVERFLOW, "tsr_overflow", "TSR_OVERFLOW_"},
    {AK_SIGNEDNESS, "tsr_signedness", "TSR_"},
    {AK_PREDICATE_CMP, "tsr_comparison", "TSR_CMP_"},
    {AK_ORDERING_CMP, "tsr_comparison_ordering", "TSR_CMP_"},
    {AK_RMW, "tsr_rmw", "TSR_RMW_"},
    {AK_MULTIMEM, "tsr_multimem_reduction", "TSR_MULTIMEM_"},
    {AK_ORDERING, "tsr_memory_ordering", "TSR_MEMORY_"},
    {AK_SCOPE, "tsr_memory_scope", "TSR_SCOPE_"},
    {AK_INSTRUCTION, "tsr_instruction", "TSR_INSTRUCTION_"},
    {AK_EACH, "tsr_each", "TSR_EACH_"},
};

static void upper(sbuf *out, const char *s) {
  for (; *s; s++)
    sbuf_putc(out, *s >= 'a' && *s <= 'z' ? (char)(*s - 'a' + 'A') : *s == '.' ? '_' : *s);
}

static void write_enum(sbuf *out, const public_enum *e) {
  unsigned count;
  const enum_row *rows = enum_rows(e->kind, &count);
  sbuf_printf(out, "\ntypedef int64_t %s;\nenum {\n", e->type);
  for (unsigned i = 0; i < count; i++) {
    sbuf_printf(out, "  %s", e->prefix);
    upper(out, rows[i].spelling);
    sbuf_printf(out, " = %u, /* %s */\n", i + 1, rows[i].meaning);
  }
  sbuf_puts(out, "};\n");
}

/* ---- operations ------------------------------------------------------------------------------ */

static const char *field_type(op_code opcode, const build_field *f) {
  switch (f->kind) {
  case FIELD_VALUE: return "tsr_value";
  case FIELD_VALUES: return "tsr_values";
  case FIELD_STRING: return "const char *";
  case FIELD_INTS: return "tsr_ints";
  case FIELD_SCALARS: return "tsr_scalars";
  case FIELD_PREDICATE: return "const tsr_predicate *";
  case FIELD_LAYOUT: return "const tsr_layout *";
  case FIELD_TYPE: return "tsr_type";
  case FIELD_TYPES: return "tsr_types";
  case FIELD_INT: break;
  }
  attr_kind kind = (attr_kind)op_table[opcode].attrs[f->index].kind;
  for (size_t i = 0; i < ARRAY_LEN(public_enums); i++)
    if (public_enums[i].kind == kind) return public_enums[i].type;
  if (kind == AK_PADDING) return "int64_t"; /* a tsr_padding, which is a C enum and no word */
  return kind == AK_INT ? "int64_t" : "tsr_flag";
}

/* Fields of one type and one part go on one line. */
static void write_fields(sbuf *out, op_code opcode) {
  build_field fields[BUILD_MAX_FIELDS];
  unsigned n = build_fields(opcode, fields);
  for (unsigned i = 0; i < n;) {
    const char *type = field_type(opcode, &fields[i]);
    bool is_pointer = type[strlen(type) - 1] == '*';
    sbuf_printf(out, "  %s%s%s", type, is_pointer ? "" : " ", fields[i].name);
    unsigned j = i + 1;
    for (; j < n && fields[j].required == fields[i].required && !is_pointer &&
           strcmp(field_type(opcode, &fields[j]), type) == 0;
         j++)
      sbuf_printf(out, ", %s", fields[j].name);
    sbuf_puts(out, ";");
    if (!fields[i].required && (i == 0 || fields[i - 1].required))
      sbuf_puts(out, " /* optional: */");
    sbuf_puts(out, "\n");
    i = j;
  }
}

static void write_op(sbuf *out, op_code opcode) {
  const op_row *row = &op_table[opcode];
  sbuf_printf(out, "\n/* %s\n *   %s */\n", row->summary, row->meaning);
  build_field fields[BUILD_MAX_FIELDS];
  bool empty = build_fields(opcode, fields) == 0;
  sbuf_printf(out, "struct tsr_%s_args {%sTSR_ARGS_HEAD;%s", row->name, empty ? " " : "\n  ",
              empty ? " " : "\n");
  write_fields(out, opcode);
  sbuf_printf(out, "};\n#define tsr_build_%s(...) %s(%s, __VA_ARGS__)\n", row->name,
              build_gives_value(opcode) ? "TSR_BUILD_VALUE_" : "TSR_BUILD_OP_", row->name);
}

/* What the header has: operations, or only enumerations. */
static void write_contents(sbuf *out, const made_header *h) {
  if (h->words)
    sbuf_printf(
        out,
        " * One struct of arguments and one macro for every %s; %s\n"
        " * says how they are used. tsr_build_… gives the first result as a tsr_value\n"
        " * (others: tsr_result_of), or the tsr_op when it has no results or any number of\n"
        " * them (tsr_op_result).\n",
        h->words, h->says);
  else
    sbuf_puts(out, " * Values of attributes of operations (tessera/ops.h).\n");
}

static void write_enums(sbuf *out, const made_header *h) {
  if (h->enums < h->enums_end)
    sbuf_puts(out, "\n/* ---- attributes: 0 says nothing, which leaves the default "
                   "------------------------------------ */\n");
  if (!h->words) sbuf_puts(out, "\ntypedef int64_t tsr_flag; /* true or false */\n");
  for (unsigned i = h->enums; i < h->enums_end; i++) write_enum(out, &public_enums[i]);
}

static void write_header(sbuf *out, const made_header *h) {
  sbuf_printf(out,
              "/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n"
              " *\n"
              " * Made by scripts/gen-builder from the operation table (%s): do not edit.\n"
              " *\n",
              h->table);
  write_contents(out, h);
  sbuf_printf(out,
              " */\n"
              "#ifndef %s\n"
              "#define %s\n"
              "\n"
              "#include <%s>\n"
              "\n"
              "/* clang-format off */\n",
              h->guard, h->guard, h->include);
  write_enums(out, h);
  for (unsigned g = h->group; g < h->group_end; g++) {
    sbuf_printf(out, "\n/* ---- %s ", op_group_name((op_group)g));
    for (size_t i = strlen(op_group_name((op_group)g)); i < 88; i++) sbuf_putc(out, '-');
    sbuf_puts(out, " */\n");
    for (unsigned op = h->first; op < h->end; op++)
      if (op_table[op].group == g && !build_is_special((op_code)op)) write_op(out, (op_code)op);
  }
  sbuf_puts(out, "\n#endif\n");
}

/* ---- C++ ------------------------------------------------------------------------------------- */

/* The name of a member: words of the language and macros of the C library get an underscore. */
static const char *member_name(const char *name) {
  static const char *const words[][2] = {
      {"alloca", "alloca_"},     {"assert", "assert_"}, {"break", "break_"},
      {"continue", "continue_"}, {"for", "for_"},       {"if", "if_"},
      {"loop", "loop_"},         {"return", "return_"}, {"yield", "yield_"},
  };
  for (size_t i = 0; i < ARRAY_LEN(words); i++)
    if (strcmp(words[i][0], name) == 0) return words[i][1];
  return name;
}

/* What a parameter is: C's type, or the list that C++ makes one of. */
static const char *parameter_type(op_code opcode, const build_field *f) {
  switch (f->kind) {
  case FIELD_VALUES: return "const value_list &";
  case FIELD_INTS: return "const int_list &";
  case FIELD_TYPES: return "const type_list &";
  case FIELD_SCALARS: return "const scalar_list &";
  default: return field_type(opcode, f);
  }
}

static bool is_list(const build_field *f) {
  return f->kind == FIELD_VALUES || f->kind == FIELD_INTS || f->kind == FIELD_TYPES ||
         f->kind == FIELD_SCALARS;
}

/* What is required, and lists, come by position; the rest in the struct of C. */
static bool is_positional(const build_field *f) {
  return f->required || is_list(f);
}

static void write_parameters(sbuf *out, op_code opcode, const build_field *fields, unsigned n) {
  bool rest = false;
  for (unsigned i = 0; i < n; i++) {
    rest |= !is_positional(&fields[i]);
    if (!is_positional(&fields[i])) continue;
    const char *type = parameter_type(opcode, &fields[i]);
    char last = type[strlen(type) - 1];
    sbuf_printf(out, "%s%s%s%s, ", type, last == '*' || last == '&' ? "" : " ", fields[i].name,
                fields[i].required ? "" : " = {}");
  }
  if (rest) sbuf_printf(out, "tsr_%s_args more = {}, ", op_table[opcode].name);
  sbuf_puts(out, "place at = {}) {\n");
  if (!rest) sbuf_printf(out, "    tsr_%s_args more = {};\n", op_table[opcode].name);
}

static void write_member(sbuf *out, op_code opcode) {
  const op_row *row = &op_table[opcode];
  build_field fields[BUILD_MAX_FIELDS];
  unsigned n = build_fields(opcode, fields);
  bool value = build_gives_value(opcode);
  sbuf_printf(out, "\n  /* %s\n   *   %s */\n  %s %s(", row->summary, row->meaning,
              value ? "value" : "operation", member_name(row->name));
  write_parameters(out, opcode, fields, n);
  sbuf_puts(out, "    more.size_ = sizeof more, more.b = handle();\n");
  const char *before = "    ";
  for (unsigned i = 0; i < n; i++) {
    if (!is_positional(&fields[i])) continue;
    sbuf_printf(out, "%smore.%s = %s", before, fields[i].name, fields[i].name);
    before = ", ";
  }
  sbuf_puts(out, *before == ',' ? ";\n" : "");
  sbuf_printf(out, "    return {*this, tsr_build_%s_at(at.file, at.line, \"%s\", &more)};\n  }\n",
              value ? "value" : "args", row->name);
}

static void write_cplusplus(sbuf *out) {
  sbuf_puts(out,
            "/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n"
            " *\n"
            " * Made by scripts/gen-builder from the operation table (src/ir/ops.def): do not "
            "edit.\n"
            " *\n"
            " * Members of tessera::builder (tessera.hpp), one for every operation. What an "
            "operation\n"
            " * needs comes by position; what may be left out lies in the struct that C has for "
            "it:\n"
            " *   b.addf(x, y, {.rounding_mode = TSR_ROUND_ZERO})        // C++20\n"
            " * No header of its own: tessera.hpp includes it inside of the class.\n"
            " */\n"
            "/* clang-format off */\n");
  for (unsigned g = 0; g < GROUP_TILE_END; g++)
    for (unsigned op = 1; op < OP_COUNT; op++)
      if (op_table[op].group == g && !build_is_special((op_code)op)) write_member(out, (op_code)op);
}

/* ---- the test -------------------------------------------------------------------------------- */

enum { FILES = ARRAY_LEN(headers) + 1 };

/* The headers of C, then that of C++. Returns its path. */
static const char *write_number(sbuf *out, size_t i) {
  if (i < ARRAY_LEN(headers)) {
    write_header(out, &headers[i]);
    return headers[i].path;
  }
  write_cplusplus(out);
  return "include/tessera/ops.hpp";
}

static void headers_are_current(void **state) {
  (void)state;
  tsr_context *ctx = tsr_context_create(NULL);
  arena a;
  arena_init(&a, ctx);
  for (size_t i = 0; i < FILES; i++) {
    sbuf expected = SBUF(&a);
    const char *path = write_number(&expected, i);
    str found = {0};
    assert_true(file_read(ctx, &a, path, 1 << 20, &found));
    if (!str_eq(found, (str){expected.data, expected.len}))
      fail_msg("%s doesn't fit the operation table: run scripts/gen-builder", path);
  }
  arena_free(&a);
  tsr_context_destroy(ctx);
}

static int write_files(void) {
  tsr_context *ctx = tsr_context_create(NULL);
  bool good = true;
  arena a;
  arena_init(&a, ctx);
  for (size_t i = 0; i < FILES; i++) {
    sbuf out = SBUF(&a);
    const char *path = write_number(&out, i);
    good &= file_write(ctx, path, out.data, out.len);
  }
  arena_free(&a);
  tsr_context_destroy(ctx);
  return good ? 0 : 1;
}

int main(int argc, char **argv) {
  if (argc == 2 && strcmp(argv[1], "--write") == 0) return write_files();
  const struct CMUnitTest tests[] = {cmocka_unit_test(headers_are_current)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
