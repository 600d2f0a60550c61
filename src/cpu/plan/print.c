/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What was decided about a kernel, as text: a line for each note, and what is inside of another
 * note two columns further right. Values have the names that `tessera opt` prints.
 */
#include <inttypes.h>

#include "cpu/plan/print.h"

#include "cpu/gemm/ukernel/ukernel.h"
#include "cpu/plan/map.h"
#include "cpu/plan/scratch.h"

/* What a pattern's numbers mean: #0 … #3 stand for them. Of several texts with a | between them the
 * one that the first number counts to. */
static const char *const details[PATTERN_COUNT] = {
    [PATTERN_HOIST_PLACES] = "#0 operations in front of it",
    [PATTERN_KEEP_TILES] = "several nests need it|a loop needs it again",
    [PATTERN_GRID_ORDER] = "along y|in bands of #1, along y: #2",
    [PATTERN_SHIFTED_TILES] = "iteration value #0",
    [PATTERN_LAUNCH_STRIDE] = "#0 elements",
    [PATTERN_PEEL] = "#0 iterations at most",
    [PATTERN_REPEAT_LAST] = "stops at the end|repeats what is the same",
    [PATTERN_UNROLL] = "#0 copies",
    [PATTERN_INTERLEAVE] = "#0 copies",
    [PATTERN_FIX_NANS] = "#0 vectors at once",
    [PATTERN_TRANSPOSE] = "squares of #0, #1 side by side",
    [PATTERN_SHUFFLE] = "from #0 vectors",
    [PATTERN_EXCHANGE] = "#0 vectors, #1 copies",
    [PATTERN_LOOKUP] = "of the low half|of the high half",
    [PATTERN_PREFETCH_AGAIN] = "while it loads|while it stores past the cache",
    [PATTERN_ROW_FORWARD] = "up to #0 bytes",
    [PATTERN_K_BLOCKING] = "#0 iterations, #1 along k",
    [PATTERN_REUSE_SLICES] = "up to #0 blocks",
    [PATTERN_OPERAND_CACHE] = "#0 slots of #1 bytes",
    [PATTERN_BYTE_GROUPS] = "groups of #0",
    [PATTERN_K_PIECES] = "#0 pieces",
    [PATTERN_SKINNY] = "#0 rows",
    [PATTERN_FIXED_POINT] = "#0 bits at most",
};

typedef struct printer {
  sbuf *out;
  const lower *l;
} printer;

/* ---- pieces --------------------------------------------------------------------------------- */

static const char *name_of(const printer *q, const ir_value *v) {
  const uintptr_t *found = map_get(&q->l->notes->names, (uintptr_t)v);
  return found ? (const char *)*found : "%?";
}

static void put_line(const printer *q, const ir_op *op) {
  uint32_t line = op ? ir_place(q->l->m, op->loc).line : 0;
  if (line) sbuf_printf(q->out, ", line %" PRIu32, line);
}

/* "%x = addf, line 3"; of an argument the line of the operation whose region it is for. */
static void put_value(const printer *q, const ir_value *v) {
  const ir_op *op = ir_defining_op(v);
  sbuf_puts(q->out, name_of(q, v));
  if (op) sbuf_printf(q->out, " = %s", ir_row(op)->name);
  put_line(q, op ? op : v->owner.block->parent);
}

/* The same by its operation; one without a tile by what it takes. */
static void put_op(const printer *q, const ir_op *op) {
  if (op->n_results && ir_result(op, 0)->type->kind != IR_TOKEN) {
    put_value(q, ir_result(op, 0));
    return;
  }
  sbuf_puts(q->out, ir_row(op)->name);
  for (uint32_t i = 0, n = 0; i < op->n_operands && n < 2; i++) {
    const ir_value *v = ir_operand(op, i);
    if (v->type->kind == IR_TOKEN) continue;
    sbuf_printf(q->out, "%s %s", n++ ? "," : "", name_of(q, v));
  }
  put_line(q, op);
}

static void put_subject(const printer *q, const note *x) {
  if (x->value)
    put_value(q, x->value);
  else if (x->op)
    put_op(q, x->op);
}

static void put_shape(const printer *q, const ir_type *t) {
  for (unsigned d = 0; d < t->rank; d++)
    sbuf_printf(q->out, "%s%" PRId64, d ? "x" : "", t->shape[d]);
}

/* "16 along dimension 1, 2 along 0" of bits of an iteration over a tile. */
static void put_bits(const printer *q, const ir_type *t, uint32_t bits, const char *what) {
  const char *between = what;
  for (unsigned d = t->rank; d-- > 0;) {
    unsigned first, n;
    dim_bits(t, d, &first, &n);
    unsigned here = (unsigned)__builtin_popcount(bits >> first & ((1u << n) - 1));
    if (!here) continue;
    sbuf_printf(q->out, "%s%u along dimension %u", between, 1u << here, d);
    between = ", ";
  }
}

static void put_loops(const printer *q, const note *x) {
  for (unsigned i = 0; i < x->n_loops; i++) {
    const note_loop *loop = &x->loops[i];
    uint32_t bits = ((1u << loop->n) - 1) << loop->first;
    put_bits(q, x->shape, bits, i ? ", " : "; loops ");
  }
}

/* ---- notes ---------------------------------------------------------------------------------- */

/* The text's part for a number. */
static str part_of(const char *text, int64_t number) {
  const char *end;
  while ((end = strchr(text, '|')) && number-- > 0) text = end + 1;
  return (str){text, end ? (size_t)(end - text) : strlen(text)};
}

