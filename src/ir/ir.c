/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Modules, operations, values and their uses.
 */
#include "ir/ir.h"

#include <stdlib.h>

#include "base/invariant.h"
#include "num/num.h"

/* ---- modules -------------------------------------------------------------------------------- */

static void module_init(ir_module *m, str name) {
  vec_push(&m->arena, m->locs, (ir_loc_info){.kind = IR_LOC_UNKNOWN});
  m->op = ir_op_create(m, &(ir_op_spec){.opcode = OP_module, .n_regions = 1});
  ir_set_attr(m->op, ATTR_sym_name, (ir_attr){.s = arena_str(&m->arena, name)});
  ir_region_create(m, m->op, 0, 0, NULL);
}

/* The operation table is looked over before anything relies on it, once per process. */
static void check_table(void) {
  static bool checked; /* written with one value only */
  if (!CHECKS_INVARIANTS || __atomic_exchange_n(&checked, true, __ATOMIC_RELAXED)) return;
  char problem[256];
  INVARIANT_SAYS(op_table_check(problem, sizeof problem) ? problem : NULL);
}

ir_module *ir_module_create(tsr_context *ctx, str name) {
  check_table();
  ir_module *m = ctx_alloc(ctx, sizeof *m);
  enum { DEFAULT_LEVEL = 2 };
  *m = (ir_module){.ctx = ctx, .level = DEFAULT_LEVEL};
  arena_init(&m->arena, ctx);
  TSR_GUARD(ctx, {
    ir_module_destroy(m);
    ctx_unwind(ctx);
  });
  module_init(m, name);
  TSR_UNGUARD(ctx);
  return m;
}

void ir_module_destroy(ir_module *m) {
  if (!m) return;
  tsr_context *ctx = m->ctx;
  arena_free(&m->arena);
  ctx_free(ctx, m, sizeof *m);
}

/* ---- locations ------------------------------------------------------------------------------ */

ir_loc ir_loc_add(ir_module *m, ir_loc_info info) {
  vec_push(&m->arena, m->locs, info);
  return m->locs.len - 1;
}

ir_loc ir_loc_file(ir_module *m, const char *file, uint32_t line, uint32_t column) {
  return ir_loc_add(
      m, (ir_loc_info){.kind = IR_LOC_FILE, .file = file, .line = line, .column = column});
}

place ir_place(const ir_module *m, ir_loc loc) {
  /* Bounded, so that a cycle made by hand cannot hang us. */
  for (int depth = 0; depth < 64 && loc < m->locs.len; depth++) {
    const ir_loc_info *l = &m->locs.data[loc];
    if (l->kind == IR_LOC_FILE) {
      bool own = m->source && l->file == m->source->name;
      return (place){.src = own ? m->source : NULL,
                     .file = l->file,
                     .line = l->line,
                     .column = l->column,
                     .length = 1};
    }
    if (l->kind == IR_LOC_UNKNOWN) break;
    loc = l->inner ? l->inner : l->outer;
  }
  return (place){.src = NULL, .file = m->source ? m->source->name : NULL};
}

/* ---- operations ----------------------------------------------------------------------------- */

static void use_link(ir_use *u, ir_value *v) {
  u->value = v;
  u->next = v->uses;
  u->prev = &v->uses;
  if (v->uses) v->uses->prev = &u->next;
  v->uses = u;
}

static void use_unlink(ir_use *u) {
  if (!u->prev) return;
  *u->prev = u->next;
  if (u->next) u->next->prev = u->prev;
  u->prev = NULL;
  u->next = NULL;
}

/* How many operands each group has, when the caller did not say. */
static void derive_segments(ir_op *op, const op_row *row) {
  unsigned groups = op_n_operands(row);
  uint32_t fixed = 0;
  for (unsigned g = 0; g < groups; g++) fixed += row->operands[g].arity == ONE;
  uint32_t open = op->n_operands > fixed ? op->n_operands - fixed : 0;
  for (unsigned g = 0; g < groups; g++) {
    uint32_t n = 1;
    if (row->operands[g].arity == OPT)
      n = open ? 1 : 0;
    else if (row->operands[g].arity == MANY)
      n = open;
    if (row->operands[g].arity != ONE) open -= n;
    op->segments[g] = n;
  }
}

