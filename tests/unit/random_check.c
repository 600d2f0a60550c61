/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "random_check.h"

#include <stdio.h>
#include <stdlib.h>

#include <tessera/module.h>

#include "bytecode/bytecode.h"
#include "interp/interp.h"
#include "ir/block/clusters.h"
#include "ir/verify.h"
#include "opt/opt.h"
#include "run_program.h"
#include "text/text.h"

/* What all kernels of a program leave under one engine. */
typedef struct trace {
  uint8_t *memory; /* of kernel 0, then of kernel 1, … */
  run_log *logs;   /* likewise */
  void *const *globals;
} trace;

typedef struct check {
  const random_program *p;
  uint64_t seed;
  size_t bytes;   /* of a kernel's memory */
  uint8_t *start; /* what it starts with, of all kernels */
  uint8_t *room;  /* where engines work: at one address for all, as kernels may look at it */
  tsr_context *ctx;
  run_log log; /* diagnostics */
  arena arena;
} check;

static void set_block(rt_block *b, unsigned index) {
  b->id[0] = (int32_t)index;
  b->id[1] = b->id[2] = 0;
}

/* The interpreter executes a cluster as its first tile block. */
static unsigned cluster_of(const ir_op *entry) {
  return ir_cluster_of(entry, (uint32_t[3]){0});
}

bool random_interpret(const random_engine *e, ir_module *m, ir_op *const *entries, rt_block *blocks,
                      unsigned n) {
  (void)e;
  bool ok = true;
  for (unsigned k = 0; k < n && ok; k++) {
    interp_program *program = interp_prepare(m, entries[k]);
    ok = program != NULL;
    for (unsigned b = 0; b < RANDOM_BLOCKS && ok; b += cluster_of(entries[k])) {
      set_block(&blocks[k], b);
      ok = interp_run_block(program, &blocks[k]);
    }
    interp_destroy(program);
  }
  return ok;
}

sanitizer *random_sanitizer(arena *a, const random_engine *e, interp_program *p,
                            const rt_block *block, unsigned checks) {
  sanitizer_memory *params = arena_array(a, sanitizer_memory, RANDOM_ARGS);
  memset(params, 0, RANDOM_ARGS * sizeof *params);
  params[0] = (sanitizer_memory){block->args[0], e->memory, true};
  return sanitizer_create(a, p, &(sanitizer_options){.checks = checks},
                          &(sanitizer_rank){params, block->globals}, 1);
}

static bool run_sanitized(const random_engine *e, interp_program *p, const ir_op *entry,
                          rt_block *block, arena *a) {
  unsigned checks = TSR_SANITIZE_ALL;
  if (e->wild) checks &= ~(unsigned)TSR_SANITIZE_ARITH;
  sanitizer *s = random_sanitizer(a, e, p, block, checks);
  bool ok = true;
  for (unsigned b = 0; b < RANDOM_BLOCKS && ok; b += cluster_of(entry)) {
    set_block(block, b);
    ok = interp_run_watched(p, block, sanitizer_watcher(s));
  }
  return sanitizer_finish(s) == 0 && ok;
}

bool random_sanitize(const random_engine *e, ir_module *m, ir_op *const *entries, rt_block *blocks,
                     unsigned n) {
  bool ok = true;
  for (unsigned k = 0; k < n && ok; k++) {
    arena a;
    arena_init(&a, m->ctx);
    interp_program *p = interp_prepare_watched(m, entries[k]);
    ok = p && run_sanitized(e, p, entries[k], &blocks[k], &a);
    interp_destroy(p);
    arena_free(&a);
  }
  return ok;
}

static bool same_globals(const ir_module *m, void *const *a, void *const *b, char *what,
                         size_t size) {
  unsigned index = 0;
  for (ir_op *op = ir_region(m->op, 0)->first; op; op = op->next) {
    if (op->opcode != OP_global) continue;
    const ir_dense *d = ir_get_attr(op, ATTR_value)->dense;
    size_t bytes = tsr_elem_storage((tsr_elem)d->type->elem, (size_t)d->type->count);
    if (memcmp(a[index], b[index], bytes)) {
      str name = ir_symbol_name(op);
      snprintf(what, size, "global @" STR_FMT " differs", STR_ARG(name));
      return false;
    }
    index++;
  }
  return true;
}

