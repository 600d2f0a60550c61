/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Tiles of which nobody needs all registers at once. What a matrix product is computed from is
 * loaded, widened, scaled, and then stored or multiplied element by element; only the loaded words
 * are held, as they are in memory, and each element is made where it is taken. Which values those
 * are says gpu_placement.is_fused.
 */
#include "gpu/elements.h"

#include "gpu/code.h"
#include "gpu/convert.h"
#include "gpu/math.h"
#include "gpu/memory.h"
#include "gpu/placement.h"
#include "gpu/values.h"
#include "gpu/vendor.h"
#include "llvm/nans.h"

typedef enum origin_kind {
  ORIGIN_REGISTERS, /* one for each element */
  ORIGIN_WORDS,     /* one or several in each, as in memory */
  ORIGIN_MOVED,     /* elements of another, in another order */
  ORIGIN_COMPUTED,  /* an element-wise operation */
} origin_kind;

struct element_origin {
  uint8_t kind;
  uint8_t elem;          /* ORIGIN_WORDS, ORIGIN_REGISTERS */
  uint8_t each;          /* ORIGIN_WORDS: how many are in a word */
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
  return !g->private_ && g->placement->is_fused(g, v) && bits >= 4 && bits <= 16;
}

void gpu_set_words(gen *g, ir_value *v, const simt_dist *d, llv *words, unsigned each) {
  element_origin *s = arena_new(g->arena, element_origin);
  *s = (element_origin){
      .kind = ORIGIN_WORDS, .elem = v->type->elem, .each = (uint8_t)each, .v = words};
  *value_of(g, v) = (value){.kind = VALUE_TILE, .t = {.d = *d, .from = s}};
}

static llv of_word(gen *g, const element_origin *s, uint32_t slot) {
  LLVMBuilderRef b = g->e.b;
  tsr_elem elem = (tsr_elem)s->elem;
  unsigned bits = tsr_elem_bits(elem), at = slot % s->each * bits;
  llv x = s->v[slot / s->each];
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
  if (x->kind == VALUE_LAZY && g->placement->is_fused(g, v)) {
    ir_op *op = ir_defining_op(v);
    if (ir_row(op)->traits & TRAIT_ELEMENTWISE) return computed(g, op, d);
    simt_map m = simt_map_of(op);
    simt_dist inner = simt_dist_back(d, &m);
    return moved(g, origin_of(g, ir_operand(op, 0), &inner), d, &inner, &m);
  }
  element_origin *s = arena_new(g->arena, element_origin);
  *s = (element_origin){.kind = ORIGIN_REGISTERS, .elem = v->type->elem, .v = gpu_get(g, v, d)};
  return s;
}

tile gpu_elements_at(gen *g, ir_value *v, const simt_dist *d) {
  const element_origin *s = origin_of(g, v, d);
  if (s->kind == ORIGIN_REGISTERS) return (tile){.d = *d, .v = s->v};
  return (tile){.d = *d, .from = s};
}

