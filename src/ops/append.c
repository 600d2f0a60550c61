/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * append: key and value t of `new` tokens become number key_lengths[b] + t of sequence b's cache.
 * New keys, and queries, are turned by their places on the way (rotary.h). Caches are those of
 * attention: the keys of each sequence, or pages. What would lie behind the last key of a cache, or
 * in a page that there is not, is left out. Nothing changes key_lengths.
 */
#include "ops/append.h"

#include <math.h>

#include "ops/families.h"
#include "ops/pages.h"
#include "ops/rotary.h"

#define APPEND_PARAMS(P)                                                                           \
  P(type, TYPE, FORM, 0, 0, NULL, "f32", "what keys, values and queries hold")                     \
  P(head, INTEGER, FORM, 1, 512, NULL, "64", "elements of a key")                                  \
  P(head_v, INTEGER, FORM, 1, 512, "same", "same", "elements of a value")                          \
  P(cache, CHOSEN, FORM, 0, 0, "whole paged", "whole",                                             \
    "whole: `keys` of each sequence; paged: they lie in pages, and `table` says in which ones")    \
  P(queries, CHOSEN, FORM, 0, 0, "no yes", "no", "queries are turned, too: q to turned")           \
  APPEND_ROTARY_PARAMS(P)                                                                          \
  P(batch, INTEGER, SIZE, 0, 1 << 30, NULL, "1", "how many sequences")                             \
  P(heads, INTEGER, SIZE, 0, 1 << 20, NULL, "8", "heads of q")                                     \
  P(kv_heads, INTEGER, SIZE, 0, 1 << 20, NULL, "8", "heads of keys and values")                    \
  P(seq, INTEGER, SIZE, 0, 1 << 29, NULL, "1", "queries of a sequence")                            \
  P(new, INTEGER, SIZE, 0, 1 << 29, NULL, "1", "new keys of a sequence")                           \
  P(keys, INTEGER, SIZE, 0, 1 << 29, NULL, "512", "keys that a sequence can have")                 \
  P(page, INTEGER, SIZE, 1, 1 << 29, NULL, "128", "paged: keys of a page")                         \
  P(pages, INTEGER, SIZE, 0, INT32_MAX, "packed", "packed", "paged: pages of all sequences")       \
  P(layout, CHOSEN, SIZE, 0, 0, "bhsd bshd", "bhsd",                                               \
    "how all tensors lie: a head after the other, or a token after the other")                     \
  P(strides, TEXT, SIZE, 0, 0, NULL, "packed",                                                     \
    "of tensors that do not lie packed: k:8192x64x512x1")                                          \
  P(tile, INTEGER, CHOICE, 1, 256, "auto", "auto", "tokens of a tile, a power of two")             \
  OPS_COMMON_PARAMS(P)

enum {
#define OPS_PARAM_ID(id, ...) APPEND_##id,
  APPEND_PARAMS(OPS_PARAM_ID)
#undef OPS_PARAM_ID
};

static const ops_param params[] = {APPEND_PARAMS(OPS_PARAM_ROW)};

static int64_t get(const ops_problem *p, unsigned param) {
  return p->values[param].i;
}

static bool is_paged(const ops_problem *p) {
  return get(p, APPEND_cache) == 1;
}

static bool has_queries(const ops_problem *p) {
  return get(p, APPEND_queries) == 1;
}

static int64_t pages_each(const ops_problem *p) {
  return ops_tiles_of(get(p, APPEND_keys), get(p, APPEND_page));
}

/* ---- types and sizes ------------------------------------------------------------------------- */

static void set_open(ops_problem *p, unsigned param, int64_t value) {
  if (get(p, param) < 0) p->values[param].i = value;
}

