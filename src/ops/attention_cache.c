/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Tensors of attention as tiles, and where keys and values of a tile are: in the tensor of their
 * sequence, or in pages.
 *
 * A tile that lies in one page is a tile of the view of that page. Pages that are smaller than a
 * tile, or that tiles do not divide, are seen as rows of one tensor, from which each key is
 * gathered. Page numbers that are none of 0 to pages - 1 are keys and values of zeros.
 */
#include "ops/attention.h"

static int64_t get(const attention_kernel *a, unsigned param) {
  return attention_get(a->p, param);
}

/* ---- views ----------------------------------------------------------------------------------- */

attention_pieces attention_pieces_of(int64_t size) {
  attention_pieces out = {0};
  for (int64_t at = 0; at < size && out.count < ATTENTION_MAX_PIECES;) {
    int64_t rest = size - at, piece = ATTENTION_LEAST_PIECE;
    while (piece < rest) piece *= 2;
    /* Up to a quarter of a tile may be empty, and so may the last one that is possible. */
    if (rest * 4 <= piece * 3 && piece > ATTENTION_LEAST_PIECE &&
        out.count + 1 < ATTENTION_MAX_PIECES)
      piece /= 2;
    out.size[out.count] = piece;
    out.index[out.count++] = at / piece;
    at += piece;
  }
  return out;
}

tsr_value attention_stride(attention_kernel *a, const char *name, char dim) {
  return ops_arg_of(a->b, name, (char[]){dim, 0});
}

static tsr_value base_of(attention_kernel *a, const attention_tensor *t, tsr_value along) {
  ops_build *b = a->b;
  tsr_value base = ops_arg(b, t->name);
  if (t->base) return t->base;
  if (t->start) return ops_advance(b, base, t->start, along ? along : ops_index(b, 1));
  return a->batch ? ops_advance(b, base, a->batch, attention_stride(a, t->name, 'b')) : base;
}

static ops_tiles piece_view(attention_kernel *a, const attention_tensor *t, int64_t piece) {
  ops_build *b = a->b;
  tsr_value along = attention_stride(a, t->name, 't');
  return ops_view(
      b, &(ops_view_spec){.base = base_of(a, t, along),
                          .elem = ops_type_elem(t->type),
                          .rank = 3,
                          .sizes = {t->heads, ops_to_index(b, t->tokens)},
                          .strides = {attention_stride(a, t->name, 'h'), along,
                                      t->by_element ? attention_stride(a, t->name, 'e') : NULL},
                          .known = {0, 0, t->elements},
                          .tile = {1, t->tile_tokens, piece},
                          .padding = TSR_PADDING_ZERO});
}

attention_views attention_views_of(attention_kernel *a, const attention_tensor *t) {
  attention_views v = {.pieces = attention_pieces_of(t->elements), .tokens = t->tile_tokens};
  for (unsigned i = 0; i < v.pieces.count; i++) v.views[i] = piece_view(a, t, v.pieces.size[i]);
  return v;
}

tsr_value attention_load_piece(attention_kernel *a, const attention_views *v, unsigned i,
                               tsr_value head, tsr_value tile) {
  tsr_value index = ops_i32(a->b, v->pieces.index[i]);
  tsr_value x = ops_load(a->b, &v->views[i], TSR_VALUES(head, tile, index));
  return ops_reshape(a->b, x, TSR_INTS(v->tokens, v->pieces.size[i]));
}

void attention_store_piece(attention_kernel *a, const attention_views *v, unsigned i, tsr_value x) {
  tsr_value index = ops_i32(a->b, v->pieces.index[i]);
  x = ops_reshape(a->b, x, TSR_INTS(1, v->tokens, v->pieces.size[i]));
  ops_store(a->b, x, &v->views[i], TSR_VALUES(a->head, a->i, index));
}

/* ---- keys and values ------------------------------------------------------------------------- */

attention_keys attention_keys_begin(attention_kernel *a, const char *name, int64_t elements,
                                    bool by_element) {
  attention_keys k = {.pieces = attention_pieces_of(elements),
                      .tensor = {.name = name,
                                 .type = attention_type_of(a->p, name),
                                 .heads = ops_arg(a->b, "kv_heads"),
                                 .start = a->start_k,
                                 .tokens = a->keys,
                                 .elements = elements,
                                 .tile_tokens = a->columns,
                                 .by_element = by_element}};
  if (!attention_is_paged(a->p)) k.views = attention_views_of(a, &k.tensor);
  return k;
}

