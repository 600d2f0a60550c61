/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "target/gpu.h"

#include <stdio.h>
#include <string.h>

#include "base/base.h"

static const gpu_target rows[] = {
#define GPU(id, ...) {.name = #id, __VA_ARGS__},
#include "target/gpu.def"
#undef GPU
};

const gpu_target *gpu_row_at(size_t index) {
  return index < ARRAY_LEN(rows) ? &rows[index] : NULL;
}

const gpu_target *gpu_listed_at(gpu_list list, size_t index) {
  for (size_t i = 0; i < ARRAY_LEN(rows); i++)
    if (rows[i].lists & (unsigned)list && index-- == 0) return &rows[i];
  return NULL;
}

const gpu_target *gpu_find(gpu_list list, const char *name) {
  const gpu_target *t;
  for (size_t i = 0; name && (t = gpu_listed_at(list, i)); i++)
    if (strcmp(name, t->name) == 0) return t;
  return NULL;
}

void gpu_list_names(gpu_list list, const char *prefix, char *out, size_t size) {
  const gpu_target *t;
  size_t at = 0;
  if (size) *out = 0;
  for (size_t i = 0; at < size && (t = gpu_listed_at(list, i)); i++)
    at += (size_t)snprintf(out + at, size - at, "%s%s%s", i ? ", " : "", prefix, t->name);
}

const gpu_target *gpu_find_hinted(const char *name, size_t length) {
  const gpu_target *t;
  for (size_t i = 0; (t = gpu_listed_at(GPU_HINTED, i)); i++)
    if (strlen(t->name) == length && memcmp(t->name, name, length) == 0) return t;
  return NULL;
}

const gpu_target *gpu_find_target(const char *name) {
  return gpu_find(GPU_COMPILED, name);
}

const gpu_target *gpu_target_at(size_t index) {
  return gpu_listed_at(GPU_COMPILED, index);
}

const gpu_target *gpu_target_for(unsigned major, unsigned minor) {
  const gpu_target *best = NULL, *t;
  unsigned sm = major * 10 + minor;
  for (size_t i = 0; (t = gpu_target_at(i)); i++) {
    bool runs = t->specific ? t->sm == sm : t->sm <= sm;
    if (t->vendor == GPU_NVIDIA && runs) best = t;
  }
  return best;
}
