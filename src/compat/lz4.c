/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * LZ4 blocks: literals and copies of what was decoded before, in turn. A token's upper half is the
 * number of literals, its lower half the length of the copy less 4; 15 in either half says that
 * bytes follow which are added, up to one that is not 255. The last sequence has no copy.
 */
#include <stdint.h>
#include <string.h>

#include "compat/decompress.h"

typedef struct lz4_input {
  const uint8_t *at, *end;
} lz4_input;

static bool read_length(lz4_input *in, size_t *length) {
  uint8_t more = 255;
  if (*length != 15) return true;
  while (more == 255) {
    if (in->at == in->end || *length > SIZE_MAX / 2) return false;
    more = *in->at++;
    *length += more;
  }
  return true;
}

/* Copies may overlap with what they make: a byte at a time repeats a pattern. */
static bool copy_back(uint8_t *out, size_t at, size_t offset, size_t n, size_t length) {
  if (!offset || offset > at || n > length - at) return false;
  for (size_t i = 0; i < n; i++) out[at + i] = out[at + i - offset];
  return true;
}

bool lz4_decompress(const void *data, size_t size, void *to, size_t length) {
  lz4_input in = {data, (const uint8_t *)data + size};
  uint8_t *out = to;
  size_t at = 0;
  while (in.at < in.end) {
    uint8_t token = *in.at++;
    size_t literals = token >> 4, copied = token & 15;
    if (!read_length(&in, &literals)) return false;
    if (literals > (size_t)(in.end - in.at) || literals > length - at) return false;
    memcpy(out + at, in.at, literals);
    at += literals;
    in.at += literals;
    if (in.at == in.end) break;
    if (in.end - in.at < 2) return false;
    size_t offset = in.at[0] | (size_t)in.at[1] << 8;
    in.at += 2;
    if (!read_length(&in, &copied)) return false;
    if (!copy_back(out, at, offset, copied + 4, length)) return false;
    at += copied + 4;
  }
  return at == length;
}
