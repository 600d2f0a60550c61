/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The command `run`. Its steps go from what needs nothing but the command line to what costs time,
 * and each is finished before the next begins, so that whatever is wrong in the call is said before
 * anything runs:
 *
 *   options ─► ARG syntax ─► program, kernel ─► arguments against parameters ─► outputs can be
 *   written ─► device, compile ─► buffers ─► launch ─► save, print ─► timed launches
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/json.h"
#include "cli/number.h"
#include "cli/outputs.h"
#include "cli/profile.h"
#include "cli/progress.h"
#include "cli/ptx_watch.h"
#include "cli/record.h"
#include "cli/run.h"
#include "cli/run_ranks.h"
#include "cli/trace.h"
#include "rt/rt.h"

typedef struct run_state {
  cli *c;
  const run_plan *plan; /* NULL: simply run */
  tsr_grid grid;
  const char *target;
  unsigned threads;
  uint64_t seed;
  unsigned launches;   /* to be timed; 0: none */
  double flops, bytes; /* of one launch; 0: not given */
  unsigned sanitize;   /* of tsr_sanitize */
  unsigned async;      /* tsr_async */

  argument_list arguments;
  outputs outputs;
  rank_run ranks;

  tsr_module *module;
  const char *kernel_name;
  tsr_device *device;
  tsr_program *program;
  tsr_kernel *kernel;
  progress progress;
  bool mute;       /* drops what print_tko writes */
  ptx_watch watch; /* what is shown of an emulated card */
} run_state;

/* ---- options -------------------------------------------------------------------------------- */

enum { MAX_TILE_BLOCKS = INT32_MAX, MAX_THREADS = 1024, MAX_LAUNCHES = 1000000 };

/* X[,Y[,Z]]. Returns NULL or what is wrong. */
static const char *parse_grid(const char *text, uint32_t axis[3]) {
  static const char syntax[] = "it takes X, X,Y or X,Y,Z";
  axis[0] = axis[1] = axis[2] = 1;
  const char *p = text;
  for (int i = 0; i < 3; i++) {
    if (!isdigit((unsigned char)*p)) return syntax;
    char *end;
    errno = 0;
    unsigned long long n = strtoull(p, &end, 10);
    if (n == 0) return "a grid needs at least one tile block along each axis";
    if (errno || n > MAX_TILE_BLOCKS) return "a grid has at most 2147483647 tile blocks";
    axis[i] = (uint32_t)n;
    p = end;
    if (*p == 0) break;
    if (*p++ != ',' || i == 2) return syntax;
  }
  uint64_t product;
  if (__builtin_mul_overflow((uint64_t)axis[0] * axis[1], axis[2], &product) ||
      product > MAX_TILE_BLOCKS)
    return "a grid has at most 2147483647 tile blocks in all";
  return NULL;
}

int cli_grid(cli *c, tsr_grid *grid) {
  const char *text = cli_value(c, OPT_GRID);
  if (!text)
    return cli_wrong_call(c, "say how many tile blocks to run: --grid X[,Y[,Z]], as in --grid 8");
  uint32_t axis[3];
  const char *problem = parse_grid(text, axis);
  if (problem) return cli_wrong_call(c, "--grid '%s': %s", text, problem);
  *grid = (tsr_grid){axis[0], axis[1], axis[2]};
  return CLI_OK;
}

int cli_async(cli *c, unsigned *out) {
  static const char *const names[] = {"eager", "late", "random"};
  const char *text = cli_value(c, OPT_ASYNC);
  for (unsigned k = 0; text && k < ARRAY_LEN(names); k++) {
    if (strcmp(text, names[k]) != 0) continue;
    *out = k;
    return CLI_OK;
  }
  return text ? cli_wrong_call(c, "--async takes eager, late or random, not '%s'", text) : CLI_OK;
}

static int read_async(run_state *r) {
  bool runs = strcmp(r->target, "interp") == 0 || strncmp(r->target, "emu:", 4) == 0;
  if (cli_has(r->c, OPT_ASYNC) && !runs)
    return cli_wrong_call(r->c, "--async works with --target interp and emulators only, not %s",
                          r->target);
  return cli_async(r->c, &r->async);
}

/* "cuda:7", "hip": opening it says whether there is such a card. */
static bool is_card(const char *target) {
  static const char *const kinds[] = {"cuda", "hip"};
  for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
    size_t length = strlen(kinds[i]);
    if (strncmp(target, kinds[i], length) == 0 && (!target[length] || target[length] == ':'))
      return true;
  }
  return false;
}

