/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The left operand of a product as rows that lie anywhere: in the windows of a convolution, in a
 * gathered matrix, in a tile of more dimensions. Such a row is not copied when its elements are
 * neighbours along k and all of it exists, or nothing; then its address says it all, that of zeros
 * for a row that does not exist. (Dukhan, "The Indirect Convolution Algorithm", 2019, reads the
 * input of a convolution by way of such addresses.)
 */
#include "cpu/gemm/rows.h"

#include "cpu/core/fold.h"
#include "cpu/core/function.h"
#include "cpu/plan/access.h"
#include "cpu/plan/affine.h"
#include "cpu/plan/map.h"
#include "cpu/plan/mask.h"
#include "cpu/plan/scratch.h"
#include "cpu/nest/gen_buffer.h"
#include "cpu/nest/gen_memory.h"
#include "cpu/nest/linear.h"
#include "cpu/nest/nest.h"
#include "cpu/gemm/ukernel/ukernel.h"

/* ---- the load behind an operand ------------------------------------------------------------- */

bool rows_expected(const ir_value *v, tsr_elem elem) {
  if (v->type->elem != elem) return false;
  const ir_op *op = ir_defining_op(v);
  bool moved = false;
  for (; op && map_applies(op); op = ir_defining_op(ir_operand(op, 0))) moved = true;
  if (!op) return false;
  if (op->opcode == OP_load_ptr_tko) return moved;
  if (op->opcode != OP_load_view_tko) return false;
  return moved || ir_operand_in(op, 0)->type->kind == IR_GATHER_SCATTER_VIEW;
}

/* Is it a load of a view, but for the order of its elements, whose neighbours in memory are those
 * along the bits of the index from `bit` on? */
static bool neighbours_along(const ir_value *v, unsigned bit) {
  unsigned first, n;
  index_map m = map_identity(tile_bits(v->type));
  const ir_op *op = ir_defining_op(v);
  for (; op && map_applies(op); op = ir_defining_op(ir_operand(op, 0))) m = map_through(op, &m);
  if (!op || op->opcode != OP_load_view_tko) return false;
  const ir_type *t = ir_operand_in(op, 0)->type;
  if (t->kind == IR_GATHER_SCATTER_VIEW) return false;
  for (unsigned d = 0; d < t->tile->rank; d++) {
    dim_bits(t->tile, d, &first, &n);
    unsigned j = 0;
    while (j < n && m.bit[first + j] == (int)(bit + j)) j++;
    if (n && j == n && t->view->strides[t->dim_map ? t->dim_map[d] : (int32_t)d] == 1) return true;
  }
  return false;
}

bool rows_transposed(const ir_value *v) {
  return neighbours_along(v, log2_of(v->type->shape[v->type->rank - 1]));
}

bool columns_adjoin(const ir_value *v, tsr_elem elem) {
  return v->type->elem == elem && neighbours_along(v, 0);
}

/* A load, and which bits of the operand's index its own index consists of. */
typedef struct origin {
  const access *a;
  index_map m;
  unsigned k_bits;
} origin;

static bool find_source(lower *l, ir_value *v, unsigned k_bits, origin *out) {
  *out = (origin){.m = map_identity(tile_bits(v->type)), .k_bits = k_bits};
  while (value_of(l, v)->kind == VALUE_LAZY && !value_of(l, v)->load) {
    const ir_op *op = ir_defining_op(v);
    if (!op || !map_applies(op)) return false;
    out->m = map_through(op, &out->m);
    v = ir_operand(op, 0);
  }
  out->a = value_of(l, v)->kind == VALUE_LAZY ? value_of(l, v)->load : NULL;
  return out->a != NULL;
}

static bool is_along_k(const origin *s, int bit) {
  return bit >= 0 && bit < (int)s->k_bits;
}

static bool any_along_k(const origin *s, const index_map *m) {
  for (unsigned i = 0; i < m->n; i++)
    if (is_along_k(s, m->bit[i])) return true;
  return false;
}

/* ---- what must hold ------------------------------------------------------------------------- */

