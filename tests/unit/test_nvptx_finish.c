/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What stands for LLVM's late passes (gpu/nvptx/finish.h), by LLVM's text: that each function goes
 * the same way as before for all arguments, in which order its blocks are then, that nothing
 * branches by a negation or to what comes next, and that nothing is left over.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gpu/nvptx/finish.h"

#include "llvm_text.h"

#define BEGIN                                                                                      \
  "declare void @somewhere()\n"                                                                    \
  "define ptx_kernel void @k(i32 %a, i32 %b, i1 %c, ptr addrspace(1) %p) {\n"
#define KERNEL(body) BEGIN body "}\n"

/* ---- the way through a function ------------------------------------------------------------- */

enum { N_ARGS = 3, MOST_STEPS = 24, WAY = 512 };

static int64_t value_of(LLVMValueRef f, LLVMValueRef x, const int64_t *args);

static bool compare(LLVMIntPredicate p, int64_t a, int64_t b) {
  uint32_t ua = (uint32_t)a, ub = (uint32_t)b;
  switch (p) {
  case LLVMIntEQ: return a == b;
  case LLVMIntNE: return a != b;
  case LLVMIntUGT: return ua > ub;
  case LLVMIntUGE: return ua >= ub;
  case LLVMIntULT: return ua < ub;
  case LLVMIntULE: return ua <= ub;
  case LLVMIntSGT: return a > b;
  case LLVMIntSGE: return a >= b;
  case LLVMIntSLT: return a < b;
  default: return a <= b;
  }
}

/* Of numbers with 32 bits, sign-extended, and of conditions. */
static int64_t value_of(LLVMValueRef f, LLVMValueRef x, const int64_t *args) {
  for (unsigned i = 0; i < N_ARGS; i++)
    if (LLVMGetParam(f, i) == x) return args[i];
  if (LLVMIsAConstantInt(x))
    return LLVMGetIntTypeWidth(LLVMTypeOf(x)) == 1 ? (int64_t)LLVMConstIntGetZExtValue(x)
                                                   : LLVMConstIntGetSExtValue(x);
  assert_non_null(LLVMIsAInstruction(x));
  int64_t a = value_of(f, LLVMGetOperand(x, 0), args), b = value_of(f, LLVMGetOperand(x, 1), args);
  switch (LLVMGetInstructionOpcode(x)) {
  case LLVMICmp: return compare(LLVMGetICmpPredicate(x), a, b);
  case LLVMAnd: return a & b;
  case LLVMOr: return a | b;
  case LLVMXor: return a ^ b;
  default: fail_msg("an instruction that the test does not know"); return 0;
  }
}

static void way_of(LLVMValueRef f, const int64_t *args, char out[WAY]) {
  LLVMBasicBlockRef at = LLVMGetEntryBasicBlock(f);
  size_t n = 0;
  for (unsigned step = 0; step < MOST_STEPS; step++) {
    n += (size_t)snprintf(out + n, WAY - n, "%s ", LLVMGetBasicBlockName(at));
    LLVMValueRef jump = LLVMGetBasicBlockTerminator(at);
    unsigned to = 0;
    if (LLVMGetNumSuccessors(jump) == 0) return;
    if (LLVMIsASwitchInst(jump)) return;
    if (LLVMIsConditional(jump)) to = !value_of(f, LLVMGetCondition(jump), args);
    at = LLVMGetSuccessor(jump, to);
  }
}

/* Pairs of numbers that no two comparisons agree on, each with both conditions. */
static const int64_t numbers[] = {0, 1, 2, -1, INT32_MIN, INT32_MAX};
enum { N_NUMBERS = 6, N_WAYS = 2 * N_NUMBERS * N_NUMBERS };

static void ways_of(LLVMValueRef f, char ways[N_WAYS][WAY]) {
  for (unsigned i = 0; i < N_WAYS; i++) {
    int64_t args[N_ARGS] = {numbers[i / 2 % N_NUMBERS], numbers[i / 2 / N_NUMBERS], i % 2};
    way_of(f, args, ways[i]);
  }
}

