/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/gpu_resources.h"

#include <limits.h>

#include "emu/ptx/pressure.h"
#include "rt/ptxas.h"

bool gpu_report_open(gpu_report *r, tsr_context *ctx, arena *a, const gpu_target *t, str ptx) {
  char path[PATH_MAX];
  *r = (gpu_report){.arena = a, .target = t};
  if (ptxas_find(path, sizeof path)) return ptxas_run(ctx, a, ptx, t->name, NULL, &r->log);
  r->program = ptx_parse(ctx, "<compiled>", ptx);
  return r->program != NULL;
}

void gpu_report_close(gpu_report *r) {
  ptx_module_destroy(r->program);
  r->program = NULL;
}

/* ---- without ptxas -------------------------------------------------------------------------- */

enum {
  BESIDES = 10, /* registers that ptxas has in use besides values: addresses, places in the grid */
  UNIT = 8,     /* it gives them out by */
};

/* Registers that a thread of the entry may have, by what it says about its blocks. */
static unsigned most_registers(const gpu_target *t, const ptx_function *f) {
  const uint32_t *need = f->required_threads, *max = f->max_threads;
  uint32_t threads = MAX(MAX(need[0] * need[1] * need[2], max[0] * max[1] * max[2]), 1u);
  unsigned most = t->registers / (threads * MAX(f->min_blocks, 1u)) / UNIT * UNIT;
  if (f->max_registers) most = MIN(most, f->max_registers);
  return MIN(most, t->thread_registers);
}

/* What is too much is stored once and loaded once. Groups that hand registers to each other have
 * as many as they ask for, and each thread begins with what the entry says. */
static gpu_resources estimated(const gpu_report *r, const char *symbol) {
  const ptx_function *f = ptx_find_entry(r->program, symbol);
  if (!f) return (gpu_resources){0};
  unsigned need = ptx_pressure(f, r->arena) + BESIDES, most = most_registers(r->target, f);
  unsigned asked = ptx_most_asked(r->program, f), has = MAX(asked, most);
  unsigned spilled = need > has ? (need - has) * 4 : 0;
  return (gpu_resources){.registers = asked ? most : MIN(need, most),
                         .spill_stores = spilled,
                         .spill_loads = spilled,
                         .estimated = true};
}

/* ---- what ptxas wrote ----------------------------------------------------------------------- */

static unsigned number_before(str text, const char *word) {
  const char *at = memmem(text.data, text.len, word, strlen(word));
  unsigned value = 0, scale = 1;
  if (!at) return 0;
  for (const char *p = at - 1; p >= text.data && *p >= '0' && *p <= '9'; p--, scale *= 10)
    value += (unsigned)(*p - '0') * scale;
  return value;
}

/* "… wgmma.mma_async instructions are serialized due to … in function 'NAME'", on one line. */
static bool is_serialised(arena *a, str log, const char *symbol) {
  static const char word[] = "serialized due to";
  const char *quoted = arena_printf(a, "'%s'", symbol), *end = log.data + log.len;
  for (const char *at = log.data; at < end;) {
    const char *line_end = memchr(at, '\n', (size_t)(end - at));
    size_t n = (size_t)((line_end ? line_end : end) - at);
    if (memmem(at, n, word, sizeof word - 1) && memmem(at, n, quoted, strlen(quoted))) return true;
    at += n + 1;
  }
  return false;
}

/* The lines about the entry: from its name to the next one's. */
static gpu_resources reported(arena *a, str log, const char *symbol) {
  gpu_resources r = {0};
  const char *name = arena_printf(a, "Compiling entry function '%s'", symbol);
  const char *start = memmem(log.data, log.len, name, strlen(name)), *end = log.data + log.len;
  r.serialised = is_serialised(a, log, symbol);
  if (!start) return r;
  start += strlen(name);
  const char *next = memmem(start, (size_t)(end - start), "Compiling entry function", 24);
  str part = {start, (size_t)((next ? next : end) - start)};
  r.registers = number_before(part, " registers");
  r.spill_stores = number_before(part, " bytes spill stores");
  r.spill_loads = number_before(part, " bytes spill loads");
  r.stack = number_before(part, " bytes stack frame");
  return r;
}

gpu_resources gpu_resources_of(const gpu_report *r, const char *symbol) {
  return r->program ? estimated(r, symbol) : reported(r->arena, r->log, symbol);
}

/* Warps that fit a multiprocessor at the same time, by registers (given out to warps in units of
 * 256), shared memory (of which each block takes some besides its own) and the hardware's limit. */
unsigned gpu_warps_resident(const gpu_target *t, const nvptx_entry *e, const gpu_resources *r) {
  unsigned warps = e->threads / 32, per_warp = (r->registers * 32 + 255) / 256 * 256;
  unsigned blocks = t->max_warps / warps,
           shared = e->shared_bytes + e->static_bytes + t->block_reserved;
  if (per_warp) blocks = MIN(blocks, t->registers / per_warp / warps);
  blocks = MIN(blocks, t->shared_sm / shared);
  return MIN(blocks, t->max_blocks) * warps;
}
