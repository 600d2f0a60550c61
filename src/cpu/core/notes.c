/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The log of decisions.
 */
#include "cpu/core/notes.h"

static bool is_same(const note *a, const note *b) {
  return a->kind == b->kind && a->which == b->which && a->op == b->op && a->value == b->value &&
         memcmp(a->n, b->n, sizeof a->n) == 0;
}

/* Is it in the list, inside of what the next would be in? */
static bool is_known(const notes *x, const note *new) {
  for (uint32_t i = x->list.len; i-- > 0;) {
    const note *old = &x->list.data[i];
    if (old->depth < x->depth) return false;
    if (old->depth == x->depth && is_same(old, new)) return true;
  }
  return false;
}

void notes_add(lower *l, note x) {
  x.depth = l->notes->depth;
  bool once = x.kind == NOTE_PATTERN || x.kind == NOTE_FUSED || x.kind == NOTE_KERNEL;
  if (once && is_known(l->notes, &x)) return;
  vec_push(l->arena, l->notes->list, x);
}

void notes_enter(lower *l) {
  if (l->notes && l->notes->depth < UINT8_MAX) l->notes->depth++;
}

void notes_leave(lower *l) {
  if (l->notes && l->notes->depth > 0) l->notes->depth--;
}
