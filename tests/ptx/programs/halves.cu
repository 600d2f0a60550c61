// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic of f16 and bf16, by functions that are the same on the host.
// within ~1e-3
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "both.cuh"
BOTH double value(unsigned i) {
  float x = (float)(unit(i, 1) * 8 - 4), y = (float)(unit(i, 2) * 8 - 4);
  __half a = __float2half(x), b = __float2half(y);
  __nv_bfloat16 c = __float2bfloat16(x), d = __float2bfloat16(y);
  switch (i % 8) {
  case 0: return __half2float(__hadd(a, b));
  case 1: return __half2float(__hmul(a, b));
  case 2: return __half2float(__hsub(a, b));
  case 3: return __half2float(__hmax(a, b)) + __half2float(__hmin(a, b)) * 3;
  case 4: return __bfloat162float(__hadd(c, d));
  case 5: return __bfloat162float(__hmul(c, d));
  case 6: return __half2float(__double2half((double)x));
  default: return __bfloat162float(__double2bfloat16((double)y));
  }
}
