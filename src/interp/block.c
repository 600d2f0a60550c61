/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The block level: shared memory, and tiles at any offset of a tensor view.
 *
 * A tile is a whole here, too, whatever its layout: all threads of the block stand at one
 * operation, so barriers and waits have nothing to do, and a copy arrives when it begins. What a
 * layout, a barrier or a wait gets wrong is found by the sanitizer, which knows who holds what.
 */
#include "interp/barriers.h"
#include "interp/cluster.h"
#include "ir/block/layouts.h"
#include "num/philox.h"

/* ---- bits of threads ------------------------------------------------------------------------ */

/* The row-major index of an element. */
static int64_t flat_index(const ir_type *t, const int32_t *index) {
  int64_t n = 0;
  for (unsigned d = 0; d < t->rank; d++) n = n * t->shape[d] + index[d];
  return n;
}

/* tf32 has 13 bits that mean nothing: they come in as any and go out as zeros. */
static uint64_t without_padding(const ir_type *t, uint64_t pattern) {
  return t->elem == TSR_TF32 ? pattern & ~UINT64_C(0x1fff) : pattern;
}

/* What a thread has in a slot of a tile. */
static uint64_t slot_pattern(const ir_type *t, const void *tile, int32_t thread, int32_t s) {
  int32_t index[TSR_LAYOUT_MAX_RANK];
  tsr_layout_get_global(t->layout, thread, s, index);
  unsigned bits = tsr_elem_bits((tsr_elem)t->elem);
  return without_padding(t, get_element(tile, bits, flat_index(t, index)));
}

/* Bits first .. first + n - 1 of what a thread has of a tile. */
static uint64_t bits_of_thread(const ir_type *t, const void *tile, int32_t thread, int64_t first,
                               unsigned n) {
  unsigned width = tsr_elem_bits((tsr_elem)t->elem);
  uint64_t pattern = 0;
  for (unsigned done = 0; done < n;) {
    int64_t bit = first + done;
    unsigned from = (unsigned)(bit % width), take = MIN(width - from, n - done);
    uint64_t value = slot_pattern(t, tile, thread, (int32_t)(bit / width)) >> from;
    pattern |= num_wrap(value, take) << done;
    done += take;
  }
  return pattern;
}

/* The threads go from last to first, so that the first one's elements stay. */
static int64_t reinterpret(frame *f, const inst *i, bool store, int32_t *thread, int32_t *other) {
  const ir_type *from = in_type(i, 0), *to = out_type(i, 0);
  const void *tile = at(f, i->in[0]);
  void *result = at(f, i->out[0]);
  unsigned bits = tsr_elem_bits((tsr_elem)to->elem);
  int32_t threads = (int32_t)tsr_layout_spatial_size(to->layout);
  int32_t slots = (int32_t)tsr_layout_local_size(to->layout), index[TSR_LAYOUT_MAX_RANK];
  for (int32_t t = threads; t-- > 0;)
    for (int32_t s = 0; s < slots; s++) {
      uint64_t pattern =
          without_padding(to, bits_of_thread(from, tile, t, (int64_t)s * bits, bits));
      tsr_layout_get_global(to->layout, t, s, index);
      int64_t k = flat_index(to, index);
      if (store) {
        set_element(result, bits, k, pattern);
      } else if (get_element(result, bits, k) != pattern) {
        *thread = t;
        tsr_layout_get_spatial(to->layout, index, other, 1);
        return k;
      }
    }
  return -1;
}

void run_reinterpret(frame *f, const inst *i) {
  reinterpret(f, i, true, NULL, NULL);
}

int64_t reinterpret_differs(frame *f, const inst *i, int32_t *thread, int32_t *other) {
  if (tsr_layout_copies(out_type(i, 0)->layout) == 1) return -1;
  return reinterpret(f, i, false, thread, other);
}

/* ---- shared memory -------------------------------------------------------------------------- */

void run_alloc_shared(frame *f, const inst *i) {
  uint64_t address = (uint64_t)(uintptr_t)at(f, i->alloca.memory);
  address = (address + i->alloca.align - 1) / i->alloca.align * i->alloca.align;
  *(shared_part *)at(f, i->out[0]) = (shared_part){.base = address};
}

void run_subview(frame *f, const inst *i) {
  const ir_type *t = in_type(i, 0);
  const shared_part *whole = at(f, i->in[0]);
  int64_t index[TSR_LAYOUT_MAX_RANK] = {0};
  for (uint32_t k = 1; k < i->op->n_operands; k++) index[k - 1] = (int32_t)get_scalar(f, i, k);
  int64_t offset = whole->offset + ir_memory_offset(t->memory, index);
  *(shared_part *)at(f, i->out[0]) = (shared_part){whole->base, offset};
}

