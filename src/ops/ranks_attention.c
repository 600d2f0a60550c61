/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Attention over ranks. Keys are divided among the ranks; what a query gets from some of the keys
 * is a part: a mean of their values, o, and the logarithm of the sum of their weights, lse. Two
 * parts make one:
 *
 *   o = o1 w + o2 (1 - w),  w = 1 / (1 + e^(lse2 - lse1)),  lse = log(e^lse1 + e^lse2)
 *
 *   split keys   every rank has all queries. It computes the part of its own keys, gives it to all
 *                others, and combines all parts in the order of the ranks.
 *   ring         every rank has its queries as well. Keys and values of the others are read where
 *                they lie; where ranks have machines of their own they go round: a rank passes on
 *                what it computes with, while it does so.
 *
 * A part has its queries and keys at other places than they have in the whole. So masks become
 * other ones: query i of the part, the i-th from its first, sees the keys from i - left to i +
 * right, where both follow from where the part lies. When one of them is negative, queries or keys
 * at the part's begin see nothing, or are not seen, and are left out.
 */
#include <inttypes.h>
#include <math.h>

#include "ops/ranks.h"

enum { RESULT_A, RESULT_B, PART }; /* scratch */

/* Keys of one rank, as queries of this one see them. */
typedef struct part {
  int64_t skipped_queries, skipped_keys;
  tsr_op_plan *plan; /* NULL: no key is seen */
  size_t v;          /* where values lie behind keys in a rank's place, in bytes */
  size_t bytes;      /* of both */
  size_t k_bytes, v_bytes;
} part;

struct ops_ranks_attention {
  part *parts;           /* by the rank that has the keys; of split keys only this rank's */
  int64_t lines;         /* heads of all sequences */
  int64_t queries, wide; /* of this rank in a line; elements of a value */
  size_t lse;            /* where logarithms lie behind o in a part, in bytes */
  size_t bytes;          /* of a part */
  bool direct;           /* all ranks are on one machine */
  tsr_op_plan *merge_o, *merge_lse; /* of two parts */
  tsr_op_plan *sink_o, *sink_lse;   /* NULL: there are none */
  tsr_op_plan *end_o, *end_lse;     /* into the caller's memory; NULL: that has no lse */
};

/* ---- making --------------------------------------------------------------------------------- */

static bool is_ring(const tsr_op_ranks *op) {
  return op->form == TSR_OP_RING_ATTENTION;
}

static bool is_cached(const ops_problem *p) {
  return ops_ranks_value(p, "cache")->i != 0;
}

static bool refuse(const tsr_op_ranks *op, const ops_problem *p, const char *name) {
  sbuf text = SBUF(p->arena);
  unsigned at = ops_param_find(p->family, str_of(name));
  ops_value_print(&p->family->params[at], &p->values[at], &text);
  return ops_ranks_fail(op, "%s=%s: attention over ranks goes without", name, text.data);
}

static bool check_masks(const tsr_op_ranks *op, const ops_problem *p) {
  static const char *const masks[] = {"causal", "left", "right"};
  if (!is_cached(p)) return true;
  if (is_ring(op)) return refuse(op, p, "cache");
  for (unsigned i = 0; i < ARRAY_LEN(masks); i++)
    if (ops_ranks_value(p, masks[i])->i > 0 || (i && ops_ranks_value(p, masks[i])->i == 0))
      return ops_ranks_fail(op, "%s: queries see all keys of caches that are divided among ranks",
                            masks[i]);
  return true;
}

static bool check_problem(const tsr_op_ranks *op, const ops_problem *p) {
  static const char *const flags[] = {"lengths", "append", "alibi", "rotary", "sink_keys"};
  if (strcmp(p->family->name, "attention") != 0)
    return ops_ranks_fail(op,
                          "attention over ranks is a problem of the family attention, not of %s",
                          p->family->name);
  for (unsigned i = 0; i < ARRAY_LEN(flags); i++)
    if (ops_ranks_value(p, flags[i])->i != 0) return refuse(op, p, flags[i]);
  if (ops_ranks_value(p, "dropout")->r != 0) return refuse(op, p, "dropout");
  if (strcmp(ops_ranks_value(p, "epilogue")->text, "none") != 0) return refuse(op, p, "epilogue");
  return check_masks(op, p);
}

