/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * One iteration's slices of the operands of a product along a loop (kblock.h): written to their
 * chunk, found there, or left where they lie.
 *
 * a need not be copied where its slices lie one after the other in memory, or where the address of
 * each row says all (rows.c). Such a b is left there, too, until the micro-kernel copies it while
 * it multiplies the first rows.
 *
 * Slices of neighbours. Tile blocks that differ in x only follow one another on a thread, and as a
 * rule one operand is the same for them all. Its chunks are kept apart (as many as fit into
 * REUSE_BYTES; what comes later shares the last one), and each slice has a key: all numbers that
 * decide what is in it. A slice whose key is what it was is not written again. Keys are zeroed
 * before a launch (cpu_sizes.keys_bytes). What else has to hold is said in reuse.c.
 */
#include "cpu/gemm/kblock_slices.h"

#include "cpu/core/function.h"
#include "cpu/core/notes.h"
#include "cpu/plan/access.h"
#include "cpu/plan/scratch.h"
#include "cpu/nest/alias.h"
#include "cpu/nest/group.h"
#include "cpu/nest/nest.h"
#include "cpu/gemm/ukernel/ukernel.h"
#include "cpu/gemm/kblock_chunk.h"
#include "cpu/gemm/kblock_multiply.h"
#include "cpu/gemm/kblock_prefetch.h"
#include "cpu/gemm/operand.h"
#include "cpu/gemm/reuse.h"
#include "cpu/gemm/rows.h"

/* ---- where a slice goes --------------------------------------------------------------------- */

/* ---- bytes in groups ------------------------------------------------------------------------ */

/* Elements of x and y in turn. */
static llv interleave(lower *l, llv x, llv y) {
  unsigned n = emit_lanes(x);
  llv order[64];
  for (unsigned i = 0; i < 2 * n; i++)
    order[i] = LLVMConstInt(l->e.i32, i % 2 ? n + i / 2 : i / 2, 0);
  return LLVMBuildShuffleVector(l->e.b, x, y, LLVMConstVector(order, 2 * n), "");
}

/* Four rows of `count` bytes as `count` groups, each a byte from every row. */
static llv group_rows(lower *l, llv first, int64_t row, unsigned count) {
  llv x[4];
  LLVMTypeRef bytes = LLVMVectorType(l->e.i8, count), pairs = LLVMVectorType(l->e.i16, count);
  for (unsigned i = 0; i < 4; i++) {
    x[i] = LLVMBuildLoad2(l->e.b, bytes, emit_offsetk(&l->e, first, i * row), "");
    LLVMSetAlignment(x[i], 1);
  }
  llv low = LLVMBuildBitCast(l->e.b, interleave(l, x[0], x[1]), pairs, "");
  llv high = LLVMBuildBitCast(l->e.b, interleave(l, x[2], x[3]), pairs, "");
  return interleave(l, low, high);
}

/* A row-major slice of b goes to its panels: the columns' groups of four, row of groups by row. */
static void group_slice(lower *l, const kblock *k, buffer *from, llv to) {
  unsigned count = (unsigned)MIN(k->panel, 16), n_bits = log2_of(k->p.n);
  unsigned lanes = log2_of(count), panel = log2_of(k->panel);
  nest n;
  nest_begin(&n, l, n_bits + log2_of(k->p.k), true);
  if (n.n > n_bits + 2) nest_open(&n, n_bits + 2, n.n - n_bits - 2);
  unsigned rows = n.n_levels - 1;
  if (n_bits > panel) nest_open(&n, panel, n_bits - panel);
  unsigned panels = n.n_levels - 1;
  if (panel > lanes) nest_open(&n, lanes, panel - lanes);
  unsigned parts = n.n_levels - 1;
  nest_place_level(&n, parts);
  llv zero = k64(l, 0), row = rows ? n.levels[rows].index : zero;
  llv of_panel = panels > rows ? n.levels[panels].index : zero;
  llv part = parts > panels ? n.levels[parts].index : zero;
  llv column =
      fold_add(l, fold_mul(l, of_panel, k64(l, k->panel)), fold_mul(l, part, k64(l, count)));
  llv at = fold_add(l, fold_mul(l, row, k64(l, 4 * k->p.n)), column);
  llv target = fold_mul(l, of_panel, k64(l, k->slices * k->p.k * k->panel));
  target = fold_add(l, target, fold_mul(l, row, k64(l, 4 * k->panel)));
  target = fold_add(l, target, fold_mul(l, part, k64(l, 4 * count)));
  llv groups = group_rows(l, emit_offset(&l->e, from->ptr, at), k->p.n, count);
  LLVMSetAlignment(LLVMBuildStore(l->e.b, groups, emit_offset(&l->e, to, target)), 1);
  nest_end(&n);
}

