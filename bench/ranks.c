/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Products over ranks; bench/ranks.py runs it and puts its figures together.
 *
 *   mpirun -n 2 ranks gather|scatter|reduce THREADS M N K SECONDS [PIECES]
 *   ranks one THREADS M N K SECONDS
 *
 * Prints the median of the time of a launch in milliseconds, of the slowest rank. With N = 0 rows
 * travel and nothing is multiplied. The product of `one` has all columns (gather) or all of k.
 *
 *   mpirun -n 2 ranks signal
 *
 * Prints the median of a signal there and back, in microseconds.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <tessera/op_ranks.h>

enum { MOST = 4096 };

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static float *numbers(size_t count) {
  float *x = malloc((count + 1) * sizeof *x);
  if (!x) exit(4);
  for (size_t i = 0; i < count; i++) x[i] = (float)(i % 61) / 61 - 0.5f;
  return x;
}

typedef struct work {
  tsr_ranks *all; /* NULL: one process */
  tsr_op_ranks *op;
  tsr_op_plan *plan;
  tsr_op_argument args[3];
} work;

static double launch(const work *w) {
  if (w->all) tsr_ranks_barrier(w->all);
  double begin = now(), longest = 0;
  tsr_status status =
      w->op ? tsr_op_ranks_launch(w->op, w->args, 3) : tsr_op_launch(w->plan, NULL, w->args, 3);
  double own = now() - begin;
  if (status != TSR_OK) exit(3);
  if (!w->all) return own;
  tsr_ranks_all_reduce(w->all, &own, &longest, 1, TSR_F64, TSR_REDUCE_MAX, TSR_SHOTS_AUTO);
  return longest;
}

/* All ranks make as many launches: how many, rank 0 has counted. */
static void measure(const work *w, double seconds, unsigned rank) {
  static double times[MOST];
  double first = launch(w);
  first = launch(w);
  int64_t count = (int64_t)(seconds / first);
  if (count < 5) count = 5;
  if (count > MOST) count = MOST;
  if (w->all) tsr_ranks_broadcast(w->all, 0, &count, sizeof count);
  for (int64_t i = 0; i < count; i++) times[i] = launch(w);
  qsort(times, (size_t)count, sizeof *times, by_size);
  if (rank == 0) printf("%.4f\n", times[count / 2] * 1e3);
}

static void signal_trip(tsr_ranks *all, tsr_device *device) {
  static double times[MOST];
  tsr_symmetric *memory = tsr_symmetric_create(all, device, 64);
  unsigned rank = tsr_ranks_rank(all), other = 1 - rank;
  for (uint64_t i = 1; i <= MOST; i++) {
    double begin = now();
    if (rank == 0) tsr_symmetric_notify(memory, other, 0, TSR_NOTIFY_SET, i);
    tsr_symmetric_wait(memory, 0, TSR_WAIT_AT_LEAST, i, NULL);
    if (rank == 1) tsr_symmetric_notify(memory, other, 0, TSR_NOTIFY_SET, i);
    times[i - 1] = now() - begin;
  }
  qsort(times, MOST, sizeof *times, by_size);
  if (rank == 0) printf("%.3f\n", times[MOST / 2] * 1e6);
  tsr_symmetric_destroy(memory);
}

int main(int argc, char **argv) {
  bool is_signal = argc == 2 && strcmp(argv[1], "signal") == 0;
  if (argc != 7 && argc != 8 && !is_signal) return 2;
  tsr_context_options options = {.struct_size = sizeof options,
                                 .on_diagnostic = tsr_diagnostic_print};
  tsr_context *ctx = tsr_context_create(&options);
  tsr_device_options device_options = {.struct_size = sizeof device_options,
                                       .threads = is_signal ? 1 : (unsigned)atoi(argv[2])};
  tsr_device *device = tsr_device_open(ctx, "cpu", &device_options);
  bool one = strcmp(argv[1], "one") == 0;
  work w = {.all = one ? NULL : tsr_ranks_join(ctx, NULL)};
  if (!device || (!one && !w.all)) return 2;
  unsigned rank = one ? 0 : tsr_ranks_rank(w.all);
  if (is_signal) {
    signal_trip(w.all, device);
  } else {
    tsr_op_library *ops = tsr_op_library_create(device, NULL);
    size_t m = (size_t)atoll(argv[3]), n = (size_t)atoll(argv[4]), k = (size_t)atoll(argv[5]);
    tsr_op_problem problem = {.struct_size = sizeof problem,
                              .text = "gemm:type=f32",
                              .settings = (tsr_op_setting[]){TSR_OP_INT("m", (int64_t)m),
                                                             TSR_OP_INT("n", (int64_t)n),
                                                             TSR_OP_INT("k", (int64_t)k)},
                              .n_settings = 3};
    tsr_op_ranks_form form = strcmp(argv[1], "gather") == 0    ? TSR_OP_ALL_GATHER_GEMM
                             : strcmp(argv[1], "scatter") == 0 ? TSR_OP_GEMM_REDUCE_SCATTER
                                                               : TSR_OP_GEMM_ALL_REDUCE;
    float *a = numbers(m * k), *b = numbers(k * n), *c = numbers(m * n);
    if (one)
      w.plan = tsr_op_plan_get(ops, &problem);
    else
      w.op = tsr_op_ranks_create(
          w.all, ops, form, &problem,
          &(tsr_op_ranks_options){.struct_size = sizeof(tsr_op_ranks_options),
                                  .pieces = argc == 8 ? (unsigned)atoi(argv[7]) : 0});
    if (!w.plan && !w.op) return 3;
    float *place = w.op ? tsr_op_ranks_place(w.op) : NULL;
    if (place) memcpy(place, a, m / tsr_ranks_size(w.all) * k * sizeof *a);
    w.args[0] = (tsr_op_argument){"a", tsr_arg_address(place ? place : a)};
    w.args[1] = (tsr_op_argument){"b", tsr_arg_address(b)};
    w.args[2] = (tsr_op_argument){"c", tsr_arg_address(c)};
    measure(&w, atof(argv[6]), rank);
    tsr_op_ranks_destroy(w.op);
    tsr_op_library_destroy(ops);
    free(a);
    free(b);
    free(c);
  }
  tsr_ranks_leave(w.all);
  tsr_device_close(device);
  tsr_context_destroy(ctx);
  return 0;
}
