/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The devices "cuda:0", …: NVIDIA's GPUs, through the driver library. A device uses its card's
 * primary context, as CUDA's runtime and PyTorch do, so memory and streams are shared with them.
 *
 * A module is compiled to PTX by the backend, which the driver's linker makes machine code of; that
 * is kept on disk. Where TESSERA_PTXAS names an assembler, or the driver has none that takes this
 * PTX, ptxas does it. A driver without a linker is given the PTX.
 *
 * A kernel that has a form with tensor maps is launched in it when all of them can be made, which
 * is done by the driver for every launch, on the host (gpu/nvptx/nvptx.h). One in clusters needs
 * nothing more: its code says how large they are.
 *
 * Launches. tsr_launch puts a kernel on the device's own stream and waits; tsr_launch_on only puts
 * it there: one call of the driver beside reading the arguments, no memory, no waiting. Memory,
 * streams and events are those of all cards (rt/card.h).
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "rt/cached.h"
#include "rt/card.h"
#include "rt/cuda_driver.h"
#include "rt/gpu.h"
#include "rt/gpu_cached.h"
#include "rt/ptxas.h"
#include "rt/shared_base.h"
#include "rt/tensor_maps.h"

typedef struct cuda_device {
  rt_card card;
  const cuda_driver *driver;
  cu_device device;
  cu_object context;
  unsigned multiprocessors;
  uint32_t shared_base; /* where dynamic shared memory begins, once `knows_base` */
  _Atomic bool knows_base;
  char arch[16];            /* the card's own: "sm_90a" */
  char assembler[PATH_MAX]; /* who makes machine code, for the cache */
} cuda_device;

/* What was loaded of a program's code. */
typedef struct loaded {
  const cuda_driver *driver;
  cu_object module;
} loaded;

/* ---- calls ---------------------------------------------------------------------------------- */

static const cuda_device *of_card(const rt_card *c) {
  return (const cuda_device *)(const void *)c;
}

/* Makes the device's context the thread's; `pushed` says whether it has to be taken back. */
static cu_result enter(const rt_card *card, int *pushed) {
  const cuda_device *c = of_card(card);
  cu_object now = NULL;
  *pushed = false;
  if (c->driver->context_current(&now) == CU_OK && now == c->context) return CU_OK;
  cu_result r = c->driver->context_push(c->context);
  *pushed = r == CU_OK;
  return r;
}

static void leave(const rt_card *card, int pushed) {
  cu_object old;
  if (pushed) of_card(card)->driver->context_pop(&old);
}

static const card_vendor vendor = {
    .name = "cuda",
    .library = "CUDA",
    .enter = enter,
    .leave = leave,
    .is_device_memory = card_is_device_memory,
};

/* ---- the device ----------------------------------------------------------------------------- */

size_t rt_cuda_count(void) {
  const char *why;
  int n = 0;
  const cuda_driver *d = cuda_driver_get(&why);
  return d && d->device_count(&n) == CU_OK && n > 0 ? (size_t)n : 1;
}

typedef struct card {
  cu_device device;
  char name[128];
  int major, minor, multiprocessors;
  size_t memory;
} card;

static cu_result find_card(const cuda_driver *d, unsigned ordinal, card *out) {
  cu_result r = d->device_get(&out->device, (int)ordinal);
  if (r == CU_OK) r = d->device_name(out->name, sizeof out->name, out->device);
  if (r == CU_OK) r = d->device_memory(&out->memory, out->device);
  if (r == CU_OK) r = d->device_attribute(&out->major, CU_ATTRIBUTE_MAJOR, out->device);
  if (r == CU_OK) r = d->device_attribute(&out->minor, CU_ATTRIBUTE_MINOR, out->device);
  if (r == CU_OK)
    r = d->device_attribute(&out->multiprocessors, CU_ATTRIBUTE_MULTIPROCESSORS, out->device);
  return r;
}

size_t rt_cuda_describe(unsigned ordinal, char *out, size_t size) {
  const char *why;
  char words[256];
  card found;
  const cuda_driver *d = cuda_driver_get(&why);
  if (!d) return (size_t)snprintf(out, size, "not usable: %s", why);
  cu_result r = find_card(d, ordinal, &found);
  if (r != CU_OK)
    return (size_t)snprintf(out, size, "not usable: %s", cuda_words(d, r, words, sizeof words));
  const gpu_target *target = gpu_target_for((unsigned)found.major, (unsigned)found.minor);
  return (size_t)snprintf(out, size,
                          "%s, compute capability %d.%d (%s), %d multiprocessors, %.1f GB, driver "
                          "of CUDA %d.%d",
                          found.name, found.major, found.minor,
                          target ? target->name : "too old: 8.0 is needed", found.multiprocessors,
                          (double)found.memory / 1e9, d->version / 1000, d->version % 1000 / 10);
}

