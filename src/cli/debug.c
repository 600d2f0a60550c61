/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cli/debug.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "rt/rt.h"

/* ---- places --------------------------------------------------------------------------------- */

const char *debug_style(const debugger *d, const char *code) {
  return d->c->color_out ? code : "";
}

uint32_t debug_line_of(const debugger *d, const ir_op *op) {
  place at = ir_place(d->module, op->loc);
  return at.src == d->module->source ? at.line : 0;
}

/* Line `number` of the source, without its end; false when there is none. */
static bool find_line(const debugger *d, uint32_t number, str *out) {
  const source *src = d->module->source;
  if (!src || number == 0) return false;
  const char *p = src->text.data, *end = p + src->text.len;
  for (uint32_t n = 1; n < number; n++) {
    p = memchr(p, '\n', (size_t)(end - p));
    if (!p) return false;
    p++;
  }
  if (p == end) return false;
  const char *stop = memchr(p, '\n', (size_t)(end - p));
  *out = (str){p, (size_t)((stop ? stop : end) - p)};
  if (out->len && out->data[out->len - 1] == '\r') out->len--;
  return true;
}

bool debug_has_line(const debugger *d, uint32_t number) {
  str line;
  return find_line(d, number, &line);
}

void debug_show_line(const debugger *d, uint32_t number, bool here) {
  enum { LONGEST = 140 };
  str line;
  if (!find_line(d, number, &line)) return;
  printf("%s%s %5u%s  ", debug_style(d, here ? DEBUG_GREEN : DEBUG_DIM), here ? "->" : "  ", number,
         debug_style(d, DEBUG_OFF));
  for (size_t i = 0; i < line.len && i < LONGEST; i++)
    putchar((unsigned char)line.data[i] < ' ' && line.data[i] != '\t' ? '?' : line.data[i]);
  puts(line.len > LONGEST ? "..." : "");
}

void debug_show_place(const debugger *d) {
  uint32_t line = debug_line_of(d, d->at);
  if (line) {
    debug_show_line(d, line, true);
    return;
  }
  place at = ir_place(d->module, d->at->loc);
  printf("-> %s", ir_row(d->at)->name);
  if (at.file && at.line) printf(", %s:%u", at.file, at.line);
  putchar('\n');
}

/* ---- stopping ------------------------------------------------------------------------------- */

static const breakpoint *breakpoint_at(const debugger *d, const ir_op *op) {
  for (uint32_t k = 0; k < d->breaks.len; k++) {
    const breakpoint *b = &d->breaks.data[k];
    if (b->line ? debug_line_of(d, op) == b->line : op->opcode == b->opcode) return b;
  }
  return NULL;
}

static bool is_chosen(const debugger *d, const rt_block *b) {
  return memcmp(b->id, d->block, sizeof d->block) == 0;
}

/* Why to stop before an operation, if at all. */
static bool stops_at(const debugger *d, const ir_op *op, const breakpoint **why) {
  *why = breakpoint_at(d, op);
  switch (d->mode) {
  case DEBUG_STEP: return true;
  case DEBUG_NEXT: return *why || !ir_is_inside(op, d->anchor);
  default: return *why != NULL;
  }
}

static void leave(frame *f) {
  rt_launch_state *launch = interp_block(f)->launch;
  atomic_store_explicit(&launch->stop, true, memory_order_relaxed);
  interp_halt(f);
}

/* Returns false when the session ended. */
static bool stop(debugger *d, frame *f, const ir_op *op, const breakpoint *why) {
  const int32_t *id = d->block;
  d->frame = f;
  d->at = op;
  d->listed = 0;
  if (why) printf("breakpoint %u in tile block (%d, %d, %d)\n", why->number, id[0], id[1], id[2]);
  debug_show_place(d);
  bool goes_on = debug_prompt(d);
  return goes_on;
}

