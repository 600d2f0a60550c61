/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tune/sqlite.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

static struct {
  pthread_once_t once;
  sqlite_library library;
  bool usable;
  char why[512];
} loaded = {.once = PTHREAD_ONCE_INIT};

static const struct {
  size_t offset;
  const char *symbol;
} entries[] = {
#define ENTRY(name, result, parameters, symbol) {offsetof(sqlite_library, name), "sqlite3_" symbol},
    SQLITE_ENTRIES(ENTRY)
#undef ENTRY
};

/* The name of an entry that is missing; NULL. */
static const char *find_entries(void *handle) {
  for (size_t i = 0; i < ARRAY_LEN(entries); i++) {
    void *function = dlsym(handle, entries[i].symbol);
    if (!function) return entries[i].symbol;
    memcpy((char *)&loaded.library + entries[i].offset, &function, sizeof function);
  }
  return NULL;
}

static void load(void) {
  const char *asked = getenv("TESSERA_SQLITE");
  const char *name = asked && *asked ? asked : "libsqlite3.so.0";
  void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  const char *problem = handle ? NULL : dlerror();
  const char *missing = handle ? find_entries(handle) : NULL;
  loaded.usable = handle && !missing;
  if (missing)
    snprintf(loaded.why, sizeof loaded.why, "%s has no %s", name, missing);
  else if (!handle)
    snprintf(loaded.why, sizeof loaded.why, "%s", problem ? problem : "it cannot be opened");
}

const sqlite_library *sqlite_get(const char **why) {
  pthread_once(&loaded.once, load);
  *why = loaded.why;
  return loaded.usable ? &loaded.library : NULL;
}
