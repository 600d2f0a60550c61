/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The one way to memory: from the addresses of lanes to where they lie on the host, with all
 * checks.
 */
#ifndef TSR_EMU_MEMORY_H
#define TSR_EMU_MEMORY_H

#include "emu/watch.h"

/* What is being reached for one lane. */
typedef struct emu_reached {
  emu_warp *warp;
  emu_insn insn;
  unsigned lane;
  uint32_t bytes;
  emu_access_kind kind;
  uint64_t address; /* as the program gave it */
} emu_reached;

/* Finds where lanes a->lanes at a->address, generic or of `space`, lie: fills space, host,
 * allocation and addresses within their spaces; checks bounds, alignment (to `align`) and rights,
 * and tells the watcher. The rest of *a is filled in before. False after a fault: then no lane's
 * effect may happen. Lanes whose fault the watcher took note of are no longer in a->lanes, so
 * instructions loop over those. Generic addresses of one instruction may lie in several spaces:
 * then the watcher is told once for each. */
bool emu_access_begin(emu_warp *w, emu_space space, uint32_t align, emu_access *a);
/* Tells the watcher of an access that is known to be good, all of it in a->space. */
void emu_tell_access(emu_warp *w, const emu_access *a);

/* Reads or writes `bytes` of device, shared … memory for one agent that is no warp (asynchronous
 * operations): where they lie, or NULL after a fault. */
uint8_t *emu_reach(emu_block *b, emu_space space, uint64_t address, uint64_t bytes, bool write);
/* The fault of an access to what is no memory: "reads 4 bytes at 0x…, `what`". */
bool emu_outside(const emu_reached *x, const char *what);

/* The block of the cluster that a shared address means, NULL when there is no such block. */
emu_block *emu_shared_block(emu_block *b, uint64_t address);

#endif
