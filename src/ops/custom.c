/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * custom: matrix products, reductions and element-wise operations on element types of a program's
 * own: structures of up to four numbers with a multiplication, an addition with its zero, and a
 * conversion of results that are given as expressions, one for each field.
 *
 *   product   c[m, n] = convert(sum over k of multiply(a[m, k], b[k, n]))
 *   reduce    c[m]    = convert(sum over k of a[m, k])
 *   map       c[m, n] = convert(multiply(a[m, n], b[m, n]))
 *
 * In an expression the fields of the first structure are a, b, ..., those of the second one the
 * letters that follow. Structures lie in memory as a C program has them, field by field. Sums are
 * made in an order of their own: the addition has to be associative and commutative.
 *
 * Where fields are added one by one, and those of a product are sums of products of a field of each
 * structure (complex and dual numbers, quaternions), it is made of matrix products of the fields.
 */
#include <math.h>
#include <stdlib.h>

#include "ops/expression.h"
#include "ops/families.h"
#include "ops/host.h"

#define CUSTOM_PARAMS(P)                                                                           \
  P(kind, CHOSEN, FORM, 0, 0, "product reduce map", "product", "which of them")                    \
  P(type, TYPE, FORM, 0, 0, NULL, "f32", "what a field holds: floats of 8 bits and more")          \
  P(fields, INTEGER, FORM, 1, 4, NULL, "2", "fields of a structure")                               \
  P(multiply, TEXT, FORM, 0, 0, NULL, "a*c-b*d;a*d+b*c",                                           \
    "the fields of a product, and of what map makes of one or two structures: that of complex "    \
    "numbers")                                                                                     \
  P(add, TEXT, FORM, 0, 0, NULL, "each",                                                           \
    "the fields of a sum: a+c;b+d; each: the sums of the fields")                                  \
  P(zero, TEXT, FORM, 0, 0, NULL, "0", "what sums begin with: a number for each field, or one")    \
  P(convert, TEXT, FORM, 0, 0, NULL, "none", "the fields of a result: a;-b")                       \
  P(a, CHOSEN, FORM, 0, 0, "row column", "row",                                                    \
    "structures of a row follow each other, or of a "                                              \
    "column")                                                                                      \
  P(b, CHOSEN, FORM, 0, 0, "row column", "row", "the same of b")                                   \
  P(c, CHOSEN, FORM, 0, 0, "row column", "row", "the same of c")                                   \
  P(m, INTEGER, SIZE, 0, OPS_MAX_SIZE, NULL, "256", "rows of a and c")                             \
  P(n, INTEGER, SIZE, 0, OPS_MAX_SIZE, NULL, "256", "columns of b and c; not of reduce")           \
  P(k, INTEGER, SIZE, 0, OPS_MAX_SIZE, NULL, "256", "columns of a, rows of b; not of map")         \
  P(lda, INTEGER, SIZE, 0, OPS_MAX_SIZE, "packed", "packed", "structures from row to row of a")    \
  P(ldb, INTEGER, SIZE, 0, OPS_MAX_SIZE, "packed", "packed", "the same of b")                      \
  P(ldc, INTEGER, SIZE, 0, OPS_MAX_SIZE, "packed", "packed", "the same of c")                      \
  P(tile_m, INTEGER, CHOICE, 1, 1024, "auto", "auto", "rows of a tile, a power of two")            \
  P(tile_n, INTEGER, CHOICE, 1, 4096, "auto", "auto", "columns of a tile, a power of two")         \
  P(tile_k, INTEGER, CHOICE, 1, 1024, "auto", "auto",                                              \
    "structures of a step along k, a power of two: more than 1 where fields of products are sums " \
    "of products of fields, which matrix instructions multiply")                                   \
  OPS_COMMON_PARAMS(P)

enum {
#define OPS_PARAM_ID(id, ...) CUSTOM_##id,
  CUSTOM_PARAMS(OPS_PARAM_ID)
#undef OPS_PARAM_ID
};
enum { PRODUCT, REDUCE, MAP };
enum { MAX_FIELDS = 4 };

static const ops_param params[] = {CUSTOM_PARAMS(OPS_PARAM_ROW)};

/* A field of a product as a sum of products of a field of each structure, with these factors. */
typedef struct bilinear {
  double factor[MAX_FIELDS][MAX_FIELDS];
} bilinear;

/* What the type can do: an expression for each field. */
typedef struct custom_parts {
  expression *multiply[MAX_FIELDS], *add[MAX_FIELDS], *convert[MAX_FIELDS];
  double zero[MAX_FIELDS];
  bool has_b; /* multiply takes a second structure */
  bool is_bilinear;
  bilinear fields[MAX_FIELDS]; /* of bilinear products */
} custom_parts;

static const custom_parts *parts_of(const ops_problem *p) {
  return p->parts;
}

static int64_t get(const ops_problem *p, unsigned param) {
  return p->values[param].i;
}

static unsigned fields_of(const ops_problem *p) {
  return (unsigned)get(p, CUSTOM_fields);
}

static ops_type late_type(const ops_problem *p) {
  return ops_type_elem(get(p, CUSTOM_type)) == TSR_F64 ? TSR_F64 : TSR_F32;
}

