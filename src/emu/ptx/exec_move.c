/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Comparing, choosing, moving, addresses of spaces. Source: PTX ISA, "Comparison and Selection
 * Instructions", "Data Movement and Conversion Instructions".
 */
#include "emu/ptx/floats.h"
#include "emu/ptx/lanes.h"
#include "emu/ptx/special.h"

/* ---- comparisons ---------------------------------------------------------------------------- */

/* Bits of the lanes whose rows satisfy a comparison, over elements of T. */
#define COMPARE(S, T, op)                                                                          \
  do {                                                                                             \
    const S *pa = ptx_row_at(w, a->row), *pb = ptx_row_at(w, b->row);                              \
    PTX_FOR_LANES(l, lanes) bits |= (uint32_t)((T)pa[l] op(T) pb[l]) << l;                         \
  } while (0)
#define COMPARE_ALL(S, T)                                                                          \
  switch (compare) {                                                                               \
  case PTX_EQ: COMPARE(S, T, ==); break;                                                           \
  case PTX_NE: COMPARE(S, T, !=); break;                                                           \
  case PTX_LT: COMPARE(S, T, <); break;                                                            \
  case PTX_LE:                                                                                     \
  case PTX_LS: COMPARE(S, T, <=); break;                                                           \
  case PTX_GT: COMPARE(S, T, >); break;                                                            \
  case PTX_GE:                                                                                     \
  case PTX_HS: COMPARE(S, T, >=); break;                                                           \
  default: break;                                                                                  \
  }

/* .lo and .hi are words that other instructions use for halves: here they mean < and >. */
static unsigned comparison(const ptx_insn *i) {
  if (i->compare) return i->compare;
  return i->flags & PTX_FLAG_LO ? PTX_LT : PTX_GT;
}

static uint32_t compare_ints(const emu_warp *w, const ptx_operand *a, const ptx_operand *b,
                             uint32_t lanes, unsigned compare, ptx_type type) {
  uint32_t bits = 0;
  switch (type) {
  case PTX_S16: COMPARE_ALL(uint32_t, int16_t); break;
  case PTX_S32: COMPARE_ALL(uint32_t, int32_t); break;
  case PTX_S64: COMPARE_ALL(uint64_t, int64_t); break;
  case PTX_B16:
  case PTX_U16: COMPARE_ALL(uint32_t, uint16_t); break;
  case PTX_B64:
  case PTX_U64: COMPARE_ALL(uint64_t, uint64_t); break;
  default: COMPARE_ALL(uint32_t, uint32_t); break;
  }
  return bits;
}

/* `part`: which half of packed types. */
static uint32_t compare_floats(const emu_warp *w, const ptx_insn *i, const ptx_operand *a,
                               const ptx_operand *b, uint32_t lanes, ptx_type type, unsigned part) {
  const num_format *f = float_format(type);
  uint32_t bits = 0;
  unsigned shift = part * f->bits;
  uint64_t mask = num_mask(f->bits);
  PTX_FOR_LANES(l, lanes)
  bits |= (uint32_t)float_compare(f, i->compare, ptx_get(w, a, l) >> shift & mask,
                                  ptx_get(w, b, l) >> shift & mask, i->flags & PTX_FLAG_FTZ)
          << l;
  return bits;
}

static uint32_t combine(unsigned op, uint32_t result, uint32_t with) {
  switch (op) {
  case PTX_OP_AND: return result & with;
  case PTX_OP_OR: return result | with;
  case PTX_OP_XOR: return result ^ with;
  default: return result;
  }
}

static bool is_float(ptx_type t) {
  return ptx_types[t].class == PTX_CLASS_F;
}
static bool is_pair(ptx_type t) {
  return t == PTX_F16X2 || t == PTX_BF16X2;
}

