/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tune/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { FORMAT = 1, BUSY_MS = 10000 };

/* ---- where it is ---------------------------------------------------------------------------- */

static bool set_path(tsr_tuning_store *s, const char *folder, const char *below) {
  int n = snprintf(s->path, sizeof s->path, "%s%s", folder, below);
  return n > 0 && (size_t)n < sizeof s->path;
}

static bool choose_path(tsr_tuning_store *s, const char *asked) {
  const char *named = asked ? asked : getenv("TESSERA_TUNING");
  const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
  if (named && *named) return set_path(s, named, "");
  if (data && *data == '/') return set_path(s, data, "/tessera/tuning.sqlite");
  return home && *home && set_path(s, home, "/.local/share/tessera/tuning.sqlite");
}

/* Makes the folders above the file. */
static void make_folders(const char *path) {
  char part[PATH_MAX];
  snprintf(part, sizeof part, "%s", path);
  for (char *p = part + 1; *p; p++) {
    if (*p != '/') continue;
    *p = 0;
    mkdir(part, 0700);
    *p = '/';
  }
}

static void forget(tsr_tuning_store *s, const char *why) {
  if (!s->warned)
    diag(s->ctx, TSR_WARNING, NOWHERE, "what tuning finds is not remembered: %s", why);
  s->warned = true;
  s->sql = NULL;
}

/* ---- opening -------------------------------------------------------------------------------- */

static bool read_number(tsr_tuning_store *s, const char *query, int64_t *out, int *status) {
  sqlite3_stmt *q = NULL;
  *status = s->sql->prepare(s->db, query, -1, &q, NULL);
  if (*status == SQL_OK) *status = s->sql->step(q);
  if (*status == SQL_ROW) *out = s->sql->column_int64(q, 0);
  bool found = *status == SQL_ROW;
  s->sql->finalize(q);
  return found;
}

static double now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* The first one to change the mode may meet others who do, which SQLite does not wait for. */
static int exec_patiently(tsr_tuning_store *s, const char *statements) {
  double until = now_ms() + BUSY_MS;
  for (;;) {
    int status = s->sql->exec(s->db, statements, NULL, NULL, NULL);
    if (status != SQL_BUSY || now_ms() > until) return status;
    s->sql->exec(s->db, "ROLLBACK", NULL, NULL, NULL);
    nanosleep(&(struct timespec){.tv_nsec = 10 * 1000000}, NULL);
  }
}

static const char schema[] =
    "BEGIN IMMEDIATE;"
    "CREATE TABLE IF NOT EXISTS tuning(kernel TEXT NOT NULL, program TEXT NOT NULL, space TEXT "
    "NOT NULL, sizes TEXT NOT NULL, device TEXT NOT NULL, version TEXT NOT NULL, parameters TEXT "
    "NOT NULL, median_ms REAL NOT NULL, spread_ms REAL NOT NULL, samples INTEGER NOT NULL, "
    "estimate INTEGER NOT NULL, time INTEGER NOT NULL, "
    "PRIMARY KEY(program, sizes, device, version, parameters)) WITHOUT ROWID;"
    "CREATE INDEX IF NOT EXISTS tuning_time ON tuning(time);"
    "CREATE VIEW IF NOT EXISTS best AS SELECT *, min(median_ms) FROM tuning "
    "GROUP BY program, sizes, device, version;"
    "PRAGMA user_version=1;"
    "COMMIT";

static int prepare_database(tsr_tuning_store *s, bool *newer) {
  int status;
  int64_t format = 0;
  s->sql->busy_timeout(s->db, BUSY_MS);
  if (!read_number(s, "PRAGMA user_version", &format, &status)) return status;
  *newer = format > FORMAT;
  if (format >= FORMAT) return SQL_OK;
  status = exec_patiently(s, "PRAGMA journal_mode=WAL");
  return status == SQL_OK ? exec_patiently(s, schema) : status;
}

static void close_database(tsr_tuning_store *s) {
  if (s->walked) s->sql->finalize(s->walked);
  s->walked = NULL;
  if (s->db) s->sql->close(s->db);
  s->db = NULL;
}

