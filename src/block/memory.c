/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "block/memory.h"

#include <tessera/layout.h>

#include "opt/rewrite.h"

enum { ALIGNMENT = 64 /* a line of the cache, and the widest vectors */ };

ir_value *memory_alloca(ir_module *m, ir_op *entry, ir_loc loc, tsr_elem elem, int64_t count,
                        int64_t alignment) {
  ir_op *at = entry->regions[0]->first;
  ir_op *memory = rewrite_make(m, at, OP_alloca, ir_tile(m, TSR_PTR, elem, 0, NULL), 0, NULL);
  memory->loc = loc;
  ir_set_int(memory, ATTR_num_elem, count);
  ir_set_int(memory, ATTR_alignment, MAX(alignment, (int64_t)ALIGNMENT));
  return ir_result(memory, 0);
}

ir_value *memory_strided_view(ir_module *m, ir_op *at, ir_loc loc, ir_value *base, unsigned rank,
                              const int64_t *shape, const int64_t *strides) {
  const ir_type *view = ir_tensor_view(m, (tsr_elem)base->type->pointee, rank, shape, strides);
  ir_op *made = ir_op_create(m, &(ir_op_spec){.opcode = OP_make_tensor_view,
                                              .loc = loc,
                                              .n_operands = 1,
                                              .operands = &base,
                                              .segments = (uint32_t[]){1, 0, 0},
                                              .n_results = 1,
                                              .result_types = &view});
  ir_op_insert_before(at, made);
  return ir_result(made, 0);
}

ir_value *memory_view(ir_module *m, ir_op *at, ir_loc loc, ir_value *base, unsigned rank,
                      const int64_t *shape) {
  int64_t strides[TSR_LAYOUT_MAX_RANK], count = 1;
  for (unsigned d = rank; d-- > 0; count *= shape[d]) strides[d] = count;
  return memory_strided_view(m, at, loc, base, rank, shape, strides);
}

ir_value *memory_load(ir_module *m, ir_op *at, ir_value *view) {
  const ir_type *t = view->type;
  ir_value *operands[1 + TSR_LAYOUT_MAX_RANK] = {view};
  ir_value *zero = rewrite_splat(m, at, ir_scalar(m, TSR_I32), 0);
  for (uint32_t d = 0; d < t->rank; d++) operands[1 + d] = zero;
  const ir_type *result = ir_tile(m, (tsr_elem)t->elem, 0, t->rank, t->shape);
  ir_op *load = ir_op_create(m, &(ir_op_spec){.opcode = OP_load_global,
                                              .loc = at->loc,
                                              .n_operands = 1 + t->rank,
                                              .operands = operands,
                                              .segments = (uint32_t[]){1, t->rank, 0},
                                              .n_results = 1,
                                              .result_types = &result});
  ir_op_insert_before(at, load);
  return ir_result(load, 0);
}

void memory_store(ir_module *m, ir_op *at, ir_value *v, ir_value *view) {
  uint32_t rank = v->type->rank;
  ir_value *operands[2 + TSR_LAYOUT_MAX_RANK] = {v, view};
  ir_value *zero = rewrite_splat(m, at, ir_scalar(m, TSR_I32), 0);
  for (uint32_t d = 0; d < rank; d++) operands[2 + d] = zero;
  ir_op *store = ir_op_create(m, &(ir_op_spec){.opcode = OP_store_global,
                                               .loc = at->loc,
                                               .n_operands = 2 + rank,
                                               .operands = operands,
                                               .segments = (uint32_t[]){1, 1, rank, 0}});
  ir_op_insert_before(at, store);
}
