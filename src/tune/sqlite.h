/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * sqlite: the functions of SQLite's library that are used here, which is opened when it is first
 * needed: libsqlite3.so.0, or the file that TESSERA_SQLITE names. Its interface is stable and
 * small, so it is declared here and no header is needed to build.
 */
#ifndef TSR_TUNE_SQLITE_H
#define TSR_TUNE_SQLITE_H

#include <stddef.h>
#include <stdint.h>

typedef struct sqlite3 sqlite3;
typedef struct sqlite3_stmt sqlite3_stmt;

enum {
  SQL_OK = 0,
  SQL_BUSY = 5,
  SQL_CORRUPT = 11,
  SQL_NOT_A_DATABASE = 26,
  SQL_ROW = 100,
  SQL_DONE = 101,
  SQL_OPEN_READWRITE = 0x2,
  SQL_OPEN_CREATE = 0x4,
};

/* Texts that are bound stay as they are until the statement is reset. */
#define SQL_STATIC ((void (*)(void *))0)

#define SQLITE_ENTRIES(X)                                                                          \
  X(open, int, (const char *, sqlite3 **, int, const char *), "open_v2")                           \
  X(close, int, (sqlite3 *), "close_v2")                                                           \
  X(exec, int, (sqlite3 *, const char *, int (*)(void *, int, char **, char **), void *, char **), \
    "exec")                                                                                        \
  X(prepare, int, (sqlite3 *, const char *, int, sqlite3_stmt **, const char **), "prepare_v2")    \
  X(step, int, (sqlite3_stmt *), "step")                                                           \
  X(finalize, int, (sqlite3_stmt *), "finalize")                                                   \
  X(bind_text, int, (sqlite3_stmt *, int, const char *, int, void (*)(void *)), "bind_text")       \
  X(bind_double, int, (sqlite3_stmt *, int, double), "bind_double")                                \
  X(bind_int64, int, (sqlite3_stmt *, int, int64_t), "bind_int64")                                 \
  X(column_text, const unsigned char *, (sqlite3_stmt *, int), "column_text")                      \
  X(column_double, double, (sqlite3_stmt *, int), "column_double")                                 \
  X(column_int64, int64_t, (sqlite3_stmt *, int), "column_int64")                                  \
  X(changes, int, (sqlite3 *), "changes")                                                          \
  X(busy_timeout, int, (sqlite3 *, int), "busy_timeout")                                           \
  X(message, const char *, (sqlite3 *), "errmsg")

typedef struct sqlite_library {
#define FIELD(name, result, parameters, symbol) result(*name) parameters;
  SQLITE_ENTRIES(FIELD)
#undef FIELD
} sqlite_library;

/* NULL when there is none; `why` then says so, as the end of a sentence, and lives forever. Any
 * thread. */
const sqlite_library *sqlite_get(const char **why);

#endif
