/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The notation: a recursive-descent reader of expressions over layouts. Functions are named after
 * what they read:
 *
 *   product   := chain (('*' | '/') chain)*
 *   chain     := primary ('.' call | slice)*
 *   primary   := call | fragment | cute | 'Sw' '<' n ',' n ',' n '>' 'o' cute | '(' product ')'
 *   call      := name '(' (argument (',' argument)*)? ')'
 *   argument  := (name '=')? (list | number | 'True' | 'False' | 'None' | product)
 *
 * CuTe's notation and slices are in cute.c, tokens in notation.c.
 */
#include "layout/notation.h"

enum { MAX_TEXT = 4000, MAX_CALLS = 16, MAX_ARGUMENTS = 24, MAX_LIST = 512 };

/* A list argument: its numbers flattened; nested lists and pairs are told apart by their lengths.
 */
typedef struct argument {
  enum { ARG_NUMBER, ARG_LIST, ARG_BOOL, ARG_LAYOUT } kind;
  const char *at;               /* where it starts, for messages */
  str name;                     /* "dims" of dims=[0]; empty when positional */
  int32_t number;               /* or the truth */
  uint16_t first, count;        /* of call.numbers */
  uint16_t group_first, groups; /* of call.group_size: the sizes of the inner lists */
  uint8_t layout;               /* of call.layouts */
  bool seen;                    /* somebody asked for it */
} argument;

/* The arguments of one call. `layouts` are few: no function takes more than two. */
typedef struct call {
  str name;
  const char *at;
  argument args[MAX_ARGUMENTS];
  uint32_t count;
  int32_t numbers[MAX_LIST];
  uint16_t used, group_size[MAX_LIST], groups;
  tsr_layout_value layouts[2];
  uint8_t n_layouts;
} call;

/* Made once per expression, so that nothing else has to be allocated. */
typedef struct workspace {
  reader reader;
  call calls[MAX_CALLS];
  char text[MAX_TEXT + 1]; /* terminated, as messages quote it */
} workspace;

/* ---- arguments ------------------------------------------------------------------------------ */

static bool take_product(reader *r, tsr_layout_value *v);

static bool add_number(reader *r, call *c) {
  int64_t n;
  notation_skip(r);
  if (c->used == MAX_LIST) return notation_fail(r, r->at, 1, "more than %d numbers", MAX_LIST);
  if (!notation_number(r, true, INT32_MAX, &n)) return false;
  c->numbers[c->used++] = (int32_t)n;
  return true;
}

/* [1, 2], (1, 2), [[1], [2, 3]], [(1, 0)] and [[(1, 0)], []]: numbers flattened. Lists directly
 * inside the outermost one are its groups. */
static bool take_list(reader *r, call *c, int level) {
  if (!notation_deeper(r)) return false;
  char close = notation_take(r, '[') ? ']' : ')';
  if (close == ')' && !notation_expect(r, '(', "or '['")) return false;
  uint16_t before = c->used;
  for (bool more = !notation_peek(r, close); more;
       more = notation_take(r, ',') && !notation_peek(r, close)) {
    bool inner = notation_peek(r, '[') || notation_peek(r, '(');
    if (inner ? !take_list(r, c, level + 1) : !add_number(r, c)) return false;
  }
  if (!notation_expect(r, close, "at the end of the list")) return false;
  if (level == 1) c->group_size[c->groups++] = (uint16_t)(c->used - before);
  r->depth--;
  return c->groups < MAX_LIST || notation_fail(r, r->at, 1, "more than %d lists", MAX_LIST);
}

static bool take_argument(reader *r, call *c) {
  notation_skip(r);
  if (c->count == MAX_ARGUMENTS)
    return notation_fail(r, r->at, 1, "more than %d arguments", MAX_ARGUMENTS);
  argument *a = &c->args[c->count++];
  *a = (argument){.at = r->at, .first = c->used, .group_first = c->groups};
  const char *back = r->at;
  str name = notation_word(r);
  if (name.len && notation_take(r, '='))
    a->name = name;
  else
    r->at = back;
  notation_skip(r);
  a->at = back = r->at;
  name = notation_word(r);
  if (str_is(name, "True") || str_is(name, "False") || str_is(name, "None")) {
    a->kind = ARG_BOOL;
    a->number = str_is(name, "True");
    return true;
  }
  r->at = back;
  char first = r->at < r->end ? *r->at : 0;
  bool list =
      first == '[' || (first == '(' && notation_numbers_ahead(r) && !notation_cute_ahead(r));
  if (!list && (notation_digit(first) || first == '-')) {
    a->kind = ARG_NUMBER;
    if (!add_number(r, c)) return false;
    a->number = c->numbers[--c->used];
    return !notation_peek(r, ':') ||
           notation_fail(r, r->at, 1, "expected ',' or ')'; write a layout in parentheses");
  }
  if (list) {
    a->kind = ARG_LIST;
    if (!take_list(r, c, 0)) return false;
    a->count = (uint16_t)(c->used - a->first);
    a->groups = (uint16_t)(c->groups - a->group_first);
    return true;
  }
  a->kind = ARG_LAYOUT;
  if (c->n_layouts == ARRAY_LEN(c->layouts))
    return notation_fail(r, r->at, 1, "no function takes more than two layouts");
  a->layout = c->n_layouts++;
  return take_product(r, &c->layouts[a->layout]);
}

