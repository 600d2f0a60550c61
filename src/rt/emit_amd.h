/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * rt/emit_amd.h: code for AMD's GPUs as text or file.
 */
#ifndef TSR_RT_EMIT_AMD_H
#define TSR_RT_EMIT_AMD_H

#include "rt/rt.h"
#include "target/gpu.h"

/* tsr_module_emit_gpu of a verified module for one of AMD's targets, appended to `out`. Reports and
 * returns false. */
bool rt_emit_amd(ir_module *m, tsr_gpu_emit kind, const gpu_target *target,
                 const tsr_gpu_options *given, sbuf *out);

#endif
