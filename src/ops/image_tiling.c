/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ops/image_tiling.h"

#include <math.h>

static int64_t get(const ops_problem *p, unsigned param) {
  return p->values[param].i;
}

double image_tiling_blocks(const ops_problem *p, const image_tiling *at) {
  const ops_image *w = p->parts;
  return (double)image_tiles(get(p, at->pass) == 1 ? w->in : w->out, get(p, at->tile_h),
                             get(p, at->tile_w));
}

bool image_tiling_supported(const ops_problem *p, const image_tiling *at, const ops_target *t,
                            ops_why *why) {
  const unsigned tiles[] = {at->tile_h, at->tile_w, at->tile_c};
  int64_t size = 1;
  for (size_t i = 0; i < ARRAY_LEN(tiles); i++) {
    if (!ops_check_power(p, tiles[i], why)) return false;
    size *= get(p, tiles[i]);
  }
  if (size > 65536)
    return ops_refuse(why, "tiles of %lld elements are too large: at most 65536", (long long)size);
  if (!image_supported(p->parts, t, why)) return false;
  return image_tiling_blocks(p, at) <= INT32_MAX ||
         ops_refuse(why, "size=%s makes more than 2^31 - 1 tiles; give larger ones",
                    p->values[at->image.size].text);
}

void image_tiling_candidates(const ops_target *t, ops_candidates *out) {
  static const int16_t tiles[][3] = {{8, 8, 16}, {1, 16, 64}, {4, 4, 64}, {1, 64, 16},
                                     {1, 64, 1}, {8, 8, 4},   {8, 16, 1}, {1, 128, 1},
                                     {2, 8, 32}, {1, 4, 256}};
  (void)t;
  for (size_t i = 0; i < ARRAY_LEN(tiles); i++)
    ops_candidates_add(out, (int64_t[]){tiles[i][0], tiles[i][1], tiles[i][2]});
}

/* Tiles whose contiguous direction is short waste cache lines. */
double image_tiling_cost(const ops_problem *p, const image_tiling *at, const ops_target *t) {
  const ops_image *w = p->parts;
  int64_t unit = w->tensors[0].unit;
  double run = unit == IMAGE_CHANNEL  ? (double)get(p, at->tile_c)
               : unit == IMAGE_COLUMN ? (double)get(p, at->tile_w)
                                      : 1;
  double size = (double)(get(p, at->tile_h) * get(p, at->tile_w) * get(p, at->tile_c));
  double blocks = image_tiling_blocks(p, at) * (double)get(p, at->image.batch) *
                  (double)ops_tiles_of(get(p, at->image.channels), get(p, at->tile_c));
  double each = (double)image_pixels(w->kernel) * size * (1 + 8 / run) * 8 / (t->gflops * 1e6);
  return 0.004 + ceil(blocks / t->cores) * (each + 0.0003);
}
