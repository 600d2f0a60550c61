/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Any text as PTX: read or refused; what is read is executed for a while, whatever it does.
 */
#include <stdlib.h>

#include "emu/ptx/image.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { BYTES = 256 };

static void drop(void *user, const char *text, size_t length) {
  (void)user, (void)text, (void)length;
}

/* Pointers to a buffer for all parameters, so that accesses find something. `how` chooses in which
 * order warps go and when asynchronous operations complete. */
static void run(const ptx_image *image, const ptx_function *f, uint64_t buffer, unsigned how) {
  uint64_t params[64];
  for (size_t k = 0; k < ARRAY_LEN(params); k++) params[k] = buffer;
  if (f->param_bytes > sizeof params) return;
  emu_fault fault;
  emu_launch_options o = {.grid = {2, 1, 1},
                          .block = {40, 1, 1},
                          .params = params,
                          .schedule = (emu_schedule)(how % 3),
                          .async = (emu_async_mode)(how / 3 % 3),
                          .seed = how,
                          .threads = 1,
                          .max_steps = 5000,
                          .on_output = drop};
  ptx_image_run(image, f, &o, &fault);
  if (fault.insn) {
    char name[64];
    ptx_insn_name(fault.insn, name, sizeof name);
    if (fault.message[0] == 0) abort(); /* a fault says what it is */
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  tsr_context *ctx = tsr_context_create(NULL);
  ptx_module *m = ptx_parse(ctx, "fuzz.ptx", (str){(const char *)data, size});
  /* What an sm_90a can't execute runs on its own card. */
  const emu_device_info *own = m ? emu_device_info_for(m->target) : NULL;
  bool newer = own && ptx_sm_of(own) > 901;
  emu_device *d = own ? emu_device_create(newer ? own : emu_device_info_for("sm_90a")) : NULL;
  ptx_image *image = d ? ptx_image_load(d, m) : NULL;
  uint64_t buffer = image ? emu_alloc(d, BYTES, NULL) : 0;
  for (uint32_t k = 0; image && k < m->n_functions; k++) {
    const ptx_function *f = &m->functions[k];
    if (f->is_entry && f->defined) run(image, f, buffer, (unsigned)(size + k));
  }
  ptx_image_unload(image);
  emu_device_destroy(d);
  ptx_module_destroy(m);
  tsr_context_destroy(ctx);
  return 0;
}
