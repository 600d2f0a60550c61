/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What is shown beside the cursor.
 */
#include "ir/explain.h"
#include "layout/layout.h"
#include "lsp/answers.h"
#include "text/text.h"

typedef struct hover {
  const document *d;
  sbuf out;
  bool markdown;
} hover;

static void put_code(hover *h, str code) {
  if (h->markdown) sbuf_puts(&h->out, "```mlir\n");
  sbuf_str(&h->out, code);
  sbuf_puts(&h->out, h->markdown ? "\n```\n" : "\n");
}

/* Without its indentation. */
static str line_at(const document *d, uint32_t offset) {
  const char *begin = d->text.data + offset, *text_end = d->text.data + d->text.len;
  while (begin > d->text.data && begin[-1] != '\n') begin--;
  while (begin < text_end && *begin == ' ') begin++;
  const char *end = memchr(begin, '\n', (size_t)(text_end - begin));
  return (str){begin, (size_t)((end ? end : text_end) - begin)};
}

/* How many threads hold how many elements each. */
static void put_layout(hover *h, const ir_type *t) {
  if (!t->layout) return;
  sbuf_printf(&h->out, "\nHeld by %d threads, %d elements each.\n",
              (int)tsr_layout_spatial_size(t->layout), (int)tsr_layout_local_size(t->layout));
}

static void put_value(hover *h, const text_definition *d, const ir_value *v) {
  str name = {h->d->text.data + d->offset, d->length};
  sbuf type = SBUF(h->out.arena);
  sbuf_printf(&type, STR_FMT, STR_ARG(name));
  if (d->count > 1) sbuf_printf(&type, "#%u", (unsigned)(v - d->first));
  sbuf_puts(&type, ": ");
  ir_type_print(&type, v->type, false);
  put_code(h, (str){type.data, type.len});
  put_layout(h, v->type);
  if (v->is_arg) return;
  sbuf_puts(&h->out, "\n");
  put_code(h, line_at(h->d, d->offset));
}

static bool hover_value(hover *h, uint32_t offset) {
  const ir_value *v = NULL;
  const text_definition *d = text_definition_at(&h->d->index, offset, &v);
  if (!d || !v || !v->type) return false;
  put_value(h, d, v);
  return true;
}

/* The word without the dialect's name in front. */
static str without_dialect(str word) {
  static const char prefix[] = "cuda_tile.";
  size_t n = sizeof prefix - 1;
  return str_starts(word, prefix) ? (str){word.data + n, word.len - n} : word;
}

op_code operation_at(const document *d, const text_token *t) {
  str word = without_dialect(token_text(d, t));
  bool starts = t->first || (t > d->index.tokens.data && d->text.data[t[-1].offset] == '=') ||
                (t > d->index.tokens.data && d->text.data[t[-1].offset] == '{');
  if (t->kind != TEXT_WORD || !starts) return OP_NONE;
  return op_by_name(word.data, (unsigned)word.len);
}

/* In "tile<4x8xf32>" the words are cut where the lexer does not: the part that the cursor is in. */
static const char *word_at(arena *a, const document *d, const text_token *t, uint32_t offset) {
  str word = token_text(d, t);
  for (const char *x; (x = memchr(word.data, 'x', word.len));) {
    bool dimension = x == word.data || (x[-1] >= '0' && x[-1] <= '9');
    if (!dimension || (size_t)(x - d->text.data) >= offset) break;
    word = (str){x + 1, word.len - (size_t)(x + 1 - word.data)};
  }
  return arena_strndup(a, word.data, word.len);
}

static bool put_topic(hover *h, const char *name) {
  if (h->markdown) return ir_explain_topic_markdown(&h->out, name);
  return ir_explain_topic(&h->out, name, false);
}

static bool hover_name(hover *h, const text_token *t) {
  const text_token *at = text_find_name(&h->d->index, h->d->text.data, token_text(h->d, t));
  if (!at) { /* !cuda_tile.tile */
    str word = token_text(h->d, t), name = without_dialect((str){word.data + 1, word.len - 1});
    return put_topic(h, arena_strndup(h->out.arena, name.data, name.len));
  }
  put_code(h, line_at(h->d, at->offset));
  return true;
}

static bool hover_word(hover *h, const text_token *t, uint32_t offset) {
  op_code op = operation_at(h->d, t);
  const char *word = word_at(h->out.arena, h->d, t, offset);
  if (op != OP_NONE) return put_topic(h, op_table[op].name);
  if (op_by_name(word, (unsigned)strlen(word)) != OP_NONE) return false; /* a word of the syntax */
  /* "rounding<zero>" has the values that the page "rounding_mode" lists. */
  return put_topic(h, word) || put_topic(h, arena_printf(h->out.arena, "%s_mode", word));
}

static bool hover_token(hover *h, const text_token *t, uint32_t offset) {
  switch (t->kind) {
  case TEXT_VALUE: return hover_value(h, t->offset);
  case TEXT_SYMBOL:
  case TEXT_ALIAS: return hover_name(h, t);
  case TEXT_WORD: return hover_word(h, t, offset);
  default: return false;
  }
}

void answer_hover(const document *d, json *j, const char *key, uint32_t offset, bool markdown) {
  hover h = {.d = d, .out = SBUF(j->out->arena), .markdown = markdown};
  const text_token *t = text_token_at(&d->index, offset);
  if (!t || !hover_token(&h, t, offset)) {
    json_text(j, key, NULL);
    return;
  }
  str said = {h.out.data, h.out.len}; /* pages begin and end with empty lines */
  while (said.len && said.data[0] == '\n') said = (str){said.data + 1, said.len - 1};
  while (said.len && said.data[said.len - 1] == '\n') said.len--;
  json_open(j, key, '{');
  json_open(j, "contents", '{');
  json_text(j, "kind", markdown ? "markdown" : "plaintext");
  json_str(j, "value", said);
  json_close(j, '}');
  document_put_range(d, j, "range", t->offset, t->offset + t->length);
  json_close(j, '}');
}
