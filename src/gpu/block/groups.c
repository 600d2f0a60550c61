/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A group is a branch by the thread's number, in which threads are counted from 0 again and meet at
 * a barrier of their own. Groups that follow each other may be executed at the same time by
 * different threads, so each has scratch memory that no other code uses.
 */
#include "gpu/block/groups.h"

#include "gpu/code.h"
#include "gpu/control.h"
#include "gpu/index.h"
#include "gpu/kernel.h"
#include "gpu/shared.h"
#include "gpu/values.h"
#include "gpu/vendor.h"
#include "ir/block/groups.h"

enum { NAMED_BARRIERS = 16, REGISTER_UNIT = 8, MOST_REGISTERS = 248 };

simt_threads gpu_thread_numbers(const gen *g, uint32_t n) {
  unsigned bits = n > 1 ? simt_log2(n - 1) + 1 : 0, of_lanes = MIN(bits, g->target->lane_bits);
  return (simt_threads){(uint8_t)of_lanes, (uint8_t)(bits - of_lanes)};
}

/* ---- before code is made -------------------------------------------------------------------- */

typedef struct planning {
  gen *g;
  uint64_t registers; /* of the threads of roles that state them */
  uint32_t threads;   /* how many those are */
  const ir_op *roles; /* those that need most */
} planning;

static void add_roles(planning *p, const ir_op *roles) {
  uint64_t sum = 0;
  uint32_t threads = 0;
  for (const ir_op *o = roles->regions[0]->first; o; o = o->next) {
    if (o->opcode != OP_role || !ir_has_attr(o, ATTR_registers)) continue;
    uint32_t n = (uint32_t)(ir_int_attr(o, ATTR_end) - ir_int_attr(o, ATTR_first));
    sum += (uint64_t)ir_int_attr(o, ATTR_registers) * n;
    threads += n;
  }
  if (!threads || (p->threads && sum * p->threads <= p->registers * threads)) return;
  *p = (planning){.g = p->g, .registers = sum, .threads = threads, .roles = roles};
}

static bool plan_op(void *user, ir_op *op) {
  planning *p = user;
  bool named = op->opcode == OP_barrier_arrive || op->opcode == OP_barrier_wait;
  if (named) p->g->named |= (uint16_t)(1u << ir_int_attr(op, ATTR_id));
  if (op->opcode == OP_roles) add_roles(p, op);
  return true;
}

/* All threads begin with as many as the roles that state theirs have together. */
bool gpu_plan_groups(gen *g) {
  planning p = {.g = g};
  g->named = 1; /* all threads' own */
  ir_walk(g->entry, plan_op, &p);
  if (!p.threads || !gpu_can(g->target, GPU_MOVE_REGISTERS)) return true;
  uint64_t unit = (uint64_t)p.threads * REGISTER_UNIT;
  uint32_t each = (uint32_t)((p.registers + unit - 1) / unit * REGISTER_UNIT);
  uint32_t most = g->target->registers / g->threads / REGISTER_UNIT * REGISTER_UNIT;
  if (each > MIN(most, (uint32_t)MOST_REGISTERS)) {
    gpu_unsupported(g, p.roles,
                    arena_printf(g->arena,
                                 "its roles need %u registers for each of %u threads at the "
                                 "beginning, and a thread of this block begins with %u at most; "
                                 "lower registers(…) of a role",
                                 each, p.threads, MIN(most, (uint32_t)MOST_REGISTERS)));
    return false;
  }
  g->registers = each;
  return true;
}

/* ---- barriers ------------------------------------------------------------------------------- */

/* Of the threads that now execute: the same for the same threads, else another than all so far. */
static unsigned barrier_of(gen *g, const ir_op *op) {
  uintptr_t key = (uintptr_t)g->first_thread << 16 | g->threads;
  uintptr_t *known = map_put(g->arena, &g->group_barriers, key);
  for (unsigned i = 1; i < NAMED_BARRIERS && !*known; i++)
    if (!(g->named >> i & 1)) *known = i;
  if (!*known)
    gpu_unsupported(g, op,
                    "a block has 15 named barriers, and its groups of several warps and the ids "
                    "that the kernel names are more; let groups have the same threads");
  g->named |= (uint16_t)(1u << *known);
  return (unsigned)*known;
}

void gpu_named_barrier(gen *g, const ir_op *op) {
  g->vendor->named_barrier(g, (unsigned)ir_int_attr(op, ATTR_id),
                           (uint32_t)ir_int_attr(op, ATTR_count), op->opcode == OP_barrier_wait);
}

