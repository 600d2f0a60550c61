/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The machine of the PTX emulator: divergence, warps, barriers, clusters, memory, calls, faults, in
 * every schedule.
 */
#include <sys/resource.h>

#include "ptx_run.h"

#define HEAD ".version 8.3\n.target sm_90a\n.address_size 64\n"
/* Registers, %in and %out, %n = %tid.x, %o = out + 4 * tid. */
#define BODY                                                                                       \
  "{\n.reg .b64 %in, %out, %o, %d<8>;\n.reg .b32 %n, %r<16>;\n.reg .b16 %h<4>;\n"                  \
  ".reg .pred %p<8>;\n.reg .f32 %f<4>;\n"                                                          \
  "ld.param.u64 %in, [in];\nld.param.u64 %out, [out];\nmov.u32 %n, %tid.x;\n"                      \
  "mad.wide.u32 %o, %n, 4, %out;\n"
#define KERNEL HEAD ".visible .entry k(.param .u64 in, .param .u64 out)\n" BODY
#define END    "st.global.u32 [%o], %r0;\nret;\n}\n"

enum { WORDS = 4096 };
static uint32_t in[WORDS], out[WORDS];

static const struct {
  const char *name;
  emu_schedule schedule;
  uint64_t seed;
} schedules[] = {{"rr", EMU_RR, 0},
                 {"random:1", EMU_RANDOM, 1},
                 {"random:2", EMU_RANDOM, 2},
                 {"adversarial", EMU_ADVERSARIAL, 0}};

static ptx_world world;

static tsr_status run_once(const char *text, emu_launch_options o) {
  ptx_world_open(&world);
  ptx_load(&world, text);
  memset(out, 0, sizeof out);
  uint64_t p[2] = {emu_alloc(world.device, sizeof in, in),
                   emu_alloc(world.device, sizeof out, out)};
  return ptx_launch(&world, "k", p, o);
}

typedef uint32_t (*expectation)(uint32_t thread);

/* In the first n schedules, thread t of the block leaves expected(t) in out[t]. */
static void check_some(size_t n, const char *text, emu_launch_options o, expectation expected) {
  for (size_t s = 0; s < n; s++) {
    o.schedule = schedules[s].schedule;
    o.seed = schedules[s].seed;
    tsr_status status = run_once(text, o);
    if (status != TSR_OK) fail_msg("%s: %s", schedules[s].name, world.fault.message);
    for (uint32_t t = 0; t < MAX(o.block[0], 1u); t++)
      if (out[t] != expected(t))
        fail_msg("%s, thread %u: expected 0x%x, found 0x%x", schedules[s].name, t, expected(t),
                 out[t]);
    ptx_world_close(&world);
  }
}
static void check(const char *text, emu_launch_options o, expectation expected) {
  check_some(ARRAY_LEN(schedules), text, o, expected);
}
#define THREADS(n) ((emu_launch_options){.block = {n, 1, 1}})

/* ---- divergence ----------------------------------------------------------------------------- */

static uint32_t collatz(uint32_t t) {
  uint32_t n = t + 1, steps = 0;
  for (; n != 1; steps++) n = n & 1 ? 3 * n + 1 : n / 2;
  return steps;
}
static void loops_of_different_length(void **state) {
  (void)state;
  check(KERNEL "add.u32 %r1, %n, 1;\nmov.u32 %r0, 0;\n"
               "loop: setp.eq.u32 %p0, %r1, 1;\n@%p0 bra done;\nadd.u32 %r0, %r0, 1;\n"
               "and.b32 %r2, %r1, 1;\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bra even;\n"
               "mad.lo.u32 %r1, %r1, 3, 1;\nbra.uni loop;\n"
               "even: shr.u32 %r1, %r1, 1;\nbra loop;\ndone:\n" END,
        THREADS(256), collatz);
}

static uint32_t all_lanes(uint32_t t) {
  (void)t;
  return 0xffffffff;
}
static void lanes_come_together_again(void **state) {
  (void)state; /* which only the ordinary schedule promises */
  check_some(1,
             KERNEL "and.b32 %r1, %n, 3;\nsetp.eq.u32 %p0, %r1, 0;\n@%p0 bra a;\n"
                    "setp.eq.u32 %p0, %r1, 1;\n@%p0 bra b;\nadd.u32 %r2, %r1, 1;\nbra c;\n"
                    "a: add.u32 %r2, %r1, 7;\nbra c;\nb: add.u32 %r2, %r1, 9;\n"
                    "c: activemask.b32 %r0;\n" END,
             THREADS(64), all_lanes);
}

static uint32_t case_of(uint32_t t) {
  return 10 + (t & 3) * (t & 3);
}
static void branches_by_index(void **state) {
  (void)state;
  check(KERNEL "and.b32 %r1, %n, 3;\nt: .branchtargets c0, c1, c2, c3;\nbrx.idx %r1, t;\n"
               "c3: mov.u32 %r0, 19;\nbra e;\nc1: mov.u32 %r0, 11;\nbra e;\n"
               "c0: mov.u32 %r0, 10;\nbra e;\nc2: mov.u32 %r0, 14;\ne:\n" END,
        THREADS(96), case_of);
}

/* Lanes of one warp take a lock in turn: needs that the holder gets on while others spin. */
static uint32_t locked_count(uint32_t t) {
  return t == 0 ? 64 : 0;
}
static void a_spin_lock_within_a_warp(void **state) {
  (void)state;
  memset(in, 0, sizeof in);
  check(KERNEL "spin: atom.global.cas.b32 %r1, [%out+8192], 0, 1;\nsetp.ne.u32 %p0, %r1, 0;\n"
               "@%p0 bra spin;\n"
               "ld.global.u32 %r2, [%out];\nadd.u32 %r2, %r2, 1;\nst.global.u32 [%out], %r2;\n"
               "membar.gl;\natom.global.exch.b32 %r1, [%out+8192], 0;\nret;\n}\n",
        THREADS(64), locked_count);
}

