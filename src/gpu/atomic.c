/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Atomics, and loads and stores with a memory order. Each element is accessed by one thread; where
 * others hold it too, they get it from that one, so that all threads see the same value even if
 * memory changes meanwhile.
 *
 * What the language orders for a tile block as a whole, PTX orders for a thread: a barrier in front
 * of a release gathers what the block's other threads did, one behind an acquire passes on what
 * the thread saw.
 */
#include "gpu/gen.h"

#include <stdio.h>

static bool acquires(int64_t order) {
  return order == ORDER_ACQUIRE || order == ORDER_ACQ_REL;
}

static const char *order_name(int64_t order) {
  switch (order) {
  case ORDER_ACQUIRE: return ".acquire";
  case ORDER_RELEASE: return ".release";
  case ORDER_ACQ_REL: return ".acq_rel";
  default: return ".relaxed";
  }
}

static const char *scope_name(const ir_op *op) {
  if (!ir_has_attr(op, ATTR_memory_scope)) return ".gpu";
  switch (ir_int_attr(op, ATTR_memory_scope)) {
  case SCOPE_TL_BLK: return ".cta";
  case SCOPE_SYS: return ".sys";
  default: return ".gpu";
  }
}

static const char *space_name(const gen *g) {
  return g->space == SPACE_GLOBAL ? ".global" : "";
}

static char register_class(unsigned bits) {
  return bits == 64 ? 'l' : bits == 16 ? 'h' : 'r';
}

static bool refuse_nibbles(gen *g, ir_op *op, const access *a) {
  if (!a->nibbles) return false;
  gpu_unsupported(g, op, "4-bit elements have no atomic accesses; use weak ones");
  return true;
}

static llv exists_at(gen *g, const access *a, uint32_t i, llv owner) {
  llv exists = fold_and(g, owner, gpu_exists(g, a, i));
  return exists ? exists : LLVMConstInt(g->e.i1, 1, 0);
}

/* Hands what owners hold to those with copies. */
static llv *spread(gen *g, tsr_elem elem, const simt_dist *d, llv *r, llv owner) {
  if (!owner) return r;
  int32_t weight[SIMT_BITS];
  unsigned bytes = gpu_shared_bytes(elem);
  for (unsigned k = 0; k < SIMT_BITS; k++) weight[k] = (int32_t)(bytes << k);
  llv base = gpu_scratch(g, bytes << d->n);
  gpu_shared_store(g, elem, &(tile){.d = *d, .v = r}, base, weight);
  gpu_scratch_ready(g);
  return gpu_shared_load(g, elem, d, base, weight);
}

/* ---- loads and stores ----------------------------------------------------------------------- */

void gpu_ordered_load(gen *g, ir_op *op) {
  emit *e = &g->e;
  ir_value *v = ir_result(op, 0);
  int64_t order = ir_int_attr(op, ATTR_memory_ordering_semantics);
  simt_dist d = gpu_dist(g, v);
  access a = gpu_access(g, op, &d);
  if (refuse_nibbles(g, op, &a)) return;
  tsr_elem elem = (tsr_elem)a.elem;
  llv *pad = gpu_padding(g, &a), *r = gpu_registers(g, &d), owner = gpu_owner(g, &d);
  gpu_before_load(g);
  unsigned bits = MAX(tsr_elem_bits(elem), 8), wide = MAX(bits, 16);
  char text[160], constraints[64], c = register_class(wide);
  snprintf(text, sizeof text, "mov.b%u $0, $3;\n\t@$2 ld%s%s%s.%s%u $0, [$1];", wide,
           order_name(order), scope_name(op), space_name(g), bits == 8 ? "u" : "b", bits);
  snprintf(constraints, sizeof constraints, "=&%c,l,b,%c,~{memory}", c, c);
  LLVMTypeRef type = LLVMIntTypeInContext(e->llvm, wide);
  for (uint32_t i = 0; i < slots_of(&d); i++) {
    llv p = gpu_to_memory(g, elem, pad[i]);
    if (wide != bits) p = LLVMBuildZExt(e->b, p, type, "");
    llv x = gpu_asm(g, type, text, constraints,
                    (llv[]){gpu_address(g, &a, i), exists_at(g, &a, i, owner), p}, 3, true);
    if (wide != bits) x = LLVMBuildTrunc(e->b, x, gpu_memory_type(g, elem), "");
    r[i] = gpu_from_memory(g, elem, x);
  }
  r = spread(g, elem, &d, r, owner);
  if (acquires(order) && !owner) gpu_barrier(g);
  gpu_set(g, v, &d, r);
}

