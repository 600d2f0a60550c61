/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "run_program.h"

#include <stdio.h>
#include <stdlib.h>

#include "exec/print.h"
#include "interp/interp.h"
#include "ir/verify.h"
#include "text/text.h"

/* The launch of a test: what its blocks' hooks find. */
struct rt_launch_state {
  run_log *log;
  tsr_context *ctx;
};

static void append(char *to, size_t size, const char *text, size_t length) {
  size_t used = strlen(to);
  length = MIN(length, size - 1 - used);
  memcpy(to + used, text, length);
  to[used + length] = 0;
}

static void on_diagnostic(void *user, const tsr_diagnostic *d) {
  run_log *log = user;
  char line[512];
  int n = snprintf(line, sizeof line, "%u:%u: %s\n", d->line, d->column, d->message);
  append(log->diagnostics, sizeof log->diagnostics, line, MIN((size_t)n, sizeof line - 1));
}

static void hook_print(rt_block *block, const char *format, size_t length, const rt_print_arg *args,
                       size_t count) {
  run_log *log = block->launch->log;
  arena a;
  arena_init(&a, block->launch->ctx);
  sbuf text = SBUF(&a);
  exec_print_format(&text, (str){format, length}, args, count);
  append(log->printed, sizeof log->printed, text.data ? text.data : "", text.len);
  arena_free(&a);
}

static void hook_assert_failed(rt_block *block, const char *message, const char *where,
                               const rt_print_arg *condition) {
  run_log *log = block->launch->log;
  log->asserts++;
  snprintf(log->message, sizeof log->message, "%s", message);
  snprintf(log->where, sizeof log->where, "%s", where ? where : "");
  log->first_false = -1;
  for (int64_t k = 0; condition && log->first_false < 0; k++)
    if (!((const char *)condition->data)[k]) log->first_false = k;
}

void run_printed(rt_block *block, const char *text, size_t length) {
  append(block->launch->log->printed, sizeof block->launch->log->printed, text, length);
}

void run_fault(rt_block *block, const char *text) {
  run_log *log = block->launch->log;
  char where[128] = "", message[128] = "";
  if (sscanf(text, "assertion '%127[^']' failed in %*[^,], %127s", message, where) == 2) {
    hook_assert_failed(block, message, where, NULL);
    return;
  }
  append(log->diagnostics, sizeof log->diagnostics, text, strlen(text));
  append(log->diagnostics, sizeof log->diagnostics, "\n", 1);
}

/* Tile blocks run one after the other here: none waits for another. */
static void hook_wait(rt_block *block) {
  (void)block;
}

static const rt_hooks hooks = {.print = hook_print,
                               .elementwise = exec_elementwise_run,
                               .assert_failed = hook_assert_failed,
                               .wait = hook_wait};

static bool run_ordered(ir_module *m, ir_op *entry, rt_block *block, run_grid grid, bool back) {
  interp_program *p = interp_prepare(m, entry);
  if (!p) return false;
  int64_t total = (int64_t)grid.x * grid.y * grid.z;
  bool done = true;
  for (int64_t n = 0; n < total && done; n++) {
    int64_t at = back ? total - 1 - n : n;
    block->id[0] = (int32_t)(at % grid.x);
    block->id[1] = (int32_t)(at / grid.x % grid.y);
    block->id[2] = (int32_t)(at / grid.x / grid.y);
    done = interp_run_block(p, block);
  }
  interp_destroy(p);
  return done;
}

bool run_interp(ir_module *m, ir_op *entry, rt_block *block, run_grid grid) {
  return run_ordered(m, entry, block, grid, false);
}

bool run_interp_backwards(ir_module *m, ir_op *entry, rt_block *block, run_grid grid) {
  return run_ordered(m, entry, block, grid, true);
}

/* Copies of the module's globals, in its order, each aligned to 256 bytes. */
static void **make_globals(const ir_module *m, arena *a) {
  VEC(void *) globals = {0};
  for (ir_op *op = ir_region(m->op, 0)->first; op; op = op->next) {
    if (op->opcode != OP_global) continue;
    const ir_dense *d = ir_get_attr(op, ATTR_value)->dense;
    size_t n = (size_t)d->type->count, bytes = tsr_elem_storage((tsr_elem)d->type->elem, n);
    char *memory = arena_alloc_zero(a, bytes + 256, 64);
    memory += -(uintptr_t)memory & 255;
    if (!d->splat) memcpy(memory, d->data, bytes);
    for (size_t k = 0; d->splat && k < n; k++) memcpy(memory + k * (bytes / n), d->data, bytes / n);
    vec_push(a, globals, memory);
  }
  return globals.data;
}

