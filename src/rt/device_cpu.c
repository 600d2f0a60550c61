/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The device "cpu": kernels compiled by the plugin, tile blocks on a pool of threads.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>

#include "base/clock.h"
#include "num/num.h"
#include "rt/cached.h"
#include "rt/cpuinfo.h"
#include "rt/crash.h"
#include "rt/plugin.h"
#include "rt/ready.h"
#include "rt/rt.h"
#include "rt/object_cache.h"

/* ---- memory for the pool, from any thread ---------------------------------------------------- */

static void *pool_allocate(void *user, size_t size) {
  tsr_device *dev = user;
  rt_lock(dev);
  void *memory = ctx_try_alloc(dev->ctx, size);
  rt_unlock(dev);
  if (memory) rt_wish_for_huge_pages(memory, size);
  return memory;
}

static void pool_release(void *user, void *memory, size_t size) {
  tsr_device *dev = user;
  rt_lock(dev);
  ctx_free(dev->ctx, memory, size);
  rt_unlock(dev);
}

/* ---- the device ------------------------------------------------------------------------------ */

static bool choose_threads(tsr_context *ctx, unsigned asked, unsigned *out) {
  bool wrong = false;
  *out = asked;
  if (asked || rt_env_number(ctx, "TESSERA_THREADS", 1, POOL_MAX_THREADS, out, &wrong)) return true;
  *out = MIN(cpuinfo_threads(), (unsigned)POOL_MAX_THREADS);
  return !wrong;
}

static bool choose_order(tsr_context *ctx, unsigned group, rt_order *out) {
  bool wrong = false;
  if (!group) rt_env_number(ctx, "TESSERA_BLOCK_GROUP", 0, INT32_MAX, &group, &wrong);
  *out = (rt_order){.kind = group ? RT_ORDER_GROUPED : RT_ORDER_FORWARD, .group = group};
  return !wrong;
}

static bool cpu_open(tsr_device *dev, const tsr_device_options *options) {
  unsigned threads;
  if (!choose_threads(dev->ctx, options->threads, &threads)) return false;
  if (!cpuinfo_choose(dev->ctx, options->cpu, &dev->cpu)) return false;
  cpuinfo_tune(&dev->cpu);
  dev->cpu.compilers = (uint8_t)MIN(threads, UINT8_MAX);
  dev->cpu.checks = (uint8_t)options->sanitize;
  if (!choose_order(dev->ctx, options->block_group, &dev->order)) return false;
  bool wrong = false;
  unsigned pinned = 0;
  rt_env_number(dev->ctx, "TESSERA_PIN", 0, 1, &pinned, &wrong);
  if (wrong) return false;
  rt_open_cache(dev, options);
  object_cache_open(dev);
  dev->pool = pool_create(threads, (pool_memory){pool_allocate, pool_release, dev});
  if (!dev->pool) ctx_out_of_memory(dev->ctx);
  if (pinned || options->pin_threads) pool_pin(dev->pool);
  return true;
}

static void cpu_close(tsr_device *dev) {
  pool_destroy(dev->pool);
  object_cache_close(dev);
  rt_close_cache(dev);
}

/* " (bf16, vnni)"; nothing when there are none. */
static void list_extensions(const cpu_options *o, char *out, size_t size) {
  const struct {
    bool has;
    const char *name;
  } all[] = {
      {o->isa.bf16, "bf16"}, {o->isa.vnni, "vnni"}, {o->isa.fp16, "fp16"}, {o->isa.vbmi, "vbmi"}};
  size_t length = 0;
  for (unsigned i = 0; i < ARRAY_LEN(all); i++)
    if (all[i].has)
      length +=
          (size_t)snprintf(out + length, size - length, "%s%s", length ? ", " : " (", all[i].name);
  if (length) snprintf(out + length, size - length, ")");
}

