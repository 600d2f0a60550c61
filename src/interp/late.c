/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "interp/late.h"

#include "interp/cluster.h"

enum { QUEUES = QUEUE_WGMMA + 1 };

/* A copy that has begun, by some threads. It is over when the sets that they have closed since are
 * waited for, or the phase of an mbarrier. */
typedef struct late_copy {
  const inst *i;
  inst_fn run;
  char *operands; /* what they were when it began, one after the other */
  frame by;       /* who began it */
  uint8_t queue;
  uint32_t set;
  const interp_mbarrier *barrier; /* NULL: none */
  uint32_t phase;
} late_copy;

struct late_copies {
  arena *arena;
  VEC(late_copy) pending;   /* in the order in which they began */
  VEC(char *) unused;       /* room for operands */
  uint32_t *closed[QUEUES]; /* sets of each thread */
  bool at_random;
  uint64_t random;
};

/* Room for the operands of most copies: a view of rank 16 has 264 bytes, an offset 8 at most. A
 * tile may have more. */
enum { OPERAND_ROOM = 1024 * (2 + IR_MAX_RANK) };

/* ---- choices -------------------------------------------------------------------------------- */

static uint64_t draw(late_copies *l, uint64_t below) {
  l->random ^= l->random << 13;
  l->random ^= l->random >> 7;
  l->random ^= l->random << 17;
  return (l->random >> 11) % below;
}

late_copies *late_create(arena *a, const interp_program *p, const rt_block *block) {
  late_copies *l = arena_new(a, late_copies);
  size_t threads = (size_t)ir_int_attr(p->entry, ATTR_threads) * p->cluster;
  uint64_t seed = hash_mix(hash_mix(p->seed + 1, (uint64_t)block->id[0]), (uint64_t)block->id[1]);
  *l =
      (late_copies){.arena = a, .at_random = p->copies == INTERP_COPIES_RANDOM, .random = seed | 1};
  for (unsigned q = 0; q < QUEUES; q++) l->closed[q] = arena_array(a, uint32_t, MAX(threads, 1));
  return l;
}

/* ---- operands ------------------------------------------------------------------------------- */

static size_t operand_bytes(const inst *i, uint32_t k) {
  return interp_value_bytes(in_type(i, k));
}

static size_t all_operand_bytes(const inst *i) {
  size_t total = 0;
  for (uint32_t k = 0; k < i->op->n_operands; k++) total += operand_bytes(i, k);
  return total;
}

/* Exchanges what an operand is with what it was. */
static void exchange(frame *f, const inst *i, uint32_t k, char *kept) {
  char *now = at(f, i->in[k]), other[256];
  size_t bytes = operand_bytes(i, k);
  for (size_t first = 0, n; first < bytes; first += n) {
    n = MIN(bytes - first, sizeof other);
    memcpy(other, now + first, n);
    memcpy(now + first, kept + first, n);
    memcpy(kept + first, other, n);
  }
}

/* All of them, and back in the reverse order, since one value may be several operands. */
static void exchange_operands(frame *f, const inst *i, char *kept, bool back) {
  size_t total = 0;
  for (uint32_t k = 0; k < i->op->n_operands; total += operand_bytes(i, k++))
    if (!back) exchange(f, i, k, kept + total);
  for (uint32_t k = i->op->n_operands; back && k-- > 0;)
    exchange(f, i, k, kept + (total -= operand_bytes(i, k)));
}

static char *keep_operands(late_copies *l, const frame *f, const inst *i) {
  size_t total = all_operand_bytes(i);
  char *kept = total > OPERAND_ROOM ? arena_array(l->arena, char, total)
               : l->unused.len      ? vec_pop(l->unused)
                                    : arena_array(l->arena, char, OPERAND_ROOM);
  total = 0;
  for (uint32_t k = 0; k < i->op->n_operands; k++) {
    memcpy(kept + total, at(f, i->in[k]), operand_bytes(i, k));
    total += operand_bytes(i, k);
  }
  return kept;
}

/* ---- from begin to end ---------------------------------------------------------------------- */

static void complete(late_copies *l, uint32_t number) {
  late_copy c = l->pending.data[number];
  frame g = c.by;
  exchange_operands(&g, c.i, c.operands, false);
  c.run(&g, c.i);
  exchange_operands(&g, c.i, c.operands, true);
  vec_push(l->arena, l->unused, c.operands);
  l->pending.len--;
  memmove(&l->pending.data[number], &l->pending.data[number + 1],
          (l->pending.len - number) * sizeof c);
}

/* Now and then one of them is over. */
static void pass_time(late_copies *l) {
  while (l->at_random && l->pending.len && draw(l, 3) == 0)
    complete(l, (uint32_t)draw(l, l->pending.len));
}

/* Of a thread, in its cluster. */
static int32_t number_of(const frame *f, int32_t thread) {
  return (int32_t)f->rank * (int32_t)ir_int_attr(f->program->entry, ATTR_threads) + thread;
}

