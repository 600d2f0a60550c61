/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Any bytes as a tensor map and as the parameters of one: refused, or what is written is read as
 * the same parameters.
 */
#include <stdint.h>
#include <string.h>

#include "broken.h"
#include "emu/ptx/tensormap.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* bool members hold 0 or 1 only. */
static tensormap from_bytes(const uint8_t *data, size_t size) {
  tensormap m;
  memset(&m, 0, sizeof m);
  memcpy(&m, data, MIN(size, sizeof m));
  uint8_t flags[2];
  memcpy(flags, data, MIN(size, 2));
  memcpy(&m.fill_nan, &(bool){flags[0] & 1}, sizeof m.fill_nan);
  memcpy(&m.im2col, &(bool){size > 1 && flags[1] & 1}, sizeof m.im2col);
  return m;
}

static void check_same(const tensormap *a, const tensormap *b) {
  uint8_t x[TENSORMAP_BYTES], y[TENSORMAP_BYTES];
  if (tensormap_encode(a, x) || tensormap_encode(b, y) || memcmp(x, y, sizeof x) != 0)
    broken("what is read is written the same");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  uint8_t object[TENSORMAP_BYTES] = {0};
  tensormap m, again;
  memcpy(object, data, MIN(size, sizeof object));
  if (!tensormap_decode(object, &again)) check_same(&again, &again);
  if (!size) return 0;
  m = from_bytes(data, size);
  if (tensormap_encode(&m, object)) return 0;
  if (tensormap_decode(object, &again)) broken("what is written can be read");
  check_same(&m, &again);
  return 0;
}
