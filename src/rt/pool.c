/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * One lock guards the list of jobs and who sleeps; handing out units takes no lock. A job lies on
 * its caller's stack. A thread joins it under the lock (so that it cannot vanish meanwhile) and
 * touches it last when it lowers `workers`; the caller leaves when that is zero.
 *
 * A job whose units may wait for later ones has a watchdog: a thread that looks every few
 * milliseconds whether units have ended, and starts helpers when not.
 */
#include "rt/pool.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>

#include "base/base.h"
#include "base/clock.h"

/* One thread's memory for the units that it executes; kept from job to job. */
typedef struct scratch {
  struct scratch *next; /* in the pool's list of idle ones, for calling threads */
  void *raw;
  size_t raw_size;
  void *data; /* aligned */
  size_t size;
} scratch;

enum { LINE = 64, MAX_PARTS = 64 };

/* Units that one thread begins, and others help with when they have none of their own. */
typedef struct part {
  _Alignas(LINE) _Atomic uint64_t next_unit;
  uint64_t end;
} part;

typedef struct active {
  pool *pool;
  const pool_job *job;
  struct active *next;
  unsigned n_parts;
  int processor;       /* that the caller was on when it shared the job; -1: nobody knows */
  atomic_uint workers; /* threads of the pool that are in it */
  atomic_bool stopped;
  /* When units may wait: */
  _Atomic uint64_t ended;
  uint64_t seen;    /* of these, when the watchdog last looked */
  uint64_t since;   /* when that was another number; 0: he has not looked */
  unsigned idle;    /* looks since then, or since help came */
  unsigned helpers; /* that were started */
  bool told;
  part parts[MAX_PARTS];
} active;

typedef struct worker {
  pool *pool;
  pthread_t thread;
  scratch scratch;
  bool patient;         /* the last job came within PATIENT_NS */
  atomic_int processor; /* that it was on when it began its last job; -1: nobody knows */
} worker;

struct pool {
  pool_memory memory;
  unsigned threads;
  atomic_uint n_workers; /* started */
  atomic_bool started;
  bool quit, pinned;
  bool crowded;     /* there are fewer processors than threads */
  bool watched;     /* the watchdog has been started */
  unsigned helpers; /* that have not ended */
  pthread_t watchdog;
  pthread_cond_t watch; /* there is something to watch, or it is time to quit */
  pthread_mutex_t lock;
  pthread_cond_t wake; /* there may be work, or it is time to quit */
  pthread_cond_t done; /* a job has lost its last worker, the pool its last helper */
  active *jobs;        /* oldest first */
  unsigned sleepers;
  atomic_uint epoch;   /* counts jobs; what spinning threads look at */
  atomic_uint waiting; /* callers asleep until their job's workers have left */
  scratch *idle_scratch;
  size_t size; /* of this allocation */
  worker workers[];
};

enum {
  PAGE = 4 << 10,
  HUGE_PAGE = 2 << 20,
  HUGE_FROM = 1 << 20, /* bytes of scratch memory that should have huge pages to themselves */
  APART = PAGE / 2,    /* of other scratch memory from where a page begins: see scratch_reserve */
  CHUNK_MAX = 64,
  CHUNKS_PER_THREAD = 16, /* of what is left */
  SPIN_IDLE = 300,        /* rounds of some 40 ns */
  SPIN_DONE = 2000,
  PATIENT_NS = 200000,
  SHORT_NS = 5000, /* what sharing a job costs, about */
  LOOK_MS = 10,    /* between two looks of the watchdog */
  LOOKS = 5        /* without an end, before there are more threads */
};

static inline void relax(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("isb");
#endif
}

/* ---- scratch -------------------------------------------------------------------------------- */

/* A load that seems to follow a store to the same place waits for it, and what a processor compares
 * first is where in their pages they are. Large arrays begin near the beginning of a page, and
 * accumulators in scratch memory are gone through at the pace of what is added to them: half a page
 * away, neither comes shortly one after the other. */