static size_t describe_first(const rt_device_kind *kind, char *out, size_t size) {
  (void)kind;
  return rt_cuda_describe(0, out, size);
}

/* Machine code depends on who makes it. */
static void name_assembler(cuda_device *c) {
  char path[PATH_MAX];
  struct stat st;
  const char *asked = secure_getenv("TESSERA_PTXAS");
  if (asked && *asked && ptxas_find(path, sizeof path) && stat(path, &st) == 0)
    snprintf(c->assembler, sizeof c->assembler, "ptxas %lld %lld", (long long)st.st_size,
             (long long)st.st_mtime);
  else
    snprintf(c->assembler, sizeof c->assembler, "driver %d", c->driver->version);
}

static bool open_card(tsr_device *dev, const card *found) {
  cuda_device *c = dev->cuda;
  cu_object context;
  char what[64];
  snprintf(what, sizeof what, "the device 'cuda:%u'", dev->ordinal);
  c->device = found->device;
  c->multiprocessors = (unsigned)MAX(found->multiprocessors, 1);
  c->card.target = gpu_target_for((unsigned)found->major, (unsigned)found->minor);
  if (!c->card.target) {
    diag_error(dev->ctx, NOWHERE,
               "%s is a %s of compute capability %d.%d: code is made for 8.0 and newer", what,
               found->name, found->major, found->minor);
    return false;
  }
  bool own = c->card.target->sm == (unsigned)(found->major * 10 + found->minor);
  if (own)
    snprintf(c->arch, sizeof c->arch, "%s", c->card.target->name);
  else
    snprintf(c->arch, sizeof c->arch, "sm_%d%d", found->major, found->minor);
  cu_result r = c->driver->primary_retain(&context, c->device);
  if (r != CU_OK) {
    card_report(dev, r, what);
    return false;
  }
  c->context = context;
  return card_open_stream(dev, what);
}

static bool cuda_open(tsr_device *dev, const tsr_device_options *options) {
  const char *why;
  card found;
  const cuda_driver *d = cuda_driver_get(&why);
  if (!d) {
    diag_error(dev->ctx, NOWHERE, "the device 'cuda:%u' cannot be used: %s", dev->ordinal, why);
    return false;
  }
  if (dev->ordinal >= rt_cuda_count()) {
    diag_error(dev->ctx, NOWHERE,
               "there is no device 'cuda:%u': the driver knows cuda:0 to cuda:%zu", dev->ordinal,
               rt_cuda_count() - 1);
    return false;
  }
  dev->cuda = ctx_alloc(dev->ctx, sizeof *dev->cuda);
  *dev->cuda = (cuda_device){.card = {.vendor = &vendor, .calls = &d->calls}, .driver = d};
  dev->card = &dev->cuda->card;
  cu_result r = find_card(d, dev->ordinal, &found);
  if (r != CU_OK) {
    card_report(dev, r, "asking the driver about its device");
    return false;
  }
  if (!open_card(dev, &found)) return false;
  name_assembler(dev->cuda);
  rt_open_cache(dev, options);
  return true;
}

static void cuda_close(tsr_device *dev) {
  cuda_device *c = dev->cuda;
  rt_close_cache(dev);
  if (!c) return;
  card_close_stream(dev);
  if (c->context) c->driver->primary_release(c->device);
  ctx_free(dev->ctx, c, sizeof *c);
  dev->cuda = NULL;
  dev->card = NULL;
}

/* ---- machine code --------------------------------------------------------------------------- */

/* The driver's messages about code. */
typedef struct jit_log {
  char text[8192];
  int options[2];
  void *values[2];
} jit_log;

static void begin_log(jit_log *log) {
  log->text[0] = 0;
  log->options[0] = CU_OPTION_ERROR_LOG;
  log->options[1] = CU_OPTION_ERROR_LOG_SIZE;
  log->values[0] = log->text;
  log->values[1] = (void *)(uintptr_t)sizeof log->text;
}

