/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Families whose steps are those of two others, one after the other: what goes from one to the next
 * is memory of the workspace (compose.h). Where a tile block can hold all that the second one needs
 * of the first, one launch computes both (`fused`), and nothing waits in memory.
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

/* A choice of the whole, as a candidate has it. */
typedef struct chain_value {
  unsigned param;
  int64_t value;
} chain_value;

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
/* A candidate that is fused, with these tiles (of chain_tiles). */
void chain_fused_candidate(const ops_problem *p, unsigned fused, const chain_value *values,
                           unsigned count, ops_candidates *out);
/* Milliseconds of tile blocks that have so many of the cores: a target with one core says how long
 * all of them take one after the other. */
ops_target chain_one_core(const ops_target *t);
double chain_shared(double one_core_ms, double blocks, const ops_target *t);
/* Whether columns of tile j, of `columns` each, are below n: rows x columns. */
tsr_value chain_inside(ops_build *b, tsr_value j, int64_t rows, int64_t columns, tsr_value n);
/* The references of both parts, one after the other, on the tensors of the whole; `between` (NULL:
 * nothing) comes between them. */
void chain_reference(const chain_part *first, const chain_part *second,
                     void (*between)(ops_host *h, ops_memories *memories), ops_host *h);

#endif
