/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Loops and conditions of scf.
 */
#include "ttir/lower.h"

/* What a loop carries: its values, and a token where it accesses memory. */
typedef struct carried {
  uint32_t n, first; /* values; the operand that is the first of them */
  unsigned effects;
  ir_value *token; /* NULL: it carries none */
  tt_order before;
} carried;

/* Rows bound how many values there are: TT_MAX_CARRIED. */
static void begin_carried(lowering *l, const tt_op *op, uint32_t first, carried *c) {
  *c = (carried){.first = first, .n = op->n_operands - first};
  for (uint32_t i = 0; i < op->n_regions; i++) c->effects |= tt_effects_of(l, op->regions[i]);
  c->token = tt_order_in(l, c->effects);
  c->before = l->order;
}

/* The values, then the token. */
static bool carried_operands(lowering *l, const tt_op *op, const carried *c, ir_value **out) {
  for (uint32_t i = 0; i < c->n; i++)
    if (!(out[i] = tt_use(l, op, c->first + i))) return false;
  if (c->token) out[c->n] = c->token;
  return true;
}

static void jump(lowering *l, op_code code, uint32_t n, ir_value *const *values) {
  tt_emit_op(l, &(ir_op_spec){.opcode = code, .n_operands = n, .operands = values});
}

/* What a terminator gives, from its operand `first` on, and the token behind them. */
static bool jump_values(lowering *l, const tt_op *end, uint32_t first, uint32_t n, unsigned effects,
                        ir_value **out, uint32_t *total) {
  bool fits = end ? end->n_operands >= first && end->n_operands - first == n : n == 0;
  if (!fits)
    return tt_refuse(l, "the body of '" STR_FMT "' gives another number of values",
                     STR_ARG(l->op->name));
  for (uint32_t i = 0; i < n; i++)
    if (!(out[i] = tt_use(l, end, first + i))) return false;
  ir_value *token = tt_order_end(l, effects);
  if (token) out[n] = token;
  *total = n + (token != NULL);
  return true;
}

static bool enter(lowering *l) {
  if (l->depth >= TT_MAX_DEPTH)
    return tt_refuse(l, "more than %d regions in each other", TT_MAX_DEPTH);
  if (!tt_has_stack(l)) return false;
  l->depth++;
  return true;
}

static tt_block *only_block(lowering *l, const tt_op *op, uint32_t region) {
  tt_block *b = region < op->n_regions ? op->regions[region]->first : NULL;
  if (b && !b->next) return b;
  tt_refuse(l, "a region of '" STR_FMT "' is not one block", STR_ARG(op->name));
  return NULL;
}

static bool bind_args(lowering *l, tt_block *b, const ir_block *body, uint32_t first, uint32_t n) {
  if (b->n_args != n) return tt_refuse(l, "a region with %u arguments, not %u", b->n_args, n);
  for (uint32_t i = 0; i < n; i++) {
    ir_value *v = &body->args[first + i];
    if (b->args[i].type.tile != v->type)
      return tt_refuse(l, "'%%" STR_FMT "' is written as %s, but what it begins with is %s",
                       STR_ARG(b->args[i].name), ir_type_text(l->temp, b->args[i].type.tile),
                       ir_type_text(l->temp, v->type));
    if (!v->name) ir_set_name(l->m, v, b->args[i].name);
    b->args[i].now = v;
  }
  return true;
}

static bool set_results(lowering *l, tt_op *op, const ir_op *made, const carried *c) {
  l->op = op;
  tt_order_out(l, c->effects, c->before, c->token ? ir_result(made, c->n) : NULL);
  if (op->n_results && op->n_results != c->n)
    return tt_refuse(l, "'" STR_FMT "' gives %u values", STR_ARG(op->name), c->n);
  for (uint32_t i = 0; i < op->n_results; i++)
    if (!tt_set(l, op, i, ir_result(made, i))) return false;
  return true;
}

