/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * append: writes new keys and values behind those of caches.
 */
#ifndef TSR_OPS_APPEND_H
#define TSR_OPS_APPEND_H

/* Parameters that a family whose caches grow has as well. */
#define APPEND_ROTARY_PARAMS(P)                                                                    \
  P(rotary, INTEGER, FORM, 0, 512, NULL, "0",                                                      \
    "elements of new keys and of queries that are turned by their places, an even number")         \
  P(pairs, CHOSEN, FORM, 0, 0, "halves interleaved", "halves", "which elements make a pair")       \
  P(type_angle, TYPE, FORM, 0, 0, "auto", "auto", "what cos and sin hold, if not the type")        \
  P(places, CHOSEN, FORM, 0, 0, "rising same", "rising",                                           \
    "queries are turned by places from the first new key's on, or all by that one")                \
  P(angles, INTEGER, SIZE, 1, 1 << 29, "same", "same",                                             \
    "rows of cos and sin, as many as keys; places behind them take the last one")

#endif
