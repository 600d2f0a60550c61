/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Code for GPUs as text or file.
 */
#include <stdio.h>

#include "ir/verify.h"
#include "gpu/nvptx/nvptx.h"
#include "rt/cpuinfo.h"
#include "rt/emit_block.h"
#include "rt/plugin.h"
#include "rt/cuda_driver.h"
#include "rt/emit_amd.h"
#include "rt/gpu_resources.h"
#include "rt/ptx_lines.h"
#include "rt/ptxas.h"
#include "rt/rt.h"
#include "rt/tensor_maps.h"

const char *tsr_gpu_target_name(size_t index) {
  const gpu_target *t = gpu_target_at(index);
  return t ? t->name : NULL;
}

static bool can_launch(void *module, ir_op *op) {
  return op->opcode != OP_entry || ir_check_parameters(module, op);
}

static const gpu_target *target_of(tsr_context *ctx, const char *name) {
  const gpu_target *t = gpu_find_target(name);
  char all[256];
  if (t) return t;
  gpu_list_names(GPU_COMPILED, "", all, sizeof all);
  diag_error(ctx, NOWHERE, "unknown GPU target '%s'; there are: %s", name ? name : "", all);
  return NULL;
}

/* ---- resources --------------------------------------------------------------------------- */

static void print_entry(sbuf *out, const gpu_report *report, const nvptx_entry *e,
                        const char *form) {
  const gpu_target *t = report->target;
  gpu_resources r = gpu_resources_of(report, e->symbol);
  unsigned warps = gpu_warps_resident(t, e, &r);
  str name = ir_symbol_name(e->op);
  sbuf_printf(out,
              "@" STR_FMT "%s: %u threads, %u registers, %u bytes of shared memory, %u bytes "
              "spilled, %u bytes of stack, occupancy %u%% (%u of %u warps)%s%s\n",
              STR_ARG(name), form, e->threads, r.registers, e->shared_bytes + e->static_bytes,
              r.spill_stores + r.spill_loads, r.stack, 100 * warps / t->max_warps, warps,
              t->max_warps, r.serialised ? ", wgmma one after the other" : "",
              r.estimated ? "; registers estimated, for want of ptxas" : "");
}

static void print_resources(sbuf *out, const gpu_report *r, const nvptx_result *code) {
  for (uint32_t i = 0; i < code->n_entries; i++) {
    const nvptx_entry *e = &code->entries[i];
    print_entry(out, r, e, "");
    if (e->bulk) print_entry(out, r, e->bulk, " with tensor maps");
    const nvptx_entry *clustered = e->bulk ? e->bulk->clustered : NULL;
    if (clustered)
      print_entry(out, r, clustered,
                  arena_printf(r->arena, " with tensor maps, in clusters of %ux%ux%u",
                               clustered->cluster[0], clustered->cluster[1],
                               clustered->cluster[2]));
  }
}

static bool report_resources(tsr_context *ctx, const gpu_target *t, const nvptx_result *code,
                             str ptx, sbuf *out) {
  gpu_report r = {0};
  TSR_GUARD(ctx, {
    gpu_report_close(&r);
    ctx_unwind(ctx);
  });
  bool good = gpu_report_open(&r, ctx, out->arena, t, ptx);
  if (good) print_resources(out, &r, code);
  TSR_UNGUARD(ctx);
  gpu_report_close(&r);
  return good;
}

/* The form with tensor maps, if a launch with these arguments takes it. */
static void print_bulk(sbuf *out, const nvptx_entry *e, const tsr_gpu_options *given) {
  rt_tensor tensors[RT_MOST_TENSORS];
  uint32_t failed;
  bool known = given->grid.x && given->grid.y && given->grid.z;
  tsr_grid grid = known ? given->grid : (tsr_grid){1, 1, 1};
  const nvptx_entry *bulk = rt_choose_entry(e, given->words, (uint32_t[]){grid.x, grid.y, grid.z},
                                            true, tensors, &failed);
  if (!bulk || (bulk == e && !e->n_maps)) return;
  const uint8_t *cluster = bulk->cluster;
  sbuf_printf(out, "+ %s %u %u %u %u %u,%u,%u\n", bulk->symbol, bulk->threads, bulk->shared_bytes,
              bulk->static_bytes, bulk->blocks_per_sm, MAX(cluster[0], 1), MAX(cluster[1], 1),
              MAX(cluster[2], 1));
  for (uint32_t i = 0; i < bulk->n_maps; i++) {
    const rt_tensor *t = &tensors[i];
    sbuf_printf(out, "map %llu %u %u", (unsigned long long)t->address, t->type, t->rank);
    for (uint32_t d = 0; d < t->rank; d++)
      sbuf_printf(out, " %llu", (unsigned long long)t->dims[d]);
    for (uint32_t d = 0; d + 1 < t->rank; d++)
      sbuf_printf(out, " %llu", (unsigned long long)t->strides[d]);
    for (uint32_t d = 0; d < t->rank; d++) sbuf_printf(out, " %u", t->box[d]);
    sbuf_printf(out, " %d\n", t->swizzle ? __builtin_ctz(t->swizzle) - 4 : 0);
  }
}

