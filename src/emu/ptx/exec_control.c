/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Branches, calls, returns, ends. Source: PTX ISA, "Control Flow Instructions".
 */
#include <string.h>

#include "emu/ptx/builtins.h"
#include "emu/ptx/lanes.h"
#include "emu/ptx/local.h"
#include "emu/ptx/frame.h"
#include "emu/ptx/image.h"

/* ---- branches ------------------------------------------------------------------------------- */

static void jump(emu_warp *w, uint32_t lanes, uint32_t target) {
  if (lanes == w->split->lanes) {
    w->split->pc = target;
    return;
  }
  emu_divide(w, lanes, target);
}

emu_step ptx_op_bra(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  bool all = lanes == w->split->lanes;
  jump(w, lanes, i->op_list[0].target);
  if (!all) w->split->pc++;
  return EMU_JUMPED;
}

emu_step ptx_op_brx(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  const ptx_operand *targets = &i->op_list[1];
  for (uint32_t rest = lanes; rest;) {
    unsigned first = (unsigned)__builtin_ctz(rest);
    uint32_t index = (uint32_t)ptx_get(w, &i->op_list[0], first), group = 0;
    PTX_FOR_LANES(l, rest) group |= (uint32_t)(ptx_get(w, &i->op_list[0], l) == index) << l;
    if (index >= targets->count) {
      emu_fail(w, i, (int)first, EMU_FAULT_ILLEGAL, "branches to target %u of %u", index,
               targets->count);
      return EMU_EXITED;
    }
    if (group == w->split->lanes) { /* the last group takes the split itself */
      w->split->pc = targets->list[index].target;
      return EMU_JUMPED;
    }
    emu_divide(w, group, targets->list[index].target);
    rest &= ~group;
  }
  w->split->pc++;
  return EMU_JUMPED;
}

/* ---- arguments ------------------------------------------------------------------------------ */

static uint8_t *param_at(ptx_frame *f, unsigned lane, uint64_t offset) {
  return f->call_area + (size_t)lane * f->function->call_bytes + offset;
}

static uint8_t *register_at(ptx_frame *f, ptx_row row, unsigned bytes, unsigned lane) {
  return f->registers + PTX_ROW_OFFSET(row) + (size_t)lane * bytes;
}

static unsigned row_bytes(ptx_type t) {
  unsigned bits = ptx_types[t].bits;
  return bits <= 32 ? 4 : bits <= 64 ? 8 : 16;
}

/* From what stands in the call to a formal parameter, for a lane. */
static void pass(emu_warp *w, const ptx_operand *o, ptx_frame *caller, ptx_frame *callee,
                 const ptx_param *p, unsigned lane) {
  uint64_t value[2] = {0};
  const uint8_t *from = (const uint8_t *)value;
  if (o->kind == PTX_OPERAND_PARAM) {
    from = param_at(caller, lane, (uint64_t)o->offset);
  } else if (o->kind == PTX_OPERAND_ROW) {
    value[0] = ptx_get(w, o, lane);
    if (o->bytes == 16) value[1] = ((const uint64_t *)ptx_row_at(w, o->row))[2 * lane + 1];
  }
  if (!p->is_reg) {
    memcpy(param_at(callee, lane, p->offset), from,
           o->kind == PTX_OPERAND_PARAM ? p->bytes : MIN(p->bytes, 16u));
  } else if (p->type == PTX_PRED) {
    uint32_t *bits = (uint32_t *)(void *)(callee->registers + PTX_ROW_OFFSET(p->row));
    *bits = (*bits & ~(1u << lane)) | (uint32_t)(value[0] & 1) << lane;
  } else {
    memcpy(register_at(callee, p->row, row_bytes((ptx_type)p->type), lane), from,
           MIN(p->bytes, 16u));
  }
}

/* From a formal result to where the call wants it. The caller's frame executes again. */
static void give_back(emu_warp *w, const ptx_operand *o, ptx_frame *caller, ptx_frame *callee,
                      const ptx_param *p, unsigned lane) {
  uint64_t value[2] = {0};
  const uint8_t *from = (const uint8_t *)value;
  if (!p->is_reg)
    from = param_at(callee, lane, p->offset);
  else if (p->type == PTX_PRED)
    value[0] =
        *(const uint32_t *)(const void *)(callee->registers + PTX_ROW_OFFSET(p->row)) >> lane & 1;
  else
    from = register_at(callee, p->row, row_bytes((ptx_type)p->type), lane);
  if (o->kind == PTX_OPERAND_PARAM) {
    memcpy(param_at(caller, lane, (uint64_t)o->offset), from, MIN(p->bytes, o->row));
    return;
  }
  if (o->kind != PTX_OPERAND_ROW) return;
  if (from != (const uint8_t *)value) memcpy(value, from, MIN(p->bytes, 16u));
  ptx_set(w, o, lane, value[0]);
  if (o->bytes == 16) ((uint64_t *)ptx_row_at(w, o->row))[2 * lane + 1] = value[1];
}

/* ---- calls ---------------------------------------------------------------------------------- */

