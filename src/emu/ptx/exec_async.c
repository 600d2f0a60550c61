/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Handlers of cp.async, mbarrier and the fences between proxies.
 */
#include <stdlib.h>

#include "emu/ptx/handlers.h"
#include "emu/ptx/pending.h"
#include "emu/ptx/mbarrier.h"

static bool is_given(const ptx_insn *i, unsigned operand) {
  return operand < i->n_ops && i->op_list[operand].kind != PTX_OPERAND_NONE;
}

/* ---- cp.async ------------------------------------------------------------------------------- */

typedef struct copy_op {
  async_op op;
  uint8_t *to;
  const uint8_t *from;
  uint8_t bytes, given; /* of the destination; of those copied, the rest are zeros */
} copy_op;

static void run_copy(async_op *op) {
  copy_op *c = (copy_op *)op;
  memcpy(c->to, c->from, c->given);
  memset(c->to + c->given, 0, c->bytes - (size_t)c->given);
}

/* Bytes to read: all, src-size, or none where ignore-src holds. */
static unsigned source_bytes(const emu_warp *w, const ptx_insn *i, unsigned lane, unsigned bytes) {
  if (!is_given(i, 3)) return bytes;
  const ptx_operand *o = &i->op_list[3];
  if (o->bytes == 0) return ptx_get_pred(w, o) >> lane & 1 ? 0 : bytes;
  return (unsigned)MIN(ptx_get(w, o, lane), bytes);
}

static void copy_lane(emu_warp *w, async_warp *s, const ptx_insn *i, unsigned l,
                      const emu_access *to, const emu_access *from, unsigned bytes,
                      unsigned given) {
  copy_op *c = calloc(1, sizeof *c);
  if (!c) {
    emu_fail(w, i, (int)l, EMU_FAULT_MEMORY, "there is no memory for a pending cp.async");
    return;
  }
  async_groups *g = &s->lane[l].copies;
  c->op = (async_op){.run = run_copy, .warp = w, .insn = i, .lane = l, .time = g->time};
  c->to = to->host[l];
  c->from = from->host[l];
  c->bytes = (uint8_t)bytes;
  c->given = (uint8_t)given;
  async_access a = {.insn = i,
                    .lane = l,
                    .agent = ASYNC_COPY,
                    .owner = async_thread(w, l),
                    .time = g->time,
                    .space = PTX_GLOBAL,
                    .address = from->address[l],
                    .bytes = given,
                    .allocation = from->allocation[l]};
  if (given) async_tell_access(w, &a);
  a.write = true, a.space = PTX_SHARED, a.address = to->address[l], a.bytes = bytes;
  async_tell_access(w, &a);
  async_issue(w, &s->copies, &c->op);
}

/* Addresses are checked now. Watchers see the requests as accesses of this instruction, which
 * counters want, and the operation's own reads and writes through emu_async_watch, which the checks
 * want. */
emu_step ptx_op_cp_async(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  async_warp *s = async_of_warp(w, i);
  if (!s) return EMU_NEXT;
  unsigned bytes = (unsigned)ptx_get(w, &i->op_list[2], 0);
  if ((bytes != 4 && bytes != 8 && bytes != 16) || (ptx_has(i, PTX_M_CG) && bytes != 16)) {
    emu_fail(w, i, -1, EMU_FAULT_ILLEGAL, "cp.async copies 4, 8 or 16 bytes (.cg: 16), not %u",
             bytes);
    return EMU_NEXT;
  }
  emu_access to, from = {.lanes = 0};
  uint32_t read = 0;
  unsigned given[PTX_LANES];
  PTX_FOR_LANES(l, lanes) {
    given[l] = source_bytes(w, i, l, bytes);
    if (given[l]) read |= 1u << l;
  }
  if (!ptx_access_begin(w, i, lanes, &i->op_list[0], PTX_SHARED, bytes, bytes, EMU_WRITE, &to))
    return EMU_NEXT;
  if (read &&
      !ptx_access_begin(w, i, read, &i->op_list[1], PTX_GLOBAL, bytes, bytes, EMU_READ, &from))
    return EMU_NEXT;
  PTX_FOR_LANES(l, to.lanes) {
    if (!(read >> l & 1)) from.host[l] = to.host[l], from.allocation[l] = NULL;
    if (read >> l & ~(from.lanes >> l) & 1) continue; /* its source was at fault */
    copy_lane(w, s, i, l, &to, &from, bytes, given[l]);
  }
  return EMU_NEXT;
}

