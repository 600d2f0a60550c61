/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The programs of test_nvptx_core.c compiled for one of AMD's GPUs, on the emulator, with the
 * results that they expect.
 */
#define GPU_TARGETS(test) TARGET(test, "gfx90a"), TARGET(test, "gfx942"), TARGET(test, "gfx950")
#include "test_nvptx_core.c"