static bool is_gathered(const attention_kernel *a) {
  return attention_is_paged(a->p) && get(a, ATTENTION_page_step) < a->columns;
}

/* ---- tiles in one page ----------------------------------------------------------------------- */

/* The page of a tile, its keys, and which of its tiles it is. */
typedef struct page_place {
  tsr_value number, keys, tile;
} page_place;

static page_place place_of_tile(attention_kernel *a, tsr_value j) {
  ops_build *b = a->b;
  tsr_value page = ops_arg(b, "page"), columns = ops_i32(b, a->columns), zero = ops_i32(b, 0);
  tsr_value first = tsr_build_muli(b->b, j, columns);
  tsr_value slot = tsr_build_divi(b->b, first, page, TSR_SIGNED);
  tsr_value begin = tsr_build_muli(b->b, slot, page);
  tsr_value number = ops_load_element(b, ops_page_table(b, a->batch_or_0), slot);
  tsr_value exists = ops_is_page(b, number);
  tsr_value keys = tsr_build_mini(b->b, tsr_build_subi(b->b, a->keys, begin), page, TSR_SIGNED);
  return (page_place){
      .number = tsr_build_select(b->b, exists, number, zero),
      .keys = tsr_build_select(b->b, exists, keys, zero),
      .tile = tsr_build_divi(b->b, tsr_build_subi(b->b, first, begin), columns, TSR_SIGNED)};
}

static void go_to_page(attention_kernel *a, attention_keys *k, const page_place *at) {
  attention_tensor page = k->tensor;
  page.base =
      ops_advance(a->b, ops_arg(a->b, page.name), at->number, attention_stride(a, page.name, 'b'));
  page.tokens = at->keys;
  k->views = attention_views_of(a, &page);
  k->tile = at->tile;
}

/* ---- keys of several pages ------------------------------------------------------------------- */

static ops_page_places places_of_keys(attention_kernel *a, tsr_value j) {
  ops_build *b = a->b;
  tsr_value first = tsr_build_muli(b->b, j, ops_i32(b, a->columns));
  tsr_value count = ops_reshape(b, attention_count(a, a->columns, 0), TSR_INTS(a->columns));
  tsr_value keys = tsr_build_addi(b->b, ops_spread(b, first, TSR_INTS(a->columns)), count);
  return ops_find_pages(b, a->batch_or_0, keys, a->keys);
}

static ops_tiles row_view(attention_kernel *a, const attention_tensor *t, int64_t piece) {
  ops_build *b = a->b;
  tsr_value base =
      ops_advance(b, ops_arg(b, t->name), a->kv_head, attention_stride(a, t->name, 'h'));
  return ops_view(b, &(ops_view_spec){.base = base,
                                      .elem = ops_type_elem(t->type),
                                      .rank = 2,
                                      .sizes = {ops_arg_of(b, t->name, "rows")},
                                      .strides = {attention_stride(a, t->name, 't')},
                                      .known = {0, t->elements},
                                      .tile = {t->tile_tokens, piece},
                                      .padding = TSR_PADDING_ZERO,
                                      .is_gathered = true});
}

static void go_to_rows(attention_kernel *a, attention_keys *k, const ops_page_places *at) {
  k->views.pieces = k->pieces;
  for (unsigned i = 0; i < k->pieces.count; i++)
    k->views.views[i] = row_view(a, &k->tensor, k->pieces.size[i]);
  k->tile = ops_page_rows(a->b, at, k->tensor.name);
}

/* ---- turns ----------------------------------------------------------------------------------- */

void attention_keys_turn(attention_kernel *a, attention_keys *k, attention_keys *v, tsr_value j) {
  k->tile = v->tile = j;
  if (!attention_is_paged(a->p)) return;
  if (is_gathered(a)) {
    ops_page_places at = places_of_keys(a, j);
    go_to_rows(a, k, &at);
    go_to_rows(a, v, &at);
  } else {
    page_place at = place_of_tile(a, j);
    go_to_page(a, k, &at);
    go_to_page(a, v, &at);
  }
}

tsr_value attention_keys_piece(attention_kernel *a, const attention_keys *k, unsigned i) {
  tsr_value index = ops_i32(a->b, k->pieces.index[i]);
  if (is_gathered(a)) return ops_load(a->b, &k->views.views[i], TSR_VALUES(k->tile, index));
  return attention_load_piece(a, &k->views, i, a->kv_head, k->tile);
}
