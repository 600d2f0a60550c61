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

/* TSR_I1, TSR_I4, TSR_I8, … TSR_F16, … TSR_PTR, …: a row of tessera/elem.def each, which says
 * everything about it. The order is part of the ABI; new formats go before TSR_ELEM_COUNT.
 *
 * TSR_TF32 has 19 significant bits (1+8+10), stored in the high bits of 32. TSR_PTR is a 64-bit
 * address; its pointee is said beside it. */
typedef enum tsr_elem {
#define TSR_ELEM_INT(id, ...)     TSR_##id,
#define TSR_ELEM_FLOAT(id, ...)   TSR_##id,
#define TSR_ELEM_POINTER(id, ...) TSR_##id,
#include <tessera/elem.def>
  TSR_ELEM_COUNT
} tsr_elem;

/* The spelling in Tile IR text ("f8E4M3FN"), "ptr" for TSR_PTR; NULL for a value out of range. */
TSR_API const char *tsr_elem_name(tsr_elem elem);

/* The element type with this spelling, or with another one that the table knows: the short "e4m3",
 * "u3", or "int3b", "float6_e3m2" as Tilus writes them. TSR_ELEM_COUNT if none. */
TSR_API tsr_elem tsr_elem_from_name(const char *name, size_t length);

/* Size in bits of one element: 1 to 8, 16, 32 or 64. */
TSR_API unsigned tsr_elem_bits(tsr_elem elem);

/* Bytes that `count` consecutive elements take in memory. i1 takes a byte each; elements of 2 to 7
 * bits are packed: element k is bits k*N up to (k+1)*N of the array, bit i of which is bit i%8 of
 * byte i/8. The last byte may have bits that belong to no element. */
TSR_API size_t tsr_elem_storage(tsr_elem elem, size_t count);

TSR_API bool tsr_elem_is_int(tsr_elem elem);
TSR_API bool tsr_elem_is_float(tsr_elem elem);

/* Whether the type is Tessera's own, which Tile IR doesn't have (TSR_PARSE_EXTENSIONS). */
TSR_API bool tsr_elem_is_extension(tsr_elem elem);

#ifdef __cplusplus
}
#endif
#endif