/* ---- what is known about a slice of b ------------------------------------------------------- */

/* What is lowest in the slice. */
static llv low_of_slice(lower *l, const kblock *k, llv number) {
  return lower_element(l, k->b.lows->ptr, number, 8);
}

static void note_lowest(lower *l, const kblock *k, const buffer *slice, llv number) {
  int64_t length = k->slices * k->p.k, size = buffer_elem_bytes(slice);
  llv lowest = emit_pairs_lowest(&l->e, slice->ptr, k->p.n / k->panel, length * k->panel * size,
                                 k->b.slice_bytes);
  LLVMBuildStore(l->e.b, lowest, low_of_slice(l, k, number));
}

/* Where rows are few, going through the slice once more would take a while. */
static void look_for_lowest(lower *l, buffer *slice) {
  llv nothing = emit_lowest_nothing(&l->e);
  slice->lowest = lower_alloca(l, LLVMTypeOf(nothing), CACHE_LINE);
  LLVMBuildStore(l->e.b, nothing, slice->lowest);
}

/* ---- writing a slice, or leaving that of b -------------------------------------------------- */

/* `number`: of the slice among all. */
static void fill_slice(lower *l, const kblock *k, const side *s, buffer *to, llv number) {
  if (s->finite)
    LLVMBuildStore(l->e.b, k64(l, FINITE_UNKNOWN), lower_element(l, s->finite->ptr, number, 8));
  if (k->group == 1 || in_pairs(k) || s == &k->a) {
    bool meanwhile = s->lows && k->p.m <= PRODUCT_FEW_ROWS;
    if (meanwhile) look_for_lowest(l, to);
    materialise_into(l, s->v, to);
    if (meanwhile)
      LLVMBuildStore(l->e.b, emit_lowest_in(&l->e, to->lowest), low_of_slice(l, k, number));
    else if (s->lows)
      note_lowest(l, k, to, number);
    return;
  }
  buffer *rows = buffer_new(l, (tsr_elem)s->layout.elem, FORMAT_STORAGE, s->layout.n);
  rows->flipped = k->flipped;
  materialise_into(l, s->v, rows);
  group_slice(l, k, rows, to->ptr);
  buffer_touch(l, rows);
}

/* When the chunk is empty, says where its part of an operand will be. */
static void set_place(lower *l, const chunk_place *p, llv is_empty, llv stays, llv first, llv row) {
  llv flag = LLVMBuildZExt(l->e.b, stays, l->e.i64, "");
  llv now[] = {flag, first, row}, at[] = {p->stays, p->first, p->row};
  for (unsigned i = 0; i < ARRAY_LEN(at); i++) {
    llv v = LLVMBuildSelect(l->e.b, is_empty, now[i], load64(l, at[i]), "");
    LLVMBuildStore(l->e.b, v, at[i]);
  }
}

/* A slice of b where it lies. */
typedef struct plain_slice {
  matrix there;
  llv holds; /* i1: will it do for the micro-kernel to copy it? */
  llv whole; /* i1: does all of it count along k? */
  llv ends;  /* i1: must the chunk end before it? */
} plain_slice;

/* A chunk whose first slice of b counts as a whole and is not `known` (NULL: none is) to be in its
 * panels leaves b where it lies, until the micro-kernel copies it. (A slice that ends early has no
 * key then, and each tile block would copy it again.) */
