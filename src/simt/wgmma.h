/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * simt/wgmma.h: matrix products by wgmma, the instructions of sm_90a by which the four warps of a
 * warpgroup multiply 64 rows at a time with operands in shared memory, and how a matrix lies in
 * shared memory for them and for bulk copies.
 *
 * An *image* of a matrix is made of panels. A panel has a row for each index of the slow dimension,
 * of 128, 64 or 32 bytes along the fast one; what is left of the fast dimension chooses the panel.
 * In memory the 16-byte units of a row are permuted: bits 4 and up of an address are xored with
 * those from bit 7 on, as many as a row of units has. That is what bulk tensor copies do with a box
 * of one panel, and what a descriptor tells wgmma; eight rows of a unit then lie in different
 * banks. (PTX ISA, "Swizzling Modes" and "Strides" of wgmma.) An image starts at a multiple of
 * SIMT_IMAGE_ALIGN, since the permutation looks at addresses.
 */
#ifndef TSR_SIMT_WGMMA_H
#define TSR_SIMT_WGMMA_H

#include "simt/mma.h"

enum { SIMT_IMAGE_ALIGN = 1024 };

typedef struct simt_image {
  uint8_t span; /* bytes of a panel's row: 128, 64 or 32 */
  uint8_t elem_bytes;
  uint8_t fast, slow;             /* bits of the two dimensions */
  uint8_t fast_first, slow_first; /* their lowest bits in the index */
  uint32_t bytes;
  int32_t offset[SIMT_BITS]; /* of each bit of the index, bytes, before the permutation: they add */
} simt_image;

/* Of a matrix of which the fast dimension has at least 32 bytes. */
simt_image simt_image_of(unsigned elem_bytes, unsigned fast_first, unsigned fast,
                         unsigned slow_first, unsigned slow);
/* Where the byte at an offset goes. */
static inline uint32_t simt_image_permute(const simt_image *i, uint32_t offset) {
  return offset ^ (offset >> 3 & (i->span - 16u));
}
/* Bytes of a panel. */
static inline uint32_t simt_image_panel(const simt_image *i) {
  return (uint32_t)i->span << i->slow;
}

/* The image of an operand of a product: A is [m, k], B is [k, n]. `mn_fast`: rows lie along m or n,
 * which must be possible (simt_wgmma_mn_fast). */
simt_image simt_wgmma_image(const simt_product *s, tsr_elem elem, bool is_a, bool mn_fast);
/* Operands of other than 16 bits lie along k. */
bool simt_wgmma_mn_fast(const simt_product *s, tsr_elem elem, bool is_a);

/* A descriptor but for its address. */
uint64_t simt_wgmma_descriptor(const simt_image *i, bool mn_fast);
/* The address, from the image's start, of the operand for the k with this number of instructions
 * before it. */
uint32_t simt_wgmma_step(const simt_image *i, bool mn_fast, uint32_t step);

/* Chooses wgmma, fills `info` and gives the accumulator's distribution; false where it can't be. */
bool simt_wgmma_choose(simt_op *info, const simt_plan *p, const ir_op *op, const simt_product *s,
                       simt_dist *c);
/* Could be computed by wgmma if the block had enough warps. */
bool simt_wgmma_fits(const simt_target *target, const ir_op *op);

/* log2 of the columns that one instruction of the product computes. */
unsigned simt_wgmma_columns(const simt_product *s, const simt_dist *c);

#endif