static int open_file(tsr_tuning_store *s, bool *newer) {
  int status = s->sql->open(s->path, &s->db, SQL_OPEN_READWRITE | SQL_OPEN_CREATE, NULL);
  if (status == SQL_OK) status = prepare_database(s, newer);
  if (status == SQL_OK) s->sql->exec(s->db, "PRAGMA synchronous=NORMAL", NULL, NULL, NULL);
  return status;
}

static bool is_damage(int status) {
  int kind = status & 0xff;
  return kind == SQL_CORRUPT || kind == SQL_NOT_A_DATABASE;
}

static void put_aside(tsr_tuning_store *s) {
  char other[PATH_MAX + 16];
  snprintf(other, sizeof other, "%s.broken", s->path);
  rename(s->path, other);
  static const char *const beside[] = {"-wal", "-shm"};
  for (size_t i = 0; i < ARRAY_LEN(beside); i++) {
    snprintf(other, sizeof other, "%s%s", s->path, beside[i]);
    unlink(other);
  }
  diag(s->ctx, TSR_WARNING, NOWHERE,
       "the tuning records in '%s' are damaged: they are put aside as '%s.broken'", s->path,
       s->path);
}

/* Can all of it be read? */
static int check_whole(tsr_tuning_store *s) {
  int status;
  int64_t count;
  sqlite3_stmt *q = NULL;
  if (!read_number(s, "SELECT count(*) FROM tuning", &count, &status)) return status;
  status = s->sql->prepare(s->db, "PRAGMA quick_check(1)", -1, &q, NULL);
  if (status == SQL_OK) status = s->sql->step(q);
  if (status == SQL_ROW) {
    const unsigned char *text = s->sql->column_text(q, 0);
    status = text && strcmp((const char *)text, "ok") == 0 ? SQL_OK : SQL_CORRUPT;
  }
  s->sql->finalize(q);
  return status;
}

/* Another process may have replaced it by now. */
static int replace_damaged(tsr_tuning_store *s, bool *newer) {
  char name[PATH_MAX + 16];
  snprintf(name, sizeof name, "%s.lock", s->path);
  int lock = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (lock >= 0) flock(lock, LOCK_EX);
  close_database(s);
  int status = open_file(s, newer);
  if (status == SQL_OK && !*newer) status = check_whole(s);
  if (is_damage(status)) {
    close_database(s);
    put_aside(s);
    status = open_file(s, newer);
  }
  if (lock >= 0) close(lock);
  return status;
}

/* Opens the database; with `make`, also one that isn't there yet. False: there is none, or it
 * forgets. */
static bool open_database(tsr_tuning_store *s, bool make) {
  if (!s->sql) return false;
  if (s->db) return true;
  if (!make && access(s->path, F_OK) != 0) return false;
  make_folders(s->path);
  bool newer = false;
  int status = open_file(s, &newer);
  if (is_damage(status)) status = replace_damaged(s, &newer);
  if (status == SQL_OK && !newer) return true;
  char why[PATH_MAX + 256];
  if (newer)
    snprintf(why, sizeof why, "'%s' was made by a newer version of Tessera", s->path);
  else
    snprintf(why, sizeof why, "'%s': %s", s->path,
             s->db ? s->sql->message(s->db) : "out of memory");
  close_database(s);
  forget(s, why);
  return false;
}

tsr_tuning_store *tsr_tuning_store_open(tsr_context *ctx, const char *path) {
  if (!ctx) return NULL;
  TSR_GUARD(ctx, return NULL);
  tsr_tuning_store *s = ctx_alloc(ctx, sizeof *s);
  TSR_UNGUARD(ctx);
  *s = (tsr_tuning_store){.ctx = ctx, .limit = STORE_RECORDS};
  const char *why;
  if (!choose_path(s, path)) {
    forget(s, "neither TESSERA_TUNING nor HOME names a place for it");
    return s;
  }
  if (strcmp(s->path, "off") == 0) return s;
  s->sql = sqlite_get(&why);
  if (!s->sql) {
    char message[640];
    snprintf(message, sizeof message, "SQLite is not there (%s): install libsqlite3-0", why);
    forget(s, message);
  }
  return s;
}

