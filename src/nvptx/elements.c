/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Tiles of which nobody needs all registers at once. What a matrix product is computed from is
 * loaded, widened, scaled, and then stored or multiplied element by element; only the loaded words
 * are held, as they are in memory, and each element is made where it is taken. The plan says which
 * values those are (simt_value.fused).
 */
#include "nvptx/gen.h"

typedef enum origin_kind {
  ORIGIN_REGISTERS, /* one for each element */
  ORIGIN_WORDS,     /* several elements in each, as in memory */
  ORIGIN_MOVED,     /* elements of another, in another order */
  ORIGIN_COMPUTED,  /* an element-wise operation */
} origin_kind;

struct element_origin {
  uint8_t kind;
  uint8_t elem;          /* tsr_elem: ORIGIN_WORDS */
  llv *v;                /* registers; words: i32, an element's slot in order */
  const uint32_t *slots; /* ORIGIN_MOVED: the other's slot for each */
  exec_elementwise what;
  const element_origin *operand[3];
};

/* ---- words ---------------------------------------------------------------------------------- */

static unsigned per_word(tsr_elem elem) {
  return 32 / tsr_elem_bits(elem);
}

bool gpu_may_pack(const gen *g, const ir_value *v) {
  unsigned bits = tsr_elem_bits((tsr_elem)v->type->elem);
  return !g->private_ && simt_value_of(g->plan, v)->fused && bits >= 4 && bits <= 16;
}

void gpu_set_words(gen *g, ir_value *v, const simt_dist *d, llv *words) {
  element_origin *s = arena_new(g->arena, element_origin);
  *s = (element_origin){.kind = ORIGIN_WORDS, .elem = v->type->elem, .v = words};
  *value_of(g, v) = (value){.kind = VALUE_TILE, .t = {.d = *d, .from = s}};
}

static llv of_word(gen *g, const element_origin *s, uint32_t slot) {
  LLVMBuilderRef b = g->e.b;
  tsr_elem elem = (tsr_elem)s->elem;
  unsigned bits = tsr_elem_bits(elem), each = per_word(elem), at = slot % each * bits;
  llv x = s->v[slot / each];
  if (at) x = LLVMBuildLShr(b, x, k32(g, at), "");
  x = LLVMBuildTrunc(b, x, gpu_memory_type(g, elem), "");
  if (bits < 8) x = LLVMBuildAnd(b, x, LLVMConstInt(LLVMTypeOf(x), (1u << bits) - 1, 0), "");
  return gpu_from_memory(g, elem, x);
}

/* ---- where elements come from --------------------------------------------------------------- */

static const element_origin *origin_of(gen *g, ir_value *v, const simt_dist *d);

static const element_origin *moved(gen *g, const element_origin *from, const simt_dist *d,
                                   const simt_dist *inner, const simt_map *m) {
  uint32_t *slots = arena_array(g->arena, uint32_t, slots_of(d));
  for (uint32_t i = 0; i < slots_of(d); i++) {
    uint32_t index = simt_index_of_slot(d, i);
    slots[i] = simt_slot_of_index(inner, m ? simt_map_index(m, index) : index);
  }
  element_origin *s = arena_new(g->arena, element_origin);
  *s = (element_origin){.kind = ORIGIN_MOVED, .slots = slots, .operand = {from}};
  return s;
}

static const element_origin *computed(gen *g, ir_op *op, const simt_dist *d) {
  element_origin *s = arena_new(g->arena, element_origin);
  *s = (element_origin){.kind = ORIGIN_COMPUTED, .what = exec_elementwise_of(op)};
  for (unsigned i = 0; i < s->what.n_operands; i++)
    s->operand[i] = origin_of(g, ir_operand(op, i), d);
  return s;
}

