/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Loops that copy ahead through registers. With two stages in the LDS:
 *
 *   fill    iteration 0 to stage 0, iteration 1 to registers
 *   loop    a barrier: stage i mod 2 is written, and nobody reads the other one
 *           registers to stage (i + 1) mod 2; begin to load iteration i + 2 to registers
 *           multiply what is in stage i mod 2
 *
 * With one stage registers are written when all have multiplied, behind a barrier of its own. What
 * is loaded is waited for where it is written, an iteration later, one tile after the other, while
 * others are under way. Where an iteration to be loaded does not exist the last one is loaded
 * again, so that no condition is needed.
 */
#include "gpu/amdgcn/pipeline.h"

#include "gpu/amdgcn/access.h"
#include "gpu/amdgcn/buffer.h"
#include "gpu/amdgcn/state.h"
#include "gpu/amdgcn/threads.h"
#include "gpu/code.h"
#include "gpu/control.h"
#include "gpu/invariant.h"
#include "gpu/kernel.h"
#include "gpu/memory.h"
#include "gpu/shared.h"
#include "gpu/values.h"
#include "simt/amd/stage.h"

/* ---- stages --------------------------------------------------------------------------------- */

static llv stage_base(gen *g, const simt_staged *s, llv stage) {
  const pipeline *p = g->pipeline;
  g->scratch_size = MAX(g->scratch_size, p->plan->stages * p->plan->stage_bytes);
  g->scratch_align = MAX(g->scratch_align, (uint32_t)AMD_CHUNK);
  llv base = LLVMBuildPtrToInt(g->start, g->scratch, g->e.i32, "stages");
  base = add_const(g, base, s->offset);
  return stage ? add_of(g, base, stage) : base;
}

xor_place amdgcn_stage_place(gen *g, const simt_staged *s, const simt_dist *places) {
  return gpu_xor_place(g, stage_base(g, s, g->pipeline->read), places, s->layout.column);
}

uint32_t amdgcn_shared_taken(const gen *g) {
  const pipeline *p = g->pipeline;
  return p ? p->plan->stages * p->plan->stage_bytes : 0;
}

static unsigned load_bytes(const simt_staged *s) {
  return 1u << (s->at_once + s->layout.elem_bytes);
}
static uint32_t loads_of(const simt_staged *s) {
  return slots_of(&s->copy) >> s->at_once;
}

/* ---- to the LDS ------------------------------------------------------------------------------ */

static llv word_of(gen *g, llv load, unsigned bytes, unsigned i) {
  return bytes > 4 ? LLVMBuildExtractElement(g->e.b, load, k32(g, i), "") : load;
}

/* Four words, each with a byte for each of four columns, become words with those of one column. */
static void turn_bytes(gen *g, const llv *row, llv *column) {
  llv low[2], high[2];
  for (unsigned i = 0; i < 2; i++) {
    low[i] = amdgcn_select_bytes(g, row[2 * i], row[2 * i + 1], 0x5140);
    high[i] = amdgcn_select_bytes(g, row[2 * i], row[2 * i + 1], 0x7362);
  }
  column[0] = amdgcn_select_bytes(g, low[0], low[1], 0x5410);
  column[1] = amdgcn_select_bytes(g, low[0], low[1], 0x7632);
  column[2] = amdgcn_select_bytes(g, high[0], high[1], 0x5410);
  column[3] = amdgcn_select_bytes(g, high[0], high[1], 0x7632);
}

typedef struct writing {
  gen *g;
  const simt_staged *s;
  const llv *loads;
  unsigned elem, wide; /* bytes of an element, of a load */
  unsigned run;        /* log2 of the elements along k that are written at once */
  xor_place place;
} writing;

static void write_words(writing *w, uint32_t slot, const llv *words, unsigned bytes) {
  gen *g = w->g;
  LLVMBuilderRef b = g->e.b;
  uint32_t offset;
  llv at = gpu_xor_address(g, &w->place, simt_index_of_slot(&w->s->copy, slot), &offset);
  llv all = bytes > 4 ? LLVMGetPoison(LLVMVectorType(g->e.i32, bytes / 4)) : words[0];
  for (unsigned i = 0; i < bytes / 4 && bytes > 4; i++)
    all = LLVMBuildInsertElement(b, all, words[i], k32(g, i), "");
  llv to = as_ptr(g, add_const(g, at, offset), SPACE_SHARED);
  LLVMSetAlignment(LLVMBuildStore(b, all, to), bytes);
}

