/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tune/build.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <tessera/opt.h>

#include "text/text.h"

typedef struct build_state {
  build_job *job;
  atomic_size_t next;
  atomic_bool stop;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  size_t done;    /* items, under the lock */
  unsigned ended; /* workers */
} build_state;

struct build_worker {
  build_state *state;
  pthread_t thread;
  tsr_context *ctx;
  tsr_device *device;
  arena arena;
  char *problem; /* of the item that is being built */
  bool started;
};

void build_keep_problem(void *problem, const tsr_diagnostic *d) {
  char *out = problem;
  if (d->severity != TSR_ERROR || *out) return;
  if (d->line)
    snprintf(out, BUILD_PROBLEM, "%s:%u:%u: %s", d->file ? d->file : "", d->line, d->column,
             d->message);
  else
    snprintf(out, BUILD_PROBLEM, "%s", d->message);
}

static void keep_problem(void *user, const tsr_diagnostic *d) {
  build_worker *w = user;
  if (w->problem) build_keep_problem(w->problem, d);
}

/* ---- one item ------------------------------------------------------------------------------- */

static uint64_t hash_code(const rt_ready *code) {
  uint64_t h = hash_bytes(code->object.data, code->object.len);
  return hash_mix(h, hash_bytes(&code->sizes, sizeof code->sizes));
}

/* Of the program as it is printed, without its comments. */
static uint64_t hash_text(build_worker *w, ir_module *m) {
  sbuf out = SBUF(&w->arena);
  text_print(&out, m);
  return hash_bytes(out.data, out.len);
}

/* Code refers to globals by their numbers: what they hold is not in it. */
static uint64_t hash_globals(const ir_module *m) {
  uint64_t h = m->globals.len;
  for (uint32_t i = 0; i < m->globals.len; i++) {
    const ir_dense *d = ir_get_attr(m->globals.data[i], ATTR_value)->dense;
    h = hash_mix(hash_mix(h, hash_bytes(d->data, d->size)), (uint64_t)d->type->count);
    h = hash_mix(h, d->splat);
  }
  return h;
}

static bool compile(build_worker *w, tsr_module *m, build_item *item) {
  const char *kernel = w->state->job->kernel;
  tsr_program *p = tsr_program_create(w->device, m);
  TSR_GUARD(w->ctx, {
    tsr_program_destroy(p);
    return false;
  });
  bool made = p && ready_make(p, kernel, &w->arena, &item->ready);
  TSR_UNGUARD(w->ctx);
  tsr_program_destroy(p);
  if (!made && *item->problem) return false;
  item->hash = made ? hash_mix(hash_code(&item->ready), hash_globals(m)) : hash_text(w, m);
  return true;
}

static bool compile_for_gpu(build_worker *w, tsr_module *m, build_item *item) {
  const tsr_device *like = w->state->job->device;
  gpu_compile_options options = {
      .target = gpu_target_of(like), .threads = 1, .lines = like->emu != NULL};
  uint64_t hash = 0;
  if (!ready_make_gpu(w->ctx, m, w->state->job->kernel, &options, &w->arena, &item->ready, &hash,
                      &item->resources))
    return false;
  item->hash = hash_mix(hash, hash_globals(m));
  return true;
}

/* ---- what it has to do ---------------------------------------------------------------------- */

static ir_op *entry_of(const ir_module *m, const char *kernel) {
  if (kernel) return ir_find_symbol(m, str_of(kernel));
  for (ir_op *op = ir_region(m->op, 0)->first; op; op = op->next)
    if (op->opcode == OP_entry) return op;
  return NULL;
}

/* Of the program as it is compiled: what passes take away is not done. */
static void count_work(build_worker *w, ir_module *m, build_item *item) {
  const tsr_device *like = w->state->job->device;
  ir_op *entry = entry_of(m, w->state->job->kernel);
  if (!item->args || !entry || ir_region(entry, 0)->n_args != item->n_args) return;
  item->work = work_prepared(m, entry, like->kind == &rt_cpu, item->args, item->grid);
}

/* ---- all of it ------------------------------------------------------------------------------ */

static bool has_kernel(build_worker *w, tsr_module *m) {
  const char *kernel = w->state->job->kernel;
  if (kernel ? tsr_module_kernel_parameters(m, kernel, NULL, 0) >= 0
             : tsr_module_kernel_count(m) == 1)
    return true;
  diag_error(w->ctx, NOWHERE, kernel ? "there is no kernel '%s'" : "there is not one kernel%s",
             kernel ? kernel : "; name one");
  return false;
}

