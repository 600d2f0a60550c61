/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The command compare: two reports of counters (--report FILE.json) beside each other, as a table
 * or as a page of HTML.
 */
#include <math.h>
#include <stdio.h>

#include "base/json.h"
#include "cli/cli.h"
#include "cli/page.h"

/* A number of both reports. */
typedef struct pair {
  const char *name;
  double before, after;
} pair;

typedef struct comparison {
  cli *c;
  const char *files[2];
  const json_value *counters[2];
  VEC(pair) totals, estimates, lines;
} comparison;

/* ---- reading -------------------------------------------------------------------------------- */

static const json_value *read_report(cli *c, const char *path) {
  str text;
  size_t where;
  if (!file_read(c->ctx, &c->arena, path, SIZE_MAX / 4, &text)) return NULL;
  const json_value *report = json_read(&c->arena, text, &where);
  const json_value *counters = json_member(report, "counters");
  if (!report)
    cli_error(c, "'%s' is no JSON: it is wrong from byte %zu on", path, where);
  else if (!json_member(counters, "total"))
    cli_error(c, "'%s' is no report of counters: tessera run --counters --report %s writes one",
              path, path);
  else
    return counters;
  return NULL;
}

#define ADD(x, list, ...) vec_push(&(x)->c->arena, (x)->list, (pair){__VA_ARGS__})

static void add_totals(comparison *x) {
  const json_value *a = json_member(x->counters[0], "total"),
                   *b = json_member(x->counters[1], "total");
  for (const json_value *v = a->first; v; v = v->next)
    ADD(x, totals, v->key.data, v->number, json_number_in(b, v->key.data, 0));
}

static void add_estimates(comparison *x) {
  static const char *const names[][2] = {{"seconds", "estimate"},
                                         {"device_memory", "device memory"},
                                         {"shared_memory", "shared memory"},
                                         {"matrix", "matrix units"},
                                         {"scalar", "scalar arithmetic"},
                                         {"issue", "instruction issue"}};
  const json_value *a = json_member(x->counters[0], "estimate"),
                   *b = json_member(x->counters[1], "estimate");
  for (size_t i = 0; i < ARRAY_LEN(names); i++)
    ADD(x, estimates, names[i][1], 1e9 * json_number_in(a, names[i][0], 0),
        1e9 * json_number_in(b, names[i][0], 0));
}

/* "softmax.mlir:12": reports of two places of a file are compared, so its folder does not count. */
static const char *place_of(comparison *x, const json_value *line) {
  str file = json_string_in(line, "file");
  const char *base = file.data ? strrchr(file.data, '/') : NULL;
  return arena_printf(&x->c->arena, "%s:%.0f",
                      base        ? base + 1
                      : file.data ? file.data
                                  : "",
                      json_number_in(line, "line", 0));
}

static pair *line_named(comparison *x, const char *name) {
  for (uint32_t i = 0; i < x->lines.len; i++)
    if (strcmp(x->lines.data[i].name, name) == 0) return &x->lines.data[i];
  ADD(x, lines, name, 0, 0);
  return &vec_last(x->lines);
}

/* Instructions of warps, line by line. */
static void add_lines(comparison *x) {
  for (int side = 0; side < 2; side++) {
    const json_value *lines = json_member(x->counters[side], "lines");
    for (const json_value *v = lines ? lines->first : NULL; v; v = v->next) {
      pair *p = line_named(x, place_of(x, v));
      *(side ? &p->after : &p->before) += json_number_in(v, "warps", 0);
    }
  }
}

/* ---- writing -------------------------------------------------------------------------------- */

/* "x0.50": how much of the first there is in the second. */
static const char *ratio_of(comparison *x, const pair *p) {
  if (p->before == p->after) return "same";
  if (p->before == 0) return "new";
  return arena_printf(&x->c->arena, "x%.3g", p->after / p->before);
}

static void put_rows(comparison *x, sbuf *out, const char *title, const pair *rows, uint32_t n) {
  sbuf_printf(out, "\n%-28s %14s %14s %8s\n", title, "first", "second", "");
  for (uint32_t i = 0; i < n; i++)
    if (rows[i].before != 0 || rows[i].after != 0)
      sbuf_printf(out, "  %-26s %14.6g %14.6g %8s\n", rows[i].name, rows[i].before, rows[i].after,
                  ratio_of(x, &rows[i]));
}

