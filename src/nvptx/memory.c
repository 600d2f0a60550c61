/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Loads and stores that nothing else races with. Elements that lie next to each other in a thread's
 * registers and in memory are accessed together, where that is known to be aligned, or found to be
 * when the kernel runs.
 */
#include "nvptx/gen.h"

#include <stdio.h>

#include "simt/runs.h"

/* ---- elements in memory --------------------------------------------------------------------- */

LLVMTypeRef gpu_memory_type(gen *g, tsr_elem elem) {
  return LLVMIntTypeInContext(g->e.llvm, MAX(tsr_elem_bits(elem), 8));
}

llv gpu_to_memory(gen *g, tsr_elem elem, llv v) {
  v = emit_encode(&g->e, elem, v);
  LLVMTypeRef type = gpu_memory_type(g, elem);
  return LLVMTypeOf(v) == type ? v : LLVMBuildBitCast(g->e.b, v, type, "");
}

llv gpu_from_memory(gen *g, tsr_elem elem, llv v) {
  LLVMTypeRef type = emit_storage_type(&g->e, elem);
  if (LLVMTypeOf(v) != type) v = LLVMBuildBitCast(g->e.b, v, type, "");
  return emit_decode(&g->e, elem, v);
}

/* ---- addresses of views --------------------------------------------------------------------- */

/* What a view's padding is: NaN and infinity wherever the format has them. */
static llv view_padding(gen *g, const ir_type *t) {
  const num_format *f = num_format_of((tsr_elem)t->elem);
  if (!f) return emit_pattern(&g->e, (tsr_elem)t->elem, 0);
  num_format plain = *f;
  plain.saturates = plain.nan_to_max = false;
  uint64_t pattern = num_zero(f, t->padding == PADDING_NEG_ZERO);
  if (t->padding == PADDING_NAN) pattern = num_nan(&plain);
  if (t->padding == PADDING_POS_INF) pattern = num_inf(&plain, false);
  if (t->padding == PADDING_NEG_INF) pattern = num_inf(&plain, true);
  return emit_pattern(&g->e, (tsr_elem)t->elem, pattern);
}

/* One dimension of a tile of a view, for the registers of a thread: for each coordinate that they
 * have (numbered by the register bits in the dimension) what it adds to the address, and whether it
 * exists. */
typedef struct dimension {
  uint32_t mask;           /* the dimension's bits of the index */
  uint8_t bits[SIMT_BITS]; /* register bits in it, as bits of the index */
  unsigned n;
  llv *part, *exists; /* exists[0] NULL: all do */
} dimension;

static uint32_t dimension_entry(const dimension *d, uint32_t index) {
  uint32_t entry = 0;
  for (unsigned j = 0; j < d->n; j++) entry |= (index >> d->bits[j] & 1) << j;
  return entry;
}

static uint32_t dimension_coordinate(const dimension *d, uint32_t entry, unsigned first) {
  uint32_t index = 0;
  for (unsigned j = 0; j < d->n; j++) index |= (entry >> j & 1) << (d->bits[j] - first);
  return index;
}

static int64_t tile_distance(const ir_type *t, unsigned d) {
  if (t->kind == IR_STRIDED_VIEW) return t->strides[d];
  return t->kind == IR_PARTITION_VIEW ? t->shape[d] : 1;
}

/* Whether what is known before running says that all coordinates exist. */
static bool is_inside(gen *g, const ir_type *t, unsigned d, unsigned in_view,
                      const ir_value *index) {
  int64_t extent = t->view->shape[in_view];
  if (extent == IR_DYNAMIC) return false;
  fact f = facts_of(g->plan->facts, index);
  int64_t most = (INT64_C(1) << 40);
  return f.min >= 0 && f.max < most && extent < most &&
         f.max * tile_distance(t, d) + t->shape[d] <= extent && tile_distance(t, d) < (1 << 22);
}

static llv umin64(gen *g, llv a, llv b) {
  return emit_intrinsic(&g->e, "llvm.umin", &g->e.i64, 1, (llv[]){a, b}, 2);
}

typedef struct view_access {
  access *a;
  const ir_type *type;
  view *view;
  int64_t unit; /* bytes of an element, 1 for nibbles */
  llv base;     /* address of the thread's first element */
  llv exists;   /* that holds for all */
  dimension *dims;
} view_access;