ir_op *ir_op_create(ir_module *m, const ir_op_spec *spec) {
  const op_row *row = &op_table[spec->opcode];
  unsigned groups = op_n_operands(row), slots = op_n_attrs(row);
  uint32_t n = spec->n_operands, r = spec->n_results;
  /* One piece of memory: a module of many operations is walked in the order it was made. */
  size_t bytes = sizeof(ir_op) + n * sizeof(ir_use) + r * sizeof(ir_value) +
                 slots * sizeof(ir_attr) + spec->n_regions * sizeof(ir_block *) +
                 groups * sizeof(uint32_t);
  char *p = arena_alloc_zero(&m->arena, bytes, 8);
  ir_op *op = (ir_op *)p;
  p += sizeof(ir_op);
  op->operands = (ir_use *)p;
  p += n * sizeof(ir_use);
  op->results = (ir_value *)p;
  p += r * sizeof(ir_value);
  op->attrs = (ir_attr *)p;
  p += slots * sizeof(ir_attr);
  op->regions = (ir_block **)p;
  p += spec->n_regions * sizeof(ir_block *);
  op->segments = (uint32_t *)p;
  op->opcode = (uint16_t)spec->opcode;
  op->loc = spec->loc;
  op->n_operands = n;
  op->n_results = r;
  op->n_regions = (uint8_t)spec->n_regions;
  for (uint32_t i = 0; i < n; i++) {
    op->operands[i].user = op;
    if (spec->operands[i]) use_link(&op->operands[i], spec->operands[i]);
  }
  for (uint32_t i = 0; i < r; i++)
    op->results[i] = (ir_value){.type = spec->result_types[i], .owner.op = op, .index = i};
  if (spec->segments)
    memcpy(op->segments, spec->segments, groups * sizeof(uint32_t));
  else
    derive_segments(op, row);
  for (unsigned i = 0; i < slots; i++)
    if (row->attrs[i].optional == AO_DEFAULT || row->attrs[i].optional == AO_ELIDED)
      op->attrs[i].i = row->attrs[i].value;
  return op;
}

void ir_op_append(ir_block *b, ir_op *op) {
  op->block = b;
  op->prev = b->last;
  op->next = NULL;
  if (b->last)
    b->last->next = op;
  else
    b->first = op;
  b->last = op;
}

void ir_op_insert_before(ir_op *where, ir_op *op) {
  op->block = where->block;
  op->prev = where->prev;
  op->next = where;
  if (where->prev)
    where->prev->next = op;
  else
    where->block->first = op;
  where->prev = op;
}

void ir_op_unlink(ir_op *op) {
  if (!op->block) return;
  if (op->prev)
    op->prev->next = op->next;
  else
    op->block->first = op->next;
  if (op->next)
    op->next->prev = op->prev;
  else
    op->block->last = op->prev;
  op->block = NULL;
  op->prev = op->next = NULL;
}

static bool drop_uses(void *user, ir_op *op) {
  (void)user;
  for (uint32_t i = 0; i < op->n_operands; i++) use_unlink(&op->operands[i]);
  return true;
}

void ir_op_erase(ir_op *op) {
  ir_op_unlink(op);
  ir_walk(op, drop_uses, NULL);
}

ir_block *ir_region_create(ir_module *m, ir_op *op, unsigned region, uint32_t n_args,
                           const ir_type *const *arg_types) {
  INVARIANT(region < op->n_regions);
  ir_block *b = arena_new(&m->arena, ir_block);
  b->parent = op;
  b->n_args = n_args;
  b->args = arena_array(&m->arena, ir_value, n_args);
  for (uint32_t i = 0; i < n_args; i++)
    b->args[i] = (ir_value){.type = arg_types[i], .owner.block = b, .index = i, .is_arg = true};
  op->regions[region] = b;
  return b;
}

void ir_set_operand(ir_op *op, uint32_t index, ir_value *v) {
  ir_use *u = &op->operands[index];
  use_unlink(u);
  u->value = NULL;
  if (v) use_link(u, v);
}

void ir_replace_uses(ir_value *v, ir_value *by) {
  while (v->uses) {
    ir_use *u = v->uses;
    use_unlink(u);
    use_link(u, by);
  }
}

bool ir_has_one_use(const ir_value *v) {
  return v->uses && !v->uses->next;
}

void ir_set_name(ir_module *m, ir_value *v, str name) {
  v->name = arena_strndup(&m->arena, name.data, name.len);
}

