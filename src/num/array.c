/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Arrays of elements as they lie in memory, and streams of fields of any width.
 */
#include "num/internal.h"

#if !defined(__BYTE_ORDER__) || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "elements lie in memory as little-endian numbers; this file copies them as the host's"
#endif

/* The loops for whole-byte elements differ in the type alone. */
#define LOAD(type)                                                                                 \
  for (size_t i = 0; i < count; i++) {                                                             \
    type element;                                                                                  \
    memcpy(&element, bytes + (first + i) * sizeof element, sizeof element);                        \
    patterns[i] = element;                                                                         \
  }
#define STORE(type)                                                                                \
  for (size_t i = 0; i < count; i++) {                                                             \
    type element = (type)patterns[i];                                                              \
    memcpy(bytes + (first + i) * sizeof element, &element, sizeof element);                        \
  }

void num_load_array(uint64_t *patterns, const void *memory, tsr_elem elem, size_t first,
                    size_t count) {
  const uint8_t *bytes = memory;
  switch (tsr_elem_bits(elem)) {
  case 1:
    for (size_t i = 0; i < count; i++) patterns[i] = bytes[first + i] != 0;
    break;
  case 8: LOAD(uint8_t) break;
  case 16: LOAD(uint16_t) break;
  case 32: LOAD(uint32_t) break;
  case 64: LOAD(uint64_t) break;
  case 0: break;
  default: num_bits_unpack(patterns, memory, tsr_elem_bits(elem), first, count); break;
  }
}

void num_store_array(void *memory, const uint64_t *patterns, tsr_elem elem, size_t first,
                     size_t count) {
  uint8_t *bytes = memory;
  switch (tsr_elem_bits(elem)) {
  case 1:
    for (size_t i = 0; i < count; i++) bytes[first + i] = patterns[i] & 1;
    break;
  case 8: STORE(uint8_t) break;
  case 16: STORE(uint16_t) break;
  case 32: STORE(uint32_t) break;
  case 64: STORE(uint64_t) break;
  case 0: break;
  default: num_bits_pack(memory, patterns, tsr_elem_bits(elem), first, count); break;
  }
}

/* A pattern of any element type as a number. */
static double decode_element(tsr_elem elem, const num_format *format, uint64_t pattern) {
  if (format != NULL) return num_decode(format, pattern);
  if (elem == TSR_I1 || elem == TSR_PTR) return (double)pattern;
  return (double)num_sext(pattern, tsr_elem_bits(elem));
}

static uint64_t encode_element(tsr_elem elem, const num_format *format, double value,
                               num_rounding rounding) {
  if (format != NULL) return num_encode(format, value, rounding);
  if (elem == TSR_I1) return value != 0 && value == value;
  return num_to_int(num_format_of(TSR_F64), num_f64_bits(value), tsr_elem_bits(elem),
                    elem != TSR_PTR, NUM_NEAREST_INT_TO_ZERO, NULL);
}

/* Elements go through a block of patterns on the stack, so that the loops over memory and over
 * numbers stay apart. */
enum { BLOCK = 256 };

void num_decode_array(double *out, const void *memory, tsr_elem elem, size_t first, size_t count) {
  uint64_t patterns[BLOCK];
  const num_format *format = num_format_of(elem);
  for (size_t done = 0; done < count;) {
    size_t n = count - done < BLOCK ? count - done : BLOCK;
    num_load_array(patterns, memory, elem, first + done, n);
    for (size_t i = 0; i < n; i++) out[done + i] = decode_element(elem, format, patterns[i]);
    done += n;
  }
}

void num_encode_array(void *memory, const double *in, tsr_elem elem, size_t first, size_t count,
                      num_rounding rounding) {
  uint64_t patterns[BLOCK];
  const num_format *format = num_format_of(elem);
  for (size_t done = 0; done < count;) {
    size_t n = count - done < BLOCK ? count - done : BLOCK;
    for (size_t i = 0; i < n; i++) {
      patterns[i] = encode_element(elem, format, in[done + i], rounding);
    }
    num_store_array(memory, patterns, elem, first + done, n);
    done += n;
  }
}

/* ---- Bit streams ---------------------------------------------------------------------------- */

/* Where a field starts. Eight fields take `width` whole bytes, so no product overflows that the
 * stream's size in bytes does not. */
static size_t field_byte(size_t index, unsigned width, unsigned *bit) {
  size_t within = index % 8 * width;
  *bit = within % 8;
  return index / 8 * width + within / 8;
}

uint64_t num_bits_get(const void *stream, size_t index, unsigned width) {
  unsigned bit;
  const uint8_t *bytes = (const uint8_t *)stream + field_byte(index, width, &bit);
  if (width <= 8) return num_bits_get_narrow(bytes, bit, width);
  num_u128 window = 0;                           /* a field touches nine bytes at most */
  memcpy(&window, bytes, (bit + width + 7) / 8); /* little-endian host */
  return num_wrap((uint64_t)(window >> bit), width);
}

void num_bits_set(void *stream, size_t index, unsigned width, uint64_t field) {
  unsigned bit;
  uint8_t *bytes = (uint8_t *)stream + field_byte(index, width, &bit);
  if (width <= 8) {
    num_bits_set_narrow(bytes, bit, width, field);
    return;
  }
  num_u128 window = 0;
  memcpy(&window, bytes, (bit + width + 7) / 8);
  window &= ~((num_u128)num_mask(width) << bit);
  window |= (num_u128)num_wrap(field, width) << bit;
  memcpy(bytes, &window, (bit + width + 7) / 8);
}

void num_bits_unpack(uint64_t *out, const void *stream, unsigned width, size_t first,
                     size_t count) {
  for (size_t i = 0; i < count; i++) out[i] = num_bits_get(stream, first + i, width);
}

void num_bits_pack(void *stream, const uint64_t *in, unsigned width, size_t first, size_t count) {
  for (size_t i = 0; i < count; i++) num_bits_set(stream, first + i, width, in[i]);
}

size_t num_bits_storage(size_t count, unsigned width) {
  return count / 8 * width + (count % 8 * width + 7) / 8;
}
