/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Loads and stores that nothing else races with. Elements that lie next to each other in a thread's
 * registers and in memory are accessed together, where that is known to be aligned, or found to be
 * when the kernel runs.
 */
#include "gpu/memory.h"
#include "llvm/conv.h"
#include <stdio.h>

#include "gpu/atomic.h"
#include "gpu/aligned.h"
#include "gpu/code.h"
#include "gpu/elements.h"
#include "gpu/index.h"
#include "gpu/invariant.h"
#include "gpu/placement.h"
#include "gpu/shared.h"
#include "gpu/values.h"
#include "gpu/vendor.h"
#include "simt/load_hoist.h"
#include "simt/runs.h"

/* ---- addresses of views --------------------------------------------------------------------- */

llv gpu_padding_value(gen *g, tsr_elem elem, int padding) {
  const num_format *f = num_format_of(elem);
  if (!f) return emit_pattern(&g->e, elem, 0);
  num_format plain = *f;
  plain.saturates = plain.nan_to_max = false;
  uint64_t pattern = num_zero(f, padding == PADDING_NEG_ZERO);
  if (padding == PADDING_NAN) pattern = num_nan(&plain);
  if (padding == PADDING_POS_INF) pattern = num_inf(&plain, false);
  if (padding == PADDING_NEG_INF) pattern = num_inf(&plain, true);
  return emit_pattern(&g->e, elem, pattern);
}

/* One dimension of a tile of a view: what a coordinate that a thread's registers have adds to the
 * address, and whether it exists. That is computed where it is used: there are many coordinates, of
 * which one way to access needs only a few. */
typedef struct dimension {
  unsigned first, n; /* its bits of the index */
  llv unit;          /* i64: from a coordinate to the next; `rest`: i32, less than so many exist,
                        counted from the thread's first; NULL: all do */
  llv rest;
  llv all_rest; /* i32: the same from the tile's first coordinate on */
  llv own;      /* i32: the thread's first coordinate in the tile */
  llv start;    /* i64: what the tile's place adds to the address; NULL: see `part` */
  /* Where coordinates come from a tile, by the register bits in the dimension: */
  uint8_t bits[SIMT_BITS];
  unsigned n_bits;
  llv *part, *exists; /* NULL: they are a range */
} dimension;

static uint32_t dimension_entry(const dimension *d, uint32_t index) {
  uint32_t entry = 0;
  for (unsigned j = 0; j < d->n_bits; j++) entry |= (index >> d->bits[j] & 1) << j;
  return entry;
}
static uint32_t dimension_coordinate(const dimension *d, uint32_t index) {
  return index >> d->first & ((1u << d->n) - 1);
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
  fact f = facts_of(g->facts, index);
  int64_t most = (INT64_C(1) << 40);
  return f.min >= 0 && f.max < most && extent < most &&
         f.max * tile_distance(t, d) + t->shape[d] <= extent && tile_distance(t, d) < (1 << 22);
}

/* What elements of an access share, by dimension and coordinate. */
typedef struct shared_part {
  unsigned dim;
  uint32_t at;
  bool is_exists; /* else it is part of an address */
  llv made;
} shared_part;
typedef struct shared_parts {
  bool open; /* the blocks that ask follow each other, whatever happens */
  VEC(shared_part) made;
  llv packed, size; /* of gpu_bytes_of_run: where that exists, so many */
} shared_parts;

struct view_access {
  shared_parts *shared;
  access *a; /* while it is made */
  const ir_type *type;
  view *view;
  int64_t unit; /* bytes of an element, 1 for nibbles, bits of what shares bytes otherwise */
  llv base;     /* address of the thread's first element */
  dimension *dims;
  unsigned packed; /* the dimension that lies packed in memory; rank: none is known to */
};

/* The thread's coordinate in the dimension, i32. */
static llv thread_coordinate(gen *g, const simt_dist *d, unsigned first, unsigned n) {
  int32_t weight[SIMT_BITS] = {0};
  for (unsigned k = 0; k < n; k++) weight[first + k] = 1 << k;
  return gpu_thread_sum(g, d, weight);
}

/* A tile's first coordinate, and how many of the 1 << n from there on exist. Loads of a loop have
 * that in common, as do those in a row. */
static tile_place tile_place_of(gen *g, ir_value *index, int64_t distance, llv extent, unsigned n) {
  LLVMBuilderRef b = g->e.b;
  llv scalar = gpu_scalar(g, index);
  for (unsigned i = 0; i < ARRAY_LEN(g->places); i++) {
    const tile_place *k = &g->places[i];
    if (k->rest && k->extent == extent && k->index == scalar && k->distance == distance &&
        k->n == n && LLVMIsAInstruction(k->rest) &&
        LLVMGetInstructionParent(k->rest) == LLVMGetInsertBlock(b))
      return *k;
  }
  llv at = to_i64(g, scalar);
  if (tsr_elem_bits((tsr_elem)index->type->elem) == 64) /* so that the product cannot wrap */
    at = umin64(g, at, k64(g, (INT64_C(1) << 62) / distance));
  tile_place p = {.index = scalar, .extent = extent, .distance = distance, .n = n};
  p.start = fold_mul(g, at, k64(g, distance));
  if (!extent) return p;
  llv rest = emit_intrinsic(&g->e, "llvm.usub.sat", &g->e.i64, 1, (llv[]){extent, p.start}, 2);
  p.rest = LLVMBuildTrunc(b, umin64(g, rest, k64(g, INT64_C(1) << n)), g->e.i32, "");
  g->places[g->next_place++ % ARRAY_LEN(g->places)] = p;
  return p;
}

