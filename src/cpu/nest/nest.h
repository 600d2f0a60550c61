/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cpu/nest/nest.h: loop nests: loops, lanes, copies of the body, and where code goes that depends
 * on outer loops only.
 *
 * Most files of this room and of src/cpu/gemm emit code into a nest, so most of them include this
 * header; what a nest evaluates is said in gen.h and its neighbours.
 */
#ifndef TSR_CPU_NEST_NEST_H
#define TSR_CPU_NEST_NEST_H

#include "cpu/core/core.h"
#include "cpu/plan/map.h"

enum {
  LANE_BITS = 6,
  MAX_SQUARE = 16, /* lanes that are transposed in registers: as many copies of a body as lanes */
  MAX_UNROLL = 2 * MAX_SQUARE, /* copies of a body */
  MAX_LEVELS = MAP_BITS + 1,
};

/* One loop. Level 0 is the code in front of the nest. */
typedef struct level {
  llblock block; /* what depends on this and outer levels only goes before its terminator */
  llblock latch, after;
  uint8_t first, n; /* the bits of the iteration that `index` counts */
  llv index;        /* i64 */
} level;

/* Of one loop of a nest: the iterations in [from, to), of which there is at least one, without
 * those in [hole_from, hole_to), which doesn't begin at `from`. */
typedef struct nest_part {
  unsigned top; /* the bit above those that the loop counts; 0: all loops have all iterations */
  llv from, to; /* i64; NULL: the first; behind the last */
  llv hole_from, hole_to; /* i64; NULL: none is left out */
  bool repeats;           /* those behind `to` give what the last one before gave */
} nest_part;

/* What an expression gave: one lane when all lanes are equal, else as many as the nest has; known
 * in the block of this level. */
typedef struct lane_value {
  llv v;
  unsigned level;
} lane_value;

typedef enum nest_prefetch {
  PREFETCH_NOTHING,
  PREFETCH_REREAD, /* what the next tile block will load, where this one has loaded it before */
  PREFETCH_LAST,   /* so in a nest that stores, where its stores are non-temporal (few_fill_buffers)
                    */
  PREFETCH_STEP,   /* what the next round, tile block or step of a band will load */
  PREFETCH_TILE,   /* one of these, or else what lies behind the tile's outermost dimension */
  PREFETCH_LINE,   /* a cache line some panels on, or where the row ends of a tile behind */
} nest_prefetch;

/* Where a store behind the nest will go. */
typedef struct upcoming_store {
  struct access *to; /* NULL: nobody knows */
  llv non_temporal;  /* i1: by non-temporal stores; NULL: not so */
} upcoming_store;

/* A vector and where it goes. */
typedef struct late_store {
  llv v, ptr;
} late_store;

/* Lines that are fetched where stores are non-temporal: for the second-level cache, the first. */
typedef struct late_fetch {
  llv at, near;
} late_fetch;

typedef struct nest {
  lower *l;
  unsigned n;                   /* bits of the iteration */
  llv streams;                  /* i1: its stores are non-temporal; NULL: never (streaming.c) */
  bool combines;                /* these are put together to lines (write_combine.c) */
  VEC(late_store) late;         /* of the body so far, when that is known only when it runs */
  VEC(late_fetch) late_fetches; /* the same */
  uint8_t prefetch;             /* nest_prefetch: what its loads fetch, too */
  upcoming_store upcoming;      /* what each iteration fetches, too */
  uint8_t line_level;           /* PREFETCH_LINE: the level that goes along rows; 0: none does */
  bool line_again;      /* where lines are asked for along rows: later again, down the panel */
  uint8_t line_row;     /* the first bit of the rows' numbers, of which copies are the lowest two */
  uint8_t line_rows;    /* and log2 of the rows between two of its iterations */
  uint8_t line_pieces;  /* and log2 of the pieces of so many rows that are in a tile */
  bool exact;           /* all checked accesses are full, all linear forms hold */
  bool linear;          /* the latter */
  bool clamps;          /* so do those of clamped indices */
  const map *intervals; /* ir_op * of a comparison -> where it holds, if `linear`: a bound_use by
                         * the bits of its own index; NULL: nobody knows (mask.h) */
  bool exchanges;       /* bytes are read in other lanes: see exchange.h */
  bool chooses;         /* all selects are what they are when `chosen` */
  nest_part part;
  llv goes_on;     /* i1: reductions go on from what the nest before gave; NULL: they don't */
  unsigned lane_n; /* log2 of the lanes */
  int8_t lane[LANE_BITS]; /* which bit of the iteration is bit j of the lane number */
  unsigned unroll_n;
  int8_t unroll[LANE_BITS];
  uint8_t level_of[MAP_BITS]; /* of a loop's bit */
  int8_t lane_of[MAP_BITS];   /* -1, or j with lane[j] == bit */
  unsigned n_levels;
  level levels[MAX_LEVELS];
  map memo;                         /* memo.c */
  struct families *families;        /* family.c; NULL: nobody has looked for any */
  const struct gather_pairs *pairs; /* gather.c; NULL: there are none */
} nest;

void nest_begin(nest *n, lower *l, unsigned bits, bool exact);
void nest_lanes(nest *n, unsigned first, unsigned count); /* consecutive bits */
void nest_open(nest *n, unsigned first, unsigned count);  /* one more loop, innermost */
/* The same, without the iterations before `start`. */
void nest_open_from(nest *n, unsigned first, unsigned count, int64_t start);
/* Cuts the innermost loop's body where it ends so far, or by an i1 goes there by way of a block,
 * which it gives: for what is rarely needed. What follows is put behind both. */
llblock nest_cut(nest *n, llv skips);
/* By an i1 the iteration ends here. Nothing behind it may be needed later. */
void nest_leave(nest *n, llv leaves);
/* Behind the innermost loop, one more, of the same iterations from `from` on. What that one gave is
 * known in it. */
void nest_repeat(nest *n, llv from);
/* Ends the loop of nest_repeat, which goes on only while the i1 `changes` holds. */
void nest_repeat_while(nest *n, llv changes);
/* As nest_cut, with two ways: what is executed when the i1 holds, and when it doesn't. */
void nest_fork(nest *n, llv condition, llblock *yes, llblock *no);
void nest_end(nest *n); /* code goes on behind the nest */
/* Where the next instruction goes: at the end of a level's block, or behind its loop. */
void nest_place_level(nest *n, unsigned at);
void nest_place_after(nest *n, unsigned at);
index_map nest_map(const nest *n, unsigned copy); /* identity; unrolled bits are fixed */
index_map nest_map_of(const nest *n, unsigned copy, const index_map *m); /* behind another map */
unsigned nest_lane_count(const nest *n);

/* Copies of a body that are interleaved, instruction by instruction: nest_mark in front of the
 * first and behind each. A chain of operations waits for itself; a processor that holds the
 * operations of a few copies only has more to do when those of all come one beside the other. Not
 * done where a copy has cut the body. Their loads and stores must not mind. */
typedef struct nest_marks {
  llblock block;
  llv last[MAX_UNROLL + 1]; /* NULL: the block was empty */
  unsigned n;
  bool broken;
} nest_marks;
void nest_mark(nest *n, nest_marks *x);
void nest_interleave(nest *n, const nest_marks *x);

#endif
