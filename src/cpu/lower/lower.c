/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The walk over a kernel's operations in program order.
 */
#include "base/invariant.h"
#include "num/num.h"
#include "ir/links.h"
#include "ir/verify.h"
#include "exec/scalar.h"
#include "llvm/conv.h"

#include "cpu/lower/lower.h"

#include "cpu/core/fold.h"
#include "cpu/core/function.h"
#include "cpu/core/notes.h"
#include "cpu/plan/affine.h"
#include "cpu/plan/map.h"
#include "cpu/plan/mask.h"
#include "cpu/plan/plan.h"
#include "cpu/plan/plan_check.h"
#include "cpu/plan/scratch.h"
#include "cpu/nest/analysis.h"
#include "cpu/nest/elementwise.h"
#include "cpu/nest/group.h"
#include "cpu/nest/nest.h"
#include "cpu/nest/profile.h"
#include "cpu/nest/reduce.h"
#include "cpu/nest/reduce_body.h"
#include "cpu/nest/scalar.h"
#include "cpu/nest/scan.h"
#include "cpu/memory/prepare.h"
#include "cpu/gemm/skinny/skinny.h"
#include "cpu/gemm/kblock.h"
#include "cpu/gemm/matrix.h"
#include "cpu/gemm/product.h"
#include "cpu/lower/checks.h"
#include "cpu/lower/control.h"
#include "cpu/lower/effects.h"
#include "cpu/lower/stores.h"
#include "cpu/lower/versions.h"

enum { OPS_PER_BLOCK = 128 };

static void set_scalar(lower *l, ir_value *v, llv s) {
  value *x = value_of(l, v);
  x->kind = VALUE_SCALAR;
  x->scalar = s;
}

/* `v` is what lies in `b`; one element is read at once and is a scalar from then on. */
static void set_buffer(lower *l, ir_value *v, buffer *b) {
  value *x = value_of(l, v);
  x->kind = VALUE_BUFFER;
  x->buffer = b;
  if (v->type->count != 1) return;
  llv scalar = scalar_gen(l, v);
  set_scalar(l, v, scalar);
}

/* ---- values --------------------------------------------------------------------------------- */

/* A tile of different constants lies in the module's data. */
/* The elements as buffers have them: those that share bytes elsewhere have one each. */
static llv constant_bytes(lower *l, const ir_dense *d) {
  if (!num_shares_bytes(tsr_elem_bits(d->type->elem)))
    return lower_global_bytes(l, d->data, d->size, 64);
  unsigned char *bytes = arena_alloc(l->arena, (size_t)d->type->count, 1);
  for (int64_t i = 0; i < d->type->count; i++) bytes[i] = (unsigned char)ir_dense_get(d, i);
  return lower_global_bytes(l, bytes, (size_t)d->type->count, 64);
}

static void lower_constant(lower *l, ir_op *op) {
  ir_value *v = ir_result(op, 0);
  value *x = value_of(l, v);
  const ir_dense *d = ir_get_attr(op, ATTR_value)->dense;
  tsr_elem elem = v->type->elem;
  if (v->type->count == 1) {
    set_scalar(l, v, emit_pattern(&l->e, elem, ir_dense_get(d, 0)));
    return;
  }
  x->linear = affine_of_op(l, op);
  x->kind = VALUE_LAZY;
  if (d->splat) return;
  buffer *b = arena_new(l->arena, buffer);
  b->elem = (uint8_t)elem;
  b->format = FORMAT_STORAGE;
  b->n = (uint8_t)tile_bits(v->type);
  for (unsigned k = 0; k < b->n; k++) b->stride[k] = 1 << k;
  b->ptr = constant_bytes(l, d);
  x->kind = VALUE_BUFFER;
  x->buffer = b;
}

static void lower_scalar_elementwise(lower *l, ir_op *op) {
  exec_elementwise what = exec_elementwise_of(op);
  llv operands[3];
  for (unsigned i = 0; i < what.n_operands; i++) operands[i] = scalar_of(l, ir_operand(op, i));
  set_scalar(l, ir_result(op, 0), gen_elementwise(l, &what, operands));
}

