/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A TextMate grammar of Tile IR, by which editors colour programs, made from the operation table.
 */
#include <ctype.h>

#include "base/json.h"
#include "cli/cli.h"
#include "ir/explain.h"

/* Words of the forms that no format string has (text/custom.c) and of locations. */
static const char *const custom_words[] = {
    "attributes",
    "callsite",
    "dense",
    "dim_map",
    "else",
    "fused",
    "in",
    "iter_values",
    "layout",
    "loc",
    "module",
    "optimization_hints",
    "padding_value",
    "shape",
    "sparse_dim",
    "step",
    "strides",
    "to",
    "traversal_strides",
    "unknown",
};

typedef struct words {
  arena *arena;
  strmap seen;
  sbuf out; /* joined by '|' */
} words;

static void add_word(words *w, str word) {
  bool added;
  strmap_put(w->arena, &w->seen, word, &added);
  if (!added) return;
  if (w->out.len) sbuf_putc(&w->out, '|');
  for (size_t i = 0; i < word.len; i++) {
    if (word.data[i] == '$' || word.data[i] == '.') sbuf_putc(&w->out, '\\');
    sbuf_putc(&w->out, word.data[i]);
  }
}

static words new_words(cli *c) {
  return (words){.arena = &c->arena, .out = SBUF(&c->arena)};
}

