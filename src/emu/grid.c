/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A launch: checks, the queue of clusters, the host threads that execute them.
 *
 * A cluster is executed in slices. One that has used its slice up goes behind the others that wait
 * for their turn, and before it has the next, a new cluster is begun as long as the card has room
 * for it (as many blocks as would be resident there). So blocks that wait for each other get on if
 * they would on the card, and memory grows with the card, not with the grid.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "emu/cluster.h"
#include "emu/fault.h"
#include "emu/isa.h"

/* Slices grow, so that blocks that wait for each other get round soon, and others are seldom
 * interrupted. */
enum { FIRST_SLICE = 1 << 14, LAST_SLICE = 1 << 20, MAX_HOST_THREADS = 256 };

typedef struct emu_queue {
  emu_grid *grid;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  uint64_t next; /* cluster to be begun */
  uint64_t done;
  uint64_t resident, max_resident; /* clusters */
  emu_cluster *first, **last;      /* that have had a slice */
  emu_cluster *spare;              /* memory of clusters that have ended */
} emu_queue;

/* ---- checks --------------------------------------------------------------------------------- */

static bool wrong(const emu_grid *g, const char *fmt, ...) PRINTF_LIKE(2, 3);
static bool wrong(const emu_grid *g, const char *fmt, ...) {
  char text[256];
  va_list args;
  va_start(args, fmt);
  vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  diag_error(g->program->ctx, NOWHERE, "@%s: %s", g->entry->name, text);
  return false;
}

static bool check_dimensions(emu_grid *g) {
  const emu_isa *isa = g->program->isa;
  const emu_words *words = isa->words;
  const uint32_t *most = isa->max_grid, *block_most = isa->max_block;
  const emu_launch_options *o = &g->o;
  for (int k = 0; k < 3; k++) {
    if (o->grid[k] == 0 || o->grid[k] > most[k])
      return wrong(g, "a grid has 1 to %u blocks along %c, not %u", most[k], "xyz"[k],
                   o -> grid[k]);
    if (o->block[k] == 0 || o->block[k] > block_most[k])
      return wrong(g, "a block has 1 to %u threads along %c, not %u", block_most[k], "xyz"[k],
                   o -> block[k]);
  }
  uint64_t threads = (uint64_t)o->block[0] * o->block[1] * o->block[2];
  if (threads > EMU_MAX_BLOCK_THREADS)
    return wrong(g, "a block has at most %d threads, not %llu", EMU_MAX_BLOCK_THREADS,
                 (unsigned long long)threads);
  const uint32_t *need = g->entry->required_threads, *max = g->entry->max_threads;
  if (need[0] && (need[0] != o->block[0] || need[1] != o->block[1] || need[2] != o->block[2]))
    return wrong(g, "the entry says %s %u, %u, %u; the block is %u, %u, %u", words->required_block,
                 need[0], need[1], need[2], o->block[0], o->block[1], o->block[2]);
  if (max[0] && threads > (uint64_t)max[0] * max[1] * max[2])
    return wrong(g, "the entry says %s %u, %u, %u; the block has %llu threads", words->max_block,
                 max[0], max[1], max[2], (unsigned long long)threads);
  return true;
}

static bool check_cluster(emu_grid *g) {
  emu_launch_options *o = &g->o;
  const emu_words *words = g->program->isa->words;
  const uint32_t *wanted = g->entry->cluster;
  for (int k = 0; k < 3; k++) {
    if (o->cluster[k] == 0) o->cluster[k] = wanted[k] ? wanted[k] : 1;
    if (wanted[0] && o->cluster[k] != wanted[k])
      return wrong(g, "the entry says %s %u, %u, %u", words->required_cluster, wanted[0], wanted[1],
                   wanted[2]);
    if (o->grid[k] % o->cluster[k])
      return wrong(g, "the grid's %u blocks along %c are no multiple of the cluster's %u",
                   o->grid[k], "xyz"[k], o -> cluster[k]);
  }
  uint64_t n = (uint64_t)o->cluster[0] * o->cluster[1] * o->cluster[2];
  if (n > 1 && !gpu_can(g->device->info, GPU_CLUSTERS))
    return wrong(g, "%s; the device is an %s", words->no_clusters, g->device->info->name);
  if (n > EMU_MAX_CLUSTER)
    return wrong(g, "a cluster has at most %d blocks, not %llu", EMU_MAX_CLUSTER,
                 (unsigned long long)n);
  g->n_clusters = (uint64_t)o->grid[0] * o->grid[1] * o->grid[2] / n;
  g->n_blocks = g->n_clusters * n;
  return true;
}

