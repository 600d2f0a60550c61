/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "emu/amdgcn/occupancy.h"

/* Registers are given out in groups of 8 on CDNA and of 24 on RDNA with waves of 32 lanes, the LDS
 * in pieces of 512 bytes (LLVM, AMDGPUBaseInfo.cpp). */
enum { LDS_PIECE = 512 };

static uint32_t up_to(uint32_t n, uint32_t piece) {
  return (n + piece - 1) / piece * piece;
}

static void limit(hsa_occupancy *o, uint32_t blocks, uint32_t waves, const char *by) {
  if (blocks * waves < o->waves) o->waves = blocks * waves, o->limit = by;
}

hsa_occupancy hsa_occupancy_of(const gpu_target *gpu, const hsa_kernel *k, uint32_t threads,
                               uint32_t dynamic_lds) {
  uint32_t lanes = gpu_lanes(gpu), of_simd = gpu->registers / gpu->schedulers / lanes;
  uint32_t registers = up_to(MAX(k->about->vector_registers, 1u), gpu_can(gpu, GPU_MFMA) ? 8 : 24);
  uint32_t lds = up_to(k->descriptor.shared_bytes + dynamic_lds, LDS_PIECE);
  uint32_t waves = (MAX(threads, 1u) + lanes - 1) / lanes; /* of a workgroup */
  hsa_occupancy o = {.waves = gpu->max_warps / waves * waves, .most = gpu->max_warps};
  limit(&o, of_simd / registers * gpu->schedulers / waves, waves, "registers");
  if (lds) limit(&o, gpu->shared_sm / lds, waves, "LDS");
  limit(&o, gpu->max_blocks, waves, "workgroups");
  return o;
}
