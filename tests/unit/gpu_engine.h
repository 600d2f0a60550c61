/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * For tests: the GPU backend as an engine for run_program. A source that tests the interpreter is
 * included after this, so that the same programs go through the backend:
 *
 *   #include "gpu_engine.h"
 *   #define main interp_main
 *   #include "test_interp.c"
 *   #undef main
 *
 * Code is made for the target that the test chooses and runs on the emulator of its PTX, or of its
 * machine code where it is one of AMD's (amd_engine.h), with all
 * checks on: races, missing waits and fences make a run fail, and asynchronous operations complete
 * as late as they may. Where
 * ptxas is installed and TESSERA_TEST_PTXAS is set it must assemble, too.
 */
#ifndef TSR_TESTS_GPU_ENGINE_H
#define TSR_TESTS_GPU_ENGINE_H

#include <stdio.h>
#include <stdlib.h>

#include "gpu/nvptx/nvptx.h"
#include "emu/checks.h"
#include "emu/counters.h"
#include "emu/ptx/image.h"
#include "rt/device_emu.h"
#include "rt/ptxas.h"
#include "real_card.h"
#include "run_program.h"

static const gpu_target *engine_target;
static emu_schedule engine_schedule;
static emu_async_mode engine_async = EMU_ASYNC_LATE;
/* Kernels with a producer take the place of those without, where there are. */
static bool engine_bulk = true;
static bool engine_took_bulk; /* in the last launch */
/* Those with clusters take the place of these, where the grid is a multiple of them. */
static bool engine_clusters = true;
static bool engine_took_clusters;
/* Of persistent kernels: how many there are, few so that blocks have much to do; in the last
 * launch. */
static unsigned engine_multiprocessors = 2;
static bool engine_walked;
/* NULL, or gets what the launches of a run counted, while their code is still there. */
static void (*engine_count)(const counters *counted);
/* NULL, or plants a fault into the text before it runs. */
static void (*engine_plant)(char *ptx);
/* What is found of a planted fault, or always, is left here, the first lines of it, instead of
 * being written to standard error. */
static bool engine_keep_found;
static char engine_found[4096];
static char *engine_ptx; /* the text that was made last; NULL, or in memory that is kept */

/* Blanks the line of instruction number `which`, from 0, of those in `kernel` whose text begins so;
 * false when there are not so many. */
__attribute__((unused)) static bool engine_blank(char *ptx, const char *kernel, const char *begin,
                                                 unsigned which) {
  char *at = strstr(ptx, kernel), *end = at ? strstr(at, "\n}\n") : NULL;
  while (at && (at = strstr(at + 1, begin)) && at < end)
    if (which-- == 0) {
      while (at[-1] != '\n') at--;
      while (*at != '\n') *at++ = ' ';
      return true;
    }
  return false;
}

/* To plant: an instruction is left out wherever it stands. What checks find is its worth. */
static const char *engine_without;

__attribute__((unused)) static void engine_leave_out(char *ptx) {
  size_t n = strlen(engine_without);
  for (char *at = strstr(ptx, engine_without); at; at = strstr(at, engine_without))
    memset(at, ' ', n);
}

static bool engine_assembles(ir_module *m, arena *a, str ptx) {
  char path[4096];
  if (engine_plant) return true; /* ptxas may know better than a fault that was planted */
  if (!getenv("TESSERA_TEST_PTXAS") || !ptxas_find(path, sizeof path)) return true;
  str cubin;
  if (ptxas_run(m->ctx, a, ptx, engine_target->name, &cubin, NULL)) return true;
  fwrite(ptx.data, 1, ptx.len, stderr);
  return false;
}

/* What the kernel's pointers may reach around what they are given, where it isn't known how large
 * memory of the test is: engine_bytes, from the pointer on. */
enum { ENGINE_WINDOW = 1 << 24 };
static size_t engine_bytes;

static int engine_by_address(const void *a, const void *b) {
  const emu_allocation *x = *(emu_allocation *const *)a, *y = *(emu_allocation *const *)b;
  return (x->base > y->base) - (x->base < y->base);
}

