/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ops/chain.h"

#include <math.h>

bool chain_begin(chain_part *part, const ops_problem *p, const ops_family *family, const char *name,
                 const chain_param *params, unsigned count, ops_why *why) {
  *part = (chain_part){.params = params, .count = count};
  ops_inner_begin(&part->inner, p, family, name, NULL, 0);
  for (unsigned i = 0; i < count; i++) {
    sbuf text = SBUF(p->arena);
    ops_value_print(&p->family->params[params[i].outer], &p->values[params[i].outer], &text);
    if (!ops_inner_set(&part->inner, why, params[i].inner, "%s", text.data)) return false;
  }
  return true;
}

static unsigned find(const chain_part *part, unsigned i) {
  return ops_param_find(part->inner.problem.family, str_of(part->params[i].inner));
}

static const ops_link *named(const ops_link *links, unsigned count, const char *inner) {
  for (unsigned i = 0; i < count; i++)
    if (strcmp(links[i].inner, inner) == 0) return &links[i];
  return NULL;
}

static void link_all(chain_part *part, const ops_link *links, unsigned count, const char *prefix) {
  arena *a = part->inner.problem.arena;
  ops_operands *all = arena_new(a, ops_operands);
  ops_link *out = arena_array(a, ops_link, OPS_MAX_OPERANDS);
  part->inner.problem.family->operands(&part->inner.problem, all);
  for (unsigned i = 0; i < all->count; i++) {
    const char *name = all->data[i].name;
    const ops_link *given = named(links, count, name);
    out[i] = given ? *given : (ops_link){name, arena_printf(a, "%s%s", prefix, name), false};
  }
  part->inner.links = out;
  part->inner.count = all->count;
}

bool chain_settle(chain_part *part, ops_problem *p, const ops_link *links, unsigned count,
                  const char *prefix, ops_why *why) {
  if (!ops_inner_settle(&part->inner, p, why)) return false;
  for (unsigned i = 0; i < part->count; i++)
    if (p->family->params[part->params[i].outer].role == TSR_OP_DERIVED)
      p->values[part->params[i].outer] = part->inner.problem.values[find(part, i)];
  link_all(part, links, count, prefix);
  return true;
}

static bool is_choice(const chain_part *part, const ops_problem *p, unsigned i) {
  return p->family->params[part->params[i].outer].role == TSR_OP_CHOICE;
}

ops_inner *chain_chosen(const chain_part *part, const ops_problem *p) {
  ops_inner *out = arena_new(p->arena, ops_inner);
  *out = part->inner;
  for (unsigned i = 0; i < part->count; i++)
    if (is_choice(part, p, i))
      out->problem.values[find(part, i)] = p->values[part->params[i].outer];
  out->problem.values[out->problem.family->index].i = p->values[p->family->index].i;
  return out;
}

void chain_choose(const chain_part *part, ops_problem *p, const ops_target *t) {
  ops_problem best = chain_chosen(part, p)->problem;
  ops_why why;
  ops_problem_choose(&best, t, &why);
  for (unsigned i = 0; i < part->count; i++)
    if (is_choice(part, p, i)) p->values[part->params[i].outer] = best.values[find(part, i)];
}

/* Choices that no part could make are refused by it, whatever they are. */
void chain_candidate(const ops_problem *chosen, ops_candidates *out) {
  int64_t values[OPS_MAX_PARAMS];
  unsigned n = 0;
  for (unsigned i = 0; i < chosen->family->n_params; i++) {
    const ops_param *param = &chosen->family->params[i];
    if (param->role == TSR_OP_CHOICE && param->kind == TSR_OP_INTEGER && param->words)
      values[n++] = chosen->values[i].i < 0 ? 1 : chosen->values[i].i;
  }
  ops_candidates_add(out, values);
}

void chain_fused_candidate(const ops_problem *p, unsigned fused, const chain_value *values,
                           unsigned count, ops_candidates *out) {
  ops_problem chosen = *p;
  chosen.values[fused].i = 1;
  for (unsigned i = 0; i < count; i++) chosen.values[values[i].param].i = values[i].value;
  chain_candidate(&chosen, out);
}

ops_target chain_one_core(const ops_target *t) {
  ops_target one = *t;
  one.cores = 1;
  return one;
}

double chain_shared(double one_core_ms, double blocks, const ops_target *t) {
  return blocks > 0 ? one_core_ms * ceil(blocks / t->cores) / blocks : 0;
}

tsr_value chain_inside(ops_build *b, tsr_value j, int64_t rows, int64_t columns, tsr_value n) {
  tsr_value at = tsr_build_iota(b->b, ops_tile(b, TSR_I32, TSR_INTS(columns)));
  tsr_value first = tsr_build_muli(b->b, j, ops_i32(b, columns));
  at = tsr_build_addi(b->b, at, ops_spread(b, first, TSR_INTS(columns)));
  tsr_value end = ops_spread(b, ops_from_index(b, n), TSR_INTS(columns));
  tsr_value inside = tsr_build_cmpi(b->b, at, end, TSR_CMP_LESS_THAN, TSR_SIGNED);
  return ops_broadcast(b, ops_reshape(b, inside, TSR_INTS(1, columns)), TSR_INTS(rows, columns));
}

void chain_reference(const chain_part *first, const chain_part *second,
                     void (*between)(ops_host *h, ops_memories *memories), ops_host *h) {
  ops_memories *memories = arena_new(h->arena, ops_memories);
  ops_inner_reference(&first->inner, h, memories);
  if (between) between(h, memories);
  ops_inner_reference(&second->inner, h, memories);
  for (unsigned i = 0; i < h->count; i++)
    if (h->tensors[i].operand->use != TSR_OP_READ)
      ops_host_replace(h, h->tensors[i].operand->name, h->tensors[i].operand, h->tensors[i].data);
}
