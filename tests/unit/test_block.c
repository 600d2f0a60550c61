/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Kernels of the block level on CPUs, where threads are erased: by the interpreter, which is the
 * definition, by compiled code, and by the interpreter again without threads, where the sanitizer
 * looks whether tokens say the order of the program. All leave the same bytes.
 */
#include "cpu_extensions.h"
#include "rt_support.h"
#include "run_program.h"

enum { BYTES = 1 << 14 };

/* What a kernel is given: @k(%x: ptr, %y: ptr, %m: i32, %n: i32), on two buffers of BYTES. */
typedef struct block_case {
  const char *text;
  int32_t m, n;
  tsr_grid grid;
  int scratch; /* whether shared memory is left as memory */
  bool races;  /* tile blocks with each other */
} block_case;

static const struct engine {
  const char *name, *target, *level;
} engines[] = {{"cpu baseline", "cpu", "baseline"},
               {"cpu avx2", "cpu", "avx2"},
               {"cpu avx512", "cpu", "avx512"}};

static unsigned n_engines(void) {
  const char *plugin = getenv("TESSERA_LLVM_PLUGIN");
  if (!plugin || !*plugin) return 0; /* built without LLVM */
  return 1 + cpu_has_level(CPU_AVX2) + cpu_has_level(CPU_AVX512);
}

typedef struct memory {
  unsigned char x[BYTES], y[BYTES];
} memory;

/* Small numbers, so that sums are exact whatever their order; bytes, also as tf32. */
static void fill_f32(memory *m) {
  for (unsigned i = 0; i < BYTES / 4; i++) {
    float a = (float)((int)(i * 7 % 23) - 11), b = (float)((int)(i * 5 % 19) - 9);
    memcpy(m->x + 4 * i, &a, 4);
    memcpy(m->y + 4 * i, &b, 4);
  }
}

static void fill_bytes(memory *m) {
  for (unsigned i = 0; i < BYTES; i++) {
    m->x[i] = (unsigned char)(i % 4 ? i * 37 % 113 : 0) & (i % 4 == 1 ? 0xe0 : 0xff);
    m->y[i] = (unsigned char)(i % 4 ? i * 11 % 97 : 0) & (i % 4 == 1 ? 0xe0 : 0xff);
  }
}

static void fail_with(const char *text, const char *message) {
  puts(text);
  puts(message);
  fail();
}

/* Runs text on a device; `checks`: the sanitizer's. */
static void run_text(const char *text, const block_case *c, const char *target, const char *level,
                     uint32_t checks, memory *at) {
  world w;
  world_open(&w);
  tsr_module *m = tsr_module_parse(w.ctx, text, strlen(text), "test", TSR_PARSE_DEFAULT);
  if (!m) fail_with(text, w.messages);
  tsr_device_options options = {.struct_size = sizeof options,
                                .cpu = level,
                                .threads = 1,
                                .cache_dir = "",
                                .sanitize = checks};
  tsr_device *device = tsr_device_open(w.ctx, target, &options);
  tsr_program *program = tsr_program_create(device, m);
  tsr_kernel *kernel = tsr_kernel_get(program, "k");
  if (!kernel) fail_with(text, w.messages);
  tsr_buffer *x = tsr_buffer_wrap(device, at->x, BYTES), *y = tsr_buffer_wrap(device, at->y, BYTES);
  tsr_arg args[] = {tsr_arg_buffer(x), tsr_arg_buffer(y), tsr_arg_i32(c->m), tsr_arg_i32(c->n)};
  if (tsr_launch(kernel, c->grid, args, 4) != TSR_OK) fail_with(text, w.messages);
  tsr_buffer_destroy(x);
  tsr_buffer_destroy(y);
  tsr_program_destroy(program);
  tsr_device_close(device);
  tsr_module_destroy(m);
  if (checks && !strstr(w.messages, "nothing found")) fail_with(text, w.messages);
  if (checks) world_forget(&w);
  expect_quiet(&w);
  world_close(&w);
}

/* Without threads; the caller frees it. */
static char *erased(const char *text) {
  world w;
  world_open(&w);
  tsr_module *m = tsr_module_parse(w.ctx, text, strlen(text), "test", TSR_PARSE_DEFAULT);
  if (!m) fail_with(text, w.messages);
  char *printed = tsr_module_emit(m, TSR_EMIT_TILE, NULL, NULL);
  if (!printed) fail_with(text, w.messages);
  char *copy = strdup(printed);
  tsr_string_free(w.ctx, printed);
  tsr_module_destroy(m);
  world_close(&w);
  return copy;
}

static void compare(const memory *got, const memory *expected, const char *text, const char *name) {
  for (unsigned i = 0; i < BYTES; i++)
    if (got->x[i] != expected->x[i] || got->y[i] != expected->y[i]) {
      puts(text);
      fail_msg("%s: byte %u is %u and %u, expected %u and %u", name, i, got->x[i], got->y[i],
               expected->x[i], expected->y[i]);
    }
}

static void check(const block_case *c, void (*fill)(memory *)) {
  static memory expected, got;
  fill(&expected);
  run_text(c->text, c, "interp", NULL, 0, &expected);
  char *tile = erased(c->text);
  if (c->scratch != (strstr(tile, "alloca") != NULL)) fail_with(c->text, tile);
  fill(&got);
  run_text(tile, c, "interp", NULL, TSR_SANITIZE_INIT | (c->races ? 0 : TSR_SANITIZE_RACE), &got);
  compare(&got, &expected, tile, "interp without threads");
  for (unsigned e = 0; e < n_engines(); e++) {
    fill(&got);
    run_text(c->text, c, engines[e].target, engines[e].level, 0, &got);
    compare(&got, &expected, tile, engines[e].name);
  }
  free(tile);
}

