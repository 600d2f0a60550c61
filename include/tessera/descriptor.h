/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Descriptors: where the element of a multi-dimensional index lives, as a chain of transforms.
 *
 * A transform makes the *lower* indices of some dimensions from *upper* ones. An adaptor is a list
 * of transforms between *bottom* dimensions and *top* dimensions, through hidden ones; a descriptor
 * is an adaptor with one bottom dimension, the offset in memory in elements. Nothing is copied:
 * padding, merging, transposing, im2col and XOR swizzles are views of the same memory. The names
 * are CK Tile's.
 *
 *   memory ── embed(4, 8; 8, 1) ──► rows, columns ── pad rows (1, 1) ──► 6 x 8, two rows invalid
 *
 * Values of fixed size, no allocation, no state; errors as in <tessera/layout.h>. Indices are
 * int64_t; lengths are positive and what a descriptor reaches stays below 2^62 elements.
 */
#ifndef TESSERA_DESCRIPTOR_H
#define TESSERA_DESCRIPTOR_H

#include <tessera/layout.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TSR_TRANSFORM_MAX_DIMS        16 /* on one side of a transform */
#define TSR_DESCRIPTOR_MAX_DIMS       16 /* at the top, and at the bottom */
#define TSR_DESCRIPTOR_MAX_HIDDEN     64
#define TSR_DESCRIPTOR_MAX_TRANSFORMS 32

/* How the lower index l comes from the upper one u: */
typedef enum tsr_transform_kind {
  TSR_TRANSFORM_PASS_THROUGH, /* l = u */
  TSR_TRANSFORM_PAD,          /* l = u - left; valid while 0 <= l < length */
  TSR_TRANSFORM_EMBED,        /* l = sum of u[i] * stride[i] */
  TSR_TRANSFORM_MERGE,        /* l = the digits of u, the first most significant */
  TSR_TRANSFORM_UNMERGE,      /* l = the number with digits u */
  TSR_TRANSFORM_FREEZE,       /* l = a constant, no u */
  TSR_TRANSFORM_INSERT,       /* no l: a dimension that changes nothing */
  TSR_TRANSFORM_REPLICATE,    /* no l: several such dimensions */
  TSR_TRANSFORM_SLICE,        /* l = u + begin */
  TSR_TRANSFORM_MODULO,       /* l = u mod modulus */
  TSR_TRANSFORM_XOR,          /* l0 = u0, l1 = u1 ^ (u0 mod length1) */
  TSR_TRANSFORM_OFFSET,       /* l = u + offset */
  TSR_TRANSFORM_CYCLIC_SHIFT, /* l = (u + shift) mod length */
  TSR_TRANSFORM_INDEXING,     /* l = table[u]; the table must outlive its uses */
} tsr_transform_kind;

typedef struct tsr_transform {
  tsr_transform_kind kind;
  uint8_t lower, upper;                   /* how many dimensions on each side */
  int64_t length[TSR_TRANSFORM_MAX_DIMS]; /* of the upper dimensions; MERGE: of the lower ones */
  int64_t param[TSR_TRANSFORM_MAX_DIMS];  /* strides; left, right, lower length; begin; ... */
  const int64_t *table;
} tsr_transform;

TSR_API tsr_transform tsr_transform_pass_through(int64_t length);
TSR_API tsr_transform tsr_transform_pad(int64_t length, int64_t left, int64_t right);
TSR_API tsr_transform tsr_transform_left_pad(int64_t length, int64_t left);
TSR_API tsr_transform tsr_transform_right_pad(int64_t length, int64_t right);
TSR_API tsr_transform tsr_transform_embed(uint32_t count, const int64_t *lengths,
                                          const int64_t *strides);
TSR_API tsr_transform tsr_transform_merge(uint32_t count, const int64_t *lengths);
TSR_API tsr_transform tsr_transform_unmerge(uint32_t count, const int64_t *lengths);
TSR_API tsr_transform tsr_transform_freeze(int64_t index);
TSR_API tsr_transform tsr_transform_insert(int64_t length);
TSR_API tsr_transform tsr_transform_replicate(uint32_t count, const int64_t *lengths);
TSR_API tsr_transform tsr_transform_slice(int64_t length, int64_t begin, int64_t end);
TSR_API tsr_transform tsr_transform_modulo(int64_t modulus, int64_t length);
TSR_API tsr_transform tsr_transform_xor(int64_t length0, int64_t length1);
TSR_API tsr_transform tsr_transform_offset(int64_t length, int64_t offset);
TSR_API tsr_transform tsr_transform_cyclic_shift(int64_t length, int64_t shift);
TSR_API tsr_transform tsr_transform_indexing(int64_t length, const int64_t *table);

