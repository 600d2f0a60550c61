/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Made by scripts/gen-builder from the operation table (src/ir/block/ops.def): do not edit.
 *
 * One struct of arguments and one macro for every operation of the block level; tessera/block.h
 * says how they are used. tsr_build_… gives the first result as a tsr_value
 * (others: tsr_result_of), or the tsr_op when it has no results or any number of
 * them (tsr_op_result).
 */
#ifndef TESSERA_BLOCK_OPS_H
#define TESSERA_BLOCK_OPS_H

#include <tessera/layout.h>
#include <tessera/ops.h>

/* clang-format off */

/* ---- attributes: 0 says nothing, which leaves the default ------------------------------------ */

typedef int64_t tsr_instruction;
enum {
  TSR_INSTRUCTION_AUTO = 1, /* the widest access that the layouts allow */
  TSR_INSTRUCTION_SCALAR = 2, /* an element at a time */
  TSR_INSTRUCTION_VECTOR = 3, /* several neighbouring elements at a time */
  TSR_INSTRUCTION_LDMATRIX = 4, /* ldmatrix: rows of 16 bytes, spread over a warp */
  TSR_INSTRUCTION_LDMATRIX_TRANS = 5, /* ldmatrix.trans: the same, transposed */
  TSR_INSTRUCTION_STMATRIX = 6, /* stmatrix: the reverse of ldmatrix */
  TSR_INSTRUCTION_STMATRIX_TRANS = 7, /* stmatrix.trans: the same, transposed */
};

typedef int64_t tsr_each;
enum {
  TSR_EACH_THREAD = 1, /* every thread */
  TSR_EACH_WARP = 2, /* one thread of each warp, for all of them */
  TSR_EACH_GROUP = 3, /* one thread of the group, for all of them */
};

/* ---- Layouts --------------------------------------------------------------------------------- */

/* Hands the elements of a tile to other threads.
 *   result[i] = source[i] */
struct tsr_convert_layout_args {
  TSR_ARGS_HEAD;
  tsr_value source;
  tsr_type type;
};
#define tsr_build_convert_layout(...) TSR_BUILD_VALUE_(convert_layout, __VA_ARGS__)

/* Reads the bits that each thread holds as another tile.
 *   bits(result, thread) = bits(source, thread) */
struct tsr_reinterpret_args {
  TSR_ARGS_HEAD;
  tsr_value source;
  tsr_type type;
};
#define tsr_build_reinterpret(...) TSR_BUILD_VALUE_(reinterpret, __VA_ARGS__)

/* Gives each thread its number in its group.
 *   result[thread] = thread */
struct tsr_get_worker_args {
  TSR_ARGS_HEAD;
  tsr_type type;
};
#define tsr_build_get_worker(...) TSR_BUILD_VALUE_(get_worker, __VA_ARGS__)

/* ---- Shared memory --------------------------------------------------------------------------- */

/* Allocates shared memory of the tile block.
 *   result = memory for shape(result) elements */
struct tsr_alloc_shared_args {
  TSR_ARGS_HEAD;
  tsr_type type;
  int64_t alignment; /* optional: */
};
#define tsr_build_alloc_shared(...) TSR_BUILD_VALUE_(alloc_shared, __VA_ARGS__)

/* Ends the life of an allocation.
 *   memory of storage may be given out again */
struct tsr_free_shared_args {
  TSR_ARGS_HEAD;
  tsr_value storage;
};
#define tsr_build_free_shared(...) TSR_BUILD_OP_(free_shared, __VA_ARGS__)

/* Gives a part of shared memory.
 *   result[i] = storage[offsets + i] */
struct tsr_subview_args {
  TSR_ARGS_HEAD;
  tsr_value storage;
  tsr_values offsets;
  tsr_type type;
};
#define tsr_build_subview(...) TSR_BUILD_VALUE_(subview, __VA_ARGS__)

/* Reorders the dimensions of shared memory.
 *   result[i] = storage[j], j[permutation[d]] = i[d] */
struct tsr_permute_view_args {
  TSR_ARGS_HEAD;
  tsr_value storage;
  tsr_ints permutation;
  tsr_type type;
};
#define tsr_build_permute_view(...) TSR_BUILD_VALUE_(permute_view, __VA_ARGS__)

/* Loads a tile from shared memory.
 *   result[i] = source[i] */
