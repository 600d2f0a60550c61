/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The layout algebra: where the elements of a tile live.
 *
 * A *distribution* (tsr_layout) spreads a tile over workers (the threads of a block, the lanes of a
 * vector) and slots (the registers of one worker). Each dimension of the tile is factored into
 * *modes*, most significant first; every mode is owned either by the workers (a spatial mode) or by
 * the slots (a local mode). The order of the spatial modes gives the worker's number, row-major,
 * and the order of the local modes gives the slot's:
 *
 *   shape [4, 6], mode_shape [2, 2, 3, 2], spatial_modes [0, 2], local_modes [3, 1]
 *     worker = (i / 2) * 3 + j / 2          slot = (j % 2) * 2 + i % 2
 *
 * A negative entry -R among the spatial modes is *replication*: R workers hold the same element.
 *
 * Two notations of the same thing are known: Tilus' register layouts, whose field names are used
 * here, and CK Tile's tile distribution encodings (tsr_encoding). When all sizes are powers of two,
 * a distribution is also a matrix over GF(2) (tsr_linear), which is what a compiler computes with.
 *
 * Nothing here allocates, but for tsr_layout_png. All types are plain values of fixed size that can
 * be copied; an output may be the same object as an input. A function that can fail returns a
 * status and, if `error` is not NULL, says in it what is wrong; its output is then untouched.
 * Functions without a status accept any valid value and cannot fail. Pointers may be NULL where
 * that is said, and arrays where they have no elements; anywhere else the status is
 * TSR_ERROR_USAGE, and functions without one do nothing and return 0 or false. No function keeps
 * state: all may be called from any thread.
 */
#ifndef TESSERA_LAYOUT_H
#define TESSERA_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tessera/base.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TSR_LAYOUT_MAX_RANK  16
#define TSR_LAYOUT_MAX_MODES 64
/* Elements, workers and slots are at most 2^31 - 1 each. */

/* Why an operation failed. `dim` and `mode` are the ones at fault, or -1. */
typedef struct tsr_layout_error {
  char message[384]; /* one line: what was expected, the shapes, the mode */
  int32_t dim, mode;
} tsr_layout_error;

/* ---- Distributions ------------------------------------------------------------------------- */

typedef struct tsr_layout {
  uint8_t rank, modes, spatial, local;         /* how many entries of the arrays count */
  uint8_t dim_modes[TSR_LAYOUT_MAX_RANK];      /* how many modes dimension d has */
  int32_t shape[TSR_LAYOUT_MAX_RANK];          /* >= 1 */
  int32_t mode_shape[TSR_LAYOUT_MAX_MODES];    /* >= 1, the modes of dimension 0 first */
  int32_t spatial_modes[TSR_LAYOUT_MAX_MODES]; /* >= 0: a mode; -R: R copies */
  int32_t local_modes[TSR_LAYOUT_MAX_MODES];
} tsr_layout;

/* Makes a canonical distribution. The modes of each dimension must multiply to its size and every
 * mode must be named exactly once in spatial_modes or local_modes. */
TSR_API tsr_status tsr_layout_make(tsr_layout *out, uint32_t rank, const int32_t *shape,
                                   uint32_t modes, const int32_t *mode_shape, uint32_t spatial,
                                   const int32_t *spatial_modes, uint32_t local,
                                   const int32_t *local_modes, tsr_layout_error *error);

/* Checks every rule a tsr_layout has to keep; for values that come from elsewhere. */
TSR_API tsr_status tsr_layout_validate(const tsr_layout *layout, tsr_layout_error *error);

/* One worker per element, or one worker with a slot per element. The column forms number the first
 * dimension fastest. With `ranks`, dimension d has significance ranks[d] (0: most significant);
 * NULL is row-major. */
TSR_API tsr_status tsr_layout_spatial(tsr_layout *out, uint32_t rank, const int32_t *shape,
                                      const int32_t *ranks, tsr_layout_error *error);
TSR_API tsr_status tsr_layout_local(tsr_layout *out, uint32_t rank, const int32_t *shape,
                                    const int32_t *ranks, tsr_layout_error *error);
TSR_API tsr_status tsr_layout_column_spatial(tsr_layout *out, uint32_t rank, const int32_t *shape,
                                             tsr_layout_error *error);
TSR_API tsr_status tsr_layout_column_local(tsr_layout *out, uint32_t rank, const int32_t *shape,
                                           tsr_layout_error *error);
/* Each of `workers` workers holds the whole tile. */
TSR_API tsr_status tsr_layout_replicated(tsr_layout *out, uint32_t rank, const int32_t *shape,
                                         int32_t workers, tsr_layout_error *error);
/* local(...).spatial(...) that spreads `shape` over exactly `workers` workers, the last dimension
 * first; replicated when there are more workers than elements. */
TSR_API tsr_status tsr_layout_auto_local_spatial(tsr_layout *out, int32_t workers, uint32_t rank,
                                                 const int32_t *shape, tsr_layout_error *error);