static const char *title_of(comparison *x, int side) {
  const json_value *estimate = json_member(x->counters[side], "estimate");
  return arena_printf(&x->c->arena, STR_FMT " on " STR_FMT ", limited by " STR_FMT " (%s)",
                      STR_ARG(json_string_in(x->counters[side], "kernel")),
                      STR_ARG(json_string_in(estimate, "card")),
                      STR_ARG(json_string_in(estimate, "limit")), x->files[side]);
}

static void put_text(comparison *x, sbuf *out) {
  sbuf_printf(out, "first   %s\nsecond  %s\n", cli_shown(x->c, title_of(x, 0)),
              cli_shown(x->c, title_of(x, 1)));
  put_rows(x, out, "least time in ns", x->estimates.data, x->estimates.len);
  put_rows(x, out, "counts", x->totals.data, x->totals.len);
  put_rows(x, out, "instructions of warps", x->lines.data, x->lines.len);
}

/* A bar for each side, as parts of the table's largest number. */
static void put_bars(sbuf *out, const pair *p, double largest) {
  const double sides[] = {p->before, p->after};
  sbuf_puts(out, "<td class=bars>");
  for (int i = 0; i < 2; i++)
    sbuf_printf(out, "<i class=%c style=\"width:%.1f%%\"></i>", "ab"[i],
                largest > 0 ? 100 * sides[i] / largest : 0);
  sbuf_puts(out, "</td>");
}

static void put_table(comparison *x, sbuf *out, const char *title, const pair *rows, uint32_t n) {
  double largest = 0;
  for (uint32_t i = 0; i < n; i++) largest = fmax(largest, fmax(rows[i].before, rows[i].after));
  sbuf_printf(out,
              "<h2>%s</h2>\n<table><tr><th></th><th>first</th><th>second</th><th></th>"
              "<th></th></tr>\n",
              title);
  for (uint32_t i = 0; i < n; i++) {
    if (rows[i].before == 0 && rows[i].after == 0) continue;
    sbuf_puts(out, "<tr><th>");
    sbuf_escape(out, rows[i].name);
    sbuf_printf(out, "</th><td>%.6g</td><td>%.6g</td><td>%s</td>", rows[i].before, rows[i].after,
                ratio_of(x, &rows[i]));
    put_bars(out, &rows[i], largest);
    sbuf_puts(out, "</tr>\n");
  }
  sbuf_puts(out, "</table>\n");
}

static const char style[] =
    ".bars{width:40%}i{display:block;height:6px;border-radius:2px}.a{background:#8aa7b5}"
    ".b{background:#1f6f8b}.key i{display:inline-block;width:2em}";

static void put_page(comparison *x, sbuf *out) {
  page_begin(out, "Two reports", style);
  for (int side = 0; side < 2; side++) {
    sbuf_printf(out, "<p class=key><i class=%c></i> %s: ", "ab"[side], side ? "second" : "first");
    sbuf_escape(out, title_of(x, side));
    sbuf_puts(out, "</p>\n");
  }
  put_table(x, out, "Least time in ns", x->estimates.data, x->estimates.len);
  put_table(x, out, "Instructions of warps, line by line", x->lines.data, x->lines.len);
  put_table(x, out, "Counts", x->totals.data, x->totals.len);
}

int cli_compare(cli *c) {
  comparison x = {.c = c};
  const char *out_path = cli_value(c, OPT_OUTPUT);
  for (int side = 0; side < 2; side++) {
    x.files[side] = c->args[side];
    x.counters[side] = read_report(c, x.files[side]);
    if (!x.counters[side]) return CLI_WRONG_INPUT;
  }
  add_estimates(&x);
  add_totals(&x);
  add_lines(&x);
  sbuf out = SBUF(&c->arena);
  if (out_path && cli_ends_with(out_path, ".html"))
    put_page(&x, &out);
  else
    put_text(&x, &out);
  return cli_write_result(c, out_path, out.data, out.len) ? CLI_OK : CLI_WRONG_INPUT;
}
