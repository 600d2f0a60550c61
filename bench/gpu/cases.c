/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gpu/gpu_check.h"

#include <stdlib.h>
#include <string.h>

/* ---- files ---------------------------------------------------------------------------------- */

/* Terminated, the caller's to free. */
static void *read_file(const char *bundle, const char *path, size_t *bytes) {
  char full[2 * WORD];
  snprintf(full, sizeof full, "%s/%s", bundle, path);
  FILE *file = fopen(full, "rb");
  long size = file && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
  char *data = size >= 0 ? malloc((size_t)size + 1) : NULL;
  if (data) rewind(file);
  if (data && fread(data, 1, (size_t)size, file) != (size_t)size) {
    free(data);
    data = NULL;
  }
  if (file) fclose(file);
  if (!data) {
    printf("  cannot read %s\n", full);
    return NULL;
  }
  data[size] = 0;
  *bytes = (size_t)size;
  return data;
}

/* NumPy's format, versions 1 to 3: a magic, a version, the header's length, the header. */
void *read_npy(const char *bundle, const char *path, size_t *bytes) {
  enum { MAGIC = 6, V1 = 10, V2 = 12 };
  uint8_t *data = read_file(bundle, path, bytes);
  if (!data) return NULL;
  size_t header = SIZE_MAX;
  if (*bytes >= V2 && memcmp(data, "\x93NUMPY", MAGIC) == 0)
    header = data[6] == 1 ? V1 + (size_t)(data[8] | data[9] << 8)
                          : V2 + (size_t)(data[8] | data[9] << 8 | data[10] << 16);
  if (header > *bytes) {
    printf("  %s is no NumPy file\n", path);
    free(data);
    return NULL;
  }
  *bytes -= header;
  memmove(data, data + header, *bytes);
  return data;
}

/* ---- parameters ----------------------------------------------------------------------------- */

/* What the memory of a parameter holds at first; zeroes when that is NULL. */
static bool make_contents(const char *bundle, param *p, uint64_t seed) {
  if (p->kind == PARAM_FILE) {
    p->host = read_npy(bundle, p->path, &p->bytes);
    return p->host != NULL;
  }
  if (p->kind == PARAM_RANDOM) {
    p->host = malloc(p->bytes ? p->bytes : 1);
    if (p->host) elem_random(p->elem, p->host, p->bytes / elem_bytes(p->elem), p->scale, seed);
    return p->host != NULL;
  }
  return true;
}

static bool make_memory(gpu *g, const char *bundle, param *p, uint64_t seed) {
  if (!make_contents(bundle, p, seed)) return false;
  const card_calls *d = g->d;
  if (!gpu_ok(g, d->alloc(&p->address, p->bytes ? p->bytes : 1), "memory")) return false;
  memcpy(p->value, &p->address, sizeof p->address);
  if (!p->bytes) return true;
  cu_result r = p->host ? d->to_device_on(p->address, p->host, p->bytes, g->stream)
                        : d->fill_on(p->address, 0, p->bytes, g->stream);
  return gpu_ok(g, r, "contents");
}

/* Numbers: buffer, type, rank, dimensions, strides of all but the first, sides of the box, swizzle.
 * Dimension 0 is the contiguous one. */
static bool make_map(gpu *g, const test_case *c, param *p) {
  enum { MOST = 5 };
  _Alignas(64) uint8_t map[128];
  uint64_t dims[MOST], strides[MOST];
  unsigned box[MOST], steps[MOST];
  const long long *n = p->map;
  int rank = (int)n[2];
  if (rank < 1 || rank > MOST || p->n_map != (unsigned)(3 * rank + 3) || n[0] < 0 ||
      n[0] >= c->n_params) {
    printf("  a wrong tensor map\n");
    return false;
  }
  for (int i = 0; i < rank; i++) {
    dims[i] = (uint64_t)n[3 + i];
    if (i + 1 < rank) strides[i] = (uint64_t)n[3 + rank + i];
    box[i] = (unsigned)n[2 + 2 * rank + i];
    steps[i] = 1;
  }
  cu_result r =
      g->encode_tiled(map, (int)n[1], (unsigned)rank, (void *)(uintptr_t)c->params[n[0]].address,
                      dims, strides, box, steps, 0, (int)n[p->n_map - 1], 0, 0);
  memcpy(p->value, map, sizeof map);
  return gpu_ok(g, r, "a tensor map");
}

static bool is_memory(const param *p) {
  return p->kind == PARAM_FILE || p->kind == PARAM_ZEROS || p->kind == PARAM_RANDOM;
}

/* ---- cases ---------------------------------------------------------------------------------- */

