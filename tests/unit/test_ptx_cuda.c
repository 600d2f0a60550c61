/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * CUDA C kernels as nvcc compiles them (tests/ptx/cuda), on the PTX emulator, in every schedule,
 * against plain C.
 */
#include <math.h>

#include "num/num.h"
#include "ptx_run.h"

static char *text;
static ptx_world w;

static int load(void **state) {
  (void)state;
  text = ptx_file("cuda/kernels.ptx");
  return 0;
}
static int unload(void **state) {
  (void)state;
  free(text);
  return 0;
}

static const emu_schedule schedules[] = {EMU_RR, EMU_RANDOM, EMU_ADVERSARIAL};

static void begin(void) {
  ptx_world_open(&w);
  ptx_load(&w, text);
}

static uint64_t device(void *host, size_t bytes) {
  uint64_t a = emu_alloc(w.device, bytes, host);
  assert_true(a != 0);
  return a;
}

static void launch(const char *name, const void *params, emu_launch_options o, emu_schedule s) {
  o.schedule = s;
  o.seed = 5;
  if (ptx_launch(&w, name, params, o) != TSR_OK) fail_msg("%s: %s", name, w.fault.message);
}

static void reduce(void **state) {
  (void)state;
  enum { N = 5000 };
  static float x[N];
  double expected = 0;
  for (int k = 0; k < N; k++) expected += x[k] = (float)(k % 17) - 3;
  for (size_t s = 0; s < ARRAY_LEN(schedules); s++) {
    float sum = 0;
    begin();
    struct {
      uint64_t x, sum;
      int n;
    } p = {device(x, sizeof x), device(&sum, sizeof sum), N};
    launch("reduce", &p, (emu_launch_options){.grid = {6, 1, 1}, .block = {128, 1, 1}},
           schedules[s]);
    assert_true(sum == (float)expected); /* sums of small integers are exact in every order */
    ptx_world_close(&w);
  }
}

static void scan(void **state) {
  (void)state;
  enum { N = 512 };
  static int x[N], y[N];
  for (int k = 0; k < N; k++) x[k] = k * 7 % 31 - 9;
  for (size_t s = 0; s < ARRAY_LEN(schedules); s++) {
    begin();
    uint64_t p[] = {device(x, sizeof x), device(y, sizeof y)};
    launch("scan", p, (emu_launch_options){.block = {N / 2, 1, 1}, .dynamic_shared = sizeof x},
           schedules[s]);
    for (int k = 0, sum = 0; k < N; k++) assert_int_equal(y[k], sum += x[k]);
    ptx_world_close(&w);
  }
}

static void transpose(void **state) {
  (void)state;
  enum { N = 75 };
  static float x[N * N], y[N * N];
  for (int k = 0; k < N * N; k++) x[k] = (float)k;
  for (size_t s = 0; s < ARRAY_LEN(schedules); s++) {
    begin();
    struct {
      uint64_t x, y;
      int n;
    } p = {device(x, sizeof x), device(y, sizeof y), N};
    launch("transpose", &p, (emu_launch_options){.grid = {3, 3, 1}, .block = {32, 8, 1}},
           schedules[s]);
    for (int r = 0; r < N; r++)
      for (int c = 0; c < N; c++) assert_true(y[r * N + c] == x[c * N + r]);
    ptx_world_close(&w);
  }
}

static void histogram(void **state) {
  (void)state;
  enum { N = 3001 };
  static unsigned char x[N];
  unsigned expected[256] = {0};
  for (int k = 0; k < N; k++) expected[x[k] = (unsigned char)(k * k % 251 & 0x1f)]++;
  for (size_t s = 0; s < ARRAY_LEN(schedules); s++) {
    unsigned bins[256] = {0};
    begin();
    struct {
      uint64_t x, bins;
      int n;
    } p = {device(x, sizeof x), device(bins, sizeof bins), N};
    launch("histogram", &p, (emu_launch_options){.grid = {3, 1, 1}, .block = {96, 1, 1}},
           schedules[s]);
    assert_memory_equal(bins, expected, sizeof bins);
    ptx_world_close(&w);
  }
}

