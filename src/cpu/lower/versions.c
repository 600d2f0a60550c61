/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The code of a group of roots: which lanes, copies and loops its nest has, and in how many
 * versions it is emitted. When some accesses may be partial or some linear forms may not hold,
 * there are two, and one test at run time chooses; or the loop along which elements end is peeled
 * (peel.c).
 */
#include "opt/nans.h"
#include "llvm/nans.h"

#include "cpu/lower/versions.h"

#include "cpu/core/fold.h"
#include "cpu/core/function.h"
#include "cpu/core/notes.h"
#include "cpu/plan/access.h"
#include "cpu/plan/affine.h"
#include "cpu/plan/map.h"
#include "cpu/nest/alias.h"
#include "cpu/nest/analysis.h"
#include "cpu/nest/family.h"
#include "cpu/nest/gather.h"
#include "cpu/nest/gen.h"
#include "cpu/nest/gen_buffer.h"
#include "cpu/nest/gen_memory.h"
#include "cpu/nest/gen_prefetch.h"
#include "cpu/nest/group.h"
#include "cpu/nest/nest.h"
#include "cpu/nest/pairs.h"
#include "cpu/nest/peel.h"
#include "cpu/nest/profile.h"
#include "cpu/nest/reduce.h"
#include "cpu/nest/reduce_body.h"
#include "cpu/nest/roots.h"
#include "cpu/nest/transpose.h"
#include "cpu/nest/visit.h"
#include "cpu/nest/write_combine.h"
#include "cpu/memory/streaming.h"
#include "cpu/memory/write_prefetch.h"
#include "cpu/gemm/skinny/byte_dot.h"
#include "cpu/gemm/skinny/fixed_point.h"
#include "cpu/gemm/skinny/skinny.h"
#include "cpu/lower/front.h"

enum {
  UNROLL_CHEAP = 16,  /* cost of a body that is copied four times */
  UNROLL_FAIR = 64,   /* twice */
  COST_PREFETCH = 20, /* of a body that leaves memory idle meanwhile */
  COST_STEP = 4,      /* of one that does more than to load, transpose and store */
  FIX_TOGETHER = 4,   /* registers whose NaNs are looked for at once */
  COST_FIX = 11,      /* of a body that this makes faster, for each store */
  MANY_ROUNDS = 4,    /* log2 of those that are left where copies are made */
  COST_FORK = 4,      /* of a body that does not mind a test before its stores */
};

/* Of a product of few rows: lanes and copies along its columns. Neighbours of 4 bits share a byte:
 * lanes then take bytes, and copies their halves. */
static void choose_skinny_lanes(nest *n, const nest_analysis *s, const group *g) {
  unsigned lanes = MIN(s->lane_n, n->n);
  bool unrolls = n->exact && is_on(n->l, PATTERN_UNROLL);
  unsigned copies = unrolls ? skinny_copies(n->l, g, 1u << lanes) : 0;
  bool paired = s->nibbles && copies > 0 && is_on(n->l, PATTERN_NIBBLE_LANES);
  nest_lanes(n, paired ? 1 : 0, lanes);
  if (paired) n->unroll[n->unroll_n++] = 0;
  for (unsigned j = n->unroll_n; j < copies; j++) n->unroll[n->unroll_n++] = (int8_t)(lanes + j);
}

/* Had copies of the body better be interleaved? Where it is one long chain of operations, and there
 * are registers for several. NEON has as many, but nobody has measured it there. */
static bool interleaves(lower *l, const nest_analysis *s, bool exact) {
  return exact && s->cost >= COST_PREFETCH && (l->e.vector_bits >= 512 || s->is_chain) &&
         is_on(l, PATTERN_INTERLEAVE);
}

/* A processor does not see so far ahead that it would begin the next round of a long chain while it
 * waits for this one. */
static unsigned copies_by_cost(const nest *n, const nest_analysis *s) {
  if (s->cost <= UNROLL_CHEAP) return 2;
  return s->cost <= UNROLL_FAIR || (s->is_chain && interleaves(n->l, s, n->exact)) ? 1 : 0;
}

/* Do eight copies make all of a reduction whose body is several operations? Starting from elements,
 * a loop of two rounds is little else than its beginning and its end. AVX-512 has the registers. */
static bool needs_no_loop(const nest *n, const nest_analysis *s, const group *g) {
  enum { ACCUMULATORS = 16 };
  unsigned first, count;
  if (!n->exact || n->l->e.vector_bits < 512 || !g->reduce || g->n_roots > 1) return false;
  reduce_bits(g->reduce, &first, &count);
  return root_skips_first(&g->roots[0]) && 8 * g->reduce->n_operands <= ACCUMULATORS &&
         s->lane_bit == first && count == n->lane_n + 3u;
}

/* Do elements exist from some element on only? What is left over of several copies at either end is
 * for the guarded version. */
static bool begins_late(const nest_analysis *s) {
  for (uint32_t i = 0; i < s->bounds.len; i++)
    if (s->by_pointers && s->bounds.data[i].lo) return true;
  return false;
}

