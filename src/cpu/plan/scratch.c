/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Buffers in the thread's scratch memory. Code is emitted in program order, so the time at which
 * it is emitted tells when a buffer is in use; a buffer that an inner loop uses stays until that
 * loop's end. When the kernel is finished, buffers that never live at the same time share bytes.
 */
#include "num/num.h"

#include "cpu/plan/scratch.h"

#include "base/invariant.h"

typedef struct scratch_state {
  VEC(buffer *) buffers;
  /* In the order of their last uses. Buffers that persist leave the list when a walk meets them. */
  buffer *newest;
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

/* ---- time ----------------------------------------------------------------------------------- */

static void unlink_buffer(scratch_state *s, buffer *b) {
  if (b->newer)
    b->newer->older = b->older;
  else if (s->newest == b)
    s->newest = b->older;
  if (b->older) b->older->newer = b->newer;
  b->newer = b->older = NULL;
}

static void make_newest(scratch_state *s, buffer *b) {
  unlink_buffer(s, b);
  b->older = s->newest;
  if (s->newest) s->newest->newer = b;
  s->newest = b;
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
  make_newest(state_of(l), b);
  return b;
}

buffer *buffer_new(lower *l, tsr_elem elem, buffer_format format, unsigned n) {
  buffer like = {.elem = (uint8_t)elem, .format = (uint8_t)format};
  uint64_t count = UINT64_C(1) << n;
  /* Elements that share bytes elsewhere have one each in a buffer. */
  bool as_in_memory = format == FORMAT_STORAGE && !num_shares_bytes(tsr_elem_bits(elem));
  uint64_t bytes = as_in_memory ? tsr_elem_storage(elem, count) : count * buffer_elem_bytes(&like);
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
  if (!b->memory || b->memory->died == UINT32_MAX) return;
  b->memory->died = scratch_now(l);
  make_newest(state_of(l), b->memory);
}

void buffer_persists(buffer *b) {
  b->born = 0;
  b->died = UINT32_MAX;
}

/* Only what was used since the loop began is looked at. All of it was used after what is older in
 * the list, and loops are nested, so the order stays as the walks of outer loops need it. */
void scratch_loop_end(lower *l, uint32_t loop_start) {
  uint32_t end = scratch_now(l);
  scratch_state *s = state_of(l);
  for (buffer *b = s->newest, *older; b && b->died >= loop_start; b = older) {
    older = b->older;
    if (b->died == UINT32_MAX)
      unlink_buffer(s, b);
    else if (b->born < loop_start)
      b->died = end;
  }
}

/* ---- places --------------------------------------------------------------------------------- */

/* Bytes that are taken, both ends multiples of BUFFER_ALIGN, until `died`. */
typedef struct piece {
  uint64_t begin, end;
  uint32_t died;
} piece;

/* In the order of their begins. Pieces that last to the end and meet are one. */
typedef VEC(piece) pieces;

/* Where buffers go, one after the other. */
typedef struct layout {
  lower *l;
  pieces alive;    /* those of placed buffers that a buffer born from `now` on may meet */
  pieces all;      /* those of all placed buffers */
  uint32_t now;    /* the latest birth so far */
  uint32_t placed; /* buffers */
} layout;

static bool lasts(const piece *p) {
  return p->died == UINT32_MAX;
}

/* The number of pieces that begin at or before `begin`. */
static uint32_t count_before(const pieces *to, uint64_t begin) {
  uint32_t low = 0, high = to->len;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (to->data[middle].begin <= begin)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static void remove_piece(pieces *from, uint32_t at) {
  memmove(&from->data[at], &from->data[at + 1], (--from->len - at) * sizeof *from->data);
}

static void add_piece(lower *l, pieces *to, piece p) {
  uint32_t at = count_before(to, p.begin);
  while (lasts(&p) && at < to->len && lasts(&to->data[at]) && to->data[at].begin <= p.end) {
    p.end = MAX(p.end, to->data[at].end);
    remove_piece(to, at);
  }
  piece *before = at ? &to->data[at - 1] : NULL;
  if (before && lasts(&p) && lasts(before) && before->end >= p.begin) {
    before->end = MAX(before->end, p.end);
    return;
  }
  vec_push(l->arena, *to, p);
  memmove(&to->data[at + 1], &to->data[at], (to->len - 1 - at) * sizeof p);
  to->data[at] = p;
}

static piece piece_of(const buffer *b) {
  uint64_t end = (b->offset + b->bytes + BUFFER_ALIGN - 1) & ~(uint64_t)(BUFFER_ALIGN - 1);
  return (piece){b->offset, end, b->died};
}

/* The lowest multiple of BUFFER_ALIGN from which so many bytes are free. */
static uint64_t first_fit(const pieces *taken, uint64_t bytes) {
  uint64_t at = 0;
  for (uint32_t i = 0; i < taken->len && taken->data[i].begin < at + bytes; i++)
    at = MAX(at, taken->data[i].end);
  return at;
}

/* Leaves out of `alive` what dies before that moment. */
static void move_on(layout *x, uint32_t now) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < x->alive.len; i++) {
    if (x->alive.data[i].died >= now) x->alive.data[n++] = x->alive.data[i];
  }
  x->alive.len = n;
  x->now = MAX(x->now, now);
}

/* For the few that are placed later than they are born: first fit among those it really meets. */
static uint64_t fit_late(layout *x, const buffer *b) {
  const scratch_state *s = state_of(x->l);
  pieces met = {0};
  for (uint32_t i = 0; i < x->placed; i++) {
    const buffer *o = s->buffers.data[i];
    if (o->died >= b->born && o->born <= b->died) add_piece(x->l, &met, piece_of(o));
  }
  return first_fit(&met, b->bytes);
}

/* First fit: the lowest offset that no buffer alive at the same time covers. Buffers come in the
 * order in which they are born, but for those that persist and those that must be zeroed. */
static void place_buffer(layout *x, buffer *b) {
  bool persists = b->born == 0 && b->died == UINT32_MAX;
  if (!persists && b->born >= x->now) move_on(x, b->born);
  if (persists)
    b->offset = first_fit(&x->all, b->bytes);
  else if (b->born >= x->now)
    b->offset = first_fit(&x->alive, b->bytes);
  else
    b->offset = fit_late(x, b);
  piece p = piece_of(b);
  if (b->died >= x->now) add_piece(x->l, &x->alive, p);
  p.died = UINT32_MAX;
  add_piece(x->l, &x->all, p);
  x->placed++;
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
  layout x = {.l = l};
  keys_first(s);
  for (uint32_t i = 0; i < s->buffers.len; i++) {
    buffer *b = s->buffers.data[i];
    place_buffer(&x, b);
    s->bytes = MAX(s->bytes, b->offset + b->bytes);
    if (b->keys) s->keys = b->offset + b->bytes;
    llv stand_in = LLVMGetOperand(b->ptr, 1);
    LLVMSetOperand(b->ptr, 1, LLVMConstInt(l->e.i64, b->offset, 0));
    LLVMInstructionEraseFromParent(stand_in);
  }
  INVARIANT(lie_apart(s));
  s->bytes = (s->bytes + BUFFER_ALIGN - 1) & ~(uint64_t)(BUFFER_ALIGN - 1);
}