/* ---- the type -------------------------------------------------------------------------------- */

/* Up to the next semicolon; false behind the last one. */
static bool next_field(str *rest, str *out) {
  if (!rest->data) return false;
  const char *end = rest->len ? memchr(rest->data, ';', rest->len) : NULL;
  *out = (str){rest->data, end ? (size_t)(end - rest->data) : rest->len};
  *rest = end ? (str){end + 1, rest->len - out->len - 1} : (str){0};
  return true;
}

static bool wrong_count(const ops_problem *p, unsigned param, ops_why *why) {
  return ops_refuse(why, "%s=%s: give an expression for each of fields=%u, with ; between",
                    params[param].name, p->values[param].text, fields_of(p));
}

/* The expressions of a parameter, of `most` structures; `used` gets a bit for each letter. */
static bool read_fields(const ops_problem *p, unsigned param, unsigned most, expression **out,
                        unsigned *used, ops_why *why) {
  str rest = str_of(p->values[param].text), text;
  unsigned count = 0, letters;
  *used = 0;
  while (next_field(&rest, &text)) {
    if (count == fields_of(p)) return wrong_count(p, param, why);
    out[count] = expression_parse(p->arena, text, &letters, why);
    if (!out[count++]) return false;
    *used |= letters;
  }
  if (count < fields_of(p)) return wrong_count(p, param, why);
  if (*used >> (most * fields_of(p)) == 0) return true;
  return ops_refuse(why, "%s=%s: %u structures of fields=%u have the letters from a to %c",
                    params[param].name, p->values[param].text, most, fields_of(p),
                    (char)('a' + most * fields_of(p) - 1));
}

static expression *letter(arena *a, unsigned i) {
  expression *e = arena_new(a, expression);
  *e = (expression){.kind = EXPRESSION_TENSOR, .tensor = (uint8_t)i};
  return e;
}

static bool settle_add(ops_problem *p, custom_parts *c, ops_why *why) {
  unsigned used, fields = fields_of(p);
  if (strcmp(p->values[CUSTOM_add].text, "each") != 0)
    return read_fields(p, CUSTOM_add, 2, c->add, &used, why);
  for (unsigned i = 0; i < fields; i++) {
    c->add[i] = arena_new(p->arena, expression);
    *c->add[i] = (expression){.kind = EXPRESSION_ADD,
                              .args = {letter(p->arena, i), letter(p->arena, i + fields)}};
  }
  return true;
}

static bool settle_convert(ops_problem *p, custom_parts *c, ops_why *why) {
  unsigned used;
  if (strcmp(p->values[CUSTOM_convert].text, "none") != 0)
    return read_fields(p, CUSTOM_convert, 1, c->convert, &used, why);
  for (unsigned i = 0; i < fields_of(p); i++) c->convert[i] = letter(p->arena, i);
  return true;
}

static bool settle_zero(ops_problem *p, custom_parts *c, ops_why *why) {
  const char *text = p->values[CUSTOM_zero].text;
  unsigned count = 0;
  char *end = NULL;
  for (const char *at = text; count < fields_of(p); at = end + 1) {
    c->zero[count++] = strtod(at, &end);
    if (end == at || (*end && *end != ';'))
      return ops_refuse(why, "zero=%s: give numbers with ; between, as in 0;-inf", text);
    if (!*end) break;
  }
  if (*end || (count != 1 && count != fields_of(p)))
    return ops_refuse(why, "zero=%s: give one number, or one for each of fields=%u", text,
                      fields_of(p));
  for (unsigned i = count; i < fields_of(p); i++) c->zero[i] = c->zero[0];
  return true;
}

static bool check_type(const ops_problem *p, const custom_parts *c, ops_why *why) {
  ops_type t = get(p, CUSTOM_type);
  if (!ops_type_is_float(t) || ops_type_bits(t) < 8 || ops_type_elem(t) == TSR_F8E8M0FNU)
    return ops_refuse(why, "type=%s: fields are floats of 8 bits and more", ops_type_name(t));
  bool is_f32_only = false;
  for (unsigned i = 0; i < fields_of(p); i++)
    is_f32_only |= expression_is_f32_only(c->multiply[i]) || expression_is_f32_only(c->add[i]) ||
                   expression_is_f32_only(c->convert[i]);
  if (!is_f32_only || late_type(p) != TSR_F64) return true;
  return ops_refuse(why, "type=f64: erf and gelu are computed to 3e-7, not in f64");
}

static void settle_stride(ops_problem *p, unsigned ld, unsigned layout, int64_t rows,
                          int64_t columns) {
  if (get(p, ld) < 0) p->values[ld].i = MAX(get(p, layout) ? rows : columns, 1);
}

/* ---- sums of products of fields -------------------------------------------------------------- */

/* What an expression is a sum of, with factors: 1, the letters, products of a letter of the first
 * structure by one of the second. */
typedef struct polynomial {
  double one, letter[2 * MAX_FIELDS];
  bilinear products;
} polynomial;

