/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The rules that follow from the operation table, and the walk that applies them and each
 * operation's own rules (ir/rules.h). One pass, in the order of the text.
 *
 * Visibility. The values that may be used at the current point form a stack: an operation's
 * results are pushed after it, a block's arguments at its start, and all of a region goes when it
 * is left. A value's `number` is its place on the stack, so "may be used here" is one comparison,
 * whatever a number may hold that was never set. An isolated operation raises the floor below
 * which nothing is seen.
 */
#include "ir/block/groups.h"
#include "ir/block/infer.h"
#include "ir/rules.h"
#include "ir/version.h"

typedef struct frame {
  ir_op *op;
  ir_op *next;        /* to visit in the current region; NULL: the region is done */
  uint32_t region;    /* the next to enter */
  uint32_t height;    /* of the stack of values when the operation was entered */
  uint32_t floor;     /* outside the operation */
  ir_threads threads; /* likewise */
} frame;

typedef enum type_state { TYPE_NEW, TYPE_GOOD, TYPE_BAD } type_state;

typedef struct verifier {
  ir_module *m;
  arena scratch;
  VEC(const ir_value *) visible;
  VEC(ir_threads) owners; /* of each of them, in a kernel of the block level */
  VEC(frame) frames;
  uint32_t floor;
  uint8_t *type_states; /* by id: type_state */
  uint32_t n_types;
  strmap symbols;     /* name -> the ir_op in the module's block that defines it */
  const ir_op *entry; /* that is being walked */
  ir_threads threads; /* that execute this, in an entry of the block level; else none */
  uint32_t errors_before;
} verifier;

/* Its row, or an empty one when the opcode is none. */
static const op_row *row_of(const ir_op *op) {
  return &op_table[op->opcode < OP_TABLE_SIZE ? op->opcode : OP_NONE];
}

/* ---- parts of an operation, for messages ---------------------------------------------------- */

/* Operand group `g`, counted from the operation's operand `index`: "lhs", "indices[1]". */
static const char *operand_text(verifier *v, const op_operand *group, uint32_t k) {
  if (group->arity != MANY) return group->name;
  return arena_printf(&v->scratch, "%s[%u]", group->name, k);
}

static const char *region_name(const op_row *row, unsigned r) {
  return row->regions[r];
}

/* "a, b and c" for the parts in a mask of M_IN and M_OUT. */
static const char *mask_text(verifier *v, const op_row *row, unsigned mask) {
  sbuf b = SBUF(&v->scratch);
  unsigned left = (unsigned)__builtin_popcount(mask);
  for (unsigned bit = 0; bit < 16; bit++) {
    if (!(mask >> bit & 1)) continue;
    sbuf_puts(&b, bit < 8 ? row->operands[bit].name : row->results[bit - 8].name);
    left--;
    if (left) sbuf_puts(&b, left == 1 ? " and " : ", ");
  }
  return b.data;
}

/* "f16, f32 or f64", the element types a constraint allows. */
static const char *elems_text(verifier *v, uint64_t elems) {
  sbuf b = SBUF(&v->scratch);
  unsigned left = (unsigned)__builtin_popcountll(elems);
  for (unsigned e = 0; e < TSR_ELEM_COUNT; e++) {
    if (!(elems >> e & 1)) continue;
    sbuf_puts(&b, tsr_elem_name((tsr_elem)e));
    left--;
    if (left) sbuf_puts(&b, left == 1 ? " or " : ", ");
  }
  return b.data;
}

/* ---- types ---------------------------------------------------------------------------------- */

bool ir_type_fits(const ir_type *t, const constraint_row *c) {
  switch ((type_shape)c->shape) {
  case TCS_ANY: return t->kind >= IR_TILE && t->kind < IR_FUNCTION;
  case TCS_FOREIGN: return true;
  case TCS_TOKEN: return t->kind == IR_TOKEN;
  case TCS_TENSOR_VIEW: return t->kind == IR_TENSOR_VIEW;
  case TCS_SUBVIEW: return ir_is_subview(t);
  case TCS_PARTITION: return t->kind == IR_PARTITION_VIEW;
  case TCS_STRIDED: return t->kind == IR_STRIDED_VIEW;
  case TCS_GATHER: return t->kind == IR_GATHER_SCATTER_VIEW;
  case TCS_SHARED: return t->kind == IR_SHARED && !t->remote;
  case TCS_ANY_SHARED: return t->kind == IR_SHARED;
  case TCS_REMOTE_SHARED: return t->kind == IR_SHARED && t->remote;
  case TCS_MBARRIER: return t->kind == IR_MBARRIER && !t->remote;
  case TCS_ANY_MBARRIER: return t->kind == IR_MBARRIER;
  case TCS_REMOTE_MBARRIER: return t->kind == IR_MBARRIER && t->remote;
  case TCS_TENSOR_MAP: return t->kind == IR_TENSOR_MAP;
  case TCS_ASYNC: return t->kind == IR_ASYNC;
  case TCS_TILE: return t->kind == IR_TILE && c->elems >> t->elem & 1;
  case TCS_SCALAR: return t->kind == IR_TILE && t->rank == 0 && c->elems >> t->elem & 1;
  }
  return false;
}

