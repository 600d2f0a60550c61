/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * cp_async: each thread copies what the layout gives it, 16, 8 or 4 bytes at a time, as many as lie
 * in a row both in the view and in shared memory. Where fewer do, or where it turns out in the run
 * that they aren't aligned, elements of less than 4 bytes are loaded and stored: sooner than the
 * program asks for, which it cannot tell. So are elements of fewer than 8 bits that have a byte
 * each in shared memory (gpu/block/packed.h).
 */
#include "gpu/block/packed.h"
#include "gpu/block/stated.h"
#include "gpu/block/storage.h"
#include "gpu/block/window.h"
#include "gpu/code.h"
#include "gpu/index.h"
#include "gpu/shared.h"
#include "gpu/values.h"
#include "gpu/vendor.h"

typedef struct copying {
  gen *g;
  window w;
  part_place to;
  llv owner;      /* i1; NULL: all threads copy */
  unsigned bytes; /* of an element */
} copying;

/* Elements that lie in a row in both memories, log2. */
static unsigned common_run(gen *g, const storage_ref *s, const view *v, const simt_dist *d,
                           const int32_t *steps) {
  unsigned most = gpu_widest_part(g, s->type), best = 0;
  for (unsigned k = 0; k < v->type->rank; k++) {
    int8_t bits[SIMT_BITS];
    if (v->type->strides[k] != 1) continue;
    unsigned run = gpu_window_row(s->type, k, d, steps, most, bits);
    best = MAX(best, gpu_part_run(s, bits, run, most));
  }
  return best;
}

/* The same of elements that share bytes: of a run all exist or none. */
static void copy_packed(copying *c) {
  gen *g = c->g;
  LLVMBuilderRef b = g->e.b;
  const access *a = &c->w.a;
  packed_run r = gpu_packed_run(tsr_elem_bits((tsr_elem)a->elem), a->run);
  unsigned units = a->nibbles ? 1 : 3, bytes = gpu_fills_words(tsr_elem_bits((tsr_elem)a->elem))
                                                   ? r.bits / 8 * r.n
                                                   : r.bits / 8;
  for (uint32_t i = 0; i < slots_of(&a->d); i += 1u << a->run) {
    uint32_t to_offset, from_offset;
    llv to = gpu_part_address(g, &c->to, simt_index_of_slot(&a->d, i), &to_offset);
    llv from = LLVMBuildLShr(b, gpu_address_near(g, a, i, &from_offset), k64(g, units), "");
    llv size = gpu_exists(g, a, i);
    if (size) size = LLVMBuildSelect(b, size, k32(g, bytes), k32(g, 0), "");
    for (uint32_t at = 0; at < r.bits / 8 * r.n; at += bytes)
      g->vendor->copy_async(g, bytes, to, to_offset + at, from, (from_offset >> units) + at,
                            c->owner, size);
  }
}

/* Chunks of so many elements, log2, by the engine; what lies outside of the view becomes zeros. */
static void copy_chunks(copying *c, unsigned run) {
  gen *g = c->g;
  const simt_dist *d = &c->w.a.d;
  for (uint32_t i = 0; i < slots_of(d); i += 1u << run) {
    uint32_t to_offset, from_offset;
    llv to = gpu_part_address(g, &c->to, simt_index_of_slot(d, i), &to_offset);
    llv from = gpu_address_near(g, &c->w.a, i, &from_offset);
    llv size;
    if (run == c->w.a.run) {
      size = gpu_window_bytes(g, &c->w, i, c->bytes << run);
    } else {
      size = gpu_exists(g, &c->w.a, i);
      if (size) size = LLVMBuildSelect(g->e.b, size, k32(g, c->bytes), k32(g, 0), "");
    }
    g->vendor->copy_async(g, c->bytes << run, to, to_offset, from, from_offset, c->owner, size);
  }
}

