/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Values of operands, lane by lane. Registers are rows of a warp's 32 lanes, so what is here and in
 * the handlers counts lanes with a constant and has masks of 32 bits.
 */
#ifndef TSR_EMU_PTX_ROWS_H
#define TSR_EMU_PTX_ROWS_H

#include "emu/machine.h"
#include "emu/ptx/ptx.h"

#define PTX_FOR_LANES(l, lanes)                                                                    \
  for (uint32_t rest_##l = (uint32_t)(lanes), l;                                                   \
       rest_##l && (l = (uint32_t)__builtin_ctz(rest_##l), true); rest_##l &= rest_##l - 1)

/* The row of an operand: 32 elements of operand.bytes, or one word of bits for a predicate. */
static inline void *ptx_row_at(const emu_warp *w, ptx_row row) {
  return w->bank[PTX_ROW_BANK(row)] + PTX_ROW_OFFSET(row);
}
/* One lane's value of a ROW operand, zero-extended from the register's bytes. */
static inline uint64_t ptx_get(const emu_warp *w, const ptx_operand *o, unsigned lane) {
  const uint8_t *row = ptx_row_at(w, o->row);
  if (o->bytes == 4) return ((const uint32_t *)row)[lane];
  if (o->bytes == 8) return ((const uint64_t *)row)[lane];
  if (o->bytes == 16) return ((const uint64_t *)row)[2 * lane];
  return (*(const uint32_t *)row >> lane & 1) ^ o->negated;
}
/* The bits of a predicate operand, negated if it says so. */
static inline uint32_t ptx_get_pred(const emu_warp *w, const ptx_operand *o) {
  uint32_t bits = *(const uint32_t *)ptx_row_at(w, o->row);
  return o->negated ? ~bits : bits;
}
/* Sets one lane of a destination (ROW or SINK). `value` must be zero above the type's bits. */
static inline void ptx_set(emu_warp *w, const ptx_operand *o, unsigned lane, uint64_t value) {
  if (o->kind != PTX_OPERAND_ROW) return;
  uint8_t *row = ptx_row_at(w, o->row);
  if (o->bytes == 4)
    ((uint32_t *)row)[lane] = (uint32_t)value;
  else if (o->bytes == 8)
    ((uint64_t *)row)[lane] = value;
  else if (o->bytes == 16)
    ((uint64_t *)row)[2 * lane] = value, ((uint64_t *)row)[2 * lane + 1] = 0;
  else
    *(uint32_t *)row = (*(uint32_t *)row & ~(1u << lane)) | (uint32_t)(value & 1) << lane;
}
static inline void ptx_set_pred(emu_warp *w, const ptx_operand *o, uint32_t lanes, uint32_t bits) {
  if (o->kind != PTX_OPERAND_ROW) return;
  uint32_t *row = ptx_row_at(w, o->row);
  *row = (*row & ~lanes) | (bits & lanes);
}
#endif
