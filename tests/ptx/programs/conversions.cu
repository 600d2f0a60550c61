// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Between integers and floats of all widths.
#include "both.cuh"
BOTH double value(unsigned i) {
  double d = unit(i, 1) * 2e5 - 1e5;
  float f = (float)d;
  long long l = (long long)(d * 1e9);
  unsigned u = (unsigned)(unit(i, 2) * 4e9);
  double r = (double)(int)f + (double)(signed char)(int)f * 3 + (short)(int)d + (double)(float)l;
  r += (double)(float)u + (unsigned)fabs(d) + (double)(unsigned long long)(fabs(d) * 1e13);
  r += (double)(float)mixed(i) + (double)(float)d + lrintf(f) + llround(d);
  return r + (unsigned char)u + (double)(long long)f;
}
