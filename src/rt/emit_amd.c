/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/emit_amd.h"

#include "emu/amdgcn/occupancy.h"
#include "gpu/amdgcn/amdgcn.h"
#include "rt/plugin.h"

/* ---- resources ------------------------------------------------------------------------------ */

static void print_kernel(sbuf *out, const gpu_target *t, const amdgcn_entry *e,
                         const hsa_kernel *kernel) {
  const hsa_kernel_metadata *k = kernel->about;
  hsa_occupancy fit = hsa_occupancy_of(t, kernel, e->threads, 0);
  sbuf_printf(out,
              "@" STR_FMT ": %u threads, %u VGPRs, %u AGPRs, %u SGPRs, %u bytes of LDS, %u bytes "
              "of scratch memory, %u registers spilled, %u of %u waves on a SIMD\n",
              STR_ARG(ir_symbol_name(e->op)), e->threads, k->vector_registers - k->accumulators,
              k->accumulators, k->scalar_registers, k->shared_bytes, k->scratch_bytes,
              k->vector_spills + k->scalar_spills, fit.waves / t->schedulers,
              fit.most / t->schedulers);
}

static bool print_resources(tsr_context *ctx, const gpu_target *t, const amdgcn_result *made,
                            sbuf *out) {
  hsa_object object;
  str bytes = {made->text.data, made->text.len};
  if (!hsa_object_read(ctx, out->arena, "<compiled>", bytes, &object)) return false;
  for (uint32_t i = 0; i < made->n_entries; i++) {
    const hsa_kernel *k = hsa_find_kernel(&object, made->entries[i].symbol);
    if (k) print_kernel(out, t, &made->entries[i], k);
  }
  return true;
}

static void print_launches(const amdgcn_result *made, sbuf *out) {
  for (uint32_t i = 0; i < made->n_entries; i++) {
    const amdgcn_entry *e = &made->entries[i];
    sbuf_printf(out, STR_FMT " %s %u %u 0 0\n", STR_ARG(ir_symbol_name(e->op)), e->symbol,
                e->n_params, e->threads);
  }
}

/* ---- emitting ------------------------------------------------------------------------------- */

static bool find_form(tsr_context *ctx, tsr_gpu_emit kind, const char *target, amdgcn_emit *out) {
  switch (kind) {
  case TSR_GPU_HSACO:
  case TSR_GPU_RESOURCES:
  case TSR_GPU_LAUNCH: *out = AMDGCN_OBJECT; return true;
  case TSR_GPU_ASM: *out = AMDGCN_ASSEMBLY; return true;
  case TSR_GPU_LLVM: *out = AMDGCN_LLVM; return true;
  case TSR_GPU_LAYOUTS: *out = AMDGCN_LAYOUTS; return true;
  default: break;
  }
  diag_error(ctx, NOWHERE, "%s is for NVIDIA's GPUs; of %s there are llvm, asm, hsaco and layouts",
             kind == TSR_GPU_PTX     ? "ptx"
             : kind >= TSR_GPU_BLOCK ? "block"
                                     : "cubin",
             target);
  return false;
}

static bool check_warps(tsr_context *ctx, const gpu_target *t, unsigned warps) {
  enum { MOST_THREADS = 1024 };
  if (warps * gpu_lanes(t) <= MOST_THREADS) return true;
  diag_error(ctx, NOWHERE, "a workgroup of %u waves: %s has waves of %u lanes, so at most %u",
             warps, t->name, gpu_lanes(t), MOST_THREADS / gpu_lanes(t));
  return false;
}

bool rt_emit_amd(ir_module *m, tsr_gpu_emit kind, const gpu_target *target,
                 const tsr_gpu_options *given, sbuf *out) {
  tsr_context *ctx = m->ctx;
  amdgcn_options options = {.target = target, .warps = given ? given->warps : 0};
  amdgcn_result made = {.text = SBUF(out->arena)};
  amdgcn_emit form;
  if (!find_form(ctx, kind, target->name, &form) || !check_warps(ctx, target, options.warps))
    return false;
  const compiler_plugin *plugin = plugin_get(ctx);
  if (!plugin || !plugin->amdgcn->emit(ctx, m, form, &options, &made)) return false;
  if (kind == TSR_GPU_RESOURCES) return print_resources(ctx, target, &made, out);
  if (kind == TSR_GPU_LAUNCH)
    print_launches(&made, out);
  else
    sbuf_add(out, made.text.data, made.text.len);
  return true;
}