static bool report_code(tsr_device *dev, cu_result r, const jit_log *log) {
  char words[256];
  cuda_words(dev->cuda->driver, r, words, sizeof words);
  int n = (int)strlen(log->text) - 1;
  while (n >= 0 && strchr("\n \t", log->text[n])) n--;
  rt_error(dev, "the driver does not take the code for %s: %s%s%.*s", dev->cuda->arch, words,
           n >= 0 ? ": " : "", n + 1, log->text);
  return false;
}

/* PTX to machine code by the driver. */
static cu_result link_ptx(const cuda_driver *d, gpu_program *code, jit_log *log) {
  cu_object state;
  void *cubin;
  size_t size;
  begin_log(log);
  cu_result r = d->link_create(2, log->options, log->values, &state);
  if (r != CU_OK) return r;
  r = d->link_add(state, CU_INPUT_PTX, (void *)(uintptr_t)code->ptx.data, code->ptx.len + 1,
                  "<tessera>", 0, NULL, NULL);
  if (r == CU_OK) r = d->link_complete(state, &cubin, &size);
  if (r == CU_OK) {
    code->binary = (str){arena_strndup(&code->arena, cubin, size), size};
    code->is_machine_code = true;
  }
  d->link_destroy(state);
  return r;
}

static bool assemble(tsr_device *dev, gpu_program *code) {
  code->is_machine_code = true;
  return ptxas_run(dev->ctx, &code->arena, code->ptx, dev->cuda->arch, &code->binary, NULL);
}

/* Fills in code->binary. Reports and returns false. */
static bool make_binary(tsr_device *dev, gpu_program *code, jit_log *log) {
  const cuda_driver *d = dev->cuda->driver;
  const char *asked = secure_getenv("TESSERA_PTXAS");
  char path[PATH_MAX];
  if (asked && *asked) return assemble(dev, code);
  if (!d->link_create || !d->link_add || !d->link_complete || !d->link_destroy) {
    code->binary = code->ptx;
    return true;
  }
  cu_result r = link_ptx(d, code, log);
  if (r == CU_OK) return true;
  bool no_compiler = r == CU_JIT_COMPILER_NOT_FOUND || r == CU_UNSUPPORTED_PTX_VERSION;
  if (no_compiler && ptxas_find(path, sizeof path)) return assemble(dev, code);
  return report_code(dev, r, log);
}

/* ---- kernels -------------------------------------------------------------------------------- */

static void unload(gpu_program *code) {
  loaded *l = code->image;
  l->driver->module_unload(l->module);
}

/* In the device's context. */
static bool load(tsr_device *dev, gpu_program *code) {
  const cuda_driver *d = dev->cuda->driver;
  jit_log *log = arena_new(&code->arena, jit_log);
  loaded *l = arena_new(&code->arena, loaded);
  if (code->image) return true;
  bool made = !code->binary.len;
  if (made && !make_binary(dev, code, log)) return false;
  begin_log(log);
  cu_result r = d->module_load(&l->module, code->binary.data, 2, log->options, log->values);
  if (r != CU_OK) return report_code(dev, r, log);
  l->driver = d;
  code->image = l;
  if (made && dev->cache) gpu_cached_store(code->program, code);
  return true;
}

static bool find_function(tsr_kernel *k, const nvptx_entry *e, const void **out) {
  enum { SHARED_WITHOUT_ASKING = 48 << 10 };
  tsr_device *dev = k->program->device;
  const cuda_driver *d = dev->cuda->driver;
  cu_object function;
  const loaded *l = k->gpu.code->image;
  cu_result r = d->module_function(&function, l->module, e->symbol);
  if (r == CU_OK && e->shared_bytes + e->static_bytes > SHARED_WITHOUT_ASKING)
    r = d->function_set(function, CU_FUNCTION_DYNAMIC_SHARED, (int)e->shared_bytes);
  *out = function;
  if (r == CU_OK) return true;
  card_report(dev, r, k->name);
  return false;
}

/* A cluster's blocks lie on neighbouring multiprocessors, of which a card may have fewer together
 * than there are in all: parts of it were switched off, or others use them. */
static void ask_for_clusters(tsr_kernel *k, const nvptx_entry *e) {
  const cuda_driver *d = k->program->device->cuda->driver;
  struct cu_launch_attribute cluster = {.id = CU_ATTRIBUTE_CLUSTER};
  cu_launch_config config = {.block = {e->threads, 1, 1},
                             .shared = e->shared_bytes,
                             .attributes = &cluster,
                             .n_attributes = 1};
  int fit = 0;
  if (!d->clusters_at_once) return;
  for (unsigned i = 0; i < 3; i++) config.grid[i] = cluster.value.cluster[i] = e->cluster[i];
  cu_result r = d->clusters_at_once(&fit, (cu_object)(uintptr_t)k->gpu.clustered_function, &config);
  if (r != CU_OK) return; /* a launch will say what is wrong */
  k->gpu.clusters = (unsigned)fit;
  if (!fit) k->gpu.clustered_function = NULL;
}

