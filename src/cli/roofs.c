/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cli/roofs.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"

enum { TILE_BYTES = 4096, MMA_BLOCKS = 16, MMA_SIZE = 128, MMA_ROUNDS = 4 };
enum { MEMORY_BLOCKS = 64, MEMORY_TILES = 4, MEMORY_WINDOWS = 32 };
enum { LAUNCHES = 20 };

/* Block i copies its `tiles` tiles of 4 KB, one after the other, `rounds` times. */
static const char copy_text[] =
    "!v = !cuda_tile.tensor_view<?xf32, strides=[1]>\n"
    "!t = !cuda_tile.partition_view<tile=(1024), tensor_view<?xf32, strides=[1]>>\n"
    "cuda_tile.module @m { entry @copy(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %n: tile<i64>, "
    "%tiles: tile<i32>, %rounds: tile<i32>) {\n"
    "  %i, %j, %k = get_tile_block_id : tile<i32>\n"
    "  %zero = constant <i32: 0> : tile<i32>\n"
    "  %one = constant <i32: 1> : tile<i32>\n"
    "  %first = muli %i, %tiles : tile<i32>\n"
    "  %last = addi %first, %tiles : tile<i32>\n"
    "  %xv = make_tensor_view %x, shape = [%n], strides = [1] : tile<i64> -> !v\n"
    "  %yv = make_tensor_view %y, shape = [%n], strides = [1] : tile<i64> -> !v\n"
    "  %xt = make_partition_view %xv : !t\n"
    "  %yt = make_partition_view %yv : !t\n"
    "  for %r in (%zero to %rounds, step %one) : tile<i32> {\n"
    "    for %at in (%first to %last, step %one) : tile<i32> {\n"
    "      %a, %t0 = load_view_tko weak %xt[%at] : !t, tile<i32> -> tile<1024xf32>, token\n"
    "      %t1 = store_view_tko weak %a, %yt[%at] : tile<1024xf32>, !t, tile<i32> -> token\n"
    "    }\n"
    "  }\n"
    "} }\n";

static const char mma_text[] =
    "!v = !cuda_tile.tensor_view<128x128xf32, strides=[128,1]>\n"
    "!t = !cuda_tile.partition_view<tile=(128x128), tensor_view<128x128xf32, strides=[128,1]>>\n"
    "cuda_tile.module @m { entry @mma(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %n: tile<i64>, "
    "%tiles: tile<i32>, %rounds: tile<i32>) {\n"
    "  %z = constant <i32: 0> : tile<i32>\n"
    "  %one = constant <i32: 1> : tile<i32>\n"
    "  %xv = make_tensor_view %x, shape = [128, 128], strides = [128, 1] : !v\n"
    "  %yv = make_tensor_view %y, shape = [128, 128], strides = [128, 1] : !v\n"
    "  %xt = make_partition_view %xv : !t\n"
    "  %yt = make_partition_view %yv : !t\n"
    "  %a, %t0 = load_view_tko weak %xt[%z, %z] : !t, tile<i32> -> tile<128x128xf32>, token\n"
    "  %zero = constant <f32: 0.0> : tile<128x128xf32>\n"
    "  %c = for %k in (%z to %rounds, step %one) : tile<i32> iter_values(%acc = %zero) -> "
    "(tile<128x128xf32>) {\n"
    "    %next = mmaf %a, %a, %acc : tile<128x128xf32>, tile<128x128xf32>, tile<128x128xf32>\n"
    "    continue %next : tile<128x128xf32>\n"
    "  }\n"
    "  %t1 = store_view_tko weak %c, %yt[%z, %z] : tile<128x128xf32>, !t, tile<i32> -> token\n"
    "} }\n";

/* A program of the above, and what a launch of it touches: the next `window` bytes of x and y. */
typedef struct job {
  const char *text;
  unsigned blocks, tiles, rounds;
  size_t bytes, window;
} job;

/* The shortest of some launches, in seconds; 0 when it cannot be had. */
static double shortest(cli *c, tsr_device *dev, const job *j) {
  double best = 0;
  tsr_module *m =
      tsr_module_parse(c->ctx, j->text, strlen(j->text), "<roofline>", TSR_PARSE_DEFAULT);
  tsr_program *p = m ? tsr_program_create(dev, m) : NULL;
  tsr_kernel *k = p ? tsr_kernel_get(p, NULL) : NULL;
  tsr_buffer *x = tsr_buffer_create(dev, j->bytes), *y = tsr_buffer_create(dev, j->bytes);
  for (size_t i = 0; k && x && y && i < LAUNCHES * j->bytes / j->window; i++) {
    size_t at = i * j->window % j->bytes;
    tsr_arg args[] = {tsr_arg_address((char *)tsr_buffer_data(x) + at),
                      tsr_arg_address((char *)tsr_buffer_data(y) + at),
                      tsr_arg_i64((int64_t)(j->window / sizeof(float))),
                      tsr_arg_i32((int32_t)j->tiles), tsr_arg_i32((int32_t)j->rounds)};
    uint64_t start = clock_ns();
    if (tsr_launch(k, (tsr_grid){j->blocks, 1, 1}, args, ARRAY_LEN(args)) != TSR_OK) break;
    double took = 1e-9 * (double)(clock_ns() - start);
    bool touched = i >= j->bytes / j->window;
    if (touched && (best == 0 || took < best)) best = took;
  }
  tsr_buffer_destroy(x);
  tsr_buffer_destroy(y);
  tsr_program_destroy(p);
  tsr_module_destroy(m);
  return best;
}

