/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * CUDA C kernels (tests/ptx/cuda) as nvcc compiles them: right results and nothing found under
 * every schedule and every time at which asynchronous operations may complete; and each with a
 * planted fault, which must be found and named whatever the schedule and the time.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

#include "num/num.h"
#include "checked_run.h"

/* A kernel: launches it, fills results, says whether they are right. */
typedef struct kernel {
  const char *name;
  void (*launch)(checked_run *r);
  bool (*right)(void);
  finding_kind fault; /* of the planted one */
  const char *says;   /* a part of its message */
  uint32_t line;      /* of an instruction that takes part, also in a header; 0: any */
} kernel;

static uint64_t state_ = 88172645463325252u;
static uint32_t rnd(uint32_t n) {
  state_ ^= state_ << 13;
  state_ ^= state_ >> 7;
  state_ ^= state_ << 17;
  return (uint32_t)((state_ * 0x2545f4914f6cdd1dull >> 32) % n);
}

/* Memory of the kernels; at least 16-byte aligned. */
enum { WORDS = 1 << 16 };
static _Alignas(256) float in_f[WORDS], out_f[WORDS];
static _Alignas(256) int in_i[WORDS], out_i[WORDS];
static _Alignas(256) uint16_t in_h[WORDS], in_h2[WORDS];
static _Alignas(256) uint8_t in_b[WORDS];

static void clear(void) {
  memset(out_f, 0, sizeof out_f);
  memset(out_i, 0, sizeof out_i);
}

static void launch_reduce(checked_run *r) {
  for (int i = 0; i < 3000; i++) in_f[i] = (float)rnd(100);
  checked_run_buffer(r, in_f, 3000 * sizeof(float));
  checked_run_buffer(r, out_f, sizeof(float));
  checked_run_int(r, 3000);
  checked_run_launch(r, 4, 1, 128, 1);
}
static bool right_reduce(void) {
  float sum = 0;
  for (int i = 0; i < 3000; i++) sum += in_f[i];
  return out_f[0] == sum;
}

static void launch_scan(checked_run *r) {
  for (int i = 0; i < 512; i++) in_i[i] = (int)rnd(100);
  checked_run_buffer(r, in_i, 512 * sizeof(int));
  checked_run_buffer(r, out_i, 512 * sizeof(int));
  r->options.dynamic_shared = 2 * 256 * sizeof(int);
  checked_run_launch(r, 2, 1, 256, 1);
}
static bool right_scan(void) {
  int sum = 0;
  for (int i = 0; i < 512; i++) {
    sum = i % 256 ? sum + in_i[i] : in_i[i];
    if (out_i[i] != sum) return false;
  }
  return true;
}

enum { ROWS = 50, COLUMNS = 70 };
static void launch_transpose(checked_run *r) {
  for (int i = 0; i < ROWS * COLUMNS; i++) in_f[i] = (float)i;
  checked_run_buffer(r, in_f, ROWS * COLUMNS * sizeof(float));
  checked_run_buffer(r, out_f, ROWS * COLUMNS * sizeof(float));
  checked_run_int(r, ROWS);
  checked_run_int(r, COLUMNS);
  checked_run_launch(r, (COLUMNS + 31) / 32, (ROWS + 31) / 32, 32, 8);
}
static bool right_transpose(void) {
  for (int i = 0; i < ROWS; i++)
    for (int j = 0; j < COLUMNS; j++)
      if (out_f[j * ROWS + i] != in_f[i * COLUMNS + j]) return false;
  return true;
}

static void launch_histogram(checked_run *r) {
  for (int i = 0; i < 5000; i++) in_b[i] = (uint8_t)rnd(256);
  checked_run_buffer(r, in_b, 5000);
  checked_run_buffer(r, out_i, 256 * sizeof(int));
  checked_run_int(r, 5000);
  checked_run_launch(r, 3, 1, 128, 1);
}
static bool right_histogram(void) {
  int counts[256] = {0};
  for (int i = 0; i < 5000; i++) counts[in_b[i]]++;
  return memcmp(counts, out_i, sizeof counts) == 0;
}