/* Memory of the host, at its own address: programs may look at addresses. */
static void engine_map(emu_device *d, uint64_t host) {
  emu_allocation *a = emu_find(d, host);
  if (a && a->base <= host && host - a->base < a->bytes) return;
  uint64_t base = engine_bytes ? host : (host - ENGINE_WINDOW / 2) & ~UINT64_C(255);
  a = emu_find(d,
               emu_alloc(d, engine_bytes ? engine_bytes : ENGINE_WINDOW, (void *)(uintptr_t)base));
  a->base = base;
  qsort(d->allocations, d->n_allocations, sizeof *d->allocations, engine_by_address);
}

static void engine_output(void *user, const char *text, size_t length) {
  run_printed(user, text, length);
}

/* Globals are variables of the image; the test looks at the block's. */
static void engine_globals(const ptx_image *image, const ir_op *entry, rt_block *block) {
  unsigned index = 0;
  for (ir_op *op = entry->block->first; op; op = op->next) {
    if (op->opcode != OP_global) continue;
    char name[256];
    str symbol = ir_symbol_name(op);
    uint64_t address, bytes;
    snprintf(name, sizeof name, "tessera_global_" STR_FMT, STR_ARG(symbol));
    const ir_dense *d = ir_get_attr(op, ATTR_value)->dense;
    size_t size = tsr_elem_storage((tsr_elem)d->type->elem, (size_t)d->type->count);
    if (ptx_image_symbol(image, name, &address, &bytes))
      memcpy(block->globals[index], emu_find(image->device, address)->host, size);
    index++;
  }
}

/* Asserts may fail, and elements that a program stores to one place, too: the language leaves open
 * which is left. */
static bool engine_is_fault(const finding *f) {
  bool one_store = f->kind == FINDING_RACE && f->space && strcmp(f->space, "global") == 0 &&
                   f->at.insn == f->other.insn;
  return f->kind != FINDING_TRAP && !one_store;
}

static bool engine_clean(findings *found, tsr_context *ctx) {
  uint32_t faults = 0;
  for (uint32_t i = 0; i < found->n; i++)
    if (engine_is_fault(&found->list[i])) found->list[faults++] = found->list[i];
  found->n = faults;
  if (!faults) return true;
  arena a;
  arena_init(&a, ctx);
  sbuf text = SBUF(&a);
  findings_text(found, false, &text);
  if (engine_plant || engine_keep_found)
    snprintf(engine_found, sizeof engine_found, "%s", text.data);
  else
    fwrite(text.data, 1, text.len, stderr);
  arena_free(&a);
  return false;
}

#include "amd_engine.h"

static bool engine_launch(const ptx_image *image, const nvptx_entry *e, rt_block *block,
                          run_grid grid, emu_watcher *watcher) {
  const ir_block *body = ir_region(e->op, 0);
  for (uint32_t i = 0; i < body->n_args; i++)
    if (body->args[i].type->elem == TSR_PTR) engine_map(image->device, block->args[i]);
  rt_tensor tensors[RT_MOST_TENSORS];
  uint8_t params[8192];
  const nvptx_entry *plain = e;
  const uint32_t tiles[3] = {(uint32_t)grid.x, (uint32_t)grid.y, (uint32_t)grid.z};
  const uint32_t alone[3] = {1, 1, 1};
  uint32_t blocks[3];
  uint64_t walk[NVPTX_GRID_WORDS];
  if (engine_bulk)
    e = rt_choose_entry(e, block->args, engine_clusters ? tiles : alone, true, tensors,
                        &(uint32_t){0});
  rt_walk_of(e, tiles, engine_multiprocessors, blocks, walk);
  engine_walked = e->blocks_per_sm > 0;
  engine_took_bulk = e != plain;
  engine_took_clusters = plain->bulk && e == plain->bulk->clustered;
  const ptx_function *f = ptx_find_entry(image->module, e->symbol);
  const char *problem = emu_tile_param_bytes(e) > sizeof params
                            ? "too many parameters"
                            : emu_tile_params(e, f, block->args, walk, tensors, params);
  if (problem) {
    fprintf(stderr, "tensor map: %s\n", problem);
    return false;
  }
  emu_launch_options o = {.grid = {blocks[0], blocks[1], blocks[2]},
                          .block = {e->threads, 1, 1},
                          .dynamic_shared = e->shared_bytes,
                          .params = params,
                          .threads = 1,
                          .max_steps = 50000000,
                          .watcher = watcher,
                          .async = engine_async,
                          .schedule = engine_schedule,
                          .on_output = engine_output,
                          .output_user = block};
  emu_fault fault = {.kind = EMU_FAULT_TRAP};
  tsr_status status = real_card_run(image, f, &o, &fault);
  if (status == TSR_ERROR_TRAP) run_fault(block, fault.message);
  engine_globals(image, e->op, block);
  return status == TSR_OK ||
         (status == TSR_ERROR_TRAP && strncmp(fault.message, "assertion", 9) == 0);
}