struct tsr_load_shared_args {
  TSR_ARGS_HEAD;
  tsr_value source;
  tsr_type type;
  tsr_instruction instruction; /* optional: */
};
#define tsr_build_load_shared(...) TSR_BUILD_VALUE_(load_shared, __VA_ARGS__)

/* Stores a tile to shared memory.
 *   dest[i] = value[i] */
struct tsr_store_shared_args {
  TSR_ARGS_HEAD;
  tsr_value value, dest;
  tsr_instruction instruction; /* optional: */
};
#define tsr_build_store_shared(...) TSR_BUILD_OP_(store_shared, __VA_ARGS__)

/* ---- Global memory --------------------------------------------------------------------------- */

/* Loads a tile of a tensor view at any offset.
 *   result[i] = offsets + i inside view ? view[offsets + i] : padding_value */
struct tsr_load_global_args {
  TSR_ARGS_HEAD;
  tsr_value view;
  tsr_values offsets;
  tsr_type type;
  tsr_value mask; /* optional: */
  int64_t padding_value;
};
#define tsr_build_load_global(...) TSR_BUILD_VALUE_(load_global, __VA_ARGS__)

/* Stores a tile to a tensor view at any offset.
 *   view[offsets + i] = value[i] where offsets + i is inside view */
struct tsr_store_global_args {
  TSR_ARGS_HEAD;
  tsr_value value, view;
  tsr_values offsets;
  tsr_value mask; /* optional: */
};
#define tsr_build_store_global(...) TSR_BUILD_OP_(store_global, __VA_ARGS__)

/* ---- Asynchronous copies --------------------------------------------------------------------- */

/* Begins a copy from global to shared memory.
 *   dest[i] = offsets + i inside view ? view[offsets + i] : padding_value, by the wait */
struct tsr_cp_async_args {
  TSR_ARGS_HEAD;
  tsr_value view;
  tsr_values offsets;
  tsr_value dest;
  const tsr_layout *layout;
};
#define tsr_build_cp_async(...) TSR_BUILD_OP_(cp_async, __VA_ARGS__)

/* Closes the set of copies begun since the last one.
 *   pending sets = pending sets + 1 */
struct tsr_cp_async_commit_args { TSR_ARGS_HEAD; };
#define tsr_build_cp_async_commit(...) TSR_BUILD_OP_(cp_async_commit, __VA_ARGS__)

/* Waits until at most so many sets of copies are on their way.
 *   wait until pending sets <= pending */
struct tsr_cp_async_wait_args {
  TSR_ARGS_HEAD;
  int64_t pending;
};
#define tsr_build_cp_async_wait(...) TSR_BUILD_OP_(cp_async_wait, __VA_ARGS__)

/* ---- Groups of threads ----------------------------------------------------------------------- */

/* Lets some threads of the group execute a program of their own.
 *   threads first … end - 1: results = body */
struct tsr_group_args {
  TSR_ARGS_HEAD;
  int64_t first, end;
  tsr_types types; /* optional: */
};
#define tsr_build_group(...) TSR_BUILD_OP_(group, __VA_ARGS__)

/* Lets one thread of the group execute a program.
 *   one thread of the group: body */
struct tsr_elect_args { TSR_ARGS_HEAD; };
#define tsr_build_elect(...) TSR_BUILD_OP_(elect, __VA_ARGS__)

/* Divides the block into groups that have a program each.
 *   all roles at once */
struct tsr_roles_args { TSR_ARGS_HEAD; };
#define tsr_build_roles(...) TSR_BUILD_OP_(roles, __VA_ARGS__)

/* One of several groups that execute at once.
 *   threads first … end - 1: body */
struct tsr_role_args {
  TSR_ARGS_HEAD;
  const char *sym_name;
  int64_t first, end;
  int64_t registers; /* optional: */
};
#define tsr_build_role(...) TSR_BUILD_OP_(role, __VA_ARGS__)

/* ---- Synchronisation ------------------------------------------------------------------------- */

/* Lets all threads of the group meet.
 *   what each thread did before is visible to all behind it */
struct tsr_barrier_args { TSR_ARGS_HEAD; };
#define tsr_build_barrier(...) TSR_BUILD_OP_(barrier, __VA_ARGS__)

/* Lets the threads of each warp meet.
 *   what each thread of a warp did before is visible to that warp behind it */
struct tsr_warp_barrier_args { TSR_ARGS_HEAD; };
#define tsr_build_warp_barrier(...) TSR_BUILD_OP_(warp_barrier, __VA_ARGS__)

