/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * ptxas: NVIDIA's assembler, when it is installed. It is looked for in TESSERA_PTXAS, then in PATH,
 * then in /usr/local/cuda/bin.
 */
#ifndef TSR_RT_PTXAS_H
#define TSR_RT_PTXAS_H

#include "base/base.h"

/* The file; false when there is none. Does not start it. */
bool ptxas_find(char *path, size_t size);

/* Assembles PTX for a target ("sm_90a"). `cubin` gets the machine code, `log` what -v reports; both
 * lie in `a`, either may be NULL. Reports and returns false when there is no ptxas, when it cannot
 * be started, or when it finds the text wrong (with its words). */
bool ptxas_run(tsr_context *ctx, arena *a, str ptx, const char *target, str *cubin, str *log);

#endif