static void begin(frame *f, const inst *i, inst_fn run, const interp_mbarrier *barrier) {
  late_copies *l = crew_late(f);
  op_queue queue = (op_queue)ir_row(i->op)->queue;
  late_copy c = {.i = i,
                 .run = run,
                 .operands = keep_operands(l, f, i),
                 .by = *f,
                 .queue = (uint8_t)queue,
                 .set = l->closed[queue][number_of(f, f->first)],
                 .barrier = barrier,
                 .phase = barrier ? barrier->phase : 0};
  vec_push(l->arena, l->pending, c);
  pass_time(l);
}

static bool has_part(const frame *f, const late_copy *c) {
  return c->by.rank == f->rank && c->by.first < f->first + f->count &&
         f->first < c->by.first + c->by.count;
}

void late_finish(late_copies *l) {
  while (l->pending.len) complete(l, 0);
}

/* ---- operations ----------------------------------------------------------------------------- */

static void begin_copy(frame *f, const inst *i) {
  begin(f, i, run_cp_async, NULL);
}

/* The bytes count at once, but who waits for the phase is the first to need them. */
static void begin_load(frame *f, const inst *i) {
  uint32_t to = cluster_targets(f, i);
  int64_t index;
  for (f->to = 0; to >> f->to; f->to++) {
    if (!(to >> f->to & 1)) continue;
    begin(f, i, run_cp_async, mbarriers_of(f, i, &index));
    count_bytes(f, i);
  }
  f->to = f->rank;
}

static void begin_copy_shared(frame *f, const inst *i) {
  int64_t index;
  begin(f, i, copy_shared, mbarriers_of(f, i, &index));
  count_bytes(f, i);
}

/* What is stored is what the registers hold now. */
static void begin_store_async(frame *f, const inst *i) {
  int64_t index;
  begin(f, i, run_store_shared, mbarriers_of(f, i, &index));
  count_bytes(f, i);
}

static void begin_store(frame *f, const inst *i) {
  begin(f, i, run_tensor_store, NULL);
}

static void close_set(frame *f, const inst *i) {
  late_copies *l = crew_late(f);
  uint32_t *closed = l->closed[ir_row(i->op)->queue];
  for (int32_t t = f->first; t < f->first + f->count; t++) closed[number_of(f, t)]++;
  pass_time(l);
}

static void wait_for_sets(frame *f, const inst *i) {
  late_copies *l = crew_late(f);
  op_queue queue = (op_queue)ir_row(i->op)->queue;
  int64_t pending = ir_int_attr(i->op, ATTR_pending);
  for (uint32_t k = 0; k < l->pending.len;) {
    const late_copy *c = &l->pending.data[k];
    bool over = c->queue == queue && has_part(f, c) &&
                c->set + pending < l->closed[queue][number_of(f, MAX(c->by.first, f->first))];
    if (over)
      complete(l, k);
    else
      k++;
  }
}

/* The barrier has the arrival, and what it stands for comes when the phase is waited for. */
static void arrive_with_copies(frame *f, const inst *i) {
  int64_t index;
  late_copies *l = crew_late(f);
  const interp_mbarrier *b = mbarriers_of(f, i, &index);
  for (uint32_t k = 0; k < l->pending.len; k++) {
    late_copy *c = &l->pending.data[k];
    if (c->queue != QUEUE_CP_ASYNC || c->barrier || !has_part(f, c)) continue;
    c->barrier = b;
    c->phase = b->phase;
  }
  run_mbarrier_arrive(f, i);
}

static void wait_for_phase(frame *f, const inst *i) {
  int64_t index;
  late_copies *l = crew_late(f);
  const interp_mbarrier *b = mbarriers_of(f, i, &index);
  run_mbarrier_wait(f, i);
  for (uint32_t k = 0; k < l->pending.len && !f->waits_at;) {
    const late_copy *c = &l->pending.data[k];
    if (c->barrier == b && c->phase < b->phase)
      complete(l, k);
    else
      k++;
  }
}

static void load_later(frame *f, const inst *i) {
  pass_time(crew_late(f));
  run_load_shared(f, i);
}

static void store_later(frame *f, const inst *i) {
  pass_time(crew_late(f));
  run_store_shared(f, i);
}

inst_fn late_function(op_code opcode) {
  switch (opcode) {
  case OP_cp_async: return begin_copy;
  case OP_tensor_load:
  case OP_bulk_load: return begin_load;
  case OP_bulk_copy: return begin_copy_shared;
  case OP_store_async: return begin_store_async;
  case OP_tensor_store:
  case OP_tensor_reduce:
  case OP_bulk_store: return begin_store;
  case OP_cp_async_commit:
  case OP_bulk_commit: return close_set;
  case OP_cp_async_wait:
  case OP_bulk_wait: return wait_for_sets;
  case OP_cp_async_arrive: return arrive_with_copies;
  case OP_mbarrier_wait: return wait_for_phase;
  case OP_load_shared: return load_later;
  case OP_store_shared: return store_later;
  default: return NULL;
  }
}
