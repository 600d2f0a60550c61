/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Products along a loop (kblock.h): which they are, how their chunks are laid out, what of them
 * counts, where the result may go; and what is called around the loop and in it.
 *
 *   a, a chunk:  rows of CHUNK_K elements, and a    slice s: columns s * k … of each row
 *                cache line
 *      (transposed, where a lies so in memory: nothing needs turning, and the micro-kernel takes
 *      any strides)
 *   b, a chunk:  panels of as many columns as the   slice s: rows s * k … of each panel
 *                micro-kernel takes, CHUNK_K rows
 *
 * (of bytes and pairs of bf16, which are multiplied in groups along k, CHUNK_K groups).
 */
#include "cpu/gemm/kblock.h"

#include "cpu/core/function.h"
#include "cpu/core/notes.h"
#include "cpu/plan/access.h"
#include "cpu/plan/grid.h"
#include "cpu/plan/map.h"
#include "cpu/plan/plan.h"
#include "cpu/plan/product.h"
#include "cpu/plan/scratch.h"
#include "cpu/nest/analysis.h"
#include "cpu/nest/group.h"
#include "cpu/memory/prepare.h"
#include "cpu/memory/streaming.h"
#include "cpu/memory/write_prefetch.h"
#include "cpu/gemm/ukernel/ukernel.h"
#include "cpu/gemm/kblock_chunk.h"
#include "cpu/gemm/kblock_multiply.h"
#include "cpu/gemm/kblock_prefetch.h"
#include "cpu/gemm/kblock_slices.h"
#include "cpu/gemm/product.h"
#include "cpu/gemm/reuse.h"
#include "cpu/gemm/rows.h"
#include "cpu/gemm/zero_rows.h"

enum {
  CHUNK_K = 256,
  TRANSPOSED_K = 128,    /* of chunks with a transposed a: see lay_out */
  CHUNK_BYTES = 1 << 19, /* of both operands */
  MOST_BYTES = 63 << 15, /* of that and a product's other memory; keys come to that: 2 MB */
  MAX_STEPS = 256,       /* of a search through the program */
  MIN_ROW = 16,          /* elements of a slice of a row that is worth an address */
};

/* ---- which products ------------------------------------------------------------------------- */

static ir_op *only_user(const ir_value *v) {
  return ir_has_one_use(v) ? v->uses->user : NULL;
}

typedef struct jumps {
  const ir_op *loop, *last;
} jumps;

static bool is_elsewhere(void *user, ir_op *op) {
  const jumps *j = user;
  if (op->opcode != OP_continue || op == j->last) return true;
  const ir_op *up = op->block->parent;
  while (up->opcode == OP_if) up = up->block->parent;
  return up != j->loop;
}

/* Is there no way around the end of the loop's body? */
static bool always_ends(ir_op *loop, const ir_op *last) {
  jumps j = {loop, last};
  return ir_walk(loop, is_elsewhere, &j);
}

/* The product that the loop's index-th iteration value is for; NULL when it serves anything else,
 * or when each iteration rounds. */
static ir_op *product_of(ir_op *loop, uint32_t index) {
  ir_block *body = ir_region(loop, 0);
  ir_value *acc = &body->args[1 + index];
  ir_op *op = only_user(acc);
  if (!op || op->block != body || (op->opcode != OP_mmaf && op->opcode != OP_mmai)) return NULL;
  if (ir_operand(op, 2) != acc || acc->type->count == 1) return NULL;
  if (tsr_elem_bits(acc->type->elem) < 32) return NULL;
  ir_op *next = only_user(ir_result(op, 0));
  if (!next || next->opcode != OP_continue || next->block != body) return NULL;
  return ir_operand(next, index) == ir_result(op, 0) && always_ends(loop, next) ? op : NULL;
}

/* ---- layout --------------------------------------------------------------------------------- */

static void set_layout(side *s, ir_value *v, buffer_format format) {
  s->v = v;
  s->layout = (buffer){
      .elem = (uint8_t)v->type->elem, .format = (uint8_t)format, .n = (uint8_t)tile_bits(v->type)};
}

