/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Pictures as SVG: a page with a style of its own, text, bars, axes and legends. Colours are named
 * by classes, since a picture looks different in the dark; the style is that of the picture's own
 * class, so that a page may hold other pictures.
 *
 *   text     title, name, sub, small, right, middle
 *   areas    memory, memory2, shared, arithmetic, arithmetic2, matrix, scalar, issue, none
 *   lines    grid, roof, roof2, drop
 *   marks    dot
 */
#ifndef TSR_BASE_SVG_H
#define TSR_BASE_SVG_H

#include "base/base.h"

/* A picture, which svg_end ends. */
void svg_begin(sbuf *b, int width, int height);
void svg_end(sbuf *b);

/* `class` "" is plain text. The text is escaped. */
void svg_text(sbuf *b, double x, double y, const char *class, const char *text);
/* The same, cut where it would become wider than `width`. */
void svg_text_within(sbuf *b, double x, double y, double width, const char *class,
                     const char *text);
/* About how wide a text of that size is, in the same units: fonts differ. */
double svg_text_width(const char *text, double size);

void svg_line(sbuf *b, double x1, double y1, double x2, double y2, const char *class);
/* A bar that can be seen, however narrow it is. */
void svg_bar(sbuf *b, double x, double y, double width, double height, const char *class);
void svg_dot(sbuf *b, double x, double y, const char *label);

typedef struct svg_key {
  const char *class, *text;
} svg_key;
/* A row of coloured squares with what each means; returns where it ends. */
double svg_legend(sbuf *b, double x, double y, const svg_key *keys, unsigned n);

/* A plot on two logarithmic axes. Values beyond the ends lie at the ends. */
typedef struct svg_axes {
  double left, top, width, height;
  double low_x, high_x, low_y, high_y; /* all above 0 */
} svg_axes;

double svg_at_x(const svg_axes *a, double value);
double svg_at_y(const svg_axes *a, double value);
/* Lines with numbers at powers of 4 along x and powers of 10 along y, and the axes' names. */
void svg_grid(sbuf *b, const svg_axes *a, const char *name_x, const char *name_y);

#endif
