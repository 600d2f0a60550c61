/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The thread pool and the orders of tile blocks.
 */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/base.h"
#include "rt/order.h"
#include "rt/pool.h"

/* ---- memory: counted, and refused after a while --------------------------------------------- */

typedef struct memory {
  atomic_long live, left; /* `left`: how many more allocations succeed; negative: all */
} memory;

static void *allocate(void *user, size_t size) {
  memory *m = user;
  if (atomic_load(&m->left) >= 0 && atomic_fetch_sub(&m->left, 1) <= 0) {
    atomic_store(&m->left, 0);
    return NULL;
  }
  atomic_fetch_add(&m->live, (long)size);
  return malloc(size);
}

static void release(void *user, void *p, size_t size) {
  memory *m = user;
  atomic_fetch_sub(&m->live, (long)size);
  free(p);
}

static memory plenty = {.left = -1};

static pool *make_pool(unsigned threads) {
  pool *p = pool_create(threads, (pool_memory){allocate, release, &plenty});
  assert_non_null(p);
  return p;
}

static void drop_pool(pool *p) {
  pool_destroy(p);
  assert_int_equal(atomic_load(&plenty.live), 0);
}

/* ---- every unit once ------------------------------------------------------------------------ */

typedef struct counts {
  atomic_uchar *hits;
  uint64_t total;
  atomic_uint_fast64_t units;
  atomic_bool wrong;
} counts;

static bool count_units(void *user, void *scratch, uint64_t first, uint64_t last) {
  counts *c = user;
  if (scratch) {
    if ((uintptr_t)scratch % 64) atomic_store(&c->wrong, true);
    /* Nobody else writes into this thread's scratch. */
    memset(scratch, (int)(first & 0xff), 256);
    for (int i = 0; i < 256; i++)
      if (((unsigned char *)scratch)[i] != (first & 0xff)) atomic_store(&c->wrong, true);
  }
  if (first >= last || last > c->total) atomic_store(&c->wrong, true);
  for (uint64_t i = first; i < last; i++) atomic_fetch_add(&c->hits[i], 1);
  atomic_fetch_add(&c->units, last - first);
  return true;
}

static void run_counted(pool *p, uint64_t total, size_t scratch_bytes) {
  counts c = {.hits = calloc(total ? total : 1, 1), .total = total};
  pool_job job = {count_units, &c, total, scratch_bytes, NULL};
  assert_true(pool_run(p, &job));
  assert_false(atomic_load(&c.wrong));
  assert_int_equal(atomic_load(&c.units), total);
  for (uint64_t i = 0; i < total; i++) assert_int_equal(c.hits[i], 1);
  free(c.hits);
}

/* Units that share something go to one thread, until too few are left for the others; also where
 * more than one such group is begun at once. */
enum { TOGETHER = 4, TOGETHER_TOTAL = 260 };

static bool note_pieces(void *user, void *scratch, uint64_t first, uint64_t last) {
  (void)scratch;
  atomic_uchar *lengths = user;
  atomic_store(&lengths[first], (unsigned char)(last - first));
  return true;
}

static void units_stay_together(void **state) {
  (void)state;
  for (unsigned threads = 2; threads <= 3; threads++) { /* a single one takes all at once */
    atomic_uchar lengths[TOGETHER_TOTAL] = {0};
    pool *p = make_pool(threads);
    pool_job job = {note_pieces, lengths, TOGETHER_TOTAL, 0, .together = TOGETHER};
    assert_true(pool_run(p, &job));
    unsigned all = 0;
    for (unsigned i = 0; i < TOGETHER_TOTAL; i++) all += lengths[i];
    assert_int_equal(all, TOGETHER_TOTAL);
    for (unsigned i = 0; i + TOGETHER * threads <= TOGETHER_TOTAL; i++)
      assert_int_equal(i % TOGETHER ? lengths[i] : lengths[i] % TOGETHER, 0);
    drop_pool(p);
  }
}

/* ---- parts ---------------------------------------------------------------------------------- */

enum { PART_UNITS = 4096 };

typedef struct parts {
  pthread_t caller;
  atomic_bool begun[2]; /* by the caller, by the other thread */
  uint64_t first[2];    /* unit that each began with */
  atomic_uint units;
} parts;