/* Of operand or result `index`. */
static bool misfit(verifier *v, const ir_op *op, bool result, uint32_t index, const char *name,
                   const ir_type *t, const constraint_row *c) {
  const ir_module *m = v->m;
  const char *role = result ? "result" : "operand";
  bool (*fail)(const ir_module *, const ir_op *, uint32_t, const char *, ...) =
      result ? rule_fail_result : rule_fail_operand;
  bool wrong_elem = t->kind == IR_TILE && c->elems && !(c->elems >> t->elem & 1);
  uint64_t elems = m->extensions ? c->elems : c->elems & ~ELEMS_OWN;
  /* A constraint that lists its element types already needs no second list. */
  bool listed = __builtin_popcountll(elems) <= 1 || strstr(c->description, " or ");
  if (wrong_elem && !listed)
    return fail(m, op, index, "%s '%s' must be %s, but has type %s; expected elements of type %s",
                role, name, c->description, type_text(m, t), elems_text(v, elems));
  return fail(m, op, index, "%s '%s' must be %s, but has type %s", role, name, c->description,
              type_text(m, t));
}

/* A type may be wrong when no parser made it. That is reported once, at its first use; whatever
 * has the type is then left alone. */
static bool check_type(verifier *v, const ir_op *op, const ir_type *t) {
  uint8_t unknown = TYPE_NEW;
  uint8_t *state = t->id < v->n_types ? &v->type_states[t->id] : &unknown;
  if (*state == TYPE_NEW) {
    const char *problem = ir_type_problem(&v->scratch, t);
    if (!problem && !v->m->extensions && ir_type_since(t) == IN_NO_VERSION)
      problem =
          arena_printf(&v->scratch,
                       "%s is of an element type that is Tessera's extension of the language, "
                       "which this module does not admit (TSR_PARSE_EXTENSIONS)",
                       ir_type_text(&v->scratch, t));
    *state = problem ? TYPE_BAD : TYPE_GOOD;
    if (problem) rule_fail(v->m, op, "%s", problem);
  }
  return *state == TYPE_GOOD;
}

/* ---- operands ------------------------------------------------------------------------------- */

static bool is_visible(const verifier *v, const ir_value *value) {
  uint32_t n = value->number;
  return n >= v->floor && n < v->visible.len && v->visible.data[n] == value;
}

/* Whether `value` is defined in a block around `op` (or by an operation around it). */
static bool defined_around(const ir_op *op, const ir_value *value) {
  const ir_block *home = value->is_arg ? value->owner.block : value->owner.op->block;
  for (const ir_block *b = op->block; b; b = b->parent->block)
    if (b == home) return true;
  return false;
}

static bool report_invisible(verifier *v, const ir_op *op, uint32_t index, const char *name,
                             const ir_value *value) {
  uint32_t n = value->number;
  const char *quoted = value->name ? arena_printf(&v->scratch, " (%%%s)", value->name) : "";
  if (n < v->floor && v->visible.data[n] == value)
    return rule_fail_operand(v->m, op, index,
                             "operand '%s'%s is defined outside the entry, which cannot see it; "
                             "pass it as an argument or compute it inside",
                             name, quoted);
  if (!value->is_arg && !value->owner.op->block)
    return rule_fail(v->m, op, "operand '%s'%s comes from an operation that is in no block", name,
                     quoted);
  if (defined_around(op, value))
    return rule_fail_operand(v->m, op, index, "operand '%s'%s is used before it is defined", name,
                             quoted);
  return rule_fail_operand(v->m, op, index,
                           "operand '%s'%s is defined inside a region that ends before this use; "
                           "let the operation with that region return it as a result",
                           name, quoted);
}

static bool check_operand(verifier *v, const ir_op *op, const op_operand *group, uint32_t k,
                          const ir_use *use) {
  const ir_value *value = use->value;
  if (!value || !value->type)
    return rule_fail(v->m, op, "operand '%s' is missing", operand_text(v, group, k));
  if (!check_type(v, op, value->type)) return false;
  if (!is_visible(v, value))
    return report_invisible(v, op, (uint32_t)(use - op->operands), operand_text(v, group, k),
                            value);
  const constraint_row *c = &constraint_table[group->constraint];
  if (!ir_type_fits(value->type, c))
    return misfit(v, op, false, (uint32_t)(use - op->operands), operand_text(v, group, k),
                  value->type, c);
  return true;
}

