/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A product is one piece of assembly with an instruction for each block of the accumulator and step
 * along k. Nothing may move registers between the fence before it and the wait for it, so
 * they go from assembly to assembly: the fence takes the accumulators and left operands of the
 * products that follow it and gives them back, the products take and give the accumulator's, and so
 * does the wait.
 */
#include "gpu/nvptx/unit.h"

#include "gpu/block/stated.h"
#include "gpu/block/storage.h"
#include "gpu/code.h"
#include "gpu/elements.h"
#include "gpu/index.h"
#include "gpu/nvptx/engine.h"
#include "gpu/nvptx/state.h"
#include "gpu/nvptx/wgmma.h"
#include "gpu/shared.h"
#include "gpu/values.h"
#include "ir/block/engine.h"
#include "ir/block/layouts.h"
#include "llvm/nans.h"

enum { GROUP = 2, UNIT_THREADS = 128 };

/* ---- registers ------------------------------------------------------------------------------ */

typedef struct words {
  llv *w;
  uint32_t n;
} words;

static tsr_elem tile_elem(const ir_value *v) {
  return (tsr_elem)(v->type->kind == IR_ASYNC ? v->type->view->elem : v->type->elem);
}

static words pack(gen *g, tsr_elem elem, llv *x, uint32_t n) {
  unsigned each = 32 / tsr_elem_bits(elem);
  words r = {.w = arena_array(g->arena, llv, n / each)};
  for (uint32_t i = 0; i < n; i += each) {
    llv part[4];
    for (unsigned k = 0; k < each; k++) part[k] = lanes_any_nan(x[i + k]);
    r.w[r.n++] = gpu_pack_word(g, elem, part, each);
  }
  return r;
}

/* An accumulator as instructions have it: f32, or words of two f16. */
static words accumulator(gen *g, ir_value *v) {
  simt_dist d = gpu_dist(g, v);
  if (v->type->kind == IR_ASYNC) return (words){value_of(g, v)->t.v, gpu_words_under_way(g, v)};
  llv *x = gpu_any_nan(g, &d, gpu_get(g, v, &d));
  if (tile_elem(v) == TSR_F16) return pack(g, TSR_F16, x, slots_of(&d));
  return (words){x, slots_of(&d)};
}

static words left_operand(gen *g, ir_value *v) {
  simt_dist d = gpu_dist(g, v);
  return pack(g, tile_elem(v), gpu_get(g, v, &d), slots_of(&d));
}

static bool is_zero(const words *x) {
  for (uint32_t i = 0; i < x->n; i++)
    if (!LLVMIsConstant(x->w[i]) || !LLVMIsNull(x->w[i])) return false;
  return true;
}

static char constraint_of(gen *g, llv x) {
  return LLVMTypeOf(x) == g->e.f32 ? 'f' : 'r';
}

/* Assembly that takes registers (`fresh`: does not) and gives them back; `more` follows them. */
static void through(gen *g, const char *text, words *x, bool fresh, const llv *more,
                    uint32_t n_more, const char *kinds) {
  llv *args = arena_array(g->arena, llv, x->n + n_more + 1);
  LLVMTypeRef *types = arena_array(g->arena, LLVMTypeRef, x->n + 1);
  sbuf constraints = SBUF(g->arena);
  uint32_t n = 0;
  for (uint32_t i = 0; i < x->n; i++) {
    types[i] = LLVMTypeOf(x->w[i]);
    sbuf_printf(&constraints, "=%c,", constraint_of(g, x->w[i]));
  }
  for (uint32_t i = 0; i < x->n && !fresh; i++) {
    args[n++] = x->w[i];
    sbuf_printf(&constraints, "%u,", i);
  }
  for (uint32_t i = 0; i < n_more; i++) {
    args[n++] = more[i];
    sbuf_printf(&constraints, "%c,", kinds[i]);
  }
  sbuf_puts(&constraints, "~{memory}");
  LLVMTypeRef result = x->n ? LLVMStructTypeInContext(g->e.llvm, types, x->n, 0) : g->e.void_;
  llv r = gpu_asm(g, result, text, constraints.data, args, n, true);
  words out = {arena_array(g->arena, llv, x->n + 1), x->n};
  for (uint32_t i = 0; i < x->n; i++) out.w[i] = LLVMBuildExtractValue(g->e.b, r, i, "");
  *x = out;
}

