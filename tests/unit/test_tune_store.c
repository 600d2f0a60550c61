/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The records of tuning: what is put is found again, by any number of processes, whatever dies in
 * between; what is wrong with the file is no error.
 */
#include "rt_support.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tune/store.h"

typedef struct scene {
  world w;
  char folder[64], path[128];
  tsr_tuning_store *store;
} scene;

static void scene_open(scene *s) {
  world_open(&s->w);
  snprintf(s->folder, sizeof s->folder, "/tmp/tessera-tuning-XXXXXX");
  assert_non_null(mkdtemp(s->folder));
  snprintf(s->path, sizeof s->path, "%s/below/tuning.sqlite", s->folder);
  s->store = tsr_tuning_store_open(s->w.ctx, s->path);
  assert_string_equal(tsr_tuning_store_path(s->store), s->path);
}

static void reopen(scene *s) {
  tsr_tuning_store_close(s->store);
  s->store = tsr_tuning_store_open(s->w.ctx, s->path);
}

static void scene_close(scene *s) {
  tsr_tuning_store_close(s->store);
  world_close(&s->w);
  char command[128];
  snprintf(command, sizeof command, "rm -rf '%s'", s->folder);
  assert_int_equal(system(command), 0);
}

static tsr_tuning_record record(const char *sizes, const char *parameters, double ms) {
  return (tsr_tuning_record){.kernel = "gemm",
                             .program = "0123",
                             .space = "4567",
                             .sizes = sizes,
                             .device = "a processor, 2 threads",
                             .version = "0.2.0",
                             .parameters = parameters,
                             .median_ms = ms,
                             .spread_ms = 0.125,
                             .samples = 12};
}

static void put(scene *s, const char *sizes, const char *parameters, double ms) {
  tsr_tuning_record r = record(sizes, parameters, ms);
  assert_int_equal(tsr_tuning_store_put(s->store, &r, 1), TSR_OK);
}

typedef struct seen {
  unsigned count, most;
  char text[4096];
} seen;

static bool see(void *user, const tsr_tuning_record *r) {
  seen *x = user;
  size_t n = strlen(x->text);
  snprintf(x->text + n, sizeof x->text - n, "%s: %s %g; ", r->sizes, r->parameters, r->median_ms);
  x->count++;
  return !x->most || x->count < x->most;
}

static seen look(scene *s, const char *sizes) {
  seen x = {0};
  tsr_tuning_record like = {.sizes = sizes};
  assert_int_equal(tsr_tuning_store_walk(s->store, &like, see, &x), TSR_OK);
  return x;
}

static void test_put_and_walk(void **state) {
  (void)state;
  scene s;
  scene_open(&s);
  assert_int_equal(look(&s, NULL).count, 0);
  assert_int_not_equal(access(s.path, F_OK), 0); /* looking makes no file */
  put(&s, "m=8", "BM=64", 2);
  put(&s, "m=8", "BM=32", 1);
  put(&s, "m=4", "BM=32", 3);
  assert_string_equal(look(&s, NULL).text, "m=4: BM=32 3; m=8: BM=32 1; m=8: BM=64 2; ");
  assert_string_equal(look(&s, "m=8").text, "m=8: BM=32 1; m=8: BM=64 2; ");
  put(&s, "m=8", "BM=64", 0.5); /* again */
  reopen(&s);
  assert_string_equal(look(&s, "m=8").text, "m=8: BM=64 0.5; m=8: BM=32 1; ");
  seen first = {.most = 1};
  assert_int_equal(tsr_tuning_store_walk(s.store, NULL, see, &first), TSR_OK);
  assert_int_equal(first.count, 1);
  struct stat st;
  assert_int_equal(stat(s.path, &st), 0);
  expect_quiet(&s.w);
  scene_close(&s);
}

static bool check_fields(void *user, const tsr_tuning_record *r) {
  ++*(int *)user;
  assert_string_equal(r->kernel, "gemm");
  assert_string_equal(r->program, "0123");
  assert_string_equal(r->space, "4567");
  assert_string_equal(r->device, "a processor, 2 threads");
  assert_string_equal(r->version, "0.2.0");
  assert_true(r->spread_ms == 0.125 && r->samples == 12 && !r->estimate);
  assert_true(r->time > 1600000000);
  return true;
}

