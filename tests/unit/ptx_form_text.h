/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * ptx_form_text: kernels that execute a form of ptx_forms.def, made from its row.
 *
 * Operands come from buffers of 64-bit words, a, b, c, e in their order; thread n takes word n of
 * each. Results go to a buffer of 64-bit words: slot s of thread n lies at s * threads + n. A
 * variant (the form with one choice of words) fills a slot, or two when the instruction gives two
 * results; the carry counts as one.
 */
#ifndef TESSERA_TESTS_PTX_FORM_TEXT_H
#define TESSERA_TESTS_PTX_FORM_TEXT_H

#include "ptx_reference.h"
#include "emu/ptx/ptx.h"

enum { FORM_MAX_VARIANTS = 4096, FORM_MAX_OPERANDS = 4 };

typedef struct form_variant {
  char name[160];
  ptx_name parsed;
  unsigned sources; /* operands it takes */
  char types[4][8]; /* theirs */
  char result[8];   /* type of the result */
  bool two;         /* fills two slots */
  bool takes_carry;
} form_variant;

/* Whether the form computes on registers alone, so that kernels for it can be made. */
bool form_is_scalar(const ptx_form *f);

/* The form's variants: with `all` every combination of words, else each word at least once. They
 * are freed by the caller. */
form_variant *form_variants(const ptx_form *f, bool all, unsigned *count);

/* Bits of the register that an operand of the type lies in: numbers of 8 bits are extended to 16,
 * but in conversions from and to bf16, which ask for registers of 8. */
unsigned form_register_bits(const form_variant *v, const char *type);

/* A kernel `form` that executes `n` variants, in at most `size` bytes; false when it doesn't fit.
 * `latest`: for the newest target; else for the oldest that has the form. */
bool form_kernel(const ptx_form *f, const form_variant *v, unsigned n, bool latest, char *out,
                 size_t size);

/* The words that operand `operand` of the variant gets in thread `index` of a test. */
uint64_t form_input(const form_variant *v, unsigned operand, unsigned index);

#endif