/* Products of small integers in bf16, which are exact. B is n x k when `b_by_columns`. */
enum { GM = 128, GN = 128, GK = 256 };
static void fill_matrices(void) {
  for (int i = 0; i < GM * GK; i++)
    in_h[i] = (uint16_t)num_from_i64(num_format_of(TSR_BF16), (int)rnd(9) - 4, NUM_NEAREST_EVEN);
  for (int i = 0; i < GN * GK; i++)
    in_h2[i] = (uint16_t)num_from_i64(num_format_of(TSR_BF16), (int)rnd(9) - 4, NUM_NEAREST_EVEN);
}
static double bf16_value(uint16_t h) {
  return num_f32_from_bits((uint32_t)h << 16);
}
static bool right_product(bool b_by_columns) {
  for (int i = 0; i < GM; i++) {
    for (int j = 0; j < GN; j++) {
      double sum = 0;
      for (int k = 0; k < GK; k++)
        sum += bf16_value(in_h[i * GK + k]) *
               bf16_value(in_h2[b_by_columns ? j * GK + k : k * GN + j]);
      if (out_f[i * GN + j] != sum) return false;
    }
  }
  return true;
}
static void launch_gemm(checked_run *r) {
  fill_matrices();
  checked_run_buffer(r, in_h, GM * GK * 2);
  checked_run_buffer(r, in_h2, GK * GN * 2);
  checked_run_buffer(r, out_f, GM * GN * 4);
  checked_run_int(r, GM);
  checked_run_int(r, GN);
  checked_run_int(r, GK);
  checked_run_launch(r, GN / 64, GM / 64, 128, 1);
}
static bool right_gemm(void) {
  return right_product(false);
}

static tensormap map_of(checked_run *r, void *host, tensormap_type type, uint32_t rows,
                        uint32_t columns, uint16_t box_rows, uint16_t box_columns,
                        uint8_t swizzle) {
  uint32_t size = tensormap_element_bytes(type);
  return (tensormap){.type = (uint8_t)type,
                     .rank = 2,
                     .swizzle = swizzle,
                     .address = emu_alloc(r->device, (uint64_t)rows * columns * size, host),
                     .dims = {columns, rows},
                     .strides = {(uint64_t)columns * size},
                     .element_strides = {1, 1},
                     .box = {box_columns, box_rows}};
}
static void launch_wgmma_with(checked_run *r, uint32_t threads) {
  fill_matrices();
  tensormap a = map_of(r, in_h, TENSORMAP_BF16, GM, GK, 64, 64, 128);
  tensormap b = map_of(r, in_h2, TENSORMAP_BF16, GN, GK, 64, 64, 128);
  checked_run_map(r, &a);
  checked_run_map(r, &b);
  checked_run_buffer(r, out_f, GM * GN * 4);
  checked_run_int(r, GN);
  checked_run_int(r, GK);
  checked_run_launch(r, GN / 64, GM / 64, threads, 1);
}
static void launch_wgmma(checked_run *r) {
  launch_wgmma_with(r, 128);
}
static void launch_pipeline(checked_run *r) {
  r->options.dynamic_shared = 3 * 2 * 64 * 64 * 2;
  launch_wgmma_with(r, 160);
}
static bool right_wgmma(void) {
  return right_product(true);
}

static void launch_tma_store(checked_run *r) {
  for (int i = 0; i < 50 * 72; i++) in_f[i] = (float)i;
  tensormap in = map_of(r, in_f, TENSORMAP_F32, 50, 72, 32, 32, 0);
  tensormap out = map_of(r, out_f, TENSORMAP_F32, 50, 72, 32, 32, 0);
  checked_run_map(r, &in);
  checked_run_map(r, &out);
  checked_run_launch(r, 3, 2, 128, 1);
}
static bool right_tma_store(void) {
  for (int i = 0; i < 50 * 72; i++)
    if (out_f[i] != 2 * in_f[i]) return false;
  return out_f[50 * 72] == 0;
}

static void launch_grid_barrier(checked_run *r) {
  checked_run_buffer(r, in_i, 4 * 64 * sizeof(int));
  checked_run_buffer(r, &out_i[1024], sizeof(int));
  checked_run_buffer(r, out_i, 4 * 64 * sizeof(int));
  r->options.cooperative = true;
  checked_run_launch(r, 4, 1, 64, 1);
}
static bool right_grid_barrier(void) {
  for (int i = 0; i < 4 * 64; i++)
    if (out_i[i] != (i / 64 + 1) % 4 * 1000 + i % 64) return false;
  return true;
}

static void launch_barriers(checked_run *r) {
  for (int i = 0; i < 128; i++) in_i[i] = (int)rnd(100);
  checked_run_buffer(r, in_i, 128 * sizeof(int));
  checked_run_buffer(r, out_i, 128 * sizeof(int));
  checked_run_launch(r, 2, 1, 128, 1);
}
static bool right_barriers(void) {
  for (int i = 0; i < 128; i++)
    if (out_i[i] != 3 * in_i[i / 64 * 64 + 63 - i % 64]) return false;
  return true;
}

