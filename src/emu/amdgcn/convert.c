/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Sources: "AMD Instinct MI300" and CDNA4 Instruction Set Architecture, "Vector ALU Instructions";
 * which operands and bits of op_sel there are, LLVM's assembler.
 */
#include "emu/amdgcn/convert.h"

#include "emu/amdgcn/lane_math.h"
#include "emu/amdgcn/wave.h"

/* ---- formats ----------------------------------------------------------------------------------
 */

static const struct {
  const char *name;
  uint8_t bits;
  tsr_elem elem, older; /* older: of gfx942 */
} formats[] = {
    {"f32", 32, TSR_F32, TSR_F32},          {"f16", 16, TSR_F16, TSR_F16},
    {"bf16", 16, TSR_BF16, TSR_BF16},       {"fp8", 8, TSR_F8E4M3FN, TSR_F8E4M3FNUZ},
    {"bf8", 8, TSR_F8E5M2, TSR_F8E5M2FNUZ}, {"fp6", 6, TSR_F6E2M3FN, TSR_F6E2M3FN},
    {"bf6", 6, TSR_F6E3M2FN, TSR_F6E3M2FN}, {"fp4", 4, TSR_F4E2M1FN, TSR_F4E2M1FN},
};

static unsigned bits_to(const gcn_conversion *c) {
  return formats[c->to].bits;
}
static unsigned bits_from(const gcn_conversion *c) {
  return formats[c->from].bits;
}

/* ---- names ------------------------------------------------------------------------------------
 */

static bool take(str *s, const char *word) {
  if (!str_starts(*s, word)) return false;
  s->data += strlen(word);
  s->len -= strlen(word);
  return true;
}

static bool take_format(str *s, uint8_t *out) {
  for (size_t k = 0; k < ARRAY_LEN(formats); k++) {
    if (!take(s, formats[k].name)) continue;
    *out = (uint8_t)k;
    return true;
  }
  return false;
}

static bool read_name(str name, gcn_conversion *c) {
  if (!take(&name, "v_cvt_")) return false;
  c->scaled = take(&name, "scalef32_");
  c->random = take(&name, "sr_");
  bool halves = take(&name, "2xpk16_"), many = halves || take(&name, "pk32_");
  bool pair = !many && take(&name, "pk_");
  c->count = many ? 32 : pair ? 2 : 1;
  if (!take_format(&name, &c->to) || !take(&name, "_") || !take_format(&name, &c->from))
    return false;
  c->apart = halves || (pair && bits_from(c) == 32 && !c->random);
  return !name.len;
}

/* Those of wide formats alone that round as usual are rows of vector.def. */
static bool is_known(const gcn_conversion *c) {
  unsigned least = MIN(bits_to(c), bits_from(c)), most = MAX(bits_to(c), bits_from(c));
  if (most < 16 || (c->count == 32) != (least == 6)) return false;
  if (least == 4 && c->count != 2) return false;
  return least < 16 || (c->random && c->count == 1 && bits_to(c) == 16 && bits_from(c) == 32);
}

static unsigned count_sources(const gcn_conversion *c) {
  return 1u + c->apart + c->random + c->scaled;
}

/* Bits of the result; what has fewer than a register leaves the rest as it is. */
static unsigned width_of(const gcn_conversion *c) {
  return c->count * bits_to(c);
}

bool gcn_read_conversion(arena *a, str name, gcn_insn *i) {
  static const gcn_row rows[2][4] = {{{.signature = "r=r"},
                                      {.signature = "r=rr"},
                                      {.signature = "r=rrr"},
                                      {.signature = "r=rrrr"}},
                                     {{.signature = "+r=r"},
                                      {.signature = "+r=rr"},
                                      {.signature = "+r=rrr"},
                                      {.signature = "+r=rrrr"}}};
  gcn_conversion c = {0};
  if (!read_name(name, &c) || !is_known(&c)) return false;
  gcn_conversion *kept = arena_alloc(a, sizeof *kept, _Alignof(gcn_conversion));
  gcn_row *row = arena_alloc(a, sizeof *row, _Alignof(gcn_row));
  *kept = c;
  *row = rows[width_of(&c) < 32][count_sources(&c) - 1];
  row->name = arena_printf(a, STR_FMT, (int)name.len, name.data);
  row->run = gcn_run_convert;
  i->row = row;
  i->conversion = kept;
  return true;
}

/* ---- operands ---------------------------------------------------------------------------------
 */

static unsigned source_registers(const gcn_conversion *c) {
  unsigned bits = c->count * bits_from(c) / (c->apart ? 2 : 1);
  return MAX(bits / 32, 1u);
}

static bool is_single(const gcn_operand *o) {
  return o->kind == GCN_INTEGER || o->kind == GCN_LITERAL || o->kind == GCN_FLOAT ||
         ((o->kind == GCN_VECTOR || o->kind == GCN_SCALAR) && o->count == 1);
}

bool gcn_conversion_fits(const gcn_insn *i) {
  const gcn_conversion *c = i->conversion;
  const gcn_operand *o = i->operands;
  unsigned n = source_registers(c);
  if (i->n_operands != 1 + count_sources(c)) return false;
  if (o->kind != GCN_VECTOR || o->count != MAX(width_of(c) / 32, 1u)) return false;
  for (unsigned k = 1; k < i->n_operands; k++) {
    bool elements = k < 2u + c->apart;
    bool vector = o[k].kind == GCN_VECTOR && o[k].count == n;
    if (elements && n > 1 ? !vector : !is_single(&o[k])) return false;
  }
  return true;
}