static ir_module *read_again(check *c, ir_module *m) {
  sbuf bytes = SBUF(&c->arena);
  if (!bytecode_write(&bytes, m, (ir_version)BYTECODE_NEWEST)) return NULL;
  return tsr_module_read_bytecode(c->ctx, bytes.data, bytes.len, "random.tileirbc", 0);
}

static ir_module *load(check *c, const random_engine *e) {
  ir_module *m = text_parse(c->ctx, str_of(c->p->text), "random.mlir", false);
  if (!m || !ir_verify(m)) goto failed;
  if (e->bytecode) {
    ir_module *other = read_again(c, m);
    ir_module_destroy(m);
    m = other;
    if (!m || !ir_verify(m)) goto failed;
  }
  tsr_optimize_options o = {.struct_size = sizeof o, .verify_each = true};
  if (e->passes && tsr_module_optimize(m, e->passes, &o) != TSR_OK) goto failed;
  return m;
failed:
  ir_module_destroy(m);
  return NULL;
}

/* Runs an engine; the trace lives in the check's arena. NULL: it failed. */
static trace *run(check *c, const random_engine *e, ir_module *m) {
  unsigned n = c->p->n_kernels;
  trace *t = arena_new(&c->arena, trace);
  t->logs = arena_array(&c->arena, run_log, n);
  memset(t->logs, 0, n * sizeof *t->logs);
  rt_block *blocks = arena_array(&c->arena, rt_block, n);
  ir_op **entries = arena_array(&c->arena, ir_op *, n);
  memcpy(c->room, c->start, n * c->bytes);
  for (unsigned k = 0; k < n; k++) {
    uint64_t *args = arena_array(&c->arena, uint64_t, RANDOM_ARGS);
    char name[16];
    snprintf(name, sizeof name, "k%u", k);
    entries[k] = ir_find_symbol(m, str_of(name));
    random_arguments(args, c->room + k * c->bytes, c->seed + k);
    blocks[k] = run_block(m, &c->arena, (run_grid){RANDOM_BLOCKS, 1, 1}, args, &t->logs[k]);
    blocks[k].globals = blocks[0].globals;
  }
  t->globals = blocks[0].globals;
  if (!e->run(e, m, entries, blocks, n)) return NULL;
  t->memory = arena_alloc(&c->arena, n * c->bytes, 64);
  memcpy(t->memory, c->room, n * c->bytes);
  return t;
}

enum { MOST_LINES = sizeof((run_log *)0)->printed };

static size_t lines_of(const char *text, str *out) {
  size_t n = 0;
  for (size_t length; *text && n < MOST_LINES; text += length) {
    length = strcspn(text, "\n");
    length += text[length] == '\n';
    out[n++] = (str){text, length};
  }
  return n;
}

/* Whether `got` is made of the first `split` lines and of the others, each in their order. */
static bool is_merged(const str *lines, size_t n, size_t split, const str *got) {
  static bool taken[MOST_LINES + 1]; /* so many of the first ones, after k lines */
  memset(taken, 0, sizeof taken);
  taken[0] = true;
  for (size_t k = 0; k < n; k++) {
    bool any = false;
    for (size_t i = MIN(split, k + 1) + 1; i-- > 0;) {
      bool first = i > 0 && taken[i - 1] && str_eq(lines[i - 1], got[k]);
      bool other = i <= k && taken[i] && split + k - i < n && str_eq(lines[split + k - i], got[k]);
      taken[i] = first || other;
      any |= taken[i];
    }
    if (!any) return false;
  }
  return true;
}

/* Tile blocks run at a time on a GPU: each says its lines in their order, which of both does so
 * first is open. */
