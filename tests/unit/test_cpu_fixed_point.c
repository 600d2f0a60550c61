/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Products of few rows by digits (cpu/gemm/skinny/fixed_point.c): which programs are compiled so,
 * and that the result is as near to the exact one as docs/numerics.md asks, whatever the left
 * operand: one that can be written in digits and one that cannot, huge and tiny ones, infinities
 * and NaNs. (That sums of small numbers are right bit for bit is seen in test_cpu_skinny.c.)
 */
#define main thin_main
int thin_main(void);
#include "test_cpu_skinny.c"
#undef main

#include <math.h>

/* ---- which programs ------------------------------------------------------------------------- */

static bool has_digits;
static unsigned permutations, fetches, kept_sums;

static unsigned count_of(const char *code, const char *what) {
  unsigned n = 0;
  while ((code = strstr(code, what)) != NULL) n++, code++;
  return n;
}

static const struct machine {
  const char *name, *instruction;
  cpu_level level;
  bool vnni;
} machines[] = {
    {"AVX-512 with VNNI", "vpdpbusd.512", CPU_AVX512, true},
    {"AVX-512", "pmaddubs.w.512", CPU_AVX512, false},
    {"AVX2 with VNNI", "vpdpbusd.256", CPU_AVX2, true},
    {"AVX2", "pmadd.ub.sw", CPU_AVX2, false},
    {"SSE2", "llvm.x86.s", CPU_BASELINE, false}, /* none: no instruction but of vectors */
};
static const struct machine *machine;

/* An engine that only looks at the code. */
static bool look(ir_module *m, ir_op *entry, rt_block *block, run_grid grid) {
  (void)entry, (void)block, (void)grid;
  arena a;
  arena_init(&a, m->ctx);
  const char *code = engine_code(m, machine->level, machine->vnni, &a);
  has_digits = code && strstr(code, machine->instruction) != NULL;
  permutations = code ? count_of(code, "@llvm.x86.avx512.permvar.qi.512(<64 x i8> <") : 0;
  fetches = code ? count_of(code, "call void @llvm.prefetch") : 0;
  kept_sums = code ? count_of(code, "store <16 x i32>") : 0;
  arena_free(&a);
  return code != NULL;
}

static void expect_digits(const scene *s, bool expected) {
  if (!run_program_on(look, product_text(s), "k", (run_grid){1, 1, 1}, (uint64_t[6]){0}, &report))
    fail_msg("%s", report.diagnostics);
  if (has_digits != expected)
    fail_msg("%s: %s, tile %dx%dx%d: %s digits", machine->name, s->decode, s->m, s->n, s->k,
             expected ? "no" : "unexpectedly");
}

/* The low halves only, times 1.5: whole numbers of halves. */
#define SCALED                                                                                     \
  "%four = constant <i8: 4> : $W\n%up = shli %w, %four : $W\n%low = shri %up, %four signed : $W\n" \
  "%whole = itof %low signed : $W -> $B\n%scale = constant <bf16: 1.5> : $B\n"                     \
  "%b = mulf %whole, %scale : $B\n"
/* And times a number that makes some too large for a byte. */
#define LARGE                                                                                      \
  "%four = constant <i8: 4> : $W\n%up = shli %w, %four : $W\n%low = shri %up, %four signed : $W\n" \
  "%whole = itof %low signed : $W -> $B\n%scale = constant <bf16: 33.0> : $B\n"                    \
  "%b = mulf %whole, %scale : $B\n"

/* Or which makes bytes of which two, times digits, are more than a word holds. */
#define NINE_TIMES                                                                                 \
  "%four = constant <i8: 4> : $W\n%up = shli %w, %four : $W\n%low = shri %up, %four signed : $W\n" \
  "%whole = itof %low signed : $W -> $B\n%scale = constant <bf16: 9.0> : $B\n"                     \
  "%b = mulf %whole, %scale : $B\n"

/* The high halves first, and each with a zero point of its own. */
#define HIGH_FIRST                                                                                 \
  "%mask = constant <i8: 15> : $W\n%four = constant <i8: 4> : $W\n%five = constant <i8: 5> : $W\n" \
  "%low = andi %w, %mask : $W\n%high = shri %w, %four unsigned : $W\n"                             \
  "%low4 = subi %low, %four : $W\n%high5 = subi %high, %five : $W\n"                               \
  "%b = itof %high5 signed : $W -> $B\n%c = itof %low4 signed : $W -> $B\n"