static void test_fields(void **state) {
  (void)state;
  scene s;
  scene_open(&s);
  put(&s, "", "", 1);
  int calls = 0;
  tsr_tuning_store_walk(s.store, NULL, check_fields, &calls);
  assert_int_equal(calls, 1);
  scene_close(&s);
}

static void test_wrong_records(void **state) {
  (void)state;
  scene s;
  scene_open(&s);
  tsr_tuning_record good = record("m=1", "BM=1", 1), bad = record("m=1", "a\tb", 1);
  tsr_tuning_record both[] = {good, bad};
  assert_int_equal(tsr_tuning_store_put(s.store, both, 2), TSR_ERROR_USAGE);
  expect_error(&s.w, "a record's parameters must be a text");
  bad = record(NULL, "BM=1", 1);
  assert_int_equal(tsr_tuning_store_put(s.store, &bad, 1), TSR_ERROR_USAGE);
  expect_error(&s.w, "a record's sizes must be a text");
  bad = record("m=1", "BM=1", 0);
  assert_int_equal(tsr_tuning_store_put(s.store, &bad, 1), TSR_ERROR_USAGE);
  expect_error(&s.w, "times are not above 0");
  assert_int_equal(tsr_tuning_store_put(s.store, NULL, 1), TSR_ERROR_USAGE);
  expect_error(&s.w, "no records");
  assert_int_equal(tsr_tuning_store_walk(s.store, NULL, NULL, NULL), TSR_ERROR_USAGE);
  expect_error(&s.w, "no function");
  assert_int_equal(tsr_tuning_store_put(s.store, NULL, 0), TSR_OK);
  assert_int_equal(look(&s, NULL).count, 0);
  scene_close(&s);
}

static void test_clear(void **state) {
  (void)state;
  scene s;
  scene_open(&s);
  size_t removed = 7;
  assert_int_equal(tsr_tuning_store_clear(s.store, NULL, &removed), TSR_OK);
  assert_int_equal(removed, 0);
  put(&s, "m=8", "BM=64", 2);
  put(&s, "m=8", "BM=32", 1);
  put(&s, "m=4", "BM=32", 3);
  tsr_tuning_record like = {.sizes = "m=8"};
  assert_int_equal(tsr_tuning_store_clear(s.store, &like, &removed), TSR_OK);
  assert_int_equal(removed, 2);
  assert_string_equal(look(&s, NULL).text, "m=4: BM=32 3; ");
  assert_int_equal(tsr_tuning_store_clear(s.store, NULL, NULL), TSR_OK);
  assert_int_equal(look(&s, NULL).count, 0);
  scene_close(&s);
}

/* The oldest go. */
static void test_limit(void **state) {
  (void)state;
  scene s;
  scene_open(&s);
  s.store->limit = 40;
  for (int i = 0; i < 100; i++) {
    char parameters[32];
    snprintf(parameters, sizeof parameters, "BM=%d", i);
    tsr_tuning_record r = record("m=1", parameters, 1 + i);
    r.time = 1000 + i;
    assert_int_equal(tsr_tuning_store_put(s.store, &r, 1), TSR_OK);
    assert_true(look(&s, NULL).count <= 40);
  }
  seen x = look(&s, NULL);
  assert_true(x.count >= 35);
  assert_non_null(strstr(x.text, "BM=99 "));
  assert_null(strstr(x.text, "BM=1 "));
  scene_close(&s);
}

/* ---- texts ---------------------------------------------------------------------------------- */

static void write_file(const char *path, const char *text) {
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  fputs(text, f);
  fclose(f);
}

static void test_export_and_import(void **state) {
  (void)state;
  scene s, other;
  scene_open(&s);
  scene_open(&other);
  char file[128];
  size_t n;
  snprintf(file, sizeof file, "%s/records", s.folder);
  put(&s, "m=8", "BM=64", 1.0 / 3);
  put(&s, "m=4", "BM=32", 3);
  assert_int_equal(tsr_tuning_store_export(s.store, file, &n), TSR_OK);
  assert_int_equal(n, 2);
  put(&other, "m=2", "BM=16", 5);
  tsr_tuning_record newer = record("m=4", "BM=32", 2), older = record("m=8", "BM=64", 9);
  newer.time = INT64_MAX / 2;
  older.time = 1;
  assert_int_equal(tsr_tuning_store_put(other.store, &newer, 1), TSR_OK);
  assert_int_equal(tsr_tuning_store_put(other.store, &older, 1), TSR_OK);
  assert_int_equal(tsr_tuning_store_import(other.store, file, &n), TSR_OK);
  assert_int_equal(n, 2);
  assert_string_equal(look(&other, NULL).text, "m=2: BM=16 5; m=4: BM=32 2; m=8: BM=64 0.333333; ");
  expect_quiet(&s.w);
  expect_quiet(&other.w);
  scene_close(&other);
  scene_close(&s);
}