/* Arrives at a named barrier without waiting.
 *   what these threads did before is visible behind barrier_wait */
struct tsr_barrier_arrive_args {
  TSR_ARGS_HEAD;
  int64_t id, count;
};
#define tsr_build_barrier_arrive(...) TSR_BUILD_OP_(barrier_arrive, __VA_ARGS__)

/* Arrives at a named barrier and waits for all others.
 *   what all of them did before is visible behind it */
struct tsr_barrier_wait_args {
  TSR_ARGS_HEAD;
  int64_t id, count;
};
#define tsr_build_barrier_wait(...) TSR_BUILD_OP_(barrier_wait, __VA_ARGS__)

/* Shows the copy engine and the matrix units what was written.
 *   what these threads wrote or saw before is visible to copies and products behind it */
struct tsr_fence_async_args { TSR_ARGS_HEAD; };
#define tsr_build_fence_async(...) TSR_BUILD_OP_(fence_async, __VA_ARGS__)

/* ---- Barriers in shared memory --------------------------------------------------------------- */

/* Allocates barriers in shared memory.
 *   result = barriers without a count */
struct tsr_alloc_mbarrier_args {
  TSR_ARGS_HEAD;
  tsr_type type;
};
#define tsr_build_alloc_mbarrier(...) TSR_BUILD_VALUE_(alloc_mbarrier, __VA_ARGS__)

/* Begins the first phase of barriers.
 *   phase = 0, arrivals of a phase = count */
struct tsr_mbarrier_init_args {
  TSR_ARGS_HEAD;
  tsr_value barrier;
  int64_t count;
  tsr_value index; /* optional: */
};
#define tsr_build_mbarrier_init(...) TSR_BUILD_OP_(mbarrier_init, __VA_ARGS__)

/* Arrives at a barrier.
 *   arrivals of this phase = arrivals + count for each unit */
struct tsr_mbarrier_arrive_args {
  TSR_ARGS_HEAD;
  tsr_value barrier;
  tsr_value index; /* optional: */
  int64_t count;
  tsr_each each;
};
#define tsr_build_mbarrier_arrive(...) TSR_BUILD_OP_(mbarrier_arrive, __VA_ARGS__)

/* Announces bytes that copies bring in this phase.
 *   bytes of this phase = bytes of this phase + bytes */
struct tsr_mbarrier_expect_args {
  TSR_ARGS_HEAD;
  tsr_value barrier;
  int64_t bytes;
  tsr_value index; /* optional: */
};
#define tsr_build_mbarrier_expect(...) TSR_BUILD_OP_(mbarrier_expect, __VA_ARGS__)

/* Announces bytes and arrives.
 *   mbarrier_expect; mbarrier_arrive */
struct tsr_mbarrier_arrive_expect_args {
  TSR_ARGS_HEAD;
  tsr_value barrier;
  int64_t bytes;
  tsr_value index; /* optional: */
};
#define tsr_build_mbarrier_arrive_expect(...) TSR_BUILD_OP_(mbarrier_arrive_expect, __VA_ARGS__)

/* Waits until a phase is complete.
 *   wait until the phase with this parity is complete */
struct tsr_mbarrier_wait_args {
  TSR_ARGS_HEAD;
  tsr_value barrier, parity;
  tsr_value index; /* optional: */
};
#define tsr_build_mbarrier_wait(...) TSR_BUILD_OP_(mbarrier_wait, __VA_ARGS__)

/* Arrives at a barrier when earlier copies are there.
 *   when all cp_async of a thread so far have arrived: arrivals = arrivals + 1 */
struct tsr_cp_async_arrive_args {
  TSR_ARGS_HEAD;
  tsr_value barrier;
  tsr_value index; /* optional: */
};
#define tsr_build_cp_async_arrive(...) TSR_BUILD_OP_(cp_async_arrive, __VA_ARGS__)

/* ---- Copies of tensors ----------------------------------------------------------------------- */

/* Describes a tensor view to the copy engine.
 *   result = view, in boxes of the result's shape */
struct tsr_make_tensor_map_args {
  TSR_ARGS_HEAD;
  tsr_value view;
  tsr_type type;
};
#define tsr_build_make_tensor_map(...) TSR_BUILD_VALUE_(make_tensor_map, __VA_ARGS__)

/* Begins copies of boxes of a tensor to shared memory.
 *   dest[i] = map[offsets + i] or 0 outside; then its bytes count at barrier */