static void leave_b(lower *l, const kblock *k, const plain_slice *x, llv filled, llv known) {
  LLVMBuilderRef b = l->e.b;
  llv stays = LLVMBuildAnd(b, x->holds, x->whole, "");
  if (known) stays = LLVMBuildAnd(b, stays, LLVMBuildNot(b, known, ""), "");
  llv is_empty = LLVMBuildICmp(b, LLVMIntEQ, filled, k64(l, 0), "");
  llv is_first = LLVMBuildICmp(b, LLVMIntEQ, load64(l, k->chunk), k64(l, 0), "");
  llv base = LLVMBuildPtrToInt(b, x->there.ptr, l->e.i64, "");
  kblock_note_b_start(l, k, LLVMBuildAnd(b, is_empty, is_first, ""), base);
  set_place(l, &k->b_place, is_empty, stays, base, x->there.row);
}

/* A slice, unless it is one of b that the micro-kernel will copy. Of a slice that ends early that
 * copies no more than counts, which may be too little for the next block: its key, at `key_at` (if
 * not NULL), holds for nothing. */
static void fill_unless_left(lower *l, const kblock *k, const side *s, const plain_slice *x,
                             buffer *to, llv number, llv key_at) {
  LLVMBuilderRef b = l->e.b;
  if (!x) {
    fill_slice(l, k, s, to, number);
    return;
  }
  llblock left = lower_new_block(l, "left"), fill = lower_new_block(l, "fill");
  llblock done = lower_new_block(l, "filled");
  LLVMBuildCondBr(b, is_set(l, k->b_place.stays), left, fill);
  LLVMPositionBuilderAtEnd(b, left);
  if (key_at) LLVMBuildStore(b, LLVMBuildZExt(b, x->whole, l->e.i64, ""), key_at);
  LLVMBuildBr(b, done);
  LLVMPositionBuilderAtEnd(b, fill);
  fill_slice(l, k, s, to, number);
  lower_go(l, done);
}

/* `b`: where the slice of b lies; NULL: that doesn't matter. */
static void write_slice(lower *l, const kblock *k, const side *s, llv filled,
                        const plain_slice *b) {
  buffer *to = kblock_slice(l, k, s, filled);
  buffer_touch(l, s->store);
  key x;
  llv number = kblock_slice_number(l, k, s, filled);
  if (!s->keys || !key_find(l, s->v, &x)) {
    if (b) leave_b(l, k, b, filled, NULL);
    fill_unless_left(l, k, s, b, to, number, NULL);
    return;
  }
  llv at = lower_element(l, s->keys->ptr, number, KEY_BYTES), holds = key_holds(l, &x, at);
  llblock known = lower_new_block(l, "known"), new = lower_new_block(l, "new");
  llblock done = lower_new_block(l, "slice");
  if (b) leave_b(l, k, b, filled, holds);
  LLVMBuildCondBr(l->e.b, holds, known, new);
  LLVMPositionBuilderAtEnd(l->e.b, known);
  kblock_prefetch_next_cached(l, k, s);
  LLVMBuildBr(l->e.b, done);
  LLVMPositionBuilderAtEnd(l->e.b, new);
  key_write(l, &x, at);
  fill_unless_left(l, k, s, b, to, number, at);
  kblock_prefetch_next_chunk(l, k, s);
  lower_go(l, done);
}

/* ---- slices where they lie ------------------------------------------------------------------ */

static llv chunk_first(lower *l, const kblock *k) {
  return LLVMBuildPtrToInt(l->e.b, kblock_chunk_address(l, k, &k->a), l->e.i64, "");
}

static llv chunk_row(lower *l, const kblock *k) {
  return k64(l, k->a_row * buffer_elem_bytes(&k->a.layout));
}

