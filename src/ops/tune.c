/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Measuring instances, and the records of it: a record's program is the hash of the problem without
 * sizes and choices, its parameters are the choices.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "ops/library.h"
#include "rt/rt.h"
#include "tune/search.h"

/* ---- records --------------------------------------------------------------------------------- */

/* The parameters of a role, "m=64 n=32". */
static const char *role_text(const ops_problem *p, tsr_op_role role, arena *a) {
  sbuf out = SBUF(a);
  sbuf_puts(&out, "");
  for (unsigned i = 0; i < p->family->n_params; i++) {
    const ops_param *param = &p->family->params[i];
    if (param->role != role) continue;
    sbuf_printf(&out, "%s%s=", out.len ? " " : "", param->name);
    ops_value_print(param, &p->values[i], &out);
  }
  return out.data;
}

static const char *device_text(const tsr_op_library *l, arena *a) {
  char text[256];
  const char *name = l->device->kind->name;
  if (strcmp(name, "cpu") != 0) return name;
  tsr_device_describe(name, text, sizeof text);
  return arena_printf(a, "%s; %u threads, %u bytes", text, l->target.cores, l->target.vector_bytes);
}

static tsr_tuning_record record_of(const tsr_op_library *l, const ops_problem *p, arena *a) {
  const char *form = role_text(p, TSR_OP_FORM, a), *derived = role_text(p, TSR_OP_DERIVED, a);
  uint64_t hash = hash_mix(hash_bytes(form, strlen(form)), hash_bytes(derived, strlen(derived)));
  return (tsr_tuning_record){
      .kernel = p->family->name,
      .program = arena_printf(a, "%016llx", (unsigned long long)hash),
      .space = "op",
      .sizes = role_text(p, TSR_OP_SIZE, a),
      .device = device_text(l, a),
      .version = tsr_version(),
  };
}

/* ---- recalling ------------------------------------------------------------------------------- */

typedef struct recall {
  const tsr_op_library *library;
  ops_problem *p;
  bool found;
} recall;

/* Sets what the record chose, unless something else was asked for. */
static bool take_choice(ops_problem *p, str item) {
  ops_why why;
  const char *equals = memchr(item.data, '=', item.len);
  if (!equals) return false;
  str name = {item.data, (size_t)(equals - item.data)};
  str value = {equals + 1, item.len - name.len - 1};
  unsigned i = ops_param_find(p->family, name);
  if (i == p->family->n_params || p->family->params[i].role != TSR_OP_CHOICE) return false;
  ops_value before = p->values[i];
  bool open = p->family->params[i].words && p->family->params[i].kind == TSR_OP_INTEGER &&
              before.i == OPS_WORD;
  if (!ops_problem_set(p, i, value, &why)) return false;
  return open || ops_value_same(&p->family->params[i], &before, &p->values[i]);
}

static bool take_parameters(recall *to, const char *parameters) {
  ops_problem p = *to->p;
  ops_why why;
  bool good = true;
  for (str rest = str_of(parameters); good && rest.len;) {
    size_t n = 0;
    while (n < rest.len && rest.data[n] != ' ') n++;
    good = take_choice(&p, (str){rest.data, n});
    n += n < rest.len;
    rest = (str){rest.data + n, rest.len - n};
  }
  to->found = good && p.family->supported(&p, &to->library->target, &why);
  if (to->found) *to->p = p;
  return to->found;
}

static bool take_record(void *user, const tsr_tuning_record *r) {
  return !take_parameters(user, r->parameters);
}

static ops_tuned *find_tuned(tsr_op_library *library, const tsr_tuning_record *like) {
  for (uint32_t i = 0; i < library->tuned.len; i++) {
    ops_tuned *t = &library->tuned.data[i];
    if (strcmp(t->program, like->program) == 0 && strcmp(t->sizes, like->sizes) == 0) return t;
  }
  return NULL;
}

void ops_recall(tsr_op_library *library, ops_problem *p, arena *a) {
  if (!library->store && !library->tuned.len) return;
  tsr_tuning_record like = record_of(library, p, a);
  recall to = {library, p, false};
  const ops_tuned *own = find_tuned(library, &like);
  if (own && take_parameters(&to, own->parameters)) return;
  if (library->store) tsr_tuning_store_walk(library->store, &like, take_record, &to);
}

