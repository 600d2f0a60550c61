/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Who holds what: the layouts of an operation's tiles in a kernel of the block level. No operation
 * but convert_layout moves elements between threads silently, so operands and results have to lie
 * where the operation finds them: element-wise all alike, shape operations with renamed
 * dimensions, reductions without the dimension, whose threads then hold copies.
 */
#include <stdio.h>

#include "ir/block/engine.h"
#include "ir/block/groups.h"
#include "ir/block/layouts.h"
#include "ir/block/product.h"
#include "ir/rules.h"
#include "target/matrix.h"

static const char *layout_text(const ir_module *m, const tsr_layout *l) {
  sbuf b = SBUF((arena *)&m->arena);
  ir_layout_print(&b, l);
  return b.data;
}

/* Only a tile of rank 1 and more has one. */
static bool needs_layout(const ir_type *t) {
  return t && t->kind == IR_TILE && t->rank;
}

/* A layout over all threads of the group. */
static bool check_threads(const ir_module *m, const ir_op *op, const ir_type *t, int64_t threads) {
  if (t && t->kind == IR_ASYNC) t = t->view;
  if (!needs_layout(t)) return true;
  if (!t->layout)
    return rule_fail(m, op,
                     "%s has no layout, and none is found for it; state it, as in tile<32x8xf32, "
                     "spatial(32, 1).local(1, 8)>",
                     type_text(m, t));
  int64_t workers = tsr_layout_spatial_size(t->layout);
  return workers == threads ||
         rule_fail(m, op, "%s is spread over %lld threads, but the group has %lld", type_text(m, t),
                   (long long)workers, (long long)threads);
}

static bool check_types(const ir_module *m, const ir_op *op, int64_t around) {
  int64_t threads = ir_threads_of(op, (ir_threads){0, (int32_t)around}).count;
  for (uint32_t i = 0; i < op->n_results; i++)
    if (!check_threads(m, op, op->results[i].type, threads)) return false;
  for (unsigned r = 0; r < op->n_regions; r++)
    for (uint32_t i = 0; op->regions[r] && i < op->regions[r]->n_args; i++)
      if (!check_threads(m, op, op->regions[r]->args[i].type, threads)) return false;
  const ir_attr *copy = op->opcode == OP_cp_async ? ir_get_attr(op, ATTR_layout) : NULL;
  if (!copy) return true;
  int64_t workers = tsr_layout_spatial_size(copy->layout);
  return workers == threads ||
         rule_fail(m, op, "the copy is spread over %lld thread%s, but the group has %lld",
                   (long long)workers, plural(workers), (long long)threads);
}

/* ---- operations that keep elements in place ---------------------------------------------------
 */

/* All tiles of rank 1 and more. */
static bool check_alike(const ir_module *m, const ir_op *op) {
  const ir_type *first = NULL;
  for (uint32_t i = 0; i < op->n_operands + op->n_results; i++) {
    const ir_type *t =
        i < op->n_operands ? operand_type(op, i) : op->results[i - op->n_operands].type;
    if (!needs_layout(t)) continue;
    if (!first) first = t;
    if (t->layout != first->layout)
      return rule_fail(m, op,
                       "its tiles must have one layout, but have %s and %s; convert_layout "
                       "hands elements to other threads",
                       layout_text(m, first->layout), layout_text(m, t->layout));
  }
  return true;
}

/* The layout that follows from the operand's is the result's. */
static bool check_result(const ir_module *m, const ir_op *op, const ir_type *result,
                         tsr_status status, const tsr_layout *expected,
                         const tsr_layout_error *error) {
  if (status != TSR_OK)
    return rule_fail(m, op, "the operand's layout has no such form: %s", error->message);
  if (result->rank == 0) return true;
  const tsr_layout *l = ir_layout((ir_module *)m, expected);
  return l == result->layout ||
         rule_fail(m, op,
                   "the result lies as %s, but is declared as %s; convert_layout hands "
                   "elements to other threads",
                   layout_text(m, l), layout_text(m, result->layout));
}

/* A scalar is held by all threads. */
static tsr_status operand_layout(const ir_type *t, int64_t threads, tsr_layout *out,
                                 tsr_layout_error *e) {
  if (t->rank) {
    *out = *t->layout;
    return TSR_OK;
  }
  return tsr_layout_replicated(out, 0, NULL, (int32_t)threads, e);
}

