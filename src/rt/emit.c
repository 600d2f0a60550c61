/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Code for files instead of memory.
 */
#include "ir/verify.h"
#include "rt/cpuinfo.h"
#include "rt/plugin.h"
#include "rt/rt.h"

static bool can_launch(void *module, ir_op *op) {
  return op->opcode != OP_entry || ir_check_parameters(module, op);
}

static bool emit_into(ir_module *m, tsr_emit kind, const char *cpu, sbuf *out) {
  cpu_options options;
  if ((unsigned)kind > TSR_EMIT_OBJECT) {
    diag_error(m->ctx, NOWHERE, "tsr_module_emit: %d is no tsr_emit", (int)kind);
    return false;
  }
  if (!(m->verified || ir_verify(m)) || !ir_check_language(m)) return false;
  if (!ir_walk(m->op, can_launch, m)) return false;
  if (!cpuinfo_choose(m->ctx, cpu, &options)) return false;
  const cpu_plugin *plugin = plugin_get(m->ctx);
  return plugin && plugin->emit(m->ctx, m, kind, &options, out);
}

char *tsr_module_emit(tsr_module *m, tsr_emit kind, const char *cpu, size_t *length) {
  if (length) *length = 0;
  if (!m) return NULL;
  tsr_context *ctx = m->ctx;
  arena text;
  arena_init(&text, ctx);
  TSR_GUARD(ctx, {
    arena_free(&text);
    return NULL;
  });
  ctx->errors = 0;
  sbuf out = SBUF(&text);
  char *result = NULL;
  if (emit_into(m, kind, cpu, &out)) {
    result = ctx_string_take(&out);
    if (length) *length = out.len;
  }
  TSR_UNGUARD(ctx);
  arena_free(&text);
  return result;
}
