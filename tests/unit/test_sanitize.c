/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The sanitizer: what it remembers of memory and of the order of accesses, and what a caller of the
 * library gets. What it finds in kernels is tested in tests/sanitize/.
 */
#include "interp/sanitize/events.h"
#include "interp/sanitize/shadow.h"
#include "rt_support.h"

/* ---- shadow memory -------------------------------------------------------------------------- */

typedef struct setup {
  world w;
  arena a;
  shadow s;
  events e;
} setup;

static void begin(setup *t) {
  world_open(&t->w);
  arena_init(&t->a, t->w.ctx);
  shadow_init(&t->s, &t->a);
  events_init(&t->e, &t->a);
}

static void end(setup *t) {
  arena_free(&t->a);
  world_close(&t->w);
}

/* Marks the cells of an access with a writer; returns how many there are. */
static unsigned write_cells(setup *t, uint64_t unit, unsigned units, event by) {
  shadow_span spans[2];
  unsigned n = shadow_cells(&t->s, unit, units, spans), cells = 0;
  for (unsigned p = 0; p < n; p++)
    for (unsigned k = 0; k < spans[p].n; k++, cells++) spans[p].cells[k].write = by;
  return cells;
}

static event writer_of(setup *t, uint64_t unit) {
  shadow_span spans[2];
  assert_int_equal(shadow_cells(&t->s, unit, 1, spans), 1);
  assert_int_equal(spans[0].n, 1);
  return spans[0].cells[0].write;
}

static void test_cells_are_as_large_as_accesses(void **state) {
  (void)state;
  setup t;
  begin(&t);
  uint64_t at = UINT64_C(0x7f0000001000) * 2;
  assert_int_equal(write_cells(&t, at, 8, 1), 1);
  assert_int_equal(write_cells(&t, at + 8, 8, 2), 1);
  assert_int_equal(write_cells(&t, at, 16, 3), 2); /* two cells of 8, since those exist */
  assert_int_equal(write_cells(&t, at + 2, 2, 4), 1);
  assert_int_equal(write_cells(&t, at + 8, 8, 5), 4); /* all of the chunk was split */
  static const event expected[] = {3, 3, 4, 4, 3, 3, 3, 3, 5, 5, 5, 5, 5, 5, 5, 5, 0};
  for (unsigned k = 0; k < ARRAY_LEN(expected); k++)
    assert_int_equal(writer_of(&t, at + k), expected[k]);
  end(&t);
}

static void test_half_bytes(void **state) {
  (void)state;
  setup t;
  begin(&t);
  write_cells(&t, 2001, 1, 7);
  assert_int_equal(writer_of(&t, 2000), 0);
  assert_int_equal(writer_of(&t, 2001), 7);
  assert_int_equal(writer_of(&t, 2002), 0);
  end(&t);
}

static void test_across_chunks(void **state) {
  (void)state;
  setup t;
  begin(&t);
  uint64_t edge = 10 * SHADOW_CHUNK;
  shadow_span spans[2];
  assert_int_equal(shadow_cells(&t.s, edge - 6, 16, spans), 2);
  assert_int_equal(spans[0].n, 3); /* units of 2: that is how it is aligned */
  assert_int_equal(spans[1].n, 5);
  write_cells(&t, edge - 6, 16, 9);
  for (int k = -8; k < 12; k++)
    assert_int_equal(writer_of(&t, edge + (uint64_t)(int64_t)k), k >= -6 && k < 10 ? 9 : 0);
  end(&t);
}