/* Arithmetic on what a pending reduction gives waits for it, so that the next reduction may still
 * share its nest. Integers don't wait: addresses made of them must be known to be linear. */
static bool waits(lower *l, ir_op *op) {
  ir_value *v = ir_result(op, 0);
  if (v->type->count != 1 || !tsr_elem_is_float(v->type->elem)) return false;
  bool pending = false;
  for (uint32_t i = 0; i < op->n_operands; i++) {
    ir_value *from = ir_operand(op, i);
    if (from->type->count != 1) return false;
    value *x = value_of(l, from);
    pending |= x->kind == VALUE_SCALAR && x->pending;
  }
  if (!pending) return false;
  value *x = value_of(l, v);
  x->kind = VALUE_SCALAR;
  x->pending = true;
  vec_push(l->arena, l->groups->waiting, op);
  return true;
}

/* Is the tile one scalar everywhere? */
static bool is_one_scalar(lower *l, ir_value *v) {
  for (ir_op *op; value_of(l, v)->kind != VALUE_SCALAR; v = ir_operand(op, 0)) {
    op = ir_defining_op(v);
    if (!op || !(op->opcode == OP_broadcast || op->opcode == OP_reshape || op->opcode == OP_assume))
      return false;
  }
  return true;
}

/* When a select is its first operand everywhere; NULL: that is not worth a version of the nest of
 * its own. A scalar condition chooses for all elements at once: where that saves no more than a few
 * operations, they cost less than the version takes to compile. */
static llv select_chosen(lower *l, ir_op *op) {
  enum { CHEAP = 16 };
  ir_value *condition = ir_operand(op, 0);
  if (!is_on(l, PATTERN_SELECT_VERSION)) return NULL;
  if (is_one_scalar(l, condition) && value_of(l, ir_result(op, 0))->cost <= CHEAP) return NULL;
  llv all = all_true(l, condition);
  if (!all || (LLVMIsConstant(all) && LLVMIsNull(all))) return NULL;
  NOTE_MATCH(l, SELECT_VERSION, .op = op);
  return all;
}

static void lower_expression(lower *l, ir_op *op) {
  ir_value *v = ir_result(op, 0);
  value *x = value_of(l, v);
  x->kind = VALUE_LAZY;
  x->linear = affine_of_op(l, op);
  if (!x->linear) x->clamped = affine_clamped_of_op(l, op);
  if (!x->linear && !x->clamped) x->bitwise = affine_bitwise_of_op(l, op);
  if (op->opcode == OP_select) x->chosen = select_chosen(l, op);
  if (x->materialise && !(x->linear && !x->linear->ok)) materialise_later(l, v);
}

static void lower_index_map(lower *l, ir_op *op) {
  ir_value *from = ir_operand(op, 0), *v = ir_result(op, 0);
  value *x = value_of(l, v);
  if (from->type->kind != IR_TILE) { /* assume of a view or token */
    uint32_t last = x->last;
    *x = *value_of(l, from);
    x->last = last;
  } else if (v->type->count == 1) {
    set_scalar(l, v, from->type->count == 1 ? scalar_of(l, from) : NULL);
    if (!x->scalar) {
      x->kind = VALUE_LAZY;
      llv s = scalar_gen(l, v);
      set_scalar(l, v, s);
    }
  } else {
    lower_expression(l, op);
  }
}

static void lower_elementwise(lower *l, ir_op *op) {
  if (ir_result(op, 0)->type->count == 1)
    lower_scalar_elementwise(l, op);
  else
    lower_expression(l, op);
}

/* A slice whose number is known at run time only: the source lies in a buffer, the slice is a view
 * of it. */
