/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Starting, results, and how entries are found by name.
 */
#include <string.h>

#include "compat/driver.h"

/* ---- starting ------------------------------------------------------------------------------- */

typedef enum start_state { NOT_STARTED, STARTED, FAILED, FORKED } start_state;
static _Atomic int state;

/* A child process has none of the threads that execute tile blocks. */
static void after_fork(void) {
  if (atomic_load(&state) == STARTED) atomic_store(&state, FORKED);
}

static void start(void) {
  pthread_atfork(NULL, NULL, after_fork);
  atomic_store(&state, engine_start() ? STARTED : FAILED);
}

CUresult cuInit(unsigned int flags) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  if (flags) return CUDA_ERROR_INVALID_VALUE;
  pthread_once(&once, start);
  return atomic_load(&state) == FAILED ? CUDA_ERROR_NO_DEVICE : initialised();
}

CUresult initialised(void) {
  return atomic_load_explicit(&state, memory_order_acquire) == STARTED ? CUDA_SUCCESS
                                                                       : CUDA_ERROR_NOT_INITIALIZED;
}

CUresult cuDriverGetVersion(int *version) {
  if (!version) return CUDA_ERROR_INVALID_VALUE;
  *version = CUDA_VERSION;
  return CUDA_SUCCESS;
}

/* ---- results -------------------------------------------------------------------------------- */

typedef struct result_text {
  CUresult value;
  const char *name, *text;
} result_text;

static const result_text results[] = {
#define RESULT(name, value, text) {name, #name, text},
    CUDA_RESULTS(RESULT)
#undef RESULT
};

static const result_text *find_result(CUresult value) {
  for (size_t i = 0; i < COUNT(results); i++)
    if (results[i].value == value) return &results[i];
  return NULL;
}

CUresult cuGetErrorString(CUresult error, const char **text) {
  const result_text *r = find_result(error);
  if (!text) return CUDA_ERROR_INVALID_VALUE;
  *text = r ? r->text : NULL;
  return r ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorName(CUresult error, const char **text) {
  const result_text *r = find_result(error);
  if (!text) return CUDA_ERROR_INVALID_VALUE;
  *text = r ? r->name : NULL;
  return r ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* ---- entries by name ------------------------------------------------------------------------ */

typedef void (*entry_fn)(void);
typedef struct entry {
  const char *name;
  int version;
  entry_fn function;
} entry;

static const entry entries[] = {
#define ENTRY(name, symbol, version, suffix, parameters) {#name, version, (entry_fn)symbol},
#include "compat/entries.def"
#undef ENTRY
};

/* What NVIDIA's runtime library asks first. It goes on to tables that are NVIDIA's own affair. */
static void refuse_runtime(void) {
  static atomic_flag said = ATOMIC_FLAG_INIT;
  if (!atomic_flag_test_and_set(&said))
    engine_say("NVIDIA's runtime library, linked into the program, does not come up on this driver "
               "library: run it by tessera exec; where its symbols were stripped, build it with "
               "-cudart shared or under tessera exec");
}

CUresult cuGetProcAddress_v2(const char *symbol, void **pfn, int version, cuuint64_t flags,
                             CUdriverProcAddressQueryResult *status) {
  if (!symbol || !pfn || flags > 2) return CUDA_ERROR_INVALID_VALUE;
  if (!*symbol) refuse_runtime();
  const entry *best = NULL;
  bool known = false;
  for (size_t i = 0; i < COUNT(entries); i++) {
    if (strcmp(entries[i].name, symbol) != 0) continue;
    known = true;
    if (entries[i].version <= version && (!best || entries[i].version > best->version))
      best = &entries[i];
  }
  entry_fn function = best ? best->function : NULL;
  memcpy(pfn, &function, sizeof function);
  if (status)
    *status = best    ? CU_GET_PROC_ADDRESS_SUCCESS
              : known ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                      : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  return best ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

CUresult cuGetProcAddress(const char *symbol, void **pfn, int version, cuuint64_t flags) {
  return cuGetProcAddress_v2(symbol, pfn, version, flags, NULL);
}

/* ---- others --------------------------------------------------------------------------------- */

CUresult cuGetExportTable(const void **table, const CUuuid *id) {
  if (!table || !id) return CUDA_ERROR_INVALID_VALUE;
  *table = NULL; /* these tables are NVIDIA's own affair */
  return CUDA_ERROR_NOT_FOUND;
}

CUresult cuProfilerStart(void) {
  return initialised();
}

CUresult cuProfilerStop(void) {
  return initialised();
}
