/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What goes in front of loops that don't change it (gpu_move_invariants), and what may not,
 * whatever it is computed from: instructions that are made by hand in a loop within a loop; and
 * addresses of a kernel's loop.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gpu_engine.h"

#include "gpu/code.h"
#include "gpu/invariant.h"

#include "llvm_text.h"

/* ---- two loops ------------------------------------------------------------------------------ */

/* start; outer loop: header, then its body, in which the inner loop: header, body, latch. The
 * builder is at the end of the inner loop's body. */
typedef struct loops {
  gen g;
  llv a, b, c, p;            /* the function's: i32, i32, i1, a pointer */
  llv outside, outer, inner; /* i32, made in front of the loops and at their heads */
  llv outer_index, inner_index;
  llblock start, outer_head, outer_body, inner_head, inner_body, latch;
} loops;

static void make_function(unit *u, loops *l) {
  emit *e = &u->e;
  LLVMTypeRef types[] = {e->i32, e->i32, e->i1, e->ptr};
  l->g = (gen){.e = *e, .arena = &u->arena};
  l->g.function = LLVMAddFunction(e->module, "f", LLVMFunctionType(e->void_, types, 4, 0));
  llv *params[] = {&l->a, &l->b, &l->c, &l->p};
  for (unsigned i = 0; i < 4; i++) *params[i] = LLVMGetParam(l->g.function, i);
}

/* A loop's header: continues in `body`; *index: its phi. */
static llblock open_head(loops *l, llblock before, llv *index) {
  gen *g = &l->g;
  llblock head = gpu_new_block(g, "head");
  gpu_go(g, head);
  gpu_loop_open(g, before, head);
  *index = LLVMBuildPhi(g->e.b, g->e.i32, "");
  LLVMAddIncoming(*index, &l->a, &before, 1);
  return head;
}

static void begin_loops(unit *u, loops *l) {
  gen *g = &l->g;
  make_function(u, l);
  LLVMBuilderRef b = g->e.b;
  l->start = gpu_new_block(g, "start");
  LLVMPositionBuilderAtEnd(b, l->start);
  l->outside = LLVMBuildMul(b, l->a, l->b, "outside");
  l->outer_head = open_head(l, l->start, &l->outer_index);
  l->outer = add_of(g, l->outer_index, l->b);
  l->outer_body = gpu_new_block(g, "body");
  gpu_go(g, l->outer_body);
  l->inner_head = open_head(l, l->outer_body, &l->inner_index);
  l->inner = add_of(g, l->inner_index, l->b);
  l->inner_body = gpu_new_block(g, "body");
  l->latch = gpu_new_block(g, "latch");
  LLVMBuildCondBr(b, l->c, l->inner_body, l->latch);
  LLVMPositionBuilderAtEnd(b, l->inner_body);
}

static void end_loops(loops *l) {
  gen *g = &l->g;
  LLVMBuilderRef b = g->e.b;
  llblock outer_latch = gpu_new_block(g, "latch"), exit = gpu_new_block(g, "exit");
  gpu_go(g, l->latch);
  LLVMAddIncoming(l->inner_index, &l->inner_index, &l->latch, 1);
  LLVMBuildCondBr(b, l->c, l->inner_head, outer_latch);
  gpu_loop_close(g);
  LLVMPositionBuilderAtEnd(b, outer_latch);
  LLVMAddIncoming(l->outer_index, &l->outer_index, &outer_latch, 1);
  LLVMBuildCondBr(b, l->c, l->outer_head, exit);
  gpu_loop_close(g);
  LLVMPositionBuilderAtEnd(b, exit);
  LLVMBuildRetVoid(b);
  assert_int_equal(g->loops.len, 0);
}

/* An instruction of two operands, made where the builder is. */
typedef llv (*maker)(loops *l, llv x, llv y);

/* Where it is when it was made in the inner loop's body and its invariants moved. */
static llblock place_of(loops *l, maker make, llv x, llv y) {
  gpu_place since = gpu_here(&l->g);
  llv made = make(l, x, y);
  gpu_move_invariants(&l->g, since);
  assert_ptr_equal(LLVMGetInsertBlock(l->g.e.b), l->inner_body);
  return LLVMGetInstructionParent(made);
}

