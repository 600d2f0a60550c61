/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * How long the layout algebra takes to answer what a compiler asks of it, for a tile of 128 x 256
 * 16-bit elements over 256 workers: each figure is the median of many runs of the query.
 */
#include <tessera/layout.h>

#include "bench.h"

enum { RUNS = 101, QUERIES = 64 };

static tsr_layout rows, blocked, columns;
static tsr_memory_layout plain;
static const tsr_cost_options options = {
    .struct_size = sizeof options, .element_bits = 16, .warp_size = 32, .banks = 32};
static volatile int64_t sink; /* so that nothing is left out */

static void must(tsr_status status) {
  if (status == TSR_OK) return;
  fprintf(stderr, "bench: a query failed\n");
  exit(1);
}

static void locate(int i) {
  int32_t index[2] = {i * 37 % 128, i * 91 % 256}, worker[4];
  sink += tsr_layout_get_spatial(&rows, index, worker, 4) + worker[0];
  sink += tsr_layout_get_local(&rows, index);
}

static void global(int i) {
  int32_t index[2];
  tsr_layout_get_global(&rows, i * 37 % 256, i % 128, index);
  sink += index[0] + index[1];
}

static void convert(int i) {
  tsr_conversion kind;
  must(tsr_layout_conversion(&kind, &rows, i % 2 ? &blocked : &columns, 32, NULL));
  sink += kind;
}

static void cost(int i) {
  tsr_layout_cost c;
  must(tsr_layout_cost_of(&c, i % 2 ? &rows : &columns, &plain, &options, NULL));
  sink += c.wavefronts;
}

static void propose(int i) {
  tsr_memory_layout m;
  must(tsr_memory_propose_swizzle(&m, &plain, &rows, i % 2 ? &blocked : &columns, &options, NULL));
  sink += m.swizzle_bits;
}

static void optimal(int i) {
  tsr_swizzle z;
  must(tsr_swizzle_optimal(&z, &rows, i % 2 ? &blocked : &columns, 16, 32, NULL));
  sink += z.load_ways;
}

static void measure(const char *what, void (*query)(int)) {
  double times[RUNS];
  for (int run = 0; run < RUNS; run++) {
    double start = bench_now();
    for (int i = 0; i < QUERIES; i++) query(i);
    times[run] = 1e6 * (bench_now() - start) / QUERIES;
  }
  printf("  %-44s %8.2f us\n", what, bench_median(times, RUNS));
}

static void read_layout(tsr_context *context, const char *text, tsr_layout *out) {
  tsr_layout_value v;
  must(tsr_layout_parse(context, NULL, text, strlen(text), &v));
  *out = v.layout;
}

int main(int argc, char **argv) {
  bench_start(argc, argv, "Layouts, a 128 x 256 tile of f16 over 256 workers");
  tsr_context *context = tsr_context_create(NULL);
  if (!context) return 1;
  read_layout(context, "local(16,1).spatial(8,32).local(1,8)", &rows);
  read_layout(context, "spatial(2,4).local(4,8) * mma.m16n8k16.C", &blocked);
  read_layout(context, "local(1,16).spatial(32,8).local(4,2)", &columns);
  must(tsr_memory_row_major(&plain, 2, (int32_t[]){128, 256}, NULL));
  measure("worker and slot of an element", locate);
  measure("element of a worker's slot", global);
  measure("conversion class", convert);
  measure("cost of an access", cost);
  measure("proposal of an XOR swizzle", propose);
  measure("optimal swizzle of a store and a load", optimal);
  tsr_context_destroy(context);
  return 0;
}
