/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tune/tune.h"

#include <stdio.h>
#include <stdlib.h>

#include <tessera/opt.h>

#include "rt/cpuinfo.h"

/* ---- messages of candidates ------------------------------------------------------------------ */

/* While a candidate is tried, what is wrong with it is no message to the caller. */
typedef struct capture {
  tsr_context *ctx;
  tsr_diagnostic_fn on_diagnostic;
  void *user;
  char problem[BUILD_PROBLEM];
} capture;

static void capture_begin(capture *c, tsr_context *ctx) {
  *c = (capture){.ctx = ctx, .on_diagnostic = ctx->on_diagnostic, .user = ctx->diagnostic_user};
  ctx->on_diagnostic = build_keep_problem;
  ctx->diagnostic_user = c->problem;
}

static void capture_end(capture *c) {
  c->ctx->on_diagnostic = c->on_diagnostic;
  c->ctx->diagnostic_user = c->user;
}

static void leave_out(tsr_tuned *t, candidate *c, tsr_tune_fate fate, const char *problem) {
  c->fate = (uint8_t)fate;
  c->problem = arena_strndup(&t->arena, problem, strlen(problem));
  t->pruned += fate == TSR_TUNE_PRUNED;
}

/* ---- one candidate --------------------------------------------------------------------------- */

static char *text_of_module(tsr_tuned *t, const candidate *c, size_t *length) {
  tsr_module *m = t->problem->build(t->problem->user, c->choice);
  char *text = m ? tsr_module_print(m, length) : NULL;
  tsr_module_destroy(m);
  return text;
}

static bool make_text(tsr_tuned *t, candidate *c) {
  const tsr_tune_problem *p = t->problem;
  if (c->text.len || c->fate != TSR_TUNE_UNTRIED) return c->text.len > 0;
  capture messages;
  size_t length = 0;
  capture_begin(&messages, t->ctx);
  char *text = p->text ? tsr_tune_choice_substitute(c->choice, p->text, p->length, p->name, &length)
                       : text_of_module(t, c, &length);
  capture_end(&messages);
  c->text = (str){text, length};
  if (!c->text.len) leave_out(t, c, TSR_TUNE_NOT_BUILT, messages.problem);
  return c->text.len > 0;
}

static bool make_launch(tsr_tuned *t, candidate *c, tsr_kernel *k) {
  const tsr_tune_problem *p = t->problem;
  tsr_arg *args = arena_array(&t->arena, tsr_arg, p->n_args + 1);
  if (p->n_args) memcpy(args, p->args, p->n_args * sizeof *args);
  if (p->args_of && !p->args_of(p->user, c->choice, args)) return false;
  c->launch = (bench_launch){.args = args, .n_args = p->n_args};
  bool good = p->grid ? choice_grid(c->choice, p->grid, &c->launch.grid)
                      : p->grid_of(p->user, c->choice, &c->launch.grid);
  if (good) c->launch.kernel = k;
  return good;
}

/* Modules that were built are read again from the text that they print. */
static unsigned parse_flags(const tsr_tune_problem *p) {
  return p->text ? p->flags : p->flags | TSR_PARSE_EXTENSIONS;
}

/* A kernel on the device, from code that is there or by compiling. */
static bool make_kernel(tsr_tuned *t, candidate *c, const rt_ready *code) {
  const tsr_tune_problem *p = t->problem;
  c->module = tsr_module_parse(t->ctx, c->text.data, c->text.len, p->name, parse_flags(p));
  if (!c->module) return false;
  tsr_module_set_level(c->module, p->level ? (unsigned)p->level - 1 : 2);
  c->program = tsr_program_create(p->device, c->module);
  if (!c->program) return false;
  if (code && code->object.len) ready_use(c->program, code);
  tsr_kernel *k = tsr_kernel_get(c->program, p->kernel);
  if (k && !t->kernel_name) t->kernel_name = arena_strndup(&t->arena, k->name, strlen(k->name));
  return k && make_launch(t, c, k);
}