/* Lower indices of upper ones; and whether they stay out of this transform's padding. */
TSR_API void tsr_transform_lower(const tsr_transform *t, const int64_t *upper, int64_t *lower);
TSR_API bool tsr_transform_valid(const tsr_transform *t, const int64_t *upper);
/* An upper index with this lower one (the first, where there are several); false when none has. */
TSR_API bool tsr_transform_upper(const tsr_transform *t, const int64_t *lower, int64_t *upper);

typedef struct tsr_stage {
  tsr_transform transform;
  uint8_t lower_ids[TSR_TRANSFORM_MAX_DIMS], upper_ids[TSR_TRANSFORM_MAX_DIMS]; /* hidden */
} tsr_stage;

typedef struct tsr_descriptor {
  uint8_t stages, hidden, bottom, top;
  tsr_stage stage[TSR_DESCRIPTOR_MAX_TRANSFORMS]; /* from the bottom up */
  uint8_t bottom_ids[TSR_DESCRIPTOR_MAX_DIMS], top_ids[TSR_DESCRIPTOR_MAX_DIMS];
  int64_t length[TSR_DESCRIPTOR_MAX_HIDDEN]; /* of every hidden dimension; 0: unknown */
  int64_t space;                             /* elements of memory reached; 0 for adaptors */
} tsr_descriptor;

/* Memory with one stride per dimension; without gaps, the last dimension fastest; with rows that
 * start at multiples of `align`; and any of them from an offset on. */
TSR_API tsr_status tsr_descriptor_strided(tsr_descriptor *out, uint32_t rank,
                                          const int64_t *lengths, const int64_t *strides,
                                          int64_t offset, tsr_layout_error *error);
TSR_API tsr_status tsr_descriptor_packed(tsr_descriptor *out, uint32_t rank, const int64_t *lengths,
                                         tsr_layout_error *error);
TSR_API tsr_status tsr_descriptor_aligned(tsr_descriptor *out, uint32_t rank,
                                          const int64_t *lengths, int64_t align,
                                          tsr_layout_error *error);
/* Bottom dimensions and top dimensions are the same. `lengths` NULL: they are not known. */
TSR_API tsr_status tsr_adaptor_identity(tsr_descriptor *out, uint32_t rank, const int64_t *lengths,
                                        tsr_layout_error *error);

/* One step of tsr_descriptor_transform: which top dimensions the transform takes as its lower ones,
 * and which dimensions of the new top its upper ones are. */
typedef struct tsr_transform_step {
  tsr_transform transform;
  uint8_t from[TSR_TRANSFORM_MAX_DIMS], to[TSR_TRANSFORM_MAX_DIMS];
} tsr_transform_step;

/* Puts transforms on top. Every top dimension is taken once, every new one made once. */
TSR_API tsr_status tsr_descriptor_transform(tsr_descriptor *out, const tsr_descriptor *descriptor,
                                            uint32_t count, const tsr_transform_step *steps,
                                            tsr_layout_error *error);
/* `above`'s bottom dimensions are `below`'s top ones, in order. */
TSR_API tsr_status tsr_adaptor_chain(tsr_descriptor *out, const tsr_descriptor *below,
                                     const tsr_descriptor *above, tsr_layout_error *error);

TSR_API int64_t tsr_descriptor_length(const tsr_descriptor *d, uint32_t dim);
/* The offset of a top index, and whether it is an element (within the lengths, and no padding). The
 * offset of what is none is not to be used. `valid` may be NULL. */
TSR_API int64_t tsr_descriptor_offset(const tsr_descriptor *d, const int64_t *index, bool *valid);
/* The same map as a memory layout, with which kernels of the block level lay out shared memory:
 * strides, and an XOR such as that of tsr_descriptor_xor_preshuffle as its swizzle. Fails where the
 * descriptor pads, begins at another offset than 0, or is no such map; at most 2^21 elements, of
 * which each is looked at. */
TSR_API tsr_status tsr_memory_from_descriptor(tsr_memory_layout *out, const tsr_descriptor *d,
                                              tsr_layout_error *error);
/* All bottom indices, for adaptors. */
TSR_API void tsr_adaptor_bottom(const tsr_descriptor *d, const int64_t *top, int64_t *bottom);
/* A top index of these bottom indices; false when there is none. */
TSR_API bool tsr_adaptor_top(const tsr_descriptor *d, const int64_t *bottom, int64_t *top);

/* A position that moves: its hidden indices are kept, and a step changes only those that it
 * reaches, without dividing anew where digits don't carry. */
typedef struct tsr_coordinate {
  int64_t hidden[TSR_DESCRIPTOR_MAX_HIDDEN];
} tsr_coordinate;
TSR_API void tsr_coordinate_make(tsr_coordinate *out, const tsr_descriptor *d,
                                 const int64_t *index);