static bool scratch_reserve(pool *p, scratch *s, size_t size) {
  if (s->size >= size) return true;
  if (size > SIZE_MAX / 2) return false;
  if (s->raw) p->memory.release(p->memory.user, s->raw, s->raw_size);
  *s = (scratch){0};
  bool huge = size >= HUGE_FROM;
  size_t align = huge ? HUGE_PAGE : PAGE, from = huge ? 0 : APART;
  size_t room = ((size + align - 1) & ~(align - 1)) + align - 1 + from;
  void *raw = p->memory.allocate(p->memory.user, room);
  if (!raw) return false;
  s->raw = raw;
  s->raw_size = room;
  s->data = (char *)(((uintptr_t)raw + align - 1) & ~(uintptr_t)(align - 1)) + from;
  s->size = size;
  return true;
}

static void scratch_clear(scratch *s, const pool_job *job) {
  if (job->clear_bytes) memset(s->data, 0, job->clear_bytes);
}

static void scratch_free(pool *p, scratch *s) {
  if (s->raw) p->memory.release(p->memory.user, s->raw, s->raw_size);
}

/* For a calling thread: there may be any number of them. */
static scratch *scratch_take(pool *p, size_t size) {
  pthread_mutex_lock(&p->lock);
  scratch *s = p->idle_scratch;
  if (s) p->idle_scratch = s->next;
  pthread_mutex_unlock(&p->lock);
  if (!s) {
    s = p->memory.allocate(p->memory.user, sizeof *s);
    if (!s) return NULL;
    *s = (scratch){0};
  }
  if (scratch_reserve(p, s, size)) return s;
  scratch_free(p, s);
  p->memory.release(p->memory.user, s, sizeof *s);
  return NULL;
}

static void scratch_give(pool *p, scratch *s) {
  if (!s) return;
  pthread_mutex_lock(&p->lock);
  s->next = p->idle_scratch;
  p->idle_scratch = s;
  pthread_mutex_unlock(&p->lock);
}

/* ---- working -------------------------------------------------------------------------------- */

static uint64_t units_left(const part *q) {
  uint64_t next = atomic_load_explicit(&q->next_unit, memory_order_relaxed);
  return next < q->end ? q->end - next : 0;
}

static bool has_work(const active *a) {
  if (atomic_load_explicit(&a->stopped, memory_order_relaxed)) return false;
  for (unsigned i = 0; i < a->n_parts; i++)
    if (units_left(&a->parts[i])) return true;
  return false;
}

/* As many parts as threads, or one where the order of units matters. */
static void divide(const pool *p, active *a) {
  const pool_job *job = a->job;
  bool ordered = job->waits || job->together || job->total / CHUNKS_PER_THREAD < p->threads;
  unsigned n = ordered ? 1 : MIN(p->threads, (unsigned)MAX_PARTS);
  uint64_t each = job->total / n, more = job->total % n, at = 0;
  a->n_parts = n;
  for (unsigned i = 0; i < n; i++) {
    atomic_init(&a->parts[i].next_unit, at);
    at += each + (i < more);
    a->parts[i].end = at;
  }
}

/* How many units are begun at once when `left` of a part are: fewer and fewer, so that threads end
 * together, and as long as there are enough whole groups of those that should stay with one thread.
 */
static uint64_t chunk_size(const pool *p, const active *a, uint64_t left) {
  const pool_job *job = a->job;
  uint64_t threads = MAX(p->threads / a->n_parts, 1u), share = left / threads;
  uint64_t chunk = MIN(share / CHUNKS_PER_THREAD, (uint64_t)CHUNK_MAX), group = job->together;
  if (group && group <= share)
    chunk = MAX(chunk / group, (uint64_t)1) * group;
  else if (group)
    chunk = MAX(chunk, share);
  return chunk < 1 || job->waits ? 1 : chunk;
}

/* Begins the next chunk of a part; false when there is nothing more in it. */
static bool take_chunk(const pool *p, const active *a, part *q, uint64_t *first, uint64_t *last) {
  uint64_t left = units_left(q);
  if (!left) return false;
  uint64_t chunk = chunk_size(p, a, left);
  /* Another thread may have come first; then the chunk is a little larger than it would be. */
  *first = atomic_fetch_add_explicit(&q->next_unit, chunk, memory_order_relaxed);
  *last = MIN(*first + chunk, q->end);
  return *first < q->end;
}

