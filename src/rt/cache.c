/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * All files are reached from the descriptor of a folder that has been looked at, so that nobody can
 * put another in its place meanwhile.
 */
#include "rt/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
  FORMAT = 1,
  SHARDS = 16,
  NAME_DIGITS = 16,
  MAX_KEY = 64 << 20,
  MAX_FILE = 1 << 30,
  ABANDONED_SECONDS = 3600, /* a temporary file this old has lost its writer */
};

static const char magic[8] = "TSRCACHE";

typedef struct header {
  char magic[8];
  uint32_t format;
  uint32_t key_length;
  uint64_t object_length;
  uint64_t sizes[8];
  uint64_t check;
} header;

/* ---- where it is ---------------------------------------------------------------------------- */

static bool is_off(const char *text) {
  return text && (!strcmp(text, "off") || !strcmp(text, "0") || !strcmp(text, "no"));
}

static bool set_folder(cache *c, const char *base, const char *below) {
  int n = snprintf(c->folder, sizeof c->folder, "%s%s", base, below);
  return n > 0 && (size_t)n < sizeof c->folder - NAME_DIGITS - 4;
}

static uint64_t size_limit(tsr_context *ctx) {
  const char *text = getenv("TESSERA_CACHE_SIZE");
  uint64_t megabytes = CACHE_MEGABYTES;
  if (text && *text) {
    char *end;
    errno = 0;
    unsigned long long n = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || errno || n < 1 || n > CACHE_MAX_MEGABYTES)
      diag(ctx, TSR_WARNING, NOWHERE,
           "TESSERA_CACHE_SIZE: expected the megabytes that the cache of kernels may take, from 1 "
           "to %d, found '%s'; taking %d",
           CACHE_MAX_MEGABYTES, text, CACHE_MEGABYTES);
    else
      megabytes = n;
  }
  return megabytes * 1000000;
}

bool cache_open(tsr_context *ctx, const char *asked, cache *out) {
  if (is_off(getenv("TESSERA_CACHE"))) return false;
  const char *folder = asked ? asked : secure_getenv("TESSERA_CACHE_DIR");
  const char *shared = secure_getenv("XDG_CACHE_HOME"), *home = secure_getenv("HOME");
  bool found;
  if (asked || (folder && *folder))
    found = set_folder(out, folder, "");
  else if (shared && *shared == '/') /* the XDG specification: others are to be ignored */
    found = set_folder(out, shared, "/tessera");
  else
    found = home && *home && set_folder(out, home, "/.cache/tessera");
  if (found) out->limit = size_limit(ctx);
  return found;
}

/* ---- folders -------------------------------------------------------------------------------- */

/* Makes the folder and those above it. */
static void make_folders(const char *path) {
  char part[PATH_MAX];
  snprintf(part, sizeof part, "%s", path);
  for (char *p = part + 1; *p; p++) {
    if (*p != '/') continue;
    *p = 0;
    mkdir(part, 0700);
    *p = '/';
  }
  mkdir(part, 0700);
}

/* A descriptor of a folder that only the user can write to; -1 and errno. */
static int trusted(int fd) {
  struct stat st;
  if (fd < 0) return -1;
  int wrong = 0;
  if (fstat(fd, &st) != 0)
    wrong = errno;
  else if (st.st_uid != geteuid() || st.st_mode & (S_IWGRP | S_IWOTH))
    wrong = EPERM;
  if (!wrong) return fd;
  close(fd);
  errno = wrong;
  return -1;
}

