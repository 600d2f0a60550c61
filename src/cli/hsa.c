/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The command `hsa`: a kernel of one of AMD's code objects on an emulated card.
 */
#include <stdio.h>

#include "cli/emulated.h"
#include "emu/amdgcn/occupancy.h"
#include "rt/hsa.h"

typedef struct hsa_state {
  emulated e;
  str bytes;
  rt_hsa *hsa;
  const hsa_kernel *kernel;
  const char *name;
} hsa_state;

/* ---- kernels -------------------------------------------------------------------------------- */

static const char *text_of(cli *c, str s) {
  return cli_shown(c, arena_printf(&c->arena, STR_FMT, (int)MIN(s.len, 256u), s.data));
}

/* "x: 8 bytes, an address; n: 4 bytes" */
static const char *signature(hsa_state *s, const hsa_kernel *k) {
  cli *c = s->e.c;
  sbuf b = SBUF(&c->arena);
  sbuf_puts(&b, "");
  for (uint32_t i = 0; i < rt_hsa_argument_count(k); i++) {
    const hsa_argument *x = rt_hsa_argument_at(k, i);
    sbuf_printf(&b, "%s%s: ", i ? ", " : "", cli_shown(c, rt_hsa_argument_name(s->hsa, k, i)));
    if (x->type.len)
      sbuf_printf(&b, "%s", text_of(c, x->type));
    else
      sbuf_printf(&b, rt_hsa_is_pointer(x) ? "address" : "%u bytes", x->size);
  }
  return b.len ? b.data : "";
}

static void list_kernel(hsa_state *s, const hsa_kernel *k) {
  const hsa_kernel_metadata *m = k->about;
  printf("  %s(%s)\n", text_of(s->e.c, m->name), signature(s, k));
  printf("    %u vector, %u scalar registers", m->vector_registers, m->scalar_registers);
  if (m->accumulators) printf(", %u accumulators", m->accumulators);
  if (m->vector_spills || m->scalar_spills)
    printf(", %u spilled", m->vector_spills + m->scalar_spills);
  printf("; %u bytes of LDS", k->descriptor.shared_bytes);
  if (k->descriptor.scratch_bytes)
    printf(", %u of scratch memory a lane", k->descriptor.scratch_bytes);
  if (m->required_threads[0])
    printf("; workgroups of %u x %u x %u", m->required_threads[0], m->required_threads[1],
           m->required_threads[2]);
  else if (m->max_threads)
    printf("; workgroups of up to %u", m->max_threads);
  printf("\n");
}

static void list_kernels(hsa_state *s) {
  const hsa_object *o = rt_hsa_object(s->hsa);
  printf("%s: a code object for %s, waves of %u lanes\n", s->e.c->args[0], o->gpu->name,
         gpu_lanes(o->gpu));
  for (uint32_t k = 0; k < o->n_kernels; k++) list_kernel(s, &o->kernels[k]);
}

static int choose_kernel(hsa_state *s) {
  cli *c = s->e.c;
  const hsa_object *o = rt_hsa_object(s->hsa);
  const char *name = cli_value(c, OPT_KERNEL);
  if (name)
    s->kernel = hsa_find_kernel(o, name);
  else if (o->n_kernels == 1)
    s->kernel = &o->kernels[0];
  if (s->kernel) {
    s->name = text_of(c, s->kernel->about->name);
    return CLI_OK;
  }
  const char **names = arena_array(&c->arena, const char *, o->n_kernels + 1);
  for (uint32_t k = 0; k < o->n_kernels; k++) names[k] = text_of(c, o->kernels[k].about->name);
  names[o->n_kernels] = NULL;
  return emulated_no_kernel(c, name, names, o->n_kernels, "");
}

/* ---- the launch ----------------------------------------------------------------------------- */

static int match_arguments(hsa_state *s) {
  uint32_t n = rt_hsa_argument_count(s->kernel);
  const char **names = arena_array(&s->e.c->arena, const char *, n + 1);
  for (uint32_t k = 0; k < n; k++) names[k] = rt_hsa_argument_name(s->hsa, s->kernel, k);
  return emulated_match(&s->e, s->name, signature(s, s->kernel), names, n);
}

/* Before the counters of the launch. */
static void show_occupancy(const hsa_state *s) {
  const uint32_t *block = s->e.how.block, *required = s->kernel->about->required_threads;
  if (!block[0] && !block[1] && !block[2]) block = required;
  hsa_occupancy o = hsa_occupancy_of(rt_hsa_object(s->hsa)->gpu, s->kernel,
                                     MAX(block[0], 1u) * MAX(block[1], 1u) * MAX(block[2], 1u),
                                     s->e.how.dynamic_shared);
  printf("occupancy        %u of %u waves on a compute unit", o.waves, o.most);
  if (o.limit) printf(", limited by %s", o.limit);
  printf("\n");
}

static tsr_status launch(void *user, const tsr_arg *args, uint32_t n) {
  const hsa_state *s = user;
  return rt_hsa_run(s->hsa, s->kernel, &s->e.how, args, n);
}

static int run_kernel(hsa_state *s) {
  int status = choose_kernel(s);
  if (status == CLI_OK) status = emulated_parse(&s->e);
  if (status == CLI_OK) status = match_arguments(s);
  if (status == CLI_OK)
    status = ptx_watch_options(s->e.c, rt_hsa_object(s->hsa)->gpu->name, &s->e.watch);
  if (status != CLI_OK) return status;
  tsr_device_options o = {.struct_size = sizeof o, .threads = s->e.threads};
  s->e.device = rt_hsa_open_device(s->hsa, &o);
  if (!s->e.device || !rt_hsa_load(s->hsa, s->e.device)) return CLI_WRONG_INPUT;
  if (s->e.watch.count) show_occupancy(s);
  return emulated_run(&s->e, s->name, launch, s);
}

static int run_file(hsa_state *s) {
  cli *c = s->e.c;
  bool runs = cli_has(c, OPT_GRID);
  if (!runs && c->n_args > 1)
    return cli_wrong_call(c, "say how many workgroups to run: --grid X[,Y[,Z]], as in --grid 8");
  int status = emulated_options(&s->e);
  if (status != CLI_OK) return status;
  if (!file_read(c->ctx, &c->arena, c->args[0], (size_t)1 << 30, &s->bytes)) return CLI_WRONG_INPUT;
  const char *name = cli_is_stdin(c->args[0]) ? "<stdin>" : c->args[0];
  s->hsa = rt_hsa_read(c->ctx, name, s->bytes);
  if (!s->hsa) return CLI_WRONG_INPUT;
  if (runs) return run_kernel(s);
  list_kernels(s);
  return CLI_OK;
}

int cli_hsa(cli *c) {
  hsa_state s = {.e = {.c = c, .how = {.struct_size = sizeof s.e.how}}};
  int status = run_file(&s);
  emulated_free(&s.e);
  rt_hsa_destroy(s.hsa);
  tsr_device_close(s.e.device);
  ptx_watch_free(&s.e.watch);
  return status;
}
