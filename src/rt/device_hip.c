/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The devices "hip:0", …: AMD's GPUs, through HIP. A device is HIP's of that number, whose memory
 * and streams other libraries of the process share, PyTorch among them.
 *
 * A module is compiled to a code object by the backend, which is kept on disk and loaded as it is.
 *
 * Launches. tsr_launch puts a kernel on the device's own stream and waits; tsr_launch_on only puts
 * it there. What kernels print lies in a variable of the module (gpu/amdgcn/amdgcn.h), so launches
 * of a module that prints come one after the other, and each waits for its stream, also those that
 * are put on one. A failed assert ends the process in ROCm's runtime unless that is told otherwise;
 * where it does not, the launch says which it was.
 */
#include <stdio.h>
#include <stdlib.h>

#include "rt/amd.h"
#include "rt/amd_reports.h"
#include "rt/cached.h"
#include "rt/card.h"
#include "rt/hip_library.h"

typedef struct hip_device {
  rt_card card;
  const hip_library *hip;
  int ordinal;
} hip_device;

/* What was loaded of a program's code. */
typedef struct loaded {
  const hip_library *hip;
  card_object module;
  card_address report, prints; /* the module's variables; 0: it has none */
  pthread_mutex_t one;         /* held by a launch of a module that prints */
} loaded;

/* ---- calls ---------------------------------------------------------------------------------- */

static const hip_device *of_card(const rt_card *c) {
  return (const hip_device *)(const void *)c;
}

/* Makes the device the thread's; `before` is the one that it had, or -1: the same. */
static card_result enter(const rt_card *card, int *before) {
  const hip_device *d = of_card(card);
  int now = -1;
  *before = -1;
  if (d->hip->device_current(&now) == CARD_OK && now == d->ordinal) return CARD_OK;
  card_result r = d->hip->device_set(d->ordinal);
  if (r == CARD_OK) *before = now;
  return r;
}

static void leave(const rt_card *card, int before) {
  if (before >= 0) of_card(card)->hip->device_set(before);
}

/* HIP keeps the last error of a thread, which other libraries look at: that memory is the host's is
 * none. */
static bool is_device_memory(const rt_card *card, const void *memory) {
  const hip_library *hip = of_card(card)->hip;
  bool clean = hip->error_peek() == CARD_OK;
  bool is = card_is_device_memory(card, memory);
  if (clean) hip->error_take();
  return is;
}

static void forget(const rt_card *card) {
  of_card(card)->hip->error_take();
}

static const card_vendor vendor = {
    .name = "hip",
    .library = "HIP",
    .enter = enter,
    .leave = leave,
    .is_device_memory = is_device_memory,
    .forget = forget,
};

/* ---- the device ----------------------------------------------------------------------------- */

size_t rt_hip_count(void) {
  const char *why;
  int n = 0;
  const hip_library *h = hip_library_get(&why);
  return h && h->device_count(&n) == CARD_OK && n > 0 ? (size_t)n : 1;
}

/* "gfx942" of "gfx942:sramecc+:xnack-". */
static str processor_of(const hip_properties *p) {
  return (str){p->arch, strcspn(p->arch, ":")};
}

static const gpu_target *target_of(const hip_properties *p) {
  str name = processor_of(p);
  const gpu_target *t;
  for (size_t i = 0; (t = gpu_target_at(i)); i++)
    if (t->vendor == GPU_AMD && str_eq(name, str_of(t->name))) return t;
  return NULL;
}

/* "gfx90a, gfx942, …" */
static const char *supported(char *out, size_t size) {
  const gpu_target *t;
  size_t n = 0;
  out[0] = 0;
  for (size_t i = 0; (t = gpu_target_at(i)); i++)
    if (t->vendor == GPU_AMD && n < size)
      n += (size_t)snprintf(out + n, size - n, "%s%s", n ? ", " : "", t->name);
  return out;
}

