/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Layouts that the text gave names to: they are defined above the module, and types name them.
 */
#include "ir/block/layouts.h"
#include "text/print.h"

void print_layout_aliases(printer *q) {
  for (uint32_t i = 0; i < q->m->layout_names.len; i++) {
    const ir_layout_name *n = &q->m->layout_names.data[i];
    *map_put(&q->temp, &q->layouts, (uintptr_t)n->layout) = (uintptr_t)n;
    sbuf_printf(q->out, "#" STR_FMT " = layout<", STR_ARG(n->name));
    if (n->is_memory)
      ir_memory_layout_print(q->out, n->layout);
    else
      ir_layout_print(q->out, n->layout);
    sbuf_puts(q->out, ">\n");
  }
}

static const ir_layout_name *name_of(const printer *q, const void *layout) {
  return map_ptr(&q->layouts, layout);
}

/* The type as it is, but for its last part, which is the layout. */
void print_laid_out_type(printer *q, sbuf *b, const ir_type *t) {
  if (t->kind == IR_ASYNC) {
    sbuf_puts(b, "async<");
    print_laid_out_type(q, b, t->view);
    sbuf_putc(b, '>');
    return;
  }
  const ir_layout_name *n = name_of(q, t->layout ? (const void *)t->layout : t->memory);
  sbuf layout = SBUF(&q->temp);
  size_t start = b->len;
  ir_type_print(b, t, false);
  if (!n || (t->memory && ir_is_row_major(t->memory))) return;
  if (t->layout)
    ir_layout_print(&layout, t->layout);
  else
    ir_memory_layout_print(&layout, t->memory);
  b->len = MAX(start, b->len - layout.len - 1);
  sbuf_printf(b, "#" STR_FMT ">", STR_ARG(n->name));
}

void print_layout_attr(printer *q, const tsr_layout *layout) {
  const ir_layout_name *n = name_of(q, layout);
  if (n) {
    sbuf_printf(q->out, "#" STR_FMT, STR_ARG(n->name));
    return;
  }
  sbuf_puts(q->out, "layout<");
  ir_layout_print(q->out, layout);
  sbuf_putc(q->out, '>');
}
