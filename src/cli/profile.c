/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cli/profile.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/svg.h"
#include "cli/roofs.h"
#include "rt/rt.h"

/* ---- the parts ------------------------------------------------------------------------------ */

typedef struct part {
  const char *label;
  uint32_t line;            /* 0: unknown */
  double seconds;           /* of all threads, in a launch */
  double bytes, flops;      /* of a launch */
  double roof;              /* seconds of all threads; 0: nothing is counted */
  const roof_level *memory; /* that is the limit; NULL: arithmetic is */
} part;

typedef struct profile {
  cli *c;
  const profile_job *job;
  roofs roofs;
  part *parts;
  unsigned n;
  part total;
} profile;

static unsigned count_groups(const tsr_kernel *k) {
  unsigned n = 0;
  for (const cpu_profile_group *g = k->cpu.profile; g; g = g->next) n++;
  return n;
}

void profile_reset(const profile_job *job) {
  for (cpu_profile_group *g = job->kernel->cpu.profile; g; g = g->next)
    g->ticks = g->runs = g->absent_bytes = g->absent_flops = 0;
}

void profile_keep(cli *c, profile_job *job, double seconds, uint64_t ticks) {
  if (!job->counts) job->counts = arena_array(&c->arena, profile_count, count_groups(job->kernel));
  profile_count *count = job->counts;
  for (const cpu_profile_group *g = job->kernel->cpu.profile; g; g = g->next)
    *count++ = (profile_count){g->ticks, g->runs, g->absent_bytes, g->absent_flops};
  job->seconds = seconds;
  job->ticks = ticks;
}

static int by_time(const void *a, const void *b) {
  const part *x = a, *y = b;
  return (x->seconds < y->seconds) - (x->seconds > y->seconds);
}

/* The part of that line and name: code that is there twice, as for the rest of a loop, is one. */
static part *part_of(profile *p, const cpu_profile_group *g) {
  for (unsigned i = 0; i < p->n; i++)
    if (p->parts[i].line == g->line && strcmp(p->parts[i].label, g->label) == 0)
      return &p->parts[i];
  p->parts[p->n] = (part){.label = g->label, .line = g->line};
  return &p->parts[p->n++];
}

/* Data that move faster than memory gives them come from a cache: the roof is that of the slowest
 * level that is fast enough. */
static void find_roof(const profile *p, part *x) {
  double threads = p->job->threads, wall = x->seconds / threads;
  const roof_level *level = roofs_level(&p->roofs, wall > 0 ? x->bytes / wall : 0);
  double memory = x->bytes / level->bytes, arithmetic = x->flops / p->roofs.flops;
  x->memory = memory >= arithmetic ? level : NULL;
  x->roof = MAX(memory, arithmetic) * threads;
}

static void collect(profile *p) {
  const profile_job *job = p->job;
  double tick = job->seconds / (double)MAX(job->ticks, 1);
  const profile_count *count = job->counts;
  p->parts = arena_array(&p->c->arena, part, count_groups(job->kernel));
  p->total = (part){.label = "all threads together"};
  for (const cpu_profile_group *g = job->kernel->cpu.profile; g; g = g->next, count++) {
    if (!count->runs) continue;
    part *x = part_of(p, g);
    double seconds = (double)count->ticks * tick;
    double bytes = (double)(count->runs * g->bytes - count->absent_bytes);
    double flops = (double)(count->runs * g->flops - count->absent_flops);
    x->seconds += seconds;
    x->bytes += bytes;
    x->flops += flops;
    p->total.seconds += seconds;
    p->total.bytes += bytes;
    p->total.flops += flops;
  }
  for (unsigned i = 0; i < p->n; i++) find_roof(p, &p->parts[i]);
  find_roof(p, &p->total);
  qsort(p->parts, p->n, sizeof *p->parts, by_time);
}

static const char *time_text(cli *c, double seconds) {
  bool small = seconds < 1e-4;
  double t = seconds * (small ? 1e6 : 1e3);
  return arena_printf(&c->arena, "%.*f %s",
                      t >= 100  ? 0
                      : t >= 10 ? 1
                      : t >= 1  ? 2
                                : 3,
                      t, small ? "us" : "ms");
}

static const char *rate_text(cli *c, double amount, double seconds) {
  if (amount <= 0 || seconds <= 0) return "-";
  double rate = amount / seconds * 1e-9;
  return arena_printf(&c->arena, "%.*f", rate >= 100 ? 0 : 1, rate);
}

/* What counts as work is what a part computes, not how: more than 100% is a part that needed less
 * than the roof's own program does, as values that stay in registers do. */
