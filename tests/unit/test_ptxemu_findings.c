/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Each kind of finding, from a kernel that has that fault and no other: found under every schedule
 * and every time at which asynchronous operations may complete, and told with the kernel, the line
 * of the source, the block, the warp, the lane, the address and the values.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

#include "checked_run.h"
#include "emu/ptx/isa.h"

/* The statement of interest stands at line 7 of k.cu; the two before it at lines 5 and 6. */
#define HEAD                                                                                       \
  ".version 8.3\n.target sm_90a\n.address_size 64\n"                                               \
  ".extern .func (.param .b64 r) malloc (.param .b64 n);\n"                                        \
  ".extern .func free (.param .b64 p);\n.const .u32 fixed = 5;\n"                                  \
  ".shared .align 16 .b8 s[256];\n"                                                                \
  ".visible .entry k(.param .u64 x)\n{\n.reg .b32 %r<9>; .reg .b64 %d<9>; .reg .pred %p<3>;\n"     \
  ".local .align 16 .b8 l[64];\nld.param.u64 %d1, [x];\nmov.u32 %r1, %tid.x;\n"                    \
  "mov.u32 %r7, %ctaid.x; setp.ne.u32 %p2, %r7, 1; @%p2 exit;\n"                                   \
  "mul.wide.u32 %d2, %r1, 4; add.u64 %d3, %d1, %d2;\n"                                             \
  "shl.b32 %r2, %r1, 2; mov.u32 %r3, s; add.u32 %r2, %r2, %r3;\n"

/* Grids have two blocks, of which the second does something; blocks of 64 threads. The buffer has
 * 256 bytes: word i is 0x1000 + i. */
typedef struct faulty {
  const char *body;
  finding_kind kind;
  const char *says[5]; /* parts of what is told, besides kernel, line and block */
} faulty;

#define LINE(n) ".loc 1 " #n " 3\n"
#define LANE(n) "setp.ne.u32 %p1, %r1, " #n "; @%p1 bra DONE;\n"
#define USE     "st.global.u32 [%d3], %r4;\n"
#define END     "DONE: ret;\n"
#define FIVE(...)                                                                                  \
  { __VA_ARGS__ }