/* ---- the fence ------------------------------------------------------------------------------ */

/* Registers of a tile that have passed a fence, as the products want them that follow it. */
typedef struct fenced_tile {
  const ir_op *fence;
  const ir_value *v;
  bool is_left;
  words x;
} fenced_tile;

static const ir_op *fence_of(const ir_op *product) {
  const ir_op *op = product->prev;
  while (op && op->opcode != OP_wgmma_fence) op = op->prev;
  return op;
}

static fenced_tile *find_fenced(gen *g, const ir_op *fence, const ir_value *v, bool is_left) {
  for (uint32_t i = 0; fence && i < own_of(g)->fenced.len; i++) {
    fenced_tile *f = own_of(g)->fenced.data[i];
    if (f->fence == fence && f->v == v && f->is_left == is_left) return f;
  }
  return NULL;
}

/* Of what exists at the fence. */
static void add_tile(gen *g, const ir_op *fence, ir_value *v, bool is_left) {
  if (v->type->kind != IR_TILE || value_of(g, v)->kind == VALUE_UNSET) return;
  if (find_fenced(g, fence, v, is_left)) return;
  words x = is_left ? left_operand(g, v) : accumulator(g, v);
  if (!is_left && is_zero(&x)) return; /* it is not read */
  fenced_tile *f = arena_new(g->arena, fenced_tile);
  *f = (fenced_tile){.fence = fence, .v = v, .is_left = is_left, .x = x};
  vec_push(g->arena, own_of(g)->fenced, f);
}

static void fence(gen *g, const ir_op *op) {
  uint32_t first = own_of(g)->fenced.len, n = 0;
  for (ir_op *p = op->next; p && p->opcode != OP_wgmma_fence; p = p->next) {
    if (p->opcode != OP_wgmma) continue;
    add_tile(g, op, ir_operand(p, 0), true);
    add_tile(g, op, ir_operand(p, 2), false);
  }
  for (uint32_t i = first; i < own_of(g)->fenced.len; i++) n += own_of(g)->fenced.data[i]->x.n;
  words all = {.w = arena_array(g->arena, llv, n + 1)};
  for (uint32_t i = first; i < own_of(g)->fenced.len; i++) {
    const words *x = &own_of(g)->fenced.data[i]->x;
    memcpy(all.w + all.n, x->w, x->n * sizeof *x->w);
    all.n += x->n;
  }
  through(g, "wgmma.fence.sync.aligned;", &all, false, NULL, 0, "");
  for (uint32_t i = first; i < own_of(g)->fenced.len; i++) {
    words *x = &own_of(g)->fenced.data[i]->x;
    x->w = all.w;
    all.w += x->n;
  }
}

/* ---- operands in shared memory -------------------------------------------------------------- */

typedef struct memory_operand {
  const ir_type *type;
  ir_unit_operand lies;
  llv descriptor; /* i64: of the warpgroup's part */
} memory_operand;

/* PTX ISA, "Matrix Descriptor Format", but for the address. */
static uint64_t descriptor_of(const ir_unit_operand *o, uint32_t bytes) {
  uint64_t panel = (uint64_t)o->panel * bytes, eight = (uint64_t)o->eight * bytes;
  uint64_t mode = o->swizzle == 128 ? 1 : o->swizzle == 64 ? 2 : o->swizzle == 32 ? 3 : 0;
  uint64_t leading = panel, stride = eight;
  if (o->swizzle && o->along_k) leading = 16; /* an instruction does not leave its row */
  if (!o->swizzle && !o->along_k) {
    leading = eight;
    stride = panel;
  }
  return (leading >> 4 & 0x3fff) << 16 | (stride >> 4 & 0x3fff) << 32 | mode << 62;
}

