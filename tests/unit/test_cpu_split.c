/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Kernels that are divided do what they do otherwise, bit by bit, into however many parts; programs
 * of test_interp.c, each divided; which parts are taken where it is for speed; what is said when
 * something is wrong with a part.
 */
#include "cpu_engine.h"

#include <limits.h>
#include <stdio.h>

#include <llvm-c/Analysis.h>
#include <llvm-c/BitReader.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/Target.h>

#include "llvm/split.h"
#include "exec/code.h"
#include "text/text.h"

int interp_main(void);
#define main interp_main
#include "test_interp.c"
#undef main

/* For builds with the leak sanitizer: what LLVM was doing at a fatal error is lost. */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) {
  return "leak:libLLVM\nleak:libstdc++\n";
}

/* ---- kernels -------------------------------------------------------------------------------- */

static uint8_t compilers = 1;
static bool profiled;
static unsigned n_objects; /* of the last kernel */
static char *last_object;
static size_t last_size;

static unsigned objects_of(const char *bytes, size_t size) {
  unsigned n = 0;
  for (size_t i = 0; i + 4 <= size; i += EXEC_CODE_ALIGN) n += memcmp(bytes + i, "\177ELF", 4) == 0;
  return n;
}

static bool run_divided(ir_module *m, ir_op *entry, rt_block *block, run_grid grid) {
  cpu_options options = {.isa.level = engine_level,
                         .opt_level = 3,
                         .profile = profiled,
                         .isa.bf16 = cpu_has_bf16(engine_level),
                         .isa.vnni = cpu_has_vnni(engine_level),
                         .compilers = compilers};
  cpu_kernel kernel;
  m->level = 0;
  if (!cpu_llvm.compile(m->ctx, m, entry, &options, &kernel)) return false;
  n_objects = objects_of(kernel.object.data, kernel.object.len);
  free(last_object);
  last_object = malloc(last_size = kernel.object.len);
  memcpy(last_object, kernel.object.data, last_size);
  block->scratch = aligned_alloc(64, kernel.sizes.scratch_bytes / 64 * 64 + 64);
  memset(block->scratch, 0, kernel.sizes.keys_bytes);
  for (block->id[0] = 0; block->id[0] < grid.x; block->id[0]++) kernel.run(block);
  free(block->scratch);
  cpu_llvm.release(&kernel);
  return true;
}

static void divide_into(unsigned parts) {
  char text[8];
  snprintf(text, sizeof text, "%u", parts);
  if (parts)
    setenv("TESSERA_SPLIT", text, 1);
  else
    unsetenv("TESSERA_SPLIT");
}

#define TILE "tile<64xf32>"
#define TOTAL(name, of, op)                                                                        \
  "  %" name " = reduce %" of " dim=0 identities=[0.0 : f32] : " TILE " -> tile<f32>\n"            \
  "    (%" name "a: tile<f32>, %" name "b: tile<f32>) {\n"                                         \
  "      %" name "c = " op " %" name "a, %" name "b : tile<f32> yield %" name "c : tile<f32>\n"    \
  "    }\n"                                                                                        \
  "  %" name "1 = reshape %" name " : tile<f32> -> tile<1xf32>\n"                                  \
  "  %" name "s = broadcast %" name "1 : tile<1xf32> -> " TILE "\n"

/* Views over the edge, sums that nests hand on in vectors, a loop that carries a tile, a number and
 * a count, with nests and a loop inside; a branch; an early return; atomics, prints and asserts in
 * between; a product; functions out of line (sin). */
