/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ops/compose.h"

#include <stdio.h>

/* ---- problems -------------------------------------------------------------------------------- */

void ops_inner_begin(ops_inner *inner, const ops_problem *outer, const ops_family *family,
                     const char *name, const ops_link *links, unsigned count) {
  *inner = (ops_inner){.name = name, .links = links, .count = count};
  ops_problem_init(&inner->problem, family, outer->arena);
}

bool ops_inner_set(ops_inner *inner, ops_why *why, const char *param, const char *fmt, ...) {
  char text[256];
  va_list args;
  va_start(args, fmt);
  vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  const char *copy = arena_printf(inner->problem.arena, "%s", text);
  return ops_problem_set(&inner->problem, ops_param_find(inner->problem.family, str_of(param)),
                         str_of(copy), why);
}

bool ops_inner_settle(ops_inner *inner, ops_problem *outer, ops_why *why) {
  ops_operands *operands = arena_new(outer->arena, ops_operands);
  if (!ops_problem_settle(&inner->problem, operands, why)) return false;
  if (ops_is_wide(&inner->problem)) outer->values[outer->family->index].i = 1;
  return true;
}

static const ops_link *find_link(const ops_inner *inner, const char *name) {
  for (unsigned i = 0; i < inner->count; i++)
    if (strcmp(inner->links[i].inner, name) == 0) return &inner->links[i];
  return NULL;
}

static ops_operands *operands_of(const ops_inner *inner) {
  ops_operands *operands = arena_new(inner->problem.arena, ops_operands);
  operands->count = 0;
  inner->problem.family->operands(&inner->problem, operands);
  return operands;
}

void ops_inner_operands(const ops_inner *inner, ops_operands *out) {
  const ops_operands *all = operands_of(inner);
  for (unsigned i = 0; i < all->count; i++) {
    const ops_link *link = find_link(inner, all->data[i].name);
    if (link->is_memory || ops_operand_find(out, link->outer)) continue;
    ops_operand *o =
        ops_operand_add(out, link->outer, all->data[i].type, (tsr_op_use)all->data[i].use);
    *o = all->data[i];
    o->name = link->outer;
  }
}

/* ---- steps ----------------------------------------------------------------------------------- */

static unsigned operand_index(const ops_operands *all, const char *name) {
  return (unsigned)(ops_operand_find(all, name) - all->data);
}

/* Its workspace is a piece of the outer one's that begins at `base`. */
static void link_pass(const ops_inner *inner, const ops_operands *operands, ops_steps *out,
                      uint64_t base, ops_pass *pass) {
  if (pass->kind == OPS_PASS_WORKSPACE) {
    pass->memory = arena_printf(inner->problem.arena, "%s.%s", inner->name, pass->memory);
    pass->bits += base;
  }
  if (pass->kind != OPS_PASS_TENSOR) return;
  const ops_operand *o = &operands->data[pass->operand];
  const ops_link *link = find_link(inner, o->name);
  if (!link->is_memory) {
    pass->operand = operand_index(out->operands, link->outer);
    return;
  }
  pass->kind = OPS_PASS_WORKSPACE;
  pass->memory = link->outer;
  pass->bits = ops_workspace_place(out, link->outer, ops_operand_bytes(o));
}

/* Passes are added one by one, so that those of one memory find each other. */
static void add_step(const ops_inner *inner, const ops_operands *operands, const ops_steps *steps,
                     unsigned index, uint64_t base, ops_steps *out) {
  const ops_step *from = &steps->data[index];
  const char *name = arena_printf(inner->problem.arena, "%s_%s", inner->name, from->kernel);
  ops_step *s = ops_step_add(out, name, from->grid.x, from->grid.y, from->grid.z);
  s->inner = &inner->problem;
  s->inner_kernel = from->kernel;
  s->inner_index = index;
  for (unsigned i = 0; i < from->n_passes; i++) {
    ops_pass pass = from->passes[i];
    link_pass(inner, operands, out, base, &pass);
    s->passes[s->n_passes++] = pass;
  }
}

