/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Windows over images of one to three dimensions: what convolutions, pooling and the rearrangement
 * of images to columns go through, by addresses that are calculated, without copies.
 *
 *   size=56x56   kernel=3   stride=2   dilation=1   padding=1
 *
 * Pixel o of the result sees pixels o * stride + k * dilation - padding of the image, k from 0 up
 * to the size of the window. Tensors have the dimensions batch, channels, image (one to three); in
 * memory channels are the last ones or follow the batch, or lie as `strides` says. In kernels all
 * images have three dimensions, of which the first may have the size 1.
 *
 * A tile has rows x columns pixels of one plane and some channels: pixels x channels.
 */
#ifndef TSR_OPS_IMAGE_H
#define TSR_OPS_IMAGE_H

#include "ops/emit.h"
#include "ops/host.h"

enum { IMAGE_DIMS = 3, IMAGE_RANK = 5, IMAGE_MAX_TENSORS = 4 };
/* Dimensions of tensors. */
enum { IMAGE_BATCH, IMAGE_CHANNEL, IMAGE_FIRST, IMAGE_COLUMN = 4 };

#define IMAGE_PARAMS(P)                                                                            \
  P(size, TEXT, SIZE, 0, 0, NULL, "auto", "of an image: 1000, 56x56, 8x56x56; auto: 1x1")          \
  P(kernel, TEXT, SIZE, 0, 0, NULL, "1", "of the window; one number means all dimensions")         \
  P(stride, TEXT, SIZE, 0, 0, NULL, "1", "of the window")                                          \
  P(dilation, TEXT, SIZE, 0, 0, NULL, "1", "between elements of the window")                       \
  P(padding, TEXT, SIZE, 0, 0, NULL, "0", "around images")                                         \
  P(padding_end, TEXT, SIZE, 0, 0, NULL, "same", "behind them, if not as before them")             \
  P(batch, INTEGER, SIZE, 0, 1 << 30, NULL, "1", "how many images")                                \
  P(channels, INTEGER, SIZE, 0, 1 << 30, NULL, "16", "of an image, of all groups")                 \
  P(layout, CHOSEN, SIZE, 0, 0, "last first", "last", "channels are the last in memory, or first") \
  P(strides, TEXT, SIZE, 0, 0, NULL, "packed",                                                     \
    "of tensors that do not lie packed, of batch, channels, image: x:802816x1x14336x256")
#define IMAGE_DERIVED_PARAMS(P)                                                                    \
  P(stepped, CHOSEN, DERIVED, 0, 0, "no yes", "no", "some stride is not 1")                        \
  P(units, TEXT, DERIVED, 0, 0, NULL, "auto", "which dimension of each tensor has the stride 1")

typedef struct image_params {
  unsigned size, kernel, stride, dilation, padding, padding_end, batch, channels, layout, strides,
      stepped, units;
} image_params;
#define IMAGE_AT(F)                                                                                \
  {                                                                                                \
    F##_size, F##_kernel, F##_stride, F##_dilation, F##_padding, F##_padding_end, F##_batch,       \
        F##_channels, F##_layout, F##_strides, F##_stepped, F##_units                              \
  }

typedef struct image_tensor {
  const char *name;
  ops_type type;
  uint8_t use; /* tsr_op_use */
  int64_t sizes[IMAGE_RANK], strides[IMAGE_RANK];
  int8_t unit; /* the dimension whose stride is known to be 1; -1: none */
} image_tensor;

typedef struct ops_image {
  unsigned rank;                           /* of images */
  int64_t in[IMAGE_DIMS], out[IMAGE_DIMS]; /* sizes of images and of results */
  int64_t kernel[IMAGE_DIMS], stride[IMAGE_DIMS], dilation[IMAGE_DIMS], pad[IMAGE_DIMS];
  image_tensor tensors[IMAGE_MAX_TENSORS];
  unsigned count;
} ops_image;

bool image_parse(ops_image *w, const ops_problem *p, const image_params *at, ops_why *why);
/* Adds a tensor whose strides are packed until image_settle; `image` is in, out or kernel. */
void image_add(ops_image *w, const ops_problem *p, const image_params *at, const char *name,
               ops_type type, tsr_op_use use, int64_t batch, int64_t channels,
               const int64_t *image);
