/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Buffers in the thread's scratch memory. Code is emitted in program order, so the time at which
 * it is emitted tells when a buffer is in use; a buffer that an inner loop uses stays until that
 * loop's end. When the kernel is finished, buffers that never live at the same time share bytes.
 */
#include "cpu/plan/scratch.h"

#include "base/invariant.h"

typedef struct scratch_state {
  VEC(buffer *) buffers;
  uint32_t time; /* see scratch_now */
  uint64_t bytes, keys;
} scratch_state;

static scratch_state *state_of(lower *l) {
  if (!l->memory) l->memory = arena_new(l->arena, scratch_state);
  return l->memory;
}

uint32_t scratch_now(lower *l) {
  return ++state_of(l)->time;
}

void scratch_sizes(const lower *l, uint64_t *bytes, uint64_t *keys) {
  *bytes = l->memory ? l->memory->bytes : 0;
  *keys = l->memory ? l->memory->keys : 0;
}

unsigned buffer_elem_bytes(const buffer *b) {
  unsigned bits = tsr_elem_bits(b->elem);
  if (b->format == FORMAT_SIGNED || b->format == FORMAT_UNSIGNED) return 4;
  if (b->format == FORMAT_LANES && tsr_elem_is_float(b->elem)) return bits == 64 ? 8 : 4;
  return bits < 8 ? 1 : bits / 8;
}

LLVMTypeRef buffer_elem_type(lower *l, const buffer *b) {
  emit *e = &l->e;
  if (b->format == FORMAT_SIGNED || b->format == FORMAT_UNSIGNED) return e->i32;
  if (b->format == FORMAT_STORAGE || b->format == FORMAT_PAIRS)
    return emit_storage_type(e, b->elem);
  return b->elem == TSR_I1 ? e->i8 : emit_elem_type(e, b->elem);
}

/* Its address is computed at the kernel's start; the offset is filled in by scratch_layout. */
buffer *buffer_bytes(lower *l, uint64_t bytes) {
  buffer *b = arena_new(l->arena, buffer);
  LLVMPositionBuilderBefore(l->start_builder, LLVMGetBasicBlockTerminator(l->start));
  /* A stand-in that nothing folds or shares. */
  llv offset = LLVMBuildLoad2(l->start_builder, l->e.i64, l->args, "offset");
  b->ptr = LLVMBuildGEP2(l->start_builder, l->e.i8, l->scratch, &offset, 1, "buffer");
  b->bytes = MAX(bytes, 1);
  b->in_scratch = true;
  b->memory = b;
  b->born = b->died = scratch_now(l);
  vec_push(l->arena, state_of(l)->buffers, b);
  return b;
}

buffer *buffer_new(lower *l, tsr_elem elem, buffer_format format, unsigned n) {
  buffer like = {.elem = (uint8_t)elem, .format = (uint8_t)format};
  uint64_t count = UINT64_C(1) << n;
  uint64_t bytes =
      format == FORMAT_STORAGE ? tsr_elem_storage(elem, count) : count * buffer_elem_bytes(&like);
  buffer *b = buffer_bytes(l, bytes);
  b->elem = (uint8_t)elem;
  b->format = (uint8_t)format;
  b->n = (uint8_t)n;
  for (unsigned k = 0; k < n; k++) b->stride[k] = 1 << k;
  return b;
}

bool buffer_is_row_major(const buffer *b) {
  for (unsigned k = 0; k < b->n; k++)
    if (b->stride[k] != 1 << k) return false;
  return true;
}

void buffer_touch(lower *l, buffer *b) {
  if (b->memory && b->memory->died != UINT32_MAX) b->memory->died = scratch_now(l);
}

void buffer_persists(buffer *b) {
  b->born = 0;
  b->died = UINT32_MAX;
}

void scratch_loop_end(lower *l, uint32_t loop_start) {
  uint32_t end = scratch_now(l);
  const scratch_state *s = state_of(l);
  for (uint32_t i = 0; i < s->buffers.len; i++) {
    buffer *b = s->buffers.data[i];
    if (b->born < loop_start && b->died >= loop_start) b->died = MAX(b->died, end);
  }
}

/* Behind those that begin at or before where it does. */
static void add_placed(buffer **placed, uint32_t n, buffer *b) {
  uint32_t i = n;
  while (i > 0 && placed[i - 1]->offset > b->offset) i--;
  memmove(placed + i + 1, placed + i, (n - i) * sizeof *placed);
  placed[i] = b;
}

/* First fit: the lowest offset that no buffer alive at the same time covers. The n that have their
 * places are in the order of these. */
static void place_buffer(scratch_state *s, buffer *b, buffer **placed, uint32_t n) {
  uint64_t at = 0;
  for (uint32_t i = 0; i < n && placed[i]->offset < at + b->bytes; i++) {
    const buffer *o = placed[i];
    if (o->died < b->born || o->born > b->died || o->offset + o->bytes <= at) continue;
    at = (o->offset + o->bytes + BUFFER_ALIGN - 1) & ~(uint64_t)(BUFFER_ALIGN - 1);
  }
  b->offset = at;
  add_placed(placed, n, b);
  if (at + b->bytes > s->bytes) s->bytes = at + b->bytes;
}

/* Those that must be zeroed come first, so that they are one piece. */
static void keys_first(scratch_state *s) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < s->buffers.len; i++) {
    buffer *b = s->buffers.data[i];
    if (!b->keys) continue;
    s->buffers.data[i] = s->buffers.data[n];
    s->buffers.data[n++] = b;
  }
}

/* Buffers that are alive at the same time share no bytes. */
static bool lie_apart(const scratch_state *s) {
  for (uint32_t i = 0; i < s->buffers.len; i++)
    for (uint32_t k = 0; k < i; k++) {
      const buffer *a = s->buffers.data[i], *b = s->buffers.data[k];
      bool together = a->born <= b->died && b->born <= a->died;
      if (together && a->offset < b->offset + b->bytes && b->offset < a->offset + a->bytes)
        return false;
    }
  return true;
}

void scratch_layout(lower *l) {
  scratch_state *s = state_of(l);
  buffer **placed = arena_array(l->arena, buffer *, MAX(s->buffers.len, 1));
  keys_first(s);
  for (uint32_t i = 0; i < s->buffers.len; i++) {
    buffer *b = s->buffers.data[i];
    place_buffer(s, b, placed, i);
    if (b->keys) s->keys = b->offset + b->bytes;
    llv stand_in = LLVMGetOperand(b->ptr, 1);
    LLVMSetOperand(b->ptr, 1, LLVMConstInt(l->e.i64, b->offset, 0));
    LLVMInstructionEraseFromParent(stand_in);
  }
  INVARIANT(lie_apart(s));
  s->bytes = (s->bytes + BUFFER_ALIGN - 1) & ~(uint64_t)(BUFFER_ALIGN - 1);
}
