/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The value of an expression for the lanes of one iteration of a nest. What does not differ
 * between lanes is a scalar; what an outer loop determines is emitted in that loop's block; what
 * was emitted once is not emitted again.
 */
#include "num/num.h"

#include "cpu/lower/lower.h"

struct memo_entry {
  const void *key;
  index_map m;
  lane_value value;
  memo_entry *next;
};

static uint64_t memo_key(const void *key, const index_map *m) {
  return hash_mix(map_hash(m), (uintptr_t)key);
}

static lane_value *memo_find(nest *n, const void *key, const index_map *m) {
  uintptr_t *slot = map_get(&n->memo, memo_key(key, m));
  for (memo_entry *e = slot ? (memo_entry *)*slot : NULL; e; e = e->next)
    if (e->key == key && map_equal(&e->m, m)) return &e->value;
  return NULL;
}

static lane_value memo_put(nest *n, const void *key, const index_map *m, lane_value v) {
  uintptr_t *slot = map_put(n->l->arena, &n->memo, memo_key(key, m));
  memo_entry *e = arena_new(n->l->arena, memo_entry);
  *e = (memo_entry){.key = key, .m = *m, .value = v, .next = (memo_entry *)*slot};
  *slot = (uintptr_t)e;
  return v;
}

/* ---- linear values -------------------------------------------------------------------------- */

/* A run of index bits that a loop counts, from `low`: coefficients double from one to the next. */
static unsigned run_length(const coef *c, const index_map *m, unsigned k) {
  unsigned length = 1;
  while (k + length < m->n && m->bit[k + length] == m->bit[k] + (int)length &&
         c[k + length].s == c[k].s && c[k + length].m == (int64_t)((uint64_t)c[k].m << length))
    length++;
  return length;
}

static llv loop_term(nest *n, const level *v, const coef *c, unsigned width, unsigned from,
                     unsigned length) {
  lower *l = n->l;
  LLVMBuilderRef b = l->e.b;
  llv i = v->index;
  if (from) i = LLVMBuildLShr(b, i, k64(l, (int)from), "");
  if (from + length < v->n) i = LLVMBuildAnd(b, i, k64(l, (INT64_C(1) << length) - 1), "");
  if (width < 64) i = LLVMBuildTrunc(b, i, LLVMIntTypeInContext(l->e.llvm, width), "");
  int64_t fixed;
  if (coef_const(*c, &fixed)) return fold_mul(l, i, k_int(l, width, fixed));
  llv scale = coef_value(l, *c, width);
  return LLVMBuildMul(b, i, scale, "");
}

/* The part that the loops' indices determine; lanes count as 0, fixed bits are left out. */
static lane_value loops_part(nest *n, llv base, const coef *c, unsigned width, const index_map *m) {
  lower *l = n->l;
  lane_value sum = {.v = base, .level = 0};
  for (unsigned at = 1; at < n->n_levels; at++) {
    const level *v = &n->levels[at];
    for (unsigned k = 0; k < m->n;) {
      int bit = m->bit[k];
      if (bit < 0 || n->lane_of[bit] >= 0 || n->level_of[bit] != at || coef_is_zero(c[k])) {
        k++;
        continue;
      }
      unsigned length = run_length(c, m, k), left = v->first + v->n - (unsigned)bit;
      if (length > left) length = left;
      nest_place_level(n, at);
      sum.v = fold_add(l, sum.v, loop_term(n, v, &c[k], width, (unsigned)bit - v->first, length));
      sum.level = at;
      k += length;
    }
  }
  return sum;
}

/* What copies add is no constant where rows are copies. Bit after bit, the highest first, so that
 * each sum is another copy's and one coefficient more: the processor's addresses take such a
 * coefficient times 1, 2, 4 or 8, and no more than one of all has to stay in a register. */
static lane_value add_fixed_bits(nest *n, const void *key, lane_value sum, const coef *c,
                                 unsigned width, const index_map *m, index_map with) {
  lower *l = n->l;
  int64_t v;
  for (unsigned k = m->n; k-- > 0;) {
    if (m->bit[k] != BIT_ONE || coef_is_zero(c[k]) || coef_const(c[k], &v)) continue;
    with.bit[k] = BIT_ONE;
    lane_value *old = memo_find(n, key, &with);
    if (!old) {
      nest_place_level(n, 0);
      llv term = coef_value(l, c[k], width);
      nest_place_level(n, sum.level);
      sum.v = fold_add(l, sum.v, term);
      memo_put(n, key, &with, sum);
    } else {
      sum = *old;
    }
  }
  return sum;
}

