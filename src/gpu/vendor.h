/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gpu/vendor.h: what the GPUs of one vendor do in their own way, as functions that the lowerings of
 * this folder call. The folders below gpu/ fill the table and hand it in with the kernel
 * (gen.vendor), so that what is neutral includes nothing of theirs. All functions are there; those
 * of which it is not said otherwise make code where the builder is.
 */
#ifndef TSR_GPU_VENDOR_H
#define TSR_GPU_VENDOR_H

#include "gpu/gen.h"
#include "simt/pipeline.h"

/* A `for` in front of its first iteration. */
typedef struct loop_bounds {
  llv lower, upper, step;
  llv forward, any; /* i1: the step is positive; there is an iteration */
} loop_bounds;

typedef struct gpu_hooks {
  unsigned text_space; /* in which addresses of gpu_text are read */
  /* ---- kernels */
  /* Makes gen.function, whose first parameters are a word for each argument. */
  void (*declare)(gen *g, const char *symbol);
  /* The program (gpu_block of the entry's region) with what the plan's form puts around it. Ends in
   * jumps to gen.exit. */
  void (*body)(gen *g);
  /* At gen.exit, in front of the return. */
  void (*end)(gen *g);
  /* In front of the jump to gen.exit where the program returns. */
  void (*leave)(gen *g);
  /* In front of an operation of a block. */
  void (*before_op)(gen *g, const ir_op *op);
  /* i32: the tile block's position in the grid, or the grid's size, in a dimension. */
  llv (*block_position)(gen *g, unsigned dimension, bool is_grid);
  /* Between kernels that a launcher lets overlap: waits for those before, or lets the next begin.
   */
  void (*grid_dependency)(gen *g, bool waits);

  /* ---- threads */
  llv (*thread)(gen *g); /* i32: the thread's number in its block */
  /* The same word (i32), of which is known that all lanes of a warp have the same. */
  llv (*uniform)(gen *g, llv word);
  /* Threads of the tile block meet, and see what the others have written before. */
  void (*barrier)(gen *g);
  /* The same for those of each warp. */
  void (*warp_barrier)(gen *g);
  /* Arrives at one of the block's named barriers, at which so many threads meet, and waits there.
   */
  void (*named_barrier)(gen *g, unsigned id, uint32_t threads, bool waits);
  /* The threads, groups of four warps, have so many registers each from here on. */
  void (*set_registers)(gen *g, unsigned from, unsigned to);
  /* The word (i32) of the lane whose number differs in `mask`, or with this number (i32). */
  llv (*shuffle_xor)(gen *g, llv word, llv mask);
  llv (*shuffle_from)(gen *g, llv word, llv lane);

  /* ---- arithmetic on parts of a word */
  /* Four of the 8 bytes of `low` and `high`, numbered by the nibbles of `selector`. */
  llv (*select_bytes)(gen *g, llv low, llv high, uint32_t selector);
  /* Two numbers of f32 rounded to `elem`, f16 or bf16, in one word; NULL: there is no instruction
   * for it. */
  llv (*round_halves)(gen *g, tsr_elem elem, llv low, llv high);
  /* x * y + z, rounded once, on both halves of words; `elem` is f16 or bf16. */
  llv (*fma_halves)(gen *g, tsr_elem elem, llv x, llv y, llv z);

  /* ---- the program's memory, in gen.space */
  /* `bits` at an offset from an address, if `exists` (i1), else `pad`. Bytes come in words of
   * 32 bits, as does `pad`. */
  llv (*masked_load)(gen *g, unsigned bits, llv address, uint32_t offset, llv exists, llv pad);
  /* Up to 4 integers of `bits` one after the other, if `exists`. */
  void (*masked_store)(gen *g, unsigned bits, llv address, uint32_t offset, llv exists,
                       const llv *x, unsigned n);
  /* If `exists`, a word in memory loses the bits that `keep` has not, and gets those of `put`, by
   * two atomic operations. */
  void (*replace_bits)(gen *g, llv word_address, llv exists, llv keep, llv put);
  /* Loads, stores and atomics in the order and scope that `op` says, if `exists`; else `pad`, and
   * any value. Integers of `bits`. */
  llv (*ordered_load)(gen *g, const ir_op *op, unsigned bits, llv address, llv exists, llv pad);
  void (*ordered_store)(gen *g, const ir_op *op, unsigned bits, llv address, llv exists, llv x);
  llv (*compare_and_swap)(gen *g, const ir_op *op, unsigned bits, llv address, llv exists,
                          llv expected, llv desired);
  /* The old value as an integer; NULL: there is no instruction for this element and mode. */
  llv (*update)(gen *g, const ir_op *op, tsr_elem elem, llv address, llv exists, llv x);
  /* A weak store in a way of its own; false, having done nothing, where there is none. */
  bool (*store)(gen *g, ir_op *op);
  /* In front of a barrier: asynchronous stores have read shared memory, or, `complete`, are done.
   */
  void (*wait_stores)(gen *g, bool complete);
  /* Bytes of shared memory in front of scratch memory that are taken now; makes no code. */
  uint32_t (*shared_taken)(const gen *g);

  /* ---- shared memory */
  /* Begins a copy of 4, 8 or 16 bytes from the program's memory to shared memory, if `who` (i1;
   * NULL: all threads); of which zeros take the place of what lies behind `size` (i32; NULL:
   * nothing). */
  void (*copy_async)(gen *g, unsigned bytes, llv to, uint32_t to_offset, llv from,
                     uint32_t from_offset, llv who, llv size);
  /* Makes a set of the copies begun since the last one; waits until at most so many sets are on
   * their way. */
  void (*copy_commit)(gen *g);
  void (*copy_wait)(gen *g, unsigned pending);
  /* The words of 1, 2 or 4 matrices of eight rows of 16 bytes, which begin at the addresses (i32)
   * that the warp's lanes have in turn, and `offset`. */
  void (*load_matrices)(gen *g, llv address, uint32_t offset, unsigned n, bool transposed,
                        llv *out);
  /* The reverse; targets with GPU_STORE_MATRIX. */
  void (*store_matrices)(gen *g, llv address, uint32_t offset, unsigned n, bool transposed,
                         const llv *words);

  /* ---- operations */
  /* What engines beside the threads do, and mbarriers and fences for them (block level); false,
   * having done nothing, where the target has none. */
  bool (*engine)(gen *g, ir_op *op);
  /* Before a jump to the next iteration of a loop of the block level; NULL: there is nothing to do.
   */
  void (*next_iteration)(gen *g, const ir_op *loop, const ir_op *jump);
  /* sum += a * b for one block of a matrix instruction of MATRIX_WARP. */
  void (*multiply)(gen *g, const ir_op *op, const matrix_instruction *x, const llv *a, const llv *b,
                   llv *sum);
  /* How many registers of a value that a `for` carries, one after the other, are best one vector.
   * NULL: one. */
  unsigned (*carried_together)(const gen *g, const ir_value *carried);
  /* A product by matrix instructions; false, having done nothing, where the plan has none. */
  bool (*product)(gen *g, ir_op *op);
  /* C's printf in one thread, with up to `print_arguments` words (i64): integers, and the bits of
   * f64. */
  unsigned print_arguments;
  void (*print_line)(gen *g, const char *format, const llv *args, unsigned n);
  void (*check)(gen *g, ir_op *op); /* assert */

  /* ---- pipelined loops (simt/pipeline.h) */
  /* An i1 that chooses the kernel's version (gpu/aligned.h) in front of an operation of its block:
   * loops from there on copy ahead in the one, not in the other. The function is NULL: loops that
   * may copy ahead are made twice each; its result is NULL: there are none. */
  llv (*version_test)(gen *g, ir_op *from);
  /* In the version that is made a loop does not copy ahead. NULL: there is no such version. */
  bool (*loop_is_plain)(const gen *g, const simt_pipeline *plan);
  /* An i1 in front of the loop: it may copy ahead. NULL: it always may. */
  llv (*loop_test)(gen *g, const simt_pipeline *plan);
  /* In front of the loop: the first copies, and what else is done once. Sets gen.pipeline. */
  pipeline *(*loop_begin)(gen *g, const simt_pipeline *plan, const loop_bounds *bounds);
  /* The iteration value whose registers instructions still write at the begin of an iteration;
   * NULL: there is none. Makes no code. */
  const ir_value *(*loop_late)(const pipeline *p);
  /* At the head, after the loop's own phis; `before` jumps there first. */
  void (*loop_head)(gen *g, pipeline *p, llblock before);
  /* Around the body's operations. */
  void (*loop_body)(gen *g, pipeline *p);
  void (*loop_body_end)(pipeline *p);
  /* Where an iteration ends, before values are handed on, and when `here` jumps to the head. */
  void (*loop_next)(gen *g, pipeline *p);
  void (*loop_continue)(const pipeline *p, llblock here);
  /* When all of the loop is made: gen.pipeline is what it was. */
  void (*loop_close)(gen *g, pipeline *p);
  /* After the loop; `late` are the registers of loop_late. */
  void (*loop_end)(gen *g, pipeline *p, llv *late);
} gpu_hooks;

#endif
