/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * base/processor.h: what this x86-64 processor has and the system lets programs use. Costs nothing
 * before it is called, and little then, from any thread.
 */
#ifndef TSR_BASE_PROCESSOR_H
#define TSR_BASE_PROCESSOR_H

#include <stdbool.h>

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

/* Of AMD's processors the family, which is 0x1a for Zen 5; 0: another maker's. */
unsigned processor_amd_family(void);
bool processor_is_intel(void);

#endif
#endif
