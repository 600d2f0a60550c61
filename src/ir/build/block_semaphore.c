/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Words in global memory that tile blocks wait for.
 */
#include "ir/build/block_tile.h"

static bool is_word(caller c, const char *function, tsr_value v) {
  if (!caller_goes_on(c)) return false;
  if (v && v->type->kind == IR_TILE && v->type->elem == TSR_PTR && !v->type->rank &&
      v->type->pointee == TSR_I32)
    return true;
  caller_error(c, "%s: expected a pointer to an i32", function);
  return false;
}

/* A loop is open, and `found` is its semaphore's value; it is left where that is `wanted`. */
static void leave_where(caller c, tsr_value found, tsr_value wanted) {
  tsr_value done = BUILD_VALUE(cmpi, c.b, found, wanted, TSR_CMP_EQUAL, TSR_SIGNED);
  BUILD_OP(if, c.b, done);
  BUILD_OP(break, c.b);
  tsr_build_end_at(c.file, c.line, c.b);
  tsr_build_end_at(c.file, c.line, c.b);
}

void tsr_block_semaphore_wait_at(const char *file, unsigned line, tsr_builder *b,
                                 tsr_value semaphore, tsr_value value) {
  caller c = CALLER;
  if (!is_word(c, "tsr_block_semaphore_wait", semaphore)) return;
  BUILD_OP(loop, b);
  leave_where(
      c,
      BUILD_VALUE(load_ptr_tko, b, semaphore, TSR_MEMORY_ACQUIRE, .memory_scope = TSR_SCOPE_DEVICE),
      value);
  BUILD_OP(barrier, b);
}

void tsr_block_semaphore_lock_at(const char *file, unsigned line, tsr_builder *b,
                                 tsr_value semaphore) {
  caller c = CALLER;
  if (!is_word(c, "tsr_block_semaphore_lock", semaphore)) return;
  tsr_type i32 = tsr_type_scalar(b, TSR_I32);
  tsr_value free = tsr_build_int_at(file, line, b, i32, 0);
  tsr_value taken = tsr_build_int_at(file, line, b, i32, 1);
  BUILD_OP(loop, b);
  leave_where(
      c,
      BUILD_VALUE(atomic_cas_tko, b, semaphore, free, taken, TSR_MEMORY_ACQUIRE, TSR_SCOPE_DEVICE),
      free);
  BUILD_OP(barrier, b);
}

void tsr_block_semaphore_release_at(const char *file, unsigned line, tsr_builder *b,
                                    tsr_value semaphore, tsr_value value) {
  caller c = CALLER;
  if (!is_word(c, "tsr_block_semaphore_release", semaphore)) return;
  BUILD_OP(barrier, b);
  (void)BUILD_VALUE(store_ptr_tko, b, semaphore, value, TSR_MEMORY_RELEASE,
                    .memory_scope = TSR_SCOPE_DEVICE);
}
