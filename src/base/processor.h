/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * base/processor.h: what this processor has and the system lets programs use. Costs nothing before
 * it is called, and little then, from any thread.
 *
 * All of the project asks here, tests and benchmarks included, so that one variable of the
 * environment makes a machine look like a smaller one: with TESSERA_MACHINE=avx2 a processor with
 * AVX-512 is taken for one that has AVX2, FMA, F16C and BMI and nothing beyond; "baseline" leaves
 * SSE2, on AArch64 NEON. The variable never adds what the processor lacks.
 */
#ifndef TSR_BASE_PROCESSOR_H
#define TSR_BASE_PROCESSOR_H

#include <stdbool.h>

#define PROCESSOR_LIMIT "TESSERA_MACHINE"

/* "baseline", "avx2", "avx512". */
extern const char *const processor_level_names[];

/* Whether the environment names a level that hides what lies above it. */
bool processor_is_limited(void);
/* Whether the environment names a level that there isn't; it then hides nothing. */
bool processor_limit_is_wrong(void);

#if defined(__x86_64__)

typedef enum processor_feature {
  PROCESSOR_AVX2, /* with FMA */
  PROCESSOR_F16C,
  PROCESSOR_BMI, /* 1 and 2 */
  PROCESSOR_AVX_VNNI,
  PROCESSOR_AVX512, /* F, BW, CD, DQ, VL */
  PROCESSOR_AVX512_BF16,
  PROCESSOR_AVX512_VNNI,
  PROCESSOR_AVX512_FP16,
  PROCESSOR_AVX512_VBMI,
} processor_feature;

bool processor_has(processor_feature feature);

#endif

/* Who made the processor, and which it is: x86's family and model with their extended parts; of Arm
 * processors the implementer and the part number. */
typedef struct processor_id {
  char maker[13]; /* "AuthenticAMD", "GenuineIntel"; "ARM" for all that the architecture numbers; ""
                   */
  unsigned family, model;
} processor_id;

processor_id processor_identify(void);

#endif