/* What a row of the accumulator (a column, for the right operand) adds to where an operand begins.
 */
static int32_t weight_of(const ir_type *t, bool is_left, unsigned bit) {
  int64_t index[2] = {is_left ? INT64_C(1) << bit : 0, is_left ? 0 : INT64_C(1) << bit};
  return (int32_t)ir_memory_offset(t->memory, index);
}

/* Where the part of the warpgroup begins, bytes: warps from the third bit of their number on have
 * rows or columns of their own. */
static llv group_offset(gen *g, const memory_operand *o, const simt_dist *c, unsigned n_bits,
                        bool is_left, uint32_t bytes) {
  int32_t weight[SIMT_BITS] = {0};
  simt_dist far = simt_dist_private(c->n, g->block);
  for (unsigned j = GROUP; j < c->warps; j++) {
    int bit = c->warp[j];
    if (bit == SIMT_COPY || (bit >= (int)n_bits) != is_left) continue;
    far.warp[j] = (int8_t)bit;
    unsigned in_dim = (unsigned)bit - (is_left ? n_bits : 0);
    weight[bit] = weight_of(o->type, is_left, in_dim) * (int32_t)bytes;
  }
  return gpu_thread_sum(g, &far, weight);
}

static bool describe(gen *g, const ir_op *op, memory_operand *o, const simt_dist *c,
                     unsigned n_bits, bool is_left) {
  const storage_ref *s = value_of(g, ir_operand(op, is_left ? 0 : 1))->storage;
  uint32_t bytes = gpu_shared_bytes((tsr_elem)s->type->elem);
  o->type = s->type;
  ir_unit_operand_of(o->type, is_left ? 1 : 0, &o->lies);
  uint32_t unit = o->lies.swizzle ? 8 * (uint32_t)o->lies.swizzle : 16;
  if (!nvptx_check_start(g, op, s, unit)) return false;
  llv at = fold_add(g, nvptx_part_start(g, s), group_offset(g, o, c, n_bits, is_left, bytes));
  at = LLVMBuildLShr(g->e.b, LLVMBuildAnd(g->e.b, at, k32(g, 0x3ffff), ""), k32(g, 4), "");
  uint64_t bits = descriptor_of(&o->lies, bytes);
  o->descriptor = LLVMBuildOr(g->e.b, to_i64(g, at), k64(g, (int64_t)bits), "");
  return true;
}

/* Units of 16 bytes from the operand's start. */
static uint32_t units_to(const memory_operand *o, int64_t row, int64_t column) {
  uint32_t bytes = gpu_shared_bytes((tsr_elem)o->type->elem);
  return (uint32_t)ir_memory_offset(o->type->memory, (int64_t[]){row, column}) * bytes >> 4;
}

/* ---- the product ---------------------------------------------------------------------------- */

typedef struct product {
  const ir_op *op;
  const matrix_instruction *x;
  simt_dist c, a_dist;
  memory_operand a, b;
  words sum, left;   /* left.w NULL: it lies in shared memory */
  unsigned columns;  /* of an instruction */
  unsigned n_bits;   /* log2 of the accumulator's columns */
  uint32_t each;     /* registers of one instruction */
  bool fresh, pairs; /* the accumulator is zero; has words of two elements */
} product;

static const matrix_instruction *find_instruction(const gen *g, tsr_elem elem) {
  return matrix_instruction_at(g->target, MATRIX_GROUP, elem, 0);
}

/* Operands of the assembly for the accumulator. */
static uint32_t registers_of(const product *p) {
  return p->sum.n * (p->fresh ? 1 : 2);
}

static char *left_text(gen *g, const product *p, uint32_t slot, uint32_t step) {
  uint32_t m = simt_index_of_slot(&p->c, slot << p->pairs) >> p->n_bits;
  unsigned k_bits = simt_log2(ir_operand(p->op, 0)->type->shape[1]);
  uint32_t at = simt_slot_of_index(&p->a_dist, m << k_bits | step << p->x->k);
  uint32_t word = at * tsr_elem_bits(tile_elem(ir_operand(p->op, 0))) / 32;
  uint32_t first = registers_of(p) + word;
  return arena_printf(g->arena, "{$%u, $%u, $%u, $%u}", first, first + 1, first + 2, first + 3);
}

