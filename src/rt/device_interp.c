/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The device "interp": the reference interpreter, one tile block after the other, in any order.
 */
#include <stdio.h>
#include <time.h>

#include "rt/crash.h"
#include "rt/rt.h"

static bool interp_open(tsr_device *dev, const tsr_device_options *options) {
  (void)dev;
  (void)options; /* the order is every device's */
  return true;
}

static void interp_close(tsr_device *dev) {
  (void)dev;
}

static size_t interp_describe(const rt_device_kind *kind, char *out, size_t size) {
  (void)kind;
  return (size_t)snprintf(out, size,
                          "reference interpreter, exact in every element type and "
                          "rounding mode, 1 thread");
}

/* Who looks at the instructions must be known when they are made. */
static bool is_watched(const tsr_device *dev) {
  return dev->sanitize.checks || dev->watcher;
}

static bool interp_prepare_kernel(tsr_kernel *k) {
  struct timespec start, end;
  if (k->program->device->sanitize.checks && !rt_can_sanitize(k)) return false;
  clock_gettime(CLOCK_MONOTONIC, &start);
  const tsr_device *dev = k->program->device;
  interp_options how = {
      .watched = is_watched(dev), .copies = (interp_copies)dev->async, .seed = dev->order.seed};
  k->interp = interp_prepare_with(k->program->module, k->entry, &how);
  clock_gettime(CLOCK_MONOTONIC, &end);
  k->compile_ms =
      (double)(end.tv_sec - start.tv_sec) * 1e3 + (double)(end.tv_nsec - start.tv_nsec) * 1e-6;
  return k->interp != NULL;
}

static void interp_release_kernel(tsr_kernel *k) {
  interp_destroy(k->interp);
}

/* ---- launches ------------------------------------------------------------------------------- */

static bool is_stopped(const rt_launch_state *l, const sanitizer *s) {
  for (uint32_t k = 0; k < l->n_ranks; k++)
    if (atomic_load_explicit(&l->ranks[k]->stop, memory_order_relaxed)) return true;
  return atomic_load_explicit(&l->stop, memory_order_relaxed) || (s && sanitizer_stopped(s));
}

/* Tile blocks that wait for others, in the order in which they began to. */
typedef struct waiting {
  interp_running **blocks;
  size_t n, room;
} waiting;

enum { ROUNDS_BEFORE_WARNING = 1000 };

static bool add_waiting(tsr_context *ctx, waiting *w, interp_running *r) {
  if (w->n == w->room) {
    size_t room = MAX(2 * w->room, (size_t)16);
    interp_running **blocks = ctx_try_alloc(ctx, room * sizeof *blocks);
    if (!blocks) return false;
    if (w->n) memcpy(blocks, w->blocks, w->n * sizeof *blocks);
    ctx_free(ctx, w->blocks, w->room * sizeof *blocks);
    w->blocks = blocks;
    w->room = room;
  }
  w->blocks[w->n++] = r;
  return true;
}

static void count_ended(const rt_launch_state *l, uint64_t n) {
  rt_progress *p = l->device->progress;
  if (p) atomic_fetch_add_explicit(&p->done, n, memory_order_relaxed);
}

/* Each gets a turn; those that end leave. Returns how many did; SIZE_MAX: one failed. */
static size_t give_turns(rt_launch_state *l, waiting *w, const sanitizer *s) {
  size_t kept = 0, n = w->n;
  bool failed = false;
  for (size_t k = 0; k < n; k++) {
    interp_running *r = w->blocks[k];
    crash_running(l->kernel->name, interp_running_block(r));
    interp_state state = failed || is_stopped(l, s) ? INTERP_WAITS : interp_continue(r);
    failed |= state == INTERP_FAILED;
    if (state == INTERP_WAITS) w->blocks[kept++] = r;
  }
  w->n = kept;
  count_ended(l, n - kept);
  return failed ? SIZE_MAX : n - kept;
}

/* When all have had many turns and none has ended, they may wait for something that never comes.
 * They may also only be slow, so this continues. */
static void warn_of_waiting(rt_launch_state *l, const waiting *w) {
  const int32_t *id = interp_running_block(w->blocks[0])->id;
  diag(l->device->ctx, TSR_WARNING, NOWHERE,
       "'%s': %zu tile block%s, (%d, %d, %d) first, see the same again and again, and no other is "
       "left to change it; if this does not end, look at what they wait for",
       l->kernel->name, w->n, w->n == 1 ? "" : "s", id[0], id[1], id[2]);
}

