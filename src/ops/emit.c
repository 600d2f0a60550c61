/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ops/emit.h"

#include <math.h>

/* ---- arguments and indices ------------------------------------------------------------------- */

static unsigned find_pass(const ops_build *b, const char *name) {
  unsigned i = 0;
  while (i < b->step->n_passes && strcmp(b->step->passes[i].name, name) != 0) i++;
  return i;
}

bool ops_has_arg(const ops_build *b, const char *name) {
  return find_pass(b, name) < b->step->n_passes;
}

tsr_value ops_arg(ops_build *b, const char *name) {
  unsigned i = find_pass(b, name);
  return i < b->step->n_passes ? b->args[i] : NULL;
}

tsr_elem ops_index_elem(const ops_build *b) {
  return ops_is_wide(b->p) ? TSR_I64 : TSR_I32;
}

tsr_value ops_index(ops_build *b, int64_t value) {
  return tsr_build_int(b->b, tsr_type_scalar(b->b, ops_index_elem(b)), value);
}

tsr_value ops_i32(ops_build *b, int64_t value) {
  return tsr_build_int(b->b, tsr_type_scalar(b->b, TSR_I32), value);
}

tsr_value ops_to_index(ops_build *b, tsr_value i) {
  if (!ops_is_wide(b->p)) return i;
  return tsr_build_exti(b->b, i, TSR_SIGNED, tsr_type_scalar(b->b, TSR_I64));
}

static tsr_elem elem_of(tsr_value v) {
  return tsr_type_elem(tsr_value_type(v));
}

static tsr_ints shape_of(tsr_value v) {
  return tsr_type_shape(tsr_value_type(v));
}

/* ---- tensors --------------------------------------------------------------------------------- */

/* Dimensions as they lie in memory: the one whose stride is known to be 1 is the last. */
static void order_dims(unsigned rank, unsigned unit, int64_t order[TSR_OP_MAX_RANK]) {
  unsigned n = 0;
  for (unsigned d = 0; d < rank; d++)
    if (d != unit) order[n++] = d;
  if (unit < rank) order[n] = unit;
}

static tsr_value tensor_view(ops_build *b, const ops_view_spec *spec, const int64_t *order) {
  int64_t sizes[TSR_OP_MAX_RANK], strides[TSR_OP_MAX_RANK];
  tsr_value size_values[TSR_OP_MAX_RANK], stride_values[TSR_OP_MAX_RANK];
  size_t n_sizes = 0, n_strides = 0;
  for (unsigned d = 0; d < spec->rank; d++) {
    tsr_value size = spec->sizes[order[d]], stride = spec->strides[order[d]];
    sizes[d] = size ? TSR_DYNAMIC : MAX(spec->known[order[d]], 1);
    strides[d] = stride ? TSR_DYNAMIC : 1;
    if (size) size_values[n_sizes++] = size;
    if (stride) stride_values[n_strides++] = stride;
  }
  tsr_type type = tsr_type_tensor_view(b->b, spec->elem, (tsr_ints){sizes, spec->rank},
                                       (tsr_ints){strides, spec->rank});
  return tsr_build_make_tensor_view(b->b, spec->base, type, (tsr_values){size_values, n_sizes},
                                    (tsr_values){stride_values, n_strides});
}

/* For each dimension of the tile, which of the view's it runs along. */
static bool dim_map(const int64_t *order, unsigned rank, int64_t dims[TSR_OP_MAX_RANK]) {
  bool exchanged = false;
  for (unsigned d = 0; d < rank; d++) {
    dims[order[d]] = d;
    exchanged |= order[d] != d;
  }
  return exchanged;
}

static unsigned unit_dim(const ops_view_spec *spec) {
  unsigned unit = spec->rank;
  for (unsigned d = 0; d < spec->rank; d++)
    if (!spec->strides[d]) unit = d;
  return unit;
}

static tsr_value partition_view(ops_build *b, const ops_view_spec *spec, unsigned unit) {
  int64_t order[TSR_OP_MAX_RANK], dims[TSR_OP_MAX_RANK];
  order_dims(spec->rank, unit, order);
  tsr_value view = tensor_view(b, spec, order);
  bool exchanged = dim_map(order, spec->rank, dims);
  tsr_ints none = {0}, exchange = {dims, spec->rank}, tile = {spec->tile, spec->rank};
  tsr_type type = tsr_type_partition_view(b->b, tile, tsr_value_type(view),
                                          exchanged ? exchange : none, spec->padding);
  return tsr_build_make_partition_view(b->b, view, type);
}

