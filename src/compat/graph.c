/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Graphs: nodes with dependencies, and instances that can be launched. An instance is a list of
 * operations in an order that the dependencies allow; launching executes them one by one.
 */
#include <stdlib.h>
#include <string.h>

#include "compat/driver.h"

/* ---- lists of nodes ------------------------------------------------------------------------- */

bool list_add(node_list *list, drv_node *n) {
  if (list->len == list->cap) {
    size_t cap = list->cap ? list->cap * 2 : 4;
    drv_node **data = realloc(list->data, cap * sizeof *data);
    if (!data) return false;
    list->data = data;
    list->cap = cap;
  }
  KEEP(n);
  list->data[list->len++] = n;
  return true;
}

bool list_has(const node_list *list, const drv_node *n) {
  for (size_t i = 0; i < list->len; i++)
    if (list->data[i] == n) return true;
  return false;
}

void list_clear(node_list *list) {
  for (size_t i = 0; i < list->len; i++) PUT(list->data[i]);
  free(list->data);
  *list = (node_list){0};
}

/* The caller gets the list's reference. */
static drv_node *list_take(node_list *list, size_t index) {
  drv_node *n = list->data[index];
  memmove(&list->data[index], &list->data[index + 1], (--list->len - index) * sizeof(drv_node *));
  return n;
}

/* ---- nodes ---------------------------------------------------------------------------------- */

void node_destroy(drv_node *n) {
  list_clear(&n->dependencies);
  work_drop(&n->work);
}

CUresult graph_add(drv_graph *g, const node_list *dependencies, const work *w, drv_node **out) {
  drv_node *n = object_new(OBJECT_NODE, sizeof *n, NULL);
  if (!n) return CUDA_ERROR_OUT_OF_MEMORY;
  CUresult r = work_copy(w, &n->work);
  if (r) n->work = (work){.kind = WORK_EMPTY};
  for (size_t i = 0; !r && i < dependencies->len; i++)
    if (!list_add(&n->dependencies, dependencies->data[i])) r = CUDA_ERROR_OUT_OF_MEMORY;
  if (!r && !list_add(&g->nodes, n)) r = CUDA_ERROR_OUT_OF_MEMORY;
  if (r) {
    object_close(&n->base);
    return r;
  }
  n->graph = g;
  *out = n;
  return CUDA_SUCCESS;
}

/* First all edges, so that no chain of nodes is destroyed through its links. */
void graph_destroy(drv_graph *g) {
  for (size_t i = 0; i < g->nodes.len; i++) {
    g->nodes.data[i]->graph = NULL;
    list_clear(&g->nodes.data[i]->dependencies);
  }
  for (size_t i = 0; i < g->nodes.len; i++) object_close(&g->nodes.data[i]->base);
  list_clear(&g->nodes);
}

/* ---- order ---------------------------------------------------------------------------------- */

/* The nodes in an order that the dependencies allow; false when they go in a circle. `order` has
 * room for all. Nodes come in the order in which they were added, as far as that is possible. */
static bool order_nodes(const drv_graph *g, drv_node **order) {
  size_t done = 0;
  for (size_t i = 0; i < g->nodes.len; i++) g->nodes.data[i]->mark = 0;
  for (bool progress = true; progress && done < g->nodes.len;) {
    progress = false;
    for (size_t i = 0; i < g->nodes.len; i++) {
      drv_node *n = g->nodes.data[i];
      bool ready = !n->mark;
      for (size_t k = 0; ready && k < n->dependencies.len; k++)
        ready = n->dependencies.data[k]->mark || n->dependencies.data[k]->graph != g;
      if (!ready) continue;
      n->mark = 1;
      order[done++] = n;
      progress = true;
    }
  }
  return done == g->nodes.len;
}

static CUresult ordered(const drv_graph *g, drv_node ***order) {
  *order = malloc((g->nodes.len + 1) * sizeof **order);
  if (!*order) return CUDA_ERROR_OUT_OF_MEMORY;
  if (order_nodes(g, *order)) return CUDA_SUCCESS;
  free(*order);
  *order = NULL;
  return CUDA_ERROR_INVALID_VALUE;
}