static bool check_type(const ops_problem *p, unsigned param, ops_why *why) {
  ops_type t = get(p, param);
  if (ops_type_is_float(t) && ops_type_bits(t) >= 8 && ops_type_bits(t) <= 32 &&
      ops_type_elem(t) != TSR_F8E8M0FNU)
    return true;
  return ops_refuse(why, "%s=%s: append takes floats of 8 to 32 bits", params[param].name,
                    ops_type_name(t));
}

static bool check_rotary(const ops_problem *p, ops_why *why) {
  int64_t size = get(p, APPEND_rotary), head = get(p, APPEND_head);
  if (size % 2 || size > head)
    return ops_refuse(why, "rotary=%lld: give an even number of at most head=%lld", (long long)size,
                      (long long)head);
  if (size || !has_queries(p)) return true;
  return ops_refuse(why, "queries=yes, but rotary=0 turns nothing; give the elements to turn");
}

static bool settle_pages(ops_problem *p, ops_why *why) {
  int64_t all = MIN(pages_each(p) * get(p, APPEND_batch), INT32_MAX);
  if (is_paged(p)) {
    set_open(p, APPEND_pages, all);
    return true;
  }
  if (get(p, APPEND_pages) < 0) return true;
  return ops_refuse(why, "pages=%lld goes with cache=paged; leave it out",
                    (long long)get(p, APPEND_pages));
}

/* ---- tensors --------------------------------------------------------------------------------- */

static int64_t times(int64_t x, int64_t y) {
  int64_t product;
  return __builtin_mul_overflow(x, y, &product) || product > OPS_MAX_SIZE ? OPS_MAX_SIZE : product;
}

static void add_tokens(const ops_problem *p, ops_operands *out, const char *name, tsr_op_use use,
                       const int64_t shape[4]) {
  ops_operand *o = ops_operand_add(out, name, get(p, APPEND_type), use);
  bool by_token = get(p, APPEND_layout) == 1;
  int64_t heads = MAX(shape[1], 1), tokens = MAX(shape[2], 1), elements = shape[3];
  ops_operand_dim(o, shape[0], times(times(heads, tokens), elements));
  ops_operand_dim(o, shape[1], by_token ? elements : times(tokens, elements));
  ops_operand_dim(o, shape[2], by_token ? times(heads, elements) : elements);
  ops_operand_dim(o, shape[3], 1);
}

static void add_new(const ops_problem *p, ops_operands *out, const char *name, unsigned elements) {
  add_tokens(p, out, name, TSR_OP_READ,
             (int64_t[]){get(p, APPEND_batch), get(p, APPEND_kv_heads), get(p, APPEND_new),
                         get(p, elements)});
}

static void add_cache(const ops_problem *p, ops_operands *out, const char *name,
                      unsigned elements) {
  bool paged = is_paged(p);
  add_tokens(p, out, name, TSR_OP_UPDATED,
             (int64_t[]){get(p, paged ? APPEND_pages : APPEND_batch), get(p, APPEND_kv_heads),
                         get(p, paged ? APPEND_page : APPEND_keys), get(p, elements)});
}

static void add_queries(const ops_problem *p, ops_operands *out, const char *name, tsr_op_use use) {
  add_tokens(p, out, name, use,
             (int64_t[]){get(p, APPEND_batch), get(p, APPEND_heads), get(p, APPEND_seq),
                         get(p, APPEND_head)});
}

static void add_angles(const ops_problem *p, ops_operands *out, const char *name) {
  ops_operand *o = ops_operand_add(out, name, get(p, APPEND_type_angle), TSR_OP_READ);
  ops_operand_dim(o, get(p, APPEND_angles), get(p, APPEND_rotary) / 2);
  ops_operand_dim(o, get(p, APPEND_rotary) / 2, 1);
}

static void add_lengths(const ops_problem *p, ops_operands *out) {
  ops_operand *o = ops_operand_add(out, "key_lengths", TSR_I32, TSR_OP_READ);
  ops_operand_dim(o, get(p, APPEND_batch), 1);
  o->high = (double)MAX(get(p, APPEND_keys) - get(p, APPEND_new), 1);
  if (!is_paged(p)) return;
  o = ops_operand_add(out, "table", TSR_I32, TSR_OP_READ);
  ops_operand_dim(o, get(p, APPEND_batch), pages_each(p));
  ops_operand_dim(o, pages_each(p), 1);
  o->is_order = true;
}