static int read_target(run_state *r) {
  const char *names[64] = {0};
  r->target = cli_value(r->c, OPT_TARGET);
  bool one_process = cli_has(r->c, OPT_RANKS) && !tsr_ranks_started();
  if (!r->target) r->target = r->sanitize || r->plan || one_process ? "interp" : "cpu";
  if (is_card(r->target)) return CLI_OK;
  for (size_t i = 0; i < ARRAY_LEN(names) - 1 && (names[i] = tsr_device_name(i)); i++)
    if (strcmp(names[i], r->target) == 0) return CLI_OK;
  cli_error(r->c, "there is no device '%s'", r->target);
  const char *closest = cli_closest(r->target, names);
  if (closest)
    cli_note(r->c, "did you mean '%s'?", closest);
  else
    cli_note(r->c, "'tessera devices' lists them");
  return CLI_WRONG_CALL;
}

/* The check that a word of --sanitize names; 0: none. */
static unsigned check_named(str word) {
  static const struct {
    const char *name;
    unsigned checks;
  } known[] = {{"bounds", TSR_SANITIZE_BOUNDS}, {"assume", TSR_SANITIZE_ASSUME},
               {"init", TSR_SANITIZE_INIT},     {"race", TSR_SANITIZE_RACE},
               {"arith", TSR_SANITIZE_ARITH},   {"sync", TSR_SANITIZE_SYNC},
               {"all", TSR_SANITIZE_ALL}};
  for (size_t i = 0; i < ARRAY_LEN(known); i++)
    if (str_is(word, known[i].name)) return known[i].checks;
  return 0;
}

static int read_sanitize(run_state *r) {
  cli *c = r->c;
  const char *text = cli_value(c, OPT_SANITIZE), *target = cli_value(c, OPT_TARGET);
  if (cli_has(c, OPT_CHECK) && !text) text = "all";
  if (!text && cli_has(c, OPT_SANITIZE_STOP))
    return cli_wrong_call(c, "--sanitize-stop says what --sanitize does; give --sanitize=all too");
  for (const char *p = text; p; p = *p ? p + 1 : NULL) {
    str word = {p, strcspn(p, ",")};
    unsigned named = check_named(word);
    if (!named)
      return cli_wrong_call(c,
                            "--sanitize takes all, or some of bounds,assume,init,race,arith, not "
                            "'" STR_FMT "'",
                            STR_ARG(word));
    r->sanitize |= named;
    p += word.len;
  }
  unsigned compiled = TSR_SANITIZE_BOUNDS | TSR_SANITIZE_ASSUME;
  bool checked = target && (strcmp(target, "interp") == 0 || strncmp(target, "emu:", 4) == 0);
  if (r->sanitize & ~compiled && target && !checked)
    return cli_wrong_call(c,
                          "--sanitize=init,race,arith work with --target interp only, not %s, "
                          "which takes --sanitize=bounds,assume",
                          target);
  return CLI_OK;
}

/* --counters, --card and --report. */
static int read_watch(run_state *r) {
  cli *c = r->c;
  bool emulated = strncmp(r->target, "emu:", 4) == 0;
  const char *asked = cli_has(c, OPT_COUNTERS)   ? "--counters"
                      : cli_value(c, OPT_CARD)   ? "--card"
                      : cli_value(c, OPT_REPORT) ? "--report"
                                                 : NULL;
  if (asked && !emulated)
    return cli_wrong_call(c,
                          "%s is about an emulated card: give --target emu:sm_90a, or another that "
                          "'tessera devices' lists, not %s",
                          asked, r->target);
  if (!emulated) return CLI_OK;
  int status = ptx_watch_options(c, r->target, &r->watch);
  r->watch.check = false; /* the device checks */
  if (status != CLI_OK || !r->watch.report) return status;
  return outputs_can_write(c, r->watch.report) ? CLI_OK : CLI_WRONG_INPUT;
}

/* --flops or --bytes. */
static int read_quantity(run_state *r, cli_option_id id, const char *name, double *out) {
  const char *text = cli_value(r->c, id);
  if (!text) return CLI_OK;
  if (!r->launches)
    return cli_wrong_call(r->c, "%s is for the rate of --time; give --time N too", name);
  if (quantity_parse(text, out)) return CLI_OK;
  return cli_wrong_call(r->c, "%s takes a number like 2e9, 3.5G or 2*1024^3, not '%s'", name, text);
}

