/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * transport: what src/ranks needs of MPI, as a table of functions. MPI libraries share no binary
 * interface, so mpi.c is compiled once for each of them, by its own mpicc, into a plugin that
 * exports one function, tsr_mpi_transport. The rest of Tessera never sees a type of MPI.
 *
 * No function waits for another rank but `open` and `close`, which are collective. All others are
 * called by one thread at a time.
 */
#ifndef TSR_MPI_TRANSPORT_H
#define TSR_MPI_TRANSPORT_H

#include <stddef.h>

enum { MPI_TRANSPORT_VERSION = 1 };

typedef struct mpi_transport {
  unsigned version;    /* MPI_TRANSPORT_VERSION */
  const char *library; /* "Open MPI" */
  /* `comm` is the address of an MPI_Comm, which is duplicated; NULL: MPI is initialised if it is
   * not yet, and the world is taken. NULL after writing into `why`. */
  void *(*open)(const void *comm, int *rank, int *size, char *why, size_t why_size);
  /* Begins to send; the data stay until `test` says that it is done. NULL: MPI refused. */
  void *(*send)(void *transport, int to, const void *data, size_t bytes);
  /* 1: done, and the request is gone; 0: not yet; -1: it failed, and the request is gone. */
  int (*test)(void *transport, void *request);
  /* 1: a message, with that many bytes, is there, of rank *from or, where that is -1, of any, which
   * it is set to; 0: none; -1: MPI failed. Messages of one rank come in the order in which they
   * were sent. */
  int (*probe)(void *transport, int *from, size_t *bytes);
  /* Takes a message that `probe` has found. 0, or -1: MPI failed. */
  int (*receive)(void *transport, int from, void *data, size_t bytes);
  /* `together`: all ranks close; MPI is finalised if `open` has initialised it. Otherwise it is
   * left as it is, since finalising would wait for ranks that are gone. */
  void (*close)(void *transport, int together);
} mpi_transport;

typedef const mpi_transport *(*mpi_transport_fn)(void);

#endif
