/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * CK Tile's vocabulary for kernels of the block level: views of tensors, windows of tiles that move
 * over them, tiles distributed by an encoding. It is a layer over tessera/block.h: each function
 * adds a few operations, and everything of that header may stand between.
 *
 *   tsr_layout rows = tsr_block_distribution(
 *       b, "encoding(Rs=[], Hs=[[4, 2, 8, 4], [4, 2, 8, 4]], Ps=[[(1, 1), (2, 1)], [(1, 2), (2,
 * 2)]]," " Ys=[(1, 0), (1, 3), (2, 0), (2, 3)])"); tsr_value x = tsr_block_tensor_view(b, pointer,
 * TSR_VALUES(m, n), TSR_VALUES(n, one)); tsr_block_window w = tsr_block_tile_window(b, x,
 * TSR_VALUES(row, zero), &rows); tsr_value tile = tsr_block_load_tile(b, &w);
 *   tsr_block_move_tile_window(b, &w, TSR_VALUES(zero, step));
 *
 *   CK Tile                                here
 *   tile_distribution_encoding             tsr_block_distribution
 *   make_naive_tensor_view                 tsr_block_tensor_view
 *   a view of LDS through a descriptor     tsr_block_lds_view
 *   make_tile_window                       tsr_block_tile_window, tsr_block_lds_window
 *   move_tile_window                       tsr_block_move_tile_window
 *   make_static_distributed_tensor, clear  tsr_block_filled_tile
 *   load_tile, store_tile                  tsr_block_load_tile, tsr_block_store_tile
 *   async_load_tile                        tsr_block_async_load_tile
 *   block_sync_lds                         tsr_build_barrier
 *   block_sync_lds_direct_load             tsr_block_sync_async
 *   sweep_tile                             tsr_block_sweep_tile
 *   cast_tile                              tsr_block_cast_tile
 *   block_tile_reduce, and its broadcast   tsr_block_reduce_tile, tsr_block_spread_tile
 *   WarpGemm and its warps, BlockGemm      tsr_block_gemm_distribution, tsr_block_gemm
 *   the CShuffle epilogue                  tsr_block_epilogue_store
 *   workgroup_barrier                      tsr_block_semaphore_wait, _lock, _release
 *
 * A tile is a value: what changes one gives another. A window is a plain struct of C that may be
 * copied, so that moving a copy inside of a loop leaves the original where it is; what a loop
 * carries from one iteration to the next are values (tsr_build_for).
 *
 * Errors, ownership and threads are as in tessera/build.h: what is wrong is reported with the line
 * that called, and what is made of it is left out silently. Distributions and descriptors are
 * copied. (These are functions; the macros add where they are called.)
 */
#ifndef TESSERA_BLOCK_TILE_H
#define TESSERA_BLOCK_TILE_H

#include <tessera/block.h>
#include <tessera/descriptor.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A part of a tensor in global memory, or of shared memory, in the size of a tile. */
typedef struct tsr_block_window {
  tsr_value storage; /* a tensor view or shared memory; NULL: something was wrong */
  tsr_value origin[TSR_LAYOUT_MAX_RANK]; /* of global memory: signed, in elements */
  tsr_layout distribution;               /* which thread loads, stores and copies which element */
  bool distributed;                      /* false: the layout of what is loaded is left out */
} tsr_block_window;

/* ---- views and windows ---------------------------------------------------------------------- */

/* tsr_layout tsr_block_distribution(tsr_builder *b, const char *text)
 *
 * A distribution in any notation of tsr_layout_parse. */
#define tsr_block_distribution(...) tsr_block_distribution_at(__FILE__, __LINE__, __VA_ARGS__)

/* tsr_value tsr_block_tensor_view(tsr_builder *b, tsr_value pointer, tsr_values lengths,
 *                                 tsr_values strides)
 *
 * Global memory with so many elements along each dimension and so far apart. What is a constant
 * becomes part of the type: a stride of 1 should be one. */
#define tsr_block_tensor_view(...) tsr_block_tensor_view_at(__FILE__, __LINE__, __VA_ARGS__)

