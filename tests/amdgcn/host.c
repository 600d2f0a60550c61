/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The same C as is compiled for AMD's GPUs, compiled for the host: a thread of the host for each of
 * a workgroup, and one workgroup after the other, or all at once where they wait for each other.
 */
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"

static _Thread_local unsigned host_thread, host_block;
static pthread_barrier_t *host_barriers; /* of workgroups; NULL where threads do not meet */

static unsigned thread_id(void) {
  return host_thread;
}
static unsigned block_id(void) {
  return host_block;
}
static void meet(void) {
  pthread_barrier_wait(&host_barriers[host_block]);
}
static void pause_(void) {
  sched_yield();
}
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#include "kernels/elements.c"
#include "kernels/together.c"
#include "kernels/spaces.c"
#include "kernels/classes.c"
#pragma GCC diagnostic pop

/* ---- calls with a job's arguments ------------------------------------------------------------ */

#define B(type, k) ((type *)(void *)j->want[k])
static const void *argument(const amdgcn_job *j, unsigned k) {
  return j->params + j->kernel->about->arguments[k].offset;
}
static u32 word(const amdgcn_job *j, unsigned k) {
  u32 v;
  memcpy(&v, argument(j, k), 4);
  return v;
}
static float number(const amdgcn_job *j, unsigned k) {
  float v;
  memcpy(&v, argument(j, k), 4);
  return v;
}

#define HOST(name, ...)                                                                            \
  static void run_##name(const amdgcn_job *j) {                                                    \
    name(__VA_ARGS__);                                                                             \
  }
HOST(saxpy, B(float, 0), B(float, 1), number(j, 2), (int)word(j, 3))
HOST(divide_i32, B(int, 0), B(int, 1), B(int, 2), B(int, 3))
HOST(divide_u64, B(u64, 0), B(u64, 1), B(u64, 2), B(u64, 3))
HOST(divide_f32, B(float, 0), B(float, 1), B(float, 2))
HOST(polynomial_f64, B(double, 0), B(double, 1))
HOST(convert, B(float, 0), B(int, 1), B(u8, 2), B(f16, 3), B(double, 4))
HOST(bytes, B(u8, 0), B(i8, 1), B(i16, 2), B(u16, 3))
HOST(halves, B(f16x2, 0), B(f16x2, 1), B(f16x2, 2))
HOST(bits, B(u32, 0), B(u32, 1), word(j, 2))
HOST(mixed_i64, B(i64, 0), B(int, 1), B(i64, 2))
HOST(sum_blocks, B(float, 0), B(float, 1))
HOST(histogram, B(u8, 0), B(u32, 1), word(j, 2))
HOST(transpose, B(float, 0), B(float, 1))
HOST(scan_block, B(u32, 0), B(u32, 1))
HOST(sort_block, B(int, 0), B(int, 1))
HOST(table, B(u32, 0), B(u32, 1), word(j, 2))
HOST(either, B(u32, 0), B(u32, 1))
HOST(calls, B(u32, 0), B(u32, 1), word(j, 2))
HOST(parts, B(u32, 0), B(u32, 1))
HOST(mixed, B(f16x2, 0), B(float, 1))
HOST(tiled_gemm, B(float, 0), B(float, 1), B(float, 2), (int)word(j, 3))
HOST(pipeline, B(u32, 0), B(u32, 1), word(j, 2))
HOST(publish, B(u32, 0), B(u32, 1), B(u32, 2), B(u32, 3))
HOST(grid_barrier, B(u32, 0), B(u32, 1), B(u32, 2), B(u32, 3))
HOST(nand_all, B(u32, 0), B(u32, 1))
HOST(stencil, B(float4, 0), B(float4, 1))
HOST(matrix_vector, B(float4, 0), B(float4, 1), B(float, 2), (int)word(j, 3))
HOST(compact, B(i32, 0), B(i32, 1), B(u32, 2))

