/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Interned layouts: a hash of the canonical form leads to a chain of layouts. The two kinds share
 * the map; a node says which it is.
 */
#include "ir/block/layouts.h"

typedef struct layout_node {
  struct layout_node *next;
  bool is_memory;
  union {
    tsr_layout layout;
    tsr_memory_layout memory;
  } u;
} layout_node;

/* The node that holds these bytes, whose unused parts are zero. */
static layout_node *intern(ir_module *m, const void *bytes, size_t size, bool is_memory) {
  uint64_t h = hash_key(m->ctx->secret, is_memory, bytes, size);
  uintptr_t *head = map_put(&m->arena, &m->layouts, h);
  for (layout_node *n = (layout_node *)*head; n; n = n->next)
    if (n->is_memory == is_memory && memcmp(&n->u, bytes, size) == 0) return n;
  layout_node *n = arena_new(&m->arena, layout_node);
  memcpy(&n->u, bytes, size);
  n->is_memory = is_memory;
  n->next = (layout_node *)*head;
  *head = (uintptr_t)n;
  return n;
}

/* ---- distributions -------------------------------------------------------------------------- */

/* Neighbouring replications are one: [-2, -3] and [-6] are the same copies. */
static void merge_copies(tsr_layout *l) {
  uint8_t n = 0;
  for (uint8_t i = 0; i < l->spatial; i++) {
    int32_t mode = l->spatial_modes[i];
    if (n && mode < 0 && l->spatial_modes[n - 1] < 0)
      l->spatial_modes[n - 1] *= -mode;
    else
      l->spatial_modes[n++] = mode;
  }
  l->spatial = n;
}

const tsr_layout *ir_layout(ir_module *m, const tsr_layout *layout) {
  tsr_layout given = *layout, clean;
  tsr_layout_canonicalize(&given);
  merge_copies(&given);
  memset(&clean, 0, sizeof clean);
  clean.rank = given.rank;
  clean.modes = given.modes;
  clean.spatial = given.spatial;
  clean.local = given.local;
  memcpy(clean.dim_modes, given.dim_modes, given.rank * sizeof given.dim_modes[0]);
  memcpy(clean.shape, given.shape, given.rank * sizeof given.shape[0]);
  memcpy(clean.mode_shape, given.mode_shape, given.modes * sizeof given.mode_shape[0]);
  memcpy(clean.spatial_modes, given.spatial_modes, given.spatial * sizeof given.spatial_modes[0]);
  memcpy(clean.local_modes, given.local_modes, given.local * sizeof given.local_modes[0]);
  return &intern(m, &clean, sizeof clean, false)->u.layout;
}

/* ---- memory layouts ------------------------------------------------------------------------- */

/* All of a memory, so from offset 0 on. Dimensions without modes of size 1 and without neighbours
 * that one stride reaches. */
const tsr_memory_layout *ir_memory_layout(ir_module *m, const tsr_memory_layout *memory) {
  tsr_memory_layout clean;
  memset(&clean, 0, sizeof clean);
  clean.rank = memory->rank;
  if (memory->swizzle_bits) {
    clean.swizzle_bits = memory->swizzle_bits;
    clean.swizzle_base = memory->swizzle_base;
    clean.swizzle_shift = memory->swizzle_shift;
  }
  for (uint32_t d = 0, k = 0; d < memory->rank; d++) {
    uint8_t first = clean.modes;
    for (uint32_t end = k + memory->dim_modes[d]; k < end; k++) {
      int32_t size = memory->size[k];
      int64_t stride = memory->stride[k];
      if (size == 1) continue;
      uint8_t last = (uint8_t)(clean.modes - 1);
      if (clean.modes > first && clean.stride[last] == stride * size) {
        clean.size[last] *= size;
        clean.stride[last] = stride;
        continue;
      }
      clean.size[clean.modes] = size;
      clean.stride[clean.modes++] = stride;
    }
    if (clean.modes == first) { /* a dimension of size 1 */
      clean.size[clean.modes] = 1;
      clean.stride[clean.modes++] = 0;
    }
    clean.dim_modes[d] = (uint8_t)(clean.modes - first);
  }
  return &intern(m, &clean, sizeof clean, true)->u.memory;
}