static void lower_extract(lower *l, ir_op *op) {
  ir_value *from = ir_operand(op, 0), *v = ir_result(op, 0);
  if (map_applies(op) || from->type->count == 1) {
    lower_index_map(l, op);
    return;
  }
  buffer *b = materialise(l, from, FORMAT_LANES);
  buffer *s = arena_new(l->arena, buffer);
  *s = *b;
  s->n = (uint8_t)tile_bits(v->type);
  llv offset = k64(l, 0);
  for (unsigned d = 0; d < from->type->rank; d++) {
    unsigned first, n, slice_first, slice_n;
    dim_bits(from->type, d, &first, &n);
    dim_bits(v->type, d, &slice_first, &slice_n);
    for (unsigned j = 0; j < slice_n; j++) s->stride[slice_first + j] = b->stride[first + j];
    if (slice_n == n) continue;
    llv i = LLVMBuildZExt(l->e.b, scalar_of(l, ir_operand(op, 1 + d)), l->e.i64, "");
    /* Past the end is undefined, but must not leave the buffer. */
    i = LLVMBuildAnd(l->e.b, i, k64(l, (INT64_C(1) << (n - slice_n)) - 1), "");
    int64_t step = (int64_t)b->stride[first + slice_n] * buffer_elem_bytes(b);
    offset = fold_add(l, offset, fold_mul(l, i, k64(l, step)));
  }
  s->ptr = emit_offset(&l->e, b->ptr, offset);
  set_buffer(l, v, s);
}

/* Eight i1 share a byte, the first in the lowest bit. Scratch memory has a byte for each. */
static void lower_bits(lower *l, ir_op *op) {
  emit *e = &l->e;
  ir_value *from = ir_operand(op, 0), *v = ir_result(op, 0);
  bool packing = op->opcode == OP_pack;
  const ir_type *flags = packing ? from->type : v->type;
  unsigned each = (unsigned)MIN(flags->count, 8), groups = tile_bits(flags) - log2_of(each);
  LLVMTypeRef bits = LLVMVectorType(e->i1, each), bytes = LLVMVectorType(e->i8, each);
  buffer *b = materialise(l, from, FORMAT_STORAGE);
  buffer *to = buffer_new(l, v->type->elem, FORMAT_LANES, tile_bits(v->type));
  group_flush(l);
  nest n;
  nest_begin(&n, l, groups, true);
  if (groups) nest_open(&n, 0, groups);
  nest_place_level(&n, n.n_levels - 1);
  llv i = groups ? n.levels[1].index : k64(l, 0), wide = fold_mul(l, i, k64(l, each));
  llv in = emit_offset(e, b->ptr, packing ? wide : i);
  llv out = emit_offset(e, to->ptr, packing ? i : wide);
  LLVMTypeRef narrow = LLVMIntTypeInContext(e->llvm, each);
  if (packing) {
    llv x = LLVMBuildLoad2(e->b, bytes, in, "");
    LLVMSetAlignment(x, 1);
    x = LLVMBuildICmp(e->b, LLVMIntNE, x, LLVMConstNull(bytes), "");
    x = LLVMBuildBitCast(e->b, x, narrow, "");
    LLVMBuildStore(e->b, each == 8 ? x : LLVMBuildZExt(e->b, x, e->i8, ""), out);
  } else {
    llv x = LLVMBuildLoad2(e->b, e->i8, in, "");
    if (each < 8) x = LLVMBuildTrunc(e->b, x, narrow, "");
    x = LLVMBuildZExt(e->b, LLVMBuildBitCast(e->b, x, bits, ""), bytes, "");
    LLVMSetAlignment(LLVMBuildStore(e->b, x, out), 1);
  }
  nest_end(&n);
  buffer_touch(l, b);
  buffer_touch(l, to);
  set_buffer(l, v, to);
}

/* The bytes of a tile, read as another element type. */
static void lower_reinterpret(lower *l, ir_op *op) {
  ir_value *from = ir_operand(op, 0), *v = ir_result(op, 0);
  if (from->type->elem == TSR_I1 || v->type->elem == TSR_I1) {
    lower_bits(l, op);
    return;
  }
  if (refuse_shared_bytes(l, op, from->type) || refuse_shared_bytes(l, op, v->type)) return;
  buffer *b = materialise(l, from, FORMAT_STORAGE);
  uint64_t bytes = tsr_elem_storage(v->type->elem, (size_t)v->type->count);
  if (bytes != tsr_elem_storage(from->type->elem, (size_t)from->type->count)) {
    lower_unsupported(l, op, "the tiles have different sizes in memory");
    return;
  }
  buffer *s = arena_new(l->arena, buffer);
  *s = *b;
  s->elem = v->type->elem;
  s->format = FORMAT_STORAGE;
  s->n = (uint8_t)tile_bits(v->type);
  for (unsigned k = 0; k < s->n; k++) s->stride[k] = 1 << k;
  set_buffer(l, v, s);
}

