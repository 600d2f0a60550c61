/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Every expression of up to two operations, before and after canonicalize: whatever folds, not a
 * bit may change. Operands are two tiles that pair every special value with every other, constants,
 * and the results of inner operations.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "opt/opt.h"
#include "run_program.h"

enum { SPECIALS = 16, LANES = SPECIALS * SPECIALS, BATCH = 128, ROOM = LANES * 8 };

static uint64_t folded, expressions; /* operations that went, expressions that were tried */

static void on_pass(void *user, const tsr_pass_report *r) {
  (void)user;
  folded += r->ops_before > r->ops_after ? r->ops_before - r->ops_after : 0;
}

static bool run_folded(ir_module *m, ir_op *entry, rt_block *block, run_grid grid) {
  tsr_optimize_options o = {.struct_size = sizeof o, .verify_each = true, .on_pass = on_pass};
  return tsr_module_optimize(m, "canonicalize", &o) == TSR_OK && run_interp(m, entry, block, grid);
}

/* ---- a batch of expressions ----------------------------------------------------------------- */

typedef struct batch {
  tsr_context *ctx;
  arena arena;
  sbuf text;
  const char *elem;
  const uint64_t *specials;
  unsigned bytes; /* of an element */
  unsigned n;     /* expressions so far */
} batch;

#define SAY(...) sbuf_printf(&b->text, __VA_ARGS__)

static void say_load(batch *b, const char *name, int slot) {
  SAY("%%%s_o = constant <i32: %d> : tile<%dxi32>\n", name, slot * LANES, LANES);
  SAY("%%%s_p = offset %%base, %%%s_o : tile<%dxptr<%s>>, tile<%dxi32> -> tile<%dxptr<%s>>\n", name,
      name, LANES, b->elem, LANES, LANES, b->elem);
  SAY("%%%s, %%%s_t = load_ptr_tko weak %%%s_p : tile<%dxptr<%s>> -> tile<%dx%s>, token\n", name,
      name, name, LANES, b->elem, LANES, b->elem);
}

static void begin(batch *b) {
  b->text = SBUF(&b->arena);
  b->n = 0;
  SAY("cuda_tile.module @m { entry @k(%%p: tile<ptr<%s>>, %%out: tile<ptr<i8>>) {\n", b->elem);
  SAY("%%i = iota : tile<%dxi32>\n%%p1 = reshape %%p : tile<ptr<%s>> -> tile<1xptr<%s>>\n", LANES,
      b->elem, b->elem);
  SAY("%%pn = broadcast %%p1 : tile<1xptr<%s>> -> tile<%dxptr<%s>>\n", b->elem, LANES, b->elem);
  SAY("%%base = offset %%pn, %%i : tile<%dxptr<%s>>, tile<%dxi32> -> tile<%dxptr<%s>>\n", LANES,
      b->elem, LANES, LANES, b->elem);
  say_load(b, "x", 0);
  say_load(b, "y", 1);
}

static void end(batch *b) {
  static uint8_t in[2 * ROOM], expected[(BATCH + 1) * ROOM], got[(BATCH + 1) * ROOM];
  static run_log log;
  if (b->n == 0) return;
  for (unsigned i = 0; i < LANES; i++) {
    memcpy(in + i * b->bytes, &b->specials[i / SPECIALS], b->bytes);
    memcpy(in + (LANES + i) * b->bytes, &b->specials[i % SPECIALS], b->bytes);
  }
  SAY("} }\n");
  memset(expected, 0, sizeof expected);
  memset(got, 0, sizeof got);
  uint64_t args[] = {ARG_ADDRESS(in), ARG_ADDRESS(expected)};
  if (!run_program_on(run_interp, b->text.data, "k", (run_grid){1, 1, 1}, args, &log))
    fail_msg("no program: %s\n%s", log.diagnostics, b->text.data);
  args[1] = ARG_ADDRESS(got);
  if (!run_program_on(run_folded, b->text.data, "k", (run_grid){1, 1, 1}, args, &log))
    fail_msg("%s", log.diagnostics);
  for (unsigned k = 0; k < b->n; k++)
    if (memcmp(expected + k * ROOM, got + k * ROOM, ROOM)) {
      char name[32];
      snprintf(name, sizeof name, "%%r%u = ", k);
      const char *line = strstr(b->text.data, name);
      unsigned at = 0;
      while (expected[k * ROOM + at] == got[k * ROOM + at]) at++;
      fail_msg("another result at byte %u:\n%.*s", at, 600, line - 400);
    }
  expressions += b->n;
  arena_free(&b->arena);
  begin(b);
}

