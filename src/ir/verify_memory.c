/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Rules of operations on memory: through pointers, through views, atomic; and their hints.
 */
#include "ir/multimem.h"
#include "ir/rules.h"
#include "target/gpu.h"

/* ---- ordering ------------------------------------------------------------------------------- */

/* Accesses that nothing else races with have no scope; all others need one. */
static bool check_scope(const ir_module *m, const ir_op *op) {
  int64_t order = ir_int_attr(op, ATTR_memory_ordering_semantics);
  bool scoped = ir_has_attr(op, ATTR_memory_scope);
  if (order == ORDER_WEAK && scoped)
    return rule_fail(m, op,
                     "a weak access has no memory scope, but '%s' is given; leave it out or "
                     "use another ordering",
                     enum_spelling(AK_SCOPE, ir_int_attr(op, ATTR_memory_scope)));
  return order == ORDER_WEAK || scoped ||
         rule_fail(m, op, "ordering '%s' needs a memory scope behind it: tl_blk, device or sys",
                   enum_spelling(AK_ORDERING, order));
}

/* ---- hints ---------------------------------------------------------------------------------- */

typedef struct hint_key {
  const char *key;
  bool is_bool, is_power; /* power: of two */
  int64_t max;            /* numbers are from 1 to this */
} hint_key;

static const hint_key hint_keys[] = {
    {"num_cta_in_cga", false, true, 16}, {"num_worker_warps_per_cta", false, true, 32},
    {"occupancy", false, false, 32},     {"latency", false, false, 10},
    {"allow_tma", true, false, 0},       {"persistent", true, false, 0},
    {"ping_pong", true, false, 0},
};

/* Which of them an operation takes: bits in the order above. */
static unsigned keys_of(op_code opcode) {
  switch (opcode) {
  case OP_entry: return 0x67;
  case OP_load_ptr_tko:
  case OP_store_ptr_tko: return 0x08;
  case OP_load_view_tko:
  case OP_store_view_tko: return 0x18;
  default: return 0;
  }
}

static bool is_target(str s) {
  return str_is(s, "default") || gpu_find_hinted(s.data, s.len);
}

static bool is_single_block(str s) {
  const gpu_target *t = gpu_find_hinted(s.data, s.len);
  return t && !gpu_can(t, GPU_CLUSTERS);
}

/* What is done with a wrong hint, for its message. */
static const char *hint_verdict(const ir_module *m) {
  return m->hints == IR_HINTS_ERROR ? "makes no sense" : "is ignored";
}

static bool check_hint_value(const ir_module *m, const ir_op *op, const ir_hint *h,
                             const hint_key *k) {
  if (k->is_bool != h->is_bool)
    return rule_hint(m, op, "hint '%s' %s: it needs %s", k->key, hint_verdict(m),
                     k->is_bool ? "true or false" : "an integer");
  if (k->is_bool) return true;
  bool one = strcmp(k->key, "num_cta_in_cga") == 0 && is_single_block(h->target);
  int64_t max = one ? 1 : k->max;
  if (h->value >= 1 && h->value <= max && !(k->is_power && h->value & (h->value - 1))) return true;
  return rule_hint(m, op, "hint '%s = %lld' for " STR_FMT " %s: expected %s%lld", k->key,
                   (long long)h->value, STR_ARG(h->target), hint_verdict(m),
                   one           ? ""
                   : k->is_power ? "a power of two up to "
                                 : "a number from 1 to ",
                   (long long)max);
}

static bool check_hint(const ir_module *m, const ir_op *op, const ir_hint *h) {
  if (!is_target(h->target))
    return rule_hint(m, op,
                     "the hint for '" STR_FMT "' %s: expected an architecture (sm_80, sm_90, "
                     "sm_100, …) or default",
                     STR_ARG(h->target), hint_verdict(m));
  unsigned keys = keys_of((op_code)op->opcode);
  for (unsigned k = 0; k < ARRAY_LEN(hint_keys); k++)
    if (keys >> k & 1 && str_is(h->key, hint_keys[k].key))
      return check_hint_value(m, op, h, &hint_keys[k]);
  return rule_hint(m, op, "hint '" STR_FMT "' %s: %s takes no such hint", STR_ARG(h->key),
                   hint_verdict(m), ir_row(op)->name);
}

