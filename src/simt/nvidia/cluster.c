/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "simt/nvidia/cluster.h"

#include "simt/nvidia/bulk_store.h"

enum { DIMS = 3, ALL_DIMS = 7 };

/* ---- sizes ---------------------------------------------------------------------------------- */

uint32_t simt_cluster_group(const simt_bulk *b, unsigned dims) {
  uint32_t n = 1;
  for (unsigned d = 0; d < DIMS; d++)
    if (dims >> d & 1) n *= b->cluster[d];
  return n;
}

uint32_t simt_cluster_blocks(const simt_bulk *b) {
  return simt_cluster_group(b, ALL_DIMS);
}

uint32_t simt_cluster_stride(const simt_bulk *b, unsigned d) {
  return simt_cluster_group(b, (1u << d) - 1);
}

static unsigned coordinate(const simt_bulk *b, uint32_t rank, unsigned d) {
  return rank / simt_cluster_stride(b, d) % b->cluster[d];
}

uint32_t simt_cluster_pattern(const simt_bulk *b, unsigned dims) {
  uint32_t pattern = 0;
  for (uint32_t rank = 0; rank < simt_cluster_blocks(b); rank++) {
    bool in = true;
    for (unsigned d = 0; d < DIMS; d++) in &= dims >> d & 1 || coordinate(b, rank, d) == 0;
    if (in) pattern |= 1u << rank;
  }
  return pattern;
}

uint32_t simt_cluster_peers(const simt_bulk *b) {
  uint32_t peers = 1;
  for (uint32_t i = 0; i < b->n_loops; i++)
    for (uint32_t k = 0; k < b->loops[i].pipeline->n_loads; k++)
      peers |= simt_cluster_pattern(b, b->loops[i].shared[k].dims);
  return (uint32_t)__builtin_popcount(peers);
}

/* ---- what depends on where a block is ------------------------------------------------------- */

typedef struct search {
  const simt_plan *plan;
  ir_op *entry;
  simt_bulk *b;
  uint8_t *known; /* by number of the value: DEPENDS_KNOWN and the dimensions */
  uint8_t *quick; /* the same of what changes from a block to the next, as a rule */
} search;

enum { DEPENDS_KNOWN = 8, MOST_DEPTH = 1000 };

/* A quotient is the same for many blocks in a row. */
static bool is_quotient(const ir_op *op) {
  return op->opcode == OP_divi || op->opcode == OP_shri;
}

/* The dimensions of the grid on which a value depends: what the producer computes, too. `memo`:
 * s->known, or s->quick for those along which it changes quickly. */
static unsigned depends_in(search *s, const ir_value *v, uint8_t *memo, unsigned depth) {
  uint8_t *known = &memo[v->number];
  unsigned sum = 0;
  if (v->type->kind == IR_TOKEN) return 0;
  if (*known) return *known & ALL_DIMS;
  if (depth == MOST_DEPTH) return ALL_DIMS;
  const ir_op *op = v->is_arg ? v->owner.block->parent : v->owner.op;
  if (v->is_arg) {
    bool index = op->opcode == OP_for && v->index == 0;
    if (op != s->entry && !index) sum = ALL_DIMS;
    for (uint32_t i = 0; index && i < 3; i++)
      sum |= depends_in(s, ir_operand(op, i), memo, depth + 1);
  } else if (op->opcode == OP_get_tile_block_id) {
    sum = 1u << v->index;
  } else if (op->n_regions) {
    sum = ALL_DIMS;
  } else {
    for (uint32_t i = memo == s->quick && is_quotient(op); i < op->n_operands; i++)
      sum |= depends_in(s, ir_operand(op, i), memo, depth + 1);
  }
  *known = (uint8_t)(DEPENDS_KNOWN | sum);
  return sum;
}

static unsigned depends_load_in(search *s, const ir_op *load, uint8_t *memo) {
  uint32_t n;
  unsigned sum = 0;
  ir_use *index = ir_operand_group(load, 1, &n);
  for (uint32_t i = 0; i < n; i++) sum |= depends_in(s, index[i].value, memo, 0);
  return sum;
}

static unsigned depends_load(search *s, const ir_op *load) {
  return depends_load_in(s, load, s->known);
}

