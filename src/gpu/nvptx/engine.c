/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Each operation is what its instruction does, by every thread that comes there. What one thread
 * does for all of its group the first does.
 *
 * A tensor map is a parameter of the kernel for each view, box and kind of elements that copies
 * name: the launcher makes it from the operands of make_tensor_view, which must be expressions of
 * the kernel's arguments.
 */
#include "gpu/nvptx/engine.h"

#include "exec/expression.h"
#include "gpu/block/stated.h"
#include "gpu/block/storage.h"
#include "gpu/code.h"
#include "gpu/index.h"
#include "gpu/nvptx/boxes.h"
#include "gpu/nvptx/mbarrier.h"
#include "gpu/nvptx/remote.h"
#include "gpu/nvptx/state.h"
#include "gpu/nvptx/threads.h"
#include "gpu/nvptx/unit.h"
#include "gpu/shared.h"
#include "gpu/values.h"
#include "ir/block/clusters.h"
#include "ir/block/engine.h"
#include "ir/block/layouts.h"

/* ---- addresses ------------------------------------------------------------------------------ */

static llv memory_base(gen *g) {
  return LLVMBuildPtrToInt(g->start, g->scratch, g->e.i32, "shared");
}

llv nvptx_barrier_at(gen *g, ir_value *barrier, ir_value *index) {
  const storage_ref *s = value_of(g, barrier)->storage;
  llv at = fold_add(g, memory_base(g), s->base);
  if (!index) return at;
  return fold_add(g, at, fold_mul(g, gpu_scalar(g, index), k32(g, GPU_MBARRIER_BYTES)));
}

llv nvptx_part_start(gen *g, const storage_ref *s) {
  llv base = fold_add(g, memory_base(g), s->base);
  uint32_t bytes = gpu_shared_bytes((tsr_elem)s->type->elem);
  return fold_add(g, base, fold_mul(g, s->offset, k32(g, bytes)));
}

bool nvptx_check_start(gen *g, const ir_op *op, const storage_ref *s, uint32_t unit) {
  uint64_t known = (uint64_t)s->divisor * gpu_shared_bytes((tsr_elem)s->type->elem);
  if (known % unit == 0) return true;
  gpu_unsupported(g, op,
                  arena_printf(g->arena,
                               "its shared memory is only known to begin at a multiple of %llu "
                               "bytes, and the engine needs %u; cut it at whole boxes or rows",
                               (unsigned long long)known, unit));
  return false;
}

static llv first_thread(gen *g) {
  simt_dist all = simt_dist_private(0, g->block);
  return gpu_owner(g, &all);
}

/* ---- mbarriers ------------------------------------------------------------------------------ */

static void init(gen *g, ir_op *op, llv barrier) {
  bool all = !ir_operand_in(op, 1);
  int64_t n = all ? ir_operand(op, 0)->type->count : 1;
  llblock done = gpu_begin_owner(g, first_thread(g));
  for (int64_t i = 0; i < n; i++)
    nvptx_mbarrier_init(g, add_const(g, barrier, i * GPU_MBARRIER_BYTES),
                        (uint32_t)ir_int_attr(op, ATTR_count));
  if (ir_has_cluster(g->entry)) nvptx_mbarrier_show(g);
  if (done) gpu_go(g, done);
}

static void arrive(gen *g, ir_op *op, llv barrier, bool remote) {
  uint32_t count = (uint32_t)ir_int_attr(op, ATTR_count);
  llv who = NULL;
  switch (ir_int_attr(op, ATTR_each)) {
  case EACH_WARP:
    nvptx_warp_barrier(g);
    who = LLVMBuildICmp(g->e.b, LLVMIntEQ, g->lane, k32(g, 0), "");
    break;
  case EACH_GROUP:
    gpu_barrier(g);
    who = first_thread(g);
    break;
  default: break;
  }
  nvptx_mbarrier_arrive(g, barrier, count, who, remote);
}

/* The instruction counts copies by cp.async only. What the thread stored itself is there for others
 * when an arrival comes behind it. */
