/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A device and its memory.
 */
#include "emu/device.h"

#include <stdlib.h>

#include "emu/process.h"
#include "emu/shadow.h"
#include "emu/spaces.h"
#include "emu/zeroed.h"

const emu_device_info *emu_device_info_for(const char *target) {
  return gpu_find(GPU_EMULATED, target);
}

const emu_device_info *emu_device_info_at(size_t index) {
  return gpu_listed_at(GPU_EMULATED, index);
}

emu_device *emu_device_create(const emu_device_info *info) {
  emu_device *d = calloc(1, sizeof *d);
  if (!d) return NULL;
  d->info = info;
  d->next_address = EMU_GLOBAL_BASE;
  pthread_mutex_init(&d->lock, NULL);
  return d;
}

static void give_back(emu_allocation *a) {
  if (a->owned) zeroed_free(a->host, a->bytes);
  a->host = NULL;
  shadow_destroy(a->shadow);
  a->shadow = NULL;
}

static void dig_up(emu_device *d) {
  for (emu_allocation *a = d->buried, *next; a; a = next) {
    next = a->next;
    give_back(a);
    free(a);
  }
  d->buried = NULL;
}

void emu_device_destroy(emu_device *d) {
  if (!d) return;
  for (uint32_t k = 0; k < d->n_allocations; k++) {
    give_back(d->allocations[k]);
    free(d->allocations[k]);
  }
  dig_up(d);
  free(d->allocations);
  pthread_mutex_destroy(&d->lock);
  free(d);
}

/* ---- memory --------------------------------------------------------------------------------- */

enum { ALIGNMENT = 256, GAP = 4096 }; /* of allocations; between them, where nothing lies */

