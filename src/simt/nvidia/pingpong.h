/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * simt/nvidia/pingpong.h: ping-pong scheduling of two warpgroups of consumers. In a loop with a
 * producer whose iterations compute for long between two products, as attention's softmax, one
 * warpgroup begins its products while the other one computes:
 *
 *   warpgroup 0    ── products ──┐ computes ────────── ┌── products ──┐ computes …
 *                                └─ turn ─┐   ┌─ turn ─┘              └─ turn ─┐
 *   warpgroup 1    … computes ────────────┴── products ──┐ computes …
 *
 * Without that both would compute at the same time, and then both wait for the tensor cores.
 *
 * The turn begins before the product that follows the longest computation, and ends after the last
 * product before that computation, which may be one of the next iteration. Plain data without LLVM.
 */
#ifndef TSR_SIMT_NVIDIA_PINGPONG_H
#define TSR_SIMT_NVIDIA_PINGPONG_H

#include "simt/nvidia/bulk.h"

/* Sets l->turn_begin and l->turn_end where that is worth it or the entry's hint `ping_pong` asks
 * for it. */
void simt_plan_ping_pong(const simt_plan *p, simt_bulk_loop *l);

/* The turn that a product begins with lasts into the next iteration. */
bool simt_turn_wraps(const simt_bulk_loop *l);

#endif