static int read_options(run_state *r) {
  cli *c = r->c;
  int status = cli_grid(r->c, &r->grid);
  if (status == CLI_OK) status = read_sanitize(r);
  if (status == CLI_OK) status = read_target(r);
  if (status == CLI_OK) status = read_watch(r);
  if (status == CLI_OK) status = read_async(r);
  if (status != CLI_OK) return status;
  const char *threads = cli_value(c, OPT_THREADS), *seed = cli_value(c, OPT_SEED);
  const char *launches = cli_value(c, OPT_TIME);
  uint64_t n;
  bool uses_level = cli_has(c, OPT_CPU) || strcmp(r->target, "cpu") == 0;
  if (uses_level && !cli_check_cpu(c)) return CLI_WRONG_CALL;
  if (threads) {
    if (!cli_number(c, "--threads", threads, 1, MAX_THREADS, &n)) return CLI_WRONG_CALL;
    r->threads = (unsigned)n;
  }
  if (seed && !cli_number(c, "--seed", seed, 0, UINT64_MAX, &r->seed)) return CLI_WRONG_CALL;
  if (launches) {
    if (!cli_number(c, "--time", launches, 1, MAX_LAUNCHES, &n)) return CLI_WRONG_CALL;
    r->launches = (unsigned)n;
  }
  const char *picture = cli_value(c, OPT_PROFILE);
  if (cli_has(c, OPT_JSON) && !launches && !cli_has(c, OPT_PROFILE))
    return cli_wrong_call(c,
                          "--json is the form of what --time or --profile find: give one of them");
  if (picture && strcmp(r->target, "cpu") != 0)
    return cli_wrong_call(c, "--profile works with --target cpu only, not %s", r->target);
  if (picture && r->launches)
    return cli_wrong_call(c, "--profile launches as often as it needs to; leave --time out");
  if (picture && *picture && !outputs_can_write(c, picture)) return CLI_WRONG_INPUT;
  const char *timeline = cli_value(c, OPT_TRACE);
  if (timeline && strcmp(r->target, "cpu") != 0)
    return cli_wrong_call(c, "--trace works with --target cpu only, not %s", r->target);
  if (timeline && !outputs_can_write(c, timeline)) return CLI_WRONG_INPUT;
  status = read_quantity(r, OPT_FLOPS, "--flops", &r->flops);
  return status == CLI_OK ? read_quantity(r, OPT_BYTES, "--bytes", &r->bytes) : status;
}

/* ---- the program and its kernel ------------------------------------------------------------- */

static int no_such_kernel(run_state *r, const char *name, const char *const *names, size_t n) {
  cli *c = r->c;
  if (name)
    cli_error(c, "there is no kernel '@%s' in '%s'", name, c->args[0]);
  else
    cli_error(c, "'%s' has %zu kernels; choose one with --kernel", c->args[0], n);
  const char *closest = name ? cli_closest(name, names) : NULL;
  sbuf list = SBUF(&c->arena);
  for (size_t i = 0; i < n; i++) sbuf_printf(&list, "%s @%s", i ? "," : "", names[i]);
  if (closest)
    cli_note(c, "did you mean '@%s'?", closest);
  else
    cli_note(c, "it has%s", list.data);
  return CLI_WRONG_CALL;
}

static int choose_kernel(run_state *r) {
  cli *c = r->c;
  size_t n = tsr_module_kernel_count(r->module);
  if (n == 0) {
    cli_error(c, "'%s' has no kernel (entry) to run", c->args[0]);
    return CLI_WRONG_INPUT;
  }
  const char *name = cli_value(c, OPT_KERNEL);
  if (name && *name == '@') name++;
  const char **names = arena_array(&c->arena, const char *, n + 1);
  for (size_t i = 0; i < n; i++) {
    names[i] = tsr_module_kernel_name(r->module, i);
    if (name ? strcmp(names[i], name) == 0 : n == 1) r->kernel_name = names[i];
  }
  return r->kernel_name ? CLI_OK : no_such_kernel(r, name, names, n);
}

static int match_arguments(run_state *r) {
  cli *c = r->c;
  int n = tsr_module_kernel_parameters(r->module, r->kernel_name, NULL, 0);
  if (n < 0) return CLI_WRONG_INPUT;
  tsr_parameter *parameters = arena_array(&c->arena, tsr_parameter, (size_t)n);
  tsr_module_kernel_parameters(r->module, r->kernel_name, parameters, (size_t)n);
  return arguments_match(c, &r->arguments, r->kernel_name, parameters, (unsigned)n);
}

