/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The command `tune`: searching for the fastest version of a kernel, and the records of that.
 */
#include <tessera/tune.h>

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "cli/args.h"
#include "cli/run.h"
#include "rt/gpu.h"
#include "rt/rt.h"
#include "tune/space.h"

typedef struct tune_state {
  cli *c;
  const char *target;
  unsigned threads, level;
  uint64_t seed;
  double seconds, tolerance;
  str text; /* of the file */
  tsr_tune_space *space;
  const char *kernel;
  argument_list arguments;
  tsr_device *device;
  tsr_tuning_store *store;
  tsr_tuned *tuned;
  bool shows; /* a line of progress */
  double drawn, took, began_timing;
} tune_state;

/* ---- parameters and sizes -------------------------------------------------------------------- */

/* Cuts NAME= off. */
static const char *take_name(cli *c, const char *option, const char *text, char **name) {
  const char *equals = strchr(text, '=');
  if (!equals || equals == text || !equals[1]) {
    cli_wrong_call(c, "%s takes NAME=VALUE, not '%s'", option, text);
    return NULL;
  }
  *name = arena_strndup(&c->arena, text, (size_t)(equals - text));
  return equals + 1;
}

static bool parse_int(const char *text, int64_t *out) {
  char *end;
  errno = 0;
  *out = strtoll(text, &end, 10);
  return *text && !*end && !errno && *text != ' ' && *text != '+';
}

typedef VEC(const char *) word_list;

static word_list split(cli *c, const char *text) {
  word_list words = {0};
  for (const char *p = text;; p++) {
    size_t n = strcspn(p, ",");
    vec_push(&c->arena, words, arena_strndup(&c->arena, p, n));
    p += n;
    if (!*p) return words;
  }
}

/* Numbers if all values are. */
static bool add_parameter(tune_state *t, const char *text) {
  char *name;
  const char *values = take_name(t->c, "--param", text, &name);
  if (!values) return false;
  word_list words = split(t->c, values);
  int64_t *numbers = arena_array(&t->c->arena, int64_t, words.len);
  bool are_numbers = true;
  for (uint32_t i = 0; i < words.len; i++)
    are_numbers = are_numbers && parse_int(words.data[i], &numbers[i]);
  tsr_status status = are_numbers ? tsr_tune_space_add_ints(t->space, name, numbers, words.len)
                                  : tsr_tune_space_add_words(t->space, name, words.data, words.len);
  return status == TSR_OK;
}

static bool add_size(tune_state *t, const char *text) {
  char *name;
  int64_t n;
  const char *value = take_name(t->c, "--size", text, &name);
  if (!value) return false;
  if (parse_int(value, &n)) return tsr_tune_space_set_size(t->space, name, n) == TSR_OK;
  cli_wrong_call(t->c, "--size takes NAME=NUMBER, not '%s'", text);
  return false;
}

static int read_space(tune_state *t) {
  cli *c = t->c;
  t->space = tsr_tune_space_create(c->ctx);
  bool good = t->space != NULL;
  for (unsigned i = 0; i < c->n_given && good; i++) {
    const cli_given *g = &c->given[i];
    if (g->id == OPT_PARAM) good = add_parameter(t, g->value);
    if (g->id == OPT_SIZE) good = add_size(t, g->value);
    if (g->id == OPT_WHERE) good = tsr_tune_space_add_condition(t->space, g->value) == TSR_OK;
  }
  if (!good) return CLI_WRONG_CALL;
  if (!cli_has(c, OPT_PARAM))
    return cli_wrong_call(c, "say what to try: --param NAME=VALUE,..., for each ${NAME} of '%s'",
                          c->args[1]);
  if (tsr_tune_space_count(t->space)) return CLI_OK;
  if (t->space->is_made) cli_error(c, "no candidate meets the conditions of --where");
  return CLI_WRONG_CALL;
}

/* ---- other options --------------------------------------------------------------------------- */

static bool read_double(cli *c, const char *option, cli_option_id id, double *out) {
  const char *text = cli_value(c, id);
  char *end;
  if (!text) return true;
  *out = strtod(text, &end);
  if (*text && !*end && isfinite(*out) && *out > 0) return true;
  cli_wrong_call(c, "%s takes a number above 0, not '%s'", option, text);
  return false;
}

