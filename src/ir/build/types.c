/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Types and constants.
 */
#include "ir/build/guard.h"
#include "num/num.h"

/* ---- types ---------------------------------------------------------------------------------- */

/* What every type needs before it may be made at all; the rest is ir_type_problem's. */
static bool parts_are_fine(tsr_builder *b, tsr_elem elem, size_t rank) {
  if ((unsigned)elem >= TSR_ELEM_COUNT) {
    build_error(b, "%d is no element type", (int)elem);
    return false;
  }
  if (rank > IR_MAX_RANK) {
    build_error(b, "a type of rank %zu; at most %d", rank, IR_MAX_RANK);
    return false;
  }
  return true;
}

static tsr_type accept(tsr_builder *b, const ir_type *t) {
  const char *problem = ir_type_problem(&b->module->arena, t);
  if (!problem) return t;
  build_error(b, "%s", problem);
  return NULL;
}

tsr_type build_tile(tsr_builder *b, tsr_elem elem, tsr_elem pointee, tsr_ints shape) {
  if (!parts_are_fine(b, elem, shape.len) || !parts_are_fine(b, pointee, 0)) return NULL;
  /* Who builds with an extension asks for it. */
  b->module->extensions |= tsr_elem_is_extension(elem) || tsr_elem_is_extension(pointee);
  return accept(b, ir_tile(b->module, elem, pointee, (unsigned)shape.len, shape.data));
}

tsr_type build_tile_like(tsr_builder *b, tsr_type t, tsr_ints shape) {
  if (!parts_are_fine(b, (tsr_elem)t->elem, shape.len)) return NULL;
  return accept(b, ir_tile_reshaped(b->module, t, (unsigned)shape.len, shape.data));
}

static tsr_type number_tile(tsr_builder *b, tsr_elem elem, tsr_ints shape) {
  if (elem != TSR_PTR) return build_tile(b, elem, TSR_I1, shape);
  build_error(b, "a tile of pointers: tsr_type_pointers says what they point to");
  return NULL;
}

/* Types come from no particular line: there are no macros around these functions. */
#define TYPE_FUNCTION(b, expression)                                                               \
  if (!(b)) return NULL;                                                                           \
  BUILD_GUARD(b, return NULL);                                                                     \
  build_at(b, NULL, 0);                                                                            \
  tsr_type made = expression;                                                                      \
  BUILD_DONE(b);                                                                                   \
  return made

static tsr_type attributed(tsr_builder *b, tsr_type t) {
  if (!t) {
    build_missing(b, "tsr_type_attributed", "the type");
    return NULL;
  }
  const ir_type *with = ir_with_ptr_attr(b->module, t, 1 + PTR_ATTR_NONE);
  if (with->ptr_attr) return with;
  build_error(b, "tsr_type_attributed: expected pointers or a tensor_view, found %s",
              build_type_text(b, t));
  return NULL;
}

tsr_type tsr_type_scalar(tsr_builder *b, tsr_elem elem) {
  TYPE_FUNCTION(b, number_tile(b, elem, (tsr_ints){0}));
}
tsr_type tsr_type_tile(tsr_builder *b, tsr_elem elem, tsr_ints shape) {
  TYPE_FUNCTION(b, number_tile(b, elem, shape));
}
tsr_type tsr_type_pointer(tsr_builder *b, tsr_elem pointee) {
  TYPE_FUNCTION(b, build_tile(b, TSR_PTR, pointee, (tsr_ints){0}));
}
tsr_type tsr_type_pointers(tsr_builder *b, tsr_elem pointee, tsr_ints shape) {
  TYPE_FUNCTION(b, build_tile(b, TSR_PTR, pointee, shape));
}
tsr_type tsr_type_attributed(tsr_builder *b, tsr_type type) {
  TYPE_FUNCTION(b, attributed(b, type));
}
tsr_type tsr_type_token(tsr_builder *b) {
  TYPE_FUNCTION(b, ir_token(b->module));
}

static tsr_type with_elem(tsr_builder *b, tsr_type t, tsr_elem elem) {
  if (!t) {
    build_missing(b, "tsr_type_with_elem", "the type");
    return NULL;
  }
  if (t->kind != IR_TILE || elem == TSR_PTR) {
    build_error(b, "tsr_type_with_elem: %s of a tile type is needed",
                elem == TSR_PTR ? "another element type than a pointer" : "the shape");
    return NULL;
  }
  if (!parts_are_fine(b, elem, t->rank)) return NULL;
  return accept(b, ir_tile_like(b->module, t, elem));
}

tsr_type tsr_type_with_elem(tsr_builder *b, tsr_type t, tsr_elem elem) {
  TYPE_FUNCTION(b, with_elem(b, t, elem));
}

static tsr_type tensor_view(tsr_builder *b, tsr_elem elem, tsr_ints shape, tsr_ints strides) {
  if (!parts_are_fine(b, elem, shape.len)) return NULL;
  if (strides.len != shape.len) {
    build_error(b, "tensor_view: %zu strides for %zu dimensions", strides.len, shape.len);
    return NULL;
  }
  return accept(b, ir_tensor_view(b->module, elem, (unsigned)shape.len, shape.data, strides.data));
}

