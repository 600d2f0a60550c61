/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "simt/nvidia/box.h"

#include "exec/expression.h"

enum {
  MOST_SIDE = 256, /* elements of a box */
  MOST_ROW = 128,  /* bytes of its fast dimension, swizzled */
  LEAST_ROW = 16,
};

static bool all_are_expressions(const ir_op *made) {
  for (uint32_t i = 0; i < made->n_operands; i++)
    if (!exec_is_expression(ir_operand(made, i))) return false;
  return true;
}

static int64_t tile_distance(const ir_type *t, unsigned d) {
  return t->kind == IR_STRIDED_VIEW ? t->strides[d] : t->shape[d];
}

/* The tensor view that tiles are made of, of which a launcher knows everything; NULL. */
static const ir_op *view_of(const ir_value *tiles) {
  const ir_op *divided = ir_defining_op(tiles);
  const ir_op *made = divided ? ir_defining_op(ir_operand(divided, 0)) : NULL;
  return made && made->opcode == OP_make_tensor_view && all_are_expressions(made) ? made : NULL;
}

/* The tile's dimensions in the order of the map's: the one that is contiguous, then the others from
 * the last on. */
static bool order_dimensions(const ir_type *t, uint8_t tile_dim[SIMT_MAP_RANK]) {
  uint8_t order[SIMT_BITS];
  unsigned n = 1;
  if (simt_memory_order(t, order) == 0) return false;
  for (unsigned d = t->rank; d-- > 0;) {
    unsigned first, bits;
    simt_dim_bits(t->tile, d, &first, &bits);
    bool fast = bits && first == order[0];
    if (!fast && n == SIMT_MAP_RANK) return false;
    tile_dim[fast ? 0 : n++] = (uint8_t)d;
  }
  return n == t->rank;
}

/* Rows of the fast dimension follow each other as the other dimensions do; panels follow each other
 * along what is left of the fast one. */
static void place_bits(const ir_type *t, const uint8_t *tile_dim, simt_box *box) {
  uint32_t next = box->row_bytes;
  box->panel_bytes = box->row_bytes;
  for (unsigned i = 1; i < t->rank; i++) box->panel_bytes *= (uint32_t)t->shape[tile_dim[i]];
  for (unsigned i = 0; i < t->rank; i++) {
    unsigned first, n;
    simt_dim_bits(t->tile, tile_dim[i], &first, &n);
    for (unsigned k = 0; k < n; k++) {
      uint32_t at = 1u << (box->elem_bytes + k);
      if (i == 0 && at >= box->row_bytes) at = at / box->row_bytes * box->panel_bytes;
      if (i) at = next << k;
      box->column[first + k] = at ^ (at >> 7 & ((1u << box->swizzle) - 1)) << 4;
    }
    if (i) next <<= n;
  }
}

bool simt_box_of(const ir_value *tiles, simt_box *box, simt_tensor_map *m) {
  const ir_type *t = tiles->type;
  uint8_t tile_dim[SIMT_MAP_RANK];
  memset(m, 0, sizeof *m); /* maps are compared as bytes */
  memset(box, 0, sizeof *box);
  if (t->kind != IR_PARTITION_VIEW && t->kind != IR_STRIDED_VIEW) return false;
  unsigned bits = tsr_elem_bits((tsr_elem)t->elem);
  const ir_op *made = view_of(tiles);
  if (!made || bits < 8 || t->rank > SIMT_MAP_RANK || t->view->rank != t->rank) return false;
  if (!order_dimensions(t, tile_dim)) return false;
  box->elem_bytes = (uint8_t)simt_log2(bits / 8);
  uint64_t row = (uint64_t)t->shape[tile_dim[0]] << box->elem_bytes;
  box->row_bytes = (uint32_t)MIN(row, MOST_ROW);
  if (box->row_bytes < LEAST_ROW) return false;
  box->swizzle = (uint8_t)simt_log2(box->row_bytes / LEAST_ROW);
  m->view = made;
  m->elem = t->elem;
  m->rank = (uint8_t)t->rank;
  m->swizzle = box->swizzle ? (uint8_t)box->row_bytes : 0;
  for (unsigned i = 0; i < t->rank; i++) {
    unsigned d = tile_dim[i];
    m->dim[i] = (uint8_t)(t->dim_map ? t->dim_map[d] : (int)d);
    int64_t side = i ? t->shape[d] : box->row_bytes >> box->elem_bytes;
    if (side > MOST_SIDE || tile_distance(t, d) >= 1 << 22) return false;
    m->box[i] = (uint16_t)side;
  }
  place_bits(t, tile_dim, box);
  return true;
}
