/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Dominators as in Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm" (2001); loops as
 * what leads back to a block that dominates it.
 */
#include "llvm/flow.h"

static uint32_t *numbers(arena *a, uint32_t n, uint32_t value) {
  uint32_t *x = arena_array(a, uint32_t, MAX(n, 1u));
  for (uint32_t i = 0; i < n; i++) x[i] = value;
  return x;
}

/* ---- edges ---------------------------------------------------------------------------------- */

static uint32_t number_of(const flow *f, LLVMBasicBlockRef block) {
  return (uint32_t)*map_get(&f->number, (uintptr_t)block);
}

static void find_edges(arena *a, flow *f) {
  uint32_t n = f->n_blocks, total = 0;
  f->next.first = numbers(a, n + 2, 0);
  for (uint32_t i = 0; i < n; i++) {
    f->next.first[i] = total;
    total += MAX(LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(f->block[i])), 1u);
  }
  f->next.first[n] = f->next.first[n + 1] = total;
  f->next.to = numbers(a, total, f->exit);
  for (uint32_t i = 0; i < n; i++) {
    LLVMValueRef end = LLVMGetBasicBlockTerminator(f->block[i]);
    for (unsigned k = 0; k < LLVMGetNumSuccessors(end); k++)
      f->next.to[f->next.first[i] + k] = number_of(f, LLVMGetSuccessor(end, k));
  }
}

static flow_edges turned(arena *a, const flow_edges *e, uint32_t n) {
  uint32_t total = e->first[n];
  flow_edges t = {numbers(a, n + 1, 0), numbers(a, total, 0)};
  uint32_t *at = numbers(a, n + 1, 0);
  for (uint32_t k = 0; k < total; k++) t.first[e->to[k] + 1]++;
  for (uint32_t i = 0; i < n; i++) at[i + 1] = t.first[i + 1] += t.first[i];
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t k = e->first[i]; k < e->first[i + 1]; k++) t.to[at[e->to[k]]++] = i;
  return t;
}

/* ---- dominators ----------------------------------------------------------------------------- */

/* Nodes that can be reached, each before all that are reached through it alone. */
typedef struct order {
  uint32_t *node, *rank, n; /* rank: where a node stands; NONE: nowhere */
} order;

static order order_from(arena *a, uint32_t root, const flow_edges *next, uint32_t n) {
  order o = {numbers(a, n, 0), numbers(a, n, FLOW_NONE), 0};
  uint32_t *stack = numbers(a, n, 0), *at = numbers(a, n, 0), depth = 0, end = n;
  stack[depth++] = root;
  at[root] = next->first[root];
  o.rank[root] = 0;
  while (depth > 0) {
    uint32_t i = stack[depth - 1];
    if (at[i] == next->first[i + 1]) {
      o.node[--end] = i;
      depth--;
      continue;
    }
    uint32_t to = next->to[at[i]++];
    if (o.rank[to] != FLOW_NONE) continue;
    o.rank[to] = 0;
    at[to] = next->first[to];
    stack[depth++] = to;
  }
  o.n = n - end;
  o.node += end;
  for (uint32_t k = 0; k < o.n; k++) o.rank[o.node[k]] = k;
  return o;
}

static uint32_t common(const order *o, const uint32_t *dominator, uint32_t a, uint32_t b) {
  while (a != b) {
    while (o->rank[a] > o->rank[b]) a = dominator[a];
    while (o->rank[b] > o->rank[a]) b = dominator[b];
  }
  return a;
}

static uint32_t *dominators(arena *a, const order *o, const flow_edges *before, uint32_t n) {
  uint32_t *d = numbers(a, n, FLOW_NONE), root = o->node[0];
  d[root] = root;
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t k = 1; k < o->n; k++) {
      uint32_t i = o->node[k], to = FLOW_NONE;
      for (uint32_t e = before->first[i]; e < before->first[i + 1]; e++) {
        uint32_t p = before->to[e];
        if (d[p] != FLOW_NONE) to = to == FLOW_NONE ? p : common(o, d, p, to);
      }
      changed |= d[i] != to;
      d[i] = to;
    }
  }
  d[root] = FLOW_NONE;
  return d;
}

static void find_places(arena *a, flow *f, const order *o) {
  uint32_t n = f->n_blocks + 1, *next = numbers(a, n, 0);
  f->place = numbers(a, n, 0);
  f->size = numbers(a, n, 1);
  for (uint32_t k = o->n - 1; k > 0; k--) f->size[f->dominator[o->node[k]]] += f->size[o->node[k]];
  next[o->node[0]] = 1;
  for (uint32_t k = 1; k < o->n; k++) {
    uint32_t i = o->node[k], above = f->dominator[i];
    f->place[i] = next[above];
    next[above] += f->size[i];
    next[i] = f->place[i] + 1;
  }
}

/* ---- loops ---------------------------------------------------------------------------------- */

static uint32_t outermost(const flow *f, uint32_t loop) {
  while (f->outer[loop] != FLOW_NONE) loop = f->outer[loop];
  return loop;
}

/* Loops inside have been found. */
static void find_loop(flow *f, uint32_t head, uint32_t *stack) {
  uint32_t depth = 0;
  for (uint32_t e = f->before.first[head]; e < f->before.first[head + 1]; e++)
    if (flow_dominates(f, head, f->before.to[e])) stack[depth++] = f->before.to[e];
  if (depth == 0) return;
  f->loop[head] = head;
  while (depth > 0) {
    uint32_t i = stack[--depth];
    if (f->loop[i] != FLOW_NONE) {
      i = outermost(f, f->loop[i]);
      if (i == head) continue;
      f->outer[i] = head;
    } else {
      f->loop[i] = head;
    }
    for (uint32_t e = f->before.first[i]; e < f->before.first[i + 1]; e++)
      stack[depth++] = f->before.to[e];
  }
}

static bool find_loops(arena *a, flow *f, const order *o) {
  uint32_t n = f->n_blocks + 1, edges = f->next.first[n];
  f->loop = numbers(a, n, FLOW_NONE);
  f->outer = numbers(a, n, FLOW_NONE);
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t e = f->next.first[i]; e < f->next.first[i + 1]; e++) {
      uint32_t to = f->next.to[e];
      if (o->rank[to] <= o->rank[i] && !flow_dominates(f, to, i)) return false;
    }
  uint32_t *stack = numbers(a, 2 * edges, 0); /* each block's edges once, and each loop's */
  for (uint32_t k = o->n; k > 0; k--) find_loop(f, o->node[k - 1], stack);
  return true;
}

/* ---- all of it ------------------------------------------------------------------------------ */

bool flow_of(arena *a, LLVMValueRef function, flow *f) {
  *f = (flow){.n_blocks = LLVMCountBasicBlocks(function)};
  if (f->n_blocks > FLOW_BLOCKS) return false;
  f->exit = f->n_blocks;
  uint32_t n = f->n_blocks + 1, i = 0;
  f->block = arena_array(a, LLVMBasicBlockRef, n);
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b)) {
    *map_put(a, &f->number, (uintptr_t)b) = i;
    f->block[i++] = b;
  }
  f->block[f->exit] = NULL;
  find_edges(a, f);
  f->before = turned(a, &f->next, n);
  order o = order_from(a, 0, &f->next, n), back = order_from(a, f->exit, &f->before, n);
  if (o.n < n) return false;
  f->dominator = dominators(a, &o, &f->before, n);
  f->postdominator = dominators(a, &back, &f->next, n);
  find_places(a, f, &o);
  return find_loops(a, f, &o);
}
