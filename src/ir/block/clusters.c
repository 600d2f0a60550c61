/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Rules of clusters, and of what their tile blocks do to each other.
 */
#include "ir/block/clusters.h"

#include "ir/block/groups.h"
#include "ir/block/layouts.h"
#include "ir/rules.h"

bool ir_has_cluster(const ir_op *entry) {
  return ir_get_attr(entry, ATTR_cluster) != NULL;
}

uint32_t ir_cluster_of(const ir_op *entry, uint32_t size[3]) {
  const ir_attr *given = ir_get_attr(entry, ATTR_cluster);
  uint32_t n = 1;
  for (uint32_t d = 0; d < 3; d++) {
    size[d] = given && d < given->ints->len ? (uint32_t)given->ints->data[d] : 1;
    n *= size[d];
  }
  return n;
}

const ir_op *ir_entry_around(const ir_op *op) {
  while (op->opcode != OP_entry) op = op->block->parent;
  return op;
}

const ir_value *ir_multicast_of(const ir_op *op) {
  bool may = op->opcode == OP_tensor_load || op->opcode == OP_bulk_load;
  return may ? ir_operand_in(op, 5) : NULL;
}

bool check_cluster(const ir_module *m, const ir_op *entry) {
  const ir_ints *sizes = ir_get_attr(entry, ATTR_cluster)->ints;
  int64_t n = 1;
  if (!ir_has_attr(entry, ATTR_threads))
    return rule_fail(m, entry,
                     "cluster(…) is of the block level; write threads(…) in front of it, or leave "
                     "it out: the compiler makes clusters by itself (num_cta_in_cga)");
  if (sizes->len < 1 || sizes->len > 3)
    return rule_fail(m, entry, "a cluster has from 1 to 3 dimensions, but %u are given",
                     sizes->len);
  for (uint32_t d = 0; d < sizes->len && n <= IR_MOST_CLUSTER; d++) {
    if (sizes->data[d] < 1)
      return rule_fail(m, entry, "dimension %u of the cluster is %lld; expected 1 or more", d,
                       (long long)sizes->data[d]);
    n = sizes->data[d] > IR_MOST_CLUSTER ? IR_MOST_CLUSTER + 1 : n * sizes->data[d];
  }
  return n <= IR_MOST_CLUSTER ||
         rule_fail(m, entry, "the cluster has more than %d tile blocks; make it smaller",
                   IR_MOST_CLUSTER);
}

/* The operation stands in a kernel whose tile blocks are in clusters. */
static bool in_cluster(const ir_module *m, const ir_op *op) {
  return ir_has_cluster(ir_entry_around(op)) ||
         rule_fail(m, op,
                   "the kernel's tile blocks are in no clusters; write cluster(2) behind the "
                   "kernel's threads(…)");
}

#define CLUSTER_WORDS "The kernel states its cluster: `threads(128) cluster(2)`."

RULE(get_cluster_rank, CLUSTER_WORDS) {
  return in_cluster(m, op);
}

RULE(map_remote,
     CLUSTER_WORDS "\nThe storage is shared memory or an mbarrier of this tile block, the result "
                   "`remote` of its type.\nThe rank is less than the cluster's size.") {
  const ir_type *t = operand_type(op, 0);
  uint32_t size[3];
  int64_t rank;
  if (!in_cluster(m, op)) return false;
  if ((t->kind != IR_SHARED && t->kind != IR_MBARRIER) || t->remote)
    return rule_fail_operand(m, op, 0,
                             "the storage must be shared memory or an mbarrier of this tile "
                             "block, but has type %s",
                             type_text(m, t));
  const ir_type *expected = ir_remote((ir_module *)m, t, true);
  if (result_type(op, 0) != expected)
    return rule_fail(m, op, "the result must be %s, but is %s", type_text(m, expected),
                     type_text(m, result_type(op, 0)));
  uint32_t n = ir_cluster_of(ir_entry_around(op), size);
  if (!ir_constant_int(ir_operand(op, 1), &rank) || (rank >= 0 && rank < n)) return true;
  return rule_fail_operand(m, op, 1,
                           "rank %lld is outside of the cluster, which has %u tile block%s",
                           (long long)rank, n, plural(n));
}