static void test_wrong_imports(void **state) {
  (void)state;
  static const struct {
    const char *text, *message;
  } wrong[] = {
      {"", "this is no file of tuning records"},
      {"something else\n", "this is no file of tuning records"},
      {"tessera tuning records 1\na\tb\n", ":2: this line is no tuning record"},
      {"tessera tuning records 1\nk\tp\ts\tm=1\td\tv\tBM=1\t1\t0\t3\t0\t5\n"
       "k\tp\ts\tm=1\td\tv\tBM=1\t-1\t0\t3\t0\t5\n",
       ":3: this line is no tuning record"},
      {"tessera tuning records 1\nk\tp\ts\tm=1\td\tv\tBM=1\t1\t0\t3\t2\t5\n", ":2: this line"},
      {"tessera tuning records 1\nk\tp\ts\tm=1\td\tv\tBM=1\tnan\t0\t3\t0\t5\n", ":2: this line"},
      {"tessera tuning records 1\nk\tp\ts\tm=1\td\tv\tBM=1\t1\t0\t3\t0\t5", ":2: this line"},
  };
  scene s;
  scene_open(&s);
  char file[128];
  size_t n = 9;
  snprintf(file, sizeof file, "%s/records", s.folder);
  for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
    write_file(file, wrong[i].text);
    assert_int_equal(tsr_tuning_store_import(s.store, file, &n), TSR_ERROR_INPUT);
    expect_error(&s.w, wrong[i].message);
    assert_int_equal(n, 0);
  }
  assert_int_equal(look(&s, NULL).count, 0);
  assert_int_equal(tsr_tuning_store_import(s.store, "/nowhere/at/all", &n), TSR_ERROR_IO);
  world_forget(&s.w);
  assert_int_equal(tsr_tuning_store_export(s.store, NULL, &n), TSR_ERROR_USAGE);
  expect_error(&s.w, "no file of tuning records is named");
  scene_close(&s);
}

/* ---- files that are wrong -------------------------------------------------------------------- */

static void expect_warning(scene *s, const char *part) {
  assert_int_equal(s->w.errors, 0);
  if (s->w.others != 1 || !strstr(s->w.messages, part)) fail_msg("got: %s", s->w.messages);
  world_forget(&s->w);
}

static void test_damaged_file(void **state) {
  (void)state;
  scene s;
  scene_open(&s);
  put(&s, "m=8", "BM=64", 2);
  tsr_tuning_store_close(s.store);
  write_file(s.path, "this is not a database, and long enough for everybody to see that it isn't");
  s.store = tsr_tuning_store_open(s.w.ctx, s.path);
  assert_int_equal(look(&s, NULL).count, 0);
  expect_warning(&s, "are damaged: they are put aside");
  put(&s, "m=8", "BM=32", 1);
  assert_string_equal(look(&s, NULL).text, "m=8: BM=32 1; ");
  char broken[160];
  snprintf(broken, sizeof broken, "%s.broken", s.path);
  assert_int_equal(access(broken, F_OK), 0);
  expect_quiet(&s.w);
  scene_close(&s);
}

/* Pages in the middle are overwritten: seen when they are read. */
static void test_damaged_pages(void **state) {
  (void)state;
  scene s;
  scene_open(&s);
  for (int i = 0; i < 400; i++) {
    char parameters[32];
    snprintf(parameters, sizeof parameters, "BM=%d", i);
    put(&s, "m=8", parameters, 1 + i);
  }
  tsr_tuning_store_close(s.store);
  FILE *f = fopen(s.path, "r+");
  fseek(f, 0, SEEK_END);
  long size = ftell(f);
  char rubbish[4096];
  memset(rubbish, 0x5a, sizeof rubbish);
  for (long at = 4096; at + 4096 <= size; at += 4096) {
    fseek(f, at, SEEK_SET);
    fwrite(rubbish, 1, sizeof rubbish, f);
  }
  fclose(f);
  s.store = tsr_tuning_store_open(s.w.ctx, s.path);
  put(&s, "m=8", "BM=1", 1);
  expect_warning(&s, "are damaged: they are put aside");
  assert_string_equal(look(&s, NULL).text, "m=8: BM=1 1; ");
  scene_close(&s);
}

