/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * mbarrier objects as values; and small PTX programs, one for each form of asynchronous and matrix
 * instruction that the CUDA kernels don't use, with what they must give and what must be found.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>

#include "checked_run.h"
#include "emu/ptx/mbarrier.h"

static void test_mbarrier(void **state) {
  (void)state;
  uint64_t b = 0, token;
  bool done = false;
  assert_non_null(mbarrier_arrive(&b, 1, false, &done));
  assert_non_null(mbarrier_init_value(0, &b));
  assert_non_null(mbarrier_init_value(1 << 20, &b));
  assert_null(mbarrier_init_value(3, &b));
  token = b;
  assert_int_equal(mbarrier_pending_of(token), 3);
  assert_null(mbarrier_arrive(&b, 2, false, &done));
  assert_false(done || mbarrier_passed(b, token) || mbarrier_passed_parity(b, 0));
  assert_true(mbarrier_passed_parity(b, 1));             /* the phase before the first */
  assert_non_null(mbarrier_arrive(&b, 2, false, &done)); /* one too many */
  assert_null(mbarrier_expect(&b, 100));
  assert_null(mbarrier_arrive(&b, 1, true, &done));
  assert_false(done);
  assert_null(mbarrier_complete(&b, 60, &done));
  assert_false(done);
  assert_null(mbarrier_complete(&b, 40, &done));
  assert_true(done && mbarrier_passed(b, token) && mbarrier_passed_parity(b, 0));
  assert_int_equal(mbarrier_pending_of(b), 2); /* one has dropped out */
  /* Bytes may come before they are expected. */
  assert_null(mbarrier_complete(&b, 16, &done));
  assert_null(mbarrier_expect(&b, 16));
  assert_null(mbarrier_arrive(&b, 2, false, &done));
  assert_true(done && mbarrier_passed_parity(b, 1));
  assert_non_null(mbarrier_expect(&b, 1 << 20));
  for (uint32_t i = 0; i < 1000; i++) { /* packing keeps everything */
    mbarrier m = {.expected = i * 1048 + 1,
                  .pending = i * 7,
                  .bytes = (int32_t)i * 1000 - 500000,
                  .phase = i & 1},
             back;
    assert_true(mbarrier_unpack(mbarrier_pack(&m), &back));
    assert_memory_equal(&m, &back, sizeof m);
  }
}

/* ---- programs ------------------------------------------------------------------------------- */

static _Alignas(256) uint32_t in[4096], out[4096];

static const char head[] = ".version 8.6\n.target sm_90a\n.address_size 64\n";

/* Runs the body of a kernel k(in, out); its registers are declared. */
static void run(checked_run *r, const char *variables, const char *body, uint32_t blocks,
                uint32_t threads, uint32_t cluster, emu_async_mode mode) {
  char text[6000];
  snprintf(
      text, sizeof text,
      "%s%s\n.visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
      ".reg .pred %%p<8>; .reg .b16 %%h<8>; .reg .b32 %%r<64>; .reg .f32 %%f<64>;\n"
      ".reg .b64 %%d<32>; .reg .f64 %%g<8>;\n"
      "ld.param.u64 %%d0, [in]; ld.param.u64 %%d1, [out];\n"
      "cvta.to.global.u64 %%d0, %%d0; cvta.to.global.u64 %%d1, %%d1;\n"
      "mov.u32 %%r0, %%tid.x; mul.wide.u32 %%d2, %%r0, 4; add.u64 %%d3, %%d1, %%d2;\n%s\nret;\n}\n",
      head, variables, body);
  checked_run_open_text(r, text, true);
  memset(out, 0, sizeof out);
  for (uint32_t i = 0; i < ARRAY_LEN(in); i++) in[i] = i;
  checked_run_buffer(r, in, sizeof in);
  checked_run_buffer(r, out, sizeof out);
  r->options.async = mode;
  r->options.cluster[0] = cluster, r->options.cluster[1] = r->options.cluster[2] = 1;
  checked_run_launch(r, blocks, 1, threads, 1);
}

