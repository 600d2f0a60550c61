/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * local: the .local memory of a thread: the variables of the frames it is in, and above them a
 * stack for alloca.
 *
 * A frame's variables lie from frame->local_base on, each frame's behind those of its caller. The
 * stack begins at PTX_STACK_BASE, grows upwards, and takes host memory as it grows; a function's
 * part of it goes when the function returns. Source: PTX ISA, "Stack Manipulation Instructions".
 *
 * When a watcher wants to know (emu_watcher.local), a byte of 1 is kept for each byte that was
 * written since it came into being.
 */
#ifndef TSR_EMU_PTX_LOCAL_H
#define TSR_EMU_PTX_LOCAL_H

#include "emu/ptx/frame.h"

#define PTX_STACK_BASE UINT64_C(0x80000000)
enum { PTX_MAX_STACK = 1 << 20 /* bytes for a thread */ };

typedef struct ptx_local {
  uint8_t *host;    /* NULL: no such bytes */
  uint8_t *written; /* of them; NULL when nobody wants to know */
} ptx_local;

/* Where `bytes` at a local address of the thread in `lane` lie. */
ptx_local local_find(const emu_warp *w, unsigned lane, uint64_t address, uint32_t bytes);

/* A block begins: its threads' stacks are empty. A function is entered; is left by these lanes. */
void local_begin(emu_warp *w);
void local_enter(const emu_warp *w, ptx_frame *f);
void local_leave(emu_warp *w, const ptx_frame *f, uint32_t lanes);
/* Room for `need` bytes in the stack of each thread; false: no memory. */
bool local_grow(emu_warp *w, uint64_t need);
void local_free(emu_warp *w); /* the host memory of the stacks */

#endif