size_t rt_hip_describe(unsigned ordinal, char *out, size_t size) {
  const char *why;
  char words[256];
  hip_properties p = {0};
  const hip_library *h = hip_library_get(&why);
  if (!h) return (size_t)snprintf(out, size, "not usable: %s", why);
  card_result r = h->properties(&p, (int)ordinal);
  if (r != CARD_OK)
    return (size_t)snprintf(out, size, "not usable: %s",
                            card_words(&h->calls, "HIP", r, words, sizeof words));
  char names[128], no_code[192] = "";
  str processor = processor_of(&p);
  if (!target_of(&p))
    snprintf(no_code, sizeof no_code, " (no code is made for it: there are %s)",
             supported(names, sizeof names));
  return (size_t)snprintf(out, size, "%s, " STR_FMT "%s, %d compute units, %.1f GB, HIP %d.%d",
                          p.name, STR_ARG(processor), no_code, p.multiprocessors,
                          (double)p.memory / 1e9, h->version / 10000000, h->version / 100000 % 100);
}

static size_t describe_first(const rt_device_kind *kind, char *out, size_t size) {
  (void)kind;
  return rt_hip_describe(0, out, size);
}

static bool find_target(tsr_device *dev, const hip_properties *p) {
  char names[128];
  str processor = processor_of(p);
  dev->card->target = target_of(p);
  if (dev->card->target) return true;
  diag_error(dev->ctx, NOWHERE,
             "the device 'hip:%u' is a %s with the processor " STR_FMT ": code is made for %s",
             dev->ordinal, p->name, STR_ARG(processor), supported(names, sizeof names));
  return false;
}

static bool open_card(tsr_device *dev) {
  char what[64];
  hip_properties p = {0};
  card_result r = dev->hip->hip->properties(&p, dev->hip->ordinal);
  if (r != CARD_OK) {
    card_report(dev, r, "asking HIP about its device");
    return false;
  }
  snprintf(what, sizeof what, "the device 'hip:%u'", dev->ordinal);
  return find_target(dev, &p) && card_open_stream(dev, what);
}

static bool hip_open(tsr_device *dev, const tsr_device_options *options) {
  const char *why;
  const hip_library *h = hip_library_get(&why);
  if (!h) {
    diag_error(dev->ctx, NOWHERE, "the device 'hip:%u' cannot be used: %s", dev->ordinal, why);
    return false;
  }
  if (dev->ordinal >= rt_hip_count()) {
    diag_error(dev->ctx, NOWHERE, "there is no device 'hip:%u': HIP knows hip:0 to hip:%zu",
               dev->ordinal, rt_hip_count() - 1);
    return false;
  }
  dev->hip = ctx_alloc(dev->ctx, sizeof *dev->hip);
  *dev->hip = (hip_device){
      .card = {.vendor = &vendor, .calls = &h->calls}, .hip = h, .ordinal = (int)dev->ordinal};
  dev->card = &dev->hip->card;
  if (!open_card(dev)) return false;
  rt_open_cache(dev, options);
  return true;
}

static void hip_close(tsr_device *dev) {
  hip_device *d = dev->hip;
  rt_close_cache(dev);
  if (!d) return;
  card_close_stream(dev);
  ctx_free(dev->ctx, d, sizeof *d);
  dev->hip = NULL;
  dev->card = NULL;
}

/* ---- kernels -------------------------------------------------------------------------------- */

static void unload(amd_program *code) {
  loaded *l = code->image;
  pthread_mutex_destroy(&l->one);
  l->hip->module_unload(l->module);
}

/* A variable of the module, its first word set to 0; 0 where the module has none. */
static card_result find_variable(const hip_device *d, card_object module, const char *name,
                                 bool expected, card_address *out) {
  size_t bytes;
  *out = 0;
  if (!expected) return CARD_OK;
  card_result r = d->hip->module_global(out, &bytes, module, name);
  if (r == CARD_OK) r = d->hip->fill_on(*out, 0, sizeof(uint32_t), d->card.stream.native);
  return r == CARD_OK ? card_finish(&d->card, r) : r;
}

