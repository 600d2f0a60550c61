/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "simt/nvidia/stage.h"

#include "simt/nvidia/wgmma.h"

simt_stage_layout simt_stage_layout_of(const simt_product *sizes, bool is_lhs, bool fast_is_k,
                                       unsigned elem_bytes) {
  unsigned wide = is_lhs ? sizes->m : sizes->n, columns = is_lhs ? sizes->k : sizes->n;
  simt_stage_layout l = {.n = (uint8_t)(sizes->batch + wide + sizes->k),
                         .elem_bytes = (uint8_t)elem_bytes,
                         .fast_is_k = fast_is_k,
                         .fast = (uint8_t)(fast_is_k ? sizes->k : wide),
                         .slow = (uint8_t)(fast_is_k ? wide : sizes->k),
                         .batch = (uint8_t)sizes->batch};
  unsigned row = MIN(l.fast + elem_bytes, simt_log2(SIMT_PANEL)); /* log2, bytes */
  l.row_bytes = 1u << row;
  l.panel_bytes = l.row_bytes << (l.slow + l.batch);
  l.swizzle = (uint8_t)(row - simt_log2(SIMT_CHUNK));
  uint32_t size = UINT32_C(1) << (l.n + elem_bytes);
  l.bytes = (size + SIMT_STAGE_ALIGN - 1) / SIMT_STAGE_ALIGN * SIMT_STAGE_ALIGN;
  /* a is [batch, m, k], b is [batch, k, n]: its columns have the lowest bits */
  bool fast_is_columns = is_lhs == fast_is_k;
  unsigned fast_first = fast_is_columns ? 0 : columns, slow_first = fast_is_columns ? l.fast : 0;
  for (unsigned j = 0; j < l.fast; j++) {
    unsigned bit = j + elem_bytes;
    l.column[fast_first + j] = bit < row ? 1u << bit : l.panel_bytes << (bit - row);
  }
  for (unsigned j = 0; j < l.slow; j++) l.column[slow_first + j] = l.row_bytes << j;
  for (unsigned j = 0; j < l.batch; j++)
    l.column[l.fast + l.slow + j] = l.row_bytes << (l.slow + j);
  for (unsigned k = 0; k < l.n; k++)
    l.column[k] ^= (l.column[k] >> 7 & ((1u << l.swizzle) - 1)) << 4;
  return l;
}

void simt_stage_spread(simt_stage_layout *l, unsigned first) {
  for (unsigned k = 0; k < l->n; k++) /* back */
    l->column[k] ^= (l->column[k] >> 7 & ((1u << l->swizzle) - 1)) << 4;
  l->swizzle = 0;
  l->spread = true;
  for (unsigned j = 0; j < 2; j++) l->column[l->fast + first + j] ^= 32u << j;
}

bool simt_stage_lay_out(const simt_op *info, simt_staged *x, bool fast_is_k, unsigned elem_bytes) {
  simt_product sizes = simt_product_of(x->product);
  x->layout = simt_stage_layout_of(&sizes, x->is_lhs, fast_is_k, elem_bytes);
  if (info->mma == SIMT_MMA_WARP && !x->is_lhs && !x->layout.fast_is_k && info->column)
    simt_stage_spread(&x->layout, elem_bytes == 0 ? 2 : 0); /* the bits of k that lanes have */
  x->engine = SIMT_COPY_CP_ASYNC;
  if (info->mma != SIMT_MMA_GROUP || simt_wgmma_takes(&x->layout)) return true;
  x->turned = simt_wgmma_may_turn(&x->layout);
  return x->turned;
}

/* ---- text ----------------------------------------------------------------------------------- */

void simt_stage_print(sbuf *out, const simt_staged *x) {
  static const char *const engines[] = {"loads and stores", "cp.async"};
  const simt_stage_layout *l = &x->layout;
  sbuf_printf(out, "%s at %u: rows of %u bytes along %s, ", engines[x->engine], x->offset,
              l->row_bytes,
              l->fast_is_k ? "k"
              : x->is_lhs  ? "m"
                           : "n");
  if (l->spread)
    sbuf_puts(out, "turned by k");
  else if (l->swizzle)
    sbuf_printf(out, "swizzled %u bytes wide", 16u << l->swizzle);
  else
    sbuf_puts(out, "not swizzled");
  if (x->turned) sbuf_puts(out, ", turned in its place");
}
