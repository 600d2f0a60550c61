/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What a nest has emitted already, so that nothing is emitted twice: values by what they are of and
 * the index map that they are evaluated at.
 */
#include "cpu/nest/memo.h"

#include "cpu/plan/map.h"

typedef struct memo_entry {
  const void *key;
  index_map m;
  lane_value value;
  struct memo_entry *next;
} memo_entry;

static uint64_t memo_key(const void *key, const index_map *m) {
  return hash_mix(map_hash(m), (uintptr_t)key);
}

lane_value *memo_find(nest *n, const void *key, const index_map *m) {
  uintptr_t *slot = map_get(&n->memo, memo_key(key, m));
  for (memo_entry *e = slot ? (memo_entry *)*slot : NULL; e; e = e->next)
    if (e->key == key && map_equal(&e->m, m)) return &e->value;
  return NULL;
}

lane_value memo_put(nest *n, const void *key, const index_map *m, lane_value v) {
  uintptr_t *slot = map_put(n->l->arena, &n->memo, memo_key(key, m));
  memo_entry *e = arena_new(n->l->arena, memo_entry);
  *e = (memo_entry){.key = key, .m = *m, .value = v, .next = (memo_entry *)*slot};
  *slot = (uintptr_t)e;
  return v;
}
