/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The architectures that code is made for. Sizes are those of the CUDA C++ Programming Guide's
 * table of compute capabilities: of shared memory the most that one block may ask for, registers,
 * warps and shared memory of one multiprocessor. The version of PTX is the oldest that has what is
 * emitted for the architecture, so that older drivers take it too.
 */
#include "simt/target.h"

#include <string.h>

#include "base/base.h"

static const gpu_target targets[] = {
    {"sm_80", 80, "+ptx84", 163 * 1024, 65536, 64, 164 * 1024},
    {"sm_86", 86, "+ptx84", 99 * 1024, 65536, 48, 100 * 1024},
    {"sm_87", 87, "+ptx84", 163 * 1024, 65536, 48, 164 * 1024},
    {"sm_89", 89, "+ptx84", 99 * 1024, 65536, 48, 100 * 1024},
    {"sm_90a", 90, "+ptx84", 227 * 1024, 65536, 64, 228 * 1024},
    {"sm_100a", 100, "+ptx87", 227 * 1024, 65536, 64, 228 * 1024},
    {"sm_120a", 120, "+ptx87", 99 * 1024, 65536, 48, 100 * 1024},
};

const gpu_target *gpu_target_at(size_t index) {
  return index < ARRAY_LEN(targets) ? &targets[index] : NULL;
}

const gpu_target *gpu_find_target(const char *name) {
  for (size_t i = 0; name && i < ARRAY_LEN(targets); i++)
    if (strcmp(name, targets[i].name) == 0) return &targets[i];
  return NULL;
}

/* Code for a target with an 'a' runs on that very card alone. */
const gpu_target *gpu_target_for(unsigned major, unsigned minor) {
  const gpu_target *best = NULL;
  unsigned sm = major * 10 + minor;
  for (size_t i = 0; i < ARRAY_LEN(targets); i++) {
    const gpu_target *t = &targets[i];
    bool specific = t->name[strlen(t->name) - 1] == 'a';
    if (specific ? t->sm == sm : t->sm <= sm) best = t;
  }
  return best;
}
