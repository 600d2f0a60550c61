/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Graphs: what nodes do, asked and changed after they were added, in a graph or an instance of it;
 * instances that take over what another graph of the same shape does.
 */
#include <stdlib.h>
#include <string.h>

#include "compat/driver.h"

/* ---- changing ------------------------------------------------------------------------------- */

/* Puts a work of the same kind in another's place, which becomes the caller's to drop. */
static CUresult replace(work *in, const work *with, work *old) {
  work copied;
  if (in->kind != with->kind) return CUDA_ERROR_INVALID_VALUE;
  CUresult r = work_copy(with, &copied);
  if (r) return r;
  *old = *in;
  *in = copied;
  return CUDA_SUCCESS;
}

static CUresult node_change(CUgraphNode handle, const work *with) {
  drv_node *n;
  work old = {.kind = WORK_EMPTY};
  CUresult r = node_enter(handle, &n);
  if (r) return r;
  r = replace(&n->work, with, &old);
  node_leave(n);
  work_drop(&old);
  return r;
}

static CUresult exec_change(CUgraphExec handle, CUgraphNode node, const work *with) {
  CUresult r = initialised();
  if (r) return r;
  drv_exec *e = GET(OBJECT_EXEC, handle);
  work old = {.kind = WORK_EMPTY};
  r = CUDA_ERROR_INVALID_VALUE;
  pthread_mutex_lock(&graph_lock);
  for (size_t i = 0; e && i < e->count; i++)
    if (node && e->nodes[i] == (uint64_t)(uintptr_t)node) r = replace(&e->works[i], with, &old);
  pthread_mutex_unlock(&graph_lock);
  work_drop(&old);
  PUT(e);
  return r;
}

/* ---- kernels -------------------------------------------------------------------------------- */

/* The launch of a node of a graph (`exec` NULL) or of an instance. */
static CUresult kernel_change(CUgraphExec exec, CUgraphNode node,
                              const CUDA_KERNEL_NODE_PARAMS *params) {
  few_args few;
  work w = {.kind = WORK_KERNEL};
  CUresult r = params ? initialised() : CUDA_ERROR_INVALID_VALUE;
  if (!r) r = launch_work(params, &w.kernel, &few);
  if (r) return r;
  r = exec ? exec_change(exec, node, &w) : node_change(node, &w);
  if (w.kernel.args != &few) free(w.kernel.args);
  PUT(w.kernel.kernel);
  return r;
}

CUresult cuGraphKernelNodeSetParams_v2(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *params) {
  return kernel_change(NULL, node, params);
}

CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec exec, CUgraphNode node,
                                           const CUDA_KERNEL_NODE_PARAMS *params) {
  return exec ? kernel_change(exec, node, params) : CUDA_ERROR_INVALID_VALUE;
}

/* ---- copies --------------------------------------------------------------------------------- */

CUresult cuGraphMemcpyNodeGetParams(CUgraphNode node, CUDA_MEMCPY3D *params) {
  drv_node *n;
  if (!params) return CUDA_ERROR_INVALID_VALUE;
  CUresult r = node_enter(node, &n);
  if (r) return r;
  if (n->work.kind == WORK_COPY)
    *params = n->work.copy.asked;
  else
    r = CUDA_ERROR_INVALID_VALUE;
  node_leave(n);
  return r;
}

CUresult cuGraphMemcpyNodeSetParams(CUgraphNode node, const CUDA_MEMCPY3D *params) {
  work w = {.kind = WORK_COPY};
  CUresult r = copy_from_3d(params, &w.copy);
  return r ? r : node_change(node, &w);
}

CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                        const CUDA_MEMCPY3D *params, CUcontext ctx) {
  (void)ctx;
  work w = {.kind = WORK_COPY};
  CUresult r = copy_from_3d(params, &w.copy);
  return r ? r : exec_change(exec, node, &w);
}

/* ---- fills ---------------------------------------------------------------------------------- */

CUresult cuGraphMemsetNodeGetParams(CUgraphNode node, CUDA_MEMSET_NODE_PARAMS *params) {
  drv_node *n;
  if (!params) return CUDA_ERROR_INVALID_VALUE;
  CUresult r = node_enter(node, &n);
  if (r) return r;
  if (n->work.kind == WORK_FILL)
    *params = n->work.fill;
  else
    r = CUDA_ERROR_INVALID_VALUE;
  node_leave(n);
  return r;
}

