/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Modules of PTX become one, as a linker does it: what one declares and another defines is the
 * same, what belongs to a module alone gets a name of its own.
 */
#ifndef TSR_COMPAT_JOIN_H
#define TSR_COMPAT_JOIN_H

#include <stddef.h>

enum { JOIN_WHY = 512 };

/* The texts as one, terminated, the caller's to free. NULL: `why` says what is wrong. Texts that
 * are no PTX give one that is none; that is said when it is loaded. */
char *join_ptx(const char *const *texts, size_t count, char why[JOIN_WHY]);

#endif