llv gpu_elements_copied(gen *g) {
  if (g->elements_copied) return g->elements_copied;
  g->elements_copied = LLVMBuildAlloca(g->start, g->e.i1, "");
  LLVMBuildStore(g->start, LLVMConstInt(g->e.i1, 0, 0), g->elements_copied);
  return g->elements_copied;
}

/* Element by element through registers. */
static void copy_elements(copying *c) {
  gen *g = c->g;
  access a = c->w.a;
  const simt_dist *d = &a.d;
  a.run = 0;
  a.run_ok = NULL;
  a.pad = gpu_padding_value(g, (tsr_elem)a.elem, PADDING_ZERO);
  llv *x = gpu_load_raw(g, &a);
  LLVMBuildStore(g->e.b, LLVMConstInt(g->e.i1, 1, 0), gpu_elements_copied(g));
  llblock done = gpu_begin_owner(g, c->owner);
  bool packed = c->to.unit.shift;
  if (packed) gpu_put_packed(g, d, x, c->to.part);
  for (uint32_t i = 0; i < slots_of(d) && !packed; i++) {
    uint32_t offset;
    llv at = to_i64(g, gpu_part_address(g, &c->to, simt_index_of_slot(d, i), &offset));
    llv p = as_ptr(g, add_const(g, at, offset), SPACE_SHARED);
    LLVMSetAlignment(LLVMBuildStore(g->e.b, x[i], p), c->bytes);
  }
  if (done) gpu_go(g, done);
}

static void copy_narrow(copying *c) {
  if (c->bytes >= 4)
    copy_chunks(c, 0);
  else
    copy_elements(c);
}

static void copy_wide(copying *c) {
  if (c->to.unit.shift)
    copy_packed(c);
  else
    copy_chunks(c, c->w.a.run);
}

/* Whether an instruction copies runs of so many elements. */
static bool fills_chunk(gen *g, const ir_type *t, unsigned run) {
  if (gpu_unit_of(g, t).shift)
    return gpu_packed_run(tsr_elem_bits((tsr_elem)t->elem), run).bits == 32;
  return tsr_elem_bits((tsr_elem)t->elem) >= 8 && gpu_shared_bytes((tsr_elem)t->elem) << run >= 4;
}

void gpu_cp_async(gen *g, ir_op *op) {
  uint32_t n;
  ir_value *subject = ir_operand_in(op, 0);
  const storage_ref *s = value_of(g, ir_operand_in(op, 2))->storage;
  simt_dist d = gpu_layout_dist(g, ir_get_attr(op, ATTR_layout)->layout);
  copying c = {.g = g, .bytes = gpu_shared_bytes((tsr_elem)s->type->elem)};
  bool packed = gpu_unit_of(g, s->type).shift;
  unsigned run = common_run(g, s, value_of(g, subject)->view, &d, gpu_window_steps(g, op));
  if (!fills_chunk(g, s->type, run)) run = 0;
  gpu_open_window(g, &c.w, op, subject, ir_operand_group(op, 1, &n), s->type, &d, run, !packed);
  if (!fills_chunk(g, s->type, c.w.a.run)) c.w.a.run = 0;
  gpu_part_place(g, &c.to, s, &c.w.a.d);
  c.owner = gpu_owner(g, &c.w.a.d);
  if (!c.w.a.run) {
    copy_narrow(&c);
    return;
  }
  if (!c.w.a.run_ok) {
    copy_wide(&c);
    return;
  }
  llblock wide = gpu_new_block(g, "copy.wide"), narrow = gpu_new_block(g, "copy.narrow");
  llblock done = gpu_new_block(g, "copy.end");
  part_place to = c.to;
  LLVMBuildCondBr(g->e.b, c.w.a.run_ok, wide, narrow);
  LLVMPositionBuilderAtEnd(g->e.b, wide);
  copy_wide(&c);
  LLVMBuildBr(g->e.b, done);
  LLVMPositionBuilderAtEnd(g->e.b, narrow);
  c.to = to; /* without addresses that were made on the other way */
  c.to.x.places = &c.to.d;
  copy_narrow(&c);
  gpu_go(g, done);
}
