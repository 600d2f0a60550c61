/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/cuda_driver.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

static struct {
  pthread_once_t once;
  cuda_driver driver;
  bool usable;
  char why[1024];
} loaded = {.once = PTHREAD_ONCE_INIT};

#define LIBRARY "libcuda.so.1"

/* NULL, with the dynamic linker's words about the first place in `problem`. */
static void *open_library(char *problem, size_t size) {
  static const char *const places[] = {LIBRARY, "/usr/local/nvidia/lib64/" LIBRARY,
                                       "/usr/lib/wsl/lib/" LIBRARY};
  const char *asked = secure_getenv("TESSERA_CUDA_DRIVER");
  bool named = asked && *asked;
  void *library = dlopen(named ? asked : places[0], RTLD_NOW | RTLD_LOCAL);
  if (library) return library;
  const char *error = dlerror();
  snprintf(problem, size, "%s", error ? error : "it cannot be opened");
  for (size_t i = 1; !named && !library && i < ARRAY_LEN(places); i++)
    library = dlopen(places[i], RTLD_NOW | RTLD_LOCAL);
  return library;
}

typedef struct entry {
  size_t offset; /* in the table */
  const char *symbol;
  bool optional;
} entry;

static const entry entries[] = {
#define ENTRY(field, symbol, parameters) {offsetof(cuda_driver, field), #symbol, false},
    CUDA_ENTRIES(ENTRY)
#undef ENTRY
#define ENTRY(field, symbol, parameters) {offsetof(cuda_driver, field), #symbol, true},
        CUDA_OPTIONAL_ENTRIES(ENTRY)
#undef ENTRY
};

/* Fills the table. The name of an entry that is missing; NULL. */
static const char *find_entries(void *library, cuda_driver *d) {
  for (size_t i = 0; i < ARRAY_LEN(entries); i++) {
    void *function = dlsym(library, entries[i].symbol);
    if (!function && !entries[i].optional) return entries[i].symbol;
    memcpy((char *)d + entries[i].offset, &function, sizeof function);
  }
  return NULL;
}

const char *cuda_words(const cuda_driver *d, cu_result result, char *out, size_t size) {
  const char *name = NULL, *text = NULL;
  d->error_name(result, &name);
  d->error_text(result, &text);
  if (name)
    snprintf(out, size, "%s (%s)", name, text ? text : "no description");
  else
    snprintf(out, size, "CUDA error %d", result);
  return out;
}

static bool start(cuda_driver *d) {
  char words[256];
  cu_result r = d->driver_version(&d->version);
  if (r == CU_OK && d->version < CUDA_OLDEST_DRIVER) {
    snprintf(loaded.why, sizeof loaded.why,
             "NVIDIA's driver is of CUDA %d.%d, and code is made for drivers of CUDA %d.%d or "
             "newer: update the driver",
             d->version / 1000, d->version % 1000 / 10, CUDA_OLDEST_DRIVER / 1000,
             CUDA_OLDEST_DRIVER % 1000 / 10);
    return false;
  }
  if (r == CU_OK) r = d->init(0);
  if (r == CU_OK) return true;
  snprintf(
      loaded.why, sizeof loaded.why,
      "NVIDIA's driver does not start: %s; 'nvidia-smi' tells whether the card is visible here",
      cuda_words(d, r, words, sizeof words));
  return false;
}

static void load(void) {
  char problem[512] = "";
  void *library = open_library(problem, sizeof problem);
  const char *missing = library ? find_entries(library, &loaded.driver) : NULL;
  if (!library)
    snprintf(loaded.why, sizeof loaded.why,
             "NVIDIA's driver library was not found (%s): install the driver, or name the library "
             "in TESSERA_CUDA_DRIVER; 'cpu' and 'emu:sm_90a' need none",
             problem);
  else if (missing)
    snprintf(loaded.why, sizeof loaded.why,
             "NVIDIA's driver library lacks the entry '%s': it is too old, or another library of "
             "this name; update the driver, or name the library in TESSERA_CUDA_DRIVER",
             missing);
  else
    loaded.usable = start(&loaded.driver);
}

const cuda_driver *cuda_driver_get(const char **why) {
  pthread_once(&loaded.once, load);
  *why = loaded.why;
  return loaded.usable ? &loaded.driver : NULL;
}