/* Stores %r<n> and continues. `elem` is the result's. */
static void keep(batch *b, const char *elem) {
  unsigned k = b->n++;
  SAY("%%o%u = constant <i32: %u> : tile<i32>\n", k, k * ROOM);
  SAY("%%q%u = offset %%out, %%o%u : tile<ptr<i8>>, tile<i32> -> tile<ptr<i8>>\n", k, k);
  SAY("%%s%u = ptr_to_ptr %%q%u : tile<ptr<i8>> -> tile<ptr<%s>>\n", k, k, elem);
  SAY("%%v%u = make_tensor_view %%s%u, shape = [%d], strides = [1] : tensor_view<%dx%s, "
      "strides=[1]>\n",
      k, k, LANES, LANES, elem);
  SAY("%%w%u = make_partition_view %%v%u : partition_view<tile=(%d), tensor_view<%dx%s, "
      "strides=[1]>>\n",
      k, k, LANES, LANES, elem);
  SAY("%%z%u = constant <i32: 0> : tile<i32>\n", k);
  SAY("%%t%u = store_view_tko weak %%r%u, %%w%u[%%z%u] : tile<%dx%s>, partition_view<tile=(%d), "
      "tensor_view<%dx%s, strides=[1]>>, tile<i32> -> token\n",
      k, k, k, k, LANES, elem, LANES, LANES, elem);
  if (b->n == BATCH) end(b);
}

/* ---- expressions ---------------------------------------------------------------------------- */

/* An operation as text: $a, $b and $c stand for operands, T for the tile's type, M for the masks'.
 */
typedef struct form {
  const char *text;
  const char *result; /* NULL: the operands' */
} form;

static void say_form(batch *b, const char *name, unsigned k, const char *text, const char *a,
                     const char *c) {
  SAY("%%%s%u = ", name, k);
  for (const char *p = text; *p; p++) {
    if (p[0] == '$') {
      p++;
      if (*p == 'm')
        SAY("%%m%u", k);
      else
        SAY("%%%s%u", *p == 'a' ? a : c, k);
    } else if (*p == 'T')
      SAY("tile<%dx%s>", LANES, b->elem);
    else if (*p == 'M')
      SAY("tile<%dxi1>", LANES);
    else
      SAY("%c", *p);
  }
  SAY("\n");
}

/* Operand `which` of expression n: x, y, a constant, or an inner operation on them. */
typedef struct operands {
  const char *const *constants;
  unsigned n_constants;
  const form *inner;
  unsigned n_inner;
} operands;

static unsigned choices(const operands *o) {
  return 2 + o->n_constants + 2 * o->n_inner;
}

static void say_operand(batch *b, const operands *o, unsigned which, const char *name) {
  unsigned k = b->n;
  if (which < 2) {
    /* By another name for the same value. */
    SAY("%%%s%u = reshape %%%c : tile<%dx%s> -> tile<%dx%s>\n", name, k, "xy"[which], LANES,
        b -> elem, LANES, b -> elem);
  } else if (which < 2 + o->n_constants) {
    SAY("%%%s%u = constant <%s: %s> : tile<%dx%s>\n", name, k, b->elem, o->constants[which - 2],
        LANES, b->elem);
  } else {
    unsigned f = (which - 2 - o->n_constants) / 2, side = (which - o->n_constants) % 2;
    char x[16], y[16];
    snprintf(x, sizeof x, "%.8sx", name);
    snprintf(y, sizeof y, "%.8sy", name);
    say_operand(b, o, 0, x);
    if (side == 0)
      say_operand(b, o, 1, y);
    else
      say_operand(b, o, 2 + f % o->n_constants, y);
    say_form(b, name, k, o->inner[f].text, x, y);
  }
}

