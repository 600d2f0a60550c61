/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ops/library.h"

#include <stdio.h>

#include "rt/rt.h"

void ops_lock(tsr_op_library *library) {
  pthread_mutex_lock(&library->device->shared->lock);
}

void ops_unlock(tsr_op_library *library) {
  pthread_mutex_unlock(&library->device->shared->lock);
}

void ops_report(tsr_op_library *library, const char *fmt, va_list args) {
  ops_lock(library);
  diag_v(library->ctx, TSR_ERROR, NOWHERE, fmt, args);
  ops_unlock(library);
}

/* ---- libraries ------------------------------------------------------------------------------- */

static bool take_options(tsr_context *ctx, const tsr_op_library_options *given,
                         tsr_op_library_options *out) {
  const size_t least = offsetof(tsr_op_library_options, store) + sizeof out->store;
  *out = (tsr_op_library_options){.struct_size = sizeof *out};
  if (!given || struct_take(out, sizeof *out, given, least)) return true;
  diag_error(ctx, NOWHERE, "tsr_op_library_options.struct_size is %zu, not at least %zu",
             given->struct_size, least);
  return false;
}

tsr_op_library *tsr_op_library_create(tsr_device *device, const tsr_op_library_options *options) {
  tsr_op_library_options full;
  if (!device || !take_options(device->ctx, options, &full)) return NULL;
  tsr_context *ctx = device->ctx;
  tsr_op_library *l = ctx_try_alloc(ctx, sizeof *l);
  if (!l) {
    diag_error(ctx, NOWHERE, "there is no memory for an operator library");
    return NULL;
  }
  *l = (tsr_op_library){
      .ctx = ctx, .device = device, .store = full.store, .target = ops_target_of(device)};
  arena_init(&l->arena, ctx);
  return l;
}

void tsr_op_library_destroy(tsr_op_library *library) {
  if (!library) return;
  for (ops_code *c = library->first; c; c = c->next) {
    tsr_program_destroy(c->program);
    tsr_module_destroy(c->module);
  }
  arena_free(&library->arena);
  ctx_free(library->ctx, library, sizeof *library);
}

/* ---- kernels --------------------------------------------------------------------------------- */

static ops_code *make_code(tsr_op_library *l, const ops_problem *p, const ops_steps *steps) {
  ops_code *c = arena_new(&l->arena, ops_code);
  c->next = l->first;
  c->steps = steps->count;
  l->first = c;
  c->module = ops_problem_build(l->ctx, p, steps);
  c->program = c->module ? tsr_program_create(l->device, c->module) : NULL;
  return c;
}

/* Made once for all plans of an instance; what failed is tried again, and so is what was made for a
 * problem without elements, which may have fewer steps. */
static ops_code *find_code(tsr_op_library *l, const tsr_op_plan *plan) {
  uintptr_t *slot = strmap_get(&l->codes, str_of(plan->instance));
  if (slot && *slot && ((ops_code *)*slot)->steps >= plan->steps.count) return (ops_code *)*slot;
  ops_code *c = make_code(l, &plan->problem, &plan->steps);
  if (c->program) *strmap_put(&l->arena, &l->codes, str_of(plan->instance), NULL) = (uintptr_t)c;
  return c->program ? c : NULL;
}

static bool get_kernels(tsr_op_library *l, tsr_op_plan *plan) {
  ops_code *c = plan->steps.count ? find_code(l, plan) : NULL;
  for (unsigned i = 0; i < plan->steps.count; i++) {
    sbuf name = SBUF(&l->arena);
    ops_problem instance = ops_problem_instance(&plan->problem);
    ops_kernel_name(&instance, &plan->steps.data[i], &name);
    plan->kernels[i] = c ? tsr_kernel_get(c->program, name.data) : NULL;
    if (!plan->kernels[i]) return false;
  }
  return true;
}

/* ---- plans ----------------------------------------------------------------------------------- */

static const char *text_of(const ops_problem *p, bool sizes, arena *a) {
  sbuf out = SBUF(a);
  ops_problem_print(p, sizes, &out);
  return out.data;
}

static bool settle_and_choose(tsr_op_plan *plan, tsr_op_library *l, ops_why *why) {
  if (!ops_problem_settle(&plan->problem, &plan->operands, why)) return false;
  ops_recall(l, &plan->problem, &l->arena);
  return ops_problem_choose(&plan->problem, &l->target, why);
}