static bool read_count(cli *c, const char *option, cli_option_id id, uint64_t min, uint64_t max,
                       uint64_t *out) {
  const char *text = cli_value(c, id);
  return !text || cli_number(c, option, text, min, max, out);
}

static int read_options(tune_state *t) {
  cli *c = t->c;
  uint64_t threads = 0, level = 2;
  if (c->n_args < 2) return cli_wrong_call(c, "'tune run' needs a program (FILE)");
  if (!cli_has(c, OPT_GRID))
    return cli_wrong_call(c, "say how many tile blocks to run, by parameters and sizes: --grid "
                             "'cdiv(m,BM)'");
  if (!read_count(c, "--threads", OPT_THREADS, 1, 1024, &threads) ||
      !read_count(c, "--seed", OPT_SEED, 0, UINT64_MAX, &t->seed) ||
      !read_count(c, "-O", OPT_LEVEL, 0, 3, &level) ||
      !read_double(c, "--seconds", OPT_SECONDS, &t->seconds) ||
      !read_double(c, "--tolerance", OPT_TOLERANCE, &t->tolerance))
    return CLI_WRONG_CALL;
  t->threads = (unsigned)threads;
  t->level = (unsigned)level;
  if (!(t->seconds > 0)) t->seconds = 10;
  t->target = cli_value(c, OPT_TARGET);
  if (!t->target) t->target = "cpu";
  return CLI_OK;
}

/* ---- the program ----------------------------------------------------------------------------- */

enum { MAX_FILE = 1 << 28 };

static tsr_module *parse_choice(tune_state *t, size_t i) {
  size_t n;
  char *text = tsr_tune_choice_substitute(tsr_tune_space_choice(t->space, i), t->text.data,
                                          t->text.len, t->c->args[1], &n);
  tsr_module *m =
      text ? tsr_module_parse(t->c->ctx, text, n, t->c->args[1], cli_load_flags(t->c)) : NULL;
  tsr_string_free(t->c->ctx, text);
  return m;
}

/* The first candidate that is a program; of none, the first one's errors are told. */
static tsr_module *parse_first(tune_state *t) {
  tsr_context *ctx = t->c->ctx;
  tsr_diagnostic_fn on_diagnostic = ctx->on_diagnostic;
  tsr_module *m = NULL;
  ctx->on_diagnostic = NULL;
  for (size_t i = 0; !m && i < tsr_tune_space_count(t->space); i++) m = parse_choice(t, i);
  ctx->on_diagnostic = on_diagnostic;
  return m ? m : parse_choice(t, 0);
}

static int choose_kernel(tune_state *t, const tsr_module *m) {
  cli *c = t->c;
  size_t n = tsr_module_kernel_count(m);
  const char *name = cli_value(c, OPT_KERNEL);
  if (name && *name == '@') name++;
  for (size_t i = 0; i < n; i++) {
    const char *has = tsr_module_kernel_name(m, i);
    if (name ? strcmp(has, name) == 0 : n == 1)
      t->kernel = arena_strndup(&c->arena, has, strlen(has));
  }
  if (t->kernel) return CLI_OK;
  if (name)
    cli_error(c, "there is no kernel '@%s' in '%s'", name, c->args[1]);
  else
    cli_error(c, "'%s' has %zu kernels; choose one with --kernel", c->args[1], n);
  return CLI_WRONG_CALL;
}

static int match_arguments(tune_state *t, const tsr_module *m) {
  int n = tsr_module_kernel_parameters(m, t->kernel, NULL, 0);
  if (n < 0) return CLI_WRONG_INPUT;
  tsr_parameter *parameters = arena_array(&t->c->arena, tsr_parameter, (size_t)n + 1);
  tsr_module_kernel_parameters(m, t->kernel, parameters, (size_t)n);
  for (int i = 0; i < n; i++) /* they outlive the module */
    if (parameters[i].name)
      parameters[i].name =
          arena_strndup(&t->c->arena, parameters[i].name, strlen(parameters[i].name));
  return arguments_match(t->c, &t->arguments, t->kernel, parameters, (unsigned)n);
}

