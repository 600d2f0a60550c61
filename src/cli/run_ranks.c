/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cli/run_ranks.h"

#include <stdio.h>

enum { MOST_IN_ONE_PROCESS = 1024 };

/* ---- options -------------------------------------------------------------------------------- */

static int join(cli *c, rank_run *r, unsigned asked) {
  r->all = tsr_ranks_join(c->ctx, NULL);
  if (!r->all) return CLI_WRONG_INPUT;
  r->ranks = tsr_ranks_size(r->all);
  r->rank = tsr_ranks_rank(r->all);
  if (!asked || asked == r->ranks) return CLI_OK;
  return cli_wrong_call(c, "--ranks is %u, and mpirun has started %u", asked, r->ranks);
}

static int be_all(cli *c, rank_run *r, unsigned asked, const char *target) {
  if (!asked)
    return cli_wrong_call(c, "say how many ranks: --ranks=4, or start them with mpirun -n 4");
  if (target && strcmp(target, "interp") != 0)
    return cli_wrong_call(c,
                          "ranks in one process need --target interp, not %s; elsewhere start them "
                          "with mpirun -n %u",
                          target, asked);
  r->ranks = asked;
  r->n_parts = asked - 1;
  r->parts = arena_array(&c->arena, rank_part, r->n_parts + 1);
  memset(r->parts, 0, (r->n_parts + 1) * sizeof *r->parts);
  return CLI_OK;
}

int rank_run_begin(cli *c, rank_run *r, const char *target) {
  *r = (rank_run){.c = c};
  if (!cli_has(c, OPT_RANKS)) return CLI_OK;
  const char *text = cli_value(c, OPT_RANKS);
  uint64_t asked = 0;
  if (text && *text && !cli_number(c, "--ranks", text, 1, MOST_IN_ONE_PROCESS, &asked))
    return CLI_WRONG_CALL;
  if (cli_has(c, OPT_RECORD) || cli_has(c, OPT_PROFILE))
    return cli_wrong_call(c, "--ranks does not go with --record and --profile");
  return tsr_ranks_started() ? join(c, r, (unsigned)asked) : be_all(c, r, (unsigned)asked, target);
}

/* ---- the other ranks in this process -------------------------------------------------------- */

int rank_run_match(rank_run *r, const argument_list *first) {
  cli *c = r->c;
  for (unsigned k = 0; k < r->n_parts; k++) {
    argument_list *list = &r->parts[k].arguments;
    list->rank = k + 1;
    list->ranks = r->ranks;
    int status = arguments_parse(c, list, c->args + 1, c->n_args - 1);
    if (status == CLI_OK)
      status = arguments_match(c, list, first->kernel, first->parameters, first->count);
    if (status == CLI_OK) status = outputs_collect(c, list, &r->parts[k].outputs);
    if (status != CLI_OK) return status;
  }
  return CLI_OK;
}

int rank_run_compile(rank_run *r, tsr_device *device, tsr_module *module, tsr_kernel *first) {
  for (unsigned k = 0; k < r->n_parts; k++) {
    rank_part *p = &r->parts[k];
    p->program = tsr_program_create(device, module);
    if (p->program) p->kernel = tsr_kernel_get(p->program, tsr_kernel_name(first));
    if (!p->kernel) return CLI_WRONG_INPUT;
  }
  return CLI_OK;
}

/* ---- memory --------------------------------------------------------------------------------- */

/* The buffers of this process become symmetric memory. */
static int share(rank_run *r, argument_list *list, tsr_device *device) {
  r->memory = arena_array(&r->c->arena, tsr_symmetric *, list->count);
  memset(r->memory, 0, list->count * sizeof *r->memory);
  for (unsigned i = 0; i < list->count; i++) {
    argument *arg = &list->data[i];
    if (arg->kind >= ARGUMENT_SCALAR) continue;
    size_t bytes = arg->array.npy.bytes;
    r->memory[i] = tsr_symmetric_create(r->all, device, bytes);
    if (!r->memory[i]) return CLI_WRONG_INPUT;
    tsr_buffer_destroy(arg->buffer);
    arg->buffer = tsr_symmetric_buffer(r->memory[i]);
    arg->borrowed = true;
    if (tsr_buffer_write(arg->buffer, 0, arg->array.data, bytes) != TSR_OK) return CLI_WRONG_INPUT;
  }
  return CLI_OK;
}

static argument *named(rank_run *r, argument_list *list, const argument *arg) {
  argument *of = argument_named(list, arg->of);
  if (of && of->kind < ARGUMENT_SCALAR) return of;
  cli_error(r->c, "argument '%s': there is no buffer '" STR_FMT "'", arg->text, STR_ARG(arg->of));
  return NULL;
}

static argument_list *list_of(rank_run *r, argument_list *first, unsigned rank) {
  return rank ? &r->parts[rank - 1].arguments : first;
}

/* A table of addresses; NULL after a message. */
static tsr_buffer *make_table(rank_run *r, argument_list *first, tsr_device *device,
                              const argument *arg) {
  tsr_buffer *table = tsr_buffer_create(device, r->ranks * sizeof(uint64_t));
  for (unsigned k = 0; table && k < r->ranks; k++) {
    argument *of = named(r, list_of(r, first, k), arg);
    uint64_t address = of ? tsr_buffer_address(of->buffer) : 0;
    if (of && tsr_buffer_write(table, k * sizeof address, &address, sizeof address) == TSR_OK)
      continue;
    tsr_buffer_destroy(table);
    return NULL;
  }
  return table;
}

