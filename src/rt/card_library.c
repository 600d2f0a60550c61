/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/card_library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Both structs of the union are the same. */
_Static_assert(sizeof(struct { CARD_CALLS; }) == sizeof(card_calls), "one table by two names");

static void *open_first(const char *const *places, size_t n, int flags) {
  void *library = NULL;
  for (size_t i = 0; i < n && !library; i++) library = dlopen(places[i], flags);
  return library;
}

void *card_library_open(const char *variable, const char *const *places, size_t n, char *problem,
                        size_t size) {
  const char *asked = secure_getenv(variable);
  bool named = asked && *asked;
  if (named) {
    places = &asked;
    n = 1;
  }
  void *library = open_first(places, n, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
  if (library) return library;
  library = dlopen(places[0], RTLD_NOW | RTLD_LOCAL);
  if (library) return library;
  const char *error = dlerror();
  snprintf(problem, size, "%s", error ? error : "it cannot be opened");
  return open_first(places + 1, n - 1, RTLD_NOW | RTLD_LOCAL);
}

const char *card_library_find(void *library, const card_entry *entries, size_t n, void *table) {
  for (size_t i = 0; i < n; i++) {
    void *function = dlsym(library, entries[i].symbol);
    if (!function && !entries[i].optional) return entries[i].symbol;
    memcpy((char *)table + entries[i].offset, &function, sizeof function);
  }
  return NULL;
}

const char *card_words(const card_calls *calls, const char *library, card_result result, char *out,
                       size_t size) {
  const char *name = NULL, *text = NULL;
  calls->error_name(result, &name);
  calls->error_text(result, &text);
  if (name)
    snprintf(out, size, "%s (%s)", name, text ? text : "no description");
  else
    snprintf(out, size, "%s error %d", library, result);
  return out;
}
