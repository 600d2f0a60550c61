/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Matrix products along a loop, several iterations at a time.
 *
 *   for … iter_values(acc) { …; acc' = mma a, b, acc; continue acc' }
 *
 * Nobody sees the accumulator while the loop runs, so the products may be added up later: each
 * iteration only writes its operands, a *slice*, to where the micro-kernel wants them, and once a
 * *chunk* of slices is full (about CHUNK_K along k), or the loop has ended, one call multiplies all
 * of it. So the accumulator goes through the registers once per chunk, not once per iteration.
 *
 *   a, a chunk:  rows of CHUNK_K elements, and a    slice s: columns s * k … of each row
 *                cache line
 *      (transposed, where a lies so in memory: nothing needs turning, and the micro-kernel takes
 *      any strides)
 *   b, a chunk:  panels of as many columns as the   slice s: rows s * k … of each panel
 *                micro-kernel takes, CHUNK_K rows
 *
 * (of bytes and pairs of bf16, which are multiplied in groups along k, CHUNK_K groups).
 *
 * a need not be copied where its slices lie one behind the other in memory, or where the address of
 * each row says all (rows.c). Such a b is left there, too, until the micro-kernel copies it while
 * it multiplies the first rows. The accumulator isn't read by the first chunk when it starts from
 * zero, and not written by the last one when its sums can go to the result at once.
 *
 * Slices of neighbours. Tile blocks that differ in x only follow one another on a thread, and as a
 * rule one operand is the same for them all. Its chunks are kept apart (as many as fit into
 * REUSE_BYTES; what comes later shares the last one), and each slice has a key: all numbers that
 * decide what is in it. A slice whose key is what it was is not written again. Keys are zeroed
 * before a launch (cpu_sizes.keys_bytes). What else has to hold is said in
 * reuse.c.
 */
#include "cpu/matrix.h"

enum {
  CHUNK_K = 256,
  TURNED_K = 128,        /* of chunks with a transposed a: see lay_out */
  CHUNK_BYTES = 1 << 19, /* of both operands */
  MOST_BYTES = 63 << 15, /* of that and a product's other memory; keys come to that: 2 MB */
  MAX_STEPS = 256,       /* of a search through the program */
  MIN_ROW = 32,          /* elements of a slice of a row that is worth an address */
};

enum { ADDRESS = 8 }; /* bytes */

/* One operand. */
typedef struct side {
  ir_value *v;
  buffer layout;       /* format and strides of a slice */
  buffer *store;       /* all chunks */
  int64_t slice_bytes; /* from a slice to the next in its chunk */
  int64_t chunk_bytes;
  int64_t chunks;
  buffer *keys; /* NULL: slices are not reused */
  buffer *lows; /* b, in pairs: what is lowest in each slice, an i64; else NULL */
  /* b, where rows may have gaps: of each slice, i64, whether it is finite; else NULL */
  buffer *finite;
  llv last; /* i64 in memory: where the last slice came from; 0: nowhere, or it was there */
} side;

/* Where the chunk's part of an operand is; i64 in memory. */
typedef struct chunk_place {
  llv stays;      /* was it left where it lay? (b until the micro-kernel copies it) */
  llv first, row; /* address of the first slice; bytes from row to row */
} chunk_place;

/* Where first slices came from. */
typedef enum block_start {
  START_A,
  START_A_ROW, /* in the first tile block along x */
  START_B,
  START_B_STEP, /* from the one before, which was another */
  STARTS
} block_start;

typedef struct kblock {
  product p;
  ir_op *loop;
  int64_t slices;       /* of a chunk */
  int64_t panel;        /* columns */
  int64_t group;        /* elements along k that are multiplied at once: 1, 2 of bf16, or 4 bytes */
  bool flipped;         /* the top bits of b's bytes are: see emit_mma_dot */
  bool turned;          /* a's chunk is transposed, as it lies in memory */
  int64_t k_step;       /* groups that the micro-kernel rounds up to */
  bool to_column;       /* the micro-kernel writes no column that doesn't count */
  int64_t a_row, a_col; /* elements between rows and columns of a's chunk */
  side a, b;
  bool deferred;
  llv m, n;          /* rows and columns of the result that count */
  llv filled, chunk; /* i64 in memory: slices in the chunk; the chunk's number in this loop */
  llv lowest;        /* i64 in memory: pairs: what is lowest in the chunk's part of b */
  llv tail;          /* i64 in memory: how much of the last slice counts along k */
  llv ahead;         /* mma_region[MMA_REGIONS] in memory: for a, b and the result */
  bool may_stay;     /* a is not written to before the chunk is multiplied */
  bool copies;       /* nor is b, which the micro-kernel copies where it is a plain matrix */
  chunk_place a_place, b_place;
  bool by_rows;    /* a is a table of addresses of rows, slice by slice; a_place isn't used */
  buffer *table;   /* m addresses for each slice of the chunk */
  row_order order; /* by rows: which of them count */
  llv low, high;   /* by rows, i64 in memory: between which addresses they lie */
  buffer *targets; /* by rows: m addresses of what is written */
  /* by rows: i64 for each, how many slices it has nothing in; the rows in an order by that */
  buffer *lacking, *sorted;
  llv gaps; /* by rows, i64 in memory: rows of the chunk may have gaps; NULL: that doesn't matter */
  buffer *starts; /* i64 for each block_start, from block to block; zeros at first */
  llv next_start; /* i64 in memory: where it will probably come from in the next; 0: unknown */
  for_range range;
  buffer *to;            /* the accumulator */
  ir_value *start_value; /* of it, when that is zero and need not be written; else NULL */
  llv fresh;             /* i64 in memory: nothing has been added to the accumulator yet */
  ir_op *store;   /* what alone takes the result, as it is: the last chunk may write it; or NULL */
  access *result; /* where to */
  llv result_row; /* bytes between its rows */
  llv result_holds; /* i1: all of it exists (by rows: all of each row that does); NULL: it does */
  llv stored;       /* i1, behind the loop: that was done */
  llv past;         /* i1: the last chunk writes past the cache; NULL: it doesn't */
} kblock;

/* ---- memory --------------------------------------------------------------------------------- */

static llv load64(lower *l, llv at) {
  return LLVMBuildLoad2(l->e.b, l->e.i64, at, "");
}

static llv is_set(lower *l, llv at) {
  return LLVMBuildICmp(l->e.b, LLVMIntNE, load64(l, at), k64(l, 0), "");
}

static bool is_signed(const ir_op *op, unsigned which) {
  return product_format(op, which) == FORMAT_SIGNED;
}

static bool in_pairs(const kblock *k) {
  return k->group == 2;
}

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

/* Bytes of a row of the accumulator. */
static int64_t sums_row(const kblock *k) {
  return k->p.n * (tsr_elem_bits(k->p.elem) / 8);
}

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
  int64_t row = (k->turned ? k->p.m : length) + MMA_LINE / size;
  k->a_row = k->turned ? 1 : row;
  k->a_col = k->turned ? row : 1;
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
  k->a.chunk_bytes = (k->turned ? length : k->p.m) * row * size;
  k->b.slice_bytes = k->p.k * k->panel * size;
  k->b.chunk_bytes = k->p.n * length * size;
}