/* The dimensions in which loads differ: those that the program uses at all. */
static unsigned depends_loads(search *s) {
  unsigned sum = 0;
  for (uint32_t i = 0; i < s->b->n_loops; i++)
    for (uint32_t k = 0; k < s->b->loops[i].pipeline->n_loads; k++)
      sum |= depends_load(s, s->b->loops[i].pipeline->loads[k].load);
  return sum;
}

/* How often the loops are executed. */
static unsigned depends_bounds(search *s) {
  unsigned sum = 0;
  for (uint32_t i = 0; i < s->b->n_loops; i++)
    for (const ir_op *up = s->b->loops[i].pipeline->loop; up != s->entry; up = up->block->parent)
      for (uint32_t k = 0; k < 3; k++) sum |= depends_in(s, ir_operand(up, k), s->known, 0);
  return sum;
}

/* ---- slices --------------------------------------------------------------------------------- */

static uint32_t tile_bytes(const simt_staged *x) {
  return UINT32_C(1) << (x->layout.n + x->layout.elem_bytes);
}

/* Whether a tile has `n` slices that begin where swizzles do: whole panels, or parts of each, cut
 * along the slowest of the map's dimensions, which `cut` says (0: panels). */
static bool can_cut(const simt_staged *x, const simt_tensor_map *m, uint32_t n, uint8_t *cut) {
  unsigned d = m->rank - 1u;
  *cut = 0;
  if (tile_bytes(x) / x->layout.panel_bytes >= n) return true;
  while (d > 0 && m->box[d] == 1) d--;
  *cut = (uint8_t)d;
  return d > 0 && m->box[d] >= n && x->layout.panel_bytes / n % SIMT_STAGE_ALIGN == 0;
}

static bool is_pair(const simt_bulk *b) {
  return b->cluster[0] == 2 && simt_cluster_blocks(b) == 2;
}

/* What the cluster b->cluster shares of a load, and how it is cut. */
static simt_shared_load share(search *s, const simt_bulk_loop *l, uint32_t load) {
  const simt_staged *x = &l->pipeline->loads[load];
  simt_shared_load r = {.dims = (uint8_t)(ALL_DIMS & ~depends_load(s, x->load))};
  for (unsigned d = 0; d < DIMS; d++)
    if (s->b->cluster[d] == 1) r.dims &= (uint8_t) ~(1u << d);
  if (!r.dims && is_pair(s->b) && !(depends_load_in(s, x->load, s->quick) & 1))
    r = (simt_shared_load){.dims = 1, .maybe = true};
  uint32_t n = simt_cluster_group(s->b, r.dims);
  if (n == 1 || !can_cut(x, &s->b->maps[l->map[load]], n, &r.cut)) r = (simt_shared_load){0};
  return r;
}

/* ---- the choice ----------------------------------------------------------------------------- */

/* Bytes that a block fetches for an iteration of each loop, with b->cluster. */
static uint64_t bytes_fetched(search *s) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < s->b->n_loops; i++) {
    const simt_bulk_loop *l = &s->b->loops[i];
    for (uint32_t k = 0; k < l->pipeline->n_loads; k++)
      sum += tile_bytes(&l->pipeline->loads[k]) / simt_cluster_group(s->b, share(s, l, k).dims);
  }
  return sum;
}

/* Clocks in which tensor cores compute an iteration of each loop. */
static uint64_t product_clocks(const search *s) {
  const simt_bulk *b = s->b;
  uint64_t sum = 0;
  for (uint32_t i = 0; i < b->n_loops; i++)
    for (uint32_t k = 0; k < b->loops[i].n_products; k++) {
      const ir_op *op = b->loops[i].products[k];
      simt_product size = simt_product_of(op);
      uint64_t n = UINT64_C(1) << (size.m + size.n + size.k);
      sum += n * tsr_elem_bits((tsr_elem)ir_operand(op, 0)->type->elem) / 16 /
             s->plan->target.gpu->matrix_rate;
    }
  return MAX(sum, 1);
}

/* The cluster of `blocks` in dimensions of `free` with the fewest bytes to be fetched, of several
 * the longest along x, in which blocks follow each other; b->cluster. Returns them. */
