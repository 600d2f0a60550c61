/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cli/svg.h"

void svg_begin(sbuf *b, int height) {
  enum { WIDTH = 900 };
  sbuf_printf(
      b,
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d "
      "%d\" font-family=\"sans-serif\" font-size=\"12\">\n"
      "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n",
      WIDTH, height, WIDTH, height);
}

void svg_text(sbuf *b, double x, double y, const char *style, const char *text) {
  sbuf_printf(b, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, style);
  sbuf_escape(b, text);
  sbuf_puts(b, "</text>\n");
}

void svg_bar(sbuf *b, double y, double width, const char *color, double height) {
  sbuf_printf(b, "<rect x=\"%d\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>\n",
              SVG_BAR_LEFT, y, MAX(width, 0.5), height, color);
}
