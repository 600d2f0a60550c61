/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Arguments of a plan: checked as a whole before anything is launched. Nothing here allocates;
 * several threads may be here.
 */
#include <inttypes.h>
#include <stdio.h>

#include "ops/host.h"
#include "ops/library.h"
#include "rt/rt.h"

/* The arguments of a plan, in the order of its operands; the workspace is the last. */
typedef struct bound {
  const tsr_op_plan *plan;
  tsr_arg args[OPS_MAX_OPERANDS + 1];
  bool given[OPS_MAX_OPERANDS + 1];
} bound;

static tsr_status wrong(const tsr_op_plan *plan, const char *fmt, ...) PRINTF_LIKE(2, 3);
static tsr_status wrong(const tsr_op_plan *plan, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  ops_report(plan->library, fmt, args);
  va_end(args);
  return TSR_ERROR_USAGE;
}

/* ---- names ----------------------------------------------------------------------------------- */

static const char *name_at(const tsr_op_plan *plan, unsigned i) {
  return i < plan->operands.count ? plan->operands.data[i].name : "workspace";
}

static size_t bytes_at(const tsr_op_plan *plan, unsigned i) {
  return i < plan->operands.count ? ops_operand_bytes(&plan->operands.data[i])
                                  : plan->steps.workspace;
}

static unsigned count_of(const tsr_op_plan *plan) {
  return plan->operands.count + (plan->steps.workspace != 0);
}

/* "a, b, bias, c" */
static void list_names(const tsr_op_plan *plan, char *out, size_t size) {
  size_t n = 0;
  *out = 0;
  for (unsigned i = 0; i < count_of(plan) && n < size; i++)
    n += (size_t)snprintf(out + n, size - n, "%s%s", i ? ", " : "", name_at(plan, i));
}

static tsr_status bind_names(bound *b, const tsr_op_argument *args, size_t n_args) {
  const tsr_op_plan *plan = b->plan;
  char names[256];
  list_names(plan, names, sizeof names);
  for (size_t i = 0; i < n_args; i++) {
    unsigned at = 0, count = plan->operands.count + 1;
    while (at < count && (!args[i].name || strcmp(name_at(plan, at), args[i].name) != 0)) at++;
    if (at == count)
      return wrong(plan, "there is no tensor '%s'; %s has %s", args[i].name ? args[i].name : "",
                   plan->problem.family->name, names);
    if (b->given[at]) return wrong(plan, "'%s' is given twice", args[i].name);
    b->given[at] = true;
    b->args[at] = args[i].arg;
  }
  for (unsigned i = 0; i < count_of(plan); i++)
    if (!b->given[i])
      return wrong(plan, "'%s' is not given; %s needs %s", name_at(plan, i),
                   plan->problem.family->name, names);
  return TSR_OK;
}

/* ---- memory ---------------------------------------------------------------------------------- */

static uint64_t address_of(const tsr_arg *arg) {
  return arg->kind == TSR_ARG_BUFFER ? tsr_buffer_address(arg->buffer) : arg->bits;
}

static tsr_status check_alignment(const bound *b, unsigned i) {
  unsigned unit = 64;
  if (i < b->plan->operands.count) unit = ops_type_bits(b->plan->operands.data[i].type) / 8;
  if (unit <= 1 || address_of(&b->args[i]) % unit == 0) return TSR_OK;
  return wrong(b->plan, "'%s' lies at 0x%" PRIx64 ", not at a multiple of %u bytes",
               name_at(b->plan, i), address_of(&b->args[i]), unit);
}

static tsr_status check_memory(const bound *b, unsigned i) {
  const tsr_arg *arg = &b->args[i];
  const char *name = name_at(b->plan, i);
  size_t bytes = bytes_at(b->plan, i);
  if (arg->kind == TSR_ARG_SCALAR || arg->kind > TSR_ARG_NULLABLE)
    return wrong(b->plan, "'%s' takes a buffer or an address, not a number", name);
  if (bytes == 0) return TSR_OK;
  if (arg->kind == TSR_ARG_BUFFER && !arg->buffer)
    return wrong(b->plan, "the buffer of '%s' is NULL; it needs %zu bytes", name, bytes);
  if (arg->kind == TSR_ARG_BUFFER && arg->buffer->device != b->plan->library->device)
    return wrong(b->plan, "the buffer of '%s' belongs to another device than the plan", name);
  if (arg->kind == TSR_ARG_BUFFER && tsr_buffer_size(arg->buffer) < bytes)
    return wrong(b->plan, "the buffer of '%s' has %zu bytes; it needs %zu", name,
                 tsr_buffer_size(arg->buffer), bytes);
  if (!address_of(arg))
    return wrong(b->plan, "the address of '%s' is NULL; it needs %zu bytes", name, bytes);
  return check_alignment(b, i);
}

static bool is_written(const bound *b, unsigned i) {
  return i >= b->plan->operands.count || b->plan->operands.data[i].use != TSR_OP_READ;
}

static bool do_overlap(const bound *b, unsigned i, unsigned j) {
  size_t bytes_i = bytes_at(b->plan, i), bytes_j = bytes_at(b->plan, j);
  uint64_t at_i = address_of(&b->args[i]), at_j = address_of(&b->args[j]);
  return bytes_i && bytes_j && at_i < at_j + bytes_j && at_j < at_i + bytes_i;
}

