/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Buffers, views, windows and distributed tiles: the memory side of CK Tile, run on the host over a
 * block of workers that take their turns. It shows what a distribution and a descriptor do to data,
 * and how many accesses that takes.
 *
 *   buffer view ──descriptor──► tensor view ──origin, encoding──► window ──load──► tile
 *
 * Elements travel as patterns (see <tessera/elem.h>). A tile's values lie in the caller's memory,
 * one uint64_t per slot of every worker. Nothing is allocated; views keep pointers to what they
 * were made of. One thread at a time may write to a buffer or a tile.
 */
#ifndef TESSERA_WINDOW_H
#define TESSERA_WINDOW_H

#include <tessera/descriptor.h>
#include <tessera/elem.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tsr_space {
  TSR_SPACE_GENERIC,
  TSR_SPACE_GLOBAL,
  TSR_SPACE_LDS,
  TSR_SPACE_SGPR,
  TSR_SPACE_VGPR,
} tsr_space;

typedef enum tsr_memory_operation {
  TSR_MEMORY_SET,
  TSR_MEMORY_ADD, /* on the host, atomic or not is the same */
  TSR_MEMORY_ATOMIC_ADD,
  TSR_MEMORY_ATOMIC_MAX, /* integers signed; a NaN loses */
} tsr_memory_operation;

/* ---- Buffers -------------------------------------------------------------------------------- */

/* `count` elements at `data`. What lies outside, or is asked for as invalid, reads as `invalid` and
 * is not written. */
typedef struct tsr_buffer_view {
  void *data;
  int64_t count;
  tsr_elem elem;
  tsr_space space;
  uint64_t invalid; /* a pattern; 0 is the number zero in every format but f8E8M0FNU */
} tsr_buffer_view;

TSR_API tsr_buffer_view tsr_buffer_view_make(void *data, tsr_elem elem, int64_t count,
                                             tsr_space space);
/* `width` neighbours from element `index` + `offset` on. Each is checked by itself, so that a
 * vector that reaches over the end has the elements before it. */
TSR_API void tsr_buffer_get(const tsr_buffer_view *b, int64_t index, int64_t offset, bool valid,
                            uint32_t width, uint64_t *patterns);
TSR_API void tsr_buffer_set(const tsr_buffer_view *b, int64_t index, int64_t offset, bool valid,
                            uint32_t width, const uint64_t *patterns);
TSR_API void tsr_buffer_update(const tsr_buffer_view *b, tsr_memory_operation operation,
                               int64_t index, int64_t offset, bool valid, uint32_t width,
                               const uint64_t *patterns);

/* ---- Tensor views --------------------------------------------------------------------------- */

/* A buffer seen through a descriptor. */
typedef struct tsr_tensor_view {
  tsr_buffer_view buffer;
  const tsr_descriptor *descriptor;
} tsr_tensor_view;

/* `width` neighbours in memory from a coordinate on; padding reads as the buffer's invalid value.
 */
TSR_API void tsr_tensor_get(const tsr_tensor_view *view, const tsr_coordinate *at, uint32_t width,
                            uint64_t *patterns);
TSR_API void tsr_tensor_update(const tsr_tensor_view *view, tsr_memory_operation operation,
                               const tsr_coordinate *at, uint32_t width, const uint64_t *patterns);

/* ---- Distributed tiles ----------------------------------------------------------------------- */

/* A tile spread over a block: value (worker, slot) at values[worker * slots + slot]. */
typedef struct tsr_tile {
  const tsr_encoding *encoding;
  tsr_elem elem;
  int32_t workers, slots;
  uint64_t *values;
} tsr_tile;

/* How many values a tile of this encoding has. */
TSR_API int64_t tsr_tile_values(const tsr_encoding *encoding);
/* `values` has room for `count` of them and lives as long as the tile. */
TSR_API tsr_status tsr_tile_make(tsr_tile *out, const tsr_encoding *encoding, tsr_elem elem,
                                 uint64_t *values, int64_t count, tsr_layout_error *error);
