/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cpu/nest/pair_words.h: pairs of bf16 that lie together in memory, as words.
 */
#ifndef TSR_CPU_NEST_PAIR_WORDS_H
#define TSR_CPU_NEST_PAIR_WORDS_H

#include "cpu/plan/scratch.h"

typedef struct pair_words {
  ir_value *v; /* a tile of i32: a word for each pair */
  buffer *to;  /* where it goes: the bytes of the pairs */
  llv holds;   /* i1: its load gives all of the pairs; NULL: it does */
} pair_words;

/* The tile as words, where it is but a load whose neighbours along the pairs are neighbours in
 * memory; `to` is in pairs. The value is there until the next one is made. */
bool pair_words_of(lower *l, ir_value *v, buffer *to, pair_words *out);
/* Is it computed from loads whose neighbours in memory all lie along the pairs? */
bool pair_rows_fit(lower *l, ir_value *v, const buffer *to);
/* Scratch memory for the tile in which these are neighbours, and that memory as words. */
buffer *pair_rows_new(lower *l, const ir_value *v, const buffer *to);
pair_words pair_words_in(lower *l, const ir_value *v, const buffer *rows, buffer *to);

#endif
