/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * CK Tile's views and windows: tensors in global memory, shared memory that a descriptor lays out,
 * and the parts of both that tiles are loaded from and stored to.
 */
#include <stdio.h>

#include "ir/block/layouts.h"
#include "ir/build/block_tile.h"
#include "ir/build/guard.h"

static void report(caller c, const char *text) {
  BUILD_GUARD(c.b, return );
  build_at(c.b, c.file, c.line);
  build_error(c.b, "%s", text);
  BUILD_DONE(c.b);
}

void caller_error(caller c, const char *fmt, ...) {
  char text[640];
  va_list args;
  va_start(args, fmt);
  vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  report(c, text);
}

bool caller_accepts(caller c, const char *function, tsr_status s, const tsr_layout_error *e) {
  if (s != TSR_OK) caller_error(c, "%s: %s", function, e->message);
  return s == TSR_OK;
}

/* ---- views ---------------------------------------------------------------------------------- */

static bool read_distribution(caller c, const char *text, tsr_layout *out) {
  tsr_layout_value v;
  if (!text || tsr_layout_parse(c.b->ctx, "layout", text, strlen(text), &v) != TSR_OK ||
      v.kind == TSR_LAYOUT_MEMORY) {
    caller_error(c, "tsr_block_distribution: expected a distribution, found '%s'",
                 text ? text : "NULL");
    return false;
  }
  *out = v.layout;
  return true;
}

tsr_layout tsr_block_distribution_at(const char *file, unsigned line, tsr_builder *b,
                                     const char *text) {
  caller c = CALLER;
  tsr_layout l = {0};
  if (caller_goes_on(c)) read_distribution(c, text, &l);
  return l;
}

/* Constants go into the type, the rest stays a value. */
static unsigned part_constants(tsr_values from, int64_t *fixed, tsr_value *left) {
  unsigned n = 0;
  for (size_t i = 0; i < from.len; i++) {
    if (from.data[i] && ir_constant_int(from.data[i], &fixed[i])) continue;
    fixed[i] = TSR_DYNAMIC;
    left[n++] = from.data[i];
  }
  return n;
}

static tsr_value tensor_view(caller c, tsr_value pointer, tsr_values lengths, tsr_values strides) {
  int64_t shape[IR_MAX_RANK], step[IR_MAX_RANK];
  tsr_value free_shape[IR_MAX_RANK], free_steps[IR_MAX_RANK];
  size_t rank = lengths.len;
  unsigned n = part_constants(lengths, shape, free_shape);
  unsigned m = part_constants(strides, step, free_steps);
  tsr_type t = tsr_type_tensor_view(c.b, (tsr_elem)pointer->type->pointee, (tsr_ints){shape, rank},
                                    (tsr_ints){step, rank});
  return BUILD_VALUE(make_tensor_view, c.b, pointer, t, (tsr_values){free_shape, n},
                     (tsr_values){free_steps, m});
}

tsr_value tsr_block_tensor_view_at(const char *file, unsigned line, tsr_builder *b,
                                   tsr_value pointer, tsr_values lengths, tsr_values strides) {
  caller c = CALLER;
  if (!caller_goes_on(c)) return NULL;
  if (!pointer || pointer->type->kind != IR_TILE || pointer->type->elem != TSR_PTR ||
      lengths.len != strides.len || !lengths.len || lengths.len > IR_MAX_RANK) {
    caller_error(
        c,
        "tsr_block_tensor_view: expected a pointer and a length and a stride for each of 1 "
        "to %d dimensions, found %zu lengths and %zu strides",
        IR_MAX_RANK, lengths.len, strides.len);
    return NULL;
  }
  return tensor_view(c, pointer, lengths, strides);
}

/* ---- shared memory -------------------------------------------------------------------------- */

/* Slots begin at multiples of what the swizzle permutes, so that each is swizzled alike. */
static tsr_memory_layout in_slots(const tsr_memory_layout *one, int64_t slots) {
  tsr_memory_layout m = *one;
  int64_t period = ir_memory_period(one), extent = tsr_memory_extent(one);
  memmove(m.dim_modes + 1, one->dim_modes, one->rank);
  memmove(m.size + 1, one->size, one->modes * sizeof *one->size);
  memmove(m.stride + 1, one->stride, one->modes * sizeof *one->stride);
  m.rank++;
  m.modes++;
  m.dim_modes[0] = 1;
  m.size[0] = (int32_t)slots;
  m.stride[0] = (extent + period - 1) / period * period;
  return m;
}