/* After the name: "(...)". */
static bool take_arguments(reader *r, call *c) {
  if (!notation_expect(r, '(', "and arguments")) return false;
  for (bool more = !notation_peek(r, ')'); more; more = notation_take(r, ','))
    if (!take_argument(r, c)) return false;
  return notation_expect(r, ')', "or ',' after an argument");
}

/* The argument of this name, or the position-th without a name; NULL when absent. */
static const argument *find(call *c, const char *name, uint32_t position) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < c->count; i++) {
    argument *a = &c->args[i];
    if (a->name.len ? !str_is(a->name, name) : a->kind == ARG_LAYOUT || n++ != position) continue;
    a->seen = true;
    return a;
  }
  return NULL;
}

static bool all_seen(reader *r, const call *c) {
  for (uint32_t i = 0; i < c->count; i++) {
    const argument *a = &c->args[i];
    if (a->seen || a->kind == ARG_LAYOUT) continue;
    if (a->name.len)
      return notation_fail(r, a->name.data, a->name.len, "%.*s has no argument '%.*s'",
                           STR_ARG(c->name), STR_ARG(a->name));
    return notation_fail(r, a->at, 1, "%.*s has no argument here", STR_ARG(c->name));
  }
  return true;
}

/* Numbers by name or position: a list, one number, or (when `rest`) all positional numbers. */
static bool list_of(reader *r, call *c, const char *name, uint32_t position, bool rest,
                    int32_t *out, uint32_t limit, uint32_t *count) {
  const argument *a = find(c, name, position);
  *count = 0;
  if (a && a->kind == ARG_LIST) {
    if (a->count > limit)
      return notation_fail(r, a->at, 1, "%s has %u numbers; at most %u", name, a->count, limit);
    memcpy(out, c->numbers + a->first, a->count * sizeof *out);
    *count = a->count;
    return true;
  }
  for (uint32_t i = position; a && a->kind == ARG_NUMBER; i++) {
    if (*count == limit) return notation_fail(r, a->at, 1, "more than %u numbers", limit);
    out[(*count)++] = a->number;
    a = rest && !a->name.len ? find(c, "", i + 1) : NULL;
  }
  return !a || notation_fail(r, a->at, 1, "%.*s: expected %s to be numbers or a list of numbers",
                             STR_ARG(c->name), name);
}

static bool number_of(reader *r, call *c, const char *name, uint32_t position, int32_t *out) {
  const argument *a = find(c, name, position);
  if (!a) return notation_fail(r, c->at, c->name.len, "%.*s needs %s", STR_ARG(c->name), name);
  if (a->kind != ARG_NUMBER && a->kind != ARG_BOOL)
    return notation_fail(r, a->at, 1, "%.*s: expected %s to be a number", STR_ARG(c->name), name);
  *out = a->number;
  return true;
}

/* ---- functions ------------------------------------------------------------------------------ */

typedef struct shape_list {
  int32_t v[MAX_MODES];
  uint32_t n;
} shape_list;

static bool done(reader *r, call *c, tsr_status s, const tsr_layout_error *e) {
  return s == TSR_OK ||
         notation_fail(r, c->at, c->name.len, "%.*s: %s", STR_ARG(c->name), e->message);
}

static bool dims_of(reader *r, call *c, const char *name, shape_list *out) {
  return list_of(r, c, name, 0, true, out->v, MAX_RANK, &out->n);
}

/* spatial(2, 3), local([2, 3], ranks=[1, 0]) ... */
static bool make_plain(reader *r, call *c, tsr_layout *out, bool *known) {
  static const char *const names[] = {"spatial",        "local",        "repeat",
                                      "column_spatial", "column_local", "column_repeat"};
  size_t i = 0;
  while (i < ARRAY_LEN(names) && !str_is(c->name, names[i])) i++;
  *known = i < ARRAY_LEN(names);
  if (!*known) return false;
  shape_list shape, ranks;
  tsr_layout_error e;
  if (!dims_of(r, c, "shape", &shape) ||
      !list_of(r, c, "ranks", MAX_ARGUMENTS, false, ranks.v, MAX_RANK, &ranks.n))
    return false;
  if (ranks.n && ranks.n != shape.n)
    return notation_fail(r, c->at, c->name.len, "%u ranks for %u dimensions", ranks.n, shape.n);
  const int32_t *order = ranks.n ? ranks.v : NULL;
  tsr_status s = i == 0   ? tsr_layout_spatial(out, shape.n, shape.v, order, &e)
                 : i < 3  ? tsr_layout_local(out, shape.n, shape.v, order, &e)
                 : i == 3 ? tsr_layout_column_spatial(out, shape.n, shape.v, &e)
                          : tsr_layout_column_local(out, shape.n, shape.v, &e);
  return done(r, c, s, &e);
}

