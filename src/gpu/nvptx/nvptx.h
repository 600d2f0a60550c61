/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gpu/nvptx/nvptx.h: the interface of the NVIDIA GPU backend, a part of the plugin
 * (backends/plugin.h). It turns a verified module into PTX, all kernels at once. Nothing of LLVM
 * shows here.
 *
 * How a kernel is called. A tile block is a thread block: its position is %ctaid, the grid is
 * %nctaid. An entry has one 64-bit parameter for each of the kernel's arguments, holding what a
 * launch on the CPU hands over (rt_block.args): an address, or a scalar's pattern zero-extended. So
 * cuLaunchKernel's kernelParams[i] points to word i. The block has `threads` threads in x, which
 * the PTX says too (.reqntid), and `shared_bytes` of dynamic shared memory. Globals are variables
 * of the PTX module: they live as long as it is loaded.
 *
 * Tensor maps. On sm_90a a kernel may exist twice: `bulk` is the same kernel with loads by bulk
 * tensor copies. It takes, after the arguments, `n_maps` more parameters of 128 bytes, aligned to
 * 64: the tensor maps that `maps` describes. A launcher makes them from the launch's arguments
 * (rt/tensor_maps.h) and launches `bulk` if all can be made, else the kernel itself; to take the
 * latter always is right, too. They give the same results.
 *
 * Clusters. The bulk form may exist once more, as `bulk->clustered`, whose maps are its own: tile
 * blocks of a cluster load what they have in common once (simt/nvidia/cluster.h). The grid must be
 * a multiple of `cluster`, which the PTX says as well (.reqnctapercluster), so that a launcher need
 * not.
 *
 * A persistent kernel (simt/nvidia/persistent.h) has `blocks_per_sm` > 0: so many of its blocks fit
 * a multiprocessor. After the arguments, in front of maps, it takes NVPTX_GRID_WORDS more words,
 * the grid that the program sees: x | y << 32, and z; it is launched with any number of blocks in
 * x, of which more than fit, or than there are tile blocks, are of no use (rt_walk_of). Grids of
 * 2^31 tile blocks and more are not for it.
 */
#ifndef TSR_GPU_NVPTX_NVPTX_H
#define TSR_GPU_NVPTX_NVPTX_H

#include "base/base.h"
#include "ir/ir.h"
#include "simt/nvidia/tensor_map.h"
#include "target/gpu.h"

enum { NVPTX_GRID_WORDS = 2 };

typedef enum nvptx_emit { NVPTX_PTX, NVPTX_LLVM, NVPTX_LAYOUTS } nvptx_emit;

/* What a launcher must know of an entry. */
typedef struct nvptx_entry {
  const ir_op *op;
  const char *symbol; /* in the PTX: the kernel's name with what PTX does not allow replaced */
  uint32_t n_params;
  uint32_t threads;
  uint32_t shared_bytes;  /* dynamic */
  uint32_t static_bytes;  /* of shared memory, declared in the PTX */
  uint32_t shared_align;  /* that the dynamic part relies on: matrix descriptors and swizzles do */
  uint32_t blocks_per_sm; /* 0: a thread block for each tile block */
  const simt_tensor_map *maps;
  uint32_t n_maps;
  uint32_t optional;             /* bit i: where map i cannot be made, any will do */
  struct nvptx_entry *bulk;      /* the same with maps; NULL: there is none */
  uint8_t cluster[3];            /* of a clustered form: tile blocks along x, y, z */
  struct nvptx_entry *clustered; /* of `bulk`: the same in clusters; NULL: there is none */
} nvptx_entry;

typedef struct nvptx_options {
  const gpu_target *target;
  unsigned warps;   /* of a block, a power of two up to 32; 0: as the compiler thinks best */
  unsigned threads; /* that compile, at most; 0: one. The code doesn't depend on it. */
  /* A launcher takes `bulk` whenever its maps can be made. What keeps them from being made
   * keeps most asynchronous copies from being used too, so where there is `bulk` the kernel itself
   * comes without a pipeline. */
  bool prefers_bulk;
  bool lines; /* .loc says which operation an instruction comes from: gpu/lines.h */
} nvptx_options;

typedef struct nvptx_result {
  sbuf text;            /* the caller sets its arena */
  nvptx_entry *entries; /* in text.arena, in the module's order; so is all that they point to */
  uint32_t n_entries;
  double lower_ms, passes_ms, code_ms;
} nvptx_result;

typedef struct nvptx_backend {
  /* Reports and returns false on failure. */
  bool (*emit)(tsr_context *ctx, ir_module *m, nvptx_emit kind, const nvptx_options *options,
               nvptx_result *out);
} nvptx_backend;

extern const nvptx_backend nvptx_llvm; /* inside the plugin; others go through compiler_plugin */

#endif
