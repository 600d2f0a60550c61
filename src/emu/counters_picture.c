/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Counters as a picture: the card's roofline with the kernel in it, where the time goes, and the
 * most costly source lines.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/svg.h"
#include "emu/counters.h"

enum { WIDTH = 1080, HEIGHT = 560, LEFT = 70, TOP = 84, PLOT = 440, PLOT_HEIGHT = 360, BARS = 600 };
enum { LINES = 14 };

static svg_axes axes_of(const card *on) {
  return (svg_axes){LEFT, TOP, PLOT, PLOT_HEIGHT, 1.0 / 8, 2048, on->bandwidth / 8, 2 * on->matrix};
}

static void put_roof(sbuf *out, const svg_axes *a, const card *on) {
  double knee = on->matrix / on->bandwidth, right = a->left + a->width;
  double low = MAX(a->low_x, a->low_y / on->bandwidth);
  double matrix = svg_at_y(a, on->matrix), scalar = svg_at_y(a, on->flops);
  svg_line(out, svg_at_x(a, low), svg_at_y(a, low * on->bandwidth), svg_at_x(a, knee), matrix,
           "roof");
  svg_line(out, svg_at_x(a, knee), matrix, right, matrix, "roof");
  svg_line(out, svg_at_x(a, on->flops / on->bandwidth), scalar, right, scalar, "roof2");
  svg_text(out, right - 92, matrix - 7, "small", "matrix units, bf16");
  svg_text(out, right - 70, scalar - 7, "small", "scalar f32");
}

/* The kernel: what it would reach if its slowest part were busy all the time. */
static void put_kernel(sbuf *out, const svg_axes *a, const counters *c, const roofline *r) {
  double work = (double)(c->total.matrix + c->total.flops);
  if (work <= 0 || r->time <= 0) {
    svg_text(out, LEFT + 12, TOP + 20, "sub", "the kernel does no floating-point arithmetic");
    return;
  }
  double x = svg_at_x(a, r->intensity), y = svg_at_y(a, work / r->time);
  svg_line(out, x, y, x, TOP + PLOT_HEIGHT, "drop");
  svg_dot(out, x, y, "");
}

/* What a line costs, part by part, in seconds. */
typedef struct part {
  const char *class;
  double time;
} part;
enum { PARTS = 5 };
static void parts_of(const counts *c, const card *on, part out[PARTS]) {
  roofline r = roofline_of(c, on);
  out[0] = (part){"memory", r.memory};
  out[1] = (part){"shared", r.shared};
  out[2] = (part){"matrix", r.matrix};
  out[3] = (part){"scalar", r.scalar};
  out[4] = (part){"issue", r.issue};
}

static void put_bar(sbuf *out, double x, double y, double width, double scale,
                    const part p[PARTS]) {
  for (unsigned i = 0; i < PARTS; i++) {
    double w = scale > 0 ? width * p[i].time / scale : 0;
    if (w < 0.3) continue;
    svg_bar(out, x, y, w, 13, p[i].class);
    x += w;
  }
}

static void put_lines(sbuf *out, const counters *c, const card *on) {
  uint32_t n;
  counted_line *lines = counters_lines(c, on, &n);
  for (uint32_t k = 0; k < MIN(n, (uint32_t)LINES); k++) {
    const counted_line *l = &lines[k];
    const char *base = strrchr(l->file, '/');
    char name[64];
    part p[PARTS];
    double y = TOP + 18 + 26 * k;
    parts_of(&l->counts, on, p);
    snprintf(name, sizeof name, "%.24s:%u", base ? base + 1 : l->file, l->line);
    svg_text(out, BARS + 150, y + 11, "right", name);
    put_bar(out, BARS + 160, y, 280, lines[0].cost, p);
  }
  free(lines);
}

void counters_svg(const counters *c, const card *on, sbuf *out) {
  static const svg_key keys[] = {{"memory", "device memory"},
                                 {"shared", "shared memory"},
                                 {"matrix", "matrix units"},
                                 {"scalar", "scalar"},
                                 {"issue", "issue"}};
  roofline r = roofline_of(&c->total, on);
  svg_axes a = axes_of(on);
  char text[160];
  svg_begin(out, WIDTH, HEIGHT);
  svg_text_within(out, LEFT, 34, 650, "title", c->kernel ? c->kernel : "");
  snprintf(text, sizeof text, "on %s at least %.4g us, limited by %s", on->name, r.time * 1e6,
           r.limit);
  svg_text(out, LEFT, 56, "sub", text);
  svg_grid(out, &a, "operations for each byte of device memory", "operations a second");
  put_roof(out, &a, on);
  put_kernel(out, &a, c, &r);
  svg_text(out, BARS + 40, 56, "sub", "least time of each source line, part by part");
  put_lines(out, c, on);
  svg_legend(out, BARS + 40, HEIGHT - 46, keys, ARRAY_LEN(keys));
  svg_text(out, LEFT, HEIGHT - 14, "small", on->source);
  svg_end(out);
}
