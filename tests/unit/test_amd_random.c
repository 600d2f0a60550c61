/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The programs of test_nvptx_random.c compiled for one of AMD's GPUs, on the emulator.
 *
 *   test_amd_random [first seed [how many]]     prints the program of the first that differs
 */
#define GPU_ENGINES                                                                                \
  RANDOM_GPU("gfx90a"), RANDOM_GPU("gfx942"), RANDOM_GPU_UNFAIR("gfx942"), RANDOM_GPU("gfx950"),   \
      RANDOM_GPU("gfx1100"), RANDOM_GPU("gfx1200")
#include "test_nvptx_random.c"
