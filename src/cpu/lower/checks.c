/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Checks in compiled code (cpu_options.checks): whether accesses stay in their memory, slices
 * exist, and assumptions hold.
 *
 * In front of an operation stands a test of a few instructions that nearly always says that nothing
 * is wrong: the smallest and the largest address of the tile lie in the memory that its pointer
 * comes from (ir/roots.h). Only when it cannot say so, the operands are stored and the runtime
 * looks at each element (rt_hooks.check). An access with a finding is executed without the elements
 * that are outside: in all but the exact version of its nest, elements exist only inside of the
 * memory (access.low, access.room).
 */
#include <tessera/runtime.h>

#include "llvm/conv.h"

#include "cpu/lower/checks.h"

#include "cpu/core/fold.h"
#include "cpu/core/function.h"
#include "cpu/plan/access.h"
#include "cpu/plan/scratch.h"
#include "cpu/nest/gen.h"
#include "cpu/nest/gen_buffer.h"
#include "cpu/nest/gen_memory.h"
#include "cpu/nest/group.h"
#include "cpu/nest/nest.h"
#include "cpu/nest/scalar.h"

static llv truth(lower *l, bool v) {
  return LLVMConstInt(l->e.i1, v, 0);
}

/* ---- handing operands over ------------------------------------------------------------------ */

static llv stored_scalar(lower *l, ir_value *v) {
  tsr_elem elem = (tsr_elem)v->type->elem;
  LLVMTypeRef type = emit_storage_type(&l->e, elem);
  llv p = lower_alloca(l, type, 8);
  LLVMBuildStore(l->e.b, emit_encode(&l->e, elem, scalar_of(l, v)), p);
  return p;
}

static buffer *stored_tile(lower *l, ir_value *v) {
  unsigned bits = tile_bits(v->type);
  buffer *to = buffer_new(l, (tsr_elem)v->type->elem, FORMAT_STORAGE, bits);
  buffer_touch(l, to);
  nest n;
  nest_begin(&n, l, bits, false);
  nest_open(&n, 0, bits);
  index_map m = nest_map(&n, 0);
  llv x = gen(&n, v, &m).v;
  gen_buffer_store(&n, to, &m, x);
  nest_end(&n);
  return to;
}

static void store_word(lower *l, llv at, unsigned index, llv v) {
  LLVMBuildStore(l->e.b, v, emit_offsetk(&l->e, at, (int64_t)index * 8));
}

/* Its base, extents and strides. */
static llv stored_view(lower *l, ir_value *v) {
  const view *w = value_of(l, v)->view;
  unsigned rank = w->type->rank;
  llv p = lower_alloca(l, LLVMArrayType2(l->e.i64, 1 + 2 * rank), 8);
  store_word(l, p, 0, w->base);
  for (unsigned d = 0; d < rank; d++) {
    store_word(l, p, 1 + d, w->shape[d]);
    store_word(l, p, 1 + rank + d, w->stride[d]);
  }
  return p;
}

/* Whether a check looks at this operand: not at what is stored, or takes the place of what is
 * masked off. */
static bool is_looked_at(const ir_op *op, uint32_t k) {
  const ir_type *t = ir_operand(op, k)->type;
  if (t->kind == IR_TOKEN) return false;
  switch (op->opcode) {
  case OP_load_ptr_tko: return k == 0 || ir_operand(op, k) == ir_operand_in(op, 1);
  case OP_store_ptr_tko:
  case OP_atomic_rmw_tko: return k == 0 || (k > 1 && ir_operand(op, k) == ir_operand_in(op, 2));
  case OP_atomic_cas_tko: return k == 0 || (k > 2 && ir_operand(op, k) == ir_operand_in(op, 3));
  case OP_store_view_tko: return k > 0;
  case OP_atomic_red_view_tko: return ir_operand(op, k) != ir_operand_in(op, 2) || k == 0;
  case OP_extract: return k > 0;
  case OP_insert: return k > 1;
  default: return true;
  }
}

static llv stored_operand(lower *l, const ir_op *op, uint32_t k, buffer **memory) {
  ir_value *v = ir_operand(op, k);
  if (!is_looked_at(op, k)) return LLVMConstNull(l->e.ptr);
  if (v->type->kind != IR_TILE) return stored_view(l, v);
  if (v->type->count == 1) return stored_scalar(l, v);
  *memory = stored_tile(l, v);
  return (*memory)->ptr;
}