static const faulty faults[] = {
    /* out of bounds, and misaligned, in each space */
    {LANE(35) "mov.u32 %r4, 99;\n" LINE(7) "st.global.u32 [%d1+256], %r4;\n" END,
     FINDING_OUT_OF_BOUNDS,
     FIVE("warp 1 lane 3", "writes 4 bytes at 0x7000", "of global memory, 4 bytes",
          "256 bytes behind the begin of a buffer, which has 256 bytes", "the value is 0x63")},
    {LANE(35) LINE(7) "ld.global.v2.u32 {%r4, %r5}, [%d1+-8];\n" END, FINDING_OUT_OF_BOUNDS,
     FIVE("warp 1 lane 3", "reads 8 bytes at 0x", "of global memory, 8 bytes")},
    {LANE(2) LINE(7) "ld.shared.u32 %r4, [s+256];\n" END, FINDING_OUT_OF_BOUNDS,
     FIVE("warp 0 lane 2", "outside of the block's 256 bytes of shared memory",
          "0x100 of shared memory")},
    {LANE(2) LINE(7) "st.local.u32 [l+64], %r1;\n" END, FINDING_OUT_OF_BOUNDS,
     FIVE("warp 0 lane 2", "outside of the thread's local variables", "0x40 of local memory",
          "the value is 0x2")},
    {LANE(2) "mov.u64 %d4, 0;\n" LINE(7) "ld.u32 %r4, [%d4];\n" END, FINDING_OUT_OF_BOUNDS,
     FIVE("warp 0 lane 2", "reads 4 bytes at 0x0, where nothing is allocated",
          "0x0 of global memory")},
    {LANE(40) LINE(7) "ld.global.u32 %r4, [%d1+6];\n" END, FINDING_MISALIGNED,
     FIVE("warp 1 lane 8", "which is no multiple of 4", "of global memory, 4 bytes")},
    {LANE(1) LINE(7) "st.shared.v4.u32 [s+8], {%r1, %r1, %r1, %r1};\n" END, FINDING_MISALIGNED,
     FIVE("warp 0 lane 1", "writes 16 bytes at 0x8", "multiple of 16", "0x8 of shared memory",
          "the value is 0x1")},
    {LANE(33) "mov.u64 %d4, fixed; cvta.const.u64 %d4, %d4;\n" LINE(7) "st.u32 [%d4], %r1;\n" END,
     FINDING_READ_ONLY,
     FIVE("warp 1 lane 1", "writes to 'fixed', which is .const", "of global memory, 4 bytes",
          "the value is 0x21")},
    /* memory of malloc: after free, and before anything was written */
    {LANE(3) "{ .param .b64 n; .param .b64 r; st.param.b64 [n], 40;\n"
             "call (r), malloc, (n); ld.param.b64 %d5, [r]; }\nst.u32 [%d5+4], %r1;\n"
             "{ .param .b64 p; st.param.b64 [p], %d5; call free, (p); }\n" LINE(
                 7) "ld.u32 %r4, [%d5+4];\n" END,
     FINDING_USE_AFTER_FREE,
     FIVE("warp 0 lane 3", "memory that was freed (offset 4 of 40 bytes)", "of global memory")},
    {LANE(3) "{ .param .b64 n; .param .b64 r; st.param.b64 [n], 40;\n"
             "call (r), malloc, (n); ld.param.b64 %d5, [r]; }\nst.u32 [%d5+4], %r1;\n"
             "ld.u32 %r4, [%d5+4];\n" LINE(7) "ld.u32 %r4, [%d5+8];\n" END,
     FINDING_UNINITIALISED,
     FIVE("warp 0 lane 3", "reads global memory that nothing was written to",
          "of global memory, 4 bytes, which hold 0x0")},
    /* uninitialised shared and local memory, also a part of a vector, also of alloca's */
    {LANE(34) "st.shared.u32 [s], %r1;\n" LINE(7) "ld.shared.v2.u32 {%r4, %r5}, [s];\n" END,
     FINDING_UNINITIALISED,
     FIVE("warp 1 lane 2", "reads shared memory that nothing was written to",
          "0x0 of shared memory, 8 bytes, which hold 0x22")},
    {LANE(34) "st.local.u32 [l+4], %r1; ld.local.u32 %r4, [l+4];\n" LINE(
         7) "ld.local.v2.u32 {%r4, %r5}, [l];\n" USE END,
     FINDING_UNINITIALISED,
     FIVE("warp 1 lane 2", "reads local memory that nothing was written to",
          "0x0 of local memory, 8 bytes, which hold 0x2200000000")},
    {LANE(34) "mov.u64 %d4, l; cvta.local.u64 %d4, %d4; st.u8 [%d4+8], %r1;\n"
              "ld.u8 %r4, [%d4+8];\n" LINE(7) "ld.u32 %r4, [%d4+8];\n" USE END,
     FINDING_UNINITIALISED,
     FIVE("warp 1 lane 2", "reads local memory that", "0x8 of local memory, 4 bytes, which hold")},
    {LANE(34) "alloca.u64 %d4, 64, 16; st.local.u32 [%d4], %r1; ld.local.u32 %r4, [%d4];\n" LINE(
         7) "ld.local.u32 %r4, [%d4+60];\n" USE END,
     FINDING_UNINITIALISED,
     FIVE("warp 1 lane 2", "reads local memory that", "0x8000003c of local memory, 4 bytes")},
    /* ... that decides a branch, is an address, was copied, computed with */
    {LANE(34) LINE(7) "ld.local.u32 %r4, [l];\n" LINE(5) "setp.eq.u32 %p1, %r4, 1; @%p1 bra DONE;\n"
                                                         "st.global.u32 [%d3], %r1;\n" END,
     FINDING_UNINITIALISED, FIVE("reads local memory that", "uses     thread (34,0,0)", "k.cu:5")},
    {LANE(34)
         LINE(7) "ld.local.u32 %r4, [l];\n" LINE(5) "and.b32 %r4, %r4, 4; add.u32 %r4, %r4, %r3;\n"
                                                    "st.shared.u32 [%r4], %r1;\n" END,
     FINDING_UNINITIALISED, FIVE("reads local memory that", "uses     thread (34,0,0)", "k.cu:5")},
    {LANE(34) "ld.local.v2.u32 {%r4, %r5}, [l]; st.local.u32 [l+8], %r1;\n"
              "st.local.v2.u32 [l+16], {%r1, %r5};\n" LINE(7) "ld.local.u32 %r4, [l+20];\n" USE END,
     FINDING_UNINITIALISED, FIVE("reads local memory that", "0x14 of local memory")},
    {LANE(34)
         LINE(7) "ld.local.u32 %r4, [l]; mad.lo.u32 %r4, %r1, 3, %r4; cvt.rn.f32.u32 %r5, %r4;\n"
                 "mov.b64 %d4, {%r1, %r5};\n" LINE(5) "st.global.u64 [%d1], %d4;\n" END,
     FINDING_UNINITIALISED, FIVE("reads local memory that", "st.global.u64 [%d1], %d4")},
    /* a shuffle from lanes that have ended, that are not in the mask, that come from elsewhere */
    {"setp.ge.u32 %p1, %r1, 20; @%p1 bra DONE;\n" LINE(
         7) "shfl.sync.idx.b32 %r4, %r1, 25, 31, -1;\n" LINE(5) "st.global.u32 [%d3], %r4;\n" END,
     FINDING_UNINITIALISED,
     FIVE("takes a value from a lane that does not take part", "shuffles thread (0,0,0)",
          "uses     thread (0,0,0)", "20 times")},
    {LINE(7) "setp.lt.u32 %p1, %r1, 8; @!%p1 bra DONE; shfl.sync.down.b32 %r4|%p1, %r1, 4, 31, "
             "255;\n"
             "add.u32 %r4, %r4, 1; st.global.u32 [%d3], %r4;\n" END,
     FINDING_UNINITIALISED,
     FIVE("takes a value from a lane that does not take part", "warp 0 lane 4", "4 times")},
    {LINE(7) "setp.ge.u32 %p1, %r1, 8; @%p1 bra DONE; setp.lt.u32 %p1, %r1, 4; @%p1 bra LOW;\n"
             "shfl.sync.bfly.b32 %r4, %r1, 8, 31, 255; bra STORE;\n"
             "LOW: shfl.sync.bfly.b32 %r4, %r1, 1, 31, 255; add.u32 %r4, %r4, 1;\n"
             "STORE: st.global.u32 [%d3], %r4;\n" END,
     FINDING_UNINITIALISED,
     FIVE("takes a value from a lane that does not take part", "warp 0 lane 4", "4 times")},
    /* races: within a warp, within the block, an atomic and a plain access */
    {"ld.global.u32 %r4, [%d3];\n" LINE(7) "xor.b32 %r5, %r2, 4; st.shared.u32 [%r2], %r4;\n"
                                           "ld.shared.u32 %r6, [%r5];\n" END,
     FINDING_RACE,
     FIVE("memory that another thread", "writes   thread", "reads    thread",
          "of shared memory, 4 bytes, which hold 0x", "__syncwarp()")},
    {LINE(7) "st.global.u32 [%d1], %r1;\n" END, FINDING_RACE,
     FIVE("writes to memory that another thread writes", "of global memory, 4 bytes, which hold 0x",
          "lanes of one store write different values")},
    {"xor.b32 %r5, %r2, 128; st.shared.u32 [%r2], %r1;\n" LINE(7) "ld.shared.u32 %r6, [%r5];\n" END,
     FINDING_RACE,
     FIVE("memory that another thread", "warp 0 lane", "warp 1 lane", "__syncthreads()")},
    {LINE(7) "red.global.add.u32 [%d1], 1; ld.global.u32 %r4, [%d1];\n" END, FINDING_RACE,
     FIVE("updates  thread", "reads    thread", "of global memory, 4 bytes")},
    /* ... of one value */
    {"mov.u32 %r4, 7;\n" LINE(7) "st.shared.u32 [s], %r4;\n" END, FINDING_SAME_VALUE,
     FIVE("both write the same value", "warp 1 lane 0", "warp 0 lane 0",
          "of shared memory, 4 bytes")},
    {"mov.u32 %r4, 7; mov.u32 %r5, 9;\n" LINE(7) "st.global.v2.u32 [%d1+8], {%r4, %r5};\n" END,
     FINDING_SAME_VALUE, FIVE("both write the same value", "of global memory")},
    {"mov.u32 %r4, 0x707; setp.lt.u32 %p1, %r1, 32; @%p1 bra LOW;\n" LINE(
         7) "st.shared.u8 [s+1], %r4; bra DONE;\n"
            "LOW: st.shared.u16 [s], %r4;\n" END,
     FINDING_SAME_VALUE, FIVE("both write the same value")},
    {"shr.u32 %r4, %r1, 5;\n" LINE(7) "st.shared.u32 [s], %r4;\n" END, FINDING_RACE,
     FIVE("warp 1 lane 0", "warp 0 lane 0", "of shared memory, 4 bytes")},
    /* barriers */
    {"setp.lt.u32 %p1, %r1, 32;\n" LINE(7) "@%p1 bar.sync 1, 64;\n" END, FINDING_DEADLOCK,
     FIVE("waits at a barrier that not all reach", "warp 0")},
    {LINE(7) "setp.eq.u32 %p1, %r1, 3; @%p1 bra L; bar.sync 1, 64; bra DONE;\n"
             "L: bar.warp.sync 0xff;\n" END,
     FINDING_DEADLOCK, FIVE("warp 0")},
    {"setp.lt.u32 %p1, %r1, 32; @%p1 bar.arrive 1, 64;\n" LINE(7) "@%p1 bar.arrive 1, 64;\n" END,
     FINDING_BARRIER, FIVE("warp 0", "arrives at barrier 1 again")},
    /* nothing tells warp 0 that warp 1 has arrived before */
    {"setp.lt.u32 %p1, %r1, 32; @%p1 bar.arrive 1, 64; @!%p1 bar.sync 1, 64;\n" LINE(
         7) "@%p1 bar.arrive 1, 64; @!%p1 bar.sync 1, 64;\n" END,
     FINDING_BARRIER, FIVE("warp 0", "arrives at barrier 1 again")},
    /* a barrier for all that warps meet at two places, or more often than others */
    {"setp.lt.u32 %p1, %r1, 32;\n" LINE(7) "@%p1 bar.sync 0; @!%p1 bar.sync 0;\n" END,
     FINDING_BARRIER,
     FIVE("arrives at a barrier for all threads, of which others arrive elsewhere", "warp 0 lane 0",
          "warp 1 lane 0")},
    {"setp.lt.u32 %p1, %r1, 32;\n" LINE(
         7) "@%p1 barrier.sync.aligned 1; @!%p1 barrier.sync.aligned 1;\n" END,
     FINDING_BARRIER, FIVE("of which others arrive elsewhere")},
    {"setp.lt.u32 %p1, %r1, 32;\n" LINE(7) "@%p1 barrier.sync 0; @!%p1 barrier.sync 0;\n" END,
     FINDING_BARRIER, FIVE("of which others arrive elsewhere")},
    {"mov.u32 %r4, 0; shr.u32 %r5, %r1, 5;\n" LINE(7) "L: bar.sync 0; setp.lt.u32 %p1, %r4, %r5;\n"
                                                      "add.u32 %r4, %r4, 1; @%p1 bra L;\n" END,
     FINDING_BARRIER,
     FIVE("arrives at a barrier again that threads of the block met here and have ended since",
          "warp 1 lane 0")},
    {LANE(3) LINE(7) "bar.sync 0, 33;\n" END, FINDING_BARRIER, FIVE("warp 0", "33")},
    {LANE(3) LINE(7) "bar.warp.sync 0xf0;\n" END, FINDING_BARRIER,
     FIVE("warp 0 lane 3", "the lane isn't in its own mask 0x000000f0")},
    /* what has no meaning, and what gives up */
    {LANE(3) LINE(7) "alloca.u64 %d4, 16, 3;\n" END, FINDING_ILLEGAL,
     FIVE("warp 0 lane 3", "a power of two")},
    {LANE(3) LINE(7) "mov.u64 %d4, 8; stackrestore.u64 %d4;\n" END, FINDING_ILLEGAL,
     FIVE("warp 0 lane 3", "what stacksave gave")},
    {LANE(3) LINE(7) "trap;\n" END, FINDING_TRAP, FIVE("warp 0 lane 3", "was executed")},
};

