/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cpu/nest/location.h: where the lanes of an access are: addresses that follow each other, or lie
 * in pieces that do, or anywhere. Only the files that load and store lanes include this header.
 */
#ifndef TSR_CPU_NEST_LOCATION_H
#define TSR_CPU_NEST_LOCATION_H

#include "cpu/nest/nest.h"
#include "cpu/plan/access.h"

enum { MAX_PIECES = 32 }; /* shorter vectors that one access is made of: of two lanes, or more */

/* Addresses of the lanes: scalar + lane[j] for each set bit j of the lane's number, or a vector. */
typedef struct location {
  llv scalar; /* i64; NULL when only `vector` is known */
  llv vector; /* <lanes x i64> */
  coef lane[LANE_BITS];
  bool differs; /* between lanes */
  unsigned run; /* log2 of how many lanes follow each other */
  bool counts;  /* scalar is the part of the offset that counts: see buffer.instead */
  unsigned level;
} location;

/* Of an access, in its units of addresses. */
location location_of(nest *n, const access *a, const index_map *m);
/* Finds out `run`, where elements have so many units. */
void location_find_run(nest *n, location *w, int64_t unit);
/* Sets and returns `vector`. */
llv location_vector(nest *n, location *w);
/* The address of a lane, by its number; and of the lane that a piece of a vector begins with. */
llv location_lane(nest *n, location *w, unsigned at);
llv location_piece(lower *l, const location *w, unsigned lanes_n, unsigned at);
/* Are lanes accessed as several vectors, each shorter? */
bool location_in_pieces(const nest *n, const location *w, llv mask);
/* How many elements lie between a lane and the next, if it is as many everywhere; else 0. */
int64_t location_step(const nest *n, const location *w, int64_t unit);
/* Are they every other element of what lies there? */
bool location_every_other(const nest *n, const location *w, int64_t unit);
/* All lanes from the first one's address on, `step` elements apart, of which there are at least two
 * and no more than LONGEST_STEP. */
enum { LONGEST_STEP = 4 };
llv location_load_apart(nest *n, LLVMTypeRef elem, llv first, int64_t step, int64_t unit);
/* The mask, with a lane for each of the nest's. */
llv location_mask(nest *n, llv mask);

#endif