/* ---- lanes of a warp ------------------------------------------------------------------------ */

static uint32_t butterfly(uint32_t t) {
  return 3 * (t ^ 5) + 1000 * 1;
}
static uint32_t shifted_up(uint32_t t) {
  return (t & 7) >= 3 ? 3 * (t - 3) + 1000 : 3 * t;
}
static uint32_t from_lane_2_of_8(uint32_t t) {
  return 3 * ((t & ~7u) | 2) + 1000;
}
#define SHUFFLE(how)                                                                               \
  KERNEL "mul.lo.u32 %r1, %n, 3;\nshfl.sync." how ", 0xffffffff;\n"                                \
         "selp.u32 %r3, 1000, 0, %p1;\nadd.u32 %r0, %r2, %r3;\n" END
static void shuffles(void **state) {
  (void)state;
  check(SHUFFLE("bfly.b32 %r2|%p1, %r1, 5, 31"), THREADS(64), butterfly);
  check(SHUFFLE("up.b32 %r2|%p1, %r1, 3, 0x1800"), THREADS(32), shifted_up);
  check(SHUFFLE("idx.b32 %r2|%p1, %r1, 2, 0x181f"), THREADS(64), from_lane_2_of_8);
}

static uint32_t from_lane_9(uint32_t t) {
  uint32_t lane = t & 31;
  return lane >= 8 && lane < 16 ? (t & ~31u) + 9 + 50 : t + 7;
}
/* The same instruction at 32 places, a lane at each: they are one all the same. */
static char *at_32_places(const char *one) {
  size_t size = 1 << 14;
  char *text = calloc(1, size);
  size_t n = (size_t)snprintf(text, size, "%sand.b32 %%r1, %%n, 31;\nt: .branchtargets ", KERNEL);
  for (int k = 0; k < 32; k++) n += (size_t)snprintf(text + n, size - n, "%sc%d", k ? ", " : "", k);
  n += (size_t)snprintf(text + n, size - n, ";\nbrx.idx %%r1, t;\n");
  for (int k = 0; k < 32; k++)
    n += (size_t)snprintf(text + n, size - n, "c%d: mad.lo.u32 %%r%d, %%n, 100, %d;\n%s\nbra e;\n",
                          k, 3 + k % 4, k, one);
  for (char *at = text; (at = strstr(at, "%rX")); at += 3) {
    size_t nth = 0; /* which of the places it is, for its own register */
    for (const char *c = text; c < at; c++) nth += strncmp(c, "mad.lo.u32", 10) == 0;
    at[2] = (char)('3' + (nth - 1) % 4);
  }
  snprintf(text + n, size - n, "e:\n%s", END);
  return text;
}
static uint32_t from_beside(uint32_t t) {
  uint32_t from = t ^ 5;
  return from * 100 + (from & 31);
}
static uint32_t evens_by_lane(uint32_t t) {
  (void)t;
  return 0x55555555;
}
static uint32_t alone(uint32_t t) {
  return 1u << (t & 31);
}
static uint32_t sum_of_warp(uint32_t t) {
  uint32_t sum = 0;
  for (uint32_t k = t & ~31u; k < (t | 31) + 1; k++) sum += k * 100 + (k & 31);
  return sum;
}
static uint32_t own_value(uint32_t t) {
  return t;
}
static void lanes_meet_at_different_instructions(void **state) {
  (void)state;
  static const struct {
    const char *one;
    expectation expected;
  } cases[] = {
      {"shfl.sync.bfly.b32 %r0|%p1, %rX, 5, 31, 0xffffffff;", from_beside},
      {"and.b32 %r8, %r1, 1; setp.ne.u32 %p2, %r8, 1;\n"
       "vote.sync.ballot.b32 %r0, %p2, 0xffffffff;",
       evens_by_lane},
      {"match.any.sync.b32 %r0, %rX, 0xffffffff;", alone},
      {"redux.sync.add.u32 %r0, %rX, 0xffffffff;", sum_of_warp},
      {"bar.warp.sync 0xffffffff; mov.u32 %r0, %n;", own_value},
  };
  for (size_t k = 0; k < ARRAY_LEN(cases); k++) {
    char *text = at_32_places(cases[k].one);
    check(text, THREADS(64), cases[k].expected);
    free(text);
  }
  /* Two halves of a mask in different functions, the rest of the warp at neither. */
  check(HEAD ".func (.reg .u32 r) far(.reg .u32 v)\n{ .reg .pred %q;\n"
             "shfl.sync.idx.b32 r|%q, v, 9, 31, 0xff00; ret; }\n"
             ".visible .entry k(.param .u64 in, .param .u64 out)\n" BODY
             "and.b32 %r1, %n, 31; add.u32 %r0, %n, 7; add.u32 %r2, %n, 50;\n"
             "setp.lt.u32 %p0, %r1, 8; @%p0 bra e; setp.gt.u32 %p0, %r1, 15; @%p0 bra e;\n"
             "setp.lt.u32 %p0, %r1, 12; @%p0 bra f;\n"
             "shfl.sync.idx.b32 %r0, %r0, 9, 31, 0xff00; bra e;\n"
             "f: call (%r0), far, (%r2);\ne:\n" END,
        THREADS(64), from_lane_9);
}

static uint32_t vote_result(uint32_t t) {
  bool any = true, all = false, uni = false;
  (void)t;
  return 0xf0f0f0f0u + any + 2 * all + 4 * uni;
}
static void votes(void **state) {
  (void)state;
  check(KERNEL "and.b32 %r1, %n, 4;\nsetp.ne.u32 %p0, %r1, 0;\n"
               "vote.sync.ballot.b32 %r0, %p0, 0xffffffff;\nvote.sync.any.pred %p1, %p0, -1;\n"
               "vote.sync.all.pred %p2, %p0, -1;\nvote.sync.uni.pred %p3, !%p0, -1;\n"
               "selp.u32 %r2, 1, 0, %p1;\nadd.u32 %r0, %r0, %r2;\n"
               "selp.u32 %r2, 2, 0, %p2;\nadd.u32 %r0, %r0, %r2;\n"
               "selp.u32 %r2, 4, 0, %p3;\nadd.u32 %r0, %r0, %r2;\n" END,
        THREADS(64), vote_result);
}

