/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * mbarriers. What counts bytes, and a wait in which threads sleep, is there from sm_90 on.
 */
#include "gpu/nvptx/mbarrier.h"

#include "gpu/code.h"

void nvptx_mbarrier_init(gen *g, llv barrier, uint32_t count) {
  llv args[] = {barrier, k32(g, count)};
  gpu_asm(g, g->e.void_, "mbarrier.init.shared::cta.b64 [$0], $1;", "r,r,~{memory}", args, 2, true);
}

/* Of several arrivals all but one come without completing the phase where an instruction has no
 * number of them. */
static const char *arrivals(gen *g, uint32_t count) {
  if (count == 1) return "@$1 mbarrier.arrive.shared::cta.b64 state, [$0];";
  if (gpu_can(g->target, GPU_BULK_COPY))
    return arena_printf(g->arena, "@$1 mbarrier.arrive.shared::cta.b64 state, [$0], %u;", count);
  return arena_printf(g->arena,
                      "@$1 mbarrier.arrive.noComplete.shared::cta.b64 state, [$0], %u;\n\t"
                      "@$1 mbarrier.arrive.shared::cta.b64 state, [$0];",
                      count - 1);
}

void nvptx_mbarrier_show(gen *g) {
  gpu_asm(g, g->e.void_, "fence.mbarrier_init.release.cluster;", "~{memory}", NULL, 0, true);
}

static void arrive_remote(gen *g, llv barrier, uint32_t count, llv who) {
  gpu_asm(g, g->e.void_, "@$1 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [$0], $2;",
          "r,b,r,~{memory}", (llv[]){barrier, who, k32(g, count)}, 3, true);
}

void nvptx_mbarrier_arrive(gen *g, llv barrier, uint32_t count, llv who, bool remote) {
  if (!who) who = LLVMConstInt(g->e.i1, 1, 0);
  if (remote) {
    arrive_remote(g, barrier, count, who);
    return;
  }
  const char *text = arena_printf(g->arena, "{\n\t.reg .b64 state;\n\t%s\n\t}", arrivals(g, count));
  gpu_asm(g, g->e.void_, text, "r,b,~{memory}", (llv[]){barrier, who}, 2, true);
}

void nvptx_mbarrier_expect(gen *g, llv barrier, uint32_t bytes, bool remote) {
  gpu_asm(g, g->e.void_,
          remote ? "mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 [$0], $1;"
                 : "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [$0], $1;",
          "r,r,~{memory}", (llv[]){barrier, k32(g, bytes)}, 2, true);
}

void nvptx_mbarrier_arrive_expect(gen *g, llv barrier, uint32_t bytes, bool remote) {
  static const char there[] =
      "mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [$0], $1;";
  static const char text[] = "{\n\t.reg .b64 state;\n\t"
                             "mbarrier.arrive.expect_tx.shared::cta.b64 state, [$0], $1;\n\t}";
  gpu_asm(g, g->e.void_, remote ? there : text, "r,r,~{memory}", (llv[]){barrier, k32(g, bytes)}, 2,
          true);
}

void nvptx_mbarrier_arrive_behind_copies(gen *g, llv barrier) {
  gpu_asm(g, g->e.void_, "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [$0];", "r,~{memory}",
          &barrier, 1, true);
}

void nvptx_mbarrier_wait(gen *g, llv barrier, llv parity, const char *scope) {
  const char *way = gpu_can(g->target, GPU_BULK_COPY) ? "try_wait" : "test_wait";
  char *text = arena_printf(g->arena,
                            "{\n\t.reg .pred done;\n"
                            "again:\n\t"
                            "mbarrier.%s.parity%s.shared::cta.b64 done, [$0], $1;\n\t"
                            "@!done bra again;\n\t}",
                            way, scope);
  gpu_asm(g, g->e.void_, text, "r,r,~{memory}", (llv[]){barrier, parity}, 2, true);
}
