/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tune/bound.h"

#include "emu/counters.h"
#include "tune/bench.h"

/* What no core of a CPU goes beyond: a clock, multiply-adds of vectors that begin in one, stores of
 * vectors. */
#define MOST_HZ 6e9
enum { FUSED = 2, STORES = 2 };

/* Bytes of the vectors that are computed with at a time; of what is unknown, of the widest. */
static double vector_bytes(const tsr_device *dev) {
  return dev->cpu.isa.level == CPU_AVX2 || dev->cpu.core.double_pumped ? 32 : 64;
}

static double core_ms(const tsr_device *dev, const work_count *w) {
  double vector = vector_bytes(dev);
  double words = FUSED * 2 * vector / 4 * MOST_HZ, bytes = STORES * vector * MOST_HZ;
  return MAX(w->words / words, w->stored / bytes) * 1e3;
}

/* A tile block is executed by one thread: one of them has as many blocks as there are, divided by
 * threads and rounded up. */
static double cpu_ms(const tsr_device *dev, const launch_work *w) {
  uint64_t threads = MAX(pool_threads(dev->pool), 1u);
  uint64_t rounds = w->blocks / threads + (w->blocks % threads != 0);
  double even = core_ms(dev, &w->total) / (double)threads, one = core_ms(dev, &w->largest);
  return MAX(MAX(even, one), (double)rounds * core_ms(dev, &w->least));
}

/* Estimates count what a card's parts would take if they worked without a gap. */
static double card_ms(const card *on, const work_count *w) {
  return MAX(w->operations / on->matrix, w->stored / on->bandwidth) * 1e3;
}

double bound_of(const tsr_device *dev, const card *on, const launch_work *w) {
  if (on) return card_ms(on, &w->total);
  return dev->kind == &rt_cpu ? cpu_ms(dev, w) : 0;
}

/* ---- of a kernel of a module ----------------------------------------------------------------- */

static double bound_of_kernel(tsr_device *dev, const ir_module *m, ir_op *entry,
                              const tsr_arg *args, tsr_grid grid) {
  launch_work none = {0}, work = none;
  TSR_GUARD(m->ctx, return 0);
  work = work_prepared(m, entry, dev->kind == &rt_cpu, args, grid);
  TSR_UNGUARD(m->ctx);
  return bound_of(dev, dev->emu ? bench_card(dev) : NULL, &work);
}

double tsr_bound(tsr_device *dev, const tsr_module *module, const char *kernel, tsr_grid grid,
                 const tsr_arg *args, size_t n_args) {
  if (!dev || !module || !kernel || (!args && n_args)) return 0;
  ir_op *entry = ir_find_symbol(module, str_of(kernel));
  if (!entry || entry->opcode != OP_entry || ir_region(entry, 0)->n_args != n_args) return 0;
  rt_lock(dev);
  double ms = bound_of_kernel(dev, module, entry, args, grid);
  rt_unlock(dev);
  return ms;
}
