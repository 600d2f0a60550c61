/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Which extensions of a feature level this machine has, for tests that choose cpu_options.
 */
#ifndef TSR_TESTS_CPU_EXTENSIONS_H
#define TSR_TESTS_CPU_EXTENSIONS_H

#include "cpu/plugin.h"

/* Products of bf16 in pairs. */
static inline bool cpu_has_bf16(cpu_level level) {
#if defined(__x86_64__)
  return level == CPU_AVX512 && __builtin_cpu_supports("avx512bf16");
#else
  (void)level;
  return false;
#endif
}

/* Permutations of bytes. */
static inline bool cpu_has_vbmi(cpu_level level) {
#if defined(__x86_64__)
  return level == CPU_AVX512 && __builtin_cpu_supports("avx512vbmi");
#else
  (void)level;
  return false;
#endif
}

/* Products of bytes in fours. */
static inline bool cpu_has_vnni(cpu_level level) {
#if defined(__x86_64__)
  if (level == CPU_AVX2) return __builtin_cpu_supports("avxvnni");
  return level == CPU_AVX512 && __builtin_cpu_supports("avx512vnni");
#else
  (void)level;
  return false;
#endif
}

#endif
