/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * attention: o = epilogue(dropout(softmax(mask(cap(scale q k^T) + bias))) v), for each head of a
 * batch.
 *
 *   attention.c            parameters, tensors, launches
 *   attention_build.c      the kernels
 *   attention_score.c      what becomes of a tile of scores: scale, cap, bias, mask, dropout
 *   attention_end.c        the epilogue
 *   attention_cache.c      keys and values in caches: lengths, pages
 *   attention_scale.c      scales of queries, keys and values that were quantised
 *   attention_append.c     new keys and values, rotary embedding
 *   attention_choose.c     what is supported, candidates, costs
 *   attention_reference.c  in plain C
 *
 * Queries and keys have places: key j is at j, query i is at i, or at i + keys - seq when the last
 * query is aligned with the last key (corner=bottom). Query i sees the keys from its place - left
 * to its place + right, and the first `sink_keys`.
 *
 * A tile block goes through the keys of a tile of queries and keeps three things for each query: m,
 * the largest score so far; l, the sum of 2^(score - m); o, the sum of 2^(score - m) * value.
 * Scores are logarithms to the base 2. With `split`, each part of the keys leaves its o / l and
 * m + log2(l) in the workspace, and a second kernel weighs them.
 */
#ifndef TSR_OPS_ATTENTION_H
#define TSR_OPS_ATTENTION_H

#include "num/philox.h"
#include "ops/append.h"
#include "ops/compose.h"
#include "ops/emit.h"
#include "ops/epilogue.h"
#include "ops/pages.h"