/* The runtime's answer: an i1, true when nothing is wrong. */
static llv ask(lower *l, const ir_op *op, llv own) {
  emit *e = &l->e;
  llv table = lower_alloca(l, LLVMArrayType2(e->i64, op->n_operands + 1), 8);
  buffer **memory = arena_array(l->arena, buffer *, op->n_operands + 1);
  memset(memory, 0, (op->n_operands + 1) * sizeof *memory);
  for (uint32_t k = 0; k < op->n_operands; k++)
    store_word(l, table, k, stored_operand(l, op, k, &memory[k]));
  for (uint32_t k = 0; k < op->n_operands; k++) /* all are needed at once */
    if (memory[k]) buffer_touch(l, memory[k]);
  store_word(l, table, op->n_operands, own ? own : LLVMConstNull(e->ptr));
  LLVMTypeRef params[] = {e->ptr, e->ptr, e->ptr};
  LLVMTypeRef type = LLVMFunctionType(e->i8, params, 3, 0);
  llv id = LLVMConstIntToPtr(k64(l, (int64_t)(intptr_t)op), e->ptr);
  llv wrong = LLVMBuildCall2(e->b, type, lower_hook(l, 3), (llv[]){l->block, id, table}, 3, "");
  return LLVMBuildICmp(e->b, LLVMIntEQ, wrong, LLVMConstNull(e->i8), "clean");
}

/* ---- all elements --------------------------------------------------------------------------- */

/* An i1 or lanes of them, for the elements of an iteration. */
typedef llv (*element_test)(nest *n, const void *what, const index_map *m);

/* Whether a test holds for all elements of a tile of 1 << bits, of which `width` bits each are
 * tested at once. */
static llv all_elements(lower *l, unsigned bits, unsigned width, element_test test,
                        const void *what) {
  emit *e = &l->e;
  llv flag = lower_alloca(l, e->i8, 1);
  LLVMBuildStore(e->b, LLVMConstInt(e->i8, 1, 0), flag);
  nest n;
  nest_begin(&n, l, bits, false);
  nest_lanes(&n, 0, MIN(log2_of(e->vector_bits / width), bits));
  if (bits > n.lane_n) nest_open(&n, n.lane_n, bits - n.lane_n);
  index_map m = nest_map(&n, 0);
  llv ok = test(&n, what, &m);
  nest_place_level(&n, n.n_levels - 1);
  LLVMTypeRef type = LLVMTypeOf(ok);
  if (emit_lanes(ok) > 1) ok = emit_intrinsic(e, "llvm.vector.reduce.and", &type, 1, &ok, 1);
  llv before = LLVMBuildLoad2(e->b, e->i8, flag, "");
  LLVMBuildStore(e->b, LLVMBuildAnd(e->b, LLVMBuildZExt(e->b, ok, e->i8, ""), before, ""), flag);
  nest_end(&n);
  llv seen = LLVMBuildLoad2(e->b, e->i8, flag, "");
  return LLVMBuildICmp(e->b, LLVMIntNE, seen, LLVMConstNull(e->i8), "");
}

/* Elements that exist lie in their memory; `what` is an access. */
static llv is_inside(nest *n, const void *what, const index_map *m) {
  access a = *(const access *)what;
  llv inside = gen_range_mask(n, &a, m).v;
  a.low = NULL;
  llv exists = gen_mask(n, &a, m).v;
  if (!exists) return inside;
  nest_place_level(n, n->n_levels - 1);
  unsigned lanes = MAX(emit_lanes(inside), emit_lanes(exists));
  if (emit_lanes(inside) < lanes) inside = emit_splat(&n->l->e, inside, lanes);
  if (emit_lanes(exists) < lanes) exists = emit_splat(&n->l->e, exists, lanes);
  return LLVMBuildOr(n->l->e.b, inside, LLVMBuildNot(n->l->e.b, exists, ""), "");
}

