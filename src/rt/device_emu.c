/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The devices "emu:sm_80", …: the PTX emulator. A buffer is host memory that has an address of the
 * emulated card, too.
 */
#include <stdio.h>
#include <stdlib.h>

#include <tessera/ptx.h>

#include "ptxemu/machine.h"
#include "rt/rt.h"

struct tsr_ptx {
  tsr_device *device;
  ptx_module *module;
  emu_image *image;
};

/* ---- the device ----------------------------------------------------------------------------- */

static const emu_device_info *card_of(const tsr_device *dev) {
  return emu_device_info_for(dev->kind->name + strlen("emu:"));
}

static bool emu_open(tsr_device *dev, const tsr_device_options *options) {
  dev->threads = options->threads;
  dev->emu = emu_device_create(card_of(dev));
  if (!dev->emu) diag_error(dev->ctx, NOWHERE, "out of memory");
  return dev->emu != NULL;
}

static void emu_close(tsr_device *dev) {
  emu_device_destroy(dev->emu);
}

static size_t describe(const char *card, char *out, size_t size) {
  const emu_device_info *info = emu_device_info_for(card);
  return (size_t)snprintf(
      out, size, "PTX emulator: %s with %u multiprocessors, %u KB of shared memory a block",
      info->name, info->n_sm, info->shared_per_block / 1024);
}

static bool emu_map(tsr_buffer *b) {
  b->address = emu_alloc(b->device->emu, b->size, b->data);
  return b->address != 0;
}
static void emu_unmap(tsr_buffer *b) {
  emu_free(b->device->emu, b->address);
}

/* Tile IR reaches the card as PTX; nothing here makes it. */
static bool emu_prepare(tsr_kernel *k) {
  diag_error(k->program->device->ctx, NOWHERE,
             "the device '%s' executes PTX ('tessera ptx', tsr_ptx_run), not Tile IR programs: run "
             "'%s' on cpu or interp",
             k->program->device->kind->name, k->name);
  return false;
}
static void emu_release(tsr_kernel *k) {
  (void)k;
}
static void emu_launch(rt_launch_state *l) {
  rt_fail(l, TSR_ERROR_USAGE); /* no kernel was ever prepared */
}

#define CARD(id, card)                                                                             \
  static size_t describe_##id(char *out, size_t size) {                                            \
    return describe(card, out, size);                                                              \
  }                                                                                                \
  const rt_device_kind rt_emu_##id = {                                                             \
      .name = "emu:" card,                                                                         \
      .open = emu_open,                                                                            \
      .close = emu_close,                                                                          \
      .describe = describe_##id,                                                                   \
      .prepare = emu_prepare,                                                                      \
      .release = emu_release,                                                                      \
      .launch = emu_launch,                                                                        \
      .map = emu_map,                                                                              \
      .unmap = emu_unmap,                                                                          \
  };
RT_EMU_CARDS(CARD)
#undef CARD

/* ---- modules -------------------------------------------------------------------------------- */

static bool is_emulator(const tsr_device *dev) {
  if (dev->emu) return true;
  diag_error(dev->ctx, NOWHERE,
             "the device '%s' does not execute PTX; open an emulator, as "
             "\"emu:sm_90a\"",
             dev->kind->name);
  return false;
}

tsr_ptx *tsr_ptx_create(tsr_device *dev, const char *name, const char *text, size_t length) {
  if (!dev || !is_emulator(dev)) return NULL;
  dev->ctx->errors = 0;
  tsr_ptx *p = ctx_try_alloc(dev->ctx, sizeof *p);
  if (!p) {
    diag_error(dev->ctx, NOWHERE, "out of memory");
    return NULL;
  }
  *p = (tsr_ptx){.device = dev};
  p->module = ptx_parse(dev->ctx, name ? name : "<ptx>", (str){text, text ? length : 0});
  if (p->module) p->image = emu_load(dev->emu, p->module);
  if (p->image) return p;
  tsr_ptx_destroy(p);
  return NULL;
}

void tsr_ptx_destroy(tsr_ptx *p) {
  if (!p) return;
  emu_unload(p->image);
  ptx_module_destroy(p->module);
  ctx_free(p->device->ctx, p, sizeof *p);
}

static bool is_kernel(const ptx_function *f) {
  return f->is_entry && f->defined;
}

size_t tsr_ptx_kernel_count(const tsr_ptx *p) {
  size_t n = 0;
  for (uint32_t k = 0; p && k < p->module->n_functions; k++)
    n += is_kernel(&p->module->functions[k]);
  return n;
}

const char *tsr_ptx_kernel_name(const tsr_ptx *p, size_t index) {
  for (uint32_t k = 0; p && k < p->module->n_functions; k++)
    if (is_kernel(&p->module->functions[k]) && index-- == 0) return p->module->functions[k].name;
  return NULL;
}

const ptx_module *rt_ptx_module(const tsr_ptx *p) {
  return p->module;
}

