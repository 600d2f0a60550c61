/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A layout as a picture: a grid with indices along its edges, cells coloured by worker, slot, bank
 * or conflicts, and arrows from slot to slot.
 */
#include "layout/picture.h"

#include <math.h>

enum { MAX_CELLS = 1 << 16, CELL_HEIGHT = 26, MARGIN = 34, HEADER = 30, LEGEND = 30, BANKS = 32 };
enum { LETTER = 8, SWATCH = 30, MAX_WAYS = BANKS }; /* a letter of 12 points, rounded up */

/* A light colour of the hue that follows the golden angle, so that neighbours differ. */
static uint32_t owner_color(int32_t owner) {
  double hue = fmod(owner * 137.50776405003785, 360.0) / 60.0;
  double light = owner / 24 % 2 ? 0.72 : 0.84, chroma = (1 - fabs(2 * light - 1)) * 0.75;
  double x = chroma * (1 - fabs(fmod(hue, 2) - 1)), m = light - chroma / 2;
  double rgb[6][3] = {{chroma, x, 0}, {x, chroma, 0}, {0, chroma, x},
                      {0, x, chroma}, {x, 0, chroma}, {chroma, 0, x}};
  const double *c = rgb[(int)hue % 6];
  return (uint32_t)((c[0] + m) * 255) << 16 | (uint32_t)((c[1] + m) * 255) << 8 |
         (uint32_t)((c[2] + m) * 255);
}

/* White for a bank of one's own, through yellow and red for 2, 4, 8, ... ways. */
static uint32_t heat_color(int32_t ways) {
  static const uint32_t colors[] = {0xffffff, 0xfff3b0, 0xffd166, 0xf79256, 0xe5533d, 0xb5202c};
  int steps = 0; /* the last colour stands for 32 and more */
  while (steps < (int)ARRAY_LEN(colors) - 1 && 1 << steps < ways) steps++;
  return colors[steps];
}

/* The cell's text, its worker (or bank) and its slot. */
static void cell_content(const picture *p, const int32_t *index, char text[64], int32_t *owner,
                         int32_t *slot) {
  out_text t = {text, 64, 0};
  *slot = 0;
  if (p->value->kind == TSR_LAYOUT_MEMORY) {
    int64_t offset = tsr_memory_offset(&p->value->memory, index);
    *owner = (int32_t)(offset % BANKS);
    out_printf(&t, "%lld b%d", (long long)offset, *owner);
  } else {
    int32_t workers[3];
    int64_t n = tsr_layout_get_spatial(&p->value->layout, index, workers, 3);
    for (int64_t i = 0; i < MIN(n, 3); i++) out_printf(&t, i ? ",%d" : "%d", workers[i]);
    *slot = tsr_layout_get_local(&p->value->layout, index);
    out_printf(&t, n > 3 ? "..:%d" : ":%d", *slot);
    *owner = workers[0];
  }
  out_end(&t);
}

static int32_t widest(const picture *p) {
  size_t width = 3;
  for (int32_t r = 0; r < p->g.planes * p->g.rows; r++)
    for (int32_t c = 0; c < p->g.columns; c++) {
      int32_t index[MAX_RANK], owner, slot;
      char text[64];
      grid_index(&p->g, r / p->g.rows, r % p->g.rows, c, index);
      cell_content(p, index, text, &owner, &slot);
      width = MAX(width, strlen(text));
    }
  return (int32_t)width * 8 + 12;
}

static int32_t left_of(const picture *p, int32_t column) {
  return MARGIN + column * p->cell_width;
}

/* Planes stand below each other, with room for their column numbers. */
static int32_t top_of(const picture *p, int32_t plane, int32_t row) {
  return HEADER + MARGIN + plane * (p->g.rows * CELL_HEIGHT + MARGIN) + row * CELL_HEIGHT;
}

