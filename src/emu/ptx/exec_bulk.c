/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Handlers of the bulk copies and reductions, with and without tensor maps, and of st.async and
 * red.async, which an mbarrier counts like them.
 *
 * Addresses, sizes and maps are checked when the instruction is issued. What is left for later is
 * an operation that holds host addresses and cannot fail.
 */
#include <stdlib.h>

#include "emu/ptx/handlers.h"
#include "emu/ptx/pending.h"
#include "emu/ptx/bulk_copy.h"

typedef struct bulk {
  async_op op;
  /* Without a map: `bytes` from one place to another. */
  const uint8_t *from;
  uint8_t *to;
  uint32_t bytes;
  bulk_op reduction;
  bulk_type type;
  uint8_t value[16]; /* what st.async and red.async move: `from` points here */
  /* With one: between a box in a block's shared memory and a tensor. */
  bool has_map, load;
  tensormap map;
  int32_t at[TENSORMAP_MAX_RANK];
  uint16_t offsets[TENSORMAP_MAX_RANK - 2];
  uint8_t *shared;
  uint32_t box;
  emu_device *device;
} bulk;

/* ---- running -------------------------------------------------------------------------------- */

static uint8_t *global_at(emu_device *d, uint64_t address, uint32_t bytes, emu_allocation **found) {
  emu_allocation *a = emu_find(d, address);
  *found = a;
  if (!a || a->freed || address < a->base || address - a->base > a->bytes ||
      bytes > a->bytes - (address - a->base))
    return NULL;
  return a->host + (address - a->base);
}

/* Behind a row of the tensor, up to the next multiple of 16 bytes. */
static void clear_tail(bulk *b, const tensormap_run *run) {
  enum { GRANULE = 16 };
  emu_allocation *found;
  uint64_t end = run->global + run->bytes;
  uint32_t tail = (uint32_t)(-end % GRANULE);
  uint8_t *global = run->ends_row && tail ? global_at(b->device, end, tail, &found) : NULL;
  if (global && b->reduction == BULK_COPY) memset(global, 0, tail);
}

static void run_tensor(bulk *b) {
  tensormap_walk walk;
  tensormap_run run;
  emu_allocation *found;
  tensormap_walk_begin(&walk, &b->map, b->at, b->offsets);
  while (tensormap_walk_next(&walk, &run)) {
    uint8_t *global = run.inside ? global_at(b->device, run.global, run.bytes, &found) : NULL;
    if (run.inside && !global) continue; /* freed since it was checked, which was reported */
    if (b->load)
      bulk_load_run(&b->map, &run, b->shared, b->box, global);
    else
      bulk_store_run(&b->map, &run, b->shared, b->box, global, b->reduction, b->type);
    if (!b->load) clear_tail(b, &run);
  }
}

static void run_bulk(async_op *op) {
  bulk *b = (bulk *)op;
  if (b->has_map)
    run_tensor(b);
  else
    bulk_apply(b->reduction, b->type, b->to, b->from, b->bytes);
  if (op->mbarrier) mbarrier_op_done(op->warp, op->insn, op->lane, op->mbarrier, b->bytes);
}

/* ---- what the handlers share ---------------------------------------------------------------- */

static const struct {
  uint8_t op, bulk;
} reductions[] = {{PTX_OP_ADD, BULK_ADD}, {PTX_OP_MIN, BULK_MIN}, {PTX_OP_MAX, BULK_MAX},
                  {PTX_OP_INC, BULK_INC}, {PTX_OP_DEC, BULK_DEC}, {PTX_OP_AND, BULK_AND},
                  {PTX_OP_OR, BULK_OR},   {PTX_OP_XOR, BULK_XOR}};

static bulk_op reduction_of(const ptx_insn *i) {
  if (!ptx_has(i, PTX_M_REDUCE) && i->handler != PTX_H_red_async) return BULK_COPY;
  for (unsigned k = 0; k < ARRAY_LEN(reductions); k++)
    if (reductions[k].op == i->op) return (bulk_op)reductions[k].bulk;
  return BULK_COPY;
}

static bulk_type type_of(const ptx_insn *i) {
  if (i->n_types == 0) return BULK_BYTES;
  switch (i->type[0]) {
  case PTX_U32: return BULK_U32;
  case PTX_S32: return BULK_S32;
  case PTX_U64: return BULK_U64;
  case PTX_S64: return BULK_S64;
  case PTX_B32: return BULK_B32;
  case PTX_B64: return BULK_B64;
  case PTX_F16: return BULK_F16;
  case PTX_BF16: return BULK_BF16;
  case PTX_F32: return BULK_F32;
  case PTX_F64: return BULK_F64;
  default: return BULK_BYTES;
  }
}

