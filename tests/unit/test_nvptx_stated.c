/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Kernels of the block level on the emulated GPU, with all checks on, beside the interpreter: the
 * same bits, whatever the layouts, element types, offsets and ways through memory. And the
 * instructions are those that the kernel asks for.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gpu_engine.h"

enum { BYTES = 1 << 16 };

static _Alignas(256) uint8_t in_a[BYTES], in_b[BYTES], want[BYTES], got[BYTES];
static uint32_t state_of_draw = 1;

static uint32_t draw(void) {
  state_of_draw = state_of_draw * 1664525u + 1013904223u;
  return state_of_draw >> 8;
}

/* Numbers of every type: no exponent has all bits set. */
static void fill_any(void) {
  for (unsigned i = 0; i < BYTES; i++) {
    in_a[i] = (uint8_t)(draw() & 0xbf);
    in_b[i] = (uint8_t)(draw() & 0xbf);
  }
}

/* Runs a kernel of two inputs, an output and two numbers on both. */
static void check(const char *text, uint64_t m, uint64_t n, run_grid grid, unsigned shift) {
  run_log log;
  uint8_t *outs[] = {want, got};
  engine_bytes = BYTES - 128;
  for (unsigned i = 0; i < 2; i++) {
    memset(outs[i], 0x5a, BYTES);
    uint64_t args[] = {ARG_ADDRESS(in_a + shift), ARG_ADDRESS(in_b + shift),
                       ARG_ADDRESS(outs[i] + shift), m, n};
    if (!run_program_on(i ? run_gpu : run_interp, text, "k", grid, args, &log))
      fail_msg("%s: %s\n%s", i ? engine_target->name : "interp", log.diagnostics, text);
  }
  for (unsigned i = 0; i < BYTES; i++)
    if (want[i] != got[i]) fail_msg("byte %u is %02x, expected %02x\n%s", i, got[i], want[i], text);
}

static void expect_instruction(const char *instruction) {
  if (!strstr(engine_ptx, instruction)) fail_msg("no %s in\n%s", instruction, engine_ptx);
}

#define HEAD                                                                                       \
  "cuda_tile.module @m { entry @k(%a: tile<ptr<$E>>, %b: tile<ptr<$E>>, %r: tile<ptr<$F>>, "       \
  "%m: tile<i32>, %n: tile<i32>) threads($T) {\n"                                                  \
  "%0 = constant <i32: 0> : tile<i32>\n%1 = constant <i32: 1> : tile<i32>\n"                       \
  "%x, %y, %z = get_tile_block_id : tile<i32>\n"
#define TAIL "} }\n"

/* ---- through memory ------------------------------------------------------------------------- */

/* A tile of 32 x 64 at an offset, through shared memory, at another offset. */
#define VIEWS                                                                                      \
  "%va = make_tensor_view %a, shape = [%m, %n], strides = [%n, 1] : tile<i32> -> "                 \
  "tensor_view<?x?x$E, strides=[?,1]>\n"                                                           \
  "%vr = make_tensor_view %r, shape = [%m, %n], strides = [%n, 1] : tile<i32> -> "                 \
  "tensor_view<?x?x$E, strides=[?,1]>\n"                                                           \
  "%i = constant <i32: $I> : tile<i32>\n%j = constant <i32: $J> : tile<i32>\n"                     \
  "%s = alloc_shared : shared<32x64x$E, $M>\n"
#define BY_REGISTERS                                                                               \
  "%t = load_global %va[%i, %j] : tensor_view<?x?x$E, strides=[?,1]> -> tile<32x64x$E, $P>\n"      \
  "store_shared $1%t, %s : tile<32x64x$E, $P>, shared<32x64x$E, $M>\n"
#define BY_COPY                                                                                    \
  "cp_async %va[%i, %j], %s by layout<$P> : tensor_view<?x?x$E, strides=[?,1]>, "                  \
  "shared<32x64x$E, $M>\ncp_async_commit\ncp_async_wait 0\n"
#define AND_BACK                                                                                   \
  "barrier\n%u = load_shared $2%s : shared<32x64x$E, $M> -> tile<32x64x$E, $Q>\n"                  \
  "%w = convert_layout %u : tile<32x64x$E, $Q> -> tile<32x64x$E, $O>\n"                            \
  "store_global %w, %vr[%1, %i] : tile<32x64x$E, $O>, tensor_view<?x?x$E, strides=[?,1]>\n"

static const char *const distributions[] = {
    "spatial(8, 16).local(4, 4)",
    "local(8, 1).spatial(4, 32).local(1, 2)",
    "spatial(32, 4).local(1, 16)",
    "local(4, 8).spatial(8, 8).replicated(1, 1, num_workers=2)",
    "replicated(1, 1, num_workers=4).spatial(8, 4).local(4, 16)",
    "column_spatial(32, 4).column_local(1, 16)",
    "spatial(1, 4).local(2, 1) * mma.m16n8k16.A",
    "local(8, 1).spatial(4, 32).column_local(1, 2)",
};
static const char *const memories[] = {
    "(32,64):(64,1)",
    "(32,64):(72,1)",
    "(32,64):(65,1)",
    "(32,64):(1,32)",
    "Sw<3,3,3> o (32,64):(64,1)",
    "Sw<2,3,3> o (32,(2,32)):(32,(1024,1))",
    "Sw<3,2,3> o (32,64):(1,40)",
};

static const struct {
  const char *elem;
  unsigned bytes;
} elements[] = {{"f32", 4},    {"f16", 2}, {"bf16", 2}, {"i8", 1},  {"i32", 4},     {"f8E4M3FN", 1},
                {"f8E5M2", 1}, {"f64", 8}, {"i64", 8},  {"i16", 2}, {"f4E2M1FN", 1}};

