/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Loads and stores of tiles at any signed offset of a tensor view. Along each dimension the
 * coordinates of the tile that exist are a range, which is computed once for all threads, and which
 * each thread compares its coordinates with. Elements that lie in a row in a thread's registers and
 * in memory are accessed at once where runs of them are known to be aligned and inside or outside
 * of the view as a whole, or are found to be when the kernel runs.
 */
#include "gpu/block/window.h"

#include "block/split.h"
#include "gpu/block/stated.h"
#include "gpu/code.h"
#include "gpu/index.h"
#include "gpu/invariant.h"
#include "gpu/shared.h"
#include "gpu/values.h"

/* ---- facts ---------------------------------------------------------------------------------- */

enum { ANY_DIVISOR = 1 << 30 };

static uint64_t divisor_of(const gen *g, const ir_value *v) {
  uint64_t d = facts_of(g->facts, v).divisor;
  return d ? d : (uint64_t)ANY_DIVISOR;
}

static uint64_t divisor_of_number(int64_t n) {
  return n ? (uint64_t)n & -(uint64_t)n : (uint64_t)ANY_DIVISOR;
}

/* The operand for a dimension of a view whose size, or stride, is known only in the run; NULL: it
 * is known before. */
static ir_value *dynamic_operand(const view *v, unsigned group, const int64_t *known, unsigned d) {
  uint32_t n, next = 0;
  if (known[d] != IR_DYNAMIC) return NULL;
  for (unsigned i = 0; i < d; i++) next += known[i] == IR_DYNAMIC;
  return ir_operand_group(v->op, group, &n)[next].value;
}

static uint64_t extent_divisor(const gen *g, const view *v, unsigned d) {
  ir_value *x = dynamic_operand(v, 1, v->type->shape, d);
  return x ? divisor_of(g, x) : divisor_of_number(v->type->shape[d]);
}

static uint64_t stride_divisor(const gen *g, const view *v, unsigned d) {
  ir_value *x = dynamic_operand(v, 2, v->type->strides, d);
  return x ? divisor_of(g, x) : divisor_of_number(v->type->strides[d]);
}

/* ---- which coordinates exist ---------------------------------------------------------------- */

static llv binary(gen *g, const char *name, llv a, llv b) {
  LLVMTypeRef type = LLVMTypeOf(a);
  return emit_intrinsic(&g->e, name, &type, 1, (llv[]){a, b}, 2);
}

static llv cut(gen *g, llv x, int64_t size) {
  llv least = binary(g, "llvm.umin", x, LLVMConstInt(LLVMTypeOf(x), (uint64_t)size, 0));
  return LLVMBuildIntCast2(g->e.b, least, g->e.i32, 0, "");
}

/* Numbers of 32 bits, where the offset and the extent have no more. */
static LLVMTypeRef range_type(gen *g, const view *v, unsigned d, const ir_value *offset) {
  ir_value *x = dynamic_operand(v, 1, v->type->shape, d);
  unsigned bits = tsr_elem_bits((tsr_elem)offset->type->elem);
  if (x)
    bits = MAX(bits, tsr_elem_bits((tsr_elem)x->type->elem));
  else if (v->type->shape[d] > UINT32_MAX)
    bits = 64;
  return bits > 32 ? g->e.i64 : g->e.i32;
}

/* A coordinate that exists is below it as a number without sign, and not negative. */
static llv extent_of(gen *g, const view *v, unsigned d, LLVMTypeRef type) {
  ir_value *x = dynamic_operand(v, 1, v->type->shape, d);
  bool wide = x && tsr_elem_bits((tsr_elem)x->type->elem) == 64;
  llv extent = wide ? binary(g, "llvm.umin", v->shape[d], k64(g, INT64_MIN)) : v->shape[d];
  return LLVMBuildIntCast2(g->e.b, extent, type, 0, "");
}

/* Those of the tile's coordinates that exist, from low on and below high. Sums stop at the largest
 * number, which is beyond any tile. */
static void find_range(gen *g, window_dim *r, const view *v, unsigned d, ir_value *offset,
                       int64_t size) {
  fact f = facts_of(g->facts, offset);
  int64_t extent = v->type->shape[d];
  if (extent != IR_DYNAMIC && f.min >= 0 && f.max <= extent - size) return;
  LLVMTypeRef type = range_type(g, v, d, offset);
  llv start = LLVMBuildIntCast2(g->e.b, gpu_scalar(g, offset), type, 1, ""), before = start;
  llv limit = extent_of(g, v, d, type);
  if (f.min < 0) {
    before = binary(g, "llvm.smax", start, LLVMConstNull(type));
    llv missing = LLVMBuildSub(g->e.b, before, start, "");
    limit = binary(g, "llvm.uadd.sat", limit, missing);
    r->low = cut(g, missing, size);
  }
  r->high = cut(g, binary(g, "llvm.usub.sat", limit, before), size);
}