/* Every unit is tracked on its own, whatever sizes the accesses have: against an array. */
static void test_random_accesses(void **state) {
  (void)state;
  enum { UNITS = 5 * SHADOW_CHUNK, ROUNDS = 4000 };
  setup t;
  begin(&t);
  static event last[UNITS];
  static bool unwritten[UNITS];
  memset(last, 0, sizeof last);
  memset(unwritten, 0, sizeof unwritten);
  uint64_t base = UINT64_C(1) << 40, seed = 12345;
  for (event round = 1; round <= ROUNDS; round++) {
    seed = hash_mix(seed, round);
    unsigned units = 1u << seed % 5, what = seed >> 8 & 15;
    uint64_t at = (seed >> 16) % (UNITS - 160);
    if (what == 0) {
      unsigned many = 1 + (unsigned)(seed >> 48 & 127);
      shadow_forget(&t.s, base + at, many);
      for (unsigned k = 0; k < many; k++) last[at + k] = 0, unwritten[at + k] = true;
      continue;
    }
    if (what & 1) at -= at % units;
    bool any = false;
    for (unsigned k = 0; k < units; k++) any |= unwritten[at + k];
    assert_int_equal(shadow_is_unwritten(&t.s, base + at, units), any);
    write_cells(&t, base + at, units, round);
    shadow_mark_written(&t.s, base + at, units);
    for (unsigned k = 0; k < units; k++) last[at + k] = round, unwritten[at + k] = false;
  }
  for (unsigned k = 0; k < UNITS; k++) {
    assert_int_equal(writer_of(&t, base + k), last[k]);
    assert_int_equal(shadow_is_unwritten(&t.s, base + k, 1), unwritten[k]);
  }
  end(&t);
}

/* ---- order ---------------------------------------------------------------------------------- */

static event add(setup *t, event follows, uint64_t block) {
  return events_add(&t->e, &(event_info){.follows = follows, .block = block});
}

static void test_tokens_order(void **state) {
  (void)state;
  setup t;
  begin(&t);
  event a = add(&t, 0, 0), b = add(&t, a, 0), c = add(&t, a, 0), d = add(&t, b, 0);
  assert_true(events_ordered(&t.e, a, a));
  assert_true(events_ordered(&t.e, a, b));
  assert_true(events_ordered(&t.e, a, d));
  assert_false(events_ordered(&t.e, c, d));
  assert_false(events_ordered(&t.e, b, c));
  assert_false(events_ordered(&t.e, d, a)); /* later ones never come before */
  event join = add(&t, c, 0);
  assert_false(events_ordered(&t.e, b, join));
  events_follow(&t.e, join, d);
  assert_true(events_ordered(&t.e, b, join)); /* the answer before does not stick */
  assert_true(events_ordered(&t.e, 0, join));
  end(&t);
}

static void test_order_across_blocks(void **state) {
  (void)state;
  setup t;
  begin(&t);
  event data = add(&t, 0, 0), other = add(&t, 0, 0), release = add(&t, data, 0);
  event acquire = add(&t, 0, 1);
  assert_false(events_ordered(&t.e, data, acquire));
  events_follow(&t.e, acquire, release);
  event use = add(&t, acquire, 1), apart = add(&t, 0, 1);
  assert_true(events_ordered(&t.e, data, use));
  assert_false(events_ordered(&t.e, other, use));  /* no token leads to the release */
  assert_false(events_ordered(&t.e, data, apart)); /* nor from the acquire */
  end(&t);
}

/* Chains and joins of many events, against the relation worked out in full. */
static void test_random_order(void **state) {
  (void)state;
  enum { N = 300 };
  setup t;
  begin(&t);
  static bool before[N + 1][N + 1];
  memset(before, 0, sizeof before);
  uint64_t seed = 99;
  for (event k = 1; k <= N; k++) {
    seed = hash_mix(seed, k);
    event first = (event)(seed % k), second = (event)((seed >> 20) % k);
    assert_int_equal(add(&t, first, k / 40), k);
    if (seed >> 60 & 1) events_follow(&t.e, k, second);
    bool joins = seed >> 60 & 1;
    for (event x = 1; x < k; x++)
      before[x][k] =
          x == first || before[x][first] || (joins && (x == second || before[x][second]));
    before[k][k] = true;
    /* Questions from the newest to the oldest make the search go back in steps. */
    for (event x = k; x >= 1; x--) {
      bool same_block = (x / 40) == (k / 40);
      if (!same_block && !t.e.across) continue;
      assert_int_equal(events_ordered(&t.e, x, k), before[x][k]);
    }
  }
  end(&t);
}

/* ---- the interface -------------------------------------------------------------------------- */

