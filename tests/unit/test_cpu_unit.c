/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What becomes of a unit when LLVM finds errors in it: a report to the context and nothing else, so
 * that the next unit is made as if nothing had been.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <llvm-c/Target.h>

#include "llvm/unit.h"

/* For builds with the leak sanitizer: what LLVM was doing at a fatal error is lost, in whatever
 * thread that was. */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) {
  return "leak:libLLVM\nleak:libstdc++\n";
}

typedef struct test {
  tsr_context *ctx;
  char message[1024];
  unsigned errors;
} test;

static void on_diagnostic(void *user, const tsr_diagnostic *d) {
  test *t = user;
  t->errors += d->severity == TSR_ERROR;
  snprintf(t->message, sizeof t->message, "%s", d->message);
}

static int open_test(void **state) {
  static test t;
  t = (test){0};
  t.ctx = tsr_context_create(&(tsr_context_options){.struct_size = sizeof(tsr_context_options),
                                                    .on_diagnostic = on_diagnostic,
                                                    .diagnostic_user = &t});
  *state = &t;
  LLVMInitializeNativeTarget();
  LLVMInitializeNativeAsmPrinter();
  return t.ctx ? 0 : -1;
}

static int close_test(void **state) {
  tsr_context_destroy(((test *)*state)->ctx);
  return 0;
}

/* f's body, which ends with a return. */
typedef void (*body_fn)(unit *u, LLVMValueRef f);

typedef struct plan {
  body_fn body;
  const char *passes;
  sbuf *out;
} plan;

static bool make(unit *u, void *user) {
  plan *p = user;
  unit_target target = {.level = LLVMCodeGenLevelDefault, .relocation = LLVMRelocPIC};
  if (!unit_open(u, &target)) return false;
  emit *e = &u->e;
  LLVMTypeRef type = LLVMFunctionType(e->void_, &e->ptr, 1, 0);
  LLVMValueRef f = LLVMAddFunction(e->module, "f", type);
  LLVMPositionBuilderAtEnd(e->b, LLVMAppendBasicBlockInContext(e->llvm, f, ""));
  p->body(u, f);
  return unit_optimise(u, p->passes) && unit_write(u, UNIT_ASSEMBLY, p->out);
}

static bool run(test *t, body_fn body, const char *passes) {
  arena a;
  arena_init(&a, t->ctx);
  sbuf out = SBUF(&a);
  t->errors = 0;
  bool ok = unit_run(t->ctx, make, &(plan){body, passes, &out});
  if (ok) assert_non_null(strstr(out.data, "ret"));
  assert_int_equal(ok ? 0 : 1, t->errors);
  arena_free(&a);
  return ok;
}

static void fine(unit *u, LLVMValueRef f) {
  LLVMBuildStore(u->e.b, LLVMConstInt(u->e.i32, 42, 0), LLVMGetParam(f, 0));
  LLVMBuildRetVoid(u->e.b);
}

/* An intrinsic that the target has no instruction for: LLVM's "cannot select", a fatal error. */
static void unselectable(unit *u, LLVMValueRef f) {
  emit *e = &u->e;
  LLVMTypeRef type = LLVMFunctionType(e->i32, NULL, 0, 0);
  LLVMValueRef read = LLVMAddFunction(e->module, "llvm.nvvm.read.ptx.sreg.tid.x", type);
  LLVMBuildStore(e->b, LLVMBuildCall2(e->b, type, read, NULL, 0, ""), LLVMGetParam(f, 0));
  LLVMBuildRetVoid(e->b);
}

/* Assembly that the assembler doesn't know: an error about the code. */
static void unknown_assembly(unit *u, LLVMValueRef f) {
  emit *e = &u->e;
  LLVMTypeRef type = LLVMFunctionType(e->i32, &e->ptr, 1, 0);
  LLVMValueRef at = LLVMGetParam(f, 0);
  LLVMValueRef text =
      LLVMGetInlineAsm(type, "", 0, "={nosuch},r", 11, 1, 0, LLVMInlineAsmDialectATT, 0);
  LLVMBuildStore(e->b, LLVMBuildCall2(e->b, type, text, &at, 1, ""), at);
  LLVMBuildRetVoid(e->b);
}