tsr_type tsr_type_tensor_view(tsr_builder *b, tsr_elem elem, tsr_ints shape, tsr_ints strides) {
  TYPE_FUNCTION(b, tensor_view(b, elem, shape, strides));
}

/* ---- views of tiles ------------------------------------------------------------------------- */

/* Checks what the three have in common; the padding in the IR's numbers goes to `pad`. */
static bool subview_is_fine(tsr_builder *b, const char *name, tsr_ints shape, tsr_type view,
                            tsr_padding padding, int *pad) {
  if (!view) {
    build_missing(b, name, "the tensor_view type");
    return false;
  }
  if (view->kind != IR_TENSOR_VIEW) {
    build_error(b, "%s: expected a tensor_view type, found %s", name, build_type_text(b, view));
    return false;
  }
  if ((unsigned)padding > TSR_PADDING_NEG_INF) {
    build_error(b, "%s: %d is no tsr_padding", name, (int)padding);
    return false;
  }
  *pad = (int)padding - 1;
  return parts_are_fine(b, (tsr_elem)view->elem, shape.len);
}

/* The dimension map as the IR has it; NULL for the identity. */
static bool read_map(tsr_builder *b, const char *name, tsr_ints shape, tsr_ints given,
                     int32_t out[IR_MAX_RANK], const int32_t **out_map) {
  *out_map = NULL;
  if (given.len == 0) return true;
  if (given.len != shape.len) {
    build_error(b, "%s: dim_map has %zu entries for a tile of rank %zu", name, given.len,
                shape.len);
    return false;
  }
  for (size_t i = 0; i < given.len; i++) {
    if (given.data[i] < 0 || given.data[i] >= IR_MAX_RANK) {
      build_error(b, "%s: dim_map[%zu] is %lld", name, i, (long long)given.data[i]);
      return false;
    }
    out[i] = (int32_t)given.data[i];
  }
  *out_map = out;
  return true;
}

static tsr_type partition_view(tsr_builder *b, tsr_ints shape, tsr_type view, tsr_ints dim_map,
                               tsr_padding padding) {
  int32_t dims[IR_MAX_RANK];
  const int32_t *dim;
  int pad;
  if (!subview_is_fine(b, "partition_view", shape, view, padding, &pad) ||
      !read_map(b, "partition_view", shape, dim_map, dims, &dim))
    return NULL;
  return accept(b, ir_partition_view(b->module, (unsigned)shape.len, shape.data, view, dim, pad));
}

tsr_type tsr_type_partition_view(tsr_builder *b, tsr_ints shape, tsr_type view, tsr_ints dim_map,
                                 tsr_padding padding) {
  TYPE_FUNCTION(b, partition_view(b, shape, view, dim_map, padding));
}

static tsr_type strided_view(tsr_builder *b, tsr_ints shape, tsr_ints traversal, tsr_type view,
                             tsr_ints dim_map, tsr_padding padding) {
  int32_t dims[IR_MAX_RANK];
  const int32_t *dim;
  int pad;
  if (!subview_is_fine(b, "strided_view", shape, view, padding, &pad) ||
      !read_map(b, "strided_view", shape, dim_map, dims, &dim))
    return NULL;
  if (traversal.len != shape.len) {
    build_error(b, "strided_view: %zu traversal strides for a tile of rank %zu", traversal.len,
                shape.len);
    return NULL;
  }
  return accept(b, ir_strided_view(b->module, (unsigned)shape.len, shape.data, traversal.data, view,
                                   dim, pad));
}

tsr_type tsr_type_strided_view(tsr_builder *b, tsr_ints shape, tsr_ints traversal_strides,
                               tsr_type view, tsr_ints dim_map, tsr_padding padding) {
  TYPE_FUNCTION(b, strided_view(b, shape, traversal_strides, view, dim_map, padding));
}

static tsr_type gather_scatter_view(tsr_builder *b, tsr_ints shape, tsr_type view,
                                    unsigned sparse_dim, tsr_padding padding) {
  int pad;
  if (!subview_is_fine(b, "gather_scatter_view", shape, view, padding, &pad)) return NULL;
  if (sparse_dim >= IR_MAX_RANK) {
    build_error(b, "gather_scatter_view: sparse_dim %u", sparse_dim);
    return NULL;
  }
  return accept(
      b, ir_gather_scatter_view(b->module, (unsigned)shape.len, shape.data, view, sparse_dim, pad));
}

tsr_type tsr_type_gather_scatter_view(tsr_builder *b, tsr_ints shape, tsr_type view,
                                      unsigned sparse_dim, tsr_padding padding) {
  TYPE_FUNCTION(b, gather_scatter_view(b, shape, view, sparse_dim, padding));
}

/* ---- asking --------------------------------------------------------------------------------- */

tsr_type tsr_value_type(tsr_value v) {
  return v ? v->type : NULL;
}

static bool has_elems(tsr_type t) {
  return t && (t->kind == IR_TILE || t->kind == IR_TENSOR_VIEW);
}