emu_step ptx_op_cp_async_commit(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  async_warp *s = async_of_warp(w, i);
  if (!s) return EMU_NEXT;
  PTX_FOR_LANES(l, lanes) async_commit(&s->lane[l].copies);
  return EMU_NEXT;
}

static void learn(emu_warp *w, unsigned lane, async_agent agent, uint32_t time) {
  const struct emu_async_watch *watch = async_watch(w);
  if (watch && watch->learn && time)
    watch->learn(w->block->grid->o.watcher->user, w, lane, agent, async_thread(w, lane), time);
}

emu_step ptx_op_cp_async_wait(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  async_warp *s = async_of_warp(w, i);
  if (!s) return EMU_NEXT;
  bool all = ptx_has(i, PTX_M_WAIT_ALL);
  PTX_FOR_LANES(l, lanes) {
    async_groups *g = &s->lane[l].copies;
    if (all) async_commit(g);
    uint32_t time = async_wait_time(g, all ? 0 : (uint32_t)ptx_get(w, &i->op_list[0], l));
    if (!time) continue;
    async_run(&s->copies, 1u << l, time);
    learn(w, l, ASYNC_COPY, time);
  }
  return EMU_NEXT;
}

/* ---- where mbarriers lie -------------------------------------------------------------------- */

static async_mbarrier *record_of(emu_block *b, uint64_t address) {
  async_block *s = async_of_block(b);
  if (!s) return NULL;
  for (uint32_t k = 0; k < s->n_mbarriers; k++)
    if (s->mbarriers[k].address == address) return &s->mbarriers[k];
  if (s->n_mbarriers == s->cap_mbarriers) {
    uint32_t cap = MAX(8, 2 * s->cap_mbarriers);
    async_mbarrier *m = realloc(s->mbarriers, cap * sizeof *m);
    if (!m) return NULL;
    s->mbarriers = m, s->cap_mbarriers = cap;
  }
  s->mbarriers[s->n_mbarriers] = (async_mbarrier){.address = address};
  return &s->mbarriers[s->n_mbarriers++];
}

bool mbarrier_at(emu_warp *w, const ptx_insn *i, unsigned lane, uint64_t address,
                 mbarrier_place *out) {
  emu_block *b = emu_shared_block(w->block, address);
  uint32_t offset = EMU_SHARED_OFFSET(address);
  if (!b || offset > b->shared_bytes || b->shared_bytes - offset < 8)
    return emu_fail_address(w, i, (int)lane, EMU_FAULT_BOUNDS, address,
                            "an mbarrier at 0x%llx, outside of shared memory",
                            (unsigned long long)address) &&
           false;
  if (offset % 8)
    return emu_fail_address(w, i, (int)lane, EMU_FAULT_ALIGN, address,
                            "an mbarrier at 0x%llx, which is no multiple of 8",
                            (unsigned long long)address) &&
           false;
  *out = (mbarrier_place){
      .block = b, .address = emu_shared_address(b, offset), .host = b->shared + offset};
  out->record = record_of(b, out->address);
  if (out->record) return true;
  emu_fail(w, i, (int)lane, EMU_FAULT_MEMORY, "there is no memory for mbarriers");
  return false;
}

static uint64_t load_bits(const mbarrier_place *p) {
  uint64_t bits;
  memcpy(&bits, p->host, sizeof bits);
  return bits;
}
static void store_bits(const mbarrier_place *p, uint64_t bits) {
  memcpy(p->host, &bits, sizeof bits);
}

/* Reports that an operation on an mbarrier is wrong. */
static void fail_mbarrier(emu_warp *w, const ptx_insn *i, unsigned lane, const mbarrier_place *p,
                          const char *problem) {
  emu_fail_address(w, i, (int)lane, EMU_FAULT_ILLEGAL, p->address, "%s", problem);
}

/* Tells what happens to the mbarrier in its present phase. `bits` is its value afterwards, as far
 * as arrivals are concerned; `completed` says that this is the phase's end. */
