/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The registers of a tile. What is held is taken or converted, what is an expression is computed,
 * once for each distribution that is asked for and each region that it is asked for in.
 */
#include "gpu/values.h"

#include "gpu/code.h"
#include "gpu/convert.h"
#include "gpu/elements.h"
#include "gpu/math.h"
#include "gpu/memory.h"
#include "gpu/shared.h"

/* ---- threads and indices -------------------------------------------------------------------- */

/* An operation at the kernel's start, made once: many tiles ask for the same part of a thread's
 * number. */
static llv at_start_if(gen *g, LLVMOpcode code, LLVMIntPredicate predicate, llv a, llv b) {
  uint64_t key = (((uintptr_t)a * 31 + (uintptr_t)b) * 31 + code) * 31 + predicate;
  uintptr_t *slot = map_put(g->arena, &g->start_ops, key);
  for (start_op *o = (start_op *)*slot; o; o = o->next)
    if (o->code == code && o->predicate == predicate && o->a == a && o->b == b) return o->result;
  start_op *o = arena_new(g->arena, start_op);
  *o = (start_op){.code = code, .predicate = predicate, .a = a, .b = b, .next = (start_op *)*slot};
  o->result = code == LLVMICmp ? LLVMBuildICmp(g->start, predicate, a, b, "")
                               : LLVMBuildBinOp(g->start, code, a, b, "");
  *slot = (uintptr_t)o;
  return o->result;
}
static llv at_start(gen *g, LLVMOpcode code, llv a, llv b) {
  return at_start_if(g, code, 0, a, b);
}
static llv at_start_k(gen *g, LLVMOpcode code, llv a, uint32_t b) {
  return at_start(g, code, a, k32(g, b));
}

llv gpu_turned(gen *g, llv x, uint32_t bits) {
  return bits ? at_start_k(g, LLVMXor, x, bits) : x;
}

/* The sum of weight[i] over the bits i that are set in `x`, which has n of them. Neighbours whose
 * weights double are moved together. */
static llv weigh(gen *g, llv sum, llv x, const int32_t *weight, unsigned n) {
  for (unsigned j = 0; j < n;) {
    unsigned end = j + 1;
    while (end < n && weight[j] && weight[end] == 2 * weight[end - 1]) end++;
    if (weight[j]) {
      llv part = j ? at_start_k(g, LLVMLShr, x, j) : x;
      part = at_start_k(g, LLVMAnd, part, (1u << (end - j)) - 1);
      if (weight[j] != 1) part = at_start_k(g, LLVMMul, part, (uint32_t)weight[j]);
      sum = sum ? at_start(g, LLVMAdd, sum, part) : part;
    }
    j = end;
  }
  return sum;
}

llv gpu_thread_sum(gen *g, const simt_dist *d, const int32_t *weight) {
  int32_t of_lane[SIMT_MOST_LANE_BITS], of_warp[SIMT_MOST_WARP_BITS];
  for (unsigned j = 0; j < d->lanes; j++)
    of_lane[j] = d->lane[j] == SIMT_COPY ? 0 : weight[d->lane[j]];
  for (unsigned j = 0; j < d->warps; j++)
    of_warp[j] = d->warp[j] == SIMT_COPY ? 0 : weight[d->warp[j]];
  llv sum = weigh(g, NULL, g->lane, of_lane, d->lanes);
  sum = weigh(g, sum, g->warp, of_warp, d->warps);
  return sum ? sum : k32(g, 0);
}

/* The bits of `x`, which has n of them, each as what `column` says. Bits that move by the same
 * distance are moved together. */
static llv xor_bits(gen *g, llv sum, llv x, const uint32_t *column, unsigned n) {
  for (int distance = -(int)n; distance < 32; distance++) {
    uint32_t mask = 0;
    for (unsigned j = 0; j < n; j++) {
      int to = (int)j + distance;
      if (to >= 0 && to < 32 && column[j] >> to & 1) mask |= 1u << j;
    }
    if (!mask) continue;
    llv part = at_start_k(g, LLVMAnd, x, mask);
    if (distance > 0) part = at_start_k(g, LLVMShl, part, (uint32_t)distance);
    if (distance < 0) part = at_start_k(g, LLVMLShr, part, (uint32_t)-distance);
    sum = sum ? at_start(g, LLVMXor, sum, part) : part;
  }
  return sum;
}

llv gpu_thread_xor(gen *g, const simt_dist *d, const uint32_t *column) {
  uint32_t of_lane[SIMT_MOST_LANE_BITS], of_warp[SIMT_MOST_WARP_BITS];
  for (unsigned j = 0; j < d->lanes; j++)
    of_lane[j] = d->lane[j] == SIMT_COPY ? 0 : column[d->lane[j]];
  for (unsigned j = 0; j < d->warps; j++)
    of_warp[j] = d->warp[j] == SIMT_COPY ? 0 : column[d->warp[j]];
  llv sum = xor_bits(g, NULL, g->lane, of_lane, d->lanes);
  sum = xor_bits(g, sum, g->warp, of_warp, d->warps);
  return sum ? sum : k32(g, 0);
}

