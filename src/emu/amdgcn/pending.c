/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "emu/amdgcn/pending.h"

#include <stdio.h>

#include "emu/async.h"
#include "emu/amdgcn/wave.h"

/* ---- what is told --------------------------------------------------------------------------- */

/* "s_waitcnt with vmcnt of at most 3", and of all its counters. */
static void describe_wait(const gcn_operation *o, unsigned limit, char *out, size_t size) {
  static const char *const names[][GCN_COUNTERS] = {
      [GCN_CDNA] = {"vmcnt", "lgkmcnt"},
      [GCN_RDNA3] = {"vmcnt", "lgkmcnt", "vscnt"},
      [GCN_RDNA4] = {"s_wait_loadcnt", "s_wait_dscnt", "s_wait_storecnt", "s_wait_kmcnt"}};
  bool split = o->insn->generation == GCN_RDNA4;
  size_t n = (size_t)snprintf(out, size, "before this: %s", split ? "" : "s_waitcnt with ");
  bool first = true;
  for (unsigned k = 0; k < GCN_COUNTERS && n < size; k++) {
    if (!(o->counters >> k & 1)) continue;
    n += (size_t)snprintf(out + n, size - n, "%s%s", first ? "" : " and ",
                          names[o->insn->generation][k]);
    first = false;
  }
  if (n < size) snprintf(out + n, size - n, " of at most %u", limit);
}

static void name_register(const gcn_operand *o, unsigned number, char *out, size_t size) {
  char letter = o->kind == GCN_SCALAR ? 's' : number >= GCN_ACCUMULATOR ? 'a' : 'v';
  snprintf(out, size, "%c%u", letter, number % GCN_ACCUMULATOR);
}

/* The limit of a wait for the operation: those in order that were issued later may be left. */
static unsigned limit_of(const gcn_pending *p, uint32_t index) {
  const gcn_operation *o = &p->list[index];
  unsigned later = 0;
  for (uint32_t k = index + 1; k < p->n; k++)
    if (p->list[k].counters & o->counters) {
      if (!p->list[k].ordered) return 0;
      later++;
    }
  return o->ordered ? later : 0;
}

static void tell_register(emu_warp *w, const gcn_insn *i, uint32_t index, unsigned number,
                          bool writes, emu_lanes lanes) {
  gcn_pending *p = &gcn_wave_of(w)->pending;
  const gcn_operation *o = &p->list[index];
  char name[16], message[128], hint[96];
  name_register(&o->result, number, name, sizeof name);
  snprintf(message, sizeof message, "%s %s while a load may not have written it yet",
           writes ? "overwrites" : "reads", name);
  describe_wait(o, limit_of(p, index), hint, sizeof hint);
  async_tell_misuse(
      w, &(async_misuse){.insn = i,
                         .lane = o->result.kind == GCN_VECTOR ? (int)emu_first_lane(lanes) : -1,
                         .message = message,
                         .hint = hint,
                         .does = writes ? "overwrites it" : "reads it",
                         .other = o->insn,
                         .other_does = "loads it"});
}

/* ---- registers ------------------------------------------------------------------------------ */

static bool overlap(const gcn_operand *a, const gcn_operand *b, unsigned *number) {
  if (a->kind != b->kind || a->first >= b->first + b->count || b->first >= a->first + a->count)
    return false;
  *number = MAX(a->first, b->first);
  return true;
}

static bool is_result(const gcn_insn *i, unsigned operand) {
  const char *s = i->row->signature, *end = strchr(s, '=');
  return end && operand < (unsigned)(end - s) - (*s == '+') && *s != '+';
}

/* Operations in order may write the same register one after the other. */
static bool writes_in_order(const gcn_insn *i, unsigned operand, const gcn_operation *o) {
  return is_result(i, operand) && o->ordered && i->row->run == o->insn->row->run;
}

/* `i` is `told` in messages. */
static void check_operand(emu_warp *w, const gcn_insn *told, const gcn_insn *i, unsigned operand) {
  gcn_pending *p = &gcn_wave_of(w)->pending;
  const gcn_operand *x = &i->operands[operand];
  emu_lanes exec = gcn_exec(w);
  for (uint32_t k = 0; k < p->n; k++) {
    gcn_operation *o = &p->list[k];
    unsigned number;
    emu_lanes lanes = x->kind == GCN_VECTOR ? o->lanes & exec : 1;
    if (!lanes || !overlap(x, &o->result, &number) || writes_in_order(i, operand, o)) continue;
    tell_register(w, told, k, number, is_result(i, operand), lanes);
    o->result.kind = GCN_NO_OPERAND; /* what follows from it is not told again */
  }
}

