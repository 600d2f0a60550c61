/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Handlers of mma, ldmatrix, stmatrix, movmatrix and wmma: from a warp's registers and memory to
 * matrix.h and back. (wgmma is asynchronous: exec_wgmma.c.)
 */
#include "emu/ptx/exec_matrix.h"

#include "emu/ptx/floats.h"
#include "emu/ptx/image.h"

/* ---- what these handlers share -------------------------------------------------------------- */

mma_type matrix_type(unsigned type) {
  switch (type) {
  case PTX_F16: return MMA_F16;
  case PTX_BF16: return MMA_BF16;
  case PTX_TF32: return MMA_TF32;
  case PTX_F32: return MMA_F32;
  case PTX_F64: return MMA_F64;
  case PTX_E4M3: return MMA_E4M3;
  case PTX_E5M2: return MMA_E5M2;
  case PTX_S8: return MMA_S8;
  case PTX_U8: return MMA_U8;
  case PTX_S4: return MMA_S4;
  case PTX_U4: return MMA_U4;
  case PTX_B1: return MMA_B1;
  case PTX_S32: return MMA_S32;
  default: return MMA_NONE;
  }
}

bool matrix_get(emu_warp *w, const ptx_insn *i, const ptx_operand *o, unsigned count,
                mma_register *out) {
  if (o->kind != PTX_OPERAND_VECTOR || o->count != count) {
    emu_fail(w, i, -1, EMU_FAULT_ILLEGAL,
             "an operand has %u registers; this shape and type takes %u",
             o->kind == PTX_OPERAND_VECTOR ? o->count : 1u, count);
    return false;
  }
  for (unsigned r = 0; r < count; r++) {
    const ptx_operand *e = &o->list[r];
    const void *row = ptx_row_at(w, e->row);
    for (unsigned l = 0; l < PTX_LANES; l++)
      out[r][l] = e->bytes == 8 ? ((const uint64_t *)row)[l] : ((const uint32_t *)row)[l];
  }
  return true;
}

void matrix_set(emu_warp *w, const ptx_operand *o, uint32_t lanes, unsigned count,
                const mma_register *in) {
  for (unsigned r = 0; r < count && r < o->count; r++) {
    const ptx_operand *e = &o->list[r];
    PTX_FOR_LANES(l, lanes) ptx_set(w, e, l, e->bytes == 8 ? in[r][l] : (uint32_t)in[r][l]);
  }
}

/* .sync.aligned: all lanes of the warp that have not ended execute it together. */
uint32_t matrix_lanes(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  return ptx_sync_lanes(w, i, lanes, NULL, PTX_ALL_LANES);
}

static unsigned sm_of(const emu_warp *w) {
  return ptx_image_of(w->block->grid)->module->sm / 10u;
}

/* ---- mma ------------------------------------------------------------------------------------ */

static mma_op op_of(const ptx_insn *i) {
  if (!ptx_has(i, PTX_M_POPC)) return MMA_MULTIPLY;
  return ptx_has(i, PTX_M_XOR) ? MMA_XOR_POPC : MMA_AND_POPC;
}

bool matrix_form_of(const ptx_insn *i, mma_form *f) {
  bool wmma = strcmp(ptx_forms[i->form].opcode, "wmma") == 0;
  *f = (mma_form){.m = (uint16_t)PTX_SHAPE_M(i->shape),
                  .n = (uint16_t)PTX_SHAPE_N(i->shape),
                  .k = (uint16_t)PTX_SHAPE_K(i->shape),
                  .op = (uint8_t)op_of(i),
                  .round = (uint8_t)float_rounding(i->round),
                  .sparse = ptx_has(i, PTX_M_SP) || ptx_has(i, PTX_M_SP_ORDERED),
                  .satfinite = i->flags & PTX_FLAG_SATFINITE,
                  .a_col = i->layout == PTX_COL,
                  .b_row = i->layout2 == PTX_ROW,
                  .wmma = wmma,
                  .d = matrix_type(i->type[0])};
  if (i->n_types == 2) { /* wmma.mma with f16: only D and C are said */
    f->a = f->b = MMA_F16;
    f->c = matrix_type(i->type[1]);
  } else {
    f->a = matrix_type(i->type[1]);
    f->b = matrix_type(i->type[2]);
    f->c = matrix_type(i->type[3]);
  }
  return true;
}

/* Reports what is wrong with a form; false then. */
static bool good_form(emu_warp *w, const ptx_insn *i, const mma_form *f) {
  const char *problem = mma_form_problem(f, sm_of(w));
  if (problem) emu_fail(w, i, -1, EMU_FAULT_ILLEGAL, "%s", problem);
  return !problem;
}