static const char *roof_text(cli *c, const part *x) {
  if (x->roof <= 0) return "-";
  double percent = 100 * x->roof / x->seconds;
  return arena_printf(&c->arena, "%s%.0f%% %s", percent > 100 ? ">" : "", MIN(percent, 100),
                      x->memory ? x->memory->name : "arithmetic");
}

static const char *title(profile *p) {
  const profile_job *j = p->job;
  uint64_t blocks = (uint64_t)j->grid.x * j->grid.y * j->grid.z;
  return arena_printf(&p->c->arena, "@%s, %llu tile block%s, %u thread%s: %s",
                      tsr_kernel_name(j->kernel), (unsigned long long)blocks,
                      blocks == 1 ? "" : "s", j->threads, j->threads == 1 ? "" : "s",
                      time_text(p->c, j->seconds));
}

static void print_row(profile *p, const part *x) {
  cli *c = p->c;
  double wall = x->seconds / p->job->threads;
  const char *line = x->line ? arena_printf(&c->arena, "%u", x->line) : "";
  printf("%5s  %4.0f%%  %9s  %6s  %7s  %-16s  %s\n", line, 100 * x->seconds / p->total.seconds,
         time_text(c, x->seconds), rate_text(c, x->bytes, wall), rate_text(c, x->flops, wall),
         roof_text(c, x), x->label);
}

static void print_table(profile *p) {
  cli *c = p->c;
  const char *bold = c->color_out ? "\033[1m" : "", *off = c->color_out ? "\033[0m" : "";
  printf("%s%s%s\n", bold, title(p), off);
  printf("%5s  %5s  %9s  %6s  %7s  %-16s  %s\n", "line", "share", "time", "GB/s", "GFLOP/s",
         "of roofline", "part");
  for (unsigned i = 0; i < p->n; i++) print_row(p, &p->parts[i]);
  print_row(p, &p->total);
  printf("roofline, measured just now: %s\n", roofs_text(c, &p->roofs));
}

/* ---- the picture ---------------------------------------------------------------------------- */

enum { WIDTH = 1160, LEFT = 16, TOP = 92, ROW = 26, BAR = 8 };
enum { BARS_LEFT = 300, BARS_WIDTH = 240, PLOT_LEFT = 740, PLOT_WIDTH = 390, PLOT_HEIGHT = 300 };

/* One bar for each part: its time, and inside of it what its roofline would take. */
static void draw_bars(profile *p, sbuf *b) {
  cli *c = p->c;
  double longest = p->n ? p->parts[0].seconds : 1;
  svg_text(b, LEFT, TOP - 18, "sub", "time of all threads (light), of that the roofline's (dark)");
  for (unsigned i = 0; i < p->n; i++) {
    const part *x = &p->parts[i];
    double y = TOP + ROW * (double)i, width = BARS_WIDTH * x->seconds / longest;
    const char *label = x->line ? arena_printf(&c->arena, "%u: %s", x->line, x->label) : x->label;
    svg_text_within(b, LEFT, y + 13, BARS_LEFT - LEFT - 12, "", label);
    svg_bar(b, BARS_LEFT, y, width, ROW - BAR,
            x->roof <= 0 ? "none"
            : x->memory  ? "memory2"
                         : "arithmetic2");
    if (x->roof > 0)
      svg_bar(b, BARS_LEFT, y, width * MIN(x->roof / x->seconds, 1.0), ROW - BAR,
              x->memory ? "memory" : "arithmetic");
    svg_text(b, BARS_LEFT + width + 6, y + 13, "small",
             arena_printf(&c->arena, "%s, %.0f%%", time_text(c, x->seconds),
                          100 * x->seconds / p->total.seconds));
  }
}

/* What is counted of a part as a point below the roofs; false: nothing is. */
static bool place_of(const profile *p, const part *x, double *intensity, double *rate) {
  if (x->flops <= 0 || x->bytes <= 0 || x->seconds <= 0) return false;
  *intensity = x->flops / x->bytes;
  *rate = x->flops / (x->seconds / p->job->threads);
  return true;
}

static svg_axes axes_of(const profile *p) {
  svg_axes a = {PLOT_LEFT, TOP, PLOT_WIDTH, PLOT_HEIGHT, 1.0 / 16, 256, 0, 2 * p->roofs.flops};
  double low = p->roofs.flops / 100, intensity, rate;
  for (unsigned i = 0; i < p->n; i++)
    if (place_of(p, &p->parts[i], &intensity, &rate)) low = MIN(low, rate / 2);
  a.low_y = MAX(low, p->roofs.flops * 1e-6);
  return a;
}