static void arrive_behind_copies(gen *g, llv barrier) {
  llv stored = gpu_elements_copied(g);
  llblock plain = gpu_new_block(g, "copies.engine"), waits = gpu_new_block(g, "copies.stored");
  llblock done = gpu_new_block(g, "copies.end");
  LLVMBuildCondBr(g->e.b, LLVMBuildLoad2(g->e.b, g->e.i1, stored, ""), waits, plain);
  LLVMPositionBuilderAtEnd(g->e.b, waits);
  gpu_asm(g, g->e.void_, "cp.async.wait_all;", "~{memory}", NULL, 0, true);
  nvptx_mbarrier_arrive(g, barrier, 1, NULL, false);
  LLVMBuildStore(g->e.b, LLVMConstInt(g->e.i1, 0, 0), stored);
  LLVMBuildBr(g->e.b, done);
  LLVMPositionBuilderAtEnd(g->e.b, plain);
  nvptx_mbarrier_arrive_behind_copies(g, barrier);
  gpu_go(g, done);
}

static void lower_mbarrier(gen *g, ir_op *op) {
  llv barrier = nvptx_barrier_at(g, ir_operand_in(op, 0), ir_operand_in(op, 1));
  bool remote = ir_operand(op, 0)->type->remote;
  switch (op->opcode) {
  case OP_mbarrier_init: init(g, op, barrier); return;
  case OP_mbarrier_arrive: arrive(g, op, barrier, remote); return;
  case OP_mbarrier_expect:
    nvptx_mbarrier_expect(g, barrier, (uint32_t)ir_int_attr(op, ATTR_bytes), remote);
    return;
  case OP_mbarrier_arrive_expect:
    nvptx_mbarrier_arrive_expect(g, barrier, (uint32_t)ir_int_attr(op, ATTR_bytes), remote);
    return;
  case OP_cp_async_arrive: arrive_behind_copies(g, barrier); return;
  default:
    nvptx_mbarrier_wait(g, barrier, gpu_scalar(g, ir_operand_in(op, 2)),
                        ir_has_cluster(g->entry) ? ".acquire.cluster" : "");
  }
}

/* ---- tensor maps ---------------------------------------------------------------------------- */

static bool copies_boxes(const ir_op *op) {
  return op->opcode == OP_tensor_load || op->opcode == OP_tensor_store ||
         op->opcode == OP_tensor_reduce;
}

static const ir_value *map_value_of(const ir_op *op) {
  return ir_operand_in(op, op->opcode == OP_tensor_load ? 0 : 1);
}

static const ir_op *view_of(const ir_value *described) {
  const ir_value *v = ir_operand(ir_defining_op(described), 0);
  while (ir_defining_op(v)->opcode == OP_assume) v = ir_operand(ir_defining_op(v), 0);
  return ir_defining_op(v);
}

/* Reductions ask the map which numbers elements are, other copies move bits. */
static uint8_t kind_of(const ir_op *op) {
  if (op->opcode != OP_tensor_reduce) return SIMT_MAP_BITS;
  int64_t mode = ir_int_attr(op, ATTR_mode);
  return mode == RMW_ADDF || mode == RMW_MAX || mode == RMW_MIN ? SIMT_MAP_NUMBERS : SIMT_MAP_BITS;
}

static simt_tensor_map map_for(const ir_op *op) {
  const ir_value *v = map_value_of(op);
  const ir_type *t = v->type;
  simt_tensor_map m = {.view = view_of(v),
                       .elem = t->elem,
                       .kind = kind_of(op),
                       .rank = t->rank,
                       .swizzle = (uint8_t)ir_engine_swizzle(t->memory, (tsr_elem)t->elem),
                       .stored = op->opcode != OP_tensor_load};
  for (unsigned i = 0; i < t->rank; i++) {
    m.dim[i] = (uint8_t)(t->rank - 1 - i);
    m.box[i] = (uint16_t)t->shape[t->rank - 1 - i];
  }
  return m;
}

static bool are_equal(const simt_tensor_map *a, const simt_tensor_map *b) {
  if (a->view != b->view || a->elem != b->elem || a->kind != b->kind || a->swizzle != b->swizzle)
    return false;
  return a->rank == b->rank && a->stored == b->stored && memcmp(a->box, b->box, sizeof a->box) == 0;
}

/* UINT32_MAX: it is none of those so far. */
static uint32_t map_number(gen *g, const simt_tensor_map *m) {
  const nvptx_state *own = own_of(g);
  for (uint32_t i = 0; i < own->maps.len; i++)
    if (are_equal(&own->maps.data[i], m)) return i;
  return UINT32_MAX;
}

