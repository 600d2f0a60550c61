/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * simt/nvidia/box.h: a tile of a view as bulk tensor copies (TMA) move it between memory and shared
 * memory: in boxes of at most 128 bytes of the dimension that is contiguous in memory, and all of
 * the others. In shared memory a box is a panel: rows of row_bytes, the other dimensions from the
 * last on; panels follow each other along the contiguous dimension. 16-byte units of a row are
 * permuted by the row's number, as PTX ISA, "Tensor swizzling modes" has it for 128, 64 and 32
 * bytes. All of that is linear in the bits of the tile's index. Plain data without LLVM.
 */
#ifndef TSR_SIMT_NVIDIA_BOX_H
#define TSR_SIMT_NVIDIA_BOX_H

#include "simt/plan.h"
#include "simt/nvidia/tensor_map.h"

typedef struct simt_box {
  uint8_t elem_bytes;   /* log2 */
  uint8_t swizzle;      /* 0 to 3: 16, 32, 64 or 128 bytes wide */
  uint32_t row_bytes;   /* 16 to 128 */
  uint32_t panel_bytes; /* a box */
  uint32_t
      column[SIMT_BITS]; /* by bit of the tile's index: where it lies, bytes; combined by xor */
} simt_box;

/* Of the tiles of a partition or strided view (the value that a load or store takes), with the
 * tensor map for them; padding is not looked at. False when maps cannot describe them: elements of
 * less than a byte, rows of less than 16 bytes, no dimension known to be contiguous, sides of more
 * than 256 elements, or a tensor of which the launcher does not know all. */
bool simt_box_of(const ir_value *tiles, simt_box *box, simt_tensor_map *m);

#endif