static void test_newer_file(void **state) {
  (void)state;
  scene s;
  scene_open(&s);
  put(&s, "m=8", "BM=64", 2);
  s.store->sql->exec(s.store->db, "PRAGMA user_version=2", NULL, NULL, NULL);
  reopen(&s);
  put(&s, "m=8", "BM=32", 1);
  expect_warning(&s, "was made by a newer version of Tessera");
  assert_int_equal(look(&s, NULL).count, 0);
  assert_null(tsr_tuning_store_path(s.store));
  scene_close(&s);
}

static void test_places(void **state) {
  (void)state;
  world w;
  world_open(&w);
  setenv("TESSERA_TUNING", "off", 1);
  tsr_tuning_store *s = tsr_tuning_store_open(w.ctx, NULL);
  assert_null(tsr_tuning_store_path(s));
  tsr_tuning_store_close(s);
  unsetenv("TESSERA_TUNING");
  setenv("XDG_DATA_HOME", "/data", 1);
  s = tsr_tuning_store_open(w.ctx, NULL);
  assert_string_equal(tsr_tuning_store_path(s), "/data/tessera/tuning.sqlite");
  tsr_tuning_store_close(s);
  setenv("XDG_DATA_HOME", "data", 1); /* others than absolute ones are to be ignored */
  setenv("HOME", "/home/me", 1);
  s = tsr_tuning_store_open(w.ctx, NULL);
  assert_string_equal(tsr_tuning_store_path(s), "/home/me/.local/share/tessera/tuning.sqlite");
  tsr_tuning_store_close(s);
  expect_quiet(&w);
  s = tsr_tuning_store_open(w.ctx, "/dev/null/tuning.sqlite");
  tsr_tuning_record r = record("m=1", "BM=1", 1);
  assert_int_equal(tsr_tuning_store_put(s, &r, 1), TSR_OK);
  assert_int_equal(w.others, 1);
  assert_non_null(strstr(w.messages, "is not remembered: '/dev/null/tuning.sqlite'"));
  tsr_tuning_store_close(s);
  world_close(&w);
}