/* ---- measuring ------------------------------------------------------------------------------- */

typedef struct trial {
  const ops_candidate *candidate;
  tsr_op_measurement times;
} trial;

typedef struct tuning {
  tsr_op_library *library;
  const tsr_op_argument *args;
  size_t n_args;
  tsr_op_tune_options options;
  arena *arena;
  const char *problem;      /* while a candidate is tried: what went wrong */
  tsr_diagnostic_fn report; /* the caller's */
  void *report_user;
  double start;
  VEC(trial) trials; /* that have times */
} tuning;

static double now_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* While a candidate is tried, what is wrong with it is no message to the caller. */
static void keep_problem(void *user, const tsr_diagnostic *d) {
  tuning *t = user;
  if (d->severity == TSR_ERROR && !t->problem)
    t->problem = arena_strndup(t->arena, d->message, strlen(d->message));
}

/* Threads of the device may want the lock while kernels run. */
static tsr_status launch_unlocked(tuning *t, tsr_op_plan *plan, const tsr_op_argument *args) {
  ops_unlock(t->library);
  tsr_status status = tsr_op_launch(plan, NULL, args, t->n_args + 1);
  ops_lock(t->library);
  return status;
}

static tsr_status bench_unlocked(tuning *t, tsr_op_plan *plan, const tsr_op_argument *args,
                                 tsr_bench_result *times) {
  tsr_bench_options how = {.struct_size = sizeof how, .warm_up_ms = 5, .measure_ms = 50};
  ops_unlock(t->library);
  tsr_status status = tsr_op_bench(plan, args, t->n_args + 1, &how, times);
  ops_lock(t->library);
  return status;
}

static bool launch_and_judge(tuning *t, tsr_op_plan *plan, const tsr_op_argument *args,
                             tsr_op_measurement *m) {
  tsr_bench_result times;
  if (launch_unlocked(t, plan, args) != TSR_OK) return false;
  if (t->options.judge) t->problem = t->options.judge(t->options.user);
  if (t->problem) return false;
  if (bench_unlocked(t, plan, args, &times) != TSR_OK) return false;
  m->median_ms = times.median_ms;
  m->spread_ms = times.p80_ms - times.p20_ms;
  m->samples = times.samples;
  m->min_ms = times.min_ms;
  return true;
}

static tsr_op_plan *plan_of(tuning *t, const ops_candidate *c) {
  sbuf text = SBUF(t->arena);
  ops_problem_print(&c->problem, true, &text);
  return tsr_op_plan_get(
      t->library, &(tsr_op_problem){.struct_size = sizeof(tsr_op_problem), .text = text.data});
}

/* The arguments with a workspace of the plan's, which is to be destroyed. */
static tsr_buffer *add_workspace(tuning *t, const tsr_op_plan *plan, tsr_op_argument *args) {
  tsr_buffer *workspace = tsr_buffer_create(t->library->device, tsr_op_plan_workspace(plan));
  if (t->n_args) memcpy(args, t->args, t->n_args * sizeof *args);
  args[t->n_args] = (tsr_op_argument){"workspace", tsr_arg_buffer(workspace)};
  return workspace;
}

static void measure(tuning *t, tsr_op_plan *plan, tsr_op_measurement *m) {
  tsr_op_argument args[OPS_MAX_OPERANDS + 1];
  tsr_buffer *workspace = add_workspace(t, plan, args);
  if (!launch_and_judge(t, plan, args, m) && !t->problem) t->problem = "it failed";
  tsr_buffer_destroy(workspace);
}

/* ---- what cannot be the fastest ---------------------------------------------------------------
 */

/* The scalars of a step; what memory holds says nothing. */
static unsigned scalars_of(const ops_step *s, tsr_arg *out) {
  for (unsigned i = 0; i < s->n_passes; i++)
    out[i] = s->passes[i].kind == OPS_PASS_SCALAR
                 ? tsr_arg_scalar(s->passes[i].elem, s->passes[i].bits)
                 : tsr_arg_nullable(NULL);
  return s->n_passes;
}