static void unmake(candidate *c) {
  tsr_program_destroy(c->program);
  tsr_module_destroy(c->module);
  c->program = NULL;
  c->module = NULL;
  c->launch.kernel = NULL;
}

static bool make_ready(tsr_tuned *t, candidate *c, const rt_ready *code) {
  if (c->launch.kernel) return true;
  if (!make_text(t, c)) return false;
  capture messages;
  capture_begin(&messages, t->ctx);
  bool made = make_kernel(t, c, code);
  capture_end(&messages);
  if (made) return true;
  unmake(c);
  leave_out(t, c, TSR_TUNE_NOT_BUILT, messages.problem);
  return false;
}

/* ---- progress -------------------------------------------------------------------------------- */

static bool tell(tsr_tuned *t, tsr_tune_stage stage, size_t done, size_t total,
                 const candidate *best, double best_ms) {
  tsr_tune_progress p = {.stage = stage,
                         .done = done,
                         .total = total,
                         .seconds = (clock_ms() - t->start_ms) * 1e-3,
                         .best = best ? best->choice : NULL,
                         .best_ms = best_ms,
                         .pruned = t->pruned};
  const tsr_tune_options *o = t->options;
  if (o->progress && !t->stopped) t->stopped = !o->progress(o->progress_user, &p);
  return !t->stopped;
}

/* ---- building all ---------------------------------------------------------------------------- */

typedef struct building {
  tsr_tuned *t;
  build_job job;
} building;

static bool building_goes_on(void *user, size_t done) {
  building *b = user;
  return tell(b->t, TSR_TUNE_BUILDING, done, b->t->count, NULL, 0);
}

/* What a candidate is launched with, before there is a kernel of it. What is wrong with that is
 * said when it is checked. */
static void plan_launch(tsr_tuned *t, candidate *c, build_item *item) {
  capture messages;
  capture_begin(&messages, t->ctx);
  if (make_launch(t, c, NULL)) {
    item->args = c->launch.args;
    item->n_args = c->launch.n_args;
    item->grid = c->launch.grid;
  }
  capture_end(&messages);
}

/* What a candidate does: its code and what that is launched with. */
static uint64_t hash_launch(const build_item *item) {
  const tsr_grid *g = &item->grid;
  uint64_t h = hash_mix(hash_mix(hash_mix(item->hash, g->x), g->y), g->z);
  for (size_t i = 0; i < item->n_args; i++) {
    const tsr_arg *arg = &item->args[i];
    h = hash_mix(hash_mix(h, arg->kind), arg->elem);
    h = hash_mix(hash_mix(h, arg->bits), (uintptr_t)arg->buffer);
  }
  return h;
}

/* Candidates that are the same as one before. */
static void find_same(tsr_tuned *t, const build_item *items) {
  map first = {0};
  for (size_t i = 0; i < t->count; i++) {
    candidate *c = &t->candidates[i];
    if (c->fate != TSR_TUNE_UNTRIED || !items[i].built || !items[i].args) continue;
    uint64_t hash = hash_launch(&items[i]);
    const uintptr_t *slot = map_get(&first, hash);
    if (slot) {
      c->fate = TSR_TUNE_SAME;
      c->same_as = *slot;
    } else {
      *map_put(&t->arena, &first, hash) = i;
    }
  }
}

/* Bytes that a thread may spill where another candidate spills none: some lie outside of loops. An
 * estimate may be off by 64 registers, each of which is stored and loaded. */
enum { MOST_SPILLED = 256, MOST_ESTIMATED = 512 };

/* Without a message where the candidate may be launched. */
static const char *why_pruned(tsr_tuned *t, const ready_resources *r, bool others_keep_all) {
  if (!r->warps)
    return arena_printf(&t->arena,
                        "no block fits a multiprocessor: %u bytes of shared memory, %u registers "
                        "of a thread",
                        r->shared, r->registers);
  if (!others_keep_all || r->spilled <= (r->estimated ? MOST_ESTIMATED : MOST_SPILLED)) return NULL;
  return arena_printf(&t->arena, "a thread spills %s%u bytes, where others spill none",
                      r->estimated ? "about " : "", r->spilled);
}

