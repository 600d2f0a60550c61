/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * contraction: sums of products over any dimensions of two tensors, with any strides:
 *
 *   dims=gmk*gkn->gmn   c[g, m, n] = epilogue(alpha sum over k of a[g, m, k] b[g, k, n])
 *
 * Every letter is a dimension. By the tensors that have it, it belongs to one of four groups: all
 * three (G), a and c (M), b and c (N), a and b (K). Dimensions of a group that follow each other in
 * all of its tensors are merged; then a tile runs along the last dimension of M, N and K, and the
 * others are indices of tile blocks, or turns of the loop. So nothing is copied, and packed
 * matrices are what they are for gemm.
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>

#include "ops/epilogue.h"
#include "ops/families.h"

#define CONTRACTION_PARAMS(P)                                                                      \
  P(dims, TEXT, FORM, 0, 0, NULL, "mk*kn->mn", "a letter for each dimension of a, of b and of c")  \
  P(type, TYPE, FORM, 0, 0, NULL, "f32", "what a and b hold: f64 f32 tf32 f16 bf16 f8 i8")         \
  P(type_c, TYPE, FORM, 0, 0, "auto", "auto",                                                      \
    "what c holds; auto: i32 for i8, f16 for floats of 8 bits, else the type")                     \
  P(epilogue, TEXT, FORM, 0, 0, NULL, "none",                                                      \
    "what becomes of elements; its tensors have all of c's, or one: residual+gelu")                \
  P(shape, TEXT, SIZE, 0, 0, NULL, "auto",                                                         \
    "sizes of the letters in the order in which they appear: 4x128x64; auto: 1")                   \
  P(strides, TEXT, SIZE, 0, 0, NULL, "packed",                                                     \
    "of tensors that do not lie packed: a:8192x64x1+c:1x4x512; 0 repeats")                         \
  P(alpha, REAL, SIZE, 0, 0, NULL, "1", "factor of the sums")                                      \
  P(tile_m, INTEGER, CHOICE, 1, 1024, "auto", "auto", "along the last dimension of M")             \
  P(tile_n, INTEGER, CHOICE, 1, 4096, "auto", "auto", "along the last dimension of N")             \
  P(tile_k, INTEGER, CHOICE, 1, 1024, "auto", "auto", "along the last dimension of K")             \
  OPS_HINT_PARAMS(P)                                                                               \
  P(scaled, CHOSEN, DERIVED, 0, 0, "no yes", "no", "alpha is not 1")                               \
  P(merged, TEXT, DERIVED, 0, 0, NULL, "auto", "how many dimensions G, M, N and K have, merged")   \
  P(units, TEXT, DERIVED, 0, 0, NULL, "auto", "which dimension of a, b, c has the stride 1")       \
  OPS_COMMON_PARAMS(P)

enum {
#define OPS_PARAM_ID(id, ...) CONTRACTION_##id,
  CONTRACTION_PARAMS(OPS_PARAM_ID)
#undef OPS_PARAM_ID
};

static const ops_param params[] = {CONTRACTION_PARAMS(OPS_PARAM_ROW)};

enum { TENSOR_A, TENSOR_B, TENSOR_C, TENSORS };
enum { GROUP_G, GROUP_M, GROUP_N, GROUP_K, GROUPS };
enum { MAX_LETTERS = 24 };

static const char tensor_names[TENSORS + 1] = "abc", group_names[GROUPS + 1] = "gmnk";
/* Which tensors have the dimensions of a group, and in which order a tensor has the groups. */
static const bool has[TENSORS][GROUPS] = {
    {true, true, false, true}, {true, false, true, true}, {true, true, true, false}};
static const uint8_t order[TENSORS][3] = {
    {GROUP_G, GROUP_M, GROUP_K}, {GROUP_G, GROUP_K, GROUP_N}, {GROUP_G, GROUP_M, GROUP_N}};

typedef struct dim {
  int64_t size, strides[TENSORS];
} dim;

typedef struct contraction {
  char letters[TENSORS][TSR_OP_MAX_RANK + 1]; /* as they were given */
  int64_t strides[TENSORS][TSR_OP_MAX_RANK];
  char all[MAX_LETTERS + 1];
  int64_t sizes[MAX_LETTERS];
  dim dims[GROUPS][TSR_OP_MAX_RANK];
  unsigned count[GROUPS];
  int8_t unit[TENSORS]; /* a number among the tensor's dimensions; -1: none */
  ops_epilogue epilogue;
} contraction;

static int64_t get(const ops_problem *p, unsigned param) {
  return p->values[param].i;
}

static const contraction *parts(const ops_problem *p) {
  return p->parts;
}