void gpu_ordered_store(gen *g, ir_op *op) {
  ir_value *v = op->opcode == OP_store_view_tko ? ir_operand_in(op, 0) : ir_operand_in(op, 1);
  simt_dist d;
  llv *x = gpu_home(g, v, &d);
  access a = gpu_access(g, op, &d);
  if (refuse_nibbles(g, op, &a)) return;
  tsr_elem elem = (tsr_elem)a.elem;
  unsigned bits = MAX(tsr_elem_bits(elem), 8), wide = MAX(bits, 16);
  char text[96], constraints[32];
  snprintf(text, sizeof text, "@$1 st%s%s%s.%s%u [$0], $2;",
           order_name(ir_int_attr(op, ATTR_memory_ordering_semantics)), scope_name(op),
           space_name(g), bits == 8 ? "u" : "b", bits);
  snprintf(constraints, sizeof constraints, "l,b,%c,~{memory}", register_class(wide));
  llv owner = gpu_owner(g, &d);
  gpu_before_store(g);
  for (uint32_t i = 0; i < slots_of(&d); i++) {
    llv s = gpu_to_memory(g, elem, x[i]);
    if (wide != bits) s = LLVMBuildZExt(g->e.b, s, LLVMIntTypeInContext(g->e.llvm, wide), "");
    gpu_asm(g, g->e.void_, text, constraints,
            (llv[]){gpu_address(g, &a, i), exists_at(g, &a, i, owner), s}, 3, true);
  }
}

/* ---- atomics -------------------------------------------------------------------------------- */

/* ".add.u32" … of a mode. */
static void rmw_name(char *out, size_t size, int64_t mode, tsr_elem elem) {
  static const char *const words[] = {
      [RMW_AND] = ".and.b",   [RMW_OR] = ".or.b",   [RMW_XOR] = ".xor.b",  [RMW_ADD] = ".add.u",
      [RMW_MAX] = ".max.s",   [RMW_MIN] = ".min.s", [RMW_UMAX] = ".max.u", [RMW_UMIN] = ".min.u",
      [RMW_XCHG] = ".exch.b", [RMW_ADDF] = ".add.f"};
  if (mode == RMW_ADDF && elem == TSR_F16)
    snprintf(out, size, ".add.noftz.f16");
  else if (mode == RMW_ADDF && elem == TSR_BF16)
    snprintf(out, size, ".add.noftz.bf16");
  else
    snprintf(out, size, "%s%u", words[mode], tsr_elem_bits(elem));
}

static llv compare_and_swap(gen *g, ir_op *op, int64_t order, unsigned bits, llv address,
                            llv exists, llv expected, llv desired) {
  char text[160], constraints[64], c = register_class(bits);
  snprintf(text, sizeof text, "mov.b%u $0, $3;\n\t@$2 atom%s%s%s.cas.b%u $0, [$1], $3, $4;", bits,
           order_name(order), scope_name(op), space_name(g), bits);
  snprintf(constraints, sizeof constraints, "=&%c,l,b,%c,%c,~{memory}", c, c, c);
  return gpu_asm(g, LLVMIntTypeInContext(g->e.llvm, bits), text, constraints,
                 (llv[]){address, exists, expected, desired}, 4, true);
}

/* old + x by compare-and-swap, for bf16 before sm_90. */
static llv add_by_swaps(gen *g, ir_op *op, int64_t order, tsr_elem elem, llv address, llv exists,
                        llv x) {
  emit *e = &g->e;
  LLVMTypeRef type = gpu_memory_type(g, elem);
  llblock before = LLVMGetInsertBlock(e->b), begin = gpu_new_block(g, "add");
  llblock loop = gpu_new_block(g, "add.again"), done = gpu_new_block(g, "add.end");
  llv zero = LLVMConstNull(type);
  LLVMBuildCondBr(e->b, exists, begin, done);
  LLVMPositionBuilderAtEnd(e->b, begin);
  llv first = LLVMBuildLoad2(e->b, type, as_ptr(g, address, g->space), "");
  LLVMSetVolatile(first, 1);
  LLVMSetAlignment(first, 2);
  gpu_go(g, loop);
  llv old = LLVMBuildPhi(e->b, type, "");
  llv sum = emit_round(e, elem, f_add(e, gpu_from_memory(g, elem, old), x));
  llv found = compare_and_swap(g, op, order, 16, address, LLVMConstInt(e->i1, 1, 0), old,
                               gpu_to_memory(g, elem, lanes_canonical(e, sum)));
  LLVMAddIncoming(old, (llv[]){first, found}, (llblock[]){begin, loop}, 2);
  LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntEQ, found, old, ""), done, loop);
  LLVMPositionBuilderAtEnd(e->b, done);
  llv phi = LLVMBuildPhi(e->b, type, "");
  LLVMAddIncoming(phi, (llv[]){zero, found}, (llblock[]){before, loop}, 2);
  return phi;
}

