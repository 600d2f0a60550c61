/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Code objects of the AMD backend: what the linker makes of LLVM's, what it says of broken ones,
 * and that the emulator's checks find a wait that is taken out of the code.
 */
#include "gpu_engine.h"

#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "gpu/amdgcn/link.h"
#include "ir/verify.h"
#include "random_program.h"
#include "text/text.h"

/* ---- making --------------------------------------------------------------------------------- */

/* A table of constants, a variable that begins with a number, one that begins with zeros, prints
 * and asserts: every kind of section. */
static const char all_sections[] =
    "cuda_tile.module @m {\n"
    "global @g <i32: [5, 6, 7, 8]> : tile<4xi32>\n"
    "entry @k(%p: tile<ptr<i32>>) {\n"
    "%i = iota : tile<4xi32>\n"
    "%c = constant <i32: [3, 1, 4, 1]> : tile<4xi32>\n"
    "%g = get_global @g : tile<ptr<i32>>\n"
    "%g1 = reshape %g : tile<ptr<i32>> -> tile<1xptr<i32>>\n"
    "%g4 = broadcast %g1 : tile<1xptr<i32>> -> tile<4xptr<i32>>\n"
    "%gi = offset %g4, %i : tile<4xptr<i32>>, tile<4xi32> -> tile<4xptr<i32>>\n"
    "%x, %t0 = load_ptr_tko weak %gi : tile<4xptr<i32>> -> tile<4xi32>, token\n"
    "%s = addi %x, %c : tile<4xi32>\n"
    "%yes = cmpi greater_than %s, %i, signed : tile<4xi32> -> tile<4xi1>\n"
    "assert %yes, \"more\" : tile<4xi1>\n"
    "print_tko \"%i|\", %s : tile<4xi32> -> token\n"
    "%p1 = reshape %p : tile<ptr<i32>> -> tile<1xptr<i32>>\n"
    "%p4 = broadcast %p1 : tile<1xptr<i32>> -> tile<4xptr<i32>>\n"
    "%pi = offset %p4, %i : tile<4xptr<i32>>, tile<4xi32> -> tile<4xptr<i32>>\n"
    "%t1 = store_ptr_tko weak %pi, %s : tile<4xptr<i32>>, tile<4xi32> -> token\n"
    "}\n}\n";

/* The object for a target, in the arena. */
static str object_for(tsr_context *ctx, arena *a, const char *text, const char *target) {
  ir_module *m = text_parse(ctx, str_of(text), "code.mlir", false);
  assert_true(m && ir_verify(m));
  amdgcn_result code = {.text = SBUF(a)};
  amdgcn_options options = {.target = gpu_find_target(target)};
  assert_true(amdgcn_llvm.emit(ctx, m, AMDGCN_OBJECT, &options, &code));
  ir_module_destroy(m);
  return (str){code.text.data, code.text.len};
}

/* ---- linked objects ------------------------------------------------------------------------- */

static void test_runs(void **state) {
  (void)state;
  int32_t r[4] = {0};
  run_log log;
  engine_target = gpu_find_target("gfx942");
  uint64_t args[] = {(uintptr_t)r};
  assert_true(run_program_on(run_gpu, all_sections, "k", (run_grid){1, 1, 1}, args, &log));
  assert_int_equal(r[0], 8);
  assert_int_equal(r[3], 9);
  assert_string_equal(log.printed, "[8, 7, 11, 9]|");
}

/* Segments lie in the file as in memory, each with its rights, and hold all sections. */
static void check_segments(str object) {
  Elf64_Ehdr h;
  memcpy(&h, object.data, sizeof h);
  assert_int_equal(h.e_type, ET_DYN);
  unsigned loads = 0, notes = 0, dynamic = 0;
  uint64_t end = 0;
  for (unsigned i = 0; i < h.e_phnum; i++) {
    Elf64_Phdr p;
    memcpy(&p, object.data + h.e_phoff + i * sizeof p, sizeof p);
    assert_true(p.p_offset + p.p_filesz <= object.len && p.p_filesz <= p.p_memsz);
    assert_int_equal(p.p_offset, p.p_vaddr);
    notes += p.p_type == PT_NOTE;
    dynamic += p.p_type == PT_DYNAMIC;
    if (p.p_type != PT_LOAD) continue;
    assert_true(p.p_vaddr >= end && p.p_vaddr % p.p_align == 0);
    assert_int_not_equal(p.p_flags & (PF_W | PF_X), PF_W | PF_X);
    end = p.p_vaddr + p.p_memsz;
    loads++;
  }
  assert_true(loads == 3 && notes == 1 && dynamic == 1);
}

static void test_segments(void **state) {
  (void)state;
  static const char *const targets[] = {"gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1200"};
  tsr_context *ctx = tsr_context_create(NULL);
  arena a;
  arena_init(&a, ctx);
  for (size_t i = 0; i < ARRAY_LEN(targets); i++) {
    hsa_object o;
    str object = object_for(ctx, &a, all_sections, targets[i]);
    check_segments(object);
    assert_true(hsa_object_read(ctx, &a, targets[i], object, &o));
    assert_string_equal(o.gpu->name, targets[i]);
    assert_int_equal(o.n_kernels, 1);
    assert_int_equal(o.kernels[0].about->lanes, gpu_lanes(o.gpu));
    assert_int_equal(o.kernels[0].about->required_threads[0] % gpu_lanes(o.gpu), 0);
  }
  arena_free(&a);
  tsr_context_destroy(ctx);
}

