/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Layouts as text: the notations that parse.c reads, a line per bit, boxed tables, JSON.
 */
#include <stdio.h>

#include "layout/draw.h"
#include "layout/linear.h"

/* ---- a cursor over the caller's buffer ------------------------------------------------------ */

void out_add(out_text *o, const char *s, size_t n) {
  if (o->len < o->size) memcpy(o->data + o->len, s, MIN(n, o->size - o->len));
  o->len += n;
}

void out_puts(out_text *o, const char *s) {
  out_add(o, s, strlen(s));
}

void out_printf(out_text *o, const char *fmt, ...) {
  char text[512];
  va_list args;
  va_start(args, fmt);
  int n = vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  out_add(o, text, MIN((size_t)MAX(n, 0), sizeof text - 1));
}

size_t out_end(out_text *o) {
  if (o->size) o->data[MIN(o->len, o->size - 1)] = 0;
  return o->len;
}

void out_list(out_text *o, uint32_t n, const int32_t *v) {
  out_puts(o, "[");
  for (uint32_t i = 0; i < n; i++) out_printf(o, i ? ", %d" : "%d", v[i]);
  out_puts(o, "]");
}

/* ---- one line ------------------------------------------------------------------------------- */

void print_tilus(out_text *o, const tsr_layout *l) {
  out_puts(o, "RegisterLayout(shape=");
  out_list(o, l->rank, l->shape);
  out_puts(o, ", mode_shape=");
  out_list(o, l->modes, l->mode_shape);
  out_puts(o, ", spatial_modes=");
  out_list(o, l->spatial, l->spatial_modes);
  out_puts(o, ", local_modes=");
  out_list(o, l->local, l->local_modes);
  out_puts(o, ")");
}

static void print_pairs(out_text *o, uint32_t n, const tsr_rh *pairs) {
  out_puts(o, "[");
  for (uint32_t i = 0; i < n; i++)
    out_printf(o, "%s(%u, %u)", i ? ", " : "", pairs[i].major, pairs[i].minor);
  out_puts(o, "]");
}

static void print_encoding(out_text *o, const tsr_encoding *c) {
  out_puts(o, "encoding(Rs=");
  out_list(o, c->r, c->rs);
  out_puts(o, ", Hs=[");
  for (uint32_t d = 0, m = 0; d < c->x; m += c->h_count[d++]) {
    if (d) out_puts(o, ", ");
    out_list(o, c->h_count[d], c->hs + m);
  }
  out_puts(o, "], Ps=[");
  for (uint32_t p = 0, i = 0; p < c->p; i += c->p_count[p++]) {
    if (p) out_puts(o, ", ");
    print_pairs(o, c->p_count[p], c->ps + i);
  }
  out_puts(o, "], Ys=");
  print_pairs(o, c->y, c->ys);
  out_puts(o, ")");
}

static void print_ck(out_text *o, const tsr_layout *l, int32_t warp_size) {
  tsr_encoding c;
  tsr_layout_error e;
  int64_t workers = tsr_layout_spatial_size(l);
  int32_t axes[2] = {warp_size > 0 ? (int32_t)(workers / warp_size) : 0, warp_size};
  bool split = warp_size > 0 && workers % warp_size == 0 && axes[0] > 0;
  if (tsr_encoding_from_layout(&c, l, split ? 2 : 0, axes, &e) == TSR_OK ||
      tsr_encoding_from_layout(&c, l, 0, NULL, &e) == TSR_OK)
    print_encoding(o, &c);
  else
    out_printf(o, "no encoding: %s", e.message);
}

/* A CuTe tuple: the modes of one side, fastest first; a single one without parentheses. */
typedef struct cute_side {
  int64_t size[MAX_MODES], stride[MAX_MODES];
  uint32_t n;
} cute_side;

static void print_side(out_text *o, const cute_side *s, bool strides) {
  if (s->n == 0) out_puts(o, strides ? "0" : "1");
  if (s->n > 1) out_puts(o, "(");
  for (uint32_t i = 0; i < s->n; i++)
    out_printf(o, "%s%lld", i ? "," : "", (long long)(strides ? s->stride[i] : s->size[i]));
  if (s->n > 1) out_puts(o, ")");
}

static void print_sides(out_text *o, const cute_side *s, uint32_t n) {
  for (int strides = 0; strides < 2; strides++) {
    if (strides) out_puts(o, ":");
    out_puts(o, "(");
    for (uint32_t i = 0; i < n; i++) {
      if (i) out_puts(o, ",");
      print_side(o, &s[i], strides);
    }
    out_puts(o, ")");
  }
}