static void try_all(batch *b, const operands *o, const form *outer, unsigned n_outer) {
  unsigned n = choices(o);
  for (unsigned f = 0; f < n_outer; f++) {
    bool unary = !strstr(outer[f].text, "$b");
    for (unsigned i = 0; i < n; i++)
      for (unsigned j = 0; j < (unary ? 1 : n); j++) {
        unsigned k = b->n;
        say_operand(b, o, i, "a");
        if (!unary) say_operand(b, o, j, "b");
        if (strstr(outer[f].text, "$m"))
          SAY("%%m%u = cmpi equal %%a%u, %%b%u, signed : tile<%dx%s> -> tile<%dxi1>\n", k, k, k,
              LANES, b->elem, LANES);
        say_form(b, "r", k, outer[f].text, "a", "b");
        keep(b, outer[f].result ? outer[f].result : b->elem);
      }
  }
  end(b);
}

static void test_type(const char *elem, unsigned bytes, const uint64_t *specials, const operands *o,
                      const form *outer, unsigned n_outer) {
  batch b = {.elem = elem, .specials = specials, .bytes = bytes};
  b.ctx = tsr_context_create(NULL);
  arena_init(&b.arena, b.ctx);
  folded = expressions = 0;
  begin(&b);
  try_all(&b, o, outer, n_outer);
  arena_free(&b.arena);
  tsr_context_destroy(b.ctx);
  print_message("%s: %llu expressions, %llu operations folded away\n", elem,
                (unsigned long long)expressions, (unsigned long long)folded);
  assert_true(folded > expressions / 4); /* or nothing was tested */
}

/* ---- floats --------------------------------------------------------------------------------- */

#define ALL_MODES(op, after)                                                                       \
  {op " $a, $b" after " : T", NULL}, {op " $a, $b rounding<zero>" after " : T", NULL},             \
      {op " $a, $b rounding<negative_inf>" after " : T", NULL}, {                                  \
    op " $a, $b rounding<positive_inf>" after " : T", NULL                                         \
  }
#define COMPARE(p, o)                                                                              \
  { "cmpf " p " " o " $a, $b : T -> M", "i1" }
#define COMPARE_ALL(o)                                                                             \
  COMPARE("equal", o), COMPARE("not_equal", o), COMPARE("less_than", o),                           \
      COMPARE("less_than_or_equal", o), COMPARE("greater_than", o),                                \
      COMPARE("greater_than_or_equal", o)
#define FLOAT_FORMS                                                                                \
  ALL_MODES("addf", ""), ALL_MODES("subf", ""), ALL_MODES("mulf", ""), ALL_MODES("divf", ""),      \
      {"fma $a, $b, $a : T", NULL}, {"fma $a, $b, $b rounding<negative_inf> : T", NULL},           \
      {"maxf $a, $b : T", NULL}, {"minf $a, $b propagate_nan : T", NULL}, {"negf $a : T", NULL},   \
      {"absf $a : T", NULL}, {"floor $a : T", NULL}, {"ceil $a : T", NULL}, {"sqrt $a : T", NULL}, \
      {"remf $a, $b : T", NULL}, {"pow $a, $b : T", NULL}, {"exp $a : T", NULL},                   \
      COMPARE_ALL("ordered"), COMPARE_ALL("unordered")

