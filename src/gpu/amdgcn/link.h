/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gpu/amdgcn/link.h: an object as LLVM writes it (ET_REL), linked with itself: what runtimes load
 * (ET_DYN), without a linker's help.
 */
#ifndef TSR_GPU_AMDGCN_LINK_H
#define TSR_GPU_AMDGCN_LINK_H

#include "base/base.h"

/* Appends the code object to `out`. NULL, or what is wrong with the object, in `a`. */
const char *amdgcn_link(arena *a, str object, sbuf *out);

#endif
