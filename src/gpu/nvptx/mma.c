/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The text of mma.sync and ldmatrix.
 */
#include "gpu/nvptx/mma.h"

#include <stdio.h>

#include "gpu/code.h"

/* ---- mma.sync ------------------------------------------------------------------------------- */

static const char *byte_type(const ir_op *op, attr_id sign) {
  return ir_int_attr(op, sign) == SIGN_SIGNED ? "s8" : "u8";
}

static void list(sbuf *out, unsigned first, unsigned n) {
  sbuf_putc(out, '{');
  for (unsigned i = 0; i < n; i++) sbuf_printf(out, "%s$%u", i ? ", " : "", first + i);
  sbuf_putc(out, '}');
}

/* Words, or doubles, of a fragment of 2^bits elements in a lane's registers. */
static unsigned words_of(const gen *g, const matrix_instruction *x, unsigned bits) {
  unsigned each = MAX(32 / tsr_elem_bits(x->elem), 1);
  return (1u << (bits - g->block.lanes)) / each;
}

mma nvptx_mma_of(gen *g, const ir_op *op, const matrix_instruction *x) {
  emit *e = &g->e;
  mma m = {.n_a = words_of(g, x, x->m + x->k),
           .n_b = words_of(g, x, x->n + x->k),
           .n_sum = 1u << (x->m + x->n - g->block.lanes)};
  LLVMTypeRef sum = x->elem == TSR_F64 ? e->f64 : x->elem == TSR_I8 ? e->i32 : e->f32;
  LLVMTypeRef sums[4] = {sum, sum, sum, sum};
  m.result = LLVMStructTypeInContext(e->llvm, sums, m.n_sum, 0);
  sbuf text = SBUF(g->arena), constraints = SBUF(g->arena);
  bool bytes = x->elem == TSR_I8;
  sbuf_printf(&text, "mma.sync.aligned.%s.row.col.%s.%s.%s.%s ", x->name, x->sum,
              bytes ? byte_type(op, ATTR_signedness_lhs) : x->operand,
              bytes ? byte_type(op, ATTR_signedness_rhs) : x->operand, x->sum);
  unsigned at = 0;
  const unsigned counts[] = {m.n_sum, m.n_a, m.n_b, m.n_sum};
  const char sum_class = x->elem == TSR_F64 ? 'd' : bytes ? 'r' : 'f';
  const char word_class = x->elem == TSR_F64 ? 'd' : 'r';
  for (unsigned i = 0; i < 4; i++) {
    if (i) sbuf_puts(&text, ", ");
    list(&text, at, counts[i]);
    at += counts[i];
    for (unsigned k = 0; k < counts[i]; k++)
      sbuf_printf(&constraints, "%s%s%c", constraints.len ? "," : "", i ? "" : "=",
                  i == 0 || i == 3 ? sum_class : word_class);
  }
  sbuf_putc(&text, ';');
  m.text = text.data;
  m.constraints = constraints.data;
  return m;
}

void nvptx_mma(gen *g, const mma *m, const llv *a, const llv *b, llv *sum) {
  llv args[16];
  unsigned n = 0;
  for (unsigned i = 0; i < m->n_a; i++) args[n++] = a[i];
  for (unsigned i = 0; i < m->n_b; i++) args[n++] = b[i];
  for (unsigned i = 0; i < m->n_sum; i++) args[n++] = sum[i];
  llv r = gpu_asm(g, m->result, m->text, m->constraints, args, n, false);
  for (unsigned i = 0; i < m->n_sum; i++) sum[i] = LLVMBuildExtractValue(g->e.b, r, i, "");
}

/* ---- ldmatrix ------------------------------------------------------------------------------- */

void nvptx_load_matrices(gen *g, llv address, uint32_t offset, unsigned n, bool transposed,
                         llv *out) {
  static const char *const outs[] = {[1] = "$0", [2] = "$0, $1", [4] = "$0, $1, $2, $3"};
  static const char *const results[] = {[1] = "=r", [2] = "=r,=r", [4] = "=r,=r,=r,=r"};
  emit *e = &g->e;
  LLVMTypeRef words[] = {e->i32, e->i32, e->i32, e->i32};
  LLVMTypeRef type = n == 1 ? e->i32 : LLVMStructTypeInContext(e->llvm, words, n, 0);
  bool is_short = LLVMTypeOf(address) == e->i32;
  char text[128], constraints[48];
  snprintf(text, sizeof text, "ldmatrix.sync.aligned.m8n8.x%u%s.shared.b16 {%s}, [$%u+%u];", n,
           transposed ? ".trans" : "", outs[n], n, offset);
  snprintf(constraints, sizeof constraints, "%s,%c,~{memory}", results[n], is_short ? 'r' : 'l');
  llv r = gpu_asm(g, type, text, constraints, &address, 1, true);
  for (unsigned i = 0; i < n; i++) out[i] = n == 1 ? r : LLVMBuildExtractValue(e->b, r, i, "");
}

void nvptx_store_matrices(gen *g, llv address, uint32_t offset, unsigned n, bool transposed,
                          const llv *words) {
  static const char *const ins[] = {[1] = "$1", [2] = "$1, $2", [4] = "$1, $2, $3, $4"};
  static const char *const constraints[] = {
      [1] = "r,r,~{memory}", [2] = "r,r,r,~{memory}", [4] = "r,r,r,r,r,~{memory}"};
  llv args[5] = {address};
  char text[128];
  memcpy(args + 1, words, n * sizeof *words);
  snprintf(text, sizeof text, "stmatrix.sync.aligned.m8n8.x%u%s.shared.b16 [$0+%u], {%s};", n,
           transposed ? ".trans" : "", offset, ins[n]);
  gpu_asm(g, g->e.void_, text, constraints[n], args, n + 1, true);
}
