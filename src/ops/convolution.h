/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * convolution: of images with filters, one to three dimensions, in groups; and its two gradients.
 *
 *   forward   y[n, f, o] = epilogue(sum over c, k of x[n, c, o stride + k dilation - pad] w[f, c,
 * k]) data      dx: what of dy each pixel of x had a part of, times w weights   dw: sums of
 * products of x and dy over images and pixels
 *
 *   convolution.c        parameters, tensors, launches, the reference
 *   convolution_build.c  the kernels
 *
 * It is a product of matrices for each element of the window: pixels x channels by channels x
 * filters. Where every channel is a group of its own (depthwise), it is element by element. Few
 * channels make short products; where channels are the last in memory, those of a row of the window
 * are neighbours, and there is a product for each row of it instead (joined).
 */
#ifndef TSR_OPS_CONVOLUTION_H
#define TSR_OPS_CONVOLUTION_H

#include "ops/epilogue.h"
#include "ops/image.h"

#define CONVOLUTION_PARAMS(P)                                                                      \
  P(pass, CHOSEN, FORM, 0, 0, "forward data weights", "forward",                                   \
    "the result, or the gradient of the image or of the filters")                                  \
  P(type, TYPE, FORM, 0, 0, NULL, "f32", "what is read: f64 f32 tf32 f16 bf16 f8 i8")              \
  P(type_y, TYPE, FORM, 0, 0, "auto", "auto",                                                      \
    "what the result holds; auto: i32 for i8, f16 for floats of 8 bits, else the type")            \
  P(epilogue, TEXT, FORM, 0, 0, NULL, "none", "of forward: bias+relu, residual+silu, scale:n")     \
  P(filters, INTEGER, SIZE, 0, 1 << 30, NULL, "16", "channels of y, of all groups")                \
  P(groups, INTEGER, SIZE, 1, 1 << 30, NULL, "1", "of channels and filters; a divisor of both")    \
  IMAGE_PARAMS(P)                                                                                  \
  P(tile_h, INTEGER, CHOICE, 1, 64, "auto", "auto", "rows of pixels of a tile, a power of two")    \
  P(tile_w, INTEGER, CHOICE, 1, 1024, "auto", "auto", "pixels of a row, a power of two")           \
  P(tile_f, INTEGER, CHOICE, 1, 1024, "auto", "auto", "channels of the result, a power of two")    \
  P(tile_c, INTEGER, CHOICE, 1, 1024, "auto", "auto", "channels of a step, a power of two")        \
  OPS_HINT_PARAMS(P)                                                                               \
  P(depthwise, CHOSEN, DERIVED, 0, 0, "no yes", "no", "every channel is a group with one filter")  \
  P(joined, CHOSEN, DERIVED, 0, 0, "no yes", "no",                                                 \
    "columns of the window lie together with their channels, and a step takes several")            \
  IMAGE_DERIVED_PARAMS(P)                                                                          \
  OPS_COMMON_PARAMS(P)

enum {
#define OPS_PARAM_ID(id, ...) CONVOLUTION_##id,
  CONVOLUTION_PARAMS(OPS_PARAM_ID)
#undef OPS_PARAM_ID
};

enum { CONVOLUTION_FORWARD, CONVOLUTION_DATA, CONVOLUTION_WEIGHTS };

typedef struct convolution {
  ops_image window;
  ops_epilogue epilogue;
  const char *x, *w, *y; /* names of the tensors with these shapes */
} convolution;

static inline int64_t convolution_get(const ops_problem *p, unsigned param) {
  return p->values[param].i;
}
static inline const convolution *convolution_parts(const ops_problem *p) {
  return p->parts;
}
/* Channels of a group: of x, or of y. */
int64_t convolution_channels(const ops_problem *p, bool of_y);
/* The same, where columns are joined with their channels all those of a row of the window; and how
 * many elements the window has then. */
int64_t convolution_run(const ops_problem *p, bool of_y);
int64_t convolution_elements(const ops_problem *p);
ops_type convolution_sum_type(const ops_problem *p);
ops_type convolution_late_type(const ops_problem *p);
/* Whether sums are stored as they are. */
bool convolution_is_whole(const ops_problem *p);
/* convolution_build.c */
void convolution_build(ops_build *b);

#endif