/* Nothing is found, in every mode; then `right` looks at out[]. */
static void clean(const char *variables, const char *body, uint32_t blocks, uint32_t threads,
                  uint32_t cluster, bool (*right)(void)) {
  for (unsigned mode = 0; mode < 3; mode++) {
    checked_run r;
    run(&r, variables, body, blocks, threads, cluster, (emu_async_mode)mode);
    if (r.found.n) fail_msg("%s\n%s", body, checked_run_text(&r));
    if (!right()) fail_msg("wrong results: %u %u %u %u\n%s", out[0], out[1], out[2], out[3], body);
    checked_run_close(&r);
  }
}

static void finds(const char *variables, const char *body, uint32_t blocks, uint32_t threads,
                  uint32_t cluster, finding_kind kind, const char *says) {
  for (unsigned mode = 0; mode < 3; mode++) {
    checked_run r;
    run(&r, variables, body, blocks, threads, cluster, (emu_async_mode)mode);
    bool named = false;
    for (uint32_t i = 0; i < r.found.n; i++)
      named |= r.found.list[i].kind == kind && strstr(r.found.list[i].message, says) != NULL;
    if (!named) fail_msg("not found: %s\n%s\n%s", says, body, checked_run_text(&r));
    checked_run_close(&r);
  }
}

#define TILE ".shared .align 128 .b8 tile[4096];\n.shared .align 8 .b64 bar;"
#define INIT                                                                                       \
  "setp.ne.u32 %p1, %r0, 0;\n"                                                                     \
  "@!%p1 mbarrier.init.shared.b64 [bar], 1;\n@!%p1 fence.mbarrier_init.release.cluster;\n"         \
  "bar.sync 0;\n"
#define WAIT "L: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0;\n@!%p2 bra L;\n"
#define STORE_MINE                                                                                 \
  "cvt.u32.u64 %r2, %d2; mov.u32 %r3, tile; add.u32 %r3, %r3, %r2;\n"                              \
  "ld.shared.u32 %r4, [%r3]; st.global.u32 [%d3], %r4;"

static bool out_is_in(void) {
  return memcmp(out, in, 64 * 4) == 0;
}

/* Zeros after src-size; nothing is read where ignore-src holds. */
static bool right_cp_async(void) {
  for (uint32_t t = 0; t < 8; t++)
    if (out[t] != 8 * t + 1 + (t > 3 ? 0 : 4 * t) * 1000) return false;
  return true;
}

static void test_cp_async(void **state) {
  (void)state;
  const char *vars = ".shared .align 16 .b8 tile[4096];";
  clean(vars,
        "mul.lo.u32 %r5, %r0, 16; mov.u32 %r6, tile; add.u32 %r6, %r6, %r5;\n"
        "cvt.u64.u32 %d4, %r5; add.u64 %d5, %d0, %d4;\n"
        "setp.gt.u32 %p1, %r0, 3;\n"
        "cp.async.cg.shared.global [%r6], [%d5], 16, 8;\n"
        "cp.async.ca.shared.global [%r6+1024], [%d5], 4, %p1;\n"
        "cp.async.wait_all;\n"
        "ld.shared.v4.u32 {%r7,%r8,%r9,%r10}, [%r6]; ld.shared.u32 %r11, [%r6+1024];\n"
        "add.u32 %r7, %r7, %r8; add.u32 %r7, %r7, %r9; add.u32 %r7, %r7, %r10;\n"
        "mad.lo.u32 %r7, %r11, 1000, %r7; st.global.u32 [%d3], %r7;",
        1, 8, 1, right_cp_async);
  /* An arrival that counts the copies. */
  clean(TILE,
        "@%p0 bra X; X: setp.ne.u32 %p1, %r0, 0;\n"
        "@!%p1 mbarrier.init.shared.b64 [bar], 32;\nbar.sync 0;\n"
        "mul.lo.u32 %r5, %r0, 4; mov.u32 %r6, tile; add.u32 %r6, %r6, %r5;\n"
        "add.u64 %d5, %d0, %d2;\n"
        "cp.async.ca.shared.global [%r6], [%d5], 4;\n"
        "cp.async.mbarrier.arrive.noinc.shared.b64 [bar];\n" WAIT
        "xor.b32 %r7, %r5, 4; mov.u32 %r8, tile; add.u32 %r8, %r8, %r7; ld.shared.u32 %r9, [%r8];\n"
        "xor.b32 %r9, %r9, 1; st.global.u32 [%d3], %r9;\n"
        "add.u64 %d6, %d3, 128; add.u32 %r9, %r9, 32; st.global.u32 [%d6], %r9;",
        1, 32, 1, out_is_in);
  finds(vars,
        "mov.u32 %r6, tile; cp.async.ca.shared.global [%r6], [%d0], 4;\n"
        "cp.async.commit_group; ld.shared.u32 %r7, [%r6]; cp.async.wait_all;",
        1, 1, 1, FINDING_MISSING_WAIT, "may not have written yet");
  finds(vars, "mov.u32 %r6, tile; cp.async.ca.shared.global [%r6+2], [%d0], 4; cp.async.wait_all;",
        1, 1, 1, FINDING_MISALIGNED, "");
  finds(vars, "mov.u32 %r6, tile; cp.async.ca.shared.global [%r6], [%d0], 12; cp.async.wait_all;",
        1, 1, 1, FINDING_ILLEGAL, "4, 8 or 16");
}

