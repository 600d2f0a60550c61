/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Kernels of CK Tile's manual in its own vocabulary (tessera/block_tile.h): the block GEMM, the
 * thread mapping of RMSNorm, an XOR preshuffle and Morton order in shared memory. Each is checked.
 *
 *   ck_tile [device …]      "cpu" where none is named; "interp" interprets and looks for hazards
 *
 * Where the manual's listing would not work, a comment says what it has there. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tessera/block_tile.h>
#include <tessera/tessera.h>

static tsr_value integer(tsr_builder *b, int64_t value) {
  return tsr_build_int(b, tsr_type_scalar(b, TSR_I32), value);
}

/* Where this block's tile begins: the block's number along one dimension of the grid times a size.
 */
static tsr_value block_origin(tsr_builder *b, unsigned dim, int64_t size) {
  return tsr_build_muli(b, tsr_result_of(tsr_build_get_tile_block_id(b), dim), integer(b, size));
}

/* ---- a block GEMM --------------------------------------------------------------------------- */

/* C = A * transpose(B). The manual distributes A, B and C by one encoding, of 256 x 256 elements;
 * the windows of A and B are 128 x 32 here and that of C is 128 x 128, so each has its own. It
 * keeps A and B in distributed tensors called LDS, which are registers of single threads; here they
 * lie in shared memory, two slots of each. It sums in the type of C; here in f32. */
enum { M_PER_BLOCK = 128, N_PER_BLOCK = 128, K_PER_BLOCK = 32, K_PACK = 8 };
enum { GEMM_M = 192, GEMM_N = 160, GEMM_K = 104 };