/* ---- copies and instances ------------------------------------------------------------------- */

/* Under the lock. */
static CUresult copy_nodes(drv_graph *from, drv_graph *to) {
  drv_node **order;
  CUresult r = ordered(from, &order);
  if (r) return r;
  for (size_t i = 0; !r && i < from->nodes.len; i++) {
    node_list none = {0};
    drv_node *made;
    r = graph_add(to, &none, &order[i]->work, &made);
    order[i]->mark = i;
    for (size_t k = 0; !r && k < order[i]->dependencies.len; k++)
      if (!list_add(&made->dependencies, to->nodes.data[order[i]->dependencies.data[k]->mark]))
        r = CUDA_ERROR_OUT_OF_MEMORY;
  }
  free(order);
  return r;
}

CUresult graph_copy(drv_graph *g, drv_graph **out) {
  drv_graph *made = object_new(OBJECT_GRAPH, sizeof *made, NULL);
  if (!made) return CUDA_ERROR_OUT_OF_MEMORY;
  pthread_mutex_lock(&graph_lock);
  CUresult r = copy_nodes(g, made);
  pthread_mutex_unlock(&graph_lock);
  if (r)
    object_close(&made->base);
  else
    *out = made;
  return r;
}

/* Only graphs inside of others are run as they are: those never change. */
CUresult graph_run(drv_context *ctx, const drv_graph *g) {
  CUresult r = CUDA_SUCCESS; /* a copied graph's nodes are in order */
  for (size_t i = 0; !r && i < g->nodes.len; i++) r = work_run(ctx, &g->nodes.data[i]->work);
  return r;
}

void exec_destroy(drv_exec *e) {
  for (size_t i = 0; i < e->count; i++) work_drop(&e->works[i]);
  free(e->works);
  free(e->nodes);
}

/* Under the lock. */
CUresult exec_fill(drv_exec *e, const drv_graph *g) {
  drv_node **order;
  CUresult r = ordered(g, &order);
  if (r) return r;
  e->works = calloc(g->nodes.len + 1, sizeof *e->works);
  e->nodes = calloc(g->nodes.len + 1, sizeof *e->nodes);
  if (!e->works || !e->nodes) r = CUDA_ERROR_OUT_OF_MEMORY;
  for (size_t i = 0; !r && i < g->nodes.len; i++) {
    e->nodes[i] = order[i]->base.handle;
    r = work_copy(&order[i]->work, &e->works[i]);
    if (!r) e->count++;
  }
  free(order);
  return r;
}

/* ---- entries: graphs ------------------------------------------------------------------------ */

/* A graph under the lock; each success needs a graph_leave. */
CUresult graph_enter(CUgraph handle, drv_graph **g) {
  CUresult r = initialised();
  if (r) return r;
  *g = GET(OBJECT_GRAPH, handle);
  if (!*g) return CUDA_ERROR_INVALID_VALUE;
  pthread_mutex_lock(&graph_lock);
  return CUDA_SUCCESS;
}

void graph_leave(drv_graph *g) {
  pthread_mutex_unlock(&graph_lock);
  PUT(g);
}

CUresult cuGraphCreate(CUgraph *out, unsigned int flags) {
  CUresult r = initialised();
  if (r) return r;
  if (!out || flags) return CUDA_ERROR_INVALID_VALUE;
  drv_graph *g = object_new(OBJECT_GRAPH, sizeof *g, NULL);
  if (!g) return CUDA_ERROR_OUT_OF_MEMORY;
  *out = HANDLE(CUgraph, g);
  return CUDA_SUCCESS;
}