/* Every element of `outer` becomes a tile laid out as `inner`: sizes multiply, the outer modes are
 * the more significant ones. Missing leading dimensions count as 1. Associative. */
TSR_API tsr_status tsr_layout_compose(tsr_layout *out, const tsr_layout *outer,
                                      const tsr_layout *inner, tsr_layout_error *error);
/* The q with whole == compose(q, inner), or with whole == compose(outer, q). */
TSR_API tsr_status tsr_layout_divide(tsr_layout *out, const tsr_layout *whole,
                                     const tsr_layout *inner, tsr_layout_error *error);
TSR_API tsr_status tsr_layout_left_divide(tsr_layout *out, const tsr_layout *whole,
                                          const tsr_layout *outer, tsr_layout_error *error);

/* Dimension d of the result is dimension dims[d]; `count` is the rank. */
TSR_API tsr_status tsr_layout_permute(tsr_layout *out, const tsr_layout *layout, uint32_t count,
                                      const int32_t *dims, tsr_layout_error *error);
/* Removes the dimensions in `dims`, which have size 1. */
TSR_API tsr_status tsr_layout_squeeze(tsr_layout *out, const tsr_layout *layout, uint32_t count,
                                      const int32_t *dims, tsr_layout_error *error);
/* Adds dimensions of size 1; `dims` are their places in the result. */
TSR_API tsr_status tsr_layout_unsqueeze(tsr_layout *out, const tsr_layout *layout, uint32_t count,
                                        const int32_t *dims, tsr_layout_error *error);
/* The same elements in row-major order under another shape; splits modes where needed. */
TSR_API tsr_status tsr_layout_reshape(tsr_layout *out, const tsr_layout *layout, uint32_t rank,
                                      const int32_t *shape, tsr_layout_error *error);
/* As reshape, but fails where a mode would have to be split. */
TSR_API tsr_status tsr_layout_with_shape(tsr_layout *out, const tsr_layout *layout, uint32_t rank,
                                         const int32_t *shape, tsr_layout_error *error);
/* Merges the dimensions first..last, both included, into one; last < 0 counts from the end. */
TSR_API tsr_status tsr_layout_flatten(tsr_layout *out, const tsr_layout *layout, int32_t first,
                                      int32_t last, tsr_layout_error *error);
/* The dimensions of `a`, then those of `b`; a's modes are the more significant ones. */
TSR_API tsr_status tsr_layout_concat(tsr_layout *out, const tsr_layout *a, const tsr_layout *b,
                                     tsr_layout_error *error);
/* Where the result of a reduction over `dims` lives when every worker that held a part of it gets
 * the result: spatial modes of `dims` become replication, local ones vanish. */
TSR_API tsr_status tsr_layout_reduce(tsr_layout *out, const tsr_layout *layout, uint32_t count,
                                     const int32_t *dims, bool keep_dims, tsr_layout_error *error);
/* Reduces to a shape that broadcasts to the layout's: leading dimensions missing or sizes 1. */
TSR_API tsr_status tsr_layout_reduce_to(tsr_layout *out, const tsr_layout *layout, uint32_t rank,
                                        const int32_t *shape, tsr_layout_error *error);

/* The shortest form: no modes of size 1, and no neighbouring modes that could be one. Every
 * function of this header returns it, except where it says otherwise. */
TSR_API void tsr_layout_canonicalize(tsr_layout *layout);

/* Same shape, same modes in canonical form. */
TSR_API bool tsr_layout_equal(const tsr_layout *a, const tsr_layout *b);
/* Same shape, and every element at the same workers and slot. Differs from tsr_layout_equal only
 * in that [-2, -3] and [-6] are the same replication. */
TSR_API bool tsr_layout_same_map(const tsr_layout *a, const tsr_layout *b);

TSR_API int64_t tsr_layout_size(const tsr_layout *layout);         /* elements of the tile */
TSR_API int64_t tsr_layout_spatial_size(const tsr_layout *layout); /* workers */
TSR_API int64_t tsr_layout_local_size(const tsr_layout *layout);   /* slots of one worker */
TSR_API int64_t tsr_layout_copies(const tsr_layout *layout);       /* workers per element */
/* The modes of dimension `dim` are *first .. *first + returned - 1. `first` may be NULL. */
TSR_API uint32_t tsr_layout_grouped_modes(const tsr_layout *layout, uint32_t dim, uint32_t *first);

/* The workers that hold an element, ascending in each replication; writes at most `capacity` of
 * them and returns how many there are. The index must lie in the shape. */
TSR_API int64_t tsr_layout_get_spatial(const tsr_layout *layout, const int32_t *index,
                                       int32_t *workers, int64_t capacity);
TSR_API int32_t tsr_layout_get_local(const tsr_layout *layout, const int32_t *index);
/* The element in a worker's slot; `worker` and `slot` must be in range. */
TSR_API void tsr_layout_get_global(const tsr_layout *layout, int32_t worker, int32_t slot,
                                   int32_t *index);
