/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Rows that a tile block stores, loads again and stores anew.
 *
 *   for %j … { …; store %e, %y[%row, %j]; … }                        exponentials, say
 *   for %j … { %e = load %y[%row, %j]; …; store %q, %y[%row, %j] }   over their sum
 *
 * Nobody else may look at the row before it is done, so it may as well lie in scratch memory until
 * then. The result is then written once, by non-temporal stores (streaming.c), and
 * never read from memory, as a line is that is written to. That is worth it when all tile blocks
 * together write more than a cache holds, and a row is short enough to stay in the second-level
 * cache, which is known when the kernel runs; so the same code stores and loads at the one place or
 * the other.
 */
#include "cpu/memory/row_forward.h"

#include "cpu/core/fold.h"
#include "cpu/core/function.h"
#include "cpu/core/notes.h"
#include "cpu/plan/access.h"
#include "cpu/plan/plan.h"
#include "cpu/plan/scratch.h"
#include "cpu/nest/scalar.h"
#include "cpu/memory/streaming.h"

enum { MAX_VIEWS = 4, SHARE = 4 /* of the second-level cache */, SMALL_LOG2 = 31 };

typedef struct row_forward {
  const ir_op *stores, *loads, *anew;
  int64_t from; /* where both loops begin */
  buffer *row;
  llv holds; /* i1: this run forwards */
} row_forward;

/* ---- which operations ----------------------------------------------------------------------- */

typedef struct search {
  lower *l;
  row_forward *p;
  const ir_op *loop;             /* of the first store */
  const view *others[MAX_VIEWS]; /* what else is loaded from and stored to */
  unsigned n_others;
} search;

static bool is_weak(const ir_op *op) {
  return (op->opcode == OP_load_view_tko || op->opcode == OP_store_view_tko) &&
         ir_int_attr(op, ATTR_memory_ordering_semantics) == ORDER_WEAK;
}

/* A row of neighbours, the tiles of which follow each other as the loop's counter does? */
static bool is_row(const ir_op *op, const ir_op *loop) {
  uint32_t n;
  const ir_use *index = access_indices(op, &n);
  const ir_type *t = ir_accessed(op)->type;
  if (t->kind != IR_PARTITION_VIEW || tsr_elem_bits(t->elem) < 8) return false;
  unsigned counts = 0;
  for (uint32_t d = 0; d < n; d++) {
    unsigned in_view = t->dim_map ? (unsigned)t->dim_map[d] : d;
    if (index[d].value != ir_counter(loop)) {
      if (t->tile->shape[d] != 1) return false;
    } else if (t->view->strides[in_view] != 1 || ++counts > 1) {
      return false;
    }
  }
  return counts == 1;
}

/* Does every round get to the loop's end? */
static bool is_plain_loop(const ir_op *loop) {
  for (const ir_op *op = ir_region(loop, 0)->first; op; op = op->next)
    if (op->opcode == OP_if || op->opcode == OP_for || op->opcode == OP_loop) return false;
  return true;
}

/* The loop after it that loads each tile of the row and stores it anew, which it is sure to do:
 * only an `if` could hold something that leaves in between. */
static bool find_second(search *s) {
  row_forward *p = s->p;
  for (const ir_op *loop = s->loop->next; loop && loop->opcode != OP_if; loop = loop->next) {
    if (loop->opcode != OP_for || !for_same_rounds(loop, s->loop) || !is_plain_loop(loop)) continue;
    p->loads = p->anew = NULL;
    for (const ir_op *op = ir_region(loop, 0)->first; op; op = op->next) {
      if (!is_weak(op) || !access_same_place(p->stores, s->loop, op, loop)) continue;
      if (op->opcode == OP_load_view_tko && !p->loads) p->loads = op;
      if (op->opcode == OP_store_view_tko && p->loads) p->anew = op;
    }
    if (p->anew) return true;
  }
  return false;
}

/* Is the view known where the first loop begins? */
static bool is_made(search *s, const ir_value *v) {
  const ir_op *op = ir_defining_op(v);
  if (!op || value_of(s->l, v)->kind != VALUE_VIEW) return false;
  return op->block == s->loop->block || ir_is_inside(s->loop, op->block->parent);
}

/* Nothing but the three may touch the row; what else is touched must be known, so that it can be
 * seen whether it lies elsewhere. */
static bool look_at(void *user, ir_op *op) {
  search *s = user;
  const row_forward *p = s->p;
  lower *l = s->l;
  if (op == p->stores || op == p->loads || op == p->anew) return true;
  if (!effect_reads(ir_effect(op)) && !effect_writes(ir_effect(op))) return true;
  if (!is_weak(op)) return false;
  const ir_value *at = ir_accessed(op);
  ir_root to = ir_root_of(&l->roots, at);
  if (to < IR_ROOT_FIRST || to == ir_root_of(&l->roots, ir_accessed(p->stores))) return false;
  if (!is_made(s, at)) return false;
  const view *v = value_of(l, at)->view;
  unsigned i = 0;
  while (i < s->n_others && s->others[i] != v) i++;
  if (i == MAX_VIEWS) return false;
  s->others[i] = v;
  s->n_others = MAX(s->n_others, i + 1);
  return true;
}

/* ---- when it runs --------------------------------------------------------------------------- */

static llv saturating_add(lower *l, llv a, llv b) {
  return emit_intrinsic(&l->e, "llvm.uadd.sat", &l->e.i64, 1, (llv[]){a, b}, 2);
}

