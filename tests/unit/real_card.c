/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "real_card.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "emu/ptx/tensormap.h"
#include "rt/cuda_driver.h"

enum { LIMIT_SECONDS = 20, PAGE = 4096 };
enum { CU_NOT_READY = 600, CU_ALREADY_REGISTERED = 712 };
enum { CU_REGISTER_MAPPED = 2, CU_FUNCTION_ANY_CLUSTER = 14, CU_ATTRIBUTE_COOPERATIVE = 2 };

#define ENTRIES(X)                                                                                 \
  X(context_create, cuCtxCreate_v2, (cu_object *, unsigned, cu_device))                            \
  X(context_destroy, cuCtxDestroy_v2, (cu_object))                                                 \
  X(host_register, cuMemHostRegister_v2, (void *, size_t, unsigned))                               \
  X(host_unregister, cuMemHostUnregister, (void *))                                                \
  X(global, cuModuleGetGlobal_v2, (cu_address *, size_t *, cu_object, const char *))               \
  X(launch, cuLaunchKernelEx, (const cu_launch_config *, cu_object, void **, void **))             \
  X(query, cuStreamQuery, (cu_object))

typedef struct card {
  const cuda_driver *d;
#define X(field, symbol, parameters) cu_result(*field) parameters;
  ENTRIES(X)
#undef X
  cu_object context, stream, module;
  char *text; /* of the module that is loaded */
} card;

typedef struct range {
  uintptr_t from, to;
} range;

static card the_card;

bool real_card_wanted(void) {
  const char *wanted = getenv("TESSERA_TEST_REAL_CARD");
  return wanted && *wanted && strcmp(wanted, "0") != 0;
}

const char *real_card_name(const char *device) {
  return real_card_wanted() && strncmp(device, "emu:sm_", 7) == 0 ? "cuda:0" : device;
}

emu_device *real_card_device(const emu_device_info *info) {
  emu_device *d = emu_device_create(info);
  if (d && real_card_wanted()) d->host_addresses = true;
  return d;
}

/* ---- the driver ----------------------------------------------------------------------------- */

/* Whether a call went well; else says what the driver says. */
static bool went_well(cu_result r, const char *what) {
  const char *name = "";
  if (r == CU_OK) return true;
  the_card.d->error_name(r, &name);
  fprintf(stderr, "real card: %s: %s\n", what, name);
  return false;
}

