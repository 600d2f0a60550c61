/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Non-temporal stores of rows that don't begin with a cache line (cpu/memory/write_combine.c):
 * which kernels put vectors together to lines, and that these write what others write, and nothing
 * beside it. Whether a launch does so is decided by the size of its grid; most tile blocks of these
 * lie outside of the data.
 */
#include <stdio.h>

#include "cpu_engine.h"

enum { ROWS = 5, MOST_COLUMNS = 1000, ROOM = 64, BYTES = 32 << 20 };

/* Z and W, m x n, of X: $f, of tiles $t of $h x $w elements $e. */
static const char program[] =
    "!v = !cuda_tile.partition_view<tile=($t), padding_value = zero, tensor_view<?x?x$e, "
    "strides=[?,1]>>\n"
    "cuda_tile.module @m { entry @k(%X: tile<ptr<$e>>, %Z: tile<ptr<$e>>, %W: tile<ptr<$e>>, "
    "%m: tile<i32>, %n: tile<i32>) {\n"
    "%i, %j, %k = get_tile_block_id : tile<i32>\n"
    "%xm = make_tensor_view %X, shape = [%m, %n], strides = [%n, 1] : tile<i32> -> "
    "tensor_view<?x?x$e, strides=[?,1]>\n"
    "%zm = make_tensor_view %Z, shape = [%m, %n], strides = [%n, 1] : tile<i32> -> "
    "tensor_view<?x?x$e, strides=[?,1]>\n"
    "%wm = make_tensor_view %W, shape = [%m, %n], strides = [%n, 1] : tile<i32> -> "
    "tensor_view<?x?x$e, strides=[?,1]>\n"
    "%xv = make_partition_view %xm : !v\n%zv = make_partition_view %zm : !v\n"
    "%wv = make_partition_view %wm : !v\n"
    "%x, %t0 = load_view_tko weak %xv[%i, %j] : !v, tile<i32> -> tile<$tx$e>, token\n"
    "$f} }\n";

#define STORE(v, where)                                                                            \
  "%t" where " = store_view_tko weak %" v ", %" where "v[%i, %j] : tile<$tx$e>, !v, tile<i32> -> " \
  "token\n"
#define SUM "%y = $a %x, %x : tile<$tx$e>\n"
#define LARGEST                                                                                    \
  "%s = reduce %y dim=1 identities=[$l : $e] : tile<$tx$e> -> tile<$hx$e> (%a: tile<$e>, "         \
  "%b: tile<$e>) {\n%q = $b %a, %b$s : tile<$e>\nyield %q : tile<$e> }\n"                          \
  "%r = reshape %s : tile<$hx$e> -> tile<$hx1x$e>\n"                                               \
  "%y2 = broadcast %r : tile<$hx1x$e> -> tile<$tx$e>\n"

static const char one[] = SUM STORE("y", "z"), two[] = SUM STORE("y", "z") STORE("x", "w");
/* The second nest stores the same in all of a row. */
static const char largest[] = SUM LARGEST STORE("y", "z") STORE("y2", "w");

typedef struct type {
  const char *name, *add, *max, *how, *lowest;
  unsigned size;
} type;

static const type types[] = {{"f32", "addf", "maxf", "", "0xFF800000", 4},
                             {"i32", "addi", "maxi", " signed", "-2147483648", 4},
                             {"f64", "addf", "maxf", "", "0xFFF0000000000000", 8},
                             {"i16", "addi", "maxi", " signed", "-32768", 2},
                             {"bf16", "addf", "maxf", "", "0xFF80", 2},
                             {"i8", "addi", "maxi", " signed", "-128", 1}};

static void fill(char *text, size_t size, const char *code, const type *y, const char *height,
                 const char *width) {
  char inner[2048], tile[32];
  snprintf(tile, sizeof tile, "%sx%s", height, width);
  run_blank blanks[] = {
      {'e', y->name}, {'t', tile},   {'h', height},    {'w', width},       {'a', y->add},
      {'b', y->max},  {'s', y->how}, {'l', y->lowest}, {'f', (char[]){0}}, {0}};
  run_fill(inner, sizeof inner, code, blanks);
  blanks[8].says = inner;
  run_fill(text, size, program, blanks);
}

/* ---- which kernels --------------------------------------------------------------------------- */