static const struct {
  const char *i, *j;
  uint64_t m, n;
  unsigned shift; /* of memory, bytes */
} places[] = {{"0", "0", 40, 72, 0},   {"-3", "-5", 40, 71, 0},  {"7", "16", 38, 64, 16},
              {"-40", "3", 33, 65, 8}, {"-8", "-16", 20, 48, 0}, {"2", "8", 37, 68, 8}};

static void through_memory(bool by_copy, unsigned seed) {
  char text[8192];
  state_of_draw = seed;
  const char *store = by_copy      ? ""
                      : draw() % 2 ? "scalar "
                                   : "",
             *load = draw() % 3 ? "" : "scalar ";
  unsigned e = draw() % ARRAY_LEN(elements), p = draw() % ARRAY_LEN(places);
  run_blank blanks[] = {{'E', elements[e].elem},
                        {'F', elements[e].elem},
                        {'T', "128"},
                        {'I', places[p].i},
                        {'J', places[p].j},
                        {'M', memories[draw() % ARRAY_LEN(memories)]},
                        {'P', distributions[draw() % ARRAY_LEN(distributions)]},
                        {'Q', distributions[draw() % ARRAY_LEN(distributions)]},
                        {'O', distributions[draw() % ARRAY_LEN(distributions)]},
                        {'1', store},
                        {'2', load},
                        {0}};
  run_fill(text, sizeof text,
           by_copy ? HEAD VIEWS BY_COPY AND_BACK TAIL : HEAD VIEWS BY_REGISTERS AND_BACK TAIL,
           blanks);
  check(text, places[p].m, places[p].n, (run_grid){1, 1, 1}, places[p].shift);
}

static void test_registers(void **state) {
  (void)state;
  fill_any();
  for (unsigned i = 0; i < 60; i++) through_memory(false, 7 * i + 3);
}

static void test_copies(void **state) {
  (void)state;
  fill_any();
  for (unsigned i = 0; i < 60; i++) through_memory(true, 5 * i + 1);
}

static void test_copy_widths(void **state) {
  (void)state;
  static const struct {
    const char *elem, *by, *memory, *instruction;
  } cases[] = {
      {"f16", "spatial(16, 8).local(2, 8)", "(32,64):(64,1)", "cp.async.cg.shared.global.L2::128B"},
      {"f16", "spatial(8, 16).local(4, 4)", "(32,64):(64,1)", "cp.async.ca.shared.global"},
      {"f32", "spatial(4, 32).local(8, 2)", "(32,64):(65,1)", ", 4,"},
      {"i8", "spatial(8, 16).local(4, 4)", "(32,64):(64,1)", ", 4,"},
      {"f16", "spatial(8, 16).local(4, 4)", "(32,64):(1,32)", "st.shared"},
      {"i8", "spatial(4, 32).local(8, 2)", "(32,64):(64,1)", "st.shared"},
  };
  fill_any();
  for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
    char text[8192];
    run_blank blanks[] = {{'E', cases[i].elem},
                          {'F', cases[i].elem},
                          {'T', "128"},
                          {'I', "0"},
                          {'J', "0"},
                          {'M', cases[i].memory},
                          {'P', cases[i].by},
                          {'Q', distributions[0]},
                          {'O', distributions[0]},
                          {'2', ""},
                          {0}};
    run_fill(text, sizeof text, HEAD VIEWS BY_COPY AND_BACK TAIL, blanks);
    check(text, 40, 80, (run_grid){1, 1, 1}, 0);
    expect_instruction(cases[i].instruction);
  }
}

static void test_matrices(void **state) {
  (void)state;
  static const struct {
    const char *elem, *layout, *memory, *store, *load, *instruction;
  } cases[] = {
      {"f16", "spatial(2, 2).local(1, 4) * mma.m16n8k16.C", "Sw<3,3,3> o (32,64):(64,1)",
       "stmatrix ", "ldmatrix ", "stmatrix.sync.aligned.m8n8.x4.shared"},
      {"f16", "spatial(2, 2).local(1, 4) * mma.m16n8k16.C", "(32,64):(1,40)", "stmatrix.trans ",
       "ldmatrix.trans ", "stmatrix.sync.aligned.m8n8.x4.trans.shared"},
      {"bf16", "spatial(2, 2).local(1, 4) * mma.m16n8k16.C", "(32,64):(72,1)", "", "",
       "stmatrix.sync.aligned.m8n8.x4.shared"},
      {"i8", "spatial(2, 1).replicated(1, 1, num_workers=2).local(1, 2) * mma.m16n8k32.i8.A",
       "(32,64):(80,1)", "stmatrix ", "ldmatrix ", "stmatrix.sync.aligned.m8n8.x4.shared"},
      {"f32", "spatial(2, 2).local(1, 4) * mma.m16n8k8.tf32.A", "(32,64):(68,1)", "stmatrix ",
       "ldmatrix ", "stmatrix.sync.aligned.m8n8.x4.shared"},
      {"f16", "replicated(1, 1, num_workers=2).local(2, 4).spatial(1, 2) * mma.m16n8k8.A",
       "(32,64):(72,1)", "stmatrix ", "ldmatrix ", "stmatrix.sync.aligned.m8n8.x4.shared"},
  };
  fill_any();
  for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
    char text[8192];
    run_blank blanks[] = {{'E', cases[i].elem},
                          {'F', cases[i].elem},
                          {'T', "128"},
                          {'I', "0"},
                          {'J', "0"},
                          {'M', cases[i].memory},
                          {'P', cases[i].layout},
                          {'Q', cases[i].layout},
                          {'O', distributions[0]},
                          {'1', cases[i].store},
                          {'2', cases[i].load},
                          {0}};
    run_fill(text, sizeof text, HEAD VIEWS BY_REGISTERS AND_BACK TAIL, blanks);
    check(text, 40, 80, (run_grid){1, 1, 1}, 0);
    expect_instruction(cases[i].instruction);
  }
}

