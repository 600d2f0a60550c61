/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * simt/amd/amd.h: what AMD's GPUs add to plans (simt/vendor.h). Loops copy ahead through registers:
 *
 *   memory ──loads──► registers: iteration i + 2 ──► LDS: a stage for iteration i + 1
 *                                                     LDS: a stage for iteration i ──► products
 *
 * With one stage in the LDS threads write the next iteration's when all have read the one that is
 * there, with two stages while they read. Operands lie along k in the LDS whatever they do in
 * memory, so that a lane reads 16 bytes of a row; threads turn those that lie otherwise in
 * registers. Rows are swizzled as the banks of the target want it (stage.h).
 */
#ifndef TSR_SIMT_AMD_AMD_H
#define TSR_SIMT_AMD_AMD_H

#include "simt/vendor.h"

extern const simt_vendor simt_amd;

#endif