static void add_times(polynomial *to, const polynomial *x, double factor) {
  to->one += factor * x->one;
  for (unsigned i = 0; i < 2 * MAX_FIELDS; i++) to->letter[i] += factor * x->letter[i];
  for (unsigned i = 0; i < MAX_FIELDS; i++)
    for (unsigned j = 0; j < MAX_FIELDS; j++)
      to->products.factor[i][j] += factor * x->products.factor[i][j];
}

static bool has_products(const polynomial *x) {
  for (unsigned i = 0; i < MAX_FIELDS; i++)
    for (unsigned j = 0; j < MAX_FIELDS; j++)
      if (x->products.factor[i][j] != 0) return true;
  return false;
}

static bool is_number(const polynomial *x) {
  for (unsigned i = 0; i < 2 * MAX_FIELDS; i++)
    if (x->letter[i] != 0) return false;
  return !has_products(x);
}

/* Letter i of x by letter j of y belong to different structures, or the product is 0. */
static bool multiply_letters(const polynomial *x, const polynomial *y, unsigned fields,
                             polynomial *out) {
  for (unsigned i = 0; i < 2 * fields; i++)
    for (unsigned j = 0; j < 2 * fields; j++) {
      double factor = x->letter[i] * y->letter[j];
      if (factor == 0) continue;
      if ((i < fields) == (j < fields)) return false;
      out->products.factor[MIN(i, j)][MAX(i, j) - fields] += factor;
    }
  return true;
}

static bool multiply_sums(const polynomial *x, const polynomial *y, unsigned fields,
                          polynomial *out) {
  if (is_number(x) || is_number(y)) {
    bool first = is_number(x);
    add_times(out, first ? y : x, first ? x->one : y->one);
    return true;
  }
  if (has_products(x) || has_products(y) || !multiply_letters(x, y, fields, out)) return false;
  for (unsigned i = 0; i < 2 * fields; i++)
    out->letter[i] += x->one * y->letter[i] + y->one * x->letter[i];
  out->one += x->one * y->one;
  return true;
}

/* False: it is no such sum. */
static bool expand(const expression *e, unsigned fields, polynomial *out) {
  polynomial x, y;
  *out = (polynomial){0};
  switch (e->kind) {
  case EXPRESSION_NUMBER: out->one = e->number; return true;
  case EXPRESSION_TENSOR: out->letter[e->tensor] = 1; return true;
  case EXPRESSION_ADD:
  case EXPRESSION_SUBTRACT:
    if (!expand(e->args[0], fields, &x) || !expand(e->args[1], fields, &y)) return false;
    add_times(out, &x, 1);
    add_times(out, &y, e->kind == EXPRESSION_ADD ? 1 : -1);
    return true;
  case EXPRESSION_MULTIPLY:
    return expand(e->args[0], fields, &x) && expand(e->args[1], fields, &y) &&
           multiply_sums(&x, &y, fields, out);
  case EXPRESSION_FUNCTION:
    if (strcmp(e->function->name, "neg") != 0 || !expand(e->args[0], fields, &x)) return false;
    add_times(out, &x, -1);
    return true;
  default: return false;
  }
}

/* Whether field f of a sum is the sum of both fields f. */
static bool adds_field(const expression *e, unsigned f, unsigned fields) {
  polynomial x;
  if (!expand(e, fields, &x) || has_products(&x) || x.one != 0) return false;
  for (unsigned i = 0; i < 2 * fields; i++)
    if (x.letter[i] != (i % fields == f)) return false;
  return true;
}

static void find_products(const ops_problem *p, custom_parts *c) {
  unsigned fields = fields_of(p);
  polynomial x;
  c->is_bilinear = get(p, CUSTOM_kind) == PRODUCT;
  for (unsigned f = 0; f < fields && c->is_bilinear; f++) {
    c->is_bilinear = adds_field(c->add[f], f, fields) && expand(c->multiply[f], fields, &x);
    if (!c->is_bilinear) return;
    c->fields[f] = x.products;
    x.products = (bilinear){0};
    c->is_bilinear = is_number(&x) && x.one == 0;
  }
}

/* Whether some field needs the product of fields i and j. */
static bool needs_product(const ops_problem *p, unsigned i, unsigned j) {
  for (unsigned f = 0; f < fields_of(p); f++)
    if (parts_of(p)->fields[f].factor[i][j] != 0) return true;
  return false;
}

static unsigned count_products(const ops_problem *p) {
  unsigned n = 0;
  for (unsigned i = 0; i < fields_of(p) * fields_of(p); i++)
    n += needs_product(p, i / fields_of(p), i % fields_of(p));
  return n;
}

static bool settle(ops_problem *p, ops_why *why) {
  custom_parts *c = arena_new(p->arena, custom_parts);
  int64_t kind = get(p, CUSTOM_kind), m = get(p, CUSTOM_m), n = get(p, CUSTOM_n);
  unsigned used = 0, most = kind == REDUCE ? 1 : 2;
  p->parts = c;
  if (kind == REDUCE)
    for (unsigned i = 0; i < fields_of(p); i++) c->multiply[i] = letter(p->arena, i);
  else if (!read_fields(p, CUSTOM_multiply, most, c->multiply, &used, why))
    return false;
  c->has_b = kind == PRODUCT || used >> fields_of(p) != 0;
  if (!settle_add(p, c, why) || !settle_convert(p, c, why) || !settle_zero(p, c, why) ||
      !check_type(p, c, why))
    return false;
  find_products(p, c);
  settle_stride(p, CUSTOM_lda, CUSTOM_a, m, kind == MAP ? n : get(p, CUSTOM_k));
  settle_stride(p, CUSTOM_ldb, CUSTOM_b, kind == MAP ? m : get(p, CUSTOM_k), n);
  settle_stride(p, CUSTOM_ldc, CUSTOM_c, m, kind == REDUCE ? 1 : n);
  return true;
}

