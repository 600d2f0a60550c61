/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A kernel's function with what LLVM must know of its launches, and its place in the grid.
 */
#include "gpu/amdgcn/entry.h"

#include "gpu/amdgcn/state.h"
#include "gpu/amdgcn/vendor.h"
#include "gpu/code.h"
#include "gpu/kernel.h"
#include "gpu/vendor.h"

static void set_attribute(gen *g, const char *name, const char *text) {
  LLVMAttributeRef a = LLVMCreateStringAttribute(g->e.llvm, name, (unsigned)strlen(name), text,
                                                 (unsigned)strlen(text));
  LLVMAddAttributeAtIndex(g->function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, a);
}

/* A workgroup has exactly so many threads, all in x. */
static void set_threads(gen *g, uint32_t threads) {
  static const char kind[] = "reqd_work_group_size";
  LLVMMetadataRef sizes[] = {LLVMValueAsMetadata(k32(g, threads)), LLVMValueAsMetadata(k32(g, 1)),
                             LLVMValueAsMetadata(k32(g, 1))};
  LLVMGlobalSetMetadata(g->function, LLVMGetMDKindIDInContext(g->e.llvm, kind, sizeof kind - 1),
                        LLVMMDNodeInContext2(g->e.llvm, sizes, ARRAY_LEN(sizes)));
  set_attribute(g, "amdgpu-flat-work-group-size",
                arena_printf(g->arena, "%u,%u", threads, threads));
  set_attribute(g, "uniform-work-group-size", "true");
}

void amdgcn_declare(gen *g, const char *symbol) {
  enum { AMDGPU_KERNEL = 91 /* LLVM's number of the calling convention */ };
  uint32_t n = ir_region(g->entry, 0)->n_args;
  LLVMTypeRef *types = arena_array(g->arena, LLVMTypeRef, MAX(n, 1));
  for (uint32_t i = 0; i < n; i++) types[i] = g->e.i64;
  g->function = LLVMAddFunction(g->e.module, symbol, LLVMFunctionType(g->e.void_, types, n, 0));
  LLVMSetFunctionCallConv(g->function, AMDGPU_KERNEL);
  LLVMSetVisibility(g->function, LLVMProtectedVisibility);
  set_threads(g, gpu_threads(g));
  set_attribute(g, "denormal-fp-math-f32", "ieee,ieee");
}

void amdgcn_body(gen *g) {
  gpu_block(g, ir_region(g->entry, 0));
}

/* The grid's sizes are the first of the hidden arguments, which follow the kernel's own. */
static llv grid_size(gen *g, unsigned dimension) {
  emit *e = &g->e;
  llv hidden = emit_intrinsic(e, "llvm.amdgcn.implicitarg.ptr", NULL, 0, NULL, 0);
  llv offset = k64(g, dimension), at = LLVMBuildGEP2(e->b, e->i32, hidden, &offset, 1, "");
  llv x = LLVMBuildLoad2(e->b, e->i32, at, "");
  LLVMSetAlignment(x, 4);
  return x;
}

llv amdgcn_block_position(gen *g, unsigned dimension, bool is_grid) {
  static const char *const names[] = {"llvm.amdgcn.workgroup.id.x", "llvm.amdgcn.workgroup.id.y",
                                      "llvm.amdgcn.workgroup.id.z"};
  if (is_grid) return grid_size(g, dimension);
  return emit_intrinsic(&g->e, names[dimension], NULL, 0, NULL, 0);
}

bool amdgcn_kernel(gen *g, const char *symbol, amdgcn_result *out, amdgcn_entry *entry) {
  gpu_shared_use shared;
  g->vendor = &amdgcn_vendor;
  g->own = arena_new(g->arena, amdgcn_state);
  *amdgcn_own(g) = (amdgcn_state){.out = out};
  if (!gpu_kernel(g, symbol, &shared)) return false;
  entry->symbol = symbol;
  entry->n_params = ir_region(g->entry, 0)->n_args;
  entry->threads = gpu_threads(g);
  return true;
}