/* The same for the thread's own. */
static void compare_with_range(gen *g, window_dim *r) {
  LLVMBuilderRef b = g->e.b;
  if (!r->high) return;
  if (!r->low) {
    r->width = LLVMBuildSub(b, r->high, r->own, "rest");
    return;
  }
  llv more = LLVMBuildICmp(b, LLVMIntUGT, r->high, r->low, "");
  llv width = LLVMBuildSub(b, r->high, r->low, "");
  r->width = LLVMBuildSelect(b, more, width, k32(g, 0), "width");
  r->begin = LLVMBuildSub(b, r->own, r->low, "begin");
}

static llv coordinate_exists(gen *g, const window_dim *r, uint32_t coordinate) {
  if (!r->width) return NULL;
  if (!r->begin) return LLVMBuildICmp(g->e.b, LLVMIntSGT, r->width, k32(g, coordinate), "");
  llv at = add_const(g, r->begin, coordinate);
  return LLVMBuildICmp(g->e.b, LLVMIntULT, at, r->width, "");
}

/* ---- dimensions ----------------------------------------------------------------------------- */

static uint32_t entry_of(const window_dim *r, uint32_t index) {
  uint32_t entry = 0;
  for (unsigned j = 0; j < r->n_bits; j++) entry |= (index >> r->bits[j] & 1) << j;
  return entry;
}

static uint32_t coordinate_of(const window_dim *r, uint32_t index) {
  uint32_t coordinate = 0;
  for (unsigned k = 0; k < r->n; k++)
    if (index >> (r->first + k) & 1) coordinate += (uint32_t)r->step[k];
  return coordinate;
}

static uint32_t entry_coordinate(const window_dim *r, uint32_t entry) {
  uint32_t index = 0;
  for (unsigned j = 0; j < r->n_bits; j++) index |= (entry >> j & 1) << r->bits[j];
  return coordinate_of(r, index);
}

static llv own_coordinate(gen *g, const simt_dist *d, const window_dim *r) {
  int32_t weight[SIMT_BITS] = {0};
  for (unsigned k = 0; k < r->n; k++) weight[r->first + k] = r->step[k];
  return gpu_thread_sum(g, d, weight);
}

static llv start_of(gen *g, ir_value *offset) {
  return LLVMBuildSExt(g->e.b, gpu_scalar(g, offset), g->e.i64, "");
}

/* How far each bit goes; one more than the tile's last coordinate. */
static int64_t find_steps(const window *w, window_dim *r) {
  int64_t size = 1;
  for (unsigned k = 0; k < r->n; k++) {
    r->step[k] = w->steps ? w->steps[r->first + k] : 1 << k;
    size += r->step[k];
  }
  return size;
}

static void open_dim(gen *g, window *w, const view *v, unsigned d, ir_value *offset) {
  window_dim *r = &w->dims[d];
  *r = (window_dim){.n = 0};
  simt_dim_bits(w->type, d, &r->first, &r->n);
  int64_t size = find_steps(w, r);
  for (unsigned j = 0; j < w->a.d.regs; j++) {
    unsigned bit = (unsigned)w->a.d.reg[j];
    if (bit >= r->first && bit < r->first + r->n) r->bits[r->n_bits++] = (uint8_t)bit;
  }
  r->unit = fold_mul(g, v->stride[d], k64(g, w->unit));
  r->own = own_coordinate(g, &w->a.d, r);
  find_range(g, r, v, d, offset, size);
  compare_with_range(g, r);
  w->base = fold_add(g, w->base, fold_mul(g, to_i64(g, r->own), r->unit));
  r->part = arena_array(g->arena, llv, (size_t)1 << r->n_bits);
  for (uint32_t i = 0; i < 1u << r->n_bits; i++)
    r->part[i] = fold_mul(g, r->unit, k64(g, entry_coordinate(r, i)));
}

/* Adds what the tile's place adds to the address, what a loop doesn't change first. */
static void add_starts(gen *g, window *w, ir_use *offsets) {
  llv starts[IR_MAX_RANK];
  gpu_place since = gpu_here(g);
  for (unsigned d = 0; d < w->rank; d++)
    starts[d] = fold_mul(g, start_of(g, offsets[d].value), w->dims[d].unit);
  gpu_move_invariants(g, since);
  since = gpu_here(g);
  for (unsigned i = 0; i < 2 * w->rank; i++)
    if (gpu_is_invariant(g, starts[i % w->rank]) == (i < w->rank))
      w->base = fold_add(g, w->base, starts[i % w->rank]);
  gpu_move_invariants(g, since);
}