/* Of a persistent form, in multiprocessors. */
static unsigned room_for(const rt_launch_state *l, const nvptx_entry *e) {
  unsigned all = l->device->cuda->multiprocessors, clusters = l->kernel->gpu.clusters;
  if (e == l->kernel->gpu.entry || e == l->kernel->gpu.entry->bulk || !clusters) return all;
  unsigned blocks = clusters * e->cluster[0] * e->cluster[1] * e->cluster[2];
  return MIN(all, MAX(blocks / MAX(e->blocks_per_sm, 1), 1));
}

/* Whether this card's shared memory begins where the code counts on. What keeps one from looking is
 * said by a launch. */
static bool is_aligned(cuda_device *c, const nvptx_entry *e) {
  enum { ALL_HAVE = 128 };
  uint32_t base = 0;
  if (e->shared_align <= ALL_HAVE) return true;
  if (!c->knows_base) {
    if (cuda_shared_base(c->driver, c->card.stream.native, &base) != CU_OK) return true;
    c->shared_base = base;
    c->knows_base = true;
  }
  return c->shared_base % e->shared_align == 0;
}

static bool check_alignment(const tsr_kernel *k) {
  const nvptx_entry *e = k->gpu.entry;
  tsr_device *dev = k->program->device;
  if (is_aligned(dev->cuda, e)) return true;
  rt_error(
      dev,
      "'%s': shared memory begins at 0x%x on this card with this driver, but the kernel's matrix "
      "descriptors need a multiple of %u; use a kernel without wgmma, such as code for sm_80",
      k->name, dev->cuda->shared_base, e->shared_align);
  return false;
}

static bool find_functions(tsr_kernel *k) {
  const nvptx_entry *e = k->gpu.entry;
  cuda_device *c = k->program->device->cuda;
  if (!check_alignment(k) || !find_function(k, e, &k->gpu.function)) return false;
  if (!e->bulk || !c->driver->encode_tiled || !is_aligned(c, e->bulk)) return true;
  if (!find_function(k, e->bulk, &k->gpu.bulk_function)) return false;
  const nvptx_entry *clustered = e->bulk->clustered;
  if (!clustered) return true;
  if (!find_function(k, clustered, &k->gpu.clustered_function)) return false;
  ask_for_clusters(k, clustered);
  return true;
}

/* Returns false also when memory runs out. */
static bool load_kernel(tsr_kernel *k) {
  tsr_device *dev = k->program->device;
  TSR_GUARD(dev->ctx, return false);
  bool good = load(dev, k->gpu.code) && find_functions(k);
  TSR_UNGUARD(dev->ctx);
  return good;
}

static bool cuda_prepare(tsr_kernel *k) {
  tsr_device *dev = k->program->device;
  cuda_device *c = dev->cuda;
  int pushed;
  if (!gpu_acquire(k, c->card.target->name, c->assembler)) return false;
  cu_result r = enter(&c->card, &pushed);
  if (r != CU_OK) card_report(dev, r, k->name);
  bool good = r == CU_OK && load_kernel(k);
  if (!good) gpu_release(k, unload);
  leave(&c->card, pushed);
  return good;
}

static void cuda_release(tsr_kernel *k) {
  const cuda_device *c = k->program->device->cuda;
  int pushed = false;
  enter(&c->card, &pushed);
  gpu_release(k, unload);
  leave(&c->card, pushed);
}

/* ---- launches ------------------------------------------------------------------------------- */

enum {
  MAP_BYTES = 128,
  MAP_WORDS = 64 /* arguments of the kernels that have maps */
};

/* The form of the kernel that is launched, and its maps. */
static const nvptx_entry *choose_form(rt_launch_state *l, rt_tensor *tensors) {
  const gpu_kernel *k = &l->kernel->gpu;
  bool may = k->bulk_function && k->entry->n_params <= MAP_WORDS;
  return may || k->entry->n_maps ? gpu_choose_form(l, l->args, tensors) : k->entry;
}

