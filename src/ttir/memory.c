/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Memory: loads, stores, atomics, tensor descriptors.
 */
#include "num/num.h"
#include "ttir/lower.h"

bool tt_lower_addptr(lowering *l, tt_op *op) {
  ir_value *p = tt_use(l, op, 0), *offset = p ? tt_use(l, op, 1) : NULL;
  if (!offset) return false;
  return tt_set(l, op, 0, tt_emit2(l, OP_offset, p->type, p, offset));
}

/* ---- loads and stores
 * ----------------------------------------------------------------------------- */

static bool is_pointer(lowering *l, const ir_value *p) {
  return p->type->elem == TSR_PTR || tt_refuse(l, "'" STR_FMT "' through %s", STR_ARG(l->op->name),
                                               ir_type_text(l->temp, p->type));
}

typedef struct atomic_how {
  int ordering, scope; /* ir_ordering, ir_memory_scope; the scope of a weak access is none */
} atomic_how;

static const atomic_how weak = {.ordering = ORDER_WEAK};

static void set_how(ir_op *op, atomic_how how) {
  ir_set_int(op, ATTR_memory_ordering_semantics, how.ordering);
  if (how.ordering != ORDER_WEAK) ir_set_int(op, ATTR_memory_scope, how.scope);
}

static ir_value *load(lowering *l, const ir_type *t, ir_value *p, ir_value *mask, ir_value *other,
                      atomic_how how) {
  ir_value *operands[4] = {p}, *token = l->order.write;
  uint32_t n = 1, segments[] = {1, mask != NULL, other != NULL, token != NULL};
  if (mask) operands[n++] = mask;
  if (other) operands[n++] = other;
  if (token) operands[n++] = token;
  ir_op *op = tt_emit_op(l, &(ir_op_spec){.opcode = OP_load_ptr_tko,
                                          .n_operands = n,
                                          .operands = operands,
                                          .segments = segments,
                                          .n_results = 2,
                                          .result_types = (const ir_type *[]){t, ir_token(l->m)}});
  set_how(op, how);
  if (how.ordering == ORDER_WEAK)
    tt_after_read(l, ir_result(op, 1));
  else
    tt_after_write(l, ir_result(op, 1));
  return ir_result(op, 0);
}

static void store(lowering *l, ir_value *p, ir_value *v, ir_value *mask, atomic_how how) {
  ir_value *operands[4] = {p, v}, *token = tt_before_write(l);
  uint32_t n = 2, segments[] = {1, 1, mask != NULL, token != NULL};
  if (mask) operands[n++] = mask;
  if (token) operands[n++] = token;
  ir_op *op = tt_emit_op(l, &(ir_op_spec){.opcode = OP_store_ptr_tko,
                                          .n_operands = n,
                                          .operands = operands,
                                          .segments = segments,
                                          .n_results = 1,
                                          .result_types = (const ir_type *[]){ir_token(l->m)}});
  set_how(op, how);
  tt_after_write(l, ir_result(op, 0));
}

/* What a load without `other` gives where its mask is false is unspecified, as it is in Tile IR,
 * whose engines all give zero. */
bool tt_lower_load(lowering *l, tt_op *op) {
  ir_value *p = tt_use(l, op, 0), *mask = NULL, *other = NULL;
  const ir_type *t = tt_result_tile(op, 0);
  if (!p || !is_pointer(l, p)) return false;
  if (op->n_operands > 1 && !(mask = tt_use(l, op, 1))) return false;
  if (op->n_operands > 2 && !(other = tt_use(l, op, 2))) return false;
  if (!t) t = tt_like(l, p->type, (tsr_elem)p->type->pointee);
  return tt_set(l, op, 0, load(l, t, p, mask, other, weak));
}

bool tt_lower_store(lowering *l, tt_op *op) {
  ir_value *p = tt_use(l, op, 0), *v = p ? tt_use(l, op, 1) : NULL, *mask = NULL;
  if (!v || !is_pointer(l, p)) return false;
  if (op->n_operands > 2 && !(mask = tt_use(l, op, 2))) return false;
  store(l, p, v, mask, weak);
  return true;
}

/* ---- atomics
 * -------------------------------------------------------------------------------------- */

