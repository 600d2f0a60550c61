/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * record: a launch written down, so that it can be repeated elsewhere (bench/gpu, on a machine with
 * a GPU and without Tessera). --record=FOLDER makes the folder and writes there, for argument N,
 * what it held before and after, argN.before.npy and argN.after.npy, and a file `case` of lines:
 *
 *   kernel NAME
 *   grid X Y Z
 *   file argN.before.npy          an argument: a buffer
 *   value BYTES HEX               an argument: a number
 *   expect N argN.after.npy ELEM 0 0
 */
#ifndef TSR_CLI_RECORD_H
#define TSR_CLI_RECORD_H

#include "cli/args.h"

/* With --record: what buffers hold before the launch. False after a message. */
bool record_inputs(cli *c, argument_list *list);
/* … and after it, with the case. Numbers have 8 bytes when `words`, else those of their type. */
bool record_results(cli *c, argument_list *list, const char *kernel, const uint32_t grid[3],
                    bool words);

#endif
