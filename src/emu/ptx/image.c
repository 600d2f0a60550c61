/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A module on a device: variables get memory, the constant bank its values.
 */
#include "emu/ptx/image.h"

#include <stdlib.h>

#include "emu/ptx/isa.h"
#include "emu/ptx/rows.h"

static uint64_t function_address(uint32_t index) {
  return EMU_WINDOW_CODE + 16 * ((uint64_t)index + 1);
}

static bool allocate_variables(ptx_image *image) {
  const ptx_module *m = image->module;
  for (uint32_t k = 0; k < m->n_variables; k++) {
    const ptx_variable *v = &m->variables[k];
    if (v->space == PTX_SHARED) {
      image->addresses[k] = v->offset;
      continue;
    }
    uint64_t address = emu_alloc(image->device, v->bytes, NULL);
    if (!address) return false;
    emu_allocation *a = emu_find(image->device, address);
    a->name = v->name;
    a->constant = v->space == PTX_CONST;
    if (v->data_bytes) memcpy(a->host, v->data, MIN(v->data_bytes, v->bytes));
    image->addresses[k] = address;
  }
  return true;
}

static uint64_t generic_address(const ptx_image *image, uint32_t variable) {
  uint64_t window = image->module->variables[variable].space == PTX_SHARED ? EMU_WINDOW_SHARED : 0;
  return window + image->addresses[variable];
}

/* Addresses inside of initial values. Functions and variables are known now. */
static void relocate(ptx_image *image) {
  const ptx_module *m = image->module;
  for (uint32_t k = 0; k < m->n_variables; k++) {
    const ptx_variable *v = &m->variables[k];
    if (!v->n_relocations) continue;
    emu_allocation *a = emu_find(image->device, image->addresses[k]);
    for (uint32_t n = 0; n < v->n_relocations; n++) {
      const ptx_relocation *rel = &v->relocations[n];
      uint64_t value = rel->is_function ? function_address(rel->index)
                       : rel->generic   ? generic_address(image, rel->index)
                                        : image->addresses[rel->index];
      value = (value + (uint64_t)rel->addend) >> rel->shift;
      if (rel->at + rel->bytes <= a->bytes) memcpy(a->host + rel->at, &value, rel->bytes);
    }
  }
}

static void fill_constants(ptx_image *image) {
  const ptx_module *m = image->module;
  for (uint32_t k = 0; k < m->n_constants; k++) {
    const ptx_constant *c = &m->constants[k];
    uint64_t value = c->value;
    if (c->kind == 1) value += image->addresses[c->index];
    if (c->kind == 2) value += function_address(c->index);
    uint8_t *row = image->constants + c->offset;
    for (unsigned lane = 0; lane < PTX_LANES; lane++) {
      memcpy(row + lane * c->bytes, &value, MIN(c->bytes, (uint8_t)8));
      if (c->bytes == 16) memcpy(row + lane * 16 + 8, &c->high, 8);
    }
  }
}

static bool device_can(const emu_device *d, const ptx_module *m) {
  if (m->arch_specific ? ptx_sm_of(d->info) == m->sm : ptx_sm_of(d->info) >= m->sm) return true;
  diag_error(m->ctx, (place){.src = m->src},
             "the module is for %s; the device is an %s, which executes %s", m->target,
             d->info->name,
             d->info->specific ? "what is for it and for older cards without an 'a'"
                               : "what is for it and for older cards");
  return false;
}

/* Variables of other modules don't exist here. */
static bool all_defined(const ptx_module *m) {
  bool ok = true;
  for (uint32_t k = 0; k < m->n_variables; k++) {
    const ptx_variable *v = &m->variables[k];
    if (v->linkage != PTX_EXTERN || v->space == PTX_SHARED) continue;
    place at = {.src = m->src, .line = v->line, .column = v->column, .length = 1};
    diag_error(m->ctx, at, "'%s' is .extern: it is defined nowhere; link the modules first",
               v->name);
    ok = false;
  }
  return ok;
}

/* What a variable takes of the device's memory. */
static uint64_t device_bytes(const ptx_variable *v) {
  return v->space == PTX_SHARED || v->linkage == PTX_EXTERN ? 0 : v->bytes;
}

/* Whether the card's memory has room for them; sums can't overflow, as the reader bounds them. */
static bool all_fit(const emu_device *d, const ptx_module *m) {
  uint64_t memory = emu_memory_of(d->info), before = 0;
  for (uint32_t k = 0; k < m->n_variables; k++) {
    const ptx_variable *v = &m->variables[k];
    uint64_t bytes = device_bytes(v);
    if (bytes > memory - before) {
      place at = {.src = m->src, .line = v->line, .column = v->column, .length = 1};
      diag_error(m->ctx, at,
                 "'%s' has %llu bytes and the variables before it %llu; an %s has %llu bytes of "
                 "memory",
                 v->name, (unsigned long long)bytes, (unsigned long long)before, d->info->name,
                 (unsigned long long)memory);
      return false;
    }
    before += bytes;
  }
  return true;
}

bool ptx_can_load(const emu_device *d, const ptx_module *m) {
  return device_can(d, m) && all_defined(m) && all_fit(d, m);
}

ptx_image *ptx_image_load(emu_device *d, const ptx_module *m) {
  if (!ptx_can_load(d, m)) return NULL;
  ptx_image *image = calloc(1, sizeof *image);
  if (image) {
    image->program = (emu_program){.isa = &ptx_isa, .device = d, .ctx = m->ctx, .module = m};
    image->device = d;
    image->module = m;
    image->addresses = calloc(m->n_variables + 1, sizeof *image->addresses);
    image->constants = aligned_alloc(64, ((size_t)m->constant_bytes + 64) & ~(size_t)63);
    if (image->addresses && image->constants && allocate_variables(image)) {
      relocate(image);
      fill_constants(image);
      return image;
    }
  }
  ptx_image_unload(image);
  diag_error(m->ctx, NOWHERE, "there is no memory for the module's variables");
  return NULL;
}

void ptx_image_unload(ptx_image *image) {
  if (!image) return;
  for (uint32_t k = 0; image->addresses && k < image->module->n_variables; k++)
    if (image->module->variables[k].space != PTX_SHARED && image->addresses[k])
      emu_free(image->device, image->addresses[k]);
  free(image->addresses);
  free(image->constants);
  free(image);
}

bool ptx_image_symbol(const ptx_image *image, const char *name, uint64_t *address,
                      uint64_t *bytes) {
  const ptx_module *m = image->module;
  for (uint32_t k = 0; k < m->n_variables; k++)
    if (m->variables[k].space != PTX_SHARED && strcmp(m->variables[k].name, name) == 0) {
      *address = image->addresses[k];
      *bytes = m->variables[k].bytes;
      return true;
    }
  return false;
}

tsr_status ptx_image_run(const ptx_image *image, const ptx_function *f, const emu_launch_options *o,
                         emu_fault *fault) {
  emu_entry entry = {.name = f->name,
                     .code = f,
                     .lanes = PTX_LANES,
                     .param_bytes = f->param_bytes,
                     .shared_bytes = f->shared_bytes};
  if (image->module->uses_reserved_shared) entry.reserved_bytes = PTX_RESERVED_SHARED;
  memcpy(entry.max_threads, f->max_threads, sizeof entry.max_threads);
  memcpy(entry.required_threads, f->required_threads, sizeof entry.required_threads);
  memcpy(entry.cluster, f->cluster, sizeof entry.cluster);
  return emu_run(&image->program, &entry, o, fault);
}
