/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Scales of queries, keys and values that were quantised.
 *
 * Those of tensors and heads are scalars: the product of two of them goes into the factor of
 * scores, that of values into the sums. Those of blocks of tokens multiply products of queries and
 * keys, by rows and columns, and the weights of values. Those of groups of elements, or of groups
 * of keys for values, multiply tiles before their product, which is one of bf16 then: it has the
 * exponents of f32, and all bits of floats of 8 bits.
 *
 * Where lengths are variable, blocks are those of the whole tensor; each page has its own.
 */
#include "ops/attention.h"

static const unsigned kinds[] = {ATTENTION_scale_q, ATTENTION_scale_k, ATTENTION_scale_v};
static const char *const names[] = {"scale_q", "scale_k", "scale_v"};

/* Which of q, k and v it is, whose last letter says so; 3: none. */
static unsigned index_of(const char *name) {
  for (unsigned i = 0; i < ARRAY_LEN(names); i++)
    if (strcmp(name, names[i]) == 0 || strcmp(name, names[i] + strlen("scale_")) == 0) return i;
  return ARRAY_LEN(names);
}

attention_scaling attention_scaling_of(const ops_problem *p, const char *name) {
  unsigned i = index_of(name);
  return i < ARRAY_LEN(names) ? (attention_scaling)attention_get(p, kinds[i])
                              : ATTENTION_SCALE_NONE;
}

bool attention_is_scale(const ops_operand *o) {
  return strncmp(o->name, "scale_", strlen("scale_")) == 0;
}

ops_type attention_type_of(const ops_problem *p, const char *name) {
  return attention_get(p, index_of(name) == 2 ? ATTENTION_type_v : ATTENTION_type);
}

/* ---- problems -------------------------------------------------------------------------------- */

static bool is_group(const ops_problem *p, unsigned i) {
  return attention_get(p, kinds[i]) == ATTENTION_SCALE_GROUP;
}

bool attention_has_groups(const ops_problem *p) {
  return is_group(p, 0) || is_group(p, 1) || is_group(p, 2);
}

static bool check_type_scale(const ops_problem *p, ops_why *why) {
  ops_type t = attention_get(p, ATTENTION_type_scale);
  if (t == TSR_F32 || t == TSR_F8E8M0FNU) return true;
  return ops_refuse(why, "type_scale=%s: scales are f32 or f8E8M0FNU", ops_type_name(t));
}

static bool check_group(const ops_problem *p, unsigned i, ops_why *why) {
  const char *name = p->family->params[kinds[i]].name;
  ops_type t = attention_get(p, i == 2 ? ATTENTION_type_v : ATTENTION_type);
  int64_t group = attention_get(p, ATTENTION_group);
  if (!is_group(p, i)) return true;
  if (group & (group - 1))
    return ops_refuse(why, "group=%lld: give a power of two", (long long)group);
  if (!ops_type_is_float(t) || ops_type_bits(t) > 8)
    return ops_refuse(why, "%s=group goes with floats of 8 and 6 bits, not with %s", name,
                      ops_type_name(t));
  if (attention_is_paged(p))
    return ops_refuse(why, "%s=group goes with cache=none or cache=whole", name);
  if (i == 2 && attention_is_variable(p) && !attention_is_cached(p))
    return ops_refuse(why,
                      "%s=group goes with lengths=fixed or cache=whole: groups of keys begin "
                      "with a sequence",
                      name);
  return true;
}

static bool check_type_p(const ops_problem *p, ops_why *why) {
  ops_type t = attention_get(p, ATTENTION_type_p);
  if (!is_group(p, 2) || t == TSR_BF16 || t == TSR_F32) return true;
  return ops_refuse(why, "type_p=%s: scale_v=group goes with bf16 and f32", ops_type_name(t));
}

/* What is appended is copied as it is, and queries are turned before their scales. */
static bool check_append(const ops_problem *p, ops_why *why) {
  if (!attention_appends(p)) return true;
  if (attention_get(p, ATTENTION_type_v) != attention_get(p, ATTENTION_type))
    return ops_refuse(why, "append=yes goes with type_v=auto: keys and values of one type");
  for (unsigned i = 0; i < ARRAY_LEN(names); i++)
    if (is_group(p, i))
      return ops_refuse(why, "%s=group goes with append=no", p->family->params[kinds[i]].name);
  return true;
}