/* ---- reading --------------------------------------------------------------------------------- */

static bool bad_dims(const ops_problem *p, ops_why *why, const char *expected) {
  return ops_refuse(why, "dims=%.100s: %s, as in gmk*gkn->gmn", p->values[CONTRACTION_dims].text,
                    expected);
}

static const char *read_letters(const char *at, char *out) {
  unsigned n = 0;
  while (islower((unsigned char)*at) && n < TSR_OP_MAX_RANK && !strchr(out, *at)) out[n++] = *at++;
  return at;
}

static bool read_dims(const ops_problem *p, contraction *c, ops_why *why) {
  const char *at = read_letters(p->values[CONTRACTION_dims].text, c->letters[TENSOR_A]);
  if (*at++ != '*') return bad_dims(p, why, "expected up to 8 different letters, then *");
  at = read_letters(at, c->letters[TENSOR_B]);
  if (at[0] != '-' || at[1] != '>') return bad_dims(p, why, "expected letters, then ->");
  at = read_letters(at + 2, c->letters[TENSOR_C]);
  return !*at || bad_dims(p, why, "expected the letters of c at the end");
}

static int position(const contraction *c, unsigned tensor, char letter) {
  const char *at = letter ? strchr(c->letters[tensor], letter) : NULL;
  return at ? (int)(at - c->letters[tensor]) : -1;
}

/* Below 0: it belongs to none. */
static int group_of(const contraction *c, char letter) {
  bool in[TENSORS];
  for (unsigned t = 0; t < TENSORS; t++) in[t] = position(c, t, letter) >= 0;
  for (int g = 0; g < GROUPS; g++)
    if (in[0] == has[0][g] && in[1] == has[1][g] && in[2] == has[2][g]) return g;
  return -1;
}

static bool list_letters(const ops_problem *p, contraction *c, ops_why *why) {
  size_t n = 0;
  for (unsigned t = 0; t < TENSORS; t++)
    for (const char *l = c->letters[t]; *l; l++) {
      if (group_of(c, *l) < 0)
        return bad_dims(p, why, "every letter belongs to two tensors or all");
      if (!strchr(c->all, *l)) c->all[n++] = *l;
    }
  return true;
}

static bool read_sizes(const ops_problem *p, contraction *c, ops_why *why) {
  const char *text = p->values[CONTRACTION_shape].text;
  int wanted = (int)strlen(c->all);
  for (int i = 0; i < wanted; i++) c->sizes[i] = 1;
  if (strcmp(text, "auto") == 0) return true;
  if (ops_read_list(str_of(text), 'x', c->sizes, MAX_LETTERS) == wanted) return true;
  return ops_refuse(why, "shape=%.100s: give %d sizes from 0 to 2^40 with x between, of %s", text,
                    wanted, c->all);
}

static int64_t size_of(const contraction *c, char letter) {
  return c->sizes[strchr(c->all, letter) - c->all];
}

static void pack(contraction *c, unsigned tensor) {
  int64_t stride = 1;
  for (size_t d = strlen(c->letters[tensor]); d-- > 0;) {
    c->strides[tensor][d] = stride;
    if (__builtin_mul_overflow(stride, MAX(size_of(c, c->letters[tensor][d]), 1), &stride) ||
        stride > OPS_MAX_SIZE)
      stride = OPS_MAX_SIZE;
  }
}

static bool read_strides(ops_problem *p, contraction *c, ops_why *why) {
  ops_strides given;
  int64_t packed[TENSORS][TSR_OP_MAX_RANK];
  for (unsigned t = 0; t < TENSORS; t++) pack(c, t);
  memcpy(packed, c->strides, sizeof packed);
  for (str rest = ops_strides_begin(p->values[CONTRACTION_strides].text);
       ops_strides_next(&rest, &given);) {
    const char *at = given.name.len == 1 ? strchr(tensor_names, *given.name.data) : NULL;
    if (!at)
      return ops_refuse(why, "strides=" STR_FMT ": name a tensor of a, b and c, as in a:64x1",
                        (int)MIN(given.text.len, (size_t)64), given.text.data);
    unsigned t = (unsigned)(at - tensor_names), rank = (unsigned)strlen(c->letters[t]);
    char name[2] = {*at, 0};
    if (!ops_check_strides(&given, name, rank, why)) return false;
    memcpy(c->strides[t], given.values, rank * sizeof *c->strides[t]);
  }
  /* So that the same problem has the same text, however it was written. */
  if (memcmp(packed, c->strides, sizeof packed) == 0)
    p->values[CONTRACTION_strides].text = "packed";
  return true;
}