/* ---- masks and padding ---------------------------------------------------------------------- */

static void test_masks(void **state) {
  (void)state;
  static const char *const paddings[] = {"zero", "neg_zero", "nan", "pos_inf", "neg_inf"};
  static const char *const elems[] = {"f32", "f16", "f8E5M2", "bf16", "f32"};
  fill_any();
  for (size_t i = 0; i < ARRAY_LEN(paddings); i++) {
    char text[8192];
    run_blank blanks[] = {{'E', elems[i]},
                          {'F', elems[i]},
                          {'T', "64"},
                          {'P', paddings[i]},
                          {'L', "spatial(64).local(4)"},
                          {0}};
    run_fill(text, sizeof text,
             HEAD "%va = make_tensor_view %a, shape = [%n], strides = [1] : tile<i32> -> "
                  "tensor_view<?x$E, strides=[1]>\n"
                  "%vr = make_tensor_view %r, shape = [%m], strides = [1] : tile<i32> -> "
                  "tensor_view<?x$E, strides=[1]>\n"
                  "%i = iota : tile<256xi32, $L>\n"
                  "%c = constant <i32: 3> : tile<256xi32, $L>\n"
                  "%r3 = remi %i, %c unsigned : tile<256xi32, $L>\n"
                  "%z3 = constant <i32: 1> : tile<256xi32, $L>\n"
                  "%k1 = cmpi not_equal %r3, %z3, signed : tile<256xi32, $L> -> tile<256xi1, $L>\n"
                  "%off = constant <i32: -4> : tile<i32>\n"
                  "%t = load_global %va[%off] mask = %k1 : tile<256xi1, $L> padding_value = $P : "
                  "tensor_view<?x$E, strides=[1]> -> tile<256x$E, $L>\n"
                  "%o = constant <i32: 2> : tile<256xi32, $L>\n"
                  "%k2 = cmpi not_equal %r3, %o, signed : tile<256xi32, $L> -> tile<256xi1, $L>\n"
                  "store_global %t, %vr[%0] mask = %k2 : tile<256xi1, $L> : tile<256x$E, $L>, "
                  "tensor_view<?x$E, strides=[1]>\n" TAIL,
             blanks);
    check(text, 256, 240, (run_grid){1, 1, 1}, 0);
  }
}

/* ---- computing ------------------------------------------------------------------------------ */

/* A tile of i32 or its like, computed with, to another. `$C` computes %y from %x. */
#define COMPUTE                                                                                    \
  "%va = make_tensor_view %a, shape = [$S], strides = [$U] : tensor_view<$W$E, strides=[$U]>\n"    \
  "%vr = make_tensor_view %r, shape = [$V], strides = [$X] : tensor_view<$Y$F, strides=[$X]>\n"    \
  "%x1 = load_global %va[$1] : tensor_view<$W$E, strides=[$U]> -> tile<$W$E, $L>\n$C"              \
  "store_global %y1, %vr[$2] : tile<$Y$F, $O>, tensor_view<$Y$F, strides=[$X]>\n"

#define SUM "(%p: tile<i32>, %q: tile<i32>) { %g = addi %p, %q : tile<i32> yield %g : tile<i32> }\n"