/* Integers in two's complement, and others with a zero point. */
#define UNLIKE                                                                                     \
  "%four = constant <i8: 4> : $W\n%up = shli %w, %four : $W\n%low = shri %up, %four signed : $W\n" \
  "%high = shri %w, %four unsigned : $W\n%high4 = subi %high, %four : $W\n"                        \
  "%b = itof %low signed : $W -> $B\n%c = itof %high4 signed : $W -> $B\n"

static void programs(void **state) {
  (void)state;
  const scene with[] = {
      {"i8", HALVES, "bf16", 2, 1, 64, 32, 1, 64, 32},
      {"i8", ZERO_POINT, "bf16", 2, 1, 128, 8, 1, 64, 32},
      {"i8", SCALED, "bf16", 1, 2, 64, 128, 1, 64, 32},
      {"f4E2M1FN", WIDEN, "bf16", 1, 1, 128, 32, 1, 128, 32},
      {"i8", HALVES, "bf16", 2, 2, 64, 32, 1, 64, 32},
      {"i8", ZERO_POINT, "bf16", 2, 16, 64, 32, 1, 64, 32},
      {"f4E2M1FN", WIDEN, "bf16", 1, 8, 256, 16, 1, 128, 32},
  };
  const scene without[] = {
      {"i8", HALVES, "bf16", 2, 1, 16, 32, 1, 64, 32},   /* less than a vector */
      {"i8", HALVES, "bf16", 2, 1, 64, 4, 1, 64, 32},    /* no loop along k */
      {"i8", HALVES, "bf16", 2, 1, 64, 512, 1, 64, 512}, /* too long a sum */
      {"i8", HALVES, "bf16", 2, 32, 64, 32, 1, 64, 32},  /* too many rows */
      {"i8", LARGE, "bf16", 1, 1, 64, 32, 1, 64, 32},    /* no bytes */
      {"i8", "%b = itof %w signed : $W -> $B\n", "bf16", 1, 1, 64, 32, 1, 64, 32},
      {"f4E2M1FN", WIDEN, "bf16", 1, 1, 32, 32, 1, 128, 32}, /* half a vector */
  };
  const scene half = {"i8", HALVES, "bf16", 2, 1, 32, 32, 1, 64, 32}; /* of AVX-512's vectors */
  const scene large = {"i8", NINE_TIMES, "bf16", 1, 1, 64, 32, 1, 64, 32};
  for (unsigned m = 0; m < ARRAY_LEN(machines); m++) {
    machine = &machines[m];
    bool any = machine->level > CPU_BASELINE;
    for (unsigned i = 0; i < ARRAY_LEN(with); i++) expect_digits(&with[i], any);
    for (unsigned i = 0; i < ARRAY_LEN(without); i++) expect_digits(&without[i], false);
    expect_digits(&half, machine->level == CPU_AVX2);
    expect_digits(&large, machine->vnni);
  }
}

/* Floats are looked up by the instruction that leaves out bits, where there is one. */
static void lookups(void **state) {
  (void)state;
  const scene floats = {"f4E2M1FN", WIDEN, "bf16", 1, 1, 128, 32, 1, 128, 32},
              integers = {"i8", HALVES, "bf16", 2, 1, 64, 32, 1, 64, 32};
  for (unsigned m = 0; m < ARRAY_LEN(machines); m++) {
    machine = &machines[m];
    expect_digits(&floats, machine->level > CPU_BASELINE);
    assert_int_equal(permutations, machine->level == CPU_AVX512 ? 2 * 8 : 0);
    expect_digits(&integers, machine->level > CPU_BASELINE);
    assert_int_equal(permutations, 0);
  }
  machine = &machines[0];
  engine_less_vbmi = true;
  expect_digits(&floats, true);
  assert_int_equal(permutations, 0);
  engine_less_vbmi = false;
}

/* One row waits for memory, and asks twice for each line. */
static void lines_twice(void **state) {
  (void)state;
  scene s = {"f4E2M1FN", WIDEN, "bf16", 1, 1, 1024, 32, 4, 4096, 4096};
  unsigned of_one[2], of_two[2];
  machine = &machines[0];
  for (int slow = 0; slow < 2; slow++) {
    engine_shallow_prefetch = slow;
    s.m = 1;
    expect_digits(&s, true);
    of_one[slow] = fetches;
    s.m = 2;
    expect_digits(&s, true);
    of_two[slow] = fetches;
  }
  engine_shallow_prefetch = false;
  assert_int_equal(of_one[1] - of_one[0], 2 * 4); /* with two digits and with three */
  assert_int_equal(of_two[1], of_two[0]);
}

