/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The writer's operations, attributes and regions. A value's `number` is its number in the file:
 * how many values are visible where it is defined.
 */
#include "bytecode/write.h"

static uint32_t put_op(writer *w, sbuf *b, ir_op *op, uint32_t next);

/* ---- attributes ------------------------------------------------------------------------------ */

/* The bits of a float: a byte, or a signed number that is never negative but for f64. */
static void put_scalar(writer *w, sbuf *b, tsr_elem elem, uint64_t bits) {
  const elem_code *e = &elem_codes[elem];
  bool is_float = tsr_elem_is_float(elem);
  put_varint(b, is_float ? ATTRIBUTE_FLOAT : ATTRIBUTE_INTEGER);
  put_varint(b, elem_number(w, elem));
  bits >>= e->shift;
  if (!is_float)
    put_varint(b, bits);
  else if (e->bits <= 8)
    put_byte(b, (uint8_t)bits);
  else
    put_signed(b, (int64_t)bits);
}

static void put_ints(sbuf *b, const ir_ints *v, unsigned width) {
  put_varint(b, v->len);
  for (uint32_t i = 0; i < v->len; i++) put_int(b, (uint64_t)v->data[i], width);
}

static void put_predicate(sbuf *b, const ir_predicate *p) {
  switch ((ir_predicate_kind)p->kind) {
  case IR_DIV_BY:
    put_varint(b, ATTRIBUTE_DIV_BY);
    put_varint(b, p->divisor);
    put_byte(b, p->has_every ? 3 : 0);
    if (!p->has_every) break;
    put_signed(b, p->every);
    put_signed(b, p->along);
    break;
  case IR_SAME_ELEMENTS:
    put_varint(b, ATTRIBUTE_SAME_ELEMENTS);
    put_ints(b, p->values, 8);
    break;
  case IR_BOUNDED:
    put_varint(b, ATTRIBUTE_BOUNDED);
    put_byte(b, (uint8_t)(p->has_lower | p->has_upper << 1));
    if (p->has_lower) put_signed(b, p->lower);
    if (p->has_upper) put_signed(b, p->upper);
    break;
  }
}

/* A dictionary of dictionaries; hints are sorted. Integers are i64, as the text's are. */
void put_hints(writer *w, sbuf *b, const ir_hints *h) {
  uint32_t targets = 0;
  for (uint32_t i = 0; i < h->len; i++)
    targets += i == 0 || !str_eq(h->data[i].target, h->data[i - 1].target);
  put_varint(b, targets);
  for (uint32_t i = 0, end; i < h->len; i = end) {
    for (end = i; end < h->len && str_eq(h->data[end].target, h->data[i].target);) end++;
    put_varint(b, string_number(w, h->data[i].target));
    put_varint(b, ATTRIBUTE_DICTIONARY);
    put_varint(b, end - i);
    for (uint32_t k = i; k < end; k++) {
      const ir_hint *hint = &h->data[k];
      put_varint(b, string_number(w, hint->key));
      put_scalar(w, b, hint->is_bool ? TSR_I1 : TSR_I64, (uint64_t)hint->value);
    }
  }
}

static void put_scalars(writer *w, sbuf *b, const ir_scalars *s) {
  put_varint(b, s->len);
  for (uint32_t i = 0; i < s->len; i++)
    put_scalar(w, b, (tsr_elem)s->data[i].elem, s->data[i].bits);
}

static void put_attribute(writer *w, sbuf *b, const op_attr *a, const ir_attr *value) {
  switch ((attr_kind)a->kind) {
  case AK_INT: put_varint(b, a->bits == 32 ? (uint32_t)value->i : (uint64_t)value->i); break;
  case AK_BOOL: put_byte(b, value->i != 0); break;
  case AK_UNIT:
  case AK_BOOLS: /* by put_bools */
  case AK_DICTS: break;
  case AK_STRING:
  case AK_SYMBOL: put_varint(b, string_number(w, value->s)); break;
  case AK_INTS: put_ints(b, value->ints, 4); break;
  case AK_DENSE: put_varint(b, constant_number(w, value->dense)); break;
  case AK_SCALARS: put_scalars(w, b, value->scalars); break;
  case AK_PREDICATE: put_predicate(b, value->predicate); break;
  case AK_HINTS: put_hints(w, b, value->hints); break;
  case AK_TYPE: put_varint(b, type_number(w, value->type)); break;
  default: put_varint(b, (uint64_t)value->i); break; /* enums */
  }
}

/* Whether an optional attribute is there; a unit must also be set. */
static bool is_given(const ir_op *op, const op_attr *a, unsigned slot) {
  return op->present >> slot & 1 && (a->kind != AK_UNIT || op->attrs[slot].i);
}

static void refuse_part(writer *w, const char *kind, const char *name, unsigned since) {
  write_refuse(w, arena_printf(&w->temp, "%s '%s' of %s", kind, name, ir_row(w->op)->name), since);
}

/* ---- the parts of an operation --------------------------------------------------------------- */

/* Results that the version does not know are left out, when nothing uses them. Returns how many
 * are there. */
static uint32_t put_results(writer *w, sbuf *b, const ir_op *op, const op_row *row,
                            const op_layout *l) {
  bool many = l->n_results && row->results[0].arity == MANY;
  uint32_t n = op->n_results;
  for (uint32_t i = op->n_results; !many && i-- > 0;) {
    unsigned since = part_since(row, row->results[i].since);
    if (since <= w->version) continue;
    if (op->results[i].uses) refuse_part(w, "using result", row->results[i].name, since);
    n--;
  }
  if (l->counts_results) put_varint(b, n);
  for (uint32_t i = 0; i < n; i++) put_varint(b, type_number(w, op->results[i].type));
  return n;
}