/* An i1 that says whether elements along k are neighbours; NULL when they are not. */
static llv are_neighbours(lower *l, const origin *s) {
  llv all = LLVMConstAllOnes(l->e.i1), scale = NULL;
  int64_t unit = access_elem_bits(s->a) / 8;
  unsigned seen = 0;
  for (unsigned i = 0; i < s->m.n; i++) {
    if (!is_along_k(s, s->m.bit[i])) continue;
    coef c = s->a->stride[i];
    unsigned j = (unsigned)s->m.bit[i];
    seen |= 1u << j;
    if (!c.s && c.m == unit << j) continue;
    /* A stride that is known when it runs: the same number for all bits. */
    if (!c.s || c.m != INT64_C(1) << j || (scale && scale != c.s)) return NULL;
    scale = c.s;
  }
  if (seen + 1 != 1u << s->k_bits) return NULL;
  if (!scale) return all;
  return LLVMBuildICmp(l->e.b, LLVMIntEQ, coef_value(l, (coef){.m = 1, .s = scale}, 64),
                       k64(l, unit), "packed");
}

/* Of what counts along k elements from the first on are left. */
static void limit_length(lower *l, llv *length, llv most) {
  *length = umin64(l, *length, most);
}

/* A comparison that holds for the first elements along k, as many in each row: it only says how
 * many these are. Returns under which condition; NULL: it is another. */
static llv limits_k(lower *l, const origin *s, ir_op *op, const index_map *m, llv *length) {
  bound_use u;
  if (!op || op->opcode != OP_cmpi || !mask_interval(l, op, m, &u)) return NULL;
  if (u.first != 0 || u.n != s->k_bits) return NULL;
  llv known = u.known ? u.known : LLVMConstAllOnes(l->e.i1);
  llv all = k64(l, INT64_C(1) << s->k_bits), zero = k64(l, 0);
  if (u.lo) known = fold_and(l, known, LLVMBuildICmp(l->e.b, LLVMIntEQ, u.lo, zero, ""));
  limit_length(l, length, LLVMBuildSelect(l->e.b, known, u.hi, all, ""));
  return known;
}

/* Other conditions on k hold for all of it: an i1, or NULL when that cannot be told. The others are
 * evaluated for each row. */
static llv mask_is_of_rows(lower *l, const origin *s, ir_value *mask, index_map m, llv *length) {
  while (any_along_k(s, &m)) {
    ir_op *op = ir_defining_op(mask);
    if (op && op->opcode == OP_andi) {
      llv x = mask_is_of_rows(l, s, ir_operand(op, 0), m, length);
      llv y = x ? mask_is_of_rows(l, s, ir_operand(op, 1), m, length) : NULL;
      return y ? fold_and(l, x, y) : NULL;
    }
    llv limits = limits_k(l, s, op, &m, length);
    if (limits) return limits;
    if (!op || !map_applies(op)) return all_true(l, mask);
    m = map_through(op, &m);
    mask = ir_operand(op, 0);
  }
  return LLVMConstAllOnes(l->e.i1);
}

/* The same for the bounds of a view. */
static llv bounds_are_of_rows(lower *l, const origin *s, llv *length) {
  llv all = LLVMConstAllOnes(l->e.i1);
  for (unsigned i = 0; i < s->a->n_bounds; i++) {
    const access_bound *bound = &s->a->bounds[i];
    index_map part = {.n = bound->n};
    memcpy(part.bit, s->m.bit + bound->first, bound->n);
    if (!any_along_k(s, &part)) continue;
    unsigned j = 0;
    while (j < part.n && part.bit[j] == (int)j) j++;
    if (length && j == part.n && j == s->k_bits) {
      limit_length(l, length, bound->hi);
      continue;
    }
    llv size = k64(l, INT64_C(1) << bound->n);
    all = fold_and(l, all, LLVMBuildICmp(l->e.b, LLVMIntUGE, bound->hi, size, ""));
  }
  return all;
}

