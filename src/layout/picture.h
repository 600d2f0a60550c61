/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What a picture of a layout consists of: rectangles, texts and arrows, handed one by one to
 * whoever writes them down. SVG and PNG differ only in that, so all geometry and all colours are
 * chosen here.
 */
#ifndef TSR_LAYOUT_PICTURE_H
#define TSR_LAYOUT_PICTURE_H

#include "layout/draw.h"

typedef enum text_role {
  TEXT_CELL,  /* in the middle of a cell */
  TEXT_INDEX, /* along the grid's edges: smaller and paler, centred */
  TEXT_TITLE, /* starts at x */
} text_role;

/* Receives the shapes, in the order they cover each other. Coordinates are those of an SVG picture:
 * from the top left, y of a text is its baseline. Colours are 0xrrggbb. */
typedef struct shapes {
  void (*rect)(struct shapes *s, int32_t x, int32_t y, int32_t width, int32_t height, uint32_t rgb);
  void (*text)(struct shapes *s, text_role role, int32_t x, int32_t y, const char *text);
  void (*arrow)(struct shapes *s, double x0, double y0, double x1, double y1);
  /* Rows outside of top .. bottom need not be handed over. */
  int32_t top, bottom;
} shapes;

typedef struct picture {
  const tsr_layout_value *value;
  tsr_svg_options options;
  grid g;
  bool drawn; /* else there are too many cells, and a line says so */
  int32_t cell_width;
  int32_t width, height; /* of the whole picture */
} picture;

/* False: the options are of no version. */
bool picture_plan(picture *p, const tsr_layout_value *value, const tsr_svg_options *options);
void picture_draw(const picture *p, shapes *s);

#endif
