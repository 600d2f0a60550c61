/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ops/pages.h"

#include <stdio.h>

/* ---- launches -------------------------------------------------------------------------------- */

void ops_pass_pages(ops_steps *steps, ops_step *s, int64_t page, int64_t pages, int64_t each) {
  ops_pass_tensor(steps, s, "table");
  ops_pass_word(s, "page", page);
  ops_pass_word(s, "pages", pages);
  ops_pass_word(s, "pages_each", each);
}

static int64_t rows_of_page(const ops_operand *o) {
  return o->strides[2] ? o->strides[0] / o->strides[2] : 0;
}

bool ops_has_page_rows(const ops_operand *o, int64_t pages) {
  bool even = o->strides[2] && o->strides[0] % o->strides[2] == 0;
  return even && (double)rows_of_page(o) * (double)pages <= INT32_MAX;
}

void ops_pass_page_rows(ops_steps *steps, ops_step *s, const char *name, int64_t pages) {
  const ops_operand *o = ops_operand_find(steps->operands, name);
  int64_t rows = ops_has_page_rows(o, pages) ? rows_of_page(o) : 0;
  arena *a = steps->problem->arena;
  ops_pass_word(s, arena_printf(a, "%s_ratio", name), rows);
  ops_pass_index(steps, s, arena_printf(a, "%s_rows", name), rows * pages);
}

/* ---- kernels --------------------------------------------------------------------------------- */

tsr_value ops_arg_of(ops_build *b, const char *name, const char *end) {
  char full[64];
  snprintf(full, sizeof full, "%s_%s", name, end);
  return ops_arg(b, full);
}

static tsr_value spread_like(ops_build *b, tsr_value scalar, tsr_value like) {
  return ops_spread(b, scalar, tsr_type_shape(tsr_value_type(like)));
}

tsr_value ops_page_table(ops_build *b, tsr_value batch) {
  return ops_advance(b, ops_arg(b, "table"), batch, ops_arg(b, "pages_each"));
}

tsr_value ops_is_page(ops_build *b, tsr_value number) {
  tsr_value pages = ops_arg(b, "pages");
  if (tsr_type_shape(tsr_value_type(number)).len) pages = spread_like(b, pages, number);
  return tsr_build_cmpi(b->b, number, pages, TSR_CMP_LESS_THAN, TSR_UNSIGNED);
}

ops_page_places ops_find_pages(ops_build *b, tsr_value batch, tsr_value keys, tsr_value end) {
  tsr_value page = spread_like(b, ops_arg(b, "page"), keys), zero = ops_full_like(b, keys, 0);
  ops_tiles table =
      ops_view(b, &(ops_view_spec){.base = ops_page_table(b, batch),
                                   .elem = TSR_I32,
                                   .rank = 1,
                                   .sizes = {ops_to_index(b, ops_arg(b, "pages_each"))},
                                   .tile = {tsr_type_shape(tsr_value_type(keys)).data[0]},
                                   .padding = TSR_PADDING_ZERO,
                                   .is_gathered = true});
  tsr_value number = ops_load(b, &table, TSR_VALUES(tsr_build_divi(b->b, keys, page, TSR_SIGNED)));
  tsr_value is_key =
      tsr_build_cmpi(b->b, keys, spread_like(b, end, keys), TSR_CMP_LESS_THAN, TSR_SIGNED);
  tsr_value from_0 = tsr_build_cmpi(b->b, keys, zero, TSR_CMP_GREATER_THAN_OR_EQUAL, TSR_SIGNED);
  is_key = tsr_build_andi(b->b, is_key, from_0);
  return (ops_page_places){.page = number,
                           .key = tsr_build_remi(b->b, keys, page, TSR_SIGNED),
                           .exists = tsr_build_andi(b->b, is_key, ops_is_page(b, number))};
}

tsr_value ops_page_rows(ops_build *b, const ops_page_places *at, const char *name) {
  tsr_value ratio = spread_like(b, ops_arg_of(b, name, "ratio"), at->page);
  tsr_value row = tsr_build_addi(b->b, tsr_build_muli(b->b, at->page, ratio), at->key);
  return tsr_build_select(b->b, at->exists, row, ops_full_like(b, row, -1));
}

/* ---- on the host ----------------------------------------------------------------------------- */

int64_t ops_page_of(const ops_host *h, int64_t batch, int64_t page, int64_t pages, int64_t *key) {
  const ops_tensor *table = ops_host_tensor(h, "table");
  double number = table->numbers[ops_at(table, batch, *key / page, 0)];
  *key %= page;
  return number >= 0 && number < (double)pages ? (int64_t)number : -1;
}
