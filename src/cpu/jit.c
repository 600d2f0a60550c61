/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * From a kernel to code in memory or in a file: targets, what LLVM is to do (unit.h), and the
 * plugin's functions.
 */
#include <pthread.h>
#include <stdlib.h>

#include <llvm-c/Target.h>

#include "text/text.h"
#include "exec/code.h"
#include "opt/one_device.h"
#include "opt/opt.h"
#include "opt/prepare.h"
#include "block/erase.h"
#include "llvm/split.h"
#include "llvm/unit.h"

#include "cpu/memory/write_prefetch.h"
#include "cpu/plan/grid.h"
#include "cpu/plan/print.h"
#include "cpu/plan/scratch.h"
#include "cpu/lower/lower.h"

/* What is emitted is hoisted, unrolled and vectorised already. These passes drop what nobody needed
 * in the end, share what several accesses compute and join blocks; more passes cost milliseconds
 * and gained nothing measurable. */
static const char *const PASSES = "function(dce,early-cse,simplifycfg)";

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

/* NULL: the host's. */
static const char *triple_of(const cpu_options *o) {
  bool is_host = o->isa.arch == CPU_HOST;
#if defined(__aarch64__)
  is_host |= o->isa.arch == CPU_AARCH64;
#elif defined(__x86_64__)
  is_host |= o->isa.arch == CPU_X86_64;
#endif
  pthread_once(is_host ? &native_once : &aarch64_once, is_host ? init_native : init_aarch64);
  return is_host ? NULL : "aarch64-unknown-linux-gnu";
}

/* Features are named one by one, so that code is the same wherever it is made. */
static void cpu_name(const cpu_options *o, const char **cpu, sbuf *features) {
  if (cpu_is_aarch64(&o->isa)) {
    *cpu = "generic";
    sbuf_puts(features, "+neon");
    if (o->isa.bf16) sbuf_puts(features, ",+bf16");
    if (o->isa.dotprod) sbuf_puts(features, ",+dotprod");
    if (o->isa.i8mm) sbuf_puts(features, ",+i8mm");
    return;
  }
  static const char *const names[CPU_LEVEL_COUNT] = {"x86-64", "x86-64-v3", "x86-64-v4"};
  *cpu = names[o->isa.level];
  sbuf_puts(features, o->isa.level == CPU_AVX512 ? "-prefer-256-bit" : "+cmov");
  if (o->isa.level == CPU_AVX512 && o->isa.bf16) sbuf_puts(features, ",+avx512bf16");
  if (o->isa.level == CPU_AVX512 && o->isa.vnni) sbuf_puts(features, ",+avx512vnni");
  if (o->isa.level == CPU_AVX2 && o->isa.vnni) sbuf_puts(features, ",+avxvnni");
  if (o->isa.level == CPU_AVX512 && o->isa.fp16) sbuf_puts(features, ",+avx512fp16");
  if (o->isa.level == CPU_AVX512 && o->isa.vbmi) sbuf_puts(features, ",+avx512vbmi");
}

static bool open_for(unit *u, const cpu_options *o) {
  static const LLVMCodeGenOptLevel levels[] = {LLVMCodeGenLevelNone, LLVMCodeGenLevelLess,
                                               LLVMCodeGenLevelDefault, LLVMCodeGenLevelDefault};
  static const unsigned bits[CPU_LEVEL_COUNT] = {128, 256, 512};
  sbuf features = SBUF(&u->arena);
  unit_target target = {
      .triple = triple_of(o), .level = levels[o->opt_level & 3], .relocation = LLVMRelocPIC};
  /* Scalars, addresses and branches need no search for the best instructions: vectors, of which
   * the inner loops are made, get one as before, and the registers are shared out as before. */
  target.fast_selection = !cpu_is_aarch64(&o->isa);
  cpu_name(o, &target.cpu, &features);
  target.features = features.data;
  if (!unit_open(u, &target)) return false;
  u->e.isa = o->isa;
  u->e.core = o->core;
  u->e.arm = cpu_is_aarch64(&o->isa);
  u->e.vector_bits = u->e.arm ? 128 : bits[o->isa.level];
  return true;
}

/* ---- kernels -------------------------------------------------------------------------------- */