static int read_program(tune_state *t) {
  cli *c = t->c;
  if (!file_read(c->ctx, &c->arena, c->args[1], MAX_FILE, &t->text)) return CLI_WRONG_INPUT;
  tsr_module *m = parse_first(t);
  if (!m) return CLI_WRONG_INPUT;
  int status = choose_kernel(t, m);
  if (status == CLI_OK) status = match_arguments(t, m);
  tsr_module_destroy(m);
  return status;
}

/* The first card, if it is of that architecture. */
static tsr_device *open_card(tune_state *t, const gpu_target *wanted,
                             const tsr_device_options *options) {
  tsr_context *ctx = t->c->ctx;
  tsr_diagnostic_fn on_diagnostic = ctx->on_diagnostic;
  ctx->on_diagnostic = NULL;
  tsr_device *card = tsr_device_open(ctx, wanted->vendor == GPU_AMD ? "hip:0" : "cuda:0", options);
  ctx->on_diagnostic = on_diagnostic;
  if (card && gpu_target_of(card) == wanted) return card;
  tsr_device_close(card);
  return NULL;
}

/* An architecture of GPUs may be named as such: without a card of it, its emulator says which is
 * the fastest. */
static tsr_device *open_target(tune_state *t, const tsr_device_options *options) {
  cli *c = t->c;
  const gpu_target *wanted = gpu_find_target(t->target);
  if (!wanted || !gpu_find(GPU_EMULATED, t->target))
    return tsr_device_open(c->ctx, t->target, options);
  tsr_device *card = open_card(t, wanted, options);
  if (card) return card;
  cli_note(c, "there is no %s here: candidates are ranked by estimates of its emulator", t->target);
  t->target = arena_printf(&c->arena, "emu:%s", t->target);
  return tsr_device_open(c->ctx, t->target, options);
}

static int open_device(tune_state *t) {
  tsr_device_options options = {.struct_size = sizeof options,
                                .threads = t->threads,
                                .cpu = cli_value(t->c, OPT_CPU),
                                .seed = t->seed};
  t->device = open_target(t, &options);
  if (!t->device) return CLI_WRONG_INPUT;
  return arguments_load(t->c, &t->arguments, t->device, t->seed);
}

/* ---- progress -------------------------------------------------------------------------------- */

static volatile sig_atomic_t interrupted;

static void on_interrupt(int number) {
  (void)number;
  interrupted = 1;
}

/* " [#####...............]" */
static void draw_bar(double part) {
  enum { WIDTH = 20 };
  char bar[WIDTH + 1];
  for (int i = 0; i < WIDTH; i++) bar[i] = i < part * WIDTH ? '#' : '.';
  bar[WIDTH] = 0;
  fprintf(stderr, " [%s]", bar);
}

static const char *ms_text(cli *c, double ms) {
  int digits = ms >= 100 ? 1 : ms >= 10 ? 2 : ms >= 1 ? 3 : ms >= 1e-3 ? 5 : 7;
  return arena_printf(&c->arena, "%.*f ms", digits, ms);
}

/* Timing has a time of its own; it may end before. */
static void draw_progress(tune_state *t, const tsr_tune_progress *p) {
  static const char *const stages[] = {"building", "checking", "timing"};
  if (p->stage != TSR_TUNE_TIMING) t->began_timing = p->seconds;
  fprintf(stderr, "\r\033[K%s", stages[p->stage]);
  if (p->stage == TSR_TUNE_TIMING) {
    draw_bar((p->seconds - t->began_timing) / t->seconds);
    fprintf(stderr, " %zu left", p->total - p->done);
  } else {
    draw_bar(p->total ? (double)p->done / (double)p->total : 0);
    fprintf(stderr, " %zu of %zu", p->done, p->total);
  }
  if (p->pruned) fprintf(stderr, ", %zu pruned", p->pruned);
  if (p->best) {
    char text[128];
    tsr_tune_choice_text(p->best, text, sizeof text);
    fprintf(stderr, ", best %s: %.4g ms", text, p->best_ms);
  }
  fprintf(stderr, ", %.0f s", p->seconds);
  fflush(stderr);
}

