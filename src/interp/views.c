/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Views. A tensor view is a base address with an extent and a stride for each dimension; strides
 * count elements. A subview says which elements of it make a tile. For tile dimension d, with
 * dim_map[d] the tensor view's dimension that it runs along, element i of tile `index` has the
 * coordinate
 *
 *   partition_view        index[d] * tile shape[d] + i[d]
 *   strided_view          index[d] * traversal stride[d] + i[d]
 *   gather_scatter_view   index[d] + i[d], but index[d][i[d]] along the sparse dimension
 *
 * Indices, extents and strides are unsigned. An element with a coordinate outside its extent is not
 * in memory: it loads as the padding (zero when the view has none) and is not stored.
 */
#include "interp/internal.h"
#include "ir/multimem.h"

/* ---- making and asking views ---------------------------------------------------------------- */

/* What a view's slot holds. */
static uint64_t view_base(const uint64_t *view) {
  return view[0];
}
static uint64_t view_extent(const uint64_t *view, unsigned d) {
  return view[1 + d];
}
static uint64_t view_stride(const uint64_t *view, unsigned rank, unsigned d) {
  return view[1 + rank + d];
}

/* Numbers are in the type; each '?' there takes the next operand. */
void run_make_tensor_view(frame *f, const inst *i) {
  const ir_type *t = out_type(i, 0);
  uint64_t *view = at(f, i->out[0]);
  uint32_t operand = 1;
  view[0] = get_scalar(f, i, 0);
  for (unsigned d = 0; d < 2u * t->rank; d++) {
    int64_t number = d < t->rank ? t->shape[d] : t->strides[d - t->rank];
    view[1 + d] = number == IR_DYNAMIC ? get_scalar(f, i, operand++) : (uint64_t)number;
  }
}

void run_get_tensor_shape(frame *f, const inst *i) {
  const uint64_t *view = at(f, i->in[0]);
  for (unsigned d = 0; d < in_type(i, 0)->rank; d++) set_scalar(f, i, d, view_extent(view, d));
}

/* The distance between the starts of neighbouring tiles along tile dimension d. */
static uint64_t distance(const ir_type *subview, unsigned d) {
  switch (subview->kind) {
  case IR_PARTITION_VIEW: return (uint64_t)subview->shape[d];
  case IR_STRIDED_VIEW: return (uint64_t)subview->strides[d];
  default: return 1;
  }
}

static unsigned view_dimension(const ir_type *subview, unsigned d) {
  return subview->kind == IR_GATHER_SCATTER_VIEW ? d : (unsigned)subview->dim_map[d];
}

uint64_t view_index_space(const ir_type *t, const uint64_t *view, unsigned d) {
  uint64_t extent = view_extent(view, view_dimension(t, d)), step = distance(t, d);
  return extent / step + (extent % step != 0);
}

/* As many tiles as have an element inside, in the order of the tile's dimensions. */
void run_get_index_space_shape(frame *f, const inst *i) {
  const ir_type *t = in_type(i, 0);
  const uint64_t *view = at(f, i->in[0]);
  for (unsigned d = 0; d < t->rank; d++) set_scalar(f, i, d, view_index_space(t, view, d));
}

/* ---- the elements of one tile --------------------------------------------------------------- */

/* One tile of a view. */
typedef struct view_tile {
  const ir_type *type; /* the subview's */
  uintptr_t base;
  unsigned bits;
  uint64_t start[IR_MAX_RANK];  /* coordinate of the tile's first element, by tile dimension */
  bool outside[IR_MAX_RANK];    /* `start` itself does not fit 64 bits */
  uint64_t extent[IR_MAX_RANK]; /* by tile dimension too */
  uint64_t stride[IR_MAX_RANK];
  const void *sparse; /* the indices along the sparse dimension; NULL: none */
  unsigned sparse_bits;
} view_tile;

/* `view` and `index` are operand groups. */
static view_tile locate_tile(frame *f, const inst *i, unsigned view_group, unsigned index_group) {
  uint32_t operand = in_group(i, view_group), indices = in_group(i, index_group);
  const ir_type *t = in_type(i, operand);
  const uint64_t *view = at(f, i->in[operand]);
  view_tile v = {
      .type = t, .base = (uintptr_t)view_base(view), .bits = tsr_elem_bits((tsr_elem)t->elem)};
  for (unsigned d = 0; d < t->rank; d++) {
    unsigned dim = view_dimension(t, d);
    v.extent[d] = view_extent(view, dim);
    v.stride[d] = view_stride(view, t->view->rank, dim);
    if (in_type(i, indices + d)->rank == 0) {
      uint64_t index = get_scalar(f, i, indices + d);
      v.outside[d] = __builtin_mul_overflow(index, distance(t, d), &v.start[d]);
    } else {
      v.sparse = at(f, i->in[indices + d]);
      v.sparse_bits = tsr_elem_bits((tsr_elem)in_type(i, indices + d)->elem);
    }
  }
  return v;
}