/* Of the thread's own part, then of the others'. */
static bool take_any(const pool *p, active *a, unsigned home, uint64_t *first, uint64_t *last) {
  if (atomic_load_explicit(&a->stopped, memory_order_relaxed)) return false;
  for (unsigned i = 0; i < a->n_parts; i++)
    if (take_chunk(p, a, &a->parts[(home + i) % a->n_parts], first, last)) return true;
  return false;
}

/* Executes the next chunk. Returns its units; 0 when there is nothing more to begin. */
static uint64_t step(pool *p, active *a, unsigned home, void *scratch_data) {
  const pool_job *job = a->job;
  uint64_t first, last;
  if (!take_any(p, a, home, &first, &last)) return 0;
  bool go_on = job->run(job->user, scratch_data, first, last);
  if (job->waits) atomic_fetch_add_explicit(&a->ended, last - first, memory_order_relaxed);
  if (go_on) return last - first;
  atomic_store_explicit(&a->stopped, true, memory_order_relaxed);
  return 0;
}

/* The oldest job with units left; joined. Under the lock. */
static active *join_job(pool *p) {
  for (active *a = p->jobs; a; a = a->next)
    if (has_work(a)) {
      atomic_fetch_add_explicit(&a->workers, 1, memory_order_relaxed);
      return a;
    }
  return NULL;
}

static void leave_job(pool *p, active *a) {
  /* Sequentially consistent, as is wait_for_workers: either we see that the caller sleeps, or it
   * sees that we have left. */
  if (atomic_fetch_sub(&a->workers, 1) != 1 || !atomic_load(&p->waiting)) return;
  pthread_mutex_lock(&p->lock);
  pthread_cond_broadcast(&p->done);
  pthread_mutex_unlock(&p->lock);
}

static bool is_later(const pool *p, unsigned epoch) {
  return atomic_load_explicit(&p->epoch, memory_order_relaxed) != epoch;
}

/* A patient worker offers the processor to other threads all the while. */
static void spin_for_job(const pool *p, unsigned epoch, bool patient) {
  for (int i = 0; i < SPIN_IDLE && !is_later(p, epoch); i++) relax();
  if (!patient) return;
  for (uint64_t end = clock_ns() + PATIENT_NS; !is_later(p, epoch) && clock_ns() < end;)
    sched_yield();
}

/* Between jobs: at first spins, because a next job often follows at once and waking up costs more.
 * How long is learnt from the last time: between the launches of a script there is Python. */
static void wait_for_job(worker *w, unsigned epoch) {
  pool *p = w->pool;
  uint64_t since = clock_ns();
  spin_for_job(p, epoch, w->patient);
  pthread_mutex_lock(&p->lock);
  while (!p->quit && !is_later(p, epoch)) {
    p->sleepers++;
    pthread_cond_wait(&p->wake, &p->lock);
    p->sleepers--;
  }
  w->patient = clock_ns() - since < PATIENT_NS;
}

/* ---- processors ----------------------------------------------------------------------------- */

/* That this thread is on; -1: nobody knows. */
static int this_processor(void) {
#if defined(__linux__)
  return sched_getcpu();
#else
  return -1;
#endif
}

#if defined(__linux__)
/* Is another thread of the job there, one that was here first? */
static bool is_shared(const worker *w, const active *a, int here) {
  const pool *p = w->pool;
  if (here == a->processor) return true;
  for (const worker *other = p->workers; other < w; other++)
    if (atomic_load_explicit(&other->processor, memory_order_relaxed) == here) return true;
  return false;
}

/* Moves this thread to a processor that none of the pool's is on, where there is one. */
static void move_away(worker *w, const active *a) {
  cpu_set_t allowed, others;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  others = allowed;
  if (a->processor >= 0) CPU_CLR(a->processor, &others);
  for (unsigned i = 0; i < atomic_load(&w->pool->n_workers); i++) {
    int taken = atomic_load_explicit(&w->pool->workers[i].processor, memory_order_relaxed);
    if (&w->pool->workers[i] != w && taken >= 0) CPU_CLR(taken, &others);
  }
  if (CPU_COUNT(&others) == 0 || sched_setaffinity(0, sizeof others, &others) != 0) return;
  sched_setaffinity(0, sizeof allowed, &allowed);
}
#endif

/* Some systems start and wake a thread on the processor of the thread that does so, and leave both
 * there for a tenth of a second though another processor is idle. */
