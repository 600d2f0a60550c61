/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Names for layouts whose text is long and stands in several places.
 */
#include "ir/block/layouts.h"
#include "simt/block/emit.h"

typedef struct used_layout {
  const void *layout;
  bool is_memory;
  unsigned uses;
} used_layout;

typedef struct naming {
  ir_module *m;
  arena *arena;
  map numbers; /* layout -> 1 + its place in `used` */
  VEC(used_layout) used;
  unsigned n[2]; /* names so far, of distributions and of memory */
} naming;

static void use(naming *x, const void *layout, bool is_memory) {
  if (!layout) return;
  uintptr_t *slot = map_put(x->arena, &x->numbers, (uintptr_t)layout);
  if (!*slot) {
    vec_push(x->arena, x->used, (used_layout){.layout = layout, .is_memory = is_memory});
    *slot = x->used.len;
  }
  x->used.data[*slot - 1].uses++;
}

static void use_type(naming *x, const ir_type *t) {
  if (t->kind == IR_ASYNC) t = t->view;
  use(x, t->layout, false);
  use(x, t->memory, true);
}

static bool use_op(void *user, ir_op *op) {
  naming *x = user;
  for (uint32_t i = 0; i < op->n_results; i++) use_type(x, op->results[i].type);
  for (uint32_t i = 0; i < op->n_operands; i++) use_type(x, ir_operand(op, i)->type);
  if (op->opcode == OP_cp_async) use(x, ir_get_attr(op, ATTR_layout)->layout, false);
  return true;
}

static bool has_name(const naming *x, const void *layout) {
  for (uint32_t i = 0; i < x->m->layout_names.len; i++)
    if (x->m->layout_names.data[i].layout == layout) return true;
  return false;
}

static bool is_taken(const naming *x, str name) {
  for (uint32_t i = 0; i < x->m->layout_names.len; i++) {
    str other = x->m->layout_names.data[i].name;
    if (other.len == name.len && memcmp(other.data, name.data, name.len) == 0) return true;
  }
  return false;
}

/* Written out it would take more than this many characters beyond its first place. */
static bool is_long(const naming *x, const used_layout *u) {
  enum { LONG = 60 };
  sbuf text = SBUF(x->arena);
  if (u->is_memory)
    ir_memory_layout_print(&text, u->layout);
  else
    ir_layout_print(&text, u->layout);
  return (u->uses - 1) * text.len > LONG;
}

static void name_layout(naming *x, const used_layout *u) {
  str name;
  do {
    char *text =
        arena_printf(&x->m->arena, "%s%u", u->is_memory ? "memory" : "tile", x->n[u->is_memory]++);
    name = (str){text, strlen(text)};
  } while (is_taken(x, name));
  vec_push(&x->m->arena, x->m->layout_names,
           (ir_layout_name){.layout = u->layout, .is_memory = u->is_memory, .name = name});
}

void simt_name_layouts(ir_module *m, ir_op *entry, arena *memory) {
  naming x = {.m = m, .arena = memory};
  m->layout_names.cap = m->layout_names.len; /* the table may be another module's, too */
  ir_walk(entry, use_op, &x);
  for (uint32_t i = 0; i < x.used.len; i++) {
    const used_layout *u = &x.used.data[i];
    if (is_long(&x, u) && !has_name(&x, u->layout)) name_layout(&x, u);
  }
}
