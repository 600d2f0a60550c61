/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Rules of operations with regions and of what ends them, and of what lies directly in a module.
 *
 * An operation is checked before what is inside it, so these functions expect the operands of
 * nested operations to be missing: they compare types that may be NULL.
 */
#include "ir/block/clusters.h"
#include "ir/rules.h"

static bool is_view(const ir_type *t) {
  return t->kind == IR_TENSOR_VIEW || ir_is_subview(t);
}

const ir_op *around_ifs(const ir_op *op) {
  const ir_op *p = op->block->parent;
  while (p->opcode == OP_if && p->block) p = p->block->parent;
  return p;
}

static bool same_as_results(const ir_op *jump, const ir_op *target) {
  if (jump->n_operands != target->n_results) return false;
  for (uint32_t i = 0; i < jump->n_operands; i++)
    if (operand_type(jump, i) != target->results[i].type) return false;
  return true;
}

/* ---- items of a module ---------------------------------------------------------------------- */

/* Whole warps, and no more than the largest tile block of any target. */
static bool check_threads(const ir_module *m, const ir_op *op) {
  enum { WARP = 32, MOST = 1024 };
  int64_t threads = ir_int_attr(op, ATTR_threads);
  return (threads >= WARP && threads <= MOST && threads % WARP == 0) ||
         rule_fail(m, op, "threads is %lld; expected a multiple of %d from %d to %d",
                   (long long)threads, WARP, WARP, MOST);
}

RULE(entry, "Arguments that are tiles have rank 0. (A launch can give no others.)\n"
            "There are no results, and `arg_attrs` and `res_attrs` are empty.\n"
            "The region has the arguments that `function_type` says.\n"
            "`threads` is a multiple of 32 from 32 to 1024.\n"
            "`cluster` has one to three sizes, of at most 8 tile blocks together; the grid is a "
            "multiple of it in each dimension.") {
  const ir_type *f = ir_get_attr(op, ATTR_function_type)->type;
  const ir_block *body = op->regions[0];
  if (f->kind != IR_FUNCTION)
    return rule_fail(m, op, "function_type must be a function type, but is %s", type_text(m, f));
  if (f->n_results)
    return rule_fail(m, op,
                     "a kernel returns nothing, but function_type has %u result%s; write "
                     "results to memory",
                     f->n_results, plural(f->n_results));
  if (f->n_inputs != body->n_args)
    return rule_fail(m, op, "function_type has %u input%s, but the body has %u argument%s",
                     f->n_inputs, plural(f->n_inputs), body->n_args, plural(body->n_args));
  for (uint32_t i = 0; i < f->n_inputs; i++) {
    const ir_type *t = f->params[i];
    if (t != body->args[i].type)
      return rule_fail(m, op,
                       "input %u of function_type is %s, but argument %u of the body has "
                       "type %s",
                       i, type_text(m, t), i, type_text(m, body->args[i].type));
    if (t->kind == IR_TILE && t->rank)
      return rule_fail_argument(
          m, op, i,
          "argument %u has type %s; an argument of a kernel must have rank 0, "
          "so pass a pointer to the elements",
          i, type_text(m, t));
  }
  if (ir_has_attr(op, ATTR_threads) && !check_threads(m, op)) return false;
  if (ir_has_attr(op, ATTR_cluster) && !check_cluster(m, op)) return false;
  return check_hints(m, op);
}

RULE(testing_func, "The region has the arguments that `function_type` says.") {
  const ir_type *f = ir_get_attr(op, ATTR_function_type)->type;
  const ir_block *body = op->regions[0];
  bool same = f->kind == IR_FUNCTION && f->n_inputs == body->n_args;
  for (uint32_t i = 0; same && i < body->n_args; i++) same = f->params[i] == body->args[i].type;
  return same ||
         rule_fail(m, op, "function_type is %s, which is not what the body takes", type_text(m, f));
}

bool ir_check_parameters(const ir_module *m, const ir_op *entry) {
  const ir_block *body = ir_region(entry, 0);
  for (uint32_t i = 0; i < body->n_args; i++)
    if (!ir_is_scalar(body->args[i].type))
      return rule_fail(m, entry,
                       "@" STR_FMT " cannot be launched: argument %u has type %s, and a launch can "
                       "give only numbers and pointers; make views and tokens in the kernel",
                       STR_ARG(ir_symbol_name(entry)), i, type_text(m, body->args[i].type));
  return true;
}