static void kernels(void **state) {
  (void)state;
  static const struct {
    const char *code, *height, *width;
    unsigned stores;
  } cases[] = {{one, "1", "512", 1},     {one, "4", "512", 1}, {two, "1", "512", 2},
               {largest, "4", "512", 2}, {one, "64", "16", 0}, /* a body makes more than a row */
               {one, "512", "1", 0}};
  for (size_t c = 0; c < ARRAY_LEN(cases); c++)
    for (size_t t = 0; t < ARRAY_LEN(types); t++) {
      char text[8192];
      fill(text, sizeof text, cases[c].code, &types[t], cases[c].height, cases[c].width);
      unsigned carried = code_count("%before", text) > 0 ? code_count(" = phi <", text) : 0;
      bool shifts = engine_level == CPU_AVX512 && cases[c].stores > 0;
      if (shifts != (carried > 0) ||
          (shifts && code_count("@llvm.x86.avx512.vpermi2var", text) < 2 * cases[c].stores))
        fail_msg("%s, case %zu", types[t].name, c);
    }
}

/* ---- what they write ------------------------------------------------------------------------- */

enum { MOST_BYTES = ROWS * MOST_COLUMNS * 8 + 3 * ROOM };

static _Alignas(64) unsigned char from[MOST_BYTES], to[2][MOST_BYTES], want[2][MOST_BYTES];

static uint64_t number_of(const type *y, int value) {
  if (y->name[0] == 'i') return (uint64_t)(int64_t)value;
  float single = (float)value;
  double wide = value;
  uint64_t bits;
  memcpy(&bits, &wide, sizeof bits);
  return y->size == 8 ? bits : y->size == 4 ? run_f32_bits(single) : run_f32_bits(single) >> 16;
}

static void put(unsigned char *where, const type *y, size_t shift, size_t at, int value) {
  uint64_t bits = number_of(y, value);
  memcpy(where + ROOM + shift + at * y->size, &bits, y->size);
}

/* From `shift` bytes after a line on. */
static void check(const char *code, const type *y, const char *height, const char *width,
                  unsigned columns, size_t shift) {
  char text[8192];
  fill(text, sizeof text, code, y, height, width);
  unsigned h = (unsigned)atoi(height), w = (unsigned)atoi(width);
  memset(to, 0x5a, sizeof to), memset(want, 0x5a, sizeof want), memset(from, 0x5a, sizeof from);
  for (size_t r = 0; r < ROWS; r++)
    for (size_t first = 0; first < columns; first += w) {
      int most = 0; /* all are larger: what doesn't exist is zero */
      size_t end = MIN(first + w, columns);
      for (size_t c = first; c < end; c++) {
        int x = 1 + (int)((r * columns + c) * 7919 % 63); /* i8 has its double, too */
        most = MAX(most, x);
        put(from, y, shift, r * columns + c, x);
        put(want[0], y, shift, r * columns + c, 2 * x);
        if (code == two) put(want[1], y, shift, r * columns + c, x);
      }
      for (size_t c = first; c < end && code == largest; c++)
        put(want[1], y, shift, r * columns + c, 2 * most);
    }
  uint64_t args[] = {ARG_ADDRESS(from + ROOM + shift), ARG_ADDRESS(to[0] + ROOM + shift),
                     ARG_ADDRESS(to[1] + ROOM + shift), ROWS, columns};
  run_log log;
  if (!run_compiled(text, "k",
                    (run_grid){BYTES / (int)(h * w * y->size), (int)((columns + w - 1) / w), 1},
                    args, &log))
    fail_msg("%s", log.diagnostics);
  for (size_t i = 0; i < 2; i++)
    for (size_t k = 0; k < MOST_BYTES; k++)
      if (to[i][k] != want[i][k])
        fail_msg("%s in tiles of %s x %s, %u columns, shift %zu: byte %zu of result %zu", y->name,
                 height, width, columns, shift, k, i);
}

static void results(void **state) {
  (void)state;
  static const char *const codes[] = {one, two, largest};
  static const unsigned columns[] = {1, 63, 511, 512, 1000};
  unsigned n = 0;
  for (size_t c = 0; c < ARRAY_LEN(codes); c++)
    for (size_t t = 0; t < ARRAY_LEN(types); t++)
      for (size_t k = 0; k < ARRAY_LEN(columns); k++, n++) {
        size_t shift = n * 5 % (64 / types[t].size) * types[t].size;
        if (n % 4 == 0) shift = n % 8 == 0 ? 0 : 63; /* no number begins a line */
        check(codes[c], &types[t], "1", "512", columns[k], shift);
        check(codes[c], &types[t], "4", "256", columns[k], shift);
      }
}

int main(void) {
  const struct CMUnitTest tests[] = {LEVELS(kernels), LEVELS(results)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
