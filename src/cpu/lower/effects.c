/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What must happen in order: atomics, ordered loads and stores (element by element), print and
 * assert (through the runtime).
 */
#include "llvm/conv.h"
#include "llvm/elementwise.h"

#include "cpu/lower/effects.h"

#include "cpu/core/fold.h"
#include "cpu/core/function.h"
#include "cpu/plan/access.h"
#include "cpu/plan/plan.h"
#include "cpu/plan/scratch.h"
#include "cpu/nest/gen.h"
#include "cpu/nest/gen_buffer.h"
#include "cpu/nest/gen_memory.h"
#include "cpu/nest/group.h"
#include "cpu/nest/nest.h"
#include "cpu/nest/scalar.h"
#include "cpu/memory/prepare.h"
#include "cpu/lower/checks.h"

/* ---- element by element --------------------------------------------------------------------- */

static LLVMAtomicOrdering ordering_of(int64_t order) {
  switch (order) {
  case ORDER_ACQUIRE: return LLVMAtomicOrderingAcquire;
  case ORDER_RELEASE: return LLVMAtomicOrderingRelease;
  case ORDER_ACQ_REL: return LLVMAtomicOrderingAcquireRelease;
  default: return LLVMAtomicOrderingMonotonic;
  }
}

/* A loop over the elements of a tile, one at a time. */
static void element_nest(nest *n, lower *l, unsigned bits) {
  group_flush(l);
  nest_begin(n, l, bits, false);
  if (bits) nest_open(n, 0, bits);
}

typedef struct element {
  llv address, exists; /* exists NULL: it does */
  index_map m;
} element;

static element element_at(nest *n, const access *a) {
  element e = {.m = nest_map(n, 0)};
  e.address = gen_address(n, a, &e.m).v;
  e.exists = gen_mask(n, a, &e.m).v;
  nest_place_level(n, n->n_levels - 1);
  return e;
}

static llv element_ptr(lower *l, const element *e) {
  llv p = as_ptr(l, e->address);
  return e->exists ? LLVMBuildSelect(l->e.b, e->exists, p, l->dummy, "") : p;
}

/* The result of an element-wise effect: a buffer, or the scalar itself. */
static void set_result(nest *n, lower *l, ir_value *v, buffer *to, const index_map *m, llv r) {
  value *x = value_of(l, v);
  if (to) gen_buffer_store(n, to, m, r);
  x->kind = to ? VALUE_BUFFER : VALUE_SCALAR;
  x->buffer = to;
  x->scalar = r;
}

static buffer *result_buffer(lower *l, ir_value *v) {
  return v->type->count == 1 ? NULL
                             : buffer_new(l, v->type->elem, FORMAT_LANES, tile_bits(v->type));
}

static bool refuse_nibbles(lower *l, ir_op *op, const access *a) {
  if (access_elem_bits(a) >= 8) return false;
  lower_unsupported(l, op, "elements that share bytes have no ordered accesses; use weak ones");
  return true;
}

/* Makes a load or store an ordered one. Pointers need not be aligned. x86-64 does not mind;
 * AArch64's ordered instructions fault, so there it is an ordinary access, which is indivisible
 * where it is aligned, and a fence after the load or before the store. */
static void set_order(lower *l, const ir_op *op, const access *a, llv x) {
  LLVMAtomicOrdering order = ordering_of(ir_int_attr(op, ATTR_memory_ordering_semantics));
  if (!l->e.arm) {
    LLVMSetAlignment(x, access_elem_bits(a) / 8);
    LLVMSetOrdering(x, order);
    return;
  }
  LLVMSetAlignment(x, 1);
  LLVMSetVolatile(x, 1);
  if (order == LLVMAtomicOrderingMonotonic) return;
  if (LLVMIsAStoreInst(x)) LLVMPositionBuilderBefore(l->e.b, x);
  LLVMBuildFence(l->e.b, order, 0, "");
}

