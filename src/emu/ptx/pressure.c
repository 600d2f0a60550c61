/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Live registers: from the end of each basic block to its beginning, again and again until nothing
 * changes.
 */
#include "emu/ptx/pressure.h"

#include "emu/ptx/handler_ids.h"
#include "emu/ptx/isa.h"

typedef struct basic_block {
  uint32_t begin, end; /* instructions */
  uint64_t *in;        /* registers that are in use at the beginning */
} basic_block;

typedef struct pressure {
  const ptx_function *f;
  arena *arena;
  uint32_t *number;  /* of a register by the place of its row in words, from 1 on; 0: none yet */
  uint8_t *size;     /* by number: in registers of 32 bits */
  uint32_t n, words; /* registers; words of a set of them */
  basic_block *blocks;
  uint32_t *block_of; /* by instruction */
  uint32_t n_blocks;
  uint64_t *live;
} pressure;

/* ---- registers ------------------------------------------------------------------------------ */

typedef void (*see_register)(pressure *p, ptx_row row, unsigned bits);

static void see_row(pressure *p, ptx_row row, unsigned type, see_register see) {
  if (PTX_ROW_BANK(row) == PTX_BANK_FRAME) see(p, row, ptx_types[type].bits);
}

/* All registers of an operand. */
static void see_operand(pressure *p, const ptx_operand *o, see_register see) {
  switch (o->kind) {
  case PTX_OPERAND_ROW: see_row(p, o->row, o->type, see); break;
  case PTX_OPERAND_ADDRESS: see_row(p, o->row, o->type ? o->type : PTX_B64, see); break;
  case PTX_OPERAND_TENSOR: see_row(p, o->row, PTX_B64, see); /* fallthrough */
  case PTX_OPERAND_VECTOR:
  case PTX_OPERAND_PAIR:
  case PTX_OPERAND_ARGUMENTS:
    for (unsigned k = 0; k < o->count; k++) see_operand(p, &o->list[k], see);
    break;
  default: break;
  }
}

/* What an instruction reads, its guard among it. Products of groups of warps add to what is in
 * their result. */
static void see_read(pressure *p, const ptx_insn *i, see_register see) {
  if (i->guarded) see_row(p, i->guard, PTX_PRED, see);
  for (unsigned k = 0; k < i->n_ops; k++)
    if (!ptx_writes(i, k) || i->handler == PTX_H_wgmma) see_operand(p, &i->op_list[k], see);
}

static void see_written(pressure *p, const ptx_insn *i, see_register see) {
  for (unsigned k = 0; k < i->n_ops; k++)
    if (ptx_writes(i, k)) see_operand(p, &i->op_list[k], see);
}

static void add_number(pressure *p, ptx_row row, unsigned bits) {
  uint32_t *number = &p->number[PTX_ROW_OFFSET(row) / 4];
  if (!*number) *number = ++p->n;
  p->size[*number] = (uint8_t)(bits <= 1 ? 0 : (bits + 31) / 32);
}

static uint32_t number_of(const pressure *p, ptx_row row) {
  return p->number[PTX_ROW_OFFSET(row) / 4];
}

static void number_registers(pressure *p) {
  uint32_t places = p->f->register_bytes / 4 + 1;
  p->number = arena_alloc_zero(p->arena, places * sizeof *p->number, 4);
  p->size = arena_alloc_zero(p->arena, places + 1, 1);
  for (uint32_t i = 0; i < p->f->n_insns; i++) {
    see_read(p, &p->f->insns[i], add_number);
    see_written(p, &p->f->insns[i], add_number);
  }
  p->words = p->n / 64 + 1;
}

/* ---- blocks --------------------------------------------------------------------------------- */

static void find_blocks(pressure *p) {
  const ptx_function *f = p->f;
  p->block_of = arena_array(p->arena, uint32_t, f->n_insns + 1);
  for (uint32_t i = 0; i < f->n_insns; i++) {
    p->n_blocks += i == 0 || f->insns[i].leader;
    p->block_of[i] = p->n_blocks - 1;
  }
  p->blocks = arena_alloc_zero(p->arena, (p->n_blocks + 1) * sizeof *p->blocks, 8);
  for (uint32_t i = f->n_insns; i-- > 0;) {
    basic_block *b = &p->blocks[p->block_of[i]];
    b->begin = i;
    if (!b->end) b->end = i + 1;
  }
}

static void add(uint64_t *set, uint32_t n) {
  set[n / 64] |= UINT64_C(1) << n % 64;
}
static void take(uint64_t *set, uint32_t n) {
  set[n / 64] &= ~(UINT64_C(1) << n % 64);
}