static uint32_t same_mod_5(uint32_t t) {
  uint32_t m = 0;
  for (uint32_t k = 0; k < 32; k++) m |= (uint32_t)(k % 5 == t % 5) << k;
  return m;
}
static uint32_t sum_of_half(uint32_t t) {
  return t % 32 < 16 ? 120 : 376;
}
static uint32_t first_of_group(uint32_t t) {
  return (t & 16) + 100 * ((t & 15) == 0);
}
static void matches_and_reductions(void **state) {
  (void)state;
  check(KERNEL "rem.u32 %r1, %n, 5;\nmatch.any.sync.b32 %r0, %r1, 0xffffffff;\n" END, THREADS(32),
        same_mod_5);
  check(KERNEL "and.b32 %r1, %n, 31;\nand.b32 %r3, %n, 16;\nshl.b32 %r2, 0xffff, %r3;\n"
               "redux.sync.add.u32 %r0, %r1, %r2;\n" END,
        THREADS(64), sum_of_half);
  check(KERNEL "and.b32 %r3, %n, 16;\nshl.b32 %r2, 0xffff, %r3;\nelect.sync %r0|%p0, %r2;\n"
               "selp.u32 %r1, 100, 0, %p0;\nadd.u32 %r0, %r0, %r1;\n" END,
        THREADS(32), first_of_group);
}

/* Lanes that arrive one by one, out of a loop, meet at one shuffle. */
static uint32_t neighbour(uint32_t t) {
  return t ^ 1;
}
static void lanes_wait_for_their_mask(void **state) {
  (void)state;
  check(KERNEL "mov.u32 %r1, %n;\nwait: setp.eq.u32 %p0, %r1, 0;\n@%p0 bra on;\n"
               "sub.u32 %r1, %r1, 1;\nbra wait;\n"
               "on: shfl.sync.bfly.b32 %r0, %n, 1, 31, 0xffffffff;\n" END,
        THREADS(32), neighbour);
}

static uint32_t warp_flag(uint32_t t) {
  return t == 31 ? 0 : t + 101;
}
static void warp_barriers_at_two_places(void **state) {
  (void)state;
  check(KERNEL ".shared .b32 s[33];\nmov.u32 %r5, s;\nmad.lo.u32 %r5, %n, 4, %r5;\n"
               "st.shared.u32 [%r5+4], 0;\n"
               "and.b32 %r1, %n, 1;\nsetp.eq.u32 %p0, %r1, 0;\nadd.u32 %r2, %n, 100;\n"
               "@%p0 bra even;\nst.shared.u32 [%r5], %r2;\nbar.warp.sync 0xffffffff;\nbra both;\n"
               "even: st.shared.u32 [%r5], %r2;\nbar.warp.sync 0xffffffff;\n"
               "both: bar.warp.sync 0xffffffff;\nld.shared.u32 %r0, [%r5+4];\n" END,
        THREADS(32), warp_flag);
}

/* ---- barriers ------------------------------------------------------------------------------- */

static uint32_t reversed(uint32_t t) {
  return 255 - t;
}
static void a_block_exchanges_through_shared_memory(void **state) {
  (void)state;
  check(KERNEL ".shared .align 4 .b8 s[1024];\nmov.u32 %r1, s;\nmad.lo.u32 %r2, %n, 4, %r1;\n"
               "st.shared.u32 [%r2], %n;\nbar.sync 0;\nsub.u32 %r3, 255, %n;\n"
               "mad.lo.u32 %r2, %r3, 4, %r1;\nld.shared.u32 %r0, [%r2];\n" END,
        THREADS(256), reversed);
}

static uint32_t producer_consumer(uint32_t t) {
  return t < 64 ? 0 : t - 64 + 7;
}
static void named_barriers(void **state) {
  (void)state;
  check(KERNEL ".shared .b32 s[64];\nmov.u32 %r1, s;\nsetp.ge.u32 %p0, %n, 64;\n@%p0 bra consume;\n"
               "mad.lo.u32 %r2, %n, 4, %r1;\nadd.u32 %r3, %n, 7;\nst.shared.u32 [%r2], %r3;\n"
               "bar.arrive 3, 128;\nret;\n"
               "consume: bar.sync 3, 128;\nsub.u32 %r3, %n, 64;\nmad.lo.u32 %r2, %r3, 4, %r1;\n"
               "ld.shared.u32 %r0, [%r2];\n" END,
        THREADS(128), producer_consumer);
}

static uint32_t barrier_reductions(uint32_t t) {
  (void)t;
  return 50 + 1000;
}
static void barriers_that_reduce(void **state) {
  (void)state;
  check(KERNEL "setp.lt.u32 %p0, %n, 50;\nbar.red.popc.u32 %r0, 0, %p0;\n"
               "bar.red.or.pred %p1, 0, %p0;\nbar.red.and.pred %p2, 0, %p0;\n"
               "selp.u32 %r1, 1000, 0, %p1;\nadd.u32 %r0, %r0, %r1;\n"
               "selp.u32 %r1, 5000, 0, %p2;\nadd.u32 %r0, %r0, %r1;\n" END,
        THREADS(96), barrier_reductions);
}

static uint32_t threads_that_leave(uint32_t t) {
  return t < 32 ? 0 : 1;
}
static void ended_threads_are_not_waited_for(void **state) {
  (void)state;
  check(KERNEL "setp.lt.u32 %p0, %n, 32;\n@%p0 exit;\nbar.sync 0;\nmov.u32 %r0, 1;\n" END,
        THREADS(128), threads_that_leave);
}

/* ---- clusters and grids --------------------------------------------------------------------- */