static bool make_register_layout(reader *r, call *c, tsr_layout *out) {
  static const char *const names[] = {"shape", "mode_shape", "spatial_modes", "local_modes"};
  shape_list list[4];
  tsr_layout_error e;
  for (uint32_t i = 0; i < 4; i++)
    if (!list_of(r, c, names[i], i, false, list[i].v, i ? MAX_MODES : MAX_RANK, &list[i].n))
      return false;
  return done(r, c,
              tsr_layout_make(out, list[0].n, list[0].v, list[1].n, list[1].v, list[2].n, list[2].v,
                              list[3].n, list[3].v, &e),
              &e);
}

/* Pairs (major, minor), flattened. */
static bool pairs_of(reader *r, call *c, const char *name, uint32_t position, tsr_rh *out,
                     uint32_t *count, const argument **arg) {
  const argument *a = *arg = find(c, name, position);
  *count = 0;
  if (!a) return true;
  if (a->kind != ARG_LIST || a->count % 2)
    return notation_fail(r, a->at, 1, "%s is a list of pairs (major, minor)", name);
  for (uint32_t i = 0; i < a->count; i += 2) {
    int32_t major = c->numbers[a->first + i], minor = c->numbers[a->first + i + 1];
    if (*count == MAX_MODES || major < 0 || major > 255 || minor < 0 || minor > 255)
      return notation_fail(r, a->at, 1, "%s: (%d, %d) is no length of the encoding", name, major,
                           minor);
    out[(*count)++] = (tsr_rh){(uint8_t)major, (uint8_t)minor};
  }
  return true;
}

static bool groups_of(reader *r, call *c, const argument *a, const char *name, uint32_t limit,
                      uint32_t unit, uint8_t *sizes, uint8_t *count) {
  uint32_t total = 0;
  *count = 0;
  for (uint32_t i = 0; a && i < a->groups; i++) {
    uint32_t n = c->group_size[a->group_first + i];
    total += n;
    if (*count == limit || n > 2 * MAX_MODES)
      return notation_fail(r, a->at, 1, "%s has more than %u lists, or too long ones", name, limit);
    sizes[(*count)++] = (uint8_t)(n / unit);
  }
  return !a || total == a->count || notation_fail(r, a->at, 1, "%s is a list of lists", name);
}

static bool make_encoding(reader *r, call *c, tsr_layout_value *v) {
  notation_kind(v, TSR_LAYOUT_ENCODING);
  tsr_encoding *n = &v->encoding;
  shape_list rs;
  const argument *hs = find(c, "Hs", 1), *ps, *ys;
  uint32_t np, ny;
  if (!list_of(r, c, "Rs", 0, false, rs.v, MAX_MODES, &rs.n)) return false;
  memcpy(n->rs, rs.v, rs.n * sizeof(int32_t));
  n->r = (uint8_t)rs.n;
  if (!hs || hs->kind != ARG_LIST || hs->count > MAX_MODES)
    return notation_fail(r, hs ? hs->at : c->at, 1, "encoding needs Hs=[[...], ...]");
  memcpy(n->hs, c->numbers + hs->first, hs->count * sizeof(int32_t));
  if (!groups_of(r, c, hs, "Hs", MAX_RANK, 1, n->h_count, &n->x)) return false;
  if (!pairs_of(r, c, "Ps", 2, n->ps, &np, &ps) || !pairs_of(r, c, "Ys", 3, n->ys, &ny, &ys))
    return false;
  if (!groups_of(r, c, ps, "Ps", TSR_ENCODING_MAX_P, 2, n->p_count, &n->p)) return false;
  n->y = (uint8_t)ny;
  tsr_layout_error e;
  if (!done(r, c, tsr_encoding_to_layout(n, &v->layout, &e), &e)) return false;
  tsr_layout_canonicalize(&v->layout);
  return true;
}

static bool make_raked(reader *r, call *c, tsr_rake rake, tsr_layout_value *v) {
  int32_t workers, warp, vector;
  shape_list shape;
  tsr_layout_error e;
  if (!number_of(r, c, "workers", 0, &workers) || !number_of(r, c, "warp", 1, &warp) ||
      !list_of(r, c, "shape", 2, false, shape.v, MAX_RANK, &shape.n) ||
      !number_of(r, c, "vector", 3, &vector))
    return false;
  if (shape.n != 2)
    return notation_fail(r, c->at, c->name.len, "%.*s needs a tile of two dimensions",
                         STR_ARG(c->name));
  notation_kind(v, TSR_LAYOUT_ENCODING);
  tsr_status s =
      tsr_encoding_raked_2d(&v->encoding, rake, workers, warp, shape.v[0], shape.v[1], vector, &e);
  if (s == TSR_OK) s = tsr_encoding_to_layout(&v->encoding, &v->layout, &e);
  if (s == TSR_OK) tsr_layout_canonicalize(&v->layout);
  return done(r, c, s, &e);
}