/* A kernel of 32 threads with two views of %m x %n f32, and the numbers 0 to 4, 8, 16, 32. */
#define TYPES                                                                                      \
  "#l = layout<spatial(16, 2).local(1, 8)>\n!t = tile<16x16xf32, #l>\n"                            \
  "!v = tensor_view<?x?xf32, strides=[?,1]>\n!s = shared<16x16xf32>\n"
#define NUMBERS                                                                                    \
  "%c0 = constant <i32: 0> : tile<i32>\n%c1 = constant <i32: 1> : tile<i32>\n"                     \
  "%c2 = constant <i32: 2> : tile<i32>\n%c3 = constant <i32: 3> : tile<i32>\n"                     \
  "%c4 = constant <i32: 4> : tile<i32>\n%c8 = constant <i32: 8> : tile<i32>\n"                     \
  "%c16 = constant <i32: 16> : tile<i32>\n%c32 = constant <i32: 32> : tile<i32>\n"
#define BEGIN                                                                                      \
  "cuda_tile.module @m { entry @k(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %m: tile<i32>, "         \
  "%n: tile<i32>) threads(32) {\n" NUMBERS                                                         \
  "%vx = make_tensor_view %x, shape = [%m, %n], strides = [%n, 1] : tile<i32> -> !v\n"             \
  "%vy = make_tensor_view %y, shape = [%m, %n], strides = [%n, 1] : tile<i32> -> !v\n"             \
  "%bx, %by, %bz = get_tile_block_id : tile<i32>\n"                                                \
  "%i = muli %bx, %c16 : tile<i32>\n%j = muli %by, %c16 : tile<i32>\n"
#define END "return\n}}\n"

/* ---- accesses ------------------------------------------------------------------------------- */

static void test_offsets(void **state) {
  (void)state;
  static const char *const offsets[] = {
      /* multiples; wrapped around to 0 and to negative ones; one before; not known to be any */
      "%o = addi %i, %c0 : tile<i32>\n",
      "%o = subi %i, %c16 : tile<i32>\n",
      "%big = constant <i32: 0x10000001> : tile<i32>\n%q = muli %bx, %big : tile<i32>\n"
      "%o = muli %q, %c16 : tile<i32>\n",
      "%big = constant <i32: 0x0fffffff> : tile<i32>\n%q = muli %bx, %big : tile<i32>\n"
      "%o = muli %q, %c16 : tile<i32>\n",
      "%o = subi %i, %c1 : tile<i32>\n",
      "%o = subi %i, %n : tile<i32>\n",
      "%o = addi %i, %c3 : tile<i32>\n",
      "%b = assume bounded<0, 7>, %bx : tile<i32>\n%q = muli %b, %c8 : tile<i32>\n"
      "%o = addi %q, %c3 : tile<i32>\n",
      "%mask16 = constant <i32: -16> : tile<i32>\n%o = andi %n, %mask16 : tile<i32>\n",
  };
  static const char *const paddings[] = {"", "padding_value = neg_inf", "padding_value = neg_zero"};
  for (unsigned k = 0; k < ARRAY_LEN(offsets); k++)
    for (unsigned form = 0; form < 4; form++) {
      char text[4096];
      const char *moved = form & 1 ? "%c0, %o" : "%o, %c0",
                 *plain = form & 1 ? "%c0, %i" : "%i, %c0";
      run_fill(text, sizeof text,
               TYPES BEGIN "$o%t = load_global %vx[$a] $p : !v -> !t\n"
                           "store_global %t, %vy[$b] : !t, !v\n" END,
               (run_blank[]){{'o', offsets[k]},
                             {'a', form & 2 ? plain : moved},
                             {'b', form & 2 ? moved : plain},
                             {'p', paddings[k % 3]},
                             {0}});
      for (unsigned size = 0; size < 2; size++)
        check(&(block_case){text, size ? 32 : 29, size ? 32 : 37, {3, 1, 1}, 0, form & 2},
              fill_f32);
    }
}

/* Offsets of 64 bits, and of 8. */
static void test_offset_types(void **state) {
  (void)state;
  static const char *const text =
      TYPES BEGIN "%i6 = exti %i signed : tile<i32> -> tile<i64>\n"
                  "%k6 = constant <i64: 16> : tile<i64>\n%o6 = subi %i6, %k6 : tile<i64>\n"
                  "%z6 = constant <i64: 0> : tile<i64>\n"
                  "%big = constant <i64: 0x1000000000000000> : tile<i64>\n"
                  "%w6 = muli %big, %k6 : tile<i64>\n%o7 = addi %o6, %w6 : tile<i64>\n"
                  "%i8 = trunci %i : tile<i32> -> tile<i8>\n%z8 = constant <i8: 0> : tile<i8>\n"
                  "%a = load_global %vx[%o6, %z6] : !v -> !t\n"
                  "%b = load_global %vx[%i8, %z8] : !v -> !t\n"
                  "%c = addf %a, %b : !t\n"
                  "store_global %c, %vy[%o7, %z6] : !t, !v\n" END;
  check(&(block_case){text, 45, 21, {3, 1, 1}, 0}, fill_f32);
}

static void test_masks(void **state) {
  (void)state;
  static const char *const text =
      TYPES BEGIN "%zero = constant <f32: 0.0> : !t\n"
                  "%t = load_global %vx[%i, %j] : !v -> !t\n"
                  "%p = cmpf greater_than ordered %t, %zero : !t -> tile<16x16xi1, #l>\n"
                  "%o = subi %i, %c1 : tile<i32>\n"
                  "%u = load_global %vx[%o, %j] mask = %p : tile<16x16xi1, #l> "
                  "padding_value = pos_inf : !v -> !t\n"
                  "store_global %u, %vy[%o, %j] mask = %p : tile<16x16xi1, #l> : !t, !v\n" END;
  check(&(block_case){text, 45, 21, {3, 2, 1}, 0, true}, fill_f32);
}