RULE(global, "The value has rank 1.\n`alignment` is a power of two, or 0 for the default.") {
  const ir_type *t = ir_get_attr(op, ATTR_value)->dense->type;
  int64_t alignment = ir_int_attr(op, ATTR_alignment);
  if (t->rank != 1)
    return rule_fail(m, op, "the value must have rank 1, but has type %s", type_text(m, t));
  return (alignment >= 0 && (alignment & (alignment - 1)) == 0) ||
         rule_fail(m, op, "alignment is %lld; expected a power of two", (long long)alignment);
}

/* ---- jumps ---------------------------------------------------------------------------------- */

static bool check_target(const ir_module *m, const ir_op *op, const ir_op *target, bool fits,
                         const char *expected) {
  if (fits) return true;
  rule_fail(m, op,
            "must be inside %s, with nothing but `if` between, but the nearest operation "
            "around it is %s",
            expected, ir_row(target)->name);
  rule_note(m, target, "the %s around it is here", ir_row(target)->name);
  return false;
}

RULE(break, "Only `if` stands between it and its loop.\n"
            "The operands have the types of the loop's results.") {
  const ir_op *loop = around_ifs(op);
  if (!check_target(m, op, loop, loop->opcode == OP_loop, "a loop")) return false;
  return same_as_results(op, loop) ||
         rule_fail(m, op, "the loop's results have types %s, but the operands have types %s",
                   results_text(m, loop), values_text(m, op->operands, op->n_operands));
}

RULE(continue, "Only `if` stands between it and its loop.\n"
               "The operands have the types of the loop's iteration values.") {
  const ir_op *loop = around_ifs(op);
  bool is_for = loop->opcode == OP_for;
  if (!check_target(m, op, loop, is_for || loop->opcode == OP_loop, "a for or a loop"))
    return false;
  uint32_t n;
  const ir_use *init = ir_operand_group(loop, is_for ? 3 : 0, &n);
  bool same = n == op->n_operands;
  for (uint32_t i = 0; same && i < n; i++)
    same = init[i].value && init[i].value->type == operand_type(op, i);
  if (same) return true;
  if (op->implicit)
    return rule_fail(m, op->block->parent,
                     "the region must end with continue and the next iteration values, of types "
                     "%s",
                     values_text(m, init, n));
  return rule_fail(
      m, op, "the iteration values of the %s have types %s, but the operands have types %s",
      ir_row(loop)->name, values_text(m, init, n), values_text(m, op->operands, op->n_operands));
}

/* In a function of a test: what its type says. */
static bool check_func_return(const ir_module *m, const ir_op *op, const ir_op *func) {
  const ir_attr *type = ir_get_attr(func, ATTR_function_type);
  const ir_type *f = type ? type->type : NULL;
  if (!f || f->kind != IR_FUNCTION) return true; /* reported at the function */
  bool same = f->n_results == op->n_operands;
  for (uint32_t i = 0; same && i < f->n_results; i++)
    same = f->params[f->n_inputs + i] == operand_type(op, i);
  return same || rule_fail(m, op, "the function's type is %s, but the operands have types %s",
                           type_text(m, f), values_text(m, op->operands, op->n_operands));
}

/* The kernel around a return: since 13.4 loops may stand between them, too. */
static const ir_op *around_return(const ir_module *m, const ir_op *op) {
  const ir_op *o = around_ifs(op);
  bool leaves_loops = !m->language || m->language >= V13_4;
  while (leaves_loops && o->opcode == OP_loop && o->block) o = around_ifs(o);
  return o;
}

RULE(return, "Only `if` stands between it and its entry; since 13.4, `loop` too.\n"
             "It has no operands.") {
  const ir_op *entry = around_return(m, op);
  if (entry->opcode == OP_testing_func) return check_func_return(m, op, entry);
  if (!check_target(m, op, entry, entry->opcode == OP_entry, "an entry")) return false;
  return op->n_operands == 0 || rule_fail(m, op,
                                          "a kernel returns nothing, but there are operands "
                                          "of types %s; store results to memory",
                                          values_text(m, op->operands, op->n_operands));
}

/* ---- loops ---------------------------------------------------------------------------------- */

/* What a loop carries from one iteration to the next: block arguments from `first` on. */
static bool check_carried(const ir_module *m, const ir_op *op, const ir_use *init, uint32_t n,
                          uint32_t first) {
  const ir_block *body = op->regions[0];
  if (body->n_args != first + n)
    return rule_fail(m, op,
                     "%u initial value%s, but %u iteration value%s of the region are given; they "
                     "must be equally many",
                     n, plural(n), body->n_args - first, plural(body->n_args - first));
  for (uint32_t i = 0; i < n; i++) {
    const ir_type *t = body->args[first + i].type;
    if (is_view(t))
      return rule_fail(m, op,
                       "iteration value %u is a view (%s), which a loop cannot carry; make "
                       "the view inside the loop",
                       i, type_text(m, t));
    if (init[i].value->type != t)
      return rule_fail(m, op, "initial value %u has type %s, but iteration value %u has type %s", i,
                       type_text(m, init[i].value->type), i, type_text(m, t));
  }
  return true;
}

