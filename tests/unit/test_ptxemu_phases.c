/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What a phase of an mbarrier is sure to count: programs that are wrong only because an operation
 * may count in another phase than was meant, each beside the same program mended. Under every
 * schedule and every time at which asynchronous operations may complete the wrong one is found, by
 * the same finding, and the mended one is left alone and gives the right results.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>

#include "checked_run.h"

/* Blocks have 64 threads; the tile's first 64 words go to out[], after those of the blocks before.
 * in[i] is i. %p1 holds but for thread 0, %p2 but for thread 32. */
static const char head[] =
    ".version 8.6\n.target sm_90a\n.address_size 64\n"
    ".shared .align 128 .b8 tile[1024];\n.shared .align 8 .b64 bar[2];\n"
    ".visible .entry k(.param .u64 in, .param .u64 out, .param .align 64 .b8 map[128])\n{\n"
    ".reg .pred %p<8>; .reg .b16 %h<2>; .reg .b32 %r<32>; .reg .b64 %d<16>;\n"
    "ld.param.u64 %d0, [in]; ld.param.u64 %d1, [out];\n"
    "mov.u32 %r0, %tid.x; mul.wide.u32 %d2, %r0, 4; add.u64 %d3, %d1, %d2; add.u64 %d4, %d0, %d2;\n"
    "shl.b32 %r1, %r0, 2; mov.u32 %r2, tile; add.u32 %r1, %r1, %r2; mov.u32 %r9, 0;\n"
    "mov.u32 %r3, %ctaid.x; mad.wide.u32 %d3, %r3, 256, %d3;\n"
    "setp.ne.u32 %p1, %r0, 0; setp.ne.u32 %p2, %r0, 32;\n";

#define LIT(x)         #x
#define TEXT(x)        LIT(x)
#define INIT(count)    "@!%p1 mbarrier.init.shared.b64 [bar], " TEXT(count) ";\n" INIT_DONE
#define INIT_DONE      "@!%p1 fence.mbarrier_init.release.cluster;\nbar.sync 0;\n"
#define ARRIVE(bytes)  "mbarrier.arrive.expect_tx.shared.b64 _, [bar], " TEXT(bytes) ";\n"
#define EXPECT(bytes)  "mbarrier.expect_tx.relaxed.cta.shared.b64 [bar], " TEXT(bytes) ";\n"
#define LOAD           "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
#define COPY(to, from) LOAD "[tile+" TEXT(to) "], [%d0+" TEXT(from) "], 128, [bar];\n"
#define WAIT(n, parity)                                                                            \
  "W" TEXT(n) ": mbarrier.try_wait.parity.shared.b64 %p3, [bar], " TEXT(                           \
      parity) ";\n"                                                                                \
              "@!%p3 bra W" TEXT(n) ";\n"
#define TAKE "ld.shared.u32 %r4, [%r1]; st.global.u32 [%d3], %r4;\n"

typedef struct pair {
  const char *what, *wrong, *mended;
  int kind; /* of the finding; -1: any */
  const char *says;
  uint32_t cluster;
} pair;

#define COPIES "copies more than the phase"
#define LATER  "perhaps when that is over already"
#define EARLY  "perhaps before the phase that it means"

/* Two copies, of which ARRIVE(expected) tells. */
#define TWO(expected) INIT(1) "@%p1 bra GO;\n" ARRIVE(expected) COPY(0, 0) COPY(128, 128) "GO:\n"

/* Two copies of two iterations, the second of which expects `expected` bytes. */
#define TWICE(expected, wait)                                                                      \
  INIT(1)                                                                                          \
  "@%p1 bra A;\n" ARRIVE(256) COPY(0, 256) COPY(128, 384) "A:\n" WAIT(0, 0) TAKE                   \
      "bar.sync 0; fence.proxy.async;\n@%p1 bra B;\n" ARRIVE(expected) COPY(0, 0)                  \
          COPY(128, 128) "B:\n" wait TAKE

