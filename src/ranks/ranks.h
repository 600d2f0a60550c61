/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * ranks: processes that share memory and wait for each other (the contract: tessera/ranks.h).
 *
 *   plugin.c     finding and opening the plugin for the MPI of this process
 *   join.c       making a communicator: who is where, the first segment
 *   segment.c    memory that every rank has; writing and reading another's
 *   remote.c     the same for ranks on other machines: a thread that owns MPI, and its messages
 *   wait.c       waiting with a time limit; who has ended; agreeing on a call
 *   collect.c    collective operations
 *   symmetric.c  symmetric buffers and signals
 *
 * Everything is made of three things: writing into another rank's segment, changing a word there,
 * and waiting for a word of one's own. Where ranks share memory these are a copy and two atomics;
 * elsewhere the first two are messages, in whose order they happen at the other side. So no call
 * waits inside of MPI, and each can give up.
 *
 * Segments of one machine are files without a name (memfd), which the peers open by the process
 * that made them: nothing is left when ranks die, however they do.
 */
#ifndef TSR_RANKS_RANKS_H
#define TSR_RANKS_RANKS_H

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

#include <tessera/ranks.h>

#include "base/base.h"
#include "mpi/transport.h"

enum { RANKS_MOST = 4096 };

/* What a rank says when it comes to a call. */
typedef struct ranks_record {
  uint32_t call;   /* ranks_call */
  uint32_t status; /* tsr_status: whether it could do its part so far */
  uint64_t bytes, detail;
  /* Segments: what the peers need to map it. */
  int64_t process;
  int32_t file;
} ranks_record;

typedef enum ranks_call {
  RANKS_NO_CALL,
  RANKS_JOIN,
  RANKS_LEAVE,
  RANKS_BARRIER,
  RANKS_BROADCAST,
  RANKS_ALL_GATHER,
  RANKS_ALL_TO_ALL,
  RANKS_ALL_REDUCE,
  RANKS_REDUCE_SCATTER,
  RANKS_CREATE,
  RANKS_DESTROY,
  RANKS_WAIT, /* for a signal; not collective */
  RANKS_GET,
  RANKS_FENCE,
  RANKS_CALLS
} ranks_call;

/* Of each other rank, in the first segment. Calls have numbers from 1 on; that of number n lies in
 * records[n % 2], since nobody can be two calls ahead of another. */
typedef struct ranks_desk {
  ranks_record records[2];
  _Atomic uint64_t number;    /* the last call that it has come to */
  _Atomic uint64_t sent;      /* pieces that it has put into this rank's tray for it … */
  _Atomic uint64_t taken;     /* … and pieces of this rank that it has taken */
  _Atomic uint64_t gave_up;   /* it reported an error in that call number; 0: it did not */
  _Atomic uint64_t pieces[2]; /* bytes of the pieces that lie in the tray */
} ranks_desk;

typedef struct ranks_segment {
  struct ranks_segment *next;
  uint32_t id;
  size_t bytes, mapped;
  char *own;
  char **peers; /* by rank, `own` included; NULL: on another machine */
} ranks_segment;

typedef struct ranks_peer {
  pid_t process;
  bool near; /* on this machine */
  bool used; /* something was sent to it since the last fence */
} ranks_peer;

struct tsr_ranks {
  tsr_context *ctx;
  const mpi_transport *mpi;
  void *transport;
  unsigned rank, size;
  ranks_peer *peers;
  double timeout;
  uint64_t number; /* of the call under way */
  ranks_call call;
  bool agreeing; /* waits until all have come to it */
  bool failed;   /* and said so */
  uint32_t next_id;
  pthread_mutex_t lock; /* of `segments` */
  ranks_segment *segments;
  ranks_segment *desks;        /* the first one: a desk for each rank, then trays */
  uint64_t *sent, *received;   /* pieces, by rank */
  size_t piece;                /* bytes */
  struct ranks_remote *remote; /* NULL: all ranks are near */
};

/* ---- plugin.c ------------------------------------------------------------------------------- */

/* NULL after a message. */
const mpi_transport *ranks_plugin(tsr_context *ctx, const char *asked);