static dimension begin_dimension(gen *g, const simt_dist *d, const ir_type *t, unsigned i,
                                 unsigned *first, unsigned *n) {
  dimension r = {.n = 0};
  simt_dim_bits(t->tile, i, first, n);
  r.mask = ((1u << *n) - 1) << *first;
  for (unsigned j = 0; j < d->regs; j++)
    if (r.mask >> d->reg[j] & 1) r.bits[r.n++] = (uint8_t)d->reg[j];
  r.part = arena_array(g->arena, llv, (size_t)1 << r.n);
  r.exists = arena_array(g->arena, llv, (size_t)1 << r.n);
  memset(r.exists, 0, sizeof(llv) << r.n);
  return r;
}

/* The thread's coordinate in the dimension, i32. */
static llv thread_coordinate(gen *g, const simt_dist *d, unsigned first, unsigned n) {
  int32_t weight[SIMT_BITS] = {0};
  for (unsigned k = 0; k < n; k++) weight[first + k] = 1 << k;
  return gpu_thread_sum(g, d, weight);
}

static void plain_dimension(gen *g, view_access *v, ir_value *index, unsigned i) {
  LLVMBuilderRef b = g->e.b;
  const simt_dist *d = &v->a->d;
  unsigned first, n, in_view = v->type->dim_map ? (unsigned)v->type->dim_map[i] : i;
  dimension r = begin_dimension(g, d, v->type, i, &first, &n);
  int64_t distance = tile_distance(v->type, i);
  llv at = to_i64(g, gpu_scalar(g, index));
  if (tsr_elem_bits((tsr_elem)index->type->elem) == 64) /* so that the product cannot wrap */
    at = umin64(g, at, k64(g, (INT64_C(1) << 62) / distance));
  llv start = fold_mul(g, at, k64(g, distance)), extent = v->view->shape[in_view];
  llv unit = fold_mul(g, v->view->stride[in_view], k64(g, v->unit));
  v->base = fold_add(g, v->base, fold_mul(g, start, unit));
  llv own = thread_coordinate(g, d, first, n);
  v->base = fold_add(g, v->base, fold_mul(g, to_i64(g, own), unit));
  llv rest = NULL;
  if (!is_inside(g, v->type, i, in_view, index)) {
    /* How many of the tile's coordinates exist, less the thread's own. */
    rest = emit_intrinsic(&g->e, "llvm.usub.sat", &g->e.i64, 1, (llv[]){extent, start}, 2);
    rest = LLVMBuildTrunc(b, umin64(g, rest, k64(g, INT64_C(1) << n)), g->e.i32, "");
    rest = LLVMBuildSub(b, rest, own, "rest");
  }
  for (uint32_t k = 0; k < 1u << r.n; k++) {
    uint32_t c = dimension_coordinate(&r, k, first);
    r.part[k] = fold_mul(g, unit, k64(g, c));
    if (rest) r.exists[k] = LLVMBuildICmp(b, LLVMIntSGT, rest, k32(g, c), "");
  }
  v->dims[i] = r;
}

/* Coordinates along the sparse dimension come from a tile. */
static void sparse_dimension(gen *g, view_access *v, ir_value *index, unsigned i) {
  unsigned first, n;
  dimension r = begin_dimension(g, &v->a->d, v->type, i, &first, &n);
  simt_dist d = v->a->d;
  for (unsigned k = v->type->tile->rank; k-- > 0;) {
    unsigned f, c;
    simt_dim_bits(v->type->tile, k, &f, &c);
    if (k != i) d = simt_dist_drop(&d, k < i ? first + n : 0, c);
    if (k > i) first -= c; /* what was below is gone */
  }
  llv *x = gpu_get(g, index, &d);
  llv unit = fold_mul(g, v->view->stride[i], k64(g, v->unit)), extent = v->view->shape[i];
  for (uint32_t k = 0; k < 1u << r.n; k++) {
    llv c = to_i64(g, d.n ? x[k] : x[0]);
    r.part[k] = LLVMBuildMul(g->e.b, c, unit, "");
    r.exists[k] = LLVMBuildICmp(g->e.b, LLVMIntULT, c, extent, "");
  }
  v->dims[i] = r;
}

/* ---- how wide accesses may be --------------------------------------------------------------- */

/* A power of two that divides the number whenever the program runs. */
static uint64_t divisor_of(gen *g, const ir_value *v) {
  uint64_t d = facts_of(g->plan->facts, v).divisor;
  return d ? d : UINT64_C(1) << 62;
}