/* Leaves out what a GPU's multiprocessor has not got. */
static void prune_by_resources(tsr_tuned *t, const build_item *items) {
  bool others_keep_all = false;
  for (size_t i = 0; i < t->count; i++) {
    const ready_resources *r = &items[i].resources;
    others_keep_all |= items[i].built && r->warps && !r->spilled;
  }
  for (size_t i = 0; i < t->count; i++) {
    candidate *c = &t->candidates[i];
    const ready_resources *r = &items[i].resources;
    if (c->fate != TSR_TUNE_UNTRIED || !items[i].built || !gpu_target_of(t->problem->device))
      continue;
    const char *why = why_pruned(t, r, others_keep_all);
    if (why) leave_out(t, c, TSR_TUNE_PRUNED, why);
  }
}

static bool build_all(tsr_tuned *t, building *b, const stopwatch *w) {
  build_item *items = arena_alloc_zero(&t->arena, (t->count + 1) * sizeof *items, 16);
  const tsr_tune_problem *p = t->problem;
  for (size_t i = 0; i < t->count; i++) {
    if (!tell(t, TSR_TUNE_BUILDING, 0, t->count, NULL, 0)) break;
    items[i].name = p->name;
    if (!make_text(t, &t->candidates[i])) continue;
    items[i].text = t->candidates[i].text;
    plan_launch(t, &t->candidates[i], &items[i]);
  }
  b->job = (build_job){.device = p->device,
                       .kernel = p->kernel,
                       .flags = parse_flags(p),
                       .level = p->level ? (unsigned)p->level - 1 : 2,
                       .items = items,
                       .count = t->count,
                       .threads = t->options->threads ? t->options->threads : cpuinfo_threads(),
                       .go_on = building_goes_on,
                       .user = b};
  if (t->stopped || !build_run(&b->job)) return t->stopped;
  for (size_t i = 0; i < t->count; i++) {
    candidate *c = &t->candidates[i];
    if (c->fate == TSR_TUNE_UNTRIED && !items[i].built && *items[i].problem)
      leave_out(t, c, TSR_TUNE_NOT_BUILT, items[i].problem);
    c->bound_ms = bound_of(p->device, w->card, &items[i].work);
  }
  prune_by_resources(t, items);
  find_same(t, items);
  return true;
}

/* ---- checking all ---------------------------------------------------------------------------- */

static void leave_out_slower(tsr_tuned *t, candidate *c, const char *what, double ms,
                             const candidate *best) {
  leave_out(t, c, TSR_TUNE_PRUNED,
            arena_printf(&t->arena, "%s %.4g ms, and %s takes %.4g ms", what, ms,
                         best->parameters.data, best->first_ms));
}

/* Leaves out what cannot be as fast as the best so far. */
static bool prune_by_bound(tsr_tuned *t, candidate *c, const candidate *best) {
  if (!best || c->bound_ms <= best->first_ms) return false;
  leave_out_slower(t, c, "its work takes at least", c->bound_ms, best);
  return true;
}

static int by_bound(const void *a, const void *b) {
  const candidate *x = *(candidate *const *)a, *y = *(candidate *const *)b;
  if (x->bound_ms != y->bound_ms) return x->bound_ms < y->bound_ms ? -1 : 1;
  return (x > y) - (x < y);
}

/* The first one says what results should be. Of the others those go first that may be fast. */
static candidate **order_to_check(tsr_tuned *t) {
  candidate **order = arena_array(&t->arena, candidate *, t->count + 1);
  for (size_t i = 0; i < t->count; i++) order[i] = &t->candidates[i];
  qsort(order + 1, t->count - 1, sizeof(*order), by_bound);
  return order;
}

