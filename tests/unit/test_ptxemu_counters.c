/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Counters of programs whose sectors, wavefronts and operations are known; the estimate; what is
 * shown of them, and of findings.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "checked_run.h"
#include "emu/counters.h"

static _Alignas(256) uint32_t in[8192], out[8192];

/* Runs a body with %r0 the lane and %d0, %d1 the buffers, on one warp, and counts. */
static counters count(checked_run *r, const char *body) {
  static counters c;
  static emu_watcher watcher;
  char text[4000];
  snprintf(
      text, sizeof text,
      ".version 8.6\n.target sm_90a\n.address_size 64\n.shared .align 128 .b8 tile[8192];\n"
      ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n.reg .pred %%p<8>;\n"
      ".reg .b32 %%r<32>; .reg .f32 %%f<32>; .reg .b64 %%d<32>;\n"
      "ld.param.u64 %%d0, [in]; ld.param.u64 %%d1, [out]; mov.u32 %%r0, %%tid.x;\n%s\nret;\n}\n",
      body);
  memset(&c, 0, sizeof c);
  checked_run_open_text(r, text, true);
  checked_run_buffer(r, in, sizeof in);
  checked_run_buffer(r, out, sizeof out);
  counters_watch(&c, &r->watcher, &watcher);
  r->options.watcher = &watcher;
  checked_run_launch(r, 1, 1, 32, 1);
  return c;
}

typedef struct expectation {
  const char *body;
  uint64_t sectors, ideal_sectors, wavefronts, ideal_wavefronts;
} expectation;

#define AT(stride) "mul.lo.u32 %r1, %r0, " #stride "; mov.u32 %r2, tile; add.u32 %r3, %r1, %r2;\n"
#define GLOBAL_AT(stride)                                                                          \
  "mul.lo.u32 %r1, %r0, " #stride "; cvt.u64.u32 %d2, %r1; add.u64 %d3, %d0, %d2;\n"
/* Rows of a matrix for ldmatrix, `pitch` bytes apart. */
#define ROWS(pitch)                                                                                \
  "and.b32 %r4, %r0, 31; mul.lo.u32 %r1, %r4, " #pitch                                             \
  "; mov.u32 %r2, tile; add.u32 %r3, %r1, %r2;\n"

static const expectation expectations[] = {
    {GLOBAL_AT(4) "ld.global.u32 %r5, [%d3];", 4, 4, 0, 0},
    {GLOBAL_AT(32) "ld.global.u32 %r5, [%d3];", 32, 4, 0, 0},
    {GLOBAL_AT(0) "ld.global.u32 %r5, [%d3];", 1, 1, 0, 0},
    {GLOBAL_AT(16) "ld.global.v4.u32 {%r5,%r6,%r7,%r8}, [%d3];", 16, 16, 0, 0},
    {GLOBAL_AT(8) "st.global.u32 [%d3], %r0;", 8, 4, 0, 0},
    {GLOBAL_AT(0) "red.global.add.u32 [%d3], 1;", 1, 1, 0, 0},
    {AT(4) "st.shared.u32 [%r3], %r0;", 0, 0, 1, 1},
    {AT(8) "st.shared.u32 [%r3], %r0;", 0, 0, 2, 1},
    {AT(128) "st.shared.u32 [%r3], %r0;", 0, 0, 32, 1},
    {AT(132) "st.shared.u32 [%r3], %r0;", 0, 0, 1, 1},
    {AT(1) "st.shared.u8 [%r3], %r0;", 0, 0, 1, 1},
    {AT(8) "st.shared.v2.u32 [%r3], {%r0,%r0};", 0, 0, 2, 2},
    {AT(16) "st.shared.v4.u32 [%r3], {%r0,%r0,%r0,%r0};", 0, 0, 4, 4},
    {AT(32) "st.shared.v4.u32 [%r3], {%r0,%r0,%r0,%r0};", 0, 0, 8, 4},
    {"mov.u32 %r3, tile; setp.eq.u32 %p1, %r0, 0; @%p1 st.shared.u32 [%r3], 0; bar.sync 0;\n"
     "atom.shared.add.u32 %r5, [%r3], 1;",
     0, 0, 33, 2},
    {ROWS(16) "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%r3], {%r0,%r0,%r0,%r0};", 0, 0, 4, 4},
    {ROWS(128) "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%r3], {%r0,%r0,%r0,%r0};", 0, 0, 32, 4},
    {ROWS(144) "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%r3], {%r0,%r0,%r0,%r0};", 0, 0, 4, 4},
    {AT(16) "cvt.u64.u32 %d2, %r1; add.u64 %d3, %d0, %d2;\n"
            "cp.async.cg.shared.global [%r3], [%d3], 16; cp.async.wait_all;",
     16, 16, 4, 4},
};

static void test_memory(void **state) {
  (void)state;
  for (unsigned i = 0; i < ARRAY_LEN(expectations); i++) {
    const expectation *e = &expectations[i];
    checked_run r;
    counters c = count(&r, e->body);
    const counts *t = &c.total;
    if (r.found.n) fail_msg("%s\n%s", e->body, checked_run_text(&r));
    if (t->sectors != e->sectors || t->ideal_sectors != e->ideal_sectors ||
        t->wavefronts != e->wavefronts || t->ideal_wavefronts != e->ideal_wavefronts)
      fail_msg("%s\nsectors %u of %u, wavefronts %u of %u", e->body, (unsigned)t->sectors,
               (unsigned)t->ideal_sectors, (unsigned)t->wavefronts, (unsigned)t->ideal_wavefronts);
    counters_free(&c);
    checked_run_close(&r);
  }
}