static bool report_group_size(verifier *v, const ir_op *op, const op_operand *g, uint32_t n) {
  return rule_fail(v->m, op, "operand '%s' stands for %s, but %u values are given for it", g->name,
                   g->arity == ONE ? "one value" : "at most one value", n);
}

/* How many operands a row takes, as text: "2 operands (lhs, rhs)", "at least 1 operand (…)". */
static const char *expected_operands(verifier *v, const op_row *row) {
  sbuf b = SBUF(&v->scratch);
  unsigned groups = op_n_operands(row), least = 0;
  bool open = false;
  for (unsigned g = 0; g < groups; g++) {
    least += row->operands[g].arity == ONE;
    open |= row->operands[g].arity != ONE;
  }
  sbuf_printf(&b, "%s%u operand%s", open ? "at least " : "", least, plural(least));
  for (unsigned g = 0; g < groups; g++)
    sbuf_printf(&b, "%s%s%s", g ? ", " : " (", row->operands[g].name,
                row->operands[g].arity == MANY  ? "…"
                : row->operands[g].arity == OPT ? "?"
                                                : "");
  if (groups) sbuf_putc(&b, ')');
  return b.data;
}

static bool check_operands(verifier *v, const ir_op *op, const op_row *row) {
  uint32_t at = 0;
  unsigned g = 0;
  for (; g < OP_MAX_OPERANDS && row->operands[g].name; g++) {
    const op_operand *group = &row->operands[g];
    uint32_t n = op->segments[g];
    if (n > op->n_operands - at)
      return rule_fail(v->m, op, "expected %s, got %u", expected_operands(v, row), op->n_operands);
    if (group->arity != MANY && (n > 1 || (n == 0 && group->arity == ONE)))
      return report_group_size(v, op, group, n);
    for (uint32_t k = 0; k < n; k++)
      if (!check_operand(v, op, group, k, &op->operands[at + k])) return false;
    at += n;
  }
  if (at == op->n_operands) return true;
  return rule_fail(v->m, op, "expected %s, got %u", expected_operands(v, row), op->n_operands);
}

/* ---- results -------------------------------------------------------------------------------- */

static bool check_results(verifier *v, const ir_op *op, const op_row *row) {
  bool many = row->results[0].name && row->results[0].arity == MANY;
  unsigned expected = many ? op->n_results : op_n_results(row);
  if (op->n_results != expected)
    return rule_fail(v->m, op, "expected %u result%s, got %u", expected, plural(expected),
                     op->n_results);
  for (uint32_t i = 0; i < op->n_results; i++) {
    const ir_type *t = op->results[i].type;
    const op_operand *part = &row->results[many ? 0 : i];
    const constraint_row *c = &constraint_table[part->constraint];
    if (!t) return rule_fail(v->m, op, "result '%s' has no type", operand_text(v, part, i));
    if (!check_type(v, op, t)) return false;
    if (!ir_type_fits(t, c)) return misfit(v, op, true, i, operand_text(v, part, i), t, c);
  }
  return true;
}

/* ---- attributes ----------------------------------------------------------------------------- */

/* "nearest_even, zero or approx" for a mask of an enum's values; 0 stands for all. */
static const char *enum_text(verifier *v, attr_kind kind, unsigned allowed) {
  sbuf b = SBUF(&v->scratch);
  unsigned count;
  const enum_row *rows = enum_rows(kind, &count);
  unsigned mask = allowed ? allowed : (1u << count) - 1;
  unsigned left = (unsigned)__builtin_popcount(mask);
  for (unsigned i = 0; i < count; i++) {
    if (!(mask >> i & 1)) continue;
    sbuf_puts(&b, rows[i].spelling);
    left--;
    if (left) sbuf_puts(&b, left == 1 ? " or " : ", ");
  }
  return b.data;
}

static bool missing_attr(verifier *v, const ir_op *op, const op_attr *a) {
  unsigned count;
  const char *name = attr_name((attr_id)a->id);
  if (enum_rows((attr_kind)a->kind, &count))
    return rule_fail(v->m, op, "attribute '%s' is missing; expected %s", name,
                     enum_text(v, (attr_kind)a->kind, a->allowed));
  return rule_fail(v->m, op, "attribute '%s' is missing", name);
}

static bool check_enum(verifier *v, const ir_op *op, const op_attr *a, int64_t value) {
  attr_kind kind = (attr_kind)a->kind;
  unsigned count;
  enum_rows(kind, &count);
  if (value < 0 || value >= count)
    return rule_fail(v->m, op, "attribute '%s' has no value %lld; expected %s",
                     attr_name((attr_id)a->id), (long long)value, enum_text(v, kind, a->allowed));
  if (a->allowed && !(a->allowed >> value & 1))
    return rule_fail(v->m, op, "%s '%s' is not allowed here; expected %s", enum_title(kind),
                     enum_spelling(kind, value), enum_text(v, kind, a->allowed));
  return true;
}