/* May this slice, `bytes` after the one before, be read where it lies, in a chunk that is? */
static llv slice_continues(lower *l, const chunk_place *p, const matrix *there, llv filled,
                           llv bytes) {
  LLVMBuilderRef b = l->e.b;
  llv expected = LLVMBuildAdd(b, load64(l, p->first), fold_mul(l, filled, bytes), "");
  llv base = LLVMBuildPtrToInt(b, there->ptr, l->e.i64, "");
  llv follows = LLVMBuildICmp(b, LLVMIntEQ, base, expected, "");
  llv alike = LLVMBuildICmp(b, LLVMIntEQ, there->row, load64(l, p->row), "");
  return LLVMBuildAnd(b, follows, alike, "");
}

/* Must the chunk, which isn't empty and stays, end before a slice of which that holds? */
static llv slice_ends(lower *l, const chunk_place *p, llv goes_on, llv filled) {
  LLVMBuilderRef b = l->e.b;
  llv some = LLVMBuildICmp(b, LLVMIntNE, filled, k64(l, 0), "");
  llv ends = LLVMBuildAnd(b, is_set(l, p->stays), LLVMBuildNot(b, goes_on, ""), "");
  return LLVMBuildAnd(b, ends, some, "");
}

/* Does all of a slice exist that will be read, where operand_in_place has found it? Rows of a that
 * count, and of the loop's last slice what counts along k, which the micro-kernel may round up to
 * an even number of groups. */
static llv enough_exists(lower *l, const kblock *k, const side *s, llv full) {
  LLVMBuilderRef b = l->e.b;
  const access *a = value_of(l, operand_loaded(l, s->v))->load;
  unsigned k_bits = log2_of(k->p.k), m_bits = log2_of(k->p.m);
  unsigned along_k = s == &k->a ? 0 : log2_of(k->p.n);
  if (a->pointers || a->mask || l->options->checks) return full;
  llv all = fold_and(l, a->ok, a->but_bounds);
  for (unsigned i = 0; i < a->n_bounds; i++) {
    const access_bound *bound = &a->bounds[i];
    llv wanted = k64(l, INT64_C(1) << bound->n);
    if (bound->first == along_k && bound->n == k_bits) {
      int64_t step = k->k_step * k->group;
      llv even = LLVMBuildAdd(b, kblock_slice_length(l, k), k64(l, step - 1), "");
      even = LLVMBuildAnd(b, even, k64(l, -step), "");
      wanted = LLVMBuildSelect(b, is_last_iteration(l, k), even, wanted, "");
    } else if (s == &k->a && bound->first == k_bits && bound->n == m_bits) {
      wanted = k->m;
    }
    all = fold_and(l, all, LLVMBuildICmp(b, LLVMIntUGE, bound->hi, wanted, "enough"));
  }
  return all;
}

/* A slice of a stays where it lies if its chunk's slices are rows one after the other in memory;
 * the chunk ends before one that isn't, and before one of b if that must (not NULL). The others are
 * copied. Returns how many slices the chunk has. */
