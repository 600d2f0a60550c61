/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Symmetric buffers and signals.
 */
#include <inttypes.h>

#include "ranks/ranks.h"

struct tsr_symmetric {
  tsr_ranks *ranks;
  ranks_segment *segment;
  size_t bytes;
  tsr_buffer *table;
  tsr_buffer **buffers; /* by rank; NULL: on another machine */
};

/* ---- making --------------------------------------------------------------------------------- */

static void free_symmetric(tsr_symmetric *s) {
  tsr_ranks *r = s->ranks;
  tsr_buffer_destroy(s->table);
  for (unsigned k = 0; s->buffers && k < r->size; k++) tsr_buffer_destroy(s->buffers[k]);
  if (s->buffers) ctx_free(r->ctx, s->buffers, r->size * sizeof(tsr_buffer *));
  if (s->segment) ranks_segment_destroy(r, s->segment);
  ctx_free(r->ctx, s, sizeof *s);
}

static bool make_buffers(tsr_symmetric *s, tsr_device *device) {
  tsr_ranks *r = s->ranks;
  s->buffers = ctx_try_alloc(r->ctx, r->size * sizeof(tsr_buffer *));
  if (!s->buffers) return false;
  memset(s->buffers, 0, r->size * sizeof(tsr_buffer *));
  s->table = tsr_buffer_create(device, r->size * sizeof(uint64_t));
  uint64_t *addresses = s->table ? tsr_buffer_data(s->table) : NULL;
  for (unsigned k = 0; addresses && k < r->size; k++) {
    char *memory = s->segment->peers[k];
    addresses[k] = (uintptr_t)memory;
    if (memory) s->buffers[k] = tsr_buffer_wrap(device, memory, s->bytes);
    if (memory && !s->buffers[k]) return false;
  }
  return addresses;
}

tsr_symmetric *tsr_symmetric_create(tsr_ranks *r, tsr_device *device, size_t bytes) {
  if (!r || !device || !ranks_is_ready(r)) return NULL;
  tsr_symmetric *s = ctx_try_alloc(r->ctx, sizeof *s);
  if (!s) {
    ranks_fail(r, "rank %u: out of memory", r->rank);
    return NULL;
  }
  *s = (tsr_symmetric){.ranks = r, .bytes = bytes};
  s->segment = ranks_segment_create(r, RANKS_CREATE, bytes);
  if (s->segment && make_buffers(s, device)) return s;
  if (s->segment) ranks_fail(r, "rank %u: no buffers for %zu bytes", r->rank, bytes);
  free_symmetric(s);
  return NULL;
}

/* The peers are through with it when they have come here. */
void tsr_symmetric_destroy(tsr_symmetric *s) {
  if (!s) return;
  if (!s->ranks->failed)
    ranks_agree(s->ranks, &(ranks_record){.call = RANKS_DESTROY, .bytes = s->bytes});
  free_symmetric(s);
}

tsr_buffer *tsr_symmetric_buffer(tsr_symmetric *s) {
  return s ? s->buffers[s->ranks->rank] : NULL;
}
tsr_buffer *tsr_symmetric_peer(tsr_symmetric *s, unsigned rank) {
  return s && rank < s->ranks->size ? s->buffers[rank] : NULL;
}
tsr_buffer *tsr_symmetric_table(tsr_symmetric *s) {
  return s ? s->table : NULL;
}

/* ---- using ---------------------------------------------------------------------------------- */

static bool is_there(tsr_symmetric *s, const char *function, unsigned rank, size_t offset,
                     size_t bytes) {
  tsr_ranks *r = s->ranks;
  if (!ranks_is_ready(r)) return false;
  if (rank >= r->size) {
    diag_error(r->ctx, NOWHERE, "%s: there is no rank %u among %u", function, rank, r->size);
    return false;
  }
  if (offset <= s->bytes && bytes <= s->bytes - offset) return true;
  diag_error(r->ctx, NOWHERE, "%s: %zu bytes from byte %zu on of symmetric memory that has %zu",
             function, bytes, offset, s->bytes);
  return false;
}

static bool is_word(tsr_symmetric *s, const char *function, unsigned rank, size_t offset) {
  if (!is_there(s, function, rank, offset, sizeof(uint64_t))) return false;
  if (offset % sizeof(uint64_t) == 0) return true;
  diag_error(s->ranks->ctx, NOWHERE, "%s: a signal lies at a multiple of 8 bytes, not at %zu",
             function, offset);
  return false;
}

tsr_status tsr_symmetric_put(tsr_symmetric *s, unsigned rank, size_t offset, const void *from,
                             size_t bytes) {
  if (!s || (bytes && !from)) return TSR_ERROR_USAGE;
  if (!is_there(s, "tsr_symmetric_put", rank, offset, bytes)) return TSR_ERROR_USAGE;
  ranks_put(s->ranks, s->segment, rank, offset, from, bytes);
  return s->ranks->failed ? TSR_ERROR_TRAP : TSR_OK;
}

tsr_status tsr_symmetric_get(tsr_symmetric *s, unsigned rank, size_t offset, void *to,
                             size_t bytes) {
  if (!s || (bytes && !to)) return TSR_ERROR_USAGE;
  if (!is_there(s, "tsr_symmetric_get", rank, offset, bytes)) return TSR_ERROR_USAGE;
  return ranks_get(s->ranks, s->segment, rank, offset, to, bytes) ? TSR_OK : TSR_ERROR_TRAP;
}

tsr_status tsr_symmetric_fence(tsr_symmetric *s) {
  if (!s) return TSR_ERROR_USAGE;
  if (!ranks_is_ready(s->ranks)) return TSR_ERROR_TRAP;
  return ranks_fence(s->ranks) ? TSR_OK : TSR_ERROR_TRAP;
}

tsr_status tsr_symmetric_notify(tsr_symmetric *s, unsigned rank, size_t offset, tsr_notify how,
                                uint64_t value) {
  if (!s || !is_word(s, "tsr_symmetric_notify", rank, offset)) return TSR_ERROR_USAGE;
  if (how == TSR_NOTIFY_ADD)
    ranks_add(s->ranks, s->segment, rank, offset, value);
  else
    ranks_set(s->ranks, s->segment, rank, offset, value);
  return s->ranks->failed ? TSR_ERROR_TRAP : TSR_OK;
}

static bool has_come(uint64_t word, tsr_wait until, uint64_t value) {
  switch (until) {
  case TSR_WAIT_EQUAL: return word == value;
  case TSR_WAIT_NOT_EQUAL: return word != value;
  default: return word >= value;
  }
}

tsr_status tsr_symmetric_wait(tsr_symmetric *s, size_t offset, tsr_wait until, uint64_t value,
                              uint64_t *seen) {
  if (!s || !is_word(s, "tsr_symmetric_wait", s->ranks->rank, offset)) return TSR_ERROR_USAGE;
  _Atomic uint64_t *word = (_Atomic uint64_t *)(void *)(s->segment->own + offset);
  s->ranks->call = RANKS_WAIT;
  ranks_patience p = ranks_begin_waiting(s->ranks);
  for (;;) {
    uint64_t now = atomic_load_explicit(word, memory_order_acquire);
    if (seen) *seen = now;
    if (has_come(now, until, value)) return TSR_OK;
    if (!ranks_wait_more(&p, UINT32_MAX)) return TSR_ERROR_TRAP;
  }
}