static bool settle(const tsr_op_ranks *op, ops_problem *p, int64_t queries, int64_t keys,
                   ops_operands *operands) {
  ops_why why;
  ops_ranks_set_number(p, "seq", queries);
  ops_ranks_set_number(p, "keys", keys);
  return ops_problem_settle(p, operands, &why) || ops_ranks_fail(op, "%s", why.text);
}

static void add_strides(sbuf *out, const char *name, const int64_t *strides, unsigned rank) {
  sbuf_printf(out, "%s%s:", out->len ? "+" : "", name);
  for (unsigned d = 0; d < rank; d++) sbuf_printf(out, "%s%" PRId64, d ? "x" : "", strides[d]);
}

/* How keys and values of a rank lie. */
static bool find_keys(tsr_op_ranks *op, const ops_problem *given, int64_t keys, ops_operands *out) {
  ops_problem p = *given;
  int64_t queries = is_ring(op) ? tsr_op_ranks_rows(op, op->rank, NULL) : op->m;
  return settle(op, &p, queries, keys, out);
}

/* Where queries of a part see keys, and which ones are left out. */
typedef struct view {
  int64_t queries, keys, left, right; /* -1: all */
  int64_t skipped_queries, skipped_keys;
} view;

/* `between`: from the place of the part's first key to that of its first query. */
static view view_of(int64_t queries, int64_t keys, int64_t left, int64_t right, int64_t between) {
  view v = {.queries = queries, .keys = keys, .left = left, .right = right};
  if (v.left >= 0) v.left -= between;
  if (v.right >= 0) {
    int64_t skipped = MAX(-(v.right + between), 0);
    v.right += between + skipped;
    if (left >= 0) v.left -= skipped;
    v.skipped_queries = MIN(skipped, queries);
  }
  if (left >= 0 && v.left < 0) {
    v.skipped_keys = MIN(-v.left, keys);
    if (right >= 0) v.right += v.left;
    v.left = 0;
  }
  v.queries -= v.skipped_queries;
  v.keys -= v.skipped_keys;
  if (v.left >= v.queries - 1) v.left = -1;
  if (v.right >= v.keys - 1) v.right = -1;
  return v;
}

static const ops_operand *operand(const tsr_op_ranks *op, const char *name) {
  return ops_operand_find(&op->operands, name);
}

/* A plan that leaves its result as parts lie: lines x queries x elements, and lines x queries. */
static tsr_op_plan *plan_of_view(tsr_op_ranks *op, const ops_problem *given, const view *v,
                                 const ops_operands *keys) {
  const ops_ranks_attention *a = op->attention;
  static const char *const of_keys[] = {"k", "v"};
  ops_problem p = *given;
  sbuf strides = SBUF(&op->arena);
  int64_t heads = ops_ranks_value(given, "heads")->i, all = a->queries;
  int64_t o[] = {heads * all * a->wide, all * a->wide, a->wide, 1};
  int64_t lse[] = {heads * all, all, 1};
  add_strides(&strides, "q", operand(op, "q")->strides, 4);
  for (unsigned i = 0; i < ARRAY_LEN(of_keys); i++)
    add_strides(&strides, of_keys[i], ops_operand_find(keys, of_keys[i])->strides, 4);
  if (operand(op, "bias")) add_strides(&strides, "bias", operand(op, "bias")->strides, 4);
  add_strides(&strides, "o", o, 4);
  add_strides(&strides, "lse", lse, 3);
  ops_ranks_set_number(&p, "seq", v->queries);
  ops_ranks_set_number(&p, "keys", v->keys);
  ops_ranks_set_number(&p, "left", v->left);
  ops_ranks_set_number(&p, "right", v->right);
  ops_ranks_set_text(&p, "causal", "no");
  ops_ranks_set_text(&p, "corner", "top");
  ops_ranks_set_text(&p, "sinks", "no");
  ops_ranks_set_text(&p, "lse", "yes");
  ops_ranks_set_text(&p, "type_o", "f32");
  ops_ranks_set_text(&p, "strides", strides.data);
  return ops_ranks_plan_of(op, &p);
}

