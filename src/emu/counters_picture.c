/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Counters as a picture: the card's roofline with the kernel in it, where the time goes, and the
 * most costly source lines.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "emu/counters.h"

enum { WIDTH = 1080, HEIGHT = 560, LEFT = 70, TOP = 84, PLOT = 440, PLOT_HEIGHT = 360, BARS = 600 };
enum { LINES = 14 };

/* The plot's axes: operations a byte, and operations a second, both by powers of two. */
enum { LOW_X = -3, HIGH_X = 11 };

typedef struct axes {
  int low_y, high_y;
} axes;

static double at_x(double v) {
  double l = log2(v);
  return LEFT + PLOT * (fmin(fmax(l, LOW_X), HIGH_X) - LOW_X) / (HIGH_X - LOW_X);
}
static double at_y(const axes *a, double v) {
  double l = fmin(fmax(log2(v), a->low_y), a->high_y);
  return TOP + PLOT_HEIGHT * (1 - (l - a->low_y) / (a->high_y - a->low_y));
}

/* The first characters of a text, of 120 at most. */
static void put_cut(sbuf *out, const char *text, int most) {
  char cut[121];
  snprintf(cut, sizeof cut, "%.*s", most, text);
  sbuf_escape(out, cut);
}

static void put_text(sbuf *out, double x, double y, const char *class, const char *text) {
  sbuf_printf(out, "<text x=\"%.1f\" y=\"%.1f\" class=\"%s\">", x, y, class);
  put_cut(out, text, 120);
  sbuf_puts(out, "</text>\n");
}

static void put_line(sbuf *out, double x1, double y1, double x2, double y2, const char *class) {
  sbuf_printf(out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"%s\"/>\n", x1, y1,
              x2, y2, class);
}

static const char style[] =
    "<style>\n"
    "text{font:12px system-ui,sans-serif;fill:#1c2733}\n"
    ".title{font-size:20px;font-weight:600}.sub{fill:#5b6b7b}.small{font-size:11px;fill:#5b6b7b}\n"
    ".right{text-anchor:end;font-size:11px;fill:#5b6b7b}.middle{text-anchor:middle;font-size:11px;"
    "fill:#5b6b7b}\n"
    ".grid{stroke:#e4e9ee}.roof{stroke:#1f6f8b;stroke-width:2.5;fill:none}\n"
    ".roof2{stroke:#8aa7b5;stroke-width:1.5;stroke-dasharray:5 4}.drop{stroke:#d1495b;"
    "stroke-dasharray:2 3}\n"
    ".dot{fill:#d1495b;stroke:#fff;stroke-width:2}.name{font-weight:600}\n"
    ".memory{fill:#1f6f8b}.shared{fill:#edae49}.matrix{fill:#66a182}.scalar{fill:#8d96a3}"
    ".issue{fill:#c3b1d6}\n"
    "@media (prefers-color-scheme:dark){.paper{fill:#131a21}text{fill:#dfe7ee}.grid{stroke:#2a3540}"
    ".sub,.small,.right,.middle{fill:#93a3b1}}\n"
    "</style>\n";

/* 2^n operations a second, as people say it. */
static void put_rate(sbuf *out, double x, double y, double rate) {
  char text[32];
  if (rate >= 1e12)
    snprintf(text, sizeof text, "%.3g T/s", rate / 1e12);
  else
    snprintf(text, sizeof text, "%.3g G/s", rate / 1e9);
  put_text(out, x, y, "right", text);
}

static void put_grid(sbuf *out, const axes *a) {
  char text[32];
  for (int l = LOW_X; l <= HIGH_X; l += 2) {
    double x = at_x(exp2(l));
    put_line(out, x, TOP, x, TOP + PLOT_HEIGHT, "grid");
    snprintf(text, sizeof text, "%g", exp2(l));
    put_text(out, x, TOP + PLOT_HEIGHT + 18, "middle", text);
  }
  for (int l = a->low_y; l <= a->high_y; l += 3) {
    double y = at_y(a, exp2(l));
    put_line(out, LEFT, y, LEFT + PLOT, y, "grid");
    put_rate(out, LEFT - 6, y + 4, exp2(l));
  }
  put_text(out, LEFT + PLOT / 2.0, TOP + PLOT_HEIGHT + 38, "middle",
           "operations for each byte of device memory");
}

