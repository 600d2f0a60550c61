/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Which types may exist. Nothing is allocated for a type that may.
 */
#include "ir/block/layouts.h"

/* What a pointer may point to and a tensor_view may consist of. */
static bool is_number(unsigned elem) {
  return elem < TSR_ELEM_COUNT && ELEMS_STORED >> elem & 1;
}

static const char *elem_text(unsigned elem) {
  const char *name = elem < TSR_ELEM_COUNT ? tsr_elem_name((tsr_elem)elem) : NULL;
  return name ? name : "an unknown element type";
}

static const char *pointee_problem(arena *a, unsigned pointee) {
  if (is_number(pointee)) return NULL;
  return arena_printf(a,
                      "a pointer cannot point to %s; expected a floating-point type, i1, i8, "
                      "i16, i32 or i64",
                      elem_text(pointee));
}

static const char *elem_problem(arena *a, const ir_type *t) {
  if (t->elem == TSR_PTR) return pointee_problem(a, t->pointee);
  if (t->elem < TSR_ELEM_COUNT) return NULL;
  return arena_printf(a, "element type %u does not exist", t->elem);
}

static const char *rank_problem(arena *a, const ir_type *t) {
  if (t->rank <= IR_MAX_RANK) return NULL;
  return arena_printf(a, "a type of rank %u is too large; the highest rank supported is %d",
                      t->rank, IR_MAX_RANK);
}

/* The rules for the shape of a tile, or of the tiles of a view. */
static const char *tile_shape_problem(arena *a, const ir_type *t) {
  int64_t count = 1;
  bool any_even = false;
  for (unsigned i = 0; i < t->rank; i++) {
    int64_t dim = t->shape[i];
    if (dim == IR_DYNAMIC)
      return arena_printf(a,
                          "dimension %u of %s is dynamic; every dimension of a tile must be a "
                          "constant",
                          i, ir_type_text(a, t));
    if (dim <= 0)
      return arena_printf(a,
                          "dimension %u of %s is %lld; every dimension of a tile must be "
                          "positive",
                          i, ir_type_text(a, t), (long long)dim);
    if (dim & (dim - 1))
      return arena_printf(a,
                          "dimension %u of %s is %lld; every dimension of a tile must be a "
                          "power of two",
                          i, ir_type_text(a, t), (long long)dim);
    if (count > IR_MAX_TILE / dim)
      return arena_printf(a, "%s has too many elements; a tile may have at most %d",
                          ir_type_text(a, t), IR_MAX_TILE);
    count *= dim;
    any_even |= dim > 1;
  }
  if (t->elem == TSR_F4E2M1FN && !any_even)
    return arena_printf(a,
                        "%s has an odd number of elements; f4E2M1FN elements are packed two to "
                        "a byte, so their number must be even",
                        ir_type_text(a, t));
  return NULL;
}

/* ---- the block level ------------------------------------------------------------------------ */

/* Of a tile with a layout, and of shared memory: sizes need not be powers of two. */
static const char *any_shape_problem(arena *a, const ir_type *t, const char *what, int64_t most) {
  int64_t count = 1;
  for (unsigned i = 0; i < t->rank; i++) {
    int64_t dim = t->shape[i];
    if (dim <= 0)
      return arena_printf(a, "dimension %u of %s is %lld; every dimension of %s must be positive",
                          i, ir_type_text(a, t), (long long)dim, what);
    if (count > most / dim)
      return arena_printf(a, "%s has too many elements; %s may have at most %lld",
                          ir_type_text(a, t), what, (long long)most);
    count *= dim;
  }
  return NULL;
}

static const char *laid_out_problem(arena *a, const ir_type *t) {
  const tsr_layout *l = t->layout;
  bool same = l->rank == t->rank;
  if (t->rank == 0)
    return "a tile of rank 0 has no layout: every thread of the group holds its value";
  for (unsigned d = 0; same && d < t->rank; d++) same = l->shape[d] == t->shape[d];
  if (!same)
    return arena_printf(a, "the layout of %s is of another shape than the tile",
                        ir_type_text(a, t));
  return any_shape_problem(a, t, "a tile", IR_MAX_TILE);
}

static const char *shared_problem(arena *a, const ir_type *t) {
  if (t->elem == TSR_PTR || t->elem >= TSR_ELEM_COUNT)
    return arena_printf(a, "shared memory holds numbers, not %s", elem_text(t->elem));
  const char *p = any_shape_problem(a, t, "shared memory", IR_MAX_SHARED);
  if (p || ir_memory_extent(t->memory) <= IR_MAX_SHARED) return p;
  return arena_printf(a, "%s reaches over %lld elements; at most %d are accepted",
                      ir_type_text(a, t), (long long)ir_memory_extent(t->memory), IR_MAX_SHARED);
}

/* ---- the kinds ------------------------------------------------------------------------------ */

static const char *tile_problem(arena *a, const ir_type *t) {
  const char *p = rank_problem(a, t);
  if (!p) p = elem_problem(a, t);
  if (p) return p;
  return t->layout ? laid_out_problem(a, t) : tile_shape_problem(a, t);
}

/* Elements of four bits are packed along dimensions of stride 1, a whole number of bytes each. */
static const char *packed_problem(arena *a, const ir_type *t) {
  bool packed = false;
  for (unsigned i = 0; i < t->rank; i++) {
    packed |= t->strides[i] == 1 || t->strides[i] == IR_DYNAMIC;
    if (t->strides[i] == 1 && t->shape[i] != IR_DYNAMIC && t->shape[i] % 2)
      return arena_printf(a,
                          "dimension %u of %s has %lld elements; a dimension of stride 1 must "
                          "have an even number of %s elements, which are packed two to a byte",
                          i, ir_type_text(a, t), (long long)t->shape[i], elem_text(t->elem));
  }
  if (packed) return NULL;
  return arena_printf(a,
                      "%s has no dimension of stride 1; %s elements are packed two to a byte, "
                      "so one stride must be 1",
                      ir_type_text(a, t), elem_text(t->elem));
}

