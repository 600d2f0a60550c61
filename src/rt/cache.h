/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cache: compiled kernels on disk, so that a program's next start compiles nothing.
 *
 * An entry is a file FOLDER/H/HASH, H being the first digit of HASH, a hash of the key. The key is
 * a text that says everything that the code depends on (cached.c makes it); it lies in the
 * entry and is compared in whole, so a collision of hashes costs a compilation and nothing else.
 *
 *   "TSRCACHE"  u32 format  u32 length of the key  u64 length of the object  8 x u64 sizes
 *   u64 hash of all that stands before and after it  key  zeros up to 8  object
 *
 * Entries are written to a temporary file, synced, and renamed, so that a reader sees all of an
 * entry or nothing, whatever dies in between; and they are checked when they are read. Whatever is
 * wrong with an entry, a folder or the disk, the kernel is compiled: nothing here reports.
 *
 * What lies in the cache is executed. So the folder is used only when it belongs to the user and
 * nobody else may write to it (it is made with mode 0700), and an entry only when it is a plain
 * file of the user.
 *
 * Each of the 16 folders H holds at most a 16th of the limit: when a new entry makes it larger,
 * the entries that have not been used for longest are removed.
 *
 * All functions may be called from any thread and any number of processes at a time.
 */
#ifndef TSR_RT_CACHE_H
#define TSR_RT_CACHE_H

#include <limits.h>
#include <time.h>

#include "base/base.h"

enum { CACHE_MEGABYTES = 256, CACHE_MAX_MEGABYTES = 1 << 20 };

typedef struct cache {
  char folder[PATH_MAX];
  uint64_t limit; /* bytes */
} cache;

typedef struct cache_entry {
  str object;        /* aligned to 8 bytes */
  uint64_t sizes[8]; /* what a launch must know of the code (cpu_sizes) */
} cache_entry;

/* Where the cache is: `asked`, else TESSERA_CACHE_DIR, XDG_CACHE_HOME/tessera, ~/.cache/tessera.
 * False when there is none: TESSERA_CACHE is "off", "0" or "no", or `asked` is "", or no folder can
 * be told. Reports, as a warning, a TESSERA_CACHE_SIZE that is no number. Touches no file. */
bool cache_open(tsr_context *ctx, const char *asked, cache *out);

/* Reads the entry of a key into the arena. */
bool cache_load(const cache *c, arena *a, str key, cache_entry *out);
void cache_store(const cache *c, arena *a, str key, const cache_entry *entry);

/* One entry, for those who look at the cache. */
typedef struct cache_item {
  const char *path; /* below the folder */
  uint64_t bytes;   /* of the file */
  time_t used;      /* last */
  str key;          /* empty when the entry is broken */
} cache_item;

/* Calls `each` for every entry. False when there is no folder, or none that would be used; `errno`
 * says why. With `keys`, entries are read and checked. */
bool cache_walk(const cache *c, arena *a, bool keys, void (*each)(void *user, const cache_item *i),
                void *user);
/* Removes all entries and what interrupted writers left; nothing that isn't the cache's. Says how
 * many entries that were, and their bytes. False as cache_walk. */
bool cache_clear(const cache *c, arena *a, uint64_t *entries, uint64_t *bytes);

#endif