/* ---- copying -------------------------------------------------------------------------------- */

/* What the system says a cache has; 0: it doesn't say. */
static size_t cache_bytes(unsigned level) {
  long bytes = 0;
#if defined(_SC_LEVEL1_DCACHE_SIZE)
  static const int name[] = {_SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL2_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE};
  bytes = sysconf(name[level]);
#else
  (void)level;
#endif
  return bytes > 0 ? (size_t)bytes : 0;
}

/* How many tiles a thread copies so that source and destination lie in a cache, and not in the one
 * before; 0: there is no such number, or nothing is known of the cache. The last cache is shared,
 * and systems in virtual machines name more of it than programs get. */
static unsigned tiles_in(unsigned level, unsigned threads) {
  enum { LAST = 2 };
  size_t size = cache_bytes(level), before = level ? cache_bytes(level - 1) : 0,
         of_thread = size / 2;
  if (level == LAST) of_thread = MIN(size / 2 / threads, 4 * before);
  size_t tiles = of_thread / 2 / TILE_BYTES;
  return tiles * 2 * TILE_BYTES > before ? (unsigned)tiles : 0;
}

static double copy_in_cache(cli *c, tsr_device *dev, unsigned threads, unsigned tiles) {
  enum { BYTES = 16 << 20 }; /* a thread's, so that a launch is nothing beside it */
  size_t window = (size_t)threads * tiles * TILE_BYTES;
  unsigned rounds = (unsigned)MAX((size_t)1, BYTES / ((size_t)tiles * TILE_BYTES));
  job j = {copy_text, threads, tiles, rounds, window, window};
  double took = shortest(c, dev, &j);
  return took > 0 ? 2 * (double)window * rounds / took : 0;
}

/* Each launch touches what has left the caches since it was touched last. */
static double copy_in_memory(cli *c, tsr_device *dev) {
  size_t window = (size_t)MEMORY_BLOCKS * MEMORY_TILES * TILE_BYTES;
  job j = {copy_text, MEMORY_BLOCKS, MEMORY_TILES, 1, MEMORY_WINDOWS * window, window};
  double took = shortest(c, dev, &j);
  return took > 0 ? 2 * (double)window / took : 0;
}

/* A level that is measured slower than one behind it was disturbed, and is as fast. */
static void add_level(roofs *r, const char *name, double bytes) {
  for (unsigned i = 0; i < r->n; i++) r->level[i].bytes = MAX(r->level[i].bytes, bytes);
  r->level[r->n++] = (roof_level){name, bytes};
}

static bool measure_copies(cli *c, tsr_device *dev, unsigned threads, roofs *out) {
  static const char *const name[] = {"L1", "L2", "L3"};
  for (unsigned level = 0; level < ARRAY_LEN(name); level++) {
    unsigned tiles = tiles_in(level, threads);
    double bytes = tiles ? copy_in_cache(c, dev, threads, tiles) : 0;
    if (tiles && bytes <= 0) return false;
    if (tiles) add_level(out, name[level], bytes);
  }
  double memory = copy_in_memory(c, dev);
  add_level(out, "memory", memory);
  return memory > 0;
}

/* ---- all of it ------------------------------------------------------------------------------ */

bool roofs_measure(cli *c, tsr_device *dev, unsigned threads, roofs *out) {
  bool profile = dev->cpu.profile;
  double size = MMA_SIZE;
  size_t square = MMA_SIZE * MMA_SIZE * sizeof(float);
  *out = (roofs){0};
  dev->cpu.profile = false;
  bool copied = measure_copies(c, dev, threads, out);
  job j = {mma_text, MMA_BLOCKS, 1, MMA_ROUNDS, square, square};
  double took = copied ? shortest(c, dev, &j) : 0;
  dev->cpu.profile = profile;
  if (took > 0) out->flops = 2 * size * size * size * MMA_ROUNDS * MMA_BLOCKS / took;
  return took > 0;
}

const roof_level *roofs_level(const roofs *r, double bytes) {
  const roof_level *level = &r->level[r->n - 1];
  while (level > r->level && level->bytes < bytes) level--;
  return level;
}

const char *roofs_text(cli *c, const roofs *r) {
  sbuf out = SBUF(&c->arena);
  sbuf_puts(&out, "copying ");
  for (unsigned i = r->n; i-- > 0;) {
    double rate = r->level[i].bytes * 1e-9;
    sbuf_printf(&out, "%.*f GB/s (%s)%s", rate >= 100 ? 0 : 1, rate, r->level[i].name,
                i ? ", " : "; ");
  }
  sbuf_printf(&out, "%.0f GFLOP/s (f32 products)", r->flops * 1e-9);
  return out.data;
}