static bool on_progress(void *user, const tsr_tune_progress *p) {
  tune_state *t = user;
  t->took = p->seconds;
  if (t->shows && p->seconds - t->drawn >= 0.1) {
    draw_progress(t, p);
    t->drawn = p->seconds;
  }
  return !interrupted;
}

/* ---- the answer ------------------------------------------------------------------------------ */

static const char *choice_name(tune_state *t, const tsr_tune_choice *choice) {
  return choice_str(choice, &t->c->arena).data;
}

/* "spread 0.01 ms, 96 samples" */
static const char *samples_text(cli *c, double spread_ms, unsigned samples, bool is_counted) {
  if (is_counted) return "an estimate";
  return arena_printf(&c->arena, "spread %s, %u samples", ms_text(c, spread_ms), samples);
}

static void print_outcome(tune_state *t, const tsr_tune_outcome *o) {
  cli *c = t->c;
  const char *name = choice_name(t, o->choice);
  tsr_tune_outcome same;
  switch (o->fate) {
  case TSR_TUNE_TIMED:
    printf("  %-32s %s, %s\n", name, ms_text(c, o->median_ms),
           samples_text(c, o->spread_ms, o->samples, t->device->emu != NULL));
    break;
  case TSR_TUNE_TOO_SLOW:
    printf("  %-32s %s, given up at once\n", name, ms_text(c, o->median_ms));
    break;
  case TSR_TUNE_SAME:
    tsr_tuned_outcome(t->tuned, o->same_as, &same);
    printf("  %-32s the same code as %s\n", name, choice_name(t, same.choice));
    break;
  case TSR_TUNE_NOT_BUILT: printf("  %-32s not built: %s\n", name, o->problem); break;
  case TSR_TUNE_PRUNED: printf("  %-32s pruned: %s\n", name, o->problem); break;
  case TSR_TUNE_FAILED: printf("  %-32s failed: %s\n", name, o->problem); break;
  case TSR_TUNE_WRONG: printf("  %-32s wrong: %s\n", name, o->problem); break;
  default: printf("  %-32s not tried\n", name);
  }
}

static int by_time(const void *a, const void *b) {
  const tsr_tune_outcome *x = a, *y = b;
  double m = x->median_ms > 0 ? x->median_ms : INFINITY;
  double n = y->median_ms > 0 ? y->median_ms : INFINITY;
  return (m > n) - (m < n);
}

/* The fastest few; with -v all. */
static void print_outcomes(tune_state *t) {
  enum { FEW = 5 };
  size_t n = tsr_tuned_count(t->tuned), left_out = 0, same = 0, pruned = 0;
  tsr_tune_outcome *all = arena_array(&t->c->arena, tsr_tune_outcome, n);
  for (size_t i = 0; i < n; i++) {
    tsr_tuned_outcome(t->tuned, i, &all[i]);
    left_out += all[i].fate == TSR_TUNE_NOT_BUILT || all[i].fate == TSR_TUNE_FAILED ||
                all[i].fate == TSR_TUNE_WRONG;
    pruned += all[i].fate == TSR_TUNE_PRUNED;
    same += all[i].fate == TSR_TUNE_SAME;
  }
  printf("@%s on %s: %zu candidate%s", t->kernel, t->target, n, n == 1 ? "" : "s");
  if (same) printf(", %zu the same as another", same);
  if (pruned) printf(", %zu pruned", pruned);
  if (left_out) printf(", %zu left out", left_out);
  if ((pruned || left_out) && !t->c->verbose) printf(" (-v says why)");
  printf("; %.1f s%s\n", t->took,
         t->device->emu                  ? "; estimates, by the emulator's counters"
         : t->device->kind == &rt_interp ? "; estimates, by this machine's clock"
                                         : "");
  qsort(all, n, sizeof *all, by_time);
  for (size_t i = 0; i < n; i++)
    if (t->c->verbose || (i < FEW && all[i].median_ms > 0)) print_outcome(t, &all[i]);
}