/* What mpirun's ranks have of each other. */
static bool find_far(rank_run *r, argument_list *list, argument *arg) {
  argument *of = named(r, list, arg);
  if (!of) return false;
  tsr_symmetric *memory = r->memory[of - list->data];
  bool table = arg->kind == ARGUMENT_PEERS;
  arg->buffer = table ? tsr_symmetric_table(memory) : tsr_symmetric_peer(memory, arg->peer);
  arg->borrowed = true;
  if (arg->buffer) return true;
  cli_error(r->c,
            "argument '%s': rank %u is on another machine, where kernels of rank %u do not "
            "reach",
            arg->text, arg->peer, r->rank);
  return false;
}

static bool find_near(rank_run *r, argument_list *first, tsr_device *device, argument *arg) {
  if (arg->kind == ARGUMENT_PEERS) {
    arg->buffer = make_table(r, first, device, arg);
    return arg->buffer;
  }
  argument *of = named(r, list_of(r, first, arg->peer), arg);
  if (of) arg->buffer = of->buffer;
  arg->borrowed = true;
  return of;
}

/* A peer's buffer holds what the parameter takes. */
static bool has_type(rank_run *r, argument_list *list, const argument *arg) {
  const argument *of = named(r, list, arg);
  if (!of || arg->kind == ARGUMENT_PEERS) return of;
  if (of->parameter->elem == arg->parameter->elem) return true;
  cli_error(r->c, "argument '%s' is a buffer of %s; its parameter takes %s", arg->text,
            tsr_elem_name(of->parameter->elem), tsr_elem_name(arg->parameter->elem));
  return false;
}

static bool find_peers(rank_run *r, argument_list *first, argument_list *list, tsr_device *device) {
  for (unsigned i = 0; i < list->count; i++) {
    argument *arg = &list->data[i];
    if (arg->kind != ARGUMENT_PEER && arg->kind != ARGUMENT_PEERS) continue;
    if (!has_type(r, list, arg)) return false;
    if (!(r->all ? find_far(r, list, arg) : find_near(r, first, device, arg))) return false;
  }
  return true;
}

int rank_run_load(rank_run *r, argument_list *first, tsr_device *device, uint64_t seed) {
  int status = r->all ? share(r, first, device) : CLI_OK;
  for (unsigned k = 0; k < r->n_parts && status == CLI_OK; k++)
    status = arguments_load(r->c, &r->parts[k].arguments, device, seed + k + 1);
  bool good = status == CLI_OK && find_peers(r, first, first, device);
  for (unsigned k = 0; k < r->n_parts && good; k++) {
    rank_part *p = &r->parts[k];
    good = find_peers(r, first, &p->arguments, device);
    if (good) p->args = arguments_launch(r->c, &p->arguments);
  }
  if (status != CLI_OK) return status;
  return good ? CLI_OK : CLI_WRONG_CALL;
}

/* ---- running -------------------------------------------------------------------------------- */

static tsr_status launch_all(rank_run *r, tsr_kernel *first, tsr_grid grid, const tsr_arg *args,
                             size_t count) {
  tsr_kernel **kernels = arena_array(&r->c->arena, tsr_kernel *, r->ranks);
  const tsr_arg **all = arena_array(&r->c->arena, const tsr_arg *, r->ranks);
  kernels[0] = first;
  all[0] = args;
  for (unsigned k = 1; k < r->ranks; k++) {
    kernels[k] = r->parts[k - 1].kernel;
    all[k] = r->parts[k - 1].args;
  }
  return tsr_launch_ranks(kernels, r->ranks, grid, all, count);
}

/* All begin when all buffers are there, and look at theirs when all have ended. */
tsr_status rank_run_launch(rank_run *r, tsr_kernel *first, tsr_grid grid, const tsr_arg *args,
                           size_t count) {
  if (!r->all) return launch_all(r, first, grid, args, count);
  tsr_status status = tsr_ranks_barrier(r->all);
  if (status == TSR_OK) status = tsr_launch(first, grid, args, count);
  tsr_status end = tsr_ranks_barrier(r->all);
  return status == TSR_OK ? end : status;
}

/* So that lines of several ranks are not mixed. */
static bool show_in_turn(rank_run *r, const outputs *own) {
  bool good = true;
  for (unsigned k = 0; k < r->ranks; k++) {
    if (k == r->rank) good = outputs_write(r->c, own);
    fflush(stdout);
    if (tsr_ranks_barrier(r->all) != TSR_OK) return false;
  }
  return good;
}

bool rank_run_show(rank_run *r, const outputs *first) {
  if (r->all) return show_in_turn(r, first);
  bool good = outputs_write(r->c, first);
  for (unsigned k = 0; k < r->n_parts && good; k++) {
    rank_part *p = &r->parts[k];
    good = arguments_read_back(&p->arguments) && outputs_write(r->c, &p->outputs);
  }
  return good;
}

void rank_run_end(rank_run *r, argument_list *first) {
  for (unsigned k = 0; k < r->n_parts; k++) {
    if (r->parts[k].program) tsr_program_destroy(r->parts[k].program);
    arguments_free(&r->parts[k].arguments);
  }
  arguments_free(first);
  for (unsigned i = 0; r->memory && i < first->count; i++) tsr_symmetric_destroy(r->memory[i]);
  tsr_ranks_leave(r->all);
}
