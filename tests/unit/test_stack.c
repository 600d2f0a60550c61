/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Nested programs in a thread with a small stack: read as far as the stack lasts, else refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <pthread.h>

#include <tessera/tessera.h>

#include "base/stack.h"

enum { SMALL = 256 * 1024, SMALLEST = 84 * 1024, FEW = 8, MANY = 250 };

typedef struct attempt {
  unsigned levels;
  char *bytecode; /* to read; NULL: text of so many levels */
  const char *ttir;
  size_t bytes;
  bool read, verified, printed, optimised;
  char message[256];
} attempt;

static void keep_message(void *user, const tsr_diagnostic *d) {
  attempt *a = user;
  if (d->severity == TSR_ERROR) snprintf(a->message, sizeof a->message, "%s", d->message);
}

static char *nested(unsigned levels) {
  char *text = calloc(1, 200 + 40 * (size_t)levels), *p = text;
  p += sprintf(p, "cuda_tile.module @m { entry @k() {\n  %%c = constant <i1: true> : tile<i1>\n");
  for (unsigned i = 0; i < levels; i++) p += sprintf(p, "if %%c {\n");
  for (unsigned i = 0; i < levels; i++) p += sprintf(p, "yield\n}\n");
  sprintf(p, "return\n} }\n");
  return text;
}

static void *try_nested(void *user) {
  attempt *a = user;
  tsr_context_options o = {
      .struct_size = sizeof o, .on_diagnostic = keep_message, .diagnostic_user = a};
  tsr_context *ctx = tsr_context_create(&o);
  char *text = nested(a->levels);
  tsr_module *m = tsr_module_parse(ctx, text, strlen(text), NULL, TSR_PARSE_NO_VERIFY);
  a->read = m != NULL;
  a->verified = m && tsr_module_verify(m) == TSR_OK;
  char *printed = m ? tsr_module_print(m, NULL) : NULL;
  a->printed = printed != NULL;
  a->optimised = m && tsr_module_optimize(m, NULL, NULL) == TSR_OK;
  tsr_string_free(ctx, printed);
  tsr_module_destroy(m);
  free(text);
  tsr_context_destroy(ctx);
  return NULL;
}

static void *try_bytecode(void *user) {
  attempt *a = user;
  tsr_context_options o = {
      .struct_size = sizeof o, .on_diagnostic = keep_message, .diagnostic_user = a};
  tsr_context *ctx = tsr_context_create(&o);
  tsr_module *m = tsr_module_read_bytecode(ctx, a->bytecode, a->bytes, NULL, TSR_PARSE_NO_VERIFY);
  a->read = m != NULL;
  tsr_module_destroy(m);
  tsr_context_destroy(ctx);
  return NULL;
}

/* On memory of its own, as the system may hand out a larger stack that another thread had. */
static void in_thread(size_t stack, void *(*work)(void *), attempt *a) {
  pthread_attr_t attributes;
  pthread_t thread;
  assert_int_equal(pthread_attr_init(&attributes), 0);
  void *memory = aligned_alloc(4096, stack);
  assert_int_equal(pthread_attr_setstack(&attributes, memory, stack), 0);
  assert_int_equal(pthread_create(&thread, &attributes, work, a), 0);
  pthread_join(thread, NULL);
  pthread_attr_destroy(&attributes);
  free(memory);
}

static void few_levels_fit(void **state) {
  (void)state;
  attempt a = {.levels = FEW};
  in_thread(SMALL, try_nested, &a);
  if (!a.read) fail_msg("%s", a.message);
  assert_true(a.verified);
  assert_true(a.printed);
  assert_true(a.optimised);
}

static void many_levels_are_refused(void **state) {
  (void)state;
  attempt a = {.levels = MANY};
  in_thread(SMALL, try_nested, &a);
  assert_false(a.read);
  assert_non_null(strstr(a.message, "nested too deeply for the stack of this thread"));
  a = (attempt){.levels = MANY};
  try_nested(&a); /* the first thread has megabytes */
  assert_true(a.read);
}

static void bytecode_is_refused_too(void **state) {
  (void)state;
  attempt a = {.levels = 0};
  tsr_context *ctx = tsr_context_create(NULL);
  char *text = nested(MANY);
  tsr_module *m = tsr_module_parse(ctx, text, strlen(text), NULL, TSR_PARSE_NO_VERIFY);
  a.bytecode = tsr_module_write_bytecode(m, 0, &a.bytes);
  assert_non_null(a.bytecode);
  try_bytecode(&a);
  assert_true(a.read);
  in_thread(SMALLEST, try_bytecode, &a);
  assert_false(a.read);
  assert_non_null(strstr(a.message, "regions are nested too deeply for the stack of this thread"));
  tsr_string_free(ctx, a.bytecode);
  tsr_module_destroy(m);
  tsr_context_destroy(ctx);
  free(text);
}

