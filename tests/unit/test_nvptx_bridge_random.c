/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Random kernels, printed at the block level as they are planned for a GPU (rt/emit_block.h) and
 * read again, leave what the interpreter leaves of the kernels as they are written: with the
 * interpreter under its sanitizer, which finds nothing, and on the emulated GPU. What has no form
 * at the block level is left out, and counted.
 *
 *   test_nvptx_bridge_random [first seed [how many]]     prints the program of the first that
 * differs
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "ir/verify.h"
#include "random_gpu.h"
#include "rt/emit_block.h"
#include "text/text.h"

enum { SEEDS = 60 };

static uint64_t first_seed = 1, seed_count = SEEDS;
static unsigned translated, refused;

/* Says nothing but whether it is a refusal, and leaves other messages to the test. */
typedef struct listener {
  tsr_diagnostic_fn fn;
  void *user;
  bool refused;
} listener;

static void listen(void *user, const tsr_diagnostic *d) {
  listener *l = user;
  if (strstr(d->message, "has no form at the block level yet"))
    l->refused = true;
  else
    l->fn(l->user, d);
}

/* The module at the block level; NULL: it has no such form, or a message has been given. */
static ir_module *translate(ir_module *m, const char *target, arena *a, bool *ok, bool *pointers) {
  sbuf text = SBUF(a);
  listener l = {.fn = m->ctx->on_diagnostic, .user = m->ctx->diagnostic_user};
  m->ctx->on_diagnostic = listen;
  m->ctx->diagnostic_user = &l;
  bool made = rt_emit_block(m, gpu_find_target(target), 0, 0, &text);
  m->ctx->on_diagnostic = l.fn;
  m->ctx->diagnostic_user = l.user;
  translated += made;
  refused += l.refused;
  *ok = made || l.refused;
  if (!made) return NULL;
  *pointers = strstr(text.data, "_tko ") != NULL;
  ir_module *r = text_parse(m->ctx, (str){text.data, text.len}, "block.mlir", false);
  *ok = r && ir_verify(r);
  return r;
}

/* Planned for a card, and run by `run`; as it is written where it has no such form. */
static bool run_as_planned(const random_engine *e, ir_module *m, ir_op *const *entries,
                           rt_block *blocks, const char *planned_for) {
  arena a;
  bool ok, pointers = false;
  arena_init(&a, m->ctx);
  ir_module *block = translate(m, planned_for, &a, &ok, &pointers);
  ir_op *entry = block ? ir_find_symbol(block, ir_symbol_name(entries[0])) : NULL;
  if (!block && ok)
    ok = random_interpret(e, m, entries, blocks, 1);
  else if (ok && e->target)
    ok = random_run_gpu(e, block, &entry, blocks, 1);
  else if (ok) /* the sanitizer orders accesses through pointers by tokens, which are gone */
    ok = (pointers ? random_interpret : random_sanitize)(e, block, &entry, blocks, 1);
  ir_module_destroy(block);
  arena_free(&a);
  return ok;
}

static bool run_sm_80(const random_engine *e, ir_module *m, ir_op *const *entries, rt_block *blocks,
                      unsigned n) {
  assert_int_equal(n, 1);
  return run_as_planned(e, m, entries, blocks, "sm_80");
}

static bool run_sm_90a(const random_engine *e, ir_module *m, ir_op *const *entries,
                       rt_block *blocks, unsigned n) {
  assert_int_equal(n, 1);
  return run_as_planned(e, m, entries, blocks, "sm_90a");
}

static void compare(uint64_t from, uint64_t count, const random_engine *engines, unsigned n,
                    const random_limits *limits) {
  tsr_context *ctx = tsr_context_create(NULL);
  for (uint64_t seed = from; seed < from + count; seed++) {
    arena a;
    arena_init(&a, ctx);
    random_program p = random_make(&a, seed, 1, limits);
    random_outcome o;
    random_check(&p, seed, engines, n, &o);
    if (!o.agreed) {
      puts(p.text);
      fail_msg("seed %llu, %s: %s", (unsigned long long)seed, o.engine ? o.engine->name : "interp",
               o.what);
    }
    arena_free(&a);
  }
  tsr_context_destroy(ctx);
}

static const random_engine engines[] = {
    {.name = "interp, as planned for sm_80", .run = run_sm_80},
    {.name = "gpu sm_80, as planned", .target = "sm_80", .stops = true, .run = run_sm_80},
    {.name = "gpu sm_90a, as planned", .target = "sm_90a", .stops = true, .run = run_sm_90a}};

static void test_small_programs(void **state) {
  (void)state;
  compare(first_seed, seed_count, engines, ARRAY_LEN(engines),
          &(random_limits){.ops = 8, .bits = 5, .card = true});
  if (seed_count == SEEDS) assert_true(translated > refused);
}

/* Several warps, registers by the dozen. */
static void test_large_programs(void **state) {
  (void)state;
  compare(first_seed, seed_count / 2 + 1, engines, ARRAY_LEN(engines),
          &(random_limits){.ops = 10, .bits = 10, .wild = true, .card = true});
}

int main(int argc, char **argv) {
  if (argc > 1) first_seed = strtoull(argv[1], NULL, 0), seed_count = 1;
  if (argc > 2) seed_count = strtoull(argv[2], NULL, 0);
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_small_programs),
                                     cmocka_unit_test(test_large_programs)};
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  printf("%u translated, %u refused\n", translated, refused);
  return failed;
}