/* The chunks of a side; with keys when slices are to be reused. */
static void make_room(lower *l, kblock *k, side *s, bool reuse) {
  int64_t sums = k->p.m * sums_row(k);
  int64_t others = k->a.chunk_bytes + k->b.chunk_bytes - s->chunk_bytes + sums;
  int64_t left = MIN(REUSE_BYTES, MOST_BYTES - others) - l->reuse_bytes;
  reuse &= left >= s->chunk_bytes;
  s->chunks = reuse ? left / s->chunk_bytes : 1;
  s->store = buffer_bytes(l, (uint64_t)(s->chunks * s->chunk_bytes));
  if (!reuse) return;
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

/* How many elements along n bits of the index from `first` on are accessed, at least 1. */
static llv extent(lower *l, const access *a, unsigned first, unsigned n) {
  index_map all = map_identity(a->n);
  bound_uses uses = {0};
  llv others, count = k64(l, INT64_C(1) << n);
  access_bounds(l, a, &all, &uses, &others);
  for (uint32_t i = 0; i < uses.len && n; i++) {
    const bound_use *u = &uses.data[i];
    if (u->first != (int)first || u->n != n) continue;
    llv hi = u->known ? LLVMBuildSelect(l->e.b, u->known, u->hi, count, "") : u->hi;
    count = umin64(l, count, fold_min_max(l, "llvm.umax", hi, k64(l, 1)));
  }
  return count;
}

/* Rows and columns of the result that reach memory; the others need not be right. */
static void find_extents(lower *l, kblock *k, uint32_t index, ir_op *store, const access *a) {
  unsigned n_bits = log2_of(k->p.n);
  k->m = k64(l, k->p.m);
  k->n = k64(l, k->p.n);
  bool counted = store && only_stored(ir_result(k->loop, index), store);
  if (k->by_rows) {
    k->order = rows_order(l, counted ? a : NULL, n_bits, log2_of(k->p.m));
    k->m = k->order.count;
  } else if (counted) {
    k->m = extent(l, a, n_bits, log2_of(k->p.m));
  }
  if (counted) k->n = extent(l, a, 0, n_bits);
}

/* Is this a product of more rows than are best multiplied where b lies? The micro-kernel takes two
 * steps along k at a time. */
static bool is_worth_it(const product *p) {
  return p->batches == 1 && p->m > PRODUCT_FEW_ROWS && p->k > 1;
}

static bool is_of_bytes(const product *p) {
  return p->op->opcode == OP_mmai && p->k >= 8;
}

/* Short slices would look up addresses too often. */
static bool takes_rows(const kblock *k) {
  tsr_elem elem = in_pairs(k) ? TSR_BF16 : k->p.elem;
  return is_worth_it(&k->p) && !is_of_bytes(&k->p) && !k->p.in_stretches && k->p.k >= MIN_ROW &&
         !plan_writes(k->loop) && rows_expected(ir_operand(k->p.op, 0), elem);
}

/* How much of the slice along k may be other than zero on either side. */
static llv slice_length(lower *l, const kblock *k) {
  const access *a = value_of(l, k->a.v)->load, *b = value_of(l, k->b.v)->load;
  if (!a || !b || a->index || b->index) return k64(l, k->p.k);
  if (!access_pads_with_zero(a) || !access_pads_with_zero(b)) return k64(l, k->p.k);
  unsigned k_bits = log2_of(k->p.k);
  llv x = extent(l, a, 0, k_bits), y = extent(l, b, log2_of(k->p.n), k_bits);
  return emit_intrinsic(&l->e, "llvm.umax", &l->e.i64, 1, (llv[]){x, y}, 2);
}

/* ---- where it starts and where it ends ------------------------------------------------------ */

/* Does nothing between the two, in one block, touch memory? */
static bool only_pure_between(const ir_op *first, const ir_op *last) {
  for (const ir_op *op = first->next; op != last; op = op->next)
    if (!(ir_row(op)->traits & TRAIT_PURE)) return false;
  return true;
}

static bool rows_of(lower *l, const access *a, const ir_type *t, unsigned *along, llv *row);

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
  }
  return all;
}

/* Does the result go past the cache? It does in whole lines, and where nothing of it has been read.
 * NULL: no. */
static llv goes_past_cache(lower *l, const kblock *k, const ir_op *store, const access *a) {
  if (k->by_rows || !k->start_value || k->panel * access_unit(a) < CACHE_LINE) return NULL;
  llv large = stream_is_large(l, store, k->p.m * k->p.n * access_unit(a), true);
  if (!large) return NULL;
  llv places = fold_or(l, fold_or(l, a->across, a->base), k->result_row);
  llv rest = LLVMBuildAnd(l->e.b, places, k64(l, CACHE_LINE - 1), "");
  l->streams = true;
  return LLVMBuildAnd(l->e.b, large, LLVMBuildICmp(l->e.b, LLVMIntEQ, rest, k64(l, 0), ""), "past");
}

/* May the last chunk write the result to where the store puts it? */
static void find_result(lower *l, kblock *k, uint32_t index, ir_op *store, access *a) {
  unsigned along;
  const ir_value *v = ir_result(k->loop, index);
  if (!store || l->e.options.checks || k->p.in_stretches || k->p.batches > 1) return;
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
    bool found = rows_of(l, a, v->type, &along, &k->result_row);
    if (!found || along + 1u != v->type->rank) return;
    k->result_holds = result_exists(l, k, a);
  }
  k->store = store;
  k->result = a;
  k->past = goes_past_cache(l, k, store, a);
}

/* ---- fetching ahead ------------------------------------------------------------------------- */

/* Are elements along n bits of the index the same distance apart? Those of views are. */
static bool is_stride(const access *a, unsigned first, unsigned n) {
  const coef *c = &a->exact[first];
  for (unsigned j = 1; j < n; j++)
    if (c[j].s != c->s || c[j].m != (int64_t)((uint64_t)c->m << j)) return false;
  return true;
}

/* An access of a matrix whose elements are neighbours along one of the last two dimensions: that
 * dimension, and the bytes between rows of it. False: it is none. */
static bool rows_of(lower *l, const access *a, const ir_type *t, unsigned *along, llv *row) {
  if (!a->linear || a->index || access_elem_bits(a) < 8 || t->rank < 2) return false;
  int64_t unit = access_elem_bits(a) / 8, c;
  for (unsigned i = 0; i < 2; i++) {
    unsigned d = t->rank - 1u - i, other = t->rank - 2u + i, first, n;
    dim_bits(t, d, &first, &n);
    if (n == 0 || !coef_const(a->exact[first], &c) || c != unit || !is_stride(a, first, n))
      continue;
    *along = d;
    dim_bits(t, other, &first, &n);
    if (!is_stride(a, first, n)) return false;
    *row = n ? coef_value(l, a->exact[first], 64) : k64(l, 0);
    return true;
  }
  return false;
}

static void begin_ahead(lower *l, kblock *k, const ir_op *store, const access *a) {
  k->ahead = regions_new(l);
  unsigned along;
  llv row;
  if (!store) return;
  const ir_type *t = stored_value(store)->type;
  if (!rows_of(l, a, t, &along, &row)) return;
  int64_t bytes = t->shape[along] * access_elem_bits(a) / 8;
  const unsigned result = MMA_REGIONS - 1;
  llv rows = k64(l, t->count / t->shape[along]);
  if (k->past) rows = LLVMBuildSelect(l->e.b, k->past, k64(l, 0), rows, "");
  region_set(l, k->ahead, result, a->base, row, rows, bytes);
}

