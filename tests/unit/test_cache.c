/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The cache of compiled kernels: what is stored comes back, what is wrong with it is a miss, it
 * stays within its limit, and any number of processes may use it.
 */
#include "rt_support.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ir/verify.h"
#include "rt/cache.h"
#include "rt/cached.h"
#include "text/text.h"

typedef struct scene {
  world w;
  arena arena;
  cache cache;
} scene;

static void scene_open(scene *s) {
  world_open(&s->w);
  arena_init(&s->arena, s->w.ctx);
  char folder[] = "/tmp/tessera-cache-XXXXXX";
  assert_non_null(mkdtemp(folder));
  unsetenv("TESSERA_CACHE");
  assert_true(cache_open(s->w.ctx, folder, &s->cache));
  assert_string_equal(s->cache.folder, folder);
}

static void remove_folder(const char *path) {
  char command[PATH_MAX + 32];
  snprintf(command, sizeof command, "rm -rf '%s'", path);
  assert_int_equal(system(command), 0);
}

static void scene_close(scene *s) {
  remove_folder(s->cache.folder);
  arena_free(&s->arena);
  world_close(&s->w);
}

static void put(scene *s, const char *key, const char *object, uint64_t scratch) {
  cache_entry entry = {.object = str_of(object), .sizes = {scratch}};
  cache_store(&s->cache, &s->arena, str_of(key), &entry);
}

static bool has(scene *s, const char *key, const char *object) {
  cache_entry entry;
  if (!cache_load(&s->cache, &s->arena, str_of(key), &entry)) return false;
  assert_int_equal((uintptr_t)entry.object.data % 8, 0);
  assert_true(str_is(entry.object, object));
  return true;
}

typedef struct seen {
  unsigned count, broken;
  uint64_t bytes;
  char path[PATH_MAX]; /* of the last */
} seen;

static void see(void *user, const cache_item *item) {
  seen *x = user;
  x->count++;
  x->broken += item->key.len == 0;
  x->bytes += item->bytes;
  snprintf(x->path, sizeof x->path, "%s", item->path);
}

static seen look(scene *s) {
  seen x = {0};
  cache_walk(&s->cache, &s->arena, true, see, &x);
  return x;
}

static void path_of_only(scene *s, char path[2 * PATH_MAX]) {
  seen x = look(s);
  assert_int_equal(x.count, 1);
  snprintf(path, 2 * PATH_MAX, "%s/%s", s->cache.folder, x.path);
}

/* ---- tests ---------------------------------------------------------------------------------- */

static void what_is_stored_comes_back(void **state) {
  (void)state;
  scene s;
  scene_open(&s);
  assert_false(has(&s, "a", "one"));
  put(&s, "a", "one", 64);
  put(&s, "b", "", 0);
  assert_true(has(&s, "a", "one"));
  assert_true(has(&s, "b", ""));
  assert_false(has(&s, "c", ""));
  put(&s, "a", "another", 128);
  cache_entry entry;
  assert_true(cache_load(&s.cache, &s.arena, STR("a"), &entry));
  assert_true(str_is(entry.object, "another"));
  assert_int_equal(entry.sizes[0], 128);
  assert_int_equal(look(&s).count, 2);
  expect_quiet(&s.w);
  scene_close(&s);
}

static void files_are_the_users_alone(void **state) {
  (void)state;
  scene s;
  scene_open(&s);
  char path[2 * PATH_MAX];
  struct stat st;
  rmdir(s.cache.folder);
  mode_t old = umask(0);
  put(&s, "a", "one", 0);
  umask(old);
  assert_int_equal(stat(s.cache.folder, &st), 0);
  assert_int_equal(st.st_mode & 07777, 0700);
  path_of_only(&s, path);
  assert_int_equal(stat(path, &st), 0);
  assert_int_equal(st.st_mode & 07777, 0600);
  /* A folder that others may write to could hold anything: it is not used. */
  chmod(s.cache.folder, 0777);
  assert_false(has(&s, "a", "one"));
  put(&s, "b", "two", 0);
  errno = 0;
  assert_int_equal(look(&s).count, 0);
  assert_int_equal(errno, EPERM);
  chmod(s.cache.folder, 0700);
  assert_int_equal(look(&s).count, 1);
  expect_quiet(&s.w);
  scene_close(&s);
}