/* clang-format off */
static const char mixed[] =
    "cuda_tile.module @m {\n"
    "entry @k(%p: tile<ptr<f32>>, %q: tile<ptr<f32>>, %n: tile<ptr<i32>>, %size: tile<i32>) {\n"
    "  %x0, %y0, %z0 = get_tile_block_id : tile<i32>\n"
    "  %c0 = constant <i32: 0> : tile<i32>\n"
    "  %c1 = constant <i32: 1> : tile<i32>\n"
    "  %c3 = constant <i32: 3> : tile<i32>\n"
    "  %v = make_tensor_view %p, shape = [%size], strides = [1] : tile<i32> -> tensor_view<?xf32, "
    "strides=[1]>\n"
    "  %w = make_partition_view %v : partition_view<tile=(64), padding_value = zero, "
    "tensor_view<?xf32, strides=[1]>>\n"
    "  %o = make_tensor_view %q, shape = [%size], strides = [1] : tile<i32> -> tensor_view<?xf32, "
    "strides=[1]>\n"
    "  %ow = make_partition_view %o : partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>\n"
    "  %x, %t0 = load_view_tko weak %w[%x0] : partition_view<tile=(64), padding_value = zero, "
    "tensor_view<?xf32, strides=[1]>>, tile<i32> -> " TILE ", token\n"
    TOTAL("m", "x", "maxf")
    "  %d = subf %x, %ms : " TILE "\n"
    "  %e = exp %d : " TILE "\n"
    TOTAL("s", "e", "addf")
    "  %y = divf %e, %ss : " TILE "\n"
    "  %old0, %u0 = atomic_rmw_tko relaxed device %n, add, %c1 : tile<ptr<i32>>, tile<i32> -> "
    "tile<i32>, token\n"
    "  %pt = print_tko \"%f %i\\n\", %s, %x0 : tile<f32>, tile<i32> -> token\n"
    "  %r, %total, %count = for %i in (%c0 to %c3, step %c1) : tile<i32> iter_values(%acc = %y, "
    "%sum = %s, %k = %c0) -> (" TILE ", tile<f32>, tile<i32>) {\n"
    "    %g = mulf %acc, %x : " TILE "\n"
    TOTAL("h", "g", "addf")
    "    %f = subf %g, %hs : " TILE "\n"
    "    %f2 = sin %f : " TILE "\n"
    "    %inner = for %j in (%c0 to %i, step %c1) : tile<i32> iter_values(%in = %f2) -> (" TILE ") "
    "{\n"
    "      %in2 = addf %in, %hs : " TILE "\n"
    TOTAL("l", "in2", "maxf")
    "      %in3 = subf %in2, %ls : " TILE "\n"
    "      continue %in3 : " TILE "\n"
    "    }\n"
    "    %old, %u = atomic_rmw_tko relaxed device %n, add, %i : tile<ptr<i32>>, tile<i32> -> "
    "tile<i32>, token\n"
    "    %odd = cmpi equal %i, %c1, signed : tile<i32> -> tile<i1>\n"
    "    %next = if %odd -> (tile<f32>) {\n"
    "      %half = addf %sum, %h : tile<f32>\n"
    "      yield %half : tile<f32>\n"
    "    } else {\n"
    "      yield %sum : tile<f32>\n"
    "    }\n"
    "    %k2 = addi %k, %c3 : tile<i32>\n"
    "    continue %inner, %next, %k2 : " TILE ", tile<f32>, tile<i32>\n"
    "  }\n"
    "  %ok = cmpi equal %x0, %c0, signed : tile<i32> -> tile<i1>\n"
    "  assert %ok, \"not the first\" : tile<i1>\n"
    "  %late = cmpi equal %x0, %c3, signed : tile<i32> -> tile<i1>\n"
    "  if %late { return }\n"
    "  %a = reshape %r : " TILE " -> tile<8x8xf32>\n"
    "  %b = reshape %y : " TILE " -> tile<8x8xf32>\n"
    "  %z = constant <f32: 0.25> : tile<8x8xf32>\n"
    "  %pr = mmaf %a, %b, %z : tile<8x8xf32>, tile<8x8xf32>, tile<8x8xf32>\n"
    "  %flat = reshape %pr : tile<8x8xf32> -> " TILE "\n"
    "  %t1r = reshape %total : tile<f32> -> tile<1xf32>\n"
    "  %t1b = broadcast %t1r : tile<1xf32> -> " TILE "\n"
    "  %res = addf %flat, %t1b : " TILE "\n"
    "  %cf = itof %count signed : tile<i32> -> tile<f32>\n"
    "  %c1r = reshape %cf : tile<f32> -> tile<1xf32>\n"
    "  %c1b = broadcast %c1r : tile<1xf32> -> " TILE "\n"
    "  %res2 = addf %res, %c1b : " TILE "\n"
    "  %st = store_view_tko weak %res2, %ow[%x0] : " TILE ", partition_view<tile=(64), "
    "tensor_view<?xf32, strides=[1]>>, tile<i32> -> token\n"
    "} }\n";