/* Whether the element is held by this worker. */
TSR_API bool tsr_layout_locate_at(const tsr_layout *layout, const int32_t *index, int32_t worker);

/* ---- CK Tile encodings --------------------------------------------------------------------- */

#define TSR_ENCODING_MAX_P 4

/* A length of an encoding: major 0 is Rs[minor], major 1 + d is Hs[d][minor]. */
typedef struct tsr_rh {
  uint8_t major, minor;
} tsr_rh;

/* Rs: replication lengths. Hs[d]: the lengths whose product is dimension d of X, most significant
 * first. Ps[p]: the lengths that hardware axis p (warp, lane) enumerates, most significant first.
 * Ys: the lengths that a worker's slots enumerate, most significant first. Every length other than
 * 1 is named exactly once in Ps or Ys, and Ys names no Rs. */
typedef struct tsr_encoding {
  uint8_t x, r, p, y; /* how many dimensions X, R, P and Y have */
  uint8_t h_count[TSR_LAYOUT_MAX_RANK], p_count[TSR_ENCODING_MAX_P];
  int32_t rs[TSR_LAYOUT_MAX_MODES];
  int32_t hs[TSR_LAYOUT_MAX_MODES]; /* those of X0 first; h_count says where they part */
  tsr_rh ps[TSR_LAYOUT_MAX_MODES];  /* those of P0 first; p_count says where they part */
  tsr_rh ys[TSR_LAYOUT_MAX_MODES];
} tsr_encoding;

TSR_API tsr_status tsr_encoding_validate(const tsr_encoding *encoding, tsr_layout_error *error);

/* The distribution an encoding means. It is not canonical: its modes are the encoding's lengths, so
 * that nothing is lost (except lengths 1 that neither P nor Y names). Workers are numbered with P0
 * most significant. */
TSR_API tsr_status tsr_encoding_to_layout(const tsr_encoding *encoding, tsr_layout *out,
                                          tsr_layout_error *error);
/* The encoding of a distribution, with the workers split over `axes` hardware axes of the given
 * sizes, most significant first ({4, 64}: 4 warps of 64 lanes); axes 0 makes one axis of all. Modes
 * are taken as they are and split only where an axis ends within one. */
TSR_API tsr_status tsr_encoding_from_layout(tsr_encoding *out, const tsr_layout *layout,
                                            uint32_t axes, const int32_t *axis_sizes,
                                            tsr_layout_error *error);

/* Every element of `outer` becomes an `inner`; the P axes of outer come first. */
TSR_API tsr_status tsr_encoding_embed(tsr_encoding *out, const tsr_encoding *outer,
                                      const tsr_encoding *inner, tsr_layout_error *error);
/* Removes X dimensions: their lengths named by P become replication, those named by Y vanish. */
TSR_API tsr_status tsr_encoding_reduce(tsr_encoding *out, const tsr_encoding *encoding,
                                       uint32_t count, const int32_t *dims,
                                       tsr_layout_error *error);
/* The part of every worker's slots that lies in X [begin, end). Each dimension's slice must be made
 * of whole lengths up to one that Y names, with a multiple of what lies below it as its begin.
 * y_origins and y_lengths (one per Y dimension, may be NULL) say which slots of the original. */
TSR_API tsr_status tsr_encoding_slice_x(tsr_encoding *out, const tsr_encoding *encoding,
                                        const int32_t *begin, const int32_t *end,
                                        int32_t *y_origins, int32_t *y_lengths,
                                        tsr_layout_error *error);

/* How a row-major tile y_size x x_size is read by `workers` threads in vectors of `vector`: */
typedef enum tsr_rake {
  TSR_RAKE_THREAD, /* a thread reads consecutive rows */
  TSR_RAKE_WARP,   /* a warp reads consecutive rows */
  TSR_RAKE_BLOCK,  /* the block reads consecutive rows (the most linear order) */
} tsr_rake;
TSR_API tsr_status tsr_encoding_raked_2d(tsr_encoding *out, tsr_rake rake, int32_t workers,
                                         int32_t warp_size, int32_t y_size, int32_t x_size,
                                         int32_t vector, tsr_layout_error *error);

TSR_API int32_t tsr_encoding_length(const tsr_encoding *encoding, tsr_rh rh);
TSR_API int32_t tsr_encoding_p_length(const tsr_encoding *encoding, uint32_t p);
TSR_API int32_t tsr_encoding_x_length(const tsr_encoding *encoding, uint32_t x);
/* A worker's number as one index per hardware axis, and back. */
TSR_API void tsr_encoding_partition_index(const tsr_encoding *encoding, int32_t worker, int32_t *p);
TSR_API int32_t tsr_encoding_worker(const tsr_encoding *encoding, const int32_t *p);
/* P and Y to X; and P to R: which copy this worker is. */
TSR_API void tsr_encoding_x_index(const tsr_encoding *encoding, const int32_t *p, const int32_t *y,
                                  int32_t *x);
