/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Rules of debug scopes: a kernel with one is a subprogram of its own name, and everything inside
 * a kernel is in that subprogram.
 */
#include "ir/rules.h"

/* Steps through nested locations or scopes; what takes more counts as having no scope. Locations
 * may share parts, so it is the work that is bounded, not the depth. */
enum { MAX_STEPS = 128 };

static uint32_t find_scope(const ir_module *m, ir_loc loc, int *steps) {
  while (loc && loc < m->locs.len && (*steps)++ < MAX_STEPS) {
    const ir_loc_info *l = &m->locs.data[loc];
    switch ((ir_loc_kind)l->kind) {
    case IR_LOC_UNKNOWN:
    case IR_LOC_FILE: return 0;
    case IR_LOC_DEBUG: return l->scope <= m->scopes.len ? l->scope : 0;
    case IR_LOC_CALLSITE: loc = l->outer; break;
    case IR_LOC_NAMED: loc = l->inner; break;
    case IR_LOC_FUSED: {
      uint32_t scope = find_scope(m, l->inner, steps);
      if (scope) return scope;
      loc = l->outer;
    } break;
    }
  }
  return 0;
}

/* The scope that a location names: 1 + index into the module's scopes, 0 when it names none. */
static uint32_t scope_of(const ir_module *m, ir_loc loc) {
  int steps = 0;
  return find_scope(m, loc, &steps);
}

/* The subprogram around a scope, itself included; 0 when there is none. */
static uint32_t subprogram_of(const ir_module *m, uint32_t scope) {
  for (int step = 0; step < MAX_STEPS && scope && scope <= m->scopes.len; step++) {
    const ir_scope *s = &m->scopes.data[scope - 1];
    if (s->kind == IR_SCOPE_SUBPROGRAM) return scope;
    if (s->kind != IR_SCOPE_BLOCK) return 0;
    scope = s->parent;
  }
  return 0;
}

static bool check_entry_scope(const ir_module *m, const ir_op *op) {
  if (op->loc < m->locs.len && m->locs.data[op->loc].kind == IR_LOC_CALLSITE)
    return rule_fail(m, op,
                     "the location of a kernel cannot be a call site; give the place where "
                     "the kernel is written");
  uint32_t scope = scope_of(m, op->loc);
  if (!scope) return true;
  const ir_scope *s = &m->scopes.data[scope - 1];
  if (s->kind != IR_SCOPE_SUBPROGRAM)
    return rule_fail(m, op, "the debug scope of a kernel must be a di_subprogram");
  const char *linkage = s->linkage_name ? s->linkage_name : "";
  str name = ir_symbol_name(op);
  return str_is(name, linkage) ||
         rule_fail(m, op,
                   "the kernel's debug scope has linkage name \"%s\", but the kernel is "
                   "called @" STR_FMT "; they must be equal",
                   linkage, STR_ARG(name));
}

bool check_debug_scope(const ir_module *m, const ir_op *op, const ir_op *entry) {
  if (op->opcode == OP_entry || op->opcode == OP_testing_func) return check_entry_scope(m, op);
  uint32_t scope = scope_of(m, op->loc);
  if (!scope) return true;
  const ir_op *around = op->block ? op->block->parent : NULL;
  if (around && around->opcode == OP_module && !around->implicit)
    return rule_fail(m, op, "a global cannot have a debug scope");
  uint32_t inner = subprogram_of(m, scope);
  if (!entry || !inner) return true;
  uint32_t outer = subprogram_of(m, scope_of(m, entry->loc));
  if (!outer)
    return rule_fail(m, op,
                     "the operation has a debug scope, but its kernel @" STR_FMT
                     " has none; give the kernel one",
                     STR_ARG(ir_symbol_name(entry)));
  return inner == outer || rule_fail(m, op,
                                     "the operation's debug scope is in another subprogram "
                                     "than its kernel @" STR_FMT,
                                     STR_ARG(ir_symbol_name(entry)));
}
