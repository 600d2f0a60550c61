/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/object_cache.h"

#include "rt/cached.h"

typedef struct item {
  struct item *next;
  const char *name;
  str object;
} item;

typedef struct object_cache {
  cpu_object_cache shown; /* what compilers see */
  tsr_device *device;
  arena arena; /* of the items */
  item *first;
} object_cache;

/* Takes the object, which is in the arena. */
static str put(object_cache *s, const char *name, str object) {
  item *i = arena_new(&s->arena, item);
  *i = (item){
      .next = s->first, .name = arena_strndup(&s->arena, name, strlen(name)), .object = object};
  s->first = i;
  return object;
}

static str find(void *user, const char *name) {
  object_cache *s = user;
  for (const item *i = s->first; i; i = i->next)
    if (strcmp(i->name, name) == 0) return i->object;
  str key = cached_key_shared(&s->arena, s->device, name);
  cache_entry entry;
  if (!key.len || !cache_load(s->device->cache, &s->arena, key, &entry)) return (str){0};
  return put(s, name, entry.object);
}

static void store(void *user, const char *name, str object) {
  object_cache *s = user;
  char *copy = arena_alloc(&s->arena, object.len, 8);
  memcpy(copy, object.data, object.len);
  object = put(s, name, (str){copy, object.len});
  str key = cached_key_shared(&s->arena, s->device, name);
  if (!key.len) return;
  cache_store(s->device->cache, &s->arena, key, &(cache_entry){.object = object});
}

void object_cache_open(tsr_device *dev) {
  object_cache *s = ctx_alloc(dev->ctx, sizeof *s);
  *s = (object_cache){.shown = {s, find, store}, .device = dev};
  arena_init(&s->arena, dev->ctx);
  dev->cpu.object_cache = &s->shown;
}

void object_cache_close(tsr_device *dev) {
  if (!dev->cpu.object_cache) return;
  object_cache *s = dev->cpu.object_cache->user;
  dev->cpu.object_cache = NULL;
  arena_free(&s->arena);
  ctx_free(dev->ctx, s, sizeof *s);
}
