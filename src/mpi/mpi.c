/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The plugin for one MPI library. It needs nothing but this folder and MPI:
 *
 *   mpicc -O2 -shared -fPIC -I.. mpi.c -o libtessera-mpi-mine.so
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "mpi/transport.h"

enum { TAG = 43 };

typedef struct transport {
  MPI_Comm comm;
  int initialised; /* by us */
} transport;

static int refused(int code, const char *call, char *why, size_t size) {
  char text[MPI_MAX_ERROR_STRING] = "unknown error";
  int length;
  if (code == MPI_SUCCESS) return 0;
  MPI_Error_string(code, text, &length);
  snprintf(why, size, "%s: %.160s", call, text);
  return 1;
}

/* A second thread calls MPI when ranks are on several machines, and never two at once. */
static int initialise(transport *t, char *why, size_t size) {
  int running = 0, over = 0, level;
  MPI_Initialized(&running);
  MPI_Finalized(&over);
  if (over) {
    snprintf(why, size, "MPI has been finalised in this process");
    return 0;
  }
  if (!running) {
    if (refused(MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &level), "MPI_Init_thread", why,
                size))
      return 0;
    t->initialised = 1;
  }
  MPI_Query_thread(&level);
  if (level >= MPI_THREAD_SERIALIZED) return 1;
  snprintf(why, size,
           "MPI was initialised without MPI_THREAD_SERIALIZED, which Tessera needs: call "
           "MPI_Init_thread with it, or with MPI_THREAD_MULTIPLE");
  return 0;
}

static void *mpi_open(const void *comm, int *rank, int *size, char *why, size_t why_size) {
  transport *t = calloc(1, sizeof *t);
  if (!t) {
    snprintf(why, why_size, "out of memory");
    return NULL;
  }
  if (!initialise(t, why, why_size)) {
    free(t);
    return NULL;
  }
  MPI_Comm given = comm ? *(const MPI_Comm *)comm : MPI_COMM_WORLD;
  if (refused(MPI_Comm_dup(given, &t->comm), "MPI_Comm_dup", why, why_size)) {
    free(t);
    return NULL;
  }
  MPI_Comm_set_errhandler(t->comm, MPI_ERRORS_RETURN);
  MPI_Comm_rank(t->comm, rank);
  MPI_Comm_size(t->comm, size);
  return t;
}

static void *mpi_send(void *transport_, int to, const void *data, size_t bytes) {
  transport *t = transport_;
  MPI_Request *request = malloc(sizeof *request);
  if (!request) return NULL;
  if (MPI_Isend(data, (int)bytes, MPI_BYTE, to, TAG, t->comm, request) == MPI_SUCCESS)
    return request;
  free(request);
  return NULL;
}

static int mpi_test(void *transport_, void *request) {
  int done = 0;
  (void)transport_;
  int code = MPI_Test(request, &done, MPI_STATUS_IGNORE);
  if (code == MPI_SUCCESS && !done) return 0;
  free(request);
  return code == MPI_SUCCESS ? 1 : -1;
}

static int mpi_probe(void *transport_, int *from, size_t *bytes) {
  transport *t = transport_;
  MPI_Status status;
  int there = 0, count = 0;
  int source = *from < 0 ? MPI_ANY_SOURCE : *from;
  if (MPI_Iprobe(source, TAG, t->comm, &there, &status) != MPI_SUCCESS) return -1;
  if (!there) return 0;
  MPI_Get_count(&status, MPI_BYTE, &count);
  *from = status.MPI_SOURCE;
  *bytes = (size_t)count;
  return 1;
}

static int mpi_receive(void *transport_, int from, void *data, size_t bytes) {
  transport *t = transport_;
  int code = MPI_Recv(data, (int)bytes, MPI_BYTE, from, TAG, t->comm, MPI_STATUS_IGNORE);
  return code == MPI_SUCCESS ? 0 : -1;
}

static void mpi_close(void *transport_, int together) {
  transport *t = transport_;
  if (together) {
    MPI_Comm_free(&t->comm);
    if (t->initialised) MPI_Finalize();
  }
  free(t);
}

#if defined(OPEN_MPI)
#define LIBRARY "Open MPI"
#elif defined(MPICH_VERSION)
#define LIBRARY "MPICH"
#else
#define LIBRARY "MPI"
#endif

#pragma GCC visibility push(default)
const mpi_transport *tsr_mpi_transport(void) {
  static const mpi_transport table = {
      MPI_TRANSPORT_VERSION, LIBRARY,  mpi_open, mpi_send, mpi_test, mpi_probe,
      mpi_receive,           mpi_close};
  return &table;
}
#pragma GCC visibility pop