static bool check_shared(emu_grid *g) {
  uint64_t shared = (uint64_t)g->entry->shared_bytes + g->o.dynamic_shared;
  if (shared <= g->device->info->shared_bytes) return true;
  return wrong(g, "a block needs %llu bytes of shared memory (%u of them dynamic); an %s has %u",
               (unsigned long long)shared, g->o.dynamic_shared, g->device->info->name,
               g->device->info->shared_bytes);
}

/* Clusters that the card holds at once. */
static uint64_t max_resident(const emu_grid *g) {
  const emu_device_info *card = g->device->info;
  uint32_t threads = g->o.block[0] * g->o.block[1] * g->o.block[2], lanes = g->entry->lanes;
  uint32_t shared = g->entry->shared_bytes + g->o.dynamic_shared;
  uint32_t n = card->max_warps / ((threads + lanes - 1) / lanes);
  if (card->max_blocks) n = MIN(n, card->max_blocks); /* 0: it isn't known */
  if (shared) n = MIN(n, MAX(card->shared_sm / shared, 1u));
  uint32_t size = g->o.cluster[0] * g->o.cluster[1] * g->o.cluster[2];
  return MAX((uint64_t)MAX(n, 1u) * card->multiprocessors / size, UINT64_C(1));
}

/* ---- the queue ------------------------------------------------------------------------------ */

static emu_cluster *begin_cluster(emu_queue *q) {
  emu_cluster *c = q->spare;
  uint64_t number = q->next++;
  if (q->grid->o.schedule == EMU_ADVERSARIAL) number = q->grid->n_clusters - 1 - number;
  q->resident++;
  if (c) q->spare = c->next;
  pthread_mutex_unlock(&q->lock);
  if (!c) c = cluster_create(q->grid);
  if (!c) {
    emu_fault f = {.kind = EMU_FAULT_MEMORY, .warp = -1, .lane = -1};
    snprintf(f.message, sizeof f.message, "there is no memory for a block");
    emu_grid_fail(q->grid, NULL, &f);
  } else if (!cluster_begin(c, number)) {
    q->grid->stop = 1;
  }
  if (c) c->slice = FIRST_SLICE;
  pthread_mutex_lock(&q->lock);
  return c;
}

/* The next to execute; NULL when there is none now. Under the lock. */
static emu_cluster *take(emu_queue *q, bool *fresh) {
  bool can_begin = q->next < q->grid->n_clusters && q->resident < q->max_resident;
  *fresh = can_begin;
  if (can_begin) return begin_cluster(q);
  emu_cluster *c = q->first;
  if (!c) return NULL;
  q->first = c->next;
  if (!q->first) q->last = &q->first;
  return c;
}

static void put_back(emu_queue *q, emu_cluster *c) {
  c->next = NULL;
  *q->last = c;
  q->last = &c->next;
}

/* Under the lock. */
static void tell_progress(const emu_queue *q) {
  const emu_grid *g = q->grid;
  if (g->o.on_progress)
    g->o.on_progress(g->o.progress_user, q->done * (g->n_blocks / g->n_clusters), g->n_blocks);
}

static void work(void *argument) {
  emu_queue *q = argument;
  emu_grid *g = q->grid;
  pthread_mutex_lock(&q->lock);
  while (q->done < g->n_clusters && !g->stop) {
    bool fresh;
    emu_cluster *c = take(q, &fresh);
    if (!c) {
      if (g->stop || q->done >= g->n_clusters) break;
      if (q->next >= g->n_clusters && !q->first) break; /* what is left is being executed */
      pthread_cond_wait(&q->changed, &q->lock);
      continue;
    }
    pthread_mutex_unlock(&q->lock);
    bool ended = g->stop || cluster_run(c, c->slice);
    c->slice = MIN(2 * c->slice, (uint64_t)LAST_SLICE);
    if (ended) cluster_end(c);
    pthread_mutex_lock(&q->lock);
    if (ended) {
      q->done++;
      q->resident--;
      c->next = q->spare;
      q->spare = c;
    } else {
      put_back(q, c);
    }
    tell_progress(q);
    pthread_cond_broadcast(&q->changed);
  }
  pthread_cond_broadcast(&q->changed);
  pthread_mutex_unlock(&q->lock);
}