static const char *const float_constants[] = {"0.0", "-0.0", "1.0",  "-1.0",   "2.0",
                                              "3.0", "0.25", "-4.0", "1.0e-38"};
static const form float_inner[] = {{"negf $a : T", NULL},     {"absf $a : T", NULL},
                                   {"floor $a : T", NULL},    {"mulf $a, $b : T", NULL},
                                   {"addf $a, $b : T", NULL}, {"maxf $a, $b : T", NULL}};
static const operands float_operands = {float_constants, ARRAY_LEN(float_constants), float_inner,
                                        ARRAY_LEN(float_inner)};

static void test_f32(void **state) {
  static const uint64_t specials[SPECIALS] = {0x00000000, 0x80000000, 0x3f800000, 0xbf800000,
                                              0x7f800000, 0xff800000, 0x7fc00000, 0xffc00001,
                                              0x7f800001, 0x00000001, 0x807fffff, 0x00800000,
                                              0x7f7fffff, 0xc0490fdb, 0x3f000001, 0x4b7fffff};
  static const form forms[] = {FLOAT_FORMS,
                               ALL_MODES("addf", " flush_to_zero"),
                               ALL_MODES("subf", " flush_to_zero"),
                               ALL_MODES("mulf", " flush_to_zero"),
                               ALL_MODES("divf", " flush_to_zero"),
                               {"divf $a, $b rounding<approx> : T", NULL},
                               {"divf $a, $b rounding<full> flush_to_zero : T", NULL},
                               {"fma $a, $b, $b flush_to_zero : T", NULL},
                               {"maxf $a, $b flush_to_zero : T", NULL}};
  (void)state;
  test_type("f32", 4, specials, &float_operands, forms, ARRAY_LEN(forms));
}

static void test_f16(void **state) {
  static const uint64_t specials[SPECIALS] = {0x0000, 0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00,
                                              0x7e00, 0xfe01, 0x7c01, 0x0001, 0x83ff, 0x0400,
                                              0x7bff, 0xc248, 0x3801, 0x63ff};
  static const form forms[] = {FLOAT_FORMS};
  (void)state;
  test_type("f16", 2, specials, &float_operands, forms, ARRAY_LEN(forms));
}

/* ---- integers ------------------------------------------------------------------------------- */

#define BOTH(op)                                                                                   \
  {op " $a, $b signed : T", NULL}, {                                                               \
    op " $a, $b unsigned : T", NULL                                                                \
  }
#define COMPARE_INTEGERS(p)                                                                        \
  {"cmpi " p " $a, $b, signed : T -> M", "i1"}, {                                                  \
    "cmpi " p " $a, $b, unsigned : T -> M", "i1"                                                   \
  }

static const form integer_forms[] = {{"addi $a, $b : T", NULL},
                                     {"subi $a, $b : T", NULL},
                                     {"muli $a, $b : T", NULL},
                                     {"addi $a, $b overflow<no_wrap> : T", NULL},
                                     {"subi $a, $b overflow<no_signed_wrap> : T", NULL},
                                     {"muli $a, $b overflow<no_unsigned_wrap> : T", NULL},
                                     {"mulhii $a, $b : T", NULL},
                                     {"andi $a, $b : T", NULL},
                                     {"ori $a, $b : T", NULL},
                                     {"xori $a, $b : T", NULL},
                                     {"shli $a, $b : T", NULL},
                                     {"negi $a : T", NULL},
                                     {"absi $a : T", NULL},
                                     {"select $m, $a, $b : M, T", NULL},
                                     {"divi $a, $b signed rounding<negative_inf> : T", NULL},
                                     {"divi $a, $b unsigned rounding<positive_inf> : T", NULL},
                                     BOTH("divi"),
                                     BOTH("remi"),
                                     BOTH("maxi"),
                                     BOTH("mini"),
                                     BOTH("shri"),
                                     COMPARE_INTEGERS("equal"),
                                     COMPARE_INTEGERS("not_equal"),
                                     COMPARE_INTEGERS("less_than"),
                                     COMPARE_INTEGERS("less_than_or_equal"),
                                     COMPARE_INTEGERS("greater_than"),
                                     COMPARE_INTEGERS("greater_than_or_equal")};
