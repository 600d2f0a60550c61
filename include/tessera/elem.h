/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Element types: what one element of a tile or of memory is.
 *
 * An element type is a bit format, nothing more. Values of an element type travel through this
 * header as *patterns*: the format's bits in the low bits of a uint64_t, the rest zero.
 */
#ifndef TESSERA_ELEM_H
#define TESSERA_ELEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tessera/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The order is part of the ABI; new formats go before TSR_ELEM_COUNT. */
typedef enum tsr_elem {
  TSR_I1 = 0,
  TSR_I4,
  TSR_I8,
  TSR_I16,
  TSR_I32,
  TSR_I64,
  TSR_F16,
  TSR_BF16,
  TSR_F32,
  TSR_TF32, /* 19 significant bits (1+8+10) stored in the high bits of 32 */
  TSR_F64,
  TSR_F8E4M3FN,  /* bias 7, no infinity; 0x7f and 0xff are NaN */
  TSR_F8E5M2,    /* bias 15, IEEE-like with infinity and NaN */
  TSR_F8E8M0FNU, /* a power of two 2^(x-127), unsigned; 0xff is NaN */
  TSR_F4E2M1FN,  /* bias 1, no infinity, no NaN: 0 .5 1 1.5 2 3 4 6 */
  TSR_F8E5M3FNU, /* bias 15, unsigned, no infinity; 0xff is NaN; largest 114688 */
  TSR_PTR,       /* a 64-bit address; its pointee is said beside it */
  TSR_ELEM_COUNT
} tsr_elem;

/* The spelling in Tile IR text ("f8E4M3FN"), "ptr" for TSR_PTR; NULL for a value out of range. */
TSR_API const char *tsr_elem_name(tsr_elem elem);

/* The element type with this spelling, also the short "e4m3", "e5m2"; TSR_ELEM_COUNT if none. */
TSR_API tsr_elem tsr_elem_from_name(const char *name, size_t length);

/* Size in bits of one element: 1, 4, 8, 16, 32 or 64. */
TSR_API unsigned tsr_elem_bits(tsr_elem elem);

/* Bytes that `count` consecutive elements take in memory. i1 takes a byte each; 4-bit elements
 * are packed two to a byte, element 2k in the low nibble, so an odd count rounds up. */
TSR_API size_t tsr_elem_storage(tsr_elem elem, size_t count);

TSR_API bool tsr_elem_is_int(tsr_elem elem);
TSR_API bool tsr_elem_is_float(tsr_elem elem);

#ifdef __cplusplus
}
#endif
#endif