/* ---- groups --------------------------------------------------------------------------------- */

/* What of the state of code says which threads execute it. */
typedef struct crowd {
  simt_threads block;
  uint32_t threads, first_thread, scratch_first;
  unsigned barrier;
  llv lane, warp;
} crowd;

static crowd crowd_of(const gen *g) {
  return (crowd){.block = g->block,
                 .threads = g->threads,
                 .first_thread = g->first_thread,
                 .scratch_first = g->scratch_first,
                 .barrier = g->barrier,
                 .lane = g->lane,
                 .warp = g->warp};
}

static void become(gen *g, const crowd *c) {
  g->block = c->block;
  g->threads = c->threads;
  g->first_thread = c->first_thread;
  g->scratch_first = c->scratch_first;
  g->barrier = c->barrier;
  g->lane = c->lane;
  g->warp = c->warp;
}

/* An i1, in the group around it; NULL: all of its threads are meant. */
static llv is_inside(gen *g, const ir_op *op) {
  simt_dist all = simt_dist_private(0, g->block);
  if (op->opcode == OP_elect) return gpu_owner(g, &all);
  uint32_t first = (uint32_t)ir_int_attr(op, ATTR_first) >> g->target->lane_bits;
  uint32_t end = (uint32_t)ir_int_attr(op, ATTR_end) >> g->target->lane_bits;
  if (!first && end == g->threads >> g->target->lane_bits) return NULL;
  llv warp = first ? LLVMBuildSub(g->start, g->warp, k32(g, first), "") : g->warp;
  return LLVMBuildICmp(g->start, LLVMIntULT, warp, k32(g, end - first), "inside");
}

/* Below all scratch memory that was used so far. */
static uint32_t fresh_scratch(const gen *g) {
  enum { ROW = 128 };
  uint32_t used = MAX(g->scratch_size, g->storage_bytes) - g->storage_bytes;
  return (used + ROW - 1) / ROW * ROW;
}

static void enter_group(gen *g, const ir_op *op) {
  ir_threads t = ir_threads_of(op, (ir_threads){(int32_t)g->first_thread, (int32_t)g->threads});
  uint32_t warps = ((uint32_t)t.first - g->first_thread) >> g->target->lane_bits;
  bool same = (uint32_t)t.count == g->threads;
  if (warps) g->warp = LLVMBuildSub(g->start, g->warp, k32(g, warps), "warp");
  if (t.count == 1) g->lane = g->warp = k32(g, 0);
  g->first_thread = (uint32_t)t.first;
  g->threads = (uint32_t)t.count;
  g->block = gpu_thread_numbers(g, g->threads);
  g->scratch_first = fresh_scratch(g);
  g->now.shared_read = true; /* by the same threads, when they were here before */
  if (!same) g->barrier = g->block.warps ? barrier_of(g, op) : 0;
}

static bool has_registers(const gen *g, const ir_op *op) {
  return g->registers && op->opcode == OP_role && ir_has_attr(op, ATTR_registers);
}

static void begin_role(gen *g, const ir_op *op) {
  if (has_registers(g, op))
    g->vendor->set_registers(g, g->registers, (unsigned)ir_int_attr(op, ATTR_registers));
}

/* Where nothing but the kernel's end follows, nobody needs them. */
static bool is_last(const ir_op *role) {
  const ir_op *roles = role->block->parent;
  return roles->block->parent->opcode == OP_entry && roles->next &&
         roles->next->opcode == OP_return;
}

void gpu_end_role(gen *g, const ir_op *role) {
  if (has_registers(g, role) && !is_last(role))
    g->vendor->set_registers(g, (unsigned)ir_int_attr(role, ATTR_registers), g->registers);
}

void gpu_group(gen *g, ir_op *op) {
  crowd around = crowd_of(g);
  hazards before = g->now;
  llv inside = is_inside(g, op);
  uint32_t size = g->scratch_size;
  enter_group(g, op);
  if (g->failed) return;
  gpu_part(g, op, inside, begin_role);
  if (g->scratch_size != size) around.scratch_first = fresh_scratch(g);
  become(g, &around);
  g->now = gpu_either(before, g->now);
}

void gpu_roles(gen *g, ir_op *op) {
  const ir_block *body = ir_region(op, 0);
  for (ir_op *o = body->first; o && o != body->last && !g->failed; o = o->next) gpu_body_op(g, o);
}
