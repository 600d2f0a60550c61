/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ops/attention.h"

#include <math.h>

#include "ops/families.h"

static const ops_param params[] = {ATTENTION_PARAMS(OPS_PARAM_ROW)};

static int64_t get(const ops_problem *p, unsigned param) {
  return attention_get(p, param);
}

static void set_open(ops_problem *p, unsigned param, int64_t value) {
  if (get(p, param) < 0) p->values[param].i = value;
}

static void raise_flag(ops_problem *p, unsigned flag, bool is) {
  if (is) p->values[flag].i = 1;
}

/* ---- types ----------------------------------------------------------------------------------- */

static bool is_small_float(ops_type t) {
  unsigned bits = ops_type_bits(t);
  return ops_type_is_float(t) && (bits == 8 || bits == 6) && ops_type_elem(t) != TSR_F8E8M0FNU;
}

static bool is_usual_float(ops_type t) {
  tsr_elem e = ops_type_elem(t);
  return e == TSR_F32 || e == TSR_F16 || e == TSR_BF16;
}

/* There are products of two of the four types of 8 bits. */
static bool has_products(ops_type t) {
  tsr_elem e = ops_type_elem(t);
  return is_usual_float(t) || e == TSR_F8E4M3FN || e == TSR_F8E5M2;
}

static bool is_group(const ops_problem *p, unsigned param) {
  return get(p, param) == ATTENTION_SCALE_GROUP;
}

ops_type attention_product_type(const ops_problem *p) {
  ops_type t = get(p, ATTENTION_type);
  /* Which has the exponents of scales. */
  if (is_group(p, ATTENTION_scale_q) || is_group(p, ATTENTION_scale_k)) return TSR_BF16;
  return has_products(t) || ops_type_is_int(t) ? t : TSR_F16;
}

static bool check_type(const char *name, ops_type t, ops_why *why) {
  if (is_usual_float(t) || is_small_float(t)) return true;
  return ops_refuse(why,
                    "%s=%s: attention takes f32 f16 bf16 f8E4M3FN f8E5M2 f8E4M3FNUZ f8E5M2FNUZ "
                    "f6E2M3FN f6E3M2FN, and i8 for q and k",
                    name, ops_type_name(t));
}

/* An epilogue may make integers of 8 bits. */
static bool check_result(const ops_problem *p, ops_why *why) {
  ops_type t = get(p, ATTENTION_type_o);
  bool is_byte = ops_type_is_int(t) && ops_type_bits(t) == 8;
  return is_byte || check_type("type_o", t, why);
}

static bool settle_epilogue(ops_problem *p, ops_epilogue *e, ops_why *why) {
  const char *text = p->values[ATTENTION_epilogue].text;
  ops_type t = get(p, ATTENTION_type), o = get(p, ATTENTION_type_o);
  ops_type usual = is_small_float(t) || ops_type_is_int(t) ? TSR_F16 : t;
  if (!ops_epilogue_parse(e, p->arena, str_of(text), o >= 0 ? o : usual, why)) return false;
  if (o >= 0 && e->result >= 0 && o != e->result)
    return ops_refuse(why, "type_o=%s, but epilogue=%s makes o %s", ops_type_name(o), text,
                      ops_type_name(e->result));
  if (e->result >= 0) p->values[ATTENTION_type_o].i = e->result;
  for (unsigned i = 0; i < e->count; i++)
    if (e->stages[i].operand)
      e->stages[i].operand = arena_printf(p->arena, "epilogue_%s", e->stages[i].operand);
  return true;
}

static bool settle_types(ops_problem *p, ops_why *why) {
  ops_type t = get(p, ATTENTION_type);
  bool bytes = t == TSR_I8, small = is_small_float(t) || bytes;
  set_open(p, ATTENTION_type_v, bytes ? TSR_F16 : t);
  ops_type v = get(p, ATTENTION_type_v);
  /* Scales of blocks multiply probabilities, those of groups values: numbers of any size. */
  bool any_size = get(p, ATTENTION_scale_v) >= ATTENTION_SCALE_BLOCK;
  set_open(p, ATTENTION_type_o, small ? TSR_F16 : t);
  set_open(p, ATTENTION_type_p, !is_small_float(v) ? v : any_size ? TSR_BF16 : TSR_F16);
  if (get(p, ATTENTION_bias)) set_open(p, ATTENTION_type_bias, small ? TSR_F32 : t);
  if ((!bytes && !check_type("type", t, why)) || !check_type("type_v", v, why) ||
      !check_result(p, why) ||
      (get(p, ATTENTION_bias) && !check_type("type_bias", get(p, ATTENTION_type_bias), why)))
    return false;
  if (has_products(get(p, ATTENTION_type_p))) return true;
  return ops_refuse(why, "type_p=%s: there are products of f32 f16 bf16 f8E4M3FN f8E5M2",
                    ops_type_name(get(p, ATTENTION_type_p)));
}