void lower_ordered_load(lower *l, ir_op *op, access *a) {
  emit *e = &l->e;
  ir_value *v = ir_result(op, 0);
  if (refuse_nibbles(l, op, a)) return;
  buffer *to = result_buffer(l, v);
  nest n;
  element_nest(&n, l, a->n);
  element at = element_at(&n, a);
  lane_value pad = {.v = a->pad};
  if (at.exists && a->padding) pad = gen(&n, a->padding, &at.m);
  nest_place_level(&n, n.n_levels - 1);
  llv x = LLVMBuildLoad2(e->b, emit_storage_type(e, a->elem), element_ptr(l, &at), "");
  set_order(l, op, a, x);
  x = emit_decode(e, a->elem, x);
  if (at.exists) x = emit_choose(e, a->elem, at.exists, x, pad.v);
  if (to) gen_buffer_store(&n, to, &at.m, x);
  nest_end(&n);
  value *r = value_of(l, v);
  r->kind = to ? VALUE_BUFFER : VALUE_SCALAR;
  r->buffer = to;
  r->scalar = x;
}

void lower_ordered_store(lower *l, ir_op *op, access *a) {
  emit *e = &l->e;
  ir_value *v = stored_value(op);
  if (refuse_nibbles(l, op, a)) return;
  if (v->type->count > 1) materialise(l, v, FORMAT_LANES); /* loads of it come before any store */
  nest n;
  element_nest(&n, l, a->n);
  element at = element_at(&n, a);
  llv x = gen(&n, v, &at.m).v;
  nest_place_level(&n, n.n_levels - 1);
  llv s = LLVMBuildStore(e->b, emit_encode(e, a->elem, x), element_ptr(l, &at));
  set_order(l, op, a, s);
  nest_end(&n);
}

/* ---- atomics -------------------------------------------------------------------------------- */

static LLVMAtomicRMWBinOp rmw_op(int64_t mode) {
  switch (mode) {
  case RMW_AND: return LLVMAtomicRMWBinOpAnd;
  case RMW_OR: return LLVMAtomicRMWBinOpOr;
  case RMW_XOR: return LLVMAtomicRMWBinOpXor;
  case RMW_ADD: return LLVMAtomicRMWBinOpAdd;
  case RMW_MAX: return LLVMAtomicRMWBinOpMax;
  case RMW_MIN: return LLVMAtomicRMWBinOpMin;
  case RMW_UMAX: return LLVMAtomicRMWBinOpUMax;
  case RMW_UMIN: return LLVMAtomicRMWBinOpUMin;
  default: return LLVMAtomicRMWBinOpXchg;
  }
}

static LLVMTypeRef atomic_type(lower *l, tsr_elem elem) {
  return LLVMIntTypeInContext(l->e.llvm, MAX(tsr_elem_bits(elem), 8));
}

/* Register representation <-> the integer that memory holds. */
static llv to_bits(lower *l, tsr_elem elem, llv v) {
  return LLVMBuildBitCast(l->e.b, emit_encode(&l->e, elem, v), atomic_type(l, elem), "");
}

static llv from_bits(lower *l, tsr_elem elem, llv v) {
  llv s = LLVMBuildBitCast(l->e.b, v, emit_storage_type(&l->e, elem), "");
  return emit_decode(&l->e, elem, s);
}

static llv exchange(lower *l, llv p, llv expected, llv desired, LLVMAtomicOrdering order) {
  LLVMAtomicOrdering failed =
      order == LLVMAtomicOrderingAcquire || order == LLVMAtomicOrderingAcquireRelease
          ? LLVMAtomicOrderingAcquire
          : LLVMAtomicOrderingMonotonic;
  return LLVMBuildAtomicCmpXchg(l->e.b, p, expected, desired, order, failed, 0);
}

static llv add_elements(lower *l, tsr_elem elem, llv x, llv y) {
  exec_elementwise add = {.opcode = OP_addf,
                          .n_operands = 2,
                          .result = (uint8_t)elem,
                          .operands = {(uint8_t)elem, (uint8_t)elem},
                          .rounding = ROUND_NEAREST_EVEN};
  return emit_elementwise(&l->e, &add, (llv[]){x, y});
}