void tsr_tuning_store_close(tsr_tuning_store *s) {
  if (!s) return;
  if (s->sql) close_database(s);
  ctx_free(s->ctx, s, sizeof *s);
}

const char *tsr_tuning_store_path(const tsr_tuning_store *s) {
  return s && s->sql ? s->path : NULL;
}

/* ---- statements ----------------------------------------------------------------------------- */

static tsr_status report(tsr_tuning_store *s) {
  diag_error(s->ctx, NOWHERE, "the tuning records in '%s': %s", s->path,
             s->db ? s->sql->message(s->db) : "the file cannot be opened");
  return TSR_ERROR_IO;
}

enum { TEXTS = 7 };

static void texts_of(const tsr_tuning_record *r, const char *out[TEXTS]) {
  const char *const texts[TEXTS] = {r->kernel, r->program, r->space,     r->sizes,
                                    r->device, r->version, r->parameters};
  memcpy(out, texts, sizeof texts);
}

static const char *const columns[TEXTS] = {"kernel", "program", "space",     "sizes",
                                           "device", "version", "parameters"};

static bool is_text(const char *text) {
  return text && strlen(text) <= STORE_TEXT && !strpbrk(text, "\t\r\n");
}

static bool check_record(tsr_tuning_store *s, const tsr_tuning_record *r) {
  const char *texts[TEXTS];
  texts_of(r, texts);
  for (int i = 0; i < TEXTS; i++) {
    if (is_text(texts[i])) continue;
    diag_error(s->ctx, NOWHERE,
               "a record's %s must be a text of at most %d bytes without line ends and tabs",
               columns[i], STORE_TEXT);
    return false;
  }
  if (r->median_ms > 0 && r->spread_ms >= 0 && r->median_ms < 1e15 && r->spread_ms < 1e15)
    return true;
  diag_error(s->ctx, NOWHERE, "a record's times are not above 0");
  return false;
}

static int put_one(tsr_tuning_store *s, const char *insert, const tsr_tuning_record *r) {
  const sqlite_library *sql = s->sql;
  sqlite3_stmt *q = NULL;
  const char *texts[TEXTS];
  texts_of(r, texts);
  int status = sql->prepare(s->db, insert, -1, &q, NULL);
  for (int i = 0; i < TEXTS && status == SQL_OK; i++)
    status = sql->bind_text(q, i + 1, texts[i], -1, SQL_STATIC);
  if (status == SQL_OK) status = sql->bind_double(q, TEXTS + 1, r->median_ms);
  if (status == SQL_OK) status = sql->bind_double(q, TEXTS + 2, r->spread_ms);
  if (status == SQL_OK) status = sql->bind_int64(q, TEXTS + 3, r->samples);
  if (status == SQL_OK) status = sql->bind_int64(q, TEXTS + 4, r->estimate);
  if (status == SQL_OK)
    status = sql->bind_int64(q, TEXTS + 5, r->time ? r->time : (int64_t)time(NULL));
  if (status == SQL_OK) status = sql->step(q);
  sql->finalize(q);
  return status == SQL_DONE ? SQL_OK : status;
}

/* The oldest go, and some more, so that it is not each time's work. */
static int trim(tsr_tuning_store *s) {
  int status;
  int64_t count;
  char statement[256];
  if (!read_number(s, "SELECT count(*) FROM tuning", &count, &status)) return status;
  if (count <= s->limit) return SQL_OK;
  snprintf(statement, sizeof statement,
           "DELETE FROM tuning WHERE (program, sizes, device, version, parameters) IN (SELECT "
           "program, sizes, device, version, parameters FROM tuning ORDER BY time LIMIT %lld)",
           (long long)(count - s->limit + s->limit / 20));
  return s->sql->exec(s->db, statement, NULL, NULL, NULL);
}

#define ALL_COLUMNS                                                                                \
  "kernel, program, space, sizes, device, version, parameters, median_ms, spread_ms, samples, "    \
  "estimate, time"
