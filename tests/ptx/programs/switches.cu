// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A switch that becomes a table of branches (brx.idx).
#include "both.cuh"
BOTH __noinline__ int table(int k, int x) {
  switch (k) {
  case 0: return x + 1;
  case 1: return x * x;
  case 2: return x ^ 55;
  case 3: return -x;
  case 4: return x << 3;
  case 5: return x % 7;
  case 6: return x / 3;
  case 7: return ~x;
  case 8: return x * 3 + 1;
  case 9: return x - 100;
  default: return k;
  }
}
BOTH double value(unsigned i) {
  int x = (int)i * 37;
  for (int k = 0; k < 20; k++) x = table((x ^ k ^ (int)i) & 15, x) & 0x7fff;
  return x;
}
