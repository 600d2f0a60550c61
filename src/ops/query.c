/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What can be asked of a problem without a plan: whether it is supported, its module, its
 * instances.
 */
#include <stdio.h>
#include <stdlib.h>

#include "ops/library.h"

/* ---- support --------------------------------------------------------------------------------- */

static bool is_supported(arena *a, const ops_target *t, const tsr_op_problem *problem,
                         ops_why *why) {
  ops_problem p;
  ops_operands *operands = arena_new(a, ops_operands);
  return ops_problem_parse(&p, a, problem, why) && ops_problem_settle(&p, operands, why) &&
         ops_problem_choose(&p, t, why);
}

bool tsr_op_is_supported(tsr_device *device, const tsr_op_problem *problem, char *why,
                         size_t size) {
  ops_why reason = {"the problem is NULL"};
  ops_target target = ops_target_of(device);
  arena scratch;
  tsr_context *ctx = tsr_context_create(NULL);
  if (!ctx) return false;
  arena_init(&scratch, ctx);
  TSR_GUARD(ctx, {
    arena_free(&scratch);
    tsr_context_destroy(ctx);
    return false;
  });
  bool supported = problem && is_supported(&scratch, &target, problem, &reason);
  TSR_UNGUARD(ctx);
  if (!supported && size) snprintf(why, size, "%s", reason.text);
  arena_free(&scratch);
  tsr_context_destroy(ctx);
  return supported;
}

/* ---- modules --------------------------------------------------------------------------------- */

static tsr_module *build(tsr_context *ctx, arena *a, const tsr_op_problem *problem) {
  ops_problem p;
  ops_why why;
  ops_operands *operands = arena_new(a, ops_operands);
  ops_steps *steps = arena_new(a, ops_steps);
  ops_target target = ops_target_of(NULL);
  if (!ops_problem_parse(&p, a, problem, &why) || !ops_problem_settle(&p, operands, &why) ||
      !ops_problem_choose(&p, &target, &why)) {
    diag_error(ctx, NOWHERE, "%s", why.text);
    return NULL;
  }
  ops_problem_steps(&p, operands, steps);
  return ops_problem_build(ctx, &p, steps);
}

tsr_module *tsr_op_build(tsr_context *context, const tsr_op_problem *problem) {
  arena scratch;
  if (!context) return NULL;
  if (!problem) {
    diag_error(context, NOWHERE, "tsr_op_build: the problem is NULL");
    return NULL;
  }
  arena_init(&scratch, context);
  TSR_GUARD(context, {
    arena_free(&scratch);
    return NULL;
  });
  tsr_module *m = build(context, &scratch, problem);
  TSR_UNGUARD(context);
  arena_free(&scratch);
  return m;
}

/* ---- instances ------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b) {
  const ops_candidate *x = a, *y = b;
  if (!x->refused != !y->refused) return x->refused ? 1 : -1;
  return (x->ms > y->ms) - (x->ms < y->ms);
}

static ops_candidate rate(const ops_problem *p, const ops_target *t, arena *a) {
  ops_why why;
  sbuf name = SBUF(a);
  ops_candidate c = {.problem = *p};
  ops_problem_print(p, false, &name);
  c.name = name.data;
  if (p->family->supported(p, t, &why))
    c.ms = p->family->cost(p, t);
  else
    c.refused = arena_strndup(a, why.text, strlen(why.text));
  return c;
}

bool ops_list_candidates(const tsr_op_library *library, arena *a, const tsr_op_problem *given,
                         ops_candidate_list *out, ops_why *why) {
  ops_problem *p = arena_new(a, ops_problem);
  ops_candidates all;
  ops_operands *operands = arena_new(a, ops_operands);
  if (!ops_problem_parse(p, a, given, why) || !ops_problem_settle(p, operands, why)) return false;
  ops_problem_candidates(p, &library->target, &all);
  *out = (ops_candidate_list){arena_array(a, ops_candidate, all.list.len + 1), all.list.len};
  for (uint32_t i = 0; i < all.list.len; i++)
    out->data[i] = rate(&all.list.data[i], &library->target, a);
  qsort(out->data, out->count, sizeof *out->data, compare);
  return true;
}

static tsr_status list_instances(tsr_op_library *l, arena *a, const tsr_op_problem *problem,
                                 tsr_op_visit each, void *user) {
  ops_candidate_list list;
  ops_why why;
  if (!ops_list_candidates(l, a, problem, &list, &why)) {
    diag_error(l->ctx, NOWHERE, "%s", why.text);
    return TSR_ERROR_USAGE;
  }
  for (size_t i = 0; i < list.count; i++) {
    tsr_op_candidate c = {list.data[i].name, list.data[i].refused, list.data[i].ms};
    if (!each(user, &c)) break;
  }
  return TSR_OK;
}

tsr_status tsr_op_instances(tsr_op_library *library, const tsr_op_problem *problem,
                            tsr_op_visit each, void *user) {
  arena scratch;
  if (!library) return TSR_ERROR_USAGE;
  ops_lock(library);
  if (!problem || !each) {
    diag_error(library->ctx, NOWHERE, "tsr_op_instances: the problem or the function is NULL");
    ops_unlock(library);
    return TSR_ERROR_USAGE;
  }
  arena_init(&scratch, library->ctx);
  TSR_GUARD(library->ctx, {
    arena_free(&scratch);
    ops_unlock(library);
    return TSR_ERROR_MEMORY;
  });
  tsr_status status = list_instances(library, &scratch, problem, each, user);
  TSR_UNGUARD(library->ctx);
  arena_free(&scratch);
  ops_unlock(library);
  return status;
}
