/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A PTX file on an emulated device.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>

#include "checked_run.h"
#include "real_card.h"

static void show(void *user, const tsr_diagnostic *d) {
  (void)user;
  char text[2000];
  tsr_diagnostic_format(d, false, text, sizeof text);
  print_message("%s\n", text);
}

static void open_text(checked_run *r, const char *name, str text, const char *entry, bool checked) {
  r->module = ptx_parse(r->ctx, name, text);
  if (!r->module) fail_msg("%s was refused", name);
  r->device = real_card_device(emu_device_info_for(r->module->target));
  r->image = ptx_image_load(r->device, r->module);
  r->entry = ptx_find_entry(r->module, entry);
  assert_non_null(r->image);
  assert_non_null(r->entry);
  r->options.params = r->params;
  r->options.max_steps = 1 << 24;
  if (!checked) return;
  r->checks = checks_create(&r->found);
  assert_non_null(r->checks);
  checks_watch(r->checks, &r->watcher);
  r->options.watcher = &r->watcher;
}

static void make_context(checked_run *r) {
  memset(r, 0, sizeof *r);
  tsr_context_options o = {.struct_size = sizeof o, .on_diagnostic = show};
  r->ctx = tsr_context_create(&o);
  assert_non_null(r->ctx);
}

void checked_run_open(checked_run *r, const char *path, bool checked) {
  str text;
  make_context(r);
  assert_true(file_read(r->ctx, &r->ctx->arena, path, 1 << 24, &text));
  open_text(r, path, text, NULL, checked);
}

void checked_run_open_text(checked_run *r, const char *text, bool checked) {
  make_context(r);
  open_text(r, "<test>", str_of(text), NULL, checked);
}

void checked_run_open_text_entry(checked_run *r, const char *text, const char *entry,
                                 bool checked) {
  make_context(r);
  open_text(r, "<test>", str_of(text), entry, checked);
}

void checked_run_close(checked_run *r) {
  checks_destroy(r->checks);
  findings_free(&r->found);
  ptx_image_unload(r->image);
  emu_device_destroy(r->device);
  ptx_module_destroy(r->module);
  tsr_context_destroy(r->ctx);
}

void checked_run_arg(checked_run *r, const void *value, size_t size) {
  assert_true(r->n_params < r->entry->n_params);
  const ptx_param *p = &r->entry->params[r->n_params++];
  assert_int_equal(p->bytes, size);
  memcpy(r->params + p->offset, value, size);
}

uint64_t checked_run_buffer(checked_run *r, void *host, size_t bytes) {
  uint64_t address = emu_alloc(r->device, bytes, host);
  assert_true(address != 0);
  checked_run_arg(r, &address, sizeof address);
  return address;
}

void checked_run_int(checked_run *r, int value) {
  checked_run_arg(r, &value, sizeof value);
}

void checked_run_map(checked_run *r, const tensormap *m) {
  uint8_t object[TENSORMAP_BYTES];
  const char *problem = tensormap_encode(m, object);
  if (problem) fail_msg("%s", problem);
  checked_run_arg(r, object, sizeof object);
}

tsr_status checked_run_launch(checked_run *r, uint32_t gx, uint32_t gy, uint32_t bx, uint32_t by) {
  emu_launch_options *o = &r->options;
  assert_int_equal(r->n_params, r->entry->n_params);
  o->grid[0] = gx, o->grid[1] = gy, o->grid[2] = 1;
  o->block[0] = bx, o->block[1] = by, o->block[2] = 1;
  return real_card_run(r->image, r->entry, o, &r->fault);
}

const char *checked_run_text(checked_run *r) {
  sbuf out = SBUF(&r->ctx->arena);
  findings_text(&r->found, false, &out);
  return out.data ? out.data : "";
}