/* A hint cannot make a program wrong, unless that is asked for: what makes no sense is ignored,
 * with a warning. */
bool check_hints(const ir_module *m, const ir_op *op) {
  const ir_attr *a = ir_get_attr(op, ATTR_optimization_hints);
  for (uint32_t i = 0; a && i < a->hints->len; i++)
    if (!check_hint(m, op, &a->hints->data[i])) return false;
  return true;
}

#define HINT_WORDS(keys) "Hints are " keys "; others are ignored with a warning."

/* ---- through pointers ----------------------------------------------------------------------- */

static const ir_type *group_type(const ir_op *op, unsigned group) {
  const ir_value *v = ir_operand_in(op, group);
  return v ? v->type : NULL;
}

/* A tile and the pointers to its elements. */
static bool check_pointers(const ir_module *m, const ir_op *op, const char *pointers,
                           const ir_type *p, const char *name, const ir_type *t) {
  if (!ir_same_shape(p, t))
    return rule_fail(m, op, "%s and %s must have the same shape, but %s is %s and %s is %s",
                     pointers, name, pointers, type_text(m, p), name, type_text(m, t));
  return p->pointee == t->elem ||
         rule_fail(m, op, "%s points to %s, but %s consists of %s; they must be equal", pointers,
                   tsr_elem_name((tsr_elem)p->pointee), name, elem_text(m, t));
}

static bool check_mask(const ir_module *m, const ir_op *op, unsigned group, const ir_type *like) {
  const ir_type *mask = group_type(op, group);
  return !mask || ir_same_shape(mask, like) ||
         rule_fail(m, op, "mask must have the shape of the tile it masks, %s, but has shape %s",
                   shape_text(m, like), shape_text(m, mask));
}

RULE(load_ptr_tko,
     "`source` points to the result's element type and has its shape, as has `mask`.\n"
     "`paddingValue` has the result's type.\n"
     "A weak access has no memory scope; every other has one.\n" HINT_WORDS(
         "latency, from 1 to 10")) {
  const ir_type *from = operand_type(op, 0), *result = result_type(op, 0);
  const ir_type *padding = group_type(op, 2);
  if (!check_pointers(m, op, "source", from, "result", result) || !check_mask(m, op, 1, from))
    return false;
  if (padding && padding != result)
    return rule_fail(m, op, "paddingValue must have the type of the result, %s, but has type %s",
                     type_text(m, result), type_text(m, padding));
  return check_scope(m, op) && check_hints(m, op);
}

RULE(store_ptr_tko,
     "`destination` points to the element type of `value` and has its shape, as has `mask`.\n"
     "A weak access has no memory scope; every other has one.\n" HINT_WORDS(
         "latency, from 1 to 10")) {
  const ir_type *destination = operand_type(op, 0);
  return check_pointers(m, op, "destination", destination, "value", operand_type(op, 1)) &&
         check_mask(m, op, 2, destination) && check_scope(m, op) && check_hints(m, op);
}

RULE(join_tokens, "There are at least two tokens.") {
  return op->n_operands >= 2 ||
         rule_fail(m, op, "expected at least two tokens, got %u", op->n_operands);
}

RULE(alloca, "`num_elem` is not negative.\n"
             "`alignment` is a power of two and at least the size of an element.") {
  int64_t count = ir_int_attr(op, ATTR_num_elem), alignment = ir_int_attr(op, ATTR_alignment);
  tsr_elem elem = (tsr_elem)result_type(op, 0)->pointee;
  int64_t size = (int64_t)tsr_elem_storage(elem, 1);
  if (count < 0) return rule_fail(m, op, "num_elem is %lld; expected 0 or more", (long long)count);
  if (alignment <= 0 || alignment & (alignment - 1))
    return rule_fail(m, op, "alignment is %lld; expected a power of two", (long long)alignment);
  return alignment >= size ||
         rule_fail(m, op, "alignment is %lld, but an element of type %s takes %lld bytes",
                   (long long)alignment, tsr_elem_name(elem), (long long)size);
}

/* ---- atomics -------------------------------------------------------------------------------- */