TSR_API void tsr_encoding_r_index(const tsr_encoding *encoding, const int32_t *p, int32_t *r);
/* The slot (the offset in a worker's thread buffer) of a Y index, row-major over the Y lengths. */
TSR_API int32_t tsr_encoding_slot(const tsr_encoding *encoding, const int32_t *y);
/* The span of an X dimension: the Y dimensions that move within it, most significant first. Writes
 * at most `capacity` of them and returns how many there are. */
TSR_API uint32_t tsr_encoding_span(const tsr_encoding *encoding, uint32_t x, uint32_t *y_dims,
                                   uint32_t capacity);

/* ---- Multi-functions ----------------------------------------------------------------------- */

/* A map from an index to a set of numbers: the digits of the index in mode_shape, those that
 * `modes` lists, in that order, read row-major; a negative entry -R stands for every digit below R.
 * The spatial half of a distribution is one; comparing two is how "these workers hold at least
 * what those need" is asked. */
typedef struct tsr_multi {
  uint8_t rank, digits, modes;
  int32_t shape[TSR_LAYOUT_MAX_RANK];
  int32_t mode_shape[TSR_LAYOUT_MAX_MODES]; /* `digits` of them, > 1 in canonical form */
  int32_t mode[TSR_LAYOUT_MAX_MODES];       /* `modes` of them; digits may be left out */
} tsr_multi;

TSR_API tsr_status tsr_multi_make(tsr_multi *out, uint32_t rank, const int32_t *shape,
                                  uint32_t digits, const int32_t *mode_shape, uint32_t modes,
                                  const int32_t *mode, tsr_layout_error *error);
TSR_API tsr_status tsr_multi_identity(tsr_multi *out, uint32_t rank, const int32_t *shape,
                                      tsr_layout_error *error);
/* The workers of a distribution's element. */
TSR_API void tsr_layout_spatial_function(tsr_multi *out, const tsr_layout *layout);
/* Forgets the dimensions `dims`: indices that differ only there get the same set. */
TSR_API tsr_status tsr_multi_collapse(tsr_multi *out, const tsr_multi *f, uint32_t count,
                                      const int32_t *dims, tsr_layout_error *error);
/* x -> the union of g(y) over y in f(x). */
TSR_API tsr_status tsr_multi_product(tsr_multi *out, const tsr_multi *f, const tsr_multi *g,
                                     tsr_layout_error *error);
/* Whether both have the same domain and image size and g(x) is part of f(x) for every x. */
TSR_API bool tsr_multi_cover(const tsr_multi *f, const tsr_multi *g);
TSR_API void tsr_multi_canonicalize(tsr_multi *f);
TSR_API int64_t tsr_multi_size(const tsr_multi *f);
TSR_API int64_t tsr_multi_image_size(const tsr_multi *f);
/* As tsr_layout_get_spatial. */
TSR_API int64_t tsr_multi_call(const tsr_multi *f, const int32_t *index, int32_t *values,
                               int64_t capacity);

/* ---- Linear maps over bits ----------------------------------------------------------------- */

/* A matrix over GF(2): input bit i maps to column[i], and a number to the XOR of the columns of its
 * bits. A distribution whose sizes are powers of two is one, from (slot, worker) to the row-major
 * index: the slot's bits are the low inputs, the worker's follow, copies have zero columns. */
typedef struct tsr_linear {
  uint8_t in, out; /* bits, at most 64 each */
  uint64_t column[64];
} tsr_linear;

TSR_API uint64_t tsr_linear_apply(const tsr_linear *m, uint64_t x);
TSR_API tsr_linear tsr_linear_identity(uint32_t bits);
TSR_API bool tsr_linear_equal(const tsr_linear *a, const tsr_linear *b);
TSR_API uint32_t tsr_linear_rank(const tsr_linear *m);
/* x -> a(b(x)); b's outputs are a's inputs. */
TSR_API tsr_status tsr_linear_product(tsr_linear *out, const tsr_linear *a, const tsr_linear *b,
                                      tsr_layout_error *error);
TSR_API tsr_status tsr_linear_inverse(tsr_linear *out, const tsr_linear *m,
                                      tsr_layout_error *error);
/* An x with m(x) == y, using as few and as low input bits as elimination finds; false if none. */
TSR_API bool tsr_linear_solve(const tsr_linear *m, uint64_t y, uint64_t *x);
/* An X with b(X(x)) == a(x), "b^-1 a"; fails when a reaches outside b's image. */
TSR_API tsr_status tsr_linear_solve_map(tsr_linear *out, const tsr_linear *b, const tsr_linear *a,
                                        tsr_layout_error *error);
/* The q with a == t (+) q: a's first inputs do what t does, the others do not touch t's outputs. */
TSR_API tsr_status tsr_linear_left_divide(tsr_linear *out, const tsr_linear *a, const tsr_linear *t,
                                          tsr_layout_error *error);
/* Bases of the image, of the kernel and of the intersection of two spans; each returns its size,
 * at most 64. */