/* ---- memory --------------------------------------------------------------------------------- */

static void lower_load(lower *l, ir_op *op) {
  ir_value *v = ir_result(op, 0);
  value *x = value_of(l, v);
  access *a;
  value_of(l, ir_result(op, 1))->kind = VALUE_TOKEN;
  access_prepare(l, op, &a);
  check_access(l, op, a);
  if (ir_int_attr(op, ATTR_memory_ordering_semantics) != ORDER_WEAK) {
    lower_ordered_load(l, op, a);
    return;
  }
  x->kind = VALUE_LAZY;
  x->load = a;
  if (v->type->count == 1) {
    llv s = scalar_gen(l, v);
    x->load = NULL;
    set_scalar(l, v, s);
    return;
  }
  vec_push(l->arena, l->groups->loads, v);
  if (x->materialise) materialise_later(l, v);
}

static void lower_get_global(lower *l, ir_op *op) {
  uint32_t index = ir_global_number(l->m, ir_get_attr(op, ATTR_name)->s);
  set_scalar(l, ir_result(op, 0),
             lower_field(l, l->e.i64, l->globals, index * sizeof(void *), "global"));
}

static void lower_alloca_op(lower *l, ir_op *op) {
  ir_value *v = ir_result(op, 0);
  uint64_t align = (uint64_t)ir_int_attr(op, ATTR_alignment);
  uint64_t bytes = tsr_elem_storage(v->type->pointee, (size_t)ir_int_attr(op, ATTR_num_elem));
  alloca_memory m = {buffer_bytes(l, bytes + (align > BUFFER_ALIGN ? align : 0)), bytes, align};
  m.buffer->died = UINT32_MAX; /* its address may go anywhere */
  llv p = alloca_address(l, &m);
  LLVMValueRef zeros =
      LLVMBuildMemSet(l->e.b, as_ptr(l, p), LLVMConstNull(l->e.i8), k64(l, (int64_t)bytes), 16);
  LLVMSetAlignment(zeros, 1);
  set_scalar(l, v, p);
  if (l->allocas)
    l->allocas[ir_root_of(&l->roots, v) - IR_ROOT_FIRST - l->roots.n_params - l->roots.n_globals] =
        m;
}

/* ---- views ---------------------------------------------------------------------------------- */

static llv extend64(lower *l, llv v) {
  return LLVMGetIntTypeWidth(LLVMTypeOf(v)) == 64 ? v : LLVMBuildZExt(l->e.b, v, l->e.i64, "");
}

static void lower_tensor_view(lower *l, ir_op *op) {
  const ir_type *t = ir_result(op, 0)->type;
  view *v = arena_new(l->arena, view);
  v->type = t;
  v->base = scalar_of(l, ir_operand_in(op, 0));
  v->shape = arena_array(l->arena, llv, MAX(t->rank, 1));
  v->stride = arena_array(l->arena, llv, MAX(t->rank, 1));
  uint32_t n, next = 0;
  ir_use *shape = ir_operand_group(op, 1, &n);
  for (unsigned d = 0; d < t->rank; d++)
    v->shape[d] = t->shape[d] == IR_DYNAMIC ? extend64(l, scalar_of(l, shape[next++].value))
                                            : k64(l, t->shape[d]);
  ir_use *strides = ir_operand_group(op, 2, &n);
  next = 0;
  for (unsigned d = 0; d < t->rank; d++)
    v->stride[d] = t->strides[d] == IR_DYNAMIC ? extend64(l, scalar_of(l, strides[next++].value))
                                               : k64(l, t->strides[d]);
  value *x = value_of(l, ir_result(op, 0));
  x->kind = VALUE_VIEW;
  x->view = v;
}

static void set_extent(lower *l, ir_value *v, llv extent) {
  LLVMTypeRef type = emit_elem_type(&l->e, v->type->elem);
  bool narrow = LLVMGetIntTypeWidth(type) < 64;
  set_scalar(l, v, narrow ? LLVMBuildTrunc(l->e.b, extent, type, "") : extent);
}