/* ---- numbers --------------------------------------------------------------------------------- */

static bool check_number(const ops_problem *p, unsigned param, double least, double below,
                         ops_why *why) {
  double x = p->values[param].r;
  if (x >= least && x < below) return true;
  return ops_refuse(why, "%s=%g: give a number from %g to less than %g", params[param].name, x,
                    least, below);
}

static bool settle_numbers(ops_problem *p, ops_why *why) {
  return check_number(p, ATTENTION_scale, 0, 1e6, why) &&
         check_number(p, ATTENTION_cap, 0, 1e6, why) &&
         check_number(p, ATTENTION_dropout, 0, 1, why);
}

static bool settle_heads(ops_problem *p, ops_why *why) {
  int64_t heads = get(p, ATTENTION_heads);
  set_open(p, ATTENTION_kv_heads, MAX(heads, 1));
  if (heads % get(p, ATTENTION_kv_heads) == 0) return true;
  return ops_refuse(why, "kv_heads=%lld does not divide heads=%lld; give a divisor",
                    (long long)get(p, ATTENTION_kv_heads), (long long)heads);
}

static bool settle_mask(ops_problem *p, ops_why *why) {
  if (get(p, ATTENTION_causal) && get(p, ATTENTION_right) > 0)
    return ops_refuse(why, "right=%lld, but causal=yes means right=0; give one of them",
                      (long long)get(p, ATTENTION_right));
  if (get(p, ATTENTION_causal)) p->values[ATTENTION_right].i = 0;
  raise_flag(p, ATTENTION_has_left, get(p, ATTENTION_left) >= 0);
  raise_flag(p, ATTENTION_has_right, get(p, ATTENTION_right) >= 0);
  raise_flag(p, ATTENTION_has_sink_keys, get(p, ATTENTION_sink_keys) > 0);
  return true;
}

static bool settle_lengths(ops_problem *p, ops_why *why) {
  bool variable = attention_is_variable(p);
  static const unsigned totals[] = {ATTENTION_total_q, ATTENTION_total_k};
  set_open(p, ATTENTION_keys, get(p, ATTENTION_seq));
  for (unsigned i = 0; i < 2; i++) {
    int64_t longest = get(p, i ? ATTENTION_keys : ATTENTION_seq);
    int64_t packed = MIN(longest * get(p, ATTENTION_batch), INT32_MAX);
    if (!variable && get(p, totals[i]) >= 0)
      return ops_refuse(why, "%s=%lld goes with lengths=variable; leave it out",
                        params[totals[i]].name, (long long)get(p, totals[i]));
    if (variable && !(i && attention_is_cached(p))) set_open(p, totals[i], packed);
  }
  raise_flag(p, ATTENTION_batched, variable || get(p, ATTENTION_batch) != 1);
  return true;
}

/* ---- caches ---------------------------------------------------------------------------------- */

static bool settle_pages(ops_problem *p, ops_why *why) {
  int64_t page = get(p, ATTENTION_page), all = attention_pages_each(p) * get(p, ATTENTION_batch);
  set_open(p, ATTENTION_pages, MIN(all, INT32_MAX));
  p->values[ATTENTION_page_step].i = MIN(get(p, ATTENTION_page_step), page & -page);
  if (get(p, ATTENTION_v) == 0) return true;
  return ops_refuse(why, "v=column: the values of pages lie in rows; give v=row or cache=whole");
}

static bool settle_cache(ops_problem *p, ops_why *why) {
  if (attention_is_cached(p) && get(p, ATTENTION_total_k) >= 0)
    return ops_refuse(why, "total_k=%lld: a cache has no offsets; leave it out",
                      (long long)get(p, ATTENTION_total_k));
  if (attention_is_paged(p)) return settle_pages(p, why);
  if (get(p, ATTENTION_pages) < 0) return true;
  return ops_refuse(why, "pages=%lld goes with cache=paged; leave it out",
                    (long long)get(p, ATTENTION_pages));
}

double attention_scale(const ops_problem *p) {
  double scale = p->values[ATTENTION_scale].r;
  return scale != 0 ? scale : 1 / sqrt((double)get(p, ATTENTION_head));
}