/* A lane's bulk operation while it is put together. */
typedef struct issue {
  emu_warp *w;
  const ptx_insn *i;
  unsigned lane;
  async_warp *state;
  bool again; /* for a further destination of a multicast: memory was read for all of them */
} issue;

static bulk *new_bulk(const issue *x) {
  bulk *b = calloc(1, sizeof *b);
  if (!b) {
    emu_fail(x->w, x->i, (int)x->lane, EMU_FAULT_MEMORY, "there is no memory for a bulk copy");
    return NULL;
  }
  b->op = (async_op){.run = run_bulk,
                     .warp = x->w,
                     .insn = x->i,
                     .lane = x->lane,
                     .time = x->state->lane[x->lane].bulk.time};
  b->device = x->w->block->grid->device;
  return b;
}

/* One lane's address as an operand says, or, without one, as a->address does. */
static bool reach(const issue *x, const ptx_operand *o, ptx_space space, uint32_t bytes,
                  uint32_t align, emu_access_kind kind, emu_access *a) {
  return ptx_access_begin(x->w, x->i, 1u << x->lane, o, space, bytes, align, kind, a) &&
         a->lanes != 0;
}

static uint64_t operand_address(const issue *x, const ptx_operand *o) {
  uint64_t a = ptx_get(x->w, o, x->lane) + (uint64_t)o->offset;
  return o->bytes == 4 ? (uint32_t)a : a & ~(UINT64_C(0xff) << 56);
}

/* The mbarrier of an operation; in the block of `rank` (UINT32_MAX: as the address says). */
static bool find_mbarrier(const issue *x, const ptx_operand *o, uint32_t rank, mbarrier_place *p) {
  uint64_t address = operand_address(x, o);
  if (rank != UINT32_MAX)
    address = (uint64_t)(rank + 1) << EMU_SHARED_RANK_SHIFT | EMU_SHARED_OFFSET(address);
  return mbarrier_at(x->w, x->i, x->lane, address, p);
}

static void tell(const issue *x, async_access a, bool write, uint8_t space, uint64_t address,
                 uint32_t bytes, emu_allocation *allocation) {
  a.insn = x->i;
  a.lane = x->lane;
  a.proxy = true;
  a.write = write;
  a.repeated = x->again && !write;
  a.space = space;
  a.address = address;
  a.bytes = bytes;
  a.allocation = allocation;
  if (bytes) async_tell_access(x->w, &a);
}

/* The time is that of the phase in which it is issued, wherever its bytes will count (phases.h). */
static async_access by_mbarrier(const mbarrier_place *p) {
  return (async_access){.agent = ASYNC_MBARRIER, .owner = p->address, .time = p->record->phase + 1};
}
/* A bulk group gets one more operation. */
static void issue_to_group(const issue *x, bulk *b) {
  async_lane *lane = &x->state->lane[x->lane];
  lane->bulk.issued = lane->bulk.time;
  lane->last_bulk = x->i;
  async_issue(x->w, &x->state->bulk, &b->op);
}

static async_access by_group(const issue *x, async_agent agent) {
  return (async_access){.agent = agent,
                        .owner = async_thread(x->w, x->lane),
                        .time = x->state->lane[x->lane].bulk.time};
}

/* Puts an operation that an mbarrier counts onto that mbarrier's block. */
static void issue_to_mbarrier(const issue *x, bulk *b, const mbarrier_place *p) {
  async_block *block = async_of_block(p->block);
  b->op.mbarrier = p->address;
  mbarrier_tell_issue(x->w, x->i, x->lane, p, b->bytes);
  if (block) {
    async_issue(x->w, &block->bulk, &b->op);
    return;
  }
  free(b);
  emu_fail(x->w, x->i, (int)x->lane, EMU_FAULT_MEMORY, "there is no memory for a bulk copy");
}

typedef void issue_fn(const issue *x);

static emu_step each_lane(emu_warp *w, const ptx_insn *i, uint32_t lanes, issue_fn *fn) {
  issue x = {.w = w, .i = i, .state = async_of_warp(w, i)};
  if (!x.state) return EMU_NEXT;
  PTX_FOR_LANES(l, lanes) {
    x.lane = l;
    fn(&x);
  }
  return EMU_NEXT;
}