/* Keys of a rank. */
static bool make_part(tsr_op_ranks *op, const ops_problem *p, unsigned rank, part *at) {
  ops_ranks_attention *a = op->attention;
  ops_operands *of_keys = arena_new(&op->arena, ops_operands);
  int64_t first_query = 0, first_key, keys = tsr_op_ranks_keys(op, rank, &first_key);
  int64_t shift = ops_ranks_value(p, "corner")->i == 0 ? op->keys - op->m : 0;
  int64_t right = ops_ranks_value(p, "causal")->i ? 0 : ops_ranks_value(p, "right")->i;
  if (is_ring(op)) tsr_op_ranks_rows(op, op->rank, &first_query);
  view v = view_of(a->queries, keys, ops_ranks_value(p, "left")->i, right,
                   first_query + shift - first_key);
  if (!find_keys(op, p, keys, of_keys)) return false;
  const ops_operand *k = ops_operand_find(of_keys, "k"), *values = ops_operand_find(of_keys, "v");
  *at = (part){.skipped_queries = v.skipped_queries, .skipped_keys = v.skipped_keys};
  at->k_bytes = ops_operand_bytes(k);
  at->v_bytes = ops_operand_bytes(values);
  at->v = ops_ranks_aligned(at->k_bytes);
  at->bytes = at->v + at->v_bytes;
  if (v.queries <= 0 || v.keys <= 0 || !a->lines) return true;
  at->plan = plan_of_view(op, p, &v, of_keys);
  return at->plan != NULL;
}

#define LOW(x)      "max(" x ",-1e30)" /* so that no key at all is no difference of infinities */
#define LATER(x, y) "log(1+exp(-abs(" LOW(x) "-" LOW(y) ")))+max(" x "," y ")"

static bool make_merging(tsr_op_ranks *op) {
  ops_ranks_attention *a = op->attention;
  sbuf o = SBUF(&op->arena), lse = SBUF(&op->arena);
  int64_t rows = a->lines * a->queries;
  sbuf_printf(&o,
              "elementwise:expression=a*sigmoid(" LOW("b") "-" LOW("d") ")+c*sigmoid(" LOW(
                  "d") "-" LOW("b") "),type=f32,shape=%" PRId64 "x%" PRId64 ",strides=b:1x0+d:1x0",
              rows, a->wide);
  sbuf_printf(&lse, "elementwise:expression=" LATER("a", "b") ",type=f32,shape=%" PRId64, rows);
  a->merge_o = ops_ranks_plan_of_text(op, o.data);
  a->merge_lse = ops_ranks_plan_of_text(op, lse.data);
  return a->merge_o && a->merge_lse;
}

/* A sink is a part without values. */
static bool make_sinks(tsr_op_ranks *op, const ops_problem *p) {
  ops_ranks_attention *a = op->attention;
  sbuf o = SBUF(&op->arena), lse = SBUF(&op->arena);
  int64_t heads = ops_ranks_value(p, "heads")->i, batch = ops_ranks_value(p, "batch")->i;
  if (!ops_ranks_value(p, "sinks")->i) return true;
  sbuf_printf(&o,
              "elementwise:expression=a*sigmoid(" LOW("b") "-" LOW(
                  "c") "),type=f32,"
                       "shape=%" PRId64 "x%" PRId64 "x%" PRId64 "x%" PRId64 ",strides=b:%" PRId64
                       "x%" PRId64 "x1x0+c:0x1x0x0",
              batch, heads, a->queries, a->wide, heads * a->queries, a->queries);
  sbuf_printf(&lse,
              "elementwise:expression=" LATER("a", "b") ",type=f32,shape=%" PRId64 "x%" PRId64
                                                        "x%" PRId64 ",strides=b:0x1x0",
              batch, heads, a->queries);
  a->sink_o = ops_ranks_plan_of_text(op, o.data);
  a->sink_lse = ops_ranks_plan_of_text(op, lse.data);
  return a->sink_o && a->sink_lse;
}

