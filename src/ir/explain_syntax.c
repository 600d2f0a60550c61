/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The syntax of an operation as people read it, from the format in its row (ir/ops.h):
 *
 *   %result = addf %lhs, %rhs [rounding<mode>] [flush_to_zero] : type(result)
 *
 * [ … ] may be left out, ( a | b ) is a choice, <x> stands for attribute x.
 */
#include "ir/explain_parts.h"

/* Where the words of a format come from, and what is after the last of them. */
typedef struct writer {
  sbuf *out;
  const op_row *row;
  bool glued; /* no space before the next word */
} writer;

static void word(writer *w, const char *text) {
  if (!w->glued) sbuf_putc(w->out, ' ');
  sbuf_puts(w->out, text);
  w->glued = false;
}

/* A choice of at most four values is written out. */
static void enum_choice(writer *w, const op_attr *a) {
  unsigned count, shown = 0;
  const enum_row *rows = enum_rows((attr_kind)a->kind, &count);
  unsigned mask = a->allowed ? a->allowed : (1u << count) - 1;
  if (__builtin_popcount(mask) > 4) {
    sbuf_printf(w->out, "<%s>", attr_name((attr_id)a->id));
    return;
  }
  bool one = (mask & (mask - 1)) == 0;
  if (!one) sbuf_putc(w->out, '(');
  for (unsigned i = 0; i < count; i++)
    if (mask >> i & 1) sbuf_printf(w->out, "%s%s", shown++ ? " | " : "", rows[i].spelling);
  if (!one) sbuf_putc(w->out, ')');
}

static void attribute(writer *w, const op_attr *a) {
  const char *name = attr_name((attr_id)a->id);
  unsigned count;
  word(w, "");
  if (enum_rows((attr_kind)a->kind, &count)) {
    enum_choice(w, a);
    return;
  }
  switch ((attr_kind)a->kind) {
  case AK_BOOL: sbuf_puts(w->out, "(true | false)"); break;
  case AK_STRING: sbuf_printf(w->out, "\"%s\"", name); break;
  case AK_SYMBOL: sbuf_printf(w->out, "@%s", strcmp(name, "sym_name") == 0 ? "name" : name); break;
  case AK_INTS: sbuf_puts(w->out, "[<int>, …]"); break;
  case AK_BOOLS: sbuf_puts(w->out, "[(true | false), …]"); break;
  case AK_SCALARS: sbuf_puts(w->out, "[<number> : <type>, …]"); break;
  case AK_DENSE: sbuf_puts(w->out, "<type: number or [list]> : tile<…>"); break;
  case AK_HINTS: sbuf_puts(w->out, "<target = {key = number, …}, …>"); break;
  default: sbuf_printf(w->out, "<%s>", name); break;
  }
}

static void part(writer *w, const char *name, unsigned len) {
  int i = op_operand_index(w->row, name, len);
  if (i < 0) {
    attribute(w, &w->row->attrs[op_attr_index(w->row, name, len)]);
    return;
  }
  word(w, "%");
  sbuf_puts(w->out, w->row->operands[i].name);
  if (w->row->operands[i].arity == MANY) sbuf_puts(w->out, ", …");
}

/* angled(keyword,attribute) */
static void angled(writer *w, const char *inside, unsigned len) {
  const char *comma = memchr(inside, ',', len);
  unsigned key = (unsigned)(comma - inside);
  int i = op_attr_index(w->row, comma + 1, len - key - 1);
  word(w, "[");
  sbuf_add(w->out, inside, key);
  sbuf_putc(w->out, '<');
  /* Angles around angles read badly: the name alone stands for the value. */
  sbuf_puts(w->out, attr_name((attr_id)w->row->attrs[i].id));
  sbuf_puts(w->out, ">]");
}