/* A bulk copy in, and one out, of 256 bytes. */
static void test_bulk(void **state) {
  (void)state;
  clean(TILE,
        INIT
        "@%p1 bra GO;\n"
        "mbarrier.arrive.expect_tx.shared.b64 _, [bar], 256;\n"
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%d0], 256, "
        "[bar];\nGO:\n" WAIT STORE_MINE,
        1, 64, 1, out_is_in);
  clean(
      TILE,
      "cvt.u32.u64 %r2, %d2; mov.u32 %r3, tile; add.u32 %r3, %r3, %r2; st.shared.u32 [%r3], %r0;\n"
      "fence.proxy.async.shared::cta; bar.sync 0; setp.ne.u32 %p1, %r0, 0; @%p1 bra END;\n"
      "cp.async.bulk.global.shared::cta.bulk_group [%d1], [tile], 256;\n"
      "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\nEND:",
      1, 64, 1, out_is_in);
  /* A reduction on top of what another group stored. */
  clean(TILE,
        "shr.u32 %r5, %r0, 1; cvt.u32.u64 %r2, %d2; mov.u32 %r3, tile; add.u32 %r3, %r3, %r2;\n"
        "st.shared.u32 [%r3], %r5; sub.u32 %r6, %r0, %r5; st.shared.u32 [%r3+256], %r6;\n"
        "fence.proxy.async.shared::cta; bar.sync 0; setp.ne.u32 %p1, %r0, 0; @%p1 bra END;\n"
        "cp.async.bulk.global.shared::cta.bulk_group [%d1], [tile], 256;\n"
        "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\n"
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%d1], [tile+256], 256;\n"
        "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\nEND:",
        1, 64, 1, out_is_in);
  finds(TILE,
        INIT
        "@%p1 bra END;\nmbarrier.arrive.expect_tx.shared.b64 _, [bar], 256;\n"
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%d0], 256, "
        "[bar];\nld.shared.u32 %r4, [tile];\n" WAIT "END:",
        1, 64, 1, FINDING_MISSING_WAIT, "may not have written yet");
  finds(
      TILE,
      "st.shared.u32 [tile], %r0; fence.proxy.async;\n"
      "cp.async.bulk.global.shared::cta.bulk_group [%d1], [tile], 16; cp.async.bulk.commit_group;",
      1, 1, 1, FINDING_MISSING_WAIT, "when its block ends");
  finds(TILE, "cp.async.bulk.global.shared::cta.bulk_group [%d1], [tile], 24;", 1, 1, 1,
        FINDING_ILLEGAL, "multiple of 16");
  finds(TILE, "mbarrier.arrive.shared.b64 %d5, [bar];", 1, 1, 1, FINDING_ILLEGAL, "no mbarrier");
  finds(TILE, "mbarrier.init.shared.b64 [bar], 2;\nmbarrier.arrive.shared.b64 %d5, [bar];\n" WAIT,
        1, 1, 1, FINDING_DEADLOCK, "");
}

