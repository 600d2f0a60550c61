/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Ranks on other machines: a thread that sends what is queued, and does what messages of others ask
 * for. It alone calls MPI while it runs. It takes its memory from malloc, since the context is
 * another thread's.
 *
 * A message is a header, and for some kinds bytes behind it. Messages between two ranks keep their
 * order, so a word that is set after bytes were put tells that these are there.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "ranks/ranks.h"

typedef enum message_kind { PUT, SET, ADD, GET, DATA, FENCE, DONE } message_kind;

/* Messages below the size from which malloc maps memory anew for each. */
enum { MOST_BYTES = 96 << 10, MOST_QUEUED = 64 << 20 };

typedef struct header {
  uint32_t kind, segment;
  uint64_t offset, bytes, value;
  uint64_t answer; /* which question it belongs to */
} header;

typedef struct message {
  struct message *next;
  unsigned to;
  double due; /* not before that: transport that is slowed down on purpose */
  void *request;
  size_t bytes;
  header header; /* then the bytes */
} message;

/* What was asked for and has not come. */
typedef struct question {
  uint64_t number;
  char *data;
  _Atomic uint32_t *done;
} question;

enum { QUESTIONS = 64 };

struct ranks_remote {
  tsr_ranks *ranks;
  pthread_t thread;
  pthread_mutex_t lock; /* of what follows */
  message *first, **last;
  size_t queued; /* bytes, of what is not sent */
  uint64_t asked;
  question questions[QUESTIONS];
  bool stop;
  double stop_by; /* of a communicator that has failed: what is not sent then stays; 0: no limit */
  /* The thread's own. */
  message *under_way;
  double busy_until;
  double latency, bandwidth; /* seconds, bytes a second; 0: as it is */
};

/* ---- queueing ------------------------------------------------------------------------------- */

static message *new_message(unsigned to, const header *h, const void *data, size_t bytes) {
  message *m = malloc(sizeof *m + bytes);
  if (!m) return NULL;
  *m = (message){.to = to, .bytes = bytes, .header = *h};
  if (bytes) memcpy(m + 1, data, bytes);
  return m;
}

/* A transport of one message at a time: each begins when the one before is through, and comes after
 * the latency. */
static double due_time(struct ranks_remote *m, size_t bytes) {
  double now = ranks_now();
  if (!m->latency && !m->bandwidth) return 0;
  double begin = MAX(now, m->busy_until);
  m->busy_until = begin + (m->bandwidth ? (double)bytes / m->bandwidth : 0);
  return m->busy_until + m->latency;
}

static void queue_locked(struct ranks_remote *m, message *msg) {
  msg->due = due_time(m, msg->bytes + sizeof(header));
  *m->last = msg;
  m->last = &msg->next;
  m->queued += msg->bytes;
}

static bool is_full(struct ranks_remote *m) {
  pthread_mutex_lock(&m->lock);
  bool full = m->queued > MOST_QUEUED;
  pthread_mutex_unlock(&m->lock);
  return full;
}

static void send_message(tsr_ranks *r, unsigned to, const header *h, const void *data,
                         size_t bytes) {
  struct ranks_remote *m = r->remote;
  ranks_patience p = ranks_begin_waiting(r);
  while (!r->failed && is_full(m))
    if (!ranks_wait_more(&p, to)) return;
  message *msg = new_message(to, h, data, bytes);
  if (!msg) {
    if (!r->failed) ranks_fail(r, "rank %u: out of memory", r->rank);
    return;
  }
  r->peers[to].used = true;
  pthread_mutex_lock(&m->lock);
  queue_locked(m, msg);
  pthread_mutex_unlock(&m->lock);
}

void ranks_remote_put(tsr_ranks *r, uint32_t segment, unsigned to, size_t offset, const void *data,
                      size_t bytes) {
  for (size_t at = 0; at < bytes; at += MOST_BYTES) {
    size_t n = MIN(bytes - at, (size_t)MOST_BYTES);
    header h = {.kind = PUT, .segment = segment, .offset = offset + at, .bytes = n};
    send_message(r, to, &h, (const char *)data + at, n);
  }
}

void ranks_remote_word(tsr_ranks *r, uint32_t segment, unsigned to, size_t offset, uint64_t value,
                       bool add) {
  header h = {.kind = add ? ADD : SET, .segment = segment, .offset = offset, .value = value};
  send_message(r, to, &h, NULL, 0);
}

