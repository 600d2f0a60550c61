/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What redirect.c's assembly and its C have of each other.
 */
#ifndef TSR_COMPAT_REDIRECT_H
#define TSR_COMPAT_REDIRECT_H

#include <stdint.h>

/* Where a call leads that stands in an entry's place; not to be called from C. */
extern const char redirect_resolver[];

/* Makes the file's entries jumps; gives the entry at this address back, to be called again. */
uintptr_t redirect_resolve(uintptr_t at);

#endif