static void packed_operands(const ops_problem *p, ops_operands *out) {
  add_new(p, out, "new_k", APPEND_head);
  add_new(p, out, "new_v", APPEND_head_v);
  if (has_queries(p)) add_queries(p, out, "q", TSR_OP_READ);
  if (get(p, APPEND_rotary)) {
    add_angles(p, out, "cos");
    add_angles(p, out, "sin");
  }
  add_lengths(p, out);
  add_cache(p, out, "k", APPEND_head);
  add_cache(p, out, "v", APPEND_head_v);
  if (has_queries(p)) add_queries(p, out, "turned", TSR_OP_WRITTEN);
}

static bool set_strides(ops_operands *list, const ops_strides *given, ops_why *why) {
  int length = (int)MIN(given->text.len, (size_t)64);
  for (unsigned i = 0; i < list->count; i++) {
    ops_operand *o = &list->data[i];
    if (o->rank != 4 || !str_is(given->name, o->name)) continue;
    if (!ops_check_strides(given, o->name, o->rank, why)) return false;
    memcpy(o->strides, given->values, o->rank * sizeof *o->strides);
    if (o->strides[3] == 1 || o->shape[3] == 1) return true;
    return ops_refuse(why, "strides=" STR_FMT ": dimension 3 of %s must have the stride 1", length,
                      given->text.data, o->name);
  }
  return ops_refuse(why, "strides=" STR_FMT ": name a tensor of tokens, as in k:8192x64x512x1",
                    length, given->text.data);
}

static bool settle(ops_problem *p, ops_why *why) {
  ops_operands *list = arena_new(p->arena, ops_operands);
  ops_strides given;
  p->parts = list;
  set_open(p, APPEND_head_v, get(p, APPEND_head));
  set_open(p, APPEND_type_angle, get(p, APPEND_type));
  set_open(p, APPEND_angles, MAX(get(p, APPEND_keys), 1));
  if (!check_type(p, APPEND_type, why) || !check_type(p, APPEND_type_angle, why) ||
      !check_rotary(p, why) || !settle_pages(p, why))
    return false;
  packed_operands(p, list);
  for (str rest = ops_strides_begin(p->values[APPEND_strides].text);
       ops_strides_next(&rest, &given);)
    if (!set_strides(list, &given, why)) return false;
  return true;
}

static void operands(const ops_problem *p, ops_operands *out) {
  *out = *(const ops_operands *)p->parts;
}

/* ---- choices --------------------------------------------------------------------------------- */

static bool check_pages(const ops_problem *p, ops_why *why) {
  static const char *const names[] = {"k", "v"};
  for (unsigned i = 0; is_paged(p) && i < 2; i++) {
    const ops_operand *o = ops_operand_find(p->parts, names[i]);
    if (!ops_has_page_rows(o, get(p, APPEND_pages)))
      return ops_refuse(why,
                        "pages of %s (%lld apart) do not make at most 2^31 - 1 rows (%lld apart); "
                        "give strides of which that of pages is a multiple of that of keys",
                        names[i], (long long)o->strides[0], (long long)o->strides[2]);
  }
  return true;
}

static bool supported(const ops_problem *p, const ops_target *t, ops_why *why) {
  (void)t;
  int64_t tokens = MAX(get(p, APPEND_new), get(p, APPEND_seq));
  int64_t heads = MAX(get(p, APPEND_heads), get(p, APPEND_kv_heads));
  double blocks = (double)tokens * (double)heads * (double)get(p, APPEND_batch);
  if (!ops_check_power(p, APPEND_tile, why) || !check_pages(p, why)) return false;
  if (blocks <= 0x1p40) return true;
  return ops_refuse(why, "batch=%lld, %lld heads and %lld tokens are more than 2^40 together",
                    (long long)get(p, APPEND_batch), (long long)heads, (long long)tokens);
}

