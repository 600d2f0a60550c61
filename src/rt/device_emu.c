/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The devices "emu:sm_80", …: the PTX emulator. A buffer is host memory that has an address of the
 * emulated card, too.
 */
#include <stdio.h>
#include <stdlib.h>

#include <tessera/ptx.h>

#include "emu/checks.h"
#include "emu/counters.h"
#include "emu/fault.h"
#include "emu/ptx/image.h"
#include "emu/ptx/tensormap.h"
#include "rt/device_emu.h"
#include "rt/launch_emu.h"

/* What launches of one kernel have asked of the card. */
typedef struct counted_kernel {
  struct counted_kernel *next;
  const ptx_function *kernel;
  uint64_t launches;
  counters counters;
  emu_watcher watcher;
} counted_kernel;

struct tsr_ptx {
  tsr_device *device;
  ptx_module *module;
  ptx_image *image;
  checks *checks; /* made when a launch asks for them */
  emu_watcher checker;
  findings found;
  counted_kernel *counted;
};

/* ---- the device ----------------------------------------------------------------------------- */

static const emu_device_info *card_of(const rt_device_kind *kind);

static bool is_amd(const tsr_device *dev) {
  return dev->emu->info->vendor == GPU_AMD;
}

static bool emu_open(tsr_device *dev, const tsr_device_options *options) {
  dev->threads = options->threads;
  dev->emu = emu_device_create(card_of(dev->kind));
  if (!dev->emu) diag_error(dev->ctx, NOWHERE, "out of memory");
  if (dev->emu) dev->emu->host_addresses = options->host_addresses;
  return dev->emu != NULL;
}

static void emu_close(tsr_device *dev) {
  emu_device_destroy(dev->emu);
}

static size_t emu_describe(const rt_device_kind *kind, char *out, size_t size) {
  const emu_device_info *info = card_of(kind);
  bool amd = info->vendor == GPU_AMD;
  return (size_t)snprintf(out, size, "%s emulator: %s with %u %s, %u KB of %s a %s",
                          amd ? "AMD" : "PTX", info->name, info->multiprocessors,
                          amd ? "compute units" : "multiprocessors", info->shared_bytes / 1024,
                          amd ? "LDS" : "shared memory", amd ? "workgroup" : "block");
}

static bool emu_map(tsr_buffer *b) {
  b->address = emu_alloc(b->device->emu, b->size, b->data);
  return b->address != 0;
}
static void emu_unmap(tsr_buffer *b) {
  emu_free(b->device->emu, b->address);
}

/* ---- Tile IR -------------------------------------------------------------------------------- */

static bool emu_prepare(tsr_kernel *k) {
  return is_amd(k->program->device) ? emu_amd_prepare(k) : emu_tile_prepare(k);
}

static void emu_release(tsr_kernel *k) {
  if (is_amd(k->program->device))
    emu_amd_release(k);
  else
    emu_tile_release(k);
}

static void emu_launch(rt_launch_state *l) {
  if (is_amd(l->device))
    emu_amd_launch(l);
  else
    emu_tile_launch(l);
}

/* ---- the kinds ------------------------------------------------------------------------------ */

/* One for each row, in their order, whether it is emulated or not. */
static const rt_device_kind kinds[] = {
#define GPU(id, ...)                                                                               \
  {.name = "emu:" #id,                                                                             \
   .checks = TSR_SANITIZE_ALL,                                                                     \
   .open = emu_open,                                                                               \
   .close = emu_close,                                                                             \
   .describe = emu_describe,                                                                       \
   .prepare = emu_prepare,                                                                         \
   .release = emu_release,                                                                         \
   .launch = emu_launch,                                                                           \
   .map = emu_map,                                                                                 \
   .unmap = emu_unmap},
#include "target/gpu.def"
#undef GPU
};

static const emu_device_info *card_of(const rt_device_kind *kind) {
  return gpu_row_at((size_t)(kind - kinds));
}

const rt_device_kind *rt_emu_kind_of(const gpu_target *gpu) {
  for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
    if (gpu_row_at(i) == gpu) return &kinds[i];
  return NULL;
}

const rt_device_kind *rt_emu_kind_at(size_t index) {
  const gpu_target *t;
  for (size_t i = 0; (t = gpu_row_at(i)); i++)
    if (t->lists & GPU_EMULATED && index-- == 0) return &kinds[i];
  return NULL;
}

/* ---- modules -------------------------------------------------------------------------------- */