static const struct computed {
  const char *elem, *result;
  const char *in, *layout, *out, *out_layout; /* shapes as "32x64x" */
  const char *what;
} computations[] = {
    /* Over slots, lanes and warps. */
    {"i32", "i32", "32x64x", "spatial(4, 32).local(8, 2)", "32x",
     "reduce(spatial(4, 32).local(8, 2), dims=[1])",
     "%y1 = reduce %x1 dim=1 identities=[0 : i32] : tile<32x64xi32, $L> -> tile<32xi32, $O>\n" SUM},
    {"i32", "i32", "32x64x", "spatial(4, 32).local(8, 2)", "64x",
     "reduce(spatial(4, 32).local(8, 2), dims=[0])",
     "%y1 = reduce %x1 dim=0 identities=[0 : i32] : tile<32x64xi32, $L> -> tile<64xi32, $O>\n" SUM},
    {"i32", "i32", "32x64x", "local(4, 2).spatial(8, 4).local(1, 2).spatial(1, 4)", "32x",
     "reduce(local(4, 2).spatial(8, 4).local(1, 2).spatial(1, 4), dims=[1])",
     "%y1 = reduce %x1 dim=1 identities=[0 : i32] : tile<32x64xi32, $L> -> tile<32xi32, $O>\n" SUM},
    {"i32", "i32", "32x64x", "replicated(1, 1, num_workers=2).spatial(2, 32).local(16, 2)", "64x",
     "reduce(replicated(1, 1, num_workers=2).spatial(2, 32).local(16, 2), dims=[0])",
     "%y1 = reduce %x1 dim=0 identities=[0 : i32] : tile<32x64xi32, $L> -> tile<64xi32, $O>\n" SUM},
    /* Scans, whatever the layout. */
    {"i32", "i32", "32x64x", "spatial(8, 16).local(4, 4)", "32x64x", "spatial(8, 16).local(4, 4)",
     "%y1 = scan %x1 dim=1 reverse=false identities=[0 : i32] : tile<32x64xi32, $L> -> "
     "tile<32x64xi32, $O>\n" SUM},
    {"i32", "i32", "32x64x", "local(8, 1).spatial(4, 32).local(1, 2)", "32x64x",
     "local(8, 1).spatial(4, 32).local(1, 2)",
     "%y1 = scan %x1 dim=0 reverse=true identities=[0 : i32] : tile<32x64xi32, $L> -> "
     "tile<32x64xi32, $O>\n" SUM},
    /* Shapes. */
    {"i32", "i32", "32x64x", "spatial(4, 32).local(8, 2)", "64x32x",
     "permute(spatial(4, 32).local(8, 2), dims=[1, 0])",
     "%y1 = permute %x1 [1, 0] : tile<32x64xi32, $L> -> tile<64x32xi32, $O>\n"},
    {"i32", "i32", "32x64x", "spatial(32, 4).local(1, 16)", "2048x", "spatial(128).local(16)",
     "%y1 = reshape %x1 : tile<32x64xi32, $L> -> tile<2048xi32, $O>\n"},
    {"i32", "i32", "32x64x", "spatial(4, 32).local(8, 2)", "32x64x", "spatial(4, 32).local(8, 2)",
     "%r1 = reduce %x1 dim=1 identities=[0 : i32] : tile<32x64xi32, $L> -> tile<32xi32, "
     "reduce($L, dims=[1])>\n" SUM "%r2 = reshape %r1 : tile<32xi32, reduce($L, dims=[1])> -> "
     "tile<32x1xi32, reduce($L, dims=[1], "
     "keepdims=True)>\n"
     "%r3 = broadcast %r2 : tile<32x1xi32, reduce($L, dims=[1], keepdims=True)> -> "
     "tile<32x64xi32, $L>\n%y1 = subi %x1, %r3 : tile<32x64xi32, $L>\n"},
    {"i32", "i32", "32x64x", "local(2, 2).spatial(8, 16).local(2, 2)", "16x32x",
     "spatial(8, 16).local(2, 2)",
     "%y1 = extract %x1[%1, %0] : tile<32x64xi32, $L> -> tile<16x32xi32, $O>\n"},
    {"i32", "i32", "32x64x", "local(2, 2).spatial(8, 16).local(2, 2)", "32x64x",
     "local(2, 2).spatial(8, 16).local(2, 2)",
     "%p1 = extract %x1[%m, %0] : tile<32x64xi32, $L> -> tile<16x32xi32, spatial(8, 16).local(2, "
     "2)>\n"
     "%p2 = extract %x1[%0, %1] : tile<32x64xi32, $L> -> tile<16x32xi32, spatial(8, 16).local(2, "
     "2)>\n"
     "%y0 = insert %p1, %x1[%0, %1] : tile<16x32xi32, spatial(8, 16).local(2, 2)>, tile<32x64xi32, "
     "$L> -> tile<32x64xi32, $L>\n"
     "%y1 = insert %p2, %y0[%1, %m] : tile<16x32xi32, spatial(8, 16).local(2, 2)>, tile<32x64xi32, "
     "$L> -> tile<32x64xi32, $L>\n"},
    {"i32", "i32", "32x64x", "spatial(8, 16).local(4, 4)", "32x128x",
     "local(1, 2).spatial(8, 16).local(4, 4)",
     "%y1 = cat %x1, %x1 dim = 1 : tile<32x64xi32, $L>, tile<32x64xi32, $L> -> tile<32x128xi32, "
     "$O>\n"},
    /* Bits. */
    {"f16", "i32", "32x64x", "spatial(8, 16).local(4, 4)", "32x32x", "spatial(8, 16).local(4, 2)",
     "%y1 = reinterpret %x1 : tile<32x64xf16, $L> -> tile<32x32xi32, $O>\n"},
    {"i32", "i8", "32x64x", "spatial(8, 16).local(4, 4)", "32x256x", "spatial(8, 16).local(4, 16)",
     "%y1 = reinterpret %x1 : tile<32x64xi32, $L> -> tile<32x256xi8, $O>\n"},
    /* Who is who. */
    {"i32", "i32", "32x64x", "spatial(8, 16).local(4, 4)", "128x", "spatial(128)",
     "%w1 = get_worker : tile<128xi32, spatial(128)>\n"
     "%y1 = muli %w1, %w1 : tile<128xi32, spatial(128)>\n"},
    {"i32", "i32", "32x64x", "spatial(8, 16).local(4, 4)", "128x",
     "spatial(4).replicated(1, num_workers=2).spatial(16).local(2)",
     "%w1 = get_worker : tile<128xi32, spatial(128)>\n"
     "%y1 = convert_layout %w1 : tile<128xi32, spatial(128)> -> tile<128xi32, $O>\n"},
    /* Accesses through pointers. */
    {"i32", "i32", "2048x", "spatial(128).local(16)", "2048x", "local(8).spatial(128).local(2)",
     "%p0 = reshape %b : tile<ptr<i32>> -> tile<1xptr<i32>, replicated(1, num_workers=128)>\n"
     "%p1 = broadcast %p0 : tile<1xptr<i32>, replicated(1, num_workers=128)> -> "
     "tile<2048xptr<i32>, "
     "$L>\n%i1 = iota : tile<2048xi32, $L>\n"
     "%p2 = offset %p1, %i1 : tile<2048xptr<i32>, $L>, tile<2048xi32, $L> -> tile<2048xptr<i32>, "
     "$L>\n%w1, %t1 = load_ptr_tko weak %p2 : tile<2048xptr<i32>, $L> -> tile<2048xi32, $L>, "
     "token\n"
     "%w2 = addi %w1, %x1 : tile<2048xi32, $L>\n"
     "%r0 = reshape %r : tile<ptr<i32>> -> tile<1xptr<i32>, replicated(1, num_workers=128)>\n"
     "%r1 = broadcast %r0 : tile<1xptr<i32>, replicated(1, num_workers=128)> -> "
     "tile<2048xptr<i32>, "
     "$L>\n%c9 = constant <i32: 4096> : tile<2048xi32, $L>\n"
     "%x0 = reshape %x : tile<i32> -> tile<1xi32, replicated(1, num_workers=128)>\n"
     "%x2 = broadcast %x0 : tile<1xi32, replicated(1, num_workers=128)> -> tile<2048xi32, $L>\n"
     "%x3 = muli %x2, %c9 : tile<2048xi32, $L>\n%x4 = addi %x3, %c9 : tile<2048xi32, $L>\n"
     "%i2 = addi %i1, %x4 : tile<2048xi32, $L>\n"
     "%r2 = offset %r1, %i2 : tile<2048xptr<i32>, $L>, tile<2048xi32, $L> -> tile<2048xptr<i32>, "
     "$L>\n%t2 = store_ptr_tko weak %r2, %w2 token = %t1 : tile<2048xptr<i32>, $L>, tile<2048xi32, "
     "$L> -> token\n"
     "%o1, %t3 = atomic_rmw_tko relaxed device %r2, add, %x1 token = %t2 : tile<2048xptr<i32>, "
     "$L>, "
     "tile<2048xi32, $L> -> tile<2048xi32, $L>, token\n"
     "%y1 = convert_layout %o1 : tile<2048xi32, $L> -> tile<2048xi32, $O>\n"},
    /* Shared memory that loops and branches hand on: two swizzled slots that change places. */
    {"i32", "i32", "32x64x", "spatial(8, 16).local(4, 4)", "32x64x", "spatial(8, 16).local(4, 4)",
     "%s0 = alloc_shared : shared<2x32x64xi32, Sw<3,2,3> o (2,32,64):(2048,64,1)>\n"
     "%f0 = subview %s0[%0] : shared<2x32x64xi32, Sw<3,2,3> o (2,32,64):(2048,64,1)> -> "
     "shared<32x64xi32, Sw<3,2,3> o (32,64):(64,1)>\n"
     "%f1 = subview %s0[%1] : shared<2x32x64xi32, Sw<3,2,3> o (2,32,64):(2048,64,1)> -> "
     "shared<32x64xi32, Sw<3,2,3> o (32,64):(64,1)>\n"
     "store_shared %x1, %f1 : tile<32x64xi32, $L>, shared<32x64xi32, Sw<3,2,3> o (32,64):(64,1)>\n"
     "%c5 = constant <i32: 5> : tile<i32>\n"
     "%g0, %g1 = for %i in (%0 to %c5, step %1) : tile<i32> iter_values(%h0 = %f0, %h1 = %f1) -> "
     "(shared<32x64xi32, Sw<3,2,3> o (32,64):(64,1)>, shared<32x64xi32, Sw<3,2,3> o "
     "(32,64):(64,1)>) "
     "{\nbarrier\n"
     "%v1 = load_shared %h1 : shared<32x64xi32, Sw<3,2,3> o (32,64):(64,1)> -> tile<32x64xi32, "
     "spatial(4, 32).local(8, 2)>\n"
     "%v2 = addi %v1, %v1 : tile<32x64xi32, spatial(4, 32).local(8, 2)>\n"
     "store_shared %v2, %h0 : tile<32x64xi32, spatial(4, 32).local(8, 2)>, shared<32x64xi32, "
     "Sw<3,2,3> o (32,64):(64,1)>\n"
     "continue %h1, %h0 : shared<32x64xi32, Sw<3,2,3> o (32,64):(64,1)>, shared<32x64xi32, "
     "Sw<3,2,3> "
     "o (32,64):(64,1)> }\n"
     "%k = cmpi equal %x, %0, signed : tile<i32> -> tile<i1>\n"
     "%l = if %k -> (shared<32x64xi32, Sw<3,2,3> o (32,64):(64,1)>) { yield %g0 : "
     "shared<32x64xi32, "
     "Sw<3,2,3> o (32,64):(64,1)> } else { yield %g1 : shared<32x64xi32, Sw<3,2,3> o "
     "(32,64):(64,1)> "
     "}\nbarrier\n"
     "%y1 = load_shared %l : shared<32x64xi32, Sw<3,2,3> o (32,64):(64,1)> -> tile<32x64xi32, "
     "$O>\n"},
    /* More shared memory than a launch has by itself, and memory that is given out again. */
    {"i32", "i32", "32x64x", "spatial(8, 16).local(4, 4)", "32x64x", "spatial(8, 16).local(4, 4)",
     "%s0 = alloc_shared : shared<12x32x64xi32>\n"
     "%p0 = subview %s0[%m] : shared<12x32x64xi32> -> shared<32x64xi32>\n"
     "store_shared %x1, %p0 : tile<32x64xi32, $L>, shared<32x64xi32>\nbarrier\n"
     "%y1 = load_shared %p0 : shared<32x64xi32> -> tile<32x64xi32, $O>\n"},
    {"i32", "i32", "32x64x", "spatial(8, 16).local(4, 4)", "32x64x", "spatial(4, 32).local(8, 2)",
     "%s0 = alloc_shared : shared<32x64xi32>\n"
     "store_shared %x1, %s0 : tile<32x64xi32, $L>, shared<32x64xi32>\nbarrier\n"
     "%w0 = load_shared %s0 : shared<32x64xi32> -> tile<32x64xi32, $O>\nbarrier\n"
     "free_shared %s0 : shared<32x64xi32>\n"
     "%s1 = alloc_shared : shared<64x32xi32>\n"
     "%t1 = permute_view %s1 [1, 0] : shared<64x32xi32> -> shared<32x64xi32, (32,64):(1,32)>\n"
     "store_shared %w0, %t1 : tile<32x64xi32, $O>, shared<32x64xi32, (32,64):(1,32)>\nbarrier\n"
     "%y1 = load_shared %t1 : shared<32x64xi32, (32,64):(1,32)> -> tile<32x64xi32, $O>\n"},
    /* What is loaded and carried stays in words. */
    {"f16", "f16", "32x64x", "spatial(8, 16).local(4, 4)", "32x64x", "spatial(8, 16).local(4, 4)",
     "%s0 = alloc_shared : shared<32x64xf16>\n"
     "store_shared %x1, %s0 : tile<32x64xf16, $L>, shared<32x64xf16>\nbarrier\n"
     "%w0 = load_shared %s0 : shared<32x64xf16> -> tile<32x64xf16, $L>\n"
     "%c3 = constant <i32: 3> : tile<i32>\n%c2 = constant <f16: 0.5> : tile<32x64xf16, $L>\n"
     "%f1, %f2 = for %i in (%0 to %c3, step %1) : tile<i32> iter_values(%h1 = %w0, %h2 = %x1) -> "
     "(tile<32x64xf16, $L>, tile<32x64xf16, $L>) {\n"
     "%i2 = addf %h2, %h1 rounding<nearest_even> : tile<32x64xf16, $L>\n"
     "%n1 = load_shared %s0 : shared<32x64xf16> -> tile<32x64xf16, $L>\n"
     "%n2 = mulf %i2, %c2 rounding<nearest_even> : tile<32x64xf16, $L>\n"
     "continue %n1, %n2 : tile<32x64xf16, $L>, tile<32x64xf16, $L> }\n"
     "%y1 = addf %f1, %f2 rounding<nearest_even> : tile<32x64xf16, $L>\n"},
    /* Control flow: what loops and branches carry. */
    {"i32", "i32", "32x64x", "spatial(8, 16).local(4, 4)", "32x64x", "spatial(4, 32).local(8, 2)",
     "%c5 = constant <i32: 5> : tile<i32>\n"
     "%f1 = for %i in (%0 to %c5, step %1) : tile<i32> iter_values(%acc = %x1) -> (tile<32x64xi32, "
     "$L>) {\n"
     "%d1 = convert_layout %acc : tile<32x64xi32, $L> -> tile<32x64xi32, $O>\n"
     "%d2 = addi %d1, %d1 : tile<32x64xi32, $O>\n"
     "%d3 = convert_layout %d2 : tile<32x64xi32, $O> -> tile<32x64xi32, $L>\n"
     "%d4 = addi %d3, %x1 : tile<32x64xi32, $L>\n"
     "continue %d4 : tile<32x64xi32, $L> }\n"
     "%y1 = convert_layout %f1 : tile<32x64xi32, $L> -> tile<32x64xi32, $O>\n"},
    {"i32", "i32", "32x64x", "spatial(8, 16).local(4, 4)", "32x64x", "spatial(8, 16).local(4, 4)",
     "%k = cmpi equal %x, %0, signed : tile<i32> -> tile<i1>\n"
     "%y1 = if %k -> (tile<32x64xi32, $L>) { %h = addi %x1, %x1 : tile<32x64xi32, $L> yield %h : "
     "tile<32x64xi32, $L> } else { yield %x1 : tile<32x64xi32, $L> }\n"},
    /* Products by threads. */
    {"i32", "i32", "32x64x", "spatial(8, 16).local(4, 4)", "32x64x", "spatial(8, 16).local(4, 4)",
     "%e1 = trunci %x1 : tile<32x64xi32, $L> -> tile<32x64xi8, $L>\n"
     "%e2 = convert_layout %e1 : tile<32x64xi8, $L> -> tile<32x64xi8, "
     "spatial(8, 1).replicated(1, 1, num_workers=16).local(4, 64)>\n"
     "%e3 = permute %e1 [1, 0] : tile<32x64xi8, $L> -> tile<64x32xi8, permute($L, dims=[1, 0])>\n"
     "%e4 = convert_layout %e3 : tile<64x32xi8, permute($L, dims=[1, 0])> -> tile<64x32xi8, "
     "replicated(1, 1, num_workers=8).spatial(1, 16).local(64, 2)>\n"
     "%z1 = constant <i32: 7> : tile<32x32xi32, spatial(8, 16).local(4, 2)>\n"
     "%z2 = mmai %e2, %e4, %z1 signed signed : tile<32x64xi8, spatial(8, 1).replicated(1, 1, "
     "num_workers=16).local(4, 64)>, tile<64x32xi8, replicated(1, 1, num_workers=8).spatial(1, "
     "16).local(64, 2)>, tile<32x32xi32, spatial(8, 16).local(4, 2)>\n"
     "%y1 = cat %z2, %z2 dim = 1 : tile<32x32xi32, spatial(8, 16).local(4, 2)>, tile<32x32xi32, "
     "spatial(8, 16).local(4, 2)> -> tile<32x64xi32, local(1, 2).spatial(8, 16).local(4, 2)>\n"},
};