/* ---- what may move -------------------------------------------------------------------------- */

#define BINARY(name)                                                                               \
  static llv make_##name(loops *l, llv x, llv y) {                                                 \
    return LLVMBuild##name(l->g.e.b, x, y, "");                                                    \
  }
BINARY(Add)
BINARY(Sub)
BINARY(Mul)
BINARY(Shl)
BINARY(LShr)
BINARY(And)
BINARY(Or)
BINARY(Xor)
BINARY(UDiv)
BINARY(SDiv)
BINARY(URem)
BINARY(SRem)

static llv make_compare(loops *l, llv x, llv y) {
  return LLVMBuildICmp(l->g.e.b, LLVMIntULT, x, y, "");
}
static llv make_select(loops *l, llv x, llv y) {
  return LLVMBuildSelect(l->g.e.b, l->c, x, y, "");
}
static llv make_wide(loops *l, llv x, llv y) {
  (void)y;
  return LLVMBuildZExt(l->g.e.b, x, l->g.e.i64, "");
}
static llv make_signed_wide(loops *l, llv x, llv y) {
  (void)y;
  return LLVMBuildSExt(l->g.e.b, x, l->g.e.i64, "");
}
static llv make_narrow(loops *l, llv x, llv y) {
  (void)y;
  return LLVMBuildTrunc(l->g.e.b, x, l->g.e.i8, "");
}
static llv make_least(loops *l, llv x, llv y) {
  return emit_intrinsic(&l->g.e, "llvm.umin", &l->g.e.i32, 1, (llv[]){x, y}, 2);
}
static llv make_rest(loops *l, llv x, llv y) {
  return emit_intrinsic(&l->g.e, "llvm.usub.sat", &l->g.e.i32, 1, (llv[]){x, y}, 2);
}

static const maker harmless[] = {
    make_Add,  make_Sub,         make_Mul,    make_Shl,     make_LShr,
    make_And,  make_Or,          make_Xor,    make_compare, make_select,
    make_wide, make_signed_wide, make_narrow, make_least,   make_rest,
};

/* Each goes as far out as its operands let it. */
static void check_harmless(unit *u, void *user) {
  (void)user;
  loops l;
  begin_loops(u, &l);
  for (size_t i = 0; i < ARRAY_LEN(harmless); i++) {
    const struct {
      llv x, y;
      llblock place;
    } cases[] = {{l.a, l.b, l.start},
                 {l.outside, l.outside, l.start},
                 {l.outside, k32(&l.g, 7), l.start},
                 {l.outer_index, l.outer_index, l.outer_body},
                 {l.outer, l.outside, l.outer_body},
                 {l.inner_index, l.a, l.inner_body},
                 {l.inner, l.outer, l.inner_body}};
    for (size_t k = 0; k < ARRAY_LEN(cases); k++)
      if (place_of(&l, harmless[i], cases[k].x, cases[k].y) != cases[k].place)
        fail_msg("instruction %zu, operands %zu", i, k);
  }
  end_loops(&l);
}

static void test_harmless(void **state) {
  (void)state;
  llvm_run(NULL, check_harmless, NULL);
}

/* What is computed from what has moved moves as well; the order stays, so that each comes behind
 * what it is computed from (which LLVM's verifier looks at). */
static void check_chain(unit *u, void *user) {
  (void)user;
  loops l;
  begin_loops(u, &l);
  gen *g = &l.g;
  LLVMBuilderRef b = g->e.b;
  gpu_place since = gpu_here(g);
  llv x = LLVMBuildMul(b, l.a, l.a, ""), y = add_of(g, x, l.outside), z = add_of(g, y, l.outer);
  llv last = add_of(g, z, l.inner), wide = LLVMBuildZExt(b, y, g->e.i64, "");
  gpu_move_invariants(g, since);
  llv order[] = {x, y, wide};
  for (unsigned i = 0; i < 3; i++) {
    assert_ptr_equal(LLVMGetInstructionParent(order[i]), l.start);
    if (i) assert_ptr_equal(LLVMGetNextInstruction(order[i - 1]), order[i]);
  }
  assert_ptr_equal(LLVMGetInstructionParent(z), l.outer_body);
  assert_ptr_equal(LLVMGetInstructionParent(last), l.inner_body);
  assert_true(gpu_is_invariant(g, z));
  assert_false(gpu_is_invariant(g, last));
  end_loops(&l);
}

