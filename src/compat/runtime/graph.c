/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Graphs. Kernels are named by host functions; the rest of a node's parameters is the driver's, but
 * for copies, which say a direction instead of two kinds of memory.
 */
#include <string.h>

#include "compat/runtime/runtime.h"

#define NODE_ARGUMENTS                                                                             \
  cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies, size_t count

static CUcontext current(void) {
  CUcontext ctx = NULL;
  cuCtxGetCurrent(&ctx);
  return ctx;
}

/* ---- graphs --------------------------------------------------------------------------------- */

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned int flags) {
  CALL(cuGraphCreate(graph, flags));
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  CALL(cuGraphDestroy(graph));
}

cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph) {
  CALL(cuGraphClone(clone, graph));
}

/* ---- kernels -------------------------------------------------------------------------------- */

static CUresult kernel_params(const cudaKernelNodeParams *p, CUDA_KERNEL_NODE_PARAMS *out) {
  CUfunction kernel;
  CUresult r = p ? rt_kernel(p->func, &kernel) : CUDA_ERROR_INVALID_VALUE;
  if (r) return r;
  *out = (CUDA_KERNEL_NODE_PARAMS){.func = kernel,
                                   .gridDimX = p->gridDim.x,
                                   .gridDimY = p->gridDim.y,
                                   .gridDimZ = p->gridDim.z,
                                   .blockDimX = p->blockDim.x,
                                   .blockDimY = p->blockDim.y,
                                   .blockDimZ = p->blockDim.z,
                                   .sharedMemBytes = p->sharedMemBytes,
                                   .kernelParams = p->kernelParams,
                                   .extra = p->extra};
  return CUDA_SUCCESS;
}

static CUresult add_kernel(NODE_ARGUMENTS, const cudaKernelNodeParams *params) {
  CUDA_KERNEL_NODE_PARAMS p;
  CUresult r = kernel_params(params, &p);
  return r ? r : cuGraphAddKernelNode(node, graph, dependencies, count, &p);
}

cudaError_t cudaGraphAddKernelNode(NODE_ARGUMENTS, const cudaKernelNodeParams *params) {
  CALL(add_kernel(node, graph, dependencies, count, params));
}

static CUresult get_kernel(cudaGraphNode_t node, cudaKernelNodeParams *params) {
  CUDA_KERNEL_NODE_PARAMS p;
  CUresult r = params ? cuGraphKernelNodeGetParams(node, &p) : CUDA_ERROR_INVALID_VALUE;
  if (r) return r;
  *params = (cudaKernelNodeParams){.func = rt_host_function(p.func),
                                   .gridDim = {p.gridDimX, p.gridDimY, p.gridDimZ},
                                   .blockDim = {p.blockDimX, p.blockDimY, p.blockDimZ},
                                   .sharedMemBytes = p.sharedMemBytes,
                                   .kernelParams = p.kernelParams,
                                   .extra = p.extra};
  return CUDA_SUCCESS;
}

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams *params) {
  CALL(get_kernel(node, params));
}

static CUresult set_kernel(cudaGraphExec_t exec, cudaGraphNode_t node,
                           const cudaKernelNodeParams *params) {
  CUDA_KERNEL_NODE_PARAMS p;
  CUresult r = kernel_params(params, &p);
  if (r) return r;
  return exec ? cuGraphExecKernelNodeSetParams(exec, node, &p)
              : cuGraphKernelNodeSetParams(node, &p);
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams *params) {
  CALL(set_kernel(NULL, node, params));
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaKernelNodeParams *params) {
  CALL(exec ? set_kernel(exec, node, params) : CUDA_ERROR_INVALID_VALUE);
}

/* ---- copies --------------------------------------------------------------------------------- */

static CUresult add_copy(NODE_ARGUMENTS, CUresult r, const CUDA_MEMCPY3D *c) {
  return r ? r : cuGraphAddMemcpyNode(node, graph, dependencies, count, c, current());
}

static CUresult set_copy(cudaGraphExec_t exec, cudaGraphNode_t node, CUresult r,
                         const CUDA_MEMCPY3D *c) {
  if (r) return r;
  return exec ? cuGraphExecMemcpyNodeSetParams(exec, node, c, current())
              : cuGraphMemcpyNodeSetParams(node, c);
}

cudaError_t cudaGraphAddMemcpyNode(NODE_ARGUMENTS, const cudaMemcpy3DParms *params) {
  CUDA_MEMCPY3D c;
  CUresult r = rt_copy_3d(params, &c);
  CALL(add_copy(node, graph, dependencies, count, r, &c));
}

