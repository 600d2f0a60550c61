/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * tessera op tune: every instance of a problem, with its times and its error, or why there are
 * none: as a table, as JSON and as a picture.
 */
#include <stdio.h>

#include "base/svg.h"
#include "cli/op.h"

typedef struct tune_row {
  const char *instance;
  double ms;
} tune_row;

typedef struct tune_report {
  op_call *o;
  double error; /* of the instance that was launched last, beside the reference */
  bool has_reference;
  unsigned refused, pruned;
  VEC(tune_row) rows; /* of instances with times */
} tune_report;

static const char *judge(void *user) {
  tune_report *r = user;
  const char *tensor;
  if (!r->has_reference) op_take_results(r->o);
  r->has_reference = true;
  ops_difference d = op_compare_results(r->o, &tensor);
  op_restore_tensors(r->o);
  r->error = d.error;
  if (!d.wrong) return NULL;
  return arena_printf(&r->o->c->arena, "wrong: %s[%lld, %lld] is %.6g, not %.6g", tensor,
                      (long long)d.at[0], (long long)d.at[1], d.found, d.expected);
}

static void print_json(const tune_report *r, const tsr_op_measurement *m) {
  const op_call *o = r->o;
  printf("{");
  op_put_field(o, "instance", m->instance);
  if (m->refused) {
    printf(", ");
    op_put_field(o, m->pruned ? "pruned" : "refused", m->refused);
  } else {
    printf(", \"min_ms\": %.6g, \"ms\": %.6g, \"gflops\": %.6g, \"gbytes\": %.6g, "
           "\"error\": %.6g",
           m->min_ms, m->median_ms, op_rate(tsr_op_plan_flops(o->plan), m->median_ms),
           op_rate(tsr_op_plan_bytes(o->plan), m->median_ms), r->error);
  }
  printf("}\n");
}

/* A line of the table; what was refused has the reason on a line of its own. */
static void print_row(const tune_report *r, const tsr_op_measurement *m) {
  const op_call *o = r->o;
  if (m->refused) {
    printf("%10s %10s %10s %9s  %s\n  %s: %s\n", "-", "-", "-", "-", m->instance,
           m->pruned ? "left out" : "refused", m->refused);
    return;
  }
  printf("%10.4g %10.4g %10.4g %9.2g  %s\n", m->median_ms,
         op_rate(tsr_op_plan_flops(o->plan), m->median_ms),
         op_rate(tsr_op_plan_bytes(o->plan), m->median_ms), r->error, m->instance);
}

static bool take_measurement(void *user, const tsr_op_measurement *m) {
  tune_report *r = user;
  arena *a = &r->o->c->arena;
  if (r->o->json)
    print_json(r, m);
  else
    print_row(r, m);
  r->refused += m->refused && !m->pruned;
  r->pruned += m->pruned;
  if (!m->refused)
    vec_push(a, r->rows,
             (tune_row){arena_strndup(a, m->instance, strlen(m->instance)), m->median_ms});
  return true;
}

static void print_search(const tsr_op_tuning *found) {
  if (!(found->noise > 0)) return;
  printf("times vary by %.2g %%", 100 * found->noise);
  if (found->in_doubt)
    printf("; the %u fastest were measured anew, in turns, for want of a clear answer",
           found->in_doubt);
  printf("\n");
}

static void print_end(const tune_report *r, const tsr_op_plan *best) {
  printf("best %s\n%u refused", tsr_op_plan_instance(best), r->refused);
  if (r->pruned) printf(", %u left out, whose work alone takes longer", r->pruned);
  printf("\n");
}

/* ---- the picture ----------------------------------------------------------------------------- */

/* The parameters in which an instance differs from the first, which tell bars apart. */
static const char *label_of(const tune_report *r, const char *instance) {
  enum { MOST = 46 };
  const char *first = r->rows.data[0].instance, *from = instance;
  for (size_t i = 0; instance[i] && instance[i] == first[i]; i++)
    if (instance[i] == ',' || instance[i] == ':') from = instance + i + 1;
  size_t length = strlen(from);
  return arena_printf(&r->o->c->arena, "%.*s%s", MOST, from, length > MOST ? "..." : "");
}

static bool draw(const tune_report *r) {
  enum { WIDTH = 900, LEFT = 16, TOP = 74, ROW = 26, BARS_LEFT = 330, BARS_WIDTH = 380 };
  cli *c = r->o->c;
  sbuf b = SBUF(&c->arena);
  double longest = 0;
  for (uint32_t i = 0; i < r->rows.len; i++) longest = MAX(longest, r->rows.data[i].ms);
  svg_begin(&b, WIDTH, TOP + ROW * (int)r->rows.len + 20);
  svg_text(&b, LEFT, 28, "title", r->o->family);
  svg_text(&b, LEFT, 48, "sub", tsr_op_plan_problem(r->o->plan));
  svg_text(&b, BARS_LEFT, 66, "sub", "time of each instance, in their order");
  for (uint32_t i = 0; i < r->rows.len; i++) {
    double y = TOP + ROW * (double)i, width = BARS_WIDTH * r->rows.data[i].ms / longest;
    double gflops = op_rate(tsr_op_plan_flops(r->o->plan), r->rows.data[i].ms);
    svg_text_within(&b, LEFT, y + 15, BARS_LEFT - LEFT - 12, "",
                    label_of(r, r->rows.data[i].instance));
    svg_bar(&b, BARS_LEFT, y + 3, width, ROW - 8, "memory");
    svg_text(&b, BARS_LEFT + width + 6, y + 15, "small",
             arena_printf(&c->arena, "%.4g ms, %.4g GFLOP/s", r->rows.data[i].ms, gflops));
  }
  svg_end(&b);
  return cli_write_result(c, r->o->svg, b.data, b.len);
}

/* ---- all of it ------------------------------------------------------------------------------- */

int op_tune(op_call *o) {
  tsr_op_problem problem = op_problem_of(o);
  tsr_op_tuning found = {0};
  tune_report r = {.o = o, .has_reference = !o->beside_first};
  tsr_op_tune_options options = {.struct_size = sizeof options,
                                 .seconds = o->seconds,
                                 .judge = judge,
                                 .each = take_measurement,
                                 .user = &r,
                                 .found = &found};
  if (!op_prepare(o, true) || (!o->beside_first && !op_ask_reference(o))) return CLI_WRONG_INPUT;
  if (!o->json) printf("%10s %10s %10s %9s  %s\n", "ms", "GFLOP/s", "GB/s", "error", "instance");
  if (tsr_op_tune(o->library, &problem, o->args, o->count, &options) != TSR_OK)
    return CLI_WRONG_INPUT;
  tsr_op_plan *best = tsr_op_plan_get(o->library, &problem);
  if (!best) return CLI_WRONG_INPUT;
  if (!o->json) print_search(&found);
  if (!o->json) print_end(&r, best);
  return !o->svg || draw(&r) ? CLI_OK : CLI_WRONG_INPUT;
}