static CUresult fill_work(const CUDA_MEMSET_NODE_PARAMS *params, work *out) {
  if (!params) return CUDA_ERROR_INVALID_VALUE;
  *out = (work){.kind = WORK_FILL, .fill = *params};
  return fill_check(params);
}

CUresult cuGraphMemsetNodeSetParams(CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS *params) {
  work w;
  CUresult r = fill_work(params, &w);
  return r ? r : node_change(node, &w);
}

CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                        const CUDA_MEMSET_NODE_PARAMS *params, CUcontext ctx) {
  (void)ctx;
  work w;
  CUresult r = fill_work(params, &w);
  return r ? r : exec_change(exec, node, &w);
}

/* ---- functions of the host ------------------------------------------------------------------ */

CUresult cuGraphHostNodeGetParams(CUgraphNode node, CUDA_HOST_NODE_PARAMS *params) {
  drv_node *n;
  if (!params) return CUDA_ERROR_INVALID_VALUE;
  CUresult r = node_enter(node, &n);
  if (r) return r;
  if (n->work.kind == WORK_HOST)
    *params = (CUDA_HOST_NODE_PARAMS){.fn = n->work.host.fn, .userData = n->work.host.user};
  else
    r = CUDA_ERROR_INVALID_VALUE;
  node_leave(n);
  return r;
}

CUresult cuGraphHostNodeSetParams(CUgraphNode node, const CUDA_HOST_NODE_PARAMS *params) {
  if (!params || !params->fn) return CUDA_ERROR_INVALID_VALUE;
  return node_change(
      node, &(work){.kind = WORK_HOST, .host = {.fn = params->fn, .user = params->userData}});
}

CUresult cuGraphExecHostNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                      const CUDA_HOST_NODE_PARAMS *params) {
  if (!params || !params->fn) return CUDA_ERROR_INVALID_VALUE;
  return exec_change(
      exec, node, &(work){.kind = WORK_HOST, .host = {.fn = params->fn, .user = params->userData}});
}

/* ---- instances of changed graphs ------------------------------------------------------------ */

/* Both have their operations in an order that their dependencies allow, made in the same way. */
static bool alike(const drv_exec *a, const drv_exec *b) {
  bool same = a->count == b->count;
  for (size_t i = 0; same && i < a->count; i++) same = a->works[i].kind == b->works[i].kind;
  return same;
}

static void exchange(drv_exec *a, drv_exec *b) {
  work *works = a->works;
  a->works = b->works;
  b->works = works;
}

enum { UPDATE_SUCCESS = 0, UPDATE_ERROR_TOPOLOGY_CHANGED = 2 };

CUresult cuGraphExecUpdate_v2(CUgraphExec handle, CUgraph graph,
                              CUgraphExecUpdateResultInfo *info) {
  drv_graph *g;
  CUresult r = initialised();
  if (r) return r;
  drv_exec *e = GET(OBJECT_EXEC, handle), *fresh = object_new(OBJECT_EXEC, sizeof *fresh, NULL);
  r = !e ? CUDA_ERROR_INVALID_VALUE : fresh ? graph_enter(graph, &g) : CUDA_ERROR_OUT_OF_MEMORY;
  bool same = false;
  if (!r) {
    r = exec_fill(fresh, g);
    same = !r && alike(e, fresh);
    if (same) exchange(e, fresh);
    if (!r && !same) r = CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
    graph_leave(g);
  }
  if (info)
    *info = (CUgraphExecUpdateResultInfo){.result = same ? UPDATE_SUCCESS
                                                         : UPDATE_ERROR_TOPOLOGY_CHANGED};
  if (fresh) object_close(&fresh->base);
  PUT(e);
  return r;
}

/* ---- memory of graphs ----------------------------------------------------------------------- */

/* Allocated with its node: none is kept in reserve. */
CUresult cuDeviceGetGraphMemAttribute(CUdevice dev, CUgraphMem_attribute attr, void *value) {
  CUresult r = initialised();
  if (r) return r;
  if (!device_exists(dev)) return CUDA_ERROR_INVALID_DEVICE;
  if (attr < 0 || attr > 3 || !value) return CUDA_ERROR_INVALID_VALUE;
  memset(value, 0, sizeof(cuuint64_t));
  return CUDA_SUCCESS;
}

CUresult cuDeviceSetGraphMemAttribute(CUdevice dev, CUgraphMem_attribute attr, void *value) {
  cuuint64_t ignored;
  return value ? cuDeviceGetGraphMemAttribute(dev, attr, &ignored) : CUDA_ERROR_INVALID_VALUE;
}