/* In wide tiles a single row's sums are kept in between as integers, unless panels stay whole. */
static void sums_in_pieces(void **state) {
  (void)state;
  const scene s = {"i8", HALVES, "bf16", 2, 1, 2048, 32, 1, 2048, 32};
  machine = &machines[0];
  expect_digits(&s, true);
  const unsigned in_pieces = kept_sums;
  engine_l2_prefetch = true;
  expect_digits(&s, true);
  engine_l2_prefetch = false;
  assert_true(in_pieces > kept_sums);
}

/* ---- how exact ------------------------------------------------------------------------------ */

enum { DEPTH = 200, FEW_COLUMNS = 320, MANY_COLUMNS = 2112 };

static int columns = FEW_COLUMNS;

static int start = 3; /* of the sums */

static uint32_t random_state = 1;

static uint32_t draw(void) {
  return (random_state = random_state * 1664525u + 1013904223u) >> 8;
}

static double bf16_number(uint16_t pattern) {
  uint32_t bits = (uint32_t)pattern << 16;
  float x;
  memcpy(&x, &bits, sizeof x);
  return (double)x;
}

/* A number of bf16 with an exponent from `least` to `most`, or 0. */
static uint16_t draw_bf16(int least, int most) {
  if (draw() % 16 == 0) return 0;
  int exponent = least + (int)(draw() % (unsigned)(most - least + 1));
  return (uint16_t)((draw() & 1) << 15 | (unsigned)(exponent + 127) << 7 | (draw() & 127));
}

typedef struct weights {
  const char *elem, *decode;
  int products;
  double (*at)(const unsigned char *w, int k, int j, int z);
} weights;

static int signed_half(unsigned byte, int high) {
  int x = (int)(high ? byte >> 4 : byte & 15);
  return x < 8 ? x : x - 16;
}
static double halves_at(const unsigned char *w, int k, int j, int z) {
  return signed_half(w[k * columns + j], z);
}
static double zero_point_at(const unsigned char *w, int k, int j, int z) {
  unsigned byte = w[k * columns + j];
  return (double)(z ? byte >> 4 : byte & 15) - 8;
}
static double high_first_at(const unsigned char *w, int k, int j, int z) {
  unsigned byte = w[k * columns + j];
  return z ? (double)(byte & 15) - 4 : (double)(byte >> 4) - 5;
}
static double unlike_at(const unsigned char *w, int k, int j, int z) {
  unsigned byte = w[k * columns + j];
  return z ? (double)(byte >> 4) - 4 : signed_half(byte, 0);
}
static double scaled_at(const unsigned char *w, int k, int j, int z) {
  return 1.5 * signed_half(w[k * columns + j], z);
}
static double f4_at(const unsigned char *w, int k, int j, int z) {
  static const double magnitude[8] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  unsigned at = (unsigned)(k * columns + j), x = w[at / 2] >> (at % 2 * 4) & 15;
  (void)z;
  return x < 8 ? magnitude[x] : -magnitude[x - 8];
}

enum { F4 = 5 };
static const weights kinds[] = {
    {"i8", HALVES, 2, halves_at},         {"i8", ZERO_POINT, 2, zero_point_at},
    {"i8", HIGH_FIRST, 2, high_first_at}, {"i8", UNLIKE, 2, unlike_at},
    {"i8", SCALED, 1, scaled_at},         {"f4E2M1FN", WIDEN, 1, f4_at},
};

/* The rows of a left operand: exponents of what is drawn, and what stands in front of that. */
static const struct {
  int least, most;
  uint16_t first[3];
  int n_first;
} rows[] = {
    /* With digits: two or three of them, or none. Row 9 has two 15-bit numbers, one of which is too
     * large for two digits. */
    {.least = -6, .most = 0},
    {.least = -14, .most = 0},
    {.most = -127},
    {.least = -6, .most = 0},
    {.least = -5, .most = 0},
    {.least = -9, .most = -5},
    {.least = -14, .most = -3},
    {.least = 7, .most = 14},
    {.most = -127},
    {.least = -6, .most = -1, .first = {0x3fff, 0x3c01}, .n_first = 2},
    {.least = -30, .most = -17},
    {.least = 20, .most = 33},
    {.least = -62, .most = -60},
    {.least = 90, .most = 103},
    /* in some tiles, */
    {.least = -16, .most = 0},
    {.least = -40, .most = 3},
    /* without, at first. */
    {.least = -126, .most = -119},
    {.least = -64, .most = -60},
    {.least = 104, .most = 115},
    {.least = -3, .most = 0, .first = {0x7fc0}, .n_first = 1},
    {.least = -3, .most = 0, .first = {0x7f80}, .n_first = 1},
    {.least = -3, .most = 0, .first = {0xff80, 0x3f80, 0x7f80}, .n_first = 3},
    {.least = -3, .most = 0, .first = {0x0001, 0x8040}, .n_first = 2},
    {.least = -126, .most = -126, .first = {0x0001, 0x8040}, .n_first = 2},
    {.most = -127}, /* zeros */
};
enum { ROWS = ARRAY_LEN(rows) }; /* 16 and some: tiles of several rows hang over the edge */