/* The view's dimensions lie as in memory; tiles are exchanged when they are loaded and stored. */
static tsr_value gathering_view(ops_build *b, const ops_view_spec *spec, unsigned unit) {
  int64_t order[TSR_OP_MAX_RANK], dims[TSR_OP_MAX_RANK], tile[TSR_OP_MAX_RANK];
  order_dims(spec->rank, unit, order);
  dim_map(order, spec->rank, dims);
  for (unsigned d = 0; d < spec->rank; d++) tile[d] = spec->tile[order[d]];
  tsr_value view = tensor_view(b, spec, order);
  tsr_type type =
      tsr_type_gather_scatter_view(b->b, (tsr_ints){tile, spec->rank}, tsr_value_type(view),
                                   (unsigned)dims[spec->gathered], spec->padding);
  return tsr_build_make_gather_scatter_view(b->b, view, type);
}

tsr_elem ops_pointee(ops_type type) {
  return ops_type_elem(type) == TSR_I4 ? TSR_I8 : ops_type_elem(type);
}

int64_t ops_stride_unit(ops_type type) {
  return ops_type_elem(type) == TSR_I4 ? 2 : 1;
}

ops_tiles ops_view(ops_build *b, const ops_view_spec *spec) {
  ops_view_spec bytes = *spec;
  ops_tiles t = {.elem = spec->elem,
                 .rank = spec->rank,
                 .unit = unit_dim(spec),
                 .is_gathered = spec->is_gathered,
                 .gathered = spec->gathered};
  memcpy(t.tile, spec->tile, sizeof t.tile);
  if (spec->elem == TSR_I4 && t.unit < t.rank) {
    bytes.elem = TSR_I8;
    bytes.sizes[t.unit] = ops_ceil_div(b, spec->sizes[t.unit], 2);
    bytes.tile[t.unit] = spec->tile[t.unit] / 2;
  }
  t.view =
      spec->is_gathered ? gathering_view(b, &bytes, t.unit) : partition_view(b, &bytes, t.unit);
  return t;
}

/* Bytes as two elements each, along the last dimension. */
static tsr_value unpack_halves(ops_build *b, tsr_value v, const int64_t *shape, unsigned rank) {
  int64_t count = 1;
  for (unsigned d = 0; d < rank; d++) count *= shape[d];
  v = ops_reshape(b, v, TSR_INTS(count / 2));
  v = tsr_build_unpack(b->b, v, ops_tile(b, TSR_I4, TSR_INTS(count)));
  return ops_reshape(b, v, (tsr_ints){shape, rank});
}

/* The same along dimension `unit`, which is exchanged with the last one and back. */
static tsr_value unpack_along(ops_build *b, tsr_value v, const ops_tiles *t) {
  int64_t order[TSR_OP_MAX_RANK], shape[TSR_OP_MAX_RANK];
  unsigned last = t->rank - 1;
  for (unsigned d = 0; d < t->rank; d++) order[d] = d;
  order[t->unit] = last;
  order[last] = t->unit;
  for (unsigned d = 0; d < t->rank; d++) shape[d] = t->tile[order[d]];
  if (t->unit != last) v = ops_permute(b, v, (tsr_ints){order, t->rank});
  v = unpack_halves(b, v, shape, t->rank);
  return t->unit == last ? v : ops_permute(b, v, (tsr_ints){order, t->rank});
}

/* Indices of the other dimensions count elements there, not tiles. */
static void gather_index(ops_build *b, const ops_tiles *t, tsr_values index, tsr_value *out) {
  int64_t order[TSR_OP_MAX_RANK];
  order_dims(t->rank, t->unit, order);
  for (unsigned d = 0; d < t->rank; d++) {
    unsigned dim = (unsigned)order[d];
    int64_t tile = t->tile[dim] / (t->elem == TSR_I4 && dim == t->unit ? 2 : 1);
    out[d] = index.data[dim];
    if (dim != t->gathered) out[d] = tsr_build_muli(b->b, out[d], ops_i32(b, tile));
  }
}

static tsr_value load_gathered(ops_build *b, const ops_tiles *t, tsr_values index) {
  int64_t order[TSR_OP_MAX_RANK], back[TSR_OP_MAX_RANK];
  tsr_value at[TSR_OP_MAX_RANK];
  gather_index(b, t, index, at);
  tsr_value v = tsr_build_load_view_tko(b->b, t->view, (tsr_values){at, t->rank}, TSR_MEMORY_WEAK);
  if (t->unit + 1 >= t->rank) return v;
  order_dims(t->rank, t->unit, order);
  for (unsigned d = 0; d < t->rank; d++) back[order[d]] = d;
  return ops_permute(b, v, (tsr_ints){back, t->rank});
}