static long size_of(const char *path) {
  struct stat st;
  assert_int_equal(stat(path, &st), 0);
  return (long)st.st_size;
}

/* Every byte changed, every length cut, something appended: all are misses, and a store repairs. */
static void broken_entries_are_misses(void **state) {
  (void)state;
  scene s;
  scene_open(&s);
  char path[2 * PATH_MAX];
  put(&s, "the key", "the object", 64);
  path_of_only(&s, path);
  long size = size_of(path);
  for (long i = 0; i < size; i++) {
    int fd = open(path, O_RDWR);
    unsigned char byte, changed;
    assert_int_equal(pread(fd, &byte, 1, i), 1);
    changed = byte ^ 0x10;
    assert_int_equal(pwrite(fd, &changed, 1, i), 1);
    cache_entry entry;
    assert_false(cache_load(&s.cache, &s.arena, STR("the key"), &entry));
    assert_int_equal(look(&s).broken, 1);
    assert_int_equal(pwrite(fd, &byte, 1, i), 1);
    close(fd);
  }
  assert_true(has(&s, "the key", "the object"));
  for (long i = size - 1; i >= 0; i--) {
    assert_int_equal(truncate(path, i), 0);
    assert_false(has(&s, "the key", "the object"));
  }
  put(&s, "the key", "the object", 64);
  assert_true(has(&s, "the key", "the object"));
  assert_int_equal(truncate(path, size + 1), 0);
  assert_false(has(&s, "the key", "the object"));
  /* No file at all, but something of its name. */
  unlink(path);
  assert_int_equal(symlink("/dev/zero", path), 0);
  assert_false(has(&s, "the key", "the object"));
  unlink(path);
  assert_int_equal(mkfifo(path, 0600), 0);
  assert_false(has(&s, "the key", "the object"));
  unlink(path);
  assert_int_equal(mkdir(path, 0700), 0);
  assert_false(has(&s, "the key", "the object"));
  put(&s, "the key", "the object", 64);
  assert_false(has(&s, "the key", "the object"));
  expect_quiet(&s.w);
  scene_close(&s);
}

/* The key of another kernel under this one's name: as if their hashes collided. */
static void keys_are_compared(void **state) {
  (void)state;
  scene s;
  scene_open(&s);
  char first[2 * PATH_MAX], second[2 * PATH_MAX];
  put(&s, "a", "one", 0);
  path_of_only(&s, first);
  uint64_t entries, bytes;
  assert_true(cache_clear(&s.cache, &s.arena, &entries, &bytes));
  put(&s, "b", "two", 0);
  path_of_only(&s, second);
  char folder[2 * PATH_MAX];
  snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(first, '/') - first), first);
  mkdir(folder, 0700);
  assert_int_equal(rename(second, first), 0);
  assert_false(has(&s, "a", "two"));
  assert_false(has(&s, "b", "two"));
  scene_close(&s);
}

static void the_least_recently_used_go_first(void **state) {
  (void)state;
  scene s;
  scene_open(&s);
  enum { EACH = 20000, LIMIT = 16 * 70000 };
  s.cache.limit = LIMIT; /* room for three in each folder */
  char *object = malloc(EACH + 1), key[32], first[32] = "";
  memset(object, 'x', EACH);
  object[EACH] = 0;
  for (unsigned i = 0; i < 200; i++) {
    snprintf(key, sizeof key, "key %u", i);
    put(&s, key, object, 0);
    assert_true(has(&s, key, object)); /* the newest always stays */
    if (i == 0) memcpy(first, key, sizeof first);
    assert_true(has(&s, first, object)); /* and so does what is used all the time */
    assert_true(look(&s).bytes <= LIMIT);
  }
  assert_in_range(look(&s).count, 40, 48);
  /* What is too large for the cache is not stored, and evicts nothing. */
  s.cache.limit = 16 * EACH;
  put(&s, "large", object, 0);
  assert_false(has(&s, "large", object));
  assert_true(has(&s, first, object));
  free(object);
  scene_close(&s);
}