static void one_instruction(gen *g, const product *p, sbuf *t, uint32_t slot, uint32_t step) {
  uint32_t index = simt_index_of_slot(&p->c, slot << p->pairs), k = step << p->x->k;
  uint32_t m = index >> p->n_bits, n = index & ((1u << p->n_bits) - 1);
  uint32_t descriptors = registers_of(p) + p->left.n;
  sbuf_printf(t, "add.s64 b, $%u, %u;\n\t", descriptors + !p->left.w, units_to(&p->b, k, n));
  if (!p->left.w) sbuf_printf(t, "add.s64 a, $%u, %u;\n\t", descriptors, units_to(&p->a, m, k));
  wgmma_text w = {.x = p->x,
                  .columns = p->columns,
                  .sum = p->pairs ? "f16" : p->x->sum,
                  .a_type = p->x->operand,
                  .b_type = p->x->operand,
                  .first = slot,
                  .n = p->each,
                  .a = p->left.w ? left_text(g, p, slot, step) : NULL,
                  .fresh = p->fresh && step == 0,
                  .a_across = !p->left.w && !p->a.lies.along_k,
                  .b_across = !p->b.lies.along_k};
  nvptx_wgmma_text(t, &w);
}

static char *text_of(gen *g, const product *p) {
  sbuf t = SBUF(g->arena);
  uint32_t steps = (uint32_t)(ir_operand(p->op, 1)->type->shape[0] >> p->x->k);
  sbuf_puts(&t, WGMMA_BEGIN);
  for (uint32_t step = 0; step < steps; step++)
    for (uint32_t slot = 0; slot < p->sum.n; slot += p->each) one_instruction(g, p, &t, slot, step);
  sbuf_putc(&t, '}');
  return t.data;
}

static words operand_words(gen *g, const ir_op *op, ir_value *v, bool is_left) {
  const fenced_tile *f = find_fenced(g, fence_of(op), v, is_left);
  if (f) return f->x;
  return is_left ? left_operand(g, v) : accumulator(g, v);
}

static void multiply(gen *g, product *p) {
  uint32_t n = 0;
  llv *more = arena_array(g->arena, llv, p->left.n + 2);
  char *kinds = arena_array(g->arena, char, p->left.n + 2);
  for (uint32_t i = 0; i < p->left.n; i++) more[n++] = p->left.w[i];
  memset(kinds, 'r', n);
  for (unsigned i = p->left.w ? 1 : 0; i < 2; i++) {
    kinds[n] = 'l';
    more[n++] = i ? p->b.descriptor : p->a.descriptor;
  }
  through(g, text_of(g, p), &p->sum, p->fresh, more, n, kinds);
}

static bool check_threads(gen *g, const ir_op *op) {
  if (g->first_thread % UNIT_THREADS == 0) return true;
  gpu_unsupported(g, op,
                  arena_printf(g->arena,
                               "the threads that execute it begin at %u of the block, and its "
                               "groups of 128 begin at multiples of 128",
                               g->first_thread));
  return false;
}

static void begin_product(gen *g, ir_op *op) {
  ir_value *left = ir_operand(op, 0), *acc = ir_operand(op, 2), *v = ir_result(op, 0);
  const ir_type *t = v->type->view;
  tsr_layout grid;
  tsr_elem elem = (tsr_elem)ir_operand(op, 1)->type->elem;
  product p = {.op = op,
               .x = find_instruction(g, elem),
               .c = gpu_dist(g, v),
               .n_bits = simt_log2(t->shape[1]),
               .pairs = t->elem == TSR_F16};
  if (!check_threads(g, op)) return;
  p.columns = (unsigned)ir_unit_columns(t, elem, &grid);
  p.each = p.columns / 2 >> p.pairs; /* 64 rows, 128 threads */
  if (left->type->kind == IR_TILE) {
    p.left = operand_words(g, op, left, true);
    p.a_dist = gpu_dist(g, left);
  } else if (!describe(g, op, &p.a, &p.c, p.n_bits, true)) {
    return;
  }
  if (!describe(g, op, &p.b, &p.c, p.n_bits, false)) return;
  p.sum = operand_words(g, op, acc, false);
  p.fresh = is_zero(&p.sum);
  multiply(g, &p);
  gpu_set_under_way(g, v, &p.c, p.sum.w);
}