static void check_operands(emu_warp *w, const gcn_insn *told, const gcn_insn *i) {
  for (unsigned k = i->n_operands; k-- > 0;) /* sources before results */
    if (i->operands[k].kind == GCN_VECTOR || i->operands[k].kind == GCN_SCALAR)
      check_operand(w, told, i, k);
}

void gcn_check_pending(emu_warp *w, const gcn_insn *i) {
  if (!gcn_wave_of(w)->pending.n || !i->row) return;
  for (unsigned k = 0; i->pair && k < 2; k++) check_operands(w, i, &i->pair[k]);
  check_operands(w, i, i);
}

/* ---- operations ----------------------------------------------------------------------------- */

static void drop_ended(gcn_pending *p) {
  uint32_t n = 0;
  for (uint32_t k = 0; k < p->n; k++)
    if (p->list[k].counters) p->list[n++] = p->list[k];
  p->n = n;
}

static void wait_for(gcn_pending *p, unsigned counter, unsigned left) {
  uint32_t ordered = 0;
  for (uint32_t k = 0; k < p->n; k++)
    ordered += p->list[k].ordered && (p->list[k].counters & counter);
  for (uint32_t k = 0; k < p->n; k++) {
    gcn_operation *o = &p->list[k];
    if (!(o->counters & counter)) continue;
    bool ends = o->ordered ? ordered > left : left == 0;
    ordered -= o->ordered;
    if (ends) o->counters &= (uint8_t)~counter;
  }
  drop_ended(p);
}

void gcn_wait_pending(emu_warp *w, const gcn_insn *i) {
  gcn_pending *p = &gcn_wave_of(w)->pending;
  for (unsigned k = 0; k < GCN_COUNTERS; k++)
    if (i->limit[k] != GCN_NO_LIMIT) wait_for(p, 1u << k, i->limit[k]);
}

bool gcn_none_pending(const emu_warp *w) {
  const gcn_pending *p = &gcn_wave_of(w)->pending;
  for (uint32_t k = 0; k < p->n; k++)
    if (p->list[k].counters & (1u << GCN_COUNT_VECTOR | 1u << GCN_COUNT_STORE)) return false;
  return true;
}

void gcn_add_pending(emu_warp *w, const gcn_operation *o) {
  if (!async_watch(w)) return;
  gcn_pending *p = &gcn_wave_of(w)->pending;
  if (p->n == GCN_PENDING) { /* the processor waits when its counters are full */
    memmove(p->list, p->list + 1, (GCN_PENDING - 1) * sizeof *p->list);
    p->n--;
  }
  p->list[p->n++] = *o;
}

static bool touches(const emu_access *a, const gcn_operation *o) {
  EMU_FOR_LANES(l, a->lanes)
  if (a->address[l] < o->to && a->address[l] + a->bytes > o->from) return true;
  return false;
}

void gcn_check_loaded(emu_warp *w, const gcn_insn *i, const emu_access *a) {
  const gcn_pending *p = &gcn_wave_of(w)->pending;
  for (uint32_t k = 0; k < p->n; k++) {
    const gcn_operation *o = &p->list[k];
    if (!o->to || i->flags & GCN_TO_LDS || !touches(a, o)) continue;
    char hint[96];
    describe_wait(o, limit_of(p, k), hint, sizeof hint);
    async_tell_misuse(
        w,
        &(async_misuse){.insn = i,
                        .lane = -1,
                        .message = "accesses bytes of the LDS that a load may not have written yet",
                        .hint = hint,
                        .does = "accesses the LDS",
                        .other = o->insn,
                        .other_does = "loads to the LDS"});
    return;
  }
}

void gcn_check_barrier(emu_warp *w, const gcn_insn *i) {
  const gcn_pending *p = &gcn_wave_of(w)->pending;
  for (uint32_t k = 0; k < p->n; k++) {
    const gcn_operation *o = &p->list[k];
    unsigned counter = o->to ? GCN_COUNT_VECTOR : GCN_COUNT_LDS;
    if (!o->lds || !(o->counters & 1u << counter)) continue;
    char hint[96];
    gcn_operation of_lds = *o;
    of_lds.counters = (uint8_t)(1u << counter);
    describe_wait(&of_lds, limit_of(p, k), hint, sizeof hint);
    async_tell_misuse(
        w, &(async_misuse){
               .insn = i,
               .lane = -1,
               .message = "arrives at a barrier while an access to the LDS may not have happened",
               .hint = hint,
               .does = "lets other waves go on",
               .other = o->insn,
               .other_does = "accesses the LDS"});
    return;
  }
}