/* CuTe's thread-value layouts map (thread, value) to the column-major index of a tile: as a
 * row-major index, that of the tile with its dimensions turned around. */
static bool make_tv(reader *r, call *c, tsr_layout *out) {
  shape_list shape;
  tsr_layout_error e;
  if (c->n_layouts != 1 || c->layouts[0].kind != TSR_LAYOUT_MEMORY ||
      c->layouts[0].memory.rank != 2)
    return notation_fail(r, c->at, c->name.len, "tv needs a CuTe layout (thread, value):(strides)");
  if (!list_of(r, c, "shape", 0, false, shape.v, MAX_RANK, &shape.n)) return false;
  const tsr_memory_layout *m = &c->layouts[0].memory;
  if (m->offset)
    return notation_fail(r, c->at, c->name.len, "tv: a tile begins at 0, not at offset %lld",
                         (long long)m->offset);
  int32_t modes[MAX_MODES], lists[2][MAX_MODES], at[MAX_MODES];
  uint32_t n = 0, len[2] = {0, 0};
  int64_t size = 1;
  for (uint32_t i = 0; i < MAX_MODES; i++) at[i] = -1;
  /* Modes in the order of their strides must fill the tile without gaps. */
  for (bool more = true; more;) {
    more = false;
    for (uint32_t k = 0; k < m->modes && !more; k++)
      if (at[k] < 0 && m->size[k] > 1 && m->stride[k] == size) {
        at[k] = (int32_t)n;
        modes[n++] = m->size[k];
        size *= m->size[k];
        more = true;
      }
  }
  for (uint32_t k = 0; k < m->modes; k++) {
    uint32_t which = k >= m->dim_modes[0];
    if (m->size[k] == 1) continue;
    if (at[k] < 0 && (m->stride[k] != 0 || which))
      return notation_fail(
          r, c->at, c->name.len,
          "tv: mode %d:%lld leaves a gap or overlaps: the strides of a tile's modes "
          "multiply up from 1 (or 0 for copies)",
          m->size[k], (long long)m->stride[k]);
    lists[which][len[which]++] = at[k] < 0 ? -m->size[k] : (int32_t)n - 1 - at[k];
  }
  for (uint32_t i = 0; i < n / 2; i++) {
    int32_t t = modes[i];
    modes[i] = modes[n - 1 - i];
    modes[n - 1 - i] = t;
  }
  int32_t flat = (int32_t)size, reversed[MAX_RANK], dims[MAX_RANK];
  if (shape.n == 0) shape = (shape_list){.v = {flat}, .n = 1};
  for (uint32_t d = 0; d < shape.n; d++) {
    reversed[d] = shape.v[shape.n - 1 - d];
    dims[d] = (int32_t)(shape.n - 1 - d);
  }
  tsr_layout l;
  tsr_status s = tsr_layout_make(&l, 1, &flat, n, modes, len[0], lists[0], len[1], lists[1], &e);
  if (s == TSR_OK) s = tsr_layout_reshape(&l, &l, shape.n, reversed, &e);
  if (s == TSR_OK) s = tsr_layout_permute(out, &l, shape.n, dims, &e);
  return done(r, c, s, &e);
}

static bool make_memory(reader *r, call *c, bool rows, tsr_layout_value *v) {
  shape_list shape;
  tsr_layout_error e;
  notation_kind(v, TSR_LAYOUT_MEMORY);
  if (!dims_of(r, c, "shape", &shape)) return false;
  tsr_status s = rows ? tsr_memory_row_major(&v->memory, shape.n, shape.v, &e)
                      : tsr_memory_column_major(&v->memory, shape.n, shape.v, &e);
  return done(r, c, s, &e);
}

/* Tilus' swizzle, as a layout of nothing that has one; the parameters are in another order. */
static bool make_swizzle(reader *r, call *c, tsr_layout_value *v) {
  static const char *const names[] = {"base", "bits", "shift"};
  int32_t n[3];
  tsr_layout_error e;
  notation_kind(v, TSR_LAYOUT_MEMORY);
  for (uint32_t i = 0; i < 3; i++)
    if (!number_of(r, c, names[i], i, &n[i])) return false;
  return done(r, c,
              tsr_memory_swizzled(&v->memory, &v->memory, (uint32_t)n[1], (uint32_t)n[0],
                                  (uint32_t)n[2], &e),
              &e);
}

