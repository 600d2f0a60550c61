/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Pictures of layouts as PNG: the shapes as pixels, two to a unit, so that letters stay legible. A
 * band of rows is painted at a time, since a whole picture may take hundreds of megabytes.
 */
#include "layout/png.h"

#include <math.h>
#include <stdlib.h>

#include "layout/picture.h"

enum { SCALE = 2, BAND_ROWS = 64, BAND_BYTES = 1 << 24 };
enum { BORDER = 0x555555, INK = 0x111111, PALE_INK = 0x777777, ARROW = 0x333333 };

typedef struct canvas {
  shapes shapes; /* first: the callbacks get a pointer to it */
  uint8_t *pixels;
  int64_t width, top, rows; /* in pixels; `top` is the picture's row that comes first */
} canvas;

/* Paints a pixel where it lies in the band; `cover` is how much of it, 0 .. 1. */
static void blend(canvas *c, int64_t x, int64_t y, uint32_t rgb, double cover) {
  if (x < 0 || x >= c->width || y < c->top || y >= c->top + c->rows || cover <= 0) return;
  uint8_t *p = c->pixels + ((y - c->top) * c->width + x) * PNG_PIXEL;
  for (int i = 0; i < PNG_PIXEL; i++) {
    double ink = rgb >> (16 - 8 * i) & 255;
    p[i] = (uint8_t)(p[i] + (ink - p[i]) * MIN(cover, 1.0) + 0.5);
  }
}

static void fill(canvas *c, int64_t x0, int64_t y0, int64_t x1, int64_t y1, uint32_t rgb) {
  for (int64_t y = MAX(y0, c->top); y < MIN(y1, c->top + c->rows); y++) {
    uint8_t *p = c->pixels + ((y - c->top) * c->width + MAX(x0, 0)) * PNG_PIXEL;
    for (int64_t x = MAX(x0, 0); x < MIN(x1, c->width); x++)
      for (int i = 0; i < PNG_PIXEL; i++) *p++ = (uint8_t)(rgb >> (16 - 8 * i));
  }
}

/* Neighbouring rectangles share the pixels of their edges. */
static void png_rect(shapes *s, int32_t x, int32_t y, int32_t width, int32_t height, uint32_t rgb) {
  canvas *c = (canvas *)s;
  int64_t x0 = (int64_t)x * SCALE, x1 = x0 + (int64_t)width * SCALE;
  int64_t y0 = (int64_t)y * SCALE, y1 = y0 + (int64_t)height * SCALE;
  fill(c, x0, y0, x1 + 1, y1 + 1, BORDER);
  fill(c, x0 + 1, y0 + 1, x1, y1, rgb);
}

static void glyph(canvas *c, int64_t x, int64_t y, unsigned char letter, uint32_t rgb) {
  const uint8_t *rows = font_glyph(letter);
  y += font_drop(letter) * SCALE;
  for (int64_t r = 0; r < FONT_HEIGHT; r++)
    for (int64_t k = 0; k < FONT_WIDTH; k++)
      if (rows[r] >> (FONT_WIDTH - 1 - k) & 1)
        fill(c, x + k * SCALE, y + r * SCALE, x + (k + 1) * SCALE, y + (r + 1) * SCALE, rgb);
}

static void png_text(shapes *s, text_role role, int32_t x, int32_t y, const char *text) {
  int64_t letters = 0, at = (int64_t)x * SCALE, advance = FONT_ADVANCE * SCALE;
  for (const char *p = text; *p; p++) letters += (*p & 0xc0) != 0x80; /* not inside of UTF-8 */
  if (role != TEXT_TITLE) at -= (letters * advance - SCALE) / 2;
  for (const char *p = text; *p; p++) {
    if ((*p & 0xc0) == 0x80) continue;
    glyph((canvas *)s, at, ((int64_t)y - FONT_HEIGHT) * SCALE, (unsigned char)*p,
          role == TEXT_INDEX ? PALE_INK : INK);
    at += advance;
  }
}

/* A line 1.4 units thick, and a triangle of 8.4 units whose tip lies an eighth of that beyond; in
 * pixels, with (ux, uy) as the direction. */
typedef struct arrow {
  double x0, y0, x1, y1, ux, uy, length;
} arrow;

