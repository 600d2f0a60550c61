/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * simt/block/internal.h: what the files of the translation share.
 *
 *   emit.c      the walk over the operations, control flow
 *   value.c     a tile in the layout that is asked for
 *   access.c    loads and stores of views, and the order of accesses
 *   gather.c    pointers to the elements of a view
 *   product.c   matrix products
 *   group_product.c   those of several warps
 *   pipeline.c  loops that copy ahead
 */
#ifndef TSR_SIMT_BLOCK_INTERNAL_H
#define TSR_SIMT_BLOCK_INTERNAL_H

#include "opt/rewrite.h"
#include "simt/pipeline.h"

typedef struct emission emission;

/* A value in a layout other than its home's, or an expression's. */
typedef struct block_made {
  const ir_value *v;
  simt_dist d;
  ir_value *now;
  uint32_t before; /* the same value's entry before this one, from 1 on; 0: there is none */
} block_made;

/* An index of a view in elements. */
typedef struct block_offset {
  const ir_value *index; /* of the new program */
  int64_t distance;
  bool wide;
  ir_value *now;
} block_offset;

/* An operand in shared memory while a loop runs that does not change it. */
typedef struct block_kept {
  const ir_value *v;
  bool is_lhs;
  ir_value *storage;
} block_kept;

/* What has happened since the block's threads last met at a barrier. */
typedef struct block_hazards {
  bool loaded, stored;
} block_hazards;

/* A loop that copies ahead, while its body is made. */
typedef struct block_pipeline {
  const simt_pipeline *plan;
  ir_value **storage; /* by load: all stages */
  ir_value **slot;    /* by load: the stage that this iteration reads */
  ir_value *read, *write;
  ir_value *next_read;
  uint32_t kept; /* what emission.kept held before */
} block_pipeline;

/* What jumps look for. */
typedef struct block_frame {
  ir_op *op;                /* if, for or loop of the old program */
  block_pipeline *pipeline; /* of a `for`; NULL: it copies nothing ahead */
  uint32_t carried;         /* of a loop: values that the form hands on, the last ones */
  block_hazards at_exit;
  struct block_frame *outer;
} block_frame;

/* A form of a kernel whose threads have roles: one executes the program, for which the plan is
 * made. The vendor has it (simt/vendor.h). */
typedef struct block_form {
  uint32_t (*threads)(const emission *x); /* of a tile block */
  /* What is in front of the program, after which operations go where the program's belong; and the
   * end of that. */
  void (*begin)(emission *x, ir_op *entry);
  void (*end)(emission *x);
  /* What a loop of the program hands on besides: the values now, in front of it and at the end of
   * an iteration; how many there are. `out` may be NULL. */
  uint32_t (*carried)(const emission *x, const ir_op *loop, ir_value **out);
  /* They are these now, in an iteration and behind the loop. */
  void (*take)(emission *x, const ir_op *loop, ir_value *values);
  /* In front of a loop, behind what is kept for it. */
  void (*before)(emission *x, const ir_op *loop);
  /* An iteration begins and ends. */
  void (*enter)(emission *x, const ir_op *loop);
  void (*leave)(emission *x, const ir_op *loop);
  /* A weak store of a view in the form's own way; false: it is none of these. */
  bool (*store)(emission *x, ir_op *op);
  /* The sum of a product that was begun an iteration early, of which that of the next one is begun
   * here; NULL: it is none. */
  ir_value *(*early)(emission *x, const ir_op *product, ir_value *acc);
  /* Around a product by instructions of several warps. */
  void (*ready)(emission *x, const ir_op *product);
  void (*done)(emission *x, const ir_op *product);
} block_form;

struct emission {
  ir_module *m;
  const simt_plan *p;
  const block_form *form; /* NULL: all threads execute the program */
  void *own;              /* the form's */
  map in_front; /* operation -> 1: it was translated in front of the roles, for all of them */
  arena *arena;
  ir_block *at; /* operations are appended to it */
  ir_loc loc;   /* of the operation at hand */
  value_map home;
  VEC(block_made) made;
  uint32_t *last; /* by ir_value.number: its last entry in `made`, from 1 on */
  VEC(block_offset) offsets;
  VEC(block_kept) kept;
  map staged; /* load -> the part of shared memory that holds its tile now */
  block_hazards now;
  block_frame *frame;
  const ir_op *failed; /* what has no form; NULL: all has */
};

