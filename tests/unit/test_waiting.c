/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Tile blocks that wait for others. Under the interpreter, which executes one at a time: in
 * whatever order they begin, and whether anybody looks at them or not, each gets its turn.
 * Compiled: on fewer threads than tile blocks.
 */
#include "rt_support.h"

/* kernel @NAME(%p) with the position, the grid and numbers at hand; LOOP waits for `condition`. */
#define START(name)                                                                                \
  "  entry @" name "(%p: tile<ptr<i32>>) {\n"                                                      \
  "    %b, %by, %bz = get_tile_block_id : tile<i32>\n"                                             \
  "    %n, %ny, %nz = get_num_tile_blocks : tile<i32>\n"                                           \
  "    %zero = constant <i32: 0> : tile<i32>\n"                                                    \
  "    %one = constant <i32: 1> : tile<i32>\n"                                                     \
  "    %t = make_token : token\n"
#define UNTIL(result, access, condition)                                                           \
  "    " result " = loop iter_values(%t0 = %t) : token -> token {\n"                               \
  "      " access "\n"                                                                             \
  "      %go = cmpi equal %seen, " condition ", signed : tile<i32> -> tile<i1>\n"                  \
  "      if %go {\n        break %t1 : token\n      }\n"                                           \
  "      continue %t1 : token\n    }\n"
#define LOAD                                                                                       \
  "%seen, %t1 = load_ptr_tko acquire device %p token=%t0 : tile<ptr<i32>> -> tile<i32>, token"
#define PUT(token, after, place, value)                                                            \
  "    " token "_at = offset %p, " place " : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>\n"        \
  "    " token " = store_ptr_tko weak " token "_at, " value " token=" after                        \
  " : tile<ptr<i32>>, tile<i32> -> token\n"

static const char text[] = "cuda_tile.module @waiting {\n"
    /* p[0] counts; each tile block waits until as many have gone as come after it. */
    START(
        "backwards") "    %last = subi %n, %one : tile<i32>\n"
                     "    %mine = subi %last, %b : tile<i32>\n" UNTIL(
                         "%ready", LOAD,
                         "%mine") "    %place = addi %b, %one : tile<i32>\n" PUT("%t2", "%ready",
                                                                                 "%place",
                                                                                 "%mine") "    "
                                                                                          "%next = "
                                                                                          "addi "
                                                                                          "%mine, "
                                                                                          "%one : "
                                                                                          "tile<"
                                                                                          "i32>\n"
                                                                                          "    %t3 "
                                                                                          "= "
                                                                                          "store_"
                                                                                          "ptr_tko "
                                                                                          "release "
                                                                                          "device "
                                                                                          "%p, "
                                                                                          "%next "
                                                                                          "token=%"
                                                                                          "t2 : "
                                                                                          "tile<"
                                                                                          "ptr<i32>"
                                                                                          ">, "
                                                                                          "tile<"
                                                                                          "i32> -> "
                                                                                          "token\n "
                                                                                          " }\n"
    /* The same, for those before it. */
    START("forwards") UNTIL("%ready", LOAD, "%b") "    %place = addi %b, %one : tile<i32>\n" PUT(
        "%t2", "%ready", "%place", "%b") "    %t3 = store_ptr_tko release device %p, %place "
                                         "token=%t2 : tile<ptr<i32>>, tile<i32> -> "
                                         "token\n  }\n"
    /* All arrive, wait for all, and say that they have. */
    START("barrier") "    %old, %t9 = atomic_rmw_tko acq_rel device %p, add, %one token=%t : "
                     "tile<ptr<i32>>, "
                     "tile<i32> -> tile<i32>, token\n" UNTIL(
                         "%all", LOAD,
                         "%n") "    %place = addi %b, %one : tile<i32>\n" PUT("%t2", "%all",
                                                                              "%place",
                                                                              "%b") "  }\n"
    /* A lock for the whole grid, p[0], around a counter, p[1], in two steps; each tile block takes
     * it, waits for the first of the grid (in the order of their positions) to have done so. */
    START("lock") UNTIL(
        "%locked",
        "%seen, %t1 = atomic_cas_tko acquire device %p, %zero, %one token=%t0 : tile<ptr<i32>>, "
        "tile<i32> -> tile<i32>, token",
        "%zero") "    %c = offset %p, %one : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>\n"
                 "    %v, %t2 = load_ptr_tko weak %c token=%locked : tile<ptr<i32>> -> tile<i32>, "
                 "token\n"
                 "    %more = addi %v, %one : tile<i32>\n"
                 "    %t3 = store_ptr_tko weak %c, %more token=%t2 : tile<ptr<i32>>, tile<i32> -> "
                 "token\n"
                 "    %was, %t4 = atomic_rmw_tko release device %p, xchg, %zero token=%t3 : "
                 "tile<ptr<i32>>, "
                 "tile<i32> -> tile<i32>, token\n  }\n"
    /* What it waits for never comes; it gives up. */
    START("never") "    %limit = constant <i32: 600000> : tile<i32>\n"
                   "    %k, %ready = loop iter_values(%i = %zero, %t0 = %t) : tile<i32>, token -> "
                   "tile<i32>, "
                   "token {\n"
                   "      " LOAD "\n"
                   "      %next = addi %i, %one : tile<i32>\n"
                   "      %go = cmpi greater_than %next, %limit, signed : tile<i32> -> tile<i1>\n"
                   "      if %go {\n        break %next, %t1 : tile<i32>, token\n      }\n"
                   "      continue %next, %t1 : tile<i32>, token\n    }\n"
                   "  }\n}\n";

