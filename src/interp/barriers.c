/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Barriers in shared memory and named barriers. One that has to wait is executed again when others
 * have had their turn.
 */
#include "interp/barriers.h"

#include "interp/cluster.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- barriers in shared memory -------------------------------------------------------------- */

void run_alloc_mbarrier(frame *f, const inst *i) {
  interp_mbarrier *b = at(f, i->alloca.memory);
  memset(b, 0, (size_t)out_type(i, 0)->count * sizeof *b);
  *(uint64_t *)at(f, i->out[0]) = (uint64_t)(uintptr_t)b;
}

/* Its operand group, which copies have after others. */
static unsigned barrier_group(const inst *i) {
  switch (i->op->opcode) {
  case OP_tensor_load:
  case OP_bulk_load: return 3;
  case OP_store_async:
  case OP_bulk_copy: return 2;
  default: return 0;
  }
}

uint32_t mbarrier_operand(const inst *i) {
  return in_group(i, barrier_group(i));
}

uint32_t mbarrier_index_operand(const inst *i) {
  return in_group(i, barrier_group(i) + 1);
}

interp_mbarrier *mbarriers_of(frame *f, const inst *i, int64_t *index) {
  uint32_t barrier = mbarrier_operand(i), operand = mbarrier_index_operand(i);
  int64_t n = in_type(i, barrier)->count;
  interp_mbarrier *all =
      (void *)(uintptr_t)cluster_address(f, *(uint64_t *)at(f, i->in[barrier]), f->to);
  *index = operand == UINT32_MAX ? -1 : (int32_t)get_scalar(f, i, operand);
  if (*index >= 0 && *index < n) return all + *index;
  return *index < 0 ? all : all + *index % n;
}

void mbarrier_count(interp_mbarrier *b, int64_t arrivals, int64_t bytes) {
  b->pending -= arrivals;
  b->bytes -= bytes;
  if (!b->count || b->pending > 0 || b->bytes) return;
  b->phase++;
  b->pending = b->count;
}

void run_mbarrier_init(frame *f, const inst *i) {
  int64_t index, n = in_type(i, 0)->count;
  interp_mbarrier *b = mbarriers_of(f, i, &index);
  uint32_t count = (uint32_t)ir_int_attr(i->op, ATTR_count);
  for (int64_t k = 0; k < (index < 0 ? n : 1); k++)
    b[k] = (interp_mbarrier){.count = count, .pending = count};
}

int64_t arrivals_of(const frame *f, const inst *i) {
  enum { WARP = 32 };
  int64_t count = i->op->opcode == OP_mbarrier_arrive ? ir_int_attr(i->op, ATTR_count) : 1;
  int64_t each = i->op->opcode == OP_mbarrier_arrive ? ir_int_attr(i->op, ATTR_each) : EACH_THREAD;
  if (each == EACH_GROUP) return count;
  return count * (each == EACH_WARP ? f->count / WARP : f->count);
}

void run_mbarrier_arrive(frame *f, const inst *i) {
  int64_t index;
  mbarrier_count(mbarriers_of(f, i, &index), arrivals_of(f, i), 0);
}

void run_mbarrier_expect(frame *f, const inst *i) {
  int64_t index;
  interp_mbarrier *b = mbarriers_of(f, i, &index);
  mbarrier_count(b, 0, -ir_int_attr(i->op, ATTR_bytes) * f->count);
}

void run_mbarrier_arrive_expect(frame *f, const inst *i) {
  int64_t index;
  interp_mbarrier *b = mbarriers_of(f, i, &index);
  mbarrier_count(b, f->count, -ir_int_attr(i->op, ATTR_bytes) * f->count);
}

/* A copy has brought its bytes. */
void count_bytes(frame *f, const inst *i) {
  int64_t index;
  const ir_type *t =
      in_type(i, mbarrier_operand(i) - 1); /* the operand before it is the memory written */
  int64_t bytes = (int64_t)tsr_elem_storage((tsr_elem)t->elem, (size_t)t->count);
  mbarrier_count(mbarriers_of(f, i, &index), 0, bytes);
}

void run_mbarrier_wait(frame *f, const inst *i) {
  int64_t index;
  const interp_mbarrier *b = mbarriers_of(f, i, &index);
  uint64_t parity = get_scalar(f, i, in_group(i, 2)) & 1;
  if (!b->count || (b->phase & 1) == parity)
    wait_here(f, i);
  else
    f->passed = true;
}

/* ---- named barriers ------------------------------------------------------------------------- */

static named_barrier *arrive(frame *f, const inst *i) {
  named_barrier *b = named_barrier_at(f, ir_int_attr(i->op, ATTR_id));
  b->arrived += f->count;
  if (b->arrived < ir_int_attr(i->op, ATTR_count)) return b;
  b->arrived = 0;
  b->meeting++;
  return b;
}

void run_barrier_arrive(frame *f, const inst *i) {
  arrive(f, i);
}

/* The first time it arrives, too. */
void run_barrier_wait(frame *f, const inst *i) {
  named_barrier *b = named_barrier_at(f, ir_int_attr(i->op, ATTR_id));
  if (!f->arrived) {
    f->meeting = b->meeting;
    f->arrived = f->passed = true;
    arrive(f, i);
  }
  if (f->meeting == b->meeting) {
    wait_here(f, i);
    return;
  }
  f->passed = true;
  f->arrived = false;
}

/* ---- who waits for what --------------------------------------------------------------------- */

static void tell_mbarrier(const frame *f, const inst *i, char *out, size_t size) {
  int64_t index;
  const interp_mbarrier *b = mbarriers_of((frame *)f, i, &index);
  const char *name = ir_operand(i->op, mbarrier_operand(i))->name;
  char which[32] = "";
  if (index >= 0) snprintf(which, sizeof which, "[%" PRId64 "]", index);
  if (!b->count) {
    snprintf(out, size, ": %%%s%s was never initialised", name ? name : "", which);
    return;
  }
  int n = snprintf(out, size, " for phase %u of %%%s%s, which has %" PRId64 " of %u arrivals",
                   b->phase, name ? name : "", which, b->count - b->pending, b->count);
  if (b->bytes && (size_t)n < size)
    snprintf(out + n, size - (size_t)n,
             b->bytes > 0 ? " and lacks %" PRId64 " bytes"
                          : " and got %" PRId64 " bytes more than were announced",
             b->bytes > 0 ? b->bytes : -b->bytes);
}

void tell_wait(const frame *f, const inst *i, char *out, size_t size) {
  if (i->op->opcode == OP_cluster_wait || i->op->opcode == OP_cluster_barrier)
    tell_cluster(f, out, size);
  if (i->op->opcode == OP_mbarrier_wait) tell_mbarrier(f, i, out, size);
  if (i->op->opcode != OP_barrier_wait) return;
  int64_t id = ir_int_attr(i->op, ATTR_id), count = ir_int_attr(i->op, ATTR_count);
  int64_t come = named_barrier_at((frame *)f, id)->arrived;
  snprintf(out, size,
           " for named barrier %" PRId64 ", where %" PRId64 " of %" PRId64 " threads have come", id,
           come, count);
}