/* Warp 0 fetches the tile's halves one after the other through 128 bytes, warp 1 takes them. */
#define RING(wait)                                                                                 \
  "@!%p1 mbarrier.init.shared.b64 [bar], 1;\n@!%p1 mbarrier.init.shared.b64 [bar+8], 32;\n"        \
  "@!%p1 fence.mbarrier_init.release.cluster;\nbar.sync 0;\n"                                      \
  "setp.ge.u32 %p4, %r0, 32;\n@%p4 bra TAKER;\n@%p1 bra DONE;\n" ARRIVE(128) COPY(0, 0)            \
      wait ARRIVE(128) COPY(0, 128) "bra DONE;\nTAKER:\n" WAIT(                                    \
          1, 0) "ld.shared.u32 %r4, [%r1+-128]; st.global.u32 [%d3+-128], %r4;"                    \
                "\nmbarrier.arrive.shared.b64 _, [bar+8];\n" WAIT(                                 \
                    2, 1) "ld.shared.u32 %r4, [%r1+-128]; st.global.u32 [%d3], %r4;\nDONE:\n"
#define EMPTIED "E: mbarrier.try_wait.parity.shared.b64 %p3, [bar+8], 0;\n@!%p3 bra E;\n"

/* The second half comes by cp.async of warp 1, each thread of which arrives. */
#define MIXED(expected)                                                                            \
  INIT(33)                                                                                         \
  "setp.lt.u32 %p4, %r0, 32; @%p4 bra BULK;\n"                                                     \
  "cp.async.ca.shared.global [%r1], [%d4], 4;\ncp.async.mbarrier.arrive.noinc.shared.b64 [bar];\n" \
  "bra GO;\nBULK: @%p1 bra GO;\n" ARRIVE(expected) COPY(0, 0) "GO:\n" WAIT(0, 0) TAKE

/* Each block sends half a tile to both blocks. */
#define MULTICAST(expected)                                                                        \
  INIT(1)                                                                                          \
  "@!%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], " TEXT(                                    \
      expected) ";\n"                                                                              \
                "barrier.cluster.arrive; barrier.cluster.wait;\n@%p1 bra GO;\n"                    \
                "mov.u32 %r5, %cluster_ctarank; mul.wide.u32 %d5, %r5, 128; add.u64 %d5, %d0, "    \
                "%d5;\n"                                                                           \
                "shl.b32 %r5, %r5, 7; add.u32 %r5, %r5, %r2; mov.u16 %h0, 3;\n"                    \
                "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::"    \
                "cluster "                                                                         \
                "[%r5], [%d5], 128, [bar], %h0;\nGO:\n" WAIT(0, 0) TAKE                            \
      "barrier.cluster.arrive; barrier.cluster.wait;\n"

/* Threads of each block store into the other's tile. */
#define STORES(expected)                                                                           \
  INIT(1)                                                                                          \
  "@!%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], " TEXT(                                    \
      expected) ";\n"                                                                              \
                "barrier.cluster.arrive; barrier.cluster.wait;\n"                                  \
                "mov.u32 %r5, %cluster_ctarank; xor.b32 %r5, %r5, 1; mov.u32 %r7, bar;\n"          \
                "mapa.shared::cluster.u32 %r6, %r1, %r5; mapa.shared::cluster.u32 %r7, %r7, "      \
                "%r5;\n"                                                                           \
                "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r6], %r0, "      \
                "[%r7];\n" WAIT(0, 0) TAKE "barrier.cluster.arrive; barrier.cluster.wait;\n"

/* Both halves by the tensor map. */
#define TENSOR(expected)                                                                           \
  INIT(1)                                                                                          \
  "@%p1 bra GO;\nmov.u64 %d5, map; cvta.param.u64 %d5, %d5; mov.u32 %r5, 0; mov.u32 %r6, "         \
  "32;\n" ARRIVE(expected) "cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx:" \
                           ":bytes [tile], "                                                       \
                           "[%d5, {%r5}], [bar];\n"                                                \
                           "cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx:" \
                           ":bytes [tile+128], "                                                   \
                           "[%d5, {%r6}], [bar];\nGO:\n" WAIT(0, 0) TAKE

/* Adds the tile's second quarter to its first, in two halves. */
#define REDUCE(expected)                                                                           \
  INIT(1)                                                                                          \
  "st.shared.u32 [%r1], %r0; st.shared.u32 [%r1+256], 0; fence.proxy.async; bar.sync 0;\n"         \
  "@%p1 bra GO;\n" ARRIVE(expected) "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::"  \
                                    "complete_tx::bytes.add.u32 "                                  \
                                    "[tile], [tile+256], 128, [bar];\n"                            \
                                    "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::"  \
                                    "complete_tx::bytes.add.u32 "                                  \
                                    "[tile+128], [tile+384], 128, [bar];\nGO:\n" WAIT(0, 0) TAKE

