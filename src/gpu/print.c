/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * print. One thread of the tile block prints for all of them: tiles are brought to shared memory,
 * and formats cut to lines that the vendor's printf takes (gpu_hooks.print_line).
 */
#include "gpu/print.h"

#include <string.h>

#include "exec/print.h"
#include "gpu/code.h"
#include "gpu/index.h"
#include "gpu/shared.h"
#include "gpu/values.h"
#include "gpu/vendor.h"
#include "llvm/nans.h"

/* ---- formats -------------------------------------------------------------------------------- */

/* What the argument of a conversion of C's printf must be. */
typedef enum argument {
  ARGUMENT_SIGNED,
  ARGUMENT_UNSIGNED,
  ARGUMENT_CHAR,
  ARGUMENT_DOUBLE
} argument;

/* As exec/print.h has it: the type says how the bits are read, the conversion how the number is
 * written as far as that fits. */
static argument convert_spec(sbuf *out, const char *p, size_t length, tsr_elem elem) {
  char letter = length > 1 ? p[length - 1] : 0;
  size_t flags = 1;
  while (flags < length && strchr("-+ #0123456789.", p[flags])) flags++;
  bool is_float = num_format_of(elem) != NULL;
  if (!is_float && (letter == 'p' || (elem == TSR_PTR && !(letter && strchr("diuoxX", letter))))) {
    sbuf_puts(out, "0x%llx");
    return ARGUMENT_UNSIGNED;
  }
  sbuf_add(out, p, flags);
  if (is_float) {
    sbuf_putc(out, letter && strchr("eEfFgGaA", letter) ? letter : 'g');
    return ARGUMENT_DOUBLE;
  }
  if (letter == 'c') {
    sbuf_putc(out, 'c');
    return ARGUMENT_CHAR;
  }
  bool is_unsigned = letter && strchr("uoxX", letter);
  sbuf_printf(out, "ll%c", is_unsigned ? letter : 'd');
  return is_unsigned || elem == TSR_I1 || elem == TSR_PTR ? ARGUMENT_UNSIGNED : ARGUMENT_SIGNED;
}

/* An element as 64 bits of vprintf's argument memory. */
static llv argument_word(gen *g, argument kind, tsr_elem elem, llv x) {
  emit *e = &g->e;
  if (kind == ARGUMENT_DOUBLE) {
    if (LLVMTypeOf(x) != e->f64) x = LLVMBuildFPExt(e->b, x, e->f64, "");
    x = lanes_canonical(e, x); /* nan, where vprintf would tell a NaN's sign */
    return LLVMBuildBitCast(e->b, x, e->i64, "");
  }
  if (kind == ARGUMENT_SIGNED && tsr_elem_bits(elem) < 8) {
    llv above = LLVMConstInt(e->i8, 8 - tsr_elem_bits(elem), 0);
    x = LLVMBuildAShr(e->b, LLVMBuildShl(e->b, x, above, ""), above, "");
  }
  return LLVMBuildIntCast2(e->b, x, e->i64, kind == ARGUMENT_SIGNED, "");
}

/* ---- lines ---------------------------------------------------------------------------------- */

/* A call of the vendor's printf that is being made. */
typedef struct line {
  sbuf format;
  unsigned n;
  llv *words; /* gpu_hooks.print_arguments at most */
} line;

static line new_line(gen *g) {
  return (line){.format = SBUF(g->arena),
                .words = arena_array(g->arena, llv, g->vendor->print_arguments)};
}

/* Makes the call, and an empty line of `l`. */
static void end_line(gen *g, line *l) {
  if (!l->format.len) return;
  g->vendor->print_line(g, l->format.data, l->words, l->n);
  l->format = SBUF(g->arena);
  l->n = 0;
}

static void add_text(sbuf *out, const char *p, size_t length) {
  for (size_t i = 0; i < length; i++) {
    if (p[i] == '%') sbuf_putc(out, '%');
    sbuf_putc(out, p[i]);
  }
}