/* "32x64x" as "32, 64", its strides, and as many zeros. */
static void spell_shape(const char *shape, char *sizes, char *strides, char *zeros) {
  unsigned n[2] = {0, 0}, rank = (unsigned)sscanf(shape, "%ux%ux", &n[0], &n[1]);
  sprintf(sizes, rank == 2 ? "%u, %u" : "%u", n[0], n[1]);
  sprintf(strides, rank == 2 ? "%u,1" : "1", n[1]);
  strcpy(zeros, rank == 2 ? "%0, %0" : "%0");
}

static void test_computations(void **state) {
  (void)state;
  fill_any();
  for (size_t i = 0; i < ARRAY_LEN(computations); i++) {
    const struct computed *c = &computations[i];
    char text[8192], sizes[2][32], strides[2][32], zeros[2][32];
    const char *out_layout =
        strstr(c->what, "%y1 = cat %z2") ? "local(1, 2).spatial(8, 16).local(4, 2)" : c->out_layout;
    spell_shape(c->in, sizes[0], strides[0], zeros[0]);
    spell_shape(c->out, sizes[1], strides[1], zeros[1]);
    run_blank blanks[] = {
        {'E', c->elem},   {'F', c->result},  {'T', "128"},      {'C', c->what},  {'S', sizes[0]},
        {'V', sizes[1]},  {'U', strides[0]}, {'X', strides[1]}, {'W', c->in},    {'Y', c->out},
        {'L', c->layout}, {'O', out_layout}, {'1', zeros[0]},   {'2', zeros[1]}, {0}};
    run_fill(text, sizeof text, HEAD COMPUTE TAIL, blanks);
    check(text, 1, 0, (run_grid){1, 1, 1}, 0);
    if (strstr(c->what, "free_shared")) expect_instruction("tessera_scratch_k[8192]");
  }
}