/* Each thread waits with its first chunk until the other has one, too. */
static bool note_first(void *user, void *scratch, uint64_t first, uint64_t last) {
  (void)scratch;
  parts *n = user;
  unsigned who = pthread_equal(pthread_self(), n->caller) ? 0 : 1;
  atomic_fetch_add(&n->units, (unsigned)(last - first));
  if (atomic_load(&n->begun[who])) return true;
  n->first[who] = first;
  atomic_store(&n->begun[who], true);
  while (!atomic_load(&n->begun[1 - who])) sched_yield();
  return true;
}

static void expect_first(pool *p, pool_job job, uint64_t most) {
  parts n = {.caller = pthread_self()};
  job.run = note_first, job.user = &n, job.total = PART_UNITS;
  assert_true(pool_run(p, &job));
  assert_int_equal(atomic_load(&n.units), PART_UNITS);
  if (most)
    assert_true(n.first[0] < most && n.first[1] < most);
  else
    assert_true(n.first[0] == 0 && n.first[1] == PART_UNITS / 2);
}

/* What a thread's cache has from the last job is found there by the next; where order matters,
 * units are begun one after the other. */
static void threads_begin_with_their_own_parts(void **state) {
  (void)state;
  enum { FEW = 4, NEXT = 256 };
  pool *p = make_pool(2);
  for (unsigned i = 0; i < FEW; i++) expect_first(p, (pool_job){.together = 0}, 0);
  expect_first(p, (pool_job){.waits = true, .patience_ms = 10000}, NEXT);
  expect_first(p, (pool_job){.together = 8}, NEXT);
  drop_pool(p);
}

static void every_unit_once(void **state) {
  (void)state;
  static const unsigned threads[] = {1, 2, 3, 8};
  static const uint64_t totals[] = {0, 1, 2, 3, 7, 64, 1000, 100000};
  for (size_t t = 0; t < ARRAY_LEN(threads); t++) {
    pool *p = make_pool(threads[t]);
    for (size_t i = 0; i < ARRAY_LEN(totals); i++) {
      run_counted(p, totals[i], 0);
      run_counted(p, totals[i], 256);
      run_counted(p, totals[i], 100000); /* grows */
    }
    drop_pool(p);
  }
}

/* Threads of a pinned pool may run on one processor only; the caller, and others, where they like.
 */
typedef struct places {
  pthread_t caller;
  atomic_int pinned, free, callers, processor;
  int allowed;
} places;

/* A worker that finds itself on the caller's processor goes elsewhere, and may come back later:
 * what it may run on stays. */
static bool go_to_caller(void *user, void *scratch, uint64_t first, uint64_t last) {
  (void)scratch;
  (void)first;
  (void)last;
  places *x = user;
  cpu_set_t all, one;
  assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
  if (pthread_equal(pthread_self(), x->caller)) {
    x->processor = sched_getcpu();
    for (int i = 0; i < 1000 && atomic_load(&x->free) == 0; i++) sched_yield();
    return true;
  }
  assert_int_equal(CPU_COUNT(&all), x->allowed);
  CPU_ZERO(&one);
  CPU_SET(atomic_load(&x->processor), &one);
  sched_setaffinity(0, sizeof one, &one);
  sched_setaffinity(0, sizeof all, &all);
  atomic_fetch_add(&x->free, 1);
  return true;
}

static void workers_make_room(void **state) {
  (void)state;
  cpu_set_t allowed;
  sched_getaffinity(0, sizeof allowed, &allowed);
  places x = {.caller = pthread_self(), .allowed = CPU_COUNT(&allowed)};
  x.processor = sched_getcpu();
  pool *p = make_pool(2);
  pool_job job = {go_to_caller, &x, 4, 0, NULL};
  for (unsigned i = 0; i < 200; i++) {
    atomic_store(&x.free, 0);
    assert_true(pool_run(p, &job));
  }
  drop_pool(p);
}