TSR_API uint32_t tsr_linear_image(const tsr_linear *m, uint64_t basis[64]);
TSR_API uint32_t tsr_linear_kernel(const tsr_linear *m, uint64_t basis[64]);
TSR_API uint32_t tsr_linear_intersection(uint32_t na, const uint64_t *a, uint32_t nb,
                                         const uint64_t *b, uint64_t basis[64]);

/* Fails when a size is no power of two. *slot_bits (may be NULL): how many inputs are the slot's.
 */
TSR_API tsr_status tsr_linear_from_layout(tsr_linear *out, uint32_t *slot_bits,
                                          const tsr_layout *layout, tsr_layout_error *error);
/* Back; fails when the map is no distribution: every column must be a single bit, each used once,
 * or zero for a worker bit. */
TSR_API tsr_status tsr_linear_to_layout(tsr_layout *out, const tsr_linear *m, uint32_t slot_bits,
                                        uint32_t rank, const int32_t *shape,
                                        tsr_layout_error *error);

/* How far the elements of a tile travel when it changes from one distribution to another. */
typedef enum tsr_conversion {
  TSR_CONVERSION_NONE,      /* the same map */
  TSR_CONVERSION_REGISTERS, /* every worker has what it needs, in other slots */
  TSR_CONVERSION_SHUFFLE,   /* some worker of the same warp has it */
  TSR_CONVERSION_SHARED,    /* elements cross warps */
} tsr_conversion;

/* "none", "register permutation", "shuffle", "shared memory". */
TSR_API const char *tsr_conversion_name(tsr_conversion kind);
/* Both over the same shape and number of workers; warps are runs of `warp_size` workers. Takes
 * microseconds when all sizes are powers of two, else time in proportion to workers x slots. */
TSR_API tsr_status tsr_layout_conversion(tsr_conversion *out, const tsr_layout *from,
                                         const tsr_layout *to, int32_t warp_size,
                                         tsr_layout_error *error);

/* A conversion within warps as one round of shuffles. In round r (of 2^round_bits), lane `w` sends
 * its register send(r, w) and receives from lane from(r, w); what it received is its new register
 * keep(r, w), unless keep_if(r, w) is not 0. Each map takes r in the low round_bits and the lane
 * above; numbers of registers and lanes come out. */
typedef struct tsr_shuffle {
  uint8_t round_bits, lane_bits, from_slot_bits, to_slot_bits;
  tsr_linear send, from, keep, keep_if;
} tsr_shuffle;
/* Powers of two only; fails when elements cross warps. */
TSR_API tsr_status tsr_shuffle_factor(tsr_shuffle *out, const tsr_layout *from,
                                      const tsr_layout *to, int32_t warp_size,
                                      tsr_layout_error *error);

/* A shared-memory arrangement for a tile that is stored as one distribution and loaded as another:
 * element offset -> row-major index, a bijection. The low `vector_bits` offset bits are one access,
 * the next `bank_bits` lie in different banks. `store_ways` and `load_ways` are the bank conflicts
 * that remain (1: none), for 32 banks of 4 bytes. After arXiv 2505.23819, section 5.4. */
typedef struct tsr_swizzle {
  tsr_linear offset_to_index, index_to_offset;
  uint8_t vector_bits, bank_bits;
  int32_t store_ways, load_ways;
} tsr_swizzle;
TSR_API tsr_status tsr_swizzle_optimal(tsr_swizzle *out, const tsr_layout *store,
                                       const tsr_layout *load, int32_t element_bits,
                                       int32_t warp_size, tsr_layout_error *error);

/* ---- Memory layouts ------------------------------------------------------------------------ */

/* Where the element of an index lives in memory, in elements: CuTe's layouts. Each dimension is
 * factored into modes (most significant first here; CuTe writes them the other way round) with a
 * stride each; `offset` plus the sum of digit * stride is then swizzled:
 *   offset ^= (offset & (((1 << bits) - 1) << (base + shift))) >> shift */
typedef struct tsr_memory_layout {
  uint8_t rank, modes;
  uint8_t dim_modes[TSR_LAYOUT_MAX_RANK];
  uint8_t swizzle_bits, swizzle_base, swizzle_shift; /* bits 0: none */
  int32_t size[TSR_LAYOUT_MAX_MODES];
  int64_t stride[TSR_LAYOUT_MAX_MODES];
  int64_t
      offset; /* of index 0, before the swizzle: where a slice begins in what it is a slice of */
} tsr_memory_layout;

TSR_API tsr_status tsr_memory_validate(const tsr_memory_layout *memory, tsr_layout_error *error);
/* Dense, the last or the first dimension fastest. */
TSR_API tsr_status tsr_memory_row_major(tsr_memory_layout *out, uint32_t rank, const int32_t *shape,
                                        tsr_layout_error *error);
TSR_API tsr_status tsr_memory_column_major(tsr_memory_layout *out, uint32_t rank,
                                           const int32_t *shape, tsr_layout_error *error);