static void build_one(build_worker *w, build_item *item) {
  const tsr_device *like = w->state->job->device;
  w->problem = item->problem;
  tsr_module *m =
      tsr_module_parse(w->ctx, item->text.data, item->text.len, item->name, w->state->job->flags);
  TSR_GUARD(w->ctx, {
    tsr_module_destroy(m);
    w->problem = NULL;
    return;
  });
  if (m && has_kernel(w, m)) {
    tsr_module_set_level(m, w->state->job->level);
    if (w->device)
      item->built = compile(w, m, item);
    else if (gpu_target_of(like))
      item->built = compile_for_gpu(w, m, item);
    else
      item->hash = hash_text(w, m), item->built = true;
    if (item->built && like->kind != &rt_interp) count_work(w, m, item);
  }
  TSR_UNGUARD(w->ctx);
  tsr_module_destroy(m);
  w->problem = NULL;
}

/* ---- workers -------------------------------------------------------------------------------- */

static bool open_worker(build_worker *w) {
  w->ctx = tsr_context_create(&(tsr_context_options){.struct_size = sizeof(tsr_context_options),
                                                     .on_diagnostic = keep_problem,
                                                     .diagnostic_user = w});
  if (!w->ctx) return false;
  arena_init(&w->arena, w->ctx);
  const tsr_device *like = w->state->job->device;
  if (like->kind != &rt_cpu || like->cpu.checks || like->cpu.profile) return true;
  w->device = ready_device(w->ctx, like);
  return w->device != NULL;
}

static void close_worker(build_worker *w) {
  if (!w->ctx) return;
  arena_free(&w->arena);
  tsr_device_close(w->device);
  tsr_context_destroy(w->ctx);
}

static void note(build_state *s, size_t items, unsigned workers) {
  pthread_mutex_lock(&s->lock);
  s->done += items;
  s->ended += workers;
  pthread_cond_signal(&s->changed);
  pthread_mutex_unlock(&s->lock);
}

static void *work(void *user) {
  build_worker *w = user;
  build_state *s = w->state;
  bool open = open_worker(w);
  while (open && !atomic_load(&s->stop)) {
    size_t i = atomic_fetch_add(&s->next, 1);
    if (i >= s->job->count) break;
    if (s->job->items[i].text.len) build_one(w, &s->job->items[i]);
    note(s, 1, 0);
  }
  note(s, 0, 1);
  return NULL;
}

static struct timespec in_100_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  t.tv_nsec += 100 * 1000000;
  t.tv_sec += t.tv_nsec / 1000000000;
  t.tv_nsec %= 1000000000;
  return t;
}

/* Until all workers have ended; tells how far they are, without the lock. */
static void watch(build_state *s, unsigned started) {
  pthread_mutex_lock(&s->lock);
  while (s->ended < started) {
    struct timespec until = in_100_ms();
    pthread_cond_timedwait(&s->changed, &s->lock, &until);
    size_t done = s->done;
    pthread_mutex_unlock(&s->lock);
    if (s->job->go_on && !s->job->go_on(s->job->user, done)) atomic_store(&s->stop, true);
    pthread_mutex_lock(&s->lock);
  }
  pthread_mutex_unlock(&s->lock);
}

bool build_run(build_job *job) {
  build_state s = {.job = job};
  pthread_mutex_init(&s.lock, NULL);
  pthread_cond_init(&s.changed, NULL);
  job->threads = (unsigned)MAX(MIN((size_t)job->threads, job->count), (size_t)1);
  job->workers = calloc(job->threads, sizeof *job->workers);
  unsigned started = 0;
  for (unsigned i = 0; job->workers && i < job->threads; i++) {
    build_worker *w = &job->workers[i];
    w->state = &s;
    w->started = pthread_create(&w->thread, NULL, work, w) == 0;
    started += w->started;
  }
  if (started)
    watch(&s, started);
  else
    diag_error(job->device->ctx, NOWHERE, "no thread can be started to build candidates");
  for (unsigned i = 0; job->workers && i < job->threads; i++)
    if (job->workers[i].started) pthread_join(job->workers[i].thread, NULL);
  pthread_cond_destroy(&s.changed);
  pthread_mutex_destroy(&s.lock);
  return started > 0;
}

void build_close(build_job *job) {
  for (unsigned i = 0; job->workers && i < job->threads; i++) close_worker(&job->workers[i]);
  free(job->workers);
  job->workers = NULL;
}