static bool check_dense(verifier *v, const ir_op *op, const ir_dense *d) {
  if (d->type->kind != IR_TILE || d->type->elem == TSR_PTR)
    return rule_fail(v->m, op, "the value must be a tile of numbers, but has type %s",
                     type_text(v->m, d->type));
  if (!check_type(v, op, d->type)) return false;
  size_t need = tsr_elem_storage((tsr_elem)d->type->elem, d->splat ? 1 : (size_t)d->type->count);
  if (d->size == need) return true;
  return rule_fail(v->m, op, "the value of type %s takes %zu bytes, but has %u",
                   type_text(v->m, d->type), need, d->size);
}

static bool check_scalars(verifier *v, const ir_op *op, const op_attr *a, const ir_scalars *s) {
  for (uint32_t i = 0; i < s->len; i++)
    if (!ir_elem_is_number(s->data[i].elem))
      return rule_fail(v->m, op, "attribute '%s' must hold numbers, but entry %u is none",
                       attr_name((attr_id)a->id), i);
  return true;
}

/* Whether a slot that says it is present holds something of its kind. */
static bool check_attr_value(verifier *v, const ir_op *op, const op_attr *a, const ir_attr *value) {
  const char *name = attr_name((attr_id)a->id);
  switch ((attr_kind)a->kind) {
  case AK_INT:
    if (a->bits != 32 || value->i == (int32_t)value->i) return true;
    return rule_fail(v->m, op, "attribute '%s' is %lld, which does not fit 32 bits", name,
                     (long long)value->i);
  case AK_BOOL:
  case AK_UNIT:
    if (value->i == 0 || value->i == 1) return true;
    return rule_fail(v->m, op, "attribute '%s' is %lld; expected 0 or 1", name,
                     (long long)value->i);
  case AK_SYMBOL:
    /* A module may be nameless: nothing refers to it. */
    if (value->s.len || op->opcode == OP_module) return true;
    return rule_fail(v->m, op, "attribute '%s' is an empty name", name);
  case AK_STRING: return true; /* any bytes */
  case AK_DICTS: return true;  /* holds nothing */
  case AK_DENSE:
    if (value->dense) return check_dense(v, op, value->dense);
    break;
  case AK_SCALARS:
    if (value->scalars) return check_scalars(v, op, a, value->scalars);
    break;
  case AK_BOOLS: return true; /* all false when it is NULL */
  case AK_INTS:
  case AK_PREDICATE:
  case AK_HINTS:
  case AK_TYPE:
  case AK_LAYOUT:
    if (value->ints) return true; /* any pointer of the union */
    break;
  default: return check_enum(v, op, a, value->i);
  }
  return missing_attr(v, op, a);
}

static bool check_attrs(verifier *v, const ir_op *op, const op_row *row) {
  for (unsigned i = 0; i < OP_MAX_ATTRS && row->attrs[i].id != ATTR_NONE; i++) {
    const op_attr *a = &row->attrs[i];
    if (op->present >> i & 1) {
      if (!check_attr_value(v, op, a, &op->attrs[i])) return false;
    } else if (a->optional == AO_REQUIRED) {
      return missing_attr(v, op, a);
    }
  }
  return true;
}

/* ---- parts that must agree ------------------------------------------------------------------ */

typedef enum aspect { SAME_TYPE, SAME_SHAPE, SAME_ELEM, SAME_RANK } aspect;

static bool agree(const ir_type *a, const ir_type *b, aspect what) {
  switch (what) {
  case SAME_TYPE: return a == b;
  case SAME_SHAPE: return a == b || ir_same_shape(a, b);
  case SAME_ELEM: return ir_same_elem(a, b);
  case SAME_RANK: return a->rank == b->rank;
  }
  return false;
}

/* The types of a part: operand group `bit`, or result group `bit - 8`. */
static uint32_t part_count(const ir_op *op, const op_row *row, unsigned bit) {
  if (bit < 8) return op->segments[bit];
  return row->results[bit - 8].arity == MANY ? op->n_results : 1;
}

static const ir_type *part_type(const ir_op *op, unsigned bit, uint32_t k) {
  if (bit >= 8) return op->results[bit - 8 + k].type;
  uint32_t first = 0;
  for (unsigned g = 0; g < bit; g++) first += op->segments[g];
  return op->operands[first + k].value->type;
}

/* The place of a part that does not agree. */
static bool disagree(verifier *v, const ir_op *op, unsigned bit, uint32_t k, const char *text) {
  uint32_t first = 0;
  if (bit >= 8) return rule_fail_result(v->m, op, bit - 8 + k, "%s", text);
  for (unsigned g = 0; g < bit; g++) first += op->segments[g];
  return rule_fail_operand(v->m, op, first + k, "%s", text);
}

