/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * rt/amd_reports.h: what kernels leave in variables of a code object for those who launch them:
 * prints and failed asserts (gpu/amdgcn/amdgcn.h). One launch at a time.
 */
#ifndef TSR_RT_AMD_REPORTS_H
#define TSR_RT_AMD_REPORTS_H

#include "emu/amdgcn/image.h"
#include "gpu/amdgcn/amdgcn.h"

/* Memory of a variable of the object, and its size; NULL: there is none of that name. */
uint8_t *amd_variable(const gcn_image *image, const char *name, uint64_t *size);

/* Before a launch: nothing was left. */
void amd_reports_clear(const gcn_image *image);

/* The assert that ended the launch; NULL: none did. */
const amdgcn_assert *amd_failed_assert(const gcn_image *image, const amdgcn_result *made);

/* Gives what was printed, in its order. Returns how many bytes of it were lost. */
uint64_t amd_take_prints(const gcn_image *image, const amdgcn_result *made,
                         void (*put)(void *user, const char *text, size_t length), void *user);

#endif