static void candidates(const ops_target *t, ops_candidates *out) {
  (void)t;
  for (int64_t tile = 1; tile <= 64; tile *= 4) ops_candidates_add(out, &tile);
}

static double tokens_of(const ops_problem *p) {
  double queries = has_queries(p) ? (double)get(p, APPEND_heads) * (double)get(p, APPEND_seq) : 0;
  double keys = (double)get(p, APPEND_kv_heads) * (double)get(p, APPEND_new);
  return (double)get(p, APPEND_batch) * (keys + queries);
}

static double cost(const ops_problem *p, const ops_target *t) {
  double tile = (double)get(p, APPEND_tile), bytes = ops_type_bytes(get(p, APPEND_type));
  double blocks = ceil(tokens_of(p) / tile), turns = ceil(blocks / t->cores);
  bytes *= 4 * (double)get(p, APPEND_head);
  return 0.004 + turns * (0.0005 + tile * bytes * t->cores / (t->gbytes * 1e6));
}

/* What is touched: the rest of a cache stays where it is. */
static double bytes_of(const ops_problem *p, const ops_operands *list) {
  double bytes = 0;
  for (unsigned i = 0; i < list->count; i++)
    if (list->data[i].use != TSR_OP_UPDATED)
      bytes += (double)ops_operand_elements(&list->data[i]) * ops_type_bytes(list->data[i].type);
  double keys =
      (double)get(p, APPEND_batch) * (double)get(p, APPEND_kv_heads) * (double)get(p, APPEND_new);
  return bytes + keys * (double)(get(p, APPEND_head) + get(p, APPEND_head_v)) *
                     ops_type_bytes(get(p, APPEND_type));
}

/* ---- launches -------------------------------------------------------------------------------- */

static void pass_tokens(const ops_problem *p, ops_steps *out, ops_step *s, const char *name) {
  static const char dims[] = "bht";
  const ops_operand *o = ops_operand_find(p->parts, name);
  ops_pass_tensor(out, s, name);
  for (unsigned d = 0; d < 3; d++)
    ops_pass_index(out, s, arena_printf(p->arena, "%s_%c", name, dims[d]), o->strides[d]);
}

static void pass_places(const ops_problem *p, ops_steps *out, ops_step *s, unsigned tokens) {
  ops_pass_tensor(out, s, "key_lengths");
  ops_pass_word(s, "keys", get(p, APPEND_keys));
  ops_pass_word(s, "tokens", get(p, tokens));
  if (!get(p, APPEND_rotary)) return;
  ops_pass_tensor(out, s, "cos");
  ops_pass_tensor(out, s, "sin");
  ops_pass_word(s, "angles", get(p, APPEND_angles));
}

static void add_step(const ops_problem *p, ops_steps *out, const char *kernel, unsigned tokens,
                     unsigned heads, const char *from, const char *to) {
  int64_t tiles = ops_tiles_of(get(p, tokens), get(p, APPEND_tile));
  if (!tiles || !get(p, heads) || !get(p, APPEND_batch)) return;
  ops_step *s = ops_step_add(out, kernel, tiles, get(p, heads), get(p, APPEND_batch));
  pass_places(p, out, s, tokens);
  pass_tokens(p, out, s, from);
  pass_tokens(p, out, s, to);
  if (tokens == APPEND_seq || !is_paged(p)) return;
  ops_pass_pages(out, s, get(p, APPEND_page), get(p, APPEND_pages), pages_each(p));
  ops_pass_page_rows(out, s, to, get(p, APPEND_pages));
}