static bool check_view(gen *g, const ir_op *op, const ir_op *made) {
  for (uint32_t k = 0; k < made->n_operands; k++) {
    if (exec_is_expression(ir_operand(made, k))) continue;
    gpu_unsupported(g, op,
                    "the launcher makes its map, so the address, sizes and strides of the view "
                    "must be computed from the kernel's arguments alone");
    return false;
  }
  return true;
}

static bool find_map(void *user, ir_op *op) {
  enum { MOST_MAPS = 32, MOST_ARGUMENTS = 64 };
  gen *g = user;
  if (!copies_boxes(op)) return true;
  simt_tensor_map m = map_for(op);
  if (!check_view(g, op, m.view)) return false;
  if (map_number(g, &m) != UINT32_MAX) return true;
  if (own_of(g)->maps.len == MOST_MAPS || ir_region(g->entry, 0)->n_args > MOST_ARGUMENTS) {
    gpu_unsupported(g, op,
                    "a kernel takes at most 32 tensor maps, and then 64 arguments; use fewer views "
                    "and boxes, or load_global");
    return false;
  }
  vec_push(g->arena, own_of(g)->maps, m);
  return true;
}

bool nvptx_find_maps(gen *g) {
  if (!ir_has_attr(g->entry, ATTR_threads) || !gpu_can(g->target, GPU_BULK_COPY)) return true;
  return ir_walk(g->entry, find_map, g);
}

/* ---- copies --------------------------------------------------------------------------------- */

static const char *reduction_of(const ir_op *op) {
  if (op->opcode != OP_tensor_reduce) return NULL;
  switch (ir_int_attr(op, ATTR_mode)) {
  case RMW_AND: return "and";
  case RMW_OR: return "or";
  case RMW_XOR: return "xor";
  case RMW_MAX:
  case RMW_UMAX: return "max";
  case RMW_MIN:
  case RMW_UMIN: return "min";
  default: return "add";
  }
}

/* Coordinates of what begins at `index`, elements in each dimension of a grid of `step`; false
 * behind the last one. */
static bool next_index(const ir_type *t, const int64_t *step, int64_t *index) {
  for (unsigned d = t->rank; d-- > 0;) {
    index[d] += step[d];
    if (index[d] < t->shape[d]) return true;
    index[d] = 0;
  }
  return false;
}

/* The ranks of the tile blocks that a copy goes to, 16 bits; NULL: to this one only. */
static llv targets_of(gen *g, const ir_op *op) {
  const ir_value *mask = ir_multicast_of(op);
  LLVMTypeRef type = LLVMInt16TypeInContext(g->e.llvm);
  return mask ? LLVMBuildTrunc(g->e.b, gpu_scalar(g, (ir_value *)mask), type, "") : NULL;
}

static void copy_boxes(gen *g, ir_op *op, const storage_ref *s, ir_use *offsets, llv barrier) {
  simt_tensor_map m = map_for(op);
  const ir_type *boxes = map_value_of(op)->type;
  uint32_t bytes = gpu_shared_bytes((tsr_elem)s->type->elem);
  int64_t index[SIMT_MAP_RANK] = {0};
  llv start = nvptx_part_start(g, s), to = targets_of(g, op);
  if (!nvptx_check_start(g, op, s, GPU_BOX_ALIGN)) return;
  do {
    nvptx_box c = {.rank = m.rank, .barrier = barrier, .to_all = to};
    c.map = own_of(g)->map_address[map_number(g, &m)];
    c.place = add_const(g, start, ir_memory_offset(s->type->memory, index) * bytes);
    for (unsigned i = 0; i < m.rank; i++)
      c.at[i] =
          fold_add(g, gpu_scalar(g, offsets[m.dim[i]].value), k32(g, (uint32_t)index[m.dim[i]]));
    if (barrier)
      nvptx_load_box(g, &c);
    else
      nvptx_store_box(g, &c, reduction_of(op));
  } while (next_index(s->type, boxes->shape, index));
}

/* Address of the element of a view that is at `index` behind `offsets`. */
static llv global_at(gen *g, const view *v, ir_use *offsets, const int64_t *index) {
  LLVMBuilderRef b = g->e.b;
  llv at = v->base;
  for (unsigned d = 0; d < v->type->rank; d++) {
    llv offset = LLVMBuildSExt(b, gpu_scalar(g, offsets[d].value), g->e.i64, "");
    offset = fold_mul(g, add_const(g, offset, index[d]), v->stride[d]);
    at = add_of(g, at, fold_mul(g, offset, k64(g, gpu_shared_bytes((tsr_elem)v->type->elem))));
  }
  return at;
}