#define ATTENTION_PARAMS(P)                                                                        \
  P(type, TYPE, FORM, 0, 0, NULL, "f32",                                                           \
    "what q, k and v hold: f32 f16 bf16, floats of 8 and 6 bits, i8")                              \
  P(type_v, TYPE, FORM, 0, 0, "auto", "auto", "what v holds; auto: as q, f16 for i8")              \
  P(type_o, TYPE, FORM, 0, 0, "auto", "auto", "what o holds; auto: as q, f16 for 8 bits")          \
  P(type_p, TYPE, FORM, 0, 0, "auto", "auto",                                                      \
    "what probabilities are for the product with v; auto: as v, f16 for 8 bits")                   \
  P(type_bias, TYPE, FORM, 0, 0, "auto", "auto", "what bias holds; auto: as q, f32 for 8 bits")    \
  P(head, INTEGER, FORM, 1, 512, NULL, "64", "elements of a query and of a key")                   \
  P(head_v, INTEGER, FORM, 1, 512, "same", "same", "elements of a value")                          \
  P(v, CHOSEN, FORM, 0, 0, "row column", "row", "the elements of a value are contiguous, or keys") \
  P(lengths, CHOSEN, FORM, 0, 0, "fixed variable", "fixed",                                        \
    "variable: sequences follow each other, and offsets_q and offsets_k say where they begin")     \
  P(corner, CHOSEN, FORM, 0, 0, "bottom top", "bottom",                                            \
    "which query and key are aligned: the last ones, or the first ones")                           \
  P(cache, CHOSEN, FORM, 0, 0, "none whole paged", "none",                                         \
    "whole: each sequence has its first `key_lengths` of `keys` keys; paged: they lie in pages, "  \
    "and `table` says in which ones")                                                              \
  P(append, CHOSEN, FORM, 0, 0, "no yes", "no",                                                    \
    "new keys and values are put behind those of the cache first, as the family append does")      \
  APPEND_ROTARY_PARAMS(P)                                                                          \
  P(weights, CHOSEN, FORM, 0, 0, "softmax silu", "softmax",                                        \
    "what scores become: their softmax, or each one's silu, which scale_o may divide")             \
  P(scale_q, CHOSEN, FORM, 0, 0, "none tensor head block group", "none",                           \
    "q is multiplied by one number, one for each sequence and head, one for block_q queries of a " \
    "head, or one for each group of elements (MX)")                                                \
  P(scale_k, CHOSEN, FORM, 0, 0, "none tensor head block group", "none",                           \
    "the same of k, by block_k keys; of pages each has its own")                                   \
  P(scale_v, CHOSEN, FORM, 0, 0, "none tensor head block group", "none",                           \
    "the same of v; group: one for each element of a group of keys")                               \
  P(type_scale, TYPE, FORM, 0, 0, NULL, "f32", "what scale_q, scale_k and scale_v hold")           \
  P(group, INTEGER, FORM, 16, 256, NULL, "32", "elements, or keys of v, that share a scale")       \
  P(bias, CHOSEN, FORM, 0, 0, "no yes", "no", "a tensor is added to the scores")                   \
  P(alibi, CHOSEN, FORM, 0, 0, "no yes", "no", "scores fall by a slope of the head and distance")  \
  P(sinks, CHOSEN, FORM, 0, 0, "no yes", "no", "each head has one more score, without a value")    \
  P(lse, CHOSEN, FORM, 0, 0, "no yes", "no", "logarithms of the sums are written, too")            \
  P(epilogue, TEXT, FORM, 0, 0, NULL, "none",                                                      \
    "what becomes of o's elements: residual+quantise:row:i8; its tensors are called "              \
    "epilogue_residual; mn: as o, m: a number of each query, n: of each head and element")         \
  P(batch, INTEGER, SIZE, 0, 1 << 30, NULL, "1", "how many sequences")                             \
  P(heads, INTEGER, SIZE, 0, 1 << 20, NULL, "8", "heads of q and o")                               \
  P(kv_heads, INTEGER, SIZE, 1, 1 << 20, "same", "same", "heads of k and v, a divisor of heads")   \
  P(seq, INTEGER, SIZE, 0, 1 << 29, NULL, "512", "queries of a sequence, of the longest one")      \
  P(keys, INTEGER, SIZE, 0, 1 << 29, "same", "same", "keys of a sequence, of the longest one")     \
  P(new, INTEGER, SIZE, 0, 1 << 29, NULL, "1", "append: new keys of a sequence")                   \
  P(page, INTEGER, SIZE, 1, 1 << 29, NULL, "128", "paged: keys of a page")                         \
  P(pages, INTEGER, SIZE, 0, INT32_MAX, "packed", "packed", "paged: pages of all sequences")       \
  P(total_q, INTEGER, SIZE, 0, INT32_MAX, "packed", "packed", "queries of all sequences")          \
  P(total_k, INTEGER, SIZE, 0, INT32_MAX, "packed", "packed", "keys of all sequences")             \
  P(block_q, INTEGER, SIZE, 1, 1 << 29, NULL, "128", "scale_q=block: queries that share a scale")  \
  P(block_k, INTEGER, SIZE, 1, 1 << 29, NULL, "128", "the same of keys and values")                \
  P(layout, CHOSEN, SIZE, 0, 0, "bhsd bshd", "bhsd",                                               \
    "how q, k, v and o lie: a head after the other, or a token after the other")                   \
  P(strides, TEXT, SIZE, 0, 0, NULL, "packed",                                                     \
    "of tensors that do not lie packed: q:8192x64x512x1+bias:0x0x512x1; 0 repeats")                \
  P(scale, REAL, SIZE, 0, 0, NULL, "0", "factor of the scores; 0: 1/sqrt(head)")                   \
  P(scale_o, REAL, SIZE, 0, 0, NULL, "1", "factor of the result")                                  \
  P(causal, CHOSEN, SIZE, 0, 0, "no yes", "no", "queries see no key behind their place: right=0")  \
  P(left, INTEGER, SIZE, 0, 1 << 29, "all", "all", "how many keys before its place a query sees")  \
  P(right, INTEGER, SIZE, 0, 1 << 29, "all", "all", "how many keys behind its place")              \
  P(sink_keys, INTEGER, SIZE, 0, 1 << 29, NULL, "0", "first keys that all queries see")            \
  P(cap, REAL, SIZE, 0, 0, NULL, "0", "scores become cap * tanh(score / cap); 0: they stay")       \
  P(dropout, REAL, SIZE, 0, 0, NULL, "0", "part of the probabilities that is left out")            \
  P(seed, INTEGER, SIZE, 0, INT64_MAX, NULL, "0", "of dropout")                                    \
  P(offset, INTEGER, SIZE, 0, INT64_MAX, NULL, "0", "of dropout: another pattern for each number") \
  P(tile_m, INTEGER, CHOICE, 1, 256, "auto", "auto", "queries of a tile, a power of two")          \
  P(tile_n, INTEGER, CHOICE, 4, 256, "auto", "auto", "keys of a tile, a power of two")             \
  P(split, INTEGER, CHOICE, 1, 256, "auto", "auto", "parts of the keys that are computed apart")   \
  P(pack, INTEGER, CHOICE, 0, 1, "auto", "auto",                                                   \
    "1: queries of the heads that share keys are rows of one tile")                                \
  OPS_HINT_PARAMS(P)                                                                               \
  P(batched, CHOSEN, DERIVED, 0, 0, "no yes", "no", "there are several sequences")                 \
  P(has_left, CHOSEN, DERIVED, 0, 0, "no yes", "no", "left is given")                              \
  P(has_right, CHOSEN, DERIVED, 0, 0, "no yes", "no", "right is given")                            \
  P(has_sink_keys, CHOSEN, DERIVED, 0, 0, "no yes", "no", "sink_keys is not 0")                    \
  P(page_step, INTEGER, DERIVED, 1, 256, NULL, "256",                                              \
    "a power of two that divides the keys of a page")                                              \
  P(capped, CHOSEN, DERIVED, 0, 0, "no yes", "no", "cap is not 0")                                 \
  P(drops, CHOSEN, DERIVED, 0, 0, "no yes", "no", "dropout is not 0")                              \
  P(scaled, CHOSEN, DERIVED, 0, 0, "no yes", "no", "scale_o is not 1, or dropout not 0")           \
  OPS_COMMON_PARAMS(P)

