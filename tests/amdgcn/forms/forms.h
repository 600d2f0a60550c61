/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The forms of AMD's instructions, one by one: what each is called, what it takes, what must come
 * out. A kernel for each is written as assembly language (text.h) and executed
 * (test_amdgcn_forms.c); what must come out is worked out here, by MPFR and plain C, and shares
 * nothing with the emulator.
 */
#ifndef TSR_TESTS_AMDGCN_FORMS_H
#define TSR_TESTS_AMDGCN_FORMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Letters of signatures: an operand's type.
 *   u f  32 bits, as a float       q d  64 bits, as a float       s h  16 bits, as a float
 *   m    a bit of each lane        k    a constant of the instruction
 *   w    an accumulator of 32 bits */

typedef enum form_family {
  FAMILY_VECTOR,
  FAMILY_PACKED,  /* both halves of registers, by `letter` */
  FAMILY_COMPARE, /* to a bit of each lane; `writes_exec` */
  FAMILY_SCALAR,
} form_family;

/* How an instruction is encoded, which says what operands and modifiers it may have. */
typedef enum form_encoding {
  E1,  /* VOP1 */
  E1A, /* ... of accumulators only: nothing but the plain one */
  E2,  /* VOP2 */
  E2L, /* ... in RDNA3 and RDNA4, too, under another name, or in VOP3 only there */
  E2N, /* ... of CDNA, VOP3 elsewhere */
  E2K, /* ... with a constant of 32 bits */
  E3,  /* VOP3 */
  E3V, /* ... which RDNA4 has as VOP2 */
  E3E, /* ... whose result may not overlap its sources */
  EP,  /* VOP3P */
  EC,  /* VOPC */
  ES,  /* scalar */
} form_encoding;

typedef enum form_flag {
  KEEP = 1 << 0,      /* of CDNA a result of 16 bits leaves the rest of the register */
  SAT = 1 << 1,       /* the result has all its bits, and `clamp` brings it into range */
  SATS = 1 << 2,      /* ... of signed numbers */
  IEEE = 1 << 3,      /* what signalling NaNs do depends on the mode */
  ONE_ULP = 1 << 4,   /* right to one unit of the last place */
  MANY_ULPS = 1 << 5, /* ... to 2^29 of them */
  BY_VCC = 1 << 6,    /* reads vcc without naming it */
  MASKED = 1 << 7,    /* the last operand is vcc where there is no other choice */
  NO_SDWA = 1 << 8,
  NO_MODIFIERS = 1 << 9,
  NO_CLAMP = 1 << 10,
  NO_SELECT = 1 << 11, /* halves of registers can't be named */
  TRUTH = 1 << 12,     /* a truth table is its last operand */
  DIVISION = 1 << 13,  /* a is b or c */
  DOT = 1 << 14,
  NO_DPP = 1 << 16,
  TWO_F16 = 1 << 17, /* the result holds two of them */
  TWO_BF16 = 1 << 18,
  SIGNED_FIRST = 1 << 19, /* neg_lo says that the first source is signed */
  DENSE = 1 << 15,        /* of a scalar form: what it does depends on which lanes execute */
} form_flag;

/* What a lane knows besides its sources, and gives besides its result. */
typedef struct form_lane {
  uint64_t old;
  unsigned lane;
  bool ieee, vcc;
  bool carry;    /* given: the second result; of scalar forms scc, which they know, too */
  uint64_t exec; /* of scalar forms: known and given */
} form_lane;

typedef uint64_t (*form_result)(uint64_t a, uint64_t b, uint64_t c, form_lane *x);

typedef struct form {
  const char *name, *signature;
  form_family family;
  form_encoding encoding;
  unsigned flags;
  char letter;
  bool writes_exec;
  form_result result;
} form;

extern const form forms[];
extern const size_t form_count;
const form *form_find(const char *name);

/* The letters of a form. */
typedef struct form_letters {
  const char *results, *sources;
  unsigned n_results, n_sources;
  bool reads_result;
} form_letters;
form_letters form_letters_of(const form *f);
unsigned form_bits(char letter);
bool form_is_float(char letter);

/* ---- targets ----------------------------------------------------------------------------------
 */

typedef enum form_target { GFX90A, GFX942, GFX950, GFX1100, GFX1200, TARGETS } form_target;
extern const char *const form_targets[TARGETS];
static inline bool target_is_rdna(form_target t) {
  return t >= GFX1100;
}
/* What assemblers know (tests/data/amdgcn-mnemonics.txt), and whether a target's does. */
typedef struct form_mnemonic {
  char name[56];
  unsigned targets; /* a bit of each form_target */
} form_mnemonic;
const form_mnemonic *form_mnemonics(size_t *n);
bool form_exists(const char *name, form_target t);

#endif