static void blocks_of_a_cluster_read_each_other(void **state) {
  (void)state;
  static const char text[] =
      KERNEL ".shared .b32 s[1];\nmov.u32 %r1, %cluster_ctarank;\nadd.u32 %r2, %r1, 40;\n"
             "st.shared.u32 [s], %r2;\nbarrier.cluster.arrive.release.aligned;\n"
             "barrier.cluster.wait.acquire.aligned;\n"
             "xor.b32 %r3, %r1, 1;\nmov.u32 %r4, s;\nmapa.shared::cluster.u32 %r5, %r4, %r3;\n"
             "ld.shared::cluster.u32 %r0, [%r5];\nbarrier.cluster.arrive;\nbarrier.cluster.wait;\n"
             "mov.u32 %r6, %ctaid.x;\nmad.wide.u32 %o, %r6, 4, %out;\n" END;
  for (size_t s = 0; s < ARRAY_LEN(schedules); s++) {
    emu_launch_options o = {.grid = {8, 1, 1},
                            .block = {64, 1, 1},
                            .cluster = {4, 1, 1},
                            .schedule = schedules[s].schedule};
    assert_int_equal(run_once(text, o), TSR_OK);
    for (uint32_t b = 0; b < 8; b++) assert_int_equal(out[b], 40 + ((b & 3) ^ 1));
    ptx_world_close(&world);
  }
}

/* Every block waits for all others: none of the card's blocks may be left out. */
static void blocks_wait_for_each_other(void **state) {
  (void)state;
  static const char text[] = KERNEL
      "mov.u32 %r1, %ctaid.x;\natom.global.add.u32 %r2, [%out], 1;\n"
      "wait: ld.acquire.gpu.global.u32 %r3, [%out];\nsetp.lt.u32 %p0, %r3, 100;\n"
      "@%p0 bra wait;\nmad.wide.u32 %o, %r1, 4, %out;\nst.global.u32 [%o+4], %r1;\nret;\n}\n";
  for (size_t s = 0; s < ARRAY_LEN(schedules); s++) {
    emu_launch_options o = {
        .grid = {100, 1, 1}, .schedule = schedules[s].schedule, .cooperative = true};
    assert_int_equal(run_once(text, o), TSR_OK);
    for (uint32_t b = 0; b < 100; b++) assert_int_equal(out[b + 1], b);
    ptx_world_close(&world);
  }
}

static void grids_of_three_dimensions(void **state) {
  (void)state;
  static const char text[] =
      KERNEL "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ctaid.y;\nmov.u32 %r3, %ctaid.z;\n"
             "mov.u32 %r4, %nctaid.x;\nmov.u32 %r5, %nctaid.y;\n"
             "mad.lo.u32 %r6, %r3, %r5, %r2;\nmad.lo.u32 %r6, %r6, %r4, %r1;\n"
             "mov.u32 %r7, %ntid.x;\nmov.u32 %r8, %ntid.y;\nmul.lo.u32 %r9, %r7, %r8;\n"
             "mov.u32 %r10, %tid.y;\nmad.lo.u32 %r11, %r10, %r7, %n;\n"
             "mad.lo.u32 %r6, %r6, %r9, %r11;\nmad.wide.u32 %o, %r6, 4, %out;\n"
             "add.u32 %r0, %r6, 1;\n" END;
  assert_int_equal(
      run_once(text, (emu_launch_options){.grid = {3, 4, 5}, .block = {5, 7, 1}, .threads = 2}),
      TSR_OK);
  for (uint32_t k = 0; k < 3 * 4 * 5 * 35; k++) assert_int_equal(out[k], k + 1);
  ptx_world_close(&world);
}

/* ---- memory --------------------------------------------------------------------------------- */

static uint32_t moved(uint32_t t) {
  return 4 * t + 1 + 4 * t + 3;
}
static void vectors_and_spaces(void **state) {
  (void)state;
  for (uint32_t k = 0; k < WORDS; k++) in[k] = k;
  check(KERNEL
        ".local .align 16 .b8 l[32];\n.shared .align 16 .b8 s[1024];\n"
        "mad.wide.u32 %d1, %n, 16, %in;\nld.global.nc.v4.u32 {%r1, %r2, %r3, %r4}, [%d1];\n"
        "mov.u64 %d2, l;\ncvta.local.u64 %d3, %d2;\nst.local.v2.b32 [l+8], {%r2, %r4};\n"
        "ld.u64 %d4, [%d3+8];\n"
        "mov.u64 %d5, s;\nmad.wide.u32 %d5, %n, 8, %d5;\nst.shared.u64 [%d5], %d4;\n"
        "cvta.shared.u64 %d6, %d5;\nld.v2.u32 {%r5, _}, [%d6];\nld.shared.u32 %r6, [%d5+4];\n"
        "isspacep.shared %p0, %d6;\nisspacep.local %p1, %d6;\n"
        "add.u32 %r0, %r5, %r6;\n@!%p0 mov.u32 %r0, 0;\n@%p1 mov.u32 %r0, 0;\n" END,
        THREADS(64), moved);
}

static uint32_t narrow(uint32_t t) {
  return (uint32_t)(int32_t)(int8_t)(t * 3) + (uint8_t)(t * 3);
}
static void narrow_loads_are_extended(void **state) {
  (void)state;
  for (uint32_t k = 0; k < WORDS; k++) in[k] = k * 3;
  check(KERNEL "mad.wide.u32 %d1, %n, 4, %in;\nld.global.s8 %r1, [%d1];\nld.global.u8 %h1, [%d1];\n"
               "cvt.u32.u16 %r2, %h1;\nadd.u32 %r0, %r1, %r2;\n" END,
        THREADS(256), narrow);
}