/* Are missing elements zeros, and few enough in a row? */
static bool pads_with_zeros(const origin *s) {
  const access *a = s->a;
  if ((UINT64_C(1) << s->k_bits) * (access_elem_bits(a) / 8) > ROW_OF_ZEROS) return false;
  return access_pads_with_zero(a);
}

static llv holds(lower *l, const origin *s, llv *length) {
  const access *a = s->a;
  if (!a->linear || a->low || a->memory || access_elem_bits(a) < 8 || !pads_with_zeros(s))
    return NULL;
  if (a->index) {
    index_map part = {.n = a->index_n};
    memcpy(part.bit, s->m.bit + a->index_first, a->index_n);
    if (any_along_k(s, &part)) return NULL;
  }
  llv all = are_neighbours(l, s);
  llv mask = a->mask && all ? mask_is_of_rows(l, s, a->mask, s->m, length) : all;
  if (!mask) return NULL;
  return fold_and(l, fold_and(l, all, mask), fold_and(l, bounds_are_of_rows(l, s, length), a->ok));
}

/* ---- results -------------------------------------------------------------------------------- */

llv rows_of_store(lower *l, const access *a, unsigned n_bits) {
  origin s = {.a = a, .m = map_identity(a->n), .k_bits = n_bits};
  if (!a->linear || a->index || a->mask || a->low || access_elem_bits(a) < 8) return NULL;
  llv all = are_neighbours(l, &s);
  return all ? fold_and(l, fold_and(l, all, bounds_are_of_rows(l, &s, NULL)), a->ok) : NULL;
}

/* ---- addresses ------------------------------------------------------------------------------ */

llv rows_zeros(lower *l) {
  if (!l->zero_row) {
    static const char nothing[ROW_OF_ZEROS];
    l->zero_row = lower_global_bytes(l, nothing, sizeof nothing, MMA_LINE);
  }
  return l->zero_row;
}

static void begin_nest(nest *n, lower *l, unsigned bits) {
  nest_begin(n, l, bits, false);
  nest_lanes(n, 0, MIN(log2_of(l->e.vector_bits / 64), bits));
  if (bits > n->lane_n) nest_open(n, n->lane_n, bits - n->lane_n);
}

static llv in_all_lanes(nest *n, llv v) {
  unsigned lanes = nest_lane_count(n);
  return emit_lanes(v) < lanes ? emit_splat(&n->l->e, v, lanes) : v;
}

/* The load's map for the first element of the row that the iteration is for. */
static index_map row_map(const origin *s, const index_map *row) {
  index_map m = s->m;
  for (unsigned i = 0; i < m.n; i++) {
    if (is_along_k(s, m.bit[i]))
      m.bit[i] = BIT_ZERO;
    else if (m.bit[i] >= 0)
      m.bit[i] = row->bit[m.bit[i] - (int)s->k_bits];
  }
  return m;
}

static llv zeros_in_lanes(nest *n) {
  return in_all_lanes(n, LLVMBuildPtrToInt(n->l->e.b, rows_zeros(n->l), n->l->e.i64, ""));
}

/* The address of the row in a buffer of rows that are row_bytes apart. */
static llv in_buffer(nest *n, llv first, int64_t row_bytes, const index_map *row) {
  coef c[MAP_BITS];
  for (unsigned j = 0; j < row->n; j++) c[j] = (coef){.m = (int64_t)((uint64_t)row_bytes << j)};
  lane_value at = gen_linear(n, first, first, c, 64, row);
  nest_place_level(n, n->n_levels - 1);
  return in_all_lanes(n, at.v);
}

static lane_value with_condition(nest *n, lane_value mask, llv condition) {
  if (!mask.v) return (lane_value){.v = condition};
  nest_place_level(n, mask.level);
  llv all = emit_splat(&n->l->e, condition, emit_lanes(mask.v));
  return (lane_value){.v = LLVMBuildAnd(n->l->e.b, mask.v, all, ""), .level = mask.level};
}

/* The addresses of rows that exist, if the condition holds (NULL: it does); else those of a buffer
 * (NULL: of zeros). */