static size_t cpu_describe(const rt_device_kind *kind, char *out, size_t size) {
  (void)kind;
  char model[256], path[4096], features[64] = "", threads[32];
  cpuinfo_model(model, sizeof model);
  cpu_options best = cpuinfo_best();
  list_extensions(&best, features, sizeof features);
  unsigned n = cpuinfo_threads();
  snprintf(threads, sizeof threads, "%u thread%s", n, n == 1 ? "" : "s");
  const char *level = cpuinfo_level_name(best.isa.level);
  if (!plugin_find(NULL, path, sizeof path))
    return (size_t)snprintf(out, size,
                            "%s, %s, %s%s; cannot compile: TESSERA_LLVM_PLUGIN names a file that "
                            "cannot be read: %s",
                            model, threads, level, features, path);
  if (!*path)
    return (size_t)snprintf(out, size,
                            "%s, %s, %s%s; cannot compile: " TSR_LLVM_PLUGIN_FILE
                            " is not beside Tessera's library or command",
                            model, threads, level, features);
  return (size_t)snprintf(out, size, "%s, %s, %s%s", model, threads, level, features);
}

/* ---- kernels --------------------------------------------------------------------------------- */

static bool compile(tsr_kernel *k) {
  tsr_program *p = k->program;
  const compiler_plugin *plugin = plugin_get(p->device->ctx);
  return plugin &&
         plugin->cpu->compile(p->device->ctx, p->module, k->entry, &p->device->cpu, &k->cpu);
}

static void cpu_release(tsr_kernel *k) {
  interp_destroy(k->checker);
  if (k->code.memory) {
    exec_code_unload(&k->code);
    return;
  }
  const compiler_plugin *plugin =
      plugin_get(k->program->device->ctx); /* opened: it made the kernel */
  if (plugin) plugin->cpu->release(&k->cpu);
}

static double now_ms(void) {
  return (double)clock_ns() * 1e-6;
}

/* With checks, code refers to the module: it is for this run only. */
static bool obtain_checked(tsr_kernel *k) {
  if (!rt_can_sanitize(k)) return false;
  k->checker = interp_prepare_watched(k->program->module, k->entry);
  if (!k->checker) return false;
  if (compile(k)) return true;
  interp_destroy(k->checker);
  k->checker = NULL;
  return false;
}

/* Compiled elsewhere, for this processor or less. */
static bool obtain_ready(tsr_kernel *k, arena *a) {
  const cpu_options best = k->program->device->cpu;
  cpu_options less;
  if (!k->program->device->cache || best.profile) return false;
  for (unsigned i = 0; cpuinfo_candidate(&best, i, &less); i++) {
    str key = cached_key_elsewhere(a, k->program->module, &less, k->entry);
    if (key.len && cached_load(k, a, key)) return true;
  }
  return false;
}

/* From the cache, or by the compiler and into the cache. */
static bool obtain(tsr_kernel *k, arena *a) {
  double start = now_ms();
  if (k->program->device->cpu.checks) return obtain_checked(k);
  if (k->program->ready) return ready_load(k);
  bool here = cached_compiles_here(k->program->device->ctx);
  str key = here ? cached_key(a, k) : (str){0};
  if (here ? key.len && cached_load(k, a, key) : obtain_ready(k, a)) {
    k->cpu.compile_ms = now_ms() - start;
    return true;
  }
  if (!compile(k)) return false;
  if (key.len) cached_store(k, a, key);
  return true;
}

static bool cpu_prepare(tsr_kernel *k) {
  tsr_context *ctx = k->program->device->ctx;
  arena scratch;
  arena_init(&scratch, ctx);
  TSR_GUARD(ctx, {
    if (k->cpu.run)
      cpu_release(k);
    else
      interp_destroy(k->checker);
    arena_free(&scratch);
    ctx_unwind(ctx);
  });
  bool ok = obtain(k, &scratch);
  TSR_UNGUARD(ctx);
  arena_free(&scratch);
  if (!ok) return false;
  k->compile_ms = k->cpu.compile_ms;
  k->scratch_bytes = k->cpu.sizes.scratch_bytes;
  return true;
}

/* ---- launches -------------------------------------------------------------------------------- */

/* Whether floating-point arithmetic is as kernels expect it: all but always so, and asking is much
 * cheaper than setting. */
