/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Loops over the lanes of a warp for the handlers. Registers of up to 32 bits are rows of uint32_t,
 * zero above the register's own bits; those of 64 bits rows of uint64_t.
 */
#ifndef TSR_EMU_PTX_LANES_H
#define TSR_EMU_PTX_LANES_H

#include "emu/ptx/handlers.h"

/* The row of operand k. */
#define ROW(k) ptx_row_at(w, i->op_list[k].row)

/* In front of a loop whose iterations depend on none before them. */
#if defined(__clang__)
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define INDEPENDENT _Pragma("GCC ivdep")
#endif

/* `body` for each lane l; with all lanes in a loop that the compiler vectorises (a destination may
 * be the row of a source, never part of another). */
#define LANES_DO(body)                                                                             \
  do {                                                                                             \
    if (lanes == PTX_ALL_LANES) {                                                                  \
      INDEPENDENT for (unsigned l = 0; l < PTX_LANES; l++) {                                       \
        body;                                                                                      \
      }                                                                                            \
    } else {                                                                                       \
      PTX_FOR_LANES(l, lanes) {                                                                    \
        body;                                                                                      \
      }                                                                                            \
    }                                                                                              \
  } while (0)

/* d = expr of a, b, c: rows of S, computed in T, whose unsigned type is U. */
#define UNARY(S, T, U, expr)                                                                       \
  do {                                                                                             \
    S *d = ROW(0);                                                                                 \
    const S *pa = ROW(1);                                                                          \
    LANES_DO(T a = (T)pa[l]; d[l] = (S)(U)(expr));                                                 \
  } while (0)
#define BINARY(S, T, U, expr)                                                                      \
  do {                                                                                             \
    S *d = ROW(0);                                                                                 \
    const S *pa = ROW(1), *pb = ROW(2);                                                            \
    LANES_DO(T a = (T)pa[l]; T b = (T)pb[l]; d[l] = (S)(U)(expr));                                 \
  } while (0)
#define TERNARY(S, T, U, expr)                                                                     \
  do {                                                                                             \
    S *d = ROW(0);                                                                                 \
    const S *pa = ROW(1), *pb = ROW(2), *pc = ROW(3);                                              \
    LANES_DO(T a = (T)pa[l]; T b = (T)pb[l]; T c = (T)pc[l]; d[l] = (S)(U)(expr));                 \
  } while (0)

/* The same for each integer type of i->type[0]; SHAPE is one of the three above. The expressions
 * are for unsigned and signed types, which arithmetic mostly does not distinguish. */
#define BY_INT_TYPE(SHAPE, unsigned_expr, signed_expr)                                             \
  switch (i->type[0]) {                                                                            \
  case PTX_B8:                                                                                     \
  case PTX_B16:                                                                                    \
  case PTX_U16: SHAPE(uint32_t, uint16_t, uint16_t, unsigned_expr); break;                         \
  case PTX_S16: SHAPE(uint32_t, int16_t, uint16_t, signed_expr); break;                            \
  case PTX_B32:                                                                                    \
  case PTX_U32: SHAPE(uint32_t, uint32_t, uint32_t, unsigned_expr); break;                         \
  case PTX_S32: SHAPE(uint32_t, int32_t, uint32_t, signed_expr); break;                            \
  case PTX_B64:                                                                                    \
  case PTX_U64: SHAPE(uint64_t, uint64_t, uint64_t, unsigned_expr); break;                         \
  case PTX_S64: SHAPE(uint64_t, int64_t, uint64_t, signed_expr); break;                            \
  default: break;                                                                                  \
  }

/* A lane's value of operand k as a number of the type's bits, sign-extended where it is signed. */
static inline int64_t lane_signed(const emu_warp *w, const ptx_insn *i, unsigned k, unsigned l,
                                  unsigned bits) {
  uint64_t v = ptx_get(w, &i->op_list[k], l);
  return (int64_t)(v << (64 - bits)) >> (64 - bits);
}
static inline uint64_t lane_bits(const emu_warp *w, const ptx_insn *i, unsigned k, unsigned l,
                                 unsigned bits) {
  uint64_t v = ptx_get(w, &i->op_list[k], l);
  return bits >= 64 ? v : v & ((UINT64_C(1) << bits) - 1);
}

#endif
