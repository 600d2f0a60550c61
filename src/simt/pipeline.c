/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "simt/pipeline.h"

#include "simt/load_hoist.h"
#include "simt/runs.h"
#include "simt/vendor.h"

typedef struct search {
  simt_plan *plan;
  ir_op *loop;
  ir_block *body;
  bool stores;         /* the loop has weak stores */
  uint8_t *repeatable; /* by number of the value: see is_repeatable */
  simt_pipeline *out;
  bool keeps; /* operands from outside lie in shared memory already */
} search;

/* ---- what a loop does to memory ------------------------------------------------------------- */

static bool is_no_continue(void *user, ir_op *op) {
  (void)user;
  return op->opcode != OP_continue;
}

/* Might the iteration end in it? */
static bool may_continue(ir_op *op) {
  return op->opcode == OP_if && !ir_walk(op, is_no_continue, NULL);
}

/* ---- where a load reads --------------------------------------------------------------------- */

static bool is_outside(const search *s, const ir_value *v) {
  return simt_is_outside(v, s->body);
}

/* Known for any iteration from the loop's index and what is in front of the loop. */
static bool is_known(const search *s, const ir_value *v) {
  return v->type->kind == IR_TOKEN || v == &s->body->args[0] || s->repeatable[v->number] ||
         is_outside(s, v);
}

static bool operands_known(const search *s, const ir_op *op) {
  for (uint32_t i = 0; i < op->n_operands; i++)
    if (!is_known(s, ir_operand(op, i))) return false;
  return true;
}

/* Computed by each thread from what is known, at no cost that counts. */
static bool is_repeatable(const search *s, const ir_op *op) {
  if (!ir_only_computes(op)) return false;
  for (uint32_t i = 0; i < op->n_results; i++) {
    const ir_value *v = ir_result(op, i);
    if (v->type->kind != IR_TILE) continue;
    if (v->type->count > 1 && !simt_value_of(s->plan, v)->free) return false;
  }
  return operands_known(s, op);
}

static void find_repeatable(search *s) {
  for (ir_op *op = s->body->first; op; op = op->next)
    if (is_repeatable(s, op))
      for (uint32_t i = 0; i < op->n_results; i++) s->repeatable[ir_result(op, i)->number] = 1;
}

/* Marks what the loads need in the body, from its end to its begin, and lists it. */
static void find_slice(search *s) {
  simt_plan *p = s->plan;
  uint8_t *wanted = arena_array(p->arena, uint8_t, MAX(p->n_values, 1));
  memset(wanted, 0, MAX(p->n_values, 1));
  uint32_t n = 0;
  for (uint32_t i = 0; i < s->out->n_loads; i++) {
    const ir_op *load = s->out->loads[i].load;
    for (uint32_t k = 0; k < load->n_operands; k++) wanted[ir_operand(load, k)->number] = 1;
  }
  for (ir_op *op = s->body->last; op; op = op->prev) {
    bool is_wanted = false;
    for (uint32_t i = 0; i < op->n_results; i++) {
      uint32_t number = ir_result(op, i)->number;
      is_wanted |= wanted[number] && s->repeatable[number];
    }
    if (!is_wanted) continue;
    n++;
    for (uint32_t i = 0; i < op->n_operands; i++) wanted[ir_operand(op, i)->number] = 1;
  }
  s->out->slice = arena_array(p->arena, ir_op *, MAX(n, 1));
  for (ir_op *op = s->body->first; op; op = op->next)
    if (op->n_results && s->repeatable[ir_result(op, 0)->number]) {
      bool is_wanted = false;
      for (uint32_t i = 0; i < op->n_results; i++) is_wanted |= wanted[ir_result(op, i)->number];
      if (is_wanted) s->out->slice[s->out->n_slice++] = op;
    }
}

/* ---- which operand a load is ---------------------------------------------------------------- */

static simt_map identity(unsigned n) {
  simt_map m = {.from_n = (uint8_t)n, .to_n = (uint8_t)n};
  memset(m.to, SIMT_COPY, sizeof m.to);
  for (unsigned k = 0; k < n; k++) m.to[k] = (int8_t)k;
  return m;
}

static bool is_product(const ir_op *op) {
  return op->opcode == OP_mmaf || op->opcode == OP_mmai;
}