/* The dimension that lies packed in memory, and how many of its elements a thread has in a row. */
static void find_run(gen *g, view_access *v) {
  const ir_type *t = v->type;
  uint8_t order[SIMT_BITS];
  access *a = v->a;
  unsigned most = simt_memory_order(t, order), run = 0;
  while (run < most && run < a->d.regs && a->d.reg[run] == (int8_t)order[run] &&
         (v->unit << run) < 16)
    run++;
  if (a->nibbles) run = 0;
  a->run = run;
  if (!run) return;
  /* Everything else that is part of an address must be a multiple of the run's bytes. */
  uint64_t bytes = (uint64_t)v->unit << run;
  LLVMBuilderRef b = g->e.b;
  llv sum = NULL;
  const ir_op *made = v->view->op;
  uint32_t n_strides, next = 0;
  ir_use *strides = made ? ir_operand_group(made, 2, &n_strides) : NULL;
  if (!made || divisor_of(g, ir_operand_in(made, 0)) % bytes) sum = v->view->base;
  for (unsigned i = 0; i < t->view->rank; i++) {
    int64_t fixed = t->view->strides[i];
    uint64_t divisor = fixed == IR_DYNAMIC ? divisor_of(g, strides[next++].value)
                                           : (uint64_t)fixed & (0 - (uint64_t)fixed);
    if (fixed == 1 || (divisor * (uint64_t)v->unit) % bytes == 0) continue;
    llv stride = LLVMBuildMul(b, v->view->stride[i], k64(g, v->unit), "");
    sum = sum ? LLVMBuildOr(b, sum, stride, "") : stride;
  }
  /* A run is inside or outside as a whole. */
  for (unsigned i = 0; i < t->rank; i++) {
    unsigned first, n, in_view = t->dim_map ? (unsigned)t->dim_map[i] : i;
    simt_dim_bits(t->tile, i, &first, &n);
    if (first != order[0] || n == 0) continue;
    if (tile_distance(t, i) % (INT64_C(1) << run)) {
      a->run = 0; /* tiles start anywhere */
      return;
    }
    if (!v->dims[i].exists[0]) continue;
    int64_t extent = t->view->shape[in_view];
    if (extent != IR_DYNAMIC && extent % (INT64_C(1) << run) == 0) continue;
    llv in_bytes = LLVMBuildMul(b, v->view->shape[in_view], k64(g, v->unit), "");
    sum = sum ? LLVMBuildOr(b, sum, in_bytes, "") : in_bytes;
  }
  if (!sum) return;
  int64_t known;
  sum = LLVMBuildAnd(b, sum, k64(g, (int64_t)bytes - 1), "");
  if (is_const(sum, &known)) {
    if (known) a->run = 0;
    return;
  }
  a->run_ok = LLVMBuildICmp(b, LLVMIntEQ, sum, k64(g, 0), "aligned");
}

/* ---- accesses ------------------------------------------------------------------------------- */

static access view_access_of(gen *g, ir_op *op, const simt_dist *d, ir_value *subject,
                             ir_use *index) {
  const ir_type *t = subject->type;
  access a = {.op = op, .elem = t->elem, .d = *d, .pad = view_padding(g, t)};
  a.nibbles = tsr_elem_bits((tsr_elem)t->elem) == 4;
  view_access v = {.a = &a, .type = t, .view = value_of(g, subject)->view};
  v.unit = a.nibbles ? 1 : gpu_shared_bytes((tsr_elem)t->elem);
  v.base = a.nibbles ? LLVMBuildShl(g->e.b, v.view->base, k64(g, 1), "") : v.view->base;
  v.dims = arena_array(g->arena, dimension, MAX(t->rank, 1));
  for (unsigned i = 0; i < t->rank; i++) {
    if (t->kind == IR_GATHER_SCATTER_VIEW && i == t->sparse_dim && index[i].value->type->rank)
      sparse_dimension(g, &v, index[i].value, i);
    else
      plain_dimension(g, &v, index[i].value, i);
  }
  a.address = gpu_registers(g, d);
  a.exists = gpu_registers(g, d);
  bool any = false;
  for (uint32_t i = 0; i < slots_of(d); i++) {
    uint32_t own = simt_index_of_slot(d, i);
    llv at = v.base, exists = NULL, rest = k64(g, 0);
    for (unsigned k = 0; k < t->rank; k++) {
      uint32_t entry = dimension_entry(&v.dims[k], own);
      rest = fold_add(g, rest, v.dims[k].part[entry]);
      exists = fold_and(g, exists, v.dims[k].exists[entry]);
    }
    a.address[i] = fold_add(g, at, rest);
    a.exists[i] = exists;
    any |= exists != NULL;
  }
  if (!any) a.exists = NULL;
  if (t->rank) find_run(g, &v);
  a.align = a.nibbles ? 1 : (uint64_t)v.unit << a.run;
  return a;
}