/* ---- running -------------------------------------------------------------------------------- */

static double now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static void on_output(void *user, const char *text, size_t length) {
  run_state *r = user;
  if (r->mute) return;
  progress_wipe(&r->progress);
  fwrite(text, 1, length, stdout);
}

static int open_device(run_state *r) {
  cli *c = r->c;
  tsr_device_options options = {
      .struct_size = sizeof options,
      .threads = r->threads,
      .cpu = cli_value(c, OPT_CPU),
      .seed = r->seed,
      .on_output = on_output,
      .output_user = r,
      .sanitize = r->sanitize,
      .sanitize_stop = cli_has(c, OPT_SANITIZE_STOP),
      .cache_dir = cli_has(c, OPT_NO_CACHE) ? "" : NULL,
      .async = (tsr_async)r->async,
  };
  r->device = tsr_device_open(c->ctx, r->target, &options);
  if (r->device && r->plan) r->device->watcher = r->plan->watcher;
  if (r->device && cli_has(c, OPT_PROFILE)) r->device->cpu.profile = true;
  return r->device ? CLI_OK : CLI_WRONG_INPUT;
}

static int compile(run_state *r) {
  cli *c = r->c;
  r->program = tsr_program_create(r->device, r->module);
  if (r->program) r->kernel = tsr_kernel_get(r->program, r->kernel_name);
  if (!r->kernel) return CLI_WRONG_INPUT;
  if (c->verbose)
    cli_remark(c, "%s @%s %s %s in %.2f ms; it needs %zu bytes of scratch a thread",
               tsr_kernel_is_cached(r->kernel) ? "took" : "made", r->kernel_name,
               tsr_kernel_is_cached(r->kernel) ? "from the cache for" : "ready for", r->target,
               tsr_kernel_compile_ms(r->kernel), tsr_kernel_scratch_bytes(r->kernel));
  return CLI_OK;
}

static int launch(run_state *r, const tsr_arg *args, double *ms) {
  double start = now_ms();
  unsigned n = r->arguments.count;
  tsr_status status = r->ranks.ranks ? rank_run_launch(&r->ranks, r->kernel, r->grid, args, n)
                                     : tsr_launch(r->kernel, r->grid, args, n);
  *ms = now_ms() - start;
  if (status == TSR_OK) return CLI_OK;
  return status == TSR_ERROR_USAGE ? CLI_WRONG_CALL : CLI_WRONG_INPUT;
}