/* The word of the load for one of the rows of k that follow each other from a slot on. */
static llv row_word(const writing *w, uint32_t slot, unsigned row, unsigned word) {
  uint32_t load = (slot >> w->s->at_once) + row;
  return word_of(w->g, w->loads[load], w->wide, word);
}

/* Rows of k that a thread has become columns: for all elements of a load, 2^run of k each. */
static void write_turned(writing *w, uint32_t slot) {
  gen *g = w->g;
  unsigned rows = 1u << w->run, bytes = rows * w->elem, columns = 1u << w->s->at_once;
  llv words[4][4]; /* of up to four columns, which a word of a load has of bytes */
  for (unsigned c = 0; c < columns; c += MAX(4 / w->elem, 1u)) {
    unsigned word = c * w->elem / 4, n = bytes / 4;
    for (unsigned i = 0; i < n; i++) {
      if (w->elem == 1) {
        llv four[4], turned[4];
        for (unsigned k = 0; k < 4; k++) four[k] = row_word(w, slot, 4 * i + k, word);
        turn_bytes(g, four, turned);
        for (unsigned k = 0; k < 4; k++) words[k][i] = turned[k];
      } else if (w->elem == 2) {
        llv low = row_word(w, slot, 2 * i, word), high = row_word(w, slot, 2 * i + 1, word);
        words[0][i] = amdgcn_select_bytes(g, low, high, 0x5410);
        words[1][i] = amdgcn_select_bytes(g, low, high, 0x7632);
      } else {
        unsigned each = w->elem / 4;
        words[0][i] = row_word(w, slot, i / each, word + i % each);
      }
    }
    for (unsigned k = 0; k < MAX(4 / w->elem, 1u); k++)
      write_words(w, slot + c + k, words[k], bytes);
  }
}

static void write_plain(writing *w, uint32_t slot) {
  llv words[4];
  for (unsigned i = 0; i < w->wide / 4; i++)
    words[i] = word_of(w->g, w->loads[slot >> w->s->at_once], w->wide, i);
  write_words(w, slot, words, w->wide);
}

static void write_tile(gen *g, const simt_staged *s, llv stage, const llv *loads) {
  uint32_t column[SIMT_BITS] = {0};
  for (unsigned k = 0; k < s->to_operand.from_n; k++)
    column[k] = s->layout.column[s->to_operand.to[k]];
  writing w = {.g = g, .s = s, .loads = loads, .wide = load_bytes(s), .run = simt_amd_write_run(s)};
  w.elem = 1u << s->layout.elem_bytes;
  w.place = gpu_xor_place(g, stage_base(g, s, stage), &s->copy, column);
  unsigned k_first = s->is_lhs ? 0 : (unsigned)simt_product_of(s->product).n;
  bool plain = s->to_operand.to[s->copy.reg[0]] == (int)k_first;
  llblock done = gpu_begin_owner(g, gpu_owner(g, &s->copy));
  for (uint32_t slot = 0; slot < slots_of(&s->copy);
       slot += 1u << (s->at_once + (plain ? 0 : w.run)))
    if (plain)
      write_plain(&w, slot);
    else
      write_turned(&w, slot);
  if (done) gpu_go(g, done);
}

/* ---- loads ---------------------------------------------------------------------------------- */

/* The dimension whose bound is the resource's: the one that most of a thread's loads differ in,
 * which is none of a chunk's. */
static unsigned bound_of(const simt_staged *s) {
  if (s->load->opcode != OP_load_view_tko) return AMDGCN_NO_DIMENSION;
  const ir_type *t = ir_operand_in(s->load, 0)->type;
  unsigned best = AMDGCN_NO_DIMENSION, most = 0;
  for (unsigned i = 0; i < t->rank; i++) {
    unsigned first, n, count = 0;
    simt_dim_bits(t->tile, i, &first, &n);
    bool packed = n && s->copy.reg[0] >= (int8_t)first && s->copy.reg[0] < (int8_t)(first + n);
    if (packed) continue;
    for (unsigned j = s->at_once; j < s->copy.regs; j++)
      count += s->copy.reg[j] >= (int8_t)first && s->copy.reg[j] < (int8_t)(first + n);
    if (count > most) {
      most = count;
      best = i;
    }
  }
  return best;
}

