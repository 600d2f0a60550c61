/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "simt/pipeline.h"

const simt_staged *simt_staged_operand(const simt_plan *p, const ir_op *product, bool is_lhs) {
  const ir_value *v = ir_operand(product, is_lhs ? 0 : 1);
  const ir_op *op = ir_defining_op(v);
  while (op && (op->opcode == OP_reshape || op->opcode == OP_permute))
    op = ir_defining_op(ir_operand(op, 0));
  const simt_staged *s = op ? simt_staged_load(p, op) : NULL;
  return s && s->product == product && s->is_lhs == is_lhs ? s : NULL;
}

/* ---- where a buffer's elements lie ---------------------------------------------------------- */

uint32_t simt_stage_at(const simt_stage_layout *l, uint32_t operand_index) {
  uint32_t at = 0;
  for (unsigned k = 0; k < l->n; k++)
    if (operand_index >> k & 1) at ^= l->column[k];
  return at;
}

/* ---- text ----------------------------------------------------------------------------------- */

static const char *const engine_names[] = {"loads and stores", "cp.async", "TMA"};

void simt_pipeline_print(sbuf *out, const simt_pipeline *p, const char *indent) {
  sbuf_printf(out, "%spipelined: %u stages of %u bytes\n", indent, p->stages, p->stage_bytes);
  for (uint32_t i = 0; i < p->n_loads; i++) {
    const simt_staged *s = &p->loads[i];
    const simt_stage_layout *l = &s->layout;
    sbuf_printf(out, "%s  %s by %s at %u: rows of %u bytes along %s, ", indent,
                s->is_lhs ? "lhs" : "rhs", engine_names[s->engine], s->offset, l->row_bytes,
                l->fast_is_k ? "k"
                : s->is_lhs  ? "m"
                             : "n");
    if (l->swizzle)
      sbuf_printf(out, "swizzled %u bytes wide\n", 16u << l->swizzle);
    else
      sbuf_puts(out, "not swizzled\n");
    sbuf_printf(out, "%s    copied by ", indent);
    simt_dist_print(out, &s->copy, ir_result(s->load, 0)->type);
    sbuf_putc(out, '\n');
  }
}