static bool atomic_attrs(lowering *l, tt_op *op, unsigned word, atomic_how *out) {
  static const char *const orders[] = {"", "relaxed", "acquire", "release", "acq_rel"};
  static const char *const scopes[] = {"", "gpu", "cta", "sys"};
  static const uint8_t of_order[] = {ORDER_RELAXED, ORDER_RELAXED, ORDER_ACQUIRE, ORDER_RELEASE,
                                     ORDER_ACQ_REL};
  static const uint8_t of_scope[] = {SCOPE_DEVICE, SCOPE_DEVICE, SCOPE_TL_BLK, SCOPE_SYS};
  int sem = tt_enum(l, op, "sem", word, orders, ARRAY_LEN(orders));
  int scope = sem < 0 ? -1 : tt_enum(l, op, "scope", word + 1, scopes, ARRAY_LEN(scopes));
  if (scope < 0) return false;
  *out = (atomic_how){of_order[sem], of_scope[scope]};
  return true;
}

/* Operands up to the mask; NULL ones are left out. */
static ir_op *atomic(lowering *l, op_code code, const ir_type *t, ir_value *const v[4],
                     unsigned fixed, atomic_how how) {
  ir_value *operands[5], *token = tt_before_write(l), *mask = v[3];
  uint32_t n = 0, segments[5] = {1, 1, 1, 1, 1};
  for (; n < fixed; n++) operands[n] = v[n];
  segments[fixed] = mask != NULL;
  segments[fixed + 1] = token != NULL;
  if (mask) operands[n++] = mask;
  if (token) operands[n++] = token;
  ir_op *op = tt_emit_op(l, &(ir_op_spec){.opcode = code,
                                          .n_operands = n,
                                          .operands = operands,
                                          .segments = segments,
                                          .n_results = 2,
                                          .result_types = (const ir_type *[]){t, ir_token(l->m)}});
  set_how(op, how);
  tt_after_write(l, ir_result(op, 1));
  return op;
}

bool tt_lower_rmw(lowering *l, tt_op *op) {
  static const char *const names[] = {"",    "and", "or",   "xor",  "add", "fadd",
                                      "max", "min", "umax", "umin", "exch"};
  static const uint8_t modes[] = {RMW_ADD, RMW_AND, RMW_OR,   RMW_XOR,  RMW_ADD, RMW_ADDF,
                                  RMW_MAX, RMW_MIN, RMW_UMAX, RMW_UMIN, RMW_XCHG};
  atomic_how how;
  ir_value *v[4] = {tt_use(l, op, 0)};
  int mode = tt_enum(l, op, "atomic_rmw_op", 0, names, ARRAY_LEN(names));
  if (mode < 0 || !v[0] || !is_pointer(l, v[0]) || !(v[1] = tt_use(l, op, 1)) ||
      (op->n_operands > 2 && !(v[3] = tt_use(l, op, 2))) || !atomic_attrs(l, op, 1, &how))
    return false;
  ir_op *made = atomic(l, OP_atomic_rmw_tko, v[1]->type, v, 2, how);
  ir_set_int(made, ATTR_mode, modes[mode]);
  return tt_set(l, op, 0, ir_result(made, 0));
}

bool tt_lower_cas(lowering *l, tt_op *op) {
  atomic_how how;
  ir_value *v[4] = {0};
  for (uint32_t i = 0; i < 3; i++)
    if (!(v[i] = tt_use(l, op, i))) return false;
  if (!is_pointer(l, v[0]) || !atomic_attrs(l, op, 0, &how)) return false;
  if (tsr_elem_bits((tsr_elem)v[1]->type->elem) == 16) l->m->extensions = true;
  ir_op *made = atomic(l, OP_atomic_cas_tko, v[1]->type, v, 3, how);
  return tt_set(l, op, 0, ir_result(made, 0));
}

/* A load that polls memory is an effect of its own: it waits for all accesses before it, and those
 * after it wait for it. */
bool tt_lower_atomic_load(lowering *l, tt_op *op) {
  atomic_how how;
  ir_value *p = tt_use(l, op, 0), *mask = NULL;
  if (!p || !is_pointer(l, p) || !atomic_attrs(l, op, 0, &how)) return false;
  if (op->n_operands > 1 && !(mask = tt_use(l, op, 1))) return false;
  const ir_type *t = tt_like(l, p->type, (tsr_elem)p->type->pointee);
  l->order = (tt_order){.write = tt_before_write(l)};
  return tt_set(l, op, 0, load(l, t, p, mask, NULL, how));
}

bool tt_lower_atomic_store(lowering *l, tt_op *op) {
  atomic_how how;
  ir_value *p = tt_use(l, op, 0), *v = p ? tt_use(l, op, 1) : NULL, *mask = NULL;
  if (!v || !is_pointer(l, p) || !atomic_attrs(l, op, 0, &how)) return false;
  if (op->n_operands > 2 && !(mask = tt_use(l, op, 2))) return false;
  store(l, p, v, mask, how);
  return true;
}