static llv take_a(lower *l, kblock *k, llv b_ends) {
  LLVMBuilderRef b = l->e.b;
  llv filled = load64(l, k->filled), holds;
  llv is_empty = LLVMBuildICmp(b, LLVMIntEQ, filled, k64(l, 0), "");
  llv is_first = LLVMBuildICmp(b, LLVMIntEQ, load64(l, k->chunk), k64(l, 0), "");
  kblock_note_start(l, k, LLVMBuildAnd(b, is_empty, is_first, ""));
  matrix there;
  tsr_elem elem = k->group > 1 ? (tsr_elem)k->a.layout.elem : k->p.elem;
  if (!k->may_stay || !operand_in_place(l, k->a.v, elem, &there, &holds)) {
    filled = kblock_multiply_full(l, k, filled, b_ends);
    is_empty = LLVMBuildICmp(b, LLVMIntEQ, filled, k64(l, 0), "");
    set_place(l, &k->a_place, is_empty, LLVMConstNull(l->e.i1), chunk_first(l, k), chunk_row(l, k));
    write_slice(l, k, &k->a, filled, NULL);
    if (!k->a.keys) kblock_prefetch_next_chunk(l, k, &k->a);
    return filled;
  }
  NOTE_MATCH(l, A_IN_PLACE, .value = k->a.v);
  holds = enough_exists(l, k, &k->a, holds);
  if (!holds) holds = LLVMConstAllOnes(l->e.i1);
  llv goes_on = slice_continues(l, &k->a_place, &there, filled, k64(l, k->a.slice_bytes));
  llv ends = slice_ends(l, &k->a_place, LLVMBuildAnd(b, holds, goes_on, ""), filled);
  filled = kblock_multiply_full(l, k, filled, b_ends ? LLVMBuildOr(b, ends, b_ends, "") : ends);

  is_empty = LLVMBuildICmp(b, LLVMIntEQ, filled, k64(l, 0), "");
  llv base = LLVMBuildPtrToInt(b, there.ptr, l->e.i64, "");
  llv first = LLVMBuildSelect(b, holds, base, chunk_first(l, k), "");
  llv row = LLVMBuildSelect(b, holds, there.row, chunk_row(l, k), "");
  set_place(l, &k->a_place, is_empty, holds, first, row);
  /* What must be copied is at an edge, as a rule, so it isn't worth two versions. */
  buffer_touch(l, k->a.store);
  llv moves = LLVMBuildNot(b, is_set(l, k->a_place.stays), "");
  copy_when(l, moves, operand_loaded(l, k->a.v), kblock_slice(l, k, &k->a, filled));
  kblock_prefetch_next_chunk(l, k, &k->a);
  return filled;
}

/* All columns count, since those that don't would not be copied. */
static bool look_at_b(lower *l, const kblock *k, plain_slice *x) {
  LLVMBuilderRef b = l->e.b;
  llv holds, filled = load64(l, k->filled), columns = k64(l, k->p.n);
  if (!k->copies || !operand_in_place(l, k->b.v, k->p.elem, &x->there, &holds)) return false;
  NOTE_MATCH(l, PACK_IN_KERNEL, .value = k->b.v);
  holds = enough_exists(l, k, &k->b, holds);
  x->holds = fold_and(l, holds, LLVMBuildICmp(b, LLVMIntEQ, k->n, columns, ""));
  x->whole = LLVMBuildICmp(b, LLVMIntEQ, kblock_slice_length(l, k), k64(l, k->p.k), "");
  llv bytes = fold_mul(l, x->there.row, k64(l, k->p.k));
  llv goes_on = slice_continues(l, &k->b_place, &x->there, filled, bytes);
  x->ends = slice_ends(l, &k->b_place, LLVMBuildAnd(b, x->holds, goes_on, ""), filled);
  return true;
}

/* ---- rows by their addresses ---------------------------------------------------------------- */

/* The addresses of rows in memory, and between which of all the loop's rows lie: where that is more
 * than the chunk's, the result may be written in two steps for nothing. */
static void list_rows(lower *l, const kblock *k, buffer *table) {
  const access *a = rows_write(l, k->a.v, table);
  llv low = k64(l, 0), high = k64(l, -1);
  if (!a->index) access_range(l, a, &low, &high);
  llv lows[] = {load64(l, k->low), low}, highs[] = {load64(l, k->high), high};
  low = emit_intrinsic(&l->e, "llvm.umin", &l->e.i64, 1, lows, 2);
  high = emit_intrinsic(&l->e, "llvm.umax", &l->e.i64, 1, highs, 2);
  LLVMBuildStore(l->e.b, low, k->low);
  LLVMBuildStore(l->e.b, high, k->high);
  if (!k->zero_rows) return;
  llv lacks = k64(l, 1);
  if (a->checked && !a->index)
    lacks = a->full ? LLVMBuildZExt(l->e.b, LLVMBuildNot(l->e.b, a->full, ""), l->e.i64, "")
                    : k64(l, 0);
  LLVMBuildStore(l->e.b, LLVMBuildOr(l->e.b, load64(l, k->zero_rows), lacks, ""), k->zero_rows);
}