/* ---- merging --------------------------------------------------------------------------------- */

/* Whether a dimension continues the last one of its group in all tensors that have it. */
static bool continues(const contraction *c, unsigned group, const dim *d) {
  if (c->count[group] == 0) return false;
  const dim *last = &c->dims[group][c->count[group] - 1];
  for (unsigned t = 0; t < TENSORS; t++) {
    int64_t run;
    if (has[t][group] &&
        (__builtin_mul_overflow(d->strides[t], d->size, &run) || last->strides[t] != run))
      return false;
  }
  return true;
}

static void append(contraction *c, char letter) {
  unsigned group = (unsigned)group_of(c, letter);
  dim d = {.size = size_of(c, letter)};
  if (d.size == 1) return;
  for (unsigned t = 0; t < TENSORS; t++)
    if (has[t][group]) d.strides[t] = c->strides[t][position(c, t, letter)];
  if (continues(c, group, &d)) {
    dim *last = &c->dims[group][c->count[group] - 1];
    last->size *= d.size;
    memcpy(last->strides, d.strides, sizeof d.strides);
  } else {
    c->dims[group][c->count[group]++] = d;
  }
}

static void pad_group(contraction *c, unsigned group, unsigned wanted) {
  dim *dims = c->dims[group];
  while (c->count[group] < wanted) {
    memmove(dims + 1, dims, c->count[group]++ * sizeof *dims);
    dims[0] = (dim){.size = 1};
  }
}

static bool is_unit(const dim *d) {
  return d->strides[0] == 1 || d->strides[1] == 1 || d->strides[2] == 1;
}

/* A tile should run along contiguous elements, else along the longest dimension. */
static void put_best_last(contraction *c, unsigned group) {
  dim *dims = c->dims[group];
  unsigned n = c->count[group], best = n - 1;
  for (unsigned i = 0; i < n; i++) {
    int64_t one = is_unit(&dims[i]), other = is_unit(&dims[best]);
    if (one > other || (one == other && dims[i].size > dims[best].size)) best = i;
  }
  dim kept = dims[best];
  memmove(&dims[best], &dims[best + 1], (n - 1 - best) * sizeof *dims);
  dims[n - 1] = kept;
}

/* As many dimensions as the name of an instance says, at least. */
static bool merge(ops_problem *p, contraction *c, ops_why *why) {
  const char *given = p->values[CONTRACTION_merged].text;
  unsigned rank[TENSORS] = {0};
  for (const char *l = c->letters[TENSOR_C]; *l; l++) append(c, *l);
  for (const char *l = c->letters[TENSOR_A]; *l; l++)
    if (group_of(c, *l) == GROUP_K) append(c, *l);
  for (unsigned g = 0; g < GROUPS; g++) {
    unsigned least = g == GROUP_G ? 0 : 1;
    if (strlen(given) == GROUPS && isdigit((unsigned char)given[g]))
      least = MAX(least, (unsigned)(given[g] - '0'));
    pad_group(c, g, MIN(least, TSR_OP_MAX_RANK - 2));
    if (g != GROUP_G) put_best_last(c, g);
    for (unsigned t = 0; t < TENSORS; t++) rank[t] += has[t][g] ? c->count[g] : 0;
  }
  p->values[CONTRACTION_merged].text =
      arena_printf(p->arena, "%u%u%u%u", c->count[0], c->count[1], c->count[2], c->count[3]);
  if (rank[0] <= TSR_OP_MAX_RANK && rank[1] <= TSR_OP_MAX_RANK && rank[2] <= TSR_OP_MAX_RANK)
    return true;
  return ops_refuse(why, "dims=%s has too many dimensions that cannot be merged; at most %d",
                    p->values[CONTRACTION_dims].text, TSR_OP_MAX_RANK);
}

/* The tensor's dimension `index` in the order of its groups. */
static const dim *dim_at(const contraction *c, unsigned tensor, unsigned index) {
  for (unsigned i = 0; i < 3; i++) {
    unsigned g = order[tensor][i];
    if (index < c->count[g]) return &c->dims[g][index];
    index -= c->count[g];
  }
  return NULL;
}

static int find_unit(const contraction *c, unsigned tensor) {
  int any = -1;
  const dim *d;
  for (unsigned i = 0; (d = dim_at(c, tensor, i)); i++) {
    if (d->strides[tensor] == 1 && d->size != 1) return (int)i;
    if (d->size == 1) any = (int)i;
  }
  return any;
}

static bool may_be_unit(const contraction *c, unsigned tensor, int index) {
  const dim *d = index < 0 ? NULL : dim_at(c, tensor, (unsigned)index);
  return index < 0 || (d && (d->strides[tensor] == 1 || d->size <= 1));
}