static bool look_where(void *user, void *scratch, uint64_t first, uint64_t last) {
  (void)scratch;
  (void)first;
  (void)last;
  places *x = user;
  cpu_set_t set;
  assert_int_equal(sched_getaffinity(0, sizeof set, &set), 0);
  if (pthread_equal(pthread_self(), x->caller))
    atomic_fetch_add(&x->callers, CPU_COUNT(&set));
  else
    atomic_fetch_add(CPU_COUNT(&set) == 1 ? &x->pinned : &x->free, 1);
  usleep(200); /* so that others get some */
  return true;
}

static void pinned_threads_stay(void **state) {
  (void)state;
  cpu_set_t before, after;
  sched_getaffinity(0, sizeof before, &before);
  for (unsigned pinned = 0; pinned < 2; pinned++) {
    places x = {.caller = pthread_self()};
    pool *p = make_pool(3);
    if (pinned) pool_pin(p);
    pool_job job = {look_where, &x, 200, 0, NULL};
    assert_true(pool_run(p, &job));
    drop_pool(p);
    bool one = CPU_COUNT(&before) == 1;
    assert_true(pinned ? x.free == 0 : one || x.pinned == 0);
    assert_true(x.pinned + x.free > 0);
  }
  sched_getaffinity(0, sizeof after, &after);
  assert_true(CPU_EQUAL(&before, &after));
}

static void many_small_jobs(void **state) {
  (void)state;
  pool *p = make_pool(4);
  for (uint64_t i = 0; i < 3000; i++) run_counted(p, 1 + i % 17, i % 3 ? 256 : 0);
  drop_pool(p);
}

static void a_pool_without_a_job_stops(void **state) {
  (void)state;
  for (unsigned i = 0; i < 50; i++) {
    pool *p = make_pool(4);
    if (i % 2) run_counted(p, 9, 0); /* its threads may be spinning, asleep, or just starting */
    drop_pool(p);
  }
}

/* A job that was short last time is begun alone, and shared when it isn't over soon. */
typedef struct slow {
  pthread_t caller;
  atomic_int others, calls;
  int64_t unit_ns;
} slow;

static bool work_slowly(void *user, void *scratch, uint64_t first, uint64_t last) {
  (void)scratch;
  slow *s = user;
  for (uint64_t i = first; i < last; i++) {
    struct timespec pause = {0, s->unit_ns};
    if (s->unit_ns) nanosleep(&pause, NULL);
    atomic_fetch_add(&s->calls, 1);
    if (!pthread_equal(pthread_self(), s->caller)) atomic_fetch_add(&s->others, 1);
  }
  return true;
}

/* One run of 16 units that are said to take `said` ns and take `real`. Returns how many of them
 * other threads executed. */
static int run_units(pool *p, uint32_t said, int64_t real, uint32_t *learned) {
  _Atomic uint32_t unit_ns = said;
  slow s = {.caller = pthread_self(), .unit_ns = real};
  pool_job job = {work_slowly, &s, 16, 0, &unit_ns};
  assert_true(pool_run(p, &job));
  assert_int_equal(atomic_load(&s.calls), 16);
  *learned = atomic_load(&unit_ns);
  return atomic_load(&s.others);
}

static void short_jobs_stay_with_the_caller(void **state) {
  (void)state;
  pool *p = make_pool(3);
  uint32_t learned;
  /* Now and then the machine takes the caller away for so long that a short job becomes a long
   * one, or the others never come; so it is tried until it was as it should be. */
  int tries = 0;
  while (run_units(p, 10, 0, &learned) != 0) assert_true(++tries < 100);
  assert_true(learned > 0);
  while (run_units(p, 10, 2000000, &learned) == 0) assert_true(++tries < 200);
  assert_true(learned > 10);
  drop_pool(p);
}

/* ---- several callers ------------------------------------------------------------------------ */

static void *launch_repeatedly(void *arg) {
  for (uint64_t i = 0; i < 300; i++) run_counted(arg, 1 + i % 40, 256);
  return NULL;
}

static void several_callers(void **state) {
  (void)state;
  pool *p = make_pool(3);
  pthread_t threads[4];
  for (size_t i = 0; i < ARRAY_LEN(threads); i++)
    assert_int_equal(pthread_create(&threads[i], NULL, launch_repeatedly, p), 0);
  for (size_t i = 0; i < ARRAY_LEN(threads); i++) pthread_join(threads[i], NULL);
  drop_pool(p);
}

