/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * An entry: its function and parameters, and the walk over its operations in program order.
 */
#include "gpu/kernel.h"
#include "llvm/conv.h"

#include "gpu/aligned.h"
#include "gpu/alloca.h"
#include "gpu/atomic.h"
#include "gpu/code.h"
#include "gpu/control.h"
#include "gpu/lines.h"
#include "gpu/memory.h"
#include "gpu/placement.h"
#include "gpu/print.h"
#include "gpu/product.h"
#include "gpu/reduce.h"
#include "gpu/shape.h"
#include "gpu/shared.h"
#include "gpu/values.h"
#include "gpu/vendor.h"

/* ---- scalars and views ---------------------------------------------------------------------- */

static void tensor_view(gen *g, ir_op *op) {
  const ir_type *t = ir_result(op, 0)->type;
  view *v = arena_new(g->arena, view);
  *v = (view){.type = t, .op = op, .base = gpu_scalar(g, ir_operand_in(op, 0))};
  v->shape = arena_array(g->arena, llv, MAX(t->rank, 1));
  v->stride = arena_array(g->arena, llv, MAX(t->rank, 1));
  uint32_t n, next = 0;
  ir_use *shape = ir_operand_group(op, 1, &n);
  for (unsigned d = 0; d < t->rank; d++)
    v->shape[d] = t->shape[d] == IR_DYNAMIC ? to_i64(g, gpu_scalar(g, shape[next++].value))
                                            : k64(g, t->shape[d]);
  ir_use *strides = ir_operand_group(op, 2, &n);
  next = 0;
  for (unsigned d = 0; d < t->rank; d++)
    v->stride[d] = t->strides[d] == IR_DYNAMIC ? to_i64(g, gpu_scalar(g, strides[next++].value))
                                               : k64(g, t->strides[d]);
  *value_of(g, ir_result(op, 0)) = (value){.kind = VALUE_VIEW, .view = v};
}

static void set_extent(gen *g, ir_value *v, llv extent) {
  LLVMTypeRef type = emit_elem_type(&g->e, (tsr_elem)v->type->elem);
  gpu_set_scalar(g, v, LLVMBuildIntCast2(g->e.b, extent, type, 0, ""));
}

static void tensor_shape(gen *g, ir_op *op) {
  view *v = value_of(g, ir_operand(op, 0))->view;
  for (uint32_t d = 0; d < op->n_results; d++) set_extent(g, ir_result(op, d), v->shape[d]);
}

static void index_space(gen *g, ir_op *op) {
  LLVMBuilderRef b = g->e.b;
  const ir_type *t = ir_operand(op, 0)->type;
  view *v = value_of(g, ir_operand(op, 0))->view;
  for (uint32_t d = 0; d < op->n_results; d++) {
    unsigned in_view = t->dim_map ? (unsigned)t->dim_map[d] : d;
    int64_t step = t->kind == IR_STRIDED_VIEW     ? t->strides[d]
                   : t->kind == IR_PARTITION_VIEW ? t->shape[d]
                                                  : 1;
    /* Rounded up, without overflow. */
    llv extent = v->shape[in_view];
    llv whole = LLVMBuildUDiv(b, extent, k64(g, step), "");
    llv rest = LLVMBuildURem(b, extent, k64(g, step), "");
    llv more = LLVMBuildICmp(b, LLVMIntNE, rest, k64(g, 0), "");
    set_extent(g, ir_result(op, d), add_of(g, whole, LLVMBuildZExt(b, more, g->e.i64, "")));
  }
}

static void block_position(gen *g, ir_op *op, bool is_grid) {
  for (uint32_t i = 0; i < op->n_results; i++)
    gpu_set_scalar(g, ir_result(op, i), g->vendor->block_position(g, i, is_grid));
}

/* ---- globals -------------------------------------------------------------------------------- */