static llv is_last_iteration(lower *l, const kblock *k) {
  llv rest = LLVMBuildSub(l->e.b, k->range.upper, k->range.index, "");
  return LLVMBuildICmp(l->e.b, LLVMIntULE, rest, k->range.step, "");
}

/* Is this the last tile block of those along x, which one thread executes one behind the other? */
static llv is_last_along_x(lower *l) {
  llv next = LLVMBuildAdd(l->e.b, grid_place(l, 0), k64(l, 1), "");
  return LLVMBuildICmp(l->e.b, LLVMIntEQ, next, grid_extent(l, 0), "");
}

static llv start_at(lower *l, const kblock *k, block_start which) {
  return emit_behindk(&l->e, k->starts->ptr, 8 * (int64_t)which);
}

/* Keeps a value for the tile blocks to come if the condition holds. */
static void set_start(lower *l, const kblock *k, block_start which, llv condition, llv v) {
  llv at = start_at(l, k, which);
  LLVMBuildStore(l->e.b, LLVMBuildSelect(l->e.b, condition, v, load64(l, at), ""), at);
}

/* At a block's first slice: the next block's will probably be as far away as the last block's, but
 * behind the last block along x comes the first one. */
static void note_start(lower *l, const kblock *k, llv is_first) {
  const access *a = value_of(l, k->a.v)->load;
  if (!a || !a->linear) return;
  LLVMBuilderRef b = l->e.b;
  llv zero = k64(l, 0), before = load64(l, start_at(l, k, START_A));
  llv at_zero = LLVMBuildICmp(b, LLVMIntEQ, grid_place(l, 0), zero, "");
  set_start(l, k, START_A_ROW, LLVMBuildAnd(b, is_first, at_zero, ""), a->base);
  llv unknown = LLVMBuildICmp(b, LLVMIntEQ, before, zero, "");
  llv next = LLVMBuildAdd(b, a->base, LLVMBuildSub(b, a->base, before, ""), "");
  next = LLVMBuildSelect(b, unknown, zero, next, "");
  llv turns = LLVMBuildAnd(b, is_last_along_x(l), LLVMBuildNot(b, at_zero, ""), "");
  next = LLVMBuildSelect(b, turns, load64(l, start_at(l, k, START_A_ROW)), next, "");
  next = LLVMBuildSelect(b, is_first, next, load64(l, k->next_start), "");
  LLVMBuildStore(b, next, k->next_start);
  set_start(l, k, START_A, is_first, a->base);
}

/* The load that an operand is, but for the order of its elements, and which bits of the operand's
 * index that has; NULL: it is none. */
static const access *load_behind(lower *l, ir_value **v, index_map *m) {
  *m = map_identity(tile_bits((*v)->type));
  while (value_of(l, *v)->kind == VALUE_LAZY && !value_of(l, *v)->load) {
    const ir_op *op = ir_defining_op(*v);
    if (!op || (op->opcode != OP_reshape && op->opcode != OP_permute)) return NULL;
    *m = map_through(op, m);
    *v = ir_operand(op, 0);
  }
  return value_of(l, *v)->load;
}

/* When this slice is the chunk's last one, the next chunk is to be fetched: it will probably be as
 * far away as this slice is from the one before. */
static void fetch_next_chunk(lower *l, const kblock *k, const side *s) {
  unsigned region = s == &k->a ? 0 : 1;
  ir_value *v = s->v;
  index_map m;
  const access *a = load_behind(l, &v, &m);
  const ir_type *t = v->type;
  unsigned along, first, n, n_bits = log2_of(k->p.n);
  llv row;
  if (!a || (region == 0 && v != s->v) || !rows_of(l, a, t, &along, &row)) return;
  dim_bits(t, along, &first, &n);
  bool along_k = region == 0 ? along + 1 == t->rank : m.bit[first] >= (int)n_bits;
  int64_t length = t->shape[along] * (along_k ? k->slices : 1);
  llv rows = region == 0 && along_k ? k->m : k64(l, t->count * k->slices / length);
  llv last = load64(l, s->last), step = LLVMBuildSub(l->e.b, a->base, last, "");
  llv next = LLVMBuildAdd(l->e.b, a->base, step, "");
  llv none = LLVMBuildICmp(l->e.b, LLVMIntEQ, last, k64(l, 0), "");
  if (region == 0) {
    llv start = load64(l, k->next_start), ends = is_last_iteration(l, k);
    next = LLVMBuildSelect(l->e.b, ends, start, next, "");
    llv unknown = LLVMBuildICmp(l->e.b, LLVMIntEQ, start, k64(l, 0), "");
    none = LLVMBuildSelect(l->e.b, ends, unknown, none, "");
  }
  int64_t bytes = length * access_elem_bits(a) / 8;
  rows = LLVMBuildSelect(l->e.b, none, k64(l, 0), rows, "");
  region_set(l, k->ahead, region, next, row, rows, bytes);
  LLVMBuildStore(l->e.b, a->base, s->last);
}

static void fetch_nothing(lower *l, const kblock *k, const side *s) {
  region_clear(l, k->ahead, s == &k->a ? 0 : 1);
  LLVMBuildStore(l->e.b, k64(l, 0), s->last);
}

/* The same for a b that is left where it lies. */
static void note_b_start(lower *l, const kblock *k, llv is_first, llv base) {
  LLVMBuilderRef b = l->e.b;
  llv before = load64(l, start_at(l, k, START_B));
  llv known = LLVMBuildICmp(b, LLVMIntNE, before, k64(l, 0), "");
  llv other = LLVMBuildAnd(b, known, LLVMBuildICmp(b, LLVMIntNE, before, base, ""), "");
  set_start(l, k, START_B_STEP, LLVMBuildAnd(b, is_first, other, ""),
            LLVMBuildSub(b, base, before, ""));
  set_start(l, k, START_B, is_first, base);
}

/* Behind the loop of the last tile block along x: what that b will probably begin with in the next.
 */
static void fetch_next_b(lower *l, const kblock *k) {
  LLVMBuilderRef b = l->e.b;
  llblock fetch = lower_new_block(l, "next.b"), done = lower_new_block(l, "next.b.done");
  llv step = load64(l, start_at(l, k, START_B_STEP));
  llv known = LLVMBuildICmp(b, LLVMIntNE, step, k64(l, 0), "");
  LLVMBuildCondBr(b, LLVMBuildAnd(b, known, is_last_along_x(l), ""), fetch, done);
  LLVMPositionBuilderAtEnd(b, fetch);
  llv next = LLVMBuildAdd(b, load64(l, start_at(l, k, START_B)), step, "");
  region_set(l, k->ahead, 1, next, load64(l, k->b_place.row), k64(l, k->slices * k->p.k),
             k->p.n * buffer_elem_bytes(&k->b.layout));
  lower_go(l, done);
}

/* How many slices' kept chunks are still near when they are needed again: more than three eighths
 * of the second-level cache have left it. */
static int64_t near_slices(lower *l, const kblock *k, const side *s) {
  int64_t bytes = cpu_l2_bytes(&l->e.options) / 8 * 3;
  return k->slices * MAX(bytes / s->chunk_bytes, 1);
}

static llv slices_so_far(lower *l, const kblock *k) {
  llv chunks = fold_mul(l, load64(l, k->chunk), k64(l, k->slices));
  return LLVMBuildAdd(l->e.b, chunks, load64(l, k->filled), "");
}

