/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * CK Tile's distributed tiles: loads and stores of windows, sweeps, reductions, products.
 */
#include <math.h>
#include <stdio.h>

#include "ir/block/layouts.h"
#include "ir/build/block_tile.h"

static bool is_shared(const tsr_block_window *w) {
  return w->storage->type->kind == IR_SHARED;
}

static tsr_values origin_of(const tsr_block_window *w) {
  return (tsr_values){w->origin, w->storage->type->rank};
}

/* The call has a window; where it has none, that was said before or is said here. */
static bool has_window(caller c, const char *function, const tsr_block_window *w) {
  if (!caller_goes_on(c)) return false;
  if (w && w->storage) return true;
  caller_error(c, "%s: the window is missing", function);
  return false;
}

/* The call has a tile with a distribution. */
static bool has_tile(caller c, const char *function, tsr_value v) {
  if (!caller_goes_on(c)) return false;
  if (v && v->type->kind == IR_TILE && v->type->layout) return true;
  caller_error(c, "%s: expected a tile with a distribution", function);
  return false;
}

/* ---- loads and stores ----------------------------------------------------------------------- */

static tsr_type tile_of(caller c, const tsr_block_window *w) {
  const ir_type *t = w->storage->type;
  if (w->distributed) return tsr_type_distributed(c.b, (tsr_elem)t->elem, &w->distribution);
  return tsr_type_tile(c.b, (tsr_elem)t->elem, (tsr_ints){t->shape, t->rank});
}

tsr_value tsr_block_filled_tile_at(const char *file, unsigned line, tsr_builder *b, tsr_elem elem,
                                   const tsr_layout *distribution, double number) {
  caller c = CALLER;
  if (!caller_goes_on(c)) return NULL;
  return tsr_build_real_at(file, line, b, tsr_type_distributed(b, elem, distribution), number);
}

tsr_value tsr_block_load_tile_at(const char *file, unsigned line, tsr_builder *b,
                                 const tsr_block_window *w) {
  caller c = CALLER;
  if (!has_window(c, "tsr_block_load_tile", w)) return NULL;
  if (is_shared(w)) return BUILD_VALUE(load_shared, c.b, w->storage, tile_of(c, w));
  return BUILD_VALUE(load_global, c.b, w->storage, origin_of(w), tile_of(c, w));
}

tsr_op *tsr_block_store_tile_at(const char *file, unsigned line, tsr_builder *b,
                                const tsr_block_window *w, tsr_value tile) {
  caller c = CALLER;
  if (!has_window(c, "tsr_block_store_tile", w)) return NULL;
  if (is_shared(w)) return BUILD_OP(store_shared, c.b, tile, w->storage);
  return BUILD_OP(store_global, c.b, tile, w->storage, origin_of(w));
}

tsr_op *tsr_block_async_load_tile_at(const char *file, unsigned line, tsr_builder *b,
                                     const tsr_block_window *lds, const tsr_block_window *w) {
  caller c = CALLER;
  if (!has_window(c, "tsr_block_async_load_tile", lds) ||
      !has_window(c, "tsr_block_async_load_tile", w))
    return NULL;
  if (!is_shared(lds) || is_shared(w)) {
    caller_error(c, "tsr_block_async_load_tile: expected a window of shared memory, then one of "
                    "global memory");
    return NULL;
  }
  return BUILD_OP(cp_async, c.b, w->storage, origin_of(w), lds->storage, &w->distribution);
}

tsr_op *tsr_block_sync_async_at(const char *file, unsigned line, tsr_builder *b, int64_t pending) {
  caller c = CALLER;
  if (!caller_goes_on(c)) return NULL;
  BUILD_OP(cp_async_wait, c.b, pending);
  return BUILD_OP(barrier, c.b);
}

/* ---- dimensions ----------------------------------------------------------------------------- */

