/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * From a module's kernels to a code object: the target, what LLVM is to do (llvm/unit.h), names.
 */
#include <pthread.h>
#include <stdlib.h>

#include <llvm-c/Target.h>

#include "gpu/amdgcn/entry.h"
#include "gpu/amdgcn/finish.h"
#include "gpu/amdgcn/link.h"
#include "gpu/block/stated.h"
#include "gpu/code.h"
#include "gpu/kernel.h"
#include "gpu/placement.h"
#include "llvm/unit.h"
#include "opt/prepare.h"
#include "simt/amd/amd.h"

/* Functions of the module go to where they are called: calls would take a stack. A loop's condition
 * goes to its end, so that what an iteration leaves is what behind the loop is looked at. What is
 * computed for one store goes there. */
static const char PASSES[] =
    "always-inline,globaldce,"
    "function(mem2reg,early-cse,instcombine<no-verify-fixpoint>,early-cse,simplifycfg,dce,"
    "loop-simplify,lcssa,loop(loop-rotate),simplifycfg,instcombine<no-verify-fixpoint>,sink)";

/* Which registers a wave begins with the attributor finds out. */
static const char LAST_PASSES[] = "amdgpu-attributor";

static pthread_once_t target_once = PTHREAD_ONCE_INIT;

static void init_target(void) {
  LLVMInitializeAMDGPUTargetInfo();
  LLVMInitializeAMDGPUTarget();
  LLVMInitializeAMDGPUTargetMC();
  LLVMInitializeAMDGPUAsmPrinter();
  LLVMInitializeAMDGPUAsmParser(); /* of inline assembly */
}

static bool open_for(unit *u, const gpu_target *t) {
  pthread_once(&target_once, init_target);
  unit_target target = {.triple = "amdgcn-amd-amdhsa",
                        .cpu = t->name,
                        .features = t->features,
                        .level = LLVMCodeGenLevelDefault,
                        .relocation = LLVMRelocPIC};
  if (!unit_open(u, &target)) return false;
  u->e.gpu = u->e.amd = true;
  u->e.vector_bits = 64;
  return true;
}

/* ---- compiling ------------------------------------------------------------------------------ */

typedef struct job {
  unit *u;
  ir_module *module;
  amdgcn_emit kind;
  const amdgcn_options *options;
  amdgcn_result *out;
  uint32_t n_strings;
  strmap strings; /* texts that are in LLVM's module already */
} job;

static const simt_plan *plan_of(job *j, ir_op *entry) {
  simt_target target = {.gpu = j->options->target, .vendor = &simt_amd, .warps = j->options->warps};
  return simt_assign(j->module, entry, &target, &j->u->arena);
}

static bool lower_entry(job *j, ir_op *entry, amdgcn_entry *out) {
  unit *u = j->u;
  gen *g = arena_new(&u->arena, gen);
  *g = (gen){.e = u->e,
             .ctx = u->ctx,
             .m = j->module,
             .entry = entry,
             .arena = &u->arena,
             .target = j->options->target,
             .start = u->start,
             .strings = &j->strings,
             .n_strings = &j->n_strings};
  if (!gpu_is_stated(entry))
    gpu_follow_plan(g, plan_of(j, entry));
  else if (!gpu_follow_types(g))
    return false;
  char *symbol = gpu_symbol(j->out->text.arena, ir_symbol_name(entry), false);
  return amdgcn_kernel(g, symbol, j->out, out);
}

static bool lower_next(job *j, ir_op *op) {
  bool stated = gpu_is_stated(op);
  amdgcn_entry *entry = &j->out->entries[j->out->n_entries++];
  *entry = (amdgcn_entry){.op = op};
  if (j->kind != AMDGCN_LAYOUTS) return lower_entry(j, op, entry);
  if (!stated) simt_plan_print(&j->out->text, plan_of(j, op), j->module, op);
  return true;
}

static bool lower_all(job *j) {
  double start = unit_now_ms();
  for (ir_op *op = ir_region(j->module->op, 0)->first; op; op = op->next)
    if (op->opcode == OP_entry && !lower_next(j, op)) return false;
  j->out->lower_ms = unit_now_ms() - start;
  return true;
}

/* ---- LLVM's part ---------------------------------------------------------------------------- */

static void set_attribute(unit *u, LLVMValueRef f, const char *name, bool there) {
  unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
  LLVMAttributeIndex at = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
  LLVMRemoveEnumAttributeAtIndex(f, at, kind);
  if (there) LLVMAddAttributeAtIndex(f, at, LLVMCreateEnumAttribute(u->e.llvm, kind, 0));
}

/* What other objects might see is this object's own nevertheless: no table of addresses is needed
 * to reach it. */
