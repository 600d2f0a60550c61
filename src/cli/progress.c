/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The line is drawn by a thread that sleeps nearly all the time, because a launch returns only when
 * it is finished.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "cli/progress.h"

enum { FIRST_MS = 1000, NEXT_MS = 250 };

/* When the line is drawn first; anything but a number of seconds is as if nothing were said. */
static int first_ms(void) {
  const char *text = getenv("TESSERA_PROGRESS");
  char *end;
  double seconds = text ? strtod(text, &end) : -1;
  return seconds >= 0 && seconds < 1e6 && !*end ? (int)(seconds * 1e3) : FIRST_MS;
}

static void wipe(progress *p) {
  if (p->shown) fputs("\r\033[K", stderr);
  p->shown = false;
}

static void draw(progress *p, double seconds) {
  fprintf(stderr, "\r\033[K%s", p->what);
  if (p->total) fprintf(stderr, ", launch %u of %u", p->done + 1, p->total);
  if (p->blocks.total > 1)
    fprintf(stderr, ", %.0f%% of %llu tile blocks",
            100 * (double)p->blocks.done / (double)p->blocks.total,
            (unsigned long long)p->blocks.total);
  fprintf(stderr, ", %.0f s", seconds);
  fflush(stderr);
  p->shown = true;
}

static double seconds_since(const struct timespec *start) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)(now.tv_sec - start->tv_sec) + 1e-9 * (double)(now.tv_nsec - start->tv_nsec);
}

static struct timespec in_ms(int ms) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  t.tv_nsec += (long)ms * 1000000;
  t.tv_sec += t.tv_nsec / 1000000000;
  t.tv_nsec %= 1000000000;
  return t;
}

static void *run(void *user) {
  progress *p = user;
  struct timespec start;
  clock_gettime(CLOCK_MONOTONIC, &start);
  pthread_mutex_lock(&p->lock);
  for (int wait = first_ms(); !p->stop; wait = NEXT_MS) {
    struct timespec until = in_ms(wait);
    while (!p->stop && pthread_cond_timedwait(&p->wake, &p->lock, &until) == 0) {
    }
    if (!p->stop && !p->paused) draw(p, seconds_since(&start));
  }
  wipe(p);
  pthread_mutex_unlock(&p->lock);
  return NULL;
}

void progress_start(progress *p, const cli *c, const char *what) {
  *p = (progress){.what = what};
  if (c->quiet || !isatty(STDERR_FILENO)) return;
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_mutex_init(&p->lock, NULL);
  pthread_cond_init(&p->wake, &attributes);
  pthread_condattr_destroy(&attributes);
  p->active = pthread_create(&p->thread, NULL, run, p) == 0; /* without it: no line */
}

void progress_count(progress *p, unsigned done, unsigned total) {
  if (!p->active) return;
  pthread_mutex_lock(&p->lock);
  p->done = done;
  p->total = total;
  p->blocks.total = 0;
  p->paused = false;
  pthread_mutex_unlock(&p->lock);
}

static void wipe_and(progress *p, bool pause) {
  if (!p->active) return;
  pthread_mutex_lock(&p->lock);
  wipe(p);
  p->paused |= pause;
  fflush(stderr);
  pthread_mutex_unlock(&p->lock);
}

void progress_wipe(progress *p) {
  wipe_and(p, false);
}

void progress_pause(progress *p) {
  wipe_and(p, true);
}

void progress_stop(progress *p) {
  if (!p->active) return;
  pthread_mutex_lock(&p->lock);
  p->stop = true;
  pthread_cond_signal(&p->wake);
  pthread_mutex_unlock(&p->lock);
  pthread_join(p->thread, NULL);
  pthread_mutex_destroy(&p->lock);
  pthread_cond_destroy(&p->wake);
  fflush(stderr);
  p->active = false;
}