/* From packed memory into a tensor of the caller's. */
static tsr_op_plan *copying_plan(tsr_op_ranks *op, const ops_operand *to) {
  sbuf text = SBUF(&op->arena), strides = SBUF(&op->arena);
  sbuf_printf(&text, "elementwise:expression=a,type=f32,type_y=%s,shape=", ops_type_name(to->type));
  for (unsigned d = 0; d < to->rank; d++)
    sbuf_printf(&text, "%s%" PRId64, d ? "x" : "", to->shape[d]);
  add_strides(&strides, "y", to->strides, to->rank);
  sbuf_printf(&text, ",strides=%s", strides.data);
  return ops_ranks_plan_of_text(op, text.data);
}

static bool make_end(tsr_op_ranks *op) {
  ops_ranks_attention *a = op->attention;
  const ops_operand *lse = operand(op, "lse");
  a->end_o = copying_plan(op, operand(op, "o"));
  if (lse) a->end_lse = copying_plan(op, lse);
  return a->end_o && (a->end_lse || !lse);
}

/* The tensors that the caller gives. A bias of a ring has this rank's queries and all keys. */
static bool find_operands(tsr_op_ranks *op, const ops_problem *given) {
  ops_problem all = *given, own = *given;
  ops_operands *of_all = arena_new(&op->arena, ops_operands);
  int64_t queries = is_ring(op) ? tsr_op_ranks_rows(op, op->rank, NULL) : op->m;
  if (!settle(op, &own, queries, tsr_op_ranks_keys(op, op->rank, NULL), &op->operands) ||
      !settle(op, &all, queries, op->keys, of_all))
    return false;
  for (unsigned i = 0; is_ring(op) && i < op->operands.count; i++)
    if (strcmp(op->operands.data[i].name, "bias") == 0) op->operands.data[i] = of_all->data[i];
  const ops_operand *o = operand(op, "o");
  op->attention->lines = o->shape[0] * o->shape[1];
  op->attention->queries = queries;
  op->attention->wide = o->shape[3];
  return true;
}

static bool make_parts(tsr_op_ranks *op, const ops_problem *p) {
  ops_ranks_attention *a = op->attention;
  a->parts = arena_array(&op->arena, part, op->size);
  for (unsigned rank = 0; rank < op->size; rank++) {
    if (!is_ring(op) && rank != op->rank) continue;
    if (!make_part(op, p, rank, &a->parts[rank])) return false;
    if (is_ring(op)) op->place = MAX(op->place, a->parts[rank].bytes);
  }
  return true;
}

static bool are_near(const tsr_op_ranks *op) {
  for (unsigned r = 0; r < op->size; r++)
    if (!ops_ranks_is_near(op, r)) return false;
  return true;
}

static void take_memory(tsr_op_ranks *op) {
  ops_ranks_attention *a = op->attention;
  size_t rows = (size_t)(a->lines * a->queries);
  a->lse = ops_ranks_aligned(rows * (size_t)a->wide * sizeof(float));
  a->bytes = ops_ranks_aligned(a->lse + rows * sizeof(float));
  if (!is_ring(op)) op->place = a->bytes;
  op->place = ops_ranks_aligned(op->place);
  /* Parts go round through two places, or lie where the rank has them. */
  if (is_ring(op)) op->places = a->direct ? 1 : 2;
  if (!is_ring(op) && a->direct) op->places = 1;
  for (unsigned i = RESULT_A; i <= PART; i++) op->scratch_bytes[i] = a->bytes;
}

bool ops_ranks_make_attention(tsr_op_ranks *op, ops_problem *p) {
  sbuf text = SBUF(&op->arena);
  ops_problem all = *p;
  ops_operands *of_all = arena_new(&op->arena, ops_operands);
  ops_why why;
  if (!check_problem(op, p)) return false;
  ops_problem_print(p, true, &text);
  op->problem = hash_bytes(text.data, text.len) >> 1 | 1;
  if (!ops_problem_settle(&all, of_all, &why)) return ops_ranks_fail(op, "%s", why.text);
  op->m = ops_ranks_value(&all, "seq")->i;
  op->keys = ops_ranks_value(&all, "keys")->i;
  op->attention = arena_new(&op->arena, ops_ranks_attention);
  op->attention->direct = are_near(op);
  if (!find_operands(op, p) || !make_parts(op, p) || !make_merging(op) || !make_sinks(op, p) ||
      !make_end(op))
    return false;
  take_memory(op);
  return true;
}