/* A compilation: of `n` kernels to memory, or to a file. */
typedef struct job {
  ir_module *module;
  ir_op *const *entries;
  unsigned n;
  const cpu_options *options;
  cpu_kernel *out; /* `n` of them */
  /* To a file: */
  unit_form form;
  bool by_name; /* functions are named as the kernels, and not CPU_SYMBOL */
  sbuf *text;
  bool notes;       /* to be printed in place of code */
  const map *names; /* of values, for these */
} job;

static void free_profile(tsr_context *ctx, cpu_profile_group *first) {
  for (cpu_profile_group *g = first, *next; g; g = next) {
    next = g->next;
    ctx_free(ctx, g, sizeof *g);
  }
}

static void free_profiles(tsr_context *ctx, job *j) {
  for (unsigned i = 0; i < j->n; i++) {
    free_profile(ctx, j->out[i].profile);
    j->out[i].profile = NULL;
  }
}

static bool lower_entry(unit *u, const job *j, unsigned index, const char *symbol) {
  lower *l = arena_new(&u->arena, lower);
  cpu_kernel *out = &j->out[index];
  l->e = u->e;
  l->options = j->options;
  l->ctx = u->ctx;
  l->m = j->module;
  l->entry = j->entries[index];
  l->symbol = symbol;
  l->arena = &u->arena;
  l->start_builder = u->start;
  l->profile = &out->profile;
  if (j->names) notes_begin(l, j->names);
  l->order = grid_order_of(l);
  bool ok = lower_kernel(l);
  u->e.names = l->e.names;
  if (ok && j->names) print_notes(j->text, l);
  out->sizes = (cpu_sizes){.along_y = l->order.along_y,
                           .band = l->order.band,
                           .hooks = l->hooks_used,
                           .streams = l->streams};
  scratch_sizes(l, &out->sizes.scratch_bytes, &out->sizes.keys_bytes);
  return ok;
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
 * the vector was truncated (i64 to i32, say): what follows is overwritten. So we do it. */
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

static const char *passes_of(const cpu_options *o) {
  return o->opt_level ? PASSES : NULL;
}

/* ---- several modules ------------------------------------------------------------------------ */

/* As many objects as can be loaded together. The first is that of the kernels. */
typedef struct crew {
  const cpu_options *options;
  unit *units[EXEC_CODE_OBJECTS];
  const char
      *names[EXEC_CODE_OBJECTS]; /* of those for the object cache; NULL: it is the kernel's alone */
  unit_crew all;                 /* of the units */
  split_crew split;
  str found[EXEC_CODE_OBJECTS]; /* in the object cache */
  unsigned n_found;
} crew;

static unsigned room_in(const crew *c) {
  return EXEC_CODE_OBJECTS - c->all.n - c->n_found;
}

static unit *take_unit(void *user) {
  crew *c = user;
  if (!room_in(c)) return NULL;
  unit *fork = unit_fork(c->units[0]);
  if (!open_for(fork, c->options)) return NULL;
  c->units[c->all.n++] = fork;
  return fork;
}

static bool outline_to_object(void *user, const char *name, emit **destination) {
  crew *c = user;
  const cpu_object_cache *cache = c->options->object_cache;
  if (!room_in(c)) return false;
  str object = cache ? cache->find(cache->user, name) : (str){0};
  if (object.len) {
    c->found[c->n_found++] = object;
    return true;
  }
  unit *fork = take_unit(c);
  if (!fork) return false;
  c->names[c->all.n - 1] = name;
  *destination = &fork->e;
  return true;
}

static bool divide(void *user) {
  return split_units(&((crew *)user)->split);
}

/* Masks are constant after the passes, which find nothing in micro-kernels. */
static bool compile_crew(crew *c) {
  c->split = (split_crew){.units = c->units,
                          .n = c->all.n,
                          .room = room_in(c),
                          .threads = c->options->compilers,
                          .fork = take_unit,
                          .user = c};
  c->all.room = split_look(&c->split);
  if (c->all.room) c->all.divide = divide;
  c->all.passes = passes_of(c->options);
  return unit_compile_all(&c->all);
}

static str code_of(const unit *u) {
  return (str){LLVMGetBufferStart(u->code), LLVMGetBufferSize(u->code)};
}

static void put_in_object_cache(const crew *c) {
  const cpu_object_cache *cache = c->options->object_cache;
  for (unsigned i = 0; cache && i < c->all.n; i++)
    if (c->names[i]) cache->store(cache->user, c->names[i], code_of(c->units[i]));
}

static void put_object(sbuf *all, str object) {
  while (all->len % EXEC_CODE_ALIGN) sbuf_putc(all, 0);
  sbuf_add(all, object.data, object.len);
}

/* One one after the other, as exec_code_load takes them. */
static LLVMMemoryBufferRef join(const crew *c) {
  unit *first = c->units[0];
  sbuf all = SBUF(&first->arena);
  if (c->all.n + c->n_found == 1) {
    LLVMMemoryBufferRef code = first->code;
    first->code = NULL;
    return code;
  }
  for (unsigned i = 0; i < c->all.n; i++) put_object(&all, code_of(c->units[i]));
  for (unsigned i = 0; i < c->n_found; i++) put_object(&all, c->found[i]);
  return LLVMCreateMemoryBufferWithMemoryRangeCopy(all.data, all.len, "kernels");
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

static bool compile_in(unit *u, job *j) {
  double start = unit_now_ms();
  crew c = {.options = j->options, .units = {u}};
  c.all = (unit_crew){.units = c.units,
                      .n = 1,
                      .threads = j->options->compilers,
                      .user = &c,
                      .behind = store_single_lanes,
                      .kind = LLVMObjectFile};
  if (!open_for(u, j->options)) return false;
  u->e.outline = outline_to_object;
  u->e.outline_user = &c;
  const char **symbols = arena_array(&u->arena, const char *, j->n);
  void **code = arena_array(&u->arena, void *, j->n);
  for (unsigned i = 0; i < j->n; i++) {
    symbols[i] = i ? arena_printf(&u->arena, CPU_SYMBOL "_%u", i) : CPU_SYMBOL;
    if (!lower_entry(u, j, i, symbols[i])) return false;
  }
  double lowered = unit_now_ms();
  if (!compile_crew(&c)) return false;
  double optimised = lowered + c.all.prepared_ms;
  LLVMMemoryBufferRef object = join(&c);
  double generated = unit_now_ms();
  if (!load(u->ctx, object, j->n, symbols, code, j->out)) return false;
  for (unsigned i = 0; i < j->n; i++) j->out[i].compile_ms = unit_now_ms() - start;
  if (getenv("TESSERA_COMPILE_TIMES"))
    diag(u->ctx, TSR_REMARK, NOWHERE, "lower %.2f ms, passes %.2f, code %.2f, load %.2f",
         lowered - start, optimised - lowered, generated - optimised, unit_now_ms() - generated);
  put_in_object_cache(&c);
  return true;
}

/* ---- code in files -------------------------------------------------------------------------- */

/* The symbol is the kernel's name, which must not mean something else to LLVM or to us. */
static const char *symbol_of(unit *u, ir_module *m, ir_op *entry) {
  str name = ir_symbol_name(entry);
  const char *symbol = arena_strndup(&u->arena, name.data, name.len);
  bool reserved = strncmp(symbol, "llvm.", 5) == 0 || strncmp(symbol, "mma.", 4) == 0 ||
                  strcmp(symbol, "memcpy") == 0 || strcmp(symbol, "memset") == 0;
  if (!reserved && strlen(symbol) == name.len) return symbol;
  ir_error(m, entry,
           "the kernel's name cannot be the name of a function in an object file; "
           "rename it");
  return NULL;
}

static bool emit_in(unit *u, job *j) {
  if (!open_for(u, j->options)) return false;
  for (unsigned i = 0; i < j->n; i++) {
    const char *symbol = j->by_name ? symbol_of(u, j->module, j->entries[i]) : CPU_SYMBOL;
    if (!symbol || !lower_entry(u, j, i, symbol)) return false;
  }
  if (!unit_optimise(u, passes_of(j->options))) return false;
  store_single_lanes(u);
  return unit_write(u, j->form, j->text);
}

/* Lowers all kernels for what is noted on the way. */
static bool note_in(unit *u, job *j) {
  map *names = arena_new(&u->arena, map);
  *names = (map){0};
  if (!open_for(u, j->options)) return false;
  text_name_values(&u->arena, j->module, names);
  j->names = names;
  for (unsigned i = 0; i < j->n; i++)
    if (!lower_entry(u, j, i, arena_printf(&u->arena, CPU_SYMBOL "_%u", i))) return false;
  return true;
}

/* ---- jobs ----------------------------------------------------------------------------------- */

static bool run_in(unit *u, void *user) {
  job *j = user;
  if (j->notes) return note_in(u, j);
  return j->text ? emit_in(u, j) : compile_in(u, j);
}

/* Lowers a copy, but for code with checks, which refers to the module itself. */
static bool run_prepared(tsr_context *ctx, const job *j, arena *a, ir_module *volatile *copy) {
  job own = *j;
  if (j->options->checks)
    return opt_check_tile_level(j->module, j->entries, j->n,
                                "is not compiled with checks yet; the target interp has them") &&
           opt_check_one_device(j->module, j->entries, j->n,
                                "is not compiled with checks yet; the target interp has them") &&
           unit_run(ctx, run_in, &own);
  ir_op **entries = arena_array(a, ir_op *, j->n);
  own.entries = entries;
  own.module = *copy = opt_prepare(j->module, j->entries, j->n, block_erase_threads, entries, NULL);
  if (!own.module || opt_run_cpu(own.module) != TSR_OK) return false;
  for (unsigned i = 0; i < j->n; i++) raise_store_addresses(ir_region(entries[i], 0));
  return unit_run(ctx, run_in, &own);
}

/* What kernels measure into is theirs when they stay in memory. */
static bool run_job(tsr_context *ctx, job *j) {
  memset(j->out, 0, j->n * sizeof *j->out);
  arena a;
  ir_module *volatile copy = NULL;
  arena_init(&a, ctx);
  TSR_GUARD(ctx, {
    free_profiles(ctx, j);
    ir_module_destroy(copy);
    arena_free(&a);
    ctx_out_of_memory(ctx);
  });
  bool ok = run_prepared(ctx, j, &a, &copy);
  TSR_UNGUARD(ctx);
  ir_module_destroy(copy);
  arena_free(&a);
  if (!ok || j->text) free_profiles(ctx, j);
  return ok;
}

bool cpu_compile(tsr_context *ctx, ir_module *m, ir_op *const *entries, unsigned n,
                 const cpu_options *options, cpu_kernel *out) {
  return run_job(ctx, &(job){m, entries, n, options, out});
}

static bool compile_kernel(tsr_context *ctx, ir_module *m, ir_op *entry, const cpu_options *options,
                           cpu_kernel *out) {
  return cpu_compile(ctx, m, &entry, 1, options, out);
}

static bool compile_object(tsr_context *ctx, ir_module *m, ir_op *entry, const cpu_options *options,
                           cpu_sizes *sizes, sbuf *out) {
  cpu_kernel made;
  job j = {m, &entry, 1, options, &made, .form = UNIT_OBJECT, .text = out};
  if (!run_job(ctx, &j)) return false;
  *sizes = made.sizes;
  return true;
}

static bool emit_module(tsr_context *ctx, ir_module *m, tsr_emit kind, const cpu_options *options,
                        sbuf *out) {
  static const unit_form forms[] = {
      [TSR_EMIT_LLVM] = UNIT_LLVM, [TSR_EMIT_ASM] = UNIT_ASSEMBLY, [TSR_EMIT_OBJECT] = UNIT_OBJECT};
  ir_block *body = ir_region(m->op, 0);
  unsigned n = 0;
  for (ir_op *op = body->first; op; op = op->next) n += op->opcode == OP_entry;
  ir_op **entries = arena_array(out->arena, ir_op *, MAX(n, 1));
  cpu_kernel *made = arena_array(out->arena, cpu_kernel, MAX(n, 1));
  n = 0;
  for (ir_op *op = body->first; op; op = op->next)
    if (op->opcode == OP_entry) entries[n++] = op;
  job j = {m, entries, n, options, made, .by_name = true, .text = out};
  j.notes = kind == TSR_EMIT_NESTS;
  if (!j.notes) j.form = forms[kind];
  return run_job(ctx, &j);
}

const cpu_backend cpu_llvm = {
    .compile = compile_kernel,
    .release = release_kernel,
    .object = compile_object,
    .emit = emit_module,
};
