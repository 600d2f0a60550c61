/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Errors: each thread's last one, what they are called, and entries that are refused.
 */
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>

#include "compat/runtime/runtime.h"

/* By which `tessera exec` knows a program that has this library in it. */
__attribute__((used)) static const char name_of_library[] = "libtessera_cudart";

static __thread cudaError_t last_error;

void rt_say(const char *fmt, ...) {
  char text[1024];
  va_list args;
  va_start(args, fmt);
  vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  fflush(stdout); /* so that what was printed before is read before */
  fprintf(stderr, "tessera: %s\n", text);
}

/* To ask whether something has finished is no mistake. */
cudaError_t rt_fail(cudaError_t e) {
  if (e && e != cudaErrorNotReady) last_error = e;
  return e;
}

cudaError_t rt_end(CUresult r) {
  return rt_fail((cudaError_t)r);
}

cudaError_t cudaGetLastError(void) {
  cudaError_t e = last_error;
  last_error = cudaSuccess;
  return e;
}

cudaError_t cudaPeekAtLastError(void) {
  return last_error;
}

typedef struct error_text {
  cudaError_t value;
  const char *name, *text;
} error_text;

static const error_text errors[] = {
#define ERROR(name, value, text) {name, #name, text},
    CUDART_ERRORS(ERROR)
#undef ERROR
};

static const error_text *find_error(cudaError_t value) {
  for (size_t i = 0; i < COUNT(errors); i++)
    if (errors[i].value == value) return &errors[i];
  return NULL;
}

const char *cudaGetErrorName(cudaError_t error) {
  const error_text *e = find_error(error);
  return e ? e->name : "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t error) {
  const error_text *e = find_error(error);
  return e ? e->text : "unrecognized error code";
}

/* ---- refusals ------------------------------------------------------------------------------- */

/* Said once for each entry: programs call some of them in a loop. */
static cudaError_t refuse(const char *name, const char *why, atomic_bool *said) {
  if (!atomic_exchange(said, true)) rt_say("%s: %s", name, why);
  return rt_fail(cudaErrorNotSupported);
}

#define ENTRY(result, symbol, suffix, parameters)
#define REFUSED(symbol, suffix, why)                                                               \
  cudaError_t symbol(void) {                                                                       \
    static atomic_bool said;                                                                       \
    return refuse(#symbol, why, &said);                                                            \
  }
#include "compat/runtime/runtime.def"
#undef ENTRY
#undef REFUSED