TSR_API void tsr_tile_fill(const tsr_tile *tile, uint64_t pattern);
TSR_API uint64_t tsr_tile_get(const tsr_tile *tile, int32_t worker, const int32_t *y);
TSR_API void tsr_tile_set(const tsr_tile *tile, int32_t worker, const int32_t *y, uint64_t pattern);
/* The Y box [origin, origin + lengths) of every worker, row-major, `count` values per worker. */
TSR_API void tsr_tile_get_slice(const tsr_tile *tile, int32_t worker, const int32_t *origin,
                                const int32_t *lengths, uint64_t *patterns);
TSR_API void tsr_tile_set_slice(const tsr_tile *tile, int32_t worker, const int32_t *origin,
                                const int32_t *lengths, const uint64_t *patterns);
/* Calls `visit` for every value: worker by worker, in the order of the spans (X0's Y dimensions
 * outermost). The value may be changed. */
typedef void (*tsr_tile_visit)(void *user, int32_t worker, const int32_t *y, const int32_t *x,
                               uint64_t *pattern);
TSR_API void tsr_tile_sweep(const tsr_tile *tile, tsr_tile_visit visit, void *user);
/* Element by element over tiles of one encoding's sizes: out = fn(a) or fn(a, b); b may be NULL. */
typedef uint64_t (*tsr_tile_function)(void *user, uint64_t a, uint64_t b);
TSR_API tsr_status tsr_tile_elementwise(const tsr_tile *out, const tsr_tile *a, const tsr_tile *b,
                                        tsr_tile_function fn, void *user, tsr_layout_error *error);
/* Converts each value by way of a double (integers beyond 2^53 lose low bits), rounding to nearest
 * even; both tiles have the same sizes. */
TSR_API tsr_status tsr_tile_cast(const tsr_tile *out, const tsr_tile *in, tsr_layout_error *error);
/* The same tile under an encoding that orders its slots differently; workers keep their elements.
 */
TSR_API tsr_status tsr_tile_shuffle(const tsr_tile *out, const tsr_tile *in,
                                    tsr_layout_error *error);

/* ---- Windows -------------------------------------------------------------------------------- */

/* A tile-sized view of a tensor at an origin, spread by an encoding. Each worker reads its part in
 * vectors along one Y dimension, in a snake over the others. */
typedef struct tsr_tile_window {
  tsr_tensor_view view;
  const tsr_encoding *encoding;
  int64_t origin[TSR_DESCRIPTOR_MAX_DIMS];
  uint32_t vector_dim; /* the Y dimension of a vector */
  int32_t scalars_per_vector;
  tsr_curve curve; /* over Y; its accesses are those of one worker */
} tsr_tile_window;

/* The window's lengths are the encoding's X lengths. The vector is as wide as a Y dimension lies
 * without gaps in memory and `max_vector` (elements, 0: 16 bytes' worth) allows. */
TSR_API tsr_status tsr_tile_window_make(tsr_tile_window *out, const tsr_tensor_view *view,
                                        const int64_t *origin, const tsr_encoding *encoding,
                                        int32_t max_vector, tsr_layout_error *error);
TSR_API void tsr_tile_window_move(tsr_tile_window *window, const int64_t *step);
TSR_API void tsr_tile_window_set_origin(tsr_tile_window *window, const int64_t *origin);
/* The tile's encoding must have the window's lengths P and Y. What lies outside the tensor reads as
 * the buffer's invalid value and is not written. */
TSR_API tsr_status tsr_tile_window_load(const tsr_tile_window *window, const tsr_tile *tile,
                                        tsr_layout_error *error);
TSR_API tsr_status tsr_tile_window_update(const tsr_tile_window *window,
                                          tsr_memory_operation operation, const tsr_tile *tile,
                                          tsr_layout_error *error);
TSR_API tsr_status tsr_tile_window_store(const tsr_tile_window *window, const tsr_tile *tile,
                                         tsr_layout_error *error);
/* Rows taken from a list: index rows[x0] in place of origin + x0 in dimension 0. `count` is the
 * window's first length; a row below 0 is invalid. */
TSR_API tsr_status tsr_tile_window_gather(const tsr_tile_window *window, const int64_t *rows,
                                          int64_t count, const tsr_tile *tile,
                                          tsr_layout_error *error);
TSR_API tsr_status tsr_tile_window_scatter(const tsr_tile_window *window,
                                           tsr_memory_operation operation, const int64_t *rows,
                                           int64_t count, const tsr_tile *tile,
                                           tsr_layout_error *error);

#ifdef __cplusplus
}
#endif
#endif