/* What was given, a digit or '-' for each tensor, where it holds. */
static void find_units(ops_problem *p, contraction *c) {
  const char *given = p->values[CONTRACTION_units].text;
  char *text = arena_array(p->arena, char, TENSORS + 1);
  for (unsigned t = 0; t < TENSORS; t++) {
    bool is_given = strlen(given) == TENSORS;
    int wanted = is_given && given[t] != '-' ? given[t] - '0' : -1;
    c->unit[t] = (int8_t)(is_given && may_be_unit(c, t, wanted) ? wanted : find_unit(c, t));
    text[t] = c->unit[t] < 0 ? '-' : (char)('0' + c->unit[t]);
  }
  text[TENSORS] = 0;
  p->values[CONTRACTION_units].text = text;
}

/* ---- types ----------------------------------------------------------------------------------- */

static ops_type sum_type(const ops_problem *p) {
  return ops_type_accumulator(get(p, CONTRACTION_type));
}

static ops_type late_type(const ops_problem *p) {
  bool is_double = sum_type(p) == TSR_F64 || get(p, CONTRACTION_type_c) == TSR_F64;
  return is_double ? TSR_F64 : TSR_F32;
}

/* Whether sums are stored as they are. */
static bool is_whole(const ops_problem *p) {
  return ops_type_is_int(sum_type(p)) && ops_type_is_int(get(p, CONTRACTION_type_c)) &&
         !parts(p)->epilogue.count && !get(p, CONTRACTION_scaled);
}

static bool settle_types(ops_problem *p, contraction *c, ops_why *why) {
  static const tsr_elem all[] = {TSR_F64,  TSR_F32,      TSR_TF32,   TSR_F16,
                                 TSR_BF16, TSR_F8E4M3FN, TSR_F8E5M2, TSR_I8};
  ops_type t = get(p, CONTRACTION_type), type_c = get(p, CONTRACTION_type_c);
  bool known = false;
  for (size_t i = 0; i < ARRAY_LEN(all); i++) known |= t == (ops_type)all[i];
  if (!known)
    return ops_refuse(why, "type=%s: contractions take f64 f32 tf32 f16 bf16 f8E4M3FN f8E5M2 i8",
                      ops_type_name(t));
  ops_type usual = t == TSR_I8 ? TSR_I32 : t == TSR_TF32 ? TSR_F32 : t;
  if (ops_type_bits(t) == 8 && t != TSR_I8) usual = TSR_F16;
  if (!ops_epilogue_parse(&c->epilogue, p->arena, str_of(p->values[CONTRACTION_epilogue].text),
                          type_c >= 0 ? type_c : usual, why))
    return false;
  if (type_c < 0) type_c = c->epilogue.result >= 0 ? c->epilogue.result : usual;
  p->values[CONTRACTION_type_c].i = type_c;
  if (c->epilogue.result >= 0 && c->epilogue.result != type_c)
    return ops_refuse(why, "type_c=%s, but epilogue=%s makes c %s", ops_type_name(type_c),
                      p->values[CONTRACTION_epilogue].text, ops_type_name(c->epilogue.result));
  return ops_type_bits(type_c) >= 8 ||
         ops_refuse(why, "type_c=%s: results have elements of 8 bits and more",
                    ops_type_name(type_c));
}

static bool check_epilogue(const ops_problem *p, const ops_epilogue *e, ops_why *why) {
  const char *text = p->values[CONTRACTION_epilogue].text;
  for (unsigned i = 0; i < e->count; i++) {
    const ops_stage *s = &e->stages[i];
    if (s->operand && s->span != OPS_SPAN_MN && s->span != OPS_SPAN_TENSOR)
      return ops_refuse(why, "epilogue=%s: %s has one number (tensor) or all elements (mn) here",
                        text, s->operand);
    if (s->function && s->function->f32_only && late_type(p) == TSR_F64)
      return ops_refuse(why, "epilogue=%s: %s is computed to 3e-7, not in f64", text,
                        s->function->name);
  }
  return !e->by_row || ops_refuse(why, "epilogue=%s: quantise:row goes with matrices", text);
}

static bool settle(ops_problem *p, ops_why *why) {
  contraction *c = arena_new(p->arena, contraction);
  *c = (contraction){0};
  p->parts = c;
  if (p->values[CONTRACTION_alpha].r != 1) p->values[CONTRACTION_scaled].i = 1;
  if (!read_dims(p, c, why) || !list_letters(p, c, why) || !read_sizes(p, c, why) ||
      !read_strides(p, c, why) || !settle_types(p, c, why) ||
      !check_epilogue(p, &c->epilogue, why) || !merge(p, c, why))
    return false;
  find_units(p, c);
  return true;
}

