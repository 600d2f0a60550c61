/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * While a nest computes much per element, memory has nothing to do: what the loads of a nest fetch
 * for later, and where.
 */
#include "cpu/nest/gen_prefetch.h"

#include "cpu/core/fold.h"
#include "cpu/core/notes.h"
#include "cpu/plan/access.h"
#include "cpu/plan/affine.h"
#include "cpu/nest/family.h"
#include "cpu/nest/location.h"
#include "cpu/nest/nest.h"
#include "cpu/nest/nibbles.h"

/* Does another copy of the body load from the same cache line, if that begins where the tile's row
 * does? */
static bool in_line_of_another(const access *a, const index_map *m) {
  int64_t fixed = 0, c;
  for (unsigned k = 0; k < a->n; k++)
    if (m->bit[k] == BIT_ONE && coef_const(a->exact[k], &c)) fixed += c;
  return fixed % (access_elem_bits(a) == 4 ? 128 : 64) != 0; /* nibbles, bytes */
}

/* What is added to an address to get to the piece behind this one, where tiles are cut into
 * 2^`pieces` along their outermost dimension; NULL when there is none. */
static llv piece_behind(lower *l, const access *a, unsigned pieces) {
  int top = (int)a->n - 1;
  while (top >= 0 && coef_is_zero(a->exact[top])) top--;
  top -= (int)pieces;
  if (top < 0) return NULL;
  coef step = a->exact[top];
  if (access_elem_bits(a) != 4) step.m = (int64_t)((uint64_t)step.m << 1);
  return coef_value(l, step, 64);
}

/* The same to the tile behind this one. */
static llv tile_behind(lower *l, const access *a) {
  return piece_behind(l, a, 0);
}

enum { SHORT_ROW = 8 << 10 }; /* bytes, of which the first-level cache holds several */

enum { LINES_AHEAD = 224, LINES_FAR = 512, LINES_NEAR = 128 };

/* The same to what will be read `lines` lines later: a line of the same row in a panel further
 * on, or where the row ends in the tile behind or one behind that, which the same loop will read
 * when it comes again. So long memory takes to answer while a panel is decoded; the lines are
 * counted, because panels are as high as tiles are. */
static llv line_behind(nest *n, const access *a, int64_t lines) {
  lower *l = n->l;
  int64_t panel = INT64_C(1) << n->lane_n; /* bytes */
  int64_t panels = MAX(lines * CACHE_LINE / panel >> n->line_rows, 1);
  int64_t width = n->line_level ? INT64_C(1) << n->levels[n->line_level].n : 1;
  llv near = k64(l, MIN(panels, width) * panel);
  nest_place_level(n, n->line_level);
  llv tile = piece_behind(l, a, n->line_pieces);
  if (tile) {
    int64_t tiles = panels / width, on = panels % width;
    near = fold_add(l, fold_mul(l, tile, k64(l, tiles)), k64(l, on * panel));
    if (on) {
      llv far = fold_add(l, near, fold_add(l, tile, k64(l, -width * panel)));
      llv index = n->levels[n->line_level].index;
      llv ends = LLVMBuildICmp(l->e.b, LLVMIntSGE, index, k64(l, width - on), "");
      near = LLVMBuildSelect(l->e.b, ends, far, near, "");
    }
  }
  nest_place_level(n, n->n_levels - 1);
  return near;
}

/* The address of a line of the tile that is read LINES_FAR lines later or more, where rows have
 * four lines and more in a tile. These lines are asked for one behind the other as they lie in
 * memory, four with each step along k, though they are read down a panel. */
static llv line_along_rows(nest *n, const access *a, const index_map *m) {
  lower *l = n->l;
  LLVMBuilderRef b = l->e.b;
  enum { AT_ONCE = 2 }; /* log2 */
  unsigned row = n->line_row, width = n->line_level ? n->levels[n->line_level].n : 0;
  if (width < AT_ONCE || n->line_pieces || row + AT_ONCE > a->n) return NULL;
  llv tile = tile_behind(l, a);
  if (!tile) return NULL;
  int64_t lines = INT64_C(1) << (width + n->line_rows), tiles = (LINES_FAR + lines - 1) / lines;
  nest_place_level(n, n->n_levels - 1);
  llv panel = n->levels[n->line_level].index, step = n->levels[n->n_levels - 1].index;
  llv line = LLVMBuildAdd(b, LLVMBuildShl(b, panel, k64(l, n->line_rows), ""),
                          LLVMBuildShl(b, step, k64(l, AT_ONCE), ""), "");
  llv rows = LLVMBuildLShr(b, line, k64(l, width), "");
  llv by = fold_mul(l, rows, coef_value(l, a->exact[row], 64)), at = a->base;
  if (access_elem_bits(a) == 4) at = LLVMBuildLShr(b, at, k64(l, 1), "");
  if (access_elem_bits(a) == 4) by = LLVMBuildLShr(b, by, k64(l, 1), "");
  line = LLVMBuildAnd(b, line, k64(l, (1 << width) - 1), "");
  at = fold_add(l, fold_add(l, at, by), fold_mul(l, tile, k64(l, tiles)));
  llv from = lower_element(l, as_ptr(l, at), line, CACHE_LINE);
  int64_t copy = (m->bit[row] == BIT_ONE) + 2 * (m->bit[row + 1] == BIT_ONE);
  return emit_offsetk(&l->e, from, copy * CACHE_LINE);
}

