/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Pending asynchronous operations of warps and blocks.
 */
#include "emu/ptx/pending.h"

#include <stdlib.h>

#include "emu/fault.h"

async_warp *async_of_warp(emu_warp *w, const ptx_insn *i) {
  if (w->async) return w->async;
  async_warp *a = calloc(1, sizeof *a);
  if (!a) {
    emu_fail(w, i, -1, EMU_FAULT_MEMORY, "there is no memory for asynchronous operations");
    return NULL;
  }
  a->products.time = 1;
  for (unsigned l = 0; l < PTX_LANES; l++) a->lane[l].copies.time = a->lane[l].bulk.time = 1;
  return w->async = a;
}

async_block *async_of_block(emu_block *b) {
  if (b->async) return b->async;
  return b->async = calloc(1, sizeof(async_block));
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
  bool any = async_run(&a->copies, PTX_ALL_LANES, UINT32_MAX);
  any |= async_run(&a->bulk, PTX_ALL_LANES, UINT32_MAX);
  return async_run(&a->wgmma, PTX_ALL_LANES, UINT32_MAX) || any;
}

bool async_progress(emu_cluster *c) {
  bool any = false;
  for (uint32_t k = 0; k < c->n_blocks; k++) {
    emu_block *b = &c->blocks[k];
    async_block *a = b->async;
    if (a) any |= async_run(&a->bulk, PTX_ALL_LANES, UINT32_MAX);
    for (uint32_t n = 0; n < b->n_warps; n++) any |= run_warp(&b->warps[n]);
  }
  return any;
}

static void end_warp(emu_warp *w) {
  async_warp *a = w->async;
  if (!a) return;
  async_forget_registers(a);
  free(a);
  w->async = NULL;
}

/* Shared memory is gone when a block ends, so bulk groups that read it must have been waited for.
 */
static void check_bulk_groups(emu_warp *w) {
  async_warp *a = w->async;
  for (unsigned l = 0; a && l < PTX_LANES; l++)
    if (a->lane[l].bulk.issued > a->lane[l].bulk.waited)
      async_tell_misuse(
          w, &(async_misuse){
                 .insn = a->lane[l].last_bulk,
                 .lane = (int)l,
                 .message = "a bulk copy may still read shared memory when its block ends",
                 .hint = "cp.async.bulk.commit_group and wait_group.read before the thread ends"});
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
