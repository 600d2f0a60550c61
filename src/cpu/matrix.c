/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Matrix products. Operands are tiles in buffers, widened to what is multiplied while they are
 * written there (so whatever computes them is fused into that); the accumulator is a buffer that
 * the product is added to, in place where nobody else needs what was in it.
 */
#include "cpu/lower.h"

typedef struct product {
  ir_op *op;
  int64_t batches, m, n, k;
  tsr_elem elem; /* that is multiplied and added */
} product;

static product describe(ir_op *op, tsr_elem elem) {
  const ir_type *a = ir_operand(op, 0)->type, *b = ir_operand(op, 1)->type;
  unsigned r = a->rank;
  return (product){.op = op,
                   .batches = r == 3 ? a->shape[0] : 1,
                   .m = a->shape[r - 2],
                   .n = b->shape[r - 1],
                   .k = a->shape[r - 1],
                   .elem = elem};
}

/* ---- accumulators --------------------------------------------------------------------------- */

static bool is_home(lower *l, const ir_value *v) {
  return (v->is_arg ? v->owner.block : v->owner.op->block) == l->here;
}

/* May what `v` holds be overwritten once its one use is done? */
static bool is_last(lower *l, ir_value *v, tsr_elem elem) {
  value *x = value_of(l, v);
  return x->kind == VALUE_BUFFER && !x->pending && ir_has_one_use(v) && is_home(l, v) &&
         x->buffer->in_scratch && x->buffer->format == FORMAT_LANES && x->buffer->elem == elem &&
         buffer_is_row_major(x->buffer);
}

/* An element-wise expression may be evaluated in place of an operand that it alone uses. */
static buffer *donor(lower *l, ir_value *v) {
  for (unsigned depth = 0; depth < 64; depth++) {
    ir_op *op = ir_defining_op(v);
    if (value_of(l, v)->kind != VALUE_LAZY || !op || !ir_has_one_use(v) || !is_home(l, v) ||
        !(ir_row(op)->traits & TRAIT_ELEMENTWISE))
      return NULL;
    ir_value *next = NULL;
    for (uint32_t i = 0; i < op->n_operands; i++) {
      ir_value *o = ir_operand(op, i);
      if (is_last(l, o, v->type->elem)) return value_of(l, o)->buffer;
      if (o->type == v->type && value_of(l, o)->kind == VALUE_LAZY) next = o;
    }
    if (!next) return NULL;
    v = next;
  }
  return NULL;
}

static buffer *accumulator(lower *l, ir_value *v) {
  group_flush(l);
  if (is_last(l, v, v->type->elem)) return value_of(l, v)->buffer;
  buffer *to = donor(l, v);
  if (!to) to = buffer_new(l, v->type->elem, FORMAT_LANES, tile_bits(v->type));
  keep_into(l, v, to);
  return to;
}

/* ---- nests over one buffer ------------------------------------------------------------------ */

static void simple_nest(nest *n, lower *l, unsigned bits, unsigned width) {
  group_flush(l);
  nest_begin(n, l, bits, false);
  nest_lanes(n, 0, MIN(log2_of(l->e.vector_bits / width), bits));
  if (bits > n->lane_n) nest_open(n, n->lane_n, bits - n->lane_n);
}

/* Once per operation: narrower accumulators are added up in f32. */
static void round_in_place(lower *l, buffer *b) {
  nest n;
  simple_nest(&n, l, b->n, 32);
  index_map m = nest_map(&n, 0);
  lane_value x = gen_buffer_load(&n, b, &m);
  nest_place_level(&n, n.n_levels - 1);
  gen_buffer_store(&n, b, &m, emit_round(&l->e, (tsr_elem)b->elem, x.v));
  nest_end(&n);
}

static void convert_buffer(lower *l, buffer *from, buffer *to) {
  nest n;
  simple_nest(&n, l, from->n, 64);
  index_map m = nest_map(&n, 0);
  lane_value x = gen_buffer_load(&n, from, &m);
  nest_place_level(&n, n.n_levels - 1);
  LLVMTypeRef type = emit_lane_type(&l->e, (tsr_elem)to->elem, emit_lanes(x.v));
  bool wider = tsr_elem_bits((tsr_elem)to->elem) > tsr_elem_bits((tsr_elem)from->elem);
  llv v = wider ? LLVMBuildFPExt(l->e.b, x.v, type, "") : LLVMBuildFPTrunc(l->e.b, x.v, type, "");
  gen_buffer_store(&n, to, &m, v);
  nest_end(&n);
}

/* ---- products ------------------------------------------------------------------------------- */

static llv element(lower *l, const product *p, buffer *b, int64_t count, llv batch) {
  if (p->batches == 1) return b->ptr;
  llv offset = fold_mul(l, batch, k64(l, count * buffer_elem_bytes(b)));
  return LLVMBuildGEP2(l->e.b, l->e.i8, b->ptr, &offset, 1, "");
}