bool gpu_takes_scratch(gen *g, const ir_value *v) {
  value *x = value_of(g, v);
  if (x->kind != VALUE_DEFERRED) return x->kind == VALUE_LAZY;
  const ir_op *load = ir_defining_op(v);
  for (uint32_t i = 0; i < load->n_operands; i++) {
    const ir_type *t = ir_operand(load, i)->type;
    if (t->kind == IR_TILE && t->count > 1) return true;
  }
  return false;
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

/* ---- two at a time -------------------------------------------------------------------------- */

/* Bits of a word that are a number, or, in front of `zeros`, its highest. */
typedef struct field {
  llv word;
  unsigned at, bits, zeros;
  bool is_signed;
} field;

static const element_origin *source_of(const element_origin *s, uint32_t *slot) {
  for (; s->kind == ORIGIN_MOVED; s = s->operand[0]) *slot = s->slots[*slot];
  return s;
}

static bool find_loaded(const element_origin *s, uint32_t slot, field *out) {
  if (s->kind != ORIGIN_WORDS) return false;
  unsigned bits = tsr_elem_bits((tsr_elem)s->elem);
  *out = (field){.word = s->v[slot / s->each], .at = slot % s->each * bits, .bits = bits};
  return true;
}

/* A register of fewer than 8 bits' integer is a byte with zeros above them. */
static bool find_byte(gen *g, const element_origin *s, uint32_t slot, field *out) {
  llv v = s->v[slot];
  if (LLVMTypeOf(v) != g->e.i8) return false;
  *out = (field){.word = LLVMBuildZExt(g->e.b, v, g->e.i32, ""),
                 .bits = tsr_elem_bits((tsr_elem)s->elem)};
  return true;
}

static bool find_integer(gen *g, const element_origin *s, uint32_t slot, field *out);

/* A field that is extended still has its own bits; from which one on they count says the first
 * extension. */
static bool find_extended(gen *g, const element_origin *s, uint32_t slot, field *out) {
  bool is_signed = s->what.signedness == SIGN_SIGNED;
  if (!find_integer(g, s->operand[0], slot, out) || out->zeros) return false;
  if (out->bits == tsr_elem_bits((tsr_elem)s->what.operands[0])) out->is_signed = is_signed;
  return is_signed || !out->is_signed;
}

/* What is left of a loaded integer's bits after a shift to the left and one to the right, by
 * numbers that are known. */
static bool find_integer(gen *g, const element_origin *s, uint32_t slot, field *out) {
  int64_t by;
  s = source_of(s, &slot);
  if (s->kind == ORIGIN_WORDS) return find_loaded(s, slot, out);
  if (s->kind == ORIGIN_REGISTERS) return find_byte(g, s, slot, out);
  if (s->kind == ORIGIN_COMPUTED && s->what.opcode == OP_exti)
    return find_extended(g, s, slot, out);
  bool left = s->kind == ORIGIN_COMPUTED && s->what.opcode == OP_shli;
  bool right = s->kind == ORIGIN_COMPUTED && s->what.opcode == OP_shri;
  if (!left && !right) return false;
  uint32_t at = slot;
  const element_origin *amount = source_of(s->operand[1], &at);
  if (amount->kind != ORIGIN_REGISTERS || !is_const(amount->v[at], &by)) return false;
  if (!find_integer(g, s->operand[0], slot, out) || by < 0) return false;
  unsigned width = tsr_elem_bits((tsr_elem)s->what.result), n = (unsigned)by;
  if (out->bits + out->zeros != width || n >= width) return false; /* after another shift */
  if (left) {
    if (out->zeros || !n) return false;
    out->zeros = n;
    out->bits -= n;
    return true;
  }
  if (n < out->zeros || n == 0) return false;
  out->at += n - out->zeros;
  out->bits -= n - out->zeros;
  out->zeros = 0;
  out->is_signed = s->what.signedness == SIGN_SIGNED;
  return true;
}

static llv halves(gen *g, uint32_t x) {
  return k32(g, x << 16 | x);
}

/* The bytes that hold the fields, in the lower halves' lowest byte each; whatever else is in them.
 */
static llv bytes_of(gen *g, const field *a, const field *b) {
  uint32_t low = a->at / 8, high = 4 + b->at / 8;
  return g->vendor->select_bytes(g, a->word, b->word, low | low << 4 | high << 8 | high << 12);
}

/* x * by + more, in both halves; exact. */
static llv multiply_add(gen *g, tsr_elem elem, llv x, uint32_t by, uint32_t more) {
  return g->vendor->fma_halves(g, elem, x, halves(g, by), halves(g, more));
}

/* Both at the same place of their bytes. */
static void align_fields(gen *g, field *a, field *b) {
  field *low = a->at % 8 < b->at % 8 ? a : b, *high = low == a ? b : a;
  unsigned up = high->at % 8 - low->at % 8;
  if (!up) return;
  low->word = LLVMBuildShl(g->e.b, low->word, k32(g, up), "");
  low->at += up;
}

/* Sign and magnitude of f4E2M1FN are put where the format has its sign, its lowest two bits of the
 * exponent and its highest of the mantissa: the number, but for a power of two, also where it is
 * subnormal. For bf16 these two places are so far from each other that one multiplication puts a
 * nibble in both. -0 is what added changes nothing. */
static llv widen_f4(gen *g, tsr_elem elem, field a, field b) {
  enum { MINUS_ZERO = 0x8000 };
  LLVMBuilderRef l = g->e.b;
  align_fields(g, &a, &b);
  unsigned at = a.at % 8;
  llv x = bytes_of(g, &a, &b);
  if (elem == TSR_BF16) {
    x = LLVMBuildAnd(l, x, halves(g, 0xfu << at), "");
    x = LLVMBuildMul(l, x, k32(g, (1u << 12 | 1u << 6) >> at), "");
    x = LLVMBuildAnd(l, x, halves(g, 0x81c0), "");
    return multiply_add(g, elem, x, 0x7e80 /* 2^126 */, MINUS_ZERO);
  }
  x = LLVMBuildShl(l, x, k32(g, 12 - at), "");
  llv sign = LLVMBuildAnd(l, x, halves(g, 0x8000), "");
  x = LLVMBuildAnd(l, LLVMBuildLShr(l, x, k32(g, 3), ""), halves(g, 0xe00), "");
  return multiply_add(g, elem, LLVMBuildOr(l, x, sign, ""), 0x7400 /* 2^14 */, MINUS_ZERO);
}

/* An integer is the mantissa of a number whose exponent makes it count ones, which is then
 * subtracted; its sign bit is turned, so that what counts begins at 0. */
static llv widen_integer(gen *g, tsr_elem elem, field a, field b) {
  enum { ONE_BF16 = 0x3f80, ONE_F16 = 0x3c00, MINUS = 0x8000 };
  LLVMBuilderRef l = g->e.b;
  bool is_bf16 = elem == TSR_BF16;
  uint32_t begin = is_bf16 ? 0x4300 /* 2^7 */ : 0x6400 /* 2^10 */;
  if (a.is_signed) begin |= 1u << (a.bits - 1);
  align_fields(g, &a, &b);
  llv x = bytes_of(g, &a, &b);
  if (a.at % 8) x = LLVMBuildLShr(l, x, k32(g, a.at % 8), "");
  x = LLVMBuildAnd(l, x, halves(g, (1u << a.bits) - 1), "");
  x = LLVMBuildXor(l, x, halves(g, begin), "");
  return multiply_add(g, elem, x, is_bf16 ? ONE_BF16 : ONE_F16, begin | MINUS);
}

static bool find_field(gen *g, const element_origin *s, uint32_t slot, field *out) {
  const element_origin *from = s->operand[0];
  if (s->what.opcode == OP_ftof) {
    from = source_of(from, &slot);
    return s->what.operands[0] == TSR_F4E2M1FN && find_loaded(from, slot, out);
  }
  unsigned most = s->what.result == TSR_BF16 ? 7 : 8;
  if (s->what.opcode != OP_itof || !find_integer(g, from, slot, out) || out->zeros) return false;
  bool is_signed = s->what.signedness == SIGN_SIGNED;
  if (out->bits == tsr_elem_bits((tsr_elem)s->what.operands[0])) out->is_signed = is_signed;
  return out->bits <= most && out->at % 8 + out->bits <= 8 && (is_signed || !out->is_signed);
}

/* Two 16-bit elements as a word, where they are widened from few bits; NULL: that has to be done
 * one by one. */
static llv widened(gen *g, tsr_elem elem, const element_origin *s, uint32_t low, uint32_t high) {
  field a, b;
  uint32_t first = low, second = high;
  const element_origin *x = source_of(s, &first);
  source_of(s, &second);
  if (x->kind != ORIGIN_COMPUTED || x->what.result != elem) return NULL;
  if (elem != TSR_BF16 && elem != TSR_F16) return NULL;
  if (!find_field(g, x, first, &a) || !find_field(g, x, second, &b)) return NULL;
  return x->what.opcode == OP_ftof ? widen_f4(g, elem, a, b) : widen_integer(g, elem, a, b);
}

/* ---- words of elements ---------------------------------------------------------------------- */

/* The f32 number that was rounded to the 16 bits of `x`; NULL: another way. */
static llv before_rounding(emit *e, llv x, LLVMTypeRef type) {
  llv narrow = LLVMIsAFPExtInst(x) ? LLVMGetOperand(x, 0) : NULL;
  if (!narrow || LLVMTypeOf(narrow) != type || !LLVMIsAFPTruncInst(narrow)) return NULL;
  llv wide = LLVMGetOperand(narrow, 0);
  return LLVMTypeOf(wide) == e->f32 ? wide : NULL;
}

/* Two numbers that one instruction rounds and packs; NULL: they come another way. */
static llv round_pair(gen *g, tsr_elem elem, const llv *x) {
  emit *e = &g->e;
  if (elem != TSR_F16 && elem != TSR_BF16) return NULL;
  LLVMTypeRef type = elem == TSR_F16 ? e->f16 : e->bf16;
  llv low = before_rounding(e, x[0], type), high = before_rounding(e, x[1], type);
  return low && high ? g->vendor->round_halves(g, elem, low, high) : NULL;
}

llv gpu_pack_word(gen *g, tsr_elem elem, const llv *x, unsigned each) {
  emit *e = &g->e;
  llv word = each == 2 ? round_pair(g, elem, x) : NULL;
  if (word) return word;
  for (unsigned k = 0; k < each; k++) {
    llv part = LLVMBuildIntCast2(e->b, gpu_to_memory(g, elem, x[k]), e->i32, 0, "");
    if (k) part = LLVMBuildShl(e->b, part, k32(g, k * tsr_elem_bits(elem)), "");
    word = word ? LLVMBuildOr(e->b, word, part, "") : part;
  }
  return word;
}

/* The words that hold elements from `slot` on, as they were loaded; NULL: they are not there as
 * such. */
static llv *find_words(const tile *t, tsr_elem elem, uint32_t slot, unsigned count) {
  unsigned each = per_word(elem);
  uint32_t first = slot;
  const element_origin *s = t->v ? NULL : source_of(t->from, &first);
  if (!s || s->kind != ORIGIN_WORDS || s->elem != elem || tsr_elem_bits(elem) < 8) return NULL;
  if (s->each != each || count % each || first % each) return NULL;
  for (unsigned k = 1; k < count; k++) {
    uint32_t at = slot + k;
    if (source_of(t->from, &at) != s || at != first + k) return NULL;
  }
  return s->v + first / each;
}

static llv word_of(gen *g, tsr_elem elem, const tile *t, uint32_t slot, bool any_nan) {
  unsigned each = per_word(elem);
  llv x[4], *whole = find_words(t, elem, slot, each), word;
  if (whole) return whole[0];
  word = t->v || each != 2 ? NULL : widened(g, elem, t->from, slot, slot + 1);
  if (word) return word;
  for (unsigned k = 0; k < each; k++) {
    x[k] = gpu_element(g, t, slot + k);
    if (any_nan) x[k] = lanes_any_nan(x[k]);
  }
  return gpu_pack_word(g, elem, x, each);
}

llv gpu_element_word(gen *g, tsr_elem elem, const tile *t, uint32_t slot) {
  return word_of(g, elem, t, slot, false);
}

llv gpu_operand_word(gen *g, tsr_elem elem, const tile *t, uint32_t slot) {
  return word_of(g, elem, t, slot, true);
}

/* Four bytes at the same place of their words. Those beside them, which are wanted as a rule, come
 * by the same instructions but the last. */
static llv turned_bytes(gen *g, const field byte[4]) {
  unsigned at = byte[0].at / 8;
  uint32_t both = at < 2 ? 0x5140 : 0x7362;
  llv low = g->vendor->select_bytes(g, byte[0].word, byte[1].word, both);
  llv high = g->vendor->select_bytes(g, byte[2].word, byte[3].word, both);
  return g->vendor->select_bytes(g, low, high, at % 2 ? 0x7632 : 0x5410);
}

bool gpu_turn_bytes(gen *g, tile *t) {
  enum { EACH = 4 };
  if (t->v || t->d.regs < 2) return false;
  uint32_t n = slots_of(&t->d) / EACH;
  llv *words = arena_array(g->arena, llv, n);
  for (uint32_t i = 0; i < n; i++) {
    field byte[EACH];
    for (uint32_t k = 0; k < EACH; k++) {
      uint32_t slot = EACH * i + k;
      const element_origin *s = source_of(t->from, &slot);
      if (!find_loaded(s, slot, &byte[k]) || byte[k].bits != 8) return false;
      if (byte[k].at != byte[0].at || (k && byte[k].word == byte[0].word)) return false;
    }
    words[i] = turned_bytes(g, byte);
  }
  t->d.regs -= 2;
  memmove(t->d.reg, t->d.reg + 2, t->d.regs);
  t->v = words;
  return true;
}

/* A run of such words; NULL: it isn't one. */
static llv widened_run(gen *g, tsr_elem elem, const tile *t, uint32_t slot, unsigned count) {
  llv all = LLVMGetPoison(LLVMVectorType(g->e.i32, count / 2));
  for (unsigned k = 0; k < count; k += 2) {
    llv word = widened(g, elem, t->from, slot + k, slot + k + 1);
    if (!word) return NULL;
    all = LLVMBuildInsertElement(g->e.b, all, word, k32(g, k / 2), "");
  }
  return all;
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
  if (!t->v && tsr_elem_bits(elem) == 16 && (all = widened_run(g, elem, t, slot, count)))
    return all;
  all = LLVMGetPoison(LLVMVectorType(gpu_memory_type(g, elem), count));
  for (unsigned k = 0; k < count; k++) {
    llv x = gpu_to_memory(g, elem, gpu_element(g, t, slot + k));
    all = LLVMBuildInsertElement(b, all, x, k32(g, k), "");
  }
  return all;
}