/* The next index in row-major order. */
static void advance(const ir_type *t, int64_t *index) {
  for (unsigned d = t->rank; d-- > 0;) {
    if (++index[d] < t->shape[d]) return;
    index[d] = 0;
  }
}

void shared_offsets(frame *f, const inst *i, unsigned group, int64_t *offsets) {
  uint32_t operand = in_group(i, group);
  const ir_type *t = in_type(i, operand);
  const shared_part *part = at(f, i->in[operand]);
  int64_t index[TSR_LAYOUT_MAX_RANK] = {0};
  for (int64_t k = 0; k < t->count; k++, advance(t, index))
    offsets[k] = ir_memory_swizzle(t->memory, part->offset + ir_memory_offset(t->memory, index));
}

/* One element after the other: `store` copies from `tile` to the memory, else the reverse. */
static void move_shared(frame *f, const inst *i, uint32_t operand, void *tile, bool store) {
  const ir_type *t = in_type(i, operand);
  const shared_part *part = at(f, i->in[operand]);
  void *memory = (void *)(uintptr_t)part->base;
  unsigned bits = tsr_elem_bits((tsr_elem)t->elem);
  int64_t index[TSR_LAYOUT_MAX_RANK] = {0};
  for (int64_t k = 0; k < t->count; k++, advance(t, index)) {
    int64_t at = ir_memory_swizzle(t->memory, part->offset + ir_memory_offset(t->memory, index));
    if (store)
      set_element(memory, bits, at, get_element(tile, bits, k));
    else
      set_element(tile, bits, k, get_element(memory, bits, at));
  }
}

void run_load_shared(frame *f, const inst *i) {
  move_shared(f, i, 0, at(f, i->out[0]), false);
}

void run_store_shared(frame *f, const inst *i) {
  move_shared(f, i, 1, at(f, i->in[0]), true);
}

/* ---- global memory -------------------------------------------------------------------------- */

/* A tile at an offset of a tensor view. */
typedef struct window {
  const ir_type *type; /* the view's */
  const int64_t *shape;
  uint64_t base;
  int64_t start[IR_MAX_RANK];
  const uint64_t *extent, *stride;
  unsigned bits;
} window;

static window open_window(frame *f, const inst *i, unsigned view_group, unsigned offset_group,
                          const int64_t *shape) {
  uint32_t operand = in_group(i, view_group), offsets = in_group(i, offset_group);
  const ir_type *t = in_type(i, operand);
  const uint64_t *view = at(f, i->in[operand]);
  window w = {.type = t,
              .shape = shape,
              .base = view[0],
              .extent = view + 1,
              .stride = view + 1 + t->rank,
              .bits = tsr_elem_bits((tsr_elem)t->elem)};
  for (unsigned d = 0; d < t->rank; d++) {
    unsigned bits = tsr_elem_bits((tsr_elem)in_type(i, offsets + d)->elem);
    w.start[d] = num_sext(get_scalar(f, i, offsets + d), bits);
  }
  return w;
}

/* Where an element lies, in elements behind the base; false when it is outside of the view. */
static bool locate(const window *w, const int64_t *index, uint64_t *at) {
  *at = 0;
  for (unsigned d = 0; d < w->type->rank; d++) {
    int64_t c;
    if (__builtin_add_overflow(w->start[d], index[d], &c) || c < 0 || (uint64_t)c >= w->extent[d])
      return false;
    *at += (uint64_t)c * w->stride[d];
  }
  return true;
}

static void advance_window(const window *w, int64_t *index) {
  for (unsigned d = w->type->rank; d-- > 0;) {
    if (++index[d] < w->shape[d]) return;
    index[d] = 0;
  }
}

/* A pointer to an element that shares bytes with others. */
static char *shared_pointer(const window *w, uint64_t at) {
  return (char *)(uintptr_t)exec_bit_pointer(exec_bit_address(w->base) + at * w->bits);
}

static uint64_t get_global(const window *w, uint64_t at) {
  if (num_shares_bytes(w->bits)) return load_memory(shared_pointer(w, at), w->bits, ORDER_WEAK);
  return get_element((const void *)(uintptr_t)w->base, w->bits, (int64_t)at);
}

