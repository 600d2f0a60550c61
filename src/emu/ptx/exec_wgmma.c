/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Handlers of wgmma. Each warp of a warp group executes its own share (wgmma.h); nothing makes the
 * four wait for each other but what the program says.
 *
 * The accumulators, and A when it lies in registers, belong to the operation from its issue to the
 * wait. While a warp has operations under way their registers are kept in a list, against which
 * watchers hold what other instructions read and write.
 */
#include <stdlib.h>

#include "emu/ptx/frame.h"
#include "emu/ptx/pending.h"
#include "emu/ptx/exec_matrix.h"
#include "emu/ptx/wgmma.h"

typedef struct product {
  async_op op;
  wgmma_form form;
  uint8_t *registers; /* of the frame: rows are offsets into it */
  bool scale_d;
  unsigned selector;
  uint32_t meta[PTX_LANES];
  mma_register a[WGMMA_A_REGISTERS];
  const uint8_t *shared;
  unsigned n_a, n_b;
  uint32_t a_at[WGMMA_MAX_UNITS], b_at[WGMMA_MAX_UNITS];
} product;

/* ---- registers under way -------------------------------------------------------------------- */

typedef struct in_use {
  ptx_row row;
  const ptx_insn *insn;
  uint32_t time;
  bool accumulator;
} in_use;

enum { MAX_IN_USE = 1024 };

typedef struct registers {
  in_use use[MAX_IN_USE];
  unsigned n;
  bool overflow;
  ptx_row last[WGMMA_MAX_REGISTERS]; /* the accumulators of the last wgmma */
  unsigned n_last;
  bool fenced;          /* wgmma.fence since these were written by something else */
  const uint8_t *frame; /* whose registers what follows is about */
  uint32_t fences;
  uint32_t *written; /* by the row's number: how many fences were before its last write */
  uint32_t n_written;
} registers;

static registers *registers_of(emu_warp *w, const ptx_insn *i) {
  async_warp *s = async_of_warp(w, i);
  if (!s) return NULL;
  if (!s->registers) s->registers = calloc(1, sizeof(registers));
  if (!s->registers) emu_fail(w, i, -1, EMU_FAULT_MEMORY, "there is no memory for wgmma");
  return s->registers;
}

static bool has_registers_in_use(const emu_warp *w) {
  const async_warp *s = w->async;
  return s && s->registers;
}

static const ptx_insn *register_in_use(const emu_warp *w, ptx_row row, bool writes) {
  const async_warp *s = w->async;
  const registers *r = s ? s->registers : NULL;
  for (unsigned k = 0; r && k < r->n; k++)
    if (r->use[k].row == row && (r->use[k].accumulator || writes)) return r->use[k].insn;
  return NULL;
}

/* Rows of predicates are no longer than a word. */
static uint32_t number_of(ptx_row row) {
  return PTX_ROW_OFFSET(row) / sizeof(uint32_t);
}

static bool make_room(registers *r, uint32_t n) {
  if (n <= r->n_written) return true;
  n += n / 2;
  uint32_t *written = realloc(r->written, n * sizeof *written);
  if (!written) return false;
  memset(written + r->n_written, 0, (n - r->n_written) * sizeof *written);
  r->written = written;
  r->n_written = n;
  return true;
}

/* A call has registers of its own: what is known of the caller's is forgotten. */
static void enter_frame(registers *r, const uint8_t *frame) {
  if (r->frame == frame) return;
  if (r->written) memset(r->written, 0, r->n_written * sizeof *r->written);
  r->frame = frame;
}

static void register_written(emu_warp *w, ptx_row row) {
  async_warp *s = w->async;
  registers *r = s ? s->registers : NULL;
  for (unsigned k = 0; r && r->fenced && k < r->n_last; k++)
    if (r->last[k] == row) r->fenced = false;
  if (!r || !make_room(r, number_of(row) + 1)) return;
  enter_frame(r, w->bank[PTX_BANK_FRAME]);
  r->written[number_of(row)] = r->fences;
}

/* Whether one of the registers was written behind the last fence. (The first fence is number 1.)
 * Accumulators are not asked: compilers put copies of what an instruction reads and writes in front
 * of it, which become one register. */
static bool is_any_unfenced(const emu_warp *w, const registers *r, const ptx_operand *o) {
  if (r->frame != w->bank[PTX_BANK_FRAME]) return false;
  for (unsigned k = 0; k < o->count; k++) {
    ptx_row row = o->list[k].row;
    bool known = o->list[k].kind == PTX_OPERAND_ROW && PTX_ROW_BANK(row) == PTX_BANK_FRAME &&
                 number_of(row) < r->n_written && r->written[number_of(row)];
    if (known && r->written[number_of(row)] == r->fences) return true;
  }
  return false;
}

