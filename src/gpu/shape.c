/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Operations that take tiles apart and put them together.
 */
#include "gpu/shape.h"

#include "gpu/code.h"
#include "gpu/index.h"
#include "gpu/placement.h"
#include "gpu/shared.h"
#include "gpu/values.h"

/* ---- cat ------------------------------------------------------------------------------------ */

/* The highest bit of the dimension chooses the operand; the plan has put it in a register's. */
void gpu_cat(gen *g, ir_op *op) {
  ir_value *v = ir_result(op, 0);
  simt_dist d = gpu_dist(g, v);
  unsigned first, n;
  simt_dim_bits(v->type, (unsigned)ir_int_attr(op, ATTR_dim), &first, &n);
  unsigned top = first + n - 1;
  simt_dist half = simt_dist_drop(&d, top, 1);
  llv *from[2], *r = gpu_registers(g, &d);
  for (uint32_t i = 0; i < 2; i++) from[i] = gpu_get(g, ir_operand(op, i), &half);
  for (uint32_t i = 0; i < slots_of(&d); i++) {
    uint32_t index = simt_index_of_slot(&d, i), low = (1u << top) - 1;
    uint32_t within = (index & low) | (index >> 1 & ~low);
    r[i] = from[index >> top & 1][simt_slot_of_index(&half, within)];
  }
  gpu_set(g, v, &d, r);
}

/* ---- extract -------------------------------------------------------------------------------- */

/* What extract does to indices: bit k of the result's is bit kept[k] of the source's; the others
 * are the slice's number. */
typedef struct slicing {
  uint8_t kept[SIMT_BITS];
  unsigned n;
  uint32_t number_bits; /* mask over the source's index */
  bool constant;
  uint32_t number; /* when it is */
} slicing;

/* Of a tile of type `from` into slices of type `to`; the slice's number starts at an operand. */
static slicing slicing_of(const ir_op *op, const ir_type *from, const ir_type *to,
                          uint32_t operand) {
  slicing s = {.constant = true};
  for (unsigned d = from->rank; d-- > 0;) {
    unsigned first, n, kept = simt_log2(to->shape[d]);
    int64_t number;
    simt_dim_bits(from, d, &first, &n);
    for (unsigned k = 0; k < kept; k++) s.kept[s.n++] = (uint8_t)(first + k);
    for (unsigned k = kept; k < n; k++) s.number_bits |= 1u << (first + k);
    if (!ir_constant_int(ir_operand(op, operand + d), &number))
      s.constant = false;
    else
      s.number |= ((uint32_t)number & ((1u << (n - kept)) - 1)) << (first + kept);
  }
  return s;
}

static uint32_t slice_index(const slicing *s, uint32_t index) {
  uint32_t r = 0;
  for (unsigned k = 0; k < s->n; k++) r |= (index >> k & 1) << s->kept[k];
  return r;
}

static bool in_registers(const simt_dist *d, uint32_t bits) {
  for (unsigned j = 0; j < d->regs; j++) bits &= ~(1u << d->reg[j]);
  return bits == 0;
}

static bool extract_registers(gen *g, ir_op *op, const slicing *s, const simt_dist *to) {
  simt_dist d;
  llv *x = gpu_home(g, ir_operand(op, 0), &d);
  if (!s->constant || !in_registers(&d, s->number_bits)) return false;
  simt_dist rest = d;
  for (unsigned k = d.n; k-- > 0;)
    if (s->number_bits >> k & 1) rest = simt_dist_drop(&rest, k, 1);
  if (!simt_dist_equal(&rest, to)) return false;
  llv *r = gpu_registers(g, to);
  for (uint32_t i = 0; i < slots_of(to); i++)
    r[i] = x[simt_slot_of_index(&d, slice_index(s, simt_index_of_slot(to, i)) | s->number)];
  gpu_set(g, ir_result(op, 0), to, r);
  return true;
}

