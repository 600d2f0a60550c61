/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Pictures of bars, one below the other, each with a label on the left.
 */
#ifndef TSR_CLI_SVG_H
#define TSR_CLI_SVG_H

#include "base/base.h"

enum { SVG_BAR_LEFT = 330, SVG_BAR_WIDTH = 440, SVG_ROW = 26, SVG_TOP = 74 };

/* The beginning of a picture, white, which "</svg>" ends. */
void svg_begin(sbuf *b, int height);
/* `style`: attributes of the text. */
void svg_text(sbuf *b, double x, double y, const char *style, const char *text);
void svg_bar(sbuf *b, double y, double width, const char *color, double height);

#endif
