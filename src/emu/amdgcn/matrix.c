/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Products of matrices whose elements lie in the registers of a wave's lanes.
 *
 * Products are exact; sums of floats are made in the order of k, in double, and rounded once to
 * the result's format, where processors round in between in ways that are not documented. So
 * results agree where all sums are exact, and else to within the last bits.
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
    EIGHT("fp8_fp8", E4M3, E4M3),
    EIGHT("fp8_bf8", E4M3, E5M2),
    EIGHT("bf8_fp8", E5M2, E4M3),
    EIGHT("bf8_bf8", E5M2, E5M2),
};
#undef EIGHT
#undef E4M3_OCP
#undef E5M2_OCP

/* gcn_row.kind is the type of A and B, bytes that of an element of C. The signature says that C,
 * the last operand, and the result may be the same. */
static const gcn_row rows[] = {
    {.name = "v_mfma_f32", .signature = "r=rrr", .run = gcn_run_matrix, .kind = 0, .bytes = 4},
    {.name = "v_mfma_f32", .signature = "r=rrr", .run = gcn_run_matrix, .kind = 1, .bytes = 4},
    {.name = "v_mfma_f32", .signature = "r=rrr", .run = gcn_run_matrix, .kind = 2, .bytes = 4},
    {.name = "v_mfma_f64", .signature = "r=rrr", .run = gcn_run_matrix, .kind = 3, .bytes = 8},
    {.name = "v_mfma_i32", .signature = "r=rrr", .run = gcn_run_matrix, .kind = 4, .bytes = 4},
    {.name = "v_mfma_f32", .signature = "r=rrr", .run = gcn_run_matrix, .kind = 5, .bytes = 4},
    {.name = "v_mfma_f32", .signature = "r=rrr", .run = gcn_run_matrix, .kind = 6, .bytes = 4},
    {.name = "v_mfma_f32", .signature = "r=rrr", .run = gcn_run_matrix, .kind = 7, .bytes = 4},
    {.name = "v_mfma_f32", .signature = "r=rrr", .run = gcn_run_matrix, .kind = 8, .bytes = 4},
};

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
  m->blocks = layout.rank == 3 ? (uint32_t)layout.shape[0] : 1;
  if (which == 0) m->m = r, m->k = c;
  if (which == 1) m->n = c;
  m->slots[which] = slots;
  m->element[which] = arena_array(a, uint16_t, (size_t)slots * GCN_LANES);
  for (uint32_t l = 0; l < GCN_LANES; l++)
    for (uint32_t s = 0; s < slots; s++)
      m->element[which][l * slots + s] = (uint16_t)tsr_linear_apply(&f, l * slots + s);
  return true;
}

static bool ends_with(str s, const char *end) {
  size_t n = strlen(end);
  return s.len >= n && memcmp(s.data + s.len - n, end, n) == 0;
}

/* The shape, "32x32x4_2b", between the type of C and that of A and B; of gfx90a "32x32x4bf16_1k".
 * False: the name is of another row. */
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

/* "v_mfma_f32_32x32x4_2b_f16": the type of C, the shape, the type of A and B. */
bool gcn_read_matrix(arena *a, str name, gcn_insn *i) {
  for (size_t k = 0; k < ARRAY_LEN(rows); k++) {
    const matrix_type *t = &types[rows[k].kind];
    size_t head = strlen(rows[k].name);
    int shape;
    if (!find_shape(name, &rows[k], t, &shape)) continue;
    gcn_matrix *m = arena_alloc_zero(a, sizeof *m, _Alignof(gcn_matrix));
    for (unsigned o = 0; o < 3; o++) {
      const char *fragment =
          arena_printf(a, "mfma.%.*s.%s.%c", shape, name.data + head + 1, t->fragment, "ABC"[o]);
      if (!read_operand(a, fragment, m, o)) return false;
    }
    i->row = &rows[k];
    i->matrix = m;
    return true;
  }
  return false;
}

unsigned gcn_matrix_registers(const gcn_insn *i, unsigned which) {
  unsigned bits = which == 2 ? 8u * i->row->bytes : types[i->row->kind].bits;
  return i->matrix->slots[which] * bits / 32;
}

uint64_t gcn_matrix_work(const gcn_insn *i) {
  const gcn_matrix *m = i->matrix;
  return m ? 2 * (uint64_t)m->m * m->n * m->k * m->blocks : 0;
}

/* ---- elements ------------------------------------------------------------------------------- */