/* The first code that the driver takes: machine code is for one kind of card. */
static bool load_nvidia(gpu *g, const char *bundle, test_case *c) {
  static char log[8192];
  int options[] = {CU_OPTION_ERROR_LOG, CU_OPTION_ERROR_LOG_SIZE};
  cu_result r = CU_INVALID_VALUE;
  const char *symbol = "";
  for (unsigned i = 0; i < c->n_code && r != CU_OK; i++) {
    void *values[] = {log, (void *)(uintptr_t)sizeof log};
    size_t size;
    void *image = read_file(bundle, c->code[i], &size);
    if (!image) return false;
    log[0] = 0;
    r = g->cuda->module_load(&c->module, image, 2, options, values);
    free(image);
    symbol = c->symbol[i];
  }
  if (!gpu_ok(g, r, "loading the code")) {
    printf("  %s\n", log);
    return false;
  }
  if (!gpu_ok(g, g->d->module_function(&c->function, c->module, symbol), symbol)) return false;
  /* More than 48 KiB, the static ones included, must be allowed first. */
  return !c->launch[6] ||
         gpu_ok(g,
                g->cuda->function_set(c->function, CU_FUNCTION_DYNAMIC_SHARED, (int)c->launch[6]),
                "shared memory");
}

/* The code for the card's processor, whose workgroups are as large as it says. */
static bool load_amd(gpu *g, const char *bundle, test_case *c) {
  unsigned i = 0;
  size_t size;
  while (i < c->n_code && strcmp(c->processor[i], g->arch) != 0) i++;
  if (i == c->n_code) {
    printf("  there is no code for %s\n", g->arch);
    return false;
  }
  void *image = read_file(bundle, c->code[i], &size);
  bool good = image && gpu_ok(g, g->hip->module_load(&c->module, image), "loading the code");
  free(image);
  c->launch[3] = c->threads[i];
  return good &&
         gpu_ok(g, g->d->module_function(&c->function, c->module, c->symbol[i]), c->symbol[i]);
}

static bool load_code(gpu *g, const char *bundle, test_case *c) {
  return g->hip ? load_amd(g, bundle, c) : load_nvidia(g, bundle, c);
}

void case_describe(const gpu *g, const test_case *c, char *out, size_t size) {
  enum { SHARED = 1, LOCAL = 3, REGISTERS = 4 };
  int shared = 0, local = 0, registers = 0, blocks = 0;
  out[0] = 0;
  if (!g->hip || !g->hip->function_attribute || !g->hip->blocks_at_once) return;
  if (g->hip->function_attribute(&shared, SHARED, c->function) != CARD_OK ||
      g->hip->function_attribute(&local, LOCAL, c->function) != CARD_OK ||
      g->hip->function_attribute(&registers, REGISTERS, c->function) != CARD_OK ||
      g->hip->blocks_at_once(&blocks, c->function, (int)c->launch[3], 0) != CARD_OK)
    return;
  snprintf(out, size, "%d registers, %d B of LDS, %d B of scratch, %d workgroups of %u", registers,
           shared, local, blocks, c->launch[3]);
}

bool case_open(gpu *g, const char *bundle, test_case *c) {
  if (!load_code(g, bundle, c)) return false;
  for (unsigned i = 0; i < c->n_params; i++)
    if (is_memory(&c->params[i]) && !make_memory(g, bundle, &c->params[i], i + 1)) return false;
  for (unsigned i = 0; i < c->n_params; i++)
    if (c->params[i].kind == PARAM_MAP && !make_map(g, c, &c->params[i])) return false;
  return true;
}

void case_close(gpu *g, test_case *c) {
  for (unsigned i = 0; i < c->n_params; i++) {
    if (c->params[i].address) g->d->free(c->params[i].address);
    free(c->params[i].host);
    c->params[i].address = 0;
    c->params[i].host = NULL;
  }
  if (c->module) g->d->module_unload(c->module);
  c->module = NULL;
}

/* As many blocks of a persistent kernel as fit the card at once. */
static void shrink_grid(const gpu *g, const test_case *c, unsigned *grid) {
  unsigned long long all = (unsigned long long)grid[0] * grid[1] * grid[2];
  unsigned long long fit = (unsigned long long)c->walk[0] * (unsigned)g->multiprocessors;
  unsigned cluster = c->walk[1] * c->walk[2] * c->walk[3];
  unsigned clusters = (unsigned)((all < fit ? all : fit) / cluster);
  memcpy(grid, c->walk + 1, 3 * sizeof *grid);
  grid[0] *= clusters ? clusters : 1;
}

bool case_launch(gpu *g, const test_case *c) {
  void *params[MAX_PARAMS];
  unsigned n = 0, l[COUNT_OF(c->launch)];
  memcpy(l, c->launch, sizeof l);
  if (c->walk[0]) shrink_grid(g, c, l);
  for (unsigned i = 0; i < c->n_params; i++) {
    const param *p = &c->params[i];
    if (!p->hidden) params[n++] = (void *)(uintptr_t)p->value;
  }
  cu_result r = l[7] ? g->launch_cooperative(c->function, l[0], l[1], l[2], l[3], l[4], l[5], l[6],
                                             g->stream, params)
                     : g->d->launch(c->function, l[0], l[1], l[2], l[3], l[4], l[5], l[6],
                                    g->stream, params, NULL);
  return gpu_ok(g, r, "launching");
}

void *case_read(gpu *g, const test_case *c, unsigned index) {
  const param *p = &c->params[index];
  void *data = malloc(p->bytes ? p->bytes : 1);
  if (data && gpu_ok(g, g->d->to_host_on(data, p->address, p->bytes, g->stream), "reading") &&
      gpu_ok(g, g->d->stream_synchronize(g->stream), "reading results"))
    return data;
  free(data);
  return NULL;
}