enum {
#define OPS_PARAM_ID(id, ...) ATTENTION_##id,
  ATTENTION_PARAMS(OPS_PARAM_ID)
#undef OPS_PARAM_ID
};

static inline int64_t attention_get(const ops_problem *p, unsigned param) {
  return p->values[param].i;
}
static inline bool attention_is_variable(const ops_problem *p) {
  return attention_get(p, ATTENTION_lengths) == 1;
}
typedef struct attention_parts {
  ops_operands operands; /* its own */
  ops_inner append;      /* what is added to caches first, where attention_appends */
  ops_epilogue epilogue; /* its tensors have names of their own, since scores have a bias */
} attention_parts;

static inline const ops_operands *attention_operands(const ops_problem *p) {
  return &((const attention_parts *)p->parts)->operands;
}
static inline const ops_epilogue *attention_epilogue(const ops_problem *p) {
  return &((const attention_parts *)p->parts)->epilogue;
}
/* The stage of the epilogue that has this tensor; NULL: none. */
const ops_stage *attention_stage(const ops_problem *p, const ops_operand *o);
/* Whether a row of a tensor belongs to a query of a head. */
bool attention_has_queries(const ops_operand *o);

static inline bool attention_is_paged(const ops_problem *p) {
  return attention_get(p, ATTENTION_cache) == 2;
}
static inline bool attention_is_cached(const ops_problem *p) {
  return attention_get(p, ATTENTION_cache) != 0;
}
static inline bool attention_appends(const ops_problem *p) {
  return attention_get(p, ATTENTION_append) == 1;
}
/* Pages that each sequence has in the table. */
static inline int64_t attention_pages_each(const ops_problem *p) {
  return ops_tiles_of(attention_get(p, ATTENTION_keys), attention_get(p, ATTENTION_page));
}
/* What q and k are converted to for their product. */
ops_type attention_product_type(const ops_problem *p);
/* Factor of scores. */
double attention_scale(const ops_problem *p);
/* Probabilities below this are left out, of 2^32 that are possible. */
uint32_t attention_threshold(const ops_problem *p);

/* A size as tiles of powers of two, from 16 on, of which only the last may reach beyond it: 96 is
 * 64 + 32. */
enum { ATTENTION_MAX_PIECES = 6, ATTENTION_LEAST_PIECE = 16 };
typedef struct attention_pieces {
  unsigned count;
  int64_t size[ATTENTION_MAX_PIECES];
  int64_t index[ATTENTION_MAX_PIECES]; /* which tile of this size it is */
} attention_pieces;
attention_pieces attention_pieces_of(int64_t size);

/* attention_scale.c: scales of q, k and v, and silu in the place of the softmax. */
typedef enum attention_scaling {
  ATTENTION_SCALE_NONE,
  ATTENTION_SCALE_TENSOR,
  ATTENTION_SCALE_HEAD,
  ATTENTION_SCALE_BLOCK,
  ATTENTION_SCALE_GROUP
} attention_scaling;
/* How the tensor NAME is scaled, which is q, k or v, or one of their scales. */
attention_scaling attention_scaling_of(const ops_problem *p, const char *name);
bool attention_has_groups(const ops_problem *p); /* whether any is scaled by groups */
/* Whether it is scale_q, scale_k or scale_v. */
bool attention_is_scale(const ops_operand *o);
bool attention_settle_scales(const ops_problem *p, ops_why *why);
bool attention_check_scales(const ops_problem *p, ops_why *why);
ops_type attention_type_of(const ops_problem *p, const char *name);