/* tsr_value tsr_block_lds_view(tsr_builder *b, tsr_elem elem, int64_t slots,
 *                              const tsr_descriptor *descriptor)
 *
 * New shared memory that lies as the descriptor says (tsr_memory_from_descriptor): packed, padded
 * rows, XOR preshuffle, Morton order. `slots` of them one after the other, in a dimension of their
 * own in front; 0: one without that dimension. */
#define tsr_block_lds_view(...) tsr_block_lds_view_at(__FILE__, __LINE__, __VA_ARGS__)

/* tsr_block_window tsr_block_tile_window(tsr_builder *b, tsr_value view, tsr_values origin,
 *                                        const tsr_layout *distribution)
 * tsr_block_window tsr_block_lds_window(tsr_builder *b, tsr_value lds, tsr_value slot,
 *                                       const tsr_layout *distribution)
 *
 * The window of a tensor view whose lengths are the distribution's; and all of shared memory, or
 * one slot of it where `slot` is not NULL. There `distribution` may be NULL, which leaves it to
 * what is done with the tile. */
#define tsr_block_tile_window(...) tsr_block_tile_window_at(__FILE__, __LINE__, __VA_ARGS__)
#define tsr_block_lds_window(...)  tsr_block_lds_window_at(__FILE__, __LINE__, __VA_ARGS__)

/* void tsr_block_move_tile_window(tsr_builder *b, tsr_block_window *window, tsr_values step)
 *
 * Adds to the origin of a window of global memory. */
#define tsr_block_move_tile_window(...)                                                            \
  tsr_block_move_tile_window_at(__FILE__, __LINE__, __VA_ARGS__)

/* ---- tiles ---------------------------------------------------------------------------------- */

/* tsr_value tsr_block_filled_tile(tsr_builder *b, tsr_elem elem, const tsr_layout *distribution,
 *                                 double number) */
#define tsr_block_filled_tile(...) tsr_block_filled_tile_at(__FILE__, __LINE__, __VA_ARGS__)

/* tsr_value tsr_block_load_tile(tsr_builder *b, const tsr_block_window *window)
 * tsr_op *tsr_block_store_tile(tsr_builder *b, const tsr_block_window *window, tsr_value tile)
 *
 * What lies outside of a tensor is loaded as 0 and not stored. */
#define tsr_block_load_tile(...)  tsr_block_load_tile_at(__FILE__, __LINE__, __VA_ARGS__)
#define tsr_block_store_tile(...) tsr_block_store_tile_at(__FILE__, __LINE__, __VA_ARGS__)

/* tsr_op *tsr_block_async_load_tile(tsr_builder *b, const tsr_block_window *lds,
 *                                   const tsr_block_window *window)
 *
 * Begins to copy a window of global memory to shared memory, each element by the thread that the
 * window's distribution names. tsr_build_cp_async_commit closes a set of copies. */
#define tsr_block_async_load_tile(...) tsr_block_async_load_tile_at(__FILE__, __LINE__, __VA_ARGS__)

/* tsr_op *tsr_block_sync_async(tsr_builder *b, int64_t pending)
 *
 * Waits for all but the last `pending` sets, and for the other threads: cp_async_wait, barrier. */
#define tsr_block_sync_async(...) tsr_block_sync_async_at(__FILE__, __LINE__, __VA_ARGS__)

/* tsr_value tsr_block_sweep_tile(tsr_builder *b, tsr_value tile, tsr_block_element element,
 *                                void *user)
 *
 * The tile of what `element` makes of each element. It is called once, with tiles in the tile's
 * distribution: the elements, and for each dimension their index in it (i32). It may use any
 * element-wise operation. */
typedef tsr_value (*tsr_block_element)(tsr_builder *b, tsr_value element, tsr_values index,
                                       void *user);
#define tsr_block_sweep_tile(...) tsr_block_sweep_tile_at(__FILE__, __LINE__, __VA_ARGS__)

