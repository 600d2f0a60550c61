/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Zeroed memory of any size, which takes physical memory only where it is written: a program may
 * declare far more than it uses.
 */
#ifndef TSR_EMU_ZEROED_H
#define TSR_EMU_ZEROED_H

#include <stddef.h>
#include <stdint.h>

/* Aligned to 64 bytes. NULL: no memory. */
void *zeroed_alloc(uint64_t bytes);
/* `bytes` is what was allocated, in these, too. */
void zeroed_free(void *memory, uint64_t bytes);
/* All of it is zero again. */
void zeroed_clear(void *memory, uint64_t bytes);

#endif