/* clang-format on */

enum { COUNT = 5 * 64 - 13 };

typedef struct outcome {
  float out[5 * 64];
  int32_t count;
  run_log log;
} outcome;

static void run_mixed(run_engine engine, outcome *o) {
  static float x[5 * 64];
  for (int i = 0; i < COUNT; i++) x[i] = (float)(i * 37 % 101) / 16 - 3;
  memset(o, 0, sizeof *o);
  uint64_t args[] = {ARG_ADDRESS(x), ARG_ADDRESS(o->out), ARG_ADDRESS(&o->count), COUNT};
  if (!run_program_on(engine, mixed, "k", (run_grid){5, 1, 1}, args, &o->log))
    fail_msg("%s", o->log.diagnostics);
}

static void expect_same(const outcome *a, const outcome *b) {
  assert_memory_equal(a->out, b->out, sizeof a->out);
  assert_int_equal(a->count, b->count);
  assert_string_equal(a->log.printed, b->log.printed);
  assert_int_equal(a->log.asserts, b->log.asserts);
}

static void parts_do_what_the_whole_does(void **state) {
  (void)state;
  static outcome whole, divided, meant;
  profiled = false;
  compilers = 1;
  divide_into(0);
  run_mixed(run_divided, &whole);
  assert_int_equal(n_objects, 1);
  run_mixed(run_interp, &meant);
  assert_int_equal(whole.count, meant.count);
  assert_int_equal(whole.log.asserts, 4);
  for (unsigned i = 0; i < 5 * 64; i++)
    assert_true(fabsf(whole.out[i] - meant.out[i]) <= 1e-3f * (1 + fabsf(meant.out[i])));
  for (unsigned parts = 1; parts <= 9; parts++) {
    compilers = (uint8_t)(1 + parts % 4);
    divide_into(parts);
    run_mixed(run_divided, &divided);
    assert_true(n_objects > 1 && n_objects <= MIN(parts + 1, (unsigned)EXEC_CODE_OBJECTS));
    expect_same(&whole, &divided);
    profiled = true;
    run_mixed(run_divided, &divided);
    profiled = false;
    expect_same(&whole, &divided);
  }
  divide_into(0);
}

/* Whoever compiles what, and however often. */
static void parts_are_the_same_code(void **state) {
  (void)state;
  static outcome o;
  divide_into(4);
  compilers = 1;
  run_mixed(run_divided, &o);
  size_t size = last_size;
  char *first = malloc(size);
  memcpy(first, last_object, size);
  for (compilers = 1; compilers < 5; compilers++) {
    run_mixed(run_divided, &o);
    assert_int_equal(size, last_size);
    assert_memory_equal(first, last_object, size);
  }
  free(first);
  divide_into(0);
}

/* However soon memory runs out, with other threads at work. */
typedef struct budget {
  long left;
  size_t live;
} budget;

static void *allocate(void *user, size_t size) {
  budget *b = user;
  if (b->left-- <= 0) return NULL;
  b->live += size;
  return malloc(size);
}

static void release(void *user, void *memory, size_t size) {
  budget *b = user;
  b->live -= size;
  free(memory);
}

static bool compile_only(tsr_context *ctx, ir_module *m) {
  cpu_options options = {.isa.level = CPU_BASELINE, .opt_level = 3, .compilers = 3};
  cpu_kernel kernel;
  TSR_GUARD(ctx, return false);
  bool ok = cpu_llvm.compile(ctx, m, ir_find_symbol(m, STR("k")), &options, &kernel);
  TSR_UNGUARD(ctx);
  if (ok) cpu_llvm.release(&kernel);
  return ok;
}

