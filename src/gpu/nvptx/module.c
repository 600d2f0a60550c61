/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * From a module's kernels to PTX: the target, what LLVM is to do (llvm/unit.h), names, and what a
 * launcher must know.
 */
#include <pthread.h>
#include <stdlib.h>

#include <llvm-c/Target.h>

#include "exec/expression.h"
#include "gpu/block/stated.h"
#include "gpu/code.h"
#include "gpu/kernel.h"
#include "gpu/nvptx/entry.h"
#include "gpu/nvptx/finish.h"
#include "gpu/nvptx/join.h"
#include "gpu/nvptx/vmath.h"
#include "gpu/placement.h"
#include "llvm/unit.h"
#include "opt/opt.h"
#include "opt/prepare.h"
#include "simt/nvidia/bulk.h"
#include "simt/nvidia/nvidia.h"

/* Little is left to do: the variables of bulk.c, and what was made for somebody who did not want it
 * (lanes_canonical), which everything after it would look at. What loops don't change is in front
 * of them already (invariant.c). Looking for equal values (early-cse) would take a fifth of all
 * time: it asks of each comparison that looks for NaNs what it may compare. */
static const char *const PASSES = "function(mem2reg,dce,simplifycfg)";

/* simplifycfg looks at all blocks again after each walk that changed one, and branches on one
 * condition after the other, as prints make them, change one in each walk: so functions of more
 * blocks than this do without it. */
enum { MOST_SIMPLIFIED = 1024 };
static const char *const PASSES_OF_LONG = "function(mem2reg,dce)";

static pthread_once_t target_once = PTHREAD_ONCE_INIT;

static void init_target(void) {
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
}

static bool open_for(unit *u, const gpu_target *t) {
  pthread_once(&target_once, init_target);
  unit_target target = {.triple = "nvptx64-nvidia-cuda",
                        .cpu = t->name,
                        .features = t->features,
                        .level = LLVMCodeGenLevelDefault,
                        .relocation = LLVMRelocDefault};
  if (!unit_open(u, &target)) return false;
  u->e.gpu = true;
  u->e.native_function = nvptx_native_function;
  u->e.vector_bits = 64;
  return true;
}

/* ---- names ---------------------------------------------------------------------------------- */

/* A name that PTX allows: gpu_symbol's, unless it means something else there. */
static char *symbol_of(arena *a, str name) {
  static const char *const taken[] = {"vprintf", "__assertfail", "WARP_SZ"};
  bool clash = false;
  for (size_t i = 0; i < ARRAY_LEN(taken); i++) clash |= str_is(name, taken[i]);
  return gpu_symbol(a, name, clash);
}

/* ---- compiling ------------------------------------------------------------------------------ */

static simt_target simt_target_of(const nvptx_options *o) {
  return (simt_target){.gpu = o->target, .vendor = &simt_nvidia, .warps = o->warps};
}

/* Code that LLVM generates by itself, for a form of a kernel: so that several threads can. */
typedef struct part {
  unit *u;
  strmap strings; /* texts that are in it already */
} part;

/* Kernels go through LLVM in batches: what a batch takes, about 0.3 MB for a small kernel, is given
 * back before the next one begins. Of LLVM's own text there is only one. */
typedef struct job {
  unit *u; /* lasts as long as a batch: plans are in its arena, and the parts are forks of it */
  ir_module *module;
  nvptx_emit kind;
  const nvptx_options *options;
  nvptx_result *out;
  VEC(part *) parts;
  unsigned entries; /* in this batch */
  uint32_t n_strings;
  strmap joined; /* what is in the text already */
} job;

enum { BATCH = 32 }; /* kernels: enough for all threads to be busy most of the time */

/* For the next form; NULL after a message. LLVM's own text is one module. */
static part *next_part(job *j) {
  if (j->kind == NVPTX_LLVM && j->parts.len) return j->parts.data[0];
  part *p = arena_new(&j->u->arena, part);
  *p = (part){.u = unit_fork(j->u)};
  vec_push(&j->u->arena, j->parts, p);
  return open_for(p->u, j->options->target) ? p : NULL;
}

/* `plan` is NULL for a kernel of the block level. */
static bool lower_kernel(job *j, ir_op *entry, const simt_plan *plan, const char *symbol,
                         nvptx_entry *out) {
  part *p = next_part(j);
  if (!p) return false;
  unit *u = p->u;
  gen *g = arena_new(&u->arena, gen);
  *g = (gen){.e = u->e,
             .ctx = u->ctx,
             .m = j->module,
             .entry = entry,
             .arena = &u->arena,
             .target = j->options->target,
             .start = u->start,
             .lines = j->options->lines,
             .strings = &p->strings,
             .n_strings = &j->n_strings};
  if (plan)
    gpu_follow_plan(g, plan);
  else if (!gpu_follow_types(g))
    return false;
  out->op = entry;
  return nvptx_kernel(g, symbol, out);
}

