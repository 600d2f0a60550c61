/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * store: the records of tuning in an SQLite database, one row for each candidate that was measured.
 *
 * Many processes. The database is in WAL mode, so readers don't wait for a writer; writers wait for
 * each other for up to ten seconds. What was put is one transaction. A damaged file is replaced
 * under a lock on FILE.lock, by the first process that sees it; the others find the new one.
 */
#ifndef TSR_TUNE_STORE_H
#define TSR_TUNE_STORE_H

#include <limits.h>

#include <tessera/tune.h>

#include "base/base.h"
#include "tune/sqlite.h"

enum { STORE_RECORDS = 50000, STORE_TEXT = 4000 };

struct tsr_tuning_store {
  tsr_context *ctx;
  const sqlite_library *sql; /* NULL: it forgets */
  sqlite3 *db;               /* NULL: not opened yet */
  sqlite3_stmt *walked;      /* whose rows are looked at */
  bool warned;
  unsigned limit; /* records */
  char path[PATH_MAX];
};

#endif
