/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cpu/nest/analysis.h: what a group's nest must know about its expressions: the conditions of the
 * exact version, how wide lanes are and along which dimension they lie.
 */
#ifndef TSR_CPU_NEST_ANALYSIS_H
#define TSR_CPU_NEST_ANALYSIS_H

#include "cpu/nest/nest.h"
#include "cpu/nest/roots.h"
#include "cpu/plan/mask.h"

typedef struct nest_analysis {
  lower *l;
  llv holds;      /* the condition of the exact version; NULL: it always holds */
  llv but_bounds; /* the same, but for what the bounds say */
  llv forms;      /* that linear forms hold, where neither of these says it; NULL: they do */
  bool clamps;    /* the exact version is for where no index is clamped, as its bounds say */
  bool clamps_unknown;
  bound_uses clamping; /* where none is, if `clamping_if` holds (NULL: it does) */
  llv clamping_if;
  const map *intervals; /* for versions in which they hold: see nest.intervals */
  bound_uses bounds;
  llv chosen;          /* that all selects are their first operand; NULL: nothing is known */
  bound_uses choosing; /* as far as these go they are, if `choosing_if` holds (NULL: it does) */
  llv choosing_if;
  bool choosing_unknown; /* but not all */
  unsigned width;        /* bits of the widest lane */
  unsigned index_width;  /* of what is computed in 64 bits, as indices are */
  bool by_pointers;      /* tiles of pointers say where something lies */
  bool gathers;          /* some elements lie anywhere */
  uint64_t cost;
  unsigned lane_n;         /* log2 of the lanes */
  unsigned lane_bit;       /* the lowest bit of the iteration that lanes are for */
  int transpose_bit;       /* that of what is read in other lanes, and transposed; -1: nothing is */
  unsigned squares;        /* log2 of the squares beside each other that are transposed at once */
  uint32_t exchanged;      /* bits that are copies where bytes are put in order (exchange.h) */
  bool reads_along;        /* something is read that needs no transposing */
  uint32_t shared;         /* of a reduction: bits that it keeps, along which something that is read
                            * stays the same */
  bool apart;              /* something is read or written element by element */
  bool loads;              /* from memory */
  bool chooses;            /* in the exact version selects are what they are when `chosen` */
  bool nibbles;            /* it loads neighbours of 4 bits along the last dimension */
  bool is_chain;           /* its body is long, and little of it can be done at once */
  bool is_cut;             /* its body, where functions take the long way */
  llv streams;             /* i1: this version's stores are non-temporal; NULL: never */
  bool combines;           /* also where rows don't begin with a line */
  upcoming_store upcoming; /* what the exact version fetches, too */
  uint64_t votes[MAP_BITS];
} nest_analysis;
nest_analysis analyse_group(lower *l, group *g);
/* Of the comparisons that the group evaluates: see nest.intervals. Adds to `holds` when they are
 * what they should be. */
const map *find_intervals(lower *l, const group *g, llv *holds);
/* Are most neighbours in memory, of what the group loads and stores, neighbours along the last
 * dimension? */
bool group_is_along_last(lower *l, group *g);

/* How a value that is read from memory lies there: its neighbours are along the lanes, or nowhere;
 * or along transpose_bit; or it is the same along either. READ_NOTHING: it isn't read. */
typedef enum reading { READ_NOTHING, READ_EITHER, READ_ALONG, READ_TRANSPOSED } reading;
reading analysis_reading(const nest_analysis *s, ir_value *v, const index_map *m);

/* Is the value read from memory, where bit k of its index adds so many elements to the address, and
 * nothing that isn't known? (Loads: in the exact version.) */
bool value_adds(const value *x, unsigned k, int64_t elements);
/* Does the load take neighbours of 4 bits along the lowest bits of the iteration? */
bool access_takes_nibbles(const access *a, const index_map *m);
/* Which elements exist: bounds, which it appends, and what else must hold for all to exist (NULL:
 * nothing). */
void access_bounds(lower *l, const access *a, const index_map *m, bound_uses *uses, llv *others);

#endif
