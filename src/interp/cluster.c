/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "interp/cluster.h"

#include <stdio.h>

#include "interp/barriers.h"
#include "interp/crew.h"
#include "ir/block/layouts.h"

/* ---- memory --------------------------------------------------------------------------------- */

size_t cluster_stride(const interp_program *p) {
  size_t align = MAX(p->align, (size_t)64);
  return (p->frame_size + align - 1) / align * align;
}

uint32_t cluster_rank_at(const frame *f, uint64_t address) {
  size_t stride = cluster_stride(f->program);
  uint64_t first = (uint64_t)(uintptr_t)f->memory - f->rank * stride;
  return f->program->cluster == 1 ? f->rank : (uint32_t)((address - first) / stride);
}

void cluster_block_id(const interp_program *p, const int32_t first[3], uint32_t rank,
                      int32_t id[3]) {
  uint32_t size[3];
  ir_cluster_of(p->entry, size);
  id[0] = first[0] + (int32_t)(rank % size[0]);
  id[1] = first[1] + (int32_t)(rank / size[0] % size[1]);
  id[2] = first[2] + (int32_t)(rank / size[0] / size[1]);
}

void run_get_cluster_rank(frame *f, const inst *i) {
  set_scalar(f, i, 0, f->rank);
}

/* A rank that no tile block has is taken modulo their number; the sanitizer finds it. */
void run_map_remote(frame *f, const inst *i) {
  uint32_t rank = (uint32_t)get_scalar(f, i, 1) % f->program->cluster;
  if (in_type(i, 0)->kind == IR_SHARED) {
    shared_part part = *(const shared_part *)at(f, i->in[0]);
    part.base = cluster_address(f, part.base, rank);
    *(shared_part *)at(f, i->out[0]) = part;
  } else {
    uint64_t barriers = *(const uint64_t *)at(f, i->in[0]);
    *(uint64_t *)at(f, i->out[0]) = cluster_address(f, barriers, rank);
  }
}

/* ---- copies --------------------------------------------------------------------------------- */

uint32_t cluster_targets(const frame *f, const inst *i) {
  const ir_value *mask = ir_multicast_of(i->op);
  if (!mask) return UINT32_C(1) << f->rank;
  uint32_t all = (UINT32_C(1) << f->program->cluster) - 1;
  return (uint32_t)get_scalar(f, i, in_group(i, 5)) & all;
}

void run_store_async(frame *f, const inst *i) {
  run_store_shared(f, i);
  count_bytes(f, i);
}

/* Both sides lie alike. */
void copy_shared(frame *f, const inst *i) {
  const ir_type *t = in_type(i, 0);
  const shared_part *from = at(f, i->in[0]), *to = at(f, i->in[1]);
  unsigned bits = tsr_elem_bits((tsr_elem)t->elem);
  int64_t index[TSR_LAYOUT_MAX_RANK] = {0};
  for (int64_t k = 0; k < t->count; k++) {
    int64_t offset = ir_memory_offset(t->memory, index);
    uint64_t x = get_element((const void *)(uintptr_t)from->base, bits,
                             ir_memory_swizzle(t->memory, from->offset + offset));
    set_element((void *)(uintptr_t)to->base, bits,
                ir_memory_swizzle(t->memory, to->offset + offset), x);
    for (unsigned d = t->rank; d-- > 0;) {
      if (++index[d] < t->shape[d]) break;
      index[d] = 0;
    }
  }
}

void run_bulk_copy(frame *f, const inst *i) {
  copy_shared(f, i);
  count_bytes(f, i);
}

/* ---- the barrier of the cluster ------------------------------------------------------------- */

void run_cluster_arrive(frame *f, const inst *i) {
  (void)i;
  crew_cluster(f)[f->rank].arrivals++;
}

/* The first tile block that has not come as often as this one waits; UINT32_MAX: all have. One that
 * has ended comes no more, and nobody waits for it. */
static uint32_t missing(const frame *f, uint32_t waits) {
  const cluster_member *all = crew_cluster(f);
  for (uint32_t r = 0; r < f->program->cluster; r++)
    if (all[r].arrivals < waits && crew_is_running(f, r)) return r;
  return UINT32_MAX;
}

static void wait_for_cluster(frame *f, const inst *i) {
  cluster_member *me = &crew_cluster(f)[f->rank];
  if (missing(f, me->waits + 1) != UINT32_MAX) {
    wait_here(f, i);
    return;
  }
  me->waits++;
  f->passed = true;
  f->arrived = false;
}

void run_cluster_wait(frame *f, const inst *i) {
  wait_for_cluster(f, i);
}

void run_cluster_barrier(frame *f, const inst *i) {
  if (!f->arrived) run_cluster_arrive(f, i);
  f->arrived = true;
  wait_for_cluster(f, i);
}

void tell_cluster(const frame *f, char *out, size_t size) {
  int32_t id[3];
  uint32_t rank = missing(f, crew_cluster(f)[f->rank].waits + 1);
  if (rank == UINT32_MAX) return;
  cluster_block_id(f->program, crew_first_block(f)->id, rank, id);
  snprintf(out, size, ", where %stile block (%d, %d, %d) has not arrived",
           rank == f->rank ? "this " : "", id[0], id[1], id[2]);
}
