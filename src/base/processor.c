/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The C library knows since its own start. The compiler's __builtin_cpu_supports brings a
 * constructor that asks cpuid for all features again in every process, which in virtual machines,
 * where cpuid is emulated, takes longer than to check a small program.
 */
#include "base/processor.h"

#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#include <features.h>
#elif defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#endif

const char *const processor_level_names[] = {"baseline", "avx2", "avx512"};

enum { LEVEL_COUNT = sizeof processor_level_names / sizeof *processor_level_names };

/* The level that the environment names; LEVEL_COUNT if it names none, or one that there isn't. */
static unsigned highest_level(void) {
  const char *name = getenv(PROCESSOR_LIMIT);
  unsigned level = 0;
  while (level < LEVEL_COUNT && (!name || strcmp(name, processor_level_names[level]) != 0)) level++;
  return level;
}

bool processor_is_limited(void) {
  return highest_level() < LEVEL_COUNT;
}

bool processor_limit_is_wrong(void) {
  const char *name = getenv(PROCESSOR_LIMIT);
  return name && *name && !processor_is_limited();
}

#if defined(__x86_64__)

#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
#include <sys/platform/x86.h>
#define HAS(name, glibc_name) is_active(x86_cpu_##glibc_name)

/* Features are numbered in leaves of four words. The header's own CPU_FEATURE_ACTIVE shifts an int
 * into its sign bit, which the sanitizer does not let pass. */
static bool is_active(unsigned feature) {
  const struct cpuid_feature *leaf = __x86_get_cpuid_feature_leaf(feature / 128);
  return leaf->active_array[feature % 128 / 32] >> feature % 32 & 1;
}
#else
#define HAS(name, glibc_name) (__builtin_cpu_supports(name) != 0)
#endif

/* The lowest level at which a limit leaves the feature. AVX-VNNI is no part of the level "avx2". */
static unsigned level_of(processor_feature feature) {
  return feature == PROCESSOR_AVX2 || feature == PROCESSOR_F16C || feature == PROCESSOR_BMI ? 1 : 2;
}

static bool is_there(processor_feature feature) {
  switch (feature) {
  case PROCESSOR_AVX2: return HAS("avx2", AVX2) && HAS("fma", FMA);
  case PROCESSOR_F16C: return HAS("f16c", F16C);
  case PROCESSOR_BMI: return HAS("bmi", BMI1) && HAS("bmi2", BMI2);
  case PROCESSOR_AVX_VNNI: return HAS("avxvnni", AVX_VNNI);
  case PROCESSOR_AVX512:
    return HAS("avx512f", AVX512F) && HAS("avx512bw", AVX512BW) && HAS("avx512cd", AVX512CD) &&
           HAS("avx512dq", AVX512DQ) && HAS("avx512vl", AVX512VL);
  case PROCESSOR_AVX512_BF16: return HAS("avx512bf16", AVX512_BF16);
  case PROCESSOR_AVX512_VNNI: return HAS("avx512vnni", AVX512_VNNI);
  case PROCESSOR_AVX512_FP16: return HAS("avx512fp16", AVX512_FP16);
  case PROCESSOR_AVX512_VBMI: return HAS("avx512vbmi", AVX512_VBMI);
  }
  return false;
}

bool processor_has(processor_feature feature) {
  return level_of(feature) <= highest_level() && is_there(feature);
}

processor_id processor_identify(void) {
  processor_id id = {0};
  unsigned most, name[3], signature, b, c, d;
  if (!__get_cpuid(0, &most, &name[0], &name[2], &name[1])) return id;
  memcpy(id.maker, name, sizeof name);
  if (!__get_cpuid(1, &signature, &b, &c, &d)) return id;
  id.family = signature >> 8 & 15;
  id.model = signature >> 4 & 15;
  if (id.family == 15 || id.family == 6) id.model |= (signature >> 16 & 15) << 4;
  if (id.family == 15) id.family += signature >> 20 & 255;
  return id;
}

#elif defined(__aarch64__) && defined(__linux__)

/* The register that says so is the kernel's to read, which does it for programs where it says that
 * it does. */
processor_id processor_identify(void) {
  enum { HWCAP_HAS_CPUID = 11 }; /* bit of AT_HWCAP */
  processor_id id = {.maker = "ARM"};
  unsigned long midr;
  if (!(getauxval(AT_HWCAP) >> HWCAP_HAS_CPUID & 1)) return id;
  __asm__("mrs %0, MIDR_EL1" : "=r"(midr));
  id.family = midr >> 24 & 255;
  id.model = midr >> 4 & 0xfff;
  return id;
}

#else

processor_id processor_identify(void) {
  return (processor_id){0};
}
#endif
