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

/* The line of the file from which, at last, the operation comes: library functions lie in others.
 */
static uint32_t line_of_file(const debugger *d, const ir_op *op) {
  ir_frame frames[MAX_IR_FRAMES];
  unsigned n = ir_frames(d->module, op->loc, frames, MAX_IR_FRAMES);
  for (unsigned i = 0; i < n; i++)
    if (frames[i].at.file && strcmp(frames[i].at.file, d->file) == 0) return frames[i].at.line;
  return 0;
}

uint32_t debug_line_of(const debugger *d, const ir_op *op) {
  if (d->file) return line_of_file(d, op);
  place at = ir_place(d->module, op->loc);
  return at.src == d->module->source ? at.line : 0;
}

/* Where the kernel was written in another file that can be read, that one is shown. */
static void find_file(debugger *d) {
  place at = ir_place(d->module, d->entry->loc);
  if (!at.line || !at.file || at.src == d->module->source || access(at.file, R_OK)) return;
  if (file_read(d->c->ctx, &d->c->arena, at.file, INT32_MAX, &d->text)) d->file = at.file;
}

/* Line `number` of the source, without its end; false when there is none. */
static bool find_line(const debugger *d, uint32_t number, str *out) {
  const source *src = d->module->source;
  if ((!src && !d->file) || number == 0) return false;
  str text = d->file ? d->text : src->text;
  const char *p = text.data, *end = p + text.len;
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
  if (debug_has_line(d, line)) {
    debug_show_line(d, line, true);
    return;
  }
  place at = ir_place(d->module, d->at->loc);
  printf("-> %s", ir_row(d->at)->name);
  if (at.file && at.line) printf(", %s:%u", at.file, at.line);
  putchar('\n');
}

/* ---- stopping ------------------------------------------------------------------------------- */

/* Many operations come from one line of another file; the first of them is where to stop. A loop
 * begins its lines again. */
static bool begins_line(debugger *d, const ir_op *op) {
  const ir_op *loop = op->block->parent;
  if (!op->prev && (loop->opcode == OP_for || loop->opcode == OP_loop)) d->passed = 0;
  uint32_t line = debug_line_of(d, op), passed = d->passed;
  if (line) d->passed = line;
  return !d->file || (line && line != passed);
}

static bool is_part_of_line(const debugger *d, const ir_op *op, uint32_t line) {
  for (const ir_op *p = op->block->parent; p != d->entry; p = p->block->parent)
    if (debug_line_of(d, p) == line) return true;
  return false;
}

static const breakpoint *breakpoint_at(const debugger *d, const ir_op *op, bool begins) {
  for (uint32_t k = 0; k < d->breaks.len; k++) {
    const breakpoint *b = &d->breaks.data[k];
    if (b->line ? begins && debug_line_of(d, op) == b->line : op->opcode == b->opcode) return b;
  }
  return NULL;
}

static bool is_chosen(const debugger *d, const rt_block *b) {
  return memcmp(b->id, d->block, sizeof d->block) == 0;
}

/* Why to stop before an operation, if at all. */
static bool stops_at(debugger *d, const ir_op *op, const breakpoint **why) {
  bool begins = begins_line(d, op);
  *why = breakpoint_at(d, op, begins);
  switch (d->mode) {
  case DEBUG_STEP: return *why || begins;
  case DEBUG_NEXT:
    if (*why) return true;
    return begins && !ir_is_inside(op, d->anchor) &&
           !(d->file && is_part_of_line(d, op, d->stopped));
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
  d->stopped = debug_line_of(d, op);
  d->listed = 0;
  if (why) printf("breakpoint %u in tile block (%d, %d, %d)\n", why->number, id[0], id[1], id[2]);
  debug_show_place(d);
  bool goes_on = debug_prompt(d);
  return goes_on;
}

/* Whether to show what the operation gave: all that was stopped at, or what the line where the
 * execution stood gave a name. */
static bool shows_results(const debugger *d, const ir_op *op, bool stopped) {
  if (d->mode == DEBUG_FREE || d->ended) return false;
  if (!d->file) return stopped;
  return op->n_results && op->results[0].name && debug_line_of(d, op) == d->stopped;
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
  if (done && shows_results(d, op, stops)) {
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
  d->passed = d->stopped = 0;
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
  find_file(d);
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