static void build_gemm(tsr_builder *b) {
  tsr_type ptr = tsr_type_pointer(b, TSR_BF16), i32 = tsr_type_scalar(b, TSR_I32);
  tsr_build_threads(b, tsr_build_entry(b, "gemm", TSR_TYPES(ptr, ptr, ptr, i32, i32, i32)), 256);
  tsr_value m = tsr_build_arg(b, 3), n = tsr_build_arg(b, 4), k = tsr_build_arg(b, 5);
  tsr_value zero = integer(b, 0), one = integer(b, 1), k_per_block = integer(b, K_PER_BLOCK);

  /* 8 warps of 8 rows with 4 vectors of 8 elements; of C 2 rows with 16 vectors. */
  tsr_layout rows = tsr_block_distribution(
      b, "encoding(Rs=[], Hs=[[2, 8, 8], [4, 8]], Ps=[[(1, 1)], [(1, 2), (2, 0)]], "
         "Ys=[(1, 0), (2, 1)])");
  tsr_layout out = tsr_block_distribution(
      b, "encoding(Rs=[], Hs=[[8, 8, 2], [16, 8]], Ps=[[(1, 1)], [(1, 2), (2, 0)]], "
         "Ys=[(1, 0), (2, 1)])");
  tsr_layout sums = tsr_block_gemm_distribution(b, "mma.m16n8k16", M_PER_BLOCK, N_PER_BLOCK, 2, 4);
  tsr_descriptor preshuffled;
  tsr_descriptor_xor_preshuffle(&preshuffled, M_PER_BLOCK, K_PER_BLOCK, K_PACK, 2, NULL);

  tsr_value a_view =
      tsr_block_tensor_view(b, tsr_build_arg(b, 0), TSR_VALUES(m, k), TSR_VALUES(k, one));
  tsr_value b_view =
      tsr_block_tensor_view(b, tsr_build_arg(b, 1), TSR_VALUES(n, k), TSR_VALUES(k, one));
  tsr_value c_view =
      tsr_block_tensor_view(b, tsr_build_arg(b, 2), TSR_VALUES(m, n), TSR_VALUES(n, one));
  tsr_value row = block_origin(b, 1, M_PER_BLOCK), column = block_origin(b, 0, N_PER_BLOCK);
  tsr_block_window a_window = tsr_block_tile_window(b, a_view, TSR_VALUES(row, zero), &rows);
  tsr_block_window b_window = tsr_block_tile_window(b, b_view, TSR_VALUES(column, zero), &rows);
  tsr_value a_lds = tsr_block_lds_view(b, TSR_BF16, 2, &preshuffled);
  tsr_value b_lds = tsr_block_lds_view(b, TSR_BF16, 2, &preshuffled);

  /* Preload the first tile. */
  tsr_block_window a_slot = tsr_block_lds_window(b, a_lds, zero, NULL);
  tsr_block_window b_slot = tsr_block_lds_window(b, b_lds, zero, NULL);
  tsr_block_async_load_tile(b, &a_slot, &a_window);
  tsr_block_async_load_tile(b, &b_slot, &b_window);
  tsr_build_cp_async_commit(b);

  /* The manual counts K / KPerBlock tiles and leaves the rest of K out. */
  tsr_value tiles = tsr_build_divi(b, k, k_per_block, TSR_UNSIGNED, TSR_ROUND_POSITIVE_INF);
  tsr_value acc = tsr_block_filled_tile(b, TSR_F32, &sums, 0);
  tsr_op *loop = tsr_build_for(b, zero, tiles, one, TSR_VALUES(acc));
  tsr_value tile = tsr_build_arg(b, 0), current = tsr_build_andi(b, tile, one);
  acc = tsr_build_arg(b, 1);
  /* The manual starts a load into what may still be read, and waits for it with a barrier alone:
   * the copies of this tile have to be waited for, and all threads to be done with the last. */
  tsr_block_sync_async(b, 0);
  /* Prefetch the next tile while this one is multiplied; behind the last there are zeros. */
  tsr_value next = tsr_build_xori(b, current, one);
  tsr_value by = tsr_build_muli(b, tsr_build_addi(b, tile, one), k_per_block);
  tsr_block_window a_next = a_window, b_next = b_window;
  tsr_block_move_tile_window(b, &a_next, TSR_VALUES(zero, by));
  tsr_block_move_tile_window(b, &b_next, TSR_VALUES(zero, by));
  a_slot = tsr_block_lds_window(b, a_lds, next, NULL);
  b_slot = tsr_block_lds_window(b, b_lds, next, NULL);
  tsr_block_async_load_tile(b, &a_slot, &a_next);
  tsr_block_async_load_tile(b, &b_slot, &b_next);
  tsr_build_cp_async_commit(b);
  a_slot = tsr_block_lds_window(b, a_lds, current, NULL);
  b_slot = tsr_block_lds_window(b, b_lds, current, NULL);
  tsr_build_continue(b, TSR_VALUES(tsr_block_gemm(b, &a_slot, &b_slot, acc)));
  tsr_build_end(b);
  tsr_build_cp_async_wait(b, 0);

  tsr_block_window c_window = tsr_block_tile_window(b, c_view, TSR_VALUES(row, column), &out);
  tsr_block_epilogue_store(b, &c_window, tsr_op_result(loop, 0));
  tsr_build_end(b);
}

static double gemm_a(int64_t row, int64_t k) {
  return (double)((row * 7 + k * 3) % 5 - 2);
}

static double gemm_b(int64_t column, int64_t k) {
  return (double)((column * 5 + k * 2) % 7 - 3);
}

/* ---- RMSNorm -------------------------------------------------------------------------------- */

/* The manual's mapping: 4 x 4 repeats, 2 x 2 warps, 8 x 8 threads, 4 x 4 elements, which are 256
 * rows of 256 elements (it counts 4096, without the repeats). Its kernel names an encoding of rank
 * 2 for windows of rank 1, which is none, and its last warp sums what other lanes have. */
enum { ROWS = 300, HIDDEN = 200, ROWS_PER_BLOCK = 256 };
static const char mapping[] = "encoding(Rs=[], Hs=[[4, 2, 8, 4], [4, 2, 8, 4]], "
                              "Ps=[[(1, 1), (2, 1)], [(1, 2), (2, 2)]], "
                              "Ys=[(1, 0), (1, 3), (2, 0), (2, 3)])";

