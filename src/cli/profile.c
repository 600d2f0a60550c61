/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cli/profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/json.h"
#include "cli/svg.h"
#include "rt/rt.h"

/* ---- what the machine can do ---------------------------------------------------------------- */

enum { COPY_BLOCKS = 64, COPY_WINDOWS = 32, COPY_TILE = 4096 };
enum { MMA_BLOCKS = 16, MMA_SIZE = 64, MMA_ROUNDS = 16 };
enum { LAUNCHES = 10 };

static const char copy_text[] =
    "!v = !cuda_tile.tensor_view<?xf32, strides=[1]>\n"
    "!t = !cuda_tile.partition_view<tile=(4096), tensor_view<?xf32, strides=[1]>>\n"
    "cuda_tile.module @m { entry @copy(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %n: tile<i64>) {\n"
    "  %i, %j, %k = get_tile_block_id : tile<i32>\n"
    "  %xv = make_tensor_view %x, shape = [%n], strides = [1] : tile<i64> -> !v\n"
    "  %yv = make_tensor_view %y, shape = [%n], strides = [1] : tile<i64> -> !v\n"
    "  %xt = make_partition_view %xv : !t\n"
    "  %yt = make_partition_view %yv : !t\n"
    "  %a, %t0 = load_view_tko weak %xt[%i] : !t, tile<i32> -> tile<4096xf32>, token\n"
    "  %t1 = store_view_tko weak %a, %yt[%i] : tile<4096xf32>, !t, tile<i32> -> token\n"
    "} }\n";

static const char mma_text[] =
    "!v = !cuda_tile.tensor_view<64x64xf32, strides=[64,1]>\n"
    "!t = !cuda_tile.partition_view<tile=(64x64), tensor_view<64x64xf32, strides=[64,1]>>\n"
    "cuda_tile.module @m { entry @mma(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %n: tile<i64>) {\n"
    "  %z = constant <i32: 0> : tile<i32>\n"
    "  %one = constant <i64: 1> : tile<i64>\n"
    "  %from = constant <i64: 0> : tile<i64>\n"
    "  %xv = make_tensor_view %x, shape = [64, 64], strides = [64, 1] : !v\n"
    "  %yv = make_tensor_view %y, shape = [64, 64], strides = [64, 1] : !v\n"
    "  %xt = make_partition_view %xv : !t\n"
    "  %yt = make_partition_view %yv : !t\n"
    "  %a, %t0 = load_view_tko weak %xt[%z, %z] : !t, tile<i32> -> tile<64x64xf32>, token\n"
    "  %zero = constant <f32: 0.0> : tile<64x64xf32>\n"
    "  %c = for %k in (%from to %n, step %one) : tile<i64> iter_values(%acc = %zero) -> "
    "(tile<64x64xf32>) {\n"
    "    %next = mmaf %a, %a, %acc : tile<64x64xf32>, tile<64x64xf32>, tile<64x64xf32>\n"
    "    continue %next : tile<64x64xf32>\n"
    "  }\n"
    "  %t1 = store_view_tko weak %c, %yt[%z, %z] : tile<64x64xf32>, !t, tile<i32> -> token\n"
    "} }\n";

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The shortest of some launches, in seconds; 0 when it cannot be had. Each takes the next `window`
 * of `bytes`, so that what it touches has left the inner caches since it was touched last. */
static double shortest(cli *c, tsr_device *dev, const char *text, uint32_t blocks, size_t bytes,
                       size_t window, int64_t n) {
  double best = 0;
  tsr_module *m = tsr_module_parse(c->ctx, text, strlen(text), "<roofline>", TSR_PARSE_DEFAULT);
  tsr_program *p = m ? tsr_program_create(dev, m) : NULL;
  tsr_kernel *k = p ? tsr_kernel_get(p, NULL) : NULL;
  tsr_buffer *x = tsr_buffer_create(dev, bytes), *y = tsr_buffer_create(dev, bytes);
  for (size_t i = 0; k && x && y && i < LAUNCHES * bytes / window; i++) {
    size_t at = i * window % bytes;
    tsr_arg args[] = {tsr_arg_address((char *)tsr_buffer_data(x) + at),
                      tsr_arg_address((char *)tsr_buffer_data(y) + at), tsr_arg_i64(n)};
    double start = now();
    if (tsr_launch(k, (tsr_grid){blocks, 1, 1}, args, 3) != TSR_OK) break;
    double took = now() - start;
    bool touched = i >= bytes / window;
    if (touched && (best == 0 || took < best)) best = took;
  }
  tsr_buffer_destroy(x);
  tsr_buffer_destroy(y);
  tsr_program_destroy(p);
  tsr_module_destroy(m);
  return best;
}