/* ---- tensors --------------------------------------------------------------------------------- */

/* A tensor that has the dimensions of one of the three. */
static void add_tensor(const contraction *c, unsigned tensor, ops_operands *out, const char *name,
                       ops_type type, tsr_op_use use) {
  ops_operand *o = ops_operand_add(out, name, type, use);
  for (size_t d = 0; c->letters[tensor][d]; d++)
    ops_operand_dim(o, size_of(c, c->letters[tensor][d]), c->strides[tensor][d]);
}

static void operands(const ops_problem *p, ops_operands *out) {
  const contraction *c = parts(p);
  add_tensor(c, TENSOR_A, out, "a", get(p, CONTRACTION_type), TSR_OP_READ);
  add_tensor(c, TENSOR_B, out, "b", get(p, CONTRACTION_type), TSR_OP_READ);
  for (unsigned i = 0; i < c->epilogue.count; i++) {
    const ops_stage *s = &c->epilogue.stages[i];
    if (!s->operand) continue;
    if (s->span == OPS_SPAN_MN)
      add_tensor(c, TENSOR_C, out, s->operand, s->type, TSR_OP_READ);
    else
      ops_operand_add(out, s->operand, s->type, TSR_OP_READ);
    ops_operand *o = &out->data[out->count - 1];
    if (s->kind == OPS_STAGE_QUANTISE) o->low = 0.01, o->high = 0.1;
  }
  add_tensor(c, TENSOR_C, out, "c", get(p, CONTRACTION_type_c), TSR_OP_WRITTEN);
}

/* Tiles of a group: of its last dimension, times all indices of the others. */
static double tiles_in(const contraction *c, unsigned group, int64_t tile) {
  double n = 1;
  unsigned count = c->count[group];
  for (unsigned i = 0; i < count; i++) {
    int64_t size = c->dims[group][i].size;
    n *= (double)(i + 1 == count && group != GROUP_G ? ops_tiles_of(size, tile) : size);
  }
  return n;
}

static double elements(const contraction *c, unsigned group) {
  double n = 1;
  for (unsigned i = 0; i < c->count[group]; i++) n *= (double)c->dims[group][i].size;
  return n;
}

/* ---- choices --------------------------------------------------------------------------------- */

enum { TILE_MAX = 1 << 16, STEP_MAX = 1 << 17 };

static bool check_tiles(const ops_problem *p, ops_why *why) {
  int64_t m = get(p, CONTRACTION_tile_m), n = get(p, CONTRACTION_tile_n);
  int64_t k = get(p, CONTRACTION_tile_k);
  if (m * n <= TILE_MAX && m * k <= STEP_MAX && k * n <= STEP_MAX) return true;
  return ops_refuse(why,
                    "tiles of %lld x %lld x %lld are too large: tile_m * tile_n is at most "
                    "65536, and 131072 with tile_k",
                    (long long)m, (long long)n, (long long)k);
}

static bool supported(const ops_problem *p, const ops_target *t, ops_why *why) {
  (void)t;
  const contraction *c = parts(p);
  static const unsigned tiles[] = {CONTRACTION_tile_m, CONTRACTION_tile_n, CONTRACTION_tile_k};
  for (size_t i = 0; i < ARRAY_LEN(tiles); i++)
    if (!ops_check_power(p, tiles[i], why)) return false;
  if (!check_tiles(p, why)) return false;
  if (tiles_in(c, GROUP_G, 1) <= INT32_MAX &&
      tiles_in(c, GROUP_M, get(p, CONTRACTION_tile_m)) <= INT32_MAX &&
      tiles_in(c, GROUP_N, get(p, CONTRACTION_tile_n)) <= INT32_MAX &&
      tiles_in(c, GROUP_K, get(p, CONTRACTION_tile_k)) <= INT32_MAX)
    return true;
  return ops_refuse(why, "shape=%s makes more than 2^31 - 1 tiles along an axis; give larger ones",
                    p->values[CONTRACTION_shape].text);
}

static void candidates(const ops_target *t, ops_candidates *out) {
  static const int16_t tiles[][3] = {{128, 128, 64}, {64, 64, 64},   {64, 128, 64}, {32, 64, 64},
                                     {32, 32, 32},   {16, 16, 16},   {16, 64, 64},  {16, 256, 32},
                                     {256, 16, 64},  {128, 128, 16}, {64, 64, 16},  {4, 64, 16},
                                     {1, 256, 32},   {64, 4, 16},    {4, 4, 64},    {16, 16, 4}};
  (void)t;
  for (size_t i = 0; i < ARRAY_LEN(tiles); i++)
    ops_candidates_add(out, (int64_t[]){tiles[i][0], tiles[i][1], tiles[i][2]});
}