/* Lanes and copies: as many copies as lanes, where what is read is transposed. */
static void choose_lanes(nest *n, const nest_analysis *s, const group *g) {
  unsigned lanes = MIN(s->lane_n, n->n);
  nest_lanes(n, n->exact || s->transpose_bit < 0 ? s->lane_bit : 0, lanes);
  if (n->exact && s->transpose_bit >= 0) {
    for (unsigned j = 0; j < s->squares; j++)
      n->unroll[n->unroll_n++] = (int8_t)(s->lane_bit + lanes + j);
    for (unsigned j = 0; j < lanes; j++)
      n->unroll[n->unroll_n++] = (int8_t)(s->transpose_bit + (int)j);
    return;
  }
  if (n->exact && s->exchanged) {
    for (unsigned bit = 0; bit < n->n; bit++)
      if (s->exchanged >> bit & 1) n->unroll[n->unroll_n++] = (int8_t)bit;
    return;
  }
  unsigned left = n->n - n->lane_n;
  unsigned copies = copies_by_cost(n, s);
  if (begins_late(s)) copies = MIN(copies, left > MANY_ROUNDS ? left - MANY_ROUNDS : 0);
  if (copies == 1 && n->l->e.vector_bits >= 512 && interleaves(n->l, s, n->exact)) copies = 2;
  if (copies == 2 && needs_no_loop(n, s, g)) copies = 3;
  if (copies == 2 && s->shared && g->n_roots == 1 && !n->part.repeats) {
    reduce_take_rows(n, g->reduce, s->shared);
    return;
  }
  /* The rare version is the small one; but one accumulator would make it wait for itself where its
   * body is short, and it makes many iterations. */
  if (!n->exact && left > 1 && (!g->reduce || copies < 2 || n->part.repeats)) copies = 0;
  if (!is_on(n->l, PATTERN_UNROLL)) copies = 0;
  int pair = group_pair_bit(g);
  if (pair >= 0 && n->exact && gen_rounds_pairs(n, &g->roots[0])) copies = 3;
  if (pair >= 0) n->unroll[n->unroll_n++] = (int8_t)pair;
  /* Copies are neighbours of the lanes, where there are some. */
  unsigned bit = s->lane_bit;
  while (n->unroll_n < MIN(copies, left)) {
    while (n->lane_of[bit] >= 0 || (int)bit == pair) bit = (bit + 1) % n->n;
    n->unroll[n->unroll_n++] = (int8_t)bit;
    bit = (bit + 1) % n->n;
  }
}

static uint32_t bits_taken(const nest *n) {
  uint32_t taken = 0;
  for (unsigned j = 0; j < n->lane_n; j++) taken |= 1u << n->lane[j];
  for (unsigned j = 0; j < n->unroll_n; j++) taken |= 1u << n->unroll[j];
  return taken;
}

/* Loops over the bits in [from, to) that are neither lanes nor copies, split where dimensions meet,
 * outer ones first. */
static void open_loops(nest *n, const ir_type *shape, unsigned from, unsigned to) {
  uint32_t taken = bits_taken(n);
  while (to > from) {
    unsigned first = to - 1;
    if (taken >> first & 1) {
      to--;
      continue;
    }
    while (first > from && !map_is_boundary(shape, first) && !(taken >> (first - 1) & 1)) first--;
    nest_open(n, first, to - first);
    to = first;
  }
}

/* Loops in the order that a reduction needs: its own dimension innermost. Returns the level of that
 * dimension's loop. */
static unsigned open_reduction(nest *n, group *g) {
  unsigned first, count;
  reduce_bits(g->reduce, &first, &count);
  unsigned low = first, high = first + count;
  uint32_t taken = bits_taken(n);
  open_loops(n, g->shape, high, n->n);
  open_loops(n, g->shape, 0, low);
  while (low < high && taken >> low & 1) low++;
  while (low < high && taken >> (high - 1) & 1) high--;
  unsigned at = n->n_levels;
  if (high > low) nest_open_from(n, low, high - low, root_skips_first(&g->roots[0]) ? 1 : 0);
  return at;
}

/* The same, but for non-temporal stores what is loaded next to each other comes last: stores
 * don't wait for their lines then, and memory is read in longer pieces. Not so where other loads
 * have theirs where the stores have. */
static void open_transposed(nest *n, const ir_type *shape, const nest_analysis *s) {
  unsigned low = (unsigned)s->transpose_bit, high = low + n->lane_n;
  if (!n->streams || s->reads_along) {
    open_loops(n, shape, 0, n->n);
    return;
  }
  while (high < n->n && !map_is_boundary(shape, high)) high++;
  open_loops(n, shape, high, n->n);
  open_loops(n, shape, 0, low);
  open_loops(n, shape, low, high);
}

/* Pairs are laid out panel by panel: down the rows first, since the next panel is far away. */
static void open_pairs(nest *n, const ir_type *shape) {
  unsigned columns = log2_of(shape->shape[shape->rank - 1]);
  unsigned rows = columns + log2_of(shape->shape[shape->rank - 2]);
  open_loops(n, shape, rows, n->n);
  open_loops(n, shape, 0, columns);
  open_loops(n, shape, columns, rows);
}

static void emit_products(nest *n, group *g, unsigned k_level) {
  skinny_product *products[MAX_ROOTS];
  for (unsigned i = 0; i < g->n_roots; i++) {
    products[i] = arena_new(n->l->arena, skinny_product);
    skinny_begin(products[i], n, &g->roots[i], k_level);
  }
  for (unsigned copy = 0; copy < 1u << n->unroll_n; copy++) {
    index_map m = nest_map(n, copy);
    for (unsigned i = 0; i < g->n_roots; i++) skinny_step(products[i], copy, &m);
  }
  for (unsigned i = 0; i < g->n_roots; i++) skinny_end(products[i]);
}

static void store_root(nest *n, const root *r, const index_map *m, llv v) {
  if (r->kind == ROOT_MATERIALISE)
    gen_buffer_store(n, r->to, m, opt_nans_are_alike(r->value) ? emit_plain_half(v) : v);
  else
    gen_store(n, r->access, m, v);
}

/* What a body stores: the values of its copies, one after the other. */
typedef struct stored {
  llv v[MAX_UNROLL * MAX_ROOTS];
  unsigned n;
} stored;