static void lower_tensor_shape(lower *l, ir_op *op) {
  view *v = value_of(l, ir_operand(op, 0))->view;
  for (uint32_t d = 0; d < op->n_results; d++) set_extent(l, ir_result(op, d), v->shape[d]);
}

static void lower_index_space(lower *l, ir_op *op) {
  const ir_type *t = ir_operand(op, 0)->type;
  view *v = value_of(l, ir_operand(op, 0))->view;
  for (uint32_t d = 0; d < op->n_results; d++) {
    unsigned in_view = t->dim_map ? (unsigned)t->dim_map[d] : d;
    int64_t step = t->kind == IR_STRIDED_VIEW ? t->strides[d] : t->shape[d];
    llv extent = v->shape[in_view];
    /* ceil without overflow */
    llv whole = LLVMBuildUDiv(l->e.b, extent, k64(l, step), "");
    llv rest = LLVMBuildURem(l->e.b, extent, k64(l, step), "");
    llv more = LLVMBuildICmp(l->e.b, LLVMIntNE, rest, k64(l, 0), "");
    llv count = LLVMBuildAdd(l->e.b, whole, LLVMBuildZExt(l->e.b, more, l->e.i64, ""), "");
    set_extent(l, ir_result(op, d), count);
  }
}

/* ---- operations ----------------------------------------------------------------------------- */

static void lower_block_position(lower *l, ir_op *op, size_t offset) {
  for (uint32_t i = 0; i < op->n_results; i++) {
    llv v = lower_field(l, l->e.i32, l->block, offset + 4 * i, "");
    set_scalar(l, ir_result(op, i), v);
  }
}

/* The time that LLVM takes for a basic block grows faster than the block, so a long row of
 * operations is cut where nothing puts it together again: with a branch to where it continues
 * anyway, by way of a block that isn't quite empty. */
static void cut_block(lower *l) {
  if (++l->since_cut < OPS_PER_BLOCK) return;
  l->since_cut = 0;
  llv zero = LLVMConstNull(l->e.i32);
  llblock detour = lower_new_block(l, "detour"), next = lower_new_block(l, "next");
  llv straight = LLVMBuildICmp(l->e.b, LLVMIntEQ, emit_opaque(&l->e, zero, true), zero, "");
  LLVMBuildCondBr(l->e.b, straight, next, detour);
  LLVMPositionBuilderAtEnd(l->e.b, detour);
  emit_opaque(&l->e, zero, true);
  lower_go(l, next);
}

static void note_measured(lower *l, ir_op *op) {
  if (op->opcode == OP_scan) {
    NOTE(l, .kind = NOTE_SCAN, .op = op);
    return;
  }
  product p = product_of_op(op, op->opcode == OP_mmaf_scaled ? TSR_F64 : product_elem(op));
  NOTE(l, .kind = NOTE_PRODUCT, .op = op, .n = {p.m, p.n, p.k, p.batches});
}

static void lower_measured(lower *l, ir_op *op) {
  profile_span span = profile_begin_op(l, op);
  note_measured(l, op);
  notes_enter(l);
  if (op->opcode == OP_scan)
    lower_scan(l, op);
  else if (op->opcode == OP_mmaf_scaled)
    lower_mma_scaled(l, op);
  else
    lower_mma(l, op);
  notes_leave(l);
  profile_end(l, &span);
}

static void lower_flow(lower *l, ir_op *op) {
  NOTE(l, .kind = NOTE_FLOW, .op = op);
  notes_enter(l);
  if (op->opcode == OP_if)
    lower_if(l, op);
  else if (op->opcode == OP_for)
    lower_for(l, op);
  else
    lower_loop(l, op);
  notes_leave(l);
}