uint32_t attention_threshold(const ops_problem *p) {
  return (uint32_t)fmin(ldexp(p->values[ATTENTION_dropout].r, 32), UINT32_MAX);
}

/* ---- tensors --------------------------------------------------------------------------------- */

static int64_t times(int64_t x, int64_t y) {
  int64_t product;
  return __builtin_mul_overflow(x, y, &product) || product > OPS_MAX_SIZE ? OPS_MAX_SIZE : product;
}

/* Strides of a packed tensor whose last dimensions are heads x tokens x elements. */
static void pack(ops_operand *o, bool by_token) {
  unsigned order[TSR_OP_MAX_RANK];
  int64_t run = 1;
  for (unsigned d = 0; d < o->rank; d++) order[d] = o->rank - 1 - d;
  if (by_token) order[1] = o->rank - 3, order[2] = o->rank - 2;
  for (unsigned d = 0; d < o->rank; d++) {
    o->strides[order[d]] = run;
    run = times(run, MAX(o->shape[order[d]], 1));
  }
}

/* [batch, heads, tokens, elements]; without batch where lengths are variable. */
static ops_operand *add_heads(const ops_problem *p, ops_operands *out, const char *name,
                              ops_type type, int64_t heads, int64_t tokens, tsr_op_use use) {
  ops_operand *o = ops_operand_add(out, name, type, use);
  if (!attention_is_variable(p)) ops_operand_dim(o, get(p, ATTENTION_batch), 0);
  ops_operand_dim(o, heads, 0);
  ops_operand_dim(o, tokens, 0);
  return o;
}

static void add_tokens(const ops_problem *p, ops_operands *out, const char *name, ops_type type,
                       bool is_query, int64_t elements, tsr_op_use use) {
  bool variable = attention_is_variable(p);
  int64_t fixed = get(p, is_query ? ATTENTION_seq : ATTENTION_keys);
  int64_t total = get(p, is_query ? ATTENTION_total_q : ATTENTION_total_k);
  ops_operand *o =
      add_heads(p, out, name, type, get(p, is_query ? ATTENTION_heads : ATTENTION_kv_heads),
                variable ? total : fixed, use);
  ops_operand_dim(o, elements, 0);
  pack(o, get(p, ATTENTION_layout) == 1);
}

/* Values whose keys are contiguous: [.., heads, elements, keys] in memory. */
static void turn_values(ops_operand *o) {
  int64_t *keys = &o->strides[o->rank - 2], *elements = &o->strides[o->rank - 1];
  int64_t heads = times(o->shape[o->rank - 1], MAX(o->shape[o->rank - 2], 1));
  *keys = 1;
  *elements = MAX(o->shape[o->rank - 2], 1);
  o->strides[o->rank - 3] = heads;
  if (o->rank == 4) o->strides[0] = times(heads, o->shape[1]);
}

/* Keys or values of a cache: a batch of sequences or pages. */
static void add_cached(const ops_problem *p, ops_operands *out, const char *name,
                       int64_t elements) {
  bool paged = attention_is_paged(p);
  tsr_op_use use = attention_appends(p) ? TSR_OP_UPDATED : TSR_OP_READ;
  ops_operand *o = ops_operand_add(out, name, attention_type_of(p, name), use);
  ops_operand_dim(o, get(p, paged ? ATTENTION_pages : ATTENTION_batch), 0);
  ops_operand_dim(o, get(p, ATTENTION_kv_heads), 0);
  ops_operand_dim(o, get(p, paged ? ATTENTION_page : ATTENTION_keys), 0);
  ops_operand_dim(o, elements, 0);
  pack(o, get(p, ATTENTION_layout) == 1);
}

static void add_keys(const ops_problem *p, ops_operands *out, const char *name, int64_t elements) {
  if (attention_is_cached(p))
    add_cached(p, out, name, elements);
  else
    add_tokens(p, out, name, attention_type_of(p, name), false, elements, TSR_OP_READ);
}

/* ---- scales ---------------------------------------------------------------------------------- */

/* Tokens that have scales of their own, in a sequence, in all of them, or in a page. */
static int64_t scale_tokens(const ops_problem *p, bool is_query) {
  bool cached = !is_query && attention_is_cached(p);
  if (cached) return get(p, attention_is_paged(p) ? ATTENTION_page : ATTENTION_keys);
  if (attention_is_variable(p)) return get(p, is_query ? ATTENTION_total_q : ATTENTION_total_k);
  return get(p, is_query ? ATTENTION_seq : ATTENTION_keys);
}