/* ---- tensors --------------------------------------------------------------------------------- */

static void add_matrix(const ops_problem *p, ops_operands *out, const char *name, int64_t rows,
                       int64_t columns, unsigned layout, unsigned ld, tsr_op_use use) {
  ops_operand *o = ops_operand_add(out, name, get(p, CUSTOM_type), use);
  int64_t fields = get(p, CUSTOM_fields), step = get(p, ld);
  bool by_column = get(p, layout) == 1;
  step = step > OPS_MAX_SIZE / fields ? OPS_MAX_SIZE : step * fields;
  ops_operand_dim(o, rows, by_column ? fields : step);
  ops_operand_dim(o, columns, by_column ? step : fields);
  ops_operand_dim(o, fields, 1);
}

/* The sums of reduce are a column. */
static void operands(const ops_problem *p, ops_operands *out) {
  int64_t kind = get(p, CUSTOM_kind), m = get(p, CUSTOM_m), k = get(p, CUSTOM_k);
  int64_t n = kind == REDUCE ? 1 : get(p, CUSTOM_n);
  add_matrix(p, out, "a", m, kind == MAP ? n : k, CUSTOM_a, CUSTOM_lda, TSR_OP_READ);
  if (parts_of(p)->has_b)
    add_matrix(p, out, "b", kind == MAP ? m : k, n, CUSTOM_b, CUSTOM_ldb, TSR_OP_READ);
  add_matrix(p, out, "c", m, n, CUSTOM_c, CUSTOM_ldc, TSR_OP_WRITTEN);
}

/* ---- choices --------------------------------------------------------------------------------- */

static bool supported(const ops_problem *p, const ops_target *t, ops_why *why) {
  int64_t rows = get(p, CUSTOM_tile_m), columns = get(p, CUSTOM_tile_n);
  (void)t;
  if (!ops_check_power(p, CUSTOM_tile_m, why) || !ops_check_power(p, CUSTOM_tile_n, why) ||
      !ops_check_power(p, CUSTOM_tile_k, why))
    return false;
  if (get(p, CUSTOM_tile_k) > 1 && !parts_of(p)->is_bilinear)
    return ops_refuse(why,
                      "tile_k=%lld, but kind=product, multiply and add do not say that fields are "
                      "sums of products of fields; give 1",
                      (long long)get(p, CUSTOM_tile_k));
  if (rows * columns > 16384)
    return ops_refuse(why, "tiles of %lld x %lld are too large: at most 16384 elements",
                      (long long)rows, (long long)columns);
  if (ops_tiles_of(get(p, CUSTOM_m), rows) <= INT32_MAX &&
      ops_tiles_of(get(p, CUSTOM_n), columns) <= INT32_MAX && get(p, CUSTOM_k) <= INT32_MAX)
    return true;
  return ops_refuse(why,
                    "m=%lld, n=%lld, k=%lld: at most 2^31 - 1 tiles along m and n and as many "
                    "steps along k are possible",
                    (long long)get(p, CUSTOM_m), (long long)get(p, CUSTOM_n),
                    (long long)get(p, CUSTOM_k));
}

static void candidates(const ops_target *t, ops_candidates *out) {
  static const int16_t tiles[][2] = {{64, 64}, {32, 32}, {16, 32}, {8, 64},  {16, 16},
                                     {8, 16},  {4, 64},  {4, 16},  {1, 256}, {1, 64},
                                     {1, 16},  {64, 1},  {1, 1024}};
  static const int16_t products[][3] = {{64, 64, 64}, {128, 64, 64}, {128, 128, 64}, {32, 64, 64},
                                        {16, 64, 32}, {16, 16, 16},  {32, 32, 32},   {64, 64, 16}};
  (void)t;
  for (size_t i = 0; i < ARRAY_LEN(tiles); i++)
    ops_candidates_add(out, (int64_t[]){tiles[i][0], tiles[i][1], 1});
  for (size_t i = 0; parts_of(out->problem)->is_bilinear && i < ARRAY_LEN(products); i++)
    ops_candidates_add(out, (int64_t[]){products[i][0], products[i][1], products[i][2]});
}

static double pairs_of(const ops_problem *p) {
  int64_t kind = get(p, CUSTOM_kind);
  double n = kind == REDUCE ? 1 : (double)get(p, CUSTOM_n);
  return (double)get(p, CUSTOM_m) * n * (kind == MAP ? 1 : (double)get(p, CUSTOM_k));
}