static _Alignas(256) uint32_t words[64];

static void launch(checked_run *r, const char *body, emu_schedule schedule, emu_async_mode mode) {
  char text[4096];
  snprintf(text, sizeof text, "%s%s}\n.file 1 \"k.cu\"\n", HEAD, body);
  checked_run_open_text(r, text, true);
  for (unsigned k = 0; k < ARRAY_LEN(words); k++) words[k] = 0x1000 + k;
  checked_run_buffer(r, words, sizeof words);
  r->options.schedule = schedule;
  r->options.async = mode;
  r->options.seed = 11;
  checked_run_launch(r, 2, 1, 64, 1);
}

static bool tells(const char *text, const faulty *f) {
  bool all = strstr(text, "k.cu:7") && strstr(text, "kernel   k") &&
             strstr(text, "block (1,0,0)") && strstr(text, finding_kind_name(f->kind));
  for (unsigned k = 0; k < ARRAY_LEN(f->says) && f->says[k]; k++)
    all = all && strstr(text, f->says[k]);
  return all;
}

static void every_fault_is_told(void **state) {
  (void)state;
  unsigned failed = 0;
  for (unsigned k = 0; k < ARRAY_LEN(faults); k++) {
    for (unsigned how = 0; how < 9; how++) {
      checked_run r;
      launch(&r, faults[k].body, (emu_schedule)(how / 3), (emu_async_mode)(how % 3));
      const char *text = checked_run_text(&r);
      /* A barrier that is misused may leave others waiting: a second finding. */
      bool alone =
          r.found.n == 1 || faults[k].kind == FINDING_BARRIER || faults[k].kind == FINDING_RACE;
      if (!alone || !tells(text, &faults[k])) {
        print_error("fault %u, schedule %u, mode %u: %s\nexpected, at k.cu:7, '%s' with:\n", k,
                    how / 3, how % 3, text, finding_kind_name(faults[k].kind));
        for (unsigned s = 0; s < 5 && faults[k].says[s]; s++)
          print_error("  '%s'\n", faults[k].says[s]);
        failed++;
        how = 9;
      }
      checked_run_close(&r);
    }
  }
  assert_int_equal(failed, 0);
}