static void tell(emu_warp *w, const mbarrier_place *p, uint64_t bits, bool completed,
                 async_event e) {
  const struct emu_async_watch *watch = async_watch(w);
  mbarrier m;
  if (!watch || !watch->mbarrier || !mbarrier_unpack(bits, &m)) return;
  e.mbarrier = p->address;
  e.phase = p->record->phase;
  e.all_arrived = completed || m.pending == 0;
  watch->mbarrier(w->block->grid->o.watcher->user, w, &e);
}

void mbarrier_tell_issue(emu_warp *w, const ptx_insn *i, unsigned lane, const mbarrier_place *p,
                         uint32_t bytes) {
  tell(w, p, load_bits(p), false,
       (async_event){.kind = ASYNC_ISSUE, .insn = i, .lane = lane, .bytes = bytes});
}

/* An arrival that is wrong: because there are more than the phase counts, for one. */
static void fail_arrival(emu_warp *w, const ptx_insn *i, unsigned lane, const mbarrier_place *p,
                         uint32_t count, const char *problem) {
  mbarrier m;
  if (mbarrier_unpack(load_bits(p), &m) && count > m.pending && count <= m.expected)
    tell(w, p, load_bits(p), false,
         (async_event){.kind = ASYNC_ARRIVE_AGAIN, .insn = i, .lane = lane});
  fail_mbarrier(w, i, lane, p, problem);
}

void mbarrier_op_done(emu_warp *w, const ptx_insn *i, unsigned lane, uint64_t address,
                      uint32_t bytes) {
  mbarrier_place p;
  bool completed = false;
  if (!mbarrier_at(w, i, lane, address, &p)) return;
  uint64_t bits = load_bits(&p);
  const char *problem = mbarrier_complete(&bits, bytes, &completed);
  if (problem) {
    fail_mbarrier(w, i, lane, &p, problem);
    return;
  }
  store_bits(&p, bits);
  p.record->phase += completed;
}

/* ---- mbarrier instructions ------------------------------------------------------------------ */

/* Runs `each` for the lanes, whose mbarriers are accessed atomically. */
typedef void lane_fn(emu_warp *w, const ptx_insn *i, unsigned lane, const mbarrier_place *p);

static emu_step each_lane(emu_warp *w, const ptx_insn *i, uint32_t lanes, unsigned operand,
                          emu_access_kind kind, lane_fn *each) {
  emu_access a;
  if (!ptx_access_begin(w, i, lanes, &i->op_list[operand],
                        i->space == PTX_GENERIC ? PTX_GENERIC : PTX_SHARED_CLUSTER, 8, 8, kind, &a))
    return EMU_NEXT;
  PTX_FOR_LANES(l, a.lanes) {
    mbarrier_place p;
    if (mbarrier_at(w, i, l, a.address[l], &p)) each(w, i, l, &p);
  }
  return EMU_NEXT;
}

static void init_lane(emu_warp *w, const ptx_insn *i, unsigned l, const mbarrier_place *p) {
  uint64_t bits;
  const char *problem = mbarrier_init_value((uint32_t)ptx_get(w, &i->op_list[1], l), &bits);
  if (problem) {
    fail_mbarrier(w, i, l, p, problem);
    return;
  }
  p->record->phase++; /* never the same for two phases, also of different initialisations */
  tell(w, p, bits, false, (async_event){.kind = ASYNC_INIT, .insn = i, .lane = l});
  store_bits(p, bits);
}

emu_step ptx_op_mbarrier_init(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  return each_lane(w, i, lanes, 0, EMU_WRITE, init_lane);
}

static void inval_lane(emu_warp *w, const ptx_insn *i, unsigned l, const mbarrier_place *p) {
  mbarrier m;
  if (!mbarrier_unpack(load_bits(p), &m))
    fail_mbarrier(w, i, l, p, "mbarrier.inval of what is no mbarrier");
  else
    store_bits(p, 0);
}

emu_step ptx_op_mbarrier_inval(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  return each_lane(w, i, lanes, 0, EMU_WRITE, inval_lane);
}

static void expect_lane(emu_warp *w, const ptx_insn *i, unsigned l, const mbarrier_place *p) {
  uint64_t bits = load_bits(p);
  uint32_t bytes = (uint32_t)ptx_get(w, &i->op_list[1], l);
  const char *problem = mbarrier_expect(&bits, bytes);
  if (problem) {
    fail_mbarrier(w, i, l, p, problem);
    return;
  }
  tell(w, p, bits, false,
       (async_event){.kind = ASYNC_EXPECT, .insn = i, .lane = l, .bytes = bytes});
  store_bits(p, bits);
}