/* The plan with a producer, `cluster`: for tile blocks that load together; NULL: there is none. */
static const simt_plan *bulk_plan(const job *j, ir_op *entry, bool cluster) {
  simt_target target = simt_target_of(j->options);
  target.form = cluster ? SIMT_CLUSTERED : SIMT_BULK;
  const simt_plan *plan = gpu_can(target.gpu, GPU_BULK_COPY | GPU_WGMMA)
                              ? simt_assign(j->module, entry, &target, &j->u->arena)
                              : NULL;
  return plan && simt_bulk_of(plan) ? plan : NULL;
}

/* A form's maps outlast the batch. */
static void keep_maps(nvptx_entry *form, arena *keep) {
  simt_tensor_map *maps = arena_array(keep, simt_tensor_map, MAX(form->n_maps, 1));
  if (form->n_maps) memcpy(maps, form->maps, form->n_maps * sizeof *maps);
  form->maps = maps;
}

static bool lower_stated(job *j, ir_op *entry, nvptx_entry *out, arena *keep) {
  if (!lower_kernel(j, entry, NULL, symbol_of(keep, ir_symbol_name(entry)), out)) return false;
  keep_maps(out, keep);
  return true;
}

/* A further form of an entry, by its plan: its symbol has `suffix`. NULL after a message. */
static nvptx_entry *lower_form(job *j, ir_op *entry, const simt_plan *plan, const char *suffix,
                               arena *keep) {
  nvptx_entry *out = arena_new(keep, nvptx_entry);
  char *symbol = symbol_of(keep, ir_symbol_name(entry));
  *out = (nvptx_entry){0};
  if (!lower_kernel(j, entry, plan, arena_printf(keep, "%s$%s", symbol, suffix), out)) return NULL;
  keep_maps(out, keep);
  return out;
}

static bool lower_entry(job *j, ir_op *entry, nvptx_entry *out, arena *keep) {
  if (gpu_is_stated(entry)) return lower_stated(j, entry, out, keep);
  simt_target target = simt_target_of(j->options);
  const char *symbol = symbol_of(keep, ir_symbol_name(entry));
  const simt_plan *bulk = bulk_plan(j, entry, false);
  target.unstaged = bulk && j->options->prefers_bulk;
  const simt_plan *plan = simt_assign(j->module, entry, &target, &j->u->arena);
  if (!lower_kernel(j, entry, plan, symbol, out)) return false;
  if (!bulk) return true;
  out->bulk = lower_form(j, entry, bulk, "tma", keep);
  plan = out->bulk ? bulk_plan(j, entry, true) : NULL;
  if (plan) out->bulk->clustered = lower_form(j, entry, plan, "cluster", keep);
  return out->bulk && (!plan || out->bulk->clustered);
}

static uint32_t count_entries(ir_module *m) {
  uint32_t n = 0;
  for (ir_op *op = ir_region(m->op, 0)->first; op; op = op->next) n += op->opcode == OP_entry;
  return n;
}

static void print_layouts(const job *j, ir_op *entry, sbuf *out) {
  if (gpu_is_stated(entry)) return; /* they are in its text */
  simt_target target = simt_target_of(j->options);
  simt_plan_print(out, simt_assign(j->module, entry, &target, &j->u->arena), j->module, entry);
  for (unsigned cluster = 0; cluster < 2; cluster++) {
    const simt_plan *bulk = bulk_plan(j, entry, cluster);
    if (bulk) simt_bulk_print(out, simt_bulk_of(bulk));
  }
}

static bool lower_next(job *j, ir_op *op) {
  nvptx_result *out = j->out;
  double start = unit_now_ms();
  bool ok = true;
  nvptx_entry *entry = &out->entries[out->n_entries++];
  *entry = (nvptx_entry){0};
  j->entries++;
  if (j->kind == NVPTX_LAYOUTS)
    print_layouts(j, op, &out->text);
  else
    ok = lower_entry(j, op, entry, out->text.arena);
  out->lower_ms += unit_now_ms() - start;
  return ok;
}

static bool is_long(const unit *u) {
  for (LLVMValueRef f = LLVMGetFirstFunction(u->e.module); f; f = LLVMGetNextFunction(f))
    if (LLVMCountBasicBlocks(f) > MOST_SIMPLIFIED) return true;
  return false;
}

/* Brings the units with long functions to the end, and returns how many others there are. */
static unsigned short_first(unit **units, unsigned n) {
  unsigned first = 0;
  for (unsigned i = 0; i < n; i++) {
    if (is_long(units[i])) continue;
    unit *u = units[i];
    units[i] = units[first];
    units[first++] = u;
  }
  return first;
}

static bool optimise(unit **units, unsigned n, unsigned threads) {
  unsigned plain = short_first(units, n);
  return (plain == 0 || unit_optimise_all(units, plain, PASSES, threads)) &&
         (plain == n || unit_optimise_all(units + plain, n - plain, PASSES_OF_LONG, threads));
}