/* ---- launching ------------------------------------------------------------------------------ */

/* A tensor of a plan. */
typedef struct given {
  const char *name;
  void *address;
} given;

static tsr_status launch_plan(const ops_ranks_launch *l, tsr_op_plan *plan, const given *list,
                              unsigned count) {
  tsr_op_argument args[OPS_MAX_OPERANDS + 1];
  unsigned n = 0;
  for (; n < plan->operands.count; n++) {
    const char *name = plan->operands.data[n].name;
    const tsr_op_argument *own = ops_ranks_find_argument(l, name);
    void *address = own ? ops_ranks_address_of(&own->arg) : NULL;
    for (unsigned i = 0; i < count; i++)
      if (strcmp(list[i].name, name) == 0) address = list[i].address;
    args[n] = (tsr_op_argument){name, tsr_arg_address(address)};
  }
  if (tsr_op_plan_workspace(plan))
    args[n++] =
        (tsr_op_argument){"workspace", tsr_arg_address(l->op->scratch[OPS_RANKS_WORKSPACE])};
  return tsr_op_launch(plan, NULL, args, n);
}

static char *own_tensor(const ops_ranks_launch *l, const char *name) {
  return ops_ranks_address_of(&ops_ranks_find_argument(l, name)->arg);
}

/* `elements` behind an address. */
static char *behind(char *address, const ops_operand *o, int64_t elements) {
  return address + tsr_elem_storage(ops_type_elem(o->type), (size_t)elements);
}

/* What the first `count` queries of each line get when they see no key. */
static void leave_empty(const ops_ranks_attention *a, char *to, int64_t count) {
  size_t wide = (size_t)a->wide, n = (size_t)count, queries = (size_t)a->queries;
  if (!n) return; /* there is no memory for none */
  float *o = (float *)to, *lse = (float *)(to + a->lse);
  for (size_t line = 0; line < (size_t)a->lines; line++) {
    memset(o + line * queries * wide, 0, n * wide * sizeof *o);
    for (size_t i = 0; i < n; i++) lse[line * queries + i] = -INFINITY;
  }
}

/* What this rank's queries get from keys of a rank; `k` and `v` are where these lie. */
static tsr_status compute_part(const ops_ranks_launch *l, unsigned rank, char *k, char *v,
                               char *to) {
  const tsr_op_ranks *op = l->op;
  const ops_ranks_attention *a = op->attention;
  const part *at = &a->parts[rank];
  if (!at->plan) {
    leave_empty(a, to, a->queries);
    return TSR_OK;
  }
  const ops_operand *q = operand(op, "q"), *bias = operand(op, "bias");
  const ops_operand *of_k = ops_operand_find(&at->plan->operands, "k");
  const ops_operand *of_v = ops_operand_find(&at->plan->operands, "v");
  int64_t queries = at->skipped_queries, keys = at->skipped_keys, first = 0;
  if (is_ring(op)) tsr_op_ranks_keys(op, rank, &first);
  given list[] = {
      {"q", behind(own_tensor(l, "q"), q, queries * q->strides[2])},
      {"k", behind(k, of_k, keys * of_k->strides[2])},
      {"v", behind(v, of_v, keys * of_v->strides[2])},
      {"o", (float *)to + queries * a->wide},
      {"lse", (float *)(to + a->lse) + queries},
      {"bias", NULL},
  };
  unsigned count = ARRAY_LEN(list) - (bias == NULL);
  if (bias)
    list[count - 1].address =
        behind(own_tensor(l, "bias"), bias,
               queries * bias->strides[2] + (first + keys) * bias->strides[3]);
  leave_empty(a, to, queries);
  return launch_plan(l, at->plan, list, count);
}

/* One part of two, in other memory than these. */
static tsr_status merge(const ops_ranks_launch *l, char *x, char *y, char *to) {
  const ops_ranks_attention *a = l->op->attention;
  given o[] = {{"a", x}, {"b", x + a->lse}, {"c", y}, {"d", y + a->lse}, {"y", to}};
  given lse[] = {{"a", x + a->lse}, {"b", y + a->lse}, {"y", to + a->lse}};
  tsr_status status = launch_plan(l, a->merge_o, o, ARRAY_LEN(o));
  return status == TSR_OK ? launch_plan(l, a->merge_lse, lse, ARRAY_LEN(lse)) : status;
}