static bool check_reshape(const ir_module *m, const ir_op *op, int64_t threads) {
  const ir_type *from = operand_type(op, 0), *to = result_type(op, 0);
  int32_t shape[TSR_LAYOUT_MAX_RANK];
  tsr_layout l;
  tsr_layout_error e;
  for (unsigned d = 0; d < to->rank; d++) shape[d] = (int32_t)to->shape[d];
  tsr_status s = operand_layout(from, threads, &l, &e);
  if (s == TSR_OK) s = tsr_layout_reshape(&l, &l, to->rank, shape, &e);
  return check_result(m, op, to, s, &l, &e);
}

static bool check_permute(const ir_module *m, const ir_op *op) {
  const ir_ints *order = ir_get_attr(op, ATTR_permutation)->ints;
  int32_t dims[TSR_LAYOUT_MAX_RANK];
  tsr_layout l;
  tsr_layout_error e;
  for (uint32_t d = 0; d < order->len; d++) dims[d] = (int32_t)order->data[d];
  tsr_status s = tsr_layout_permute(&l, operand_type(op, 0)->layout, order->len, dims, &e);
  return check_result(m, op, result_type(op, 0), s, &l, &e);
}

/* What the result's threads need is what the operand's have: the dimensions that were 1 are
 * copies. */
static bool check_broadcast(const ir_module *m, const ir_op *op) {
  const ir_type *from = operand_type(op, 0), *to = result_type(op, 0);
  int32_t dims[TSR_LAYOUT_MAX_RANK];
  uint32_t n = 0;
  tsr_layout l;
  tsr_layout_error e;
  for (unsigned d = 0; d < to->rank; d++)
    if (from->shape[d] != to->shape[d]) dims[n++] = (int32_t)d;
  tsr_status s = tsr_layout_reduce(&l, to->layout, n, dims, true, &e);
  if (s != TSR_OK) return rule_fail(m, op, "%s", e.message);
  const tsr_layout *needed = ir_layout((ir_module *)m, &l);
  return needed == from->layout ||
         rule_fail(m, op,
                   "a result with layout %s needs an operand with %s, but has %s; "
                   "convert_layout hands elements to other threads",
                   layout_text(m, to->layout), layout_text(m, needed),
                   layout_text(m, from->layout));
}

static bool check_reduce(const ir_module *m, const ir_op *op) {
  int32_t dim = (int32_t)ir_int_attr(op, ATTR_dim);
  tsr_layout l;
  tsr_layout_error e;
  for (uint32_t i = 0; i < op->n_operands; i++) {
    if (operand_type(op, i)->layout != operand_type(op, 0)->layout) return check_alike(m, op);
    tsr_status s = tsr_layout_reduce(&l, operand_type(op, i)->layout, 1, &dim, false, &e);
    if (!check_result(m, op, op->results[i].type, s, &l, &e)) return false;
  }
  return true;
}

/* A part that each thread finds among its own slots: the whole is a grid of slots of such parts. */
static bool check_part(const ir_module *m, const ir_op *op, const ir_type *whole,
                       const ir_type *part) {
  tsr_layout grid;
  tsr_layout_error e;
  tsr_status s = tsr_layout_divide(&grid, whole->layout, part->layout, &e);
  if (s == TSR_OK && grid.spatial == 0) return true;
  return rule_fail(m, op,
                   "the part lies as %s, and the whole, %s, is no grid of slots of that; "
                   "every thread must find its elements of the part among its own",
                   layout_text(m, part->layout), layout_text(m, whole->layout));
}

/* ---- matrix products --------------------------------------------------------------------------
 */

/* Fragments of one matrix instruction, and how its operands' tiles consist of them: which warp has
 * the fragment at each place of the grid, as a set of bits. */
typedef struct product {
  const char *name;
  tsr_layout grid[3]; /* of A, B and the accumulator */
} product;

static bool divides(const ir_type *t, const char *name, char part, tsr_layout *grid) {
  char full[64];
  tsr_layout fragment;
  size_t n = (size_t)snprintf(full, sizeof full, "%s.%c", name, part);
  return tsr_fragment(&fragment, full, n) &&
         tsr_layout_divide(grid, t->layout, &fragment, NULL) == TSR_OK;
}

