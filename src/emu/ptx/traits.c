/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What checks and counters ask of instructions.
 */
#include "emu/ptx/exec_matrix.h"
#include "emu/ptx/isa.h"

/* ---- arithmetic ----------------------------------------------------------------------------- */

static unsigned scalar_flops(const ptx_insn *i) {
  unsigned packed = i->type[0] == PTX_F16X2 || i->type[0] == PTX_BF16X2 || i->type[0] == PTX_F32X2;
  switch (i->handler) {
  case PTX_H_float_fma: return 2u << packed;
  case PTX_H_float_add:
  case PTX_H_float_sub:
  case PTX_H_float_mul:
  case PTX_H_float_div:
  case PTX_H_float_rcp:
  case PTX_H_float_sqrt: return 1u << packed;
  default: return 0;
  }
}

static uint64_t matrix_operations(const ptx_insn *i) {
  mma_form f;
  switch (i->handler) {
  case PTX_H_mma:
  case PTX_H_wmma_mma: matrix_form_of(i, &f); return mma_operations(&f);
  case PTX_H_wgmma: /* a warp makes 16 of the 64 rows */
    return 2 * 16 * (uint64_t)PTX_SHAPE_N(i->shape) * PTX_SHAPE_K(i->shape);
  default: return 0;
  }
}

emu_work ptx_work(emu_insn insn) {
  return (emu_work){.flops = scalar_flops(insn), .matrix = matrix_operations(insn)};
}

/* ---- operands ------------------------------------------------------------------------------- */

bool ptx_writes(const ptx_insn *i, unsigned k) {
  if (i->handler == PTX_H_call) return k == 0;
  const char *signature = ptx_forms[i->form].operands;
  for (; k; k--) {
    while (*signature && *signature != ' ') signature++;
    while (*signature == ' ') signature++;
  }
  return *signature == '=';
}

/* bar is barrier.aligned. */
static bool is_unaligned_barrier(const ptx_insn *i) {
  return strcmp(ptx_forms[i->form].opcode, "barrier") == 0 && !(i->flags & PTX_FLAG_ALIGNED);
}

/* ---- accesses ------------------------------------------------------------------------------- */

unsigned ptx_traits(emu_insn insn) {
  const ptx_insn *i = insn;
  switch (i->handler) {
  case PTX_H_st: return EMU_IS_STORE;
  case PTX_H_bar_sync:
  case PTX_H_bar_red: return is_unaligned_barrier(i) ? EMU_MEETS_ANYWHERE : 0;
  case PTX_H_cp_async:
  case PTX_H_tensor_prefetch_map: return EMU_IS_ASYNC;
  case PTX_H_bulk_load:
  case PTX_H_bulk_to_shared:
  case PTX_H_bulk_store:
  case PTX_H_tensor_load:
  case PTX_H_tensor_store:
  case PTX_H_tensor_prefetch:
  case PTX_H_st_async:
  case PTX_H_red_async: return EMU_IS_ASYNC | EMU_IS_BULK;
  case PTX_H_mbarrier_test: return EMU_IS_MBARRIER | EMU_IS_LOOK;
  case PTX_H_mbarrier_expect_tx:
  case PTX_H_mbarrier_complete_tx:
  case PTX_H_mbarrier_arrive:
  case PTX_H_cp_async_arrive: return EMU_IS_MBARRIER;
  default: return 0;
  }
}

void ptx_describe(const emu_warp *w, emu_insn insn, int lane, emu_described *out) {
  const ptx_insn *i = insn;
  out->space = i->space;
  if (lane < 0 || (i->handler != PTX_H_ld && i->handler != PTX_H_st)) return;
  out->bytes = ptx_types[i->type[0]].bits / 8u * i->vec;
  if (i->handler != PTX_H_st) return;
  const ptx_operand *v = &i->op_list[1];
  if (v->kind == PTX_OPERAND_VECTOR) v = &v->list[0];
  out->has_value = v->kind == PTX_OPERAND_ROW;
  if (out->has_value) out->value = ptx_get(w, v, (unsigned)lane);
}

void ptx_stored(const emu_warp *w, emu_insn insn, unsigned lane, uint8_t out[EMU_MAX_STORED]) {
  const ptx_insn *i = insn;
  const ptx_operand *v = &i->op_list[1];
  unsigned size = ptx_types[i->type[0]].bits / 8;
  for (unsigned e = 0; e < i->vec; e++) {
    const ptx_operand *o = v->kind == PTX_OPERAND_VECTOR ? &v->list[e] : v;
    uint64_t value[2] = {0};
    if (o->kind == PTX_OPERAND_ROW) value[0] = ptx_get(w, o, lane);
    if (o->kind == PTX_OPERAND_ROW && o->bytes == 16)
      value[1] = ((const uint64_t *)ptx_row_at(w, o->row))[2 * lane + 1];
    memcpy(out + e * size, value, size);
  }
}