/* Of dimensions in which a thread has several rows or columns. Along the packed one only heads of
 * runs are asked for, or each element once. */
static void make_exists(gen *g, window *w) {
  for (unsigned d = 0; d < w->rank; d++) {
    window_dim *r = &w->dims[d];
    if (!r->width || (d == w->packed && w->a.run)) continue;
    r->exists = arena_array(g->arena, llv, (size_t)1 << r->n_bits);
    for (uint32_t i = 0; i < 1u << r->n_bits; i++)
      r->exists[i] = coordinate_exists(g, r, entry_coordinate(r, i));
  }
}

/* ---- what an access asks -------------------------------------------------------------------- */

static llv dim_exists(gen *g, const window_dim *r, uint32_t index) {
  return r->exists ? r->exists[entry_of(r, index)]
                   : coordinate_exists(g, r, coordinate_of(r, index));
}

static llv exists_of(gen *g, const access *a, uint32_t slot) {
  const window *w = a->own;
  uint32_t index = simt_index_of_slot(&a->d, slot);
  llv exists = w->mask ? w->mask[slot] : NULL;
  for (unsigned d = 0; d < w->rank; d++)
    exists = fold_and(g, exists, dim_exists(g, &w->dims[d], index));
  return exists;
}

static llv address_of(gen *g, const access *a, uint32_t slot, uint32_t *offset) {
  const window *w = a->own;
  uint32_t index = simt_index_of_slot(&a->d, slot);
  int64_t fixed = 0, known;
  llv at = w->base;
  for (unsigned d = 0; d < w->rank; d++) {
    llv part = w->dims[d].part[entry_of(&w->dims[d], index)];
    if (is_const(part, &known) && known >= 0 && fixed + known <= INT32_MAX)
      fixed += known;
    else
      at = fold_add(g, at, part);
  }
  *offset = (uint32_t)fixed;
  return at;
}

/* Along the packed dimension so many elements of the run exist; NULL: all do. */
static llv run_length(gen *g, const window *w, uint32_t index) {
  LLVMBuilderRef b = g->e.b;
  const window_dim *r = &w->dims[w->packed];
  uint32_t at = coordinate_of(r, index);
  llv most = k32(g, 1u << w->a.run), zero = k32(g, 0);
  if (!r->width) return NULL;
  llv left = r->begin ? LLVMBuildSub(b, r->width, add_const(g, r->begin, at), "")
                      : add_const(g, r->width, -(int64_t)at);
  left = emit_intrinsic(&g->e, "llvm.smin", &g->e.i32, 1, (llv[]){left, most}, 2);
  if (r->begin) return LLVMBuildSelect(b, coordinate_exists(g, r, at), left, zero, "");
  return emit_intrinsic(&g->e, "llvm.smax", &g->e.i32, 1, (llv[]){left, zero}, 2);
}

llv gpu_window_bytes(gen *g, const window *w, uint32_t slot, uint32_t bytes) {
  uint32_t index = simt_index_of_slot(&w->a.d, slot);
  llv others = NULL, size = NULL;
  for (unsigned d = 0; d < w->rank; d++)
    if (d != w->packed) others = fold_and(g, others, dim_exists(g, &w->dims[d], index));
  if (w->packed < w->rank && (size = run_length(g, w, index)))
    size = fold_mul(g, size, k32(g, bytes >> w->a.run));
  if (others) size = LLVMBuildSelect(g->e.b, others, size ? size : k32(g, bytes), k32(g, 0), "");
  return size;
}

/* ---- runs ----------------------------------------------------------------------------------- */

static bool is_varied(const window *w, unsigned d) {
  return w->type->shape[d] > 1;
}

unsigned gpu_window_row(const ir_type *shape, unsigned d, const simt_dist *dist,
                        const int32_t *steps, unsigned most, int8_t *bits) {
  unsigned first, n, run = 0;
  simt_dim_bits(shape, d, &first, &n);
  while (run < MIN(n, most) && !(steps && steps[first + run] != 1 << run)) {
    bool found = false;
    for (unsigned j = 0; j < dist->regs; j++) found |= dist->reg[j] == (int8_t)(first + run);
    if (!found) break;
    bits[run] = (int8_t)(first + run);
    run++;
  }
  return run;
}