static void cell(const picture *p, shapes *s, int32_t plane, int32_t row, int32_t column) {
  int32_t index[MAX_RANK], owner, slot;
  char text[64];
  grid_index(&p->g, plane, row, column, index);
  cell_content(p, index, text, &owner, &slot);
  int32_t x = left_of(p, column), y = top_of(p, plane, row);
  uint32_t rgb = owner_color(p->options.color == TSR_SVG_BY_SLOT ? slot : owner);
  if (p->options.color == TSR_SVG_BY_HEAT && p->options.heat)
    rgb = heat_color(p->options.heat[((int64_t)plane * p->g.rows + row) * p->g.columns + column]);
  s->rect(s, x, y, p->cell_width, CELL_HEIGHT, rgb);
  s->text(s, TEXT_CELL, x + p->cell_width / 2, y + CELL_HEIGHT / 2 + 4, text);
}

static void number(shapes *s, int32_t x, int32_t y, int32_t n) {
  char text[16];
  out_text t = {text, sizeof text, 0};
  out_printf(&t, "%d", n);
  out_end(&t);
  s->text(s, TEXT_INDEX, x, y, text);
}

static bool wanted(const shapes *s, int32_t top, int32_t bottom) {
  return bottom >= s->top && top <= s->bottom;
}

static void one_plane(const picture *p, shapes *s, int32_t plane) {
  int32_t first = top_of(p, plane, 0);
  if (wanted(s, first - MARGIN, first))
    for (int32_t c = 0; c < p->g.columns; c++)
      number(s, left_of(p, c) + p->cell_width / 2, first - 6, c);
  for (int32_t r = 0; r < p->g.rows; r++) {
    int32_t y = top_of(p, plane, r);
    if (!wanted(s, y, y + CELL_HEIGHT)) continue;
    number(s, MARGIN - 14, y + CELL_HEIGHT / 2 + 4, r);
    for (int32_t c = 0; c < p->g.columns; c++) cell(p, s, plane, r, c);
  }
}

/* The middle of the cell that holds a worker's slot. */
static void middle(const picture *p, int32_t worker, int32_t slot, int32_t *x, int32_t *y) {
  int32_t index[MAX_RANK];
  int64_t linear = 0;
  tsr_layout_get_global(&p->value->layout, worker, slot, index);
  for (uint32_t d = 0; d < p->g.rank; d++) linear = linear * p->g.shape[d] + index[d];
  int32_t column = (int32_t)(linear % p->g.columns), row = (int32_t)(linear / p->g.columns);
  *x = left_of(p, column) + p->cell_width / 2;
  *y = top_of(p, row / p->g.rows, row % p->g.rows) + CELL_HEIGHT / 2;
}

static void arrows(const picture *p, shapes *s) {
  int32_t worker = p->options.arrows_of;
  if (p->value->kind == TSR_LAYOUT_MEMORY || worker < 0 ||
      worker >= tsr_layout_spatial_size(&p->value->layout))
    return;
  int64_t slots = tsr_layout_local_size(&p->value->layout);
  for (int32_t k = 0; k + 1 < slots; k++) {
    int32_t x0, y0, x1, y1;
    middle(p, worker, k, &x0, &y0);
    middle(p, worker, k + 1, &x1, &y1);
    if (!wanted(s, MIN(y0, y1), MAX(y0, y1) + CELL_HEIGHT)) continue;
    /* A little aside of the texts, and ending before the middle. */
    double dx = x1 - x0, dy = y1 - y0, length = sqrt(dx * dx + dy * dy), cut = MIN(9 / length, 0.4);
    s->arrow(s, x0 + dx * cut, y0 + 8 + dy * cut, x1 - dx * cut, y1 + 8 - dy * cut);
  }
}

typedef char line[512];

static void title_of(const picture *p, line text) {
  out_text t = {text, sizeof(line), 0};
  if (p->options.title)
    out_puts(&t, p->options.title);
  else if (p->value->kind == TSR_LAYOUT_MEMORY)
    print_memory(&t, &p->value->memory);
  else
    print_tilus(&t, &p->value->layout);
  out_end(&t);
}