static void fill_rows(uint16_t *a, int depth) {
  for (int i = 0; i < ROWS; i++)
    for (int k = 0; k < depth; k++)
      a[i * depth + k] = k < rows[i].n_first            ? rows[i].first[k]
                         : rows[i].most < rows[i].least ? (uint16_t)(draw() % 2 << 15)
                                                        : draw_bf16(rows[i].least, rows[i].most);
}

static void compare(const weights *kind, int depth, const uint16_t *a, const unsigned char *w,
                    const float *c, int row, int z) {
  for (int j = 0; j < columns; j++) {
    double sum = start, all = start, got = (double)c[(z * ROWS + row) * columns + j];
    for (int k = 0; k < depth; k++) {
      double x = bf16_number(a[row * depth + k]) * kind->at(w, k, j, z);
      sum += x;
      all += fabs(x);
    }
    bool right = isnan(sum)      ? isnan(got)
                 : isfinite(sum) ? fabs(got - sum) <= (depth + 1) * ldexp(all, -24)
                                 : got == sum;
    if (!right)
      fail_msg("%s %s, depth %d, row %d: column %d of product %d is %g, not %g", kind->elem,
               kind->decode, depth, row, j, z, got, sum);
  }
}

/* The program, with sums that begin with `start`. */
static const char *program_text(const scene *s) {
  char *text = product_text(s), *at = strstr(text, "<f32: 3.0>");
  at[strlen("<f32: ")] = (char)('0' + start);
  return text;
}

static void run(const weights *kind, int tile_m, int tile_n, int tile_k, int depth, uint16_t *a,
                unsigned char *w) {
  static float c[2 * ROWS * MANY_COLUMNS];
  const scene s = {kind->elem, kind->decode, "bf16", kind->products, tile_m, tile_n, tile_k, 0, 0,
                   0};
  uint64_t args[] = {ARG_ADDRESS(a), ARG_ADDRESS(w),    ARG_ADDRESS(c),
                     ROWS,           (uint64_t)columns, (uint64_t)depth};
  run_grid grid = {(ROWS + tile_m - 1) / tile_m, (columns + tile_n - 1) / tile_n, 1};
  if (!run_compiled(program_text(&s), "k", grid, args, &report)) fail_msg("%s", report.diagnostics);
  for (int row = 0; row < ROWS; row++)
    for (int z = 0; z < kind->products; z++) compare(kind, depth, a, w, c, row, z);
}

static void check_rows(const weights *kind, int tile_m, int tile_n, int tile_k, int depth) {
  static uint16_t a[ROWS * DEPTH];
  static unsigned char w[DEPTH * MANY_COLUMNS];
  fill_rows(a, depth);
  for (int i = 0; i < DEPTH * columns; i++) w[i] = (unsigned char)draw();
  run(kind, tile_m, tile_n, tile_k, depth, a, w);
}

/* The last columns and, with a depth of 200, the last numbers along k fill no tile. */
static void sums_are_near(void **state) {
  (void)state;
  for (unsigned i = 0; i < ARRAY_LEN(kinds); i++) {
    check_rows(&kinds[i], 1, 128, 8, 64);
    check_rows(&kinds[i], 1, 128, 32, DEPTH);
    check_rows(&kinds[i], 1, 256, 64, 192);
    check_rows(&kinds[i], 1, 128, 128, 128);
    check_rows(&kinds[i], 2, 128, 32, DEPTH);
    check_rows(&kinds[i], 4, 128, 16, 64);
    check_rows(&kinds[i], 8, 256, 64, 192);
    check_rows(&kinds[i], 16, 128, 32, DEPTH);
  }
}