/* Fields are packed, which takes some cycles for each element, and multiplied. */
static double products_cost(const ops_problem *p, const ops_target *t) {
  double m = (double)get(p, CUSTOM_tile_m), n = (double)get(p, CUSTOM_tile_n);
  double k = (double)get(p, CUSTOM_tile_k), lanes = t->vector_bytes ? t->vector_bytes / 4.0 : 32;
  double blocks = (double)ops_tiles_of(get(p, CUSTOM_m), get(p, CUSTOM_tile_m)) *
                  (double)ops_tiles_of(get(p, CUSTOM_n), get(p, CUSTOM_tile_n));
  double steps = (double)ops_tiles_of(get(p, CUSTOM_k), get(p, CUSTOM_tile_k));
  double rate = t->gflops * 1e6, packed = fields_of(p) * (m + n) * k,
         sums = m * n * count_products(p);
  if (t->kind == OPS_ON_GPU && ops_type_bits(get(p, CUSTOM_type)) <= 16) rate *= 8;
  double step = 2 * k * sums / rate + (packed * 2 + sums / lanes) * 4 * lanes / (t->gflops * 1e6);
  return ceil(blocks / t->cores) * (steps * step + 0.0005) + 0.004;
}

/* Of a reduction: each structure is loaded, its fields taken apart and added to sums, which go
 * through memory where a tile has many: of wide vectors more than half of the registers, of narrow
 * ones nearly all do, and few long tiles are better. */
static double reduction_cost(const ops_problem *p, const ops_target *t) {
  double many = t->vector_bytes >= 64 ? 16 : 64; /* vectors */
  double rows = (double)get(p, CUSTOM_tile_m), columns = (double)get(p, CUSTOM_tile_n);
  double lanes = t->vector_bytes ? t->vector_bytes / 4.0 : 32, fields = fields_of(p);
  double blocks = (double)ops_tiles_of(get(p, CUSTOM_m), get(p, CUSTOM_tile_m));
  double steps = (double)ops_tiles_of(get(p, CUSTOM_k), get(p, CUSTOM_tile_n));
  double held = rows * ceil(columns / lanes), work = fields * held * 10 + 40;
  if (rows > 1) work *= 1.6;
  if (fields * held > many) work *= 1.5;
  double each = t->kind == OPS_ON_CPU ? 0.00003 : 0.0003; /* to begin a tile block */
  return ceil(blocks / t->cores) * (steps * work * lanes / (t->gflops * 1e6) + each) + 0.004;
}

/* Each field takes about four operations of a pair, and loads that a tile shares. Fields that map
 * stores lie together in tiles of one row only. Where fields could be packed once for many steps,
 * CPUs take them apart in each of these. */
static double cost(const ops_problem *p, const ops_target *t) {
  if (get(p, CUSTOM_kind) == REDUCE) return reduction_cost(p, t);
  if (get(p, CUSTOM_tile_k) > 1) return products_cost(p, t);
  double rows = (double)get(p, CUSTOM_tile_m), columns = (double)get(p, CUSTOM_tile_n);
  double lanes = t->vector_bytes ? t->vector_bytes / 4.0 : 32, fields = fields_of(p);
  double steps = get(p, CUSTOM_kind) == PRODUCT ? (double)get(p, CUSTOM_k) : 1;
  double blocks = (double)ops_tiles_of(get(p, CUSTOM_m), (int64_t)rows) *
                  (double)ops_tiles_of(get(p, CUSTOM_n), (int64_t)columns);
  double held = rows * ceil(columns / lanes);
  double apart = get(p, CUSTOM_kind) == MAP && rows > 1 ? 20 : 1;
  if (parts_of(p)->is_bilinear && t->kind == OPS_ON_CPU) apart *= 2;
  double work = apart * fields * (held * 4 + 6 * (rows + ceil(columns / lanes))) + 40;
  return ceil(blocks / t->cores) * (steps * work * lanes / (t->gflops * 1e6) + 0.0003) + 0.004;
}

static void pass_matrix(const ops_problem *p, ops_steps *out, ops_step *s, const char *name,
                        unsigned ld) {
  ops_pass_tensor(out, s, name);
  ops_pass_index(out, s, arena_printf(p->arena, "ld%s", name), get(p, ld) * get(p, CUSTOM_fields));
}

static void steps(const ops_problem *p, ops_steps *out) {
  int64_t kind = get(p, CUSTOM_kind), m = get(p, CUSTOM_m);
  int64_t n = kind == REDUCE ? 1 : get(p, CUSTOM_n);
  if (m == 0 || n == 0) return;
  ops_step *s = ops_step_add(out, "main", ops_tiles_of(n, get(p, CUSTOM_tile_n)),
                             ops_tiles_of(m, get(p, CUSTOM_tile_m)), 1);
  pass_matrix(p, out, s, "a", CUSTOM_lda);
  if (parts_of(p)->has_b) pass_matrix(p, out, s, "b", CUSTOM_ldb);
  pass_matrix(p, out, s, "c", CUSTOM_ldc);
  ops_pass_index(out, s, "m", m);
  ops_pass_index(out, s, "n", n);
  if (kind != MAP) ops_pass_index(out, s, "k", get(p, CUSTOM_k));
}

/* ---- the kernel ------------------------------------------------------------------------------ */