static bool arithmetic_is_default(void) {
#if defined(__x86_64__)
  unsigned short x87;
  __asm__("fnstcw %0" : "=m"(x87));
  return (__builtin_ia32_stmxcsr() & 0xffc0) == 0x1f80 && x87 == 0x37f;
#else
  return false;
#endif
}

/* Bands are for planes, and for tile blocks that do not know of each other. What the device was
 * told goes before what the code would like. */
static rt_order order_of(const rt_launch_state *l) {
  unsigned wide = (l->grid.x > 1) + (l->grid.y > 1) + (l->grid.z > 1);
  if (l->kernel->may_wait || wide != 2 || l->grid.z > 1)
    return (rt_order){.kind = RT_ORDER_FORWARD};
  const cpu_sizes *code = &l->kernel->cpu.sizes;
  if (l->device->order.kind != RT_ORDER_FORWARD || !(code->along_y || code->band))
    return l->device->order;
  return (rt_order){.kind = RT_ORDER_GROUPED,
                    .group = code->band ? (uint32_t)code->band : l->grid.y,
                    .columns = !code->along_y};
}

/* Non-temporal stores are complete before anyone is told that the tile blocks are. */
static void finish_stores(const rt_launch_state *l) {
#if defined(__x86_64__)
  if (l->kernel->cpu.sizes.streams) __builtin_ia32_sfence();
#else
  (void)l;
#endif
}

/* Executes a tile block, and notes when if its position has room. */
static void run_traced(rt_trace *trace, uint64_t position, rt_block_fn run, rt_block *block) {
  uint64_t begin = clock_ns();
  run(block);
  if (position >= trace->room) return;
  trace->blocks[position] = (rt_traced_block){.id = {block->id[0], block->id[1], block->id[2]},
                                              .begin = begin,
                                              .end = clock_ns(),
                                              .thread = (uint64_t)(uintptr_t)pthread_self()};
}

/* The next tile block's place is counted where the kernel looks for it. A copy would be made of
 * wider words than were written just before, and would wait until those have left the processor's
 * store buffer: after all that the last tile block stored. */
static bool run_positions(rt_launch_state *l, void *scratch, uint64_t first, uint64_t last) {
  rt_block_fn run = l->kernel->cpu.run;
  const rt_order order = order_of(l);
  rt_progress *progress = l->device->progress;
  rt_trace *trace = l->device->trace;
  rt_block block = rt_block_for(l, scratch);
  order_block(&order, l->grid, l->total, first, block.id);
  crash_running(l->kernel->name, &block);
  for (uint64_t i = first; i < last; i++) {
    if (atomic_load_explicit(&l->stop, memory_order_relaxed)) return false;
    if (l->bounds) atomic_fetch_add_explicit(&l->begun, 1, memory_order_relaxed);
    if (trace)
      run_traced(trace, i, run, &block);
    else
      run(&block);
    if (progress) atomic_fetch_add_explicit(&progress->done, 1, memory_order_relaxed);
    if (order.kind == RT_ORDER_FORWARD)
      order_next(l->grid, block.id);
    else if (order.kind == RT_ORDER_GROUPED)
      order_next_grouped(&order, l->grid, block.id);
    else if (i + 1 < last)
      order_block(&order, l->grid, l->total, i + 1, block.id);
  }
  return true;
}

/* Executes the tile blocks at the positions first … last-1. Results do not depend on what the
 * calling program has made of the rounding mode. */
static bool run_blocks(void *user, void *scratch, uint64_t first, uint64_t last) {
  bool is_default = arithmetic_is_default();
  fenv_t saved;
  if (!is_default) num_env_enter(&saved);
  bool go_on = run_positions(user, scratch, first, last);
  crash_running(NULL, NULL);
  if (!is_default) num_env_leave(&saved);
  finish_stores(user);
  return go_on;
}

/* The pool continues with the threads that it got; a message explains the lower speed. */
static void tell_few_threads(tsr_device *dev) {
  unsigned running = pool_threads_running(dev->pool), asked = pool_threads(dev->pool);
  if (running >= asked || atomic_exchange(&dev->few_threads_told, true)) return;
  rt_lock(dev);
  diag(dev->ctx, TSR_WARNING, NOWHERE, "the system gave only %u of %u threads", running, asked);
  rt_unlock(dev);
}