/* The scalar part: loops and fixed bits. */
lane_value linear_scalar(nest *n, const void *key, llv base, const coef *c, unsigned width,
                         const index_map *m) {
  lower *l = n->l;
  index_map loops = *m;
  int64_t fixed = 0, v;
  for (unsigned k = 0; k < m->n; k++) {
    int bit = m->bit[k];
    if (bit == BIT_ONE && !coef_is_zero(c[k]) && coef_const(c[k], &v))
      fixed = (int64_t)((uint64_t)fixed + (uint64_t)v);
    if (bit < 0 || n->lane_of[bit] >= 0) loops.bit[k] = BIT_ZERO;
  }
  lane_value *old = memo_find(n, key, &loops);
  lane_value sum = old ? *old : memo_put(n, key, &loops, loops_part(n, base, c, width, &loops));
  sum = add_fixed_bits(n, key, sum, c, width, m, loops);
  if (!fixed) return sum;
  nest_place_level(n, sum.level);
  sum.v = fold_add(l, sum.v, k_int(l, width, fixed));
  return sum;
}

/* Coefficients by lane bit; false when no lane bit counts. */
bool lane_coefs(nest *n, const coef *c, const index_map *m, coef out[LANE_BITS]) {
  bool any = false;
  for (unsigned j = 0; j < LANE_BITS; j++) out[j] = (coef){0};
  for (unsigned k = 0; k < m->n; k++) {
    int j = m->bit[k] < 0 ? -1 : n->lane_of[m->bit[k]];
    if (j < 0 || coef_is_zero(c[k])) continue;
    out[j] = c[k];
    any = true;
  }
  return any;
}

/* <0, c0, c1, c0 + c1, …>. Before all loops: no coefficient changes in them. */
llv lane_offsets(nest *n, const coef c[LANE_BITS], unsigned width) {
  lower *l = n->l;
  nest_place_level(n, 0);
  LLVMTypeRef type = LLVMIntTypeInContext(l->e.llvm, width);
  unsigned lanes = nest_lane_count(n);
  llv sum = NULL;
  llv constants[1 << LANE_BITS];
  for (unsigned j = 0; j < n->lane_n;) {
    /* Bits of one scale make one constant vector. */
    llv scale = c[j].m ? c[j].s : NULL;
    unsigned end = j + 1;
    while (end < n->lane_n && (c[end].m ? c[end].s : NULL) == scale) end++;
    for (unsigned i = 0; i < lanes; i++) {
      uint64_t v = 0;
      for (unsigned bit = j; bit < end; bit++)
        if (i >> bit & 1) v += (uint64_t)c[bit].m;
      constants[i] = k_int(l, width, (int64_t)v);
    }
    llv part = LLVMConstVector(constants, lanes);
    if (scale) part = LLVMBuildMul(l->e.b, emit_splat(&l->e, scale, lanes), part, "");
    sum = sum ? LLVMBuildAdd(l->e.b, sum, part, "") : part;
    j = end;
  }
  return sum ? sum : LLVMConstNull(LLVMVectorType(type, lanes));
}

lane_value gen_linear(nest *n, const void *key, llv base, const coef *c, unsigned width,
                      const index_map *m) {
  lane_value sum = linear_scalar(n, key, base, c, width, m);
  coef lanes[LANE_BITS];
  if (!lane_coefs(n, c, m, lanes)) return sum;
  llv offsets = lane_offsets(n, lanes, width);
  nest_place_level(n, sum.level);
  llv all = emit_splat(&n->l->e, sum.v, nest_lane_count(n));
  return (lane_value){.v = LLVMBuildAdd(n->l->e.b, all, offsets, ""), .level = sum.level};
}

/* ---- element-wise operations ---------------------------------------------------------------- */

/* `what` as a constant of the module. */
static llv embed(lower *l, const exec_elementwise *what) {
  return lower_global_bytes(l, what, sizeof *what, 8);
}

static llv to_storage(lower *l, tsr_elem elem, llv v) {
  llv s = emit_encode(&l->e, elem, v);
  return tsr_elem_bits(elem) == 4 && emit_lanes(s) > 1 ? emit_pack4(&l->e, s) : s;
}