static void hand_written(writer *w, const char *which, unsigned len) {
  static const struct {
    const char *name, *text;
  } forms[] = {
      {"module", "@name [attributes {producer = \"text\"}] { items }"},
      {"entry", "@name(%argument: type, …)\n"
                "    [optimization_hints = <target = {key = number, …}, …>] { body }"},
      {"for", "[unsigned] %i in (%lowerBound to %upperBound, step %step) : type(step)\n"
              "    [iter_values(%value = %initValue, …) -> (type(value), …)] { region }"},
      {"loop", "[iter_values(%value = %initValue, …)]\n"
               "    [: [type(value), …] [-> type(resultValues), …]] { region }"},
      {"tensor_view", "%base, shape = [size, …], strides = [stride, …]\n"
                      "    : [type(dynamic sizes and strides) ->] type(result)"},
  };
  for (unsigned i = 0; i < ARRAY_LEN(forms); i++)
    if (strlen(forms[i].name) == len && memcmp(forms[i].name, which, len) == 0)
      word(w, forms[i].text);
}

/* name(inside): true when the word is one of these. */
static bool call(writer *w, const char *p, unsigned len) {
  const char *open = memchr(p, '(', len);
  if (!open || p[len - 1] != ')' || open == p) return false;
  unsigned head = (unsigned)(open - p), inside = len - head - 2;
  str name = {p, head};
  if (str_is(name, "type") || str_is(name, "splat")) {
    word(w, "type(");
    sbuf_add(w->out, open + 1, inside);
    sbuf_putc(w->out, ')');
  } else if (str_is(name, "angled")) {
    angled(w, open + 1, inside);
  } else if (str_is(name, "flag")) {
    word(w, "[");
    sbuf_add(w->out, open + 1, inside);
    sbuf_putc(w->out, ']');
  } else if (str_is(name, "region")) {
    word(w, "{ ");
    sbuf_printf(w->out, "%s }", w->row->regions[open[1] - '0']);
  } else if (str_is(name, "args-region")) {
    sbuf_printf(w->out, "\n    (%%argument: type, …) { %s }", w->row->regions[open[1] - '0']);
  } else {
    hand_written(w, open + 1, inside);
  }
  return true;
}

static void format_word(writer *w, const char *p, unsigned len) {
  str s = {p, len};
  if (str_is(s, "attr-dict")) return;
  if (*p == '$') {
    part(w, p + 1, len - 1);
  } else if (*p == '\'') {
    bool closes = p[1] == ']' || p[1] == ')';
    bool index = p[1] == '['; /* written against the operand before it */
    if (closes || index) w->glued = true;
    word(w, "");
    sbuf_putc(w->out, p[1]);
    w->glued = !closes;
  } else if (*p == ',' || *p == ']') {
    w->glued = true;
    word(w, *p == ',' ? "," : "]");
  } else if (*p == '[') {
    word(w, "[");
    w->glued = true;
  } else if (!call(w, p, len)) {
    word(w, "");
    sbuf_str(w->out, s);
    w->glued = len > 1 && p[len - 1] == '=';
  }
}

static void result_names(sbuf *out, const op_row *row) {
  unsigned n = op_n_results(row);
  for (unsigned i = 0; i < n; i++)
    sbuf_printf(out, "%s%%%s%s", i ? ", " : "", row->results[i].name,
                row->results[i].arity == MANY ? ", …" : "");
  if (n) sbuf_puts(out, " = ");
}

const char *explain_syntax(arena *a, const op_row *row) {
  sbuf b = SBUF(a);
  result_names(&b, row);
  sbuf_printf(&b, "%s%s",
              row->parents[0] == OP_NONE && !strcmp(row->name, "module") ? "cuda_tile." : "",
              row->name);
  writer w = {&b, row, false};
  for (const char *p = row->format; *p;) {
    unsigned len = (unsigned)strcspn(p, " ");
    format_word(&w, p, len);
    p += len;
    p += strspn(p, " ");
  }
  return b.data;
}