CUresult cuGraphDestroy(CUgraph handle) {
  CUresult r = initialised();
  if (r) return r;
  drv_graph *g = GET(OBJECT_GRAPH, handle);
  bool closed = g && object_close(&g->base);
  PUT(g);
  return closed ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGraphClone(CUgraph *out, CUgraph handle) {
  CUresult r = initialised();
  if (r) return r;
  drv_graph *g = GET(OBJECT_GRAPH, handle), *made;
  r = g && out ? graph_copy(g, &made) : CUDA_ERROR_INVALID_VALUE;
  if (!r) *out = HANDLE(CUgraph, made);
  PUT(g);
  return r;
}

/* The API's way to give a list: `*count` is the room, then the number; without a list, the number
 * only. */
typedef struct node_output {
  CUgraphNode *data;
  size_t room, count;
} node_output;

static void output(node_output *o, const drv_node *n) {
  if (o->data && o->count < o->room) o->data[o->count] = HANDLE(CUgraphNode, n);
  o->count++;
}

static void output_end(node_output *o, size_t *count) {
  for (size_t i = o->count; o->data && i < o->room; i++) o->data[i] = NULL;
  *count = o->data && o->count > o->room ? o->room : o->count;
}

static CUresult list_nodes(CUgraph handle, CUgraphNode *nodes, size_t *count, bool roots) {
  drv_graph *g;
  if (!count) return CUDA_ERROR_INVALID_VALUE;
  CUresult r = graph_enter(handle, &g);
  if (r) return r;
  node_output o = {nodes, *count, 0};
  for (size_t i = 0; i < g->nodes.len; i++)
    if (!roots || !g->nodes.data[i]->dependencies.len) output(&o, g->nodes.data[i]);
  output_end(&o, count);
  graph_leave(g);
  return CUDA_SUCCESS;
}

CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode *nodes, size_t *count) {
  return list_nodes(graph, nodes, count, false);
}

CUresult cuGraphGetRootNodes(CUgraph graph, CUgraphNode *nodes, size_t *count) {
  return list_nodes(graph, nodes, count, true);
}

CUresult cuGraphGetEdges_v2(CUgraph handle, CUgraphNode *from, CUgraphNode *to,
                            CUgraphEdgeData *edges, size_t *count) {
  drv_graph *g;
  if (!count || !from != !to) return CUDA_ERROR_INVALID_VALUE;
  CUresult r = graph_enter(handle, &g);
  if (r) return r;
  size_t room = *count;
  node_output a = {from, room, 0}, b = {to, room, 0};
  for (size_t i = 0; i < g->nodes.len; i++) {
    const drv_node *n = g->nodes.data[i];
    for (size_t k = 0; k < n->dependencies.len; k++) {
      output(&a, n->dependencies.data[k]);
      output(&b, n);
    }
  }
  output_end(&a, count);
  output_end(&b, count);
  if (edges && from) memset(edges, 0, *count * sizeof *edges);
  graph_leave(g);
  return CUDA_SUCCESS;
}

CUresult cuGraphGetEdges(CUgraph graph, CUgraphNode *from, CUgraphNode *to, size_t *count) {
  return cuGraphGetEdges_v2(graph, from, to, NULL, count);
}

/* ---- entries: dependencies ------------------------------------------------------------------ */

static CUresult edges_change(drv_graph *g, const CUgraphNode *from, const CUgraphNode *to,
                             size_t index, bool add, drv_node **dropped) {
  drv_node *a = GET(OBJECT_NODE, from[index]), *b = GET(OBJECT_NODE, to[index]);
  CUresult r = CUDA_ERROR_INVALID_VALUE;
  *dropped = NULL;
  if (a && b && a != b && a->graph == g && b->graph == g) {
    bool has = list_has(&b->dependencies, a);
    if (add && !has) {
      r = list_add(&b->dependencies, a) ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
    } else if (!add && has) {
      size_t at = 0;
      while (b->dependencies.data[at] != a) at++;
      *dropped = list_take(&b->dependencies, at);
      r = CUDA_SUCCESS;
    }
  }
  PUT(a); /* not the last references: the graph has its own */
  PUT(b);
  return r;
}