/* attention_append.c: all of it does nothing where nothing is appended. */
bool attention_settle_append(ops_problem *p, ops_why *why);
bool attention_append_supported(const ops_problem *p, const ops_target *t, ops_why *why);
void attention_append_operands(const ops_problem *p, ops_operands *out);
void attention_append_steps(const ops_problem *p, ops_steps *out);
/* Queries in the workspace, as memory "q"; NULL: they stay what they are. */
const ops_operand *attention_turned(const ops_problem *p);
void attention_append_reference(ops_host *h);

/* attention_choose.c */
/* Heads that have rows in a tile: those that share keys, or one. */
int64_t attention_heads_packed(const ops_problem *p);
bool attention_supported(const ops_problem *p, const ops_target *t, ops_why *why);
void attention_candidates(const ops_target *t, ops_candidates *out);
double attention_cost(const ops_problem *p, const ops_target *t);
double attention_tolerance(const ops_problem *p);

/* ---- kernels ----------------------------------------------------------------------------------
 */

/* A kernel that is being built: a tile of queries of one head of a sequence. */
typedef struct attention_kernel {
  ops_build *b;
  const ops_problem *p;
  int64_t rows, columns;
  tsr_value i, head, kv_head; /* which tile, of which heads */
  tsr_value batch;            /* NULL: there is one sequence */
  tsr_value part;             /* of the keys; NULL: they are not divided */
  tsr_value seq, keys;        /* of this sequence, i32 */
  tsr_value start_q, start_k; /* where it begins; NULL: lengths are fixed */
  tsr_value batch_or_0;
  tsr_value queries; /* of one head, where a tile has those of several; NULL: it has one head */
} attention_kernel;

/* A tensor with heads, tokens and elements, of which a tile has one head. */
typedef struct attention_tensor {
  const char *name;
  ops_type type;
  tsr_value base;                 /* of the sequence; NULL: `start` or the batch say where it is */
  tsr_value heads, start, tokens; /* start NULL: lengths are fixed */
  int64_t elements, tile_tokens;
  bool by_element; /* tokens are contiguous */
} attention_tensor;

/* It as views of its pieces. */
typedef struct attention_views {
  attention_pieces pieces;
  ops_tiles views[ATTENTION_MAX_PIECES];
  int64_t tokens;
} attention_views;
attention_views attention_views_of(attention_kernel *a, const attention_tensor *t);
/* Piece `i` of tile `tile` of a head, tokens x elements; of the kernel's queries. */
tsr_value attention_load_piece(attention_kernel *a, const attention_views *v, unsigned i,
                               tsr_value head, tsr_value tile);
void attention_store_piece(attention_kernel *a, const attention_views *v, unsigned i, tsr_value x);
/* The stride of dimension `dim` of b, h, t, e; NULL: 1. */
tsr_value attention_stride(attention_kernel *a, const char *name, char dim);

/* Keys or values, of which a turn of the loop takes one tile. */
typedef struct attention_keys {
  attention_tensor tensor;
  attention_pieces pieces;
  attention_views views;
  tsr_value tile; /* which one of the views, or where each of its keys lies */
} attention_keys;
attention_keys attention_keys_begin(attention_kernel *a, const char *name, int64_t elements,
                                    bool by_element);
/* Goes to tile `j` of keys and values. */
void attention_keys_turn(attention_kernel *a, attention_keys *k, attention_keys *v, tsr_value j);
tsr_value attention_keys_piece(attention_kernel *a, const attention_keys *k, unsigned i);

/* What scores need that does not change from tile to tile. */
typedef struct attention_scores {
  bool plain;          /* scores are scaled in the exponent only */
  tsr_value scale;     /* scalar; of plain scores to the base 2 */
  tsr_value low, high; /* keys that queries see, rows x 1; low NULL: from the first */
  tsr_value place;     /* of queries, rows x 1 */
  tsr_value slope;     /* scalar */
  ops_tiles bias;
} attention_scores;