static void test_workers(void **state) {
  (void)state;
  static const char *const text =
      "cuda_tile.module @m { entry @k(%x: tile<ptr<i32>>, %y: tile<ptr<i32>>, %m: tile<i32>, "
      "%n: tile<i32>) threads(64) {\n"
      "%v = make_tensor_view %y, shape = [%m], strides = [1] : tile<i32> -> tensor_view<?xi32, "
      "strides=[1]>\n%w = get_worker : tile<64xi32, spatial(64)>\n"
      "%c = convert_layout %w : tile<64xi32, spatial(64)> -> tile<64xi32, spatial(32)."
      "replicated(1, num_workers=2).local(2)>\n%o = constant <i32: 5> : tile<i32>\n"
      "store_global %c, %v[%o] : tile<64xi32, spatial(32).replicated(1, num_workers=2).local(2)>, "
      "tensor_view<?xi32, strides=[1]>\nwarp_barrier\n" END;
  check(&(block_case){text, 50, 0, {1, 1, 1}, 0}, fill_bytes);
}

/* ---- order ---------------------------------------------------------------------------------- */

/* What is stored is loaded again, by overlapping tiles, in loops and branches. */
static void test_order(void **state) {
  (void)state;
  static const char *const bodies[] = {
      /* in place, shifted by one, three times */
      "%t = load_global %vx[%c0, %c0] : !v -> !t\nstore_global %t, %vx[%c1, %c0] : !t, !v\n"
      "%u = load_global %vx[%c2, %c0] : !v -> !t\nstore_global %u, %vx[%c0, %c1] : !t, !v\n"
      "%w = load_global %vx[%c0, %c0] : !v -> !t\nstore_global %w, %vy[%c0, %c0] : !t, !v\n",
      /* a loop that reads what it wrote */
      "for %k in (%c0 to %c4, step %c1) : tile<i32> {\n"
      "  %t = load_global %vx[%k, %c0] : !v -> !t\n  %q = addi %k, %c1 : tile<i32>\n"
      "  store_global %t, %vx[%q, %c1] : !t, !v\n}\n",
      /* stores in branches of a loop, one of which leaves */
      "%f = load_global %vy[%c0, %c0] : !v -> !t\n"
      "%r = loop iter_values(%k = %c0) : tile<i32> -> tile<i32> {\n"
      "  %t = load_global %vx[%k, %c0] : !v -> !t\n  %q = addi %k, %c1 : tile<i32>\n"
      "  %p = cmpi equal %k, %c1, signed : tile<i32> -> tile<i1>\n"
      "  if %p {\n    store_global %t, %vx[%c3, %c1] : !t, !v\n    continue %q : tile<i32>\n  }\n"
      "  %e = cmpi equal %k, %c3, signed : tile<i32> -> tile<i1>\n"
      "  if %e {\n    %u = load_global %vy[%c2, %c0] : !v -> !t\n"
      "    store_global %u, %vx[%c2, %c0] : !t, !v\n    break %k : tile<i32>\n"
      "  } else {\n    store_global %t, %vy[%q, %c0] : !t, !v\n  }\n"
      "  continue %q : tile<i32>\n}\nstore_global %f, %vy[%r, %c0] : !t, !v\n",
      /* branches with results */
      "%p = cmpi less_than %bx, %m, signed : tile<i32> -> tile<i1>\n"
      "%t = if %p -> (!t) {\n  %u = load_global %vx[%c0, %c0] : !v -> !t\n"
      "  store_global %u, %vy[%c1, %c0] : !t, !v\n  yield %u : !t\n} else {\n"
      "  %u = load_global %vy[%c3, %c0] : !v -> !t\n  yield %u : !t\n}\n"
      "store_global %t, %vx[%c1, %c1] : !t, !v\n%w = load_global %vy[%c1, %c1] : !v -> !t\n"
      "store_global %w, %vx[%c0, %c0] : !t, !v\n",
      /* accesses of the tile level, with tokens of their own and without */
      "%vx_s = make_tensor_view %x, shape = [%m, %n], strides = [%n, 1] : tile<i32> -> !v\n"
      "%one = constant <f32: 1.0> : tile<f32>\n"
      "%o, %t0 = load_ptr_tko weak %x : tile<ptr<f32>> -> tile<f32>, token\n"
      "%o1 = addf %o, %one : tile<f32>\n"
      "%t1 = store_ptr_tko weak %x, %o1 token=%t0 : tile<ptr<f32>>, tile<f32> -> token\n"
      "%t = load_global %vx[%c0, %c0] : !v -> !t\nstore_global %t, %vy[%c1, %c0] : !t, !v\n"
      "%o2, %t2 = load_ptr_tko weak %y : tile<ptr<f32>> -> tile<f32>, token\n"
      "%t3 = store_ptr_tko weak %x, %o2 : tile<ptr<f32>>, tile<f32> -> token\n"
      "%u = load_global %vx_s[%c0, %c0] : !v -> !t\nstore_global %u, %vy[%c0, %c3] : !t, !v\n",
  };
  for (unsigned k = 0; k < ARRAY_LEN(bodies); k++) {
    char text[4096];
    run_fill(text, sizeof text, TYPES BEGIN "$b" END, (run_blank[]){{'b', bodies[k]}, {0}});
    check(&(block_case){text, 30, 21, {1, 1, 1}, 0}, fill_f32);
  }
}

/* ---- shared memory -------------------------------------------------------------------------- */