/* Through the runtime: operands and result travel on the stack. */
static llv call_runtime(lower *l, const exec_elementwise *what, llv *operands) {
  emit *e = &l->e;
  unsigned lanes = emit_lanes(operands[0]);
  llv table = lower_alloca(l, LLVMArrayType2(e->ptr, 3), 8);
  for (unsigned i = 0; i < what->n_operands; i++) {
    llv s = to_storage(l, what->operands[i], operands[i]);
    llv slot = lower_alloca(l, LLVMTypeOf(s), 64);
    LLVMBuildStore(e->b, s, slot);
    llv at = k64(l, i);
    LLVMBuildStore(e->b, slot, LLVMBuildGEP2(e->b, e->ptr, table, &at, 1, ""));
  }
  bool nibbles = tsr_elem_bits(what->result) == 4 && lanes > 1;
  LLVMTypeRef type = emit_storage_type(e, what->result);
  if (lanes > 1) type = LLVMVectorType(type, nibbles ? lanes / 2 : lanes);
  llv result = lower_alloca(l, type, 64);
  LLVMTypeRef params[] = {e->ptr, e->ptr, e->ptr, e->i64};
  LLVMTypeRef signature = LLVMFunctionType(e->void_, params, 4, 0);
  llv args[] = {embed(l, what), result, table, k64(l, lanes)};
  LLVMBuildCall2(e->b, signature, lower_hook(l, 1), args, 4, "");
  llv v = LLVMBuildLoad2(e->b, type, result, "");
  if (nibbles) v = emit_unpack4(e, v);
  return emit_decode(e, what->result, v);
}

llv gen_elementwise(lower *l, const exec_elementwise *what, llv *operands) {
  if (emit_elementwise_supported(&l->e, what)) return emit_elementwise(&l->e, what, operands);
  return call_runtime(l, what, operands);
}

/* A value that is right if an i1 is true; what is to be taken otherwise, which is rare, is for the
 * caller to emit in between. */
typedef struct rare_case {
  llblock before, rare;
  llv likely;
} rare_case;

/* Only the innermost level's block can be cut, and in versions that hardly ever run it isn't worth
 * the blocks. */
static bool may_have_rare_case(const nest *n, unsigned at, llv x) {
  const emit *e = &n->l->e;
  return n->exact && at > 0 && at + 1 == n->n_levels && emit_lanes(x) * 32 >= e->vector_bits;
}

static rare_case rare_begin(nest *n, unsigned at, llv likely, llv is_right) {
  rare_case c = {.before = n->levels[at].block, .likely = likely};
  c.rare = nest_cut(n, is_right);
  LLVMPositionBuilderBefore(n->l->e.b, LLVMGetBasicBlockTerminator(c.rare));
  return c;
}

static llv rare_end(nest *n, unsigned at, const rare_case *c, llv rare) {
  nest_place_level(n, at);
  llv phi = LLVMBuildPhi(n->l->e.b, LLVMTypeOf(rare), "");
  LLVMAddIncoming(phi, (llv[]){c->likely, rare}, (llblock[]){c->before, c->rare}, 2);
  return phi;
}

/* All lanes divided by one number; false when the processor had better divide. */
static bool divide_by_one(nest *n, const exec_elementwise *what, const lane_value *operands,
                          lane_value *out) {
  emit *e = &n->l->e;
  unsigned at = MAX(operands[0].level, operands[1].level);
  if (!emit_divides_by_one(e, what) || operands[1].level == at ||
      !may_have_rare_case(n, at, operands[0].v))
    return false;
  nest_place_level(n, operands[1].level);
  emit_divisor d = emit_divisor_of(e, operands[1].v);
  nest_place_level(n, at);
  llv all_near, x = lanes_any_nan(operands[0].v), quotient = emit_divide_near(e, &d, x, &all_near);
  rare_case c = rare_begin(n, at, quotient, all_near);
  llv divided = LLVMBuildFDiv(e->b, x, emit_splat(e, d.s, emit_lanes(x)), "");
  *out = (lane_value){.v = lanes_canonical(e, rare_end(n, at, &c, divided)), .level = at};
  return true;
}

/* A function that is short for usual operands. */
static bool usual_function(nest *n, const exec_elementwise *what, const lane_value *x,
                           lane_value *out) {
  if (!may_have_rare_case(n, x->level, x->v)) return false;
  nest_place_level(n, x->level);
  llv v = x->v, all_usual, usual = emit_usual(&n->l->e, what, v, &all_usual);
  if (!usual) return false;
  rare_case c = rare_begin(n, x->level, usual, all_usual);
  llv rare = gen_elementwise(n->l, what, &v);
  *out = (lane_value){.v = rare_end(n, x->level, &c, rare), .level = x->level};
  return true;
}