static void gemm(void **state) {
  (void)state;
  enum { N = 32 };
  static uint16_t a[N * N], b[N * N];
  static float c[N * N];
  const num_format *f16 = num_format_of(TSR_F16);
  for (int k = 0; k < N * N; k++) {
    a[k] = (uint16_t)num_encode(f16, (k * 13 % 29 - 14) / 8.0, NUM_NEAREST_EVEN);
    b[k] = (uint16_t)num_encode(f16, (k * 7 % 23 - 11) / 4.0, NUM_NEAREST_EVEN);
  }
  for (size_t s = 0; s < ARRAY_LEN(schedules); s++) {
    begin();
    struct {
      uint64_t a, b, c;
      int n;
    } p = {device(a, sizeof a), device(b, sizeof b), device(c, sizeof c), N};
    launch("gemm", &p, (emu_launch_options){.grid = {2, 2, 1}, .block = {16, 16, 1}}, schedules[s]);
    for (int r = 0; r < N; r++)
      for (int k = 0; k < N; k++) {
        float sum = 0;
        for (int j = 0; j < N; j++)
          sum =
              fmaf((float)num_decode(f16, a[r * N + j]), (float)num_decode(f16, b[j * N + k]), sum);
        assert_true(c[r * N + k] == sum);
      }
    ptx_world_close(&w);
  }
}

static void smooth(void **state) {
  (void)state;
  enum { N = 256, STEPS = 6 };
  static float start[N], a[N], b[N], x[N], y[N];
  for (int k = 0; k < N; k++) start[k] = (float)(k % 10);
  memcpy(x, start, sizeof x);
  memcpy(y, start, sizeof y);
  for (int s = 0; s < STEPS; s++) {
    for (int i = 1; i < N - 1; i++) y[i] = 0.25f * x[i - 1] + 0.5f * x[i] + 0.25f * x[i + 1];
    memcpy(x, y, sizeof x);
  }
  for (size_t s = 0; s < ARRAY_LEN(schedules); s++) {
    unsigned arrived = 0;
    memcpy(a, start, sizeof a);
    memcpy(b, start, sizeof b);
    begin();
    struct {
      uint64_t a, b;
      int n, steps;
      uint64_t arrived;
    } p = {device(a, sizeof a), device(b, sizeof b), N, STEPS, device(&arrived, sizeof arrived)};
    emu_launch_options o = {.grid = {4, 1, 1}, .block = {64, 1, 1}, .cooperative = true};
    launch("smooth", &p, o, schedules[s]);
    for (int k = 0; k < N; k++) assert_true(fabsf(a[k] - x[k]) < 1e-5f);
    ptx_world_close(&w);
  }
}

static float rough(float x, int depth) {
  return depth == 0 || x < 0.1f ? x : rough(x * 0.5f, depth - 1) + 1;
}
static double expected_value(float v, int i) {
  double r = 0;
  switch (i % 8) {
  case 0: return sin(v) + cos(v);
  case 1: return exp(v) - log(v);
  case 2: return pow(v, 1.5);
  case 3: return sqrt(v) + 1 / v;
  case 4: return tanh(v) * erf(v);
  case 5: return (double)(int)(v * 100) + floor(v) + rintf(v * 3);
  case 6: return rough(v, 5);
  default:
    for (int k = 0; k < i % 13; k++) r = r * 0.5 + v;
    return r;
  }
}
static void mathematics(void **state) {
  (void)state;
  enum { N = 300 };
  static float x[N], y[N];
  for (int k = 0; k < N; k++) x[k] = 0.05f + (float)k * 0.017f;
  for (size_t s = 0; s < ARRAY_LEN(schedules); s++) {
    begin();
    struct {
      uint64_t x, y;
      int n;
    } p = {device(x, sizeof x), device(y, sizeof y), N};
    launch("mathematics", &p, (emu_launch_options){.grid = {3, 1, 1}, .block = {128, 1, 1}},
           schedules[s]);
    for (int k = 0; k < N; k++) {
      double e = expected_value(x[k], k);
      if (!(fabs(y[k] - e) <= 1e-6 * fabs(e) + 1e-6))
        fail_msg("%d: expected %g, found %g", k, e, y[k]);
    }
    ptx_world_close(&w);
  }
}

static void tiles(void **state) {
  (void)state;
  enum { N = 64 };
  static int x[N], y[N];
  for (int k = 0; k < N; k++) x[k] = k * k;
  for (size_t s = 0; s < ARRAY_LEN(schedules); s++) {
    begin();
    uint64_t p[] = {device(x, sizeof x), device(y, sizeof y)};
    launch("tiles", p, (emu_launch_options){.block = {N, 1, 1}}, schedules[s]);
    for (int k = 0; k < N; k++) {
      int sum = 0;
      for (int j = k & ~7; j < (k & ~7) + 8; j++) sum += x[j];
      assert_int_equal(y[k], sum * (k % 8 == 3 ? 2 : 1));
    }
    ptx_world_close(&w);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reduce),      cmocka_unit_test(scan),  cmocka_unit_test(transpose),
      cmocka_unit_test(histogram),   cmocka_unit_test(gemm),  cmocka_unit_test(smooth),
      cmocka_unit_test(mathematics), cmocka_unit_test(tiles),
  };
  return cmocka_run_group_tests(tests, load, unload);
}