static void add_scale_dims(const ops_problem *p, ops_operand *o, attention_scaling kind) {
  bool is_query = strcmp(o->name, "scale_q") == 0, is_value = strcmp(o->name, "scale_v") == 0;
  bool cached = !is_query && attention_is_cached(p), block = kind == ATTENTION_SCALE_BLOCK;
  bool pages = cached && attention_is_paged(p) && kind != ATTENTION_SCALE_HEAD;
  int64_t tokens = scale_tokens(p, is_query), group = get(p, ATTENTION_group);
  if (kind == ATTENTION_SCALE_TENSOR) return;
  if (kind == ATTENTION_SCALE_HEAD || cached || !attention_is_variable(p))
    ops_operand_dim(o, get(p, pages ? ATTENTION_pages : ATTENTION_batch), 0);
  ops_operand_dim(o, get(p, is_query ? ATTENTION_heads : ATTENTION_kv_heads), 0);
  if (block)
    ops_operand_dim(
        o, ops_tiles_of(tokens, get(p, is_query ? ATTENTION_block_q : ATTENTION_block_k)), 0);
  if (kind != ATTENTION_SCALE_GROUP) return;
  ops_operand_dim(o, is_value ? ops_tiles_of(tokens, group) : tokens, 0);
  int64_t elements = get(p, is_value ? ATTENTION_head_v : ATTENTION_head);
  ops_operand_dim(o, is_value ? elements : ops_tiles_of(elements, group), 0);
}

static void add_scales(const ops_problem *p, ops_operands *out) {
  static const char *const names[] = {"scale_q", "scale_k", "scale_v"};
  for (unsigned i = 0; i < ARRAY_LEN(names); i++) {
    attention_scaling kind = attention_scaling_of(p, names[i]);
    if (kind == ATTENTION_SCALE_NONE) continue;
    ops_operand *o = ops_operand_add(out, names[i], get(p, ATTENTION_type_scale), TSR_OP_READ);
    add_scale_dims(p, o, kind);
    if (o->rank == 0) ops_operand_dim(o, 1, 1);
    pack(o, false);
    o->low = 0.25, o->high = 2;
  }
}

/* How many keys each sequence has, and where they are. */
static void add_lengths(const ops_problem *p, ops_operands *out) {
  if (!attention_is_cached(p)) return;
  ops_operand *o = ops_operand_add(out, "key_lengths", TSR_I32, TSR_OP_READ);
  ops_operand_dim(o, get(p, ATTENTION_batch), 1);
  int64_t most = get(p, ATTENTION_keys) - (attention_appends(p) ? get(p, ATTENTION_new) : 0);
  o->high = (double)MAX(most, 1);
  if (!attention_is_paged(p)) return;
  o = ops_operand_add(out, "table", TSR_I32, TSR_OP_READ);
  ops_operand_dim(o, get(p, ATTENTION_batch), attention_pages_each(p));
  ops_operand_dim(o, attention_pages_each(p), 1);
  o->is_order = true;
}

static void add_offsets(const ops_problem *p, ops_operands *out, const char *name, int64_t total) {
  ops_operand *o = ops_operand_add(out, name, TSR_I32, TSR_OP_READ);
  ops_operand_dim(o, get(p, ATTENTION_batch) + 1, 1);
  o->rises = true;
  o->high = (double)total;
}

/* What scores and sums get beside q, k and v. */
static void add_extras(const ops_problem *p, ops_operands *out) {
  int64_t heads = get(p, ATTENTION_heads);
  int64_t tokens = get(p, attention_is_variable(p) ? ATTENTION_total_q : ATTENTION_seq);
  if (get(p, ATTENTION_bias)) {
    ops_operand *o =
        add_heads(p, out, "bias", get(p, ATTENTION_type_bias), heads, tokens, TSR_OP_READ);
    ops_operand_dim(o, get(p, ATTENTION_keys), 0);
    pack(o, false);
  }
  if (get(p, ATTENTION_alibi)) {
    ops_operand *o = ops_operand_add(out, "slopes", TSR_F32, TSR_OP_READ);
    ops_operand_dim(o, get(p, ATTENTION_batch), 0);
    ops_operand_dim(o, heads, 1);
    o->low = 0.01, o->high = 0.5;
  }
  if (!get(p, ATTENTION_sinks)) return;
  ops_operand *o = ops_operand_add(out, "sinks", TSR_F32, TSR_OP_READ);
  ops_operand_dim(o, heads, 1);
}