static CUresult dependencies_change(CUgraph handle, const CUgraphNode *from, const CUgraphNode *to,
                                    size_t count, bool add) {
  drv_graph *g;
  if (count && (!from || !to)) return CUDA_ERROR_INVALID_VALUE;
  CUresult r = graph_enter(handle, &g);
  if (r) return r;
  for (size_t i = 0; !r && i < count; i++) {
    drv_node *dropped;
    r = edges_change(g, from, to, i, add, &dropped);
    PUT(dropped); /* likewise */
  }
  graph_leave(g);
  return r;
}

CUresult cuGraphAddDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                size_t count) {
  return dependencies_change(graph, from, to, count, true);
}

CUresult cuGraphAddDependencies_v2(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                   const CUgraphEdgeData *edges, size_t count) {
  (void)edges; /* says when a programmatic launch may begin: here never early */
  return dependencies_change(graph, from, to, count, true);
}

CUresult cuGraphRemoveDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                   size_t count) {
  return dependencies_change(graph, from, to, count, false);
}

CUresult cuGraphRemoveDependencies_v2(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                      const CUgraphEdgeData *edges, size_t count) {
  (void)edges;
  return dependencies_change(graph, from, to, count, false);
}

/* ---- entries: nodes ------------------------------------------------------------------------- */

static CUresult read_dependencies(const drv_graph *g, const CUgraphNode *handles, size_t count,
                                  node_list *out) {
  if (count && !handles) return CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; i < count; i++) {
    drv_node *n = GET(OBJECT_NODE, handles[i]);
    bool good = n && n->graph == g && !list_has(out, n);
    bool added = good && list_add(out, n);
    PUT(n);
    if (!good) return CUDA_ERROR_INVALID_VALUE;
    if (!added) return CUDA_ERROR_OUT_OF_MEMORY;
  }
  return CUDA_SUCCESS;
}

static CUresult add_node(CUgraphNode *out, CUgraph handle, const CUgraphNode *dependencies,
                         size_t count, const work *w) {
  drv_graph *g;
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  CUresult r = graph_enter(handle, &g);
  if (r) return r;
  node_list list = {0};
  drv_node *n;
  r = read_dependencies(g, dependencies, count, &list);
  if (!r) r = graph_add(g, &list, w, &n);
  if (!r) *out = HANDLE(CUgraphNode, n);
  pthread_mutex_unlock(&graph_lock);
  list_clear(&list);
  PUT(g);
  return r;
}

CUresult cuGraphAddEmptyNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                             size_t count) {
  return add_node(node, graph, dependencies, count, &(work){.kind = WORK_EMPTY});
}

/* The first version of the structure ends before `kern`. */
static CUresult add_kernel(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                           size_t count, const CUDA_KERNEL_NODE_PARAMS *params) {
  few_args few;
  work w = {.kind = WORK_KERNEL};
  CUresult r = initialised();
  if (r) return r;
  r = launch_work(params, &w.kernel, &few);
  if (r) return r;
  r = add_node(node, graph, dependencies, count, &w);
  if (w.kernel.args != &few) free(w.kernel.args);
  PUT(w.kernel.kernel);
  return r;
}

CUresult cuGraphAddKernelNode_v2(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                                 size_t count, const CUDA_KERNEL_NODE_PARAMS *params) {
  return params ? add_kernel(node, graph, dependencies, count, params) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGraphAddKernelNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                              size_t count, const CUDA_KERNEL_NODE_PARAMS *params) {
  CUDA_KERNEL_NODE_PARAMS all = {0};
  if (!params) return CUDA_ERROR_INVALID_VALUE;
  memcpy(&all, params, offsetof(CUDA_KERNEL_NODE_PARAMS, kern));
  return add_kernel(node, graph, dependencies, count, &all);
}

CUresult cuGraphAddMemcpyNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                              size_t count, const CUDA_MEMCPY3D *params, CUcontext ctx) {
  (void)ctx;
  work w = {.kind = WORK_COPY};
  CUresult r = copy_from_3d(params, &w.copy);
  return r ? r : add_node(node, graph, dependencies, count, &w);
}

CUresult cuGraphAddMemsetNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                              size_t count, const CUDA_MEMSET_NODE_PARAMS *params, CUcontext ctx) {
  (void)ctx;
  CUresult r = fill_check(params);
  return r ? r
           : add_node(node, graph, dependencies, count,
                      &(work){.kind = WORK_FILL, .fill = *params});
}

CUresult cuGraphAddHostNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                            size_t count, const CUDA_HOST_NODE_PARAMS *params) {
  if (!params || !params->fn) return CUDA_ERROR_INVALID_VALUE;
  return add_node(node, graph, dependencies, count,
                  &(work){.kind = WORK_HOST, .host = {params->fn, params->userData}});
}

CUresult cuGraphAddChildGraphNode(CUgraphNode *node, CUgraph parent,
                                  const CUgraphNode *dependencies, size_t count, CUgraph child) {
  CUresult r = initialised();
  if (r) return r;
  drv_graph *g = GET(OBJECT_GRAPH, child), *made = NULL;
  r = g && child != parent ? graph_copy(g, &made) : CUDA_ERROR_INVALID_VALUE;
  PUT(g);
  if (r) return r;
  KEEP(made);
  object_close(&made->base); /* nobody gets its handle, so nobody changes it */
  r = add_node(node, parent, dependencies, count, &(work){.kind = WORK_GRAPH, .graph = made});
  PUT(made);
  return r;
}

static CUresult add_event(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                          size_t count, CUevent handle, work_kind kind) {
  CUresult r = initialised();
  if (r) return r;
  drv_event *e = GET(OBJECT_EVENT, handle);
  if (!e) return CUDA_ERROR_INVALID_VALUE;
  r = add_node(node, graph, dependencies, count, &(work){.kind = kind, .event = e});
  PUT(e);
  return r;
}

CUresult cuGraphAddEventRecordNode(CUgraphNode *node, CUgraph graph,
                                   const CUgraphNode *dependencies, size_t count, CUevent event) {
  return add_event(node, graph, dependencies, count, event, WORK_RECORD);
}

CUresult cuGraphAddEventWaitNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                                 size_t count, CUevent event) {
  return add_event(node, graph, dependencies, count, event, WORK_WAIT);
}

CUresult cuGraphAddMemAllocNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                                size_t count, CUDA_MEM_ALLOC_NODE_PARAMS *params) {
  if (!params || params->poolProps.allocType != CU_MEM_ALLOCATION_TYPE_PINNED ||
      !device_exists(params->poolProps.location.id))
    return CUDA_ERROR_INVALID_VALUE;
  work w;
  CUresult r = alloc_work(params->bytesize, &w);
  if (r) return r;
  r = add_node(node, graph, dependencies, count, &w);
  if (!r) params->dptr = w.memory->address;
  work_drop(&w);
  return r;
}

/* The memory goes with the graph, as its address must stay good for the next launch. */
CUresult cuGraphAddMemFreeNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                               size_t count, CUdeviceptr dptr) {
  work w;
  CUresult r = free_work(dptr, &w);
  return r ? r : add_node(node, graph, dependencies, count, &w);
}

CUresult node_enter(CUgraphNode handle, drv_node **n) {
  CUresult r = initialised();
  if (r) return r;
  *n = GET(OBJECT_NODE, handle);
  if (!*n) return CUDA_ERROR_INVALID_VALUE;
  pthread_mutex_lock(&graph_lock);
  return CUDA_SUCCESS;
}

void node_leave(drv_node *n) {
  pthread_mutex_unlock(&graph_lock);
  PUT(n);
}