/* An i1: all of the thread's runs are aligned, and exist where that was not known. */
static llv test_runs(gen *g, const access *a, const simt_run *run) {
  LLVMBuilderRef b = g->e.b;
  llv sum = NULL, ok = NULL;
  for (uint32_t i = 0; run->test_alignment && i < slots_of(&a->d); i += 1u << a->run)
    sum = sum ? LLVMBuildOr(b, sum, a->address[i], "") : a->address[i];
  if (sum) {
    sum = LLVMBuildAnd(b, sum, k64(g, (int64_t)a->align - 1), "");
    ok = LLVMBuildICmp(b, LLVMIntEQ, sum, k64(g, 0), "aligned");
  }
  for (uint32_t i = 0; run->test_mask && i < slots_of(&a->d); i++)
    ok = fold_and(g, ok, a->exists[i]);
  return ok;
}

static access pointer_access_of(gen *g, ir_op *op, const simt_dist *d, ir_value *pointers,
                                ir_value *mask, ir_value *padding) {
  access a = {.op = op, .elem = pointers->type->pointee, .d = *d, .padding = padding};
  a.address = gpu_get(g, pointers, d);
  if (mask) a.exists = gpu_get(g, mask, d);
  a.nibbles = tsr_elem_bits((tsr_elem)a.elem) == 4;
  if (a.nibbles) { /* they name the low half of a byte */
    llv *shifted = gpu_registers(g, d);
    for (uint32_t i = 0; i < slots_of(d); i++)
      shifted[i] = LLVMBuildShl(g->e.b, a.address[i], k64(g, 1), "");
    a.address = shifted;
  }
  unsigned bytes = gpu_shared_bytes((tsr_elem)a.elem), most = 0;
  while (most < d->regs && bytes << most < 16) most++;
  simt_run run = simt_pointer_run(g->plan, pointers, mask, d->reg, a.nibbles ? 0 : most);
  a.run = run.bits;
  a.align = a.nibbles ? 1 : (uint64_t)bytes << a.run;
  if (run.test_alignment || run.test_mask) a.run_ok = test_runs(g, &a, &run);
  a.run_exists = run.test_mask;
  return a;
}

access gpu_access(gen *g, ir_op *op, const simt_dist *d) {
  uint32_t n;
  ir_use *index;
  switch (op->opcode) {
  case OP_load_ptr_tko:
    return pointer_access_of(g, op, d, ir_operand_in(op, 0), ir_operand_in(op, 1),
                             ir_operand_in(op, 2));
  case OP_store_ptr_tko:
    return pointer_access_of(g, op, d, ir_operand_in(op, 0), ir_operand_in(op, 2), NULL);
  case OP_atomic_cas_tko:
    return pointer_access_of(g, op, d, ir_operand_in(op, 0), ir_operand_in(op, 3), NULL);
  case OP_atomic_rmw_tko:
    return pointer_access_of(g, op, d, ir_operand_in(op, 0), ir_operand_in(op, 2), NULL);
  case OP_store_view_tko:
    index = ir_operand_group(op, 2, &n);
    return view_access_of(g, op, d, ir_operand_in(op, 1), index);
  default:
    index = ir_operand_group(op, 1, &n);
    return view_access_of(g, op, d, ir_operand_in(op, 0), index);
  }
}

llv *gpu_padding(gen *g, const access *a) {
  if (a->padding) return gpu_get(g, a->padding, &a->d);
  llv *r = gpu_registers(g, &a->d);
  llv pad = a->pad ? a->pad : emit_pattern(&g->e, (tsr_elem)a->elem, 0);
  if (!a->pad && num_format_of((tsr_elem)a->elem))
    pad = LLVMConstNull(emit_elem_type(&g->e, (tsr_elem)a->elem));
  for (uint32_t i = 0; i < slots_of(&a->d); i++) r[i] = pad;
  return r;
}

/* ---- instructions --------------------------------------------------------------------------- */

static char register_class(unsigned bits) {
  return bits == 64 ? 'l' : bits == 16 ? 'h' : 'r';
}

static const char *space_name(const gen *g) {
  return g->space == SPACE_GLOBAL ? ".global" : "";
}

