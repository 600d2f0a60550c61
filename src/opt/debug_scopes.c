/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * synthesize-debug-info-scopes: every kernel without debug information becomes a subprogram, and
 * its operations are in it, as in the reference's pass of this name.
 */
#include "opt/opt.h"

/* The place in a file that a location stands for; 0 when there is none. Of a call that is the
 * caller, for it is in this kernel that the call was written. Bounded, so that a circle made by
 * hand cannot hang us. */
static ir_loc file_of(const ir_module *m, ir_loc loc) {
  for (uint32_t steps = 0; loc && loc < m->locs.len && steps < m->locs.len; steps++) {
    const ir_loc_info *l = &m->locs.data[loc];
    bool links_file = l->inner < m->locs.len && m->locs.data[l->inner].kind == IR_LOC_FILE;
    if (l->kind == IR_LOC_FILE) return loc;
    if (l->kind == IR_LOC_FUSED && links_file) return l->inner;
    if (l->kind == IR_LOC_NAMED)
      loc = l->inner;
    else if (l->kind == IR_LOC_FUSED || l->kind == IR_LOC_CALLSITE)
      loc = l->outer;
    else
      break;
  }
  return 0;
}

/* Whether debug information is anywhere in a location. */
static bool has_debug(const ir_module *m, arena *temp, ir_loc loc) {
  VEC(ir_loc) todo = {0};
  vec_push(temp, todo, loc);
  for (uint32_t steps = 0; todo.len && steps < m->locs.len; steps++) {
    loc = todo.data[--todo.len];
    if (!loc || loc >= m->locs.len) continue;
    const ir_loc_info *l = &m->locs.data[loc];
    if (l->kind == IR_LOC_DEBUG) return true;
    vec_push(temp, todo, l->inner);
    vec_push(temp, todo, l->outer);
  }
  return false;
}

static uint32_t add_scope(ir_module *m, ir_scope s) {
  vec_push(&m->arena, m->scopes, s);
  return m->scopes.len;
}

/* "dir/kernel.py" is "kernel.py" in "dir". */
static uint32_t file_scope(ir_module *m, ir_loc loc) {
  if (!loc)
    return add_scope(m, (ir_scope){.kind = IR_SCOPE_FILE, .name = "<unknown>", .directory = ""});
  const char *path = m->locs.data[loc].file, *slash = strrchr(path, '/');
  size_t len = slash ? (size_t)(slash - path) : 0;
  while (len > 1 && path[len - 1] == '/') len--;
  return add_scope(
      m, (ir_scope){.kind = IR_SCOPE_FILE,
                    .name = slash ? slash + 1 : path,
                    .directory = arena_strndup(&m->arena, path, slash == path ? 1 : len)});
}

typedef struct scoping {
  opt_run *r;
  ir_loc fallback;
  uint32_t subprogram;
  ir_loc last_file, last; /* neighbours often share a location */
} scoping;

static bool put_in_scope(void *user, ir_op *op) {
  scoping *s = user;
  ir_module *m = s->r->m;
  ir_loc file = file_of(m, op->loc);
  if (!file) file = s->fallback;
  if (!s->last || file != s->last_file) {
    s->last =
        ir_loc_add(m, (ir_loc_info){.kind = IR_LOC_DEBUG, .inner = file, .scope = s->subprogram});
    s->last_file = file;
  }
  op->loc = s->last;
  s->r->changes++;
  return true;
}

static void scope_kernel(opt_run *r, ir_op *op, uint32_t unit) {
  ir_module *m = r->m;
  if (has_debug(m, r->temp, op->loc)) return;
  ir_loc at = file_of(m, op->loc);
  uint32_t file = at ? file_scope(m, at) : m->scopes.data[unit - 1].file;
  if (!at) at = ir_loc_file(m, m->scopes.data[file - 1].name, 1, 1);
  uint32_t line = m->locs.data[at].line;
  str symbol = ir_symbol_name(op);
  const char *name = arena_strndup(&m->arena, symbol.data, symbol.len);
  scoping s = {.r = r, .fallback = at};
  s.subprogram = add_scope(m, (ir_scope){.kind = IR_SCOPE_SUBPROGRAM,
                                         .file = file,
                                         .line = line,
                                         .name = name,
                                         .linkage_name = name,
                                         .unit = unit,
                                         .scope_line = line});
  ir_walk(op, put_in_scope, &s);
}

void opt_synthesize_debug_info_scopes(opt_run *r) {
  ir_module *m = r->m;
  uint32_t unit = 0;
  for (ir_op *op = m->op->regions[0]->first; op; op = op->next) {
    if (op->opcode != OP_entry && op->opcode != OP_testing_func) continue;
    if (!unit)
      unit = add_scope(
          m, (ir_scope){.kind = IR_SCOPE_UNIT, .file = file_scope(m, file_of(m, m->op->loc))});
    scope_kernel(r, op, unit);
  }
}
