/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The command `ptx`: a kernel of a PTX file on an emulated card.
 *
 *   options ─► file ─► card, module ─► kernel ─► arguments against parameters ─► outputs can be
 *   written ─► buffers ─► launch ─► save, print
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/outputs.h"
#include "cli/ptx_watch.h"
#include "cli/record.h"
#include "emu/ptx/image.h"
#include "rt/rt.h"

typedef struct ptx_state {
  cli *c;
  tsr_ptx_launch how;
  unsigned threads;
  uint64_t seed;
  str text;
  tsr_device *device;
  tsr_ptx *ptx;
  const ptx_function *kernel;
  argument_list arguments;
  outputs outputs;
  ptx_watch watch;
} ptx_state;

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

static int read_schedule(ptx_state *s) {
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

static int read_async(ptx_state *s) {
  static const char *const names[] = {"eager", "late", "random"};
  const char *text = cli_value(s->c, OPT_ASYNC);
  if (!text) return CLI_OK;
  for (unsigned k = 0; k < ARRAY_LEN(names); k++) {
    if (strcmp(text, names[k]) != 0) continue;
    s->how.async = (tsr_ptx_async)k;
    return CLI_OK;
  }
  return cli_wrong_call(s->c, "--async takes eager, late or random, not '%s'", text);
}

static int read_number(ptx_state *s, cli_option_id id, const char *name, uint64_t max,
                       uint64_t *out) {
  const char *text = cli_value(s->c, id);
  if (!text) return CLI_OK;
  return cli_number(s->c, name, text, 0, max, out) ? CLI_OK : CLI_WRONG_CALL;
}

static int read_options(ptx_state *s) {
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

/* ---- the card and the module ---------------------------------------------------------------- */

/* The target that a file names, as the name of a device; what is wrong with it the reader says. */
static const char *target_of(cli *c, str text) {
  static const char word[] = ".target";
  for (const char *p = text.data; p && (p = strstr(p, word)); p++) {
    p += sizeof word - 1;
    while (*p == ' ' || *p == '\t') p++;
    size_t n = 0;
    while (isalnum((unsigned char)p[n]) || p[n] == '_') n++;
    const char *name = arena_printf(&c->arena, "%.*s", (int)n, p);
    if (emu_device_info_for(name)) return arena_printf(&c->arena, "emu:%s", name);
    break;
  }
  return "emu:sm_90a";
}

static int open_device(ptx_state *s) {
  cli *c = s->c;
  const char *name = cli_value(c, OPT_TARGET);
  if (!name) name = target_of(c, s->text);
  if (strncmp(name, "emu:", 4) != 0 || !emu_device_info_for(name + 4)) {
    cli_error(c, "--target: there is no card '%s'", name);
    cli_note(c, "'tessera devices' lists them: emu:sm_80, emu:sm_90a, ...");
    return CLI_WRONG_CALL;
  }
  tsr_device_options o = {.struct_size = sizeof o, .threads = s->threads};
  s->device = tsr_device_open(c->ctx, name, &o);
  return s->device ? CLI_OK : CLI_WRONG_INPUT;
}

/* "x: .u64, n: .u32, s: .b8[24]" */
static const char *signature(cli *c, const ptx_function *f) {
  sbuf b = SBUF(&c->arena);
  sbuf_puts(&b, "");
  for (uint32_t k = 0; k < f->n_params; k++) {
    const ptx_param *p = &f->params[k];
    unsigned size = ptx_types[p->type].bits / 8;
    sbuf_printf(&b, "%s%s: .%s", k ? ", " : "", p->name, ptx_types[p->type].name);
    if (p->bytes != size) sbuf_printf(&b, "[%u]", p->bytes / MAX(size, 1u));
  }
  return b.len ? b.data : "";
}

static void list_kernels(ptx_state *s) {
  const ptx_module *m = rt_ptx_module(s->ptx);
  printf("%s: PTX %u.%u for %s\n", s->c->args[0], m->version / 10, m->version % 10, m->target);
  for (uint32_t k = 0; k < m->n_functions; k++) {
    const ptx_function *f = &m->functions[k];
    if (!f->is_entry || !f->defined) continue;
    printf("  %s(%s)\n", f->name, signature(s->c, f));
    printf("    %u instructions, %u bytes of static shared memory", f->n_insns, f->shared_bytes);
    if (f->uses_dynamic_shared) printf(" and dynamic");
    if (f->required_threads[0])
      printf(", blocks of %u x %u x %u threads", f->required_threads[0], f->required_threads[1],
             f->required_threads[2]);
    printf("\n");
  }
}

static int choose_kernel(ptx_state *s) {
  cli *c = s->c;
  const char *name = cli_value(c, OPT_KERNEL);
  s->kernel = ptx_find_entry(rt_ptx_module(s->ptx), name);
  if (s->kernel) return CLI_OK;
  size_t n = tsr_ptx_kernel_count(s->ptx);
  if (name)
    cli_error(c, "there is no kernel '%s' in '%s'", name, c->args[0]);
  else
    cli_error(c,
              n ? "'%s' has %zu kernels; choose one with --kernel" : "'%s' has no kernel (.entry)",
              c->args[0], n);
  const char **names = arena_array(&c->arena, const char *, n + 1);
  sbuf list = SBUF(&c->arena);
  for (size_t k = 0; k <= n; k++) names[k] = tsr_ptx_kernel_name(s->ptx, k);
  for (size_t k = 0; k < n; k++) sbuf_printf(&list, "%s %s", k ? "," : "", names[k]);
  const char *closest = name ? cli_closest(name, names) : NULL;
  if (closest)
    cli_note(c, "did you mean '%s'?", closest);
  else if (n)
    cli_note(c, "it has%s", list.data);
  return name || n ? CLI_WRONG_CALL : CLI_WRONG_INPUT;
}

/* ---- arguments ------------------------------------------------------------------------------ */

/* PTX says how large a parameter is, not what is behind a pointer: the argument says that. */
static int match_arguments(ptx_state *s) {
  cli *c = s->c;
  const ptx_function *f = s->kernel;
  argument_list *list = &s->arguments;
  if (list->count != f->n_params) {
    cli_error(c, "kernel %s takes %u argument%s, %u %s given", f->name, f->n_params,
              f->n_params == 1 ? "" : "s", list->count, list->count == 1 ? "is" : "are");
    if (f->n_params) cli_note(c, "%s takes %s", f->name, signature(c, f));
    return CLI_WRONG_CALL;
  }
  tsr_parameter *parameters = arena_array(&c->arena, tsr_parameter, list->count);
  for (unsigned k = 0; k < list->count; k++) {
    const argument *a = &list->data[k];
    bool scalar = a->kind == ARGUMENT_SCALAR;
    parameters[k] = (tsr_parameter){.name = f->params[k].name,
                                    .is_pointer = !scalar,
                                    .elem = a->kind == ARGUMENT_FILE ? TSR_ELEM_COUNT : a->elem};
  }
  return arguments_match(c, list, f->name, parameters, list->count);
}

static int launch(ptx_state *s) {
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
  tsr_status status = tsr_ptx_run(s->ptx, s->kernel->name, &s->how, args, s->arguments.count);
  s->device->emu_watcher = NULL;
  fflush(stdout);
  if (status != TSR_ERROR_USAGE) watched = ptx_watch_end(c, &s->watch);
  if (status == TSR_OK) return watched;
  return status == TSR_ERROR_USAGE ? CLI_WRONG_CALL : CLI_WRONG_INPUT;
}

/* ---- the command ---------------------------------------------------------------------------- */

static int run_kernel(ptx_state *s) {
  cli *c = s->c;
  int status = choose_kernel(s);
  if (status == CLI_OK) status = arguments_parse(c, &s->arguments, c->args + 1, c->n_args - 1);
  if (status == CLI_OK) status = match_arguments(s);
  if (status == CLI_OK) status = ptx_watch_options(c, rt_ptx_module(s->ptx)->target, &s->watch);
  if (status == CLI_OK) status = outputs_collect(c, &s->arguments, &s->outputs);
  if (status == CLI_OK) status = arguments_load(c, &s->arguments, s->device, s->seed);
  if (status == CLI_OK && !record_inputs(c, &s->arguments)) status = CLI_WRONG_INPUT;
  if (status == CLI_OK) status = launch(s);
  fflush(stdout);
  if (status == CLI_OK && !outputs_write(c, &s->outputs)) status = CLI_WRONG_INPUT;
  if (status == CLI_OK && !record_results(c, &s->arguments, s->kernel->name, s->how.grid, false))
    status = CLI_WRONG_INPUT;
  arguments_free(&s->arguments);
  return status;
}

static int run_file(ptx_state *s) {
  cli *c = s->c;
  if (!cli_has(c, OPT_GRID) && c->n_args > 1)
    return cli_wrong_call(c, "say how many blocks to run: --grid X[,Y[,Z]], as in --grid 8");
  int status = read_options(s);
  if (status != CLI_OK) return status;
  if (!file_read(c->ctx, &c->arena, c->args[0], (size_t)1 << 30, &s->text)) return CLI_WRONG_INPUT;
  status = open_device(s);
  if (status != CLI_OK) return status;
  const char *name = cli_is_stdin(c->args[0]) ? "<stdin>" : c->args[0];
  bool runs = cli_has(c, OPT_GRID);
  s->ptx = (runs ? tsr_ptx_create : rt_ptx_check)(s->device, name, s->text.data, s->text.len);
  if (!s->ptx) return CLI_WRONG_INPUT;
  if (runs) return run_kernel(s);
  list_kernels(s);
  return CLI_OK;
}

int cli_ptx(cli *c) {
  ptx_state s = {.c = c, .how = {.struct_size = sizeof s.how}};
  int status = run_file(&s);
  tsr_ptx_destroy(s.ptx);
  tsr_device_close(s.device);
  ptx_watch_free(&s.watch);
  return status;
}