static bool check_silu(const ops_problem *p, ops_why *why) {
  if (attention_get(p, ATTENTION_weights) == 0) return true;
  if (!attention_get(p, ATTENTION_lse) && !attention_get(p, ATTENTION_sinks)) return true;
  return ops_refuse(why, "weights=silu goes with lse=no and sinks=no: there is no sum of weights");
}

bool attention_settle_scales(const ops_problem *p, ops_why *why) {
  for (unsigned i = 0; i < ARRAY_LEN(names); i++)
    if (!check_group(p, i, why)) return false;
  return check_type_scale(p, why) && check_type_p(p, why) && check_append(p, why) &&
         check_silu(p, why);
}

bool attention_check_scales(const ops_problem *p, ops_why *why) {
  if (attention_get(p, ATTENTION_weights) == 1 && attention_get(p, ATTENTION_split) > 1)
    return ops_refuse(why, "split=%lld: weights=silu goes with split=1",
                      (long long)attention_get(p, ATTENTION_split));
  for (unsigned i = 0; i < ARRAY_LEN(names); i++) {
    const ops_operand *o = ops_operand_find(attention_operands(p), names[i]);
    if (o && !is_group(p, i) && ops_operand_span(o) > INT32_MAX)
      return ops_refuse(why, "%s has %lld elements; at most 2^31 - 1 are possible", names[i],
                        (long long)ops_operand_span(o));
  }
  return true;
}

/* ---- scalars --------------------------------------------------------------------------------- */

static tsr_value in_f32(attention_kernel *a, tsr_value x) {
  return ops_convert(a->b, x, attention_get(a->p, ATTENTION_type_scale), TSR_F32);
}

/* The scale of a tensor or head; NULL: it has none, or not one. */
static tsr_value scalar_of(attention_kernel *a, const char *name, tsr_value head) {
  ops_build *b = a->b;
  attention_scaling kind = attention_scaling_of(a->p, name);
  if (kind != ATTENTION_SCALE_TENSOR && kind != ATTENTION_SCALE_HEAD) return NULL;
  tsr_value base = ops_arg(b, name);
  if (kind == ATTENTION_SCALE_HEAD) {
    base = ops_advance(b, base, a->batch_or_0, attention_stride(a, name, 'b'));
    base = ops_advance(b, base, head, attention_stride(a, name, 'h'));
  }
  return in_f32(a, tsr_build_load_ptr_tko(b->b, base, TSR_MEMORY_WEAK));
}

/* Whether each row has a scale of its own, since rows belong to several heads or blocks. */
static bool has_rows(const attention_kernel *a) {
  attention_scaling kind = attention_scaling_of(a->p, "q");
  return kind == ATTENTION_SCALE_BLOCK || (kind == ATTENTION_SCALE_HEAD && a->queries);
}

tsr_value attention_scale_scores(attention_kernel *a, tsr_value scale) {
  tsr_value q = has_rows(a) ? NULL : scalar_of(a, "scale_q", a->head);
  tsr_value k = scalar_of(a, "scale_k", a->kv_head);
  if (q) scale = ops_mul(a->b, scale, q);
  return k ? ops_mul(a->b, scale, k) : scale;
}

tsr_value attention_scale_sum(attention_kernel *a, tsr_value share) {
  tsr_value v = scalar_of(a, "scale_v", a->kv_head);
  return v ? ops_mul(a->b, share, ops_spread(a->b, v, TSR_INTS(a->rows, 1))) : share;
}

tsr_value attention_times(attention_kernel *a, tsr_value x, tsr_value by) {
  return by ? ops_mul(a->b, x, ops_broadcast(a->b, by, tsr_type_shape(tsr_value_type(x)))) : x;
}

/* ---- blocks of tokens ------------------------------------------------------------------------ */

/* Places in a tensor of scales, a tile of rank 1. */
typedef struct scale_places {
  attention_kernel *a;
  const char *name;
  int64_t count;
  tsr_value at;
} scale_places;