/* Looks for NaNs in what all copies store at once, where each value would be made canonical by
 * instructions of its own: one comparison for two registers, and a block beside the loop for when
 * there are some, which is rare. */
static void fix_together(nest *n, stored *x) {
  emit *e = &n->l->e;
  llv raw[MAX_UNROLL * MAX_ROOTS];
  unsigned at[MAX_UNROLL * MAX_ROOTS], count = 0, last = n->n_levels - 1;
  for (unsigned i = 0; i < x->n; i++) {
    llv any = lanes_before_canonical(x->v[i]);
    if (!any || !emit_fills_register(e, any)) continue;
    raw[count] = any;
    at[count++] = i;
  }
  if (count < FIX_TOGETHER) return;
  NOTE_MATCH(n->l, FIX_NANS, .n = {count});
  nest_place_level(n, last);
  llblock before = n->levels[last].block, rare = nest_cut(n, lanes_no_nan(e, raw, count));
  llv fixed[MAX_UNROLL * MAX_ROOTS];
  LLVMPositionBuilderBefore(e->b, LLVMGetBasicBlockTerminator(rare));
  for (unsigned i = 0; i < count; i++) fixed[i] = lanes_canonical(e, raw[i]);
  nest_place_level(n, last);
  for (unsigned i = 0; i < count; i++) {
    llv phi = LLVMBuildPhi(e->b, LLVMTypeOf(raw[i]), "");
    LLVMAddIncoming(phi, (llv[]){raw[i], fixed[i]}, (llblock[]){before, rare}, 2);
    x->v[at[i]] = phi;
  }
}

/* Does the body end in making canonical what the root stores? */
static bool ends_in_fixes(nest *n, const root *r) {
  tsr_elem elem = (tsr_elem)(r->kind == ROOT_REDUCE ? TSR_I1 : r->value->type->elem);
  if (elem != TSR_F32 && elem != TSR_F64) return false;
  const ir_op *op = ir_defining_op(r->value);
  return op && ir_row(op)->group == GROUP_FLOAT && value_of(n->l, r->value)->kind == VALUE_LAZY &&
         !(r->kind == ROOT_MATERIALISE && r->to->any_nan);
}

/* All copies are computed then before any is stored, and the blocks take half a millisecond to
 * compile. So only where something was measured to be gained: where the body is little else than
 * such fixes, or shared with a reduction, which takes values as they are; and not where memory
 * takes longer anyway. Nobody has measured it on Arm, where finding out whether any lane is set is
 * slow. */
static bool may_fix_together(nest *n, const group *g, const nest_analysis *s) {
  if (!is_on(n->l, PATTERN_FIX_NANS)) return false;
  if (!n->exact || n->l->e.arm || g->n_roots << n->unroll_n < FIX_TOGETHER) return false;
  if ((s->cost > COST_FIX * MAX(group_count_stores(g), 1u) && !g->reduce) ||
      (n->streams && LLVMIsConstant(n->streams)))
    return false;
  for (unsigned i = 0; i < g->n_roots; i++)
    if (ends_in_fixes(n, &g->roots[i])) return true;
  return false;
}

static void store_values(nest *n, group *g, unsigned copy, const llv *v) {
  index_map m = nest_map(n, copy);
  llv of_root[MAX_ROOTS] = {0};
  bool done[MAX_ROOTS] = {0};
  for (unsigned i = 0; i < g->n_roots; i++)
    if (g->roots[i].kind != ROOT_REDUCE) of_root[i] = *v++;
  family_store(n, g, &m, of_root, done);
  for (unsigned i = 0; i < g->n_roots; i++)
    if (of_root[i] && !done[i]) store_root(n, &g->roots[i], &m, of_root[i]);
}

/* Nests of nothing but stores leave out what isn't stored: much, where tiles are larger than what
 * they are tiles of. */
static void leave_early(nest *n, const group *g, const index_map *m) {
  llv any = NULL;
  for (unsigned i = 0; i < g->n_roots; i++) {
    const root *r = &g->roots[i];
    llv one = r->kind == ROOT_STORE ? gen_any_exists(n, r->access, m) : NULL;
    if (!one) return;
    nest_place_level(n, n->n_levels - 1);
    any = any ? LLVMBuildOr(n->l->e.b, any, one, "") : one;
  }
  NOTE_MATCH(n->l, LEAVE_EARLY, .op = g->roots[0].op);
  nest_place_level(n, n->n_levels - 1);
  nest_leave(n, LLVMBuildNot(n->l->e.b, any, ""));
}

/* The iterations after those that were made, which give what the last of these gave: it remains to
 * reduce it, as long as that changes anything, and to keep it. */
static void repeat_last(nest *n, const group *g, reduction **reductions, const llv *v) {
  llv changes = NULL, from = n->part.to;
  bool keeps = false, counts = false;
  for (unsigned i = 0; i < g->n_roots; i++) {
    keeps |= g->roots[i].kind == ROOT_MATERIALISE;
    counts |= reductions[i] && reduce_counts(g->roots[i].op);
  }
  if (counts) {
    nest_repeat(n, from);
    for (unsigned i = 0; i < g->n_roots; i++)
      if (reductions[i]) changes = reduce_repeat(reductions[i], changes);
    nest_repeat_while(n, emit_any_lane(&n->l->e, changes));
  }
  if (!keeps) return;
  nest_repeat(n, from);
  for (unsigned copy = 0; copy < 1u << n->unroll_n; copy++) {
    index_map m = nest_map(n, copy);
    for (unsigned i = 0; i < g->n_roots; i++) {
      const root *r = &g->roots[i];
      if (r->kind == ROOT_MATERIALISE) store_root(n, r, &m, *v);
      v += r->kind != ROOT_REDUCE;
    }
  }
}