/* Blocks of a cluster: block 1's shared memory is written by block 0, and the other way round. */
static bool right_cluster(void) {
  return out[0] == 101 && out[1] == 100;
}
static bool right_multicast(void) {
  return memcmp(out, in, 64) == 0 && memcmp(out + 16, in, 64) == 0;
}

#define RANKS                                                                                      \
  "mov.u32 %r10, %cluster_ctarank; xor.b32 %r11, %r10, 1; mov.u32 %r12, tile;\n"                   \
  "mapa.shared::cluster.u32 %r13, %r12, %r11; add.u32 %r14, %r10, 100;\n"

static void test_clusters(void **state) {
  (void)state;
  const char *exchange =
      RANKS "st.shared::cluster.u32 [%r13], %r14;\n"
            "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n"
            "ld.shared.u32 %r15, [tile]; mul.wide.u32 %d4, %r10, 4; add.u64 %d5, %d1, %d4;\n"
            "st.global.u32 [%d5], %r15;";
  clean(TILE, exchange, 2, 1, 2, right_cluster);
  finds(TILE,
        RANKS "st.shared.u32 [tile], %r14; st.shared::cluster.u32 [%r13], %r14;\n"
              "ld.shared.u32 %r15, [tile];\nbarrier.cluster.arrive.aligned; "
              "barrier.cluster.wait.aligned;\n",
        2, 1, 2, FINDING_RACE, "another thread");
  /* A remote arrival: block 1 waits for block 0. */
  clean(TILE,
        RANKS
        "mbarrier.init.shared.b64 [bar], 1; fence.mbarrier_init.release.cluster;\n"
        "barrier.cluster.arrive; barrier.cluster.wait;\n"
        "st.shared::cluster.u32 [%r13], %r14; mov.u32 %r20, bar;\n"
        "mapa.shared::cluster.u32 %r21, %r20, %r11;\n"
        "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r21];\n"
        "L: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p2, [bar], 0; @!%p2 bra L;\n"
        "ld.shared.u32 %r15, [tile]; mul.wide.u32 %d4, %r10, 4; add.u64 %d5, %d1, %d4;\n"
        "st.global.u32 [%d5], %r15;\n"
        "barrier.cluster.arrive; barrier.cluster.wait;",
        2, 1, 2, right_cluster);
  /* Shared memory ends with its block. */
  finds(TILE,
        RANKS "setp.eq.u32 %p1, %r10, 0; @%p1 ret; mov.u32 %r20, 0;\n"
              "L: add.u32 %r20, %r20, 1; setp.lt.u32 %p2, %r20, 20000; @%p2 bra L;\n"
              "st.shared::cluster.u32 [%r13], %r14;",
        2, 1, 2, FINDING_USE_AFTER_FREE, "of the cluster that has ended");
  finds(TILE,
        RANKS "setp.eq.u32 %p1, %r10, 0; mbarrier.init.shared.b64 [bar], 2;\n"
              "barrier.cluster.arrive; barrier.cluster.wait; @%p1 ret; mov.u32 %r20, 0;\n"
              "L: add.u32 %r20, %r20, 1; setp.lt.u32 %p2, %r20, 20000; @%p2 bra L;\n"
              "mov.u32 %r20, bar; mapa.shared::cluster.u32 %r21, %r20, %r11;\n"
              "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r21];",
        2, 1, 2, FINDING_USE_AFTER_FREE, "of the cluster that has ended");
  /* Multicast: one copy fills both blocks and counts on both mbarriers. */
  clean(TILE,
        RANKS INIT
        "barrier.cluster.arrive; barrier.cluster.wait;\n"
        "@!%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 64;\n"
        "setp.ne.u32 %p3, %r10, 0; or.pred %p4, %p3, %p1; mov.u16 %h1, 3;\n"
        "barrier.cluster.arrive; barrier.cluster.wait;\n@%p4 bra GO;\n"
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
        "[tile], [%d0], 64, [bar], %h1;\nGO:\n" WAIT
        "mad.lo.u32 %r16, %r10, 16, %r0; mul.wide.u32 %d4, %r16, 4; add.u64 %d3, %d1, "
        "%d4;\n" STORE_MINE "\nbarrier.cluster.arrive; barrier.cluster.wait;",
        2, 16, 2, right_multicast);
}

