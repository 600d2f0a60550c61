/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "block/scratch.h"

#include "block/access.h"
#include "block/memory.h"
#include "block/parts.h"
#include "opt/rewrite.h"

static tsr_elem held_as(uint8_t elem) {
  return elem == TSR_I4 ? TSR_I8 : (tsr_elem)elem;
}

/* At the beginning of the kernel, once. */
static ir_value *make_view(const block_lowering *x, const ir_op *alloc) {
  const ir_type *t = ir_result(alloc, 0)->type;
  ir_op *at = x->entry->regions[0]->first;
  int64_t count = 1;
  for (unsigned d = 0; d < t->rank; d++) count *= t->shape[d];
  ir_value *base = memory_alloca(x->m, x->entry, alloc->loc, held_as(t->elem), count,
                                 ir_int_attr(alloc, ATTR_alignment));
  base->name = ir_result(alloc, 0)->name;
  return memory_view(x->m, at, alloc->loc, base, t->rank, t->shape);
}

static ir_value *view_of(scratch *s, const ir_op *alloc) {
  uintptr_t *slot = map_put(s->x->arena, &s->views, (uintptr_t)alloc);
  if (!*slot) *slot = (uintptr_t)make_view(s->x, alloc);
  return (ir_value *)*slot;
}

typedef struct spot {
  part own, whole; /* `whole` has the dimensions of the allocation */
  window w;
  sum offsets[TSR_LAYOUT_MAX_RANK];
} spot;

/* The tile has all dimensions of the allocation, those that a part does without at size 1. */
static void find_place(scratch *s, const ir_value *storage, spot *out) {
  ir_module *m = s->x->m;
  int64_t shape[TSR_LAYOUT_MAX_RANK];
  part_of(storage, &out->own);
  const part p = out->own;
  part_of(ir_result(p.root, 0), &out->whole);
  for (unsigned d = 0; d < p.rank; d++) {
    shape[d] = p.dim[d].size;
    out->offsets[d] = part_start(s->x, &p, d, UINT64_C(1) << 32);
    if (p.dim[d].size == p.dim[d].whole) out->offsets[d] = sum_number(UINT64_C(1) << 32, 0);
  }
  out->w = (window){.view = view_of(s, p.root),
                    .type = ir_tile(m, held_as(storage->type->elem), 0, p.rank, shape),
                    .offset_type = ir_scalar(m, TSR_I32),
                    .offsets = out->offsets,
                    .padding = PADDING_ZERO};
}

ir_value *scratch_load(scratch *s, ir_op *at, const ir_value *storage, const ir_type *tile) {
  spot p;
  find_place(s, storage, &p);
  ir_value *v = window_load(s->x, at, &p.w);
  if (!v) return NULL;
  v = part_turn(s->x->m, at, v, &p.whole, &p.own, tile);
  if (v->type->elem == tile->elem) return v;
  return ir_result(rewrite_make(s->x->m, at, OP_trunci, tile, 1, &v), 0);
}

bool scratch_store(scratch *s, ir_op *at, ir_value *value, const ir_value *storage) {
  spot p;
  find_place(s, storage, &p);
  if (value->type->elem != p.w.type->elem) {
    const ir_type *t = ir_tile_like(s->x->m, value->type, (tsr_elem)p.w.type->elem);
    ir_op *wide = rewrite_make(s->x->m, at, OP_exti, t, 1, &value);
    ir_set_int(wide, ATTR_signedness, SIGN_UNSIGNED);
    value = ir_result(wide, 0);
  }
  value = part_turn(s->x->m, at, value, &p.own, &p.whole, p.w.type);
  return window_store(s->x, at, &p.w, value);
}