/* A job of one caller that waits for a job of another: none may wait for the pool as a whole. */
typedef struct meeting {
  pool *pool;
  atomic_int arrived;
} meeting;

static bool meet(void *user, void *scratch, uint64_t first, uint64_t last) {
  (void)scratch;
  (void)last;
  meeting *m = user;
  if (first == 0) {
    atomic_fetch_add(&m->arrived, 1);
    while (atomic_load(&m->arrived) < 2) sched_yield();
  }
  return true;
}

static void *go_meeting(void *arg) {
  meeting *m = arg;
  pool_job job = {meet, m, 4, 0, NULL};
  pool_run(m->pool, &job);
  return NULL;
}

static void jobs_run_side_by_side(void **state) {
  (void)state;
  for (unsigned threads = 1; threads <= 3; threads++) {
    meeting m = {.pool = make_pool(threads)};
    pthread_t other;
    assert_int_equal(pthread_create(&other, NULL, go_meeting, &m), 0);
    go_meeting(&m);
    pthread_join(other, NULL);
    drop_pool(m.pool);
  }
}

/* A unit that runs a job on the same pool. */
typedef struct nest {
  pool *pool;
  atomic_uint inner;
} nest;

static bool count_inner(void *user, void *scratch, uint64_t first, uint64_t last) {
  (void)scratch;
  atomic_fetch_add(&((nest *)user)->inner, (unsigned)(last - first));
  return true;
}

static bool run_inner(void *user, void *scratch, uint64_t first, uint64_t last) {
  (void)scratch;
  nest *n = user;
  pool_job job = {count_inner, n, 10, 64, NULL};
  for (uint64_t i = first; i < last; i++) pool_run(n->pool, &job);
  return true;
}

static void jobs_nest(void **state) {
  (void)state;
  nest n = {.pool = make_pool(3)};
  pool_job job = {run_inner, &n, 50, 64, NULL};
  assert_true(pool_run(n.pool, &job));
  assert_int_equal(atomic_load(&n.inner), 500);
  drop_pool(n.pool);
}

/* ---- progress ------------------------------------------------------------------------------- */

/* Every unit waits for the one before it: the hardest chain that is allowed. */
typedef struct chain {
  _Atomic uint64_t ended;
} chain;

static bool wait_for_previous(void *user, void *scratch, uint64_t first, uint64_t last) {
  (void)scratch;
  chain *c = user;
  for (uint64_t i = first; i < last; i++) {
    while (atomic_load(&c->ended) != i) sched_yield();
    atomic_store(&c->ended, i + 1);
  }
  return true;
}

static void units_may_wait_for_earlier_ones(void **state) {
  (void)state;
  static const uint64_t totals[] = {2, 5, 33, 1000, 20000};
  for (unsigned threads = 1; threads <= 5; threads++) {
    pool *p = make_pool(threads);
    for (size_t i = 0; i < ARRAY_LEN(totals); i++) {
      chain c = {0};
      pool_job job = {wait_for_previous, &c, totals[i], 0, NULL};
      assert_true(pool_run(p, &job));
      assert_int_equal(atomic_load(&c.ended), totals[i]);
    }
    drop_pool(p);
  }
}

/* A spin lock across units; the plain counter shows that it excludes. */
typedef struct locked {
  atomic_flag flag;
  uint64_t value;
} locked;

static bool add_under_lock(void *user, void *scratch, uint64_t first, uint64_t last) {
  (void)scratch;
  locked *l = user;
  for (uint64_t i = first; i < last; i++) {
    while (atomic_flag_test_and_set_explicit(&l->flag, memory_order_acquire)) sched_yield();
    l->value++;
    atomic_flag_clear_explicit(&l->flag, memory_order_release);
  }
  return true;
}

static void units_may_lock(void **state) {
  (void)state;
  pool *p = make_pool(4);
  locked l = {.flag = ATOMIC_FLAG_INIT};
  pool_job job = {add_under_lock, &l, 20000, 0, NULL};
  assert_true(pool_run(p, &job));
  assert_int_equal(l.value, 20000);
  drop_pool(p);
}

/* ---- units that wait for later ones ---------------------------------------------------------- */

enum { WAITING_UNITS = 60 };