bool ir_is_row_major(const tsr_memory_layout *memory) {
  int64_t stride = 1;
  if (memory->swizzle_bits || memory->modes != memory->rank) return false;
  for (uint32_t k = memory->modes; k-- > 0;) {
    if (memory->size[k] != 1 && memory->stride[k] != stride) return false;
    stride *= memory->size[k];
  }
  return true;
}

int64_t ir_memory_offset(const tsr_memory_layout *memory, const int64_t *index) {
  int64_t offset = 0;
  for (uint32_t d = 0, first = 0; d < memory->rank; first += memory->dim_modes[d++]) {
    int64_t rest = index[d];
    for (uint32_t k = first + memory->dim_modes[d]; k-- > first;) {
      offset += rest % memory->size[k] * memory->stride[k];
      rest /= memory->size[k];
    }
  }
  return offset;
}

int64_t ir_memory_swizzle(const tsr_memory_layout *memory, int64_t offset) {
  if (!memory->swizzle_bits) return offset;
  int64_t mask = ((INT64_C(1) << memory->swizzle_bits) - 1) << memory->swizzle_base;
  return offset ^ (offset >> memory->swizzle_shift & mask);
}

int64_t ir_memory_period(const tsr_memory_layout *memory) {
  if (!memory->swizzle_bits) return 1;
  return INT64_C(1) << (memory->swizzle_base + memory->swizzle_shift + memory->swizzle_bits);
}

int64_t ir_memory_extent(const tsr_memory_layout *memory) {
  return tsr_memory_extent(memory);
}

bool ir_memory_part(const tsr_memory_layout *whole, unsigned rank, const int64_t *shape,
                    tsr_memory_layout *out) {
  unsigned gone = whole->rank - rank;
  uint32_t k = 0;
  *out = *whole;
  out->rank = (uint8_t)rank;
  out->modes = 0;
  for (unsigned d = 0; d < whole->rank; k += whole->dim_modes[d++]) {
    if (d < gone) continue;
    int64_t left = shape[d - gone];
    uint8_t kept[TSR_LAYOUT_MAX_MODES], n = 0;
    int32_t sizes[TSR_LAYOUT_MAX_MODES];
    for (uint32_t i = k + whole->dim_modes[d]; i-- > k && left > 1; n++) {
      int32_t size = whole->size[i];
      if (left >= size ? left % size : size % left) return false;
      kept[n] = (uint8_t)i;
      sizes[n] = left < size ? (int32_t)left : size;
      left /= sizes[n];
    }
    if (left > 1) return false;
    out->dim_modes[d - gone] = n ? n : 1;
    if (!n) {
      out->size[out->modes] = 1;
      out->stride[out->modes++] = 0;
    }
    while (n-- > 0) {
      out->size[out->modes] = sizes[n];
      out->stride[out->modes++] = whole->stride[kept[n]];
    }
  }
  return true;
}

/* ---- text ----------------------------------------------------------------------------------- */

static void print(sbuf *b, const tsr_layout_value *value, tsr_layout_format format) {
  tsr_layout_print_options options = {.struct_size = sizeof options, .format = format};
  char small[256];
  size_t n = tsr_layout_print(value, &options, small, sizeof small);
  if (n < sizeof small) {
    sbuf_add(b, small, n);
    return;
  }
  char *text = arena_alloc(b->arena, n + 1, 1);
  tsr_layout_print(value, &options, text, n + 1);
  sbuf_add(b, text, n);
}

void ir_layout_print(sbuf *b, const tsr_layout *layout) {
  print(b, &(tsr_layout_value){.kind = TSR_LAYOUT_DISTRIBUTION, .layout = *layout},
        TSR_FORMAT_CHAIN);
}

void ir_memory_layout_print(sbuf *b, const tsr_memory_layout *memory) {
  print(b, &(tsr_layout_value){.kind = TSR_LAYOUT_MEMORY, .memory = *memory}, TSR_FORMAT_CUTE);
}
