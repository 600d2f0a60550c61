/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Pages of caches: key t of sequence b is number t % page of page table[b, t / page]. The table is
 * packed, with `pages_each` pages of each sequence.
 *
 * Tensors of pages are [pages, heads, page, elements]; where the distance of pages is a multiple of
 * that of keys, all keys of a head are rows of one matrix.
 */
#ifndef TSR_OPS_PAGES_H
#define TSR_OPS_PAGES_H

#include "ops/emit.h"
#include "ops/host.h"

/* Passes page, pages and pages_each. */
void ops_pass_pages(ops_steps *steps, ops_step *s, int64_t page, int64_t pages, int64_t each);
/* Passes NAME_ratio, rows from a page to the next, and NAME_rows, rows of all pages. */
void ops_pass_page_rows(ops_steps *steps, ops_step *s, const char *name, int64_t pages);
/* Whether keys of a tensor of pages are rows of a matrix, at most 2^31 - 1. */
bool ops_has_page_rows(const ops_operand *o, int64_t pages);

/* The pages of a sequence: the address of its row of the table. */
tsr_value ops_page_table(ops_build *b, tsr_value batch);
/* Whether there are pages of these numbers, of a scalar or a tile. */
tsr_value ops_is_page(ops_build *b, tsr_value number);

/* The pages of keys, and their numbers there; tiles of one rank and length. */
typedef struct ops_page_places {
  tsr_value page, key;
  tsr_value exists; /* the key is one of 0 to end - 1, and its page is there */
} ops_page_places;
ops_page_places ops_find_pages(ops_build *b, tsr_value batch, tsr_value keys, tsr_value end);
/* Their rows in the tensor NAME; -1 of keys that do not exist. */
tsr_value ops_page_rows(ops_build *b, const ops_page_places *at, const char *name);

/* On the host: the page of a key, which becomes its number there; below 0: there is none. */
int64_t ops_page_of(const ops_host *h, int64_t batch, int64_t page, int64_t pages, int64_t *key);

/* The parameter NAME_END. */
tsr_value ops_arg_of(ops_build *b, const char *name, const char *end);

#endif
