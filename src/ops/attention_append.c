/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Caches that grow before queries see them: the family append as the first part of attention. Its
 * queries, turned by their places, go to the workspace.
 */
#include "ops/attention.h"
#include "ops/families.h"

static const ops_link links[] = {
    {"new_k", "new_k", false}, {"new_v", "new_v", false}, {"q", "q", false},
    {"cos", "cos", false},     {"sin", "sin", false},     {"key_lengths", "key_lengths", false},
    {"table", "table", false}, {"k", "k", false},         {"v", "v", false},
    {"turned", "q", true},
};

enum { TILE = 16 }; /* tokens */

static int64_t get(const ops_problem *p, unsigned param) {
  return attention_get(p, param);
}

static const char *word_of(const ops_problem *p, unsigned param) {
  sbuf out = SBUF(p->arena);
  ops_value_print(&p->family->params[param], &p->values[param], &out);
  return out.data;
}

/* Parameters that both families have. */
static bool set_same(ops_problem *p, ops_inner *s, ops_why *why) {
  static const unsigned same[] = {
      ATTENTION_type,   ATTENTION_head,     ATTENTION_head_v,     ATTENTION_cache, ATTENTION_rotary,
      ATTENTION_pairs,  ATTENTION_places,   ATTENTION_type_angle, ATTENTION_batch, ATTENTION_heads,
      ATTENTION_seq,    ATTENTION_kv_heads, ATTENTION_new,        ATTENTION_keys,  ATTENTION_page,
      ATTENTION_angles, ATTENTION_pages,    ATTENTION_layout};
  for (size_t i = 0; i < ARRAY_LEN(same); i++)
    if (!ops_inner_set(s, why, p->family->params[same[i]].name, "%s", word_of(p, same[i])))
      return false;
  return true;
}

/* Those of the caches, and of queries that are turned. */
static const char *strides_of(const ops_problem *p) {
  static const char *const names[] = {"k", "v", "q"};
  sbuf out = SBUF(p->arena);
  for (unsigned i = 0; i < (get(p, ATTENTION_rotary) ? 3 : 2); i++) {
    const int64_t *s = ops_operand_find(attention_operands(p), names[i])->strides;
    sbuf_printf(&out, "%s%s:%lldx%lldx%lldx%lld", i ? "+" : "", names[i], (long long)s[0],
                (long long)s[1], (long long)s[2], (long long)s[3]);
  }
  return out.data;
}

static bool check_append(const ops_problem *p, ops_why *why) {
  if (!attention_is_cached(p))
    return ops_refuse(why, "append=yes goes with a cache; give cache=whole or cache=paged");
  if (attention_is_variable(p)) return ops_refuse(why, "append=yes goes with lengths=fixed");
  if (get(p, ATTENTION_v) == 0) return true;
  return ops_refuse(why, "append=yes goes with v=row");
}

static bool check_unused(const ops_problem *p, ops_why *why) {
  if (!get(p, ATTENTION_rotary) && get(p, ATTENTION_new) == 1) return true;
  return ops_refuse(why, "new=%lld and rotary=%lld go with append=yes; leave them out",
                    (long long)get(p, ATTENTION_new), (long long)get(p, ATTENTION_rotary));
}

bool attention_settle_append(ops_problem *p, ops_why *why) {
  attention_parts *parts = p->parts;
  ops_inner *s = &parts->append;
  if (!attention_appends(p)) return check_unused(p, why);
  if (!check_append(p, why)) return false;
  ops_inner_begin(s, p, &ops_family_append, "append", links, ARRAY_LEN(links));
  if (!set_same(p, s, why) || !ops_inner_set(s, why, "strides", "%s", strides_of(p)) ||
      !ops_inner_set(s, why, "queries", get(p, ATTENTION_rotary) ? "yes" : "no"))
    return false;
  return ops_inner_settle(s, p, why);
}

/* With what the instance says that kernels depend on. */
static ops_inner *chosen(const ops_problem *p) {
  ops_inner *out = arena_new(p->arena, ops_inner);
  *out = ((const attention_parts *)p->parts)->append;
  ops_problem *q = &out->problem;
  q->values[ops_param_find(q->family, str_of("tile"))].i = TILE;
  q->values[q->family->index].i = get(p, ATTENTION_index);
  return out;
}

bool attention_append_supported(const ops_problem *p, const ops_target *t, ops_why *why) {
  return !attention_appends(p) || ops_family_append.supported(&chosen(p)->problem, t, why);
}

void attention_append_operands(const ops_problem *p, ops_operands *out) {
  if (attention_appends(p)) ops_inner_operands(&((attention_parts *)p->parts)->append, out);
}

void attention_append_steps(const ops_problem *p, ops_steps *out) {
  if (attention_appends(p)) ops_inner_steps(chosen(p), out);
}

const ops_operand *attention_turned(const ops_problem *p) {
  ops_operands *all = arena_new(p->arena, ops_operands);
  const ops_problem *q = &((const attention_parts *)p->parts)->append.problem;
  if (!attention_appends(p) || !get(p, ATTENTION_rotary)) return NULL;
  q->family->operands(q, all);
  ops_operand *o = (ops_operand *)ops_operand_find(all, "turned");
  o->name = "q";
  return o;
}

void attention_append_reference(ops_host *h) {
  static const char *const caches[] = {"k", "v"};
  ops_memories *memories = arena_new(h->arena, ops_memories);
  const ops_operand *turned = attention_turned(h->p);
  if (!attention_appends(h->p)) return;
  ops_inner_reference(&((const attention_parts *)h->p->parts)->append, h, memories);
  for (unsigned i = 0; i < 2; i++) {
    const ops_tensor *t = ops_host_tensor(h, caches[i]);
    ops_host_replace(h, caches[i], t->operand, t->data);
  }
  if (turned) ops_host_replace(h, "q", turned, ops_memory_find(memories, "q"));
}