static bool check_update(const ir_module *m, const ir_op *op, const ir_type *t, ir_rmw mode) {
  uint32_t words = BIT(I32) | BIT(I64), allowed = words;
  const char *expected = "i32 or i64";
  if (mode == RMW_ADDF) {
    allowed = ELEMS_BASEFLOAT;
    expected = "f16, bf16, f32 or f64";
  } else if (mode == RMW_XCHG) {
    allowed = words | BIT(F32) | BIT(F64);
    expected = "i32, i64, f32 or f64";
  }
  return allowed >> t->elem & 1 ||
         rule_fail(m, op, "mode '%s' works on %s only, but the elements are %s",
                   enum_spelling(AK_RMW, mode), expected, elem_text(m, t));
}

bool check_mode(const ir_module *m, const ir_op *op, const ir_type *t) {
  return check_update(m, op, t, (ir_rmw)ir_int_attr(op, ATTR_mode));
}

bool check_swapped(const ir_module *m, const ir_op *op, const ir_type *t) {
  uint64_t allowed = BIT(I32) | BIT(I64) | BIT(F32) | BIT(F64);
  if (m->extensions) allowed |= ELEMS_SWAPPED_OWN;
  bool own = !m->extensions && ELEMS_SWAPPED_OWN >> t->elem & 1;
  return allowed >> t->elem & 1 ||
         rule_fail(m, op, "elements must be i32, i64, f32 or f64, but are %s%s", elem_text(m, t),
                   own ? ", which --extensions (TSR_PARSE_EXTENSIONS) admits" : "");
}

RULE(atomic_cas_tko, "`pointers` points to the element type of `val`: i32, i64, f32 or f64; with "
                     "Tessera's extensions i16, f16 or bf16, too.\n"
                     "`mask` has the shape of `val`.") {
  const ir_type *pointers = operand_type(op, 0), *val = operand_type(op, 2);
  return check_pointers(m, op, "pointers", pointers, "val", val) && check_swapped(m, op, val) &&
         check_mask(m, op, 3, val);
}

RULE(atomic_rmw_tko, "`pointers` points to the element type of `arg`.\n"
                     "`mask` has the shape of `arg`.\n" MODE_WORDS) {
  const ir_type *pointers = operand_type(op, 0), *arg = operand_type(op, 1);
  return check_pointers(m, op, "pointers", pointers, "arg", arg) && check_mask(m, op, 2, arg) &&
         check_mode(m, op, arg);
}

/* ---- views ---------------------------------------------------------------------------------- */

RULE(make_tensor_view, "`base` points to the element type of the result, and both have the same "
                       "ptr_attr or none.\n"
                       "There is one value for each '?' in the shape and in the strides of the "
                       "result's type, and all have one type.") {
  const ir_type *base = operand_type(op, 0), *t = result_type(op, 0);
  uint32_t shape = 0, strides = 0;
  for (unsigned i = 0; i < t->rank; i++) {
    shape += t->shape[i] == IR_DYNAMIC;
    strides += t->strides[i] == IR_DYNAMIC;
  }
  if (base->pointee != t->elem)
    return rule_fail(m, op,
                     "base points to %s, but the view consists of %s; use ptr_to_ptr or "
                     "another view type",
                     tsr_elem_name((tsr_elem)base->pointee), elem_text(m, t));
  if (base->ptr_attr != t->ptr_attr)
    return rule_fail(m, op,
                     "base consists of %s, but the result is %s; the ptr_attr of the pointer must "
                     "be kept, and none be added",
                     elem_text(m, base), type_text(m, t));
  if (op->segments[1] != shape)
    return rule_fail(m, op, "the shape of %s has %u '?', but %u value%s given for them",
                     type_text(m, t), shape, op->segments[1],
                     op->segments[1] == 1 ? " is" : "s are");
  if (op->segments[2] != strides)
    return rule_fail(m, op, "the strides of %s have %u '?', but %u value%s given for them",
                     type_text(m, t), strides, op->segments[2],
                     op->segments[2] == 1 ? " is" : "s are");
  for (uint32_t i = 2; i < op->n_operands; i++)
    if (operand_type(op, i) != operand_type(op, 1))
      return rule_fail(m, op,
                       "sizes and strides must all have the same type, but there are %s and "
                       "%s",
                       type_text(m, operand_type(op, 1)), type_text(m, operand_type(op, i)));
  return true;
}

