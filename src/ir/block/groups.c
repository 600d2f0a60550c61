/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Rules of groups of threads, and of what they do to wait for each other.
 */
#include "ir/block/groups.h"
#include "ir/rules.h"

ir_threads ir_threads_of(const ir_op *op, ir_threads around) {
  if (op->opcode == OP_elect) return (ir_threads){around.first, 1};
  if (op->opcode != OP_group && op->opcode != OP_role) return around;
  int64_t first = ir_int_attr(op, ATTR_first), end = ir_int_attr(op, ATTR_end);
  if (first < 0 || end <= first || end > around.count) return around; /* it was reported */
  return (ir_threads){around.first + (int32_t)first, (int32_t)(end - first)};
}

const ir_op *ir_group_around(const ir_op *op) {
  const ir_op *p = op->block->parent;
  while (p->block && p->opcode != OP_group && p->opcode != OP_role && p->opcode != OP_elect &&
         p->opcode != OP_entry)
    p = p->block->parent;
  return p;
}

ir_threads ir_threads_at(const ir_op *op) {
  const ir_op *group = ir_group_around(op);
  if (group->opcode == OP_entry) return (ir_threads){0, (int32_t)ir_int_attr(group, ATTR_threads)};
  return ir_threads_of(group, ir_threads_at(group));
}

bool ir_is_group(const ir_op *op) {
  return op->opcode == OP_group || op->opcode == OP_role || op->opcode == OP_elect;
}

bool ir_is_scalar_work(const ir_op *op) {
  bool scalar = !op->n_regions && ir_effect(op) == EFFECT_NONE && !ir_is_terminator(op);
  for (uint32_t k = 0; k < op->n_results && scalar; k++)
    scalar = !ir_is_tile(ir_result(op, k)->type) || ir_is_scalar(ir_result(op, k)->type);
  for (uint32_t k = 0; k < op->n_operands && scalar; k++) {
    const ir_op *made = ir_defining_op(ir_operand(op, k));
    scalar = !made || !ir_is_group(made);
  }
  return scalar;
}

/* ---- groups --------------------------------------------------------------------------------- */

enum { WARP = 32, WARPGROUP = 128, REGISTERS = 65536 };

static bool check_range(const ir_module *m, const ir_op *op) {
  int64_t first = ir_int_attr(op, ATTR_first), end = ir_int_attr(op, ATTR_end);
  if (first < 0 || end <= first)
    return rule_fail(m, op, "threads(%lld to %lld) are none; expected 0 <= first < end",
                     (long long)first, (long long)end);
  return (first % WARP == 0 && end % WARP == 0) ||
         rule_fail(m, op,
                   "threads(%lld to %lld) are not whole warps; both numbers must be multiples of "
                   "%d, and elect takes a single thread",
                   (long long)first, (long long)end, WARP);
}

static bool check_results(const ir_module *m, const ir_op *op) {
  const ir_op *end = op->regions[0]->last;
  bool same = end->n_operands == op->n_results;
  for (uint32_t i = 0; same && i < end->n_operands; i++)
    same = operand_type(end, i) == op->results[i].type;
  if (same) return true;
  return rule_fail(m, end, "the results of '%s' have types %s, but the body yields %s",
                   ir_row(op)->name, op->n_results ? results_text(m, op) : "nothing",
                   end->n_operands ? values_text(m, end->operands, end->n_operands) : "nothing");
}

RULE(group, "The threads are whole warps of the group around it.\n"
            "The body yields values of the results' types, tiles or scalars.") {
  for (uint32_t i = 0; i < op->n_results; i++)
    if (!ir_is_tile(op->results[i].type))
      return rule_fail_result(m, op, i, "result %u is %s; a group hands out tiles only", i,
                              type_text(m, op->results[i].type));
  return check_range(m, op) && check_results(m, op);
}

RULE(elect, "It stands in a group of at least a warp.") {
  if (ir_group_around(op)->opcode == OP_elect)
    return rule_fail(m, op, "it is inside of elect, where there is one thread only; remove it");
  return check_results(m, op);
}

static bool check_registers(const ir_module *m, const ir_op *op) {
  int64_t first = ir_int_attr(op, ATTR_first), end = ir_int_attr(op, ATTR_end),
          registers = ir_int_attr(op, ATTR_registers);
  if (registers < 24 || registers > 256 || registers % 8)
    return rule_fail(m, op, "registers is %lld; expected a multiple of 8 from 24 to 256",
                     (long long)registers);
  return (first % WARPGROUP == 0 && end % WARPGROUP == 0) ||
         rule_fail(m, op,
                   "threads(%lld to %lld) cannot be given registers: they are handed out to %d "
                   "threads at a time",
                   (long long)first, (long long)end, WARPGROUP);
}

RULE(role, "The threads are whole warps of the group around it.\n"
           "`registers` is a multiple of 8 from 24 to 256, and the threads are then whole groups "
           "of 128.") {
  return check_range(m, op) && (!ir_has_attr(op, ATTR_registers) || check_registers(m, op)) &&
         check_results(m, op);
}

