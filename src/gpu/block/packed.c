/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Elements of fewer than 8 bits that share bytes in shared memory, element k at bit k times their
 * width. Some of them fill whole bytes together: two of 4 bits a byte, eight of 3 bits three. Runs
 * of such units are accessed as words; a single element is cut out of the byte in which it begins
 * and that in which it ends.
 */
#include "gpu/block/packed.h"

#include "gpu/block/stated.h"
#include "gpu/code.h"
#include "gpu/elements.h"
#include "gpu/index.h"
#include "gpu/shared.h"
#include "gpu/values.h"
#include "simt/arrange.h"

/* ---- which elements share bytes ------------------------------------------------------------- */

static unsigned width_of(const ir_type *t) {
  return tsr_elem_bits((tsr_elem)t->elem);
}

/* Of elements of so many bits, if they share bytes. */
static gpu_unit packed_unit(unsigned bits) {
  unsigned even = (unsigned)__builtin_ctz(bits);
  return (gpu_unit){.shift = 3 - even, .bytes = bits >> even};
}

gpu_unit gpu_unit_of(const gen *g, const ir_type *t) {
  if (g->packed >> t->elem & 1) return packed_unit(width_of(t));
  return (gpu_unit){.bytes = gpu_shared_bytes((tsr_elem)t->elem)};
}

bool gpu_fills_words(unsigned bits) {
  return 32 % bits == 0;
}

/* 16 bytes; of elements of odd widths whole words. */
unsigned gpu_widest_part(const gen *g, const ir_type *t) {
  gpu_unit u = gpu_unit_of(g, t);
  if (!u.shift) return simt_log2(16 / u.bytes);
  return gpu_fills_words(width_of(t)) ? simt_log2(128 / width_of(t)) : 5;
}

static bool has_whole_units(const gen *g, const ir_value *part, const simt_dist *d) {
  const ir_type *t = part->type;
  int32_t weight[SIMT_BITS];
  storage_ref s = {.type = t, .divisor = g->divisors[part->number]};
  unsigned shift = packed_unit(width_of(t)).shift;
  gpu_part_weights(t, weight);
  simt_dist sorted = simt_dist_by_weight(d, weight);
  return gpu_part_run(&s, sorted.reg, sorted.regs, shift) == shift;
}

/* Whether the operation writes whole bytes, or does not write. In global memory an i1 has a byte of
 * its own, so no copy packs it. */
static bool keeps_bytes_whole(gen *g, const ir_op *op, const ir_value *part) {
  simt_dist d;
  switch (op->opcode) {
  case OP_store_shared:
    d = gpu_type_dist(g, ir_operand(op, 0)->type);
    return ir_int_attr(op, ATTR_instruction) != INSTRUCTION_SCALAR && has_whole_units(g, part, &d);
  case OP_cp_async:
    d = gpu_layout_dist(g, ir_get_attr(op, ATTR_layout)->layout);
    return part->type->elem != TSR_I1 && has_whole_units(g, part, &d);
  case OP_store_async:
  case OP_bulk_copy: return false;
  default: return true;
  }
}

/* Elements of one type may come to one place by many parts, so they all share bytes or none do. */
static bool find_shared_bytes(void *user, ir_op *op) {
  gen *g = user;
  for (uint32_t i = 0; i < op->n_operands; i++) {
    const ir_value *v = ir_operand(op, i);
    if (v->type->kind == IR_SHARED && !keeps_bytes_whole(g, op, v))
      g->packed &= ~(UINT64_C(1) << v->type->elem);
  }
  return true;
}

void gpu_find_packed(gen *g) {
  g->packed = 0;
  for (unsigned e = 0; e < TSR_ELEM_COUNT; e++)
    if (tsr_elem_bits((tsr_elem)e) < 8) g->packed |= UINT64_C(1) << e;
  ir_walk(g->entry, find_shared_bytes, g);
}

/* ---- runs ----------------------------------------------------------------------------------- */

packed_run gpu_packed_run(unsigned element_bits, unsigned run) {
  unsigned all = element_bits << run, bits = MIN(all & -all, 32);
  return (packed_run){.bits = bits, .n = all / bits};
}