/* ---- what is expected of all ---------------------------------------------------------------- */

static LLVMValueRef kernel_of(unit *u) {
  return LLVMGetNamedFunction(u->e.module, "k");
}

static bool is_comparisons(LLVMValueRef x) {
  if (!LLVMIsAInstruction(x)) return false;
  LLVMOpcode code = LLVMGetInstructionOpcode(x);
  if (code == LLVMICmp) return true;
  return (code == LLVMAnd || code == LLVMOr) && is_comparisons(LLVMGetOperand(x, 0)) &&
         is_comparisons(LLVMGetOperand(x, 1));
}

static void expect_turned(LLVMValueRef f) {
  LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f);
  for (; block; block = LLVMGetNextBasicBlock(block)) {
    LLVMValueRef jump = LLVMGetBasicBlockTerminator(block);
    if (!LLVMIsABranchInst(jump) || !LLVMIsConditional(jump)) continue;
    if (is_comparisons(LLVMGetCondition(jump)) &&
        LLVMGetSuccessor(jump, 0) == LLVMGetNextBasicBlock(block))
      fail_msg("%s branches by a negation", LLVMGetBasicBlockName(block));
  }
}

/* Everything that has a value is used. */
static void expect_no_rest(LLVMValueRef f) {
  LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f);
  for (; block; block = LLVMGetNextBasicBlock(block)) {
    LLVMValueRef x = LLVMGetFirstInstruction(block);
    for (; x; x = LLVMGetNextInstruction(x))
      if (LLVMGetTypeKind(LLVMTypeOf(x)) != LLVMVoidTypeKind && !LLVMGetFirstUse(x))
        fail_msg("nobody uses %s", LLVMPrintValueToString(x));
  }
}

static void expect_order(LLVMValueRef f, const char *order) {
  char is[WAY] = "";
  size_t n = 0;
  LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f);
  for (; block; block = LLVMGetNextBasicBlock(block))
    n += (size_t)snprintf(is + n, WAY - n, "%s%s", n ? " " : "", LLVMGetBasicBlockName(block));
  assert_string_equal(is, order);
}

/* `order`: of the blocks after it; NULL: any. */
static void check(unit *u, void *order) {
  static char before[N_WAYS][WAY], behind[N_WAYS][WAY];
  LLVMValueRef f = kernel_of(u);
  ways_of(f, before);
  nvptx_finish(u);
  ways_of(f, behind);
  for (unsigned i = 0; i < N_WAYS; i++) assert_string_equal(before[i], behind[i]);
  if (order) expect_order(f, order);
  expect_turned(f);
  expect_no_rest(f);
}

/* ---- blocks --------------------------------------------------------------------------------- */

#define IF(to, other) "br i1 %c, label %" to ", label %" other "\n"
#define GO(to)        "br label %" to "\n"