static const char *const integer_constants[] = {"0", "1", "-1", "2", "7", "127", "-128"};
static const form integer_inner[] = {
    {"negi $a : T", NULL},     {"absi $a : T", NULL},     {"addi $a, $b : T", NULL},
    {"muli $a, $b : T", NULL}, {"andi $a, $b : T", NULL}, {"ori $a, $b : T", NULL},
    {"xori $a, $b : T", NULL}, {"xori $b, $a : T", NULL}, {"maxi $a, $b unsigned : T", NULL},
    {"subi $a, $b : T", NULL}};

static void test_i8(void **state) {
  static const uint64_t specials[SPECIALS] = {0,   1,   2,   3,   5,   7,   8,   16,
                                              100, 126, 127, 128, 129, 200, 254, 255};
  static const operands o = {integer_constants, ARRAY_LEN(integer_constants), integer_inner,
                             ARRAY_LEN(integer_inner)};
  (void)state;
  test_type("i8", 1, specials, &o, integer_forms, ARRAY_LEN(integer_forms));
}

static void test_i1(void **state) {
  static const uint64_t specials[SPECIALS] = {0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1};
  static const char *const constants[] = {"0", "1"};
  static const operands o = {constants, ARRAY_LEN(constants), integer_inner,
                             ARRAY_LEN(integer_inner)};
  (void)state;
  test_type("i1", 1, specials, &o, integer_forms, ARRAY_LEN(integer_forms));
}

/* ---- conversions ---------------------------------------------------------------------------- */

/* From i16 through everything, in up to four steps. */
typedef struct conversion {
  const char *from, *to, *op, *after;
} conversion;

static const conversion conversions[] = {
    {"i16", "i8", "trunci", ""},       {"i16", "i1", "trunci", ""},
    {"i16", "i32", "exti", " signed"}, {"i16", "i32", "exti", " unsigned"},
    {"i8", "i16", "exti", " signed"},  {"i8", "i32", "exti", " unsigned"},
    {"i32", "i16", "trunci", ""},      {"i32", "i8", "trunci", ""},
    {"i32", "i64", "exti", " signed"}, {"i32", "i64", "exti", " unsigned"},
    {"i64", "i16", "trunci", ""},      {"i64", "i32", "trunci", ""},
    {"i1", "i16", "exti", " signed"},  {"i1", "i8", "exti", " unsigned"},
    {"i16", "f16", "bitcast", ""},     {"f16", "i16", "bitcast", ""},
    {"f16", "bf16", "bitcast", ""},    {"bf16", "i16", "bitcast", ""},
    {"i32", "f32", "bitcast", ""},     {"f32", "i32", "bitcast", ""},
    {"f16", "f32", "ftof", ""},        {"f32", "f16", "ftof", ""},
    {"f32", "f64", "ftof", ""},        {"f64", "f32", "ftof", ""},
    {"f16", "f64", "ftof", ""},        {"f64", "f16", "ftof", ""},
    {"bf16", "f32", "ftof", ""},       {"f32", "bf16", "ftof", ""},
    {"f16", "bf16", "ftof", ""},       {"f32", "f8E5M2", "ftof", ""},
    {"f8E5M2", "f32", "ftof", ""},     {"f16", "f8E4M3FN", "ftof", ""},
    {"f8E4M3FN", "f16", "ftof", ""},   {"i16", "f32", "itof", " signed"},
    {"f32", "i16", "ftoi", " signed"}, {"f16", "f16", "negf", NULL},
    {"f32", "f32", "negf", NULL},
};