static lane_value elementwise(nest *n, ir_op *op, const index_map *m) {
  lower *l = n->l;
  exec_elementwise what = exec_elementwise_of(op);
  lane_value r = {.level = 0};
  lane_value v[3] = {{0}};
  llv operands[3];
  bool per_lane = false;
  for (unsigned i = 0; i < what.n_operands; i++) {
    v[i] = gen(n, ir_operand(op, i), m);
    operands[i] = v[i].v;
    if (v[i].level > r.level) r.level = v[i].level;
    if (emit_lanes(operands[i]) > 1) per_lane = true;
  }
  if (divide_by_one(n, &what, v, &r) || usual_function(n, &what, v, &r)) return r;
  nest_place_level(n, r.level);
  for (unsigned i = 0; i < what.n_operands && per_lane; i++) {
    if (emit_lanes(operands[i]) > 1) continue;
    /* A splat hides from arithmetic that it may take any NaN. */
    if (ir_row(op)->group == GROUP_FLOAT) operands[i] = lanes_any_nan(operands[i]);
    operands[i] = emit_splat(&l->e, operands[i], nest_lane_count(n));
  }
  r.v = gen_elementwise(l, &what, operands);
  return r;
}

/* ---- other expressions ---------------------------------------------------------------------- */

llv gen_constant(lower *l, tsr_elem elem, uint64_t pattern) {
  return emit_pattern(&l->e, elem, pattern);
}

/* Widens all to the lanes of the widest. */
static void even_out(lower *l, llv *v, unsigned count) {
  unsigned lanes = 1;
  for (unsigned i = 0; i < count; i++) lanes = MAX(lanes, emit_lanes(v[i]));
  for (unsigned i = 0; i < count; i++)
    if (emit_lanes(v[i]) < lanes) v[i] = emit_splat(&l->e, v[i], lanes);
}

/* The first half of a dimension comes from one tile, the second from the other. */
static lane_value concatenation(nest *n, ir_op *op, const index_map *m) {
  lower *l = n->l;
  const ir_type *t = ir_result(op, 0)->type;
  unsigned d = (unsigned)ir_int_attr(op, ATTR_dim), first, count;
  dim_bits(t, d, &first, &count);
  unsigned top = first + count - 1;
  index_map half = {.n = (uint8_t)(m->n - 1)};
  for (unsigned k = 0; k < half.n; k++) half.bit[k] = m->bit[k < top ? k : k + 1];
  if (m->bit[top] < 0) return gen(n, ir_operand(op, m->bit[top] == BIT_ONE), &half);
  lane_value a = gen(n, ir_operand(op, 0), &half), b = gen(n, ir_operand(op, 1), &half);
  coef one[MAP_BITS] = {{.m = 1}};
  index_map bit = {.n = 1, .bit = {m->bit[top]}};
  lane_value which = gen_linear(n, op, k_int(l, 32, 0), one, 32, &bit);
  unsigned at = MAX(which.level, MAX(a.level, b.level));
  nest_place_level(n, at);
  llv v[3] = {which.v, a.v, b.v};
  even_out(l, v, 3);
  llv zero = LLVMConstNull(LLVMTypeOf(v[0]));
  llv first_half = LLVMBuildICmp(l->e.b, LLVMIntEQ, v[0], zero, "");
  return (lane_value){.v = emit_choose(&l->e, t->elem, first_half, v[1], v[2]), .level = at};
}

/* Whether an element lies, in one dimension of several slices, in the slice that is replaced: the
 * high bits of its index are the slice's number. Past the last slice is undefined; it wraps around,
 * as for extract. */
static lane_value in_slice(nest *n, ir_op *op, const index_map *m, unsigned d) {
  lower *l = n->l;
  unsigned first, count, slice_first, slice_count;
  dim_bits(ir_result(op, 0)->type, d, &first, &count);
  dim_bits(ir_operand(op, 0)->type, d, &slice_first, &slice_count);
  index_map high = {.n = (uint8_t)(count - slice_count)}, none = {0};
  coef one[MAP_BITS] = {{0}};
  for (unsigned k = 0; k < high.n; k++) {
    high.bit[k] = m->bit[first + slice_count + k];
    one[k] = (coef){.m = INT64_C(1) << k};
  }
  lane_value mine = gen_linear(n, &op->operands[2 + d], k_int(l, 32, 0), one, 32, &high);
  lane_value index = gen(n, ir_operand(op, 2 + d), &none);
  unsigned at = MAX(mine.level, index.level);
  nest_place_level(n, at);
  llv mask = k_int(l, 32, (INT64_C(1) << high.n) - 1);
  llv v[2] = {mine.v, LLVMBuildAnd(l->e.b, index.v, mask, "")};
  even_out(l, v, 2);
  return (lane_value){.v = LLVMBuildICmp(l->e.b, LLVMIntEQ, v[0], v[1], ""), .level = at};
}

