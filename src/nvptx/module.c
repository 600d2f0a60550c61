/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * LLVM around the lowering: target machine, passes, text. Every compilation has a context of its
 * own, so compilations do not meet.
 */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include <llvm-c/Analysis.h>
#include <llvm-c/Error.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include "nvptx/gen.h"

/* Sharing is all that is left to do (and the variables of bulk.c). Taking index arithmetic out of
 * loops, in particular, costs registers: what is added to an address belongs into the instruction
 * that uses it. */
static const char *const PASSES = "function(mem2reg,early-cse,simplifycfg)";

static double now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

typedef struct unit {
  tsr_context *ctx;
  arena arena;
  emit e;
  LLVMTargetMachineRef machine;
  LLVMBuilderRef start;
  strmap strings;
} unit;

static pthread_once_t target_once = PTHREAD_ONCE_INIT;

static void init_target(void) {
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
}

static bool open_machine(unit *u, const gpu_target *t) {
  static const char triple[] = "nvptx64-nvidia-cuda";
  LLVMTargetRef target;
  char *message = NULL;
  pthread_once(&target_once, init_target);
  if (LLVMGetTargetFromTriple(triple, &target, &message)) {
    diag_error(u->ctx, NOWHERE, "this LLVM cannot make code for NVIDIA GPUs: %s", message);
    LLVMDisposeMessage(message);
    return false;
  }
  u->machine = LLVMCreateTargetMachine(target, triple, t->name, t->isa, LLVMCodeGenLevelDefault,
                                       LLVMRelocDefault, LLVMCodeModelDefault);
  if (!u->machine) diag_error(u->ctx, NOWHERE, "LLVM cannot make code for '%s'", t->name);
  return u->machine != NULL;
}

static void open_unit(unit *u) {
  emit *e = &u->e;
  e->ctx = u->ctx;
  e->arena = &u->arena;
  e->llvm = LLVMContextCreate();
  e->module = LLVMModuleCreateWithNameInContext("kernels", e->llvm);
  e->b = LLVMCreateBuilderInContext(e->llvm);
  u->start = LLVMCreateBuilderInContext(e->llvm);
  e->gpu = true;
  e->vector_bits = 64;
  emit_types(e);
  LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(u->machine);
  LLVMSetModuleDataLayout(e->module, layout);
  LLVMDisposeTargetData(layout);
  LLVMSetTarget(e->module, "nvptx64-nvidia-cuda");
}

static void close_unit(unit *u) {
  if (u->e.b) LLVMDisposeBuilder(u->e.b);
  if (u->start) LLVMDisposeBuilder(u->start);
  if (u->e.module) LLVMDisposeModule(u->e.module);
  if (u->e.llvm) LLVMContextDispose(u->e.llvm);
  if (u->machine) LLVMDisposeTargetMachine(u->machine);
  arena_free(&u->arena);
}

/* ---- names ---------------------------------------------------------------------------------- */

/* A name that PTX allows: letters, digits, '_', '$'; all else as "$2e" of its byte, and what would
 * mean something else behind "$k". The copy lies in `a`. */
