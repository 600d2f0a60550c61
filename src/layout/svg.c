/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Layouts as SVG pictures: a grid with indices along its edges, cells coloured by worker, slot,
 * bank or conflicts, and arrows from slot to slot. Plain elements and colours that every viewer
 * knows.
 */
#include <math.h>

#include "layout/draw.h"

enum { MAX_CELLS = 1 << 16, CELL_HEIGHT = 26, MARGIN = 34, HEADER = 30 };

/* A light colour of the hue that follows the golden angle, so that neighbours differ. */
static void owner_color(out_text *o, int32_t owner) {
  double hue = fmod(owner * 137.50776405003785, 360.0) / 60.0;
  double light = owner / 24 % 2 ? 0.72 : 0.84, chroma = (1 - fabs(2 * light - 1)) * 0.75;
  double x = chroma * (1 - fabs(fmod(hue, 2) - 1)), m = light - chroma / 2;
  double rgb[6][3] = {{chroma, x, 0}, {x, chroma, 0}, {0, chroma, x},
                      {0, x, chroma}, {x, 0, chroma}, {chroma, 0, x}};
  const double *c = rgb[(int)hue % 6];
  out_printf(o, "#%02x%02x%02x", (int)((c[0] + m) * 255), (int)((c[1] + m) * 255),
             (int)((c[2] + m) * 255));
}

/* White for a bank of one's own, through yellow and red for 2, 4, 8, ... ways. */
static void heat_color(out_text *o, int32_t ways) {
  static const char *const colors[] = {"#ffffff", "#fff3b0", "#ffd166",
                                       "#f79256", "#e5533d", "#b5202c"};
  int steps = 0;
  while (steps < (int)ARRAY_LEN(colors) - 1 && 1 << steps < ways) steps++;
  out_puts(o, colors[steps]);
}

static void escaped(out_text *o, const char *s) {
  for (; *s; s++) {
    if (*s == '<')
      out_puts(o, "&lt;");
    else if (*s == '>')
      out_puts(o, "&gt;");
    else if (*s == '&')
      out_puts(o, "&amp;");
    else
      out_add(o, s, 1);
  }
}

typedef struct picture {
  out_text *out;
  const tsr_layout_value *value;
  const tsr_svg_options *options;
  grid g;
  int32_t cell_width;
} picture;