/* Made on first use, for all kernels of the module; named so that they are found again. */
static llv global_of(gen *g, str name) {
  char *symbol = arena_printf(g->arena, "tessera_global_" STR_FMT, STR_ARG(name));
  llv global = LLVMGetNamedGlobal(g->e.module, symbol);
  if (global) return global;
  const ir_op *op = g->m->globals.data[ir_global_number(g->m, name)];
  const ir_dense *d = ir_get_attr(op, ATTR_value)->dense;
  tsr_elem elem = (tsr_elem)d->type->elem;
  size_t size = tsr_elem_storage(elem, (size_t)d->type->count);
  uint8_t *data = arena_array(g->arena, uint8_t, MAX(size, 1));
  memset(data, 0, MAX(size, 1));
  for (int64_t i = 0; i < d->type->count; i++) {
    uint64_t pattern = ir_dense_get(d, i);
    num_store_array(data, &pattern, elem, (size_t)i, 1);
  }
  llv init = LLVMConstStringInContext2(g->e.llvm, (const char *)data, MAX(size, 1), 1);
  global = LLVMAddGlobalInAddressSpace(g->e.module, LLVMTypeOf(init), symbol, SPACE_GLOBAL);
  LLVMSetInitializer(global, init);
  int64_t align = ir_int_attr(op, ATTR_alignment);
  LLVMSetAlignment(global, (unsigned)MAX(align, 16));
  return global;
}

static void get_global(gen *g, ir_op *op) {
  llv p = global_of(g, ir_get_attr(op, ATTR_name)->s);
  p = LLVMBuildAddrSpaceCast(g->e.b, p, g->e.ptr, "");
  gpu_set_scalar(g, ir_result(op, 0), LLVMBuildPtrToInt(g->e.b, p, g->e.i64, ""));
}

/* ---- operations ----------------------------------------------------------------------------- */

static void index_map(gen *g, ir_op *op) {
  ir_value *from = ir_operand(op, 0), *v = ir_result(op, 0);
  if (from->type->kind != IR_TILE) {
    *value_of(g, v) = *value_of(g, from);
  } else if (from->type->count == 1 && v->type->count == 1) {
    gpu_set_scalar(g, v, gpu_scalar(g, from));
  } else {
    value_of(g, v)->kind = VALUE_LAZY;
  }
}

static void grid_dependency(gen *g, ir_op *op) {
  value_of(g, ir_result(op, 0))->kind = VALUE_TOKEN;
  g->vendor->grid_dependency(g, op->opcode == OP_gdc_wait_tko);
}

/* Computes what is not an expression where it stands. */
static void elementwise_op(gen *g, ir_op *op) {
  ir_value *v = ir_result(op, 0);
  value *x = value_of(g, v);
  x->kind = VALUE_LAZY;
  if (g->placement->is_expression(g, v)) return;
  simt_dist d = gpu_dist(g, v);
  gpu_set(g, v, &d, gpu_get(g, v, &d));
}

static void gpu_op(gen *g, ir_op *op) {
  if (g->placement->lower(g, op)) return;
  switch (op->opcode) {
  case OP_constant:
  case OP_iota: elementwise_op(g, op); return;
  case OP_get_tile_block_id: block_position(g, op, false); return;
  case OP_get_num_tile_blocks: block_position(g, op, true); return;
  case OP_broadcast:
  case OP_reshape:
  case OP_permute:
  case OP_assume: index_map(g, op); return;
  case OP_extract: gpu_extract(g, op); return;
  case OP_cat: gpu_cat(g, op); return;
  case OP_insert: gpu_insert(g, op); return;
  case OP_pack:
  case OP_unpack: gpu_reinterpret(g, op); return;
  case OP_reduce: gpu_reduce(g, op); return;
  case OP_scan: gpu_scan(g, op); return;
  case OP_mmaf:
  case OP_mmai:
  case OP_mmaf_scaled: gpu_product(g, op); return;
  case OP_gdc_launch_dependents_tko:
  case OP_gdc_wait_tko: grid_dependency(g, op); return;
  case OP_memory_fence_alias_tko: /* program order holds between all operations on memory */
  case OP_make_token:
  case OP_join_tokens: value_of(g, ir_result(op, 0))->kind = VALUE_TOKEN; return;
  case OP_load_ptr_tko:
  case OP_load_view_tko: gpu_load(g, op); return;
  case OP_store_ptr_tko:
  case OP_store_view_tko: gpu_store(g, op); return;
  case OP_atomic_cas_tko:
  case OP_atomic_rmw_tko:
  case OP_atomic_red_view_tko: gpu_atomic(g, op); return;
  case OP_get_global: get_global(g, op); return;
  case OP_alloca: gpu_alloca(g, op); return;
  case OP_make_tensor_view: tensor_view(g, op); return;
  case OP_make_partition_view:
  case OP_make_strided_view:
  case OP_make_gather_scatter_view: index_map(g, op); return;
  case OP_get_tensor_shape: tensor_shape(g, op); return;
  case OP_get_index_space_shape: index_space(g, op); return;
  case OP_print_tko: gpu_print(g, op); return;
  case OP_assert: g->vendor->check(g, op); return;
  case OP_if: gpu_if(g, op); return;
  case OP_for: gpu_for(g, op); return;
  case OP_loop: gpu_loop(g, op); return;
  case OP_break:
  case OP_continue:
  case OP_yield:
  case OP_return: gpu_jump(g, op); return;
  default: break;
  }
  if (ir_row(op)->traits & TRAIT_ELEMENTWISE)
    elementwise_op(g, op);
  else
    gpu_unsupported(g, op, "the GPU backend has no lowering for it; the target interp runs it");
}