static uint64_t add_question(struct ranks_remote *m, char *data, _Atomic uint32_t *done) {
  pthread_mutex_lock(&m->lock);
  uint64_t number = ++m->asked;
  m->questions[number % QUESTIONS] = (question){number, data, done};
  pthread_mutex_unlock(&m->lock);
  return number;
}

/* Pieces are answered in their order, so the last one tells that all are there. */
void ranks_remote_get(tsr_ranks *r, uint32_t segment, unsigned from, size_t offset, void *data,
                      size_t bytes, _Atomic uint32_t *done) {
  header h = {.kind = GET,
              .segment = segment,
              .offset = offset,
              .bytes = bytes,
              .answer = add_question(r->remote, data, done)};
  send_message(r, from, &h, NULL, 0);
}

void ranks_remote_fence(tsr_ranks *r, unsigned to, _Atomic uint32_t *done) {
  header h = {.kind = FENCE, .answer = add_question(r->remote, NULL, done)};
  send_message(r, to, &h, NULL, 0);
}

/* ---- what messages ask for ------------------------------------------------------------------ */

static void answer(struct ranks_remote *m, unsigned to, const header *h, const void *data,
                   size_t bytes) {
  message *msg = new_message(to, h, data, bytes);
  if (!msg) return; /* who asked reports that nothing came */
  pthread_mutex_lock(&m->lock);
  queue_locked(m, msg);
  pthread_mutex_unlock(&m->lock);
}

static void answer_get(struct ranks_remote *m, unsigned to, const header *asked, const char *own) {
  for (size_t at = 0; at < asked->bytes; at += MOST_BYTES) {
    size_t n = MIN(asked->bytes - at, (size_t)MOST_BYTES);
    header h = {.kind = DATA,
                .offset = at,
                .bytes = n,
                .value = at + n == asked->bytes,
                .answer = asked->answer};
    answer(m, to, &h, own + asked->offset + at, n);
  }
}

/* The question is still there: who gives up takes it back. */
static void take_answer(struct ranks_remote *m, const header *h, const char *data) {
  pthread_mutex_lock(&m->lock);
  question *q = &m->questions[h->answer % QUESTIONS];
  if (q->number == h->answer && q->done) {
    if (h->kind == DATA) memcpy(q->data + h->offset, data, h->bytes);
    if (h->kind == DONE || h->value) {
      atomic_store_explicit(q->done, 1, memory_order_release);
      q->done = NULL;
    }
  }
  pthread_mutex_unlock(&m->lock);
}

static bool fits(const ranks_segment *s, const header *h) {
  uint64_t bytes = h->kind == SET || h->kind == ADD ? sizeof(uint64_t) : h->bytes;
  return s && h->offset <= s->mapped && bytes <= s->mapped - h->offset;
}

static void obey(struct ranks_remote *m, unsigned from, const header *h, const char *data) {
  tsr_ranks *r = m->ranks;
  if (h->kind == DATA || h->kind == DONE) {
    take_answer(m, h, data);
    return;
  }
  if (h->kind == FENCE) {
    answer(m, from, &(header){.kind = DONE, .answer = h->answer}, NULL, 0);
    return;
  }
  ranks_segment *s = ranks_segment_find(r, h->segment);
  if (!fits(s, h)) return;
  switch ((message_kind)h->kind) {
  case PUT: memcpy(s->own + h->offset, data, h->bytes); break;
  case SET: ranks_set(r, s, r->rank, h->offset, h->value); break;
  case ADD: ranks_add(r, s, r->rank, h->offset, h->value); break;
  case GET: answer_get(m, from, h, s->own); break;
  default: break;
  }
}

/* ---- the thread ----------------------------------------------------------------------------- */

static bool receive_one(struct ranks_remote *m) {
  tsr_ranks *r = m->ranks;
  int from = -1;
  size_t bytes;
  if (r->mpi->probe(r->transport, &from, &bytes) != 1) return false;
  char *data = malloc(bytes + 1);
  bool good = data && r->mpi->receive(r->transport, from, data, bytes) == 0;
  header h;
  if (good && bytes >= sizeof h) {
    memcpy(&h, data, sizeof h);
    obey(m, (unsigned)from, &h, data + sizeof h);
  }
  free(data);
  return true;
}

static message *take_due(struct ranks_remote *m) {
  pthread_mutex_lock(&m->lock);
  message *msg = m->first;
  if (msg && msg->due && msg->due > ranks_now()) msg = NULL;
  if (msg) {
    m->first = msg->next;
    if (!m->first) m->last = &m->first;
  }
  pthread_mutex_unlock(&m->lock);
  return msg;
}

