/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What kernels of the block level have beside operations: types with layouts, threads.
 */
#include <tessera/block.h>

#include "ir/block/layouts.h"
#include "ir/build/guard.h"

static tsr_type accept(tsr_builder *b, const ir_type *t) {
  const char *problem = ir_type_problem(&b->module->arena, t);
  if (!problem) return t;
  build_error(b, "%s", problem);
  return NULL;
}

static bool is_number(tsr_builder *b, tsr_elem elem) {
  if ((unsigned)elem < TSR_ELEM_COUNT && elem != TSR_PTR) return true;
  build_error(b, "%d is no element type of numbers", (int)elem);
  return false;
}

static tsr_type distributed(tsr_builder *b, tsr_elem elem, const tsr_layout *layout) {
  int64_t shape[TSR_LAYOUT_MAX_RANK];
  tsr_layout_error e;
  if (!is_number(b, elem)) return NULL;
  if (tsr_layout_validate(layout, &e) != TSR_OK) {
    build_error(b, "tsr_type_distributed: %s", e.message);
    return NULL;
  }
  for (unsigned d = 0; d < layout->rank; d++) shape[d] = layout->shape[d];
  const ir_type *t = ir_tile(b->module, elem, TSR_I1, layout->rank, shape);
  return accept(b, ir_with_layout(b->module, t, layout));
}

static tsr_type
in_memory(tsr_builder *b, const char *name, tsr_elem elem, const tsr_memory_layout *memory,
          const ir_type *(*make)(ir_module *, tsr_elem, const tsr_memory_layout *)) {
  tsr_layout_error e;
  if (!is_number(b, elem)) return NULL;
  if (tsr_memory_validate(memory, &e) != TSR_OK)
    build_error(b, "%s: %s", name, e.message);
  else if (memory->offset)
    build_error(b, "%s: the layout begins at offset %lld, but memory has the layout of all of it",
                name, (long long)memory->offset);
  else
    return accept(b, make(b->module, elem, memory));
  return NULL;
}

static void set_threads(tsr_builder *b, tsr_op *entry, int64_t threads) {
  if (!entry || entry->opcode != OP_entry) {
    build_error(b, "tsr_build_threads: expected what tsr_build_entry gives");
    return;
  }
  ir_set_int(entry, ATTR_threads, threads);
  b->module->block_level = true;
}

static void set_cluster(tsr_builder *b, tsr_op *entry, const int64_t size[3]) {
  if (!entry || entry->opcode != OP_entry) {
    build_error(b, "tsr_build_cluster: expected what tsr_build_entry gives");
    return;
  }
  ir_ints *sizes = arena_alloc(&b->module->arena, sizeof *sizes + 3 * sizeof *size, 8);
  sizes->len = 3;
  memcpy(sizes->data, size, 3 * sizeof *size);
  ir_set_attr(entry, ATTR_cluster, (ir_attr){.ints = sizes});
}

tsr_type tsr_type_distributed(tsr_builder *b, tsr_elem elem, const tsr_layout *layout) {
  if (!b) return NULL;
  BUILD_GUARD(b, return NULL);
  build_at(b, NULL, 0);
  tsr_type made = distributed(b, elem, layout);
  BUILD_DONE(b);
  return made;
}

tsr_type tsr_type_shared(tsr_builder *b, tsr_elem elem, const tsr_memory_layout *memory) {
  if (!b) return NULL;
  BUILD_GUARD(b, return NULL);
  build_at(b, NULL, 0);
  tsr_type made = in_memory(b, "tsr_type_shared", elem, memory, ir_shared);
  BUILD_DONE(b);
  return made;
}

tsr_type tsr_type_tensor_map(tsr_builder *b, tsr_elem elem, const tsr_memory_layout *memory) {
  if (!b) return NULL;
  BUILD_GUARD(b, return NULL);
  build_at(b, NULL, 0);
  tsr_type made = in_memory(b, "tsr_type_tensor_map", elem, memory, ir_tensor_map);
  BUILD_DONE(b);
  return made;
}

tsr_type tsr_type_mbarrier(tsr_builder *b, int64_t count) {
  if (!b) return NULL;
  BUILD_GUARD(b, return NULL);
  build_at(b, NULL, 0);
  tsr_type made = accept(b, ir_mbarrier(b->module, count));
  BUILD_DONE(b);
  return made;
}

static tsr_type of_another(tsr_builder *b, tsr_type t) {
  bool may = t && (t->kind == IR_SHARED || t->kind == IR_MBARRIER) && !t->remote;
  if (may) return accept(b, ir_remote(b->module, t, true));
  build_error(b, "tsr_type_remote: expected the type of shared memory or of an mbarrier");
  return NULL;
}

tsr_type tsr_type_remote(tsr_builder *b, tsr_type type) {
  if (!b) return NULL;
  BUILD_GUARD(b, return NULL);
  build_at(b, NULL, 0);
  tsr_type made = of_another(b, type);
  BUILD_DONE(b);
  return made;
}

static tsr_type in_flight(tsr_builder *b, tsr_type tile) {
  if (tile) return accept(b, ir_async(b->module, tile));
  build_error(b, "tsr_type_async: the tile's type is missing");
  return NULL;
}

tsr_type tsr_type_async(tsr_builder *b, tsr_type tile) {
  if (!b) return NULL;
  BUILD_GUARD(b, return NULL);
  build_at(b, NULL, 0);
  tsr_type made = in_flight(b, tile);
  BUILD_DONE(b);
  return made;
}

const tsr_layout *tsr_type_layout(tsr_type type) {
  return type ? type->layout : NULL;
}

const tsr_memory_layout *tsr_type_memory_layout(tsr_type type) {
  return type ? type->memory : NULL;
}

void tsr_build_threads(tsr_builder *b, tsr_op *entry, int64_t threads) {
  if (!b) return;
  BUILD_GUARD(b, return );
  build_at(b, NULL, 0);
  set_threads(b, entry, threads);
  BUILD_DONE(b);
}

void tsr_build_cluster(tsr_builder *b, tsr_op *entry, int64_t x, int64_t y, int64_t z) {
  if (!b) return;
  BUILD_GUARD(b, return );
  build_at(b, NULL, 0);
  set_cluster(b, entry, (const int64_t[3]){x, y, z});
  BUILD_DONE(b);
}