static tsr_value spread(scale_places *p, tsr_value scalar) {
  return ops_spread(p->a->b, scalar, TSR_INTS(p->count));
}

static void step(scale_places *p, tsr_value index, char dim) {
  tsr_builder *b = p->a->b->b;
  tsr_value stride = spread(p, ops_from_index(p->a->b, attention_stride(p->a, p->name, dim)));
  tsr_value on = tsr_build_muli(b, index, stride);
  p->at = p->at ? tsr_build_addi(b, p->at, on) : on;
}

static void step_block(scale_places *p, tsr_value token, const char *block) {
  tsr_value size = spread(p, ops_arg(p->a->b, block));
  step(p, tsr_build_divi(p->a->b->b, token, size, TSR_SIGNED), 't');
}

/* The numbers there; 0 where there is no token. */
static tsr_value numbers_at(scale_places *p, tsr_value exists) {
  ops_build *b = p->a->b;
  tsr_value at = tsr_build_select(b->b, exists, p->at, ops_full_like(b, p->at, -1));
  ops_tiles view = ops_view(
      b, &(ops_view_spec){.base = ops_arg(b, p->name),
                          .elem = ops_type_elem(attention_get(p->a->p, ATTENTION_type_scale)),
                          .rank = 1,
                          .sizes = {ops_index(b, INT32_MAX)},
                          .tile = {p->count},
                          .padding = TSR_PADDING_ZERO,
                          .is_gathered = true});
  return in_f32(p->a, ops_load(b, &view, TSR_VALUES(at)));
}

/* Tokens of tile `i`. */
static tsr_value tokens_of(scale_places *p, tsr_value i) {
  ops_build *b = p->a->b;
  tsr_value first = tsr_build_muli(b->b, i, ops_i32(b, p->count));
  tsr_value count = ops_reshape(b, attention_count(p->a, p->count, 0), TSR_INTS(p->count));
  return tsr_build_addi(b->b, spread(p, first), count);
}

static tsr_value below(scale_places *p, tsr_value token, tsr_value end) {
  return tsr_build_cmpi(p->a->b->b, token, spread(p, end), TSR_CMP_LESS_THAN, TSR_SIGNED);
}

tsr_value attention_scale_rows(attention_kernel *a) {
  ops_build *b = a->b;
  scale_places p = {.a = a, .name = "scale_q", .count = a->rows};
  if (!has_rows(a)) return NULL;
  tsr_value row = tokens_of(&p, a->i), exists = below(&p, row, a->seq), query = row;
  tsr_value head = spread(&p, a->head);
  if (a->queries) {
    tsr_value queries = spread(&p, a->queries);
    tsr_value heads = tsr_build_divi(b->b, a->seq, a->queries, TSR_SIGNED);
    head = spread(&p, tsr_build_muli(b->b, a->head, heads));
    head = tsr_build_addi(b->b, head, tsr_build_divi(b->b, row, queries, TSR_SIGNED));
    query = tsr_build_remi(b->b, row, queries, TSR_SIGNED);
  }
  bool blocks = attention_scaling_of(a->p, "q") == ATTENTION_SCALE_BLOCK;
  if (a->start_q && blocks)
    query = tsr_build_addi(b->b, query, spread(&p, a->start_q));
  else
    step(&p, spread(&p, a->batch_or_0), 'b');
  step(&p, head, 'h');
  if (blocks) step_block(&p, query, "block_q");
  return ops_reshape(b, numbers_at(&p, exists), TSR_INTS(a->rows, 1));
}

tsr_value attention_scale_keys(attention_kernel *a, const char *name, tsr_value j) {
  ops_build *b = a->b;
  scale_places p = {.a = a, .name = name, .count = a->columns};
  if (attention_scaling_of(a->p, name) != ATTENTION_SCALE_BLOCK) return NULL;
  tsr_value key = tokens_of(&p, j), exists;
  if (attention_is_paged(a->p)) {
    ops_page_places at = ops_find_pages(b, a->batch_or_0, key, a->keys);
    exists = at.exists;
    key = at.key;
    step(&p, at.page, 'b');
  } else {
    exists = below(&p, key, a->keys);
    if (a->start_k)
      key = tsr_build_addi(b->b, key, spread(&p, a->start_k));
    else
      step(&p, spread(&p, a->batch_or_0), 'b');
  }
  step(&p, spread(&p, a->kv_head), 'h');
  step_block(&p, key, "block_k");
  return ops_reshape(b, numbers_at(&p, exists), TSR_INTS(1, a->columns));
}