/* The dimension along which memory is packed and a thread has neighbours, with their registers in
 * front; log2 of how many those are. */
static unsigned find_packed(window *w, const view *v, unsigned most) {
  w->packed = w->rank;
  for (unsigned d = w->rank; d-- > 0;) {
    if (v->type->strides[d] != 1) continue;
    int8_t front[SIMT_BITS];
    unsigned run = gpu_window_row(w->type, d, &w->a.d, w->steps, most, front);
    if (!run) continue;
    simt_dist from = w->a.d;
    w->a.d.regs = 0;
    for (unsigned j = 0; j < run; j++) w->a.d.reg[w->a.d.regs++] = front[j];
    for (unsigned j = 0; j < from.regs; j++)
      if (from.reg[j] < front[0] || from.reg[j] > front[run - 1])
        w->a.d.reg[w->a.d.regs++] = from.reg[j];
    w->packed = d;
    return run;
  }
  return 0;
}

/* log2 of how many units of an address there are in a byte. */
static unsigned units_in_byte(const window *w) {
  return w->a.nibbles ? 1 : w->a.packed ? 3 : 0;
}

/* What the begin of a run is a multiple of. Eight elements of 3 bits are three bytes, which may
 * begin at any byte. */
static uint64_t run_unit(const window *w) {
  return (uint64_t)(w->unit & -w->unit) << w->a.run;
}

static llv in_units(gen *g, const window *w, llv pointer) {
  if (w->a.nibbles) return LLVMBuildShl(g->e.b, pointer, k64(g, 1), "");
  return w->a.packed ? gpu_bit_address(g, pointer) : pointer;
}

/* Where runs of `bytes` begin: adds what has to be a multiple of that to `sum`. False: some begin
 * elsewhere whatever the numbers are. */
static bool add_places(gen *g, const window *w, const view *v, ir_use *offsets, uint64_t bytes,
                       llv *sum) {
  uint64_t unit = (uint64_t)w->unit;
  if ((divisor_of(g, ir_operand_in(v->op, 0)) << units_in_byte(w)) % bytes)
    *sum = fold_or(g, *sum, in_units(g, w, v->base));
  for (unsigned d = 0; d < w->rank; d++) {
    uint64_t stride = stride_divisor(g, v, d) * unit;
    if (d != w->packed && is_varied(w, d) && stride % bytes) {
      if (v->type->strides[d] != IR_DYNAMIC) return false;
      *sum = fold_or(g, *sum, w->dims[d].unit);
    } else if (stride * divisor_of(g, offsets[d].value) % bytes) {
      llv start = start_of(g, offsets[d].value);
      *sum = fold_or(g, *sum, fold_mul(g, start, w->dims[d].unit));
    }
  }
  return true;
}

/* The ends of what exists along the packed dimension that may be in the middle of a run; i32, or
 * NULL. */
static llv open_ends(gen *g, const window *w, const view *v, ir_use *offsets, bool partial) {
  const window_dim *r = &w->dims[w->packed];
  uint64_t run = UINT64_C(1) << w->a.run, start = divisor_of(g, offsets[w->packed].value);
  llv ends = NULL;
  if (r->low && start % run) ends = fold_or(g, ends, r->low);
  if (r->high && !partial && (start % run || extent_divisor(g, v, w->packed) % run))
    ends = fold_or(g, ends, r->high);
  return ends;
}

static llv is_multiple(gen *g, llv x, uint64_t of) {
  llv low = LLVMBuildAnd(g->e.b, x, LLVMConstInt(LLVMTypeOf(x), of - 1, 0), "");
  return LLVMBuildICmp(g->e.b, LLVMIntEQ, low, LLVMConstNull(LLVMTypeOf(x)), "");
}

/* A test that turns out before the run: NULL if it holds, else there are no runs. */
static void settle_test(access *a) {
  int64_t known;
  if (!a->run_ok || !is_const(a->run_ok, &known)) return;
  if (!known) a->run = 0;
  a->run_ok = NULL;
}

static void find_runs(gen *g, window *w, const view *v, ir_use *offsets, unsigned most,
                      bool partial) {
  llv sum = NULL;
  gpu_place since = gpu_here(g);
  for (w->a.run = most; w->a.run; w->a.run--) {
    sum = NULL;
    if (add_places(g, w, v, offsets, run_unit(w), &sum)) break;
  }
  if (!w->a.run) return;
  if (sum) w->a.run_ok = is_multiple(g, sum, run_unit(w));
  gpu_move_invariants(g, since);
  llv ends = open_ends(g, w, v, offsets, partial);
  if (ends) w->a.run_ok = fold_and(g, w->a.run_ok, is_multiple(g, ends, UINT64_C(1) << w->a.run));
  settle_test(&w->a);
}