/* Kernels of one module, one after the other: they share its globals. */
static bool engine_run(ptx_module *p, const nvptx_result *code, ir_op *const *entries,
                       rt_block *blocks, unsigned n, run_grid grid, tsr_context *ctx) {
  emu_device *d = real_card_device(emu_device_info_for(engine_target->name));
  ptx_image *image = d ? ptx_image_load(d, p) : NULL;
  bool ok = image != NULL;
  findings found = {0};
  emu_watcher checker = {0}, watcher;
  counters counted = {0};
  checks *c = checks_create(&found);
  ok = ok && c;
  if (c) checks_watch(c, &checker);
  watcher = checker;
  if (engine_count) counters_watch(&counted, &checker, &watcher);
  for (unsigned k = 0; k < n; k++)
    for (uint32_t i = 0; ok && i < code->n_entries; i++)
      if (code->entries[i].op == entries[k])
        ok = engine_launch(image, &code->entries[i], &blocks[k], grid, &watcher);
  ok = ok && engine_clean(&found, ctx);
  if (engine_count) {
    engine_count(&counted);
    counters_free(&counted);
  }
  checks_destroy(c);
  findings_free(&found);
  if (image) ptx_image_unload(image);
  if (d) emu_device_destroy(d);
  return ok;
}

__attribute__((unused)) static bool run_gpu_kernels(ir_module *m, ir_op *const *entries,
                                                    rt_block *blocks, unsigned n, run_grid grid) {
  if (engine_target->vendor == GPU_AMD) return run_amd_kernels(m, entries, blocks, n, grid);
  arena a;
  arena_init(&a, m->ctx);
  nvptx_result code = {.text = SBUF(&a)};
  nvptx_options options = {.target = engine_target};
  m->level = 0; /* what is tested is how the program that is given is lowered */
  bool ok = nvptx_llvm.emit(m->ctx, m, NVPTX_PTX, &options, &code);
  if (ok && engine_plant) engine_plant(code.text.data);
  str ptx = {code.text.data, code.text.len};
  free(engine_ptx);
  engine_ptx = ok ? strndup(ptx.data, ptx.len) : NULL;
  if (getenv("TESSERA_DUMP_PTX")) fwrite(ptx.data, 1, ptx.len, stderr);
  ok = ok && engine_assembles(m, &a, ptx);
  ptx_module *p = ok ? ptx_parse(m->ctx, "kernel.ptx", ptx) : NULL;
  ok = p && engine_run(p, &code, entries, blocks, n, grid, m->ctx);
  ptx_module_destroy(p);
  arena_free(&a);
  return ok;
}

__attribute__((unused)) static bool run_gpu(ir_module *m, ir_op *entry, rt_block *block,
                                            run_grid grid) {
  return run_gpu_kernels(m, &entry, block, 1, grid);
}

__attribute__((unused)) static bool run_emulated(const char *text, const char *kernel,
                                                 run_grid grid, const uint64_t *args,
                                                 run_log *log) {
  return run_program_on(run_gpu, text, kernel, grid, args, log);
}
#undef run_program /* cpu_engine.h may be there too */
#define run_program run_emulated

__attribute__((unused)) static int set_target(void **state) {
  engine_target = gpu_find_target(*state);
  return engine_target ? 0 : -1;
}
#define TARGET(test, name)                                                                         \
  { #test "/" name, test, set_target, NULL, (void *)(uintptr_t)name }

#endif