/* ---- polling ----------------------------------------------------------------------------------
 */

/* What a poll carries from one look at memory to the next. */
typedef struct poll {
  ir_value *p, *expected, *timeout; /* in nanoseconds; NULL: it has none */
  atomic_how how;
} poll;

static ir_value *all_of(lowering *l, ir_value *v) {
  if (ir_is_scalar(v->type)) return v;
  v = tt_reshape(l, v, 1, (const int64_t[]){v->type->count});
  return tt_reduce(l, v, 0, OP_andi, 1);
}

/* found, looks and the order of memory are what the loop carries; found and the order leave it. */
static void poll_body(lowering *l, const poll *w, const ir_block *body) {
  ir_value *found = &body->args[0], *looks = &body->args[1];
  l->order = (tt_order){.write = &body->args[2]};
  ir_value *seen = load(l, w->expected->type, w->p, NULL, NULL, w->how);
  ir_value *hit = tt_compare(l, CMP_EQUAL, false, seen, w->expected);
  found = tt_emit2(l, OP_ori, hit->type, found, hit);
  looks = tt_emit2(l, OP_addi, looks->type, looks, tt_int(l, looks->type, 1));
  ir_value *enough = all_of(l, found);
  if (w->timeout)
    enough = tt_emit2(l, OP_ori, enough->type, enough,
                      tt_compare(l, CMP_GREATER_EQUAL, false, looks, w->timeout));
  ir_value *out[] = {found, l->order.write}, *on[] = {found, looks, l->order.write};
  ir_op *made = tt_emit_op(
      l, &(ir_op_spec){.opcode = OP_if, .n_operands = 1, .operands = &enough, .n_regions = 2});
  ir_block *outer = l->block;
  l->block = ir_region_create(l->m, made, 0, 0, NULL);
  tt_emit_op(l, &(ir_op_spec){.opcode = OP_break, .n_operands = 2, .operands = out});
  l->block = ir_region_create(l->m, made, 1, 0, NULL);
  tt_emit_op(l, &(ir_op_spec){.opcode = OP_yield});
  l->block = outer;
  tt_emit_op(l, &(ir_op_spec){.opcode = OP_continue, .n_operands = 3, .operands = on});
}

/* A loop that looks until every element has been what is expected. Tile IR has no clock: a look
 * counts as a nanosecond of the timeout, so that it is longer than was asked for, not shorter. */
bool tt_lower_atomic_poll(lowering *l, tt_op *op) {
  poll w = {.p = tt_use(l, op, 0)};
  if (!w.p || !is_pointer(l, w.p) || !(w.expected = tt_use(l, op, 1)) ||
      (op->n_operands > 2 && !(w.timeout = tt_use(l, op, 2))) || !atomic_attrs(l, op, 0, &w.how))
    return false;
  const ir_type *i64 = ir_scalar(l->m, TSR_I64), *i1 = tt_like(l, w.expected->type, TSR_I1);
  if (!tsr_elem_is_int((tsr_elem)w.expected->type->elem) ||
      w.p->type->pointee != w.expected->type->elem || (w.timeout && w.timeout->type != i64))
    return tt_refuse(l, "'" STR_FMT "' of %s", STR_ARG(op->name),
                     ir_type_text(l->temp, w.expected->type));
  ir_value *before = tt_order_in(l, TT_READS | TT_WRITES);
  ir_value *first[] = {tt_int(l, i1, 0), tt_int(l, i64, 0), before};
  const ir_type *types[] = {i1, i64, before->type}, *results[] = {i1, before->type};
  ir_op *made = tt_emit_op(l, &(ir_op_spec){.opcode = OP_loop,
                                            .n_operands = 3,
                                            .operands = first,
                                            .n_results = 2,
                                            .result_types = results,
                                            .n_regions = 1});
  ir_block *outer = l->block;
  l->block = ir_region_create(l->m, made, 0, 3, types);
  poll_body(l, &w, l->block);
  l->block = outer;
  tt_after_write(l, ir_result(made, 1));
  return tt_set(l, op, 0, ir_result(made, 0));
}

/* ---- tensor descriptors
 * ---------------------------------------------------------------------------- */

