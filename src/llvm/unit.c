/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "llvm/unit.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <llvm-c/Analysis.h>
#include <llvm-c/BitReader.h>
#include <llvm-c/Error.h>
#include <llvm-c/ErrorHandling.h>
#include <llvm-c/Transforms/PassBuilder.h>

double unit_now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* ---- LLVM's errors -------------------------------------------------------------------------- */

/* Where a thread's work in LLVM began. */
typedef struct fatal_guard {
  jmp_buf env;
  char reason[400];
} fatal_guard;

static _Thread_local fatal_guard *guard_here;
static pthread_once_t handler_once = PTHREAD_ONCE_INIT;

static void on_fatal(const char *reason) {
  fatal_guard *g = guard_here;
  if (!g) { /* not ours: what LLVM does without a handler, which ends the process after this */
    fprintf(stderr, "LLVM ERROR: %s\n", reason);
    return;
  }
  snprintf(g->reason, sizeof g->reason, "%s", reason);
  longjmp(g->env, 1);
}

static void set_fatal_handler(void) {
  LLVMInstallFatalErrorHandler(on_fatal);
}

/* The first error; what comes after it follows from it as a rule. */
static void on_complaint(LLVMDiagnosticInfoRef info, void *user) {
  unit *u = user;
  if (LLVMGetDiagInfoSeverity(info) == LLVMDSError && !u->complaint)
    u->complaint = LLVMGetDiagInfoDescription(info);
}

/* Takes a message of LLVM's, for later. */
static bool complain(unit *u, char *message) {
  if (u->complaint)
    LLVMDisposeMessage(message);
  else
    u->complaint = message;
  return false;
}

/* LLVM's own structures are in no known state: freeing them would follow what is half made. */
static void abandon(unit *u) {
  u->e.b = u->start = NULL;
  u->e.module = NULL;
  u->e.llvm = NULL;
  u->machine = NULL;
}

/* What units do in LLVM. It may be done by any thread, so it knows nothing of the context, which is
 * another's. */
typedef struct step {
  bool (*run)(unit *u, const struct step *s);
  const char *passes;
  unit_crew *crew;
  LLVMCodeGenFileType kind;
} step;

static bool borrow_machine(unit *u);
static void leave_machine(unit *u);

/* False when there is a complaint. */
static bool attempt(unit *u, const step *s) {
  fatal_guard g;
  if (setjmp(g.env)) {
    guard_here = NULL;
    abandon(u);
    return complain(u, LLVMCreateMessage(g.reason));
  }
  guard_here = &g;
  bool ok = borrow_machine(u) && s->run(u, s);
  leave_machine(u);
  guard_here = NULL;
  return ok && !u->complaint;
}

/* Threads that take units one after the other. */
typedef struct crew {
  pthread_mutex_t lock; /* of what follows */
  pthread_cond_t more;
  unit **units;
  unsigned n, next; /* the first that nobody has taken */
  bool complete;    /* there will be no more of them */
  const step *step;
} crew;

static unit *take(crew *c) {
  pthread_mutex_lock(&c->lock);
  while (c->next == c->n && !c->complete) pthread_cond_wait(&c->more, &c->lock);
  unit *u = c->next < c->n ? c->units[c->next++] : NULL;
  pthread_mutex_unlock(&c->lock);
  return u;
}

/* From now on there are n units, and that is all of them. */
static void complete(crew *c, unsigned n) {
  pthread_mutex_lock(&c->lock);
  c->n = n;
  c->complete = true;
  pthread_cond_broadcast(&c->more);
  pthread_mutex_unlock(&c->lock);
}

static void *work(void *user) {
  crew *c = user;
  for (unit *u; (u = take(c)) != NULL;) attempt(u, c->step);
  return NULL;
}

enum { MOST_HELPERS = 15 };

typedef struct helpers {
  pthread_t thread[MOST_HELPERS];
  unsigned n;
} helpers;