static bool check_no_view_results(const ir_module *m, const ir_op *op) {
  for (uint32_t i = 0; i < op->n_results; i++)
    if (is_view(op->results[i].type))
      return rule_fail(m, op,
                       "result %u is a view (%s), which cannot be returned; make the view "
                       "behind the %s",
                       i, type_text(m, op->results[i].type), ir_row(op)->name);
  return true;
}

#define CARRIED_WORDS                                                                              \
  "Iteration values have the types of their initial values.\n"                                     \
  "Iteration values and results are no views."

/* Such a loop is undefined where it is reached, also when it would end at once. The language's own
 * verifier accepts it. */
static void warn_step(const ir_module *m, const ir_op *op) {
  int64_t step;
  if (!ir_constant_int(ir_operand(op, 2), &step) || step > 0) return;
  if (step && ir_int_attr(op, ATTR_unsignedCmp)) return; /* a large number */
  rule_warn(m, op, "the step is %lld; it must be positive, else the loop is undefined",
            (long long)step);
}

RULE(for, "The induction variable has the type of the bounds and the step.\n"
          "The step is positive; a constant that is not is accepted with a warning.\n"
          CARRIED_WORDS) {
  const ir_block *body = op->regions[0];
  uint32_t n;
  const ir_use *init = ir_operand_group(op, 3, &n);
  if (!body->n_args)
    return rule_fail(m, op, "the region needs an argument for the induction variable");
  if (body->args[0].type != operand_type(op, 0))
    return rule_fail(m, op, "the induction variable has type %s, but the bounds have type %s",
                     type_text(m, body->args[0].type), type_text(m, operand_type(op, 0)));
  warn_step(m, op);
  return check_carried(m, op, init, n, 1) && check_no_view_results(m, op);
}

RULE(loop, CARRIED_WORDS) {
  uint32_t n;
  const ir_use *init = ir_operand_group(op, 0, &n);
  return check_carried(m, op, init, n, 0) && check_no_view_results(m, op);
}

/* ---- if ------------------------------------------------------------------------------------- */

static bool check_yield(const ir_module *m, const ir_op *op, unsigned region, const char *name) {
  const ir_op *end = op->regions[region]->last;
  if (end->opcode != OP_yield || same_as_results(end, op)) return true;
  if (end->n_operands == 0)
    return rule_fail(m, op, "it has results of types %s, but the %s branch yields nothing",
                     results_text(m, op), name);
  uint32_t wrong = 0;
  while (wrong < end->n_operands && wrong < op->n_results &&
         operand_type(end, wrong) == result_type(op, wrong))
    wrong++;
  rule_fail_operand(m, end, wrong, "the results of 'if' have types %s, but the %s branch yields %s",
                    results_text(m, op), name, values_text(m, end->operands, end->n_operands));
  rule_note(m, op, "the results are declared here");
  return false;
}

RULE(if, "A branch that ends with yield yields values of the results' types.\n"
         "With results, there is an else branch.\n"
         "Results are no views.") {
  if (!check_no_view_results(m, op) || !check_yield(m, op, 0, "then")) return false;
  if (op->regions[1]) return check_yield(m, op, 1, "else");
  return op->n_results == 0 ||
         rule_fail(m, op, "it has results of types %s, so it needs an else branch that yields them",
                   results_text(m, op));
}

/* ---- reduce and scan ------------------------------------------------------------------------ */

static bool check_identities(const ir_module *m, const ir_op *op) {
  const ir_scalars *s = ir_get_attr(op, ATTR_identities)->scalars;
  if (s->len != op->n_operands)
    return rule_fail(m, op, "there %s %u identit%s for %u operand%s; expected one for each",
                     s->len == 1 ? "is" : "are", s->len, s->len == 1 ? "y" : "ies", op->n_operands,
                     plural(op->n_operands));
  for (uint32_t i = 0; i < s->len; i++)
    if (s->data[i].elem != operand_type(op, i)->elem)
      return rule_fail(m, op, "identity %u is of type %s, but operand %u consists of %s", i,
                       tsr_elem_name((tsr_elem)s->data[i].elem), i,
                       elem_text(m, operand_type(op, i)));
  return true;
}

static bool is_scalar_of(const ir_type *t, const ir_type *tile) {
  return t && t->kind == IR_TILE && t->rank == 0 && ir_same_elem(t, tile);
}