/* What masks of stores say is known before any of these changes memory. */
static void find_masks(nest *n, const group *g, const index_map *m) {
  if (group_count_stores(g) < 2) return;
  for (unsigned i = 0; i < g->n_roots; i++)
    if (g->roots[i].kind == ROOT_STORE) gen_mask(n, g->roots[i].access, m);
}

static void emit_plain(nest *n, group *g, const nest_analysis *s, reduction **reductions) {
  nest_marks marks = {0};
  stored x = {.n = 0};
  bool interleaved = interleaves(n->l, s, n->exact), together = may_fix_together(n, g, s);
  unsigned copies = 1u << n->unroll_n;
  if (!n->exact && copies == 1 && n->n_levels > 1 && is_on(n->l, PATTERN_LEAVE_EARLY)) {
    index_map m = nest_map(n, 0);
    leave_early(n, g, &m);
  }
  nest_mark(n, &marks);
  for (unsigned copy = 0; copy < copies; copy++) {
    index_map m = nest_map(n, copy);
    unsigned first = x.n;
    for (unsigned i = 0; i < g->n_roots; i++) {
      if (reductions[i])
        reduce_step(reductions[i], copy, &m);
      else
        x.v[x.n++] = gen_lanes(n, g->roots[i].value, &m).v;
    }
    find_masks(n, g, &m);
    if (!together) store_values(n, g, copy, x.v + first);
    gen_write_prefetch(n, &m);
    nest_mark(n, &marks);
  }
  if (interleaved && copies > 1) NOTE_MATCH(n->l, INTERLEAVE, .n = {copies});
  if (interleaved) nest_interleave(n, &marks);
  if (together) {
    fix_together(n, &x);
    for (unsigned copy = 0; copy < copies; copy++)
      store_values(n, g, copy, x.v + copy * (x.n / copies));
  }
  gen_late_stores(n);
  if (n->part.repeats) repeat_last(n, g, reductions, x.v);
}

/* Loads of a group, and those of them that an earlier loop has loaded, too. */
typedef struct load_count {
  lower *l;
  unsigned lane_n;
  unsigned all, reread;
  bool parts;   /* vectors in memory are parts of lines */
  bool rows;    /* a tile isn't in one piece */
  bool later;   /* a later nest will load it again */
  uint32_t end; /* of the group */
} load_count;

static bool is_part(const access *a, unsigned lane_n) {
  return access_elem_bits(a) << lane_n < 8 * CACHE_LINE;
}

static bool is_in_rows(const access *a) {
  int64_t c;
  for (unsigned k = 0; k < a->n; k++)
    if (!coef_const(a->exact[k], &c) || c != access_unit(a) << k) return true;
  return false;
}

static bool count_load(void *user, ir_value *v, const index_map *m) {
  load_count *x = user;
  const value *y = value_of(x->l, v);
  (void)m;
  if (!value_is_load(y)) return true;
  x->all++;
  x->reread += y->load->next != NULL;
  x->parts |= is_part(y->load, x->lane_n);
  x->rows |= access_has_form(y->load) && is_in_rows(y->load);
  x->later |= y->last > x->end;
  return true;
}

/* To memory of the kernel, which stays in a cache? */
static bool stores_to_own(lower *l, const root *r) {
  lower_find_roots(l);
  return ir_root_of(&l->roots, ir_accessed(r->op)) >=
         IR_ROOT_FIRST + l->roots.n_params + l->roots.n_globals;
}

/* Stores need memory, too: then the more is loaded, the more must be computed meanwhile. Tiles lie
 * in short pieces of many rows, of which processors fetch too little on their own as soon as
 * there is more to do than to load whole lines and to store them with non-temporal stores, or
 * transposed; those with slow streams do so always. A nest that sums up what a later one loads
 * again leaves that to the later one, which would have left memory idle. One that copies to memory
 * of the kernel does nothing else than to wait for memory. Rows that are loaded once
 * more are fetched by nests that don't store, and on some processors also by one that does: see
 * prefetch.c. What computes addresses and masks of pointers is no reason to fetch: each load counts
 * with its own. */
static nest_prefetch choose_prefetch(lower *l, group *g, const nest_analysis *s) {
  load_count loads = {.l = l, .lane_n = s->lane_n, .end = group_end(l, g)};
  bool stores = false, copies = false;
  for (unsigned i = 0; i < g->n_roots; i++) {
    if (g->roots[i].kind != ROOT_STORE) continue;
    bool own = stores_to_own(l, &g->roots[i]);
    copies |= own;
    stores |= !own;
    loads.parts |= is_part(g->roots[i].access, s->lane_n);
  }
  visit_group(l, g, count_load, &loads);
  bool each = (loads.reread && stores) || s->by_pointers;
  unsigned least = each ? COST_PREFETCH * loads.all : COST_PREFETCH;
  if (group_has_products(g) || s->cost >= least) return PREFETCH_TILE;
  const bool slow = l->e.core.shallow_prefetch, lags = slow || loads.parts;
  if (s->transpose_bit >= 0 && (slow || s->squares > 0 || s->cost >= COST_STEP))
    return PREFETCH_STEP;
  if (loads.rows && stores && (s->streams ? lags || s->cost > COST_STEP : s->transpose_bit < 0))
    return PREFETCH_STEP;
  if (loads.rows && lags && !stores && !loads.reread && !loads.later) return PREFETCH_STEP;
  if (copies && !stores && !loads.reread) return PREFETCH_STEP;
  if (!stores) return PREFETCH_REREAD;
  return loads.reread && l->e.core.few_fill_buffers ? PREFETCH_LAST : PREFETCH_NOTHING;
}