/* The end of the memory that the view may be of. Right if all of `sizes` is small, to which what it
 * depends on is added. */
static llv end_of(lower *l, const view *v, llv *sizes) {
  LLVMBuilderRef b = l->e.b;
  int64_t unit = (tsr_elem_bits(v->type->elem) + 7) / 8;
  llv end = v->base;
  for (unsigned d = 0; d < v->type->rank; d++) {
    llv one = k64(l, 1);
    llv last = emit_intrinsic(&l->e, "llvm.usub.sat", &l->e.i64, 1, (llv[]){v->shape[d], one}, 2);
    llv step = fold_mul(l, v->stride[d], k64(l, unit));
    *sizes = LLVMBuildOr(b, *sizes, LLVMBuildOr(b, last, step, ""), "");
    end = saturating_add(l, end, fold_mul(l, last, step));
  }
  return saturating_add(l, end, k64(l, unit));
}

/* Does the row's view lie apart from all others? An i1. */
static llv lies_apart(search *s) {
  lower *l = s->l;
  LLVMBuilderRef b = l->e.b;
  const view *own = value_of(l, ir_accessed(s->p->stores))->view;
  llv sizes = k64(l, 0), end = end_of(l, own, &sizes), all = NULL;
  for (unsigned i = 0; i < s->n_others; i++) {
    llv other_end = end_of(l, s->others[i], &sizes);
    llv before = LLVMBuildICmp(b, LLVMIntULE, end, s->others[i]->base, "");
    llv behind = LLVMBuildICmp(b, LLVMIntULE, other_end, own->base, "");
    all = fold_and(l, all, LLVMBuildOr(b, before, behind, "apart"));
  }
  llv small = LLVMBuildICmp(b, LLVMIntULT, sizes, k64(l, INT64_C(1) << SMALL_LOG2), "");
  return fold_and(l, all, small);
}

static void begin(lower *l, const ir_op *loop, const ir_op *store) {
  LLVMBuilderRef b = l->e.b;
  row_forward *p = arena_new(l->arena, row_forward);
  search s = {.l = l, .p = p, .loop = loop};
  p->stores = store;
  if (!is_row(store, loop) || !is_made(&s, ir_accessed(store)) || !find_second(&s)) return;
  lower_find_roots(l);
  if (!ir_walk(l->entry, look_at, &s)) return;
  if (!is_const(scalar_of(l, ir_operand(loop, 0)), &p->from) || p->from < 0) return;
  const ir_type *tile = ir_accessed(store)->type->tile;
  int64_t bytes = tile->count * (tsr_elem_bits(tile->elem) / 8);
  int64_t most = cpu_l2_bytes(&l->e.core) / SHARE / bytes;
  llv much = most > 1 ? stream_is_large(l, p->anew, bytes, false) : NULL;
  if (!much) return;
  llv from = scalar_of(l, ir_operand(loop, 0)), to = scalar_of(l, ir_operand(loop, 1));
  llv length = LLVMBuildZExtOrBitCast(b, LLVMBuildSub(b, to, from, ""), l->e.i64, "");
  llv fits = LLVMBuildICmp(b, LLVMIntULE, length, k64(l, most), "fits");
  p->holds = fold_and(l, fold_and(l, much, fits), lies_apart(&s));
  LLVMSetValueName2(p->holds, "forwards", 8);
  p->row = buffer_bytes(l, (uint64_t)(most * bytes));
  NOTE_MATCH(l, ROW_FORWARD, .op = p->stores, .n = {most * bytes});
  const ir_op *const ops[] = {p->stores, p->loads, p->anew};
  for (unsigned i = 0; i < 3; i++)
    *map_put(l->arena, &l->row_forwards, (uintptr_t)ops[i]) = (uintptr_t)p;
}

void row_forward_begin(lower *l, const ir_op *loop) {
  if (l->options->checks || !is_on(l, PATTERN_ROW_FORWARD) || !is_plain_loop(loop)) return;
  for (const ir_op *op = ir_region(loop, 0)->first; op; op = op->next)
    if (op->opcode == OP_store_view_tko && is_weak(op)) begin(l, loop, op);
}

static const row_forward *find(lower *l, const ir_op *op) {
  uintptr_t *found = map_get(&l->row_forwards, (uintptr_t)op);
  return found ? (const row_forward *)*found : NULL;
}

void row_forward_access(lower *l, const ir_op *op, access *a) {
  LLVMBuilderRef b = l->e.b;
  const row_forward *p = find(l, op);
  if (!p || op == p->anew) return;
  llv round = scalar_of(l, ir_counter(op->block->parent));
  round = LLVMBuildSub(b, LLVMBuildZExtOrBitCast(b, round, l->e.i64, ""), k64(l, p->from), "");
  const ir_type *tile = ir_accessed(op)->type->tile;
  llv at = LLVMBuildPtrToInt(b, p->row->ptr, l->e.i64, "");
  at = fold_add(l, at, fold_mul(l, round, k64(l, tile->count * access_unit(a))));
  buffer_touch(l, p->row);
  a->home = a->base;
  a->base = LLVMBuildSelect(b, p->holds, at, a->base, "forwarded");
}

bool row_forward_streams(lower *l, const ir_op *store, llv *when) {
  const row_forward *p = find(l, store);
  if (p) *when = store == p->anew ? p->holds : NULL;
  return p != NULL;
}
