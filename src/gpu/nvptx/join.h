/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gpu/nvptx/join.h: the PTX of several modules as one. Each comes with all that its kernels need:
 * the directives at the top, variables, functions. What has come before under the same name is the
 * same.
 */
#ifndef TSR_GPU_NVPTX_JOIN_H
#define TSR_GPU_NVPTX_JOIN_H

#include "base/base.h"

/* Appends what LLVM printed of a module, without what is `known` (empty at first) and without the
 * numbers of calls, for which LLVM counts all that the process has compiled. */
void ptx_join(sbuf *out, strmap *known, str module);

/* Names the oldest version of PTX that has what the text uses, where LLVM names 8.4: drivers from
 * CUDA 12.0 on take 8.0. */
void ptx_name_version(sbuf *text);

#endif