/* Sizes and addresses of plain bulk copies are multiples of 16. */
static bool good_size(const issue *x, uint32_t bytes) {
  if (bytes % 16 == 0) return true;
  emu_fail(x->w, x->i, (int)x->lane, EMU_FAULT_ILLEGAL,
           "a bulk copy of %u bytes; the size must be a multiple of 16", bytes);
  return false;
}

/* The blocks that a copy goes to: bits by rank; 0: as the address says. */
static uint32_t destinations(const issue *x, unsigned operand) {
  if (!ptx_has(x->i, PTX_M_MULTICAST_CLUSTER)) return 0;
  uint32_t mask = (uint32_t)ptx_get(x->w, &x->i->op_list[operand], x->lane) & 0xffff;
  uint32_t blocks = x->w->block->cluster->n_blocks;
  if (mask && mask >> blocks == 0) return mask;
  emu_fail(x->w, x->i, (int)x->lane, EMU_FAULT_ILLEGAL,
           "multicast to blocks 0x%x; the cluster has blocks 0 to %u", mask, blocks - 1);
  return UINT32_MAX;
}

/* ---- plain copies --------------------------------------------------------------------------- */

/* One destination of a load: where, and whose mbarrier. */
static void load_to(const issue *x, const emu_access *from, uint32_t bytes, uint32_t rank) {
  const ptx_operand *o = x->i->op_list;
  emu_access to;
  mbarrier_place p;
  if (!find_mbarrier(x, &o[3], rank, &p)) return;
  to.address[x->lane] = operand_address(x, &o[0]);
  if (rank != UINT32_MAX)
    to.address[x->lane] =
        (uint64_t)(rank + 1) << EMU_SHARED_RANK_SHIFT | EMU_SHARED_OFFSET(to.address[x->lane]);
  if (!reach(x, NULL, PTX_SHARED_CLUSTER, bytes, 16, EMU_WRITE, &to)) return;
  bulk *b = new_bulk(x);
  if (!b) return;
  b->from = from->host[x->lane];
  b->to = to.host[x->lane];
  b->bytes = bytes;
  b->reduction = reduction_of(x->i);
  b->type = type_of(x->i);
  tell(x, by_mbarrier(&p), false, from->space, from->address[x->lane], bytes,
       from->allocation[x->lane]);
  tell(x, by_mbarrier(&p), true, PTX_SHARED, to.address[x->lane], bytes, NULL);
  issue_to_mbarrier(x, b, &p);
}

static void load_lane(const issue *x) {
  const ptx_operand *o = x->i->op_list;
  uint32_t bytes = (uint32_t)ptx_get(x->w, &o[2], x->lane), mask = destinations(x, 4);
  bool from_shared = x->i->handler == PTX_H_bulk_to_shared;
  emu_access from;
  if (mask == UINT32_MAX || !good_size(x, bytes)) return;
  if (!reach(x, &o[1], from_shared ? PTX_SHARED : PTX_GLOBAL, bytes, 16, EMU_READ, &from)) return;
  if (!mask) load_to(x, &from, bytes, UINT32_MAX);
  issue to = *x;
  for (uint32_t rest = mask; rest; rest &= rest - 1, to.again = true)
    load_to(&to, &from, bytes, (uint32_t)__builtin_ctz(rest));
}

emu_step ptx_op_bulk_load(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  return each_lane(w, i, lanes, load_lane);
}
emu_step ptx_op_bulk_to_shared(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  return each_lane(w, i, lanes, load_lane);
}

static void store_lane(const issue *x) {
  const ptx_operand *o = x->i->op_list;
  uint32_t bytes = (uint32_t)ptx_get(x->w, &o[2], x->lane);
  bulk_op op = reduction_of(x->i);
  emu_access from, to;
  if (!good_size(x, bytes)) return;
  if (!bulk_reduction_exists(op, type_of(x->i))) {
    emu_fail(x->w, x->i, (int)x->lane, EMU_FAULT_ILLEGAL,
             "this reduction does not exist for this type");
    return;
  }
  if (!reach(x, &o[1], PTX_SHARED, bytes, 16, EMU_READ, &from) ||
      !reach(x, &o[0], PTX_GLOBAL, bytes, 16, op == BULK_COPY ? EMU_WRITE : EMU_ATOMIC, &to))
    return;
  bulk *b = new_bulk(x);
  if (!b) return;
  b->from = from.host[x->lane];
  b->to = to.host[x->lane];
  b->bytes = bytes;
  b->reduction = op;
  b->type = type_of(x->i);
  async_access write = by_group(x, ASYNC_BULK_WRITE);
  write.reduce = op != BULK_COPY;
  tell(x, by_group(x, ASYNC_BULK_READ), false, PTX_SHARED, from.address[x->lane], bytes, NULL);
  tell(x, write, true, PTX_GLOBAL, to.address[x->lane], bytes, to.allocation[x->lane]);
  issue_to_group(x, b);
}