/* ---- launches ------------------------------------------------------------------------------- */

/* A tsr_arg as the bytes of a parameter. Says what is wrong. */
static bool put_argument(const tsr_ptx *p, const ptx_function *f, size_t index, const tsr_arg *arg,
                         uint8_t *params) {
  const ptx_param *x = &f->params[index];
  tsr_context *ctx = p->device->ctx;
  unsigned size = ptx_types[x->type].bits / 8;
  bool is_array = x->bytes != size;
  if (arg->kind == TSR_ARG_BUFFER) {
    const tsr_buffer *b = arg->buffer;
    if (!b || b->device != p->device) {
      diag_error(ctx, NOWHERE, "%s: got a buffer %s for '%s'", f->name,
                 b ? "of another device" : "that is NULL", x->name);
      return false;
    }
    if (is_array && b->size == x->bytes) {
      memcpy(params + x->offset, b->data, x->bytes);
      return true;
    }
    if (!is_array && size == 8) {
      memcpy(params + x->offset, &b->address, 8);
      return true;
    }
    diag_error(ctx, NOWHERE,
               is_array ? "%s: '%s' has %u bytes, and the buffer for it %zu"
                        : "%s: '%s' has %u bytes, which can't hold a buffer's address",
               f->name, x->name, x->bytes, b->size);
    return false;
  }
  unsigned given = arg->kind == TSR_ARG_ADDRESS ? 8 : (tsr_elem_bits((tsr_elem)arg->elem) + 7) / 8;
  if (is_array || given != size) {
    diag_error(ctx, NOWHERE, "%s: '%s' has %u bytes, and the argument for it %u", f->name, x->name,
               x->bytes, given);
    return false;
  }
  memcpy(params + x->offset, &arg->bits, size);
  return true;
}

static emu_launch_options launch_options(const tsr_ptx *p, const ptx_function *f,
                                         const tsr_ptx_launch *how) {
  emu_launch_options o = {.dynamic_shared = how->dynamic_shared,
                          .cooperative = how->cooperative,
                          .schedule = (emu_schedule)how->schedule,
                          .async = (emu_async_mode)how->async,
                          .seed = how->seed,
                          .threads = p->device->threads,
                          .max_steps = how->max_instructions,
                          .on_output = p->device->on_output,
                          .output_user = p->device->output_user};
  bool no_block = !how->block[0] && !how->block[1] && !how->block[2];
  for (int k = 0; k < 3; k++) {
    o.grid[k] = MAX(how->grid[k], 1u);
    o.block[k] =
        no_block && f->required_threads[0] ? f->required_threads[k] : MAX(how->block[k], 1u);
    o.cluster[k] = how->cluster[k];
  }
  return o;
}

static tsr_status launch(const tsr_ptx *p, const ptx_function *f, const tsr_ptx_launch *how,
                         const tsr_arg *args, uint8_t *params) {
  bool good = true;
  for (uint32_t k = 0; k < f->n_params; k++) good &= put_argument(p, f, k, &args[k], params);
  if (!good) return TSR_ERROR_USAGE;
  emu_launch_options o = launch_options(p, f, how);
  o.params = params;
  o.watcher = p->device->emu_watcher;
  return emu_run(p->image, f, &o, NULL);
}

tsr_status tsr_ptx_run(tsr_ptx *p, const char *kernel, const tsr_ptx_launch *how,
                       const tsr_arg *args, size_t arg_count) {
  if (!p) return TSR_ERROR_USAGE;
  tsr_context *ctx = p->device->ctx;
  const ptx_function *f = ptx_find_entry(p->module, kernel);
  if (!how || how->struct_size != sizeof *how) {
    diag_error(ctx, NOWHERE, "tsr_ptx_launch.struct_size is %zu: set it to sizeof(tsr_ptx_launch)",
               how ? how->struct_size : 0);
    return TSR_ERROR_USAGE;
  }
  if (!f) {
    diag_error(ctx, NOWHERE, kernel ? "there is no entry '%s'" : "there is not exactly one entry%s",
               kernel ? kernel : "");
    return TSR_ERROR_USAGE;
  }
  if (arg_count != f->n_params || (arg_count && !args)) {
    diag_error(ctx, NOWHERE, "'%s' takes %u argument%s, not %zu", f->name, f->n_params,
               f->n_params == 1 ? "" : "s", arg_count);
    return TSR_ERROR_USAGE;
  }
  uint8_t *params = ctx_try_alloc(ctx, (size_t)f->param_bytes + 16);
  if (!params) {
    diag_error(ctx, NOWHERE, "out of memory");
    return TSR_ERROR_MEMORY;
  }
  memset(params, 0, (size_t)f->param_bytes + 16);
  tsr_status status = launch(p, f, how, args, params);
  ctx_free(ctx, params, (size_t)f->param_bytes + 16);
  return status;
}
