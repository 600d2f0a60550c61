/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* WebAssembly rounds to the nearest number alone: fesetround refuses the others. */
#include_next <fenv.h>

#ifndef FE_UPWARD
#define FE_UPWARD     1
#define FE_DOWNWARD   2
#define FE_TOWARDZERO 3
#endif