bool tt_lower_descriptor(lowering *l, tt_op *op) {
  tt_descriptor *d = arena_new(l->temp, tt_descriptor);
  if (op->n_results != 1 || !op->results[0].type.is_descriptor)
    return tt_refuse(l, "'" STR_FMT "' gives a tensor descriptor", STR_ARG(op->name));
  d->rank = op->results[0].type.tile->rank;
  if (op->n_operands != 1 + 2 * d->rank)
    return tt_refuse(l, "a tensor descriptor of %u dimensions with %u operands", d->rank,
                     op->n_operands);
  if (!(d->base = tt_use(l, op, 0)) || !is_pointer(l, d->base)) return false;
  for (uint32_t i = 0; i < d->rank; i++) {
    ir_value *extent = tt_use(l, op, 1 + i), *stride = tt_use(l, op, 1 + d->rank + i);
    if (!extent || !stride) return false;
    if (!tsr_elem_is_int((tsr_elem)extent->type->elem) ||
        !tsr_elem_is_int((tsr_elem)stride->type->elem))
      return tt_refuse(l, "extents and strides are integers");
    d->shape[i] = tt_convert_int(l, extent, TSR_I64, true);
    d->strides[i] = tt_convert_int(l, stride, TSR_I64, true);
  }
  const tt_attr *padding = tt_find_attr(op->attrs, "padding");
  enum { PAD_NAN = 2 };
  d->pads_nan =
      padding && (padding->kind == TT_INT ? padding->i == PAD_NAN : str_is(padding->text, "nan"));
  op->results[0].descriptor = d;
  return true;
}

/* A block of a tensor: pointers to its elements, and which of them are inside. */
typedef struct block_access {
  const tt_descriptor *d;
  const ir_type *shape; /* any elements */
  ir_value *p, *mask;
} block_access;

/* The coordinates along a dimension are `index`, a tile of i64 that spreads over the block. */
static void add_dimension(lowering *l, block_access *a, uint32_t dim, ir_value *index) {
  uint32_t rank = a->shape->rank;
  const int64_t *shape = a->shape->shape;
  ir_value *zero = tt_int(l, index->type, 0);
  ir_value *extent = tt_splat(l, a->d->shape[dim], rank, shape);
  ir_value *stride = tt_splat(l, a->d->strides[dim], rank, shape);
  ir_value *inside = tt_emit2(l, OP_andi, tt_like(l, index->type, TSR_I1),
                              tt_compare(l, CMP_GREATER_EQUAL, true, index, zero),
                              tt_compare(l, CMP_LESS, true, index, extent));
  a->mask = a->mask ? tt_emit2(l, OP_andi, inside->type, a->mask, inside) : inside;
  ir_value *offset = tt_emit2(l, OP_muli, index->type, index, stride);
  a->p = tt_emit2(l, OP_offset, a->p->type, a->p, offset);
}

static ir_value *as_i64(lowering *l, const tt_op *op, uint32_t i) {
  ir_value *v = tt_use(l, op, i);
  if (!v) return NULL;
  if (tsr_elem_is_int((tsr_elem)v->type->elem)) return tt_convert_int(l, v, TSR_I64, true);
  tt_refuse(l, "an index is an integer");
  return NULL;
}

/* first, first + 1, … along a dimension */
static ir_value *coordinates(lowering *l, const block_access *a, uint32_t dim, ir_value *first) {
  uint32_t rank = a->shape->rank;
  const int64_t *shape = a->shape->shape;
  ir_value *step = tt_along(l, tt_iota(l, TSR_I64, shape[dim]), dim, rank, shape);
  return tt_emit2(l, OP_addi, step->type, tt_splat(l, first, rank, shape), step);
}

static const tt_descriptor *descriptor_of(lowering *l, const tt_op *op) {
  const tt_value *v = op->operands[0];
  if (!v->descriptor)
    tt_refuse(l,
              "'%%" STR_FMT "' is not made by tt.make_tensor_descriptor in the same function; "
              "pass the pointer, the shape and the strides",
              STR_ARG(v->name));
  return v->descriptor;
}

static bool begin_access(lowering *l, const tt_op *op, uint32_t indices, block_access *a) {
  if (!(a->d = descriptor_of(l, op))) return false;
  const ir_type *block = op->operands[0]->type.tile;
  if (indices != a->d->rank)
    return tt_refuse(l, "%u indices into a tensor of %u dimensions", indices, a->d->rank);
  if (!a->shape) a->shape = block;
  a->p = tt_splat(l, a->d->base, a->shape->rank, a->shape->shape);
  return true;
}

/* Operands from `first` on are the indices, one for each dimension. */
static bool block_at(lowering *l, const tt_op *op, uint32_t first, uint32_t n, block_access *a) {
  if (!begin_access(l, op, n, a)) return false;
  for (uint32_t i = 0; i < n; i++) {
    ir_value *index = as_i64(l, op, first + i);
    if (!index) return false;
    if (!ir_is_scalar(index->type)) return tt_refuse(l, "an index is a scalar");
    add_dimension(l, a, i, coordinates(l, a, i, index));
  }
  return true;
}