static void test_shared(void **state) {
  (void)state;
  static const struct shared_case {
    const char *body;
    int scratch;
  } cases[] = {
      /* used for two purposes */
      {"%s = alloc_shared : !s\n%t = load_global %vx[%i, %j] : !v -> !t\n"
       "store_shared %t, %s : !t, !s\nbarrier\n%a = load_shared %s : !s -> !t\nbarrier\n"
       "%u = mulf %a, %a : !t\nstore_shared %u, %s : !t, !s\nbarrier\n"
       "%b = load_shared %s : !s -> !t\n%r = addf %a, %b : !t\n"
       "store_global %r, %vy[%i, %j] : !t, !v\nfree_shared %s : !s\n",
       0},
      /* two halves, read as one and across */
      {"%s = alloc_shared : !s\n"
       "%t = load_global %vx[%i, %j] : !v -> tile<8x16xf32, #h>\n"
       "%i8 = addi %i, %c8 : tile<i32>\n%u = load_global %vx[%i8, %j] : !v -> tile<8x16xf32, #h>\n"
       "%s0 = subview %s[%c0] : !s -> shared<8x16xf32>\n%s1 = subview %s[%c8] : !s -> "
       "shared<8x16xf32>\n%s2 = subview %s[%c3] : !s -> shared<8x16xf32>\n"
       "store_shared %t, %s0 : tile<8x16xf32, #h>, shared<8x16xf32>\n"
       "store_shared %u, %s1 : tile<8x16xf32, #h>, shared<8x16xf32>\nbarrier\n"
       "%a = load_shared %s : !s -> !t\nstore_global %a, %vy[%i, %j] : !t, !v\n"
       "%b = load_shared %s2 : shared<8x16xf32> -> tile<8x16xf32, #h>\n"
       "store_global %b, %vx[%i, %j] : tile<8x16xf32, #h>, !v\n",
       1},
      /* a stored tile, read in slices whose number a loop counts */
      {"%s = alloc_shared : !s\n%t = load_global %vx[%i, %j] : !v -> !t\n"
       "store_shared %t, %s : !t, !s\nbarrier\n%z = constant <f32: 0.0> : tile<16x4xf32, #q>\n"
       "%r = for %k in (%c0 to %c4, step %c1) : tile<i32> iter_values(%acc = %z) -> "
       "(tile<16x4xf32, #q>) {\n  %o = muli %k, %c4 : tile<i32>\n"
       "  %p = subview %s[%c0, %o] : !s -> shared<16x4xf32, (16,4):(16,1)>\n"
       "  %v = load_shared %p : shared<16x4xf32, (16,4):(16,1)> -> tile<16x4xf32, #q>\n"
       "  %d = addf %acc, %v : tile<16x4xf32, #q>\n  continue %d : tile<16x4xf32, #q>\n}\n"
       "store_global %r, %vy[%i, %j] : tile<16x4xf32, #q>, !v\n",
       0},
      /* the same of a copy, by eight, at offsets of two kinds */
      {"%s = alloc_shared : !s\ncp_async %vx[%i, %j], %s by #l : !v, !s\ncp_async_commit\n"
       "cp_async_wait 0\nbarrier\n%z = constant <f32: 0.0> : tile<16x4xf32, #q>\n"
       "%r = for %k in (%c0 to %c3, step %c1) : tile<i32> iter_values(%acc = %z) -> "
       "(tile<16x4xf32, #q>) {\n  %o = muli %k, %c3 : tile<i32>\n"
       "  %p = subview %s[%c0, %o] : !s -> shared<16x4xf32, (16,4):(16,1)>\n"
       "  %v = load_shared %p : shared<16x4xf32, (16,4):(16,1)> -> tile<16x4xf32, #q>\n"
       "  %d = addf %acc, %v : tile<16x4xf32, #q>\n  continue %d : tile<16x4xf32, #q>\n}\n"
       "store_global %r, %vy[%i, %j] : tile<16x4xf32, #q>, !v\n",
       0},
      /* a copy whose source is overwritten before it is read */
      {"%s = alloc_shared : !s\ncp_async %vx[%i, %j], %s by #l : !v, !s\ncp_async_commit\n"
       "cp_async_wait 0\nbarrier\n%t = load_global %vy[%i, %j] : !v -> !t\n"
       "store_global %t, %vx[%i, %j] : !t, !v\n%a = load_shared %s : !s -> !t\n"
       "store_global %a, %vy[%i, %j] : !t, !v\n",
       0},
      /* written in one branch, read behind both */
      {"%s = alloc_shared alignment = 256 : !s\n%t = load_global %vx[%i, %j] : !v -> !t\n"
       "store_shared %t, %s : !t, !s\n%p = cmpi less_than %bx, %c1, signed : tile<i32> -> "
       "tile<i1>\n"
       "if %p {\n  %u = load_global %vx[%j, %i] : !v -> !t\n  store_shared %u, %s : !t, !s\n}\n"
       "barrier\n%a = load_shared %s : !s -> !t\nstore_global %a, %vy[%i, %j] : !t, !v\n",
       1},
      /* slots that only the running kernel knows */
      {"%s = alloc_shared : shared<4x16x16xf32>\n%z = constant <f32: 0.5> : !t\n"
       "for %k in (%c0 to %c4, step %c1) : tile<i32> {\n"
       "  %p = subview %s[%k] : shared<4x16x16xf32> -> !s\n  store_shared %z, %p : !t, !s\n}\n"
       "%t = load_global %vx[%i, %j] : !v -> !t\n%o = remi %m, %c4 signed : tile<i32>\n"
       "%p = subview %s[%o] : shared<4x16x16xf32> -> !s\nstore_shared %t, %p : !t, !s\nbarrier\n"
       "for %k in (%c0 to %c4, step %c1) : tile<i32> {\n"
       "  %w = subview %s[%k] : shared<4x16x16xf32> -> !s\n  %a = load_shared %w : !s -> !t\n"
       "  %b = load_global %vy[%i, %j] : !v -> !t\n  %d = addf %a, %b : !t\n"
       "  store_global %d, %vy[%i, %j] : !t, !v\n}\n",
       1},
      /* the value of the last iteration: what a loop stores, the next one reads */
      {"%s = alloc_shared : !s\n%z = constant <f32: 0.0> : !t\nstore_shared %z, %s : !t, !s\n"
       "for %k in (%c0 to %c4, step %c1) : tile<i32> {\n  barrier\n"
       "  %a = load_shared %s : !s -> !t\n  %b = load_global %vx[%k, %j] : !v -> !t\n"
       "  %d = addf %a, %b : !t\n  barrier\n  store_shared %d, %s : !t, !s\n}\nbarrier\n"
       "%r = load_shared %s : !s -> !t\nstore_global %r, %vy[%i, %j] : !t, !v\n",
       1},
      /* turned: as a value, from a copy, and as memory */
      {"%s = alloc_shared : shared<2x16x16xf32>\n%t = load_global %vx[%i, %j] : !v -> !t\n"
       "%p = subview %s[%c1] : shared<2x16x16xf32> -> !s\nstore_shared %t, %p : !t, !s\nbarrier\n"
       "%q = permute_view %p [1, 0] : !s -> shared<16x16xf32, (16,16):(1,16)>\n"
       "%a = load_shared %q : shared<16x16xf32, (16,16):(1,16)> -> !t\n"
       "store_global %a, %vy[%i, %j] : !t, !v\n",
       0},
      {"%s = alloc_shared : shared<2x16x16xf32>\n"
       "%o = permute_view %s [2, 0, 1] : shared<2x16x16xf32> -> shared<16x2x16xf32, "
       "(16,2,16):(1,256,16)>\n"
       "%o2 = permute_view %o [1, 0, 2] : shared<16x2x16xf32, (16,2,16):(1,256,16)> -> "
       "shared<2x16x16xf32, (2,16,16):(256,1,16)>\n"
       "%p = subview %o2[%c1] : shared<2x16x16xf32, (2,16,16):(256,1,16)> -> shared<16x16xf32, "
       "(16,16):(1,16)>\n"
       "cp_async %vx[%i, %j], %p by #l : !v, shared<16x16xf32, (16,16):(1,16)>\n"
       "cp_async_commit\ncp_async_wait 0\nbarrier\n"
       "%q = subview %s[%c1, %c8] : shared<2x16x16xf32> -> shared<8x16xf32>\n"
       "%a = load_shared %q : shared<8x16xf32> -> tile<8x16xf32, #h>\n"
       "store_global %a, %vy[%i, %j] : tile<8x16xf32, #h>, !v\n",
       0},
      {"%s = alloc_shared : shared<2x16x16xf32>\n%t = load_global %vx[%i, %j] : !v -> !t\n"
       "%o = remi %m, %c2 signed : tile<i32>\n"
       "%p = subview %s[%o] : shared<2x16x16xf32> -> !s\nstore_shared %t, %p : !t, !s\nbarrier\n"
       "%q = permute_view %s [1, 2, 0] : shared<2x16x16xf32> -> shared<16x16x2xf32, "
       "(16,16,2):(16,1,256)>\n"
       "%z = constant <f32: 1.0> : tile<16x16x2xf32, spatial(16, 2, 1).local(1, 8, 2)>\n"
       "%o2 = subi %c1, %o : tile<i32>\n"
       "%q2 = subview %q[%c0, %c0, %o2] : shared<16x16x2xf32, (16,16,2):(16,1,256)> -> "
       "shared<16x16x1xf32, (16,16,1):(16,1,256)>\n"
       "%z1 = constant <f32: 1.0> : tile<16x16x1xf32, spatial(16, 2, 1).local(1, 8, 1)>\n"
       "store_shared %z1, %q2 : tile<16x16x1xf32, spatial(16, 2, 1).local(1, 8, 1)>, "
       "shared<16x16x1xf32, (16,16,1):(16,1,256)>\nbarrier\n"
       "%a = load_shared %q : shared<16x16x2xf32, (16,16,2):(16,1,256)> -> tile<16x16x2xf32, "
       "spatial(16, 2, 1).local(1, 8, 2)>\n"
       "%b = addf %a, %z : tile<16x16x2xf32, spatial(16, 2, 1).local(1, 8, 2)>\n"
       "%r = reduce %b dim=2 identities=[0.0 : f32] : tile<16x16x2xf32, spatial(16, 2, 1)."
       "local(1, 8, 2)> -> !t\n(%u: tile<f32>, %w: tile<f32>) { %d = addf %u, %w : tile<f32> "
       "yield %d : tile<f32> }\nstore_global %r, %vy[%i, %j] : !t, !v\n",
       1},
      /* a part of a part, swizzled */
      {"%s = alloc_shared : shared<2x16x32xf32, Sw<3,2,3> o (2,16,32):(512,32,1)>\n"
       "%t = load_global %vx[%i, %j] : !v -> !t\n"
       "%p = subview %s[%c1] : shared<2x16x32xf32, Sw<3,2,3> o (2,16,32):(512,32,1)> -> "
       "shared<16x32xf32, Sw<3,2,3> o (16,32):(32,1)>\n"
       "%q = subview %p[%c0, %c16] : shared<16x32xf32, Sw<3,2,3> o (16,32):(32,1)> -> "
       "shared<16x16xf32, Sw<3,2,3> o (16,16):(32,1)>\n"
       "store_shared %t, %q : !t, shared<16x16xf32, Sw<3,2,3> o (16,16):(32,1)>\nbarrier\n"
       "%a = load_shared %q : shared<16x16xf32, Sw<3,2,3> o (16,16):(32,1)> -> !t\n"
       "store_global %a, %vy[%j, %i] : !t, !v\n",
       0},
  };
  for (unsigned k = 0; k < ARRAY_LEN(cases); k++) {
    char text[8192];
    run_fill(
        text, sizeof text,
        "#h = layout<spatial(8, 4).local(1, 4)>\n#q = layout<spatial(16, 2).local(1, 2)>\n" TYPES
            BEGIN "$b" END,
        (run_blank[]){{'b', cases[k].body}, {0}});
    check(&(block_case){text, 45, 37, {3, 3, 1}, cases[k].scratch, k == 1}, fill_f32);
  }
}

