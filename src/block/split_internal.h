/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the files of split.h share: the kernel at hand and the pieces of its values.
 */
#ifndef TSR_BLOCK_SPLIT_INTERNAL_H
#define TSR_BLOCK_SPLIT_INTERNAL_H

#include "block/split.h"

typedef struct splitter {
  ir_module *m;
  ir_op *entry;
  arena *arena;
  cutting how;
  split_notes *notes;
  map wide;         /* accesses whose offsets may end within a tile of the largest number */
  map cuts;         /* types -> cut_tile */
  map pieces;       /* values -> their pieces */
  VEC(ir_op *) old; /* operations that others have taken the place of */
  bool failed;
} splitter;

/* Reports once: "'reshape' of tile<…>, whose sizes are no powers of two, WHY". */
void split_fail(splitter *s, const ir_op *op, const ir_type *t, const char *why);

/* Of any type that is a tile; one piece, the tile itself, where it needs no cut. */
const cut_tile *split_cut(splitter *s, const ir_op *op, const ir_type *t);
/* The pieces of a value; itself where it has one. */
ir_value **split_pieces(splitter *s, ir_value *v);
/* Says what stands for a result: as many as its type has pieces. */
void split_set(splitter *s, ir_value *v, ir_value *const *pieces);
/* The operation is to go. */
void split_done(splitter *s, ir_op *op);

ir_value *split_number(splitter *s, ir_op *at, const ir_type *t, int64_t n);
ir_value *split_make(splitter *s, ir_op *at, op_code opcode, const ir_type *t, uint32_t n,
                     ir_value *const *operands);
/* A copy before `op` with these operands for all of its own, and these result types. */
ir_op *split_copy(splitter *s, ir_op *op, ir_value *const *operands, const ir_type *const *types);

/* ---- accesses (split_access.c) -------------------------------------------------------------- */

void split_load_shared(splitter *s, ir_op *op);
void split_store_shared(splitter *s, ir_op *op);
void split_store_async(splitter *s, ir_op *op);
void split_load_global(splitter *s, ir_op *op);
void split_store_global(splitter *s, ir_op *op);
void split_cp_async(splitter *s, ir_op *op);
void split_atomic_shared(splitter *s, ir_op *op);
/* Before anything is changed: which accesses have to count in 64 bits. */
void split_note_offsets(splitter *s);
/* Whether the operation copies a tile that needs a cut. */
bool split_copies(const splitter *s, const ir_op *op);
/* Pieces of a tile to shared memory, or from it, before `at`. */
void split_put(splitter *s, ir_op *at, const ir_type *t, ir_value *const *pieces, ir_value *dest);
ir_value **split_take(splitter *s, ir_op *at, const ir_type *t, ir_value *storage);

/* ---- moves (split_moves.c) ------------------------------------------------------------------ */

void split_convert(splitter *s, ir_op *op);
void split_reinterpret(splitter *s, ir_op *op);
/* Pieces that were cut as `from` says as those of `t`, which a thread has the same elements of. */
ir_value **split_recut(splitter *s, ir_op *op, const cut_tile *from, ir_value **pieces,
                       const ir_type *t);
/* reshape, permute, broadcast, extract, insert, cat. */
void split_shape(splitter *s, ir_op *op);

/* ---- what tells of elements (split_print.c) ------------------------------------------------- */

void split_print(splitter *s, ir_op *op);
/* Of tiles that are cut by their sizes. */
void split_assert(splitter *s, ir_op *op);

/* ---- arithmetic (split_fold.c) -------------------------------------------------------------- */

void split_product(splitter *s, ir_op *op);
void split_reduce(splitter *s, ir_op *op);
void split_scan(splitter *s, ir_op *op);
void split_iota(splitter *s, ir_op *op);
void split_constant(splitter *s, ir_op *op);

#endif