static void memory_runs_out(void **state) {
  (void)state;
  budget b = {.left = LONG_MAX};
  tsr_context *ctx = tsr_context_create(
      &(tsr_context_options){.struct_size = sizeof(tsr_context_options),
                             .allocator = &(tsr_allocator){allocate, release, &b}});
  TSR_GUARD(ctx, abort());
  ir_module *m = text_parse(ctx, str_of(mixed), NULL, false);
  TSR_UNGUARD(ctx);
  assert_non_null(m);
  divide_into(3);
  bool done = false;
  unsigned failed = 0;
  for (long n = 0; !done && n < 2000; n++) {
    size_t before = b.live;
    b.left = n;
    done = compile_only(ctx, m);
    assert_int_equal(b.live, before);
    failed += !done;
  }
  assert_true(done && failed > 10);
  divide_into(0);
  b.left = LONG_MAX;
  ir_module_destroy(m);
  tsr_context_destroy(ctx);
  assert_int_equal(b.live, 0);
}

/* ---- which parts are taken ------------------------------------------------------------------ */

typedef struct cut {
  const char *text; /* LLVM's, of a function f */
  unsigned threads;
  unsigned parts; /* out */
  char code[60000];
  char message[1024];
} cut;

static bool open_unit(unit *u) {
  unit_target target = {.level = LLVMCodeGenLevelLess, .relocation = LLVMRelocPIC};
  return unit_open(u, &target);
}

typedef struct cutting {
  unit *units[EXEC_CODE_OBJECTS];
  unit_crew all;
  split_crew split;
} cutting;

static unit *cut_fork(void *user) {
  cutting *c = user;
  unit *u = unit_fork(c->units[0]);
  if (!open_unit(u)) return NULL;
  return c->units[c->all.n++] = u;
}

static bool cut_divide(void *user) {
  return split_units(&((cutting *)user)->split);
}

static void nothing(unit *u) {
  (void)u;
}

static void read_text(unit *u, const char *text) {
  char *message = NULL;
  LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(text, strlen(text), "f");
  LLVMDisposeModule(u->e.module);
  if (LLVMParseIRInContext(u->e.llvm, buffer, &u->e.module, &message)) fail_msg("%s", message);
}

static bool cut_in(unit *u, void *user) {
  cut *x = user;
  cutting c = {.units = {u}};
  if (!open_unit(u)) return false;
  read_text(u, x->text);
  c.all = (unit_crew){.units = c.units,
                      .n = 1,
                      .threads = x->threads,
                      .user = &c,
                      .behind = nothing,
                      .kind = LLVMObjectFile};
  c.split = (split_crew){.units = c.units,
                         .n = 1,
                         .room = EXEC_CODE_OBJECTS - 1,
                         .threads = x->threads,
                         .fork = cut_fork,
                         .user = &c};
  c.all.room = split_look(&c.split);
  if (c.all.room) c.all.divide = cut_divide;
  bool ok = unit_compile_all(&c.all);
  x->parts = c.all.n - 1;
  if (!ok) return false;
  char *text = LLVMPrintModuleToString(u->e.module);
  snprintf(x->code, sizeof x->code, "%s", text);
  LLVMDisposeMessage(text);
  return true;
}

static void keep_message(void *user, const tsr_diagnostic *d) {
  cut *x = user;
  snprintf(x->message, sizeof x->message, "%s", d->message);
}

static bool cut_up(cut *x) {
  LLVMInitializeNativeTarget();
  LLVMInitializeNativeAsmPrinter();
  tsr_context *ctx =
      tsr_context_create(&(tsr_context_options){.struct_size = sizeof(tsr_context_options),
                                                .on_diagnostic = keep_message,
                                                .diagnostic_user = x});
  bool ok = unit_run(ctx, cut_in, x);
  tsr_context_destroy(ctx);
  return ok;
}

