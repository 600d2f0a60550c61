/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * page: the same page for a terminal and for Markdown. Only ir/explain*.c include this.
 *
 * Texts may hold `code`. A terminal shows it in colour, or as it stands.
 */
#ifndef TSR_IR_PAGE_H
#define TSR_IR_PAGE_H

#include "base/base.h"

typedef struct page {
  sbuf *out;
  bool markdown, color;
} page;

/* Level 1 is a page, 2 a group of pages, 3 one page among many, 4 a part of a page. A terminal
 * makes no difference between the first three. */
void page_heading(page *p, int level, const char *text);
void page_text(page *p, const char *text);
void page_begin_list(page *p);
void page_bullet(page *p, const char *text);
/* Lines as they are. `language` is for Markdown's colouring, or NULL. */
void page_code(page *p, const char *language, const char *text);

/* A table of two columns, the first code: a term and what it means. */
void page_begin_terms(page *p, const char *left, const char *right);
void page_term(page *p, unsigned width, const char *term, const char *meaning);

#endif