/* Will the loop have more slices than that? */
static llv goes_far(lower *l, const kblock *k, const side *s) {
  LLVMBuilderRef b = l->e.b;
  llv rest = LLVMBuildSub(b, k->range.upper, k->range.index, ""), step = k->range.step;
  if (LLVMTypeOf(rest) != l->e.i64) {
    rest = LLVMBuildZExt(b, rest, l->e.i64, "");
    step = LLVMBuildZExt(b, step, l->e.i64, "");
  }
  llv near = LLVMBuildSub(b, k64(l, near_slices(l, k, s)), slices_so_far(l, k), "");
  return LLVMBuildICmp(b, LLVMIntSGT, rest, LLVMBuildMul(b, near, step, ""), "");
}

/* The kept chunk of this number is to be fetched if the condition holds. */
static void fetch_kept_chunk(lower *l, const kblock *k, const side *s, llv number, llv condition) {
  LLVMBuilderRef b = l->e.b;
  unsigned region = s == &k->a ? 0 : 1, line_bits = log2_of(s->chunk_bytes / MMA_LINE);
  llv exists = LLVMBuildICmp(b, LLVMIntULT, number, k64(l, s->chunks), "");
  llv at = LLVMBuildPtrToInt(b, s->store->ptr, l->e.i64, "");
  at = LLVMBuildAdd(b, at, fold_mul(l, number, k64(l, s->chunk_bytes)), "");
  llv rows = LLVMBuildZExt(b, LLVMBuildAnd(b, condition, exists, ""), l->e.i64, "");
  region_set(l, k->ahead, region, at, k64(l, 0), rows, MMA_LINE << line_bits);
  LLVMBuildStore(b, k64(l, 0), s->last);
}

/* The chunk behind this one, or the first for the next block. */
static void fetch_next_kept(lower *l, const kblock *k, const side *s) {
  LLVMBuilderRef b = l->e.b;
  llv next = LLVMBuildAdd(b, load64(l, k->chunk), k64(l, 1), "");
  next = LLVMBuildSelect(b, is_last_iteration(l, k), k64(l, 0), next, "");
  fetch_kept_chunk(l, k, s, next, goes_far(l, k, s));
}

/* Behind the loop. */
static void fetch_first_kept(lower *l, const kblock *k, const side *s) {
  llv far =
      LLVMBuildICmp(l->e.b, LLVMIntUGT, slices_so_far(l, k), k64(l, near_slices(l, k, s)), "");
  fetch_kept_chunk(l, k, s, k64(l, 0), far);
}

static void make_tables(lower *l, kblock *k) {
  k->table = buffer_bytes(l, (uint64_t)(k->slices * k->p.m * ADDRESS));
  k->targets = buffer_bytes(l, (uint64_t)(k->p.m * ADDRESS));
  k->low = lower_alloca(l, l->e.i64, 8);
  k->high = lower_alloca(l, l->e.i64, 8);
  LLVMBuildStore(l->e.b, k64(l, -1), k->low);
  LLVMBuildStore(l->e.b, k64(l, 0), k->high);
}

/* Rows may have gaps. */
static void make_gaps(lower *l, kblock *k) {
  if (!gaps_fit(l, k->p.m)) return;
  k->lacking = buffer_new(l, TSR_I64, FORMAT_LANES, log2_of(k->p.m));
  k->sorted = buffer_new(l, TSR_I64, FORMAT_LANES, log2_of(k->p.m));
  k->b.finite = buffer_bytes(l, (uint64_t)(k->b.chunks * k->slices * 8));
  buffer_persists(k->b.finite);
  k->gaps = lower_alloca(l, l->e.i64, 8);
  LLVMBuildStore(l->e.b, k64(l, 0), k->gaps);
}

static void make_lows(lower *l, kblock *k) {
  k->b.lows = buffer_bytes(l, (uint64_t)(k->b.chunks * k->slices * 8));
  buffer_persists(k->b.lows);
  k->lowest = lower_alloca(l, l->e.i64, 8);
  LLVMBuildStore(l->e.b, k64(l, PAIRS_HIGH), k->lowest);
}

static void defer(lower *l, kblock *k, ir_op *op) {
  const product *p = &k->p;
  bool dot = k->group > 1;
  k->flipped = dot && !in_pairs(k) && emit_dot_flips(&l->e, is_signed(op, 0), is_signed(op, 1));
  set_layout(&k->a, ir_operand(op, 0), dot ? FORMAT_STORAGE : product_format(op, 0));
  set_layout(&k->b, ir_operand(op, 1),
             in_pairs(k) ? FORMAT_PAIRS
             : dot       ? FORMAT_STORAGE
                         : product_format(op, 1));
  int64_t size = buffer_elem_bytes(&k->a.layout);
  k->slices = MAX((k->turned ? TURNED_K : CHUNK_K) * k->group / p->k, 1);
  while (k->slices > 1 && (p->m + p->n) * k->slices * p->k * size > CHUNK_BYTES) k->slices /= 2;
  int64_t length = k->slices * p->k / k->group, whole;
  k->panel = emit_mma_panel(&l->e, p->elem, p->m, p->n, length);
  k->k_step = in_pairs(k) ? 2 : emit_mma_k_step(&l->e, p->elem, p->m, p->n, length);
  k->to_column = !k->by_rows && !in_pairs(k) &&
                 !(is_const(k->n, &whole) && whole % k->panel == 0) &&
                 emit_mma_ends_anywhere(&l->e, p->elem, p->m, p->n, length);
  lay_out(k);
  bool stable = reads_are_stable(l, k->loop);
  bool a_moves = grid_follows(k->a.v, 0), b_moves = grid_follows(k->b.v, 0);
  k->may_stay = !plan_writes(k->loop) && !k->turned;
  k->copies = k->group == 1 && !k->by_rows && !p->in_stretches && !plan_writes(k->loop) &&
              columns_adjoin(ir_operand(op, 1), p->elem) &&
              emit_mma_copies(&l->e, p->elem, p->m, p->n, length);
  make_room(l, k, &k->b, stable && (!b_moves || a_moves));
  make_room(l, k, &k->a, stable && !a_moves && b_moves && !k->by_rows);
  if (k->by_rows) {
    make_tables(l, k);
    make_gaps(l, k);
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
  ir_op *store = store_behind(l, loop);
  access *a = NULL;
  if (store) access_prepare(l, store, &a);
  k->group = is_of_bytes(&k->p)    ? emit_dot_group(&l->e, TSR_I8, k->p.n, k->p.k)
             : pairs_fit(l, &k->p) ? 2
                                   : 1;
  k->turned = k->group == 1 && is_worth_it(&k->p) && rows_transposed(ir_operand(op, 0));
  k->by_rows = !k->turned && takes_rows(k);
  find_extents(l, k, index, store, a);
  if (is_worth_it(&k->p)) {
    uint32_t n;
    ir_value *start = ir_operand_group(loop, 3, &n)[index].value;
    if (product_starts_empty(&k->p, start)) k->start_value = start;
    defer(l, k, op);
    find_result(l, k, index, store, a);
    begin_ahead(l, k, store, a);
  }
  *map_put(l->arena, &l->kblocks, (uintptr_t)op) = (uintptr_t)k;
  if (k->store) *map_put(l->arena, &l->kblocks, (uintptr_t)k->store) = (uintptr_t)k;
}

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

void kblock_begin(lower *l, ir_op *loop, const for_range *range) {
  uint32_t n;
  ir_operand_group(loop, 3, &n);
  for (uint32_t i = 0; i < n; i++) {
    ir_op *op = product_of(loop, i);
    if (op) begin(l, loop, range, i, op);
  }
}

bool kblock_starts_empty(lower *l, ir_op *loop, uint32_t index) {
  const kblock *k = loop->opcode == OP_for ? find(l, product_of(loop, index)) : NULL;
  return k && k->deferred && k->start_value;
}

llv kblock_stored(lower *l, const ir_op *store) {
  const kblock *k = find(l, store);
  return k ? k->stored : NULL;
}

/* ---- slices --------------------------------------------------------------------------------- */

/* The number of the chunk that is being filled. Where no tile block has a neighbour along x, none
 * will need it again, and one that is always the same stays in the cache. */
static llv chunk_of(lower *l, const kblock *k, const side *s) {
  if (s->chunks == 1) return k64(l, 0);
  llv last = k64(l, s->chunks - 1);
  if (grid_follows(s->v, 1)) {
    llv alone = LLVMBuildICmp(l->e.b, LLVMIntEQ, grid_extent(l, 0), k64(l, 1), "");
    last = LLVMBuildSelect(l->e.b, alone, k64(l, 0), last, "");
  }
  return umin64(l, load64(l, k->chunk), last);
}

static llv chunk_address(lower *l, const kblock *k, const side *s) {
  return lower_element(l, s->store->ptr, chunk_of(l, k, s), s->chunk_bytes);
}

/* Where the slice goes, as a buffer. */
static buffer *slice_of(lower *l, const kblock *k, const side *s, llv filled) {
  buffer *b = arena_new(l->arena, buffer);
  *b = s->layout;
  b->memory = s->store;
  b->ptr = lower_element(l, chunk_address(l, k, s), filled, s->slice_bytes);
  return b;
}

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
    x[i] = LLVMBuildLoad2(l->e.b, bytes, emit_behindk(&l->e, first, i * row), "");
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
  llv groups = group_rows(l, emit_behind(&l->e, from->ptr, at), k->p.n, count);
  LLVMSetAlignment(LLVMBuildStore(l->e.b, groups, emit_behind(&l->e, to, target)), 1);
  nest_end(&n);
}

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