static void find_processor(worker *w, const active *a) {
  int here = this_processor();
#if defined(__linux__)
  if (here >= 0 && !w->pool->crowded && !w->pool->pinned && is_shared(w, a, here)) {
    move_away(w, a);
    here = this_processor();
  }
#endif
  atomic_store_explicit(&w->processor, here, memory_order_relaxed);
}

static void *worker_main(void *arg) {
  worker *w = arg;
  pool *p = w->pool;
  unsigned home = (unsigned)(w - p->workers) + 1; /* the caller has the first part */
  pthread_mutex_lock(&p->lock);
  for (;;) {
    unsigned epoch = atomic_load_explicit(&p->epoch, memory_order_relaxed);
    active *a = join_job(p);
    bool quit = p->quit;
    pthread_mutex_unlock(&p->lock);
    bool worked = false;
    if (a) {
      size_t bytes = a->job->scratch_bytes;
      find_processor(w, a);
      worked = scratch_reserve(p, &w->scratch, bytes);
      if (worked) scratch_clear(&w->scratch, a->job);
      while (worked && step(p, a, home, bytes ? w->scratch.data : NULL)) {
      }
      leave_job(p, a);
    } else if (quit) {
      return NULL;
    }
    /* Having worked, look for another job; having had no memory for one, leave it to the others. */
    if (worked)
      pthread_mutex_lock(&p->lock);
    else
      wait_for_job(w, epoch);
  }
}

/* ---- units that wait for later ones ---------------------------------------------------------- */

static void *helper_main(void *arg) {
  active *a = arg;
  pool *p = a->pool;
  size_t bytes = a->job->scratch_bytes;
  scratch s = {0};
  if (scratch_reserve(p, &s, bytes)) {
    scratch_clear(&s, a->job);
    while (step(p, a, 0, bytes ? s.data : NULL)) {
    }
  }
  scratch_free(p, &s);
  leave_job(p, a);
  pthread_mutex_lock(&p->lock);
  if (--p->helpers == 0) pthread_cond_broadcast(&p->done);
  pthread_mutex_unlock(&p->lock);
  return NULL;
}

/* As many as there are already. Under the lock. Returns whether one was started. */
static bool start_helpers(pool *p, active *a) {
  unsigned wanted = MAX(a->helpers, 1u), started = 0;
  pthread_attr_t detached;
  pthread_attr_init(&detached);
  pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
  for (; started < wanted && p->helpers < POOL_MAX_THREADS && has_work(a); started++) {
    pthread_t thread;
    atomic_fetch_add_explicit(&a->workers, 1, memory_order_relaxed);
    if (pthread_create(&thread, &detached, helper_main, a) != 0) {
      atomic_fetch_sub(&a->workers, 1); /* the caller has not withdrawn it: that takes the lock */
      pthread_cond_broadcast(&p->done);
      break;
    }
    p->helpers++;
  }
  pthread_attr_destroy(&detached);
  a->helpers += started;
  return started > 0;
}

/* Under the lock. Returns whether it is time to tell that nothing continues. */
static bool look_at(pool *p, active *a) {
  uint64_t ended = atomic_load_explicit(&a->ended, memory_order_relaxed);
  if (ended != a->seen || !a->since) {
    a->seen = ended;
    a->since = clock_ns();
    a->idle = 0;
    return false;
  }
  if (++a->idle < LOOKS) return false;
  a->idle = 0;
  if (start_helpers(p, a) || a->told || !a->job->stuck) return false;
  return clock_ns() - a->since >= a->job->patience_ms * UINT64_C(1000000);
}

/* The callback is somebody else's code: without the lock, but in the job, so that it stays. */
static void tell_stuck(pool *p, active *a) {
  uint64_t begun = a->job->total - units_left(&a->parts[0]); /* it has no other part */
  a->told = true;
  atomic_fetch_add_explicit(&a->workers, 1, memory_order_relaxed);
  pthread_mutex_unlock(&p->lock);
  a->job->stuck(a->job->user, begun);
  leave_job(p, a);
  pthread_mutex_lock(&p->lock);
}

static void look_at_all(pool *p) {
  for (active *a = p->jobs; a; a = a->next) {
    if (!a->job->waits || !look_at(p, a)) continue;
    tell_stuck(p, a);
    return; /* the list may be another one */
  }
}