static void plain_dimension(gen *g, view_access *v, ir_value *index, unsigned i) {
  LLVMBuilderRef b = g->e.b;
  const simt_dist *d = &v->a->d;
  unsigned in_view = v->type->dim_map ? (unsigned)v->type->dim_map[i] : i;
  dimension r = {.n = 0};
  simt_dim_bits(v->type->tile, i, &r.first, &r.n);
  int64_t distance = tile_distance(v->type, i);
  llv extent = is_inside(g, v->type, i, in_view, index)
                   ? NULL
                   : v->view->shape[in_view]; /* NULL: all exist */
  tile_place begin = tile_place_of(g, index, distance, extent, r.n);
  r.unit = fold_mul(g, v->view->stride[in_view], k64(g, v->unit));
  r.start = fold_mul(g, begin.start, r.unit);
  llv own = r.own = thread_coordinate(g, d, r.first, r.n);
  v->base = fold_add(g, v->base, fold_mul(g, to_i64(g, own), r.unit));
  r.all_rest = extent ? begin.rest : NULL;
  if (extent) r.rest = LLVMBuildSub(b, begin.rest, own, "rest"); /* less the thread's own */
  v->dims[i] = r;
}

/* Coordinates along the sparse dimension come from a tile. */
static void sparse_dimension(gen *g, view_access *v, ir_value *index, unsigned i) {
  dimension r = {.n = 0};
  simt_dim_bits(v->type->tile, i, &r.first, &r.n);
  simt_dist d = v->a->d;
  for (unsigned j = 0; j < d.regs; j++)
    if (d.reg[j] >= (int8_t)r.first && d.reg[j] < (int8_t)(r.first + r.n))
      r.bits[r.n_bits++] = (uint8_t)d.reg[j];
  r.part = arena_array(g->arena, llv, (size_t)1 << r.n_bits);
  r.exists = arena_array(g->arena, llv, (size_t)1 << r.n_bits);
  unsigned first = r.first;
  for (unsigned k = v->type->tile->rank; k-- > 0;) {
    unsigned f, c;
    simt_dim_bits(v->type->tile, k, &f, &c);
    if (k != i) d = simt_dist_drop(&d, k < i ? first + r.n : 0, c);
    if (k > i) first -= c; /* what was below is gone */
  }
  llv *x = gpu_get(g, index, &d);
  llv unit = fold_mul(g, v->view->stride[i], k64(g, v->unit)), extent = v->view->shape[i];
  for (uint32_t k = 0; k < 1u << r.n_bits; k++) {
    llv c = to_i64(g, d.n ? x[k] : x[0]);
    r.part[k] = LLVMBuildMul(g->e.b, c, unit, "");
    r.exists[k] = LLVMBuildICmp(g->e.b, LLVMIntULT, c, extent, "");
  }
  v->dims[i] = r;
}

/* ---- how wide accesses may be --------------------------------------------------------------- */

/* A power of two that divides the number whenever the program runs. */
static uint64_t divisor_of(gen *g, const ir_value *v) {
  uint64_t d = facts_of(g->facts, v).divisor;
  return d ? d : UINT64_C(1) << 62;
}

/* The tile's dimension whose bits of the index begin with this one. */
static unsigned dimension_at(const ir_type *t, unsigned bit) {
  for (unsigned i = 0; i < t->rank; i++) {
    unsigned first, n;
    simt_dim_bits(t->tile, i, &first, &n);
    if (n && first == bit) return i;
  }
  return t->rank;
}

static unsigned dimension_in_view(const ir_type *t, unsigned i) {
  return t->dim_map ? (unsigned)t->dim_map[i] : i;
}

/* Where runs begin, but for the dimension that lies packed: the bits of `sum` are to be multiples
 * of a run. Other dimensions may have a stride of 1, too, so that rows begin at any element; only
 * where there is but one row does its stride not matter. False when some begin elsewhere. */
static bool add_places(gen *g, const view_access *v, uint64_t bytes, llv *sum) {
  LLVMBuilderRef b = g->e.b;
  const ir_type *t = v->type->view;
  const ir_op *made = v->view->op;
  unsigned nibbles = v->a->nibbles, packed = dimension_in_view(v->type, v->packed);
  uint32_t n_strides, next = 0;
  ir_use *strides = made ? ir_operand_group(made, 2, &n_strides) : NULL;
  if (!made || (divisor_of(g, ir_operand_in(made, 0)) << nibbles) % bytes)
    *sum = nibbles ? LLVMBuildShl(b, v->view->base, k64(g, 1), "") : v->view->base;
  for (unsigned i = 0; i < t->rank; i++) {
    bool dynamic = t->strides[i] == IR_DYNAMIC;
    uint64_t divisor = (uint64_t)t->strides[i];
    if (dynamic) divisor = made ? divisor_of(g, strides[next++].value) : 1;
    if (i == packed || t->shape[i] == 1 || divisor * (uint64_t)v->unit % bytes == 0) continue;
    if (!dynamic) return false;
    *sum = fold_or(g, *sum, LLVMBuildMul(b, v->view->stride[i], k64(g, v->unit), ""));
  }
  return true;
}

/* Along the dimension that lies packed a run begins at its multiple, and is inside or outside as a
 * whole. */
static bool add_extent(gen *g, const view_access *v, unsigned run, llv *sum) {
  unsigned i = v->packed;
  if (tile_distance(v->type, i) % (INT64_C(1) << run)) return false; /* tiles start anywhere */
  if (!v->dims[i].rest && !v->dims[i].exists) return true;
  unsigned in_view = dimension_in_view(v->type, i);
  int64_t extent = v->type->view->shape[in_view];
  if (extent != IR_DYNAMIC && extent % (INT64_C(1) << run) == 0) return true;
  *sum = fold_or(g, *sum, LLVMBuildMul(g->e.b, v->view->shape[in_view], k64(g, v->unit), ""));
  return true;
}