static llv low_bits(gen *g, llv x, unsigned bits) {
  return LLVMBuildAnd(g->e.b, x, k32(g, (UINT32_C(1) << bits) - 1), "");
}

/* Element k of a run whose integers are `x`, i32 each. */
static llv cut_element(gen *g, const packed_run *r, const llv *x, unsigned width, uint32_t k) {
  LLVMBuilderRef b = g->e.b;
  unsigned i = k * width / r->bits, at = k * width % r->bits;
  llv all = at ? LLVMBuildLShr(b, x[i], k32(g, at), "") : x[i];
  if (at + width > r->bits)
    all = LLVMBuildOr(b, all, LLVMBuildShl(b, x[i + 1], k32(g, r->bits - at), ""), "");
  return LLVMBuildTrunc(b, low_bits(g, all, width), g->e.i8, "");
}

/* Integer i of a run of elements as they are in memory. */
static llv join_elements(gen *g, const packed_run *r, const llv *x, unsigned width, unsigned i) {
  LLVMBuilderRef b = g->e.b;
  llv all = NULL;
  for (unsigned k = i * r->bits / width; k * width < (i + 1) * r->bits; k++) {
    int at = (int)(k * width) - (int)(i * r->bits);
    llv part = LLVMBuildZExt(b, x[k], g->e.i32, "");
    if (at < 0) part = LLVMBuildLShr(b, part, k32(g, -at), "");
    if (at > 0) part = LLVMBuildShl(b, part, k32(g, at), "");
    all = all ? LLVMBuildOr(b, all, part, "") : part;
  }
  return LLVMBuildTrunc(b, all, LLVMIntTypeInContext(g->e.llvm, r->bits), "");
}

/* How many integers one instruction takes, and their type. */
static unsigned vector_of(gen *g, const packed_run *r, LLVMTypeRef *type) {
  unsigned n = r->n == 2 || r->n == 4 ? r->n : 1;
  LLVMTypeRef one = LLVMIntTypeInContext(g->e.llvm, r->bits);
  *type = n > 1 ? LLVMVectorType(one, n) : one;
  return n;
}

static llv further(gen *g, llv pointer, unsigned bytes) {
  llv index = k32(g, bytes);
  return bytes ? LLVMBuildGEP2(g->e.b, g->e.i8, pointer, &index, 1, "") : pointer;
}

static void load_run(gen *g, const packed_run *r, llv at, llv *out) {
  LLVMBuilderRef b = g->e.b;
  LLVMTypeRef type;
  unsigned n = vector_of(g, r, &type), bytes = r->bits / 8;
  for (unsigned i = 0; i < r->n; i += n) {
    llv x = LLVMBuildLoad2(b, type, further(g, at, i * bytes), "");
    LLVMSetAlignment(x, bytes * n);
    for (unsigned k = 0; k < n; k++) {
      llv one = n > 1 ? LLVMBuildExtractElement(b, x, k32(g, k), "") : x;
      out[i + k] = LLVMBuildZExt(b, one, g->e.i32, "");
    }
  }
}

static void store_run(gen *g, const packed_run *r, llv at, const llv *x, unsigned width) {
  LLVMBuilderRef b = g->e.b;
  LLVMTypeRef type;
  unsigned n = vector_of(g, r, &type), bytes = r->bits / 8;
  for (unsigned i = 0; i < r->n; i += n) {
    llv all = n > 1 ? LLVMGetPoison(type) : join_elements(g, r, x, width, i);
    for (unsigned k = 0; n > 1 && k < n; k++) {
      llv one = join_elements(g, r, x, width, i + k);
      all = LLVMBuildInsertElement(b, all, one, k32(g, k), "");
    }
    LLVMSetAlignment(LLVMBuildStore(b, all, further(g, at, i * bytes)), bytes * n);
  }
}

/* ---- loads ---------------------------------------------------------------------------------- */