void ops_inner_steps(const ops_inner *inner, ops_steps *out) {
  ops_steps *steps = arena_new(inner->problem.arena, ops_steps);
  const ops_operands *operands = operands_of(inner);
  ops_problem_steps(&inner->problem, operands, steps);
  const char *own = arena_printf(inner->problem.arena, "%s.", inner->name);
  uint64_t base = ops_workspace_place(out, own, steps->workspace);
  for (unsigned i = 0; i < steps->count; i++) add_step(inner, operands, steps, i, base, out);
}

/* ---- launches of several problems -------------------------------------------------------------
 */

static bool is_memory(const ops_inner *inner, const ops_operands *operands, const ops_pass *pass) {
  return pass->kind == OPS_PASS_TENSOR &&
         find_link(inner, operands->data[pass->operand].name)->is_memory;
}

void ops_inner_pass(const ops_inner *inner, ops_inner_passes pass, ops_steps *out, ops_step *s) {
  ops_steps *steps = arena_new(inner->problem.arena, ops_steps);
  const ops_operands *operands = operands_of(inner);
  *steps = (ops_steps){.problem = &inner->problem, .operands = operands};
  ops_step *own = ops_step_add(steps, "main", 0, 0, 0);
  pass(&inner->problem, steps, own);
  for (unsigned i = 0; i < own->n_passes && s->n_passes < OPS_MAX_PASSES; i++) {
    if (is_memory(inner, operands, &own->passes[i])) continue;
    ops_pass *to = &s->passes[s->n_passes++];
    *to = own->passes[i];
    link_pass(inner, operands, out, 0, to);
    to->name = arena_printf(inner->problem.arena, "%s_%s", inner->name, to->name);
  }
}

ops_build *ops_inner_build(const ops_inner *inner, const ops_build *b) {
  arena *a = inner->problem.arena;
  ops_build *out = arena_new(a, ops_build);
  ops_problem *instance = arena_new(a, ops_problem);
  ops_step *step = arena_new(a, ops_step);
  size_t length = strlen(inner->name) + 1;
  *instance = ops_problem_instance(&inner->problem);
  *out = *b;
  *step = (ops_step){.kernel = "main"};
  for (unsigned i = 0; i < b->step->n_passes; i++) {
    const ops_pass *pass = &b->step->passes[i];
    if (strncmp(pass->name, inner->name, length - 1) != 0 || pass->name[length - 1] != '_')
      continue;
    out->args[step->n_passes] = b->args[i];
    step->passes[step->n_passes] = *pass;
    step->passes[step->n_passes++].name = pass->name + length;
  }
  out->p = instance;
  out->step = step;
  return out;
}

/* ---- on the host ----------------------------------------------------------------------------- */

void *ops_memory_find(const ops_memories *memories, const char *name) {
  for (unsigned i = 0; i < memories->count; i++)
    if (strcmp(memories->names[i], name) == 0) return memories->data[i];
  return NULL;
}

void *ops_memory_of(ops_memories *memories, const char *name, size_t bytes, arena *a) {
  void *data = ops_memory_find(memories, name);
  if (data) return data;
  data = arena_alloc(a, bytes + 1, 16);
  memset(data, 0, bytes + 1);
  memories->names[memories->count] = name;
  return memories->data[memories->count++] = data;
}

void ops_inner_reference(const ops_inner *inner, const ops_host *outer, ops_memories *memories) {
  const ops_operands *operands = operands_of(inner);
  ops_host *h = arena_new(outer->arena, ops_host);
  void *data[OPS_MAX_OPERANDS];
  for (unsigned i = 0; i < operands->count; i++) {
    const ops_operand *o = &operands->data[i];
    const ops_link *link = find_link(inner, o->name);
    data[i] = link->is_memory
                  ? ops_memory_of(memories, link->outer, ops_operand_bytes(o), outer->arena)
                  : ops_host_tensor(outer, link->outer)->data;
  }
  ops_host_init(h, &inner->problem, outer->arena, operands, data);
  inner->problem.family->reference(h);
  ops_host_finish(h);
}