/* What is known about a slice of b: is all of it finite? */
enum { FINITE_UNKNOWN, FINITE_NOT, FINITE_ALL };

/* `number`: of the slice among all. */
static void fill_slice(lower *l, const kblock *k, const side *s, buffer *to, llv number) {
  if (s->finite)
    LLVMBuildStore(l->e.b, k64(l, FINITE_UNKNOWN), lower_element(l, s->finite->ptr, number, 8));
  if (k->group == 1 || in_pairs(k) || s == &k->a) {
    keep_into(l, s->v, to);
    if (s->lows) note_lowest(l, k, to, number);
    return;
  }
  buffer *rows = buffer_new(l, (tsr_elem)s->layout.elem, FORMAT_STORAGE, s->layout.n);
  rows->flipped = k->flipped;
  keep_into(l, s->v, rows);
  group_slice(l, k, rows, to->ptr);
  buffer_touch(l, rows);
}

/* ---- slices --------------------------------------------------------------------------------- */

static llv number_of_slice(lower *l, const kblock *k, const side *s, llv filled) {
  return fold_add(l, fold_mul(l, chunk_of(l, k, s), k64(l, k->slices)), filled);
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
  note_b_start(l, k, LLVMBuildAnd(b, is_empty, is_first, ""), base);
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
  buffer *to = slice_of(l, k, s, filled);
  buffer_touch(l, s->store);
  key x;
  llv number = number_of_slice(l, k, s, filled);
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
  fetch_next_kept(l, k, s);
  LLVMBuildBr(l->e.b, done);
  LLVMPositionBuilderAtEnd(l->e.b, new);
  key_write(l, &x, at);
  fill_unless_left(l, k, s, b, to, number, at);
  fetch_next_chunk(l, k, s);
  lower_go(l, done);
}

/* ---- products ------------------------------------------------------------------------------- */

/* m addresses in a table. */
static buffer *addresses(lower *l, const kblock *k, buffer *memory, llv at) {
  buffer *b = arena_new(l->arena, buffer);
  *b = (buffer){.elem = TSR_I64, .format = FORMAT_LANES, .memory = memory, .ptr = at};
  b->n = (uint8_t)log2_of(k->p.m);
  for (unsigned j = 0; j < b->n; j++) b->stride[j] = 1 << j;
  return b;
}

/* The accumulator. */
static matrix sums_of(lower *l, const kblock *k) {
  return (matrix){.ptr = k->to->ptr, .row = k64(l, sums_row(k))};
}

/* What the chunk's products are added to: zeros at first, where the program says so. */
static matrix sums_before(lower *l, const kblock *k) {
  matrix sums = sums_of(l, k);
  if (!k->start_value) return sums;
  llv fresh = is_set(l, k->fresh);
  sums.ptr = LLVMBuildSelect(l->e.b, fresh, rows_zeros(l), sums.ptr, "");
  sums.row = LLVMBuildSelect(l->e.b, fresh, k64(l, 0), sums.row, "");
  return sums;
}

static llv micro_kernel(lower *l, const kblock *k, int64_t length) {
  const product *p = &k->p;
  int64_t slice_k = k->by_rows ? p->k : 0;
  mma_use use = {.end = k->to_column ? MMA_END_COLUMN : MMA_END_ROW,
                 .how = MMA_HOW_ASKED,
                 .in_stretches = p->in_stretches,
                 .copies = k->copies};
  if (k->group == 1 && k->by_rows)
    return emit_mma_rows(&l->e, p->elem, p->m, p->n, length, slice_k);
  if (k->group == 1) return emit_mma(&l->e, p->elem, use, p->m, p->n, length);
  bool a_signed = is_signed(p->op, 0), b_signed = is_signed(p->op, 1);
  tsr_elem elem = (tsr_elem)k->a.layout.elem;
  return emit_mma_dot(&l->e, elem, a_signed, b_signed, use, p->m, p->n, length, slice_k);
}

/* By rows: where those of the result go if `stored`, else the accumulator's. */
static llv list_targets(lower *l, const kblock *k, llv stored) {
  buffer *to = addresses(l, k, k->targets, k->targets->ptr);
  llv sums = LLVMBuildPtrToInt(l->e.b, k->to->ptr, l->e.i64, "");
  if (stored)
    rows_write_result(l, k->result, stored, sums, sums_row(k), to);
  else
    rows_write_copies(l, sums, sums_row(k), to);
  return k->targets->ptr;
}