/* A loop `name` of so many rounds and additions in each, after `from`. */
static void put_loop(char *text, const char *name, const char *from, const char *to, int rounds,
                     int additions) {
  char *at = text + strlen(text);
  at += sprintf(at,
                "%s:\n  %%%s.i = phi i64 [ 0, %%%s ], [ %%%s.n, %%%s ]\n  %%%s.x0 = load "
                "volatile i64, ptr %%p\n",
                name, name, from, name, name, name);
  for (int i = 1; i <= additions; i++)
    at += sprintf(at, "  %%%s.x%d = mul i64 %%%s.x%d, %%%s.i\n", name, i, name, i - 1, name);
  sprintf(at,
          "  store i64 %%%s.x%d, ptr %%p\n  %%%s.n = add i64 %%%s.i, 1\n  %%%s.c = icmp ne i64 "
          "%%%s.n, %d\n  br i1 %%%s.c, label %%%s, label %%%s\n",
          name, additions, name, name, name, name, rounds, name, name, to);
}

enum { SIZE = 60000 };

/* Two nests, one after the other, in a loop of the program (`mark`) or of something else. */
static void two_nests(char *text, const char *mark, int rounds, int additions) {
  strcpy(text, "define void @f(ptr %p, i64 %m) {\nstart:\n  br label %for\n"
               "for:\n  %i = phi i64 [ 0, %start ], [ %n, %rest ]\n  br label %one\n");
  put_loop(text, "one", "for", "middle", rounds, additions);
  strcat(text, "middle:\n  br label %two\n");
  put_loop(text, "two", "middle", "rest", rounds, additions);
  sprintf(text + strlen(text),
          "rest:\n  %%n = add i64 %%i, 1\n  %%more = icmp ne i64 %%n, %%m\n"
          "  br i1 %%more, label %%for, label %%end%s\nend:\n  ret void\n}\n!0 = !{}\n",
          mark);
}

static unsigned count(const char *text, const char *what) {
  unsigned n = 0;
  for (const char *at = text; (at = strstr(at, what)) != NULL; at++) n++;
  return n;
}

static void only_what_pays_is_taken(void **state) {
  (void)state;
  static char text[SIZE];
  static cut x;
  divide_into(0);
  static const struct {
    const char *mark;
    int rounds, additions;
    unsigned threads, parts;
  } cases[] = {
      {", !tessera.loop !0", 100, 200, 2, 1},
      {", !tessera.loop !0", 100, 200, 1, 0}, /* nobody to help */
      {", !tessera.loop !0", 100, 20, 2, 0},  /* too short to be worth a unit */
      {", !tessera.loop !0", 2, 200, 2, 0},   /* run too shortly for a call */
      {"", 100, 200, 2, 0},                   /* in a loop that could be hot */
  };
  for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
    two_nests(text, cases[i].mark, cases[i].rounds, cases[i].additions);
    x = (cut){.text = text, .threads = cases[i].threads};
    if (!cut_up(&x)) fail_msg("%s", x.message);
    assert_int_equal(x.parts, cases[i].parts);
    assert_int_equal(count(x.code, "call void @part."), cases[i].parts);
    /* One of the nests is left. */
    assert_int_equal(count(x.code, "load volatile"), 2 - cases[i].parts);
  }
}

/* More threads, more parts; as many as there is room for. */
static void parts_are_as_many_as_threads(void **state) {
  (void)state;
  static char text[SIZE];
  static cut x;
  enum { NESTS = 12 };
  strcpy(text, "define void @f(ptr %p, i64 %m) {\nstart:\n  br label %n0\n");
  for (int i = 0; i < NESTS; i++) {
    char name[16], from[16], to[16];
    snprintf(name, sizeof name, "n%d", i);
    snprintf(from, sizeof from, i ? "n%d" : "start", i - 1);
    snprintf(to, sizeof to, i + 1 < NESTS ? "n%d" : "end", i + 1);
    put_loop(text, name, from, to, 100, 100);
  }
  strcat(text, "end:\n  ret void\n}\n");
  for (unsigned threads = 2; threads <= 16; threads++) {
    x = (cut){.text = text, .threads = threads};
    if (!cut_up(&x)) fail_msg("%s", x.message);
    assert_true(x.parts >= MIN(threads - 1, 4u) && x.parts <= MIN(threads - 1, 7u));
  }
}

