/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Products of matrices whose elements lie in the registers of a wave's lanes.
 *
 * Products are exact; sums of floats are made in the order of k, in double, and rounded once to
 * the result's format, where processors round in between in ways that are not documented. So
 * results agree where all sums are exact, and else to within the last bits. That goes for the
 * sparse forms, too: in which order gfx950's SMFMAC adds up is in no public document, nor what
 * AMD's calculator says, which knows places of elements only.
 */
#include "emu/amdgcn/matrix.h"

#include <ctype.h>
#include <stdio.h>

#include <tessera/layout.h>

#include "emu/amdgcn/lane_math.h"
#include "emu/amdgcn/scalar.h"
#include "emu/amdgcn/wave.h"

/* ---- which instruction ---------------------------------------------------------------------- */

typedef struct matrix_type {
  const char *name;     /* in mnemonics: "f16" */
  const char *fragment; /* in names of fragments */
  uint8_t bits;
  tsr_elem elem[2]; /* of A, of B */
  bool integer;
  tsr_elem newer[2]; /* the same from gfx950 on, where that differs */
} matrix_type;

#define E4M3_OCP TSR_F8E4M3FN
#define E5M2_OCP TSR_F8E5M2
#define EIGHT(name, a, b)                                                                          \
  {                                                                                                \
    name, "f8", 8, {TSR_F8##a##FNUZ, TSR_F8##b##FNUZ}, false, {                                    \
      a##_OCP, b##_OCP                                                                             \
    }                                                                                              \
  }
static const matrix_type types[] = {
    {"f32", "f32", 32, {TSR_F32, TSR_F32}, false},
    {"f16", "f16", 16, {TSR_F16, TSR_F16}, false},
    {"bf16", "bf16", 16, {TSR_BF16, TSR_BF16}, false},
    {"f64", "f64", 64, {TSR_F64, TSR_F64}, false},
    {"i8", "i8", 8, {TSR_I8, TSR_I8}, true},
    {"iu8", "i8", 8, {TSR_I8, TSR_I8}, true},
    {"iu4", "i4", 4, {TSR_I4, TSR_I4}, true},
    EIGHT("fp8_fp8", E4M3, E4M3),
    EIGHT("fp8_bf8", E4M3, E5M2),
    EIGHT("bf8_fp8", E5M2, E4M3),
    EIGHT("bf8_bf8", E5M2, E5M2),
};
#undef EIGHT
#undef E4M3_OCP
#undef E5M2_OCP

/* gcn_row.kind is a matrix_family, bytes those of an element of C, more its tsr_elem. The signature
 * says that C, the last operand, and the result may be the same; sparse products, which have no
 * operand for C, add to their result. */
typedef enum matrix_family {
  OF_CDNA,
  SCALED,
  OF_RDNA,
  SPARSE_OF_CDNA,
  SPARSE_OF_RDNA
} matrix_family;

#define ROW(n, s, family, c, size)                                                                 \
  {.name = n, .signature = s, .run = gcn_run_matrix, .kind = family, .bytes = size, .more = c},
#define DENSE(n, family, c, size)  ROW(n, "r=rrr", family, c, size)
#define SPARSE(n, family, c, size) ROW(n, "+r=rrr", family, c, size)
static const gcn_row rows[] = {
    /* clang-format off */
    DENSE("v_mfma_f32", OF_CDNA, TSR_F32, 4)
    DENSE("v_mfma_f64", OF_CDNA, TSR_F64, 8)
    DENSE("v_mfma_i32", OF_CDNA, TSR_I32, 4)
    ROW("v_mfma_scale_f32", "r=rrruu", SCALED, TSR_F32, 4)
    DENSE("v_wmma_f32", OF_RDNA, TSR_F32, 4)
    DENSE("v_wmma_f16", OF_RDNA, TSR_F16, 2)
    DENSE("v_wmma_bf16", OF_RDNA, TSR_BF16, 2)
    DENSE("v_wmma_i32", OF_RDNA, TSR_I32, 4)
    SPARSE("v_smfmac_f32", SPARSE_OF_CDNA, TSR_F32, 4)
    SPARSE("v_smfmac_i32", SPARSE_OF_CDNA, TSR_I32, 4)
    SPARSE("v_swmmac_f32", SPARSE_OF_RDNA, TSR_F32, 4)
    SPARSE("v_swmmac_f16", SPARSE_OF_RDNA, TSR_F16, 2)
    SPARSE("v_swmmac_bf16", SPARSE_OF_RDNA, TSR_BF16, 2)
    SPARSE("v_swmmac_i32", SPARSE_OF_RDNA, TSR_I32, 4)
    /* clang-format on */
};
#undef ROW
#undef DENSE
#undef SPARSE

