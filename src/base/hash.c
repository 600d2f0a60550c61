/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Hashes: those that mean the same everywhere, and those of tables, which depend on a secret.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "base/siphash.h"

uint64_t hash_bytes(const void *data, size_t len) {
  const unsigned char *p = data;
  uint64_t h = 0xcbf29ce484222325u ^ len;
  for (; len >= 8; len -= 8, p += 8) {
    uint64_t w;
    memcpy(&w, p, 8);
    h = hash_mix(h, w);
  }
  uint64_t w = 0;
  if (len) memcpy(&w, p, len);
  return hash_mix(h, w);
}

/* ---- secrets -------------------------------------------------------------------------------- */

static _Atomic uint64_t seed; /* 0: none was set */

/* Without randomness from the system: what differs between processes and calls. */
static hash_secret weak_secret(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  uint64_t seen[] = {(uint64_t)now.tv_sec, (uint64_t)now.tv_nsec, (uint64_t)getpid(),
                     (uintptr_t)&now, (uintptr_t)&seed};
  uint64_t h = hash_bytes(seen, sizeof seen);
  return (hash_secret){h, hash_mix(h, (uint64_t)clock())};
}

/* 0: there is none. */
static uint64_t fixed_seed(void) {
  uint64_t set = atomic_load_explicit(&seed, memory_order_relaxed);
  const char *given = set ? NULL : secure_getenv("TESSERA_HASH_SEED");
  return given ? strtoull(given, NULL, 0) : set;
}

void hash_set_seed(uint64_t to) {
  atomic_store_explicit(&seed, to, memory_order_relaxed);
}

hash_secret hash_secret_new(void) {
  hash_secret s;
  uint64_t fixed = fixed_seed();
  if (fixed) return (hash_secret){hash_mix(0, fixed), hash_mix(1, fixed)};
  return getrandom(&s, sizeof s, GRND_NONBLOCK) == sizeof s ? s : weak_secret();
}

/* ---- hashes of tables ----------------------------------------------------------------------- */

uint64_t hash_key(hash_secret s, uint64_t h, const void *data, size_t len) {
  return siphash(s.k0 ^ h, s.k1, 1, 3, data, len);
}

/* Both halves of a product by a secret number: each bit of the result depends on all of x. */
uint64_t hash_word(hash_secret s, uint64_t x) {
  unsigned __int128 product = (unsigned __int128)(x ^ s.k0) * (s.k1 | 1);
  uint64_t h = (uint64_t)product ^ (uint64_t)(product >> 64);
  return h ^ h >> 32;
}