static void without_end(unit *u, LLVMValueRef f) {
  LLVMBuildStore(u->e.b, LLVMConstInt(u->e.i32, 42, 0), LLVMGetParam(f, 0));
}

static void fatal_errors_are_reported(void **state) {
  test *t = *state;
  assert_false(run(t, unselectable, NULL));
  assert_non_null(strstr(t->message, "LLVM made no code"));
  assert_non_null(strstr(t->message, "please report the kernel"));
  assert_true(run(t, fine, "function(early-cse)"));
}

static void errors_about_code_are_reported(void **state) {
  test *t = *state;
  assert_false(run(t, unknown_assembly, NULL));
  assert_non_null(strstr(t->message, "LLVM made no code"));
  assert_true(run(t, fine, NULL));
}

static void invalid_code_is_reported(void **state) {
  test *t = *state;
  assert_false(run(t, without_end, NULL));
  assert_non_null(strstr(t->message, "not valid"));
  assert_true(run(t, fine, NULL));
}

static void unknown_passes_are_reported(void **state) {
  test *t = *state;
  assert_false(run(t, fine, "no-such-pass"));
  assert_non_null(strstr(t->message, "LLVM's passes failed"));
}

static bool open_unknown(unit *u, void *user) {
  return unit_open(u, user);
}

typedef struct kept_plan {
  unit_target target;
  char text[4000];
} kept_plan;

static bool make_kept(unit *u, void *user) {
  kept_plan *p = user;
  sbuf out = SBUF(&u->arena);
  if (!unit_open(u, &p->target)) return false;
  emit *e = &u->e;
  LLVMTypeRef type = LLVMFunctionType(e->void_, &e->ptr, 1, 0);
  LLVMValueRef f = LLVMAddFunction(e->module, "f", type);
  LLVMPositionBuilderAtEnd(e->b, LLVMAppendBasicBlockInContext(e->llvm, f, ""));
  fine(u, f);
  if (!unit_optimise(u, NULL) || !unit_write(u, UNIT_ASSEMBLY, &out)) return false;
  snprintf(p->text, sizeof p->text, "%s", out.data);
  return true;
}

/* More targets than machines are kept, each several times. */
static void kept_machines_make_the_same_code(void **state) {
  test *t = *state;
  static const LLVMRelocMode relocations[] = {LLVMRelocDefault, LLVMRelocStatic, LLVMRelocPIC};
  enum { TARGETS = 3 * 4 * 2 };
  static char first[TARGETS][sizeof((kept_plan *)0)->text];
  for (unsigned round = 0; round < 3; round++)
    for (unsigned i = 0; i < TARGETS; i++) {
      kept_plan p = {.target = {.level = (LLVMCodeGenOptLevel)(i / 3 % 4),
                                .relocation = relocations[i % 3],
                                .fast_selection = i / 12}};
      assert_true(unit_run(t->ctx, make_kept, &p));
      if (round == 0) memcpy(first[i], p.text, sizeof p.text);
      assert_string_equal(first[i], p.text);
    }
}

/* ---- several units -------------------------------------------------------------------------- */

enum { CREW = 7 };

typedef struct crew_plan {
  unsigned threads;
  bool at_once;    /* passes, of the first one, and code in one step */
  body_fn odd_one; /* of the last but one; NULL: as all */
  char text[CREW][2000];
} crew_plan;

static void change_nothing(unit *u) {
  (void)u;
}

static bool take_through(unit **units, const crew_plan *p) {
  const char *passes = "function(early-cse)";
  if (p->at_once)
    return unit_compile_all(&(unit_crew){.units = units,
                                         .n = CREW,
                                         .threads = p->threads,
                                         .passes = passes,
                                         .behind = change_nothing,
                                         .kind = LLVMAssemblyFile});
  return unit_optimise_all(units, CREW, passes, p->threads) &&
         unit_generate_all(units, CREW, LLVMAssemblyFile, p->threads);
}