static cute_side side_of(const tsr_layout *l, const int32_t *list, uint32_t n,
                         const int64_t *weight) {
  cute_side s = {.n = n};
  for (uint32_t i = 0; i < n; i++) {
    int32_t entry = list[n - 1 - i];
    s.size[i] = entry < 0 ? -entry : l->mode_shape[entry];
    s.stride[i] = entry < 0 ? 0 : weight[entry];
  }
  return s;
}

/* The column-major index of the tile is the row-major one with the dimensions turned around. */
static void print_cute(out_text *o, const tsr_layout *l) {
  tsr_layout flat = *l;
  int32_t dims[MAX_RANK];
  for (uint32_t d = 0; d < l->rank; d++) dims[d] = (int32_t)(l->rank - 1 - d);
  tsr_layout_permute(&flat, l, l->rank, dims, NULL);
  if (flat.rank) tsr_layout_flatten(&flat, &flat, 0, -1, NULL);
  int64_t weight[MAX_MODES], w = 1;
  for (uint32_t m = flat.modes; m-- > 0;) {
    weight[m] = w;
    w *= flat.mode_shape[m];
  }
  cute_side sides[2] = {side_of(&flat, flat.spatial_modes, flat.spatial, weight),
                        side_of(&flat, flat.local_modes, flat.local, weight)};
  out_puts(o, "tv(");
  print_sides(o, sides, 2);
  out_puts(o, ", shape=");
  out_list(o, l->rank, l->shape);
  out_puts(o, ")");
}

void print_memory(out_text *o, const tsr_memory_layout *m) {
  cute_side sides[MAX_RANK];
  if (m->swizzle_bits)
    out_printf(o, "Sw<%u,%u,%u> o ", m->swizzle_bits, m->swizzle_base, m->swizzle_shift);
  if (m->offset) out_printf(o, "%lld o ", (long long)m->offset);
  for (uint32_t d = 0, k = 0; d < m->rank; k += m->dim_modes[d++]) {
    sides[d].n = m->dim_modes[d];
    for (uint32_t i = 0; i < sides[d].n; i++) {
      sides[d].size[i] = m->size[k + sides[d].n - 1 - i];
      sides[d].stride[i] = m->stride[k + sides[d].n - 1 - i];
    }
  }
  print_sides(o, sides, m->rank);
}

/* As Tilus prints it, which has no offsets. */
static void print_shared(out_text *o, const tsr_memory_layout *m) {
  int32_t shape[MAX_RANK];
  if (m->offset) {
    print_memory(o, m);
    return;
  }
  for (uint32_t d = 0; d < m->rank; d++) shape[d] = tsr_memory_dim(m, d);
  out_puts(o, "SharedLayout(shape=");
  out_list(o, m->rank, shape);
  out_puts(o, ", mode_shape=");
  out_list(o, m->modes, m->size);
  out_puts(o, ", mode_strides=[");
  for (uint32_t k = 0; k < m->modes; k++)
    out_printf(o, k ? ", %lld" : "%lld", (long long)m->stride[k]);
  out_puts(o, "], swizzle=");
  if (m->swizzle_bits)
    out_printf(o, "Swizzle(base=%u, bits=%u, shift=%u))", m->swizzle_base, m->swizzle_bits,
               m->swizzle_shift);
  else
    out_puts(o, "None)");
}

/* ---- a line per bit ------------------------------------------------------------------------- */

static void print_index(out_text *o, uint64_t bits, uint32_t rank, const int32_t *shape) {
  int32_t index[MAX_RANK];
  for (uint32_t d = rank; d-- > 0;) {
    index[d] = (int32_t)(bits % (uint64_t)shape[d]);
    bits /= (uint64_t)shape[d];
  }
  out_list(o, rank, index);
}

static void print_linear(out_text *o, const tsr_layout *l) {
  tsr_linear m;
  uint32_t slots;
  tsr_layout_error e;
  if (tsr_linear_from_layout(&m, &slots, l, &e) != TSR_OK) {
    out_puts(o, e.message);
    return;
  }
  for (uint32_t i = 0; i < m.in; i++) {
    uint32_t bit = i < slots ? i : i - slots;
    out_printf(o, "%s%-6s %6llu -> ", i ? "\n" : "", i < slots ? "slot" : "worker", 1ull << bit);
    print_index(o, m.column[i], l->rank, l->shape);
  }
}

