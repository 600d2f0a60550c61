/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * LLVM around the lowering: target machines, passes, and code in memory or as text and objects.
 * Every compilation has a context of its own, so compilations do not meet.
 */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include <llvm-c/Analysis.h>
#include <llvm-c/Error.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include "cpu/lower.h"
#include "exec/code.h"

/* What is emitted is hoisted, unrolled and vectorised already. These passes share what several
 * accesses compute and join blocks; more passes cost milliseconds and gained nothing measurable. */
static const char *const PASSES = "function(early-cse,simplifycfg)";

static double now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* ---- targets -------------------------------------------------------------------------------- */

static pthread_once_t native_once = PTHREAD_ONCE_INIT, aarch64_once = PTHREAD_ONCE_INIT;

static void init_native(void) {
  LLVMInitializeNativeTarget();
  LLVMInitializeNativeAsmPrinter();
}

/* Where LLVM was built with it; if not, LLVMGetTargetFromTriple says so. */
static void init_aarch64(void) {
  void (*starts[8])(void);
  unsigned n = 0;
#define LLVM_TARGET(name)                                                                          \
  if (strcmp(#name, "AArch64") == 0) {                                                             \
    starts[n++] = LLVMInitialize##name##TargetInfo;                                                \
    starts[n++] = LLVMInitialize##name##Target;                                                    \
    starts[n++] = LLVMInitialize##name##TargetMC;                                                  \
  }
#include <llvm/Config/Targets.def>
#define LLVM_ASM_PRINTER(name)                                                                     \
  if (strcmp(#name, "AArch64") == 0) starts[n++] = LLVMInitialize##name##AsmPrinter;
#include <llvm/Config/AsmPrinters.def>
  for (unsigned i = 0; i < n; i++) starts[i]();
}

/* The triple; LLVMDisposeMessage frees it. */
static char *triple_of(const cpu_options *o) {
  bool is_host = o->arch == CPU_HOST;
#if defined(__aarch64__)
  is_host |= o->arch == CPU_AARCH64;
#elif defined(__x86_64__)
  is_host |= o->arch == CPU_X86_64;
#endif
  pthread_once(is_host ? &native_once : &aarch64_once, is_host ? init_native : init_aarch64);
  return is_host ? LLVMGetDefaultTargetTriple() : LLVMCreateMessage("aarch64-unknown-linux-gnu");
}

/* Features are named one by one, so that code is the same wherever it is made. */
static void cpu_name(const cpu_options *o, const char **cpu, sbuf *features) {
  if (cpu_is_aarch64(o)) {
    *cpu = "generic";
    sbuf_puts(features, "+neon");
    if (o->bf16) sbuf_puts(features, ",+bf16");
    if (o->dotprod) sbuf_puts(features, ",+dotprod");
    if (o->i8mm) sbuf_puts(features, ",+i8mm");
    return;
  }
  static const char *const names[CPU_LEVEL_COUNT] = {"x86-64", "x86-64-v3", "x86-64-v4"};
  *cpu = names[o->level];
  sbuf_puts(features, o->level == CPU_AVX512 ? "-prefer-256-bit" : "+cmov");
  if (o->level == CPU_AVX512 && o->bf16) sbuf_puts(features, ",+avx512bf16");
  if (o->level == CPU_AVX512 && o->vnni) sbuf_puts(features, ",+avx512vnni");
  if (o->level == CPU_AVX512 && o->fp16) sbuf_puts(features, ",+avx512fp16");
}

static LLVMTargetMachineRef new_machine(tsr_context *ctx, arena *a, const cpu_options *o) {
  static const LLVMCodeGenOptLevel levels[] = {LLVMCodeGenLevelNone, LLVMCodeGenLevelLess,
                                               LLVMCodeGenLevelDefault, LLVMCodeGenLevelDefault};
  char *triple = triple_of(o), *message = NULL;
  LLVMTargetRef target;
  if (LLVMGetTargetFromTriple(triple, &target, &message)) {
    diag_error(ctx, NOWHERE, "LLVM cannot make code for %s: %s", triple, message);
    LLVMDisposeMessage(message);
    LLVMDisposeMessage(triple);
    return NULL;
  }
  sbuf features = SBUF(a);
  const char *cpu;
  cpu_name(o, &cpu, &features);
  LLVMTargetMachineRef machine =
      LLVMCreateTargetMachine(target, triple, cpu, features.data ? features.data : "",
                              levels[o->opt_level & 3], LLVMRelocPIC, LLVMCodeModelDefault);
  LLVMDisposeMessage(triple);
  if (!machine) diag_error(ctx, NOWHERE, "LLVM cannot make code for the processor '%s'", cpu);
  return machine;
}

/* ---- modules -------------------------------------------------------------------------------- */

typedef struct unit {
  tsr_context *ctx;
  arena arena;
  emit e;
  LLVMTargetMachineRef machine;
  LLVMBuilderRef start_builder; /* of the kernel under way; see lower.h */
  lower *lower;                 /* the last; NULL: none yet */
} unit;

static void open_unit(unit *u, const cpu_options *o) {
  static const unsigned bits[CPU_LEVEL_COUNT] = {128, 256, 512};
  emit *e = &u->e;
  e->ctx = u->ctx;
  e->arena = &u->arena;
  e->llvm = LLVMContextCreate();
  e->module = LLVMModuleCreateWithNameInContext("kernels", e->llvm);
  e->b = LLVMCreateBuilderInContext(e->llvm);
  u->start_builder = LLVMCreateBuilderInContext(e->llvm);
  e->options = *o;
  e->arm = cpu_is_aarch64(o);
  e->vector_bits = e->arm ? 128 : bits[o->level];
  emit_types(e);
  LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(u->machine);
  LLVMSetModuleDataLayout(e->module, layout);
  LLVMDisposeTargetData(layout);
  char *triple = LLVMGetTargetMachineTriple(u->machine);
  LLVMSetTarget(e->module, triple);
  LLVMDisposeMessage(triple);
}

static void free_profile(tsr_context *ctx, cpu_profile_group *first) {
  for (cpu_profile_group *g = first, *next; g; g = next) {
    next = g->next;
    ctx_free(ctx, g, sizeof *g);
  }
}

static void close_unit(unit *u) {
  if (u->lower) free_profile(u->ctx, u->lower->profile);
  if (u->e.b) LLVMDisposeBuilder(u->e.b);
  if (u->start_builder) LLVMDisposeBuilder(u->start_builder);
  if (u->e.module) LLVMDisposeModule(u->e.module);
  if (u->e.llvm) LLVMContextDispose(u->e.llvm);
  if (u->machine) LLVMDisposeTargetMachine(u->machine);
  arena_free(&u->arena);
}

static bool lower_entry(unit *u, ir_module *m, ir_op *entry, const char *symbol, cpu_kernel *out) {
  lower *l = arena_new(&u->arena, lower);
  l->e = u->e;
  l->ctx = u->ctx;
  l->m = m;
  l->entry = entry;
  l->symbol = symbol;
  l->arena = &u->arena;
  l->start_builder = u->start_builder;
  u->lower = l;
  bool ok = lower_kernel(l);
  u->e.names = l->e.names;
  out->sizes = (cpu_sizes){.scratch_bytes = l->scratch_bytes,
                           .keys_bytes = l->keys_bytes,
                           .along_y = grid_runs_along_y(l)};
  out->profile = l->profile; /* the kernel's now */
  l->profile = NULL;
  return ok;
}

static bool report(tsr_context *ctx, const char *what, char *message) {
  diag_error(ctx, NOWHERE, "internal error: %s: %s; please report the kernel", what, message);
  return false;
}

/* ---- a store that LLVM gets wrong ----------------------------------------------------------- */

/* The only lane that a constant mask has; -1 when it is not constant, or has none or more. */
static int only_lane(LLVMValueRef mask) {
  int lane = -1;
  if (!LLVMIsConstant(mask)) return -1;
  for (unsigned i = 0; i < LLVMGetVectorSize(LLVMTypeOf(mask)); i++) {
    LLVMValueRef bit = LLVMGetAggregateElement(mask, i);
    if (!bit || !LLVMIsAConstantInt(bit)) return -1;
    if (!LLVMConstIntGetZExtValue(bit)) continue;
    if (lane >= 0) return -1;
    lane = (int)i;
  }
  return lane;
}

static void store_lane(unit *u, LLVMValueRef call, unsigned lane) {
  LLVMValueRef v = LLVMGetOperand(call, 0), at = LLVMConstInt(u->e.i64, lane, 0);
  LLVMPositionBuilderBefore(u->e.b, call);
  LLVMTypeRef elem = LLVMGetElementType(LLVMTypeOf(v));
  LLVMValueRef to = LLVMBuildGEP2(u->e.b, elem, LLVMGetOperand(call, 1), &at, 1, "");
  LLVMValueRef part = LLVMBuildExtractElement(u->e.b, v, at, "");
  LLVMSetAlignment(LLVMBuildStore(u->e.b, part, to), 1);
  LLVMInstructionEraseFromParent(call);
}

/* LLVM 22 turns a masked store of one lane into a plain store, at AVX-512 of too many bytes when
 * the vector was truncated (i64 to i32, say): what lies behind is overwritten. So we do it. */
static void store_single_lanes(unit *u) {
  LLVMValueRef f = LLVMGetFirstFunction(u->e.module);
  for (; f; f = LLVMGetNextFunction(f)) {
    size_t length;
    if (strncmp(LLVMGetValueName2(f, &length), "llvm.masked.store.", 18) != 0) continue;
    for (LLVMUseRef use = LLVMGetFirstUse(f), next; use; use = next) {
      next = LLVMGetNextUse(use);
      LLVMValueRef call = LLVMGetUser(use);
      int lane = only_lane(LLVMGetOperand(call, 2));
      if (lane >= 0) store_lane(u, call, (unsigned)lane);
    }
  }
}

static bool run_passes(unit *u) {
  if (u->e.options.opt_level == 0) return true;
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
  LLVMErrorRef error = LLVMRunPasses(u->e.module, PASSES, u->machine, options);
  LLVMDisposePassBuilderOptions(options);
  if (!error) return true;
  char *message = LLVMGetErrorMessage(error);
  report(u->ctx, "LLVM's passes failed", message);
  LLVMDisposeErrorMessage(message);
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
  if (!run_passes(u)) return false;
  store_single_lanes(u); /* behind the passes, which make masks constant */
  return true;
}

static LLVMMemoryBufferRef generate(unit *u, LLVMCodeGenFileType kind) {
  LLVMMemoryBufferRef out = NULL;
  char *message = NULL;
  if (!LLVMTargetMachineEmitToMemoryBuffer(u->machine, u->e.module, kind, &message, &out))
    return out;
  report(u->ctx, "LLVM made no code", message);
  LLVMDisposeMessage(message);
  return NULL;
}

/* ---- code in memory ------------------------------------------------------------------------- */

/* Code in memory, which goes with the last of its kernels. */
typedef struct loaded {
  tsr_context *ctx;
  LLVMMemoryBufferRef object;
  exec_code code;
  unsigned kernels;
} loaded;

/* Takes the object. */
static bool load(tsr_context *ctx, LLVMMemoryBufferRef object, unsigned n,
                 const char *const *symbols, void **entries, cpu_kernel *out) {
  const char *bytes = LLVMGetBufferStart(object);
  size_t size = LLVMGetBufferSize(object);
  loaded *owner = ctx_try_alloc(ctx, sizeof *owner);
  if (!owner) {
    LLVMDisposeMemoryBuffer(object);
    ctx_out_of_memory(ctx);
  }
  *owner = (loaded){.ctx = ctx, .object = object, .kernels = n};
  const char *wrong = exec_code_load_all(bytes, size, n, symbols, entries, &owner->code);
  if (wrong) {
    diag_error(ctx, NOWHERE, "the compiled code cannot be loaded: it %s", wrong);
    LLVMDisposeMemoryBuffer(object);
    ctx_free(ctx, owner, sizeof *owner);
    return false;
  }
  for (unsigned i = 0; i < n; i++) {
    out[i].run = (rt_block_fn)(uintptr_t)entries[i];
    out[i].owner = owner;
  }
  if (n == 1) out->object = (str){bytes, size};
  return true;
}

static void release_kernel(cpu_kernel *kernel) {
  loaded *owner = kernel->owner;
  if (!owner) return;
  free_profile(owner->ctx, kernel->profile);
  *kernel = (cpu_kernel){0};
  if (__atomic_sub_fetch(&owner->kernels, 1, __ATOMIC_ACQ_REL)) return;
  exec_code_unload(&owner->code);
  LLVMDisposeMemoryBuffer(owner->object);
  ctx_free(owner->ctx, owner, sizeof *owner);
}

static bool compile_in(unit *u, ir_module *m, ir_op *const *entries, unsigned n,
                       const cpu_options *o, cpu_kernel *out) {
  double start = now_ms();
  u->machine = new_machine(u->ctx, &u->arena, o);
  if (!u->machine) return false;
  open_unit(u, o);
  const char **symbols = arena_array(&u->arena, const char *, n);
  void **code = arena_array(&u->arena, void *, n);
  for (unsigned i = 0; i < n; i++) {
    symbols[i] = i ? arena_printf(&u->arena, CPU_SYMBOL "_%u", i) : CPU_SYMBOL;
    if (!lower_entry(u, m, entries[i], symbols[i], &out[i])) return false;
  }
  double lowered = now_ms();
  if (!optimise(u)) return false;
  double optimised = now_ms();
  LLVMMemoryBufferRef object = generate(u, LLVMObjectFile);
  if (!object) return false;
  double generated = now_ms();
  if (!load(u->ctx, object, n, symbols, code, out)) return false;
  for (unsigned i = 0; i < n; i++) out[i].compile_ms = now_ms() - start;
  if (getenv("TESSERA_COMPILE_TIMES"))
    diag(u->ctx, TSR_REMARK, NOWHERE, "lower %.2f ms, passes %.2f, code %.2f, load %.2f",
         lowered - start, optimised - lowered, generated - optimised, now_ms() - generated);
  return true;
}

static void free_profiles(tsr_context *ctx, unsigned n, cpu_kernel *kernels) {
  for (unsigned i = 0; i < n; i++) {
    free_profile(ctx, kernels[i].profile);
    kernels[i].profile = NULL;
  }
}

bool cpu_compile(tsr_context *ctx, ir_module *m, ir_op *const *entries, unsigned n,
                 const cpu_options *options, cpu_kernel *out) {
  unit *u = ctx_alloc(ctx, sizeof *u);
  *u = (unit){.ctx = ctx};
  memset(out, 0, n * sizeof *out);
  arena_init(&u->arena, ctx);
  TSR_GUARD(ctx, {
    close_unit(u);
    free_profiles(ctx, n, out);
    ctx_free(ctx, u, sizeof *u);
    ctx_out_of_memory(ctx);
  });
  bool ok = compile_in(u, m, entries, n, options, out);
  TSR_UNGUARD(ctx);
  close_unit(u);
  if (!ok) free_profiles(ctx, n, out);
  ctx_free(ctx, u, sizeof *u);
  return ok;
}

static bool compile_kernel(tsr_context *ctx, ir_module *m, ir_op *entry, const cpu_options *options,
                           cpu_kernel *out) {
  return cpu_compile(ctx, m, &entry, 1, options, out);
}

/* ---- code in files -------------------------------------------------------------------------- */

typedef struct emission {
  ir_module *module;
  ir_op *entry; /* the only one, for a cache, its function named CPU_SYMBOL; NULL: all, by name */
  tsr_emit kind;
  const cpu_options *options;
  cpu_sizes *sizes; /* of `entry` */
  sbuf *out;
} emission;

/* The symbol is the kernel's name, which must not mean something else to LLVM or to us. */
static bool emit_entry(unit *u, ir_module *m, ir_op *entry) {
  str name = ir_symbol_name(entry);
  const char *symbol = arena_strndup(&u->arena, name.data, name.len);
  bool reserved = strncmp(symbol, "llvm.", 5) == 0 || strncmp(symbol, "mma.", 4) == 0 ||
                  strcmp(symbol, "memcpy") == 0 || strcmp(symbol, "memset") == 0;
  if (reserved || strlen(symbol) != name.len) {
    ir_error(m, entry,
             "the kernel's name cannot be the name of a function in an object file; "
             "rename it");
    return false;
  }
  cpu_kernel made;
  return lower_entry(u, m, entry, symbol, &made);
}

static bool emit_entries(unit *u, const emission *x) {
  if (x->entry) {
    cpu_kernel made = {0};
    if (!lower_entry(u, x->module, x->entry, CPU_SYMBOL, &made)) return false;
    free_profile(u->ctx, made.profile);
    *x->sizes = made.sizes;
    return true;
  }
  ir_block *body = ir_region(x->module->op, 0);
  for (ir_op *op = body->first; op; op = op->next)
    if (op->opcode == OP_entry && !emit_entry(u, x->module, op)) return false;
  return true;
}

static bool emit_in(unit *u, const emission *x) {
  u->machine = new_machine(u->ctx, &u->arena, x->options);
  if (!u->machine) return false;
  open_unit(u, x->options);
  if (!emit_entries(u, x) || !optimise(u)) return false;
  if (x->kind == TSR_EMIT_LLVM) {
    char *text = LLVMPrintModuleToString(u->e.module);
    sbuf_puts(x->out, text);
    LLVMDisposeMessage(text);
    return true;
  }
  LLVMMemoryBufferRef code =
      generate(u, x->kind == TSR_EMIT_ASM ? LLVMAssemblyFile : LLVMObjectFile);
  if (!code) return false;
  sbuf_add(x->out, LLVMGetBufferStart(code), LLVMGetBufferSize(code));
  LLVMDisposeMemoryBuffer(code);
  return true;
}

static bool emit_code(tsr_context *ctx, const emission *x) {
  unit *u = ctx_alloc(ctx, sizeof *u);
  *u = (unit){.ctx = ctx};
  arena_init(&u->arena, ctx);
  TSR_GUARD(ctx, {
    close_unit(u);
    ctx_free(ctx, u, sizeof *u);
    ctx_out_of_memory(ctx);
  });
  bool ok = emit_in(u, x);
  TSR_UNGUARD(ctx);
  close_unit(u);
  ctx_free(ctx, u, sizeof *u);
  return ok;
}

static bool compile_object(tsr_context *ctx, ir_module *m, ir_op *entry, const cpu_options *options,
                           cpu_sizes *sizes, sbuf *out) {
  return emit_code(ctx, &(emission){m, entry, TSR_EMIT_OBJECT, options, sizes, out});
}

static bool emit_module(tsr_context *ctx, ir_module *m, tsr_emit kind, const cpu_options *options,
                        sbuf *out) {
  return emit_code(ctx, &(emission){m, NULL, kind, options, NULL, out});
}

/* ---- the door ------------------------------------------------------------------------------- */

const cpu_plugin *tsr_llvm_plugin(void);
extern const struct nvptx_plugin nvptx_backend;

__attribute__((visibility("default"))) const cpu_plugin *tsr_llvm_plugin(void) {
  static const cpu_plugin plugin = {
      .build_id = TSR_BUILD_ID,
      .compile = compile_kernel,
      .release = release_kernel,
      .object = compile_object,
      .emit = emit_module,
      .nvptx = &nvptx_backend,
  };
  return &plugin;
}