/* ---- making operations */

/* Reports at an operation that it has no form at the block level, and why. */
void emission_refuse(emission *x, const ir_op *op, const char *why);
ir_op *emission_put(emission *x, const ir_op_spec *spec);
/* An operation with one result and every attribute at its default. */
ir_value *emission_make(emission *x, op_code opcode, const ir_type *t, uint32_t n,
                        ir_value *const *operands);
ir_value *emission_make_two(emission *x, op_code opcode, ir_value *a, ir_value *b);
/* A constant of rank 0. */
ir_value *emission_number(emission *x, const ir_type *t, int64_t n);
ir_value *emission_compare(emission *x, ir_cmp_predicate how, ir_signedness sign, ir_value *a,
                           ir_value *b);
/* A region of `op`, which becomes where operations go; the place before. */
ir_block *emission_open(emission *x, ir_op *op, unsigned region, uint32_t n,
                        const ir_type *const *types);
/* Ends a region that hands nothing on, as the text leaves it out. */
void emission_end(emission *x, op_code terminator, ir_block *outer);
/* The operation with operands where they are at hand: tiles in `d`, or each at its home where that
 * is NULL, without tokens; its results of the old types, tiles in `result`. Regions are left out.
 */
ir_op *emission_clone(emission *x, const ir_op *op, const simt_dist *d, const simt_dist *result);
void emission_set(emission *x, const ir_value *v, ir_value *now);
ir_value *emission_named(ir_value *v, const char *name);
/* Translates an operation, with all inside it. */
void emission_op(emission *x, ir_op *op);

/* ---- value.c */

/* A tile type with the layout; others as they are. */
const ir_type *emission_type(emission *x, const ir_type *t, const simt_dist *d);
/* The value of the old program in the layout. */
ir_value *emission_get(emission *x, const ir_value *v, const simt_dist *d);
/* The same where it lies, or would like to; `d` may be NULL. */
ir_value *emission_home(emission *x, const ir_value *v, simt_dist *d);
simt_dist emission_dist(const emission *x, const ir_value *v);
/* Of a scalar, a view, or anything that has one form. */
ir_value *emission_only(emission *x, const ir_value *v);
ir_value *emission_convert(emission *x, ir_value *now, const ir_type *t);
/* Entries made after this mark hold inside of the region only that is being made. */
void emission_forget(emission *x, uint32_t mark);

/* ---- access.c */

typedef struct block_window {
  ir_value *view;
  ir_value *offsets[IR_MAX_RANK];
  unsigned rank;
  const ir_type *tile;        /* in the order of the view's dimensions, without a layout */
  bool turned;                /* that is another order than the tile view's */
  int64_t order[IR_MAX_RANK]; /* dimension d of the tile is dimension order[d] of the view */
} block_window;

/* The order of a tile view's dimensions in its tensor view: all of a window but where it is. */
void emission_order_window(emission *x, const ir_type *tiles, block_window *w);
/* Bits of the index of a tile in the view's order to those of the tile. */
simt_map emission_window_map(const block_window *w, const ir_type *tile);
/* A tile in the view's order as the tile; `t` has a layout. */
ir_value *emission_turned(emission *x, ir_value *v, const ir_type *t, const block_window *w);
void emission_open_window(emission *x, const ir_value *tiles, const ir_use *index, block_window *w);
/* Where a tile begins, in elements of 32 bits, in the order of the view's dimensions; what lies
 * beyond `most` elements begins less than a tile before it. */
void emission_coordinates(emission *x, const ir_value *tiles, const ir_use *index, int64_t most,
                          ir_value *out[IR_MAX_RANK]);