static const char *param_name(const tsr_kernel *k, uint32_t index, char out[24]) {
  snprintf(out, 24, "argument %u", index + 1);
  return k->params[index].name ? k->params[index].name : out;
}

/* "element 3 of %flags of rank 1"; "" when no buffer of a rank has the address. */
static void name_place(const rt_launch_state *l, uint64_t address, char *out, size_t size) {
  *out = 0;
  for (uint32_t r = 0; r < l->n_ranks; r++) {
    const rt_launch_state *of = l->ranks[r];
    for (uint32_t k = 0; k < of->kernel->n_params; k++) {
      const tsr_buffer *b = of->given[k].kind == TSR_ARG_BUFFER ? of->given[k].buffer : NULL;
      if (!b || address < of->args[k] || address - of->args[k] >= b->size) continue;
      char number[24];
      snprintf(out, size, " for element %llu of %s%s of rank %u",
               (unsigned long long)((address - of->args[k]) /
                                    tsr_elem_storage(of->kernel->params[k].elem, 1)),
               of->kernel->params[k].name ? "%" : "", param_name(of->kernel, k, number), r);
      return;
    }
  }
}

/* All tile blocks of all ranks that are left see the same again and again: nothing will change. */
static void report_deadlock(rt_launch_state *l, const waiting *w) {
  enum { SHOWN = 8 };
  tsr_context *ctx = l->device->ctx;
  diag_error(
      ctx, NOWHERE,
      "deadlock: %zu tile block%s of '%s' wait%s, and no other is left in any rank to change "
      "what they see",
      w->n, w->n == 1 ? "" : "s", l->kernel->name, w->n == 1 ? "s" : "");
  for (size_t k = 0; k < MIN(w->n, (size_t)SHOWN); k++) {
    const rt_block *b = interp_running_block(w->blocks[k]);
    uint64_t address;
    char what[160] = "";
    const ir_op *op = interp_waiting_op(w->blocks[k], &address);
    if (op) name_place(l, address, what, sizeof what);
    diag_note(ctx, op ? ir_place(l->kernel->program->module, op->loc) : NOWHERE,
              "tile block (%d, %d, %d) of rank %u waits here%s", b->id[0], b->id[1], b->id[2],
              b->rank, what);
  }
  rt_fail(l, TSR_ERROR_TRAP);
}

/* Begins a tile block; after it, others that waited for it may continue. */
static bool run_waiting_block(rt_launch_state *l, interp_watcher *watcher, const sanitizer *s,
                              const rt_block *block, waiting *w) {
  interp_running *r = interp_start(l->kernel->interp, block, watcher);
  if (!r) return false;
  crash_running(l->kernel->name, interp_running_block(r));
  interp_state state = interp_continue(r);
  if (state == INTERP_FAILED) return false;
  count_ended(l, state == INTERP_DONE);
  if (state == INTERP_DONE) return w->n == 0 || give_turns(l, w, s) != SIZE_MAX;
  if (add_waiting(l->device->ctx, w, r)) return true;
  interp_drop(r);
  return false;
}

/* Clusters are executed as one: the grid of their first tile blocks, and such a tile block. Several
 * ranks are grids behind each other, along z. */
static tsr_grid grid_of_clusters(const rt_launch_state *l, uint64_t *total) {
  const uint32_t *size = l->kernel->cluster;
  uint32_t ranks = MAX(l->n_ranks, 1u);
  *total = ranks * (l->total / ((uint64_t)size[0] * size[1] * size[2]));
  return (tsr_grid){l->grid.x / size[0], l->grid.y / size[1], ranks * (l->grid.z / size[2])};
}

static void place_block(const rt_launch_state *l, tsr_grid grid, uint64_t total, uint64_t position,
                        rt_block *block) {
  int32_t id[3];
  order_block(&l->device->order, grid, total, position, id);
  if (l->n_ranks) {
    uint32_t deep = l->grid.z / l->kernel->cluster[2], rank = (uint32_t)id[2] / deep;
    *block = rt_block_for(l->ranks[rank], NULL);
    id[2] %= (int32_t)deep;
  }
  memcpy(block->id, id, sizeof id);
  for (unsigned d = 0; d < 3; d++) block->id[d] *= (int32_t)l->kernel->cluster[d];
}

