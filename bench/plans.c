/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What a launch of an operator's plan costs on a CPU beside one of the same kernel, and what it
 * costs to ask for a plan that is there.
 */
#include "bench.h"

#include <tessera/op.h>

enum { LAUNCHES = 2000, PARAMETERS = 8 };

typedef struct problem {
  tsr_op_library *library;
  tsr_op_problem asked;
  tsr_op_plan *plan;
  tsr_kernel *kernel;
  tsr_op_argument args[3];
  tsr_arg words[PARAMETERS];
} problem;

static void by_plan(void *user) {
  problem *p = user;
  for (int i = 0; i < LAUNCHES; i++) tsr_op_launch(p->plan, NULL, p->args, 3);
}

static void by_kernel(void *user) {
  problem *p = user;
  for (int i = 0; i < LAUNCHES; i++)
    tsr_launch(p->kernel, (tsr_grid){1, 1, 1}, p->words, PARAMETERS);
}

static void ask(void *user) {
  problem *p = user;
  for (int i = 0; i < LAUNCHES; i++) bench_keep(tsr_op_plan_get(p->library, &p->asked));
}

static void say(void *user, const tsr_diagnostic *d) {
  (void)user;
  fprintf(stderr, "bench/plans: %s\n", d->message);
}

int main(int argc, char **argv) {
  static float a[16], b[16], y[16];
  bench_start(argc, argv, "launches of an operator's plan");
  tsr_context_options options = {.struct_size = sizeof options, .on_diagnostic = say};
  tsr_context *ctx = tsr_context_create(&options);
  tsr_device_options one = {.struct_size = sizeof one, .threads = 1};
  tsr_device *device = tsr_device_open(ctx, "cpu", &one);
  problem p = {
      .library = device ? tsr_op_library_create(device, NULL) : NULL,
      .asked = {.struct_size = sizeof p.asked, .text = "elementwise:shape=16,expression=a+b"},
      .args = {{"a", tsr_arg_address(a)}, {"b", tsr_arg_address(b)}, {"y", tsr_arg_address(y)}},
      /* As `tessera op build` prints them: sizes, then each tensor with the stride of its rows. */
      .words = {tsr_arg_i32(1), tsr_arg_i32(16), tsr_arg_address(a), tsr_arg_i32(16),
                tsr_arg_address(b), tsr_arg_i32(16), tsr_arg_address(y), tsr_arg_i32(16)}};
  p.plan = tsr_op_plan_get(p.library, &p.asked);
  if (!p.plan) return 1;
  tsr_op_problem chosen = {.struct_size = sizeof chosen, .text = tsr_op_plan_problem(p.plan)};
  tsr_module *m = tsr_op_build(ctx, &chosen);
  tsr_program *program = m ? tsr_program_create(device, m) : NULL;
  p.kernel = program ? tsr_kernel_get(program, NULL) : NULL;
  tsr_grid grid = {1, 1, 1};
  if (!p.kernel || tsr_op_launch(p.plan, NULL, p.args, 3) != TSR_OK ||
      tsr_launch(p.kernel, grid, p.words, PARAMETERS) != TSR_OK)
    return 1;
  bench_side sides[] = {BENCH_SIDE("a plan", by_plan, &p), BENCH_SIDE("a kernel", by_kernel, &p),
                        BENCH_SIDE("asking", ask, &p)};
  bench_measure(sides, 3, 1.0);
  double plan = sides[0].best / LAUNCHES * 1e9, kernel = sides[1].best / LAUNCHES * 1e9;
  printf("  a launch of a plan %15.0f ns\n  of its kernel %20.0f ns\n  more %29.0f ns\n", plan,
         kernel, plan - kernel);
  printf("  asking for a plan that is there %2.0f ns\n", sides[2].best / LAUNCHES * 1e9);
  tsr_op_library_destroy(p.library);
  tsr_program_destroy(program);
  tsr_module_destroy(m);
  tsr_device_close(device);
  tsr_context_destroy(ctx);
  return 0;
}
