/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gpu/divide.h: quotients of many registers by one.
 */
#ifndef TSR_GPU_DIVIDE_H
#define TSR_GPU_DIVIDE_H

#include "exec/scalar.h"
#include "gpu/gen.h"

/* result[i] = x[i] / by[i] for the registers, rounded to nearest, of which at least four divide by
 * the same; those in `result` that are not NULL, and no others, are made then. */
void gpu_divide_together(gen *g, const exec_elementwise *w, llv *const x[2], llv *result,
                         uint32_t n);

#endif