/* old + x by compare-and-swap: it is what addf gives. Leaves the builder after the loop. */
static llv add_float(lower *l, tsr_elem elem, llv p, llv x, LLVMAtomicOrdering order) {
  emit *e = &l->e;
  LLVMTypeRef type = atomic_type(l, elem);
  llblock before = LLVMGetInsertBlock(e->b);
  llblock again = lower_new_block(l, "again"), done = lower_new_block(l, "added");
  llv first = LLVMBuildLoad2(e->b, type, p, "");
  LLVMSetAlignment(first, tsr_elem_bits(elem) / 8);
  LLVMSetOrdering(first, LLVMAtomicOrderingMonotonic);
  lower_go(l, again);
  llv old = LLVMBuildPhi(e->b, type, "old");
  llv sum = add_elements(l, elem, from_bits(l, elem, old), x);
  llv pair = exchange(l, p, old, to_bits(l, elem, sum), order);
  llv seen = LLVMBuildExtractValue(e->b, pair, 0, "");
  llv ok = LLVMBuildExtractValue(e->b, pair, 1, "");
  llblock end = LLVMGetInsertBlock(e->b);
  LLVMAddIncoming(old, (llv[]){first, seen}, (llblock[]){before, end}, 2);
  LLVMBuildCondBr(e->b, ok, done, again);
  LLVMPositionBuilderAtEnd(e->b, done);
  return old;
}

static llv update(lower *l, ir_op *op, const access *a, llv p, llv x, llv expected) {
  emit *e = &l->e;
  tsr_elem elem = a->elem;
  LLVMAtomicOrdering order = ordering_of(ir_int_attr(op, ATTR_memory_ordering_semantics));
  if (op->opcode == OP_atomic_cas_tko) {
    llv pair = exchange(l, p, to_bits(l, elem, expected), to_bits(l, elem, x), order);
    return from_bits(l, elem, LLVMBuildExtractValue(e->b, pair, 0, ""));
  }
  int64_t mode = ir_int_attr(op, ATTR_mode);
  if (mode == RMW_ADDF) return from_bits(l, elem, add_float(l, elem, p, x, order));
  llv old = LLVMBuildAtomicRMW(e->b, rmw_op(mode), p, to_bits(l, elem, x), order, 0);
  return from_bits(l, elem, old);
}

/* Splits the innermost block: the update happens only where the element exists. */
static llv guarded_update(nest *n, ir_op *op, const access *a, const element *at, llv x,
                          llv expected) {
  lower *l = n->l;
  emit *e = &l->e;
  level *inner = &n->levels[n->n_levels - 1];
  llv jump = LLVMGetBasicBlockTerminator(inner->block);
  llblock next = LLVMGetSuccessor(jump, 0);
  LLVMInstructionEraseFromParent(jump);
  LLVMPositionBuilderAtEnd(e->b, inner->block);
  llblock act = lower_new_block(l, "atomic"), done = lower_new_block(l, "atomic.end");
  llv otherwise = expected ? expected : LLVMConstNull(LLVMTypeOf(x));
  llblock from = inner->block;
  if (at->exists)
    LLVMBuildCondBr(e->b, at->exists, act, done);
  else
    LLVMBuildBr(e->b, act);
  LLVMPositionBuilderAtEnd(e->b, act);
  llv old = update(l, op, a, as_ptr(l, at->address), x, expected);
  llblock acted = LLVMGetInsertBlock(e->b);
  LLVMBuildBr(e->b, done);
  LLVMPositionBuilderAtEnd(e->b, done);
  llv r = LLVMBuildPhi(e->b, LLVMTypeOf(old), "");
  LLVMAddIncoming(r, &old, &acted, 1);
  if (at->exists) LLVMAddIncoming(r, &otherwise, &from, 1);
  LLVMBuildBr(e->b, next);
  /* Phis of a loop take values from its latch, so nothing else knows the old block. */
  inner->block = done;
  return r;
}

