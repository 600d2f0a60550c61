/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The generic form, for the operations whose custom form would be read as another:
 *
 *   %r, %t = "cuda_tile.load_ptr_tko"(%p, %padding) <{memory_ordering_semantics = 0 : i32,
 *       operandSegmentSizes = array<i32: 1, 0, 1, 0>}> : (tile<ptr<f32>>, tile<f32>)
 *       -> (tile<f32>, token)
 */
#include "text/print.h"

/* A padding without a mask stands where a mask would, and nothing in the text tells them apart. */
bool needs_generic_form(const ir_op *op) {
  enum { MASK = 1, PADDING = 2 };
  return op->opcode == OP_load_ptr_tko && !op->segments[MASK] && op->segments[PADDING];
}

static void print_entry(printer *q, const ir_op *op, unsigned slot) {
  const op_attr *a = &ir_row(op)->attrs[slot];
  sbuf_printf(q->out, "%s = ", attr_name((attr_id)a->id));
  if (a->kind >= AK_ROUNDING) { /* an enum */
    sbuf_i64(q->out, op->attrs[slot].i);
    sbuf_puts(q->out, " : i32");
    return;
  }
  if (a->kind == AK_HINTS) sbuf_puts(q->out, "#cuda_tile.optimization_hints");
  print_attr(q, op, slot);
}

static void print_properties(printer *q, const ir_op *op) {
  const op_row *row = ir_row(op);
  sbuf_puts(q->out, " <{");
  for (unsigned slot = 0; slot < OP_MAX_ATTRS && row->attrs[slot].id != ATTR_NONE; slot++) {
    if (!(op->present >> slot & 1)) continue;
    print_entry(q, op, slot);
    sbuf_puts(q->out, ", ");
  }
  sbuf_puts(q->out, "operandSegmentSizes = array<i32: ");
  for (unsigned g = 0; g < OP_MAX_OPERANDS && row->operands[g].name; g++)
    sbuf_printf(q->out, g ? ", %u" : "%u", op->segments[g]);
  sbuf_puts(q->out, ">}>");
}

void print_generic(printer *q, const ir_op *op) {
  sbuf_printf(q->out, "\"cuda_tile.%s\"(", ir_row(op)->name);
  for (uint32_t k = 0; k < op->n_operands; k++) {
    if (k) sbuf_puts(q->out, ", ");
    print_value(q, op->operands[k].value);
  }
  sbuf_putc(q->out, ')');
  print_properties(q, op);
  print_extras(q, op);
  sbuf_puts(q->out, " : (");
  for (uint32_t k = 0; k < op->n_operands; k++) {
    if (k) sbuf_puts(q->out, ", ");
    print_type(q, op->operands[k].value ? op->operands[k].value->type : NULL);
  }
  sbuf_puts(q->out, ") -> (");
  for (uint32_t k = 0; k < op->n_results; k++) {
    if (k) sbuf_puts(q->out, ", ");
    print_type(q, op->results[k].type);
  }
  sbuf_putc(q->out, ')');
}