/* One stride per dimension, in elements. */
TSR_API tsr_status tsr_memory_strided(tsr_memory_layout *out, uint32_t rank, const int32_t *shape,
                                      const int64_t *strides, tsr_layout_error *error);
/* CuTe's Swizzle<bits, base, shift>, in elements; shift >= bits, all below 32. */
TSR_API tsr_status tsr_memory_swizzled(tsr_memory_layout *out, const tsr_memory_layout *memory,
                                       uint32_t bits, uint32_t base, uint32_t shift,
                                       tsr_layout_error *error);
/* The XOR that tensor copies apply to shared memory for a swizzle of 32, 64 or 128 bytes, in units
 * of elements of `element_bits`: bits 4.. of the byte address ^= bits 7.. */
TSR_API tsr_status tsr_memory_tma_swizzled(tsr_memory_layout *out, const tsr_memory_layout *memory,
                                           int32_t swizzle_bytes, int32_t element_bits,
                                           tsr_layout_error *error);
/* The part with indices begin[d] .. end[d] - 1 in dimension d: its elements lie where they lay,
 * `offset` says where the first of them does. Where a dimension has several modes, the range must
 * consist of whole turns of those below the one that it cuts, within one step of those above. */
TSR_API tsr_status tsr_memory_slice(tsr_memory_layout *out, const tsr_memory_layout *memory,
                                    const int32_t *begin, const int32_t *end,
                                    tsr_layout_error *error);
/* The same with a range for each mode, in the order of `size`. A mode of which one digit is left
 * goes, unless it is the last of its dimension. */
TSR_API tsr_status tsr_memory_slice_modes(tsr_memory_layout *out, const tsr_memory_layout *memory,
                                          const int32_t *begin, const int32_t *end,
                                          tsr_layout_error *error);
/* Leaves dimensions of size 1 out. */
TSR_API tsr_status tsr_memory_squeeze(tsr_memory_layout *out, const tsr_memory_layout *memory,
                                      uint32_t count, const int32_t *dims, tsr_layout_error *error);
TSR_API int32_t tsr_memory_dim(const tsr_memory_layout *memory, uint32_t dim);
TSR_API int64_t tsr_memory_offset(const tsr_memory_layout *memory, const int32_t *index);
/* One more than the largest offset. */
TSR_API int64_t tsr_memory_extent(const tsr_memory_layout *memory);
/* Row-major index -> offset, when all sizes and strides are powers of two, strides do not overlap,
 * so that adding is the same as XOR, and index 0 lies at 0. */
TSR_API tsr_status tsr_linear_from_memory(tsr_linear *out, const tsr_memory_layout *memory,
                                          tsr_layout_error *error);

/* ---- Notation ------------------------------------------------------------------------------ */

typedef enum tsr_layout_kind {
  TSR_LAYOUT_DISTRIBUTION,
  TSR_LAYOUT_ENCODING, /* `layout` is set too */
  TSR_LAYOUT_MEMORY,
} tsr_layout_kind;

typedef struct tsr_layout_value {
  tsr_layout_kind kind;
  tsr_layout layout;
  tsr_encoding encoding;
  tsr_memory_layout memory;
} tsr_layout_value;

/* Reads an expression:
 *
 *   local(3, 4).spatial(2, 3)        Tilus: spatial, local (or repeat), column_spatial,
 *                                    column_local, replicated(3, num_workers=4),
 *                                    auto_local_spatial(threads, shape=[...]); the same
 *                                    names as methods compose on the right
 *   reduce(x, dims=[0])              also reduce_to, permute, squeeze, unsqueeze, reshape, flatten,
 *                                    with_shape, concat, compose, divide, left_divide, as functions
 *                                    or methods; x * y composes, x / y divides
 *   RegisterLayout(shape=[6, 12], mode_shape=[3, 2, 4, 3], spatial_modes=[1, 3],
 *                  local_modes=[0, 2])
 *   encoding(Rs=[], Hs=[[2, 2]], Ps=[[(1, 0)]], Ys=[(1, 1)])
 *   thread_raked(256, 64, [64, 64], 8)   workers, warp size, tile, vector; warp_raked, block_raked
 *   (4,(2,4)):(2,(1,8))              CuTe: a memory layout; Sw<3,4,3> o (8,64):(64,1) swizzles it
 *   row_major(8, 64)                 also column_major(8, 64), .swizzle(3, 4, 3),
 *                                    .tma_swizzle(128, 16), .squeeze(0)
 *   (4,(2,4)):(2,(1,8))[1:3, (:, 2)] a slice: a range, or an index, of each dimension or of its
 * modes in CuTe's order; a dimension that has an index goes 8 o (2,8):(2,4)                  a
 * memory layout that begins at offset 8; Sw<3,4,3> o 8 o ... tv(((4,8),(2,2)):((32,1),(16,8)),
 * shape=[16, 8])   CuTe's (thread, value) -> column-major index mma.m16n8k16.C                   a
 * fragment; see tsr_fragment
 *
 * On an error the context's callback is told what was expected and where; `name` is the file name
 * in the message (NULL: "layout"). At most 4,000 bytes. TSR_ERROR_USAGE, without a message, where
 * there is no context. */