/* tsr_value tsr_block_cast_tile(tsr_builder *b, tsr_value tile, tsr_elem elem)
 *
 * Another element type, rounded to nearest even; integers are signed. */
#define tsr_block_cast_tile(...) tsr_block_cast_tile_at(__FILE__, __LINE__, __VA_ARGS__)

/* tsr_value tsr_block_reduce_tile(tsr_builder *b, tsr_value tile, int64_t dim,
 *                                 tsr_block_reduction reduction)
 *
 * Combines along a dimension, across all threads: the result is without it, and every thread that
 * had a part has the result (tsr_layout_reduce). */
typedef enum tsr_block_reduction {
  TSR_BLOCK_SUM,
  TSR_BLOCK_MAX, /* integers signed; a NaN loses */
  TSR_BLOCK_MIN,
} tsr_block_reduction;
#define tsr_block_reduce_tile(...) tsr_block_reduce_tile_at(__FILE__, __LINE__, __VA_ARGS__)

/* tsr_value tsr_block_spread_tile(tsr_builder *b, tsr_value tile, int64_t dim, tsr_value like)
 *
 * The reverse: repeats a tile along a dimension that it does not have, to the sizes and in the
 * distribution of `like`, of which it must have the rest (tsr_layout_reduce of `dim`). */
#define tsr_block_spread_tile(...) tsr_block_spread_tile_at(__FILE__, __LINE__, __VA_ARGS__)

/* ---- products ------------------------------------------------------------------------------- */

/* tsr_layout tsr_block_gemm_distribution(tsr_builder *b, const char *warp_gemm, int32_t m,
 *                                        int32_t n, int32_t warps_m, int32_t warps_n)
 *
 * Of an accumulator of m rows and n columns that warps_m times warps_n warps share, each a
 * rectangle of results of a matrix instruction: "mma.m16n8k16" (`tessera layout --fragments`). */
#define tsr_block_gemm_distribution(...)                                                           \
  tsr_block_gemm_distribution_at(__FILE__, __LINE__, __VA_ARGS__)

/* tsr_value tsr_block_gemm(tsr_builder *b, const tsr_block_window *lhs,
 *                          const tsr_block_window *rhs, tsr_value acc)
 *
 * acc + lhs * transpose(rhs), of windows of shared memory: rows of lhs are [m, k], and those of rhs
 * [n, k], as CK Tile has them. Their sizes are powers of two. Each thread loads what the
 * accumulator's distribution makes it multiply. */
#define tsr_block_gemm(...) tsr_block_gemm_at(__FILE__, __LINE__, __VA_ARGS__)

/* tsr_op *tsr_block_epilogue_store(tsr_builder *b, const tsr_block_window *window, tsr_value acc)
 *
 * Rounds the tile to the elements of the window, hands it to the threads that the window's
 * distribution names (through shared memory, where it has to), and stores it. */
#define tsr_block_epilogue_store(...) tsr_block_epilogue_store_at(__FILE__, __LINE__, __VA_ARGS__)

/* ---- tile blocks that wait for each other --------------------------------------------------- */

/* void tsr_block_semaphore_wait(tsr_builder *b, tsr_value semaphore, tsr_value value)
 * void tsr_block_semaphore_lock(tsr_builder *b, tsr_value semaphore)
 * void tsr_block_semaphore_release(tsr_builder *b, tsr_value semaphore, tsr_value value)
 *
 * Of a word (a pointer to an i32) in global memory: waits until it has the value; until it is 0,
 * and makes it 1; gives it a value. What a tile block did before it released the word is seen by
 * the one that has waited for that. All threads of the group take part: a barrier follows the waits
 * and precedes the release. Who waits for a tile block that begins only when this one has ended
 * waits forever. */
#define tsr_block_semaphore_wait(...) tsr_block_semaphore_wait_at(__FILE__, __LINE__, __VA_ARGS__)
#define tsr_block_semaphore_lock(...) tsr_block_semaphore_lock_at(__FILE__, __LINE__, __VA_ARGS__)
#define tsr_block_semaphore_release(...)                                                           \
  tsr_block_semaphore_release_at(__FILE__, __LINE__, __VA_ARGS__)

