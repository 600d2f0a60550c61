/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The table of rules, and what they say things with.
 */
#include "ir/rules.h"

const op_rule op_rules[OP_TABLE_SIZE] = {
#define X(name) [OP_##name] = {rule_check_##name, rule_words_##name},
    RULES(X)
#undef X
        [OP_get_global] = {NULL, "`name` is a global of the module, and the result points to its "
                                 "element type."},
};

/* ---- texts ---------------------------------------------------------------------------------- */

/* Messages are the only thing a const module is ever written for: its arena holds their texts. */
static arena *text_arena(const ir_module *m) {
  return (arena *)&m->arena;
}

const char *type_text(const ir_module *m, const ir_type *t) {
  return t ? ir_type_text(text_arena(m), t) : "nothing";
}

const char *elem_text(const ir_module *m, const ir_type *t) {
  if (t->elem != TSR_PTR) return tsr_elem_name((tsr_elem)t->elem);
  sbuf b = SBUF(text_arena(m));
  ir_elem_print(&b, t);
  return b.data;
}

const char *shape_text(const ir_module *m, const ir_type *t) {
  sbuf b = SBUF(text_arena(m));
  sbuf_putc(&b, '[');
  for (unsigned i = 0; i < t->rank; i++) {
    if (i) sbuf_puts(&b, ", ");
    sbuf_i64(&b, t->shape[i]);
  }
  sbuf_putc(&b, ']');
  return b.data;
}

static void add_type(sbuf *b, uint32_t i, const ir_type *t) {
  if (i) sbuf_puts(b, ", ");
  if (t)
    ir_type_print(b, t, false);
  else
    sbuf_puts(b, "nothing");
}

const char *values_text(const ir_module *m, const ir_use *uses, uint32_t n) {
  sbuf b = SBUF(text_arena(m));
  sbuf_putc(&b, '(');
  for (uint32_t i = 0; i < n; i++) add_type(&b, i, uses[i].value ? uses[i].value->type : NULL);
  sbuf_putc(&b, ')');
  return b.data;
}

const char *results_text(const ir_module *m, const ir_op *op) {
  sbuf b = SBUF(text_arena(m));
  sbuf_putc(&b, '(');
  for (uint32_t i = 0; i < op->n_results; i++) add_type(&b, i, op->results[i].type);
  sbuf_putc(&b, ')');
  return b.data;
}

/* ---- reports -------------------------------------------------------------------------------- */

static void report_at(const ir_module *m, const ir_op *op, place at, tsr_severity severity,
                      bool named, const char *fmt, va_list args) {
  sbuf b = SBUF(text_arena(m));
  const char *name = ir_row(op)->name;
  if (named && name) sbuf_printf(&b, "%s: ", name);
  sbuf_vprintf(&b, fmt, args);
  diag(m->ctx, severity, at, "%s", b.data);
}

static void report(const ir_module *m, const ir_op *op, tsr_severity severity, bool named,
                   const char *fmt, va_list args) {
  report_at(m, op, ir_place(m, op->loc), severity, named, fmt, args);
}

bool rule_fail(const ir_module *m, const ir_op *op, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  report(m, op, TSR_ERROR, true, fmt, args);
  va_end(args);
  return false;
}

bool rule_fail_operand(const ir_module *m, const ir_op *op, uint32_t index, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  report_at(m, op, rule_operand_place(m, op, index), TSR_ERROR, true, fmt, args);
  va_end(args);
  return false;
}

bool rule_fail_argument(const ir_module *m, const ir_op *op, uint32_t index, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  report_at(m, op, rule_argument_place(m, op, index), TSR_ERROR, true, fmt, args);
  va_end(args);
  return false;
}

bool rule_fail_result(const ir_module *m, const ir_op *op, uint32_t index, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  report_at(m, op, rule_result_place(m, op, index), TSR_ERROR, true, fmt, args);
  va_end(args);
  return false;
}

void rule_warn(const ir_module *m, const ir_op *op, const char *fmt, ...) {
  va_list args;
  if (m->verified) return; /* it has been said, or only a pass has found it out */
  va_start(args, fmt);
  report(m, op, TSR_WARNING, true, fmt, args);
  va_end(args);
}

bool rule_hint(const ir_module *m, const ir_op *op, const char *fmt, ...) {
  bool wrong = m->hints == IR_HINTS_ERROR;
  if (m->hints == IR_HINTS_IGNORE) return true;
  va_list args;
  va_start(args, fmt);
  report(m, op, wrong ? TSR_ERROR : TSR_WARNING, true, fmt, args);
  va_end(args);
  return !wrong;
}

void rule_note(const ir_module *m, const ir_op *op, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  report(m, op, TSR_NOTE, false, fmt, args);
  va_end(args);
}