/* The tensor view that tiles are cut from. */
const ir_value *emission_tensor_view(const ir_value *tiles);
/* From a tile of a view to the next, in elements. */
int64_t emission_distance(const ir_type *tiles, unsigned d);
/* An index times that, in i64. */
ir_value *emission_wide_offset(emission *x, const ir_value *index, int64_t distance);
/* An integer without sign in at least as many bits as the type has. */
ir_value *emission_widened(emission *x, ir_value *v, tsr_elem elem);
void emission_store_shared(emission *x, ir_value *v, ir_value *storage);
/* All threads must have finished their accesses. */
void emission_free_shared(emission *x, ir_value *storage);
void emission_load(emission *x, ir_op *op);
void emission_store(emission *x, ir_op *op);
void emission_atomic(emission *x, ir_op *op);
void emission_alloca(emission *x, ir_op *op);
/* Program order between operations on memory. */
void emission_barrier(emission *x);
void emission_before_load(emission *x);
void emission_before_store(emission *x);
/* At the head of a loop anything may have happened that an iteration does. */
void emission_enter(emission *x, ir_op *loop);

/* ---- gather.c */

/* Where the elements of a tile of a view lie. */
typedef struct block_pointers {
  ir_value *at, *inside; /* tiles of pointers and of i1 in one layout; NULL: all exist */
} block_pointers;

block_pointers emission_pointers(emission *x, const ir_value *tiles, const ir_use *index,
                                 const simt_dist *d);
/* The padding of a view of floats or integers in each element. */
ir_value *emission_padding(emission *x, const ir_type *tiles, const ir_type *t);

/* ---- product.c */

void emission_product(emission *x, ir_op *op);
/* The accumulator of a product by instructions of several warps, as these take it. */
ir_value *emission_accumulator(emission *x, const ir_op *op);
/* Without a batch of 1. */
ir_value *emission_flat(emission *x, ir_value *v, simt_dist *d);

/* ---- group_product.c */

/* The sum of a product by instructions of several warps, as `acc` lies; NULL after a message. */
ir_value *emission_group_product(emission *x, const ir_op *op, ir_value *acc);
/* Begins such a product, whose operands lie ready: a tile in flight. */
ir_value *emission_begin_product(emission *x, const ir_op *op, ir_value *acc);
/* The tile, when all products are complete. */
ir_value *emission_wait_for_product(emission *x, ir_value *flying);
/* Stores operands that a loop does not change, in front of it; and behind it what was stored after
 * the mark that this returned is given back. */
uint32_t emission_keep(emission *x, const ir_op *loop);
void emission_forget_kept(emission *x, uint32_t mark);
/* Whether a product can read what was copied as it lies there. */
bool emission_reads_stage(emission *x, const simt_staged *s);
/* Whether a product of several warps reads what the loop copies. */
bool emission_feeds_group(const emission *x, const simt_pipeline *plan);

/* Shared memory with its dimensions in another order; itself where it is the same order. */
ir_value *emission_permuted_view(emission *x, ir_value *v, const int64_t *order);

/* ---- pipeline.c */

/* NULL: the loop copies nothing ahead. */
block_pipeline *emission_pipeline(emission *x, ir_op *loop);
/* The last stage's number, times the step: a constant. */
ir_value *emission_ahead(emission *x, const block_pipeline *q, const ir_type *t, int64_t step);
/* In front of the loop, and at the start of its body, whose last two arguments are the stage to
 * read and the one to write. */
void emission_fill(emission *x, block_pipeline *q);
void emission_turn(emission *x, block_pipeline *q, ir_block *body);
/* Behind the loop. */
void emission_drain(emission *x, block_pipeline *q);
/* The tile of a load in its view's order, and where its bits are in the operand's index. */
simt_map emission_operand_map(emission *x, const simt_staged *s, block_window *w);
/* A part of what holds all stages. */
ir_value *emission_stage(emission *x, ir_value *all, ir_value *number, const char *name);
/* "%a_stages" for what is loaded as %a. */
const char *emission_stage_name(emission *x, const ir_op *load, const char *what);
/* The stage behind this one. */
ir_value *emission_next_stage(emission *x, ir_value *stage, unsigned stages);
/* A tile in a stage. */
ir_value *emission_from_stage(emission *x, const ir_value *v, const simt_dist *d);
/* Shared memory that holds a tile of the type as the layout says of an operand whose index has the
 * tile's bits at to_operand; in `stages` parts one after the other, or one without that dimension
 * where `stages` is 0. */
const ir_type *emission_stage_type(emission *x, const ir_type *tile, const simt_stage_layout *l,
                                   const simt_map *to_operand, unsigned stages);

#endif