static void draw_roofs(profile *p, sbuf *b, const svg_axes *a) {
  const roofs *r = &p->roofs;
  svg_grid(b, a, "operations for each byte of global memory", "FLOP/s");
  for (unsigned i = 0; i < r->n; i++) {
    const roof_level *l = &r->level[i];
    double knee = r->flops / l->bytes, low = MAX(a->low_x, a->low_y / l->bytes);
    svg_line(b, svg_at_x(a, low), svg_at_y(a, low * l->bytes), svg_at_x(a, knee),
             svg_at_y(a, r->flops), i + 1 == r->n ? "roof" : "roof2");
    double at = low * exp2(1 + 0.7 * i); /* names of roofs that are close stand apart */
    svg_text(b, svg_at_x(a, at) - 4, svg_at_y(a, at * l->bytes) - 2, "right", l->name);
  }
  double knee = r->flops / r->level[r->n - 1].bytes;
  svg_line(b, svg_at_x(a, knee), svg_at_y(a, r->flops), svg_at_x(a, a->high_x),
           svg_at_y(a, r->flops), "roof");
  svg_text(b, svg_at_x(a, knee) + 6, svg_at_y(a, r->flops) - 7, "small", "f32 products");
}

static void draw(profile *p, sbuf *b) {
  cli *c = p->c;
  int rows = TOP + ROW * (int)p->n + 50, plot = TOP + PLOT_HEIGHT + 70;
  int height = MAX(rows, plot);
  svg_axes a = axes_of(p);
  svg_begin(b, WIDTH, height);
  svg_text(b, LEFT, 30, "title", title(p));
  svg_text(b, LEFT, 52, "sub", roofs_text(c, &p->roofs));
  draw_bars(p, b);
  draw_roofs(p, b, &a);
  for (unsigned i = 0; i < p->n; i++) {
    const part *x = &p->parts[i];
    double intensity, rate;
    if (!place_of(p, x, &intensity, &rate)) continue;
    svg_dot(b, svg_at_x(&a, intensity), svg_at_y(&a, rate),
            x->line ? arena_printf(&c->arena, "%u", x->line) : "");
  }
  static const svg_key keys[] = {{"memory", "memory or a cache is the limit"},
                                 {"arithmetic", "arithmetic is"},
                                 {"none", "nothing is counted"}};
  svg_legend(b, LEFT, TOP + ROW * (double)p->n + 14, keys, ARRAY_LEN(keys));
  svg_end(b);
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static void put_part(profile *p, json *j, const char *key, const part *x) {
  json_open(j, key, '{');
  json_text(j, "part", x->label);
  if (x->line) json_count(j, "line", x->line);
  json_real(j, "share", x->seconds / p->total.seconds);
  json_real(j, "thread_seconds", x->seconds);
  json_real(j, "bytes", x->bytes);
  json_real(j, "flops", x->flops);
  if (x->roof > 0) {
    json_text(j, "limit", x->memory ? "memory" : "arithmetic");
    if (x->memory) json_text(j, "level", x->memory->name);
    json_real(j, "roofline_seconds", x->roof);
  }
  json_close(j, '}');
}

static void print_json(profile *p) {
  const profile_job *job = p->job;
  sbuf out = SBUF(&p->c->arena);
  json j = JSON(&out);
  json_open(&j, NULL, '{');
  json_text(&j, "kernel", tsr_kernel_name(job->kernel));
  json_count(&j, "tile_blocks", (uint64_t)job->grid.x * job->grid.y * job->grid.z);
  json_count(&j, "threads", job->threads);
  json_real(&j, "seconds", job->seconds);
  json_open(&j, "copy_bytes_per_second", '{');
  for (unsigned i = p->roofs.n; i-- > 0;)
    json_real(&j, p->roofs.level[i].name, p->roofs.level[i].bytes);
  json_close(&j, '}');
  json_real(&j, "product_flops_per_second", p->roofs.flops);
  json_open(&j, "parts", '[');
  for (unsigned i = 0; i < p->n; i++) put_part(p, &j, NULL, &p->parts[i]);
  json_close(&j, ']');
  put_part(p, &j, "total", &p->total);
  json_close(&j, '}');
  cli_print_line(&out);
}

int profile_show(cli *c, const profile_job *job, const char *svg_path) {
  profile p = {.c = c, .job = job};
  if (!roofs_measure(c, job->device, job->threads, &p.roofs)) {
    cli_error(c, "the rates of this machine could not be measured");
    return CLI_WRONG_INPUT;
  }
  collect(&p);
  if (cli_has(c, OPT_JSON))
    print_json(&p);
  else
    print_table(&p);
  if (!*svg_path) return CLI_OK;
  sbuf b = SBUF(&c->arena);
  draw(&p, &b);
  return cli_write_result(c, svg_path, b.data, b.len) ? CLI_OK : CLI_WRONG_INPUT;
}
