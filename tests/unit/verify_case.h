/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * For tests of the verifier: a case is the smallest program that breaks a rule, with the line and
 * the words of the message, or a neighbour that does not break it.
 */
#ifndef TSR_TESTS_VERIFY_CASE_H
#define TSR_TESTS_VERIFY_CASE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ir/verify.h"
#include "text/text.h"

#define TV  "tensor_view<64x64xf32, strides=[64,1]>"
#define PV  "partition_view<tile=(4x8), " TV ">"
#define GS  "gather_scatter_view<tile=(4x8), " TV ", sparse_dim=0>"
#define TVI "tensor_view<64xi32, strides=[1]>"
#define PVI "partition_view<tile=(8), " TVI ">"

/* What every kernel begins with, on one line. */
static const char prelude[] =
    "cuda_tile.module @m { global @g <i32: [1]> : tile<1xi32> "
    "entry @k(%p: tile<ptr<f32>>, %pi: tile<ptr<i32>>, %i: tile<i32>, %l: tile<i64>, "
    "%c: tile<i1>, %s: tile<f32>) { "
    "%v = constant <i32: 0> : tile<8xi32> "
    "%w = constant <i64: 0> : tile<8xi64> "
    "%b = constant <i8: 0> : tile<8xi8> "
    "%m = constant <i1: 0> : tile<8xi1> "
    "%x = constant <f32: 0.0> : tile<8xf32> "
    "%h = constant <f16: 0.0> : tile<8xf16> "
    "%tf = constant <tf32: 0.0> : tile<8xtf32> "
    "%f8 = constant <f8E4M3FN: 0.0> : tile<8xf8E4M3FN> "
    "%f4 = constant <f4E2M1FN: 0.0> : tile<8xf4E2M1FN> "
    "%xx = constant <f32: 0.0> : tile<4x8xf32> "
    "%p1 = reshape %p : tile<ptr<f32>> -> tile<1xptr<f32>> "
    "%q = broadcast %p1 : tile<1xptr<f32>> -> tile<8xptr<f32>> "
    "%pi1 = reshape %pi : tile<ptr<i32>> -> tile<1xptr<i32>> "
    "%qi = broadcast %pi1 : tile<1xptr<i32>> -> tile<8xptr<i32>> "
    "%tok = make_token : token "
    "%tv = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : " TV " "
    "%tvi = make_tensor_view %pi, shape = [64], strides = [1] : " TVI " "
    "%pv = make_partition_view %tv : " PV " "
    "%pvi = make_partition_view %tvi : " PVI " "
    "%gs = make_gather_scatter_view %tv : " GS " ";

typedef struct rule_case {
  const char *source; /* operations after the prelude, or a whole module */
  unsigned line;      /* of the message in `source`; 0: it is valid */
  const char *text;   /* in the message; of a valid case in its only warning, or NULL */
} rule_case;

#define GOOD(source)                                                                               \
  { source, 0, NULL }
#define BAD(source, text)                                                                          \
  { source, 1, text }
#define BAD_AT(n, source, text)                                                                    \
  { source, n, text }
#define WARNING(source, text)                                                                      \
  { source, 0, text }

/* ---- running a case ------------------------------------------------------------------------- */

typedef struct report {
  unsigned count[4]; /* by severity */
  unsigned line;     /* of the first error or warning */
  char text[1024];
} report;

static void on_diagnostic(void *user, const tsr_diagnostic *d) {
  report *r = user;
  if (r->count[d->severity]++ || d->severity == TSR_NOTE) return;
  r->line = d->line;
  snprintf(r->text, sizeof r->text, "%s", d->message);
}

static bool check(tsr_context *ctx, const char *text) {
  TSR_GUARD(ctx, return false);
  ir_module *m = text_parse(ctx, str_of(text), "case.mlir", false);
  bool ok = m && ir_verify(m);
  bool parsed = m != NULL;
  ir_module_destroy(m);
  TSR_UNGUARD(ctx);
  if (!parsed) print_error("not parsed:\n%s\n", text);
  return ok && parsed;
}

static unsigned failures;

static void run_case(const rule_case *c) {
  static char program[16384];
  report r = {0};
  bool whole = strncmp(c->source, "cuda_tile.module", 16) == 0;
  snprintf(program, sizeof program, whole ? "%.0s%s" : "%s\n%s\n}}", prelude, c->source);
  tsr_context *ctx =
      tsr_context_create(&(tsr_context_options){.struct_size = sizeof(tsr_context_options),
                                                .on_diagnostic = on_diagnostic,
                                                .diagnostic_user = &r});
  bool ok = check(ctx, program);
  tsr_context_destroy(ctx);
  unsigned line = c->line && !whole ? c->line + 1 : c->line;
  bool right = c->line ? !ok && r.count[TSR_ERROR] == 1 && r.line == line
                       : ok && !r.count[TSR_ERROR] && !c->text == !r.count[TSR_WARNING];
  if (right && (!c->text || strstr(r.text, c->text))) return;
  failures++;
  print_error("%s\n  expected line %u: %s\n  got %u errors, %u warnings; line %u: %s\n", c->source,
              line, c->text ? c->text : "(valid)", r.count[TSR_ERROR], r.count[TSR_WARNING], r.line,
              r.text);
}

static void run_cases(const rule_case *cases, size_t n) {
  failures = 0;
  for (size_t i = 0; i < n; i++) run_case(&cases[i]);
  assert_int_equal(failures, 0);
}

#define RUN(cases) run_cases(cases, ARRAY_LEN(cases))

#endif