/* Blocks of a cluster write into each other's memory, counted by the other's mbarrier. */
#define STORE_ASYNC(op)                                                                            \
  RANKS "mbarrier.init.shared.b64 [bar], 1; fence.mbarrier_init.release.cluster;\n"                \
        "mbarrier.arrive.expect_tx.shared.b64 _, [bar], 4; st.shared.u32 [tile], 0;\n"             \
        "barrier.cluster.arrive; barrier.cluster.wait;\n"                                          \
        "mov.u32 %r20, bar; mapa.shared::cluster.u32 %r21, %r20, %r11;\n" op                       \
        ".shared::cluster.mbarrier::complete_tx::bytes"
#define TAKE                                                                                       \
  "ld.shared.u32 %r15, [tile]; mul.wide.u32 %d4, %r10, 4; add.u64 %d5, %d1, %d4;\n"                \
  "st.global.u32 [%d5], %r15; barrier.cluster.arrive; barrier.cluster.wait;"
#define AWAIT                                                                                      \
  "L: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p2, [bar], 0; @!%p2 bra L;\n"

static void test_async_stores(void **state) {
  (void)state;
  clean(TILE, STORE_ASYNC("st.async.weak") ".u32 [%r13], %r14, [%r21];\n" AWAIT TAKE, 2, 1, 2,
        right_cluster);
  clean(TILE,
        STORE_ASYNC("red.async.relaxed.cluster") ".add.u32 [%r13], %r14, [%r21];\n" AWAIT TAKE, 2,
        1, 2, right_cluster);
  finds(TILE, STORE_ASYNC("st.async.weak") ".u32 [%r13], %r14, [%r21];\n" TAKE AWAIT, 2, 1, 2,
        FINDING_MISSING_WAIT, "may not have written yet");
  finds(TILE,
        STORE_ASYNC("red.async.relaxed.cluster") ".add.u32 [%r13], %r14, [%r21];\n" TAKE AWAIT, 2,
        1, 2, FINDING_MISSING_WAIT, "may not have written yet");
  finds(TILE, STORE_ASYNC("st.async.weak") ".u32 [%r13], %r14, [%r20];\n", 2, 1, 2, FINDING_ILLEGAL,
        "of different blocks");
}

/* What the instructions around tensor maps refuse; tests/ptx/forms has what they do. */
static void test_tensor_maps(void **state) {
  (void)state;
#define COPY_MAP                                                                                   \
  "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned"
  finds(TILE, COPY_MAP " [%d1], [tile], 64;", 1, 32, 1, FINDING_ILLEGAL, "128 bytes, not 64");
  finds(TILE,
        "shl.b32 %r1, %r0, 7; mov.u32 %r2, tile; add.u32 %r1, %r1, %r2;\n" COPY_MAP
        " [%d1], [%r1], 128;",
        1, 32, 1, FINDING_ILLEGAL, "copy one tensor map");
  finds(TILE,
        "st.shared.u64 [tile], %d1; tensormap.replace.tile.rank.shared::cta.b1024.b32 [tile], 1;",
        1, 1, 1, FINDING_ILLEGAL, "no tensor map");
  finds(TILE, "fence.proxy.tensormap::generic.acquire.gpu [%d1], 64;", 1, 1, 1, FINDING_ILLEGAL,
        "128 bytes, not 64");
}

/* ---- matrix instructions through the machine ------------------------------------------------ */