static bool is_waiting_possible(const pool *p) {
  for (const active *a = p->jobs; a; a = a->next)
    if (a->job->waits) return true;
  return false;
}

static void *watchdog_main(void *arg) {
  pool *p = arg;
  pthread_mutex_lock(&p->lock);
  while (!p->quit) {
    if (!is_waiting_possible(p)) {
      pthread_cond_wait(&p->watch, &p->lock);
      continue;
    }
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_nsec += LOOK_MS * 1000000L;
    if (t.tv_nsec >= 1000000000) t.tv_sec++, t.tv_nsec -= 1000000000;
    while (!p->quit && pthread_cond_timedwait(&p->watch, &p->lock, &t) == 0) {
    }
    if (!p->quit) look_at_all(p);
  }
  pthread_mutex_unlock(&p->lock);
  return NULL;
}

/* ---- jobs ----------------------------------------------------------------------------------- */

/* Worker `index` to a processor of those that the process may use; the first is left to the caller.
 * Where the system has no such thing, or refuses, the worker runs anywhere. */
static void pin(pthread_t thread, unsigned index) {
#if defined(__linux__)
  cpu_set_t allowed, one;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  unsigned count = (unsigned)CPU_COUNT(&allowed), wanted = count ? (index + 1) % count : 0;
  for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
    if (!CPU_ISSET(cpu, &allowed) || wanted-- > 0) continue;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    pthread_setaffinity_np(thread, sizeof one, &one);
    return;
  }
#else
  (void)thread;
  (void)index;
#endif
}

/* That the process may use. */
static unsigned processors(void) {
#if defined(__linux__)
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return (unsigned)CPU_COUNT(&allowed);
#endif
  return 1;
}

/* Under the lock. */
static void start_workers(pool *p) {
  p->started = true;
  p->crowded = p->threads > processors();
  for (unsigned i = 0; i + 1 < p->threads; i++) {
    worker *w = &p->workers[i];
    w->pool = p;
    atomic_init(&w->processor, -1);
    if (pthread_create(&w->thread, NULL, worker_main, w) != 0) break;
    if (p->pinned) pin(w->thread, i);
    p->n_workers++;
  }
}

/* Threads start with all signals blocked: those are for the threads of the program that we live in.
 * But what a thread's own instructions raise is its own: blocked, it would end the process before
 * rt/crash.h can say what happened. (The watchdog's helpers inherit that.) Under the lock. */