/* ---- what the colours mean ------------------------------------------------------------------ */

static bool by_heat(const picture *p) {
  return p->options.color == TSR_SVG_BY_HEAT && p->options.heat;
}

static const char *legend_of(const picture *p) {
  if (p->value->kind == TSR_LAYOUT_MEMORY)
    return "offset bBANK; a colour for each of 32 banks, if elements have 4 bytes";
  if (by_heat(p)) return "worker:slot; words of one bank that are asked for at once:";
  return p->options.color == TSR_SVG_BY_SLOT ? "worker:slot; a colour for each slot"
                                             : "worker:slot; a colour for each worker";
}

static int32_t most_ways(const picture *p) {
  int32_t most = 1;
  int64_t cells = (int64_t)p->g.planes * p->g.rows * p->g.columns;
  for (int64_t i = 0; i < cells; i++) most = MAX(most, p->options.heat[i]);
  return most;
}

/* The colours of 1, 2, 4, ... words, as far as there are such cells. */
static void swatches(const picture *p, shapes *s, int32_t x, int32_t y) {
  int32_t most = most_ways(p);
  for (int32_t ways = 1; ways == 1 || (ways / 2 < most && ways <= MAX_WAYS); ways *= 2) {
    char text[16];
    out_text t = {text, sizeof text, 0};
    out_printf(&t, "%d", ways);
    out_end(&t);
    s->rect(s, x, y, SWATCH, LEGEND - 8, heat_color(ways));
    s->text(s, TEXT_CELL, x + SWATCH / 2, y + 15, text);
    x += SWATCH;
  }
}

static void legend(const picture *p, shapes *s) {
  int32_t top = p->height - LEGEND;
  if (!wanted(s, top, p->height)) return;
  const char *text = legend_of(p);
  s->text(s, TEXT_TITLE, 8, top + 17, text);
  if (by_heat(p)) swatches(p, s, 16 + (int32_t)strlen(text) * LETTER, top + 2);
}

static int32_t legend_width(const picture *p) {
  return (int32_t)strlen(legend_of(p)) * LETTER + (by_heat(p) ? 6 * SWATCH + 24 : 16);
}

static void too_many(shapes *s) {
  char text[64];
  out_text t = {text, sizeof text, 0};
  out_printf(&t, "more than %d cells are not drawn", MAX_CELLS);
  out_end(&t);
  s->text(s, TEXT_TITLE, 8, 50, text);
}

bool picture_plan(picture *p, const tsr_layout_value *value, const tsr_svg_options *options) {
  *p = (picture){.value = value, .g = grid_of(value)};
  if (!struct_take(&p->options, sizeof p->options, options, offsetof(tsr_svg_options, heat)))
    return false;
  p->drawn = (int64_t)p->g.planes * p->g.rows * p->g.columns <= MAX_CELLS;
  if (!p->drawn) p->g.planes = p->g.rows = p->g.columns = 0;
  p->cell_width = p->drawn ? widest(p) : 0;
  line text;
  title_of(p, text);
  p->width = MAX(left_of(p, p->g.columns) + 10, (int32_t)strlen(text) * LETTER + 16);
  p->width = MAX(p->width, p->drawn ? legend_width(p) : 320);
  p->height = p->drawn ? top_of(p, p->g.planes, 0) - 20 + LEGEND : 80;
  return true;
}

void picture_draw(const picture *p, shapes *s) {
  line text;
  title_of(p, text);
  s->text(s, TEXT_TITLE, 8, 20, text);
  if (!p->drawn) too_many(s);
  for (int32_t plane = 0; plane < p->g.planes; plane++) one_plane(p, s, plane);
  if (p->drawn) legend(p, s);
  if (p->drawn) arrows(p, s);
}