emu_step ptx_op_setp(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  ptx_type t = (ptx_type)i->type[0];
  const ptx_operand *d = &i->op_list[0], *a = &i->op_list[1], *b = &i->op_list[2];
  uint32_t with = i->n_ops > 3 ? ptx_get_pred(w, &i->op_list[3]) : 0;
  uint32_t first = is_float(t) ? compare_floats(w, i, a, b, lanes, t, 0)
                               : compare_ints(w, a, b, lanes, comparison(i), t);
  uint32_t second = is_pair(t) ? compare_floats(w, i, a, b, lanes, t, 1) : ~first;
  if (d->kind != PTX_OPERAND_PAIR) {
    ptx_set_pred(w, d, lanes, combine(i->op, first, with));
    return EMU_NEXT;
  }
  ptx_set_pred(w, &d->list[0], lanes, combine(i->op, first, with));
  ptx_set_pred(w, &d->list[1], lanes, combine(i->op, second, with));
  return EMU_NEXT;
}

/* What set gives for true: 1.0 in floats, all ones in integers. */
static uint64_t set_true(ptx_type t) {
  if (is_float(t)) return num_one(float_format(t));
  return num_mask(ptx_types[t].bits);
}

emu_step ptx_op_set(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  ptx_type to = (ptx_type)i->type[0], from = (ptx_type)i->type[1];
  const ptx_operand *a = &i->op_list[1], *b = &i->op_list[2];
  uint32_t with = i->n_ops > 3 ? ptx_get_pred(w, &i->op_list[3]) : 0;
  uint32_t low = is_float(from) ? compare_floats(w, i, a, b, lanes, from, 0)
                                : compare_ints(w, a, b, lanes, comparison(i), from);
  uint32_t high = is_pair(from) ? compare_floats(w, i, a, b, lanes, from, 1) : 0;
  low = combine(i->op, low, with);
  high = is_pair(from) ? combine(i->op, high, with) : 0;
  uint64_t yes = set_true(to);
  PTX_FOR_LANES(l, lanes)
  ptx_set(w, &i->op_list[0], l, (low >> l & 1 ? yes : 0) | (high >> l & 1 ? yes << 16 : 0));
  return EMU_NEXT;
}

emu_step ptx_op_selp(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  uint32_t p = ptx_get_pred(w, &i->op_list[3]);
  if (ptx_types[i->type[0]].bits == 64)
    BINARY(uint64_t, uint64_t, uint64_t, p >> l & 1 ? a : b);
  else
    BINARY(uint32_t, uint32_t, uint32_t, p >> l & 1 ? a : b);
  return EMU_NEXT;
}

/* a where c >= 0, else b; a NaN is not. */
emu_step ptx_op_slct(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  const uint32_t *c = ROW(3);
  bool f = i->type[1] == PTX_F32, flush = i->flags & PTX_FLAG_FTZ;
  PTX_FOR_LANES(l, lanes) {
    bool first =
        f ? float_compare(float_format(PTX_F32), PTX_GE, c[l], 0, flush) : (int32_t)c[l] >= 0;
    ptx_set(w, &i->op_list[0], l, ptx_get(w, &i->op_list[first ? 1 : 2], l));
  }
  return EMU_NEXT;
}

/* ---- mov ------------------------------------------------------------------------------------ */

static unsigned element_bits(const ptx_operand *o) {
  return ptx_types[o->type].bits;
}

/* The 128 bits that a lane's source has: a register, or the parts of a vector. */
static void gather(const emu_warp *w, const ptx_operand *o, unsigned l, uint64_t out[2]) {
  out[0] = out[1] = 0;
  if (o->kind != PTX_OPERAND_VECTOR) {
    out[0] = ptx_get(w, o, l);
    if (o->bytes == 16) out[1] = ((const uint64_t *)ptx_row_at(w, o->row))[2 * l + 1];
    return;
  }
  unsigned bits = element_bits(o);
  for (unsigned k = 0; k < o->count; k++) {
    unsigned at = k * bits;
    uint64_t v = ptx_get(w, &o->list[k], l) & num_mask(bits);
    out[at / 64] |= v << at % 64;
  }
}

static void scatter(emu_warp *w, const ptx_operand *o, unsigned l, const uint64_t v[2]) {
  if (o->kind != PTX_OPERAND_VECTOR) {
    ptx_set(w, o, l, v[0]);
    if (o->bytes == 16) ((uint64_t *)ptx_row_at(w, o->row))[2 * l + 1] = v[1];
    return;
  }
  unsigned bits = element_bits(o);
  for (unsigned k = 0; k < o->count; k++) {
    unsigned at = k * bits;
    ptx_set(w, &o->list[k], l, v[at / 64] >> at % 64 & num_mask(bits));
  }
}

