/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <tessera/elem.h>

#include <string.h>

typedef struct elem_info {
  const char *name;
  uint8_t bits;
  uint8_t kind; /* ELEM_* below */
} elem_info;

enum { ELEM_INT, ELEM_FLOAT, ELEM_PTR };

static const elem_info infos[TSR_ELEM_COUNT] = {
    [TSR_I1] = {"i1", 1, ELEM_INT},
    [TSR_I4] = {"i4", 4, ELEM_INT},
    [TSR_I8] = {"i8", 8, ELEM_INT},
    [TSR_I16] = {"i16", 16, ELEM_INT},
    [TSR_I32] = {"i32", 32, ELEM_INT},
    [TSR_I64] = {"i64", 64, ELEM_INT},
    [TSR_F16] = {"f16", 16, ELEM_FLOAT},
    [TSR_BF16] = {"bf16", 16, ELEM_FLOAT},
    [TSR_F32] = {"f32", 32, ELEM_FLOAT},
    [TSR_TF32] = {"tf32", 32, ELEM_FLOAT},
    [TSR_F64] = {"f64", 64, ELEM_FLOAT},
    [TSR_F8E4M3FN] = {"f8E4M3FN", 8, ELEM_FLOAT},
    [TSR_F8E5M2] = {"f8E5M2", 8, ELEM_FLOAT},
    [TSR_F8E8M0FNU] = {"f8E8M0FNU", 8, ELEM_FLOAT},
    [TSR_F4E2M1FN] = {"f4E2M1FN", 4, ELEM_FLOAT},
    [TSR_F8E5M3FNU] = {"f8E5M3FNU", 8, ELEM_FLOAT},
    [TSR_PTR] = {"ptr", 64, ELEM_PTR},
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

tsr_elem tsr_elem_from_name(const char *name, size_t length) {
  for (unsigned elem = 0; elem < TSR_ELEM_COUNT; elem++) {
    if (same(infos[elem].name, name, length)) return (tsr_elem)elem;
  }
  /* The specification's type chapter spells these two so. */
  if (same("e4m3", name, length)) return TSR_F8E4M3FN;
  if (same("e5m2", name, length)) return TSR_F8E5M2;
  return TSR_ELEM_COUNT;
}

unsigned tsr_elem_bits(tsr_elem elem) {
  return in_range(elem) ? infos[elem].bits : 0;
}

size_t tsr_elem_storage(tsr_elem elem, size_t count) {
  unsigned bits = tsr_elem_bits(elem);
  if (bits == 4) return count / 2 + count % 2;
  size_t bytes = bits <= 8 ? bits != 0 : bits / 8;             /* i1 takes a whole byte */
  if (bytes != 0 && count > SIZE_MAX / bytes) return SIZE_MAX; /* no such array; no allocation */
  return bytes * count;
}

bool tsr_elem_is_int(tsr_elem elem) {
  return in_range(elem) && infos[elem].kind == ELEM_INT;
}

bool tsr_elem_is_float(tsr_elem elem) {
  return in_range(elem) && infos[elem].kind == ELEM_FLOAT;
}