static bool check_disjoint(const ir_module *m, const ir_op *a) {
  for (const ir_op *b = a->next; b && b->opcode == OP_role; b = b->next) {
    if (ir_int_attr(a, ATTR_first) >= ir_int_attr(b, ATTR_end) ||
        ir_int_attr(b, ATTR_first) >= ir_int_attr(a, ATTR_end))
      continue;
    rule_fail(m, b, "its threads also have another role; roles must not share threads");
    rule_note(m, a, "the other role is here");
    return false;
  }
  return true;
}

RULE(roles, "The region holds nothing but roles, at least one, without common threads.\n"
            "The registers of all roles are at most 65536.") {
  int64_t sum = 0;
  const ir_block *body = op->regions[0];
  for (const ir_op *o = body->first; o && o != body->last; o = o->next) {
    if (o->opcode != OP_role)
      return rule_fail(m, o, "only a role may be inside roles; move it before them");
    if (!check_disjoint(m, o)) return false;
    sum += (ir_int_attr(o, ATTR_end) - ir_int_attr(o, ATTR_first)) * ir_int_attr(o, ATTR_registers);
  }
  if (!sum && body->first == body->last)
    return rule_fail(m, op, "there is no role in it; write role @name threads(first to end) { … }");
  return sum <= REGISTERS ||
         rule_fail(m, op,
                   "its roles take %lld registers, but a multiprocessor has %d; lower registers(…) "
                   "of a role",
                   (long long)sum, REGISTERS);
}

/* ---- barriers ------------------------------------------------------------------------------- */

static bool check_together(const ir_module *m, const ir_op *op) {
  return ir_group_around(op)->opcode != OP_elect ||
         rule_fail(m, op,
                   "it is inside of elect, which one thread executes: the others never come; put "
                   "it behind the elect");
}

RULE(barrier, "It is not inside of elect.") {
  return check_together(m, op);
}
RULE(warp_barrier, "It is not inside of elect.") {
  return check_together(m, op);
}

#define NAMED_WORDS                                                                                \
  "It is not inside of elect.\n"                                                                   \
  "`id` is from 1 to 15.\n"                                                                        \
  "`count` is a multiple of 32 and not less than the threads of the group; of barrier_arrive it "  \
  "is more."

static bool check_named(const ir_module *m, const ir_op *op) {
  int64_t id = ir_int_attr(op, ATTR_id), count = ir_int_attr(op, ATTR_count);
  if (!check_together(m, op)) return false;
  if (id < 1 || id > 15)
    return rule_fail(m, op, "a block has the named barriers 1 to 15, but not %lld", (long long)id);
  if (count % WARP || count < WARP)
    return rule_fail(m, op, "%lld threads take part; expected a multiple of %d", (long long)count,
                     WARP);
  return true;
}

RULE(barrier_arrive, NAMED_WORDS) {
  return check_named(m, op);
}
RULE(barrier_wait, NAMED_WORDS) {
  return check_named(m, op);
}

/* ---- barriers in shared memory -------------------------------------------------------------- */

static bool check_index(const ir_module *m, const ir_op *op, bool all) {
  const ir_type *t = operand_type(op, 0);
  const ir_value *index = ir_operand_in(op, 1);
  int64_t at;
  if (!index)
    return all || t->count == 1 ||
           rule_fail(m, op, "say which of the %lld barriers: %%barrier[%%index]",
                     (long long)t->count);
  if (!ir_constant_int(index, &at) || (at >= 0 && at < t->count)) return true;
  return rule_fail_operand(m, op, 1, "index %lld is outside of %s", (long long)at, type_text(m, t));
}

#define INDEX_WORDS "With several barriers an index says which one."

RULE(mbarrier_init, "`count` is from 1 to 1048575.") {
  int64_t count = ir_int_attr(op, ATTR_count);
  if (count < 1 || count >= 1 << 20)
    return rule_fail(m, op, "%lld arrivals; expected from 1 to %d", (long long)count,
                     (1 << 20) - 1);
  return check_index(m, op, true);
}
RULE(mbarrier_arrive, INDEX_WORDS "\n`count` is from 1 to 1048575.\n"
                                  "`each warp` and `each group` are not inside of elect.") {
  int64_t count = ir_int_attr(op, ATTR_count);
  if (count < 1 || count >= 1 << 20)
    return rule_fail(m, op, "%lld arrivals; expected from 1 to %d", (long long)count,
                     (1 << 20) - 1);
  if (ir_int_attr(op, ATTR_each) != EACH_THREAD && !check_together(m, op)) return false;
  return check_index(m, op, false);
}

static bool check_bytes(const ir_module *m, const ir_op *op) {
  int64_t bytes = ir_int_attr(op, ATTR_bytes);
  if (bytes < 1 || bytes >= 1 << 20)
    return rule_fail(m, op, "%lld bytes; a phase counts from 1 to %d", (long long)bytes,
                     (1 << 20) - 1);
  return check_index(m, op, false);
}

RULE(mbarrier_expect, INDEX_WORDS "\n`bytes` is from 1 to 1048575.") {
  return check_bytes(m, op);
}
RULE(mbarrier_arrive_expect, INDEX_WORDS "\n`bytes` is from 1 to 1048575.") {
  return check_bytes(m, op);
}
RULE(mbarrier_wait, INDEX_WORDS) {
  return check_index(m, op, false);
}
RULE(cp_async_arrive, INDEX_WORDS) {
  return check_index(m, op, false);
}
