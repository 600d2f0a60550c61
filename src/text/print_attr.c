/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Attributes in the spelling of the custom form.
 */
#include "text/print.h"

void print_string(sbuf *b, str s) {
  static const char hex[] = "0123456789ABCDEF";
  sbuf_putc(b, '"');
  for (size_t i = 0; i < s.len; i++) {
    unsigned char c = (unsigned char)s.data[i];
    if (c == '\\')
      sbuf_puts(b, "\\\\");
    else if (c >= 0x20 && c < 0x7f && c != '"')
      sbuf_putc(b, (char)c);
    else {
      char escape[3] = {'\\', hex[c >> 4], hex[c & 15]};
      sbuf_add(b, escape, 3);
    }
  }
  sbuf_putc(b, '"');
}

void print_symbol(sbuf *b, str name) {
  bool plain = name.len && is_class(name.data[0], CH_ID0);
  for (size_t i = 0; i < name.len && plain; i++) plain = is_class(name.data[i], CH_ID);
  sbuf_puts(b, " @");
  if (plain)
    sbuf_str(b, name);
  else
    print_string(b, name);
}

static void print_key(sbuf *b, str name) {
  bool plain = name.len && is_class(name.data[0], CH_ID0);
  for (size_t i = 0; i < name.len && plain; i++) plain = is_class(name.data[i], CH_ID);
  if (plain)
    sbuf_str(b, name);
  else
    print_string(b, name);
}

/* The hints of one architecture stand together. */
void print_hints(sbuf *b, const ir_hints *h) {
  sbuf_putc(b, '<');
  for (uint32_t i = 0; i < h->len;) {
    str target = h->data[i].target;
    if (i) sbuf_puts(b, ", ");
    print_key(b, target);
    sbuf_puts(b, " = {");
    for (uint32_t first = i; i < h->len && str_eq(h->data[i].target, target); i++) {
      if (i > first) sbuf_puts(b, ", ");
      print_key(b, h->data[i].key);
      sbuf_puts(b, " = ");
      if (h->data[i].is_bool)
        sbuf_puts(b, h->data[i].value ? "true" : "false");
      else
        sbuf_i64(b, h->data[i].value);
    }
    sbuf_putc(b, '}');
  }
  sbuf_putc(b, '>');
}

static void print_ints(sbuf *b, const ir_ints *v) {
  sbuf_putc(b, '[');
  for (uint32_t i = 0; i < v->len; i++) {
    if (i) sbuf_puts(b, ", ");
    sbuf_i64(b, v->data[i]);
  }
  sbuf_putc(b, ']');
}

static void print_bools(sbuf *b, const ir_ints *v) {
  sbuf_putc(b, '[');
  for (uint32_t i = 0; i < v->len; i++) {
    if (i) sbuf_puts(b, ", ");
    sbuf_puts(b, v->data[i] ? "true" : "false");
  }
  sbuf_putc(b, ']');
}

static void print_scalars(sbuf *b, const ir_scalars *v) {
  sbuf_putc(b, '[');
  for (uint32_t i = 0; i < v->len; i++) {
    if (i) sbuf_puts(b, ", ");
    print_literal(b, (tsr_elem)v->data[i].elem, v->data[i].bits);
    if (v->data[i].elem != TSR_I1)
      sbuf_printf(b, " : %s", tsr_elem_name((tsr_elem)v->data[i].elem));
  }
  sbuf_putc(b, ']');
}

static void print_bound(sbuf *b, bool given, int64_t v) {
  if (given)
    sbuf_i64(b, v);
  else
    sbuf_putc(b, '?');
}

static void print_predicate(sbuf *b, const ir_predicate *d) {
  switch ((ir_predicate_kind)d->kind) {
  case IR_DIV_BY:
    sbuf_printf(b, "div_by<%llu", (unsigned long long)d->divisor);
    if (d->has_every)
      sbuf_printf(b, ", every %lld along %lld", (long long)d->every, (long long)d->along);
    break;
  case IR_SAME_ELEMENTS:
    sbuf_puts(b, "same_elements<");
    print_ints(b, d->values);
    break;
  case IR_BOUNDED:
    sbuf_puts(b, "bounded<");
    print_bound(b, d->has_lower, d->lower);
    sbuf_puts(b, ", ");
    print_bound(b, d->has_upper, d->upper);
    break;
  }
  sbuf_putc(b, '>');
}

/* The elements from `first` on that make up dimension `dim`. */
static void print_elements(sbuf *b, const ir_dense *d, unsigned dim, int64_t first, int64_t count) {
  const ir_type *t = d->type;
  if (dim == t->rank) {
    print_literal(b, (tsr_elem)t->elem, ir_dense_get(d, first));
    return;
  }
  int64_t n = t->shape[dim], each = count / n;
  sbuf_putc(b, '[');
  for (int64_t i = 0; i < n; i++) {
    if (i) sbuf_puts(b, ", ");
    print_elements(b, d, dim + 1, first + i * each, each);
  }
  sbuf_putc(b, ']');
}

static void print_dense(printer *q, const ir_dense *d) {
  sbuf *b = q->out;
  sbuf_printf(b, "<%s: ", tsr_elem_name((tsr_elem)d->type->elem));
  if (d->splat)
    print_literal(b, (tsr_elem)d->type->elem, ir_dense_get(d, 0));
  else
    print_elements(b, d, 0, 0, d->type->count);
  sbuf_puts(b, "> : ");
  print_type(q, d->type);
}

void print_attr(printer *q, const ir_op *op, unsigned slot) {
  const op_attr *a = &ir_row(op)->attrs[slot];
  const ir_attr *v = ir_get_attr(op, (attr_id)a->id);
  sbuf *b = q->out;
  if (!v) return;
  switch ((attr_kind)a->kind) {
  case AK_INT: sbuf_i64(b, v->i); break;
  case AK_BOOL: sbuf_puts(b, v->i ? "true" : "false"); break;
  case AK_UNIT: break;
  case AK_STRING: print_string(b, v->s); break;
  case AK_SYMBOL:
    b->len--; /* its own blank stands already */
    print_symbol(b, v->s);
    break;
  case AK_INTS: print_ints(b, v->ints); break;
  case AK_BOOLS: print_bools(b, v->ints); break;
  case AK_DENSE: print_dense(q, v->dense); break;
  case AK_SCALARS: print_scalars(b, v->scalars); break;
  case AK_PREDICATE: print_predicate(b, v->predicate); break;
  case AK_HINTS: print_hints(b, v->hints); break;
  case AK_TYPE: print_type(q, v->type); break;
  case AK_LAYOUT: print_layout_attr(q, v->layout); break;
  case AK_DICTS: break;
  default: sbuf_puts(b, enum_spelling((attr_kind)a->kind, v->i)); break;
  }
}