/* ---- groups ---------------------------------------------------------------------------------- */

/* Each number of a tile `each` times along a dimension. */
static tsr_value repeat(attention_kernel *a, tsr_value x, unsigned dim, int64_t each) {
  tsr_ints shape = tsr_type_shape(tsr_value_type(x));
  int64_t rows = shape.data[0], columns = shape.data[1];
  if (dim == 1) {
    x = ops_broadcast(a->b, ops_reshape(a->b, x, TSR_INTS(rows, columns, 1)),
                      TSR_INTS(rows, columns, each));
    return ops_reshape(a->b, x, TSR_INTS(rows, columns * each));
  }
  x = ops_broadcast(a->b, ops_reshape(a->b, x, TSR_INTS(rows, 1, columns)),
                    TSR_INTS(rows, each, columns));
  return ops_reshape(a->b, x, TSR_INTS(rows * each, columns));
}

/* A tile of scales of a head, `tokens` x `elements` from scale `token` and `element` on, which are
 * multiples. */
typedef struct group_tile {
  const char *name;
  tsr_value heads, start, count, head, token; /* `token`: which tile */
  int64_t tokens, elements, all, element;
} group_tile;

static tsr_value load_group(attention_kernel *a, const group_tile *g) {
  ops_build *b = a->b;
  tsr_value base = ops_arg(b, g->name), along = attention_stride(a, g->name, 't');
  if (g->start)
    base = ops_advance(b, base, g->start, along);
  else if (a->batch)
    base = ops_advance(b, base, a->batch, attention_stride(a, g->name, 'b'));
  ops_tiles view =
      ops_view(b, &(ops_view_spec){.base = base,
                                   .elem = ops_type_elem(attention_get(a->p, ATTENTION_type_scale)),
                                   .rank = 3,
                                   .sizes = {g->heads, ops_to_index(b, g->count)},
                                   .strides = {attention_stride(a, g->name, 'h'), along},
                                   .known = {0, 0, g->all},
                                   .tile = {1, g->tokens, g->elements},
                                   .padding = TSR_PADDING_ZERO});
  tsr_value index = ops_i32(b, g->element / g->elements);
  tsr_value x = ops_load(b, &view, TSR_VALUES(g->head, g->token, index));
  x = ops_reshape(b, x, TSR_INTS(g->tokens, g->elements));
  return ops_convert(b, x, attention_get(a->p, ATTENTION_type_scale), TSR_F32);
}

/* Exact for scales that are powers of two. */
static tsr_value multiply(attention_kernel *a, tsr_value x, tsr_value by, ops_type to) {
  return ops_convert(a->b, ops_mul(a->b, ops_convert(a->b, x, to, TSR_F32), by), TSR_F32, to);
}

/* A piece of queries or keys, whose elements from `at` on these are. */
static tsr_value scaled_elements(attention_kernel *a, tsr_value x, group_tile g, int64_t at) {
  int64_t group = attention_get(a->p, ATTENTION_group), head = attention_get(a->p, ATTENTION_head);
  tsr_ints shape = tsr_type_shape(tsr_value_type(x));
  int64_t piece = shape.data[1];
  g.tokens = shape.data[0];
  g.elements = MAX(piece / group, 1);
  g.all = ops_tiles_of(head, group);
  g.element = at / group;
  tsr_value by = repeat(a, load_group(a, &g), 1, piece / g.elements);
  return multiply(a, x, by, attention_product_type(a->p));
}

tsr_value attention_scaled_q(attention_kernel *a, tsr_value x, int64_t at) {
  ops_build *b = a->b;
  x = ops_convert(b, x, attention_get(a->p, ATTENTION_type), attention_product_type(a->p));
  if (!x || attention_scaling_of(a->p, "q") != ATTENTION_SCALE_GROUP) return x;
  return scaled_elements(a, x,
                         (group_tile){.name = "scale_q",
                                      .heads = ops_arg(b, "heads"),
                                      .start = a->start_q,
                                      .count = a->seq,
                                      .head = a->head,
                                      .token = a->i},
                         at);
}

