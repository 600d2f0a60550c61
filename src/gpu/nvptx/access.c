/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Loads, stores and atomics with a predicate, as inline assembly: ld, st, red, atom.
 */
#include "gpu/nvptx/access.h"

#include <stdio.h>

#include "gpu/atomic.h"
#include "gpu/code.h"
#include "ir/block/clusters.h"

static char register_class(unsigned bits) {
  return bits == 64 ? 'l' : bits == 16 ? 'h' : 'r';
}

static const char *space_name(const gen *g) {
  switch (g->space) {
  case SPACE_GLOBAL: return ".global";
  case SPACE_SHARED: return ".shared";
  case SPACE_CLUSTER: return ".shared::cluster";
  default: return "";
  }
}

/* ---- weak accesses -------------------------------------------------------------------------- */

llv nvptx_masked_load(gen *g, unsigned bits, llv address, uint32_t offset, llv exists, llv pad) {
  unsigned wide = bits == 8 ? 32 : bits;
  char text[128], constraints[64], c = register_class(wide);
  snprintf(text, sizeof text, "mov.b%u $0, $3;\n\t@$2 ld%s.%s%u $0, [$1+%u];", wide, space_name(g),
           bits == 8 ? "u" : "b", bits, offset);
  snprintf(constraints, sizeof constraints, "=&%c,l,b,%c,~{memory}", c, c);
  LLVMTypeRef type = LLVMIntTypeInContext(g->e.llvm, wide);
  return gpu_asm(g, type, text, constraints, (llv[]){address, exists, pad}, 3, true);
}

/* A register of 16 bits for a byte. */
static llv store_register(gen *g, unsigned bits, llv x) {
  return bits >= 16 ? x : LLVMBuildZExt(g->e.b, x, LLVMIntTypeInContext(g->e.llvm, 16), "");
}

void nvptx_masked_store(gen *g, unsigned bits, llv address, uint32_t offset, llv exists,
                        const llv *x, unsigned n) {
  llv args[6] = {address, exists};
  sbuf text = SBUF(g->arena), constraints = SBUF(g->arena);
  sbuf_printf(&text, "@$1 st%s", space_name(g));
  if (n > 1) sbuf_printf(&text, ".v%u", n);
  sbuf_printf(&text, ".%s%u [$0+%u], %s", bits == 8 ? "u" : "b", bits, offset, n > 1 ? "{" : "");
  sbuf_puts(&constraints, "l,b");
  for (unsigned k = 0; k < n; k++) {
    args[2 + k] = store_register(g, bits, x[k]);
    sbuf_printf(&text, "%s$%u", k ? ", " : "", 2 + k);
    sbuf_printf(&constraints, ",%c", register_class(MAX(bits, 16)));
  }
  sbuf_puts(&text, n > 1 ? "};" : ";");
  sbuf_puts(&constraints, ",~{memory}");
  gpu_asm(g, g->e.void_, text.data, constraints.data, args, 2 + n, true);
}

void nvptx_replace_bits(gen *g, llv word_address, llv exists, llv keep, llv put) {
  char text[160];
  snprintf(text, sizeof text,
           "@$1 red.relaxed.gpu%s.and.b32 [$0], $2;\n\t"
           "@$1 red.relaxed.gpu%s.or.b32 [$0], $3;",
           space_name(g), space_name(g));
  gpu_asm(g, g->e.void_, text, "l,b,r,r,~{memory}", (llv[]){word_address, exists, keep, put}, 4,
          true);
}

/* ---- accesses in an order ------------------------------------------------------------------- */

static const char *order_name(const ir_op *op) {
  switch (gpu_order_of(op)) {
  case ORDER_ACQUIRE: return ".acquire";
  case ORDER_RELEASE: return ".release";
  case ORDER_ACQ_REL: return ".acq_rel";
  default: return ".relaxed";
  }
}

static const char *scope_name(const gen *g, const ir_op *op) {
  if (g->space == SPACE_SHARED || g->space == SPACE_CLUSTER)
    return ir_has_cluster(g->entry) ? ".cluster" : ".cta";
  if (!ir_has_attr(op, ATTR_memory_scope)) return ".gpu";
  switch (ir_int_attr(op, ATTR_memory_scope)) {
  case SCOPE_TL_BLK: return ".cta";
  case SCOPE_SYS: return ".sys";
  default: return ".gpu";
  }
}