enum { BLOCKS = 6 };

static tsr_status run_on(world *w, const char *device, const tsr_device_options *options,
                         const char *kernel, int32_t *memory) {
  tsr_device *dev = tsr_device_open(w->ctx, device, options);
  tsr_module *m = tsr_module_parse(w->ctx, text, strlen(text), "waiting.mlir", 0);
  tsr_program *p = m ? tsr_program_create(dev, m) : NULL;
  tsr_kernel *k = p ? tsr_kernel_get(p, kernel) : NULL;
  tsr_buffer *x = tsr_buffer_wrap(dev, memory, (BLOCKS + 1) * sizeof *memory);
  tsr_status status = TSR_ERROR_INPUT;
  if (k) status = tsr_launch(k, (tsr_grid){BLOCKS, 1, 1}, (tsr_arg[]){tsr_arg_buffer(x)}, 1);
  tsr_buffer_destroy(x);
  tsr_program_destroy(p);
  tsr_module_destroy(m);
  tsr_device_close(dev);
  return status;
}

static tsr_status run(world *w, const char *kernel, tsr_block_order order, unsigned sanitize,
                      int32_t *memory) {
  tsr_device_options options = {
      .struct_size = sizeof options, .order = order, .seed = 7, .sanitize = sanitize};
  return run_on(w, "interp", &options, kernel, memory);
}

static const char *const kernels[] = {"backwards", "forwards", "barrier", "lock"};
static const int32_t expected[][BLOCKS + 1] = {{BLOCKS, 5, 4, 3, 2, 1, 0},
                                               {BLOCKS, 0, 1, 2, 3, 4, 5},
                                               {BLOCKS, 0, 1, 2, 3, 4, 5},
                                               {0, BLOCKS}};

static void test_compiled(void **state) {
  (void)state;
  if (!getenv("TESSERA_LLVM_PLUGIN")) skip(); /* a build without LLVM */
  for (unsigned k = 0; k < sizeof kernels / sizeof *kernels; k++)
    for (unsigned threads = 1; threads <= 3; threads += 2)
      for (unsigned sanitize = 0; sanitize < 2; sanitize++) {
        world w;
        world_open(&w);
        int32_t memory[BLOCKS + 1] = {0};
        tsr_device_options options = {.struct_size = sizeof options,
                                      .threads = threads,
                                      .sanitize = sanitize ? TSR_SANITIZE_BOUNDS : 0};
        assert_int_equal(run_on(&w, "cpu", &options, kernels[k], memory), TSR_OK);
        assert_int_equal(w.errors, 0);
        assert_memory_equal(memory, expected[k], sizeof memory);
        world_close(&w);
      }
}

static void test_all_orders(void **state) {
  (void)state;
  for (unsigned k = 0; k < sizeof kernels / sizeof *kernels; k++)
    for (int order = TSR_ORDER_FORWARD; order <= TSR_ORDER_SHUFFLED; order++)
      for (unsigned sanitize = 0; sanitize < 2; sanitize++) {
        world w;
        world_open(&w);
        int32_t memory[BLOCKS + 1] = {0};
        assert_int_equal(
            run(&w, kernels[k], (tsr_block_order)order, sanitize ? TSR_SANITIZE_ALL : 0, memory),
            TSR_OK);
        assert_int_equal(w.errors, 0);
        assert_memory_equal(memory, expected[k], sizeof memory);
        world_close(&w);
      }
}

static void test_what_never_comes(void **state) {
  (void)state;
  world w;
  world_open(&w);
  int32_t memory[BLOCKS + 1] = {0};
  assert_int_equal(run(&w, "never", TSR_ORDER_FORWARD, 0, memory), TSR_OK);
  assert_int_equal(w.others, 1);
  assert_non_null(strstr(w.messages, "'never': 6 tile blocks, (0, 0, 0) first, see the same"));
  world_close(&w);
}

/* Each allocation fails once: nothing is lost. */
static void test_no_memory(void **state) {
  (void)state;
  for (long at = 2;; at++) {
    world w;
    world_open_failing(&w, at);
    if (!w.ctx) continue;
    int32_t memory[BLOCKS + 1] = {0};
    w.fail_at = at;
    bool failed = false;
    tsr_device *dev = tsr_device_open(w.ctx, "interp", NULL);
    tsr_module *m = dev ? tsr_module_parse(w.ctx, text, strlen(text), "waiting.mlir", 0) : NULL;
    tsr_program *p = m ? tsr_program_create(dev, m) : NULL;
    tsr_kernel *k = p ? tsr_kernel_get(p, "backwards") : NULL;
    tsr_buffer *x = k ? tsr_buffer_wrap(dev, memory, sizeof memory) : NULL;
    tsr_arg arg = x ? tsr_arg_buffer(x) : tsr_arg_address(memory);
    tsr_status status = k ? tsr_launch(k, (tsr_grid){BLOCKS, 1, 1}, &arg, 1) : TSR_ERROR_MEMORY;
    failed = status != TSR_OK || !x;
    if (x) tsr_buffer_destroy(x);
    if (p) tsr_program_destroy(p);
    if (m) tsr_module_destroy(m);
    if (dev) tsr_device_close(dev);
    bool reached = w.allocations >= at;
    world_close(&w);
    if (!reached) {
      assert_false(failed);
      assert_int_equal(memory[0], BLOCKS);
      return;
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_all_orders), cmocka_unit_test(test_compiled),
      cmocka_unit_test(test_what_never_comes), cmocka_unit_test(test_no_memory)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