/* Two groups of bulk stores, all or all but one waited for. */
#define GROUPS(left)                                                                               \
  "st.shared.u32 [%r1], %r0; fence.proxy.async; bar.sync 0; @%p1 bra DONE;\n"                      \
  "cp.async.bulk.global.shared::cta.bulk_group [%d1+256], [tile], 128;\n"                          \
  "cp.async.bulk.commit_group;\n"                                                                  \
  "cp.async.bulk.global.shared::cta.bulk_group [%d1+384], [tile+128], 128;\n"                      \
  "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group " TEXT(                                   \
      left) ";\n"                                                                                  \
            "L: ld.global.u32 %r4, [%d1+256]; st.global.u32 [%d1], %r4; add.u64 %d1, %d1, 4;\n"    \
            "add.u32 %r9, %r9, 1; setp.lt.u32 %p4, %r9, 64; @%p4 bra L;\n"                         \
            "cp.async.bulk.wait_group 0;\nDONE:\n"

/* Each thread writes a word of the other warp's. */
#define HANDED_OVER                                                                                \
  "xor.b32 %r5, %r0, 32; shl.b32 %r6, %r5, 2; add.u32 %r6, %r6, %r2; st.shared.u32 [%r6], %r5;\n"  \
  "mbarrier.arrive.shared.b64 _, [bar];\n" WAIT(0, 0) TAKE

/* Written by threads, waited for with an order of its own. */
#define RELAXED(fence)                                                                             \
  INIT(64)                                                                                         \
  "xor.b32 %r5, %r0, 32; shl.b32 %r6, %r5, 2; add.u32 %r6, %r6, %r2; st.shared.u32 [%r6], "        \
  "%r5;\n" fence "mbarrier.arrive.relaxed.cta.shared.b64 _, [bar];\n"                              \
  "W: mbarrier.try_wait.parity.relaxed.cta.shared.b64 %p3, [bar], 0;\n@!%p3 bra W;\n" fence TAKE