/* Follows the only use of what is loaded to a product of the same body. */
static bool find_product(const search *s, simt_staged *x) {
  const ir_value *v = ir_result(x->load, 0);
  x->to_operand = identity(simt_tile_bits(v->type));
  while (ir_has_one_use(v)) {
    ir_op *user = v->uses->user;
    if (user->block != s->body) return false;
    if (is_product(user)) {
      x->product = user;
      x->is_lhs = ir_operand(user, 0) == v;
      return x->is_lhs || ir_operand(user, 1) == v;
    }
    if (user->opcode != OP_reshape && user->opcode != OP_permute) return false;
    simt_map next = simt_map_of(user);
    for (unsigned k = 0; k < x->to_operand.from_n; k++)
      x->to_operand.to[k] = next.to[x->to_operand.to[k]];
    v = ir_result(user, 0);
  }
  return false;
}

/* ---- where a buffer's elements lie ---------------------------------------------------------- */

uint32_t simt_stage_at(const simt_stage_layout *l, uint32_t operand_index) {
  uint32_t at = 0;
  for (unsigned k = 0; k < l->n; k++)
    if (operand_index >> k & 1) at ^= l->column[k];
  return at;
}

/* A number is known to be a multiple of a chunk when it counts elements of `bytes`. */
static bool divides(const search *s, const ir_value *v, unsigned bytes) {
  uint64_t divisor = facts_of(s->plan->facts, v).divisor;
  return divisor == 0 || divisor >= s->plan->target.vendor->chunk / bytes;
}

/* Tiles of pointers are staged where all is known of their chunks, and padding is one number. */
static unsigned pointer_order(const search *s, const ir_op *load, unsigned chunk,
                              uint8_t order[SIMT_BITS]) {
  const ir_value *pointers = ir_operand_in(load, 0), *padding = ir_operand_in(load, 2);
  const ir_op *made = padding ? ir_defining_op(padding) : NULL;
  if (padding && (!made || made->opcode != OP_constant)) return 0;
  if (made && !ir_get_attr(made, ATTR_value)->dense->splat) return 0;
  int8_t bits[SIMT_BITS];
  if (simt_pointer_order(s->plan->facts, pointers, order) < chunk) return 0;
  for (unsigned j = 0; j < chunk; j++) bits[j] = (int8_t)order[j];
  simt_run r = simt_pointer_run(s->plan->facts, pointers, ir_operand_in(load, 1), bits, chunk);
  return r.test_alignment || r.test_mask ? 0 : r.bits;
}

/* The bits of the tile that lie next to each other in memory, fastest first, and how many do. A
 * chunk must be aligned as far as that is a matter of the tile. */
static unsigned memory_order(const search *s, const ir_op *load, unsigned chunk,
                             uint8_t order[SIMT_BITS]) {
  if (load->opcode == OP_load_ptr_tko) return pointer_order(s, load, chunk, order);
  const ir_type *view = ir_operand_in(load, 0)->type;
  unsigned run = simt_memory_order(view, order);
  uint32_t n_index;
  ir_use *index = ir_operand_group(load, 1, &n_index);
  for (unsigned d = 0; d < view->tile->rank; d++) {
    unsigned first, n;
    simt_dim_bits(view->tile, d, &first, &n);
    if (n == 0 || first != order[0]) continue;
    /* Tiles of these views may begin inside a chunk. */
    if (view->kind == IR_STRIDED_VIEW && view->strides[d] % (1 << chunk)) return 0;
    if (view->kind == IR_GATHER_SCATTER_VIEW &&
        !divides(s, index[d].value, s->plan->target.vendor->chunk >> chunk))
      return 0;
  }
  return run;
}

/* The dimension of the view along which the tile's bit `first` lies. */
static unsigned packed_dimension(const ir_type *tiles, unsigned first) {
  for (unsigned d = 0; d < tiles->tile->rank; d++) {
    unsigned from, n;
    simt_dim_bits(tiles->tile, d, &from, &n);
    if (n && from == first) return tiles->dim_map ? (unsigned)tiles->dim_map[d] : d;
  }
  return UINT32_MAX;
}

/* Nothing of a tile lies beyond the first element of the tensor view's dimension. */
static bool is_only_first(const search *s, const ir_op *load, unsigned in_view) {
  const ir_type *t = ir_operand_in(load, 0)->type;
  uint32_t n;
  ir_use *index = ir_operand_group(load, 1, &n);
  int64_t at;
  for (unsigned d = 0; d < t->rank; d++) {
    if ((t->dim_map ? (unsigned)t->dim_map[d] : d) != in_view) continue;
    return t->shape[d] == 1 && fact_is_number(facts_of(s->plan->facts, index[d].value), &at) &&
           at == 0;
  }
  return true;
}