ir_use *ir_operand_group(const ir_op *op, unsigned group, uint32_t *n) {
  uint32_t first = 0;
  for (unsigned g = 0; g < group; g++) first += op->segments[g];
  *n = op->segments[group];
  return *n ? &op->operands[first] : NULL;
}

ir_value *ir_operand_in(const ir_op *op, unsigned group) {
  uint32_t n;
  ir_use *u = ir_operand_group(op, group, &n);
  return u ? u->value : NULL;
}

/* ---- attributes ----------------------------------------------------------------------------- */

int ir_attr_slot(op_code opcode, attr_id id) {
  const op_row *row = &op_table[opcode];
  for (int i = 0; i < OP_MAX_ATTRS && row->attrs[i].id != ATTR_NONE; i++)
    if (row->attrs[i].id == id) return i;
  return -1;
}

const ir_attr *ir_get_attr(const ir_op *op, attr_id id) {
  int slot = ir_attr_slot((op_code)op->opcode, id);
  INVARIANT(slot >= 0 && "the operation has no such attribute");
  uint8_t optional = op_table[op->opcode].attrs[slot].optional;
  bool has_default = optional == AO_DEFAULT || optional == AO_ELIDED;
  return has_default || op->present >> slot & 1 ? &op->attrs[slot] : NULL;
}

bool ir_has_attr(const ir_op *op, attr_id id) {
  return ir_get_attr(op, id) != NULL;
}

int64_t ir_int_attr(const ir_op *op, attr_id id) {
  const ir_attr *a = ir_get_attr(op, id);
  return a ? a->i : 0;
}

void ir_set_attr(ir_op *op, attr_id id, ir_attr value) {
  int slot = ir_attr_slot((op_code)op->opcode, id);
  INVARIANT(slot >= 0 && "the operation has no such attribute");
  op->attrs[slot] = value;
  op->present |= 1u << slot;
}

void ir_set_int(ir_op *op, attr_id id, int64_t value) {
  ir_set_attr(op, id, (ir_attr){.i = value});
}

static int compare_str(str a, str b) {
  int order = memcmp(a.data, b.data, MIN(a.len, b.len));
  return order ? order : (a.len > b.len) - (a.len < b.len);
}

static int compare_hints(const void *a, const void *b) {
  const ir_hint *x = a, *y = b;
  int order = compare_str(x->target, y->target);
  return order ? order : compare_str(x->key, y->key);
}

void ir_sort_hints(ir_hints *h) {
  if (h->len > 1) qsort(h->data, h->len, sizeof *h->data, compare_hints);
}

/* ---- constants ------------------------------------------------------------------------------ */

ir_dense *ir_dense_create(ir_module *m, const ir_type *tile, bool splat, const void *data,
                          uint32_t size) {
  ir_dense *d = arena_new(&m->arena, ir_dense);
  void *copy = arena_alloc(&m->arena, size, 8);
  memcpy(copy, data, size);
  *d = (ir_dense){.type = tile, .splat = splat, .size = size, .data = copy};
  return d;
}

uint64_t ir_dense_get(const ir_dense *d, int64_t index) {
  if (d->splat) index = 0;
  unsigned bits = tsr_elem_bits(d->type->elem);
  const unsigned char *p = d->data;
  if (bits == 1) return p[index] != 0;
  if (bits < 8) return num_bits_get(p, (size_t)index, bits);
  uint64_t v = 0;
  memcpy(&v, p + (size_t)index * (bits / 8), bits / 8); /* little-endian hosts only, as all of us */
  return v;
}

bool ir_constant_int(const ir_value *v, int64_t *out) {
  const ir_op *op = ir_defining_op(v);
  if (!op || op->opcode != OP_constant) return false;
  const ir_dense *d = ir_get_attr(op, ATTR_value)->dense;
  if (!d->splat || !tsr_elem_is_int(d->type->elem)) return false;
  unsigned bits = tsr_elem_bits(d->type->elem);
  *out = bits == 64 ? (int64_t)ir_dense_get(d, 0)
                    : (int64_t)(ir_dense_get(d, 0) << (64 - bits)) >> (64 - bits);
  return true;
}

/* ---- walks ---------------------------------------------------------------------------------- */

bool ir_is_inside(const ir_op *op, const ir_op *outer) {
  while (op->block) {
    op = op->block->parent;
    if (op == outer) return true;
  }
  return false;
}

