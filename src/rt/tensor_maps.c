/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Limits: CUDA Driver API, "Tensor Map Object Management".
 */
#include "rt/tensor_maps.h"

#include "exec/expression.h"
#include "rt/order.h"

/* A number of make_tensor_view's: from the type, else the next operand of its group. */
static uint64_t number(int64_t fixed, ir_use *operands, uint32_t *next, const uint64_t *words) {
  if (fixed != IR_DYNAMIC) return (uint64_t)fixed;
  const ir_value *v = operands[(*next)++].value;
  uint64_t x = exec_expression(v, words);
  unsigned bits = tsr_elem_bits((tsr_elem)v->type->elem);
  return bits < 64 ? x & ((UINT64_C(1) << bits) - 1) : x;
}

/* cuda.h's numbers. */
static uint32_t type_of(const simt_tensor_map *m) {
  static const uint8_t bits[] = {0, 1, 2, 4}; /* UINT8, UINT16, UINT32, UINT64 */
  if (m->kind == SIMT_MAP_NUMBERS) {
    switch ((tsr_elem)m->elem) {
    case TSR_F16: return 6;
    case TSR_BF16: return 9;
    case TSR_F32: return 7;
    case TSR_I32: return 3;
    case TSR_I64: return 5;
    default: break;
    }
  }
  return bits[__builtin_ctz(tsr_elem_bits((tsr_elem)m->elem) / 8)];
}

bool rt_tensor_of(const simt_tensor_map *m, const uint64_t *words, rt_tensor *out) {
  const ir_type *t = ir_result(m->view, 0)->type;
  uint64_t shape[SIMT_MAP_RANK], stride[SIMT_MAP_RANK];
  uint32_t n, next_shape = 0, next_stride = 0;
  ir_use *shapes = ir_operand_group(m->view, 1, &n);
  ir_use *strides = ir_operand_group(m->view, 2, &n);
  unsigned bytes = tsr_elem_bits((tsr_elem)m->elem) / 8;
  for (unsigned d = 0; d < m->rank; d++) {
    shape[d] = number(t->shape[d], shapes, &next_shape, words);
    stride[d] = number(t->strides[d], strides, &next_stride, words);
  }
  *out = (rt_tensor){.address = exec_expression(ir_operand_in(m->view, 0), words),
                     .elem_bytes = bytes,
                     .type = type_of(m),
                     .rank = m->rank,
                     .swizzle = m->swizzle};
  if (out->address % SIMT_MAP_ALIGN) return false;
  for (unsigned i = 0; i < m->rank; i++) {
    out->dims[i] = shape[m->dim[i]];
    out->box[i] = m->box[i];
    if (out->dims[i] == 0 || out->dims[i] > (uint64_t)SIMT_MAP_MOST_ELEMENTS) return false;
    if (i == 0 && m->stored && out->dims[0] * bytes % SIMT_MAP_ALIGN) return false;
    if (i == 0) continue;
    uint64_t step = stride[m->dim[i]];
    if (step == 0 || step >= (uint64_t)SIMT_MAP_MOST_STRIDE / bytes ||
        step * bytes % SIMT_MAP_ALIGN)
      return false;
    out->strides[i - 1] = step * bytes;
  }
  return true;
}

/* Persistent kernels count tile blocks in 31 bits. */
static bool takes_grid(const nvptx_entry *e, const uint32_t grid[3]) {
  uint64_t total;
  tsr_grid tiles = {grid[0], grid[1], grid[2]};
  return !e->blocks_per_sm || (order_total(tiles, &total) && total <= INT32_MAX);
}

/* A tensor of one element, for maps that are not used. */
static rt_tensor some_tensor(const simt_tensor_map *m) {
  enum { STEP = 128 };
  rt_tensor t = {.elem_bytes = tsr_elem_bits((tsr_elem)m->elem) / 8,
                 .type = type_of(m),
                 .rank = m->rank,
                 .swizzle = m->swizzle};
  for (unsigned i = 0; i < m->rank; i++) {
    t.dims[i] = 1;
    t.box[i] = m->box[i];
    if (i) t.strides[i - 1] = STEP;
  }
  return t;
}

/* No map can be made of address 0, also none that isn't used: that of a map that is will do. */
static bool give_addresses(rt_tensor *tensors, uint32_t n) {
  uint64_t some = 0;
  for (uint32_t i = 0; i < n && !some; i++) some = tensors[i].address;
  for (uint32_t i = 0; i < n; i++)
    if (!tensors[i].address) tensors[i].address = some;
  return some || !n;
}

static bool has_tensors(const nvptx_entry *e, const uint64_t *words, const uint32_t grid[3],
                        rt_tensor *tensors, uint32_t *failed) {
  if (!e || e->n_maps > RT_MOST_TENSORS || !takes_grid(e, grid)) return false;
  for (uint32_t i = 0; i < e->n_maps; i++) {
    *failed = i;
    if (rt_tensor_of(&e->maps[i], words, &tensors[i])) {
      if (!tensors[i].address) return false; /* threads' own accesses say what is wrong */
      continue;
    }
    if (!(e->optional >> i & 1)) return false;
    uint64_t address = tensors[i].address;
    tensors[i] = some_tensor(&e->maps[i]);
    tensors[i].address = address / SIMT_MAP_ALIGN * SIMT_MAP_ALIGN;
  }
  return give_addresses(tensors, e->n_maps);
}

static bool has_clusters(const nvptx_entry *e, const uint32_t grid[3]) {
  for (unsigned d = 0; e && d < 3; d++)
    if (grid[d] % e->cluster[d]) return false;
  return e != NULL;
}

const nvptx_entry *rt_choose_entry(const nvptx_entry *entry, const uint64_t *words,
                                   const uint32_t grid[3], bool clusters,
                                   rt_tensor tensors[RT_MOST_TENSORS], uint32_t *failed) {
  const nvptx_entry *bulk = entry->bulk;
  *failed = 0;
  if (bulk && clusters && has_clusters(bulk->clustered, grid) &&
      has_tensors(bulk->clustered, words, grid, tensors, failed))
    return bulk->clustered;
  if (has_tensors(bulk, words, grid, tensors, failed)) return bulk;
  return !entry->n_maps || has_tensors(entry, words, grid, tensors, failed) ? entry : NULL;
}

unsigned rt_walk_of(const nvptx_entry *entry, const uint32_t grid[3], unsigned multiprocessors,
                    uint32_t blocks[3], uint64_t words[NVPTX_GRID_WORDS]) {
  uint32_t cluster = 1;
  memcpy(blocks, grid, 3 * sizeof *blocks);
  if (!entry->blocks_per_sm) return 0;
  for (unsigned d = 0; d < 3; d++) {
    blocks[d] = MAX(entry->cluster[d], 1);
    cluster *= blocks[d];
  }
  uint64_t total = (uint64_t)grid[0] * grid[1] * grid[2] / cluster;
  uint64_t fit = (uint64_t)entry->blocks_per_sm * MAX(multiprocessors, 1) / cluster;
  blocks[0] *= (uint32_t)MIN(total, MAX(fit, 1));
  words[0] = (uint64_t)grid[1] << 32 | grid[0];
  words[1] = grid[2];
  return NVPTX_GRID_WORDS;
}
