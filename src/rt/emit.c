/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Code for files instead of memory.
 */
#include "ir/verify.h"
#include "text/text.h"
#include "opt/opt.h"
#include "opt/prepare.h"
#include "block/erase.h"
#include "rt/cache.h"
#include "rt/cached.h"
#include "rt/cpuinfo.h"
#include "rt/header.h"
#include "rt/plugin.h"
#include "rt/rt.h"

static bool can_launch(void *module, ir_op *op) {
  return op->opcode != OP_entry || ir_check_parameters(module, op);
}

/* What all of this begins with: the compiler, and what it is to compile for. NULL after a message.
 */
static const compiler_plugin *begin(ir_module *m, const char *cpu, cpu_options *options) {
  if (!(m->verified || ir_verify(m)) || !ir_check_language(m)) return NULL;
  if (!ir_walk(m->op, can_launch, m)) return NULL;
  if (!cpuinfo_choose_target(m->ctx, cpu, options)) return NULL;
  return plugin_get(m->ctx);
}

/* The copy that the backend lowers. When memory runs out, it is gone. */
static bool emit_tile(ir_module *m, sbuf *out) {
  unsigned n = 0, count = 0;
  for (ir_op *op = ir_region(m->op, 0)->first; op; op = op->next) count += op->opcode == OP_entry;
  ir_op **entries = arena_array(out->arena, ir_op *, count + 1),
        **copies = arena_array(out->arena, ir_op *, count + 1);
  for (ir_op *op = ir_region(m->op, 0)->first; op; op = op->next)
    if (op->opcode == OP_entry) entries[n++] = op;
  ir_module *copy = opt_prepare(m, entries, n, block_erase_threads, copies, NULL);
  if (!copy) return false;
  TSR_GUARD(m->ctx, {
    ir_module_destroy(copy);
    ctx_unwind(m->ctx);
  });
  bool ok = opt_run_cpu(copy) == TSR_OK;
  text_print(out, copy);
  TSR_UNGUARD(m->ctx);
  ir_module_destroy(copy);
  return ok;
}

static bool emit_into(ir_module *m, tsr_emit kind, const char *cpu, sbuf *out) {
  cpu_options options;
  if ((unsigned)kind > TSR_EMIT_HEADER) {
    diag_error(m->ctx, NOWHERE, "tsr_module_emit: %d is no tsr_emit", (int)kind);
    return false;
  }
  if (kind == TSR_EMIT_TILE)
    return (m->verified || ir_verify(m)) && ir_check_language(m) && emit_tile(m, out);
  const compiler_plugin *plugin = begin(m, cpu, &options);
  if (plugin && kind == TSR_EMIT_HEADER) return rt_emit_header(plugin->cpu, m, &options, out);
  return plugin && plugin->cpu->emit(m->ctx, m, kind, &options, out);
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

/* ---- kernels for machines without a compiler ------------------------------------------------ */

static bool store_kernel(const compiler_plugin *plugin, ir_module *m, ir_op *entry,
                         const cpu_options *options, const cache *folder, arena *a) {
  const char *name = ir_symbol_name(entry).data;
  str key = cached_key_elsewhere(a, m, options, entry);
  if (!key.len) {
    ir_error(m, entry, "a kernel with more than a megabyte of constants cannot be stored");
    return false;
  }
  sbuf code = SBUF(a);
  cpu_sizes sizes;
  if (!plugin->cpu->object(m->ctx, m, entry, options, &sizes, &code)) return false;
  cache_entry put = {.object = {code.data, code.len}}, got;
  memcpy(put.sizes, &sizes, sizeof sizes);
  cache_store(folder, a, key, &put);
  if (cache_load(folder, a, key, &got)) return true;
  diag_error(m->ctx, NOWHERE,
             "kernel '%s' was not stored in %s: the folder must be the user's own, writable for "
             "nobody else (mode 0700), on a disk with room",
             name, folder->folder);
  return false;
}

static size_t store_kernels(ir_module *m, const char *cpu, const char *name, arena *a) {
  cpu_options options;
  cache *folder = arena_new(a, cache);
  const compiler_plugin *plugin = begin(m, cpu, &options);
  if (!plugin) return 0;
  if (!name || !*name || !cache_open(m->ctx, name, folder)) {
    diag_error(m->ctx, NOWHERE,
               "tsr_module_emit_kernels: no folder; name one, and leave "
               "TESSERA_CACHE unset");
    return 0;
  }
  size_t n = 0;
  for (ir_op *op = ir_region(m->op, 0)->first; op; op = op->next) {
    if (op->opcode != OP_entry) continue;
    if (!store_kernel(plugin, m, op, &options, folder, a)) return 0;
    n++;
  }
  if (!n) diag_error(m->ctx, NOWHERE, "the module has no kernel (no `entry`)");
  return n;
}

size_t tsr_module_emit_kernels(tsr_module *m, const char *cpu, const char *folder) {
  if (!m) return 0;
  arena scratch;
  arena_init(&scratch, m->ctx);
  TSR_GUARD(m->ctx, {
    arena_free(&scratch);
    return 0;
  });
  m->ctx->errors = 0;
  size_t n = store_kernels(m, cpu, folder, &scratch);
  TSR_UNGUARD(m->ctx);
  arena_free(&scratch);
  return n;
}
