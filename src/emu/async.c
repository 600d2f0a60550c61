/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Pending asynchronous operations: groups, lists, when they run.
 */
#include "emu/async.h"

#include <stdlib.h>

#include "emu/run.h"

/* ---- groups --------------------------------------------------------------------------------- */

void async_commit(async_groups *g) {
  g->end[g->committed++ % ASYNC_GROUPS] = g->time++;
}

uint32_t async_wait_time(const async_groups *g, uint32_t n) {
  if (n >= g->committed) return 0;
  if (n >= ASYNC_GROUPS) n = 0; /* more than are kept: waits for all, which is never too little */
  return g->end[(g->committed - 1 - n) % ASYNC_GROUPS];
}

/* ---- state ---------------------------------------------------------------------------------- */

async_warp *async_of_warp(emu_warp *w, const ptx_insn *i) {
  if (w->async) return w->async;
  async_warp *a = calloc(1, sizeof *a);
  if (!a) {
    emu_fail(w, i, -1, EMU_FAULT_MEMORY, "there is no memory for asynchronous operations");
    return NULL;
  }
  a->products.time = 1;
  for (unsigned l = 0; l < EMU_LANES; l++) a->lane[l].copies.time = a->lane[l].bulk.time = 1;
  return w->async = a;
}

async_block *async_of_block(emu_block *b) {
  if (b->async) return b->async;
  async_block *a = calloc(1, sizeof *a);
  if (a) a->random = b->grid->o.seed ^ b->linear;
  return b->async = a;
}

bool async_is_eager(emu_warp *w) {
  emu_async_mode mode = w->block->grid->o.async;
  if (mode != EMU_ASYNC_RANDOM) return mode == EMU_ASYNC_EAGER;
  async_block *a = async_of_block(w->block);
  return !a || next_random(&a->random) & 1;
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

bool async_run(async_op **list, uint32_t lanes, uint32_t time) {
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

bool mbarrier_flush(emu_block *b, uint64_t address) {
  async_block *a = b->async;
  bool any = false;
  for (async_op **list = a ? &a->bulk : NULL; list && *list;) {
    async_op *op = *list;
    if (op->mbarrier != address) {
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

static bool run_warp(emu_warp *w) {
  async_warp *a = w->async;
  if (!a) return false;
  bool any = async_run(&a->copies, EMU_ALL_LANES, UINT32_MAX);
  any |= async_run(&a->bulk, EMU_ALL_LANES, UINT32_MAX);
  return async_run(&a->wgmma, EMU_ALL_LANES, UINT32_MAX) || any;
}

bool async_progress(emu_cluster *c) {
  bool any = false;
  for (uint32_t k = 0; k < c->n_blocks; k++) {
    emu_block *b = &c->blocks[k];
    async_block *a = b->async;
    if (a) any |= async_run(&a->bulk, EMU_ALL_LANES, UINT32_MAX);
    for (uint32_t n = 0; n < b->n_warps; n++) any |= run_warp(&b->warps[n]);
  }
  return any;
}

static void end_warp(emu_warp *w) {
  async_warp *a = w->async;
  if (!a) return;
  free(a->registers);
  free(a);
  w->async = NULL;
}

/* Shared memory is gone when a block ends, so bulk groups that read it must have been waited for.
 */
static void check_bulk_groups(emu_warp *w) {
  async_warp *a = w->async;
  const struct emu_async_watch *watch = async_watch(w);
  for (unsigned l = 0; a && watch && watch->misuse && l < EMU_LANES; l++)
    if (a->lane[l].bulk.issued > a->lane[l].bulk.waited)
      watch->misuse(w->block->grid->o.watcher->user, w, a->lane[l].last_bulk, (int)l,
                    "cp.async.bulk.commit_group and wait_group.read before the thread ends",
                    "a bulk copy may still read shared memory when its block ends");
}

void async_cluster_end(emu_cluster *c) {
  for (uint32_t k = 0; k < c->n_blocks && !c->grid->stop; k++)
    for (uint32_t n = 0; n < c->blocks[k].n_warps; n++) check_bulk_groups(&c->blocks[k].warps[n]);
  while (async_progress(c)) {
  } /* an operation may lead to another */
  for (uint32_t k = 0; k < c->n_blocks; k++) {
    emu_block *b = &c->blocks[k];
    async_block *a = b->async;
    for (uint32_t n = 0; n < b->n_warps; n++) end_warp(&b->warps[n]);
    if (a) free(a->mbarriers), free(a->changed_maps);
    free(a);
    b->async = NULL;
  }
}