static void call_helpers(helpers *h, unsigned wanted, crew *c) {
  sigset_t all, before; /* the program's signals are none of our threads' business */
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  wanted = MIN(wanted, (unsigned)MOST_HELPERS);
  while (h->n < wanted && pthread_create(&h->thread[h->n], NULL, work, c) == 0) h->n++;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* Takes part until all is done. */
static void finish(helpers *h, crew *c) {
  work(c);
  while (h->n > 0) pthread_join(h->thread[--h->n], NULL);
  pthread_cond_destroy(&c->more);
  pthread_mutex_destroy(&c->lock);
}

static bool no_complaints(unit **units, unsigned n) {
  for (unsigned i = 0; i < n; i++) {
    if (!units[i]->complaint) continue;
    diag_error(units[i]->ctx, NOWHERE, "internal error: %s: %s; please report the kernel",
               units[i]->doing, units[i]->complaint);
    return false;
  }
  return true;
}

#define CREW(u, n_units, s)                                                                        \
  {                                                                                                \
    .lock = PTHREAD_MUTEX_INITIALIZER, .more = PTHREAD_COND_INITIALIZER, .units = (u),             \
    .n = (n_units), .step = (s)                                                                    \
  }

/* Runs a step of LLVM's that may find errors. */
static bool run_step(unit **units, unsigned n, unsigned threads, const step *s) {
  crew c = CREW(units, n, s);
  helpers h = {.n = 0};
  c.complete = true;
  if (threads > 1) call_helpers(&h, MIN(threads, n) - 1, &c);
  finish(&h, &c);
  return no_complaints(units, n);
}

/* ---- target machines ------------------------------------------------------------------------ */

enum { KEY_SIZE = 200, MOST_IDLE = MOST_HELPERS + 1 };

/* A machine that nobody uses, under all that it was made from. */
typedef struct idle_machine {
  char key[KEY_SIZE];
  LLVMTargetMachineRef machine;
} idle_machine;

static pthread_mutex_t idle_lock = PTHREAD_MUTEX_INITIALIZER;
static idle_machine idle[MOST_IDLE]; /* the first n_idle */
static unsigned n_idle;

/* NULL: there is none. */
static LLVMTargetMachineRef take_idle(const char *key) {
  LLVMTargetMachineRef found = NULL;
  pthread_mutex_lock(&idle_lock);
  for (unsigned i = 0; i < n_idle && !found; i++) {
    if (strcmp(idle[i].key, key) != 0) continue;
    found = idle[i].machine;
    idle[i] = idle[--n_idle];
  }
  pthread_mutex_unlock(&idle_lock);
  return found;
}

static void leave_idle(const char *key, LLVMTargetMachineRef machine) {
  LLVMTargetMachineRef gone = NULL;
  pthread_mutex_lock(&idle_lock);
  if (n_idle == MOST_IDLE) {
    gone = idle[0].machine;
    memmove(idle, idle + 1, --n_idle * sizeof *idle);
  }
  idle_machine *last = &idle[n_idle++];
  snprintf(last->key, sizeof last->key, "%s", key);
  last->machine = machine;
  pthread_mutex_unlock(&idle_lock);
  if (gone) LLVMDisposeTargetMachine(gone);
}

/* When there is no room the machine that was left first goes. */
static void leave_machine(unit *u) {
  if (!u->machine) return;
  if (strlen(u->key) < KEY_SIZE)
    leave_idle(u->key, u->machine);
  else
    LLVMDisposeTargetMachine(u->machine);
  u->machine = NULL;
}

/* NULL: `why` says why, LLVMDisposeMessage frees it. */
static LLVMTargetMachineRef new_machine(const unit_target *t, char **why) {
  LLVMTargetRef target;
  if (LLVMGetTargetFromTriple(t->triple, &target, why)) return NULL;
  LLVMTargetMachineRef machine = LLVMCreateTargetMachine(
      target, t->triple, t->cpu, t->features, t->level, t->relocation, LLVMCodeModelDefault);
  if (!machine) *why = LLVMCreateMessage("it has no target machine");
  if (machine && t->fast_selection) LLVMSetTargetMachineFastISel(machine, 1);
  return machine;
}

/* The same. */
static bool get_machine(unit *u, char **why) {
  u->machine = take_idle(u->key);
  if (!u->machine) u->machine = new_machine(&u->target, why);
  return u->machine != NULL;
}

static bool borrow_machine(unit *u) {
  char *why = NULL;
  u->doing = "this LLVM cannot make code";
  return get_machine(u, &why) || complain(u, why);
}

/* Copies the target, and makes its key. */
static void set_target(unit *u, const unit_target *t) {
  char *host = t->triple ? NULL : LLVMGetDefaultTargetTriple();
  const char *triple = t->triple ? t->triple : host;
  u->target = *t;
  u->target.triple = arena_strndup(&u->arena, triple, strlen(triple));
  LLVMDisposeMessage(host);
  if (!t->cpu) u->target.cpu = "";
  if (!t->features) u->target.features = "";
  u->key = arena_printf(&u->arena, "%s %s %s %d %d %d", u->target.triple, u->target.cpu,
                        u->target.features, t->level, t->relocation, t->fast_selection);
}

/* ---- a unit --------------------------------------------------------------------------------- */

static void close_unit(unit *u) {
  unit_end_forks(u);
  if (u->e.b) LLVMDisposeBuilder(u->e.b);
  if (u->start) LLVMDisposeBuilder(u->start);
  if (u->e.module) LLVMDisposeModule(u->e.module);
  if (u->e.llvm) LLVMContextDispose(u->e.llvm);
  leave_machine(u);
  if (u->bitcode) LLVMDisposeMemoryBuffer(u->bitcode);
  if (u->code) LLVMDisposeMemoryBuffer(u->code);
  LLVMDisposeMessage(u->complaint);
  arena_free(&u->arena);
  ctx_free(u->ctx, u, sizeof *u);
}

void unit_end_forks(unit *u) {
  while (u->forks) {
    unit *fork = u->forks;
    u->forks = fork->next;
    close_unit(fork);
  }
}

static unit *new_unit(tsr_context *ctx) {
  unit *u = ctx_alloc(ctx, sizeof *u);
  *u = (unit){.ctx = ctx};
  arena_init(&u->arena, ctx);
  return u;
}

bool unit_run(tsr_context *ctx, bool (*body)(unit *u, void *user), void *user) {
  unit *u = new_unit(ctx);
  TSR_GUARD(ctx, {
    close_unit(u);
    ctx_out_of_memory(ctx);
  });
  bool ok = body(u, user);
  TSR_UNGUARD(ctx);
  close_unit(u);
  return ok;
}

static void set_layout(unit *u) {
  LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(u->machine);
  LLVMSetModuleDataLayout(u->e.module, layout);
  LLVMDisposeTargetData(layout);
  char *triple = LLVMGetTargetMachineTriple(u->machine);
  LLVMSetTarget(u->e.module, triple);
  LLVMDisposeMessage(triple);
}

bool unit_open(unit *u, const unit_target *t) {
  char *why = NULL;
  pthread_once(&handler_once, set_fatal_handler);
  set_target(u, t);
  if (!get_machine(u, &why)) {
    diag_error(u->ctx, NOWHERE, "this LLVM cannot make code for %s: %s", u->target.triple, why);
    LLVMDisposeMessage(why);
    return false;
  }
  emit *e = &u->e;
  e->ctx = u->ctx;
  e->arena = &u->arena;
  e->llvm = LLVMContextCreate();
  LLVMContextSetDiagnosticHandler(e->llvm, on_complaint, u);
  e->module = LLVMModuleCreateWithNameInContext("kernels", e->llvm);
  e->b = LLVMCreateBuilderInContext(e->llvm);
  u->start = LLVMCreateBuilderInContext(e->llvm);
  emit_types(e);
  set_layout(u);
  leave_machine(u);
  return true;
}

unit *unit_fork(unit *u) {
  unit *fork = new_unit(u->ctx);
  fork->next = u->forks;
  u->forks = fork;
  return fork;
}

/* ---- steps ---------------------------------------------------------------------------------- */

static bool verify(unit *u) {
  char *message = NULL;
  u->doing = "the code handed to LLVM is not valid";
  if (LLVMVerifyModule(u->e.module, LLVMReturnStatusAction, &message)) return complain(u, message);
  LLVMDisposeMessage(message);
  return true;
}

static bool run_passes(unit *u, const char *passes) {
  u->doing = "LLVM's passes failed";
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
  LLVMErrorRef error = LLVMRunPasses(u->e.module, passes, u->machine, options);
  LLVMDisposePassBuilderOptions(options);
  if (!error) return true;
  char *message = LLVMGetErrorMessage(error);
  complain(u, LLVMCreateMessage(message));
  LLVMDisposeErrorMessage(message);
  return false;
}

static bool optimise(unit *u, const step *s) {
  return verify(u) && (!s->passes || run_passes(u, s->passes));
}

static bool generate(unit *u, const step *s) {
  char *message = NULL;
  u->doing = "LLVM made no code";
  bool wrong =
      LLVMTargetMachineEmitToMemoryBuffer(u->machine, u->e.module, s->kind, &message, &u->code);
  return !wrong || complain(u, message);
}

static void dump(unit **u, unsigned n) {
  for (unsigned i = 0; i < n && getenv("TESSERA_DUMP_LLVM"); i++) LLVMDumpModule(u[i]->e.module);
}

bool unit_optimise_all(unit **u, unsigned n, const char *passes, unsigned threads) {
  dump(u, n);
  return run_step(u, n, threads, &(step){.run = optimise, .passes = passes});
}

bool unit_optimise(unit *u, const char *passes) {
  return unit_optimise_all(&u, 1, passes, 1);
}

bool unit_generate_all(unit **u, unsigned n, LLVMCodeGenFileType kind, unsigned threads) {
  return run_step(u, n, threads, &(step){.run = generate, .kind = kind});
}

static bool read_module(unit *u) {
  u->doing = "a part of the code handed to LLVM cannot be read";
  LLVMDisposeModule(u->e.module);
  u->e.module = NULL;
  if (!LLVMParseBitcodeInContext2(u->e.llvm, u->bitcode, &u->e.module)) return true;
  u->e.module = NULL;
  return complain(u, LLVMCreateMessage("its bitcode is not valid"));
}

static bool compile(unit *u, const step *s) {
  if ((u->bitcode && !read_module(u)) || !verify(u)) return false;
  s->crew->behind(u);
  return generate(u, s);
}

static bool prepare(unit *u, const step *s) {
  unit_crew *all = s->crew;
  double start = unit_now_ms();
  bool ok = verify(u) && (!all->passes || run_passes(u, all->passes));
  if (ok && all->divide) all->failed = !all->divide(all->user);
  all->prepared_ms = unit_now_ms() - start;
  return ok && !all->failed;
}

/* The first unit is this thread's, so that dividing it may take memory. */
bool unit_compile_all(unit_crew *all) {
  const step first = {.run = prepare, .crew = all};
  const step each = {.run = compile, .crew = all, .kind = all->kind};
  tsr_context *ctx = all->units[0]->ctx;
  crew c = CREW(all->units, all->n, &each);
  helpers h = {.n = 0};
  c.next = 1;
  dump(all->units, all->n);
  if (all->threads > 1) call_helpers(&h, MIN(all->threads, all->n + all->room) - 1, &c);
  TSR_GUARD(ctx, {
    guard_here = NULL;
    complete(&c, 0);
    finish(&h, &c);
    ctx_unwind(ctx);
  });
  bool ok = attempt(all->units[0], &first);
  TSR_UNGUARD(ctx);
  complete(&c, ok ? all->n : 0);
  if (ok) attempt(all->units[0], &each);
  finish(&h, &c);
  return no_complaints(all->units, all->n) && ok;
}

LLVMMemoryBufferRef unit_hold_code(unit *u, LLVMCodeGenFileType kind) {
  return unit_generate_all(&u, 1, kind, 1) ? u->code : NULL;
}

void unit_drop_code(unit *u) {
  if (u->code) LLVMDisposeMemoryBuffer(u->code);
  u->code = NULL;
}

bool unit_write(unit *u, unit_form form, sbuf *out) {
  if (form == UNIT_LLVM) {
    char *text = LLVMPrintModuleToString(u->e.module);
    sbuf_puts(out, text);
    LLVMDisposeMessage(text);
    return true;
  }
  LLVMMemoryBufferRef code =
      unit_hold_code(u, form == UNIT_ASSEMBLY ? LLVMAssemblyFile : LLVMObjectFile);
  if (!code) return false;
  sbuf_add(out, LLVMGetBufferStart(code), LLVMGetBufferSize(code));
  unit_drop_code(u);
  return true;
}