tsr_elem tsr_type_elem(tsr_type t) {
  return has_elems(t) ? (tsr_elem)t->elem : TSR_ELEM_COUNT;
}

tsr_ints tsr_type_shape(tsr_type t) {
  return has_elems(t) ? (tsr_ints){t->shape, t->rank} : (tsr_ints){0};
}

/* ---- constants ------------------------------------------------------------------------------ */

static uint64_t low_bits(unsigned bits) {
  return bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

tsr_scalar tsr_scalar_int(tsr_elem elem, int64_t value) {
  const num_format *f = num_format_of(elem);
  if (f) return (tsr_scalar){elem, num_from_i64(f, value, NUM_NEAREST_EVEN)};
  if (!tsr_elem_is_int(elem)) return (tsr_scalar){TSR_ELEM_COUNT, 0};
  return (tsr_scalar){elem, (uint64_t)value & low_bits(tsr_elem_bits(elem))};
}

tsr_scalar tsr_scalar_real(tsr_elem elem, double value) {
  const num_format *f = num_format_of(elem);
  return f ? (tsr_scalar){elem, num_encode(f, value, NUM_NEAREST_EVEN)}
           : (tsr_scalar){TSR_ELEM_COUNT, 0};
}

static bool is_tile_of_numbers(tsr_builder *b, const char *what, tsr_type type) {
  if (!type) {
    build_missing(b, what, "the type");
    return false;
  }
  if (type->kind == IR_TILE && type->elem != TSR_PTR) return true;
  build_error(b, "%s: expected a type of a tile of numbers, found %s", what,
              build_type_text(b, type));
  return false;
}

const ir_dense *build_dense(tsr_builder *b, const char *what, tsr_type type, const void *data,
                            size_t bytes) {
  if (!is_tile_of_numbers(b, what, type)) return NULL;
  size_t needed = tsr_elem_storage((tsr_elem)type->elem, (size_t)type->count);
  if (bytes != needed || !data) {
    build_error(b, "%s: %s has %zu bytes, not %zu", what, build_type_text(b, type), needed,
                data ? bytes : 0);
    return NULL;
  }
  return ir_dense_create(b->module, type, false, data, (uint32_t)bytes);
}

ir_value *build_constant(tsr_builder *b, const ir_dense *value) {
  if (!value) return NULL;
  build_request r = {
      .opcode = OP_constant, .row = &op_table[OP_constant], .types = {&value->type, 1}};
  r.attrs[0].dense = value;
  r.given = 1;
  ir_op *op = build_request_run(b, &r);
  return op ? ir_result(op, 0) : NULL;
}

static ir_value *splat_constant(tsr_builder *b, const char *what, tsr_type type, bool is_real,
                                int64_t i, double d) {
  if (!is_tile_of_numbers(b, what, type)) return NULL;
  tsr_elem elem = (tsr_elem)type->elem;
  unsigned bits = tsr_elem_bits(elem);
  if (is_real && !tsr_elem_is_float(elem)) {
    build_error(b, "%s: %s holds integers; tsr_build_int makes those", what,
                build_type_text(b, type));
    return NULL;
  }
  /* Signed or unsigned, as long as it fits. */
  int64_t low = bits < 64 ? -(INT64_C(1) << (bits - 1)) : INT64_MIN;
  int64_t high = bits < 63 ? (INT64_C(1) << bits) - 1 : INT64_MAX;
  if (!is_real && tsr_elem_is_int(elem) && (i < low || i > high)) {
    build_error(b, "%s: %lld does not fit %s", what, (long long)i, tsr_elem_name(elem));
    return NULL;
  }
  tsr_scalar s = is_real ? tsr_scalar_real(elem, d) : tsr_scalar_int(elem, i);
  uint32_t bytes = bits < 8 ? 1 : bits / 8;
  return build_constant(b, ir_dense_create(b->module, type, true, &s.bits, bytes));
}

tsr_value tsr_build_constant_at(const char *file, unsigned line, tsr_builder *b, tsr_type type,
                                const void *data, size_t bytes) {
  if (!b) return NULL;
  BUILD_GUARD(b, return NULL);
  build_at(b, file, line);
  ir_value *v = build_constant(b, build_dense(b, "constant", type, data, bytes));
  BUILD_DONE(b);
  return v;
}

tsr_value tsr_build_int_at(const char *file, unsigned line, tsr_builder *b, tsr_type type,
                           int64_t value) {
  if (!b) return NULL;
  BUILD_GUARD(b, return NULL);
  build_at(b, file, line);
  ir_value *v = splat_constant(b, "tsr_build_int", type, false, value, 0);
  BUILD_DONE(b);
  return v;
}

tsr_value tsr_build_real_at(const char *file, unsigned line, tsr_builder *b, tsr_type type,
                            double value) {
  if (!b) return NULL;
  BUILD_GUARD(b, return NULL);
  build_at(b, file, line);
  ir_value *v = splat_constant(b, "tsr_build_real", type, true, 0, value);
  BUILD_DONE(b);
  return v;
}