llv nvptx_ordered_load(gen *g, const ir_op *op, unsigned bits, llv address, llv exists, llv pad) {
  unsigned wide = MAX(bits, 16);
  char text[160], constraints[64], c = register_class(wide);
  snprintf(text, sizeof text, "mov.b%u $0, $3;\n\t@$2 ld%s%s%s.%s%u $0, [$1];", wide,
           order_name(op), scope_name(g, op), space_name(g), bits == 8 ? "u" : "b", bits);
  snprintf(constraints, sizeof constraints, "=&%c,l,b,%c,~{memory}", c, c);
  LLVMTypeRef type = LLVMIntTypeInContext(g->e.llvm, wide);
  pad = store_register(g, bits, pad);
  llv x = gpu_asm(g, type, text, constraints, (llv[]){address, exists, pad}, 3, true);
  return wide == bits ? x : LLVMBuildTrunc(g->e.b, x, LLVMIntTypeInContext(g->e.llvm, bits), "");
}

void nvptx_ordered_store(gen *g, const ir_op *op, unsigned bits, llv address, llv exists, llv x) {
  char text[96], constraints[32];
  snprintf(text, sizeof text, "@$1 st%s%s%s.%s%u [$0], $2;", order_name(op), scope_name(g, op),
           space_name(g), bits == 8 ? "u" : "b", bits);
  snprintf(constraints, sizeof constraints, "l,b,%c,~{memory}", register_class(MAX(bits, 16)));
  gpu_asm(g, g->e.void_, text, constraints, (llv[]){address, exists, store_register(g, bits, x)}, 3,
          true);
}

/* ---- atomics -------------------------------------------------------------------------------- */

llv nvptx_compare_and_swap(gen *g, const ir_op *op, unsigned bits, llv address, llv exists,
                           llv expected, llv desired) {
  char text[160], constraints[64], c = register_class(bits);
  snprintf(text, sizeof text, "mov.b%u $0, $3;\n\t@$2 atom%s%s%s.cas.b%u $0, [$1], $3, $4;", bits,
           order_name(op), scope_name(g, op), space_name(g), bits);
  snprintf(constraints, sizeof constraints, "=&%c,l,b,%c,%c,~{memory}", c, c, c);
  return gpu_asm(g, LLVMIntTypeInContext(g->e.llvm, bits), text, constraints,
                 (llv[]){address, exists, expected, desired}, 4, true);
}

/* ".add.u32" … of a mode. */
static void rmw_name(char *out, size_t size, int64_t mode, tsr_elem elem) {
  static const char *const words[] = {
      [RMW_AND] = ".and.b",   [RMW_OR] = ".or.b",   [RMW_XOR] = ".xor.b",  [RMW_ADD] = ".add.u",
      [RMW_MAX] = ".max.s",   [RMW_MIN] = ".min.s", [RMW_UMAX] = ".max.u", [RMW_UMIN] = ".min.u",
      [RMW_XCHG] = ".exch.b", [RMW_ADDF] = ".add.f"};
  if (mode == RMW_ADDF && elem == TSR_F16)
    snprintf(out, size, ".add.noftz.f16");
  else if (mode == RMW_ADDF && elem == TSR_BF16)
    snprintf(out, size, ".add.noftz.bf16");
  else
    snprintf(out, size, "%s%u", words[mode], tsr_elem_bits(elem));
}

llv nvptx_update(gen *g, const ir_op *op, tsr_elem elem, llv address, llv exists, llv x) {
  int64_t mode = ir_int_attr(op, ATTR_mode);
  if (mode == RMW_ADDF && elem == TSR_BF16 && !gpu_can(g->target, GPU_ADD_BF16)) return NULL;
  char name[32], text[192], constraints[64];
  unsigned bits = tsr_elem_bits(elem);
  rmw_name(name, sizeof name, mode, elem);
  snprintf(text, sizeof text, "mov.b%u $0, 0;\n\t@$2 atom%s%s%s%s $0, [$1], $3;", bits,
           order_name(op), scope_name(g, op), space_name(g), name);
  char c = register_class(bits);
  llv operand = gpu_to_memory(g, elem, x);
  LLVMTypeRef integer = LLVMTypeOf(operand);
  if (mode == RMW_ADDF && bits >= 32) { /* registers of floats */
    c = bits == 64 ? 'd' : 'f';
    operand = x;
  }
  snprintf(constraints, sizeof constraints, "=&%c,l,b,%c,~{memory}", c, c);
  LLVMTypeRef type = LLVMTypeOf(operand);
  llv r = gpu_asm(g, type, text, constraints, (llv[]){address, exists, operand}, 3, true);
  return type == integer ? r : LLVMBuildBitCast(g->e.b, r, integer, "");
}