static tsr_op_plan *make_plan(tsr_op_library *l, const tsr_op_problem *given) {
  ops_why why;
  tsr_op_plan *plan = arena_new(&l->arena, tsr_op_plan);
  plan->library = l;
  ops_problem_parse(&plan->problem, &l->arena, given, &why);
  if (!settle_and_choose(plan, l, &why)) {
    diag_error(l->ctx, NOWHERE, "%s", why.text);
    return NULL;
  }
  plan->text = text_of(&plan->problem, true, &l->arena);
  plan->instance = text_of(&plan->problem, false, &l->arena);
  ops_problem_steps(&plan->problem, &plan->operands, &plan->steps);
  return get_kernels(l, plan) ? plan : NULL;
}

static tsr_op_plan *find_plan(tsr_op_library *l, const tsr_op_problem *given, arena *scratch) {
  ops_problem p;
  ops_why why;
  if (!ops_problem_parse(&p, scratch, given, &why)) {
    diag_error(l->ctx, NOWHERE, "%s", why.text);
    return NULL;
  }
  str key = str_of(text_of(&p, true, scratch));
  uintptr_t *slot = strmap_get(&l->plans, key);
  if (slot && *slot) return (tsr_op_plan *)*slot;
  tsr_op_plan *plan = make_plan(l, given);
  if (plan) *strmap_put(&l->arena, &l->plans, arena_str(&l->arena, key), NULL) = (uintptr_t)plan;
  return plan;
}

void ops_forget_plan(tsr_op_library *library, arena *a, const tsr_op_problem *given) {
  ops_problem p;
  ops_why why;
  if (!ops_problem_parse(&p, a, given, &why)) return;
  uintptr_t *slot = strmap_get(&library->plans, str_of(text_of(&p, true, a)));
  if (slot) *slot = 0;
}

tsr_op_plan *tsr_op_plan_get(tsr_op_library *library, const tsr_op_problem *problem) {
  if (!library) return NULL;
  arena scratch;
  ops_lock(library);
  if (!problem) {
    diag_error(library->ctx, NOWHERE, "tsr_op_plan_get: the problem is NULL");
    ops_unlock(library);
    return NULL;
  }
  arena_init(&scratch, library->ctx);
  TSR_GUARD(library->ctx, {
    arena_free(&scratch);
    ops_unlock(library);
    return NULL;
  });
  tsr_op_plan *plan = find_plan(library, problem, &scratch);
  TSR_UNGUARD(library->ctx);
  arena_free(&scratch);
  ops_unlock(library);
  return plan;
}

const char *tsr_op_plan_problem(const tsr_op_plan *plan) {
  return plan ? plan->text : NULL;
}

const char *tsr_op_plan_instance(const tsr_op_plan *plan) {
  return plan ? plan->instance : NULL;
}

size_t tsr_op_plan_workspace(const tsr_op_plan *plan) {
  return plan ? plan->steps.workspace : 0;
}

double tsr_op_plan_flops(const tsr_op_plan *plan) {
  return plan ? plan->problem.family->flops(&plan->problem) : 0;
}

double tsr_op_plan_bytes(const tsr_op_plan *plan) {
  return plan ? ops_problem_bytes(&plan->problem, &plan->operands) : 0;
}

size_t tsr_op_plan_operand_count(const tsr_op_plan *plan) {
  return plan ? plan->operands.count : 0;
}

size_t tsr_op_plan_step_count(const tsr_op_plan *plan) {
  return plan ? plan->steps.count : 0;
}

tsr_status ops_operand_describe(const ops_operands *list, size_t index, tsr_op_operand *out) {
  if (!out || index >= list->count || out->struct_size < sizeof(size_t)) return TSR_ERROR_USAGE;
  const ops_operand *o = &list->data[index];
  size_t size = out->struct_size;
  tsr_op_operand full = {.struct_size = size,
                         .name = o->name,
                         .elem = ops_type_elem(o->type),
                         .is_unsigned = ops_type_is_unsigned(o->type),
                         .use = (tsr_op_use)o->use,
                         .rank = o->rank,
                         .bytes = ops_operand_bytes(o)};
  memcpy(full.shape, o->shape, sizeof full.shape);
  memcpy(full.strides, o->strides, sizeof full.strides);
  memcpy(out, &full, MIN(size, sizeof full));
  return TSR_OK;
}

tsr_status tsr_op_plan_operand(const tsr_op_plan *plan, size_t index, tsr_op_operand *out) {
  return plan ? ops_operand_describe(&plan->operands, index, out) : TSR_ERROR_USAGE;
}