/* Both tiles are read, of the source the element that would lie there. */
static lane_value insertion(nest *n, ir_op *op, const index_map *m) {
  lower *l = n->l;
  const ir_type *t = ir_result(op, 0)->type, *s = ir_operand(op, 0)->type;
  index_map low = map_slice(t, s, m);
  lane_value inside = {0};
  for (unsigned d = 0; d < t->rank; d++) {
    if (s->shape[d] == t->shape[d]) continue;
    lane_value here = in_slice(n, op, m, d);
    if (inside.v) {
      here.level = MAX(here.level, inside.level);
      nest_place_level(n, here.level);
      llv v[2] = {inside.v, here.v};
      even_out(l, v, 2);
      here.v = LLVMBuildAnd(l->e.b, v[0], v[1], "");
    }
    inside = here;
  }
  lane_value a = gen(n, ir_operand(op, 0), &low);
  if (!inside.v) return a; /* all of it is replaced */
  lane_value b = gen(n, ir_operand(op, 1), m);
  unsigned at = MAX(inside.level, MAX(a.level, b.level));
  nest_place_level(n, at);
  llv v[3] = {inside.v, a.v, b.v};
  even_out(l, v, 3);
  return (lane_value){.v = emit_choose(&l->e, t->elem, v[0], v[1], v[2]), .level = at};
}

/* The iota of a type that is too narrow for linear values: the lowest bits of the index. */
static lane_value numbering(nest *n, ir_op *op, const index_map *m) {
  unsigned width = tsr_elem_bits((tsr_elem)ir_result(op, 0)->type->elem);
  coef c[MAP_BITS] = {{0}};
  for (unsigned k = 0; k < MIN(m->n, width); k++) c[k].m = INT64_C(1) << k;
  return gen_linear(n, op, k_int(n->l, width, 0), c, width, m);
}

static lane_value shifted(nest *n, value *x, const index_map *m) {
  lower *l = n->l;
  lane_value v = gen(n, x->origin, m);
  nest_place_level(n, v.level);
  llv by = emit_splat(&l->e, x->scalar, emit_lanes(v.v));
  v.v = LLVMBuildAdd(l->e.b, v.v, by, "");
  return v;
}

static lane_value expression(nest *n, ir_value *v, const index_map *m) {
  lower *l = n->l;
  value *x = value_of(l, v);
  ir_op *op = ir_defining_op(v);
  if (x->linear && (n->exact || !x->linear->ok))
    return gen_linear(n, x->linear, x->linear->base, x->linear->c, x->linear->width, m);
  if (x->origin) return shifted(n, x, m);
  if (x->load) return gen_load(n, x->load, m);
  if (x->chosen && n->chooses) return gen(n, ir_operand(op, 1), m);
  switch (op->opcode) {
  case OP_constant: {
    const ir_dense *d = ir_get_attr(op, ATTR_value)->dense;
    return (lane_value){.v = gen_constant(l, v->type->elem, ir_dense_get(d, 0))};
  }
  case OP_iota: return numbering(n, op, m);
  case OP_cat: return concatenation(n, op, m);
  case OP_insert: return insertion(n, op, m);
  case OP_broadcast:
  case OP_reshape:
  case OP_permute:
  case OP_extract:
  case OP_assume: {
    index_map p = map_through(op, m);
    return gen(n, ir_operand(op, 0), &p);
  }
  default: {
    lane_value r;
    return gen_lookup(n, op, m, &r) ? r : elementwise(n, op, m);
  }
  }
}

lane_value gen(nest *n, ir_value *v, const index_map *m) {
  value *x = value_of(n->l, v);
  if (x->kind == VALUE_SCALAR && !x->pending) return (lane_value){.v = x->scalar};
  lane_value *old = memo_find(n, v, m);
  if (old) return *old;
  bool stored = x->kind == VALUE_BUFFER && !x->pending;
  lane_value r;
  if (!gen_picked(n, v, m, &r)) r = stored ? gen_buffer_load(n, x->buffer, m) : expression(n, v, m);
  return memo_put(n, v, m, r);
}

lane_value gen_lanes(nest *n, ir_value *v, const index_map *m) {
  lane_value r = gen(n, v, m);
  if (emit_lanes(r.v) == nest_lane_count(n)) return r;
  nest_place_level(n, r.level);
  r.v = emit_splat(&n->l->e, r.v, nest_lane_count(n));
  return r;
}

void gen_remember(nest *n, ir_value *v, const index_map *m, lane_value is) {
  memo_put(n, v, m, is);
}
