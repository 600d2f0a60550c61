/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * simt/nvidia/tensor_map.h: a tensor map as a compiled kernel wants it. Bulk tensor copies (TMA)
 * take an object of 128 bytes that describes a tensor in memory; whoever launches the kernel makes
 * it, on a GPU by cuTensorMapEncodeTiled, from what stands here and the launch's arguments
 * (rt/tensor_maps.h).
 */
#ifndef TSR_SIMT_NVIDIA_TENSOR_MAP_H
#define TSR_SIMT_NVIDIA_TENSOR_MAP_H

#include "ir/ir.h"

enum { SIMT_MAP_RANK = 5 };

/* Elements as the engine sees them: bits of so many bytes, or the numbers that they are, of f16,
 * bf16, f32 or signed integers, which reductions combine. */
enum { SIMT_MAP_BITS, SIMT_MAP_NUMBERS };

typedef struct simt_tensor_map {
  const ir_op *view; /* make_tensor_view: its address, sizes and strides are expressions of the
                        entry's arguments (exec/expression.h) */
  uint8_t elem;      /* tsr_elem, of 1, 2, 4 or 8 bytes */
  uint8_t kind;      /* as above */
  uint8_t rank;      /* 1 to SIMT_MAP_RANK, the view's */
  uint8_t dim[SIMT_MAP_RANK];  /* the view's dimension that is the map's; [0] is contiguous */
  uint16_t box[SIMT_MAP_RANK]; /* elements of a copy, by the map's dimension: 1 to 256 */
  uint8_t swizzle;             /* bytes: 0, 32, 64, 128 */
  bool stored; /* copies go to the tensor: cards write zeros behind its rows up to the next multiple
                  of 16 bytes, so that rows of other lengths are not stored by maps */
} simt_tensor_map;

/* Views of longer sides are not described by maps; copies of tiles outside begin at
 * SIMT_MAP_OUTSIDE or less than 2^22 before it, so that all of them is padding. */
#define SIMT_MAP_MOST_ELEMENTS (INT64_C(1) << 29)
#define SIMT_MAP_ALIGN         16                 /* bytes: of addresses and strides */
#define SIMT_MAP_MOST_STRIDE   (INT64_C(1) << 40) /* bytes; strides are less */
#define SIMT_MAP_OUTSIDE       (INT64_C(1) << 30)

#endif