/* The distribution of a tile without these dimensions, or with size 1 there. */
static bool reduced(caller c, const char *function, tsr_value tile, uint32_t count,
                    const int32_t *dims, bool keep, tsr_layout *out) {
  tsr_layout_error e;
  return caller_accepts(c, function,
                        tsr_layout_reduce(out, tile->type->layout, count, dims, keep, &e), &e);
}

/* The index of each element along one dimension. */
static tsr_value index_along(caller c, tsr_value tile, unsigned dim) {
  static const char name[] = "tsr_block_sweep_tile";
  int32_t others[TSR_LAYOUT_MAX_RANK];
  uint32_t n = 0;
  tsr_layout line, kept;
  for (unsigned d = 0; d < tile->type->rank; d++)
    if (d != dim) others[n++] = (int32_t)d;
  if (!reduced(c, name, tile, n, others, false, &line) ||
      !reduced(c, name, tile, n, others, true, &kept))
    return NULL;
  tsr_value at = BUILD_VALUE(iota, c.b, tsr_type_distributed(c.b, TSR_I32, &line));
  at = BUILD_VALUE(reshape, c.b, at, tsr_type_distributed(c.b, TSR_I32, &kept));
  return BUILD_VALUE(broadcast, c.b, at, tsr_type_with_elem(c.b, tile->type, TSR_I32));
}

tsr_value tsr_block_sweep_tile_at(const char *file, unsigned line, tsr_builder *b, tsr_value tile,
                                  tsr_block_element element, void *user) {
  caller c = CALLER;
  tsr_value index[TSR_LAYOUT_MAX_RANK];
  if (!has_tile(c, "tsr_block_sweep_tile", tile)) return NULL;
  for (unsigned d = 0; d < tile->type->rank; d++) index[d] = index_along(c, tile, d);
  return element(b, tile, (tsr_values){index, tile->type->rank}, user);
}

/* A dimension of the tile. */
static bool has_dim(caller c, const char *function, tsr_value tile, int64_t dim) {
  if (!has_tile(c, function, tile)) return false;
  if (dim >= 0 && dim < tile->type->rank) return true;
  caller_error(c, "%s: dimension %lld of a tile of rank %u", function, (long long)dim,
               tile->type->rank);
  return false;
}

tsr_value tsr_block_spread_tile_at(const char *file, unsigned line, tsr_builder *b, tsr_value tile,
                                   int64_t dim, tsr_value like) {
  caller c = CALLER;
  tsr_layout kept;
  int32_t along = (int32_t)dim;
  if (!has_tile(c, "tsr_block_spread_tile", tile) ||
      !has_dim(c, "tsr_block_spread_tile", like, dim) ||
      !reduced(c, "tsr_block_spread_tile", like, 1, &along, true, &kept))
    return NULL;
  tsr_elem elem = (tsr_elem)tile->type->elem;
  tsr_value one = BUILD_VALUE(reshape, c.b, tile, tsr_type_distributed(b, elem, &kept));
  return BUILD_VALUE(broadcast, c.b, one, tsr_type_with_elem(b, like->type, elem));
}

/* ---- reductions ----------------------------------------------------------------------------- */

static tsr_value combine(caller c, tsr_value x, tsr_value y, bool real, tsr_block_reduction how) {
  switch (how) {
  case TSR_BLOCK_SUM: return real ? BUILD_VALUE(addf, c.b, x, y) : BUILD_VALUE(addi, c.b, x, y);
  case TSR_BLOCK_MAX:
    return real ? BUILD_VALUE(maxf, c.b, x, y) : BUILD_VALUE(maxi, c.b, x, y, TSR_SIGNED);
  default: return real ? BUILD_VALUE(minf, c.b, x, y) : BUILD_VALUE(mini, c.b, x, y, TSR_SIGNED);
  }
}