static void build_rmsnorm(tsr_builder *b) {
  tsr_type ptr = tsr_type_pointer(b, TSR_F16), f32 = tsr_type_scalar(b, TSR_F32);
  tsr_build_threads(b, tsr_build_entry(b, "rmsnorm", TSR_TYPES(ptr, ptr, ptr, f32)), 256);
  tsr_value zero = integer(b, 0), one = integer(b, 1), row = block_origin(b, 0, ROWS_PER_BLOCK);
  tsr_value rows = integer(b, ROWS), hidden = integer(b, HIDDEN);

  tsr_layout dist = tsr_block_distribution(b, mapping), across;
  tsr_layout_reduce(&across, &dist, 1, (int32_t[]){0}, false, NULL); /* of the weights */
  tsr_block_window window[2];
  for (unsigned i = 0; i < 2; i++) /* x, y */
    window[i] = tsr_block_tile_window(b,
                                      tsr_block_tensor_view(b, tsr_build_arg(b, 2 * i),
                                                            TSR_VALUES(rows, hidden),
                                                            TSR_VALUES(hidden, one)),
                                      TSR_VALUES(row, zero), &dist);
  tsr_value weights =
      tsr_block_tensor_view(b, tsr_build_arg(b, 1), TSR_VALUES(hidden), TSR_VALUES(one));
  tsr_block_window w_window = tsr_block_tile_window(b, weights, TSR_VALUES(zero), &across);

  tsr_value x = tsr_block_cast_tile(b, tsr_block_load_tile(b, &window[0]), TSR_F32);
  tsr_value w = tsr_block_cast_tile(b, tsr_block_load_tile(b, &w_window), TSR_F32);
  tsr_value sum = tsr_block_reduce_tile(b, tsr_build_mulf(b, x, x), 1, TSR_BLOCK_SUM);
  tsr_value mean = tsr_build_divf(b, sum, tsr_build_real(b, tsr_value_type(sum), HIDDEN));
  tsr_value epsilon = tsr_build_splat(b, tsr_build_arg(b, 3), TSR_INTS(ROWS_PER_BLOCK));
  tsr_value rms = tsr_build_rsqrt(b, tsr_build_addf(b, mean, epsilon));
  tsr_value y = tsr_build_mulf(b, x, tsr_block_spread_tile(b, rms, 1, x));
  y = tsr_build_mulf(b, y, tsr_block_spread_tile(b, w, 0, x));
  tsr_block_store_tile(b, &window[1], tsr_block_cast_tile(b, y, TSR_F16));
  tsr_build_end(b);
}

/* ---- XOR preshuffle ------------------------------------------------------------------------- */

/* A tile goes to shared memory by rows and comes back by columns. Vectors of KPack elements lie
 * where XOR with the row's number puts them; the manual writes all of them to layer 0. */
enum { SWAP_M = 64, SWAP_K = 32, SWAP_PACK = 4, SWAP_LAYERS = 2 };