/* What stands for elements that do not exist, as wide as a load; NULL: zeros. */
static llv padding_of(gen *g, const access *a, unsigned bytes) {
  emit *e = &g->e;
  llv x = gpu_to_memory(g, (tsr_elem)a->elem, gpu_padding(g, a)[0]);
  int64_t known;
  if (is_const(x, &known) && known == 0) return NULL;
  unsigned width = LLVMGetIntTypeWidth(LLVMTypeOf(x)), n = 8 * bytes / width;
  llv all = n > 1 ? LLVMGetPoison(LLVMVectorType(LLVMTypeOf(x), n)) : x;
  for (unsigned k = 0; k < n && n > 1; k++)
    all = LLVMBuildInsertElement(e->b, all, x, k32(g, k), "");
  LLVMTypeRef type = bytes > 4 ? LLVMVectorType(e->i32, bytes / 4) : e->i32;
  return LLVMBuildBitCast(e->b, all, type, "");
}

static void load_by_buffer(gen *g, const simt_staged *s, const access *a, llv *out) {
  unsigned bytes = load_bytes(s), bound = bound_of(s);
  llv resource = amdgcn_resource(g, a, bound), pad = padding_of(g, a, bytes);
  for (uint32_t i = 0; i < loads_of(s); i++) {
    uint32_t slot = i << s->at_once;
    llv exists = gpu_exists_beside(g, a, slot, bound), all = pad ? gpu_exists(g, a, slot) : NULL;
    out[i] = amdgcn_buffer_load(g, resource, bytes, gpu_tile_offset(g, a, slot), exists);
    if (all) out[i] = LLVMBuildSelect(g->e.b, all, out[i], pad, "");
  }
}

static void load_by_addresses(gen *g, const simt_staged *s, const access *a, llv *out) {
  unsigned bytes = load_bytes(s);
  LLVMTypeRef type = bytes > 4 ? LLVMVectorType(g->e.i32, bytes / 4) : g->e.i32;
  llv pad = padding_of(g, a, bytes);
  if (!pad) pad = LLVMConstNull(type);
  for (uint32_t i = 0; i < loads_of(s); i++)
    out[i] = amdgcn_load_words(g, bytes, gpu_address(g, a, i << s->at_once),
                               gpu_exists(g, a, i << s->at_once), pad);
}

/* ---- tiles ----------------------------------------------------------------------------------- */

static void load_chunks(gen *g, const simt_staged *s, llv *out) {
  access a = gpu_access(g, s->load, &s->copy);
  bool shared = gpu_share_parts(&a);
  if (gpu_has_tile_base(&a))
    load_by_buffer(g, s, &a, out);
  else
    load_by_addresses(g, s, &a, out);
  gpu_end_sharing(&a, shared);
}

/* Nothing is moved past this. Else what turns an operand would be in front of the barrier, where it
 * waits for all loads, and loads behind the products, just in front of those who wait for them. */
static void keep_order(gen *g) {
  llv nothing = k32(g, 0);
  emit_intrinsic(&g->e, "llvm.amdgcn.sched.barrier", NULL, 0, &nothing, 1);
}

/* All loads of the iteration with this index; in front of each its tile of `from`, of the iteration
 * before, goes to a stage (NULL: nothing does). What the body's values are in the loop's own
 * iteration stays as it is. */
static void load_all(gen *g, const pipeline *p, llv index, llv *out, llv stage, const llv *from) {
  const simt_pipeline *plan = p->plan;
  ir_value *of_loop = &ir_region(plan->loop, 0)->args[0];
  tile_cache own = g->cache;
  value *kept = arena_array(g->arena, value, 1 + plan->n_slice);
  gpu_place since = gpu_here(g);
  kept[0] = *value_of(g, of_loop);
  for (uint32_t i = 0; i < plan->n_slice; i++)
    kept[1 + i] = *value_of(g, ir_result(plan->slice[i], 0));
  gpu_cache_init(g, &g->cache);
  gpu_set_scalar(g, of_loop, index);
  for (uint32_t i = 0; i < plan->n_slice; i++) gpu_body_op(g, plan->slice[i]);
  gpu_move_invariants(g, since);
  for (uint32_t i = 0; i < plan->n_loads; i++) {
    const simt_staged *s = &plan->loads[i];
    if (from) keep_order(g);
    if (from) write_tile(g, s, stage, from);
    if (from) from += loads_of(s);
    since = gpu_here(g);
    load_chunks(g, s, out);
    gpu_move_invariants(g, since);
    out += loads_of(s);
  }
  if (from) keep_order(g);
  g->cache = own;
  *value_of(g, of_loop) = kept[0];
  for (uint32_t i = 0; i < plan->n_slice; i++)
    *value_of(g, ir_result(plan->slice[i], 0)) = kept[1 + i];
}