struct tsr_tensor_load_args {
  TSR_ARGS_HEAD;
  tsr_value map;
  tsr_values offsets;
  tsr_value dest, barrier;
  tsr_value index, multicast; /* optional: */
};
#define tsr_build_tensor_load(...) TSR_BUILD_OP_(tensor_load, __VA_ARGS__)

/* Begins copies of shared memory to boxes of a tensor.
 *   map[offsets + i] = source[i] where that is inside */
struct tsr_tensor_store_args {
  TSR_ARGS_HEAD;
  tsr_value source, map;
  tsr_values offsets;
};
#define tsr_build_tensor_store(...) TSR_BUILD_OP_(tensor_store, __VA_ARGS__)

/* Begins to combine shared memory with boxes of a tensor.
 *   map[offsets + i] = mode(map[offsets + i], source[i]) where that is inside */
struct tsr_tensor_reduce_args {
  TSR_ARGS_HEAD;
  tsr_value source, map;
  tsr_values offsets;
  tsr_rmw mode;
};
#define tsr_build_tensor_reduce(...) TSR_BUILD_OP_(tensor_reduce, __VA_ARGS__)

/* Begins a copy of rows to shared memory.
 *   dest[i] = view[offsets + i]; then its bytes count at barrier */
struct tsr_bulk_load_args {
  TSR_ARGS_HEAD;
  tsr_value view;
  tsr_values offsets;
  tsr_value dest, barrier;
  tsr_value index, multicast; /* optional: */
};
#define tsr_build_bulk_load(...) TSR_BUILD_OP_(bulk_load, __VA_ARGS__)

/* Begins a copy of rows of shared memory.
 *   view[offsets + i] = source[i] */
struct tsr_bulk_store_args {
  TSR_ARGS_HEAD;
  tsr_value source, view;
  tsr_values offsets;
};
#define tsr_build_bulk_store(...) TSR_BUILD_OP_(bulk_store, __VA_ARGS__)

/* Closes the set of copies to global memory begun since the last.
 *   pending sets = pending sets + 1 */
struct tsr_bulk_commit_args { TSR_ARGS_HEAD; };
#define tsr_build_bulk_commit(...) TSR_BUILD_OP_(bulk_commit, __VA_ARGS__)

/* Waits until at most so many sets are on their way.
 *   wait until pending sets <= pending */
struct tsr_bulk_wait_args {
  TSR_ARGS_HEAD;
  int64_t pending;
  tsr_flag read; /* optional: */
};
#define tsr_build_bulk_wait(...) TSR_BUILD_OP_(bulk_wait, __VA_ARGS__)

/* ---- Asynchronous products ------------------------------------------------------------------- */

/* Lets products use registers that were written before.
 *   accumulators and operands in registers are ready */
struct tsr_wgmma_fence_args { TSR_ARGS_HEAD; };
#define tsr_build_wgmma_fence(...) TSR_BUILD_OP_(wgmma_fence, __VA_ARGS__)

/* Begins a product of groups of 128 threads.
 *   result = lhs * rhs + acc, by the wait */
struct tsr_wgmma_args {
  TSR_ARGS_HEAD;
  tsr_value lhs, rhs, acc;
  tsr_type type;
};
#define tsr_build_wgmma(...) TSR_BUILD_VALUE_(wgmma, __VA_ARGS__)

/* Closes the set of products begun since the last.
 *   pending sets = pending sets + 1 */
struct tsr_wgmma_commit_args { TSR_ARGS_HEAD; };
#define tsr_build_wgmma_commit(...) TSR_BUILD_OP_(wgmma_commit, __VA_ARGS__)

/* Waits for products, and gives the tile that one computed.
 *   wait until pending sets <= pending; result = source */
struct tsr_wgmma_wait_args {
  TSR_ARGS_HEAD;
  tsr_value source;
  int64_t pending;
  tsr_type type;
};
#define tsr_build_wgmma_wait(...) TSR_BUILD_VALUE_(wgmma_wait, __VA_ARGS__)

/* ---- Clusters of tile blocks ----------------------------------------------------------------- */

/* Gives the tile block's number in its cluster.
 *   result = rank */
struct tsr_get_cluster_rank_args { TSR_ARGS_HEAD; };
#define tsr_build_get_cluster_rank(...) TSR_BUILD_VALUE_(get_cluster_rank, __VA_ARGS__)

/* Gives what another tile block of the cluster has in its place.
 *   result = storage of the tile block with this rank */