/* A load that does not happen unless `exists`; then it gives `pad`. A byte comes in 32 bits. */
static llv masked_load(gen *g, unsigned bits, llv address, llv exists, llv pad) {
  emit *e = &g->e;
  unsigned wide = MAX(bits, 16);
  char text[128], constraints[64], c = register_class(wide);
  snprintf(text, sizeof text, "mov.b%u $0, $3;\n\t@$2 ld%s.%s%u $0, [$1];", wide, space_name(g),
           bits == 8 ? "u" : "b", bits);
  snprintf(constraints, sizeof constraints, "=&%c,l,b,%c,~{memory}", c, c);
  LLVMTypeRef type = LLVMIntTypeInContext(e->llvm, wide);
  if (wide != bits) pad = LLVMBuildZExt(e->b, pad, type, "");
  llv r = gpu_asm(g, type, text, constraints, (llv[]){address, exists, pad}, 3, true);
  return wide == bits ? r : LLVMBuildTrunc(e->b, r, LLVMIntTypeInContext(e->llvm, bits), "");
}

static void masked_store(gen *g, unsigned bits, llv address, llv exists, llv x) {
  char text[64], constraints[32];
  unsigned wide = MAX(bits, 16);
  if (wide != bits) x = LLVMBuildZExt(g->e.b, x, LLVMIntTypeInContext(g->e.llvm, wide), "");
  snprintf(text, sizeof text, "@$1 st%s.%s%u [$0], $2;", space_name(g), bits == 8 ? "u" : "b",
           bits);
  snprintf(constraints, sizeof constraints, "l,b,%c,~{memory}", register_class(wide));
  gpu_asm(g, g->e.void_, text, constraints, (llv[]){address, exists, x}, 3, true);
}

static llv load_one(gen *g, const access *a, uint32_t i, llv pad) {
  unsigned bits = MAX(tsr_elem_bits((tsr_elem)a->elem), 8);
  llv exists = a->exists ? a->exists[i] : NULL;
  if (exists) return masked_load(g, bits, a->address[i], exists, pad);
  llv x = LLVMBuildLoad2(g->e.b, gpu_memory_type(g, (tsr_elem)a->elem),
                         as_ptr(g, a->address[i], g->space), "");
  LLVMSetAlignment(x, bits / 8);
  return x;
}

/* The byte of a nibble, and the nibble out of it. */
static llv load_nibble(gen *g, const access *a, uint32_t i, llv pad) {
  LLVMBuilderRef b = g->e.b;
  llv byte = LLVMBuildLShr(b, a->address[i], k64(g, 1), "");
  llv exists = a->exists && a->exists[i] ? a->exists[i] : LLVMConstInt(g->e.i1, 1, 0);
  llv x = masked_load(g, 8, byte, exists, LLVMConstNull(g->e.i8));
  llv odd = LLVMBuildTrunc(b, LLVMBuildAnd(b, a->address[i], k64(g, 1), ""), g->e.i8, "");
  x = LLVMBuildLShr(b, x, LLVMBuildShl(b, odd, LLVMConstInt(g->e.i8, 2, 0), ""), "");
  x = LLVMBuildAnd(b, x, LLVMConstInt(g->e.i8, 15, 0), "");
  return LLVMBuildSelect(b, exists, x, pad, "");
}

/* ---- loads ---------------------------------------------------------------------------------- */

static void load_elements(gen *g, const access *a, llv *pad, llv *r) {
  tsr_elem elem = (tsr_elem)a->elem;
  for (uint32_t i = 0; i < slots_of(&a->d); i++) {
    llv p = gpu_to_memory(g, elem, pad[i]);
    llv x = a->nibbles ? load_nibble(g, a, i, p) : load_one(g, a, i, p);
    r[i] = x;
  }
}

static void load_runs(gen *g, const access *a, llv *pad, llv *r) {
  emit *e = &g->e;
  tsr_elem elem = (tsr_elem)a->elem;
  uint32_t run = 1u << a->run;
  LLVMTypeRef one = gpu_memory_type(g, elem), many = LLVMVectorType(one, run);
  for (uint32_t i = 0; i < slots_of(&a->d); i += run) {
    llv exists = a->exists && !a->run_exists ? a->exists[i] : NULL, padding = NULL;
    llblock inside = NULL, done = NULL, before = LLVMGetInsertBlock(e->b);
    if (exists) {
      padding = LLVMGetPoison(many);
      for (uint32_t k = 0; k < run; k++)
        padding = LLVMBuildInsertElement(e->b, padding, gpu_to_memory(g, elem, pad[i + k]),
                                         k32(g, k), "");
      before = LLVMGetInsertBlock(e->b);
      inside = gpu_new_block(g, "load");
      done = gpu_new_block(g, "load.end");
      LLVMBuildCondBr(e->b, exists, inside, done);
      LLVMPositionBuilderAtEnd(e->b, inside);
    }
    llv x = LLVMBuildLoad2(e->b, many, as_ptr(g, a->address[i], g->space), "");
    LLVMSetAlignment(x, (unsigned)a->align);
    if (exists) {
      gpu_go(g, done);
      llv phi = LLVMBuildPhi(e->b, many, "");
      LLVMAddIncoming(phi, (llv[]){padding, x}, (llblock[]){before, inside}, 2);
      x = phi;
    }
    for (uint32_t k = 0; k < run; k++) r[i + k] = LLVMBuildExtractElement(e->b, x, k32(g, k), "");
  }
}