void lower_atomic(lower *l, ir_op *op) {
  access *a;
  ir_value *x, *cmp = NULL, *v = NULL;
  settle_loads(l, plan_order_of(l, op) - 1);
  group_flush(l);
  access_prepare(l, op, &a);
  if (refuse_nibbles(l, op, a)) return;
  check_access(l, op, a);
  value_of(l, ir_result(op, op->n_results - 1))->kind = VALUE_TOKEN;
  if (op->opcode == OP_atomic_cas_tko) {
    cmp = ir_operand_in(op, 1);
    x = ir_operand_in(op, 2);
  } else {
    x = ir_operand_in(op, op->opcode == OP_atomic_rmw_tko ? 1 : 2);
  }
  if (op->n_results == 2) v = ir_result(op, 0);
  if (x->type->count > 1) materialise(l, x, FORMAT_LANES);
  if (cmp && cmp->type->count > 1) materialise(l, cmp, FORMAT_LANES);
  buffer *to = v ? result_buffer(l, v) : NULL;
  nest n;
  element_nest(&n, l, a->n);
  element at = element_at(&n, a);
  llv argument = gen(&n, x, &at.m).v;
  llv expected = cmp ? gen(&n, cmp, &at.m).v : NULL;
  llv old = guarded_update(&n, op, a, &at, argument, expected);
  if (v) set_result(&n, l, v, to, &at.m, old);
  nest_end(&n);
}

/* ---- print and assert ----------------------------------------------------------------------- */

static llv shape_of(lower *l, const ir_type *t) {
  return t->rank ? lower_global_bytes(l, t->shape, t->rank * sizeof *t->shape, 8)
                 : LLVMConstNull(l->e.ptr);
}

static void store_at(lower *l, llv base, size_t offset, llv v) {
  LLVMBuildStore(l->e.b, v, emit_offsetk(&l->e, base, (int64_t)offset));
}

/* An rt_print_arg: a tile that the runtime is shown. */
static void store_shown(lower *l, llv table, size_t base, const buffer *data, const ir_type *t) {
  emit *e = &l->e;
  store_at(l, table, base + offsetof(rt_print_arg, data), data->ptr);
  store_at(l, table, base + offsetof(rt_print_arg, elem), LLVMConstInt(e->i8, t->elem, 0));
  store_at(l, table, base + offsetof(rt_print_arg, rank), LLVMConstInt(e->i8, t->rank, 0));
  store_at(l, table, base + offsetof(rt_print_arg, shape), shape_of(l, t));
}

/* What is stored for so many operands lies between two order points: LLVM would compare it with
 * what is stored for all others. */
enum { OPERANDS_TOGETHER = 16 };

static void begin_operand(lower *l, uint32_t i) {
  if (i > 0 && i % OPERANDS_TOGETHER == 0) emit_order_point(&l->e);
}

/* Where the operands of a print are listed: on the stack while they are few. */
static buffer *print_table(lower *l, uint32_t n) {
  enum { MOST_ON_STACK = 64 };
  uint64_t bytes = MAX(n, 1) * sizeof(rt_print_arg);
  if (n > MOST_ON_STACK) return buffer_bytes(l, bytes);
  buffer *b = arena_new(l->arena, buffer);
  *b = (buffer){.ptr = lower_alloca(l, LLVMArrayType2(l->e.i8, bytes), 8)};
  return b;
}

