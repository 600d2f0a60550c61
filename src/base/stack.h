/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * base/stack.h: how much stack is left, so that readers of nested input stop before it ends.
 */
#ifndef TSR_BASE_STACK_H
#define TSR_BASE_STACK_H

#include <stdbool.h>
#include <stddef.h>

/* What must be left where another level of nesting is read: this level's share, and room for the
 * functions that work on what was read. */
enum { STACK_FOR_NESTING = 64 * 1024 };

/* Whether the calling thread has `bytes` of stack left. True also where that cannot be told: on a
 * stack that the program made itself. The first call of a thread asks the system, later ones
 * compare two addresses. */
bool stack_has(size_t bytes);

#endif
