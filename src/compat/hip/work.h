/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * compat/hip/work.h: what a stream does. As a rule all is done when a call returns. With
 * TESSERA_HIP_LATE=1 what is put on a stream is done as late as the interface allows: when somebody
 * waits for it. A client that relies on work being done earlier then gets wrong results.
 *
 * The default stream waits for what was put on all streams but non-blocking ones, and these wait
 * for what was put on it.
 */
#ifndef TSR_COMPAT_HIP_WORK_H
#define TSR_COMPAT_HIP_WORK_H

#include "compat/hip/hip.h"

typedef hipError_t (*hip_step)(void *data);

/* Puts a step on a stream, NULL being the default one, with a copy of its data; or does it. */
hipError_t hip_put(hipStream_t stream, hip_step step, const void *data, size_t bytes);

/* Does what was put on a stream; on all of them. The first failure among what was done. */
hipError_t hip_finish(hipStream_t stream);
hipError_t hip_finish_all(void);

#endif