/* What the machine's noise was like, and what that cost. */
static void print_noise(tune_state *t) {
  double noise = tsr_tuned_noise(t->tuned);
  size_t repeats = tsr_tuned_repeats(t->tuned);
  if (t->device->emu) return;
  if (noise > 0)
    printf("times vary by %.2g %% (between quartiles)", 100 * noise);
  else
    printf("times were taken too seldom to know how they vary");
  if (repeats) printf("; %zu measurements were repeats, for want of a clear answer", repeats);
  printf("\n");
}

static void print_best(tune_state *t) {
  tsr_tune_outcome first;
  tsr_tuned_outcome(t->tuned, 0, &first);
  double ms = tsr_tuned_ms(t->tuned);
  size_t ties = tsr_tuned_ties(t->tuned);
  printf("best %s: %s", choice_name(t, tsr_tuned_choice(t->tuned)), ms_text(t->c, ms));
  if (tsr_tuned_source(t->tuned) == TSR_TUNE_RECORD) printf(", by an earlier record");
  if (first.median_ms > ms) printf(", %.2f times as fast as the first", first.median_ms / ms);
  if (ties) printf("; %zu other%s may be as fast", ties, ties == 1 ? "" : "s");
  printf("\n");
}

static const tsr_arg *launch_args(tune_state *t) {
  tsr_arg *args = arena_array(&t->c->arena, tsr_arg, t->arguments.count + 1);
  for (unsigned i = 0; i < t->arguments.count; i++) {
    const argument *arg = &t->arguments.data[i];
    args[i] = arg->kind == ARGUMENT_SCALAR ? tsr_arg_scalar(arg->elem, arg->bits)
                                           : tsr_arg_buffer(arg->buffer);
  }
  return args;
}

static int search_best(tune_state *t) {
  cli *c = t->c;
  tsr_tune_problem problem = {.struct_size = sizeof problem,
                              .device = t->device,
                              .space = t->space,
                              .name = c->args[1],
                              .text = t->text.data,
                              .length = t->text.len,
                              .kernel = t->kernel,
                              .level = (int)t->level + 1,
                              .grid = cli_value(c, OPT_GRID),
                              .args = launch_args(t),
                              .n_args = t->arguments.count,
                              .flags = cli_load_flags(c)};
  tsr_tune_options options = {.struct_size = sizeof options,
                              .seconds = t->seconds,
                              .threads = t->threads,
                              .tolerance = t->tolerance,
                              .store = t->store,
                              .again = cli_has(c, OPT_AGAIN),
                              .exact = cli_has(c, OPT_EXACT),
                              .cold = cli_has(c, OPT_COLD),
                              .progress = on_progress,
                              .progress_user = t};
  t->shows = !c->quiet && isatty(STDERR_FILENO);
  t->drawn = -1;
  void (*before)(int) = signal(SIGINT, on_interrupt);
  t->tuned = tsr_tune(&problem, &options);
  signal(SIGINT, before);
  if (t->shows && t->drawn >= 0) fputs("\r\033[K", stderr);
  if (!t->tuned) return CLI_WRONG_INPUT;
  if (tsr_tuned_source(t->tuned) == TSR_TUNE_MEASURED) {
    print_outcomes(t);
    print_noise(t);
  }
  print_best(t);
  return CLI_OK;
}

static int run_steps(tune_state *t) {
  cli *c = t->c;
  int status = read_options(t);
  if (status == CLI_OK) status = read_space(t);
  if (status == CLI_OK) status = arguments_parse(c, &t->arguments, c->args + 2, c->n_args - 2);
  if (status == CLI_OK) status = read_program(t);
  if (status == CLI_OK) status = open_device(t);
  return status == CLI_OK ? search_best(t) : status;
}

static int tune_run(cli *c, tsr_tuning_store *store) {
  tune_state t = {.c = c, .store = store};
  int status = run_steps(&t);
  tsr_tuned_destroy(t.tuned);
  arguments_free(&t.arguments);
  tsr_device_close(t.device);
  tsr_tune_space_destroy(t.space);
  return status;
}

/* ---- records --------------------------------------------------------------------------------- */

typedef struct listing {
  cli *c;
  bool best_only;
  unsigned shown;
  char last[16384]; /* what the row before was about */
} listing;