/* A tensor of the epilogue: as o, or a number of each query, of each element of each head. */
static void add_stage(const ops_problem *p, const ops_stage *s, ops_operands *out) {
  int64_t elements = get(p, ATTENTION_head_v);
  if (s->span == OPS_SPAN_MN)
    add_tokens(p, out, s->operand, s->type, true, elements, TSR_OP_READ);
  else
    ops_operand_add(out, s->operand, s->type, TSR_OP_READ);
  ops_operand *o = &out->data[out->count - 1];
  if (s->kind == OPS_STAGE_QUANTISE) o->low = 0.01, o->high = 0.1;
  if (s->span == OPS_SPAN_N) {
    ops_operand_dim(o, get(p, ATTENTION_heads), elements);
    ops_operand_dim(o, elements, 1);
  }
  if (s->span == OPS_SPAN_M && attention_is_variable(p))
    ops_operand_dim(o, get(p, ATTENTION_total_q), 1);
  else if (s->span == OPS_SPAN_M) {
    ops_operand_dim(o, get(p, ATTENTION_batch), get(p, ATTENTION_seq));
    ops_operand_dim(o, get(p, ATTENTION_seq), 1);
  }
}

static void add_rows(const ops_problem *p, ops_operands *out, const char *name, tsr_op_use use) {
  int64_t tokens = get(p, attention_is_variable(p) ? ATTENTION_total_q : ATTENTION_seq);
  pack(add_heads(p, out, name, TSR_F32, get(p, ATTENTION_heads), tokens, use), false);
}

static void add_results(const ops_problem *p, ops_operands *out) {
  const ops_epilogue *e = attention_epilogue(p);
  tsr_op_use use = attention_is_variable(p) ? TSR_OP_UPDATED : TSR_OP_WRITTEN;
  for (unsigned i = 0; i < e->count; i++)
    if (e->stages[i].operand) add_stage(p, &e->stages[i], out);
  add_tokens(p, out, "o", get(p, ATTENTION_type_o), true, get(p, ATTENTION_head_v), use);
  if (get(p, ATTENTION_lse)) add_rows(p, out, "lse", use);
  if (e->by_row) add_rows(p, out, OPS_ROW_SCALE, use);
}

static void packed_operands(const ops_problem *p, ops_operands *out) {
  ops_type type = get(p, ATTENTION_type);
  add_tokens(p, out, "q", type, true, get(p, ATTENTION_head), TSR_OP_READ);
  add_keys(p, out, "k", get(p, ATTENTION_head));
  add_keys(p, out, "v", get(p, ATTENTION_head_v));
  if (get(p, ATTENTION_v) == 1) turn_values(&out->data[out->count - 1]);
  bool variable = attention_is_variable(p);
  if (variable) add_offsets(p, out, "offsets_q", get(p, ATTENTION_total_q));
  if (variable && !attention_is_cached(p))
    add_offsets(p, out, "offsets_k", get(p, ATTENTION_total_k));
  add_lengths(p, out);
  add_scales(p, out);
  add_extras(p, out);
  add_results(p, out);
}

/* Numbers of tokens and pages, which lie without gaps. */
static bool is_index(const ops_operand *o) {
  return o->rises || strcmp(o->name, "key_lengths") == 0 || strcmp(o->name, "table") == 0;
}

/* Whether its first dimension are sequences or pages. */
static bool is_key(const ops_operand *o) {
  const char *name = attention_is_scale(o) ? o->name + strlen("scale_") : o->name;
  return strcmp(name, "k") == 0 || strcmp(name, "v") == 0;
}

static bool has_batch(const ops_problem *p, const ops_operand *o) {
  if (attention_is_scale(o) && attention_scaling_of(p, o->name) == ATTENTION_SCALE_HEAD)
    return true;
  return !attention_is_variable(p) || (is_key(o) && attention_is_cached(p));
}

static bool is_slopes(const ops_operand *o) {
  return strcmp(o->name, "slopes") == 0;
}

/* The dimension whose stride is known to be 1; the rank when there is none. */
static unsigned unit_dim(const ops_problem *p, const ops_operand *o) {
  if (is_slopes(o)) return o->rank;
  if (attention_is_scale(o) && attention_scaling_of(p, o->name) != ATTENTION_SCALE_GROUP)
    return o->rank;
  bool turned = strcmp(o->name, "v") == 0 && get(p, ATTENTION_v) == 1;
  return o->rank - 1 - turned;
}

