/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ops_run.h"

#include "real_card.h"

#include <stdio.h>

void ops_open(ops_scene *s, world *w, const char *device) {
  *s = (ops_scene){.w = w};
  s->device = tsr_device_open(w->ctx, real_card_name(device), NULL);
  assert_non_null(s->device);
  s->library = tsr_op_library_create(s->device, NULL);
  assert_non_null(s->library);
}

void ops_close(ops_scene *s) {
  tsr_op_library_destroy(s->library);
  tsr_device_close(s->device);
}

static const tsr_op_problem *problem_of(const char *text, tsr_op_problem *out) {
  *out = (tsr_op_problem){.struct_size = sizeof *out, .text = text};
  return out;
}

void ops_refused(ops_scene *s, const char *problem, const char *text) {
  tsr_op_problem p;
  world_forget(s->w);
  if (tsr_op_plan_get(s->library, problem_of(problem, &p))) fail_msg("%s is accepted", problem);
  if (!strstr(s->w->messages, text)) fail_msg("%s: '%s' lacks '%s'", problem, s->w->messages, text);
  world_forget(s->w);
}

enum { GUARD_BYTES = 64 };

/* A tensor in a buffer, with bytes behind it that must stay. */
typedef struct tensor_copy {
  size_t bytes;
  uint8_t *expected;
  tsr_buffer *buffer;
} tensor_copy;

static void make_tensor(ops_scene *s, const ops_operand *o, uint64_t seed, tensor_copy *t) {
  t->bytes = ops_operand_bytes(o);
  t->expected = malloc(t->bytes + GUARD_BYTES);
  memset(t->expected, 0xa5, t->bytes + GUARD_BYTES);
  ops_fill(o, t->expected, seed);
  if (s->prepare) s->prepare(o, t->expected);
  t->buffer = tsr_buffer_create(s->device, t->bytes + GUARD_BYTES);
  assert_non_null(t->buffer);
  tsr_buffer_write(t->buffer, 0, t->expected, t->bytes + GUARD_BYTES);
}

static void compare_tensor(const ops_operand *o, tensor_copy *t, double tolerance, arena *a,
                           const char *problem) {
  uint8_t *found = malloc(t->bytes + GUARD_BYTES);
  tsr_buffer_read(t->buffer, 0, found, t->bytes + GUARD_BYTES);
  if (memcmp(found + t->bytes, t->expected + t->bytes, GUARD_BYTES) != 0)
    fail_msg("%s: bytes behind '%s' have changed", problem, o->name);
  ops_difference d = ops_compare(o, found, t->expected, tolerance, a);
  if (d.wrong)
    fail_msg("%s: %s[%lld, %lld, %lld] is %.9g, not %.9g (error %g, allowed %g)", problem, o->name,
             (long long)d.at[0], (long long)d.at[1], (long long)d.at[2], d.found, d.expected,
             d.error, d.allowed);
  free(found);
}

/* Full of NaN: no step may read what none has written. */
static tsr_buffer *make_workspace(ops_scene *s, size_t bytes) {
  tsr_buffer *workspace = tsr_buffer_create(s->device, bytes);
  uint8_t *data = malloc(bytes + 1);
  memset(data, 0xff, bytes + 1);
  if (bytes) tsr_buffer_write(workspace, 0, data, bytes);
  free(data);
  return workspace;
}

