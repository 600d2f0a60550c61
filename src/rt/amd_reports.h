/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * rt/amd_reports.h: what kernels leave in variables of a code object for those who launch them:
 * prints and failed asserts (gpu/amdgcn/amdgcn.h). One launch at a time.
 */
#ifndef TSR_RT_AMD_REPORTS_H
#define TSR_RT_AMD_REPORTS_H

#include "emu/amdgcn/image.h"
#include "gpu/amdgcn/amdgcn.h"
#include "rt/rt.h"

/* Memory of a variable of the object, and its size; NULL: there is none of that name. */
uint8_t *amd_variable(const gcn_image *image, const char *name, uint64_t *size);

/* Before a launch: nothing was left. */
void amd_reports_clear(const gcn_image *image);

/* The assert that ended the launch; NULL: none did. */
const amdgcn_assert *amd_failed_assert(const gcn_image *image, const amdgcn_result *made);
/* The one of the number that was left; NULL: there is none. */
const amdgcn_assert *amd_numbered_assert(const amdgcn_result *made, uint32_t number);
/* "assertion 'MESSAGE' failed in KERNEL, FILE:LINE". Under the device's lock. Returns `out`. */
const char *amd_assert_message(const tsr_kernel *k, const amdgcn_assert *a, char *out, size_t size);

typedef void (*amd_put)(void *user, const char *text, size_t length);

/* Gives what was printed, in its order. Returns how many bytes of it were lost. */
uint64_t amd_take_prints(const gcn_image *image, const amdgcn_result *made, amd_put put,
                         void *user);
/* The same of a copy of the variable, 1 + AMDGCN_PRINT_WORDS words, of which those behind what the
 * first one counts may be missing. */
uint64_t amd_put_prints(const amdgcn_result *made, const uint8_t *words, amd_put put, void *user);

/* An amd_put to where a device, the user, prints; what it says when something was lost. Under the
 * device's lock. */
void amd_print_to_device(void *user, const char *text, size_t length);
void amd_warn_of_lost_prints(tsr_device *dev, const char *kernel, uint64_t bytes);

#endif