static void put_flags(writer *w, sbuf *b, const ir_op *op, const op_row *row, const op_layout *l) {
  uint64_t flags = 0;
  if (!l->flags_since) return;
  for (unsigned i = 0; i < l->n_attrs; i++) {
    const op_attr *a = &row->attrs[i];
    if (l->attr_bit[i] == NO_BIT || !is_given(op, a, i)) continue;
    unsigned since = ir_attr_since(op, i);
    if (since > w->version) refuse_part(w, "attribute", attr_name((attr_id)a->id), since);
    flags |= 1u << l->attr_bit[i];
  }
  for (unsigned g = 0; g < l->n_operands; g++) {
    if (l->operand_bit[g] == NO_BIT || !op->segments[g]) continue;
    unsigned since = part_since(row, row->operands[g].since);
    if (since > w->version) refuse_part(w, "operand", row->operands[g].name, since);
    flags |= 1u << l->operand_bit[g];
  }
  if (l->flags_since <= w->version) put_varint(b, flags);
}

/* A byte for each index. */
static void put_bools(sbuf *b, const ir_op *op, const ir_ints *list) {
  uint32_t n = 0;
  for (unsigned g = 0; g < op_n_operands(ir_row(op)); g++)
    if (ir_row(op)->operands[g].arity == MANY) n = op->segments[g];
  put_varint(b, n);
  for (uint32_t i = 0; i < n; i++) put_byte(b, list && list->data[i]);
}

static void put_attributes(writer *w, sbuf *b, const ir_op *op, const op_row *row,
                           const op_layout *l) {
  for (unsigned i = 0; i < l->n_attrs; i++) {
    const op_attr *a = &row->attrs[i];
    unsigned since = ir_attr_since(op, i);
    bool held = l->attr_bit[i] != NO_BIT;
    if (since > w->version && !held) refuse_part(w, "attribute", attr_name((attr_id)a->id), since);
    if (held ? !is_given(op, a, i) : part_since(row, a->since) > w->version) continue;
    if (a->kind == AK_BOOLS)
      put_bools(b, op, op->attrs[i].ints);
    else
      put_attribute(w, b, a, &op->attrs[i]);
  }
}

static void put_operands(sbuf *b, const ir_op *op, const op_row *row, const op_layout *l) {
  const ir_use *u = op->operands;
  if (l->counts_operands) put_varint(b, op->n_operands);
  for (unsigned g = 0; g < l->n_operands; g++) {
    if (!l->counts_operands && row->operands[g].arity == MANY) put_varint(b, op->segments[g]);
    for (uint32_t i = 0; i < op->segments[g]; i++) put_varint(b, (u++)->value->number);
  }
}

/* ---- regions --------------------------------------------------------------------------------- */

static void put_block(writer *w, sbuf *b, const ir_block *block, uint32_t next) {
  uint64_t n = 0;
  put_varint(b, block->n_args);
  for (uint32_t i = 0; i < block->n_args; i++) {
    put_varint(b, type_number(w, block->args[i].type));
    block->args[i].number = next++;
  }
  for (const ir_op *op = block->first; op; op = op->next) n++;
  put_varint(b, n);
  for (ir_op *op = block->first; op && !write_stopped(w); op = op->next)
    next = put_op(w, b, op, next);
}

static void put_regions(writer *w, sbuf *b, const ir_op *op, uint32_t next) {
  if (w->depth == MAX_REGION_DEPTH) {
    write_fail(w, "regions are nested more than %d deep", MAX_REGION_DEPTH);
    return;
  }
  w->depth++;
  put_varint(b, op->n_regions);
  for (unsigned i = 0; i < op->n_regions; i++) {
    put_varint(b, op->regions[i] != NULL);
    if (op->regions[i]) put_block(w, b, op->regions[i], next);
  }
  w->depth--;
}

/* ---- operations ------------------------------------------------------------------------------ */

/* Attributes that no row knows mean nothing to the language. */
static void warn_of_extras(const writer *w, const ir_op *op) {
  for (const ir_extra *e = op->extra; e; e = e->next)
    diag(w->ctx, TSR_WARNING, ir_place(w->m, op->loc),
         "attribute '" STR_FMT "' of %s is not part of bytecode and is left out", STR_ARG(e->name),
         ir_row(op)->name);
}

/* `next` is the number of the next value; returns the one after the results. */
static uint32_t put_op(writer *w, sbuf *b, ir_op *op, uint32_t next) {
  const op_row *row = ir_row(op);
  const op_layout *l = &w->layouts.ops[op->opcode];
  w->op = op;
  debug_operation(w, w->function, op);
  if (op->extra) warn_of_extras(w, op);
  if (ir_op_since(op) > w->version) {
    write_refuse(w, row->name, ir_op_since(op));
    return next;
  }
  put_varint(b, row->bytecode);
  uint32_t n = put_results(w, b, op, row, l);
  put_flags(w, b, op, row, l);
  put_attributes(w, b, op, row, l);
  put_operands(b, op, row, l);
  if (op->n_regions) put_regions(w, b, op, next);
  for (uint32_t i = 0; i < n; i++) op->results[i].number = next++;
  return next;
}

void put_body(writer *w, sbuf *b, const ir_block *body) {
  uint32_t next = 0;
  for (uint32_t i = 0; i < body->n_args; i++) body->args[i].number = next++;
  for (ir_op *op = body->first; op && !write_stopped(w); op = op->next)
    next = put_op(w, b, op, next);
}
