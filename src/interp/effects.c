/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What a tile block asks of its launch: where it is in the grid, printing, reporting.
 */
#include "interp/internal.h"

void run_get_tile_block_id(frame *f, const inst *i) {
  for (uint32_t d = 0; d < 3; d++) set_scalar(f, i, d, (uint32_t)f->block->id[d]);
}

void run_get_num_tile_blocks(frame *f, const inst *i) {
  for (uint32_t d = 0; d < 3; d++) set_scalar(f, i, d, (uint32_t)f->block->grid[d]);
}

void run_print(frame *f, const inst *i) {
  str format = ir_get_attr(i->op, ATTR_str)->s;
  rt_print_arg *args = at(f, i->temp);
  uint32_t n = i->op->segments[0];
  for (uint32_t k = 0; k < n; k++) {
    const ir_type *t = in_type(i, k);
    args[k] = (rt_print_arg){at(f, i->in[k]), t->elem, t->rank, t->shape};
  }
  f->block->hooks->print(f->block, format.data, format.len, args, n);
}

/* Reports once, however many elements are false, and continues. */
void run_assert(frame *f, const inst *i) {
  const ir_type *t = in_type(i, 0);
  if (!memchr(at(f, i->in[0]), 0, (size_t)t->count)) return;
  rt_print_arg condition = {at(f, i->in[0]), TSR_I1, t->rank, t->shape};
  f->block->hooks->assert_failed(f->block, ir_get_attr(i->op, ATTR_message)->s.data, i->where,
                                 t->rank ? &condition : NULL);
}
