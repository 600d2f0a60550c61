/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The race detector: each way to synchronise, with and without it; and random programs against the
 * definition, computed as reachability in the graph of all events.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>

#include "emu/races.h"

enum { WRITE = RACE_WRITE, READ = 0, ATOMIC = RACE_WRITE | RACE_STRONG };

typedef struct fixture {
  races r;
  race_domain *d;
  shadow *s;
  race_report last;
  unsigned reports;
  uint64_t racy; /* bit: byte */
} fixture;

static void note(void *user, const race_report *r) {
  fixture *f = user;
  f->last = *r;
  f->reports++;
  if (r->offset < 64) f->racy |= UINT64_C(1) << r->offset;
}

static fixture *begin(fixture *f, uint32_t threads) {
  *f = (fixture){.r = {.report = note}};
  f->r.user = f;
  f->d = race_domain_create(&f->r, threads, threads);
  f->s = shadow_create(4096, false);
  assert_non_null(f->d);
  assert_non_null(f->s);
  return f;
}
static void end(fixture *f) {
  assert_false(f->r.out_of_memory);
  race_domain_destroy(f->d);
  shadow_destroy(f->s);
}
static void touch(fixture *f, uint32_t thread, unsigned flags, uint64_t offset, uint64_t bytes) {
  race_access(f->d, thread / 32 * 32, thread % 32, 0, flags, f->s, offset, bytes);
}
static void expect(fixture *f, unsigned reports) {
  assert_int_equal(f->reports, reports);
  f->reports = 0;
}

/* Accesses whose instruction does not tell whether they are strong. */
static void some_may_be_strong(void **unused) {
  (void)unused;
  enum { STORE = RACE_WRITE | RACE_MAYBE, LOAD = RACE_MAYBE, STRONG_READ = RACE_STRONG };
  static const struct {
    unsigned first, second, reports;
    bool possible;
  } cases[] = {
      {STORE, READ, 1, false},       {STORE, WRITE, 1, false},      {STORE, STORE, 1, false},
      {STORE, STRONG_READ, 1, true}, {STRONG_READ, STORE, 1, true}, {ATOMIC, STORE, 1, true},
      {ATOMIC, LOAD, 0, false},      {LOAD, ATOMIC, 0, false},      {LOAD, WRITE, 1, false},
      {STORE, LOAD, 1, false},
  };
  for (size_t k = 0; k < ARRAY_LEN(cases); k++) {
    fixture f;
    begin(&f, 64);
    touch(&f, 0, cases[k].first, 0, 4);
    touch(&f, 40, cases[k].second, 0, 4);
    if (cases[k].reports) assert_int_equal(f.last.possible, cases[k].possible);
    expect(&f, cases[k].reports);
    end(&f);
  }
  /* A store that may be strong is no reason to forget one that is not, nor the other way round. */
  fixture f;
  begin(&f, 64);
  touch(&f, 0, READ, 0, 4);
  touch(&f, 0, LOAD, 0, 4);
  touch(&f, 40, ATOMIC, 0, 4);
  expect(&f, 1);
  end(&f);
}

static void barrier(fixture *f, uint32_t first, uint32_t count) {
  race_sync s = {0};
  for (uint32_t t = first; t < first + count; t++) race_release(f->d, t, &s);
  for (uint32_t t = first; t < first + count; t++) race_acquire(f->d, t, &s);
  race_sync_free(&s);
}

static void test_barrier(void **state) {
  (void)state;
  fixture f;
  begin(&f, 128);
  touch(&f, 3, WRITE, 0, 4);
  touch(&f, 3, READ, 0, 4); /* its own */
  expect(&f, 0);
  touch(&f, 99, READ, 0, 4);
  expect(&f, 1);
  assert_int_equal(f.last.kind, RACE_READ_AFTER_WRITE);
  assert_int_equal(f.last.first.mask, 1 << 3);
  barrier(&f, 0, 128);
  touch(&f, 99, READ, 0, 4);
  touch(&f, 98, READ, 0, 4);
  expect(&f, 0);
  touch(&f, 1, WRITE, 0, 4); /* against two readers, of one warp */
  expect(&f, 1);
  assert_int_equal(f.last.kind, RACE_WRITE_AFTER_READ);
  barrier(&f, 0, 64); /* not with thread 99 */
  touch(&f, 40, WRITE, 0, 4);
  expect(&f, 0);
  touch(&f, 99, WRITE, 0, 4);
  expect(&f, 1);
  assert_int_equal(f.last.kind, RACE_WRITE_AFTER_WRITE);
  end(&f);
}

static void test_bytes(void **state) {
  (void)state;
  fixture f;
  begin(&f, 64);
  touch(&f, 0, WRITE, 1, 1);
  touch(&f, 33, WRITE, 2, 1); /* neighbours don't race */
  touch(&f, 34, WRITE, 0, 1);
  expect(&f, 0);
  touch(&f, 35, READ, 0, 4);
  expect(&f, 3);
  assert_int_equal(shadow_first_unwritten(f.s, 0, 4), 3);
  touch(&f, 0, WRITE, 8, 16);
  touch(&f, 1, READ, 22, 4);
  expect(&f, 2);
  assert_int_equal(shadow_first_unwritten(f.s, 8, 16), 16);
  assert_int_equal(shadow_first_unwritten(f.s, 8, 20), 16);
  end(&f);
}