/* Whether chunks of a view are aligned and exist as a whole: false when some certainly aren't. What
 * is not known goes to the list of tests. */
static bool check_chunks(const search *s, simt_staged *x, const uint8_t *order, unsigned bytes) {
  const ir_op *tiles = ir_defining_op(ir_operand_in(x->load, 0));
  const ir_value *v = tiles ? ir_operand(tiles, 0) : NULL;
  const ir_op *made = v ? ir_defining_op(v) : NULL;
  if (!made || made->opcode != OP_make_tensor_view) return false;
  const ir_type *t = v->type, *tile = ir_operand_in(x->load, 0)->type;
  int64_t size = s->plan->target.vendor->chunk;
  uint32_t n, next_shape = 0, next_stride = 0;
  ir_use *shapes = ir_operand_group(made, 1, &n), *strides = ir_operand_group(made, 2, &n);
  unsigned packed = packed_dimension(tile, order[0]);
  x->view = v;
  x->test_base = !divides(s, ir_operand_in(made, 0), 1);
  for (unsigned d = 0; d < t->rank; d++) {
    bool dynamic = t->strides[d] == IR_DYNAMIC;
    const ir_value *stride = dynamic ? strides[next_stride++].value : NULL;
    const ir_value *extent = t->shape[d] == IR_DYNAMIC ? shapes[next_shape++].value : NULL;
    if (dynamic && !divides(s, stride, bytes)) x->test_strides |= 1u << d;
    if (d != packed) {
      bool whole = dynamic || t->strides[d] * (int64_t)bytes % size == 0;
      if (!whole && !is_only_first(s, x->load, d)) return false;
      continue;
    }
    if (extent && !divides(s, extent, bytes)) x->test_extents |= 1u << d;
    if (!extent && t->shape[d] * (int64_t)bytes % size) return false;
  }
  bool tests = x->test_base || x->test_strides || x->test_extents;
  return !tests || is_outside(s, v);
}

/* Decides where the operand lies and who copies what; false when its chunks don't stay whole. */
static bool place_operand(const search *s, simt_staged *x) {
  const ir_type *t = ir_result(x->load, 0)->type;
  const simt_op *info = simt_op_of(s->plan, x->product);
  unsigned bits = tsr_elem_bits((tsr_elem)t->elem);
  if (!info || info->mma == SIMT_MMA_FMA || info->instruction->elem != t->elem || bits < 8)
    return false;
  unsigned elem_bytes = simt_log2(bits / 8),
           chunk = simt_log2(s->plan->target.vendor->chunk) - elem_bytes;
  uint8_t order[SIMT_BITS];
  if (memory_order(s, x->load, chunk, order) < chunk) return false;
  if (x->load->opcode == OP_load_view_tko && !check_chunks(s, x, order, bits / 8)) return false;
  simt_product sizes = simt_product_of(x->product);
  unsigned columns = x->is_lhs ? sizes.k : sizes.n; /* bits of the lower dimension */
  int first = x->to_operand.to[order[0]];
  if (first != 0 && first != (int)columns) return false;
  for (unsigned j = 1; j < chunk; j++)
    if (x->to_operand.to[order[j]] != first + (int)j) return false;
  bool fast_is_k = (first == 0) == x->is_lhs;
  if (!s->plan->target.vendor->lay_out(info, x, fast_is_k, elem_bytes)) return false;
  if (x->layout.fast < chunk) return false;
  if (s->plan->target.vendor->share_out)
    return s->plan->target.vendor->share_out(s->plan, x, order, chunk);
  x->at_once = (uint8_t)chunk;
  x->copy = simt_dist_ordered(simt_tile_bits(t), order, chunk, simt_plan_threads(s->plan));
  return true;
}

static void find_loads(search *s, uint32_t most) {
  simt_pipeline *out = s->out;
  const gpu_target *gpu = s->plan->target.gpu;
  out->loads = arena_array(s->plan->arena, simt_staged, MAX(most, 1));
  for (ir_op *op = s->body->first; op && !may_continue(op); op = op->next) {
    if (!ir_is_load(op) || !operands_known(s, op)) continue;
    if (s->stores && !simt_may_pass(s->plan, op, s->loop)) continue;
    simt_staged x = {.load = op};
    int64_t latency = simt_hint(op, gpu, "latency");
    if (latency == 1 || !find_product(s, &x) || !place_operand(s, &x)) continue;
    out->stages = MAX(out->stages, (unsigned)MIN(latency, SIMT_MOST_STAGES));
    x.offset = out->stage_bytes;
    out->stage_bytes += x.layout.bytes;
    out->loads[out->n_loads++] = x;
  }
}