/* An i64, FINITE_NOT or FINITE_ALL: the slice's. It is looked at once. */
static llv slice_is_finite(lower *l, const kblock *k, llv number) {
  const side *s = &k->b;
  int64_t length = k->slices * k->p.k, size = buffer_elem_bytes(&s->layout);
  tsr_elem elem = in_pairs(k) ? TSR_BF16 : k->p.elem;
  llv at = lower_element(l, s->finite->ptr, number, 8), known = load64(l, at);
  llblock before = LLVMGetInsertBlock(l->e.b);
  llblock look = lower_new_block(l, "look"), done = lower_new_block(l, "looked");
  llv is_new = LLVMBuildICmp(l->e.b, LLVMIntEQ, known, k64(l, FINITE_UNKNOWN), "");
  LLVMBuildCondBr(l->e.b, is_new, look, done);
  LLVMPositionBuilderAtEnd(l->e.b, look);
  llv slices = k64(l, k->slices), chunk = LLVMBuildUDiv(l->e.b, number, slices, "");
  llv first = lower_element(l, s->store->ptr, chunk, s->chunk_bytes);
  first = lower_element(l, first, LLVMBuildURem(l->e.b, number, slices, ""), s->slice_bytes);
  llv all = emit_mma_finite(&l->e, elem, first, k->p.n / k->panel, length * k->panel * size,
                            s->slice_bytes);
  all = LLVMBuildAdd(l->e.b, all, k64(l, FINITE_NOT), "");
  LLVMBuildStore(l->e.b, all, at);
  llblock looked = LLVMGetInsertBlock(l->e.b);
  lower_go(l, done);
  llv r = LLVMBuildPhi(l->e.b, l->e.i64, "");
  LLVMAddIncoming(r, (llv[]){known, all}, (llblock[]){before, looked}, 2);
  return r;
}

/* An i1: are the chunk's first `filled` slices of b, one at least? */
static llv chunk_is_finite(lower *l, const kblock *k, llv filled) {
  LLVMBuilderRef b = l->e.b;
  llv first = number_of_slice(l, k, &k->b, k64(l, 0)), zero = k64(l, 0);
  llblock before = LLVMGetInsertBlock(b), body = lower_new_block(l, "finite");
  llblock done = lower_new_block(l, "finite.done");
  LLVMBuildBr(b, body);
  LLVMPositionBuilderAtEnd(b, body);
  llv i = LLVMBuildPhi(b, l->e.i64, "");
  llv known = slice_is_finite(l, k, LLVMBuildAdd(b, first, i, ""));
  llv next = LLVMBuildAdd(b, i, k64(l, 1), "");
  llv finite = LLVMBuildICmp(b, LLVMIntEQ, known, k64(l, FINITE_ALL), "");
  llv more = LLVMBuildICmp(b, LLVMIntULT, next, filled, "");
  llblock end = LLVMGetInsertBlock(b);
  LLVMAddIncoming(i, (llv[]){zero, next}, (llblock[]){before, end}, 2);
  LLVMBuildCondBr(b, LLVMBuildAnd(b, finite, more, ""), body, done);
  LLVMPositionBuilderAtEnd(b, done);
  return finite;
}

/* By rows: their order for this chunk, and what the micro-kernel needs to leave out slices in which
 * rows have nothing. */
typedef struct chunk_order {
  llv list, nothing;
} chunk_order;

static chunk_order order_of_chunk(lower *l, const kblock *k, llv filled) {
  if (!k->by_rows) return (chunk_order){LLVMConstNull(l->e.ptr), k64(l, 0)};
  if (!k->lacking) return (chunk_order){k->order.list, k64(l, 0)};
  LLVMBuilderRef b = l->e.b;
  llblock count = lower_new_block(l, "count"), gaps = lower_new_block(l, "gaps");
  llblock done = lower_new_block(l, "gaps.done");
  llv zeros = LLVMBuildPtrToInt(b, rows_zeros(l), l->e.i64, "");
  llv maybe = is_set(l, k->gaps);
  LLVMBuildStore(b, k64(l, 0), k->gaps);
  llblock from[3] = {LLVMGetInsertBlock(b)};
  LLVMBuildCondBr(b, maybe, count, done);
  LLVMPositionBuilderAtEnd(b, count);
  gaps_count(l, k->table, k->slices, filled, k->lacking);
  llv sizes = gaps_sizes(l, &k->order, k->lacking);
  llv any = gaps_any(l, &k->order, sizes);
  from[1] = LLVMGetInsertBlock(b);
  LLVMBuildCondBr(b, any, gaps, done);
  LLVMPositionBuilderAtEnd(b, gaps);
  llv nothing = LLVMBuildSelect(b, chunk_is_finite(l, k, filled), zeros, k64(l, 0), "");
  gaps_sort(l, &k->order, k->lacking, sizes, k->sorted);
  buffer_touch(l, k->lacking);
  buffer_touch(l, k->sorted);
  from[2] = LLVMGetInsertBlock(b);
  lower_go(l, done);
  llv lists[] = {k->order.list, k->order.list, k->sorted->ptr};
  llv nothings[] = {k64(l, 0), k64(l, 0), nothing};
  chunk_order r = {LLVMBuildPhi(b, l->e.ptr, ""), LLVMBuildPhi(b, l->e.i64, "")};
  LLVMAddIncoming(r.list, lists, from, 3);
  LLVMAddIncoming(r.nothing, nothings, from, 3);
  return r;
}

/* Where the chunk's part of b is still to be copied from; else NULL. */
static llv copied_from(lower *l, const kblock *k) {
  llv from = LLVMBuildSelect(l->e.b, is_set(l, k->b_place.stays), load64(l, k->b_place.first),
                             k64(l, 0), "");
  return as_ptr(l, from);
}

/* An mma_how: as what sums go to `out` (NULL: back to the accumulator, for the next chunk). */
static llv how_sums_go(lower *l, const kblock *k, const matrix *out) {
  if (!out) return k64(l, MMA_HOW_AGAIN);
  if (!k->past) return k64(l, MMA_HOW_INTO);
  return LLVMBuildSelect(l->e.b, k->past, k64(l, MMA_HOW_PAST), k64(l, MMA_HOW_INTO), "");
}

/* Adds the products of the chunk's first `filled` slices, and begins the next. */
static void multiply_chunk(lower *l, kblock *k, llv filled, const matrix *out) {
  int64_t length = k->slices * k->p.k, size = buffer_elem_bytes(&k->a.layout);
  int64_t step = size * k->group; /* bytes that are multiplied at once */
  llv whole = LLVMBuildSub(l->e.b, filled, k64(l, 1), "");
  whole = fold_mul(l, whole, k64(l, k->p.k));
  llv steps = LLVMBuildAdd(l->e.b, whole, load64(l, k->tail), "");
  steps = LLVMBuildAdd(l->e.b, steps, k64(l, k->group - 1), "");
  steps = LLVMBuildLShr(l->e.b, steps, k64(l, log2_of(k->group)), "");
  buffer_touch(l, k->a.store);
  buffer_touch(l, k->b.store);
  buffer_touch(l, k->to);
  if (k->by_rows) buffer_touch(l, k->table);
  if (k->order.buffer) buffer_touch(l, k->order.buffer);
  matrix before = sums_before(l, k), to = out ? *out : sums_of(l, k);
  if (k->by_rows) to.ptr = list_targets(l, k, out ? k->stored : NULL);
  chunk_order order = order_of_chunk(l, k, filled);
  llv args[MMA_ARGS] = {
      [MMA_A] = k->by_rows ? k->table->ptr : as_ptr(l, load64(l, k->a_place.first)),
      [MMA_A_ROW] = k->by_rows ? k64(l, k->p.m * ADDRESS) : load64(l, k->a_place.row),
      [MMA_A_COL] = k64(l, k->a_col * step),
      [MMA_B] = chunk_address(l, k, &k->b),
      [MMA_B_ROW] = k64(l, k->panel * step),
      [MMA_B_PANEL] = k64(l, length * k->panel * size),
      [MMA_ACC] = before.ptr,
      [MMA_ACC_ROW] = before.row,
      [MMA_M] = k->m,
      [MMA_N] = k->n,
      [MMA_K] = steps,
      [MMA_AHEAD] = k->ahead,
      [MMA_FROM] = k->copies ? copied_from(l, k) : LLVMConstNull(l->e.ptr),
      [MMA_FROM_ROW] = k->copies ? load64(l, k->b_place.row) : k64(l, 0),
      [MMA_OUT] = to.ptr,
      [MMA_OUT_ROW] = to.row,
      [MMA_ORDER] = order.list,
      [MMA_LEAST] = in_pairs(k) ? emit_pairs_least(&l->e, load64(l, k->lowest)) : k64(l, 0),
      [MMA_NOTHING] = order.nothing,
      [MMA_HOW] = how_sums_go(l, k, out),
  };
  llv f = micro_kernel(l, k, length);
  LLVMBuildCall2(l->e.b, emit_mma_type(&l->e), f, args, MMA_ARGS, "");
  LLVMBuildStore(l->e.b, k64(l, 0), k->filled);
  LLVMBuildStore(l->e.b, k64(l, 0), k->fresh);
  if (in_pairs(k)) LLVMBuildStore(l->e.b, k64(l, PAIRS_HIGH), k->lowest);
  llv next = LLVMBuildAdd(l->e.b, load64(l, k->chunk), k64(l, 1), "");
  LLVMBuildStore(l->e.b, next, k->chunk);
}