/* The second launch is timed: the first one touches memory for the first time. */
static tsr_status launch_twice(candidate *c, check *results, stopwatch *w, const char **wrong) {
  tsr_status status = stopwatch_time(w, &c->launch, 1, &c->first_ms);
  if (status != TSR_OK || w->gave_up) return check_changes(results) ? status : TSR_ERROR_IO;
  if (!check_results(results, c->launch.kernel, wrong)) return TSR_ERROR_IO;
  if (*wrong || c->first_ms > 100 || w->card) return TSR_OK;
  double ms;
  status = stopwatch_time(w, &c->launch, 1, &ms);
  c->first_ms = MIN(c->first_ms, ms);
  return status;
}

static bool check_one(tsr_tuned *t, candidate *c, check *results, stopwatch *w,
                      const candidate *best) {
  const char *wrong = NULL;
  w->most_ms = best ? best->first_ms : 0;
  capture messages;
  if (!check_restore(results)) return false;
  capture_begin(&messages, t->ctx);
  tsr_status status = launch_twice(c, results, w, &wrong);
  capture_end(&messages);
  if (status != TSR_OK)
    leave_out(t, c, TSR_TUNE_FAILED, messages.problem);
  else if (wrong)
    leave_out(t, c, TSR_TUNE_WRONG, wrong);
  else if (w->gave_up)
    leave_out_slower(t, c, "given up when it had come to", c->first_ms, best);
  if (c->fate != TSR_TUNE_UNTRIED) unmake(c);
  return true;
}

static void drop_slow(tsr_tuned *t, double best_ms) {
  for (size_t i = 0; i < t->count; i++) {
    candidate *c = &t->candidates[i];
    if (!c->launch.kernel || c->first_ms < 1 || c->first_ms < 10 * best_ms) continue;
    c->fate = TSR_TUNE_TOO_SLOW;
    c->median_ms = c->first_ms;
    unmake(c);
  }
}

static bool check_all(tsr_tuned *t, const building *b, check *results, stopwatch *w) {
  const candidate *best = NULL;
  candidate **order = order_to_check(t);
  for (size_t i = 0; i < t->count; i++) {
    candidate *c = order[i];
    if (!tell(t, TSR_TUNE_CHECKING, i, t->count, best, best ? best->first_ms : 0)) break;
    if (c->fate != TSR_TUNE_UNTRIED || prune_by_bound(t, c, best)) continue;
    if (!make_ready(t, c, &b->job.items[c - t->candidates].ready)) continue;
    if (!check_one(t, c, results, w, best)) return false;
    if (c->launch.kernel && (!best || c->first_ms < best->first_ms)) best = c;
  }
  if (best) drop_slow(t, best->first_ms);
  if (best && !t->stopped) tell(t, TSR_TUNE_CHECKING, t->count, t->count, best, best->first_ms);
  return true;
}

/* ---- timing ---------------------------------------------------------------------------------- */

typedef struct timing {
  tsr_tuned *t;
  stopwatch *watch;
  candidate **of; /* the candidate of an entrant */
  search search;
} timing;

static bool sample(void *user, unsigned entrant, double *ms) {
  timing *x = user;
  candidate *c = x->of[entrant];
  capture messages;
  capture_begin(&messages, x->t->ctx);
  unsigned launches = stopwatch_launches(x->watch, c->first_ms);
  tsr_status status = stopwatch_time(x->watch, &c->launch, launches, ms);
  capture_end(&messages);
  if (status != TSR_OK) leave_out(x->t, c, TSR_TUNE_FAILED, messages.problem);
  return status == TSR_OK;
}

static double seconds_now(void *user) {
  (void)user;
  return clock_ms() * 1e-3;
}

static bool timing_goes_on(void *user, const search *s) {
  timing *x = user;
  const candidate *best = s->best < s->count ? x->of[s->best] : NULL;
  return tell(x->t, TSR_TUNE_TIMING, s->count - s->left, s->count, best,
              best ? s->entrants[s->best].median : 0);
}