/* A thread's registers are few; code is made for each. */
static bool check_sizes(gen *g, ir_op *op) {
  enum { MOST_BITS = 9 };
  for (uint32_t i = 0; i < op->n_results; i++) {
    const ir_value *v = ir_result(op, i);
    if (v->type->kind != IR_TILE || g->placement->is_expression(g, v)) continue;
    simt_dist d = gpu_dist(g, v);
    if (d.regs <= MOST_BITS) continue;
    gpu_unsupported(g, op,
                    arena_printf(g->arena,
                                 "a tile of %lld elements needs %u registers of each of the "
                                 "block's %u threads, and at most %u are given out; use smaller "
                                 "tiles, or the target cpu",
                                 (long long)v->type->count, slots_of(&d), gpu_threads(g),
                                 1u << MOST_BITS));
    return false;
  }
  return true;
}

static bool takes_each_element(const ir_op *op) {
  switch (op->opcode) {
  case OP_store_ptr_tko:
  case OP_store_view_tko:
  case OP_atomic_red_view_tko:
  case OP_reduce:
  case OP_assert: return true;
  default: return false;
  }
}

/* An expression takes no registers, but an operation that takes all of its elements makes code for
 * each that a thread has. */
static bool check_operands(gen *g, ir_op *op) {
  enum { MOST_BITS = 10 };
  unsigned thread_bits = simt_thread_bits(g->block);
  for (uint32_t i = 0; i < op->n_operands && takes_each_element(op); i++) {
    const ir_type *t = ir_operand(op, i)->type;
    if (t->kind != IR_TILE || t->count >> thread_bits <= 1 << MOST_BITS) continue;
    gpu_unsupported(g, op,
                    arena_printf(g->arena,
                                 "of a tile of %lld elements each of the block's %u threads has "
                                 "%lld, and code is made for at most %u; use smaller tiles, or the "
                                 "target cpu",
                                 (long long)t->count, 1u << thread_bits,
                                 (long long)(t->count >> thread_bits), 1u << MOST_BITS));
    return false;
  }
  return true;
}

void gpu_body_op(gen *g, ir_op *op) {
  LLVMMetadataRef before = gpu_line(g, op);
  if (check_sizes(g, op) && check_operands(g, op)) gpu_op(g, op);
  gpu_line_back(g, before);
}

static void ops_from(gen *g, ir_op *op) {
  for (; op && !g->failed; op = op->next) {
    bool outermost = op->block->parent == g->entry;
    if (outermost && gpu_aligned_versions(g, op, ops_from)) return;
    g->vendor->before_op(g, op);
    if (!g->failed) gpu_body_op(g, op);
  }
}

void gpu_block(gen *g, ir_block *b) {
  uint32_t mark = g->cache.made.len;
  ops_from(g, b->first);
  gpu_forget(g, mark);
}

/* ---- kernels -------------------------------------------------------------------------------- */

