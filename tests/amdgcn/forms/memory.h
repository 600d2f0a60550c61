/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Forms that access memory: loads, stores and atomic operations of global, flat, buffer, scratch
 * and LDS memory.
 */
#ifndef TSR_TESTS_AMDGCN_FORMS_MEMORY_H
#define TSR_TESTS_AMDGCN_FORMS_MEMORY_H

#include "text.h"

enum { ACCESS_SLOTS = 4, ACCESS_SPARE = 8 /* elements of inputs behind the last lane's */ };

typedef enum access_kind { ACCESS_LOAD, ACCESS_STORE, ACCESS_ATOMIC } access_kind;
typedef enum access_space { IN_GLOBAL, IN_FLAT, IN_BUFFER, IN_SCRATCH, IN_LDS } access_space;
/* Which part of a register; by sign. */
typedef enum access_width {
  WHOLE,
  BY_SIGN,
  TO_LOW,
  TO_LOW_BY_SIGN,
  TO_HIGH,
  TO_HIGH_BY_SIGN
} access_width;

typedef struct access_form {
  const char *name;
  access_kind kind;
  access_space space;
  unsigned bytes;
  access_width width;
  const char *update; /* of an atomic operation: "add", "umin", "add_f32" */
  unsigned pair;      /* two accesses at once, whose offsets count so many bytes; 0 */
  bool names_result;  /* the mnemonic says that the old contents are given back */
} access_form;

/* False: the mnemonic is of another family. */
bool access_read(const char *name, access_form *out);
void access_write(FILE *out, const access_form *f, form_target t);
uint64_t access_expected(const access_form *f, unsigned slot, const uint64_t (*inputs)[FORM_INPUTS],
                         unsigned lane, unsigned lanes);
/* Whether two results agree; NaNs do. */
bool access_agrees(const access_form *f, uint64_t found, uint64_t expected);

#endif
