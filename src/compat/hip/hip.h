/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * libamdhip64 without a GPU: programs that load modules and launch their kernels run on an emulated
 * card of AMD's, emu:gfx942 or what TESSERA_HIP_DEVICE says. With TESSERA_SANITIZE=1 every launch
 * is checked; what is found goes to standard error, and makes the launch fail.
 *
 * When what streams do is done says compat/hip/work.h. Memory of the device is the process's own,
 * which kernels reach at its address when the API gave it. Any thread may call; calls that run or
 * load code wait for each other.
 */
#ifndef TSR_COMPAT_HIP_H
#define TSR_COMPAT_HIP_H

#include <stdbool.h>

#include "compat/hip/entries.h"
#include "rt/hsa.h"

/* The emulated card, opened by the first call that needs it; NULL after a message. */
tsr_device *hip_device(void);
tsr_context *hip_context(void);
void hip_lock(void); /* recursive */
void hip_unlock(void);
bool hip_checks(void); /* whether launches are checked */
/* Tells the user of what a program of HIP can't know. */
__attribute__((format(printf, 1, 2))) void hip_say(const char *format, ...);

/* Keeps what hipGetLastError returns, and returns it. */
hipError_t hip_result(hipError_t r);

#endif
