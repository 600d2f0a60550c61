/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Comments and empty lines, for printing the module back. Lines are separated by newlines;
 * an empty line stands for an empty line. A comment inside an operation is moved above it.
 */
#include "text/internal.h"

static void add_line(sbuf *b, bool *any, str line) {
  if (*any) sbuf_putc(b, '\n');
  sbuf_str(b, line);
  if (!b->data) sbuf_puts(b, "");
  *any = true;
}

/* The comments [first, end) as lines. */
static str join(parser *p, uint32_t first, uint32_t end, bool leading_blank) {
  sbuf b = SBUF(&p->m->arena);
  bool any = false, last_blank = !leading_blank;
  for (uint32_t i = first; i < end; i++) {
    const comment *c = &p->comments.data[i];
    if (c->blank && !last_blank) add_line(&b, &any, STR(""));
    last_blank |= c->blank;
    if (!c->length) continue;
    add_line(&b, &any, (str){p->lx.begin + c->offset, c->length});
    last_blank = false;
  }
  return any ? (str){b.data, b.len} : (str){0};
}

str comments_before(parser *p, bool first_in_block) {
  if (!p->comments.len) return (str){0};
  str s = join(p, 0, p->comments.len, !first_in_block);
  p->comments.len = 0;
  return s;
}

static ir_comments *comments_of(parser *p, ir_op *op) {
  uintptr_t *slot = map_put(&p->m->arena, &p->m->comments, (uintptr_t)op);
  if (!*slot) *slot = (uintptr_t)arena_new(&p->m->arena, ir_comments);
  return (ir_comments *)*slot;
}

static str concat(parser *p, str a, str b) {
  if (!a.data) return b;
  if (!b.data) return a;
  sbuf both = SBUF(&p->m->arena); /* not by a format: a comment may hold any byte, also 0 */
  sbuf_str(&both, a);
  sbuf_putc(&both, '\n');
  sbuf_str(&both, b);
  return (str){both.data, both.len};
}

void comments_attach(parser *p, ir_op *op, str before) {
  if (!p->keep_comments) return;
  uint32_t inside = 0, end = p->lx.prev_end, n = p->comments.len;
  while (inside < n && p->comments.data[inside].offset < end) inside++;
  before = concat(p, before, join(p, 0, inside, false));
  uint32_t behind = inside;
  str trailing = {0};
  if (inside < n) {
    const comment *c = &p->comments.data[inside];
    if (c->length && !c->own_line && c->line == p->lx.prev_line) {
      trailing = arena_str(&p->m->arena, (str){p->lx.begin + c->offset, c->length});
      behind++;
    }
  }
  if (before.data) comments_of(p, op)->before = before;
  if (trailing.data) comments_of(p, op)->trailing = trailing;
  if (behind) {
    memmove(p->comments.data, p->comments.data + behind, (n - behind) * sizeof(comment));
    p->comments.len = n - behind;
  }
}

void comments_at_end(parser *p, ir_op *op, ir_block *b, bool last_region, str text) {
  if (!text.data) return;
  if (last_region) {
    comments_of(p, op)->at_end = text;
    return;
  }
  /* Only the last region has a place for them: elsewhere they go with the last operation. */
  ir_op *last = b ? b->last : NULL;
  if (last && last->implicit && last->prev) last = last->prev;
  if (!last) return;
  ir_comments *c = comments_of(p, last);
  if (last->implicit)
    c->before = concat(p, c->before, text);
  else
    c->trailing = concat(p, c->trailing.data ? c->trailing : STR(""), text);
}

void comments_after_module(parser *p) {
  if (!p->comments.len) return;
  ir_comments *c = comments_of(p, p->m->op);
  bool same_line = !p->comments.data[0].own_line;
  str s = join(p, 0, p->comments.len, false);
  p->comments.len = 0;
  if (!s.data) return;
  if (!c->trailing.data && !same_line) c->trailing = STR("");
  c->trailing = concat(p, c->trailing, s);
}
