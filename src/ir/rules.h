/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * rules: what an operation demands beyond its row of the operation table. Each rule is a function
 * and the same thing in words; the words go into the manual (ir/explain.h). Only the verifier and
 * the manual include this.
 */
#ifndef TSR_IR_RULES_H
#define TSR_IR_RULES_H

#include "ir/verify.h"

typedef struct op_rule {
  ir_verify_fn check; /* NULL: the row says everything */
  const char *words;  /* full sentences, one per line */
} op_rule;

/* Operations with rules of their own. (get_global's is in verify.c, which knows the symbols.) */
#define RULES(X)                                                                                                          \
  X(entry) X(global) X(constant) X(iota) X(broadcast) X(reshape) X(permute) X(cat)   \
  X(extract) X(insert) X(select) X(reduce) X(scan) X(pack) X(unpack) X(bitcast) X(exti) X(trunci) X(ftof)    \
  X(itof) X(break) X(continue) X(for) X(if) X(loop) X(return) X(load_ptr_tko) X(store_ptr_tko)     \
  X(join_tokens) X(alloca) X(addf) X(subf) X(mulf) X(divf) X(fma) X(maxf) X(minf) X(sqrt)          \
  X(rsqrt) X(exp) X(exp2) X(tanh) X(mmaf) X(mmaf_scaled) X(mmai) X(negi) X(divi)                   \
  X(atomic_cas_tko) X(atomic_rmw_tko) X(atomic_red_view_tko) X(make_tensor_view)                   \
  X(make_partition_view) X(make_strided_view) X(make_gather_scatter_view) X(get_tensor_shape)      \
  X(get_index_space_shape) X(load_view_tko) X(store_view_tko)\
  X(multimem_load_reduce_view_tko) X(multimem_reduce_view_tko) X(multimem_store_view_tko) X(assume) X(print_tko)              \
  X(convert_layout) X(reinterpret) X(permute_view) X(get_worker) X(alloc_shared) X(free_shared) X(subview) X(load_shared)         \
  X(store_shared) X(load_global) X(store_global) X(cp_async) X(cp_async_wait)                      \
  X(group) X(elect) X(roles) X(role) X(barrier) X(warp_barrier) X(barrier_arrive) X(barrier_wait)  \
  X(mbarrier_init) X(mbarrier_arrive) X(mbarrier_expect) X(mbarrier_arrive_expect)                 \
  X(mbarrier_wait) X(cp_async_arrive) X(make_tensor_map) X(tensor_load) X(tensor_store)            \
  X(tensor_reduce) X(bulk_load) X(bulk_store) X(bulk_wait) X(wgmma) X(wgmma_wait)                  \
  X(get_cluster_rank) X(map_remote) X(cluster_arrive) X(cluster_wait) X(cluster_barrier)           \
  X(store_async) X(bulk_copy)                                                                      \
  X(atomic_shared) X(atomic_cas_shared) X(atomic_global) X(atomic_cas_global) X(philox)            \
  X(testing_func)

/* Defines the rule of an operation: RULE(cat, "words") { … return true; } with `m` and `op`. */
#define RULE(name, text)                                                                           \
  const char rule_words_##name[] = text;                                                           \
  bool rule_check_##name(const ir_module *m, const ir_op *op)

#define X(name)                                                                                    \
  extern const char rule_words_##name[];                                                           \
  bool rule_check_##name(const ir_module *m, const ir_op *op);
RULES(X)
#undef X

extern const op_rule op_rules[OP_TABLE_SIZE];

/* Reports at `op`, led by its name, and returns false. */
bool rule_fail(const ir_module *m, const ir_op *op, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* The same at an operand, or at the type of a result. */
bool rule_fail_operand(const ir_module *m, const ir_op *op, uint32_t index, const char *fmt, ...)
    PRINTF_LIKE(4, 5);
bool rule_fail_result(const ir_module *m, const ir_op *op, uint32_t index, const char *fmt, ...)
    PRINTF_LIKE(4, 5);
/* ... at an argument of the first region. */
bool rule_fail_argument(const ir_module *m, const ir_op *op, uint32_t index, const char *fmt, ...)
    PRINTF_LIKE(4, 5);
/* Where these stand; the operation's place when that isn't known (rule_places.c). */
place rule_operand_place(const ir_module *m, const ir_op *op, uint32_t index);
place rule_argument_place(const ir_module *m, const ir_op *op, uint32_t index);
place rule_result_place(const ir_module *m, const ir_op *op, uint32_t index);
/* The same for what is valid, once: not of a module that has been verified before. */
void rule_warn(const ir_module *m, const ir_op *op, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* What is wrong with a hint: a warning, an error or nothing, as the module's policy says. False
 * when it is an error. */
bool rule_hint(const ir_module *m, const ir_op *op, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* The same at a place of its own choice, without a name in front: a further remark. */
void rule_note(const ir_module *m, const ir_op *op, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* Texts for messages. They live in the module's arena: make them only when something is wrong. */
const char *type_text(const ir_module *m, const ir_type *t);  /* "nothing" for NULL */
const char *shape_text(const ir_module *m, const ir_type *t); /* "[4, 8]" */
const char *values_text(const ir_module *m, const ir_use *uses, uint32_t n); /* types: "(…, …)" */
const char *results_text(const ir_module *m, const ir_op *op);
const char *elem_text(const ir_module *m, const ir_type *t); /* "f32", "ptr<f32>" */

/* "1 element", "2 elements". */
static inline const char *plural(int64_t n) {
  return n == 1 ? "" : "s";
}

/* The type of operand `i`, NULL when it is missing (which another message says). */
static inline const ir_type *operand_type(const ir_op *op, uint32_t i) {
  return op->operands[i].value ? op->operands[i].value->type : NULL;
}
static inline const ir_type *result_type(const ir_op *op, uint32_t i) {
  return op->results[i].type;
}

/* Shared between files of rules. */
/* Of an operation with `mode`, which combines memory with elements of such a tile; and of one that
 * compares and swaps them. */
bool check_mode(const ir_module *m, const ir_op *op, const ir_type *t);
bool check_swapped(const ir_module *m, const ir_op *op, const ir_type *t);
#define MODE_WORDS                                                                                 \
  "The mode suits the elements: addf is for f16, bf16, f32 and f64, xchg for i32, i64, f32 and "   \
  "f64, all others for i32 and i64."
bool check_flush(const ir_module *m, const ir_op *op);
bool check_hints(const ir_module *m, const ir_op *op);
/* The operation whose jumps `op` is: the nearest one around it that is no `if`. */
const ir_op *around_ifs(const ir_op *op);
/* Of a kernel of the block level: whether the tiles of an operation lie where its meaning asks for
 * (block/placement.c). `threads` is the size of the group that executes it. */
bool check_placement(const ir_module *m, const ir_op *op, int64_t threads);
/* Locations with debug scopes (verify_debug.c). */
bool check_debug_scope(const ir_module *m, const ir_op *op, const ir_op *entry);

#endif