static double cost(const ops_problem *p, const ops_target *t) {
  const contraction *c = parts(p);
  int64_t m = get(p, CONTRACTION_tile_m), n = get(p, CONTRACTION_tile_n);
  int64_t k = get(p, CONTRACTION_tile_k);
  double blocks = tiles_in(c, GROUP_G, 1) * tiles_in(c, GROUP_M, m) * tiles_in(c, GROUP_N, n);
  double turns = tiles_in(c, GROUP_K, k), fit = 1 / (1 + 8.0 / (double)m + 8.0 / (double)n);
  if (t->kind == OPS_ON_CPU && m < 32) fit *= 0.25; /* operands are not packed then */
  double step = 2.0 * (double)(m * n * k) / (t->gflops * 1e6 * fit) + 2e-5;
  double bytes =
      blocks * turns * (double)(m * k + k * n) * 0.1 * ops_type_bytes(get(p, CONTRACTION_type));
  return 0.004 + ceil(blocks / t->cores) * (turns * step + 0.0005) + bytes / (t->gbytes * 1e6);
}

/* ---- launches -------------------------------------------------------------------------------- */

static const char *size_name(const ops_problem *p, unsigned group, unsigned d) {
  return arena_printf(p->arena, "%c%u", group_names[group], d);
}

static const char *stride_name(const ops_problem *p, unsigned tensor, unsigned d) {
  return arena_printf(p->arena, "%c_%u", tensor_names[tensor], d);
}

static void pass_tensor(const ops_problem *p, ops_steps *out, ops_step *s, unsigned tensor) {
  const contraction *c = parts(p);
  const dim *d;
  ops_pass_tensor(out, s, arena_printf(p->arena, "%c", tensor_names[tensor]));
  for (unsigned i = 0; (d = dim_at(c, tensor, i)); i++)
    if (c->unit[tensor] != (int)i)
      ops_pass_index(out, s, stride_name(p, tensor, i), d->strides[tensor]);
}

static void steps(const ops_problem *p, ops_steps *out) {
  const contraction *c = parts(p);
  double g = tiles_in(c, GROUP_G, 1), m = tiles_in(c, GROUP_M, get(p, CONTRACTION_tile_m));
  double n = tiles_in(c, GROUP_N, get(p, CONTRACTION_tile_n));
  if (g == 0 || m == 0 || n == 0) return;
  ops_step *s = ops_step_add(out, "main", (int64_t)m, (int64_t)n, (int64_t)g);
  for (unsigned group = 0; group < GROUPS; group++)
    for (unsigned d = 0; d < c->count[group]; d++)
      ops_pass_index(out, s, size_name(p, group, d), c->dims[group][d].size);
  for (unsigned t = 0; t < TENSORS; t++) pass_tensor(p, out, s, t);
  for (unsigned i = 0; i < c->epilogue.count; i++)
    if (c->epilogue.stages[i].operand) ops_pass_tensor(out, s, c->epilogue.stages[i].operand);
  if (get(p, CONTRACTION_scaled))
    ops_pass_real(s, "alpha", ops_type_elem(late_type(p)), p->values[CONTRACTION_alpha].r);
}

/* ---- the kernel ------------------------------------------------------------------------------ */

typedef struct kernel {
  ops_build *b;
  const contraction *c;
  int64_t tiles[GROUPS];
  tsr_value sizes[GROUPS][TSR_OP_MAX_RANK];
  tsr_value at[GROUPS][TSR_OP_MAX_RANK]; /* indices; of the last dimension, of tiles */
} kernel;

/* Indices of a group, from a number that counts them. */
static void find_indices(kernel *k, unsigned group, tsr_value number) {
  tsr_value sizes[TSR_OP_MAX_RANK];
  unsigned count = k->c->count[group];
  memcpy(sizes, k->sizes[group], sizeof sizes);
  if (group != GROUP_G) sizes[count - 1] = ops_ceil_div(k->b, sizes[count - 1], k->tiles[group]);
  ops_take_apart(k->b, ops_to_index(k->b, number), sizes, count, k->at[group]);
}