/* Whether each warp that has a place of C has the places of A and B that it needs. */
static bool warps_agree(const product *p) {
  const tsr_layout *a = &p->grid[0], *b = &p->grid[1], *c = &p->grid[2];
  if (a->rank != 2 || b->rank != 2 || c->rank != 2) return false;
  if (a->shape[0] != c->shape[0] || b->shape[1] != c->shape[1] || a->shape[1] != b->shape[0])
    return false;
  int32_t warps[64];
  for (int32_t i = 0; i < c->shape[0]; i++)
    for (int32_t j = 0; j < c->shape[1]; j++) {
      int64_t n = tsr_layout_get_spatial(c, (int32_t[]){i, j}, warps, ARRAY_LEN(warps));
      for (int64_t w = 0; w < MIN(n, (int64_t)ARRAY_LEN(warps)); w++)
        for (int32_t k = 0; k < a->shape[1]; k++)
          if (!tsr_layout_locate_at(a, (int32_t[]){i, k}, warps[w]) ||
              !tsr_layout_locate_at(b, (int32_t[]){k, j}, warps[w]))
            return false;
    }
  return true;
}

static bool is_product_of(const ir_op *op, const char *name) {
  product p = {.name = name};
  return divides(operand_type(op, 0), name, 'A', &p.grid[0]) &&
         divides(operand_type(op, 1), name, 'B', &p.grid[1]) &&
         divides(operand_type(op, 2), name, 'C', &p.grid[2]) && warps_agree(&p);
}

/* Products without an instruction: each thread that has an element of C has its row of A and its
 * column of B. */
static bool is_product_of_threads(const ir_op *op) {
  product p = {.grid = {*operand_type(op, 0)->layout, *operand_type(op, 1)->layout,
                        *operand_type(op, 2)->layout}};
  return tsr_layout_size(&p.grid[2]) <= 1 << 16 && warps_agree(&p);
}

/* The fragments of an instruction that some target has, of those that multiply elements of one
 * type, or of the others; NULL. */
static const char *instruction_of_table(const ir_op *op, tsr_elem elem, bool of_type) {
  const matrix_instruction *x;
  for (size_t i = 0; (x = matrix_row_at(i)); i++)
    if (x->fragment && x->kind == MATRIX_WARP && (x->from == elem) == of_type &&
        is_product_of(op, x->fragment))
      return x->fragment;
  return NULL;
}

const char *ir_product_instruction(const ir_op *op) {
  /* Those that no plan takes have no row. */
  static const char *const others[] = {"mma.m16n8k8", "mma.m16n8k4.tf32", "mma.m16n8k16.f8"};
  tsr_elem elem = (tsr_elem)operand_type(op, 0)->elem;
  const char *name = instruction_of_table(op, elem, true);
  for (unsigned i = 0; i < ARRAY_LEN(others) && !name; i++)
    if (is_product_of(op, others[i])) name = others[i];
  if (!name) name = instruction_of_table(op, elem, false);
  return name ? name : is_product_of_threads(op) ? "fma" : NULL;
}

static bool check_product(const ir_module *m, const ir_op *op) {
  if (operand_type(op, 0)->rank != 2)
    return rule_fail(m, op,
                     "batches of products have no layouts at the block level yet; multiply "
                     "tiles of rank 2");
  return ir_product_instruction(op) ||
         rule_fail(
             m, op,
             "lhs %s, rhs %s and acc %s fit no matrix instruction: each must be a grid of its "
             "fragments (mma.m16n8k16.A, .B, .C and their like), and the warp that holds a "
             "fragment of acc must hold those of its row of lhs and its column of rhs",
             layout_text(m, operand_type(op, 0)->layout),
             layout_text(m, operand_type(op, 1)->layout),
             layout_text(m, operand_type(op, 2)->layout));
}

/* ---- all operations ---------------------------------------------------------------------------
 */

static bool check_worker(const ir_module *m, const ir_op *op, int64_t threads) {
  const ir_type *t = result_type(op, 0);
  tsr_layout l;
  int32_t n = (int32_t)threads;
  if (t->shape[0] == threads && tsr_layout_spatial(&l, 1, &n, NULL, NULL) == TSR_OK &&
      ir_layout((ir_module *)m, &l) == t->layout)
    return true;
  return rule_fail(m, op, "the result must be tile<%dxi32, spatial(%d)>, but is %s", n, n,
                   type_text(m, t));
}

/* The group has the threads that it divides. */
static bool check_group(const ir_module *m, const ir_op *op, int64_t threads) {
  int64_t end = ir_int_attr(op, ATTR_end);
  return end <= threads ||
         rule_fail(m, op, "threads(%lld to %lld) are not all there: the group around it has %lld",
                   (long long)ir_int_attr(op, ATTR_first), (long long)end, (long long)threads);
}

static bool check_count(const ir_module *m, const ir_op *op, int64_t threads) {
  int64_t count = ir_int_attr(op, ATTR_count);
  return count > threads - (op->opcode == OP_barrier_wait) ||
         rule_fail(m, op, "%lld threads take part, but the group alone has %lld", (long long)count,
                   (long long)threads);
}

