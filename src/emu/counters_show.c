/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Counters as a table and as JSON. (The picture: counters_picture.c.)
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "emu/counters.h"
#include "emu/findings.h"
#include "emu/isa.h"

/* ---- lines ---------------------------------------------------------------------------------- */

static void add_counts(counts *to, const counts *from) {
  uint64_t *a = (uint64_t *)to;
  const uint64_t *b = (const uint64_t *)from;
  for (size_t i = 0; i < sizeof *to / sizeof *a; i++) a[i] += b[i];
}

static void place_of(const counters *c, emu_insn i, counted_line *out) {
  emu_source from;
  place p = c->isa->place_of(c->module, i);
  bool known = c->isa->source_of(c->module, i, &from);
  out->file = known ? from.file : p.src ? p.src->name : "";
  out->line = known ? from.line : p.line;
}

static int by_place(const void *a, const void *b) {
  const counted_line *x = a, *y = b;
  int order = strcmp(x->file, y->file);
  return order ? order : (x->line > y->line) - (x->line < y->line);
}

static int by_cost(const void *a, const void *b) {
  const counted_line *x = a, *y = b;
  int order = (x->cost < y->cost) - (x->cost > y->cost);
  return order ? order : by_place(a, b);
}

counted_line *counters_lines(const counters *c, const card *on, uint32_t *n) {
  *n = 0;
  uint32_t total = MIN(c->insns.n, c->cap);
  counted_line *list = total ? calloc(total, sizeof *list) : NULL;
  if (!list) return NULL;
  for (uint32_t i = 0; i < total; i++) {
    place_of(c, c->insns.insns[i], &list[i]);
    list[i].counts = c->by_insn[i];
  }
  qsort(list, total, sizeof *list, by_place);
  uint32_t kept = 0;
  for (uint32_t i = 1; i < total; i++) {
    if (by_place(&list[kept], &list[i]) == 0)
      add_counts(&list[kept].counts, &list[i].counts);
    else
      list[++kept] = list[i];
  }
  *n = kept + 1;
  for (uint32_t i = 0; i < *n; i++) {
    roofline r = roofline_of(&list[i].counts, on);
    list[i].cost = r.memory + r.shared + r.scalar + r.matrix + r.issue;
  }
  qsort(list, *n, sizeof *list, by_cost);
  return list;
}

/* ---- numbers for people --------------------------------------------------------------------- */

typedef struct amount {
  char text[24];
} amount;

/* 1234567 as "1.23 M". */
static amount amount_of(double v) {
  static const char *const units[] = {"", " K", " M", " G", " T", " P"};
  unsigned u = 0;
  amount a;
  while (v >= 1000 && u + 1 < ARRAY_LEN(units)) v /= 1000, u++;
  snprintf(a.text, sizeof a.text, u ? "%.3g%s" : "%.4g%s", v, units[u]);
  return a;
}
#define AMOUNT(v) amount_of((double)(v)).text

static amount time_of(double s) {
  amount a;
  if (s >= 1e-3)
    snprintf(a.text, sizeof a.text, "%.3g ms", s * 1e3);
  else if (s >= 1e-6)
    snprintf(a.text, sizeof a.text, "%.3g us", s * 1e6);
  else
    snprintf(a.text, sizeof a.text, "%.3g ns", s * 1e9);
  return a;
}

static double percent(uint64_t part, uint64_t whole) {
  return whole ? 100.0 * (double)part / (double)whole : 100;
}

/* ---- table
 * ------------------------------------------------------------------------------------------------
 */

enum { TABLE_LINES = 24 };