/* A persistent form's grid is the card's, whatever that of the tile blocks is. */
static bool fits_card(rt_launch_state *l) {
  enum { MOST_YZ = 65535 };
  rt_tensor tensors[RT_MOST_TENSORS];
  if (l->grid.y <= MOST_YZ && l->grid.z <= MOST_YZ) return true;
  const nvptx_entry *e = choose_form(l, tensors);
  if (!e || (e != l->kernel->gpu.entry && e->blocks_per_sm)) return e != NULL;
  rt_error(l->device, "'%s': a grid of %u x %u x %u tile blocks: a GPU takes at most %d in y and z",
           l->kernel->name, l->grid.x, l->grid.y, l->grid.z, MOST_YZ);
  rt_fail(l, TSR_ERROR_USAGE);
  return false;
}

/* Parameters by their addresses, or packed. */
static cu_result put_function(const rt_launch_state *l, const nvptx_entry *e,
                              const uint32_t blocks[3], const void *function, void **params,
                              void **packed, cu_object stream) {
  return l->device->cuda->driver->launch((cu_object)(uintptr_t)function, blocks[0], blocks[1],
                                         blocks[2], e->threads, 1, 1, e->shared_bytes, stream,
                                         params, packed);
}

static cu_result encode(const cuda_driver *d, const rt_tensor *t, void *object) {
  static const unsigned steps[SIMT_MAP_RANK] = {1, 1, 1, 1, 1};
  int swizzle = t->swizzle ? __builtin_ctz(t->swizzle) - 4 : 0;
  return d->encode_tiled(object, (int)t->type, t->rank, (void *)(uintptr_t)t->address, t->dims,
                         t->strides, t->box, steps, 0, swizzle, CU_MAP_L2_256, 0);
}

/* The words, those of the grid where the kernel walks, and the maps, each by its address: where a
 * map lies among packed parameters depends on the card. */
static cu_result put_bulk(const rt_launch_state *l, const nvptx_entry *e, const rt_tensor *tensors,
                          cu_object stream) {
  _Alignas(64) uint8_t maps[RT_MOST_TENSORS][MAP_BYTES];
  void *params[MAP_WORDS + NVPTX_GRID_WORDS + RT_MOST_TENSORS];
  const uint32_t grid[3] = {l->grid.x, l->grid.y, l->grid.z};
  uint32_t blocks[3], n = 0;
  uint64_t walk[NVPTX_GRID_WORDS];
  unsigned more = rt_walk_of(e, grid, room_for(l, e), blocks, walk);
  for (uint32_t i = 0; i < e->n_params; i++) params[n++] = (void *)(uintptr_t)&l->args[i];
  for (unsigned i = 0; i < more; i++) params[n++] = &walk[i];
  for (uint32_t i = 0; i < e->n_maps; i++) {
    cu_result r = encode(l->device->cuda->driver, &tensors[i], maps[i]);
    if (r != CU_OK) return r;
    params[n++] = maps[i];
  }
  return put_function(l, e, blocks, gpu_function_of(&l->kernel->gpu, e), params, NULL, stream);
}

static cu_result put(rt_launch_state *l, cu_object stream) {
  const gpu_kernel *k = &l->kernel->gpu;
  const uint32_t grid[3] = {l->grid.x, l->grid.y, l->grid.z};
  rt_tensor tensors[RT_MOST_TENSORS];
  const nvptx_entry *e = choose_form(l, tensors);
  if (!e) return CU_OK; /* it was reported */
  if (e != k->entry || e->n_maps) return put_bulk(l, e, tensors, stream);
  size_t bytes = l->kernel->n_params * sizeof(uint64_t);
  void *packed[] = {CU_PARAM_BUFFER, (void *)(uintptr_t)l->args, CU_PARAM_SIZE, &bytes,
                    CU_PARAM_END};
  return put_function(l, k->entry, grid, k->function, NULL, bytes ? packed : NULL, stream);
}

static void cuda_launch(rt_launch_state *l) {
  char what[256];
  cu_result r = fits_card(l) ? card_launch(l, put) : CU_OK;
  if (r == CU_OK) return;
  snprintf(what, sizeof what, "'%s' on cuda:%u", l->kernel->name, l->device->ordinal);
  rt_fail(l, card_report(l->device, r, what));
}

const rt_device_kind rt_cuda = {
    .name = "cuda",
    .open = cuda_open,
    .close = cuda_close,
    .describe = describe_first,
    .prepare = cuda_prepare,
    .release = cuda_release,
    .launch = cuda_launch,
    .map = card_map,
    .unmap = card_unmap,
    .streams = &card_streams,
};