static tsr_status check_overlaps(const bound *b) {
  for (unsigned i = 0; i < count_of(b->plan); i++)
    for (unsigned j = 0; j < i; j++)
      if ((is_written(b, i) || is_written(b, j)) && do_overlap(b, i, j))
        return wrong(b->plan,
                     "'%s' and '%s' overlap, and one of them is written; give them "
                     "memory of their own",
                     name_at(b->plan, j), name_at(b->plan, i));
  return TSR_OK;
}

static tsr_status bind_arguments(bound *b, const tsr_op_plan *plan, const tsr_op_argument *args,
                                 size_t n_args) {
  *b = (bound){.plan = plan};
  if (!args && n_args) return wrong(plan, "the arguments are NULL");
  tsr_status status = bind_names(b, args, n_args);
  for (unsigned i = 0; status == TSR_OK && i < count_of(plan); i++) status = check_memory(b, i);
  return status == TSR_OK ? check_overlaps(b) : status;
}

/* ---- launches -------------------------------------------------------------------------------- */

static tsr_arg moved(const tsr_arg *arg, uint64_t bytes) {
  if (bytes == 0) return *arg;
  return tsr_arg_address((void *)(uintptr_t)(address_of(arg) + bytes));
}

static void step_arguments(const bound *b, const ops_step *s, tsr_arg *out) {
  for (unsigned i = 0; i < s->n_passes; i++) {
    const ops_pass *pass = &s->passes[i];
    const tsr_arg *arg =
        &b->args[pass->kind == OPS_PASS_TENSOR ? pass->operand : b->plan->operands.count];
    if (pass->kind == OPS_PASS_SCALAR)
      out[i] = tsr_arg_scalar(pass->elem, pass->bits);
    else if (pass->kind == OPS_PASS_WORKSPACE)
      out[i] = moved(arg, pass->bits);
    else if (bytes_at(b->plan, pass->operand))
      out[i] = *arg;
    else
      out[i] = tsr_arg_nullable(NULL);
  }
}

tsr_status tsr_op_launch(tsr_op_plan *plan, tsr_stream *stream, const tsr_op_argument *args,
                         size_t n_args) {
  bound b;
  tsr_arg words[OPS_MAX_PASSES];
  if (!plan) return TSR_ERROR_USAGE;
  tsr_status status = bind_arguments(&b, plan, args, n_args);
  for (unsigned i = 0; status == TSR_OK && i < plan->steps.count; i++) {
    const ops_step *s = &plan->steps.data[i];
    step_arguments(&b, s, words);
    status = stream ? tsr_launch_on(stream, plan->kernels[i], s->grid, words, s->n_passes)
                    : tsr_launch(plan->kernels[i], s->grid, words, s->n_passes);
  }
  return status;
}

static void add_times(tsr_bench_result *sum, const tsr_bench_result *more) {
  sum->median_ms += more->median_ms;
  sum->mean_ms += more->mean_ms;
  sum->min_ms += more->min_ms;
  sum->max_ms += more->max_ms;
  sum->p20_ms += more->p20_ms;
  sum->p80_ms += more->p80_ms;
  sum->samples = sum->samples ? MIN(sum->samples, more->samples) : more->samples;
  sum->launches += more->launches;
}

tsr_status tsr_op_bench(tsr_op_plan *plan, const tsr_op_argument *args, size_t n_args,
                        const tsr_bench_options *options, tsr_bench_result *result) {
  bound b;
  tsr_arg words[OPS_MAX_PASSES];
  if (!plan) return TSR_ERROR_USAGE;
  if (!result) return wrong(plan, "tsr_op_bench: the result is NULL");
  *result = (tsr_bench_result){0};
  tsr_status status = bind_arguments(&b, plan, args, n_args);
  for (unsigned i = 0; status == TSR_OK && i < plan->steps.count; i++) {
    const ops_step *s = &plan->steps.data[i];
    tsr_bench_result one;
    step_arguments(&b, s, words);
    status = tsr_bench(plan->kernels[i], s->grid, words, s->n_passes, options, &one);
    if (status == TSR_OK) add_times(result, &one);
  }
  return status;
}

/* ---- references ------------------------------------------------------------------------------ */

static tsr_status run_reference(const tsr_op_plan *plan, void *const *data) {
  tsr_context *ctx = tsr_context_create(NULL);
  arena scratch;
  if (!ctx) return TSR_ERROR_MEMORY;
  arena_init(&scratch, ctx);
  TSR_GUARD(ctx, {
    arena_free(&scratch);
    tsr_context_destroy(ctx);
    return TSR_ERROR_MEMORY;
  });
  ops_host h;
  ops_host_init(&h, &plan->problem, &scratch, &plan->operands, data);
  plan->problem.family->reference(&h);
  ops_host_finish(&h);
  TSR_UNGUARD(ctx);
  arena_free(&scratch);
  tsr_context_destroy(ctx);
  return TSR_OK;
}

tsr_status tsr_op_reference(const tsr_op_plan *plan, const tsr_op_argument *args, size_t n_args) {
  void *data[OPS_MAX_OPERANDS] = {0};
  if (!plan) return TSR_ERROR_USAGE;
  for (unsigned i = 0; i < plan->operands.count; i++) {
    const char *name = plan->operands.data[i].name;
    for (size_t k = 0; args && k < n_args; k++)
      if (args[k].name && strcmp(args[k].name, name) == 0 && args[k].arg.kind != TSR_ARG_BUFFER)
        data[i] = (void *)(uintptr_t)args[k].arg.bits;
    if (!data[i] && bytes_at(plan, i))
      return wrong(plan, "the reference needs the address of '%s' on the host", name);
  }
  return run_reference(plan, data);
}