static void print_launches(sbuf *out, const nvptx_result *code, const tsr_gpu_options *given) {
  for (uint32_t i = 0; i < code->n_entries; i++) {
    const nvptx_entry *e = &code->entries[i];
    sbuf_printf(out, STR_FMT " %s %u %u %u %u\n", STR_ARG(ir_symbol_name(e->op)), e->symbol,
                e->n_params, e->threads, e->shared_bytes, e->static_bytes);
    if (given && given->words && given->n_words == e->n_params) print_bulk(out, e, given);
  }
}

/* ---- emitting ------------------------------------------------------------------------------- */

static bool emit_into(ir_module *m, tsr_gpu_emit kind, const char *name,
                      const tsr_gpu_options *given, sbuf *out) {
  tsr_context *ctx = m->ctx;
  if ((unsigned)kind > TSR_GPU_BLOCK_CLUSTER) {
    diag_error(ctx, NOWHERE, "tsr_module_emit_gpu: %d is no tsr_gpu_emit", (int)kind);
    return false;
  }
  nvptx_options options = {.target = target_of(ctx, name),
                           .warps = given ? given->warps : 0,
                           .lines = given && given->lines,
                           .threads = cpuinfo_threads()};
  if (!options.target) return false;
  if (options.warps > 32 || options.warps & (options.warps - 1)) {
    diag_error(ctx, NOWHERE, "a block of %u warps: expected a power of two up to 32",
               options.warps);
    return false;
  }
  if (!(m->verified || ir_verify(m)) || !ir_check_language(m)) return false;
  if (!ir_walk(m->op, can_launch, m)) return false;
  if (options.target->vendor == GPU_AMD) return rt_emit_amd(m, kind, options.target, given, out);
  if (kind >= TSR_GPU_BLOCK)
    return rt_emit_block(m, options.target, options.warps, kind - TSR_GPU_BLOCK, out);
  if (kind > TSR_GPU_LAUNCH) {
    diag_error(ctx, NOWHERE, "%s is for AMD's GPUs; of %s there are ptx, llvm, cubin and layouts",
               kind == TSR_GPU_ASM ? "asm" : "hsaco", options.target->name);
    return false;
  }
  const compiler_plugin *plugin = plugin_get(ctx);
  if (!plugin) return false;
  nvptx_result code = {.text = SBUF(out->arena)};
  nvptx_emit form = kind == TSR_GPU_LLVM      ? NVPTX_LLVM
                    : kind == TSR_GPU_LAYOUTS ? NVPTX_LAYOUTS
                                              : NVPTX_PTX;
  if (!plugin->nvptx->emit(ctx, m, form, &options, &code)) return false;
  str ptx = {code.text.data, code.text.len}, made = {0};
  if (options.lines && form == NVPTX_PTX) {
    sbuf named = SBUF(out->arena);
    ptx_lines_write(&named, ptx, m);
    ptx = (str){named.data, named.len};
  }
  if (kind == TSR_GPU_CUBIN) {
    if (!ptxas_run(ctx, out->arena, ptx, options.target->name, &made, NULL)) return false;
    sbuf_str(out, made);
  } else if (kind == TSR_GPU_RESOURCES) {
    return report_resources(ctx, options.target, &code, ptx, out);
  } else if (kind == TSR_GPU_LAUNCH) {
    print_launches(out, &code, given);
  } else {
    sbuf_str(out, ptx);
  }
  return true;
}

char *tsr_module_emit_gpu(tsr_module *m, tsr_gpu_emit kind, const char *target,
                          const tsr_gpu_options *given, size_t *length) {
  if (length) *length = 0;
  if (!m) return NULL;
  tsr_context *ctx = m->ctx;
  tsr_gpu_options known;
  const tsr_gpu_options *const options = given ? &known : NULL;
  if (given && !struct_take(&known, sizeof known, given, offsetof(tsr_gpu_options, words))) {
    diag_error(ctx, NOWHERE,
               "tsr_gpu_options.struct_size is %zu: set it to sizeof(tsr_gpu_options)",
               given->struct_size);
    return NULL;
  }
  arena text;
  arena_init(&text, ctx);
  TSR_GUARD(ctx, {
    arena_free(&text);
    return NULL;
  });
  ctx->errors = 0;
  sbuf out = SBUF(&text);
  char *result = NULL;
  if (emit_into(m, kind, target, options, &out)) {
    result = ctx_string(ctx, out.data, out.len);
    if (length) *length = out.len;
  }
  TSR_UNGUARD(ctx);
  arena_free(&text);
  return result;
}