/* How threads of the host stand for those of the kernel. */
typedef enum host_way {
  ALONE,    /* one after the other: none waits for another */
  TOGETHER, /* a workgroup's at once */
  ALL       /* all at once: workgroups wait for each other, and have nothing in the LDS */
} host_way;

static const struct {
  const char *name;
  void (*run)(const amdgcn_job *j);
  host_way way;
} kernels[] = {
#define ROW(name, way) {#name, run_##name, way},
    ROW(saxpy, ALONE) ROW(divide_i32, ALONE) ROW(divide_u64, ALONE) ROW(divide_f32, ALONE)
    ROW(polynomial_f64, ALONE) ROW(convert, ALONE) ROW(bytes, ALONE) ROW(halves, ALONE)
    ROW(bits, ALONE) ROW(mixed_i64, ALONE) ROW(sum_blocks, TOGETHER) ROW(histogram, TOGETHER)
    ROW(transpose, TOGETHER) ROW(scan_block, TOGETHER)
    ROW(sort_block, TOGETHER) ROW(table, ALONE) ROW(either, TOGETHER) ROW(calls, ALONE)
    ROW(parts, ALONE) ROW(mixed, ALONE) ROW(tiled_gemm, TOGETHER) ROW(pipeline, TOGETHER)
    ROW(publish, ALL) ROW(grid_barrier, ALL) ROW(nand_all, ALONE) ROW(stencil, TOGETHER)
    ROW(matrix_vector, ALONE) ROW(compact, TOGETHER)
#undef ROW
};

/* ---- threads --------------------------------------------------------------------------------- */

typedef struct host_place {
  const amdgcn_job *job;
  void (*run)(const amdgcn_job *j);
  uint32_t block, thread;
  pthread_t handle;
} host_place;

static void *run_thread(void *user) {
  const host_place *p = user;
  host_block = p->block;
  host_thread = p->thread;
  p->run(p->job);
  return NULL;
}

static void run_alone(const amdgcn_job *j, void (*run)(const amdgcn_job *j)) {
  for (uint32_t b = 0; b < j->options.grid[0]; b++)
    for (uint32_t t = 0; t < j->options.block[0]; t++)
      run_thread(&(host_place){.job = j, .run = run, .block = b, .thread = t});
}

/* Workgroups from .. to - 1 at once. */
static void run_together(const amdgcn_job *j, void (*run)(const amdgcn_job *j), uint32_t from,
                         uint32_t to) {
  uint32_t threads = j->options.block[0], n = (to - from) * threads;
  host_place *all = calloc(n, sizeof *all);
  for (uint32_t k = 0; k < n; k++) {
    all[k] = (host_place){.job = j, .run = run, .block = from + k / threads, .thread = k % threads};
    assert_int_equal(pthread_create(&all[k].handle, NULL, run_thread, &all[k]), 0);
  }
  for (uint32_t k = 0; k < n; k++) pthread_join(all[k].handle, NULL);
  free(all);
}

bool host_expect(const char *kernel, amdgcn_job *j) {
  size_t k = 0;
  while (k < ARRAY_LEN(kernels) && strcmp(kernels[k].name, kernel) != 0) k++;
  if (k == ARRAY_LEN(kernels)) return false;
  uint32_t blocks = j->options.grid[0], at_once = kernels[k].way == ALL ? blocks : 1;
  if (kernels[k].way == ALONE) {
    run_alone(j, kernels[k].run);
    return true;
  }
  host_barriers = calloc(blocks, sizeof *host_barriers);
  for (uint32_t b = 0; b < blocks; b++)
    pthread_barrier_init(&host_barriers[b], NULL, j->options.block[0]);
  for (uint32_t b = 0; b < blocks; b += at_once) run_together(j, kernels[k].run, b, b + at_once);
  for (uint32_t b = 0; b < blocks; b++) pthread_barrier_destroy(&host_barriers[b]);
  free(host_barriers);
  return true;
}
