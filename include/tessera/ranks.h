/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Ranks: the processes of one program that mpirun starts, on one machine or several, and memory
 * that they share.
 *
 *   tsr_ranks *all = tsr_ranks_join(ctx, NULL);               // mpirun -n 4 ./program
 *   tsr_symmetric *x = tsr_symmetric_create(all, dev, bytes); // every rank has one, as large
 *   tsr_arg args[] = {tsr_arg_buffer(tsr_symmetric_buffer(x)),
 *                     tsr_arg_buffer(tsr_symmetric_peer(x, (rank + 1) % size)),
 *                     tsr_arg_buffer(tsr_symmetric_table(x)), tsr_arg_i32(rank)};
 *   tsr_launch(kernel, grid, args, 4);                        // reads and writes its neighbour's
 *   tsr_symmetric_notify(x, next, flag, TSR_NOTIFY_SET, 1);
 *   tsr_symmetric_wait(x, flag, TSR_WAIT_EQUAL, 1, NULL);
 *   tsr_symmetric_destroy(x);
 *   tsr_ranks_leave(all);
 *
 * MPI is opened when the first communicator is made, by a plugin for the library that started the
 * process (Open MPI, MPICH; docs/ranks.md); libtessera itself is not linked with any.
 *
 * Ranks of one machine share memory: kernels on "cpu" and "interp" reach a peer's buffer by
 * loads, stores and atomics, with scope `sys` for what is to order them. Memory of a rank on
 * another machine is reached by tsr_symmetric_put, _get and _notify only.
 *
 * Collective calls. All ranks make them, in the same order, with the same sizes. That is checked:
 * when ranks disagree, when one has ended, or does not come within the time that is set, each rank
 * that waits reports the rank and the call, and returns TSR_ERROR_TRAP (functions that make
 * something: NULL). After that every further call of the communicator fails, but _destroy and
 * _leave.
 *
 * Threads. A communicator, with its symmetric buffers, is used by one thread at a time; kernels
 * that use the buffers are launched by any. Contexts as everywhere.
 */
#ifndef TESSERA_RANKS_H
#define TESSERA_RANKS_H

#include <tessera/base.h>
#include <tessera/elem.h>
#include <tessera/runtime.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tsr_ranks tsr_ranks;
typedef struct tsr_symmetric tsr_symmetric;

/* ---- communicators -------------------------------------------------------------------------- */

typedef struct tsr_ranks_options {
  size_t struct_size; /* sizeof(tsr_ranks_options) */
  /* "openmpi", "mpich", or the file of a plugin. NULL: TESSERA_MPI, else that of the process. */
  const char *mpi;
  /* The address of an MPI_Comm of that library; all of its ranks join. MPI must have been
   * initialised with MPI_THREAD_SERIALIZED at least, and be called by no other thread while the
   * communicator is there unless with MPI_THREAD_MULTIPLE. NULL: all that mpirun started. */
  const void *comm;
  /* Seconds that a call waits for another rank. 0: TESSERA_RANKS_TIMEOUT, else 60. */
  double timeout;
} tsr_ranks_options;

/* Whether the environment says that mpirun (or another launcher of an MPI) started this process. */
TSR_API bool tsr_ranks_started(void);

/* Collective. `options` may be NULL. NULL after a message. */
TSR_API tsr_ranks *tsr_ranks_join(tsr_context *context, const tsr_ranks_options *options);
/* Collective, when nothing has failed; else it waits for nobody. Symmetric buffers have been
 * destroyed before. NULL is allowed. */
TSR_API void tsr_ranks_leave(tsr_ranks *ranks);

TSR_API unsigned tsr_ranks_rank(const tsr_ranks *ranks);
TSR_API unsigned tsr_ranks_size(const tsr_ranks *ranks);
TSR_API const char *tsr_ranks_library(const tsr_ranks *ranks); /* "Open MPI" */
/* Whether memory of that rank can be reached by kernels of this one. */
TSR_API bool tsr_ranks_is_near(const tsr_ranks *ranks, unsigned rank);

/* ---- collective operations ------------------------------------------------------------------ */

/* Each is on memory of the host, which is read and written by this rank only; results may not
 * overlap with what is read unless they are the same memory, where that is said. */

TSR_API tsr_status tsr_ranks_barrier(tsr_ranks *ranks);
/* `data` of rank `root` to all others. */
TSR_API tsr_status tsr_ranks_broadcast(tsr_ranks *ranks, unsigned root, void *data, size_t bytes);
/* `to` gets `bytes` of every rank, one after the other. `from` may be this rank's place in it. */
TSR_API tsr_status tsr_ranks_all_gather(tsr_ranks *ranks, const void *from, void *to, size_t bytes);
/* `bytes` to each rank and from each, by their order. */
TSR_API tsr_status tsr_ranks_all_to_all(tsr_ranks *ranks, const void *from, void *to, size_t bytes);
/* The same with a number of bytes for each rank: `sent` and `received` have one for each, and what
 * they count lies without gaps. What one rank sends is what the other receives. */