emu_step ptx_op_bulk_store(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  return each_lane(w, i, lanes, store_lane);
}

/* ---- st.async, red.async -------------------------------------------------------------------- */

/* Without the asynchronous proxy: what a thread wrote needs no fence before it. */
static void tell_generic(const issue *x, async_access a, uint64_t address, uint32_t bytes) {
  a.insn = x->i;
  a.lane = x->lane;
  a.write = true;
  a.space = PTX_SHARED;
  a.address = address;
  a.bytes = bytes;
  async_tell_access(x->w, &a);
}

static void async_store_lane(const issue *x) {
  const ptx_operand *o = x->i->op_list, *v = &o[1];
  unsigned each = ptx_types[x->i->type[0]].bits / 8u,
           n = v->kind == PTX_OPERAND_VECTOR ? v->count : 1;
  uint32_t bytes = each * n;
  emu_access to;
  mbarrier_place p;
  if (!find_mbarrier(x, &o[2], UINT32_MAX, &p) ||
      !reach(x, &o[0], PTX_SHARED_CLUSTER, bytes, bytes, EMU_WRITE, &to))
    return;
  if (emu_shared_block(x->w->block, to.address[x->lane]) != p.block) {
    emu_fail_address(x->w, x->i, (int)x->lane, EMU_FAULT_ILLEGAL, to.address[x->lane],
                     "the memory and the mbarrier are of different blocks; both must be of one");
    return;
  }
  bulk *b = new_bulk(x);
  if (!b) return;
  for (unsigned k = 0; k < n; k++) {
    uint64_t value = ptx_get(x->w, v->kind == PTX_OPERAND_VECTOR ? &v->list[k] : v, x->lane);
    memcpy(b->value + (size_t)k * each, &value, each);
  }
  b->from = b->value;
  b->to = to.host[x->lane];
  b->bytes = bytes;
  b->reduction = reduction_of(x->i);
  b->type = type_of(x->i);
  async_access write = by_mbarrier(&p);
  write.reduce = b->reduction != BULK_COPY;
  tell_generic(x, write, to.address[x->lane], bytes);
  issue_to_mbarrier(x, b, &p);
}

emu_step ptx_op_st_async(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  return each_lane(w, i, lanes, async_store_lane);
}
emu_step ptx_op_red_async(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  return each_lane(w, i, lanes, async_store_lane);
}

/* ---- prefetches ----------------------------------------------------------------------------- */

static void prefetch_lane(const issue *x) {
  uint32_t bytes = (uint32_t)ptx_get(x->w, &x->i->op_list[1], x->lane);
  uint64_t address = operand_address(x, &x->i->op_list[0]);
  if (good_size(x, bytes) && address % 16)
    emu_fail_address(x->w, x->i, (int)x->lane, EMU_FAULT_ALIGN, address,
                     "a bulk prefetch at 0x%llx, which is no multiple of 16",
                     (unsigned long long)address);
}

emu_step ptx_op_bulk_prefetch(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  return each_lane(w, i, lanes, prefetch_lane);
}

/* ---- groups
 * ---------------------------------------------------------------------------------------------------
 */

emu_step ptx_op_bulk_commit(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  async_warp *s = async_of_warp(w, i);
  if (!s) return EMU_NEXT;
  PTX_FOR_LANES(l, lanes) async_commit(&s->lane[l].bulk);
  return EMU_NEXT;
}

