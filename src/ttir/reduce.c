/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reductions and scans. Triton combines elements without a value to begin with, Tile IR with one.
 * Where the combination is one operation whose identity is known, that is it. Otherwise a flag goes
 * along that says whether there was an element yet:
 *
 *   combine'((a, has_a), (b, has_b)) = (has_a ? has_b ? combine(a, b) : a : b, has_a | has_b)
 */
#include "num/num.h"
#include "ttir/lower.h"

/* ---- identities
 * ---------------------------------------------------------------------------------- */

typedef enum identity_kind { ID_ZERO, ID_ONE, ID_LOWEST, ID_HIGHEST, ID_ALL_ONES } identity_kind;

typedef struct combiner {
  const char *name;
  uint8_t identity; /* identity_kind */
  bool is_signed;
} combiner;

static const combiner combiners[] = {
    {"arith.addf", ID_ZERO, false},       {"arith.addi", ID_ZERO, false},
    {"arith.mulf", ID_ONE, false},        {"arith.muli", ID_ONE, false},
    {"arith.maxnumf", ID_LOWEST, false},  {"arith.maximumf", ID_LOWEST, false},
    {"arith.minnumf", ID_HIGHEST, false}, {"arith.minimumf", ID_HIGHEST, false},
    {"arith.maxsi", ID_LOWEST, true},     {"arith.minsi", ID_HIGHEST, true},
    {"arith.maxui", ID_ZERO, false},      {"arith.minui", ID_ALL_ONES, false},
    {"arith.andi", ID_ALL_ONES, false},   {"arith.ori", ID_ZERO, false},
    {"arith.xori", ID_ZERO, false},
};

static uint64_t identity_pattern(const combiner *c, tsr_elem elem) {
  const num_format *f = num_format_of(elem);
  unsigned bits = tsr_elem_bits(elem);
  switch ((identity_kind)c->identity) {
  case ID_ZERO: return 0;
  case ID_ONE: return f ? num_encode(f, 1.0, NUM_NEAREST_EVEN) : 1;
  case ID_ALL_ONES: return num_mask(bits);
  case ID_LOWEST: return f ? num_encode(f, -INFINITY, NUM_NEAREST_EVEN) : UINT64_C(1) << (bits - 1);
  case ID_HIGHEST: return f ? num_encode(f, INFINITY, NUM_NEAREST_EVEN) : num_mask(bits) >> 1;
  }
  return 0;
}

/* The one operation of a body of two arguments, perhaps in a function that it calls; NULL. */
static const tt_op *only_op(lowering *l, const tt_block *b, unsigned calls) {
  const tt_op *op = b ? b->first : NULL;
  if (!op || !op->next || op->next->next || b->n_args != 2 || calls > TT_MAX_CALLS) return NULL;
  const tt_value *x = op->n_operands == 2 ? op->operands[0] : NULL, *y = x ? op->operands[1] : NULL;
  bool args =
      y && ((x == &b->args[0] && y == &b->args[1]) || (x == &b->args[1] && y == &b->args[0]));
  if (!args || op->next->n_operands != 1 || op->next->operands[0] != &op->results[0]) return NULL;
  if (!str_is(op->name, "tt.call")) return op;
  uintptr_t *slot = strmap_get(&l->r->tree->functions, op->symbol);
  const tt_function *f = slot ? (const tt_function *)*slot : NULL;
  if (!f || !f->body || !f->body->first) return NULL;
  return only_op(l, f->body->first, calls + 1);
}

static const combiner *known_combiner(lowering *l, const tt_op *op) {
  if (op->n_operands != 1) return NULL;
  const tt_op *one = only_op(l, op->regions[0]->first, 0);
  for (unsigned i = 0; one && i < ARRAY_LEN(combiners); i++)
    if (str_is(one->name, combiners[i].name)) return &combiners[i];
  return NULL;
}

/* ---- the operation
 * ------------------------------------------------------------------------------- */