static bool send_one(struct ranks_remote *m) {
  tsr_ranks *r = m->ranks;
  message *msg = take_due(m);
  if (!msg) return false;
  msg->request =
      r->mpi->send(r->transport, (int)msg->to, &msg->header, sizeof msg->header + msg->bytes);
  msg->next = m->under_way;
  m->under_way = msg;
  return true;
}

static void drop_sent(struct ranks_remote *m) {
  tsr_ranks *r = m->ranks;
  for (message **p = &m->under_way; *p;) {
    message *msg = *p;
    if (msg->request && r->mpi->test(r->transport, msg->request) == 0) {
      p = &msg->next;
      continue;
    }
    *p = msg->next;
    pthread_mutex_lock(&m->lock);
    m->queued -= msg->bytes;
    pthread_mutex_unlock(&m->lock);
    free(msg);
  }
}

static bool is_over(struct ranks_remote *m) {
  pthread_mutex_lock(&m->lock);
  bool late = m->stop_by && ranks_now() > m->stop_by;
  bool over = m->stop && ((!m->first && !m->under_way) || late);
  pthread_mutex_unlock(&m->lock);
  return over;
}

/* A thread that looks again at once, or wakes up often, takes the processor from one that computes;
 * of sleeps of 20 to 1000 microseconds these cost a product beside it the least. */
static void *serve(void *user) {
  enum { LOOKS = 16, SLEEP_NS = 100000 };
  struct ranks_remote *m = user;
  for (unsigned idle = 0; !is_over(m);) {
    bool busy = receive_one(m);
    busy |= send_one(m);
    drop_sent(m);
    idle = busy ? 0 : idle + 1;
    if (idle > LOOKS) nanosleep(&(struct timespec){.tv_nsec = SLEEP_NS}, NULL);
  }
  return NULL;
}

/* ---- starting and stopping ------------------------------------------------------------------ */

/* TESSERA_RANKS_DELAY: "MICROSECONDS,MEGABYTES A SECOND", to see what a slower network would do. */
static bool read_delay(struct ranks_remote *m) {
  const char *text = getenv("TESSERA_RANKS_DELAY");
  if (!text || !*text) return true;
  char *end;
  m->latency = strtod(text, &end) * 1e-6;
  if (*end == ',') m->bandwidth = strtod(end + 1, &end) * 1e6;
  if (!*end && m->latency >= 0 && m->bandwidth >= 0) return true;
  diag_error(m->ranks->ctx, NOWHERE,
             "TESSERA_RANKS_DELAY: expected MICROSECONDS or MICROSECONDS,MEGABYTES (a second), "
             "found '%s'",
             text);
  return false;
}

bool ranks_remote_start(tsr_ranks *r) {
  struct ranks_remote *m = calloc(1, sizeof *m);
  if (!m) {
    diag_error(r->ctx, NOWHERE, "out of memory");
    return false;
  }
  m->ranks = r;
  m->last = &m->first;
  pthread_mutex_init(&m->lock, NULL);
  if (read_delay(m)) {
    if (pthread_create(&m->thread, NULL, serve, m) == 0) {
      r->remote = m;
      return true;
    }
    diag_error(r->ctx, NOWHERE, "rank %u: no thread for messages can be started", r->rank);
  }
  pthread_mutex_destroy(&m->lock);
  free(m);
  return false;
}

void ranks_remote_stop(tsr_ranks *r) {
  struct ranks_remote *m = r->remote;
  if (!m) return;
  pthread_mutex_lock(&m->lock);
  m->stop = true;
  if (r->failed) m->stop_by = ranks_now() + 0.5;
  pthread_mutex_unlock(&m->lock);
  pthread_join(m->thread, NULL);
  pthread_mutex_destroy(&m->lock);
  /* MPI may still read messages that are under way to ranks that are gone: they stay. */
  while (m->first) {
    message *msg = m->first;
    m->first = msg->next;
    free(msg);
  }
  free(m);
  r->remote = NULL;
}

void ranks_remote_forget(tsr_ranks *r) {
  struct ranks_remote *m = r->remote;
  if (!m) return;
  pthread_mutex_lock(&m->lock);
  for (unsigned k = 0; k < QUESTIONS; k++) m->questions[k].done = NULL;
  pthread_mutex_unlock(&m->lock);
}
