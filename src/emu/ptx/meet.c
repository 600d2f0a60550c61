/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Lanes of one mask that execute a shuffle, vote, match, reduction or election at different
 * instructions. PTX asks for the same instruction in words and mask only, not for the same place: a
 * compiler may have copied it to both sides of a branch.
 *
 * When the last lanes arrive, the instruction is executed once for all of them, on rows of its own
 * (PTX_BANK_MEETING) that are filled from each lane's own registers; results go back likewise.
 */
#include "emu/ptx/frame.h"
#include "emu/ptx/handlers.h"
#include "emu/ptx/undefined.h"

enum { MEETING_OPERANDS = 5, ROW_BYTES = 256 };

/* Lanes at one of the instructions. */
typedef struct party {
  emu_split *split;
  const ptx_insn *insn;
  uint32_t lanes;
} party;

typedef struct meeting {
  party parties[PTX_LANES];
  unsigned n;
  ptx_insn insn; /* executed for all */
  ptx_operand operands[MEETING_OPERANDS], results[2];
  _Alignas(64) uint8_t rows[(MEETING_OPERANDS + 2) * ROW_BYTES];
} meeting;

static bool gives_two(const ptx_insn *i) {
  return i->handler == PTX_H_shfl || i->handler == PTX_H_match || i->handler == PTX_H_elect;
}

static bool alike(const ptx_insn *a, const ptx_insn *b) {
  return a->handler == b->handler && a->op == b->op && a->type[0] == b->type[0] &&
         a->flags == b->flags && a->n_ops == b->n_ops;
}

/* An operand's value as lanes of that split have it. */
static uint64_t value_in(emu_warp *w, const emu_split *s, const ptx_operand *o, unsigned lane) {
  uint8_t *own = w->bank[PTX_BANK_FRAME];
  w->bank[PTX_BANK_FRAME] = ptx_frame_of(s)->registers;
  uint64_t v = ptx_get(w, o, lane);
  w->bank[PTX_BANK_FRAME] = own;
  return v;
}

static void add_party(meeting *m, emu_split *s, const ptx_insn *i, uint32_t lanes) {
  if (lanes) m->parties[m->n++] = (party){s, i, lanes};
}

/* Finds the lanes of `mask` that wait at other instructions. */
static uint32_t find_parties(emu_warp *w, const ptx_insn *i, unsigned mask_operand, uint32_t mask,
                             meeting *m) {
  uint32_t found = 0;
  for (uint32_t k = 0; k < w->n_splits; k++) {
    emu_split *s = &w->splits[k];
    if (s == w->split || s->waits != EMU_WAIT_LANES || !(s->lanes & mask)) continue;
    const ptx_insn *j = ptx_insn_at(s);
    uint32_t lanes = 0;
    if (!alike(i, j)) continue;
    PTX_FOR_LANES(l, s->lanes & mask)
    if ((uint32_t)value_in(w, s, &j->op_list[mask_operand], l) == mask) lanes |= 1u << l;
    add_party(m, s, j, lanes);
    found |= lanes;
  }
  return found;
}

static ptx_operand row_operand(unsigned row, uint8_t bytes) {
  return (ptx_operand){
      .kind = PTX_OPERAND_ROW, .bytes = bytes, .row = PTX_ROW(PTX_BANK_MEETING, row * ROW_BYTES)};
}

/* The instruction with operands of its own, and the values of all lanes in them. */
static void gather(emu_warp *w, const ptx_insn *i, meeting *m) {
  m->insn = *i;
  m->insn.op_list = m->operands;
  m->operands[0] = row_operand(0, i->op_list[0].bytes);
  if (gives_two(i)) {
    m->results[0] = row_operand(MEETING_OPERANDS, 4);
    m->results[1] = row_operand(MEETING_OPERANDS + 1, 0);
    m->operands[0] = (ptx_operand){.kind = PTX_OPERAND_PAIR, .count = 2, .list = m->results};
  }
  for (unsigned k = 1; k < i->n_ops; k++) {
    m->operands[k] = row_operand(k, i->op_list[k].bytes);
    for (unsigned p = 0; p < m->n; p++) PTX_FOR_LANES(l, m->parties[p].lanes)
    ptx_set(w, &m->operands[k], l,
            value_in(w, m->parties[p].split, &m->parties[p].insn->op_list[k], l));
  }
}

static void hand_out(emu_warp *w, const meeting *m) {
  for (unsigned p = 0; p < m->n; p++) {
    const party *to = &m->parties[p];
    const ptx_operand *d = &to->insn->op_list[0], *from = &m->operands[0];
    bool pair = from->kind == PTX_OPERAND_PAIR, takes_pair = d->kind == PTX_OPERAND_PAIR;
    uint8_t *own = w->bank[PTX_BANK_FRAME];
    w->bank[PTX_BANK_FRAME] = ptx_frame_of(to->split)->registers;
    PTX_FOR_LANES(l, to->lanes) {
      ptx_set(w, takes_pair ? &d->list[0] : d, l, ptx_get(w, pair ? &from->list[0] : from, l));
      if (takes_pair) ptx_set(w, &d->list[1], l, ptx_get(w, &from->list[1], l));
    }
    undefined_met(w, to->split, to->insn, to->lanes);
    w->bank[PTX_BANK_FRAME] = own;
  }
}

uint32_t ptx_meet(emu_warp *w, const ptx_insn *i, uint32_t here, unsigned mask_operand,
                  uint32_t mask) {
  meeting m;
  m.n = 0;
  if (i->n_ops > MEETING_OPERANDS) return 0;
  uint32_t elsewhere = find_parties(w, i, mask_operand, mask, &m);
  if (mask & w->lanes & ~(here | elsewhere)) return 0;
  memset(m.rows, 0, sizeof m.rows);
  add_party(&m, w->split, i, here);
  w->bank[PTX_BANK_MEETING] = m.rows;
  gather(w, i, &m);
  ptx_warp_of(w)->meeting = &m.insn;
  ptx_handlers[i->handler](w, &m.insn, here | elsewhere);
  ptx_warp_of(w)->meeting = NULL;
  hand_out(w, &m);
  w->bank[PTX_BANK_MEETING] = NULL;
  for (unsigned p = 0; p < m.n; p++) {
    emu_split *s = m.parties[p].split;
    uint32_t pc = s->pc + 1;
    emu_divide_split(w, s, m.parties[p].lanes, pc)->waits = EMU_READY;
  }
  return here;
}