/* ---- products ------------------------------------------------------------------------------- */

/* Small integers as elements, to shared memory and from there into fragments. */
#define OPERAND(v, shape, strides, copy, layout, memory, by)                                       \
  "%v" v " = make_tensor_view %" v ", shape = [" strides "] : tensor_view<" shape                  \
  "i8, strides=[64,1]>\n%b" v " = load_global %v" v "[%0, %0] : tensor_view<" shape                \
  "i8, strides=[64,1]> -> tile<" shape "i8, $P>\n%c" v " = constant <i8: 3> : tile<" shape         \
  "i8, $P>\n%d" v " = andi %b" v ", %c" v " : tile<" shape "i8, $P>\n%o" v                         \
  " = constant <i8: 1> : tile<" shape "i8, $P>\n%e" v " = subi %d" v ", %o" v " : tile<" shape     \
  "i8, $P>\n" copy "%s" v " = alloc_shared : shared<" shape "$E, " memory ">\nstore_shared %g" v   \
  ", %s" v " : tile<" shape "$E, $P>, shared<" shape "$E, " memory ">\nbarrier\n%l" v              \
  " = load_shared " by "%s" v " : shared<" shape "$E, " memory "> -> tile<" shape "$E, " layout    \
  ">\n"
#define CONVERTED(v)                                                                               \
  "%f" v " = itof %e" v " signed : tile<64x64xi8, $P> -> tile<64x64xf32, $P>\n%g" v " = ftof %f" v \
  " : tile<64x64xf32, $P> -> tile<64x64x$E, $P>\n"
