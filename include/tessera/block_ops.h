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
struct tsr_cp_async_commit_args {
  TSR_ARGS_HEAD;
};
#define tsr_build_cp_async_commit(...) TSR_BUILD_OP_(cp_async_commit, __VA_ARGS__)

/* Waits until at most so many sets of copies are on their way.
 *   wait until pending sets <= pending */
struct tsr_cp_async_wait_args {
  TSR_ARGS_HEAD;
  int64_t pending;
};
#define tsr_build_cp_async_wait(...) TSR_BUILD_OP_(cp_async_wait, __VA_ARGS__)

/* ---- Synchronisation ------------------------------------------------------------------------- */

/* Lets all threads of the group meet.
 *   what each thread did before is visible to all behind it */
struct tsr_barrier_args {
  TSR_ARGS_HEAD;
};
#define tsr_build_barrier(...) TSR_BUILD_OP_(barrier, __VA_ARGS__)

/* Lets the threads of each warp meet.
 *   what each thread of a warp did before is visible to that warp behind it */
struct tsr_warp_barrier_args {
  TSR_ARGS_HEAD;
};
#define tsr_build_warp_barrier(...) TSR_BUILD_OP_(warp_barrier, __VA_ARGS__)

#endif