static void store_gathered(ops_build *b, tsr_value tile, const ops_tiles *t, tsr_values index) {
  int64_t order[TSR_OP_MAX_RANK];
  tsr_value at[TSR_OP_MAX_RANK];
  gather_index(b, t, index, at);
  order_dims(t->rank, t->unit, order);
  if (t->unit + 1 < t->rank) tile = ops_permute(b, tile, (tsr_ints){order, t->rank});
  tsr_build_store_view_tko(b->b, tile, t->view, (tsr_values){at, t->rank}, TSR_MEMORY_WEAK);
}

tsr_value ops_load(ops_build *b, const ops_tiles *t, tsr_values index) {
  tsr_value v = t->is_gathered ? load_gathered(b, t, index)
                               : tsr_build_load_view_tko(b->b, t->view, index, TSR_MEMORY_WEAK);
  return t->elem == TSR_I4 ? unpack_along(b, v, t) : v;
}

void ops_store(ops_build *b, tsr_value tile, const ops_tiles *t, tsr_values index) {
  if (t->is_gathered)
    store_gathered(b, tile, t, index);
  else
    tsr_build_store_view_tko(b->b, tile, t->view, index, TSR_MEMORY_WEAK);
}

tsr_value ops_to_i64(ops_build *b, tsr_value x) {
  tsr_type type = tsr_type_scalar(b->b, TSR_I64);
  if (!x || tsr_value_type(x) == type) return x;
  return tsr_build_exti(b->b, x, TSR_SIGNED, type);
}

tsr_value ops_advance(ops_build *b, tsr_value base, tsr_value count, tsr_value stride) {
  tsr_value distance = tsr_build_muli(b->b, ops_to_i64(b, count), ops_to_i64(b, stride));
  return tsr_build_offset(b->b, base, distance);
}

tsr_value ops_load_element(ops_build *b, tsr_value base, tsr_value index) {
  tsr_value at = tsr_build_offset(b->b, base, ops_to_i64(b, index));
  return tsr_build_load_ptr_tko(b->b, at, TSR_MEMORY_WEAK);
}

tsr_value ops_from_index(ops_build *b, tsr_value x) {
  if (!x || !ops_is_wide(b->p)) return x;
  return tsr_build_trunci(b->b, x, tsr_type_scalar(b->b, TSR_I32));
}

tsr_value ops_ceil_div(ops_build *b, tsr_value x, int64_t y) {
  if (!x) return NULL;
  tsr_value by = tsr_build_int(b->b, tsr_value_type(x), y);
  return tsr_build_divi(b->b, x, by, TSR_SIGNED, .rounding = TSR_ROUND_POSITIVE_INF);
}

void ops_take_apart(ops_build *b, tsr_value number, const tsr_value *sizes, unsigned count,
                    tsr_value *out) {
  for (unsigned d = count; d-- > 1;) {
    out[d] = tsr_build_remi(b->b, number, sizes[d], TSR_SIGNED);
    number = tsr_build_divi(b->b, number, sizes[d], TSR_SIGNED);
  }
  if (count) out[0] = number;
}

/* ---- tiles ----------------------------------------------------------------------------------- */

tsr_type ops_tile(ops_build *b, tsr_elem elem, tsr_ints shape) {
  return tsr_type_tile(b->b, elem, shape);
}

tsr_value ops_full(ops_build *b, tsr_elem elem, tsr_ints shape, double value) {
  tsr_type type = ops_tile(b, elem, shape);
  if (tsr_elem_is_int(elem))
    return tsr_build_int(b->b, type, value >= 0x1p63 ? INT64_MAX : (int64_t)value);
  return tsr_build_real(b->b, type, value);
}

tsr_value ops_full_like(ops_build *b, tsr_value like, double value) {
  return like ? ops_full(b, elem_of(like), shape_of(like), value) : NULL;
}

tsr_value ops_reshape(ops_build *b, tsr_value v, tsr_ints shape) {
  return v ? tsr_build_reshape(b->b, v, ops_tile(b, elem_of(v), shape)) : NULL;
}

tsr_value ops_permute(ops_build *b, tsr_value v, tsr_ints order) {
  int64_t shape[TSR_OP_MAX_RANK];
  if (!v) return NULL;
  for (size_t d = 0; d < order.len; d++) shape[d] = shape_of(v).data[order.data[d]];
  tsr_type type = ops_tile(b, elem_of(v), (tsr_ints){shape, order.len});
  return tsr_build_permute(b->b, v, order, type);
}