cudaError_t cudaGraphAddMemcpyNode1D(NODE_ARGUMENTS, void *dst, const void *src, size_t bytes,
                                     cudaMemcpyKind kind) {
  CUDA_MEMCPY3D c;
  CUresult r = rt_copy_1d(dst, src, bytes, kind, &c);
  CALL(add_copy(node, graph, dependencies, count, r, &c));
}

static CUresult add_copy_to(NODE_ARGUMENTS, const void *symbol, const void *src, size_t bytes,
                            size_t offset, cudaMemcpyKind kind) {
  CUDA_MEMCPY3D c;
  void *at;
  CUresult r = rt_symbol_part(symbol, bytes, offset, &at);
  if (!r) r = rt_copy_1d(at, src, bytes, kind, &c);
  return add_copy(node, graph, dependencies, count, r, &c);
}

cudaError_t cudaGraphAddMemcpyNodeToSymbol(NODE_ARGUMENTS, const void *symbol, const void *src,
                                           size_t bytes, size_t offset, cudaMemcpyKind kind) {
  CALL(add_copy_to(node, graph, dependencies, count, symbol, src, bytes, offset, kind));
}

static CUresult add_copy_from(NODE_ARGUMENTS, void *dst, const void *symbol, size_t bytes,
                              size_t offset, cudaMemcpyKind kind) {
  CUDA_MEMCPY3D c;
  void *at;
  CUresult r = rt_symbol_part(symbol, bytes, offset, &at);
  if (!r) r = rt_copy_1d(dst, at, bytes, kind, &c);
  return add_copy(node, graph, dependencies, count, r, &c);
}

cudaError_t cudaGraphAddMemcpyNodeFromSymbol(NODE_ARGUMENTS, void *dst, const void *symbol,
                                             size_t bytes, size_t offset, cudaMemcpyKind kind) {
  CALL(add_copy_from(node, graph, dependencies, count, dst, symbol, bytes, offset, kind));
}

cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const cudaMemcpy3DParms *params) {
  CUDA_MEMCPY3D c;
  CUresult r = rt_copy_3d(params, &c);
  CALL(set_copy(NULL, node, r, &c));
}

cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *dst, const void *src,
                                           size_t bytes, cudaMemcpyKind kind) {
  CUDA_MEMCPY3D c;
  CUresult r = rt_copy_1d(dst, src, bytes, kind, &c);
  CALL(set_copy(NULL, node, r, &c));
}

cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaMemcpy3DParms *params) {
  CUDA_MEMCPY3D c;
  CUresult r = exec ? rt_copy_3d(params, &c) : CUDA_ERROR_INVALID_VALUE;
  CALL(set_copy(exec, node, r, &c));
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node,
                                               void *dst, const void *src, size_t bytes,
                                               cudaMemcpyKind kind) {
  CUDA_MEMCPY3D c;
  CUresult r = exec ? rt_copy_1d(dst, src, bytes, kind, &c) : CUDA_ERROR_INVALID_VALUE;
  CALL(set_copy(exec, node, r, &c));
}

/* ---- fills and functions of the host -------------------------------------------------------- */

static CUDA_MEMSET_NODE_PARAMS fill(const cudaMemsetParams *p) {
  return (CUDA_MEMSET_NODE_PARAMS){.dst = rt_ptr(p->dst),
                                   .pitch = p->pitch,
                                   .value = p->value,
                                   .elementSize = p->elementSize,
                                   .width = p->width,
                                   .height = p->height};
}

cudaError_t cudaGraphAddMemsetNode(NODE_ARGUMENTS, const cudaMemsetParams *params) {
  if (!params) return rt_fail(cudaErrorInvalidValue);
  CUDA_MEMSET_NODE_PARAMS p = fill(params);
  CALL(cuGraphAddMemsetNode(node, graph, dependencies, count, &p, current()));
}

static CUresult get_fill(cudaGraphNode_t node, cudaMemsetParams *params) {
  CUDA_MEMSET_NODE_PARAMS p;
  CUresult r = params ? cuGraphMemsetNodeGetParams(node, &p) : CUDA_ERROR_INVALID_VALUE;
  if (r) return r;
  *params = (cudaMemsetParams){.dst = (void *)(uintptr_t)p.dst,
                               .pitch = p.pitch,
                               .value = p.value,
                               .elementSize = p.elementSize,
                               .width = p.width,
                               .height = p.height};
  return CUDA_SUCCESS;
}

cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, cudaMemsetParams *params) {
  CALL(get_fill(node, params));
}

cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const cudaMemsetParams *params) {
  if (!params) return rt_fail(cudaErrorInvalidValue);
  CUDA_MEMSET_NODE_PARAMS p = fill(params);
  CALL(cuGraphMemsetNodeSetParams(node, &p));
}

cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaMemsetParams *params) {
  if (!params) return rt_fail(cudaErrorInvalidValue);
  CUDA_MEMSET_NODE_PARAMS p = fill(params);
  CALL(cuGraphExecMemsetNodeSetParams(exec, node, &p, current()));
}

cudaError_t cudaGraphAddHostNode(NODE_ARGUMENTS, const cudaHostNodeParams *params) {
  CALL(cuGraphAddHostNode(node, graph, dependencies, count, params));
}

cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, cudaHostNodeParams *params) {
  CALL(cuGraphHostNodeGetParams(node, params));
}

cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const cudaHostNodeParams *params) {
  CALL(cuGraphHostNodeSetParams(node, params));
}

cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                           const cudaHostNodeParams *params) {
  CALL(cuGraphExecHostNodeSetParams(exec, node, params));
}

/* ---- the others ----------------------------------------------------------------------------- */

cudaError_t cudaGraphAddChildGraphNode(NODE_ARGUMENTS, cudaGraph_t child) {
  CALL(cuGraphAddChildGraphNode(node, graph, dependencies, count, child));
}

cudaError_t cudaGraphAddEmptyNode(NODE_ARGUMENTS) {
  CALL(cuGraphAddEmptyNode(node, graph, dependencies, count));
}

cudaError_t cudaGraphAddEventRecordNode(NODE_ARGUMENTS, cudaEvent_t event) {
  CALL(cuGraphAddEventRecordNode(node, graph, dependencies, count, event));
}

cudaError_t cudaGraphAddEventWaitNode(NODE_ARGUMENTS, cudaEvent_t event) {
  CALL(cuGraphAddEventWaitNode(node, graph, dependencies, count, event));
}

cudaError_t cudaGraphAddMemAllocNode(NODE_ARGUMENTS, cudaMemAllocNodeParams *params) {
  CALL(cuGraphAddMemAllocNode(node, graph, dependencies, count, params));
}

cudaError_t cudaGraphAddMemFreeNode(NODE_ARGUMENTS, void *address) {
  CALL(cuGraphAddMemFreeNode(node, graph, dependencies, count, rt_ptr(address)));
}

/* Nodes of all kinds by one call. Ports of edges are for launches of which a part may begin early;
 * here none does. */
static CUresult add_node(NODE_ARGUMENTS, cudaGraphNodeParams *p) {
  CUDA_MEMCPY3D c;
  CUDA_MEMSET_NODE_PARAMS f;
  if (!p) return CUDA_ERROR_INVALID_VALUE;
  switch (p->type) {
  case CU_GRAPH_NODE_TYPE_KERNEL: return add_kernel(node, graph, dependencies, count, &p->kernel);
  case CU_GRAPH_NODE_TYPE_MEMCPY:
    return add_copy(node, graph, dependencies, count, rt_copy_3d(&p->memcpy.copyParams, &c), &c);
  case CU_GRAPH_NODE_TYPE_MEMSET:
    f = fill(&p->memset);
    return cuGraphAddMemsetNode(node, graph, dependencies, count, &f, current());
  case CU_GRAPH_NODE_TYPE_HOST:
    return cuGraphAddHostNode(node, graph, dependencies, count, &p->host);
  case CU_GRAPH_NODE_TYPE_GRAPH:
    return cuGraphAddChildGraphNode(node, graph, dependencies, count, p->graph);
  case CU_GRAPH_NODE_TYPE_EMPTY: return cuGraphAddEmptyNode(node, graph, dependencies, count);
  case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
    return cuGraphAddEventWaitNode(node, graph, dependencies, count, p->event);
  case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
    return cuGraphAddEventRecordNode(node, graph, dependencies, count, p->event);
  case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
    return cuGraphAddMemAllocNode(node, graph, dependencies, count, &p->alloc);
  case CU_GRAPH_NODE_TYPE_MEM_FREE:
    return cuGraphAddMemFreeNode(node, graph, dependencies, count, rt_ptr(p->freed));
  default: rt_say("a graph's node of kind %d: conditional nodes are not supported", p->type);
  }
  return CUDA_ERROR_NOT_SUPPORTED;
}

