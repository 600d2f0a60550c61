/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Making a communicator. Ranks greet each other by MPI; after that those of one machine share
 * memory, and MPI carries only what goes to other machines.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "ranks/ranks.h"

/* What ranks tell each other first. */
typedef struct greeting {
  char version[32]; /* of Tessera */
  uint64_t machine;
  ranks_record desks; /* the first segment */
} greeting;

/* ---- options -------------------------------------------------------------------------------- */

static bool read_timeout(tsr_ranks *r, double asked) {
  const char *text = getenv("TESSERA_RANKS_TIMEOUT");
  r->timeout = asked > 0 ? asked : 60;
  if (asked > 0 || !text || !*text) return true;
  char *end;
  r->timeout = strtod(text, &end);
  if (!*end && r->timeout > 0 && r->timeout < 1e6) return true;
  diag_error(r->ctx, NOWHERE, "TESSERA_RANKS_TIMEOUT: expected seconds above 0, found '%s'", text);
  return false;
}

static bool read_options(tsr_context *ctx, const tsr_ranks_options *given, tsr_ranks_options *out) {
  *out = (tsr_ranks_options){.struct_size = sizeof *out};
  if (!given) return true;
  if (given->struct_size < offsetof(tsr_ranks_options, timeout) + sizeof given->timeout) {
    diag_error(ctx, NOWHERE,
               "tsr_ranks_options.struct_size is %zu: set it to sizeof(tsr_ranks_options)",
               given->struct_size);
    return false;
  }
  *out = *given;
  return true;
}

/* ---- who is where --------------------------------------------------------------------------- */

static uint64_t add_text(uint64_t hash, const char *text) {
  return hash_mix(hash, hash_bytes(text, strlen(text)));
}

/* Processes of one boot of one kernel that see each other's numbers can share memory.
 * TESSERA_RANKS_APART treats each rank as if it were on a machine of its own. */
static uint64_t machine_of(const tsr_ranks *r) {
  char text[128] = "";
  uint64_t hash = 0;
  FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");
  if (f && fgets(text, sizeof text, f)) hash = add_text(hash, text);
  if (f) fclose(f);
  ssize_t n = readlink("/proc/self/ns/pid", text, sizeof text - 1);
  if (n > 0) text[n] = 0;
  hash = add_text(hash, text);
  const char *apart = getenv("TESSERA_RANKS_APART");
  return apart && *apart && strcmp(apart, "0") != 0 ? hash_mix(hash, r->rank + 1) : hash;
}

/* ---- greeting ------------------------------------------------------------------------------- */

/* The first message of a rank; what it sends next is for later. */
static bool receive_greeting(tsr_ranks *r, greeting *all, bool *here, int from) {
  size_t bytes;
  int found = here[from] ? 0 : r->mpi->probe(r->transport, &from, &bytes);
  if (found != 1) return found == 0;
  if (bytes != sizeof *all) {
    diag_error(r->ctx, NOWHERE, "rank %u: rank %d runs another version of Tessera", r->rank, from);
    return false;
  }
  here[from] = true;
  return r->mpi->receive(r->transport, from, &all[from], bytes) == 0;
}

static void *send_greeting(tsr_ranks *r, unsigned to, const greeting *own) {
  return r->mpi->send(r->transport, (int)to, own, sizeof *own);
}

static unsigned missing(const tsr_ranks *r, const bool *here) {
  unsigned k = 0;
  while (k < r->size && here[k]) k++;
  return k;
}

/* Sends its own to all and waits until those of all are there. */
static bool greet(tsr_ranks *r, greeting *all, void **requests, bool *here) {
  bool good = true;
  for (unsigned k = 0; k < r->size; k++)
    requests[k] = k == r->rank ? NULL : send_greeting(r, k, &all[r->rank]);
  here[r->rank] = true;
  double until = ranks_now() + r->timeout;
  for (bool done = false; good && !done;) {
    for (unsigned k = 0; k < r->size && good; k++) good = receive_greeting(r, all, here, (int)k);
    done = missing(r, here) == r->size;
    for (unsigned k = 0; k < r->size; k++) {
      if (requests[k] && r->mpi->test(r->transport, requests[k])) requests[k] = NULL;
      done &= !requests[k];
    }
    if (good && !done && ranks_now() > until) {
      diag_error(r->ctx, NOWHERE, "rank %u: rank %u has not joined within %g s", r->rank,
                 missing(r, here), r->timeout);
      good = false;
    }
    if (good && !done) nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
  }
  return good;
}

static bool is_same_version(tsr_ranks *r, const greeting *all) {
  for (unsigned k = 0; k < r->size; k++) {
    if (strncmp(all[k].version, all[r->rank].version, sizeof all->version) == 0) continue;
    diag_error(r->ctx, NOWHERE, "rank %u runs Tessera %s, rank %u %.32s", r->rank,
               all[r->rank].version, k, all[k].version);
    return false;
  }
  return true;
}

/* Memory of the first segment, of all peers on this machine. */
static bool find_peers(tsr_ranks *r, const greeting *all) {
  for (unsigned k = 0; k < r->size; k++) {
    r->peers[k].process = (pid_t)all[k].desks.process;
    r->peers[k].near = all[k].machine == all[r->rank].machine;
    if (ranks_segment_map(r, r->desks, k, &all[k].desks)) continue;
    diag_error(r->ctx, NOWHERE,
               "rank %u: the memory of rank %u (process %d) cannot be shared: %s; run both as one "
               "user, or set TESSERA_RANKS_APART=1",
               r->rank, k, (int)r->peers[k].process, strerror(errno));
    return false;
  }
  return true;
}

static bool needs_messages(const tsr_ranks *r) {
  for (unsigned k = 0; k < r->size; k++)
    if (!r->peers[k].near) return true;
  return false;
}