emu_step ptx_op_mbarrier_expect_tx(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  return each_lane(w, i, lanes, 0, EMU_ATOMIC, expect_lane);
}

static void complete_lane(emu_warp *w, const ptx_insn *i, unsigned l, const mbarrier_place *p) {
  uint64_t bits = load_bits(p);
  uint32_t bytes = (uint32_t)ptx_get(w, &i->op_list[1], l);
  bool completed = false;
  const char *problem = mbarrier_complete(&bits, bytes, &completed);
  if (problem) {
    fail_mbarrier(w, i, l, p, problem);
    return;
  }
  mbarrier_tell_issue(w, i, l, p, bytes);
  store_bits(p, bits);
  p->record->phase += completed;
}

emu_step ptx_op_mbarrier_complete_tx(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  return each_lane(w, i, lanes, 0, EMU_ATOMIC, complete_lane);
}

static void arrive_lane(emu_warp *w, const ptx_insn *i, unsigned l, const mbarrier_place *p) {
  uint64_t bits = load_bits(p), state = bits;
  bool completed = false, transaction = ptx_has(i, PTX_M_EXPECT_TX);
  uint32_t number = is_given(i, 2) ? (uint32_t)ptx_get(w, &i->op_list[2], l) : 1;
  const char *problem = transaction ? mbarrier_expect(&bits, number) : NULL;
  if (!problem)
    problem =
        mbarrier_arrive(&bits, transaction ? 1 : number, ptx_has(i, PTX_M_ARRIVE_DROP), &completed);
  if (!problem && completed && ptx_has(i, PTX_M_NO_COMPLETE))
    problem = "mbarrier.arrive.noComplete completes the phase, which is not allowed";
  if (problem) {
    fail_arrival(w, i, l, p, transaction ? 1 : number, problem);
    return;
  }
  tell(w, p, bits, completed,
       (async_event){.kind = ASYNC_ARRIVE,
                     .insn = i,
                     .lane = l,
                     .bytes = transaction ? number : 0,
                     .relaxed = i->order == PTX_RELAXED});
  store_bits(p, bits);
  p->record->phase += completed;
  ptx_set(w, &i->op_list[0], l, state);
}

emu_step ptx_op_mbarrier_arrive(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  return each_lane(w, i, lanes, 1, EMU_ATOMIC, arrive_lane);
}

emu_step ptx_op_mbarrier_pending_count(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  PTX_FOR_LANES(l, lanes)
  ptx_set(w, &i->op_list[0], l, mbarrier_pending_of(ptx_get(w, &i->op_list[1], l)));
  return EMU_NEXT;
}

static bool has_passed(emu_warp *w, const ptx_insn *i, unsigned l, const mbarrier_place *p) {
  uint64_t bits = load_bits(p), wanted = ptx_get(w, &i->op_list[2], l);
  if (ptx_has(i, PTX_M_PARITY)) return mbarrier_passed_parity(bits, wanted & 1);
  return mbarrier_passed(bits, wanted);
}

/* Whether a branch back to it follows for lanes that it says no to: nothing comes of it but that.
 */
static bool is_repeated(const emu_warp *w, const ptx_insn *i) {
  const ptx_insn *next = i + 1; /* no body ends in a test */
  return next->handler == PTX_H_bra && next->guarded && next->guard_negated &&
         next->guard == i->op_list[0].row && next->op_list[0].target == w->split->pc;
}

/* A wait that would fail is where pending copies complete at the latest. try_wait may sleep: it
 * does until some lane's phase is over; test_wait lets others go on and says no. A loop of nothing
 * but test_wait sleeps, too, so that one that never ends is seen to be a deadlock. */
