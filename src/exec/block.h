/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * exec/block.h: what a running tile block sees. This is the binary interface between compiled code,
 * the interpreter and the runtime: compiled code reads rt_block's fields at fixed offsets and calls
 * back through rt_hooks. Change RT_BLOCK_ABI when anything here changes.
 */
#ifndef TSR_EXEC_BLOCK_H
#define TSR_EXEC_BLOCK_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <tessera/elem.h>

#include "exec/scalar.h"

enum { RT_BLOCK_ABI = 3 };

typedef struct rt_hooks rt_hooks;
typedef struct rt_launch_state rt_launch_state; /* private to the runtime */

typedef struct rt_block {
  const uint64_t *args; /* one word per kernel parameter: address, or pattern zero-extended */
  void *const *globals; /* address of each global, in the module's order */
  char *scratch;        /* this thread's, 64-byte aligned, as large as the code asked for */
  const rt_hooks *hooks;
  rt_launch_state *launch;
  int32_t id[3], grid[3];
  /* Code made with checks: the address where each memory starts and the one after its end, in the
   * order of ir/roots.h (allocas left out), then those of all of them together. */
  const uint64_t *bounds;
  uint32_t rank; /* interp, which executes several ranks as one launch; compiled code has none */
} rt_block;

/* One printed tile: packed elements in row-major order, as tsr_elem_storage lays them out. */
typedef struct rt_print_arg {
  const void *data;
  uint8_t elem; /* tsr_elem; TSR_PTR prints as an address */
  uint8_t rank;
  const int64_t *shape;
} rt_print_arg;

struct rt_hooks {
  /* Formats and writes one print_tko. `format` has `length` bytes. */
  void (*print)(rt_block *block, const char *format, size_t length, const rt_print_arg *args,
                size_t count);
  /* `count` elements of an element-wise operation that compiled code leaves to the runtime: exact
   * but slow. Arrays are packed as in memory (tsr_elem_storage). */
  void (*elementwise)(const exec_elementwise *what, void *result, const void *const *operands,
                      int64_t count);
  /* A failed assert. `where` is what ir_where (ir/ir.h) says, or NULL. `condition` is the tile of
   * i1 of which an element is false; NULL when it is a scalar. The block may continue. */
  void (*assert_failed)(rt_block *block, const char *message, const char *where,
                        const rt_print_arg *condition);
  /* Code made with checks: looks at an operation before it is executed, when a quick test was not
   * enough to see that nothing is wrong. `op` is an ir_op; `operands` has for each of its operands
   * what the interpreter keeps of it (interp/internal.h; NULL for a token), and after them the
   * address of the alloca that the access belongs to, or NULL. Returns 0 when nothing is wrong. */
  uint8_t (*check)(rt_block *block, const void *op, const void *const *operands);
  /* A `loop` with atomics or ordered loads goes round once more: it may be waiting for another tile
   * block, which may need this processor. */
  void (*wait)(rt_block *block);
};

/* A compiled kernel: executes one tile block. */
typedef void (*rt_block_fn)(rt_block *block);

#endif