static bool meet(tsr_ranks *r, arena *a) {
  greeting *all = arena_array(a, greeting, r->size);
  void **requests = arena_array(a, void *, r->size);
  bool *here = arena_array(a, bool, r->size);
  memset(here, 0, r->size * sizeof *here);
  greeting *own = &all[r->rank];
  *own = (greeting){.machine = machine_of(r), .desks.process = getpid()};
  snprintf(own->version, sizeof own->version, "%s/%zu", tsr_version(), sizeof(ranks_desk));
  int file;
  r->desks = ranks_segment_make(r, ranks_desk_bytes(r->size), &file);
  if (!r->desks) {
    diag_error(r->ctx, NOWHERE, "rank %u: there is not enough memory to share: %zu bytes", r->rank,
               ranks_desk_bytes(r->size));
    return false;
  }
  r->segments = r->desks;
  r->next_id = 1;
  own->desks.file = file;
  bool good = greet(r, all, requests, here) && is_same_version(r, all) && find_peers(r, all) &&
              (!needs_messages(r) || ranks_remote_start(r)) &&
              ranks_agree(r, &(ranks_record){.call = RANKS_JOIN});
  close(file);
  return good;
}

/* ---- joining and leaving -------------------------------------------------------------------- */

static void free_ranks(tsr_ranks *r) {
  tsr_context *ctx = r->ctx;
  if (r->desks) ranks_segment_destroy(r, r->desks);
  if (r->peers) ctx_free(ctx, r->peers, r->size * sizeof *r->peers);
  if (r->sent) ctx_free(ctx, r->sent, 2 * r->size * sizeof *r->sent);
  pthread_mutex_destroy(&r->lock);
  ctx_free(ctx, r, sizeof *r);
}

/* Of the ranks that the transport has; all memory but the segments. */
static bool take_memory(tsr_ranks *r) {
  r->peers = ctx_try_alloc(r->ctx, r->size * sizeof *r->peers);
  r->sent = ctx_try_alloc(r->ctx, 2 * r->size * sizeof *r->sent);
  if (!r->peers || !r->sent) {
    diag_error(r->ctx, NOWHERE, "out of memory");
    return false;
  }
  memset(r->peers, 0, r->size * sizeof *r->peers);
  memset(r->sent, 0, 2 * r->size * sizeof *r->sent);
  r->received = r->sent + r->size;
  r->piece = ranks_piece_bytes(r->size);
  return true;
}

static bool open_transport(tsr_ranks *r, const tsr_ranks_options *options) {
  int rank = 0, size = 0;
  char why[256] = "";
  r->transport = r->mpi->open(options->comm, &rank, &size, why, sizeof why);
  if (!r->transport) {
    diag_error(r->ctx, NOWHERE, "%s cannot be used: %s", r->mpi->library, why);
    return false;
  }
  r->rank = (unsigned)rank;
  r->size = (unsigned)size;
  if (size <= RANKS_MOST) return true;
  diag_error(r->ctx, NOWHERE, "%d ranks: there may be at most %d", size, RANKS_MOST);
  return false;
}

static bool meet_all(tsr_ranks *r) {
  arena a;
  arena_init(&a, r->ctx);
  TSR_GUARD(r->ctx, {
    arena_free(&a);
    return false;
  });
  bool good = meet(r, &a);
  TSR_UNGUARD(r->ctx);
  arena_free(&a);
  return good;
}

tsr_ranks *tsr_ranks_join(tsr_context *ctx, const tsr_ranks_options *given) {
  tsr_ranks_options options;
  if (!ctx || !read_options(ctx, given, &options)) return NULL;
  tsr_ranks *r = ctx_try_alloc(ctx, sizeof *r);
  if (!r) {
    diag_error(ctx, NOWHERE, "out of memory");
    return NULL;
  }
  *r = (tsr_ranks){.ctx = ctx};
  pthread_mutex_init(&r->lock, NULL);
  if (read_timeout(r, options.timeout)) r->mpi = ranks_plugin(ctx, options.mpi);
  if (r->mpi && open_transport(r, &options) && take_memory(r) && meet_all(r)) return r;
  r->failed = true;
  ranks_remote_stop(r);
  if (r->transport) r->mpi->close(r->transport, false);
  free_ranks(r);
  return NULL;
}

/* What started the ranks may end all when the first one ends: the others are to say what they know
 * before. True: all ranks are here, and have failed as well. */
static bool linger(tsr_ranks *r) {
  double until = ranks_now() + 2;
  bool all = true;
  for (unsigned k = 0; k < r->size; k++) {
    _Atomic uint64_t *gave_up = &ranks_desk_of(r, k)->gave_up;
    while (k != r->rank && !*gave_up && !ranks_is_gone(r, k) && ranks_now() < until)
      nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    all &= k == r->rank || (*gave_up && !ranks_is_gone(r, k));
  }
  return all;
}

void tsr_ranks_leave(tsr_ranks *r) {
  if (!r) return;
  if (!r->failed) ranks_agree(r, &(ranks_record){.call = RANKS_LEAVE});
  bool together = !r->failed || linger(r);
  ranks_remote_stop(r);
  r->mpi->close(r->transport, together);
  free_ranks(r);
}

unsigned tsr_ranks_rank(const tsr_ranks *r) {
  return r ? r->rank : 0;
}
unsigned tsr_ranks_size(const tsr_ranks *r) {
  return r ? r->size : 0;
}
const char *tsr_ranks_library(const tsr_ranks *r) {
  return r ? r->mpi->library : NULL;
}
bool tsr_ranks_is_near(const tsr_ranks *r, unsigned rank) {
  return r && rank < r->size && r->peers[rank].near;
}
