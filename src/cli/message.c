/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"

void cli_on_diagnostic(void *user, const tsr_diagnostic *d) {
  cli *c = user;
  /* A note belongs to the message before it and goes where that went. */
  if (d->severity != TSR_NOTE) c->dropping = c->quiet && d->severity != TSR_ERROR;
  if (c->dropping) return;
  if (c->diagnostics) {
    diagnostics_add(c->diagnostics, d);
    return;
  }
  /* A message without a place names who speaks. */
  tsr_diagnostic shown = *d;
  if (!shown.file) shown.file = "tessera";
  char text[8192];
  size_t len = tsr_diagnostic_format(&shown, c->color_err, text, sizeof text - 1);
  len = MIN(len, sizeof text - 2);
  text[len] = '\n';
  fflush(stdout); /* keeps the order when both streams go to one place */
  fwrite(text, 1, len + 1, stderr);
}

static void say(const cli *c, tsr_severity severity, const char *fmt, va_list args) {
  char message[4096];
  vsnprintf(message, sizeof message, fmt, args);
  tsr_diagnostic d = {.severity = severity, .message = message, .length = 1};
  cli_on_diagnostic((void *)(uintptr_t)c, &d);
}

void cli_error(const cli *c, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  say(c, TSR_ERROR, fmt, args);
  va_end(args);
}

void cli_note(const cli *c, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  say(c, TSR_NOTE, fmt, args);
  va_end(args);
}

void cli_remark(const cli *c, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  say(c, TSR_REMARK, fmt, args);
  va_end(args);
}

int cli_wrong_call(const cli *c, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  say(c, TSR_ERROR, fmt, args);
  va_end(args);
  if (c->command)
    cli_note(c, "usage: tessera %s %s", c->command->name, c->command->usage);
  else
    cli_note(c, "'tessera help' shows what can be called");
  return CLI_WRONG_CALL;
}

enum { LONGEST_WORD = 31 };

/* How many letters must be changed, added, dropped or swapped with their neighbour (optimal string
 * alignment). Both words have at most LONGEST_WORD letters. */
static unsigned edits(const char *a, const char *b) {
  unsigned m = (unsigned)strlen(a), n = (unsigned)strlen(b);
  unsigned cost[LONGEST_WORD + 1][LONGEST_WORD + 1];
  for (unsigned i = 0; i <= m; i++) cost[i][0] = i;
  for (unsigned j = 0; j <= n; j++) cost[0][j] = j;
  for (unsigned i = 1; i <= m; i++) {
    for (unsigned j = 1; j <= n; j++) {
      unsigned best = cost[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
      best = MIN(best, cost[i - 1][j] + 1);
      best = MIN(best, cost[i][j - 1] + 1);
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        best = MIN(best, cost[i - 2][j - 2] + 1);
      cost[i][j] = best;
    }
  }
  return cost[m][n];
}

const char *cli_closest(const char *word, const char *const *names) {
  size_t len = strlen(word);
  if (len == 0 || len > LONGEST_WORD) return NULL;
  const char *closest = NULL;
  unsigned fewest = len <= 3 ? 2 : (unsigned)len / 3 + 2; /* that many are too many */
  for (; *names; names++) {
    if (strlen(*names) > LONGEST_WORD) continue;
    unsigned n = edits(word, *names);
    /* Part of a name counts as a slip of the finger: "exp" for "explain". */
    if (len >= 3 && strncmp(word, *names, len) == 0) n = 1;
    if (n < fewest) {
      fewest = n;
      closest = *names;
    }
  }
  return closest;
}

static bool is_control(char c) {
  return (unsigned char)c < ' ' || c == 0x7f;
}

const char *cli_shown(cli *c, const char *name) {
  const char *p = name;
  while (*p && !is_control(*p)) p++;
  if (!*p) return name;
  char *copy = arena_strndup(&c->arena, name, strlen(name));
  for (char *q = copy; *q; q++)
    if (is_control(*q)) *q = '?';
  return copy;
}
