/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bulk_copy: what bulk copies and reductions do to bytes (cp.async.bulk, cp.reduce.async.bulk, with
 * and without tensor maps), on plain memory.
 *
 * Nothing here allocates or keeps state. The default floating-point environment is required.
 */
#ifndef TSR_EMU_PTX_BULK_COPY_H
#define TSR_EMU_PTX_BULK_COPY_H

#include "emu/ptx/tensormap.h"

typedef enum bulk_op {
  BULK_COPY,
  BULK_ADD,
  BULK_MIN,
  BULK_MAX,
  BULK_INC, /* d >= s ? 0 : d + 1 */
  BULK_DEC, /* d == 0 || d > s ? s : d - 1 */
  BULK_AND,
  BULK_OR,
  BULK_XOR
} bulk_op;

typedef enum bulk_type {
  BULK_BYTES, /* of BULK_COPY */
  BULK_U32,
  BULK_S32,
  BULK_U64,
  BULK_S64,
  BULK_B32,
  BULK_B64,
  BULK_F16,
  BULK_BF16,
  BULK_F32,
  BULK_F64
} bulk_type;
unsigned bulk_type_bytes(bulk_type type);

/* Whether PTX has the reduction; `tensor` for cp.reduce.async.bulk.tensor, whose type is the map's.
 */
bool bulk_reduction_exists(bulk_op op, bulk_type type);
/* The type that elements of a tensor map have in a reduction; BULK_BYTES when there is none. */
bulk_type bulk_type_of_map(const tensormap *m);

/* d = op(d, s) on an array of `bytes` bytes; both may be unaligned; copies may overlap. */
void bulk_apply(bulk_op op, bulk_type type, uint8_t *d, const uint8_t *s, uint32_t bytes);

/* One run of a tensor copy between shared memory (its array, and the address of the box within it)
 * and `global`, the memory of the run (NULL when it lies outside the tensor). */
void bulk_load_run(const tensormap *m, const tensormap_run *run, uint8_t *shared, uint32_t box,
                   const uint8_t *global);
void bulk_store_run(const tensormap *m, const tensormap_run *run, const uint8_t *shared,
                    uint32_t box, uint8_t *global, bulk_op op, bulk_type type);

/* Pieces of a run that are contiguous in shared memory even when swizzled: calls `piece` for each
 * with the address in shared memory, the offset in the run and the length. */
typedef void bulk_piece_fn(void *user, uint32_t address, uint32_t offset, uint32_t bytes);
void bulk_pieces(const tensormap *m, const tensormap_run *run, uint32_t box, bulk_piece_fn *piece,
                 void *user);

#endif