/* What changes no number that it is combined with. */
static tsr_scalar identity_of(tsr_elem elem, bool real, tsr_block_reduction how) {
  double sign = how == TSR_BLOCK_MAX ? -1 : 1;
  if (how == TSR_BLOCK_SUM) return real ? tsr_scalar_real(elem, -0.0) : tsr_scalar_int(elem, 0);
  if (real) return tsr_scalar_real(elem, sign * (double)INFINITY);
  int64_t lowest = INT64_MIN >> (64 - tsr_elem_bits(elem));
  return tsr_scalar_int(elem, how == TSR_BLOCK_MAX ? lowest : ~lowest);
}

tsr_value tsr_block_reduce_tile_at(const char *file, unsigned line, tsr_builder *b, tsr_value tile,
                                   int64_t dim, tsr_block_reduction how) {
  caller c = CALLER;
  if (!has_dim(c, "tsr_block_reduce_tile", tile, dim)) return NULL;
  tsr_elem elem = (tsr_elem)tile->type->elem;
  bool real = tsr_elem_is_float(elem);
  tsr_op *op =
      BUILD_OP(reduce, c.b, TSR_VALUES(tile), dim, TSR_SCALARS(identity_of(elem, real, how)));
  tsr_value x = tsr_build_arg_at(file, line, b, 0), y = tsr_build_arg_at(file, line, b, 1);
  BUILD_OP(yield, c.b, TSR_VALUES(combine(c, x, y, real, how)));
  tsr_build_end_at(file, line, b);
  return op ? tsr_op_result(op, 0) : NULL;
}

/* ---- casts ---------------------------------------------------------------------------------- */

static tsr_value cast(caller c, tsr_value tile, tsr_elem from, tsr_elem to) {
  tsr_type t = tsr_type_with_elem(c.b, tile->type, to);
  if (tsr_elem_is_float(from))
    return tsr_elem_is_float(to) ? BUILD_VALUE(ftof, c.b, tile, t)
                                 : BUILD_VALUE(ftoi, c.b, tile, TSR_SIGNED, t);
  if (tsr_elem_is_float(to)) return BUILD_VALUE(itof, c.b, tile, TSR_SIGNED, t);
  return tsr_elem_bits(from) < tsr_elem_bits(to) ? BUILD_VALUE(exti, c.b, tile, TSR_SIGNED, t)
                                                 : BUILD_VALUE(trunci, c.b, tile, t);
}

tsr_value tsr_block_cast_tile_at(const char *file, unsigned line, tsr_builder *b, tsr_value tile,
                                 tsr_elem elem) {
  caller c = CALLER;
  if (!has_tile(c, "tsr_block_cast_tile", tile)) return NULL;
  tsr_elem from = (tsr_elem)tile->type->elem;
  return from == elem ? tile : cast(c, tile, from, elem);
}

/* ---- products ------------------------------------------------------------------------------- */

static tsr_status shared_out(tsr_layout *out, const char *warp_gemm, const int32_t *size,
                             const int32_t *warps, tsr_layout_error *e) {
  char name[64];
  tsr_layout fragment, slots;
  int n = snprintf(name, sizeof name, "%s.C", warp_gemm ? warp_gemm : "");
  if (n >= (int)sizeof name || !tsr_fragment(&fragment, name, (size_t)n) || fragment.rank != 2) {
    snprintf(e->message, sizeof e->message, "there is no fragment '%s'", name);
    return TSR_ERROR_USAGE;
  }
  for (unsigned d = 0; d < 2; d++)
    if (warps[d] < 1 || size[d] < 1 || size[d] % (warps[d] * fragment.shape[d])) {
      snprintf(e->message, sizeof e->message, "%d is no multiple of %d warps times %d", size[d],
               warps[d], fragment.shape[d]);
      return TSR_ERROR_USAGE;
    }
  int32_t each[2] = {size[0] / warps[0] / fragment.shape[0],
                     size[1] / warps[1] / fragment.shape[1]};
  tsr_status s = tsr_layout_spatial(out, 2, warps, NULL, e);
  if (s == TSR_OK) s = tsr_layout_local(&slots, 2, each, NULL, e);
  if (s == TSR_OK) s = tsr_layout_compose(out, out, &slots, e);
  return s == TSR_OK ? tsr_layout_compose(out, out, &fragment, e) : s;
}

