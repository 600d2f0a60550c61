/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <tessera/elem.h>

#include <string.h>

typedef struct elem_info {
  const char *name;
  const char *aliases; /* with a blank before and behind each; NULL: none */
  uint8_t bits, stored;
  uint8_t kind; /* ELEM_* below */
  uint8_t since;
} elem_info;

enum { ELEM_INT, ELEM_FLOAT, ELEM_PTR };

static const elem_info infos[TSR_ELEM_COUNT] = {
#define TSR_ELEM_INT(id, name, bits, stored, since, aliases, about)                                \
  [TSR_##id] = {name, aliases, bits, stored, ELEM_INT, since},
#define TSR_ELEM_FLOAT(id, name, exponent, mantissa, padding, bias, nan, is_signed, has_zero,      \
                       saturates, nan_to_max, since, aliases, about)                               \
  [TSR_##id] = {name,                                                                              \
                aliases,                                                                           \
                is_signed + exponent + mantissa + padding,                                         \
                is_signed + exponent + mantissa + padding,                                         \
                ELEM_FLOAT,                                                                        \
                since},
#define TSR_ELEM_POINTER(id, name, bits) [TSR_##id] = {name, NULL, bits, bits, ELEM_PTR, 1},
#include <tessera/elem.def>
};

static bool in_range(tsr_elem elem) {
  return (unsigned)elem < TSR_ELEM_COUNT;
}

const char *tsr_elem_name(tsr_elem elem) {
  return in_range(elem) ? infos[elem].name : NULL;
}

static bool same(const char *spelling, const char *name, size_t length) {
  return strlen(spelling) == length && memcmp(spelling, name, length) == 0;
}

/* Whether a list of aliases has the name, which holds no blank. */
static bool lists(const char *aliases, const char *name, size_t length) {
  for (const char *p = aliases; p && p[1]; p = strchr(p + 1, ' '))
    if (strncmp(p + 1, name, length) == 0 && p[1 + length] == ' ') return true;
  return false;
}

tsr_elem tsr_elem_from_name(const char *name, size_t length) {
  if (!name) return TSR_ELEM_COUNT;
  for (unsigned elem = 0; elem < TSR_ELEM_COUNT; elem++) {
    if (same(infos[elem].name, name, length)) return (tsr_elem)elem;
  }
  if (length == 0 || memchr(name, ' ', length)) return TSR_ELEM_COUNT;
  for (unsigned elem = 0; elem < TSR_ELEM_COUNT; elem++) {
    if (lists(infos[elem].aliases, name, length)) return (tsr_elem)elem;
  }
  return TSR_ELEM_COUNT;
}

unsigned tsr_elem_bits(tsr_elem elem) {
  return in_range(elem) ? infos[elem].bits : 0;
}

/* Eight elements take whole bytes, so counts are split by eight to stay within size_t. */
size_t tsr_elem_storage(tsr_elem elem, size_t count) {
  size_t stored = in_range(elem) ? infos[elem].stored : 0;
  size_t eights, rest = (count % 8 * stored + 7) / 8;
  if (__builtin_mul_overflow(count / 8, stored, &eights) || eights > SIZE_MAX - rest)
    return SIZE_MAX; /* no such array; no allocation */
  return eights + rest;
}

bool tsr_elem_is_int(tsr_elem elem) {
  return in_range(elem) && infos[elem].kind == ELEM_INT;
}

bool tsr_elem_is_float(tsr_elem elem) {
  return in_range(elem) && infos[elem].kind == ELEM_FLOAT;
}

bool tsr_elem_is_extension(tsr_elem elem) {
  return in_range(elem) && infos[elem].since == 0;
}
