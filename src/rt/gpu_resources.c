/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/gpu_resources.h"

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
gpu_resources gpu_resources_of(arena *a, str log, const char *symbol) {
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