static uint64_t choose_shape(search *s, uint32_t blocks, unsigned free) {
  uint8_t best[DIMS] = {1, 1, 1}, *at = s->b->cluster;
  uint64_t least = UINT64_MAX;
  for (uint32_t x = blocks; x >= 1; x /= 2)
    for (uint32_t y = blocks / x; y >= 1; y /= 2) {
      const uint32_t sizes[DIMS] = {x, y, blocks / (x * y)};
      bool allowed = true;
      for (unsigned d = 0; d < DIMS; d++) {
        at[d] = (uint8_t)sizes[d];
        allowed &= sizes[d] == 1 || free >> d & 1;
      }
      uint64_t bytes = allowed ? bytes_fetched(s) : UINT64_MAX;
      if (bytes >= least) continue;
      least = bytes;
      memcpy(best, at, sizeof best);
    }
  memcpy(at, best, sizeof best);
  return least;
}

/* Maps of slices take the place of those of tiles; loads may have the same. */
static void cut_maps(search *s, const simt_tensor_map *old) {
  simt_bulk *b = s->b;
  b->n_maps = 0;
  for (uint32_t i = 0; i < b->n_loops; i++) {
    simt_bulk_loop *l = &b->loops[i];
    for (uint32_t k = 0; k < l->pipeline->n_loads; k++) {
      simt_tensor_map m = old[l->map[k]];
      const simt_shared_load *x = &l->shared[k];
      if (x->cut) m.box[x->cut] = (uint16_t)(m.box[x->cut] / simt_cluster_group(b, x->dims));
      l->map[k] = simt_bulk_map(b, &m);
    }
  }
  for (uint32_t i = 0; i < b->n_stores; i++)
    b->stores[i].map = simt_bulk_map(b, &old[b->stores[i].map]);
}

static void share_all(search *s) {
  simt_bulk *b = s->b;
  arena *a = s->plan->arena;
  for (uint32_t i = 0; i < b->n_loops; i++) {
    simt_bulk_loop *l = &b->loops[i];
    for (uint32_t k = 0; k < l->pipeline->n_loads; k++) l->shared[k] = share(s, l, k);
  }
  simt_tensor_map *old = arena_array(a, simt_tensor_map, MAX(b->n_maps, 1));
  memcpy(old, b->maps, b->n_maps * sizeof *old);
  cut_maps(s, old);
}

/* How many blocks are wanted; 1: no cluster. `bytes`: that one block alone fetches. More
 * than two blocks find room together less often. */
static uint32_t blocks_wanted(const search *s, uint64_t bytes) {
  int64_t hint = simt_hint(s->entry, s->plan->target.gpu, "num_cta_in_cga");
  if (hint > 0) return (uint32_t)MIN(hint, SIMT_MOST_CLUSTER);
  return bytes > s->plan->target.gpu->l2_rate * product_clocks(s) ? 2 : 1;
}

static search begin(const simt_plan *p, ir_op *entry, simt_bulk *b) {
  search s = {.plan = p, .entry = entry, .b = b};
  s.known = arena_array(p->arena, uint8_t, MAX(p->n_values, 1));
  s.quick = arena_array(p->arena, uint8_t, MAX(p->n_values, 1));
  memset(s.known, 0, p->n_values);
  memset(s.quick, 0, p->n_values);
  return s;
}

unsigned simt_bounds_depend(const simt_plan *p, ir_op *entry, simt_bulk *b) {
  search s = begin(p, entry, b);
  return depends_bounds(&s);
}

bool simt_compares_blocks(const simt_bulk *b) {
  for (uint32_t i = 0; i < b->n_loops; i++)
    for (uint32_t k = 0; k < b->loops[i].pipeline->n_loads; k++)
      if (b->loops[i].shared[k].maybe) return true;
  return false;
}

bool simt_plan_cluster(const simt_plan *p, ir_op *entry, simt_bulk *b) {
  search s = begin(p, entry, b);
  unsigned free = depends_loads(&s) & ~depends_bounds(&s);
  uint64_t alone = bytes_fetched(&s);
  uint32_t blocks = blocks_wanted(&s, alone);
  bool good = blocks > 1 && (blocks & (blocks - 1)) == 0 && choose_shape(&s, blocks, free) < alone;
  if (good)
    share_all(&s);
  else
    memset(b->cluster, 1, sizeof b->cluster);
  return good;
}