static void build_swap(tsr_builder *b) {
  tsr_type ptr = tsr_type_pointer(b, TSR_F32);
  tsr_build_threads(b, tsr_build_entry(b, "swap", TSR_TYPES(ptr, ptr)), 128);
  tsr_value zero = integer(b, 0), one = integer(b, 1);
  tsr_value m = integer(b, SWAP_M), k = integer(b, SWAP_K);

  tsr_layout by_rows = tsr_block_distribution(b, "local(4, 1).spatial(16, 8).local(1, 4)");
  tsr_layout by_columns =
      tsr_block_distribution(b, "local(1, 4).column_spatial(16, 8).local(4, 1)");
  tsr_descriptor lds;
  tsr_descriptor_xor_preshuffle(&lds, SWAP_M, SWAP_K, SWAP_PACK, SWAP_LAYERS, NULL);

  tsr_value a = tsr_block_tensor_view(b, tsr_build_arg(b, 0), TSR_VALUES(m, k), TSR_VALUES(k, one));
  tsr_value t = tsr_block_tensor_view(b, tsr_build_arg(b, 1), TSR_VALUES(m, k), TSR_VALUES(one, m));
  tsr_block_window from = tsr_block_tile_window(b, a, TSR_VALUES(zero, zero), &by_rows);
  tsr_block_window to = tsr_block_tile_window(b, t, TSR_VALUES(zero, zero), &by_columns);
  tsr_block_window swapped =
      tsr_block_lds_window(b, tsr_block_lds_view(b, TSR_F32, 0, &lds), NULL, &by_columns);

  tsr_block_store_tile(b, &swapped, tsr_block_load_tile(b, &from));
  tsr_build_barrier(b);
  tsr_block_store_tile(b, &to, tsr_block_load_tile(b, &swapped));
  tsr_build_end(b);
}

/* ---- Morton order --------------------------------------------------------------------------- */

/* 16 x 16 elements lie in shared memory in Morton tiles of 4 x 4 (the manual's comment says so, its
 * code keeps them row-major). Thread (y, x) takes the element that has its place in the tile in
 * Morton order, and stores it at (y, x). */
enum { IMAGE = 40, BLOCK_SIZE = 16, TILE_SIZE = 4 };

static void build_morton(tsr_builder *b) {
  tsr_type ptr = tsr_type_pointer(b, TSR_F32);
  tsr_build_threads(b, tsr_build_entry(b, "morton", TSR_TYPES(ptr, ptr)), 256);
  tsr_value one = integer(b, 1), size = integer(b, IMAGE);
  tsr_value y = block_origin(b, 1, BLOCK_SIZE), x = block_origin(b, 0, BLOCK_SIZE);

  tsr_layout threads = tsr_block_distribution(b, "spatial(16, 16)");
  tsr_layout morton =
      tsr_block_distribution(b, "encoding(Rs=[], Hs=[[4, 2, 2], [4, 2, 2]], "
                                "Ps=[[(1, 0), (1, 1), (2, 1), (2, 0), (1, 2), (2, 2)]], Ys=[])");
  tsr_descriptor tiles;
  tsr_descriptor_morton(&tiles, BLOCK_SIZE, BLOCK_SIZE, TILE_SIZE, NULL);

  tsr_block_window window[2];
  for (unsigned i = 0; i < 2; i++) /* input, output */
    window[i] =
        tsr_block_tile_window(b,
                              tsr_block_tensor_view(b, tsr_build_arg(b, i), TSR_VALUES(size, size),
                                                    TSR_VALUES(size, one)),
                              TSR_VALUES(y, x), &threads);
  tsr_block_window smem =
      tsr_block_lds_window(b, tsr_block_lds_view(b, TSR_F32, 0, &tiles), NULL, &morton);

  tsr_block_store_tile(b, &smem, tsr_block_load_tile(b, &window[0]));
  tsr_build_barrier(b);
  tsr_value value = tsr_block_load_tile(b, &smem);
  tsr_type own = tsr_type_distributed(b, TSR_F32, &threads);
  tsr_block_store_tile(b, &window[1], tsr_build_reinterpret(b, value, own));
  tsr_build_end(b);
}

/* ---- checks --------------------------------------------------------------------------------- */

static uint64_t rounded(tsr_elem elem, double value) {
  return tsr_scalar_real(elem, value).bits;
}

typedef struct problem {
  tsr_device *device;
  tsr_program *program;
} problem;

/* Memory of the host, which the kernel gets a copy of; the last of `n` is copied back. */
typedef struct array {
  void *data;
  size_t bytes;
} array;
#define ARRAY(a) ((array){a, sizeof a})

