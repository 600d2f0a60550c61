/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Any bytes as a NumPy file: its header is read or refused, never believed.
 */
#include <stdlib.h>

/* The command isn't part of the library; this file of it is compiled in. */
#include "cli/npy.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What was accepted must hold: the numbers agree with each other and with the file. */
static void check(const npy_header *h, size_t size) {
  uint64_t count = 1;
  for (uint32_t i = 0; i < h->rank; i++) {
    if (h->shape[i] < 0) abort();
    if (h->shape[i] == 0) count = 0;
  }
  for (uint32_t i = 0; i < h->rank && count; i++)
    if (__builtin_mul_overflow(count, (uint64_t)h->shape[i], &count)) abort();
  if (h->rank > NPY_MAX_RANK || count != h->count || h->bytes != count * h->item ||
      h->offset + h->bytes != size)
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  tsr_context *ctx = tsr_context_create(NULL);
  arena a;
  arena_init(&a, ctx);
  size_t need = npy_header_length(data, size);
  npy_header h, again;
  if (need && !npy_parse(&a, data, MIN(need, size), size, &h)) {
    check(&h, size);
    char room[NPY_ROOM];
    size_t n = npy_put_header(room + NPY_ROOM, &h);
    if (npy_parse(&a, room + NPY_ROOM - n, n, n + h.bytes, &again) || again.count != h.count)
      abort();
  }
  arena_free(&a);
  tsr_context_destroy(ctx);
  return 0;
}