static bool print_record(void *user, const tsr_tuning_record *r) {
  listing *l = user;
  char about[16384], date[32] = "";
  snprintf(about, sizeof about, "@%s  %s  (%s; %s; program %.16s)", r->kernel, r->sizes, r->device,
           r->version, r->program);
  time_t when = (time_t)r->time;
  struct tm local;
  if (localtime_r(&when, &local)) strftime(date, sizeof date, "%Y-%m-%d", &local);
  bool first = strcmp(about, l->last) != 0;
  if (first) printf("%s\n", about);
  memcpy(l->last, about, sizeof about);
  if (!first && l->best_only) return true;
  bool is_counted = r->estimate && r->samples == 1;
  printf("  %-32s %s, %s, %s%s\n", r->parameters, ms_text(l->c, r->median_ms),
         samples_text(l->c, r->spread_ms, r->samples, is_counted), date,
         r->estimate && !is_counted ? ", an estimate" : "");
  l->shown++;
  return true;
}

static const char *kernel_of(cli *c) {
  const char *name = c->n_args > 1 ? c->args[1] : NULL;
  return name && *name == '@' ? name + 1 : name;
}

static int print_records(cli *c, tsr_tuning_store *store, bool best_only) {
  listing *l = arena_new(&c->arena, listing);
  *l = (listing){.c = c, .best_only = best_only};
  tsr_tuning_record like = {.kernel = kernel_of(c)};
  if (tsr_tuning_store_walk(store, &like, print_record, l) != TSR_OK) return CLI_WRONG_INPUT;
  if (l->shown || !like.kernel) return CLI_OK;
  cli_error(c, "there is no record of a kernel '@%s'", like.kernel);
  return CLI_WRONG_INPUT;
}

static int tune_list(cli *c, tsr_tuning_store *store) {
  return print_records(c, store, true);
}
static int tune_show(cli *c, tsr_tuning_store *store) {
  return print_records(c, store, false);
}

static const char *records_text(cli *c, size_t n) {
  return arena_printf(&c->arena, "%zu record%s", n, n == 1 ? "" : "s");
}

static int tune_export(cli *c, tsr_tuning_store *store) {
  size_t n;
  const char *path = c->n_args > 1 ? c->args[1] : "-";
  if (tsr_tuning_store_export(store, path, &n) != TSR_OK) return CLI_WRONG_INPUT;
  if (!cli_is_stdin(path)) printf("wrote %s\n", records_text(c, n));
  return CLI_OK;
}

static int tune_import(cli *c, tsr_tuning_store *store) {
  size_t n;
  if (c->n_args < 2)
    return cli_wrong_call(c, "'tune import' needs a FILE, or - for standard input");
  if (tsr_tuning_store_import(store, c->args[1], &n) != TSR_OK) return CLI_WRONG_INPUT;
  printf("read %s\n", records_text(c, n));
  return CLI_OK;
}

static int tune_clear(cli *c, tsr_tuning_store *store) {
  size_t n;
  tsr_tuning_record like = {.kernel = kernel_of(c)};
  if (tsr_tuning_store_clear(store, &like, &n) != TSR_OK) return CLI_WRONG_INPUT;
  printf("removed %s\n", records_text(c, n));
  return CLI_OK;
}

int cli_tune(cli *c) {
  static const char *const names[] = {"run", "list", "show", "export", "import", "clear", NULL};
  static int (*const steps[])(cli * c, tsr_tuning_store * store) = {
      tune_run, tune_list, tune_show, tune_export, tune_import, tune_clear};
  const char *word = c->args[0];
  unsigned which = 0;
  while (names[which] && strcmp(names[which], word) != 0) which++;
  if (!names[which]) {
    cli_error(c, "there is no 'tune %s'", word);
    const char *closest = cli_closest(word, names);
    if (closest)
      cli_note(c, "did you mean 'tune %s'?", closest);
    else
      cli_note(c, "'tune' takes run, list, show, export, import or clear");
    return CLI_WRONG_CALL;
  }
  if (which && c->n_args > 2) return cli_wrong_call(c, "'tune %s' takes one word behind it", word);
  tsr_tuning_store *store = tsr_tuning_store_open(c->ctx, NULL);
  int status = store ? steps[which](c, store) : CLI_WRONG_INPUT;
  tsr_tuning_store_close(store);
  return status;
}