static int compare_doubles(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Milliseconds with at least four digits that say something. */
static const char *ms_text(cli *c, double ms) {
  return arena_printf(&c->arena, "%.*f ms", ms >= 100 ? 1 : ms >= 10 ? 2 : ms >= 1 ? 3 : 5, ms);
}

static void print_rate(double quantity, const char *unit, double median, double shortest) {
  if (quantity > 0)
    printf("%.4g %s, at best %.4g %s\n", quantity / median / 1e6, unit, quantity / shortest / 1e6,
           unit);
}

static void print_times_json(run_state *r, const double *ms, double median) {
  sbuf out = SBUF(&r->c->arena);
  json j = JSON(&out);
  json_open(&j, NULL, '{');
  json_text(&j, "kernel", r->kernel_name);
  json_text(&j, "device", r->target);
  json_open(&j, "grid", '[');
  json_count(&j, NULL, r->grid.x);
  json_count(&j, NULL, r->grid.y);
  json_count(&j, NULL, r->grid.z);
  json_close(&j, ']');
  json_count(&j, "launches", r->launches);
  json_real(&j, "median_ms", median);
  json_real(&j, "minimum_ms", ms[0]);
  json_real(&j, "maximum_ms", ms[r->launches - 1]);
  if (r->flops > 0) json_real(&j, "gflops", r->flops / median / 1e6);
  if (r->bytes > 0) json_real(&j, "gbytes", r->bytes / median / 1e6);
  json_close(&j, '}');
  cli_print_line(&out);
}

static void print_times(run_state *r, double *ms) {
  cli *c = r->c;
  unsigned n = r->launches;
  qsort(ms, n, sizeof *ms, compare_doubles);
  double median = (ms[n / 2] + ms[(n - 1) / 2]) / 2;
  if (cli_has(c, OPT_JSON)) {
    print_times_json(r, ms, median);
    return;
  }
  printf("@%s, %u launch%s on %s: median %s, minimum %s\n", cli_shown(c, r->kernel_name), n,
         n == 1 ? "" : "es", r->target, ms_text(c, median), ms_text(c, ms[0]));
  print_rate(r->flops, "GFLOP/s", median, ms[0]);
  print_rate(r->bytes, "GB/s", median, ms[0]);
}

/* One launch by the device's own clock: what a GPU takes, without the way there and back. */
static int launch_between(run_state *r, const tsr_arg *args, tsr_stream *s, tsr_event *const e[2],
                          double *ms) {
  tsr_status status = tsr_event_record(e[0], s);
  if (status == TSR_OK) status = tsr_launch_on(s, r->kernel, r->grid, args, r->arguments.count);
  if (status == TSR_OK) status = tsr_event_record(e[1], s);
  if (status == TSR_OK) status = tsr_event_wait(e[1]);
  if (status == TSR_OK) status = tsr_event_elapsed(e[0], e[1], ms);
  return status == TSR_OK ? CLI_OK : CLI_WRONG_INPUT;
}

static int time_on_device(run_state *r, const tsr_arg *args, double *ms) {
  tsr_stream *s = tsr_stream_create(r->device);
  tsr_event *e[2] = {tsr_event_create(r->device), tsr_event_create(r->device)};
  int status = s && e[0] && e[1] ? CLI_OK : CLI_WRONG_INPUT;
  for (unsigned i = 0; i < r->launches && status == CLI_OK; i++) {
    progress_count(&r->progress, i, r->launches);
    status = launch_between(r, args, s, e, &ms[i]);
  }
  tsr_event_destroy(e[0]);
  tsr_event_destroy(e[1]);
  tsr_stream_destroy(s);
  return status;
}

/* The launches of --time. The one before has warmed everything up. */
static int time_launches(run_state *r, const tsr_arg *args) {
  double *ms = arena_array(&r->c->arena, double, r->launches);
  int status = CLI_OK;
  r->mute = true;
  if (r->device->kind->streams) {
    status = time_on_device(r, args, ms);
  } else {
    for (unsigned i = 0; i < r->launches && status == CLI_OK; i++) {
      progress_count(&r->progress, i, r->launches);
      status = launch(r, args, &ms[i]);
    }
  }
  if (status != CLI_OK) return status;
  progress_pause(&r->progress);
  print_times(r, ms);
  return CLI_OK;
}

/* The launches of --profile: many, within about a second, of which the shortest counts, since that
 * was disturbed least. */
static int profile_launches(run_state *r, const tsr_arg *args) {
  enum { MOST = 300 };
  cli *c = r->c;
  profile_job job = {.kernel = r->kernel, .device = r->device, .grid = r->grid};
  uint64_t blocks = (uint64_t)r->grid.x * r->grid.y * r->grid.z;
  job.threads = (unsigned)MIN((uint64_t)pool_threads(r->device->pool), blocks);
  r->mute = true;
  double total = 0;
  for (unsigned i = 0; i < MOST && (i < 3 || total < 1); i++) {
    double ms;
    profile_reset(&job);
    uint64_t start = cpu_ticks();
    int status = launch(r, args, &ms);
    uint64_t ticks = cpu_ticks() - start;
    if (status != CLI_OK) return status;
    if (i == 0 || ms * 1e-3 < job.seconds) profile_keep(c, &job, ms * 1e-3, ticks);
    total += ms * 1e-3;
    progress_count(&r->progress, i + 1, MOST);
  }
  progress_pause(&r->progress);
  return profile_show(c, &job, cli_value(c, OPT_PROFILE));
}

static int launch_planned(run_state *r) {
  run_job job = {.module = r->module,
                 .kernel_name = r->kernel_name,
                 .kernel = r->kernel,
                 .grid = r->grid,
                 .arguments = &r->arguments,
                 .args = arguments_launch(r->c, &r->arguments)};
  return r->plan->launch(r->plan->user, &job);
}

/* The first launch, counted if that was asked for. */
static int launch_watched(run_state *r, const tsr_arg *args, double *ms) {
  ptx_watch *w = &r->watch;
  if (w->count || w->report) r->device->emu_counters = &w->counters;
  if (w->report) r->device->emu_findings = &w->found;
  r->device->progress = &r->progress.blocks;
  const char *timeline = cli_value(r->c, OPT_TRACE);
  rt_trace trace;
  if (timeline && !trace_begin(r->c, r->device, r->grid, &trace)) return CLI_WRONG_CALL;
  int status = launch(r, args, ms);
  r->device->progress = NULL;
  r->device->emu_counters = NULL;
  r->device->emu_findings = NULL;
  progress_pause(&r->progress);
  if (timeline && !trace_end(r->c, r->device, r->kernel_name, timeline)) return CLI_WRONG_INPUT;
  int shown = status == CLI_WRONG_CALL ? CLI_OK : ptx_watch_end(r->c, w);
  fflush(stdout);
  return status == CLI_OK ? shown : status;
}

static int launch_and_show(run_state *r) {
  cli *c = r->c;
  const tsr_arg *args = arguments_launch(c, &r->arguments);
  const uint32_t grid[3] = {r->grid.x, r->grid.y, r->grid.z};
  double ms;
  if (!record_inputs(c, &r->arguments)) return CLI_WRONG_INPUT;
  int status = launch_watched(r, args, &ms);
  if (status != CLI_OK) return status;
  if (c->verbose) cli_remark(c, "ran the tile blocks in %s", ms_text(c, ms));
  if (r->outputs.n && !arguments_read_back(&r->arguments)) return CLI_WRONG_INPUT;
  if (!rank_run_show(&r->ranks, &r->outputs)) return CLI_WRONG_INPUT;
  if (!record_results(c, &r->arguments, r->kernel_name, grid, true)) return CLI_WRONG_INPUT;
  if (cli_has(c, OPT_PROFILE)) return profile_launches(r, args);
  return r->launches ? time_launches(r, args) : CLI_OK;
}

/* A program from bytecode gets the text that `dis` would print, so that it has lines and names. */
static bool give_text(run_state *r) {
  cli *c = r->c;
  if (r->module->source && r->module->source->text.len) return true;
  size_t len;
  char *text = tsr_module_print(r->module, &len);
  if (!text) return false;
  tsr_module_destroy(r->module);
  const char *name = arena_printf(&c->arena, "%s, as text", c->args[0]);
  r->module = tsr_module_parse(c->ctx, text, len, name, TSR_PARSE_DEFAULT);
  tsr_string_free(c->ctx, text);
  return r->module != NULL;
}

static int run_steps(run_state *r) {
  cli *c = r->c;
  int status = read_options(r);
  if (status == CLI_OK && !r->plan) status = rank_run_begin(c, &r->ranks, r->target);
  r->arguments.rank = r->ranks.rank;
  r->arguments.ranks = r->ranks.ranks;
  if (status == CLI_OK) status = arguments_parse(c, &r->arguments, c->args + 1, c->n_args - 1);
  if (status != CLI_OK) return status;
  r->module = cli_load_to_compile(c, &status);
  if (!r->module) return status;
  if (r->plan && !give_text(r)) return CLI_WRONG_INPUT;
  status = choose_kernel(r);
  if (status == CLI_OK) status = match_arguments(r);
  if (status == CLI_OK) status = outputs_collect(r->c, &r->arguments, &r->outputs);
  if (status == CLI_OK) status = rank_run_match(&r->ranks, &r->arguments);
  if (status == CLI_OK) status = open_device(r);
  if (status == CLI_OK) status = compile(r);
  if (status == CLI_OK) status = rank_run_compile(&r->ranks, r->device, r->module, r->kernel);
  uint64_t seed = r->seed + r->ranks.rank;
  if (status == CLI_OK) status = arguments_load(c, &r->arguments, r->device, seed);
  if (status == CLI_OK) status = rank_run_load(&r->ranks, &r->arguments, r->device, r->seed);
  if (status != CLI_OK) return status;
  if (r->plan) return launch_planned(r);
  progress_start(&r->progress, c, arena_printf(&c->arena, "running @%s", r->kernel_name));
  status = launch_and_show(r);
  progress_stop(&r->progress);
  return status;
}

int run_planned(cli *c, const run_plan *plan) {
  run_state r = {.c = c, .plan = plan};
  int status = run_steps(&r);
  if (r.program) tsr_program_destroy(r.program);
  ptx_watch_free(&r.watch);
  rank_run_end(&r.ranks, &r.arguments);
  if (r.device) tsr_device_close(r.device);
  if (r.module) tsr_module_destroy(r.module);
  return status;
}

int cli_run(cli *c) {
  tsr_tell_crashes();
  return run_planned(c, NULL);
}