#define INSERT  "INSERT INTO tuning(" ALL_COLUMNS ") VALUES(?,?,?,?,?,?,?,?,?,?,?,?) "
#define ON_SAME "ON CONFLICT(program, sizes, device, version, parameters) DO UPDATE SET "
#define TAKE_NEW                                                                                   \
  "kernel=excluded.kernel, space=excluded.space, median_ms=excluded.median_ms, "                   \
  "spread_ms=excluded.spread_ms, samples=excluded.samples, estimate=excluded.estimate, "           \
  "time=excluded.time"

static int put_all(tsr_tuning_store *s, const char *insert, const tsr_tuning_record *records,
                   size_t count) {
  int status = exec_patiently(s, "BEGIN IMMEDIATE");
  for (size_t i = 0; i < count && status == SQL_OK; i++) status = put_one(s, insert, &records[i]);
  if (status == SQL_OK) status = trim(s);
  if (status == SQL_OK) status = s->sql->exec(s->db, "COMMIT", NULL, NULL, NULL);
  return status;
}

static tsr_status put_with(tsr_tuning_store *s, const char *insert,
                           const tsr_tuning_record *records, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (!check_record(s, &records[i])) return TSR_ERROR_USAGE;
  if (!count || !open_database(s, true)) return TSR_OK;
  int status = put_all(s, insert, records, count);
  bool newer = false;
  if (is_damage(status)) {
    status = replace_damaged(s, &newer);
    if (status == SQL_OK) status = put_all(s, insert, records, count);
  }
  if (status == SQL_OK) return TSR_OK;
  tsr_status result = report(s);
  if (s->db) s->sql->exec(s->db, "ROLLBACK", NULL, NULL, NULL);
  return result;
}

tsr_status tsr_tuning_store_put(tsr_tuning_store *s, const tsr_tuning_record *records,
                                size_t count) {
  if (!s) return TSR_ERROR_USAGE;
  if (records || !count) return put_with(s, INSERT ON_SAME TAKE_NEW, records, count);
  diag_error(s->ctx, NOWHERE, "tsr_tuning_store_put: no records");
  return TSR_ERROR_USAGE;
}

/* ---- looking -------------------------------------------------------------------------------- */

/* " WHERE kernel=? AND sizes=?", for the texts that there are. */
static void where_like(const char *const texts[TEXTS], char *out, size_t size) {
  size_t n = 0;
  *out = 0;
  for (int i = 0; i < TEXTS; i++)
    if (texts[i])
      n += (size_t)snprintf(out + n, size - n, "%s%s=?", n ? " AND " : " WHERE ", columns[i]);
}

static int prepare_like(tsr_tuning_store *s, const char *head, const char *tail,
                        const tsr_tuning_record *like, sqlite3_stmt **q) {
  char where[256], statement[768];
  const char *texts[TEXTS] = {NULL};
  if (like) texts_of(like, texts);
  where_like(texts, where, sizeof where);
  snprintf(statement, sizeof statement, "%s%s%s", head, where, tail);
  int status = s->sql->prepare(s->db, statement, -1, q, NULL), n = 0;
  for (int i = 0; i < TEXTS && status == SQL_OK; i++)
    if (texts[i]) status = s->sql->bind_text(*q, ++n, texts[i], -1, SQL_STATIC);
  return status;
}

static const char *column(tsr_tuning_store *s, sqlite3_stmt *q, int i) {
  const unsigned char *text = s->sql->column_text(q, i);
  return text ? (const char *)text : "";
}

static tsr_tuning_record read_row(tsr_tuning_store *s, sqlite3_stmt *q) {
  return (tsr_tuning_record){.kernel = column(s, q, 0),
                             .program = column(s, q, 1),
                             .space = column(s, q, 2),
                             .sizes = column(s, q, 3),
                             .device = column(s, q, 4),
                             .version = column(s, q, 5),
                             .parameters = column(s, q, 6),
                             .median_ms = s->sql->column_double(q, 7),
                             .spread_ms = s->sql->column_double(q, 8),
                             .samples = (uint32_t)s->sql->column_int64(q, 9),
                             .estimate = s->sql->column_int64(q, 10) != 0,
                             .time = s->sql->column_int64(q, 11)};
}