static void note_times(timing *x) {
  for (unsigned i = 0; i < x->search.count; i++) {
    const search_entrant *e = &x->search.entrants[i];
    candidate *c = x->of[i];
    if (!e->n || e->failed) continue;
    c->fate = TSR_TUNE_TIMED;
    c->median_ms = e->median;
    c->spread_ms = e->spread;
    c->samples = e->n;
  }
}

/* How far apart the quartiles of a candidate's times are, as a part of their median: half of the
 * candidates have less. */
static double noise_of(tsr_tuned *t, const search *s) {
  double *parts = arena_array(&t->arena, double, s->count + 1);
  size_t n = 0;
  for (unsigned i = 0; i < s->count; i++) {
    const search_entrant *e = &s->entrants[i];
    if (!e->failed && e->n >= SEARCH_FIRST_SAMPLES) parts[n++] = e->spread / e->median;
  }
  return search_sort(parts, n), n ? search_quantile(parts, n, 0.5) : 0;
}

static void time_all(tsr_tuned *t, stopwatch *w) {
  timing x = {.t = t, .watch = w, .of = arena_array(&t->arena, candidate *, t->count + 1)};
  unsigned n = 0;
  for (size_t i = 0; i < t->count; i++)
    if (t->candidates[i].launch.kernel) x.of[n++] = &t->candidates[i];
  x.search = (search){.entrants = arena_alloc_zero(&t->arena, (n + 1) * sizeof(search_entrant), 8),
                      .count = n,
                      .seconds = t->options->seconds > 0 ? t->options->seconds : 10,
                      .sample = sample,
                      .now = seconds_now,
                      .go_on = timing_goes_on,
                      .user = &x};
  unsigned best = search_run(&x.search);
  note_times(&x);
  if (best == n) return;
  t->winner = (size_t)(x.of[best] - t->candidates);
  t->ms = x.of[best]->median_ms;
  t->ties = search_ties(&x.search);
  t->noise = noise_of(t, &x.search);
  t->repeats = x.search.repeated;
}

/* When there is no time for more. */
static void take_first_times(tsr_tuned *t) {
  for (size_t i = 0; i < t->count; i++) {
    const candidate *c = &t->candidates[i];
    if (!c->launch.kernel || (t->winner < t->count && c->first_ms >= t->ms)) continue;
    t->winner = i;
    t->ms = c->first_ms;
  }
}

/* Estimates are the same each time. */
static void take_estimates(tsr_tuned *t) {
  take_first_times(t);
  for (size_t i = 0; i < t->count; i++) {
    candidate *c = &t->candidates[i];
    if (!c->launch.kernel) continue;
    c->fate = TSR_TUNE_TIMED;
    c->median_ms = c->first_ms;
    c->samples = 1;
    t->ties += i != t->winner && c->first_ms <= t->ms;
  }
}

/* ---- the steps ------------------------------------------------------------------------------- */

static void report_none(tsr_tuned *t) {
  const candidate *first = NULL;
  for (size_t i = 0; i < t->count && !first; i++)
    if (t->candidates[i].problem) first = &t->candidates[i];
  if (t->stopped)
    diag_error(t->ctx, NOWHERE, "tuning was stopped before anything was known");
  else
    diag_error(t->ctx, NOWHERE, "none of the %zu candidates works; the first, %s: %s", t->count,
               first ? first->parameters.data : "",
               first && *first->problem ? first->problem : "no reason is known");
}

static bool measure_checked(tsr_tuned *t, building *b, stopwatch *w) {
  check results;
  if (!check_begin(&results, t->problem, t->options->tolerance, &t->arena)) return false;
  bool good = check_all(t, b, &results, w);
  if (good && w->card)
    take_estimates(t);
  else if (good && t->stopped)
    take_first_times(t);
  else if (good)
    time_all(t, w);
  return check_restore(&results) && good;
}