emu_step ptx_op_mov(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  const ptx_operand *to = &i->op_list[0], *from = &i->op_list[1];
  if (to->kind == PTX_OPERAND_ROW && from->kind == PTX_OPERAND_ROW && to->bytes == from->bytes) {
    if (to->bytes == 4) {
      UNARY(uint32_t, uint32_t, uint32_t, a);
      return EMU_NEXT;
    }
    if (to->bytes == 8) {
      UNARY(uint64_t, uint64_t, uint64_t, a);
      return EMU_NEXT;
    }
  }
  PTX_FOR_LANES(l, lanes) {
    uint64_t v[2];
    gather(w, from, l, v);
    scatter(w, to, l, v);
  }
  return EMU_NEXT;
}

emu_step ptx_op_mov_clock(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  specials_refresh(w, &i->op_list[1]);
  return ptx_op_mov(w, i, lanes);
}

/* ---- spaces --------------------------------------------------------------------------------- */

static uint64_t window_of(ptx_space s) {
  switch (s) {
  case PTX_SHARED:
  case PTX_SHARED_CLUSTER: return EMU_WINDOW_SHARED;
  case PTX_LOCAL: return EMU_WINDOW_LOCAL;
  case PTX_PARAM: return EMU_WINDOW_PARAM;
  default: return 0;
  }
}

emu_step ptx_op_cvta(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  uint64_t window = window_of((ptx_space)i->space);
  bool to = i->flags & PTX_FLAG_TO;
  PTX_FOR_LANES(l, lanes) {
    uint64_t a = ptx_get(w, &i->op_list[1], l);
    if (window) a = to ? a & ~(UINT64_C(0xff) << 56) : a | window;
    ptx_set(w, &i->op_list[0], l, i->type[0] == PTX_U32 ? (uint32_t)a : a);
  }
  return EMU_NEXT;
}

emu_step ptx_op_isspacep(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  uint32_t bits = 0;
  PTX_FOR_LANES(l, lanes) {
    uint64_t a = ptx_get(w, &i->op_list[1], l);
    bool is = EMU_WINDOW(a) == window_of((ptx_space)i->space);
    if (i->space == PTX_CONST || i->space == PTX_GLOBAL) {
      emu_allocation *x = is ? emu_find(w->block->grid->device, a) : NULL;
      bool constant = x && x->constant && a - x->base < x->bytes;
      is = is && constant == (i->space == PTX_CONST);
    }
    if (i->space == PTX_SHARED && is) is = emu_shared_block(w->block, a) == w->block;
    bits |= (uint32_t)is << l;
  }
  ptx_set_pred(w, &i->op_list[0], lanes, bits);
  return EMU_NEXT;
}

/* The address in another block of the cluster that corresponds to one of this block's. */
emu_step ptx_op_mapa(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  PTX_FOR_LANES(l, lanes) {
    uint64_t a = ptx_get(w, &i->op_list[1], l);
    uint64_t rank = ptx_get(w, &i->op_list[2], l);
    if (rank >= w->block->cluster->n_blocks) {
      emu_fail(w, i, (int)l, EMU_FAULT_ILLEGAL, "names block %llu of a cluster of %u",
               (unsigned long long)rank, w->block->cluster->n_blocks);
      return EMU_NEXT;
    }
    uint64_t mapped = EMU_SHARED_OFFSET(a) | (rank + 1) << EMU_SHARED_RANK_SHIFT;
    ptx_set(w, &i->op_list[0], l, mapped | EMU_WINDOW(a));
  }
  return EMU_NEXT;
}

emu_step ptx_op_getctarank(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  PTX_FOR_LANES(l, lanes) {
    const emu_block *b = emu_shared_block(w->block, ptx_get(w, &i->op_list[1], l));
    ptx_set(w, &i->op_list[0], l, b ? b->rank : w->block->rank);
  }
  return EMU_NEXT;
}