static bool same_text(const random_engine *e, const char *expected, const char *got) {
  static str a[MOST_LINES], b[MOST_LINES];
  _Static_assert(RANDOM_BLOCKS == 2, "is_merged knows two");
  if (strcmp(expected, got) == 0) return true;
  if (!e->target || strlen(expected) != strlen(got)) return false;
  size_t n = lines_of(expected, a);
  if (lines_of(got, b) != n) return false;
  for (size_t split = 0; split <= n; split++)
    if (is_merged(a, n, split, b)) return true;
  return false;
}

static bool compare(check *c, const random_engine *e, ir_module *m, const trace *expected,
                    const trace *t, random_outcome *out) {
  bool stopped = false;
  for (unsigned k = 0; k < c->p->n_kernels; k++) {
    const uint8_t *a = expected->memory + k * c->bytes, *b = t->memory + k * c->bytes;
    const run_log *x = &expected->logs[k], *y = &t->logs[k];
    out->kernel = k;
    if (e->stops && x->asserts && y->asserts) {
      stopped = true;
      continue;
    }
    if (!random_same(c->p, k, a, b, e->exact)) {
      random_difference(c->p, k, a, b, e->exact, out->what, sizeof out->what);
      return false;
    }
    if (!same_text(e, x->printed, y->printed)) {
      snprintf(out->what, sizeof out->what, "printed \"%.300s\", expected \"%.300s\"", y->printed,
               x->printed);
      return false;
    }
    if (x->asserts != y->asserts || strcmp(x->message, y->message)) {
      snprintf(out->what, sizeof out->what,
               "%u asserts failed, the last with '%s'; expected %u, '%s'", y->asserts, y->message,
               x->asserts, x->message);
      return false;
    }
  }
  out->kernel = 0;
  return stopped || same_globals(m, expected->globals, t->globals, out->what, sizeof out->what);
}

static bool check_engine(check *c, const random_engine *given, const trace *expected,
                         random_outcome *out) {
  random_engine copy = *given, *e = &copy;
  copy.memory = c->bytes;
  copy.wild = c->p->limits.wild;
  if (e->plainer) copy.without = hash_mix(1, c->seed >> 6); /* the same for programs cut down */
  memset(c->log.diagnostics, 0, sizeof c->log.diagnostics);
  ir_module *m = load(c, e);
  trace *t = m ? run(c, e, m) : NULL;
  out->engine = given;
  bool same = t && compare(c, e, m, expected, t, out);
  if (!t) snprintf(out->what, sizeof out->what, "failed: %.700s", c->log.diagnostics);
  ir_module_destroy(m);
  return same;
}

static void check_all(check *c, const random_engine *engines, unsigned n_engines,
                      random_outcome *out) {
  static const random_engine reference = {.name = "interp", .run = random_interpret};
  ir_module *m = load(c, &reference);
  trace *expected = m ? run(c, &reference, m) : NULL;
  ir_module_destroy(m);
  out->agreed = expected != NULL;
  if (!expected) snprintf(out->what, sizeof out->what, "no program: %.700s", c->log.diagnostics);
  for (unsigned i = 0; i < n_engines && out->agreed; i++)
    out->agreed = check_engine(c, &engines[i], expected, out);
}

void random_check(const random_program *p, uint64_t seed, const random_engine *engines,
                  unsigned n_engines, random_outcome *out) {
  check *c = calloc(1, sizeof *c);
  if (!c) abort();
  *out = (random_outcome){0};
  c->p = p;
  c->seed = seed;
  c->bytes = random_memory(&p->limits);
  c->ctx = run_context(&c->log);
  arena_init(&c->arena, c->ctx);
  TSR_GUARD(c->ctx, abort()); /* a test that runs out of memory */
  c->start = arena_alloc(&c->arena, p->n_kernels * c->bytes, 64);
  c->room = arena_alloc(&c->arena, p->n_kernels * c->bytes, 64);
  for (unsigned k = 0; k < p->n_kernels; k++)
    random_fill(c->start + k * c->bytes, &p->limits, seed + k);
  check_all(c, engines, n_engines, out);
  TSR_UNGUARD(c->ctx);
  arena_free(&c->arena);
  tsr_context_destroy(c->ctx);
  free(c);
}