static uint32_t atomics(uint32_t t) {
  static const uint32_t expected[8] = {
      32 * 31 / 2, 31, 0, 0xffffffff, 32 % 8, 0x3f800000 + (5u << 23), 0x50005000, 77};
  return t < 8 ? expected[t] : 0;
}
static void atomic_operations(void **state) {
  (void)state;
  check(KERNEL "red.global.add.u32 [%out], %n;\natom.global.max.s32 %r1, [%out+4], %n;\n"
               "atom.global.and.b32 _, [%out+8], %n;\nshl.b32 %r2, 1, %n;\n"
               "red.global.or.b32 [%out+12], %r2;\natom.global.inc.u32 %r3, [%out+16], 7;\n"
               "mov.f32 %f0, 0f3F800000;\nred.relaxed.gpu.global.add.f32 [%out+20], %f0;\n"
               "red.global.add.noftz.f16x2 [%out+24], 0x3c003c00;\n"
               "atom.global.cas.b32 %r4, [%out+28], 0, 77;\nret;\n}\n",
        THREADS(32), atomics);
}

static uint32_t constants(uint32_t t) {
  return (t % 4 + 1) * 11 + 5 + 9;
}
static void constants_globals_and_addresses(void **state) {
  (void)state;
  static const char text[] =
      HEAD ".const .align 4 .u32 table[4] = {11, 22, 33, 44};\n.global .u32 five = 5;\n"
           ".global .u64 pointer = generic(nine);\n"
           ".visible .entry k(.param .u64 in, .param .u64 out)\n" BODY
           "and.b32 %r1, %n, 3;\nmov.u64 %d0, table;\nmad.wide.u32 %d0, %r1, 4, %d0;\n"
           "ld.const.u32 %r0, [%d0];\nld.global.u32 %r2, [five];\nadd.u32 %r0, %r0, %r2;\n"
           "ld.global.u64 %d1, [pointer];\nld.u32 %r2, [%d1];\nadd.u32 %r0, %r0, %r2;\n" END;
  /* A pointer to what stands after it is an error; before it, it works. */
  ptx_world_open(&world);
  assert_null(ptx_parse(world.ctx, "test.ptx", str_of(text)));
  assert_non_null(strstr(world.messages, "'nine' is no variable or function declared before"));
  ptx_world_close(&world);
  char good[4096] = HEAD ".global .u32 nine = 9;\n";
  strcat(good, text + strlen(HEAD));
  check(good, THREADS(64), constants);
}

/* ---- calls ---------------------------------------------------------------------------------- */

static uint32_t factorial(uint32_t t) {
  uint32_t r = 1;
  for (uint32_t k = 2; k <= (t & 7); k++) r *= k;
  return r;
}
#define FACTORIAL                                                                                  \
  ".func (.param .b32 r) f(.param .b32 n)\n{\n.reg .b32 %a<4>;\n.reg .pred %q;\n"                  \
  "ld.param.b32 %a0, [n];\nsetp.lt.u32 %q, %a0, 2;\nmov.u32 %a2, 1;\n@%q bra end;\n"               \
  "{\n.param .b32 x;\n.param .b32 y;\nsub.u32 %a1, %a0, 1;\nst.param.b32 [x], %a1;\n"              \
  "call.uni (y), f, (x);\nld.param.b32 %a2, [y];\n}\nmul.lo.u32 %a2, %a2, %a0;\n"                  \
  "end: st.param.b32 [r], %a2;\nret;\n}\n"
static void recursion_in_divergent_lanes(void **state) {
  (void)state;
  check(HEAD FACTORIAL ".visible .entry k(.param .u64 in, .param .u64 out)\n" BODY
                       "{\n.param .b32 x;\n.param .b32 y;\nand.b32 %r1, %n, 7;\n"
                       "st.param.b32 [x], %r1;\ncall (y), f, (x);\nld.param.b32 %r0, [y];\n}\n" END,
        THREADS(64), factorial);
}

static uint32_t indirect(uint32_t t) {
  return t & 1 ? t * 2 : t + 1000;
}
static void indirect_calls(void **state) {
  (void)state;
  check(HEAD
        ".func (.reg .b32 r) twice(.reg .b32 a)\n{\nshl.b32 r, a, 1;\nret;\n}\n"
        ".func (.reg .b32 r) more(.reg .b32 a)\n{\nadd.u32 r, a, 1000;\nret;\n}\n"
        ".visible .entry k(.param .u64 in, .param .u64 out)\n" BODY
        "p: .callprototype (.reg .b32 _) _ (.reg .b32 _);\n"
        "and.b32 %r1, %n, 1;\nsetp.ne.u32 %p0, %r1, 0;\nmov.u64 %d0, twice;\nmov.u64 %d1, more;\n"
        "selp.b64 %d2, %d0, %d1, %p0;\ncall (%r0), %d2, (%n), p;\n" END,
        THREADS(64), indirect);
}

static uint32_t local_sum(uint32_t t) {
  return 3 * t + 3;
}
static void local_memory_of_nested_frames(void **state) {
  (void)state;
  check(HEAD
        ".func (.reg .b32 r) g(.reg .b64 p, .reg .b32 a)\n{\n.local .b32 own[4];\n"
        ".reg .b32 %x, %y;\nst.local.u32 [own+4], a;\nld.u32 %x, [p];\n"
        "ld.local.u32 %y, [own+4];\nadd.u32 r, %x, %y;\nret;\n}\n"
        ".visible .entry k(.param .u64 in, .param .u64 out)\n" BODY
        ".local .b32 mine[4];\nmov.u64 %d0, mine;\ncvta.local.u64 %d0, %d0;\n"
        "mad.lo.u32 %r1, %n, 2, 3;\nst.local.u32 [mine], %r1;\ncall (%r0), g, (%d0, %n);\n" END,
        THREADS(32), local_sum);
}