struct tsr_map_remote_args {
  TSR_ARGS_HEAD;
  tsr_value storage, rank;
  tsr_type type;
};
#define tsr_build_map_remote(...) TSR_BUILD_VALUE_(map_remote, __VA_ARGS__)

/* Arrives at the barrier of the cluster without waiting.
 *   what these threads did before is visible behind cluster_wait */
struct tsr_cluster_arrive_args {
  TSR_ARGS_HEAD;
  tsr_flag relaxed; /* optional: */
};
#define tsr_build_cluster_arrive(...) TSR_BUILD_OP_(cluster_arrive, __VA_ARGS__)

/* Waits until all tile blocks of the cluster have arrived.
 *   what all of them did before cluster_arrive is visible behind it */
struct tsr_cluster_wait_args { TSR_ARGS_HEAD; };
#define tsr_build_cluster_wait(...) TSR_BUILD_OP_(cluster_wait, __VA_ARGS__)

/* Lets all threads of the cluster meet.
 *   cluster_arrive; cluster_wait */
struct tsr_cluster_barrier_args { TSR_ARGS_HEAD; };
#define tsr_build_cluster_barrier(...) TSR_BUILD_OP_(cluster_barrier, __VA_ARGS__)

/* Begins to store a tile to a tile block of the cluster.
 *   dest[i] = value[i]; then its bytes count at barrier */
struct tsr_store_async_args {
  TSR_ARGS_HEAD;
  tsr_value value, dest, barrier;
  tsr_value index; /* optional: */
};
#define tsr_build_store_async(...) TSR_BUILD_OP_(store_async, __VA_ARGS__)

/* Begins a copy to shared memory of a tile block of the cluster.
 *   dest[i] = source[i]; then its bytes count at barrier */
struct tsr_bulk_copy_args {
  TSR_ARGS_HEAD;
  tsr_value source, dest, barrier;
  tsr_value index; /* optional: */
};
#define tsr_build_bulk_copy(...) TSR_BUILD_OP_(bulk_copy, __VA_ARGS__)

/* ---- Atomic updates -------------------------------------------------------------------------- */

/* Combines a tile with shared memory, atomically.
 *   result[i] = dest[i]; dest[i] = mode(dest[i], value[i]) */
struct tsr_atomic_shared_args {
  TSR_ARGS_HEAD;
  tsr_value value, dest;
  tsr_rmw mode;
  tsr_value mask; /* optional: */
};
#define tsr_build_atomic_shared(...) TSR_BUILD_VALUE_(atomic_shared, __VA_ARGS__)

/* Compares and swaps in shared memory, atomically.
 *   result[i] = dest[i]; if result[i] == cmp[i]: dest[i] = value[i] */
struct tsr_atomic_cas_shared_args {
  TSR_ARGS_HEAD;
  tsr_value cmp, value, dest;
  tsr_value mask; /* optional: */
};
#define tsr_build_atomic_cas_shared(...) TSR_BUILD_VALUE_(atomic_cas_shared, __VA_ARGS__)

/* Combines a tile with a tensor view, atomically.
 *   result[i] = view[offsets + i]; view[offsets + i] = mode(result[i], value[i]) */
struct tsr_atomic_global_args {
  TSR_ARGS_HEAD;
  tsr_value value, view;
  tsr_values offsets;
  tsr_rmw mode;
  tsr_value mask; /* optional: */
};
#define tsr_build_atomic_global(...) TSR_BUILD_VALUE_(atomic_global, __VA_ARGS__)

/* Compares and swaps in a tensor view, atomically.
 *   result[i] = view[offsets + i]; if result[i] == cmp[i]: view[offsets + i] = value[i] */
struct tsr_atomic_cas_global_args {
  TSR_ARGS_HEAD;
  tsr_value cmp, value, view;
  tsr_values offsets;
  tsr_value mask; /* optional: */
};
#define tsr_build_atomic_cas_global(...) TSR_BUILD_VALUE_(atomic_cas_global, __VA_ARGS__)

/* ---- Random numbers -------------------------------------------------------------------------- */

/* Gives four random words for each element.
 *   (word0[i], …, word3[i]) = Philox4x32(key = seed, counter = (offset[i], 0)) */
struct tsr_philox_args {
  TSR_ARGS_HEAD;
  tsr_value seed, offset;
  int64_t rounds; /* optional: */
};
#define tsr_build_philox(...) TSR_BUILD_VALUE_(philox, __VA_ARGS__)

#endif
