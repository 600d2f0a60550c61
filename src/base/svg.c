/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "base/svg.h"

#include <math.h>
#include <stdio.h>

static const char style[] =
    "<style>\n"
    ".tsr-plot text{font:12px system-ui,sans-serif;fill:#1c2733}\n"
    ".tsr-plot .title{font-size:18px;font-weight:600}.tsr-plot .name{font-weight:600}\n"
    ".tsr-plot .sub{fill:#5b6b7b}.tsr-plot .small{font-size:11px;fill:#5b6b7b}\n"
    ".tsr-plot .right{text-anchor:end;font-size:11px;fill:#5b6b7b}\n"
    ".tsr-plot .middle{text-anchor:middle;font-size:11px;fill:#5b6b7b}\n"
    ".tsr-plot .paper{fill:#fff}.tsr-plot .grid{stroke:#e4e9ee}\n"
    ".tsr-plot .roof{stroke:#1f6f8b;stroke-width:2.5;fill:none}\n"
    ".tsr-plot .roof2{stroke:#8aa7b5;stroke-width:1.5;stroke-dasharray:5 4}\n"
    ".tsr-plot .drop{stroke:#d1495b;stroke-dasharray:2 3}\n"
    ".tsr-plot .dot{fill:#d1495b;stroke:#fff;stroke-width:2}\n"
    ".tsr-plot .memory{fill:#1f6f8b}.tsr-plot .memory2{fill:#a9cad6}\n"
    ".tsr-plot .arithmetic{fill:#c9741a}.tsr-plot .arithmetic2{fill:#f3cfa9}\n"
    ".tsr-plot .shared{fill:#edae49}.tsr-plot .matrix{fill:#66a182}\n"
    ".tsr-plot .scalar{fill:#8d96a3}.tsr-plot .issue{fill:#c3b1d6}.tsr-plot .none{fill:#c8ced4}\n"
    "@media (prefers-color-scheme:dark){.tsr-plot .paper{fill:#131a21}\n"
    ".tsr-plot text{fill:#dfe7ee}.tsr-plot .grid{stroke:#2a3540}\n"
    ".tsr-plot .memory2{fill:#274652}.tsr-plot .arithmetic2{fill:#5a3f22}\n"
    ".tsr-plot .sub,.tsr-plot .small,.tsr-plot .right,.tsr-plot .middle{fill:#93a3b1}}\n"
    "</style>\n";

void svg_begin(sbuf *b, int width, int height) {
  sbuf_printf(b,
              "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
              "height=\"%d\" class=\"tsr-plot\">\n",
              width, height, width, height);
  sbuf_puts(b, style);
  sbuf_printf(b, "<path d=\"M0 0H%dV%dH0z\" class=\"paper\"/>\n", width, height);
}

void svg_end(sbuf *b) {
  sbuf_puts(b, "</svg>\n");
}

/* ---- text ----------------------------------------------------------------------------------- */

static void put_class(sbuf *b, const char *class) {
  if (*class) sbuf_printf(b, " class=\"%s\"", class);
}

void svg_text(sbuf *b, double x, double y, const char *class, const char *text) {
  sbuf_printf(b, "<text x=\"%.1f\" y=\"%.1f\"", x, y);
  put_class(b, class);
  sbuf_putc(b, '>');
  sbuf_escape(b, text);
  sbuf_puts(b, "</text>\n");
}

/* Widths of letters in sans serif fonts, as shares of their size. */
static double width_of(unsigned char c) {
  if (strchr("ijl.,:;|!'()[]{}ftIr ", c)) return 0.35;
  if (strchr("mwMW@%", c)) return 0.92;
  return c >= 'A' && c <= 'Z' ? 0.68 : 0.57;
}

static bool continues_character(char c) {
  return ((unsigned char)c & 0xc0) == 0x80;
}

double svg_text_width(const char *text, double size) {
  double width = 0;
  for (; *text; text++)
    if (!continues_character(*text)) width += width_of((unsigned char)*text);
  return width * size;
}

