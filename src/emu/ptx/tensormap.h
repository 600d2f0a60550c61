/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * tensormap: the objects that bulk tensor copies take, and which bytes such a copy moves.
 *
 * A tensor map is 128 bytes that a program passes along without looking inside; on a GPU the driver
 * makes them (cuTensorMapEncodeTiled, cuTensorMapEncodeIm2col). Theirs is a secret; ours is this
 * file's, with the same parameters, limits and meaning, and a mark and a checksum so that anything
 * else is refused. Source of parameters and limits: CUDA Driver API, "Tensor Map Object
 * Management", and the PTX ISA's chapter on tensors.
 *
 * A copy is a list of runs: stretches that are contiguous in global and, before swizzling, in
 * shared memory. In shared memory a box lies dense, dimension 0 fastest; swizzling then moves
 * 16-byte chunks by the bits of their address (tensormap_swizzle). Choices where the public
 * documents are silent: interleaved tensors are described with the 16- or 32-byte slice as
 * dimension 0 and lie like others; the NaN of out-of-bounds fill has all bits set, so that
 * fma.oob can tell it from the NaN of arithmetic;
 * FLOAT32_FTZ flushes subnormal numbers on loads, the other types are copied bit by bit. A store to
 * the end of a row that ends between multiples of 16 bytes writes zeros up to the next, as was seen
 * on an H100.
 *
 * Nothing here allocates or keeps state.
 */
#ifndef TSR_EMU_PTX_TENSORMAP_H
#define TSR_EMU_PTX_TENSORMAP_H

#include "base/base.h"

enum { TENSORMAP_BYTES = 128, TENSORMAP_ALIGN = 64, TENSORMAP_MAX_RANK = 5 };

typedef enum tensormap_type { /* the driver's numbers */
                              TENSORMAP_U8,
                              TENSORMAP_U16,
                              TENSORMAP_U32,
                              TENSORMAP_S32,
                              TENSORMAP_U64,
                              TENSORMAP_S64,
                              TENSORMAP_F16,
                              TENSORMAP_F32,
                              TENSORMAP_F64,
                              TENSORMAP_BF16,
                              TENSORMAP_F32_FTZ,
                              TENSORMAP_TF32,
                              TENSORMAP_TF32_FTZ,
                              TENSORMAP_TYPE_COUNT
} tensormap_type;

typedef struct tensormap {
  uint8_t type;       /* tensormap_type */
  uint8_t rank;       /* 1 to 5 */
  uint8_t interleave; /* bytes: 0, 16, 32 */
  uint8_t swizzle;    /* bytes: 0, 32, 64, 128 */
  bool fill_nan;
  bool im2col;
  uint64_t address;                            /* of global memory */
  uint64_t dims[TENSORMAP_MAX_RANK];           /* elements, dimension 0 contiguous */
  uint64_t strides[TENSORMAP_MAX_RANK - 1];    /* bytes, of dimensions 1, 2, ... */
  uint8_t element_strides[TENSORMAP_MAX_RANK]; /* 1 to 8 */
  uint16_t box[TENSORMAP_MAX_RANK];            /* tiled: 1 to 256 */
  /* im2col: corners of the box of pixels, for dimensions 1 to rank - 2; */
  int16_t lower[TENSORMAP_MAX_RANK - 2], upper[TENSORMAP_MAX_RANK - 2];
  uint16_t channels; /* per pixel: 1 to 256 */
  uint16_t pixels;   /* per column: 1 to 1024 */
} tensormap;

/* Bytes of an element, and the name of a type ("f16"). */
unsigned tensormap_element_bytes(tensormap_type type);
const char *tensormap_type_name(tensormap_type type);

/* Makes the object. NULL, or a sentence saying which parameter breaks which limit. */
const char *tensormap_encode(const tensormap *m, uint8_t object[TENSORMAP_BYTES]);
/* Reads one; NULL, or what is wrong: it was not made by tensormap_encode, or was changed since. */
const char *tensormap_decode(const uint8_t object[TENSORMAP_BYTES], tensormap *out);

/* The members that tensormap.replace changes, and the numbers by which it says types, interleaves
 * (0, 16, 32 bytes), swizzles (0, 32, 64, 128 bytes) and fills (zeros, NaN). Source: PTX ISA,
 * "tensormap.replace". */
typedef enum tensormap_field {
  TENSORMAP_FIELD_ADDRESS,
  TENSORMAP_FIELD_RANK, /* one less than the rank */
  TENSORMAP_FIELD_BOX,  /* this and the next three: of dimension `at` */
  TENSORMAP_FIELD_DIM,
  TENSORMAP_FIELD_STRIDE, /* of dimension at + 1 */
  TENSORMAP_FIELD_ELEMENT_STRIDE,
  TENSORMAP_FIELD_TYPE,
  TENSORMAP_FIELD_INTERLEAVE,
  TENSORMAP_FIELD_SWIZZLE,
  TENSORMAP_FIELD_FILL
} tensormap_field;
/* Changes one member of a map, or of 128 zeros, which then are one that lacks the others. NULL, or
 * what is wrong with the object, `at` or the value. Members are held against each other when the
 * map is used (tensormap_decode), so that they can be changed one by one. */
const char *tensormap_replace(uint8_t object[TENSORMAP_BYTES], tensormap_field field, uint32_t at,
                              uint64_t value);

/* Bytes that a copy moves to or from shared memory; what complete_tx counts. */
uint32_t tensormap_box_bytes(const tensormap *m);

/* The alignment that shared memory needs, in bytes. */
uint32_t tensormap_shared_align(const tensormap *m);

/* Where a chunk goes: the address with bits 4.. xored by those from bit 7 on. */
static inline uint32_t tensormap_swizzle(unsigned swizzle_bytes, uint32_t address) {
  return swizzle_bytes ? address ^ (address >> 3 & (swizzle_bytes - 16)) : address;
}

typedef struct tensormap_run {
  uint32_t shared; /* bytes from the start of the box, before swizzling */
  uint32_t bytes;
  uint64_t global; /* address; meaningless when outside */
  bool inside;     /* else the tensor has no such elements: fill on loads, nothing on stores */
  bool ends_row;   /* inside, and the tensor's row ends with it */
} tensormap_run;

/* Goes through the runs of a copy. Start with tensormap_walk_begin, then call tensormap_walk_next
 * until it returns false. `coordinates` are the instruction's, dimension 0 first; `offsets` those
 * of im2col (rank - 2; NULL: zero). */
typedef struct tensormap_walk {
  const tensormap *map;
  int64_t at[TENSORMAP_MAX_RANK]; /* coordinates of the row's first element */
  int64_t origin[TENSORMAP_MAX_RANK];
  uint32_t index[TENSORMAP_MAX_RANK];  /* tiled: in the box */
  uint32_t offset[TENSORMAP_MAX_RANK]; /* im2col: of dimensions 1 to rank - 2 */
  uint32_t row, rows;                  /* under way, of how many */
  uint32_t element;                    /* in the row */
} tensormap_walk;
void tensormap_walk_begin(tensormap_walk *w, const tensormap *m, const int32_t *coordinates,
                          const uint16_t *offsets);
bool tensormap_walk_next(tensormap_walk *w, tensormap_run *run);

/* What lies outside: `bytes` of fill. And what a load does to elements that are inside. */
void tensormap_fill(const tensormap *m, uint8_t *out, uint32_t bytes);
void tensormap_convert(const tensormap *m, uint8_t *data, uint32_t bytes);

#endif