/* Which modes make up each dimension, the outermost first. */
static bool divide_modes(reader *r, call *c, const shape_list *shape, const shape_list *modes,
                         tsr_memory_layout *m) {
  uint32_t k = 0;
  m->rank = (uint8_t)shape->n;
  m->modes = (uint8_t)modes->n;
  for (uint32_t d = 0; d < shape->n; d++) {
    int64_t size = 1;
    uint32_t first = k;
    while (k < modes->n && size < shape->v[d]) size *= modes->v[k++];
    while (k < modes->n && modes->v[k] == 1 && d + 1 == shape->n) k++;
    if (size != shape->v[d])
      return notation_fail(r, c->at, c->name.len,
                           "%.*s: mode_shape does not make up dimension %u of %d", STR_ARG(c->name),
                           d, shape->v[d]);
    m->dim_modes[d] = (uint8_t)(k - first);
  }
  return k == modes->n ||
         notation_fail(r, c->at, c->name.len, "%.*s: mode_shape has modes of no dimension",
                       STR_ARG(c->name));
}

/* SharedLayout(shape=[...], mode_shape=[...], mode_strides=[...], swizzle=...), which Tilus also
 * writes as optional_swizzle. */
static bool make_shared(reader *r, call *c, tsr_layout_value *v) {
  shape_list shape, modes, strides;
  tsr_layout_error e;
  notation_kind(v, TSR_LAYOUT_MEMORY);
  tsr_memory_layout *m = &v->memory;
  if (!list_of(r, c, "shape", 0, false, shape.v, MAX_RANK, &shape.n) ||
      !list_of(r, c, "mode_shape", 1, false, modes.v, MAX_MODES, &modes.n) ||
      !list_of(r, c, "mode_strides", 2, false, strides.v, MAX_MODES, &strides.n))
    return false;
  if (modes.n != strides.n)
    return notation_fail(r, c->at, c->name.len, "%.*s: %u modes, but %u strides", STR_ARG(c->name),
                         modes.n, strides.n);
  if (!divide_modes(r, c, &shape, &modes, m)) return false;
  for (uint32_t k = 0; k < modes.n; k++) m->size[k] = modes.v[k], m->stride[k] = strides.v[k];
  const argument *a = find(c, "swizzle", 3);
  if (!a) a = find(c, "optional_swizzle", 3);
  if (a && a->kind != ARG_LAYOUT && a->kind != ARG_BOOL)
    return notation_fail(r, a->at, 1, "swizzle is None or Swizzle(base, bits, shift)");
  if (c->n_layouts) {
    const tsr_layout_value *s = &c->layouts[0];
    if (s->kind != TSR_LAYOUT_MEMORY || s->memory.rank)
      return notation_fail(r, c->at, c->name.len, "swizzle is None or Swizzle(base, bits, shift)");
    m->swizzle_bits = s->memory.swizzle_bits;
    m->swizzle_base = s->memory.swizzle_base;
    m->swizzle_shift = s->memory.swizzle_shift;
  }
  return done(r, c, tsr_memory_validate(m, &e), &e);
}

/* A call that stands at the beginning and needs no layout. */
static bool make(reader *r, call *c, tsr_layout_value *v, bool *known) {
  *known = true;
  if (str_is(c->name, "encoding")) return make_encoding(r, c, v);
  if (str_is(c->name, "thread_raked")) return make_raked(r, c, TSR_RAKE_THREAD, v);
  if (str_is(c->name, "warp_raked")) return make_raked(r, c, TSR_RAKE_WARP, v);
  if (str_is(c->name, "block_raked")) return make_raked(r, c, TSR_RAKE_BLOCK, v);
  if (str_is(c->name, "row_major") || str_is(c->name, "shared_row_major"))
    return make_memory(r, c, true, v);
  if (str_is(c->name, "column_major") || str_is(c->name, "shared_column_major"))
    return make_memory(r, c, false, v);
  if (str_is(c->name, "SharedLayout") || str_is(c->name, "shared_layout"))
    return make_shared(r, c, v);
  if (str_is(c->name, "Swizzle")) return make_swizzle(r, c, v);
  notation_kind(v, TSR_LAYOUT_DISTRIBUTION);
  tsr_layout_error e;
  if (str_is(c->name, "RegisterLayout") || str_is(c->name, "register_layout"))
    return make_register_layout(r, c, &v->layout);
  if (str_is(c->name, "tv")) return make_tv(r, c, &v->layout);
  if (str_is(c->name, "replicated")) {
    int32_t workers;
    shape_list shape;
    if (!number_of(r, c, "num_workers", MAX_ARGUMENTS, &workers) || !dims_of(r, c, "shape", &shape))
      return false;
    return done(r, c, tsr_layout_replicated(&v->layout, shape.n, shape.v, workers, &e), &e);
  }
  if (str_is(c->name, "auto_local_spatial")) {
    int32_t workers;
    shape_list shape;
    if (!number_of(r, c, "num_threads", 0, &workers) ||
        !list_of(r, c, "shape", 1, false, shape.v, MAX_RANK, &shape.n))
      return false;
    return done(r, c, tsr_layout_auto_local_spatial(&v->layout, workers, shape.n, shape.v, &e), &e);
  }
  return make_plain(r, c, &v->layout, known);
}

