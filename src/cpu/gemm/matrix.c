/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Matrix products. Operands are tiles in buffers, widened to what is multiplied while they are
 * written there (so whatever computes them is fused into that); the accumulator is a buffer that
 * the product is added to, in place where nobody else needs what was in it.
 */
#include "llvm/conv.h"
#include "llvm/nans.h"

#include "cpu/gemm/matrix.h"

#include "cpu/core/fold.h"
#include "cpu/core/function.h"
#include "cpu/core/notes.h"
#include "cpu/plan/map.h"
#include "cpu/plan/product.h"
#include "cpu/plan/scratch.h"
#include "cpu/nest/gen.h"
#include "cpu/nest/gen_buffer.h"
#include "cpu/nest/group.h"
#include "cpu/nest/nest.h"
#include "cpu/nest/profile.h"
#include "cpu/nest/scalar.h"
#include "cpu/gemm/ukernel/ukernel.h"
#include "cpu/gemm/skinny/skinny.h"
#include "cpu/gemm/kblock.h"
#include "cpu/gemm/operand.h"
#include "cpu/gemm/operand_cache.h"
#include "cpu/gemm/prefetch_regions.h"
#include "cpu/gemm/product.h"
#include "cpu/gemm/rows.h"

enum { CLOSE_BYTES = 1 << 15 };

/* ---- accumulators --------------------------------------------------------------------------- */

static bool is_home(lower *l, const ir_value *v) {
  return (v->is_arg ? v->owner.block : v->owner.op->block) == l->here;
}