/* ---- errors --------------------------------------------------------------------------------- */

/* An instruction that the target hasn't, in what becomes a part. */
static void errors_in_parts_are_reported(void **state) {
  (void)state;
  static char text[SIZE];
  static cut x;
  strcpy(text, "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
               "define void @f(ptr %p, i64 %m) {\nstart:\n  br label %one\n");
  put_loop(text, "one", "start", "middle", 100, 200);
  strcat(text, "middle:\n  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n  store i32 %t, ptr %p\n"
               "  br label %two\n");
  put_loop(text, "two", "middle", "end", 100, 205);
  strcat(text, "end:\n  ret void\n}\n");
  for (unsigned threads = 1; threads <= 3; threads++) {
    x = (cut){.text = text, .threads = threads};
    assert_false(cut_up(&x));
    assert_int_equal(x.parts > 0, threads > 1);
    assert_non_null(strstr(x.message, "LLVM made no code"));
  }
  two_nests(text, ", !tessera.loop !0", 100, 200);
  x = (cut){.text = text, .threads = 2};
  assert_true(cut_up(&x));
}

static bool broken_bitcode(unit *u, void *user) {
  unit *fork = unit_fork(u), *units[] = {u, fork};
  unit_crew all = {.units = units, .n = 2, .behind = nothing, .kind = LLVMObjectFile};
  all.threads = *(unsigned *)user;
  if (!open_unit(u) || !open_unit(fork)) return false;
  fork->bitcode = LLVMCreateMemoryBufferWithMemoryRangeCopy("BC\xc0\xde nonsense", 12, "part");
  return unit_compile_all(&all);
}

static void broken_parts_are_reported(void **state) {
  (void)state;
  static cut x;
  tsr_context *ctx =
      tsr_context_create(&(tsr_context_options){.struct_size = sizeof(tsr_context_options),
                                                .on_diagnostic = keep_message,
                                                .diagnostic_user = &x});
  for (unsigned threads = 1; threads <= 2; threads++) {
    assert_false(unit_run(ctx, broken_bitcode, &threads));
    assert_non_null(strstr(x.message, "a part of the code handed to LLVM cannot be read"));
  }
  tsr_context_destroy(ctx);
}

/* ---- all of it ------------------------------------------------------------------------------ */

static int set_divided(void **state) {
  divide_into(3);
  return set_level(state);
}

static int set_whole(void **state) {
  (void)state;
  divide_into(0);
  return 0;
}

#define DIVIDED(test)                                                                              \
  { #test "/divided", test, set_divided, set_whole, (void *)(uintptr_t)CPU_AVX2 }

int main(void) {
  const struct CMUnitTest tests[] = {
      LEVELS(parts_do_what_the_whole_does),
      cmocka_unit_test(parts_are_the_same_code),
      cmocka_unit_test(memory_runs_out),
      cmocka_unit_test(only_what_pays_is_taken),
      cmocka_unit_test(parts_are_as_many_as_threads),
      cmocka_unit_test(errors_in_parts_are_reported),
      cmocka_unit_test(broken_parts_are_reported),
      DIVIDED(test_for),
      DIVIDED(test_values_move_at_once),
      DIVIDED(test_break_and_continue),
      DIVIDED(test_if),
      DIVIDED(test_return),
      DIVIDED(test_return_in_loop),
      DIVIDED(test_assert),
      DIVIDED(test_elementwise_in_kernels),
      DIVIDED(test_reduce),
      DIVIDED(test_scan_dimensions),
      DIVIDED(test_mmaf_types),
      DIVIDED(test_mmai),
      DIVIDED(test_large_tiles),
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  free(last_object);
  return failed;
}