/* Each depth of a recursion has a piece of the stack of its own, of a size of its own. */
static uint32_t stack_sum(uint32_t t) {
  uint32_t sum = 0;
  for (uint32_t depth = t & 7; depth > 0; depth--) sum = sum * 3 + depth * 1000 + depth + t;
  return sum;
}
static void stacks_that_grow(void **state) {
  (void)state;
  check(HEAD ".func (.reg .u32 r) deep(.reg .u32 depth, .reg .u32 t)\n{\n"
             ".reg .u64 %p, %s, %q, %t; .reg .u32 %v, %w, %below; .reg .pred %z;\n"
             "mov.u32 r, 0; setp.eq.u32 %z, depth, 0; @%z ret;\n"
             "mul.wide.u32 %s, depth, 1000; alloca.u64 %p, %s, 16;\n"
             "cvta.local.u64 %q, %p; mul.wide.u32 %s, depth, 1000; add.u64 %q, %q, %s;\n"
             "add.u32 %v, depth, t; st.u32 [%q+-4], %v; st.local.u32 [%p], depth;\n"
             "stacksave.u64 %s; alloca.u64 %t, 3; stackrestore.u64 %s;\n"
             "sub.u32 %w, depth, 1; call (%below), deep, (%w, t);\n"
             "ld.u32 %v, [%q+-4]; mad.lo.u32 r, depth, 1000, %v;\n"
             "mad.lo.u32 r, %below, 0, r; st.local.u32 [%p], r; ret;\n}\n"
             ".visible .entry k(.param .u64 in, .param .u64 out)\n" BODY
             "and.b32 %r1, %n, 7; mov.u32 %r0, 0;\n"
             "l: setp.eq.u32 %p1, %r1, 0; @%p1 bra e; mul.lo.u32 %r0, %r0, 3;\n"
             "call (%r2), deep, (%r1, %n); add.u32 %r0, %r0, %r2; sub.u32 %r1, %r1, 1; bra l;\n"
             "e:\n" END,
        THREADS(64), stack_sum);
}

static void printing_and_memory(void **state) {
  (void)state;
  static const char text[] = HEAD
      ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
      ".extern .func (.param .b64 r) malloc(.param .b64 n);\n"
      ".extern .func free(.param .b64 p);\n"
      ".global .align 1 .b8 fmt[30] = {105, 61, 37, 100, 32, 120, 61, 37, 46, 50, 102, 10};\n"
      ".visible .entry k(.param .u64 in, .param .u64 out)\n" BODY
      ".local .align 8 .b8 a[16];\nst.local.u32 [a], 42;\nst.local.f64 [a+8], 0d3FF8000000000000;\n"
      "{\n.param .b64 f;\n.param .b64 p;\n.param .b32 r;\nmov.u64 %d0, fmt;\ncvta.global.u64 %d0, "
      "%d0;\n"
      "mov.u64 %d1, a;\ncvta.local.u64 %d1, %d1;\nst.param.b64 [f], %d0;\nst.param.b64 [p], %d1;\n"
      "call.uni (r), vprintf, (f, p);\nld.param.b32 %r0, [r];\n}\n"
      "{\n.param .b64 n;\n.param .b64 r;\nst.param.b64 [n], 64;\ncall (r), malloc, (n);\n"
      "ld.param.b64 %d2, [r];\n}\nst.u32 [%d2+60], 7;\n"
      "{\n.param .b64 p;\nst.param.b64 [p], %d2;\ncall free, (p);\n}\n" END;
  assert_int_equal(run_once(text, THREADS(1)), TSR_OK);
  assert_string_equal(world.output, "i=42 x=1.50\n");
  assert_int_equal(out[0], 2);
  ptx_world_close(&world);
}

/* ---- faults --------------------------------------------------------------------------------- */

static void expect_fault(const char *body, emu_launch_options o, emu_fault_kind kind,
                         const char *message) {
  char text[4096];
  snprintf(text, sizeof text, "%s%s\nret;\n}\n", KERNEL, body);
  assert_int_equal(run_once(text, o), TSR_ERROR_TRAP);
  if (!strstr(world.fault.message, message))
    fail_msg("expected '%s', found '%s'", message, world.fault.message);
  assert_int_equal(world.fault.kind, kind);
  ptx_world_close(&world);
}

static void faults(void **state) {
  (void)state;
  emu_launch_options o = THREADS(64);
  expect_fault("trap;", o, EMU_FAULT_TRAP, "gives up");
  expect_fault("ld.global.u32 %r0, [%in+16384];", o, EMU_FAULT_BOUNDS,
               "16384 bytes behind the begin of a buffer, which has 16384 bytes");
  expect_fault("ld.global.u64 %d0, [%in+16380];", o, EMU_FAULT_ALIGN, "no multiple of 8");
  expect_fault("ld.u32 %r0, [16];", o, EMU_FAULT_BOUNDS, "where nothing is allocated");
  expect_fault(".shared .b32 s[4];\nst.shared.u32 [s+16], %n;", o, EMU_FAULT_BOUNDS,
               "outside of the block's 16 bytes of shared memory");
  expect_fault(".local .b32 l[4];\nst.local.u32 [l+16], %n;", o, EMU_FAULT_BOUNDS,
               "outside of the thread's local variables");
  expect_fault("mov.b64 %d0, in;\ncvta.param.u64 %d0, %d0;\nst.u32 [%d0], %n;", o,
               EMU_FAULT_READ_ONLY, "the kernel's parameters");
  expect_fault("setp.lt.u32 %p0, %n, 32;\n@%p0 bar.sync 1;\n@!%p0 bar.sync 2;", o,
               EMU_FAULT_DEADLOCK, "waits at a barrier that not all reach");
  expect_fault("setp.lt.u32 %p0, %n, 32;\n@%p0 bar.sync 1, 64;\n@!%p0 bar.sync 1, 96;", o,
               EMU_FAULT_BARRIER, "while others expect");
  expect_fault("bar.sync 17;", o, EMU_FAULT_BARRIER, "barriers 0 to 15");
  expect_fault("setp.lt.u32 %p0, %n, 8;\n@%p0 shfl.sync.idx.b32 %r0, %n, 0, 31, 0xffff;\n"
               "bar.warp.sync -1;",
               THREADS(32), EMU_FAULT_DEADLOCK, "lanes of its mask that never come");
  expect_fault("vote.sync.all.pred %p0, %p0, 0xff;", o, EMU_FAULT_BARRIER, "isn't in its own mask");
  expect_fault("loop: bra loop;", (emu_launch_options){.block = {1, 1, 1}, .max_steps = 10000},
               EMU_FAULT_DEADLOCK, "the limit of this launch");
  expect_fault("p: .callprototype _ ();\nmov.u64 %d0, 64;\ncall %d0, p;", o, EMU_FAULT_CALL,
               "which is no function");
}

