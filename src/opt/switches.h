/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * opt/switches.h: what can be left out when a module is compiled: passes of the optimiser, and
 * patterns of the CPU backend (patterns.def). Results do not depend on it, but for the order in
 * which products are added up.
 */
#ifndef TSR_OPT_SWITCHES_H
#define TSR_OPT_SWITCHES_H

#include "ir/ir.h"

typedef enum pattern_id {
#define PATTERN(id, name, sentence, when) PATTERN_##id,
#include "opt/patterns.def"
#undef PATTERN
  PATTERN_COUNT
} pattern_id;

typedef struct pattern_row {
  const char *name, *sentence;
  const char *when; /* what must hold at run time; NULL: nothing */
} pattern_row;

extern const pattern_row pattern_rows[PATTERN_COUNT];

static inline bool pattern_is_on(const ir_module *m, pattern_id p) {
  return !(m->without.patterns >> p & 1);
}

/* Leaves out the passes and patterns of a list of names, separated by commas, and no others.
 * Reports and returns false for a name that there isn't; nothing has changed then. */
bool switches_leave_out(ir_module *m, str names);
/* Appends "without NAME,NAME" and a newline, in the order of the tables; nothing when all is on. */
void switches_put(sbuf *out, const ir_module *m);

#endif
