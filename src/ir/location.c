/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What a location tells people: the places of a chain of calls, the innermost first.
 */
#include "ir/ir.h"

enum { MAX_STEPS = 256 }; /* so that a circle made by hand cannot hang us */

/* The function that a debug scope is in. */
static const char *function_of(const ir_module *m, uint32_t scope) {
  for (int steps = 0; scope && scope <= m->scopes.len && steps < MAX_STEPS; steps++) {
    const ir_scope *s = &m->scopes.data[scope - 1];
    if (s->kind == IR_SCOPE_SUBPROGRAM) return s->name;
    scope = s->parent;
  }
  return NULL;
}

unsigned ir_frames(const ir_module *m, ir_loc loc, ir_frame *out, unsigned max) {
  ir_loc callers[MAX_IR_FRAMES];
  unsigned n = 0, waiting = 0;
  const char *function = NULL;
  for (int steps = 0; n < max && steps < MAX_STEPS; steps++) {
    const ir_loc_info *l = loc < m->locs.len ? &m->locs.data[loc] : NULL;
    if (l && l->kind == IR_LOC_CALLSITE) {
      if (waiting < MAX_IR_FRAMES) callers[waiting++] = l->outer;
      loc = l->inner;
      continue;
    }
    if (l && l->kind == IR_LOC_DEBUG && !function) function = function_of(m, l->scope);
    if (l && l->kind != IR_LOC_UNKNOWN && l->kind != IR_LOC_FILE) {
      loc = l->inner ? l->inner : l->outer;
      continue;
    }
    if (l && l->kind == IR_LOC_FILE && l->line) out[n++] = (ir_frame){ir_place(m, loc), function};
    function = NULL;
    if (!waiting) break;
    loc = callers[--waiting];
  }
  return n;
}

const char *ir_where(arena *a, const ir_module *m, ir_loc loc) {
  ir_frame frames[MAX_IR_FRAMES];
  unsigned n = ir_frames(m, loc, frames, MAX_IR_FRAMES);
  sbuf b = SBUF(a);
  for (unsigned i = 0; i < n; i++) {
    const place *at = &frames[i].at;
    sbuf_printf(&b, "%s%s:%u:%u", i ? "\n" : "", at->src ? at->src->name : at->file, at->line,
                at->column);
    if (frames[i].function) sbuf_printf(&b, "\t%s", frames[i].function);
  }
  return n ? b.data : NULL;
}