static char *symbol_of(arena *a, str name) {
  static const char *const taken[] = {"vprintf", "__assertfail", "WARP_SZ"};
  sbuf out = SBUF(a);
  bool clash = name.len == 0 || (name.data[0] >= '0' && name.data[0] <= '9') ||
               (name.len >= 7 && memcmp(name.data, "tessera", 7) == 0) ||
               (name.len >= 5 && memcmp(name.data, "vmath", 5) == 0) ||
               (name.len >= 4 && memcmp(name.data, "llvm", 4) == 0);
  for (size_t i = 0; i < ARRAY_LEN(taken); i++) clash |= str_is(name, taken[i]);
  if (clash) sbuf_puts(&out, "$k");
  for (size_t i = 0; i < name.len; i++) {
    unsigned char c = (unsigned char)name.data[i];
    bool plain =
        (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    if (plain)
      sbuf_putc(&out, (char)c);
    else
      sbuf_printf(&out, "$%02x", c);
  }
  return out.data;
}

/* ---- compiling ------------------------------------------------------------------------------ */

static simt_target simt_target_of(const nvptx_options *o) {
  return (simt_target){
      .sm = o->target->sm, .shared_bytes = o->target->shared_bytes, .warps = o->warps};
}

static bool lower_kernel(unit *u, ir_module *m, ir_op *entry, const nvptx_options *o,
                         const simt_plan *plan, const char *symbol, nvptx_entry *out) {
  gen *g = arena_new(&u->arena, gen);
  *g = (gen){.e = u->e,
             .ctx = u->ctx,
             .m = m,
             .entry = entry,
             .arena = &u->arena,
             .target = o->target,
             .start = u->start,
             .plan = plan,
             .strings = &u->strings};
  out->op = entry;
  return gpu_kernel(g, symbol, out);
}

/* The plan with a producer, `cluster`: for tile blocks that load together; NULL: there is none. */
static const simt_plan *bulk_plan(unit *u, ir_module *m, ir_op *entry, const nvptx_options *o,
                                  bool cluster) {
  enum { HOPPER = 90 };
  simt_target target = simt_target_of(o);
  target.bulk = true;
  target.cluster = cluster;
  const simt_plan *plan = target.sm == HOPPER ? simt_assign(m, entry, &target, &u->arena) : NULL;
  return plan && plan->bulk ? plan : NULL;
}

/* A further form of an entry, by its plan: its symbol has `suffix`. NULL after a message. */
static nvptx_entry *lower_form(unit *u, ir_module *m, ir_op *entry, const nvptx_options *o,
                               const simt_plan *plan, const char *suffix, arena *keep) {
  nvptx_entry *out = arena_new(keep, nvptx_entry);
  char *symbol = symbol_of(keep, ir_symbol_name(entry));
  if (!lower_kernel(u, m, entry, o, plan, arena_printf(keep, "%s$%s", symbol, suffix), out))
    return NULL;
  simt_tensor_map *maps = arena_array(keep, simt_tensor_map, out->n_maps);
  memcpy(maps, out->maps, out->n_maps * sizeof *maps);
  out->maps = maps;
  return out;
}

static bool lower_entry(unit *u, ir_module *m, ir_op *entry, const nvptx_options *o,
                        nvptx_entry *out, arena *keep) {
  simt_target target = simt_target_of(o);
  const char *symbol = symbol_of(keep, ir_symbol_name(entry));
  const simt_plan *plan = simt_assign(m, entry, &target, &u->arena);
  if (!lower_kernel(u, m, entry, o, plan, symbol, out)) return false;
  plan = bulk_plan(u, m, entry, o, false);
  if (!plan) return true;
  out->bulk = lower_form(u, m, entry, o, plan, "tma", keep);
  plan = out->bulk ? bulk_plan(u, m, entry, o, true) : NULL;
  if (plan) out->bulk->clustered = lower_form(u, m, entry, o, plan, "cluster", keep);
  return out->bulk && (!plan || out->bulk->clustered);
}

static bool report(tsr_context *ctx, const char *what, const char *message) {
  diag_error(ctx, NOWHERE, "internal error: %s: %s; please report the kernel", what, message);
  return false;
}

static bool optimise(unit *u) {
  char *message = NULL;
  if (getenv("TESSERA_DUMP_LLVM")) LLVMDumpModule(u->e.module);
  if (LLVMVerifyModule(u->e.module, LLVMReturnStatusAction, &message)) {
    report(u->ctx, "the code handed to LLVM is not valid", message);
    LLVMDisposeMessage(message);
    return false;
  }
  LLVMDisposeMessage(message);
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
  LLVMErrorRef error = LLVMRunPasses(u->e.module, PASSES, u->machine, options);
  LLVMDisposePassBuilderOptions(options);
  if (!error) return true;
  message = LLVMGetErrorMessage(error);
  report(u->ctx, "LLVM's passes failed", message);
  LLVMDisposeErrorMessage(message);
  return false;
}

static bool write_text(unit *u, nvptx_emit kind, sbuf *out) {
  char *message = NULL;
  if (kind == NVPTX_LLVM) {
    char *text = LLVMPrintModuleToString(u->e.module);
    sbuf_puts(out, text);
    LLVMDisposeMessage(text);
    return true;
  }
  LLVMMemoryBufferRef code = NULL;
  if (LLVMTargetMachineEmitToMemoryBuffer(u->machine, u->e.module, LLVMAssemblyFile, &message,
                                          &code)) {
    report(u->ctx, "LLVM made no code", message);
    LLVMDisposeMessage(message);
    return false;
  }
  sbuf_add(out, LLVMGetBufferStart(code), LLVMGetBufferSize(code));
  LLVMDisposeMemoryBuffer(code);
  return true;
}

static uint32_t count_entries(ir_module *m) {
  uint32_t n = 0;
  for (ir_op *op = ir_region(m->op, 0)->first; op; op = op->next) n += op->opcode == OP_entry;
  return n;
}

static bool emit_in(unit *u, ir_module *m, nvptx_emit kind, const nvptx_options *o,
                    nvptx_result *out) {
  double start = now_ms();
  arena *keep = out->text.arena;
  out->n_entries = 0;
  out->entries = arena_array(keep, nvptx_entry, MAX(count_entries(m), 1));
  if (kind != NVPTX_LAYOUTS) {
    if (!open_machine(u, o->target)) return false;
    open_unit(u);
  }
  for (ir_op *op = ir_region(m->op, 0)->first; op; op = op->next) {
    if (op->opcode != OP_entry) continue;
    nvptx_entry *entry = &out->entries[out->n_entries++];
    *entry = (nvptx_entry){0};
    if (kind == NVPTX_LAYOUTS) {
      simt_target target = simt_target_of(o);
      simt_plan_print(&out->text, simt_assign(m, op, &target, &u->arena), m, op);
      for (unsigned cluster = 0; cluster < 2; cluster++) {
        const simt_plan *bulk = bulk_plan(u, m, op, o, cluster);
        if (bulk) simt_bulk_print(&out->text, bulk->bulk);
      }
    } else if (!lower_entry(u, m, op, o, entry, keep)) {
      return false;
    }
  }
  if (kind == NVPTX_LAYOUTS) return true;
  double lowered = now_ms();
  if (!optimise(u)) return false;
  double optimised = now_ms();
  if (!write_text(u, kind, &out->text)) return false;
  out->lower_ms = lowered - start;
  out->passes_ms = optimised - lowered;
  out->code_ms = now_ms() - optimised;
  if (getenv("TESSERA_COMPILE_TIMES"))
    diag(u->ctx, TSR_REMARK, NOWHERE, "lower %.2f ms, passes %.2f, code %.2f", out->lower_ms,
         out->passes_ms, out->code_ms);
  return true;
}

static bool emit_module(tsr_context *ctx, ir_module *m, nvptx_emit kind,
                        const nvptx_options *options, nvptx_result *out) {
  unit *u = ctx_alloc(ctx, sizeof *u);
  *u = (unit){.ctx = ctx};
  arena_init(&u->arena, ctx);
  TSR_GUARD(ctx, {
    close_unit(u);
    ctx_free(ctx, u, sizeof *u);
    ctx_out_of_memory(ctx);
  });
  bool ok = emit_in(u, m, kind, options, out);
  TSR_UNGUARD(ctx);
  close_unit(u);
  ctx_free(ctx, u, sizeof *u);
  return ok;
}

const nvptx_plugin nvptx_backend = {.emit = emit_module};
