/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Micro-kernels that kernels share: their names say all that their code depends on, tiles of other
 * sizes have the same ones, they are compiled once for a device and once for a cache on disk, and
 * what multiplies with those of another kernel is right.
 */
#include "rt_support.h"

#include <limits.h>

#include "cpu/cpu.h"
#include "cpu_extensions.h"
#include "ir/ir.h"
#include "rt/cache.h"
#include "rt/object_cache.h"

/* ---- an object cache that is watched
 * ---------------------------------------------------------------- */

enum { MOST = 64 };

typedef struct kept {
  char name[120];
  char *object;
  size_t size;
  unsigned times;
} kept;

typedef struct watched {
  cpu_object_cache shown;
  const cpu_object_cache
      *next; /* what it asks; NULL: nothing is there, and what comes is remembered */
  kept items[MOST];
  unsigned n, found, came;
} watched;

static str find(void *user, const char *name) {
  watched *w = user;
  if (!w->next) return (str){0};
  str object = w->next->find(w->next->user, name);
  w->found += object.len > 0;
  return object;
}

static void store(void *user, const char *name, str object) {
  watched *w = user;
  w->came++;
  if (w->next) {
    w->next->store(w->next->user, name, object);
    return;
  }
  for (unsigned i = 0; i < w->n; i++) {
    kept *k = &w->items[i];
    if (strcmp(k->name, name) != 0) continue;
    k->times++;
    if (k->size != object.len || memcmp(k->object, object.data, object.len) != 0)
      fail_msg("there are two codes for %s", name);
    return;
  }
  assert_true(w->n < MOST && strlen(name) < sizeof w->items->name);
  kept *k = &w->items[w->n++];
  *k = (kept){.object = malloc(object.len), .size = object.len, .times = 1};
  strcpy(k->name, name);
  memcpy(k->object, object.data, object.len);
}

static watched *watch(watched *w, const cpu_object_cache *next) {
  *w = (watched){.next = next, .shown = {w, find, store}};
  return w;
}

static void forget(watched *w) {
  for (unsigned i = 0; i < w->n; i++) free(w->items[i].object);
}

static const kept *item_of(const watched *w, const char *part) {
  for (unsigned i = 0; i < w->n; i++)
    if (strstr(w->items[i].name, part)) return &w->items[i];
  return NULL;
}

/* ---- names ---------------------------------------------------------------------------------- */

static void compile(watched *w, tsr_module *m, ir_op *entry, cpu_level level, bool extended) {
  cpu_options options = {.isa.level = level,
                         .opt_level = 3,
                         .isa.bf16 = extended && level == CPU_AVX512,
                         .isa.vnni = extended && level != CPU_BASELINE,
                         .object_cache = &w->shown};
  cpu_kernel kernel;
  assert_true(cpu_llvm.compile(m->ctx, m, entry, &options, &kernel));
  cpu_llvm.release(&kernel);
}

static void compile_file(watched *w, tsr_context *ctx, const char *path, cpu_level level,
                         bool extended) {
  tsr_module *m = tsr_module_load(ctx, path, TSR_PARSE_DEFAULT);
  assert_non_null(m);
  for (ir_op *op = ir_region(m->op, 0)->first; op; op = op->next)
    if (op->opcode == OP_entry) compile(w, m, op, level, extended);
  tsr_module_destroy(m);
}