tsr_status tsr_tuning_store_walk(tsr_tuning_store *s, const tsr_tuning_record *like,
                                 tsr_tuning_visit each, void *user) {
  if (!s) return TSR_ERROR_USAGE;
  if (!each) {
    diag_error(s->ctx, NOWHERE, "tsr_tuning_store_walk: no function");
    return TSR_ERROR_USAGE;
  }
  if (!open_database(s, false)) return TSR_OK;
  if (s->walked) s->sql->finalize(s->walked); /* of a walk that memory ended */
  s->walked = NULL;
  int status = prepare_like(s, "SELECT " ALL_COLUMNS " FROM tuning",
                            " ORDER BY kernel, program, sizes, device, version, median_ms, "
                            "parameters",
                            like, &s->walked);
  bool more = true;
  if (status == SQL_OK) status = SQL_ROW;
  while (more && status == SQL_ROW) {
    status = s->sql->step(s->walked);
    if (status != SQL_ROW) break;
    tsr_tuning_record r = read_row(s, s->walked);
    more = each(user, &r);
  }
  bool newer = false, good = status == SQL_ROW || status == SQL_DONE;
  tsr_status result = good || is_damage(status) ? TSR_OK : report(s);
  s->sql->finalize(s->walked);
  s->walked = NULL;
  if (is_damage(status) && replace_damaged(s, &newer) != SQL_OK) return report(s);
  return result;
}

tsr_status tsr_tuning_store_clear(tsr_tuning_store *s, const tsr_tuning_record *like,
                                  size_t *removed) {
  size_t ignored;
  if (!removed) removed = &ignored;
  *removed = 0;
  if (!s) return TSR_ERROR_USAGE;
  if (!open_database(s, false)) return TSR_OK;
  sqlite3_stmt *q = NULL;
  int status = prepare_like(s, "DELETE FROM tuning", "", like, &q);
  if (status == SQL_OK) status = s->sql->step(q);
  if (status == SQL_DONE) *removed = (size_t)s->sql->changes(s->db);
  tsr_status result = status == SQL_DONE ? TSR_OK : report(s);
  s->sql->finalize(q);
  return result;
}

/* ---- texts ---------------------------------------------------------------------------------- */

static const char first_line[] = "tessera tuning records 1\n";

typedef struct writing {
  sbuf out;
  size_t count;
} writing;

static bool write_record(void *user, const tsr_tuning_record *r) {
  writing *w = user;
  sbuf_printf(&w->out, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%.17g\t%.17g\t%u\t%d\t%lld\n", r->kernel,
              r->program, r->space, r->sizes, r->device, r->version, r->parameters, r->median_ms,
              r->spread_ms, r->samples, r->estimate, (long long)r->time);
  w->count++;
  return true;
}

/* To standard output or a file. */
static bool write_text(tsr_context *ctx, const char *path, str text) {
  if (strcmp(path, "-") != 0) return file_write(ctx, path, text.data, text.len);
  if (fwrite(text.data, 1, text.len, stdout) == text.len && fflush(stdout) == 0) return true;
  diag_error(ctx, NOWHERE, "cannot write to standard output: %s", strerror(errno));
  return false;
}

static tsr_status export_all(tsr_tuning_store *s, arena *a, const char *path, size_t *count) {
  writing w = {.out = SBUF(a)};
  sbuf_puts(&w.out, first_line);
  tsr_status status = tsr_tuning_store_walk(s, NULL, write_record, &w);
  if (status != TSR_OK) return status;
  *count = w.count;
  return write_text(s->ctx, path, (str){w.out.data, w.out.len}) ? TSR_OK : TSR_ERROR_IO;
}

/* Cuts a line at its tabs. */
static unsigned cut(char *line, char **fields, unsigned max) {
  unsigned n = 0;
  for (char *p = line; p; n++) {
    char *tab = strchr(p, '\t');
    if (n < max) fields[n] = p;
    if (tab) *tab++ = 0;
    p = tab;
  }
  return n;
}