static void check_register(emu_warp *w, const ptx_insn *i, const ptx_operand *o, bool writes) {
  if (o->kind == PTX_OPERAND_VECTOR || o->kind == PTX_OPERAND_PAIR ||
      o->kind == PTX_OPERAND_ARGUMENTS) {
    for (unsigned k = 0; k < o->count; k++) check_register(w, i, &o->list[k], writes);
    return;
  }
  if (o->kind != PTX_OPERAND_ROW && o->kind != PTX_OPERAND_ADDRESS) return;
  if (PTX_ROW_BANK(o->row) != PTX_BANK_FRAME) return;
  const ptx_insn *user = register_in_use(w, o->row, writes);
  if (writes) register_written(w, o->row);
  if (!user) return;
  async_tell_misuse(
      w,
      &(async_misuse){.insn = i,
                      .lane = -1,
                      .message = writes ? "writes to a register of a wgmma that was not waited for"
                                        : "reads a register of a wgmma that was not waited for",
                      .hint = "wgmma.commit_group and wgmma.wait_group before this instruction",
                      .does = writes ? "writes" : "reads",
                      .other = user,
                      .other_does = "multiplies"});
}

void async_forget_registers(async_warp *a) {
  registers *r = a->registers;
  if (r) free(r->written);
  free(r);
  a->registers = NULL;
}

void async_check_registers(emu_warp *w, const ptx_insn *i) {
  if (!has_registers_in_use(w)) return;
  const char *signature = ptx_forms[i->form].operands;
  for (unsigned k = 0; k < i->n_ops; k++) {
    while (*signature == ' ') signature++;
    bool writes = *signature == '=';
    bool own = i->handler == PTX_H_wgmma && k < 2; /* checked when it is issued */
    if (!own) check_register(w, i, &i->op_list[k], writes);
    while (*signature && *signature != ' ') signature++;
  }
}

static void use_registers(registers *r, const ptx_insn *i, const ptx_operand *o, uint32_t time,
                          bool accumulator) {
  for (unsigned k = 0; k < o->count; k++) {
    if (o->list[k].kind != PTX_OPERAND_ROW || PTX_ROW_BANK(o->list[k].row) != PTX_BANK_FRAME)
      continue;
    if (r->n == MAX_IN_USE) {
      r->overflow = true;
      return;
    }
    r->use[r->n++] = (in_use){o->list[k].row, i, time, accumulator};
  }
}

static void release_registers(registers *r, uint32_t time) {
  unsigned n = 0;
  for (unsigned k = 0; k < r->n; k++)
    if (r->use[k].time > time) r->use[n++] = r->use[k];
  r->n = n;
}

/* ---- the operation -------------------------------------------------------------------------- */

static void fetch(const uint8_t *shared, const uint32_t *at, unsigned n, wgmma_unit *out) {
  for (unsigned k = 0; k < n; k++) memcpy(out[k], shared + at[k], sizeof out[k]);
}

/* Whether the frame that the registers belong to is still that of a call under way: a function that
 * returns without waiting takes its accumulators with it. */
static bool has_frame(const emu_warp *w, const uint8_t *frame_registers) {
  for (uint32_t k = 0; k < w->n_splits; k++)
    for (const ptx_frame *f = w->splits[k].frame; f; f = f->parent)
      if (f->registers == frame_registers) return true;
  return false;
}

static void run_product(async_op *op) {
  product *p = (product *)op;
  if (!has_frame(op->warp, p->registers)) return;
  const ptx_operand *d = &((const ptx_insn *)op->insn)->op_list[0];
  unsigned count = wgmma_registers(&p->form);
  mma_register acc[WGMMA_MAX_REGISTERS];
  wgmma_unit a[WGMMA_MAX_UNITS], b[WGMMA_MAX_UNITS];
  fetch(p->shared, p->a_at, p->n_a, a);
  fetch(p->shared, p->b_at, p->n_b, b);
  for (unsigned r = 0; r < count; r++) {
    const uint32_t *row = (const uint32_t *)(p->registers + PTX_ROW_OFFSET(d->list[r].row));
    for (unsigned l = 0; l < PTX_LANES; l++) acc[r][l] = row[l];
  }
  wgmma_execute(&p->form, p->a, a, (const wgmma_unit *)b, p->scale_d, p->meta, p->selector, acc);
  for (unsigned r = 0; r < count; r++) {
    uint32_t *row = (uint32_t *)(p->registers + PTX_ROW_OFFSET(d->list[r].row));
    for (unsigned l = 0; l < PTX_LANES; l++) row[l] = (uint32_t)acc[r][l];
  }
}

/* ---- issuing -------------------------------------------------------------------------------- */