static bool check_one_thread(const ir_module *m, const ir_op *op, int64_t threads) {
  return threads == 1 || rule_fail(m, op,
                                   "%lld threads execute it, but it is for one; put it inside "
                                   "of elect { … }",
                                   (long long)threads);
}

/* A tile of one operand and the accumulator: the warp that has rows of one has those of the other.
 */
static bool rows_agree(const tsr_layout *a, const tsr_layout *c) {
  for (int32_t i = 0; i < c->shape[0]; i++) {
    int32_t groups[64];
    int64_t n = tsr_layout_get_spatial(c, (int32_t[]){i, 0}, groups, ARRAY_LEN(groups));
    for (int64_t g = 0; g < MIN(n, (int64_t)ARRAY_LEN(groups)); g++)
      for (int32_t k = 0; k < a->shape[1]; k++)
        if (!tsr_layout_locate_at(a, (int32_t[]){i, k}, groups[g])) return false;
  }
  return a->shape[0] == c->shape[0];
}

static bool check_unit(const ir_module *m, const ir_op *op, int64_t threads) {
  const ir_type *lhs = operand_type(op, 0), *acc = result_type(op, 0)->view;
  tsr_elem elem = (tsr_elem)lhs->elem;
  tsr_layout grid, rows, fragment;
  if (threads % 128)
    return rule_fail(m, op, "%lld threads execute it; expected groups of 128", (long long)threads);
  if (!ir_unit_columns(acc, elem, &grid))
    return rule_fail(m, op,
                     "acc lies as %s; it must be a grid of wgmma.m64n…C, as spatial(2, 1) * "
                     "wgmma.m64n128k16.C for 256 threads",
                     layout_text(m, acc->layout));
  if (lhs->kind == IR_SHARED) return true;
  const char *name = tsr_elem_bits(elem) == 16 ? "wgmma.m64n8k16.A"
                     : elem == TSR_TF32        ? "wgmma.m64n8k8.tf32.A"
                                               : "wgmma.m64n8k32.f8.A";
  bool fits = tsr_fragment(&fragment, name, strlen(name)) &&
              tsr_layout_divide(&rows, lhs->layout, &fragment, NULL) == TSR_OK &&
              rows_agree(&rows, &grid);
  return fits || rule_fail_operand(m, op, 0,
                                   "lhs lies as %s; in registers it must be a grid of %s, whose "
                                   "rows are with the threads that have those of acc",
                                   layout_text(m, lhs->layout), name);
}

bool check_placement(const ir_module *m, const ir_op *op, int64_t threads) {
  bool group = op->opcode == OP_group || op->opcode == OP_role;
  if (group && !check_group(m, op, threads)) return false;
  if (!check_types(m, op, threads)) return false;
  switch ((op_code)op->opcode) {
  case OP_reshape: return check_reshape(m, op, threads);
  case OP_permute: return check_permute(m, op);
  case OP_broadcast: return check_broadcast(m, op);
  case OP_reduce: return check_reduce(m, op);
  case OP_extract: return check_part(m, op, operand_type(op, 0), result_type(op, 0));
  case OP_insert: return check_part(m, op, operand_type(op, 1), operand_type(op, 0));
  case OP_cat:
    return check_part(m, op, result_type(op, 0), operand_type(op, 0)) &&
           check_part(m, op, result_type(op, 0), operand_type(op, 1));
  case OP_mmaf:
  case OP_mmai: return check_product(m, op);
  case OP_get_worker: return check_worker(m, op, threads);
  case OP_tensor_load:
  case OP_tensor_store:
  case OP_tensor_reduce:
  case OP_bulk_load:
  case OP_bulk_store:
  case OP_bulk_commit:
  case OP_bulk_wait:
  case OP_bulk_copy: return check_one_thread(m, op, threads);
  case OP_wgmma: return check_unit(m, op, threads);
  case OP_barrier_arrive:
  case OP_barrier_wait: return check_count(m, op, threads);
  case OP_mmaf_scaled:
  case OP_pack:
  case OP_unpack: return rule_fail(m, op, "it has no form with layouts at the block level yet");
  case OP_convert_layout:
  case OP_reinterpret:
  case OP_constant:
  case OP_iota:
  case OP_print_tko:
  case OP_load_shared:
  case OP_store_shared:
  case OP_store_async:
  case OP_store_global:
  case OP_load_global: return true;
  default: break;
  }
  bool passes_on = ir_is_terminator(op) || (op->n_regions && op->opcode != OP_scan);
  return passes_on || check_alike(m, op);
}