static void copy_rows(gen *g, ir_op *op, const storage_ref *s, const view *v, ir_use *offsets,
                      llv barrier) {
  enum { GRANULE = 16, MOST_ROWS = 256 };
  const ir_type *t = s->type;
  int64_t index[IR_MAX_RANK] = {0}, step[IR_MAX_RANK];
  uint32_t bytes = gpu_shared_bytes((tsr_elem)t->elem);
  for (unsigned d = 0; d < t->rank; d++) step[d] = d == t->rank - 1u ? t->shape[d] : 1;
  uint32_t row = (uint32_t)t->shape[t->rank - 1] * bytes;
  if (!nvptx_check_start(g, op, s, GRANULE)) return;
  if (t->count > t->shape[t->rank - 1] * MOST_ROWS) {
    gpu_unsupported(g, op,
                    "it has more than 256 rows, each of which would be an instruction; use "
                    "a tensor map");
    return;
  }
  llv start = nvptx_part_start(g, s), to = targets_of(g, op);
  do {
    llv here = add_const(g, start, ir_memory_offset(t->memory, index) * bytes);
    llv at = global_at(g, v, offsets, index);
    if (barrier)
      nvptx_load_bytes(g, here, at, row, barrier, to);
    else
      nvptx_store_bytes(g, here, at, row);
  } while (next_index(t, step, index));
}

static void copy(gen *g, ir_op *op) {
  bool loads = op->opcode == OP_tensor_load || op->opcode == OP_bulk_load;
  uint32_t n;
  ir_use *offsets = ir_operand_group(op, loads ? 1 : 2, &n);
  ir_value *memory = ir_operand_in(op, loads ? 2 : 0), *other = ir_operand_in(op, loads ? 0 : 1);
  const storage_ref *s = value_of(g, memory)->storage;
  llv barrier = loads ? nvptx_barrier_at(g, ir_operand_in(op, 3), ir_operand_in(op, 4)) : NULL;
  if (copies_boxes(op))
    copy_boxes(g, op, s, offsets, barrier);
  else
    copy_rows(g, op, s, value_of(g, other)->view, offsets, barrier);
}

static void lower_copy(gen *g, ir_op *op) {
  enum { MOST_PENDING = 63 };
  switch (op->opcode) {
  case OP_make_tensor_map: *value_of(g, ir_result(op, 0)) = *value_of(g, ir_operand(op, 0)); return;
  case OP_bulk_commit: nvptx_box_commit(g); return;
  case OP_bulk_wait:
    nvptx_box_wait(g, (unsigned)MIN(ir_int_attr(op, ATTR_pending), MOST_PENDING),
                   ir_get_attr(op, ATTR_read) != NULL);
    return;
  default: copy(g, op);
  }
}

/* ---- operations ----------------------------------------------------------------------------- */

static bool has(const gen *g, const ir_op *op) {
  switch ((op_group)ir_row(op)->group) {
  case GROUP_ENGINE: return gpu_can(g->target, GPU_BULK_COPY);
  case GROUP_UNIT: return gpu_can(g->target, GPU_WGMMA);
  case GROUP_CLUSTER: return gpu_can(g->target, GPU_CLUSTERS);
  default: break;
  }
  bool bytes = op->opcode == OP_mbarrier_expect || op->opcode == OP_mbarrier_arrive_expect;
  return gpu_can(g->target, bytes ? GPU_BULK_COPY : GPU_ASYNC_COPY);
}

bool nvptx_engine(gen *g, ir_op *op) {
  if (!has(g, op)) return false;
  switch ((op_group)ir_row(op)->group) {
  case GROUP_MBARRIER: lower_mbarrier(g, op); break;
  case GROUP_ENGINE: lower_copy(g, op); break;
  case GROUP_UNIT: nvptx_unit(g, op); break;
  case GROUP_CLUSTER: nvptx_remote(g, op); break;
  default: /* fence_async: without engines there is nobody to show it to */
    if (gpu_can(g->target, GPU_BULK_COPY)) nvptx_fence_async(g);
  }
  return true;
}