static bool check_body(const ir_module *m, const ir_op *op) {
  const ir_block *body = op->regions[0];
  if (body->n_args != 2 * op->n_operands)
    return rule_fail(m, op,
                     "the body has %u argument%s; expected %u, two for each operand: the element "
                     "and what was combined before, (%%current, %%previous)",
                     body->n_args, plural(body->n_args), 2 * op->n_operands);
  for (uint32_t i = 0; i < body->n_args; i++)
    if (!is_scalar_of(body->args[i].type, operand_type(op, i / 2)))
      return rule_fail_argument(
          m, op, i,
          "argument %u of the body has type %s; expected tile<%s>, a scalar of "
          "operand %u",
          i, type_text(m, body->args[i].type), elem_text(m, operand_type(op, i / 2)), i / 2);
  const ir_op *end = body->last; /* a yield: nothing else may end it */
  if (end->opcode != OP_yield) return true;
  if (end->n_operands != op->n_operands)
    return rule_fail(m, op, "the body yields %u value%s; expected %u, one for each operand",
                     end->n_operands, plural(end->n_operands), op->n_operands);
  for (uint32_t i = 0; i < end->n_operands; i++)
    if (!is_scalar_of(operand_type(end, i), operand_type(op, i)))
      return rule_fail(m, op,
                       "value %u that the body yields has type %s; expected tile<%s>, a "
                       "scalar of operand %u",
                       i, type_text(m, operand_type(end, i)), elem_text(m, operand_type(op, i)), i);
  return true;
}

static bool check_pure(const ir_module *m, const ir_op *op) {
  for (const ir_op *inner = op->regions[0]->first; inner; inner = inner->next)
    if (inner->opcode < OP_TABLE_SIZE && !(ir_row(inner)->traits & (TRAIT_PURE | TRAIT_TERMINATOR)))
      return rule_fail(m, inner,
                       "only pure operations may be inside %s, and this one is not; "
                       "compute it outside",
                       ir_row(op)->name);
  return true;
}

static bool check_result_shape(const ir_module *m, const ir_op *op, uint32_t i, int64_t dim) {
  const ir_type *from = operand_type(op, i), *to = result_type(op, i);
  bool keeps = op->opcode == OP_scan;
  bool same = to->rank + !keeps == from->rank && ir_same_elem(to, from);
  for (unsigned d = 0; same && d < to->rank; d++)
    same = to->shape[d] == from->shape[d + (!keeps && d >= dim)];
  if (same) return true;
  if (keeps)
    return rule_fail(m, op, "result %u has type %s, but operand %u has type %s; they must be equal",
                     i, type_text(m, to), i, type_text(m, from));
  return rule_fail(m, op,
                   "result %u has type %s; expected the type of operand %u, %s, without "
                   "dimension %lld",
                   i, type_text(m, to), i, type_text(m, from), (long long)dim);
}

static bool check_aggregate(const ir_module *m, const ir_op *op) {
  uint32_t n = op->n_operands;
  int64_t dim = ir_int_attr(op, ATTR_dim);
  if (n == 0) return rule_fail(m, op, "expected at least one operand");
  if (op->n_results != n)
    return rule_fail(m, op, "%u operand%s and %u result%s are given; they must be equally many", n,
                     plural(n), op->n_results, plural(op->n_results));
  const ir_type *first = operand_type(op, 0);
  for (uint32_t i = 1; i < n; i++)
    if (!ir_same_shape(first, operand_type(op, i)))
      return rule_fail(m, op,
                       "operand %u has shape %s, but operand 0 has shape %s; they must be "
                       "equal",
                       i, shape_text(m, operand_type(op, i)), shape_text(m, first));
  if (dim < 0 || dim >= first->rank)
    return rule_fail(m, op, "dim is %lld, but the operands have rank %u", (long long)dim,
                     first->rank);
  if (!check_identities(m, op)) return false;
  for (uint32_t i = 0; i < n; i++)
    if (!check_result_shape(m, op, i, dim)) return false;
  return check_body(m, op) && check_pure(m, op);
}

#define AGGREGATE_WORDS                                                                            \
  "There is at least one operand; all have the same shape, and `dim` is a dimension of it.\n"      \
  "There is one identity for each operand, of its element type.\n"                                 \
  "The body has two scalar arguments for each operand, of its element type, and yields one.\n"     \
  "The body consists of pure operations.\n"

RULE(reduce, AGGREGATE_WORDS "Each result has its operand's type without dimension `dim`.") {
  return check_aggregate(m, op);
}

RULE(scan, AGGREGATE_WORDS "Each result has its operand's type.") {
  return check_aggregate(m, op);
}