static void lay_out(kblock *k) {
  int64_t length = k->slices * k->p.k; /* of a chunk along k */
  unsigned k_bits = log2_of(k->p.k), n_bits = log2_of(k->p.n), m_bits = log2_of(k->p.m);
  int64_t size = buffer_elem_bytes(&k->a.layout);
  /* Rows a power of two apart would share a few sets of the first-level cache. (Those of a
   * transposed a often are so in memory, and share sets of the second level while they wait there
   * to be copied: a chunk of half the length doesn't fill these.) */
  int64_t row = (k->a_transposed ? k->p.m : length) + MMA_LINE / size;
  k->a_row = k->a_transposed ? 1 : row;
  k->a_col = k->a_transposed ? row : 1;
  for (unsigned j = 0; j < m_bits; j++) k->a.layout.stride[k_bits + j] = (int32_t)(k->a_row << j);
  for (unsigned j = 0; j < k_bits; j++) {
    k->a.layout.stride[j] = (int32_t)(k->a_col << j);
    k->b.layout.stride[n_bits + j] = (int32_t)(k->panel << j);
  }
  for (unsigned j = 0; j < n_bits; j++) {
    int64_t in_panel = INT64_C(1) << j;
    k->b.layout.stride[j] =
        (int32_t)(in_panel < k->panel ? in_panel : in_panel / k->panel * (length * k->panel));
    if (in_pairs(k) && in_panel < k->panel) k->b.layout.stride[j] *= 2;
  }
  if (in_pairs(k)) k->b.layout.stride[n_bits] = 1;
  k->a.slice_bytes = k->p.k * k->a_col * size;
  k->a.chunk_bytes = (k->a_transposed ? length : k->p.m) * row * size;
  k->b.slice_bytes = k->p.k * k->panel * size;
  k->b.chunk_bytes = k->p.n * length * size;
}

/* The chunks of a side; with keys when slices are to be reused. */
static void make_room(lower *l, kblock *k, side *s, bool reuse) {
  int64_t sums = k->p.m * sums_row(k);
  int64_t others = k->a.chunk_bytes + k->b.chunk_bytes - s->chunk_bytes + sums;
  int64_t left = MIN(REUSE_BYTES, MOST_BYTES - others) - l->reuse_bytes;
  reuse &= left >= s->chunk_bytes && is_on(l, PATTERN_REUSE_SLICES);
  s->chunks = reuse ? left / s->chunk_bytes : 1;
  s->store = buffer_bytes(l, (uint64_t)(s->chunks * s->chunk_bytes));
  NOTE(l, .kind = NOTE_PACK, .value = s->v, .n = {s->chunks * s->chunk_bytes, s == &k->b});
  if (!reuse) return;
  NOTE_MATCH(l, REUSE_SLICES, .value = s->v, .n = {s->chunks});
  l->reuse_bytes += s->chunks * s->chunk_bytes;
  buffer_persists(s->store);
  s->keys = buffer_bytes(l, (uint64_t)(s->chunks * k->slices * KEY_BYTES));
  s->keys->keys = true;
  buffer_persists(s->keys);
}

/* ---- what counts ---------------------------------------------------------------------------- */

/* Does all that becomes of `v` go into the store, each element where it is? */
static bool only_stored(const ir_value *v, const ir_op *store) {
  int64_t count = v->type->count;
  for (unsigned steps = 0; steps < MAX_STEPS; steps++) {
    ir_op *op = only_user(v);
    if (op == store) return stored_value(op) == v;
    bool alike = op && (ir_row(op)->traits & TRAIT_ELEMENTWISE || op->opcode == OP_reshape);
    if (!alike || op->n_results != 1) return false;
    v = ir_result(op, 0);
    if (v->type->count != count) return false;
  }
  return false;
}

/* Rows and columns of the result that reach memory; the others need not be right. */
static void find_extents(lower *l, kblock *k, uint32_t index, ir_op *store, const access *a) {
  unsigned n_bits = log2_of(k->p.n);
  k->m = k64(l, k->p.m);
  k->n = k64(l, k->p.n);
  bool counted =
      is_on(l, PATTERN_RESULT_EXTENTS) && store && only_stored(ir_result(k->loop, index), store);
  if (counted) NOTE_MATCH(l, RESULT_EXTENTS, .op = store);
  if (k->by_rows) {
    k->order = rows_order(l, counted ? a : NULL, n_bits, log2_of(k->p.m));
    k->m = k->order.count;
  } else if (counted) {
    k->m = kblock_extent(l, a, n_bits, log2_of(k->p.m));
  }
  if (counted) k->n = kblock_extent(l, a, 0, n_bits);
}

/* Is this a product of more rows than are best multiplied where b lies? The micro-kernel takes two
 * steps along k at a time. */
static bool is_worth_it(lower *l, const product *p) {
  return p->batches == 1 && (p->m > PRODUCT_FEW_ROWS || product_in_pairs(l, p)) && p->k > 1;
}

static bool is_of_bytes(const product *p) {
  return p->op->opcode == OP_mmai && p->k >= 8;
}