typedef struct roof {
  double bytes, flops; /* per second */
} roof;

static bool measure_roof(cli *c, tsr_device *dev, roof *out) {
  bool profile = dev->cpu.profile;
  dev->cpu.profile = false;
  size_t window = (size_t)COPY_BLOCKS * COPY_TILE * sizeof(float);
  size_t square = MMA_SIZE * MMA_SIZE * sizeof(float);
  double copy = shortest(c, dev, copy_text, COPY_BLOCKS, COPY_WINDOWS * window, window,
                         COPY_BLOCKS * COPY_TILE);
  double mma = shortest(c, dev, mma_text, MMA_BLOCKS, square, square, MMA_ROUNDS);
  dev->cpu.profile = profile;
  if (copy <= 0 || mma <= 0) return false;
  double size = MMA_SIZE;
  out->bytes = 2 * (double)window / copy;
  out->flops = 2 * size * size * size * MMA_ROUNDS * MMA_BLOCKS / mma;
  return true;
}

/* ---- the parts ------------------------------------------------------------------------------ */

typedef struct part {
  const cpu_profile_group *group;
  double seconds; /* of all threads, in a launch */
  double bytes, flops;
  double roof; /* seconds of all threads; 0: nothing is counted */
  bool by_memory;
} part;

typedef struct profile {
  cli *c;
  const profile_job *job;
  roof roof;
  part *parts;
  unsigned n;
  double total;
} profile;

static unsigned count_groups(const tsr_kernel *k) {
  unsigned n = 0;
  for (const cpu_profile_group *g = k->cpu.profile; g; g = g->next) n++;
  return n;
}

void profile_reset(const profile_job *job) {
  for (cpu_profile_group *g = job->kernel->cpu.profile; g; g = g->next) g->ticks = g->runs = 0;
}

void profile_keep(cli *c, profile_job *job, double seconds, uint64_t ticks) {
  if (!job->counts) job->counts = arena_array(&c->arena, profile_count, count_groups(job->kernel));
  profile_count *count = job->counts;
  for (const cpu_profile_group *g = job->kernel->cpu.profile; g; g = g->next)
    *count++ = (profile_count){g->ticks, g->runs};
  job->seconds = seconds;
  job->ticks = ticks;
}

static int by_time(const void *a, const void *b) {
  const part *x = a, *y = b;
  return (x->seconds < y->seconds) - (x->seconds > y->seconds);
}

static void collect(profile *p) {
  const profile_job *job = p->job;
  double tick = job->seconds / (double)MAX(job->ticks, 1);
  const profile_count *count = job->counts;
  p->parts = arena_array(&p->c->arena, part, count_groups(job->kernel));
  for (const cpu_profile_group *g = job->kernel->cpu.profile; g; g = g->next, count++) {
    if (!count->runs) continue;
    part *x = &p->parts[p->n++];
    double runs = (double)count->runs;
    *x = (part){.group = g, .seconds = (double)count->ticks * tick};
    x->bytes = runs * (double)g->bytes;
    x->flops = runs * (double)g->flops;
    double memory = x->bytes / p->roof.bytes, arithmetic = x->flops / p->roof.flops;
    x->by_memory = memory >= arithmetic;
    x->roof = MAX(memory, arithmetic) * job->threads;
    p->total += x->seconds;
  }
  qsort(p->parts, p->n, sizeof *p->parts, by_time);
}

static const char *ms_text(cli *c, double seconds) {
  double ms = seconds * 1e3;
  return arena_printf(&c->arena, "%.*f ms", ms >= 100 ? 0 : ms >= 10 ? 1 : ms >= 1 ? 2 : 3, ms);
}

static const char *rate_text(cli *c, double amount, double seconds) {
  if (amount <= 0 || seconds <= 0) return "-";
  double rate = amount / seconds * 1e-9;
  return arena_printf(&c->arena, "%.*f", rate >= 100 ? 0 : 1, rate);
}

static const char *roof_text(cli *c, const part *x) {
  if (x->roof <= 0) return "-";
  return arena_printf(&c->arena, "%.0f%% %s", 100 * x->roof / x->seconds,
                      x->by_memory ? "memory" : "arithmetic");
}

static const char *title(profile *p) {
  const profile_job *j = p->job;
  uint64_t blocks = (uint64_t)j->grid.x * j->grid.y * j->grid.z;
  return arena_printf(&p->c->arena, "@%s, %llu tile block%s, %u thread%s: %s",
                      tsr_kernel_name(j->kernel), (unsigned long long)blocks,
                      blocks == 1 ? "" : "s", j->threads, j->threads == 1 ? "" : "s",
                      ms_text(p->c, j->seconds));
}

