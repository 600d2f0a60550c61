/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Matrix products by mma.sync. A warp's tensor cores multiply fragments that lie in its lanes'
 * registers. Operands that don't lie so already go to shared memory and come back block by block,
 * those of 16 bits by ldmatrix, four 8 x 8 blocks at a time, transposed where that is how they lie;
 * where they lie there (simt/arrange.h) neither those who store nor the rows of a block meet in
 * banks. Of others that lie along n a lane reads several columns at once,
 * which are columns of so many blocks; bytes are turned in registers. What a pipelined loop has in
 * a stage of shared memory (simt/pipeline.h) is read there. What an accumulator's distribution
 * holds for the next product (attention's P) needs packing only, and so does a B that was loaded as
 * its fragments want it.
 */
#include "gpu/nvptx/tensor.h"
#include "llvm/conv.h"
#include "llvm/nans.h"
#include "simt/arrange.h"

#include <stdio.h>

#include "gpu/code.h"
#include "gpu/convert.h"
#include "gpu/elements.h"
#include "gpu/index.h"
#include "gpu/nvptx/bulk.h"
#include "gpu/nvptx/mma.h"
#include "gpu/nvptx/pipeline.h"
#include "gpu/product.h"
#include "gpu/shared.h"
#include "gpu/values.h"
#include "simt/arrange.h"

enum { TF32_BITS = (int)0xffffe000 }; /* the format's; memory may have others besides */

/* An operand as words of fragments: those of block number `index`, an index of the operand with the
 * fragment's bits zero. */
typedef struct operand operand;
struct operand {
  gen *g;
  ir_value *v;
  simt_dist d;      /* the fragments' */
  unsigned words;   /* of a fragment, in a lane */
  unsigned each;    /* elements of a word */
  tsr_elem elem;    /* that they are there */
  LLVMTypeRef type; /* of a word */
  bool here; /* the elements are this thread's already, in `t` at `d`; else in shared memory */
  tile t;
  llv base;        /* i64: this lane's row in the first block there; of other than 16 bits its
                      first element */
  bool together;   /* a word's elements lie next to each other there */
  bool transposed; /* ldmatrix.trans */
  uint8_t second;  /* the bit of the index by which blocks 2 and 3 of four differ from 0 and 1 */
  int32_t weight[SIMT_BITS];
  const simt_staged *staged; /* in a stage of a pipeline; NULL: not */
  bool matrices;             /* it comes by ldmatrix */
  bool direct;               /* B: the plan has it in registers */
  uint8_t column;            /* of B; see simt_op */
  bool turned;               /* it is read so many columns at once, across them */
  xor_place place;           /* of lanes' rows for ldmatrix, of their first elements else */
  simt_dist rows;            /* of ldmatrix in a stage: `place.places` */
};

/* ---- from registers ------------------------------------------------------------------------- */

static llv word_from_registers(operand *o, uint32_t slot) {
  if (o->elem == TSR_F64) return gpu_element(o->g, &o->t, slot);
  return gpu_operand_word(o->g, o->elem, &o->t, slot);
}

static void words_from_registers(operand *o, uint32_t index, llv *out) {
  uint32_t first = simt_slot_of_index(&o->d, index);
  for (unsigned w = 0; w < o->words; w++) out[w] = word_from_registers(o, first + w * o->each);
}

/* ---- from shared memory --------------------------------------------------------------------- */

static llv mask_tf32(const operand *o, llv word) {
  return LLVMBuildAnd(o->g->e.b, word, k32(o->g, (uint32_t)TF32_BITS), "");
}

static int32_t weigh_index(const operand *o, uint32_t index) {
  int32_t sum = 0;
  for (unsigned k = 0; k < o->d.n; k++)
    if (index >> k & 1) sum += o->weight[k];
  return sum;
}

/* Four words, of one block of A or of two of B; then both are made at once. */
static void matrices_at(operand *o, uint32_t index, llv *out) {
  uint32_t offset = 0;
  llv address = o->staged ? gpu_xor_address(o->g, &o->place, index, &offset)
                          : add_const(o->g, o->base, weigh_index(o, index));
  nvptx_load_matrices(o->g, address, offset, 4, o->transposed, out);
  for (unsigned i = 0; o->elem == TSR_TF32 && i < 4; i++) out[i] = mask_tf32(o, out[i]);
}

/* A word of a stage, or an element that is less than one, zero-extended. */
static llv load_from_stage(operand *o, uint32_t slot, unsigned bytes) {
  gen *g = o->g;
  uint32_t offset;
  llv at = gpu_xor_address(g, &o->place, simt_index_of_slot(&o->d, slot), &offset);
  bool wide = bytes == 8;
  char text[64];
  snprintf(text, sizeof text, "ld.shared.%s%u $0, [$1+%u];",
           wide         ? "f"
           : bytes == 4 ? "b"
                        : "u",
           8 * bytes, offset);
  llv x = gpu_asm(g, wide ? g->e.f64 : g->e.i32, text, wide ? "=d,r,~{memory}" : "=r,r,~{memory}",
                  &at, 1, true);
  return o->elem == TSR_TF32 ? mask_tf32(o, x) : x;
}

/* The same of scratch memory. */
static llv load_from_scratch(operand *o, uint32_t slot, unsigned bytes) {
  emit *e = &o->g->e;
  llv at = add_const(o->g, o->base, gpu_slot_sum(&o->d, slot, o->weight));
  LLVMTypeRef type = bytes == 8 ? e->f64 : LLVMIntTypeInContext(e->llvm, 8 * bytes);
  llv x = LLVMBuildLoad2(e->b, type, as_ptr(o->g, at, SPACE_SHARED), "");
  LLVMSetAlignment(x, bytes);
  return bytes < 4 ? LLVMBuildZExt(e->b, x, e->i32, "") : x;
}

/* Element by element, or word by word. */
static void words_from_shared(operand *o, uint32_t index, llv *out) {
  emit *e = &o->g->e;
  llv (*load)(operand *, uint32_t, unsigned) = o->staged ? load_from_stage : load_from_scratch;
  uint32_t first = simt_slot_of_index(&o->d, index);
  unsigned bytes = gpu_shared_bytes(o->elem);
  for (unsigned w = 0; w < o->words; w++) {
    uint32_t slot = first + w * o->each;
    if (o->together || o->each == 1) {
      out[w] = load(o, slot, bytes * o->each);
      continue;
    }
    out[w] = k32(o->g, 0);
    for (unsigned k = 0; k < o->each; k++) {
      llv x = load(o, slot + k, bytes);
      if (k) x = LLVMBuildShl(e->b, x, k32(o->g, 8 * bytes * k), "");
      out[w] = LLVMBuildOr(e->b, out[w], x, "");
    }
  }
}

/* ---- several columns at once ---------------------------------------------------------------- */

/* `n` words, or doubles, from a slot's element on. */
static void load_row(operand *o, uint32_t slot, unsigned n, llv *out) {
  emit *e = &o->g->e;
  bool wide = o->elem == TSR_F64;
  LLVMTypeRef one = wide ? e->f64 : e->i32, all = n > 1 ? LLVMVectorType(one, n) : one;
  uint32_t offset = (uint32_t)gpu_slot_sum(&o->d, slot, o->weight);
  llv at = o->base;
  if (o->staged) {
    at = gpu_xor_address(o->g, &o->place, simt_index_of_slot(&o->d, slot), &offset);
    at = to_i64(o->g, at);
  }
  llv x = LLVMBuildLoad2(e->b, all, as_ptr(o->g, add_const(o->g, at, offset), SPACE_SHARED), "");
  LLVMSetAlignment(x, (wide ? 8 : 4) * n);
  for (unsigned i = 0; i < n; i++)
    out[i] = n > 1 ? LLVMBuildExtractElement(e->b, x, k32(o->g, i), "") : x;
}

static llv permute_bytes(gen *g, llv low, llv high, uint32_t selector) {
  llv args[] = {low, high, k32(g, selector)};
  return emit_intrinsic(&g->e, "llvm.nvvm.prmt", NULL, 0, args, 3);
}

/* Four words with a byte for each of four columns become words with those of one column. */
static void transpose_bytes(gen *g, const llv *row, llv *column) {
  llv low[] = {permute_bytes(g, row[0], row[1], 0x5140), permute_bytes(g, row[2], row[3], 0x5140)};
  llv high[] = {permute_bytes(g, row[0], row[1], 0x7362), permute_bytes(g, row[2], row[3], 0x7362)};
  column[0] = permute_bytes(g, low[0], low[1], 0x5410);
  column[1] = permute_bytes(g, low[0], low[1], 0x7632);
  column[2] = permute_bytes(g, high[0], high[1], 0x5410);
  column[3] = permute_bytes(g, high[0], high[1], 0x7632);
}

/* The words of a lane for some columns of blocks of B, by their index; those that have been read
 * before their turn stay for it. */
typedef struct column_words {
  unsigned n;
  uint32_t index[8];
  llv words[8][2];
} column_words;

static void load_columns(operand *o, uint32_t index, column_words *out) {
  unsigned n = 1u << o->column;
  out->n = n;
  for (unsigned i = 0; i < n; i++) out->index[i] = index | i;
  for (unsigned w = 0; w < o->words; w++) {
    uint32_t slot = simt_slot_of_index(&o->d, index) + w * o->each;
    llv row[4][8], turned[4];
    unsigned words = n / o->each;
    for (unsigned j = 0; j < o->each; j++) load_row(o, slot + j, words, row[j]);
    for (unsigned i = 0; i < words && o->each == 1; i++)
      out->words[i][w] = o->elem == TSR_TF32 ? mask_tf32(o, row[0][i]) : row[0][i];
    for (unsigned i = 0; i < words && o->each == 4; i++) {
      const llv four[] = {row[0][i], row[1][i], row[2][i], row[3][i]};
      transpose_bytes(o->g, four, turned);
      for (unsigned j = 0; j < 4; j++) out->words[4 * i + j][w] = turned[j];
    }
  }
}

/* Whose rows lanes tell ldmatrix: of the four blocks the rows (3 bits of the index), then the bit
 * of blocks 1 and 3, then that of 2 and 3. An A fragment's are m8 and the next chunk of k; B's are
 * the next chunk of k, then the next n8. A row lies along k when `k_fast`. */
static simt_dist lane_rows(operand *o, bool is_a, bool k_fast, unsigned columns) {
  unsigned chunk = 4 - simt_log2(gpu_shared_bytes(o->elem));  /* log2, elements of a row */
  unsigned wide = is_a ? columns : 0, k = is_a ? 0 : columns; /* lowest bits */
  unsigned next_k = k + (k_fast ? chunk : 3), row = k_fast ? wide : k;
  simt_dist d = simt_dist_private(0, simt_threads_of(&o->d));
  d.n = o->d.n;
  unsigned first = k_fast ? o->column : 0, second = o->column ? 0 : 3; /* of B's columns */
  for (unsigned j = 0; j < 3; j++) d.lane[j] = (int8_t)(row + first + j);
  bool pair = is_a;
  for (unsigned j = 0; !is_a && columns > 3 && j < o->d.regs; j++)
    pair |= o->d.reg[j] == (int8_t)second;
  d.lane[3] = (int8_t)(is_a ? wide + 3 : next_k);
  d.lane[4] = (int8_t)(!pair ? SIMT_COPY : is_a ? (int)next_k : (int)(wide + second));
  memcpy(d.warp, o->d.warp, sizeof d.warp);
  o->second = (uint8_t)(is_a ? next_k : wide + second);
  o->transposed = !k_fast;
  return d;
}

/* With these bits of the index only: along others nothing moves. */
static simt_dist part_of(const simt_dist *d, uint32_t bits) {
  simt_dist r = gpu_dist_without(d, ~bits);
  for (unsigned j = 0; j < r.lanes; j++)
    if (r.lane[j] != SIMT_COPY && !(bits >> r.lane[j] & 1)) r.lane[j] = SIMT_COPY;
  for (unsigned j = 0; j < r.warps; j++)
    if (r.warp[j] != SIMT_COPY && !(bits >> r.warp[j] & 1)) r.warp[j] = SIMT_COPY;
  return r;
}

/* The registers in front of which are 2^n whose bits follow each other from `first` on, those of
 * one access; the rest are those of fragments that no lane has. */
static void put_in_front(simt_dist *d, const simt_dist *fragments, unsigned first, unsigned n) {
  uint32_t taken = 0;
  d->regs = 0;
  for (unsigned j = 0; j < n; j++) d->reg[d->regs++] = (int8_t)(first + j);
  for (unsigned j = 0; j < n; j++) taken |= 1u << (first + j);
  for (unsigned j = 0; j < d->lanes; j++)
    if (d->lane[j] != SIMT_COPY) taken |= 1u << d->lane[j];
  for (unsigned j = 0; j < fragments->regs; j++)
    if (!(taken >> fragments->reg[j] & 1)) d->reg[d->regs++] = fragments->reg[j];
}

/* How the operand is to lie in shared memory: with the dimension fastest whose neighbours a thread
 * has in registers, if it has as many as a row of ldmatrix, and else as simt_arrange finds that
 * neither storing nor loading meets in banks. `row` and `column` are the lowest bits of its two
 * dimensions in the index, the columns' first; the rest is the batch. The highest `pieces` bits of
 * the row are left out: one piece is there at a time. Returns its size in bytes. */
static uint32_t arrange(operand *o, bool is_a, const simt_dist *from, unsigned columns,
                        unsigned rows, unsigned pieces, bool *column_fastest) {
  enum { MATRIX_ROW = 3, ALIGN = 16 };
  *column_fastest = rows < MATRIX_ROW || !(from->regs && from->reg[0] >= (int8_t)columns &&
                                           from->reg[0] < (int8_t)(columns + rows));
  bool along_k = is_a == *column_fastest;
  unsigned first = *column_fastest ? 0 : columns;
  uint32_t left_out = ((1u << pieces) - 1) << (columns + rows - pieces);
  uint32_t bits = ((1u << from->n) - 1) & ~left_out;
  simt_dist stored = part_of(from, bits), fragments = part_of(&o->d, bits), loaded = fragments;
  unsigned run = 0;
  if (tsr_elem_bits(o->elem) == 16) {
    simt_dist matrices = lane_rows(o, is_a, along_k, columns);
    loaded = part_of(&matrices, bits);
    run = MATRIX_ROW;
  } else if (o->column && *column_fastest) {
    run = o->column; /* several columns at once */
  } else if (along_k) {
    run = simt_log2(o->each); /* a word */
  }
  put_in_front(&loaded, &fragments, first, run);
  uint32_t size =
      simt_arrange(o->g->target, &stored, &loaded, (int)run, gpu_shared_bytes(o->elem), o->weight);
  return (size + ALIGN - 1) / ALIGN * ALIGN;
}

static void find_rows(operand *o, bool is_a, bool column_fastest, unsigned columns, llv base) {
  o->matrices = tsr_elem_bits(o->elem) == 16;
  if (!o->matrices) {
    int32_t size = (int32_t)gpu_shared_bytes(o->elem);
    o->base = add_of(o->g, base, to_i64(o->g, gpu_thread_sum(o->g, &o->d, o->weight)));
    /* A register that holds nothing of a small tile has no weight. */
    o->together = o->d.reg[0] >= 0 && o->d.reg[1] >= 0 && o->weight[o->d.reg[0]] == size &&
                  o->weight[o->d.reg[1]] == 2 * size;
    o->turned = o->column && column_fastest;
    return;
  }
  simt_dist rows = lane_rows(o, is_a, is_a == column_fastest, columns);
  o->base = add_of(o->g, base, to_i64(o->g, gpu_thread_sum(o->g, &rows, o->weight)));
}

/* In a stage of a pipelined loop. Rows along k come by ldmatrix whatever their elements are, since
 * a lane's word is what a fragment wants of it. */
static void find_rows_in_stage(operand *o, bool is_a, unsigned columns) {
  const simt_stage_layout *l = &o->staged->layout;
  unsigned bits = tsr_elem_bits(o->elem);
  o->matrices = bits == 16 || (l->fast_is_k && bits < 64);
  if (o->matrices) o->rows = lane_rows(o, is_a, l->fast_is_k, columns);
  o->turned = o->column && !l->fast_is_k;
  o->place = nvptx_stage_place(o->g, o->staged, o->matrices ? &o->rows : &o->d, l->column);
}

/* ---- operands ------------------------------------------------------------------------------- */

static operand operand_of(gen *g, ir_op *op, bool is_a) {
  const simt_op *info = simt_op_of(g->plan, op);
  const matrix_instruction *x = info->instruction;
  operand o = {.g = g,
               .v = ir_operand(op, is_a ? 0 : 1),
               .d = is_a ? info->a : info->b,
               .elem = (tsr_elem)x->elem,
               .direct = !is_a && info->direct,
               .column = is_a ? 0 : info->column,
               .staged = g->pipeline ? simt_staged_operand(g->plan, op, is_a) : NULL};
  unsigned bits = tsr_elem_bits(o.elem);
  o.each = bits >= 32 ? 1 : 32 / bits;
  o.type = o.elem == TSR_F64 ? g->e.f64 : g->e.i32;
  unsigned elements = is_a ? x->m + x->k : x->n + x->k;
  o.words = (1u << (elements - g->block.lanes)) / o.each;
  return o;
}

typedef struct staged {
  tile t;
  uint32_t size;
  bool column_fastest;
  unsigned columns, rows, pieces;
  llv base; /* in scratch memory */
} staged;

/* As the fragments want it, in registers. */
static void take(operand *o) {
  o->t = gpu_elements_at(o->g, o->v, &o->d);
  o->here = true;
}

/* Takes what is near or in a stage; says what else must go through shared memory. */
static bool needs_staging(operand *o, const simt_product *s, bool is_a, staged *out) {
  gen *g = o->g;
  if (o->staged) {
    find_rows_in_stage(o, is_a, is_a ? s->k : s->n);
    return false;
  }
  simt_dist have = gpu_home_dist(g, o->v);
  if (o->direct || (have.n == o->d.n && simt_is_near(&have, &o->d))) {
    take(o);
    return false;
  }
  *out = (staged){.t = {.d = have}, .columns = is_a ? s->k : s->n, .rows = is_a ? s->m : s->k};
  out->size = arrange(o, is_a, &have, out->columns, out->rows, 0, &out->column_fastest);
  return true;
}

/* What is computed here may need scratch memory itself, so all that can is made before. */
static void make_first(operand *o, staged *x) {
  if (gpu_takes_scratch(o->g, o->v)) x->t = gpu_elements(o->g, o->v);
}

static void put(operand *o, staged *x, llv base) {
  x->base = base;
  if (!x->t.v && !x->t.from) x->t = gpu_elements(o->g, o->v);
  uint32_t left_out = ((1u << x->pieces) - 1) << (x->columns + x->rows - x->pieces);
  gpu_shared_store_part(o->g, o->elem, &x->t, base, o->weight, left_out, 0);
}

/* B's rows along k are cut into pieces until both operands fit; false when that is not enough. */
static bool cut(gen *g, operand *b, staged *of_a, staged *of_b, const matrix_instruction *x) {
  while (of_a->size + of_b->size > gpu_scratch_limit(g)) {
    if (of_b->size == 0 || of_b->rows - of_b->pieces <= x->k) return false;
    of_b->pieces++;
    of_b->size = arrange(b, false, &of_b->t.d, of_b->columns, of_b->rows, of_b->pieces,
                         &of_b->column_fastest);
  }
  return true;
}

/* The operands in registers, a stage or scratch memory; of B perhaps only the first piece of k.
 * What does not fit changes hands as any tile does. */
static staged stage(gen *g, operand *a, operand *b, const simt_product *s,
                    const matrix_instruction *x) {
  staged of_a = {.size = 0}, of_b = {.size = 0};
  bool put_a = needs_staging(a, s, true, &of_a), put_b = needs_staging(b, s, false, &of_b);
  if (!cut(g, b, &of_a, &of_b, x)) {
    if (put_b) take(b);
    put_b = false;
    of_b = (staged){.size = 0};
    if (put_a && of_a.t.d.n == a->d.n) {
      take(a);
      put_a = false;
    }
  }
  if (!put_a && !put_b) return of_b;
  if (put_a) make_first(a, &of_a);
  if (put_b) make_first(b, &of_b);
  llv base = gpu_scratch(g, of_a.size + of_b.size);
  if (put_a) put(a, &of_a, base);
  if (put_b) put(b, &of_b, add_const(g, base, of_a.size));
  gpu_scratch_ready(g);
  if (put_a) find_rows(a, true, of_a.column_fastest, of_a.columns, base);
  if (put_b) find_rows(b, false, of_b.column_fastest, of_b.columns, of_b.base);
  return of_b;
}

/* Where the next piece begins at this k, it takes the place of the one before. */
static void next_piece(operand *b, const staged *x, uint32_t k) {
  gen *g = b->g;
  unsigned kept = x->rows - x->pieces;
  if (x->pieces == 0 || k == 0 || k & ((1u << kept) - 1)) return;
  uint32_t left_out = ((1u << x->pieces) - 1) << (x->columns + kept);
  gpu_barrier(g); /* everybody has read the one before */
  gpu_shared_store_part(g, b->elem, &x->t, x->base, b->weight, left_out, k << x->columns);
  gpu_scratch_ready(g);
}

/* ---- the product ---------------------------------------------------------------------------- */

typedef struct multiply {
  gen *g;
  const matrix_instruction *x;
  mma how;
  unsigned column; /* of the accumulator's index, the lowest bit of a fragment's columns */
} multiply;

static multiply multiply_of(gen *g, ir_op *op) {
  const simt_op *info = simt_op_of(g->plan, op);
  return (multiply){.g = g,
                    .x = info->instruction,
                    .how = nvptx_mma_of(g, op, info->instruction),
                    .column = info->column};
}

/* The words of a block. Of B in shared memory several columns of blocks come at once. */
static void words_of(operand *o, bool is_a, uint32_t index, llv *out, column_words *known) {
  llv four[4];
  if (o->here) {
    words_from_registers(o, index, out);
    return;
  }
  if (is_a && o->matrices) {
    matrices_at(o, index, out);
    return;
  }
  if (!o->matrices && !o->turned) {
    words_from_shared(o, index, out);
    return;
  }
  unsigned i = 0;
  while (i < known->n && known->index[i] != index) i++;
  if (i == known->n && o->turned) {
    load_columns(o, index, known);
    i = 0;
  } else if (i == known->n) {
    matrices_at(o, index, four);
    *known = (column_words){.n = 2, .index = {index, index | 1u << o->second}};
    memcpy(known->words, four, sizeof four);
    i = 0;
  }
  memcpy(out, known->words[i], sizeof known->words[i]);
}

/* All of them, for one block of k: first A's, then column by column. */
static void multiply_step(multiply *m, const simt_product *s, const simt_dist *c, operand *a,
                          operand *b, uint32_t k, llv *sum) {
  uint32_t fragment = ((1u << m->x->n) - 1) << m->column | ((1u << m->x->m) - 1) << s->n;
  llv a_words[4], b_words[4];
  uint32_t n_mask = (1u << s->n) - 1, m_mask = ((1u << s->m) - 1) << s->n;
  llv(*rows)[4] = arena_alloc(m->g->arena, sizeof *rows * slots_of(c), _Alignof(llv));
  memset(rows, 0, sizeof *rows * slots_of(c));
  column_words known = {0};
  for (uint32_t column = 0; column < slots_of(c); column++) {
    uint32_t n_index = simt_index_of_slot(c, column);
    if (n_index & (fragment | m_mask)) continue; /* once for each column of blocks and batch */
    uint32_t batch = n_index >> (s->n + s->m), n = n_index & n_mask;
    words_of(b, false, (batch << s->k | k) << s->n | n, b_words, &known);
    for (uint32_t slot = 0; slot < slots_of(c); slot++) {
      uint32_t index = simt_index_of_slot(c, slot);
      if (index & fragment || (index & ~m_mask) != n_index) continue;
      uint32_t row = index >> s->n; /* batch and m */
      uint32_t key = simt_slot_of_index(c, index & ~n_mask);
      if (!rows[key][0]) {
        words_of(a, true, row << s->k | k, a_words, NULL);
        memcpy(rows[key], a_words, sizeof a_words);
      }
      nvptx_mma(m->g, &m->how, rows[key], b_words, sum + slot);
    }
  }
}

bool nvptx_tensor_product(gen *g, ir_op *op) {
  const simt_op *info = simt_op_of(g->plan, op);
  if (g->private_ || info->mma != SIMT_MMA_WARP) return false;
  simt_product s = simt_product_of(op);
  ir_value *v = ir_result(op, 0);
  simt_dist c = gpu_dist(g, v);
  llv *sum = gpu_repeat_rows(g, info, &c, gpu_get(g, ir_operand(op, 2), &c));
  operand a = operand_of(g, op, true), b = operand_of(g, op, false);
  staged of_b = stage(g, &a, &b, &s, info->instruction);
  nvptx_stage_ready(g, op);
  multiply m = multiply_of(g, op);
  simt_product full = s; /* with the repeated rows */
  full.m += info->repeat;
  for (uint32_t k = 0; k < 1u << s.k; k += 1u << info->instruction->k) {
    next_piece(&b, &of_b, k);
    multiply_step(&m, &full, &info->sum, &a, &b, k, sum);
  }
  nvptx_stage_done(g, op);
  sum = gpu_first_rows(g, info, &c, sum);
  gpu_round_product(g, op, sum);
  gpu_set(g, v, &c, sum);
  return true;
}