static void test_warp(void **state) {
  (void)state;
  fixture f;
  begin(&f, 32);
  touch(&f, 0, WRITE, 0, 4);
  race_warp_sync(f.d, 0, 0x0000ffff);
  touch(&f, 15, READ, 0, 4);
  expect(&f, 0);
  touch(&f, 16, READ, 0, 4);
  expect(&f, 1);
  end(&f);
}

static void test_atomics(void **state) {
  (void)state;
  fixture f;
  begin(&f, 64);
  touch(&f, 0, ATOMIC, 0, 4);
  touch(&f, 40, ATOMIC, 0, 4);
  touch(&f, 41, RACE_STRONG, 0, 4);
  expect(&f, 0);
  touch(&f, 42, READ, 0, 4);
  expect(&f, 2);
  /* A flag: data; fence; relaxed write ... relaxed read; fence; data. */
  race_sync flag = {0};
  touch(&f, 1, WRITE, 64, 4);
  race_fence(f.d, 1);
  touch(&f, 1, ATOMIC, 68, 4);
  race_release_relaxed(f.d, 1, &flag);
  touch(&f, 50, RACE_STRONG, 68, 4);
  race_acquire_relaxed(f.d, 50, &flag);
  touch(&f, 50, READ, 64, 4); /* no fence yet */
  expect(&f, 1);
  race_fence(f.d, 50);
  touch(&f, 50, READ, 64, 4);
  expect(&f, 0);
  /* Without the writer's fence. */
  race_sync other = {0};
  touch(&f, 2, WRITE, 72, 4);
  race_release_relaxed(f.d, 2, &other);
  race_acquire_relaxed(f.d, 51, &other);
  race_fence(f.d, 51);
  touch(&f, 51, READ, 72, 4);
  expect(&f, 1);
  race_sync_free(&flag);
  race_sync_free(&other);
  end(&f);
}

static void test_cp_async(void **state) {
  (void)state;
  fixture f;
  begin(&f, 64);
  uint32_t slot = race_slot(f.d, RACE_SLOT_COPY, 0);
  assert_int_equal(race_slot(f.d, RACE_SLOT_COPY, 0), slot);
  race_access_async(f.d, 0, slot, 1, 0, WRITE, f.s, 0, 16);  /* group 1 */
  race_access_async(f.d, 0, slot, 2, 0, WRITE, f.s, 16, 16); /* group 2 */
  touch(&f, 0, READ, 0, 4);                                  /* its own, but it has not waited */
  expect(&f, 1);
  assert_false(f.last.waited);
  race_learn(f.d, 0, slot, 1);
  touch(&f, 0, READ, 0, 4);
  expect(&f, 0);
  touch(&f, 0, READ, 16, 4);
  expect(&f, 1);
  touch(&f, 33, READ, 4, 4); /* waited, but there was no barrier */
  expect(&f, 1);
  assert_true(f.last.waited);
  barrier(&f, 0, 64);
  touch(&f, 33, READ, 4, 4);
  expect(&f, 0);
  touch(&f, 33, READ, 20, 4);
  expect(&f, 1);
  /* Overwriting while it may still be under way. */
  race_access_async(f.d, 0, slot, 3, 0, WRITE, f.s, 0, 16);
  expect(&f, 1); /* the word that thread 33 read */
  end(&f);
}

static void test_proxy(void **state) {
  (void)state;
  fixture f;
  begin(&f, 64);
  uint32_t slot = race_slot(f.d, RACE_SLOT_BULK_READ, 32);
  touch(&f, 5, WRITE, 0, 4);
  touch(&f, 6, WRITE, 4, 4);
  race_fence_async(f.d, 5);
  barrier(&f, 0, 64);
  race_access_async(f.d, 32, slot, 1, 0, RACE_ASYNC, f.s, 0, 4);
  expect(&f, 0);
  race_access_async(f.d, 32, slot, 1, 0, RACE_ASYNC, f.s, 4, 4);
  expect(&f, 1);
  assert_int_equal(f.last.kind, RACE_PROXY);
  race_fence_async(f.d, 32); /* on the way is good enough */
  race_access_async(f.d, 32, slot, 1, 0, RACE_ASYNC, f.s, 4, 4);
  expect(&f, 0);
  touch(&f, 5, WRITE, 0, 4); /* the copy may still read it */
  expect(&f, 1);
  assert_int_equal(f.last.kind, RACE_WRITE_AFTER_READ);
  race_learn(f.d, 32, slot, 1);
  barrier(&f, 0, 64);
  touch(&f, 6, WRITE, 4, 4);
  expect(&f, 0);
  end(&f);
}