static void multiply(lower *l, const product *p, buffer *a, buffer *b, buffer *acc) {
  group_flush(l);
  buffer_touch(l, a);
  buffer_touch(l, b);
  buffer_touch(l, acc);
  llv f = emit_mma(&l->e, p->elem, p->m, p->n, p->k);
  nest n;
  nest_begin(&n, l, log2_of(p->batches), true);
  if (p->batches > 1) nest_open(&n, 0, log2_of(p->batches));
  nest_place_level(&n, n.n_levels - 1);
  llv batch = n.levels[n.n_levels - 1].index;
  llv args[] = {element(l, p, a, p->m * p->k, batch),
                k64(l, p->k),
                k64(l, 1),
                element(l, p, b, p->k * p->n, batch),
                k64(l, p->n),
                element(l, p, acc, p->m * p->n, batch),
                k64(l, p->n)};
  LLVMBuildCall2(l->e.b, emit_mma_type(&l->e), f, args, 7, "");
  nest_end(&n);
}

static void set_result(lower *l, ir_op *op, buffer *b) {
  value *x = value_of(l, ir_result(op, 0));
  x->kind = VALUE_BUFFER;
  x->buffer = b;
  x->pending = false;
  if (ir_result(op, 0)->type->count > 1) return;
  llv s = scalar_gen(l, ir_result(op, 0));
  x->kind = VALUE_SCALAR;
  x->scalar = s;
}

void lower_mma(lower *l, ir_op *op) {
  bool is_int = op->opcode == OP_mmai;
  ir_value *lhs = ir_operand(op, 0), *rhs = ir_operand(op, 1), *acc = ir_operand(op, 2);
  buffer_format a_format = FORMAT_LANES, b_format = FORMAT_LANES;
  tsr_elem elem = acc->type->elem == TSR_F64 ? TSR_F64 : TSR_F32;
  if (is_int) {
    elem = TSR_I32;
    a_format = ir_int_attr(op, ATTR_signedness_lhs) == SIGN_SIGNED ? FORMAT_SIGNED : FORMAT_UNSIGNED;
    b_format = ir_int_attr(op, ATTR_signedness_rhs) == SIGN_SIGNED ? FORMAT_SIGNED : FORMAT_UNSIGNED;
  }
  if (!is_int && (lhs->type->elem == TSR_F64) != (elem == TSR_F64)) {
    lower_unsupported(l, op, "operands of f64 need an accumulator of f64, and the other way round");
    return;
  }
  product p = describe(op, elem);
  buffer *a = keep(l, lhs, a_format), *b = keep(l, rhs, b_format);
  buffer *c = accumulator(l, acc);
  multiply(l, &p, a, b, c);
  if (!is_int && tsr_elem_bits(acc->type->elem) < 32) round_in_place(l, c);
  set_result(l, op, c);
}

/* ---- block scales --------------------------------------------------------------------------- */

/* tile[i] * scale[i / block] in double, where it is exact. */
static buffer *scaled(lower *l, ir_value *tile, ir_value *scale) {
  const ir_type *t = tile->type, *s = scale->type;
  unsigned bits = tile_bits(t);
  if (t->count > 1) keep_later(l, tile);
  if (s->count > 1) keep_later(l, scale);
  group_flush(l);
  buffer *to = buffer_new(l, TSR_F64, FORMAT_LANES, bits);
  nest n;
  simple_nest(&n, l, bits, 64);
  index_map m = nest_map(&n, 0), of_scale = {.n = (uint8_t)tile_bits(s)};
  for (unsigned d = 0; d < t->rank; d++) {
    unsigned first, count, scale_first, scale_count;
    dim_bits(t, d, &first, &count);
    dim_bits(s, d, &scale_first, &scale_count);
    for (unsigned j = 0; j < scale_count; j++)
      of_scale.bit[scale_first + j] = m.bit[first + count - scale_count + j];
  }
  llv x = gen_lanes(&n, tile, &m).v, y = gen_lanes(&n, scale, &of_scale).v;
  nest_place_level(&n, n.n_levels - 1);
  LLVMTypeRef type = emit_lane_type(&l->e, TSR_F64, nest_lane_count(&n));
  x = LLVMBuildFPExt(l->e.b, x, type, "");
  y = LLVMBuildFPExt(l->e.b, y, type, "");
  gen_buffer_store(&n, to, &m, LLVMBuildFMul(l->e.b, x, y, ""));
  nest_end(&n);
  return to;
}

void lower_mma_scaled(lower *l, ir_op *op) {
  product p = describe(op, TSR_F64);
  buffer *a = scaled(l, ir_operand(op, 0), ir_operand(op, 3));
  buffer *b = scaled(l, ir_operand(op, 1), ir_operand(op, 4));
  ir_value *acc = ir_operand(op, 2);
  buffer *from = keep(l, acc, FORMAT_LANES);
  buffer *wide = buffer_new(l, TSR_F64, FORMAT_LANES, tile_bits(acc->type));
  convert_buffer(l, from, wide);
  multiply(l, &p, a, b, wide);
  buffer *to = buffer_new(l, TSR_F32, FORMAT_LANES, tile_bits(acc->type));
  convert_buffer(l, wide, to);
  set_result(l, op, to);
}