typedef struct custom_kernel {
  ops_build *b;
  const custom_parts *c;
  unsigned fields;
  ops_type type, late;
  int64_t rows, columns;
  tsr_value i, j; /* which tile */
} custom_kernel;

/* Tiles of a matrix of structures, a view for each field. */
typedef struct custom_tiles {
  ops_tiles views[MAX_FIELDS];
} custom_tiles;

static custom_tiles tiles_of(custom_kernel *k, const char *name, const char *rows,
                             const char *columns, unsigned layout, int64_t tile_rows,
                             int64_t tile_columns) {
  ops_build *b = k->b;
  char ld[] = {'l', 'd', name[0], 0};
  tsr_value step = ops_arg(b, ld), one = ops_index(b, k->fields);
  bool by_column = get(b->p, layout) == 1;
  custom_tiles out;
  for (unsigned f = 0; f < k->fields; f++)
    out.views[f] = ops_view(
        b, &(ops_view_spec){.base = tsr_build_offset(b->b, ops_arg(b, name), ops_i32(b, f)),
                            .elem = ops_type_elem(k->type),
                            .rank = 2,
                            .sizes = {ops_arg(b, rows), columns ? ops_arg(b, columns) : NULL},
                            .strides = {by_column ? one : step, by_column ? step : one},
                            .tile = {tile_rows, tile_columns},
                            .padding = TSR_PADDING_ZERO});
  return out;
}

static void load(custom_kernel *k, const custom_tiles *t, tsr_value i, tsr_value j,
                 tsr_value *out) {
  for (unsigned f = 0; f < k->fields; f++)
    out[f] = ops_convert(k->b, ops_load(k->b, &t->views[f], TSR_VALUES(i, j)), k->type, k->late);
}

static void spread(custom_kernel *k, tsr_value *x) {
  for (unsigned f = 0; f < k->fields; f++)
    x[f] = ops_broadcast(k->b, x[f], TSR_INTS(k->rows, k->columns));
}

/* The expressions of one or two structures; y NULL: of one. */
static void apply(custom_kernel *k, expression *const *how, const tsr_value *x, const tsr_value *y,
                  tsr_value *out) {
  tsr_value letters[EXPRESSION_TENSORS] = {NULL};
  for (unsigned f = 0; f < k->fields; f++) {
    letters[f] = x[f];
    if (y) letters[k->fields + f] = y[f];
  }
  for (unsigned f = 0; f < k->fields; f++) out[f] = expression_emit(k->b, how[f], letters, x[0]);
}

static void zeros(custom_kernel *k, tsr_value *out) {
  for (unsigned f = 0; f < k->fields; f++)
    out[f] = ops_full(k->b, ops_type_elem(k->late), TSR_INTS(k->rows, k->columns), k->c->zero[f]);
}

static void store(custom_kernel *k, const custom_tiles *t, const tsr_value *x) {
  tsr_value y[MAX_FIELDS];
  apply(k, k->c->convert, x, NULL, y);
  for (unsigned f = 0; f < k->fields; f++)
    ops_store(k->b, ops_convert(k->b, y[f], k->late, k->type), &t->views[f],
              TSR_VALUES(k->i, k->j));
}

/* A loop over `end` turns, in which `sums` are arguments; they get the current ones. */
static tsr_op *begin_sums(custom_kernel *k, tsr_value end, tsr_value *sums) {
  tsr_value init[MAX_FIELDS];
  zeros(k, init);
  tsr_op *loop = ops_loop(k->b, ops_i32(k->b, 0), end, (tsr_values){init, k->fields});
  for (unsigned f = 0; f < k->fields; f++) sums[f] = tsr_build_arg(k->b->b, f + 1);
  return loop;
}

static void end_sums(custom_kernel *k, tsr_op *loop, const tsr_value *x, tsr_value *sums) {
  tsr_value next[MAX_FIELDS];
  apply(k, k->c->add, sums, x, next);
  ops_loop_end(k->b, (tsr_values){next, k->fields});
  for (unsigned f = 0; f < k->fields; f++) sums[f] = tsr_op_result(loop, f);
}

/* What fields are multiplied as: small floats as f16, which has all of them. */
static ops_type product_type(const custom_kernel *k) {
  tsr_elem elem = ops_type_elem(k->type);
  return ops_type_bits(k->type) == 8           ? TSR_F16
         : elem == TSR_F16 || elem == TSR_BF16 ? elem
                                               : k->late;
}

static void load_fields(custom_kernel *k, const custom_tiles *t, tsr_value i, tsr_value j,
                        tsr_value *out) {
  for (unsigned f = 0; f < k->fields; f++)
    out[f] =
        ops_convert(k->b, ops_load(k->b, &t->views[f], TSR_VALUES(i, j)), k->type, product_type(k));
}

enum { MAX_PRODUCTS = MAX_FIELDS * MAX_FIELDS };