static bool launch(const problem *p, const char *name, tsr_grid grid, unsigned n,
                   const array *arrays, unsigned scalars, const tsr_arg *others) {
  tsr_buffer *buffers[3];
  tsr_arg args[6];
  tsr_kernel *kernel = tsr_kernel_get(p->program, name);
  bool good = kernel != NULL;
  for (unsigned i = 0; i < n; i++) {
    buffers[i] = tsr_buffer_create(p->device, arrays[i].bytes);
    good = good && tsr_buffer_write(buffers[i], 0, arrays[i].data, arrays[i].bytes) == TSR_OK;
    args[i] = tsr_arg_buffer(buffers[i]);
  }
  for (unsigned i = 0; i < scalars; i++) args[n + i] = others[i];
  good = good && tsr_launch(kernel, grid, args, n + scalars) == TSR_OK &&
         tsr_buffer_read(buffers[n - 1], 0, arrays[n - 1].data, arrays[n - 1].bytes) == TSR_OK;
  for (unsigned i = 0; i < n; i++) tsr_buffer_destroy(buffers[i]);
  return good;
}

/* Each returns how many elements are wrong, or -1 when it could not be run. */
static int run_gemm(const problem *p) {
  static uint16_t a[GEMM_M * GEMM_K], bt[GEMM_N * GEMM_K], c[GEMM_M * GEMM_N];
  for (int i = 0; i < GEMM_M * GEMM_K; i++)
    a[i] = (uint16_t)rounded(TSR_BF16, gemm_a(i / GEMM_K, i % GEMM_K));
  for (int i = 0; i < GEMM_N * GEMM_K; i++)
    bt[i] = (uint16_t)rounded(TSR_BF16, gemm_b(i / GEMM_K, i % GEMM_K));
  memset(c, 0xff, sizeof c);
  array arrays[] = {ARRAY(a), ARRAY(bt), ARRAY(c)};
  tsr_arg sizes[] = {tsr_arg_i32(GEMM_M), tsr_arg_i32(GEMM_N), tsr_arg_i32(GEMM_K)};
  if (!launch(p, "gemm", (tsr_grid){2, 2, 1}, 3, arrays, 3, sizes)) return -1;
  int wrong = 0;
  for (int i = 0; i < GEMM_M * GEMM_N; i++) {
    double sum = 0;
    for (int k = 0; k < GEMM_K; k++) sum += gemm_a(i / GEMM_N, k) * gemm_b(i % GEMM_N, k);
    wrong += c[i] != rounded(TSR_BF16, sum);
  }
  return wrong;
}

static double norm_x(int i) {
  return (i * 37 % 101 - 50) / 16.0;
}

static int run_rmsnorm(const problem *p) {
  static uint16_t x[ROWS * HIDDEN], y[ROWS * HIDDEN], weights[HIDDEN];
  for (int i = 0; i < ROWS * HIDDEN; i++) x[i] = (uint16_t)rounded(TSR_F16, norm_x(i));
  for (int i = 0; i < HIDDEN; i++) weights[i] = (uint16_t)rounded(TSR_F16, 1 + i % 4 * 0.25);
  array arrays[] = {ARRAY(x), ARRAY(weights), ARRAY(y)};
  tsr_arg epsilon = tsr_arg_f32(0.5f);
  if (!launch(p, "rmsnorm", (tsr_grid){2, 1, 1}, 3, arrays, 1, &epsilon)) return -1;
  int wrong = 0;
  for (int r = 0; r < ROWS; r++) {
    double sum = 0;
    for (int i = 0; i < HIDDEN; i++) sum += norm_x(r * HIDDEN + i) * norm_x(r * HIDDEN + i);
    double square = sum / HIDDEN + 0.5, root = 1;
    for (int i = 0; i < 64; i++) root = (root + square / root) / 2;
    for (int i = 0; i < HIDDEN; i++) {
      double want = norm_x(r * HIDDEN + i) / root * (1 + i % 4 * 0.25);
      uint16_t low = (uint16_t)rounded(TSR_F16, want - fabs(want) * 1e-5);
      uint16_t high = (uint16_t)rounded(TSR_F16, want + fabs(want) * 1e-5);
      wrong += y[r * HIDDEN + i] != low && y[r * HIDDEN + i] != high;
    }
  }
  return wrong;
}