/* ---- segment.c ------------------------------------------------------------------------------ */

/* Collective. `call` names it in messages. NULL after a message, when any rank had none. */
ranks_segment *ranks_segment_create(tsr_ranks *r, ranks_call call, size_t bytes);
void ranks_segment_destroy(tsr_ranks *r, ranks_segment *s);
/* The parts of that, for the first segment. Both report nothing; `file` stays open until the peers
 * have mapped it. */
ranks_segment *ranks_segment_make(tsr_ranks *r, size_t bytes, int *file);
bool ranks_segment_map(tsr_ranks *r, ranks_segment *s, unsigned rank, const ranks_record *record);
ranks_segment *ranks_segment_find(tsr_ranks *r, uint32_t id);

void ranks_put(tsr_ranks *r, ranks_segment *s, unsigned to, size_t offset, const void *data,
               size_t bytes);
/* After everything that was put there before. */
void ranks_set(tsr_ranks *r, ranks_segment *s, unsigned to, size_t offset, uint64_t value);
void ranks_add(tsr_ranks *r, ranks_segment *s, unsigned to, size_t offset, uint64_t value);
/* These report. */
bool ranks_get(tsr_ranks *r, ranks_segment *s, unsigned from, size_t offset, void *data,
               size_t bytes);
bool ranks_fence(tsr_ranks *r);

static inline ranks_desk *ranks_desk_of(const tsr_ranks *r, unsigned rank) {
  return (ranks_desk *)r->desks->own + rank;
}

/* ---- remote.c ------------------------------------------------------------------------------- */

bool ranks_remote_start(tsr_ranks *r); /* reports */
/* Everything has been sent when it returns, unless the communicator has failed. */
void ranks_remote_stop(tsr_ranks *r);
void ranks_remote_put(tsr_ranks *r, uint32_t segment, unsigned to, size_t offset, const void *data,
                      size_t bytes);
void ranks_remote_word(tsr_ranks *r, uint32_t segment, unsigned to, size_t offset, uint64_t value,
                       bool add);
/* Ask; what was asked for has come when *done is not 0. */
void ranks_remote_get(tsr_ranks *r, uint32_t segment, unsigned from, size_t offset, void *data,
                      size_t bytes, _Atomic uint32_t *done);
void ranks_remote_fence(tsr_ranks *r, unsigned to, _Atomic uint32_t *done);
/* What was asked for may go: its answers are dropped. */
void ranks_remote_forget(tsr_ranks *r);

/* ---- wait.c --------------------------------------------------------------------------------- */

typedef struct ranks_patience {
  tsr_ranks *ranks;
  double until, looked;
  uint32_t spins;
} ranks_patience;

double ranks_now(void); /* seconds */
ranks_patience ranks_begin_waiting(tsr_ranks *r);
/* Before a condition is looked at again. `for_rank` is whom this waits for; UINT_MAX: any. False
 * after a message: it has ended or given up, or the time is over. */
bool ranks_wait_more(ranks_patience *p, unsigned for_rank);
/* Reports, and lets the others know. */
void ranks_fail(tsr_ranks *r, const char *fmt, ...) PRINTF_LIKE(2, 3);
bool ranks_is_gone(const tsr_ranks *r, unsigned rank);
/* "all_reduce (call 7)" */
const char *ranks_call_text(ranks_call call, uint64_t number, char out[48]);

/* Comes to a call and waits until all have; reports what is wrong. `own` may be this rank's status
 * of a first part. The other ranks' records are there until the next call. */
bool ranks_agree(tsr_ranks *r, const ranks_record *own);
static inline const ranks_record *ranks_record_of(const tsr_ranks *r, unsigned rank) {
  return &ranks_desk_of(r, rank)->records[r->number % 2];
}
/* Whether a call may begin; says so when the communicator has failed before. */
bool ranks_is_ready(tsr_ranks *r);

/* ---- collect.c ------------------------------------------------------------------------------ */

size_t ranks_piece_bytes(unsigned size);
/* Of the first segment. */
size_t ranks_desk_bytes(unsigned size);

#endif