static void begin_use(pressure *p, ptx_row row, unsigned bits) {
  (void)bits;
  add(p->live, number_of(p, row));
}
static void end_use(pressure *p, ptx_row row, unsigned bits) {
  (void)bits;
  take(p->live, number_of(p, row));
}

/* From what is in use behind an instruction to what is in use before it. Where it has a guard, what
 * was there before stays for the others. */
static void step_back(pressure *p, const ptx_insn *i) {
  if (!i->guarded) see_written(p, i, end_use);
  see_read(p, i, begin_use);
}

/* What is in use behind a block's last instruction. */
static void join(pressure *p, uint64_t *out, uint32_t target) {
  if (target >= p->f->n_insns) return;
  const basic_block *to = &p->blocks[p->block_of[target]];
  for (uint32_t k = 0; k < p->words; k++) out[k] |= to->in[k];
}

static bool goes_on(const ptx_insn *last) {
  bool leaves = last->handler == PTX_H_bra || last->handler == PTX_H_brx ||
                last->handler == PTX_H_ret || last->handler == PTX_H_exit ||
                last->handler == PTX_H_trap;
  return !leaves || last->guarded;
}

static void join_all(pressure *p, const basic_block *b, uint64_t *out) {
  const ptx_insn *last = &p->f->insns[b->end - 1];
  memset(out, 0, p->words * sizeof *out);
  if (goes_on(last)) join(p, out, b->end);
  for (unsigned k = 0; k < last->n_ops; k++) {
    const ptx_operand *o = &last->op_list[k];
    if (o->kind == PTX_OPERAND_LABEL) join(p, out, o->target);
    for (unsigned t = 0; o->kind == PTX_OPERAND_TARGETS && t < o->count; t++)
      join(p, out, o->list[t].target);
  }
}

/* One pass over all blocks; false when nothing changed. */
static bool improve(pressure *p) {
  bool changed = false;
  for (uint32_t k = p->n_blocks; k-- > 0;) {
    basic_block *b = &p->blocks[k];
    join_all(p, b, p->live);
    for (uint32_t i = b->end; i-- > b->begin;) step_back(p, &p->f->insns[i]);
    changed |= memcmp(b->in, p->live, p->words * sizeof *p->live) != 0;
    memcpy(b->in, p->live, p->words * sizeof *p->live);
  }
  return changed;
}

/* ---- the answer ----------------------------------------------------------------------------- */

static unsigned in_use(const pressure *p) {
  unsigned sum = 0;
  for (uint32_t w = 0; w < p->words; w++)
    for (uint64_t rest = p->live[w]; rest; rest &= rest - 1)
      sum += p->size[64 * w + (unsigned)__builtin_ctzll(rest)];
  return sum;
}

static unsigned most_in_block(pressure *p, const basic_block *b) {
  unsigned most = 0;
  join_all(p, b, p->live);
  most = in_use(p);
  for (uint32_t i = b->end; i-- > b->begin;) {
    step_back(p, &p->f->insns[i]);
    most = MAX(most, in_use(p));
  }
  return most;
}

unsigned ptx_pressure(const ptx_function *f, arena *temp) {
  pressure p = {.f = f, .arena = temp};
  unsigned most = 0;
  number_registers(&p);
  find_blocks(&p);
  p.live = arena_alloc_zero(temp, p.words * sizeof *p.live, 8);
  for (uint32_t k = 0; k < p.n_blocks; k++)
    p.blocks[k].in = arena_alloc_zero(temp, p.words * sizeof *p.live, 8);
  while (improve(&p)) {
  }
  for (uint32_t k = 0; k < p.n_blocks; k++) most = MAX(most, most_in_block(&p, &p.blocks[k]));
  return most;
}

/* ---- setmaxnreg ----------------------------------------------------------------------------- */

static uint64_t constant_at(const ptx_module *m, ptx_row row) {
  for (uint32_t k = 0; k < m->n_constants; k++)
    if (m->constants[k].offset == PTX_ROW_OFFSET(row)) return m->constants[k].value;
  return 0;
}

unsigned ptx_most_asked(const ptx_module *m, const ptx_function *f) {
  uint64_t most = 0;
  for (uint32_t i = 0; i < f->n_insns; i++)
    if (f->insns[i].handler == PTX_H_setmaxnreg)
      most = MAX(most, constant_at(m, f->insns[i].op_list[0].row));
  return (unsigned)most;
}
