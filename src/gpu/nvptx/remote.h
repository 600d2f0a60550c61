/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gpu/nvptx/remote.h: what tile blocks of a cluster do to each other in kernels of the block level.
 */
#ifndef TSR_GPU_NVPTX_REMOTE_H
#define TSR_GPU_NVPTX_REMOTE_H

#include "gpu/gen.h"

/* An operation of the group "Clusters of tile blocks". */
void nvptx_remote(gen *g, ir_op *op);

#endif