/* What is no object, or is cut off, is refused. */
static void test_broken_objects(void **state) {
  (void)state;
  tsr_context *ctx = tsr_context_create(NULL);
  arena a;
  arena_init(&a, ctx);
  str object = object_for(ctx, &a, all_sections, "gfx942");
  sbuf out = SBUF(&a);
  assert_non_null(amdgcn_link(&a, (str){"", 0}, &out));
  assert_non_null(strstr(amdgcn_link(&a, object, &out), "its type is 3")); /* linked already */
  for (size_t n = 0; n < object.len; n += 97)
    assert_non_null(amdgcn_link(&a, (str){object.data, n}, &out));
  arena_free(&a);
  tsr_context_destroy(ctx);
}

/* ---- roundings ------------------------------------------------------------------------------ */

enum { NUMBERS = 64 };

/* Three tiles of f32 or f64, an operation, its result in the fourth. */
static const char *rounded_text(arena *a, const char *type, const char *operation) {
  sbuf s = SBUF(a);
  sbuf_puts(&s, "cuda_tile.module @m { entry @k(%p0: tile<ptr<T>>, %p1: tile<ptr<T>>, %p2: "
                "tile<ptr<T>>, %p3: tile<ptr<T>>) {\n%z = constant <i32: 0> : tile<i32>\n");
  for (unsigned i = 0; i < 4; i++)
    sbuf_printf(&s,
                "%%v%u = make_tensor_view %%p%u, shape = [64], strides = [1] : "
                "tensor_view<64xT, strides=[1]>\n%%q%u = make_partition_view %%v%u : "
                "partition_view<tile=(64), tensor_view<64xT, strides=[1]>>\n",
                i, i, i, i);
  for (unsigned i = 0; i < 3; i++)
    sbuf_printf(&s,
                "%%x%u, %%t%u = load_view_tko weak %%q%u[%%z] : partition_view<tile=(64), "
                "tensor_view<64xT, strides=[1]>>, tile<i32> -> tile<64xT>, token\n",
                i, i, i);
  sbuf_printf(
      &s,
      "%%r = %s : tile<64xT>\n%%t3 = store_view_tko weak %%r, %%q3[%%z] : tile<64xT>, "
      "partition_view<tile=(64), tensor_view<64xT, strides=[1]>>, tile<i32> -> token\n} }\n",
      operation);
  sbuf out = SBUF(a);
  for (const char *c = s.data; *c; c++) {
    bool is_type = *c == 'T';
    if (is_type) sbuf_puts(&out, type);
    if (!is_type) sbuf_putc(&out, *c);
  }
  return out.data;
}

/* Numbers of all sizes, neighbours of powers of two, zeros, infinities. */
static void any_numbers(uint64_t *x, bool wide, uint64_t seed) {
  for (unsigned i = 0; i < NUMBERS; i++) {
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    uint64_t bits = seed ^ seed >> 29;
    if (i % 4 == 1) bits &= wide ? UINT64_C(0x80000000000000ff) : 0x800000ff80000003;
    if (i % 4 == 2) bits |= wide ? UINT64_C(0x3ff0000000000000) : 0x3f8000003f800000;
    memcpy((uint8_t *)x + i * (wide ? 8 : 4), &bits, wide ? 8 : 4);
  }
}

static void check_rounded(const char *type, const char *operation) {
  static uint64_t x[4][NUMBERS], y[4][NUMBERS];
  arena a;
  run_log log;
  tsr_context *ctx = tsr_context_create(NULL);
  arena_init(&a, ctx);
  for (unsigned i = 0; i < 3; i++) any_numbers(x[i], strcmp(type, "f64") == 0, i + 1);
  memcpy(y, x, sizeof y);
  const char *text = rounded_text(&a, type, operation);
  const uint64_t of_interp[] = {(uintptr_t)x[0], (uintptr_t)x[1], (uintptr_t)x[2], (uintptr_t)x[3]};
  const uint64_t of_gpu[] = {(uintptr_t)y[0], (uintptr_t)y[1], (uintptr_t)y[2], (uintptr_t)y[3]};
  if (!run_program_on(run_interp, text, "k", (run_grid){1, 1, 1}, of_interp, &log))
    fail_msg("%s", log.diagnostics);
  if (!run_program_on(run_gpu, text, "k", (run_grid){1, 1, 1}, of_gpu, &log))
    fail_msg("%s", log.diagnostics);
  if (memcmp(x[3], y[3], sizeof x[3])) fail_msg("%s of %s differs", operation, type);
  arena_free(&a);
  tsr_context_destroy(ctx);
}

