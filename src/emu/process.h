/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What memory this process has, for kernels that reach all of it.
 */
#ifndef TSR_EMU_PROCESS_H
#define TSR_EMU_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct process_place {
  uint64_t begin, end;
  bool writable;
} process_place;

/* The readable memory around an address, as far as it has the same rights; false: there is none. */
bool process_find(uint64_t address, process_place *out);

#endif