rt_block run_block(const ir_module *m, arena *a, run_grid grid, const uint64_t *args,
                   run_log *log) {
  rt_launch_state *launch = arena_new(a, rt_launch_state);
  *launch = (rt_launch_state){log, m->ctx};
  return (rt_block){.args = args,
                    .globals = make_globals(m, a),
                    .hooks = &hooks,
                    .launch = launch,
                    .grid = {grid.x, grid.y, grid.z}};
}

static bool run_module(run_engine engine, ir_module *m, const char *kernel, run_grid grid,
                       const uint64_t *args, run_log *log) {
  ir_op *entry = ir_find_symbol(m, str_of(kernel));
  if (!entry || entry->opcode != OP_entry) {
    append(log->diagnostics, sizeof log->diagnostics, "no such kernel\n", 15);
    return false;
  }
  arena a;
  arena_init(&a, m->ctx);
  rt_block block = run_block(m, &a, grid, args, log);
  bool done = engine(m, entry, &block, grid);
  arena_free(&a);
  return done;
}

tsr_context *run_context(run_log *log) {
  return tsr_context_create(&(tsr_context_options){.struct_size = sizeof(tsr_context_options),
                                                   .on_diagnostic = on_diagnostic,
                                                   .diagnostic_user = log});
}

bool run_program_on(run_engine engine, const char *text, const char *kernel, run_grid grid,
                    const uint64_t *args, run_log *log) {
  memset(log, 0, sizeof *log);
  tsr_context *ctx = run_context(log);
  TSR_GUARD(ctx, abort()); /* a test that runs out of memory */
  ir_module *m = text_parse(ctx, str_of(text), "test.mlir", false);
  bool done = m && ir_verify(m) && run_module(engine, m, kernel, grid, args, log);
  ir_module_destroy(m);
  TSR_UNGUARD(ctx);
  tsr_context_destroy(ctx);
  return done;
}

/* ---- the module of the last call ------------------------------------------------------------ */

static struct kept {
  tsr_context *ctx;
  ir_module *m; /* NULL: there is none */
  char *text;
  run_log *log;           /* of the call that is running */
  char diagnostics[2048]; /* when it was read */
  void (*on_end)(void);
} kept;

static void on_kept_diagnostic(void *user, const tsr_diagnostic *d) {
  (void)user;
  on_diagnostic(kept.log, d);
}

static void end_kept(void) {
  if (kept.on_end) kept.on_end();
  ir_module_destroy(kept.m);
  tsr_context_destroy(kept.ctx);
  free(kept.text);
  kept = (struct kept){.log = kept.log};
}

/* Reads and verifies it. */
static bool keep(const char *text) {
  kept.ctx = tsr_context_create(&(tsr_context_options){.struct_size = sizeof(tsr_context_options),
                                                       .on_diagnostic = on_kept_diagnostic});
  TSR_GUARD(kept.ctx, abort());
  kept.text = strdup(text);
  kept.m = text_parse(kept.ctx, str_of(kept.text), "test.mlir", false);
  bool good = kept.m && ir_verify(kept.m);
  TSR_UNGUARD(kept.ctx);
  memcpy(kept.diagnostics, kept.log->diagnostics, sizeof kept.diagnostics);
  return good;
}

bool run_is_kept(const ir_module *m, void (*on_end)(void)) {
  if (m != kept.m) return false;
  kept.on_end = on_end;
  return true;
}

bool run_program_kept(run_engine engine, const char *text, const char *kernel, run_grid grid,
                      const uint64_t *args, run_log *log) {
  memset(log, 0, sizeof *log);
  kept.log = log;
  if (!kept.text || strcmp(kept.text, text) != 0) {
    end_kept();
    if (!keep(text)) {
      end_kept();
      return false;
    }
  }
  memcpy(log->diagnostics, kept.diagnostics, sizeof log->diagnostics);
  TSR_GUARD(kept.ctx, abort());
  bool done = run_module(engine, kept.m, kernel, grid, args, log);
  TSR_UNGUARD(kept.ctx);
  return done;
}

bool run_program(const char *text, const char *kernel, run_grid grid, const uint64_t *args,
                 run_log *log) {
  return run_program_on(run_interp, text, kernel, grid, args, log);
}

uint32_t run_f32_bits(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

static size_t fill_from(char *out, size_t size, const char *text, const run_blank *blanks) {
  size_t n = 0;
  for (; *text; text++) {
    if (*text != '$') {
      if (n + 1 >= size) abort();
      out[n++] = *text;
      continue;
    }
    const run_blank *b = blanks;
    for (text++; b->name != *text; b++)
      if (b->name == 0) abort(); /* no such blank */
    n += fill_from(out + n, size - n, b->says, blanks);
  }
  out[n] = 0;
  return n;
}

void run_fill(char *out, size_t size, const char *text, const run_blank *blanks) {
  fill_from(out, size, text, blanks);
}