/* ---- shared memory -------------------------------------------------------------------------- */

enum { SCRATCH_DEPTH = 8 };

static uint32_t tile_bytes(const ir_type *t) {
  if (t->kind != IR_TILE || t->count == 1) return 0;
  uint64_t bytes = (uint64_t)t->count * MAX(tsr_elem_bits((tsr_elem)t->elem), 8) / 8;
  return (uint32_t)MIN(bytes + bytes / 4, UINT32_C(1) << 30); /* rows are padded */
}

/* What it takes to have a value in a distribution. */
static uint32_t scratch_to_convert(const search *s, const ir_value *v, const simt_dist *d,
                                   unsigned depth) {
  const simt_value *x = simt_value_of(s->plan, v);
  if (v->type->kind != IR_TILE || v->type->count == 1 || x->free) return 0;
  if (x->home == SIMT_HELD) {
    return simt_is_near(&x->dist, d) ? 0 : tile_bytes(v->type);
  }
  const ir_op *op = ir_defining_op(v);
  if (!op || depth == 0) return tile_bytes(v->type);
  uint32_t most = 0;
  for (uint32_t i = 0; i < op->n_operands; i++) {
    simt_dist from = *d;
    if (!(ir_row(op)->traits & TRAIT_ELEMENTWISE)) {
      simt_map m = simt_map_of(op);
      from = simt_dist_back(d, &m);
    }
    most = MAX(most, scratch_to_convert(s, ir_operand(op, i), &from, depth - 1));
  }
  return most;
}

/* Of what is known already: all of the entry's, else those of the loop at hand. */
static bool is_staged(const search *s, const ir_op *product, bool is_lhs) {
  if (!s->out) return simt_staged_operand(s->plan, product, is_lhs) != NULL;
  for (uint32_t i = 0; i < s->out->n_loads; i++)
    if (s->out->loads[i].product == product && s->out->loads[i].is_lhs == is_lhs) return true;
  return false;
}

/* What an operand takes that an instruction of several warps reads there: as it lies in a stage,
 * which is not padded. */
static uint32_t scratch_of_group(const search *s, const ir_value *v) {
  uint64_t bytes = (uint64_t)v->type->count * tsr_elem_bits((tsr_elem)v->type->elem) / 8;
  uint32_t align = s->plan->target.vendor->stage_align;
  uint32_t own = (uint32_t)((bytes + align - 1) / align * align);
  return own + scratch_to_convert(s, v, &simt_value_of(s->plan, v)->dist, SCRATCH_DEPTH);
}

/* An expression whose elements go through shared memory one by one, not what they are made from. */
static bool is_stored_as_made(const search *s, const ir_value *v, const simt_dist *wanted) {
  const simt_value *x = simt_value_of(s->plan, v);
  return x->home == SIMT_LAZY && x->fused && !(x->rank && simt_is_near(&x->dist, wanted));
}

/* Stored in front of the loop. */
static bool is_kept(const search *s, const ir_value *v) {
  return s->keeps && simt_is_outside(v, s->body);
}

static uint32_t scratch_of_product(const search *s, const ir_op *op) {
  const simt_op *info = simt_op_of(s->plan, op);
  uint32_t sum = 0;
  for (unsigned i = 0; i < 2; i++) {
    const ir_value *v = ir_operand(op, i);
    if (is_staged(s, op, i == 0) || is_kept(s, v)) continue;
    if (!info || info->mma == SIMT_MMA_FMA)
      sum += tile_bytes(v->type) * 4;
    else if (i == 0 && info->repeat > 0)
      sum += tile_bytes(v->type);
    else if (info->mma == SIMT_MMA_GROUP && i == 1)
      sum += scratch_of_group(s, v);
    else if (info->mma == SIMT_MMA_GROUP)
      sum += is_stored_as_made(s, v, &info->a) || scratch_to_convert(s, v, &info->a, SCRATCH_DEPTH)
                 ? scratch_of_group(s, v)
                 : 0;
    else if (is_stored_as_made(s, v, i == 0 ? &info->a : &info->b))
      sum += tile_bytes(v->type);
    else
      sum += scratch_to_convert(s, v, i == 0 ? &info->a : &info->b, SCRATCH_DEPTH);
  }
  return sum;
}