static const char *roof_line(profile *p) {
  return arena_printf(
      &p->c->arena, "roofline: %.1f GB/s (copying), %.0f GFLOP/s (f32 products), measured just now",
      p->roof.bytes * 1e-9, p->roof.flops * 1e-9);
}

static void print_table(profile *p) {
  cli *c = p->c;
  const char *bold = c->color_out ? "\033[1m" : "", *off = c->color_out ? "\033[0m" : "";
  printf("%s%s%s\n", bold, title(p), off);
  printf("%5s  %5s  %9s  %6s  %7s  %-14s  %s\n", "line", "share", "time", "GB/s", "GFLOP/s",
         "of roofline", "part");
  for (unsigned i = 0; i < p->n; i++) {
    const part *x = &p->parts[i];
    double wall = x->seconds / p->job->threads;
    const char *line = x->group->line ? arena_printf(&c->arena, "%u", x->group->line) : "";
    printf("%5s  %4.0f%%  %9s  %6s  %7s  %-14s  %s\n", line, 100 * x->seconds / p->total,
           ms_text(c, x->seconds), rate_text(c, x->bytes, wall), rate_text(c, x->flops, wall),
           roof_text(c, x), x->group->label);
  }
  printf("%s\n", roof_line(p));
}

/* ---- the picture ---------------------------------------------------------------------------- */

/* One bar for each part: its time, and inside of it what its roofline would take. */
static void draw(profile *p, sbuf *b) {
  cli *c = p->c;
  int height = SVG_TOP + SVG_ROW * (int)p->n + 34;
  double longest = p->n ? p->parts[0].seconds : 1;
  svg_begin(b, height);
  svg_text(b, 16, 26, "font-size=\"16\" font-weight=\"bold\"", title(p));
  svg_text(b, 16, 46, "fill=\"#555555\"", roof_line(p));
  svg_text(b, SVG_BAR_LEFT, 64, "fill=\"#555555\"",
           "time of all threads (light), of that what the roofline would take (dark)");
  for (unsigned i = 0; i < p->n; i++) {
    const part *x = &p->parts[i];
    double y = SVG_TOP + SVG_ROW * (double)i, width = SVG_BAR_WIDTH * x->seconds / longest;
    const char *label = x->group->line
                            ? arena_printf(&c->arena, "%u: %.44s", x->group->line, x->group->label)
                            : x->group->label;
    svg_text(b, SVG_BAR_LEFT - 8, y + 15, "text-anchor=\"end\"", label);
    svg_bar(b, y + 3, width,
            x->roof <= 0   ? "#c8c8c8"
            : x->by_memory ? "#a8cbee"
                           : "#f3c79a",
            SVG_ROW - 8);
    if (x->roof > 0)
      svg_bar(b, y + 3, width * MIN(x->roof / x->seconds, 1.0),
              x->by_memory ? "#2f6fb2" : "#c9741a", SVG_ROW - 8);
    const char *numbers =
        arena_printf(&c->arena, "%s, %.0f%%", ms_text(c, x->seconds), 100 * x->seconds / p->total);
    svg_text(b, SVG_BAR_LEFT + width + 6, y + 15, "", numbers);
  }
  svg_text(b, 16, height - 12, "fill=\"#555555\"",
           "blue: memory is the limit; orange: arithmetic; grey: nothing is counted");
  sbuf_puts(b, "</svg>\n");
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static void put_part(profile *p, json *j, const part *x) {
  json_open(j, NULL, '{');
  json_text(j, "part", x->group->label);
  if (x->group->line) json_count(j, "line", x->group->line);
  json_real(j, "share", x->seconds / p->total);
  json_real(j, "thread_seconds", x->seconds);
  json_real(j, "bytes", x->bytes);
  json_real(j, "flops", x->flops);
  if (x->roof > 0) {
    json_text(j, "limit", x->by_memory ? "memory" : "arithmetic");
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
  json_real(&j, "copy_bytes_per_second", p->roof.bytes);
  json_real(&j, "product_flops_per_second", p->roof.flops);
  json_open(&j, "parts", '[');
  for (unsigned i = 0; i < p->n; i++) put_part(p, &j, &p->parts[i]);
  json_close(&j, ']');
  json_close(&j, '}');
  cli_print_line(&out);
}

int profile_show(cli *c, const profile_job *job, const char *svg_path) {
  profile p = {.c = c, .job = job};
  if (!measure_roof(c, job->device, &p.roof)) {
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