/* What writers that were killed left takes room, too, until it is old. */
static void temporary_files_count(void **state) {
  (void)state;
  scene s;
  scene_open(&s);
  enum { EACH = 20000, LIMIT = 16 * 70000, TEMPORARY = 40000 };
  s.cache.limit = LIMIT; /* room for three in each folder, or for one and the temporary file */
  char *object = malloc(EACH + 1), path[2 * PATH_MAX], key[32];
  memset(object, 'x', EACH);
  object[EACH] = 0;
  for (unsigned i = 0; i < 16; i++) {
    snprintf(path, sizeof path, "%s/%x", s.cache.folder, i);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/%x/new-1-2-3", s.cache.folder, i);
    close(open(path, O_CREAT | O_WRONLY, 0600));
    assert_int_equal(truncate(path, TEMPORARY), 0);
  }
  for (unsigned i = 0; i < 100; i++) {
    snprintf(key, sizeof key, "key %u", i);
    put(&s, key, object, 0);
    assert_true(has(&s, key, object));
  }
  assert_int_equal(look(&s).count, 16);
  free(object);
  scene_close(&s);
}

static void clearing_leaves_other_files(void **state) {
  (void)state;
  scene s;
  scene_open(&s);
  put(&s, "a", "one", 0);
  put(&s, "b", "two", 0);
  char path[2 * PATH_MAX], other[3 * PATH_MAX];
  seen x = look(&s);
  snprintf(path, sizeof path, "%s/%s", s.cache.folder, x.path);
  snprintf(other, sizeof other, "%.*s/mine", (int)(strrchr(path, '/') - path), path);
  close(open(other, O_CREAT | O_WRONLY, 0600));
  char abandoned[3 * PATH_MAX];
  snprintf(abandoned, sizeof abandoned, "%.*s/new-1-2-3", (int)(strrchr(path, '/') - path), path);
  close(open(abandoned, O_CREAT | O_WRONLY, 0600));
  uint64_t entries, bytes;
  assert_true(cache_clear(&s.cache, &s.arena, &entries, &bytes));
  assert_int_equal(entries, 2);
  assert_int_equal(bytes, x.bytes);
  assert_int_equal(look(&s).count, 0);
  assert_int_equal(access(other, F_OK), 0);
  assert_int_equal(access(abandoned, F_OK), -1);
  scene_close(&s);
}

/* Writers and readers of a few keys, some of which are killed. Whatever is read is whole. */
static void processes_share_it(void **state) {
  (void)state;
  scene s;
  scene_open(&s);
  enum { PROCESSES = 4, ROUNDS = 60 };
  pid_t children[PROCESSES];
  for (unsigned p = 0; p < PROCESSES; p++) {
    children[p] = fork();
    assert_true(children[p] >= 0);
    if (children[p]) continue;
    char key[8], object[9000];
    memset(object, 'a', sizeof object);
    object[sizeof object - 1] = 0;
    int wrong = 0;
    for (unsigned i = 0; i < ROUNDS; i++) {
      snprintf(key, sizeof key, "k%u", i % 5);
      cache_entry entry = {.object = {object, 4000 + 1000 * (i % 5)}, .sizes = {[7] = i % 5}};
      if (i % 3 == p % 3) cache_store(&s.cache, &s.arena, str_of(key), &entry);
      cache_entry read;
      if (!cache_load(&s.cache, &s.arena, str_of(key), &read)) continue;
      wrong |= read.sizes[7] != i % 5 || !str_eq(read.object, entry.object);
      if (p == 0 && i == ROUNDS / 2) abort();
    }
    _exit(wrong);
  }
  for (unsigned p = 0; p < PROCESSES; p++) {
    int status;
    assert_int_equal(waitpid(children[p], &status, 0), children[p]);
    if (p)
      assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    else
      assert_true(!WIFEXITED(status) || WEXITSTATUS(status) != 0);
  }
  seen x = look(&s);
  assert_int_equal(x.count, 5);
  assert_int_equal(x.broken, 0);
  scene_close(&s);
}