static bool is_minus(const emu_warp *w, const ptx_operand *o) {
  return (int64_t)ptx_get(w, o, 0) < 0;
}

/* Constants behind the scale of D: scales of A and B, then which operands are transposed. */
static void read_constants(const emu_warp *w, const ptx_insn *i, unsigned first, wgmma_form *f) {
  const ptx_operand *o = i->op_list;
  if (first + 2 > i->n_ops) return;
  f->negate_a = is_minus(w, &o[first]);
  f->negate_b = is_minus(w, &o[first + 1]);
  unsigned next = first + 2;
  if (next + 1 < i->n_ops) f->a_mn_major = ptx_get(w, &o[next++], 0) != 0;
  if (next < i->n_ops) f->b_mn_major = ptx_get(w, &o[next], 0) != 0;
}

static wgmma_form form_of(const emu_warp *w, const ptx_insn *i) {
  wgmma_form f = {.d = matrix_type(i->type[0]),
                  .a = matrix_type(i->type[1]),
                  .b = matrix_type(i->type[2]),
                  .n = (uint16_t)PTX_SHAPE_N(i->shape),
                  .k = (uint16_t)PTX_SHAPE_K(i->shape),
                  .op = ptx_has(i, PTX_M_POPC) ? MMA_AND_POPC : MMA_MULTIPLY,
                  .sparse = ptx_has(i, PTX_M_SP),
                  .satfinite = i->flags & PTX_FLAG_SATFINITE,
                  .a_in_registers = i->op_list[1].kind == PTX_OPERAND_VECTOR};
  read_constants(w, i, f.sparse ? 6 : 4, &f);
  return f;
}

/* An operand's units, all of which must lie in the block's shared memory. */
static bool find_units(emu_warp *w, const ptx_insn *i, const wgmma_form *f, mma_operand o,
                       uint64_t descriptor, uint32_t *at, unsigned *count) {
  wgmma_descriptor d;
  const char *name = o == MMA_A ? "A" : "B", *problem = wgmma_read_descriptor(descriptor, &d);
  if (problem) {
    emu_fail(w, i, -1, EMU_FAULT_ILLEGAL, "the descriptor of %s, 0x%llx: %s", name,
             (unsigned long long)descriptor, problem);
    return false;
  }
  *count = wgmma_units(f, o, &d, w->index % 4, at);
  for (unsigned k = 0; k < *count; k++) {
    if (at[k] + 16 <= w->block->shared_bytes) continue;
    emu_fail_address(
        w, i, -1, EMU_FAULT_BOUNDS, at[k],
        "the descriptor of %s, 0x%llx (start 0x%x, LBO %u, SBO %u, swizzle %u), reaches "
        "0x%x, outside of the block's %u bytes of shared memory",
        name, (unsigned long long)descriptor, d.start, d.leading, d.stride, d.swizzle, at[k],
        w->block->shared_bytes);
    return false;
  }
  return true;
}

static void tell_units(emu_warp *w, const ptx_insn *i, const uint32_t *at, unsigned n,
                       uint32_t time, bool repeated) {
  async_access a = {.insn = i,
                    .agent = ASYNC_PRODUCT,
                    .owner = async_thread(w, 0),
                    .time = time,
                    .proxy = true,
                    .space = PTX_SHARED,
                    .lines = (16 * n + 127) / 128,
                    .repeated = repeated};
  for (unsigned k = 0; k < n;) { /* units that follow each other are one access */
    unsigned run = 1;
    while (k + run < n && at[k + run] == at[k] + 16 * run) run++;
    a.address = emu_shared_address(w->block, at[k]);
    a.bytes = 16 * run;
    async_tell_access(w, &a);
    a.lines = 0;
    k += run;
  }
}

/* What the registers of an operation must be: fenced, and unlike what is under way unless they are
 * the same accumulators. */
static void check_registers(emu_warp *w, const ptx_insn *i, registers *r, bool in_registers) {
  const ptx_operand *a = &i->op_list[1];
  if (!r->fenced || (in_registers && is_any_unfenced(w, r, a)))
    async_tell_misuse(w, &(async_misuse){.insn = i,
                                         .lane = -1,
                                         .fence = true,
                                         .message = "wgmma without a wgmma.fence after its "
                                                    "accumulators or A's registers were written",
                                         .hint = "missing wgmma.fence"});
  for (unsigned k = 0; in_registers && k < a->count; k++)
    if (register_in_use(w, a->list[k].row, false))
      async_tell_misuse(w, &(async_misuse){.insn = i,
                                           .lane = -1,
                                           .message = "a register of A is an accumulator of a "
                                                      "wgmma that was not waited for",
                                           .hint = "wgmma reads a register under way"});
}