static void step(interp_watcher *w, frame *f, const inst *i) {
  debugger *d = (debugger *)w;
  const ir_op *op = interp_op(i);
  const breakpoint *why;
  if (d->ended) {
    leave(f);
    return;
  }
  /* Nobody wrote an implicit operation, so nobody wants to stop there. */
  if (!is_chosen(d, interp_block(f)) || !interp_is_start(i) || op->implicit) {
    interp_do(f, i);
    return;
  }
  bool stops = stops_at(d, op, &why);
  if (stops && !stop(d, f, op, why)) {
    leave(f);
    return;
  }
  interp_do(f, i);
  /* What has regions is not finished yet; a reduction is, and may have been stopped in. */
  bool done = op->opcode != OP_for && op->opcode != OP_loop && op->opcode != OP_if;
  if (stops && done && d->mode != DEBUG_FREE && !d->ended) {
    d->at = op;
    d->frame = f;
    debug_show_results(d, op);
  }
}

/* ---- the session ---------------------------------------------------------------------------- */

static void launch(debugger *d) {
  const run_job *job = d->job;
  tsr_status status = tsr_launch(job->kernel, job->grid, job->args, job->arguments->count);
  d->frame = NULL;
  d->at = NULL;
  if (d->ended) return;
  if (status == TSR_OK)
    printf("@%s has ended\n", cli_shown(d->c, job->kernel_name));
  else
    printf("@%s has failed: %s\n", cli_shown(d->c, job->kernel_name), tsr_status_name(status));
}

static bool check_block(const debugger *d) {
  const tsr_grid *g = &d->job->grid;
  uint32_t extent[3] = {g->x, g->y, g->z};
  for (int k = 0; k < 3; k++) {
    if ((uint32_t)d->block[k] < extent[k]) continue;
    cli_wrong_call(d->c, "--block (%d, %d, %d) is outside of the grid of %u x %u x %u tile blocks",
                   d->block[0], d->block[1], d->block[2], g->x, g->y, g->z);
    return false;
  }
  return true;
}

static int session(void *user, const run_job *job) {
  debugger *d = user;
  d->job = job;
  d->module = job->module;
  d->entry = ir_find_symbol(d->module, str_of(job->kernel_name));
  if (!check_block(d)) return CLI_WRONG_CALL;
  while (debug_prompt(d)) launch(d);
  return CLI_OK;
}

/* ---- the call ------------------------------------------------------------------------------- */

/* X[,Y[,Z]], counted from 0. */
static bool parse_block(const char *p, int32_t block[3]) {
  for (int k = 0; k < 3; k++) {
    if (!isdigit((unsigned char)*p)) return false;
    char *end;
    errno = 0;
    unsigned long n = strtoul(p, &end, 10);
    if (errno || n > INT32_MAX) return false;
    block[k] = (int32_t)n;
    p = end;
    if (!*p) return true;
    if (*p++ != ',') return false;
  }
  return false;
}

static int read_call(debugger *d) {
  cli *c = d->c;
  const char *block = cli_value(c, OPT_BLOCK), *script = cli_value(c, OPT_EXECUTE);
  d->batch = cli_has(c, OPT_BATCH);
  if (block && !parse_block(block, d->block))
    return cli_wrong_call(c, "--block '%s': it takes X, X,Y or X,Y,Z, counted from 0", block);
  if (d->batch && !script)
    return cli_wrong_call(c, "--batch needs commands from a file: -x SCRIPT");
  if (strcmp(c->args[0], "-") == 0)
    return cli_wrong_call(c, "the program must be a file: standard input is for commands");
  if (!script) return CLI_OK;
  d->script = fopen(script, "re");
  if (d->script) return CLI_OK;
  cli_error(c, "cannot open '%s': %s", script, strerror(errno));
  return CLI_WRONG_INPUT;
}

int cli_debug(cli *c) {
  debugger d = {.watcher.step = step, .c = c, .echo = !isatty(STDIN_FILENO)};
  int status = read_call(&d);
  if (status == CLI_OK)
    status = run_planned(c, &(run_plan){.watcher = &d.watcher, .launch = session, .user = &d});
  if (d.script) fclose(d.script);
  free(d.typed);
  return status;
}