/* "tile<1x1xf32>": a type of the element of one, with as many dimensions as another. */
static const char *ones_text(verifier *v, const ir_type *elem, const ir_type *rank) {
  sbuf b = SBUF(&v->scratch);
  sbuf_puts(&b, "tile<");
  for (unsigned d = 0; d < rank->rank; d++) sbuf_puts(&b, "1x");
  sbuf_printf(&b, "%s>", elem_text(v->m, elem));
  return b.data;
}

/* A scalar beside a tile: what makes a tile of it. */
static void explain_scalar(verifier *v, const ir_op *op, const char *name, const ir_type *t,
                           const ir_type *other) {
  if (!ir_is_tile(t) || !ir_is_tile(other) || t->rank || !other->rank) return;
  if (op->opcode == OP_broadcast)
    rule_note(v->m, op, "reshape %s to %s first, and broadcast that", name, ones_text(v, t, other));
  else
    rule_note(v->m, op, "reshape %s to %s and broadcast that to the shape of the other", name,
              ones_text(v, t, other));
}

static const char *part_text(verifier *v, const op_row *row, unsigned bit, uint32_t k) {
  return operand_text(v, bit < 8 ? &row->operands[bit] : &row->results[bit - 8], k);
}

static bool check_same(verifier *v, const ir_op *op, const op_row *row, unsigned mask,
                       aspect what) {
  static const char *const nouns[] = {"type", "shape", "element type", "rank"};
  unsigned first = (unsigned)__builtin_ctz(mask);
  uint32_t n = part_count(op, row, first);
  for (unsigned rest = mask & (mask - 1); rest; rest &= rest - 1) {
    unsigned bit = (unsigned)__builtin_ctz(rest);
    if (part_count(op, row, bit) != n)
      return rule_fail(v->m, op, "%s must be equally many, but there are %u and %u",
                       mask_text(v, row, mask), n, part_count(op, row, bit));
    for (uint32_t k = 0; k < n; k++) {
      const ir_type *a = part_type(op, first, k), *b = part_type(op, bit, k);
      if (agree(a, b, what)) continue;
      const char *one = part_text(v, row, first, k), *other = part_text(v, row, bit, k);
      disagree(v, op, bit, k,
               arena_printf(&v->scratch, "%s must have the same %s, but %s is %s and %s is %s",
                            mask_text(v, row, mask), nouns[what], one, type_text(v->m, a), other,
                            type_text(v->m, b)));
      explain_scalar(v, op, one, a, b);
      explain_scalar(v, op, other, b, a);
      return false;
    }
  }
  return true;
}

static bool check_agreement(verifier *v, const ir_op *op, const op_row *row) {
  return (!row->same_type[0] || check_same(v, op, row, row->same_type[0], SAME_TYPE)) &&
         (!row->same_type[1] || check_same(v, op, row, row->same_type[1], SAME_TYPE)) &&
         (!row->same_rank || check_same(v, op, row, row->same_rank, SAME_RANK)) &&
         (!row->same_shape || check_same(v, op, row, row->same_shape, SAME_SHAPE)) &&
         (!row->same_elem[0] || check_same(v, op, row, row->same_elem[0], SAME_ELEM)) &&
         (!row->same_elem[1] || check_same(v, op, row, row->same_elem[1], SAME_ELEM));
}

/* ---- the place of an operation -------------------------------------------------------------- */

static const char *parents_text(verifier *v, const op_row *row) {
  sbuf b = SBUF(&v->scratch);
  for (unsigned i = 0; i < ARRAY_LEN(row->parents) && row->parents[i]; i++) {
    bool last = i + 1 == ARRAY_LEN(row->parents) || !row->parents[i + 1];
    if (i) sbuf_puts(&b, last ? " or " : ", ");
    sbuf_puts(&b, op_table[row->parents[i]].name);
  }
  return b.data;
}

/* Outside any module, which only tests have: all but what needs a certain operation around it. */
static bool check_free_place(verifier *v, const ir_op *op, const op_row *row) {
  return !row->parents[0] ||
         rule_fail(v->m, op, "must be directly inside %s, but is inside nothing",
                   parents_text(v, row));
}

static bool check_place(verifier *v, const ir_op *op, const op_row *row) {
  if (row->traits & TRAIT_TERMINATOR && op->next)
    return rule_fail(v->m, op,
                     "must be the last operation of its region; remove what follows, which is "
                     "never executed");
  const ir_op *parent = op->block ? op->block->parent : NULL;
  if (!parent) /* the walk's root */
    return op->opcode == OP_module ||
           rule_fail(v->m, op, "the outermost operation must be a module");
  if (parent->opcode == OP_module && parent->implicit) return check_free_place(v, op, row);
  if (op->opcode == OP_module)
    return rule_fail(v->m, op, "a module cannot be inside another operation");
  if (!row->parents[0])
    return parent->opcode != OP_module || row->traits & TRAIT_TESTING ||
           rule_fail(v->m, op, "must be inside an entry, not directly in the module");
  /* A function of a test stands for a kernel. */
  op_code parent_code = parent->opcode == OP_testing_func ? OP_entry : (op_code)parent->opcode;
  bool ends = row->traits & TRAIT_TERMINATOR && ir_row(parent)->terminator == op->opcode;
  if (ends && op->opcode == OP_yield) return true;
  for (unsigned i = 0; i < ARRAY_LEN(row->parents); i++)
    if (row->parents[i] == parent_code) return true;
  if (parent_code == OP_testing_foreign) return true;
  return rule_fail(v->m, op, "must be directly inside %s, but is inside %s", parents_text(v, row),
                   ir_row(parent)->name);
}