/* All threads of the tile block come there. */
static bool check_whole(const ir_module *m, const ir_op *op) {
  if (!in_cluster(m, op)) return false;
  return ir_group_around(op)->opcode == OP_entry ||
         rule_fail(m, op,
                   "it is inside of a group, but all threads of the tile block take part in the "
                   "barrier of the cluster; put it in front of the group or behind it");
}

#define WHOLE_WORDS CLUSTER_WORDS "\nIt is not inside of a group."

RULE(cluster_arrive, WHOLE_WORDS) {
  return check_whole(m, op);
}
RULE(cluster_wait, WHOLE_WORDS) {
  return check_whole(m, op);
}
RULE(cluster_barrier, WHOLE_WORDS) {
  return check_whole(m, op);
}

/* ---- copies to other tile blocks ------------------------------------------------------------- */

bool check_multicast(const ir_module *m, const ir_op *op) {
  const ir_value *mask = ir_multicast_of(op);
  uint32_t size[3];
  int64_t bits;
  if (!mask) return true;
  if (!in_cluster(m, op)) return false;
  uint32_t n = ir_cluster_of(ir_entry_around(op), size);
  if (!ir_constant_int(mask, &bits)) return true;
  return (bits > 0 && bits < INT64_C(1) << n) ||
         rule_fail(m, op,
                   "the mask of multicast is %lld; expected a bit for each tile block that gets "
                   "the copy, of the %u that the cluster has",
                   (long long)bits, n);
}

static bool check_barrier(const ir_module *m, const ir_op *op) {
  const ir_type *t = ir_operand_in(op, 2)->type;
  const ir_value *index = ir_operand_in(op, 3);
  int64_t at;
  if (!index)
    return t->count == 1 || rule_fail(m, op,
                                      "say at which of the %lld barriers the bytes count: "
                                      "%%barrier[%%index]",
                                      (long long)t->count);
  if (!ir_constant_int(index, &at) || (at >= 0 && at < t->count)) return true;
  return rule_fail(m, op, "index %lld is outside of %s", (long long)at, type_text(m, t));
}

static bool check_shape(const ir_module *m, const ir_op *op) {
  const ir_type *from = operand_type(op, 0), *to = operand_type(op, 1);
  return ir_same_shape(from, to) || rule_fail(m, op, "%s goes to %s; the shapes must be equal",
                                              type_text(m, from), type_text(m, to));
}

RULE(store_async, CLUSTER_WORDS "\nThe tile has the shape of the memory, and elements of whole "
                                "bytes.") {
  const ir_type *t = operand_type(op, 0);
  if (!in_cluster(m, op) || !check_shape(m, op) || !check_barrier(m, op)) return false;
  return tsr_elem_bits((tsr_elem)t->elem) >= 8 || t->elem == TSR_I1 ||
         rule_fail(m, op, "%s has elements of %u bits, but whole bytes are stored; widen them",
                   type_text(m, t), tsr_elem_bits((tsr_elem)t->elem));
}

/* Without gaps, but for a swizzle. */
static bool is_dense(const tsr_memory_layout *memory) {
  tsr_memory_layout plain = *memory;
  plain.swizzle_bits = plain.swizzle_base = plain.swizzle_shift = 0;
  int64_t n = 1;
  for (unsigned d = 0; d < memory->rank; d++) n *= tsr_memory_dim(memory, d);
  return ir_memory_extent(&plain) == n;
}

RULE(bulk_copy, CLUSTER_WORDS
     "\nOne thread executes it: it stands inside of elect.\n"
     "The source and the destination lie alike, without gaps, in a multiple of 16 bytes.") {
  enum { GRANULE = 16 };
  const ir_type *from = operand_type(op, 0), *to = operand_type(op, 1);
  int64_t bytes = (int64_t)tsr_elem_storage((tsr_elem)from->elem, (size_t)from->count);
  if (!in_cluster(m, op) || !check_shape(m, op) || !check_barrier(m, op)) return false;
  if (from->memory != to->memory || !is_dense(from->memory))
    return rule_fail(m, op,
                     "it moves bytes as they lie, so both sides must lie alike and without gaps; "
                     "%s and %s do not",
                     type_text(m, from), type_text(m, to));
  return bytes % GRANULE == 0 || rule_fail(m, op, "%s has %lld bytes; expected a multiple of %d",
                                           type_text(m, from), (long long)bytes, GRANULE);
}
