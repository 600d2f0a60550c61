/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * How a fuzzer says which promise the input at work has broken.
 */
#ifndef TESSERA_TESTS_FUZZ_BROKEN_H
#define TESSERA_TESTS_FUZZ_BROKEN_H

#include <stdio.h>
#include <stdlib.h>

static inline void broken(const char *promise) {
  fprintf(stderr, "\nfuzz: this input breaks the promise: %s\n", promise);
  abort();
}

#endif