static card_result load_module(const hip_device *d, const amdgcn_result *made, loaded *l) {
  card_result r = d->hip->module_load(&l->module, made->text.data);
  if (r != CARD_OK) return r;
  r = find_variable(d, l->module, AMDGCN_REPORT, made->asserts.len, &l->report);
  if (r == CARD_OK) r = find_variable(d, l->module, AMDGCN_PRINTS, made->prints.len, &l->prints);
  if (r != CARD_OK) d->hip->module_unload(l->module);
  return r;
}

/* On the device. */
static bool load(tsr_device *dev, amd_program *code) {
  const hip_device *d = dev->hip;
  char words[256];
  if (code->image) return true;
  loaded *l = arena_new(&code->arena, loaded);
  *l = (loaded){.hip = d->hip};
  card_result r = load_module(d, &code->made, l);
  if (r != CARD_OK) {
    rt_error(dev, "HIP does not take the code for %s: %s", d->card.target->name,
             card_words(&d->hip->calls, "HIP", r, words, sizeof words));
    return false;
  }
  pthread_mutex_init(&l->one, NULL);
  code->image = l;
  return true;
}

static bool find_function(tsr_kernel *k) {
  tsr_device *dev = k->program->device;
  const loaded *l = k->amd.code->image;
  card_object function;
  card_result r = dev->hip->hip->module_function(&function, l->module, k->amd.entry->symbol);
  k->amd.function = function;
  if (r == CARD_OK) return true;
  card_report(dev, r, k->name);
  return false;
}

/* Returns false also when memory runs out. */
static bool load_kernel(tsr_kernel *k) {
  tsr_device *dev = k->program->device;
  TSR_GUARD(dev->ctx, return false);
  bool good = load(dev, k->amd.code) && find_function(k);
  TSR_UNGUARD(dev->ctx);
  return good;
}

static bool hip_prepare(tsr_kernel *k) {
  tsr_device *dev = k->program->device;
  const hip_device *d = dev->hip;
  int before;
  if (!amd_acquire(k, d->card.target, true)) return false;
  card_result r = enter(&d->card, &before);
  if (r != CARD_OK) card_report(dev, r, k->name);
  bool good = r == CARD_OK && load_kernel(k);
  if (!good) amd_release(k, unload);
  leave(&d->card, before);
  return good;
}

static void hip_release(tsr_kernel *k) {
  const hip_device *d = k->program->device->hip;
  int before = -1;
  enter(&d->card, &before);
  amd_release(k, unload);
  leave(&d->card, before);
}

/* ---- prints --------------------------------------------------------------------------------- */

/* Of a launch that has ended: copies what was left, and prints it. */
static card_result take_prints(rt_launch_state *l, uint8_t *words, card_object stream) {
  const loaded *code = l->kernel->amd.code->image;
  const hip_library *hip = code->hip;
  tsr_device *dev = l->device;
  uint32_t used;
  card_result r = hip->to_host_on(words, code->prints, sizeof used, stream);
  if (r == CARD_OK) r = hip->stream_synchronize(stream);
  if (r != CARD_OK) return r;
  memcpy(&used, words, sizeof used);
  size_t bytes = sizeof used + MIN(used, (uint32_t)AMDGCN_PRINT_WORDS) * sizeof used;
  if (used) r = hip->to_host_on(words, code->prints, bytes, stream);
  if (r == CARD_OK) r = hip->stream_synchronize(stream);
  if (r != CARD_OK) return r;
  rt_lock(dev);
  uint64_t lost = amd_put_prints(&l->kernel->amd.code->made, words, amd_print_to_device, dev);
  amd_warn_of_lost_prints(dev, l->kernel->name, lost);
  rt_unlock(dev);
  return CARD_OK;
}

static card_result put_kernel(const rt_launch_state *l, card_object stream) {
  const struct amdgcn_entry *e = l->kernel->amd.entry;
  size_t bytes = l->kernel->n_params * sizeof(uint64_t);
  void *packed[] = {HIP_PARAM_BUFFER, (void *)(uintptr_t)l->args, HIP_PARAM_SIZE, &bytes,
                    HIP_PARAM_END};
  return l->device->hip->hip->launch((card_object)(uintptr_t)l->kernel->amd.function, l->grid.x,
                                     l->grid.y, l->grid.z, e->threads, 1, 1, 0, stream, NULL,
                                     bytes ? packed : NULL);
}