attention_scores attention_scores_begin(attention_kernel *a);
/* Products of queries and keys of tile `j` as scores; -infinity where no key is seen. */
tsr_value attention_scores_of(attention_kernel *a, const attention_scores *s, tsr_value products,
                              tsr_value j);
/* Probabilities of tile `j` with some of them 0. */
tsr_value attention_drop(attention_kernel *a, tsr_value x, tsr_value j);
/* The first tile of keys in a loop of `count` turns, and how to get from a turn to its tile. */
typedef struct attention_range {
  tsr_value count;   /* turns */
  tsr_value leading; /* turns that go through sink_keys; NULL: none do */
  tsr_value begin;   /* tile of the turn after these; NULL: 0 */
} attention_range;
attention_range attention_range_of(attention_kernel *a);
tsr_value attention_tile_at(attention_kernel *a, const attention_range *r, tsr_value turn);
/* The tiles of queries in which some may see a key of tile `j`: from `first` on, and how many. */
void attention_queries_of(attention_kernel *a, tsr_value j, tsr_value *first, tsr_value *count);
/* Pieces of integers: a scalar as rows x columns, and numbers from 0 on. */
tsr_value attention_count(attention_kernel *a, int64_t size, unsigned dim);

/* attention_scale.c. Scales of rows and keys, which products are multiplied by; those of tensors
 * and heads, scalars of f32; NULL: there are none. */
tsr_value attention_scale_scores(attention_kernel *a, tsr_value scale);
tsr_value attention_scale_rows(attention_kernel *a);
tsr_value attention_scale_keys(attention_kernel *a, const char *name, tsr_value j);
tsr_value attention_scale_sum(attention_kernel *a, tsr_value share);
/* Pieces of queries, keys and values as what is multiplied, with the scales of groups. */
tsr_value attention_scaled_q(attention_kernel *a, tsr_value x, int64_t at);
tsr_value attention_scaled_key(attention_kernel *a, const attention_keys *k, unsigned i,
                               tsr_value j);
/* Each element of a tile times the number of its row or column. */
tsr_value attention_times(attention_kernel *a, tsr_value x, tsr_value by);

/* A tensor that lies as o does. */
attention_views attention_views_like_o(attention_kernel *a, const char *name, ops_type type);
/* Stores a number of each query in a tensor like lse. */
void attention_store_rows(attention_kernel *a, const char *name, tsr_value rows);
/* Applies the epilogue to the pieces of a tile of o, rows x piece, and stores what quantise:row
 * writes besides. */
void attention_end(attention_kernel *a, const attention_pieces *pieces, tsr_value *o);

/* Sequences of the tile block's batch: where they begin, and how long they are. */
void attention_find_sequences(attention_kernel *a);
void attention_build(ops_build *b);
/* Passes the numbers that scores need: scales, what queries see, dropout. */
void attention_pass_scores(const ops_problem *p, ops_step *s);

/* ---- references -------------------------------------------------------------------------------
 */

/* Dropout is by Philox-4x32-10 (num/philox.h): word j % 4 of the block with the counter (j / 4,
 * query, batch * heads + head + offset / 2^32, offset) and the key `seed`, all modulo 2^32 or in
 * halves, decides about key j: it is left out when the word is less than dropout * 2^32. */
void attention_reference(ops_host *h);
/* A query that is computed on the host, with its sequence. */
typedef struct attention_query {
  const ops_problem *p;
  const ops_host *h;
  int64_t batch, head, kv_head, i;
  int64_t start_q, start_k, seq, keys;
  double *weights; /* of each key */
  double sum, largest;
  double *nothing; /* 0: what is read from pages that there are not */
} attention_query;
/* Finds the sequences of its batch. */
void attention_query_begin(attention_query *q);
/* Element (batch, head, token, element) of a tensor; tokens of a sequence begin at `start`. */
double *attention_element(const attention_query *q, const char *name, int64_t head, int64_t start,
                          int64_t token, int64_t e);
/* The product with a key; the score that it becomes, -infinity where the key is not seen; whether
 * its probability is left out. */
double attention_dot(const attention_query *q, int64_t key);
/* What element `e` of a token of NAME, one of q, k and v, is multiplied by. */
double attention_scale_at(const attention_query *q, const char *name, int64_t token, int64_t e);
double attention_score(const attention_query *q, int64_t key);
bool attention_is_dropped(const attention_query *q, int64_t key);
/* Applies the epilogue to a row of o. */
void attention_end_row(const attention_query *q);

#endif