/* Reads strides, writes derived parameters. */
bool image_settle(ops_image *w, ops_problem *p, const image_params *at, ops_why *why);
void image_operands(const ops_image *w, ops_operands *out);
const image_tensor *image_find(const ops_image *w, const char *name); /* NULL: none */
/* Passes what windows need, then a tensor with its strides as NAME_0 to NAME_4. */
void image_pass(const ops_image *w, ops_step *s);
void image_pass_tensor(const ops_image *w, ops_steps *steps, ops_step *s, const char *name);
/* Types on a target, and images of less than 2^31 elements. */
bool image_supported(const ops_image *w, const ops_target *t, ops_why *why);
int64_t image_pixels(const int64_t *image);
/* Tiles of rows x columns pixels of an image. */
int64_t image_tiles(const int64_t *image, int64_t rows, int64_t columns);

/* ---- on tiles (image_emit.c) -----------------------------------------------------------------
 */

typedef struct image_kernel {
  ops_build *b;
  const ops_image *w;
  int64_t rows, columns;
  bool stepped;
  bool joined; /* columns of the window are channels: see image_join_columns */
  tsr_value in[IMAGE_DIMS], out[IMAGE_DIMS], kernel[IMAGE_DIMS], stride[IMAGE_DIMS];
  tsr_value dilation[IMAGE_DIMS], pad[IMAGE_DIMS];
  tsr_value plane, row, column; /* which tile: of planes, rows, columns */
} image_kernel;

image_kernel image_begin(ops_build *b, const ops_image *w, bool stepped, int64_t rows,
                         int64_t columns);
/* Columns of the window and the `channels` of each count as channels from now on, in tensors in
 * which they are neighbours: returns how many these are. The window has one column then. */
tsr_value image_join_columns(image_kernel *k, tsr_value channels);
/* Goes to a tile by its number, of results or of images. */
void image_go(image_kernel *k, tsr_value number, bool of_images);
/* How many tiles image_go knows, i32. */
tsr_value image_count(image_kernel *k, bool of_images);
/* Elements of the window, i32, and one of them by its number. */
tsr_value image_elements(image_kernel *k);
void image_element(image_kernel *k, tsr_value number, tsr_value out[IMAGE_DIMS]);
/* Where a tensor's image of a batch begins, from a channel on. */
tsr_value image_base(image_kernel *k, const char *name, tsr_value batch, tsr_value channel);
/* The same of a tensor that lies as `name` does. */
tsr_value image_base_of(image_kernel *k, tsr_value base, const char *name, tsr_value batch,
                        tsr_value channel);
/* What each pixel of the tile sees at an element of the window: of an image for pixels of results,
 * or, `back`, of results for pixels of images. pixels x `channels`, from channel `first` of
 * `count` on; `outside` where there is nothing. */
tsr_value image_load(image_kernel *k, const char *name, tsr_value base, const tsr_value *element,
                     tsr_value first, tsr_value count, int64_t channels, bool back, double outside);
/* The same for pixels of images from lines of `line` elements for each pixel of results. */
tsr_value image_gather(image_kernel *k, tsr_elem elem, tsr_value base, const tsr_value *element,
                       tsr_value line, tsr_value first, tsr_value count, int64_t channels);
/* The number of the pixel of the image that each pixel of results sees, and whether there is one:
 * pixels x 1. */
tsr_value image_seen(image_kernel *k, const tsr_value *element);
tsr_value image_is_seen(image_kernel *k, const tsr_value *element);
/* For pixels of images: how many elements of the window of the result that saw them at an element
 * lie in the image, at least 1: pixels x 1 of i32. */
tsr_value image_counts(image_kernel *k, const tsr_value *element);
/* A tensor of results or of images that lies as `name` does, as tiles of pixels and channels. */
ops_tiles image_view(image_kernel *k, const char *name, ops_type type, tsr_value base,
                     tsr_value count, int64_t channels, bool of_images);
/* The tile of all its pixels and one tile of channels, pixels x channels. */
tsr_value image_load_tile(image_kernel *k, const ops_tiles *t, tsr_value channel);
void image_store_tile(image_kernel *k, const ops_tiles *t, tsr_value channel, tsr_value tile);
/* Numbers of pixels in their image, pixels x 1 of i32. */
tsr_value image_numbers(image_kernel *k, bool of_images);

/* ---- on the host ------------------------------------------------------------------------------
 */

/* The pixel of an image that pixel `out` of a result sees at an element; false: none. All are
 * numbers in row-major order. */
bool image_sees(const ops_image *w, int64_t out, int64_t element, int64_t *in);
/* Where an element lies; `pixel` is a number in row-major order. */
int64_t image_at(const ops_image *w, const char *name, int64_t batch, int64_t channel,
                 int64_t pixel);
double *image_number(const ops_host *h, const ops_image *w, const char *name, int64_t batch,
                     int64_t channel, int64_t pixel);

#endif
