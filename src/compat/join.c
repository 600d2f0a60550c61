/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A module is a list of statements at its top level: lines such as .version and .file,
 * declarations, functions, and sections of debug information. They are cut out of the text, and
 * written again in an order in which everything is declared before it is used:
 *
 *   .version, .target, .address_size   the newest
 *   .file                              numbered through, as are the files in .loc
 *   functions, declared
 *   variables, first as .extern where another module declares them so
 *   functions, defined; aliases
 *
 * Sections of debug information are left out: lines and calls that were inlined are in .loc.
 */
#include "compat/join.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

typedef enum statement_kind {
  KIND_LINE, /* .version, .target, .address_size: the head */
  KIND_FILE,
  KIND_FUNCTION, /* .entry too, with a body */
  KIND_DECLARED, /* a function without one */
  KIND_VARIABLE,
  KIND_OTHER,
  KIND_SECTION
} statement_kind;

/* As the linker ranks them. */
typedef enum linkage { OF_MODULE, IS_EXTERN, IS_COMMON, IS_WEAK, IS_VISIBLE } linkage;

typedef struct statement {
  statement_kind kind;
  linkage linkage;
  bool entry;
  size_t module;
  str text;
  str name;      /* of a function or variable */
  str signature; /* of a function: its text up to the end of the parameters */
  bool taken;    /* of those with its name this one is written */
  bool wanted;   /* a variable that another module declares */
  bool renamed;
} statement;

typedef struct joining {
  statement *list;
  size_t count, room;
  statement **renamed; /* first the list by name, then those with a name of their own */
  size_t n_renamed;
  unsigned *first_file; /* by module: what is added to the numbers of its files */
  char *why;
  bool out_of_memory;
} joining;

/* ---- words ---------------------------------------------------------------------------------- */

static bool in_word(char c) {
  return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%' || c == '.';
}

static const char *behind_comment(const char *at) {
  if (at[1] == '/') return at + strcspn(at, "\n");
  const char *end = strstr(at + 2, "*/");
  return end ? end + 2 : at + strlen(at);
}

static bool is_comment(const char *at) {
  return at[0] == '/' && (at[1] == '/' || at[1] == '*');
}

static const char *behind_string(const char *at) {
  for (at++; *at && *at != '"'; at++)
    if (*at == '\\' && at[1]) at++;
  return *at ? at + 1 : at;
}

static const char *behind_space(const char *at) {
  while (isspace((unsigned char)*at) || is_comment(at))
    at = is_comment(at) ? behind_comment(at) : at + 1;
  return at;
}

/* A word, a string or a single character; empty at the end. */
static str next_word(const char **at) {
  const char *begin = behind_space(*at), *end = begin;
  if (*begin == '"')
    end = behind_string(begin);
  else if (in_word(*begin))
    while (in_word(*end)) end++;
  else if (*begin)
    end++;
  *at = end;
  return (str){begin, (size_t)(end - begin)};
}

static bool is_name(str word) {
  return word.len && in_word(*word.data) && *word.data != '.' &&
         !isdigit((unsigned char)*word.data);
}

/* ---- statements ----------------------------------------------------------------------------- */

static bool ends_with_line(str word) {
  return str_is(word, ".version") || str_is(word, ".target") || str_is(word, ".address_size") ||
         str_is(word, ".file");
}

static bool has_block(statement_kind kind) {
  return kind == KIND_FUNCTION || kind == KIND_DECLARED || kind == KIND_SECTION;
}

static void read_word(statement *s, str word, const char *behind, int depth) {
  static const struct {
    const char *word;
    linkage linkage;
  } linkages[] = {
      {".extern", IS_EXTERN}, {".visible", IS_VISIBLE}, {".weak", IS_WEAK}, {".common", IS_COMMON}};
  static const char *const spaces[] = {".global", ".const", ".shared", ".local"};
  for (size_t i = 0; i < COUNT(linkages); i++)
    if (str_is(word, linkages[i].word)) s->linkage = linkages[i].linkage;
  for (size_t i = 0; i < COUNT(spaces) && s->kind == KIND_OTHER; i++)
    if (str_is(word, spaces[i])) s->kind = KIND_VARIABLE;
  s->entry |= str_is(word, ".entry");
  if (s->kind == KIND_OTHER && (str_is(word, ".func") || str_is(word, ".entry")))
    s->kind = KIND_DECLARED;
  if (s->kind == KIND_OTHER && str_is(word, ".section")) s->kind = KIND_SECTION;
  if (s->name.data || depth || s->kind == KIND_OTHER || !is_name(word)) return;
  s->name = word;
  s->signature = (str){s->text.data, (size_t)(behind - s->text.data)};
}

/* The end of the parameters that may follow a function's name. */
static void end_signature(statement *s, const char *at) {
  const char *begin = s->name.data + s->name.len;
  if (s->kind == KIND_DECLARED && *behind_space(begin) == '(' && begin < at &&
      s->signature.len == (size_t)(begin - s->text.data))
    s->signature.len = (size_t)(at - s->text.data);
}