/* Two layouts: x and y of compose(x, y), or the receiver and the argument of x.compose(y). */
static bool combine(reader *r, call *c, tsr_layout *x, const tsr_layout *y, bool *known) {
  tsr_layout_error e;
  *known = true;
  if (str_is(c->name, "compose")) return done(r, c, tsr_layout_compose(x, x, y, &e), &e);
  if (str_is(c->name, "divide")) return done(r, c, tsr_layout_divide(x, x, y, &e), &e);
  if (str_is(c->name, "left_divide")) return done(r, c, tsr_layout_left_divide(x, x, y, &e), &e);
  if (str_is(c->name, "concat")) return done(r, c, tsr_layout_concat(x, x, y, &e), &e);
  *known = false;
  return false;
}

/* One layout and numbers. */
static bool transform(reader *r, call *c, tsr_layout *x, bool *known) {
  tsr_layout_error e;
  shape_list d;
  *known = true;
  if (str_is(c->name, "reduce_to"))
    return dims_of(r, c, "shape", &d) && done(r, c, tsr_layout_reduce_to(x, x, d.n, d.v, &e), &e);
  if (str_is(c->name, "reshape"))
    return dims_of(r, c, "shape", &d) && done(r, c, tsr_layout_reshape(x, x, d.n, d.v, &e), &e);
  if (str_is(c->name, "with_shape"))
    return dims_of(r, c, "shape", &d) && done(r, c, tsr_layout_with_shape(x, x, d.n, d.v, &e), &e);
  if (str_is(c->name, "permute"))
    return dims_of(r, c, "dims", &d) && done(r, c, tsr_layout_permute(x, x, d.n, d.v, &e), &e);
  if (str_is(c->name, "squeeze"))
    return dims_of(r, c, "dims", &d) && done(r, c, tsr_layout_squeeze(x, x, d.n, d.v, &e), &e);
  if (str_is(c->name, "unsqueeze"))
    return dims_of(r, c, "dims", &d) && done(r, c, tsr_layout_unsqueeze(x, x, d.n, d.v, &e), &e);
  if (str_is(c->name, "canonicalize")) {
    tsr_layout_canonicalize(x);
    return true;
  }
  if (str_is(c->name, "flatten")) {
    int32_t first = 0, last = -1;
    if ((find(c, "start_dim", 0) && !number_of(r, c, "start_dim", 0, &first)) ||
        (find(c, "end_dim", 1) && !number_of(r, c, "end_dim", 1, &last)))
      return false;
    return done(r, c, tsr_layout_flatten(x, x, first, last, &e), &e);
  }
  if (str_is(c->name, "reduce")) {
    int32_t keep = 0;
    if (find(c, "keepdims", MAX_ARGUMENTS) && !number_of(r, c, "keepdims", MAX_ARGUMENTS, &keep))
      return false;
    return list_of(r, c, "dims", 0, false, d.v, MAX_RANK, &d.n) &&
           done(r, c, tsr_layout_reduce(x, x, d.n, d.v, keep != 0, &e), &e);
  }
  *known = false;
  return false;
}

static bool transform_memory(reader *r, call *c, tsr_layout_value *v, bool *known) {
  tsr_layout_error e;
  int32_t n[3];
  *known = true;
  if (str_is(c->name, "swizzle")) {
    static const char *const names[] = {"bits", "base", "shift"};
    for (uint32_t i = 0; i < 3; i++)
      if (!number_of(r, c, names[i], i, &n[i])) return false;
    return done(r, c,
                tsr_memory_swizzled(&v->memory, &v->memory, (uint32_t)n[0], (uint32_t)n[1],
                                    (uint32_t)n[2], &e),
                &e);
  }
  if (str_is(c->name, "tma_swizzle"))
    return number_of(r, c, "bytes", 0, &n[0]) && number_of(r, c, "element_bits", 1, &n[1]) &&
           done(r, c, tsr_memory_tma_swizzled(&v->memory, &v->memory, n[0], n[1], &e), &e);
  if (str_is(c->name, "squeeze")) {
    shape_list d;
    return dims_of(r, c, "dims", &d) &&
           done(r, c, tsr_memory_squeeze(&v->memory, &v->memory, d.n, d.v, &e), &e);
  }
  *known = false;
  return false;
}