/* ---- for
 * ------------------------------------------------------------------------------------------ */

static bool for_body(lowering *l, tt_op *op, tt_block *b, const ir_block *body, const carried *c) {
  tt_op *end = NULL;
  ir_value *values[TT_MAX_VALUES];
  uint32_t n;
  if (!bind_args(l, b, body, 0, 1 + c->n)) return false;
  tt_order_begin(l, c->effects, c->token ? &body->args[1 + c->n] : NULL);
  if (!tt_lower_ops(l, b, &end)) return false;
  l->op = op;
  if (!jump_values(l, end, 0, c->n, c->effects, values, &n)) return false;
  jump(l, OP_continue, n, values);
  return true;
}

static bool is_unsigned(const tt_op *op) {
  return (op->n_words && str_is(op->words[0].text, "unsigned")) ||
         tt_find_attr(op->attrs, "unsignedCmp");
}

bool tt_lower_for(lowering *l, tt_op *op) {
  carried c;
  ir_value *operands[TT_MAX_VALUES];
  const ir_type *types[TT_MAX_VALUES];
  tt_block *b = only_block(l, op, 0);
  if (!b || !enter(l)) return false;
  begin_carried(l, op, 3, &c);
  for (uint32_t i = 0; i < 3; i++)
    if (!(operands[i] = tt_use(l, op, i))) return false;
  if (!carried_operands(l, op, &c, operands + 3)) return false;
  uint32_t n = c.n + (c.token != NULL);
  types[0] = operands[0]->type;
  for (uint32_t i = 0; i < n; i++) types[1 + i] = operands[3 + i]->type;
  ir_op *made = tt_emit_op(l, &(ir_op_spec){.opcode = OP_for,
                                            .n_operands = 3 + n,
                                            .operands = operands,
                                            .n_results = n,
                                            .result_types = types + 1,
                                            .n_regions = 1});
  if (is_unsigned(op)) ir_set_int(made, ATTR_unsignedCmp, 1);
  ir_block *outer = l->block;
  l->block = ir_region_create(l->m, made, 0, 1 + n, types);
  bool good = for_body(l, op, b, l->block, &c);
  l->block = outer;
  l->depth--;
  return good && set_results(l, op, made, &c);
}

/* ---- while
 * ---------------------------------------------------------------------------------------- */

/* if condition { } else { break } */
static void break_unless(lowering *l, ir_value *condition, uint32_t n, ir_value *const *values) {
  ir_op *made = tt_emit_op(
      l, &(ir_op_spec){.opcode = OP_if, .n_operands = 1, .operands = &condition, .n_regions = 2});
  ir_block *outer = l->block;
  l->block = ir_region_create(l->m, made, 0, 0, NULL);
  jump(l, OP_yield, 0, NULL);
  l->block = ir_region_create(l->m, made, 1, 0, NULL);
  jump(l, OP_break, n, values);
  l->block = outer;
}

/* What the first region decides with goes to the second, or out of the loop: c.n values of either.
 */
static bool while_body(lowering *l, tt_op *op, tt_block *before, tt_block *after,
                       const ir_block *body, const carried *c, uint32_t n_out) {
  tt_op *end = NULL;
  ir_value *values[TT_MAX_VALUES], *condition;
  uint32_t n;
  if (!bind_args(l, before, body, 0, c->n)) return false;
  tt_order_begin(l, c->effects, c->token ? &body->args[c->n] : NULL);
  if (!tt_lower_ops(l, before, &end)) return false;
  l->op = op;
  if (!end || !str_is(end->name, "scf.condition") || !(condition = tt_use(l, end, 0)))
    return tt_refuse(l, "'scf.while' without 'scf.condition'");
  if (!jump_values(l, end, 1, n_out, c->effects, values, &n)) return false;
  break_unless(l, condition, n, values);
  if (after->n_args != n_out) return tt_refuse(l, "a region with %u arguments", after->n_args);
  for (uint32_t i = 0; i < n_out; i++) after->args[i].now = values[i];
  if (!tt_lower_ops(l, after, &end)) return false;
  l->op = op;
  if (!jump_values(l, end, 0, c->n, c->effects, values, &n)) return false;
  jump(l, OP_continue, n, values);
  return true;
}