static void steps(const ops_problem *p, ops_steps *out) {
  add_step(p, out, "keys", APPEND_new, APPEND_kv_heads, "new_k", "k");
  add_step(p, out, "values", APPEND_new, APPEND_kv_heads, "new_v", "v");
  if (has_queries(p)) add_step(p, out, "queries", APPEND_seq, APPEND_heads, "q", "turned");
}

/* ---- the kernel ------------------------------------------------------------------------------ */

/* A tile of tokens of a head, on its way from one tensor to another. */
typedef struct append_kernel {
  ops_build *b;
  const char *from, *to;
  int64_t rows;
  tsr_value length; /* keys of the sequence so far */
  tsr_value tokens; /* their numbers among the new ones, rows */
  tsr_value places; /* by which they are turned */
  tsr_value lines;  /* where each goes in `to` */
  tsr_value base, size;
} append_kernel;

static tsr_value row_numbers(append_kernel *a, tsr_value first) {
  ops_build *b = a->b;
  tsr_value count = tsr_build_iota(b->b, ops_tile(b, TSR_I32, TSR_INTS(a->rows)));
  return tsr_build_addi(b->b, count, ops_spread(b, first, TSR_INTS(a->rows)));
}

static tsr_value least(append_kernel *a, tsr_value x, tsr_value y) {
  return tsr_build_mini(a->b->b, x, y, TSR_SIGNED);
}

/* Rows that are no new tokens go nowhere. */
static tsr_value only_tokens(append_kernel *a, tsr_value lines) {
  ops_build *b = a->b;
  tsr_value all = ops_spread(b, ops_arg(b, "tokens"), TSR_INTS(a->rows));
  tsr_value is_one = tsr_build_cmpi(b->b, a->tokens, all, TSR_CMP_LESS_THAN, TSR_SIGNED);
  return tsr_build_select(b->b, is_one, lines, ops_full_like(b, lines, -1));
}

static tsr_value base_of(append_kernel *a, const char *name, bool has_batch) {
  ops_build *b = a->b;
  tsr_value base = ops_arg(b, name);
  if (has_batch) base = ops_advance(b, base, b->block[2], ops_arg_of(b, name, "b"));
  return ops_advance(b, base, b->block[1], ops_arg_of(b, name, "h"));
}

/* Where keys and values go; the address and the size of the rows that `lines` count. */
static void find_lines(append_kernel *a, bool is_query) {
  ops_build *b = a->b;
  bool paged = is_paged(b->p) && !is_query;
  tsr_value keys = row_numbers(
      a, tsr_build_addi(b->b, a->length, tsr_build_muli(b->b, b->block[0], ops_i32(b, a->rows))));
  a->lines = is_query ? a->tokens : keys;
  a->size = ops_to_index(b, ops_arg(b, is_query ? "tokens" : "keys"));
  if (paged) {
    ops_page_places at = ops_find_pages(b, b->block[2], keys, ops_arg(b, "keys"));
    a->lines = ops_page_rows(b, &at, a->to);
    a->size = ops_arg_of(b, a->to, "rows");
  }
  a->lines = only_tokens(a, a->lines);
  a->base = base_of(a, a->to, !paged);
  a->places = keys;
  if (is_query && get(b->p, APPEND_places) == 1)
    a->places = ops_spread(b, a->length, TSR_INTS(a->rows));
}

static append_kernel begin(ops_build *b) {
  bool is_query = strcmp(b->step->kernel, "queries") == 0;
  bool is_value = strcmp(b->step->kernel, "values") == 0;
  append_kernel a = {.b = b,
                     .from = is_query   ? "q"
                             : is_value ? "new_v"
                                        : "new_k",
                     .to = is_query   ? "turned"
                           : is_value ? "v"
                                      : "k",
                     .rows = get(b->p, APPEND_tile)};
  tsr_value length = ops_load_element(b, ops_arg(b, "key_lengths"), b->block[2]);
  length = tsr_build_maxi(b->b, length, ops_i32(b, 0), TSR_SIGNED);
  a.length = least(&a, length, ops_arg(b, "keys"));
  a.tokens = row_numbers(&a, tsr_build_muli(b->b, b->block[0], ops_i32(b, a.rows)));
  find_lines(&a, is_query);
  return a;
}