tsr_value tsr_block_lds_view_at(const char *file, unsigned line, tsr_builder *b, tsr_elem elem,
                                int64_t slots, const tsr_descriptor *descriptor) {
  caller c = CALLER;
  tsr_memory_layout m;
  tsr_layout_error e;
  if (!caller_goes_on(c)) return NULL;
  if (!caller_accepts(c, "tsr_block_lds_view", tsr_memory_from_descriptor(&m, descriptor, &e), &e))
    return NULL;
  if (slots < 0 || slots > INT32_MAX || m.rank == TSR_LAYOUT_MAX_RANK ||
      m.modes == TSR_LAYOUT_MAX_MODES) {
    caller_error(c, "tsr_block_lds_view: %lld slots of rank %u: expected fewer", (long long)slots,
                 m.rank);
    return NULL;
  }
  if (slots) m = in_slots(&m, slots);
  return BUILD_VALUE(alloc_shared, c.b, tsr_type_shared(b, elem, &m));
}

static bool is_shared(tsr_value v) {
  return v && v->type->kind == IR_SHARED;
}

/* One slot of it, without the first dimension. */
static tsr_value slot_of(caller c, tsr_value lds, tsr_value slot) {
  tsr_memory_layout part;
  if (lds->type->rank < 2 ||
      !ir_memory_part(lds->type->memory, lds->type->rank - 1u, lds->type->shape + 1, &part)) {
    caller_error(c, "tsr_block_lds_window: expected shared memory with a dimension of slots");
    return NULL;
  }
  return BUILD_VALUE(subview, c.b, lds, TSR_VALUES(slot),
                     tsr_type_shared(c.b, (tsr_elem)lds->type->elem, &part));
}

/* ---- windows -------------------------------------------------------------------------------- */

static tsr_block_window window_of(tsr_value storage, const tsr_layout *l) {
  tsr_block_window w = {.storage = storage, .distributed = l != NULL};
  if (l) w.distribution = *l;
  return w;
}

tsr_block_window tsr_block_tile_window_at(const char *file, unsigned line, tsr_builder *b,
                                          tsr_value view, tsr_values origin,
                                          const tsr_layout *distribution) {
  caller c = CALLER;
  if (!caller_goes_on(c)) return window_of(NULL, NULL);
  if (!view || view->type->kind != IR_TENSOR_VIEW || !distribution ||
      distribution->rank != view->type->rank || origin.len != view->type->rank) {
    caller_error(c, "tsr_block_tile_window: expected a tensor view, and an origin and a "
                    "distribution of its rank");
    return window_of(NULL, NULL);
  }
  tsr_block_window w = window_of(view, distribution);
  for (size_t d = 0; d < origin.len; d++) w.origin[d] = origin.data[d];
  return w;
}

tsr_block_window tsr_block_lds_window_at(const char *file, unsigned line, tsr_builder *b,
                                         tsr_value lds, tsr_value slot,
                                         const tsr_layout *distribution) {
  caller c = CALLER;
  if (!caller_goes_on(c)) return window_of(NULL, NULL);
  if (!is_shared(lds)) {
    caller_error(c, "tsr_block_lds_window: expected shared memory");
    return window_of(NULL, NULL);
  }
  return window_of(slot ? slot_of(c, lds, slot) : lds, distribution);
}

void tsr_block_move_tile_window_at(const char *file, unsigned line, tsr_builder *b,
                                   tsr_block_window *w, tsr_values step) {
  caller c = CALLER;
  if (!caller_goes_on(c)) return;
  if (!w || !w->storage || is_shared(w->storage) || step.len != w->storage->type->rank) {
    caller_error(c, "tsr_block_move_tile_window: expected a window of global memory and a step in "
                    "each of its dimensions");
    return;
  }
  for (size_t d = 0; d < step.len; d++)
    w->origin[d] = BUILD_VALUE(addi, c.b, w->origin[d], step.data[d]);
}