/* What has to be made before is made here: conversions need shared memory. */
static const element_origin *origin_of(gen *g, ir_value *v, const simt_dist *d) {
  value *x = value_of(g, v);
  if (x->kind == VALUE_DEFERRED) gpu_load_deferred(g, ir_defining_op(v));
  if (x->kind == VALUE_TILE && !x->t.v && simt_is_near(&x->t.d, d))
    return simt_dist_equal(&x->t.d, d) ? x->t.from : moved(g, x->t.from, d, &x->t.d, NULL);
  if (x->kind == VALUE_LAZY && simt_value_of(g->plan, v)->fused) {
    ir_op *op = ir_defining_op(v);
    if (ir_row(op)->traits & TRAIT_ELEMENTWISE) return computed(g, op, d);
    simt_map m = simt_map_of(op);
    simt_dist inner = simt_dist_back(d, &m);
    return moved(g, origin_of(g, ir_operand(op, 0), &inner), d, &inner, &m);
  }
  element_origin *s = arena_new(g->arena, element_origin);
  *s = (element_origin){.kind = ORIGIN_REGISTERS, .v = gpu_get(g, v, d)};
  return s;
}

tile gpu_elements_at(gen *g, ir_value *v, const simt_dist *d) {
  const element_origin *s = origin_of(g, v, d);
  if (s->kind == ORIGIN_REGISTERS) return (tile){.d = *d, .v = s->v};
  return (tile){.d = *d, .from = s};
}

tile gpu_elements(gen *g, ir_value *v) {
  simt_dist d = gpu_home_dist(g, v);
  return gpu_elements_at(g, v, &d);
}

tile gpu_reordered(gen *g, const tile *t, const simt_dist *d) {
  if (t->v) return (tile){.d = *d, .v = gpu_select_registers(g, t, d)};
  return (tile){.d = *d, .from = moved(g, t->from, d, &t->d, NULL)};
}

/* ---- elements ------------------------------------------------------------------------------- */

static llv element(gen *g, const element_origin *s, uint32_t slot) {
  llv operands[3];
  switch (s->kind) {
  case ORIGIN_REGISTERS: return s->v[slot];
  case ORIGIN_WORDS: return of_word(g, s, slot);
  case ORIGIN_MOVED: return element(g, s->operand[0], s->slots[slot]);
  default: break;
  }
  for (unsigned i = 0; i < s->what.n_operands; i++) operands[i] = element(g, s->operand[i], slot);
  return gpu_elementwise(g, &s->what, operands);
}

llv gpu_element(gen *g, const tile *t, uint32_t slot) {
  return t->v ? t->v[slot] : element(g, t->from, slot);
}

void gpu_make_elements(gen *g, tile *t) {
  if (t->v) return;
  llv *v = gpu_registers(g, &t->d);
  for (uint32_t i = 0; i < slots_of(&t->d); i++) v[i] = element(g, t->from, i);
  t->v = v;
}

/* The words that hold elements from `slot` on; NULL: they are not there as such. */
static llv *find_words(const tile *t, tsr_elem elem, uint32_t slot, unsigned count) {
  const element_origin *s = t->from;
  if (t->v || s->kind != ORIGIN_WORDS || s->elem != elem || tsr_elem_bits(elem) < 8) return NULL;
  unsigned each = per_word(elem);
  return count % each || slot % each ? NULL : s->v + slot / each;
}

llv gpu_memory_run(gen *g, tsr_elem elem, const tile *t, uint32_t slot, unsigned count) {
  LLVMBuilderRef b = g->e.b;
  llv *words = find_words(t, elem, slot, count), all;
  if (words) {
    unsigned n = count / per_word(elem);
    all = LLVMGetPoison(LLVMVectorType(g->e.i32, n));
    for (unsigned k = 0; k < n; k++) all = LLVMBuildInsertElement(b, all, words[k], k32(g, k), "");
    return n == 1 ? words[0] : all;
  }
  if (count == 1) return gpu_to_memory(g, elem, gpu_element(g, t, slot));
  all = LLVMGetPoison(LLVMVectorType(gpu_memory_type(g, elem), count));
  for (unsigned k = 0; k < count; k++) {
    llv x = gpu_to_memory(g, elem, gpu_element(g, t, slot + k));
    all = LLVMBuildInsertElement(b, all, x, k32(g, k), "");
  }
  return all;
}