static ops_tiles elements(append_kernel *a, const char *name, tsr_value base, tsr_value size,
                          rotary_half half, bool is_gathered) {
  ops_build *b = a->b;
  if (half.first) base = ops_advance(b, base, ops_i32(b, half.first), ops_i32(b, 1));
  return ops_view(b, &(ops_view_spec){.base = base,
                                      .elem = ops_type_elem(get(b->p, APPEND_type)),
                                      .rank = 2,
                                      .sizes = {size},
                                      .strides = {ops_arg_of(b, name, "t"),
                                                  half.step == 1 ? NULL : ops_index(b, half.step)},
                                      .known = {0, half.count},
                                      .tile = {a->rows, rotary_power(half.count)},
                                      .padding = TSR_PADDING_ZERO,
                                      .is_gathered = is_gathered});
}

static tsr_value load(append_kernel *a, rotary_half half) {
  ops_build *b = a->b;
  tsr_value size = ops_to_index(b, ops_arg(b, "tokens"));
  ops_tiles t = elements(a, a->from, base_of(a, a->from, true), size, half, false);
  return ops_load(b, &t, TSR_VALUES(b->block[0], ops_i32(b, 0)));
}

static void store(append_kernel *a, rotary_half half, tsr_value v) {
  ops_tiles t = elements(a, a->to, a->base, a->size, half, true);
  ops_store(a->b, v, &t, TSR_VALUES(a->lines, ops_i32(a->b, 0)));
}

static tsr_value load_angles(append_kernel *a, const char *name, int64_t count) {
  ops_build *b = a->b;
  ops_type type = get(b->p, APPEND_type_angle);
  tsr_value rows = ops_arg(b, "angles"), last = tsr_build_subi(b->b, rows, ops_i32(b, 1));
  ops_tiles t = ops_view(b, &(ops_view_spec){.base = ops_arg(b, name),
                                             .elem = ops_type_elem(type),
                                             .rank = 2,
                                             .sizes = {ops_to_index(b, rows)},
                                             .strides = {ops_index(b, count)},
                                             .known = {0, count},
                                             .tile = {a->rows, rotary_power(count)},
                                             .padding = TSR_PADDING_ZERO,
                                             .is_gathered = true});
  tsr_value at = least(a, a->places, ops_spread(b, last, TSR_INTS(a->rows)));
  return ops_convert(b, ops_load(b, &t, TSR_VALUES(at, ops_i32(b, 0))), type, TSR_F32);
}

static void turn(append_kernel *a, int64_t size) {
  ops_build *b = a->b;
  bool interleaved = get(b->p, APPEND_pairs) == 1;
  ops_type type = get(b->p, APPEND_type);
  tsr_value halves[2];
  for (unsigned i = 0; i < 2; i++)
    halves[i] = ops_convert(b, load(a, rotary_half_of(size, interleaved, i)), type, TSR_F32);
  rotary_turn(b, halves, load_angles(a, "cos", size / 2), load_angles(a, "sin", size / 2));
  for (unsigned i = 0; i < 2; i++)
    store(a, rotary_half_of(size, interleaved, i), ops_convert(b, halves[i], TSR_F32, type));
}

static void build(ops_build *b) {
  append_kernel a = begin(b);
  bool is_value = strcmp(b->step->kernel, "values") == 0;
  int64_t size = is_value ? 0 : get(b->p, APPEND_rotary);
  rotary_half rest = {size, 1, get(b->p, is_value ? APPEND_head_v : APPEND_head) - size};
  if (size) turn(&a, size);
  if (rest.count) store(&a, rest, load(&a, rest));
}

/* ---- the reference --------------------------------------------------------------------------- */

