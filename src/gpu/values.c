/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The registers of a tile. What is held is taken or converted, what is an expression is computed,
 * once for each distribution that is asked for and each region that it is asked for in.
 */
#include "gpu/values.h"
#include "llvm/nans.h"

#include "gpu/code.h"
#include "gpu/convert.h"
#include "gpu/divide.h"
#include "gpu/elements.h"
#include "gpu/index.h"
#include "gpu/math.h"
#include "gpu/memory.h"
#include "gpu/placement.h"
#include "gpu/shared.h"
#include "gpu/vendor.h"

/* ---- values --------------------------------------------------------------------------------- */

simt_dist gpu_dist(gen *g, const ir_value *v) {
  return g->placement->home(g, v);
}

simt_dist gpu_scalar_dist(gen *g) {
  return simt_dist_private(0, g->block);
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

void gpu_set_storage(gen *g, ir_value *v, llv base, llv offset) {
  storage_ref *s = arena_new(g->arena, storage_ref);
  *s = (storage_ref){
      .type = v->type, .base = base, .offset = offset, .divisor = g->divisors[v->number]};
  *value_of(g, v) = (value){.kind = VALUE_STORAGE, .storage = s};
}

static bool is_in_pairs(const ir_value *v) {
  return tsr_elem_bits((tsr_elem)v->type->view->elem) == 16;
}

void gpu_set_under_way(gen *g, ir_value *v, const simt_dist *d, llv *words) {
  *value_of(g, v) = (value){.kind = VALUE_UNDER_WAY, .t = {.d = *d, .v = words}};
}

uint32_t gpu_words_under_way(gen *g, const ir_value *v) {
  simt_dist d = gpu_dist(g, v);
  return slots_of(&d) >> is_in_pairs(v);
}

LLVMTypeRef gpu_type_under_way(gen *g, const ir_value *v) {
  return is_in_pairs(v) ? g->e.i32 : g->e.f32;
}

llv *gpu_any_nan(gen *g, const simt_dist *d, llv *x) {
  llv *r = gpu_registers(g, d);
  for (uint32_t i = 0; i < slots_of(d); i++) r[i] = lanes_any_nan(x[i]);
  return r;
}

llv gpu_scalar(gen *g, ir_value *v) {
  return value_of(g, v)->t.v[0];
}

void gpu_cache_init(gen *g, tile_cache *c) {
  uint32_t n = MAX(g->n_values, 1);
  *c = (tile_cache){.last = arena_array(g->arena, uint32_t, n)};
  memset(c->last, 0, n * sizeof *c->last);
}

void gpu_cache_cut(tile_cache *c, uint32_t mark) {
  while (c->made.len > mark) {
    const cached *entry = &c->made.data[--c->made.len];
    c->last[entry->v->number] = entry->before;
  }
}

void gpu_forget(gen *g, uint32_t mark) {
  gpu_cache_cut(&g->cache, mark);
}

static void remember(gen *g, const ir_value *v, const simt_dist *d, llv *registers) {
  tile_cache *c = &g->cache;
  uint32_t *last = &c->last[v->number];
  vec_push(g->arena, c->made, (cached){.v = v, .t = {.d = *d, .v = registers}, .before = *last});
  *last = c->made.len;
}

static llv *find(gen *g, const ir_value *v, const simt_dist *d) {
  const tile_cache *c = &g->cache;
  for (uint32_t at = c->last[v->number]; at; at = c->made.data[at - 1].before)
    if (simt_dist_equal(&c->made.data[at - 1].t.d, d)) return c->made.data[at - 1].t.v;
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
    llv x =
        LLVMBuildLoad2(g->e.b, gpu_memory_type(g, elem), as_ptr(g, at, g->vendor->text_space), "");
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
  gpu_divide_together(g, &w, x, r, slots_of(d));
  for (uint32_t i = 0; i < slots_of(d); i++) {
    llv operands[3];
    if (r[i]) continue;
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
  case OP_convert_layout: /* of registers: block/fused.h */
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
  remember(g, v, d, r);
  return r;
}

simt_dist gpu_home_dist(gen *g, const ir_value *v) {
  const value *x = value_of(g, v);
  if (x->kind == VALUE_TILE) return x->t.d;
  return x->kind == VALUE_DEFERRED ? gpu_dist(g, v) : g->placement->wanted(g, v);
}

llv *gpu_home(gen *g, ir_value *v, simt_dist *d) {
  *d = gpu_home_dist(g, v);
  return gpu_get(g, v, d);
}