static void *try_ttir(void *user) {
  attempt *a = user;
  tsr_context_options o = {
      .struct_size = sizeof o, .on_diagnostic = keep_message, .diagnostic_user = a};
  tsr_context *ctx = tsr_context_create(&o);
  tsr_module *m = tsr_module_read_ttir(ctx, a->ttir, strlen(a->ttir), NULL, TSR_PARSE_NO_VERIFY);
  a->read = m != NULL;
  tsr_module_destroy(m);
  tsr_context_destroy(ctx);
  return NULL;
}

/* Refused in a thread with so much stack, but not by the first one. */
static void expect_ttir_refused(size_t stack, char *text) {
  attempt a = {.ttir = text};
  in_thread(stack, try_ttir, &a);
  assert_false(a.read);
  if (!strstr(a.message, "nested too deeply for the stack of this thread"))
    fail_msg("found \"%s\"", a.message);
  a = (attempt){.ttir = text};
  try_ttir(&a);
  if (!a.read) fail_msg("%s", a.message);
  free(text);
}

static char *nested_ttir(unsigned levels) {
  char *text = calloc(1, 200 + 40 * (size_t)levels), *p = text;
  p += sprintf(p, "module {\ntt.func public @k(%%c: i1) {\n");
  for (unsigned i = 0; i < levels; i++) p += sprintf(p, "scf.if %%c {\n");
  for (unsigned i = 0; i < levels; i++) p += sprintf(p, "}\n");
  sprintf(p, "tt.return\n}\n}\n");
  return text;
}

/* Behind each branch the next one begins: one level of Tile IR's regions, but many of the reader's
 * functions. */
static char *branches_of_ttir(unsigned count) {
  char *text = calloc(1, 200 + 80 * (size_t)count), *p = text;
  p += sprintf(p, "module {\ntt.func public @k(%%c: i1) {\n");
  for (unsigned i = 0; i < count; i++)
    p += sprintf(p, "cf.cond_br %%c, ^a%u, ^b%u\n^a%u:\ncf.br ^b%u\n^b%u:\n", i, i, i, i, i);
  sprintf(p, "tt.return\n}\n}\n");
  return text;
}

static void ttir_is_refused_too(void **state) {
  (void)state;
  attempt a = {.ttir = nested_ttir(FEW)};
  in_thread(SMALL, try_ttir, &a);
  if (!a.read) fail_msg("%s", a.message);
  free((char *)a.ttir);
  expect_ttir_refused(SMALLEST, nested_ttir(200));
  expect_ttir_refused(SMALL, branches_of_ttir(500));
}

/* What functions that call each other do to memory is found without going deeper than the stack,
 * even though so many calls are refused. */
static void ttir_bounds_chains_of_calls(void **state) {
  (void)state;
  enum { CHAIN = 100000 };
  char *text = calloc(1, 200 + 100 * (size_t)CHAIN), *p = text;
  p += sprintf(p, "module {\ntt.func public @k(%%c: i1) {\nscf.if %%c {\n"
                  "tt.call @f0() : () -> ()\n}\ntt.return\n}\n");
  for (unsigned i = 0; i < CHAIN; i++)
    p +=
        sprintf(p, "tt.func private @f%u() {\ntt.call @f%u() : () -> ()\ntt.return\n}\n", i, i + 1);
  sprintf(p, "}\n");
  attempt a = {.ttir = text};
  in_thread(SMALL, try_ttir, &a);
  assert_false(a.read);
  assert_non_null(strstr(a.message, "more than 64 calls in each other"));
  free(text);
}

static void asks_for_what_is_left(void **state) {
  (void)state;
  assert_true(stack_has(1));
  assert_false(stack_has((size_t)1 << 40));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(few_levels_fit),
      cmocka_unit_test(many_levels_are_refused),
      cmocka_unit_test(bytecode_is_refused_too),
      cmocka_unit_test(ttir_is_refused_too),
      cmocka_unit_test(ttir_bounds_chains_of_calls),
      cmocka_unit_test(asks_for_what_is_left),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