static void test_order(void **state) {
  (void)state;
  static const struct {
    const char *text, *order;
  } cases[] = {
      {KERNEL("entry: ret void\n"), "entry"},
      {KERNEL("entry: " GO("x") "z: ret void\ny: " GO("z") "x: " GO("y")), "entry x y z"},
      /* two ways, and where they meet */
      {KERNEL("entry: " IF("then", "else") "else: " GO("join") "join: ret void\nthen: " GO("join")),
       "entry then else join"},
      {KERNEL("entry: " IF("then", "else") "else: " GO("join") "join: " GO("end") "then: " GO(
           "join") "end: ret void\n"),
       "entry then join else end"},
      /* loops */
      {KERNEL("entry: " GO("head") "out: ret void\nhead: " IF("body", "out") "body: " GO("head")),
       "entry head body out"},
      {KERNEL("entry: " GO("head") "in_out: " GO("head") "out: ret void\nhead: " IF(
           "in", "out") "in_body: " GO("in") "in: " IF("in_body", "in_out")),
       "entry head in in_body in_out out"},
      {KERNEL("entry: " GO("head") "head: " IF("head", "out") "out: ret void\n"), "entry head out"},
      /* what ends the function, also within a loop, comes last, and where control never returns */
      {KERNEL("entry: " IF("bad", "head") "bad: call void @somewhere()\nunreachable\nhead: " IF(
           "early", "body") "body: " IF("head", "out") "early: ret void\nout: ret void\n"),
       "entry head body bad early out"},
      /* a loop of two entries */
      {KERNEL("entry: " IF("x", "y") "x: " IF("y", "out") "y: " IF("x", "out") "out: ret void\n"),
       "entry x y out"},
      {KERNEL("entry: switch i32 %a, label %other [ i32 0, label %zero i32 7, label %seven ]\n"
              "seven: " GO("out") "zero: " GO("other") "other: " GO("out") "out: ret void\n"),
       "entry other zero seven out"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    llvm_run(cases[i].text, check, (void *)(uintptr_t)cases[i].order);
}

/* ---- branches ------------------------------------------------------------------------------- */

/* A branch that falls through where `condition` holds, of %x, which is a comparison like this, %y
 * and %z. */
static void check_condition(const char *comparison, const char *condition) {
  char text[1024];
  snprintf(text, sizeof text,
           "%sentry: %%x = icmp %s i32 %%a, %%b\n%s%s%s\nbr i1 %%r, label %%yes, label %%no\n"
           "yes: store i32 1, ptr addrspace(1) %%p\nbr label %%no\nno: ret void\n}\n",
           BEGIN, comparison, strstr(condition, "%y") ? "%y = icmp slt i32 %b, 2\n" : "",
           strstr(condition, "%z") ? "%z = icmp ne i32 %a, 1\n" : "", condition);
  llvm_run(text, check, "entry yes no");
}

static void test_comparisons(void **state) {
  (void)state;
  static const char *const all[] = {"eq",  "ne",  "ugt", "uge", "ult",
                                    "ule", "sgt", "sge", "slt", "sle"};
  for (unsigned i = 0; i < 10; i++) check_condition(all[i], "%r = or i1 %x, %x");
}

static void test_conditions(void **state) {
  (void)state;
  static const char *const conditions[] = {
      "%r = and i1 %x, %y",
      "%r = or i1 %x, %y",
      "%s = and i1 %x, %y\n%r = or i1 %s, %z",
      "%s = or i1 %x, %y\n%r = and i1 %z, %s",
      "%s = or i1 %x, %y\n%t = or i1 %s, %z\n%r = and i1 %t, %s",
      "%s = and i1 %x, %x\n%t = or i1 %y, %s\n%r = or i1 %t, %z",
      /* of constants: the opposite is a constant, and what it is joined with stays by itself */
      "%s = icmp eq i32 5, 5\n%r = and i1 %x, %s",
      "%s = icmp ult i32 6, 5\n%r = or i1 %s, %x",
      "%s = icmp ult i32 6, 5\n%t = or i1 %x, %s\n%r = and i1 %t, %y",
      "%s = icmp ne i32 6, 5\n%t = and i1 %x, %s\n%r = or i1 %t, %s",
      /* what has no opposite: then all stays */
      "%r = xor i1 %x, %y",
      "%r = and i1 %x, %c",
      "%r = or i1 %c, %x",
      "%s = xor i1 %x, %z\n%t = and i1 %x, %y\n%r = or i1 %t, %s",
  };
  for (unsigned i = 0; i < sizeof conditions / sizeof *conditions; i++)
    check_condition(i % 2 ? "ult" : "sgt", conditions[i]);
}

/* A condition that others want as it is stays; what of it is in other blocks goes with it. */
static void test_shared_conditions(void **state) {
  (void)state;
  static const char *const cases[] = {
      /* one branch falls through where it holds, one where it does not */
      KERNEL("entry: %x = icmp slt i32 %a, %b\nbr i1 %x, label %one, label %two\n"
             "one: br i1 %x, label %out, label %two\ntwo: br label %out\nout: ret void\n"),
      KERNEL("entry: %x = icmp ult i32 %a, %b\n%w = zext i1 %x to i32\n"
             "store i32 %w, ptr addrspace(1) %p\nbr i1 %x, label %one, label %two\n"
             "one: br label %two\ntwo: ret void\n"),
      KERNEL("entry: %x = icmp slt i32 %a, %b\n%y = icmp eq i32 %b, 1\nbr label %next\n"
             "next: %r = and i1 %x, %y\nbr i1 %r, label %one, label %two\n"
             "one: %s = or i1 %y, %x\nbr i1 %s, label %two, label %three\n"
             "two: br i1 %r, label %three, label %four\nthree: br label %four\n"
             "four: ret void\n"),
  };
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) llvm_run(cases[i], check, NULL);
}

/* Of numbers that may be NaN the opposite is no comparison that this knows. */
static void leave_alone(unit *u, void *user) {
  (void)user;
  LLVMValueRef f = kernel_of(u), jump = LLVMGetBasicBlockTerminator(LLVMGetEntryBasicBlock(f));
  LLVMValueRef condition = LLVMGetCondition(jump);
  LLVMBasicBlockRef to = LLVMGetSuccessor(jump, 0);
  nvptx_finish(u);
  assert_ptr_equal(LLVMGetCondition(jump), condition);
  assert_ptr_equal(LLVMGetSuccessor(jump, 0), to);
}

static void test_floats(void **state) {
  (void)state;
  llvm_run(KERNEL("entry: %x = bitcast i32 %a to float\n%r = fcmp olt float %x, 1.0\n"
                  "br i1 %r, label %yes, label %no\nyes: br label %no\nno: ret void\n"),
           leave_alone, NULL);
  llvm_run(KERNEL("entry: br i1 %c, label %yes, label %no\nyes: br label %no\nno: ret void\n"),
           leave_alone, NULL);
}

/* ---- functions ------------------------------------------------------------------------------ */

static bool has(LLVMValueRef f, const char *attribute) {
  unsigned kind = LLVMGetEnumAttributeKindForName(attribute, strlen(attribute));
  LLVMAttributeIndex at = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
  return LLVMGetEnumAttributeAtIndex(f, at, kind) != NULL;
}

static void check_marks(unit *u, void *user) {
  (void)user;
  nvptx_finish(u);
  static const char *const names[] = {"k", "helper", "somewhere"};
  for (unsigned i = 0; i < 3; i++) {
    LLVMValueRef f = LLVMGetNamedFunction(u->e.module, names[i]);
    assert_int_equal(has(f, "optnone"), i < 2);
    assert_int_equal(has(f, "noinline"), i < 2);
  }
}

static void test_marks(void **state) {
  (void)state;
  llvm_run("define void @helper() {\nret void\n}\n" KERNEL("call void @helper()\n"
                                                           "call void @somewhere()\nret void\n"),
           check_marks, NULL);
}

/* ---- text ----------------------------------------------------------------------------------- */

static unsigned count(const char *text, const char *what) {
  unsigned n = 0;
  while ((text = strstr(text, what))) n++, text++;
  return n;
}

/* A loop whose condition is that of two blocks: it needs two comparisons, one branch to leave it,
 * one back, and none that is negated. */
static void check_text(unit *u, void *user) {
  (void)user;
  sbuf text = SBUF(&u->arena);
  nvptx_finish(u);
  assert_true(unit_write(u, UNIT_ASSEMBLY, &text));
  nvptx_drop_idle_jumps(&text, 0);
  assert_int_equal(strlen(text.data), text.len);
  assert_int_equal(count(text.data, "setp."), 2);
  assert_int_equal(count(text.data, "bra"), 2);
  assert_int_equal(count(text.data, "bra.uni"), 1);
  assert_null(strstr(text.data, "@!"));
}

static void test_text(void **state) {
  (void)state;
  llvm_run(KERNEL("entry: %x = icmp sgt i32 %a, 5\nbr label %head\n"
                  "out: ret void\n"
                  "body: %n = add i32 %i, 1\nstore i32 %i, ptr addrspace(1) %p\nbr label %head\n"
                  "head: %i = phi i32 [ 0, %entry ], [ %n, %body ]\n%y = icmp ult i32 %i, %b\n"
                  "%r = and i1 %x, %y\nbr i1 %r, label %body, label %out\n"),
           check_text, NULL);
}

static void test_idle_jumps(void **state) {
  (void)state;
  static const struct {
    const char *from, *to;
  } cases[] = {
      {"", ""},
      {"\tbra.uni \t$L__BB0_1;\n$L__BB0_1:\n\tret;\n", "$L__BB0_1:\n\tret;\n"},
      {"\tbra.uni \t$L1;\n$L1:                    // %head\n",
       "$L1:                    // %head\n"},
      /* after others' labels, whose blocks are empty */
      {"\tbra.uni \t$L3;\n$L1:\n$L2:\n$L3:\n\tret;\n", "$L1:\n$L2:\n$L3:\n\tret;\n"},
      {"\tbra.uni \t$L1;\n$L1:\n\tbra.uni \t$L2;\n$L2:\n\tret;\n", "$L1:\n$L2:\n\tret;\n"},
      /* to elsewhere: another name, a part of one, after an instruction, back */
      {"\tbra.uni \t$L1;\n$L2:\n$L1_:\n", "\tbra.uni \t$L1;\n$L2:\n$L1_:\n"},
      {"\tbra.uni \t$L1;\n$L12:\n\tret;\n", "\tbra.uni \t$L1;\n$L12:\n\tret;\n"},
      {"\tbra.uni \t$L12;\n$L1:\n\tret;\n", "\tbra.uni \t$L12;\n$L1:\n\tret;\n"},
      {"\tbra.uni \t$L1;\n\tret;\n$L1:\n", "\tbra.uni \t$L1;\n\tret;\n$L1:\n"},
      {"\tbra.uni \t$L1;\n$L2:\n\tret;\n$L1:\n", "\tbra.uni \t$L1;\n$L2:\n\tret;\n$L1:\n"},
      {"$L1:\n\tbra.uni \t$L1;\n", "$L1:\n\tbra.uni \t$L1;\n"},
      /* jumps that may not be taken, and none at all */
      {"\t@%p1 bra \t$L1;\n$L1:\n", "\t@%p1 bra \t$L1;\n$L1:\n"},
      {"\tmov.b32 \t$L1;\n$L1:\n", "\tmov.b32 \t$L1;\n$L1:\n"},
      {"\tbra.uni \t;\n:\n", "\tbra.uni \t;\n:\n"},
      {"\tbra.uni \t$L1;", "\tbra.uni \t$L1;"},
      {"\tbra.uni \t$L1;\n$L1", "\tbra.uni \t$L1;\n$L1"},
      {"\tbra.uni \t$L1;\n$L1:", "$L1:"},
  };
  arena a;
  tsr_context *ctx = tsr_context_create(NULL);
  arena_init(&a, ctx);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (unsigned k = 0; k < 2; k++) {
      /* What is in front of `start` is somebody else's. */
      static const char *const front[] = {"", "\tbra.uni \t$L0;\n$L0:\n"};
      sbuf text = SBUF(&a);
      sbuf_puts(&text, front[k]);
      size_t start = text.len;
      sbuf_puts(&text, cases[i].from);
      nvptx_drop_idle_jumps(&text, start);
      assert_memory_equal(text.data, front[k], start);
      assert_string_equal(text.data + start, cases[i].to);
      assert_int_equal(text.len, start + strlen(cases[i].to));
    }
  arena_free(&a);
  tsr_context_destroy(ctx);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_order),      cmocka_unit_test(test_comparisons),
      cmocka_unit_test(test_conditions), cmocka_unit_test(test_shared_conditions),
      cmocka_unit_test(test_floats),     cmocka_unit_test(test_marks),
      cmocka_unit_test(test_text),       cmocka_unit_test(test_idle_jumps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