bool tt_lower_while(lowering *l, tt_op *op) {
  carried c;
  ir_value *operands[TT_MAX_VALUES];
  const ir_type *types[TT_MAX_VALUES], *results[TT_MAX_VALUES];
  tt_block *before = only_block(l, op, 0), *after = before ? only_block(l, op, 1) : NULL;
  if (!after || !enter(l)) return false;
  begin_carried(l, op, 0, &c);
  if (!carried_operands(l, op, &c, operands)) return false;
  uint32_t n = c.n + (c.token != NULL), n_out = after->n_args;
  if (n_out > TT_MAX_CARRIED) return tt_refuse(l, "a loop with %u values", n_out);
  for (uint32_t i = 0; i < n; i++) types[i] = operands[i]->type;
  for (uint32_t i = 0; i < n_out; i++) results[i] = after->args[i].type.tile;
  results[n_out] = ir_token(l->m);
  ir_op *made = tt_emit_op(l, &(ir_op_spec){.opcode = OP_loop,
                                            .n_operands = n,
                                            .operands = operands,
                                            .n_results = n_out + (c.token != NULL),
                                            .result_types = results,
                                            .n_regions = 1});
  ir_block *outer = l->block;
  l->block = ir_region_create(l->m, made, 0, n, types);
  bool good = while_body(l, op, before, after, l->block, &c, n_out);
  l->block = outer;
  l->depth--;
  c.n = n_out;
  return good && set_results(l, op, made, &c);
}

/* ---- if
 * ------------------------------------------------------------------------------------------- */

static bool if_region(lowering *l, tt_op *op, ir_op *made, uint32_t region, const carried *c) {
  tt_op *end = NULL;
  ir_value *values[TT_MAX_VALUES];
  uint32_t n = 0;
  l->block = ir_region_create(l->m, made, region, 0, NULL);
  l->order = c->before;
  tt_order_begin(l, c->effects, c->token);
  if (region < op->n_regions) {
    tt_block *b = only_block(l, op, region);
    if (!b || !tt_lower_ops(l, b, &end)) return false;
  }
  l->op = op;
  if (!jump_values(l, end, 0, op->n_results, c->effects, values, &n)) return false;
  jump(l, OP_yield, n, values);
  return true;
}

bool tt_lower_if(lowering *l, tt_op *op) {
  carried c = {0};
  const ir_type *types[TT_MAX_VALUES];
  ir_value *condition = tt_use(l, op, 0);
  if (!condition || !enter(l)) return false;
  c.n = op->n_results;
  if (c.n > TT_MAX_CARRIED) return tt_refuse(l, "'scf.if' with %u values", c.n);
  for (uint32_t i = 0; i < op->n_regions; i++) c.effects |= tt_effects_of(l, op->regions[i]);
  c.token = tt_order_in(l, c.effects);
  c.before = l->order;
  for (uint32_t i = 0; i < c.n; i++) {
    if (!(types[i] = tt_result_tile(op, i)))
      return tt_refuse(l, "'scf.if' that gives a tensor descriptor");
  }
  types[c.n] = ir_token(l->m);
  ir_op *made = tt_emit_op(l, &(ir_op_spec){.opcode = OP_if,
                                            .n_operands = 1,
                                            .operands = &condition,
                                            .n_results = c.n + (c.token != NULL),
                                            .result_types = types,
                                            .n_regions = 2});
  ir_block *outer = l->block;
  bool good = if_region(l, op, made, 0, &c) && if_region(l, op, made, 1, &c);
  l->block = outer;
  l->depth--;
  return good && set_results(l, op, made, &c);
}