static bool find_entries(card *c) {
  const char *name = getenv("TESSERA_CUDA_DRIVER");
  void *library = dlopen(name && *name ? name : "libcuda.so.1", RTLD_NOW);
#define X(field, symbol, parameters)                                                               \
  *(void **)&c->field = library ? dlsym(library, #symbol) : NULL;                                  \
  if (!c->field) return false;
  ENTRIES(X)
#undef X
  return true;
}

static bool open_card(card *c) {
  cu_device device;
  if (c->context) return true;
  if (!c->d) {
    const char *why = "";
    c->d = cuda_driver_get(&why);
    if (!c->d || !find_entries(c)) {
      fprintf(stderr, "real card: %s\n", why);
      return false;
    }
  }
  return went_well(c->d->init(0), "cuInit") &&
         went_well(c->d->device_get(&device, 0), "cuDeviceGet") &&
         went_well(c->context_create(&c->context, 0, device), "cuCtxCreate") &&
         went_well(c->d->stream_create(&c->stream, CU_STREAM_CREATE_DEFAULT), "cuStreamCreate");
}

/* After a fault of a kernel nothing works in its context any more. */
static void close_card(card *c) {
  if (c->context) c->context_destroy(c->context);
  free(c->text);
  c->context = c->stream = c->module = NULL;
  c->text = NULL;
}

static bool load(card *c, const ptx_module *m) {
  str text = m->src->text;
  if (c->text && strlen(c->text) == text.len && memcmp(c->text, text.data, text.len) == 0)
    return true;
  if (c->module) c->d->module_unload(c->module);
  free(c->text);
  c->module = NULL;
  c->text = strndup(text.data, text.len);
  char log[4096] = "";
  int options[] = {CU_OPTION_ERROR_LOG, CU_OPTION_ERROR_LOG_SIZE};
  void *values[] = {log, (void *)(uintptr_t)sizeof log};
  if (went_well(c->d->module_load(&c->module, c->text, 2, options, values), "the code"))
    return true;
  fprintf(stderr, "%s\n", log);
  free(c->text);
  c->text = NULL;
  return false;
}

/* ---- memory --------------------------------------------------------------------------------- */

static int by_address(const void *a, const void *b) {
  const range *x = a, *y = b;
  return (x->from > y->from) - (x->from < y->from);
}

/* Pages that the process can write to, of those between from and to. */
static size_t mapped_pages(uintptr_t from, uintptr_t to, range *out, size_t room) {
  FILE *maps = fopen("/proc/self/maps", "r");
  char line[512], mode[8];
  size_t n = 0;
  uintptr_t first, last;
  while (maps && n < room && fgets(line, sizeof line, maps)) {
    if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %7s", &first, &last, mode) != 3) continue;
    if (mode[0] != 'r' || mode[1] != 'w') continue;
    range part = {MAX(first, from), MIN(last, to)};
    if (part.from < part.to) out[n++] = part;
  }
  if (maps) fclose(maps);
  return n;
}

/* The pages of all memory of a device, without overlaps. */
static size_t pages_of(emu_device *d, range *out, size_t room) {
  size_t n = 0, kept = 0;
  for (uint32_t k = 0; k < d->n_allocations; k++) {
    const emu_allocation *a = d->allocations[k];
    if (a->freed || !a->bytes) continue;
    uintptr_t from = a->base & ~(uintptr_t)(PAGE - 1);
    uintptr_t to = (a->base + a->bytes + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
    n += mapped_pages(from, to, out + n, room - n);
  }
  qsort(out, n, sizeof *out, by_address);
  for (size_t k = 0; k < n; k++) {
    if (kept && out[k].from <= out[kept - 1].to)
      out[kept - 1].to = MAX(out[kept - 1].to, out[k].to);
    else
      out[kept++] = out[k];
  }
  return kept;
}

static bool variables(card *c, const ptx_image *image, bool to_card) {
  for (uint32_t k = 0; k < image->module->n_variables; k++) {
    const ptx_variable *v = &image->module->variables[k];
    cu_address address;
    size_t bytes;
    if (v->space == PTX_SHARED || v->n_relocations || v->linkage == PTX_EXTERN) continue;
    if (c->global(&address, &bytes, c->module, v->name) != CU_OK) continue; /* it is not used */
    void *host = emu_find(image->device, image->addresses[k])->host;
    cu_result r = to_card ? c->d->to_device_on(address, host, bytes, c->stream)
                          : c->d->to_host_on(host, address, bytes, c->stream);
    if (!went_well(r, v->name)) return false;
  }
  return went_well(c->d->stream_synchronize(c->stream), "variables");
}

/* ---- parameters ----------------------------------------------------------------------------- */

static int code_of_swizzle(unsigned bytes) {
  return bytes == 32 ? 1 : bytes == 64 ? 2 : bytes == 128 ? 3 : 0;
}

/* The emulator's tensor maps become the driver's. */
static bool encode_maps(card *c, const ptx_function *f, uint8_t *params) {
  for (uint32_t k = 0; k < f->n_params; k++) {
    _Alignas(64) uint8_t object[TENSORMAP_BYTES];
    uint8_t *at = params + f->params[k].offset;
    tensormap m;
    unsigned box[TENSORMAP_MAX_RANK], steps[TENSORMAP_MAX_RANK];
    if (f->params[k].bytes != TENSORMAP_BYTES || tensormap_decode(at, &m) || m.im2col) continue;
    for (unsigned i = 0; i < TENSORMAP_MAX_RANK; i++)
      box[i] = m.box[i], steps[i] = m.element_strides[i];
    cu_result r = c->d->encode_tiled(object, m.type, m.rank, (void *)(uintptr_t)m.address, m.dims,
                                     m.strides, box, steps, m.interleave / 16,
                                     code_of_swizzle(m.swizzle), 0, m.fill_nan);
    if (!went_well(r, "a tensor map")) return false;
    memcpy(at, object, sizeof object);
  }
  return true;
}

/* ---- launches ------------------------------------------------------------------------------- */

static cu_result wait(card *c) {
  enum { STEP = 200 }; /* microseconds */
  for (unsigned k = 0; k < LIMIT_SECONDS * (1000000 / STEP); k++) {
    cu_result r = c->query(c->stream);
    if (r != CU_NOT_READY) return r;
    if (k > 50) usleep(STEP);
  }
  fprintf(stderr, "real card: the kernel has not ended after %d s\n", LIMIT_SECONDS);
  fflush(NULL);
  _exit(3);
}

/* What kernels print goes to the C library's standard output when the launch has ended; from there
 * to the one who launched. */
static FILE *begin_output(int *kept) {
  FILE *output = tmpfile();
  fflush(stdout);
  *kept = dup(STDOUT_FILENO);
  if (output && *kept >= 0) dup2(fileno(output), STDOUT_FILENO);
  return output;
}

static void end_output(FILE *output, int kept, const emu_launch_options *o) {
  char part[4096];
  size_t n;
  fflush(stdout);
  if (kept >= 0) dup2(kept, STDOUT_FILENO);
  if (kept >= 0) close(kept);
  if (!output) return;
  rewind(output);
  while ((n = fread(part, 1, sizeof part, output)))
    if (o->on_output)
      o->on_output(o->output_user, part, n);
    else
      fwrite(part, 1, n, stdout);
  fclose(output);
}

static cu_result launch(card *c, const ptx_function *f, const emu_launch_options *o) {
  enum { MOST = 256 };
  cu_object function;
  uint8_t data[MOST * 128];
  void *params[MOST];
  if (f->param_bytes > sizeof data || f->n_params > MOST) return CU_INVALID_VALUE;
  if (f->param_bytes) memcpy(data, o->params, f->param_bytes);
  if (!encode_maps(c, f, data)) return CU_INVALID_VALUE;
  for (uint32_t k = 0; k < f->n_params; k++) params[k] = data + f->params[k].offset;
  cu_result r = c->d->module_function(&function, c->module, f->name);
  if (r == CU_OK && o->dynamic_shared)
    r = c->d->function_set(function, CU_FUNCTION_DYNAMIC_SHARED, (int)o->dynamic_shared);
  if (r != CU_OK) return r;
  c->d->function_set(function, CU_FUNCTION_ANY_CLUSTER, 1);
  struct cu_launch_attribute attributes[2] = {{.id = 0}};
  unsigned n = 0;
  if (o->cluster[0] * o->cluster[1] * o->cluster[2] > 1) {
    attributes[n].id = CU_ATTRIBUTE_CLUSTER;
    memcpy(attributes[n++].value.cluster, o->cluster, sizeof o->cluster);
  }
  if (o->cooperative) {
    attributes[n].id = CU_ATTRIBUTE_COOPERATIVE;
    memcpy(attributes[n++].value.room, &(int){1}, sizeof(int));
  }
  cu_launch_config config = {.shared = o->dynamic_shared,
                             .stream = c->stream,
                             .attributes = attributes,
                             .n_attributes = n};
  memcpy(config.grid, o->grid, sizeof config.grid);
  memcpy(config.block, o->block, sizeof config.block);
  r = c->launch(&config, function, params, NULL);
  return r == CU_OK ? wait(c) : r;
}

static tsr_status report(card *c, cu_result r, emu_fault *fault) {
  const char *name = "an unknown error";
  c->d->error_name(r, &name);
  snprintf(fault->message, sizeof fault->message, "%s%s", r == CU_ASSERT ? "assertion: " : "",
           name);
  close_card(c);
  return TSR_ERROR_TRAP;
}

static tsr_status run_on(card *c, const ptx_image *image, const ptx_function *entry,
                         const emu_launch_options *o, emu_fault *fault) {
  enum { MOST = 4096 };
  range *pages = calloc(MOST, sizeof *pages);
  size_t n = pages ? pages_of(image->device, pages, MOST) : 0, registered = 0;
  cu_result r = CU_OK;
  for (; registered < n && r == CU_OK; registered += r == CU_OK)
    r = c->host_register((void *)pages[registered].from,
                         pages[registered].to - pages[registered].from, CU_REGISTER_MAPPED);
  bool ok = went_well(r, "memory of the host") && variables(c, image, true);
  int kept;
  FILE *output = begin_output(&kept);
  r = ok ? launch(c, entry, o) : CU_INVALID_VALUE;
  if (r == CU_OK && !variables(c, image, false)) r = CU_LAUNCH_FAILED;
  end_output(output, kept, o);
  for (size_t k = 0; k < registered; k++) c->host_unregister((void *)pages[k].from);
  free(pages);
  return r == CU_OK ? TSR_OK : report(c, r, fault);
}

tsr_status real_card_run(const ptx_image *image, const ptx_function *entry,
                         const emu_launch_options *o, emu_fault *fault) {
  if (!real_card_wanted()) return ptx_image_run(image, entry, o, fault);
  emu_fault unseen;
  if (!fault) fault = &unseen;
  if (!open_card(&the_card) || !load(&the_card, image->module)) {
    snprintf(fault->message, sizeof fault->message, "no card, or it does not take the code");
    return TSR_ERROR_UNSUPPORTED;
  }
  return run_on(&the_card, image, entry, o, fault);
}