#define WIDENED(v) "%g" v " = itof %e" v " signed : tile<64x64xi8, $P> -> tile<64x64x$E, $P>\n"
#define AS_IT_IS(v)                                                                                \
  "%y" v " = constant <i8: 0> : tile<64x64xi8, $P>\n%g" v " = addi %e" v ", %y" v                  \
  " : tile<64x64xi8, $P>\n"
#define PRODUCT(convert)                                                                           \
  OPERAND("a", "64x64x", "64, 64], strides = [64, 1", convert("a"), "$K", "$M", "$1")              \
  OPERAND("b", "64x64x", "64, 64], strides = [64, 1", convert("b"), "$L", "$N", "$2")              \
  "%h = constant <$F: $3> : tile<64x64x$F, $O>\n"                                                  \
  "%k = $4 %la, %lb, %h $5: tile<64x64x$E, $K>, tile<64x64x$E, $L>, tile<64x64x$F, $O>\n"          \
  "%vr = make_tensor_view %r, shape = [64, 64], strides = [64, 1] : tensor_view<64x64x$F, "        \
  "strides=[64,1]>\nstore_global %k, %vr[%0, %0] : tile<64x64x$F, $O>, tensor_view<64x64x$F, "     \
  "strides=[64,1]>\n"

static void test_products(void **state) {
  (void)state;
#define LINES   "Sw<3,3,3> o (64,64):(64,1)"
#define COLUMNS "Sw<3,4,3> o (64,64):(1,64)"
#define WIDE    "Sw<3,2,3> o (64,64):(64,1)"
  static const struct {
    const char *text, *elem, *sum, *fragment;
    unsigned m, n, k; /* fragments in the tile */
    const char *a, *b, *load_a, *load_b, *zero, *op, *signs, *target, *instruction, *load;
  } cases[] = {
      {PRODUCT(CONVERTED), "f16", "f32", "mma.m16n8k16", 4, 8, 4, LINES, LINES, "ldmatrix ",
       "ldmatrix.trans ", "1.0", "mmaf", "", "sm_80", "m16n8k16.row.col.f32.f16.f16.f32",
       "m8n8.x4.trans.shared"},
      {PRODUCT(CONVERTED), "bf16", "f32", "mma.m16n8k16", 4, 8, 4, LINES, COLUMNS, "ldmatrix ",
       "ldmatrix ", "1.0", "mmaf", "", "sm_80", "m16n8k16.row.col.f32.bf16.bf16.f32",
       "m8n8.x4.shared"},
      {PRODUCT(CONVERTED), "f16", "f16", "mma.m16n8k16", 4, 8, 4, "(64,64):(1,72)",
       "(64,64):(72,1)", "ldmatrix.trans ", "", "1.0", "mmaf", "", "sm_80", "m16n8k16",
       "m8n8.x4.trans.shared"},
      {PRODUCT(AS_IT_IS), "i8", "i32", "mma.m16n8k32.i8", 4, 8, 2, "Sw<2,4,3> o (64,64):(64,1)",
       COLUMNS, "ldmatrix ", "ldmatrix ", "5", "mmai", "signed signed ", "sm_80",
       "m16n8k32.row.col.s32.s8.s8.s32", "m8n8.x4.shared"},
      {PRODUCT(AS_IT_IS), "i8", "i32", "mma.m16n8k32.i8", 4, 8, 2, "(64,64):(68,1)",
       "(64,64):(64,1)", "", "", "5", "mmai", "unsigned signed ", "sm_80",
       "m16n8k32.row.col.s32.u8.s8.s32", "ld.shared"},
      {PRODUCT(CONVERTED), "tf32", "f32", "mma.m16n8k8.tf32", 4, 8, 8, WIDE, "(64,64):(1,68)",
       "ldmatrix ", "ldmatrix ", "1.0", "mmaf", "", "sm_80", "m16n8k8.row.col.f32.tf32.tf32.f32",
       "m8n8.x4.shared"},
      {PRODUCT(WIDENED), "f64", "f64", "mma.m8n8k4.f64", 8, 8, 16, "(64,64):(64,1)",
       "(64,64):(64,1)", "", "", "1.0", "mmaf", "", "sm_80", "m8n8k4.row.col.f64.f64.f64.f64",
       "ld.shared"},
      {PRODUCT(CONVERTED), "f8E4M3FN", "f32", "mma.m16n8k32.f8", 4, 8, 2,
       "Sw<2,4,3> o (64,64):(64,1)", COLUMNS, "ldmatrix ", "", "1.0", "mmaf", "", "sm_89",
       "m16n8k32.row.col.f32.e4m3.e4m3.f32", "m8n8.x4.shared"},
      {PRODUCT(CONVERTED), "f8E5M2", "f32", "mma.m16n8k32.f8", 4, 8, 2, "(64,64):(80,1)", COLUMNS,
       "ldmatrix ", "ldmatrix ", "1.0", "mmaf", "", "sm_90a", "m16n8k32.row.col.f32.e5m2.e5m2.f32",
       "m8n8.x4.shared"},
  };
  fill_any();
  for (size_t i = 0; i < ARRAY_LEN(cases); i++)
    for (unsigned grid = 0; grid < 3; grid++) { /* warps along m, n, or both */
      char text[16384], a[160], b[160], c[160];
      unsigned rows = grid == 0 ? 4 : grid == 1 ? 1 : 2, columns = 4 / rows;
      const char *f = cases[i].fragment;
      snprintf(a, sizeof a, "spatial(%u, 1).replicated(1, 1, num_workers=%u).local(%u, %u) * %s.A",
               rows, columns, cases[i].m / rows, cases[i].k, f);
      snprintf(b, sizeof b, "replicated(1, 1, num_workers=%u).spatial(1, %u).local(%u, %u) * %s.B",
               rows, columns, cases[i].k, cases[i].n / columns, f);
      snprintf(c, sizeof c, "spatial(%u, %u).local(%u, %u) * %s.C", rows, columns,
               cases[i].m / rows, cases[i].n / columns, f);
      run_blank blanks[] = {{'E', cases[i].elem},
                            {'F', cases[i].sum},
                            {'T', "128"},
                            {'P', "spatial(8, 16).local(8, 4)"},
                            {'K', a},
                            {'L', b},
                            {'O', c},
                            {'M', cases[i].a},
                            {'N', cases[i].b},
                            {'1', cases[i].load_a},
                            {'2', cases[i].load_b},
                            {'3', cases[i].zero},
                            {'4', cases[i].op},
                            {'5', cases[i].signs},
                            {0}};
      char head[8192];
      engine_target = gpu_find_target(cases[i].target);
      snprintf(head, sizeof head, "%s%s%s",
               "cuda_tile.module @m { entry @k(%a: tile<ptr<i8>>, %b: tile<ptr<i8>>, %r: "
               "tile<ptr<$F>>, %m: tile<i32>, %n: tile<i32>) threads($T) {\n"
               "%0 = constant <i32: 0> : tile<i32>\n",
               cases[i].text, TAIL);
      run_fill(text, sizeof text, head, blanks);
      check(text, 0, 0, (run_grid){1, 1, 1}, 0);
      expect_instruction(cases[i].instruction);
      expect_instruction(cases[i].load);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TARGET(test_registers, "sm_80"),     TARGET(test_copies, "sm_80"),
      TARGET(test_copy_widths, "sm_80"),   TARGET(test_matrices, "sm_90a"),
      TARGET(test_registers, "sm_90a"),    TARGET(test_masks, "sm_80"),
      TARGET(test_products, "sm_80"),      TARGET(test_computations, "sm_80"),
      TARGET(test_computations, "sm_90a"),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