static bool is_sparse(const gcn_insn *i) {
  return i->row->kind >= SPARSE_OF_CDNA;
}
static const matrix_type *type_of(const gcn_insn *i) {
  return &types[i->matrix->type];
}

/* "mfma.", "swmmac.gfx12.w32.": what names of fragments begin with. */
static const char *fragments_of(const gcn_row *row, gcn_generation generation) {
  bool newer = generation == GCN_RDNA4;
  switch ((matrix_family)row->kind) {
  case OF_RDNA: return newer ? "wmma.gfx12.w32" : "wmma.gfx11.w32";
  case SPARSE_OF_CDNA: return "smfmac";
  case SPARSE_OF_RDNA: return "swmmac.gfx12.w32";
  default: return "mfma";
  }
}

/* Operands have dimensions [blocks, rows, columns], or [rows, columns]. */
static bool read_operand(arena *a, const char *name, gcn_matrix *m, unsigned which) {
  tsr_layout layout;
  tsr_linear f;
  if (!tsr_fragment(&layout, name, strlen(name)) ||
      tsr_linear_from_layout(&f, NULL, &layout, NULL) != TSR_OK)
    return false;
  uint32_t rows_at = layout.rank - 2;
  uint32_t r = (uint32_t)layout.shape[rows_at], c = (uint32_t)layout.shape[rows_at + 1];
  uint32_t slots = (uint32_t)tsr_layout_local_size(&layout);
  m->lanes = (uint32_t)tsr_layout_spatial_size(&layout);
  m->blocks = layout.rank == 3 ? (uint32_t)layout.shape[0] : 1;
  if (which == 0) m->m = r;
  if (which == 1) m->k = r, m->n = c;
  m->slots[which] = slots;
  m->element[which] = arena_array(a, uint16_t, (size_t)slots * m->lanes);
  for (uint32_t l = 0; l < m->lanes; l++)
    for (uint32_t s = 0; s < slots; s++)
      m->element[which][l * slots + s] = (uint16_t)tsr_linear_apply(&f, l * slots + s);
  return true;
}

static bool ends_with(str s, const char *end) {
  size_t n = strlen(end);
  return s.len >= n && memcmp(s.data + s.len - n, end, n) == 0;
}

/* The shape, "32x32x4_2b", between the type of C and that of A and B; of gfx90a "32x32x4bf16_1k".
 * False: the name is of another row, or of another type. */
static bool find_shape(str name, const gcn_row *row, const matrix_type *t, int *length) {
  size_t head = strlen(row->name) + 1, tail = strlen(t->name);
  if (t->elem[0] == TSR_BF16 && ends_with(name, "_1k")) name.len -= 3;
  if (name.len <= head + tail || memcmp(name.data, row->name, head - 1) != 0 ||
      name.data[head - 1] != '_' || !ends_with(name, t->name))
    return false;
  char before = name.data[name.len - tail - 1];
  if (before != '_' && !isdigit((unsigned char)before)) return false;
  *length = (int)(name.len - head - tail - (before == '_'));
  return *length > 0;
}

static bool read_matrix(arena *a, str name, const gcn_row *row, unsigned type, gcn_insn *i) {
  int shape;
  bool of_rdna = row->kind == OF_RDNA || row->kind == SPARSE_OF_RDNA;
  if (of_rdna != gcn_is_narrow(i)) return false;
  if (row->kind == SPARSE_OF_RDNA && i->generation != GCN_RDNA4) return false;
  if (!find_shape(name, row, &types[type], &shape)) return false;
  const char *family = fragments_of(row, (gcn_generation)i->generation);
  gcn_matrix *m = arena_alloc_zero(a, sizeof *m, _Alignof(gcn_matrix));
  for (unsigned o = 0; o < 3; o++) {
    const char *fragment =
        arena_printf(a, "%s.%.*s.%s.%c", family, shape, name.data + strlen(row->name) + 1,
                     types[type].fragment, "ABC"[o]);
    if (!read_operand(a, fragment, m, o)) return false;
  }
  m->type = (uint8_t)type;
  m->bits[0] = m->bits[1] = types[type].bits;
  m->spread = row->bytes == 2 && i->generation == GCN_RDNA3;
  i->row = row;
  i->matrix = m;
  return true;
}

/* ---- formats that the instruction states -------------------------------------------------------
 */