static void hide_variables(unit *u) {
  LLVMValueRef v = LLVMGetFirstGlobal(u->e.module);
  for (; v; v = LLVMGetNextGlobal(v))
    if (LLVMGetLinkage(v) == LLVMExternalLinkage) LLVMSetVisibility(v, LLVMProtectedVisibility);
}

static void prepare_module(unit *u) {
  hide_variables(u);
  LLVMValueRef f = LLVMGetFirstFunction(u->e.module);
  for (; f; f = LLVMGetNextFunction(f)) {
    if (LLVMIsDeclaration(f) || LLVMGetLinkage(f) != LLVMInternalLinkage) continue;
    set_attribute(u, f, "noinline", false);
    set_attribute(u, f, "alwaysinline", true);
  }
}

static bool write_object(job *j) {
  LLVMMemoryBufferRef code = unit_hold_code(j->u, LLVMObjectFile);
  if (!code) return false;
  str object = {LLVMGetBufferStart(code), LLVMGetBufferSize(code)};
  const char *problem = amdgcn_link(&j->u->arena, object, &j->out->text);
  unit_drop_code(j->u);
  if (problem)
    diag_error(j->u->ctx, NOWHERE,
               "internal error: LLVM's object cannot be linked: %s; please report the kernel",
               problem);
  return !problem;
}

static void finish_kernels(job *j) {
  LLVMValueRef f = LLVMGetFirstFunction(j->u->e.module);
  for (; f; f = LLVMGetNextFunction(f))
    if (!LLVMIsDeclaration(f)) amdgcn_finish(j->u, f, j->options->target);
}

static bool generate(job *j) {
  double start = unit_now_ms();
  prepare_module(j->u);
  if (!unit_optimise(j->u, PASSES)) return false;
  finish_kernels(j);
  if (!unit_optimise(j->u, LAST_PASSES)) return false;
  double optimised = unit_now_ms();
  j->out->passes_ms = optimised - start;
  bool ok =
      j->kind == AMDGCN_OBJECT
          ? write_object(j)
          : unit_write(j->u, j->kind == AMDGCN_LLVM ? UNIT_LLVM : UNIT_ASSEMBLY, &j->out->text);
  j->out->code_ms = unit_now_ms() - optimised;
  return ok;
}

static uint32_t count_entries(ir_module *m) {
  uint32_t n = 0;
  for (ir_op *op = ir_region(m->op, 0)->first; op; op = op->next) n += op->opcode == OP_entry;
  return n;
}

static bool emit_in(unit *u, void *user) {
  job *j = user;
  amdgcn_result *out = j->out;
  j->u = u;
  out->n_entries = 0;
  out->entries = arena_array(out->text.arena, amdgcn_entry, MAX(count_entries(j->module), 1));
  out->lower_ms = out->passes_ms = out->code_ms = 0;
  if (!open_for(u, j->options->target) || !lower_all(j)) return false;
  if (j->kind == AMDGCN_LAYOUTS) return true;
  if (!generate(j)) return false;
  if (getenv("TESSERA_COMPILE_TIMES"))
    diag(u->ctx, TSR_REMARK, NOWHERE, "lower %.2f ms, passes %.2f, code %.2f", out->lower_ms,
         out->passes_ms, out->code_ms);
  return true;
}

static bool emit_prepared(ir_module *m, job *j, arena *a, ir_module *volatile *copy) {
  uint32_t n = 0, count = count_entries(m);
  ir_op **entries = arena_array(a, ir_op *, count + 1),
        **copies = arena_array(a, ir_op *, count + 1);
  for (ir_op *op = ir_region(m->op, 0)->first; op; op = op->next)
    if (op->opcode == OP_entry) entries[n++] = op;
  j->module = *copy = opt_prepare(m, entries, n, NULL, copies, NULL);
  if (!j->module) return false;
  bool ok = unit_run(m->ctx, emit_in, j);
  for (uint32_t i = 0; ok && i < j->out->n_entries; i++) j->out->entries[i].op = entries[i];
  return ok;
}

static bool emit_module(tsr_context *ctx, ir_module *m, amdgcn_emit kind,
                        const amdgcn_options *options, amdgcn_result *out) {
  arena a;
  ir_module *volatile copy = NULL;
  arena_init(&a, ctx);
  TSR_GUARD(ctx, {
    ir_module_destroy(copy);
    arena_free(&a);
    ctx_unwind(ctx);
  });
  bool ok = emit_prepared(m, &(job){.kind = kind, .options = options, .out = out}, &a, &copy);
  TSR_UNGUARD(ctx);
  ir_module_destroy(copy);
  arena_free(&a);
  return ok;
}

const amdgcn_backend amdgcn_llvm = {.emit = emit_module};