static int open_root(const cache *c) {
  return trusted(open(c->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

static int open_shard(int root, unsigned shard, bool make) {
  char name[2] = {"0123456789abcdef"[shard], 0};
  if (make) mkdirat(root, name, 0700);
  return trusted(openat(root, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

/* The folder of a key's entry, and its name there; -1 when there is none. */
static int open_place(const cache *c, str key, bool make, char name[NAME_DIGITS + 1]) {
  uint64_t hash = hash_bytes(key.data, key.len);
  snprintf(name, NAME_DIGITS + 1, "%016llx", (unsigned long long)hash);
  if (make) make_folders(c->folder);
  int root = open_root(c);
  if (root < 0) return -1;
  int shard = open_shard(root, (unsigned)(hash >> 60), make);
  close(root);
  return shard;
}

static bool is_entry_name(const char *name) {
  return strlen(name) == NAME_DIGITS && strspn(name, "0123456789abcdef") == NAME_DIGITS;
}

static bool is_temporary_name(const char *name) {
  return strncmp(name, "new-", 4) == 0;
}

/* ---- entries -------------------------------------------------------------------------------- */

static uint64_t padded(uint64_t n) {
  return (n + 7) & ~UINT64_C(7);
}

static uint64_t check_of(const header *h, const void *rest, size_t length) {
  return hash_mix(hash_bytes(h, offsetof(header, check)), hash_bytes(rest, length));
}

static bool read_all(int fd, char *data, size_t size) {
  while (size) {
    ssize_t n = read(fd, data, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    data += n;
    size -= (size_t)n;
  }
  return true;
}

static bool write_all(int fd, const void *bytes, size_t size) {
  const char *data = bytes;
  while (size) {
    ssize_t n = write(fd, data, size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    data += n;
    size -= (size_t)n;
  }
  return true;
}

/* The file's bytes after the header, checked. NULL when it is no whole entry. */
static const char *read_entry(int fd, const struct stat *st, arena *a, header *h) {
  uint64_t size = (uint64_t)st->st_size;
  if (size < sizeof *h || size > MAX_FILE || !read_all(fd, (char *)h, sizeof *h)) return NULL;
  if (memcmp(h->magic, magic, sizeof magic) != 0 || h->format != FORMAT) return NULL;
  uint64_t rest = size - sizeof *h;
  if (h->key_length > MAX_KEY || h->object_length > MAX_FILE ||
      padded(h->key_length) + h->object_length != rest)
    return NULL;
  char *data = arena_alloc(a, (size_t)rest, 16);
  if (!read_all(fd, data, (size_t)rest) || check_of(h, data, (size_t)rest) != h->check) return NULL;
  return data;
}

static int open_entry(int shard, const char *name, struct stat *st) {
  int fd = openat(shard, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return -1;
  if (fstat(fd, st) == 0 && S_ISREG(st->st_mode) && st->st_uid == geteuid()) return fd;
  close(fd);
  return -1;
}

bool cache_load(const cache *c, arena *a, str key, cache_entry *out) {
  char name[NAME_DIGITS + 1];
  int shard = open_place(c, key, false, name);
  if (shard < 0) return false;
  struct stat st;
  int fd = open_entry(shard, name, &st);
  close(shard);
  if (fd < 0) return false;
  header h;
  TSR_GUARD(a->ctx, {
    close(fd);
    ctx_unwind(a->ctx);
  });
  const char *data = read_entry(fd, &st, a, &h);
  TSR_UNGUARD(a->ctx);
  bool fits = data && str_eq((str){data, h.key_length}, key);
  if (fits) futimens(fd, (struct timespec[]){{.tv_nsec = UTIME_NOW}, {.tv_nsec = UTIME_NOW}});
  close(fd);
  if (!fits) return false;
  out->object = (str){data + padded(h.key_length), (size_t)h.object_length};
  memcpy(out->sizes, h.sizes, sizeof h.sizes);
  return true;
}

/* ---- looking through a folder --------------------------------------------------------------- */

typedef struct file {
  char name[NAME_DIGITS + 1];
  uint64_t bytes;
  struct timespec used;
} file;

typedef struct listing {
  arena *arena;
  VEC(file) files;
  uint64_t bytes;
} listing;

/* The entries of a folder. What interrupted writers left is removed when it is old, or when `all`,
 * and counts until then. */
static void list_shard(listing *l, int shard, bool all) {
  int copy = dup(shard);
  DIR *dir = copy < 0 ? NULL : fdopendir(copy);
  if (!dir) {
    if (copy >= 0) close(copy);
    return;
  }
  tsr_context *ctx = l->arena->ctx;
  TSR_GUARD(ctx, {
    closedir(dir);
    ctx_unwind(ctx);
  });
  time_t now = time(NULL);
  for (struct dirent *d; (d = readdir(dir));) {
    struct stat st;
    bool temporary = is_temporary_name(d->d_name);
    if (!temporary && !is_entry_name(d->d_name)) continue;
    if (fstatat(shard, d->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0 || S_ISDIR(st.st_mode)) continue;
    if (temporary) {
      bool old = all || now - st.st_mtime > ABANDONED_SECONDS;
      if (!old || unlinkat(shard, d->d_name, 0) != 0) l->bytes += (uint64_t)st.st_size;
      continue;
    }
    file f = {.bytes = (uint64_t)st.st_size, .used = st.st_mtim};
    memcpy(f.name, d->d_name, sizeof f.name);
    vec_push(l->arena, l->files, f);
    l->bytes += f.bytes;
  }
  TSR_UNGUARD(ctx);
  closedir(dir);
}

static int by_use(const void *a, const void *b) {
  const struct timespec *x = &((const file *)a)->used, *y = &((const file *)b)->used;
  if (x->tv_sec != y->tv_sec) return x->tv_sec < y->tv_sec ? -1 : 1;
  return (x->tv_nsec > y->tv_nsec) - (x->tv_nsec < y->tv_nsec);
}

/* Removes the entries that have not been used for longest until the rest is small enough. */
static void evict(const cache *c, arena *a, int shard) {
  listing l = {.arena = a};
  list_shard(&l, shard, false);
  if (l.bytes <= c->limit / SHARDS) return;
  qsort(l.files.data, l.files.len, sizeof *l.files.data, by_use);
  for (uint32_t i = 0; i < l.files.len && l.bytes > c->limit / SHARDS; i++)
    if (unlinkat(shard, l.files.data[i].name, 0) == 0) l.bytes -= l.files.data[i].bytes;
}

/* ---- storing -------------------------------------------------------------------------------- */

static int open_temporary(int shard, char *name, size_t size) {
  for (unsigned attempt = 0; attempt < 100; attempt++) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    snprintf(name, size, "new-%ld-%ld-%u", (long)getpid(), now.tv_nsec, attempt);
    int fd = openat(shard, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd >= 0 || errno != EEXIST) return fd;
  }
  return -1;
}

static void store_in(int shard, const char *name, const header *h, const char *rest, size_t size) {
  char temporary[64];
  int fd = open_temporary(shard, temporary, sizeof temporary);
  if (fd < 0) return;
  bool ok = write_all(fd, h, sizeof *h) && write_all(fd, rest, size) && fsync(fd) == 0;
  ok = close(fd) == 0 && ok;
  if (!ok || renameat(shard, temporary, shard, name) != 0) unlinkat(shard, temporary, 0);
}

void cache_store(const cache *c, arena *a, str key, const cache_entry *entry) {
  if (key.len > MAX_KEY || entry->object.len > MAX_FILE / 2) return;
  header h = {
      .format = FORMAT, .key_length = (uint32_t)key.len, .object_length = entry->object.len};
  memcpy(h.sizes, entry->sizes, sizeof h.sizes);
  memcpy(h.magic, magic, sizeof magic);
  size_t size = (size_t)padded(key.len) + entry->object.len;
  if (size + sizeof h > c->limit / SHARDS) return;
  char *rest = arena_alloc_zero(a, size, 16), name[NAME_DIGITS + 1];
  memcpy(rest, key.data, key.len);
  memcpy(rest + padded(key.len), entry->object.data, entry->object.len);
  h.check = check_of(&h, rest, size);
  int shard = open_place(c, key, true, name);
  if (shard < 0) return;
  TSR_GUARD(a->ctx, {
    close(shard);
    ctx_unwind(a->ctx);
  });
  store_in(shard, name, &h, rest, size);
  evict(c, a, shard);
  TSR_UNGUARD(a->ctx);
  close(shard);
}

/* ---- for those who look --------------------------------------------------------------------- */

typedef struct walk {
  arena *arena;
  bool keys;
  void (*each)(void *user, const cache_item *i);
  void *user;
  uint64_t removed, bytes;
} walk;

/* The key of an entry; empty when it is broken. */
static str read_key(walk *w, int shard, const char *name) {
  struct stat st;
  header h;
  int fd = open_entry(shard, name, &st);
  if (fd < 0) return (str){0};
  TSR_GUARD(w->arena->ctx, {
    close(fd);
    ctx_unwind(w->arena->ctx);
  });
  const char *data = read_entry(fd, &st, w->arena, &h);
  TSR_UNGUARD(w->arena->ctx);
  close(fd);
  return data ? (str){data, h.key_length} : (str){0};
}

static void show_shard(walk *w, int shard, unsigned number) {
  listing l = {.arena = w->arena};
  list_shard(&l, shard, false);
  for (uint32_t i = 0; i < l.files.len; i++) {
    const file *f = &l.files.data[i];
    cache_item item = {.bytes = f->bytes, .used = f->used.tv_sec};
    item.path = arena_printf(w->arena, "%x/%s", number, f->name);
    if (w->keys) item.key = read_key(w, shard, f->name);
    w->each(w->user, &item);
  }
}

static void clear_shard(walk *w, int shard, unsigned number) {
  (void)number;
  listing l = {.arena = w->arena};
  list_shard(&l, shard, true);
  for (uint32_t i = 0; i < l.files.len; i++) {
    if (unlinkat(shard, l.files.data[i].name, 0) != 0) continue;
    w->removed++;
    w->bytes += l.files.data[i].bytes;
  }
}

static bool walk_shards(const cache *c, walk *w, void (*visit)(walk *w, int shard, unsigned n)) {
  tsr_context *ctx = w->arena->ctx;
  int root = open_root(c);
  volatile int shard = -1;
  if (root < 0) return false;
  TSR_GUARD(ctx, {
    if (shard >= 0) close(shard);
    close(root);
    ctx_unwind(ctx);
  });
  for (unsigned number = 0; number < SHARDS; number++) {
    shard = open_shard(root, number, false);
    if (shard < 0) continue;
    visit(w, shard, number);
    close(shard);
    shard = -1;
  }
  TSR_UNGUARD(ctx);
  close(root);
  return true;
}

bool cache_walk(const cache *c, arena *a, bool keys, void (*each)(void *user, const cache_item *i),
                void *user) {
  walk w = {.arena = a, .keys = keys, .each = each, .user = user};
  return walk_shards(c, &w, show_shard);
}

bool cache_clear(const cache *c, arena *a, uint64_t *entries, uint64_t *bytes) {
  walk w = {.arena = a};
  bool found = walk_shards(c, &w, clear_shard);
  *entries = w.removed;
  *bytes = w.bytes;
  return found;
}