/* Out of the bytes at bits `at` and `at` + width - 1 of the allocation. */
static llv load_single(gen *g, const storage_ref *s, llv start, llv number, unsigned width) {
  LLVMBuilderRef b = g->e.b;
  llv at = fold_mul(g, number, k32(g, width)), both = NULL;
  unsigned space = s->type->remote ? SPACE_CLUSTER : SPACE_SHARED,
           bytes = 1 + !gpu_fills_words(width);
  for (unsigned k = 0; k < bytes; k++) {
    llv byte = LLVMBuildLShr(b, add_const(g, at, k ? width - 1u : 0), k32(g, 3), "");
    llv p = as_ptr(g, to_i64(g, add_of(g, start, byte)), space);
    llv x = LLVMBuildZExt(b, LLVMBuildLoad2(b, g->e.i8, p, ""), g->e.i32, "");
    both = k ? LLVMBuildOr(b, both, LLVMBuildShl(b, x, k32(g, 8), ""), "") : x;
  }
  both = LLVMBuildLShr(b, both, low_bits(g, at, 3), "");
  return LLVMBuildTrunc(b, low_bits(g, both, width), g->e.i8, "");
}

static void load_singles(gen *g, ir_value *v, const storage_ref *s, const simt_dist *d) {
  part_place p;
  llv *r = gpu_registers(g, d), start = gpu_allocation_start(g, s);
  gpu_part_numbers(g, &p, s, d);
  for (uint32_t i = 0; i < slots_of(d); i++) {
    uint32_t more;
    llv number = gpu_part_address(g, &p, simt_index_of_slot(d, i), &more);
    llv x = load_single(g, s, start, add_const(g, number, more), width_of(v->type));
    r[i] = gpu_from_memory(g, (tsr_elem)v->type->elem, x);
  }
  gpu_set(g, v, d, r);
}

void gpu_load_packed(gen *g, ir_value *v, const storage_ref *s, const simt_dist *d, unsigned run) {
  unsigned width = width_of(v->type);
  if (run < gpu_unit_of(g, s->type).shift) {
    load_singles(g, v, s, d);
    return;
  }
  packed_run each = gpu_packed_run(width, run);
  llv *r = gpu_registers(g, d), *words = arena_array(g->arena, llv, (slots_of(d) >> run) * each.n);
  part_place p;
  gpu_part_place(g, &p, s, d);
  for (uint32_t i = 0; i < slots_of(d) >> run; i++) {
    llv *word = words + (size_t)i * each.n;
    load_run(g, &each, gpu_part_pointer(g, &p, simt_index_of_slot(d, i << run)), word);
    for (uint32_t k = 0; !gpu_fills_words(width) && k < 1u << run; k++)
      r[(i << run) + k] =
          gpu_from_memory(g, (tsr_elem)v->type->elem, cut_element(g, &each, word, width, k));
  }
  if (gpu_fills_words(width))
    gpu_set_words(g, v, d, words, each.bits / width);
  else
    gpu_set(g, v, d, r);
}

/* ---- stores --------------------------------------------------------------------------------- */

void gpu_put_packed(gen *g, const simt_dist *d, const llv *x, const storage_ref *s) {
  unsigned run, width = width_of(s->type);
  simt_dist sorted = gpu_part_order(g, s, d, &run);
  packed_run each = gpu_packed_run(width, run);
  llv *elements = arena_array(g->arena, llv, (size_t)1 << run);
  part_place p;
  gpu_part_place(g, &p, s, &sorted);
  for (uint32_t i = 0; i < slots_of(d); i += 1u << run) {
    for (uint32_t k = 0; k < 1u << run; k++)
      elements[k] = x[simt_slot_of_index(d, simt_index_of_slot(&sorted, i + k))];
    store_run(g, &each, gpu_part_pointer(g, &p, simt_index_of_slot(&sorted, i)), elements, width);
  }
}

void gpu_store_packed(gen *g, const tile *t, const storage_ref *s) {
  llv *x = gpu_registers(g, &t->d);
  for (uint32_t i = 0; i < slots_of(&t->d); i++)
    x[i] = gpu_to_memory(g, (tsr_elem)s->type->elem, gpu_element(g, t, i));
  llblock done = gpu_begin_owner(g, gpu_owner(g, &t->d));
  gpu_put_packed(g, &t->d, x, s);
  if (done) gpu_go(g, done);
}
