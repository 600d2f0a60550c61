/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Any bytes as an entry of the cache of compiled kernels: taken whole, or passed over. The checksum
 * is mended, so that what lies behind it is reached.
 */
#include <sys/mman.h>

/* Its own functions are needed. */
#include "rt/cache.c"

#include "broken.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_entry(int fd, const uint8_t *data, size_t size) {
  header h;
  if (size >= sizeof h) {
    memcpy(&h, data, sizeof h);
    memcpy(h.magic, magic, sizeof magic);
    h.format = FORMAT;
    h.check = check_of(&h, data + sizeof h, size - sizeof h);
  }
  if (ftruncate(fd, 0) != 0 || lseek(fd, 0, SEEK_SET) != 0) abort();
  size_t head = size >= sizeof h ? sizeof h : 0;
  if (head && !write_all(fd, &h, head)) abort();
  if (!write_all(fd, data + head, size - head) || lseek(fd, 0, SEEK_SET) != 0) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static int fd = -1;
  struct stat st;
  header h;
  if (fd < 0) fd = memfd_create("entry", MFD_CLOEXEC);
  if (fd < 0) abort();
  tsr_context *ctx = tsr_context_create(NULL);
  arena a;
  arena_init(&a, ctx);
  write_entry(fd, data, size);
  if (fstat(fd, &st) != 0) abort();
  const char *rest = read_entry(fd, &st, &a, &h);
  if (rest && (size < sizeof h || padded(h.key_length) + h.object_length != size - sizeof h))
    broken("key and object are what the file has");
  arena_free(&a);
  tsr_context_destroy(ctx);
  return 0;
}