/* ---- element types -------------------------------------------------------------------------- */

static void test_elements(void **state) {
  (void)state;
  static const char *const elems[] = {"f32", "f16", "bf16", "tf32",     "f64",    "i8",       "i16",
                                      "i32", "i64", "i1",   "f8E4M3FN", "f8E5M2", "f8E8M0FNU"};
  for (unsigned k = 0; k < ARRAY_LEN(elems); k++)
    for (unsigned scratch = 0; scratch < 2; scratch++) {
      char text[4096];
      run_fill(text, sizeof text,
               "#l = layout<spatial(8, 4).local(1, 4)>\n!t = tile<8x16x$e, #l>\n"
               "!v = tensor_view<32x?x$e, strides=[?,1]>\n!s = shared<2x8x16x$e, "
               "(2,8,16):(512,1,17)>\n!p = shared<8x16x$e, (8,16):(1,17)>\n"
               "cuda_tile.module @m { entry @k(%x: tile<ptr<$e>>, %y: tile<ptr<$e>>, "
               "%m: tile<i32>, %n: tile<i32>) threads(32) {\n" NUMBERS
               "%vx = make_tensor_view %x, shape = [32, %n], strides = [%n, 1] : tile<i32> -> !v\n"
               "%vy = make_tensor_view %y, shape = [32, %n], strides = [%n, 1] : tile<i32> -> !v\n"
               "%s = alloc_shared : !s\n%slot = remi $m, %c2 unsigned : tile<i32>\n"
               "%p = subview %s[%slot] : !s -> !p\n%q = subview %s[%c1] : !s -> !p\n"
               "%a = load_global %vx[%c3, %c1] : !v -> !t\nstore_shared %a, %q : !t, !p\n"
               "cp_async %vx[%c8, %c0], %p by #l : !v, !p\ncp_async_commit\ncp_async_wait 0\n"
               "barrier\n%b = load_shared %q : !p -> !t\n%c = load_shared %p : !p -> !t\n"
               "store_global %b, %vy[%c0, %c0] : !t, !v\n"
               "store_global %c, %vy[%c8, %c3] : !t, !v\n" END,
               (run_blank[]){{'e', elems[k]}, {'m', scratch ? "%m" : "%c2"}, {0}});
      check(&(block_case){text, 3, 17, {1, 1, 1}, (int)scratch}, fill_bytes);
    }
}