/* "f8f6f4": A and B have each one of these, by cbsz and blgp. */
static const char stated_types[] = "_f8f6f4";
static const struct {
  const char *fragment;
  uint8_t bits;
  tsr_elem elem;
} formats[] = {
    {"f8", 8, TSR_F8E4M3FN}, {"f8", 8, TSR_F8E5M2},   {"f6", 6, TSR_F6E2M3FN},
    {"f6", 6, TSR_F6E3M2FN}, {"f4", 4, TSR_F4E2M1FN},
};

/* The row alone: what operands hold is known when all of the line has been read. */
static bool read_stated(str name, gcn_insn *i) {
  if (gcn_is_narrow(i) || !ends_with(name, stated_types)) return false;
  const gcn_row *scaled = NULL, *plain = NULL;
  for (size_t k = 0; k < ARRAY_LEN(rows); k++) {
    if (rows[k].kind == SCALED) scaled = &rows[k];
    if (strcmp(rows[k].name, "v_mfma_f32") == 0) plain = &rows[k];
  }
  bool has_scales = scaled && str_starts(name, scaled->name);
  if (!has_scales && !str_starts(name, plain->name)) return false;
  i->row = has_scales ? scaled : plain;
  return true;
}

bool gcn_read_formats(arena *a, str name, gcn_insn *i) {
  if (i->matrix) return true;
  const uint8_t stated[] = {i->broadcast, i->turn};
  if (stated[0] >= ARRAY_LEN(formats) || stated[1] >= ARRAY_LEN(formats)) return false;
  gcn_matrix *m = arena_alloc_zero(a, sizeof *m, _Alignof(gcn_matrix));
  size_t head = strlen(i->row->name) + 1, tail = sizeof stated_types - 1;
  if (name.len <= head + tail) return false;
  for (unsigned o = 0; o < 3; o++) {
    const char *fragment =
        arena_printf(a, "mfma.%.*s.%s.%c", (int)(name.len - head - tail), name.data + head,
                     formats[stated[o == 1]].fragment, "ABC"[o]);
    if (!read_operand(a, fragment, m, o)) return false;
    if (o < 2) m->bits[o] = formats[stated[o]].bits, m->elem[o] = (uint8_t)formats[stated[o]].elem;
  }
  m->stated = true;
  m->scaled = i->row->kind == SCALED;
  i->matrix = m;
  return true;
}

/* "v_mfma_f32_32x32x4_2b_f16": the type of C, the shape, the type of A and B. */
bool gcn_read_matrix(arena *a, str name, gcn_insn *i) {
  if (read_stated(name, i)) return true;
  for (size_t k = 0; k < ARRAY_LEN(rows); k++)
    for (unsigned t = 0; t < ARRAY_LEN(types); t++)
      if (read_matrix(a, name, &rows[k], t, i)) return true;
  return false;
}

unsigned gcn_matrix_registers(const gcn_insn *i, unsigned which) {
  const gcn_matrix *m = i->matrix;
  if (which == 2 && m->spread) return m->slots[2];
  unsigned bits = which == 2 ? 8u * i->row->bytes : m->bits[which];
  return m->slots[which] * bits / 32;
}

bool gcn_matrix_of_words(const gcn_insn *i) {
  return !i->matrix->stated && type_of(i)->elem[0] == TSR_F32;
}

bool gcn_matrix_is_slow(const gcn_insn *i) {
  return i->matrix->stated && (i->matrix->bits[0] == 8 || i->matrix->bits[1] == 8);
}

uint64_t gcn_matrix_work(const gcn_insn *i) {
  const gcn_matrix *m = i->matrix;
  return m ? 2 * (uint64_t)m->m * m->n * m->k * m->blocks : 0;
}

/* ---- elements ------------------------------------------------------------------------------- */

enum { MOST_ELEMENTS = 64 * 64, SCALED_TOGETHER = 32 };

/* Elements of fewer than 32 bits share registers, the first in the low bits. */
static uint64_t element_at(const emu_warp *w, const gcn_operand *o, unsigned bits, unsigned lane,
                           unsigned slot) {
  unsigned bit = slot * bits, at = bit / 32;
  if (at >= o->count) return 0;
  const uint32_t *low = gcn_vector(w, o->first + at);
  bool wide = bit % 32 + bits > 32 && at + 1 < o->count;
  uint64_t v = low[lane] | (wide ? (uint64_t)low[lane + GCN_LANES] << 32 : 0);
  return bits == 64 ? v : v >> bit % 32 & ((UINT64_C(1) << bits) - 1);
}