/* The names of kernels, which need memory: nothing may while a module is held. */
static void name_kernels(tuning *t, const ops_problem *p, const ops_steps *steps,
                         const char **out) {
  ops_problem instance = ops_problem_instance(p);
  for (unsigned i = 0; i < steps->count; i++) {
    sbuf name = SBUF(t->arena);
    ops_kernel_name(&instance, &steps->data[i], &name);
    out[i] = name.data;
  }
}

/* The least milliseconds of a candidate's launches, one after the other. */
static double bound_of(tuning *t, const ops_candidate *c) {
  ops_problem p = c->problem;
  ops_operands *operands = arena_new(t->arena, ops_operands);
  ops_steps *steps = arena_new(t->arena, ops_steps);
  const char *names[OPS_MAX_STEPS];
  tsr_arg args[OPS_MAX_PASSES];
  double ms = 0;
  operands->count = 0;
  p.family->operands(&p, operands);
  ops_problem_steps(&p, operands, steps);
  name_kernels(t, &p, steps, names);
  tsr_module *m = ops_problem_build(t->library->ctx, &p, steps);
  for (unsigned i = 0; m && i < steps->count; i++) {
    const ops_step *s = &steps->data[i];
    ms += tsr_bound(t->library->device, m, names[i], s->grid, args, scalars_of(s, args));
  }
  tsr_module_destroy(m);
  return ms;
}

/* The trial with the shortest time; NULL: there is none. */
static const trial *fastest(const tuning *t) {
  const trial *best = NULL;
  for (uint32_t i = 0; i < t->trials.len; i++)
    if (!best || t->trials.data[i].times.min_ms < best->times.min_ms) best = &t->trials.data[i];
  return best;
}

/* Why a candidate is not worth a launch; NULL: it may be the fastest. */
static const char *prune(tuning *t, const ops_candidate *c) {
  const trial *best = fastest(t);
  double least = best ? bound_of(t, c) : 0;
  if (!best || least <= best->times.min_ms) return NULL;
  return arena_printf(t->arena, "its work takes at least %.4g ms, and %s takes %.4g ms", least,
                      best->candidate->name, best->times.min_ms);
}

/* ---- one candidate --------------------------------------------------------------------------- */

static void give_messages_back(tuning *t) {
  t->library->ctx->on_diagnostic = t->report;
  t->library->ctx->diagnostic_user = t->report_user;
}

static bool try_candidate(tuning *t, const ops_candidate *c) {
  tsr_context *ctx = t->library->ctx;
  tsr_op_measurement m = {.instance = c->name, .refused = c->refused};
  t->problem = NULL;
  const char *pruned = c->refused ? NULL : prune(t, c);
  if (pruned) m.refused = pruned, m.pruned = true;
  if (!m.refused) {
    ctx->on_diagnostic = keep_problem;
    ctx->diagnostic_user = t;
    tsr_op_plan *plan = plan_of(t, c);
    if (plan)
      measure(t, plan, &m);
    else if (!t->problem)
      t->problem = "it cannot be made";
    give_messages_back(t);
    m.refused = t->problem;
    if (!m.refused) vec_push(t->arena, t->trials, (trial){.candidate = c, .times = m});
  }
  return !t->options.each || t->options.each(t->options.user, &m);
}

/* ---- the fastest ----------------------------------------------------------------------------- */

static int by_median(const void *a, const void *b) {
  double x = ((const trial *)a)->times.median_ms, y = ((const trial *)b)->times.median_ms;
  return (x > y) - (x < y);
}

static double noise_of(const tuning *t) {
  double *parts = arena_array(t->arena, double, t->trials.len + 1);
  for (uint32_t i = 0; i < t->trials.len; i++)
    parts[i] = t->trials.data[i].times.spread_ms / t->trials.data[i].times.median_ms;
  search_sort(parts, t->trials.len);
  return search_quantile(parts, t->trials.len, 0.5);
}

enum { MOST_IN_DOUBT = 8 };

