/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Small pieces come from the heap and are cleared. Large ones are mappings, whose pages the kernel
 * makes when they are first written.
 */
#include "emu/zeroed.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { MAPPED_FROM = 256 << 10 };

static bool is_mapped(uint64_t bytes) {
  return bytes >= MAPPED_FROM;
}

static void *map_pages(uint64_t bytes) {
  void *p =
      mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return p == MAP_FAILED ? NULL : p;
}

void *zeroed_alloc(uint64_t bytes) {
  if (bytes > SIZE_MAX / 2) return NULL;
  if (is_mapped(bytes)) return map_pages(bytes);
  void *p = aligned_alloc(64, (bytes + 64) & ~UINT64_C(63));
  if (p) memset(p, 0, bytes);
  return p;
}

void zeroed_free(void *memory, uint64_t bytes) {
  if (memory && is_mapped(bytes))
    munmap(memory, bytes);
  else
    free(memory);
}

void zeroed_clear(void *memory, uint64_t bytes) {
  if (!is_mapped(bytes) || madvise(memory, bytes, MADV_DONTNEED) != 0) memset(memory, 0, bytes);
}