static bool check_arguments(verifier *v, const ir_op *op, const op_row *row, unsigned r,
                            const ir_block *b) {
  if (b->n_args && (op->opcode == OP_module || op->opcode == OP_if))
    return rule_fail(v->m, op, "region '%s' takes no arguments, but has %u", region_name(row, r),
                     b->n_args);
  for (uint32_t i = 0; i < b->n_args; i++) {
    const ir_type *t = b->args[i].type;
    bool any = row->traits & TRAIT_TESTING;
    if (!t || !ir_type_fits(t, &constraint_table[any ? TC_FOREIGN : TC_ANY])) {
      bool number = t && (t->kind == IR_NUMBER || t->kind == IR_POINTER);
      const char *text = type_text(v->m, t);
      return rule_fail(v->m, op, "argument %u of region '%s' has type %s, which no value has%s%s%s",
                       i, region_name(row, r), text, number ? "; a scalar is tile<" : "",
                       number ? text : "", number ? ">" : "");
    }
    if (!check_type(v, op, t)) return false;
  }
  return true;
}

static bool check_end(verifier *v, const ir_op *op, const op_row *row, unsigned r,
                      const ir_block *b) {
  if (row->terminator == OP_NONE) return true; /* a module just ends */
  const char *terminator = op_table[row->terminator].name;
  if (!b->last)
    return rule_fail(v->m, op, "region '%s' is empty; it must end with %s", region_name(row, r),
                     terminator);
  if (row_of(b->last)->traits & TRAIT_TERMINATOR) return true;
  return rule_fail(v->m, b->last, "region '%s' of %s ends with this operation; it must end with %s",
                   region_name(row, r), row->name, terminator);
}

static bool check_regions(verifier *v, const ir_op *op, const op_row *row) {
  unsigned n = op_n_regions(row);
  if (row->traits & TRAIT_FOREIGN) return true;
  if (op->n_regions != n)
    return rule_fail(v->m, op, "expected %u region%s, got %u", n, plural(n), op->n_regions);
  for (unsigned r = 0; r < n; r++) {
    const ir_block *b = op->regions[r];
    if (!b) {
      if (op->opcode == OP_if && r == 1) continue;
      return rule_fail(v->m, op, "region '%s' is missing", region_name(row, r));
    }
    if (!check_arguments(v, op, row, r, b) || !check_end(v, op, row, r, b)) return false;
  }
  return true;
}

/* ---- symbols -------------------------------------------------------------------------------- */

/* The symbols of a module, which is about to be walked. They and their uses are found in linear
 * time. */
static bool collect_symbols(verifier *v, const ir_op *module) {
  bool ok = true;
  ir_block *body = ir_region(module, 0);
  v->symbols = (strmap){0};
  for (ir_op *op = body ? body->first : NULL; op; op = op->next) {
    if (!(row_of(op)->traits & TRAIT_SYMBOL)) continue;
    const ir_attr *name = ir_get_attr(op, ATTR_sym_name);
    if (!name || !name->s.len) continue; /* reported when it is visited */
    bool added;
    uintptr_t *slot = strmap_put(&v->scratch, &v->symbols, name->s, &added);
    if (added) {
      *slot = (uintptr_t)op;
      continue;
    }
    ok = rule_fail(v->m, op, "@" STR_FMT " is already defined in this module; rename one of them",
                   STR_ARG(name->s));
    rule_note(v->m, (const ir_op *)*slot, "the first @" STR_FMT " is here", STR_ARG(name->s));
  }
  return ok;
}

static bool check_get_global(verifier *v, const ir_op *op) {
  str name = ir_get_attr(op, ATTR_name)->s;
  const uintptr_t *slot = strmap_get(&v->symbols, name);
  const ir_op *global = slot ? (const ir_op *)*slot : NULL;
  if (!global) return rule_fail(v->m, op, "the module has no global @" STR_FMT, STR_ARG(name));
  if (global->opcode != OP_global)
    return rule_fail(v->m, op, "@" STR_FMT " is not a global but an %s", STR_ARG(name),
                     ir_row(global)->name);
  const ir_attr *value = ir_get_attr(global, ATTR_value);
  const ir_type *result = result_type(op, 0);
  if (!value || !value->dense || value->dense->type->elem == result->pointee) return true;
  return rule_fail(v->m, op, "the result points to %s, but @" STR_FMT " holds %s",
                   tsr_elem_name((tsr_elem)result->pointee), STR_ARG(name),
                   elem_text(v->m, value->dense->type));
}