static kernel begin(ops_build *b) {
  const ops_problem *p = b->p;
  kernel k = {.b = b,
              .c = parts(p),
              .tiles = {1, get(p, CONTRACTION_tile_m), get(p, CONTRACTION_tile_n),
                        get(p, CONTRACTION_tile_k)}};
  for (unsigned g = 0; g < GROUPS; g++)
    for (unsigned d = 0; d < k.c->count[g]; d++) k.sizes[g][d] = ops_arg(b, size_name(p, g, d));
  find_indices(&k, GROUP_G, b->block[2]);
  find_indices(&k, GROUP_M, b->block[0]);
  find_indices(&k, GROUP_N, b->block[1]);
  return k;
}

/* A tensor with the dimensions of one of a, b and c. */
static ops_tiles view_of(kernel *k, const char *name, unsigned tensor, ops_type type) {
  ops_view_spec spec = {
      .base = ops_arg(k->b, name), .elem = ops_type_elem(type), .padding = TSR_PADDING_ZERO};
  for (unsigned i = 0; i < 3; i++) {
    unsigned g = order[tensor][i];
    for (unsigned d = 0; d < k->c->count[g]; d++) {
      bool is_last = g != GROUP_G && d + 1 == k->c->count[g];
      bool is_unit = k->c->unit[tensor] == (int)spec.rank;
      spec.sizes[spec.rank] = k->sizes[g][d];
      spec.strides[spec.rank] =
          is_unit ? NULL : ops_arg(k->b, stride_name(k->b->p, tensor, spec.rank));
      spec.tile[spec.rank++] = is_last ? k->tiles[g] : 1;
    }
  }
  return ops_view(k->b, &spec);
}

static size_t indices_of(const kernel *k, unsigned tensor, tsr_value *out) {
  size_t n = 0;
  for (unsigned i = 0; i < 3; i++) {
    unsigned g = order[tensor][i];
    for (unsigned d = 0; d < k->c->count[g]; d++) out[n++] = k->at[g][d];
  }
  return n;
}

static tsr_value load(kernel *k, const ops_tiles *t, unsigned tensor) {
  tsr_value at[TSR_OP_MAX_RANK];
  size_t n = indices_of(k, tensor, at);
  tsr_value v = ops_load(k->b, t, (tsr_values){at, n});
  return ops_reshape(k->b, v, TSR_INTS(k->tiles[order[tensor][1]], k->tiles[order[tensor][2]]));
}

/* Turns of the loop over K. */
static tsr_value turns_of(kernel *k) {
  unsigned count = k->c->count[GROUP_K];
  tsr_value n = ops_ceil_div(k->b, k->sizes[GROUP_K][count - 1], k->tiles[GROUP_K]);
  for (unsigned d = 0; d + 1 < count; d++) n = tsr_build_muli(k->b->b, n, k->sizes[GROUP_K][d]);
  return ops_from_index(k->b, n);
}

static tsr_value sum_products(kernel *k) {
  ops_build *b = k->b;
  ops_type type = get(b->p, CONTRACTION_type);
  ops_tiles va = view_of(k, "a", TENSOR_A, type), vb = view_of(k, "b", TENSOR_B, type);
  tsr_ints shape = TSR_INTS(k->tiles[GROUP_M], k->tiles[GROUP_N]);
  tsr_value zero = ops_full(b, ops_type_elem(sum_type(b->p)), shape, 0);
  tsr_op *loop = ops_loop(b, ops_i32(b, 0), turns_of(k), TSR_VALUES(zero));
  tsr_value sum = tsr_build_arg(b->b, 1);
  find_indices(k, GROUP_K, tsr_build_arg(b->b, 0));
  tsr_value x = load(k, &va, TENSOR_A), y = load(k, &vb, TENSOR_B);
  if (ops_type_is_int(type))
    sum = tsr_build_mmai(b->b, x, y, sum, TSR_SIGNED, TSR_SIGNED);
  else
    sum = tsr_build_mmaf(b->b, x, y, sum);
  ops_loop_end(b, TSR_VALUES(sum));
  return tsr_op_result(loop, 0);
}

static tsr_value stage_tensor(kernel *k, const ops_stage *s, ops_type late) {
  tsr_value v;
  if (s->span == OPS_SPAN_MN) {
    ops_tiles t = view_of(k, s->operand, TENSOR_C, s->type);
    v = load(k, &t, TENSOR_C);
  } else {
    v = tsr_build_load_ptr_tko(k->b->b, ops_arg(k->b, s->operand), TSR_MEMORY_WEAK);
    v = ops_spread(k->b, v, TSR_INTS(k->tiles[GROUP_M], k->tiles[GROUP_N]));
  }
  return ops_convert(k->b, v, s->type, late);
}

