/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Problems that are parts of others: a family whose steps are, among its own, those of problems of
 * other families. Tensors of an inner problem are tensors of the outer one, or memory of its
 * workspace that goes from one inner problem to the next.
 *
 *   settle     ops_inner_begin, ops_inner_set for each parameter, ops_inner_settle
 *   operands   ops_inner_operand
 *   steps      ops_inner_steps, or ops_inner_pass for a launch that has several problems
 *   build      ops_inner_build in such launches
 *   reference  ops_inner_reference
 *
 * Choices and the index type of the outer problem are known after `settle`: the caller sets them in
 * a copy of the inner problem. Kernels are kept by the outer problem's instance, so whatever an
 * inner instance depends on must be a form, choice or derived parameter of the outer one.
 */
#ifndef TSR_OPS_COMPOSE_H
#define TSR_OPS_COMPOSE_H

#include "ops/emit.h"
#include "ops/host.h"

/* What a tensor of an inner problem is outside. */
typedef struct ops_link {
  const char *inner;
  const char *outer; /* a tensor of the outer problem, or memory of its workspace */
  bool is_memory;
} ops_link;

/* An inner problem: every tensor that it may have is linked. */
typedef struct ops_inner {
  ops_problem problem;
  const char *name; /* its kernels are NAME_main, ... */
  const ops_link *links;
  unsigned count;
} ops_inner;

void ops_inner_begin(ops_inner *inner, const ops_problem *outer, const ops_family *family,
                     const char *name, const ops_link *links, unsigned count);
/* Sets a parameter as its text; false: what is wrong. */
bool ops_inner_set(ops_inner *inner, ops_why *why, const char *param, const char *fmt, ...)
    PRINTF_LIKE(4, 5);
/* Raises the outer problem's index type where sizes of the inner one need it. */
bool ops_inner_settle(ops_inner *inner, ops_problem *outer, ops_why *why);
/* Adds the tensors that are linked to those of the outer problem, with their names there. */
void ops_inner_operands(const ops_inner *inner, ops_operands *out);
/* Adds its steps. `inner` must live as long as the steps do. */
void ops_inner_steps(const ops_inner *inner, ops_steps *out);

/* A launch of the outer problem's that computes an inner one among others: adds what that needs,
 * as `pass` adds it to a step of the inner problem, with names of their own; what is memory
 * outside is not passed. Then what builders of the inner problem's kernel take. */
typedef void (*ops_inner_passes)(const ops_problem *p, ops_steps *steps, ops_step *s);
void ops_inner_pass(const ops_inner *inner, ops_inner_passes pass, ops_steps *out, ops_step *s);
ops_build *ops_inner_build(const ops_inner *inner, const ops_build *b);

/* Memory between inner problems on the host, by name. */
enum { OPS_MAX_MEMORIES = 16 };
typedef struct ops_memories {
  const char *names[OPS_MAX_MEMORIES];
  void *data[OPS_MAX_MEMORIES];
  unsigned count;
} ops_memories;
/* Computes it on the host with the outer problem's tensors and these memories, which it makes. */
void ops_inner_reference(const ops_inner *inner, const ops_host *outer, ops_memories *memories);
/* Makes it where there is none. */
void *ops_memory_of(ops_memories *memories, const char *name, size_t bytes, arena *a);
void *ops_memory_find(const ops_memories *memories, const char *name); /* NULL: there is none */

#endif
