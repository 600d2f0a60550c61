/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gpu/block/pressure.h: how many registers of a thread the tiles of a kernel take at once.
 */
#ifndef TSR_GPU_BLOCK_PRESSURE_H
#define TSR_GPU_BLOCK_PRESSURE_H

#include "gpu/gen.h"

/* Warns where they are more than a thread has. */
void gpu_check_pressure(gen *g);

#endif