static bool read_double(const char *text, double *out) {
  char *end;
  *out = strtod(text, &end);
  return *text && !*end;
}

static bool read_whole(const char *text, int64_t max, int64_t *out) {
  char *end;
  errno = 0;
  *out = strtoll(text, &end, 10);
  return *text && !*end && !errno && *out >= 0 && *out <= max;
}

static bool read_line(char *line, tsr_tuning_record *r) {
  char *f[12];
  int64_t samples, estimate;
  if (cut(line, f, 12) != 12) return false;
  *r = (tsr_tuning_record){f[0], f[1], f[2], f[3], f[4], f[5], f[6], 0, 0, 0, 0, 0};
  if (!read_double(f[7], &r->median_ms) || !read_double(f[8], &r->spread_ms) ||
      !read_whole(f[9], UINT32_MAX, &samples) || !read_whole(f[10], 1, &estimate) ||
      !read_whole(f[11], INT64_MAX, &r->time))
    return false;
  r->samples = (uint32_t)samples;
  r->estimate = estimate;
  return r->median_ms > 0 && r->spread_ms >= 0;
}

typedef VEC(tsr_tuning_record) record_list;

static bool read_records(tsr_context *ctx, arena *a, const char *path, str text, record_list *out) {
  source src = {.name = strcmp(path, "-") == 0 ? "<stdin>" : path, .text = text};
  if (!str_starts(text, first_line)) {
    diag_error(ctx, ((place){.src = &src}), "this is no file of tuning records");
    return false;
  }
  char *p = arena_strndup(a, text.data + strlen(first_line), text.len - strlen(first_line));
  for (uint32_t number = 2; *p; number++) {
    tsr_tuning_record r;
    char *end = strchr(p, '\n');
    if (end) *end = 0;
    if (!end || !read_line(p, &r)) {
      diag_error(ctx, ((place){.src = &src, .line = number, .column = 1, .length = 1}),
                 "this line is no tuning record: twelve fields between tabs make one");
      return false;
    }
    vec_push(a, *out, r);
    p = end + 1;
  }
  return true;
}

static tsr_status import_all(tsr_tuning_store *s, arena *a, const char *path, size_t *count) {
  enum { MOST = 1 << 28 };
  str text;
  record_list records = {0};
  if (!file_read(s->ctx, a, path, MOST, &text)) return TSR_ERROR_IO;
  if (!read_records(s->ctx, a, path, text, &records)) return TSR_ERROR_INPUT;
  tsr_status status =
      put_with(s, INSERT ON_SAME TAKE_NEW " WHERE excluded.time > time", records.data, records.len);
  if (status == TSR_OK) *count = records.len;
  return status == TSR_ERROR_USAGE ? TSR_ERROR_INPUT : status;
}

typedef tsr_status (*text_step)(tsr_tuning_store *s, arena *a, const char *path, size_t *count);

static tsr_status with_arena(tsr_tuning_store *s, const char *path, size_t *count, text_step run) {
  arena a;
  arena_init(&a, s->ctx);
  TSR_GUARD(s->ctx, {
    arena_free(&a);
    return TSR_ERROR_MEMORY;
  });
  tsr_status status = run(s, &a, path, count);
  TSR_UNGUARD(s->ctx);
  arena_free(&a);
  return status;
}

static tsr_status run_text_step(tsr_tuning_store *s, const char *path, size_t *count,
                                text_step run) {
  size_t n = 0;
  if (count) *count = 0;
  if (!s) return TSR_ERROR_USAGE;
  if (!path) {
    diag_error(s->ctx, NOWHERE, "no file of tuning records is named");
    return TSR_ERROR_USAGE;
  }
  tsr_status status = with_arena(s, path, &n, run);
  if (count) *count = n;
  return status;
}

tsr_status tsr_tuning_store_export(tsr_tuning_store *s, const char *path, size_t *count) {
  return run_text_step(s, path, count, export_all);
}

tsr_status tsr_tuning_store_import(tsr_tuning_store *s, const char *path, size_t *count) {
  return run_text_step(s, path, count, import_all);
}