/* Everything but the registers' bookkeeping: false after a fault. */
static bool prepare(emu_warp *w, const ptx_insn *i, product *p) {
  const ptx_operand *o = i->op_list;
  p->form = form_of(w, i);
  const char *problem = wgmma_form_problem(&p->form);
  if (!problem && o[0].count != wgmma_registers(&p->form))
    problem = "the accumulator has another number of registers than this shape and type takes";
  if (!problem && w->existing != PTX_ALL_LANES) problem = "wgmma needs whole warps of 32 threads";
  for (unsigned k = 0; !problem && k < o[0].count; k++)
    if (o[0].list[k].kind != PTX_OPERAND_ROW) problem = "an accumulator must be a register";
  if (problem) {
    emu_fail(w, i, -1, EMU_FAULT_ILLEGAL, "%s", problem);
    return false;
  }
  unsigned predicate = p->form.sparse ? 5 : 3;
  p->scale_d = ptx_get(w, &o[predicate], 0) & 1;
  if (p->form.sparse) {
    for (unsigned l = 0; l < PTX_LANES; l++) p->meta[l] = (uint32_t)ptx_get(w, &o[3], l);
    p->selector = (unsigned)ptx_get(w, &o[4], 0);
  }
  p->registers = w->bank[PTX_BANK_FRAME];
  p->shared = w->block->shared;
  if (p->form.a_in_registers) {
    if (!matrix_get(w, i, &o[1], WGMMA_A_REGISTERS, p->a)) return false;
  } else if (!find_units(w, i, &p->form, MMA_A, ptx_get(w, &o[1], 0), p->a_at, &p->n_a)) {
    return false;
  }
  return find_units(w, i, &p->form, MMA_B, ptx_get(w, &o[2], 0), p->b_at, &p->n_b);
}

/* Operations with the same accumulators are executed in order (PTX ISA, "wgmma.fence"). */
static bool follows_another(const async_op *pending, const ptx_insn *i) {
  for (; pending; pending = pending->next) {
    const ptx_insn *before = pending->insn;
    if (before->op_list[0].list[0].row == i->op_list[0].list[0].row) return true;
  }
  return false;
}

emu_step ptx_op_wgmma(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  lanes = matrix_lanes(w, i, lanes);
  if (!lanes) return emu_none_left(w);
  async_warp *s = async_of_warp(w, i);
  registers *r = registers_of(w, i);
  product *p = s && r ? calloc(1, sizeof *p) : NULL;
  if (!p) {
    emu_fail(w, i, -1, EMU_FAULT_MEMORY, "there is no memory for a wgmma");
    return EMU_NEXT;
  }
  if (!prepare(w, i, p)) {
    free(p);
    return EMU_NEXT;
  }
  uint32_t time = s->products.time;
  p->op = (async_op){.run = run_product, .warp = w, .insn = i, .time = time};
  check_registers(w, i, r, p->form.a_in_registers);
  tell_units(w, i, p->a_at, p->n_a, time, false);
  tell_units(w, i, p->b_at, p->n_b, time, w->index % 4 != 0);
  use_registers(r, i, &i->op_list[0], time, true);
  if (p->form.a_in_registers) use_registers(r, i, &i->op_list[1], time, false);
  r->n_last = i->op_list[0].count;
  for (unsigned k = 0; k < r->n_last; k++) r->last[k] = i->op_list[0].list[k].row;
  if (follows_another(s->wgmma, i))
    async_defer(&s->wgmma, &p->op);
  else
    async_issue(w, &s->wgmma, &p->op);
  return EMU_NEXT;
}

emu_step ptx_op_wgmma_fence(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  registers *r = registers_of(w, i);
  (void)lanes;
  if (r) r->fenced = true, r->fences++;
  return EMU_NEXT;
}

emu_step ptx_op_wgmma_commit(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  async_warp *s = async_of_warp(w, i);
  (void)lanes;
  if (s) async_commit(&s->products);
  return EMU_NEXT;
}

emu_step ptx_op_wgmma_wait(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  async_warp *s = async_of_warp(w, i);
  registers *r = registers_of(w, i);
  const struct emu_async_watch *watch = async_watch(w);
  if (!s || !r) return EMU_NEXT;
  uint32_t time = async_wait_time(&s->products, (uint32_t)ptx_get(w, &i->op_list[0], 0));
  if (!time) return EMU_NEXT;
  async_run(&s->wgmma, PTX_ALL_LANES, time);
  release_registers(r, time);
  if (watch && watch->learn) PTX_FOR_LANES(l, lanes)
  watch->learn(w->block->grid->o.watcher->user, w, l, ASYNC_PRODUCT, async_thread(w, 0), time);
  return EMU_NEXT;
}
