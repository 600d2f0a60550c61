/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The C header of an object file of kernels: their declarations, and a launcher for each, which
 * needs nothing of Tessera's (docs/objects.md).
 */
#ifndef TSR_RT_HEADER_H
#define TSR_RT_HEADER_H

#include "cpu/cpu.h"

/* Writes the header for the object that `backend` makes of the module with these options. False
 * after a message: also for kernels that need more than a launcher of a few lines can give. */
bool rt_emit_header(const cpu_backend *backend, ir_module *m, const cpu_options *options,
                    sbuf *out);

#endif