/* What makes or transforms distributions. */
static bool is_distribution_word(str name) {
  static const char *const words[] = {"spatial",        "local",           "repeat",
                                      "column_spatial", "column_local",    "compose",
                                      "divide",         "left_divide",     "concat",
                                      "reduce_to",      "reshape",         "with_shape",
                                      "permute",        "squeeze",         "unsqueeze",
                                      "canonicalize",   "flatten",         "reduce",
                                      "encoding",       "thread_raked",    "warp_raked",
                                      "block_raked",    "replicated",      "tv",
                                      "RegisterLayout", "register_layout", "auto_local_spatial"};
  for (size_t i = 0; i < ARRAY_LEN(words); i++)
    if (str_is(name, words[i])) return true;
  return false;
}

static bool want_distribution(reader *r, call *c, const tsr_layout_value *v) {
  return v->kind != TSR_LAYOUT_MEMORY ||
         notation_fail(r, c->at, c->name.len, "%.*s works on distributions, not on memory layouts",
                       STR_ARG(c->name));
}

static bool unknown(reader *r, call *c) {
  return notation_fail(
      r, c->at, MAX(c->name.len, 1u),
      "no layout operation '%.*s'; there are spatial, local, column_spatial, column_local, "
      "compose, divide, reduce, permute, reshape and others: see tessera layout --help",
      STR_ARG(c->name));
}

static bool unknown_of_memory(reader *r, call *c) {
  return notation_fail(
      r, c->at, MAX(c->name.len, 1u),
      "no operation '%.*s' on memory layouts; there are swizzle(bits, base, shift), "
      "tma_swizzle(bytes, element_bits), squeeze(dims) and slices, X[1:3, :]",
      STR_ARG(c->name));
}

/* x.name(...): a transformation of x, or x composed with what the call makes. */
static bool apply_method(reader *r, call *c, tsr_layout_value *v) {
  bool known;
  if (v->kind == TSR_LAYOUT_MEMORY) {
    bool ok = transform_memory(r, c, v, &known);
    if (known) return ok;
    return is_distribution_word(c->name) ? want_distribution(r, c, v) : unknown_of_memory(r, c);
  }
  v->kind = TSR_LAYOUT_DISTRIBUTION;
  bool ok = transform(r, c, &v->layout, &known);
  if (known) return ok;
  if (c->n_layouts == 1 && want_distribution(r, c, &c->layouts[0])) {
    ok = combine(r, c, &v->layout, &c->layouts[0].layout, &known);
    if (known) return ok;
  }
  tsr_layout_value inner;
  if (!make(r, c, &inner, &known)) return known ? false : unknown(r, c);
  tsr_layout_error e;
  return want_distribution(r, c, &inner) &&
         done(r, c, tsr_layout_compose(&v->layout, &v->layout, &inner.layout, &e), &e);
}

static bool apply_function(reader *r, call *c, tsr_layout_value *v) {
  bool known, ok = make(r, c, v, &known);
  if (known) return ok;
  if (c->n_layouts == 0) return unknown(r, c);
  *v = c->layouts[0];
  if (c->n_layouts == 1) return apply_method(r, c, v);
  if (!want_distribution(r, c, v) || !want_distribution(r, c, &c->layouts[1])) return false;
  v->kind = TSR_LAYOUT_DISTRIBUTION;
  ok = combine(r, c, &v->layout, &c->layouts[1].layout, &known);
  return known ? ok : unknown(r, c);
}

/* ---- expressions ---------------------------------------------------------------------------- */

/* mma.m16n8k16.C: name segments up to one that is a call or unknown. The longest match counts. */
static bool take_fragment(reader *r, str first, tsr_layout_value *v) {
  const char *p = first.data + first.len, *best = NULL;
  notation_kind(v, TSR_LAYOUT_DISTRIBUTION);
  while (p < r->end && (notation_letter(*p) || notation_digit(*p) || *p == '.')) {
    for (p++; p < r->end && (notation_letter(*p) || notation_digit(*p)); p++) {
    }
    if (tsr_fragment(&v->layout, first.data, (size_t)(p - first.data))) best = p;
  }
  if (!best)
    return notation_fail(
        r, first.data, (size_t)(p - first.data),
        "no fragment '%.*s'; for example mma.m16n8k16.A, wgmma.m64n128k16.C, ldmatrix.x4, "
        "mfma.32x32x8.f16.C",
        (int)(p - first.data), first.data);
  tsr_fragment(&v->layout, first.data, (size_t)(best - first.data));
  r->at = best;
  return true;
}

static bool take_call(reader *r, str name, tsr_layout_value *v, bool method) {
  if (r->n_calls == MAX_CALLS)
    return notation_fail(r, name.data, name.len, "calls are nested more than %d deep", MAX_CALLS);
  call *c = &r->calls[r->n_calls++];
  memset(c, 0, sizeof *c);
  c->name = name;
  c->at = name.data;
  bool ok = take_arguments(r, c) && (method ? apply_method(r, c, v) : apply_function(r, c, v)) &&
            all_seen(r, c);
  r->n_calls--;
  return ok;
}