emu_step ptx_op_bulk_wait(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  async_warp *s = async_of_warp(w, i);
  const struct emu_async_watch *watch = async_watch(w);
  if (!s) return EMU_NEXT;
  PTX_FOR_LANES(l, lanes) {
    uint32_t time = async_wait_time(&s->lane[l].bulk, (uint32_t)ptx_get(w, &i->op_list[0], l));
    if (!time) continue;
    s->lane[l].bulk.waited = MAX(s->lane[l].bulk.waited, time);
    async_run(&s->bulk, 1u << l, time);
    if (!watch || !watch->learn) continue;
    void *user = w->block->grid->o.watcher->user;
    watch->learn(user, w, l, ASYNC_BULK_READ, async_thread(w, l), time);
    if (!ptx_has(i, PTX_M_READ))
      watch->learn(user, w, l, ASYNC_BULK_WRITE, async_thread(w, l), time);
  }
  return EMU_NEXT;
}

/* ---- tensors
 * -----------------------------------------------------------------------------------------------------
 */

/* The map and the coordinates of operand `o`. */
static bool read_map(const issue *x, const ptx_operand *o, bulk *b) {
  emu_access a;
  a.address[x->lane] = ptx_get(x->w, o, x->lane);
  if (!reach(x, NULL, PTX_GENERIC, TENSORMAP_BYTES, TENSORMAP_ALIGN, EMU_READ, &a)) return false;
  const char *problem = tensormap_decode(a.host[x->lane], &b->map);
  changed_map_used(x->w, x->i, x->lane, a.address[x->lane]);
  unsigned rank = x->i->shape;
  bool im2col = ptx_has(x->i, PTX_M_IM2COL) || ptx_has(x->i, PTX_M_IM2COL_NO_OFFS);
  if (!problem && (b->map.rank != rank || o->count != rank))
    problem = "the tensor map has another number of dimensions than the instruction";
  if (!problem && b->map.im2col != im2col)
    problem = im2col ? "the instruction says .im2col, the tensor map is tiled"
                     : "the tensor map is for im2col, the instruction is tiled";
  if (problem) {
    emu_fail_address(x->w, x->i, (int)x->lane, EMU_FAULT_ILLEGAL, a.address[x->lane], "%s",
                     problem);
    return false;
  }
  for (unsigned d = 0; d < rank; d++) b->at[d] = (int32_t)ptx_get(x->w, &o->list[d], x->lane);
  b->has_map = true;
  b->bytes = tensormap_box_bytes(&b->map);
  return true;
}

/* Whether all of the tensor that the copy touches is allocated; tells the accesses. */
static bool check_runs(const issue *x, const bulk *b, async_access by, bool write) {
  tensormap_walk walk;
  tensormap_run run;
  tensormap_walk_begin(&walk, &b->map, b->at, b->offsets);
  while (tensormap_walk_next(&walk, &run)) {
    emu_allocation *a = NULL;
    if (!run.inside) continue;
    if (!global_at(b->device, run.global, run.bytes, &a)) {
      emu_fail_address(
          x->w, x->i, (int)x->lane, a && a->freed ? EMU_FAULT_FREED : EMU_FAULT_BOUNDS, run.global,
          "the tensor map reaches 0x%llx, %s; its dimensions or strides do not fit the "
          "buffer",
          (unsigned long long)run.global,
          a && a->freed ? "in memory that was freed" : "where nothing is allocated");
      return false;
    }
    tell(x, by, write, PTX_GLOBAL, run.global, run.bytes, a);
  }
  return true;
}

typedef struct piece_teller {
  const issue *x;
  async_access by;
  bool write;
  uint64_t base; /* rank bits */
} piece_teller;

static void tell_piece(void *user, uint32_t address, uint32_t offset, uint32_t bytes) {
  piece_teller *t = user;
  (void)offset;
  tell(t->x, t->by, t->write, PTX_SHARED, t->base | address, bytes, NULL);
}

/* The box in shared memory. A swizzle permutes chunks within lines, so whole lines are one access.
 */
static void tell_box(const issue *x, const bulk *b, async_access by, bool write, uint64_t address) {
  if (!b->map.swizzle || (b->bytes % b->map.swizzle == 0 && b->box % 128 == 0)) {
    tell(x, by, write, PTX_SHARED, address, b->bytes, NULL);
    return;
  }
  piece_teller t = {x, by, write, address & ~(uint64_t)0xffffff};
  tensormap_run all = {.bytes = b->bytes};
  bulk_pieces(&b->map, &all, b->box, tell_piece, &t);
}