static bool same_shape(tsr_ints a, tsr_ints b) {
  return a.len == b.len && memcmp(a.data, b.data, a.len * sizeof *a.data) == 0;
}

tsr_value ops_broadcast(ops_build *b, tsr_value v, tsr_ints shape) {
  if (!v || same_shape(shape_of(v), shape)) return v;
  return tsr_build_broadcast(b->b, v, ops_tile(b, elem_of(v), shape));
}

tsr_value ops_spread(ops_build *b, tsr_value scalar, tsr_ints shape) {
  return scalar ? tsr_build_splat(b->b, scalar, shape) : NULL;
}

/* ---- conversions ----------------------------------------------------------------------------- */

ops_type ops_arithmetic_type(ops_type t) {
  if (ops_type_is_int(t)) return ops_type_bits(t) > 32 ? TSR_I64 : TSR_I32;
  return ops_type_elem(t) == TSR_F64 ? TSR_F64 : TSR_F32;
}

static tsr_signedness sign_of(ops_type t) {
  return ops_type_is_unsigned(t) ? TSR_UNSIGNED : TSR_SIGNED;
}

static tsr_type converted(ops_build *b, tsr_value v, ops_type to) {
  return tsr_type_with_elem(b->b, tsr_value_type(v), ops_type_elem(to));
}

/* Integers of fewer bits than a byte have no arithmetic of their own. */
static tsr_value widen_small(ops_build *b, tsr_value v, ops_type *from) {
  if (!ops_type_is_int(*from) || ops_type_bits(*from) >= 8) return v;
  ops_type byte = TSR_I8 | (*from & OPS_UNSIGNED);
  v = tsr_build_exti(b->b, v, sign_of(*from), converted(b, v, byte));
  *from = byte;
  return v;
}

static tsr_value clamp(ops_build *b, tsr_value v, double low, double high, tsr_signedness sign) {
  tsr_value lowest = ops_full_like(b, v, low), highest = ops_full_like(b, v, high);
  if (tsr_elem_is_float(elem_of(v)))
    return tsr_build_minf(b->b, tsr_build_maxf(b->b, v, lowest), highest);
  v = tsr_build_maxi(b->b, v, lowest, sign);
  return tsr_build_mini(b->b, v, highest, sign);
}

/* Integer to integer: what is out of range becomes the nearest that is in it. */
static tsr_value int_to_int(ops_build *b, tsr_value v, ops_type from, ops_type to) {
  double low = MAX(ops_type_lowest(from), ops_type_lowest(to));
  double high = MIN(ops_type_highest(from), ops_type_highest(to));
  bool narrows = low > ops_type_lowest(from) || high < ops_type_highest(from);
  if (narrows && ops_type_bits(from) <= 32) v = clamp(b, v, low, high, sign_of(from));
  if (ops_type_bits(to) > ops_type_bits(from))
    return tsr_build_exti(b->b, v, sign_of(from), converted(b, v, to));
  if (ops_type_bits(to) < ops_type_bits(from))
    return tsr_build_trunci(b->b, v, converted(b, v, to));
  return v;
}

/* Adding and subtracting 1.5 * 2^mantissa rounds to an integer, ties to even. */
static tsr_value round_to_int(ops_build *b, tsr_value v, ops_type from) {
  double magic = ldexp(1.5, ops_type_elem(from) == TSR_F64 ? 52 : 23);
  tsr_value m = ops_full_like(b, v, magic);
  return tsr_build_subf(b->b, tsr_build_addf(b->b, v, m), m);
}

/* The largest number of a float type that converts to the integer type. */
static double highest_in(ops_type from, ops_type to) {
  double high = ops_type_highest(to);
  unsigned digits = ops_type_elem(from) == TSR_F64 ? 53 : 24;
  if (ops_type_bits(to) <= digits) return high;
  return ldexp(1, ilogb(high)) - ldexp(1, ilogb(high) - (int)digits);
}

static tsr_value float_to_int(ops_build *b, tsr_value v, ops_type from, ops_type to) {
  if (ops_type_elem(from) == TSR_F32 && ops_type_bits(to) > 16) {
    v = tsr_build_ftof(b->b, v, converted(b, v, TSR_F64));
    from = TSR_F64;
  }
  ops_type work = ops_type_bits(to) < 8 ? TSR_I8 | (to & OPS_UNSIGNED) : to;
  v = clamp(b, v, ops_type_lowest(to), highest_in(from, to), 0);
  if (ops_type_bits(to) <= 32) v = round_to_int(b, v, from);
  v = tsr_build_ftoi(b->b, v, sign_of(to), converted(b, v, work));
  return work == to ? v : tsr_build_trunci(b->b, v, converted(b, v, to));
}