/* `quick`; else, when there is one, a closer look at the access; else what the runtime says. */
static llv ask_unless(lower *l, const ir_op *op, llv quick, const access *closer, llv own) {
  emit *e = &l->e;
  llblock slow = lower_new_block(l, "check"), done = lower_new_block(l, "checked");
  llblock from = LLVMGetInsertBlock(e->b);
  LLVMBuildCondBr(e->b, quick, done, slow);
  LLVMPositionBuilderAtEnd(e->b, slow);
  llblock looked = NULL;
  if (closer) {
    llblock asked = lower_new_block(l, "ask");
    llv inside = fold_and(l, all_elements(l, closer->n, 64, is_inside, closer), closer->in_space);
    looked = LLVMGetInsertBlock(e->b);
    LLVMBuildCondBr(e->b, inside, done, asked);
    LLVMPositionBuilderAtEnd(e->b, asked);
  }
  llv answer = ask(l, op, own);
  llblock end = LLVMGetInsertBlock(e->b);
  lower_go(l, done);
  llv clean = LLVMBuildPhi(e->b, e->i1, "clean");
  llv yes = truth(l, true);
  LLVMAddIncoming(clean, (llv[]){yes, answer, yes}, (llblock[]){from, end, looked}, closer ? 3 : 2);
  return clean;
}

/* ---- bounds --------------------------------------------------------------------------------- */

typedef struct memory_range {
  llv low, high; /* i64 addresses: the start, the end */
  llv own;       /* of an alloca: its address */
  bool known;    /* the memory that the pointer comes from */
  bool constant;
} memory_range;

static llv bound_at(lower *l, uint32_t index) {
  llv at = emit_offsetk(&l->e, l->bounds, (int64_t)index * 8);
  return LLVMBuildLoad2(l->e.b, l->e.i64, at, "");
}

static memory_range range_of(lower *l, const ir_value *accessed) {
  const ir_roots *r = &l->roots;
  ir_root from = ir_root_of(r, accessed);
  uint32_t shared = r->n_params + r->n_globals, index = from - IR_ROOT_FIRST;
  memory_range m = {.known = from >= IR_ROOT_FIRST};
  if (m.known && index >= shared) {
    const alloca_memory *own = &l->allocas[index - shared];
    m.low = alloca_address(l, own);
    m.high = LLVMBuildAdd(l->e.b, m.low, k64(l, (int64_t)own->bytes), "");
    m.own = as_ptr(l, m.low);
    return m;
  }
  if (!m.known) index = shared; /* anywhere */
  m.low = bound_at(l, 2 * index);
  m.high = bound_at(l, 2 * index + 1);
  m.constant = m.known && index >= r->n_params &&
               ir_int_attr(l->m->globals.data[index - r->n_params], ATTR_constant);
  return m;
}

static llv is_below(lower *l, llv v, llv limit) {
  return LLVMBuildICmp(l->e.b, LLVMIntULT, v, limit, "");
}

/* Whether the whole tile lies in [low, low + room + unit - 1): an i1. */
static llv lies_inside(lower *l, const access *a) {
  LLVMBuilderRef b = l->e.b;
  llv min, max;
  access_range(l, a, &min, &max);
  max = LLVMBuildSub(b, max, k64(l, access_unit(a)), "");
  llv first = is_below(l, LLVMBuildSub(b, min, a->low, ""), a->room);
  llv last = is_below(l, LLVMBuildSub(b, max, a->low, ""), a->room);
  llv ordered = LLVMBuildICmp(b, LLVMIntULE, min, max, "");
  llv inside = fold_and(l, fold_and(l, first, last), ordered);
  return fold_and(l, fold_and(l, inside, a->ok), a->in_space);
}

void check_access(lower *l, ir_op *op, access *a) {
  if (!(l->options->checks & TSR_SANITIZE_BOUNDS)) return;
  group_flush(l);
  memory_range m = range_of(l, ir_accessed(op));
  bool nibbles = access_elem_bits(a) == 4;
  a->low = nibbles ? LLVMBuildShl(l->e.b, m.low, k64(l, 1), "") : m.low;
  llv end = nibbles ? LLVMBuildShl(l->e.b, m.high, k64(l, 1), "") : m.high;
  llv args[] = {LLVMBuildSub(l->e.b, end, a->low, ""), k64(l, access_unit(a) - 1)};
  a->room = emit_intrinsic(&l->e, "llvm.usub.sat", &l->e.i64, 1, args, 2);
  bool writes = effect_writes(ir_effect(op));
  bool testable = !a->index && m.known && !(writes && m.constant);
  llv quick = testable && a->linear ? lies_inside(l, a) : truth(l, false);
  llv clean = ask_unless(l, op, quick, testable ? a : NULL, m.own);
  if (!a->checked) return;
  a->full = fold_and(l, a->full, clean);
  a->but_bounds = fold_and(l, a->but_bounds, clean);
}