tsr_layout tsr_block_gemm_distribution_at(const char *file, unsigned line, tsr_builder *b,
                                          const char *warp_gemm, int32_t m, int32_t n,
                                          int32_t warps_m, int32_t warps_n) {
  caller c = CALLER;
  tsr_layout l = {0};
  tsr_layout_error e;
  if (caller_goes_on(c))
    caller_accepts(c, "tsr_block_gemm_distribution",
                   shared_out(&l, warp_gemm, (int32_t[]){m, n}, (int32_t[]){warps_m, warps_n}, &e),
                   &e);
  return l;
}

/* Rank 2 with its dimensions in the other order. */
static tsr_memory_layout turned(const tsr_memory_layout *m) {
  tsr_memory_layout t = *m;
  unsigned first = m->dim_modes[0], second = m->dim_modes[1];
  t.dim_modes[0] = m->dim_modes[1];
  t.dim_modes[1] = m->dim_modes[0];
  memcpy(t.size, m->size + first, second * sizeof *t.size);
  memcpy(t.size + second, m->size, first * sizeof *t.size);
  memcpy(t.stride, m->stride + first, second * sizeof *t.stride);
  memcpy(t.stride + second, m->stride, first * sizeof *t.stride);
  return t;
}

/* All of shared memory as an operand of a product, whose layout follows from the accumulator. */
static tsr_value operand(caller c, tsr_value storage) {
  const ir_type *t = storage->type;
  tsr_type tile = tsr_type_tile(c.b, (tsr_elem)t->elem, (tsr_ints){t->shape, t->rank});
  return BUILD_VALUE(load_shared, c.b, storage, tile);
}

tsr_value tsr_block_gemm_at(const char *file, unsigned line, tsr_builder *b,
                            const tsr_block_window *lhs, const tsr_block_window *rhs,
                            tsr_value acc) {
  caller c = CALLER;
  if (!has_window(c, "tsr_block_gemm", lhs) || !has_window(c, "tsr_block_gemm", rhs) ||
      !has_tile(c, "tsr_block_gemm", acc))
    return NULL;
  if (!is_shared(lhs) || !is_shared(rhs) || rhs->storage->type->rank != 2) {
    caller_error(c, "tsr_block_gemm: expected windows of shared memory of rank 2");
    return NULL;
  }
  tsr_elem elem = (tsr_elem)rhs->storage->type->elem;
  tsr_memory_layout columns = turned(rhs->storage->type->memory);
  tsr_value turn = BUILD_VALUE(permute_view, c.b, rhs->storage, TSR_INTS(1, 0),
                               tsr_type_shared(b, elem, &columns));
  tsr_value x = operand(c, lhs->storage), y = turn ? operand(c, turn) : NULL;
  return tsr_elem_is_float(elem) ? BUILD_VALUE(mmaf, c.b, x, y, acc)
                                 : BUILD_VALUE(mmai, c.b, x, y, acc, TSR_SIGNED, TSR_SIGNED);
}

tsr_op *tsr_block_epilogue_store_at(const char *file, unsigned line, tsr_builder *b,
                                    const tsr_block_window *w, tsr_value acc) {
  caller c = CALLER;
  if (!has_window(c, "tsr_block_epilogue_store", w) ||
      !has_tile(c, "tsr_block_epilogue_store", acc))
    return NULL;
  tsr_type t = tile_of(c, w);
  tsr_value tile = tsr_block_cast_tile_at(file, line, b, acc, (tsr_elem)w->storage->type->elem);
  if (tile && t && w->distributed && !tsr_layout_same_map(tile->type->layout, t->layout))
    tile = BUILD_VALUE(convert_layout, c.b, tile, t);
  return tsr_block_store_tile_at(file, line, b, w, tile);
}