static void test_chain(void **state) {
  (void)state;
  llvm_run(NULL, check_chain, NULL);
}

/* ---- what may not --------------------------------------------------------------------------- */

static llv make_load(loops *l, llv x, llv y) {
  (void)x, (void)y;
  return LLVMBuildLoad2(l->g.e.b, l->g.e.i32, l->p, "");
}
static llv make_volatile_load(loops *l, llv x, llv y) {
  llv load = make_load(l, x, y);
  LLVMSetVolatile(load, 1);
  return load;
}
static llv make_store(loops *l, llv x, llv y) {
  (void)y;
  return LLVMBuildStore(l->g.e.b, x, l->p);
}
static llv make_atomic(loops *l, llv x, llv y) {
  (void)y;
  return LLVMBuildAtomicRMW(l->g.e.b, LLVMAtomicRMWBinOpAdd, l->p, x, LLVMAtomicOrderingMonotonic,
                            0);
}
static llv make_fence(loops *l, llv x, llv y) {
  (void)x, (void)y;
  return LLVMBuildFence(l->g.e.b, LLVMAtomicOrderingSequentiallyConsistent, 0, "");
}
static llv make_barrier(loops *l, llv x, llv y) {
  (void)x, (void)y;
  llv zero = k32(&l->g, 0);
  return emit_intrinsic(&l->g.e, "llvm.nvvm.barrier.cta.sync.aligned.all", NULL, 0, &zero, 1);
}
static llv make_warp_barrier(loops *l, llv x, llv y) {
  (void)x, (void)y;
  llv all = k32(&l->g, UINT32_MAX);
  return emit_intrinsic(&l->g.e, "llvm.nvvm.bar.warp.sync", NULL, 0, &all, 1);
}
/* Lanes give each other what they have here and now. */
static llv make_shuffle(loops *l, llv x, llv y) {
  llv args[] = {k32(&l->g, UINT32_MAX), x, y, k32(&l->g, 31)};
  return emit_intrinsic(&l->g.e, "llvm.nvvm.shfl.sync.idx.i32", NULL, 0, args, 4);
}
static llv make_clock(loops *l, llv x, llv y) {
  (void)x, (void)y;
  return emit_intrinsic(&l->g.e, "llvm.nvvm.read.ptx.sreg.clock", NULL, 0, NULL, 0);
}
static llv make_asm(loops *l, llv x, llv y) {
  return gpu_asm(&l->g, l->g.e.i32, "add.u32 $0, $1, $2;", "=r,r,r", (llv[]){x, y}, 2, false);
}
static llv make_effect(loops *l, llv x, llv y) {
  (void)y;
  return gpu_asm(&l->g, l->g.e.void_, "trap; // $0", "r,~{memory}", &x, 1, true);
}
static llv make_stack(loops *l, llv x, llv y) {
  (void)x, (void)y;
  return LLVMBuildAlloca(l->g.e.b, l->g.e.i32, "");
}
static llv make_call(loops *l, llv x, llv y) {
  (void)y;
  LLVMTypeRef type = LLVMFunctionType(l->g.e.i32, &l->g.e.i32, 1, 0);
  llv f = LLVMGetNamedFunction(l->g.e.module, "umin");
  if (!f) f = LLVMAddFunction(l->g.e.module, "umin", type);
  return LLVMBuildCall2(l->g.e.b, type, f, &x, 1, "");
}

static const maker harmful[] = {
    make_UDiv,  make_SDiv,   make_URem,   make_SRem,    make_load,         make_volatile_load,
    make_store, make_atomic, make_fence,  make_barrier, make_warp_barrier, make_shuffle,
    make_clock, make_asm,    make_effect, make_stack,   make_call,
};