bool simt_crosses_warps(const simt_plan *p, const ir_op *op) {
  if (op->opcode != OP_reduce && op->opcode != OP_scan) return false;
  const simt_dist *from = &simt_op_of(p, op)->operand;
  const simt_dist *to = &simt_value_of(p, ir_result(op, 0))->dist;
  for (unsigned j = 0; j < p->warps; j++)
    if (from->warp[j] != SIMT_COPY && to->warp[j] == SIMT_COPY) return true;
  return false;
}

/* To hand values on to the iterations of a `for`. */
static uint32_t scratch_to_carry(const search *s, const ir_op *loop, const ir_use *from,
                                 const ir_block *to) {
  uint32_t need = 0;
  for (uint32_t i = 0; i < loop->n_results; i++) {
    const ir_value *v = &to->args[1 + i];
    if (v->type->kind != IR_TILE) continue;
    const simt_dist *d = &simt_value_of(s->plan, v)->dist;
    need = MAX(need, scratch_to_convert(s, from[i].value, d, SCRATCH_DEPTH));
  }
  return need;
}

static uint32_t scratch_of_value(const search *s, const ir_value *v) {
  return simt_value_of(s->plan, v)->free ? 0 : tile_bytes(v->type);
}

typedef struct scratch_search {
  const search *s;
  uint32_t most;
} scratch_search;

/* An estimate from above for what an operation of the loop needs besides stages. What is larger
 * than the memory that is left goes through it in pieces, as a rule. */
static bool add_scratch(void *user, ir_op *op) {
  scratch_search *x = user;
  const search *s = x->s;
  uint32_t need = 0, n;
  bool moves = ir_row(op)->traits & TRAIT_INDEX_MAP;
  const simt_vendor *vendor = s->plan->target.vendor;
  uint32_t stored = vendor ? vendor->store_bytes(s->plan, op) : 0;
  if (stored) {
    need = stored;
  } else if (op->opcode == OP_for && (op == s->loop || !s->loop)) {
    need = scratch_to_carry(s, op, ir_operand_group(op, 3, &n), ir_region(op, 0));
  } else if (is_product(op) || op->opcode == OP_mmaf_scaled) {
    need = scratch_of_product(s, op);
  } else if (ir_row(op)->traits & TRAIT_ELEMENTWISE) {
    const simt_value *v = simt_value_of(s->plan, ir_result(op, 0));
    for (uint32_t i = 0; v->home == SIMT_HELD && i < op->n_operands; i++)
      need = MAX(need, scratch_to_convert(s, ir_operand(op, i), &v->dist, SCRATCH_DEPTH));
  } else if (op->opcode == OP_reduce) {
    const simt_op *info = simt_op_of(s->plan, op);
    for (uint32_t i = 0; i < op->n_operands; i++) {
      need += scratch_to_convert(s, ir_operand(op, i), &info->operand, SCRATCH_DEPTH);
      if (simt_crosses_warps(s->plan, op))
        need += tile_bytes(ir_result(op, i)->type) << s->plan->warps;
    }
  } else if (op->opcode == OP_continue) {
    bool of_for = op->block->parent->opcode == OP_for;
    if (op->block == s->body || (!s->loop && of_for))
      need = scratch_to_carry(s, op->block->parent, op->operands, op->block);
  } else if (!moves && !ir_is_load(op)) {
    for (uint32_t i = 0; i < op->n_operands; i++)
      need = MAX(need, scratch_of_value(s, ir_operand(op, i)));
    for (uint32_t i = 0; i < op->n_results; i++)
      need = MAX(need, scratch_of_value(s, ir_result(op, i)));
  }
  x->most = MAX(x->most, need);
  return true;
}

uint32_t simt_scratch_of(simt_plan *p, ir_op *entry) {
  search s = {.plan = p};
  scratch_search x = {.s = &s};
  ir_walk(entry, add_scratch, &x);
  return x.most;
}

uint32_t simt_scratch_beside_kept(const simt_plan *p, const simt_pipeline *pipeline) {
  ir_op *loop = pipeline->loop;
  search s = {.plan = (simt_plan *)(uintptr_t)p, /* which is complete, and stays as it is */
              .loop = loop,
              .body = ir_region(loop, 0),
              .keeps = true};
  scratch_search x = {.s = &s};
  ir_walk(loop, add_scratch, &x);
  return x.most;
}

