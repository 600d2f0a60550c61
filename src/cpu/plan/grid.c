/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Which tile block should come after which. A thread executes its tile blocks one after the other,
 * as a rule with x running fastest. A program may mean something else by x: the rows of a matrix,
 * say, and by y its columns. Then what follows a tile in memory belongs to the next tile block
 * along y, and going along x leaves each row of memory after a piece of it: pages are opened
 * again for every piece, and what the processor fetches ahead is not used. Where a tile is
 * transposed, the tile blocks that follow it in the memory it is loaded from are not those that
 * follow it in the memory it is stored to; then they go in bands.
 */
#include "cpu/plan/grid.h"

#include "cpu/core/notes.h"
#include "cpu/plan/plan.h"

enum {
  MAX_STEPS = 256,        /* of a search through the program */
  BAND_BYTES = 2048,      /* of each row that a band of tile blocks writes */
  STEP_BYTES = 128 << 10, /* that they load, at most: they also fetch as many for its next step */
  SMALL = 4,              /* operands smaller than stored tiles by that don't matter */
};

/* A search for what a value depends on: one other, or else the tile block's place. */
typedef struct dependence {
  const ir_value *on;
  unsigned dim, steps;
} dependence;

static bool depends(dependence *x, const ir_value *v) {
  if (v == x->on || ++x->steps > MAX_STEPS) return true;
  const ir_op *op = v->is_arg ? v->owner.block->parent : v->owner.op;
  if (op->opcode == OP_entry) return false;
  if (op->opcode == OP_get_tile_block_id) return !x->on && v == ir_result(op, x->dim);
  if (op->opcode == OP_for && v == ir_counter(op)) /* wherever it ends */
    return depends(x, ir_operand(op, 0)) || depends(x, ir_operand(op, 2));
  for (uint32_t i = 0; i < op->n_operands; i++)
    if (ir_operand(op, i)->type->kind != IR_TOKEN && depends(x, ir_operand(op, i))) return true;
  return false;
}

bool grid_follows(const ir_value *v, unsigned dim) {
  return depends(&(dependence){.dim = dim}, v);
}

bool value_follows(const ir_value *v, const ir_value *on) {
  return depends(&(dependence){.on = on}, v);
}

static llv field_of(lower *l, size_t offset) {
  llv field = emit_offsetk(&l->e, l->block, (int64_t)offset);
  return LLVMBuildZExt(l->e.b, LLVMBuildLoad2(l->e.b, l->e.i32, field, ""), l->e.i64, "");
}

llv grid_extent(lower *l, unsigned dim) {
  return field_of(l, offsetof(rt_block, grid) + 4 * dim);
}

llv grid_place(lower *l, unsigned dim) {
  return field_of(l, offsetof(rt_block, id) + 4 * dim);
}

/* Bytes of tiles that are loaded (0) and stored (1) and whose neighbours in memory are tiles of the
 * next tile block along x and y; and the longest rows of such tiles that are stored. */
typedef struct neighbours {
  uint64_t bytes[2][2], row;
} neighbours;

/* The dimension of a subview along which elements lie next to each other; its rank: there is none.
 */
static unsigned packed_dimension(const ir_type *t) {
  const ir_type *whole = t->view;
  unsigned packed = whole->rank;
  for (unsigned d = 0; d < whole->rank; d++)
    if (whole->strides[d] == 1) packed = d;
  if (packed == whole->rank) packed--; /* as a rule the last, without its type saying so */
  for (unsigned d = 0; d < t->tile->rank; d++)
    if ((t->dim_map ? (unsigned)t->dim_map[d] : d) == packed) return d;
  return t->tile->rank;
}

static void count_access(neighbours *n, bool stores, const ir_type *t, const ir_use *index,
                         uint32_t n_index) {
  if (n_index == 0) return;
  unsigned d = packed_dimension(t), bits = MAX(tsr_elem_bits((tsr_elem)t->elem), 8);
  if (d >= n_index || (t->kind == IR_GATHER_SCATTER_VIEW && d == t->sparse_dim)) return;
  bool x = grid_follows(index[d].value, 0), y = grid_follows(index[d].value, 1);
  if (x == y) return;
  n->bytes[stores][y] += (uint64_t)t->tile->count * bits / 8;
  if (stores) n->row = MAX(n->row, (uint64_t)t->tile->shape[d] * bits / 8);
}

/* How far apart in memory neighbours of the grid are, in elements, as far as numbers say it; and
 * neighbours in the tile. */
typedef struct distances {
  uint64_t grid[2], tile; /* FAR: nothing says it */
  unsigned steps;
} distances;

static const uint64_t FAR = UINT64_MAX;

/* The number that a product or a shift multiplies with; FAR: no constant does. */
static uint64_t factor_of(const ir_op *op) {
  ir_value *one = plan_uniform(ir_operand(op, 1));
  const ir_op *by = one ? ir_defining_op(one) : NULL;
  if (!by || by->opcode != OP_constant) return FAR;
  uint64_t factor = ir_dense_get(ir_get_attr(by, ATTR_value)->dense, 0);
  if (op->opcode == OP_muli) return factor > 0 && factor <= UINT32_MAX ? factor : FAR;
  return factor < 32 ? UINT64_C(1) << factor : FAR;
}