/* LLVM's part of it. */
static bool generate(job *j, unit **units) {
  nvptx_result *out = j->out;
  unsigned n = j->parts.len, threads = MAX(j->options->threads, 1);
  double start = unit_now_ms();
  for (unsigned i = 0; i < n; i++) units[i] = j->parts.data[i]->u;
  if (!optimise(units, n, threads)) return false;
  double optimised = unit_now_ms();
  for (unsigned i = 0; i < n; i++) nvptx_finish(units[i]);
  out->passes_ms += optimised - start;
  bool ok = j->kind == NVPTX_LLVM ? unit_write(units[0], UNIT_LLVM, &out->text)
                                  : unit_generate_all(units, n, LLVMAssemblyFile, threads);
  out->code_ms += unit_now_ms() - optimised;
  return ok;
}

static void join_all(job *j) {
  sbuf *out = &j->out->text;
  size_t begin = out->len;
  for (uint32_t i = 0; i < j->parts.len; i++) {
    LLVMMemoryBufferRef code = j->parts.data[i]->u->code;
    ptx_join(out, &j->joined, (str){LLVMGetBufferStart(code), LLVMGetBufferSize(code)});
  }
  nvptx_drop_idle_jumps(out, begin);
}

/* The text of a batch. */
static bool finish_batch(job *j) {
  bool empty = j->parts.len == 0;
  if (j->kind == NVPTX_LAYOUTS || (empty && j->out->text.len)) return true;
  if (empty && !next_part(j)) return false;
  if (!generate(j, arena_array(&j->u->arena, unit *, j->parts.len))) return false;
  if (j->kind == NVPTX_PTX) join_all(j);
  return true;
}

/* Kernels from `*next` on; moves it after them. There is a batch without any where the module has
 * none. */
static bool emit_batch(job *j, unit *u, ir_op **next) {
  j->u = unit_fork(u);
  j->parts.data = NULL;
  j->parts.len = j->parts.cap = 0;
  j->entries = 0;
  for (; *next && (j->kind == NVPTX_LLVM || j->entries < BATCH); *next = (*next)->next)
    if ((*next)->opcode == OP_entry && !lower_next(j, *next)) return false;
  if (!finish_batch(j)) return false;
  unit_end_forks(u);
  return true;
}

static bool emit_in(unit *u, void *user) {
  job *j = user;
  nvptx_result *out = j->out;
  ir_op *next = ir_region(j->module->op, 0)->first;
  out->n_entries = 0;
  out->entries = arena_array(out->text.arena, nvptx_entry, MAX(count_entries(j->module), 1));
  out->lower_ms = out->passes_ms = out->code_ms = 0;
  do
    if (!emit_batch(j, u, &next)) return false;
  while (next);
  if (j->kind == NVPTX_PTX) ptx_name_version(&out->text);
  if (getenv("TESSERA_COMPILE_TIMES"))
    diag(u->ctx, TSR_REMARK, NOWHERE, "lower %.2f ms, passes %.2f, code %.2f", out->lower_ms,
         out->passes_ms, out->code_ms);
  return true;
}

/* The launcher knows views as operations of the caller's module, not of the copy. False when a map
 * describes one that isn't there in a form that it can compute. */
static bool name_views(const map *views, nvptx_entry *form) {
  simt_tensor_map *maps = (simt_tensor_map *)(uintptr_t)form->maps;
  for (uint32_t i = 0; i < form->n_maps; i++) {
    const ir_op *made = map_ptr(views, maps[i].view);
    for (uint32_t k = 0; made && k < made->n_operands; k++)
      if (!exec_is_expression(ir_operand(made, k))) made = NULL;
    if (!made) return false;
    maps[i].view = made;
  }
  return true;
}

/* Forms that cannot be launched from the caller's module are left out. Kernels of the block level
 * are in the copy as they are in the caller's module. */
static void name_entry(const map *views, const ir_op *op, nvptx_entry *e) {
  name_views(views, e);
  e->op = op;
  if (e->bulk && !name_views(views, e->bulk)) e->bulk = NULL;
  if (!e->bulk) return;
  e->bulk->op = op;
  if (e->bulk->clustered && !name_views(views, e->bulk->clustered)) e->bulk->clustered = NULL;
  if (e->bulk->clustered) e->bulk->clustered->op = op;
}

static bool emit_prepared(ir_module *m, job *j, arena *a, ir_module *volatile *copy) {
  uint32_t n = 0, count = count_entries(m);
  ir_op **entries = arena_array(a, ir_op *, count + 1),
        **copies = arena_array(a, ir_op *, count + 1);
  for (ir_op *op = ir_region(m->op, 0)->first; op; op = op->next)
    if (op->opcode == OP_entry) entries[n++] = op;
  map views = {0};
  j->module = *copy = opt_prepare(m, entries, n, NULL, copies, &views);
  if (!j->module || opt_run_masks(j->module) != TSR_OK) return false;
  bool ok = unit_run(m->ctx, emit_in, j);
  nvptx_result *out = j->out;
  for (uint32_t i = 0; ok && i < out->n_entries; i++)
    name_entry(&views, entries[i], &out->entries[i]);
  return ok;
}

static bool emit_module(tsr_context *ctx, ir_module *m, nvptx_emit kind,
                        const nvptx_options *options, nvptx_result *out) {
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

const nvptx_backend nvptx_llvm = {.emit = emit_module};
