/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Products by matrix instructions of one wave. Operands are brought into registers as the fragments
 * want them (gpu/convert.c), or read from a stage of a pipelined loop, 16 bytes at once where a
 * lane has as many of a row; then blocks are multiplied, rows within columns.
 */
#include "gpu/amdgcn/product.h"

#include "gpu/amdgcn/pipeline.h"
#include "gpu/code.h"
#include "gpu/elements.h"
#include "gpu/product.h"
#include "gpu/values.h"
#include "llvm/nans.h"
#include "simt/amd/stage.h"
#include "simt/mma.h"

/* ---- instructions --------------------------------------------------------------------------- */

/* LLVM's name for what matrix.def calls `name`. */
typedef struct form {
  const char *name, *intrinsic;
} form;

static const form forms[] = {
    {"f32_32x32x16_f16", "llvm.amdgcn.mfma.f32.32x32x16.f16"},
    {"f32_16x16x32_f16", "llvm.amdgcn.mfma.f32.16x16x32.f16"},
    {"f32_32x32x16_bf16", "llvm.amdgcn.mfma.f32.32x32x16.bf16"},
    {"f32_16x16x32_bf16", "llvm.amdgcn.mfma.f32.16x16x32.bf16"},
    {"i32_32x32x32_i8", "llvm.amdgcn.mfma.i32.32x32x32.i8"},
    {"i32_16x16x64_i8", "llvm.amdgcn.mfma.i32.16x16x64.i8"},
    {"f32_32x32x16_fp8_fp8", "llvm.amdgcn.mfma.f32.32x32x16.fp8.fp8"},
    {"f32_16x16x32_fp8_fp8", "llvm.amdgcn.mfma.f32.16x16x32.fp8.fp8"},
    {"f32_32x32x16_bf8_bf8", "llvm.amdgcn.mfma.f32.32x32x16.bf8.bf8"},
    {"f32_16x16x32_bf8_bf8", "llvm.amdgcn.mfma.f32.16x16x32.bf8.bf8"},
    {"i32_32x32x16_i8", "llvm.amdgcn.mfma.i32.32x32x16.i8"},
    {"i32_16x16x32_i8", "llvm.amdgcn.mfma.i32.16x16x32.i8"},
    {"i32_32x32x8_i8", "llvm.amdgcn.mfma.i32.32x32x8i8"},
    {"i32_16x16x16_i8", "llvm.amdgcn.mfma.i32.16x16x16i8"},
    {"f32_32x32x8_f16", "llvm.amdgcn.mfma.f32.32x32x8f16"},
    {"f32_16x16x16_f16", "llvm.amdgcn.mfma.f32.16x16x16f16"},
    {"f32_32x32x8_bf16", "llvm.amdgcn.mfma.f32.32x32x8bf16.1k"},
    {"f32_16x16x16_bf16", "llvm.amdgcn.mfma.f32.16x16x16bf16.1k"},
    {"f32_32x32x2_f32", "llvm.amdgcn.mfma.f32.32x32x2f32"},
    {"f32_16x16x4_f32", "llvm.amdgcn.mfma.f32.16x16x4f32"},
    {"f64_16x16x4_f64", "llvm.amdgcn.mfma.f64.16x16x4f64"},
    {"f32_16x16x16_f16", "llvm.amdgcn.wmma.f32.16x16x16.f16"},
    {"f32_16x16x16_bf16", "llvm.amdgcn.wmma.f32.16x16x16.bf16"},
    {"i32_16x16x16_iu8", "llvm.amdgcn.wmma.i32.16x16x16.iu8"},
    {"f32_16x16x16_fp8_fp8", "llvm.amdgcn.wmma.f32.16x16x16.fp8.fp8"},
    {"f32_16x16x16_bf8_bf8", "llvm.amdgcn.wmma.f32.16x16x16.bf8.bf8"},
};

static bool is_wmma(const matrix_instruction *x) {
  return strcmp(x->mnemonic, "v_wmma_") == 0;
}

static const char *intrinsic_of(const matrix_instruction *x) {
  for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
    bool same_kind = is_wmma(x) == (strstr(forms[i].intrinsic, ".wmma.") != NULL);
    if (same_kind && strcmp(forms[i].name, x->name) == 0) return forms[i].intrinsic;
  }
  return NULL;
}