static void write_addresses(lower *l, const origin *s, llv condition, llv others, int64_t row_bytes,
                            buffer *to) {
  nest n;
  begin_nest(&n, l, to->n);
  index_map row = nest_map(&n, 0), m = row_map(s, &row);
  lane_value exists = gen_mask(&n, s->a, &m);
  if (condition) exists = with_condition(&n, exists, condition);
  n.linear = true;
  lane_value at = gen_address(&n, s->a, &m);
  n.linear = false;
  nest_place_level(&n, n.n_levels - 1);
  llv v = in_all_lanes(&n, at.v);
  if (exists.v) {
    llv other = others ? in_buffer(&n, others, row_bytes, &row) : zeros_in_lanes(&n);
    v = LLVMBuildSelect(l->e.b, in_all_lanes(&n, exists.v), v, other, "");
  }
  gen_buffer_store(&n, to, &row, v);
  nest_end(&n);
}

llv rows_find(lower *l, ir_value *v, buffer *to, llv *length) {
  origin s;
  unsigned k_bits = tile_bits(v->type) - to->n;
  llv all = *length = k64(l, INT64_C(1) << k_bits);
  llv found = find_source(l, v, k_bits, &s) ? holds(l, &s, length) : NULL;
  if (!found) *length = all;
  if (found && s.a->forced) *length = LLVMBuildSelect(l->e.b, s.a->forced, all, *length, "");
  return found;
}

llv rows_length_of_b(lower *l, ir_value *v, unsigned n_bits) {
  origin s;
  unsigned k_bits = tile_bits(v->type) - n_bits;
  llv all = k64(l, INT64_C(1) << k_bits), length = all;
  if (!find_source(l, v, k_bits, &s) || !access_pads_with_zero(s.a)) return all;
  for (unsigned i = 0; i < s.a->n_bounds; i++) {
    const access_bound *bound = &s.a->bounds[i];
    unsigned j = 0;
    while (j < bound->n && s.m.bit[bound->first + j] == (int)(n_bits + j)) j++;
    if (j == bound->n && j == k_bits) limit_length(l, &length, bound->hi);
  }
  return s.a->forced ? LLVMBuildSelect(l->e.b, s.a->forced, all, length, "") : length;
}

const access *rows_write(lower *l, ir_value *v, buffer *to) {
  origin s;
  if (!find_source(l, v, tile_bits(v->type) - to->n, &s)) return NULL;
  write_addresses(l, &s, NULL, NULL, 0, to);
  return s.a;
}

void rows_write_result(lower *l, const access *a, llv condition, llv others, int64_t row_bytes,
                       buffer *to) {
  origin s = {.a = a, .m = map_identity(a->n), .k_bits = a->n - to->n};
  write_addresses(l, &s, condition, others, row_bytes, to);
}

void rows_write_copies(lower *l, llv first, int64_t row_bytes, buffer *to) {
  nest n;
  begin_nest(&n, l, to->n);
  index_map row = nest_map(&n, 0);
  gen_buffer_store(&n, to, &row, in_buffer(&n, first, row_bytes, &row));
  nest_end(&n);
}

/* ---- rows that count ------------------------------------------------------------------------ */

/* Is the row inside of all bounds? */
static llv row_counts(lower *l, const access *a, unsigned n_bits, llv row) {
  llv all = LLVMConstAllOnes(l->e.i1);
  for (unsigned i = 0; i < a->n_bounds; i++) {
    const access_bound *bound = &a->bounds[i];
    if (bound->first < n_bits || !bound->n) continue;
    llv at = LLVMBuildLShr(l->e.b, row, k64(l, bound->first - n_bits), "");
    at = LLVMBuildAnd(l->e.b, at, k64(l, (INT64_C(1) << bound->n) - 1), "");
    all = fold_and(l, all, LLVMBuildICmp(l->e.b, LLVMIntULT, at, bound->hi, ""));
  }
  return all;
}