static bool measure(tsr_tuned *t) {
  building b = {.t = t};
  stopwatch w;
  if (!stopwatch_open(&w, t->problem->device, t->options->cold)) return false;
  TSR_GUARD(t->ctx, {
    build_close(&b.job);
    stopwatch_close(&w);
    ctx_unwind(t->ctx);
  });
  bool good = build_all(t, &b, &w) && measure_checked(t, &b, &w);
  TSR_UNGUARD(t->ctx);
  build_close(&b.job);
  stopwatch_close(&w);
  if (good && t->winner == t->count) report_none(t);
  return good && t->winner < t->count;
}

/* What candidates are made from: the text, or where they are built, the first one's. */
static str program_text(tsr_tuned *t) {
  if (t->problem->text) return (str){t->problem->text, t->problem->length};
  for (size_t i = 0; i < t->count; i++)
    if (make_text(t, &t->candidates[i])) return t->candidates[i].text;
  return (str){0};
}

static bool use(tsr_tuned *t, size_t found, tsr_tune_source from, double ms) {
  if (found == t->count || !make_ready(t, &t->candidates[found], NULL)) return false;
  t->winner = found;
  t->source = from;
  t->ms = ms;
  return true;
}

static bool look_up(tsr_tuned *t, const lookup_key *key) {
  const tsr_tune_options *o = t->options;
  double ms = 0;
  if (o->again && !o->look_up_only) return false;
  size_t found = lookup_exact(t, key, o->look_up_only, &ms);
  if (use(t, found, TSR_TUNE_RECORD, ms)) return true;
  if (!o->look_up_only) return false;
  found = lookup_nearest(t, key, &ms);
  if (use(t, found, TSR_TUNE_NEAREST, ms)) return true;
  for (size_t i = 0; i < t->count; i++)
    if (use(t, i, TSR_TUNE_DEFAULT, 0)) return true;
  return false;
}

static bool find_candidates(tsr_tuned *t) {
  tsr_tune_space *s = t->problem->space;
  t->count = tsr_tune_space_count(s);
  t->winner = t->count;
  t->candidates = arena_array(&t->arena, candidate, t->count + 1);
  memset(t->candidates, 0, (t->count + 1) * sizeof *t->candidates);
  for (size_t i = 0; i < t->count; i++) {
    candidate *c = &t->candidates[i];
    c->choice = &s->made.data[i];
    c->parameters = choice_str(c->choice, &t->arena);
    *strmap_put(&t->arena, &t->by_parameters, c->parameters, NULL) = i;
  }
  if (!t->count && s->is_made)
    diag_error(t->ctx, NOWHERE, "no candidate meets the conditions of the space");
  return t->count > 0;
}

static bool run(tsr_tuned *t) {
  if (!find_candidates(t)) return false;
  lookup_key key = lookup_key_of(t, program_text(t));
  if (look_up(t, &key)) return true;
  if (t->options->look_up_only) {
    report_none(t);
    return false;
  }
  if (!measure(t)) return false;
  lookup_keep(t, &key);
  return true;
}

/* ---- the call -------------------------------------------------------------------------------- */

static bool read_problem(const tsr_tune_problem *given, tsr_tune_problem *out) {
  if (!struct_take(out, sizeof *out, given, offsetof(tsr_tune_problem, expected)) || !out->device)
    return false;
  tsr_context *ctx = out->device->ctx;
  const char *problem = NULL;
  if (!out->space || out->space->ctx != ctx)
    problem = "there is no space of the device's context";
  else if (!out->text == !out->build)
    problem = "it needs either a text or a function that builds modules";
  else if (!out->grid == !out->grid_of)
    problem = "it needs either a grid or a function that says it";
  else if (out->n_args && !out->args)
    problem = "there are no arguments";
  else if (out->level < 0 || out->level > 4)
    problem = "the level is 0 to 3, plus 1";
  if (problem) diag_error(ctx, NOWHERE, "tsr_tune: %s", problem);
  return !problem;
}