/* Not recursive: programs may nest as deep as the parser lets them. */
bool ir_walk(ir_op *root, ir_walk_fn fn, void *user) {
  ir_op *op = root;
  for (;;) {
    if (!fn(user, op)) return false;
    ir_op *next = NULL;
    for (unsigned i = 0; i < op->n_regions && !next; i++)
      if (op->regions[i]) next = op->regions[i]->first;
    /* Up to the nearest operation with something after it: a next operation, or a next region. */
    while (!next) {
      if (op == root) return true;
      if (op->next) {
        next = op->next;
        break;
      }
      ir_block *b = op->block;
      op = b->parent;
      unsigned i = 0;
      while (op->regions[i] != b) i++;
      for (i++; i < op->n_regions && !next; i++)
        if (op->regions[i]) next = op->regions[i]->first;
    }
    op = next;
  }
}

/* ---- element types -------------------------------------------------------------------------- */

typedef struct elem_search {
  uint64_t elems;
  const ir_op *at;
  tsr_elem found;
} elem_search;

static bool has_none(elem_search *s, const ir_op *op, const ir_type *t) {
  unsigned elem = t->kind == IR_FUNCTION ? TSR_ELEM_COUNT : t->elem;
  if (elem == TSR_PTR) elem = t->pointee;
  if (elem >= TSR_ELEM_COUNT || !(s->elems >> elem & 1)) return true;
  s->at = op;
  s->found = (tsr_elem)elem;
  return false;
}

static bool op_has_none(void *user, ir_op *op) {
  elem_search *s = user;
  for (uint32_t i = 0; i < op->n_operands; i++)
    if (!has_none(s, op, ir_operand(op, i)->type)) return false;
  for (uint32_t i = 0; i < op->n_results; i++)
    if (!has_none(s, op, ir_result(op, i)->type)) return false;
  return true;
}

const ir_op *ir_find_elem(ir_op *root, uint64_t elems, tsr_elem *found) {
  elem_search s = {.elems = elems};
  ir_walk(root, op_has_none, &s);
  *found = s.found;
  return s.at;
}

static bool is_unordered(void *user, ir_op *op) {
  (void)user;
  return !effect_accesses(ir_effect(op)) ||
         ir_attr_slot((op_code)op->opcode, ATTR_memory_ordering_semantics) < 0 || /* block level */
         ir_int_attr(op, ATTR_memory_ordering_semantics) == ORDER_WEAK;
}

bool ir_communicates(ir_op *op) {
  return !ir_walk(op, is_unordered, NULL);
}

static bool number_op(void *user, ir_op *op) {
  uint32_t *n = user;
  for (uint32_t i = 0; i < op->n_results; i++) op->results[i].number = (*n)++;
  for (unsigned r = 0; r < op->n_regions; r++)
    for (uint32_t i = 0; op->regions[r] && i < op->regions[r]->n_args; i++)
      op->regions[r]->args[i].number = (*n)++;
  return true;
}

uint32_t ir_number_values(ir_op *op) {
  uint32_t n = 0;
  ir_walk(op, number_op, &n);
  return n;
}

str ir_symbol_name(const ir_op *op) {
  const ir_attr *a = ir_get_attr(op, ATTR_sym_name);
  return a ? a->s : (str){0};
}

ir_op *ir_find_symbol(const ir_module *m, str name) {
  ir_block *body = ir_region(m->op, 0);
  for (ir_op *op = body ? body->first : NULL; op; op = op->next)
    if (ir_row(op)->traits & TRAIT_SYMBOL && str_eq(ir_symbol_name(op), name)) return op;
  return NULL;
}

void ir_number_globals(ir_module *m) {
  m->globals.len = 0;
  for (ir_op *op = ir_region(m->op, 0)->first; op; op = op->next)
    if (op->opcode == OP_global) vec_push(&m->arena, m->globals, op);
  if (m->global_numbers.len == m->globals.len) return; /* it was verified before */
  for (uint32_t i = 0; i < m->globals.len; i++)
    *strmap_put(&m->arena, &m->global_numbers, ir_symbol_name(m->globals.data[i]), NULL) = i;
}

uint32_t ir_global_number(const ir_module *m, str name) {
  return (uint32_t)*strmap_get(&m->global_numbers, name);
}

void ir_error(const ir_module *m, const ir_op *op, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  diag_v(m->ctx, TSR_ERROR, ir_place(m, op->loc), fmt, args);
  va_end(args);
}