static bool is_emulator(const tsr_device *dev) {
  if (dev->emu && !is_amd(dev)) return true;
  diag_error(dev->ctx, NOWHERE,
             "the device '%s' does not execute PTX; open an emulator, as "
             "\"emu:sm_90a\"",
             dev->kind->name);
  return false;
}

tsr_ptx *rt_ptx_check(tsr_device *dev, const char *name, const char *text, size_t length) {
  if (!dev || !is_emulator(dev)) return NULL;
  dev->ctx->errors = 0;
  tsr_ptx *p = ctx_try_alloc(dev->ctx, sizeof *p);
  if (!p) {
    diag_error(dev->ctx, NOWHERE, "out of memory");
    return NULL;
  }
  *p = (tsr_ptx){.device = dev};
  p->module = ptx_parse(dev->ctx, name ? name : "<ptx>", (str){text, text ? length : 0});
  if (p->module && ptx_can_load(dev->emu, p->module)) return p;
  tsr_ptx_destroy(p);
  return NULL;
}

tsr_ptx *tsr_ptx_create(tsr_device *dev, const char *name, const char *text, size_t length) {
  tsr_ptx *p = rt_ptx_check(dev, name, text, length);
  if (!p) return NULL;
  p->image = ptx_image_load(dev->emu, p->module);
  if (p->image) return p;
  tsr_ptx_destroy(p);
  return NULL;
}

static void free_counted(counted_kernel *k) {
  while (k) {
    counted_kernel *next = k->next;
    counters_free(&k->counters);
    free(k);
    k = next;
  }
}