static ops_operand *find_operand(ops_operands *list, str name) {
  for (unsigned i = 0; i < list->count; i++)
    if (str_is(name, list->data[i].name) && !is_index(&list->data[i])) return &list->data[i];
  return NULL;
}

static bool set_strides(const ops_problem *p, ops_operands *list, const ops_strides *given,
                        ops_why *why) {
  ops_operand *o = find_operand(list, given->name);
  if (!o)
    return ops_refuse(why, "strides=" STR_FMT ": name a tensor, as in q:8192x64x512x1",
                      (int)MIN(given->text.len, (size_t)64), given->text.data);
  if (!ops_check_strides(given, o->name, o->rank, why)) return false;
  memcpy(o->strides, given->values, o->rank * sizeof *o->strides);
  unsigned unit = unit_dim(p, o);
  if (unit == o->rank || o->strides[unit] == 1 || o->shape[unit] <= 1) return true;
  return ops_refuse(why, "strides=" STR_FMT ": dimension %u of %s must have the stride 1",
                    (int)MIN(given->text.len, (size_t)64), given->text.data, unit, o->name);
}

/* Whether strides differ at most in dimensions that are never stepped over. */
static bool lie_alike(const ops_operands *a, const ops_operands *b) {
  for (unsigned i = 0; i < a->count; i++)
    for (unsigned d = 0; d < a->data[i].rank; d++)
      if (a->data[i].shape[d] > 1 && a->data[i].strides[d] != b->data[i].strides[d]) return false;
  return true;
}

static bool settle_operands(ops_problem *p, ops_operands *list, ops_why *why) {
  ops_operands packed;
  ops_strides given;
  packed_operands(p, list);
  packed = *list;
  for (str rest = ops_strides_begin(p->values[ATTENTION_strides].text);
       ops_strides_next(&rest, &given);)
    if (!set_strides(p, list, &given, why)) return false;
  /* So that the same problem has the same text, however it was written. */
  if (lie_alike(list, &packed)) p->values[ATTENTION_strides].text = "packed";
  return true;
}

static bool settle(ops_problem *p, ops_why *why) {
  attention_parts *parts = arena_new(p->arena, attention_parts);
  p->parts = parts;
  set_open(p, ATTENTION_head_v, get(p, ATTENTION_head));
  if (!settle_epilogue(p, &parts->epilogue, why) || !settle_types(p, why) ||
      !settle_numbers(p, why) || !settle_heads(p, why) || !settle_mask(p, why) ||
      !settle_lengths(p, why) || !settle_cache(p, why) || !attention_settle_scales(p, why))
    return false;
  raise_flag(p, ATTENTION_capped, p->values[ATTENTION_cap].r != 0);
  raise_flag(p, ATTENTION_drops, p->values[ATTENTION_dropout].r != 0);
  raise_flag(p, ATTENTION_scaled,
             p->values[ATTENTION_scale_o].r != 1 || get(p, ATTENTION_drops) == 1);
  return settle_operands(p, &parts->operands, why) && attention_settle_append(p, why);
}

static void operands(const ops_problem *p, ops_operands *out) {
  *out = *attention_operands(p);
  attention_append_operands(p, out);
}

/* ---- launches -------------------------------------------------------------------------------- */

int64_t attention_heads_packed(const ops_problem *p) {
  return get(p, ATTENTION_pack) == 1 ? get(p, ATTENTION_heads) / get(p, ATTENTION_kv_heads) : 1;
}

bool attention_has_queries(const ops_operand *o) {
  if (attention_is_scale(o)) return strcmp(o->name, "scale_q") == 0 && o->rank == 4;
  return strcmp(o->name, "k") != 0 && strcmp(o->name, "v") != 0 && o->rank >= 3;
}

/* The strides of a tensor as kernels take it: where several heads make one, their queries follow
 * each other. */
static void strides_of(const ops_problem *p, const ops_operand *o, int64_t *out) {
  int64_t packed = attention_heads_packed(p);
  memcpy(out, o->strides, sizeof o->strides);
  if (packed == 1 || !attention_has_queries(o)) return;
  if (get(p, ATTENTION_seq) == 1) out[2] = out[1];
  out[1] *= packed;
}

/* A letter for each dimension of a tensor. */
static const char *letters_of(const ops_problem *p, const ops_operand *o) {
  const ops_stage *s = attention_stage(p, o);
  if (s && s->span == OPS_SPAN_N) return "he";
  if (s && s->span == OPS_SPAN_M) return "bt";
  return has_batch(p, o) || is_slopes(o) ? "bhte" : "hte";
}

