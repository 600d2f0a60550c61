/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Handles. A handle is no address: it is the place in a table (from bit 24) and a count of how
 * often the place was used before (below), so that stale and invented handles are recognised
 * without touching what they might point to. Places are reused; the count goes round after 2^20.
 */
#include <stdlib.h>

#include "compat/driver.h"

enum { PLACE_SHIFT = 24, COUNT_SHIFT = 4, COUNT_MASK = 0xfffff };

typedef struct place_slot {
  object *object; /* NULL: free */
  uint32_t count;
  uint32_t next_free; /* 0: none; places count from 1 */
} place_slot;

static struct {
  pthread_mutex_t lock;
  place_slot *slots; /* slots[0] is never used */
  uint32_t len, cap, first_free;
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool table_grow(void) {
  uint32_t cap = table.cap ? table.cap * 2 : 64;
  place_slot *slots = realloc(table.slots, cap * sizeof *slots);
  if (!slots) return false;
  table.slots = slots;
  table.cap = cap;
  if (!table.len) table.len = 1;
  return true;
}

static uint32_t place_take(void) {
  uint32_t place = table.first_free;
  if (place) {
    table.first_free = table.slots[place].next_free;
    return place;
  }
  if (table.len >= table.cap && !table_grow()) return 0;
  place = table.len++;
  table.slots[place] = (place_slot){0};
  return place;
}

void *object_new(object_kind kind, size_t size, drv_context *owner) {
  object *o = calloc(1, size);
  if (!o) return NULL;
  *o = (object){.kind = kind, .refs = 1, .owner = owner};
  pthread_mutex_lock(&table.lock);
  uint32_t place = place_take();
  if (place) {
    place_slot *slot = &table.slots[place];
    slot->object = o;
    o->handle = (uint64_t)place << PLACE_SHIFT | (uint64_t)slot->count << COUNT_SHIFT;
  }
  pthread_mutex_unlock(&table.lock);
  if (place) return o;
  free(o);
  return NULL;
}

static place_slot *slot_of(uint64_t handle) {
  uint64_t place = handle >> PLACE_SHIFT;
  if (!place || place >= table.len) return NULL;
  place_slot *slot = &table.slots[place];
  return slot->object && slot->object->handle == handle ? slot : NULL;
}

void *object_get(object_kind kind, const void *handle) {
  object *found = NULL;
  pthread_mutex_lock(&table.lock);
  place_slot *slot = slot_of((uintptr_t)handle);
  if (slot && slot->object->kind == kind) {
    found = slot->object;
    found->refs++;
  }
  pthread_mutex_unlock(&table.lock);
  return found;
}

void object_keep(object *o) {
  pthread_mutex_lock(&table.lock);
  o->refs++;
  pthread_mutex_unlock(&table.lock);
}

static void destroy(object *o) {
  switch (o->kind) {
  case OBJECT_CONTEXT: context_destroy((drv_context *)o); break;
  case OBJECT_LIBRARY: library_destroy((drv_library *)o); break;
  case OBJECT_KERNEL: kernel_destroy((drv_kernel *)o); break;
  case OBJECT_STREAM: stream_destroy((drv_stream *)o); break;
  case OBJECT_EVENT: event_destroy((drv_event *)o); break;
  case OBJECT_GRAPH: graph_destroy((drv_graph *)o); break;
  case OBJECT_NODE: node_destroy((drv_node *)o); break;
  case OBJECT_EXEC: exec_destroy((drv_exec *)o); break;
  case OBJECT_LINKER: linker_destroy((drv_linker *)o); break;
  case OBJECT_POOL: break;
  }
  free(o);
}

void object_put(object *o) {
  if (!o) return;
  pthread_mutex_lock(&table.lock);
  bool last = --o->refs == 0;
  pthread_mutex_unlock(&table.lock);
  if (last) destroy(o);
}

/* Under the lock. */
static bool invalidate(object *o) {
  place_slot *slot = slot_of(o->handle);
  if (!slot || slot->object != o) return false;
  slot->object = NULL;
  slot->count = (slot->count + 1) & COUNT_MASK;
  slot->next_free = table.first_free;
  table.first_free = (uint32_t)(o->handle >> PLACE_SHIFT);
  o->handle = 0;
  return true;
}

bool object_close(object *o) {
  pthread_mutex_lock(&table.lock);
  bool closed = invalidate(o);
  pthread_mutex_unlock(&table.lock);
  if (closed) object_put(o);
  return closed;
}

void object_close_owned(drv_context *owner) {
  for (uint32_t place = 1;; place++) {
    object *found = NULL;
    pthread_mutex_lock(&table.lock);
    bool more = place < table.len;
    if (more && table.slots[place].object && table.slots[place].object->owner == owner) {
      found = table.slots[place].object;
      found->refs++;
    }
    pthread_mutex_unlock(&table.lock);
    if (found && found->kind == OBJECT_LIBRARY)
      library_close((drv_library *)found); /* and its kernels */
    else if (found)
      object_close(found);
    object_put(found);
    if (!more) return;
  }
}
