/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The checks for compiled code: bounds and assume. The code tests by itself, in a few instructions,
 * whether an access can be out of bounds at all; when it can, the operands come here, take the
 * places that they have in the interpreter, and are looked at as if the interpreter were about to
 * execute the operation. So what is found, and what is said of it, is the same.
 */
#include "interp/sanitize/internal.h"

/* Memory of unknown size: what an address there may be (see is_plausible in access.c). */
static const uint64_t plausible_start = 4096, plausible_end = UINT64_C(1) << 63;

const uint64_t *sanitizer_bounds(sanitizer *s) {
  uint32_t n = s->roots.n_params + s->roots.n_globals;
  uint64_t *bounds = arena_array(s->arena, uint64_t, 2 * (size_t)n + 2);
  uint64_t low = plausible_end, high = plausible_start;
  s->compiled = true;
  for (uint32_t k = 0; k < n; k++) {
    const san_memory *m = &s->memory[k];
    bounds[2 * k] = m->bounded ? m->start / 2 : plausible_start;
    bounds[2 * k + 1] = m->bounded ? m->end / 2 : plausible_end;
    if (m->start == m->end && m->bounded) continue;
    low = MIN(low, bounds[2 * k]);
    high = MAX(high, bounds[2 * k + 1]);
  }
  /* An alloca of the kernel may be meant too. */
  bool all = s->roots.n_allocas == 0 && low <= high;
  bounds[2 * n] = all ? low : plausible_start;
  bounds[2 * n + 1] = all ? high : plausible_end;
  return bounds;
}

void sanitizer_count_blocks(sanitizer *s, uint64_t blocks) {
  s->blocks += blocks;
}

static const inst *start_of(sanitizer *s, const ir_op *op) {
  if (!s->starts.len)
    for (uint32_t k = 0; k < s->program->n_code; k++) {
      const inst *i = &s->program->code[k];
      if (i->starts) *map_put(s->arena, &s->starts, (uintptr_t)i->op) = (uintptr_t)i;
    }
  return map_ptr(&s->starts, op);
}

static size_t slot_bytes(const ir_type *t) {
  if (t->kind == IR_TILE) return tsr_elem_storage((tsr_elem)t->elem, (size_t)t->count);
  const ir_type *view = t->kind == IR_TENSOR_VIEW ? t : t->view;
  return (1 + 2 * (size_t)view->rank) * sizeof(uint64_t);
}

static void take_operands(frame *f, const inst *i, const void *const *operands) {
  for (uint32_t k = 0; k < i->op->n_operands; k++)
    if (operands[k]) memcpy(at(f, i->in[k]), operands[k], slot_bytes(in_type(i, k)));
}

/* Each tile block has allocas of its own: that of the access is the one that counts. */
static void take_alloca(sanitizer *s, const inst *i, const void *address) {
  ir_root root = ir_root_of(&s->roots, ir_accessed(i->op));
  if (!address || root < IR_ROOT_FIRST) return;
  san_memory *m = san_root_memory(s, root);
  m->start = unit_of((uintptr_t)address, 0);
  m->end = m->start + 2 * tsr_elem_storage(m->elem, m->elements);
}

static bool check(sanitizer *s, frame *f, const inst *i, const void *const *operands) {
  take_operands(f, i, operands);
  switch (i->op->opcode) {
  case OP_assume: return san_check_assume(s, f, i);
  case OP_extract:
  case OP_insert: return san_check_slice(s, f, i);
  default: take_alloca(s, i, operands[i->op->n_operands]); return san_check_access(s, f, i);
  }
}

bool sanitizer_check(sanitizer *s, rt_block *block, const ir_op *op, const void *const *operands) {
  const inst *i = start_of(s, op);
  if (!i) return false;
  if (s->stopped) return true; /* the tile block ends, carefully; nothing counts any more */
  if (!s->room) s->room = arena_alloc(s->arena, s->program->frame_size, 64);
  frame f = {.memory = s->room, .block = block, .program = s->program};
  s->frame = &f;
  bool wrong = check(s, &f, i, operands);
  s->frame = NULL;
  return wrong;
}