static void put_line(const counted_line *l, const char *dim, const char *warn, const char *off,
                     sbuf *out) {
  const counts *c = &l->counts;
  double coalesced = percent(c->ideal_sectors, c->sectors);
  double clean = percent(c->ideal_wavefronts, c->wavefronts);
  const char *base = strrchr(l->file, '/');
  char name[64];
  snprintf(name, sizeof name, "%.40s:%u", base ? base + 1 : l->file, l->line);
  sbuf_printf(out, "  %-26s %8s %8s", name, AMOUNT(c->warps), AMOUNT(c->lanes));
  if (c->sectors)
    sbuf_printf(out, " %8s %s%4.0f%%%s", AMOUNT(c->sectors), coalesced < 50 ? warn : "", coalesced,
                off);
  else
    sbuf_printf(out, " %s%8s %5s%s", dim, "-", "", off);
  if (c->wavefronts)
    sbuf_printf(out, " %8s %s%4.0f%%%s", AMOUNT(c->wavefronts), clean < 75 ? warn : "", clean, off);
  else
    sbuf_printf(out, " %s%8s %5s%s", dim, "-", "", off);
  sbuf_printf(out, " %8s", c->matrix + c->flops ? AMOUNT(c->matrix + c->flops) : "-");
  sbuf_printf(out, " %6s %5.0f%%\n", c->barriers ? AMOUNT(c->barriers) : "-",
              c->warps ? percent(c->divergent, c->warps) : 0);
}

static void put_estimate(const counters *c, const card *on, sbuf *out) {
  roofline r = roofline_of(&c->total, on);
  sbuf_printf(out, "  on %s: at least %s, limited by %s\n", on->name, time_of(r.time).text,
              r.limit);
  sbuf_printf(out, "    device memory %s", time_of(r.memory).text);
  sbuf_printf(out, ", shared memory %s", time_of(r.shared).text);
  sbuf_printf(out, ", matrix units %s", time_of(r.matrix).text);
  sbuf_printf(out, ", scalar arithmetic %s", time_of(r.scalar).text);
  sbuf_printf(out, ", instruction issue %s\n", time_of(r.issue).text);
  sbuf_printf(out, "    %.3g operations for each byte of device memory (%s)\n", r.intensity,
              on->source);
}