/* ---- behind the macros ---------------------------------------------------------------------- */

TSR_API tsr_layout tsr_block_distribution_at(const char *file, unsigned line, tsr_builder *b,
                                             const char *text);
TSR_API tsr_value tsr_block_tensor_view_at(const char *file, unsigned line, tsr_builder *b,
                                           tsr_value pointer, tsr_values lengths,
                                           tsr_values strides);
TSR_API tsr_value tsr_block_lds_view_at(const char *file, unsigned line, tsr_builder *b,
                                        tsr_elem elem, int64_t slots,
                                        const tsr_descriptor *descriptor);
TSR_API tsr_block_window tsr_block_tile_window_at(const char *file, unsigned line, tsr_builder *b,
                                                  tsr_value view, tsr_values origin,
                                                  const tsr_layout *distribution);
TSR_API tsr_block_window tsr_block_lds_window_at(const char *file, unsigned line, tsr_builder *b,
                                                 tsr_value lds, tsr_value slot,
                                                 const tsr_layout *distribution);
TSR_API void tsr_block_move_tile_window_at(const char *file, unsigned line, tsr_builder *b,
                                           tsr_block_window *window, tsr_values step);
TSR_API tsr_value tsr_block_filled_tile_at(const char *file, unsigned line, tsr_builder *b,
                                           tsr_elem elem, const tsr_layout *distribution,
                                           double number);
TSR_API tsr_value tsr_block_load_tile_at(const char *file, unsigned line, tsr_builder *b,
                                         const tsr_block_window *window);
TSR_API tsr_op *tsr_block_store_tile_at(const char *file, unsigned line, tsr_builder *b,
                                        const tsr_block_window *window, tsr_value tile);
TSR_API tsr_op *tsr_block_async_load_tile_at(const char *file, unsigned line, tsr_builder *b,
                                             const tsr_block_window *lds,
                                             const tsr_block_window *window);
TSR_API tsr_op *tsr_block_sync_async_at(const char *file, unsigned line, tsr_builder *b,
                                        int64_t pending);
TSR_API tsr_value tsr_block_sweep_tile_at(const char *file, unsigned line, tsr_builder *b,
                                          tsr_value tile, tsr_block_element element, void *user);
TSR_API tsr_value tsr_block_cast_tile_at(const char *file, unsigned line, tsr_builder *b,
                                         tsr_value tile, tsr_elem elem);
TSR_API tsr_value tsr_block_reduce_tile_at(const char *file, unsigned line, tsr_builder *b,
                                           tsr_value tile, int64_t dim,
                                           tsr_block_reduction reduction);
TSR_API tsr_value tsr_block_spread_tile_at(const char *file, unsigned line, tsr_builder *b,
                                           tsr_value tile, int64_t dim, tsr_value like);
TSR_API tsr_layout tsr_block_gemm_distribution_at(const char *file, unsigned line, tsr_builder *b,
                                                  const char *warp_gemm, int32_t m, int32_t n,
                                                  int32_t warps_m, int32_t warps_n);
TSR_API tsr_value tsr_block_gemm_at(const char *file, unsigned line, tsr_builder *b,
                                    const tsr_block_window *lhs, const tsr_block_window *rhs,
                                    tsr_value acc);
TSR_API tsr_op *tsr_block_epilogue_store_at(const char *file, unsigned line, tsr_builder *b,
                                            const tsr_block_window *window, tsr_value acc);
TSR_API void tsr_block_semaphore_wait_at(const char *file, unsigned line, tsr_builder *b,
                                         tsr_value semaphore, tsr_value value);
TSR_API void tsr_block_semaphore_lock_at(const char *file, unsigned line, tsr_builder *b,
                                         tsr_value semaphore);
TSR_API void tsr_block_semaphore_release_at(const char *file, unsigned line, tsr_builder *b,
                                            tsr_value semaphore, tsr_value value);

#ifdef __cplusplus
}
#endif

#endif