/* Masks, and offsets below 0, which need a pointer for each element. */
static void test_pointed_elements(void **state) {
  (void)state;
  static const char *const elems[] = {"f16", "bf16", "tf32",     "f64",    "i8",       "i16",
                                      "i64", "i1",   "f8E4M3FN", "f8E5M2", "f8E8M0FNU"};
  static const char *const paddings[] = {"nan", "pos_inf", "neg_inf", "neg_zero"};
  for (unsigned k = 0; k < ARRAY_LEN(elems); k++) {
    char text[4096], padding[64] = "";
    if (elems[k][0] != 'i')
      snprintf(padding, sizeof padding, "padding_value = %s", paddings[k % ARRAY_LEN(paddings)]);
    run_fill(text, sizeof text,
             "#l = layout<spatial(32).local(4)>\n!t = tile<128x$e, #l>\n"
             "!v = tensor_view<?x$e, strides=[1]>\n"
             "cuda_tile.module @m { entry @k(%x: tile<ptr<$e>>, %y: tile<ptr<$e>>, "
             "%m: tile<i32>, %n: tile<i32>) threads(32) {\n"
             "%vx = make_tensor_view %x, shape = [%m], strides = [1] : tile<i32> -> !v\n"
             "%vy = make_tensor_view %y, shape = [%m], strides = [1] : tile<i32> -> !v\n"
             "%i = iota : tile<128xi32, #l>\n%c = constant <i32: 77> : tile<128xi32, #l>\n"
             "%p = cmpi less_than %i, %c, signed : tile<128xi32, #l> -> tile<128xi1, #l>\n"
             "%a = load_global %vx[%n] mask = %p : tile<128xi1, #l> $p : !v -> !t\n"
             "store_global %a, %vy[%n] : !t, !v\n"
             "%o = constant <i32: 200> : tile<i32>\n"
             "store_global %a, %vy[%o] mask = %p : tile<128xi1, #l> : !t, !v\n" END,
             (run_blank[]){{'e', elems[k]}, {'p', padding}, {0}});
    for (int32_t n = -3; n < 200; n += 100)
      check(&(block_case){text, 260, n, {1, 1, 1}, 0}, fill_bytes);
  }
}

/* Four bits, which no view holds, in bytes. */
static void test_half_bytes(void **state) {
  (void)state;
  static const char *const text =
      "#l = layout<spatial(32).local(4)>\n!v = tensor_view<?xi8, strides=[1]>\n"
      "cuda_tile.module @m { entry @k(%x: tile<ptr<i8>>, %y: tile<ptr<i8>>, %m: tile<i32>, "
      "%n: tile<i32>) threads(32) {\n" NUMBERS
      "%vx = make_tensor_view %x, shape = [%m], strides = [1] : tile<i32> -> !v\n"
      "%vy = make_tensor_view %y, shape = [%m], strides = [1] : tile<i32> -> !v\n"
      "%t = load_global %vx[%c0] : !v -> tile<128xi8, #l>\n"
      "%h = trunci %t : tile<128xi8, #l> -> tile<128xi4, #l>\n"
      "%s = alloc_shared : shared<2x128xi4>\n%o = remi %n, %c2 signed : tile<i32>\n"
      "%p = subview %s[%o] : shared<2x128xi4> -> shared<128xi4>\n"
      "%q = subview %s[%c1] : shared<2x128xi4> -> shared<128xi4>\n"
      "store_shared %h, %q : tile<128xi4, #l>, shared<128xi4>\n"
      "store_shared %h, %p : tile<128xi4, #l>, shared<128xi4>\nbarrier\n"
      "%r = load_shared %q : shared<128xi4> -> tile<128xi4, #l>\n"
      "%b = exti %r signed : tile<128xi4, #l> -> tile<128xi8, #l>\n"
      "store_global %b, %vy[%c3] : tile<128xi8, #l>, !v\n" END;
  check(&(block_case){text, 129, 4, {1, 1, 1}, 1}, fill_bytes);
}