/* Cuts one statement off; false at the end of the text. */
static bool read_statement(const char **at, statement *s) {
  int depth = 0;
  str word = next_word(at);
  *s = (statement){.kind = KIND_OTHER, .text = word};
  if (ends_with_line(word)) {
    s->kind = str_is(word, ".file") ? KIND_FILE : KIND_LINE;
    *at += strcspn(*at, "\n");
  } else {
    for (; word.len; word = next_word(at)) {
      char c = *word.data;
      if (c == '(' || c == '{' || c == '[') depth++;
      if (c == '{' && depth == 1 && s->kind == KIND_DECLARED) s->kind = KIND_FUNCTION;
      if (c == ')' || c == '}' || c == ']') depth--;
      if (c == ')' && depth == 0 && s->name.data) end_signature(s, *at);
      read_word(s, word, *at, depth);
      if (depth <= 0 && (c == ';' || (c == '}' && has_block(s->kind)))) break;
    }
  }
  s->text.len = (size_t)(*at - s->text.data);
  return s->text.len > 0;
}

static bool add_statement(joining *j, const statement *s) {
  if (j->count == j->room) {
    size_t room = j->room ? 2 * j->room : 256;
    statement *more = realloc(j->list, room * sizeof *more);
    if (!more) {
      j->out_of_memory = true;
      return false;
    }
    j->list = more;
    j->room = room;
  }
  j->list[j->count++] = *s;
  return true;
}

static void read_module(joining *j, size_t module, const char *text) {
  unsigned files = 0, number;
  statement s;
  while (read_statement(&text, &s)) {
    s.module = module;
    if (s.kind == KIND_FILE && sscanf(s.text.data, ".file %u", &number) == 1)
      files = MAX(files, number);
    if (!add_statement(j, &s)) return;
  }
  j->first_file[module + 1] = j->first_file[module] + files;
}

/* ---- names ---------------------------------------------------------------------------------- */

static int compare_names(const void *a, const void *b) {
  const statement *x = *(statement *const *)a, *y = *(statement *const *)b;
  int order = memcmp(x->name.data, y->name.data, MIN(x->name.len, y->name.len));
  if (order) return order;
  if (x->name.len != y->name.len) return x->name.len < y->name.len ? -1 : 1;
  return x < y ? -1 : x > y;
}

static bool is_defined(const statement *s) {
  return s->linkage != IS_EXTERN && s->kind != KIND_DECLARED;
}

/* Whether `s` is to be written rather than `best`, which has the same name. */
static bool is_better(const statement *s, const statement *best) {
  if (!best || is_defined(s) != is_defined(best)) return !best || is_defined(s);
  return s->linkage > best->linkage;
}

static void say_twice(joining *j, const statement *s) {
  if (!*j->why)
    snprintf(j->why, JOIN_WHY, "'" STR_FMT "' is defined twice: in modules %zu and later",
             STR_ARG(s->name), s->module + 1);
}

/* Of the statements with one name, which are in order, what becomes of each. */
static void resolve(joining *j, statement **same, size_t count) {
  statement *best = NULL;
  bool shared = false;
  for (size_t i = 0; i < count; i++) {
    statement *s = same[i];
    shared |= s->module != same[0]->module;
    if (s->linkage == OF_MODULE) continue;
    if (best && is_defined(s) && is_defined(best) && s->linkage == IS_VISIBLE &&
        best->linkage == IS_VISIBLE)
      say_twice(j, best);
    if (is_better(s, best)) best = s;
  }
  for (size_t i = 0; i < count; i++) {
    statement *s = same[i];
    if (s->linkage == OF_MODULE) {
      s->taken = true;
      s->renamed = shared;
    } else if (best != s && !is_defined(s)) {
      best->wanted |= s->module != best->module;
    }
  }
  if (best) best->taken = true;
}

static void resolve_names(joining *j) {
  statement **sorted = j->renamed;
  size_t n = 0;
  for (size_t i = 0; i < j->count; i++)
    if (j->list[i].name.data && j->list[i].kind != KIND_SECTION) sorted[n++] = &j->list[i];
  qsort(sorted, n, sizeof *sorted, compare_names);
  for (size_t i = 0, end; i < n; i = end) {
    for (end = i + 1; end < n && str_eq(sorted[i]->name, sorted[end]->name); end++) {
    }
    resolve(j, sorted + i, end - i);
  }
  for (size_t i = 0; i < n; i++)
    if (sorted[i]->renamed) j->renamed[j->n_renamed++] = sorted[i];
}

/* ---- writing -------------------------------------------------------------------------------- */

static bool is_renamed(const joining *j, size_t module, str word) {
  if (!is_name(word)) return false;
  for (size_t i = 0; i < j->n_renamed; i++)
    if (j->renamed[i]->module == module && str_eq(j->renamed[i]->name, word)) return true;
  return false;
}