static void wrong_launches(void **state) {
  (void)state;
  static const struct {
    emu_launch_options o;
    const char *message;
  } calls[] = {
      {{.block = {1025, 1, 1}}, "a block has 1 to 1024 threads along x"},
      {{.block = {512, 4, 1}}, "a block has at most 1024 threads, not 2048"},
      {{.grid = {1, 70000, 1}}, "a grid has 1 to 65535 blocks along y"},
      {{.grid = {6, 1, 1}, .cluster = {4, 1, 1}}, "no multiple of the cluster's 4"},
      {{.grid = {32, 1, 1}, .cluster = {32, 1, 1}}, "a cluster has at most 16 blocks"},
      {{.dynamic_shared = 300000}, "needs 300000 bytes of shared memory"},
      {{.grid = {1 << 20, 1, 1}, .cooperative = true}, "does not fit the card"},
  };
  for (size_t k = 0; k < ARRAY_LEN(calls); k++) {
    assert_int_equal(run_once(KERNEL "ret;\n}\n", calls[k].o), TSR_ERROR_USAGE);
    if (!strstr(world.messages, calls[k].message))
      fail_msg("%s: %s", calls[k].message, world.messages);
    ptx_world_close(&world);
  }
}

/* One register in braces, as Triton writes each access, and mov of the whole of a register. */
static uint32_t braces(uint32_t t) {
  return 3 * t + 5 + (t << 16);
}
static void one_register_in_braces(void **state) {
  (void)state;
  for (uint32_t i = 0; i < WORDS; i++) in[i] = 3 * i;
  check(HEAD ".visible .entry k(.param .u64 in, .param .u64 out)\n" BODY
             ".shared .align 16 .b8 s[256];\nmad.wide.u32 %d1, %n, 4, %in;\n"
             "ld.global.b32 { %r1 }, [ %d1 + 0 ];\nmov.b32 {%r2}, %r1;\nmov.b32 %r3, {%r2};\n"
             "shl.b32 %r4, %n, 2; mov.u32 %r5, s; add.u32 %r4, %r4, %r5;\n"
             "st.shared.b32 [%r4], {%r3}; ld.shared.b32 {%r6}, [%r4];\n"
             "st.global.u16 [%o], {5}; ld.global.u16 {%h1}, [%o]; cvt.u32.u16 %r7, %h1;\n"
             "add.u32 %r6, %r6, %r7; shl.b32 %r8, %n, 16; add.u32 %r0, %r6, %r8;\n"
             "st.global.b32 [%o], {%r0};\nret;\n}\n",
        THREADS(64), braces);
}

/* a<2> declares a0 and a1, and not a; names of scopes hide those of outer ones each on its own. */
static uint32_t families(uint32_t t) {
  return t + 10 + 200 + 3000;
}
static void families_of_registers(void **state) {
  (void)state;
  check(KERNEL ".reg .b32 a, b1; .reg .b16 a<2>; .reg .b32 b<1>;\n"
               "mov.u32 a, %n; mov.b16 a0, 1; mov.b16 a1, 2; mov.u32 b1, 10; mov.u32 b0, 200;\n"
               "{ .reg .b32 a<2>, b; mov.u32 a00, 1000; mov.u32 a1, 2000; add.u32 b, a0, a01;\n"
               "add.u32 b0, b0, b; }\n"
               "add.u32 %r0, a, b1; add.u32 %r0, %r0, b0;\n" END,
        THREADS(32), families);
}

/* What cooperative groups keep in memory of their own: it is the block's, begins as zeros, and
 * meets nothing that the kernel declares. */
#define RESERVED                                                                                   \
  HEAD ".extern .shared .align 16 .b8 dyn[];\n"                                                    \
       ".visible .entry k(.param .u64 in, .param .u64 out)\n" BODY                                 \
       ".shared .b32 own[64];\nshl.b32 %r9, %n, 2; mov.u32 %r1, own; add.u32 %r1, %r1, %r9;\n"     \
       "mov.u32 %r2, dyn; add.u32 %r2, %r2, %r9; mov.u32 %r3, %reserved_smem_offset_1;\n"          \
       "add.u32 %r3, %r3, %r9;\n"
static uint32_t reserved(uint32_t t) {
  return 111 * (63 - t);
}
static void reserved_shared_memory(void **state) {
  (void)state;
  check(RESERVED "ld.shared.u32 %r4, [%r3]; add.u32 %r4, %r4, %n; st.shared.u32 [%r3], %r4;\n"
                 "mul.lo.u32 %r5, %n, 10; st.shared.u32 [%r1], %r5;\n"
                 "mul.lo.u32 %r5, %n, 100; st.shared.u32 [%r2], %r5; bar.sync 0;\n"
                 "sub.u32 %r9, 252, %r9; mov.u32 %r1, own; add.u32 %r1, %r1, %r9;\n"
                 "mov.u32 %r2, dyn; add.u32 %r2, %r2, %r9;\n"
                 "mov.u32 %r3, %reserved_smem_offset_1; add.u32 %r3, %r3, %r9;\n"
                 "ld.shared.u32 %r4, [%r1]; ld.shared.u32 %r5, [%r2]; ld.shared.u32 %r6, [%r3];\n"
                 "add.u32 %r0, %r4, %r5; add.u32 %r0, %r0, %r6;\n" END,
        (emu_launch_options){.block = {64, 1, 1}, .dynamic_shared = 256}, reserved);
  emu_launch_options o = {.block = {1, 1, 1}, .dynamic_shared = 256};
  assert_int_equal(run_once(RESERVED "ld.shared.u32 %r0, [%r2+256];\n" END, o), TSR_ERROR_TRAP);
  assert_non_null(strstr(world.fault.message, "outside of the block's 512 bytes"));
  ptx_world_close(&world);
  assert_int_equal(run_once(RESERVED "ld.shared.u32 %r0, [%r3+512];\n" END, o), TSR_ERROR_TRAP);
  ptx_world_close(&world);
}