static void the_environment_says_where(void **state) {
  (void)state;
  scene s;
  scene_open(&s);
  cache c;
  char *home = getenv("HOME") ? strdup(getenv("HOME")) : NULL;
  setenv("TESSERA_CACHE_DIR", "/one", 1);
  setenv("XDG_CACHE_HOME", "/two", 1);
  setenv("HOME", "/three", 1);
  setenv("TESSERA_CACHE_SIZE", "10", 1);
  assert_true(cache_open(s.w.ctx, NULL, &c));
  assert_string_equal(c.folder, "/one");
  assert_int_equal(c.limit, 10000000);
  unsetenv("TESSERA_CACHE_DIR");
  assert_true(cache_open(s.w.ctx, NULL, &c));
  assert_string_equal(c.folder, "/two/tessera");
  setenv("XDG_CACHE_HOME", "two", 1); /* must be absolute, or be ignored */
  assert_true(cache_open(s.w.ctx, NULL, &c));
  assert_string_equal(c.folder, "/three/.cache/tessera");
  unsetenv("HOME");
  assert_false(cache_open(s.w.ctx, NULL, &c));
  assert_false(cache_open(s.w.ctx, "", &c));
  assert_true(cache_open(s.w.ctx, "/four", &c));
  setenv("TESSERA_CACHE", "off", 1);
  assert_false(cache_open(s.w.ctx, "/four", &c));
  setenv("TESSERA_CACHE", "on", 1);
  assert_true(cache_open(s.w.ctx, "/four", &c));
  expect_quiet(&s.w);
  setenv("TESSERA_CACHE_SIZE", "much", 1);
  assert_true(cache_open(s.w.ctx, "/four", &c));
  assert_int_equal(c.limit, 256000000);
  assert_int_equal(s.w.others, 1);
  assert_non_null(strstr(s.w.messages, "TESSERA_CACHE_SIZE: expected the megabytes"));
  unsetenv("TESSERA_CACHE_SIZE");
  unsetenv("TESSERA_CACHE");
  unsetenv("XDG_CACHE_HOME");
  if (home) setenv("HOME", home, 1);
  free(home);
  scene_close(&s);
}

/* A folder that can't be made, or isn't one, is a cache that has nothing. */
static void impossible_folders_are_misses(void **state) {
  (void)state;
  scene s;
  scene_open(&s);
  cache good = s.cache;
  assert_true(cache_open(s.w.ctx, "/dev/null/below", &s.cache));
  put(&s, "a", "one", 0);
  assert_false(has(&s, "a", "one"));
  char path[PATH_MAX];
  memset(path, 'a', sizeof path);
  path[sizeof path - 1] = 0;
  assert_false(cache_open(s.w.ctx, path, &s.cache));
  expect_quiet(&s.w);
  s.cache = good;
  scene_close(&s);
}

static void lines_of_a_key(void **state) {
  (void)state;
  str key = STR("build 1\ntarget x avx2\nkernel k\n\nkernel not this\nlast");
  assert_true(str_is(cached_key_line(key, "target"), "x avx2"));
  assert_true(str_is(cached_key_line(key, "kernel"), "k"));
  assert_int_equal(cached_key_line(key, "last").len, 0);
  assert_int_equal(cached_key_line(key, "kern").len, 0);
  assert_int_equal(cached_key_line((str){0}, "kernel").len, 0);
  assert_true(str_is(cached_key_line(STR("a b"), "a"), "b"));
}