static void multiply_when(lower *l, kblock *k, llv condition, llv filled, const matrix *out) {
  llblock full = lower_new_block(l, "chunk"), done = lower_new_block(l, "chunk.done");
  LLVMBuildCondBr(l->e.b, condition, full, done);
  LLVMPositionBuilderAtEnd(l->e.b, full);
  profile_span span = profile_begin_work(l, k->p.op);
  multiply_chunk(l, k, filled, out);
  profile_end_work(l, &span, filled);
  lower_go(l, done);
}

/* Before a slice: multiplies the chunk if there is no room, or when `ends` says so (if not NULL).
 * Not behind the slice that fills it, because the last one is multiplied behind the loop. Gives how
 * many slices there are now. */
static llv multiply_full(lower *l, kblock *k, llv filled, llv ends) {
  llv when = LLVMBuildICmp(l->e.b, LLVMIntEQ, filled, k64(l, k->slices), "");
  if (ends) when = LLVMBuildOr(l->e.b, when, ends, "");
  multiply_when(l, k, when, filled, NULL);
  return load64(l, k->filled);
}

static llv chunk_first(lower *l, const kblock *k) {
  return LLVMBuildPtrToInt(l->e.b, chunk_address(l, k, &k->a), l->e.i64, "");
}

static llv chunk_row(lower *l, const kblock *k) {
  return k64(l, k->a_row * buffer_elem_bytes(&k->a.layout));
}

/* May this slice, `bytes` behind the one before, be read where it lies, in a chunk that is? */
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

/* Does all of a slice exist that will be read? Rows of a that count, and of the loop's last slice
 * what counts along k, which the micro-kernel may round up to an even number of groups. */
static llv enough_exists(lower *l, const kblock *k, const side *s, llv full) {
  LLVMBuilderRef b = l->e.b;
  const access *a = value_of(l, s->v)->load;
  unsigned k_bits = log2_of(k->p.k), m_bits = log2_of(k->p.m);
  unsigned along_k = s == &k->a ? 0 : log2_of(k->p.n);
  if (a->pointers || a->mask || l->e.options.checks) return full;
  llv all = fold_and(l, a->ok, a->but_bounds);
  for (unsigned i = 0; i < a->n_bounds; i++) {
    const access_bound *bound = &a->bounds[i];
    llv wanted = k64(l, INT64_C(1) << bound->n);
    if (bound->first == along_k && bound->n == k_bits) {
      int64_t step = k->k_step * k->group;
      llv even = LLVMBuildAdd(b, slice_length(l, k), k64(l, step - 1), "");
      even = LLVMBuildAnd(b, even, k64(l, -step), "");
      wanted = LLVMBuildSelect(b, is_last_iteration(l, k), even, wanted, "");
    } else if (s == &k->a && bound->first == k_bits && bound->n == m_bits) {
      wanted = k->m;
    }
    all = fold_and(l, all, LLVMBuildICmp(b, LLVMIntUGE, bound->hi, wanted, "enough"));
  }
  return all;
}

/* A slice of a stays where it lies if its chunk's slices are rows one behind the other in memory;
 * the chunk ends before one that isn't, and before one of b if that must (not NULL). The others are
 * copied. Returns how many slices the chunk has. */
static llv take_a(lower *l, kblock *k, llv b_ends) {
  LLVMBuilderRef b = l->e.b;
  llv filled = load64(l, k->filled), holds;
  llv is_empty = LLVMBuildICmp(b, LLVMIntEQ, filled, k64(l, 0), "");
  llv is_first = LLVMBuildICmp(b, LLVMIntEQ, load64(l, k->chunk), k64(l, 0), "");
  note_start(l, k, LLVMBuildAnd(b, is_empty, is_first, ""));
  matrix there;
  tsr_elem elem = k->group > 1 ? (tsr_elem)k->a.layout.elem : k->p.elem;
  if (!k->may_stay || !operand_in_place(l, k->a.v, elem, &there, &holds)) {
    filled = multiply_full(l, k, filled, b_ends);
    is_empty = LLVMBuildICmp(b, LLVMIntEQ, filled, k64(l, 0), "");
    set_place(l, &k->a_place, is_empty, LLVMConstNull(l->e.i1), chunk_first(l, k), chunk_row(l, k));
    write_slice(l, k, &k->a, filled, NULL);
    if (!k->a.keys) fetch_next_chunk(l, k, &k->a);
    return filled;
  }
  holds = enough_exists(l, k, &k->a, holds);
  if (!holds) holds = LLVMConstAllOnes(l->e.i1);
  llv goes_on = slice_continues(l, &k->a_place, &there, filled, k64(l, k->a.slice_bytes));
  llv ends = slice_ends(l, &k->a_place, LLVMBuildAnd(b, holds, goes_on, ""), filled);
  filled = multiply_full(l, k, filled, b_ends ? LLVMBuildOr(b, ends, b_ends, "") : ends);

  is_empty = LLVMBuildICmp(b, LLVMIntEQ, filled, k64(l, 0), "");
  llv base = LLVMBuildPtrToInt(b, there.ptr, l->e.i64, "");
  llv first = LLVMBuildSelect(b, holds, base, chunk_first(l, k), "");
  llv row = LLVMBuildSelect(b, holds, there.row, chunk_row(l, k), "");
  set_place(l, &k->a_place, is_empty, holds, first, row);
  /* What must be copied is at an edge, as a rule, so it isn't worth two versions. */
  buffer_touch(l, k->a.store);
  llv moves = LLVMBuildNot(b, is_set(l, k->a_place.stays), "");
  copy_when(l, moves, k->a.v, slice_of(l, k, &k->a, filled));
  fetch_next_chunk(l, k, &k->a);
  return filled;
}

