/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Which feature levels this machine has, and which of their extensions, for tests that choose
 * cpu_options.
 */
#ifndef TSR_TESTS_CPU_EXTENSIONS_H
#define TSR_TESTS_CPU_EXTENSIONS_H

#include "base/processor.h"
#include "target/cpu.h"

/* Whether this machine can run code of the level. */
static inline bool cpu_has_level(cpu_level level) {
#if defined(__x86_64__)
  if (level == CPU_BASELINE) return true;
  return processor_has(PROCESSOR_AVX2) && processor_has(PROCESSOR_F16C) &&
         processor_has(PROCESSOR_BMI) && (level == CPU_AVX2 || processor_has(PROCESSOR_AVX512));
#else
  return level == CPU_BASELINE;
#endif
}

/* Products of bf16 in pairs. */
static inline bool cpu_has_bf16(cpu_level level) {
#if defined(__x86_64__)
  return level == CPU_AVX512 && processor_has(PROCESSOR_AVX512_BF16);
#else
  (void)level;
  return false;
#endif
}

/* Permutations of bytes. */
static inline bool cpu_has_vbmi(cpu_level level) {
#if defined(__x86_64__)
  return level == CPU_AVX512 && processor_has(PROCESSOR_AVX512_VBMI);
#else
  (void)level;
  return false;
#endif
}

/* Products of bytes in fours. */
static inline bool cpu_has_vnni(cpu_level level) {
#if defined(__x86_64__)
  if (level == CPU_AVX2) return processor_has(PROCESSOR_AVX_VNNI);
  return level == CPU_AVX512 && processor_has(PROCESSOR_AVX512_VNNI);
#else
  (void)level;
  return false;
#endif
}

#endif