/* ---- one operation -------------------------------------------------------------------------- */

/* Holds an operation to the version of the language that the module is to be in. */
static bool check_version(verifier *v, const ir_op *op) {
  const op_row *row = ir_row(op);
  unsigned asked = v->m->language, since = ir_op_since(op);
  const char *what = "it";
  for (unsigned i = 0; i < OP_MAX_ATTRS && row->attrs[i].id != ATTR_NONE && since <= asked; i++) {
    since = ir_attr_since(op, i);
    if (since <= asked && row->attrs[i].kind == AK_TYPE && op->attrs[i].type)
      since = ir_type_since(op->attrs[i].type);
    if (since > asked)
      what = arena_printf(&v->scratch, "this '%s'", attr_name((attr_id)row->attrs[i].id));
  }
  for (uint32_t i = 0; i < op->n_results && since <= asked; i++) {
    since = ir_type_since(op->results[i].type);
    if (since > asked)
      what = arena_printf(&v->scratch, "type %s", ir_type_text(&v->scratch, op->results[i].type));
  }
  if (since == IN_NO_VERSION)
    return rule_fail(v->m, op, "%s is Tessera's extension, which Tile IR 13.%u does not have", what,
                     asked);
  return since <= asked ||
         rule_fail(v->m, op, "%s needs Tile IR 13.%u; 13.%u was asked for", what, since, asked);
}

static bool has_layout(const ir_type *t) {
  return t && (t->layout || (t->kind >= IR_SHARED && t->kind <= IR_ASYNC));
}

static bool is_role(const ir_op *op) {
  return op->opcode == OP_group || op->opcode == OP_role || op->opcode == OP_elect;
}

/* A value belongs to the threads that made it. A scalar may be used by some of them, a tile by all
 * of them only. */
static bool check_owners(verifier *v, const ir_op *op) {
  for (uint32_t i = 0; i < op->n_operands; i++) {
    const ir_value *value = ir_operand(op, i);
    ir_threads by = v->owners.data[value->number], now = v->threads;
    bool part = now.first >= by.first && now.first + now.count <= by.first + by.count;
    bool tile =
        value->type->kind == IR_ASYNC || (value->type->kind == IR_TILE && value->type->rank);
    if (part && (!tile || now.count == by.count)) continue;
    const char *quoted = value->name ? arena_printf(&v->scratch, "%%%s ", value->name) : "";
    return rule_fail_operand(
        v->m, op, i, "%sbelongs to threads %d to %d, but threads %d to %d execute this%s", quoted,
        by.first, by.first + by.count, now.first, now.first + now.count,
        tile ? "; hand it over through shared memory" : "; compute it where all of them do");
  }
  return true;
}

/* What is of the block level stands only in kernels that state their threads. */
static bool check_level(verifier *v, const ir_op *op) {
  if (v->threads.count) return check_owners(v, op) && check_placement(v->m, op, v->threads.count);
  bool wrong = op->opcode >= OP_COUNT && op->opcode < OP_BLOCK_END;
  const ir_type *t = NULL;
  for (uint32_t i = 0; i < op->n_results && !wrong; i++)
    wrong = has_layout(t = op->results[i].type);
  if (!wrong) return true;
  const char *what = has_layout(t) ? type_text(v->m, t) : "this operation";
  return rule_fail(v->m, op,
                   "%s is of the block level, but the kernel is not; write threads(…) behind its "
                   "arguments to say how many threads a tile block has",
                   what);
}

static bool check_op(verifier *v, const ir_op *op) {
  const op_row *row = ir_row(op);
  if (!check_place(v, op, row) || !check_operands(v, op, row) || !check_results(v, op, row) ||
      !check_attrs(v, op, row) || !check_agreement(v, op, row) || !check_regions(v, op, row))
    return false;
  if (v->m->language && op->opcode < OP_COUNT && !check_version(v, op)) return false;
  if (op->opcode == OP_get_global) return check_get_global(v, op);
  if (op_rules[op->opcode].check && !op_rules[op->opcode].check(v->m, op)) return false;
  if (v->m->block_level && v->entry && op != v->entry && !check_level(v, op)) return false;
  return !v->m->scopes.len || check_debug_scope(v->m, op, v->entry);
}

static void push_value(verifier *v, ir_value *value) {
  value->number = v->visible.len;
  vec_push(&v->scratch, v->visible, value);
  vec_push(&v->scratch, v->owners, v->threads);
}

