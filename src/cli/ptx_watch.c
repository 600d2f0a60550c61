/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What 'tessera ptx' shows about a run.
 */
#include "cli/ptx_watch.h"

#include <stdio.h>

#include "emu/isa.h"

static int choose_card(cli *c, const char *target, ptx_watch *w) {
  const char *name = cli_value(c, OPT_CARD);
  w->card = name ? card_named(name) : card_of_target(target);
  if (w->card) return CLI_OK;
  sbuf list = SBUF(&c->arena);
  for (size_t i = 0; card_at(i); i++) sbuf_printf(&list, "%s%s", i ? ", " : "", card_at(i)->name);
  return cli_wrong_call(c, "--card: there are no figures for '%s'; there are for %s", name,
                        list.data);
}

int ptx_watch_options(cli *c, const char *target, ptx_watch *w) {
  w->check = cli_has(c, OPT_CHECK);
  w->count = cli_has(c, OPT_COUNTERS);
  w->report = cli_value(c, OPT_REPORT);
  w->checked = w->check || cli_has(c, OPT_SANITIZE);
  if (w->report && !cli_ends_with(w->report, ".json") && !cli_ends_with(w->report, ".svg") &&
      !cli_ends_with(w->report, ".html"))
    return cli_wrong_call(c, "--report '%s': the file's name ends in .html, .json or .svg",
                          w->report);
  return choose_card(c, target, w);
}

const emu_watcher *ptx_watch_begin(cli *c, ptx_watch *w, int *status) {
  const emu_watcher *watcher = NULL;
  if (w->check) {
    w->checks = checks_create(&w->found);
    if (!w->checks) {
      cli_error(c, "out of memory");
      *status = CLI_WRONG_INPUT;
      return NULL;
    }
    checks_watch(w->checks, &w->checker);
    watcher = &w->checker;
  }
  if (w->count || w->report) {
    counters_watch(&w->counters, w->check ? &w->checker : NULL, &w->counter);
    watcher = &w->counter;
  }
  return watcher;
}

static bool write_report(cli *c, ptx_watch *w) {
  sbuf out = SBUF(&c->arena);
  if (cli_ends_with(w->report, ".svg")) {
    counters_svg(&w->counters, w->card, &out);
  } else if (cli_ends_with(w->report, ".html")) {
    ptx_watch_page(c, w, &out);
  } else {
    sbuf_puts(&out, "{\"findings\": ");
    findings_json(&w->found, &out);
    sbuf_puts(&out, ", \"counters\": ");
    counters_json(&w->counters, w->card, &out);
    sbuf_puts(&out, "}\n");
  }
  return file_write(c->ctx, w->report, out.data, out.len);
}

/* Where an instruction comes from: a line of the source if the program says so, else its own. */
static tsr_diagnostic message_at(const finding *f, emu_insn insn, tsr_severity severity,
                                 const char *text) {
  tsr_diagnostic d = {.severity = severity, .message = text, .length = 1};
  emu_source from;
  if (!insn) return d;
  place p = f->isa->place_of(f->module, insn);
  bool known = f->isa->source_of(f->module, insn, &from);
  d.file = known ? from.file : p.src ? p.src->name : NULL;
  d.line = known ? from.line : p.line;
  return d;
}

/* A finding as a message with notes, for machines. */
static void diagnose(cli *c, const finding *f) {
  const uint32_t *block = f->at.block, *thread = f->at.thread;
  tsr_severity severity = finding_is_note(f->kind) ? TSR_REMARK : TSR_ERROR;
  const char *kind = finding_kind_name(f->kind);
  const char *text = arena_printf(&c->arena, "[%s] %s", kind, f->message);
  tsr_diagnostic d = message_at(f, f->at.insn, severity, text);
  cli_on_diagnostic(c, &d);
  text = arena_printf(&c->arena, "kernel %s, thread (%u, %u, %u) of block (%u, %u, %u), %llu times",
                      f->kernel, thread[0], thread[1], thread[2], block[0], block[1], block[2],
                      (unsigned long long)f->count);
  d = (tsr_diagnostic){.severity = TSR_NOTE, .message = text, .length = 1};
  cli_on_diagnostic(c, &d);
  if (f->other.insn) {
    d = message_at(f, f->other.insn, TSR_NOTE, "the other access");
    cli_on_diagnostic(c, &d);
  }
  if (!f->hint[0]) return;
  d = (tsr_diagnostic){.severity = TSR_NOTE, .message = f->hint, .length = 1};
  cli_on_diagnostic(c, &d);
}

static int show_findings(cli *c, ptx_watch *w) {
  sbuf out = SBUF(&c->arena);
  for (uint32_t i = 0; c->diagnostics && i < w->found.n; i++) diagnose(c, &w->found.list[i]);
  if (!c->diagnostics) findings_text(&w->found, c->color_err, &out);
  if (out.len) fwrite(out.data, 1, out.len, stderr);
  if (checks_out_of_memory(w->checks)) cli_error(c, "memory ran out: not everything was checked");
  if (checks_dropped(w->checks))
    cli_note(c,
             "%llu accesses were not remembered, too many threads touch the same bytes; races with "
             "them would not be seen",
             (unsigned long long)checks_dropped(w->checks));
  uint32_t faults = findings_faults(&w->found), notes = w->found.n - faults;
  if (notes)
    cli_note(c, "%u race%s that %s no fault as far as can be told", notes, notes == 1 ? "" : "s",
             notes == 1 ? "is" : "are");
  if (!faults && !checks_out_of_memory(w->checks)) return CLI_OK;
  if (faults) cli_error(c, "%u finding%s", faults, faults == 1 ? "" : "s");
  return CLI_WRONG_INPUT;
}

int ptx_watch_end(cli *c, ptx_watch *w) {
  int status = CLI_OK;
  if (w->count) {
    sbuf out = SBUF(&c->arena);
    counters_table(&w->counters, w->card, c->color_out, &out);
    fwrite(out.data, 1, out.len, stdout);
  }
  if (w->report && !write_report(c, w)) status = CLI_WRONG_INPUT;
  if (w->checks && show_findings(c, w) != CLI_OK) status = CLI_WRONG_INPUT;
  return status;
}

void ptx_watch_free(ptx_watch *w) {
  checks_destroy(w->checks);
  findings_free(&w->found);
  counters_free(&w->counters);
}