/* The same programs with the fault mended: nothing is found. */
static const char *const sound[] = {
    /* loads ahead whose values are thrown away, are copied, or don't matter */
    "setp.lt.u32 %p1, %r1, 16; @%p1 st.local.u32 [l], %r1; ld.local.u32 %r4, [l];\n"
    "selp.b32 %r4, %r4, -1, %p1;\n" USE END,
    "setp.lt.u32 %p1, %r1, 16; @%p1 st.local.u32 [l], %r1; ld.local.u32 %r4, [l];\n"
    "setp.eq.u32 %p2, %r4, 3; and.pred %p1, %p1, %p2; @%p1 bra DONE;\n"
    "st.global.u32 [%d3], %r1;\n" END,
    "setp.lt.u32 %p1, %r1, 16; @%p1 st.local.u32 [l], %r1; ld.local.u32 %r4, [l];\n"
    "setp.ne.or.u32 %p2, %r4, 3, !%p1; @%p2 bra DONE; st.global.u32 [%d3], %r1;\n" END,
    "st.local.u32 [l], %r1; ld.local.v2.u32 {%r4, %r5}, [l]; st.local.v2.u32 [l+16], {%r4, %r5};\n"
    "ld.local.u32 %r4, [l+16];\n" USE END,
    "ld.local.u32 %r4, [l]; mov.u32 %r4, %r1;\n" USE END,
    /* shuffles whose lanes are all there, or whose value is not used */
    "shfl.sync.down.b32 %r4|%p1, %r1, 16, 31, -1;\n" USE END,
    "setp.ge.u32 %p1, %r1, 20; @%p1 bra DONE; shfl.sync.down.b32 %r4, %r1, 4, 31, 0xfffff;\n"
    "setp.lt.u32 %p1, %r1, 16; selp.u32 %r4, %r4, 0, %p1;\n" USE END,
    "shfl.sync.down.b32 %r4, %r1, 16, 31, -1; setp.ge.u32 %p1, %r1, 20; @%p1 bra DONE;\n" USE END,
    /* Barriers with a number of threads may be met anywhere, and so may those for all that are not
     * aligned; threads that have ended aren't waited for. */
    "setp.lt.u32 %p1, %r1, 32; @%p1 barrier.sync 1; @!%p1 barrier.sync 1;\n" END,
    "setp.lt.u32 %p1, %r1, 32; @%p1 bar.sync 1, 64; @!%p1 bar.sync 1, 64;\n" END,
    "setp.lt.u32 %p1, %r1, 32; @%p1 bra DONE; bar.sync 0; bar.sync 0;\n" END,
    "mov.u32 %r4, 0;\nL: bar.sync 0; setp.lt.u32 %p1, %r4, 5; add.u32 %r4, %r4, 1;\n"
    "@%p1 bra L;\n" END,
    /* one value by all */
    LANE(35) "st.global.u32 [%d1+252], %r1;\n" END,
    LANE(2) "st.local.v4.u32 [l+48], {%r1, %r1, %r1, %r1}; ld.local.v2.u32 {%r4, %r5}, "
            "[l+56];\n" END,
    LANE(3) "stacksave.u64 %d6; alloca.u64 %d4, 64; st.local.u32 [%d4+60], %r1;\n"
            "ld.local.u32 %r4, [%d4+60]; stackrestore.u64 %d6;\n" END,
    LANE(3) "{ .param .b64 n; .param .b64 r; st.param.b64 [n], 40;\n"
            "call (r), malloc, (n); ld.param.b64 %d5, [r]; }\nst.u32 [%d5+8], %r1;\n"
            "ld.u32 %r4, [%d5+8];\n"
            "{ .param .b64 p; st.param.b64 [p], %d5; call free, (p); }\n" END,
    "xor.b32 %r5, %r2, 4; st.shared.u32 [%r2], %r1; bar.warp.sync 0xffffffff;\n"
    "ld.shared.u32 %r6, [%r5];\n" END,
    "xor.b32 %r5, %r2, 128; st.shared.u32 [%r2], %r1; bar.sync 0;\nld.shared.u32 %r6, [%r5];\n" END,
    "setp.lt.u32 %p1, %r1, 32; @%p1 bar.arrive 1, 64; @!%p1 bar.sync 1, 64;\n"
    "@!%p1 bar.arrive 2, 64; @%p1 bar.sync 2, 64;\n"
    "@%p1 bar.arrive 1, 64; @!%p1 bar.sync 1, 64;\n" END,
};

