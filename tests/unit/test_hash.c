/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Hashes and the tables over them: published values, and keys that were made to collide.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"
#include "base/siphash.h"

/* The example of the paper, appendix A. */
static void siphash_has_the_published_value(void **state) {
  (void)state;
  unsigned char input[15];
  for (unsigned char i = 0; i < sizeof input; i++) input[i] = i;
  uint64_t k0 = 0x0706050403020100u, k1 = 0x0f0e0d0c0b0a0908u;
  assert_true(siphash(k0, k1, 2, 4, input, sizeof input) == 0xa129ca6149be45e5u);
}

static void secrets_come_from_the_seed(void **state) {
  (void)state;
  uint64_t word[3], text[3];
  static const uint64_t seeds[] = {1, 2, 1};
  for (int k = 0; k < 3; k++) {
    hash_set_seed(seeds[k]);
    hash_secret s = hash_secret_new();
    word[k] = hash_word(s, 12345);
    text[k] = hash_key(s, 7, "name", 4);
    assert_true(hash_key(s, 0, "name", 4) != text[k]);
  }
  assert_true(word[0] == word[2] && text[0] == text[2]);
  assert_true(word[0] != word[1] && text[0] != text[1]);
  hash_set_seed(0);
  hash_secret s = hash_secret_new(), t = hash_secret_new();
  assert_true(s.k0 != t.k0 && s.k1 != t.k1);
}

/* The plugin has a seed of its own, or none; tables that it is given keep theirs. */
static void tables_keep_their_secret(void **state) {
  (void)state;
  static char names[500][8];
  hash_set_seed(1);
  tsr_context *ctx = tsr_context_create(NULL);
  hash_set_seed(0);
  map numbers = {0};
  strmap words = {0};
  for (uint64_t i = 0; i < ARRAY_LEN(names); i++) {
    snprintf(names[i], sizeof names[i], "%u", (unsigned)i);
    hash_set_seed(i); /* also while they grow */
    *map_put(&ctx->arena, &numbers, i << 32) = i;
    *strmap_put(&ctx->arena, &words, str_of(names[i]), NULL) = i;
  }
  hash_set_seed(77);
  for (uint64_t i = 0; i < ARRAY_LEN(names); i++) {
    assert_int_equal(*map_get(&numbers, i << 32), i);
    assert_int_equal(*strmap_get(&words, str_of(names[i])), i);
  }
  for (uint64_t i = 0; i < ARRAY_LEN(names); i += 2) map_remove(&numbers, i << 32);
  for (uint64_t i = 0; i < ARRAY_LEN(names); i++)
    assert_int_equal(map_get(&numbers, i << 32) != NULL, i % 2);
  tsr_context_destroy(ctx);
}

/* How far apart the fullest and the emptiest of 256 buckets are, for numbers in steps of 2^shift:
 * in 64 a bucket, 4 standard deviations are 32. */
static void numbers_spread(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed < 20; seed++) {
    hash_set_seed(seed);
    hash_secret s = hash_secret_new();
    for (unsigned shift = 0; shift < 50; shift++) {
      unsigned bucket[256] = {0}, most = 0;
      for (uint64_t i = 0; i < 16384; i++) bucket[hash_word(s, i << shift) & 255]++;
      for (unsigned b = 0; b < 256; b++) most = MAX(most, bucket[b]);
      if (most > 256) fail_msg("seed %llu, step 2^%u: %u", (unsigned long long)seed, shift, most);
    }
  }
}

/* Names that the fixed hash of files puts into one slot of 4096 fill a table like any others. */
static void names_that_collide_elsewhere(void **state) {
  (void)state;
  enum { N = 1000 };
  static char names[N][16];
  tsr_context *ctx = tsr_context_create(NULL);
  strmap m = {0};
  unsigned n = 0, run = 0, longest = 0;
  for (unsigned i = 0; n < N; i++) {
    int len = snprintf(names[n], sizeof names[n], "n%u", i);
    if ((hash_bytes(names[n], (size_t)len) & 4095) != 0) continue;
    *strmap_put(&ctx->arena, &m, str_of(names[n]), NULL) = n + 1;
    n++;
  }
  for (unsigned i = 0; i < N; i++) assert_int_equal(*strmap_get(&m, str_of(names[i])), i + 1);
  for (uint32_t i = 0; i < m.cap; i++) {
    run = m.slots[i].key.data ? run + 1 : 0;
    longest = MAX(longest, run);
  }
  assert_true(longest < 200);
  tsr_context_destroy(ctx);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(siphash_has_the_published_value),
      cmocka_unit_test(secrets_come_from_the_seed),
      cmocka_unit_test(tables_keep_their_secret),
      cmocka_unit_test(numbers_spread),
      cmocka_unit_test(names_that_collide_elsewhere),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