/* The dimension that lies packed in memory, and how many of its elements a thread has in a row. */
static void find_run(gen *g, view_access *v) {
  uint8_t order[SIMT_BITS];
  access *a = v->a;
  unsigned most = simt_memory_order(v->type, order), run = 0;
  while (run < most && run < a->d.regs && a->d.reg[run] == (int8_t)order[run] &&
         (v->unit << run) < (a->nibbles ? 2 : 1) * SIMT_ACCESS_BYTES)
    run++;
  if (!run) return;
  uint64_t bytes = (uint64_t)v->unit << run; /* nibbles, where elements are */
  llv sum = NULL;
  int64_t known;
  v->packed = dimension_at(v->type, order[0]);
  if (!add_places(g, v, bytes, &sum) || !add_extent(g, v, run, &sum)) return;
  if (sum) sum = LLVMBuildAnd(g->e.b, sum, k64(g, (int64_t)bytes - 1), "");
  if (sum && is_const(sum, &known)) {
    if (known) return;
    sum = NULL;
  }
  if (!a->nibbles && gpu_is_aligned(g, v->view->op)) sum = NULL;
  a->run = run;
  if (sum) a->run_ok = LLVMBuildICmp(g->e.b, LLVMIntEQ, sum, k64(g, 0), "aligned");
}

/* ---- accesses ------------------------------------------------------------------------------- */

static access view_access_of(gen *g, ir_op *op, const simt_dist *d, ir_value *subject,
                             ir_use *index) {
  const ir_type *t = subject->type;
  gpu_place since = gpu_here(g);
  llv pad = gpu_padding_value(g, (tsr_elem)t->elem, t->padding);
  access a = {.op = op, .elem = t->elem, .d = *d, .pad = pad};
  a.nibbles = tsr_elem_bits((tsr_elem)t->elem) == 4;
  if (num_shares_bytes(tsr_elem_bits((tsr_elem)t->elem)))
    a.packed = (uint8_t)tsr_elem_bits((tsr_elem)t->elem);
  view_access *v = arena_new(g->arena, view_access);
  *v = (view_access){.shared = arena_new(g->arena, shared_parts),
                     .a = &a,
                     .type = t,
                     .view = value_of(g, subject)->view};
  v->unit = a.nibbles ? 1 : a.packed ? a.packed : gpu_shared_bytes((tsr_elem)t->elem);
  v->base = a.packed ? gpu_bit_address(g, v->view->base) : v->view->base;
  if (a.nibbles) v->base = LLVMBuildShl(g->e.b, v->base, k64(g, 1), "");
  v->dims = arena_array(g->arena, dimension, MAX(t->rank, 1));
  for (unsigned i = 0; i < t->rank; i++) {
    if (t->kind == IR_GATHER_SCATTER_VIEW && i == t->sparse_dim && index[i].value->type->rank)
      sparse_dimension(g, v, index[i].value, i);
    else
      plain_dimension(g, v, index[i].value, i);
  }
  gpu_move_invariants(g, since);
  for (unsigned i = 0; i < 2 * t->rank; i++) { /* first what the loop doesn't change */
    llv start = v->dims[i % t->rank].start;
    if (start && gpu_is_invariant(g, start) == (i < t->rank)) v->base = fold_add(g, v->base, start);
  }
  gpu_move_invariants(g, since);
  v->packed = t->rank;
  if (t->rank && !a.packed) find_run(g, v);
  a.align = a.packed ? 1 : MAX((uint64_t)v->unit << a.run >> a.nibbles, 1);
  a.view = v;
  return a;
}

bool gpu_share_parts(const access *a) {
  if (!a->view || a->view->shared->open) return false;
  *a->view->shared = (shared_parts){.open = true};
  return true;
}
void gpu_end_sharing(const access *a, bool begun) {
  if (begun) a->view->shared->open = false;
}

static llv shared_part_of(gen *g, const view_access *v, unsigned dim, uint32_t at, bool exists) {
  shared_parts *s = v->shared;
  for (uint32_t i = 0; s->open && i < s->made.len; i++) {
    const shared_part *p = &s->made.data[i];
    if (p->dim == dim && p->at == at && p->is_exists == exists) return p->made;
  }
  const dimension *d = &v->dims[dim];
  llv made = exists ? LLVMBuildICmp(g->e.b, LLVMIntSGT, d->rest, k32(g, at), "")
                    : fold_mul(g, d->unit, k64(g, at));
  if (s->open) vec_push(g->arena, s->made, (shared_part){dim, at, exists, made});
  return made;
}

llv gpu_address_near(gen *g, const access *a, uint32_t slot, uint32_t *offset) {
  const view_access *v = a->view;
  *offset = 0;
  if (a->address_of) return a->address_of(g, a, slot, offset);
  if (!v) return a->address[slot];
  uint32_t own = simt_index_of_slot(&a->d, slot);
  llv rest = k64(g, 0);
  int64_t fixed = 0, known;
  for (unsigned k = 0; k < v->type->rank; k++) {
    const dimension *d = &v->dims[k];
    llv part = d->part ? d->part[dimension_entry(d, own)]
                       : shared_part_of(g, v, k, dimension_coordinate(d, own), false);
    if (is_const(part, &known) && known >= 0 && fixed + known <= INT32_MAX)
      fixed += known;
    else
      rest = fold_add(g, rest, part);
  }
  *offset = (uint32_t)fixed;
  return fold_add(g, v->base, rest);
}

llv gpu_address(gen *g, const access *a, uint32_t slot) {
  uint32_t offset;
  llv near = gpu_address_near(g, a, slot, &offset);
  return add_const(g, near, offset);
}

/* Of the coordinates along the dimension that lies packed, or along the others. */
static llv exists_along(gen *g, const view_access *v, uint32_t index, bool packed) {
  llv exists = NULL;
  for (unsigned k = 0; k < v->type->rank; k++) {
    const dimension *d = &v->dims[k];
    llv inside = NULL;
    if (packed != (k == v->packed)) continue;
    if (d->exists)
      inside = d->exists[dimension_entry(d, index)];
    else if (d->rest)
      inside = shared_part_of(g, v, k, dimension_coordinate(d, index), true);
    exists = fold_and(g, exists, inside);
  }
  return exists;
}

