/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The command `ptx`: a kernel of a PTX file on an emulated card.
 *
 *   options ─► file ─► card, module ─► kernel ─► arguments against parameters ─► outputs can be
 *   written ─► buffers ─► launch ─► save, print
 */
#include <ctype.h>
#include <stdio.h>

#include "cli/emulated.h"
#include "emu/ptx/image.h"
#include "rt/rt.h"

typedef struct ptx_state {
  emulated e;
  str text;
  tsr_ptx *ptx;
  const ptx_function *kernel;
} ptx_state;

/* ---- the card and the module ---------------------------------------------------------------- */

/* A card whose emulator executes PTX. */
static bool is_card(const char *name) {
  const emu_device_info *info = emu_device_info_for(name);
  return info && info->vendor == GPU_NVIDIA;
}

/* The target that a file names, as the name of a device; what is wrong with it the reader says. */
static const char *target_of(cli *c, str text) {
  static const char word[] = ".target";
  for (const char *p = text.data; p && (p = strstr(p, word)); p++) {
    p += sizeof word - 1;
    while (*p == ' ' || *p == '\t') p++;
    size_t n = 0;
    while (isalnum((unsigned char)p[n]) || p[n] == '_') n++;
    const char *name = arena_printf(&c->arena, "%.*s", (int)n, p);
    if (is_card(name)) return arena_printf(&c->arena, "emu:%s", name);
    break;
  }
  return "emu:sm_90a";
}

static int open_device(ptx_state *s) {
  cli *c = s->e.c;
  const char *name = cli_value(c, OPT_TARGET);
  if (!name) name = target_of(c, s->text);
  if (strncmp(name, "emu:", 4) != 0 || !is_card(name + 4)) {
    cli_error(c, "--target: there is no card '%s'", name);
    cli_note(c, "'tessera devices' lists them: emu:sm_80, emu:sm_90a, ...");
    return CLI_WRONG_CALL;
  }
  tsr_device_options o = {.struct_size = sizeof o, .threads = s->e.threads};
  s->e.device = tsr_device_open(c->ctx, name, &o);
  return s->e.device ? CLI_OK : CLI_WRONG_INPUT;
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
  printf("%s: PTX %u.%u for %s\n", s->e.c->args[0], m->version / 10, m->version % 10, m->target);
  for (uint32_t k = 0; k < m->n_functions; k++) {
    const ptx_function *f = &m->functions[k];
    if (!f->is_entry || !f->defined) continue;
    printf("  %s(%s)\n", f->name, signature(s->e.c, f));
    printf("    %u instructions, %u bytes of static shared memory", f->n_insns, f->shared_bytes);
    if (f->uses_dynamic_shared) printf(" and dynamic");
    if (f->required_threads[0])
      printf(", blocks of %u x %u x %u threads", f->required_threads[0], f->required_threads[1],
             f->required_threads[2]);
    printf("\n");
  }
}

static int choose_kernel(ptx_state *s) {
  cli *c = s->e.c;
  const char *name = cli_value(c, OPT_KERNEL);
  s->kernel = ptx_find_entry(rt_ptx_module(s->ptx), name);
  if (s->kernel) return CLI_OK;
  size_t n = tsr_ptx_kernel_count(s->ptx);
  const char **names = arena_array(&c->arena, const char *, n + 1);
  for (size_t k = 0; k <= n; k++) names[k] = tsr_ptx_kernel_name(s->ptx, k);
  return emulated_no_kernel(c, name, names, n, " (.entry)");
}

/* ---- arguments ------------------------------------------------------------------------------ */

static int match_arguments(ptx_state *s) {
  cli *c = s->e.c;
  const ptx_function *f = s->kernel;
  const char **names = arena_array(&c->arena, const char *, f->n_params + 1);
  for (uint32_t k = 0; k < f->n_params; k++) names[k] = f->params[k].name;
  return emulated_match(&s->e, f->name, signature(c, f), names, f->n_params);
}

static tsr_status launch(void *user, const tsr_arg *args, uint32_t n) {
  const ptx_state *s = user;
  return tsr_ptx_run(s->ptx, s->kernel->name, &s->e.how, args, n);
}

/* ---- the command ---------------------------------------------------------------------------- */

static int run_kernel(ptx_state *s) {
  cli *c = s->e.c;
  int status = choose_kernel(s);
  if (status == CLI_OK) status = emulated_parse(&s->e);
  if (status == CLI_OK) status = match_arguments(s);
  if (status == CLI_OK) status = ptx_watch_options(c, rt_ptx_module(s->ptx)->target, &s->e.watch);
  return status == CLI_OK ? emulated_run(&s->e, s->kernel->name, launch, s) : status;
}

static int run_file(ptx_state *s) {
  cli *c = s->e.c;
  if (!cli_has(c, OPT_GRID) && c->n_args > 1)
    return cli_wrong_call(c, "say how many blocks to run: --grid X[,Y[,Z]], as in --grid 8");
  int status = emulated_options(&s->e);
  if (status != CLI_OK) return status;
  if (!file_read(c->ctx, &c->arena, c->args[0], (size_t)1 << 30, &s->text)) return CLI_WRONG_INPUT;
  status = open_device(s);
  if (status != CLI_OK) return status;
  const char *name = cli_is_stdin(c->args[0]) ? "<stdin>" : c->args[0];
  bool runs = cli_has(c, OPT_GRID);
  s->ptx = (runs ? tsr_ptx_create : rt_ptx_check)(s->e.device, name, s->text.data, s->text.len);
  if (!s->ptx) return CLI_WRONG_INPUT;
  if (runs) return run_kernel(s);
  list_kernels(s);
  return CLI_OK;
}

int cli_ptx(cli *c) {
  ptx_state s = {.e = {.c = c, .how = {.struct_size = sizeof s.e.how}}};
  int status = run_file(&s);
  emulated_free(&s.e);
  tsr_ptx_destroy(s.ptx);
  tsr_device_close(s.e.device);
  ptx_watch_free(&s.e.watch);
  return status;
}
