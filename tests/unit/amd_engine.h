/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * For tests: AMD's half of gpu_engine.h, which chooses it by engine_target. Code objects are linked
 * by the backend, read and executed by the emulator of AMD's instructions.
 */
#ifndef TSR_TESTS_AMD_ENGINE_H
#define TSR_TESTS_AMD_ENGINE_H

#include "emu/amdgcn/image.h"
#include "emu/amdgcn/isa.h"
#include "gpu/amdgcn/amdgcn.h"
#include "gpu/amdgcn/disassemble.h"
#include "rt/amd_reports.h"

/* NULL, or plants a fault into the code object before it runs: a function of its bytes. */
static void (*engine_plant_object)(uint8_t *bytes, size_t n);

static bool engine_disassemble(tsr_context *ctx, const char *processor, const uint8_t *code,
                               uint64_t from, uint64_t to, gcn_line line, void *user) {
  code_bytes c = {.triple = "amdgcn-amd-amdhsa",
                  .processor = processor,
                  .code = code,
                  .from = from,
                  .to = to,
                  .smallest = 4};
  return disassemble(ctx, &c, line, user);
}

/* Globals are variables of the image; the test looks at the block's. */
static void amd_globals(const gcn_image *image, const ir_op *entry, rt_block *block) {
  unsigned index = 0;
  for (ir_op *op = entry->block->first; op; op = op->next) {
    if (op->opcode != OP_global) continue;
    char name[256];
    uint64_t size;
    snprintf(name, sizeof name, "tessera_global_" STR_FMT, STR_ARG(ir_symbol_name(op)));
    const uint8_t *from = amd_variable(image, name, &size);
    if (from) memcpy(block->globals[index], from, size);
    index++;
  }
}

/* A failed assert as PTX's message has it. */
static void amd_name_assert(const gcn_image *image, const amdgcn_result *code, const ir_module *m,
                            emu_fault *fault) {
  const amdgcn_assert *a = amd_failed_assert(image, code);
  if (!a) return;
  place at = ir_place(m, a->loc);
  snprintf(fault->message, sizeof fault->message, "assertion '%s' failed in k, %s:%u", a->message,
           at.src    ? at.src->name
           : at.file ? at.file
                     : "",
           at.line);
}

static bool amd_launch(const gcn_image *image, const amdgcn_result *code, const amdgcn_entry *e,
                       rt_block *block, run_grid grid, emu_watcher *watcher, const ir_module *m) {
  const ir_block *body = ir_region(e->op, 0);
  const hsa_kernel *kernel = hsa_find_kernel(image->object, e->symbol);
  uint8_t params[8192] = {0};
  for (uint32_t i = 0; i < body->n_args; i++)
    if (body->args[i].type->elem == TSR_PTR) engine_map(image->program.device, block->args[i]);
  memcpy(params, block->args, body->n_args * sizeof *block->args);
  emu_launch_options o = {.grid = {(uint32_t)grid.x, (uint32_t)grid.y, (uint32_t)grid.z},
                          .block = {e->threads, 1, 1},
                          .params = params,
                          .threads = 1,
                          .max_steps = 50000000,
                          .watcher = watcher,
                          .schedule = engine_schedule};
  emu_fault fault = {.kind = EMU_FAULT_TRAP};
  amd_reports_clear(image);
  tsr_status status = gcn_image_run(image, kernel, &o, &fault);
  amd_take_prints(image, code, engine_output, block);
  if (status == TSR_ERROR_TRAP) {
    amd_name_assert(image, code, m, &fault);
    run_fault(block, fault.message);
  }
  if (status == TSR_ERROR_TRAP && fault.kind == EMU_FAULT_ILLEGAL)
    fprintf(stderr, "unknown: " STR_FMT "\n", STR_ARG(gcn_isa.text_of(NULL, fault.insn)));
  amd_globals(image, e->op, block);
  return status == TSR_OK ||
         (status == TSR_ERROR_TRAP && strncmp(fault.message, "assertion", 9) == 0);
}

/* Kernels of one module, one after the other: they share its globals. */
static bool amd_run(gcn_image *image, const amdgcn_result *code, ir_op *const *entries,
                    rt_block *blocks, unsigned n, run_grid grid, ir_module *m) {
  findings found = {0};
  emu_watcher checker = {0}, watcher;
  counters counted = {0};
  checks *c = checks_create(&found);
  bool ok = c != NULL;
  if (c) checks_watch(c, &checker);
  watcher = checker;
  if (engine_count) counters_watch(&counted, &checker, &watcher);
  for (unsigned k = 0; k < n; k++)
    for (uint32_t i = 0; ok && i < code->n_entries; i++)
      if (code->entries[i].op == entries[k])
        ok = amd_launch(image, code, &code->entries[i], &blocks[k], grid, &watcher, m);
  ok = ok && engine_clean(&found, m->ctx);
  if (engine_count) {
    engine_count(&counted);
    counters_free(&counted);
  }
  checks_destroy(c);
  findings_free(&found);
  return ok;
}

static bool run_amd_kernels(ir_module *m, ir_op *const *entries, rt_block *blocks, unsigned n,
                            run_grid grid) {
  arena a;
  arena_init(&a, m->ctx);
  amdgcn_result code = {.text = SBUF(&a)};
  amdgcn_options options = {.target = engine_target};
  m->level = 0; /* what is tested is how the program that is given is lowered */
  bool ok = amdgcn_llvm.emit(m->ctx, m, AMDGCN_OBJECT, &options, &code);
  if (ok && engine_plant_object) engine_plant_object((uint8_t *)code.text.data, code.text.len);
  const char *dump = getenv("TESSERA_DUMP_OBJECT");
  FILE *file = ok && dump ? fopen(dump, "wb") : NULL;
  if (file) {
    fwrite(code.text.data, 1, code.text.len, file);
    fclose(file);
  }
  emu_device *d = ok ? emu_device_create(engine_target) : NULL;
  hsa_object object;
  gcn_image *image = NULL;
  ok = d &&
       hsa_object_read(m->ctx, &a, "kernel.hsaco", (str){code.text.data, code.text.len}, &object);
  if (ok) image = gcn_image_load(m->ctx, &a, d, &object, engine_disassemble);
  ok = image && amd_run(image, &code, entries, blocks, n, grid, m);
  gcn_image_unload(image);
  emu_device_destroy(d);
  arena_free(&a);
  return ok;
}

#endif
