/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The plan as text.
 */
#include "simt/vendor.h"

typedef struct printer {
  sbuf *out;
  const simt_plan *p;
  const ir_module *m;
} printer;

static void print_name(printer *q, const ir_value *v) {
  if (v->name)
    sbuf_printf(q->out, "%%%s", v->name);
  else
    sbuf_printf(q->out, "%%%u", v->number);
}

static void print_value(printer *q, const ir_value *v) {
  if (v->type->kind != IR_TILE || v->type->count == 1) return;
  const simt_value *x = simt_value_of(q->p, v);
  sbuf_puts(q->out, "  ");
  print_name(q, v);
  sbuf_puts(q->out, ": ");
  ir_type_print(q->out, v->type, false);
  if (x->home == SIMT_LAZY) {
    sbuf_puts(q->out, ": computed where it is needed\n");
    return;
  }
  sbuf_puts(q->out, ": ");
  simt_dist_print(q->out, &x->dist, v->type);
  tsr_layout_value shown = {.kind = TSR_LAYOUT_DISTRIBUTION};
  if (simt_dist_layout(&shown.layout, &x->dist, v->type)) {
    const tsr_layout_print_options options = {.struct_size = sizeof options,
                                              .format = TSR_FORMAT_TILUS};
    char text[1024];
    tsr_layout_print(&shown, &options, text, sizeof text);
    sbuf_printf(q->out, "\n    %s", text);
  }
  sbuf_putc(q->out, '\n');
}

static void print_product(printer *q, const ir_op *op) {
  const simt_op *info = simt_op_of(q->p, op);
  if (info->mma == SIMT_MMA_FMA) {
    sbuf_puts(q->out, "    by multiply-adds on operands in shared memory\n");
    return;
  }
  if (info->mma == SIMT_MMA_GROUP) {
    q->p->target.vendor->print_group(q->out, q->p, op);
    return;
  }
  sbuf_printf(q->out, "    by %s%s\n    lhs: ", info->instruction->mnemonic,
              info->instruction->name);
  simt_dist_print(q->out, &info->a, ir_operand(op, 0)->type);
  if (info->repeat) sbuf_printf(q->out, ", each row %u times", 1u << info->repeat);
  sbuf_puts(q->out, "\n    rhs: ");
  simt_dist_print(q->out, &info->b, ir_operand(op, 1)->type);
  if (info->direct) sbuf_puts(q->out, ", as it is loaded");
  sbuf_putc(q->out, '\n');
}

static bool print_op(void *user, ir_op *op) {
  printer *q = user;
  for (unsigned i = 0; i < op->n_regions; i++)
    for (uint32_t k = 0; ir_region(op, i) && k < ir_region(op, i)->n_args; k++)
      print_value(q, &ir_region(op, i)->args[k]);
  for (uint32_t i = 0; i < op->n_results; i++) print_value(q, ir_result(op, i));
  const simt_pipeline *pipeline = simt_pipeline_of(q->p, op);
  if (pipeline) simt_pipeline_print(q->out, q->p, pipeline, "    ");
  if (op->opcode == OP_mmaf || op->opcode == OP_mmai || op->opcode == OP_mmaf_scaled)
    print_product(q, op);
  return true;
}

void simt_plan_print(sbuf *out, const simt_plan *p, const ir_module *m, ir_op *entry) {
  printer q = {.out = out, .p = p, .m = m};
  str name = ir_symbol_name(entry);
  sbuf_printf(out, "@" STR_FMT ": %u warp%s, %u threads\n", STR_ARG(name), 1u << p->warps,
              p->warps ? "s" : "", 1u << (p->lanes + p->warps));
  ir_walk(entry, print_op, &q);
}