/* A lane's elements of a block of 2^bits. Halves of a wave may hold the same. */
static unsigned elements_in_lane(const gen *g, const matrix_instruction *x, unsigned bits) {
  bool twice = x->needs == GPU_WMMA;
  return 1u << (bits - g->target->lane_bits + twice);
}

static unsigned words_in_lane(const gen *g, const matrix_instruction *x, unsigned bits) {
  return elements_in_lane(g, x, bits) / MAX(32 / tsr_elem_bits((tsr_elem)x->elem), 1);
}

/* What the intrinsic takes an operand of so many words as. */
static LLVMTypeRef operand_type(gen *g, const matrix_instruction *x, unsigned words) {
  emit *e = &g->e;
  enum { DEEP = 4 }; /* words of MFMA with twice the depth, whose bf16 LLVM has as such */
  switch (x->elem) {
  case TSR_F16: return LLVMVectorType(e->f16, 2 * words);
  case TSR_BF16: return LLVMVectorType(words == DEEP && !is_wmma(x) ? e->bf16 : e->i16, 2 * words);
  case TSR_F32: return e->f32;
  case TSR_F64: return e->f64;
  default:
    if (words == 2 && !is_wmma(x)) return e->i64;
    return words > 1 ? LLVMVectorType(e->i32, words) : e->i32;
  }
}

static llv operand_of_words(gen *g, const matrix_instruction *x, const llv *words, unsigned n) {
  LLVMBuilderRef b = g->e.b;
  if (x->elem == TSR_F64) return words[0];
  llv all = n > 1 ? LLVMGetPoison(LLVMVectorType(g->e.i32, n)) : words[0];
  for (unsigned k = 0; k < n && n > 1; k++)
    all = LLVMBuildInsertElement(b, all, words[k], k32(g, k), "");
  return LLVMBuildBitCast(b, all, operand_type(g, x, n), "");
}

static llv sign_flag(gen *g, const ir_op *op, attr_id which) {
  return LLVMConstInt(g->e.i1, ir_int_attr(op, which) == SIGN_SIGNED, 0);
}

static llv call_wmma(gen *g, const ir_op *op, const matrix_instruction *x, llv a, llv b, llv sum) {
  LLVMTypeRef types[] = {LLVMTypeOf(sum), LLVMTypeOf(a)};
  if (x->elem != TSR_I8)
    return emit_intrinsic(&g->e, intrinsic_of(x), types, 2, (llv[]){a, b, sum}, 3);
  llv args[] = {sign_flag(g, op, ATTR_signedness_lhs),
                a,
                sign_flag(g, op, ATTR_signedness_rhs),
                b,
                sum,
                LLVMConstInt(g->e.i1, 0, 0)};
  return emit_intrinsic(&g->e, intrinsic_of(x), types, 2, args, ARRAY_LEN(args));
}

static llv call_mfma(gen *g, const matrix_instruction *x, llv a, llv b, llv sum) {
  llv none = k32(g, 0), args[] = {a, b, sum, none, none, none};
  return emit_intrinsic(&g->e, intrinsic_of(x), NULL, 0, args, ARRAY_LEN(args));
}

void amdgcn_multiply(gen *g, const ir_op *op, const matrix_instruction *x, const llv *a,
                     const llv *b, llv *sum) {
  LLVMBuilderRef to = g->e.b;
  unsigned n = 1u << (x->m + x->n - g->target->lane_bits);
  llv all = LLVMGetPoison(LLVMVectorType(LLVMTypeOf(sum[0]), n));
  for (unsigned k = 0; k < n; k++) all = LLVMBuildInsertElement(to, all, sum[k], k32(g, k), "");
  llv left = operand_of_words(g, x, a, words_in_lane(g, x, x->m + x->k));
  llv right = operand_of_words(g, x, b, words_in_lane(g, x, x->n + x->k));
  all = is_wmma(x) ? call_wmma(g, op, x, left, right, all) : call_mfma(g, x, left, right, all);
  for (unsigned k = 0; k < n; k++) sum[k] = LLVMBuildExtractElement(to, all, k32(g, k), "");
}

/* ---- operands ------------------------------------------------------------------------------- */

