/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "interp/sanitize/events.h"

void events_init(events *e, arena *a) {
  *e = (events){.arena = a};
  vec_push(a, e->all, (event_info){0});
  vec_push(a, e->marks, 0);
}

event events_add(events *e, const event_info *info) {
  if (e->all.len >= EVENTS_MAX) return 0;
  if (info->follows && e->all.data[info->follows].block != info->block) e->across = true;
  vec_push(e->arena, e->all, *info);
  vec_push(e->arena, e->marks, 0);
  return e->all.len - 1;
}

void events_follow(events *e, event later, event earlier) {
  event_info *info = &e->all.data[later];
  if (!earlier || earlier == info->follows) return;
  if (e->all.data[earlier].block != info->block) e->across = true;
  if (e->from == later) e->from = 0; /* what was found is not all any more */
  if (!info->follows) {
    info->follows = earlier;
    return;
  }
  vec_push(e->arena, e->links, (event_link){earlier, info->more});
  info->more = e->links.len;
}

static void visit(events *e, event x) {
  if (x < e->low || x == 0 || e->marks.data[x] == e->mark) return;
  e->marks.data[x] = e->mark;
  vec_push(e->arena, e->stack, x);
}

/* Marks all that `from` follows, back to `low`. */
static void search(events *e, event from, event low) {
  if (++e->mark == 0) { /* after 2^32 searches, old marks would look new */
    memset(e->marks.data, 0, e->marks.len * sizeof *e->marks.data);
    e->mark = 1;
  }
  e->from = from;
  e->low = low;
  e->stack.len = 0;
  visit(e, from);
  while (e->stack.len) {
    event x = vec_pop(e->stack);
    const event_info *info = &e->all.data[x];
    visit(e, info->follows);
    for (uint32_t k = info->more; k; k = e->links.data[k - 1].next)
      visit(e, e->links.data[k - 1].follows);
  }
}

bool events_ordered(events *e, event earlier, event later) {
  if (earlier == later) return true;
  if (earlier == 0 || earlier > later) return earlier == 0;
  const event_info *a = &e->all.data[earlier], *b = &e->all.data[later];
  if (b->follows == earlier) return true;
  if (!e->across && a->block != b->block) return false;
  /* An access asks about many events: each further search goes back twice as far, so that there
   * are few. */
  if (e->from != later) {
    search(e, later, earlier);
  } else if (earlier < e->low) {
    event back = 2 * (later - earlier);
    search(e, later, back < later ? later - back : 1);
  }
  return e->marks.data[earlier] == e->mark;
}