static void print_linear_memory(out_text *o, const tsr_memory_layout *memory) {
  tsr_linear m;
  tsr_layout_error e;
  int32_t shape[MAX_RANK];
  for (uint32_t d = 0; d < memory->rank; d++) shape[d] = tsr_memory_dim(memory, d);
  if (tsr_linear_from_memory(&m, memory, &e) != TSR_OK) {
    out_puts(o, e.message);
    return;
  }
  for (uint32_t i = 0; i < m.in; i++) {
    out_puts(o, i ? "\n" : "");
    print_index(o, 1ull << i, memory->rank, shape);
    out_printf(o, " -> offset %llu", (unsigned long long)m.column[i]);
    if (m.column[i] & (m.column[i] - 1)) {
      const char *join = " =";
      for (uint64_t rest = m.column[i]; rest; rest &= rest - 1, join = " ^")
        out_printf(o, "%s %llu", join, (unsigned long long)(rest & -rest));
    }
  }
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static void json_layout(out_text *o, const tsr_layout *l) {
  out_puts(o, "{\"shape\": ");
  out_list(o, l->rank, l->shape);
  out_puts(o, ", \"mode_shape\": ");
  out_list(o, l->modes, l->mode_shape);
  out_puts(o, ", \"spatial_modes\": ");
  out_list(o, l->spatial, l->spatial_modes);
  out_puts(o, ", \"local_modes\": ");
  out_list(o, l->local, l->local_modes);
  out_printf(o, ", \"workers\": %lld, \"slots\": %lld, \"copies\": %lld}",
             (long long)tsr_layout_spatial_size(l), (long long)tsr_layout_local_size(l),
             (long long)tsr_layout_copies(l));
}

static void json_memory(out_text *o, const tsr_memory_layout *m) {
  out_puts(o, "{\"shape\": [");
  for (uint32_t d = 0; d < m->rank; d++) out_printf(o, d ? ", %d" : "%d", tsr_memory_dim(m, d));
  out_puts(o, "], \"modes\": [");
  for (uint32_t d = 0, k = 0; d < m->rank; d++) {
    out_puts(o, d ? ", [" : "[");
    for (uint32_t i = 0; i < m->dim_modes[d]; i++, k++)
      out_printf(o, "%s{\"size\": %d, \"stride\": %lld}", i ? ", " : "", m->size[k],
                 (long long)m->stride[k]);
    out_puts(o, "]");
  }
  out_printf(o, "], \"offset\": %lld, \"swizzle\": [%u, %u, %u], \"extent\": %lld}",
             (long long)m->offset, m->swizzle_bits, m->swizzle_base, m->swizzle_shift,
             (long long)tsr_memory_extent(m));
}

/* ---- entry ---------------------------------------------------------------------------------- */

static void print_value(out_text *o, const tsr_layout_value *v, const tsr_layout_print_options *p) {
  bool memory = v->kind == TSR_LAYOUT_MEMORY;
  switch (p->format) {
  case TSR_FORMAT_TILUS:
    if (memory)
      print_shared(o, &v->memory);
    else
      print_tilus(o, &v->layout);
    break;
  case TSR_FORMAT_CK:
    if (memory)
      print_memory(o, &v->memory);
    else if (v->kind == TSR_LAYOUT_ENCODING)
      print_encoding(o, &v->encoding);
    else
      print_ck(o, &v->layout, p->warp_size);
    break;
  case TSR_FORMAT_CUTE:
    if (memory)
      print_memory(o, &v->memory);
    else
      print_cute(o, &v->layout);
    break;
  case TSR_FORMAT_LINEAR:
    if (memory)
      print_linear_memory(o, &v->memory);
    else
      print_linear(o, &v->layout);
    break;
  case TSR_FORMAT_CHAIN:
    if (memory)
      print_memory(o, &v->memory);
    else if (!print_chain(o, &v->layout))
      print_tilus(o, &v->layout);
    break;
  case TSR_FORMAT_JSON:
    if (memory)
      json_memory(o, &v->memory);
    else
      json_layout(o, &v->layout);
    break;
  default: print_table(o, v, p->color); break;
  }
}

size_t tsr_layout_print(const tsr_layout_value *value, const tsr_layout_print_options *given,
                        char *out, size_t size) {
  tsr_layout_print_options options;
  if (!value || !given || (size && !out) ||
      !struct_take(&options, sizeof options, given, offsetof(tsr_layout_print_options, warp_size)))
    return layout_no_text(out, size);
  out_text o = {out, size, 0};
  print_value(&o, value, &options);
  return out_end(&o);
}