typedef struct backwards {
  atomic_bool done[WAITING_UNITS];
  atomic_uint arrived;
} backwards;

/* The last unit ends first. */
static bool wait_for_next(void *user, void *scratch, uint64_t first, uint64_t last) {
  backwards *b = user;
  assert_int_equal(last, first + 1);
  assert_non_null(scratch);
  while (last < WAITING_UNITS && !atomic_load(&b->done[last])) sched_yield();
  atomic_store(&b->done[first], true);
  return true;
}

/* None ends before all have begun. */
static bool wait_for_all(void *user, void *scratch, uint64_t first, uint64_t last) {
  backwards *b = user;
  (void)scratch;
  atomic_fetch_add(&b->arrived, (unsigned)(last - first));
  while (atomic_load(&b->arrived) < WAITING_UNITS) sched_yield();
  return true;
}

static void units_may_wait_for_later_ones(void **state) {
  (void)state;
  for (unsigned threads = 1; threads <= 2; threads++) {
    pool *p = make_pool(threads);
    backwards b = {0};
    pool_job job = {.run = wait_for_next,
                    .user = &b,
                    .total = WAITING_UNITS,
                    .scratch_bytes = 64,
                    .waits = true};
    assert_true(pool_run(p, &job));
    for (unsigned i = 0; i < WAITING_UNITS; i++) assert_true(atomic_load(&b.done[i]));
    job.run = wait_for_all;
    assert_true(pool_run(p, &job));
    assert_int_equal(atomic_load(&b.arrived), WAITING_UNITS);
    drop_pool(p);
  }
}

typedef struct patience {
  atomic_bool told;
  uint64_t begun;
} patience;

static bool wait_until_told(void *user, void *scratch, uint64_t first, uint64_t last) {
  patience *x = user;
  (void)scratch, (void)first, (void)last;
  while (!atomic_load(&x->told)) sched_yield();
  return true;
}

static void tell(void *user, uint64_t begun) {
  patience *x = user;
  x->begun = begun;
  atomic_store(&x->told, true);
}

/* When all wait for something else, somebody hears of it. */
static void waiting_for_ever_is_told(void **state) {
  (void)state;
  pool *p = make_pool(2);
  patience x = {0};
  pool_job job = {.run = wait_until_told,
                  .user = &x,
                  .total = 5,
                  .waits = true,
                  .patience_ms = 20,
                  .stuck = tell};
  assert_true(pool_run(p, &job));
  assert_int_equal(x.begun, 5);
  drop_pool(p);
}

/* ---- stopping ------------------------------------------------------------------------------- */

typedef struct stopper {
  uint64_t at;
  _Atomic uint64_t begun;
} stopper;

static bool stop_there(void *user, void *scratch, uint64_t first, uint64_t last) {
  (void)scratch;
  stopper *s = user;
  atomic_fetch_add(&s->begun, last - first);
  return !(first <= s->at && s->at < last);
}

static void stopping(void **state) {
  (void)state;
  for (unsigned threads = 1; threads <= 4; threads++) {
    pool *p = make_pool(threads);
    stopper s = {.at = 100};
    pool_job job = {stop_there, &s, UINT64_C(1) << 40, 0, NULL};
    assert_true(pool_run(p, &job)); /* would take hours if it didn't stop */
    assert_true(atomic_load(&s.begun) > 100);
    run_counted(p, 1000, 0); /* and is as good as new */
    drop_pool(p);
  }
}

/* ---- memory --------------------------------------------------------------------------------- */

static void without_memory(void **state) {
  (void)state;
  for (long left = 0; left < 12; left++) {
    memory m = {.left = left};
    pool *p = pool_create(3, (pool_memory){allocate, release, &m});
    if (p) {
      counts c = {.hits = calloc(500, 1), .total = 500};
      pool_job job = {count_units, &c, 500, 4096, NULL};
      bool ran = pool_run(p, &job);
      assert_int_equal(atomic_load(&c.units), ran ? 500 : 0);
      atomic_store(&m.left, -1);
      c.units = 0;
      assert_true(pool_run(p, &job));
      assert_int_equal(atomic_load(&c.units), 500);
      pool_destroy(p);
      free(c.hits);
    }
    assert_int_equal(atomic_load(&m.live), 0);
    if (left > 6) assert_non_null(p);
  }
}