void svg_text_within(sbuf *b, double x, double y, double width, const char *class,
                     const char *text) {
  enum { SIZE = 12, LONGEST = 240 };
  char cut[LONGEST + 4];
  size_t n = strlen(text);
  if (n <= LONGEST && svg_text_width(text, SIZE) <= width) {
    svg_text(b, x, y, class, text);
    return;
  }
  n = MIN(n, (size_t)LONGEST);
  do {
    while (n > 0 && continues_character(text[n])) n--;
    snprintf(cut, sizeof cut, "%.*s\xe2\x80\xa6", (int)n, text); /* with an ellipsis */
  } while (n-- > 0 && svg_text_width(cut, SIZE) > width);
  svg_text(b, x, y, class, cut);
}

/* ---- shapes --------------------------------------------------------------------------------- */

void svg_line(sbuf *b, double x1, double y1, double x2, double y2, const char *class) {
  sbuf_printf(b, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"%s\"/>\n", x1, y1,
              x2, y2, class);
}

void svg_bar(sbuf *b, double x, double y, double width, double height, const char *class) {
  sbuf_printf(b,
              "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"2\" "
              "class=\"%s\"/>\n",
              x, y, MAX(width, 0.5), height, class);
}

void svg_dot(sbuf *b, double x, double y, const char *label) {
  sbuf_printf(b, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"6\" class=\"dot\"/>\n", x, y);
  svg_text(b, x + 10, y + 4, "name", label);
}

double svg_legend(sbuf *b, double x, double y, const svg_key *keys, unsigned n) {
  for (unsigned i = 0; i < n; i++) {
    svg_bar(b, x, y, 11, 11, keys[i].class);
    svg_text(b, x + 16, y + 10, "small", keys[i].text);
    x += 32 + svg_text_width(keys[i].text, 11);
  }
  return x;
}

/* ---- axes ----------------------------------------------------------------------------------- */

static double share(double value, double low, double high) {
  double v = fmin(fmax(value, low), high);
  return log2(v / low) / log2(high / low);
}

double svg_at_x(const svg_axes *a, double value) {
  return a->left + a->width * share(value, a->low_x, a->high_x);
}

double svg_at_y(const svg_axes *a, double value) {
  return a->top + a->height * (1 - share(value, a->low_y, a->high_y));
}

static void put_tick_y(sbuf *b, const svg_axes *a, double value) {
  static const char *const prefix[] = {"", " k", " M", " G", " T", " P"};
  char text[32];
  unsigned step = 0;
  double n = value;
  for (; n >= 999.5 && step + 1 < ARRAY_LEN(prefix); step++) n /= 1000;
  snprintf(text, sizeof text, "%.3g%s", n, prefix[step]);
  double y = svg_at_y(a, value);
  svg_line(b, a->left, y, a->left + a->width, y, "grid");
  svg_text(b, a->left - 6, y + 4, "right", text);
}

void svg_grid(sbuf *b, const svg_axes *a, const char *name_x, const char *name_y) {
  char text[32];
  double bottom = a->top + a->height;
  for (int step = (int)ceil(log2(a->low_x) / 2); exp2(2 * step) <= a->high_x; step++) {
    double v = exp2(2 * step), x = svg_at_x(a, v);
    svg_line(b, x, a->top, x, bottom, "grid");
    snprintf(text, sizeof text, v < 1 ? "1/%g" : "%g", v < 1 ? 1 / v : v);
    svg_text(b, x, bottom + 16, "middle", text);
  }
  for (int step = (int)ceil(log10(a->low_y) - 1e-9); pow(10, step) <= a->high_y * 1.000001; step++)
    put_tick_y(b, a, pow(10, step));
  svg_text(b, a->left + a->width / 2, bottom + 34, "middle", name_x);
  svg_text(b, a->left - 50, a->top - 12, "small", name_y);
}