enum { PATIENCE_MS = 10000 };

/* They may also only be slow, so this continues. */
static void warn_of_waiting(void *user, uint64_t begun) {
  rt_launch_state *l = user;
  rt_lock(l->device);
  if (begun == l->total)
    diag(l->device->ctx, TSR_WARNING, NOWHERE,
         "'%s': all %" PRIu64 " tile blocks have begun, and for %d seconds none has ended; they "
         "may wait for something that never comes: if this does not end, look at its loops with "
         "atomics and ordered loads, or run it on the device 'interp', which says who waits",
         l->kernel->name, begun, PATIENCE_MS / 1000);
  else
    diag(l->device->ctx, TSR_WARNING, NOWHERE,
         "'%s': %" PRIu64 " of %" PRIu64 " tile blocks have begun, no more can be executed at the "
         "same time, and for %d seconds none has ended; they may wait for those that have not "
         "begun: let tile blocks wait for earlier ones only, launch a smaller grid, or run it on "
         "the device 'interp', where any may wait for any",
         l->kernel->name, begun, l->total, PATIENCE_MS / 1000);
  rt_unlock(l->device);
}

/* Neighbours along x share slices of an operand that each thread keeps for itself. Where there are
 * many of them they may as well be shared out: what two threads do twice is little then. */
static uint64_t blocks_together(const rt_launch_state *l) {
  enum { FEW = 8 };
  uint64_t n = l->grid.x;
  bool shares = l->kernel->cpu.sizes.keys_bytes > 0;
  return shares && n <= FEW && order_of(l).kind == RT_ORDER_FORWARD ? n : 0;
}

static void run_pool(rt_launch_state *l) {
  tsr_device *dev = l->device;
  if (dev->progress) rt_progress_begin(dev->progress, l->total);
  pool_job job = {.run = run_blocks,
                  .user = l,
                  .total = l->total,
                  .scratch_bytes = l->kernel->cpu.sizes.scratch_bytes,
                  .clear_bytes = l->kernel->cpu.sizes.keys_bytes,
                  .together = blocks_together(l),
                  .unit_ns = &l->kernel->block_ns,
                  .waits = l->kernel->may_spin,
                  .patience_ms = PATIENCE_MS,
                  .stuck = warn_of_waiting};
  if (!pool_run(dev->pool, &job)) {
    rt_error(dev, "out of memory: %zu bytes of scratch for '%s'", l->kernel->scratch_bytes,
             l->kernel->name);
    rt_fail(l, TSR_ERROR_MEMORY);
  }
  tell_few_threads(dev);
}

static void run_checked(rt_launch_state *l) {
  tsr_device *dev = l->device;
  tsr_context *ctx = dev->ctx;
  arena a;
  arena_init(&a, ctx);
  rt_lock(dev);
  TSR_GUARD(ctx, {
    rt_fail(l, TSR_ERROR_MEMORY);
    rt_unlock(dev);
    arena_free(&a);
    return;
  });
  l->sanitizer = rt_sanitizer_create(&a, l, l->kernel->checker);
  l->bounds = sanitizer_bounds(l->sanitizer);
  TSR_UNGUARD(ctx);
  rt_unlock(dev);
  run_pool(l);
  rt_lock(dev);
  sanitizer_count_blocks(l->sanitizer, atomic_load(&l->begun));
  if (sanitizer_finish(l->sanitizer)) rt_fail(l, TSR_ERROR_TRAP);
  arena_free(&a);
  rt_unlock(dev);
}

static void cpu_launch(rt_launch_state *l) {
  if (l->device->cpu.checks)
    run_checked(l);
  else
    run_pool(l);
}

const rt_device_kind rt_cpu = {
    .name = "cpu",
    .checks = TSR_SANITIZE_BOUNDS | TSR_SANITIZE_ASSUME,
    .open = cpu_open,
    .close = cpu_close,
    .describe = cpu_describe,
    .prepare = cpu_prepare,
    .release = cpu_release,
    .launch = cpu_launch,
};
