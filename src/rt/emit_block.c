/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/emit_block.h"

#include "ir/verify.h"
#include "opt/prepare.h"
#include "simt/block/emit.h"
#include "simt/nvidia/cluster.h"
#include "text/text.h"

/* Producers that compare what they load have no text. */
static bool is_printed(const simt_plan *plan) {
  const simt_bulk *b = simt_bulk_of(plan);
  return b && !simt_compares_blocks(b);
}

/* Of the form that is asked for, or what is next to it. */
static const simt_plan *plan_of(ir_module *m, ir_op *entry, simt_target target, arena *a) {
  if (!gpu_can(target.gpu, GPU_BULK_COPY | GPU_WGMMA)) target.form = SIMT_PLAIN;
  const simt_plan *plan = simt_assign(m, entry, &target, a);
  while (target.form != SIMT_PLAIN && !is_printed(plan)) {
    target.form--;
    plan = simt_assign(m, entry, &target, a);
  }
  return plan;
}

static bool translate(ir_module *m, ir_op *entry, const simt_target *target, arena *a) {
  if (ir_has_attr(entry, ATTR_threads)) return true;
  return simt_emit_block(m, entry, plan_of(m, entry, *target, a), a);
}

/* The entries of the copy, which the translation replaces one after the other. */
static bool translate_all(ir_module *m, unsigned n, ir_op **entries, const simt_target *target,
                          arena *a) {
  for (unsigned i = 0; i < n; i++)
    if (!translate(m, entries[i], target, a)) return false;
  if (!ir_verify(m)) return false;
  for (ir_op *op = ir_region(m->op, 0)->first; op; op = op->next)
    if (op->opcode == OP_entry && ir_has_attr(op, ATTR_threads)) simt_name_layouts(m, op, a);
  return true;
}

static unsigned list_entries(const ir_module *m, arena *a, ir_op ***out) {
  unsigned n = 0;
  for (ir_op *op = ir_region(m->op, 0)->first; op; op = op->next) n += op->opcode == OP_entry;
  *out = arena_array(a, ir_op *, n + 1);
  n = 0;
  for (ir_op *op = ir_region(m->op, 0)->first; op; op = op->next)
    if (op->opcode == OP_entry) (*out)[n++] = op;
  return n;
}

static bool emit_copy(const ir_module *m, const simt_target *target, arena *a,
                      ir_module *volatile *copy, sbuf *out) {
  ir_op **entries;
  unsigned n = list_entries(m, a, &entries);
  ir_op **copies = arena_array(a, ir_op *, n + 1);
  *copy = opt_prepare(m, entries, n, NULL, copies, NULL);
  if (!*copy || !translate_all(*copy, n, copies, target, a)) return false;
  text_print(out, *copy);
  return true;
}

bool rt_emit_block(ir_module *m, const gpu_target *target, unsigned warps, unsigned form,
                   sbuf *out) {
  const simt_target planned = {
      .gpu = target, .vendor = &simt_nvidia, .warps = warps, .form = form, .printed = true};
  tsr_context *ctx = m->ctx;
  ir_module *volatile copy = NULL;
  arena a;
  arena_init(&a, ctx);
  TSR_GUARD(ctx, {
    ir_module_destroy(copy);
    arena_free(&a);
    ctx_unwind(ctx);
  });
  bool ok = emit_copy(m, &planned, &a, &copy, out);
  TSR_UNGUARD(ctx);
  ir_module_destroy(copy);
  arena_free(&a);
  return ok;
}