/* As many stages as are asked for, fewer where memory ends; false when too few fit. */
static bool choose_stages(search *s) {
  simt_pipeline *out = s->out;
  scratch_search x = {.s = s};
  ir_walk(s->loop, add_scratch, &x);
  simt_budget have = s->plan->target.vendor->budget(s->plan, out);
  if (x.most >= have.bytes) return false;
  unsigned fit = (have.bytes - x.most) / out->stage_bytes;
  out->asked = out->stages != 0;
  out->stages = MIN(out->asked ? out->stages : have.stages, fit);
  out->scratch = x.most;
  return out->stages >= have.least;
}

/* ---- loops ---------------------------------------------------------------------------------- */

static void plan_loop(simt_plan *p, ir_op *loop) {
  search s = {.plan = p, .loop = loop, .body = ir_region(loop, 0)};
  simt_effect effect = simt_effect_of(loop);
  if (effect == SIMT_ORDERS) return;
  s.stores = effect == SIMT_STORES;
  uint32_t n = 0;
  for (ir_op *op = s.body->first; op; op = op->next) n += ir_is_load(op);
  if (n == 0) return;
  s.repeatable = arena_array(p->arena, uint8_t, p->n_values);
  memset(s.repeatable, 0, p->n_values);
  find_repeatable(&s);
  s.out = arena_new(p->arena, simt_pipeline);
  *s.out = (simt_pipeline){.loop = loop};
  find_loads(&s, n);
  if (s.out->n_loads == 0 || !choose_stages(&s)) return;
  find_slice(&s);
  *map_put(p->arena, &p->pipelines, (uintptr_t)loop) = (uintptr_t)s.out;
  for (uint32_t i = 0; i < s.out->n_loads; i++)
    *map_put(p->arena, &p->staged, (uintptr_t)s.out->loads[i].load) = (uintptr_t)&s.out->loads[i];
  p->pipeline_bytes = MAX(p->pipeline_bytes, s.out->stages * s.out->stage_bytes);
}

static bool find_alloca(void *user, ir_op *op) {
  (void)user;
  return op->opcode != OP_alloca;
}

static bool is_no_loop(void *user, ir_op *op) {
  return op == (ir_op *)user || (op->opcode != OP_for && op->opcode != OP_loop);
}

/* Innermost loops: what they read is read most often, and their stages can share memory. */
static bool plan_innermost(void *user, ir_op *op) {
  if (op->opcode == OP_for && ir_walk(op, is_no_loop, op)) plan_loop(user, op);
  return true;
}

void simt_plan_pipelines(simt_plan *plan, ir_op *entry) {
  /* With memory of its own in shared memory a pointer may point there, where asynchronous copies
   * cannot read. */
  bool can_copy = gpu_can(plan->target.gpu, GPU_ASYNC_COPY);
  if (!can_copy && !plan->target.vendor->any_target) return;
  if (ir_walk(entry, find_alloca, NULL)) ir_walk(entry, plan_innermost, plan);
}

const simt_staged *simt_staged_operand(const simt_plan *p, const ir_op *product, bool is_lhs) {
  const ir_value *v = ir_operand(product, is_lhs ? 0 : 1);
  const ir_op *op = ir_defining_op(v);
  while (op && (op->opcode == OP_reshape || op->opcode == OP_permute))
    op = ir_defining_op(ir_operand(op, 0));
  const simt_staged *s = op ? simt_staged_load(p, op) : NULL;
  return s && s->product == product && s->is_lhs == is_lhs ? s : NULL;
}

/* ---- text ----------------------------------------------------------------------------------- */

void simt_pipeline_print(sbuf *out, const simt_plan *plan, const simt_pipeline *p,
                         const char *indent) {
  bool tests = false;
  for (uint32_t i = 0; i < p->n_loads; i++)
    tests |= p->loads[i].test_base || p->loads[i].test_strides || p->loads[i].test_extents;
  sbuf_printf(out, "%spipelined%s: %u stages of %u bytes\n", indent,
              tests ? ", where addresses turn out to be aligned" : "", p->stages, p->stage_bytes);
  for (uint32_t i = 0; i < p->n_loads; i++) {
    const simt_staged *s = &p->loads[i];
    sbuf_printf(out, "%s  %s by ", indent, s->is_lhs ? "lhs" : "rhs");
    plan->target.vendor->print_staged(out, s);
    sbuf_printf(out, "\n%s    copied by ", indent);
    simt_dist_print(out, &s->copy, ir_result(s->load, 0)->type);
    sbuf_putc(out, '\n');
  }
}
