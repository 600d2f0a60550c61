/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * insn_table: numbers for the instructions that were executed, in the order in which they came.
 */
#ifndef TSR_EMU_INSN_TABLE_H
#define TSR_EMU_INSN_TABLE_H

#include "emu/program.h"

typedef struct insn_table {
  emu_insn *insns; /* by number */
  uint32_t n, cap;
  uint32_t *slots; /* a hash table of numbers + 1 */
  uint32_t n_slots;
} insn_table;

/* The number of an instruction; UINT32_MAX when memory ran out. */
uint32_t insn_number(insn_table *t, emu_insn i);
void insn_table_free(insn_table *t);

#endif
