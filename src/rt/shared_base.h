/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * shared_base: where a GPU's dynamic shared memory begins. PTX asks for an alignment, but what the
 * driver puts in front of it (a kilobyte of its own since sm_90) is known to nobody before a kernel
 * looks. Matrix descriptors and the swizzles of tensor copies rely on multiples of 1,024 bytes, and
 * nothing stops a kernel that does not get them: its results are wrong.
 */
#ifndef TSR_RT_SHARED_BASE_H
#define TSR_RT_SHARED_BASE_H

#include "rt/cuda_driver.h"

/* Runs a kernel of one thread that looks, in the current context, on this stream, and waits for
 * it. */
cu_result cuda_shared_base(const cuda_driver *d, cu_object stream, uint32_t *address);

#endif