static char *other_result(const tsr_op_ranks *op, char *sum) {
  return op->scratch[sum == op->scratch[RESULT_A] ? RESULT_B : RESULT_A];
}

/* Adds a part to a sum of parts, which is NULL before the first. */
static tsr_status add_part(const ops_ranks_launch *l, char **sum, char *one) {
  if (!*sum) {
    *sum = one;
    return TSR_OK;
  }
  char *to = other_result(l->op, *sum);
  tsr_status status = merge(l, *sum, one, to);
  *sum = to;
  return status;
}

/* Writes the sum of all parts into the caller's tensors. */
static tsr_status finish(const ops_ranks_launch *l, char *sum) {
  const ops_ranks_attention *a = l->op->attention;
  tsr_status status = TSR_OK;
  if (a->sink_o) {
    char *to = other_result(l->op, sum);
    char *sinks = own_tensor(l, "sinks");
    given o[] = {{"a", sum}, {"b", sum + a->lse}, {"c", sinks}, {"y", to}};
    given lse[] = {{"a", sum + a->lse}, {"b", sinks}, {"y", to + a->lse}};
    status = launch_plan(l, a->sink_o, o, ARRAY_LEN(o));
    if (status == TSR_OK) status = launch_plan(l, a->sink_lse, lse, ARRAY_LEN(lse));
    sum = to;
  }
  given o[] = {{"a", sum}, {"y", own_tensor(l, "o")}};
  if (status == TSR_OK) status = launch_plan(l, a->end_o, o, ARRAY_LEN(o));
  if (status != TSR_OK || !a->end_lse) return status;
  given lse[] = {{"a", sum + a->lse}, {"y", own_tensor(l, "lse")}};
  return launch_plan(l, a->end_lse, lse, ARRAY_LEN(lse));
}

static tsr_status tell_all(const tsr_op_ranks *op, ops_ranks_word which, uint64_t count) {
  tsr_status status = TSR_OK;
  for (unsigned step = 1; step < op->size && status == TSR_OK; step++)
    status = ops_ranks_tell(op, ops_ranks_after(op, step), which, count);
  return status;
}

/* ---- split keys ----------------------------------------------------------------------------- */

/* Where a rank's part lies for this one. */
static char *part_of(const tsr_op_ranks *op, unsigned rank) {
  bool direct = op->attention->direct;
  return ops_ranks_memory_of(op, direct ? rank : op->rank) +
         ops_ranks_place_of(op, direct ? 0 : rank);
}

static tsr_status send_part(const tsr_op_ranks *op) {
  const ops_ranks_attention *a = op->attention;
  tsr_status status = TSR_OK;
  for (unsigned step = 1; !a->direct && step < op->size && status == TSR_OK; step++)
    status = tsr_symmetric_put(op->memory, ops_ranks_after(op, step),
                               ops_ranks_place_of(op, op->rank), part_of(op, op->rank), a->bytes);
  return status;
}

static tsr_status split_keys(const ops_ranks_launch *l) {
  const tsr_op_ranks *op = l->op;
  char *sum = NULL;
  tsr_status status = ops_ranks_wait_for_all(op, WORD_FREE, l->number - 1);
  if (status == TSR_OK)
    status =
        compute_part(l, op->rank, own_tensor(l, "k"), own_tensor(l, "v"), part_of(op, op->rank));
  if (status == TSR_OK) status = send_part(op);
  if (status == TSR_OK) status = tell_all(op, WORD_READY, l->number);
  for (unsigned rank = 0; rank < op->size && status == TSR_OK; rank++) {
    status = ops_ranks_wait_for(op, rank, WORD_READY, l->number);
    if (status == TSR_OK) status = add_part(l, &sum, part_of(op, rank));
  }
  if (status == TSR_OK) status = finish(l, sum);
  return status == TSR_OK ? tell_all(op, WORD_FREE, l->number) : status;
}

/* ---- rings ---------------------------------------------------------------------------------- */