typedef struct fold {
  tt_op *op;
  op_code code;
  const combiner *known; /* NULL: with a flag */
  uint32_t n, dim;       /* operands, without the flag */
  ir_value *operands[TT_MAX_VALUES];
  const ir_type *results[TT_MAX_VALUES];
} fold;

static const ir_type *result_of(lowering *l, const fold *f, const ir_type *t) {
  int64_t shape[IR_MAX_RANK];
  uint32_t rank = 0;
  if (f->code == OP_scan) return t;
  for (uint32_t i = 0; i < t->rank; i++)
    if (i != f->dim) shape[rank++] = t->shape[i];
  return ir_tile_reshaped(l->m, t, rank, shape);
}

static bool fold_operands(lowering *l, fold *f) {
  const tt_op *op = f->op;
  int64_t axis = tt_int_attr(op, "axis", 0);
  f->n = op->n_operands;
  if (!op->n_regions || !op->regions[0]->first || op->regions[0]->first->next ||
      op->regions[0]->first->n_args != 2 * f->n || f->n > TT_MAX_VALUES - 2 || !f->n)
    return tt_refuse(l, "'" STR_FMT "' needs a body of two arguments for each operand",
                     STR_ARG(op->name));
  for (uint32_t i = 0; i < f->n; i++) {
    ir_value *v = f->operands[i] = tt_use(l, op, i);
    if (!v) return false;
    if (axis < 0 || axis >= v->type->rank || v->type->elem == TSR_PTR)
      return tt_refuse(l, "'" STR_FMT "' of %s along dimension %lld", STR_ARG(op->name),
                       ir_type_text(l->temp, v->type), (long long)axis);
    f->dim = (uint32_t)axis;
    f->results[i] = result_of(l, f, v->type);
  }
  f->known = known_combiner(l, op);
  return true;
}

static const ir_scalars *identities(lowering *l, const fold *f, uint32_t n) {
  size_t item = sizeof(struct ir_scalar_const);
  ir_scalars *list = arena_alloc_zero(&l->m->arena, sizeof *list + n * item, 8);
  list->len = n;
  for (uint32_t i = 0; i < n; i++) {
    tsr_elem elem = (tsr_elem)f->operands[i]->type->elem;
    list->data[i].elem = (uint8_t)elem;
    list->data[i].bits = f->known ? identity_pattern(f->known, elem) : 0;
  }
  return list;
}

static ir_op *make_fold(lowering *l, fold *f, uint32_t n) {
  ir_op *made = tt_emit_op(l, &(ir_op_spec){.opcode = f->code,
                                            .n_operands = n,
                                            .operands = f->operands,
                                            .n_results = n,
                                            .result_types = f->results,
                                            .n_regions = 1});
  ir_set_int(made, ATTR_dim, f->dim);
  ir_set_attr(made, ATTR_identities, (ir_attr){.scalars = identities(l, f, n)});
  if (f->code == OP_scan) ir_set_int(made, ATTR_reverse, tt_int_attr(f->op, "reverse", 0) != 0);
  const ir_type **args = arena_array(l->temp, const ir_type *, 2 * n);
  for (uint32_t i = 0; i < 2 * n; i++)
    args[i] = ir_scalar(l->m, (tsr_elem)f->operands[i / 2]->type->elem);
  ir_region_create(l->m, made, 0, 2 * n, args);
  return made;
}

/* Tile IR's bodies get (current, previous) for each operand, Triton's all that came before, then
 * all that is new. */
static void bind_arguments(const fold *f, const ir_block *body) {
  tt_block *b = f->op->regions[0]->first;
  for (uint32_t i = 0; i < f->n; i++) {
    b->args[i].now = &body->args[2 * i + 1];
    b->args[f->n + i].now = &body->args[2 * i];
  }
}

