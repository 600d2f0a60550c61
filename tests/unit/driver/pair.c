/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The stand-in of HIP, which is loaded with this one, but with two cards, of which the second is
 * the first again. Memory, modules and launches are counted that a thread makes while the first one
 * is its own (pair_strays).
 */
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

int hipGetDeviceCount(int *count);
int hipGetDevice(int *ordinal);
int hipSetDevice(int ordinal);
int hipGetDevicePropertiesR0600(void *properties, int ordinal);
int hipMalloc(void **out, size_t bytes);
int hipModuleLoadData(void **out, const void *image);
int hipStreamCreateWithFlags(void **out, unsigned flags);
int pair_strays(void);

enum { SUCCESS = 0, INVALID_DEVICE = 101 };

static _Thread_local int current;
static _Atomic int strays;

int pair_strays(void) {
  return strays;
}

#define STAND_IN(name, ...)                                                                        \
  int (*stand_in)(__VA_ARGS__);                                                                    \
  void *symbol = dlsym(RTLD_NEXT, #name);                                                          \
  memcpy(&stand_in, &symbol, sizeof stand_in)

int hipGetDeviceCount(int *count) {
  *count = 2;
  return SUCCESS;
}

int hipGetDevice(int *ordinal) {
  *ordinal = current;
  return SUCCESS;
}

int hipSetDevice(int ordinal) {
  if (ordinal < 0 || ordinal > 1) return INVALID_DEVICE;
  current = ordinal;
  return SUCCESS;
}

int hipGetDevicePropertiesR0600(void *properties, int ordinal) {
  STAND_IN(hipGetDevicePropertiesR0600, void *, int);
  return ordinal < 2 ? stand_in(properties, 0) : INVALID_DEVICE;
}

int hipMalloc(void **out, size_t bytes) {
  STAND_IN(hipMalloc, void **, size_t);
  strays += current != 1;
  return stand_in(out, bytes);
}

int hipModuleLoadData(void **out, const void *image) {
  STAND_IN(hipModuleLoadData, void **, const void *);
  strays += current != 1;
  return stand_in(out, image);
}

int hipStreamCreateWithFlags(void **out, unsigned flags) {
  STAND_IN(hipStreamCreateWithFlags, void **, unsigned);
  strays += current != 1;
  return stand_in(out, flags);
}