/* How many allocations begin at or before the address. Under the lock, like what follows. */
static uint32_t count_upto(const emu_device *d, uint64_t address) {
  uint32_t low = 0, high = d->n_allocations;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (d->allocations[middle]->base <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Takes freed and borrowed memory out of the table that lies where other memory is to lie. False
 * when memory in use does. A launch under way may still look at what is taken out. */
static bool clear_place(emu_device *d, uint64_t base, uint64_t bytes) {
  uint32_t first = count_upto(d, base), last;
  if (first &&
      base - d->allocations[first - 1]->base < MAX(d->allocations[first - 1]->bytes, UINT64_C(1)))
    first--;
  for (last = first; last < d->n_allocations; last++) {
    const emu_allocation *a = d->allocations[last];
    if (a->base > base && a->base - base >= bytes) break;
    if (!a->freed && !a->borrowed) return false;
  }
  for (uint32_t k = first; k < last; k++) {
    d->allocations[k]->next = d->buried;
    d->buried = d->allocations[k];
  }
  if (last > first)
    memmove(&d->allocations[first], &d->allocations[last],
            (d->n_allocations - last) * sizeof(emu_allocation *));
  d->n_allocations -= last - first;
  if (!d->running) dig_up(d);
  return true;
}

/* Gives the allocation an address, and its place in the table. */
static bool enter_allocation(emu_device *d, emu_allocation *a) {
  if (d->host_addresses) {
    a->base = (uintptr_t)a->host;
    if (!clear_place(d, a->base, a->bytes)) return false;
  }
  if (d->n_allocations == d->cap_allocations) {
    uint32_t cap = d->cap_allocations ? 2 * d->cap_allocations : 64;
    emu_allocation **more = realloc(d->allocations, cap * sizeof *more);
    if (!more) return false;
    d->allocations = more;
    d->cap_allocations = cap;
  }
  if (!d->host_addresses) {
    a->base = d->next_address;
    d->next_address = (a->base + a->bytes + GAP + ALIGNMENT - 1) & ~(uint64_t)(ALIGNMENT - 1);
  }
  uint32_t at = count_upto(d, a->base);
  memmove(&d->allocations[at + 1], &d->allocations[at],
          (d->n_allocations - at) * sizeof(emu_allocation *));
  d->allocations[at] = a;
  d->n_allocations++;
  d->bytes += a->bytes;
  return true;
}

uint64_t emu_alloc(emu_device *d, uint64_t bytes, void *host) {
  if (bytes > (host ? EMU_MAX_HOST_BYTES : emu_memory_of(d->info))) return 0;
  emu_allocation *a = calloc(1, sizeof *a);
  if (!a) return 0;
  a->bytes = bytes;
  a->host = host ? host : zeroed_alloc(bytes);
  a->owned = host == NULL;
  pthread_mutex_lock(&d->lock);
  bool entered = a->host && enter_allocation(d, a);
  pthread_mutex_unlock(&d->lock);
  if (entered) return a->base;
  give_back(a);
  free(a);
  return 0;
}

/* Under the lock: the last allocation that begins at or before the address. */
static emu_allocation *find_locked(const emu_device *d, uint64_t address) {
  uint32_t n = count_upto(d, address);
  return n ? d->allocations[n - 1] : NULL;
}

/* ---- memory of the process ------------------------------------------------------------------ */

static bool is_lent(const emu_allocation *a) {
  return !a->freed && !a->borrowed;
}

/* Cuts the place down to what no allocation in use has. */
static void cut_place(const emu_device *d, uint64_t address, process_place *p) {
  uint32_t next = count_upto(d, address), before = next;
  while (before && !is_lent(d->allocations[before - 1])) before--;
  while (next < d->n_allocations && !is_lent(d->allocations[next])) next++;
  if (before) {
    const emu_allocation *a = d->allocations[before - 1];
    p->begin = MAX(p->begin, a->base + a->bytes);
  }
  if (next < d->n_allocations) p->end = MIN(p->end, d->allocations[next]->base);
}

static bool reaches(const emu_allocation *a, uint64_t address) {
  return a && !a->freed && address - a->base < a->bytes;
}

/* Under the lock: what the process has around the address, as an allocation; NULL. */
static emu_allocation *borrow(emu_device *d, uint64_t address) {
  process_place p;
  if (!process_find(address, &p)) return NULL;
  cut_place(d, address, &p);
  emu_allocation *a = calloc(1, sizeof *a);
  if (!a) return NULL;
  *a = (emu_allocation){.bytes = p.end - p.begin,
                        .host = (uint8_t *)(uintptr_t)p.begin,
                        .constant = !p.writable,
                        .name = "memory of the process",
                        .borrowed = true};
  if (enter_allocation(d, a)) return a;
  free(a);
  return NULL;
}

/* Under the lock: the process may give back what it lent. */
static void return_borrowed(emu_device *d) {
  uint32_t kept = 0;
  for (uint32_t k = 0; k < d->n_allocations; k++) {
    emu_allocation *a = d->allocations[k];
    if (!a->borrowed) {
      d->allocations[kept++] = a;
      continue;
    }
    d->bytes -= a->bytes;
    give_back(a);
    free(a);
  }
  d->n_allocations = kept;
}

emu_allocation *emu_find(emu_device *d, uint64_t address) {
  pthread_mutex_lock(&d->lock);
  emu_allocation *a = find_locked(d, address);
  if (d->whole_process && d->running && !reaches(a, address)) {
    emu_allocation *lent = borrow(d, address);
    if (lent) a = lent;
  }
  pthread_mutex_unlock(&d->lock);
  return a;
}

bool emu_free(emu_device *d, uint64_t address) {
  pthread_mutex_lock(&d->lock);
  emu_allocation *a = find_locked(d, address);
  bool found = a && a->base == address && is_lent(a);
  if (found) {
    a->freed = true;
    d->bytes -= a->bytes;
    if (d->running)
      d->have_dead = true; /* another block may be about to access it */
    else
      give_back(a);
  }
  pthread_mutex_unlock(&d->lock);
  return found;
}

void emu_device_begin(emu_device *d) {
  pthread_mutex_lock(&d->lock);
  d->running++;
  pthread_mutex_unlock(&d->lock);
}

void emu_device_end(emu_device *d) {
  pthread_mutex_lock(&d->lock);
  if (--d->running == 0) {
    dig_up(d);
    return_borrowed(d);
  }
  if (d->running == 0 && d->have_dead) {
    for (uint32_t k = 0; k < d->n_allocations; k++)
      if (d->allocations[k]->freed) give_back(d->allocations[k]);
    d->have_dead = false;
  }
  pthread_mutex_unlock(&d->lock);
}
