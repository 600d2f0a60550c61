/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Libraries are loaded at run time nowhere in a page. */
#ifndef TESSERA_WEB_DLFCN_H
#define TESSERA_WEB_DLFCN_H

#include <stddef.h>

#define RTLD_LAZY   1
#define RTLD_NOW    2
#define RTLD_LOCAL  0
#define RTLD_GLOBAL 256
#define RTLD_NOLOAD 4

typedef struct {
  const char *dli_fname;
  void *dli_fbase;
} Dl_info;

static inline void *dlopen(const char *name, int flags) {
  (void)name, (void)flags;
  return NULL;
}
static inline void *dlsym(void *library, const char *name) {
  (void)library, (void)name;
  return NULL;
}
static inline int dlclose(void *library) {
  (void)library;
  return 0;
}
static inline char *dlerror(void) {
  return (char *)"a page can't load libraries";
}
static inline int dladdr(const void *address, Dl_info *info) {
  (void)address, (void)info;
  return 0;
}

#endif