/* Code that uses an instruction is not for processors without it. */
static void keys_of_extensions(void **state) {
  (void)state;
  world w;
  world_open(&w);
  arena a;
  arena_init(&a, w.ctx);
  tsr_module *m = build_saxpy(w.ctx);
  const cpu_options plain = {.isa.arch = CPU_X86_64, .isa.level = CPU_AVX512};
  cpu_options with[4] = {plain, plain, plain, plain};
  with[0].isa.bf16 = with[1].isa.vnni = with[2].isa.fp16 = with[3].isa.vbmi = true;
  assert_true(ir_verify(m));
  ir_op *saxpy = ir_find_symbol(m, STR("saxpy"));
  str keys[5] = {cached_key_elsewhere(&a, m, &plain, saxpy)};
  for (unsigned i = 0; i < 4; i++) keys[1 + i] = cached_key_elsewhere(&a, m, &with[i], saxpy);
  for (unsigned i = 0; i < 5; i++)
    for (unsigned j = 0; j < i; j++) assert_false(str_eq(keys[i], keys[j]));
  ir_module_destroy(m);
  arena_free(&a);
  expect_quiet(&w);
  world_close(&w);
}

static str key_in(world *w, arena *a, const char *text) {
  ir_module *m = text_parse(w->ctx, str_of(text), "m", false);
  assert_non_null(m);
  assert_true(ir_verify(m));
  const cpu_options any = {.isa.arch = CPU_X86_64};
  str key = cached_key_elsewhere(a, m, &any, ir_find_symbol(m, STR("k")));
  ir_module_destroy(m);
  return key;
}

/* What code depends on is in its key, and no other kernel is. */
static void keys_of_kernels(void **state) {
  (void)state;
#define MODULE(items) "cuda_tile.module @m {\n" items "}\n"
#define GLOBAL(name)  "global @" name " <i32: [1]> : tile<1xi32>\n"
#define KERNEL(use)   "entry @k(%p: tile<ptr<i32>>) {\n" use "}\n"
#define TAKES(name)   KERNEL("%g = get_global @" name " : tile<ptr<i32>>\n")
#define ASSERTS       KERNEL("%t = constant <i1: 1> : tile<i1>\nassert %t, \"so\" : tile<i1>\n")
  world w;
  world_open(&w);
  arena a;
  arena_init(&a, w.ctx);
  const char *const alike[][2] = {
      {MODULE(KERNEL("")), MODULE(GLOBAL("a") "entry @other() {\n}\n" KERNEL(""))},
      {MODULE(GLOBAL("a") TAKES("a")), MODULE(GLOBAL("a") GLOBAL("b") TAKES("a"))},
  };
  const char *const unlike[][2] = {
      {MODULE(KERNEL("")), MODULE(KERNEL("%c = constant <i32: 1> : tile<i32>\n"))},
      {MODULE(GLOBAL("a") TAKES("a")), MODULE(GLOBAL("b") GLOBAL("a") TAKES("a"))},
      {MODULE(ASSERTS), MODULE("\n" ASSERTS)},
  };
  for (unsigned i = 0; i < ARRAY_LEN(alike); i++)
    assert_true(str_eq(key_in(&w, &a, alike[i][0]), key_in(&w, &a, alike[i][1])));
  for (unsigned i = 0; i < ARRAY_LEN(unlike); i++)
    assert_false(str_eq(key_in(&w, &a, unlike[i][0]), key_in(&w, &a, unlike[i][1])));
  arena_free(&a);
  expect_quiet(&w);
  world_close(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_stored_comes_back),
      cmocka_unit_test(files_are_the_users_alone),
      cmocka_unit_test(broken_entries_are_misses),
      cmocka_unit_test(keys_are_compared),
      cmocka_unit_test(the_least_recently_used_go_first),
      cmocka_unit_test(temporary_files_count),
      cmocka_unit_test(clearing_leaves_other_files),
      cmocka_unit_test(processes_share_it),
      cmocka_unit_test(the_environment_says_where),
      cmocka_unit_test(impossible_folders_are_misses),
      cmocka_unit_test(lines_of_a_key),
      cmocka_unit_test(keys_of_extensions),
      cmocka_unit_test(keys_of_kernels),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