/* Sums the way that an index takes into an address. What is multiplied with a number that is known
 * at run time only, as rows are, is far apart. */
static void find_distances(distances *x, const ir_value *v, uint64_t scale) {
  const ir_op *op = v->is_arg ? NULL : v->owner.op;
  if (!op || scale > UINT32_MAX || ++x->steps > MAX_STEPS) return;
  switch (op->opcode) {
  case OP_get_tile_block_id:
    for (unsigned d = 0; d < 2; d++)
      if (v == ir_result(op, d)) x->grid[d] = MIN(x->grid[d], scale);
    return;
  case OP_iota: x->tile = MIN(x->tile, scale); return;
  case OP_muli:
  case OP_shli: {
    uint64_t factor = factor_of(op);
    if (factor != FAR) find_distances(x, ir_operand(op, 0), scale * factor);
    return;
  }
  case OP_offset:
  case OP_addi:
  case OP_subi:
  case OP_mini:
  case OP_maxi:
  case OP_mulf: find_distances(x, ir_operand(op, 1), scale); break;
  case OP_exti:
  case OP_trunci:
  case OP_broadcast:
  case OP_reshape:
  case OP_permute:
  case OP_assume:
  case OP_itof:
  case OP_ftoi:
  case OP_floor: break;
  default: return;
  }
  find_distances(x, ir_operand(op, 0), scale);
}

/* Of tiles of pointers: those whose elements are neighbours, or nearly. */
static void count_pointers(neighbours *n, bool stores, const ir_value *pointers,
                           const ir_type *elements) {
  enum { APART = 4 }; /* elements that still are neighbours */
  const ir_type *t = pointers->type;
  unsigned bits = MAX(tsr_elem_bits((tsr_elem)elements->elem), 8);
  distances x = {.grid = {FAR, FAR}, .tile = FAR};
  if (t->rank == 0) return;
  find_distances(&x, pointers, 1);
  if (x.tile > APART || x.grid[0] == x.grid[1]) return;
  n->bytes[stores][x.grid[1] < x.grid[0]] += (uint64_t)t->count * bits / 8;
  if (stores) n->row = MAX(n->row, (uint64_t)t->shape[t->rank - 1] * bits / 8);
}

static bool visit_op(void *user, ir_op *op) {
  uint32_t n;
  ir_use *index;
  switch (op->opcode) {
  case OP_load_view_tko:
    index = ir_operand_group(op, 1, &n);
    count_access(user, false, ir_operand_in(op, 0)->type, index, n);
    return true;
  case OP_store_view_tko:
    index = ir_operand_group(op, 2, &n);
    count_access(user, true, ir_operand_in(op, 1)->type, index, n);
    return true;
  case OP_load_ptr_tko:
    count_pointers(user, false, ir_operand_in(op, 0), ir_result(op, 0)->type);
    return ir_effect(op) != EFFECT_OBSERVED;
  case OP_store_ptr_tko:
    count_pointers(user, true, ir_operand_in(op, 0), ir_operand_in(op, 1)->type);
    return ir_effect(op) != EFFECT_OBSERVED;
  default: break;
  }
  /* Operands of products are kept along x (kblock_slices.c), and what is seen is seen in the order
   * of the grid, as far as there is one. */
  return ir_row(op)->cost != COST_PRODUCT && ir_effect(op) != EFFECT_OBSERVED;
}

/* Tile blocks that transpose read along one direction of the grid and write along the other. Going
 * along either alone leaves the other memory's rows after a piece of each tile. So a few tile
 * blocks go on where they write, until the rows of their tiles are long enough together, and then
 * the next ones where they read. What these load is fetched a step before (prefetch.c), so it must
 * fit into the second-level cache beside what is loaded now. */
static bool transposes(const neighbours *n, bool along_y) {
  uint64_t stored = n->bytes[1][along_y], loaded = n->bytes[0][!along_y];
  return stored > 0 && n->bytes[1][!along_y] == 0 && SMALL * loaded >= stored;
}

/* As many tile blocks as a step of a band has. */
static uint32_t band_of(const neighbours *n) {
  uint64_t most = STEP_BYTES / MAX(n->bytes[0][0] + n->bytes[0][1], 1);
  return (uint32_t)MAX(MIN(BAND_BYTES / n->row, most), 1);
}

static grid_order best_order(const lower *l) {
  neighbours n = {.row = 0};
  if (!ir_walk(l->entry, visit_op, &n)) return (grid_order){0};
  for (unsigned y = 0; y < 2; y++)
    if (transposes(&n, y)) return (grid_order){y, band_of(&n)};
  return (grid_order){n.bytes[0][1] + n.bytes[1][1] > n.bytes[0][0] + n.bytes[1][0], 0};
}

grid_order grid_order_of(lower *l) {
  grid_order r = is_on(l, PATTERN_GRID_ORDER) ? best_order(l) : (grid_order){0};
  if (r.along_y || r.band) NOTE_MATCH(l, GRID_ORDER, .n = {r.band != 0, r.band, r.along_y});
  return r;
}
