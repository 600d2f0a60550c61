/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ops/target.h"

#include "rt/card.h"
#include "target/gpu.h"

/* Figures of a usual core and of usual memory: only their proportions matter for a choice. */
enum { CORE_GHZ = 4, CORE_GBYTES = 20 };

static ops_target on_cpu(const cpu_options *cpu) {
  unsigned vector = cpu->isa.level == CPU_AVX512 ? 64 : cpu->isa.level == CPU_AVX2 ? 32 : 16;
  unsigned cores = MAX(cpu->compilers, 1);
  return (ops_target){.kind = OPS_ON_CPU,
                      .cores = cores,
                      .vector_bytes = vector,
                      .bf16 = cpu->isa.bf16,
                      .vnni = cpu->isa.vnni,
                      .gflops = (double)vector / 4 * 4 * CORE_GHZ,
                      .gbytes = CORE_GBYTES};
}

static ops_target on_gpu(const char *name) {
  size_t i = 0;
  const gpu_target *t = gpu_row_at(0);
  while (t && strcmp(t->name, name) != 0) t = gpu_row_at(++i);
  unsigned cores = t && t->multiprocessors ? t->multiprocessors : 108;
  return (ops_target){.kind = OPS_ON_GPU, .cores = cores, .gflops = 8 * 128 * 1.5, .gbytes = 2000};
}

ops_target ops_target_of(tsr_device *device) {
  static const cpu_options usual = {.isa.level = CPU_AVX2, .compilers = 1};
  if (!device) return on_cpu(&usual);
  const char *name = device->kind->name;
  if (strcmp(name, "cpu") == 0) return on_cpu(&device->cpu);
  if (strcmp(name, "interp") == 0)
    return (ops_target){
        .kind = OPS_ON_INTERP, .cores = 1, .vector_bytes = 4, .gflops = 1, .gbytes = 1};
  return on_gpu(device->card                    ? device->card->target->name
                : strncmp(name, "emu:", 4) == 0 ? name + 4
                                                : "");
}
