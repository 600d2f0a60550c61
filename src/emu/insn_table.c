/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Numbers of instructions.
 */
#include "emu/insn_table.h"

#include <stdlib.h>

static uint32_t find_slot(const uint32_t *slots, uint32_t n, const insn_table *t, emu_insn i) {
  uint32_t at = (uint32_t)hash_mix(0, (uintptr_t)i) & (n - 1);
  while (slots[at] && t->insns[slots[at] - 1] != i) at = (at + 1) & (n - 1);
  return at;
}

static bool grow(insn_table *t) {
  uint32_t n = MAX(256, 2 * t->n_slots);
  uint32_t *slots = calloc(n, sizeof *slots);
  emu_insn *insns = slots ? realloc(t->insns, n / 2 * sizeof *insns) : NULL;
  if (!insns) {
    free(slots);
    return false;
  }
  t->insns = insns, t->cap = n / 2;
  for (uint32_t k = 0; k < t->n; k++) slots[find_slot(slots, n, t, t->insns[k])] = k + 1;
  free(t->slots);
  t->slots = slots, t->n_slots = n;
  return true;
}

uint32_t insn_number(insn_table *t, emu_insn i) {
  if (t->n == t->cap && !grow(t)) return UINT32_MAX;
  uint32_t at = find_slot(t->slots, t->n_slots, t, i);
  if (!t->slots[at]) {
    t->insns[t->n++] = i;
    t->slots[at] = t->n;
  }
  return t->slots[at] - 1;
}

void insn_table_free(insn_table *t) {
  free(t->insns);
  free(t->slots);
  *t = (insn_table){0};
}