/* The cell's text, its worker (or bank) and its slot. */
static void cell_content(const picture *p, const int32_t *index, char text[64], int32_t *owner,
                         int32_t *slot) {
  out_text t = {text, 64, 0};
  *slot = 0;
  if (p->value->kind == TSR_LAYOUT_MEMORY) {
    int64_t offset = tsr_memory_offset(&p->value->memory, index);
    out_printf(&t, "%lld", (long long)offset);
    *owner = (int32_t)(offset % 32);
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

static void cell(const picture *p, int32_t plane, int32_t row, int32_t column) {
  int32_t index[MAX_RANK], owner, slot;
  char text[64];
  grid_index(&p->g, plane, row, column, index);
  cell_content(p, index, text, &owner, &slot);
  int32_t x = left_of(p, column), y = top_of(p, plane, row);
  out_printf(p->out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"", x, y,
             p->cell_width, CELL_HEIGHT);
  if (p->options->color == TSR_SVG_BY_HEAT && p->options->heat)
    heat_color(p->out,
               p->options->heat[((int64_t)plane * p->g.rows + row) * p->g.columns + column]);
  else
    owner_color(p->out, p->options->color == TSR_SVG_BY_SLOT ? slot : owner);
  out_printf(p->out, "\"/><text x=\"%d\" y=\"%d\">%s</text>\n", x + p->cell_width / 2,
             y + CELL_HEIGHT / 2 + 4, text);
}

static void edges(const picture *p, int32_t plane) {
  for (int32_t c = 0; c < p->g.columns; c++)
    out_printf(p->out, "<text class=\"n\" x=\"%d\" y=\"%d\">%d</text>\n",
               left_of(p, c) + p->cell_width / 2, top_of(p, plane, 0) - 6, c);
  for (int32_t r = 0; r < p->g.rows; r++)
    out_printf(p->out, "<text class=\"n\" x=\"%d\" y=\"%d\">%d</text>\n", MARGIN - 14,
               top_of(p, plane, r) + CELL_HEIGHT / 2 + 4, r);
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

static void arrows(const picture *p) {
  int32_t worker = p->options->arrows_of;
  if (p->value->kind == TSR_LAYOUT_MEMORY || worker < 0 ||
      worker >= tsr_layout_spatial_size(&p->value->layout))
    return;
  int64_t slots = tsr_layout_local_size(&p->value->layout);
  out_puts(p->out, "<g stroke=\"#333\" stroke-width=\"1.4\">\n");
  for (int32_t s = 0; s + 1 < slots; s++) {
    int32_t x0, y0, x1, y1;
    middle(p, worker, s, &x0, &y0);
    middle(p, worker, s + 1, &x1, &y1);
    /* A little aside of the texts, and ending before the middle. */
    double dx = x1 - x0, dy = y1 - y0, length = sqrt(dx * dx + dy * dy), cut = MIN(9 / length, 0.4);
    out_printf(p->out,
               "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" marker-end=\"url(#a)\"/>\n",
               x0 + dx * cut, y0 + 8 + dy * cut, x1 - dx * cut, y1 + 8 - dy * cut);
  }
  out_puts(p->out, "</g>\n");
}

static void header(const picture *p, int32_t width, int32_t height) {
  char title[512];
  out_text t = {title, sizeof title, 0};
  if (p->options->title)
    out_puts(&t, p->options->title);
  else if (p->value->kind == TSR_LAYOUT_MEMORY)
    print_memory(&t, &p->value->memory);
  else
    print_tilus(&t, &p->value->layout);
  out_end(&t);
  out_printf(p->out,
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
             "viewBox=\"0 0 %d %d\">\n"
             "<style>text{font:12px monospace;text-anchor:middle;fill:#111}"
             ".n{fill:#777;font-size:10px}.t{text-anchor:start}rect{stroke:#555;stroke-width:.6}"
             "</style>\n",
             width, height, width, height);
  out_puts(p->out, "<defs><marker id=\"a\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" "
                   "markerWidth=\"6\" markerHeight=\"6\" orient=\"auto\">"
                   "<path d=\"M0 0L8 4L0 8z\" fill=\"#333\"/></marker></defs>\n");
  out_puts(p->out, "<text class=\"t\" x=\"8\" y=\"20\">");
  escaped(p->out, title);
  out_puts(p->out, "</text>\n");
}

size_t tsr_layout_svg(const tsr_layout_value *value, const tsr_svg_options *options, char *out,
                      size_t size) {
  out_text o = {out, size, 0};
  picture p = {.out = &o, .value = value, .options = options, .g = grid_of(value)};
  bool drawn = (int64_t)p.g.planes * p.g.rows * p.g.columns <= MAX_CELLS;
  if (!drawn) p.g.planes = p.g.rows = p.g.columns = 0;
  p.cell_width = drawn ? widest(&p) : 0;
  header(&p, MAX(left_of(&p, p.g.columns) + 10, 640), drawn ? top_of(&p, p.g.planes, 0) - 20 : 80);
  if (!drawn)
    out_printf(&o, "<text class=\"t\" x=\"8\" y=\"50\">more than %d cells are not drawn</text>\n",
               MAX_CELLS);
  for (int32_t plane = 0; plane < p.g.planes; plane++) {
    edges(&p, plane);
    for (int32_t r = 0; r < p.g.rows; r++)
      for (int32_t c = 0; c < p.g.columns; c++) cell(&p, plane, r, c);
  }
  if (drawn) arrows(&p);
  out_puts(&o, "</svg>\n");
  return out_end(&o);
}