void lower_print(lower *l, ir_op *op) {
  emit *e = &l->e;
  uint32_t n;
  ir_use *args = ir_operand_group(op, 0, &n);
  if (op->n_results) value_of(l, ir_result(op, 0))->kind = VALUE_TOKEN;
  for (uint32_t i = 0; i < n; i++)
    if (refuse_shared_bytes(l, op, args[i].value->type)) return;
  buffer **data = arena_array(l->arena, buffer *, MAX(n, 1));
  for (uint32_t i = 0; i < n; i++) {
    begin_operand(l, i);
    data[i] = materialise(l, args[i].value, FORMAT_STORAGE);
  }
  group_flush(l);
  buffer *table = print_table(l, n);
  for (uint32_t i = 0; i < n; i++) {
    begin_operand(l, i);
    buffer_touch(l, data[i]);
    store_shown(l, table->ptr, i * sizeof(rt_print_arg), data[i], args[i].value->type);
  }
  str format = ir_get_attr(op, ATTR_str)->s;
  LLVMTypeRef params[] = {e->ptr, e->ptr, e->i64, e->ptr, e->i64};
  LLVMTypeRef type = LLVMFunctionType(e->void_, params, 5, 0);
  llv text = lower_global_bytes(l, format.data, format.len + 1, 1);
  llv call[] = {l->block, text, k64(l, (int64_t)format.len), table->ptr, k64(l, n)};
  LLVMBuildCall2(e->b, type, lower_hook(l, 0), call, 5, "");
  buffer_touch(l, table);
}

/* True when an element of an i1 tile in a buffer of bytes is false. */
static llv any_false(lower *l, buffer *b) {
  emit *e = &l->e;
  llv flag = lower_alloca(l, e->i8, 1);
  group_flush(l);
  LLVMBuildStore(e->b, LLVMConstNull(e->i8), flag);
  nest n;
  nest_begin(&n, l, b->n, false);
  nest_lanes(&n, 0, MIN(log2_of(e->vector_bits / 8), b->n));
  if (b->n > n.lane_n) nest_open(&n, n.lane_n, b->n - n.lane_n);
  index_map m = nest_map(&n, 0);
  llv x = gen_buffer_load(&n, b, &m).v;
  nest_place_level(&n, n.n_levels - 1);
  LLVMTypeRef type = LLVMTypeOf(x);
  bool many = LLVMGetTypeKind(type) == LLVMVectorTypeKind; /* else a tile of one element */
  llv all = many ? emit_intrinsic(e, "llvm.vector.reduce.and", &type, 1, &x, 1) : x;
  llv bad = LLVMBuildZExt(e->b, LLVMBuildNot(e->b, all, ""), e->i8, "");
  bad = LLVMBuildOr(e->b, LLVMBuildLoad2(e->b, e->i8, flag, ""), bad, "");
  LLVMBuildStore(e->b, bad, flag);
  nest_end(&n);
  llv seen = LLVMBuildLoad2(e->b, e->i8, flag, "");
  return LLVMBuildICmp(e->b, LLVMIntNE, seen, LLVMConstNull(e->i8), "");
}

void lower_assert(lower *l, ir_op *op) {
  emit *e = &l->e;
  ir_value *condition = ir_operand(op, 0);
  const ir_type *t = condition->type;
  buffer *b = t->rank ? materialise(l, condition, FORMAT_STORAGE) : NULL;
  llv bad = b ? any_false(l, b) : LLVMBuildNot(e->b, scalar_of(l, condition), "");
  group_flush(l);
  llblock report = lower_new_block(l, "assert"), done = lower_new_block(l, "assert.end");
  LLVMBuildCondBr(e->b, bad, report, done);
  LLVMPositionBuilderAtEnd(e->b, report);
  const char *s = ir_where(l->arena, l->m, op->loc);
  llv where = s ? lower_global_bytes(l, s, strlen(s) + 1, 1) : LLVMConstNull(e->ptr);
  llv shown = LLVMConstNull(e->ptr);
  if (b) {
    shown = lower_alloca(l, LLVMArrayType2(e->i8, sizeof(rt_print_arg)), 8);
    store_shown(l, shown, 0, b, t);
  }
  str message = ir_get_attr(op, ATTR_message)->s;
  LLVMTypeRef params[] = {e->ptr, e->ptr, e->ptr, e->ptr};
  LLVMTypeRef type = LLVMFunctionType(e->void_, params, 4, 0);
  llv text = lower_global_bytes(l, message.data, message.len + 1, 1);
  LLVMBuildCall2(e->b, type, lower_hook(l, 2), (llv[]){l->block, text, where, shown}, 4, "");
  lower_go(l, done);
}
