/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Several ranks as one launch of the interpreter: their tile blocks take turns as those of one
 * grid, each with its rank's arguments and globals, so that what waits for another rank goes on, in
 * any order, and the sanitizer sees all of them.
 */
#include <stdio.h>

#include <tessera/ranks.h>

#include "rt/crash.h"
#include "rt/rt.h"

enum { MOST_RANKS = 1024 };

static const char *call_problem(tsr_kernel *const *kernels, unsigned n, char *out, size_t size) {
  const tsr_kernel *first = kernels[0];
  if (n < 1 || n > MOST_RANKS) {
    snprintf(out, size, "%u ranks: it takes 1 to %d", n, MOST_RANKS);
    return out;
  }
  if (first->program->device->kind != &rt_interp) return "it takes kernels of the device 'interp'";
  for (unsigned k = 1; k < n; k++) {
    if (!kernels[k]) return "a kernel is NULL";
    if (kernels[k]->program->device != first->program->device || kernels[k]->entry != first->entry)
      return "it takes one kernel, of programs of one device and module";
    for (unsigned j = 0; j < k; j++)
      if (kernels[j] == kernels[k]) return "each rank needs a program of its own, for its globals";
  }
  return NULL;
}

/* What the launch of each rank needs. */
typedef struct rank_launches {
  rt_launch_state *all, **list;
  rt_trap *traps;
  uint64_t *words;
} rank_launches;

static void fill(const rank_launches *r, tsr_kernel *const *kernels, unsigned n, tsr_grid grid,
                 const tsr_arg *const *args) {
  for (unsigned k = 0; k < n; k++) {
    r->traps[k].count = 0;
    r->list[k] = &r->all[k];
    r->all[k] = (rt_launch_state){.kernel = kernels[k],
                                  .device = kernels[k]->program->device,
                                  .grid = grid,
                                  .args = r->words + k * kernels[0]->n_params,
                                  .given = args[k],
                                  .ranks = r->list,
                                  .n_ranks = n,
                                  .rank = k,
                                  .trap = &r->traps[k]};
  }
}

static bool check(const rank_launches *r, unsigned n, tsr_grid grid, size_t count) {
  tsr_kernel *first = r->all[0].kernel;
  uint64_t all;
  for (unsigned k = 0; k < n; k++) {
    rt_launch_state *l = &r->all[k];
    uint64_t *words = r->words + k * first->n_params;
    if (!rt_read_args(l->kernel, l->given, count, words)) return false;
    if (!rt_read_grid(l->kernel, grid, &l->total)) return false;
  }
  return grid.z <= UINT32_MAX / n &&
         rt_read_grid(first, (tsr_grid){grid.x, grid.y, grid.z * n}, &all);
}

static tsr_status launch_all(const rank_launches *r, unsigned n, tsr_grid grid, size_t count) {
  if (!check(r, n, grid, count)) return TSR_ERROR_USAGE;
  r->all[0].device->kind->launch(&r->all[0]);
  crash_running(NULL, NULL);
  tsr_status status = TSR_OK;
  for (unsigned k = 0; k < n; k++) {
    if (r->traps[k].count) rt_report_trap(&r->all[k]);
    if (status == TSR_OK) status = r->all[k].status;
  }
  return status;
}

tsr_status tsr_launch_ranks(tsr_kernel *const *kernels, unsigned n, tsr_grid grid,
                            const tsr_arg *const *args, size_t count) {
  if (!kernels || !kernels[0] || !args) return TSR_ERROR_USAGE;
  tsr_device *dev = kernels[0]->program->device;
  char text[64];
  const char *problem = call_problem(kernels, n, text, sizeof text);
  if (problem) {
    rt_error(dev, "tsr_launch_ranks: %s", problem);
    return TSR_ERROR_USAGE;
  }
  arena a;
  arena_init(&a, dev->ctx);
  TSR_GUARD(dev->ctx, {
    arena_free(&a);
    return TSR_ERROR_MEMORY;
  });
  rank_launches r = {.all = arena_array(&a, rt_launch_state, n),
                     .list = arena_array(&a, rt_launch_state *, n),
                     .traps = arena_array(&a, rt_trap, n),
                     .words = arena_array(&a, uint64_t, n * kernels[0]->n_params + 1)};
  fill(&r, kernels, n, grid, args);
  tsr_status status = launch_all(&r, n, grid, count);
  TSR_UNGUARD(dev->ctx);
  arena_free(&a);
  return status;
}