/* Tile blocks that could wait for each other: one that waits for a later one lets it run. */
static bool run_taking_turns(rt_launch_state *l, interp_watcher *watcher, const sanitizer *s) {
  waiting w = {0};
  rt_block block = rt_block_for(l, NULL);
  bool ok = true;
  uint64_t total;
  tsr_grid grid = grid_of_clusters(l, &total);
  for (uint64_t i = 0; i < total && ok && !is_stopped(l, s); i++) {
    place_block(l, grid, total, i, &block);
    ok = run_waiting_block(l, watcher, s, &block, &w);
  }
  for (unsigned idle = 0; ok && w.n && !is_stopped(l, s);) {
    size_t ended = give_turns(l, &w, s);
    ok = ended != SIZE_MAX;
    idle = ended ? 0 : idle + 1;
    if (idle != ROUNDS_BEFORE_WARNING) continue;
    if (l->n_ranks)
      report_deadlock(l, &w);
    else
      warn_of_waiting(l, &w);
  }
  for (size_t k = 0; k < w.n; k++) interp_drop(w.blocks[k]);
  ctx_free(l->device->ctx, w.blocks, w.room * sizeof *w.blocks);
  return ok;
}

/* It has said what was wrong, unless a trap made it give up. */
static void fail_block(rt_launch_state *l) {
  rt_fail(l, interp_is_stuck(l->kernel->interp) ? TSR_ERROR_TRAP : TSR_ERROR_MEMORY);
}

/* Clusters count as one. */
static void begin_count(const rt_launch_state *l) {
  rt_progress *p = l->device->progress;
  if (!p) return;
  uint64_t total;
  grid_of_clusters(l, &total);
  rt_progress_begin(p, total);
}

/* Executes tile blocks until something says stop: the launch, or what looks at it. */
static void run_blocks(rt_launch_state *l, interp_watcher *watcher, const sanitizer *s) {
  begin_count(l);
  interp_program *p = l->kernel->interp;
  if (l->kernel->may_wait && (l->total > 1 || l->n_ranks > 1)) {
    if (!run_taking_turns(l, watcher, s)) fail_block(l);
    return;
  }
  rt_block block = rt_block_for(l, NULL);
  crash_running(l->kernel->name, &block);
  uint64_t total;
  tsr_grid grid = grid_of_clusters(l, &total);
  for (uint64_t i = 0; i < total; i++) {
    if (is_stopped(l, s)) return;
    place_block(l, grid, total, i, &block);
    bool done = watcher ? interp_run_watched(p, &block, watcher) : interp_run_block(p, &block);
    count_ended(l, done);
    if (done) continue;
    fail_block(l);
    return;
  }
}

/* ---- the sanitizer -------------------------------------------------------------------------- */

static void run_sanitized(rt_launch_state *l) {
  tsr_device *dev = l->device;
  arena a;
  arena_init(&a, dev->ctx);
  TSR_GUARD(dev->ctx, {
    rt_fail(l, TSR_ERROR_MEMORY);
    arena_free(&a);
    return;
  });
  sanitizer *s = rt_sanitizer_create(&a, l, l->kernel->interp);
  run_blocks(l, sanitizer_watcher(s), s);
  if (interp_is_stuck(l->kernel->interp)) sanitizer_break_off(s);
  if (sanitizer_finish(s)) rt_fail(l, TSR_ERROR_TRAP);
  TSR_UNGUARD(dev->ctx);
  arena_free(&a);
}

static void interp_launch(rt_launch_state *l) {
  tsr_device *dev = l->device;
  rt_lock(dev); /* the interpreter takes its memory from the context */
  if (dev->sanitize.checks)
    run_sanitized(l);
  else
    run_blocks(l, dev->watcher, NULL);
  rt_unlock(dev);
}

const rt_device_kind rt_interp = {
    .name = "interp",
    .checks = TSR_SANITIZE_ALL,
    .open = interp_open,
    .close = interp_close,
    .describe = interp_describe,
    .prepare = interp_prepare_kernel,
    .release = interp_release_kernel,
    .launch = interp_launch,
};
