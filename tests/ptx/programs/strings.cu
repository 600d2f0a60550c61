// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Characters in local arrays, memset and memcpy.
#include "both.cuh"
BOTH int length(const char *s) {
  int n = 0;
  while (s[n]) n++;
  return n;
}
BOTH void digits(char *o, long long v) {
  char t[24];
  int n = 0;
  bool negative = v < 0;
  if (negative) v = -v;
  do t[n++] = (char)('0' + v % 10), v /= 10;
  while (v);
  if (negative) *o++ = '-';
  while (n) *o++ = t[--n];
  *o = 0;
}
BOTH double value(unsigned i) {
  char b[64];
  digits(b, (long long)mixed(i) >> i % 50);
  double h = length(b);
  for (char *p = b; *p; p++) h = fmod(h * 31 + *p, 1e9);
  memset(b, (int)i, 10);
  memcpy(b + 20, b, 10);
  return h + b[25];
}
