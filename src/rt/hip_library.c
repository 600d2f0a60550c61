/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/hip_library.h"

#include <pthread.h>
#include <stdio.h>

#include "base/base.h"

static struct {
  pthread_once_t once;
  hip_library library;
  bool usable;
  char why[1024];
} loaded = {.once = PTHREAD_ONCE_INIT};

static const char *const places[] = {"libamdhip64.so.7", "libamdhip64.so.6",
                                     "/opt/rocm/lib/libamdhip64.so.7",
                                     "/opt/rocm/lib/libamdhip64.so.6"};

static const card_entry entries[] = {
#define SHARED(field, cuda, hip, parameters) {offsetof(hip_library, field), #hip, false},
#define ENTRY(field, symbol, parameters)     {offsetof(hip_library, field), #symbol, false},
#define OPTIONAL(field, symbol, parameters)  {offsetof(hip_library, field), #symbol, true},
    CARD_ENTRIES(SHARED) HIP_ENTRIES(ENTRY) HIP_OPTIONAL_ENTRIES(OPTIONAL)
#undef SHARED
#undef ENTRY
#undef OPTIONAL
};

static bool start(hip_library *h) {
  char words[256];
  card_result r = h->driver_version(&h->version);
  if (r == CARD_OK && h->version < HIP_OLDEST) {
    snprintf(loaded.why, sizeof loaded.why,
             "AMD's HIP is of ROCm %d.%d, and code is made for ROCm %d.%d or newer: update ROCm",
             h->version / 10000000, h->version / 100000 % 100, HIP_OLDEST / 10000000,
             HIP_OLDEST / 100000 % 100);
    return false;
  }
  if (r == CARD_OK) r = h->init(0);
  if (r == CARD_OK) return true;
  snprintf(loaded.why, sizeof loaded.why,
           "AMD's HIP does not start: %s; 'rocminfo' tells whether the card is visible here, and "
           "the user has to be in the groups 'render' and 'video'",
           card_words(&h->calls, "HIP", r, words, sizeof words));
  return false;
}

static void load(void) {
  char problem[512] = "";
  void *library =
      card_library_open("TESSERA_HIP_LIBRARY", places, ARRAY_LEN(places), problem, sizeof problem);
  const char *missing =
      library ? card_library_find(library, entries, ARRAY_LEN(entries), &loaded.library) : NULL;
  if (!library)
    snprintf(loaded.why, sizeof loaded.why,
             "AMD's HIP, libamdhip64, was not found (%s): install ROCm, or name the library in "
             "TESSERA_HIP_LIBRARY; 'cpu' and 'emu:gfx942' need none",
             problem);
  else if (missing)
    snprintf(loaded.why, sizeof loaded.why,
             "AMD's HIP lacks the entry '%s': it is too old, or another library of this name; "
             "update ROCm, or name the library in TESSERA_HIP_LIBRARY",
             missing);
  else
    loaded.usable = start(&loaded.library);
}

const hip_library *hip_library_get(const char **why) {
  pthread_once(&loaded.once, load);
  *why = loaded.why;
  return loaded.usable ? &loaded.library : NULL;
}
