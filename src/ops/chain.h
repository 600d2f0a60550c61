/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Families whose steps are those of two others, one after the other: what goes from one to the next
 * is memory of the workspace (compose.h).
 */
#ifndef TSR_OPS_CHAIN_H
#define TSR_OPS_CHAIN_H

#include "ops/compose.h"

/* A parameter of the whole, and its name in the inner problem. Choices that are left open there
 * have to be so in the whole. */
typedef struct chain_param {
  unsigned outer;
  const char *inner;
} chain_param;

typedef struct chain_part {
  ops_inner inner;
  const chain_param *params;
  unsigned count;
} chain_part;

/* Begins a part with these parameters of the whole. */
bool chain_begin(chain_part *part, const ops_problem *p, const ops_family *family, const char *name,
                 const chain_param *params, unsigned count, ops_why *why);
/* Settles it; derived parameters go back to the whole. Tensors that `links` do not name have their
 * names, after `prefix`. */
bool chain_settle(chain_part *part, ops_problem *p, const ops_link *links, unsigned count,
                  const char *prefix, ops_why *why);
/* It with the choices of the whole. */
ops_inner *chain_chosen(const chain_part *part, const ops_problem *p);
/* Sets open choices of a part in a problem to the fastest. */
void chain_choose(const chain_part *part, ops_problem *p, const ops_target *t);
/* The whole's open choices as chosen, in the order of its table. */
void chain_candidate(const ops_problem *chosen, ops_candidates *out);
/* The references of both parts, one after the other, on the tensors of the whole. */
void chain_reference(const chain_part *first, const chain_part *second, ops_host *h);

#endif
