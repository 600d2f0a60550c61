/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "target/cpu.h"

#include <string.h>

static const cpu_row rows[] = {
#define RANGE(from, to)                                                                            \
  { from, to }
#define ONE(number)                                                                                \
  { number, number }
#define MODELS(...)                                                                                \
  { __VA_ARGS__ }
#define ANY_MODEL                                                                                  \
  {                                                                                                \
    { 0, 0 }                                                                                       \
  }
#define CORE(id, by, of, which, ...)                                                               \
  {.name = id, .maker = by, .families = of, .models = which, ##__VA_ARGS__},
#include "target/cpu.def"
#undef CORE
};

static bool is_in(cpu_range r, uint32_t number) {
  return number >= r.first && number <= r.last;
}

static bool has_model(const cpu_row *row, uint32_t model) {
  bool found = row->models[0].last == 0;
  for (size_t i = 0; i < ARRAY_LEN(row->models) && row->models[i].last; i++)
    found |= is_in(row->models[i], model);
  return found;
}

const cpu_row *cpu_row_at(size_t index) {
  return index < ARRAY_LEN(rows) ? &rows[index] : NULL;
}

const cpu_row *cpu_row_for(const char *maker, uint32_t family, uint32_t model) {
  static const cpu_row unknown;
  for (size_t i = 0; i < ARRAY_LEN(rows); i++)
    if (strcmp(maker, rows[i].maker) == 0 && is_in(rows[i].families, family) &&
        has_model(&rows[i], model))
      return &rows[i];
  return &unknown;
}
