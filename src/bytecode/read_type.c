/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The reader's types. A type is read when something first refers to it; types refer to types by
 * index, forwards too. What may contain what leaves at most four levels, so recursion is safe: a
 * function has no functions among its parameters, a view is over a tensor_view.
 */
#include "bytecode/read.h"

static bool read_elem(reader *r, cursor *c, bool pointers, const ir_type **out) {
  cursor start = *c;
  uint32_t index;
  if (!read_index(r, c, r->types.n, "type", &index)) return false;
  /* Not by type_at: what stands there may only be of the two kinds without elements of its own. */
  cursor item;
  uint64_t tag;
  if (!offset_table_item(r, &r->types, index, "type", &item)) return false;
  cursor peek = item;
  if (!read_varint(r, &peek, &tag)) return false;
  if (elem_by_tag(tag) < 0 && !(pointers && tag == TAG_POINTER))
    return read_fail(r, &start, "type %u cannot be an element type here", index);
  return type_at(r, &start, index, out);
}

static bool read_number_type(reader *r, const cursor *start, int elem, const ir_type **out) {
  unsigned since = ir_elem_since((tsr_elem)elem);
  if (since > r->version)
    return read_fail(r, start, "type %s is in bytecode since version 13.%u, but this is 13.%u",
                     tsr_elem_name((tsr_elem)elem), since, r->version);
  *out = ir_number(r->m, (tsr_elem)elem);
  return true;
}

/* Since 13.4 a word of flags stands before what pointers and tensor_views consist of: whether a
 * ptr_attr stands at their end. */
static bool read_ptr_flags(reader *r, cursor *c, uint64_t *flags) {
  cursor start = *c;
  *flags = 0;
  if (r->version < V13_4) return true;
  if (!read_varint(r, c, flags)) return false;
  return *flags <= 1 || read_fail(r, &start, "the flags 0x%llx of this type are unknown",
                                  (unsigned long long)*flags);
}

static bool read_ptr_attr(reader *r, cursor *c, uint64_t flags, const ir_type **type) {
  cursor start = *c;
  uint64_t value;
  if (!(flags & 1)) return true;
  if (!read_varint(r, c, &value)) return false;
  if (value > PTR_ATTR_NONE)
    return read_fail(r, &start, "there is no pointer attribute %llu", (unsigned long long)value);
  *type = ir_with_ptr_attr(r->m, *type, (uint8_t)(1 + value));
  return true;
}

static bool read_pointer_type(reader *r, cursor *c, const ir_type **out) {
  const ir_type *t;
  uint64_t flags;
  if (!read_ptr_flags(r, c, &flags) || !read_elem(r, c, false, &t)) return false;
  *out = ir_pointer(r->m, (tsr_elem)t->elem);
  return read_ptr_attr(r, c, flags, out);
}

static bool read_tile_type(reader *r, cursor *c, const ir_type **out) {
  const ir_type *t;
  int64_t *shape;
  uint32_t rank;
  if (!read_elem(r, c, true, &t) || !read_int_list(r, c, 8, IR_MAX_RANK, "a shape", &shape, &rank))
    return false;
  *out = ir_tile_reshaped(r->m, t, rank, shape);
  return true;
}

static bool read_tensor_view_type(reader *r, cursor *c, const ir_type **out) {
  const ir_type *t;
  int64_t *shape, *strides;
  uint64_t flags;
  uint32_t rank, n;
  if (!read_ptr_flags(r, c, &flags) || !read_elem(r, c, false, &t) ||
      !read_int_list(r, c, 8, IR_MAX_RANK, "a shape", &shape, &rank))
    return false;
  cursor at = *c;
  if (!read_int_list(r, c, 8, IR_MAX_RANK, "a list of strides", &strides, &n)) return false;
  if (n != rank) return read_fail(r, &at, "a tensor_view of rank %u has %u strides", rank, n);
  *out = ir_tensor_view(r->m, (tsr_elem)t->elem, rank, shape, strides);
  return read_ptr_attr(r, c, flags, out);
}