static void put_roof(sbuf *out, const axes *a, const card *on) {
  double x0 = exp2(LOW_X), x1 = exp2(HIGH_X), knee = on->matrix / on->bandwidth;
  sbuf_printf(out, "<polyline class=\"roof\" points=\"%.1f,%.1f %.1f,%.1f %.1f,%.1f\"/>\n",
              at_x(x0), at_y(a, x0 * on->bandwidth), at_x(knee), at_y(a, on->matrix), at_x(x1),
              at_y(a, on->matrix));
  put_line(out, at_x(on->flops / on->bandwidth), at_y(a, on->flops), at_x(x1), at_y(a, on->flops),
           "roof2");
  put_text(out, at_x(x1) - 92, at_y(a, on->matrix) - 7, "small", "matrix units, bf16");
  put_text(out, at_x(x1) - 70, at_y(a, on->flops) - 7, "small", "scalar f32");
}

/* The kernel: what it would reach if its slowest part were busy all the time. */
static void put_kernel(sbuf *out, const axes *a, const counters *c, const roofline *r) {
  double work = (double)(c->total.matrix + c->total.flops);
  if (work <= 0 || r->time <= 0) {
    put_text(out, LEFT + 12, TOP + 20, "sub", "the kernel does no floating-point arithmetic");
    return;
  }
  double rate = work / r->time, x = at_x(fmax(r->intensity, exp2(LOW_X))), y = at_y(a, rate);
  put_line(out, x, y, x, TOP + PLOT_HEIGHT, "drop");
  sbuf_printf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"7\" class=\"dot\"/>\n", x, y);
  sbuf_printf(out, "<text x=\"%.1f\" y=\"%.1f\" class=\"name\">", x + 12, y + 4);
  put_cut(out, c->kernel ? c->kernel : "", 40);
  sbuf_puts(out, "</text>\n");
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
    sbuf_printf(
        out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"13\" rx=\"2\" class=\"%s\"/>\n",
        x, y, w, p[i].class);
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
    put_text(out, BARS + 150, y + 11, "right", name);
    put_bar(out, BARS + 160, y, 280, lines[0].cost, p);
  }
  free(lines);
}

static void put_legend(sbuf *out) {
  static const struct {
    const char *class, *text;
  } keys[] = {{"memory", "device memory"},
              {"shared", "shared memory"},
              {"matrix", "matrix units"},
              {"scalar", "scalar"},
              {"issue", "issue"}};
  double x = BARS + 40;
  for (unsigned i = 0; i < ARRAY_LEN(keys); i++) {
    sbuf_printf(out,
                "<rect x=\"%.1f\" y=\"%d\" width=\"11\" height=\"11\" rx=\"2\" class=\"%s\"/>\n", x,
                HEIGHT - 46, keys[i].class);
    put_text(out, x + 16, HEIGHT - 36, "small", keys[i].text);
    x += 26 + 6.4 * (double)strlen(keys[i].text);
  }
}

void counters_svg(const counters *c, const card *on, sbuf *out) {
  roofline r = roofline_of(&c->total, on);
  axes a = {(int)floor(log2(on->bandwidth) + LOW_X), (int)ceil(log2(on->matrix)) + 1};
  char text[160];
  sbuf_printf(out,
              "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
              "height=\"%d\">\n",
              WIDTH, HEIGHT, WIDTH, HEIGHT);
  sbuf_puts(out, style);
  sbuf_printf(out, "<rect width=\"%d\" height=\"%d\" fill=\"#fff\" class=\"paper\"/>\n", WIDTH,
              HEIGHT);
  put_text(out, LEFT, 34, "title", c->kernel ? c->kernel : "");
  snprintf(text, sizeof text, "on %s at least %.4g us, limited by %s", on->name, r.time * 1e6,
           r.limit);
  put_text(out, LEFT, 56, "sub", text);
  put_grid(out, &a);
  put_roof(out, &a, on);
  put_kernel(out, &a, c, &r);
  put_text(out, BARS + 40, 56, "sub", "least time of each source line, part by part");
  put_lines(out, c, on);
  put_legend(out);
  put_text(out, LEFT, HEIGHT - 14, "small", on->source);
  sbuf_puts(out, "</svg>\n");
}