static bool is_letter(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

/* The keywords of a format string: bare words, and those of angled(…) and flag(…). */
static void add_format(words *w, const char *format) {
  static const char *const calls[] = {"angled(", "flag("};
  for (const char *q = format; *q;) {
    size_t n = strcspn(q, " ");
    str word = {q, n};
    for (unsigned i = 0; i < ARRAY_LEN(calls); i++)
      if (str_starts(word, calls[i])) {
        word.data += strlen(calls[i]);
        word.len = strcspn(word.data, ",)");
      }
    size_t letters = 0;
    while (letters < word.len && is_letter(word.data[letters])) letters++;
    bool whole = letters == word.len || (letters + 1 == word.len && word.data[letters] == '=');
    if (letters && whole && strcmp(q, "attr-dict") != 0) add_word(w, (str){word.data, letters});
    q += n;
    while (*q == ' ') q++;
  }
}

static str keywords(cli *c) {
  words w = new_words(c);
  for (unsigned op = 1; op < OP_BLOCK_END; op++)
    if (op_table[op].format) add_format(&w, op_table[op].format);
  for (unsigned i = 0; i < ARRAY_LEN(custom_words); i++) add_word(&w, str_of(custom_words[i]));
  return (str){w.out.data, w.out.len};
}

static str operations(cli *c) {
  words w = new_words(c);
  for (unsigned op = 1; op < OP_BLOCK_END; op++) add_word(&w, str_of(op_table[op].name));
  return (str){w.out.data, w.out.len};
}

static str enumerators(cli *c) {
  words w = new_words(c);
  for (unsigned kind = AK_ROUNDING; kind <= AK_PRIORITY; kind++) {
    unsigned n = 0;
    const enum_row *rows = enum_rows((attr_kind)kind, &n);
    for (unsigned i = 0; i < n; i++) add_word(&w, str_of(rows[i].spelling));
  }
  add_word(&w, STR("true"));
  add_word(&w, STR("false"));
  return (str){w.out.data, w.out.len};
}

/* Names of pages that are no operations and have no named values: types. */
static str types(cli *c) {
  words w = new_words(c);
  const char *name;
  for (unsigned i = 0; (name = ir_explain_name(i)); i++) {
    sbuf page = SBUF(&c->arena);
    bool is_operation = op_by_name(name, (unsigned)strlen(name)) != OP_NONE;
    ir_explain_topic(&page, name, false);
    if (!is_operation && !strstr(page.data, "\n  Used by ")) add_word(&w, str_of(name));
  }
  add_word(&w, STR("mbarrier"));
  add_word(&w, STR("tensor_map"));
  add_word(&w, STR("async"));
  return (str){w.out.data, w.out.len};
}

/* ---- rules ---------------------------------------------------------------------------------- */

static void put_rule(json *j, const char *scope, const char *match) {
  json_open(j, NULL, '{');
  json_text(j, "name", scope);
  json_text(j, "match", match);
  json_close(j, '}');
  sbuf_putc(j->out, '\n');
}

/* A rule that names up to two groups of what it matches. */
static void put_groups(json *j, const char *match, const char *first, const char *second) {
  const char *scopes[] = {first, second};
  json_open(j, NULL, '{');
  json_text(j, "match", match);
  json_open(j, "captures", '{');
  for (unsigned i = 0; i < ARRAY_LEN(scopes); i++) {
    char group[2] = {(char)('1' + i), 0};
    if (!scopes[i]) continue;
    json_open(j, group, '{');
    json_text(j, "name", scopes[i]);
    json_close(j, '}');
  }
  json_close(j, '}');
  json_close(j, '}');
  sbuf_putc(j->out, '\n');
}

static const char *words_of(cli *c, const char *before, str any) {
  return arena_printf(&c->arena, "%s(" STR_FMT ")\\b(?!\\.\\w)", before, STR_ARG(any));
}

static void put_rules(cli *c, json *j) {
  put_rule(j, "comment.line.double-slash.tile-ir", "//.*$");
  put_rule(j, "string.quoted.double.tile-ir", "@?\"(?:[^\"\\\\]|\\\\.)*\"");
  put_groups(j, words_of(c, "(?:^\\s*|=\\s*|\\{\\s*)(cuda_tile\\.)?", operations(c)),
             "entity.name.namespace.tile-ir", "keyword.control.tile-ir");
  put_rule(j, "entity.name.function.tile-ir", "@[A-Za-z_$][\\w$.]*");
  put_rule(j, "variable.other.tile-ir", "% *(?:[0-9]+|[A-Za-z_$.-][\\w$.-]*)(?:[#:][0-9]+)?");
  put_rule(j, "entity.name.type.tile-ir", "[!#] *[A-Za-z_$][\\w$.-]*");
  put_groups(j, words_of(c, "(?<![\\w$.])((?:[0-9?]+x)*)(?:cuda_tile\\.)?", types(c)),
             "constant.numeric.tile-ir", "storage.type.tile-ir");
  put_rule(j, "keyword.other.tile-ir", words_of(c, "(?<![\\w$.])", keywords(c)));
  put_rule(j, "constant.language.tile-ir", words_of(c, "(?<![\\w$])", enumerators(c)));
  put_rule(j, "constant.numeric.tile-ir",
           "(?<![\\w$.])-?(?:0x[0-9A-Fa-f]+|[0-9?]+(?:x[0-9?]+)+|[0-9]+(?:\\.[0-9]*(?:[eE][-+]?[0-"
           "9]+)?)?)");
  /* Layouts: functions, methods, fragments of matrix instructions, an offset behind a swizzle. */
  put_rule(j, "support.constant.tile-ir",
           "(?<![\\w$])(?:w?g?mma|mfma|wmma|swmmac)\\.[\\w.]+|\\bo(?= *\\()");
  put_rule(j, "support.function.tile-ir", "(?<![\\w$])[A-Za-z_][\\w.]*(?=[(<])");
  put_rule(j, "variable.parameter.tile-ir", "(?<![\\w$.])[A-Za-z_]\\w*(?= *=)");
}

void cli_put_grammar(cli *c, sbuf *out) {
  json j = JSON(out);
  json_open(&j, NULL, '{');
  json_text(&j, "information_for_contributors",
            "Made by `make docs` (tessera explain --grammar) from the operation table.");
  json_text(&j, "name", "Tile IR");
  json_text(&j, "scopeName", "source.tile-ir");
  json_open(&j, "patterns", '[');
  put_rules(c, &j);
  json_close(&j, ']');
  json_close(&j, '}');
  sbuf_putc(out, '\n');
}