/* How many of the trials, the fastest first, may be as fast as the first of them. */
static unsigned count_in_doubt(const tuning *t) {
  const trial *all = t->trials.data;
  unsigned n = 0;
  double fast = t->trials.len ? all[0].times.median_ms + all[0].times.spread_ms : 0;
  while (n < MIN(t->trials.len, (uint32_t)MOST_IN_DOUBT) &&
         all[n].times.median_ms - all[n].times.spread_ms <= fast)
    n++;
  return n;
}

typedef struct turns {
  tuning *t;
  struct {
    tsr_op_plan *plan;
    tsr_buffer *workspace;
    tsr_op_argument args[OPS_MAX_OPERANDS + 1];
  } sides[MOST_IN_DOUBT];
  unsigned now; /* whose turn it is */
} turns;

static tsr_status launch_side(void *user, tsr_stream *stream) {
  turns *x = user;
  return tsr_op_launch(x->sides[x->now].plan, stream, x->sides[x->now].args, x->t->n_args + 1);
}

/* A launch to warm up, and a measurement. */
static bool sample_side(void *user, unsigned entrant, double *ms) {
  turns *x = user;
  tsr_bench_options once = {
      .struct_size = sizeof once, .warm_up_ms = 1e-6, .measure_ms = 1e-6, .min_launches = 1};
  tsr_bench_result times;
  x->now = entrant;
  ops_unlock(x->t->library);
  tsr_status status = tsr_bench_calls(x->t->library->device, launch_side, x, &once, &times);
  ops_lock(x->t->library);
  *ms = times.median_ms;
  return status == TSR_OK;
}

static double seconds_of(void *user) {
  (void)user;
  return now_seconds();
}

/* Takes over what was measured; the fastest becomes the first. */
static void take_times(tuning *t, const search *s, unsigned best) {
  for (unsigned i = 0; i < s->count; i++) {
    const search_entrant *e = &s->entrants[i];
    tsr_op_measurement *m = &t->trials.data[i].times;
    if (e->failed || !e->n) continue;
    m->median_ms = e->median;
    m->spread_ms = e->spread;
    m->samples = e->n;
  }
  if (best == s->count) return;
  trial winner = t->trials.data[best];
  t->trials.data[best] = t->trials.data[0];
  t->trials.data[0] = winner;
}

/* Measures the first n trials anew, in turns. Nothing is to be given back where memory runs out. */
static void measure_anew(tuning *t, unsigned n) {
  turns *x = arena_new(t->arena, turns);
  *x = (turns){.t = t};
  search s = {.entrants = arena_alloc_zero(t->arena, n * sizeof(search_entrant), 8),
              .count = n,
              .seconds = (t->options.seconds > 0 ? t->options.seconds : 10) / 4,
              .sample = sample_side,
              .now = seconds_of,
              .user = x};
  bool good = true;
  for (unsigned i = 0; i < n; i++) {
    x->sides[i].plan = plan_of(t, t->trials.data[i].candidate);
    good &= x->sides[i].plan != NULL;
  }
  for (unsigned i = 0; i < n && good; i++)
    x->sides[i].workspace = add_workspace(t, x->sides[i].plan, x->sides[i].args);
  if (good) take_times(t, &s, search_run(&s));
  for (unsigned i = 0; i < n; i++) tsr_buffer_destroy(x->sides[i].workspace);
}

/* ---- keeping --------------------------------------------------------------------------------- */

static tsr_tuning_record record_of_trial(tuning *t, const trial *x) {
  const ops_problem *p = &x->candidate->problem;
  tsr_tuning_record r = record_of(t->library, p, t->arena);
  r.parameters = role_text(p, TSR_OP_CHOICE, t->arena);
  r.median_ms = x->times.median_ms;
  r.spread_ms = x->times.spread_ms;
  r.samples = x->times.samples;
  r.estimate = strncmp(t->library->device->kind->name, "emu:", 4) == 0;
  return r;
}

/* For plans of this library. */
static void keep_in_memory(tuning *t, const tsr_tuning_record *r) {
  tsr_op_library *l = t->library;
  ops_tuned *known = find_tuned(l, r);
  const char *parameters = arena_strndup(&l->arena, r->parameters, strlen(r->parameters));
  if (known)
    known->parameters = parameters;
  else
    vec_push(&l->arena, l->tuned,
             (ops_tuned){.program = arena_strndup(&l->arena, r->program, strlen(r->program)),
                         .sizes = arena_strndup(&l->arena, r->sizes, strlen(r->sizes)),
                         .parameters = parameters});
}