static const pair pairs[] = {
    {"too few bytes are expected", TWO(128) WAIT(0, 0) TAKE, TWO(256) WAIT(0, 0) TAKE,
     FINDING_MISSING_WAIT, COPIES, 1},
    {"none are", TWO(0) WAIT(0, 0) TAKE, TWO(256) WAIT(0, 0) TAKE, FINDING_MISSING_WAIT,
     "may not have written yet", 1},
    {"too many are", TWO(512) WAIT(0, 0) TAKE, TWO(256) WAIT(0, 0) TAKE, FINDING_DEADLOCK, "", 1},
    {"too few, when the copies are under way",
     INIT(1) "@%p1 bra GO;\n" COPY(0, 0) COPY(128, 128) ARRIVE(128) "GO:\n" WAIT(0, 0) TAKE,
     INIT(1) "@%p1 bra GO;\n" COPY(0, 0) COPY(128, 128) ARRIVE(256) "GO:\n" WAIT(0, 0) TAKE,
     FINDING_MISSING_WAIT, COPIES, 1},
    {"bytes are expected behind the arrival",
     INIT(1) "@%p1 bra GO;\n" ARRIVE(128) COPY(0, 0) EXPECT(128) COPY(128, 128) "GO:\n" WAIT(0, 0)
         TAKE,
     INIT(1) "@%p1 bra GO;\n" EXPECT(128) COPY(0, 0) ARRIVE(128) COPY(128, 128) "GO:\n" WAIT(0, 0)
         TAKE,
     FINDING_BARRIER, LATER, 1},
    {"bytes are expected in the phase behind that of the arrival",
     INIT(1) "@%p1 bra GO;\nmbarrier.arrive.shared.b64 _, [bar];\n" EXPECT(256) COPY(0, 0)
         COPY(128, 128) "GO:\n" WAIT(0, 0) TAKE,
     INIT(1) "@%p1 bra GO;\n" EXPECT(256) "mbarrier.arrive.shared.b64 _, [bar];\n" COPY(0, 0)
         COPY(128, 128) "GO:\n" WAIT(0, 0) TAKE,
     FINDING_MISSING_WAIT, "may not have written yet", 1},
    {"another thread expects, and may be too late",
     INIT(1) "@!%p2 " EXPECT(256) "@%p1 bra GO;\nmbarrier.arrive.shared.b64 _, [bar];\n" COPY(0, 0)
         COPY(128, 128) "GO:\n" WAIT(0, 0) TAKE,
     INIT(1) "@!%p2 " EXPECT(256) "bar.sync 0;\n@%p1 bra GO;\nmbarrier.arrive.shared.b64 _, "
                                  "[bar];\n" COPY(0, 0) COPY(128, 128) "GO:\n" WAIT(0, 0) TAKE,
     -1, "", 1},
    {"two threads issue copies, too few bytes are expected",
     INIT(1) "@!%p2 " COPY(128, 128) "@%p1 bra GO;\n" ARRIVE(128) COPY(0, 0) "GO:\n" WAIT(0, 0)
         TAKE,
     INIT(1) "@!%p2 " COPY(128, 128) "@%p1 bra GO;\n" ARRIVE(256) COPY(0, 0) "GO:\n" WAIT(0, 0)
         TAKE,
     FINDING_MISSING_WAIT, COPIES, 1},
    {"a thread completes what is not expected",
     INIT(1) "@!%p1 " ARRIVE(128) "bar.sync 0;\n@!%p1 " COPY(0, 0) "@!%p2 " COPY(
         128, 128) "@!%p2 mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [bar], 128;\n" WAIT(0, 0)
         TAKE,
     INIT(1) "@!%p1 " ARRIVE(384) "bar.sync 0;\n@!%p1 " COPY(0, 0) "@!%p2 " COPY(
         128, 128) "@!%p2 mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [bar], 128;\n" WAIT(0, 0)
         TAKE,
     FINDING_MISSING_WAIT, COPIES, 1},
    {"a copy counts on another mbarrier",
     "@!%p1 mbarrier.init.shared.b64 [bar+8], 1;\n" INIT(1) "@%p1 bra GO;\n" ARRIVE(
         128) "mbarrier.arrive.expect_tx.shared.b64 _, [bar+8], 128;\n" COPY(0, 0)
         COPY(128, 128) "GO:\n" WAIT(0, 0) TAKE,
     "@!%p1 mbarrier.init.shared.b64 [bar+8], 1;\n" INIT(1) "@%p1 bra GO;\n" ARRIVE(
         128) "mbarrier.arrive.expect_tx.shared.b64 _, [bar+8], 128;\n" COPY(0, 0) LOAD
     "[tile+128], [%d0+128], 128, [bar+8];\nGO:\n" WAIT(
         0, 0) "V: mbarrier.try_wait.parity.shared.b64 %p3, [bar+8], 0;\n@!%p3 bra V;\n" TAKE,
     FINDING_MISSING_WAIT, COPIES, 1},
    {"the second phase expects too few", TWICE(128, WAIT(1, 1)), TWICE(256, WAIT(1, 1)),
     FINDING_MISSING_WAIT, COPIES, 1},
    {"the first phase is waited for twice", TWICE(256, WAIT(1, 0)), TWICE(256, WAIT(1, 1)), -1, "",
     1}, /* which waits for ever when the copies are early */
    {"too few after a new initialisation",
     TWO(256) WAIT(0, 0) "bar.sync 0;\n@!%p1 mbarrier.inval.shared.b64 [bar];\n" INIT(
         1) "@%p1 bra B;\n" ARRIVE(128) COPY(256, 0) COPY(384, 128) "B:\n" WAIT(1, 0) TAKE,
     TWO(256) WAIT(0, 0) "bar.sync 0;\n@!%p1 mbarrier.inval.shared.b64 [bar];\n" INIT(
         1) "@%p1 bra B;\n" ARRIVE(256) COPY(256, 0) COPY(384, 128) "B:\n" WAIT(1, 0) TAKE,
     FINDING_MISSING_WAIT, COPIES, 1},
    {"the producer does not wait for its consumers", RING(""), RING(EMPTIED), FINDING_BARRIER,
     EARLY, 1},
    {"an arrival that does not wait for the copy",
     INIT(1) "@%p1 bra GO;\n" ARRIVE(256) COPY(0, 0)
         COPY(128, 128) "mbarrier.arrive.shared.b64 _, [bar];\nGO:\n" WAIT(0, 0) TAKE,
     INIT(1) "@%p1 bra GO;\n" ARRIVE(256) COPY(0, 0) COPY(128, 128) "GO:\n" WAIT(
         0, 0) "bar.sync 0;\n@!%p1 mbarrier.arrive.shared.b64 _, [bar];\n" TAKE,
     FINDING_BARRIER, EARLY, 1},
    {"more threads arrive than the phase counts", INIT(32) HANDED_OVER, INIT(64) HANDED_OVER, -1,
     "", 1},
    {"more copies of threads arrive than the phase counts",
     INIT(32) "cp.async.ca.shared.global [%r1], [%d4], 4;\n"
              "cp.async.mbarrier.arrive.noinc.shared.b64 [bar];\n" WAIT(0, 0) TAKE,
     INIT(64) "cp.async.ca.shared.global [%r1], [%d4], 4;\n"
              "cp.async.mbarrier.arrive.noinc.shared.b64 [bar];\n" WAIT(0, 0) TAKE,
     FINDING_BARRIER, EARLY, 1},
    {"arrivals of copies, and bytes that are not expected", MIXED(0), MIXED(128),
     FINDING_MISSING_WAIT, COPIES, 1},
    {"a block expects the half that it fetches", MULTICAST(128), MULTICAST(256),
     FINDING_MISSING_WAIT, COPIES, 2},
    {"asynchronous stores", STORES(128), STORES(256), FINDING_MISSING_WAIT, COPIES, 2},
    {"tensor copies", TENSOR(128), TENSOR(256), FINDING_MISSING_WAIT, COPIES, 1},
    {"reductions in shared memory", REDUCE(128), REDUCE(256), FINDING_MISSING_WAIT, COPIES, 1},
    {"groups of bulk stores", GROUPS(1), GROUPS(0), FINDING_MISSING_WAIT,
     "may not have written yet", 1},
    {"relaxed arrivals and waits", RELAXED(""), RELAXED("fence.acq_rel.cta;\n"), FINDING_RACE,
     "another thread", 1},
};