static void check_harmful(unit *u, void *user) {
  (void)user;
  loops l;
  begin_loops(u, &l);
  for (size_t i = 0; i < ARRAY_LEN(harmful); i++) {
    gpu_place since = gpu_here(&l.g);
    llv made = harmful[i](&l, l.a, l.b);
    bool gives = LLVMTypeOf(made) == l.g.e.i32;
    llv user_of = gives ? add_of(&l.g, made, l.a) : NULL;
    gpu_move_invariants(&l.g, since);
    if (LLVMGetInstructionParent(made) != l.inner_body) fail_msg("instruction %zu has moved", i);
    if (gives) assert_ptr_equal(LLVMGetInstructionParent(user_of), l.inner_body);
    assert_false(gpu_is_invariant(&l.g, made));
  }
  end_loops(&l);
}

static void test_harmful(void **state) {
  (void)state;
  llvm_run(NULL, check_harmful, NULL);
}

/* ---- which code is meant -------------------------------------------------------------------- */

static void check_since(unit *u, void *user) {
  (void)user;
  loops l;
  begin_loops(u, &l);
  gen *g = &l.g;
  gpu_place first = gpu_here(g);
  llv earlier = add_of(g, l.a, l.b);
  gpu_place since = gpu_here(g);
  llv x = LLVMBuildMul(g->e.b, l.a, l.a, "");
  gpu_move_invariants(g, since);
  assert_ptr_equal(LLVMGetInstructionParent(earlier), l.inner_body);
  assert_ptr_equal(LLVMGetInstructionParent(x), l.start);
  /* in blocks of their own, nothing of that */
  llv y = LLVMBuildMul(g->e.b, l.b, l.b, "");
  llblock next = gpu_new_block(g, "next");
  gpu_go(g, next);
  gpu_place there = gpu_here(g);
  llv z = LLVMBuildMul(g->e.b, l.b, l.b, "");
  gpu_move_invariants(g, first);
  assert_ptr_equal(LLVMGetInstructionParent(y), l.inner_body);
  assert_ptr_equal(LLVMGetInstructionParent(z), next);
  gpu_move_invariants(g, there);
  assert_ptr_equal(LLVMGetInstructionParent(z), l.start);
  end_loops(&l);
}

static void test_since(void **state) {
  (void)state;
  llvm_run(NULL, check_since, NULL);
}

/* After a loop, what it made is outside of nothing but that loop; without any, nothing moves. */
static void check_closed(unit *u, void *user) {
  (void)user;
  loops l;
  begin_loops(u, &l);
  gen *g = &l.g;
  gpu_loop_close(g); /* code of the outer loop follows */
  gpu_place since = gpu_here(g);
  llv x = add_of(g, l.outside, l.a), y = add_of(g, l.outer, l.a), z = add_of(g, l.inner, l.a);
  gpu_move_invariants(g, since);
  assert_ptr_equal(LLVMGetInstructionParent(x), l.start);
  assert_ptr_equal(LLVMGetInstructionParent(y), l.inner_body);
  assert_ptr_equal(LLVMGetInstructionParent(z), l.inner_body);
  gpu_loop_close(g);
  since = gpu_here(g);
  llv last = add_of(g, l.a, l.b);
  gpu_move_invariants(g, since);
  assert_ptr_equal(LLVMGetInstructionParent(last), l.inner_body);
  assert_true(gpu_is_invariant(g, l.inner));
  gpu_loop_open(g, l.start, l.outer_head); /* as end_loops closes them */
  gpu_loop_open(g, l.outer_body, l.inner_head);
  end_loops(&l);
}

static void test_closed(void **state) {
  (void)state;
  llvm_run(NULL, check_closed, NULL);
}

/* The block in front of a loop may be newer than its header, where what enters took branches; of a
 * block that nobody has numbered nothing is known. */