/* The text of a module, with its own names and numbers of files. */
static void write_text(const joining *j, FILE *out, size_t module, str text) {
  const char *at = text.data, *end = text.data + text.len;
  bool file_next = false;
  while (at < end) {
    const char *begin = at;
    str word = next_word(&at);
    fwrite(begin, 1, (size_t)(MIN(word.data, end) - begin), out);
    if (word.data >= end) break;
    if (file_next && word.len && isdigit((unsigned char)*word.data))
      fprintf(out, "%u", (unsigned)strtoul(word.data, NULL, 10) + j->first_file[module]);
    else
      fwrite(word.data, 1, word.len, out);
    if (is_renamed(j, module, word)) fprintf(out, "$m%zu", module);
    file_next = str_is(word, ".loc") || str_is(word, ".file") || str_is(word, "inlined_at");
  }
}

static void write_all(const joining *j, FILE *out, const statement *s) {
  write_text(j, out, s->module, s->text);
  fputc('\n', out);
}

static void write_signature(const joining *j, FILE *out, const statement *s) {
  write_text(j, out, s->module, s->signature);
  fputs(";\n", out);
}

/* A variable without its value, which others may be defined with. */
static void write_extern(const joining *j, FILE *out, const statement *s) {
  const char *end = memchr(s->text.data, '=', s->text.len), *at = s->text.data;
  next_word(&at); /* its linkage */
  size_t length = end ? (size_t)(end - at) : (size_t)(s->text.data + s->text.len - at);
  fputs(".extern", out);
  write_text(j, out, s->module, (str){at, length});
  if (end) fputc(';', out);
  fputc('\n', out);
}

/* "8.4" and "sm_90a" by what they are worth. */
static unsigned worth(str line) {
  unsigned major = 0, minor = 0, arch = 0;
  char letter = 0;
  if (sscanf(line.data, ".version %u.%u", &major, &minor) == 2) return major * 100 + minor;
  if (sscanf(line.data, ".target sm_%u%c", &arch, &letter) >= 1)
    return arch * 4 + (letter == 'f') + 2 * (letter == 'a');
  return 1;
}

static void write_head(const joining *j, FILE *out) {
  static const char *const words[] = {".version", ".target", ".address_size"};
  for (size_t w = 0; w < COUNT(words); w++) {
    const statement *best = NULL;
    for (size_t i = 0; i < j->count; i++) {
      const statement *s = &j->list[i];
      if (s->kind != KIND_LINE || strncmp(s->text.data, words[w], strlen(words[w])) != 0) continue;
      if (!best || worth(s->text) > worth(best->text)) best = s;
    }
    if (best) write_all(j, out, best);
  }
}

static bool is_declared_first(const statement *s) {
  return s->kind == KIND_DECLARED || (s->kind == KIND_FUNCTION && !s->entry);
}

static void write_module(const joining *j, FILE *out) {
  write_head(j, out);
  for (size_t i = 0; i < j->count; i++)
    if (j->list[i].kind == KIND_FILE) write_all(j, out, &j->list[i]);
  for (size_t i = 0; i < j->count; i++)
    if (j->list[i].taken && is_declared_first(&j->list[i])) write_signature(j, out, &j->list[i]);
  for (size_t i = 0; i < j->count; i++)
    if (j->list[i].taken && j->list[i].kind == KIND_VARIABLE && j->list[i].wanted)
      write_extern(j, out, &j->list[i]);
  for (size_t i = 0; i < j->count; i++)
    if (j->list[i].taken && j->list[i].kind == KIND_VARIABLE) write_all(j, out, &j->list[i]);
  for (size_t i = 0; i < j->count; i++)
    if (j->list[i].taken && j->list[i].kind == KIND_FUNCTION) write_all(j, out, &j->list[i]);
  for (size_t i = 0; i < j->count; i++)
    if (j->list[i].kind == KIND_OTHER) write_all(j, out, &j->list[i]);
}

static char *write_joined(joining *j) {
  char *text = NULL;
  size_t length;
  j->renamed = calloc(j->count + 1, sizeof *j->renamed);
  if (!j->renamed) return NULL;
  resolve_names(j);
  FILE *out = *j->why ? NULL : open_memstream(&text, &length);
  if (out) write_module(j, out);
  if (out && fclose(out) == 0) return text;
  free(text);
  return NULL;
}

char *join_ptx(const char *const *texts, size_t count, char why[JOIN_WHY]) {
  joining j = {.first_file = calloc(count + 1, sizeof *j.first_file), .why = why};
  char *joined = NULL;
  *why = 0;
  for (size_t i = 0; j.first_file && i < count; i++) read_module(&j, i, texts[i]);
  if (j.first_file && !j.out_of_memory) joined = write_joined(&j);
  if (!joined && !*why) snprintf(why, JOIN_WHY, "out of memory");
  free(j.list);
  free(j.renamed);
  free(j.first_file);
  return joined;
}
