/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Memory through pointers. In memory i1 takes a byte, of which any that is not zero is true; a
 * 4-bit element lies in the low half of the byte that a pointer to it names; where one of 2, 3, 5,
 * 6 or 7 bits begins, the pointer says (exec_bit_pointer). A store of these leaves the rest of
 * their bytes as it is, whoever writes it meanwhile; but an element that lies in two bytes is
 * written, and read, one byte after the other.
 *
 * A tile block's operations are executed in program order, so tokens ask for nothing more. Other
 * tile blocks may run at the same time: weak accesses are plain; all others, and atomics, are C11
 * atomics with an ordering at least as strong as asked for, for the whole system. An address that
 * is not aligned to its element's size is accessed plainly: the language gives atomics no such
 * addresses.
 */
#include "interp/internal.h"

static bool is_aligned(const char *address, unsigned bits) {
  return ((uintptr_t)address & (bits / 8 - (bits >= 8))) == 0;
}

/* The byte in which an element begins that shares bytes with others, and the bit there. */
static uint8_t *begin_of(const char *pointer, unsigned *bit) {
  uint64_t at = exec_bit_address((uintptr_t)pointer);
  *bit = at % 8;
  return (uint8_t *)(uintptr_t)(at / 8);
}

static uint64_t load_shared(const char *pointer, unsigned bits, int64_t ordering) {
  unsigned bit;
  const uint8_t *byte = begin_of(pointer, &bit);
  if (ordering == ORDER_WEAK) return num_bits_get_narrow(byte, bit, bits);
  uint8_t bytes[2] = {__atomic_load_n(byte, __ATOMIC_ACQUIRE)};
  if (bit + bits > 8) bytes[1] = __atomic_load_n(byte + 1, __ATOMIC_ACQUIRE);
  return num_bits_get_narrow(bytes, bit, bits);
}

uint64_t load_memory(const char *address, unsigned bits, int64_t ordering) {
  if (num_shares_bytes(bits)) return load_shared(address, bits, ordering);
  if (ordering == ORDER_WEAK || !is_aligned(address, bits)) return get_element(address, bits, 0);
  switch (bits) {
  case 16: return __atomic_load_n((const uint16_t *)address, __ATOMIC_ACQUIRE);
  case 32: return __atomic_load_n((const uint32_t *)address, __ATOMIC_ACQUIRE);
  case 64: return __atomic_load_n((const uint64_t *)address, __ATOMIC_ACQUIRE);
  default: {
    uint8_t byte = __atomic_load_n((const uint8_t *)address, __ATOMIC_ACQUIRE);
    return bits == 1 ? byte != 0 : bits == 4 ? byte & 0xf : byte;
  }
  }
}

/* The other bits stay, whoever writes them meanwhile. */
static void store_bits(uint8_t *byte, unsigned mask, unsigned put) {
  uint8_t old = __atomic_load_n(byte, __ATOMIC_RELAXED), new;
  do new = (uint8_t)((old & ~mask) | put);
  while (!__atomic_compare_exchange_n(byte, &old, new, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED));
}

void store_half(uint8_t *byte, unsigned half, uint64_t pattern) {
  store_bits(byte, 0xfu << 4 * half, (unsigned)pattern << 4 * half);
}

static void store_shared(char *pointer, unsigned bits, uint64_t pattern) {
  unsigned bit;
  uint8_t *byte = begin_of(pointer, &bit);
  unsigned mask = (unsigned)num_mask(bits) << bit, put = (unsigned)pattern << bit;
  store_bits(byte, mask & 0xff, put & 0xff);
  if (mask >> 8) store_bits(byte + 1, mask >> 8, put >> 8);
}

void store_memory(char *address, unsigned bits, uint64_t pattern, int64_t ordering) {
  if (bits == 4) {
    store_half((uint8_t *)address, 0, pattern);
    return;
  }
  if (num_shares_bytes(bits)) {
    store_shared(address, bits, pattern);
    return;
  }
  if (ordering == ORDER_WEAK || !is_aligned(address, bits)) {
    set_element(address, bits, 0, pattern);
    return;
  }
  switch (bits) {
  case 16: __atomic_store_n((uint16_t *)address, (uint16_t)pattern, __ATOMIC_RELEASE); break;
  case 32: __atomic_store_n((uint32_t *)address, (uint32_t)pattern, __ATOMIC_RELEASE); break;
  case 64: __atomic_store_n((uint64_t *)address, pattern, __ATOMIC_RELEASE); break;
  default: __atomic_store_n((uint8_t *)address, (uint8_t)pattern, __ATOMIC_RELEASE); break;
  }
}

/* ---- loads and stores ----------------------------------------------------------------------- */

/* Element k of a mask; true when there is none. */
static bool is_enabled(const uint8_t *mask, int64_t k) {
  return !mask || mask[k];
}

static char *pointer(const void *pointers, int64_t k) {
  return (char *)(uintptr_t)get_element(pointers, 64, k);
}

/* What was seen where, for tile blocks that may wait. */
static void note_result(frame *f, const inst *i) {
  if (!f->may_wait) return;
  size_t n = (size_t)i->count;
  uint64_t where = hash_bytes(at(f, i->in[0]), n * sizeof(uint64_t));
  note_seen(f, i, where, tsr_elem_storage((tsr_elem)out_type(i, 0)->elem, n));
}