static bool read_tune_options(tsr_context *ctx, const tsr_tune_options *given,
                              tsr_tune_options *out) {
  *out = (tsr_tune_options){.struct_size = sizeof *out};
  if (!given) return true;
  bool good = struct_take(out, sizeof *out, given, offsetof(tsr_tune_options, store)) &&
              (!out->store || out->store->ctx == ctx);
  if (!good)
    diag_error(ctx, NOWHERE,
               "tsr_tune_options: struct_size is too small, or the store is of another context");
  return good;
}

static tsr_tuned *tune(const tsr_tune_problem *p, const tsr_tune_options *o) {
  tsr_context *ctx = p->device->ctx;
  tsr_tuned *volatile made = NULL;
  tsr_diagnostic_fn on_diagnostic = ctx->on_diagnostic;
  void *user = ctx->diagnostic_user;
  TSR_GUARD(ctx, {
    ctx->on_diagnostic = on_diagnostic;
    ctx->diagnostic_user = user;
    tsr_tuned_destroy(made);
    return NULL;
  });
  tsr_tuned *t = ctx_alloc(ctx, sizeof *t);
  *t = (tsr_tuned){.ctx = ctx, .problem = p, .options = o, .start_ms = clock_ms()};
  arena_init(&t->arena, ctx);
  made = t;
  bool found = run(t);
  TSR_UNGUARD(ctx);
  t->problem = NULL;
  t->options = NULL;
  for (size_t i = 0; i < t->count; i++)
    if (!found || i != t->winner) unmake(&t->candidates[i]);
  if (found) return t;
  tsr_tuned_destroy(t);
  return NULL;
}

tsr_tuned *tsr_tune(const tsr_tune_problem *problem, const tsr_tune_options *options) {
  tsr_tune_problem p;
  tsr_tune_options o;
  if (!problem) return NULL;
  if (!read_problem(problem, &p) || !read_tune_options(p.device->ctx, options, &o)) return NULL;
  return tune(&p, &o);
}

void tsr_tuned_destroy(tsr_tuned *t) {
  if (!t) return;
  for (size_t i = 0; i < t->count && t->candidates; i++) {
    unmake(&t->candidates[i]);
    tsr_string_free(t->ctx, (char *)t->candidates[i].text.data);
  }
  arena_free(&t->arena);
  ctx_free(t->ctx, t, sizeof *t);
}

/* ---- asking ---------------------------------------------------------------------------------- */

const tsr_tune_choice *tsr_tuned_choice(const tsr_tuned *t) {
  return t ? t->candidates[t->winner].choice : NULL;
}
tsr_kernel *tsr_tuned_kernel(const tsr_tuned *t) {
  return t ? t->candidates[t->winner].launch.kernel : NULL;
}
tsr_grid tsr_tuned_grid(const tsr_tuned *t) {
  return t ? t->candidates[t->winner].launch.grid : (tsr_grid){0, 0, 0};
}
tsr_tune_source tsr_tuned_source(const tsr_tuned *t) {
  return t ? t->source : TSR_TUNE_DEFAULT;
}
double tsr_tuned_ms(const tsr_tuned *t) {
  return t ? t->ms : 0;
}
size_t tsr_tuned_ties(const tsr_tuned *t) {
  return t ? t->ties : 0;
}
double tsr_tuned_noise(const tsr_tuned *t) {
  return t ? t->noise : 0;
}
size_t tsr_tuned_repeats(const tsr_tuned *t) {
  return t ? t->repeats : 0;
}
size_t tsr_tuned_count(const tsr_tuned *t) {
  return t ? t->count : 0;
}

bool tsr_tuned_outcome(const tsr_tuned *t, size_t index, tsr_tune_outcome *out) {
  if (!t || !out || index >= t->count) return false;
  const candidate *c = &t->candidates[index];
  *out = (tsr_tune_outcome){.choice = c->choice,
                            .fate = (tsr_tune_fate)c->fate,
                            .same_as = c->same_as,
                            .median_ms = c->median_ms,
                            .spread_ms = c->spread_ms,
                            .samples = c->samples,
                            .problem = c->problem ? c->problem : ""};
  return true;
}