static void copy_rows(lower *l, const kblock *k, llv filled, buffer *table) {
  write_slice(l, k, &k->a, filled, NULL);
  llv first = LLVMBuildPtrToInt(l->e.b, kblock_slice(l, k, &k->a, filled)->ptr, l->e.i64, "");
  rows_write_copies(l, first, k->a_row * buffer_elem_bytes(&k->a.layout), table);
}

/* How much of the slice along k counts: beyond that both operands are zero, of which a's rows have
 * `*length` at least. The micro-kernel takes two groups at least. Returns whether rows by their
 * addresses have as much, if that is `known`. */
static llv find_length(lower *l, const kblock *k, llv known, llv *length) {
  int64_t whole, all = k->p.k;
  if (is_const(*length, &whole) && whole == all) return known;
  llv have = *length,
      least = fold_min_max(l, "llvm.umax", rows_length_of_b(l, k->b.v, log2_of(k->p.n)),
                           k64(l, 2 * k->group));
  *length = fold_min_max(l, "llvm.umax", have, least);
  llv odd = LLVMBuildAnd(l->e.b, *length, k64(l, k->group - 1), "");
  llv even = LLVMBuildICmp(l->e.b, LLVMIntEQ, odd, k64(l, 0), "");
  llv enough = LLVMBuildICmp(l->e.b, LLVMIntUGE, have, least, "enough");
  return fold_and(l, known, fold_and(l, even, enough));
}

/* The addresses of a slice's rows; of copies where the program's own won't do. */
static llv take_rows(lower *l, kblock *k) {
  llv filled = kblock_multiply_full(l, k, load64(l, k->filled), NULL);
  llv at = emit_offset(&l->e, k->table->ptr, fold_mul(l, filled, k64(l, k->p.m * ADDRESS)));
  buffer *table = kblock_addresses(l, k, k->table, at);
  llv length, known = rows_find(l, k->a.v, table, &length);
  if (known) known = find_length(l, k, known, &length);
  llv groups = LLVMBuildAdd(l->e.b, length, k64(l, k->group - 1), "");
  groups = LLVMBuildLShr(l->e.b, groups, k64(l, log2_of(k->group)), "");
  LLVMBuildStore(l->e.b, groups, lower_element(l, k->lengths->ptr, filled, 8));
  int64_t always;
  if (known && is_const(known, &always) && always) {
    list_rows(l, k, table);
    return filled;
  }
  if (!known) {
    copy_rows(l, k, filled, table);
    return filled;
  }
  llblock there = lower_new_block(l, "there"), copy = lower_new_block(l, "copy");
  llblock done = lower_new_block(l, "slice");
  LLVMBuildCondBr(l->e.b, known, there, copy);
  LLVMPositionBuilderAtEnd(l->e.b, there);
  list_rows(l, k, table);
  LLVMBuildBr(l->e.b, done);
  LLVMPositionBuilderAtEnd(l->e.b, copy);
  copy_rows(l, k, filled, table);
  lower_go(l, done);
  return filled;
}

/* ---- an iteration --------------------------------------------------------------------------- */

void kblock_take_slices(lower *l, kblock *k) {
  plain_slice b;
  bool plain = look_at_b(l, k, &b);
  llv filled = k->by_rows ? take_rows(l, k) : take_a(l, k, plain ? b.ends : NULL);
  write_slice(l, k, &k->b, filled, plain ? &b : NULL);
  if (in_pairs(k)) {
    llv low = load64(l, low_of_slice(l, k, kblock_slice_number(l, k, &k->b, filled)));
    LLVMBuildStore(l->e.b, umin64(l, load64(l, k->lowest), low), k->lowest);
  }
  if (!k->b.keys) kblock_prefetch_next_chunk(l, k, &k->b);
  LLVMBuildStore(l->e.b, k->by_rows ? k64(l, k->p.k) : kblock_slice_length(l, k), k->tail);
  llv now = LLVMBuildAdd(l->e.b, filled, k64(l, 1), "");
  LLVMBuildStore(l->e.b, now, k->filled);
}