/* Both ways to access, when it turns out only in the run whether runs are aligned. */
static void load_either(gen *g, const access *a, llv *pad, llv *r) {
  emit *e = &g->e;
  uint32_t n = slots_of(&a->d);
  llblock wide = gpu_new_block(g, "load.wide"), narrow = gpu_new_block(g, "load.narrow");
  llblock done = gpu_new_block(g, "load.either");
  llv *x = gpu_registers(g, &a->d);
  LLVMBuildCondBr(e->b, a->run_ok, wide, narrow);
  LLVMPositionBuilderAtEnd(e->b, wide);
  load_runs(g, a, pad, r);
  wide = LLVMGetInsertBlock(e->b);
  LLVMBuildBr(e->b, done);
  LLVMPositionBuilderAtEnd(e->b, narrow);
  load_elements(g, a, pad, x);
  narrow = LLVMGetInsertBlock(e->b);
  gpu_go(g, done);
  for (uint32_t i = 0; i < n; i++) {
    llv phi = LLVMBuildPhi(e->b, LLVMTypeOf(x[i]), "");
    LLVMAddIncoming(phi, (llv[]){r[i], x[i]}, (llblock[]){wide, narrow}, 2);
    r[i] = phi;
  }
}

static bool is_product(const ir_op *op) {
  return op->opcode == OP_mmaf || op->opcode == OP_mmai;
}

/* Of one user, a matrix product in the same block with nothing written in between: the product puts
 * its operands into shared memory one after the other, and only one lies in registers then. */
static bool may_defer(const gen *g, const ir_op *op) {
  const ir_value *v = ir_result(op, 0);
  if (g->private_ || v->type->count == 1 || !ir_has_one_use(v)) return false;
  const ir_op *user = v->uses->user;
  if (user->opcode == OP_permute && ir_has_one_use(ir_result(user, 0)))
    user = ir_result(user, 0)->uses->user;
  if (!is_product(user) || user->block != op->block) return false;
  for (const ir_op *between = op->next; between != user; between = between->next)
    if (!between || between->n_regions || ir_row(between)->traits & TRAIT_WRITES) return false;
  return true;
}

void gpu_load(gen *g, ir_op *op) {
  value_of(g, ir_result(op, 1))->kind = VALUE_TOKEN;
  if (g->pipeline && simt_staged_load(g->plan, op))
    value_of(g, ir_result(op, 0))->kind = VALUE_STAGED;
  else if (ir_int_attr(op, ATTR_memory_ordering_semantics) != ORDER_WEAK)
    gpu_ordered_load(g, op);
  else if (may_defer(g, op))
    value_of(g, ir_result(op, 0))->kind = VALUE_DEFERRED;
  else
    gpu_load_deferred(g, op);
}

void gpu_load_deferred(gen *g, ir_op *op) {
  ir_value *v = ir_result(op, 0);
  simt_dist d = gpu_dist(g, v);
  access a = gpu_access(g, op, &d);
  llv *pad = gpu_padding(g, &a), *r = gpu_registers(g, &d);
  gpu_before_load(g);
  if (a.run && a.run_ok)
    load_either(g, &a, pad, r);
  else if (a.run)
    load_runs(g, &a, pad, r);
  else
    load_elements(g, &a, pad, r);
  for (uint32_t i = 0; i < slots_of(&d); i++) r[i] = gpu_from_memory(g, (tsr_elem)a.elem, r[i]);
  gpu_set(g, v, &d, r);
}

/* ---- stores --------------------------------------------------------------------------------- */

/* Nibbles share bytes with others that other threads may store at the same time: two atomic
 * operations on the word, of which neither touches the others. */
