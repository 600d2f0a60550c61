/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Matrix products by wgmma (simt/nvidia/wgmma.h): four warps multiply 64 rows at a time. B lies in
 * shared memory, A there or in registers, where it is already (attention's probabilities).
 *
 * An operand that a pipelined loop does not change (attention's Q) is stored once, in front of it.
 *
 * What threads write to shared memory goes through another path to the tensor cores than what the
 * copy engine writes: a fence.proxy.async stands between, in front of the barrier. All instructions
 * of a product are one piece of assembly, from wgmma.fence to the wait for them, so that nothing
 * can move the accumulator's registers meanwhile; ptxas would run them one after the other then.
 */
#include "gpu/nvptx/wgmma.h"

#include "gpu/code.h"
#include "gpu/elements.h"
#include "gpu/index.h"
#include "gpu/nvptx/bulk.h"
#include "gpu/nvptx/overlap.h"
#include "gpu/nvptx/panels.h"
#include "gpu/nvptx/pingpong.h"
#include "gpu/nvptx/pipeline.h"
#include "gpu/nvptx/state.h"
#include "gpu/nvptx/tensor.h"
#include "gpu/nvptx/threads.h"
#include "gpu/product.h"
#include "gpu/shared.h"
#include "gpu/values.h"
#include "llvm/nans.h"

/* ---- operands ------------------------------------------------------------------------------- */

typedef struct operand {
  gen *g;
  ir_value *v;
  bool is_a;
  tsr_elem elem;
  llv *x;                    /* A's registers in its fragments; NULL: in shared memory */
  tile made;                 /* an expression, as far as scratch memory is needed for it */
  const simt_staged *staged; /* in a stage of a pipeline; NULL: not */
  llv kept;                  /* i32: where it lies since before the loop; NULL: in scratch memory */
  simt_stage_layout layout;
  llv descriptor; /* i64: of the warpgroup's part */
} operand;

static const kept_operand *find_kept(gen *g, const ir_value *v, bool is_a) {
  for (uint32_t i = 0; i < own_of(g)->kept.len; i++)
    if (own_of(g)->kept.data[i].v == v && own_of(g)->kept.data[i].is_a == is_a)
      return &own_of(g)->kept.data[i];
  return NULL;
}

/* How an operand that is neither in a stage nor in A's registers is to lie in shared memory: along
 * the dimension whose neighbours a thread has. */
static simt_stage_layout layout_from_home(gen *g, const ir_value *v, const simt_product *s,
                                          tsr_elem elem, bool is_a) {
  simt_dist have = gpu_home_dist(g, v);
  unsigned mn_first = is_a ? s->k : 0, mn = is_a ? s->m : s->n;
  unsigned elem_bytes = simt_log2(gpu_shared_bytes(elem));
  bool has_mn =
      have.regs && have.reg[0] >= (int8_t)mn_first && have.reg[0] < (int8_t)(mn_first + mn);
  simt_stage_layout l = simt_stage_layout_of(s, is_a, !has_mn, elem_bytes);
  return simt_wgmma_takes(&l) ? l : simt_stage_layout_of(s, is_a, true, elem_bytes);
}

/* A, where it is in the registers of its fragments. */
static bool is_in_registers(gen *g, const ir_op *op, bool is_a) {
  simt_dist have = gpu_home_dist(g, ir_operand(op, is_a ? 0 : 1));
  return is_a && simt_is_near(&have, &simt_op_of(g->plan, op)->a);
}

/* log2 of the registers that lie next to each other in 16 bytes of a stage. */
static unsigned run_in_stage(const simt_dist *d, const uint32_t *column, uint32_t bytes) {
  unsigned run = 0;
  while (run < d->regs && bytes << run < SIMT_CHUNK && column[d->reg[run]] == bytes << run) run++;
  return run;
}

/* Words of 32 bits of a stage, a run of a thread's registers at a time. */
static llv *stage_words(gen *g, const simt_staged *staged, const simt_dist *d) {
  LLVMBuilderRef b = g->e.b;
  uint32_t column[SIMT_BITS] = {0}, bytes = 1u << staged->layout.elem_bytes, n = 0;
  for (unsigned k = 0; k < staged->to_operand.from_n; k++)
    column[k] = staged->layout.column[staged->to_operand.to[k]];
  unsigned run = run_in_stage(d, column, bytes), words = (bytes << run) / 4;
  LLVMTypeRef type = words > 1 ? LLVMVectorType(g->e.i32, words) : g->e.i32;
  llv *r = arena_array(g->arena, llv, slots_of(d));
  xor_place from = nvptx_stage_place(g, staged, d, column);
  for (uint32_t i = 0; i < slots_of(d); i += 1u << run) {
    uint32_t offset;
    llv at = gpu_xor_address(g, &from, simt_index_of_slot(d, i), &offset);
    llv p = as_ptr(g, add_const(g, to_i64(g, at), offset), SPACE_SHARED);
    llv x = LLVMBuildLoad2(b, type, p, "");
    LLVMSetAlignment(x, bytes << run);
    for (unsigned k = 0; k < words; k++)
      r[n++] = words > 1 ? LLVMBuildExtractElement(b, x, k32(g, k), "") : x;
  }
  return r;
}

/* The tile of a load from its stage, in registers. */
static void read_stage(gen *g, const simt_staged *staged) {
  ir_value *v = ir_result(staged->load, 0);
  simt_dist d = simt_wgmma_turned(g->plan, staged);
  llv *x = stage_words(g, staged, &d);
  if (staged->layout.elem_bytes == 0) {
    gpu_set_words(g, v, &d, x, 4);
    return;
  }
  for (uint32_t i = 0; i < slots_of(&d); i++)
    x[i] = gpu_from_memory(g, (tsr_elem)v->type->elem, x[i]);
  gpu_set(g, v, &d, x);
}

/* What the product cannot read as it was copied goes to registers. All have read it then, and it
 * may be written again. */
static bool read_turned(gen *g, const ir_op *op) {
  bool any = false;
  for (unsigned i = 0; i < 2; i++) {
    const simt_staged *x = g->pipeline ? simt_staged_operand(g->plan, op, i == 0) : NULL;
    if (!x || !x->turned) continue;
    if (!any) nvptx_stage_ready(g, op);
    read_stage(g, x);
    any = true;
  }
  if (any) gpu_barrier(g);
  return any;
}

static operand operand_of(gen *g, ir_op *op, const simt_product *s, bool is_a) {
  const simt_op *info = simt_op_of(g->plan, op);
  operand o = {.g = g, .v = ir_operand(op, is_a ? 0 : 1), .is_a = is_a};
  o.elem = (tsr_elem)info->instruction->elem;
  o.staged = g->pipeline ? simt_staged_operand(g->plan, op, is_a) : NULL;
  const kept_operand *kept = find_kept(g, o.v, is_a);
  if (o.staged && o.staged->turned) {
    o.layout = simt_stage_layout_of(s, is_a, true, o.staged->layout.elem_bytes);
  } else if (o.staged) {
    o.layout = o.staged->layout;
  } else if (kept) {
    o.layout = kept->layout;
    o.kept = kept->base;
  } else if (is_in_registers(g, op, is_a)) {
    o.x = gpu_get(g, o.v, &info->a);
  } else {
    o.layout = layout_from_home(g, o.v, s, o.elem, is_a);
  }
  return o;
}

/* The warpgroup's part of an operand that starts at `base` (i32), as a descriptor: warps from the
 * third bit of their number on have rows of A or columns of B of their own. */
static void describe(operand *o, const simt_dist *c, const simt_product *s, llv base) {
  enum { GROUP = 2 };
  gen *g = o->g;
  simt_dist places = simt_dist_private(0, simt_threads_of(c));
  for (unsigned j = GROUP; j < c->warps; j++) {
    int bit = c->warp[j];
    if (bit == SIMT_COPY || (bit >= (int)s->n) != o->is_a) continue;
    places.warp[j] = (int8_t)(o->is_a ? bit - (int)s->n + (int)s->k : bit);
  }
  llv at = add_of(g, base, gpu_thread_xor(g, &places, o->layout.column));
  at = LLVMBuildLShr(g->e.b, LLVMBuildAnd(g->e.b, at, k32(g, 0x3ffff), ""), k32(g, 4), "");
  uint64_t bits = simt_wgmma_descriptor(&o->layout);
  o->descriptor = LLVMBuildOr(g->e.b, to_i64(g, at), k64(g, (int64_t)bits), "");
}

static void put(operand *o, llv base) {
  if (!o->made.v && !o->made.from) o->made = gpu_elements(o->g, o->v);
  nvptx_store_panels(o->g, o->elem, &o->made, base, o->layout.column);
}

/* What is computed here may need scratch memory itself, so all that can is made before. */
static void make_first(operand *o) {
  if (o->staged || o->kept || o->x || !gpu_takes_scratch(o->g, o->v)) return;
  o->made = gpu_elements(o->g, o->v);
}

static bool needs_scratch(const operand *o) {
  return !o->x && !o->staged && !o->kept;
}

/* An operand of a stage the other way round, in its place. */
static bool put_back(operand *o, llv base) {
  bool turned = o->staged && o->staged->turned;
  if (turned) put(o, base);
  return turned;
}

static void stage(gen *g, operand *a, operand *b, const simt_dist *c, const simt_product *s) {
  uint32_t b_at = needs_scratch(a) ? a->layout.bytes : 0;
  uint32_t size = b_at + (needs_scratch(b) ? b->layout.bytes : 0);
  llv a_base = a->kept, b_base = b->kept;
  if (a->staged) a_base = nvptx_stage_base(g, a->staged);
  if (b->staged) b_base = nvptx_stage_base(g, b->staged);
  bool turned = put_back(a, a_base);
  turned |= put_back(b, b_base);
  if (size) {
    make_first(a);
    make_first(b);
    llv base = gpu_scratch_aligned(g, size, SIMT_STAGE_ALIGN);
    base = LLVMBuildTrunc(g->e.b, base, g->e.i32, "");
    if (needs_scratch(a)) put(a, a_base = base);
    if (needs_scratch(b)) put(b, b_base = add_const(g, base, b_at));
    nvptx_fence_async(g);
    gpu_scratch_ready(g);
  } else if (turned) {
    nvptx_fence_async(g);
    gpu_barrier(g);
  }
  if (!a->x) describe(a, c, s, a_base);
  describe(b, c, s, b_base);
}

/* ---- operands that a loop does not change --------------------------------------------------- */

/* Stores it, if there is room besides what else the loop needs. */
static void keep(gen *g, uint32_t besides, ir_op *op, bool is_a) {
  simt_product s = simt_product_of(op);
  ir_value *v = ir_operand(op, is_a ? 0 : 1);
  tsr_elem elem = (tsr_elem)simt_op_of(g->plan, op)->instruction->elem;
  if (find_kept(g, v, is_a) || is_in_registers(g, op, is_a)) return;
  kept_operand k = {.v = v, .is_a = is_a};
  k.layout = layout_from_home(g, v, &s, elem, is_a);
  if (gpu_scratch_limit(g) < (uint64_t)k.layout.bytes + besides) return;
  tile t = gpu_elements(g, v);
  llv base = gpu_scratch_aligned(g, k.layout.bytes, SIMT_STAGE_ALIGN);
  k.base = LLVMBuildTrunc(g->e.b, base, g->e.i32, "");
  nvptx_store_panels(g, elem, &t, k.base, k.layout.column);
  own_of(g)->kept_bytes += k.layout.bytes;
  vec_push(g->arena, own_of(g)->kept, k);
}

/* If all that may be kept is not, what is not needs the memory after all. */
static uint32_t besides_kept(gen *g, const simt_pipeline *plan) {
  ir_block *body = ir_region(plan->loop, 0);
  uint32_t operands = 0;
  for (ir_op *op = body->first; op; op = op->next) {
    if (op->opcode != OP_mmaf && op->opcode != OP_mmai) continue;
    for (unsigned i = 0; i < 2; i++) operands += simt_is_outside(ir_operand(op, i), body);
  }
  return operands == 1 ? simt_scratch_beside_kept(g->plan, plan) : plan->scratch;
}

uint32_t nvptx_keep_operands(gen *g, const simt_pipeline *plan) {
  uint32_t mark = own_of(g)->kept.len;
  ir_block *body = ir_region(plan->loop, 0);
  uint32_t besides = besides_kept(g, plan);
  for (ir_op *op = body->first; op; op = op->next) {
    bool product = op->opcode == OP_mmaf || op->opcode == OP_mmai;
    if (!product || simt_op_of(g->plan, op)->mma != SIMT_MMA_GROUP) continue;
    for (unsigned i = 0; i < 2; i++)
      if (simt_is_outside(ir_operand(op, i), body)) keep(g, besides, op, i == 0);
  }
  if (own_of(g)->kept.len == mark) return mark;
  nvptx_fence_async(g);
  gpu_scratch_ready(g);
  return mark;
}

void nvptx_forget_operands(gen *g, uint32_t mark) {
  while (own_of(g)->kept.len > mark)
    own_of(g)->kept_bytes -= own_of(g)->kept.data[--own_of(g)->kept.len].layout.bytes;
}

/* ---- the product ---------------------------------------------------------------------------- */

typedef struct group_product {
  gen *g;
  ir_op *op;
  const matrix_instruction *x;
  simt_product s;
  simt_dist c;
  operand a, b;
  unsigned columns;     /* log2, of an instruction */
  uint32_t n_sum, each; /* registers of the accumulator: all, of one instruction */
  bool fresh;           /* the accumulator is zero: it need not be read */
  int left;             /* products under way after it; NVPTX_NO_WAIT */
  bool copies_a;        /* its registers are made anew in each iteration */
  uint32_t a_first;     /* the assembly's operands */
  uint32_t descriptors;
} group_product;

static const char *operand_type(const group_product *p, bool is_a) {
  if (p->x->elem != TSR_I8) return p->x->operand;
  attr_id sign = is_a ? ATTR_signedness_lhs : ATTR_signedness_rhs;
  return ir_int_attr(p->op, sign) == SIGN_SIGNED ? "s8" : "u8";
}

enum { A_WORDS = 4 };

static uint32_t steps_of(const group_product *p) {
  return 1u << (p->s.k - p->x->k);
}

/* The index of A's or B's first element of what the instruction for accumulator registers from
 * `slot` on needs, k being 0: what registers of the accumulator say of rows and columns. */
static uint32_t part_of(const group_product *p, bool is_a, uint32_t slot) {
  uint32_t index = simt_index_of_slot(&p->c, slot);
  return is_a ? index >> p->s.n << p->s.k : index & ((1u << p->s.n) - 1);
}

static uint32_t part_offset(const operand *o, uint32_t index) {
  uint32_t sum = 0;
  for (unsigned k = 0; k < SIMT_BITS; k++)
    if (index >> k & 1) sum += o->layout.column[k];
  return sum;
}

/* Where in the list of A's words those of a block of 64 rows and a step along k are. */
static uint32_t a_word(const group_product *p, uint32_t slot, uint32_t step) {
  const simt_dist *d = &simt_op_of(p->g->plan, p->op)->a;
  uint32_t index = part_of(p, true, slot) | step << p->x->k;
  unsigned each = 32 / tsr_elem_bits((tsr_elem)p->x->elem);
  return simt_slot_of_index(d, index) / each;
}

void nvptx_wgmma_text(sbuf *t, const wgmma_text *w) {
  bool wide = tsr_elem_bits((tsr_elem)w->x->elem) == 16, integer = w->x->elem == TSR_I8;
  sbuf_printf(t, "wgmma.mma_async.sync.aligned.m64n%u%s.%s.%s.%s {", w->columns, w->x->name, w->sum,
              w->a_type, w->b_type);
  for (uint32_t i = 0; i < w->n; i++) sbuf_printf(t, "%s$%u", i ? ", " : "", w->first + i);
  sbuf_printf(t, "}, %s, b, %s", w->a ? w->a : "a", w->fresh ? "off" : "on");
  if (!integer) sbuf_puts(t, ", 1, 1");
  if (wide && !w->a) sbuf_printf(t, ", %d", w->a_across);
  if (wide) sbuf_printf(t, ", %d", w->b_across);
  sbuf_puts(t, ";\n\t");
}

/* A's words, as a list. */
static char *a_list(const group_product *p, uint32_t slot, uint32_t step) {
  sbuf t = SBUF(p->g->arena);
  uint32_t word = a_word(p, slot, step);
  for (uint32_t i = 0; i < A_WORDS; i++)
    sbuf_printf(&t, p->copies_a ? "%sw%u" : "%s$%u", i ? ", " : "{",
                word + i + (p->copies_a ? 0 : p->a_first));
  sbuf_putc(&t, '}');
  return t.data;
}

static void one_instruction(const group_product *p, sbuf *t, uint32_t slot, uint32_t step) {
  uint32_t b_at = part_offset(&p->b, part_of(p, false, slot)) + simt_wgmma_step(&p->b.layout, step);
  sbuf_printf(t, "add.s64 b, $%u, %u;\n\t", p->descriptors + !p->a.x, b_at >> 4);
  if (!p->a.x) {
    uint32_t a_at =
        part_offset(&p->a, part_of(p, true, slot)) + simt_wgmma_step(&p->a.layout, step);
    sbuf_printf(t, "add.s64 a, $%u, %u;\n\t", p->descriptors, a_at >> 4);
  }
  wgmma_text w = {.x = p->x,
                  .columns = 1u << p->columns,
                  .sum = p->x->sum,
                  .a_type = operand_type(p, true),
                  .b_type = operand_type(p, false),
                  .a = p->a.x ? a_list(p, slot, step) : NULL,
                  .first = slot,
                  .n = p->each,
                  .fresh = p->fresh && step == 0,
                  .a_across = !p->a.x && !p->a.layout.fast_is_k,
                  .b_across = !p->b.layout.fast_is_k};
  nvptx_wgmma_text(t, &w);
}

static uint32_t count_a_words(const group_product *p) {
  return slots_of(&simt_op_of(p->g->plan, p->op)->a) * tsr_elem_bits(p->a.elem) / 32;
}

/* Registers of A that instructions under way may read. */
static void copy_a(const group_product *p, sbuf *t) {
  uint32_t n = count_a_words(p);
  sbuf_printf(t, ".reg .b32 w<%u>;\n\t", n);
  for (uint32_t i = 0; i < n; i++) sbuf_printf(t, "mov.b32 w%u, $%u;\n\t", i, p->a_first + i);
}

static char *text_of(group_product *p) {
  sbuf t = SBUF(p->g->arena);
  sbuf_puts(&t, WGMMA_BEGIN);
  if (p->copies_a) copy_a(p, &t);
  sbuf_puts(&t, "wgmma.fence.sync.aligned;\n\t");
  for (uint32_t step = 0; step < steps_of(p); step++)
    for (uint32_t slot = 0; slot < p->n_sum; slot += p->each) one_instruction(p, &t, slot, step);
  sbuf_puts(&t, "wgmma.commit_group.sync.aligned;\n\t");
  if (p->left != NVPTX_NO_WAIT) sbuf_printf(&t, "wgmma.wait_group.sync.aligned %d;\n\t", p->left);
  sbuf_putc(&t, '}');
  return t.data;
}

/* A's registers as words. */
static uint32_t a_words(group_product *p, llv *out) {
  uint32_t n = 0, slots = slots_of(&simt_op_of(p->g->plan, p->op)->a);
  unsigned each = 32 / tsr_elem_bits(p->a.elem);
  for (uint32_t i = 0; i < slots; i += each) {
    llv x[4];
    for (unsigned k = 0; k < each; k++) x[k] = lanes_any_nan(p->a.x[i + k]);
    out[n++] = gpu_pack_word(p->g, p->a.elem, x, each);
  }
  return n;
}

static void multiply(group_product *p, llv *sum) {
  gen *g = p->g;
  emit *e = &g->e;
  bool integer = p->x->elem == TSR_I8;
  uint32_t n_a = p->a.x ? slots_of(&simt_op_of(g->plan, p->op)->a) : 0, n = 0;
  llv *args = arena_array(g->arena, llv, p->n_sum + n_a + 2);
  LLVMTypeRef *types = arena_array(g->arena, LLVMTypeRef, p->n_sum);
  sbuf constraints = SBUF(g->arena);
  for (uint32_t i = 0; i < p->n_sum; i++) {
    types[i] = integer ? e->i32 : e->f32;
    sbuf_printf(&constraints, "%s=%c", i ? "," : "", integer ? 'r' : 'f');
  }
  for (uint32_t i = 0; i < p->n_sum && !p->fresh; i++) {
    args[n++] = sum[i];
    sbuf_printf(&constraints, ",%u", i);
  }
  p->a_first = p->n_sum + n;
  if (p->a.x) n_a = a_words(p, args + n);
  for (uint32_t i = 0; i < n_a; i++) sbuf_puts(&constraints, ",r");
  n += n_a;
  p->descriptors = p->n_sum + n;
  if (!p->a.x) args[n++] = p->a.descriptor;
  args[n++] = p->b.descriptor;
  sbuf_puts(&constraints, p->a.x ? ",l,~{memory}" : ",l,l,~{memory}");
  LLVMTypeRef result = LLVMStructTypeInContext(e->llvm, types, p->n_sum, 0);
  llv r = gpu_asm(g, result, text_of(p), constraints.data, args, n, true);
  for (uint32_t i = 0; i < p->n_sum; i++) sum[i] = LLVMBuildExtractValue(e->b, r, i, "");
}

static bool is_zero(llv *x, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    if (!LLVMIsConstant(x[i]) || !LLVMIsNull(x[i])) return false;
  return true;
}

llv *nvptx_group_multiply(gen *g, ir_op *op, int left) {
  const simt_op *info = simt_op_of(g->plan, op);
  group_product p = {.g = g, .op = op, .x = info->instruction, .s = simt_product_of(op)};
  p.c = gpu_dist(g, ir_result(op, 0));
  p.columns = simt_wgmma_columns(&p.s, &p.c);
  p.n_sum = slots_of(&p.c);
  p.each = 1u << (p.columns - 1); /* 64 rows, 128 threads */
  p.left = left;
  bool turned = read_turned(g, op);
  p.a = operand_of(g, op, &p.s, true);
  p.b = operand_of(g, op, &p.s, false);
  if (g->pipeline && g->pipeline->late == op) nvptx_late_wait(g, op);
  llv *acc = gpu_get(g, ir_operand(op, 2), &p.c), *sum = gpu_any_nan(g, &p.c, acc);
  p.fresh = is_zero(acc, p.n_sum);
  bool scratch = needs_scratch(&p.a) || needs_scratch(&p.b); /* others may write there next */
  if (scratch && left == NVPTX_NO_WAIT) p.left = 0;
  p.copies_a = p.a.x && p.left == NVPTX_NO_WAIT && !simt_is_outside(ir_operand(op, 0), op->block);
  stage(g, &p.a, &p.b, &p.c, &p.s);
  if (!turned) nvptx_stage_ready(g, op);
  if (g->pipeline && g->pipeline->in_body) nvptx_turn_take(g, op);
  multiply(&p, sum);
  return sum;
}

/* A in registers may not have been made yet. */
bool nvptx_group_is_in_place(gen *g, ir_op *op) {
  for (unsigned i = 0; i < 2; i++) {
    const ir_value *v = ir_operand(op, i);
    const simt_staged *x = g->pipeline ? simt_staged_operand(g->plan, op, i == 0) : NULL;
    if (x && x->turned) return false;
    if (!x && !find_kept(g, v, i == 0) && !is_in_registers(g, op, i == 0)) return false;
  }
  return true;
}

bool nvptx_group_product(gen *g, ir_op *op) {
  if (g->private_ || simt_op_of(g->plan, op)->mma != SIMT_MMA_GROUP) return false;
  simt_dist c = gpu_dist(g, ir_result(op, 0));
  const pipeline *late = g->pipeline && g->pipeline->late == op ? g->pipeline : NULL;
  llv *early = nvptx_early_turn(g, op), *sum = gpu_registers(g, &c);
  bool turn = !late && !early && nvptx_turn_ends(g, op);
  int left = late ? nvptx_late_left(late) : turn ? NVPTX_NO_WAIT : 0;
  llv *made = early ? early : nvptx_group_multiply(g, op, left);
  memcpy(sum, made, slots_of(&c) * sizeof *sum);
  nvptx_turn_give(g, op);
  if (turn) nvptx_wait_for_products(g, sum, slots_of(&c));
  if (late && !late->late_use)
    nvptx_late_turn(g, late);
  else if (!late && !early)
    nvptx_stage_done(g, op);
  gpu_round_product(g, op, sum);
  gpu_set(g, ir_result(op, 0), &c, sum);
  return true;
}