static void merge_flags(lowering *l, const fold *f, const ir_block *body, ir_value **values) {
  ir_value *has_new = &body->args[2 * f->n], *has_old = &body->args[2 * f->n + 1];
  for (uint32_t i = 0; i < f->n; i++) {
    ir_value *now = &body->args[2 * i], *old = &body->args[2 * i + 1];
    values[i] = tt_select(l, has_new, tt_select(l, has_old, values[i], now), old);
  }
  values[f->n] = tt_emit2(l, OP_ori, has_new->type, has_new, has_old);
}

static bool lower_body(lowering *l, const fold *f, const ir_block *body, uint32_t n) {
  tt_op *end = NULL;
  bind_arguments(f, body);
  if (!tt_lower_ops(l, f->op->regions[0]->first, &end)) return false;
  if (!end || end->n_operands != f->n) return tt_refuse(l, "the body gives other values");
  ir_value *values[TT_MAX_VALUES];
  for (uint32_t i = 0; i < f->n; i++)
    if (!(values[i] = tt_use(l, end, i))) return false;
  for (uint32_t i = 0; i < f->n; i++)
    if (values[i]->type != body->args[2 * i].type)
      return tt_refuse(l, "the body gives values of other types");
  if (!f->known) merge_flags(l, f, body, values);
  tt_emit_op(l, &(ir_op_spec){.opcode = OP_yield, .n_operands = n, .operands = values});
  return true;
}

static bool lower_fold(lowering *l, tt_op *op, op_code code) {
  fold f = {.op = op, .code = code};
  if (!fold_operands(l, &f)) return false;
  if (tt_effects_of(l, op->regions[0]) != TT_PURE)
    return tt_refuse(l, "'" STR_FMT "' whose body accesses memory", STR_ARG(op->name));
  uint32_t n = f.n;
  if (!f.known) {
    const ir_type *flag = tt_like(l, f.operands[0]->type, TSR_I1);
    f.operands[n] = tt_int(l, flag, 1);
    f.results[n++] = result_of(l, &f, flag);
  }
  ir_op *made = make_fold(l, &f, n);
  ir_block *outer = l->block;
  l->block = ir_region(made, 0);
  l->in_fold = true;
  bool good = lower_body(l, &f, l->block, n);
  l->in_fold = false;
  l->block = outer;
  for (uint32_t i = 0; good && i < op->n_results; i++) good = tt_set(l, op, i, ir_result(made, i));
  return good;
}

bool tt_lower_reduce(lowering *l, tt_op *op) {
  return lower_fold(l, op, OP_reduce);
}

bool tt_lower_scan(lowering *l, tt_op *op) {
  return lower_fold(l, op, OP_scan);
}

/* ---- histograms
 * ---------------------------------------------------------------------------------- */

/* For each bin, how many elements equal its number. */
bool tt_lower_histogram(lowering *l, tt_op *op) {
  ir_value *v = tt_use(l, op, 0), *mask = NULL;
  const ir_type *t = tt_result_tile(op, 0);
  if (!v || (op->n_operands > 1 && !(mask = tt_use(l, op, 1)))) return false;
  if (!t) return true;
  bool good = t->rank == 1 && v->type->rank == 1 && tsr_elem_is_int((tsr_elem)t->elem) &&
              tsr_elem_is_int((tsr_elem)v->type->elem) && (!mask || mask->type->rank == 1);
  if (!good || t->count * v->type->count > IR_MAX_TILE)
    return tt_refuse(l, "'tt.histogram' of %s in %s", ir_type_text(l->temp, v->type),
                     ir_type_text(l->temp, t));
  int64_t shape[] = {t->count, v->type->count};
  ir_value *bins = tt_iota(l, (tsr_elem)v->type->elem, t->count);
  ir_value *hit =
      tt_compare(l, CMP_EQUAL, false, tt_along(l, bins, 0, 2, shape), tt_along(l, v, 1, 2, shape));
  if (mask) hit = tt_emit2(l, OP_andi, hit->type, hit, tt_along(l, mask, 1, 2, shape));
  hit = tt_convert_int(l, hit, (tsr_elem)t->elem, false);
  return tt_set(l, op, 0, tt_reduce(l, hit, 1, OP_addi, 0));
}
