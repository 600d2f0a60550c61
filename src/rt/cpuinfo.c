/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * __builtin_cpu_supports asks cpuid, and xgetbv whether the system saves the wide registers.
 */
#include "rt/cpuinfo.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char *const level_names[CPU_LEVEL_COUNT] = {
    [CPU_BASELINE] = "baseline", [CPU_AVX2] = "avx2", [CPU_AVX512] = "avx512"};

const char *cpuinfo_level_name(cpu_level level) {
  return level < CPU_LEVEL_COUNT ? level_names[level] : "?";
}

cpu_options cpuinfo_best(void) {
  cpu_options o = {.level = CPU_BASELINE, .opt_level = 3};
#if defined(__x86_64__)
  __builtin_cpu_init();
  bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
              __builtin_cpu_supports("f16c") && __builtin_cpu_supports("bmi") &&
              __builtin_cpu_supports("bmi2");
  bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                __builtin_cpu_supports("avx512vl");
  o.level = avx512 ? CPU_AVX512 : avx2 ? CPU_AVX2 : CPU_BASELINE;
  o.bf16 = avx512 && __builtin_cpu_supports("avx512bf16");
  o.vnni = avx512 && __builtin_cpu_supports("avx512vnni");
  o.fp16 = avx512 && __builtin_cpu_supports("avx512fp16");
#endif
  return o;
}

bool cpuinfo_choose(tsr_context *ctx, const char *name, cpu_options *out) {
  *out = cpuinfo_best();
  const char *from = "";
  if (!name) {
    name = getenv("TESSERA_CPU");
    from = "TESSERA_CPU: ";
  }
  if (!name || !*name) return true;
  unsigned level = 0;
  while (level < CPU_LEVEL_COUNT && strcmp(name, level_names[level]) != 0) level++;
  if (level == CPU_LEVEL_COUNT) {
    diag_error(ctx, NOWHERE, "%sunknown feature level '%s'; there are: baseline, avx2, avx512",
               from, name);
    return false;
  }
  if (level > (unsigned)out->level) {
    diag_error(ctx, NOWHERE, "%sthis machine doesn't have '%s'; the best it has is '%s'", from,
               name, level_names[out->level]);
    return false;
  }
  if (level < CPU_AVX512) out->bf16 = out->vnni = out->fp16 = false;
  out->level = (cpu_level)level;
  return true;
}

unsigned cpuinfo_threads(void) {
#if defined(__linux__)
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return (unsigned)MAX(CPU_COUNT(&set), 1);
#endif
  long n = sysconf(_SC_NPROCESSORS_ONLN);
  return n < 1 ? 1 : (unsigned)n;
}

void cpuinfo_model(char *out, size_t size) {
#if defined(__x86_64__)
  snprintf(out, size, "x86-64 processor");
#elif defined(__aarch64__)
  snprintf(out, size, "AArch64 processor");
#else
  snprintf(out, size, "processor");
#endif
  FILE *file = fopen("/proc/cpuinfo", "re");
  if (!file) return;
  char line[256];
  while (fgets(line, sizeof line, file)) {
    if (strncmp(line, "model name", 10) != 0) continue;
    char *name = strchr(line, ':');
    if (!name) continue;
    name += 1 + strspn(name + 1, " \t");
    name[strcspn(name, "\n")] = 0;
    if (*name) snprintf(out, size, "%s", name);
    break;
  }
  fclose(file);
}
