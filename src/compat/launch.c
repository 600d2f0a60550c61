/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Kernel launches: reading arguments, checking shapes; occupancy.
 *
 * A tile kernel says itself how many threads work on a tile block, so a launch has blocks of one
 * thread, as those of Tile IR have on a GPU. An entry of PTX is launched with blocks of any shape
 * that the card allows.
 */
#include <stdlib.h>
#include <string.h>

#include "compat/driver.h"

/* ---- arguments ------------------------------------------------------------------------------ */

static tsr_arg read_argument(const tsr_parameter *p, const void *at, size_t size) {
  uint64_t bits = 0;
  memcpy(&bits, at, size); /* little-endian, as both machines are that run this */
  if (p->is_pointer) return tsr_arg_nullable((void *)(uintptr_t)bits);
  unsigned width = tsr_elem_bits(p->elem);
  if (width < 64) bits &= ((uint64_t)1 << width) - 1;
  return tsr_arg_scalar(p->elem, bits);
}

/* The packed form: { BUFFER_POINTER, p, BUFFER_SIZE, &n, END }. */
static CUresult read_extra(void **extra, const char **buffer, size_t *size) {
  *buffer = NULL;
  *size = 0;
  for (size_t i = 0; extra[i] != CU_LAUNCH_PARAM_END; i += 2) {
    if (extra[i] == CU_LAUNCH_PARAM_BUFFER_POINTER)
      *buffer = extra[i + 1];
    else if (extra[i] == CU_LAUNCH_PARAM_BUFFER_SIZE && extra[i + 1])
      *size = *(const size_t *)extra[i + 1];
    else
      return CUDA_ERROR_INVALID_VALUE;
  }
  return *buffer ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

size_t launch_args_size(const drv_kernel *k) {
  return k->library->ptx ? k->ptx.param_bytes : k->n_params * sizeof(tsr_arg);
}

static CUresult read_arguments(const drv_kernel *k, void **params, void **extra, void *args) {
  const char *buffer = NULL;
  size_t size = 0;
  if (!k->n_params) return CUDA_SUCCESS;
  if (!params == !extra) return CUDA_ERROR_INVALID_VALUE;
  if (extra) {
    CUresult r = read_extra(extra, &buffer, &size);
    if (r) return r;
    size_t last = k->n_params - 1;
    if (size < k->offsets[last] + k->sizes[last]) return CUDA_ERROR_INVALID_VALUE;
  }
  for (size_t i = 0; i < k->n_params; i++) {
    const void *at = extra ? buffer + k->offsets[i] : params[i];
    if (!at) return CUDA_ERROR_INVALID_VALUE;
    if (k->library->ptx)
      memcpy((char *)args + k->offsets[i], at, k->sizes[i]);
    else
      ((tsr_arg *)args)[i] = read_argument(&k->params[i], at, k->sizes[i]);
  }
  return CUDA_SUCCESS;
}

/* What would not start on the card. More than 48 KiB of shared memory need an attribute there. */
static CUresult check_ptx_block(const drv_kernel *k, const CUDA_KERNEL_NODE_PARAMS *p) {
  enum { SHARED_WITHOUT_ASKING = 48 << 10 };
  const tsr_ptx_kernel_info *x = &k->ptx;
  uint64_t threads = (uint64_t)p->blockDimX * p->blockDimY * p->blockDimZ;
  int most, asked = k->attributes[CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES];
  kernel_get_attribute(k, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, &most);
  if (!threads || p->blockDimX > 1024 || p->blockDimY > 1024 || p->blockDimZ > 64)
    return CUDA_ERROR_INVALID_VALUE;
  if (x->required_threads[0] &&
      (p->blockDimX != x->required_threads[0] || p->blockDimY != x->required_threads[1] ||
       p->blockDimZ != x->required_threads[2])) {
    engine_say("'%s' is launched with blocks of %u x %u x %u threads; it says .reqntid %u, %u, %u",
               k->name, p->blockDimX, p->blockDimY, p->blockDimZ, x->required_threads[0],
               x->required_threads[1], x->required_threads[2]);
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (threads > (uint64_t)most) return CUDA_ERROR_INVALID_VALUE;
  if (p->sharedMemBytes && x->static_shared + (uint64_t)p->sharedMemBytes > SHARED_WITHOUT_ASKING &&
      p->sharedMemBytes > (unsigned)asked) {
    engine_say("'%s' is launched with %u bytes of dynamic shared memory: more than 48 KiB must be "
               "allowed first, by CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES",
               k->name, p->sharedMemBytes);
    return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

static CUresult check_shape(const drv_kernel *k, const CUDA_KERNEL_NODE_PARAMS *p) {
  unsigned limit_y = (unsigned)device_attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y);
  if (!p->gridDimX || !p->gridDimY || !p->gridDimZ || p->gridDimX > INT32_MAX ||
      p->gridDimY > limit_y || p->gridDimZ > limit_y)
    return CUDA_ERROR_INVALID_VALUE;
  if (k->library->ptx) return check_ptx_block(k, p);
  if (p->blockDimX == 1 && p->blockDimY == 1 && p->blockDimZ == 1) return CUDA_SUCCESS;
  engine_say("a launch with blocks of %u x %u x %u threads: a tile kernel is launched with blocks "
             "of 1 x 1 x 1",
             p->blockDimX, p->blockDimY, p->blockDimZ);
  return CUDA_ERROR_INVALID_VALUE;
}

/* On success the kernel is referenced, and `args` is `few` or the caller's to free. */
CUresult launch_work(const CUDA_KERNEL_NODE_PARAMS *p, kernel_work *out, few_args *few) {
  drv_kernel *k = GET(OBJECT_KERNEL, p->func ? (const void *)p->func : (const void *)p->kern);
  if (!k) return CUDA_ERROR_INVALID_HANDLE;
  CUresult r = check_shape(k, p);
  size_t size = launch_args_size(k);
  void *args = few;
  if (!r && size > sizeof *few && !(args = malloc(size))) r = CUDA_ERROR_OUT_OF_MEMORY;
  if (!r) r = read_arguments(k, p->kernelParams, p->extra, args);
  if (!r && !k->compiled) r = engine_compile(k);
  if (r) {
    if (args != few) free(args);
    PUT(k);
    return r;
  }
  *out = (kernel_work){.kernel = k,
                       .grid = {p->gridDimX, p->gridDimY, p->gridDimZ},
                       .args = args,
                       .block = {p->blockDimX, p->blockDimY, p->blockDimZ},
                       .shared = p->sharedMemBytes};
  return CUDA_SUCCESS;
}

/* ---- entries: launching --------------------------------------------------------------------- */

/* `how`, when not NULL, says more: clusters, and whether all blocks must be resident. */
static CUresult launch(const CUDA_KERNEL_NODE_PARAMS *p, const kernel_work *how, CUstream handle) {
  drv_context *ctx;
  drv_stream *s;
  few_args few;
  CUresult r = enter(&ctx);
  if (r) return r;
  r = stream_get(ctx, handle, &s);
  if (!r) {
    work w = {.kind = WORK_KERNEL};
    r = launch_work(p, &w.kernel, &few);
    if (!r) {
      if (how) {
        memcpy(w.kernel.cluster, how->cluster, sizeof w.kernel.cluster);
        w.kernel.cooperative = how->cooperative;
      }
      r = submit(ctx, s, &w);
      if (w.kernel.args != &few) free(w.kernel.args);
      PUT(w.kernel.kernel);
    }
    PUT(s);
  }
  PUT(ctx);
  return r;
}

CUresult cuLaunchKernel(CUfunction f, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                        unsigned int block_x, unsigned int block_y, unsigned int block_z,
                        unsigned int shared, CUstream stream, void **params, void **extra) {
  CUDA_KERNEL_NODE_PARAMS p = {.func = f,
                               .gridDimX = grid_x,
                               .gridDimY = grid_y,
                               .gridDimZ = grid_z,
                               .blockDimX = block_x,
                               .blockDimY = block_y,
                               .blockDimZ = block_z,
                               .sharedMemBytes = shared,
                               .kernelParams = params,
                               .extra = extra};
  return launch(&p, NULL, stream);
}

CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned int grid_x, unsigned int grid_y,
                                   unsigned int grid_z, unsigned int block_x, unsigned int block_y,
                                   unsigned int block_z, unsigned int shared, CUstream stream,
                                   void **params) {
  CUDA_KERNEL_NODE_PARAMS p = {.func = f,
                               .gridDimX = grid_x,
                               .gridDimY = grid_y,
                               .gridDimZ = grid_z,
                               .blockDimX = block_x,
                               .blockDimY = block_y,
                               .blockDimZ = block_z,
                               .sharedMemBytes = shared,
                               .kernelParams = params};
  return launch(&p, &(kernel_work){.cooperative = true}, stream);
}

/* Priorities and early launches say how a GPU goes about it, not what comes out, and to tile
 * kernels so do clusters; one that does not divide the grid is an error there too. */
static CUresult read_attributes(const CUlaunchConfig *c, kernel_work *how) {
  if (c->numAttrs && !c->attrs) return CUDA_ERROR_INVALID_VALUE;
  for (unsigned i = 0; i < c->numAttrs; i++) {
    const CUlaunchAttributeValue *v = &c->attrs[i].value;
    if (c->attrs[i].id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) how->cooperative = v->cooperative;
    if (c->attrs[i].id != CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) continue;
    if (!v->clusterDim.x || !v->clusterDim.y || !v->clusterDim.z) return CUDA_ERROR_INVALID_VALUE;
    if (c->gridDimX % v->clusterDim.x || c->gridDimY % v->clusterDim.y ||
        c->gridDimZ % v->clusterDim.z)
      return CUDA_ERROR_INVALID_CLUSTER_SIZE;
    how->cluster[0] = v->clusterDim.x;
    how->cluster[1] = v->clusterDim.y;
    how->cluster[2] = v->clusterDim.z;
  }
  return CUDA_SUCCESS;
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *c, CUfunction f, void **params, void **extra) {
  if (!c) return CUDA_ERROR_INVALID_VALUE;
  kernel_work how = {0};
  CUresult r = read_attributes(c, &how);
  if (r) return r;
  CUDA_KERNEL_NODE_PARAMS p = {.func = f,
                               .gridDimX = c->gridDimX,
                               .gridDimY = c->gridDimY,
                               .gridDimZ = c->gridDimZ,
                               .blockDimX = c->blockDimX,
                               .blockDimY = c->blockDimY,
                               .blockDimZ = c->blockDimZ,
                               .sharedMemBytes = c->sharedMemBytes,
                               .kernelParams = params,
                               .extra = extra};
  return launch(&p, &how, c->hStream);
}

/* ---- entries: occupancy --------------------------------------------------------------------- */

/* A processor's thread executes one tile block at a time. */
static CUresult occupancy(const void *out, CUfunction f) {
  CUresult r = initialised();
  if (r) return r;
  drv_kernel *k = GET(OBJECT_KERNEL, f);
  PUT(k);
  if (!k) return CUDA_ERROR_INVALID_HANDLE;
  return out ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, CUfunction f,
                                                              int block_size, size_t shared,
                                                              unsigned int flags) {
  CUresult r = occupancy(blocks, f);
  if (r) return r;
  if (block_size <= 0 || flags > 1) return CUDA_ERROR_INVALID_VALUE;
  size_t most = (size_t)device_attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  *blocks = block_size <= 1024 && shared <= most;
  return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction f, int block_size,
                                                     size_t shared) {
  return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, f, block_size, shared, 0);
}

CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *min_grid, int *block_size, CUfunction f,
                                                   CUoccupancyB2DSize shared_of, size_t shared,
                                                   int limit, unsigned int flags) {
  (void)shared_of, (void)shared;
  CUresult r = initialised();
  if (r) return r;
  drv_kernel *k = GET(OBJECT_KERNEL, f);
  if (!k) return CUDA_ERROR_INVALID_HANDLE;
  if (!min_grid || !block_size || flags > 1) r = CUDA_ERROR_INVALID_VALUE;
  if (!r) r = kernel_get_attribute(k, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, block_size);
  PUT(k);
  if (r) return r;
  if (limit > 0 && *block_size > limit) *block_size = limit;
  *min_grid = device_attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxPotentialBlockSize(int *min_grid, int *block_size, CUfunction f,
                                          CUoccupancyB2DSize shared_of, size_t shared, int limit) {
  return cuOccupancyMaxPotentialBlockSizeWithFlags(min_grid, block_size, f, shared_of, shared,
                                                   limit, 0);
}

CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, CUfunction f, int blocks,
                                                 int block_size) {
  CUresult r = occupancy(bytes, f);
  if (r) return r;
  if (blocks <= 0 || block_size <= 0) return CUDA_ERROR_INVALID_VALUE;
  *bytes = (size_t)device_attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN) /
           (size_t)blocks;
  return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxPotentialClusterSize(int *size, CUfunction f, const CUlaunchConfig *config) {
  CUresult r = occupancy(size, f);
  if (r) return r;
  if (!config) return CUDA_ERROR_INVALID_VALUE;
  *size = 8;
  return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxActiveClusters(int *clusters, CUfunction f, const CUlaunchConfig *config) {
  CUresult r = occupancy(clusters, f);
  if (r) return r;
  if (!config) return CUDA_ERROR_INVALID_VALUE;
  *clusters = device_attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  return CUDA_SUCCESS;
}

CUresult cuTensorMapEncodeTiled(CUtensorMap *map, int type, cuuint32_t rank, void *address,
                                const cuuint64_t *dims, const cuuint64_t *strides,
                                const cuuint32_t *box, const cuuint32_t *element_strides,
                                int interleave, int swizzle, int promotion, int fill) {
  CUresult r = initialised();
  if (r) return r;
  if (!map || promotion < 0 || promotion > 3) return CUDA_ERROR_INVALID_VALUE;
  /* In the emulator's format, which only its kernels understand. */
  const char *wrong =
      tsr_ptx_encode_tiled(map->opaque, type, rank, (uintptr_t)address, dims, strides, box,
                           element_strides, interleave, swizzle, fill);
  if (wrong) engine_say("cuTensorMapEncodeTiled: %s", wrong);
  return wrong ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}