static void parameters(gen *g) {
  ir_block *body = ir_region(g->entry, 0);
  for (uint32_t i = 0; i < body->n_args; i++) {
    ir_value *v = &body->args[i];
    tsr_elem elem = (tsr_elem)v->type->elem;
    llv word = LLVMGetParam(g->function, i);
    unsigned bits = elem == TSR_I1 ? 8 : MAX(tsr_elem_bits(elem), 8);
    if (bits < 64) word = LLVMBuildTrunc(g->e.b, word, LLVMIntTypeInContext(g->e.llvm, bits), "");
    LLVMTypeRef storage = emit_storage_type(&g->e, elem);
    if (LLVMTypeOf(word) != storage) word = LLVMBuildBitCast(g->e.b, word, storage, "");
    gpu_set_scalar(g, v, emit_decode(&g->e, elem, word));
  }
}

static bool uses_alloca(void *user, ir_op *op) {
  *(bool *)user |= op->opcode == OP_alloca;
  return true;
}

/* Scratch memory gets its size when all is known: static while that is allowed, since then a
 * launcher need not know it. */
static void finish_scratch(gen *g, gpu_shared_use *out) {
  bool dynamic = g->scratch_size + g->alloca_size > g->target->static_shared;
  if (g->scratch_size) {
    LLVMTypeRef type = LLVMArrayType2(g->e.i8, dynamic ? 0 : g->scratch_size);
    /* One variable for all kernels that align it alike: they are all the same memory. */
    const char *name = dynamic ? arena_printf(g->arena, "tessera_dynamic%u", g->scratch_align)
                               : gpu_shared_name(g, "scratch");
    llv final = dynamic ? LLVMGetNamedGlobal(g->e.module, name) : NULL;
    if (!final) final = LLVMAddGlobalInAddressSpace(g->e.module, type, name, SPACE_SHARED);
    LLVMSetAlignment(final, g->scratch_align);
    if (!dynamic) {
      LLVMSetInitializer(final, LLVMGetUndef(type));
      LLVMSetLinkage(final, LLVMInternalLinkage);
    }
    LLVMReplaceAllUsesWith(g->scratch, final);
  }
  LLVMDeleteGlobal(g->scratch);
  out->dynamic = dynamic ? g->scratch_size : 0;
  out->align = out->dynamic ? g->scratch_align : 1;
  out->fixed = g->alloca_size + (dynamic ? 0 : g->scratch_size);
}

bool gpu_kernel(gen *g, const char *symbol, gpu_shared_use *out) {
  emit *e = &g->e;
  g->values = arena_array(g->arena, value, MAX(g->n_values, 1));
  memset(g->values, 0, g->n_values * sizeof *g->values);
  gpu_cache_init(g, &g->cache);
  bool alloca = false;
  ir_walk(g->entry, uses_alloca, &alloca);
  g->space = alloca ? SPACE_GENERIC : SPACE_GLOBAL;
  g->vendor->declare(g, symbol);
  gpu_lines_begin(g, symbol);
  llblock start = gpu_new_block(g, "start"), body = gpu_new_block(g, "body");
  g->exit = gpu_new_block(g, "exit");
  LLVMPositionBuilderAtEnd(g->start, start);
  LLVMPositionBuilderAtEnd(e->b, start);
  llv thread = g->vendor->thread(g);
  g->lane = LLVMBuildAnd(e->b, thread, k32(g, (1u << g->block.lanes) - 1), "lane");
  g->warp = g->vendor->uniform(g, LLVMBuildLShr(e->b, thread, k32(g, g->block.lanes), "warp"));
  g->scratch_align =
      MAX(g->scratch_align, gpu_bank_row(g->target)); /* as simt/arrange.h counts on */
  g->scratch = LLVMAddGlobalInAddressSpace(e->module, LLVMArrayType2(e->i8, 1), "tessera_unsized",
                                           SPACE_SHARED);
  LLVMPositionBuilderAtEnd(e->b, body);
  parameters(g);
  g->vendor->body(g);
  gpu_lines_end(g);
  if (g->failed) return false;
  LLVMPositionBuilderAtEnd(e->b, g->exit);
  g->vendor->end(g);
  LLVMBuildRetVoid(e->b);
  LLVMBuildBr(g->start, body);
  finish_scratch(g, out);
  return true;
}