static void put_details(const printer *q, const note *x) {
  const char *all = details[x->which] ? details[x->which] : "";
  str text = part_of(all, x->n[0]);
  if (text.len) sbuf_puts(q->out, ": ");
  for (size_t i = 0; i < text.len; i++) {
    if (text.data[i] == '#' && i + 1 < text.len)
      sbuf_printf(q->out, "%" PRId64, x->n[text.data[++i] - '0']);
    else
      sbuf_putc(q->out, text.data[i]);
  }
}

static void put_pattern(const printer *q, const note *x) {
  const pattern_row *row = &pattern_rows[x->which];
  sbuf_printf(q->out, "[%s]%s", row->name, x->op || x->value ? " " : "");
  put_subject(q, x);
  put_details(q, x);
  if (row->when) sbuf_printf(q->out, "; when %s", row->when);
}

static const char *format_name(int64_t format) {
  switch ((buffer_format)format) {
  case FORMAT_LANES: return "widened";
  case FORMAT_PAIRS: return "in pairs";
  case FORMAT_SIGNED:
  case FORMAT_UNSIGNED: return "widened to i32";
  default: return "as in memory";
  }
}

static void put_version(const printer *q, const note *x) {
  static const char *const names[] = {"only version",
                                      "exact version, when all conditions hold",
                                      "guarded version, when not",
                                      "exact version, of iterations in which all elements exist",
                                      "guarded version, of the iterations behind these",
                                      "general version, when linear forms do not hold"};
  sbuf_puts(q->out, names[x->n[0]]);
  put_bits(q, x->shape, x->lanes, "; lanes ");
  put_bits(q, x->shape, x->copies, "; copies ");
  put_loops(q, x);
}

static void put_fused(const printer *q, const note *x) {
  static const char *const places[] = {"", ", contiguous or strided", ", rows by their indices",
                                       ", gathered"};
  sbuf_puts(q->out, "evaluates ");
  put_subject(q, x);
  sbuf_puts(q->out, places[x->n[0]]);
}

static void put_numbers(const printer *q, const note *x) {
  sbuf_printf(q->out, ": %" PRId64 "x%" PRId64 "x%" PRId64, x->n[0], x->n[1], x->n[2]);
}

/* Which micro-kernel, and how that cuts the product. */
static void put_kernel(const printer *q, const note *x) {
  mma_blocking b = emit_mma_blocking(x->name);
  sbuf_printf(q->out, "micro-kernel %s", x->name);
  put_numbers(q, x);
  sbuf_printf(q->out, ", row blocks of %u", b.rows);
  if (b.rest) sbuf_printf(q->out, " and %u", b.rest);
  sbuf_printf(q->out, ", panels of %u vectors of %u", b.vectors, b.lanes);
}

/* A word in front of the subject. */
static const char *verb_of(const note *x) {
  switch ((note_kind)x->kind) {
  case NOTE_STORE: return "stores by ";
  case NOTE_REDUCE: return "reduces to ";
  case NOTE_MULTIPLY_IN_NEST: return "adds the product ";
  case NOTE_KEEP: return "keeps ";
  case NOTE_COPY: return "copies ";
  case NOTE_SCAN: return "scan ";
  case NOTE_PRODUCT: return "product ";
  case NOTE_PACK: return "packs ";
  default: return "";
  }
}

/* What is behind it. */
static void put_rest(const printer *q, const note *x) {
  switch ((note_kind)x->kind) {
  case NOTE_KEEP: sbuf_printf(q->out, ", in scratch memory, %s", format_name(x->n[0])); return;
  case NOTE_COPY:
    sbuf_puts(q->out,
              x->n[0] ? ", to scratch memory; when it overlaps the store" : ", to scratch memory");
    return;
  case NOTE_PRODUCT:
    put_numbers(q, x);
    if (x->n[3] > 1) sbuf_printf(q->out, ", %" PRId64 " of them", x->n[3]);
    return;
  case NOTE_PACK:
    sbuf_printf(q->out, ", %" PRId64 " bytes%s", x->n[0], x->n[1] ? ", in panels" : ", in rows");
    return;
  default: return;
  }
}

static void put_note(const printer *q, const note *x) {
  switch ((note_kind)x->kind) {
  case NOTE_PATTERN: put_pattern(q, x); return;
  case NOTE_NEST:
    sbuf_puts(q->out, "nest ");
    put_shape(q, x->shape);
    return;
  case NOTE_FUSED: put_fused(q, x); return;
  case NOTE_VERSION: put_version(q, x); return;
  case NOTE_BLOCK:
    sbuf_printf(q->out, "block of %" PRId64 " iterations, %" PRId64 " along k", x->n[0], x->n[1]);
    return;
  case NOTE_KERNEL: put_kernel(q, x); return;
  case NOTE_FLOW:
    sbuf_puts(q->out, ir_row(x->op)->name);
    put_line(q, x->op);
    return;
  default:
    sbuf_puts(q->out, verb_of(x));
    put_subject(q, x);
    put_rest(q, x);
  }
}

void notes_begin(lower *l, const map *names) {
  l->notes = arena_new(l->arena, notes);
  *l->notes = (notes){.names = *names};
}

void print_notes(sbuf *out, const lower *l) {
  printer q = {out, l};
  sbuf_printf(out, "kernel @" STR_FMT, STR_ARG(ir_symbol_name(l->entry)));
  put_line(&q, l->entry);
  sbuf_putc(out, '\n');
  for (uint32_t i = 0; i < l->notes->list.len; i++) {
    const note *x = &l->notes->list.data[i];
    sbuf_printf(out, "%*s", 2 * x->depth + 2, "");
    put_note(&q, x);
    sbuf_putc(out, '\n');
  }
}
