/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * SipHash (Aumasson, Bernstein: "SipHash: a fast short-input PRF", 2012): without the key nobody
 * can choose inputs that collide.
 */
#ifndef TSR_BASE_SIPHASH_H
#define TSR_BASE_SIPHASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t sip_rotate(uint64_t x, unsigned n) {
  return x << n | x >> (64 - n);
}

static inline void sip_rounds(uint64_t v[4], unsigned n) {
  while (n--) {
    v[0] += v[1];
    v[2] += v[3];
    v[1] = sip_rotate(v[1], 13) ^ v[0];
    v[3] = sip_rotate(v[3], 16) ^ v[2];
    v[0] = sip_rotate(v[0], 32);
    v[2] += v[1];
    v[0] += v[3];
    v[1] = sip_rotate(v[1], 17) ^ v[2];
    v[3] = sip_rotate(v[3], 21) ^ v[0];
    v[2] = sip_rotate(v[2], 32);
  }
}

/* `c` rounds for each word of the input, `d` at the end. The bytes are taken as the machine has
 * them in words: little-endian ones give the published values. */
static inline uint64_t siphash(uint64_t k0, uint64_t k1, unsigned c, unsigned d, const void *data,
                               size_t len) {
  uint64_t v[4] = {k0 ^ 0x736f6d6570736575u, k1 ^ 0x646f72616e646f6du, k0 ^ 0x6c7967656e657261u,
                   k1 ^ 0x7465646279746573u};
  const unsigned char *p = data;
  uint64_t word, last = (uint64_t)len << 56;
  for (; len >= 8; len -= 8, p += 8) {
    memcpy(&word, p, 8);
    v[3] ^= word;
    sip_rounds(v, c);
    v[0] ^= word;
  }
  word = 0;
  if (len) memcpy(&word, p, len);
  last |= word;
  v[3] ^= last;
  sip_rounds(v, c);
  v[0] ^= last;
  v[2] ^= 0xff;
  sip_rounds(v, d);
  return v[0] ^ v[1] ^ v[2] ^ v[3];
}

#endif