static const char kernel_text[] =
    "cuda_tile.module @m { entry @k(%x: tile<ptr<i32>>, %n: tile<i32>) {\n"
    "  %b, %by, %bz = get_tile_block_id : tile<i32>\n"
    "  %p = offset %x, %n : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>\n"
    "  %t0 = store_ptr_tko weak %p, %b : tile<ptr<i32>>, tile<i32> -> token\n"
    "  %m = alloca num_elem = 4, alignment = 16 : tile<ptr<i32>>\n"
    "  %v, %t1 = load_ptr_tko weak %m : tile<ptr<i32>> -> tile<i32>, token\n"
    "  %t2 = join_tokens %t0, %t1 : token\n"
    "} }\n";

typedef struct collected {
  unsigned count;
  tsr_finding last;
  char message[256], buffer[64], other[64];
} collected;

static void collect(void *user, const tsr_finding *f) {
  collected *c = user;
  c->count++;
  c->last = *f;
  snprintf(c->message, sizeof c->message, "%s", f->message);
  snprintf(c->buffer, sizeof c->buffer, "%s", f->buffer ? f->buffer : "");
  snprintf(c->other, sizeof c->other, "%s", f->other_operation ? f->other_operation : "");
}

/* Launches the kernel on 4 numbers, or on their address. */
static tsr_status launch(world *w, tsr_device_options *options, unsigned blocks, int32_t n,
                         int32_t *memory, bool by_address) {
  options->struct_size = sizeof *options;
  tsr_device *dev = tsr_device_open(w->ctx, "interp", options);
  if (!dev) return TSR_ERROR_USAGE;
  tsr_module *m = tsr_module_parse(w->ctx, kernel_text, strlen(kernel_text), "k.mlir", 0);
  tsr_program *p = m ? tsr_program_create(dev, m) : NULL;
  tsr_kernel *k = p ? tsr_kernel_get(p, NULL) : NULL;
  tsr_buffer *x = tsr_buffer_wrap(dev, memory, 4 * sizeof *memory);
  tsr_status status = TSR_ERROR_MEMORY;
  if (k && x) {
    tsr_arg args[] = {by_address ? tsr_arg_address(memory) : tsr_arg_buffer(x), tsr_arg_i32(n)};
    status = tsr_launch(k, (tsr_grid){blocks, 1, 1}, args, 2);
  }
  tsr_buffer_destroy(x);
  tsr_program_destroy(p);
  tsr_module_destroy(m);
  tsr_device_close(dev);
  return status;
}

static void test_callback(void **state) {
  (void)state;
  world w;
  world_open(&w);
  int32_t memory[8] = {0};
  collected c = {0};
  tsr_device_options options = {
      .sanitize = TSR_SANITIZE_BOUNDS, .on_finding = collect, .finding_user = &c};
  assert_int_equal(launch(&w, &options, 2, 5, memory, false), TSR_ERROR_TRAP);
  expect_quiet(&w);             /* findings go to the callback alone */
  assert_int_equal(c.count, 1); /* the second tile block's is a repetition */
  assert_int_equal(c.last.check, TSR_SANITIZE_BOUNDS);
  assert_string_equal(c.message, "store_ptr_tko writes element 5 of %x, which has 4 of i32");
  assert_string_equal(c.buffer, "%x");
  assert_int_equal(c.last.offset, 20);
  assert_true(c.last.address == (uintptr_t)&memory[5]);
  assert_int_equal(c.last.line, 4);
  assert_int_equal(c.last.element, 0);
  assert_int_equal(c.last.count, 1);
  assert_int_equal(memory[5], 0); /* it was left out */
  world_close(&w);
}

static void test_race_callback(void **state) {
  (void)state;
  world w;
  world_open(&w);
  int32_t memory[4] = {0};
  collected c = {0};
  tsr_device_options options = {
      .sanitize = TSR_SANITIZE_RACE, .on_finding = collect, .finding_user = &c};
  assert_int_equal(launch(&w, &options, 3, 1, memory, false), TSR_ERROR_TRAP);
  assert_int_equal(c.count, 1);
  assert_string_equal(c.other, "store_ptr_tko");
  assert_int_equal(c.last.block[0], 1);
  assert_int_equal(c.last.other_block[0], 0);
  assert_int_equal(c.last.other_line, 4);
  assert_int_equal(memory[1], 2);
  world_close(&w);
}