int32_t gpu_slot_sum(const simt_dist *d, uint32_t slot, const int32_t *weight) {
  uint32_t sum = 0;
  for (unsigned j = 0; j < d->regs; j++)
    if (slot >> j & 1) sum += (uint32_t)weight[d->reg[j]];
  return (int32_t)sum;
}

llv gpu_thread_index(gen *g, const simt_dist *d) {
  int32_t weight[SIMT_BITS];
  for (unsigned k = 0; k < SIMT_BITS; k++) weight[k] = 1 << k;
  return gpu_thread_sum(g, d, weight);
}

llv gpu_index(gen *g, const simt_dist *d, uint32_t slot) {
  llv thread = gpu_thread_index(g, d);
  uint32_t own = simt_index_of_slot(d, slot);
  return own ? LLVMBuildOr(g->e.b, thread, k32(g, own), "") : thread;
}

static llv bit_of(gen *g, llv x, unsigned j) {
  llv bit = at_start_k(g, LLVMAnd, x, 1u << j);
  return at_start_if(g, LLVMICmp, LLVMIntNE, bit, k32(g, 0));
}
llv gpu_lane_bit(gen *g, unsigned j) {
  return bit_of(g, g->lane, j);
}
llv gpu_warp_bit(gen *g, unsigned j) {
  return bit_of(g, g->warp, j);
}

llv gpu_owner(gen *g, const simt_dist *d) {
  uint32_t lane_mask = 0, warp_mask = 0;
  for (unsigned j = 0; j < d->lanes; j++) lane_mask |= (uint32_t)(d->lane[j] == SIMT_COPY) << j;
  for (unsigned j = 0; j < d->warps; j++) warp_mask |= (uint32_t)(d->warp[j] == SIMT_COPY) << j;
  if (!lane_mask && !warp_mask) return NULL;
  llv copy = at_start_k(g, LLVMAnd, g->lane, lane_mask);
  if (warp_mask) copy = at_start(g, LLVMOr, copy, at_start_k(g, LLVMAnd, g->warp, warp_mask));
  return at_start_if(g, LLVMICmp, LLVMIntEQ, copy, k32(g, 0));
}

/* ---- values --------------------------------------------------------------------------------- */

simt_dist gpu_dist(gen *g, const ir_value *v) {
  return simt_value_of(g->plan, v)->dist;
}

simt_dist gpu_scalar_dist(gen *g) {
  return simt_dist_private(0, simt_plan_threads(g->plan));
}

llv *gpu_registers(gen *g, const simt_dist *d) {
  return arena_array(g->arena, llv, slots_of(d));
}

void gpu_set(gen *g, ir_value *v, const simt_dist *d, llv *registers) {
  *value_of(g, v) = (value){.kind = VALUE_TILE, .t = {.d = *d, .v = registers}};
}

void gpu_set_scalar(gen *g, ir_value *v, llv s) {
  simt_dist d = gpu_scalar_dist(g);
  llv *registers = gpu_registers(g, &d);
  registers[0] = s;
  gpu_set(g, v, &d, registers);
}

llv *gpu_any_nan(gen *g, const simt_dist *d, llv *x) {
  llv *r = gpu_registers(g, d);
  for (uint32_t i = 0; i < slots_of(d); i++) r[i] = lanes_any_nan(x[i]);
  return r;
}

llv gpu_scalar(gen *g, ir_value *v) {
  return value_of(g, v)->t.v[0];
}

void gpu_forget(gen *g, uint32_t mark) {
  g->cache.len = MIN(g->cache.len, mark);
}

static llv *find(gen *g, const ir_value *v, const simt_dist *d) {
  for (uint32_t i = g->cache.len; i-- > 0;)
    if (g->cache.data[i].v == v && simt_dist_equal(&g->cache.data[i].t.d, d))
      return g->cache.data[i].t.v;
  return NULL;
}

/* ---- expressions ---------------------------------------------------------------------------- */