/* Fields of the sums from the sums of products of fields. */
static void gather_fields(custom_kernel *k, tsr_op *loop, tsr_value *out) {
  ops_build *b = k->b;
  unsigned number = 0;
  zeros(k, out);
  for (unsigned i = 0; i < k->fields * k->fields; i++) {
    unsigned x = i / k->fields, y = i % k->fields;
    if (!needs_product(b->p, x, y)) continue;
    tsr_value sum = tsr_op_result(loop, number++);
    for (unsigned f = 0; f < k->fields; f++) {
      double factor = k->c->fields[f].factor[x][y];
      tsr_value part =
          factor == 1 || factor == -1 ? sum : ops_mul(b, sum, ops_full_like(b, sum, factor));
      if (factor == -1)
        out[f] = ops_sub(b, out[f], part);
      else if (factor != 0)
        out[f] = ops_add(b, out[f], part);
    }
  }
}

static void build_products(custom_kernel *k, const custom_tiles *c) {
  ops_build *b = k->b;
  int64_t step = get(b->p, CUSTOM_tile_k);
  unsigned count = count_products(b->p), number = 0;
  tsr_value x[MAX_FIELDS], y[MAX_FIELDS], sums[MAX_PRODUCTS], next[MAX_PRODUCTS];
  custom_tiles left = tiles_of(k, "a", "m", "k", CUSTOM_a, k->rows, step);
  custom_tiles right = tiles_of(k, "b", "k", "n", CUSTOM_b, step, k->columns);
  for (unsigned i = 0; i < count; i++)
    sums[i] = ops_full(b, ops_type_elem(k->late), TSR_INTS(k->rows, k->columns), 0);
  tsr_value turns = ops_from_index(b, ops_ceil_div(b, ops_arg(b, "k"), step));
  tsr_op *loop = ops_loop(b, ops_i32(b, 0), turns, (tsr_values){sums, count});
  tsr_value turn = tsr_build_arg(b->b, 0);
  load_fields(k, &left, k->i, turn, x);
  load_fields(k, &right, turn, k->j, y);
  for (unsigned i = 0; i < k->fields * k->fields; i++) {
    if (!needs_product(b->p, i / k->fields, i % k->fields)) continue;
    next[number] =
        tsr_build_mmaf(b->b, x[i / k->fields], y[i % k->fields], tsr_build_arg(b->b, number + 1));
    number++;
  }
  ops_loop_end(b, (tsr_values){next, count});
  gather_fields(k, loop, x);
  store(k, c, x);
}

static void build_product(custom_kernel *k, const custom_tiles *c) {
  tsr_value x[MAX_FIELDS] = {NULL}, y[MAX_FIELDS] = {NULL}, sums[MAX_FIELDS];
  custom_tiles a = tiles_of(k, "a", "m", "k", CUSTOM_a, k->rows, 1);
  custom_tiles b = tiles_of(k, "b", "k", "n", CUSTOM_b, 1, k->columns);
  tsr_op *loop = begin_sums(k, ops_from_index(k->b, ops_arg(k->b, "k")), sums);
  tsr_value turn = tsr_build_arg(k->b->b, 0);
  load(k, &a, k->i, turn, x);
  load(k, &b, turn, k->j, y);
  spread(k, x);
  spread(k, y);
  apply(k, k->c->multiply, x, y, x);
  end_sums(k, loop, x, sums);
  store(k, c, sums);
}

/* What lies behind the last column counts as zero. */
static void mask(custom_kernel *k, tsr_value turn, tsr_value *x) {
  ops_build *b = k->b;
  tsr_ints shape = TSR_INTS(k->rows, k->columns);
  tsr_value first = tsr_build_muli(b->b, turn, ops_i32(b, k->columns)), none[MAX_FIELDS];
  tsr_value at = tsr_build_iota(b->b, ops_tile(b, TSR_I32, TSR_INTS(k->columns)));
  at = ops_broadcast(b, ops_reshape(b, at, TSR_INTS(1, k->columns)), shape);
  at = tsr_build_addi(b->b, at, ops_spread(b, first, shape));
  tsr_value end = ops_spread(b, ops_from_index(b, ops_arg(b, "k")), shape);
  tsr_value inside = tsr_build_cmpi(b->b, at, end, TSR_CMP_LESS_THAN, TSR_SIGNED);
  zeros(k, none);
  for (unsigned f = 0; f < k->fields; f++) x[f] = tsr_build_select(b->b, inside, x[f], none[f]);
}

/* The sums of the rows of a tile. */
static void fold_rows(custom_kernel *k, tsr_value *sums) {
  tsr_builder *b = k->b->b;
  tsr_scalar zero[MAX_FIELDS];
  tsr_value x[MAX_FIELDS] = {NULL}, y[MAX_FIELDS] = {NULL}, sum[MAX_FIELDS];
  for (unsigned f = 0; f < k->fields; f++)
    zero[f] = tsr_scalar_real(ops_type_elem(k->late), k->c->zero[f]);
  tsr_op *r = tsr_build_reduce(b, (tsr_values){sums, k->fields}, 1, (tsr_scalars){zero, k->fields});
  for (unsigned f = 0; f < k->fields; f++) {
    x[f] = tsr_build_arg(b, 2 * f);
    y[f] = tsr_build_arg(b, 2 * f + 1);
  }
  apply(k, k->c->add, x, y, sum);
  tsr_build_yield(b, (tsr_values){sum, k->fields});
  tsr_build_end(b);
  for (unsigned f = 0; f < k->fields; f++)
    sums[f] = ops_reshape(k->b, tsr_op_result(r, f), TSR_INTS(k->rows, 1));
}

