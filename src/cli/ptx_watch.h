/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What 'tessera ptx' shows about a run: findings of the checks, counters, a report.
 */
#ifndef TESSERA_CLI_PTX_WATCH_H
#define TESSERA_CLI_PTX_WATCH_H

#include "cli/cli.h"
#include "emu/checks.h"
#include "emu/counters.h"

typedef struct ptx_watch {
  bool check, count;
  bool checked;       /* by this or by the device */
  const char *report; /* a file to write, .json, .svg or .html; NULL */
  const card *card;
  findings found;
  checks *checks;
  counters counters;
  emu_watcher checker, counter;
} ptx_watch;

/* Reads --check, --counters, --card and --report. A CLI_* status. */
int ptx_watch_options(cli *c, const char *target, ptx_watch *w);
/* Who watches the launch; NULL: nobody was asked for. `*status` tells when memory ran out. */
const emu_watcher *ptx_watch_begin(cli *c, ptx_watch *w, int *status);
/* Shows and writes what was asked for. CLI_WRONG_INPUT when there are findings. */
int ptx_watch_end(cli *c, ptx_watch *w);
/* All of it as a page of HTML (ptx_watch_page.c). */
void ptx_watch_page(cli *c, const ptx_watch *w, sbuf *out);
void ptx_watch_free(ptx_watch *w);

#endif
