/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Boxed tables: a cell per element with its worker and slot, or its offset.
 *
 * Columns are as wide as their widest cell, so every cell is written twice: once for its width,
 * once to be seen.
 */
#include <stdio.h>
#include <stdlib.h>

#include "layout/draw.h"

enum { MAX_CELLS = 1 << 16, MAX_COLUMNS = 1 << 12, MAX_COPIES_SHOWN = 16 };

grid grid_of(const tsr_layout_value *v) {
  grid g = {.planes = 1, .rows = 1, .columns = 1};
  bool memory = v->kind == TSR_LAYOUT_MEMORY;
  g.rank = memory ? v->memory.rank : v->layout.rank;
  for (uint32_t d = 0; d < g.rank; d++)
    g.shape[d] = memory ? tsr_memory_dim(&v->memory, d) : v->layout.shape[d];
  /* Sizes 1 do not count towards the three when there are more. */
  uint32_t shown = 0;
  for (uint32_t d = g.rank; d-- > 0;) {
    if (g.rank > 3 && g.shape[d] == 1) continue;
    if (shown == 0)
      g.columns = g.shape[d];
    else if (shown == 1)
      g.rows = g.shape[d];
    else
      g.planes *= g.shape[d];
    shown++;
  }
  return g;
}

void grid_index(const grid *g, int32_t plane, int32_t row, int32_t column, int32_t *index) {
  int64_t linear = ((int64_t)plane * g->rows + row) * g->columns + column;
  for (uint32_t d = g->rank; d-- > 0;) {
    index[d] = (int32_t)(linear % g->shape[d]);
    linear /= g->shape[d];
  }
}

static int by_number(const void *a, const void *b) {
  int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return (x > y) - (x < y);
}

/* Writes a cell's text; returns its owner: the (first) worker, or for an offset its bank. */
static int32_t cell_text(const tsr_layout_value *v, const int32_t *index, out_text *o) {
  if (v->kind == TSR_LAYOUT_MEMORY) {
    int64_t offset = tsr_memory_offset(&v->memory, index);
    out_printf(o, "%lld", (long long)offset);
    return (int32_t)(offset % 32);
  }
  int32_t workers[MAX_COPIES_SHOWN];
  int64_t n = tsr_layout_get_spatial(&v->layout, index, workers, MAX_COPIES_SHOWN);
  uint32_t shown = (uint32_t)MIN(n, MAX_COPIES_SHOWN);
  qsort(workers, shown, sizeof *workers, by_number);
  if (n == 1) {
    out_printf(o, "%d", workers[0]);
  } else {
    out_puts(o, "[");
    for (uint32_t i = 0; i < shown; i++) out_printf(o, i ? ", %d" : "%d", workers[i]);
    out_puts(o, n > shown ? ", ...]" : "]");
  }
  out_printf(o, ": %d", tsr_layout_get_local(&v->layout, index));
  return workers[0];
}

static size_t cell_width(const tsr_layout_value *v, const int32_t *index) {
  out_text none = {0};
  cell_text(v, index, &none);
  return none.len;
}

static void rule(out_text *o, const uint16_t *width, int32_t columns, const char *left,
                 const char *cross, const char *right) {
  out_puts(o, left);
  for (int32_t c = 0; c < columns; c++) {
    if (c) out_puts(o, cross);
    for (int i = 0; i < width[c] + 2; i++) out_puts(o, "─");
  }
  out_puts(o, right);
}

/* Background colours of the 256-colour cube that dark and light text can be read on, spread so that
 * neighbouring workers differ. */
static int color_of(int32_t owner) {
  static const uint8_t colors[] = {153, 223, 157, 218, 189, 229, 195, 181,
                                   151, 216, 147, 187, 159, 224, 193, 183};
  return colors[(uint32_t)owner % ARRAY_LEN(colors)];
}

static void cell(out_text *o, const tsr_layout_value *v, const int32_t *index, uint16_t width,
                 bool color) {
  char text[MAX_COPIES_SHOWN * 12 + 64];
  out_text t = {text, sizeof text, 0};
  int32_t owner = cell_text(v, index, &t);
  size_t len = MIN(t.len, sizeof text);
  if (color) out_printf(o, "\033[30;48;5;%dm", color_of(owner));
  out_puts(o, " ");
  out_add(o, text, len);
  for (size_t i = len; i < (size_t)width + 1; i++) out_puts(o, " ");
  if (color) out_puts(o, "\033[0m");
}

static void plane_table(out_text *o, const tsr_layout_value *v, const grid *g, int32_t plane,
                        bool color) {
  uint16_t width[MAX_COLUMNS];
  int32_t index[MAX_RANK];
  for (int32_t c = 0; c < g->columns; c++) {
    width[c] = 0;
    for (int32_t r = 0; r < g->rows; r++) {
      grid_index(g, plane, r, c, index);
      width[c] = (uint16_t)MAX(width[c], cell_width(v, index));
    }
  }
  rule(o, width, g->columns, "┌", "┬", "┐");
  for (int32_t r = 0; r < g->rows; r++) {
    out_puts(o, "\n");
    if (r) {
      rule(o, width, g->columns, "├", "┼", "┤");
      out_puts(o, "\n");
    }
    for (int32_t c = 0; c < g->columns; c++) {
      out_puts(o, "│");
      grid_index(g, plane, r, c, index);
      cell(o, v, index, width[c], color);
    }
    out_puts(o, "│");
  }
  out_puts(o, "\n");
  rule(o, width, g->columns, "└", "┴", "┘");
}

void print_table(out_text *o, const tsr_layout_value *v, bool color) {
  grid g = grid_of(v);
  if (v->kind == TSR_LAYOUT_MEMORY)
    print_memory(o, &v->memory);
  else
    print_tilus(o, &v->layout);
  if ((int64_t)g.planes * g.rows * g.columns > MAX_CELLS || g.columns > MAX_COLUMNS) {
    out_printf(o, "\n(a table of %lld cells is not drawn; at most %d)",
               (long long)g.planes * g.rows * g.columns, MAX_CELLS);
    return;
  }
  for (int32_t p = 0; p < g.planes; p++) {
    out_puts(o, "\n");
    plane_table(o, v, &g, p, color);
  }
}
