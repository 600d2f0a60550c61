// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constant memory, variables with initial values, pointers in them.
#include "both.cuh"
struct pair {
  short a;
  char b;
  long long c;
};
CONSTANT int primes[16] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53};
CONSTANT double weights[4] = {0.5, -1.25, 3e100, 1e-300};
CONSTANT pair pairs[3] = {{1, 2, 3}, {-4, 'x', -600000000000ll}, {7, 8, 9}};
VARIABLE int counters[4] = {9, 8, 7, 6};
VARIABLE const char *names[3] = {"alpha", "be", "gamma!"};
BOTH double value(unsigned i) {
#if defined(__CUDA_ARCH__) || !defined(__CUDACC__)
  int n = 0;
  for (const char *p = names[i % 3]; *p; p++) n = n * 7 + *p;
  return primes[i % 16] * weights[i % 2] + pairs[i % 3].a + pairs[(i + 1) % 3].b +
         (double)pairs[i % 3].c + counters[i % 4] + n;
#else
  return 0;
#endif
}