static llv *constant(gen *g, ir_op *op, const simt_dist *d) {
  const ir_dense *dense = ir_get_attr(op, ATTR_value)->dense;
  tsr_elem elem = (tsr_elem)dense->type->elem;
  llv *r = gpu_registers(g, d);
  if (dense->splat) {
    llv s = emit_pattern(&g->e, elem, ir_dense_get(dense, 0));
    for (uint32_t i = 0; i < slots_of(d); i++) r[i] = s;
    return r;
  }
  /* A table in the module's memory, an element in whole bytes each. */
  unsigned bytes = gpu_shared_bytes(elem);
  uint32_t count = (uint32_t)dense->type->count;
  uint8_t *data = arena_array(g->arena, uint8_t, (size_t)count * bytes);
  for (uint32_t i = 0; i < count; i++) {
    uint64_t pattern = ir_dense_get(dense, i);
    memcpy(data + (size_t)i * bytes, &pattern, bytes); /* little-endian, as the target */
  }
  llv base = gpu_text(g, (const char *)data, (size_t)count * bytes);
  llv thread = to_i64(g, gpu_thread_index(g, d));
  base = add_of(g, base, LLVMBuildMul(g->e.b, thread, k64(g, bytes), ""));
  for (uint32_t i = 0; i < slots_of(d); i++) {
    llv at = fold_add(g, base, k64(g, (int64_t)simt_index_of_slot(d, i) * bytes));
    llv x = LLVMBuildLoad2(g->e.b, gpu_memory_type(g, elem), as_ptr(g, at, SPACE_GENERIC), "");
    LLVMSetAlignment(x, bytes);
    r[i] = gpu_from_memory(g, elem, x);
  }
  return r;
}

static llv *iota(gen *g, ir_op *op, const simt_dist *d) {
  LLVMTypeRef type = emit_elem_type(&g->e, (tsr_elem)ir_result(op, 0)->type->elem);
  llv *r = gpu_registers(g, d);
  llv thread = gpu_thread_index(g, d);
  for (uint32_t i = 0; i < slots_of(d); i++) {
    uint32_t own = simt_index_of_slot(d, i);
    llv index = own ? LLVMBuildOr(g->e.b, thread, k32(g, own), "") : thread;
    r[i] = LLVMBuildIntCast2(g->e.b, index, type, 0, "");
  }
  return r;
}

static llv *index_map(gen *g, ir_op *op, const simt_dist *d) {
  simt_map m = simt_map_of(op);
  simt_dist from = simt_dist_back(d, &m);
  llv *x = gpu_get(g, ir_operand(op, 0), &from), *r = gpu_registers(g, d);
  for (uint32_t i = 0; i < slots_of(d); i++) {
    uint32_t index = simt_map_index(&m, simt_index_of_slot(d, i));
    r[i] = x[simt_slot_of_index(&from, index)];
  }
  return r;
}

static llv *elementwise(gen *g, ir_op *op, const simt_dist *d) {
  exec_elementwise w = exec_elementwise_of(op);
  llv *x[3], *r = gpu_registers(g, d);
  for (unsigned i = 0; i < w.n_operands; i++) x[i] = gpu_get(g, ir_operand(op, i), d);
  for (uint32_t i = 0; i < slots_of(d); i++) {
    llv operands[3];
    for (unsigned k = 0; k < w.n_operands; k++) operands[k] = x[k][i];
    /* What a thread has several times it computes once. */
    bool same = i > 0;
    for (unsigned k = 0; same && k < w.n_operands; k++) same = x[k][i] == x[k][i - 1];
    r[i] = same ? r[i - 1] : gpu_elementwise(g, &w, operands);
  }
  return r;
}

static llv *expression(gen *g, ir_op *op, const simt_dist *d) {
  switch (op->opcode) {
  case OP_constant: return constant(g, op, d);
  case OP_iota: return iota(g, op, d);
  case OP_broadcast:
  case OP_reshape:
  case OP_permute:
  case OP_assume: return index_map(g, op, d);
  default: return elementwise(g, op, d);
  }
}

llv *gpu_get(gen *g, ir_value *v, const simt_dist *d) {
  value *x = value_of(g, v);
  if (x->kind == VALUE_DEFERRED) gpu_load_deferred(g, ir_defining_op(v));
  bool here = x->kind == VALUE_TILE && (d->n == 0 || simt_dist_equal(&x->t.d, d));
  if (here && x->t.v) return x->t.v;
  llv *r = find(g, v, d);
  if (r) return r;
  if (x->kind != VALUE_TILE) {
    r = expression(g, ir_defining_op(v), d);
  } else if (here) {
    tile t = x->t;
    gpu_make_elements(g, &t);
    r = t.v;
  } else {
    tile t = {.d = x->t.d, .v = gpu_get(g, v, &x->t.d)};
    r = gpu_convert(g, (tsr_elem)v->type->elem, &t, d);
  }
  vec_push(g->arena, g->cache, (cached){.v = v, .t = {.d = *d, .v = r}});
  return r;
}

simt_dist gpu_home_dist(gen *g, const ir_value *v) {
  const value *x = value_of(g, v);
  const simt_value *planned = simt_value_of(g->plan, v);
  if (x->kind == VALUE_TILE) return x->t.d;
  if (x->kind == VALUE_DEFERRED || planned->rank) return planned->dist;
  return simt_default_dist(g->plan, v->type);
}

llv *gpu_home(gen *g, ir_value *v, simt_dist *d) {
  *d = gpu_home_dist(g, v);
  return gpu_get(g, v, d);
}