static const kernel kernels[] = {
    {"reduce", launch_reduce, right_reduce, FINDING_RACE, "memory that another thread", 16},
    {"scan", launch_scan, right_scan, FINDING_RACE, "memory that another thread", 19},
    {"transpose", launch_transpose, right_transpose, FINDING_OUT_OF_BOUNDS, "writes 4 bytes", 14},
    {"histogram", launch_histogram, right_histogram, FINDING_UNINITIALISED,
     "shared memory that nothing", 112},
    {"gemm_mma", launch_gemm, right_gemm, FINDING_RACE, "memory that another thread", 22},
    {"gemm_cp_async", launch_gemm, right_gemm, FINDING_MISSING_WAIT, "may not have written yet", 0},
    {"gemm_wgmma", launch_wgmma, right_wgmma, FINDING_MISSING_WAIT, "a register of a wgmma", 44},
    {"pipeline", launch_pipeline, right_wgmma, FINDING_MISSING_WAIT, "may still be reading", 0},
    {"tma_store", launch_tma_store, right_tma_store, FINDING_MISSING_FENCE, "fence.proxy.async",
     20},
    {"grid_barrier", launch_grid_barrier, right_grid_barrier, FINDING_RACE, "another thread", 21},
    {"barriers", launch_barriers, right_barriers, FINDING_DEADLOCK, "waits at a barrier", 0},
};

static void open_kernel(checked_run *r, const kernel *k, bool fault, bool checked,
                        emu_schedule schedule, emu_async_mode async) {
  char path[128];
  snprintf(path, sizeof path, "tests/ptx/cuda/%s%s.ptx", k->name, fault ? ".fault" : "");
  checked_run_open(r, path, checked);
  r->options.schedule = schedule;
  r->options.async = async;
  r->options.seed = 7;
  clear();
}

static const emu_schedule schedules[] = {EMU_RR, EMU_RANDOM, EMU_ADVERSARIAL};
static const emu_async_mode modes[] = {EMU_ASYNC_EAGER, EMU_ASYNC_LATE, EMU_ASYNC_RANDOM};

static void test_right(void **state) {
  (void)state;
  for (unsigned i = 0; i < ARRAY_LEN(kernels); i++) {
    for (unsigned s = 0; s < 9; s++) {
      const kernel *k = &kernels[i];
      checked_run r;
      open_kernel(&r, k, false, true, schedules[s / 3], modes[s % 3]);
      k->launch(&r);
      if (r.found.n) fail_msg("%s: %s", k->name, checked_run_text(&r));
      if (!k->right()) fail_msg("%s: wrong results, schedule %u", k->name, s / 3);
      assert_int_equal(checks_dropped(r.checks), 0);
      checked_run_close(&r);
    }
  }
}

/* Without anybody watching, on several host threads. */
static void test_unwatched(void **state) {
  (void)state;
  for (unsigned i = 0; i < ARRAY_LEN(kernels); i++) {
    checked_run r;
    open_kernel(&r, &kernels[i], false, false, EMU_RR, modes[i % 3]);
    r.options.threads = 2;
    kernels[i].launch(&r);
    if (!kernels[i].right()) fail_msg("%s: wrong results", kernels[i].name);
    checked_run_close(&r);
  }
}

static bool is_at(const checked_run *r, const ptx_insn *i, uint32_t wanted) {
  const char *file;
  uint32_t line, column;
  return i && ptx_insn_source(r->module, i, &file, &line, &column) && line == wanted;
}

static void test_faults(void **state) {
  (void)state;
  for (unsigned i = 0; i < ARRAY_LEN(kernels); i++) {
    const kernel *k = &kernels[i];
    for (unsigned s = 0; s < 9; s++) { /* each schedule with each time of completion */
      checked_run r;
      open_kernel(&r, k, true, true, schedules[s / 3], modes[s % 3]);
      k->launch(&r);
      bool named = false;
      for (uint32_t f = 0; f < r.found.n; f++) {
        const finding *x = &r.found.list[f];
        bool here = !k->line || is_at(&r, x->at.insn, k->line) || is_at(&r, x->other.insn, k->line);
        named |= here && x->kind == k->fault && strstr(x->message, k->says);
      }
      if (!named)
        fail_msg("%s: the planted fault was not found (schedule %u, mode %u); found: %s", k->name,
                 s / 3, s % 3, checked_run_text(&r));
      checked_run_close(&r);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_right),
      cmocka_unit_test(test_unwatched),
      cmocka_unit_test(test_faults),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