/* out += a[m, k] * b[k, n], for views of whole tiles. */
static void compile_product(watched *w, tsr_context *ctx, const char *elem, const char *sum, int m,
                            int n, int k, cpu_level level) {
  char text[4096];
  const char *op = sum[0] == 'i' ? "mmai" : "mmaf";
  snprintf(text, sizeof text,
           "cuda_tile.module @m { entry @k(%%a: tile<ptr<%1$s>>, %%b: tile<ptr<%1$s>>, "
           "%%c: tile<ptr<%2$s>>) {\n"
           "  %%i = constant <i32: 0> : tile<i32>\n"
           "  %%av = make_tensor_view %%a, shape = [%3$d, %5$d], strides = [%5$d, 1] : "
           "tensor_view<%3$dx%5$dx%1$s, strides=[%5$d,1]>\n"
           "  %%bv = make_tensor_view %%b, shape = [%5$d, %4$d], strides = [%4$d, 1] : "
           "tensor_view<%5$dx%4$dx%1$s, strides=[%4$d,1]>\n"
           "  %%cv = make_tensor_view %%c, shape = [%3$d, %4$d], strides = [%4$d, 1] : "
           "tensor_view<%3$dx%4$dx%2$s, strides=[%4$d,1]>\n"
           "  %%at = make_partition_view %%av : partition_view<tile=(%3$dx%5$d), "
           "tensor_view<%3$dx%5$dx%1$s, strides=[%5$d,1]>>\n"
           "  %%bt = make_partition_view %%bv : partition_view<tile=(%5$dx%4$d), "
           "tensor_view<%5$dx%4$dx%1$s, strides=[%4$d,1]>>\n"
           "  %%ct = make_partition_view %%cv : partition_view<tile=(%3$dx%4$d), "
           "tensor_view<%3$dx%4$dx%2$s, strides=[%4$d,1]>>\n"
           "  %%x, %%t0 = load_view_tko weak %%at[%%i, %%i] : partition_view<tile=(%3$dx%5$d), "
           "tensor_view<%3$dx%5$dx%1$s, strides=[%5$d,1]>>, tile<i32> -> tile<%3$dx%5$dx%1$s>, "
           "token\n"
           "  %%y, %%t1 = load_view_tko weak %%bt[%%i, %%i] : partition_view<tile=(%5$dx%4$d), "
           "tensor_view<%5$dx%4$dx%1$s, strides=[%4$d,1]>>, tile<i32> -> tile<%5$dx%4$dx%1$s>, "
           "token\n"
           "  %%z, %%t2 = load_view_tko weak %%ct[%%i, %%i] : partition_view<tile=(%3$dx%4$d), "
           "tensor_view<%3$dx%4$dx%2$s, strides=[%4$d,1]>>, tile<i32> -> tile<%3$dx%4$dx%2$s>, "
           "token\n"
           "  %%s = %6$s %%x, %%y, %%z %7$s: tile<%3$dx%5$dx%1$s>, tile<%5$dx%4$dx%1$s>, "
           "tile<%3$dx%4$dx%2$s>\n"
           "  %%t3 = store_view_tko weak %%s, %%ct[%%i, %%i] : tile<%3$dx%4$dx%2$s>, "
           "partition_view<tile=(%3$dx%4$d), tensor_view<%3$dx%4$dx%2$s, strides=[%4$d,1]>>, "
           "tile<i32> -> token\n} }\n",
           elem, sum, m, n, k, op, sum[0] == 'i' ? "unsigned signed " : "");
  tsr_module *module = tsr_module_parse(ctx, text, strlen(text), "product", TSR_PARSE_DEFAULT);
  assert_non_null(module);
  compile(w, module, ir_region(module->op, 0)->first, level, true);
  tsr_module_destroy(module);
}

static void names_say_all_of_levels(cpu_level level, bool extended) {
  static const char *const files[] = {"kernels/gemm.mlir", "kernels/gemm_layouts.mlir",
                                      "kernels/attention.mlir", "kernels/gemm_thin.mlir",
                                      "kernels/conv2d.mlir"};
  world w;
  watched seen;
  world_open(&w);
  watch(&seen, NULL);
  for (unsigned i = 0; i < ARRAY_LEN(files); i++)
    compile_file(&seen, w.ctx, files[i], level, extended);
  assert_true(seen.came > seen.n); /* some were wanted twice */
  forget(&seen);
  expect_quiet(&w);
  world_close(&w);
}

/* What has the same name has the same code, whatever kernel asked for it. */
static void names_say_all(void **state) {
  (void)state;
#if defined(__x86_64__)
  names_say_all_of_levels(CPU_BASELINE, false);
  names_say_all_of_levels(CPU_AVX2, true);
  names_say_all_of_levels(CPU_AVX512, false);
  names_say_all_of_levels(CPU_AVX512, true);
#else
  names_say_all_of_levels(CPU_BASELINE, false);
#endif
}

/* All tiles of 32 rows and more (fewer have another for f32), 64 columns and more, with k from 32
 * on: of bf16, from 64; of bytes, from 128. */
