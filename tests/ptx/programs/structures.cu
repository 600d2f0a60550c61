// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Structures by value, local arrays that are indexed by what only the thread knows, templates.
#include "both.cuh"
struct record {
  int a[6];
  double d;
  char c[3];
  short s;
};
BOTH __noinline__ record make(unsigned i) {
  record b;
  for (int k = 0; k < 6; k++) b.a[k] = i * k;
  b.d = i * 0.5;
  for (int k = 0; k < 3; k++) b.c[k] = (char)(i + k * 50);
  b.s = (short)(i * 999);
  return b;
}
BOTH __noinline__ double sum(record b, int n) {
  double r = b.d + b.s;
  for (int k = 0; k < 6; k++) r += b.a[(k * n) % 6];
  for (int k = 0; k < 3; k++) r += b.c[k];
  return r;
}
template <typename T, int N> BOTH void sort(T *p) {
#ifdef __CUDACC__
#pragma unroll 1
#endif
  for (int a = 1; a < N; a++) {
    T v = p[a];
    int j = a;
    while (j && p[j - 1] > v) p[j] = p[j - 1], j--;
    p[j] = v;
  }
}
BOTH double value(unsigned i) {
  int p[17];
  for (int k = 0; k < 17; k++) p[k] = (int)(mixed(i + k) & 1023);
  sort<int, 17>(p);
  record b = make(i);
  b.a[i % 6] = p[i % 17];
  return sum(b, 5) + p[i * 7 % 17] * 1e6;
}