/* Masked elements are the padding's; without one they are undefined, here zero. */
void run_load_ptr(frame *f, const inst *i) {
  unsigned bits = tsr_elem_bits((tsr_elem)out_type(i, 0)->elem);
  int64_t ordering = ir_int_attr(i->op, ATTR_memory_ordering_semantics);
  const void *pointers = at(f, i->in[0]);
  const uint8_t *mask = in_optional(f, i, 1);
  const void *padding = in_optional(f, i, 2);
  void *result = at(f, i->out[0]);
  for (int64_t k = 0; k < i->count; k++) {
    uint64_t value = 0;
    if (is_enabled(mask, k))
      value = load_memory(pointer(pointers, k), bits, ordering);
    else if (padding)
      value = get_element(padding, bits, k);
    set_element(result, bits, k, value);
  }
  if (ordering != ORDER_WEAK) note_result(f, i);
}

/* Elements are stored in order, so of several to one address the last stays. */
void run_store_ptr(frame *f, const inst *i) {
  const ir_type *t = in_type(i, 1);
  unsigned bits = tsr_elem_bits((tsr_elem)t->elem);
  int64_t ordering = ir_int_attr(i->op, ATTR_memory_ordering_semantics);
  const void *pointers = at(f, i->in[0]), *values = at(f, i->in[1]);
  const uint8_t *mask = in_optional(f, i, 2);
  for (int64_t k = 0; k < t->count; k++)
    if (is_enabled(mask, k))
      store_memory(pointer(pointers, k), bits, get_element(values, bits, k), ordering);
}

/* ---- atomics -------------------------------------------------------------------------------- */

static uint64_t updated(tsr_elem elem, ir_rmw mode, uint64_t old, uint64_t argument) {
  unsigned bits = tsr_elem_bits(elem);
  switch (mode) {
  case RMW_AND: return old & argument;
  case RMW_OR: return old | argument;
  case RMW_XOR: return old ^ argument;
  case RMW_ADD: return num_addi(old, argument, bits);
  case RMW_ADDF: return num_add(num_format_of(elem), old, argument, NUM_NEAREST_EVEN, false);
  case RMW_MAX: return num_maxi(old, argument, bits, true);
  case RMW_MIN: return num_mini(old, argument, bits, true);
  case RMW_UMAX: return num_maxi(old, argument, bits, false);
  case RMW_UMIN: return num_mini(old, argument, bits, false);
  case RMW_XCHG: return argument;
  }
  return argument;
}

bool compare_exchange(char *address, unsigned bits, uint64_t expected, uint64_t desired,
                      uint64_t *seen) {
#define EXCHANGE(T)                                                                                \
  {                                                                                                \
    T old = (T)expected;                                                                           \
    bool done = __atomic_compare_exchange_n((T *)address, &old, (T)desired, false,                 \
                                            __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);                   \
    *seen = old;                                                                                   \
    return done;                                                                                   \
  }
  if (!is_aligned(address, bits)) {
    *seen = get_element(address, bits, 0);
    if (*seen == expected) set_element(address, bits, 0, desired);
    return *seen == expected;
  }
  switch (bits) {
  case 8: EXCHANGE(uint8_t)
  case 16: EXCHANGE(uint16_t)
  case 32: EXCHANGE(uint32_t)
  default: EXCHANGE(uint64_t)
  }
#undef EXCHANGE
}

/* Returns what was there before. */
uint64_t atomic_update(char *address, tsr_elem elem, ir_rmw mode, uint64_t argument) {
  unsigned bits = tsr_elem_bits(elem);
  uint64_t old = load_memory(address, bits, ORDER_RELAXED), seen;
  while (!compare_exchange(address, bits, old, updated(elem, mode, old, argument), &seen))
    old = seen;
  return old;
}

/* A masked element gives its `cmp`. */
void run_atomic_cas(frame *f, const inst *i) {
  unsigned bits = tsr_elem_bits((tsr_elem)out_type(i, 0)->elem);
  const void *pointers = at(f, i->in[0]), *cmp = at(f, i->in[1]), *val = at(f, i->in[2]);
  const uint8_t *mask = in_optional(f, i, 3);
  for (int64_t k = 0; k < i->count; k++) {
    uint64_t expected = get_element(cmp, bits, k), seen = expected;
    if (is_enabled(mask, k))
      compare_exchange(pointer(pointers, k), bits, expected, get_element(val, bits, k), &seen);
    set_element(at(f, i->out[0]), bits, k, seen);
  }
  note_result(f, i);
}

/* What a masked element gives is the implementation's choice: zero. */
void run_atomic_rmw(frame *f, const inst *i) {
  tsr_elem elem = (tsr_elem)out_type(i, 0)->elem;
  unsigned bits = tsr_elem_bits(elem);
  ir_rmw mode = (ir_rmw)ir_int_attr(i->op, ATTR_mode);
  const void *pointers = at(f, i->in[0]), *arguments = at(f, i->in[1]);
  const uint8_t *mask = in_optional(f, i, 2);
  for (int64_t k = 0; k < i->count; k++) {
    uint64_t old = 0;
    if (is_enabled(mask, k))
      old = atomic_update(pointer(pointers, k), elem, mode, get_element(arguments, bits, k));
    set_element(at(f, i->out[0]), bits, k, old);
  }
  note_result(f, i);
}

/* ---- addresses ------------------------------------------------------------------------------ */

/* The memory is part of the frame, and zero whenever the operation is executed. */
void run_alloca(frame *f, const inst *i) {
  uintptr_t start = (uintptr_t)at(f, i->alloca.memory);
  start = (start + i->alloca.align - 1) & ~(uintptr_t)(i->alloca.align - 1);
  tsr_elem elem = (tsr_elem)out_type(i, 0)->pointee;
  memset((void *)start, 0, tsr_elem_storage(elem, (size_t)ir_int_attr(i->op, ATTR_num_elem)));
  set_scalar(f, i, 0, start);
}

void run_get_global(frame *f, const inst *i) {
  set_scalar(f, i, 0, (uintptr_t)f->block->globals[i->global]);
}
