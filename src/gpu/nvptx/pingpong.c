/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Ping-pong scheduling of two warpgroups of consumers (simt/nvidia/pingpong.h). Each has a named
 * barrier at which it waits for its turn (bar.sync), and at which the other one says that it is
 * (bar.arrive). In any number of executions of a loop each says it as often as the other one waits:
 *
 *   before     warpgroup 1 says that it is the other one's turn; all wait, if the turn of an
 *              iteration lasts into the next one
 *   body       wait, products, say that it is the other one's turn
 *   after      all wait, unless they have the turn; warpgroup 0 says that it is the other one's
 *
 * A warpgroup that waits for its turn would never reach a barrier of all consumers, so the turn is
 * given away before such a barrier, and waited for again after it.
 */
#include "gpu/nvptx/pingpong.h"

#include "gpu/code.h"
#include "gpu/nvptx/pipeline.h"
#include "simt/nvidia/pingpong.h"

enum { FIRST_BARRIER = 2 /* of warpgroup 0; warpgroup 1 has the next one */, GROUP_WARPS = 2 };

static llv group_of(gen *g) {
  return LLVMBuildLShr(g->e.b, g->warp, k32(g, GROUP_WARPS), "");
}

static uint32_t threads_of(const gen *g) {
  return 32u << g->plan->warps;
}

static void wait_for_turn(gen *g) {
  llv args[] = {add_const(g, group_of(g), FIRST_BARRIER), k32(g, threads_of(g))};
  gpu_asm(g, g->e.void_, "bar.sync $0, $1;", "r,n,~{memory}", args, 2, true);
}

static void give_turn(gen *g) {
  llv other = LLVMBuildSub(g->e.b, k32(g, FIRST_BARRIER + 1), group_of(g), "");
  llv args[] = {other, k32(g, threads_of(g))};
  gpu_asm(g, g->e.void_, "bar.arrive $0, $1;", "r,n,~{memory}", args, 2, true);
}

static void give_turn_as(gen *g, uint32_t group) {
  llv who = LLVMBuildICmp(g->e.b, LLVMIntEQ, group_of(g), k32(g, group), "");
  llv args[] = {k32(g, FIRST_BARRIER + 1 - group), k32(g, threads_of(g)), who};
  gpu_asm(g, g->e.void_, "@$2 bar.arrive $0, $1;", "n,n,b,~{memory}", args, 3, true);
}

static bool alternates(const pipeline *p) {
  return p && p->bulk && p->bulk->turn_begin;
}

void nvptx_pingpong_begin(gen *g, pipeline *p) {
  if (!alternates(p)) return;
  give_turn_as(g, 1);
  p->has_turn = simt_turn_wraps(p->bulk);
  if (p->has_turn) wait_for_turn(g);
}

void nvptx_pingpong_end(gen *g, pipeline *p) {
  if (!alternates(p)) return;
  if (!simt_turn_wraps(p->bulk)) wait_for_turn(g);
  give_turn_as(g, 0);
  p->has_turn = false;
}

void nvptx_turn_take(gen *g, const ir_op *product) {
  pipeline *p = g->pipeline;
  if (!alternates(p) || p->bulk->turn_begin != product || p->has_turn) return;
  wait_for_turn(g);
  p->has_turn = true;
}

void nvptx_turn_give(gen *g, const ir_op *product) {
  pipeline *p = g->pipeline;
  if (!alternates(p) || p->bulk->turn_end != product) return;
  give_turn(g);
  p->has_turn = false;
}

bool nvptx_turn_ends(const gen *g, const ir_op *product) {
  return alternates(g->pipeline) && g->pipeline->bulk->turn_end == product;
}

bool nvptx_turn_pause(gen *g) {
  if (!g->pipeline || !g->pipeline->has_turn) return false;
  give_turn(g);
  return true;
}

void nvptx_turn_resume(gen *g) {
  wait_for_turn(g);
}
