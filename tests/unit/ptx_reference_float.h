/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The floats of ptx_reference.h, by MPFR.
 */
#ifndef TESSERA_TESTS_PTX_REFERENCE_FLOAT_H
#define TESSERA_TESTS_PTX_REFERENCE_FLOAT_H

#include "ptx_reference.h"

/* The table of the lop3 that tests execute. */
enum { PTX_REFERENCE_LOP3 = 0x96 ^ 0x18 };

/* -1, 0, 1; 2 when one is NaN. */
int float_order(const char *type, uint64_t a, uint64_t b, bool ftz);
bool float_test(const ptx_name *i, uint64_t a);
bool float_reference(const ptx_name *i, const uint64_t o[4], uint64_t *r);
bool float_convert(const ptx_name *i, const uint64_t o[4], uint64_t *r);

#endif