static void lower_op(lower *l, ir_op *op) {
  if (!plan_touches_nothing(op) && group_has_store(&l->groups->open)) group_flush(l);
  if (op->opcode != OP_constant) cut_block(l);
  switch (op->opcode) {
  case OP_constant: lower_constant(l, op); return;
  case OP_iota:
    if (ir_result(op, 0)->type->count > 1)
      lower_expression(l, op);
    else
      set_scalar(l, ir_result(op, 0),
                 LLVMConstNull(emit_elem_type(&l->e, ir_result(op, 0)->type->elem)));
    return;
  case OP_get_tile_block_id: lower_block_position(l, op, offsetof(rt_block, id)); return;
  case OP_get_num_tile_blocks: lower_block_position(l, op, offsetof(rt_block, grid)); return;
  case OP_broadcast:
  case OP_reshape:
  case OP_permute:
    if (!waits(l, op)) lower_index_map(l, op);
    return;
  case OP_assume:
    check_assume(l, op);
    lower_index_map(l, op);
    return;
  case OP_extract:
    check_slice(l, op);
    lower_extract(l, op);
    return;
  case OP_insert: check_slice(l, op); /* fallthrough */
  case OP_cat: lower_index_map(l, op); return;
  case OP_pack:
  case OP_unpack: lower_reinterpret(l, op); return;
  case OP_reduce: lower_reduce(l, op); return;
  case OP_scan:
  case OP_mmaf:
  case OP_mmai:
  case OP_mmaf_scaled: lower_measured(l, op); return;
  case OP_make_token:
  case OP_join_tokens:
  case OP_gdc_launch_dependents_tko: /* kernels run one after the other */
  case OP_gdc_wait_tko: value_of(l, ir_result(op, 0))->kind = VALUE_TOKEN; return;
  case OP_memory_fence_alias_tko:
    group_flush(l); /* what is known about distinct memory is about addresses */
    value_of(l, ir_result(op, 0))->kind = VALUE_TOKEN;
    return;
  case OP_load_ptr_tko:
  case OP_load_view_tko: lower_load(l, op); return;
  case OP_store_ptr_tko:
  case OP_store_view_tko: lower_store(l, op); return;
  case OP_atomic_cas_tko:
  case OP_atomic_rmw_tko:
  case OP_atomic_red_view_tko: lower_atomic(l, op); return;
  case OP_get_global: lower_get_global(l, op); return;
  case OP_alloca: lower_alloca_op(l, op); return;
  case OP_make_tensor_view: lower_tensor_view(l, op); return;
  case OP_make_partition_view:
  case OP_make_strided_view:
  case OP_make_gather_scatter_view: lower_index_map(l, op); return;
  case OP_get_tensor_shape: lower_tensor_shape(l, op); return;
  case OP_get_index_space_shape: lower_index_space(l, op); return;
  case OP_print_tko: lower_print(l, op); return;
  case OP_assert: lower_assert(l, op); return;
  case OP_if:
  case OP_for:
  case OP_loop: lower_flow(l, op); return;
  case OP_break:
  case OP_continue:
  case OP_yield:
  case OP_return: lower_jump(l, op); return;
  default: break;
  }
  if (ir_row(op)->traits & TRAIT_ELEMENTWISE) {
    if (!waits(l, op)) lower_elementwise(l, op);
  } else {
    lower_unsupported(l, op, "it has no lowering for this operation; the target interp runs it");
  }
}

static void lower_waiting(lower *l, ir_op **ops, uint32_t n) {
  for (uint32_t i = 0; i < n && !l->failed; i++) {
    value_of(l, ir_result(ops[i], 0))->pending = false;
    lower_op(l, ops[i]);
  }
}

void lower_block(lower *l, ir_block *b) {
  ir_block *outer = l->here;
  uint32_t undo = l->groups->undo.len, n_loads = l->groups->loads.len;
  ir_value **loads = arena_array(l->arena, ir_value *, MAX(n_loads, 1));
  if (n_loads) memcpy(loads, l->groups->loads.data, n_loads * sizeof *loads);
  l->here = b;
  for (ir_op *op = b->first; op && !l->failed; op = op->next) lower_op(l, op);
  if (!l->failed) group_flush(l);
  l->here = outer;
  while (l->groups->undo.len > undo) {
    saved_value s = vec_pop(l->groups->undo);
    *value_of(l, s.v) = s.was;
  }
  l->groups->loads.len = 0;
  for (uint32_t i = 0; i < n_loads; i++) vec_push(l->arena, l->groups->loads, loads[i]);
}

/* ---- kernels -------------------------------------------------------------------------------- */