static void check_numbers(unit *u, void *user) {
  (void)user;
  loops l;
  make_function(u, &l);
  gen *g = &l.g;
  LLVMBuilderRef b = g->e.b;
  llblock start = gpu_new_block(g, "start"), head = gpu_new_block(g, "head");
  llblock before = gpu_new_block(g, "before"), done = gpu_new_block(g, "done");
  LLVMPositionBuilderAtEnd(b, start);
  LLVMBuildCondBr(b, l.c, before, done);
  LLVMPositionBuilderAtEnd(b, before);
  llv x = LLVMBuildMul(b, l.a, l.b, "");
  llblock strange = LLVMAppendBasicBlockInContext(g->e.llvm, g->function, "strange");
  gpu_go(g, head);
  gpu_loop_open(g, before, head);
  llv index = LLVMBuildPhi(b, g->e.i32, "");
  gpu_go(g, strange);
  llv here = add_of(g, l.a, l.a);
  gpu_place since = gpu_here(g);
  llv y = add_of(g, x, l.a), z = add_of(g, y, l.b), w = add_of(g, here, l.a);
  gpu_move_invariants(g, since);
  assert_ptr_equal(LLVMGetInstructionParent(y), before);
  assert_ptr_equal(LLVMGetInstructionParent(z), before);
  assert_ptr_equal(LLVMGetInstructionParent(w), strange);
  assert_true(gpu_is_invariant(g, x));
  assert_false(gpu_is_invariant(g, here));
  LLVMAddIncoming(index, (llv[]){l.a, w}, (llblock[]){before, strange}, 2);
  LLVMBuildCondBr(b, l.c, head, done);
  gpu_loop_close(g);
  LLVMPositionBuilderAtEnd(b, done);
  LLVMBuildRetVoid(b);
}

static void test_numbers(void **state) {
  (void)state;
  llvm_run(NULL, check_numbers, NULL);
}

/* ---- kernels -------------------------------------------------------------------------------- */

/* Row %i of a matrix of any width, in a loop over tiles of a row: where the row begins is computed
 * once. */
static const char kernel[] =
    "cuda_tile.module @m { entry @k(%a: tile<ptr<f32>>, %c: tile<ptr<f32>>, %n: tile<i32>, "
    "%tiles: tile<i32>) {\n"
    "%av = make_tensor_view %a, shape = [%n, %n], strides = [%n, 1] : tile<i32> -> "
    "tensor_view<?x?xf32, strides=[?,1]>\n"
    "%ap = make_partition_view %av : partition_view<tile=(1x128), padding_value = zero, "
    "tensor_view<?x?xf32, strides=[?,1]>>\n"
    "%cv = make_tensor_view %c, shape = [128], strides = [1] : tensor_view<128xf32, strides=[1]>\n"
    "%cp = make_partition_view %cv : partition_view<tile=(128), tensor_view<128xf32, "
    "strides=[1]>>\n"
    "%row, %y, %z = get_tile_block_id : tile<i32>\n"
    "%zero = constant <i32: 0> : tile<i32>\n%one = constant <i32: 1> : tile<i32>\n"
    "%none = constant <f32: 0.0> : tile<1x128xf32>\n"
    "%r = for %i in (%zero to %tiles, step %one) : tile<i32> iter_values(%sum = %none) -> "
    "(tile<1x128xf32>) {\n"
    "%x, %t = load_view_tko weak %ap[%row, %i] : partition_view<tile=(1x128), padding_value = "
    "zero, tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<1x128xf32>, token\n"
    "%s = addf %sum, %x : tile<1x128xf32>\n"
    "continue %s : tile<1x128xf32>\n}\n"
    "%f = reshape %r : tile<1x128xf32> -> tile<128xf32>\n"
    "%t2 = store_view_tko weak %f, %cp[%zero] : tile<128xf32>, partition_view<tile=(128), "
    "tensor_view<128xf32, strides=[1]>>, tile<i32> -> token\n} }\n";

