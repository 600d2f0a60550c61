/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Writing layouts: text into a caller's buffer, and what tables and pictures share.
 */
#ifndef TSR_LAYOUT_DRAW_H
#define TSR_LAYOUT_DRAW_H

#include "layout/layout.h"

/* Keeps counting past the end of its buffer, as snprintf does. */
typedef struct out_text {
  char *data;
  size_t size, len;
} out_text;

void out_add(out_text *o, const char *s, size_t n);
void out_puts(out_text *o, const char *s);
void out_printf(out_text *o, const char *fmt, ...) PRINTF_LIKE(2, 3); /* at most 511 bytes */
void out_list(out_text *o, uint32_t n, const int32_t *v);
size_t out_end(out_text *o); /* terminates; the length needed */

void print_tilus(out_text *o, const tsr_layout *l);
/* False, without having written anything, when it is no chain. */
bool print_chain(out_text *o, const tsr_layout *l);
void print_memory(out_text *o, const tsr_memory_layout *m);
void print_table(out_text *o, const tsr_layout_value *v, bool color);

/* A value as a stack of 2-D grids: dimensions beyond three are merged into the first, missing ones
 * are 1. */
typedef struct grid {
  int32_t planes, rows, columns;
  uint32_t rank;
  int32_t shape[MAX_RANK];
} grid;
grid grid_of(const tsr_layout_value *v);
/* The index of a cell, `rank` numbers. */
void grid_index(const grid *g, int32_t plane, int32_t row, int32_t column, int32_t *index);

#endif