/* Queries that were turned wait in the workspace. */
static const ops_operand *pass_data(const ops_problem *p, ops_steps *steps, ops_step *s,
                                    const ops_operand *o) {
  const ops_operand *turned = strcmp(o->name, "q") == 0 ? attention_turned(p) : NULL;
  if (turned)
    ops_pass_workspace(steps, s, "q", ops_type_elem(o->type), ops_operand_span(turned));
  else
    ops_pass_tensor(steps, s, o->name);
  return turned ? turned : o;
}

/* The strides of a tensor that are not known to be 1, as q_b, q_h, q_t, q_e. */
static void pass_with_strides(const ops_problem *p, ops_steps *steps, ops_step *s,
                              const ops_operand *given) {
  const char *letters = letters_of(p, given);
  int64_t strides[TSR_OP_MAX_RANK];
  const ops_operand *o = pass_data(p, steps, s, given);
  if (o->rank <= 1) return;
  strides_of(p, o, strides);
  for (unsigned d = 0; d < o->rank; d++)
    if (d != unit_dim(p, given))
      ops_pass_index(steps, s, arena_printf(p->arena, "%s_%c", given->name, letters[d]),
                     strides[d]);
}

/* What the kernel takes that writes the results. */
static bool is_of_results(const ops_problem *p, const ops_operand *o) {
  return (o->use != TSR_OP_READ && !is_key(o)) || attention_stage(p, o);
}

static void pass_pages(const ops_problem *p, ops_steps *steps, ops_step *s) {
  int64_t pages = get(p, ATTENTION_pages);
  ops_pass_pages(steps, s, get(p, ATTENTION_page), pages, attention_pages_each(p));
  ops_pass_page_rows(steps, s, "k", pages);
  ops_pass_page_rows(steps, s, "v", pages);
}

/* What both kernels get. */
static void pass_common(const ops_problem *p, ops_steps *steps, ops_step *s) {
  const ops_operands *list = attention_operands(p);
  for (unsigned i = 0; i < list->count; i++)
    if (is_index(&list->data[i]) && list->data[i].rank == 1)
      ops_pass_tensor(steps, s, list->data[i].name);
  int64_t packed = attention_heads_packed(p);
  ops_pass_index(steps, s, "heads", get(p, ATTENTION_heads) / packed);
  ops_pass_word(s, "seq", get(p, ATTENTION_seq) * packed);
  ops_pass_word(s, "keys", get(p, ATTENTION_keys));
  if (attention_appends(p)) ops_pass_word(s, "new", get(p, ATTENTION_new));
  if (!attention_is_variable(p)) return;
  ops_pass_word(s, "total_q", get(p, ATTENTION_total_q));
  if (!attention_is_cached(p)) ops_pass_word(s, "total_k", get(p, ATTENTION_total_k));
}

static void pass_results(const ops_problem *p, ops_steps *steps, ops_step *s) {
  const ops_operands *list = attention_operands(p);
  for (unsigned i = 0; i < list->count; i++)
    if (is_of_results(p, &list->data[i])) pass_with_strides(p, steps, s, &list->data[i]);
  if (get(p, ATTENTION_scaled))
    ops_pass_real(s, "factor", TSR_F32,
                  p->values[ATTENTION_scale_o].r / (1 - p->values[ATTENTION_dropout].r));
}

static void pass_dropout(const ops_problem *p, ops_step *s) {
  if (!get(p, ATTENTION_drops)) return;
  ops_pass_word(s, "threshold", attention_threshold(p));
  ops_pass_word(s, "seed_low", get(p, ATTENTION_seed) & UINT32_MAX);
  ops_pass_word(s, "seed_high", get(p, ATTENTION_seed) >> 32);
  ops_pass_word(s, "offset_low", get(p, ATTENTION_offset) & UINT32_MAX);
  ops_pass_word(s, "offset_high", get(p, ATTENTION_offset) >> 32);
}

/* Scores are logarithms to the base 2: what multiplies products of queries and keys, what
 * multiplies the hyperbolic tangent. */
static void pass_scales(const ops_problem *p, ops_step *s) {
  double cap = p->values[ATTENTION_cap].r, scale = attention_scale(p);
  bool capped = get(p, ATTENTION_capped) == 1;
  ops_pass_real(s, "scale", TSR_F32, capped ? scale / cap : scale * M_LOG2E);
  if (capped) ops_pass_real(s, "cap", TSR_F32, cap * M_LOG2E);
}

