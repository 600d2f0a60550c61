/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What lanes of a warp do together: shuffles, votes, matches, reductions.
 * Source: PTX ISA, "Data Movement …: shfl.sync", "Parallel Synchronization …: vote.sync,
 * match.sync, redux.sync, elect.sync, activemask".
 */
#include "emu/ptx/floats.h"
#include "emu/ptx/lanes.h"
#include "emu/ptx/undefined.h"

/* The lanes of a lane's own mask that are here. */
static uint32_t group_of(const emu_warp *w, const ptx_operand *mask, unsigned l, uint32_t lanes) {
  return (uint32_t)ptx_get(w, mask, l) & lanes;
}

/* The lane that a shuffle reads from; *valid: whether it lies within the segment. */
static unsigned source_lane(unsigned op, unsigned l, uint32_t b, uint32_t c, bool *valid) {
  uint32_t segment = c >> 8 & 31, clamp = c & 31;
  uint32_t max = (l & segment) | (clamp & ~segment), min = l & segment;
  int32_t j;
  b &= 31;
  switch (op) {
  case PTX_OP_UP:
    j = (int32_t)l - (int32_t)b;
    *valid = j >= (int32_t)max;
    break;
  case PTX_OP_DOWN:
    j = (int32_t)(l + b);
    *valid = j <= (int32_t)max;
    break;
  case PTX_OP_BFLY:
    j = (int32_t)(l ^ b);
    *valid = j <= (int32_t)max;
    break;
  default: j = (int32_t)(min | (b & ~segment)); *valid = j <= (int32_t)max;
  }
  return *valid ? (unsigned)j & 31 : l;
}

emu_step ptx_op_shfl(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  const ptx_operand *mask = &i->op_list[4];
  lanes = ptx_sync_lanes(w, i, lanes, mask, 0);
  if (!lanes) return emu_none_left(w);
  const ptx_operand *d = &i->op_list[0];
  const ptx_operand *value = d->kind == PTX_OPERAND_PAIR ? &d->list[0] : d;
  uint32_t result[PTX_LANES], in_range = 0, absent = 0;
  uint8_t read[PTX_LANES];
  PTX_FOR_LANES(l, lanes) {
    bool valid;
    unsigned from = source_lane(i->op, l, (uint32_t)ptx_get(w, &i->op_list[2], l),
                                (uint32_t)ptx_get(w, &i->op_list[3], l), &valid);
    if (!(group_of(w, mask, l, lanes) >> from & 1)) {
      absent |= 1u << l;
      from = l; /* undefined: its own */
    }
    read[l] = (uint8_t)from;
    result[l] = (uint32_t)ptx_get(w, &i->op_list[1], from);
    in_range |= (uint32_t)valid << l;
  }
  undefined_shuffled(w, i, lanes, read, absent);
  PTX_FOR_LANES(l, lanes) ptx_set(w, value, l, result[l]);
  if (d->kind == PTX_OPERAND_PAIR) ptx_set_pred(w, &d->list[1], lanes, in_range);
  return EMU_NEXT;
}

emu_step ptx_op_vote(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  const ptx_operand *mask = &i->op_list[2];
  lanes = ptx_sync_lanes(w, i, lanes, mask, 0);
  if (!lanes) return emu_none_left(w);
  uint32_t p = ptx_get_pred(w, &i->op_list[1]), bits = 0;
  uint32_t ballot[PTX_LANES];
  PTX_FOR_LANES(l, lanes) {
    uint32_t group = group_of(w, mask, l, lanes), yes = p & group;
    ballot[l] = yes;
    bool result = i->op == PTX_OP_ALL   ? yes == group
                  : i->op == PTX_OP_ANY ? yes != 0
                                        : yes == group || yes == 0;
    bits |= (uint32_t)result << l;
  }
  if (i->op != PTX_OP_BALLOT)
    ptx_set_pred(w, &i->op_list[0], lanes, bits);
  else
    PTX_FOR_LANES(l, lanes) ptx_set(w, &i->op_list[0], l, ballot[l]);
  return EMU_NEXT;
}