static void lower_arguments(lower *l) {
  ir_block *body = ir_region(l->entry, 0);
  for (uint32_t i = 0; i < body->n_args; i++) {
    ir_value *v = &body->args[i];
    tsr_elem elem = v->type->elem;
    llv word = lower_field(l, l->e.i64, l->args, i * sizeof(uint64_t), "arg");
    LLVMTypeRef storage = emit_storage_type(&l->e, elem);
    unsigned bits = elem == TSR_I1 ? 8 : MAX(tsr_elem_bits(elem), 8);
    if (bits < 64) word = LLVMBuildTrunc(l->e.b, word, LLVMIntTypeInContext(l->e.llvm, bits), "");
    llv s = LLVMTypeOf(word) == storage ? word : LLVMBuildBitCast(l->e.b, word, storage, "");
    set_scalar(l, v, emit_decode(&l->e, elem, s));
  }
}

static void lower_signature(lower *l) {
  emit *e = &l->e;
  LLVMTypeRef type = LLVMFunctionType(e->void_, &e->ptr, 1, 0);
  l->function = LLVMAddFunction(e->module, l->symbol, type);
  l->block = LLVMGetParam(l->function, 0);
  LLVMSetValueName2(l->block, "block", 5);
  l->start = lower_new_block(l, "start");
  llblock body = lower_new_block(l, "body");
  LLVMPositionBuilderAtEnd(e->b, l->start);
  l->args = lower_field(l, e->ptr, l->block, offsetof(rt_block, args), "args");
  l->globals = lower_field(l, e->ptr, l->block, offsetof(rt_block, globals), "globals");
  l->scratch = lower_field(l, e->ptr, l->block, offsetof(rt_block, scratch), "scratch");
  l->hooks = lower_field(l, e->ptr, l->block, offsetof(rt_block, hooks), "hooks");
  if (l->options->checks)
    l->bounds = lower_field(l, e->ptr, l->block, offsetof(rt_block, bounds), "bounds");
  l->dummy = LLVMBuildAlloca(e->b, LLVMArrayType2(e->i8, 64), "nowhere");
  LLVMSetAlignment(l->dummy, 64);
  lower_arguments(l);
  lower_go(l, body);
  l->body_exit = lower_new_block(l, "exit");
}

/* To which memory pointers belong, for checks. Numbers the values as ir_number_values does. */
static void find_roots(lower *l) {
  if (!l->options->checks) return;
  lower_find_roots(l);
  l->allocas = arena_array(l->arena, alloca_memory, MAX(l->roots.n_allocas, 1u));
}

static bool lower_function(lower *l) {
  l->n_values = ir_number_values(l->entry);
  find_roots(l);
  l->values = arena_array(l->arena, value, l->n_values + 1); /* one more: see pair_words.c */
  memset(l->values, 0, (l->n_values + 1) * sizeof *l->values);
  lower_signature(l);
  plan_kernel(l);
  INVARIANT_SAYS(plan_problem(l));
  profile_span span = profile_begin_block(l);
  lower_block(l, ir_region(l->entry, 0));
  if (l->failed) return false;
  LLVMPositionBuilderAtEnd(l->e.b, l->body_exit);
  profile_end_block(l, &span);
  LLVMBuildRetVoid(l->e.b);
  scratch_layout(l);
  return true;
}

/* Narrow floats are kept as f32, but for those that nobody but products of pairs wants. */
static buffer_format materialised_format(lower *l, const ir_value *v) {
  return pairs_only(l, v) ? FORMAT_STORAGE : FORMAT_LANES;
}

static const group_calls calls = {.emit = versions_emit,
                                  .products_share = skinny_shares,
                                  .materialised_format = materialised_format,
                                  .lower_waiting = lower_waiting};

/* After operations have moved. What there is to say of hints has been said. */
static bool still_verifies(ir_module *m) {
  uint8_t hints = m->hints;
  m->hints = IR_HINTS_IGNORE;
  bool ok = ir_verify(m);
  m->hints = hints;
  return ok;
}

bool lower_kernel(lower *l) {
  group_begin(l, &calls);
  plan_places(l);
  INVARIANT_SAYS(ir_links_problem(l->m));
  INVARIANT(l->options->checks || still_verifies(l->m));
  return lower_function(l);
}