static void tiles_of_any_size(void **state) {
  (void)state;
#if defined(__x86_64__)
  static const struct {
    const char *elem, *sum;
    int k;
  } all[] = {{"f32", "f32", 32}, {"bf16", "f32", 64}, {"i8", "i32", 128}, {"f64", "f64", 32}};
  world w;
  world_open(&w);
  for (unsigned i = 0; i < ARRAY_LEN(all); i++) {
    watched seen;
    watch(&seen, NULL);
    for (int m = 32; m <= 256; m *= 2)
      for (int n = 64; n <= 128; n *= 2)
        for (int k = all[i].k; k <= 128; k *= 2)
          compile_product(&seen, w.ctx, all[i].elem, all[i].sum, m, n, k, CPU_AVX512);
    if (seen.n != 1 || seen.came < 8) {
      for (unsigned k = 0; k < seen.n; k++)
        print_error("%s, %u times\n", seen.items[k].name, seen.items[k].times);
      fail_msg("products of %s have %u micro-kernels", all[i].elem, seen.n);
    }
    forget(&seen);
  }
  /* k that is shorter has its own, and so have fewer columns. */
  watched seen;
  watch(&seen, NULL);
  compile_product(&seen, w.ctx, "f32", "f32", 64, 64, 32, CPU_AVX512);
  compile_product(&seen, w.ctx, "f32", "f32", 64, 64, 16, CPU_AVX512);
  compile_product(&seen, w.ctx, "f32", "f32", 64, 32, 32, CPU_AVX512);
  assert_int_equal(seen.n, 3);
  assert_non_null(item_of(&seen, ".6n_4n.4nx16.k32n"));
  assert_non_null(item_of(&seen, ".4x16.k16"));
  assert_non_null(item_of(&seen, ".8n_.2nx16.k32n"));
  forget(&seen);
  expect_quiet(&w);
  world_close(&w);
#endif
}

/* ---- devices -------------------------------------------------------------------------------- */

enum { SIZE = 100 };

/* What a kernel of kernels/gemm.mlir makes of numbers that are exact in any order. */
static void multiply(tsr_device *dev, tsr_module *m, const char *kernel, unsigned tile,
                     float out[SIZE][SIZE]) {
  static float a[SIZE][SIZE], b[SIZE][SIZE];
  for (int i = 0; i < SIZE; i++)
    for (int j = 0; j < SIZE; j++) {
      a[i][j] = (float)((i * 7 + j * 3) % 17 - 8);
      b[i][j] = (float)((i * 5 + j * 11) % 13 - 6);
    }
  memset(out, 0, sizeof(float[SIZE][SIZE]));
  tsr_program *program = tsr_program_create(dev, m);
  tsr_kernel *k = tsr_kernel_get(program, kernel);
  assert_non_null(k);
  tsr_buffer *buffers[] = {tsr_buffer_wrap(dev, a, sizeof a), tsr_buffer_wrap(dev, b, sizeof b),
                           tsr_buffer_wrap(dev, out, sizeof(float[SIZE][SIZE]))};
  tsr_arg args[] = {tsr_arg_buffer(buffers[0]), tsr_arg_buffer(buffers[1]),
                    tsr_arg_buffer(buffers[2]), tsr_arg_i32(SIZE),
                    tsr_arg_i32(SIZE),          tsr_arg_i32(SIZE)};
  unsigned blocks = (SIZE + tile - 1) / tile;
  assert_int_equal(tsr_launch(k, (tsr_grid){blocks, blocks, 1}, args, 6), TSR_OK);
  for (unsigned i = 0; i < ARRAY_LEN(buffers); i++) tsr_buffer_destroy(buffers[i]);
  tsr_program_destroy(program);
}

typedef struct scene {
  world w;
  tsr_module *module;
  float expected[SIZE][SIZE];
  char folder[40];
} scene;

static void scene_open(scene *s) {
  world_open(&s->w);
  s->module = tsr_module_load(s->w.ctx, "kernels/gemm.mlir", TSR_PARSE_DEFAULT);
  assert_non_null(s->module);
  tsr_device *interp = tsr_device_open(s->w.ctx, "interp", NULL);
  multiply(interp, s->module, "gemm_f32_64x64x64", 64, s->expected);
  tsr_device_close(interp);
  strcpy(s->folder, "/tmp/tessera-object-cache-XXXXXX");
  assert_non_null(mkdtemp(s->folder));
}

static void scene_close(scene *s) {
  char command[80];
  snprintf(command, sizeof command, "rm -rf '%s'", s->folder);
  assert_int_equal(system(command), 0);
  tsr_module_destroy(s->module);
  expect_quiet(&s->w);
  world_close(&s->w);
}

static tsr_device *open_device(scene *s, const char *folder) {
  tsr_device_options options = {.struct_size = sizeof options, .cache_dir = folder, .threads = 2};
  tsr_device *dev = tsr_device_open(s->w.ctx, "cpu", &options);
  assert_non_null(dev);
  return dev;
}