static void build_reduce(custom_kernel *k, const custom_tiles *c) {
  tsr_value x[MAX_FIELDS] = {NULL}, sums[MAX_FIELDS];
  custom_tiles a = tiles_of(k, "a", "m", "k", CUSTOM_a, k->rows, k->columns);
  tsr_value turns = ops_ceil_div(k->b, ops_arg(k->b, "k"), k->columns);
  tsr_op *loop = begin_sums(k, ops_from_index(k->b, turns), sums);
  tsr_value turn = tsr_build_arg(k->b->b, 0);
  load(k, &a, k->i, turn, x);
  mask(k, turn, x);
  end_sums(k, loop, x, sums);
  fold_rows(k, sums);
  store(k, c, sums);
}

static void build_map(custom_kernel *k, const custom_tiles *c) {
  tsr_value x[MAX_FIELDS] = {NULL}, y[MAX_FIELDS] = {NULL};
  custom_tiles a = tiles_of(k, "a", "m", "n", CUSTOM_a, k->rows, k->columns);
  load(k, &a, k->i, k->j, x);
  if (k->c->has_b) {
    custom_tiles b = tiles_of(k, "b", "m", "n", CUSTOM_b, k->rows, k->columns);
    load(k, &b, k->i, k->j, y);
  }
  apply(k, k->c->multiply, x, k->c->has_b ? y : NULL, x);
  store(k, c, x);
}

static void build(ops_build *b) {
  int64_t kind = get(b->p, CUSTOM_kind);
  custom_kernel k = {.b = b,
                     .c = parts_of(b->p),
                     .fields = fields_of(b->p),
                     .type = get(b->p, CUSTOM_type),
                     .late = late_type(b->p),
                     .rows = get(b->p, CUSTOM_tile_m),
                     .columns = get(b->p, CUSTOM_tile_n),
                     .i = b->block[1],
                     .j = b->block[0]};
  custom_tiles c = tiles_of(&k, "c", "m", "n", CUSTOM_c, k.rows, kind == REDUCE ? 1 : k.columns);
  if (kind == PRODUCT && get(b->p, CUSTOM_tile_k) > 1)
    build_products(&k, &c);
  else if (kind == PRODUCT)
    build_product(&k, &c);
  if (kind == REDUCE) build_reduce(&k, &c);
  if (kind == MAP) build_map(&k, &c);
}

/* ---- the reference --------------------------------------------------------------------------- */

static void values_of(expression *const *how, unsigned fields, const double *x, const double *y,
                      double *out) {
  double letters[EXPRESSION_TENSORS] = {0};
  memcpy(letters, x, fields * sizeof *x);
  if (y) memcpy(letters + fields, y, fields * sizeof *y);
  for (unsigned f = 0; f < fields; f++) out[f] = expression_value(how[f], letters);
}

static double *element(const ops_host *h, const char *name, int64_t i, int64_t j) {
  ops_tensor *t = ops_host_tensor(h, name);
  return &t->numbers[ops_at(t, i, j, 0)];
}

static void one_result(ops_host *h, int64_t i, int64_t j) {
  const custom_parts *c = parts_of(h->p);
  unsigned fields = fields_of(h->p);
  int64_t kind = get(h->p, CUSTOM_kind);
  double sum[MAX_FIELDS], x[MAX_FIELDS];
  memcpy(sum, c->zero, sizeof sum);
  if (kind == MAP)
    values_of(c->multiply, fields, element(h, "a", i, j), c->has_b ? element(h, "b", i, j) : NULL,
              sum);
  for (int64_t l = 0; kind != MAP && l < get(h->p, CUSTOM_k); l++) {
    const double *b = kind == PRODUCT ? element(h, "b", l, j) : NULL;
    values_of(c->multiply, fields, element(h, "a", i, l), b, x);
    values_of(c->add, fields, sum, x, sum);
  }
  values_of(c->convert, fields, sum, NULL, element(h, "c", i, j));
}

static void reference(ops_host *h) {
  int64_t n = get(h->p, CUSTOM_kind) == REDUCE ? 1 : get(h->p, CUSTOM_n);
  for (int64_t i = 0; i < get(h->p, CUSTOM_m); i++)
    for (int64_t j = 0; j < n; j++) one_result(h, i, j);
}

static double flops(const ops_problem *p) {
  return 4 * fields_of(p) * pairs_of(p);
}

static double tolerance(const ops_problem *p) {
  double terms = get(p, CUSTOM_kind) == MAP ? 1 : (double)get(p, CUSTOM_k);
  return (64 + 4 * sqrt(terms)) * ops_type_roundoff(late_type(p)) +
         (late_type(p) == TSR_F64 ? 0 : 1e-6);
}

const ops_family ops_family_custom = {
    .name = "custom",
    .about = "products, sums and functions of structures with their own arithmetic",
    .params = params,
    .n_params = ARRAY_LEN(params),
    .index = CUSTOM_index,
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