enum { MOST_ELEMENTS = 64 * 64 };

/* Elements of fewer than 32 bits share registers, the first in the low bits. */
static uint64_t element_at(const emu_warp *w, const gcn_operand *o, unsigned bits, unsigned lane,
                           unsigned slot) {
  unsigned bit = slot * bits, at = bit / 32;
  if (at >= o->count) return 0;
  const uint32_t *low = gcn_vector(w, o->first + at);
  if (bits == 64) return low[lane] | (uint64_t)low[lane + GCN_LANES] << 32;
  return bits == 32 ? low[lane] : low[lane] >> bit % 32 & ((1u << bits) - 1);
}

static double number_of(const matrix_type *t, tsr_elem elem, uint64_t v) {
  return t->integer ? (double)(int8_t)v : num_decode(num_format_of(elem), v);
}

/* The formats of 8 bits are others from gfx950 on. */
static tsr_elem format_of(const emu_warp *w, const matrix_type *t, unsigned which) {
  bool newer = gpu_can(gcn_image_of(w->block->grid)->object->gpu, GPU_MFMA_DEEP);
  return newer && t->bits == 8 && !t->integer ? t->newer[which] : t->elem[which];
}

static void read_factor(const emu_warp *w, const gcn_insn *i, unsigned which, double *out) {
  const matrix_type *t = &types[i->row->kind];
  const gcn_matrix *m = i->matrix;
  tsr_elem elem = format_of(w, t, which);
  for (unsigned l = 0; l < GCN_LANES; l++)
    for (unsigned s = 0; s < m->slots[which]; s++)
      out[m->element[which][l * m->slots[which] + s]] =
          number_of(t, elem, element_at(w, &i->operands[1 + which], t->bits, l, s));
}

/* C's element, a constant where the operand is one. */
static double sum_at(const emu_warp *w, const gcn_insn *i, unsigned lane, unsigned slot) {
  const gcn_operand *o = &i->operands[3];
  bool wide = i->row->bytes == 8, integer = types[i->row->kind].integer;
  uint64_t v = o->kind == GCN_VECTOR ? element_at(w, o, wide ? 64 : 32, lane, slot)
                                     : gcn_uniform(w, o, wide ? 'd' : 'u');
  if (integer) return (double)(int32_t)v;
  return wide ? D(v) : F(v);
}

static void put_sum(emu_warp *w, const gcn_insn *i, unsigned lane, unsigned slot, double sum) {
  const gcn_operand *o = &i->operands[0];
  bool wide = i->row->bytes == 8;
  unsigned at = slot * (wide ? 2 : 1);
  if (at + wide >= o->count) return;
  uint32_t *low = gcn_vector(w, o->first + at);
  uint64_t v = types[i->row->kind].integer ? (uint32_t)(int64_t)sum
               : wide                      ? RD(sum)
                                           : RF((float)sum);
  low[lane] = (uint32_t)v;
  if (wide) low[lane + GCN_LANES] = (uint32_t)(v >> 32);
}

/* ---- products ------------------------------------------------------------------------------- */

static double product(const gcn_insn *i, const double *a, const double *b, uint32_t element,
                      double sum) {
  const gcn_matrix *m = i->matrix;
  uint32_t block = element / (m->m * m->n), r = element / m->n % m->m, c = element % m->n;
  for (uint32_t k = 0; k < m->k; k++) {
    double x = a[(block * m->m + r) * m->k + k], y = b[(block * m->k + k) * m->n + c];
    sum = i->row->bytes == 8 ? fma(x, y, sum) : sum + x * y;
  }
  return sum;
}

/* All lanes take part, whichever execute. */
emu_step gcn_run_matrix(emu_warp *w, const gcn_insn *i) {
  const gcn_matrix *m = i->matrix;
  double a[MOST_ELEMENTS], b[MOST_ELEMENTS];
  if (i->broadcast || i->turn) return gcn_run_unknown(w, i);
  read_factor(w, i, 0, a);
  read_factor(w, i, 1, b);
  double sums[GCN_LANES];
  for (unsigned s = 0; s < m->slots[2]; s++) {
    for (unsigned l = 0; l < GCN_LANES; l++)
      sums[l] = product(i, a, b, m->element[2][l * m->slots[2] + s], sum_at(w, i, l, s));
    for (unsigned l = 0; l < GCN_LANES; l++) put_sum(w, i, l, s, sums[l]);
  }
  return EMU_NEXT;
}
