/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gpu/memory.h: weak loads and stores, through views and tiles of pointers: where each element lies
 * and whether it exists, which registers lie next to each other in memory and are accessed at once.
 */
#ifndef TSR_GPU_MEMORY_H
#define TSR_GPU_MEMORY_H

#include "gpu/gen.h"

void gpu_load(gen *g, ir_op *op);
void gpu_load_deferred(gen *g, ir_op *op); /* now */
void gpu_store(gen *g, ir_op *op);
void gpu_store_directly(gen *g, ir_op *op); /* by all threads, from registers; a weak one */

/* Where the elements of an access lie and which exist: by a view, by a tile of pointers, or as
 * functions say. */
typedef struct view_access view_access;
typedef struct access access;
struct access {
  const ir_op *op;
  uint8_t elem;
  simt_dist d;
  const view_access *view; /* NULL: by pointers, or `address_of` */
  /* What gpu_address_near and gpu_exists give; NULL: see the others. */
  llv (*address_of)(gen *g, const access *a, uint32_t slot, uint32_t *offset);
  llv (*exists_of)(gen *g, const access *a, uint32_t slot);
  void *own;    /* of these functions */
  llv *address; /* of pointers: i64 by register */
  llv *mask;    /* of pointers: i1 by register; NULL: all exist */
  llv pad;      /* of a view; NULL: the operation's operand, or zero */
  ir_value *padding;
  bool nibbles;
  uint8_t packed;  /* bits of elements that share bytes and are no nibbles; 0: others */
  unsigned run;    /* log2 of how many registers lie next to each other in memory, in order */
  uint64_t align;  /* of the first of such a run, bytes */
  llv run_ok;      /* i1: that this is so in this execution; NULL: it always is */
  bool run_exists; /* run_ok says that all elements exist, too */
};
access gpu_access(gen *g, ir_op *op, const simt_dist *d);
/* The address of a register's element: i64, in nibbles when `nibbles`, in bits when `packed`. And
 * whether it exists: i1; NULL: it does. */
llv gpu_address(gen *g, const access *a, uint32_t slot);
/* The same without what is known of it, up to 2 GiB, which goes into an instruction as an offset.
 */
llv gpu_address_near(gen *g, const access *a, uint32_t slot, uint32_t *offset);
llv gpu_exists(gen *g, const access *a, uint32_t slot);
/* Of so many bytes that begin at the element, how many exist: all or none, i32. NULL: they do. */
llv gpu_bytes_of_run(gen *g, const access *a, uint32_t slot, uint32_t bytes);
/* An access through a view as a base that all threads have in common, and a thread's distance from
 * it; false where its coordinates come from a tile, or its elements share bytes. */
bool gpu_has_tile_base(const access *a);
llv gpu_tile_base(gen *g, const access *a);                  /* i64 */
llv gpu_tile_offset(gen *g, const access *a, uint32_t slot); /* i32, if it fits */
/* How many bytes behind the base rows along a dimension exist for, i32; NULL: all of the tile's. */
llv gpu_tile_bytes_along(gen *g, const access *a, unsigned dim);
/* gpu_exists but for the coordinate in a dimension. */
llv gpu_exists_beside(gen *g, const access *a, uint32_t slot, unsigned dim);
/* Between these, what several elements have in common is made once: the code must not depend on
 * whether some of it was executed. False: somebody else has begun it. */
bool gpu_share_parts(const access *a);
void gpu_end_sharing(const access *a, bool begun);
/* In bits, what a pointer to elements that share bytes points to. */
llv gpu_bit_address(gen *g, llv pointer);
llv *gpu_padding(gen *g, const access *a);
/* What stands for elements that do not exist: NaN and infinity wherever the format has them. */
llv gpu_padding_value(gen *g, tsr_elem elem, int padding);

/* Loads `v` as it lies in `a`, and stores elements as they are in memory, where `owner` (i1; NULL:
 * all threads) says so; hazards are the caller's affair. */
void gpu_load_access(gen *g, ir_value *v, const access *a);
void gpu_store_access(gen *g, const access *a, llv *stored, llv owner);
/* Elements as they are in memory. */
llv *gpu_load_raw(gen *g, const access *a);

#endif
