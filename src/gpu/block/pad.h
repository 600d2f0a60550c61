/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Numbers of threads that are no powers of two: layouts become those of the next power of two, of
 * whose threads the last ones are not there. What these would hold lies behind the end of a tile
 * whose first dimension that needs it is as much longer: spatial(3, 1).local(2, 8) for 96 threads
 * with spatial(32) is spatial(4, 1).local(2, 8) for 128. It is computed by nobody.
 */
#ifndef TSR_GPU_BLOCK_PAD_H
#define TSR_GPU_BLOCK_PAD_H

#include "gpu/gen.h"

/* Changes the types of a kernel before tiles are cut. A layout that there is no way for stays as it
 * is, and is refused there. Reports and returns false where an operation has none. */
bool gpu_pad_threads(gen *g);

#endif
