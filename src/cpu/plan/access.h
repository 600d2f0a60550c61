/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cpu/plan/access.h: where a load or store goes in memory, and which of its elements exist.
 *
 * Analyses, nests and products all ask accesses where their elements lie, so many files include
 * this header; it has one structure and what can be told from it.
 */
#ifndef TSR_CPU_PLAN_ACCESS_H
#define TSR_CPU_PLAN_ACCESS_H

#include "cpu/plan/affine.h"
#include "cpu/plan/scratch.h"

/* Elements along `n` bits of the index from `first` exist below `hi` only. */
typedef struct access_bound {
  uint8_t first, n;
  llv hi; /* i64, 0 … 2^n */
} access_bound;

/* Where the elements of a load or store lie. Everything but the tiles is an SSA value that was
 * computed where the operation stands, so the elements may be visited later. */
typedef struct access {
  const ir_op *op;
  uint8_t elem;
  uint8_t n;
  bool linear;           /* base and stride hold (when `ok`); else only `pointers` */
  llv base;              /* i64: address of element 0 */
  coef stride[MAP_BITS]; /* bytes, per bit of the index */
  coef exact[MAP_BITS];  /* the same, and valid only when `full`: with what that implies */
  llv ok;                /* i1; NULL: always */
  ir_value *pointers;    /* of an access through pointers */
  const affine *clamped; /* where they are in a version without clamps; NULL: not known */
  pointer_terms terms;   /* when there are some: base, stride and ok hold for the rest of them */
  unsigned n_bounds;
  access_bound *bounds;
  llv exists;        /* i1: a condition that all elements share; NULL: none */
  ir_value *mask;    /* NULL: none */
  ir_value *padding; /* a tile; NULL: `pad` */
  llv pad;           /* a constant lane value for what is masked; NULL: anything */
  llv forced;        /* i1: when true, everything exists after all; NULL: never */
  llv full;          /* i1: every element exists, but for what indices say; NULL: it always does;
                      * undefined when neither `checked` nor `index` */
  llv but_bounds;    /* i1: what `full` says, without the bounds; NULL: true */
  bool checked;
  bool apart; /* a load from other memory than its nest stores to, where that has been tested */
  /* Code with checks: elements outside of [low, low + room) do not exist (in units of addresses);
   * NULL: no checks. in_space: i1, the indices are in the view's index space; NULL: always. */
  llv low, room, in_space;
  /* gather and scatter views: address += index[i along these bits] * index_stride */
  ir_value *index;
  uint8_t index_first, index_n;
  llv index_stride, index_extent;
  buffer *memory; /* the scratch memory that it may be in; NULL: none */
  llv home;       /* what base is where the row is not forwarded (row_forward.c); NULL: no row is */
  llv across; /* i64: bytes from tile to tile along dimensions in which they have one element, or
               * through pointers to where they go next, all or'ed; NULL: there are none */
  llv step;   /* i64: bytes from here to what will be loaded soon (prefetch.c); NULL: not known */
  bool stays; /* all tile blocks load the same once: there is nothing to load soon */
  /* Loads of what the tile block has loaded before, as i64; NULL: others. */
  llv next;  /* bytes from here to what the next tile block will load */
  llv again; /* bytes that the loop around loads again */
  llv late;  /* i1: the last loop over them fetches, if it stores; NULL: it doesn't */
} access;

typedef struct view {
  const ir_type *type; /* the tensor_view */
  llv base;            /* i64 */
  llv *shape, *stride; /* i64; strides in elements */
} view;

/* Do base and stride say where elements are, but for indices and terms (and when `ok`)? */
static inline bool access_has_form(const access *a) {
  return a->linear || a->terms.n > 0;
}

/* Of an operation on a view: `scalar` makes a value of one element, an index, an SSA value. */
typedef llv (*scalar_fn)(lower *l, ir_value *v);
access *access_of_view(lower *l, const ir_op *op, ir_value *view, ir_use *index, unsigned n_index,
                       scalar_fn scalar);
access *access_of_pointers(lower *l, const ir_op *op, ir_value *pointers, ir_value *mask,
                           ir_value *padding);
/* The elements of a buffer of FORMAT_STORAGE, as if they were somewhere in memory. */
/* Of pointers to elements that begin at any bit (exec_bit_address), in lanes or one. */
llv bit_address(lower *l, llv pointers);
access *access_of_buffer(lower *l, const access *like, buffer *b);

/* The indices of an operation on a view. */
ir_use *access_indices(const ir_op *op, uint32_t *n);
/* Is the one, in a loop, where the other is in another loop, when both loops have counted to the
 * same number? */
bool access_same_place(const ir_op *a, const ir_op *in_a, const ir_op *b, const ir_op *in_b);
/* [lowest, past the highest) address, i64; only for linear accesses. */
void access_range(lower *l, const access *a, llv *lo, llv *hi);
unsigned access_elem_bits(const access *a);
/* Whether elements begin at any bit of a byte: then addresses count bits. */
bool access_shares_bytes(const access *a);
/* Is what it loads zero where nothing exists? */
bool access_pads_with_zero(const access *a);
/* Of addresses: bytes of an element; 4-bit elements are addressed by nibbles (nibbles.h). */
int64_t access_unit(const access *a);
/* Elements between tiles of a view whose indices along dimension d are neighbours. */
int64_t access_tile_distance(const ir_type *t, unsigned d);

#endif
