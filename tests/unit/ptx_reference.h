/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * ptx_reference: what scalar PTX instructions compute, written down a second time, from the PTX ISA
 * alone: integers in plain C on 128 bits, floats by MPFR. It shares no code with the emulator, and
 * reads an instruction by its name ("add.rn.ftz.f32").
 */
#ifndef TESSERA_TESTS_PTX_REFERENCE_H
#define TESSERA_TESTS_PTX_REFERENCE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef struct ptx_name {
  char text[160];
  const char *opcode;
  const char *words[16]; /* what follows it, types too */
  unsigned n;
  const char *types[4]; /* the types among them; "" after the last */
  unsigned n_types;
  uint64_t marks; /* of the words: one that isn't marked isn't there */
} ptx_name;

void ptx_name_read(ptx_name *out, const char *name);
static inline uint64_t ptx_word_mark(const char *word) {
  return UINT64_C(1) << ((unsigned)(word[0] * 5 + (int)strlen(word) * 11) & 63);
}
static inline bool ptx_name_has(const ptx_name *i, const char *word) {
  if (!(i->marks & ptx_word_mark(word))) return false;
  for (unsigned k = 0; k < i->n; k++)
    if (strcmp(i->words[k], word) == 0) return true;
  return false;
}
void ptx_name_add(ptx_name *i, const char *word);
/* Bits of a type: 1 of a predicate, 0 for what is no type. */
unsigned ptx_type_bits(const char *type);

/* The result for operands a, b, c, e (zero above their bits; a predicate is 0 or 1). *second gets
 * what a second destination or the carry holds, `carry` is what the carry was before. False when
 * the instruction is none of those written down here. */
bool ptx_reference(const ptx_name *i, const uint64_t operands[4], bool carry, uint64_t *result,
                   uint64_t *second);

/* How far a result may lie from the reference: 0, 0 for most, which are exact. As the PTX ISA says
 * for the approximate instructions. */
void ptx_tolerance(const ptx_name *i, double *relative, double *absolute);

/* The value of a float of that type, for such comparisons. */
double ptx_float_value(const char *type, uint64_t bits);

#endif