/* ---- tiles ---------------------------------------------------------------------------------- */

/* Where a tile that is printed lies in scratch memory, row-major. */
typedef struct printed {
  ir_value *v;
  uint32_t offset;
} printed;

static llv printed_element(gen *g, const printed *p, llv base, llv index) {
  tsr_elem elem = (tsr_elem)p->v->type->elem;
  unsigned bytes = gpu_shared_bytes(elem);
  llv at = LLVMBuildMul(g->e.b, index, k32(g, bytes), "");
  at = add_of(g, add_const(g, base, p->offset), to_i64(g, at));
  llv x = LLVMBuildLoad2(g->e.b, gpu_memory_type(g, elem), as_ptr(g, at, SPACE_SHARED), "");
  LLVMSetAlignment(x, bytes);
  return gpu_from_memory(g, elem, x);
}

/* How many of the innermost dimensions begin at element i. */
static unsigned starting_at(const ir_type *t, int64_t i) {
  unsigned n = 0;
  int64_t size = 1;
  for (unsigned d = t->rank; d-- > 0;) {
    size *= t->shape[d];
    n += i % size == 0;
  }
  return n;
}

static void print_few(gen *g, line *l, const printed *p, llv base, const char *spec,
                      size_t length) {
  const ir_type *t = p->v->type;
  for (int64_t i = 0; i < t->count; i++) {
    if (i) sbuf_puts(&l->format, ", ");
    for (unsigned k = starting_at(t, i); k--;) sbuf_putc(&l->format, '[');
    argument kind = convert_spec(&l->format, spec, length, (tsr_elem)t->elem);
    llv x = t->count == 1 ? gpu_scalar(g, p->v) : printed_element(g, p, base, k32(g, (uint32_t)i));
    l->words[l->n++] = argument_word(g, kind, (tsr_elem)t->elem, x);
    for (unsigned k = starting_at(t, i + 1); k--;) sbuf_putc(&l->format, ']');
  }
}

static void print_if(gen *g, llv condition, const char *text) {
  line l = new_line(g);
  sbuf_puts(&l.format, text);
  llblock done = gpu_begin_owner(g, condition);
  end_line(g, &l);
  gpu_go(g, done);
}

/* Element by element, in a loop. */
static void print_many(gen *g, const printed *p, llv base, const char *spec, size_t length) {
  emit *e = &g->e;
  const ir_type *t = p->v->type;
  llblock before = LLVMGetInsertBlock(e->b), loop = gpu_new_block(g, "print"), done;
  gpu_go(g, loop);
  llv i = LLVMBuildPhi(e->b, e->i32, ""), next = add_of(g, i, k32(g, 1));
  print_if(g, LLVMBuildICmp(e->b, LLVMIntNE, i, k32(g, 0), ""), ", ");
  int64_t size = t->count;
  for (unsigned d = 0; d < t->rank; d++) {
    llv within = LLVMBuildAnd(e->b, i, k32(g, (uint32_t)size - 1), "");
    print_if(g, LLVMBuildICmp(e->b, LLVMIntEQ, within, k32(g, 0), ""), "[");
    size /= t->shape[d];
  }
  line l = new_line(g);
  argument kind = convert_spec(&l.format, spec, length, (tsr_elem)t->elem);
  l.words[l.n++] = argument_word(g, kind, (tsr_elem)t->elem, printed_element(g, p, base, i));
  end_line(g, &l);
  for (unsigned d = t->rank; d-- > 0;) {
    size *= t->shape[d];
    llv within = LLVMBuildAnd(e->b, next, k32(g, (uint32_t)size - 1), "");
    print_if(g, LLVMBuildICmp(e->b, LLVMIntEQ, within, k32(g, 0), ""), "]");
  }
  done = gpu_new_block(g, "print.end");
  LLVMAddIncoming(i, (llv[]){k32(g, 0), next}, (llblock[]){before, LLVMGetInsertBlock(e->b)}, 2);
  llv more = LLVMBuildICmp(e->b, LLVMIntULT, next, k32(g, (uint32_t)t->count), "");
  LLVMBuildCondBr(e->b, more, loop, done);
  LLVMPositionBuilderAtEnd(e->b, done);
}

