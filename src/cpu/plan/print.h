/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cpu/plan/print.h: what was decided about a kernel, as a text for people: what `tessera build
 * --emit nests` prints.
 */
#ifndef TSR_CPU_PLAN_PRINT_H
#define TSR_CPU_PLAN_PRINT_H

#include "cpu/core/notes.h"

/* Starts a log for a kernel that is to be lowered; `names` are those of its module's values. */
void notes_begin(lower *l, const map *names);
/* Appends the log of a kernel that has been lowered. */
void print_notes(sbuf *out, const lower *l);

#endif
