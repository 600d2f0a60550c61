/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gpu/nvptx/finish.h: around LLVM's code generation, which for a GPU does as little as it can. Most
 * of its time would go to passes over LLVM's code and over machine code, which find next to nothing
 * in what they are given, and ptxas does all of that anyway. So functions are marked as not to be
 * optimised. Of what is gone with that two things are missed: an order of blocks in which one falls
 * through to the next, and jumps that do.
 */
#ifndef TSR_GPU_NVPTX_FINISH_H
#define TSR_GPU_NVPTX_FINISH_H

#include "llvm/unit.h"

/* After the passes. */
void nvptx_finish(unit *u);
/* Takes jumps to what comes next out of PTX, from `start` on. */
void nvptx_drop_idle_jumps(sbuf *text, size_t start);

#endif