/* ---- views ----------------------------------------------------------------------------------- */

typedef struct view_parts {
  uint32_t rank, sparse_dim;
  int64_t *tile, *traversal;
  int32_t *dim_map;
  const ir_type *view;
  int padding;
} view_parts;

static bool read_dim_map(reader *r, cursor *c, view_parts *v) {
  cursor start = *c;
  int64_t *list;
  uint32_t n;
  if (!read_int_list(r, c, 4, IR_MAX_RANK, "a dim_map", &list, &n)) return false;
  if (n != v->rank)
    return read_fail(r, &start, "the dim_map of a view with tiles of rank %u has %u numbers",
                     v->rank, n);
  v->dim_map = arena_array(&r->temp, int32_t, n);
  for (uint32_t i = 0; i < n; i++) v->dim_map[i] = (int32_t)list[i];
  return true;
}

static bool read_padding(reader *r, cursor *c, bool given, int *out) {
  cursor start = *c;
  uint64_t value;
  *out = -1;
  if (!given) return true;
  if (!read_varint(r, c, &value)) return false;
  if (value > PADDING_NEG_INF)
    return read_fail(r, &start, "there is no padding value %llu", (unsigned long long)value);
  *out = (int)value;
  return true;
}

static bool read_view(reader *r, cursor *c, const ir_type **out) {
  cursor start = *c;
  uint32_t index;
  if (!read_index(r, c, r->types.n, "type", &index)) return false;
  cursor item;
  uint64_t tag;
  if (!offset_table_item(r, &r->types, index, "type", &item) || !read_varint(r, &item, &tag))
    return false;
  if (tag != TAG_TENSOR_VIEW)
    return read_fail(r, &start, "a view must be over a tensor_view, but type %u is none", index);
  return type_at(r, &start, index, out);
}

static bool read_traversal(reader *r, cursor *c, view_parts *v) {
  cursor start = *c;
  uint32_t n;
  if (!read_int_list(r, c, 4, IR_MAX_RANK, "a list of traversal strides", &v->traversal, &n))
    return false;
  return n == v->rank ||
         read_fail(r, &start, "a view with tiles of rank %u has %u traversal strides", v->rank, n);
}

static bool read_sparse_dim(reader *r, cursor *c, view_parts *v) {
  cursor start = *c;
  uint64_t dim;
  if (!read_varint(r, c, &dim)) return false;
  if (dim >= IR_MAX_RANK)
    return read_fail(r, &start, "there is no dimension %llu", (unsigned long long)dim);
  v->sparse_dim = (uint32_t)dim;
  return true;
}

/* Since 13.3 a word of flags stands in front, before that a byte before the padding value. */
static bool read_view_type(reader *r, cursor *c, type_tag tag, const ir_type **out) {
  view_parts v = {0};
  uint64_t flags = 0;
  uint8_t padded = 0;
  cursor start = *c;
  bool in_front = r->version >= V13_3;
  if (in_front && !read_varint(r, c, &flags)) return false;
  if (flags > 1)
    return read_fail(r, &start, "the flags 0x%llx of this view are unknown",
                     (unsigned long long)flags);
  if (!read_int_list(r, c, 4, IR_MAX_RANK, "a tile's shape", &v.tile, &v.rank)) return false;
  if (tag == TAG_STRIDED_VIEW && !read_traversal(r, c, &v)) return false;
  if (!read_view(r, c, &v.view)) return false;
  if (tag == TAG_GATHER_SCATTER_VIEW ? !read_sparse_dim(r, c, &v) : !read_dim_map(r, c, &v))
    return false;
  if (!in_front && !read_byte(r, c, &padded)) return false;
  if (!read_padding(r, c, in_front ? flags & 1 : padded != 0, &v.padding)) return false;
  if (tag == TAG_PARTITION_VIEW)
    *out = ir_partition_view(r->m, v.rank, v.tile, v.view, v.dim_map, v.padding);
  else if (tag == TAG_STRIDED_VIEW)
    *out = ir_strided_view(r->m, v.rank, v.tile, v.traversal, v.view, v.dim_map, v.padding);
  else
    *out = ir_gather_scatter_view(r->m, v.rank, v.tile, v.view, v.sparse_dim, v.padding);
  return true;
}

