/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Scalar instructions; branches, waits, barriers, ends.
 */
#include "emu/amdgcn/scalar.h"

#include "emu/amdgcn/access.h"
#include "emu/amdgcn/wave.h"
#include "emu/barrier.h"
#include "emu/fault.h"

/* ---- values --------------------------------------------------------------------------------- */

emu_step gcn_run_scalar(emu_warp *w, const gcn_insn *i) {
  const char *s = i->row->signature;
  bool has_result = *s != '=';
  unsigned at = has_result;
  const char *sources = s + at + 1;
  gcn_wave *v = gcn_wave_of(w);
  const gcn_image *image = gcn_image_of(w->block->grid);
  gcn_scalar x = {.exec = gcn_exec(w), .pc = image->address + i->at + i->bytes, .scc = v->scc};
  uint64_t value[3] = {0};
  for (unsigned k = 0; sources[k]; k++) value[k] = gcn_uniform(w, &i->operands[at + k], sources[k]);
  if (has_result) x.old = gcn_uniform(w, &i->operands[0], *s);
  x.c = value[2];
  uint64_t exec = x.exec, r = i->row->scalar(value[0], value[1], &x);
  v->scc = x.scc;
  if (x.exec != exec) gcn_set_pair(v, GCN_EXEC, x.exec & w->existing);
  if (has_result) gcn_set_scalar(w, &i->operands[0], r, *s);
  if (!x.jumps) return EMU_NEXT;
  uint64_t offset = x.pc - image->address;
  uint32_t target =
      offset < image->object->image_bytes && offset % 4 == 0 ? image->index[offset / 4] : 0;
  if (!target) {
    emu_fail_address(w, i, -1, EMU_FAULT_CALL, x.pc, "jumps to 0x%llx, where no function is",
                     (unsigned long long)x.pc);
    return EMU_EXITED;
  }
  w->split->pc = target - 1;
  return EMU_JUMPED;
}

/* ---- the mode register ---------------------------------------------------------------------- */

static uint32_t field_of(const gcn_operand *o) {
  return (uint32_t)(((UINT64_C(1) << o->count) - 1) << o->first);
}

emu_step gcn_run_set_mode(emu_warp *w, const gcn_insn *i) {
  const gcn_operand *o = &i->operands[0];
  uint32_t value = (uint32_t)gcn_uniform(w, &i->operands[1], 'u') << o->first;
  gcn_wave *v = gcn_wave_of(w);
  v->mode = (v->mode & ~field_of(o)) | (value & field_of(o));
  return EMU_NEXT;
}

emu_step gcn_run_get_mode(emu_warp *w, const gcn_insn *i) {
  const gcn_operand *o = &i->operands[1];
  uint64_t value = (gcn_wave_of(w)->mode & field_of(o)) >> o->first;
  gcn_set_scalar(w, &i->operands[0], value, 'u');
  return EMU_NEXT;
}

/* ---- branches ------------------------------------------------------------------------------- */

static bool is_taken(const emu_warp *w, unsigned condition) {
  const gcn_wave *v = gcn_wave_of(w);
  switch (condition) {
  case GCN_SCC0: return !v->scc;
  case GCN_SCC1: return v->scc;
  case GCN_VCC_ZERO: return gcn_vcc(w) == 0;
  case GCN_VCC_ANY: return gcn_vcc(w) != 0;
  case GCN_EXEC_ZERO: return gcn_exec(w) == 0;
  case GCN_EXEC_ANY: return gcn_exec(w) != 0;
  default: return true;
  }
}

emu_step gcn_run_branch(emu_warp *w, const gcn_insn *i) {
  if (!is_taken(w, i->row->kind)) return EMU_NEXT;
  if (i->target == GCN_NOWHERE) {
    emu_fail(w, i, -1, EMU_FAULT_CALL, "branches to where no instruction is");
    return EMU_EXITED;
  }
  w->split->pc = i->target;
  return EMU_JUMPED;
}

/* ---- waits and ends ------------------------------------------------------------------------- */

emu_step gcn_run_nothing(emu_warp *w, const gcn_insn *i) {
  (void)w, (void)i;
  return EMU_NEXT;
}

emu_step gcn_run_message(emu_warp *w, const gcn_insn *i) {
  return strstr(i->text, "MSG_DEALLOC_VGPRS") ? EMU_NEXT : gcn_run_unknown(w, i);
}

emu_step gcn_run_wait(emu_warp *w, const gcn_insn *i) {
  gcn_wait_pending(w, i);
  return EMU_NEXT;
}

emu_step gcn_run_invalidate(emu_warp *w, const gcn_insn *i) {
  gcn_acquire(w, i);
  return EMU_NEXT;
}

/* A wave arrives as one, whichever of its lanes execute. */
emu_step gcn_run_barrier(emu_warp *w, const gcn_insn *i) {
  gcn_check_barrier(w, i);
  if (!emu_barrier_arrive(w, i, w->lanes, 0, 0, 0)) return EMU_EXITED;
  return emu_barrier_wait(w, w->lanes, 0);
}

/* Between them a wave may do other things; they are counted as a cluster's are, of one workgroup.
 */
emu_step gcn_run_signal(emu_warp *w, const gcn_insn *i) {
  gcn_check_barrier(w, i);
  return emu_cluster_arrive(w, i, w->lanes, false);
}

emu_step gcn_run_barrier_wait(emu_warp *w, const gcn_insn *i) {
  return emu_cluster_wait(w, i, w->lanes);
}

emu_step gcn_run_end(emu_warp *w, const gcn_insn *i) {
  emu_end_lanes(w, w->lanes, i);
  return EMU_EXITED;
}

emu_step gcn_run_trap(emu_warp *w, const gcn_insn *i) {
  unsigned number = (unsigned)gcn_uniform(w, &i->operands[0], 'K');
  if (number == 3) return EMU_NEXT; /* a breakpoint */
  emu_fail(w, i, -1, EMU_FAULT_TRAP, "gives up: trap %u", number);
  return EMU_EXITED;
}

emu_step gcn_run_unknown(emu_warp *w, const gcn_insn *i) {
  const gcn_image *image = gcn_image_of(w->block->grid);
  if (i->text)
    emu_fail(w, i, -1, EMU_FAULT_ILLEGAL,
             "is not known to the emulator, or not with these operands");
  else
    emu_fail(w, i, -1, EMU_FAULT_ILLEGAL, "is no instruction of %s", image->object->gpu->name);
  return EMU_EXITED;
}