/* Short slices would look up addresses too often. */
static bool takes_rows(lower *l, const kblock *k) {
  tsr_elem elem = in_pairs(k) ? TSR_BF16 : k->p.elem;
  return is_on(l, PATTERN_ROW_ADDRESSES) && !is_of_bytes(&k->p) && !k->p.in_sum_blocks &&
         k->p.k >= MIN_ROW && !plan_writes(k->loop) && rows_expected(ir_operand(k->p.op, 0), elem);
}

/* ---- where the result may go ---------------------------------------------------------------- */

/* Does nothing between the two, in one block, touch memory? */
static bool only_pure_between(const ir_op *first, const ir_op *last) {
  for (const ir_op *op = first->next; op != last; op = op->next)
    if (!(ir_row(op)->traits & TRAIT_PURE)) return false;
  return true;
}

/* Does all exist that is written of the result? Rows that count, and all columns where the
 * micro-kernel doesn't leave out those that don't. */
static llv result_exists(lower *l, const kblock *k, const access *a) {
  unsigned n_bits = log2_of(k->p.n), m_bits = log2_of(k->p.m);
  index_map identity = map_identity(a->n);
  bound_uses uses = {0};
  llv others;
  access_bounds(l, a, &identity, &uses, &others);
  llv all = fold_and(l, a->ok, others);
  for (uint32_t i = 0; i < uses.len; i++) {
    const bound_use *u = &uses.data[i];
    bool rows = u->first == (int)n_bits && u->n == m_bits;
    bool columns = u->first == 0 && u->n == n_bits;
    bool some = rows || (columns && k->to_column);
    llv wanted = k64(l, some ? 1 : INT64_C(1) << u->n);
    all = fold_and(l, all, LLVMBuildICmp(l->e.b, LLVMIntUGE, u->hi, wanted, "exists"));
    if (u->lo)
      all = fold_and(l, all, LLVMBuildICmp(l->e.b, LLVMIntEQ, u->lo, k64(l, 0), "from_first"));
  }
  return all;
}

/* Are the stores of the result non-temporal? They are of whole lines, and where nothing of it has
 * been read. NULL: no. */
static llv is_non_temporal(lower *l, const kblock *k, const ir_op *store, const access *a) {
  if (k->by_rows || !k->start_value || k->panel * access_unit(a) < CACHE_LINE) return NULL;
  llv large = stream_is_large(l, store, k->p.m * k->p.n * access_unit(a), true);
  if (!large) return NULL;
  llv places = fold_or(l, fold_or(l, a->across, a->base), k->result_row);
  llv rest = LLVMBuildAnd(l->e.b, places, k64(l, CACHE_LINE - 1), "");
  l->streams = true;
  NOTE_MATCH(l, NON_TEMPORAL, .op = store);
  return LLVMBuildAnd(l->e.b, large, LLVMBuildICmp(l->e.b, LLVMIntEQ, rest, k64(l, 0), ""), "past");
}

/* May the last chunk write the result to where the store puts it? */
static void find_result(lower *l, kblock *k, uint32_t index, ir_op *store, access *a) {
  unsigned along;
  const ir_value *v = ir_result(k->loop, index);
  if (!is_on(l, PATTERN_RESULT_IN_PLACE)) return;
  if (!store || l->options->checks || k->p.in_sum_blocks || k->p.batches > 1) return;
  ir_op *user = only_user(v);
  for (; k->by_rows && user && user->opcode == OP_reshape; user = only_user(v))
    v = ir_result(user, 0);
  if (user != store || stored_value(store) != v) return;
  bool weak = ir_int_attr(store, ATTR_memory_ordering_semantics) == ORDER_WEAK;
  if (!weak || !only_pure_between(k->loop, store) || !a->linear || !a->checked) return;
  if (k->by_rows) {
    k->result_holds = rows_of_store(l, a, log2_of(k->p.n));
    if (!k->result_holds) return;
  } else {
    bool found = kblock_rows_of(l, a, v->type, &along, &k->result_row);
    if (!found || along + 1u != v->type->rank) return;
    k->result_holds = result_exists(l, k, a);
  }
  k->store = store;
  k->result = a;
  NOTE_MATCH(l, RESULT_IN_PLACE, .op = store);
  k->non_temporal = is_non_temporal(l, k, store, a);
}

/* ---- before the loop ------------------------------------------------------------------------ */

static void make_tables(lower *l, kblock *k) {
  k->table = buffer_bytes(l, (uint64_t)(k->slices * k->p.m * ADDRESS));
  k->lengths = buffer_bytes(l, (uint64_t)(k->slices * 8));
  k->targets = buffer_bytes(l, (uint64_t)(k->p.m * ADDRESS));
  k->low = lower_alloca(l, l->e.i64, 8);
  k->high = lower_alloca(l, l->e.i64, 8);
  LLVMBuildStore(l->e.b, k64(l, -1), k->low);
  LLVMBuildStore(l->e.b, k64(l, 0), k->high);
}

