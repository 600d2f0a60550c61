/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Ranks by their public interface: started by mpirun, with the name of what is to be tried.
 */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <tessera/ranks.h>

typedef struct state {
  tsr_context *ctx;
  tsr_ranks *all;
  tsr_device *device;
  unsigned rank, size;
} state;

static void expect(const state *s, int good, const char *what) {
  if (good) return;
  printf("rank %u: %s is wrong\n", s->rank, what);
  exit(3);
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *take(size_t bytes) {
  void *memory = calloc(1, bytes + 1);
  if (!memory) exit(4);
  return memory;
}

/* ---- collective operations ------------------------------------------------------------------ */

static void try_gather(const state *s, size_t n) {
  uint32_t *all = take(s->size * n * sizeof *all), *own = all + s->rank * n;
  for (size_t i = 0; i < n; i++) own[i] = (uint32_t)(s->rank * 1000003 + i);
  expect(s, tsr_ranks_all_gather(s->all, own, all, n * sizeof *all) == TSR_OK, "all_gather");
  for (unsigned k = 0; k < s->size; k++)
    for (size_t i = 0; i < n; i++)
      expect(s, all[k * n + i] == k * 1000003 + i, "what all_gather brought");
  free(all);
}

static void try_all_to_all(const state *s, size_t n) {
  uint32_t *from = take(s->size * n * sizeof *from), *to = take(s->size * n * sizeof *to);
  for (unsigned k = 0; k < s->size; k++)
    for (size_t i = 0; i < n; i++) from[k * n + i] = (uint32_t)(s->rank * 7919 + k * 31 + i);
  expect(s, tsr_ranks_all_to_all(s->all, from, to, n * sizeof *to) == TSR_OK, "all_to_all");
  for (unsigned k = 0; k < s->size; k++)
    for (size_t i = 0; i < n; i++)
      expect(s, to[k * n + i] == k * 7919 + s->rank * 31 + i, "what all_to_all brought");
  free(from);
  free(to);
}

/* Rank a sends a + 2 b bytes to rank b. */
static void try_uneven(const state *s) {
  size_t sent[64], received[64], out = 0, in = 0;
  for (unsigned k = 0; k < s->size; k++) {
    out += sent[k] = s->rank + 2 * k;
    in += received[k] = k + 2 * s->rank;
  }
  char *from = take(out), *to = take(in), *p = from;
  for (unsigned k = 0; k < s->size; k++)
    for (size_t i = 0; i < sent[k]; i++) *p++ = (char)(s->rank * 16 + k);
  expect(s, tsr_ranks_all_to_all_v(s->all, from, sent, to, received) == TSR_OK, "all_to_all_v");
  p = to;
  for (unsigned k = 0; k < s->size; k++)
    for (size_t i = 0; i < received[k]; i++)
      expect(s, *p++ == (char)(k * 16 + s->rank), "what all_to_all_v brought");
  free(from);
  free(to);
}

static void try_reduce(const state *s, size_t n, tsr_shots shots) {
  float *from = take(n * sizeof *from), *to = take(n * sizeof *to);
  for (size_t i = 0; i < n; i++) from[i] = (float)(s->rank + 1) * (float)(i % 1000);
  expect(s, tsr_ranks_all_reduce(s->all, from, to, n, TSR_F32, TSR_REDUCE_SUM, shots) == TSR_OK,
         "all_reduce");
  float ranks = (float)(s->size * (s->size + 1) / 2);
  for (size_t i = 0; i < n; i++) expect(s, to[i] == ranks * (float)(i % 1000), "a sum");
  expect(s, tsr_ranks_all_reduce(s->all, from, from, n, TSR_F32, TSR_REDUCE_MAX, shots) == TSR_OK,
         "all_reduce in place");
  for (size_t i = 0; i < n; i++)
    expect(s, from[i] == (float)s->size * (float)(i % 1000), "a maximum");
  free(from);
  free(to);
}

static void try_types(const state *s) {
  int8_t bytes[5] = {1, 2, 3, 100, -100}, sums[5];
  expect(s,
         tsr_ranks_all_reduce(s->all, bytes, sums, 5, TSR_I8, TSR_REDUCE_SUM, TSR_SHOTS_TWO) ==
             TSR_OK,
         "all_reduce of i8");
  for (int i = 0; i < 5; i++) expect(s, sums[i] == (int8_t)(bytes[i] * (int)s->size), "an i8");
  uint16_t ones[300], half[300]; /* 1.0 of bf16 */
  for (int i = 0; i < 300; i++) ones[i] = 0x3f80;
  expect(s,
         tsr_ranks_all_reduce(s->all, ones, half, 300, TSR_BF16, TSR_REDUCE_SUM, TSR_SHOTS_ONE) ==
             TSR_OK,
         "all_reduce of bf16");
  static const uint16_t counts[] = {0, 0x3f80, 0x4000, 0x4040, 0x4080};
  for (int i = 0; i < 300 && s->size < 5; i++) expect(s, half[i] == counts[s->size], "a bf16");
  double part[64], own;
  for (unsigned k = 0; k < s->size; k++) part[k] = s->rank + 10.0 * k;
  part[0] = s->rank == s->size - 1 ? NAN : part[0];
  expect(s,
         tsr_ranks_reduce_scatter(s->all, part, &own, 1, TSR_F64, TSR_REDUCE_MIN) == TSR_OK,
         "reduce_scatter");
  expect(s, s->rank ? own == 10.0 * s->rank : isnan(own), "a minimum");
}

static void try_broadcast(const state *s, size_t bytes) {
  unsigned char *data = take(bytes);
  for (unsigned root = 0; root < s->size; root++) {
    for (size_t i = 0; i < bytes; i++)
      data[i] = s->rank == root ? (unsigned char)(i + root) : (unsigned char)0xee;
    expect(s, tsr_ranks_broadcast(s->all, root, data, bytes) == TSR_OK, "broadcast");
    for (size_t i = 0; i < bytes; i++)
      expect(s, data[i] == (unsigned char)(i + root), "what broadcast brought");
  }
  free(data);
}

static void collectives(const state *s) {
  static const size_t sizes[] = {0, 1, 1000, 200000};
  for (int k = 0; k < 4; k++) {
    try_gather(s, sizes[k]);
    try_all_to_all(s, sizes[k]);
    try_reduce(s, sizes[k], TSR_SHOTS_ONE);
    try_reduce(s, sizes[k], TSR_SHOTS_TWO);
    try_reduce(s, sizes[k], TSR_SHOTS_AUTO);
    try_broadcast(s, sizes[k]);
  }
  try_uneven(s);
  try_types(s);
  for (int k = 0; k < 100; k++) expect(s, tsr_ranks_barrier(s->all) == TSR_OK, "a barrier");
}

/* ---- symmetric memory ----------------------------------------------------------------------- */

/* A ring: each puts numbers into the next one's memory, tells it, and waits for its own. */
static void ring(const state *s) {
  enum { N = 100000 };
  tsr_symmetric *x = tsr_symmetric_create(s->all, s->device, N * sizeof(uint32_t) + 64);
  if (!x) exit(1);
  unsigned next = (s->rank + 1) % s->size, before = (s->rank + s->size - 1) % s->size;
  size_t signal = N * sizeof(uint32_t);
  uint32_t *numbers = take(N * sizeof *numbers), *own = tsr_buffer_data(tsr_symmetric_buffer(x));
  for (unsigned round = 1; round < 4; round++) {
    for (uint32_t i = 0; i < N; i++) numbers[i] = i * round + s->rank;
    expect(s, tsr_symmetric_put(x, next, 0, numbers, N * sizeof *numbers) == TSR_OK, "a put");
    expect(s, tsr_symmetric_notify(x, next, signal, TSR_NOTIFY_ADD, 1) == TSR_OK, "a notify");
    uint64_t seen;
    expect(s, tsr_symmetric_wait(x, signal, TSR_WAIT_AT_LEAST, round, &seen) == TSR_OK, "a wait");
    expect(s, seen == round, "a signal");
    for (uint32_t i = 0; i < N; i++) expect(s, own[i] == i * round + before, "what was put");
    expect(s, tsr_ranks_barrier(s->all) == TSR_OK, "a barrier");
    expect(s, tsr_symmetric_get(x, next, 0, numbers, N * sizeof *numbers) == TSR_OK, "a get");
    for (uint32_t i = 0; i < N; i++) expect(s, numbers[i] == i * round + s->rank, "what was got");
    expect(s, tsr_symmetric_fence(x) == TSR_OK, "a fence");
    expect(s, tsr_ranks_barrier(s->all) == TSR_OK, "a barrier");
  }
  const uint64_t *table = tsr_buffer_data(tsr_symmetric_table(x));
  for (unsigned k = 0; k < s->size; k++) {
    bool near = tsr_ranks_is_near(s->all, k);
    expect(s, !near == !table[k] && !near == !tsr_symmetric_peer(x, k), "the table");
  }
  expect(s, tsr_symmetric_put(x, s->size, 0, numbers, 4) == TSR_ERROR_USAGE, "a wrong rank");
  expect(s, tsr_symmetric_put(x, 0, signal + 64, numbers, 1) == TSR_ERROR_USAGE, "a wrong place");
  expect(s, tsr_symmetric_notify(x, 0, 4, TSR_NOTIFY_SET, 1) == TSR_ERROR_USAGE, "a wrong word");
  free(numbers);
  tsr_symmetric_destroy(x);
}

/* The time of a signal there and back. */
static void round_trip(const state *s) {
  enum { ROUNDS = 2000 };
  tsr_symmetric *x = tsr_symmetric_create(s->all, s->device, 64);
  if (!x) exit(1);
  double best = 1;
  for (int part = 0; part < 20 && s->rank < 2; part++) {
    double start = now();
    for (uint64_t k = 1; k <= ROUNDS / 20; k++) {
      uint64_t value = (uint64_t)part * ROUNDS / 20 + k;
      if (s->rank == 0) tsr_symmetric_notify(x, 1, 0, TSR_NOTIFY_SET, value);
      tsr_symmetric_wait(x, 0, TSR_WAIT_AT_LEAST, value, NULL);
      if (s->rank == 1) tsr_symmetric_notify(x, 0, 0, TSR_NOTIFY_SET, value);
    }
    double each = (now() - start) / (ROUNDS / 20);
    best = each < best ? each : best;
  }
  if (s->rank == 0) printf("a signal there and back takes %.2f us\n", best * 1e6);
  tsr_symmetric_destroy(x);
}

/* ---- faults --------------------------------------------------------------------------------- */

static void disagree(const state *s, const char *how) {
  char a[64] = {0}, b[256];
  tsr_status status = TSR_OK;
  bool other = s->rank == 1;
  if (strcmp(how, "calls") == 0)
    status = other ? tsr_ranks_barrier(s->all) : tsr_ranks_all_gather(s->all, a, b, 16);
  else if (strcmp(how, "sizes") == 0)
    status = tsr_ranks_all_gather(s->all, a, b, other ? 8 : 16);
  else if (strcmp(how, "types") == 0)
    status = tsr_ranks_all_reduce(s->all, a, a, 4, other ? TSR_I32 : TSR_F32, TSR_REDUCE_SUM,
                                  TSR_SHOTS_AUTO);
  else if (strcmp(how, "memory") == 0)
    status = tsr_symmetric_create(s->all, s->device, (size_t)1 << 50)
                 ? TSR_OK
                 : TSR_ERROR_TRAP;
  expect(s, status == TSR_ERROR_TRAP, "the status");
  expect(s, tsr_ranks_barrier(s->all) == TSR_ERROR_TRAP, "the status of what follows");
}

static void lose(const state *s, const char *how) {
  expect(s, tsr_ranks_barrier(s->all) == TSR_OK, "a barrier");
  if (s->rank == 1 && strcmp(how, "dies") == 0) raise(SIGKILL);
  if (s->rank == 1 && strcmp(how, "ends") == 0) _exit(0);
  if (s->rank == 1 && strcmp(how, "late") == 0) sleep(4);
  tsr_status status = tsr_ranks_barrier(s->all);
  if (s->rank != 1) expect(s, status == TSR_ERROR_TRAP, "the status");
}

static void no_signal(const state *s) {
  tsr_symmetric *x = tsr_symmetric_create(s->all, s->device, 64);
  if (!x) exit(1);
  if (s->rank == 0)
    expect(s, tsr_symmetric_wait(x, 0, TSR_WAIT_EQUAL, 1, NULL) == TSR_ERROR_TRAP, "the status");
  else
    expect(s, tsr_ranks_barrier(s->all) == TSR_ERROR_TRAP, "the status");
  tsr_symmetric_destroy(x);
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "", *how = argc > 2 ? argv[2] : "";
  state s = {.ctx = tsr_context_create(&(tsr_context_options){
                 .struct_size = sizeof(tsr_context_options), .on_diagnostic = tsr_diagnostic_print})};
  signal(SIGUSR1, SIG_IGN); /* by which MPICH's mpirun tells that a rank has died */
  s.device = tsr_device_open(s.ctx, "interp", NULL);
  s.all = tsr_ranks_join(s.ctx, NULL);
  if (!s.all) return 1;
  s.rank = tsr_ranks_rank(s.all);
  s.size = tsr_ranks_size(s.all);
  if (strcmp(what, "collectives") == 0) collectives(&s);
  if (strcmp(what, "ring") == 0) ring(&s);
  if (strcmp(what, "round_trip") == 0) round_trip(&s);
  if (strcmp(what, "disagree") == 0) disagree(&s, how);
  if (strcmp(what, "lose") == 0) lose(&s, how);
  if (strcmp(what, "no_signal") == 0) no_signal(&s);
  if (s.rank == 0) printf("%s: %u ranks of %s: done\n", what, s.size, tsr_ranks_library(s.all));
  fflush(stdout);
  tsr_ranks_leave(s.all);
  tsr_device_close(s.device);
  tsr_context_destroy(s.ctx);
  return 0;
}