/* The offset in bytes of the slice in a row-major tile. */
static llv slice_offset(gen *g, ir_op *op, const ir_type *from, const ir_type *to, uint32_t operand,
                        unsigned bytes) {
  llv offset = k32(g, 0);
  for (unsigned d = 0; d < from->rank; d++) {
    unsigned first, n, kept = simt_log2(to->shape[d]);
    simt_dim_bits(from, d, &first, &n);
    if (kept == n) continue;
    /* Past the end is undefined, but must not leave the tile. */
    llv i = gpu_scalar(g, ir_operand(op, operand + d));
    i = LLVMBuildAnd(g->e.b, i, k32(g, (1u << (n - kept)) - 1), "");
    i = LLVMBuildMul(g->e.b, i, k32(g, bytes << (first + kept)), "");
    offset = add_of(g, offset, i);
  }
  return offset;
}

static void extract_private(gen *g, ir_op *op, const slicing *s, const simt_dist *to) {
  simt_dist d = simt_dist_private(simt_tile_bits(ir_operand(op, 0)->type), g->block);
  llv *x = gpu_get(g, ir_operand(op, 0), &d), *r = gpu_registers(g, to);
  llv number = slice_offset(g, op, ir_operand(op, 0)->type, ir_result(op, 0)->type, 1, 1);
  for (uint32_t i = 0; i < slots_of(to); i++) {
    uint32_t within = slice_index(s, simt_index_of_slot(to, i));
    r[i] = x[within];
    for (uint32_t k = 1; k < slots_of(&d); k++) {
      if (k & ~s->number_bits) continue;
      llv is = LLVMBuildICmp(g->e.b, LLVMIntEQ, number, k32(g, k), "");
      r[i] = LLVMBuildSelect(g->e.b, is, x[within | k], r[i], "");
    }
  }
  gpu_set(g, ir_result(op, 0), to, r);
}

void gpu_extract(gen *g, ir_op *op) {
  ir_value *from = ir_operand(op, 0), *v = ir_result(op, 0);
  tsr_elem elem = (tsr_elem)from->type->elem;
  simt_dist to = gpu_dist(g, v), d;
  slicing s = slicing_of(op, from->type, v->type, 1);
  if (from->type->count == 1) {
    gpu_set_scalar(g, v, gpu_scalar(g, from));
    return;
  }
  if (g->private_) {
    extract_private(g, op, &s, &to);
    return;
  }
  if (extract_registers(g, op, &s, &to)) return;
  unsigned bytes = gpu_shared_bytes(elem);
  int32_t all[SIMT_BITS], kept[SIMT_BITS] = {0};
  for (unsigned k = 0; k < SIMT_BITS; k++) all[k] = (int32_t)(bytes << k);
  for (unsigned k = 0; k < s.n; k++) kept[k] = all[s.kept[k]];
  uint32_t size = bytes << simt_tile_bits(from->type);
  if (size > gpu_scratch_limit(g)) {
    gpu_unsupported(g, op,
                    "its source does not fit shared memory; use a smaller tile, or load the "
                    "slice instead");
    return;
  }
  tile t = {.v = gpu_home(g, from, &d)};
  t.d = d;
  llv base = gpu_scratch(g, size);
  gpu_shared_store(g, elem, &t, base, all);
  gpu_scratch_ready(g);
  base = add_of(g, base, to_i64(g, slice_offset(g, op, from->type, v->type, 1, bytes)));
  gpu_set(g, v, &to, gpu_shared_load(g, elem, &to, base, kept));
}

/* ---- insert --------------------------------------------------------------------------------- */