void attention_pass_scores(const ops_problem *p, ops_step *s) {
  enum { FAR = (1 << 29) };
  int64_t left = get(p, ATTENTION_left), right = get(p, ATTENTION_right);
  pass_scales(p, s);
  if (get(p, ATTENTION_has_left)) ops_pass_word(s, "left", left < 0 ? FAR : left);
  if (get(p, ATTENTION_has_right)) ops_pass_word(s, "right", right < 0 ? FAR : right);
  if (get(p, ATTENTION_has_sink_keys)) ops_pass_word(s, "sink_keys", get(p, ATTENTION_sink_keys));
  pass_dropout(p, s);
}

static void pass_inputs(const ops_problem *p, ops_steps *steps, ops_step *s) {
  const ops_operands *list = attention_operands(p);
  for (unsigned i = 0; i < list->count; i++)
    if (!is_of_results(p, &list->data[i]) && !is_index(&list->data[i]))
      pass_with_strides(p, steps, s, &list->data[i]);
  int64_t group = get(p, ATTENTION_heads) / get(p, ATTENTION_kv_heads);
  ops_pass_word(s, "group", group / attention_heads_packed(p));
  if (get(p, ATTENTION_pack)) ops_pass_word(s, "queries", get(p, ATTENTION_seq));
  ops_pass_index(steps, s, "kv_heads", get(p, ATTENTION_kv_heads));
  if (get(p, ATTENTION_scale_q) == ATTENTION_SCALE_BLOCK)
    ops_pass_word(s, "block_q", get(p, ATTENTION_block_q));
  if (get(p, ATTENTION_scale_k) == ATTENTION_SCALE_BLOCK ||
      get(p, ATTENTION_scale_v) == ATTENTION_SCALE_BLOCK)
    ops_pass_word(s, "block_k", get(p, ATTENTION_block_k));
  if (attention_is_paged(p)) pass_pages(p, steps, s);
  attention_pass_scores(p, s);
}

static void pass_partial(const ops_problem *p, ops_steps *steps, ops_step *s) {
  int64_t rows = get(p, ATTENTION_batch) * get(p, ATTENTION_split) * get(p, ATTENTION_heads) *
                 get(p, ATTENTION_seq);
  ops_pass_workspace(steps, s, "partial", TSR_F32, rows * get(p, ATTENTION_head_v));
  ops_pass_workspace(steps, s, "partial_lse", TSR_F32, rows);
}

static void steps(const ops_problem *p, ops_steps *out) {
  int64_t packed = attention_heads_packed(p), tile = get(p, ATTENTION_tile_m);
  int64_t seq = get(p, ATTENTION_seq) * packed, batch = get(p, ATTENTION_batch);
  int64_t heads = get(p, ATTENTION_heads) / packed;
  int64_t tiles = (seq + tile - 1) / tile, split = get(p, ATTENTION_split);
  attention_append_steps(p, out);
  if (seq == 0 || heads == 0 || batch == 0) return;
  ops_step *s = ops_step_add(out, "main", tiles, heads, batch * split);
  pass_common(p, out, s);
  pass_inputs(p, out, s);
  if (split == 1) {
    pass_results(p, out, s);
    return;
  }
  pass_partial(p, out, s);
  s = ops_step_add(out, "combine", tiles, heads, batch);
  pass_common(p, out, s);
  pass_partial(p, out, s);
  pass_results(p, out, s);
}

static double flops(const ops_problem *p) {
  double pairs = (double)get(p, ATTENTION_batch) * (double)get(p, ATTENTION_heads) *
                 (double)get(p, ATTENTION_seq) * (double)get(p, ATTENTION_keys);
  if (get(p, ATTENTION_causal)) pairs /= 2;
  return 2 * pairs * (double)(get(p, ATTENTION_head) + get(p, ATTENTION_head_v));
}

const ops_family ops_family_attention = {
    .name = "attention",
    .about = "softmax(q k^T) v for each head, with masks, bias, dropout and split keys",
    .params = params,
    .n_params = ARRAY_LEN(params),
    .index = ATTENTION_index,
    .settle = settle,
    .operands = operands,
    .supported = attention_supported,
    .candidates = attention_candidates,
    .cost = attention_cost,
    .steps = steps,
    .build = attention_build,
    .reference = attention_reference,
    .flops = flops,
    .tolerance = attention_tolerance,
};
