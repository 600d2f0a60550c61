/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What a run found and counted as a page: findings, the roofline, and the source with the counters
 * beside its lines.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/page.h"
#include "cli/ptx_watch.h"
#include "emu/isa.h"

enum { NEIGHBOURS = 2, LONGEST_FILE = 16 << 20 };

typedef struct report_page {
  cli *c;
  const ptx_watch *w;
  sbuf *out;
  counted_line *lines; /* by cost */
  uint32_t n;
  double most; /* the cost of the first */
} report_page;

static const char style[] =
    ".fault{color:#b3261e}.code td:last-child,.code th{font:12px ui-monospace,monospace;"
    "white-space:pre;text-align:left}.code tr:target,.hit{background:#b3261e22!important}"
    ".heat{display:inline-block;height:8px;border-radius:2px;background:#d9822b}"
    ".bar{display:block;height:8px;border-radius:2px;background:#1f6f8b}.bars{width:50%}"
    ".code td:nth-child(2){text-align:left}.wide{overflow-x:auto}.gap "
    "td{text-align:left;color:#888}.bad{color:#b3261e;font-weight:600}";

/* ---- findings ------------------------------------------------------------------------------- */

static void place_of(const finding *f, const char **file, uint32_t *line) {
  emu_source from;
  place p = f->isa->place_of(f->module, f->at.insn);
  bool known = f->isa->source_of(f->module, f->at.insn, &from);
  *file = known ? from.file : p.src ? p.src->name : "";
  *line = known ? from.line : p.line;
}