void run_load_global(frame *f, const inst *i) {
  const ir_type *t = out_type(i, 0);
  window w = open_window(f, i, 0, 1, t->shape);
  const uint8_t *mask = in_optional(f, i, 2);
  void *result = at(f, i->out[0]);
  uint64_t padding =
      padding_pattern((int)ir_int_attr(i->op, ATTR_padding_value), (tsr_elem)t->elem);
  int64_t index[IR_MAX_RANK] = {0};
  for (int64_t k = 0; k < t->count; k++, advance_window(&w, index)) {
    uint64_t spot, value = padding;
    if ((!mask || mask[k]) && locate(&w, index, &spot)) value = get_global(&w, spot);
    set_element(result, w.bits, k, value);
  }
}

void run_store_global(frame *f, const inst *i) {
  const ir_type *t = in_type(i, 0);
  window w = open_window(f, i, 1, 2, t->shape);
  const uint8_t *mask = in_optional(f, i, 3);
  const void *value = at(f, i->in[0]);
  void *memory = (void *)(uintptr_t)w.base;
  int64_t index[IR_MAX_RANK] = {0};
  for (int64_t k = 0; k < t->count; k++, advance_window(&w, index)) {
    uint64_t spot;
    if ((mask && !mask[k]) || !locate(&w, index, &spot)) continue;
    uint64_t pattern = get_element(value, w.bits, k);
    if (w.bits == 4)
      store_half((uint8_t *)memory + spot / 2, spot & 1, pattern);
    else if (num_shares_bytes(w.bits))
      store_memory(shared_pointer(&w, spot), w.bits, pattern, ORDER_WEAK);
    else
      set_element(memory, w.bits, (int64_t)spot, pattern);
  }
}

/* From global to shared memory. */
void run_cp_async(frame *f, const inst *i) {
  uint32_t operand = in_group(i, 2);
  const ir_type *t = in_type(i, operand);
  const shared_part *part = at(f, i->in[operand]);
  window w = open_window(f, i, 0, 1, t->shape);
  void *memory = (void *)(uintptr_t)cluster_address(f, part->base, f->to);
  int64_t index[IR_MAX_RANK] = {0};
  for (int64_t k = 0; k < t->count; k++, advance_window(&w, index)) {
    uint64_t spot;
    uint64_t value = locate(&w, index, &spot) ? get_global(&w, spot) : 0;
    int64_t to = ir_memory_swizzle(t->memory, part->offset + ir_memory_offset(t->memory, index));
    set_element(memory, w.bits, to, value);
  }
}

/* ---- copies of tensors ---------------------------------------------------------------------- */

void run_tensor_load(frame *f, const inst *i) {
  uint32_t to = cluster_targets(f, i);
  for (f->to = 0; to >> f->to; f->to++) {
    if (!(to >> f->to & 1)) continue;
    run_cp_async(f, i);
    count_bytes(f, i);
  }
  f->to = f->rank;
}

static void store_element(const window *w, uint64_t spot, uint64_t pattern) {
  set_element((void *)(uintptr_t)w->base, w->bits, (int64_t)spot, pattern);
}

static void combine_element(const window *w, const inst *i, uint64_t spot, uint64_t pattern) {
  char *address = (char *)(uintptr_t)w->base + spot * w->bits / 8;
  atomic_update(address, (tsr_elem)w->type->elem, (ir_rmw)ir_int_attr(i->op, ATTR_mode), pattern);
}

void run_tensor_store(frame *f, const inst *i) {
  const ir_type *t = in_type(i, 0);
  const shared_part *part = at(f, i->in[0]);
  window w = open_window(f, i, 1, 2, t->shape);
  int64_t index[IR_MAX_RANK] = {0};
  for (int64_t k = 0; k < t->count; k++, advance_window(&w, index)) {
    uint64_t spot;
    if (!locate(&w, index, &spot)) continue;
    int64_t from = ir_memory_swizzle(t->memory, part->offset + ir_memory_offset(t->memory, index));
    uint64_t pattern = get_element((const void *)(uintptr_t)part->base, w.bits, from);
    if (i->op->opcode == OP_tensor_reduce)
      combine_element(&w, i, spot, pattern);
    else
      store_element(&w, spot, pattern);
  }
}

/* ---- atomic updates ------------------------------------------------------------------------- */

static bool swaps(const inst *i) {
  return i->op->opcode == OP_atomic_cas_shared || i->op->opcode == OP_atomic_cas_global;
}

uint64_t update_left_out(frame *f, const inst *i, int64_t k) {
  unsigned bits = tsr_elem_bits((tsr_elem)out_type(i, 0)->elem);
  return swaps(i) ? get_element(at(f, i->in[0]), bits, k) : 0;
}