CUresult cuGraphNodeGetType(CUgraphNode handle, CUgraphNodeType *type) {
  static const CUgraphNodeType types[] = {
      [WORK_EMPTY] = CU_GRAPH_NODE_TYPE_EMPTY,         [WORK_KERNEL] = CU_GRAPH_NODE_TYPE_KERNEL,
      [WORK_COPY] = CU_GRAPH_NODE_TYPE_MEMCPY,         [WORK_FILL] = CU_GRAPH_NODE_TYPE_MEMSET,
      [WORK_HOST] = CU_GRAPH_NODE_TYPE_HOST,           [WORK_CALLBACK] = CU_GRAPH_NODE_TYPE_HOST,
      [WORK_RECORD] = CU_GRAPH_NODE_TYPE_EVENT_RECORD, [WORK_WAIT] = CU_GRAPH_NODE_TYPE_WAIT_EVENT,
      [WORK_ALLOC] = CU_GRAPH_NODE_TYPE_MEM_ALLOC,     [WORK_FREE] = CU_GRAPH_NODE_TYPE_MEM_FREE,
      [WORK_GRAPH] = CU_GRAPH_NODE_TYPE_GRAPH};
  drv_node *n;
  if (!type) return CUDA_ERROR_INVALID_VALUE;
  CUresult r = node_enter(handle, &n);
  if (r) return r;
  *type = types[n->work.kind];
  node_leave(n);
  return CUDA_SUCCESS;
}

CUresult cuGraphNodeGetDependencies_v2(CUgraphNode handle, CUgraphNode *dependencies,
                                       CUgraphEdgeData *edges, size_t *count) {
  drv_node *n;
  if (!count) return CUDA_ERROR_INVALID_VALUE;
  CUresult r = node_enter(handle, &n);
  if (r) return r;
  node_output o = {dependencies, *count, 0};
  for (size_t i = 0; i < n->dependencies.len; i++) output(&o, n->dependencies.data[i]);
  output_end(&o, count);
  if (edges && dependencies) memset(edges, 0, *count * sizeof *edges);
  node_leave(n);
  return CUDA_SUCCESS;
}

CUresult cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode *dependencies, size_t *count) {
  return cuGraphNodeGetDependencies_v2(node, dependencies, NULL, count);
}

/* Under the lock: takes the node out of its graph, and out of what depends on it. */
static void node_cut(drv_node *n) {
  drv_graph *g = n->graph;
  for (size_t i = g->nodes.len; i-- > 0;) {
    drv_node *other = g->nodes.data[i];
    for (size_t k = other->dependencies.len; k-- > 0;)
      if (other->dependencies.data[k] == n) PUT(list_take(&other->dependencies, k));
    if (other == n) PUT(list_take(&g->nodes, i)); /* the caller's reference is another */
  }
  n->graph = NULL;
}

CUresult cuGraphDestroyNode(CUgraphNode handle) {
  drv_node *n;
  CUresult r = node_enter(handle, &n);
  if (r) return r;
  bool known = n->graph != NULL;
  if (known) node_cut(n);
  pthread_mutex_unlock(&graph_lock);
  if (known) object_close(&n->base);
  PUT(n);
  return known ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode handle, CUDA_KERNEL_NODE_PARAMS *params) {
  drv_node *n;
  if (!params) return CUDA_ERROR_INVALID_VALUE;
  CUresult r = node_enter(handle, &n);
  if (r) return r;
  if (n->work.kind == WORK_KERNEL) {
    const kernel_work *k = &n->work.kernel;
    *params = (CUDA_KERNEL_NODE_PARAMS){.func = HANDLE(CUfunction, k->kernel),
                                        .gridDimX = k->grid.x,
                                        .gridDimY = k->grid.y,
                                        .gridDimZ = k->grid.z,
                                        .blockDimX = k->block[0],
                                        .blockDimY = k->block[1],
                                        .blockDimZ = k->block[2],
                                        .sharedMemBytes = k->shared};
  } else {
    r = CUDA_ERROR_INVALID_VALUE;
  }
  node_leave(n);
  return r;
}

/* ---- entries: instances --------------------------------------------------------------------- */