/* All columns count, since those that don't would not be copied. */
static bool look_at_b(lower *l, const kblock *k, plain_slice *x) {
  LLVMBuilderRef b = l->e.b;
  llv holds, filled = load64(l, k->filled), columns = k64(l, k->p.n);
  if (!k->copies || !operand_in_place(l, k->b.v, k->p.elem, &x->there, &holds)) return false;
  holds = enough_exists(l, k, &k->b, holds);
  x->holds = fold_and(l, holds, LLVMBuildICmp(b, LLVMIntEQ, k->n, columns, ""));
  x->whole = LLVMBuildICmp(b, LLVMIntEQ, slice_length(l, k), k64(l, k->p.k), "");
  llv bytes = fold_mul(l, x->there.row, k64(l, k->p.k));
  llv goes_on = slice_continues(l, &k->b_place, &x->there, filled, bytes);
  x->ends = slice_ends(l, &k->b_place, LLVMBuildAnd(b, x->holds, goes_on, ""), filled);
  return true;
}

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
  if (!k->gaps) return;
  llv gaps = k64(l, 1);
  if (a->checked && !a->index)
    gaps = a->full ? LLVMBuildZExt(l->e.b, LLVMBuildNot(l->e.b, a->full, ""), l->e.i64, "")
                   : k64(l, 0);
  LLVMBuildStore(l->e.b, LLVMBuildOr(l->e.b, load64(l, k->gaps), gaps, ""), k->gaps);
}

static void copy_rows(lower *l, const kblock *k, llv filled, buffer *table) {
  write_slice(l, k, &k->a, filled, NULL);
  llv first = LLVMBuildPtrToInt(l->e.b, slice_of(l, k, &k->a, filled)->ptr, l->e.i64, "");
  rows_write_copies(l, first, k->a_row * buffer_elem_bytes(&k->a.layout), table);
}

/* The addresses of a slice's rows; of copies where the program's own won't do. */
static llv take_rows(lower *l, kblock *k) {
  llv filled = multiply_full(l, k, load64(l, k->filled), NULL);
  llv at = emit_behind(&l->e, k->table->ptr, fold_mul(l, filled, k64(l, k->p.m * ADDRESS)));
  buffer *table = addresses(l, k, k->table, at);
  llv known = rows_find(l, k->a.v, table);
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

bool kblock_add(lower *l, ir_op *op, buffer *acc) {
  kblock *k = find(l, op);
  if (!k || !k->deferred) return false;
  k->to = acc;
  group_flush(l);
  plain_slice b;
  bool plain = look_at_b(l, k, &b);
  llv filled = k->by_rows ? take_rows(l, k) : take_a(l, k, plain ? b.ends : NULL);
  write_slice(l, k, &k->b, filled, plain ? &b : NULL);
  if (in_pairs(k)) {
    llv low = load64(l, low_of_slice(l, k, number_of_slice(l, k, &k->b, filled)));
    LLVMBuildStore(l->e.b, umin64(l, load64(l, k->lowest), low), k->lowest);
  }
  if (!k->b.keys) fetch_next_chunk(l, k, &k->b);
  LLVMBuildStore(l->e.b, slice_length(l, k), k->tail);
  llv now = LLVMBuildAdd(l->e.b, filled, k64(l, 1), "");
  LLVMBuildStore(l->e.b, now, k->filled);
  return true;
}

/* Between which addresses the chunk's part of an operand lies: from its first row to that
 * `distance` rows behind, each of `bytes` bytes. */
static void place_range(lower *l, const chunk_place *p, llv distance, llv bytes, llv *begin,
                        llv *end) {
  LLVMBuilderRef b = l->e.b;
  llv none = k64(l, 0), first = load64(l, p->first);
  llv rows = fold_mul(l, load64(l, p->row), distance);
  llv up = emit_intrinsic(&l->e, "llvm.smax", &l->e.i64, 1, (llv[]){rows, none}, 2);
  llv down = emit_intrinsic(&l->e, "llvm.smin", &l->e.i64, 1, (llv[]){rows, none}, 2);
  up = LLVMBuildAdd(b, up, bytes, "");
  *begin = LLVMBuildAdd(b, first, down, "");
  *end = LLVMBuildAdd(b, first, up, "");
}

static void a_range(lower *l, const kblock *k, llv filled, llv *begin, llv *end) {
  if (!k->by_rows) {
    llv bytes = fold_mul(l, filled, k64(l, k->a.slice_bytes));
    place_range(l, &k->a_place, k64(l, k->p.m - 1), bytes, begin, end);
    return;
  }
  *begin = load64(l, k->low);
  *end = load64(l, k->high);
}

/* Is what lies there apart from where the result goes? */
static llv is_apart(lower *l, const kblock *k, llv begin, llv end) {
  llv low, high;
  access_range(l, k->result, &low, &high);
  llv before = LLVMBuildICmp(l->e.b, LLVMIntULE, end, low, "");
  return LLVMBuildOr(l->e.b, before, LLVMBuildICmp(l->e.b, LLVMIntUGE, begin, high, ""), "");
}

/* Is all apart from it that the micro-kernel reads where the program has it? */
static llv operands_are_apart(lower *l, const kblock *k, llv filled) {
  LLVMBuilderRef b = l->e.b;
  llv begin, end;
  a_range(l, k, filled, &begin, &end);
  llv apart = is_apart(l, k, begin, end);
  if (!k->copies) return apart;
  llv rows = LLVMBuildSub(b, fold_mul(l, filled, k64(l, k->p.k)), k64(l, 1), "");
  llv bytes = k64(l, k->p.n * buffer_elem_bytes(&k->b.layout));
  place_range(l, &k->b_place, rows, bytes, &begin, &end);
  llv b_apart = LLVMBuildOr(b, is_apart(l, k, begin, end),
                            LLVMBuildNot(b, is_set(l, k->b_place.stays), ""), "");
  return LLVMBuildAnd(b, apart, b_apart, "");
}

/* Where the last chunk's sums go: to the result, if all of it exists, else to the accumulator. */
static matrix last_sums(lower *l, kblock *k, llv some, llv filled) {
  matrix sums = sums_of(l, k);
  if (!k->store) return sums;
  settle_loads(l, plan_order_of(l, k->store));
  group_flush(l);
  k->stored = fold_and(l, fold_and(l, some, operands_are_apart(l, k, filled)), k->result_holds);
  if (k->by_rows) return sums; /* see list_targets */
  sums.ptr = LLVMBuildSelect(l->e.b, k->stored, as_ptr(l, k->result->base), sums.ptr, "");
  sums.row = LLVMBuildSelect(l->e.b, k->stored, k->result_row, sums.row, "");
  return sums;
}

/* An accumulator that nothing was added to is what it was to start from. */
static void fill_if_empty(lower *l, const kblock *k) {
  if (!k->start_value) return;
  llblock fill = lower_new_block(l, "fill"), done = lower_new_block(l, "filled");
  LLVMBuildCondBr(l->e.b, is_set(l, k->fresh), fill, done);
  LLVMPositionBuilderAtEnd(l->e.b, fill);
  l->seldom = true;
  keep_into(l, k->start_value, k->to);
  l->seldom = false;
  lower_go(l, done);
}

static void end(lower *l, kblock *k) {
  llv filled = load64(l, k->filled);
  llv some = LLVMBuildICmp(l->e.b, LLVMIntNE, filled, k64(l, 0), "");
  if (k->b.keys)
    fetch_first_kept(l, k, &k->b);
  else
    fetch_nothing(l, k, &k->b);
  if (k->copies) fetch_next_b(l, k);
  matrix sums = last_sums(l, k, some, filled);
  multiply_when(l, k, some, filled, &sums);
  fill_if_empty(l, k);
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
      end(l, k);
  }
  if (last) end(l, last);
}