/* In a process of its own, which has not opened SQLite yet. */
static void test_without_sqlite(void **state) {
  (void)state;
  pid_t child = fork();
  if (child == 0) {
    world w;
    world_open(&w);
    setenv("TESSERA_SQLITE", "/nowhere/libsqlite3.so", 1);
    tsr_tuning_store *s = tsr_tuning_store_open(w.ctx, "/tmp/never.sqlite");
    tsr_tuning_record r = record("m=1", "BM=1", 1);
    bool good = s && w.others == 1 && strstr(w.messages, "SQLite is not there") &&
                tsr_tuning_store_put(s, &r, 1) == TSR_OK && !w.errors;
    tsr_tuning_store_close(s);
    tsr_context_destroy(w.ctx);
    _exit(good ? 0 : 1);
  }
  int status;
  waitpid(child, &status, 0);
  assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* ---- many processes ---------------------------------------------------------------------------
 */

enum { PROCESSES = 20, PUTS = 25 };

/* Puts records of its own, two at a time; never returns. */
static void put_many(const char *path, int number, int puts) {
  tsr_context *ctx = tsr_context_create(NULL);
  tsr_tuning_store *s = tsr_tuning_store_open(ctx, path);
  for (int i = 0; i < puts; i++) {
    char one[32], two[32];
    snprintf(one, sizeof one, "p=%d i=%d", number, 2 * i);
    snprintf(two, sizeof two, "p=%d i=%d", number, 2 * i + 1);
    tsr_tuning_record both[] = {record("m=1", one, 1 + i), record("m=1", two, 2 + i)};
    if (tsr_tuning_store_put(s, both, 2) != TSR_OK) _exit(1);
  }
  tsr_tuning_store_close(s);
  tsr_context_destroy(ctx);
  _exit(0);
}

static void start_all(pid_t *children, const char *path, int puts) {
  for (int i = 0; i < PROCESSES; i++) {
    children[i] = fork();
    if (children[i] == 0) put_many(path, i, puts);
    assert_true(children[i] > 0);
  }
}

/* All begin with no file, at once. */
static void test_twenty_processes(void **state) {
  (void)state;
  scene s;
  scene_open(&s);
  pid_t children[PROCESSES];
  start_all(children, s.path, PUTS);
  for (int i = 0; i < PROCESSES; i++) {
    int status;
    waitpid(children[i], &status, 0);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  assert_int_equal(look(&s, NULL).count, PROCESSES * PUTS * 2);
  expect_quiet(&s.w);
  scene_close(&s);
}

/* All find the same damaged file. */
static void test_twenty_processes_and_a_damaged_file(void **state) {
  (void)state;
  scene s;
  scene_open(&s);
  put(&s, "m=1", "BM=1", 1);
  tsr_tuning_store_close(s.store);
  write_file(s.path, "this is not a database, and long enough for everybody to see that it isn't");
  pid_t children[PROCESSES];
  start_all(children, s.path, 5);
  for (int i = 0; i < PROCESSES; i++) {
    int status;
    waitpid(children[i], &status, 0);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  s.store = tsr_tuning_store_open(s.w.ctx, s.path);
  assert_int_equal(look(&s, NULL).count, PROCESSES * 5 * 2);
  scene_close(&s);
}

static bool whole_pairs(void *user, const tsr_tuning_record *r) {
  (void)r;
  ++*(unsigned *)user;
  return true;
}

/* They are killed at any moment: what is there is whole, both of two or none. */
static void test_kill(void **state) {
  (void)state;
  scene s;
  scene_open(&s);
  for (int round = 0; round < 5; round++) {
    pid_t children[PROCESSES];
    start_all(children, s.path, 1000000);
    for (int i = 0; i < PROCESSES; i++) {
      nanosleep(&(struct timespec){.tv_nsec = 3000000 * (1 + (i * 7 + round) % 5)}, NULL);
      kill(children[i], SIGKILL);
      waitpid(children[i], NULL, 0);
    }
    reopen(&s);
    unsigned count = 0;
    assert_int_equal(tsr_tuning_store_walk(s.store, NULL, whole_pairs, &count), TSR_OK);
    assert_int_equal(count % 2, 0);
    put(&s, "m=1", "a", 1);
    put(&s, "m=1", "b", 1);
  }
  sqlite3_stmt *q;
  assert_int_equal(s.store->sql->prepare(s.store->db, "PRAGMA integrity_check", -1, &q, NULL), 0);
  assert_int_equal(s.store->sql->step(q), SQL_ROW);
  assert_string_equal((const char *)s.store->sql->column_text(q, 0), "ok");
  s.store->sql->finalize(q);
  expect_quiet(&s.w);
  scene_close(&s);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static void test_without_memory(void **state) {
  (void)state;
  scene s;
  scene_open(&s);
  put(&s, "m=8", "BM=64", 2);
  char file[128];
  snprintf(file, sizeof file, "%s/records", s.folder);
  for (long fail_at = 1;; fail_at++) {
    world w;
    world_open_failing(&w, fail_at);
    if (!w.ctx) continue;
    tsr_tuning_store *store = tsr_tuning_store_open(w.ctx, s.path);
    if (store) {
      tsr_tuning_store_export(store, file, NULL);
      tsr_tuning_store_import(store, file, NULL);
    }
    tsr_tuning_store_close(store);
    bool reached = w.allocations >= fail_at;
    world_close(&w);
    if (!reached) break;
  }
  scene_close(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_without_sqlite), /* first, before the library is there */
      cmocka_unit_test(test_put_and_walk),
      cmocka_unit_test(test_fields),
      cmocka_unit_test(test_wrong_records),
      cmocka_unit_test(test_clear),
      cmocka_unit_test(test_limit),
      cmocka_unit_test(test_export_and_import),
      cmocka_unit_test(test_wrong_imports),
      cmocka_unit_test(test_damaged_file),
      cmocka_unit_test(test_damaged_pages),
      cmocka_unit_test(test_newer_file),
      cmocka_unit_test(test_twenty_processes),
      cmocka_unit_test(test_twenty_processes_and_a_damaged_file),
      cmocka_unit_test(test_kill),
      cmocka_unit_test(test_without_memory),
      cmocka_unit_test(test_places),
  };
  return cmocka_run_group_tests_name("tune_store", tests, NULL, NULL);
}