/* ---- pipelines ------------------------------------------------------------------------------ */

/* A loop over offsets, with slots from quotients or handed on, and slices of 8 columns. */
static void test_offset_loops(void **state) {
  (void)state;
  static const struct offset_loop {
    const char *slots, *guard;
    int scratch;
  } loops[] = {
      {"%o = addi %u, %c0 : tile<i32>\n%t = addi %w, %c0 : tile<i32>\n", "", 0},
      {"%n0 = divi %k, %c16 signed : tile<i32>\n%o = remi %n0, %c3 signed : tile<i32>\n"
       "%n1 = addi %n0, %c2 : tile<i32>\n%t = remi %n1, %c3 unsigned : tile<i32>\n",
       "less_than", 0},
      {"%o = addi %u, %c0 : tile<i32>\n%t = addi %w, %c0 : tile<i32>\n", "less_than", 0},
      /* as above, but a copy is left out that is needed */
      {"%o = addi %u, %c0 : tile<i32>\n%t = addi %w, %c0 : tile<i32>\n", "greater_than", 1},
  };
  for (unsigned k = 0; k < ARRAY_LEN(loops); k++) {
    char text[8192], guard[256] = "";
    if (*loops[k].guard)
      snprintf(guard, sizeof guard,
               "%%g = cmpi %s %%tj, %%n, signed : tile<i32> -> tile<i1>\nif %%g {", loops[k].guard);
    run_fill(
        text, sizeof text,
        "!b = shared<3x16x16xf32>\n#h = layout<spatial(16, 2).local(1, 4)>\n"
        "#w = layout<local(1, 2).spatial(16, 2).local(1, 4)>\n"
        "!h = shared<16x8xf32, (16,8):(16,1)>\n" TYPES BEGIN
        "%s = alloc_shared : !b\n%z = constant <f32: 0.0> : !t\n"
        "for %f in (%c0 to %c2, step %c1) : tile<i32> {\n"
        "  %fs = subview %s[%f] : !b -> !s\n  %fj = muli %f, %c16 : tile<i32>\n"
        "  cp_async %vx[%i, %fj], %fs by #l : !v, !s\n  cp_async_commit\n}\n"
        "%i2 = subview %s[%c2] : !b -> !s\ncp_async %vx[%i, %c0], %i2 by #l : !v, !s\n"
        "%r:3 = for %k in (%c0 to %n, step %c16) : tile<i32> iter_values(%acc = %z, "
        "%u = %c0, %w = %c2) -> (!t, tile<i32>, tile<i32>) {\n"
        "cp_async_wait 0\nbarrier\n%tj = addi %k, %c32 : tile<i32>\n$s"
        "%ts = subview %s[%t] : !b -> !s\n$g\n"
        "cp_async %vx[%i, %tj], %ts by #l : !v, !s\n$e\ncp_async_commit\n"
        "%rs = subview %s[%o] : !b -> !s\n"
        "%d = for %q in (%c0 to %c2, step %c1) : tile<i32> iter_values(%part = %acc) -> (!t) {\n"
        "  %qo = muli %q, %c8 : tile<i32>\n  %qs = subview %rs[%c0, %qo] : !s -> !h\n"
        "  %a = load_shared %qs : !h -> tile<16x8xf32, #h>\n"
        "  %a2 = cat %a, %a dim = 1 : tile<16x8xf32, #h>, tile<16x8xf32, #h> -> "
        "tile<16x16xf32, #w>\n"
        "  %al = convert_layout %a2 : tile<16x16xf32, #w> -> !t\n"
        "  %sum = addf %part, %al : !t\n  continue %sum : !t\n}\n"
        "%w1 = addi %w, %c1 : tile<i32>\n%w2 = remi %w1, %c3 signed : tile<i32>\n"
        "%u1 = addi %u, %c1 : tile<i32>\n"
        "%ue = cmpi greater_than_or_equal %u1, %c3, signed : tile<i32> -> tile<i1>\n"
        "%u2 = select %ue, %c0, %u1 : tile<i1>, tile<i32>\n"
        "continue %d, %u2, %w2 : !t, tile<i32>, tile<i32>\n}\n"
        "store_global %r#0, %vy[%i, %j] : !t, !v\n" END,
        (run_blank[]){{'s', loops[k].slots}, {'g', guard}, {'e', *guard ? "}" : ""}, {0}});
    for (int32_t n = 9; n < 100; n += 40)
      check(&(block_case){text, 29, n, {2, 1, 1}, loops[k].scratch}, fill_f32);
  }
}

/* Sums tiles along a row that are copied ahead into slots that are used in turn. */
typedef struct pipeline {
  unsigned slots;
  const char *before, *copied, *read; /* %t and %s of iteration %k */
  bool guarded, in_loop;              /* copies that run beyond the end; those in front in a loop */
  int scratch;
} pipeline;