uint64_t update_element(frame *f, const inst *i, char *address, int64_t k) {
  tsr_elem elem = (tsr_elem)out_type(i, 0)->elem;
  unsigned bits = tsr_elem_bits(elem);
  uint64_t first = get_element(at(f, i->in[0]), bits, k), seen;
  if (!swaps(i)) return atomic_update(address, elem, (ir_rmw)ir_int_attr(i->op, ATTR_mode), first);
  compare_exchange(address, bits, first, get_element(at(f, i->in[1]), bits, k), &seen);
  return seen;
}

static void set_updated(frame *f, const inst *i, int64_t k, char *address) {
  uint64_t old = address ? update_element(f, i, address, k) : update_left_out(f, i, k);
  set_element(at(f, i->out[0]), tsr_elem_bits((tsr_elem)out_type(i, 0)->elem), k, old);
}

void run_atomic_shared(frame *f, const inst *i) {
  unsigned group = swaps(i) ? 2 : 1;
  const ir_type *t = in_type(i, in_group(i, group));
  const shared_part *part = at(f, i->in[in_group(i, group)]);
  const uint8_t *mask = in_optional(f, i, group + 1);
  int64_t index[TSR_LAYOUT_MAX_RANK] = {0}, bytes = tsr_elem_bits((tsr_elem)t->elem) / 8;
  for (int64_t k = 0; k < t->count; k++, advance(t, index)) {
    int64_t to = ir_memory_swizzle(t->memory, part->offset + ir_memory_offset(t->memory, index));
    bool enabled = !mask || mask[k];
    set_updated(f, i, k, enabled ? (char *)(uintptr_t)part->base + to * bytes : NULL);
  }
}

void run_atomic_global(frame *f, const inst *i) {
  unsigned group = swaps(i) ? 2 : 1;
  const ir_type *t = out_type(i, 0);
  window w = open_window(f, i, group, group + 1, t->shape);
  const uint8_t *mask = in_optional(f, i, group + 2);
  int64_t index[IR_MAX_RANK] = {0};
  for (int64_t k = 0; k < t->count; k++, advance_window(&w, index)) {
    uint64_t spot;
    bool inside = (!mask || mask[k]) && locate(&w, index, &spot);
    set_updated(f, i, k, inside ? (char *)(uintptr_t)w.base + spot * w.bits / 8 : NULL);
  }
}

/* ---- random numbers ------------------------------------------------------------------------- */

void run_philox(frame *f, const inst *i) {
  uint64_t seed = get_scalar(f, i, 0);
  const void *offsets = at(f, i->in[1]);
  unsigned rounds = (unsigned)ir_int_attr(i->op, ATTR_rounds);
  for (int64_t k = 0; k < out_type(i, 0)->count; k++) {
    uint64_t offset = get_element(offsets, 64, k);
    uint32_t words[4] = {(uint32_t)offset, (uint32_t)(offset >> 32)};
    num_philox(words, seed, rounds);
    for (unsigned r = 0; r < 4; r++) set_element(at(f, i->out[r]), 32, k, words[r]);
  }
}

/* ---- for watchers --------------------------------------------------------------------------- */

bool stores_window(op_code opcode) {
  return opcode == OP_store_global || opcode == OP_tensor_store || opcode == OP_tensor_reduce ||
         opcode == OP_bulk_store;
}

bool copies_window(op_code opcode) {
  return opcode == OP_cp_async || opcode == OP_tensor_load || opcode == OP_bulk_load;
}

bool updates_window(op_code opcode) {
  return opcode == OP_atomic_global || opcode == OP_atomic_cas_global;
}

/* The operand group of the view of an access; offsets follow it, then a mask. */
static unsigned view_group(op_code opcode) {
  if (opcode == OP_atomic_cas_global) return 2;
  return stores_window(opcode) || opcode == OP_atomic_global;
}

void global_units(frame *f, const inst *i, uint64_t *units) {
  op_code opcode = (op_code)i->op->opcode;
  unsigned group = view_group(opcode);
  const ir_type *t = copies_window(opcode)   ? in_type(i, in_group(i, 2))
                     : stores_window(opcode) ? in_type(i, 0)
                                             : out_type(i, 0);
  window w = open_window(f, i, group, group + 1, t->shape);
  bool masked = opcode == OP_load_global || opcode == OP_store_global || updates_window(opcode);
  const uint8_t *mask = masked ? in_optional(f, i, group + 2) : NULL;
  int64_t index[IR_MAX_RANK] = {0};
  for (int64_t k = 0; k < t->count; k++, advance_window(&w, index)) {
    uint64_t spot;
    bool inside = (!mask || mask[k]) && locate(&w, index, &spot);
    unsigned bits = w.bits == 1 ? 8 : w.bits;
    units[k] = inside ? unit_of(w.base + spot * bits / 8, bits == 4 ? spot & 1 : 0) : UNIT_NONE;
  }
}
