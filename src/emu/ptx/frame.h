/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What PTX has of a warp: frames of the functions under way, with their registers, and stacks.
 */
#ifndef TSR_EMU_PTX_FRAME_H
#define TSR_EMU_PTX_FRAME_H

#include "emu/ptx/rows.h"

enum { PTX_MAX_FRAMES = 1024 /* calls under way in a thread */ };

/* What undefined.h keeps: of a frame, of a warp. */
typedef struct undefined_frame undefined_frame;
typedef struct undefined_origin undefined_origin;

/* An activation of a function, by the lanes that called it together. */
typedef struct ptx_frame {
  struct ptx_frame *parent, *next_free;
  const ptx_function *function;
  uint32_t return_pc; /* index in the parent's function */
  uint32_t lanes;     /* that have not returned yet */
  uint32_t depth;
  uint32_t local_base;  /* address of its .local variables in every thread's local space */
  const ptx_insn *call; /* NULL for the entry */
  uint8_t *registers;   /* rows */
  uint8_t *local;       /* [lane][local_bytes] */
  uint8_t *written;     /* likewise, 1 for bytes that were written; NULL: nobody wants to know */
  undefined_frame *undefined; /* registers without a defined value; NULL: none yet */
  uint32_t local_bytes;
  uint32_t stack_top[PTX_LANES]; /* of the threads' stacks when it was entered */
  uint8_t *call_area;            /* [lane][function->call_bytes] */
  size_t bytes;                  /* of this allocation */
} ptx_frame;

/* The stacks of alloca; see local.h. */
typedef struct ptx_stack {
  uint8_t *host, *written; /* [lane][bytes]; `written` NULL: nobody wants to know */
  uint32_t bytes;          /* for each thread */
  uint32_t top[PTX_LANES]; /* in use */
} ptx_stack;

/* emu_warp.own. The warp's banks are those of PTX_BANK_*: FRAME is that of the split that executes.
 */
typedef struct ptx_warp {
  const ptx_insn *meeting; /* that lanes execute together at different places (meet.c); or NULL */
  uint64_t clock;          /* how often a clock was read */
  uint32_t absent;         /* lanes of the meeting whose shuffle read a lane that is not in it */
  ptx_frame *free_frames;
  ptx_stack stack;
  undefined_origin *origins;
} ptx_warp;

static inline ptx_warp *ptx_warp_of(const emu_warp *w) {
  return w->own;
}
static inline ptx_frame *ptx_frame_of(const emu_split *s) {
  return s->frame;
}
/* The instruction at which a split stands. */
static inline const ptx_insn *ptx_insn_at(const emu_split *s) {
  return &ptx_frame_of(s)->function->insns[s->pc];
}

/* A frame for a function; NULL after a fault. */
ptx_frame *ptx_push_frame(emu_warp *w, const ptx_function *f, ptx_frame *parent);
void ptx_free_frame(emu_warp *w, ptx_frame *f);
void ptx_free_frames(emu_warp *w); /* all, also those kept for later */
/* Lanes have ended: frees the frames of the split that executes that nobody is in any more. */
void ptx_leave_frames(emu_warp *w, uint32_t lanes);
/* The split executes: its frame's registers are those that instructions name. */
void ptx_enter_frame(emu_warp *w, const emu_split *s);

#endif