static void say_chain(batch *b, const conversion *const *chain, unsigned n) {
  char last[16] = "x";
  unsigned k = b->n;
  for (unsigned i = 0; i < n; i++) {
    char next[16];
    snprintf(next, sizeof next, i + 1 == n ? "r%u" : "c%u_%u", k, i);
    SAY("%%%s = %s %%%s%s : ", next, chain[i]->op, last, chain[i]->after ? chain[i]->after : "");
    if (chain[i]->after) SAY("tile<%dx%s> -> ", LANES, chain[i]->from);
    SAY("tile<%dx%s>\n", LANES, chain[i]->to);
    memcpy(last, next, sizeof last);
  }
  keep(b, chain[n - 1]->to);
}

static void chains_from(batch *b, const char *from, const conversion **chain, unsigned depth) {
  for (unsigned i = 0; i < ARRAY_LEN(conversions); i++) {
    if (strcmp(conversions[i].from, from)) continue;
    chain[depth] = &conversions[i];
    say_chain(b, chain, depth + 1);
    if (depth < 3) chains_from(b, conversions[i].to, chain, depth + 1);
  }
}

static void test_conversions(void **state) {
  static const uint64_t specials[SPECIALS] = {0,      1,      0x7f,   0x80,   0xff,   0x100,
                                              0x7fff, 0x8000, 0xffff, 0x3c00, 0x7c00, 0x7c01,
                                              0xfe01, 0x7e00, 0x0400, 0xc248};
  batch b = {.elem = "i16", .specials = specials, .bytes = 2};
  const conversion *chain[4];
  (void)state;
  b.ctx = tsr_context_create(NULL);
  arena_init(&b.arena, b.ctx);
  folded = expressions = 0;
  begin(&b);
  chains_from(&b, "i16", chain, 0);
  end(&b);
  arena_free(&b.arena);
  tsr_context_destroy(b.ctx);
  print_message("%llu chains, %llu operations folded away\n", (unsigned long long)expressions,
                (unsigned long long)folded);
  assert_true(folded > 100);
}

/* ---- moving elements ------------------------------------------------------------------------ */

static uint64_t random_state;

static unsigned draw(unsigned below) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return (unsigned)((random_state >> 11) % below);
}

typedef struct moved {
  unsigned id;
  int size[3];
} moved;

static const char *type_of(const moved *v) {
  static char text[4][48];
  static int at;
  char *t = text[at++ & 3];
  snprintf(t, 48, "tile<%dx%dx%dxi16>", v->size[0], v->size[1], v->size[2]);
  return t;
}