void check_slice(lower *l, ir_op *op) {
  if (!(l->options->checks & TSR_SANITIZE_BOUNDS)) return;
  bool inserts = op->opcode == OP_insert;
  const ir_type *whole = ir_operand(op, inserts ? 1 : 0)->type;
  const ir_type *slice = inserts ? ir_operand(op, 0)->type : ir_result(op, 0)->type;
  llv quick = truth(l, true);
  for (unsigned d = 0; d < whole->rank; d++) {
    llv slices = LLVMConstInt(l->e.i32, (uint64_t)(whole->shape[d] / slice->shape[d]), 0);
    llv index = scalar_of(l, ir_operand(op, (inserts ? 2 : 1) + d));
    quick = fold_and(l, quick, is_below(l, index, slices));
  }
  group_flush(l);
  ask_unless(l, op, quick, NULL, NULL);
}

/* ---- assume --------------------------------------------------------------------------------- */

/* Whether lanes keep a predicate: <lanes x i1>; NULL when only the runtime can tell. */
static llv holds(lower *l, const ir_predicate *p, llv x) {
  LLVMBuilderRef b = l->e.b;
  LLVMTypeRef type = LLVMTypeOf(x);
  llv r = NULL;
  if (p->kind == IR_DIV_BY && !p->has_every) {
    llv rest = LLVMBuildAnd(b, x, emit_const_int(&l->e, type, p->divisor - 1), "");
    return LLVMBuildICmp(b, LLVMIntEQ, rest, LLVMConstNull(type), "");
  }
  if (p->kind != IR_BOUNDED) return NULL;
  if (p->has_lower)
    r = LLVMBuildICmp(b, LLVMIntSGE, x, emit_const_int(&l->e, type, (uint64_t)p->lower), "");
  if (p->has_upper) {
    llv below =
        LLVMBuildICmp(b, LLVMIntSLE, x, emit_const_int(&l->e, type, (uint64_t)p->upper), "");
    r = r ? LLVMBuildAnd(b, r, below, "") : below;
  }
  return r;
}

typedef struct assumption {
  const ir_predicate *predicate;
  ir_value *value;
} assumption;

static llv element_holds(nest *n, const void *what, const index_map *m) {
  const assumption *a = what;
  llv x = gen(n, a->value, m).v;
  nest_place_level(n, n->n_levels - 1);
  return holds(n->l, a->predicate, x);
}

static llv all_hold(lower *l, const ir_predicate *p, ir_value *v) {
  unsigned width = v->type->elem == TSR_PTR ? 64 : MAX(tsr_elem_bits((tsr_elem)v->type->elem), 8u);
  return all_elements(l, tile_bits(v->type), width, element_holds, &(assumption){p, v});
}

static bool can_test(const ir_predicate *p) {
  return (p->kind == IR_DIV_BY && !p->has_every) ||
         (p->kind == IR_BOUNDED && (p->has_lower || p->has_upper));
}

void check_assume(lower *l, ir_op *op) {
  if (!(l->options->checks & TSR_SANITIZE_ASSUME)) return;
  const ir_predicate *p = ir_get_attr(op, ATTR_predicate)->predicate;
  ir_value *v = ir_operand(op, 0);
  if (p->kind == IR_BOUNDED && !p->has_lower && !p->has_upper) return;
  group_flush(l);
  llv quick = truth(l, false);
  if (v->type->kind == IR_TENSOR_VIEW)
    quick = holds(l, p, value_of(l, v)->view->base);
  else if (can_test(p))
    quick = v->type->count == 1 ? holds(l, p, scalar_of(l, v)) : all_hold(l, p, v);
  ask_unless(l, op, quick, NULL, NULL);
}

llv alloca_address(lower *l, const alloca_memory *m) {
  llv p = LLVMBuildPtrToInt(l->e.b, m->buffer->ptr, l->e.i64, "");
  if (m->align <= BUFFER_ALIGN) return p;
  p = LLVMBuildAdd(l->e.b, p, k64(l, (int64_t)m->align - 1), "");
  return LLVMBuildAnd(l->e.b, p, k64(l, -(int64_t)m->align), "");
}