TSR_API void tsr_coordinate_move(tsr_coordinate *c, const tsr_descriptor *d, const int64_t *step);
TSR_API int64_t tsr_coordinate_offset(const tsr_coordinate *c, const tsr_descriptor *d);
TSR_API void tsr_coordinate_index(const tsr_coordinate *c, const tsr_descriptor *d, int64_t *index);
TSR_API bool tsr_coordinate_valid(const tsr_coordinate *c, const tsr_descriptor *d);

/* The index arithmetic as C statements on int64_t variables: from top indices i0, i1, ... to
 * `offset` and `valid`. Divisions and remainders that the lengths make needless are left out. As
 * tsr_layout_print. Tables of indexing transforms are called table0, table1, ... */
TSR_API size_t tsr_descriptor_emit_c(const tsr_descriptor *d, char *out, size_t size);

/* The same as Tile IR text, an operation on scalars per line, to be put into the body of an entry:
 * from values %i0, %i1, ... of type tile<i64> to the values whose names it gives, the offset of
 * type tile<i64> and tile<i1>, whether it is an element. What it defines is called %t0, %t1, ...;
 * the prefix (NULL: none) goes before all these names, so that several descriptors fit into one
 * kernel; use at most 32 letters, digits and underscores. Tables become chains of selects. */
#define TSR_EMITTED_NAME 64
typedef struct tsr_emitted_names {
  char offset[TSR_EMITTED_NAME], valid[TSR_EMITTED_NAME]; /* with the % */
} tsr_emitted_names;
TSR_API size_t tsr_descriptor_emit_tile(const tsr_descriptor *d, const char *prefix,
                                        tsr_emitted_names *names, char *out, size_t size);

/* ---- Ready descriptors --------------------------------------------------------------------- */

/* A tile rows x row_length in shared memory with vectors of `pack` elements permuted by XOR within
 * rows (CK Tile's XOR preshuffle); `layers` neighbouring rows share one set of banks. Top: row,
 * column. */
TSR_API tsr_status tsr_descriptor_xor_preshuffle(tsr_descriptor *out, int64_t rows,
                                                 int64_t row_length, int64_t pack, int64_t layers,
                                                 tsr_layout_error *error);
/* height x width in square tiles of `tile` (a power of two), the tiles row-major and each in Morton
 * order: the bits of row and column interleaved, the row's the higher ones. Top: row, column. */
TSR_API tsr_status tsr_descriptor_morton(tsr_descriptor *out, int64_t height, int64_t width,
                                         int64_t tile, tsr_layout_error *error);

/* A convolution's input, stored height, width, channels. */
typedef struct tsr_convolution {
  int64_t height, width, channels;
  int64_t kernel_height, kernel_width;
  int64_t stride_height, stride_width;     /* >= 1 */
  int64_t dilation_height, dilation_width; /* >= 1 */
  int64_t pad_top, pad_bottom, pad_left, pad_right;
} tsr_convolution;
/* The matrix whose rows are output pixels and whose columns are the kernel's taps (row, column,
 * channel), without copying; padding is invalid. out_height and out_width may be NULL. */
TSR_API tsr_status tsr_descriptor_im2col(tsr_descriptor *out, const tsr_convolution *convolution,
                                         int64_t *out_height, int64_t *out_width,
                                         tsr_layout_error *error);

/* ---- Space-filling curves ------------------------------------------------------------------ */

/* The order in which accesses of scalars[d] elements per dimension cover a box: order[0] is the
 * slowest dimension; with `snake`, every second run goes backwards. */
typedef struct tsr_curve {
  uint8_t rank;
  bool snake;
  uint8_t order[TSR_DESCRIPTOR_MAX_DIMS];
  int64_t length[TSR_DESCRIPTOR_MAX_DIMS], scalars[TSR_DESCRIPTOR_MAX_DIMS];
} tsr_curve;
TSR_API tsr_status tsr_curve_make(tsr_curve *out, uint32_t rank, const int64_t *lengths,
                                  const uint8_t *order, const int64_t *scalars, bool snake,
                                  tsr_layout_error *error);
/* Accesses; lengths that scalars don't divide round up. */
TSR_API int64_t tsr_curve_accesses(const tsr_curve *curve);
/* The first element of an access; false when the access reaches beyond the box. */
TSR_API bool tsr_curve_index(const tsr_curve *curve, int64_t access, int64_t *index);
/* From one access's first element to another's. */
TSR_API void tsr_curve_step(const tsr_curve *curve, int64_t from, int64_t to, int64_t *step);

#ifdef __cplusplus
}
#endif
#endif