/* One more move; values keep rank 3. */
static moved move(batch *b, moved v, moved other, unsigned *next) {
  moved r = {.id = (*next)++};
  memcpy(r.size, v.size, sizeof r.size);
  unsigned d = draw(3), kind = draw(5);
  if (kind == 0) {
    static const int perms[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                    {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    const int *p = perms[draw(6)];
    for (int i = 0; i < 3; i++) r.size[i] = v.size[p[i]];
    SAY("%%n%u = permute %%n%u [%d, %d, %d] : %s -> %s\n", r.id, v.id, p[0], p[1], p[2],
        type_of(&v), type_of(&r));
  } else if (kind == 1) {
    unsigned e = (d + 1) % 3;
    if (v.size[d] > 1) r.size[d] /= 2, r.size[e] *= 2;
    SAY("%%n%u = reshape %%n%u : %s -> %s\n", r.id, v.id, type_of(&v), type_of(&r));
  } else if (kind == 2 && v.size[d] == 1 && v.size[0] * v.size[1] * v.size[2] < 128) {
    r.size[d] = 2 << draw(2);
    SAY("%%n%u = broadcast %%n%u : %s -> %s\n", r.id, v.id, type_of(&v), type_of(&r));
  } else if (kind == 3 && v.size[0] * v.size[1] * v.size[2] < 256 &&
             !memcmp(v.size, other.size, sizeof v.size)) {
    r.size[d] *= 2;
    SAY("%%n%u = cat %%n%u, %%n%u dim = %u : %s, %s -> %s\n", r.id, v.id, other.id, d, type_of(&v),
        type_of(&v), type_of(&r));
  } else {
    int index[3];
    for (int i = 0; i < 3; i++) {
      while (r.size[i] > 1 && draw(2)) r.size[i] /= 2;
      index[i] = (int)draw((unsigned)(v.size[i] / r.size[i]));
      SAY("%%n%u_%d = constant <i32: %d> : tile<i32>\n", r.id, i, index[i]);
    }
    SAY("%%n%u = extract %%n%u[%%n%u_0, %%n%u_1, %%n%u_2] : %s -> %s\n", r.id, v.id, r.id, r.id,
        r.id, type_of(&v), type_of(&r));
  }
  return r;
}

/* Chains of moves, from loaded tiles and from constants; what comes out is made LANES long. */
static void say_moves(batch *b, bool constants) {
  static unsigned next;
  unsigned k = b->n;
  moved v[4];
  for (int i = 0; i < 2; i++) {
    v[i] = (moved){.id = next++, .size = {4, 2, 8}};
    if (constants) {
      SAY("%%n%u = constant <i16: [", v[i].id);
      for (int e = 0; e < 64; e++)
        SAY("%s%d%s",
            e % 16 == 0  ? (e ? ",[[" : "[[")
            : e % 8 == 0 ? "],["
                         : ",",
            (int)draw(99), e % 16 == 15 ? "]]" : "");
      SAY("]> : tile<4x2x8xi16>\n");
    } else {
      SAY("%%n%u_z = constant <i32: %d> : tile<i32>\n%%n%u_e = extract %%%c[%%n%u_z] : "
          "tile<%dxi16> -> tile<64xi16>\n",
          v[i].id, i, v[i].id, "xy"[i], v[i].id, LANES);
      SAY("%%n%u = reshape %%n%u_e : tile<64xi16> -> tile<4x2x8xi16>\n", v[i].id, v[i].id);
    }
  }
  for (unsigned i = 0; i < 2 + draw(4); i++) {
    moved r = move(b, v[0], v[1], &next);
    v[1] = draw(2) ? v[0] : v[1];
    v[0] = r;
  }
  int count = v[0].size[0] * v[0].size[1] * v[0].size[2];
  SAY("%%f%u = reshape %%n%u : %s -> tile<%dx1xi16>\n", k, v[0].id, type_of(&v[0]), count);
  if (count > LANES) count = LANES;
  SAY("%%g%u = broadcast %%f%u : tile<%dx1xi16> -> tile<%dx%dxi16>\n", k, k, count, count,
      LANES / count);
  SAY("%%r%u = reshape %%g%u : tile<%dx%dxi16> -> tile<%dxi16>\n", k, k, count, LANES / count,
      LANES);
  keep(b, "i16");
}

static void test_moves(void **state) {
  static uint64_t specials[SPECIALS];
  batch b = {.elem = "i16", .specials = specials, .bytes = 2};
  (void)state;
  for (unsigned i = 0; i < SPECIALS; i++) specials[i] = 3 * i + 1;
  b.ctx = tsr_context_create(NULL);
  arena_init(&b.arena, b.ctx);
  folded = expressions = 0;
  random_state = 12345;
  begin(&b);
  for (unsigned i = 0; i < 3000; i++) say_moves(&b, i % 3 == 0);
  end(&b);
  arena_free(&b.arena);
  tsr_context_destroy(b.ctx);
  print_message("%llu chains of moves, %llu operations folded away\n",
                (unsigned long long)expressions, (unsigned long long)folded);
  assert_true(folded > 1000);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_f32), cmocka_unit_test(test_f16),         cmocka_unit_test(test_i8),
      cmocka_unit_test(test_i1),  cmocka_unit_test(test_conversions), cmocka_unit_test(test_moves),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