emu_step ptx_op_mbarrier_test(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  emu_access a;
  uint32_t passed = 0;
  if (!ptx_access_begin(w, i, lanes, &i->op_list[1],
                        i->space == PTX_GENERIC ? PTX_GENERIC : PTX_SHARED, 8, 8, EMU_ATOMIC, &a))
    return EMU_NEXT;
  PTX_FOR_LANES(l, a.lanes) {
    mbarrier_place p;
    mbarrier m;
    if (!mbarrier_at(w, i, l, a.address[l], &p)) return EMU_NEXT;
    if (!mbarrier_unpack(load_bits(&p), &m)) {
      fail_mbarrier(w, i, l, &p, "a wait for what is no mbarrier: mbarrier.init comes first");
      continue;
    }
    if (!has_passed(w, i, l, &p)) mbarrier_flush(p.block, p.address);
    if (!has_passed(w, i, l, &p)) continue;
    passed |= 1u << l;
    tell(w, &p, load_bits(&p), false,
         (async_event){
             .kind = ASYNC_WAITED, .insn = i, .lane = l, .relaxed = i->order == PTX_RELAXED});
  }
  bool sleeps = ptx_has(i, PTX_M_TRY_WAIT) || is_repeated(w, i);
  if (!passed && sleeps && a.lanes) return EMU_WAIT;
  ptx_set_pred(w, &i->op_list[0], lanes, passed);
  return passed == lanes ? EMU_NEXT : EMU_YIELD;
}

/* cp.async.mbarrier.arrive: arrives when the thread's copies so far have completed. Without .noinc
 * the expected count grows by one, so that this arrival comes on top. */
typedef struct arrive_op {
  async_op op;
  uint32_t up_to, phase;
} arrive_op;

static void run_arrive(async_op *op) {
  emu_warp *w = op->warp;
  async_warp *s = w->async;
  mbarrier_place p;
  bool completed = false;
  async_run(&s->copies, 1u << op->lane, ((arrive_op *)op)->up_to);
  if (!mbarrier_at(w, op->insn, op->lane, op->mbarrier, &p)) return;
  uint64_t bits = load_bits(&p);
  const char *problem = mbarrier_arrive(&bits, 1, false, &completed);
  if (problem) {
    fail_arrival(w, op->insn, op->lane, &p, 1, problem);
    return;
  }
  tell(w, &p, bits, completed,
       (async_event){.kind = ASYNC_ARRIVED,
                     .insn = op->insn,
                     .lane = op->lane,
                     .time = ((arrive_op *)op)->up_to,
                     .since = ((arrive_op *)op)->phase});
  store_bits(&p, bits);
  p.record->phase += completed;
}

static void arrive_after_copies(emu_warp *w, const ptx_insn *i, unsigned l,
                                const mbarrier_place *p) {
  async_warp *s = async_of_warp(w, i);
  async_block *b = async_of_block(p->block);
  arrive_op *a = s && b ? calloc(1, sizeof *a) : NULL;
  if (!a) {
    emu_fail(w, i, (int)l, EMU_FAULT_MEMORY, "there is no memory for an asynchronous arrival");
    return;
  }
  if (!ptx_has(i, PTX_M_NOINC)) {
    mbarrier m;
    uint64_t bits = load_bits(p);
    if (!mbarrier_unpack(bits, &m) || m.pending >= MBARRIER_MAX_COUNT) {
      fail_mbarrier(w, i, l, p, "cp.async.mbarrier.arrive on what is no mbarrier, or is full");
      free(a);
      return;
    }
    m.pending++;
    store_bits(p, mbarrier_pack(&m));
  }
  tell(w, p, load_bits(p), false, (async_event){.kind = ASYNC_ARRIVE_LATER, .insn = i, .lane = l});
  async_groups *g = &s->lane[l].copies;
  a->up_to = g->time++; /* what comes later is not covered */
  a->phase = p->record->phase;
  a->op = (async_op){
      .run = run_arrive, .warp = w, .insn = i, .lane = l, .time = a->up_to, .mbarrier = p->address};
  async_issue(w, &b->bulk, &a->op);
}

emu_step ptx_op_cp_async_arrive(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  return each_lane(w, i, lanes, 0, EMU_ATOMIC, arrive_after_copies);
}

/* ---- fences
 * --------------------------------------------------------------------------------------------------
 */

static emu_step fence_lanes(emu_warp *w, uint32_t lanes) {
  const struct emu_async_watch *watch = async_watch(w);
  if (watch && watch->fence_proxy) watch->fence_proxy(w->block->grid->o.watcher->user, w, lanes);
  return EMU_NEXT;
}

/* Orders the proxies for the lanes. (Tensor maps in memory are read when a copy is issued, so their
 * fences have nothing left to do here but this.) */
emu_step ptx_op_fence_proxy(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  (void)i;
  return fence_lanes(w, lanes);
}

emu_step ptx_op_fence_mbarrier_init(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  (void)i;
  return fence_lanes(w, lanes);
}