/* Values have a scale for each element of a group of keys. */
static tsr_value scaled_values(attention_kernel *a, tsr_value x, group_tile g, int64_t at) {
  ops_build *b = a->b;
  int64_t group = attention_get(a->p, ATTENTION_group);
  g.tokens = MAX(a->columns / group, 1);
  g.elements = tsr_type_shape(tsr_value_type(x)).data[1];
  g.all = attention_get(a->p, ATTENTION_head_v);
  g.element = at;
  g.count = ops_ceil_div(b, a->keys, group);
  if (a->columns < group)
    g.token = tsr_build_divi(b->b, g.token, ops_i32(b, group / a->columns), TSR_SIGNED);
  tsr_value by = repeat(a, load_group(a, &g), 0, a->columns / g.tokens);
  return multiply(a, x, by, attention_get(a->p, ATTENTION_type_p));
}

tsr_value attention_scaled_key(attention_kernel *a, const attention_keys *k, unsigned i,
                               tsr_value j) {
  bool is_value = strcmp(k->tensor.name, "v") == 0;
  ops_type to = is_value ? attention_get(a->p, ATTENTION_type_p) : attention_product_type(a->p);
  tsr_value x = ops_convert(a->b, attention_keys_piece(a, k, i), k->tensor.type, to);
  if (!x || attention_scaling_of(a->p, k->tensor.name) != ATTENTION_SCALE_GROUP) return x;
  group_tile g = {.name = is_value ? "scale_v" : "scale_k",
                  .heads = ops_arg(a->b, "kv_heads"),
                  .start = a->start_k,
                  .count = a->keys,
                  .head = a->kv_head,
                  .token = j};
  int64_t at = k->pieces.index[i] * k->pieces.size[i];
  return is_value ? scaled_values(a, x, g, at) : scaled_elements(a, x, g, at);
}

/* ---- on the host ----------------------------------------------------------------------------- */

/* Places in the tensor of scales, from the dimension of heads on. */
static int64_t inner_place(const attention_query *q, unsigned i, const int64_t *strides,
                           int64_t token, int64_t e) {
  int64_t group = attention_get(q->p, ATTENTION_group);
  int64_t block = attention_get(q->p, i == 0 ? ATTENTION_block_q : ATTENTION_block_k);
  int64_t at = (i == 0 ? q->head : q->kv_head) * strides[0];
  attention_scaling kind = attention_scaling_of(q->p, names[i]);
  if (kind == ATTENTION_SCALE_BLOCK) return at + token / block * strides[1];
  if (kind != ATTENTION_SCALE_GROUP) return at;
  return at + (i == 2 ? token / group : token) * strides[1] + (i == 2 ? e : e / group) * strides[2];
}

double attention_scale_at(const attention_query *q, const char *name, int64_t token, int64_t e) {
  const ops_problem *p = q->p;
  unsigned i = index_of(name);
  attention_scaling kind = attention_scaling_of(p, name);
  if (kind == ATTENTION_SCALE_NONE) return 1;
  const ops_tensor *t = ops_host_tensor(q->h, names[i]);
  const int64_t *strides = t->operand->strides;
  int64_t batch = q->batch;
  bool cached = i > 0 && attention_is_cached(p);
  if (kind == ATTENTION_SCALE_TENSOR) return t->numbers[0];
  if (kind != ATTENTION_SCALE_HEAD && cached && attention_is_paged(p))
    batch = ops_page_of(q->h, batch, attention_get(p, ATTENTION_page),
                        attention_get(p, ATTENTION_pages), &token);
  if (batch < 0) return 0;
  if (kind != ATTENTION_SCALE_HEAD && !cached && attention_is_variable(p))
    return t->numbers[inner_place(q, i, strides, token + (i == 0 ? q->start_q : q->start_k), e)];
  return t->numbers[batch * strides[0] + inner_place(q, i, strides + 1, token, e)];
}