static const char *tensor_view_problem(arena *a, const ir_type *t) {
  const char *p = rank_problem(a, t);
  if (p) return p;
  if (!is_number(t->elem))
    return arena_printf(a,
                        "a tensor_view cannot consist of %s; expected a floating-point type, "
                        "i1, i8, i16, i32 or i64",
                        elem_text(t->elem));
  for (unsigned i = 0; i < t->rank; i++)
    if (t->shape[i] <= 0 && t->shape[i] != IR_DYNAMIC)
      return arena_printf(a, "dimension %u of %s is %lld; expected a positive number or '?'", i,
                          ir_type_text(a, t), (long long)t->shape[i]);
  for (unsigned i = 0; i < t->rank; i++)
    if (t->strides[i] <= 0 && t->strides[i] != IR_DYNAMIC)
      return arena_printf(a, "stride %u of %s is %lld; expected a positive number or '?'", i,
                          ir_type_text(a, t), (long long)t->strides[i]);
  return t->elem == TSR_F4E2M1FN ? packed_problem(a, t) : NULL;
}

/* Every tile dimension goes to another dimension of the tensor_view. */
static const char *dim_map_problem(arena *a, const ir_type *t) {
  uint64_t used = 0;
  for (unsigned i = 0; i < t->rank; i++) {
    int32_t to = t->dim_map[i];
    if (to < 0 || to >= t->view->rank)
      return arena_printf(a,
                          "dim_map maps tile dimension %u to dimension %d, but the tensor_view "
                          "has dimensions 0 to %u",
                          i, to, t->view->rank - 1);
    if (used >> to & 1)
      return arena_printf(a,
                          "dim_map maps two tile dimensions to dimension %d of the "
                          "tensor_view; expected a permutation of 0 to %u",
                          to, t->rank - 1);
    used |= (uint64_t)1 << to;
  }
  return NULL;
}

static const char *traversal_problem(arena *a, const ir_type *t) {
  for (unsigned i = 0; i < t->rank; i++)
    if (t->strides[i] <= 0 || t->strides[i] > INT32_MAX)
      return arena_printf(a, "traversal stride %u is %lld; expected a number from 1 to %d", i,
                          (long long)t->strides[i], INT32_MAX);
  return NULL;
}

static const char *padding_problem(arena *a, const ir_type *t) {
  unsigned count;
  enum_rows(AK_PADDING, &count);
  if (t->padding < 0 || t->padding == PADDING_ZERO) return NULL;
  if (t->padding >= (int)count)
    return arena_printf(a, "padding value %d does not exist", t->padding);
  if (tsr_elem_is_float((tsr_elem)t->elem)) return NULL;
  return arena_printf(a,
                      "padding value %s needs floating-point elements, but the tensor_view "
                      "consists of %s; use zero or leave it out",
                      enum_spelling(AK_PADDING, t->padding), elem_text(t->elem));
}

static const char *subview_problem(arena *a, const ir_type *t) {
  if (t->view->kind != IR_TENSOR_VIEW)
    return arena_printf(a, "expected a tensor_view inside the view type, got %s",
                        ir_type_text(a, t->view));
  const char *p = tensor_view_problem(a, t->view);
  if (!p) p = rank_problem(a, t);
  if (p) return p;
  if (t->rank == 0) return "the tiles of a view must have at least one dimension";
  if (t->rank != t->view->rank)
    return arena_printf(a,
                        "the tiles have rank %u, but the tensor_view has rank %u; they must be "
                        "equal",
                        t->rank, t->view->rank);
  p = tile_shape_problem(a, t);
  if (!p && t->dim_map) p = dim_map_problem(a, t);
  if (!p && t->kind == IR_STRIDED_VIEW) p = traversal_problem(a, t);
  if (!p && t->kind == IR_GATHER_SCATTER_VIEW && t->sparse_dim >= t->view->rank)
    p = arena_printf(a, "sparse_dim is %u, but the tensor_view has dimensions 0 to %u",
                     t->sparse_dim, t->view->rank - 1);
  return p ? p : padding_problem(a, t);
}

const char *ir_type_problem(arena *a, const ir_type *t) {
  switch ((ir_type_kind)t->kind) {
  case IR_NUMBER:
    return ir_elem_is_number(t->elem) ? NULL
                                      : arena_printf(a, "element type %u is not a number", t->elem);
  case IR_POINTER: return pointee_problem(a, t->pointee);
  case IR_TILE: return tile_problem(a, t);
  case IR_TOKEN:
  case IR_FUNCTION: return NULL; /* of types that were checked */
  case IR_TENSOR_VIEW: return tensor_view_problem(a, t);
  case IR_PARTITION_VIEW:
  case IR_STRIDED_VIEW:
  case IR_GATHER_SCATTER_VIEW: return subview_problem(a, t);
  case IR_TENSOR_MAP:
  case IR_SHARED: return shared_problem(a, t);
  case IR_ASYNC:
    return t->view->kind == IR_TILE
               ? NULL
               : arena_printf(a, "only a tile can be in flight, not %s", ir_type_text(a, t->view));
  case IR_MBARRIER:
    return t->count >= 1 && t->count <= IR_MAX_MBARRIERS
               ? NULL
               : arena_printf(a, "%s: expected from 1 to %d barriers", ir_type_text(a, t),
                              IR_MAX_MBARRIERS);
  }
  return arena_printf(a, "type kind %u does not exist", t->kind);
}