static void store_nibble(gen *g, llv address, llv exists, llv x) {
  LLVMBuilderRef b = g->e.b;
  llv word = LLVMBuildAnd(b, LLVMBuildLShr(b, address, k64(g, 1), ""), k64(g, -4), "");
  llv at = LLVMBuildTrunc(b, LLVMBuildAnd(b, address, k64(g, 7), ""), g->e.i32, "");
  at = LLVMBuildShl(b, at, k32(g, 2), "");
  llv keep = LLVMBuildNot(b, LLVMBuildShl(b, k32(g, 15), at, ""), "");
  llv put = LLVMBuildShl(b, LLVMBuildZExt(b, x, g->e.i32, ""), at, "");
  char text[160];
  snprintf(text, sizeof text,
           "@$1 red.relaxed.gpu%s.and.b32 [$0], $2;\n\t"
           "@$1 red.relaxed.gpu%s.or.b32 [$0], $3;",
           space_name(g), space_name(g));
  gpu_asm(g, g->e.void_, text, "l,b,r,r,~{memory}", (llv[]){word, exists, keep, put}, 4, true);
}

static void store_elements(gen *g, const access *a, llv *x, llv owner) {
  unsigned bits = MAX(tsr_elem_bits((tsr_elem)a->elem), 8);
  for (uint32_t i = 0; i < slots_of(&a->d); i++) {
    llv exists = fold_and(g, owner, a->exists ? a->exists[i] : NULL);
    if (a->nibbles) {
      store_nibble(g, a->address[i], exists ? exists : LLVMConstInt(g->e.i1, 1, 0), x[i]);
    } else if (exists) {
      masked_store(g, bits, a->address[i], exists, x[i]);
    } else {
      llv s = LLVMBuildStore(g->e.b, x[i], as_ptr(g, a->address[i], g->space));
      LLVMSetAlignment(s, bits / 8);
    }
  }
}

static void store_runs(gen *g, const access *a, llv *x, llv owner) {
  emit *e = &g->e;
  uint32_t run = 1u << a->run;
  LLVMTypeRef many = LLVMVectorType(gpu_memory_type(g, (tsr_elem)a->elem), run);
  for (uint32_t i = 0; i < slots_of(&a->d); i += run) {
    llv exists = fold_and(g, owner, a->exists && !a->run_exists ? a->exists[i] : NULL);
    llv all = LLVMGetPoison(many);
    for (uint32_t k = 0; k < run; k++)
      all = LLVMBuildInsertElement(e->b, all, x[i + k], k32(g, k), "");
    llblock done = gpu_begin_owner(g, exists);
    llv s = LLVMBuildStore(e->b, all, as_ptr(g, a->address[i], g->space));
    LLVMSetAlignment(s, (unsigned)a->align);
    if (done) gpu_go(g, done);
  }
}

/* Where the value lies, unless few of the bytes that a warp touches at once would be next to each
 * other; then as memory lies. */
static simt_dist store_dist(gen *g, ir_op *op, ir_value *v) {
  const simt_value *x = simt_value_of(g->plan, v);
  if (v->type->count == 1) return gpu_scalar_dist(g);
  if (op->opcode == OP_store_ptr_tko) {
    const simt_value *p = simt_value_of(g->plan, ir_operand_in(op, 0));
    if (p->home == SIMT_HELD) return p->dist;
    return x->rank ? x->dist : simt_default_dist(g->plan, v->type);
  }
  const ir_type *view_type = ir_operand_in(op, 1)->type;
  simt_dist d = simt_memory_dist(g->plan, view_type);
  if (x->home != SIMT_HELD || tsr_elem_bits((tsr_elem)v->type->elem) < 8) return d;
  uint8_t order[SIMT_BITS];
  unsigned packed = simt_memory_order(view_type, order), together = 0;
  uint32_t near = 0;
  for (unsigned j = 0; j < x->dist.regs; j++)
    if (x->dist.reg[j] >= 0) near |= 1u << x->dist.reg[j];
  for (unsigned j = 0; j < SIMT_LANE_BITS; j++)
    if (x->dist.lane[j] != SIMT_COPY) near |= 1u << x->dist.lane[j];
  while (together < packed && near >> order[together] & 1) together++;
  unsigned bytes = gpu_shared_bytes((tsr_elem)v->type->elem) << together;
  return bytes >= 32 || together == packed ? x->dist : d;
}

