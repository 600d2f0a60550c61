/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/cuda_driver.h"

#include <pthread.h>
#include <stdio.h>

#include "base/base.h"

static struct {
  pthread_once_t once;
  cuda_driver driver;
  bool usable;
  char why[1024];
} loaded = {.once = PTHREAD_ONCE_INIT};

#define LIBRARY "libcuda.so.1"

static const char *const places[] = {LIBRARY, "/usr/local/nvidia/lib64/" LIBRARY,
                                     "/usr/lib/wsl/lib/" LIBRARY};

static const card_entry entries[] = {
#define SHARED(field, cuda, hip, parameters) {offsetof(cuda_driver, field), #cuda, false},
#define ENTRY(field, symbol, parameters)     {offsetof(cuda_driver, field), #symbol, false},
#define OPTIONAL(field, symbol, parameters)  {offsetof(cuda_driver, field), #symbol, true},
    CARD_ENTRIES(SHARED) CUDA_ENTRIES(ENTRY) CUDA_OPTIONAL_ENTRIES(OPTIONAL)
#undef SHARED
#undef ENTRY
#undef OPTIONAL
};

const char *cuda_words(const cuda_driver *d, cu_result result, char *out, size_t size) {
  return card_words(&d->calls, "CUDA", result, out, size);
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
  void *library =
      card_library_open("TESSERA_CUDA_DRIVER", places, ARRAY_LEN(places), problem, sizeof problem);
  const char *missing =
      library ? card_library_find(library, entries, ARRAY_LEN(entries), &loaded.driver) : NULL;
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