static double *token(const ops_tensor *t, int64_t batch, int64_t head, int64_t at) {
  return &t->numbers[ops_at(t, batch, head, at)];
}

static void turn_token(const ops_host *h, double *x, int64_t at) {
  const ops_problem *p = h->p;
  int64_t size = get(p, APPEND_rotary), row = MIN(at, get(p, APPEND_angles) - 1);
  bool interleaved = get(p, APPEND_pairs) == 1;
  for (int64_t i = 0; i < size / 2; i++)
    rotary_turn_numbers(&x[rotary_element(rotary_half_of(size, interleaved, false), i)],
                        &x[rotary_element(rotary_half_of(size, interleaved, true), i)],
                        ops_host_tensor(h, "cos")->numbers[row * (size / 2) + i],
                        ops_host_tensor(h, "sin")->numbers[row * (size / 2) + i]);
}

/* Where key `at` of a sequence lies in a cache; NULL: nowhere. */
static double *cached(const ops_host *h, const char *name, int64_t batch, int64_t head,
                      int64_t at) {
  const ops_problem *p = h->p;
  if (at >= get(p, APPEND_keys)) return NULL;
  if (is_paged(p)) batch = ops_page_of(h, batch, get(p, APPEND_page), get(p, APPEND_pages), &at);
  return batch < 0 ? NULL : token(ops_host_tensor(h, name), batch, head, at);
}

static void append_token(const ops_host *h, int64_t batch, int64_t head, int64_t i, int64_t at) {
  size_t k_bytes = (size_t)get(h->p, APPEND_head) * sizeof(double);
  size_t v_bytes = (size_t)get(h->p, APPEND_head_v) * sizeof(double);
  double *k = cached(h, "k", batch, head, at);
  if (!k) return;
  memcpy(k, token(ops_host_tensor(h, "new_k"), batch, head, i), k_bytes);
  memcpy(cached(h, "v", batch, head, at), token(ops_host_tensor(h, "new_v"), batch, head, i),
         v_bytes);
  turn_token(h, k, at);
}

static void one_sequence(const ops_host *h, int64_t batch, int64_t length) {
  const ops_problem *p = h->p;
  for (int64_t head = 0; head < get(p, APPEND_kv_heads); head++)
    for (int64_t i = 0; i < get(p, APPEND_new); i++) append_token(h, batch, head, i, length + i);
  for (int64_t head = 0; has_queries(p) && head < get(p, APPEND_heads); head++)
    for (int64_t i = 0; i < get(p, APPEND_seq); i++) {
      double *to = token(ops_host_tensor(h, "turned"), batch, head, i);
      memcpy(to, token(ops_host_tensor(h, "q"), batch, head, i),
             (size_t)get(p, APPEND_head) * sizeof *to);
      turn_token(h, to, length + (get(p, APPEND_places) == 1 ? 0 : i));
    }
}

static void reference(ops_host *h) {
  const double *lengths = ops_host_tensor(h, "key_lengths")->numbers;
  for (int64_t b = 0; b < get(h->p, APPEND_batch); b++)
    one_sequence(h, b, (int64_t)fmin(fmax(lengths[b], 0), (double)get(h->p, APPEND_keys)));
}

static double flops(const ops_problem *p) {
  return 3 * tokens_of(p) * (double)get(p, APPEND_rotary);
}

static double tolerance(const ops_problem *p) {
  return get(p, APPEND_rotary) ? 4 * ops_type_roundoff(TSR_F32) : 0;
}

const ops_family ops_family_append = {
    .name = "append",
    .about = "new keys and values into caches, with rotary embedding",
    .params = params,
    .n_params = ARRAY_LEN(params),
    .index = APPEND_index,
    .settle = settle,
    .operands = operands,
    .supported = supported,
    .candidates = candidates,
    .cost = cost,
    .steps = steps,
    .build = build,
    .reference = reference,
    .flops = flops,
    .bytes = bytes_of,
    .tolerance = tolerance,
};
