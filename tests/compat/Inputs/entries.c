/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Every entry that we export is declared by NVIDIA's header with the same parameters. Two differ on
 * purpose: a structure of which we declare the newest version only, and enumerations that we don't
 * name.
 */
#define __CUDA_API_VERSION_INTERNAL /* declares the older symbols too */
#include <cuda.h>
#include <cudaProfiler.h>

#define DIFFERS_cuGraphAddKernelNode   , 1
#define DIFFERS_cuTensorMapEncodeTiled , 1
#define SECOND(a, b, ...)              b
#define DIFFERS(...)                   SECOND(__VA_ARGS__, 0, 0)

#define ENTRY(name, symbol, version, suffix, parameters)                                           \
  _Static_assert(DIFFERS(DIFFERS_##symbol) ||                                                      \
                     __builtin_types_compatible_p(__typeof(&symbol), CUresult(*) parameters),      \
                 #symbol " has other parameters in <cuda.h>");
#include "compat/entries.def"