llv gpu_exists(gen *g, const access *a, uint32_t slot) {
  if (a->exists_of) return a->exists_of(g, a, slot);
  if (!a->view) return a->mask ? a->mask[slot] : NULL;
  uint32_t index = simt_index_of_slot(&a->d, slot);
  return fold_and(g, exists_along(g, a->view, index, false), exists_along(g, a->view, index, true));
}

llv gpu_bytes_of_run(gen *g, const access *a, uint32_t slot, uint32_t bytes) {
  LLVMBuilderRef b = g->e.b;
  const view_access *v = a->view;
  llv none = k32(g, 0), size = k32(g, bytes);
  if (!v) return a->mask ? LLVMBuildSelect(b, a->mask[slot], size, none, "") : NULL;
  uint32_t index = simt_index_of_slot(&a->d, slot);
  llv packed = exists_along(g, v, index, true), others = exists_along(g, v, index, false);
  if (packed) {
    if (packed != v->shared->packed || !v->shared->open) {
      v->shared->packed = packed;
      v->shared->size = LLVMBuildSelect(b, packed, size, none, "");
    }
    size = v->shared->size;
  }
  if (others) size = LLVMBuildSelect(b, others, size, none, "");
  return packed || others ? size : NULL;
}

/* ---- a tile's place and places in it --------------------------------------------------------- */

bool gpu_has_tile_base(const access *a) {
  if (!a->view || a->nibbles || a->packed) return false;
  for (unsigned i = 0; i < a->view->type->rank; i++)
    if (a->view->dims[i].part) return false;
  return true;
}

llv gpu_tile_base(gen *g, const access *a) {
  const view_access *v = a->view;
  gpu_place since = gpu_here(g);
  llv base = v->view->base;
  for (unsigned i = 0; i < 2 * v->type->rank; i++) { /* first what the loop doesn't change */
    llv start = v->dims[i % v->type->rank].start;
    if (gpu_is_invariant(g, start) == (i < v->type->rank)) base = fold_add(g, base, start);
  }
  gpu_move_invariants(g, since);
  return base;
}

llv gpu_tile_offset(gen *g, const access *a, uint32_t slot) {
  LLVMBuilderRef b = g->e.b;
  const view_access *v = a->view;
  uint32_t index = simt_index_of_slot(&a->d, slot);
  gpu_place since = gpu_here(g);
  llv sum = NULL;
  for (unsigned i = 0; i < v->type->rank; i++) {
    const dimension *d = &v->dims[i];
    if (d->n == 0) continue;
    llv unit = LLVMBuildTrunc(b, d->unit, g->e.i32, "");
    llv at = add_const(g, d->own, dimension_coordinate(d, index));
    llv part = LLVMBuildMul(b, at, unit, "");
    sum = sum ? add_of(g, sum, part) : part;
  }
  gpu_move_invariants(g, since);
  return sum ? sum : k32(g, 0);
}

llv gpu_tile_bytes_along(gen *g, const access *a, unsigned dim) {
  const dimension *d = &a->view->dims[dim];
  if (!d->all_rest) return NULL;
  gpu_place since = gpu_here(g);
  llv unit = LLVMBuildTrunc(g->e.b, d->unit, g->e.i32, "");
  llv bytes = LLVMBuildMul(g->e.b, d->all_rest, unit, "");
  gpu_move_invariants(g, since);
  return bytes;
}

llv gpu_exists_beside(gen *g, const access *a, uint32_t slot, unsigned dim) {
  const view_access *v = a->view;
  uint32_t index = simt_index_of_slot(&a->d, slot);
  llv exists = NULL;
  for (unsigned k = 0; k < v->type->rank; k++)
    if (k != dim && v->dims[k].rest)
      exists = fold_and(g, exists,
                        shared_part_of(g, v, k, dimension_coordinate(&v->dims[k], index), true));
  return exists;
}

/* An i1: all of the thread's runs are aligned, and exist where that was not known. */
static llv test_runs(gen *g, const access *a, const simt_run *run) {
  LLVMBuilderRef b = g->e.b;
  llv sum = NULL, ok = NULL;
  for (uint32_t i = 0; run->test_alignment && i < slots_of(&a->d); i += 1u << a->run)
    sum = sum ? LLVMBuildOr(b, sum, gpu_address(g, a, i), "") : gpu_address(g, a, i);
  if (sum) {
    sum = LLVMBuildAnd(b, sum, k64(g, (int64_t)a->align - 1), "");
    ok = LLVMBuildICmp(b, LLVMIntEQ, sum, k64(g, 0), "aligned");
  }
  for (uint32_t i = 0; run->test_mask && i < slots_of(&a->d); i++)
    ok = fold_and(g, ok, gpu_exists(g, a, i));
  return ok;
}

/* Pointers to elements that share bytes say at which bit one begins (exec/scalar.h). */
static void take_bits(gen *g, access *a) {
  llv *bits = gpu_registers(g, &a->d);
  a->packed = (uint8_t)tsr_elem_bits((tsr_elem)a->elem);
  for (uint32_t i = 0; i < slots_of(&a->d); i++) bits[i] = gpu_bit_address(g, a->address[i]);
  a->address = bits;
}