/* ---- orders --------------------------------------------------------------------------------- */

static void check_order(rt_order order, tsr_grid grid) {
  uint64_t total;
  assert_true(order_total(grid, &total));
  unsigned char *seen = calloc(total, 1);
  for (uint64_t i = 0; i < total; i++) {
    int32_t id[3];
    order_block(&order, grid, total, i, id);
    assert_true(id[0] >= 0 && (uint32_t)id[0] < grid.x);
    assert_true(id[1] >= 0 && (uint32_t)id[1] < grid.y);
    assert_true(id[2] >= 0 && (uint32_t)id[2] < grid.z);
    uint64_t position = order_position(grid, id);
    assert_int_equal(seen[position]++, 0);
    if (order.kind == RT_ORDER_FORWARD) assert_int_equal(position, i);
    if (order.kind == RT_ORDER_REVERSE) assert_int_equal(position, total - 1 - i);
  }
  free(seen);
}

static void orders_are_permutations(void **state) {
  (void)state;
  static const tsr_grid grids[] = {{1, 1, 1},   {7, 1, 1},  {1, 5, 1},    {3, 4, 5},
                                   {16, 16, 1}, {13, 9, 2}, {100, 37, 3}, {4096, 1, 1}};
  for (size_t g = 0; g < ARRAY_LEN(grids); g++) {
    check_order((rt_order){RT_ORDER_FORWARD, 0, 0}, grids[g]);
    check_order((rt_order){RT_ORDER_REVERSE, 0, 0}, grids[g]);
    for (uint64_t seed = 0; seed < 20; seed++)
      check_order((rt_order){RT_ORDER_SHUFFLED, seed, 0}, grids[g]);
    for (uint32_t group = 1; group < 20; group++)
      for (int columns = 0; columns < 2; columns++)
        check_order((rt_order){RT_ORDER_GROUPED, 0, group, columns}, grids[g]);
  }
}

/* Not one of few permutations, and none that keeps most tile blocks where they were. */
static void shuffles_differ(void **state) {
  (void)state;
  tsr_grid grid = {100, 1, 1};
  uint64_t in_place = 0, same_as_other_seed = 0;
  for (uint64_t seed = 0; seed < 50; seed++)
    for (uint64_t i = 0; i < 100; i++) {
      int32_t a[3], b[3];
      order_block(&(rt_order){RT_ORDER_SHUFFLED, seed, 0}, grid, 100, i, a);
      order_block(&(rt_order){RT_ORDER_SHUFFLED, seed + 1, 0}, grid, 100, i, b);
      in_place += a[0] == (int32_t)i;
      same_as_other_seed += a[0] == b[0];
    }
  assert_in_range(in_place, 10, 150); /* 50 expected of 5000 */
  assert_in_range(same_as_other_seed, 10, 150);
}

static void grouped_goes_down_bands(void **state) {
  (void)state;
  /* 3 columns, 5 rows, bands of 2 rows. */
  static const int32_t expected[15][2] = {{0, 0}, {0, 1}, {1, 0}, {1, 1}, {2, 0},
                                          {2, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3},
                                          {2, 2}, {2, 3}, {0, 4}, {1, 4}, {2, 4}};
  for (uint64_t i = 0; i < 15; i++) {
    int32_t id[3];
    order_block(&(rt_order){RT_ORDER_GROUPED, 0, 2}, (tsr_grid){3, 5, 1}, 15, i, id);
    assert_int_equal(id[0], expected[i][0]);
    assert_int_equal(id[1], expected[i][1]);
    /* The same of columns, on a grid the other way around. */
    order_block(&(rt_order){RT_ORDER_GROUPED, 0, 2, true}, (tsr_grid){5, 3, 1}, 15, i, id);
    assert_int_equal(id[0], expected[i][1]);
    assert_int_equal(id[1], expected[i][0]);
  }
}

static void stepping_follows_the_grid(void **state) {
  (void)state;
  tsr_grid grid = {3, 2, 4};
  int32_t id[3] = {0, 0, 0};
  for (uint64_t i = 0; i < 24; i++) {
    assert_int_equal(order_position(grid, id), i);
    order_next(grid, id);
  }
}