#if TSR_CUDART_VERSION >= 13
cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph,
                             const cudaGraphNode_t *dependencies, const cudaGraphEdgeData *edges,
                             size_t count, cudaGraphNodeParams *params) {
  (void)edges;
  CALL(add_node(node, graph, dependencies, count, params));
}
#else
cudaError_t cudaGraphAddNode(NODE_ARGUMENTS, cudaGraphNodeParams *params) {
  CALL(add_node(node, graph, dependencies, count, params));
}

cudaError_t cudaGraphAddNode_v2(cudaGraphNode_t *node, cudaGraph_t graph,
                                const cudaGraphNode_t *dependencies, const cudaGraphEdgeData *edges,
                                size_t count, cudaGraphNodeParams *params) {
  (void)edges;
  CALL(add_node(node, graph, dependencies, count, params));
}
#endif

/* ---- memory --------------------------------------------------------------------------------- */

cudaError_t cudaDeviceGraphMemTrim(int device) {
  CALL(cuDeviceGraphMemTrim(device));
}

cudaError_t cudaDeviceGetGraphMemAttribute(int device, int attribute, void *value) {
  CALL(cuDeviceGetGraphMemAttribute(device, attribute, value));
}

cudaError_t cudaDeviceSetGraphMemAttribute(int device, int attribute, void *value) {
  CALL(cuDeviceSetGraphMemAttribute(device, attribute, value));
}

/* ---- shape ---------------------------------------------------------------------------------- */

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, int *type) {
  CALL(cuGraphNodeGetType(node, (CUgraphNodeType *)type));
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count) {
  CALL(cuGraphGetNodes(graph, nodes, count));
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count) {
  CALL(cuGraphGetRootNodes(graph, nodes, count));
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node) {
  CALL(cuGraphDestroyNode(node));
}

#if TSR_CUDART_VERSION >= 13
#define EDGES(name) name
#else
#define EDGES(name) name##_v2
cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                              size_t *count) {
  CALL(cuGraphGetEdges(graph, from, to, NULL, count));
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *dependencies,
                                         size_t *count) {
  CALL(cuGraphNodeGetDependencies(node, dependencies, NULL, count));
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                     const cudaGraphNode_t *to, size_t count) {
  CALL(cuGraphAddDependencies(graph, from, to, NULL, count));
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                        const cudaGraphNode_t *to, size_t count) {
  CALL(cuGraphRemoveDependencies(graph, from, to, NULL, count));
}
#endif

cudaError_t EDGES(cudaGraphGetEdges)(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                                     cudaGraphEdgeData *edges, size_t *count) {
  CALL(cuGraphGetEdges(graph, from, to, edges, count));
}

cudaError_t EDGES(cudaGraphNodeGetDependencies)(cudaGraphNode_t node, cudaGraphNode_t *dependencies,
                                                cudaGraphEdgeData *edges, size_t *count) {
  CALL(cuGraphNodeGetDependencies(node, dependencies, edges, count));
}

cudaError_t EDGES(cudaGraphAddDependencies)(cudaGraph_t graph, const cudaGraphNode_t *from,
                                            const cudaGraphNode_t *to,
                                            const cudaGraphEdgeData *edges, size_t count) {
  CALL(cuGraphAddDependencies(graph, from, to, edges, count));
}

cudaError_t EDGES(cudaGraphRemoveDependencies)(cudaGraph_t graph, const cudaGraphNode_t *from,
                                               const cudaGraphNode_t *to,
                                               const cudaGraphEdgeData *edges, size_t count) {
  CALL(cuGraphRemoveDependencies(graph, from, to, edges, count));
}

/* ---- instances ------------------------------------------------------------------------------ */

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
                                 unsigned long long flags) {
  CALL(cuGraphInstantiate(exec, graph, flags));
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph,
                                          unsigned long long flags) {
  CALL(cuGraphInstantiate(exec, graph, flags));
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *exec, cudaGraph_t graph,
                                           cudaGraphInstantiateParams *params) {
  CALL(cuGraphInstantiateWithParams(exec, graph, params));
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo *info) {
  CUgraphExecUpdateResultInfo i = {0};
  CUresult r = rt_begin();
  if (!r) r = cuGraphExecUpdate(exec, graph, &i);
  if (info) *info = (cudaGraphExecUpdateResultInfo){i.result, i.errorNode, i.errorFromNode};
  return rt_end(r);
}

cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream) {
  CALL(cuGraphUpload(exec, stream));
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  CALL(cuGraphLaunch(exec, stream));
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  CALL(cuGraphExecDestroy(exec));
}
