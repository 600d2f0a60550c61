/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cpu/nest/gen_buffer.h: loads and stores of buffers inside a nest.
 */
#ifndef TSR_CPU_NEST_GEN_BUFFER_H
#define TSR_CPU_NEST_GEN_BUFFER_H

#include "cpu/nest/nest.h"
#include "cpu/plan/affine.h"
#include "cpu/plan/scratch.h"

lane_value gen_buffer_load(nest *n, buffer *b, const index_map *m);
/* In FORMAT_PAIRS words: what belongs to the index, and to the next one along its pairs. */
void gen_buffer_store(nest *n, buffer *b, const index_map *m, llv v);
/* 2^lanes_n lanes at byte offset `at`; bit j of the lane's number adds lane[j]. */
void gen_buffer_store_lanes(nest *n, buffer *b, llv at, const coef *lane, unsigned lanes_n, llv v);

#endif
