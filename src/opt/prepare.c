/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The copy that a backend lowers.
 */
#include "opt/prepare.h"

#include "opt/one_device.h"
#include "opt/opt.h"
#include "opt/rewrite.h"

/* The copy's tables begin as the original's. What is added to one of them goes to memory of the
 * copy, because the next addition finds it full. */
static ir_module *share_tables(const ir_module *m) {
  ir_module *copy = ctx_alloc(m->ctx, sizeof *copy);
  *copy = *m;
  arena_init(&copy->arena, m->ctx);
  copy->op = NULL;
  copy->comments = (map){0};
  copy->locs.cap = copy->locs.len;
  copy->scopes.cap = copy->scopes.len;
  copy->globals.data = NULL;
  copy->globals.len = copy->globals.cap = 0;
  return copy;
}

static void copy_slots(arena *a, map *m) {
  map_slot *slots = arena_array(a, map_slot, m->cap);
  if (m->cap) memcpy(slots, m->slots, m->cap * sizeof *slots);
  m->slots = slots;
}

typedef struct view_names {
  arena *arena;
  const value_map *made; /* from values to their copies */
  map *views;
} view_names;

static bool name_view(void *user, ir_op *op) {
  view_names *x = user;
  if (op->opcode != OP_make_tensor_view) return true;
  const ir_op *copy = ir_defining_op(value_map_get(x->made, ir_result(op, 0)));
  *map_put(x->arena, x->views, (uintptr_t)copy) = (uintptr_t)op;
  return true;
}

static void copy_ops(ir_module *copy, const ir_module *m, ir_op *const *entries, unsigned n,
                     ir_op **copies, map *views) {
  value_map vm = {.arena = &copy->arena};
  map numbers = {0}; /* of an entry among those chosen */
  for (unsigned i = 0; i < n; i++) *map_put(&copy->arena, &numbers, (uintptr_t)entries[i]) = i;
  copy->op = rewrite_clone_shell(copy, m->op, &vm);
  ir_block *to = ir_region_create(copy, copy->op, 0, 0, NULL);
  for (const ir_op *op = ir_region(m->op, 0)->first; op; op = op->next) {
    const uintptr_t *number = map_get(&numbers, (uintptr_t)op);
    if (op->opcode == OP_entry && !number) continue;
    ir_op *made = rewrite_clone(copy, op, &vm);
    ir_op_append(to, made);
    if (number) copies[*number] = made;
  }
  ir_number_globals(copy);
  view_names names = {.arena = &copy->arena, .made = &vm, .views = views};
  for (unsigned i = 0; views && i < n; i++) ir_walk(entries[i], name_view, &names);
}

/* False after a message. When memory runs out, the copy is gone. */
static bool fill(ir_module *copy, const ir_module *m, ir_op *const *entries, unsigned n,
                 opt_step first, ir_op **copies, map *views) {
  tsr_context *ctx = m->ctx;
  TSR_GUARD(ctx, {
    ir_module_destroy(copy);
    ctx_unwind(ctx);
  });
  copy_slots(&copy->arena, &copy->types);
  copy_slots(&copy->arena, &copy->layouts);
  copy_ops(copy, m, entries, n, copies, views);
  opt_on_one_device(copy);
  bool ok = (!first || first(copy)) && opt_run_level(copy, m->level) == TSR_OK;
  TSR_UNGUARD(ctx);
  return ok;
}

bool opt_check_tile_level(const ir_module *m, ir_op *const *entries, unsigned n, const char *why) {
  for (unsigned i = 0; i < n; i++) {
    if (!ir_has_attr(entries[i], ATTR_threads)) continue;
    ir_error(m, entries[i], "@" STR_FMT " is of the block level, which %s",
             STR_ARG(ir_symbol_name(entries[i])), why);
    return false;
  }
  return true;
}

ir_module *opt_prepare(const ir_module *m, ir_op *const *entries, unsigned n, opt_step first,
                       ir_op **copies, map *views) {
  ir_module *copy = share_tables(m);
  if (fill(copy, m, entries, n, first, copies, views)) return copy;
  ir_module_destroy(copy);
  return NULL;
}