void counters_table(const counters *c, const card *on, bool colour, sbuf *out) {
  const counts *t = &c->total;
  const char *bold = colour ? "\033[1m" : "", *dim = colour ? "\033[2m" : "";
  const char *warn = colour ? "\033[1;33m" : "", *off = colour ? "\033[0m" : "";
  uint32_t n;
  counted_line *lines = counters_lines(c, on, &n);
  sbuf_printf(out, "%skernel %s%s: %llu blocks, %llu threads\n", bold, c->kernel ? c->kernel : "",
              off, (unsigned long long)c->blocks, (unsigned long long)c->threads);
  sbuf_printf(out, "  executed       %s warp instructions", AMOUNT(t->warps));
  sbuf_printf(out, ", %s by lanes", AMOUNT(t->lanes));
  sbuf_printf(out, " (%.0f%% of the lanes at work), %.1f%% diverged\n",
              percent(t->lanes, c->warp_lanes * t->warps),
              t->warps ? percent(t->divergent, t->warps) : 0);
  sbuf_printf(out, "  device memory  %sB read", AMOUNT(t->read));
  sbuf_printf(out, ", %sB written", AMOUNT(t->written));
  sbuf_printf(out, ", %s sectors", AMOUNT(t->sectors));
  sbuf_printf(out, " in %s requests, %.0f%% efficient\n", AMOUNT(t->requests),
              percent(t->ideal_sectors, t->sectors));
  sbuf_printf(out, "  shared memory  %sB read", AMOUNT(t->shared_read));
  sbuf_printf(out, ", %sB written", AMOUNT(t->shared_written));
  sbuf_printf(out, ", %s wavefronts, %.0f%% free of conflicts\n", AMOUNT(t->wavefronts),
              percent(t->ideal_wavefronts, t->wavefronts));
  sbuf_printf(out, "  arithmetic     %s matrix operations", AMOUNT(t->matrix));
  sbuf_printf(out, ", %s scalar\n", AMOUNT(t->flops));
  put_estimate(c, on, out);
  sbuf_printf(out, "\n%s  %-26s %8s %8s %8s %5s %8s %5s %8s %6s %6s%s\n", bold, "line", "warps",
              "lanes", "sectors", "eff.", "wavefr.", "eff.", "operat.", "barr.", "diverg", off);
  for (uint32_t i = 0; i < MIN(n, (uint32_t)TABLE_LINES); i++)
    put_line(&lines[i], dim, warn, off, out);
  if (n > TABLE_LINES)
    sbuf_printf(out, "  %s... and %u quieter lines (JSON has all)%s\n", dim, n - TABLE_LINES, off);
  if (c->out_of_memory) sbuf_puts(out, "  some instructions were not counted: out of memory\n");
  free(lines);
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static void json_counts(const counts *c, sbuf *out) {
  static const char *const names[] = {"warps",
                                      "lanes",
                                      "divergent",
                                      "requests",
                                      "sectors",
                                      "ideal_sectors",
                                      "read_bytes",
                                      "written_bytes",
                                      "wavefronts",
                                      "ideal_wavefronts",
                                      "shared_read_bytes",
                                      "shared_written_bytes",
                                      "local_bytes",
                                      "flops",
                                      "matrix_operations",
                                      "barriers",
                                      "moved_bytes"};
  _Static_assert(ARRAY_LEN(names) * sizeof(uint64_t) == sizeof *c, "a name for each count");
  const uint64_t *v = (const uint64_t *)c;
  for (size_t i = 0; i < ARRAY_LEN(names); i++)
    sbuf_printf(out, "%s\"%s\": %llu", i ? ", " : "", names[i], (unsigned long long)v[i]);
}

static void json_list(const counters *c, const card *on, sbuf *out) {
  uint32_t n;
  counted_line *lines = counters_lines(c, on, &n);
  sbuf_puts(out, ",\n \"lines\": [");
  for (uint32_t i = 0; i < n; i++) {
    sbuf_printf(out, "%s\n  {\"file\": ", i ? "," : "");
    json_quote(out, str_of(lines[i].file));
    sbuf_printf(out, ", \"line\": %u, ", lines[i].line);
    json_counts(&lines[i].counts, out);
    sbuf_putc(out, '}');
  }
  sbuf_puts(out, "],\n \"instructions\": [");
  for (uint32_t i = 0; i < MIN(c->insns.n, c->cap); i++) {
    emu_insn insn = c->insns.insns[i];
    sbuf_printf(out, "%s\n  {\"%s\": %u, \"instruction\": ", i ? "," : "", c->isa->words->line_key,
                c->isa->place_of(c->module, insn).line);
    json_quote(out, c->isa->text_of(c->module, insn));
    sbuf_puts(out, ", ");
    json_counts(&c->by_insn[i], out);
    sbuf_putc(out, '}');
  }
  sbuf_putc(out, ']');
  free(lines);
}

void counters_json(const counters *c, const card *on, sbuf *out) {
  roofline r = roofline_of(&c->total, on);
  sbuf_puts(out, "{\"kernel\": ");
  json_quote(out, str_of(c->kernel ? c->kernel : ""));
  sbuf_printf(out, ", \"blocks\": %llu, \"threads\": %llu,\n \"total\": {",
              (unsigned long long)c->blocks, (unsigned long long)c->threads);
  json_counts(&c->total, out);
  sbuf_printf(
      out,
      "},\n \"estimate\": {\"card\": \"%s\", \"seconds\": %.6g, \"limit\": \"%s\", "
      "\"device_memory\": %.6g, \"shared_memory\": %.6g, \"scalar\": %.6g, \"matrix\": %.6g, "
      "\"issue\": %.6g, \"operations_per_byte\": %.6g}",
      on->name, r.time, r.limit, r.memory, r.shared, r.scalar, r.matrix, r.issue, r.intensity);
  json_list(c, on, out);
  sbuf_puts(out, "\n}\n");
}