TSR_API tsr_status tsr_layout_parse(tsr_context *context, const char *name, const char *text,
                                    size_t length, tsr_layout_value *out);

/* The distribution of one warp (or warp group) that a matrix instruction prescribes for an operand:
 *   mma.m16n8k16.A (.B, .C)          sm_80 mma.sync with 16-bit A and B; also m16n8k8, and with a
 *   mma.m16n8k8.tf32.A               type: tf32 (k4, k8), i8 or f8 (k16, k32), i4 (k32, k64), f64
 *                                    (m8n8k4); m8n8k16.i8
 *   wgmma.m64n128k16.A, .C           n any multiple of 8 up to 256; k8.tf32, k32.i8 or f8 for A
 *   ldmatrix.x4, ldmatrix.x4.trans   also x1, x2 and stmatrix: [matrix, row, column]
 *   mfma.32x32x8.f16.A (.B, .C)      AMD's of gfx90a to gfx950, warps of 64; with several blocks
 *                                    (mfma.32x32x4_2b.f16.A) the first dimension counts them
 *   smfmac.16x16x32.f16.A            sparse: of A the stored elements count, [m, k / 2]; the
 * register of indices has A's layout, two bits for each element wmma.gfx11.w32.16x16x16.f16.A
 * gfx11's and gfx12's, in warps of 32 or 64 (w64); swmmac likewise. On gfx11 a C of 16 bits has one
 * element in each register A is [m, k], B is [k, n], C (and D) is [m, n]. `tessera layout
 * --fragments` lists all. False when there is none of that name. */
TSR_API bool tsr_fragment(tsr_layout *out, const char *name, size_t length);
/* The names tsr_fragment knows, one after the other ("wgmma.m64nNk16.C" stands for all N), NULL at
 * the end. */
TSR_API const char *tsr_fragment_name(uint32_t i);

typedef enum tsr_layout_format {
  TSR_FORMAT_TILUS,  /* RegisterLayout(shape=[6, 12], mode_shape=..., ...); a memory layout as
                        SharedLayout(...), one with an offset as TSR_FORMAT_CUTE */
  TSR_FORMAT_CK,     /* encoding(Rs=[], Hs=[[3, 2], [4, 3]], Ps=..., Ys=...) */
  TSR_FORMAT_CUTE,   /* tv(((3,2),(4,3)):(...), shape=[6, 12]); a memory layout as shape:stride */
  TSR_FORMAT_LINEAR, /* one line per bit */
  TSR_FORMAT_TABLE,  /* the Tilus line and a box per element: worker: slot, or the offset */
  TSR_FORMAT_JSON,
  TSR_FORMAT_CHAIN, /* spatial(3, 1).local(2, 4).spatial(1, 3), as in types of the block level; what
                       is no such chain as TSR_FORMAT_TILUS, memory as TSR_FORMAT_CUTE */
} tsr_layout_format;

typedef struct tsr_layout_print_options {
  size_t struct_size; /* sizeof(tsr_layout_print_options) */
  tsr_layout_format format;
  int32_t warp_size; /* CK: workers are (warp, lane) of this size; 0: one axis */
  bool color;        /* table: ANSI colour by worker */
} tsr_layout_print_options;

/* Writes the text, always terminated when `size` > 0, without a newline at the end, and returns the
 * length it needs, like snprintf. What a format can't say (linear: a size that is no power of two)
 * is said in words in its place. Nothing, and 0, where a pointer is NULL or the options'
 * struct_size is that of no version. */
TSR_API size_t tsr_layout_print(const tsr_layout_value *value,
                                const tsr_layout_print_options *options, char *out, size_t size);

/* ---- Costs --------------------------------------------------------------------------------- */

/* Which lanes of a warp a shared memory serves in one cycle when each asks for 16 bytes. */
typedef enum tsr_lane_groups {
  TSR_LANES_CONSECUTIVE, /* NVIDIA, and AMD's ds_write_b128: runs of lanes that fill all banks once
                          */
  TSR_LANES_LDS_READ,    /* AMD's ds_read_b128, warps of 64: 0-3 with 20-23, 4-7 with 16-19, ... */
} tsr_lane_groups;

typedef struct tsr_cost_options {
  size_t struct_size;      /* sizeof(tsr_cost_options) */
  int32_t element_bits;    /* 8, 16, 32, 64 or 128 */
  int32_t warp_size;       /* 32 or 64 */
  int32_t banks;           /* of 4 bytes: 32 or 64 */
  int32_t max_vector_bits; /* of one lane's access; 0: 128 */
  tsr_lane_groups groups;
  /* A GPU that code is made for ("gfx950"), or NULL. Then warp_size and banks are its own, and
   * lanes are served as its shared memory serves accesses of that width: stores with
   * TSR_LANES_CONSECUTIVE, loads with TSR_LANES_LDS_READ. */
  const char *target;
} tsr_cost_options;