/* One row's tiles that are multiplied a few rows of weights at a time. */
static void wide_sums_are_near(void **state) {
  (void)state;
  columns = MANY_COLUMNS;
  for (unsigned i = 0; i < ARRAY_LEN(kinds); i++) {
    check_rows(&kinds[i], 1, 2048, 16, 64);
    check_rows(&kinds[i], 1, 2048, 32, DEPTH);
    check_rows(&kinds[i], 1, 2048, 64, 192);
    check_rows(&kinds[i], 1, 1024, 128, 128);
  }
  columns = FEW_COLUMNS;
}

/* An element so small that it vanishes when the row is scaled; where the large one's weight is zero
 * nothing else is left of the sum. */
static void small_beside_huge(void **state) {
  (void)state;
  static uint16_t a[ROWS * 8];
  static unsigned char w[8 * FEW_COLUMNS];
  memset(a, 0, sizeof a);
  a[0] = 0x7200; /* 2^101 */
  a[1] = 0x1a01; /* nearly 2^-75 */
  for (int i = 0; i < 8 * columns; i++) w[i] = (unsigned char)(i < columns ? 0 : draw());
  start = 0;
  run(&kinds[0], 1, 128, 8, 8, a, w);
  run(&kinds[F4], 2, 128, 8, 8, a, w);
  start = 3;
}

/* Sums that begin with a NaN that is not the canonical one end with that. */
static void nans_get_canonical(void **state) {
  (void)state;
  static uint16_t a[2 * 32];
  static unsigned char w[32 * 64];
  static uint32_t c[2 * 2 * 64];
  const scene s = {"i8", HALVES, "bf16", 2, 2, 64, 32, 0, 0, 0};
  const char *text = product_text(&s), *number = strstr(text, "3.0>");
  char *changed = NULL;
  for (int i = 0; i < 2 * 32; i++) a[i] = draw_bf16(-6, 0);
  if (asprintf(&changed, "%.*s0xFFC00001>%s", (int)(number - text), text, number + 4) < 0) abort();
  uint64_t args[] = {ARG_ADDRESS(a), ARG_ADDRESS(w), ARG_ADDRESS(c), 2, 64, 32};
  if (!run_compiled(changed, "k", (run_grid){1, 1, 1}, args, &report))
    fail_msg("%s", report.diagnostics);
  for (unsigned i = 0; i < ARRAY_LEN(c); i++) assert_int_equal(c[i], 0x7fc00000);
  free(changed);
}

static int set_double_pumped(void **state) {
  engine_double_pumped = engine_shallow_prefetch = true;
  return set_level(state);
}

static int set_l2_prefetch(void **state) {
  engine_l2_prefetch = true;
  return set_level(state);
}

static int set_less_vbmi(void **state) {
  engine_less_vbmi = true;
  return set_level(state);
}

static int set_words(void **state) {
  engine_words = true;
  return set_level(state);
}

/* After any of these. */
static int as_ever(void **state) {
  (void)state;
  engine_double_pumped = engine_shallow_prefetch = engine_l2_prefetch = false;
  engine_less_vbmi = engine_words = false;
  return 0;
}

/* As if there were no instruction that multiplies bytes and adds up four products. */
#define WORDS(test)                                                                                \
  {#test "/avx2 words", test, set_words, as_ever, (void *)(uintptr_t)CPU_AVX2}, {                  \
#test "/avx512 words", test, set_words, as_ever, (void *)(uintptr_t)CPU_AVX512                 \
  }

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(programs),
      cmocka_unit_test(lookups),
      cmocka_unit_test(lines_twice),
      cmocka_unit_test(sums_in_pieces),
      LEVELS(sums_are_near),
      LEVELS(wide_sums_are_near),
      LEVELS(small_beside_huge),
      LEVELS(nans_get_canonical),
      WORDS(sums_are_near),
      WORDS(wide_sums_are_near),
      WORDS(small_beside_huge),
      WORDS(nans_get_canonical),
      {"wide_sums_are_near/double-pumped", wide_sums_are_near, set_double_pumped, as_ever,
       (void *)(uintptr_t)CPU_AVX512},
      {"wide_sums_are_near/L2 prefetch", wide_sums_are_near, set_l2_prefetch, as_ever,
       (void *)(uintptr_t)CPU_AVX512},
      {"sums_are_near/no permutations of bytes", sums_are_near, set_less_vbmi, as_ever,
       (void *)(uintptr_t)CPU_AVX512},
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