static void destroy_clusters(emu_cluster *c) {
  while (c) {
    emu_cluster *next = c->next;
    cluster_destroy(c);
    c = next;
  }
}

/* ---- host threads --------------------------------------------------------------------------- */

static void *work_in_thread(void *q) {
  work(q);
  return NULL;
}

static void run_on_threads(emu_queue *q, unsigned n) {
  pthread_t threads[MAX_HOST_THREADS];
  unsigned started = 0;
  while (started + 1 < n && pthread_create(&threads[started], NULL, work_in_thread, q) == 0)
    started++;
  work(q);
  for (unsigned k = 0; k < started; k++) pthread_join(threads[k], NULL);
}

static unsigned host_threads(const emu_grid *g) {
  const emu_watcher *watcher = g->o.watcher;
  if ((watcher && watcher->serial) || g->o.schedule != EMU_RR) return 1; /* the same every time */
  unsigned n = g->o.threads;
  if (n == 0) {
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    n = cores < 1 ? 1 : (unsigned)cores;
  }
  n = MIN(n, (unsigned)MAX_HOST_THREADS);
  return (unsigned)MIN((uint64_t)n, g->n_clusters);
}

static void execute(emu_grid *g) {
  emu_queue q = {.grid = g, .max_resident = max_resident(g)};
  q.last = &q.first;
  if (g->o.cooperative) q.max_resident = g->n_clusters;
  pthread_mutex_init(&q.lock, NULL);
  pthread_cond_init(&q.changed, NULL);
  unsigned n = host_threads(g);
  if (n > 1 && g->o.parallel)
    g->o.parallel(g->o.parallel_user, n, work, &q);
  else
    run_on_threads(&q, n);
  for (emu_cluster *c = q.first; c; c = c->next) cluster_end(c); /* a fault stopped them */
  destroy_clusters(q.first);
  destroy_clusters(q.spare);
  pthread_cond_destroy(&q.changed);
  pthread_mutex_destroy(&q.lock);
}

/* ---- the launch ----------------------------------------------------------------------------- */

static bool prepare(emu_grid *g) {
  if (!check_dimensions(g) || !check_cluster(g) || !check_shared(g)) return false;
  if (g->o.cooperative && g->n_clusters > max_resident(g))
    return wrong(g, "a cooperative grid of %llu blocks does not fit the card, which holds %llu",
                 (unsigned long long)g->n_blocks,
                 (unsigned long long)(max_resident(g) * (g->n_blocks / g->n_clusters)));
  return true;
}

static bool make_params(emu_grid *g) {
  g->params = calloc(1, (size_t)g->entry->param_bytes + 16);
  if (g->params && g->entry->param_bytes && g->o.params)
    memcpy(g->params, g->o.params, g->entry->param_bytes);
  return g->params != NULL;
}

static void run_watched(emu_grid *g) {
  const emu_watcher *watcher = g->o.watcher;
  emu_device_begin(g->device);
  if (watcher && watcher->launch_begin) watcher->launch_begin(watcher->user, g);
  execute(g);
  if (watcher && watcher->launch_end) watcher->launch_end(watcher->user, g);
  emu_device_end(g->device);
}

tsr_status emu_run(const emu_program *p, const emu_entry *entry, const emu_launch_options *o,
                   emu_fault *fault) {
  emu_grid g = {.program = p, .device = p->device, .entry = entry, .o = *o};
  const emu_isa *isa = p->isa;
  if (fault) *fault = (emu_fault){0};
  if (!prepare(&g)) return TSR_ERROR_USAGE;
  if (!make_params(&g) || (isa->begin_grid && !isa->begin_grid(&g))) {
    free(g.params);
    return TSR_ERROR_MEMORY;
  }
  pthread_mutex_init(&g.lock, NULL);
  g.id = atomic_fetch_add(&g.device->grids, 1);
  run_watched(&g);
  pthread_mutex_destroy(&g.lock);
  free(g.params);
  if (isa->end_grid) isa->end_grid(&g);
  if (!g.failed) return TSR_OK;
  if (fault)
    *fault = g.fault;
  else
    emu_report_fault(p, entry->name, &g.fault);
  return g.fault.kind == EMU_FAULT_MEMORY ? TSR_ERROR_MEMORY : TSR_ERROR_TRAP;
}
