/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What launches on emulated cards have in common, whatever the instruction set: `tessera ptx` and
 * `tessera hsa`.
 */
#include "cli/emulated.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/record.h"
#include "rt/rt.h"

/* ---- options -------------------------------------------------------------------------------- */

/* X[,Y[,Z]] of an option; leaves `axes` alone when it wasn't given. */
static int read_axes(cli *c, cli_option_id id, const char *name, uint32_t axes[3]) {
  const char *text = cli_value(c, id);
  if (!text) return CLI_OK;
  const char *p = text;
  for (int k = 0; k < 3; k++) axes[k] = 1;
  for (int k = 0; k < 3; k++) {
    char *end;
    errno = 0;
    unsigned long long n = isdigit((unsigned char)*p) ? strtoull(p, &end, 10) : 0;
    if (n == 0 || errno || n > INT32_MAX)
      return cli_wrong_call(c, "%s '%s': it takes X, X,Y or X,Y,Z, each from 1 on", name, text);
    axes[k] = (uint32_t)n;
    p = end;
    if (*p == 0) return CLI_OK;
    if (*p++ != ',') break;
  }
  return cli_wrong_call(c, "%s '%s': it takes X, X,Y or X,Y,Z", name, text);
}

static int read_schedule(emulated *s) {
  const char *text = cli_value(s->c, OPT_SCHEDULE);
  if (!text || strcmp(text, "rr") == 0) return CLI_OK;
  if (strcmp(text, "adversarial") == 0) {
    s->how.schedule = TSR_PTX_ADVERSARIAL;
    return CLI_OK;
  }
  if (strncmp(text, "random:", 7) == 0) {
    s->how.schedule = TSR_PTX_RANDOM;
    return cli_number(s->c, "--schedule random:", text + 7, 0, UINT64_MAX, &s->how.seed)
               ? CLI_OK
               : CLI_WRONG_CALL;
  }
  return cli_wrong_call(s->c, "--schedule takes rr, random:SEED or adversarial, not '%s'", text);
}

static int read_async(emulated *s) {
  unsigned async = s->how.async;
  int status = cli_async(s->c, &async);
  s->how.async = (tsr_ptx_async)async;
  return status;
}

static int read_number(emulated *s, cli_option_id id, const char *name, uint64_t max,
                       uint64_t *out) {
  const char *text = cli_value(s->c, id);
  if (!text) return CLI_OK;
  return cli_number(s->c, name, text, 0, max, out) ? CLI_OK : CLI_WRONG_CALL;
}

int emulated_options(emulated *s) {
  cli *c = s->c;
  uint64_t shared = 0, threads = 0;
  int status = read_axes(c, OPT_GRID, "--grid", s->how.grid);
  if (status == CLI_OK) status = read_axes(c, OPT_BLOCK, "--block", s->how.block);
  if (status == CLI_OK) status = read_axes(c, OPT_CLUSTER, "--cluster", s->how.cluster);
  if (status == CLI_OK) status = read_schedule(s);
  if (status == CLI_OK) status = read_async(s);
  if (status == CLI_OK) status = read_number(s, OPT_SHARED, "--shared", INT32_MAX, &shared);
  if (status == CLI_OK) status = read_number(s, OPT_SEED, "--seed", UINT64_MAX, &s->seed);
  if (status == CLI_OK) status = read_number(s, OPT_THREADS, "--threads", 1024, &threads);
  if (status == CLI_OK)
    status = read_number(s, OPT_MAX_INSTRUCTIONS, "--max-instructions", UINT64_MAX,
                         &s->how.max_instructions);
  s->how.dynamic_shared = (uint32_t)shared;
  s->how.cooperative = cli_has(c, OPT_COOPERATIVE);
  s->threads = (unsigned)threads;
  return status;
}

/* ---- the kernel ----------------------------------------------------------------------------- */