const int32_t *gpu_window_steps(gen *g, const ir_op *op) {
  return map_ptr(&g->notes->steps, op);
}

/* ---- windows -------------------------------------------------------------------------------- */

void gpu_open_window(gen *g, window *w, ir_op *op, ir_value *subject, ir_use *offsets,
                     const ir_type *shape, const simt_dist *d, unsigned most_run, bool partial) {
  const view *v = value_of(g, subject)->view;
  tsr_elem elem = (tsr_elem)subject->type->elem;
  bool nibbles = tsr_elem_bits(elem) == 4;
  unsigned packed = num_shares_bytes(tsr_elem_bits(elem)) ? tsr_elem_bits(elem) : 0;
  *w = (window){.type = shape, .steps = gpu_window_steps(g, op), .rank = shape->rank};
  w->unit = nibbles ? 1 : packed ? packed : gpu_shared_bytes(elem);
  w->a = (access){.op = op,
                  .elem = (uint8_t)elem,
                  .d = *d,
                  .nibbles = nibbles,
                  .packed = (uint8_t)packed,
                  .address_of = address_of,
                  .exists_of = exists_of,
                  .own = w};
  unsigned run = find_packed(w, v, most_run);
  gpu_place since = gpu_here(g);
  w->base = in_units(g, w, v->base);
  w->dims = arena_array(g->arena, window_dim, MAX(w->rank, 1));
  for (unsigned i = 0; i < w->rank; i++) open_dim(g, w, v, i, offsets[i].value);
  gpu_move_invariants(g, since);
  add_starts(g, w, offsets);
  find_runs(g, w, v, offsets, run, partial);
  w->a.align = MAX(run_unit(w) >> units_in_byte(w), 1);
  make_exists(g, w);
}

/* As many elements as an instruction takes. */
static unsigned widest_run(const ir_type *view_type) {
  unsigned bits = tsr_elem_bits((tsr_elem)view_type->elem);
  if (num_shares_bytes(bits)) return 0;
  return bits == 4 ? 5 : simt_log2(16 / gpu_shared_bytes((tsr_elem)view_type->elem));
}

/* The mask's registers have to be known before runs are looked for, in the order that those will
 * want. */
static void open_masked(gen *g, window *w, ir_op *op, ir_value *subject, ir_use *offsets,
                        const ir_type *t, ir_value *mask) {
  simt_dist d = gpu_type_dist(g, t);
  if (mask) {
    *w = (window){.type = t, .steps = gpu_window_steps(g, op), .rank = t->rank, .a.d = d};
    find_packed(w, value_of(g, subject)->view, widest_run(subject->type));
    d = w->a.d;
  }
  llv *registers = mask ? gpu_get(g, mask, &d) : NULL;
  gpu_open_window(g, w, op, subject, offsets, t, &d, widest_run(subject->type), false);
  if (!mask) return;
  w->mask = registers;
  for (uint32_t i = 0; w->a.run && i < slots_of(&d); i++)
    w->a.run_ok = fold_and(g, w->a.run_ok, registers[i]);
  settle_test(&w->a);
}

void gpu_load_global(gen *g, ir_op *op) {
  window w;
  uint32_t n;
  ir_value *v = ir_result(op, 0), *subject = ir_operand_in(op, 0);
  open_masked(g, &w, op, subject, ir_operand_group(op, 1, &n), v->type, ir_operand_in(op, 2));
  w.a.pad = gpu_padding_value(g, (tsr_elem)v->type->elem, (int)ir_int_attr(op, ATTR_padding_value));
  gpu_load_access(g, v, &w.a);
}

void gpu_store_global(gen *g, ir_op *op) {
  window w;
  uint32_t n;
  ir_value *v = ir_operand_in(op, 0), *subject = ir_operand_in(op, 1);
  simt_dist home = gpu_type_dist(g, v->type);
  gpu_get(g, v, &home);
  open_masked(g, &w, op, subject, ir_operand_group(op, 2, &n), v->type, ir_operand_in(op, 3));
  llv *x = gpu_get(g, v, &w.a.d), *stored = gpu_registers(g, &w.a.d);
  for (uint32_t i = 0; i < slots_of(&w.a.d); i++)
    stored[i] = gpu_to_memory(g, (tsr_elem)w.a.elem, x[i]);
  gpu_store_access(g, &w.a, stored, gpu_owner(g, &w.a.d));
}