/* ---- memory that is declared and memory that is used ----------------------------------------- */

static long peak_kilobytes(void) {
  struct rusage use;
  getrusage(RUSAGE_SELF, &use);
  return use.ru_maxrss;
}

/* 40 GiB of variables, 128 MiB of local memory in each warp: only what is stored takes memory. */
static void memory_is_taken_where_it_is_used(void **state) {
  (void)state;
  static const char text[] =
      HEAD ".global .b8 a[17179869184];\n.const .b8 c[8589934592] = {1, 2, 3};\n"
           ".global .b32 g[2][2][1073741824] = {7};\n.shared .b8 s[100000];\n"
           ".visible .entry k(.param .u64 in, .param .u64 out)\n" BODY
           ".local .align 8 .b8 l[4194304];\n"
           "mov.u64 %d0, g;\nadd.u64 %d1, %d0, 17179869180;\nst.global.u32 [%d1], %n;\n"
           "bar.sync 0;\nld.global.u32 %r1, [%d0];\nld.const.u8 %r2, [c+2];\n"
           "mov.u64 %d2, l;\nst.local.u32 [%d2+4194300], %n;\nld.local.u32 %r3, [%d2+4194300];\n"
           "ld.local.u32 %r4, [%d2];\nadd.u32 %r0, %r1, %r2;\nadd.u32 %r0, %r0, %r3;\n"
           "add.u32 %r0, %r0, %r4;\n" END;
  long before = peak_kilobytes();
  assert_int_equal(run_once(text, THREADS(64)), TSR_OK);
  for (uint32_t t = 0; t < 64; t++) assert_int_equal(out[t], 7 + 3 + t);
  ptx_world_close(&world);
  assert_true(peak_kilobytes() - before < 128 << 10);
}

static uint32_t thread_itself(uint32_t t) {
  return t;
}

/* A frame is used again with zeroes in it, however large it is. */
static void large_frames_begin_with_zeroes(void **state) {
  (void)state;
  check(HEAD ".func (.reg .u32 %y) f(.reg .u32 %x)\n{\n.local .b8 l[65536];\n.reg .b64 %a;\n"
             ".reg .b32 %b;\nmov.u64 %a, l;\nld.local.u32 %b, [%a+65532];\n"
             "add.u32 %y, %x, %b;\nst.local.u32 [%a+65532], 100;\nret;\n}\n"
             ".visible .entry k(.param .u64 in, .param .u64 out)\n" BODY
             "call (%r1), f, (%n);\ncall (%r0), f, (%r1);\n" END,
        THREADS(64), thread_itself);
}

static void variables_that_do_not_fit(void **state) {
  (void)state;
  static const struct {
    const char *text, *message;
  } cases[] = {
      {".global .b8 g[85899345921];\n",
       "4:13: 'g' has 85899345921 bytes and the variables before it 0; an sm_90a has 85899345920 "
       "bytes of memory\n"},
      {".global .b8 a[85899345900];\n.const .v4 .b32 b[2];\n",
       "5:17: 'b' has 32 bytes and the variables before it 85899345900; an sm_90a has 85899345920 "
       "bytes of memory\n"},
  };
  for (size_t k = 0; k < ARRAY_LEN(cases); k++) {
    char text[256];
    snprintf(text, sizeof text, HEAD "%s", cases[k].text);
    ptx_world_open(&world);
    world.module = ptx_parse(world.ctx, "test.ptx", str_of(text));
    assert_non_null(world.module);
    world.device = emu_device_create(emu_device_info_for("sm_90a"));
    assert_false(ptx_can_load(world.device, world.module));
    world.image = ptx_image_load(world.device, world.module);
    assert_null(world.image);
    assert_memory_equal(world.messages, cases[k].message, strlen(cases[k].message));
    ptx_world_close(&world);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(loops_of_different_length),
      cmocka_unit_test(lanes_come_together_again),
      cmocka_unit_test(branches_by_index),
      cmocka_unit_test(a_spin_lock_within_a_warp),
      cmocka_unit_test(shuffles),
      cmocka_unit_test(lanes_meet_at_different_instructions),
      cmocka_unit_test(votes),
      cmocka_unit_test(matches_and_reductions),
      cmocka_unit_test(lanes_wait_for_their_mask),
      cmocka_unit_test(warp_barriers_at_two_places),
      cmocka_unit_test(a_block_exchanges_through_shared_memory),
      cmocka_unit_test(named_barriers),
      cmocka_unit_test(barriers_that_reduce),
      cmocka_unit_test(ended_threads_are_not_waited_for),
      cmocka_unit_test(blocks_of_a_cluster_read_each_other),
      cmocka_unit_test(blocks_wait_for_each_other),
      cmocka_unit_test(grids_of_three_dimensions),
      cmocka_unit_test(vectors_and_spaces),
      cmocka_unit_test(narrow_loads_are_extended),
      cmocka_unit_test(atomic_operations),
      cmocka_unit_test(constants_globals_and_addresses),
      cmocka_unit_test(recursion_in_divergent_lanes),
      cmocka_unit_test(indirect_calls),
      cmocka_unit_test(local_memory_of_nested_frames),
      cmocka_unit_test(stacks_that_grow),
      cmocka_unit_test(printing_and_memory),
      cmocka_unit_test(faults),
      cmocka_unit_test(wrong_launches),
      cmocka_unit_test(one_register_in_braces),
      cmocka_unit_test(families_of_registers),
      cmocka_unit_test(reserved_shared_memory),
      cmocka_unit_test(memory_is_taken_where_it_is_used),
      cmocka_unit_test(large_frames_begin_with_zeroes),
      cmocka_unit_test(variables_that_do_not_fit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