/* ---- the wait ------------------------------------------------------------------------------- */

static void wait(gen *g, ir_op *op) {
  enum { MOST_PENDING = 7 };
  ir_value *flight = ir_operand(op, 0), *v = ir_result(op, 0);
  simt_dist d = gpu_dist(g, v);
  words x = {value_of(g, flight)->t.v, gpu_words_under_way(g, flight)};
  unsigned pending = (unsigned)MIN(ir_int_attr(op, ATTR_pending), MOST_PENDING);
  through(g, arena_printf(g->arena, "wgmma.wait_group.sync.aligned %u;", pending), &x, false, NULL,
          0, "");
  llv *r = gpu_registers(g, &d);
  unsigned each = slots_of(&d) / x.n;
  for (uint32_t i = 0; i < slots_of(&d); i++) {
    llv part = x.w[i / each];
    if (each == 2) {
      if (i & 1) part = LLVMBuildLShr(g->e.b, part, k32(g, 16), "");
      part = gpu_from_memory(g, TSR_F16, LLVMBuildTrunc(g->e.b, part, g->e.i16, ""));
    }
    r[i] = lanes_canonical(&g->e, part);
  }
  gpu_set(g, v, &d, r);
}

/* Of a product with a left operand in registers: whether no wait for all products follows it where
 * it stands. */
static bool reads_on(const ir_op *op) {
  if (op->opcode != OP_wgmma || ir_operand(op, 0)->type->kind != IR_TILE) return false;
  for (const ir_op *p = op->next; p; p = p->next)
    if (p->opcode == OP_wgmma_wait && ir_int_attr(p, ATTR_pending) == 0) return false;
  return true;
}

static bool find_reader(void *user, ir_op *op) {
  *(bool *)user |= reads_on(op);
  return !*(bool *)user;
}

void nvptx_settle_registers(gen *g, const ir_op *loop, const ir_op *jump) {
  bool reads = false;
  ir_walk((ir_op *)(uintptr_t)loop, find_reader, &reads);
  if (!reads) return;
  words all = {0};
  for (uint32_t i = 0; i < jump->n_operands; i++)
    if (ir_operand(jump, i)->type->kind == IR_ASYNC)
      all.n += gpu_words_under_way(g, ir_operand(jump, i));
  all.w = arena_array(g->arena, llv, all.n + 1);
  llv *next = all.w;
  for (uint32_t i = 0; i < jump->n_operands; i++) {
    ir_value *v = ir_operand(jump, i);
    if (v->type->kind != IR_ASYNC) continue;
    uint32_t n = gpu_words_under_way(g, v);
    memcpy(next, value_of(g, v)->t.v, n * sizeof *next);
    next += n;
  }
  through(g, "wgmma.wait_group.sync.aligned 0;", &all, false, NULL, 0, "");
  for (uint32_t i = 0; i < jump->n_operands; i++) {
    ir_value *v = ir_operand(jump, i);
    if (v->type->kind != IR_ASYNC) continue;
    simt_dist d = value_of(g, v)->t.d;
    gpu_set_under_way(g, v, &d, all.w);
    all.w += gpu_words_under_way(g, v);
  }
}

void nvptx_unit(gen *g, ir_op *op) {
  switch (op->opcode) {
  case OP_wgmma_fence: fence(g, op); return;
  case OP_wgmma: begin_product(g, op); return;
  case OP_wgmma_commit:
    gpu_asm(g, g->e.void_, "wgmma.commit_group.sync.aligned;", "~{memory}", NULL, 0, true);
    return;
  default: wait(g, op);
  }
}