static void multiply_watched(scene *s, tsr_device *dev, watched *w, const char *kernel,
                             unsigned tile) {
  float out[SIZE][SIZE];
  const cpu_object_cache *own = dev->cpu.object_cache;
  dev->cpu.object_cache = &watch(w, own)->shown;
  multiply(dev, s->module, kernel, tile, out);
  dev->cpu.object_cache = own;
  assert_memory_equal(out, s->expected, sizeof out);
}

static void a_device_compiles_them_once(void **state) {
  (void)state;
  scene s;
  watched w;
  scene_open(&s);
  tsr_device *dev = open_device(&s, "");
  multiply_watched(&s, dev, &w, "gemm_f32_128x128x64", 128);
  assert_true(w.found == 0 && w.came == 1);
  multiply_watched(&s, dev, &w, "gemm_f32_64x64x64", 64);
  assert_true(w.found == 1 && w.came == 0);
  multiply_watched(&s, dev, &w, "gemm_f32_64x64x64", 64); /* another program's */
  assert_true(w.found == 1 && w.came == 0);
  tsr_device_close(dev);
  dev = open_device(&s, "");
  multiply_watched(&s, dev, &w, "gemm_f32_128x256x64", 128);
  tsr_device_close(dev);
  assert_true(w.found == 0 && w.came == 1);
  scene_close(&s);
}

static void count(void *user, const cache_item *item) {
  unsigned *n = user;
  *n += item->key.len > 0;
}

static unsigned entries_in(scene *s) {
  cache c;
  arena a;
  unsigned n = 0;
  arena_init(&a, s->w.ctx);
  setenv("TESSERA_CACHE", "on", 1);
  assert_true(cache_open(s->w.ctx, s->folder, &c));
  cache_walk(&c, &a, true, count, &n);
  arena_free(&a);
  return n;
}

static void so_does_the_cache_on_disk(void **state) {
  (void)state;
  scene s;
  watched w;
  scene_open(&s);
  setenv("TESSERA_CACHE", "on", 1);
  tsr_device *dev = open_device(&s, s.folder);
  multiply_watched(&s, dev, &w, "gemm_f32_128x128x64", 128);
  tsr_device_close(dev);
  assert_true(w.found == 0 && w.came == 1);
  assert_int_equal(entries_in(&s), 2);
  dev = open_device(&s, s.folder);
  multiply_watched(&s, dev, &w, "gemm_f32_64x64x64", 64);
  assert_true(w.found == 1 && w.came == 0);
  assert_int_equal(entries_in(&s), 3);
  tsr_device_close(dev);
  unsetenv("TESSERA_CACHE");
  scene_close(&s);
}

enum { THINGS = 40 };

static const char *name_of_thing(unsigned i, char name[20]) {
  snprintf(name, 20, "thing %u", i);
  return name;
}

/* False: memory ran out. */
static bool fill(tsr_context *ctx, const cpu_object_cache *object_cache) {
  char name[20];
  TSR_GUARD(ctx, return false);
  for (unsigned i = 0; i < THINGS; i++)
    object_cache->store(object_cache->user, name_of_thing(i, name), STR("an object"));
  TSR_UNGUARD(ctx);
  return true;
}

/* How many are there, each as it was. */
static unsigned count_things(const cpu_object_cache *object_cache) {
  unsigned n = 0;
  char name[20];
  for (unsigned i = 0; i < THINGS; i++) {
    str is = object_cache->find(object_cache->user, name_of_thing(i, name));
    if (!is.len) continue;
    assert_true(str_is(is, "an object"));
    assert_int_equal((uintptr_t)is.data % 8, 0);
    n++;
  }
  return n;
}

/* Wherever memory runs out, what is there is whole, and all is given back. */
static void memory_runs_out(void **state) {
  (void)state;
  bool done = false;
  long failures = 0;
  while (!done) {
    world w;
    world_open(&w);
    tsr_device_options options = {.struct_size = sizeof options, .cache_dir = ""};
    tsr_device *dev = tsr_device_open(w.ctx, "cpu", &options);
    assert_non_null(dev);
    w.allocations = 0;
    w.fail_at = failures + 1;
    done = fill(w.ctx, dev->cpu.object_cache);
    w.fail_at = 0;
    failures += !done;
    unsigned there = count_things(dev->cpu.object_cache);
    assert_true(done ? there == THINGS : there < THINGS);
    tsr_device_close(dev);
    world_close(&w);
  }
  assert_true(failures > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_say_all),
      cmocka_unit_test(tiles_of_any_size),
      cmocka_unit_test(a_device_compiles_them_once),
      cmocka_unit_test(so_does_the_cache_on_disk),
      cmocka_unit_test(memory_runs_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
