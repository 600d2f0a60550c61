/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Tiles divided by one number on emulated GPUs, NVIDIA's and AMD's, whose threads do that by
 * multiply-adds (gpu/divide.h).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "gpu_engine.h"

#define DIVIDED_BLOCKS 96
#define RUN_DIVISIONS  run_emulated
#include "divide_cases.h"

int main(void) {
  const struct CMUnitTest tests[] = {
      TARGET(near_one, "sm_80"),  TARGET(anything, "sm_80"),  TARGET(tiny_and_huge, "sm_80"),
      TARGET(near_one, "gfx942"), TARGET(anything, "gfx942"), TARGET(tiny_and_huge, "gfx942"),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