static const char *base_of(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static void put_finding(report_page *x, const finding *f) {
  const char *file = "";
  uint32_t line = 0;
  if (f->at.insn) place_of(f, &file, &line);
  sbuf_printf(x->out, "<li class=%s><b>%s</b> ", f->kind == FINDING_SAME_VALUE ? "note" : "fault",
              finding_kind_name(f->kind));
  if (f->at.insn) {
    sbuf_puts(x->out, "<a href=\"#");
    sbuf_escape(x->out, base_of(file));
    sbuf_printf(x->out, ":%u\">", line);
    sbuf_escape(x->out, base_of(file));
    sbuf_printf(x->out, ":%u</a> ", line);
  }
  sbuf_escape(x->out, f->message);
  sbuf_printf(x->out, " <small>(thread %u, %u, %u of block %u, %u, %u; %llu times)</small>",
              f->at.thread[0], f->at.thread[1], f->at.thread[2], f->at.block[0], f->at.block[1],
              f->at.block[2], (unsigned long long)f->count);
  if (f->hint[0]) {
    sbuf_puts(x->out, "<br>");
    sbuf_escape(x->out, f->hint);
  }
  sbuf_puts(x->out, "</li>\n");
}

static void put_findings(report_page *x, bool checked) {
  const findings *all = &x->w->found;
  sbuf_puts(x->out, "<h2>Findings</h2>\n");
  if (!all->n)
    sbuf_printf(x->out, "<p>%s</p>\n",
                checked ? "The checks found nothing."
                        : "The run was not checked: --check looks for races, missing waits, "
                          "accesses out of bounds and uninitialised memory.");
  sbuf_puts(x->out, "<ul>\n");
  for (uint32_t i = 0; i < all->n; i++) put_finding(x, &all->list[i]);
  sbuf_puts(x->out, "</ul>\n");
}

static bool has_finding(const report_page *x, const char *file, uint32_t line) {
  for (uint32_t i = 0; i < x->w->found.n; i++) {
    const char *at = "";
    uint32_t number = 0;
    if (x->w->found.list[i].at.insn) place_of(&x->w->found.list[i], &at, &number);
    if (number == line && strcmp(at, file) == 0) return true;
  }
  return false;
}

/* ---- the card ------------------------------------------------------------------------------- */

/* "11.4 ns"; from a microsecond on in those. */
static const char *time_text(report_page *x, double seconds) {
  bool small = seconds < 1e-6;
  return arena_printf(&x->c->arena, "%.3g %s", seconds * (small ? 1e9 : 1e6), small ? "ns" : "us");
}

static void put_part(report_page *x, const char *name, double seconds, double most) {
  sbuf_printf(x->out,
              "<tr><th>%s</th><td>%s</td><td class=bars><i class=bar style=\"width:%.1f%%\">"
              "</i></td></tr>\n",
              name, time_text(x, seconds), most > 0 ? 100 * seconds / most : 0);
}

static void put_estimate(report_page *x) {
  const card *on = x->w->card;
  roofline r = roofline_of(&x->w->counters.total, on);
  sbuf_printf(x->out,
              "<h2>On %s</h2>\n<p>At least <b>%s</b>, limited by <b>%s</b>: the least time of "
              "each part of the card if it were alone, with %.3g operations for each byte of "
              "device memory (%s).</p>\n<table>\n",
              on->name, time_text(x, r.time), r.limit, r.intensity, on->source);
  put_part(x, "device memory", r.memory, r.time);
  put_part(x, "shared memory", r.shared, r.time);
  put_part(x, "matrix units", r.matrix, r.time);
  put_part(x, "scalar arithmetic", r.scalar, r.time);
  put_part(x, "instruction issue", r.issue, r.time);
  sbuf_puts(x->out, "</table>\n");
  counters_svg(&x->w->counters, on, x->out);
}

/* ---- the source ----------------------------------------------------------------------------- */

static void put_share(report_page *x, uint64_t ideal, uint64_t counted, double good) {
  double share = counted ? 100 * (double)ideal / (double)counted : 100;
  if (!counted)
    sbuf_puts(x->out, "<td></td>");
  else
    sbuf_printf(x->out, "<td%s>%.0f%%</td>", share < good ? " class=bad" : "", share);
}

static void put_number(report_page *x, uint64_t n) {
  if (n)
    sbuf_printf(x->out, "<td>%llu</td>", (unsigned long long)n);
  else
    sbuf_puts(x->out, "<td></td>");
}

static void put_counts(report_page *x, const counted_line *l) {
  static const counts none;
  const counts *k = l ? &l->counts : &none;
  double width = l && x->most > 0 ? 5 * l->cost / x->most : 0;
  sbuf_printf(x->out, "<td><i class=heat style=\"width:%.2fem\"></i></td>", width);
  put_number(x, k->warps);
  put_number(x, k->sectors);
  put_share(x, k->ideal_sectors, k->sectors, 50);
  put_number(x, k->wavefronts);
  put_share(x, k->ideal_wavefronts, k->wavefronts, 75);
  put_number(x, k->matrix + k->flops);
}

static void put_row(report_page *x, const char *file, uint32_t line, str text,
                    const counted_line *l) {
  const char *base = base_of(file);
  sbuf_puts(x->out, "<tr id=\"");
  sbuf_escape(x->out, base);
  sbuf_printf(x->out, ":%u\"%s><td>%u</td>", line, has_finding(x, file, line) ? " class=hit" : "",
              line);
  put_counts(x, l);
  sbuf_puts(x->out, "<td>");
  sbuf_escape(x->out, arena_printf(&x->c->arena, STR_FMT, STR_ARG(text)));
  sbuf_puts(x->out, "</td></tr>\n");
}

static const counted_line *line_of(const report_page *x, const char *file, uint32_t line) {
  for (uint32_t i = 0; i < x->n; i++)
    if (x->lines[i].line == line && strcmp(x->lines[i].file, file) == 0) return &x->lines[i];
  return NULL;
}

static bool is_near_one(const report_page *x, const char *file, uint32_t line) {
  for (uint32_t k = line > NEIGHBOURS ? line - NEIGHBOURS : 1; k <= line + NEIGHBOURS; k++)
    if (line_of(x, file, k)) return true;
  return has_finding(x, file, line);
}

/* The lines of a text that count something, with their neighbours. */
static void put_text(report_page *x, const char *file, str text) {
  bool shown = true;
  uint32_t line = 0;
  for (size_t at = 0; at < text.len;) {
    const char *end = memchr(text.data + at, '\n', text.len - at);
    size_t length = end ? (size_t)(end - text.data) - at : text.len - at;
    bool show = is_near_one(x, file, ++line);
    if (show)
      put_row(x, file, line, (str){text.data + at, length}, line_of(x, file, line));
    else if (shown)
      sbuf_puts(x->out, "<tr class=gap><td colspan=9>&hellip;</td></tr>\n");
    shown = show;
    at += length + 1;
  }
}

/* Without the text, the lines that count something. */
static void put_lines_only(report_page *x, const char *file) {
  for (uint32_t i = 0; i < x->n; i++)
    if (strcmp(x->lines[i].file, file) == 0)
      put_row(x, file, x->lines[i].line, (str){"", 0}, &x->lines[i]);
}

static void put_file(report_page *x, const char *file) {
  str text;
  bool there = *file && *file != '<' && access(file, R_OK) == 0 &&
               file_read(x->c->ctx, &x->c->arena, file, LONGEST_FILE, &text);
  sbuf_puts(x->out, "<h2>");
  sbuf_escape(x->out, *file ? base_of(file) : "the program");
  sbuf_puts(
      x->out,
      "</h2>\n<div class=wide><table class=code>\n<tr><th>line</th><th>cost</th><th>warps</th>"
      "<th>sectors</th><th>useful</th><th>wavefronts</th><th>no conflict</th>"
      "<th>operations</th><th></th></tr>\n");
  if (there)
    put_text(x, file, text);
  else
    put_lines_only(x, file);
  sbuf_puts(x->out, "</table></div>\n");
}

static bool is_first_of_file(const report_page *x, uint32_t i) {
  for (uint32_t k = 0; k < i; k++)
    if (strcmp(x->lines[k].file, x->lines[i].file) == 0) return false;
  return true;
}

void ptx_watch_page(cli *c, const ptx_watch *w, sbuf *out) {
  report_page x = {.c = c, .w = w, .out = out};
  const counters *k = &w->counters;
  x.lines = counters_lines(k, w->card, &x.n);
  if (x.n) x.most = x.lines[0].cost;
  page_begin(out, k->kernel ? k->kernel : "a run without a kernel", style);
  sbuf_printf(out, "<p>%llu block%s, %llu threads, %llu instructions of warps.</p>\n",
              (unsigned long long)k->blocks, k->blocks == 1 ? "" : "s",
              (unsigned long long)k->threads, (unsigned long long)k->total.warps);
  put_findings(&x, w->checked);
  put_estimate(&x);
  for (uint32_t i = 0; i < x.n; i++)
    if (is_first_of_file(&x, i)) put_file(&x, x.lines[i].file);
  free(x.lines);
}