static void write_pipeline(char *text, size_t size, const pipeline *p) {
  char slots[16], ahead[16], pending[16], first[2048] = "";
  snprintf(slots, sizeof slots, "%u", p->slots);
  snprintf(ahead, sizeof ahead, "%u", p->slots - 1);
  snprintf(pending, sizeof pending, "%u", p->slots - 2);
  const char *begin =
      p->guarded ? "%fg = cmpi less_than %f, %steps, signed : tile<i32> -> tile<i1>\nif %fg {" : "";
  if (p->in_loop)
    run_fill(first, sizeof first,
             "for %f in (%c0 to %ca, step %c1) : tile<i32> {\n"
             "  %fs = subview %s[%f] : !b -> !s\n  %fj = muli %f, %c16 : tile<i32>\n"
             "  $g\n  cp_async %vx[%i, %fj], %fs by #l : !v, !s\n  $e\n  cp_async_commit\n}\n",
             (run_blank[]){{'g', begin}, {'e', p->guarded ? "}" : ""}, {0}});
  for (unsigned f = 0; !p->in_loop && f + 1 < p->slots; f++) {
    char number[16];
    size_t n = strlen(first);
    snprintf(number, sizeof number, "%u", f);
    run_fill(first + n, sizeof first - n,
             "%f$f = subview %s[%c$f] : !b -> !s\n%fj$f = muli %c$f, %c16 : tile<i32>\n"
             "cp_async %vx[%i, %fj$f], %f$f by #l : !v, !s\ncp_async_commit\n",
             (run_blank[]){{'f', number}, {0}});
  }
  run_fill(
      text, size,
      "!b = shared<$nx16x16xf32>\n" TYPES BEGIN
      "%steps = divi %n, %c16 signed rounding<positive_inf> : tile<i32>\n"
      "%cs = constant <i32: $n> : tile<i32>\n%ca = constant <i32: $a> : tile<i32>\n"
      "%s = alloc_shared : !b\n$f%z = constant <f32: 0.0> : !t\n"
      "%r:3 = for %k in (%c0 to %steps, step %c1) : tile<i32> iter_values(%acc = %z, "
      "%u = %c0, %w = %ca) -> (!t, tile<i32>, tile<i32>) {\n"
      "$b\ncp_async_wait $p\nbarrier\n"
      "%ta = addi %k, %ca : tile<i32>\n%tj = muli %ta, %c16 : tile<i32>\n"
      "$c\n%ts = subview %s[%t] : !b -> !s\n"
      "$g\ncp_async %vx[%i, %tj], %ts by #l : !v, !s\n$e\ncp_async_commit\n"
      "$r\n%rs = subview %s[%o] : !b -> !s\n"
      "%a = load_shared %rs : !s -> !t\n%d = addf %acc, %a : !t\n"
      "%w1 = addi %w, %c1 : tile<i32>\n"
      "%we = cmpi equal %w1, %cs, signed : tile<i32> -> tile<i1>\n"
      "%w2 = select %we, %c0, %w1 : tile<i1>, tile<i32>\n"
      "%u1 = addi %u, %c1 : tile<i32>\n%u2 = remi %u1, %cs signed : tile<i32>\n"
      "continue %d, %u2, %w2 : !t, tile<i32>, tile<i32>\n}\n"
      "store_global %r#0, %vy[%i, %j] : !t, !v\n" END,
      (run_blank[]){{'n', slots},
                    {'a', ahead},
                    {'p', pending},
                    {'f', first},
                    {'b', p->before},
                    {'c', p->copied},
                    {'r', p->read},
                    {'g', p->guarded ? "%g = cmpi less_than %ta, %steps, signed : tile<i32> -> "
                                       "tile<i1>\nif %g {"
                                     : ""},
                    {'e', p->guarded ? "}" : ""},
                    {0}});
}

static void test_pipelines(void **state) {
  (void)state;
  static const pipeline pipelines[] = {
      {2, "", "%tt = andi %k, %c1 : tile<i32>\n%t = xori %tt, %c1 : tile<i32>",
       "%o = andi %k, %c1 : tile<i32>", false, false, 0},
      {2, "", "%tt = addi %k, %c1 : tile<i32>\n%t = remi %tt, %c2 signed : tile<i32>",
       "%o = remi %k, %c2 signed : tile<i32>", true, false, 0},
      {2, "%o = andi %k, %c1 : tile<i32>", "%t = subi %c1, %o : tile<i32>", "", false, true, 0},
      {3, "", "%tt = addi %k, %c2 : tile<i32>\n%t = remi %tt, %cs signed : tile<i32>",
       "%o = remi %k, %cs signed : tile<i32>", false, false, 0},
      {3, "", "%t = addi %w, %c0 : tile<i32>", "%o = addi %u, %c0 : tile<i32>", true, true, 0},
      {4, "", "%tt = addi %k, %c3 : tile<i32>\n%t = andi %tt, %c3 : tile<i32>",
       "%o = andi %k, %c3 : tile<i32>", true, true, 0},
      {4, "", "%t = addi %w, %c0 : tile<i32>", "%o = andi %k, %c3 : tile<i32>", false, false, 0},
      /* what is read is not what was copied for it: slots that do not follow */
      {4, "", "%t = andi %ta, %c3 : tile<i32>",
       "%oo = muli %k, %c3 : tile<i32>\n%o = andi %oo, %c3 : tile<i32>", false, true, 1},
  };
  for (unsigned k = 0; k < ARRAY_LEN(pipelines); k++) {
    char text[8192];
    const pipeline *p = &pipelines[k];
    write_pipeline(text, sizeof text, p);
    for (int32_t n = 7; n < 100; n += 30)
      check(&(block_case){text, 29, n, {2, 1, 1}, p->scratch}, fill_f32);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_offsets),
      cmocka_unit_test(test_offset_types),
      cmocka_unit_test(test_masks),
      cmocka_unit_test(test_workers),
      cmocka_unit_test(test_order),
      cmocka_unit_test(test_shared),
      cmocka_unit_test(test_elements),
      cmocka_unit_test(test_half_bytes),
      cmocka_unit_test(test_pointed_elements),
      cmocka_unit_test(test_pipelines),
      cmocka_unit_test(test_offset_loops),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