static emu_step multiply(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  mma_form f;
  mma_register a[MMA_MAX_REGISTERS], b[MMA_MAX_REGISTERS], c[MMA_MAX_REGISTERS];
  mma_register d[MMA_MAX_REGISTERS];
  uint32_t meta[PTX_LANES] = {0};
  unsigned selector = 0;
  matrix_form_of(i, &f);
  if (!good_form(w, i, &f)) return EMU_NEXT;
  const ptx_operand *o = i->op_list;
  if (!matrix_get(w, i, &o[1], mma_registers(&f, MMA_A), a) ||
      !matrix_get(w, i, &o[2], mma_registers(&f, MMA_B), b) ||
      !matrix_get(w, i, &o[3], mma_registers(&f, MMA_C), c))
    return EMU_NEXT;
  if (f.sparse) {
    for (unsigned l = 0; l < PTX_LANES; l++) meta[l] = (uint32_t)ptx_get(w, &o[4], l);
    selector = (unsigned)ptx_get(w, &o[5], 0);
  }
  bool good = mma_execute(&f, a, b, c, meta, selector, d);
  if (!good && !emu_fail(w, i, -1, EMU_FAULT_ILLEGAL,
                         "the sparsity metadata names positions that are not in increasing order"))
    return EMU_NEXT;
  matrix_set(w, &o[0], lanes, mma_registers(&f, MMA_D), d);
  return EMU_NEXT;
}

emu_step ptx_op_mma(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  lanes = matrix_lanes(w, i, lanes);
  return lanes ? multiply(w, i, lanes) : emu_none_left(w);
}

emu_step ptx_op_wmma_mma(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  return ptx_op_mma(w, i, lanes);
}

/* ---- ldmatrix, stmatrix, movmatrix ---------------------------------------------------------- */

/* Lanes that give row addresses. */
static uint32_t row_lanes(const ptx_insn *i, unsigned *rows) {
  *rows = (PTX_SHAPE_M(i->shape) == 16 ? 16u : 8u) * i->vec;
  return *rows == 32 ? PTX_ALL_LANES : (1u << *rows) - 1;
}

static ptx_space matrix_space(const ptx_insn *i) {
  return (ptx_space)i->space;
}

emu_step ptx_op_ldmatrix(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  lanes = matrix_lanes(w, i, lanes);
  if (!lanes) return emu_none_left(w);
  unsigned rows;
  uint32_t from = row_lanes(i, &rows) & lanes;
  uint8_t row[32][16] = {{0}};
  mma_register d[4];
  emu_access a;
  if (!ptx_access_begin(w, i, from, &i->op_list[1], matrix_space(i), 16, 16, EMU_READ, &a))
    return EMU_NEXT;
  PTX_FOR_LANES(l, a.lanes) memcpy(row[l], a.host[l], 16);
  bool bytes = PTX_SHAPE_M(i->shape) == 16;
  if (bytes)
    mma_load_rows_b8(i->vec, (const uint8_t(*)[16])row, d);
  else
    mma_load_rows(i->vec, i->flags & PTX_FLAG_TRANS, (const uint8_t(*)[16])row, d);
  matrix_set(w, &i->op_list[0], lanes, bytes ? 2u * i->vec : i->vec, d);
  return EMU_NEXT;
}

emu_step ptx_op_stmatrix(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  lanes = matrix_lanes(w, i, lanes);
  if (!lanes) return emu_none_left(w);
  unsigned rows;
  uint32_t to = row_lanes(i, &rows) & lanes;
  uint8_t row[32][16] = {{0}};
  mma_register s[4];
  emu_access a;
  if (!matrix_get(w, i, &i->op_list[1], i->vec, s)) return EMU_NEXT;
  mma_store_rows(i->vec, i->flags & PTX_FLAG_TRANS, s, row);
  if (!ptx_access_begin(w, i, to, &i->op_list[0], matrix_space(i), 16, 16, EMU_WRITE, &a))
    return EMU_NEXT;
  PTX_FOR_LANES(l, a.lanes) memcpy(a.host[l], row[l], 16);
  return EMU_NEXT;
}