/* What a version leaves to another one: iterations; and with what its reductions continue. */
typedef struct version_part {
  nest_part part;
  llv goes_on;
  note_version which;
} version_part;

static void note_nest_version(const nest *n, note_version which, const group *g, bool transposed) {
  note x = {.kind = NOTE_VERSION, .shape = g->shape, .n = {which}};
  for (unsigned j = 0; j < n->lane_n; j++) x.lanes |= 1u << n->lane[j];
  for (unsigned j = 0; j < n->unroll_n; j++) x.copies |= 1u << n->unroll[j];
  for (unsigned i = 1; i < n->n_levels && x.n_loops < NOTE_LOOPS; i++)
    x.loops[x.n_loops++] = (note_loop){n->levels[i].first, n->levels[i].n};
  notes_add(n->l, x);
  notes_enter(n->l);
  if (n->unroll_n && !transposed && is_on(n->l, PATTERN_UNROLL))
    NOTE_MATCH(n->l, UNROLL, .n = {1 << n->unroll_n});
  if (group_has_products(g) && n->lane_n && n->lane[0] == 1)
    NOTE_MATCH(n->l, NIBBLE_LANES, .value = g->roots[0].value);
}

/* One version of the group's nest. */
static void emit_version(lower *l, group *g, const nest_analysis *s, bool exact,
                         const version_part *p) {
  nest n;
  nest_begin(&n, l, tile_bits(g->shape), exact);
  n.linear = exact || s->intervals;
  n.clamps = exact && s->clamps;
  n.intervals = exact ? NULL : s->intervals;
  n.part = p->part;
  n.goes_on = p->goes_on;
  bool products = group_has_products(g);
  if (products)
    choose_skinny_lanes(&n, s, g);
  else
    choose_lanes(&n, s, g);
  if (!reduce_has_rows(&n, g->reduce) && (exact || p->part.from))
    n.prefetch = choose_prefetch(l, g, s);
  if (exact) n.upcoming = s->upcoming;
  n.chooses = exact && s->chooses;
  n.exchanges = exact && s->exchanged;
  n.streams = s->streams;
  n.combines = s->streams && s->combines;
  families_find(&n, g);
  gather_find_pairs(&n, g);
  reduction *reductions[MAX_ROOTS] = {0};
  unsigned reduced_level = 0;
  bool transposed = exact && !products && s->transpose_bit >= 0;
  if (g->reduce)
    reduced_level = open_reduction(&n, g);
  else if (transposed)
    open_transposed(&n, g->shape, s);
  else if (exact && group_pair_bit(g) >= 0 && gen_rounds_pairs(&n, &g->roots[0]))
    open_pairs(&n, g->shape);
  else
    open_loops(&n, g->shape, 0, n.n);
  if (l->notes) note_nest_version(&n, p->which, g, transposed);
  for (unsigned i = 0; i < g->n_roots; i++) {
    if (g->roots[i].kind != ROOT_REDUCE) continue;
    reductions[i] = arena_new(l->arena, reduction);
    reduce_begin(reductions[i], &n, &g->roots[i], reduced_level);
  }
  if (transposed) transpose_readings(&n, g, s);
  if (products)
    emit_products(&n, g, reduced_level);
  else if (group_pair_bit(g) >= 0)
    gen_pairs(&n, &g->roots[0]);
  else
    emit_plain(&n, g, s, reductions);
  for (unsigned i = 0; i < g->n_roots; i++)
    if (reductions[i]) reduce_end(reductions[i]);
  nest_end(&n);
  notes_leave(l);
}

/* The bits that are lanes or copies in a version. */
static uint32_t bits_taken_by(lower *l, const group *g, const nest_analysis *s, bool exact,
                              bool repeats) {
  nest n = {.l = l, .n = tile_bits(g->shape), .exact = exact, .part.repeats = repeats};
  memset(n.lane_of, -1, sizeof n.lane_of);
  choose_lanes(&n, s, g);
  return bits_taken(&n);
}

/* The version for all elements inside. Two, if its stores may be non-temporal and minds a test in
 * each round: if it does next to nothing but load and store, or has so many blocks that its
 * registers don't suffice. Copying takes a sixth longer with a test. */
static void emit_exact(lower *l, group *g, const nest_analysis *s, const version_part *p) {
  nest_analysis exact = *s;
  exact.combines = stores_may_combine(l, g, s, bits_taken_by(l, g, s, true, false));
  exact.streams = stream_condition(l, g, &exact);
  if (!exact.streams || g->reduce || (s->cost >= COST_FORK && !s->is_cut)) {
    emit_version(l, g, &exact, true, p);
    return;
  }
  llblock past = lower_new_block(l, "past"), into = lower_new_block(l, "into");
  llblock done = lower_new_block(l, "done");
  LLVMBuildCondBr(l->e.b, exact.streams, past, into);
  LLVMPositionBuilderAtEnd(l->e.b, past);
  exact.streams = LLVMConstAllOnes(l->e.i1);
  emit_version(l, g, &exact, true, p);
  LLVMBuildBr(l->e.b, done);
  LLVMPositionBuilderAtEnd(l->e.b, into);
  emit_version(l, g, s, true, p);
  lower_go(l, done);
}

