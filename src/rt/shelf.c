/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/shelf.h"

#include "rt/cached.h"

typedef struct item {
  struct item *next;
  const char *name;
  str object;
} item;

typedef struct shelf {
  cpu_shelf shown; /* what compilers see */
  tsr_device *device;
  arena arena; /* of what lies on it */
  item *first;
} shelf;

/* Takes the object, which is in the arena. */
static str put(shelf *s, const char *name, str object) {
  item *i = arena_new(&s->arena, item);
  *i = (item){
      .next = s->first, .name = arena_strndup(&s->arena, name, strlen(name)), .object = object};
  s->first = i;
  return object;
}

static str find(void *user, const char *name) {
  shelf *s = user;
  for (const item *i = s->first; i; i = i->next)
    if (strcmp(i->name, name) == 0) return i->object;
  str key = cached_key_shared(&s->arena, s->device, name);
  cache_entry entry;
  if (!key.len || !cache_load(s->device->cache, &s->arena, key, &entry)) return (str){0};
  return put(s, name, entry.object);
}

static void keep(void *user, const char *name, str object) {
  shelf *s = user;
  char *copy = arena_alloc(&s->arena, object.len, 8);
  memcpy(copy, object.data, object.len);
  object = put(s, name, (str){copy, object.len});
  str key = cached_key_shared(&s->arena, s->device, name);
  if (!key.len) return;
  cache_store(s->device->cache, &s->arena, key, &(cache_entry){.object = object});
}

void shelf_open(tsr_device *dev) {
  shelf *s = ctx_alloc(dev->ctx, sizeof *s);
  *s = (shelf){.shown = {s, find, keep}, .device = dev};
  arena_init(&s->arena, dev->ctx);
  dev->cpu.shelf = &s->shown;
}

void shelf_close(tsr_device *dev) {
  if (!dev->cpu.shelf) return;
  shelf *s = dev->cpu.shelf->user;
  dev->cpu.shelf = NULL;
  arena_free(&s->arena);
  ctx_free(dev->ctx, s, sizeof *s);
}