/* What it costs to move a tile between registers and memory. A *request* is one access of one warp;
 * shared memory serves it in *phases*, each a *wavefront* or, where different words lie in one
 * bank, several. All counts are for the whole tile unless said otherwise. */
typedef struct tsr_layout_cost {
  int32_t vector_elements; /* elements of one lane's access */
  int32_t accesses;        /* of one worker */
  int32_t registers;       /* of 32 bits, of one worker */
  int32_t lanes;           /* of one warp: fewer than warp_size when there are fewer workers */
  int64_t requests;
  int64_t sectors;          /* of 32 bytes, touched in global memory */
  int64_t ideal_sectors;    /* that hold the bytes asked for */
  int32_t ways;             /* the worst phase's wavefronts; 1: no bank conflict */
  int64_t wavefronts;       /* in shared memory */
  int64_t ideal_wavefronts; /* without conflicts: the phases */
  /* The first worst phase: which warp and access, the bank, and the lanes that collide there. */
  int32_t worst_warp, worst_access, worst_bank;
  uint8_t worst_lanes[64];
} tsr_layout_cost;

/* Where an index lies, for memory that no tsr_memory_layout describes; in elements, not negative.
 */
typedef int64_t (*tsr_offset_fn)(const void *user, const int32_t *index);

/* Costs of a distribution over a memory layout whose dimensions are at least as large. Takes a
 * microsecond when both are linear maps, since then all requests are alike; else all are counted.
 */
TSR_API tsr_status tsr_layout_cost_of(tsr_layout_cost *out, const tsr_layout *layout,
                                      const tsr_memory_layout *memory,
                                      const tsr_cost_options *options, tsr_layout_error *error);
TSR_API tsr_status tsr_layout_cost_by_offset(tsr_layout_cost *out, const tsr_layout *layout,
                                             tsr_offset_fn offset, const void *user,
                                             const tsr_cost_options *options,
                                             tsr_layout_error *error);
/* The same in words, several lines; as tsr_layout_print. */
TSR_API size_t tsr_layout_cost_explain(const tsr_layout_cost *cost, const tsr_cost_options *options,
                                       char *out, size_t size);
/* The CuTe swizzle of `memory` with the fewest bank conflicts for a store and a load (either may be
 * NULL); the least swizzle that reaches it. Returns memory unchanged where none is better. */
TSR_API tsr_status tsr_memory_propose_swizzle(tsr_memory_layout *out,
                                              const tsr_memory_layout *memory,
                                              const tsr_layout *store, const tsr_layout *load,
                                              const tsr_cost_options *options,
                                              tsr_layout_error *error);
/* Elements of A and B loaded from global memory per element of C, for a block that makes a
 * tile_m x tile_n tile from k-long rows: k * (1 / tile_m + 1 / tile_n). */
TSR_API double tsr_gemm_loads_per_output(int64_t tile_m, int64_t tile_n, int64_t k);

/* The wavefronts of the phase in which each element is read or written, for a picture: how busy its
 * bank is, 1 when it waits for nobody. `ways` has one entry per element, row-major. */
TSR_API tsr_status tsr_layout_conflict_map(int32_t *ways, size_t count, const tsr_layout *layout,
                                           const tsr_memory_layout *memory,
                                           const tsr_cost_options *options,
                                           tsr_layout_error *error);

/* ---- Pictures ------------------------------------------------------------------------------ */

typedef enum tsr_svg_color {
  TSR_SVG_BY_OWNER, /* the worker; in memory layouts the bank, for 4-byte elements */
  TSR_SVG_BY_SLOT,
  TSR_SVG_BY_HEAT, /* the conflict map */
} tsr_svg_color;

typedef struct tsr_svg_options {
  size_t struct_size; /* sizeof(tsr_svg_options) */
  tsr_svg_color color;
  int32_t arrows_of;   /* the worker whose slots are joined by arrows in their order; -1: none */
  const int32_t *heat; /* of tsr_layout_conflict_map; NULL: none */
  const char *title;   /* NULL: the layout's line */
} tsr_svg_options;

/* The grid as an SVG picture, a cell per element with "worker:slot" or the offset. As
 * tsr_layout_print; at most 65,536 cells are drawn, else the picture says so. */
TSR_API size_t tsr_layout_svg(const tsr_layout_value *value, const tsr_svg_options *options,
                              char *out, size_t size);
/* The same picture as a PNG file with two pixels to each unit of the SVG's. Writes its first `size`
 * bytes at most and returns how many it has. Takes memory for a band of rows while it runs, 16 MiB
 * or one row, and returns 0 where there is none. */
TSR_API size_t tsr_layout_png(const tsr_layout_value *value, const tsr_svg_options *options,
                              void *out, size_t size);

#ifdef __cplusplus
}
#endif
#endif