/* As fragments want it. */
typedef struct operand {
  gen *g;
  const matrix_instruction *x;
  simt_dist d;
  tile t;
  unsigned words, each; /* of a block, in a lane; elements of a word */
  map made;             /* index of a block + 1 -> its words, llv * */
  /* In a stage; NULL: in registers. */
  const simt_staged *staged;
  xor_place place;
  unsigned run; /* log2 of the elements that are read at once */
  map read;     /* the first of such slots + 1 -> what was read, llv */
} operand;

/* Rows that the tile has not are copies of those it has. */
static simt_dist dist_of_a(const simt_op *info, const simt_product *s) {
  return simt_dist_drop(&info->a, s->k + s->m, info->repeat);
}

static operand operand_of(gen *g, ir_op *op, const simt_product *s, bool is_a) {
  const simt_op *info = simt_op_of(g->plan, op);
  const matrix_instruction *x = info->instruction;
  operand o = {.g = g, .x = x, .d = is_a ? dist_of_a(info, s) : info->b};
  o.each = MAX(32 / tsr_elem_bits((tsr_elem)x->elem), 1);
  o.words = words_in_lane(g, x, is_a ? x->m + x->k : x->n + x->k);
  o.staged = g->pipeline ? simt_staged_operand(g->plan, op, is_a) : NULL;
  if (!o.staged) {
    o.t = gpu_elements_at(g, ir_operand(op, is_a ? 0 : 1), &o.d);
    return o;
  }
  o.run = simt_amd_read_run(&o.d, is_a ? 0 : s->n, o.staged->layout.elem_bytes);
  return o;
}

/* ---- from a stage --------------------------------------------------------------------------- */

/* Words, or doubles, of one access. */
static llv read_run(operand *o, uint32_t slot) {
  gen *g = o->g;
  uintptr_t *made = map_put(g->arena, &o->read, (uintptr_t)slot + 1);
  if (*made) return (llv)*made;
  bool wide = o->x->elem == TSR_F64;
  unsigned bytes = 1u << (o->run + o->staged->layout.elem_bytes), each = wide ? 8 : 4;
  LLVMTypeRef one = wide ? g->e.f64 : g->e.i32;
  if (bytes < each) one = LLVMIntTypeInContext(g->e.llvm, 8 * bytes);
  LLVMTypeRef type = bytes > each ? LLVMVectorType(one, bytes / each) : one;
  uint32_t offset;
  llv at = gpu_xor_address(g, &o->place, simt_index_of_slot(&o->d, slot), &offset);
  llv x = LLVMBuildLoad2(g->e.b, type, as_ptr(g, add_const(g, at, offset), SPACE_SHARED), "");
  LLVMSetAlignment(x, bytes);
  *made = (uintptr_t)x;
  return x;
}

static llv part_from_stage(operand *o, uint32_t slot, unsigned per_part) {
  uint32_t mask = (1u << o->run) - 1, parts = (mask + 1) / per_part;
  llv x = read_run(o, slot & ~mask);
  return parts > 1 ? LLVMBuildExtractElement(o->g->e.b, x, k32(o->g, (slot & mask) / per_part), "")
                   : x;
}

/* Where accesses are narrower than a word, of several. */
static llv word_from_stage(operand *o, uint32_t slot) {
  LLVMBuilderRef b = o->g->e.b;
  llv all = NULL;
  unsigned n = 1u << o->run, bits = tsr_elem_bits((tsr_elem)o->x->elem);
  if (o->x->elem == TSR_F64) return part_from_stage(o, slot, 1);
  if (n >= o->each) return part_from_stage(o, slot, o->each);
  for (unsigned k = 0; k < o->each; k += n) {
    llv x = LLVMBuildZExt(b, part_from_stage(o, slot + k, n), o->g->e.i32, "");
    if (k) x = LLVMBuildShl(b, x, k32(o->g, k * bits), "");
    all = all ? LLVMBuildOr(b, all, x, "") : x;
  }
  return all;
}

/* ---- blocks --------------------------------------------------------------------------------- */