/* The formats of 8 bits are others from gfx950 on. */
static tsr_elem format_of(const emu_warp *w, const gcn_insn *i, unsigned which) {
  const matrix_type *t = type_of(i);
  if (i->matrix->stated) return (tsr_elem)i->matrix->elem[which];
  const gpu_target *gpu = gcn_image_of(w->block->grid)->object->gpu;
  bool newer = gpu_can(gpu, GPU_MFMA_DEEP) || gpu_can(gpu, GPU_WMMA_SPLIT);
  return newer && t->bits == 8 && !t->integer ? t->newer[which] : t->elem[which];
}

/* RDNA says by neg_lo whether integers are signed. */
static double number_of(const gcn_insn *i, unsigned which, tsr_elem elem, uint64_t v) {
  const matrix_type *t = type_of(i);
  if (i->matrix->stated || !t->integer) return num_decode(num_format_of(elem), v);
  bool is_signed = !gcn_is_narrow(i) || i->negate_low >> which & 1;
  return is_signed ? (double)sext(v, t->bits) : (double)v;
}

/* The lane whose registers of B a lane takes (blgp): those of one of two halves, or of one of four
 * quarters, or of the next quarter. */
static unsigned turned(const gcn_insn *i, unsigned which, unsigned lane) {
  unsigned turn = which == 1 && !i->matrix->stated && i->row->bytes != 8 ? i->turn : 0;
  switch (turn) {
  case 0: return lane;
  case 1:
  case 2: return lane % 32 + (turn - 1) * 32;
  case 3: return (lane + 16) % 64;
  default: return lane % 16 + (turn - 4) * 16;
  }
}

/* The power of two of a lane's register, of which op_sel says the byte: that of the elements of row
 * lane % m of A, or column of B, that are in the (lane / m)th 32 of k. */
static double scale_at(const emu_warp *w, const gcn_insn *i, unsigned which, unsigned lane) {
  const gcn_operand *o = &i->operands[4 + which];
  uint32_t v =
      o->kind == GCN_VECTOR ? gcn_vector(w, o->first)[lane] : (uint32_t)gcn_uniform(w, o, 'u');
  unsigned byte = (i->select >> which & 1) | (i->select_high >> which & 1) << 1;
  return num_decode(num_format_of(TSR_F8E8M0FNU), v >> 8 * byte & 0xff);
}

static void scale_factor(const emu_warp *w, const gcn_insn *i, unsigned which, double *x) {
  const gcn_matrix *m = i->matrix;
  for (unsigned r = 0; r < m->m; r++)
    for (unsigned k = 0; k < m->k; k++) {
      double scale = scale_at(w, i, which, r + k / SCALED_TOGETHER * m->m);
      x[which == 0 ? r * m->k + k : k * m->n + r] *= scale;
    }
}

static void read_factor(const emu_warp *w, const gcn_insn *i, unsigned which, double *out) {
  const gcn_matrix *m = i->matrix;
  tsr_elem elem = format_of(w, i, which);
  const gcn_operand *o = &i->operands[1 + which];
  for (unsigned l = 0; l < m->lanes; l++)
    for (unsigned s = 0; s < m->slots[which]; s++)
      out[m->element[which][l * m->slots[which] + s]] =
          number_of(i, which, elem, element_at(w, o, m->bits[which], turned(i, which, l), s));
  if (m->scaled) scale_factor(w, i, which, out);
}

/* Of four neighbours in k two are stored; for each a lane has its place among the four, in two bits
 * of the last operand. Of several such sets in a register the instruction names one. */
static void read_sparse(const emu_warp *w, const gcn_insn *i, double *out) {
  const gcn_matrix *m = i->matrix;
  tsr_elem elem = format_of(w, i, 0);
  unsigned bits = m->bits[0], slots = m->slots[0], stored = m->k / 2;
  unsigned set = gcn_is_narrow(i) || !i->broadcast ? i->broadcast_from : 0;
  memset(out, 0, (size_t)m->m * m->k * sizeof *out);
  for (unsigned l = 0; l < m->lanes; l++) {
    uint64_t places = gcn_vector(w, i->operands[3].first)[l];
    places >>= (set * 2 * slots) & 31;
    for (unsigned s = 0; s < slots; s++) {
      unsigned element = m->element[0][l * slots + s], row = element / stored, k = element % stored;
      k = k / 2 * 4 + (places >> 2 * s & 3);
      out[row * m->k + k] += number_of(i, 0, elem, element_at(w, &i->operands[1], bits, l, s));
    }
  }
}