/* With room for what the module prints. */
static card_result put_and_print(rt_launch_state *l, uint8_t *words, card_object stream) {
  loaded *code = l->kernel->amd.code->image;
  pthread_mutex_lock(&code->one);
  card_result r = code->hip->fill_on(code->prints, 0, sizeof(uint32_t), stream);
  if (r == CARD_OK) r = put_kernel(l, stream);
  if (r == CARD_OK) r = take_prints(l, words, stream);
  pthread_mutex_unlock(&code->one);
  return r;
}

static card_result put(rt_launch_state *l, card_object stream) {
  enum { BYTES = (1 + AMDGCN_PRINT_WORDS) * sizeof(uint32_t) };
  const loaded *code = l->kernel->amd.code->image;
  tsr_device *dev = l->device;
  if (!code->prints) return put_kernel(l, stream);
  rt_lock(dev);
  uint8_t *words = ctx_try_alloc(dev->ctx, BYTES);
  rt_unlock(dev);
  if (!words) return CARD_OUT_OF_MEMORY;
  card_result r = put_and_print(l, words, stream);
  rt_lock(dev);
  ctx_free(dev->ctx, words, BYTES);
  rt_unlock(dev);
  return r;
}

/* ---- launches ------------------------------------------------------------------------------- */

/* A grid counts workgroups, of which HIP wants no more than 2^32 - 1 threads along x. */
static bool fits_card(rt_launch_state *l) {
  const struct amdgcn_entry *e = l->kernel->amd.entry;
  if ((uint64_t)l->grid.x * e->threads <= UINT32_MAX) return true;
  rt_error(l->device,
           "'%s': a grid of %u tile blocks of %u threads in x: a GPU takes at most %u, use y",
           l->kernel->name, l->grid.x, e->threads, UINT32_MAX / e->threads);
  rt_fail(l, TSR_ERROR_USAGE);
  return false;
}

/* Which assert ended the launch, where the card still answers; NULL: it was none. */
static const amdgcn_assert *failed_assert(const rt_launch_state *l) {
  const loaded *code = l->kernel->amd.code->image;
  const rt_card *c = l->device->card;
  uint32_t number = 0;
  int before = -1;
  if (!code->report) return NULL;
  card_result r = enter(c, &before);
  if (r == CARD_OK) r = card_copy(c, code->report, &number, sizeof number, false, NULL);
  leave(c, before);
  return r == CARD_OK ? amd_numbered_assert(&l->kernel->amd.code->made, number) : NULL;
}

static void report_launch(rt_launch_state *l, card_result r) {
  char what[256], message[512];
  tsr_device *dev = l->device;
  const amdgcn_assert *a = card_status(r) == TSR_ERROR_TRAP ? failed_assert(l) : NULL;
  snprintf(what, sizeof what, "'%s' on hip:%u", l->kernel->name, dev->ordinal);
  if (!a) {
    rt_fail(l, card_report(dev, r, what));
    return;
  }
  rt_lock(dev);
  amd_assert_message(l->kernel, a, message, sizeof message);
  rt_unlock(dev);
  rt_error(dev, "%s: %s", what, message);
  rt_fail(l, TSR_ERROR_TRAP);
}

static void hip_launch(rt_launch_state *l) {
  card_result r = fits_card(l) ? card_launch(l, put) : CARD_OK;
  if (r != CARD_OK) report_launch(l, r);
}

const rt_device_kind rt_hip = {
    .name = "hip",
    .open = hip_open,
    .close = hip_close,
    .describe = describe_first,
    .prepare = hip_prepare,
    .release = hip_release,
    .launch = hip_launch,
    .map = card_map,
    .unmap = card_unmap,
    .streams = &card_streams,
};