emu_step ptx_op_movmatrix(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  lanes = matrix_lanes(w, i, lanes);
  if (!lanes) return emu_none_left(w);
  uint64_t s[PTX_LANES];
  for (unsigned l = 0; l < PTX_LANES; l++) s[l] = ptx_get(w, &i->op_list[1], l);
  mma_transpose(s, s);
  PTX_FOR_LANES(l, lanes) ptx_set(w, &i->op_list[0], l, (uint32_t)s[l]);
  return EMU_NEXT;
}

/* ---- wmma.load, wmma.store ------------------------------------------------------------------ */

/* The form that a fragment belongs to, as far as its layout depends on it, and the operand. */
static mma_operand fragment_of(const ptx_insn *i, mma_form *f) {
  mma_type type = matrix_type(i->type[0]);
  mma_operand o = ptx_has(i, PTX_M_OPERAND_A) ? MMA_A : ptx_has(i, PTX_M_OPERAND_B) ? MMA_B : MMA_C;
  *f = (mma_form){.m = (uint16_t)PTX_SHAPE_M(i->shape),
                  .n = (uint16_t)PTX_SHAPE_N(i->shape),
                  .k = (uint16_t)PTX_SHAPE_K(i->shape),
                  .wmma = true,
                  .a = type,
                  .b = type,
                  .c = type,
                  .d = type};
  return o;
}

/* Where element `e` of each lane lies, for a matrix at the operand's address with this stride; the
 * bits below a byte are the shift of elements smaller than one. */
static void element_addresses(emu_warp *w, const mma_form *f, mma_operand operand,
                              const ptx_insn *i, const ptx_operand *base, const ptx_operand *stride,
                              unsigned e, emu_access *a, uint8_t *shift) {
  unsigned bits = mma_type_bits(matrix_type(i->type[0]));
  bool by_rows = i->layout == PTX_ROW;
  unsigned rows = operand == MMA_B ? f->k : f->m, columns = operand == MMA_A ? f->k : f->n;
  for (unsigned l = 0; l < PTX_LANES; l++) {
    mma_place at = mma_element(f, operand, l, e);
    uint64_t ld = stride->kind == PTX_OPERAND_NONE ? (by_rows ? columns : rows)
                                                   : (uint32_t)ptx_get(w, stride, l);
    uint64_t index = by_rows ? at.row * ld + at.col : at.col * ld + at.row;
    a->address[l] = ptx_get(w, base, l) + (uint64_t)base->offset + index * bits / 8;
    shift[l] = (uint8_t)(index * bits % 8);
  }
}

static emu_step move_fragment(emu_warp *w, const ptx_insn *i, uint32_t lanes, bool store) {
  static const ptx_operand none;
  mma_form f;
  mma_operand operand = fragment_of(i, &f);
  const ptx_operand *base = &i->op_list[store ? 0 : 1], *vector = &i->op_list[store ? 1 : 0];
  const ptx_operand *stride = i->n_ops > 2 ? &i->op_list[2] : &none;
  unsigned bits = mma_type_bits(matrix_type(i->type[0])), per = bits > 32 ? 1 : 32 / bits;
  unsigned count = mma_elements(&f, operand), bytes = MAX(bits / 8, 1);
  mma_register reg[MMA_MAX_REGISTERS] = {{0}};
  uint8_t shift[PTX_LANES];
  emu_access a;
  if (store && !matrix_get(w, i, vector, mma_registers(&f, operand), reg)) return EMU_NEXT;
  for (unsigned e = 0; e < count; e++) {
    element_addresses(w, &f, operand, i, base, stride, e, &a, shift);
    if (!ptx_access_begin(w, i, lanes, NULL, matrix_space(i), bytes, bytes,
                          store ? EMU_WRITE : EMU_READ, &a))
      return EMU_NEXT;
    PTX_FOR_LANES(l, a.lanes) {
      uint64_t value = reg[e / per][l] >> (e % per * bits % 64);
      if (store) {
        memcpy(a.host[l], &value, bytes);
        continue;
      }
      value = 0;
      memcpy(&value, a.host[l], bytes);
      if (bits < 8) value = value >> shift[l] & ((1u << bits) - 1);
      reg[e / per][l] |= value << (e % per * bits % 64);
    }
  }
  if (!store) matrix_set(w, vector, lanes, mma_registers(&f, operand), reg);
  return EMU_NEXT;
}

emu_step ptx_op_wmma_load(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  lanes = matrix_lanes(w, i, lanes);
  return lanes ? move_fragment(w, i, lanes, false) : emu_none_left(w);
}

emu_step ptx_op_wmma_store(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  lanes = matrix_lanes(w, i, lanes);
  return lanes ? move_fragment(w, i, lanes, true) : emu_none_left(w);
}