static void sound_programs_are_left_alone(void **state) {
  (void)state;
  for (unsigned k = 0; k < ARRAY_LEN(sound); k++) {
    for (unsigned how = 0; how < 9; how++) {
      checked_run r;
      launch(&r, sound[k], (emu_schedule)(how / 3), (emu_async_mode)(how % 3));
      if (r.found.n) fail_msg("%s\n%s", sound[k], checked_run_text(&r));
      checked_run_close(&r);
    }
  }
}

/* A race whose outcome is the same is told behind one that matters, and is no fault. */
static void same_values_are_notes(void **state) {
  (void)state;
  checked_run r;
  launch(
      &r,
      LINE(5) "mov.u32 %r4, 7; st.shared.u32 [s], %r4;\n" LINE(7) "st.shared.u32 [s+4], %r1;\n" END,
      EMU_RR, EMU_ASYNC_EAGER);
  const char *text = checked_run_text(&r), *note = strstr(text, "same-value");
  assert_int_equal(findings_faults(&r.found), r.found.n - 1);
  assert_true(findings_faults(&r.found) > 0);
  assert_non_null(note);
  assert_null(strstr(note, ": race:"));
  checked_run_close(&r);
}

/* Of more different findings than are kept, the first ones stay and count on. */
static void many_findings(void **state) {
  (void)state;
  enum { N = FINDINGS_MAX + 500 };
  static ptx_insn insns[N];
  ptx_module m = {0};
  findings f = {0};
  for (int round = 0; round < 2; round++)
    for (uint32_t i = 0; i < N; i++) {
      finding x = {
          .kind = FINDING_RACE, .isa = &ptx_isa, .module = &m, .kernel = "k", .at.insn = &insns[i]};
      snprintf(x.message, sizeof x.message, "%s", i % 2 ? "odd" : "even");
      assert_int_equal(findings_add(&f, &x), i < FINDINGS_MAX ? i : UINT32_MAX);
    }
  assert_int_equal(f.n, FINDINGS_MAX);
  assert_int_equal(f.total, 2 * N);
  assert_int_equal(f.lost, 2 * (N - FINDINGS_MAX));
  for (uint32_t i = 0; i < f.n; i++) assert_int_equal(f.list[i].count, 2);
  finding other = f.list[7];
  snprintf(other.message, sizeof other.message, "another");
  assert_int_equal(findings_add(&f, &other), UINT32_MAX); /* other words: another finding */
  findings_free(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_fault_is_told),
      cmocka_unit_test(sound_programs_are_left_alone),
      cmocka_unit_test(same_values_are_notes),
      cmocka_unit_test(many_findings),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