void gpu_store(gen *g, ir_op *op) {
  ir_value *v = op->opcode == OP_store_view_tko ? ir_operand_in(op, 0) : ir_operand_in(op, 1);
  value_of(g, ir_result(op, 0))->kind = VALUE_TOKEN;
  if (ir_int_attr(op, ATTR_memory_ordering_semantics) != ORDER_WEAK) {
    gpu_ordered_store(g, op);
    return;
  }
  if (gpu_bulk_store(g, op)) return;
  simt_dist d = store_dist(g, op, v);
  llv *x = gpu_get(g, v, &d), *stored = gpu_registers(g, &d);
  access a = gpu_access(g, op, &d);
  for (uint32_t i = 0; i < slots_of(&d); i++) stored[i] = gpu_to_memory(g, (tsr_elem)a.elem, x[i]);
  llv owner = gpu_owner(g, &d);
  gpu_before_store(g);
  if (a.run && a.run_ok) {
    llblock wide = gpu_new_block(g, "store.wide"), narrow = gpu_new_block(g, "store.narrow");
    llblock done = gpu_new_block(g, "store.either");
    LLVMBuildCondBr(g->e.b, a.run_ok, wide, narrow);
    LLVMPositionBuilderAtEnd(g->e.b, wide);
    store_runs(g, &a, stored, owner);
    LLVMBuildBr(g->e.b, done);
    LLVMPositionBuilderAtEnd(g->e.b, narrow);
    store_elements(g, &a, stored, owner);
    gpu_go(g, done);
  } else if (a.run) {
    store_runs(g, &a, stored, owner);
  } else {
    store_elements(g, &a, stored, owner);
  }
}

/* ---- alloca --------------------------------------------------------------------------------- */

/* Shared memory, cleared each time by all threads together. */
void gpu_alloca(gen *g, ir_op *op) {
  emit *e = &g->e;
  ir_value *v = ir_result(op, 0);
  uint64_t count = (uint64_t)ir_int_attr(op, ATTR_num_elem);
  uint64_t align = MAX((uint64_t)ir_int_attr(op, ATTR_alignment), 16);
  uint64_t limit = 48 * 1024 - MIN(g->alloca_size, 48u * 1024);
  uint64_t bytes =
      count > limit * 2 ? limit + 1 : tsr_elem_storage((tsr_elem)v->type->pointee, (size_t)count);
  uint64_t size = (bytes + 15) / 16 * 16 + align;
  if (size > limit || align > limit) {
    gpu_unsupported(g, op,
                    "the memory does not fit the 48 KiB of shared memory that a tile block "
                    "has for it; pass a buffer to the kernel instead");
    return;
  }
  LLVMTypeRef type = LLVMArrayType2(e->i8, MAX(size, 16));
  llv memory = LLVMAddGlobalInAddressSpace(e->module, type, "tessera_alloca", SPACE_SHARED);
  LLVMSetInitializer(memory, LLVMGetUndef(type));
  LLVMSetLinkage(memory, LLVMInternalLinkage);
  LLVMSetAlignment(memory, 16);
  g->alloca_size += (uint32_t)size;
  llv p = LLVMBuildAddrSpaceCast(e->b, memory, e->ptr, "");
  p = LLVMBuildPtrToInt(e->b, p, e->i64, "");
  if (align > 16) {
    p = add_of(g, p, k64(g, (int64_t)align - 1));
    p = LLVMBuildAnd(e->b, p, k64(g, -(int64_t)align), "");
  }
  gpu_set_scalar(g, v, p);
  /* words of 4 bytes: for (i = thread; i < words; i += threads) */
  gpu_before_store(g);
  uint32_t words = (uint32_t)((bytes + 3) / 4), threads = 32u << g->plan->warps;
  llv thread = LLVMBuildOr(e->b, LLVMBuildShl(e->b, g->warp, k32(g, 5), ""), g->lane, "");
  llblock before = LLVMGetInsertBlock(e->b), loop = gpu_new_block(g, "clear");
  llblock body = gpu_new_block(g, "clear.body"), done = gpu_new_block(g, "clear.end");
  gpu_go(g, loop);
  llv i = LLVMBuildPhi(e->b, e->i32, "");
  LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntULT, i, k32(g, words), ""), body, done);
  LLVMPositionBuilderAtEnd(e->b, body);
  llv at = add_of(g, p, LLVMBuildShl(e->b, to_i64(g, i), k64(g, 2), ""));
  LLVMSetAlignment(LLVMBuildStore(e->b, k32(g, 0), as_ptr(g, at, SPACE_GENERIC)), 4);
  llv next = add_of(g, i, k32(g, threads));
  LLVMAddIncoming(i, (llv[]){thread, next}, (llblock[]){before, body}, 2);
  LLVMBuildBr(e->b, loop);
  LLVMPositionBuilderAtEnd(e->b, done);
}