static bool check_viewed(const ir_module *m, const ir_op *op) {
  const ir_type *from = operand_type(op, 0), *inside = result_type(op, 0)->view;
  return from == inside ||
         rule_fail(m, op,
                   "the operand has type %s, but the result is a view of %s; they must be "
                   "equal",
                   type_text(m, from), type_text(m, inside));
}

#define VIEWED_WORDS "The result is a view of the operand's type."

RULE(make_partition_view, VIEWED_WORDS) {
  return check_viewed(m, op);
}
RULE(make_strided_view, VIEWED_WORDS) {
  return check_viewed(m, op);
}
RULE(make_gather_scatter_view, VIEWED_WORDS) {
  return check_viewed(m, op);
}

static bool check_extents(const ir_module *m, const ir_op *op) {
  const ir_type *t = operand_type(op, 0);
  if (op->n_results != t->rank)
    return rule_fail(m, op,
                     "%u result%s given, but %s has rank %u; expected one for each dimension",
                     op->n_results, op->n_results == 1 ? " is" : "s are", type_text(m, t), t->rank);
  for (uint32_t i = 1; i < op->n_results; i++)
    if (result_type(op, i) != result_type(op, 0))
      return rule_fail(m, op, "the results must all have the same type, but there are %s and %s",
                       type_text(m, result_type(op, 0)), type_text(m, result_type(op, i)));
  return true;
}

#define EXTENT_WORDS "There is one result for each dimension, and all have one type."

RULE(get_tensor_shape, EXTENT_WORDS) {
  return check_extents(m, op);
}
RULE(get_index_space_shape, EXTENT_WORDS) {
  return check_extents(m, op);
}

/* The index that names the rows to gather: one for each along that dimension. */
static bool check_gather_index(const ir_module *m, const ir_op *op, const ir_type *view, uint32_t i,
                               const ir_type *t) {
  if (t->rank == 1 && t->shape[0] == view->shape[i]) return true;
  return rule_fail(m, op,
                   "index %u is that of the sparse dimension and must have shape [%lld], one "
                   "for each element of the tile along it, but has type %s",
                   i, (long long)view->shape[i], type_text(m, t));
}

static bool check_index(const ir_module *m, const ir_op *op, const ir_type *view, unsigned group) {
  uint32_t n;
  const ir_use *index = ir_operand_group(op, group, &n);
  const ir_type *scalar = NULL;
  if (n != view->rank)
    return rule_fail(m, op,
                     "the view has rank %u, but there %s %u ind%s; expected one for each "
                     "dimension",
                     view->rank, n == 1 ? "is" : "are", n, n == 1 ? "ex" : "ices");
  for (uint32_t i = 0; i < n; i++) {
    const ir_type *t = index[i].value->type;
    if (view->kind == IR_GATHER_SCATTER_VIEW && i == view->sparse_dim) {
      if (!check_gather_index(m, op, view, i, t)) return false;
      continue;
    }
    if (t->rank)
      return rule_fail(m, op, "index %u must be a scalar, but has type %s", i, type_text(m, t));
    if (scalar && t != scalar)
      return rule_fail(m, op, "indices must have the same type, but there are %s and %s",
                       type_text(m, scalar), type_text(m, t));
    scalar = t;
  }
  return true;
}

static bool check_view_tile(const ir_module *m, const ir_op *op, const ir_type *view,
                            const char *name, const ir_type *t) {
  return t == view->tile ||
         rule_fail(m, op, "%s must have type %s, as the view says, but has type %s", name,
                   type_text(m, view->tile), type_text(m, t));
}

#define VIEW_WORDS                                                                                 \
  "There is one index for each dimension of the view; all are scalars of one type, but that of "   \
  "the sparse dimension of a gather_scatter_view, which has rank 1 and one entry for each "        \
  "element "                                                                                       \
  "of the tile along it.\n"

#define VIEW_ACCESS_WORDS                                                                          \
  VIEW_WORDS "The tile has the type that the view says.\n"                                         \
             "`inbounds` has an entry for each index.\n"                                           \
             "A weak access has no memory scope; every other has one.\n" HINT_WORDS(               \
                 "latency, from 1 to 10, and allow_tma, true or false")