static bool right_sparse(void) {
  float f[4];
  memcpy(f, out, sizeof f);
  return f[0] == 8 && f[1] == 8 && f[2] == 8 && f[3] == 8;
}
static bool right_wmma(void) {
  float f[256];
  memcpy(f, out, sizeof f);
  for (unsigned i = 0; i < 256; i++)
    if (f[i] != 16) return false;
  return true;
}
static bool right_moved(void) {
  for (uint32_t l = 0; l < 32; l++)
    if (out[l] != ((l / 4) | 2 * (l % 4) << 8 | (l / 4) << 16 | (2 * (l % 4) + 1) << 24))
      return false;
  return true;
}
static bool right_ones(void) {
  for (unsigned i = 0; i < 128; i++) {
    float f;
    memcpy(&f, &out[i], 4);
    if (f != 16) return false;
  }
  return true;
}

static void test_matrices(void **state) {
  (void)state;
  /* Ones: eight of sixteen products are there. */
  clean("",
        "mov.u32 %r1, 0x3c003c00; mov.u32 %r2, 0x44444444; mov.f32 %f0, 0f00000000;\n"
        "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r1,%r1}, "
        "{%r1,%r1}, {%f0,%f0,%f0,%f0}, %r2, 0x0;\n"
        "setp.ne.u32 %p1, %r0, 0; @!%p1 st.global.v4.f32 [%d1], {%f1,%f2,%f3,%f4};",
        1, 32, 1, right_sparse);
  finds("",
        "mov.u32 %r1, 0; mov.f32 %f0, 0f00000000;\n"
        "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r1,%r1}, "
        "{%r1,%r1}, {%f0,%f0,%f0,%f0}, %r1, 0x0;",
        1, 32, 1, FINDING_ILLEGAL, "metadata");
  /* Row and column numbers as bytes of each element, transposed by movmatrix and through memory. */
  clean(".shared .align 16 .b8 tile[128];",
        "shr.u32 %r1, %r0, 2; and.b32 %r2, %r0, 3; shl.b32 %r2, %r2, 1;\n" /* row, column */
        "shl.b32 %r3, %r1, 8; or.b32 %r3, %r3, %r2; add.u32 %r4, %r3, 1; shl.b32 %r4, %r4, 16;\n"
        "or.b32 %r5, %r3, %r4; movmatrix.sync.aligned.m8n8.trans.b16 %r6, %r5;\n"
        "and.b32 %r7, %r0, 7; shl.b32 %r7, %r7, 4; mov.u32 %r8, tile; add.u32 %r8, %r8, %r7;\n"
        "stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%r8], {%r5}; bar.warp.sync -1;\n"
        "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r9}, [%r8];\n"
        "setp.ne.u32 %p1, %r9, %r6; @%p1 mov.u32 %r6, 0; st.global.u32 [%d3], %r6;",
        1, 32, 1, right_moved);
  finds(".shared .align 16 .b8 tile[128];",
        "and.b32 %r7, %r0, 7; shl.b32 %r7, %r7, 4; mov.u32 %r8, tile; add.u32 %r8, %r8, %r7;\n"
        "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r8], {%r0};\n"
        "ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%r9}, [%r8];\n"
        "add.u32 %r8, %r8, 8; ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r9}, [%r8];",
        1, 32, 1, FINDING_MISALIGNED, "");
  clean(".shared .align 32 .b8 tile[512];",
        "mul.lo.u32 %r1, %r0, 16; mov.u32 %r2, tile; add.u32 %r2, %r2, %r1;\n"
        "mov.u32 %r3, 0x3c003c00; st.shared.v4.u32 [%r2], {%r3,%r3,%r3,%r3}; bar.sync 0;\n"
        "mov.u32 %r4, 16; mov.u64 %d4, tile; cvta.shared.u64 %d4, %d4; mov.f32 %f0, 0f00000000;\n"
        "wmma.load.a.sync.aligned.row.m16n16k16.f16 {%r10,%r11,%r12,%r13,%r14,%r15,%r16,%r17}, "
        "[%d4], "
        "%r4;\n"
        "wmma.load.b.sync.aligned.col.m16n16k16.shared.f16 "
        "{%r20,%r21,%r22,%r23,%r24,%r25,%r26,%r27}, [tile], %r4;\n"
        "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8}, "
        "{%r10,%r11,%r12,%r13,%r14,%r15,%r16,%r17}, {%r20,%r21,%r22,%r23,%r24,%r25,%r26,%r27}, "
        "{%f0,%f0,%f0,%f0,%f0,%f0,%f0,%f0};\n"
        "wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%d1], "
        "{%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8}, %r4;",
        1, 32, 1, right_wmma);
}

