/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Functions of POSIX and Linux that wasi-libc declares and lacks, as far as a page can have them:
 * one user, one process, no links in its file system.
 */
#include "missing.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { WASM_PAGE = 65536 };

char *secure_getenv(const char *name) {
  return getenv(name);
}

uid_t geteuid(void) {
  return 0;
}

char *realpath(const char *restrict path, char *restrict to) {
  struct stat st;
  size_t length = strlen(path);
  if (stat(path, &st) != 0) return NULL;
  if (length >= PATH_MAX) {
    errno = ENAMETOOLONG;
    return NULL;
  }
  if (!to && !(to = malloc(PATH_MAX))) return NULL;
  return memcpy(to, path, length + 1);
}

int fchmod(int fd, mode_t mode) {
  (void)fd, (void)mode;
  return 0;
}

int flock(int fd, int how) {
  (void)fd, (void)how;
  return 0;
}

int dup(int fd) {
  (void)fd;
  errno = ENOSYS;
  return -1;
}

int execvp(const char *file, char *const arguments[]) {
  (void)file, (void)arguments;
  errno = ENOSYS;
  return -1;
}

int madvise(void *first, size_t size, int advice) {
  (void)first, (void)size, (void)advice;
  errno = ENOSYS;
  return -1;
}

/* Memory is there from its beginning to its end. */
int mincore(void *first, size_t size, unsigned char *resident) {
  uint64_t end = (uint64_t)__builtin_wasm_memory_size(0) * WASM_PAGE;
  if ((uint64_t)(uintptr_t)first + size > end) {
    errno = ENOMEM;
    return -1;
  }
  memset(resident, 1, (size + WASM_PAGE - 1) / WASM_PAGE);
  return 0;
}

/* The compiler's own functions for 128-bit numbers are built with a guard of their stack. */
uintptr_t __stack_chk_guard = (uintptr_t)0x7e55e7a5;
_Noreturn void __stack_chk_fail(void);

_Noreturn void __stack_chk_fail(void) {
  __builtin_trap();
}