emu_step ptx_op_match(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  const ptx_operand *mask = &i->op_list[2], *a = &i->op_list[1], *d = &i->op_list[0];
  lanes = ptx_sync_lanes(w, i, lanes, mask, 0);
  if (!lanes) return emu_none_left(w);
  uint32_t result[PTX_LANES], all = 0;
  PTX_FOR_LANES(l, lanes) {
    uint32_t group = group_of(w, mask, l, lanes), same = 0;
    PTX_FOR_LANES(k, group) same |= (uint32_t)(ptx_get(w, a, k) == ptx_get(w, a, l)) << k;
    bool whole = same == group;
    all |= (uint32_t)whole << l;
    result[l] = i->op == PTX_OP_ALL ? (whole ? group : 0) : same;
  }
  const ptx_operand *value = d->kind == PTX_OPERAND_PAIR ? &d->list[0] : d;
  PTX_FOR_LANES(l, lanes) ptx_set(w, value, l, result[l]);
  if (d->kind == PTX_OPERAND_PAIR) ptx_set_pred(w, &d->list[1], lanes, all);
  return EMU_NEXT;
}

static uint32_t reduce_one(const ptx_insn *i, uint32_t a, uint32_t b) {
  const num_format *f = float_format(PTX_F32);
  bool max = i->op == PTX_OP_MAX;
  switch (i->op) {
  case PTX_OP_ADD: return a + b;
  case PTX_OP_AND: return a & b;
  case PTX_OP_OR: return a | b;
  case PTX_OP_XOR: return a ^ b;
  default: break;
  }
  if (i->type[0] == PTX_S32) return ((int32_t)a < (int32_t)b) != max ? a : b;
  if (i->type[0] == PTX_U32) return (a < b) != max ? a : b;
  bool nan = i->flags & PTX_FLAG_NAN;
  uint64_t r = max ? num_max(f, a, b, nan, false) : num_min(f, a, b, nan, false);
  return num_is_nan(f, r) ? 0x7fffffff : (uint32_t)r;
}

emu_step ptx_op_redux(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  const ptx_operand *mask = &i->op_list[2];
  lanes = ptx_sync_lanes(w, i, lanes, mask, 0);
  if (!lanes) return emu_none_left(w);
  uint32_t keep = i->flags & PTX_FLAG_ABS ? 0x7fffffff : UINT32_MAX, result[PTX_LANES];
  PTX_FOR_LANES(l, lanes) {
    uint32_t group = group_of(w, mask, l, lanes);
    unsigned first = (unsigned)__builtin_ctz(group);
    uint32_t r = (uint32_t)ptx_get(w, &i->op_list[1], first) & keep;
    PTX_FOR_LANES(k, group & (group - 1))
    r = reduce_one(i, r, (uint32_t)ptx_get(w, &i->op_list[1], k) & keep);
    result[l] = r;
  }
  PTX_FOR_LANES(l, lanes) ptx_set(w, &i->op_list[0], l, result[l]);
  return EMU_NEXT;
}

/* The first lane of the mask is elected. */
emu_step ptx_op_elect(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  const ptx_operand *mask = &i->op_list[1], *d = &i->op_list[0];
  lanes = ptx_sync_lanes(w, i, lanes, mask, 0);
  if (!lanes) return emu_none_left(w);
  const ptx_operand *value = d->kind == PTX_OPERAND_PAIR ? &d->list[0] : d;
  uint32_t elected = 0;
  PTX_FOR_LANES(l, lanes) {
    unsigned leader = (unsigned)__builtin_ctz(group_of(w, mask, l, lanes));
    ptx_set(w, value, l, leader);
    elected |= (uint32_t)(leader == l) << l;
  }
  if (d->kind == PTX_OPERAND_PAIR) ptx_set_pred(w, &d->list[1], lanes, elected);
  return EMU_NEXT;
}

emu_step ptx_op_activemask(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  PTX_FOR_LANES(l, lanes) ptx_set(w, &i->op_list[0], l, lanes);
  return EMU_NEXT;
}