/* May what `v` holds be overwritten once its one use is done? */
static bool is_last(lower *l, ir_value *v, tsr_elem elem) {
  value *x = value_of(l, v);
  return x->kind == VALUE_BUFFER && !x->pending && ir_has_one_use(v) && is_home(l, v) &&
         x->buffer->in_scratch && x->buffer->memory == x->buffer &&
         x->buffer->format == FORMAT_LANES && x->buffer->elem == elem &&
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

static buffer *sums_in_place(lower *l, ir_value *v) {
  NOTE_MATCH(l, SUMS_IN_PLACE, .value = v);
  return value_of(l, v)->buffer;
}

static buffer *accumulator(lower *l, ir_value *v) {
  bool in_place = is_on(l, PATTERN_SUMS_IN_PLACE);
  if (in_place && is_last(l, v, v->type->elem)) return sums_in_place(l, v);
  group_flush(l);
  if (in_place && is_last(l, v, v->type->elem)) return sums_in_place(l, v);
  buffer *to = in_place ? donor(l, v) : NULL;
  if (to) NOTE_MATCH(l, SUMS_IN_PLACE, .value = v);
  if (!to) to = buffer_new(l, v->type->elem, FORMAT_LANES, tile_bits(v->type));
  materialise_into(l, v, to);
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

/* ---- operands ------------------------------------------------------------------------------- */

static llv either(lower *l, llv a, llv b, llblock from_a, llblock from_b) {
  if (a == b) return a;
  llv phi = LLVMBuildPhi(l->e.b, LLVMTypeOf(a), "");
  LLVMAddIncoming(phi, (llv[]){a, b}, (llblock[]){from_a, from_b}, 2);
  return phi;
}

/* Do the matrix's rows lie so close together that it stays in the first-level cache? */
static llv is_close(lower *l, const matrix *m, int64_t rows) {
  llv most = k64(l, CLOSE_BYTES / rows);
  return LLVMBuildICmp(l->e.b, LLVMIntULE, m->row, most, "");
}

/* An operand in its place or in a copy, whichever an earlier product of the same block found. It is
 * there for later ones as long as the load is the same. */
typedef struct found_operand {
  const ir_block *block;
  const access *load;
  tsr_elem elem;
  bool close;
  matrix m;
} found_operand;

static found_operand *found_before(lower *l, ir_value *v) {
  uintptr_t *found = map_put(l->arena, &l->operands, (uintptr_t)v);
  if (!*found) *found = (uintptr_t)arena_new(l->arena, found_operand);
  return (found_operand *)*found;
}

static bool is_found(lower *l, const found_operand *f, const access *load, tsr_elem elem,
                     bool close) {
  return !l->seldom && f->block == l->here && f->load == load && f->elem == elem &&
         f->close == close;
}

/* The load's memory when that is known to do at run time, else a copy in scratch memory. */
static bool read_in_place(lower *l, ir_value *v, tsr_elem elem, bool close, matrix *out) {
  llv holds;
  int64_t k;
  const ir_type *t = v->type;
  if (!is_on(l, PATTERN_OPERAND_IN_PLACE) || !operand_in_place(l, v, elem, out, &holds))
    return false;
  const access *load = value_of(l, operand_loaded(l, v))->load;
  found_operand *found = found_before(l, v);
  if (is_found(l, found, load, elem, close)) {
    *out = found->m;
    return true;
  }
  NOTE_MATCH(l, OPERAND_IN_PLACE, .value = v);
  if (close) holds = fold_and(l, holds, is_close(l, out, t->shape[t->rank - 2]));
  if (!holds || (is_const(holds, &k) && k)) return true;
  buffer_format format = elem == TSR_BF16 ? FORMAT_STORAGE : FORMAT_LANES;
  buffer *b = buffer_new(l, elem, format, tile_bits(t));
  matrix copy = operand_in_buffer(l, b, t->shape[t->rank - 2], t->shape[t->rank - 1]);
  group_flush(l);
  llblock before = LLVMGetInsertBlock(l->e.b), done = lower_new_block(l, "there");
  llblock missing = lower_new_block(l, "copy");
  LLVMBuildCondBr(l->e.b, holds, done, missing);
  LLVMPositionBuilderAtEnd(l->e.b, missing);
  materialise_into(l, v, b);
  llblock copied = LLVMGetInsertBlock(l->e.b);
  lower_go(l, done);
  out->ptr = either(l, out->ptr, copy.ptr, before, copied);
  out->batch = either(l, out->batch, copy.batch, before, copied);
  out->row = either(l, out->row, copy.row, before, copied);
  out->buffer = b;
  if (!l->seldom)
    *found =
        (found_operand){.block = l->here, .load = load, .elem = elem, .close = close, .m = *out};
  return true;
}

/* ---- products ------------------------------------------------------------------------------- */

static llv at_batch(lower *l, const product *p, const matrix *o, llv batch) {
  if (p->batches == 1) return o->ptr;
  return emit_offset(&l->e, o->ptr, fold_mul(l, batch, o->batch));
}

/* One or two rows times a b that stays where it lies take as long as reading b does. Its lines come
 * fastest when few of its rows are read at the same time, and each of them for long. So few of them
 * are multiplied at a time, with all columns, though their sums go through memory more often: as
 * many as make 64 lines with the columns that the micro-kernel takes at a time. Returns how many
 * such pieces k has. */
static int64_t pieces_of(lower *l, const product *p, bool stays) {
  enum { ROWS = 2, AT_ONCE = 4096 }; /* bytes */
  if (!stays || p->m > ROWS || !is_on(l, PATTERN_K_PIECES)) return 1;
  int64_t columns = emit_mma_panel(&l->e, p->elem, p->m, p->n, p->k);
  int64_t rows = MAX(AT_ONCE * 8 / (columns * tsr_elem_bits(p->elem)), 8);
  return p->k > rows ? p->k / rows : 1;
}

static void clear(lower *l, buffer *b) {
  nest n;
  simple_nest(&n, l, b->n, 8 * buffer_elem_bytes(b));
  index_map m = nest_map(&n, 0);
  nest_place_level(&n, n.n_levels - 1);
  LLVMTypeRef type = emit_lane_type(&l->e, (tsr_elem)b->elem, nest_lane_count(&n));
  gen_buffer_store(&n, b, &m, LLVMConstNull(type));
  nest_end(&n);
}

/* to += sums; to = 0 + sums where it has nothing yet. */
static void add_sums(lower *l, buffer *sums, buffer *to, bool empty) {
  nest n;
  simple_nest(&n, l, to->n, 8 * buffer_elem_bytes(to));
  index_map m = nest_map(&n, 0);
  llv x = gen_buffer_load(&n, sums, &m).v;
  llv before = empty ? LLVMConstNull(LLVMTypeOf(x)) : gen_buffer_load(&n, to, &m).v;
  nest_place_level(&n, n.n_levels - 1);
  gen_buffer_store(&n, to, &m, lanes_canonical(&l->e, LLVMBuildFAdd(l->e.b, before, x, "")));
  nest_end(&n);
}

/* What is multiplied next by other rows is fetched meanwhile. NULL: nothing is. */
static llv next_regions(lower *l, const product *p, const matrix *b, int64_t row_bytes) {
  if (!b->step || p->batches > 1 || p->m <= PRODUCT_FEW_ROWS ||
      !is_on(l, PATTERN_PREFETCH_OPERANDS))
    return LLVMConstNull(l->e.ptr);
  NOTE_MATCH(l, PREFETCH_OPERANDS, .op = p->op);
  llv regions = regions_new(l), zero = k64(l, 0);
  llv at = LLVMBuildPtrToInt(l->e.b, b->ptr, l->e.i64, "");
  llv near = LLVMBuildICmp(l->e.b, LLVMIntEQ, b->step, zero, "");
  llv rows = LLVMBuildSelect(l->e.b, near, zero, k64(l, p->k), "");
  region_set(l, regions, MMA_FIRST_REGION, LLVMBuildAdd(l->e.b, at, b->step, ""), b->row, rows,
             row_bytes);
  return regions;
}

/* `empty`: `to` has nothing yet, what is added to is zero. `lowest`: of b in pairs; NULL: it isn't
 * in pairs. */
static void multiply(lower *l, const product *p, const matrix *a, const matrix *b, llv lowest,
                     buffer *to, bool empty) {
  group_flush(l);
  /* A right operand that stays in memory is followed by the next rows, as a rule. */
  bool few = p->m <= PRODUCT_FEW_ROWS && p->batches == 1;
  bool stays = few && b->in_place && !lowest && !p->in_sum_blocks;
  bool prefetches = stays && is_on(l, PATTERN_PREFETCH_OPERANDS);
  int64_t pieces = pieces_of(l, p, stays), length = p->k / pieces;
  /* The sums of all pieces start from zero, as those over all of k do, and are then added. Their
   * memory is none that an operand is done with. */
  buffer *sums = pieces > 1 ? buffer_new(l, (tsr_elem)to->elem, FORMAT_LANES, to->n) : to;
  matrix acc = operand_in_buffer(l, sums, p->m, p->n);
  if (pieces > 1) clear(l, sums);
  if (a->buffer) buffer_touch(l, a->buffer);
  if (b->buffer) buffer_touch(l, b->buffer);
  buffer_touch(l, to);
  mma_use use = {.how = to->any_nan ? MMA_HOW_AGAIN : MMA_HOW_STORE,
                 .in_sum_blocks = p->in_sum_blocks,
                 .empty = empty};
  llv f = lowest       ? emit_mma_dot(&l->e, TSR_BF16, true, true, use, p->m, p->n, p->k, 0)
          : prefetches ? emit_mma_prefetching(&l->e, p->elem, p->m, p->n, length)
                       : emit_mma(&l->e, p->elem, use, p->m, p->n, length);
  llv next = b->step && l->e.core.shallow_prefetch ? b->step : fold_mul(l, b->row, k64(l, p->k));
  int64_t step = lowest ? 2 : 1; /* along k */
  int64_t panel = emit_mma_panel(&l->e, p->elem, p->m, p->n, length / step);
  size_t unused;
  NOTE(l, .kind = NOTE_KERNEL, .name = LLVMGetValueName2(f, &unused), .n = {p->m, p->n, length});
  if (pieces > 1) NOTE_MATCH(l, K_PIECES, .op = p->op, .n = {pieces});
  if (prefetches) NOTE_MATCH(l, PREFETCH_OPERANDS, .op = p->op);
  if (lowest) NOTE_MATCH(l, BF16_PAIRS, .op = p->op);
  if (empty) NOTE_MATCH(l, EMPTY_SUMS, .op = p->op);
  int64_t count = p->batches * pieces; /* there are pieces of one batch only */
  llv regions = next_regions(l, p, b, p->n * (lowest ? 2 : tsr_elem_bits(p->elem) / 8));
  nest n;
  nest_begin(&n, l, log2_of(count), true);
  if (count > 1) nest_open(&n, 0, log2_of(count));
  nest_place_level(&n, n.n_levels - 1);
  llv batch = n.levels[n.n_levels - 1].index;
  llv a_at = at_batch(l, p, a, batch), b_at = at_batch(l, p, b, batch);
  matrix before = acc;
  if (pieces > 1) {
    llv first = fold_mul(l, batch, k64(l, length));
    a_at = emit_offset(&l->e, a_at, fold_mul(l, first, a->col));
    b_at = emit_offset(&l->e, b_at, fold_mul(l, first, b->row));
  } else if (empty) {
    before = (matrix){.ptr = rows_zeros(l), .batch = k64(l, 0), .row = k64(l, 0)};
  }
  llv args[MMA_ARGS] = {
      [MMA_A] = a_at,
      [MMA_A_ROW] = a->row,
      [MMA_A_COL] = fold_mul(l, a->col, k64(l, step)),
      [MMA_B] = b_at,
      [MMA_B_ROW] = fold_mul(l, b->row, k64(l, step)),
      [MMA_B_PANEL] = k64(l, panel * tsr_elem_bits(p->elem) / 8),
      [MMA_ACC] = at_batch(l, p, &before, batch),
      [MMA_ACC_ROW] = before.row,
      [MMA_M] = p->rows ? p->rows : k64(l, p->m),
      [MMA_N] = p->cols ? p->cols : k64(l, p->n),
      [MMA_K] = k64(l, length / step),
      [MMA_FROM] = LLVMConstNull(l->e.ptr),
      [MMA_FROM_ROW] = k64(l, 0),
      [MMA_PREFETCH] = prefetches ? emit_offset(&l->e, b_at, next) : regions,
      [MMA_OUT] = at_batch(l, p, &acc, batch),
      [MMA_OUT_ROW] = acc.row,
      [MMA_ORDER] = LLVMConstNull(l->e.ptr),
      [MMA_LEAST] = lowest ? emit_pairs_least(&l->e, lowest) : k64(l, 0),
      [MMA_NOTHING] = k64(l, 0),
      [MMA_HOW] = k64(l, use.how),
  };
  LLVMBuildCall2(l->e.b, emit_mma_type(&l->e), f, args, MMA_ARGS, "");
  nest_end(&n);
  if (pieces == 1) return;
  buffer_touch(l, sums);
  add_sums(l, sums, to, empty);
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

/* Adds the product to the open group, whose nest evaluates the right operand. */
static void multiply_in_nest(lower *l, ir_op *op) {
  ir_value *rhs = ir_operand(op, 1), *result = ir_result(op, 0);
  materialise(l, ir_operand(op, 0), FORMAT_LANES);
  root r = {.kind = ROOT_PRODUCT, .op = op, .value = rhs};
  NOTE_MATCH(l, SKINNY, .op = op,
             .n = {ir_result(op, 0)->type->count / rhs->type->shape[rhs->type->rank - 1]});
  r.to = accumulator(l, ir_operand(op, 2));
  group_add(l, rhs->type, &r);
  profile_put_off(l);
  value *x = value_of(l, result);
  x->kind = VALUE_BUFFER;
  x->buffer = r.to;
  x->pending = true;
}

static buffer *right_operand(lower *l, ir_op *op, llv *step) {
  buffer *cached = operand_cache_find(l, op, NULL, step);
  return cached ? cached : materialise(l, ir_operand(op, 1), product_format(op, 1));
}

static buffer *right_operand_in_pairs(lower *l, ir_op *op, llv *lowest, llv *step) {
  buffer *b = operand_cache_find(l, op, lowest, step);
  if (b) return b;
  ir_value *v = ir_operand(op, 1);
  b = buffer_new(l, TSR_BF16, FORMAT_STORAGE, tile_bits(v->type));
  pairs_lay_out(b, v->type);
  materialise_into(l, v, b);
  *lowest = emit_pairs_lowest(&l->e, b->ptr, 1, 0, (int64_t)b->bytes);
  return b;
}

void lower_mma(lower *l, ir_op *op) {
  bool is_int = op->opcode == OP_mmai;
  ir_value *lhs = ir_operand(op, 0), *rhs = ir_operand(op, 1), *acc = ir_operand(op, 2);
  tsr_elem elem = product_elem(op);
  if (!is_int && (lhs->type->elem == TSR_F64) != (elem == TSR_F64)) {
    lower_unsupported(l, op, "operands of f64 need an accumulator of f64, and the other way round");
    return;
  }
  product p = product_of_op(op, elem);
  matrix a, b;
  llv holds;
  bool pairs = product_in_pairs(l, &p);
  if (!pairs && skinny_fits(l, &p) && !operand_in_place(l, rhs, elem, &b, &holds)) {
    multiply_in_nest(l, op);
    return;
  }
  group_flush(l);
  if (kblock_add(l, op, value_of(l, acc)->buffer)) {
    profile_put_off(l);
    set_result(l, op, value_of(l, acc)->buffer);
    return;
  }
  kblock_extents(l, &p);
  buffer_format format = pairs ? FORMAT_STORAGE : product_format(op, 0);
  llv lowest = NULL, step = NULL;
  if (is_int || !read_in_place(l, lhs, pairs ? TSR_BF16 : elem, false, &a))
    a = operand_in_buffer(l, materialise(l, lhs, format), p.m, p.k);
  /* Rows of rhs are read again for every block of rows of lhs: far apart they would not stay in the
   * cache, but for a copy. */
  if (pairs)
    b = operand_in_buffer(l, right_operand_in_pairs(l, op, &lowest, &step), p.k, p.n);
  else if (is_int || !read_in_place(l, rhs, elem, p.m > PRODUCT_FEW_ROWS, &b))
    b = operand_in_buffer(l, right_operand(l, op, &step), p.k, p.n);
  if (step) b.step = step;
  bool empty = product_starts_empty(l, &p, acc);
  buffer *c = empty ? buffer_new(l, acc->type->elem, FORMAT_LANES, tile_bits(acc->type))
                    : accumulator(l, acc);
  if (empty) c->any_nan = elem == acc->type->elem && tsr_elem_is_float(elem);
  multiply(l, &p, &a, &b, lowest, c, empty);
  if (!is_int && tsr_elem_bits(acc->type->elem) < 32) round_in_place(l, c);
  set_result(l, op, c);
}

/* ---- block scales --------------------------------------------------------------------------- */

/* tile[i] * scale[i / block] in double, where it is exact. */
static buffer *scaled(lower *l, ir_value *tile, ir_value *scale) {
  const ir_type *t = tile->type, *s = scale->type;
  unsigned bits = tile_bits(t);
  if (t->count > 1) materialise_later(l, tile);
  if (s->count > 1) materialise_later(l, scale);
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
  x = LLVMBuildFPExt(l->e.b, lanes_any_nan(x), type, "");
  y = LLVMBuildFPExt(l->e.b, y, type, "");
  gen_buffer_store(&n, to, &m, LLVMBuildFMul(l->e.b, x, y, ""));
  nest_end(&n);
  return to;
}

void lower_mma_scaled(lower *l, ir_op *op) {
  product p = product_of_op(op, TSR_F64);
  matrix a = operand_in_buffer(l, scaled(l, ir_operand(op, 0), ir_operand(op, 3)), p.m, p.k);
  matrix b = operand_in_buffer(l, scaled(l, ir_operand(op, 1), ir_operand(op, 4)), p.k, p.n);
  ir_value *acc = ir_operand(op, 2);
  buffer *from = materialise(l, acc, FORMAT_LANES);
  buffer *wide = buffer_new(l, TSR_F64, FORMAT_LANES, tile_bits(acc->type));
  convert_buffer(l, from, wide);
  multiply(l, &p, &a, &b, NULL, wide, false);
  buffer *to = buffer_new(l, TSR_F32, FORMAT_LANES, tile_bits(acc->type));
  convert_buffer(l, wide, to);
  set_result(l, op, to);
}