static ir_value *load_block(lowering *l, const block_access *a) {
  const ir_type *t = tt_like(l, a->p->type, (tsr_elem)a->p->type->pointee);
  const num_format *f = num_format_of((tsr_elem)t->elem);
  ir_value *other = tt_constant(l, t, a->d->pads_nan && f ? num_nan(f) : 0);
  return load(l, t, a->p, a->mask, other, weak);
}

bool tt_lower_descriptor_load(lowering *l, tt_op *op) {
  block_access a = {0};
  const ir_type *t = tt_result_tile(op, 0);
  if (!block_at(l, op, 1, op->n_operands - 1, &a)) return false;
  ir_value *v = load_block(l, &a);
  if (t && t->count != v->type->count) return tt_refuse(l, "the block has another size");
  return tt_set(l, op, 0, t ? tt_reshape(l, v, t->rank, t->shape) : v);
}

/* The custom form has the indices before what is stored, the generic form behind it. */
static ir_value *stored_block(lowering *l, const tt_op *op, block_access *a) {
  uint32_t n = op->n_operands;
  if (!block_at(l, op, op->generic ? 2 : 1, n - 2, a)) return NULL;
  ir_value *v = tt_use(l, op, op->generic ? 1 : n - 1);
  if (!v) return NULL;
  if (v->type->count == a->shape->count) return tt_reshape(l, v, a->shape->rank, a->shape->shape);
  tt_refuse(l, "the block has another size");
  return NULL;
}

bool tt_lower_descriptor_store(lowering *l, tt_op *op) {
  block_access a = {0};
  ir_value *v = stored_block(l, op, &a);
  if (!v) return false;
  store(l, a.p, v, a.mask, weak);
  return true;
}

bool tt_lower_descriptor_reduce(lowering *l, tt_op *op) {
  static const char *const names[] = {"", "add", "min", "max", "inc", "dec", "and", "or", "xor"};
  enum { ADD = 1, INC = 4, DEC = 5 };
  static const uint8_t modes[] = {0, RMW_ADD, RMW_MIN, RMW_MAX, 0, 0, RMW_AND, RMW_OR, RMW_XOR};
  block_access a = {0};
  int mode = tt_enum(l, op, "kind", 0, names, ARRAY_LEN(names));
  ir_value *v = mode < 0 ? NULL : stored_block(l, op, &a);
  if (!v) return false;
  if (mode == 0 || mode == INC || mode == DEC)
    return tt_refuse(l, "'" STR_FMT "' with '%s'; Tile IR has no such atomic", STR_ARG(op->name),
                     names[mode]);
  ir_value *const operands[4] = {a.p, v, NULL, a.mask};
  atomic_how how = {ORDER_RELAXED, SCOPE_DEVICE};
  ir_op *made = atomic(l, OP_atomic_rmw_tko, v->type, operands, 2, how);
  bool real = tsr_elem_is_float((tsr_elem)v->type->elem);
  ir_set_int(made, ATTR_mode, mode == ADD && real ? RMW_ADDF : modes[mode]);
  return true;
}

/* Rows by a vector of numbers, from a column on. */
static bool rows_at(lowering *l, const tt_op *op, const ir_type *shape, uint32_t first,
                    block_access *a) {
  a->shape = shape;
  if (shape->rank != 2) return tt_refuse(l, "rows are gathered into a block of two dimensions");
  if (!begin_access(l, op, 2, a)) return false;
  ir_value *rows = as_i64(l, op, first), *column = rows ? as_i64(l, op, first + 1) : NULL;
  if (!column) return false;
  if (rows->type->count != shape->shape[0] || !ir_is_scalar(column->type))
    return tt_refuse(l, "as many rows as the block has, and one column");
  add_dimension(l, a, 0, tt_along(l, rows, 0, 2, shape->shape));
  add_dimension(l, a, 1, coordinates(l, a, 1, column));
  return true;
}

bool tt_lower_descriptor_gather(lowering *l, tt_op *op) {
  block_access a = {0};
  const ir_type *t = tt_result_tile(op, 0);
  if (!t) return true;
  return rows_at(l, op, t, 1, &a) && tt_set(l, op, 0, load_block(l, &a));
}

bool tt_lower_descriptor_scatter(lowering *l, tt_op *op) {
  block_access a = {0};
  ir_value *v = tt_use(l, op, 3);
  if (!v || !rows_at(l, op, v->type, 1, &a)) return false;
  store(l, a.p, v, a.mask, weak);
  return true;
}