int emulated_no_kernel(cli *c, const char *name, const char *const *names, size_t n,
                       const char *marked) {
  if (name)
    cli_error(c, "there is no kernel '%s' in '%s'", name, c->args[0]);
  else if (n)
    cli_error(c, "'%s' has %zu kernels; choose one with --kernel", c->args[0], n);
  else
    cli_error(c, "'%s' has no kernel%s", c->args[0], marked);
  sbuf list = SBUF(&c->arena);
  for (size_t k = 0; k < n; k++) sbuf_printf(&list, "%s %s", k ? "," : "", names[k]);
  const char *closest = name ? cli_closest(name, names) : NULL;
  if (closest)
    cli_note(c, "did you mean '%s'?", closest);
  else if (n)
    cli_note(c, "it has%s", list.data);
  return name || n ? CLI_WRONG_CALL : CLI_WRONG_INPUT;
}

/* ---- arguments ------------------------------------------------------------------------------ */

int emulated_match(emulated *s, const char *kernel, const char *signature, const char *const *names,
                   uint32_t n) {
  cli *c = s->c;
  argument_list *list = &s->arguments;
  if (list->count != n) {
    cli_error(c, "kernel %s takes %u argument%s, %u %s given", kernel, n, n == 1 ? "" : "s",
              list->count, list->count == 1 ? "is" : "are");
    if (n) cli_note(c, "%s takes %s", kernel, signature);
    return CLI_WRONG_CALL;
  }
  tsr_parameter *parameters = arena_array(&c->arena, tsr_parameter, list->count);
  for (unsigned k = 0; k < list->count; k++) {
    const argument *a = &list->data[k];
    bool scalar = a->kind == ARGUMENT_SCALAR;
    parameters[k] = (tsr_parameter){.name = names[k],
                                    .is_pointer = !scalar,
                                    .elem = a->kind == ARGUMENT_FILE ? TSR_ELEM_COUNT : a->elem};
  }
  return arguments_match(c, list, kernel, parameters, list->count);
}

/* ---- the launch ----------------------------------------------------------------------------- */

static int launch(emulated *s, emulated_launch run, void *user) {
  cli *c = s->c;
  tsr_arg *args = arena_array(&c->arena, tsr_arg, s->arguments.count);
  for (unsigned k = 0; k < s->arguments.count; k++) {
    const argument *a = &s->arguments.data[k];
    args[k] =
        a->kind == ARGUMENT_SCALAR ? tsr_arg_scalar(a->elem, a->bits) : tsr_arg_buffer(a->buffer);
  }
  int watched = CLI_OK;
  s->device->emu_watcher = ptx_watch_begin(c, &s->watch, &watched);
  if (watched != CLI_OK) return watched;
  tsr_status status = run(user, args, s->arguments.count);
  s->device->emu_watcher = NULL;
  fflush(stdout);
  if (status != TSR_ERROR_USAGE) watched = ptx_watch_end(c, &s->watch);
  if (status == TSR_OK) return watched;
  return status == TSR_ERROR_USAGE ? CLI_WRONG_CALL : CLI_WRONG_INPUT;
}

int emulated_run(emulated *s, const char *kernel, emulated_launch run, void *user) {
  cli *c = s->c;
  int status = outputs_collect(c, &s->arguments, &s->outputs);
  if (status == CLI_OK) status = arguments_load(c, &s->arguments, s->device, s->seed);
  if (status == CLI_OK && !record_inputs(c, &s->arguments)) status = CLI_WRONG_INPUT;
  if (status == CLI_OK) status = launch(s, run, user);
  fflush(stdout);
  if (status == CLI_OK && !outputs_write(c, &s->outputs)) status = CLI_WRONG_INPUT;
  if (status == CLI_OK && !record_results(c, &s->arguments, kernel, s->how.grid, false))
    status = CLI_WRONG_INPUT;
  return status;
}

int emulated_parse(emulated *s) {
  cli *c = s->c;
  return arguments_parse(c, &s->arguments, c->args + 1, c->n_args - 1);
}

void emulated_free(emulated *s) {
  arguments_free(&s->arguments);
}