static void push_results(verifier *v, ir_op *op) {
  for (uint32_t i = 0; i < op->n_results; i++) push_value(v, &op->results[i]);
}

/* Or a function of a test that stands for one. */
static bool is_kernel(const ir_op *op) {
  return op->opcode == OP_entry || op->opcode == OP_testing_func;
}

/* Checks `op`; its regions are walked next, and its results become visible after them. */
static void visit(verifier *v, ir_op *op) {
  if (op->opcode == OP_NONE || op->opcode >= (v->m->testing ? OP_TABLE_SIZE : OP_BLOCK_END)) {
    ir_error(v->m, op, "this is not an operation of Tile IR");
    return;
  }
  if (is_kernel(op)) {
    v->entry = op;
    v->threads = (ir_threads){0};
    if (op->opcode == OP_entry) v->threads.count = (int32_t)ir_int_attr(op, ATTR_threads);
  }
  bool outermost = !op->block || op->block->parent->implicit;
  if (op->opcode == OP_module && outermost) collect_symbols(v, op);
  check_op(v, op);
  if (!op->n_regions) {
    push_results(v, op);
    return;
  }
  frame f = {.op = op, .height = v->visible.len, .floor = v->floor, .threads = v->threads};
  if (ir_row(op)->traits & TRAIT_ISOLATED) v->floor = v->visible.len;
  if (is_role(op)) v->threads = ir_threads_of(op, v->threads);
  vec_push(&v->scratch, v->frames, f);
}

/* Leaves the region that was walked and enters the next, or leaves the operation. */
static void next_region(verifier *v, frame *f) {
  ir_op *op = f->op;
  v->visible.len = v->owners.len = f->height;
  while (f->region < op->n_regions && !op->regions[f->region]) f->region++;
  if (f->region == op->n_regions) {
    v->floor = f->floor;
    v->frames.len--;
    if (is_kernel(op)) v->entry = NULL;
    push_results(v, op); /* of a group to its threads */
    v->threads = f->threads;
    return;
  }
  ir_block *b = op->regions[f->region++];
  for (uint32_t i = 0; i < b->n_args; i++) push_value(v, &b->args[i]);
  f->next = b->first;
}

static bool at_limit(const verifier *v) {
  return v->m->ctx->errors - v->errors_before >= v->m->ctx->error_limit;
}

static void walk(verifier *v) {
  visit(v, v->m->op);
  while (v->frames.len && !at_limit(v)) {
    frame *f = &vec_last(v->frames);
    ir_op *op = f->next;
    if (op) {
      f->next = op->next;
      visit(v, op);
    } else {
      next_region(v, f);
    }
  }
}

bool ir_verify(ir_module *m) {
  tsr_context *ctx = m->ctx;
  m->verified = false;
  if (!ir_infer_layouts(m)) return false;
  /* In the module, so that it is intact after a jump to the guard. */
  verifier *v = arena_new(&m->arena, verifier);
  v->m = m;
  v->errors_before = ctx->errors;
  arena_init(&v->scratch, ctx);
  TSR_GUARD(ctx, {
    arena_free(&v->scratch);
    ctx_unwind(ctx);
  });
  v->n_types = m->n_types;
  v->type_states = arena_alloc_zero(&v->scratch, v->n_types ? v->n_types : 1, 1);
  walk(v);
  arena_free(&v->scratch);
  TSR_UNGUARD(ctx);
  bool ok = ctx->errors == v->errors_before;
  if (ok) ir_number_globals(m);
  m->verified = ok;
  return m->verified;
}

/* ---- what exists in tests only --------------------------------------------------------------- */

static bool is_in_language(void *module, ir_op *op) {
  if (op->opcode < OP_BLOCK_END) return true;
  const ir_attr *name = op->opcode == OP_testing_foreign ? &op->attrs[0] : NULL;
  ir_error(module, op,
           "'%s' is not an operation of the language; a module that holds it can be checked and "
           "printed, but not written as bytecode, compiled or run",
           name ? name->s.data : ir_row(op)->name);
  return false;
}

bool ir_check_language(const ir_module *m) {
  if (!m->testing) return true;
  if (!ir_walk(m->op, is_in_language, (void *)m)) return false;
  if (!m->op->implicit) return true;
  diag_error(m->ctx, (place){.src = m->source},
             "this text is not one module; it can be checked and printed, but not written as "
             "bytecode, compiled or run");
  return false;
}

bool ir_check_tile_level(const ir_module *m, const char *why) {
  if (!m->block_level) return true;
  for (const ir_op *op = ir_region(m->op, 0)->first; op; op = op->next) {
    if (op->opcode != OP_entry || !ir_has_attr(op, ATTR_threads)) continue;
    ir_error(m, op, "@" STR_FMT " is of the block level, which %s", STR_ARG(ir_symbol_name(op)),
             why);
    return false;
  }
  return true;
}