void tsr_ptx_destroy(tsr_ptx *p) {
  if (!p) return;
  free_counted(p->counted);
  checks_destroy(p->checks);
  findings_free(&p->found);
  ptx_image_unload(p->image);
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

bool tsr_ptx_kernel_describe(const tsr_ptx *p, const char *kernel, tsr_ptx_kernel_info *out) {
  const ptx_function *f = p ? ptx_find_entry(p->module, kernel) : NULL;
  if (!f || !out || out->struct_size < offsetof(tsr_ptx_kernel_info, version)) return false;
  tsr_ptx_kernel_info info = (tsr_ptx_kernel_info){.struct_size = out->struct_size,
                                                   .param_count = f->n_params,
                                                   .param_bytes = f->param_bytes,
                                                   .max_registers = f->max_registers,
                                                   .static_shared = f->shared_bytes,
                                                   .local = f->local_bytes,
                                                   .version = p->module->version};
  memcpy(info.required_threads, f->required_threads, sizeof info.required_threads);
  memcpy(info.max_threads, f->max_threads, sizeof info.max_threads);
  memcpy(info.cluster, f->cluster, sizeof info.cluster);
  memcpy(out, &info, MIN(out->struct_size, sizeof info));
  return true;
}

bool tsr_ptx_kernel_parameter(const tsr_ptx *p, const char *kernel, size_t index, uint32_t *offset,
                              uint32_t *bytes) {
  const ptx_function *f = p ? ptx_find_entry(p->module, kernel) : NULL;
  if (!f || index >= f->n_params) return false;
  if (offset) *offset = f->params[index].offset;
  if (bytes) *bytes = f->params[index].bytes;
  return true;
}

bool tsr_ptx_variable(const tsr_ptx *p, const char *name, uint64_t *address, uint64_t *bytes) {
  uint64_t at, size;
  if (!p || !name || !ptx_image_symbol(p->image, name, &at, &size)) return false;
  if (address) *address = at;
  if (bytes) *bytes = size;
  return true;
}

tsr_status tsr_ptx_map(tsr_device *dev, void *memory, size_t bytes) {
  if (!dev || !dev->emu || !dev->emu->host_addresses) return TSR_ERROR_USAGE;
  if (!bytes) return TSR_OK;
  if (emu_alloc(dev->emu, bytes, memory)) return TSR_OK;
  const emu_allocation *a = emu_find(dev->emu, (uintptr_t)memory);
  bool known = a && a->host == memory && a->bytes == bytes && !a->freed;
  return known ? TSR_OK : a && !a->freed ? TSR_ERROR_USAGE : TSR_ERROR_MEMORY;
}

void tsr_ptx_unmap(tsr_device *dev, void *memory) {
  if (dev && dev->emu && dev->emu->host_addresses) emu_free(dev->emu, (uintptr_t)memory);
}

tsr_status tsr_ptx_map_process(tsr_device *dev) {
  if (!dev || !dev->emu || !dev->emu->host_addresses) return TSR_ERROR_USAGE;
  dev->emu->whole_process = true;
  return TSR_OK;
}

/* ---- launches ------------------------------------------------------------------------------- */

static rt_emu_parameter parameter_of(const ptx_function *f, size_t index) {
  const ptx_param *x = &f->params[index];
  return (rt_emu_parameter){.name = x->name,
                            .offset = x->offset,
                            .bytes = x->bytes,
                            .is_array = x->bytes != ptx_types[x->type].bits / 8};
}

/* Who watches a launch. False when there is no memory for the checks. */
static bool choose_watcher(tsr_ptx *p, bool check, const emu_watcher **out) {
  *out = p->device->emu_watcher;
  if (!check) return true;
  if (!p->checks) {
    p->checks = checks_create(&p->found);
    if (!p->checks) return false;
    checks_watch(p->checks, &p->checker);
  }
  *out = &p->checker;
  return true;
}

static counted_kernel *find_counted(const tsr_ptx *p, const ptx_function *f) {
  counted_kernel *k = p->counted;
  while (k && k->kernel != f) k = k->next;
  return k;
}

/* Counts, and lets the other watcher see everything, too. */
static bool add_counter(tsr_ptx *p, const ptx_function *f, const emu_watcher **watcher) {
  counted_kernel *k = find_counted(p, f);
  if (!k) {
    k = calloc(1, sizeof *k);
    if (!k) return false;
    k->kernel = f;
    k->next = p->counted;
    p->counted = k;
  }
  k->launches++;
  counters_watch(&k->counters, (emu_watcher *)*watcher, &k->watcher);
  *watcher = &k->watcher;
  return true;
}

tsr_status tsr_ptx_set_unwritten(tsr_ptx *p, const tsr_buffer *b, size_t offset, size_t bytes) {
  if (!p || !b) return TSR_ERROR_USAGE;
  if (b->device != p->device || offset > b->size || bytes > b->size - offset) {
    rt_error(p->device,
             "tsr_ptx_set_unwritten takes bytes of a buffer of the module's device; %zu "
             "bytes from %zu on are none",
             bytes, offset);
    return TSR_ERROR_USAGE;
  }
  const emu_watcher *watcher;
  if (!choose_watcher(p, true, &watcher)) return TSR_ERROR_MEMORY;
  emu_allocation *a = emu_find(p->device->emu, b->address + offset);
  if (!a || bytes == 0) return TSR_OK;
  checks_set_written(p->checks, a, b->address + offset - a->base, bytes, false);
  return checks_out_of_memory(p->checks) ? TSR_ERROR_MEMORY : TSR_OK;
}

static void note_fault(const tsr_ptx *p, const ptx_function *f, const emu_fault *fault,
                       tsr_ptx_fault *out) {
  rt_lock(p->device);
  emu_report_fault(&p->image->program, f->name, fault);
  rt_unlock(p->device);
  if (out) rt_emu_tell_fault(fault, out);
}

static bool put_params(const tsr_ptx *p, const ptx_function *f, const tsr_ptx_launch *how,
                       const tsr_arg *args, uint8_t *params) {
  bool good = true;
  if (how->params) {
    memcpy(params, how->params, f->param_bytes);
    return true;
  }
  for (uint32_t k = 0; k < f->n_params; k++) {
    rt_emu_parameter x = parameter_of(f, k);
    good &= rt_emu_put_argument(p->device, f->name, &x, &args[k], params);
  }
  return good;
}

static tsr_status launch(tsr_ptx *p, const ptx_function *f, const tsr_ptx_launch *how,
                         const tsr_arg *args, uint8_t *params) {
  if (!put_params(p, f, how, args, params)) return TSR_ERROR_USAGE;
  emu_launch_options o = rt_emu_options(p->device, f->required_threads, how);
  o.params = params;
  const emu_watcher *watcher;
  if (!choose_watcher(p, how->check, &watcher) || (how->count && !add_counter(p, f, &watcher))) {
    diag_error(p->device->ctx, NOWHERE, "out of memory");
    return TSR_ERROR_MEMORY;
  }
  o.watcher = (emu_watcher *)watcher;
  emu_fault fault;
  if (how->fault) *how->fault = (tsr_ptx_fault){.kind = TSR_PTX_NO_FAULT};
  tsr_status status = ptx_image_run(p->image, f, &o, &fault);
  if (status == TSR_ERROR_TRAP) note_fault(p, f, &fault, how->fault);
  if (status == TSR_ERROR_MEMORY) rt_error(p->device, "@%s: out of memory", f->name);
  return status;
}

/* What is wrong with how an entry is called, reported. */
static bool check_call(const tsr_ptx *p, const ptx_function *f, const tsr_ptx_launch *how,
                       const tsr_arg *args, size_t arg_count) {
  if (how->params && (arg_count || how->param_bytes != f->param_bytes)) {
    rt_error(p->device, "'%s' takes %u bytes of parameters, not %zu and %zu arguments", f->name,
             f->param_bytes, how->param_bytes, arg_count);
    return false;
  }
  if (!how->params && (arg_count != f->n_params || (arg_count && !args))) {
    rt_error(p->device, "'%s' takes %u argument%s, not %zu", f->name, f->n_params,
             f->n_params == 1 ? "" : "s", arg_count);
    return false;
  }
  return true;
}

tsr_status tsr_ptx_run(tsr_ptx *p, const char *kernel, const tsr_ptx_launch *given,
                       const tsr_arg *args, size_t arg_count) {
  tsr_ptx_launch known;
  const tsr_ptx_launch *how = &known;
  if (!p) return TSR_ERROR_USAGE;
  tsr_context *ctx = p->device->ctx;
  const ptx_function *f = ptx_find_entry(p->module, kernel);
  if (!given || !struct_take(&known, sizeof known, given, offsetof(tsr_ptx_launch, params))) {
    diag_error(ctx, NOWHERE, "tsr_ptx_launch.struct_size is %zu: set it to sizeof(tsr_ptx_launch)",
               given ? given->struct_size : 0);
    return TSR_ERROR_USAGE;
  }
  if (!f) {
    diag_error(ctx, NOWHERE, kernel ? "there is no entry '%s'" : "there is not exactly one entry%s",
               kernel ? kernel : "");
    return TSR_ERROR_USAGE;
  }
  if (!check_call(p, f, how, args, arg_count)) return TSR_ERROR_USAGE;
  rt_lock(p->device);
  uint8_t *params = ctx_try_alloc(ctx, (size_t)f->param_bytes + 16);
  rt_unlock(p->device);
  if (!params) {
    rt_error(p->device, "out of memory");
    return TSR_ERROR_MEMORY;
  }
  memset(params, 0, (size_t)f->param_bytes + 16);
  tsr_status status = launch(p, f, how, args, params);
  rt_lock(p->device);
  ctx_free(ctx, params, (size_t)f->param_bytes + 16);
  rt_unlock(p->device);
  return status;
}

/* ---- findings and tensor maps --------------------------------------------------------------- */

typedef void (*text_writer)(const void *what, const card *on, tsr_ptx_format format, sbuf *out);

/* A string for the caller; NULL when memory runs out. */
static char *write_text(tsr_context *ctx, text_writer write, const void *what, const card *on,
                        tsr_ptx_format format) {
  arena a;
  arena_init(&a, ctx);
  TSR_GUARD(ctx, {
    arena_free(&a);
    return NULL;
  });
  sbuf out = SBUF(&a);
  write(what, on, format, &out);
  char *text = ctx_string(ctx, out.data ? out.data : "", out.len);
  TSR_UNGUARD(ctx);
  arena_free(&a);
  return text;
}

static void write_findings(const void *what, const card *on, tsr_ptx_format format, sbuf *out) {
  (void)on;
  if (format == TSR_PTX_JSON)
    findings_json(what, out);
  else
    findings_text(what, format == TSR_PTX_COLORED_TEXT, out);
}

char *tsr_ptx_findings(const tsr_ptx *p, tsr_ptx_format format, size_t *count) {
  if (count) *count = p ? findings_faults(&p->found) : 0;
  return p ? write_text(p->device->ctx, write_findings, &p->found, NULL, format) : NULL;
}

/* The card that an estimate is for when none is named: one of the device's generation. */
static const card *estimate_card(const tsr_ptx *p, const char *name) {
  if (name) return card_named(name);
  return card_of_target(p->device->kind->name);
}

static void write_counters(const void *what, const card *on, tsr_ptx_format format, sbuf *out) {
  if (format == TSR_PTX_JSON)
    counters_json(what, on, out);
  else
    counters_table(what, on, format == TSR_PTX_COLORED_TEXT, out);
}

char *tsr_ptx_counters(const tsr_ptx *p, const char *kernel, const char *card_name,
                       tsr_ptx_format format, uint64_t *launches) {
  const ptx_function *f = p && kernel ? ptx_find_entry(p->module, kernel) : NULL;
  const counted_kernel *k = f ? find_counted(p, f) : NULL;
  const card *on = p ? estimate_card(p, card_name) : NULL;
  if (launches) *launches = k ? k->launches : 0;
  return k && on ? write_text(p->device->ctx, write_counters, &k->counters, on, format) : NULL;
}

static bool tensormap_type_of(tsr_elem elem, uint8_t *out) {
  static const struct {
    tsr_elem elem;
    tensormap_type type;
  } types[] = {{TSR_I8, TENSORMAP_U8},   {TSR_I16, TENSORMAP_U16}, {TSR_I32, TENSORMAP_S32},
               {TSR_I64, TENSORMAP_S64}, {TSR_F16, TENSORMAP_F16}, {TSR_BF16, TENSORMAP_BF16},
               {TSR_F32, TENSORMAP_F32}, {TSR_F64, TENSORMAP_F64}, {TSR_TF32, TENSORMAP_TF32}};
  for (size_t i = 0; i < ARRAY_LEN(types); i++)
    if (types[i].elem == elem) {
      *out = (uint8_t)types[i].type;
      return true;
    }
  return false;
}

const char *tsr_ptx_encode_tiled(void *object, int type, uint32_t rank, uint64_t address,
                                 const uint64_t *dims, const uint64_t *strides, const uint32_t *box,
                                 const uint32_t *element_strides, int interleave, int swizzle,
                                 int fill) {
  tensormap m = {.rank = (uint8_t)rank, .address = address, .fill_nan = fill == 1};
  if (!object || !dims || !box || !element_strides) return "a pointer is NULL";
  if (rank < 1 || rank > TENSORMAP_MAX_RANK) return "a tensor has 1 to 5 dimensions";
  if (rank > 1 && !strides) return "the strides are NULL";
  if (type < 0 || type >= TENSORMAP_TYPE_COUNT) return "there is no such element type";
  if (interleave < 0 || interleave > 2 || swizzle < 0 || swizzle > 3 || fill < 0 || fill > 1)
    return "the interleave is 0 to 2, the swizzle 0 to 3, the fill 0 or 1";
  m.type = (uint8_t)type;
  m.interleave = (uint8_t)(interleave * 16);
  m.swizzle = (uint8_t)(swizzle ? 16 << swizzle : 0);
  for (uint32_t d = 0; d < rank; d++) {
    if (box[d] > 256 || element_strides[d] < 1 || element_strides[d] > 8)
      return "a side of the box is 1 to 256, an element stride 1 to 8";
    m.dims[d] = dims[d];
    m.box[d] = (uint16_t)box[d];
    m.element_strides[d] = (uint8_t)element_strides[d];
    if (d + 1 < rank) m.strides[d] = strides[d];
  }
  return tensormap_encode(&m, object);
}

/* The map, or why there is none. */
static const char *make_map(const tsr_buffer *b, size_t offset, const tsr_ptx_tensor *t,
                            uint8_t *object) {
  tensormap m = {.fill_nan = t->fill_nan, .address = b->address + offset};
  if (offset > b->size) return "the offset lies behind the buffer's end";
  if (!tensormap_type_of(t->elem, &m.type)) return "tensor maps have no such element type";
  if (t->rank < 1 || t->rank > TENSORMAP_MAX_RANK) return "a tensor has 1 to 5 dimensions";
  if (t->swizzle > 128 || t->interleave > 32)
    return "the swizzle is 0, 32, 64 or 128 bytes, the interleave 0, 16 or 32";
  m.rank = (uint8_t)t->rank;
  m.swizzle = (uint8_t)t->swizzle;
  m.interleave = (uint8_t)t->interleave;
  for (uint32_t d = 0; d < t->rank; d++) {
    if (t->box[d] > 256 || t->element_strides[d] > 8)
      return "a side of the box is 1 to 256, an element stride 1 to 8";
    m.dims[d] = t->dims[d];
    m.box[d] = (uint16_t)t->box[d];
    m.element_strides[d] = t->element_strides[d] ? (uint8_t)t->element_strides[d] : 1;
    if (d + 1 < t->rank) m.strides[d] = t->strides[d];
  }
  return tensormap_encode(&m, object);
}

tsr_status tsr_ptx_tensor_map(const tsr_buffer *b, size_t offset, const tsr_ptx_tensor *t,
                              void *object) {
  if (!b || !is_emulator(b->device)) return TSR_ERROR_USAGE;
  tsr_ptx_tensor known;
  bool good = t && struct_take(&known, sizeof known, t, offsetof(tsr_ptx_tensor, interleave));
  const char *problem = good ? make_map(b, offset, &known, object)
                             : "set tsr_ptx_tensor.struct_size to sizeof(tsr_ptx_tensor)";
  if (!problem) return TSR_OK;
  diag_error(b->device->ctx, NOWHERE, "tensor map: %s", problem);
  return TSR_ERROR_USAGE;
}