/* Each thread has what would come into its elements if they were in the slice, and compares. */
void gpu_insert(gen *g, ir_op *op) {
  ir_value *part = ir_operand(op, 0), *v = ir_result(op, 0);
  simt_dist d = gpu_dist(g, v), inner = d;
  slicing s = slicing_of(op, v->type, part->type, 2);
  for (unsigned k = d.n; k-- > 0;)
    if (s.number_bits >> k & 1) inner = simt_dist_drop(&inner, k, 1);
  llv *whole = gpu_get(g, ir_operand(op, 1), &d), *x = gpu_get(g, part, &inner);
  llv *r = gpu_registers(g, &d), number = slice_offset(g, op, v->type, part->type, 2, 1);
  for (uint32_t i = 0; i < slots_of(&d); i++) {
    uint32_t own = simt_index_of_slot(&d, i), within = 0;
    for (unsigned k = 0; k < s.n; k++) within |= (own >> s.kept[k] & 1) << k;
    llv at = LLVMBuildAnd(g->e.b, gpu_index(g, &d, i), k32(g, s.number_bits), "");
    llv is = LLVMBuildICmp(g->e.b, LLVMIntEQ, at, number, "");
    r[i] = LLVMBuildSelect(g->e.b, is, x[simt_slot_of_index(&inner, within)], whole[i], "");
  }
  gpu_set(g, v, &d, r);
}

/* ---- pack and unpack ------------------------------------------------------------------------ */

/* The bits of an element as an integer of exactly so many. */
static llv to_bits(gen *g, tsr_elem elem, llv v) {
  LLVMTypeRef type = LLVMIntTypeInContext(g->e.llvm, tsr_elem_bits(elem));
  if (elem == TSR_I1) return v;
  llv stored = gpu_to_memory(g, elem, v);
  return LLVMTypeOf(stored) == type ? stored : LLVMBuildTrunc(g->e.b, stored, type, "");
}

static llv from_bits(gen *g, tsr_elem elem, llv bits) {
  if (elem == TSR_I1) return bits;
  LLVMTypeRef type = gpu_memory_type(g, elem);
  if (LLVMTypeOf(bits) != type) bits = LLVMBuildZExt(g->e.b, bits, type, "");
  return gpu_from_memory(g, elem, bits);
}

/* Bits first .. first + width - 1 of the string that the elements of `x` are, as an integer of so
 * many. */
static llv cut_bits(gen *g, tsr_elem from, llv *x, uint32_t first, unsigned width) {
  LLVMBuilderRef b = g->e.b;
  unsigned each = tsr_elem_bits(from), at = first % each;
  LLVMTypeRef type = LLVMIntTypeInContext(g->e.llvm, MAX(each, width)), exact;
  llv all = NULL;
  exact = LLVMIntTypeInContext(g->e.llvm, width);
  for (uint32_t i = first / each; i * each < first + width; i++) {
    llv part = LLVMBuildZExtOrBitCast(b, to_bits(g, from, x[i]), type, "");
    int64_t up = (int64_t)i * each - first;
    if (up < 0) part = LLVMBuildLShr(b, part, LLVMConstInt(type, at, 0), "");
    if (up > 0) part = LLVMBuildShl(b, part, LLVMConstInt(type, (uint64_t)up, 0), "");
    all = all ? LLVMBuildOr(b, all, part, "") : part;
  }
  return width < each ? LLVMBuildTrunc(b, all, exact, "") : all;
}

void gpu_regroup(gen *g, tsr_elem from, llv *x, uint32_t n, tsr_elem to, llv *r) {
  unsigned from_n = tsr_elem_bits(from), to_n = tsr_elem_bits(to);
  for (uint32_t i = 0; i < n * from_n / to_n; i++)
    r[i] = from_bits(g, to, cut_bits(g, from, x, i * to_n, to_n));
}

void gpu_reinterpret(gen *g, ir_op *op) {
  ir_value *from = ir_operand(op, 0), *v = ir_result(op, 0);
  simt_dist d = g->placement->operands(g, op), to = gpu_dist(g, v);
  llv *r = gpu_registers(g, &to);
  gpu_regroup(g, (tsr_elem)from->type->elem, gpu_get(g, from, &d), slots_of(&d),
              (tsr_elem)v->type->elem, r);
  gpu_set(g, v, &to, r);
}