static bool is_sparse(const view_tile *v, unsigned d) {
  return v->sparse && v->type->sparse_dim == d;
}

/* The coordinate of index i along tile dimension d; false when it is outside. */
static bool coordinate(const view_tile *v, unsigned d, int64_t i, uint64_t *c) {
  if (is_sparse(v, d))
    *c = get_element(v->sparse, v->sparse_bits, i);
  else if (v->outside[d] || __builtin_add_overflow(v->start[d], (uint64_t)i, c))
    return false;
  return *c < v->extent[d];
}

/* A run: neighbours along the tile's last dimension. Elements before `inside` are in memory, from
 * element `first` after the base on, `step` apart; the others are outside. */
typedef struct view_run {
  int64_t length, inside;
  uint64_t first, step;
} view_run;

/* The run at an index of the tile. It ends with the row; where rows are gathered, it is one
 * element. */
static view_run run_at(const view_tile *v, const int64_t *index) {
  unsigned rank = v->type->rank;
  if (rank == 0) return (view_run){.length = 1, .inside = 1, .step = 1};
  unsigned last = rank - 1;
  view_run run = {.length = is_sparse(v, last) ? 1 : v->type->shape[last] - index[last],
                  .step = v->stride[last]};
  for (unsigned d = 0; d < rank; d++) {
    uint64_t c;
    if (!coordinate(v, d, index[d], &c)) return run;
    run.first += c * v->stride[d];
    /* Coordinates ascend along a run, so what is inside comes first. */
    if (d == last) run.inside = (int64_t)MIN((uint64_t)run.length, v->extent[d] - c);
  }
  return run;
}

/* To the index after a run; false at the end. */
static bool next_run(const view_tile *v, int64_t *index, int64_t length) {
  unsigned d = v->type->rank;
  if (d == 0) return false;
  index[d - 1] += length - 1;
  while (d-- > 0) {
    if (++index[d] < v->type->shape[d]) return true;
    index[d] = 0;
  }
  return false;
}

/* A pointer to element `e` after the base. Of a 4-bit one, `half` says which half of the byte. */
static char *element_address(const view_tile *v, uint64_t e, unsigned *half) {
  *half = v->bits == 4 ? e & 1 : 0;
  if (num_shares_bytes(v->bits))
    return (char *)(uintptr_t)exec_bit_pointer(exec_bit_address(v->base) + e * v->bits);
  uint64_t bytes = v->bits == 4 ? e / 2 : e * (v->bits == 1 ? 1 : v->bits / 8);
  return (char *)(v->base + bytes);
}

/* ---- loads and stores ----------------------------------------------------------------------- */

uint64_t view_padding(const ir_type *t) {
  return padding_pattern(t->padding, (tsr_elem)t->elem);
}

uint64_t padding_pattern(int padding, tsr_elem elem) {
  const num_format *f = num_format_of(elem);
  if (!f) return 0; /* integers are padded by zero only */
  num_format plain =
      *f; /* NaN and infinity wherever the format has them, not what conversions do */
  plain.saturates = plain.nan_to_max = false;
  switch (padding) {
  case PADDING_NEG_ZERO: return num_zero(f, true);
  case PADDING_NAN: return num_nan(&plain);
  case PADDING_POS_INF: return num_inf(&plain, false);
  case PADDING_NEG_INF: return num_inf(&plain, true);
  default: return num_zero(f, false); /* zero, or unspecified: zero too */
  }
}

static void load_run(const view_tile *v, const view_run *run, void *tile, int64_t to,
                     int64_t ordering) {
  unsigned half;
  const char *from = element_address(v, run->first, &half);
  if (run->step == 1 && v->bits >= 8 && ordering == ORDER_WEAK) {
    copy_elements(v->bits, tile, to, 1, from, 0, 1, run->inside);
    return;
  }
  for (int64_t k = 0; k < run->inside; k++) {
    from = element_address(v, run->first + (uint64_t)k * run->step, &half);
    uint64_t value = v->bits == 4 ? load_memory(from, 8, ordering) >> 4 * half & 0xf
                                  : load_memory(from, v->bits, ordering);
    set_element(tile, v->bits, to + k, value);
  }
}