/* Two domains and a sync variable between them; then a new launch. */
static void test_domains(void **state) {
  (void)state;
  fixture f;
  begin(&f, 32);
  race_domain *e = race_domain_create(&f.r, 32, 32), *first = f.d;
  race_sync s = {0};
  touch(&f, 1, WRITE, 0, 4);
  touch(&f, 1, WRITE, 4, 4);
  race_release(f.d, 1, &s);
  touch(&f, 1, WRITE, 8, 4);
  f.d = e;
  touch(&f, 1, READ, 0, 4);
  expect(&f, 1);
  race_acquire(e, 1, &s);
  touch(&f, 1, READ, 4, 4);
  expect(&f, 0);
  touch(&f, 1, READ, 8, 4);
  expect(&f, 1);
  touch(&f, 2, READ, 4, 4);
  expect(&f, 1);
  race_warp_sync(e, 0, 0xff); /* passes on what was learned of the other domain */
  touch(&f, 2, READ, 4, 4);
  expect(&f, 0);
  race_launch_boundary(&f.r);
  race_domain *g = race_domain_create(&f.r, 32, 32);
  f.d = g;
  touch(&f, 9, WRITE, 8, 4);
  expect(&f, 0);
  f.d = first;
  race_sync_free(&s);
  race_domain_destroy(e);
  race_domain_destroy(g);
  end(&f);
}

/* ---- against the definition ----------------------------------------------------------------- */

static uint64_t state_ = 88172645463325252u;
static uint32_t rnd(uint32_t n) {
  state_ ^= state_ << 13;
  state_ ^= state_ >> 7;
  state_ ^= state_ << 17;
  return (uint32_t)((state_ * 0x2545f4914f6cdd1dull >> 32) % n);
}

enum { EVENTS = 64, THREADS = 5, VARIABLES = 6, SYNCS = 3 };
typedef struct event {
  uint8_t thread, offset, bytes, flags;
  bool is_access;
  uint64_t before; /* events that happen before it, as bits */
} event;

/* One random program; which bytes have a race, by the definition. The detector must find a race on
 * the same bytes. */
static void random_program(void) {
  static event e[EVENTS];
  uint64_t last[THREADS] = {0}, left[SYNCS] = {0}, expected = 0;
  race_sync syncs[SYNCS] = {{0}};
  fixture f;
  begin(&f, 160);
  for (unsigned i = 0; i < EVENTS; i++) {
    uint32_t t = rnd(THREADS), thread = t < 3 ? t : 32 * t;
    uint32_t what = rnd(10), k = rnd(SYNCS);
    e[i] = (event){.thread = (uint8_t)t, .before = last[t]};
    if (what < 6) {
      uint8_t bytes = (uint8_t)(1u << rnd(3));
      e[i].is_access = true;
      e[i].bytes = bytes;
      e[i].offset = (uint8_t)(rnd(VARIABLES * 4 / bytes) * bytes);
      e[i].flags = (uint8_t)(rnd(2) ? WRITE : READ) | (rnd(4) == 0 ? RACE_STRONG : 0);
      touch(&f, thread, e[i].flags, e[i].offset, bytes);
    } else if (what < 8) {
      left[k] |= last[t];
      race_release(f.d, thread, &syncs[k]);
    } else {
      last[t] |= left[k];
      race_acquire(f.d, thread, &syncs[k]);
    }
    last[t] |= UINT64_C(1) << i;
  }
  for (unsigned i = 0; i < EVENTS; i++) {
    for (unsigned j = 0; j < i; j++) {
      if (!e[i].is_access || !e[j].is_access || e[i].before >> j & 1) continue;
      if (!((e[i].flags | e[j].flags) & WRITE) || e[i].flags & e[j].flags & RACE_STRONG) continue;
      for (unsigned b = 0; b < 64; b++)
        if (b >= e[i].offset && b < e[i].offset + e[i].bytes && b >= e[j].offset &&
            b < e[j].offset + e[j].bytes)
          expected |= UINT64_C(1) << b;
    }
  }
  /* A word that is not split is reported at its first byte. */
  uint64_t got = 0;
  for (unsigned b = 0; b < 64; b++)
    if (f.racy >> b & 1) got |= UINT64_C(1) << b;
  for (unsigned w = 0; w < 64; w += 4) {
    bool want = expected >> w & 15, have = got >> w & 15;
    if (want != have) fail_msg("word %u: %s", w, want ? "a race was missed" : "no race there");
  }
  for (unsigned k = 0; k < SYNCS; k++) race_sync_free(&syncs[k]);
  end(&f);
}

static void test_random(void **state) {
  (void)state;
  for (unsigned i = 0; i < 3000; i++) random_program();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(some_may_be_strong), cmocka_unit_test(test_barrier),
      cmocka_unit_test(test_bytes),         cmocka_unit_test(test_warp),
      cmocka_unit_test(test_atomics),       cmocka_unit_test(test_cp_async),
      cmocka_unit_test(test_proxy),         cmocka_unit_test(test_domains),
      cmocka_unit_test(test_random),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
