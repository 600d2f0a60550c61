/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * image_tiling.h: families whose tiles are rows x columns x channels of an image: how many there
 * are, which are tried, what they cost. Times are in milliseconds.
 */
#ifndef TSR_OPS_IMAGE_TILING_H
#define TSR_OPS_IMAGE_TILING_H

#include "ops/image.h"

/* Which parameters of the family say so; `pass` is 1 where tiles are of what goes in, else they are
 * of results. */
typedef struct image_tiling {
  image_params image;
  unsigned pass, tile_h, tile_w, tile_c;
} image_tiling;

#define IMAGE_TILING(F)                                                                            \
  { IMAGE_AT(F), F##_pass, F##_tile_h, F##_tile_w, F##_tile_c }

/* Tiles of rows and columns of one image. */
double image_tiling_blocks(const ops_problem *p, const image_tiling *at);
bool image_tiling_supported(const ops_problem *p, const image_tiling *at, const ops_target *t,
                            ops_why *why);
void image_tiling_candidates(const ops_target *t, ops_candidates *out);
double image_tiling_cost(const ops_problem *p, const image_tiling *at, const ops_target *t);

#endif
