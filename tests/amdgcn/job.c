/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "job.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

#include "gpu/amdgcn/disassemble.h"

/* ---- objects -------------------------------------------------------------------------------- */

static void note(void *user, const tsr_diagnostic *d) {
  amdgcn_object *o = user;
  size_t n = strlen(o->messages);
  snprintf(o->messages + n, sizeof o->messages - n, "%s\n", d->message);
}

static bool disassemble_code(tsr_context *ctx, const char *processor, const uint8_t *code,
                             uint64_t from, uint64_t to, gcn_line line, void *user) {
  code_bytes c = {.triple = "amdgcn-amd-amdhsa",
                  .processor = processor,
                  .code = code,
                  .from = from,
                  .to = to,
                  .smallest = 4};
  return disassemble(ctx, &c, line, user);
}

static void open_context(amdgcn_object *o) {
  memset(o, 0, sizeof *o);
  tsr_context_options options = {
      .struct_size = sizeof options, .on_diagnostic = note, .diagnostic_user = o};
  o->ctx = tsr_context_create(&options);
  arena_init(&o->arena, o->ctx);
}

str object_bytes(amdgcn_object *o, const char *name) {
  str bytes = {0};
  if (!o->ctx) open_context(o);
  const char *path = arena_printf(&o->arena, "%s/%s.o", AMDGCN_OBJECTS, name);
  if (!file_read(o->ctx, &o->arena, path, (size_t)1 << 24, &bytes)) fail_msg("%s", o->messages);
  return bytes;
}

bool object_read(amdgcn_object *o, const char *name, str bytes) {
  if (!o->ctx) open_context(o);
  if (!hsa_object_read(o->ctx, &o->arena, name, bytes, &o->object)) return false;
  if (!o->device) o->device = emu_device_create(o->object.gpu);
  o->image = gcn_image_load(o->ctx, &o->arena, o->device, &o->object, disassemble_code);
  return o->image;
}

void object_open(amdgcn_object *o, const char *name) {
  open_context(o);
  name = arena_printf(&o->arena, "%s", name);
  if (!object_read(o, name, object_bytes(o, name))) fail_msg("%s", o->messages);
}

void object_close(amdgcn_object *o) {
  gcn_image_unload(o->image);
  emu_device_destroy(o->device);
  arena_free(&o->arena);
  tsr_context_destroy(o->ctx);
}

/* ---- jobs ----------------------------------------------------------------------------------- */

void job_begin(amdgcn_job *j, amdgcn_object *o, const char *kernel, uint32_t grid, uint32_t block) {
  *j = (amdgcn_job){.o = o, .kernel = hsa_find_kernel(&o->object, kernel)};
  if (!j->kernel) fail_msg("there is no kernel '%s'", kernel);
  j->options = (emu_launch_options){.grid = {grid, 1, 1}, .block = {block, 1, 1}, .threads = 1};
}

void job_end(amdgcn_job *j) {
  for (uint32_t k = 0; k < j->n_buffers; k++) {
    emu_free(j->o->device, j->address[k]);
    free(j->data[k]);
    free(j->want[k]);
  }
  findings_free(&j->found);
}

void job_number(amdgcn_job *j, const void *value, size_t bytes) {
  const hsa_argument *x = &j->kernel->about->arguments[j->n_args++];
  assert_int_equal(x->size, bytes);
  memcpy(j->params + x->offset, value, bytes);
}

void *job_buffer(amdgcn_job *j, size_t bytes) {
  uint32_t k = j->n_buffers++;
  j->bytes[k] = bytes;
  j->data[k] = calloc(1, bytes);
  j->want[k] = calloc(1, bytes);
  j->address[k] = emu_alloc(j->o->device, bytes, NULL);
  job_number(j, &j->address[k], 8);
  return j->data[k];
}

void job_filled(amdgcn_job *j) {
  for (uint32_t k = 0; k < j->n_buffers; k++) memcpy(j->want[k], j->data[k], j->bytes[k]);
}

uint8_t *job_result(const amdgcn_job *j, uint32_t k) {
  return emu_find(j->o->device, j->address[k])->host;
}

tsr_status job_run(amdgcn_job *j, bool checked) {
  emu_watcher watcher;
  checks *c = NULL;
  findings_free(&j->found);
  j->found = (findings){0};
  for (uint32_t k = 0; k < j->n_buffers; k++) memcpy(job_result(j, k), j->data[k], j->bytes[k]);
  if (checked) {
    c = checks_create(&j->found);
    checks_watch(c, &watcher);
    watcher.executed = j->executed;
  }
  emu_launch_options o = j->options;
  o.params = j->params;
  o.watcher = checked ? &watcher : NULL;
  tsr_status status = gcn_image_run(j->o->image, j->kernel, &o, &j->fault);
  checks_destroy(c);
  return status;
}