static uint32_t word_at(const emu_warp *w, const gcn_operand *o, unsigned k, unsigned lane) {
  if (o->kind != GCN_VECTOR) return (uint32_t)gcn_uniform(w, o, 'u');
  return k < o->count ? gcn_vector(w, o->first + k)[lane] : 0;
}

static uint64_t field_at(const emu_warp *w, const gcn_operand *o, unsigned bit, unsigned bits,
                         unsigned lane) {
  uint64_t v = word_at(w, o, bit / 32, lane);
  if (bit % 32 + bits > 32) v |= (uint64_t)word_at(w, o, bit / 32 + 1, lane) << 32;
  return v >> bit % 32 & ((UINT64_C(1) << bits) - 1);
}

/* Where a source's elements begin that don't fill its register: op_sel's first bits, or the part.
 */
static unsigned first_bit(const gcn_insn *i) {
  const gcn_conversion *c = i->conversion;
  unsigned bits = c->count * bits_from(c), part = i->operands[1].part;
  if (c->count == 32 || bits >= 32 || c->apart || bits_to(c) <= 8) return 0;
  if (part >= GCN_WORD_0) return 16u * (part - GCN_WORD_0);
  if (part) return 8u * (part - GCN_BYTE_0);
  return bits == 16 ? 16u * (i->select & 1) : 8u * (i->select & 3);
}

static double element_of(const emu_warp *w, const gcn_insn *i, tsr_elem elem, unsigned k,
                         unsigned lane) {
  const gcn_conversion *c = i->conversion;
  unsigned bits = bits_from(c), half = c->count / 2;
  unsigned at = c->apart ? 1 + k / half : 1, within = c->apart ? k % half : k;
  uint64_t v = field_at(w, &i->operands[at], first_bit(i) + within * bits, bits, lane);
  const gcn_operand *o = &i->operands[at];
  if (bits == 32 && o->absolute) v &= 0x7fffffff;
  if (bits == 32 && o->negate) v ^= 0x80000000;
  return num_decode(num_format_of(elem), v);
}

/* ---- results ----------------------------------------------------------------------------------
 */

/* Where the result begins in its register: the bits of op_sel behind those of sources, or 2 and 3
 * where they say a byte. */
static unsigned result_bit(const gcn_insn *i) {
  const gcn_conversion *c = i->conversion;
  unsigned width = width_of(c);
  if (width == 8) return 8u * (i->select >> 2 & 3);
  return width == 16 ? 16u * (i->select >> count_sources(c) & 1) : 0;
}

static void put_field(uint32_t *words, unsigned bit, unsigned bits, uint64_t v) {
  for (unsigned k = 0; k < bits; k++) {
    uint32_t mask = UINT32_C(1) << (bit + k) % 32, *at = &words[(bit + k) / 32];
    *at = v >> k & 1 ? *at | mask : *at & ~mask;
  }
}

/* The random bits are added below the result's last bit of the f32's mantissa; what is left is cut.
 */
static uint64_t round_randomly(const num_format *f, unsigned mantissa, double x, uint32_t seed) {
  uint64_t bits = RF((float)x);
  if ((bits >> 23 & 0xff) != 0xff) bits += seed >> (32 - (23 - mantissa));
  return num_encode(f, F(bits), NUM_ZERO);
}

/* A mode says that what is out of range becomes the largest number. */
enum { MODE_SATURATES = 1 << 23 };

typedef struct work {
  tsr_elem to, from;
  num_format format; /* of results */
} work;

static work begin(const emu_warp *w, const gcn_insn *i) {
  const gcn_conversion *c = i->conversion;
  const gpu_target *gpu = gcn_image_of(w->block->grid)->object->gpu;
  bool older = gpu_can(gpu, GPU_MFMA_BYTES) && !gpu_can(gpu, GPU_MFMA_DEEP);
  work k = {.to = older ? formats[c->to].older : formats[c->to].elem,
            .from = older ? formats[c->from].older : formats[c->from].elem};
  k.format = num_format_saturating(num_format_of(k.to), gcn_wave_of(w)->mode & MODE_SATURATES);
  return k;
}

/* A power of two: the exponent of an f32. */
static double scale_of(const emu_warp *w, const gcn_insn *i, unsigned lane) {
  if (!i->conversion->scaled) return 1;
  uint32_t v = word_at(w, &i->operands[i->n_operands - 1], 0, lane);
  return num_decode(num_format_of(TSR_F8E8M0FNU), v >> 23 & 0xff);
}

static void convert_lane(emu_warp *w, const gcn_insn *i, const work *k, unsigned lane) {
  const gcn_conversion *c = i->conversion;
  uint32_t words[32];
  const gcn_operand *result = &i->operands[0];
  double scale = scale_of(w, i, lane);
  bool narrows = bits_to(c) < bits_from(c);
  uint32_t seed = c->random ? word_at(w, &i->operands[2u + c->apart], 0, lane) : 0;
  for (unsigned n = 0; n < result->count; n++) words[n] = gcn_vector(w, result->first + n)[lane];
  for (unsigned n = 0; n < c->count; n++) {
    double x = element_of(w, i, k->from, n, lane);
    x = narrows ? x / scale : x * scale;
    uint64_t v = c->random ? round_randomly(&k->format, k->format.mantissa_bits, x, seed)
                           : num_encode(&k->format, x, NUM_NEAREST_EVEN);
    put_field(words, result_bit(i) + n * bits_to(c), bits_to(c), v);
  }
  for (unsigned n = 0; n < result->count; n++) gcn_vector(w, result->first + n)[lane] = words[n];
}

emu_step gcn_run_convert(emu_warp *w, const gcn_insn *i) {
  work k = begin(w, i);
  EMU_FOR_LANES(l, gcn_exec(w)) convert_lane(w, i, &k, (unsigned)l);
  return EMU_NEXT;
}