static access pointer_access_of(gen *g, ir_op *op, const simt_dist *d, ir_value *pointers,
                                ir_value *mask, ir_value *padding) {
  access a = {.op = op, .elem = pointers->type->pointee, .d = *d, .padding = padding};
  a.address = gpu_get(g, pointers, d);
  if (mask) a.mask = gpu_get(g, mask, d);
  a.nibbles = tsr_elem_bits((tsr_elem)a.elem) == 4;
  if (a.nibbles) { /* they name the low half of a byte */
    llv *shifted = gpu_registers(g, d);
    for (uint32_t i = 0; i < slots_of(d); i++)
      shifted[i] = LLVMBuildShl(g->e.b, a.address[i], k64(g, 1), "");
    a.address = shifted;
  }
  if (num_shares_bytes(tsr_elem_bits((tsr_elem)a.elem))) take_bits(g, &a);
  unsigned bytes = gpu_shared_bytes((tsr_elem)a.elem), most = 0;
  while (!a.packed && most < d->regs && bytes << most < SIMT_ACCESS_BYTES) most++;
  simt_run run = simt_pointer_run(g->facts, pointers, mask, d->reg, a.nibbles ? 0 : most);
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

llv gpu_bit_address(gen *g, llv pointer) {
  llv args[] = {pointer, pointer, k64(g, 3)};
  return emit_intrinsic(&g->e, "llvm.fshl", &g->e.i64, 1, args, ARRAY_LEN(args));
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

/* `exists`: i1; NULL: it does. */
static llv load_one(gen *g, const access *a, uint32_t i, llv exists, llv pad) {
  unsigned bits = MAX(tsr_elem_bits((tsr_elem)a->elem), 8);
  uint32_t offset;
  llv at = gpu_address_near(g, a, i, &offset);
  if (exists && bits == 8) {
    llv word = g->vendor->masked_load(g, bits, at, offset, exists,
                                      LLVMBuildZExt(g->e.b, pad, g->e.i32, ""));
    return LLVMBuildTrunc(g->e.b, word, g->e.i8, "");
  }
  if (exists) return g->vendor->masked_load(g, bits, at, offset, exists, pad);
  at = add_const(g, at, offset);
  llv x =
      LLVMBuildLoad2(g->e.b, gpu_memory_type(g, (tsr_elem)a->elem), as_ptr(g, at, g->space), "");
  LLVMSetAlignment(x, bits / 8);
  return x;
}

/* Elements that share bytes: out of the byte in which one begins and that in which it ends. */
static llv load_bits(gen *g, const access *a, uint32_t i, llv exists, llv pad) {
  LLVMBuilderRef b = g->e.b;
  llv at = gpu_address(g, a, i), always = LLVMConstInt(g->e.i1, 1, 0), both = NULL;
  for (unsigned k = 0; k < 2; k++) {
    llv byte = LLVMBuildLShr(b, add_const(g, at, k ? a->packed - 1u : 0), k64(g, 3), "");
    llv x = g->vendor->masked_load(g, 8, byte, 0, exists ? exists : always, k32(g, 0));
    both = both ? LLVMBuildOr(b, both, LLVMBuildShl(b, x, k32(g, 8), ""), "") : x;
  }
  llv shift = LLVMBuildAnd(b, LLVMBuildTrunc(b, at, g->e.i32, ""), k32(g, 7), "");
  llv x = LLVMBuildLShr(b, both, shift, "");
  x = LLVMBuildTrunc(b, LLVMBuildAnd(b, x, k32(g, (1u << a->packed) - 1), ""), g->e.i8, "");
  return exists ? LLVMBuildSelect(b, exists, x, pad, "") : x;
}

/* Nibbles that lie in a row: of each the byte, and the nibble out of it. They begin in the low or
 * the high half of a byte; so those with even numbers are all in the one half or the other, and
 * those with odd numbers have their bytes as many further on. */
static void load_nibbles(gen *g, const access *a, uint32_t first, uint32_t count, llv *const exists,
                         const llv *pad, llv *r) {
  LLVMBuilderRef b = g->e.b;
  llv at = gpu_address(g, a, first), begin = LLVMBuildLShr(b, at, k64(g, 1), "");
  llv odd = LLVMBuildAnd(b, LLVMBuildTrunc(b, at, g->e.i32, ""), k32(g, 1), "");
  llv shift = LLVMBuildShl(b, odd, k32(g, 2), "");
  const llv byte[] = {begin, add_of(g, begin, to_i64(g, odd))};
  const llv shifts[] = {shift, LLVMBuildXor(b, shift, k32(g, 4), "")};
  for (uint32_t k = 0; k < count; k++) {
    llv always = LLVMConstInt(g->e.i1, 1, 0);
    llv x =
        g->vendor->masked_load(g, 8, byte[k & 1], k / 2, exists[k] ? exists[k] : always, k32(g, 0));
    x = LLVMBuildAnd(b, LLVMBuildLShr(b, x, shifts[k & 1], ""), k32(g, 15), "");
    x = LLVMBuildTrunc(b, x, g->e.i8, "");
    bool is_zero = LLVMIsConstant(pad[k]) && LLVMIsNull(pad[k]); /* as what is not loaded is */
    r[k] = is_zero || !exists[k] ? x : LLVMBuildSelect(b, exists[k], x, pad[k], "");
  }
}

/* ---- loads ---------------------------------------------------------------------------------- */

/* One load's way from memory: elements as they are there, or words of several. */
typedef struct loading {
  const access *a;
  llv *pad;      /* as in memory */
  unsigned each; /* elements in a word, of which they fill the lowest bits; 0: no words */
  uint32_t n;    /* of what it gives */
} loading;

/* `each` elements as they are in memory, next to each other in an integer. */
static llv join(gen *g, tsr_elem elem, const llv *x, unsigned each, LLVMTypeRef type) {
  LLVMBuilderRef b = g->e.b;
  llv all = NULL;
  for (unsigned k = 0; k < each; k++) {
    llv part = LLVMTypeOf(x[k]) == type ? x[k] : LLVMBuildZExt(b, x[k], type, "");
    if (k) part = LLVMBuildShl(b, part, LLVMConstInt(type, k * tsr_elem_bits(elem), 0), "");
    all = all ? LLVMBuildOr(b, all, part, "") : part;
  }
  return all;
}

/* Elements as the load gives them. */
static void join_all(gen *g, const loading *l, const llv *x, uint32_t count, llv *r) {
  if (!l->each) {
    memcpy(r, x, count * sizeof *r);
    return;
  }
  for (uint32_t k = 0; k < count; k += l->each)
    *r++ = join(g, (tsr_elem)l->a->elem, x + k, l->each, g->e.i32);
}

enum { MOST_IN_RUN = 32 };

/* Elements of a run one by one; `row`: that those along other dimensions exist is known. */
static void load_run_slowly(gen *g, const loading *l, uint32_t first, uint32_t count, bool row,
                            llv *r) {
  const access *a = l->a;
  llv x[MOST_IN_RUN], exists[MOST_IN_RUN];
  bool shared = gpu_share_parts(a);
  for (uint32_t k = 0; k < count; k++) {
    uint32_t index = simt_index_of_slot(&a->d, first + k);
    exists[k] = row ? exists_along(g, a->view, index, true) : gpu_exists(g, a, first + k);
    if (a->packed)
      x[k] = load_bits(g, a, first + k, exists[k], l->pad[first + k]);
    else if (!a->nibbles)
      x[k] = load_one(g, a, first + k, exists[k], l->pad[first + k]);
  }
  if (a->nibbles) load_nibbles(g, a, first, count, exists, l->pad + first, x);
  gpu_end_sharing(a, shared);
  join_all(g, l, x, count, r);
}

/* Small elements take many registers until they are joined. If rows of the tile may not exist, each
 * run is loaded in a block of its own, so that no more than one is on its way. */
static void load_row(gen *g, const loading *l, uint32_t first, uint32_t count, llv *r) {
  LLVMBuilderRef b = g->e.b;
  const access *a = l->a;
  llv pad[MOST_IN_RUN], row = NULL;
  uint32_t n = count / (slots_of(&a->d) / l->n);
  if (a->view && (a->nibbles || (l->each && tsr_elem_bits((tsr_elem)a->elem) == 8)))
    row = exists_along(g, a->view, simt_index_of_slot(&a->d, first), false);
  if (!row) {
    load_run_slowly(g, l, first, count, false, r);
    return;
  }
  join_all(g, l, l->pad + first, count, pad);
  llblock before = LLVMGetInsertBlock(b), inside = gpu_new_block(g, "row");
  llblock done = gpu_new_block(g, "row.end");
  LLVMBuildCondBr(b, row, inside, done);
  LLVMPositionBuilderAtEnd(b, inside);
  load_run_slowly(g, l, first, count, true, r);
  gpu_go(g, done);
  for (uint32_t k = 0; k < n; k++) {
    llv phi = LLVMBuildPhi(b, LLVMTypeOf(r[k]), "");
    LLVMAddIncoming(phi, (llv[]){pad[k], r[k]}, (llblock[]){before, inside}, 2);
    r[k] = phi;
  }
}

static void load_elements(gen *g, const loading *l, llv *r) {
  uint32_t n = slots_of(&l->a->d), run = 1u << l->a->run;
  for (uint32_t i = 0; i < n; i += run, r += (uint64_t)l->n * run / n) load_row(g, l, i, run, r);
}

/* What the instruction for a run moves: so many words, elements, or pairs of nibbles. */
typedef struct run_parts {
  unsigned n, each; /* elements in each */
  LLVMTypeRef one, all;
} run_parts;

/* `each`: elements in a word; 0: no words. */
static run_parts run_parts_of(gen *g, const access *a, unsigned each) {
  unsigned bits = a->nibbles ? 4 : MAX(tsr_elem_bits((tsr_elem)a->elem), 8);
  unsigned width = MAX(each * bits, MAX(bits, 8));
  run_parts p = {.n = (bits << a->run) / width, .each = width / bits};
  p.one = LLVMIntTypeInContext(g->e.llvm, width);
  p.all = p.n > 1 ? LLVMVectorType(p.one, p.n) : p.one;
  return p;
}

static llv join_run(gen *g, const access *a, const run_parts *p, const llv *x) {
  llv all = LLVMGetPoison(p->all);
  for (unsigned k = 0; k < p->n; k++) {
    llv part = join(g, (tsr_elem)a->elem, x + k * p->each, p->each, p->one);
    all = p->n > 1 ? LLVMBuildInsertElement(g->e.b, all, part, k32(g, k), "") : part;
  }
  return all;
}

static llv load_run(gen *g, const loading *l, const run_parts *p, uint32_t i) {
  LLVMBuilderRef b = g->e.b;
  const access *a = l->a;
  llv exists = a->run_exists ? NULL : gpu_exists(g, a, i), padding = NULL;
  llv at = gpu_address(g, a, i); /* here, since other runs share parts of it */
  llblock inside = NULL, done = NULL, before = NULL;
  if (exists) {
    padding = join_run(g, a, p, l->pad + i);
    before = LLVMGetInsertBlock(b);
    inside = gpu_new_block(g, "load");
    done = gpu_new_block(g, "load.end");
    LLVMBuildCondBr(b, exists, inside, done);
    LLVMPositionBuilderAtEnd(b, inside);
  }
  if (a->nibbles) at = LLVMBuildLShr(b, at, k64(g, 1), "");
  llv x = LLVMBuildLoad2(b, p->all, as_ptr(g, at, g->space), "");
  LLVMSetAlignment(x, (unsigned)a->align);
  if (!exists) return x;
  gpu_go(g, done);
  llv phi = LLVMBuildPhi(b, p->all, "");
  LLVMAddIncoming(phi, (llv[]){padding, x}, (llblock[]){before, inside}, 2);
  return phi;
}

static void load_runs(gen *g, const loading *l, llv *r) {
  LLVMBuilderRef b = g->e.b;
  run_parts p = run_parts_of(g, l->a, l->each);
  bool shared = gpu_share_parts(l->a);
  for (uint32_t i = 0; i < slots_of(&l->a->d); i += 1u << l->a->run) {
    llv x = load_run(g, l, &p, i);
    for (unsigned k = 0; k < p.n; k++) {
      llv part = p.n > 1 ? LLVMBuildExtractElement(b, x, k32(g, k), "") : x;
      if (l->each || p.each == 1) {
        *r++ = l->each && p.one != g->e.i32 ? LLVMBuildZExt(b, part, g->e.i32, "") : part;
        continue;
      }
      *r++ = LLVMBuildAnd(b, part, LLVMConstInt(g->e.i8, 15, 0), "");
      *r++ = LLVMBuildLShr(b, part, LLVMConstInt(g->e.i8, 4, 0), "");
    }
  }
  gpu_end_sharing(l->a, shared);
}

/* Both ways to access, when it turns out only in the run whether runs are aligned. */
static void load_either(gen *g, const loading *l, llv *r) {
  emit *e = &g->e;
  llblock wide = gpu_new_block(g, "load.wide"), narrow = gpu_new_block(g, "load.narrow");
  llblock done = gpu_new_block(g, "load.either");
  llv *x = arena_array(g->arena, llv, l->n);
  LLVMBuildCondBr(e->b, l->a->run_ok, wide, narrow);
  LLVMPositionBuilderAtEnd(e->b, wide);
  load_runs(g, l, r);
  wide = LLVMGetInsertBlock(e->b);
  LLVMBuildBr(e->b, done);
  LLVMPositionBuilderAtEnd(e->b, narrow);
  load_elements(g, l, x);
  narrow = LLVMGetInsertBlock(e->b);
  gpu_go(g, done);
  for (uint32_t i = 0; i < l->n; i++) {
    llv phi = LLVMBuildPhi(e->b, LLVMTypeOf(x[i]), "");
    LLVMAddIncoming(phi, (llv[]){r[i], x[i]}, (llblock[]){wide, narrow}, 2);
    r[i] = phi;
  }
}

void gpu_load(gen *g, ir_op *op) {
  value_of(g, ir_result(op, 1))->kind = VALUE_TOKEN;
  if (g->pipeline && simt_staged_load(g->plan, op))
    value_of(g, ir_result(op, 0))->kind = VALUE_STAGED;
  else if (ir_int_attr(op, ATTR_memory_ordering_semantics) != ORDER_WEAK)
    gpu_ordered_load(g, op);
  else if (!g->private_ && simt_may_defer(op))
    value_of(g, ir_result(op, 0))->kind = VALUE_DEFERRED;
  else
    gpu_load_deferred(g, op);
}

/* Those of a run, as many as there is room for. Single ones stay as they are, but for nibbles: only
 * as part of a word are these widened two at a time (elements.c). 0: so they stay. */
static unsigned elements_in_word(const access *a) {
  unsigned each = MIN(1u << a->run, 32 / tsr_elem_bits((tsr_elem)a->elem));
  return each > 1 || a->nibbles ? each : 0;
}

/* `each`: elements in a word; 0: no words. */
static loading loading_of(gen *g, const access *a, unsigned each) {
  uint32_t n = slots_of(&a->d);
  llv *padding = gpu_padding(g, a);
  loading l = {.a = a, .pad = gpu_registers(g, &a->d), .each = each, .n = n / MAX(each, 1)};
  for (uint32_t i = 0; i < n; i++) l.pad[i] = gpu_to_memory(g, (tsr_elem)a->elem, padding[i]);
  return l;
}

static llv *load_all(gen *g, const loading *l) {
  const access *a = l->a;
  llv *r = gpu_registers(g, &a->d);
  if (a->run && a->run_ok)
    load_either(g, l, r);
  else if (a->run)
    load_runs(g, l, r);
  else
    load_elements(g, l, r);
  return r;
}

llv *gpu_load_raw(gen *g, const access *a) {
  loading l = loading_of(g, a, 0);
  return load_all(g, &l);
}

static void set_loaded(gen *g, ir_value *v, const loading *l, llv *r) {
  const access *a = l->a;
  if (l->each) {
    gpu_set_words(g, v, &a->d, r, l->each);
    return;
  }
  for (uint32_t i = 0; i < l->n; i++) r[i] = gpu_from_memory(g, (tsr_elem)a->elem, r[i]);
  gpu_set(g, v, &a->d, r);
}

void gpu_load_access(gen *g, ir_value *v, const access *a) {
  loading l = loading_of(g, a, gpu_may_pack(g, v) ? elements_in_word(a) : 0);
  set_loaded(g, v, &l, load_all(g, &l));
}

void gpu_load_deferred(gen *g, ir_op *op) {
  ir_value *v = ir_result(op, 0);
  simt_dist d = gpu_dist(g, v);
  access a = gpu_access(g, op, &d);
  loading l = loading_of(g, &a, gpu_may_pack(g, v) ? elements_in_word(&a) : 0);
  gpu_before_load(g);
  set_loaded(g, v, &l, load_all(g, &l));
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
  g->vendor->replace_bits(g, word, exists, keep, put);
}

/* The same of other elements that share bytes, which may end in the next word. */
static void store_bits(gen *g, const access *a, uint32_t i, llv exists, llv x) {
  LLVMBuilderRef b = g->e.b;
  llv address = gpu_address(g, a, i), word = LLVMBuildLShr(b, address, k64(g, 3), "");
  llv at = LLVMBuildAnd(b, address, k64(g, 31), "");
  llv put = LLVMBuildShl(b, to_i64(g, x), at, "");
  llv keep = LLVMBuildNot(b, LLVMBuildShl(b, k64(g, (1 << a->packed) - 1), at, ""), "");
  llv crosses = LLVMBuildICmp(b, LLVMIntUGT, at, k64(g, 32 - a->packed), "");
  word = LLVMBuildAnd(b, word, k64(g, -4), "");
  for (unsigned k = 0; k < 2; k++) {
    llv half[] = {LLVMBuildLShr(b, keep, k64(g, 32 * k), ""),
                  LLVMBuildLShr(b, put, k64(g, 32 * k), "")};
    for (unsigned j = 0; j < 2; j++) half[j] = LLVMBuildTrunc(b, half[j], g->e.i32, "");
    llv here = k ? LLVMBuildAnd(b, exists, crosses, "") : exists;
    g->vendor->replace_bits(g, add_const(g, word, 4 * k), here, half[0], half[1]);
  }
}

static void store_elements(gen *g, const access *a, llv *x, llv owner) {
  unsigned bits = MAX(tsr_elem_bits((tsr_elem)a->elem), 8);
  bool shared = gpu_share_parts(a);
  for (uint32_t i = 0; i < slots_of(&a->d); i++) {
    llv exists = fold_and(g, owner, gpu_exists(g, a, i));
    uint32_t offset;
    llv here = exists ? exists : LLVMConstInt(g->e.i1, 1, 0);
    if (a->packed) {
      store_bits(g, a, i, here, x[i]);
    } else if (a->nibbles) {
      store_nibble(g, gpu_address(g, a, i), here, x[i]);
    } else if (exists) {
      llv at = gpu_address_near(g, a, i, &offset);
      g->vendor->masked_store(g, bits, at, offset, exists, &x[i], 1);
    } else {
      llv s = LLVMBuildStore(g->e.b, x[i], as_ptr(g, gpu_address(g, a, i), g->space));
      LLVMSetAlignment(s, bits / 8);
    }
  }
  gpu_end_sharing(a, shared);
}

/* A run as an instruction with a predicate takes it, with its elements in whole registers. */
typedef struct masked_run {
  LLVMTypeRef type; /* of a register: i32 or i64 */
  unsigned n;       /* registers, up to 4; 0: they would not be filled */
} masked_run;

static masked_run masked_run_of(gen *g, const run_parts *p) {
  unsigned width = LLVMGetIntTypeWidth(p->one);
  masked_run m = {.type = width == 64 ? g->e.i64 : g->e.i32};
  m.n = p->n * width / LLVMGetIntTypeWidth(m.type);
  return m;
}

static void masked_store_run(gen *g, const masked_run *m, llv address, uint32_t offset, llv exists,
                             llv run) {
  LLVMBuilderRef b = g->e.b;
  unsigned bits = LLVMGetIntTypeWidth(m->type);
  llv words[4];
  if (m->n == 1) run = LLVMBuildBitCast(b, run, m->type, "");
  if (m->n > 1) run = LLVMBuildBitCast(b, run, LLVMVectorType(m->type, m->n), "");
  for (unsigned k = 0; k < m->n; k++)
    words[k] = m->n > 1 ? LLVMBuildExtractElement(b, run, k32(g, k), "") : run;
  g->vendor->masked_store(g, bits, address, offset, exists, words, m->n);
}

static void store_runs(gen *g, const access *a, llv *x, llv owner) {
  LLVMBuilderRef b = g->e.b;
  run_parts p = run_parts_of(g, a, 0);
  masked_run m = masked_run_of(g, &p);
  bool shared = gpu_share_parts(a);
  for (uint32_t i = 0; i < slots_of(&a->d); i += 1u << a->run) {
    llv exists = fold_and(g, owner, a->run_exists ? NULL : gpu_exists(g, a, i));
    llv all = join_run(g, a, &p, x + i);
    if (exists && m.n && !a->nibbles) {
      uint32_t offset;
      llv at = gpu_address_near(g, a, i, &offset);
      masked_store_run(g, &m, at, offset, exists, all);
      continue;
    }
    llv at = gpu_address(g, a, i);
    llblock done = gpu_begin_owner(g, exists);
    if (a->nibbles) at = LLVMBuildLShr(b, at, k64(g, 1), "");
    LLVMSetAlignment(LLVMBuildStore(b, all, as_ptr(g, at, g->space)), (unsigned)a->align);
    if (done) gpu_go(g, done);
  }
  gpu_end_sharing(a, shared);
}

void gpu_store(gen *g, ir_op *op) {
  value_of(g, ir_result(op, 0))->kind = VALUE_TOKEN;
  if (ir_int_attr(op, ATTR_memory_ordering_semantics) != ORDER_WEAK) {
    gpu_ordered_store(g, op);
    return;
  }
  if (!g->vendor->store(g, op)) gpu_store_directly(g, op);
}

void gpu_store_directly(gen *g, ir_op *op) {
  ir_value *v = op->opcode == OP_store_view_tko ? ir_operand_in(op, 0) : ir_operand_in(op, 1);
  simt_dist d = g->placement->stored(g, op, v);
  llv *x = gpu_get(g, v, &d), *stored = gpu_registers(g, &d);
  access a = gpu_access(g, op, &d);
  for (uint32_t i = 0; i < slots_of(&d); i++) stored[i] = gpu_to_memory(g, (tsr_elem)a.elem, x[i]);
  llv owner = gpu_owner(g, &d);
  gpu_before_store(g);
  gpu_store_access(g, &a, stored, owner);
}

void gpu_store_access(gen *g, const access *a, llv *stored, llv owner) {
  if (a->run && a->run_ok) {
    llblock wide = gpu_new_block(g, "store.wide"), narrow = gpu_new_block(g, "store.narrow");
    llblock done = gpu_new_block(g, "store.either");
    LLVMBuildCondBr(g->e.b, a->run_ok, wide, narrow);
    LLVMPositionBuilderAtEnd(g->e.b, wide);
    store_runs(g, a, stored, owner);
    LLVMBuildBr(g->e.b, done);
    LLVMPositionBuilderAtEnd(g->e.b, narrow);
    store_elements(g, a, stored, owner);
    gpu_go(g, done);
  } else if (a->run) {
    store_runs(g, a, stored, owner);
  } else {
    store_elements(g, a, stored, owner);
  }
}