void ops_run(ops_scene *s, const char *problem) {
  tsr_op_problem p;
  tsr_op_argument args[OPS_MAX_OPERANDS + 1], host[OPS_MAX_OPERANDS];
  tensor_copy tensors[OPS_MAX_OPERANDS];
  tsr_op_plan *plan = tsr_op_plan_get(s->library, problem_of(problem, &p));
  if (!plan) fail_msg("%s was refused: %s", problem, s->w->messages);
  unsigned n = plan->operands.count;
  for (unsigned i = 0; i < n; i++) {
    const ops_operand *o = &plan->operands.data[i];
    make_tensor(s, o, 1000 * i + s->done, &tensors[i]);
    args[i] = (tsr_op_argument){o->name, tsr_arg_buffer(tensors[i].buffer)};
    host[i] = (tsr_op_argument){o->name, tsr_arg_address(tensors[i].expected)};
  }
  tsr_buffer *workspace = make_workspace(s, tsr_op_plan_workspace(plan));
  args[n] = (tsr_op_argument){"workspace", tsr_arg_buffer(workspace)};
  tsr_status status = tsr_op_launch(plan, NULL, args, n + 1);
  if (status != TSR_OK) fail_msg("%s: %s", problem, s->w->messages);
  assert_int_equal(tsr_op_reference(plan, host, n), TSR_OK);
  arena scratch;
  arena_init(&scratch, s->w->ctx);
  double tolerance = plan->problem.family->tolerance(&plan->problem);
  for (unsigned i = 0; i < n; i++) {
    if (plan->operands.data[i].use != TSR_OP_READ)
      compare_tensor(&plan->operands.data[i], &tensors[i], tolerance, &scratch, plan->text);
    tsr_buffer_destroy(tensors[i].buffer);
    free(tensors[i].expected);
  }
  tsr_buffer_destroy(workspace);
  arena_free(&scratch);
  s->done++;
}

/* ---- random problems ------------------------------------------------------------------------- */

unsigned ops_pick(problem_text *g, unsigned below) {
  g->state = g->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (unsigned)(g->state >> 33) % below;
}

void ops_put(problem_text *g, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  g->n += (size_t)vsnprintf(g->text + g->n, sizeof g->text - g->n, fmt, args);
  va_end(args);
}

void ops_run_examples(const char *device, const char *const *problems, size_t n) {
  world w;
  ops_scene s;
  world_open(&w);
  ops_open(&s, &w, device);
  for (size_t i = 0; i < n; i++) ops_run(&s, problems[i]);
  ops_close(&s);
  world_close(&w);
}

/* Where problems are asked for, only the tests that draw some are wanted. */
__attribute__((constructor)) static void filter_tests(void) {
  if (getenv("TESSERA_RANDOM_TIMES")) cmocka_set_test_filter("*random*");
}

static uint64_t asked(const char *variable, uint64_t usual) {
  const char *text = getenv(variable);
  return text && *text ? strtoull(text, NULL, 10) : usual;
}

/* How many problems a device gets. */
static unsigned count_on(const char *device, unsigned count) {
  const char *devices = getenv("TESSERA_RANDOM_DEVICES");
  if (devices && *devices && !strstr(devices, device)) return 0; /* no name is part of another */
  return count * (unsigned)asked("TESSERA_RANDOM_TIMES", 1);
}

static void run_or_refuse(ops_scene *s, const char *problem, problem_test may_be_refused) {
  tsr_op_problem p;
  char why[512];
  bool refused = may_be_refused && may_be_refused(problem) &&
                 !tsr_op_is_supported(s->device, problem_of(problem, &p), why, sizeof why);
  if (refused)
    s->refused++;
  else
    ops_run(s, problem);
}

void ops_try_random(const char *device, uint64_t seed, unsigned count, const problem_maker *make,
                    unsigned n, problem_test may_be_refused) {
  enum { KERNELS = 1000 }; /* that a library has at most */
  world w;
  ops_scene s;
  problem_text g = {.state = seed + 1000003 * asked("TESSERA_RANDOM_FIRST", 0)};
  unsigned all = count_on(device, count), right = 0, refused = 0;
  for (unsigned i = 0; i < all; i++) {
    if (i % KERNELS == 0) world_open(&w), ops_open(&s, &w, device);
    g.n = 0;
    make[i % n](&g);
    run_or_refuse(&s, g.text, may_be_refused);
    if (i + 1 < all && (i + 1) % KERNELS) continue;
    right += s.done, refused += s.refused;
    ops_close(&s);
    world_close(&w);
  }
  print_message("%s: %u random problems right, %u refused\n", device, right, refused);
}

void ops_run_random(const char *device, uint64_t seed, unsigned count, const problem_maker *make,
                    unsigned n) {
  ops_try_random(device, seed, count, make, n, NULL);
}
