/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ir/page.h"

enum { COLUMNS = 80, INDENT = 2 };

#define BOLD  "\033[1m"
#define CODE  "\033[36m"
#define RESET "\033[0m"

static void spaces(page *p, unsigned n) {
  while (n--) sbuf_putc(p->out, ' ');
}

/* Columns that a word takes on a terminal: its characters, not its bytes. */
static unsigned columns(const char *s, size_t n) {
  unsigned width = 0;
  for (size_t i = 0; i < n; i++) width += ((unsigned char)s[i] & 0xc0) != 0x80;
  return width;
}

/* One word, with its `code` in colour. Code may begin in one word and end in another. */
static unsigned put_word(page *p, const char *s, size_t n, bool *in_code) {
  if (!p->color) {
    sbuf_add(p->out, s, n);
    return columns(s, n);
  }
  unsigned ticks = 0;
  if (*in_code) sbuf_puts(p->out, CODE);
  for (size_t i = 0; i < n; i++) {
    if (s[i] == '`') {
      *in_code = !*in_code;
      sbuf_puts(p->out, *in_code ? CODE : RESET);
      ticks++;
    } else {
      sbuf_putc(p->out, s[i]);
    }
  }
  if (*in_code) sbuf_puts(p->out, RESET);
  return columns(s, n) - ticks;
}

/* Fills lines from column `at`; further lines begin at `indent`. Ends the last line. */
static void fill(page *p, unsigned at, unsigned indent, const char *text) {
  bool first = true, in_code = false;
  unsigned used = at;
  while (*text) {
    size_t n = strcspn(text, " ");
    if (!first && used + 1 + columns(text, n) > COLUMNS) {
      sbuf_putc(p->out, '\n');
      spaces(p, indent);
      used = indent;
    } else if (!first) {
      sbuf_putc(p->out, ' ');
      used++;
    }
    used += put_word(p, text, n, &in_code);
    first = false;
    text += n;
    text += strspn(text, " ");
  }
  sbuf_putc(p->out, '\n');
}

void page_heading(page *p, int level, const char *text) {
  if (p->markdown) {
    if (level > 1) sbuf_putc(p->out, '\n');
    for (int i = 0; i < level; i++) sbuf_putc(p->out, '#');
    sbuf_printf(p->out, " %s\n", text);
    return;
  }
  if (level > 1 && p->out->len) sbuf_putc(p->out, '\n');
  sbuf_printf(p->out, "%s%s%s\n", p->color ? BOLD : "", text, p->color ? RESET : "");
}

void page_text(page *p, const char *text) {
  if (p->markdown) {
    sbuf_printf(p->out, "\n%s\n", text);
    return;
  }
  spaces(p, INDENT);
  fill(p, INDENT, INDENT, text);
}

void page_begin_list(page *p) {
  if (p->markdown) sbuf_putc(p->out, '\n');
}

void page_bullet(page *p, const char *text) {
  if (p->markdown) {
    sbuf_printf(p->out, "- %s\n", text);
    return;
  }
  spaces(p, INDENT);
  sbuf_puts(p->out, "- ");
  fill(p, INDENT + 2, INDENT + 2, text);
}

/* One line of code, broken at spaces where it is too long; what follows a break is indented. */
static void code_line(page *p, unsigned indent, const char *line, size_t n) {
  unsigned used = indent;
  spaces(p, indent);
  for (size_t i = 0; i < n;) {
    size_t word = i;
    while (word < n && line[word] == ' ') word++;
    while (word < n && line[word] != ' ') word++;
    if (i > 0 && used + columns(line + i, word - i) > COLUMNS) {
      sbuf_putc(p->out, '\n');
      spaces(p, indent + 4);
      used = indent + 4;
      while (line[i] == ' ') i++;
    }
    sbuf_add(p->out, line + i, word - i);
    used += columns(line + i, word - i);
    i = word;
  }
  sbuf_putc(p->out, '\n');
}

void page_code(page *p, const char *language, const char *text) {
  if (p->markdown) sbuf_printf(p->out, "\n```%s\n", language ? language : "");
  if (p->color) sbuf_puts(p->out, CODE);
  while (*text) {
    size_t n = strcspn(text, "\n");
    code_line(p, p->markdown ? 0 : INDENT, text, n);
    text += n + (text[n] == '\n');
  }
  if (p->color) sbuf_puts(p->out, RESET);
  if (p->markdown) sbuf_puts(p->out, "```\n");
}

void page_begin_terms(page *p, const char *left, const char *right) {
  if (p->markdown) sbuf_printf(p->out, "\n| %s | %s |\n| --- | --- |\n", left, right);
}

/* A '|' would end a cell. */
static void put_cell(page *p, const char *s) {
  for (; *s; s++) {
    if (*s == '|') sbuf_putc(p->out, '\\');
    sbuf_putc(p->out, *s);
  }
}

void page_term(page *p, unsigned width, const char *term, const char *meaning) {
  if (p->markdown) {
    sbuf_puts(p->out, "| `");
    put_cell(p, term);
    sbuf_puts(p->out, "` | ");
    put_cell(p, meaning);
    sbuf_puts(p->out, " |\n");
    return;
  }
  spaces(p, INDENT);
  if (p->color) sbuf_puts(p->out, CODE);
  sbuf_puts(p->out, term);
  if (p->color) sbuf_puts(p->out, RESET);
  unsigned used = columns(term, strlen(term)), at = INDENT + width + 2;
  spaces(p, width > used ? width - used + 2 : 2);
  fill(p, width > used ? at : INDENT + used + 2, at, meaning);
}