/* ---- functions ------------------------------------------------------------------------------- */

static bool read_parameters(reader *r, cursor *c, uint32_t *n) {
  uint64_t count;
  if (!read_varint(r, c, &count)) return false;
  for (uint64_t i = 0; i < count; i++) {
    cursor start = *c, item;
    uint32_t index;
    uint64_t tag;
    const ir_type *t;
    if (!read_index(r, c, r->types.n, "type", &index) ||
        !offset_table_item(r, &r->types, index, "type", &item) || !read_varint(r, &item, &tag))
      return false;
    if (tag == TAG_FUNCTION)
      return read_fail(r, &start, "type %u is a function type; functions do not take functions",
                       index);
    if (!type_at(r, &start, index, &t)) return false;
    vec_push(&r->temp, r->results, t);
  }
  *n = (uint32_t)count;
  return true;
}

static bool read_function_type(reader *r, cursor *c, const ir_type **out) {
  uint32_t n_inputs, n_results, base = r->results.len;
  if (!read_parameters(r, c, &n_inputs) || !read_parameters(r, c, &n_results)) return false;
  *out = ir_function(r->m, n_inputs, n_results, r->results.data + base);
  r->results.len = base;
  return true;
}

/* ---- the table ------------------------------------------------------------------------------- */

static bool read_type_of_kind(reader *r, cursor *c, const cursor *start, uint64_t tag,
                              const ir_type **out) {
  int elem = elem_by_tag(tag);
  if (elem >= 0) return read_number_type(r, start, elem, out);
  if ((tag == TAG_GATHER_SCATTER_VIEW || tag == TAG_STRIDED_VIEW) && r->version < V13_3)
    return read_fail(r, start, "%s is in bytecode since version 13.3, but this is 13.%u",
                     tag == TAG_STRIDED_VIEW ? "strided_view" : "gather_scatter_view", r->version);
  switch (tag) {
  case TAG_POINTER: return read_pointer_type(r, c, out);
  case TAG_TILE: return read_tile_type(r, c, out);
  case TAG_TENSOR_VIEW: return read_tensor_view_type(r, c, out);
  case TAG_PARTITION_VIEW:
  case TAG_STRIDED_VIEW:
  case TAG_GATHER_SCATTER_VIEW: return read_view_type(r, c, (type_tag)tag, out);
  case TAG_FUNCTION: return read_function_type(r, c, out);
  case TAG_TOKEN: *out = ir_token(r->m); return true;
  default: return read_fail(r, start, "there is no type of kind %llu", (unsigned long long)tag);
  }
}

bool type_at(reader *r, const cursor *c, uint32_t index, const ir_type **out) {
  (void)c;
  *out = r->type_cache[index];
  if (*out) return true;
  cursor item;
  uint64_t tag;
  if (!offset_table_item(r, &r->types, index, "type", &item)) return false;
  cursor start = item;
  if (!read_varint(r, &item, &tag) || !read_type_of_kind(r, &item, &start, tag, out)) return false;
  if (item.p != item.end)
    return read_fail(r, &item, "type %u goes on behind %s", index, ir_type_text(&r->temp, *out));
  const char *problem = ir_type_problem(&r->temp, *out);
  if (problem) return read_fail(r, &start, "%s", problem);
  r->type_cache[index] = *out;
  return true;
}

bool read_type(reader *r, cursor *c, const ir_type **out) {
  uint32_t index;
  cursor start = *c;
  return read_index(r, c, r->types.n, "type", &index) && type_at(r, &start, index, out);
}