/* Rows may lack slices. */
static void make_zero_rows(lower *l, kblock *k) {
  if (!is_on(l, PATTERN_ZERO_ROWS) || !zero_rows_fit(l, k->p.m)) return;
  NOTE_MATCH(l, ZERO_ROWS, .value = k->a.v);
  k->zero_slices = buffer_new(l, TSR_I64, FORMAT_LANES, log2_of(k->p.m));
  k->sorted = buffer_new(l, TSR_I64, FORMAT_LANES, log2_of(k->p.m));
  k->b.finite = buffer_bytes(l, (uint64_t)(k->b.chunks * k->slices * 8));
  buffer_persists(k->b.finite);
  k->zero_rows = lower_alloca(l, l->e.i64, 8);
  LLVMBuildStore(l->e.b, k64(l, 0), k->zero_rows);
}

static void make_lows(lower *l, kblock *k) {
  k->b.lows = buffer_bytes(l, (uint64_t)(k->b.chunks * k->slices * 8));
  buffer_persists(k->b.lows);
  k->lowest = lower_alloca(l, l->e.i64, 8);
  LLVMBuildStore(l->e.b, k64(l, PAIRS_HIGH), k->lowest);
}

static void note_layout(lower *l, const kblock *k) {
  const ir_op *op = k->p.op;
  NOTE_MATCH(l, K_BLOCKING, .op = op, .n = {k->slices, k->slices * k->p.k});
  if (in_pairs(k)) NOTE_MATCH(l, BF16_PAIRS, .op = op);
  if (k->group > 1 && !in_pairs(k)) NOTE_MATCH(l, BYTE_GROUPS, .op = op, .n = {k->group});
  if (k->a_transposed) NOTE_MATCH(l, TRANSPOSED_A, .value = k->a.v);
  if (k->by_rows) NOTE_MATCH(l, ROW_ADDRESSES, .value = k->a.v);
  if (k->start_value) NOTE_MATCH(l, EMPTY_SUMS, .op = op);
}

static void defer(lower *l, kblock *k, ir_op *op) {
  const product *p = &k->p;
  bool dot = k->group > 1;
  k->flipped =
      dot && !in_pairs(k) && emit_dot_flips(&l->e, side_is_signed(op, 0), side_is_signed(op, 1));
  set_layout(&k->a, ir_operand(op, 0), dot ? FORMAT_STORAGE : product_format(op, 0));
  set_layout(&k->b, ir_operand(op, 1),
             in_pairs(k) ? FORMAT_PAIRS
             : dot       ? FORMAT_STORAGE
                         : product_format(op, 1));
  int64_t size = buffer_elem_bytes(&k->a.layout);
  k->slices = MAX((k->a_transposed ? TRANSPOSED_K : CHUNK_K) * k->group / p->k, 1);
  while (k->slices > 1 && (p->m + p->n) * k->slices * p->k * size > CHUNK_BYTES) k->slices /= 2;
  int64_t length = k->slices * p->k / k->group, whole;
  k->panel = emit_mma_panel(&l->e, p->elem, p->m, p->n, length);
  k->k_step = in_pairs(k) ? 2 : emit_mma_k_step(&l->e, p->elem, p->m, p->n, length);
  k->to_column = !k->by_rows && !in_pairs(k) &&
                 !(is_const(k->n, &whole) && whole % k->panel == 0) &&
                 emit_mma_ends_anywhere(&l->e, p->elem, p->m, p->n, length);
  lay_out(k);
  note_layout(l, k);
  bool stable = reads_are_stable(l, k->loop);
  bool a_moves = grid_follows(k->a.v, 0), b_moves = grid_follows(k->b.v, 0);
  k->may_stay = is_on(l, PATTERN_A_IN_PLACE) && !plan_writes(k->loop) && !k->a_transposed;
  k->copies = is_on(l, PATTERN_PACK_IN_KERNEL) && k->group == 1 && !k->by_rows &&
              !p->in_sum_blocks && !plan_writes(k->loop) &&
              columns_adjoin(ir_operand(op, 1), p->elem) &&
              emit_mma_copies(&l->e, p->elem, p->m, p->n, length);
  make_room(l, k, &k->b, stable && (!b_moves || a_moves));
  make_room(l, k, &k->a, stable && !a_moves && b_moves && !k->by_rows);
  if (k->by_rows) {
    make_tables(l, k);
    make_zero_rows(l, k);
  }
  if (in_pairs(k)) make_lows(l, k);
  k->starts = buffer_bytes(l, STARTS * 8);
  k->starts->keys = true;
  buffer_persists(k->starts);
  chunk_place *a = &k->a_place, *b = &k->b_place;
  llv *counters[] = {&k->filled, &k->chunk, &k->tail, &k->a.last, &k->b.last, &k->next_start,
                     &a->stays,  &a->first, &a->row,  &b->stays,  &b->first,  &b->row};
  for (unsigned i = 0; i < ARRAY_LEN(counters); i++) {
    *counters[i] = lower_alloca(l, l->e.i64, 8);
    LLVMBuildStore(l->e.b, k64(l, 0), *counters[i]);
  }
  k->fresh = lower_alloca(l, l->e.i64, 8);
  LLVMBuildStore(l->e.b, k64(l, k->start_value != NULL), k->fresh);
  k->deferred = true;
}