static emu_step enter(emu_warp *w, const ptx_insn *i, uint32_t lanes, const ptx_function *f) {
  emu_split *s = w->split;
  ptx_frame *caller = s->frame;
  if (caller->depth + 1 >= PTX_MAX_FRAMES) {
    emu_fail(w, i, __builtin_ctz(lanes), EMU_FAULT_CALL, "calls more than %d deep: %s",
             PTX_MAX_FRAMES, f->name);
    return EMU_EXITED;
  }
  unsigned given = i->op_list[2].kind == PTX_OPERAND_NONE ? 0 : i->op_list[2].count;
  if (given != f->n_params) {
    emu_fail(w, i, __builtin_ctz(lanes), EMU_FAULT_CALL, "calls %s with %u arguments; it takes %u",
             f->name, given, f->n_params);
    return EMU_EXITED;
  }
  ptx_frame *callee = ptx_push_frame(w, f, caller);
  if (!callee) return EMU_EXITED;
  callee->lanes = lanes;
  callee->return_pc = s->pc + 1;
  callee->call = i;
  for (unsigned k = 0; k < f->n_params; k++)
    PTX_FOR_LANES(l, lanes) pass(w, &i->op_list[2].list[k], caller, callee, &f->params[k], l);
  if (lanes != s->lanes) emu_divide(w, s->lanes & ~lanes, s->pc + 1); /* whose guard is false */
  s->frame = callee;
  s->depth = callee->depth;
  s->pc = 0;
  return EMU_JUMPED;
}

static emu_step call_function(emu_warp *w, const ptx_insn *i, uint32_t lanes, uint32_t index) {
  const ptx_function *f = &ptx_image_of(w->block->grid)->module->functions[index];
  if (f->defined) return enter(w, i, lanes, f);
  ptx_builtin builtin = builtin_find(f->name);
  if (builtin) return builtin(w, i, lanes);
  bool device_runtime = strncmp(f->name, "cuda", 4) == 0 || strncmp(f->name, "__cuda", 6) == 0;
  emu_fail(w, i, __builtin_ctz(lanes), EMU_FAULT_CALL, "calls %s, which has no body here%s",
           f->name,
           device_runtime ? ": kernels cannot launch kernels, nor call the runtime library" : "");
  return EMU_EXITED;
}

emu_step ptx_op_call(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  const ptx_operand *callee = &i->op_list[1];
  if (callee->kind == PTX_OPERAND_FUNCTION) return call_function(w, i, lanes, callee->target);
  /* Lanes that call something else come back to this instruction. */
  unsigned first = (unsigned)__builtin_ctz(lanes);
  uint64_t address = ptx_get(w, callee, first);
  uint32_t same = 0;
  PTX_FOR_LANES(l, lanes) same |= (uint32_t)(ptx_get(w, callee, l) == address) << l;
  uint64_t index = (address - EMU_WINDOW_CODE) / 16 - 1;
  const ptx_module *m = ptx_image_of(w->block->grid)->module;
  if (EMU_WINDOW(address) != EMU_WINDOW_CODE || address % 16 || index >= m->n_functions ||
      m->functions[index].is_entry) {
    emu_fail_address(w, i, (int)first, EMU_FAULT_CALL, address,
                     "calls 0x%llx, which is no function", (unsigned long long)address);
    return EMU_EXITED;
  }
  if (same != lanes) emu_divide(w, lanes & ~same, w->split->pc);
  return call_function(w, i, same, (uint32_t)index);
}

emu_step ptx_op_ret(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  emu_split *s = w->split;
  ptx_frame *callee = s->frame, *caller = callee->parent;
  if (!caller) return ptx_op_exit(w, i, lanes);
  bool all = lanes == s->lanes;
  if (!all) {
    s = emu_divide(w, lanes, s->pc);
    w->split->pc++;
  }
  s->frame = caller;
  s->depth = caller->depth;
  s->pc = callee->return_pc;
  w->bank[PTX_BANK_FRAME] = caller->registers;
  const ptx_operand *results = &callee->call->op_list[0];
  unsigned n =
      results->kind == PTX_OPERAND_NONE ? 0 : MIN(results->count, callee->function->n_results);
  for (unsigned k = 0; k < n; k++) PTX_FOR_LANES(l, lanes)
  give_back(w, &results->list[k], caller, callee, &callee->function->results[k], l);
  w->bank[PTX_BANK_FRAME] = ptx_frame_of(w->split)->registers;
  local_leave(w, callee, lanes);
  callee->lanes &= ~lanes;
  if (callee->lanes == 0) ptx_free_frame(w, callee);
  return EMU_JUMPED;
}

emu_step ptx_op_exit(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  emu_end_lanes(w, lanes, i);
  return emu_none_left(w);
}

emu_step ptx_op_trap(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  emu_fail(w, i, __builtin_ctz(lanes), EMU_FAULT_TRAP, "was executed: the kernel gives up");
  return EMU_EXITED;
}

/* ---- waiting -------------------------------------------------------------------------------- */

emu_step ptx_op_nanosleep(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  (void)w, (void)i, (void)lanes;
  return EMU_YIELD;
}

/* Registers are not scarce here: only the rule that the whole warp executes it is checked. */
emu_step ptx_op_setmaxnreg(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  uint64_t n = ptx_get(w, &i->op_list[0], 0);
  if (n < 24 || n > 256 || n % 8)
    emu_fail(w, i, -1, EMU_FAULT_ILLEGAL, "takes a multiple of 8 from 24 to 256, not %llu",
             (unsigned long long)n);
  lanes = ptx_sync_lanes(w, i, lanes, NULL, PTX_ALL_LANES);
  return lanes ? EMU_NEXT : emu_none_left(w);
}
