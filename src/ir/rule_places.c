/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Where the operands and the types of results of an operation stand. The module keeps the place of
 * the operation only, so its text is looked through when there is something to say about it. Where
 * the text is not what is expected (another form, a location of its own) the operation's place has
 * to do.
 */
#include "ir/rules.h"

enum { MOST_TEXT = 1 << 16 }; /* bytes of an operation that are looked through */

/* The text from the operation's name on; empty: there is none. */
static str text_of(const ir_module *m, const ir_op *op) {
  place at = ir_place(m, op->loc);
  const char *name = ir_row(op)->name;
  const char *line = at.src && at.line && name ? source_line(at.src, at.line) : NULL;
  if (!line) return (str){0};
  str all = at.src->text;
  size_t offset = (size_t)(line - all.data) + at.column - 1, n = strlen(name);
  static const str prefix = {"cuda_tile.", 10};
  if (offset >= all.len) return (str){0};
  str rest = {all.data + offset, MIN(all.len - offset, (size_t)MOST_TEXT)};
  size_t skip =
      rest.len > prefix.len && memcmp(rest.data, prefix.data, prefix.len) == 0 ? prefix.len : 0;
  if (rest.len < skip + n || memcmp(rest.data + skip, name, n) != 0) return (str){0};
  return (str){rest.data + skip + n, rest.len - skip - n};
}

static bool is_name(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         c == '$' || c == '.' || c == '-';
}

/* Behind a string or a comment that begins at `i`; `i` when none does. */
static size_t skip_quiet(str t, size_t i) {
  if (t.data[i] == '"') {
    for (i++; i < t.len && t.data[i] != '"' && t.data[i] != '\n'; i++)
      if (t.data[i] == '\\') i++;
    return i + 1;
  }
  if (t.data[i] == '/' && i + 1 < t.len && t.data[i + 1] == '/')
    while (i < t.len && t.data[i] != '\n') i++;
  return i;
}

static place place_at(const ir_module *m, const ir_op *op, const char *begin, size_t length) {
  place at = ir_place(m, op->loc);
  source_position(at.src, (size_t)(begin - at.src->text.data), &at.line, &at.column);
  at.length = (uint32_t)length;
  return at;
}

/* Where the name of a value stands behind `before` others of it. */
static place value_place(const ir_module *m, const ir_op *op, const ir_value *v, uint32_t before) {
  str t = text_of(m, op);
  size_t n = v->name ? strlen(v->name) : 0;
  if (!n) return ir_place(m, op->loc);
  for (size_t i = 0; i < t.len; i++) {
    size_t quiet = skip_quiet(t, i);
    if (quiet != i) {
      i = quiet - 1;
      continue;
    }
    bool same = t.data[i] == '%' && t.len - i > n && !memcmp(t.data + i + 1, v->name, n) &&
                (i + 1 + n == t.len || !is_name(t.data[i + 1 + n]));
    if (same && before-- == 0) return place_at(m, op, t.data + i, n + 1);
  }
  return ir_place(m, op->loc);
}

place rule_operand_place(const ir_module *m, const ir_op *op, uint32_t index) {
  const ir_value *v = index < op->n_operands ? op->operands[index].value : NULL;
  uint32_t before = 0; /* operands that are the same value */
  if (!v) return ir_place(m, op->loc);
  for (uint32_t k = 0; k < index; k++) before += op->operands[k].value == v;
  return value_place(m, op, v, before);
}

place rule_argument_place(const ir_module *m, const ir_op *op, uint32_t index) {
  const ir_block *b = op->n_regions ? op->regions[0] : NULL;
  return b && index < b->n_args ? value_place(m, op, &b->args[index], 0) : ir_place(m, op->loc);
}

/* ---- types of results ----------------------------------------------------------------------- */

/* An operation's types stand behind its last colon, those of its results behind an arrow if there
 * is one; they end with the line, unless something in brackets is open or a comma stands there. */
static str result_types(str t) {
  size_t begin = 0, depth = 0, i = 0;
  bool arrow = false;
  for (; i < t.len; i++) {
    i = skip_quiet(t, i);
    if (i >= t.len) break;
    char c = t.data[i];
    if (c == '-' && i + 1 < t.len && t.data[i + 1] == '>') {
      i++;
      if (depth == 0) arrow = true, begin = i + 1;
    } else if (c == '<' || c == '(' || c == '[') {
      depth++;
    } else if ((c == '>' || c == ')' || c == ']') && depth) {
      depth--;
    } else if (depth == 0 && (c == '{' || c == '}' || (begin && c == '\n'))) {
      break;
    } else if (c == ':' && depth == 0 && !arrow) {
      begin = i + 1;
    }
  }
  return begin ? (str){t.data + begin, MIN(i, t.len) - begin} : (str){0};
}

static str trimmed(str t) {
  while (t.len && (t.data[0] == ' ' || t.data[0] == '(')) t.data++, t.len--;
  while (t.len && (t.data[t.len - 1] == ' ' || t.data[t.len - 1] == '\r')) t.len--;
  return t;
}

place rule_result_place(const ir_module *m, const ir_op *op, uint32_t index) {
  str t = trimmed(result_types(text_of(m, op)));
  size_t begin = 0, depth = 0;
  for (size_t i = 0; i <= t.len && t.len; i++) {
    char c = i < t.len ? t.data[i] : ',';
    bool closes = c == '>' || c == ')' || c == ']';
    depth += c == '<' || c == '(' || c == '[';
    if (depth == 0 && (c == ',' || c == ')')) {
      if (index-- == 0) {
        str type = trimmed((str){t.data + begin, i - begin});
        if (type.len) return place_at(m, op, type.data, type.len);
        break;
      }
      begin = i + 1;
    }
    depth -= closes && depth;
  }
  return ir_place(m, op->loc);
}