static void begin(lower *l, ir_op *loop, const for_range *range, uint32_t index, ir_op *op) {
  kblock *k = arena_new(l->arena, kblock);
  *k = (kblock){.p = product_of_op(op, product_elem(op)), .loop = loop, .range = *range};
  ir_op *store = next_store(l, loop);
  access *a = NULL;
  if (store) access_prepare(l, store, &a);
  bool bytes = is_of_bytes(&k->p) && is_on(l, PATTERN_BYTE_GROUPS);
  k->group = bytes ? emit_dot_group(&l->e, TSR_I8, k->p.n, k->p.k) : pairs_fit(l, &k->p) ? 2 : 1;
  bool defers = is_worth_it(l, &k->p) && is_on(l, PATTERN_K_BLOCKING);
  k->a_transposed = defers && k->group == 1 && is_on(l, PATTERN_TRANSPOSED_A) &&
                    rows_transposed(ir_operand(op, 0));
  k->by_rows = defers && !k->a_transposed && takes_rows(l, k);
  find_extents(l, k, index, store, a);
  if (defers) {
    uint32_t n;
    ir_value *start = ir_operand_group(loop, 3, &n)[index].value;
    if (product_starts_empty(l, &k->p, start)) k->start_value = start;
    defer(l, k, op);
    find_result(l, k, index, store, a);
    kblock_begin_prefetch(l, k, store, a);
  }
  *map_put(l->arena, &l->kblocks, (uintptr_t)op) = (uintptr_t)k;
  if (k->store) *map_put(l->arena, &l->kblocks, (uintptr_t)k->store) = (uintptr_t)k;
}

void kblock_begin(lower *l, ir_op *loop, const for_range *range) {
  uint32_t n;
  ir_operand_group(loop, 3, &n);
  for (uint32_t i = 0; i < n; i++) {
    ir_op *op = product_of(loop, i);
    if (op) begin(l, loop, range, i, op);
  }
}

/* ---- what is asked about a product ---------------------------------------------------------- */

static kblock *find(const lower *l, const ir_op *op) {
  uintptr_t *found = op ? map_get(&l->kblocks, (uintptr_t)op) : NULL;
  return found ? (kblock *)*found : NULL;
}

bool kblock_defers(const lower *l, const ir_op *op) {
  const kblock *k = find(l, op);
  return k && k->deferred;
}

void kblock_extents(lower *l, product *p) {
  const kblock *k = find(l, p->op);
  if (!k) return;
  p->rows = k->m;
  p->cols = k->n;
}

bool kblock_starts_empty(lower *l, ir_op *loop, uint32_t index) {
  const kblock *k = loop->opcode == OP_for ? find(l, product_of(loop, index)) : NULL;
  return k && k->deferred && k->start_value;
}

llv kblock_stored(lower *l, const ir_op *store) {
  const kblock *k = find(l, store);
  return k ? k->stored : NULL;
}

/* ---- in the loop and after it -------------------------------------------------------------- */

bool kblock_add(lower *l, ir_op *op, buffer *acc) {
  kblock *k = find(l, op);
  if (!k || !k->deferred) return false;
  k->to = acc;
  group_flush(l);
  kblock_take_slices(l, k);
  return true;
}

void kblock_end(lower *l, ir_op *loop) {
  uint32_t n;
  ir_operand_group(loop, 3, &n);
  kblock *last = NULL; /* its result may lie where the others' operands do */
  for (uint32_t i = 0; i < n; i++) {
    kblock *k = find(l, product_of(loop, i));
    if (!k || !k->deferred) continue;
    if (k->store)
      last = k;
    else
      kblock_finish(l, k);
  }
  if (last) kblock_finish(l, last);
}
