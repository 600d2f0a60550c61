/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Pending asynchronous operations: groups, lists, when they run.
 */
#include "emu/async.h"

#include <stdlib.h>

#include "emu/random.h"

/* ---- groups --------------------------------------------------------------------------------- */

void async_commit(async_groups *g) {
  g->end[g->committed++ % ASYNC_GROUPS] = g->time++;
}

uint32_t async_wait_time(const async_groups *g, uint32_t n) {
  if (n >= g->committed) return 0;
  if (n >= ASYNC_GROUPS) n = 0; /* more than are kept: waits for all, which is never too little */
  return g->end[(g->committed - 1 - n) % ASYNC_GROUPS];
}

/* ---- when and who -----------------------------------------------------------------------------
 */

bool async_is_eager(emu_warp *w) {
  emu_async_mode mode = w->block->grid->o.async;
  if (mode != EMU_ASYNC_RANDOM) return mode == EMU_ASYNC_EAGER;
  return next_random(&w->block->random) & 1;
}

uint64_t async_thread(const emu_warp *w, unsigned lane) {
  return (uint64_t)w->block->rank * w->block->n_threads + emu_thread(w, lane);
}

const struct emu_async_watch *async_watch(const emu_warp *w) {
  const emu_watcher *watcher = w->block->grid->o.watcher;
  return watcher ? watcher->async : NULL;
}

void async_tell_access(emu_warp *w, const async_access *a) {
  const struct emu_async_watch *watch = async_watch(w);
  if (watch && watch->access) watch->access(w->block->grid->o.watcher->user, w, a);
}

void async_tell_misuse(emu_warp *w, const async_misuse *m) {
  const struct emu_async_watch *watch = async_watch(w);
  if (watch && watch->misuse) watch->misuse(w->block->grid->o.watcher->user, w, m);
}

/* ---- lists ---------------------------------------------------------------------------------- */

void async_issue(emu_warp *w, async_op **list, async_op *op) {
  if (async_is_eager(w)) {
    op->run(op);
    free(op);
    return;
  }
  async_defer(list, op);
}

void async_defer(async_op **list, async_op *op) {
  while (*list) list = &(*list)->next;
  op->next = NULL;
  *list = op;
}

bool async_run(async_op **list, emu_lanes lanes, uint32_t time) {
  bool any = false;
  while (*list) {
    async_op *op = *list;
    if (!(lanes >> op->lane & 1) || op->time > time) {
      list = &op->next;
      continue;
    }
    *list = op->next;
    op->run(op);
    free(op);
    any = true;
  }
  return any;
}