CUresult cuGraphInstantiateWithFlags(CUgraphExec *out, CUgraph handle, unsigned long long flags) {
  drv_graph *g;
  if (!out || flags > 15) return CUDA_ERROR_INVALID_VALUE;
  drv_exec *e = object_new(OBJECT_EXEC, sizeof *e, NULL);
  if (!e) return CUDA_ERROR_OUT_OF_MEMORY;
  CUresult r = graph_enter(handle, &g);
  if (!r) {
    r = exec_fill(e, g);
    graph_leave(g);
  }
  if (r)
    object_close(&e->base);
  else
    *out = HANDLE(CUgraphExec, e);
  return r;
}

CUresult cuGraphInstantiate_v2(CUgraphExec *exec, CUgraph graph, CUgraphNode *error, char *log,
                               size_t size) {
  if (error) *error = NULL;
  if (log && size) *log = 0;
  return cuGraphInstantiateWithFlags(exec, graph, 0);
}

CUresult cuGraphInstantiateWithParams(CUgraphExec *exec, CUgraph graph,
                                      CUDA_GRAPH_INSTANTIATE_PARAMS *params) {
  if (!params) return CUDA_ERROR_INVALID_VALUE;
  CUresult r = cuGraphInstantiateWithFlags(exec, graph, params->flags);
  params->hErrNode_out = NULL;
  params->result_out = r ? 1 : 0;
  return r;
}

CUresult cuGraphUpload(CUgraphExec handle, CUstream stream) {
  drv_exec *e = GET(OBJECT_EXEC, handle);
  PUT(e);
  return e ? submit_to(stream, &(work){.kind = WORK_EMPTY}) : CUDA_ERROR_INVALID_VALUE;
}

/* Launched into a capture, an instance becomes a graph in the graph. */
static CUresult exec_as_graph(const drv_exec *e, drv_graph **out) {
  drv_graph *g = object_new(OBJECT_GRAPH, sizeof *g, NULL);
  if (!g) return CUDA_ERROR_OUT_OF_MEMORY;
  CUresult r = CUDA_SUCCESS;
  node_list none = {0};
  drv_node *n;
  pthread_mutex_lock(&graph_lock);
  for (size_t i = 0; !r && i < e->count; i++) r = graph_add(g, &none, &e->works[i], &n);
  pthread_mutex_unlock(&graph_lock);
  KEEP(g);
  object_close(&g->base);
  if (r) PUT(g);
  *out = r ? NULL : g;
  return r;
}

static CUresult exec_launch(drv_context *ctx, drv_stream *s, const drv_exec *e) {
  drv_graph *g;
  if (!atomic_load(&s->capture)) {
    /* Each operation in the stream's order by itself: others' cannot come in between unless two
     * threads use the stream at once. */
    CUresult r = CUDA_SUCCESS;
    for (size_t i = 0; !r && i < e->count; i++) r = submit(ctx, s, &e->works[i]);
    return r;
  }
  CUresult r = exec_as_graph(e, &g);
  if (r) return r;
  r = submit(ctx, s, &(work){.kind = WORK_GRAPH, .graph = g});
  PUT(g);
  return r;
}

CUresult cuGraphLaunch(CUgraphExec handle, CUstream stream_handle) {
  drv_context *ctx;
  drv_stream *s;
  CUresult r = enter(&ctx);
  if (r) return r;
  drv_exec *e = GET(OBJECT_EXEC, handle);
  r = e ? stream_get(ctx, stream_handle, &s) : CUDA_ERROR_INVALID_VALUE;
  if (!r) {
    r = exec_launch(ctx, s, e);
    PUT(s);
  }
  PUT(e);
  PUT(ctx);
  return r;
}

CUresult cuGraphExecDestroy(CUgraphExec handle) {
  CUresult r = initialised();
  if (r) return r;
  drv_exec *e = GET(OBJECT_EXEC, handle);
  bool closed = e && object_close(&e->base);
  PUT(e);
  return closed ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