/* ---- running -------------------------------------------------------------------------------- */

static _Alignas(256) uint32_t in[256], out[256];

static void run(checked_run *r, const pair *p, const char *body, unsigned how) {
  char text[8192];
  snprintf(text, sizeof text, "%s%s\nret;\n}\n", head, body);
  checked_run_open_text(r, text, true);
  memset(out, 0, sizeof out);
  for (uint32_t i = 0; i < ARRAY_LEN(in); i++) in[i] = i;
  uint64_t address = checked_run_buffer(r, in, sizeof in);
  checked_run_buffer(r, out, sizeof out);
  const tensormap words = {.type = TENSORMAP_U32,
                           .rank = 1,
                           .address = address,
                           .dims = {ARRAY_LEN(in)},
                           .box = {32},
                           .element_strides = {1}};
  checked_run_map(r, &words);
  r->options.schedule = (emu_schedule)(how / 3);
  r->options.async = (emu_async_mode)(how % 3);
  r->options.seed = 5 + how;
  r->options.cluster[0] = p->cluster;
  r->options.cluster[1] = r->options.cluster[2] = 1;
  checked_run_launch(r, p->cluster, 1, 64, 1);
}

static bool right(const pair *p) {
  for (uint32_t i = 0; i < 64 * p->cluster; i++)
    if (out[i] != i % 64) return false;
  return true;
}

static bool told(const checked_run *r, const pair *p) {
  for (uint32_t i = 0; i < r->found.n; i++)
    if ((p->kind < 0 || (int)r->found.list[i].kind == p->kind) &&
        strstr(r->found.list[i].message, p->says))
      return true;
  return false;
}

static void wrong_programs_are_found(void **state) {
  (void)state;
  unsigned failed = 0;
  for (unsigned k = 0; k < ARRAY_LEN(pairs); k++) {
    for (unsigned how = 0; how < 9; how++) {
      checked_run r;
      run(&r, &pairs[k], pairs[k].wrong, how);
      if (!told(&r, &pairs[k])) {
        print_error("%s, schedule %u, mode %u: not found: '%s'\n%s\n", pairs[k].what, how / 3,
                    how % 3, pairs[k].says, checked_run_text(&r));
        failed++;
      }
      checked_run_close(&r);
    }
  }
  assert_int_equal(failed, 0);
}

static void mended_programs_are_left_alone(void **state) {
  (void)state;
  unsigned failed = 0;
  for (unsigned k = 0; k < ARRAY_LEN(pairs); k++) {
    for (unsigned how = 0; how < 9; how++) {
      checked_run r;
      run(&r, &pairs[k], pairs[k].mended, how);
      if (r.found.n || !right(&pairs[k])) {
        print_error("%s, schedule %u, mode %u: %u findings, results %s\n%s\n", pairs[k].what,
                    how / 3, how % 3, r.found.n, right(&pairs[k]) ? "right" : "wrong",
                    checked_run_text(&r));
        failed++;
      }
      checked_run_close(&r);
    }
  }
  assert_int_equal(failed, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(wrong_programs_are_found),
      cmocka_unit_test(mended_programs_are_left_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