tsr_value ops_convert(ops_build *b, tsr_value v, ops_type from, ops_type to) {
  if (!v) return NULL;
  v = widen_small(b, v, &from);
  if (ops_type_elem(from) == ops_type_elem(to)) return v;
  if (ops_type_is_float(from) && ops_type_is_float(to))
    return tsr_build_ftof(b->b, v, converted(b, v, to));
  if (ops_type_is_int(from) && ops_type_is_int(to)) return int_to_int(b, v, from, to);
  if (ops_type_is_int(from)) return tsr_build_itof(b->b, v, sign_of(from), converted(b, v, to));
  return float_to_int(b, ops_convert(b, v, from, ops_arithmetic_type(from)),
                      ops_arithmetic_type(from), to);
}

/* ---- arithmetic ------------------------------------------------------------------------------ */

static bool is_float(tsr_value v) {
  return v && tsr_elem_is_float(elem_of(v));
}

tsr_value ops_add(ops_build *b, tsr_value x, tsr_value y) {
  return is_float(x) ? tsr_build_addf(b->b, x, y) : tsr_build_addi(b->b, x, y);
}

tsr_value ops_sub(ops_build *b, tsr_value x, tsr_value y) {
  return is_float(x) ? tsr_build_subf(b->b, x, y) : tsr_build_subi(b->b, x, y);
}

tsr_value ops_mul(ops_build *b, tsr_value x, tsr_value y) {
  return is_float(x) ? tsr_build_mulf(b->b, x, y) : tsr_build_muli(b->b, x, y);
}

tsr_value ops_max(ops_build *b, tsr_value x, tsr_value y) {
  return is_float(x) ? tsr_build_maxf(b->b, x, y, .propagate_nan = true)
                     : tsr_build_maxi(b->b, x, y, TSR_SIGNED);
}

tsr_value ops_min(ops_build *b, tsr_value x, tsr_value y) {
  return is_float(x) ? tsr_build_minf(b->b, x, y, .propagate_nan = true)
                     : tsr_build_mini(b->b, x, y, TSR_SIGNED);
}

double ops_fold_identity(ops_fold fold, tsr_elem elem) {
  bool real = tsr_elem_is_float(elem);
  switch (fold) {
  case OPS_FOLD_SUM: return 0;
  case OPS_FOLD_PRODUCT: return 1;
  case OPS_FOLD_MAX: return real ? -INFINITY : ops_type_lowest(elem);
  default: return real ? INFINITY : ops_type_highest(elem);
  }
}

static tsr_value fold_two(ops_build *b, ops_fold fold, tsr_value x, tsr_value y) {
  switch (fold) {
  case OPS_FOLD_SUM: return ops_add(b, x, y);
  case OPS_FOLD_PRODUCT: return ops_mul(b, x, y);
  case OPS_FOLD_MAX: return ops_max(b, x, y);
  default: return ops_min(b, x, y);
  }
}

tsr_value ops_reduce(ops_build *b, tsr_value v, unsigned dim, ops_fold fold) {
  if (!v) return NULL;
  tsr_elem elem = elem_of(v);
  double first = ops_fold_identity(fold, elem);
  tsr_scalar identity = tsr_elem_is_float(elem)
                            ? tsr_scalar_real(elem, first)
                            : tsr_scalar_int(elem, first >= 0x1p63 ? INT64_MAX : (int64_t)first);
  tsr_op *r = tsr_build_reduce(b->b, TSR_VALUES(v), dim, TSR_SCALARS(identity));
  tsr_value x = tsr_build_arg(b->b, 0), y = tsr_build_arg(b->b, 1);
  tsr_build_yield(b->b, TSR_VALUES(fold_two(b, fold, x, y)));
  tsr_build_end(b->b);
  return tsr_op_result(r, 0);
}

/* ---- loops ----------------------------------------------------------------------------------- */

tsr_op *ops_loop(ops_build *b, tsr_value first, tsr_value end, tsr_values init) {
  return tsr_build_for(b->b, first, end, ops_i32(b, 1), init);
}

void ops_loop_end(ops_build *b, tsr_values next) {
  tsr_build_continue(b->b, next);
  tsr_build_end(b->b);
}