static void test_kernel(void **state) {
  (void)state;
  enum { SIDE = 300 };
  static _Alignas(16) float a[SIDE * SIDE], want[128], got[128];
  run_log log;
  for (unsigned i = 0; i < SIDE * SIDE; i++) a[i] = (float)(i % 61);
  uint64_t args[] = {ARG_ADDRESS(a), ARG_ADDRESS(want), SIDE, 3};
  engine_target = gpu_find_target("sm_80");
  if (!run_program_on(run_interp, kernel, "k", (run_grid){1, 1, 1}, args, &log))
    fail_msg("%s", log.diagnostics);
  args[1] = ARG_ADDRESS(got);
  if (!run_program_on(run_gpu, kernel, "k", (run_grid){1, 1, 1}, args, &log))
    fail_msg("%s", log.diagnostics);
  assert_memory_equal(want, got, sizeof want);
  /* The loop is what lies between a label and the jump back to it. */
  const char *back = strstr(engine_ptx, "bra.uni \t$L");
  assert_non_null(back);
  char label[64];
  snprintf(label, sizeof label, "\n%.*s:", (int)strcspn(back + 9, ";"), back + 9);
  const char *head = strstr(engine_ptx, label);
  assert_true(head && head < back);
  for (const char *at = head; at < back; at++)
    if (strncmp(at, "mul.lo.s64", 10) == 0 || strncmp(at, "mul.wide", 8) == 0)
      fail_msg("the loop multiplies:\n%s", engine_ptx);
}

/* Four accesses of each row, in blocks of their own where they exist: how far a row is from the
 * first is computed once for all of them, in each of three ways to load: the version for aligned
 * rows, and both of the other one. */
static const char rows[] =
    "cuda_tile.module @m { entry @k(%a: tile<ptr<f32>>, %c: tile<ptr<f32>>, %n: tile<i32>) {\n"
    "%av = make_tensor_view %a, shape = [%n, %n], strides = [%n, 1] : tile<i32> -> "
    "tensor_view<?x?xf32, strides=[?,1]>\n"
    "%ap = make_partition_view %av : partition_view<tile=(4x2048), padding_value = zero, "
    "tensor_view<?x?xf32, strides=[?,1]>>\n"
    "%cv = make_tensor_view %c, shape = [4, 2048], strides = [2048, 1] : tensor_view<4x2048xf32, "
    "strides=[2048,1]>\n"
    "%cp = make_partition_view %cv : partition_view<tile=(4x2048), tensor_view<4x2048xf32, "
    "strides=[2048,1]>>\n"
    "%zero = constant <i32: 0> : tile<i32>\n"
    "%x, %t = load_view_tko weak %ap[%zero, %zero] : partition_view<tile=(4x2048), padding_value = "
    "zero, tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<4x2048xf32>, token\n"
    "%t2 = store_view_tko weak %x, %cp[%zero, %zero] : tile<4x2048xf32>, "
    "partition_view<tile=(4x2048), tensor_view<4x2048xf32, strides=[2048,1]>>, tile<i32> -> token\n"
    "} }\n";

static void test_shared_parts(void **state) {
  (void)state;
  enum { SIDE = 300, SIZE = 4 * 2048 };
  static _Alignas(16) float a[SIDE * SIDE], want[SIZE], got[SIZE];
  run_log log;
  for (unsigned i = 0; i < SIDE * SIDE; i++) a[i] = (float)(i % 61);
  uint64_t args[] = {ARG_ADDRESS(a), ARG_ADDRESS(want), SIDE};
  engine_target = gpu_find_target("sm_80");
  if (!run_program_on(run_interp, rows, "k", (run_grid){1, 1, 1}, args, &log))
    fail_msg("%s", log.diagnostics);
  args[1] = ARG_ADDRESS(got);
  if (!run_program_on(run_gpu, rows, "k", (run_grid){1, 1, 1}, args, &log))
    fail_msg("%s", log.diagnostics);
  assert_memory_equal(want, got, sizeof want);
  unsigned n = 0;
  for (const char *at = engine_ptx; (at = strstr(at, "\tmul.lo.s64 ")); at++) n++;
  assert_int_equal(n, 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_harmless), cmocka_unit_test(test_chain),
      cmocka_unit_test(test_harmful),  cmocka_unit_test(test_since),
      cmocka_unit_test(test_closed),   cmocka_unit_test(test_numbers),
      cmocka_unit_test(test_kernel),   cmocka_unit_test(test_shared_parts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