static tsr_value finish(kernel *k, tsr_value x) {
  ops_build *b = k->b;
  ops_type late = late_type(b->p);
  if (is_whole(b->p)) return ops_convert(b, x, sum_type(b->p), get(b->p, CONTRACTION_type_c));
  x = ops_convert(b, x, sum_type(b->p), late);
  if (get(b->p, CONTRACTION_scaled))
    x = ops_mul(b, x,
                ops_spread(b, ops_arg(b, "alpha"), TSR_INTS(k->tiles[GROUP_M], k->tiles[GROUP_N])));
  for (unsigned i = 0; i < k->c->epilogue.count; i++) {
    const ops_stage *s = &k->c->epilogue.stages[i];
    x = ops_stage_emit(b, s, x, s->operand ? stage_tensor(k, s, late) : NULL);
  }
  return ops_convert(b, x, late, get(b->p, CONTRACTION_type_c));
}

static void build(ops_build *b) {
  kernel k = begin(b);
  tsr_value at[TSR_OP_MAX_RANK], x = finish(&k, sum_products(&k));
  ops_tiles c = view_of(&k, "c", TENSOR_C, get(b->p, CONTRACTION_type_c));
  size_t n = indices_of(&k, TENSOR_C, at);
  ops_store(b, ops_reshape(b, x, (tsr_ints){c.tile, c.rank}), &c, (tsr_values){at, n});
}

/* ---- the reference --------------------------------------------------------------------------- */

/* Where the elements of all tensors lie whose indices `number` counts, in a group. */
static void move_to(const contraction *c, unsigned group, int64_t number, int64_t at[TENSORS]) {
  for (unsigned d = c->count[group]; d-- > 0;) {
    const dim *of = &c->dims[group][d];
    for (unsigned t = 0; t < TENSORS; t++) at[t] += number % of->size * of->strides[t];
    number /= of->size;
  }
}

static void one_element(ops_host *h, const int64_t at[TENSORS]) {
  const contraction *c = parts(h->p);
  const double *a = ops_host_tensor(h, "a")->numbers, *b = ops_host_tensor(h, "b")->numbers;
  double x = 0;
  for (int64_t k = 0; k < (int64_t)elements(c, GROUP_K); k++) {
    int64_t here[TENSORS] = {at[0], at[1], at[2]};
    move_to(c, GROUP_K, k, here);
    x += a[here[TENSOR_A]] * b[here[TENSOR_B]];
  }
  x *= h->p->values[CONTRACTION_alpha].r;
  for (unsigned i = 0; i < c->epilogue.count; i++) {
    const ops_stage *s = &c->epilogue.stages[i];
    const ops_tensor *t = s->operand ? ops_host_tensor(h, s->operand) : NULL;
    x = ops_stage_value(s, x, t ? t->numbers[s->span == OPS_SPAN_MN ? at[TENSOR_C] : 0] : 0);
  }
  ops_host_tensor(h, "c")->numbers[at[TENSOR_C]] = x;
}

static void reference(ops_host *h) {
  const contraction *c = parts(h->p);
  for (int64_t g = 0; g < (int64_t)elements(c, GROUP_G); g++)
    for (int64_t m = 0; m < (int64_t)elements(c, GROUP_M); m++)
      for (int64_t n = 0; n < (int64_t)elements(c, GROUP_N); n++) {
        int64_t at[TENSORS] = {0};
        move_to(c, GROUP_G, g, at);
        move_to(c, GROUP_M, m, at);
        move_to(c, GROUP_N, n, at);
        one_element(h, at);
      }
}

static double flops(const ops_problem *p) {
  const contraction *c = parts(p);
  return 2 * elements(c, GROUP_G) * elements(c, GROUP_M) * elements(c, GROUP_N) *
         elements(c, GROUP_K);
}

static double tolerance(const ops_problem *p) {
  if (is_whole(p)) return 0;
  double k = elements(parts(p), GROUP_K);
  return ops_type_roundoff(sum_type(p)) * (8 + 2 * sqrt(k)) + 16 * ops_type_roundoff(late_type(p)) +
         (parts(p)->epilogue.count ? 1e-6 : 0) +
         (get(p, CONTRACTION_type) == TSR_TF32 ? 2 * ops_type_roundoff(TSR_TF32) : 0);
}

const ops_family ops_family_contraction = {
    .name = "contraction",
    .about = "sums of products over any dimensions of two tensors, with an epilogue",
    .params = params,
    .n_params = ARRAY_LEN(params),
    .index = CONTRACTION_index,
    .settle = settle,
    .operands = operands,
    .supported = supported,
    .candidates = candidates,
    .cost = cost,
    .steps = steps,
    .build = build,
    .reference = reference,
    .flops = flops,
    .tolerance = tolerance,
};
