/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Kernels for forms, as assembly language. A kernel has pointers to five buffers: a, b, c and d of
 * 64 bits for each lane (of a scalar form for each wave), and the results, `n` of 64 bits for each.
 * It executes the instruction once for each way in which it can be written: a slot, or several, of
 * what it gives.
 */
#ifndef TSR_TESTS_AMDGCN_FORMS_TEXT_H
#define TSR_TESTS_AMDGCN_FORMS_TEXT_H

#include <stdio.h>

#include "forms.h"

enum { FORM_SLOTS = 24, FORM_INPUTS = 4 };

typedef enum form_variant {
  AS_E32,
  AS_E64,
  PLAIN,   /* there is but one encoding */
  NEGATED, /* -a, |b|, -|c| */
  CLAMPED,
  DOUBLED,
  QUARTERED, /* not a quarter: mul:4 */
  HALVED,
  HIGH, /* upper halves of all registers of 16 bits */
  PART, /* SDWA: bytes and words */
  PART_SIGNED,
  MOVED,        /* DPP: the lanes of a quad */
  SHIFTED,      /* DPP: a row by one lane, of which the first gets nothing */
  CONSTANT,     /* a is 13, or -4.0 */
  LITERAL,      /* a is 0x4a5b6c7d, of 16 bits 0x5a7d */
  SWAPPED,      /* packed: the halves of a, and of b the low one twice */
  NEGATED_HALF, /* packed: the low one of a, the high one of b */
  FIRST_TWICE,  /* divisions: a is b */
  LAST_TWICE,   /* ... c */
  VARIANTS
} form_variant;

/* What a slot holds. */
typedef enum form_part { RESULT, CARRY, LANES } form_part;

typedef struct form_slot {
  form_variant variant;
  form_part part;
} form_slot;

unsigned form_slots(const form *f, const char *name, form_target t, form_slot out[FORM_SLOTS]);
/* The instruction as it is written. */
void form_line(const form *f, const char *name, form_target t, form_variant v, char out[200]);
/* The whole kernel, without and with its description for loaders. */
void form_write(FILE *out, const form *f, const char *name, form_target t);
void form_metadata(FILE *out, const char *const *names, size_t n, form_target t);

/* Pieces that kernels of other kinds (memory.h, matrix.h) share. */
void text_begin(FILE *out, const char *name, form_target t, bool of_wave);
void text_input(FILE *out, form_target t, unsigned k, unsigned reg); /* v[reg:reg+1] */
void text_wait(FILE *out, form_target t);
void text_rows(FILE *out, unsigned slots, unsigned stride);
void text_store(FILE *out, form_target t, unsigned slot, unsigned reg);
void text_end(FILE *out, const char *name, form_target t, unsigned lds, unsigned scratch);

/* What the form must leave in a slot, of the inputs of all lanes of a wave; any: that can't be
 * told.
 */
uint64_t form_expected(const form *f, form_target t, form_slot s,
                       const uint64_t (*inputs)[FORM_INPUTS], unsigned lane, unsigned lanes,
                       bool *any);
/* Whether what was found is right; `t` for its mode. */
bool form_agrees(const form *f, form_slot s, uint64_t found, uint64_t expected);

#endif