/* Registers of 32 bits with one element of 16 have it in the half that op_sel names. */
static uint64_t spread_at(const emu_warp *w, const gcn_insn *i, const gcn_operand *o, unsigned lane,
                          unsigned slot) {
  return gcn_vector(w, o->first + slot)[lane] >> (i->select & 4 ? 16 : 0) & 0xffff;
}

/* C's element, a constant where the operand is one. */
static double sum_at(const emu_warp *w, const gcn_insn *i, unsigned lane, unsigned slot) {
  const gcn_operand *o = &i->operands[is_sparse(i) ? 0 : 3];
  unsigned bits = 8u * i->row->bytes;
  uint64_t v = o->kind != GCN_VECTOR ? gcn_uniform(w, o,
                                                   bits == 64   ? 'd'
                                                   : bits == 16 ? 'h'
                                                                : 'u')
               : i->matrix->spread   ? spread_at(w, i, o, lane, slot)
                                     : element_at(w, o, bits, lane, slot);
  if (!i->matrix->stated && type_of(i)->integer) return (double)(int32_t)v;
  return num_decode(num_format_of((tsr_elem)i->row->more), v);
}

static uint64_t rounded_sum(const gcn_insn *i, double sum) {
  switch ((tsr_elem)i->row->more) {
  case TSR_F64: return RD(sum);
  case TSR_F32: return RF((float)sum);
  case TSR_I32:
    if (i->flags & GCN_CLAMP) sum = sum < INT32_MIN ? INT32_MIN : MIN(sum, (double)INT32_MAX);
    return (uint32_t)(int64_t)sum;
  default: return num_encode(num_format_of((tsr_elem)i->row->more), sum, NUM_NEAREST_EVEN);
  }
}

static void put_sum(emu_warp *w, const gcn_insn *i, unsigned lane, unsigned slot, double sum) {
  const gcn_operand *o = &i->operands[0];
  unsigned bits = i->matrix->spread ? 32 : 8u * i->row->bytes, at = slot * bits / 32;
  if (at + bits / 64 >= o->count) return;
  uint32_t *low = gcn_vector(w, o->first + at) + lane;
  uint64_t v = rounded_sum(i, sum);
  if (i->row->bytes != 2) {
    *low = (uint32_t)v;
    if (bits == 64) low[GCN_LANES] = (uint32_t)(v >> 32);
    return;
  }
  bool high = i->matrix->spread ? i->select & 4 : slot & 1;
  *low = high ? (*low & 0xffff) | (uint32_t)v << 16 : (*low & 0xffff0000) | (uint32_t)v;
}

/* ---- products ------------------------------------------------------------------------------- */

/* The block whose A a block takes (cbsz, abid): one of so many neighbours. Sparse products and
 * stated formats have other things there. */
static uint32_t block_of_a(const gcn_insn *i, uint32_t block) {
  if (is_sparse(i) || i->matrix->stated || gcn_is_narrow(i)) return block;
  uint32_t together = 1u << i->broadcast;
  return ((block & ~(together - 1)) + i->broadcast_from) % i->matrix->blocks;
}

static double product(const gcn_insn *i, const double *a, const double *b, uint32_t element,
                      double sum) {
  const gcn_matrix *m = i->matrix;
  uint32_t block = element / (m->m * m->n), r = element / m->n % m->m, c = element % m->n;
  uint32_t from = block_of_a(i, block);
  for (uint32_t k = 0; k < m->k; k++) {
    double x = a[(from * m->m + r) * m->k + k], y = b[(block * m->k + k) * m->n + c];
    sum = i->row->bytes == 8 ? fma(x, y, sum) : sum + x * y;
  }
  return sum;
}

/* All lanes take part, whichever execute. */
emu_step gcn_run_matrix(emu_warp *w, const gcn_insn *i) {
  const gcn_matrix *m = i->matrix;
  double a[MOST_ELEMENTS], b[MOST_ELEMENTS];
  bool negates = !type_of(i)->integer && (i->negate_low || i->negate_high);
  if (negates || (i->row->bytes == 8 && i->turn)) return gcn_run_unknown(w, i);
  if (is_sparse(i))
    read_sparse(w, i, a);
  else
    read_factor(w, i, 0, a);
  read_factor(w, i, 1, b);
  double sums[GCN_LANES];
  for (unsigned s = 0; s < m->slots[2]; s++) {
    for (unsigned l = 0; l < m->lanes; l++)
      sums[l] = product(i, a, b, m->element[2][l * m->slots[2] + s], sum_at(w, i, l, s));
    for (unsigned l = 0; l < m->lanes; l++) put_sum(w, i, l, s, sums[l]);
  }
  return EMU_NEXT;
}