/* D = ones (64 x 16, registers) * ones (16 x 8, unswizzled). */
#define WGMMA_ONES(fence, wait)                                                                    \
  "mov.u32 %r3, 0x3c003c00; setp.gt.u32 %p1, %r0, 63; shl.b32 %r1, %r0, 2; mov.u32 %r2, tile;\n"   \
  "add.u32 %r1, %r1, %r2; @!%p1 st.shared.u32 [%r1], %r3; fence.proxy.async; bar.sync 0;\n"        \
  "and.b32 %r4, %r2, 0x3ffff; shr.u32 %r4, %r4, 4; cvt.u64.u32 %d4, %r4;\n"                        \
  "or.b64 %d4, %d4, 0x800080000; setp.eq.u32 %p2, 0, 0;\n" fence                                   \
  "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1,%f2,%f3,%f4}, {%r3,%r3,%r3,%r3}, %d4, "  \
  "%p3, 1, 1, 0;\nwgmma.commit_group.sync.aligned;\n" wait                                         \
  "add.f32 %f5, %f1, 0f00000000; st.global.f32 [%d3], %f5;"

static void test_wgmma(void **state) {
  (void)state;
  /* LBO 128 (between the two units of a column), SBO 0; scale of D is false. */
  const char *vars = ".shared .align 128 .b8 tile[256];";
  clean(vars,
        "setp.ne.u32 %p3, 0, 0;\n" WGMMA_ONES("wgmma.fence.sync.aligned;\n",
                                              "wgmma.wait_group.sync.aligned 0;\n"),
        1, 128, 1, right_ones);
  finds(vars, "setp.ne.u32 %p3, 0, 0;\n" WGMMA_ONES("wgmma.fence.sync.aligned;\n", ""), 1, 128, 1,
        FINDING_MISSING_WAIT, "register of a wgmma");
  finds(vars, "setp.ne.u32 %p3, 0, 0;\n" WGMMA_ONES("", "wgmma.wait_group.sync.aligned 0;\n"), 1,
        128, 1, FINDING_MISSING_FENCE, "wgmma.fence");
  finds(vars,
        "setp.ne.u32 %p3, 0, 0;\n" WGMMA_ONES("wgmma.fence.sync.aligned; mov.b32 %r3, 0;\n",
                                              "wgmma.wait_group.sync.aligned 0;\n"),
        1, 128, 1, FINDING_MISSING_FENCE, "wgmma.fence");
  finds(
      vars,
      "setp.ne.u32 %p3, 0, 0;\n" WGMMA_ONES("wgmma.fence.sync.aligned; or.b64 %d4, %d4, 0x3fff;\n",
                                            "wgmma.wait_group.sync.aligned 0;\n"),
      1, 128, 1, FINDING_OUT_OF_BOUNDS, "descriptor of B");
  finds(
      vars,
      "setp.ne.u32 %p3, 0, 0;\n" WGMMA_ONES("wgmma.fence.sync.aligned; or.b64 %d4, %d4, 0x8000;\n",
                                            "wgmma.wait_group.sync.aligned 0;\n"),
      1, 128, 1, FINDING_ILLEGAL, "must be zero");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_mbarrier),     cmocka_unit_test(test_cp_async),
      cmocka_unit_test(test_bulk),         cmocka_unit_test(test_clusters),
      cmocka_unit_test(test_async_stores), cmocka_unit_test(test_tensor_maps),
      cmocka_unit_test(test_matrices),     cmocka_unit_test(test_wgmma),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