static llv update(gen *g, ir_op *op, tsr_elem elem, llv address, llv exists, llv x) {
  emit *e = &g->e;
  int64_t order = ir_int_attr(op, ATTR_memory_ordering_semantics);
  int64_t mode = ir_int_attr(op, ATTR_mode);
  if (mode == RMW_ADDF && elem == TSR_BF16 && !gpu_can(g->target, GPU_ADD_BF16))
    return add_by_swaps(g, op, order, elem, address, exists, x);
  char name[32], text[192], constraints[64];
  unsigned bits = tsr_elem_bits(elem);
  rmw_name(name, sizeof name, mode, elem);
  snprintf(text, sizeof text, "mov.b%u $0, 0;\n\t@$2 atom%s%s%s%s $0, [$1], $3;", bits,
           order_name(order), scope_name(op), space_name(g), name);
  char c = register_class(bits), value_class = c;
  llv operand = gpu_to_memory(g, elem, x);
  LLVMTypeRef type = LLVMTypeOf(operand);
  if (mode == RMW_ADDF && bits >= 32) { /* registers of floats */
    value_class = c = bits == 64 ? 'd' : 'f';
    operand = x;
    type = LLVMTypeOf(x);
  }
  snprintf(constraints, sizeof constraints, "=&%c,l,b,%c,~{memory}", c, value_class);
  llv r = gpu_asm(g, type, text, constraints, (llv[]){address, exists, operand}, 3, true);
  return type == gpu_memory_type(g, elem) ? r
                                          : LLVMBuildBitCast(e->b, r, gpu_memory_type(g, elem), "");
}

void gpu_atomic(gen *g, ir_op *op) {
  bool in_view = op->opcode == OP_atomic_red_view_tko, swap = op->opcode == OP_atomic_cas_tko;
  ir_value *x = ir_operand_in(op, in_view || swap ? 2 : 1), *v = in_view ? NULL : ir_result(op, 0);
  int64_t order = ir_int_attr(op, ATTR_memory_ordering_semantics);
  tsr_elem elem = (tsr_elem)x->type->elem;
  value_of(g, ir_result(op, in_view ? 0 : 1))->kind = VALUE_TOKEN;
  simt_dist d = v                                 ? gpu_dist(g, v)
                : simt_value_of(g->plan, x)->rank ? gpu_dist(g, x)
                                                  : simt_default_dist(g->plan, x->type);
  if (x->type->count == 1) d = gpu_scalar_dist(g);
  llv *desired = gpu_get(g, x, &d), *expected = NULL, *r = gpu_registers(g, &d);
  if (swap) expected = gpu_get(g, ir_operand_in(op, 1), &d);
  access a = gpu_access(g, op, &d);
  llv owner = gpu_owner(g, &d);
  gpu_before_store(g);
  g->now.loaded = true;
  for (uint32_t i = 0; i < slots_of(&d); i++) {
    llv exists = exists_at(g, &a, i, owner), old;
    if (swap)
      old =
          compare_and_swap(g, op, order, tsr_elem_bits(elem), gpu_address(g, &a, i), exists,
                           gpu_to_memory(g, elem, expected[i]), gpu_to_memory(g, elem, desired[i]));
    else
      old = update(g, op, elem, gpu_address(g, &a, i), exists, desired[i]);
    r[i] = gpu_from_memory(g, elem, old);
  }
  bool used = v && v->uses;
  if (used) r = spread(g, elem, &d, r, owner);
  if (acquires(order) && !(used && owner)) gpu_barrier(g);
  if (v) gpu_set(g, v, &d, r);
}