static void test_stop(void **state) {
  (void)state;
  world w;
  world_open(&w);
  int32_t memory[4] = {7, 7, 7, 7};
  collected c = {0};
  tsr_device_options options = {.sanitize = TSR_SANITIZE_ALL,
                                .sanitize_stop = true,
                                .on_finding = collect,
                                .finding_user = &c};
  assert_int_equal(launch(&w, &options, 5, -1, memory, false), TSR_ERROR_TRAP);
  assert_int_equal(c.count, 1);
  assert_int_equal(c.last.check, TSR_SANITIZE_BOUNDS);
  assert_int_equal(c.last.block[0], 0);
  world_close(&w);
}

/* Nobody knows how large it is; but uninitialised memory is found all the same. */
static void test_address(void **state) {
  (void)state;
  world w;
  world_open(&w);
  int32_t memory[8] = {0};
  collected c = {0};
  tsr_device_options options = {.sanitize = TSR_SANITIZE_BOUNDS | TSR_SANITIZE_INIT,
                                .on_finding = collect,
                                .finding_user = &c};
  assert_int_equal(launch(&w, &options, 2, 6, memory, true), TSR_ERROR_TRAP);
  assert_int_equal(c.count, 1);
  assert_int_equal(c.last.check, TSR_SANITIZE_INIT);
  assert_string_equal(c.buffer, "alloca %m");
  assert_int_equal(memory[6], 1);
  world_close(&w);
}

static void test_clean(void **state) {
  (void)state;
  world w;
  world_open(&w);
  int32_t memory[4] = {0};
  tsr_device_options options = {.sanitize = TSR_SANITIZE_ALL & ~TSR_SANITIZE_INIT};
  assert_int_equal(launch(&w, &options, 1, 3, memory, false), TSR_OK);
  assert_int_equal(w.errors, 0);
  assert_non_null(
      strstr(w.messages, "sanitizer: nothing found (bounds, assume, race, arith) in 1"));
  world_close(&w);
}

static void test_wrong_options(void **state) {
  (void)state;
  world w;
  world_open(&w);
  tsr_device_options options = {.struct_size = sizeof options, .sanitize = 64};
  assert_null(tsr_device_open(w.ctx, "interp", &options));
  expect_error(&w, "0x40 is no mask of tsr_sanitize");
  options.sanitize = TSR_SANITIZE_RACE;
  assert_null(tsr_device_open(w.ctx, "cpu", &options));
  expect_error(&w,
               "the device 'cpu' checks bounds and assume only; only 'interp' checks everything");
  world_close(&w);
}

/* Each allocation fails once: nothing is lost, and the launch says so. */
static void test_no_memory(void **state) {
  (void)state;
  for (long at = 2;; at++) {
    world w;
    world_open_failing(&w, at);
    if (!w.ctx) continue;
    int32_t memory[4] = {0};
    tsr_device_options options = {.sanitize = TSR_SANITIZE_ALL};
    tsr_status status = launch(&w, &options, 2, 1, memory, false);
    bool failed = w.allocations >= at;
    if (failed) assert_true(status == TSR_ERROR_MEMORY || status == TSR_ERROR_USAGE || w.errors);
    world_close(&w);
    if (!failed) break;
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_cells_are_as_large_as_accesses),
      cmocka_unit_test(test_half_bytes),
      cmocka_unit_test(test_across_chunks),
      cmocka_unit_test(test_random_accesses),
      cmocka_unit_test(test_tokens_order),
      cmocka_unit_test(test_order_across_blocks),
      cmocka_unit_test(test_random_order),
      cmocka_unit_test(test_callback),
      cmocka_unit_test(test_race_callback),
      cmocka_unit_test(test_stop),
      cmocka_unit_test(test_address),
      cmocka_unit_test(test_clean),
      cmocka_unit_test(test_wrong_options),
      cmocka_unit_test(test_no_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