/* ---- which iteration ------------------------------------------------------------------------- */

/* The index after this one, or this one again where the loop ends. */
static llv index_after(gen *g, const pipeline *p, llv index) {
  llv more = gpu_has_next(g, index, p->bounds.upper, p->bounds.step, p->bounds.forward);
  return LLVMBuildSelect(g->e.b, more, add_of(g, index, p->bounds.step), index, "");
}

static llv other_stage(gen *g, const pipeline *p, llv stage) {
  return LLVMBuildXor(g->e.b, stage, k32(g, p->plan->stage_bytes), "");
}

/* ---- whether chunks can be loaded
 * ---------------------------------------------------------------------------
 */

/* Chunks are aligned. */
static llv aligned(gen *g, const simt_staged *s) {
  if (!s->test_base && !s->test_strides && !s->test_extents) return NULL;
  llv sum = NULL, unit = k64(g, INT64_C(1) << s->layout.elem_bytes);
  const view *v = value_of(g, s->view)->view;
  if (s->test_base) sum = fold_or(g, sum, v->base);
  for (unsigned d = 0; d < v->type->rank; d++) {
    if (s->test_strides >> d & 1) sum = fold_or(g, sum, fold_mul(g, v->stride[d], unit));
    if (s->test_extents >> d & 1) sum = fold_or(g, sum, fold_mul(g, v->shape[d], unit));
  }
  llv low = LLVMBuildAnd(g->e.b, sum, k64(g, AMD_CHUNK - 1), "");
  return LLVMBuildICmp(g->e.b, LLVMIntEQ, low, k64(g, 0), "aligned");
}

/* An i1; NULL: they may. */
static llv may_load_chunks(gen *g, const simt_pipeline *plan) {
  llv ok = NULL;
  for (uint32_t i = 0; i < plan->n_loads; i++) {
    const simt_staged *s = &plan->loads[i];
    ok = fold_and(g, ok, aligned(g, s));
    if (!s->view) continue;
    const ir_type *tiles = ir_operand_in(s->load, 0)->type;
    ok = fold_and(g, ok, amdgcn_buffer_test(g, tiles, value_of(g, s->view)->view, bound_of(s)));
  }
  return ok;
}

/* ---- the loop -------------------------------------------------------------------------------- */

/* Iteration 0 to the first stage, iteration 1 to registers, if there is an iteration. */
static void fill(gen *g, pipeline *p) {
  LLVMBuilderRef b = g->e.b;
  llblock before = LLVMGetInsertBlock(b), inside = gpu_new_block(g, "fill");
  llblock done = gpu_new_block(g, "fill.end");
  llv *first = arena_array(g->arena, llv, p->n), lower = p->bounds.lower;
  LLVMBuildCondBr(b, p->bounds.any, inside, done);
  LLVMPositionBuilderAtEnd(b, inside);
  load_all(g, p, lower, first, NULL, NULL);
  llv second = index_after(g, p, lower);
  load_all(g, p, second, p->next_words, p->plan->stages > 1 ? k32(g, 0) : NULL, first);
  llv third = index_after(g, p, second);
  inside = LLVMGetInsertBlock(b);
  gpu_go(g, done);
  for (uint32_t i = 0; i < p->n; i++) {
    LLVMTypeRef type = LLVMTypeOf(p->next_words[i]);
    llv phi = LLVMBuildPhi(b, type, "");
    LLVMAddIncoming(phi, (llv[]){LLVMGetPoison(type), p->next_words[i]},
                    (llblock[]){before, inside}, 2);
    p->next_words[i] = phi;
  }
  p->next_ahead = LLVMBuildPhi(b, LLVMTypeOf(lower), "");
  LLVMAddIncoming(p->next_ahead, (llv[]){lower, third}, (llblock[]){before, inside}, 2);
  p->next_read = p->plan->stages > 1 ? k32(g, 0) : NULL;
}