/* The record of the fastest, which stands first, must be the best: another that only had luck gets
 * none. */
static void keep_all(tuning *t) {
  tsr_tuning_store *store = t->library->store;
  for (uint32_t i = 0; i < t->trials.len; i++) {
    tsr_tuning_record r = record_of_trial(t, &t->trials.data[i]);
    if (i == 0) keep_in_memory(t, &r);
    if (!store) continue;
    if (i == 0 || r.median_ms > t->trials.data[0].times.median_ms)
      tsr_tuning_store_put(store, &r, 1);
    else
      tsr_tuning_store_clear(store, &r, NULL);
  }
}

static void settle(tuning *t) {
  if (t->options.found) *t->options.found = (tsr_op_tuning){0};
  if (!t->trials.len) return;
  qsort(t->trials.data, t->trials.len, sizeof *t->trials.data, by_median);
  unsigned in_doubt = t->library->device->emu ? 0 : count_in_doubt(t);
  tsr_op_tuning found = {.measured = t->trials.len, .noise = noise_of(t)};
  if (in_doubt > 1) {
    found.in_doubt = in_doubt;
    measure_anew(t, in_doubt);
  }
  keep_all(t);
  if (t->options.found) *t->options.found = found;
}

static tsr_status tune(tuning *t, const tsr_op_problem *given) {
  ops_candidate_list list;
  ops_why why;
  if (!ops_list_candidates(t->library, t->arena, given, &list, &why)) {
    diag_error(t->library->ctx, NOWHERE, "%s", why.text);
    return TSR_ERROR_USAGE;
  }
  t->start = now_seconds();
  double budget = t->options.seconds > 0 ? t->options.seconds : 10;
  for (size_t i = 0; i < list.count; i++) {
    if (!list.data[i].refused && i && now_seconds() - t->start > budget) continue;
    if (!try_candidate(t, &list.data[i])) break;
  }
  settle(t);
  ops_forget_plan(t->library, t->arena, given);
  return TSR_OK;
}

static tsr_status check_call(tsr_op_library *l, const tsr_op_problem *problem,
                             const tsr_op_argument *args, size_t n_args,
                             const tsr_op_tune_options *options, tsr_op_tune_options *full) {
  const size_t least = offsetof(tsr_op_tune_options, user) + sizeof(void *);
  const char *wrong = NULL;
  *full = (tsr_op_tune_options){.struct_size = sizeof *full};
  if (!problem || (!args && n_args)) wrong = "the problem or the arguments are NULL";
  if (n_args > OPS_MAX_OPERANDS) wrong = "there are more arguments than any problem has tensors";
  if (options && !struct_take(full, sizeof *full, options, least))
    wrong = "tsr_op_tune_options.struct_size is too small";
  if (wrong) diag_error(l->ctx, NOWHERE, "tsr_op_tune: %s", wrong);
  return wrong ? TSR_ERROR_USAGE : TSR_OK;
}

tsr_status tsr_op_tune(tsr_op_library *library, const tsr_op_problem *problem,
                       const tsr_op_argument *args, size_t n_args,
                       const tsr_op_tune_options *options) {
  arena scratch;
  tuning t = {.library = library, .args = args, .n_args = n_args, .arena = &scratch};
  if (!library) return TSR_ERROR_USAGE;
  ops_lock(library);
  t.report = library->ctx->on_diagnostic;
  t.report_user = library->ctx->diagnostic_user;
  tsr_status status = check_call(library, problem, args, n_args, options, &t.options);
  if (status == TSR_OK) {
    arena_init(&scratch, library->ctx);
    TSR_GUARD(library->ctx, {
      give_messages_back(&t);
      arena_free(&scratch);
      ops_unlock(library);
      return TSR_ERROR_MEMORY;
    });
    status = tune(&t, problem);
    TSR_UNGUARD(library->ctx);
    arena_free(&scratch);
  }
  ops_unlock(library);
  return status;
}