static int run_swap(const problem *p) {
  static float from[SWAP_M * SWAP_K], to[SWAP_K * SWAP_M];
  for (int i = 0; i < SWAP_M * SWAP_K; i++) from[i] = (float)i;
  array arrays[] = {ARRAY(from), ARRAY(to)};
  if (!launch(p, "swap", (tsr_grid){1, 1, 1}, 2, arrays, 0, NULL)) return -1;
  int wrong = 0;
  for (int i = 0; i < SWAP_M * SWAP_K; i++)
    wrong += to[i % SWAP_K * SWAP_M + i / SWAP_K] != (float)i;
  return wrong;
}

/* The bits of the row are the odd ones of the index. */
static int morton_row(int index) {
  return (index >> 3 & 1) << 1 | (index >> 1 & 1);
}

static int morton_column(int index) {
  return (index >> 2 & 1) << 1 | (index & 1);
}

static int run_morton(const problem *p) {
  static float in[IMAGE * IMAGE], out[IMAGE * IMAGE];
  for (int i = 0; i < IMAGE * IMAGE; i++) in[i] = (float)i;
  array arrays[] = {ARRAY(in), ARRAY(out)};
  if (!launch(p, "morton", (tsr_grid){3, 3, 1}, 2, arrays, 0, NULL)) return -1;
  int wrong = 0;
  for (int y = 0; y < IMAGE; y++)
    for (int x = 0; x < IMAGE; x++) {
      int index = y % TILE_SIZE * TILE_SIZE + x % TILE_SIZE;
      int row = y / TILE_SIZE * TILE_SIZE + morton_row(index);
      int column = x / TILE_SIZE * TILE_SIZE + morton_column(index);
      wrong += out[y * IMAGE + x] != in[row * IMAGE + column];
    }
  return wrong;
}

static tsr_module *build(tsr_context *ctx) {
  tsr_builder *b = tsr_builder_create(ctx, "ck_tile");
  build_gemm(b);
  build_rmsnorm(b);
  build_swap(b);
  build_morton(b);
  return tsr_builder_finish(b);
}

static int run(tsr_context *ctx, tsr_module *module, const char *name) {
  static const struct {
    const char *name;
    int (*run)(const problem *p);
  } kernels[] = {
      {"gemm", run_gemm}, {"rmsnorm", run_rmsnorm}, {"swap", run_swap}, {"morton", run_morton}};
  tsr_device_options options = {.struct_size = sizeof options};
  if (strcmp(name, "interp") == 0) options.sanitize = TSR_SANITIZE_ALL;
  problem p = {.device = tsr_device_open(ctx, name, &options)};
  p.program = tsr_program_create(p.device, module);
  int failed = p.program == NULL;
  for (size_t i = 0; p.program && i < sizeof kernels / sizeof *kernels; i++) {
    int wrong = kernels[i].run(&p);
    printf("%s on '%s': %s\n", kernels[i].name, name,
           wrong < 0 ? "not run"
           : wrong   ? "wrong"
                     : "right");
    failed |= wrong != 0;
  }
  tsr_program_destroy(p.program);
  tsr_device_close(p.device);
  return failed;
}

int main(int argc, char **argv) {
  tsr_context_options options = {sizeof options, tsr_diagnostic_print, NULL, NULL, 0};
  tsr_context *ctx = tsr_context_create(&options);
  tsr_module *module = build(ctx);
  int failed = module == NULL;
  if (module && argc < 2) failed = run(ctx, module, "cpu");
  for (int i = 1; module && i < argc; i++) failed |= run(ctx, module, argv[i]);
  tsr_module_destroy(module);
  tsr_context_destroy(ctx);
  return failed;
}