static void test_directed_roundings(void **state) {
  (void)state;
  static const char *const roundings[] = {"zero", "negative_inf", "positive_inf"};
  static const char *const operations[] = {"addf %%x0, %%x1",      "subf %%x0, %%x1",
                                           "mulf %%x0, %%x1",      "divf %%x0, %%x1",
                                           "fma %%x0, %%x1, %%x2", "sqrt %%x0"};
  engine_target = gpu_find_target("gfx942");
  for (size_t i = 0; i < ARRAY_LEN(roundings); i++)
    for (size_t k = 0; k < ARRAY_LEN(operations); k++)
      for (unsigned wide = 0; wide < 2; wide++) {
        char operation[96], format[64];
        snprintf(format, sizeof format, "%s rounding<%%s>", operations[k]);
        snprintf(operation, sizeof operation, format, roundings[i]);
        check_rounded(wide ? "f64" : "f32", operation);
      }
}

/* ---- targets that nothing executes ---------------------------------------------------------- */

/* Code comes out for random programs, whatever they ask for. */
static void test_compiles_for_rdna(void **state) {
  (void)state;
  static const char *const targets[] = {"gfx1100", "gfx1200"};
  tsr_context *ctx = tsr_context_create(NULL);
  arena a;
  arena_init(&a, ctx);
  for (uint64_t seed = 1; seed <= 16; seed++) {
    bool large = seed % 4 == 0;
    random_limits limits = {.ops = 14, .bits = large ? 10 : 5, .wild = large, .card = true};
    random_program p = random_make(&a, seed, 1, &limits);
    const char *target = targets[seed % 2];
    hsa_object o;
    assert_true(hsa_object_read(ctx, &a, target, object_for(ctx, &a, p.text, target), &o));
    assert_int_equal(o.kernels[0].about->lanes, 32);
  }
  arena_free(&a);
  tsr_context_destroy(ctx);
}

/* ---- waits ---------------------------------------------------------------------------------- */

enum { WAIT = 0xbf8c, NOP = 0xbf80, WAITS_MOST = 64 };

static unsigned wait_left_out, waits_there;

/* Makes one s_waitcnt of the code an s_nop. */
static void leave_out_wait(uint8_t *bytes, size_t n) {
  waits_there = 0;
  for (size_t at = 0x1000; at + 4 <= n; at += 4) {
    uint16_t high;
    memcpy(&high, bytes + at + 2, sizeof high);
    if (high != WAIT || waits_there++ != wait_left_out) continue;
    memcpy(bytes + at, &(uint32_t){(uint32_t)NOP << 16}, 4);
  }
}

static const char sums[] =
    "cuda_tile.module @m { entry @k(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>) {\n"
    "%v = make_tensor_view %x, shape = [64, 64], strides = [64, 1] : "
    "tensor_view<64x64xf32, strides=[64,1]>\n"
    "%p = make_partition_view %v : partition_view<tile=(64x64), "
    "tensor_view<64x64xf32, strides=[64,1]>>\n"
    "%w = make_tensor_view %y, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>\n"
    "%q = make_partition_view %w : partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>\n"
    "%z = constant <i32: 0> : tile<i32>\n"
    "%t, %t0 = load_view_tko weak %p[%z, %z] : partition_view<tile=(64x64), "
    "tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> tile<64x64xf32>, token\n"
    "%s = reduce %t dim=0 identities=[0.0 : f32] : tile<64x64xf32> -> tile<64xf32>\n"
    " (%a: tile<f32>, %b: tile<f32>) { %c = addf %a, %b : tile<f32>\n yield %c : tile<f32> }\n"
    "%t1 = store_view_tko weak %s, %q[%z] : tile<64xf32>, partition_view<tile=(64), "
    "tensor_view<64xf32, strides=[1]>>, tile<i32> -> token\n} }\n";

static bool sums_run(void) {
  static float x[64 * 64], y[64];
  run_log log;
  for (unsigned i = 0; i < ARRAY_LEN(x); i++) x[i] = (float)(i % 7);
  uint64_t args[] = {(uintptr_t)x, (uintptr_t)y};
  engine_target = gpu_find_target("gfx942");
  engine_keep_found = true;
  engine_found[0] = 0;
  return run_program_on(run_gpu, sums, "k", (run_grid){1, 1, 1}, args, &log);
}

/* Waits that nothing needs are those in front of the kernel's end, and those of the version for
 * rows that are not aligned, which does not run. */
static void test_waits_are_needed(void **state) {
  (void)state;
  assert_true(sums_run());
  unsigned found = 0, waits = 1;
  engine_plant_object = leave_out_wait;
  for (wait_left_out = 0; wait_left_out < waits && waits <= WAITS_MOST; wait_left_out++) {
    bool clean = sums_run();
    waits = waits_there;
    found += !clean && strstr(engine_found, "missing-wait") != NULL;
  }
  engine_plant_object = NULL;
  engine_keep_found = false;
  assert_true(waits >= 4 && found >= waits / 4);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_runs),
      cmocka_unit_test(test_segments),
      cmocka_unit_test(test_broken_objects),
      cmocka_unit_test(test_directed_roundings),
      cmocka_unit_test(test_compiles_for_rdna),
      cmocka_unit_test(test_waits_are_needed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