/* The tile of the view that an access is to. */
static view_tile tile_of(frame *f, const inst *i) {
  op_code opcode = (op_code)i->op->opcode;
  return locate_tile(f, i, ir_view_group(opcode), ir_index_group(opcode));
}

static const void *stored_tile(frame *f, const inst *i) {
  return at(f, i->in[in_group(i, ir_stored_group((op_code)i->op->opcode))]);
}

void run_load_view(frame *f, const inst *i) {
  view_tile v = tile_of(f, i);
  int64_t ordering = ir_int_attr(i->op, ATTR_memory_ordering_semantics);
  uint64_t padding = view_padding(v.type);
  void *tile = at(f, i->out[0]);
  int64_t index[IR_MAX_RANK] = {0}, done = 0;
  view_run run;
  do {
    run = run_at(&v, index);
    load_run(&v, &run, tile, done, ordering);
    for (int64_t k = run.inside; k < run.length; k++) set_element(tile, v.bits, done + k, padding);
    done += run.length;
  } while (next_run(&v, index, run.length));
  if (ordering != ORDER_WEAK)
    note_seen(f, i, *(const uint64_t *)at(f, i->in[0]),
              tsr_elem_storage((tsr_elem)out_type(i, 0)->elem, (size_t)i->count));
}

static void store_run(const view_tile *v, const view_run *run, const void *tile, int64_t from,
                      int64_t ordering) {
  for (int64_t k = 0; k < run->inside; k++) {
    unsigned half;
    char *to = element_address(v, run->first + (uint64_t)k * run->step, &half);
    uint64_t value = get_element(tile, v->bits, from + k);
    if (v->bits == 4)
      store_half((uint8_t *)to, half, value);
    else
      store_memory(to, v->bits, value, ordering);
  }
}

void run_store_view(frame *f, const inst *i) {
  view_tile v = tile_of(f, i);
  const void *tile = stored_tile(f, i);
  int64_t ordering = ir_int_attr(i->op, ATTR_memory_ordering_semantics);
  int64_t index[IR_MAX_RANK] = {0}, done = 0;
  view_run run;
  do {
    run = run_at(&v, index);
    store_run(&v, &run, tile, done, ordering);
    done += run.length;
  } while (next_run(&v, index, run.length));
}

void run_atomic_red_view(frame *f, const inst *i) {
  view_tile v = tile_of(f, i);
  ir_rmw mode = ir_update_mode(i->op, (tsr_elem)v.type->elem);
  const void *values = stored_tile(f, i);
  int64_t index[IR_MAX_RANK] = {0}, done = 0;
  view_run run;
  do {
    run = run_at(&v, index);
    for (int64_t k = 0; k < run.inside; k++) {
      unsigned half;
      char *address = element_address(&v, run.first + (uint64_t)k * run.step, &half);
      atomic_update(address, (tsr_elem)v.type->elem, mode, get_element(values, v.bits, done + k));
    }
    done += run.length;
  } while (next_run(&v, index, run.length));
}

/* ---- watching ------------------------------------------------------------------------------- */

bool view_stays_inside(frame *f, const inst *i, unsigned d) {
  view_tile v = tile_of(f, i);
  int64_t first = is_sparse(&v, d) ? 0 : v.type->shape[d] - 1; /* else coordinates ascend */
  for (int64_t k = first; k < v.type->shape[d]; k++) {
    uint64_t c;
    if (!coordinate(&v, d, k, &c)) return false;
  }
  return true;
}

void view_units(frame *f, const inst *i, uint64_t *units) {
  view_tile v = tile_of(f, i);
  int64_t index[IR_MAX_RANK] = {0}, done = 0;
  view_run run;
  do {
    run = run_at(&v, index);
    for (int64_t k = 0; k < run.length; k++) {
      unsigned half = 0;
      char *address = NULL;
      if (k < run.inside) address = element_address(&v, run.first + (uint64_t)k * run.step, &half);
      units[done + k] = k < run.inside ? unit_of((uintptr_t)address, half) : UNIT_NONE;
    }
    done += run.length;
  } while (next_run(&v, index, run.length));
}
