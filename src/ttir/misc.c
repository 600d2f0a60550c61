/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Where a block is, printing, assertions, and what has no effect or no equivalent.
 */
#include "ttir/lower.h"

/* At the kernel's beginning, once. */
static void ask_grid(lowering *l, op_code code, ir_value **out) {
  const ir_type *i32 = ir_scalar(l->m, TSR_I32);
  ir_op *op = ir_op_create(l->m, &(ir_op_spec){.opcode = code,
                                               .loc = l->loc,
                                               .n_results = 3,
                                               .result_types = (const ir_type *[]){i32, i32, i32}});
  if (l->entry->first)
    ir_op_insert_before(l->entry->first, op);
  else
    ir_op_append(l->entry, op);
  for (uint32_t i = 0; i < 3; i++) out[i] = ir_result(op, i);
}

static ir_value *const *position(lowering *l) {
  if (!l->position[0]) ask_grid(l, OP_get_tile_block_id, l->position);
  return l->position;
}

bool tt_lower_program_id(lowering *l, tt_op *op) {
  static const char *const names[] = {"x", "y", "z"};
  int axis = tt_enum(l, op, "axis", 0, names, ARRAY_LEN(names));
  if (axis < 0) return false;
  if (op->row->opcode == OP_get_tile_block_id) return tt_set(l, op, 0, position(l)[axis]);
  if (!l->extent[0]) ask_grid(l, OP_get_num_tile_blocks, l->extent);
  return tt_set(l, op, 0, l->extent[axis]);
}

/* ---- printing
 * ------------------------------------------------------------------------------------- */

static const char *conversion(const ir_type *t, bool hex, bool is_signed) {
  bool wide = t->elem == TSR_I64;
  if (!tsr_elem_is_int((tsr_elem)t->elem)) return "%f";
  if (hex) return wide ? "0x%llx" : "0x%x";
  if (is_signed) return wide ? "%lld" : "%i";
  return wide ? "%llu" : "%u";
}

static bool print_operand(lowering *l, tt_op *op, uint32_t i, sbuf *format, ir_value **out) {
  ir_value *v = tt_use(l, op, i);
  if (!v) return false;
  const tt_attr *is_signed = tt_find_attr(op->attrs, "isSigned");
  bool sign = !is_signed || i >= is_signed->n_ints || is_signed->ints[i] || v->type->elem == TSR_I1;
  bool hex = tt_int_attr(op, "hex", 0) != 0;
  if (v->type->elem == TSR_PTR) {
    v = tt_emit1(l, OP_ptr_to_int, tt_like(l, v->type, TSR_I64), v);
    hex = true;
  } else if (tsr_elem_is_float((tsr_elem)v->type->elem) &&
             tsr_elem_bits((tsr_elem)v->type->elem) < 32) {
    v = tt_float(l, v, TSR_F32);
  }
  sbuf_printf(format, "%s%s", i ? ", " : "", conversion(v->type, hex, sign));
  *out = v;
  return true;
}

/* pid (x, y, z), the text, the operands: a line for each block. */
bool tt_lower_print(lowering *l, tt_op *op) {
  ir_value *operands[TT_MAX_VALUES + 4], *token = tt_before_write(l);
  sbuf format = SBUF(&l->m->arena);
  const tt_attr *prefix = tt_find_attr(op->attrs, "prefix");
  str text = prefix && prefix->kind == TT_STRING ? prefix->text : op->string;
  uint32_t n = 0;
  for (; n < 3; n++) operands[n] = position(l)[n];
  sbuf_puts(&format, "pid (%i, %i, %i)");
  for (size_t i = 0; i < text.len; i++) {
    if (text.data[i] == '%') sbuf_putc(&format, '%');
    sbuf_putc(&format, text.data[i]);
  }
  for (uint32_t i = 0; i < op->n_operands; i++, n++)
    if (!print_operand(l, op, i, &format, &operands[n])) return false;
  sbuf_putc(&format, '\n');
  uint32_t segments[] = {n, token != NULL};
  if (token) operands[n++] = token;
  ir_op *made = tt_emit_op(l, &(ir_op_spec){.opcode = OP_print_tko,
                                            .n_operands = n,
                                            .operands = operands,
                                            .segments = segments,
                                            .n_results = 1,
                                            .result_types = (const ir_type *[]){ir_token(l->m)}});
  ir_set_attr(made, ATTR_str, (ir_attr){.s = {format.data, format.len}});
  tt_after_write(l, ir_result(made, 0));
  return true;
}

/* Bodies of reductions may only compute: what they assert, as checks of overflow do, is left out.
 */
bool tt_lower_assert(lowering *l, tt_op *op) {
  ir_value *c = tt_use(l, op, 0);
  if (!c || l->in_fold) return c != NULL;
  const tt_attr *a = tt_find_attr(op->attrs, "message");
  str text = a && a->kind == TT_STRING ? a->text : op->string;
  ir_op *made = tt_emit_op(l, &(ir_op_spec){.opcode = OP_assert, .n_operands = 1, .operands = &c});
  ir_set_attr(made, ATTR_message, (ir_attr){.s = arena_str(&l->m->arena, text)});
  return true;
}

/* ---- nothing
 * -------------------------------------------------------------------------------------- */

/* Hints, and what orders the threads of a block: a block of Tile IR has one thread. */
bool tt_lower_nothing(lowering *l, tt_op *op) {
  (void)l;
  (void)op;
  return true;
}

bool tt_lower_refused(lowering *l, tt_op *op) {
  if (str_is(op->name, "tt.elementwise_inline_asm"))
    return tt_refuse(l,
                     "inline assembly ('" STR_FMT "'): Tile IR has none, so write the operation "
                     "in Triton",
                     STR_ARG(op->string));
  return tt_refuse(l, "Tile IR has nothing for the operation '" STR_FMT "'", STR_ARG(op->name));
}