/* Each stores another number. */
static bool make_crew(unit *u, void *user) {
  crew_plan *p = user;
  unit_target target = {.level = LLVMCodeGenLevelDefault, .relocation = LLVMRelocPIC};
  unit *units[CREW];
  for (unsigned i = 0; i < CREW; i++) {
    units[i] = i == 0 ? u : unit_fork(u);
    if (!unit_open(units[i], &target)) return false;
    emit *e = &units[i]->e;
    LLVMTypeRef type = LLVMFunctionType(e->void_, &e->ptr, 1, 0);
    LLVMValueRef f = LLVMAddFunction(e->module, "f", type);
    LLVMPositionBuilderAtEnd(e->b, LLVMAppendBasicBlockInContext(e->llvm, f, ""));
    if (i == CREW - 2 && p->odd_one) {
      p->odd_one(units[i], f);
      continue;
    }
    LLVMBuildStore(e->b, LLVMConstInt(e->i32, 1000 + i, 0), LLVMGetParam(f, 0));
    LLVMBuildRetVoid(e->b);
  }
  if (!take_through(units, p)) return false;
  for (unsigned i = 0; i < CREW; i++)
    snprintf(p->text[i], sizeof p->text[i], "%s", LLVMGetBufferStart(units[i]->code));
  return true;
}

/* As many threads as there are units, fewer, and more. */
static void threads_make_the_same_code(void **state) {
  test *t = *state;
  static const unsigned threads[] = {1, 2, CREW, 64};
  static crew_plan plans[ARRAY_LEN(threads)];
  for (unsigned i = 0; i < ARRAY_LEN(threads); i++) {
    plans[i].threads = threads[i];
    plans[i].at_once = i % 2;
    assert_true(unit_run(t->ctx, make_crew, &plans[i]));
    for (unsigned k = 0; k < CREW; k++) {
      char number[16];
      snprintf(number, sizeof number, "%u", 1000 + k);
      assert_non_null(strstr(plans[i].text[k], number));
      assert_string_equal(plans[0].text[k], plans[i].text[k]);
    }
  }
  assert_int_equal(t->errors, 0);
}

/* One message, by the thread that asked, whichever found it. */
static void errors_of_any_thread_are_reported(void **state) {
  test *t = *state;
  static const struct {
    body_fn body;
    const char *what;
  } wrong[] = {{without_end, "not valid"},
               {unknown_assembly, "LLVM made no code"},
               {unselectable, "LLVM made no code"}};
  for (unsigned i = 0; i < 2 * ARRAY_LEN(wrong); i++)
    for (unsigned threads = 1; threads <= 4; threads += 3) {
      static crew_plan one;
      one = (crew_plan){.threads = threads, .at_once = i % 2, .odd_one = wrong[i / 2].body};
      t->errors = 0;
      assert_false(unit_run(t->ctx, make_crew, &one));
      assert_int_equal(t->errors, 1);
      assert_non_null(strstr(t->message, wrong[i / 2].what));
    }
}

static void unknown_targets_are_reported(void **state) {
  test *t = *state;
  unit_target target = {.triple = "nosuch-unknown-linux"};
  assert_false(unit_run(t->ctx, open_unknown, &target));
  assert_int_equal(t->errors, 1);
  assert_non_null(strstr(t->message, "cannot make code for nosuch-unknown-linux"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(fatal_errors_are_reported, open_test, close_test),
      cmocka_unit_test_setup_teardown(errors_about_code_are_reported, open_test, close_test),
      cmocka_unit_test_setup_teardown(invalid_code_is_reported, open_test, close_test),
      cmocka_unit_test_setup_teardown(unknown_passes_are_reported, open_test, close_test),
      cmocka_unit_test_setup_teardown(kept_machines_make_the_same_code, open_test, close_test),
      cmocka_unit_test_setup_teardown(threads_make_the_same_code, open_test, close_test),
      cmocka_unit_test_setup_teardown(errors_of_any_thread_are_reported, open_test, close_test),
      cmocka_unit_test_setup_teardown(unknown_targets_are_reported, open_test, close_test),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