static void stepping_follows_bands(void **state) {
  (void)state;
  tsr_grid grid = {4, 7, 1};
  for (uint32_t group = 1; group <= 8; group++)
    for (unsigned columns = 0; columns < 2; columns++) {
      rt_order order = {RT_ORDER_GROUPED, 0, group, columns};
      int32_t id[3] = {0, 0, 0}, expected[3];
      for (uint64_t i = 0; i < 28; i++) {
        order_block(&order, grid, 28, i, expected);
        assert_memory_equal(id, expected, sizeof id);
        order_next_grouped(&order, grid, id);
      }
    }
}

static void totals(void **state) {
  (void)state;
  uint64_t total;
  static const tsr_grid wrong[] = {{0, 1, 1},
                                   {1, 0, 1},
                                   {1, 1, 0},
                                   {UINT32_C(1) << 31, 1, 1},
                                   {1, UINT32_MAX, 1},
                                   {INT32_MAX, INT32_MAX, 1},
                                   {INT32_MAX, INT32_MAX, INT32_MAX},
                                   {1 << 20, 1 << 20, 2}};
  for (size_t i = 0; i < ARRAY_LEN(wrong); i++) assert_false(order_total(wrong[i], &total));
  assert_true(order_total((tsr_grid){INT32_MAX, 1, 1}, &total));
  assert_int_equal(total, INT32_MAX);
  assert_true(order_total((tsr_grid){1 << 20, 1 << 20, 1}, &total));
  assert_int_equal(total, UINT64_C(1) << 40);
}

/* ---- signals -------------------------------------------------------------------------------- */

typedef struct masks {
  atomic_uint begun, faults_blocked, others_blocked;
} masks;

/* Waits for the other unit, so that each has a thread of its own. */
static bool note_mask(void *user, void *scratch, uint64_t first, uint64_t last) {
  (void)scratch;
  masks *m = user;
  sigset_t now;
  pthread_sigmask(SIG_SETMASK, NULL, &now);
  atomic_fetch_add(&m->faults_blocked, sigismember(&now, SIGSEGV) || sigismember(&now, SIGBUS));
  atomic_fetch_add(&m->others_blocked, sigismember(&now, SIGINT) == 1);
  atomic_fetch_add(&m->begun, (unsigned)(last - first));
  for (int i = 0; i < 5000 && atomic_load(&m->begun) < 2; i++) usleep(1000);
  return true;
}

/* A worker takes no signal of the program, but what its own accesses raise. */
static void workers_have_their_own_faults(void **state) {
  (void)state;
  masks m = {0};
  pool *p = make_pool(2);
  pool_job job = {note_mask, &m, 2, 0, NULL};
  assert_true(pool_run(p, &job));
  assert_int_equal(atomic_load(&m.faults_blocked), 0);
  assert_int_equal(atomic_load(&m.others_blocked), 1);
  drop_pool(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(workers_have_their_own_faults),
      cmocka_unit_test(every_unit_once),
      cmocka_unit_test(units_stay_together),
      cmocka_unit_test(threads_begin_with_their_own_parts),
      cmocka_unit_test(pinned_threads_stay),
      cmocka_unit_test(workers_make_room),
      cmocka_unit_test(many_small_jobs),
      cmocka_unit_test(a_pool_without_a_job_stops),
      cmocka_unit_test(short_jobs_stay_with_the_caller),
      cmocka_unit_test(several_callers),
      cmocka_unit_test(jobs_run_side_by_side),
      cmocka_unit_test(jobs_nest),
      cmocka_unit_test(units_may_wait_for_earlier_ones),
      cmocka_unit_test(units_may_wait_for_later_ones),
      cmocka_unit_test(waiting_for_ever_is_told),
      cmocka_unit_test(units_may_lock),
      cmocka_unit_test(stopping),
      cmocka_unit_test(without_memory),
      cmocka_unit_test(orders_are_permutations),
      cmocka_unit_test(shuffles_differ),
      cmocka_unit_test(grouped_goes_down_bands),
      cmocka_unit_test(stepping_follows_the_grid),
      cmocka_unit_test(stepping_follows_bands),
      cmocka_unit_test(totals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