/* Are all rows? */
static llv all_count(lower *l, const access *a, unsigned n_bits) {
  llv all = LLVMConstAllOnes(l->e.i1);
  for (unsigned i = 0; a && i < a->n_bounds; i++) {
    const access_bound *bound = &a->bounds[i];
    if (bound->first < n_bits || !bound->n) continue;
    llv size = k64(l, INT64_C(1) << bound->n);
    all = fold_and(l, all, LLVMBuildICmp(l->e.b, LLVMIntUGE, bound->hi, size, ""));
  }
  return all;
}

static llv all_rows(lower *l, int64_t m) {
  llv *numbers = arena_array(l->arena, llv, (size_t)m);
  for (int64_t i = 0; i < m; i++) numbers[i] = LLVMConstInt(l->e.i64, (uint64_t)i, 0);
  llv list = LLVMConstArray2(l->e.i64, numbers, (uint64_t)m);
  llv g = LLVMAddGlobal(l->e.module, LLVMTypeOf(list), "rows");
  LLVMSetInitializer(g, list);
  LLVMSetGlobalConstant(g, 1);
  LLVMSetLinkage(g, LLVMPrivateLinkage);
  return g;
}

/* Rows that count from the list's front, the others from its back. Returns how many count. */
static llv sort_rows(lower *l, const access *a, unsigned n_bits, unsigned m_bits, llv list) {
  llv front = lower_alloca(l, l->e.i64, 8), back = lower_alloca(l, l->e.i64, 8);
  LLVMBuildStore(l->e.b, k64(l, 0), front);
  LLVMBuildStore(l->e.b, k64(l, (INT64_C(1) << m_bits) - 1), back);
  nest n;
  nest_begin(&n, l, m_bits, true);
  nest_open(&n, 0, m_bits);
  nest_place_level(&n, 1);
  LLVMBuilderRef b = l->e.b;
  llv row = n.levels[1].index, counts = row_counts(l, a, n_bits, row);
  llv one = LLVMBuildZExt(b, counts, l->e.i64, "");
  llv low = LLVMBuildLoad2(b, l->e.i64, front, ""), high = LLVMBuildLoad2(b, l->e.i64, back, "");
  llv slot = LLVMBuildSelect(b, counts, low, high, "");
  LLVMBuildStore(b, row, LLVMBuildGEP2(b, l->e.i64, list, &slot, 1, ""));
  LLVMBuildStore(b, LLVMBuildAdd(b, low, one, ""), front);
  LLVMBuildStore(b, LLVMBuildSub(b, LLVMBuildAdd(b, high, one, ""), k64(l, 1), ""), back);
  nest_end(&n);
  return LLVMBuildLoad2(b, l->e.i64, front, "");
}

row_order rows_order(lower *l, const access *a, unsigned n_bits, unsigned m_bits) {
  LLVMBuilderRef b = l->e.b;
  int64_t m = INT64_C(1) << m_bits, always;
  row_order r = {.list = all_rows(l, m), .count = k64(l, m)};
  llv all = all_count(l, a, n_bits);
  if (is_const(all, &always) && always) return r;
  llblock before = LLVMGetInsertBlock(b);
  r.buffer = buffer_new(l, TSR_I64, FORMAT_LANES, m_bits);
  llblock some = lower_new_block(l, "rows"), done = lower_new_block(l, "rows.done");
  LLVMBuildCondBr(b, all, done, some);
  LLVMPositionBuilderAtEnd(b, some);
  llv count = sort_rows(l, a, n_bits, m_bits, r.buffer->ptr);
  count = emit_intrinsic(&l->e, "llvm.umax", &l->e.i64, 1, (llv[]){count, k64(l, 1)}, 2);
  llblock sorted = LLVMGetInsertBlock(b);
  lower_go(l, done);
  llblock from[] = {before, sorted};
  llv lists[] = {r.list, r.buffer->ptr}, counts[] = {r.count, count};
  r.list = LLVMBuildPhi(b, l->e.ptr, "");
  LLVMAddIncoming(r.list, lists, from, 2);
  r.count = LLVMBuildPhi(b, l->e.i64, "");
  LLVMAddIncoming(r.count, counts, from, 2);
  return r;
}
