/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * pool: threads that share the units of a job (the tile blocks of a launch).
 *
 * A job is `total` units, handed out in chunks by counters. Each thread begins with a part of its
 * own, the same in jobs of one size, as its caches may still have what the last job left there, and
 * then helps the others with theirs. The thread that calls pool_run works too; the others wait
 * between jobs, at first spinning, then asleep. Chunks get smaller towards the end, and are single
 * units in a small job, so that threads finish together.
 *
 * Progress. Units that may wait, or should stay together, are no parts: they are begun in order; a
 * thread executes its chunk in order and begins no other unit before the one it began has ended. So
 * of all units that have not ended, the first is always being executed (or about to be, by a thread
 * that is free), and a unit may wait for any unit before it and for a holder of a lock. A unit that
 * waits for a later one may wait forever, unless its job says that units may do so (`waits`): then,
 * whenever none has ended for 50 ms, further threads begin further units, twice as many each time,
 * up to POOL_MAX_THREADS more than the pool has. They end with the job.
 *
 * Several threads may call pool_run at the same time: their jobs are worked on side by side, and
 * each caller works on its own, so no job waits for another to end.
 *
 * Threads are started by the first job that can use them. Nothing is reported: if the system gives
 * fewer threads, there are fewer (pool_threads_running).
 */
#ifndef TSR_RT_POOL_H
#define TSR_RT_POOL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct pool pool;

/* Where the pool's memory comes from; called by any thread, so it must be safe for that. */
typedef struct pool_memory {
  void *(*allocate)(void *user, size_t size); /* NULL when there is none */
  void (*release)(void *user, void *memory, size_t size);
  void *user;
} pool_memory;

typedef struct pool_job {
  /* Executes units first … last-1 in order. Returns false to begin no further units (those that
   * other threads have begun continue to the end). `scratch` is this thread's, of scratch_bytes,
   * 64-byte aligned. What is in it stays from unit to unit of the job; before the thread's first
   * unit it is anything, but zero in the first clear_bytes. */
  bool (*run)(void *user, void *scratch, uint64_t first, uint64_t last);
  void *user;
  uint64_t total;
  size_t scratch_bytes; /* 0: scratch is NULL */
  /* What a unit of the last job like this took, kept by the pool for the next; 0: unknown. May be
   * NULL. A job that is likely to be over soon is not worth waking other threads. */
  _Atomic uint32_t *unit_ns;
  size_t clear_bytes; /* at most scratch_bytes */
  /* So many units, from a multiple of it on, should be executed by one thread, which keeps in
   * its scratch memory what they share; as far as each thread gets some. 0: any may. */
  uint64_t together;
  /* Units may wait for later ones. If none has ended for patience_ms although all are being
   * executed that can be, `stuck` is told, once, by a thread of the pool. */
  bool waits;
  unsigned patience_ms;
  void (*stuck)(void *user, uint64_t begun); /* units, those that have ended too */
} pool_job;

enum { POOL_MAX_THREADS = 1024 };

/* `threads` with the caller's own: 1 means that pool_run does everything itself. NULL when memory
 * runs out. */
pool *pool_create(unsigned threads, pool_memory memory);
/* No job may be running. */
/* Before the first job: the threads that the pool will start stay each on a processor of its own,
 * as far as there are as many; the calling threads are the program's, and go where they like. */
void pool_pin(pool *p);
void pool_destroy(pool *p);

/* Returns when every unit has ended, or those that were begun after a `run` said stop. False when
 * there was no memory for the caller's scratch: then no unit was executed. (Another thread that
 * gets no scratch leaves its share to the others.) */
bool pool_run(pool *p, const pool_job *job);

unsigned pool_threads(const pool *p);         /* as asked for */
unsigned pool_threads_running(const pool *p); /* with the caller's; those not yet needed count */

#endif