static void start_threads(pool *p, bool waits) {
  static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
  if (p->started && (p->watched || !waits)) return;
  sigset_t all, before;
  sigfillset(&all);
  for (size_t i = 0; i < ARRAY_LEN(own); i++) sigdelset(&all, own[i]);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  if (!p->started) start_workers(p);
  if (waits) p->watched = pthread_create(&p->watchdog, NULL, watchdog_main, p) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void publish(pool *p, active *a) {
  pthread_mutex_lock(&p->lock);
  start_threads(p, a->job->waits);
  active **end = &p->jobs;
  while (*end) end = &(*end)->next;
  *end = a;
  atomic_fetch_add_explicit(&p->epoch, 1, memory_order_relaxed);
  uint64_t useful = a->job->total - 1; /* the caller takes one */
  unsigned wake = (unsigned)MIN((uint64_t)p->sleepers, useful);
  bool all = wake == p->sleepers;
  if (a->job->waits) pthread_cond_signal(&p->watch);
  pthread_mutex_unlock(&p->lock);
  if (wake == 0) return;
  if (all)
    pthread_cond_broadcast(&p->wake);
  else
    while (wake--) pthread_cond_signal(&p->wake);
}

static void withdraw(pool *p, active *a) {
  pthread_mutex_lock(&p->lock);
  active **link = &p->jobs;
  while (*link != a) link = &(*link)->next;
  *link = a->next;
  pthread_mutex_unlock(&p->lock);
}

static void wait_for_workers(pool *p, active *a) {
  for (int i = 0; i < SPIN_DONE; i++) {
    if (atomic_load(&a->workers) == 0) return;
    relax();
  }
  pthread_mutex_lock(&p->lock);
  atomic_fetch_add(&p->waiting, 1);
  while (atomic_load(&a->workers) != 0) pthread_cond_wait(&p->done, &p->lock);
  atomic_fetch_sub(&p->waiting, 1);
  pthread_mutex_unlock(&p->lock);
}

static bool expect_short(const pool_job *job) {
  if (!job->unit_ns) return false;
  uint64_t unit = atomic_load_explicit(job->unit_ns, memory_order_relaxed);
  return unit && job->total <= SHORT_NS / unit;
}

/* The calling thread's part. Sharing a job costs as much as some microseconds of work, so one that
 * is likely to be over by then is begun alone, and shared if it takes longer after all. */
static void lead(pool *p, active *a, void *scratch_data) {
  const pool_job *job = a->job;
  uint64_t start = clock_ns(), units = 0, n;
  bool shared = job->waits || !expect_short(job);
  divide(p, a);
  a->processor = this_processor();
  if (shared) publish(p, a);
  while ((n = step(p, a, 0, scratch_data)) != 0) {
    units += n;
    if (shared || clock_ns() - start < SHORT_NS || !has_work(a)) continue;
    publish(p, a);
    shared = true;
  }
  if (units && job->unit_ns) {
    uint64_t unit = (clock_ns() - start) / units;
    unit = unit < 1 ? 1 : MIN(unit, (uint64_t)1000000000);
    atomic_store_explicit(job->unit_ns, (uint32_t)unit, memory_order_relaxed);
  }
  if (!shared) return;
  withdraw(p, a);
  wait_for_workers(p, a);
}

bool pool_run(pool *p, const pool_job *job) {
  if (job->total == 0) return true;
  scratch *s = NULL;
  if (job->scratch_bytes && !(s = scratch_take(p, job->scratch_bytes))) return false;
  if (s) scratch_clear(s, job);
  void *data = s ? s->data : NULL;
  if ((p->threads == 1 && !job->waits) || job->total == 1) {
    job->run(job->user, data, 0, job->total);
  } else {
    active a = {.pool = p, .job = job}; /* kilobytes to clear, not needed by one thread */
    lead(p, &a, data);
  }
  scratch_give(p, s);
  return true;
}

/* ---- the pool ------------------------------------------------------------------------------- */

pool *pool_create(unsigned threads, pool_memory memory) {
  threads = threads < 1 ? 1 : MIN(threads, (unsigned)POOL_MAX_THREADS);
  size_t size = sizeof(pool) + (threads - 1) * sizeof(worker);
  pool *p = memory.allocate(memory.user, size);
  if (!p) return NULL;
  memset(p, 0, size);
  p->memory = memory;
  p->threads = threads;
  p->size = size;
  pthread_mutex_init(&p->lock, NULL);
  pthread_cond_init(&p->wake, NULL);
  pthread_cond_init(&p->done, NULL);
  pthread_condattr_t clock;
  pthread_condattr_init(&clock);
  pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
  pthread_cond_init(&p->watch, &clock);
  pthread_condattr_destroy(&clock);
  return p;
}

void pool_pin(pool *p) {
  p->pinned = true;
}

void pool_destroy(pool *p) {
  if (!p) return;
  pthread_mutex_lock(&p->lock);
  p->quit = true;
  atomic_fetch_add_explicit(&p->epoch, 1, memory_order_relaxed);
  pthread_cond_broadcast(&p->wake);
  pthread_cond_broadcast(&p->watch);
  while (p->helpers) pthread_cond_wait(&p->done, &p->lock);
  pthread_mutex_unlock(&p->lock);
  if (p->watched) pthread_join(p->watchdog, NULL);
  for (unsigned i = 0; i < p->n_workers; i++) {
    pthread_join(p->workers[i].thread, NULL);
    scratch_free(p, &p->workers[i].scratch);
  }
  for (scratch *s = p->idle_scratch, *next; s; s = next) {
    next = s->next;
    scratch_free(p, s);
    p->memory.release(p->memory.user, s, sizeof *s);
  }
  pthread_mutex_destroy(&p->lock);
  pthread_cond_destroy(&p->wake);
  pthread_cond_destroy(&p->done);
  pthread_cond_destroy(&p->watch);
  p->memory.release(p->memory.user, p, p->size);
}

unsigned pool_threads(const pool *p) {
  return p->threads;
}

unsigned pool_threads_running(const pool *p) {
  return p->started ? p->n_workers + 1 : p->threads;
}