/* Adds what keys of a rank give. */
static tsr_status add_keys(const ops_ranks_launch *l, char **sum, unsigned rank, char *k, char *v) {
  const tsr_op_ranks *op = l->op;
  char *to = op->scratch[*sum ? PART : RESULT_A];
  if (*sum && !op->attention->parts[rank].plan) return TSR_OK;
  tsr_status status = compute_part(l, rank, k, v, to);
  return status == TSR_OK ? add_part(l, sum, to) : status;
}

/* All ranks read keys where they lie. */
static tsr_status read_keys(const ops_ranks_launch *l, char **sum) {
  const tsr_op_ranks *op = l->op;
  const ops_ranks_attention *a = op->attention;
  char *own = ops_ranks_memory_of(op, op->rank) + ops_ranks_place_of(op, 0);
  tsr_status status = ops_ranks_wait_for_all(op, WORD_FREE, l->number - 1);
  if (status != TSR_OK) return status;
  size_t k_bytes = ops_operand_bytes(operand(op, "k")),
         v_bytes = ops_operand_bytes(operand(op, "v"));
  if (k_bytes) memcpy(own, own_tensor(l, "k"), k_bytes);
  if (v_bytes) memcpy(own + a->parts[op->rank].v, own_tensor(l, "v"), v_bytes);
  status = tell_all(op, WORD_READY, l->number);
  for (unsigned step = 0; step < op->size && status == TSR_OK; step++) {
    unsigned rank = ops_ranks_after(op, step);
    char *keys = ops_ranks_memory_of(op, rank) + ops_ranks_place_of(op, 0);
    status = ops_ranks_wait_for(op, rank, WORD_READY, l->number);
    if (status == TSR_OK) status = add_keys(l, sum, rank, keys, keys + a->parts[rank].v);
    if (status == TSR_OK) status = ops_ranks_tell(op, rank, WORD_FREE, l->number);
  }
  return status;
}

/* Passes keys on to the rank before, as the one with the number `count` of all that go there. */
static tsr_status pass_on(const tsr_op_ranks *op, unsigned rank, char *k, char *v, uint64_t count) {
  const part *at = &op->attention->parts[rank];
  unsigned to = ops_ranks_after(op, op->size - 1);
  size_t offset = ops_ranks_place_of(op, count % 2);
  tsr_status status = TSR_OK;
  if (count > 2) status = ops_ranks_wait_for(op, to, WORD_FREE, count - 2);
  if (status == TSR_OK) status = tsr_symmetric_put(op->memory, to, offset, k, at->k_bytes);
  if (status == TSR_OK) status = tsr_symmetric_put(op->memory, to, offset + at->v, v, at->v_bytes);
  return status == TSR_OK ? ops_ranks_tell(op, to, WORD_READY, count) : status;
}

/* Keys go round: a rank gets them from the next one. */
static tsr_status pass_keys(const ops_ranks_launch *l, char **sum) {
  const tsr_op_ranks *op = l->op;
  uint64_t before = (l->number - 1) * (op->size - 1);
  unsigned from = ops_ranks_after(op, 1);
  char *k = own_tensor(l, "k"), *v = own_tensor(l, "v");
  tsr_status status = TSR_OK;
  for (unsigned step = 0; step < op->size && status == TSR_OK; step++) {
    unsigned rank = ops_ranks_after(op, step);
    if (step) {
      k = ops_ranks_memory_of(op, op->rank) + ops_ranks_place_of(op, (before + step) % 2);
      v = k + op->attention->parts[rank].v;
      status = ops_ranks_wait_for(op, from, WORD_READY, before + step);
    }
    if (status == TSR_OK && step + 1 < op->size)
      status = pass_on(op, rank, k, v, before + step + 1);
    if (status == TSR_OK) status = add_keys(l, sum, rank, k, v);
    if (status == TSR_OK && step) status = ops_ranks_tell(op, from, WORD_FREE, before + step);
  }
  return status;
}

tsr_status ops_ranks_launch_attention(const ops_ranks_launch *l) {
  char *sum = NULL;
  if (!is_ring(l->op)) return split_keys(l);
  tsr_status status = l->op->attention->direct ? read_keys(l, &sum) : pass_keys(l, &sum);
  return status == TSR_OK ? finish(l, sum) : status;
}