/* What reductions to one element gave in this group or in a copy of it, wherever it was. */
static void merge_scalars(lower *l, group *g, group *other, llblock from, llblock other_from) {
  for (unsigned i = 0; i < g->n_roots; i++) {
    root *r = &g->roots[i];
    if (r->kind != ROOT_REDUCE) continue;
    for (uint32_t k = 0; k < r->op->n_operands; k++) {
      if (!r->scalars[k]) continue;
      llv phi = LLVMBuildPhi(l->e.b, LLVMTypeOf(r->scalars[k]), "");
      LLVMAddIncoming(phi, (llv[]){r->scalars[k], other->roots[i].scalars[k]},
                      (llblock[]){from, other_from}, 2);
      r->scalars[k] = phi;
    }
  }
}

static void start_scalars(lower *l, group *g, unsigned lanes) {
  for (unsigned i = 0; i < g->n_roots; i++)
    if (g->roots[i].kind == ROOT_REDUCE && !g->roots[i].results[0])
      reduce_starts(l, g->roots[i].op, lanes, g->roots[i].scalars);
}

/* The exact version as far as everything exists, and the guarded one from there. That comes first:
 * it is few iterations, as a rule, which wait for themselves, and which the processor makes beside
 * those of the exact one. */
static void emit_peeled(lower *l, group *g, const nest_analysis *s, const peeled_loop *p) {
  LLVMBuilderRef b = l->e.b;
  llblock exact = lower_new_block(l, "exact"), rest = lower_new_block(l, "rest");
  llblock guarded = lower_new_block(l, "guarded"), done = lower_new_block(l, "done");
  llblock head = LLVMGetInsertBlock(b);
  llv any = LLVMBuildICmp(b, LLVMIntNE, p->whole, p->from ? p->from : k64(l, 0), "any");
  llv from = LLVMBuildShl(b, p->whole, k64(l, p->finer), "");
  nest_part part = {.top = p->top, .to = p->until, .repeats = p->repeats};
  if (p->from) {
    llv at_once = LLVMBuildICmp(b, LLVMIntEQ, p->from, k64(l, 0), "at_once");
    part.hole_from = LLVMBuildShl(b, p->from, k64(l, p->finer), "");
    part.hole_to = from;
    from = LLVMBuildSelect(b, at_once, from, k64(l, 0), "");
  }
  part.from = from;
  llv end = p->until && !p->repeats ? p->until : k64(l, p->all << p->finer);
  llv reaches_over = LLVMBuildICmp(b, LLVMIntNE, from, end, "reaches_over");
  group none = *g;
  start_scalars(l, &none, 1u << s->lane_n);
  LLVMBuildCondBr(b, reaches_over, rest, guarded);
  NOTE_MATCH(l, EXACT_VERSION);
  NOTE_MATCH(l, PEEL, .n = {p->all});
  if (p->until) NOTE_MATCH(l, REPEAT_LAST, .n = {p->repeats});
  LLVMPositionBuilderAtEnd(b, rest);
  emit_version(l, g, s, false, &(version_part){.part = part, .which = VERSION_REST});
  llblock rest_end = LLVMGetInsertBlock(b);
  lower_go(l, guarded);
  merge_scalars(l, g, &none, rest_end, head);
  LLVMBuildCondBr(b, any, exact, done);
  LLVMPositionBuilderAtEnd(b, exact);
  group other = *g;
  version_part whole = {.part = {.top = p->top, .from = p->from, .to = p->whole},
                        .goes_on = reaches_over,
                        .which = VERSION_WHOLE};
  if (p->all == 1) { /* there is no loop, and nothing to go on from */
    whole.part = (nest_part){0};
    whole.goes_on = NULL;
  }
  nest_analysis exact_analysis = *s;
  exact_analysis.chooses |= p->chooses;
  emit_exact(l, &other, &exact_analysis, &whole);
  llblock exact_end = LLVMGetInsertBlock(b);
  lower_go(l, done);
  merge_scalars(l, g, &other, guarded, exact_end);
}

/* Either version. */
static void emit_one_of_two(lower *l, group *g, const nest_analysis *s) {
  llblock exact = lower_new_block(l, "exact"), guarded = lower_new_block(l, "guarded");
  llblock done = lower_new_block(l, "done");
  NOTE_MATCH(l, EXACT_VERSION);
  LLVMBuildCondBr(l->e.b, s->holds, exact, guarded);
  LLVMPositionBuilderAtEnd(l->e.b, exact);
  emit_exact(l, g, s, &(version_part){.which = VERSION_EXACT});
  llblock exact_end = LLVMGetInsertBlock(l->e.b);
  LLVMBuildBr(l->e.b, done);
  group other = *g;
  LLVMPositionBuilderAtEnd(l->e.b, guarded);
  emit_version(l, &other, s, false, &(version_part){.which = VERSION_GUARDED});
  llblock guarded_end = LLVMGetInsertBlock(l->e.b);
  LLVMBuildBr(l->e.b, done);
  LLVMPositionBuilderAtEnd(l->e.b, done);
  merge_scalars(l, g, &other, exact_end, guarded_end);
}

/* Is the condition always true? */
static bool is_sure(llv condition) {
  int64_t always;
  return !condition || (is_const(condition, &always) && always);
}

/* Versions for what exists for sure and for the rest. */
static void emit_by_bounds(lower *l, group *g, const nest_analysis *s) {
  peeled_loop p;
  bits_by_version taken = {.exact = bits_taken_by(l, g, s, true, false),
                           .guarded = bits_taken_by(l, g, s, false, false),
                           .repeating = bits_taken_by(l, g, s, false, true)};
  bool sure = is_sure(s->holds);
  if (l->seldom || (!sure && !is_on(l, PATTERN_EXACT_VERSION)))
    emit_version(l, g, s, false, &(version_part){0});
  else if (sure)
    emit_exact(l, g, s, &(version_part){0});
  else if (!group_has_products(g) && find_peeled(l, g, s, &taken, &p))
    emit_peeled(l, g, s, &p);
  else
    emit_one_of_two(l, g, s);
}