pipeline *amdgcn_loop_begin(gen *g, const simt_pipeline *plan, const loop_bounds *bounds) {
  pipeline *p = arena_new(g->arena, pipeline);
  *p = (pipeline){.plan = plan, .bounds = *bounds};
  for (uint32_t i = 0; i < plan->n_loads; i++) p->n += loads_of(&plan->loads[i]);
  p->words = arena_array(g->arena, llv, p->n);
  p->next_words = arena_array(g->arena, llv, p->n);
  gpu_before_load(g);
  if (g->now.shared_read) gpu_barrier(g); /* stages may still be read as scratch memory */
  g->now.loaded = true;
  g->pipeline = p;
  fill(g, p);
  return p;
}

/* ---- versions of the kernel -------------------------------------------------------------------
 */

static bool has_views(gen *g, const simt_pipeline *plan) {
  for (uint32_t i = 0; i < plan->n_loads; i++) {
    const ir_value *v = plan->loads[i].view;
    if (v && !value_of(g, v)->view) return false;
  }
  return true;
}

typedef struct version_search {
  gen *g;
  llv test;
} version_search;

static bool find_test(void *user, ir_op *op) {
  gen *g = ((version_search *)user)->g;
  const simt_pipeline *plan = op->opcode == OP_for ? simt_pipeline_of(g->plan, op) : NULL;
  if (!plan || !has_views(g, plan)) return true;
  llv *test = &((version_search *)user)->test;
  llv more = may_load_chunks(g, plan);
  if (more) *map_put(g->arena, &amdgcn_own(g)->tested, (uintptr_t)plan) = 1;
  if (more) *test = fold_and(g, *test, more);
  return true;
}

llv amdgcn_version_test(gen *g, ir_op *from) {
  version_search s = {.g = g};
  for (ir_op *op = from; op; op = op->next) ir_walk(op, find_test, &s);
  return s.test;
}

static bool is_tested(const gen *g, const simt_pipeline *plan) {
  return map_get(&amdgcn_own(g)->tested, (uintptr_t)plan) != NULL;
}

bool amdgcn_loop_is_plain(const gen *g, const simt_pipeline *plan) {
  return g->version == VERSION_OTHERS && is_tested(g, plan);
}

llv amdgcn_loop_test(gen *g, const simt_pipeline *plan) {
  return g->version == VERSION_ALIGNED && is_tested(g, plan) ? NULL : may_load_chunks(g, plan);
}

const ir_value *amdgcn_loop_late(const pipeline *p) {
  (void)p;
  return NULL;
}

void amdgcn_loop_head(gen *g, pipeline *p, llblock before) {
  LLVMBuilderRef b = g->e.b;
  p->ahead = LLVMBuildPhi(b, LLVMTypeOf(p->bounds.upper), "ahead");
  for (uint32_t i = 0; i < p->n; i++)
    p->words[i] = LLVMBuildPhi(b, LLVMTypeOf(p->next_words[i]), "");
  if (p->next_read) p->read = LLVMBuildPhi(b, g->e.i32, "read");
  amdgcn_loop_continue(p, before);
}

/* Registers to a stage, and what comes after them to registers. */
static void hand_on(gen *g, pipeline *p) {
  llv stage = p->read ? other_stage(g, p, p->read) : NULL;
  load_all(g, p, p->ahead, p->next_words, stage, p->words);
  p->next_ahead = index_after(g, p, p->ahead);
  p->next_read = stage;
}

void amdgcn_loop_body(gen *g, pipeline *p) {
  gpu_barrier(g);
  g->now.loaded = true;
  if (p->read) hand_on(g, p);
}

void amdgcn_loop_body_end(pipeline *p) {
  (void)p;
}

void amdgcn_loop_next(gen *g, pipeline *p) {
  if (p->read) return;
  gpu_barrier(g);
  g->now.loaded = true;
  hand_on(g, p);
}

void amdgcn_loop_continue(const pipeline *p, llblock here) {
  llv ahead = p->next_ahead, read = p->next_read;
  LLVMAddIncoming(p->ahead, &ahead, &here, 1);
  for (uint32_t i = 0; i < p->n; i++) LLVMAddIncoming(p->words[i], &p->next_words[i], &here, 1);
  if (p->read) LLVMAddIncoming(p->read, &read, &here, 1);
}

void amdgcn_loop_close(gen *g, pipeline *p) {
  (void)p;
  g->pipeline = NULL;
}

/* Stages become scratch memory. */
void amdgcn_loop_end(gen *g, pipeline *p, llv *late) {
  (void)p, (void)late;
  g->now.shared_read = true;
}
