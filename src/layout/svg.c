/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Pictures of layouts as SVG: plain elements and colours that every viewer knows.
 */
#include "layout/picture.h"

typedef struct svg_writer {
  shapes shapes; /* first: the callbacks get a pointer to it */
  out_text *out;
  bool in_arrows;
} svg_writer;

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

static void svg_rect(shapes *s, int32_t x, int32_t y, int32_t width, int32_t height, uint32_t rgb) {
  out_printf(((svg_writer *)s)->out,
             "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#%06x\"/>", x, y, width,
             height, rgb);
}

static void svg_text(shapes *s, text_role role, int32_t x, int32_t y, const char *text) {
  static const char *const class[] = {"", " class=\"n\"", " class=\"t\""};
  out_text *o = ((svg_writer *)s)->out;
  out_printf(o, "<text%s x=\"%d\" y=\"%d\">", class[role], x, y);
  escaped(o, text);
  out_puts(o, "</text>\n");
}

static void svg_arrow(shapes *s, double x0, double y0, double x1, double y1) {
  svg_writer *w = (svg_writer *)s;
  if (!w->in_arrows) out_puts(w->out, "<g stroke=\"#333\" stroke-width=\"1.4\">\n");
  w->in_arrows = true;
  out_printf(
      w->out,
      "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" marker-end=\"url(#tsr-arrow)\"/>\n",
      x0, y0, x1, y1);
}

/* The style is that of this picture's class: a page may hold other pictures. */
static void header(out_text *o, const picture *p) {
  out_printf(o,
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
             "viewBox=\"0 0 %d %d\" class=\"tsr-layout\">\n",
             p->width, p->height, p->width, p->height);
  out_puts(o, "<style>.tsr-layout text{font:12px monospace;text-anchor:middle;fill:#111}"
              ".tsr-layout .n{fill:#777;font-size:10px}.tsr-layout .t{text-anchor:start}"
              ".tsr-layout rect{stroke:#555;stroke-width:.6}</style>\n");
  out_printf(o, "<path d=\"M0 0H%dV%dH0z\" fill=\"#fff\"/>\n", p->width, p->height);
  out_puts(o, "<defs><marker id=\"tsr-arrow\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" "
              "markerWidth=\"6\" markerHeight=\"6\" orient=\"auto\">"
              "<path d=\"M0 0L8 4L0 8z\" fill=\"#333\"/></marker></defs>\n");
}

size_t tsr_layout_svg(const tsr_layout_value *value, const tsr_svg_options *options, char *out,
                      size_t size) {
  if (!value || !options || (size && !out)) return layout_no_text(out, size);
  out_text o = {out, size, 0};
  picture p;
  if (!picture_plan(&p, value, options)) return layout_no_text(out, size);
  svg_writer w = {{svg_rect, svg_text, svg_arrow, 0, INT32_MAX}, &o, false};
  header(&o, &p);
  picture_draw(&p, &w.shapes);
  if (w.in_arrows) out_puts(&o, "</g>\n");
  out_puts(&o, "</svg>\n");
  return out_end(&o);
}
