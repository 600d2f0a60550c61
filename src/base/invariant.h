/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * base/invariant.h: what holds between the parts of Tessera whatever a caller does. Where it does
 * not, Tessera is wrong, so the process ends with the place; a message to the caller would be about
 * something that no caller can mend.
 *
 * Invariants are checked in builds with TESSERA_CHECKS: debug builds, those with sanitizers among
 * them. Elsewhere conditions are compiled, but not evaluated.
 */
#ifndef TSR_BASE_INVARIANT_H
#define TSR_BASE_INVARIANT_H

#include "base/base.h"

#if defined(TSR_CHECKS)
enum { CHECKS_INVARIANTS = true };
#else
enum { CHECKS_INVARIANTS = false };
#endif

#define INVARIANT(condition)                                                                       \
  ((void)(!CHECKS_INVARIANTS || (condition) ||                                                     \
          (invariant_broken(__FILE__, __LINE__, #condition), false)))
/* The same of a function that says what is wrong, and NULL when nothing is. */
#define INVARIANT_SAYS(problem)                                                                    \
  do {                                                                                             \
    const char *says_ = CHECKS_INVARIANTS ? (problem) : NULL;                                      \
    if (says_) invariant_broken(__FILE__, __LINE__, says_);                                        \
  } while (0)

/* Writes it to standard error and ends the process. */
NORETURN void invariant_broken(const char *file, int line, const char *what);

#endif
