/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * `tessera run --trace`: when each thread executed which tile block, in the form of Chrome's traces
 * ("Trace Event Format"), which Perfetto and chrome://tracing show as a timeline.
 */
#ifndef TSR_CLI_TRACE_H
#define TSR_CLI_TRACE_H

#include "cli/cli.h"
#include "rt/rt.h"

/* Has the device note the tile blocks of its next launch. False: reported. */
bool trace_begin(cli *c, tsr_device *dev, tsr_grid grid, rt_trace *trace);
/* After the launch: writes the file. False: reported. */
bool trace_end(cli *c, tsr_device *dev, const char *kernel, const char *path);

#endif
