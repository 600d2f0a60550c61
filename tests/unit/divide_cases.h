/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Tests of tiles that are divided by one number each, for the engine whose header comes before this
 * one: every quotient is the rounded one, whatever the numbers, and NaNs are canonical. The file
 * says how many tile blocks there are (DIVIDED_BLOCKS), and what runs a program (RUN_DIVISIONS).
 */
#ifndef TSR_TESTS_DIVIDE_CASES_H
#define TSR_TESTS_DIVIDE_CASES_H

enum { BLOCKS = DIVIDED_BLOCKS, TILE = 512 };

static const char divide_program[] =
    "!vector = !cuda_tile.tensor_view<?xf32, strides=[1]>\n"
    "!tiles = !cuda_tile.partition_view<tile=(512), tensor_view<?xf32, strides=[1]>>\n"
    "!one = !cuda_tile.partition_view<tile=(1), tensor_view<?xf32, strides=[1]>>\n"
    "cuda_tile.module @m { entry @k(%X: tile<ptr<f32>>, %S: tile<ptr<f32>>, %Y: tile<ptr<f32>>, "
    "%n: tile<i32>, %blocks: tile<i32>) {\n"
    "  %i, %by, %bz = get_tile_block_id : tile<i32>\n"
    "  %xv = make_tensor_view %X, shape = [%n], strides = [1] : tile<i32> -> !vector\n"
    "  %sv = make_tensor_view %S, shape = [%blocks], strides = [1] : tile<i32> -> !vector\n"
    "  %yv = make_tensor_view %Y, shape = [%n], strides = [1] : tile<i32> -> !vector\n"
    "  %xt = make_partition_view %xv : !tiles\n"
    "  %st = make_partition_view %sv : !one\n"
    "  %yt = make_partition_view %yv : !tiles\n"
    "  %x, %t0 = load_view_tko weak %xt[%i] : !tiles, tile<i32> -> tile<512xf32>, token\n"
    "  %s, %t1 = load_view_tko weak %st[%i] : !one, tile<i32> -> tile<1xf32>, token\n"
    "  %all = broadcast %s : tile<1xf32> -> tile<512xf32>\n"
    "  %q = divf %x, %all : tile<512xf32>\n"
    "  %t2 = store_view_tko weak %q, %yt[%i] : tile<512xf32>, !tiles, tile<i32> -> token\n"
    "} }\n";

static uint64_t state_of_draw = 1;

static uint32_t draw(void) {
  state_of_draw = state_of_draw * UINT64_C(6364136223846793005) + 1442695040888963407u;
  return (uint32_t)(state_of_draw >> 32);
}

static float number(uint32_t bits) {
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/* Of either sign, with an exponent from -range to range - 1; its bits mostly 0 or mostly 1 now and
 * then, for quotients next to halfway points. */
static float draw_near(unsigned range) {
  uint32_t significand = draw() & 0x7fffff, kind = draw() % 8;
  if (kind == 0) significand &= draw() & draw() & draw();
  if (kind == 1) significand |= draw() | draw() | draw();
  if (kind == 2) significand = draw() % 2 ? 0x7fffff : 0;
  return number((draw() & 1) << 31 | (127 - range + draw() % (2 * range)) << 23 |
                (significand & 0x7fffff));
}

static void check(const float *x, const float *s) {
  static float y[BLOCKS * TILE];
  run_log log;
  uint64_t args[] = {ARG_ADDRESS(x), ARG_ADDRESS(s), ARG_ADDRESS(y), BLOCKS * TILE, BLOCKS};
  if (!RUN_DIVISIONS(divide_program, "k", (run_grid){BLOCKS, 1, 1}, args, &log))
    fail_msg("%s", log.diagnostics);
  for (int i = 0; i < BLOCKS * TILE; i++) {
    float q = x[i] / s[i / TILE];
    uint32_t want = q != q ? 0x7fc00000 : run_f32_bits(q), got = run_f32_bits(y[i]);
    if (got != want)
      fail_msg("%a / %a is %08x, not %08x", (double)x[i], (double)s[i / TILE], got, want);
  }
}

static float x[BLOCKS * TILE], s[BLOCKS];

/* Every lane takes the short way. */
static void near_one(void **state) {
  (void)state;
  for (int i = 0; i < BLOCKS; i++) s[i] = draw_near(28);
  for (int i = 0; i < BLOCKS * TILE; i++) x[i] = draw() % 64 ? draw_near(96) : 0.0f;
  check(x, s);
}

/* Some don't, here and there. */
static void anything(void **state) {
  (void)state;
  static const uint32_t special[] = {0,          0x80000000, 0x7f800000, 0xff800000, 0x7fc00000,
                                     0x7f800001, 0xffffffff, 1,          0x807fffff, 0x00800000,
                                     0x7f7fffff, 0x0f800000, 0x6f7fffff, 0x6f800000, 0x0f7fffff};
  enum { SPECIAL = sizeof special / sizeof *special };
  for (int i = 0; i < BLOCKS; i++)
    s[i] = i % 4 == 0   ? draw_near(28)
           : i % 4 == 1 ? number(special[draw() % SPECIAL])
                        : number(draw());
  for (int i = 0; i < BLOCKS * TILE; i++) {
    uint32_t kind = draw() % 16;
    x[i] = kind == 0   ? number(special[draw() % SPECIAL])
           : kind == 1 ? number(draw())
                       : draw_near(96);
  }
  check(x, s);
}

/* Numbers and quotients at the ends of what there is. */
static void tiny_and_huge(void **state) {
  (void)state;
  for (int i = 0; i < BLOCKS; i++) s[i] = draw_near(i % 2 ? 28 : 126);
  for (int i = 0; i < BLOCKS * TILE; i++) {
    uint32_t exponent = i % TILE < TILE / 2 ? draw() % 64 : 255 - draw() % 64;
    x[i] = number((draw() & 1) << 31 | exponent << 23 | (draw() & 0x7fffff));
  }
  check(x, s);
}

#endif