/* Long rows the processor fetches well by itself once it has seen where they begin, and what is too
 * much for the cache would push out what is needed. A nest that computes much needs its help
 * longer. Where the last nest fetches, too, which it does when its stores are non-temporal, one
 * before it does so for short rows only, and the last one asks for these once more, for the
 * first-level cache.
 */
static llv prefetch_distance(nest *n, const access *a, bool near) {
  lower *l = n->l;
  const bool last = n->prefetch == PREFETCH_LAST, reread = n->prefetch == PREFETCH_REREAD;
  int64_t cache = cpu_l2_bytes(&l->e.core);
  nest_place_level(n, 0);
  llv most = k64(l, near ? SHORT_ROW : reread ? cache / 32 : cache / 4);
  if (reread && a->late) most = LLVMBuildSelect(l->e.b, a->late, k64(l, SHORT_ROW), most, "");
  llv fits = LLVMBuildICmp(l->e.b, LLVMIntULE, a->again, most, "");
  if (last && !near) {
    llv is_long = LLVMBuildICmp(l->e.b, LLVMIntUGT, a->again, k64(l, SHORT_ROW), "");
    fits = LLVMBuildAnd(l->e.b, fits, is_long, "");
  }
  llv by = LLVMBuildSelect(l->e.b, fits, a->next, k64(l, 0), "next");
  nest_place_level(n, n->n_levels - 1);
  return by;
}

/* From where a load finds its elements to what it should fetch; NULL: nothing. */
static llv behind(nest *n, const access *a) {
  if ((a->memory || a->stays) && !a->next && !a->step) return NULL;
  switch ((nest_prefetch)n->prefetch) {
  case PREFETCH_REREAD:
  case PREFETCH_LAST: return a->next ? prefetch_distance(n, a, false) : NULL;
  case PREFETCH_STEP: return a->step;
  case PREFETCH_TILE:
    if (a->next) return prefetch_distance(n, a, false);
    return a->step ? a->step : tile_behind(n->l, a);
  case PREFETCH_LINE: return line_behind(n, a, LINES_AHEAD);
  default: return NULL;
  }
}

static pattern_id pattern_of(const nest *n) {
  switch ((nest_prefetch)n->prefetch) {
  case PREFETCH_REREAD:
  case PREFETCH_LAST: return PATTERN_PREFETCH_AGAIN;
  case PREFETCH_STEP: return PATTERN_PREFETCH_STEP;
  default: return PATTERN_PREFETCH_TILE;
  }
}

/* While a nest computes much per element, memory has nothing to do: it may bring what a next nest
 * will read. That is taken to be the tile behind this one, along its outermost dimension; or what
 * the next iteration of an outer loop will read, the line behind this one. What is in a cache
 * leaves memory idle as well: see prefetch.c. */
void gen_prefetch(nest *n, const access *a, const index_map *m, const location *w) {
  lower *l = n->l;
  if (access_shares_bytes(a)) return;
  if (!a->linear || a->index || w->vector || in_line_of_another(a, m)) return;
  bool nibbles = access_elem_bits(a) == 4;
  if (!is_on(l, pattern_of(n))) return;
  if (n->lane_n == 0 || (w->run < n->lane_n && !(nibbles && location_every_other(n, w, 1)))) return;
  if (family_asked(n, a, m, 0)) return;
  llv line =
      n->prefetch == PREFETCH_LINE && l->e.core.shallow_prefetch ? line_along_rows(n, a, m) : NULL;
  if (line) emit_prefetch(&l->e, line);
  if (line && !n->line_again) return;
  /* What is asked for while too many lines are on their way is forgotten. When it is nearly needed
   * most lines are there, and the others find room. */
  llv by = line ? line_behind(n, a, LINES_NEAR) : behind(n, a);
  if (!by) return;
  NOTE(l, .which = pattern_of(n), .op = a->op, .n = {n->prefetch == PREFETCH_LAST});
  llv from = nibbles ? nibbles_byte(l, w->scalar) : as_ptr(l, w->scalar);
  llv at = emit_offset(&l->e, from, by);
  if (n->prefetch == PREFETCH_LAST) {
    llv near = emit_offset(&l->e, from, prefetch_distance(n, a, true));
    vec_push(l->arena, n->late_fetches, (late_fetch){at, near});
  } else {
    emit_prefetch(&l->e, at);
  }
}

void gen_write_prefetch(nest *n, const index_map *m) {
  lower *l = n->l;
  const upcoming_store *x = &n->upcoming;
  if (!x->to || in_line_of_another(x->to, m)) return;
  location w = location_of(n, x->to, m);
  if (w.vector || n->lane_n == 0 || w.run < n->lane_n) return;
  nest_place_level(n, n->n_levels - 1);
  NOTE_MATCH(l, PREFETCH_WRITE, .op = x->to->op);
  llv at = as_ptr(l, w.scalar);
  if (x->non_temporal) at = LLVMBuildSelect(l->e.b, x->non_temporal, l->dummy, at, "");
  emit_prefetch(&l->e, at);
}
