/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cpu/plan/scratch.h: buffers, and where they lie in the thread's scratch memory.
 *
 * A buffer exists from when it is made to when it is touched last; buffers that never exist at the
 * same time share bytes. Their addresses are known at the end only (scratch_layout).
 *
 * Whatever keeps a tile in memory or reads it there has a buffer in hand and includes this header.
 */
#ifndef TSR_CPU_PLAN_SCRATCH_H
#define TSR_CPU_PLAN_SCRATCH_H

#include "cpu/core/core.h"
#include "cpu/plan/map.h"

typedef enum buffer_format {
  FORMAT_LANES,   /* as in registers: narrow floats as float, i1 and 4-bit as bytes */
  FORMAT_STORAGE, /* as in memory: packed */
  FORMAT_SIGNED,  /* i8 widened to i32 */
  FORMAT_UNSIGNED,
  FORMAT_PAIRS, /* packed; one bit of the index has stride 1, so that its neighbours make a word,
                 * which the others' strides are multiples of. Written only, by materialise_into. */
} buffer_format;

enum {
  BUFFER_ALIGN = 64,
  SAME_BYTES = 8 * CACHE_LINE, /* of one element: see buffer.instead */
};

/* A tile in scratch memory or in a constant. */
typedef struct buffer {
  llv ptr; /* of element 0 */
  uint64_t bytes;
  uint8_t elem;   /* tsr_elem */
  uint8_t format; /* buffer_format */
  uint8_t n;
  int32_t stride[MAP_BITS]; /* in elements, per bit of the index */
  uint32_t born, died;      /* interval of scratch_now in which it must exist */
  struct buffer *memory;    /* whose bytes these are when it is a view of another */
  bool in_scratch;
  bool flipped; /* bytes with their top bits flipped: written only, of FORMAT_STORAGE */
  bool any_nan; /* its NaNs are what arithmetic gave, and canonical when they are loaded */
  llv lowest;   /* of pairs: a vector in memory of what is lowest in each lane; NULL: nobody asks */
  bool keys;    /* zero when a launch begins */
  /* In a loop: where loads go instead, perhaps to so many bytes that are the same element over and
   * over, and the bits of their offsets that count there (i64); NULL: nowhere. See control.c. */
  llv instead, offset_bits;
  uint64_t offset;
  struct buffer *newer, *older; /* used after it and before it, for the last time so far */
} buffer;

buffer *buffer_new(lower *l, tsr_elem elem, buffer_format format, unsigned n);
buffer *buffer_bytes(lower *l, uint64_t bytes);
/* It is used here. */
void buffer_touch(lower *l, buffer *b);
/* What is in it stays from tile block to tile block. */
void buffer_persists(buffer *b);
unsigned buffer_elem_bytes(const buffer *b);
LLVMTypeRef buffer_elem_type(lower *l, const buffer *b);
bool buffer_is_row_major(const buffer *b);

/* A moment later than all before. */
uint32_t scratch_now(lower *l);
/* A loop ends that began at that moment: what is older and used in it must exist in all of it. */
void scratch_loop_end(lower *l, uint32_t loop_start);
/* Gives all buffers their addresses. */
void scratch_layout(lower *l);
/* Then: how many bytes a thread needs, and how many of them, from the start, must be zero when a
 * launch begins. */
void scratch_sizes(const lower *l, uint64_t *bytes, uint64_t *keys);

#endif