/* Products don't tell NaNs apart. */
static llv word_at(operand *o, uint32_t slot) {
  gen *g = o->g;
  tsr_elem elem = (tsr_elem)o->x->elem;
  if (o->staged) return word_from_stage(o, slot);
  if (elem == TSR_F64) return gpu_element(g, &o->t, slot);
  if (!o->t.v && o->each > 1) return gpu_element_word(g, elem, &o->t, slot);
  llv x[4];
  for (unsigned k = 0; k < o->each; k++) x[k] = lanes_any_nan(gpu_element(g, &o->t, slot + k));
  return o->each > 1 ? gpu_pack_word(g, elem, x, o->each)
                     : LLVMBuildBitCast(g->e.b, x[0], g->e.i32, "");
}

/* Those of the block that begins at an index. */
static llv *words_at(operand *o, uint32_t index) {
  uintptr_t *slot = map_put(o->g->arena, &o->made, (uintptr_t)index + 1);
  if (*slot) return (llv *)*slot;
  llv *words = arena_array(o->g->arena, llv, o->words);
  uint32_t first = simt_slot_of_index(&o->d, index);
  for (unsigned w = 0; w < o->words; w++) words[w] = word_at(o, first + w * o->each);
  *slot = (uintptr_t)words;
  return words;
}

/* ---- the product ---------------------------------------------------------------------------- */

/* All blocks for those of k that begin at one. */
static void multiply_step(gen *g, ir_op *op, const simt_product *s, operand *a, operand *b,
                          uint32_t k, llv *sum) {
  const simt_op *info = simt_op_of(g->plan, op);
  const matrix_instruction *x = info->instruction;
  uint32_t fragment = ((1u << x->n) - 1) << info->column | ((1u << x->m) - 1) << s->n;
  for (uint32_t slot = 0; slot < slots_of(&info->sum); slot++) {
    uint32_t index = simt_index_of_slot(&info->sum, slot), row = index >> s->n;
    if (index & fragment) continue;
    uint32_t batch = row >> s->m, column = index & ((1u << s->n) - 1);
    const llv *left = words_at(a, row << s->k | k);
    const llv *right = words_at(b, (batch << s->k | k) << s->n | column);
    amdgcn_multiply(g, op, x, left, right, sum + slot);
  }
}

/* Where a product hands on its sum, a block's registers. */
unsigned amdgcn_carried_together(const gen *g, const ir_value *carried) {
  const ir_block *body = carried->owner.block;
  const ir_op *jump = carried->is_arg && carried->index ? body->last : NULL;
  if (!g->plan || !jump || jump->opcode != OP_continue || body->parent->opcode != OP_for) return 1;
  const ir_op *op = ir_defining_op(ir_operand(jump, carried->index - 1));
  const simt_op *info = op && op->block == body ? simt_op_of(g->plan, op) : NULL;
  bool is_product = op && (op->opcode == OP_mmaf || op->opcode == OP_mmai);
  if (!is_product || !info || info->mma != SIMT_MMA_WARP || info->repeat) return 1;
  const simt_dist *d = &simt_value_of(g->plan, carried)->dist;
  if (!simt_dist_equal(d, &info->sum)) return 1;
  return 1u << (info->instruction->m + info->instruction->n - g->target->lane_bits);
}

bool amdgcn_product(gen *g, ir_op *op) {
  const simt_op *info = simt_op_of(g->plan, op);
  if (g->private_ || info->mma != SIMT_MMA_WARP) return false;
  simt_product s = simt_product_of(op);
  ir_value *v = ir_result(op, 0);
  simt_dist c = gpu_dist(g, v);
  operand a = operand_of(g, op, &s, true), b = operand_of(g, op, &s, false);
  llv *sum = gpu_repeat_rows(g, info, &c, gpu_get(g, ir_operand(op, 2), &c));
  if (a.staged) a.place = amdgcn_stage_place(g, a.staged, &a.d);
  if (b.staged) b.place = amdgcn_stage_place(g, b.staged, &b.d);
  s.m += info->repeat;
  for (uint32_t k = 0; k < 1u << s.k; k++)
    if (!(k & info->block_k)) multiply_step(g, op, &s, &a, &b, k, sum);
  sum = gpu_first_rows(g, info, &c, sum);
  gpu_round_product(g, op, sum);
  gpu_set(g, v, &c, sum);
  return true;
}