/* What is promised about each dimension. */
static bool check_inbounds(const ir_module *m, const ir_op *op, const ir_type *view) {
  const ir_ints *list = ir_get_attr(op, ATTR_inbounds)->ints;
  return !list || list->len == view->rank ||
         rule_fail(m, op, "inbounds has %u entr%s; expected %u, one for each index", list->len,
                   list->len == 1 ? "y" : "ies", view->rank);
}

RULE(load_view_tko, VIEW_ACCESS_WORDS) {
  const ir_type *view = operand_type(op, 0);
  return check_index(m, op, view, 1) && check_inbounds(m, op, view) &&
         check_view_tile(m, op, view, "the result", result_type(op, 0)) && check_scope(m, op) &&
         check_hints(m, op);
}

RULE(store_view_tko, VIEW_ACCESS_WORDS) {
  const ir_type *view = operand_type(op, 1);
  return check_index(m, op, view, 2) && check_inbounds(m, op, view) &&
         check_view_tile(m, op, view, "tile", operand_type(op, 0)) && check_scope(m, op) &&
         check_hints(m, op);
}

static bool check_reduction(const ir_module *m, const ir_op *op, const ir_type *t) {
  int64_t reduction = ir_int_attr(op, ATTR_reduction);
  bool bits = reduction >= MULTIMEM_AND;
  return !(bits && tsr_elem_is_float((tsr_elem)t->elem)) ||
         rule_fail(m, op, "reduction '%s' combines integers, but the elements are %s",
                   enum_spelling(AK_MULTIMEM, reduction), elem_text(m, t));
}

RULE(multimem_load_reduce_view_tko,
     VIEW_WORDS "The tile has the type that the view says.\n"
                "`inbounds` has an entry for each index.\n"
                "A weak access has no memory scope; every other has one.\n"
                "and, or, xor, umin and umax combine integers.\n") {
  const ir_type *view = operand_type(op, 0);
  return check_index(m, op, view, 1) && check_inbounds(m, op, view) &&
         check_view_tile(m, op, view, "the result", result_type(op, 0)) && check_scope(m, op) &&
         check_reduction(m, op, result_type(op, 0));
}

RULE(multimem_store_view_tko, VIEW_WORDS "The tile has the type that the view says.\n"
                                         "`inbounds` has an entry for each index.\n"
                                         "A weak access has no memory scope; every other has "
                                         "one.\n") {
  const ir_type *view = operand_type(op, 0);
  return check_index(m, op, view, 2) && check_inbounds(m, op, view) &&
         check_view_tile(m, op, view, "tile", operand_type(op, 1)) && check_scope(m, op);
}

static bool check_updated_view(const ir_module *m, const ir_op *op, const ir_type *view) {
  if (view->kind == IR_GATHER_SCATTER_VIEW)
    return rule_fail(m, op,
                     "a gather_scatter_view cannot be updated atomically; use a "
                     "partition_view, or pointers with atomic_rmw_tko");
  return view->padding < 0 ||
         rule_fail(m, op,
                   "a view with a padding value cannot be updated atomically, but it has "
                   "padding_value = %s; leave it out",
                   enum_spelling(AK_PADDING, view->padding));
}

RULE(multimem_reduce_view_tko,
     "The view is a partition_view or a strided_view without padding value.\n"
     "`tile` has the type that the view says: elements of i32 or i64, or f16, bf16, f32 or f64, "
     "which are only added.\n" VIEW_WORDS "`inbounds` has an entry for each index.\n") {
  const ir_type *view = operand_type(op, 0), *tile = operand_type(op, 1);
  return check_updated_view(m, op, view) && check_view_tile(m, op, view, "tile", tile) &&
         check_update(m, op, tile, ir_update_mode(op, (tsr_elem)tile->elem)) &&
         check_index(m, op, view, 2) && check_inbounds(m, op, view);
}

RULE(atomic_red_view_tko, "The view is a partition_view or a strided_view without padding value.\n"
                          "`value` has the type that the view says.\n" VIEW_WORDS
                          "`inbounds` has an entry for each index.\n" MODE_WORDS) {
  const ir_type *view = operand_type(op, 0), *value = group_type(op, 2);
  return check_updated_view(m, op, view) && check_view_tile(m, op, view, "value", value) &&
         check_mode(m, op, value) && check_index(m, op, view, 1) && check_inbounds(m, op, view);
}