static void tensor_to(const issue *x, const bulk *prepared, uint32_t rank) {
  const ptx_operand *o = x->i->op_list;
  emu_access to;
  mbarrier_place p;
  if (!find_mbarrier(x, &o[2], rank, &p)) return;
  to.address[x->lane] = operand_address(x, &o[0]);
  if (rank != UINT32_MAX)
    to.address[x->lane] =
        (uint64_t)(rank + 1) << EMU_SHARED_RANK_SHIFT | EMU_SHARED_OFFSET(to.address[x->lane]);
  if (!reach(x, NULL, PTX_SHARED_CLUSTER, prepared->bytes, tensormap_shared_align(&prepared->map),
             EMU_WRITE, &to))
    return;
  emu_block *block = emu_shared_block(x->w->block, to.address[x->lane]);
  bulk *b = new_bulk(x);
  if (!b) return;
  async_op op = b->op;
  *b = *prepared;
  b->op = op;
  b->load = true;
  b->shared = block->shared;
  b->box = EMU_SHARED_OFFSET(to.address[x->lane]);
  tell_box(x, b, by_mbarrier(&p), true, to.address[x->lane]);
  if (!check_runs(x, b, by_mbarrier(&p), false)) {
    free(b);
    return;
  }
  issue_to_mbarrier(x, b, &p);
}

static void tensor_load_lane(const issue *x) {
  const ptx_operand *o = x->i->op_list;
  bulk b = {.device = x->w->block->grid->device};
  if (!read_map(x, &o[1], &b)) return;
  unsigned next = 3;
  if (b.map.im2col) {
    const ptx_operand *v = &o[next++];
    for (unsigned d = 0; d + 2 < b.map.rank && d < v->count; d++)
      b.offsets[d] = (uint16_t)ptx_get(x->w, &v->list[d], x->lane);
  }
  uint32_t mask = destinations(x, next);
  if (mask == UINT32_MAX) return;
  if (!mask) tensor_to(x, &b, UINT32_MAX);
  issue to = *x;
  for (uint32_t rest = mask; rest; rest &= rest - 1, to.again = true)
    tensor_to(&to, &b, (uint32_t)__builtin_ctz(rest));
}

emu_step ptx_op_tensor_load(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  return each_lane(w, i, lanes, tensor_load_lane);
}

static void tensor_store_lane(const issue *x) {
  const ptx_operand *o = x->i->op_list;
  emu_access from;
  bulk *b = new_bulk(x);
  if (!b) return;
  b->reduction = reduction_of(x->i);
  bool good = read_map(x, &o[0], b) && reach(x, &o[1], PTX_SHARED, b->bytes,
                                             tensormap_shared_align(&b->map), EMU_READ, &from);
  if (good) {
    b->type = b->reduction == BULK_COPY ? BULK_BYTES : bulk_type_of_map(&b->map);
    if (b->reduction >= BULK_AND) b->type = bulk_type_bytes(b->type) == 8 ? BULK_B64 : BULK_B32;
    good = bulk_reduction_exists(b->reduction, b->type);
    if (!good)
      emu_fail(x->w, x->i, (int)x->lane, EMU_FAULT_ILLEGAL,
               "this reduction does not exist for a tensor of %s",
               tensormap_type_name((tensormap_type)b->map.type));
  }
  async_access write = by_group(x, ASYNC_BULK_WRITE);
  write.reduce = b->reduction != BULK_COPY;
  if (good) {
    b->shared = x->w->block->shared;
    b->box = EMU_SHARED_OFFSET(from.address[x->lane]);
    good = check_runs(x, b, write, true);
  }
  if (!good) {
    free(b);
    return;
  }
  tell_box(x, b, by_group(x, ASYNC_BULK_READ), false, from.address[x->lane]);
  issue_to_group(x, b);
}

emu_step ptx_op_tensor_store(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  return each_lane(w, i, lanes, tensor_store_lane);
}

/* Prefetches move nothing that a program can see, but what they are given must be right. */
static void tensor_prefetch_lane(const issue *x) {
  bulk b = {.device = x->w->block->grid->device};
  (void)read_map(x, &x->i->op_list[0], &b);
}

emu_step ptx_op_tensor_prefetch(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  return each_lane(w, i, lanes, tensor_prefetch_lane);
}

emu_step ptx_op_tensor_prefetch_map(emu_warp *w, const ptx_insn *i, uint32_t lanes) {
  emu_access a;
  (void)ptx_access_begin(w, i, lanes, &i->op_list[0], (ptx_space)i->space, TENSORMAP_BYTES,
                         TENSORMAP_ALIGN, EMU_READ, &a);
  return EMU_NEXT;
}
