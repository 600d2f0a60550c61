/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/hsa.h"

#include <stdlib.h>

#include "emu/amdgcn/image.h"
#include "emu/checks.h"
#include "emu/fault.h"
#include "rt/disassemble.h"
#include "rt/launch_emu.h"

struct rt_hsa {
  tsr_context *ctx;
  arena arena;
  hsa_object object;
  tsr_device *device;
  gcn_image *image;
  findings found;
};

/* ---- reading -------------------------------------------------------------------------------- */

rt_hsa *rt_hsa_read(tsr_context *ctx, const char *name, str bytes) {
  rt_hsa *h = ctx_try_alloc(ctx, sizeof *h);
  if (!h) {
    diag_error(ctx, NOWHERE, "out of memory");
    return NULL;
  }
  *h = (rt_hsa){.ctx = ctx};
  arena_init(&h->arena, ctx);
  TSR_GUARD(ctx, {
    rt_hsa_destroy(h);
    return NULL;
  });
  bool good = hsa_object_read(ctx, &h->arena, name, bytes, &h->object);
  TSR_UNGUARD(ctx);
  if (good) return h;
  rt_hsa_destroy(h);
  return NULL;
}

void rt_hsa_destroy(rt_hsa *h) {
  if (!h) return;
  gcn_image_unload(h->image);
  findings_free(&h->found);
  arena_free(&h->arena);
  ctx_free(h->ctx, h, sizeof *h);
}

const hsa_object *rt_hsa_object(const rt_hsa *h) {
  return &h->object;
}

/* ---- the card ------------------------------------------------------------------------------- */

tsr_device *rt_hsa_open_device(const rt_hsa *h, const tsr_device_options *options) {
  return rt_device_open(h->ctx, rt_emu_kind_of(h->object.gpu), 0, options);
}

bool rt_hsa_load(rt_hsa *h, tsr_device *dev) {
  TSR_GUARD(h->ctx, { return false; });
  h->device = dev;
  h->image = gcn_image_load(h->ctx, &h->arena, dev->emu, &h->object, rt_disassemble);
  TSR_UNGUARD(h->ctx);
  return h->image;
}

bool rt_hsa_variable(const rt_hsa *h, const char *name, uint64_t *address, uint64_t *bytes) {
  for (uint32_t i = 0; i < h->object.n_symbols; i++) {
    const hsa_symbol *s = &h->object.symbols[i];
    if (s->is_function || !str_is(s->name, name)) continue;
    *address = h->image->address + s->offset;
    *bytes = s->size;
    return true;
  }
  return false;
}

/* ---- arguments ------------------------------------------------------------------------------ */

static bool is_hidden(const hsa_argument *x) {
  static const char word[] = "hidden_";
  return x->kind.len >= sizeof word - 1 && memcmp(x->kind.data, word, sizeof word - 1) == 0;
}

uint32_t rt_hsa_argument_count(const hsa_kernel *k) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < k->about->n_arguments; i++) n += !is_hidden(&k->about->arguments[i]);
  return n;
}

const hsa_argument *rt_hsa_argument_at(const hsa_kernel *k, uint32_t index) {
  for (uint32_t i = 0; i < k->about->n_arguments; i++)
    if (!is_hidden(&k->about->arguments[i]) && index-- == 0) return &k->about->arguments[i];
  return NULL;
}

const char *rt_hsa_argument_name(rt_hsa *h, const hsa_kernel *k, uint32_t index) {
  const hsa_argument *x = rt_hsa_argument_at(k, index);
  if (!x || !x->name.len) return arena_printf(&h->arena, "arg%u", index);
  return arena_printf(&h->arena, STR_FMT, (int)MIN(x->name.len, 256u), x->name.data);
}

/* ---- launches ------------------------------------------------------------------------------- */

/* Values of 1, 2, 4 and 8 bytes are numbers, others come from buffers. */
static rt_emu_parameter parameter_of(rt_hsa *h, const hsa_kernel *k, uint32_t index) {
  const hsa_argument *x = rt_hsa_argument_at(k, index);
  bool number = x->size == 1 || x->size == 2 || x->size == 4 || x->size == 8;
  return (rt_emu_parameter){.name = rt_hsa_argument_name(h, k, index),
                            .offset = x->offset,
                            .bytes = x->size,
                            .is_array = !number};
}

static bool put_arguments(rt_hsa *h, const hsa_kernel *k, const char *name, const tsr_arg *args,
                          uint32_t n, uint8_t *params) {
  for (uint32_t i = 0; i < n; i++) {
    rt_emu_parameter x = parameter_of(h, k, i);
    if (!rt_emu_put_argument(h->device, name, &x, &args[i], params)) return false;
  }
  return true;
}

static tsr_status run_checked(rt_hsa *h, const hsa_kernel *k, emu_launch_options *o,
                              emu_fault *fault) {
  emu_watcher watcher;
  checks *c = checks_create(&h->found);
  if (!c) return TSR_ERROR_MEMORY;
  checks_watch(c, &watcher);
  o->watcher = &watcher;
  tsr_status status = gcn_image_run(h->image, k, o, fault);
  checks_destroy(c);
  return status;
}

char *rt_hsa_take_findings(rt_hsa *h, size_t *count) {
  sbuf out = SBUF(&h->arena);
  *count = h->found.n;
  if (!h->found.n) return NULL;
  findings_text(&h->found, false, &out);
  char *text = calloc(1, out.len + 1);
  if (text) memcpy(text, out.data, out.len);
  findings_free(&h->found);
  return text;
}

static tsr_status launch(rt_hsa *h, const hsa_kernel *k, const char *name,
                         const tsr_ptx_launch *how, const uint8_t *params) {
  emu_launch_options o = rt_emu_options(h->device, k->about->required_threads, how);
  emu_fault fault;
  o.params = params;
  o.watcher = (emu_watcher *)h->device->emu_watcher;
  tsr_status status =
      how->check ? run_checked(h, k, &o, &fault) : gcn_image_run(h->image, k, &o, &fault);
  if (how->fault && status == TSR_ERROR_TRAP) rt_emu_tell_fault(&fault, how->fault);
  if (status == TSR_ERROR_TRAP) emu_report_fault(&h->image->program, name, &fault);
  if (status == TSR_ERROR_MEMORY) rt_error(h->device, "@%s: out of memory", name);
  return status;
}

tsr_status rt_hsa_run(rt_hsa *h, const hsa_kernel *k, const tsr_ptx_launch *how,
                      const tsr_arg *args, uint32_t n_args) {
  const char *name = h->image->entries[k - h->object.kernels].name;
  if (how->params) return launch(h, k, name, how, how->params);
  if (n_args != rt_hsa_argument_count(k)) {
    rt_error(h->device, "'%s' takes %u arguments, not %u", name, rt_hsa_argument_count(k), n_args);
    return TSR_ERROR_USAGE;
  }
  uint8_t *params = arena_alloc_zero(&h->arena, (size_t)k->about->argument_bytes + 8, 8);
  if (!put_arguments(h, k, name, args, n_args, params)) return TSR_ERROR_USAGE;
  return launch(h, k, name, how, params);
}