/* Versions for when linear forms hold, the guarded one of which has linear addresses as well, and a
 * last one for when they don't: numbers that wrap. */
static void emit_by_forms(lower *l, group *g, const nest_analysis *s) {
  nest_analysis linear = *s;
  if (is_sure(s->forms) && s->by_pointers && !l->seldom && !is_sure(s->holds) &&
      is_on(l, PATTERN_LINEAR_GUARDED))
    linear.intervals = find_intervals(l, g, &linear.forms);
  if (is_sure(linear.forms) || is_sure(s->holds) || l->seldom) {
    linear.holds = fold_and(l, s->holds, linear.forms);
    linear.but_bounds = fold_and(l, s->but_bounds, linear.forms);
    emit_by_bounds(l, g, &linear);
    return;
  }
  llblock holds = lower_new_block(l, "linear"), general = lower_new_block(l, "general");
  llblock done = lower_new_block(l, "done");
  if (!linear.intervals) linear.intervals = find_intervals(l, g, &linear.forms);
  NOTE_MATCH(l, LINEAR_GUARDED);
  LLVMBuildCondBr(l->e.b, linear.forms, holds, general);
  LLVMPositionBuilderAtEnd(l->e.b, holds);
  emit_by_bounds(l, g, &linear);
  llblock holds_end = LLVMGetInsertBlock(l->e.b);
  LLVMBuildBr(l->e.b, done);
  group other = *g;
  LLVMPositionBuilderAtEnd(l->e.b, general);
  emit_version(l, &other, s, false, &(version_part){.which = VERSION_GENERAL});
  llblock general_end = LLVMGetInsertBlock(l->e.b);
  LLVMBuildBr(l->e.b, done);
  LLVMPositionBuilderAtEnd(l->e.b, done);
  merge_scalars(l, g, &other, holds_end, general_end);
}

/* Products without digits, which may be too many for one nest. */
static void emit_products_by_bounds(lower *l, group *g, const nest_analysis *s) {
  if (!skinny_splits(l, g)) {
    emit_by_bounds(l, g, s);
    return;
  }
  for (unsigned i = 0; i < g->n_roots; i++) {
    group single = *g;
    single.n_roots = 1;
    single.roots[0] = g->roots[i];
    nest_analysis own = analyse_group(l, &single);
    emit_by_bounds(l, &single, &own);
  }
}

/* The same, and in front of them one by digits, where the left operand can be written so. */
static void emit_fixed_point(lower *l, group *g, const nest_analysis *s, fixed_point *d) {
  llblock by_digits = lower_new_block(l, "digits"), plain = lower_new_block(l, "plain");
  llblock done = lower_new_block(l, "done");
  llv exact = fold_and(l, s->holds, fixed_point_write(d));
  LLVMBuildCondBr(l->e.b, exact, by_digits, plain);
  LLVMPositionBuilderAtEnd(l->e.b, by_digits);
  for (unsigned i = 0; i < g->n_roots; i++)
    NOTE_MATCH(l, FIXED_POINT, .op = g->roots[i].op, .n = {d->bits});
  byte_dot_multiply(d);
  LLVMBuildBr(l->e.b, done);
  LLVMPositionBuilderAtEnd(l->e.b, plain);
  emit_products_by_bounds(l, g, s);
  LLVMBuildBr(l->e.b, done);
  LLVMPositionBuilderAtEnd(l->e.b, done);
}

static void emit_separated(lower *l, group *g) {
  alias_separate(l, g);
  nest_analysis s = analyse_group(l, g);
  bool fetches = !l->seldom && !group_has_products(g) && is_on(l, PATTERN_PREFETCH_WRITE);
  if (s.cost >= COST_PREFETCH && fetches) s.upcoming = upcoming_store_of(l, g);
  fixed_point d;
  if (group_has_products(g) && fixed_point_fits(l, g, &d))
    emit_fixed_point(l, g, &s, &d);
  else
    emit_by_forms(l, g, &s);
}

/* A nest for each store, of loads that have been copied. */
static void emit_in_turn(lower *l, const group *g) {
  group kept = *g;
  kept.n_roots = 0;
  for (unsigned i = 0; i < g->n_roots; i++)
    if (g->roots[i].kind != ROOT_STORE) kept.roots[kept.n_roots++] = g->roots[i];
  if (kept.n_roots > 0) emit_separated(l, &kept);
  for (unsigned i = 0; i < g->n_roots; i++) {
    if (g->roots[i].kind != ROOT_STORE) continue;
    group one = {.shape = g->shape, .n_roots = 1, .roots = {g->roots[i]}};
    emit_separated(l, &one);
  }
}

static bool count_by_pointers(void *user, ir_value *v, const index_map *m) {
  load_count *x = user;
  const value *y = value_of(x->l, v);
  (void)m;
  if (value_is_load(y)) x->all += y->load->pointers && access_has_form(y->load);
  return true;
}

static bool goes_to_known(const group *g) {
  for (unsigned i = 0; i < g->n_roots; i++)
    if (g->roots[i].kind == ROOT_STORE && !alias_is_known_store(g->roots[i].access)) return false;
  return true;
}

/* Several loads through pointers, as those of a stencil: to choose for each of them whether it is
 * copied would take the addresses apart that they have in common. */
static bool reads_neighbours(lower *l, const group *g) {
  load_count loads = {.l = l};
  if (l->seldom || g->reduce || group_count_stores(g) == 0 || !is_on(l, PATTERN_STORE_TOGETHER))
    return false;
  visit_group(l, g, count_by_pointers, &loads);
  return loads.all > 1 && goes_to_known(g);
}