/* All tiles that are printed to shared memory, so that one thread has them. */
static bool gather(gen *g, ir_op *op, ir_use *args, uint32_t n, printed *out, llv *base) {
  uint64_t size = 0;
  for (uint32_t i = 0; i < n; i++) {
    const ir_type *t = args[i].value->type;
    out[i] = (printed){.v = args[i].value, .offset = (uint32_t)size};
    if (t->count > 1)
      size +=
          gpu_whole_accesses((uint64_t)gpu_shared_bytes((tsr_elem)t->elem) * (uint64_t)t->count);
    if (size > gpu_scratch_limit(g)) {
      gpu_unsupported(g, op, "what it prints does not fit shared memory; print a smaller tile");
      return false;
    }
  }
  if (!size) return true;
  llv **x = arena_array(g->arena, llv *, n);
  simt_dist *d = arena_array(g->arena, simt_dist, n);
  for (uint32_t i = 0; i < n; i++)
    if (args[i].value->type->count > 1) x[i] = gpu_home(g, args[i].value, &d[i]);
  *base = gpu_scratch(g, (uint32_t)size);
  for (uint32_t i = 0; i < n; i++) {
    if (args[i].value->type->count == 1) continue;
    tsr_elem elem = (tsr_elem)args[i].value->type->elem;
    int32_t weight[SIMT_BITS];
    for (unsigned k = 0; k < SIMT_BITS; k++) weight[k] = (int32_t)(gpu_shared_bytes(elem) << k);
    llv at = add_const(g, *base, out[i].offset);
    gpu_shared_store(g, elem, &(tile){.d = d[i], .v = x[i]}, at, weight);
  }
  gpu_scratch_ready(g);
  return true;
}

static void print_format(gen *g, str format, printed *args, uint32_t n, llv base) {
  const char *p = format.data, *end = p + format.len;
  line l = new_line(g);
  uint32_t used = 0;
  while (p < end) {
    const char *percent = memchr(p, '%', (size_t)(end - p));
    add_text(&l.format, p, (size_t)((percent ? percent : end) - p));
    if (!percent) break;
    size_t length = exec_print_conversion(percent, end);
    bool literal = length == 2 && percent[1] == '%';
    if (literal) {
      sbuf_puts(&l.format, "%%");
    } else if (length && used < n) {
      const ir_type *t = args[used].v->type;
      if (l.n + (uint64_t)t->count > g->vendor->print_arguments) end_line(g, &l);
      if (t->count > g->vendor->print_arguments)
        print_many(g, &args[used], base, percent, length);
      else
        print_few(g, &l, &args[used], base, percent, length);
      used++;
    } else {
      length = MAX(length, 1);
      add_text(&l.format, percent, length);
    }
    p = percent + length;
  }
  end_line(g, &l);
}

/* An i1: this is the block's first thread. */
static llv is_first_thread(gen *g) {
  simt_dist d = gpu_scalar_dist(g);
  return gpu_owner(g, &d);
}

void gpu_print(gen *g, ir_op *op) {
  uint32_t n;
  ir_use *args = ir_operand_group(op, 0, &n);
  printed *tiles = arena_array(g->arena, printed, MAX(n, 1));
  llv base = NULL;
  for (uint32_t i = 0; i < op->n_results; i++) value_of(g, ir_result(op, i))->kind = VALUE_TOKEN;
  if (!gather(g, op, args, n, tiles, &base)) return;
  /* The format is made once, in the branch that one thread takes. */
  llblock done = gpu_begin_owner(g, is_first_thread(g));
  print_format(g, ir_get_attr(op, ATTR_str)->s, tiles, n, base);
  gpu_go(g, done);
}