static bool take_primary(reader *r, tsr_layout_value *v) {
  notation_skip(r);
  const char *at = r->at;
  if (r->at < r->end && (notation_digit(*r->at) || (*r->at == '(' && notation_cute_ahead(r))))
    return notation_cute(r, v);
  if (notation_take(r, '('))
    return take_product(r, v) && notation_expect(r, ')', "to close the parenthesis");
  str name = notation_word(r);
  if (!name.len)
    return notation_fail(r, at, 1,
                         "expected a layout: a call such as spatial(2, 3), a CuTe layout, a "
                         "fragment or '('");
  if ((str_is(name, "Sw") || str_is(name, "Swizzle")) && notation_peek(r, '<'))
    return notation_swizzled(r, at, v);
  if (notation_peek(r, '(')) return take_call(r, name, v, false);
  return take_fragment(r, name, v);
}

static bool take_chain(reader *r, tsr_layout_value *v) {
  if (!notation_deeper(r) || !take_primary(r, v)) return false;
  for (;;) {
    notation_skip(r);
    const char *at = r->at;
    if (notation_take(r, '[')) {
      if (!notation_slice(r, at, v)) return false;
      continue;
    }
    if (!notation_take(r, '.')) break;
    str name = notation_word(r);
    if (!name.len) return notation_fail(r, r->at, 1, "expected an operation after '.'");
    if (!take_call(r, name, v, true)) return false;
  }
  r->depth--;
  return true;
}

static bool take_product(reader *r, tsr_layout_value *v) {
  if (!take_chain(r, v)) return false;
  while (notation_peek(r, '*') || notation_peek(r, '/')) {
    const char *at = r->at;
    tsr_layout_value w;
    tsr_layout_error e;
    r->at++;
    if (!take_chain(r, &w)) return false;
    if (v->kind == TSR_LAYOUT_MEMORY || w.kind == TSR_LAYOUT_MEMORY)
      return notation_fail(r, at, 1, "'%c' works on distributions, not on memory layouts", *at);
    v->kind = TSR_LAYOUT_DISTRIBUTION;
    tsr_status s = *at == '*' ? tsr_layout_compose(&v->layout, &v->layout, &w.layout, &e)
                              : tsr_layout_divide(&v->layout, &v->layout, &w.layout, &e);
    if (s != TSR_OK) return notation_fail(r, at, 1, "%s", e.message);
  }
  return true;
}

static tsr_status parse(reader *r, tsr_layout_value *out) {
  tsr_layout_value v;
  if (!take_product(r, &v)) return TSR_ERROR_INPUT;
  notation_skip(r);
  if (r->at < r->end) {
    notation_fail(r, r->at, 1, "expected the end, '.', '[', '*' or '/'");
    return TSR_ERROR_INPUT;
  }
  *out = v;
  return TSR_OK;
}

static tsr_status parse_at(tsr_context *ctx, const char *name, const char *text, size_t length,
                           const source *whole, size_t offset, tsr_layout_value *out) {
  uint32_t line = 1, column = 1;
  if (whole) source_position(whole, (uint32_t)offset, &line, &column);
  if (length > MAX_TEXT) {
    place where =
        whole ? (place){.src = whole, .line = line, .column = column, .length = 1} : NOWHERE;
    diag_error(ctx, where, "a layout expression has at most %d bytes; this one has %zu", MAX_TEXT,
               length);
    return TSR_ERROR_INPUT;
  }
  workspace *w = ctx_try_alloc(ctx, sizeof *w);
  if (!w) return TSR_ERROR_MEMORY;
  if (length) memcpy(w->text, text, length);
  w->text[length] = 0;
  w->reader = (reader){.ctx = ctx,
                       .src = {name ? name : "layout", {w->text, length}},
                       .whole = whole,
                       .line = line,
                       .column = column,
                       .at = w->text,
                       .end = w->text + length,
                       .calls = w->calls};
  tsr_status s = parse(&w->reader, out);
  ctx_free(ctx, w, sizeof *w);
  return s;
}

tsr_status tsr_layout_parse(tsr_context *ctx, const char *name, const char *text, size_t length,
                            tsr_layout_value *out) {
  if (!ctx) return TSR_ERROR_USAGE;
  if (!out || (length && !text)) {
    diag_error(ctx, NOWHERE, "tsr_layout_parse: %s is NULL", out ? "the text" : "the result");
    return TSR_ERROR_USAGE;
  }
  return parse_at(ctx, name, text, length, NULL, 0, out);
}

tsr_status layout_parse_in(tsr_context *ctx, const source *src, size_t offset, size_t length,
                           tsr_layout_value *out) {
  return parse_at(ctx, src->name, src->text.data + offset, length, src, offset, out);
}