/* Several stores: one nest where they are independent, else one for each. */
static void emit_together(lower *l, group *g) {
  alias_loads loads = alias_find_together(l, g);
  if (is_sure(loads.if_apart)) {
    alias_take(l, &loads);
    emit_separated(l, g);
    alias_give_back(l, &loads);
    return;
  }
  llblock apart = lower_new_block(l, "apart"), in_turn = lower_new_block(l, "in_turn");
  llblock done = lower_new_block(l, "done");
  LLVMBuildCondBr(l->e.b, loads.if_apart, apart, in_turn);
  LLVMPositionBuilderAtEnd(l->e.b, apart);
  alias_take(l, &loads);
  emit_separated(l, g);
  alias_give_back(l, &loads);
  LLVMBuildBr(l->e.b, done);
  LLVMPositionBuilderAtEnd(l->e.b, in_turn);
  l->seldom = true;
  alias_copy_all(l, &loads);
  emit_in_turn(l, g);
  l->seldom = false;
  alias_give_back(l, &loads);
  lower_go(l, done);
}

/* Two where gathers need not be copied if they overlap nothing that is stored. */
static void emit_known_versions(lower *l, group *g) {
  unsigned stores = group_count_stores(g);
  if (stores > 1 && !goes_to_known(g)) {
    alias_loads loads = alias_find_all(l, g);
    alias_copy_all(l, &loads);
    emit_in_turn(l, g);
    alias_give_back(l, &loads);
    return;
  }
  if (stores > 1 || reads_neighbours(l, g)) {
    emit_together(l, g);
    return;
  }
  /* Two versions may have different lanes, which the parts of a reduction's result must not. */
  alias_loads loads = g->reduce ? (alias_loads){0} : alias_find(l, g);
  if (!loads.if_apart) {
    emit_separated(l, g);
    return;
  }
  llblock apart = lower_new_block(l, "apart"), copied = lower_new_block(l, "copied");
  llblock done = lower_new_block(l, "done");
  NOTE_MATCH(l, APART_VERSION, .op = g->roots[0].op);
  LLVMBuildCondBr(l->e.b, loads.if_apart, apart, copied);
  LLVMPositionBuilderAtEnd(l->e.b, apart);
  group other = *g;
  alias_take(l, &loads);
  emit_separated(l, g);
  alias_give_back(l, &loads);
  llblock apart_end = LLVMGetInsertBlock(l->e.b);
  LLVMBuildBr(l->e.b, done);
  LLVMPositionBuilderAtEnd(l->e.b, copied);
  emit_separated(l, &other);
  llblock copied_end = LLVMGetInsertBlock(l->e.b);
  LLVMBuildBr(l->e.b, done);
  LLVMPositionBuilderAtEnd(l->e.b, done);
  merge_scalars(l, g, &other, apart_end, copied_end);
}

/* ---- notes ---------------------------------------------------------------------------------- */

static void note_root(lower *l, const root *r) {
  switch ((root_kind)r->kind) {
  case ROOT_STORE: NOTE(l, .kind = NOTE_STORE, .op = r->op); return;
  case ROOT_REDUCE: NOTE(l, .kind = NOTE_REDUCE, .op = r->op); return;
  case ROOT_PRODUCT: NOTE(l, .kind = NOTE_MULTIPLY_IN_NEST, .op = r->op); return;
  case ROOT_MATERIALISE:
    NOTE(l, .kind = NOTE_KEEP, .value = r->value, .n = {r->to->format});
    return;
  }
}

static note_place place_of(const access *a) {
  return a->index ? NOTE_ROWS : access_has_form(a) ? NOTE_LINEAR : NOTE_GATHERED;
}

static bool note_value(void *user, ir_value *v, const index_map *m) {
  lower *l = user;
  const value *x = value_of(l, v);
  const ir_op *op = ir_defining_op(v);
  (void)m;
  if (value_is_load(x))
    NOTE(l, .kind = NOTE_FUSED, .value = v, .n = {place_of(x->load)});
  else if (x->kind == VALUE_LAZY && op && ir_row(op)->traits & TRAIT_ELEMENTWISE)
    NOTE(l, .kind = NOTE_FUSED, .value = v);
  return true;
}

static void note_group(lower *l, const group *g) {
  bool products = group_has_products(g);
  notes_add(l, (note){.kind = NOTE_NEST, .shape = g->shape});
  notes_enter(l);
  for (unsigned i = 0; i < g->n_roots; i++) note_root(l, &g->roots[i]);
  for (unsigned i = 1; i < g->n_roots; i++) {
    const root *r = &g->roots[i];
    const ir_value *kept = r->kind == ROOT_MATERIALISE ? r->value : NULL;
    if (products)
      NOTE_MATCH(l, SKINNY_PAIR, .op = r->op);
    else if (is_on(l, PATTERN_NEST_FUSION))
      NOTE_MATCH(l, NEST_FUSION, .op = r->op, .value = kept);
  }
  visit_group(l, g, note_value, l);
}

/* ---- a group -------------------------------------------------------------------------------- */

void versions_emit(lower *l, group *g) {
  profile_span span = profile_begin_group(l, g);
  if (l->notes) note_group(l, g);
  front_emit(l, g, emit_known_versions);
  notes_leave(l);
  for (unsigned i = 0; i < g->n_roots; i++) {
    root *r = &g->roots[i];
    if (r->kind == ROOT_REDUCE && !r->results[0]) reduce_finish(l, r);
  }
  profile_end(l, &span);
}
