/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Handlers of the stack of a thread's local memory.
 */
#include "emu/ptx/handlers.h"
#include "emu/ptx/local.h"

/* alloca.type ptr, size, alignment */
emu_step ptx_op_alloca(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  const ptx_operand *alignment = &i->op_list[2];
  PTX_FOR_LANES(l, lanes) {
    uint64_t size = ptx_get(w, &i->op_list[1], l);
    uint64_t align = alignment->kind == PTX_OPERAND_NONE ? 8 : ptx_get(w, alignment, l);
    if (align == 0 || align > 4096 || align & (align - 1)) {
      emu_fail(w, i, (int)l, EMU_FAULT_ILLEGAL, "the alignment is %llu: it is a power of two",
               (unsigned long long)align);
      return EMU_EXITED;
    }
    uint64_t at = ((uint64_t)ptx_warp_of(w)->stack.top[l] + align - 1) & ~(align - 1);
    if (size > PTX_MAX_STACK || at + size > PTX_MAX_STACK) {
      emu_fail(w, i, (int)l, EMU_FAULT_ILLEGAL,
               "allocates %llu bytes where the thread has %u already: a stack has at most %d",
               (unsigned long long)size, ptx_warp_of(w)->stack.top[l], PTX_MAX_STACK);
      return EMU_EXITED;
    }
    if (!local_grow(w, at + size)) {
      emu_fail(w, i, (int)l, EMU_FAULT_MEMORY, "there is no memory for the stacks of a warp");
      return EMU_EXITED;
    }
    size_t row = (size_t)l * ptx_warp_of(w)->stack.bytes;
    memset(ptx_warp_of(w)->stack.host + row + at, 0, size);
    if (ptx_warp_of(w)->stack.written) memset(ptx_warp_of(w)->stack.written + row + at, 0, size);
    ptx_warp_of(w)->stack.top[l] = (uint32_t)(at + size);
    ptx_set(w, &i->op_list[0], l, PTX_STACK_BASE + at);
  }
  return EMU_NEXT;
}

emu_step ptx_op_stacksave(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  PTX_FOR_LANES(l, lanes)
  ptx_set(w, &i->op_list[0], l, PTX_STACK_BASE + ptx_warp_of(w)->stack.top[l]);
  return EMU_NEXT;
}

emu_step ptx_op_stackrestore(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  PTX_FOR_LANES(l, lanes) {
    uint64_t to = ptx_get(w, &i->op_list[0], l) - PTX_STACK_BASE;
    if (to > ptx_warp_of(w)->stack.top[l] || to < ptx_frame_of(w->split)->stack_top[l]) {
      emu_fail(w, i, (int)l, EMU_FAULT_ILLEGAL,
               "takes what stacksave gave in this call, not 0x%llx",
               (unsigned long long)(to + PTX_STACK_BASE));
      return EMU_EXITED;
    }
    ptx_warp_of(w)->stack.top[l] = (uint32_t)to;
  }
  return EMU_NEXT;
}