TSR_API tsr_status tsr_ranks_all_to_all_v(tsr_ranks *ranks, const void *from, const size_t *sent,
                                          void *to, const size_t *received);

typedef enum tsr_reduction { TSR_REDUCE_SUM, TSR_REDUCE_MIN, TSR_REDUCE_MAX } tsr_reduction;

/* Every rank sends all it has to all (one step, for short vectors), or each sums a part and sends
 * that on (two steps). Both add in the order of the ranks, so they give the same, on all ranks. */
typedef enum tsr_shots { TSR_SHOTS_AUTO, TSR_SHOTS_ONE, TSR_SHOTS_TWO } tsr_shots;

/* Element-wise over the ranks: `count` elements from each, `count` results at each. Integers (i8 to
 * i64, signed) wrap around; f64 is added in f64; f32 and all smaller floats in f32, rounded to the
 * type once. A NaN stays one. `to` may be `from`. */
TSR_API tsr_status tsr_ranks_all_reduce(tsr_ranks *ranks, const void *from, void *to, size_t count,
                                        tsr_elem elem, tsr_reduction reduction, tsr_shots shots);
/* Likewise, of `count` elements for each rank in `from`, by their order; `to` gets this rank's. */
TSR_API tsr_status tsr_ranks_reduce_scatter(tsr_ranks *ranks, const void *from, void *to,
                                            size_t count, tsr_elem elem, tsr_reduction reduction);

/* ---- symmetric memory ----------------------------------------------------------------------- */

/* Collective. Zeroed memory of `bytes` on every rank, for kernels of `device`, which is a "cpu" or
 * "interp" and stays until after it. NULL after a message. */
TSR_API tsr_symmetric *tsr_symmetric_create(tsr_ranks *ranks, tsr_device *device, size_t bytes);
/* Collective as tsr_ranks_leave. No launch uses it any more. NULL is allowed. */
TSR_API void tsr_symmetric_destroy(tsr_symmetric *memory);

/* These belong to the symmetric memory. */
TSR_API tsr_buffer *tsr_symmetric_buffer(tsr_symmetric *memory); /* this rank's */
/* Another rank's; NULL without a message when it is on another machine. */
TSR_API tsr_buffer *tsr_symmetric_peer(tsr_symmetric *memory, unsigned rank);
/* An i64 for each rank: the address at which kernels of this one find its memory; 0 when it is on
 * another machine. Kernels take it by `load_ptr_tko` and `int_to_ptr`. */
TSR_API tsr_buffer *tsr_symmetric_table(tsr_symmetric *memory);

/* Copies `bytes` to `offset` of a rank's memory. They are there for that rank when it sees a later
 * _notify of this rank, or after a _fence and a barrier. `from` may be changed at once. */
TSR_API tsr_status tsr_symmetric_put(tsr_symmetric *memory, unsigned rank, size_t offset,
                                     const void *from, size_t bytes);
/* Copies from there; done when it returns. */
TSR_API tsr_status tsr_symmetric_get(tsr_symmetric *memory, unsigned rank, size_t offset, void *to,
                                     size_t bytes);
/* Waits until everything that was put and notified has arrived. */
TSR_API tsr_status tsr_symmetric_fence(tsr_symmetric *memory);

/* Signals are words of 64 bits at multiples of 8 in symmetric memory, which kernels reach as i64 by
 * atomics of scope `sys`. Notifying releases, waiting acquires. */
typedef enum tsr_notify { TSR_NOTIFY_SET, TSR_NOTIFY_ADD } tsr_notify;
typedef enum tsr_wait {
  TSR_WAIT_EQUAL,
  TSR_WAIT_NOT_EQUAL,
  TSR_WAIT_AT_LEAST, /* unsigned */
} tsr_wait;

TSR_API tsr_status tsr_symmetric_notify(tsr_symmetric *memory, unsigned rank, size_t offset,
                                        tsr_notify how, uint64_t value);
/* Waits for a word of this rank's memory. `seen`, which may be NULL, gets what it was then. */
TSR_API tsr_status tsr_symmetric_wait(tsr_symmetric *memory, size_t offset, tsr_wait until,
                                      uint64_t value, uint64_t *seen);

/* ---- ranks in one process ------------------------------------------------------------------- */

/* Executes `n` ranks as one launch on an "interp" device, without MPI. kernels[r] is rank r's: the
 * same kernel, each of a program of its own (for its globals) from one module; args[r] are its
 * `count` arguments. Peers' memory are buffers like others. Tile blocks of all ranks take turns, in
 * the order that the device's options say, rank 0 first or, reversed, last; those that wait let
 * others continue. When all wait, that is an error which names the rank, the tile block, the line
 * and what it looks at. With tsr_device_options.sanitize accesses of ranks race that nothing of
 * scope `sys` orders. Reports and returns as tsr_launch. One thread at a time. */
TSR_API tsr_status tsr_launch_ranks(tsr_kernel *const *kernels, unsigned n, tsr_grid grid,
                                    const tsr_arg *const *args, size_t count);

#ifdef __cplusplus
}
#endif
#endif
