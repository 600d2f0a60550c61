/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cpu/unit.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <llvm-c/Analysis.h>
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
  if (!g) { /* not ours: what LLVM does without a handler, which ends the process behind this */
    fprintf(stderr, "LLVM ERROR: %s\n", reason);
    return;
  }
  snprintf(g->reason, sizeof g->reason, "%s", reason);
  longjmp(g->env, 1);
}

static void set_fatal_handler(void) {
  LLVMInstallFatalErrorHandler(on_fatal);
}

/* The first error; what comes behind it follows from it as a rule. */
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
  const unit *passed; /* compile: the only one that passes are run over */
  void (*behind)(unit *);
  LLVMCodeGenFileType kind;
} step;

/* False when there is a complaint. */
static bool attempt(unit *u, const step *s) {
  fatal_guard g;
  if (setjmp(g.env)) {
    guard_here = NULL;
    abandon(u);
    return complain(u, LLVMCreateMessage(g.reason));
  }
  guard_here = &g;
  bool ok = s->run(u, s);
  guard_here = NULL;
  return ok && !u->complaint;
}

typedef struct crew {
  unit **units;
  unsigned n;
  const step *step;
  atomic_uint next;
} crew;

static void *work(void *user) {
  crew *c = user;
  for (;;) {
    unsigned i = atomic_fetch_add(&c->next, 1);
    if (i >= c->n) return NULL;
    attempt(c->units[i], c->step);
  }
}

enum { MOST_HELPERS = 15 };

/* Runs a step of LLVM's that may find errors. */
static bool run_step(unit **units, unsigned n, unsigned threads, const step *s) {
  crew c = {.units = units, .n = n, .step = s};
  pthread_t helpers[MOST_HELPERS];
  unsigned wanted = MIN(MIN(threads, n), MOST_HELPERS + 1), helped = 0;
  sigset_t all, before; /* the program's signals are none of our threads' business */
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  while (helped + 1 < wanted && pthread_create(&helpers[helped], NULL, work, &c) == 0) helped++;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  work(&c);
  while (helped > 0) pthread_join(helpers[--helped], NULL);
  for (unsigned i = 0; i < n; i++) {
    if (!units[i]->complaint) continue;
    diag_error(units[i]->ctx, NOWHERE, "internal error: %s: %s; please report the kernel",
               units[i]->doing, units[i]->complaint);
    return false;
  }
  return true;
}

/* ---- target machines ------------------------------------------------------------------------ */

enum { KEY_SIZE = 200, MOST_IDLE = 8 };

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

/* Takes the machine. When there is no room the one that came first goes. */
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

static void close_machine(unit *u) {
  if (!u->machine) return;
  if (u->key)
    leave_idle(u->key, u->machine);
  else
    LLVMDisposeTargetMachine(u->machine);
}

static LLVMTargetMachineRef new_machine(unit *u, const unit_target *t, const char *triple,
                                        const char *cpu, const char *features) {
  char *message = NULL;
  LLVMTargetRef target;
  if (LLVMGetTargetFromTriple(triple, &target, &message)) {
    diag_error(u->ctx, NOWHERE, "this LLVM cannot make code for %s: %s", triple, message);
    LLVMDisposeMessage(message);
    return NULL;
  }
  LLVMTargetMachineRef machine = LLVMCreateTargetMachine(target, triple, cpu, features, t->level,
                                                         t->relocation, LLVMCodeModelDefault);
  if (!machine)
    diag_error(u->ctx, NOWHERE, "this LLVM cannot make code for the processor '%s'", cpu);
  else if (t->fast_selection)
    LLVMSetTargetMachineFastISel(machine, 1);
  return machine;
}

static bool open_machine(unit *u, const unit_target *t) {
  const char *cpu = t->cpu ? t->cpu : "", *features = t->features ? t->features : "";
  char *host = t->triple ? NULL : LLVMGetDefaultTargetTriple();
  const char *triple = t->triple ? t->triple : host;
  if (t->kept) {
    const char *key = arena_printf(&u->arena, "%s %s %s %d %d %d", triple, cpu, features, t->level,
                                   t->relocation, t->fast_selection);
    if (strlen(key) < KEY_SIZE) u->key = key;
  }
  if (u->key) u->machine = take_idle(u->key);
  if (!u->machine) u->machine = new_machine(u, t, triple, cpu, features);
  LLVMDisposeMessage(host);
  return u->machine != NULL;
}

/* ---- a unit --------------------------------------------------------------------------------- */

static void close_unit(unit *u) {
  while (u->forks) {
    unit *fork = u->forks;
    u->forks = fork->next;
    close_unit(fork);
  }
  if (u->e.b) LLVMDisposeBuilder(u->e.b);
  if (u->start) LLVMDisposeBuilder(u->start);
  if (u->e.module) LLVMDisposeModule(u->e.module);
  if (u->e.llvm) LLVMContextDispose(u->e.llvm);
  close_machine(u);
  if (u->code) LLVMDisposeMemoryBuffer(u->code);
  LLVMDisposeMessage(u->complaint);
  arena_free(&u->arena);
  ctx_free(u->ctx, u, sizeof *u);
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

bool unit_open(unit *u, const unit_target *t) {
  pthread_once(&handler_once, set_fatal_handler);
  if (!open_machine(u, t)) return false;
  emit *e = &u->e;
  e->ctx = u->ctx;
  e->arena = &u->arena;
  e->llvm = LLVMContextCreate();
  LLVMContextSetDiagnosticHandler(e->llvm, on_complaint, u);
  e->module = LLVMModuleCreateWithNameInContext("kernels", e->llvm);
  e->b = LLVMCreateBuilderInContext(e->llvm);
  u->start = LLVMCreateBuilderInContext(e->llvm);
  emit_types(e);
  LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(u->machine);
  LLVMSetModuleDataLayout(e->module, layout);
  LLVMDisposeTargetData(layout);
  char *triple = LLVMGetTargetMachineTriple(u->machine);
  LLVMSetTarget(e->module, triple);
  LLVMDisposeMessage(triple);
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

static bool compile(unit *u, const step *s) {
  if (!verify(u)) return false;
  double start = unit_now_ms();
  if (s->passes && s->passed == u && !run_passes(u, s->passes)) return false;
  s->behind(u);
  u->optimise_ms = unit_now_ms() - start;
  return generate(u, s);
}

bool unit_compile_all(unit **u, unsigned n, const char *passes, void (*behind)(unit *),
                      LLVMCodeGenFileType kind, unsigned threads) {
  const step s = {.run = compile, .passes = passes, .passed = u[0], .behind = behind, .kind = kind};
  dump(u, n);
  return run_step(u, n, threads, &s);
}

LLVMMemoryBufferRef unit_generate(unit *u, LLVMCodeGenFileType kind) {
  if (!unit_generate_all(&u, 1, kind, 1)) return NULL;
  LLVMMemoryBufferRef code = u->code;
  u->code = NULL;
  return code;
}

bool unit_write(unit *u, unit_form form, sbuf *out) {
  if (form == UNIT_LLVM) {
    char *text = LLVMPrintModuleToString(u->e.module);
    sbuf_puts(out, text);
    LLVMDisposeMessage(text);
    return true;
  }
  LLVMMemoryBufferRef code =
      unit_generate(u, form == UNIT_ASSEMBLY ? LLVMAssemblyFile : LLVMObjectFile);
  if (!code) return false;
  sbuf_add(out, LLVMGetBufferStart(code), LLVMGetBufferSize(code));
  LLVMDisposeMemoryBuffer(code);
  return true;
}