static const double arrow_half = 0.7 * SCALE, arrow_head = 8.4 * SCALE;

/* How much of a pixel the arrow covers. */
static double arrow_cover(const arrow *a, int64_t x, int64_t y) {
  double dx = (double)x + 0.5 - a->x0, dy = (double)y + 0.5 - a->y0;
  double along = dx * a->ux + dy * a->uy, aside = fabs(dx * a->uy - dy * a->ux);
  double back = a->length + arrow_head / 8 - along; /* from the tip */
  double line = MIN(MIN(along, back - arrow_head / 2), arrow_half - aside);
  double triangle = MIN(MIN(back, arrow_head - back), back / 2 - aside);
  return MAX(line, triangle) + 0.5;
}

/* Looks only at the pixels of a row that are near the line: arrows may be long, and many. */
static void arrow_row(canvas *c, const arrow *a, int64_t y) {
  double left = MIN(a->x0, a->x1) - arrow_head, right = MAX(a->x0, a->x1) + arrow_head;
  if (a->uy != 0) {
    double middle = a->x0 + ((double)y + 0.5 - a->y0) * a->ux / a->uy;
    double reach = arrow_head / fabs(a->uy);
    left = MAX(left, middle - reach);
    right = MIN(right, middle + reach);
  }
  for (int64_t x = (int64_t)left; (double)x < right; x++)
    blend(c, x, y, ARROW, arrow_cover(a, x, y));
}

static void png_arrow(shapes *s, double x0, double y0, double x1, double y1) {
  canvas *c = (canvas *)s;
  arrow a = {.x0 = x0 * SCALE, .y0 = y0 * SCALE, .x1 = x1 * SCALE, .y1 = y1 * SCALE};
  double across = a.x1 - a.x0, down = a.y1 - a.y0;
  a.length = sqrt(across * across + down * down);
  if (a.length < 1) return;
  a.ux = (a.x1 - a.x0) / a.length;
  a.uy = (a.y1 - a.y0) / a.length;
  int64_t top = MAX((int64_t)(MIN(a.y0, a.y1) - arrow_head), c->top);
  int64_t bottom = MIN((int64_t)(MAX(a.y0, a.y1) + arrow_head), c->top + c->rows);
  for (int64_t y = top; y < bottom; y++) arrow_row(c, &a, y);
}

static void paint(const picture *p, canvas *c, png_writer *w, uint8_t *above, uint8_t *scratch) {
  int64_t height = (int64_t)p->height * SCALE, band = c->rows;
  for (c->top = 0; c->top < height; c->top += band) {
    c->rows = MIN(band, height - c->top);
    c->shapes.top = (int32_t)(c->top / SCALE) - 8; /* arrows and letters stand out by this much */
    c->shapes.bottom = (int32_t)((c->top + c->rows) / SCALE) + 8;
    memset(c->pixels, 255, (size_t)(c->rows * w->row_bytes));
    picture_draw(p, &c->shapes);
    for (int64_t r = 0; r < c->rows; r++)
      png_row(w, c->pixels + r * w->row_bytes, r ? c->pixels + (r - 1) * w->row_bytes : above,
              scratch);
    memcpy(above, c->pixels + (c->rows - 1) * w->row_bytes, w->row_bytes);
  }
}

size_t tsr_layout_png(const tsr_layout_value *value, const tsr_svg_options *options, void *out,
                      size_t size) {
  if (!value || !options || (size && !out)) return 0;
  out_text o = {out, size, 0};
  picture p;
  png_writer w;
  if (!picture_plan(&p, value, options)) return 0;
  png_begin(&w, &o, (uint32_t)p.width * SCALE, (uint32_t)p.height * SCALE);
  canvas c = {.shapes = {png_rect, png_text, png_arrow, 0, 0}, .width = (int64_t)p.width * SCALE};
  c.rows = MAX(MIN(BAND_ROWS, BAND_BYTES / (int64_t)w.row_bytes), 1);
  size_t row = w.row_bytes;
  uint8_t *memory = calloc((size_t)c.rows + 2, row + 1);
  if (!memory) return 0;
  c.pixels = memory + 2 * row + 1;
  paint(&p, &c, &w, memory, memory + row);
  png_end(&w);
  free(memory);
  return o.len;
}