static void test_operations(void **state) {
  (void)state;
  checked_run r;
  counters c = count(&r, "setp.lt.u32 %p1, %r0, 8; mov.f32 %f0, 0f3f800000; mov.u32 %r9, 0;\n"
                         "@!%p1 bra OUT;\nfma.rn.f32 %f1, %f0, %f0, %f0; add.f32 %f2, %f1, %f0;\n"
                         "OUT:\nbar.sync 0;\n"
                         "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%f4,%f5,%f6,%f7}, "
                         "{%r9,%r9,%r9,%r9}, {%r9,%r9}, {%f0,%f0,%f0,%f0};");
  assert_int_equal(c.total.flops, 8 * 3);
  assert_int_equal(c.total.matrix, 2 * 16 * 8 * 16);
  assert_int_equal(c.total.barriers, 1);
  assert_true(c.total.divergent >= 2 && c.total.divergent < c.total.warps);
  assert_int_equal(c.threads, 32);
  uint64_t warps = 0;
  for (uint32_t i = 0; i < c.insns.n; i++) warps += c.by_insn[i].warps;
  assert_int_equal(warps, c.total.warps);
  uint32_t n;
  counted_line *lines = counters_lines(&c, card_named("h100"), &n);
  warps = 0;
  for (uint32_t i = 0; i < n; i++) warps += lines[i].counts.warps;
  assert_int_equal(warps, c.total.warps);
  for (uint32_t i = 1; i < n; i++) assert_true(lines[i - 1].cost >= lines[i].cost);
  free(lines);
  counters_free(&c);
  checked_run_close(&r);
}

static void test_estimate(void **state) {
  (void)state;
  assert_null(card_named("abacus"));
  for (size_t i = 0; card_at(i); i++) {
    const card *k = card_at(i);
    assert_ptr_equal(card_named(k->name), k);
    assert_true(k->matrix > k->flops && k->flops > k->bandwidth && strlen(k->source) > 8);
    roofline r = roofline_of(&(counts){.moved = 32000000, .matrix = 1000}, k);
    assert_string_equal(r.limit, "device memory");
    assert_true(fabs(r.time - 32e6 / k->bandwidth) < 1e-12);
    r = roofline_of(&(counts){.moved = 32, .matrix = (uint64_t)1 << 40}, k);
    assert_string_equal(r.limit, "matrix units");
    assert_true(fabs(r.time * k->matrix - 0x1p40) < 1e6);
    r = roofline_of(&(counts){0}, k);
    assert_true(r.time == 0 && r.intensity == 0);
  }
}

/* Brackets match and strings end: enough to catch a comma or a quote that is missing. */
static void check_json(const char *s) {
  int depth = 0;
  bool in_string = false;
  char last = 0;
  for (; *s; s++) {
    if (in_string) {
      if (*s == '\\')
        s++;
      else if (*s == '"')
        in_string = false;
      continue;
    }
    if (*s == ' ' || *s == '\n') continue;
    if (*s == '"') {
      in_string = true;
      assert_true(last == '{' || last == ',' || last == ':' || last == '[');
    }
    if (*s == '}' || *s == ']') assert_true(--depth >= 0 && last != ',' && last != ':');
    if (*s == '{' || *s == '[') depth++;
    last = *s;
  }
  assert_true(depth == 0 && !in_string);
}

static void test_shown(void **state) {
  (void)state;
  checked_run r;
  counters c =
      count(&r, AT(4) "st.shared.u32 [%r3], %r0; xor.b32 %r4, %r1, 4; add.u32 %r4, %r4, %r2;\n"
                      "ld.shared.u32 %r5, [%r4]; ld.shared.u32 %r6, [tile+4096];");
  assert_int_equal(r.found.n, 2);
  sbuf text = SBUF(&r.ctx->arena), json = SBUF(&r.ctx->arena), more = SBUF(&r.ctx->arena);
  sbuf svg = SBUF(&r.ctx->arena), table = SBUF(&r.ctx->arena);
  findings_text(&r.found, true, &text);
  assert_non_null(strstr(text.data, "\033[1;31mrace:"));
  assert_non_null(strstr(text.data, "warp 0 lane"));
  assert_non_null(strstr(text.data, "__syncwarp()"));
  assert_non_null(strstr(text.data, "uninitialised:"));
  findings_json(&r.found, &json);
  check_json(json.data);
  assert_non_null(strstr(json.data, "\"kind\": \"race\""));
  assert_non_null(strstr(json.data, "\"other\": {\"block\": [0, 0, 0]"));
  counters_json(&c, card_named("a100"), &more);
  check_json(more.data);
  counters_table(&c, card_named("a100"), true, &table);
  assert_non_null(strstr(table.data, "shared memory"));
  counters_svg(&c, card_named("a100"), &svg);
  assert_non_null(strstr(svg.data, "</svg>"));
  counters_free(&c);
  checked_run_close(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_memory),
      cmocka_unit_test(test_operations),
      cmocka_unit_test(test_estimate),
      cmocka_unit_test(test_shown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
